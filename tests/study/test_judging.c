/* Each rule of judging at its bound, a little inside and a little outside, from the text of a study
 * on; with one seed and with several. */
#include "verdict_fixture.h"

/* -- one number against its bounds -- */

/* Bounds that binary fractions give exactly: 8 with a quarter of it lies in 6 to 10. */
static const struct {
    const char *item;
    bool pass;
} items[] = {
    /* value and tolerance: a share, a distance, exact */
    {"{of: '6', value: 8, tolerance: 25 %}", true},
    {"{of: '5.999999', value: 8, tolerance: 25 %}", false},
    {"{of: '10', value: 8, tolerance: 25 %}", true},
    {"{of: '10.000001', value: 8, tolerance: 25 %}", false},
    {"{of: '-6', value: -8, tolerance: 25 %}", true}, /* of the size, whatever the sign */
    {"{of: '-10', value: -8, tolerance: 25 %}", true},
    {"{of: '-5.999999', value: -8, tolerance: 25 %}", false},
    {"{of: '-10.000001', value: -8, tolerance: 25 %}", false},
    {"{of: '8.5', value: 8, tolerance: 0.5}", true},
    {"{of: '7.5', value: 8, tolerance: 0.5}", true},
    {"{of: '8.500001', value: 8, tolerance: 0.5}", false},
    {"{of: '7.499999', value: 8, tolerance: 0.5}", false},
    {"{of: '8', value: 8, tolerance: exact}", true},
    {"{of: '8.000007', value: 8, tolerance: exact}", true}, /* a millionth for rounding */
    {"{of: '8.000009', value: 8, tolerance: exact}", false},
    {"{of: '7.999991', value: 8, tolerance: exact}", false},
    {"{of: '8', value: 8}", true}, /* exact if nothing is said */
    {"{of: '8.000009', value: 8}", false},
    {"{of: '0', value: 0}", true},
    {"{of: '1e-300', value: 0}", false},
    /* bounds */
    {"{of: '8', min: 8}", true},
    {"{of: '7.999999', min: 8}", false},
    {"{of: '1e300', min: 8}", true},
    {"{of: '8', max: 8}", true},
    {"{of: '8.000001', max: 8}", false},
    {"{of: '-1e300', max: 8}", true},
    {"{of: '6', min: 6, max: 8}", true},
    {"{of: '8', min: 6, max: 8}", true},
    {"{of: '5.999999', min: 6, max: 8}", false},
    {"{of: '8.000001', min: 6, max: 8}", false},
    {"{of: '8', min: 8, max: 8}", true},
    {"{of: '1 / 0', min: 8}", false}, /* not measured: something was divided by nothing */
    {"{of: '-1 / 0', max: 8}", false},
    {"{of: '1 / 0', rule: sign}", false},
    {"{of: '0 / 0', min: 8}", false},
    {"{of: '0 / 0', max: 8}", false},
    /* relations: two per cent, a rank correlation of 0.7, both ends five per cent worse */
    {"{of: 'above(50, 49)', rule: sign}", true},
    {"{of: 'above(50, 49.001)', rule: sign}", false},
    {"{of: 'above(49, 50)', rule: sign}", false},
    {"{of: 'above(-49, -50)', rule: sign}", true},
    {"{of: 'above(7, 7)', rule: sign}", false},
    {"{of: '0.7', rule: trend}", true},
    {"{of: '0.699999', rule: trend}", false},
    {"{of: 'trend({1, 2, 3, 4}, {1, 2, 4, 3})', rule: trend}", true}, /* 0.8 */
    {"{of: 'trend({1, 2, 3, 4}, {2, 3, 1, 4})', rule: trend}", false}, /* 0.4 */
    {"{of: 'trend({1, 2, 3, 4}, {4, 3, 2, 1})', rule: trend}", false},
    {"{of: 'inner_maximum{19, 20, 18}', rule: inner maximum}", true},
    {"{of: 'inner_maximum{18, 20, 19}', rule: inner maximum}", true},
    {"{of: 'inner_maximum{19.001, 20, 1}', rule: inner maximum}", false},
    {"{of: 'inner_maximum{1, 20, 19.001}', rule: inner maximum}", false},
    {"{of: 'inner_maximum{20, 19, 18}', rule: inner maximum}", false}, /* the best is an end */
    {"{of: 'inner_maximum{20, 20, 18}', rule: inner maximum}", false},
};

static void test_each_rule_at_its_bound(void **state)
{
    stage *s = *state;
    cop_arena text = {0};
    const char *study = HEAD "runs: []\nchecks:\n";
    for (size_t i = 0; i < COP_LEN(items); i++)
        study = cop_arena_printf(&text, "%s  c%zu: {of: %s}\n", study, i, items[i].item);
    must_read(s, study, "full");
    judged j = judge(s);
    assert_int_equal(j.r.n_verdicts, COP_LEN(items));
    for (size_t i = 0; i < COP_LEN(items); i++) {
        const cop_study_verdict *v = &j.r.verdict[i];
        if (strcmp(v->state, items[i].pass ? "pass" : "fail") != 0)
            fail_msg("%s: %s, measured %s", items[i].item, v->state, v->measured);
    }
    cop_arena_free(&j.arena);
    cop_arena_free(&text);
}

