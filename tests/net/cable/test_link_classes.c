/* Buffers and lanes by class of link: hosts, trunks, and the global links of a dragonfly. What a class
 * has acts on its links and on no others; a lane that a link does not have is never used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "named.h"
#include "scenario.h"

/* -- buffers -- */

/* Two switches, or two groups of one: one flow over a long link between them, and one that stays. */
#define LONG_LINK                                                                                  \
    "run: {duration: 20 ms}\n"                                                                     \
    "link: {rate: 10 Gbit/s, delay: 20 ns, trunk_delay: 5 us, global_delay: 5 us}\n"               \
    "switch: {pipeline: 100 ns, header: 64 B, buffer: 1 MiB}\n"                                    \
    "nic: {mtu: 2 KiB}\n"                                                                          \
    "traffic:\n"                                                                                   \
    "  - {name: far, from: [0], pattern: fixed, to: 2}\n"                                          \
    "  - {name: near, from: [1], pattern: fixed, to: 0}\n"

/* n packets per round trip: out and back, header and pipeline, and the packet on the next link. */
static double bound_gbps(double packets, double delay_ns)
{
    return packets * 2048 * 8 / (2 * delay_ns + 51.2 + 100.0 + 1638.4);
}

static void test_buffers_of_a_class(void **state)
{
    (void)state;
    static const struct {
        const char *network, *option;
        bool far; /* the flow between the switches is the one that is limited */
    } cases[] = {
        {"topology: {kind: chain, hosts: [2, 2]}\n", "switch.trunk_buffer=4 KiB", true},
        {"topology: {kind: dragonfly, p: 2, a: 1, h: 1}\n", "switch.global_buffer=4 KiB", true},
        {"topology: {kind: chain, hosts: [2, 2]}\n", "switch.host_buffer=4 KiB", false},
        {"topology: {kind: chain, hosts: [2, 2]}\n", "switch.global_buffer=4 KiB", false},
        {"topology: {kind: dragonfly, p: 2, a: 1, h: 1}\n", "switch.trunk_buffer=4 KiB", false}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char yaml[1024];
        cop_result r;
        scn_text(yaml, sizeof(yaml), "%s" LONG_LINK, cases[i].network);
        scn_run(yaml, &cases[i].option, 1, &r, NULL);
        double far = scn_gbps(&r, "far"), near = scn_gbps(&r, "near");
        double want = cases[i].far ? bound_gbps(2, 5000) : 10.0;
        assert_true(far > want * 0.998 && far <= want);
        assert_true(near > 9.98); /* two packets are enough on a short link */
        cop_result_free(&r);
    }
    assert_true(bound_gbps(2, 5000) > 2.77 && bound_gbps(2, 5000) < 2.79); /* docs/MODEL.md */
}

static void test_inherited_buffers(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 100 us}\ntopology: {kind: dragonfly, p: 1, a: 2, h: 1}\n"
        "switch: {buffer: 8 KiB}\ntraffic: [{pattern: uniform}]\n";
    static const char *const given[] = {"switch.host_buffer=8 KiB", "switch.trunk_buffer=8 KiB",
                                        "switch.global_buffer=8 KiB"};
    static const char *const other[] = {"switch.host_buffer=inherit", "switch.trunk_buffer=16 KiB",
                                        "switch.global_buffer=4 KiB"};
    cop_result a, b, c;
    scn_run(yaml, NULL, 0, &a, NULL);
    scn_run(yaml, given, COP_LEN(given), &b, NULL);
    scn_run(yaml, other, COP_LEN(other), &c, NULL);
    assert_true(a.run_hash == b.run_hash && a.run_hash != c.run_hash);
    assert_true(scalar(&a, "input_memory_bytes") == 2 * 8192); /* two lanes */
    assert_true(scalar(&c, "input_memory_bytes") == 2 * 16384); /* of the largest input */
    assert_true(scalar(&c, "hardware.ram_bytes_per_port") == 2 * 16384);
    cop_result_free(&a);
    cop_result_free(&b);
    cop_result_free(&c);
}

/* -- lanes -- */

