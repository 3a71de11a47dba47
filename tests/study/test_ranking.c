/* Rankings of a study: what is left out with a reason, settings of one scale, the order of rows and when
 * they share a rank; as JSON, as text within a width, and as CSV. */
#include "report/report.h"
#include "verdict_fixture.h"

/* d = 10, 20, 30 ns (rows), b = small or big (tables); two seeds. 30 ns and big is left out. */
#define PLAN                                                                                       \
    HEAD "seeds: 2\n"                                                                              \
         "vary: {b: {small: {switch.buffer: 8 KiB}, big: {switch.buffer: 9 KiB}},"                 \
         " d: {key: link.delay, values: [10 ns, 20 ns, 30 ns]}}\n"                                 \
         "leave_out: [{b: big, d: [30 ns], why: too far for it}]\n"

static void must_not_read(stage *s, const char *text, const char *want)
{
    assert_int_not_equal(stage_read(s, text, "full", NULL), 0);
    if (strstr(s->err.text, want) == NULL)
        fail_msg("%s, not %s", s->err.text, want);
}

static const char *filled(cop_arena *a, const char *figure)
{
    return cop_arena_printf(a, PLAN "figures:\n%s", figure);
}

static void test_left_out_is_not_planned(void **state)
{
    stage *s = *state;
    must_read(s,
              PLAN "let: {f: \"function(d, b) return all{d = d, b = b}:total() end\"}\n"
                   "checks: {gone: {of: {of: \"f(30, 'big')\", min: 0}}}\n",
              "full");
    assert_int_equal(s->plan.per_seed, 5);
    assert_int_equal(s->plan.n_points, 10);
    const cop_block *b = &s->study.block[0];
    uint32_t gone[] = {1, 2}, last[] = {1, 1};
    assert_null(cop_plan_find(&s->plan, b, gone, 0));
    assert_null(cop_plan_find(&s->plan, b, gone, 1));
    assert_string_equal(cop_block_gap(b, gone), "too far for it");
    assert_null(cop_block_gap(b, last));
    assert_ptr_equal(cop_plan_find(&s->plan, b, last, 1), &s->plan.point[9]);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 5; i++) {
            cop_point *p = &s->plan.point[k * 5 + i];
            assert_ptr_equal(cop_plan_find(&s->plan, b, p->value, k), p);
        }
    for (size_t i = 0; i < 10; i++)
        store_point(s, i, 1.0, COP_OUTCOME_OK);
    find_points(s);
    judged j = judge(s);
    assert_string_equal(j.r.verdict[0].state, "not-run");
    assert_non_null(strstr(j.r.verdict[0].measured, "too far for it"));
    cop_arena_free(&j.arena);
}

static void test_faults_of_gaps(void **state)
{
    static const struct {
        const char *gap, *want;
    } bad[] = {
        {"leave_out: {d: 10 ns}", "`leave_out` is not a list"},
        {"leave_out: [10 ns]", "what is left out is not a map"},
        {"leave_out: [{d: 10 ns}]", "`why` is missing"},
        {"leave_out: [{e: 10 ns, why: w}]", "no axis is called `e`"},
        {"leave_out: [{d: 11 ns, why: w}]", "axis `d` has no value 11 ns"},
        {"leave_out: [{d: [10 ns, 11 ns], why: w}]", "axis `d` has no value 11 ns"},
        {"leave_out: [{d: [10 ns, 20 ns], why: w}]", "`leave_out` leaves nothing to run"},
    };
    stage *s = *state;
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        cop_arena a = {0};
        must_not_read(
            s,
            cop_arena_printf(&a, HEAD "vary: {d: {key: link.delay, values: [10 ns, 20 ns]}}\n%s\n",
                             bad[i].gap),
            bad[i].want);
        cop_arena_free(&a);
    }
}

