/* Dragonflies: Valiant's routing under adversarial traffic, every group to the next, and PAUSE per class.
 *
 * A group of a * p hosts sends L of a link each; with g groups and a link between any two, m groups may
 * be intermediates. Each link from a group carries a * p * L / m on the way to an intermediate and as
 * much on the way from one, so the limit is m / (2 * a * p): m = g - 2 if neither source's nor
 * destination's group is one, m = g - 1 if only the source's is not. In the first case the link from a
 * group to the next stays empty. Minimal routing has that one link only: 1 / (a * p). */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* a = 4, p = 2, h = 2: 9 groups, 72 hosts. Local links are twice as fast, so that only global links
 * limit. */
static const char dragonfly[] =
    "run: {duration: 500 us, warmup: 250 us}\n"
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
    "link: {rate: 40 Gbit/s, trunk_rate: 80 Gbit/s, delay: 40 ns, global_delay: 400 ns}\n"
    "switch: {architecture: cioq, speedup: 2, pipeline: 200 ns, buffer: 40 kB,"
    " output_buffer: 40 kB}\n"
    "nic: {mtu: 1000 B}\n"
    "traffic: [{name: adv, pattern: group-adversarial, offset: 1, message: 1000 B}]\n";

typedef struct outcome {
    double accepted; /* of the hosts' links */
    double most, least; /* use of global links */
    double hops; /* links between switches on the way of a packet */
} outcome;

static outcome run(const char *routing, const char *load)
{
    cop_result r;
    char kind[128];
    const char *const set[] = {scn_text(kind, sizeof(kind), "routing={%s}", routing),
                               "traffic.adv.arrival=bernoulli", load, "run.drain=yes"};
    scn_run(dragonfly, set, load ? 4 : 1, &r, NULL);
    if (r.outcome != COP_OUTCOME_OK)
        fail_msg("outcome %d: %s", r.outcome, r.detail);
    outcome o = {.accepted = r.throughput_gbps / 40.0, .least = 1.0};
    o.hops = (double)r.packet_hops / (double)r.packets_delivered - 2;
    for (uint32_t i = 0; i < r.n_ports; i++) {
        unsigned sw, port;
        if (sscanf(r.port[i].name, "s%u.%u", &sw, &port) != 2 || port < 2 + 3)
            continue; /* two hosts, three local links, then global ones */
        o.most = r.port[i].utilisation > o.most ? r.port[i].utilisation : o.most;
        o.least = r.port[i].utilisation < o.least ? r.port[i].utilisation : o.least;
    }
    cop_result_free(&r);
    return o;
}

static void near(const char *what, double got, double want, double relative)
{
    if (!(got <= want * (1 + relative) && got >= want * (1 - relative)))
        fail_msg("%s: %.4f, expected %.4f within %.1f %%", what, got, want, 100.0 * relative);
}

static void test_adversarial_throughput(void **state)
{
    (void)state;
    outcome min = run("kind: dragonfly-min", NULL);
    near("minimal", min.accepted, 1.0 / 8, 0.01);
    for (int to = 0; to < 2; to++) {
        outcome other =
            run(to ? "kind: dragonfly-valiant, to: group" : "kind: dragonfly-valiant, to: switch",
                NULL);
        outcome any = run(to ? "kind: dragonfly-valiant, to: group, via: any-but-source"
                             : "kind: dragonfly-valiant, to: switch, via: any-but-source",
                          NULL);
        near("via other groups", other.accepted, 7.0 / 16, 0.02);
        near("via any but the source's", any.accepted, 8.0 / 16, 0.02);
        assert_true(other.least < 1e-9); /* the link to the next group */
        near("link to the next group", any.least, 0.5, 0.1); /* half of the others' */
        assert_true(other.most > 0.97 && any.most > 0.97);
    }
}

/* Palm tree, intermediate groups: 3/4 of a local hop at either end, two global hops; in between a local
 * hop in 3 of 7 groups, the others have the links to both groups on one switch. Through the
 * destination's group, one time in 8, it is one global hop and no third group. */
static void test_path_lengths(void **state)
{
    (void)state;
    double detour = 0.75 + 1 + 3.0 / 7 + 1 + 0.75, straight = 0.75 + 1 + 0.75;
    outcome other = run("kind: dragonfly-valiant, to: group", "traffic.adv.load=0.1");
    outcome any =
        run("kind: dragonfly-valiant, to: group, via: any-but-source", "traffic.adv.load=0.1");
    near("via other groups", other.hops, detour, 0.01);
    near("via any but the source's", any.hops, (7 * detour + straight) / 8, 0.01);
}

/* Adversarial traffic on a network that does not know it yet: the packets that came in before the first
 * notification fill the switch inputs of hosts, 200 kB that the minimal link would need 320 us to take.
 * Decided anew at the head of the queue, they follow what the switch has learnt since. */