/* Unused lanes may be left out: nothing changes but the memory. */
static void test_unused_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *network, *with, *without[3];
        double sections; /* of the largest input, without */
    } cases[] = {{"topology: {kind: dragonfly, p: 2, a: 4, h: 2}\nrouting: {kind: "
                  "dragonfly-valiant, to: group}\n",
                  "switch.lanes=auto",
                  {"switch.host_lanes=1", "switch.trunk_lanes=3", "switch.global_lanes=2"},
                  3},
                 {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}\nrouting: {kind: dragonfly-min}\n",
                  "switch.lanes=8",
                  {"switch.host_lanes=1", "switch.trunk_lanes=2", "switch.global_lanes=1"},
                  2},
                 {"topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: adaptive-cube}\n",
                  "switch={buffer: 8 KiB, lanes: 5, host_lanes: 1}",
                  {"switch.host_lanes=1", "switch.trunk_lanes=5", "switch.global_lanes=1"},
                  5},
                 {"topology: {kind: fat-tree, ports: 4, levels: 2}\n",
                  "switch.lanes=4",
                  {"switch.host_lanes=1", "switch.trunk_lanes=1", "switch.global_lanes=1"},
                  1}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char yaml[1024];
        cop_result a, b;
        const char *const all[] = {cases[i].with, cases[i].without[0], cases[i].without[1],
                                   cases[i].without[2]};
        scn_text(yaml, sizeof(yaml),
                 "run: {duration: 100 us, drain: yes}\n%sswitch: {buffer: 8 KiB}\n"
                 "traffic: [{pattern: uniform, message: 3 kB}]\n",
                 cases[i].network);
        scn_run(yaml, all, 1, &a, NULL);
        scn_run(yaml, all, 4, &b, NULL);
        assert_int_equal(b.outcome, COP_OUTCOME_OK);
        assert_true(a.run_hash == b.run_hash);
        assert_true(scalar(&b, "input_sections") == cases[i].sections);
        assert_true(scalar(&b, "input_memory_bytes") == cases[i].sections * 8192);
        cop_result_free(&a);
        cop_result_free(&b);
    }
}

/* Control packets with lanes of their own have them on every link, or are refused: with the lanes that are asked for
 * all arrives, with one less on any class of links nothing begins. To hosts they come on the first of theirs. */
static void test_control_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        int host, trunk, global; /* lanes that are enough; 0: no such links */
        int control, lanes; /* 0: control packets from lane 1 on, 5 lanes */
    } cases[] = {
        {"topology: {kind: torus, radix: [3, 4]}\nrouting: {kind: dor, lanes: 2}\n", 2, 3, 0, 0, 0},
        {"topology: {kind: torus, radix: [3, 4]}\nrouting: {kind: dor}\n", 5, 5, 0, 0, 0},
        {"topology: {kind: torus, radix: [3, 4]}\nrouting: {kind: adaptive-cube}\n", 4, 6, 0, 3, 6},
        {"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-min}\n", 2, 3, 2,
         0, 0},
        {"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}\n", 5,
         8, 6, 4, 8},
        {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}\nrouting: {kind: ugal}\n", 2, 3, 2, 0, 0}};
    for (size_t i = 0; i < COP_LEN(cases); i++)
        for (int less = -1; less < 3; less++) {
            char yaml[1024], global[40];
            int lanes[] = {cases[i].host, cases[i].trunk, cases[i].global};
            cop_result r;
            cop_err err = {0};
            if (less >= 0 && --lanes[less] < 0)
                continue;
            global[0] = '\0';
            if (lanes[2])
                scn_text(global, sizeof(global), ", global_lanes: %d", lanes[2]);
            scn_text(yaml, sizeof(yaml),
                     "run: {duration: 30 us, drain: yes}\n%s"
                     "switch: {buffer: 8 KiB, lanes: %d, host_lanes: %d, trunk_lanes: %d%s}\n"
                     "nic: {mtu: 1000 B, ack: packet, control_vl: %d}\n"
                     "traffic: [{pattern: uniform, message: 3 kB}]\n",
                     cases[i].network, cases[i].lanes ? cases[i].lanes : 5, lanes[0], lanes[1],
                     global, cases[i].control ? cases[i].control : 1);
            int rc = scn_run(yaml, NULL, 0, &r, &err);
            if (less >= 0) {
                assert_int_equal(rc, -COP_E_INPUT);
                continue;
            }
            if (rc != 0)
                fail_msg("%s", err.text);
            assert_int_equal(r.outcome, COP_OUTCOME_OK);
            assert_true(r.packets_delivered > 100 && r.packets_in_flight == 0);
            cop_result_free(&r);
        }
}

/* With shared lanes fewer of them leave more for all: as if the network had so many. */
static void test_shared_lanes(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 100 us}\ntopology: {kind: chain, hosts: [3, 3]}\n"
                               "switch: {buffer: 16 KiB, shared_lanes: yes}\n"
                               "traffic: [{pattern: uniform, arrival: poisson, load: 95 %}]\n";
    static const char *const one[] = {"switch.lanes=1"}, *const four[] = {"switch.lanes=4"};
    static const char *const less[] = {"switch.lanes=4", "switch.host_lanes=1",
                                       "switch.trunk_lanes=1"};
    cop_result a, b, c;
    scn_run(yaml, one, 1, &a, NULL);
    scn_run(yaml, four, 1, &b, NULL);
    scn_run(yaml, less, COP_LEN(less), &c, NULL);
    assert_true(a.run_hash == c.run_hash && a.run_hash != b.run_hash);
    cop_result_free(&a);
    cop_result_free(&b);
    cop_result_free(&c);
}