static void test_settings_of_a_scale(void **state)
{
    static const char text[] = HEAD
        "vary: {b: {small: {switch.buffer: 8 KiB, full: {switch.buffer: 20 KiB, link.delay: 90 ns},"
        " quick: {link.delay: 70 ns}}}}\n";
    stage *s = *state;
    must_read(s, text, "full");
    assert_non_null(strstr(s->plan.config, "buffer: 20 KiB"));
    assert_non_null(strstr(s->plan.config, "delay: 90 ns"));
    must_read(s, text, "quick");
    assert_non_null(strstr(s->plan.config, "buffer: 8 KiB"));
    assert_non_null(strstr(s->plan.config, "delay: 70 ns"));
    must_not_read(s, HEAD "set: {full: {quick: {link.delay: 1 ns}}}\n",
                  "settings of a scale inside those of a scale");
    must_not_read(s, HEAD "set: {full: 3}\n", "settings are not a map");
}

/* Store the runs of PLAN; what they deliver is `factor` times 7 Gbit/s, in the order of the plan. */
static void store_all(stage *s, const double *factor)
{
    for (size_t i = 0; i < s->plan.n_points; i++)
        store_point(s, i, factor[i], COP_OUTCOME_OK);
    find_points(s);
}

#define RANKING                                                                                    \
    "  - {name: r, kind: ranking, over: d, for: b, rank: rate, groups: {near: [10 ns, 20 ns]},\n"  \
    "     series: [{name: rate, unit: Gbit/s, better: high, of: 'all{d = x, b = s}:total()'},\n"   \
    "              {name: cost, better: low, log: true, of: '2 * x'}]}\n"

static json_t *tab(const json_t *f, size_t i)
{
    return json_array_get(json_object_get(f, "tabs"), i);
}

static const json_t *row(const json_t *f, size_t t, size_t i)
{
    return json_array_get(json_object_get(tab(f, t), "rows"), i);
}

static void same_row(const json_t *f, size_t t, size_t i, const char *name, int rank, bool tied)
{
    const json_t *r = row(f, t, i);
    assert_string_equal(json_string_value(json_object_get(r, "name")), name);
    if (rank == 0)
        assert_true(json_is_null(json_object_get(r, "rank")));
    else
        assert_int_equal(json_integer_value(json_object_get(r, "rank")), rank);
    assert_int_equal(json_is_true(json_object_get(r, "tied")), tied);
}

static void test_order_and_shared_ranks(void **state)
{
    /* small: 1 and 2 are clearly apart, 3 cannot be told from 2: 5 above it once, 1 below once. */
    static const double factor[] = {1.0, 4.0, 9.0, 2.0, 2.0, 1.0, 4.5, 3.0, 2.0, 2.0};
    cop_arena a = {0};
    stage *s = *state;
    must_read(s, filled(&a, RANKING), "full");
    store_all(s, factor);
    judged j = judge(s);
    json_t *f = json_loads(j.r.figure[0].spec, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(f, "rank")), 0);
    assert_string_equal(json_string_value(json_object_get(f, "rows")), "d");
    assert_int_equal(json_array_size(json_object_get(f, "seeds")), 2);
    same_row(f, 0, 0, "30 ns", 1, false);
    same_row(f, 0, 1, "20 ns", 1, true);
    /* 10 ns: 2 to 8 below the best, an interval that holds 0 as well with two seeds */
    same_row(f, 0, 2, "10 ns", 1, true);
    /* big: equals share a rank, and what is left out comes last */
    same_row(f, 1, 0, "10 ns", 1, false);
    same_row(f, 1, 1, "20 ns", 1, true);
    same_row(f, 1, 2, "30 ns", 0, false);
    assert_string_equal(json_string_value(json_object_get(row(f, 1, 2), "why")), "too far for it");
    assert_null(json_object_get(row(f, 1, 1), "why"));
    assert_string_equal(json_string_value(json_object_get(row(f, 0, 1), "group")), "near");
    assert_string_equal(json_string_value(json_object_get(row(f, 0, 0), "group")), "");
    const json_t *c = json_array_get(json_object_get(row(f, 0, 1), "cells"), 0);
    assert_float_equal(json_number_value(json_object_get(c, "v")), 7 * 4.25, 1e-6);
    /* Student's t with one degree of freedom: 12.706 times half the distance of the two */
    assert_float_equal(json_number_value(json_object_get(c, "ci")), 12.706 * 7 * 0.25, 1e-2);
    assert_float_equal(json_number_value(json_array_get(json_object_get(c, "seeds"), 1)), 31.5,
                       1e-6);
    c = json_array_get(json_object_get(row(f, 0, 0), "cells"), 1);
    assert_float_equal(json_number_value(json_object_get(c, "v")), 60.0, 1e-6);
    json_decref(f);
    cop_arena_free(&j.arena);
    cop_arena_free(&a);
}

