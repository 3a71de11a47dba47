/* Metrics know no unit of their own: over a run in which everything is a thousand times slower each one is as many
 * times smaller, or the same if it is a ratio. And they take a list of one. */
#include "metrics_fixture.h"

/* r as in study_fixture.h, t the same times 2^-10: numbers far below 1, and no rounding. */
#define SLOWER (1.0 / 1024)

static void test_slower_runs(void **state)
{
    static const struct {
        const char *of; /* with `?` for the run */
        int power; /* of what is smaller */
    } all[] = {
        {"?:mean('F1')", 1},
        {"?:mean('F1', '1 ms', '3 ms')", 1},
        {"?:sd('F1')", 1},
        {"?:min('F1', '3 ms', '6 ms')", 1},
        {"?:max('F1', '3 ms', '6 ms')", 1},
        {"?:steady('F1', '0 s', '10 ms')", 1},
        {"?:jitter('F1')", 0},
        {"?:rate('F1')", 1},
        {"?:rates('F1')[2]", 1},
        {"?:hotspot_rate()", 1},
        {"?:other_rate()", 1},
        {"?:received('h2')", 1},
        {"sum(?:hosts_received())", 1},
        {"?:received_mean(0, 1)", 1},
        {"?:total()", 1},
        {"?:per_host()", 1},
        {"?:accepted(10)", 1},
        {"?:normalised(10, '0 s', '4 ms')", 1},
        {"?:per_port('F1', 10)[4]", 1},
        {"?:scaled('F1', 3)[4]", 1},
        {"?:share('F1', {'F1', 'F2'}, '0 s', '4 ms')", 0},
        {"sum(?:samples({'F1', 'F2'}, '0 s', '4 ms'))", 1},
        {"?:treatment_variation({'F1', 'F2'}, '0 s', '4 ms')", 2},
        {"?:settled({'F1', 'F2'}, '0 s', '10 ms', 1.2, '1 ms')", 0},
        {"?:settled({'F1', 'F2'}, '0 s', '10 ms', 1.2, '2 ms')", 0},
        {"?:recovery('F1', 5.5 * scale, '0 s', '2 ms')", 0},
        {"?:delay('F1')", 0},
        {"?:latency('max')", 0},
        {"?:queue('s0.1')", 0},
        {"jain(?:rates('F1'))", 0},
        {"above(?:rate('F1/0'), ?:rate('F1/1'))", 0},
        {"apart(?:rate('F1/1'), ?:rate('F1/0'))", 0},
        {"falling(?:rates('F1'))", 0},
        {"trend(?:series('F1'), ?:series('F2'))", 0},
        {"correlation(?:series('F1'), ?:series('F2'))", 0},
        {"worst(?:rates('F1'), 2 * scale)", 0},
        {"inner_maximum(map(?:series('F1'), function(v) return v * (8 * scale - v) end))", 0},
        {"variance(?:rates('F1'))", 2},
        {"crossing({1, 2, 4}, {0, 10 * scale, 30 * scale}, 20 * scale)", 0},
        {"max_min({a = {'l'}, b = {'l', 'm'}}, {l = 10 * scale, m = 2 * scale}).a", 1},
    };
    stage *s = *state;
    must_read(s, HEAD "runs: [{name: r}, {name: t, set: {link.delay: 9 ns}}]\n", "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    store_point(s, 1, SLOWER, COP_OUTCOME_OK);
    find_points(s);
    cop_eval *e = open_expressions(s);
    for (size_t i = 0; i < COP_LEN(all); i++) {
        double value[2];
        for (int slow = 0; slow < 2; slow++) {
            char of[256];
            size_t n = 0;
            for (const char *c = all[i].of; *c; c++)
                of[n++] = *c == '?' ? (slow ? 't' : 'r') : *c;
            of[n] = '\0';
            cop_eval_bind(e, "scale", &(cop_case){.number = slow ? SLOWER : 1.0});
            cop_expr x = {of, "here"};
            if (cop_eval_number(e, &x, &value[slow]) != COP_EVAL_OK)
                fail_msg("%s: %s", of, cop_eval_why(e));
        }
        double want = value[0] * pow(SLOWER, all[i].power);
        if (!(fabs(value[1] - want) <= 1e-12 * fabs(want)))
            fail_msg("%s: %.17g, not %.17g", all[i].of, value[1], want);
    }
    cop_eval_close(e);
}

/* One flow, one value, one point. */
static void test_lists_of_one(void **state)
{
    static const answer all[] = {
        {"r:settled({'A'}, '0 s', '10 ms', 2, '2 ms')", 0.002},
        {"r:treatment_variation({'A'}, '0 s', '4 ms')", 0},
        {"r:share('A', {'A'}, '0 s', '4 ms')", 1},
        {"#r:samples({'B'}, '0 s', '4 ms')", 4},
        {"r:mean('A', '3 ms', '4 ms')", 4},
        {"r:sd('A', '3 ms', '4 ms')", 0},
        {"mean{7}", 7},
        {"variance{7}", 0},
        {"min{7} + max{7}", 14},
        {"jain{7}", 1},
        {"trend({1}, {2})", 0},
        {"correlation({1}, {2})", 0},
        {"worst({8}, 10)", 0.2},
        {"inner_maximum{7}", -1},
        {"crossing({3}, {9}, 5)", 3},
        {"same_set({1}, {1})", 1},
        {"max_min({a = {'l'}}, {l = 3}).a", 3},
        {"falling{7} == math.huge and 1 or 0", 1}, /* nothing that does not fall */
        {"tree_shares(3, 1)[1]", 0.5},
        {"row_shares(2, 1)[1]", 1},
        {"qcn_steps(64, 1 / 128, 1)", 1},
        {"round(2.5)", 3},
        {"round(-2.5)", -2},
        {"round(0.125, 2)", 0.13},
    };
    cop_eval *e = open_tree(*state);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* Of two hosts one is left out. */
static void test_one_host_is_left(void **state)
{
    static const answer all[] = {
        {"r:received_series('mean', 2, 'h1')[3]", 1},
        {"r:received_series('max', 2, 'h0')[3]", 2},
        {"#r:received_series('min', 2, 'h0')", 10},
        {"r:received_series('min', 2, 'h0').dt", 0.001},
    };
    static const refusal none = {"#r:received_series('mean', 2, 'h0')", COP_EVAL_FAULT,
                                 "here: no host is left"};
    stage *s = *state;
    cop_result r = make_tree();
    r.n_nodes = 2;
    cop_eval *e = open_run(s, &r);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
    cop_store_close(s->store);
    s->store = NULL;
    remove(s->db);
    r = make_tree();
    r.n_nodes = 1;
    e = open_run(s, &r);
    expect_refusals(e, &none, 1);
    cop_eval_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_STAGE(test_slower_runs), ON_STAGE(test_lists_of_one),
                                       ON_STAGE(test_one_host_is_left)};
    return cmocka_run_group_tests_name("metrics_scale", tests, NULL, NULL);
}
