/* Isolation: what single rules of Papers V and VI do to a network, and the options where their words can
 * be read in two ways. What the schemes achieve: test_isolation.c. */
#include "isolation_fixture.h"

/* Paper VI, 3.1.2: stop and go are between special queues. The queue of the root's output stops no
 * queue, so it takes the whole buffer of the way that it shares with the victim, whatever waits in
 * special queues upstream: both get one packet in turn. */
static void test_root_takes_the_buffer(void **state)
{
    (void)state;
    static const char *const sets[][2] = {
        {"queueing={kind: hfdi, local: no}", "queueing.root_stop=no"},
        {"queueing={kind: hfdi, local: no}", "queueing.root_stop=yes"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        run_ok(two_switches, sets[i], 2, &r);
        near(scn_gbps(&r, "victim"), i ? 10.0 : 10.0 / 3, 0.02);
        near(scn_gbps(&r, "hot"), 10.0, 0.01);
        assert_true(scalar(&r, "isolation.moved") > 0);
        assert_true((scalar(&r, "isolation.sent_stop") > 100) == (i == 1));
        cop_result_free(&r);
    }
}

/* Paper VI, 3.1.2: stop "the second time the HTh threshold is reached". The root is at switch 2, special
 * queues follow each other at switches 0 and 1. While that at switch 0 is stopped it only grows: it stops
 * host 0 in turn, or it is never at the threshold again and takes the buffer that the other flow needs. */
static void test_second_time(void **state)
{
    (void)state;
    static const char three_switches[] =
        "run: {duration: 2 ms, warmup: 500 us}\n"
        "topology: {kind: chain, hosts: [2, 0, 7]}\n"
        "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
        "traffic:\n"
        "  - {name: hot, from: [0, 3-8], pattern: fixed, to: 2}\n"
        "  - {name: victim, from: [0], pattern: fixed, to: 1}\n";
    static const char *const sets[][2] = {
        {"queueing={kind: hfdi, local: no}", "queueing.second=packet"},
        {"queueing={kind: hfdi, local: no}", "queueing.second=crossing"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        run_ok(three_switches, sets[i], 2, &r);
        near(scn_gbps(&r, "hot"), 10.0, 0.01);
        if (i == 0) /* all that the hot flow leaves of the link */
            near(scn_gbps(&r, "victim"), 60.0 / 7, 0.03);
        else /* at most a packet for each hot one */
            assert_true(scn_gbps(&r, "victim") < 10.0 / 7);
        cop_result_free(&r);
    }
}

/* Paper V, III-C: a queue two hops from the congested point does not put its output into the congestion
 * state. With `go` 1 the root's queue is empty and given back before it lets the one upstream go on, which
 * then holds more than `high` packets: it is no root all the same, and its output marks nothing. */
static void test_branch_stays_branch(void **state)
{
    (void)state;
    static const char chain[] = "run: {duration: 2 ms}\n"
                                "topology: {kind: chain, hosts: [2, 3]}\n"
                                "link: {rate: 10 Gbit/s, trunk_rate: 10 Gbit/s, delay: 20 ns}\n"
                                "queueing: {kind: fbicm, go: 1}\n"
                                "cc: {kind: ccfit, longest: 1 ns}\n" /* marks, but no throttling */
                                "traffic:\n"
                                "  - {name: near, from: [3, 4], pattern: fixed, to: 2}\n"
                                "  - {name: far, from: [0], pattern: fixed, to: 2,"
                                " arrival: constant, load: 38 %}\n";
    cop_result r;
    run_ok(chain, NULL, 0, &r);
    assert_true(scalar(&r, "isolation.sent_deallocate") > 20); /* it happens all the time */
    assert_true(scalar(&r, "fecn") > 500);
    assert_int_equal(scalar(&r, "fecn_at/s1.0"), scalar(&r, "fecn"));
    cop_result_free(&r);
}

/* Six senders to one node of a two-level tree. A special queue follows a line of the next switch; when
 * that one is given up while another lists the same node, it must follow the other. Else nothing stops it
 * any more, and those that are stopped get nothing. */
static void test_follows_other_line(void **state)
{
    (void)state;
    static const char tree_of_16[] = "run: {duration: 3 ms, warmup: 1 ms}\n"
                                     "topology: {kind: kary-ntree, k: 4, n: 2}\n"
                                     "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                                     "switch: {architecture: ib}\n"
                                     "queueing: {kind: hfdi, local: no, root_stop: yes}\n"
                                     "traffic:\n"
                                     "  - {name: f1, from: [1], pattern: fixed, to: 3}\n"
                                     "  - {name: f2, from: [2], pattern: fixed, to: 3}\n"
                                     "  - {name: f5, from: [5], pattern: fixed, to: 3}\n"
                                     "  - {name: f9, from: [9], pattern: fixed, to: 3}\n"
                                     "  - {name: f10, from: [10], pattern: fixed, to: 3}\n"
                                     "  - {name: f13, from: [13], pattern: fixed, to: 3}\n";
    cop_result r;
    run_ok(tree_of_16, NULL, 0, &r);
    /* Inputs in turn: a third each for f1, f2 and the way from above; a third of that per leaf; a half for
     * f9 and f10. */
    near(scn_gbps(&r, "f1"), 10.0 / 3, 0.01);
    near(scn_gbps(&r, "f2"), 10.0 / 3, 0.01);
    near(scn_gbps(&r, "f5"), 10.0 / 9, 0.02);
    near(scn_gbps(&r, "f13"), 10.0 / 9, 0.02);
    near(scn_gbps(&r, "f9"), 10.0 / 18, 0.03);
    near(scn_gbps(&r, "f10"), 10.0 / 18, 0.03);
    cop_result_free(&r);
}

/* Supplement of Paper VI, 6: a CAM line of FBICM stores a set of destinations. Three hosts send through one
 * link to 8 or 16 nodes: one special queue isolates the tree if its line can list them all. If not, the others
 * stay in the normal queue, and in the way of the flow that shares it. */
static void test_set_of_destinations(void **state)
{
    (void)state;
    static const char tree[] = "run: {duration: 2 ms, warmup: 500 us}\n"
                               "topology: {kind: chain, hosts: [4, 16]}\n"
                               "link: {rate: 10 Gbit/s, trunk_rate: 10 Gbit/s, delay: 20 ns}\n"
                               "switch: {architecture: iq}\n"
                               "queueing: {kind: fbicm, queues: 1}\n"
                               "traffic:\n"
                               "  - {name: hot, from: [0-2], pattern: list, to_order: random,"
                               " to_list: [4-11]}\n"
                               "  - {name: victim, from: [0], pattern: fixed, to: 3}\n";
    static const char *const nodes[] = {"traffic.0.to_list=[4-11]", "traffic.0.to_list=[4-19]"};
    static const struct {
        const char *set;
        bool enough[2]; /* for 8 and 16 nodes */
    } sizes[] = {{"queueing.destinations=1", {false, false}},
                 {"queueing.destinations=8", {true, false}},
                 {"queueing.destinations=16", {true, true}}};
    for (size_t i = 0; i < COP_LEN(sizes); i++)
        for (size_t n = 0; n < COP_LEN(nodes); n++) {
            cop_result r;
            const char *set[] = {sizes[i].set, nodes[n]};
            run_ok(tree, set, 2, &r);
            near(scn_gbps(&r, "hot"), 10.0, 0.01);
            if (sizes[i].enough[n])
                assert_true(scn_gbps(&r, "victim") > 7.5);
            else
                assert_true(scn_gbps(&r, "victim") < 3.0);
            cop_result_free(&r);
        }
}

/* Where packets of a special queue wait for a root further on, roots-last lets those of other inputs pass, too:
 * the victim waits less, and the root has no less for that. With normal-first inputs take turns. */
static void test_roots_last(void **state)
{
    (void)state;
    static const char chain[] =
        "run: {duration: 10 ms, warmup: 500 us}\n"
        "topology: {kind: chain, hosts: [3, 4]}\n"
        "link: {rate: 10 Gbit/s, trunk_rate: 12 Gbit/s, delay: 20 ns}\n"
        "traffic:\n"
        "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
        "  - {name: victim, from: [0], pattern: fixed, to: 3, arrival: poisson, rate: 7 Gbit/s}\n";
    static const char *const kinds[] = {"queueing={kind: fbicm}", "queueing={kind: recn}",
                                        "queueing={kind: hfdi}"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        double wait[2];
        for (int last = 0; last < 2; last++) {
            const char *set[] = {kinds[i], last ? "queueing.priority=roots-last"
                                                : "queueing.priority=normal-first"};
            cop_result r;
            run_ok(chain, set, 2, &r);
            near(scn_gbps(&r, "hot"), 10.0, 0.01);
            for (uint32_t s = 0; s < r.n_streams; s++) {
                if (strcmp(r.stream[s].entry, "hot") == 0)
                    near(r.stream[s].gbps, 10.0 / 3, 0.01);
                else
                    wait[last] = r.stream[s].latency_mean_ns;
            }
            cop_result_free(&r);
        }
        assert_true(wait[1] < 0.92 * wait[0]);
    }
    cop_config c;
    cop_err err = {0};
    cop_override set[] = {{.text = "queueing={kind: fbicm, priority: roots-last}"},
                          {.text = "switch.arbitration=age"}};
    cop_result r;
    assert_int_equal(cop_config_load(&c, "chain", chain, set, 2, &err), 0);
    assert_int_equal(cop_run(&c, NULL, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "switch.arbitration=age: the queueing scheme decides among"));
    cop_config_free(&c);
}

/* An adaptive routing spreads a congested flow over the four ways up of a switch. Each takes a special queue and up to `stop`
 * (10) packets of 2 KiB: with two queues and 64 KiB inputs run out of both, and deliver 0.51 to 0.54 of what hfdi does with three
 * seeds; with a queue and 20 KiB for each of 8 ports 1.01 to 1.06. `coppice check` warns of the first, test_facts.c. */
static void test_room_for_spread_flows(void **state)
{
    (void)state;
    static const char tree[] =
        "run: {duration: 300 us, warmup: 150 us}\n"
        "topology: {kind: kary-ntree, k: 4, n: 3}\n"
        "routing: {kind: adaptive-tree}\n"
        "link: {rate: 10 Gbit/s}\n"
        "switch: {buffer: 64 KiB}\n"
        "traffic:\n"
        "  - {from: [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56], pattern: fixed,\n"
        "     to: 63}\n"
        "  - {from: [2, 6, 10, 14, 18, 22, 26, 30, 34], pattern: fixed, to: 62}\n"
        "  - {from: [38, 42, 46, 50, 54, 58], pattern: fixed, to: 1}\n"
        "  - {from: [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39,\n"
        "     41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 60, 61], pattern: uniform}\n";
    static const char *const sets[][3] = {
        {"queueing.kind=hfdi"},
        {"queueing.kind=fbicm"},
        {"queueing.kind=fbicm", "queueing.queues=8", "switch.buffer=256 KiB"}};
    double gbps[COP_LEN(sets)];
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        run_ok(tree, sets[i], i < 2 ? 1 : 3, &r);
        gbps[i] = r.throughput_gbps;
        cop_result_free(&r);
    }
    assert_true(gbps[1] < 0.6 * gbps[0]);
    assert_true(gbps[2] > 0.95 * gbps[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_takes_the_buffer), cmocka_unit_test(test_second_time),
        cmocka_unit_test(test_branch_stays_branch),   cmocka_unit_test(test_follows_other_line),
        cmocka_unit_test(test_set_of_destinations),   cmocka_unit_test(test_roots_last),
        cmocka_unit_test(test_room_for_spread_flows),
    };
    return cmocka_run_group_tests_name("isolation rules", tests, NULL, NULL);
}