static void test_old_decisions(void **state)
{
    (void)state;
    double accepted[2];
    for (int head = 0; head < 2; head++) {
        cop_result r;
        const char *const set[] = {"routing={kind: qcn-switch}",
                                   head ? "routing.decide=head" : "routing.decide=arrival",
                                   "cc={kind: qcn, react: no, w: 0}",
                                   "queueing.kind=1q",
                                   "switch.lanes=5",
                                   "switch.host_buffer=200 kB",
                                   "nic.control_vl=3",
                                   "switch.vl_arbitration=strict",
                                   "run.duration=400 us",
                                   "run.warmup=100 us",
                                   "run.drain=yes",
                                   "traffic.adv.arrival=bernoulli",
                                   "traffic.adv.load=40 %"};
        scn_run(dragonfly, set, COP_LEN(set), &r, NULL);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        accepted[head] = r.throughput_gbps / 40.0;
        cop_result_free(&r);
    }
    assert_true(accepted[1] > 0.40 && accepted[0] < 0.30);
}

/* -- PAUSE per class -- */

/* Table I of Benito et al. on a small dragonfly: four classes, three for data and the one above for
 * notifications, which share the third on their first hop; sources always have a packet. */
static const char classes[] =
    "run: {duration: 60 us, drain: yes}\n"
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
    "link: {rate: 40 Gbit/s, delay: 40 ns, global_delay: 400 ns}\n"
    "switch: {architecture: cioq, speedup: 2, pipeline: 200 ns, lanes: 4, buffer: 100 kB,\n"
    "         host_buffer: 200 kB, output_buffer: 100 kB, vl_arbitration: strict}\n"
    "flow_control: {kind: on-off}\n"
    "nic: {mtu: 1000 B}\n"
    "traffic: [{name: t, pattern: group-adversarial, offset: 1, message: 1000 B}]\n";

/* Nothing is lost, and everything arrives; with the buffers of the table, and with hardly more than the
 * head-room of each link: 2 x 400 ns + 200 ns + 64 B at 5 B/ns and a packet, one more to go on, one to use. */
static void test_four_classes(void **state)
{
    (void)state;
    static const char *const routings[] = {"kind: dragonfly-min",
                                           "kind: dragonfly-valiant",
                                           "kind: ugal",
                                           "kind: ugal, progressive: yes",
                                           "kind: piggyback",
                                           "kind: pause",
                                           "kind: qcn-switch, packets: 10",
                                           "kind: qcn-switch, compare: no, packets: 10"};
    static const char *const patterns[] = {"uniform", "group-adversarial"};
    for (size_t i = 0; i < COP_LEN(routings); i++)
        for (size_t k = 0; k < COP_LEN(patterns); k++)
            for (int tight = 0; tight < 2; tight++) {
                bool told = strstr(routings[i], "qcn") != NULL;
                char routing[128], pattern[64];
                const char *const set[] = {
                    scn_text(routing, sizeof(routing), "routing={%s}", routings[i]),
                    scn_text(pattern, sizeof(pattern), "traffic.t.pattern=%s", patterns[k]),
                    told ? "cc={kind: qcn, react: no, w: 0, every: 10}" : "cc.kind=none",
                    told ? "nic.control_vl=2" : "nic.control_vl=-1",
                    tight ? "switch.buffer=9 kB" : "switch.buffer=100 kB",
                    tight ? "switch.host_buffer=9 kB" : "switch.host_buffer=200 kB"};
                cop_result r;
                scn_run(classes, set, COP_LEN(set), &r, NULL);
                if (r.outcome != COP_OUTCOME_OK || r.packets_lost != 0 ||
                    r.packets_delivered != r.packets_injected || r.packets_injected < 5000)
                    fail_msg("%s, %s, tight %d: %s, %u lost, %u of %u delivered", routings[i],
                             patterns[k], tight, r.detail, (unsigned)r.packets_lost,
                             (unsigned)r.packets_delivered, (unsigned)r.packets_injected);
                cop_result_free(&r);
            }
}

/* With less head-room than that a buffer overflows: the runs above did depend on it. */
static void test_head_room_is_needed(void **state)
{
    (void)state;
    static const char *const set[] = {"flow_control={kind: on-off, xoff: 1000 B, unsafe: yes}",
                                      "routing.kind=dragonfly-valiant", "switch.buffer=9 kB",
                                      "switch.host_buffer=9 kB"};
    cop_result r;
    scn_run(classes, set, COP_LEN(set), &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_LOSS);
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adversarial_throughput), cmocka_unit_test(test_path_lengths),
        cmocka_unit_test(test_old_decisions), cmocka_unit_test(test_four_classes),
        cmocka_unit_test(test_head_room_is_needed)};
    return cmocka_run_group_tests_name("dragonfly", tests, NULL, NULL);
}
