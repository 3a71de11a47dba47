/* Claims about who gets what when switches serve their inputs in turn: the parking lot problem in rows,
 * trees and test beds. See claims_fixture.h. */
#include "claims_fixture.h"

/* -- shares of round robin -- */

/* gran0-25: f1 and f2 share an input, f3 is alone, one output. */
static void shared_input(void **state)
{
    (void)state;
    cop_result r;
    run_ok("run: {duration: 4 ms, warmup: 1 ms}\n"
           "topology: {kind: chain, hosts: [2, 2]}\n"
           "link: {rate: 10 Gbit/s}\n"
           "traffic:\n"
           "  - {name: f1, from: [0], pattern: fixed, to: 2}\n"
           "  - {name: f2, from: [1], pattern: fixed, to: 2}\n"
           "  - {name: f3, from: [3], pattern: fixed, to: 2}\n",
           NULL, 0, &r);
    near("gran0-25", scn_gbps(&r, "f1"), 2.5, 0.02);
    near("gran0-25", scn_gbps(&r, "f2"), 2.5, 0.02);
    near("gran0-25", scn_gbps(&r, "f3"), 5.0, 0.02);
    cop_result_free(&r);
}

/* gran2-35: turns by sources; three share an input, two are alone. With one queue per input and with matching, too. */
static void turns_by_sources(void **state)
{
    (void)state;
    static const char *const set[][2] = {{"queueing.kind=voqsw", "switch.architecture=ib"},
                                         {"queueing.kind=1q", "switch.architecture=ib"},
                                         {"queueing.kind=voqnet", "switch.architecture=ib"},
                                         {"queueing.kind=voqsw", "switch.architecture=iq"},
                                         {"queueing.kind=voqsw", "switch.architecture=cioq"}};
    for (size_t i = 0; i < COP_LEN(set); i++) {
        cop_result r;
        run_ok("run: {duration: 4 ms, warmup: 1 ms}\n"
               "topology: {kind: chain, hosts: [3, 3]}\n"
               "link: {rate: 10 Gbit/s}\n"
               "switch: {arbitration: flows}\n"
               "traffic:\n"
               "  - {name: f1, from: [0], pattern: fixed, to: 3}\n"
               "  - {name: f2, from: [1], pattern: fixed, to: 3}\n"
               "  - {name: f3, from: [2], pattern: fixed, to: 3}\n"
               "  - {name: f4, from: [4], pattern: fixed, to: 3}\n"
               "  - {name: f5, from: [5], pattern: fixed, to: 3}\n",
               set[i], 2, &r);
        near("gran2-35, shared", scn_gbps(&r, "f1"), 2.0, 0.01);
        near("gran2-35, shared", scn_gbps(&r, "f2"), 2.0, 0.01);
        near("gran2-35, shared", scn_gbps(&r, "f3"), 2.0, 0.01);
        near("gran2-35, alone", scn_gbps(&r, "f4"), 2.0, 0.01);
        near("gran2-35, alone", scn_gbps(&r, "f5"), 2.0, 0.01);
        cop_result_free(&r);
    }
}

static void epochs(const char *topology, const char *trunk, cop_result *r)
{
    char yaml[1024];
    scn_text(yaml, sizeof(yaml),
             "run: {duration: 10 ms, sample: 50 us}\n"
             "topology: {%s}\n"
             "link: {rate: 16 Gbit/s, trunk_rate: %s}\n"
             "nic: {inject_rate: 13 Gbit/s, receive_rate: 13 Gbit/s}\n"
             "traffic:\n"
             "  - {name: H1, from: [0], pattern: fixed, to: 3}\n"
             "  - {name: H2, from: [1], pattern: fixed, to: 4, start: 2 ms}\n"
             "  - {name: H3, from: [2], pattern: fixed, to: 4, start: 4 ms}\n"
             "  - {name: H6, from: [5], pattern: fixed, to: 4, start: 6 ms}\n"
             "  - {name: H7, from: [6], pattern: fixed, to: 4, start: 8 ms}\n",
             topology, trunk);
    run_ok(yaml, NULL, 0, r);
}

/* Rates of the five flows in each epoch of 2 ms, over its last 60 %, against parts of 13 Gbit/s. */
static void check_epochs(const cop_result *r, const char *row, const double share[5][5],
                         double tolerance)
{
    static const char *const flow[] = {"H1", "H2", "H3", "H6", "H7"};
    for (unsigned e = 0; e < 5; e++)
        for (unsigned f = 0; f < 5; f++) {
            cop_time begin = e * 2 * COP_MS;
            double got = window(r, flow[f], begin + 800 * COP_US, begin + 2 * COP_MS);
            char what[64];
            scn_text(what, sizeof(what), "%s, epoch %u, %s", row, e, flow[f]);
            near(what, got, 13.0 * share[e][f], tolerance);
        }
}

