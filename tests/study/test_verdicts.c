/* Verdicts by value, from runs to the line of docs/validation: `let` and seeds, several values, runs
 * that are missing or have no result, settings. */
#include "verdict_fixture.h"

#include "study/validation.h"

/* -- `let`, several values -- */

/* Runs of 7 and 21 Gbit/s. Every value is measured seed by seed, so a `let` changes hands four
 * times. */
static void test_each_seed_has_its_own_let(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "seeds: 2\n"
                   "let: {t: 'all:total()', half: 't / 2'}\n"
                   "checks:\n"
                   "  c: {of: {one: {of: t, min: -1e6}, two: {of: 't * t', min: -1e6}}}\n"
                   "  d: {of: {of: 'half + all:total()', min: -1e6}}\n"
                   "figures:\n"
                   "  - {name: f, kind: bar, categories: [p, q], series: [{name: n, of: \"x == 'p'"
                   " and t or half\"}]}\n",
              "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    store_point(s, 1, 3, COP_OUTCOME_OK);
    find_points(s);
    judged j = judge(s);
    const cop_study_verdict *c = verdict(&j, "c");
    assert_true(item_number(c, 0, "value") == 14);
    assert_true(item_number(c, 1, "value") == (49 + 441) / 2.0);
    assert_true(fabs(item_number(c, 0, "ci") - 12.706 * 7) < 1e-9);
    assert_string_equal(c->measured, "one 14 ± 89; two 245 ± 2.5e+03");
    assert_string_equal(verdict(&j, "d")->measured, "21 ± 1.3e+02");
    json_t *f = json_loads(j.r.figure[0].spec, 0, NULL);
    json_t *values = json_object_get(json_array_get(json_object_get(f, "series"), 0), "values");
    assert_true(json_number_value(json_array_get(values, 0)) == 14);
    assert_true(json_number_value(json_array_get(values, 1)) == 7);
    json_decref(f);
    cop_arena_free(&j.arena);
}

/* -- runs that are not there -- */

static const char three_blocks[] = HEAD
    "let: {gone: 'late:total()', here: 'good:total()'}\n"
    "runs: [{name: good, set: {link.delay: 10 ns}}, {name: late, set: {link.delay: 20 ns}},"
    " {name: stuck, set: {link.delay: 30 ns}}]\n"
    "checks:\n"
    "  fail then missing: {of: {a: {of: here, max: 6}, b: {of: gone, min: 0}}, explain: E}\n"
    "  missing then fail: {of: {a: {of: gone, min: 0}, b: {of: here, max: 6}}, explain: E}\n"
    "  missing then pass: {of: {a: {of: 'late:rate(\"F1\")', min: 0}, b: {of: here, min: 0}}}\n"
    "  pass: {of: {of: here, value: 7}, explain: E, note: N}\n"
    "  fail: {of: {of: here, max: 6}, explain: E, note: N}\n"
    "  no result: {of: {a: {of: here, min: 0}, b: {of: 'stuck:total()', min: 0}}}\n"
    "  missing and stuck: {of: {a: {of: 'stuck:total()', min: 0}, b: {of: gone, min: 0}}}\n";

