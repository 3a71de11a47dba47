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
        {"min outside", "fail", "11 ± 13 (too noisy)"},
        {"min above", "fail", "11 ± 13"},
        {"max inside", "pass", "11 ± 13"},
        {"max outside", "fail", "11 ± 13 (too noisy)"},
        {"band as wide", "pass", "11 ± 13"},
        {"band narrower", "fail", "11 ± 13 (too noisy)"},
        {"band beside", "fail", "11 ± 13"},
        {"band at", "pass", "11 ± 13"}, /* from 11 up, and wide enough */
        {"both bounds", "pass", "11 ± 13"}, /* the width counts, not where the interval lies */
        {"exact", "pass", "3"},
        {"sign", "fail", "0.01 ± 13"},
        {"less", "pass", "0.25 ± 13"},
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
    }
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
        ON_STAGE(test_a_small_difference_counts_if_it_is_significant),
    };
    return cmocka_run_group_tests_name("judging", tests, NULL, NULL);
}
