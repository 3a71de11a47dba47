/* Isolation of congested flows together with throttling of their sources: small networks with known
 * answers.
 *
 * The hybrids free the victim and share the bottleneck fairly, where isolation alone leaves the
 * parking lot; throttling by the same detector without queues; what is marked; and that notifications
 * pass the data that causes them. Isolation by itself: test_isolation.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isolation_fixture.h"
#include "net/net.h"

/* -- the sources are throttled -- */

/* Paper V, configuration 1 with all flows: fbicm frees the victim, and the parking lot stays
 * (gran5-8, gran5-9); ccfit and ecocc also share the bottleneck fairly (gran5-10, gran6-33). */
static void test_hybrids_are_fair(void **state)
{
    (void)state;
    static const char config1[] = "run: {duration: 8 ms, warmup: 2 ms}\n"
                                  "topology: {kind: chain, hosts: [3, 4]}\n"
                                  "link: {rate: 2.5 GB/s, trunk_rate: 5 GB/s, delay: 20 ns}\n"
                                  "traffic:\n"
                                  "  - {name: F0, from: [0], pattern: fixed, to: 3}\n"
                                  "  - {name: near, from: [5, 6], pattern: fixed, to: 4}\n"
                                  "  - {name: far, from: [1, 2], pattern: fixed, to: 4}\n";
    static const char *const one_read_port[] = {"switch.architecture=cioq", "switch.speedup=1",
                                                "switch.output_buffer=4 KiB"};
    const struct {
        const char *queueing, *cc;
        double ratio; /* near : far, at most (at least, if isolation is alone) */
    } cases[] = {{"queueing.kind=fbicm", "cc.kind=none", 1.8},
                 {"queueing.kind=fbicm", "cc.kind=ccfit", 1.3},
                 {"queueing={kind: hfdi, root_stop: yes}", "cc.kind=ecocc", 1.6}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        const char *set[5] = {cases[i].queueing, cases[i].cc};
        size_t n = 2;
        for (size_t k = 0; i < 2 && k < COP_LEN(one_read_port); k++)
            set[n++] = one_read_port[k];
        cop_result r;
        run_ok(config1, set, n, &r);
        near(scn_gbps(&r, "F0"), 20.0, i == 0 ? 0.02 : 0.06);
        double ratio = scn_gbps(&r, "near") / scn_gbps(&r, "far");
        if (i == 0)
            assert_true(ratio > cases[i].ratio);
        else
            assert_true(ratio < cases[i].ratio && ratio > 1.0 / cases[i].ratio);
        assert_true(scn_gbps(&r, "near") + scn_gbps(&r, "far") > 18.0);
        assert_true((scalar(&r, "notifications") > 0) == (i > 0));
        cop_result_free(&r);
    }
}

/* Throttling alone: the same detector, no queues (gran5-6). */
static void test_throttling_alone(void **state)
{
    (void)state;
    static const char *const set[] = {"queueing.kind=hfdi", "queueing.queues=0", "cc.kind=ith",
                                      "run.duration=8 ms", "run.warmup=2 ms"};
    cop_result r;
    run_ok(two_switches, set, COP_LEN(set), &r);
    assert_true(scn_gbps(&r, "victim") > 9.5);
    assert_true(scn_gbps(&r, "hot") > 8.5);
    assert_int_equal(scalar(&r, "isolation.sent_allocate"), 0);
    for (uint32_t s = 0; s < r.n_streams; s++)
        if (strcmp(r.stream[s].entry, "hot") == 0)
            near(r.stream[s].gbps, scn_gbps(&r, "hot") / 3, 0.1);
    cop_result_free(&r);
}

/* gran5-32: if queues upstream stop before the root is above `high`, only packets that were under way
 * lift it there, and few are marked. */
static void test_stop_below_high(void **state)
{
    (void)state;
    static const char *const sets[][5] = {
        {"queueing.kind=fbicm", "cc.kind=ccfit", "queueing.detect=3", "queueing.stop=10",
         "queueing.go=4"},
        {"queueing.kind=fbicm", "cc.kind=ccfit", "queueing.detect=3", "queueing.stop=2",
         "queueing.go=1"}};
    cop_result r;
    run_ok(two_switches, sets[0], 5, &r);
    double marks = scalar(&r, "fecn");
    assert_true(marks > 100);
    cop_result_free(&r);
    run_ok(two_switches, sets[1], 5, &r);
    assert_true(scalar(&r, "isolation.sent_stop") > 100);
    assert_true(scalar(&r, "fecn") < marks / 2);
    cop_result_free(&r);
}

