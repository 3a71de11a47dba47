/* `average: true`: checks judge the mean of the runs of all seeds, with the interval of the jackknife. */
#include "verdict_fixture.h"

#define SEEDS 3

/* Runs that deliver 10, 12 and 17 Gbit/s: the mean is 13, its square 169, and the mean of the squares 177.67. */
static void store_runs(stage *s)
{
    static const double total[SEEDS] = {10.0, 12.0, 17.0};
    for (size_t i = 0; i < SEEDS; i++)
        store_point(s, i, total[i] / 7, COP_OUTCOME_OK);
    find_points(s);
}

static const char study[] =
    HEAD "seeds: 3\naverage: true\n"
         "let:\n"
         "  g: 'all:total()'\n"
         "  square: 'function(run) return run:total() ^ 2 end'\n"
         "checks:\n"
         "  line: {of: {of: 'all:total()', rule: shown}}\n"
         "  line of each: {average: false, of: {of: 'all:total()', rule: shown}}\n"
         "  square: {of: {of: 'all:total() ^ 2', rule: shown}}\n"
         "  square of each: {average: false, of: {of: 'all:total() ^ 2', rule: shown}}\n"
         "  by name: {of: {of: 'g ^ 2', rule: shown}}\n"
         "  by function: {of: {of: 'square(all)', rule: shown}}\n"
         "  curve: {of: {of: \"all:series('F1')[7] * 7\", rule: shown}}\n"
         "  width: {of: {of: \"1000 * all:series('F1').dt\", rule: shown}}\n"
         "  hosts: {of: {of: 'all:info().hosts', value: 3}}\n"
         "  inside: {of: {of: 'all:total() ^ 2', max: 400}}\n"
         "  too noisy: {of: {of: 'all:total() ^ 2', max: 200}}\n"
         "  outside: {of: {of: 'all:total() ^ 2', max: 168}}\n";

static void test_the_mean_run_is_judged(void **state)
{
    static const struct {
        const char *id, *state, *measured;
    } want[] = {
        /* 4.303 sqrt(13 / 3) */
        {"line", "recorded", "13 ± 9"},
        {"line of each", "recorded", "13 ± 9"},
        /* without each: 14.5, 13.5 and 11 squared; 4.303 sqrt(2 / 3 of their squares from 171.17) */
        {"square", "recorded", "169 ± 2.3e+02"},
        {"square of each", "recorded", "177.67 ± 2.5e+02"},
        {"by name", "recorded", "169 ± 2.3e+02"},
        {"by function", "recorded", "169 ± 2.3e+02"},
        {"curve", "recorded", "91 ± 63"}, /* bin 7 of F1 is 7 times the factor of the run */
        {"width", "recorded", "1"},
        {"hosts", "pass", "3"},
        {"inside", "pass", "169 ± 2.3e+02"},
        {"too noisy", "fail", "169 ± 2.3e+02 (too noisy, 121 to 210.25)"},
        {"outside", "fail", "169 ± 2.3e+02 (narrow, 121 to 210.25)"},
    };
    stage *s = *state;
    must_read(s, study, "full");
    store_runs(s);
    judged j = judge(s);
    for (size_t i = 0; i < COP_LEN(want); i++) {
        const cop_study_verdict *v = verdict(&j, want[i].id);
        if (strcmp(v->state, want[i].state) != 0 || strcmp(v->measured, want[i].measured) != 0)
            fail_msg("%s: %s, `%s`", v->id, v->state, v->measured);
    }
    cop_arena_free(&j.arena);
}

/* Of a mean the jackknife's interval is Student's; one seed has none. */
static void test_interval(void **state)
{
    (void)state;
    static const double each[] = {1.0, 2.5, 4.0, 9.5}, one[] = {7.0}, lost[] = {3.0, NAN};
    double without[4], sum = 17.0;
    for (int i = 0; i < 4; i++)
        without[i] = (sum - each[i]) / 3.0;
    cop_measured a = cop_measure_seeds(each, 4), b = cop_measure_mean(sum / 4, without, 4);
    assert_true(fabs(a.mean - b.mean) < 1e-12 && fabs(a.ci - b.ci) < 1e-12);
    assert_true(b.least == without[3] && b.most == without[0] && b.n == 4);
    assert_true(isnan(cop_measure_mean(7.0, one, 1).ci));
    /* There is a number with both runs alone: no bound holds. */
    cop_measured m = cop_measure_mean(3.0, lost, 2);
    cop_item it = {.rule = COP_RULE_BAND, .low = 1.0, .high = INFINITY};
    const char *why;
    assert_false(cop_item_holds(&it, &m, &why));
}

/* What has no mean says so, and what one seed lacks is missing. */
static void test_no_mean(void **state)
{
    stage *s = *state;
    cop_arena arena = {0};
    cop_study_record r;
    cop_err err = {0};
    must_read(s,
              HEAD
              "seeds: 2\naverage: true\nchecks: {c: {of: {of: 'all:nodes()[1].x', rule: shown}}}\n",
              "full");
    store_point(s, 0, 1.0, COP_OUTCOME_OK);
    cop_result other;
    make_synthetic(&other, 1.0);
    other.node[0].role = other.node[0].role[0] ? "" : "hot";
    store_made(s, 1, &other);
    find_points(s);
    assert_true(cop_study_evaluate(&s->plan, s->store, "cmd", &arena, &r, &err) != 0);
    assert_non_null(strstr(err.text, "differs from seed to seed"));
    assert_non_null(strstr(err.text, "average: false"));
    cop_arena_free(&arena);
}

static void test_missing_seed(void **state)
{
    stage *s = *state;
    must_read(s, HEAD "seeds: 2\naverage: true\nchecks: {c: {of: {of: 'all:total()', max: 9}}}\n",
              "full");
    store_point(s, 0, 1.0, COP_OUTCOME_OK);
    find_points(s);
    judged j = judge(s);
    assert_string_equal(verdict(&j, "c")->state, "not-run");
    cop_arena_free(&j.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_mean_run_is_judged, stage_open, stage_close),
        cmocka_unit_test(test_interval),
        cmocka_unit_test_setup_teardown(test_no_mean, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(test_missing_seed, stage_open, stage_close)};
    return cmocka_run_group_tests_name("average", tests, NULL, NULL);
}