static void judge_three_blocks(stage *s, judged *j)
{
    must_read(s, three_blocks, "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    store_point(s, 2, 1, COP_OUTCOME_DEADLOCK);
    find_points(s);
    *j = judge(s);
}

/* A check waits as long as one of its runs is missing, whatever the others say and wherever it
 * stands. */
static void test_a_missing_run_is_no_verdict(void **state)
{
    static const struct {
        const char *id, *state, *explain;
    } want[] = {
        {"fail then missing", "not-run", ""},
        {"missing then fail", "not-run", ""},
        {"missing then pass", "not-run", ""},
        {"missing and stuck", "not-run", ""},
        {"no result", "fail", ""},
        {"pass", "pass", "N"},
        {"fail", "fail", "E"}, /* explained only while it fails */
    };
    judged j;
    judge_three_blocks(*state, &j);
    for (size_t i = 0; i < COP_LEN(want); i++) {
        const cop_study_verdict *v = verdict(&j, want[i].id);
        if (strcmp(v->state, want[i].state) != 0 || strcmp(v->explain, want[i].explain) != 0)
            fail_msg("%s: %s, `%s`", v->id, v->state, v->explain);
    }
    assert_int_equal(j.r.runs, 2);
    assert_int_equal(j.r.failed, 1);
    assert_string_equal(j.r.point[0].outcome, "ok");
    assert_string_equal(j.r.point[1].outcome, "missing");
    assert_string_equal(j.r.point[2].outcome, "deadlock");
    cop_arena_free(&j.arena);
}

/* A value needs the runs of all its seeds; one that needs no run has them. */
static void test_a_seed_that_is_missing(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "seeds: [4, 9]\n"
                   "let: {t: 'all:total()', two: '2'}\n"
                   "checks: {run: {of: {of: t, min: 0}}, none: {of: {of: two, value: 2}}}\n",
              "full");
    assert_int_equal(s->plan.n_points, 2);
    assert_int_equal(s->plan.point[0].seed, 4);
    assert_int_equal(s->plan.point[1].seed, 9);
    store_point(s, 0, 1, COP_OUTCOME_OK);
    find_points(s);
    judged j = judge(s);
    assert_string_equal(verdict(&j, "run")->state, "not-run");
    assert_string_equal(verdict(&j, "none")->state, "pass");
    assert_string_equal(verdict(&j, "none")->measured, "2"); /* the same twice: no interval */
    assert_true(item_number(verdict(&j, "none"), 0, "ci") == 0.0);
    assert_int_equal(j.r.runs, 1);
    assert_int_equal(j.r.seeds, 2);
    cop_arena_free(&j.arena);
    /* With the other run: 7 and 10.5. */
    store_point(s, 1, 1.5, COP_OUTCOME_OK);
    cop_store_close(s->store);
    find_points(s);
    j = judge(s);
    assert_string_equal(verdict(&j, "run")->measured, "8.75 ± 22 (too noisy, 7 to 10.5)");
    assert_string_equal(verdict(&j, "run")->state, "fail");
    cop_arena_free(&j.arena);
}

/* The single values of a check: those that are known keep their number and verdict. */
static void test_values_beside_a_missing_run(void **state)
{
    judged j;
    judge_three_blocks(*state, &j);
    json_t *list = json_loads(verdict(&j, "missing then fail")->items, 0, NULL);
    json_t *a = json_array_get(list, 0), *b = json_array_get(list, 1);
    assert_true(json_is_null(json_object_get(a, "pass")));
    assert_true(json_is_null(json_object_get(a, "value")));
    assert_true(json_is_false(json_object_get(b, "pass")));
    assert_true(json_number_value(json_object_get(b, "value")) == 7);
    assert_true(json_number_value(json_object_get(b, "high")) == 6);
    assert_true(json_is_null(json_object_get(b, "low")));
    assert_true(json_is_null(json_object_get(b, "expected")));
    assert_true(json_is_null(json_object_get(b, "ci"))); /* one seed */
    assert_string_equal(json_string_value(json_object_get(b, "what")), "b");
    json_decref(list);
    assert_true(item_number(verdict(&j, "pass"), 0, "expected") == 7);
    assert_string_equal(verdict(&j, "pass")->measured, "7");
    assert_string_equal(verdict(&j, "pass")->expected, "7");
    assert_string_equal(verdict(&j, "fail")->expected, "at most 6");
    cop_arena_free(&j.arena);
}

/* -- settings -- */

static uint64_t hash_of(const stage *s, const char *const *set, size_t n)
{
    cop_override all[8];
    cop_config c;
    cop_err err = {0};
    for (size_t i = 0; i < n; i++)
        all[i] = (cop_override){.text = set[i]};
    if (cop_config_load(&c, s->base, NULL, all, n, &err) != 0)
        fail_msg("%s", err.text);
    uint64_t hash = cop_config_hash(&c);
    cop_config_free(&c);
    return hash;
}

/* The nearer setting counts: the study's for all, a block's over it, an axis' over both. */
static void test_axis_over_block_over_study(void **state)
{
    static const char *const want[][2] = {{"link.delay=20 ns", "switch.buffer=8 KiB"},
                                          {"link.delay=30 ns", "switch.buffer=8 KiB"},
                                          {"link.delay=40 ns", "switch.buffer=9 KiB"}};
    stage *s = *state;
    must_read(s,
              HEAD
              "set: {link.delay: 10 ns, switch.buffer: 8 KiB}\n"
              "runs:\n"
              "  - {name: plain, set: {link.delay: 20 ns}}\n"
              "  - {name: varied, set: {link.delay: 20 ns}, vary: {d: {low: {link.delay: 30 ns},"
              " high: {link.delay: 40 ns, switch.buffer: 9 KiB}}}}\n",
              "full");
    assert_int_equal(s->plan.n_points, COP_LEN(want));
    for (size_t i = 0; i < COP_LEN(want); i++) {
        const char *set[] = {want[i][0], want[i][1], "run.seed=1"};
        assert_true(s->plan.point[i].config_hash == hash_of(s, set, 3));
    }
    assert_string_equal(s->plan.point[0].label, "plain");
    assert_string_equal(s->plan.point[2].label, "varied, d high");
    assert_string_equal(s->plan.point[2].axes, "{\"run\": \"varied\", \"d\": \"high\"}");
}

