/* The limits of expressions, one by one: steps, time, memory, texts; how many results are kept; and what a study
 * leaves behind. Whether whole files are refused is in test_study_hostile. */
#include "study_fixture.h"

#include "study/lua_int.h"
#include "study/worker.h"

#include <lauxlib.h>

#define HEAD "experiment: e\nbase: base.yaml\n"
#define TOO_LONG "takes too long; is there an endless loop?"
#define TOGETHER "all expressions together take too long; make them simpler or fewer"
#define SECOND ((int64_t)1000000000)

static int charge(lua_State *L)
{
    cop_sandbox_charge(L, (uint64_t)lua_tointeger(L, 1));
    return 0;
}

/* What charging so many steps says; NULL: nothing. */
static const char *charged(lua_State *L, lua_Integer steps)
{
    lua_settop(L, 0);
    lua_pushcfunction(L, charge);
    lua_pushinteger(L, steps);
    return lua_pcall(L, 1, 0, 0) == LUA_OK ? NULL : lua_tostring(L, -1);
}

static void expect_charge(lua_State *L, lua_Integer steps, const char *says)
{
    const char *said = charged(L, steps);
    if (says == NULL && said != NULL)
        fail_msg("%d steps: %s", (int)steps, said);
    if (says != NULL)
        assert_string_equal(said, says);
}

/* Steps count down to nothing, each for itself and all together; what is too dear costs what is left. */
static void test_steps(void **state)
{
    (void)state;
    cop_lua_limits l = {.max_bytes = (size_t)64 << 20};
    lua_State *L = cop_sandbox_open(&l);
    expect_charge(L, 1 << 30, NULL); /* outside nothing counts */
    assert_true(l.steps_left == INT64_MAX && l.total_left == INT64_MAX);
    l.total_left = 1000;
    cop_sandbox_enter(&l, 100, SECOND);
    assert_null(cop_sandbox_exhausted(&l));
    int64_t before = l.steps_left;
    expect_charge(L, 50, NULL);
    int64_t used = before - l.steps_left; /* the call itself makes something */
    assert_in_range(used, 50, 60);
    assert_int_equal(l.total_left, 1000 - (100 - l.steps_left));
    expect_charge(L, l.steps_left - 5, NULL);
    assert_non_null(charged(L, 1 << 20)); /* not even the steps to say why are left */
    assert_int_equal(l.steps_left, 0);
    assert_int_equal(l.total_left, 900);
    assert_string_equal(cop_sandbox_exhausted(&l), TOO_LONG);
    cop_sandbox_leave(&l);
    /* The next one has its own, until all is used. */
    cop_sandbox_enter(&l, 5000, SECOND);
    expect_charge(L, 800, NULL);
    assert_non_null(charged(L, 200));
    assert_true(l.total_left <= 0);
    cop_sandbox_leave(&l);
    assert_string_equal(cop_sandbox_exhausted(&l), TOGETHER);
    lua_close(L);
}

/* One step more than there are, and just as many. */
static void test_the_last_step(void **state)
{
    (void)state;
    static const struct {
        int64_t steps, total;
        const char *why;
    } all[] = {{1, 1, NULL},     {0, 1, TOO_LONG},  {-1, 1, TOO_LONG},
               {1, 0, TOGETHER}, {1, -1, TOGETHER}, {0, 0, TOGETHER}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_lua_limits l = {
            .steps_left = all[i].steps, .total_left = all[i].total, .cpu_ns_left = 1};
        const char *why = cop_sandbox_exhausted(&l);
        assert_true((why == NULL) == (all[i].why == NULL));
        if (why != NULL)
            assert_string_equal(why, all[i].why);
        l.cpu_ns_left = 0;
        assert_string_equal(cop_sandbox_exhausted(&l), TOGETHER);
        l = (cop_lua_limits){.steps_left = 1, .total_left = 1, .cpu_ns_left = 1, .long_text = true};
        assert_string_equal(cop_sandbox_exhausted(&l),
                            "makes a text of more than 64 KiB; keep texts short");
    }
}

