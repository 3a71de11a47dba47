/* Studies together: several in one call share their runs; faults of files that other tests pass by; blocks of runs as
 * `let` values; what functions that replace Lua's own give back. */
#include "study_fixture.h"

#define HEAD                                                                                       \
    "experiment: e\nbase: base.yaml\n"                                                             \
    "set: {run.duration: 50 us, run.warmup: 0 s, run.sample: 10 us, traffic.0.arrival: poisson}\n"

/* The second study has one run of the first, and one of its own; the third the same as the second. */
static void test_several_studies(void **state)
{
    static const char *const values[] = {"10 ns, 20 ns", "20 ns, 30 ns", "20 ns, 30 ns"};
    stage *s = *state;
    cop_study study[3];
    cop_plan plan[3], *plans[] = {&plan[0], &plan[1], &plan[2]};
    char text[400];
    for (size_t i = 0; i < 3; i++) {
        snprintf(text, sizeof(text), HEAD "vary: {d: {key: link.delay, values: [%s]}}\n",
                 values[i]);
        write_text(s->file, text);
        if (cop_study_load(&study[i], s->file, "full", NULL, &s->err) != 0 ||
            cop_plan_make(&plan[i], &study[i], &s->err) != 0)
            fail_msg("%s", s->err.text);
    }
    cop_pool_opts o = {.db = s->db, .jobs = 1};
    if (cop_pool_run(plans, 3, &o, &s->err) != 0)
        fail_msg("%s", s->err.text);
    static const int64_t want[3][2] = {{1, 2}, {2, 3}, {2, 3}};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(plan[i].point[k].run_id, want[i][k]);
            assert_int_equal(plan[i].point[k].outcome, COP_OUTCOME_OK);
        }
    /* And they are found together, also those of the last. */
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++)
            plan[i].point[k].run_id = 0;
    assert_int_equal(cop_pool_find(plans, 3, &o, &s->err), 0);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(plan[i].point[k].run_id, want[i][k]);
    for (size_t i = 0; i < 3; i++)
        cop_study_free(&study[i]);
}

/* A database that cannot be read is told, not taken for an empty one. */
static void test_damaged_database(void **state)
{
    stage *s = *state;
    cop_plan *plans[] = {&s->plan};
    cop_pool_opts o = {.db = s->db, .jobs = 1};
    must_read(s, HEAD, "full");
    write_text(s->db, "this is no database, and long enough to be seen as none by anybody");
    s->err = (cop_err){0};
    assert_true(cop_pool_find(plans, 1, &o, &s->err) < 0);
    assert_int_equal(s->err.faults, 1);
    assert_true(cop_pool_run(plans, 1, &o, &s->err) < 0);
    assert_int_equal(s->err.faults, 2);
    assert_int_equal(s->plan.point[0].run_id, 0);
}