/* -- several seeds -- */

/* Runs that deliver 10 and 12 Gbit/s: mean 11, half the interval 12.706 * sqrt 2 / sqrt 2. */
static const char two_seeds[] =
    HEAD "seeds: 2\nchecks:\n"
         "  min inside: {of: {of: 'all:total()', min: -1.7061}}\n"
         "  min outside: {of: {of: 'all:total()', min: -1.7059}}\n"
         "  min above: {of: {of: 'all:total()', min: 11.0001}}\n"
         "  max inside: {of: {of: 'all:total()', max: 23.7061}}\n"
         "  max outside: {of: {of: 'all:total()', max: 23.7059}}\n"
         "  band as wide: {of: {of: 'all:total()', value: 11, tolerance: 12.706}}\n"
         "  band narrower: {of: {of: 'all:total()', value: 11, tolerance: 12.7059}}\n"
         "  band beside: {of: {of: 'all:total()', value: 40, tolerance: 28.999}}\n"
         "  band at: {of: {of: 'all:total()', value: 40, tolerance: 29}}\n"
         "  both bounds: {of: {of: 'all:total()', min: 11, max: 36.4121}}\n"
         "  exact: {of: {of: 'all:info().hosts', value: 3}}\n"
         "  sign: {of: {of: 'all:total() - 10.99', rule: sign}}\n"
         "  less: {of: {of: 'all:total() - 10.75', rule: sign}}\n";

static void test_bounds_hold_for_the_whole_interval(void **state)
{
    static const struct {
        const char *id, *state, *measured;
    } want[] = {
        {"min inside", "pass", "11 ± 13"},
        {"min outside", "fail", "11 ± 13 (too noisy, 10 to 12)"},
        {"min above", "fail", "11 ± 13 (narrow, 10 to 12)"},
        {"max inside", "pass", "11 ± 13"},
        {"max outside", "fail", "11 ± 13 (too noisy, 10 to 12)"},
        {"band as wide", "pass", "11 ± 13"},
        {"band narrower", "fail", "11 ± 13 (too noisy, 10 to 12)"},
        {"band beside", "fail", "11 ± 13 (narrow, 10 to 12)"},
        {"band at", "pass", "11 ± 13 (narrow, 10 to 12)"}, /* from 11 up, and wide enough */
        /* the width counts, not where the interval lies */
        {"both bounds", "pass", "11 ± 13 (narrow, 10 to 12)"},
        {"exact", "pass", "3"},
        {"sign", "fail", "0.01 ± 13 (narrow, -0.99 to 1.01)"},
        {"less", "pass", "0.25 ± 13 (narrow, -0.75 to 1.25)"},
    };
    stage *s = *state;
    must_read(s, two_seeds, "full");
    store_point(s, 0, 10.0 / 7, COP_OUTCOME_OK);
    store_point(s, 1, 12.0 / 7, COP_OUTCOME_OK);
    find_points(s);
    judged j = judge(s);
    for (size_t i = 0; i < COP_LEN(want); i++) {
        const cop_study_verdict *v = verdict(&j, want[i].id);
        if (strcmp(v->state, want[i].state) != 0 || strcmp(v->measured, want[i].measured) != 0)
            fail_msg("%s: %s, `%s`", v->id, v->state, v->measured);
        assert_int_equal(cop_verdict_narrow(v), strstr(want[i].measured, " to ") != NULL);
    }
    cop_arena_free(&j.arena);
}

/* -- what a check as a whole is -- */

/* The same runs. A pass is as narrow as its narrowest item, a fail only as its clearest. */
static const char several_items[] =
    HEAD "seeds: 2\n"
         "let: {t: 'all:total()', near: '0.001 * t'}\n" /* 0.010 and 0.012, ± 0.013 */
         "checks:\n"
         "  clear: {of: {a: {of: near, max: 1}, b: {of: '3', value: 3}}}\n"
         "  narrow pass: {of: {a: {of: near, max: 1}, b: {of: near, min: -0.1, max: 0.0115}}}\n"
         "  narrow fail: {of: {a: {of: near, max: 1}, b: {of: near, max: 0.0105}}}\n"
         "  clear fail: {of: {a: {of: near, min: 1}, b: {of: near, max: 0.0105}}}\n"
         "  beside it: {of: {a: {of: near, rule: shown}, b: {of: near, max: 1}}}\n"
         "  fails beside it: {of: {a: {of: near, rule: shown}, b: {of: near, min: 1}}}\n"
         "  only shown: {of: {a: {of: near, rule: shown}, b: {of: '1 / 0', rule: shown}}}\n";