/* The clock is looked at after every thousand steps, however they come. `late`: the time is over. */
static void test_time(void **state)
{
    (void)state;
    cop_lua_limits l = {.max_bytes = (size_t)64 << 20};
    lua_State *L = cop_sandbox_open(&l);
    for (int64_t seconds = 1; seconds <= 60; seconds += 59) {
        char late[64];
        snprintf(late, sizeof(late), "took more than %d s; make it simpler", (int)seconds);
        cop_sandbox_enter(&l, INT64_MAX, seconds * SECOND);
        assert_int_equal(l.deadline_ns - l.start_ns, seconds * SECOND);
        l.unseen = 0;
        expect_charge(L, 1000, NULL); /* there is time */
        assert_int_equal(l.unseen, 0);
        l.start_ns -= 100 * SECOND;
        l.deadline_ns -= 100 * SECOND;
        expect_charge(L, 999, NULL);
        assert_int_equal(l.unseen, 999);
        expect_charge(L, 1, late);
        expect_charge(L, 500, NULL);
        expect_charge(L, 1 << 20, late);
        cop_sandbox_leave(&l);
    }
    /* What is left for all together may be less than what one has. */
    int64_t left = l.cpu_ns_left;
    assert_in_range(INT64_MAX - left, 200 * SECOND, 202 * SECOND);
    l.cpu_ns_left = 7;
    cop_sandbox_enter(&l, INT64_MAX, SECOND);
    assert_int_equal(l.deadline_ns - l.start_ns, 7);
    cop_sandbox_leave(&l);
    l.cpu_ns_left = 3 * SECOND;
    cop_sandbox_enter(&l, INT64_MAX, 3 * SECOND + 1);
    assert_int_equal(l.deadline_ns - l.start_ns, 3 * SECOND);
    assert_true(l.strict);
    cop_sandbox_leave(&l);
    assert_false(l.strict);
    lua_close(L);
}

static int make_text(lua_State *L)
{
    luaL_Buffer b;
    size_t n = (size_t)lua_tointeger(L, 1);
    memset(luaL_buffinitsize(L, &b, n), 'x', n);
    luaL_pushresultsize(&b, n);
    return 1;
}

static int make_block(lua_State *L)
{
    (void)lua_newuserdatauv(L, (size_t)lua_tointeger(L, 1), 0);
    return 1;
}

static int try_to(lua_State *L, lua_CFunction f, lua_Integer n)
{
    lua_settop(L, 0);
    lua_pushcfunction(L, f);
    lua_pushinteger(L, n);
    return lua_pcall(L, 1, 0, 0);
}

/* Memory in use is counted to the byte, and what is made costs steps. */
static void test_memory(void **state)
{
    (void)state;
    cop_lua_limits l = {.max_bytes = (size_t)1 << 20};
    lua_State *L = cop_sandbox_open(&l);
    size_t idle = l.bytes;
    assert_in_range(idle, 10000, 200000);
    assert_int_equal(try_to(L, make_block, 4 << 20), LUA_OK); /* outside there is no limit */
    lua_gc(L, LUA_GCCOLLECT);
    assert_in_range(l.bytes, idle / 2, idle + 2000);
    cop_sandbox_enter(&l, 1 << 20, SECOND);
    assert_int_equal(try_to(L, make_block, 500000), LUA_OK);
    assert_in_range((1 << 20) - l.steps_left, 500000 / 16, 500000 / 16 + 100);
    lua_gc(L, LUA_GCCOLLECT);
    assert_int_equal(try_to(L, make_block, 1 << 20), LUA_ERRMEM); /* with what is there */
    lua_gc(L, LUA_GCCOLLECT);
    assert_in_range(l.bytes, idle / 2, idle + 2000);
    /* Texts have a bound of their own; what says so is the reason. */
    assert_int_equal(try_to(L, make_text, COP_LUA_MAX_TEXT), LUA_OK);
    assert_null(cop_sandbox_exhausted(&l));
    assert_int_equal(try_to(L, make_text, COP_LUA_MAX_TEXT + 100), LUA_ERRMEM);
    assert_string_equal(cop_sandbox_exhausted(&l),
                        "makes a text of more than 64 KiB; keep texts short");
    cop_sandbox_leave(&l);
    cop_sandbox_enter(&l, 1 << 20, SECOND);
    assert_null(cop_sandbox_exhausted(&l)); /* forgotten with the next expression */
    /* Without steps there is nothing more to have. */
    l.steps_left = 0;
    assert_int_equal(try_to(L, make_block, 100), LUA_ERRMEM);
    cop_sandbox_leave(&l);
    lua_close(L);
    assert_int_equal(l.bytes, 0); /* all was given back */
}

#define RUNS                                                                                       \
    "runs: [{name: a}, {name: b, set: {link.delay: 9 ns}}, {name: c, set: {link.delay: 8 ns}}]\n"