/* -- notifications pass data -- */

static uint16_t answer_all(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    (void)net, (void)host, (void)p;
    return COP_PKT_CNP | COP_PKT_BECN;
}

static void time_of(struct cop_net *net, void *flow, const cop_pkt *p)
{
    union {
        const void *in;
        cop_time *out;
    } longest = {.in = cop_net_cc_cfg(net)};
    (void)flow;
    if (cop_net_now(net) - p->t_inj > *longest.out)
        *longest.out = cop_net_now(net) - p->t_inj;
}

/* The longest way of a notification from its source to the one that it is for. */
static cop_time longest_answer(const char *yaml, const char *set)
{
    static const cop_cc_ops timing = {.name = "timing",
                                      .flow_size = 8,
                                      .at_destination.on_deliver = answer_all,
                                      .at_source.on_control = time_of};
    cop_config c;
    cop_result r;
    cop_err err = {0};
    cop_time longest = 0;
    const cop_override sets[] = {{.text = set}};
    assert_int_equal(cop_config_load(&c, "test.yaml", yaml, sets, 1, &err), 0);
    c.cc = &timing;
    c.cc_cfg = &longest;
    assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    cop_result_free(&r);
    cop_config_free(&c);
    return longest;
}

/* gran5-34: notifications never wait in special queues, and go before data. Here they share a link
 * with data for a busy host, of which 32 packets (52 us) wait in the only queue behind it. In front of
 * data they meet at each of three hops no more than the packet under way and one that is due. */
static void test_control_first(void **state)
{
    (void)state;
    static const char shared[] = "run: {duration: 1 ms}\n"
                                 "topology: {kind: chain, hosts: [3, 3]}\n"
                                 "link: {rate: 10 Gbit/s, trunk_rate: 10 Gbit/s, delay: 20 ns}\n"
                                 "queueing: {kind: fbicm, queues: 0}\n"
                                 "traffic:\n"
                                 "  - {name: busy, from: [1], pattern: fixed, to: 4}\n"
                                 "  - {name: too, from: [5], pattern: fixed, to: 4}\n"
                                 "  - {name: asks, from: [3], pattern: fixed, to: 0,\n"
                                 "     arrival: poisson, load: 20 %}\n";
    assert_true(longest_answer(shared, "queueing.control_first=yes") < 10 * COP_US);
    assert_true(longest_answer(shared, "queueing.control_first=no") > 40 * COP_US);
}

/* The same with a queue per output (M-ccfit-ia for hfdi). The host that answers sends to the busy one
 * itself, so its answers share with its data the queue of the trunk, which moves at half the rate of a
 * link. Ahead of them they wait, at the source and in the first switch, for the room of one packet
 * (3.3 us); behind them for a buffer of 32 (105 us). The switches differ in size and have two lanes. */
static void test_control_first_voq(void **state)
{
    (void)state;
    static const char shared[] = "run: {duration: 2 ms}\n"
                                 "topology: {kind: chain, hosts: [2, 4]}\n"
                                 "link: {rate: 10 Gbit/s, trunk_rate: 10 Gbit/s, delay: 20 ns}\n"
                                 "switch: {lanes: 2}\n"
                                 "queueing: {kind: hfdi, queues: 0}\n"
                                 "traffic:\n"
                                 "  - {name: busy, from: [0], pattern: fixed, to: 3}\n"
                                 "  - {name: too, from: [4], pattern: fixed, to: 3}\n"
                                 "  - {name: asks, from: [2], pattern: fixed, to: 0,\n"
                                 "     arrival: poisson, load: 20 %}\n";
    assert_true(longest_answer(shared, "queueing.control_first=yes") < 10 * COP_US);
    assert_true(longest_answer(shared, "queueing.control_first=no") > 80 * COP_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hybrids_are_fair),  cmocka_unit_test(test_throttling_alone),
        cmocka_unit_test(test_stop_below_high),   cmocka_unit_test(test_control_first),
        cmocka_unit_test(test_control_first_voq),
    };
    return cmocka_run_group_tests_name("isolation hybrids", tests, NULL, NULL);
}
