/* Metrics of runs over time, of streams and of hosts: closed-form answers over results made by hand.
 * Each metric of `coppice list metrics` has an answer here or in test_metrics_net, and tells a wrong
 * argument from a right one (test_metrics_args). */
#include "metrics_fixture.h"

static void test_metrics(void **state)
{
    static const answer all[] = {
        {"r:mean('F1', '0 s', '10 ms')", 5.5},
        {"r:mean('F1')", 6.5}, /* after the warm-up of 2 ms: 3 to 10 */
        {"r:mean('throughput/F1', 0.001, 0.003)", 2.5},
        {"r:sd('F1', '0 s', '4 ms')", 1.2909944487358056},
        {"r:min('F1', '2 ms', '4 ms')", 3},
        {"r:max('F1', '2 ms', '4 ms')", 4},
        {"r:steady('F1', '0 s', '10 ms')", 7.5}, /* 4 to 10 ms: 5 to 10 */
        {"r:steady('F1', '2 ms', '7 ms')", 6}, /* 4 to 7 ms: 5, 6, 7 */
        {"r:jitter('F1', '0 s', '4 ms')", 1.2909944487358056 / 2.5},
        {"#r:window('F1', '1 ms', '3 ms')", 2},
        {"#r:window('F1', '1.5 ms', '3.5 ms')", 1}, /* only whole bins */
        {"r:rate('F1')", 4},
        {"r:rate('F1/1')", 1},
        {"#r:rates('F1')", 2},
        {"r:delay('F1')", (10 * 100 + 30 * 200) / 40.0},
        {"r:hotspot_rate()", 1},
        {"r:other_rate()", 3},
        {"#r:held(1)", 3}, /* all send 0.5 */
        {"r:sent_by('C')[1]", 0.5},
        {"#r:sent_by('B')", 0},
        {"r:received(1)", 2},
        {"r:received('h2')", 4},
        {"r:total()", 7},
        {"r:per_host()", 7.0 / 3},
        {"r:treatment_variation({'F1', 'F2'}, '0 s', '4 ms')", 1.0 / 3}, /* gaps 1, 0, 1, 0 */
        {"r:share('F1', {'F1', 'F2'}, '0 s', '4 ms')", 2.5 / 5.5},
        {"r:normalised(10, '0 s', '4 ms')", 5.5 / 30},
        {"r:latency()", 2000},
        {"r:latency('max')", 3000},
        {"r:accepted(10)", 7.0 / 30},
        {"r:utilisation('s0.1')", 1},
        {"r:queue('s0.1 > h1')", 5000},
        {"#r:tree(1000)", 1},
        {"r:series('F2')[4]", 4},
        {"r:series('F1').dt", 0.001},
        {"r:scalar('events')", 1000},
        {"r:streams()[2].latency_ns", 200},
        {"r:streams()[3].dst == nil and 1 or 0", 1},
        {"r:nodes()[1].role == 'V' and 1 or 0", 1},
        {"r:ports()[2].max_queue_bytes", 9000},
        {"r:flows()[1].bytes", 4000},
        {"r:info().warmup", 0.002},
        {"r:outcome() == 'ok' and 1 or 0", 1},
        {"twice", 14}, /* a let that uses a let, both of names that metrics use */
        {"off:rate('F1')", 4}, /* a block without axes is its run */
    };
    stage *s = *state;
    must_read(s,
              HEAD "let: {r: \"on{d = 10}\", sum: 'r:total()', twice: '2 * sum'}\n"
                   "runs: [{name: off, set: {link.delay: 99 ns}},"
                   " {name: on, vary: {d: {key: link.delay, values: [10 ns, 20 ns]}}}]\n",
              "full");
    for (size_t i = 0; i < 3; i++)
        store_point(s, i, 1, COP_OUTCOME_OK);
    find_points(s);
    cop_eval *e = open_expressions(s);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* On lists and numbers; no run is needed. */
static void test_functions(void **state)
{
    static const answer all[] = {
        {"variance{1, 2, 3, 4}", 5.0 / 3},
        {"variance{1, 3}", 2},
        {"sd{2}", 0},
        {"min(3, 2) + min{5, 4} + max(1, 2) + max{7, 9}", 17},
        {"sum(map({1, 2}, function(v) return v * v end))", 5},
        {"jain{1, 1, 1}", 1},
        {"jain{1, 0}", 0.5},
        {"jain{0, 0}", 1}, /* none is worse off */
        {"jain{0.5, 0}", 0.5}, /* whatever the size */
        {"jain{1, 2, 3}", 36 / (3 * 14.0)},
        {"above(2, 1)", 0.5},
        {"above(1, 2)", -0.5},
        {"above(0, 0)", 0},
        {"above(0.5, 0.25)", 0.5},
        {"above(-0.25, -0.5)", 0.5},
        {"above(-1, 3)", -4.0 / 3},
        {"apart(1, 2)", 0.5},
        {"falling{4, 2, 1}", 0.5},
        {"falling{4, 2, 3}", -1.0 / 3},
        {"trend({1, 2, 3}, {2, 4, 9})", 1},
        {"trend({1, 2, 3}, {9, 4, 2})", -1},
        {"trend({1, 2, 3}, {1, 1, 2})", 0.5}, /* ties are no trend: ranks 2, 1, 3 */
        {"trend({1, 2, 3}, {1, 2, 2})", 0.5}, /* 1, 3, 2 */
        {"trend({1, 2, 3}, {2, 2, 1})", -0.5}, /* and no falling one */
        {"trend({1, 2, 3, 4}, {1, 2, 2, 3})", 0.8},
        {"trend({1, 2, 3, 4}, {1, 2, 2, 1})", 0}, /* -1 to 0.6 */
        {"trend({1, 2, 3, 4}, {1, 3, 2, 4})", 0.8}, /* 1 - 6 * 2 / (4 * 15) */
        {"trend({1, 2, 3, 4}, {4, 3, 1, 2})", -0.8}, /* 1 - 6 * 18 / (4 * 15) */
        {"trend({5, 1, 4, 2, 3}, {1, 2, 3, 4, 5})", -0.3}, /* 1 - 6 * 26 / (5 * 24) */
        {"trend({1, 2}, {0.1, 0.2})", 1},
        {"trend({5, 5, 5, 7}, {1, 2, 3, 4})",
         0.77459666924148340}, /* ranks 2, 2, 2, 4: 3 / sqrt 15 */
        {"trend({1, 1, 1}, {1, 2, 3})", 0},
        {"trend({1, 2, 3}, {5, 5, 5})", 0},
        {"inner_maximum{1, 2, 1.5}", 0.25},
        {"inner_maximum{3, 2, 1}", -1},
        {"inner_maximum{1, 2, 3}", -1},
        {"inner_maximum{-4, -2, -3}", 0.5},
        {"tmax(0.5, 0.4, 0.5, 10)", 5.5},
        {"seconds('2 ms')", 0.002},
        {"sum{}", 0},
        {"mean{1, 2, 6}", 3},
        {"round(2.345, 2)", 2.35},
        {"round(2.5) + round(-2.4)", 3 - 2},
        {"same_set({1, 2, 2}, {2, 1})", 1},
        {"same_set({1, 2}, {1})", 0},
        {"same_set({1}, {1, 2})", 0},
        {"worst({9, 12}, 10)", 0.2},
        {"worst({9, 12}, {10, 12})", 0.1},
        {"worst({-9, -12}, -10)", 0.2},
        {"worst({}, 10)", 0},
        {"correlation({1, 2, 3}, {2, 4, 6})", 1},
        {"correlation({1, 2, 3}, {6, 4, 2})", -1},
        {"correlation({0, 0.1}, {0.1, 0.2})", 1},
        {"correlation({1, 2, 3, 4}, {1, -1, -1, 1})", 0},
        {"correlation({1, 2}, {3, 3})", 0}, /* no line at all */
        {"correlation({3, 3}, {1, 2})", 0},
        {"correlation({0, 0, 1, 1}, {0, 1, 0, 3})", 0.40824829046386302}, /* 1 / sqrt(1 * 6) */
        {"crossing({1, 2, 4}, {0, 10, 30}, 20)", 3},
        {"crossing({1, 2, 4}, {0, 10, 30}, 40)", 4}, /* never */
        {"crossing({1, 2, 3}, {0, 10, 10}, 10)", 2}, /* reached is passed */
        {"crossing({1, 2, 4}, {5, 10, 30}, 1)", 1}, /* from the start */
        /* A 4-ary 2-tree: 3 neighbours and what comes down share the last link; 3 branches share that. */
        {"tree_shares(4, 2)[1]", 1.0 / 4},
        {"tree_shares(4, 2)[2]", 1.0 / 4 / 3 / 4},
        {"3 * tree_shares(4, 2)[1] + 12 * tree_shares(4, 2)[2]", 1}, /* nothing is left over */
        {"tree_shares(4, 1)[1]", 1.0 / 3},
        /* A 2-ary 3-tree: half of the last link for the neighbour, half of the rest for the two next
         * ones, the rest for the four behind the top. */
        {"tree_shares(2, 3)[1]", 1.0 / 2},
        {"tree_shares(2, 3)[2]", 1.0 / 4 / 2},
        {"tree_shares(2, 3)[3]", 1.0 / 4 / 4},
        {"row_shares(3, 3)[1]", 0.5},
        {"row_shares(3, 3)[3]", 0.125},
        {"cct(3, 2)", 9 * 7 / 4.0},
        {"guide_increment(12, 10)", 2},
        {"guide_increment(60, 10)", 5},
        {"guide_delay_us(6)", 4},
        {"burst_bound(1, 4, 64)", 1},
        {"burst_bound(0, 4, 64)", 4 / 64.0},
        {"qcn_factor(-64, 1 / 128)", 0.5},
        {"qcn_steps(64, 1 / 128, 0.25)", 3}, /* 0.5, 0.25, then below */
        {"address_cells(8, 65)", 56},
        {"max_min({a = {'l'}, b = {'l', 'm'}}, {l = 10, m = 2}).a", 8},
        {"max_min({a = {'l'}, b = {'l', 'm'}}, {l = 10, m = 2}).b", 2},
        {"max_min({a = {'l'}, b = {'l'}, c = {'l'}}, {l = 0.3}).c", 0.1},
    };
    static const refusal faults[] = {
        {"mean{}", COP_EVAL_FAULT, "the mean of no values"},
        {"sd{}", COP_EVAL_FAULT, "the mean of no values"},
        {"max{}", COP_EVAL_FAULT, "of no values"},
        {"min({})", COP_EVAL_FAULT, "of no values"},
        {"sum(3)", COP_EVAL_FAULT, "here: "},
        {"mean{'a'}", COP_EVAL_FAULT, "here: "},
        {"seconds('2 parsec')", COP_EVAL_FAULT, "parsec"},
        {"seconds({})", COP_EVAL_FAULT, "here: "},
    };
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_eval *e = open_expressions(s);
    expect_answers(e, all, COP_LEN(all));
    expect_refusals(e, faults, COP_LEN(faults));
    cop_eval_close(e);
}

/* A: 1 to 10 Gbit/s in bins of 1 ms, B: 10 to 1. Hosts take in 2, 4, 6, and as A. */
static void test_over_time(void **state)
{
    static const answer all[] = {
        {"r:window('A', '3 ms', '5 ms')[1]", 4},
        {"r:window('A', '3 ms', '5 ms')[2]", 5},
        {"#r:window('A')", 8}, /* after the warm-up */
        {"r:recovery('A', 5.5, '0 s', '2 ms')", 0.004}, /* bins 5 and 6 */
        {"r:recovery('A', 5.5, '2 ms', '2 ms')", 0.002},
        {"r:recovery('A', 1, '0 s', '1 ms')", 0},
        {"r:recovery('A', 11, '4 ms', '1 ms')", 0.006}, /* never: all that is left */
        {"r:recovery('A', 5.5, '0 s', '1.5 ms')", 0.004}, /* the nearest number of bins, two */
        {"r:recovery('A', 5.5, '0 s', '1.4 ms')", 0.005},
        {"r:recovery('A', 5.5, '0 s', '0.1 ms')", 0.005}, /* one at least */
        {"r:recovery('A', 9.5, '0 s', '2 ms')", 0.008}, /* the last two */
        {"#r:samples({'A', 'B'}, '0 s', '2 ms')", 4},
        {"r:samples({'A', 'B'}, '0 s', '2 ms')[2]", 2},
        {"r:samples({'A', 'B'}, '0 s', '2 ms')[3]", 10},
        {"r:treatment_variation({'A', 'B'}, '0 s', '4 ms')", 20.0 / 3}, /* gaps 9, 7, 5, 3 */
        {"r:settled({'A', 'B'}, '0 s', '7 ms', 2, '1 ms')", 0.003}, /* 3 and 8 is the last pair */
        {"r:settled({'A', 'B'}, '0 s', '7 ms', 2, '2 ms')", 0.004}, /* 7 and 15 */
        {"r:settled({'A', 'B'}, '0 s', '10 ms', 2, '1 ms')", 0.010},
        {"r:settled({'A', 'B'}, '0 s', '7 ms', 2, '1.5 ms')", 0.004}, /* the same: two bins */
        {"r:settled({'A', 'B'}, '0 s', '7 ms', 1.75, '1 ms')",
         0.003}, /* 4 and 7: as much, not more */
        {"r:settled({'A', 'A'}, '0 s', '10 ms', 2, '2 ms')", 0.002}, /* not known sooner */
        {"r:share('B', {'A', 'B'}, '0 s', '2 ms')", 19.0 / 22},
        {"r:normalised(5, '0 s', '10 ms')", 11.0 / 20},
        {"r:per_port('A', 10)[1]", 1.0 / 40},
        {"r:per_port('A', 10)[3]", 3.0 / 40},
        {"#r:per_port('A', 10)", 10},
        {"r:per_port('A', 10).dt", 0.001},
        {"r:received_series('min', 2)[1]", 0.5},
        {"r:received_series('min', 2)[10]", 1},
        {"r:received_series('max', 2)[10]", 5},
        {"r:received_series('mean', 2)[2]", 1.75},
        {"r:received_series('mean', 2, 'h3')[7]", 2},
        {"r:received_series('max', 2).dt", 0.001},
        {"r:scaled('A', 0.5)[4]", 2},
        {"#r:scaled('A', 0.5)", 10},
        {"r:scaled('A', 0.5).dt", 0.001},
    };
    cop_eval *e = open_tree(*state);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* Streams: U from h0 and h1, W from h3. Hosts send 2, 4, 0, 8 and receive 1, 2, 3, 6 Gbit/s. */
static void test_streams_and_hosts(void **state)
{
    static const answer all[] = {
        {"r:streams_of('U')", 2},
        {"r:streams_of('U/1')", 1},
        {"r:streams_of('W')", 1},
        {"r:rates('U')[1]", 2},
        {"r:rates('U')[2]", 4},
        {"#r:hosts_received()", 4},
        {"sum(r:hosts_received())", 12},
        {"r:hosts_received()[4]", 6},
        {"r:received_mean(1, 2)", 2.5},
        {"r:received_mean(0, 3)", 3},
        {"r:hotspot_rate()", 3}, /* h2 */
        {"r:other_rate()", 3}, /* 1, 2 and 6 */
        {"#r:sent_by('C')", 1}, /* h2 is silent */
        {"#r:held(5)", 2},
        {"r:held(5)[2] == 'h1' and 1 or 0", 1},
        {"#r:held(4)", 1}, /* less, not as much */
        {"r:injected_by_switch()[1]", 3},
        {"r:injected_by_switch()[2]", 4},
        {"#r:injected_by_switch()", 2}, /* s2 has no hosts */
        {"#r:injected_by_switch(1)", 1},
        {"r:hops()", 4.6},
        {"r:latency('min')", 1000},
        {"r:latency('p50') <= r:latency('p99') and 1 or 0", 1},
    };
    cop_eval *e = open_tree(*state);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* Streams and bins in which nothing arrived have no part in means and gaps. */
static void test_what_got_nothing_is_left_out(void **state)
{
    static const answer all[] = {
        {"r:delay('F1')", 100}, /* of the other stream */
        {"r:rate('F1')", 4}, /* but rates are added up */
        /* F1 1 to 4 Gbit/s, F2 2, 0, 4, 4: gaps 1, 1 and 0 */
        {"r:treatment_variation({'F1', 'F2'}, '0 s', '4 ms')", 1.0 / 3},
    };
    cop_result r;
    make_synthetic(&r, 1);
    r.stream[1].packets = 0;
    r.stream[1].latency_mean_ns = 0;
    r.series[1].v[1] = 0;
    cop_eval *e = open_run(*state, &r);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_metrics),
        ON_STAGE(test_functions),
        ON_STAGE(test_over_time),
        ON_STAGE(test_streams_and_hosts),
        ON_STAGE(test_what_got_nothing_is_left_out),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