/* -- docs/validation -- */

static cop_band bands[] = {{"", 7, 6.75, 7.25}, {"", NAN, -INFINITY, 6}, {"", 7, 7, 7}};
static cop_claim claims[] = {
    {.id = "p-1",
     .where = "fig. 1",
     .metric = "total",
     .expected = "7",
     .tolerance = "0.25",
     .kind = COP_CLAIM_PRINTED,
     .band = &bands[0],
     .n_bands = 1},
    {.id = "p-2",
     .where = "fig. 2",
     .metric = "total",
     .expected = "at most 6",
     .tolerance = "-",
     .kind = COP_CLAIM_ORDER,
     .band = &bands[1],
     .n_bands = 1},
    {.id = "p-3",
     .where = "fig. 3",
     .metric = "total",
     .expected = "7",
     .tolerance = "exact",
     .kind = COP_CLAIM_DERIVED,
     .band = &bands[2],
     .n_bands = 1},
};

static void expect_line(const char *text, const char *line)
{
    if (strstr(text, line) == NULL)
        fail_msg("no line `%s` in:\n%s", line, text);
}

/* One claim that holds, one that does not, one whose run is missing. */
static void test_validation_of_a_small_study(void **state)
{
    stage *s = *state;
    cop_paper paper = {.key = "p", .title = "T", .source = "S", .claim = claims, .n_claims = 3};
    cop_ledger l = {.paper = &paper, .n_papers = 1};
    if (stage_read(s,
                   HEAD "paper: p\nruns: [{name: a}, {name: b, set: {link.delay: 99 ns}}]\n"
                        "checks: {p-1: 'a:total()', p-2: {of: 'a:total()', explain: because},"
                        " p-3: 'b:total()'}\n",
                   "full", &l) != 0)
        fail_msg("%s", s->err.text);
    store_point(s, 0, 1, COP_OUTCOME_OK);
    find_points(s);
    judged j = judge(s);
    assert_string_equal(verdict(&j, "p-1")->kind, "printed");
    assert_string_equal(verdict(&j, "p-1")->place, "fig. 1");
    cop_validation_inputs in = {"claims", "experiments", "tests/golden"};
    cop_validation_cost cost = {.runs = {1}, .cpu_seconds = {150}, .half_second = NAN};
    cop_validation_page *pages;
    assert_int_equal(cop_validation_pages(&l, &j.r, 1, &in, &cost, &j.arena, &pages), 2);
    const char *text = pages[0].text, *readme = pages[1].text;
    expect_line(readme, "## At quick scale\n");
    expect_line(readme, "\n| **all** | 3 | 0 | 0 | 0 | 3 | 0 |  |\n\n## At full scale\n");
    expect_line(readme, "\n| [p](p.md) | 3 | 1 | 1 | 0 | 1 | 0 | T |\n");
    expect_line(readme, "\n| **all** | 3 | 1 | 1 | 0 | 1 | 0 |  |\n");
    expect_line(text, "# p\n\n**T.** S\n\n");
    expect_line(text, "\n| p-1 | fig. 1 | total | 7 | 0.25 |  | 7 | pass, full |\n");
    expect_line(text, "\n| p-2 | fig. 2 | total | at most 6 | - |  | 7 | **fail**, full |\n");
    expect_line(
        text, "\n| p-3 | fig. 3 | total | 7 | exact |  | run `b` has not been made | not-run |\n");
    expect_line(text, "\nWhy checks fail:\n\n* p-2: because\n\n<!-- seal");
    expect_line(readme,
                "\n* Quick scale: 1 runs, 2 CPU minutes on the machine that wrote this file.\n");
    assert_null(strstr(readme, "half a simulated second"));
    cop_arena_free(&j.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_each_seed_has_its_own_let),  ON_STAGE(test_a_missing_run_is_no_verdict),
        ON_STAGE(test_a_seed_that_is_missing),     ON_STAGE(test_values_beside_a_missing_run),
        ON_STAGE(test_axis_over_block_over_study), ON_STAGE(test_validation_of_a_small_study),
    };
    return cmocka_run_group_tests_name("verdicts", tests, NULL, NULL);
}