static void test_faults(void **state)
{
    static const struct {
        const char *text, *says;
    } all[] = {
        {"vary: {d: {key: link.delay, values: [1 ns]}}\n"
         "runs: [{name: a, vary: {d: {key: link.delay, values: [2 ns]}}}]\n",
         "study.yaml:5:25: two axes are called `d`"},
        {"vary: {d: {key: k, values: {a: 1}}}\n", "an axis without values"},
        {"vary: {d: {key: k, values: 3, quick: [1]}}\n", "an axis without values"},
        {"vary: {d: {keys: [], values: [1]}, e: {keys: 3, values: [1]}}\n", "`keys` is not a list"},
        {"vary: {d: {a: {}, quick: [b]}}\n", "no case is called `b`"},
        {"runs: [{name: a, vary: {d: {}}}]\n", "axis `d` has no values"},
        {"figures: [{name: f, kind: time, series: [{name: a, of: 1}], expected: 3}]\n",
         "`expected` is not a list"},
        {"figures: [{name: f, kind: time, series: [{name: a, of: 1}],"
         " expected: [{points: [[1, 2, 3]]}]}]\n",
         "a point is not a pair of numbers"},
        {"figures: [{name: f, kind: time, series: [{name: a, of: 1}],"
         " expected: [{points: [[1, x]]}]}]\n",
         "a point is not a pair of numbers"},
        {"figures: [{name: f, kind: time, series: [{name: a, of: 1}],"
         " expected: [{points: 3}]}]\n",
         "`points` is not a list"},
        {"figures: [{name: f, kind: time, series: [{name: a, of: 1}],"
         " expected: [{points: [[1, 2]], tolerance: wide}]}]\n",
         "`tolerance` of points is not a share"},
        {"figures: [{name: f, kind: time, series: [{name: a, of: 1}],"
         " expected: [{value: 1, tolerance: wide}]}]\n",
         "tolerance `wide` is none"},
        {"figures: [{name: f, kind: time, stack: perhaps, series: [{name: a, of: 1}]}]\n",
         "`stack` is neither true nor false"},
        {"figures: [{name: f, kind: time, columns: 3, series: [{name: a, of: 1}]}]\n",
         "`columns` is not a list"},
        {"figures: [{name: f, kind: time, columns: [[1]], series: [{name: a, of: 1}]}]\n",
         "an item of `columns` is not a single value"},
        {"checks: {c: {of: {of: 1, min: 1}, scale: quick}}\n", "`scale` of a check is full"},
        {"checks: 3\n", "`checks` is not a map"},
        {"let: 3\n", "`let` is not a map"},
        {"title: [1]\n", "`title` is not a single value"},
        {"choices: 3\n", "`choices` is not a list"},
        {"quick: {sets: {}}\n", NULL}, /* of the other scale: not checked */
        {"full: {sets: {}}\n", "unknown key `sets` of full"},
    };
    stage *s = *state;
    char text[600];
    for (size_t i = 0; i < COP_LEN(all); i++) {
        snprintf(text, sizeof(text), HEAD "%s", all[i].text);
        int rc = stage_read(s, text, "full", NULL);
        if (all[i].says == NULL) {
            assert_int_equal(rc, 0);
            continue;
        }
        assert_int_equal(rc, -COP_E_INPUT);
        if (strstr(s->err.text, all[i].says) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", s->err.text, all[i].says);
    }
    /* One value of six long texts: a megabyte and more together. */
    size_t one = (size_t)200 << 10;
    char *big = cop_alloc(6 * one + 400);
    size_t n = (size_t)sprintf(big, HEAD "vary: {d: {key: k, values: [[");
    for (int i = 0; i < 6; i++) {
        n += (size_t)sprintf(big + n, "%s", i ? ", " : "");
        memset(big + n, 'x', one);
        n += one;
    }
    strcpy(big + n, "]]}}\n");
    assert_int_equal(stage_read(s, big, "full", NULL), -COP_E_INPUT);
    if (strstr(s->err.text, "a value of more than 1024 KiB") == NULL)
        fail_msg("%.300s", s->err.text);
    cop_free(big);
}

/* A block of runs under another name is that block still; values see those above them only. */
static void test_lets(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "let: {other: on, list: '{on, 5}', sum: 'other{d = 20}:total()',"
                   " early: 'type(late)', late: '3'}\n"
                   "runs: [{name: on, vary: {d: {key: link.delay, values: [10 ns, 20 ns]}}}]\n",
              "full");
    cop_eval *e = cop_eval_open(&s->plan, NULL);
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_FAULT);
    assert_non_null(
        strstr(cop_eval_why(e), "`late` has no value here; values of `let` see those above"));
    cop_eval_close(e);
    must_read(s,
              HEAD "let: {other: on, list: '{on, 5}', sum: 'other{d = 20}:total()'}\n"
                   "runs: [{name: on, vary: {d: {key: link.delay, values: [10 ns, 20 ns]}}}]\n",
              "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    store_point(s, 1, 3, COP_OUTCOME_OK);
    find_points(s);
    e = open_expressions(s);
    static const answer all[] = {
        {"other{d = 10}:total()", 7}, {"list[1]{d = 20}:total()", 21}, {"list[2]", 5}, {"sum", 21}};
    expect_answers(e, all, COP_LEN(all));
    static const refusal bad[] = {
        {"(function() other.x = 1 end)()", COP_EVAL_FAULT, "cannot change a block of runs"},
        {"other:total()", COP_EVAL_FAULT, "several values of `d`"}};
    expect_refusals(e, bad, COP_LEN(bad));
    cop_eval_close(e);
}

/* How many values functions give back, and which. */
static void test_what_functions_give(void **state)
{
    static const answer all[] = {
        {"select('#', table.sort({2, 1}))", 0},
        {"select('#', table.sort({}))", 0},
        {"select('#', next({}))", 1},
        {"select('#', next({5}))", 2},
        {"select(2, next({5}))", 5},
        {"select('#', pairs({}))", 3},
        {"select('#', tostring(1))", 1},
        {"select('#', string.format('x'))", 1},
        {"select('#', seconds(1))", 1},
        {"select('#', math.max(1, 2))", 1},
        {"select('#', ('x'):find('x'))", 2},
        {"select('#', table.unpack({1, 2, 3}))", 3},
        {"select('#', table.insert({}, 1))", 0},
        {"select('#', ('x'):gsub('x', 'y'))", 2},
        {"(function() local n = 0 for k, v in pairs({a = 1, b = 2}) do n = n + v end return n "
         "end)()",
         3},
        {"(function() local n = 0 for k, v in pairs({a = 1, b = 2}, {7}) do n = n + v end return n "
         "end)()", /* more arguments than it has do no harm */
         3},
        {"(function() local f, t = pairs({a = 1, b = 2}) return select('#', f(t, 'x', 'y')) end)()",
         2},
        {"select(2, next({a = 5}, nil, 7))", 5},
        {"(function() local n = 0 for w in ('a b c'):gmatch('%a') do n = n + 1 end return n end)()",
         3},
    };
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_eval *e = open_expressions(s);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_several_studies),
        ON_STAGE(test_damaged_database),
        ON_STAGE(test_faults),
        ON_STAGE(test_lets),
        ON_STAGE(test_what_functions_give),
    };
    return cmocka_run_group_tests_name("study_shared", tests, NULL, NULL);
}