/* gran1-1 to gran1-4, gran2-19 to gran2-21: S-2sw7, one flow more per epoch; F1 (H1) is the victim.
 * The narrowest of the rows' tolerances is used for all. */
static void two_switches_seven_hosts(void **state)
{
    (void)state;
    static const double share[5][5] = {{1},
                                       {1, 1},
                                       {1.0 / 2, 1.0 / 2, 1.0 / 2},
                                       {1.0 / 4, 1.0 / 4, 1.0 / 4, 1.0 / 2},
                                       {1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 3, 1.0 / 3}};
    cop_result r;
    epochs("kind: chain, hosts: [3, 4]", "32 Gbit/s", &r);
    check_epochs(&r, "gran1-1..4, gran2-19..21", share, 0.04);
    cop_result_free(&r);
}

/* gran2-1 to gran2-5: S-1sw7, the same flows in one switch: equal parts, no victim. */
static void one_switch_seven_hosts(void **state)
{
    (void)state;
    static const double share[5][5] = {{1},
                                       {1, 1},
                                       {1, 1.0 / 2, 1.0 / 2},
                                       {1, 1.0 / 3, 1.0 / 3, 1.0 / 3},
                                       {1, 1.0 / 4, 1.0 / 4, 1.0 / 4, 1.0 / 4}};
    cop_result r;
    epochs("kind: single, hosts: 7", "16 Gbit/s", &r);
    check_epochs(&r, "gran2-1..5", share, 0.02);
    cop_result_free(&r);
}

/* All to host 0 of a k-ary 3-tree. A source that meets the others' traffic l levels up has its part
 * divided at every switch on the way: by k at the destination's leaf, by k at level 2, by k - 1 at
 * the root, and by k at each switch below the turn. */
static void tree_shares(int k, const char *duration, double near_tol, double mid_tol,
                        double far_tol)
{
    char yaml[512];
    cop_result r;
    scn_text(yaml, sizeof(yaml),
             "run: {duration: %s, warmup: 4 ms}\n"
             "topology: {kind: kary-ntree, k: %d, n: 3}\n"
             "link: {rate: 16 Gbit/s}\n"
             "switch: {buffer: 4 KiB}\n"
             "nic: {mtu: 512 B}\n"
             "traffic:\n"
             "  - {name: all, pattern: all-to-one, to: 0, message: 512 B}\n",
             duration, k);
    run_ok(yaml, NULL, 0, &r);
    double x = k, far = 1.0 / (x * x * x * x * x - x * x * x * x), sum = 0.0; /* gran2-28 */
    assert_int_equal(r.n_streams, k * k * k - 1);
    for (uint32_t s = 0; s < r.n_streams; s++) {
        double part = r.stream[s].gbps / 16.0;
        int host = (int)r.stream[s].host;
        sum += part;
        if (host < k)
            near("gran2-25, gran2-30", part, 1 / x, near_tol);
        else if (host < k * k)
            near("gran2-26, gran2-30", part, 1 / (x * x * x), mid_tol);
        else
            near("gran2-27, gran2-30", part, far, far_tol);
    }
    near("gran2-31", sum, 1.0, 1e-3);
    cop_result_free(&r);
}

static void parking_lot_in_trees(void **state)
{
    (void)state;
    tree_shares(4, "30 ms", 0.02, 0.03, 0.05);
    tree_shares(2, "8 ms", 0.03, 0.03, 0.03);
}

/* gran2-32: M inputs that want one output get 1/M each. */
static void round_robin_shares(void **state)
{
    (void)state;
    for (unsigned m = 2; m <= 8; m++) {
        char yaml[512];
        cop_result r;
        scn_text(yaml, sizeof(yaml),
                 "run: {duration: 3 ms, warmup: 1 ms}\n"
                 "topology: {kind: single, hosts: 9}\n"
                 "link: {rate: 40 Gbit/s}\n"
                 "traffic:\n"
                 "  - {name: f, from: \"0-%u\", pattern: fixed, to: 8}\n",
                 m - 1);
        run_ok(yaml, NULL, 0, &r);
        assert_int_equal(r.n_streams, m);
        for (uint32_t s = 0; s < m; s++)
            near("gran2-32", r.stream[s].gbps, 40.0 / m, 0.01);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_input),
        cmocka_unit_test(turns_by_sources),
        cmocka_unit_test(two_switches_seven_hosts),
        cmocka_unit_test(one_switch_seven_hosts),
        cmocka_unit_test(parking_lot_in_trees),
        cmocka_unit_test(round_robin_shares),
    };
    return cmocka_run_group_tests_name("claims_shares", tests, NULL, NULL);
}
