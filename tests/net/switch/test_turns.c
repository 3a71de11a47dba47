/* Switches with one read port per input: inputs and outputs that become free at different instants
 * must meet all the same (net/switch/turn.h). Without that rule F0 of the tree got nothing, and so did `a`
 * of the single switch. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

/* Four flows to node 6 and one, F1, to node 4; a buffer per destination. At each switch on the way
 * to node 6 two busy inputs share an output: F4 has half of the last link, F0 half of the rest, F2 and F3
 * what remains. F1 shares only the first link with F0, and has what F0 leaves. */
static void test_shares_in_a_tree(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 3 ms, warmup: 1 ms}\n"
                               "topology: {kind: kary-ntree, k: 2, n: 3}\n"
                               "routing: {kind: det}\n"
                               "link: {rate: 20 Gbit/s, delay: 20 ns}\n"
                               "switch: {buffer: 4 KiB}\n"
                               "queueing: {kind: voqnet}\n"
                               "nic: {mtu: 2 KiB}\n"
                               "traffic:\n"
                               "  - {name: F1, from: [1], pattern: fixed, to: 4}\n"
                               "  - {name: F0, from: [0], pattern: fixed, to: 6, start: 100 us}\n"
                               "  - {name: F4, from: [4], pattern: fixed, to: 6, start: 200 us}\n"
                               "  - {name: F2, from: [2], pattern: fixed, to: 6, start: 300 us}\n"
                               "  - {name: F3, from: [3], pattern: fixed, to: 6, start: 300 us}\n";
    static const char *const sets[][2] = {
        {"switch.architecture=iq", "switch.matching=islip"},
        {"switch.architecture=iq", "switch.matching=rrm"},
        {"switch.architecture=iq", "switch.iterations=1"},
        {"switch.architecture=ib", "switch.iterations=1"},
    };
    static const struct {
        const char *flow;
        double gbps;
    } want[] = {{"F0", 5.0}, {"F1", 15.0}, {"F2", 2.5}, {"F3", 2.5}, {"F4", 10.0}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        scn_run(yaml, sets[i], 2, &r, NULL);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        for (size_t k = 0; k < COP_LEN(want); k++)
            assert_true(fabs(scn_gbps(&r, want[k].flow) - want[k].gbps) < 0.01 * want[k].gbps);
        cop_result_free(&r);
    }
}

/* Any phase between two senders. Both want host 3, the first also host 4; its share at host 3 is a
 * third at least, because it accepts its two outputs in turn and chance favours neither sender. */
static void test_any_phase(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 400 us, warmup: 100 us}\n"
                               "topology: {kind: single, hosts: 5}\n"
                               "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                               "switch: {architecture: iq, buffer: 4 KiB}\n"
                               "queueing: {kind: voqnet}\n"
                               "nic: {mtu: 2 KiB, order: round-robin}\n"
                               "traffic:\n"
                               "  - {name: a, from: [0], pattern: fixed, to: 3, message: 2 KiB, "
                               "start: 5 us}\n"
                               "  - {name: b, from: [1], pattern: fixed, to: 3, message: 2 KiB}\n"
                               "  - {name: c, from: [0], pattern: fixed, to: 4, message: 2 KiB}\n";
    static const char *const policies[] = {"round-robin", "age", "random"};
    static const double least[] = {7.9, 7.9, 16.0 / 3.0 * 0.9};
    for (size_t p = 0; p < COP_LEN(policies); p++)
        for (unsigned offset = 0; offset < 1024; offset += 128) {
            char arb[64], start[64];
            const char *const set[] = {
                scn_text(arb, sizeof(arb), "switch.arbitration=%s", policies[p]),
                scn_text(start, sizeof(start), "traffic.1.start=%u ns", offset)};
            cop_result r;
            scn_run(yaml, set, 2, &r, NULL);
            assert_true(scn_gbps(&r, "a") > least[p]);
            assert_true(scn_gbps(&r, "b") > least[p]);
            assert_true(scn_gbps(&r, "c") > least[p]);
            cop_result_free(&r);
        }
}

/* Outputs that wait for a busy input lose time: not much, even if all queues are always full. */
static void test_busy_rule_costs_little(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 1 ms, warmup: 200 us}\n"
            "topology: {kind: kary-ntree, k: 4, n: 2}\n"
            "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
            "switch: {architecture: iq, buffer: 64 KiB}\n"
            "traffic: [{name: u, pattern: uniform, message: 4 KiB}]\n",
            NULL, 0, &r, NULL);
    /* 15.35 of 16 Gbit/s per host before outputs waited for inputs. */
    assert_true(scn_gbps(&r, "u") > 16 * 15.2);
    cop_result_free(&r);
}

/* One input of a switch with more than 64 ports has packets for eight outputs at any time, and reads one
 * packet at a time: outputs take turns, whatever their numbers. */
static void test_outputs_beyond_64_take_turns(void **state)
{
    (void)state;
    static const char *const lists[] = {"[2, 3, 4, 63]", "[62, 63, 64, 65]", "[64, 65, 66, 67]",
                                        "[2, 40, 66, 71]"};
    for (size_t i = 0; i < COP_LEN(lists); i++) {
        char yaml[1024];
        cop_result r;
        scn_text(yaml, sizeof(yaml),
                 "run: {duration: 1 ms, warmup: 500 us, flows: yes}\n"
                 "topology: {kind: chain, hosts: [2, 70]}\n"
                 "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                 "switch: {architecture: iq, buffer: 128 KiB}\n"
                 "queueing: {kind: voqsw}\n"
                 "traffic: [{from: [0, 1], pattern: list, to_list: %s, message: 2 KiB}]\n",
                 lists[i]);
        scn_run(yaml, NULL, 0, &r, NULL);
        uint64_t least = UINT64_MAX, most = 0, all = 0;
        for (uint32_t h = 2; h < r.n_hosts; h++) {
            uint64_t bytes = (uint64_t)(r.node[h].received_gbps * 1000.0);
            if (bytes == 0)
                continue;
            least = bytes < least ? bytes : least;
            most = bytes > most ? bytes : most;
            all += bytes;
        }
        assert_in_range(all, 9900, 10100); /* Mbit/s: the read port */
        assert_in_range(least, 2400, 2600);
        assert_in_range(most, 2400, 2600);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_in_a_tree),
        cmocka_unit_test(test_any_phase),
        cmocka_unit_test(test_busy_rule_costs_little),
        cmocka_unit_test(test_outputs_beyond_64_take_turns),
    };
    return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