/* -- what is refused -- */

static void refused(const char *network, const char *const *set, size_t n, const char *says)
{
    char yaml[1024];
    cop_result r;
    cop_err err = {0};
    scn_text(yaml, sizeof(yaml), "run: {duration: 10 us}\n%straffic: [{pattern: uniform}]\n",
             network);
    assert_int_equal(scn_run(yaml, set, n, &r, &err), -COP_E_INPUT);
    if (strstr(err.text, says) == NULL)
        fail_msg("`%s` does not say `%s`", err.text, says);
}

#define REFUSED(network, says, ...)                                                                \
    refused(network, (const char *const[]){__VA_ARGS__},                                           \
            COP_LEN(((const char *const[]){__VA_ARGS__})), says)

static void test_lanes_that_packets_need(void **state)
{
    (void)state;
    static const char dragonfly[] = "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
                                    "routing: {kind: dragonfly-valiant, to: group}\n";
    static const char torus[] = "topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: dor}\n";
    static const char mesh[] = "topology: {kind: mesh, radix: [4, 4]}\nrouting: {kind: dor}\n";
    static const char tree[] = "topology: {kind: kary-ntree, k: 2, n: 2}\n";
    REFUSED(dragonfly, "uses lane 2 at s0.2; give switch.trunk_lanes at least 3",
            "switch.trunk_lanes=2");
    REFUSED(dragonfly, "give switch.global_lanes at least 2", "switch.global_lanes=1");
    REFUSED(torus, "routing dor uses lane 1", "switch.trunk_lanes=1");
    REFUSED(mesh, "routing dor uses lane 2 at s0.4; give switch.host_lanes at least 3",
            "switch.lanes=3", "switch.host_lanes=2");
    REFUSED(mesh, "routing dor uses lane 3 at s0.0; give switch.trunk_lanes at least 4",
            "switch.lanes=4", "switch.trunk_lanes=1");
    REFUSED(tree, "switch.trunk_lanes 4 exceed switch.lanes 2", "switch.lanes=2",
            "switch.trunk_lanes=4");
    REFUSED(tree, "queueing vftree spreads packets over 2 lanes; give switch.trunk_lanes as many",
            "queueing.kind=vftree", "queueing.lanes=2", "switch.trunk_lanes=1");
    REFUSED(tree, "nic.control_vl 1 does not exist on links with switch.host_lanes 1",
            "switch.lanes=2", "nic.control_vl=1", "switch.host_lanes=1");
    REFUSED(tree, "switch.trunk_buffer 1 KiB is too small; at least 2 KiB for one packet",
            "switch.trunk_buffer=1 KiB");
    REFUSED(tree, "switch.trunk_buffer 4 KiB is too small; at least 8 KiB for the reserves",
            "switch.trunk_buffer=4 KiB", "switch.shared_lanes=yes", "switch.lanes=4");
    REFUSED(dragonfly, "switch.global_buffer 1 KiB is too small; at least 2 KiB for one packet",
            "switch.global_buffer=1 KiB");
    REFUSED(tree, "host_lanes: `0` is out of range; give 1 .. 16, or inherit",
            "switch.host_lanes=0");
}

/* `lanes: auto` is what the routing wants, or as many as links of hosts shall have if that is more; fewer of these take nothing from the others. */
static void test_lanes_of_hosts_alone(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double lanes;
    } cases[] = {
        {"switch.host_lanes=1", 3}, {"switch.host_lanes=3", 3}, {"switch.host_lanes=6", 6}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        scn_run("run: {duration: 10 us}\ntopology: {kind: torus, radix: [4, 4]}\n"
                "routing: {kind: true-adaptive}\ntraffic: [{pattern: uniform}]\n",
                (const char *const[]){cases[i].set}, 1, &r, NULL);
        assert_true(scalar(&r, "input_sections") == cases[i].lanes);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffers_of_a_class),     cmocka_unit_test(test_inherited_buffers),
        cmocka_unit_test(test_unused_lanes),           cmocka_unit_test(test_lanes_of_hosts_alone),
        cmocka_unit_test(test_control_lanes),          cmocka_unit_test(test_shared_lanes),
        cmocka_unit_test(test_lanes_that_packets_need)};
    return cmocka_run_group_tests_name("link_classes", tests, NULL, NULL);
}