/* Seeds that agree: every row has a rank of its own, from the least cost. */
static void test_low_is_better(void **state)
{
    static const double factor[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    cop_arena a = {0};
    stage *s = *state;
    must_read(s,
              filled(&a, "  - {name: r, kind: ranking, over: d, rank: cost,\n"
                         "     series: [{name: cost, better: low, of: '3 * x'}]}\n"),
              "full");
    store_all(s, factor);
    judged j = judge(s);
    json_t *f = json_loads(j.r.figure[0].spec, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(f, "tabs")), 1);
    same_row(f, 0, 0, "10 ns", 1, false);
    same_row(f, 0, 1, "20 ns", 2, false);
    same_row(f, 0, 2, "30 ns", 3, false);
    json_decref(f);
    cop_arena_free(&j.arena);
    cop_arena_free(&a);
}

static void test_faults_of_rankings(void **state)
{
    static const struct {
        const char *figure, *want;
    } bad[] = {
        {"{name: r, kind: ranking, over: d, rank: no, series: [{name: a, better: high, of: '1'}]}",
         "a ranking needs `rank`"},
        {"{name: r, kind: ranking, over: d, rank: a, series: [{name: a, of: '1'}]}",
         "is high or low `better`?"},
        {"{name: r, kind: ranking, over: e, rank: a, series: [{name: a, better: low, of: '1'}]}",
         "a ranking needs `over`"},
        {"{name: r, kind: ranking, over: d, for: e, rank: a, series: [{name: a, better: low, of: "
         "'1'}]}",
         "`for` names no axis: `e`"},
        {"{name: r, kind: ranking, over: d, rank: a, groups: {g: [11 ns]},"
         " series: [{name: a, better: low, of: '1'}]}",
         "names a row that `over` does not have: `11 ns`"},
    };
    stage *s = *state;
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        cop_arena a = {0};
        cop_err err = {0};
        must_read(s, filled(&a, cop_arena_printf(&a, "  - %s\n", bad[i].figure)), "full");
        assert_int_not_equal(cop_study_rehearse(&s->plan, &err), 0);
        if (strstr(err.text, bad[i].want) == NULL)
            fail_msg("%s, not %s", err.text, bad[i].want);
        cop_arena_free(&a);
    }
    must_not_read(
        s,
        PLAN "figures: [{name: r, kind: line, over: d, rank: a, series: [{name: a, of: '1'}]}]\n",
        "only a figure of kind ranking");
    must_not_read(
        s,
        PLAN
        "figures: [{name: r, kind: ranking, over: d, rank: a, series: [{name: a, better: 3, of: "
        "'1'}]}]\n",
        "neither high nor low");
}

static void test_text_fits(void **state)
{
    static const double factor[] = {1.0, 4.0, 9.0, 1.9, 1.9, 1.0, 4.0, 9.0, 1.9, 1.9};
    cop_arena a = {0};
    stage *s = *state;
    must_read(s, filled(&a, RANKING), "full");
    store_all(s, factor);
    judged j = judge(s);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cop_report_spec_text(j.r.figure[0].spec, out, 40);
    fclose(out);
    assert_string_equal(text, "\n"
                              "  r, mean of 2 seeds; = shares the rank\n"
                              "  small\n"
                              "  d     rank   rate cost\n"
                              "             Gbit/s     \n"
                              "  30 ns    1     63   60\n"
                              "  20 ns    2     28   40\n"
                              "  10 ns    3      7   20\n"
                              "\n"
                              "  big\n"
                              "  d     rank   rate cost\n"
                              "             Gbit/s     \n"
                              "  10 ns    1   13.3   20\n"
                              "  20 ns   =1   13.3   40\n"
                              "  30 ns           -   60\n");
    free(text);
    cop_arena_free(&j.arena);
    cop_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_left_out_is_not_planned, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_faults_of_gaps, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_settings_of_a_scale, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_order_and_shared_ranks, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_low_is_better, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_faults_of_rankings, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_text_fits, stage_open, stage_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