/* Results are read when first asked for, kept, and forgotten together when they are too much. */
static void test_kept_results(void **state)
{
    stage *s = *state;
    static const answer all[] = {{"a:total()", 7}, {"b:total()", 14}, {"c:total()", 21}};
    must_read(s, HEAD RUNS, "full");
    for (size_t i = 0; i < 3; i++)
        store_point(s, i, (double)i + 1, COP_OUTCOME_OK);
    find_points(s);
    cop_eval *e = open_expressions(s);
    assert_false(e->loaded[0] || e->loaded[1] || e->loaded[2]);
    assert_int_equal(e->bytes, 0);
    expect_answers(e, all, 1);
    assert_true(e->loaded[0] && !e->loaded[1] && !e->loaded[2]);
    size_t one = e->bytes;
    assert_in_range(one, 100, 100000);
    expect_answers(e, all, 1); /* not read again */
    assert_int_equal(e->bytes, one);
    e->bytes = ((size_t)512 << 20) - 1;
    expect_answers(e, all, 2);
    assert_true(e->loaded[0] && e->loaded[1]); /* there was room */
    assert_true(e->bytes > (size_t)512 << 20);
    expect_answers(e, all, 2);
    expect_answers(e, all + 2, 1);
    assert_true(!e->loaded[0] && !e->loaded[1] && e->loaded[2]);
    assert_in_range(e->bytes, 100, 100000);
    expect_answers(e, all, 3);
    assert_true(e->loaded[0] && e->loaded[1] && e->loaded[2]);
    e->bytes = (size_t)512 << 20; /* just as much is too much */
    e->loaded[0] = false;
    cop_arena_free(&e->result[0].arena);
    expect_answers(e, all, 1);
    assert_true(e->loaded[0] && !e->loaded[1] && !e->loaded[2]);
    cop_eval_close(e);
}

/* A whole run as an answer: only one that was made and ended well. */
static void test_runs_as_answers(void **state)
{
    stage *s = *state;
    must_read(s, HEAD RUNS, "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    store_point(s, 1, 1, COP_OUTCOME_DEADLOCK);
    find_points(s);
    cop_eval *e = open_expressions(s);
    static const struct {
        const char *of, *why; /* why: NULL: good */
        enum cop_eval_status status;
    } all[] = {{"a", NULL, COP_EVAL_OK},
               {"a()", NULL, COP_EVAL_OK},
               {"b", "here: the run has no result", COP_EVAL_NO_RUN},
               {"c", "here: the run has no result", COP_EVAL_NO_RUN},
               {"3", "here: gives a number, not a run", COP_EVAL_FAULT},
               {"'a'", "here: gives a string, not a run", COP_EVAL_FAULT}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_expr x = {all[i].of, "here"};
        const cop_result *r;
        assert_int_equal(cop_eval_run(e, &x, &r), all[i].status);
        assert_true((r != NULL) == (all[i].why == NULL));
        if (all[i].why != NULL)
            assert_string_equal(cop_eval_why(e), all[i].why);
        else
            assert_int_equal(r->n_hosts, 3);
    }
    static const refusal questions[] = {
        {"b:total()", COP_EVAL_NO_RESULT, "here: run `b` deadlock"},
        {"c:total()", COP_EVAL_NO_RUN, "here: run `c` has not been made"},
        {"#c:outcome()", COP_EVAL_NO_RUN, "here: run `c` has not been made"}};
    expect_refusals(e, questions, COP_LEN(questions));
    static const answer ends = {"b:outcome() == 'deadlock' and a:outcome() == 'ok' and 1 or 0", 1};
    expect_answers(e, &ends, 1);
    cop_eval_close(e);
}

/* A study that was freed has nothing left, and can be freed again. */
static void test_freed(void **state)
{
    stage *s = *state;
    static const cop_study none;
    must_read(s, HEAD RUNS, "full");
    cop_study_free(&s->study);
    assert_memory_equal(&s->study, &none, sizeof(none));
    cop_study_free(&s->study);
    /* One that was refused is freed already. */
    assert_int_not_equal(stage_read(s, "experiment: e\n", "full", NULL), 0);
    assert_memory_equal(&s->study, &none, sizeof(none));
}

/* The base of a run is gone: that it failed is stored all the same, without a configuration. */
static void test_failure_without_base(void **state)
{
    stage *s = *state;
    cop_store *store;
    must_read(s, HEAD, "full");
    cop_task task = {&s->plan.point[0], &s->study, s->db, "v"};
    assert_int_equal(remove(s->base), 0);
    cop_slot slot = {0};
    assert_int_equal(cop_worker_make(&task, &slot), COP_WORKER_CHANGED);
    assert_int_equal(cop_worker_record_failure(&task, "told", &s->err), 0);
    write_text(s->base, BASE); /* the stage wants it back */
    assert_int_equal(cop_store_open(&store, s->db, true, &s->err), 0);
    cop_result r;
    assert_true(cop_store_load(store, 1, &r, &s->err) > 0);
    assert_int_equal(r.outcome, COP_OUTCOME_FAILED);
    assert_string_equal(r.detail, "told");
    cop_arena_free(&r.arena);
    cop_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps), cmocka_unit_test(test_the_last_step),
        cmocka_unit_test(test_time),  cmocka_unit_test(test_memory),
        ON_STAGE(test_kept_results),  ON_STAGE(test_runs_as_answers),
        ON_STAGE(test_freed),         ON_STAGE(test_failure_without_base),
    };
    return cmocka_run_group_tests_name("study_limits", tests, NULL, NULL);
}