static void test_items_make_a_check(void **state)
{
    static const struct {
        const char *id, *state, *measured;
        bool narrow;
    } want[] = {
        {"clear", "pass", "a 0.011 ± 0.013; b 3", false},
        {"narrow pass", "pass", "a 0.011 ± 0.013; b 0.011 ± 0.013 (narrow, 0.01 to 0.012)", true},
        {"narrow fail", "fail", "a 0.011 ± 0.013; b 0.011 ± 0.013 (narrow, 0.01 to 0.012)", true},
        {"clear fail", "fail", "a 0.011 ± 0.013; b 0.011 ± 0.013", false},
        {"beside it", "pass", "a 0.011 ± 0.013 (shown); b 0.011 ± 0.013", false},
        {"fails beside it", "fail", "a 0.011 ± 0.013 (shown); b 0.011 ± 0.013", false},
        {"only shown", "recorded", "a 0.011 ± 0.013; b inf", false},
    };
    stage *s = *state;
    must_read(s, several_items, "full");
    store_point(s, 0, 10.0 / 7, COP_OUTCOME_OK);
    store_point(s, 1, 12.0 / 7, COP_OUTCOME_OK);
    find_points(s);
    judged j = judge(s);
    for (size_t i = 0; i < COP_LEN(want); i++) {
        const cop_study_verdict *v = verdict(&j, want[i].id);
        if (strcmp(v->state, want[i].state) != 0 || strcmp(v->measured, want[i].measured) != 0 ||
            cop_verdict_narrow(v) != want[i].narrow)
            fail_msg("%s: %s, `%s`", v->id, v->state, v->measured);
    }
    json_t *list = json_loads(verdict(&j, "beside it")->items, 0, NULL);
    json_t *a = json_array_get(list, 0), *b = json_array_get(list, 1);
    assert_true(json_is_null(json_object_get(a, "pass"))); /* neither in nor out */
    assert_true(json_is_true(json_object_get(b, "pass")));
    assert_true(fabs(json_number_value(json_object_get(b, "least")) - 0.010) < 1e-12);
    assert_true(fabs(json_number_value(json_object_get(b, "most")) - 0.012) < 1e-12);
    json_decref(list);
    assert_string_equal(verdict(&j, "beside it")->expected, "a shown; b at most 1");
    cop_arena_free(&j.arena);
}

/* What is shown needs its runs all the same, and a run without a result is not shown. */
static void test_shown_needs_runs(void **state)
{
    stage *s = *state;
    must_read(s, HEAD "checks: {c: {of: {of: 'all:total()', rule: shown}}}\n", "full");
    find_points(s);
    judged j = judge(s);
    assert_string_equal(verdict(&j, "c")->state, "not-run");
    cop_arena_free(&j.arena);
    store_point(s, 0, 1, COP_OUTCOME_DEADLOCK);
    cop_store_close(s->store);
    find_points(s);
    j = judge(s);
    assert_string_equal(verdict(&j, "c")->state, "fail");
    cop_arena_free(&j.arena);
}

/* Less than two per cent, but clearly above 0 in five seeds: 0.011, 0.012 ... 0.015; t = 2.776. */
static void test_a_small_difference_counts_if_it_is_significant(void **state)
{
    static const char study[] = HEAD "seeds: %d\nchecks:\n"
                                     "  clear: {of: {of: 'all:total()', rule: sign}}\n"
                                     "  not: {of: {of: 'all:total() - 0.0115', rule: sign}}\n";
    for (int n = 4; n <= 5; n++) {
        stage *s = *state;
        char text[256];
        snprintf(text, sizeof(text), study, n);
        must_read(s, text, "full");
        remove(s->db);
        for (int i = 0; i < n; i++)
            store_point(s, (size_t)i, (0.011 + 0.001 * i) / 7, COP_OUTCOME_OK);
        cop_store_close(s->store);
        find_points(s);
        judged j = judge(s);
        assert_string_equal(verdict(&j, "clear")->state, n == 5 ? "pass" : "fail");
        assert_string_equal(verdict(&j, "not")->state, "fail"); /* 0.0015 +- 0.00196 */
        if (n == 5)
            assert_string_equal(verdict(&j, "clear")->measured, "0.013 ± 0.002");
        cop_arena_free(&j.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_each_rule_at_its_bound),
        ON_STAGE(test_bounds_hold_for_the_whole_interval),
        ON_STAGE(test_items_make_a_check),
        ON_STAGE(test_shown_needs_runs),
        ON_STAGE(test_a_small_difference_counts_if_it_is_significant),
    };
    return cmocka_run_group_tests_name("judging", tests, NULL, NULL);
}
