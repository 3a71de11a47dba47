/* What evaluations leave behind: nothing on Lua's stack, no limits in force, no message of before; and what is said
 * of mistakes, word by word. Also: prices and the allocator, at points that other tests pass by. */
#include "study_fixture.h"

#include "study/lua_int.h"

#include <lauxlib.h>
#include <sqlite3.h>

#define HEAD "experiment: e\nbase: base.yaml\n"

/* Good and bad ones of every kind. */
static const char *const asked[] = {
    "1",
    "'text'",
    "{1, 2, 3}",
    "{'a', 'b', 7}",
    "{}",
    "{1, nil, 3}",
    "{1, {}}",
    "{a = 1}",
    "nil",
    "true",
    "mean",
    "a",
    "a()",
    "b",
    "a:series('F1')",
    "a:streams()",
    "a:total()",
    "b:total()",
    "nobody",
    "1 +",
    "a:mean('nobody')",
    "a:nothing()",
    "a{d = 1}",
    "v",
    "w",
    "error('x')",
    "error({})",
    "error()",
    "('x'):rep(1e6)",
    "{('x'):rep(5000)}",
    "x",
};

static void expect_tidy(cop_eval *e, const char *of)
{
    if (lua_gettop(e->L) != 0)
        fail_msg("%s leaves %d values", of, lua_gettop(e->L));
    if (e->limits.strict)
        fail_msg("%s leaves its limits in force", of);
}

/* In a rehearsal and over runs, one of them missing. */
static void test_nothing_is_left(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "let: {v: '{1, {2}}', w: 'b:total()'}\n"
                   "runs: [{name: a}, {name: b, set: {link.delay: 9 ns}}]\n",
              "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    find_points(s);
    for (int rehearsal = 0; rehearsal < 2; rehearsal++) {
        cop_eval *e = cop_eval_open(&s->plan, rehearsal ? NULL : s->store);
        cop_arena arena = {0};
        assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
        expect_tidy(e, "let");
        cop_eval_bind_text(e, "x", "here");
        expect_tidy(e, "bind");
        unsigned good[4] = {0};
        for (int again = 0; again < 2; again++)
            for (size_t i = 0; i < COP_LEN(asked); i++) {
                cop_expr x = {asked[i], "here"};
                double number, *list;
                cop_bin_width width;
                const char **texts;
                const cop_result *r;
                size_t n;
                good[0] += cop_eval_number(e, &x, &number) == COP_EVAL_OK;
                expect_tidy(e, asked[i]);
                good[1] += cop_eval_list(e, &x, &arena, &list, &n, &width) == COP_EVAL_OK;
                expect_tidy(e, asked[i]);
                good[2] += cop_eval_texts(e, &x, &arena, &texts, &n) == COP_EVAL_OK;
                expect_tidy(e, asked[i]);
                good[3] += cop_eval_run(e, &x, &r) == COP_EVAL_OK;
                expect_tidy(e, asked[i]);
            }
        for (size_t k = 0; k < COP_LEN(good); k++)
            assert_in_range(good[k], 2, COP_LEN(asked));
        assert_int_equal(good[0] % 2 + good[1] % 2 + good[2] % 2 + good[3] % 2, 0);
        cop_arena_free(&arena);
        cop_eval_close(e);
    }
}

/* Whole messages. */
static void test_words(void **state)
{
    static const struct {
        const char *of, *why;
    } all[] = {
        {"(function() new = 1 end)()", "an expression cannot set `new`; write `local new`"},
        {"(function() _ENV[{}] = 1 end)()",
         "an expression cannot set `?`; write `local name = ...`"},
        {"(function() _ENV[7] = 1 end)()",
         "an expression cannot set `?`; write `local name = ...`"},
        {"(function() math.pi = 3 end)()",
         "an expression cannot change a library; write a function of its own"},
        {"(function() a.x = 1 end)()", "an expression cannot change a block of runs"},
        {"nobody", "unknown name `nobody`; blocks of runs, `let` values and the functions of "
                   "`coppice list metrics` are known"},
        {"late", "block `late` is not run at full scale"},
        {"a:totl()", "unknown metric `totl`; did you mean total"},
        {"a:xyzzy()", "unknown metric `xyzzy`; see `coppice list metrics`"},
        {"a:mean('throughput/F3')", "no series `throughput/F3`; did you mean throughput/F1"},
        {"a:mean('0123456789')", "no series `0123456789`"},
        {"a:scalar('x')", "no scalar `x`"},
        {"c()", "`c` has several values of `d`; write c{d = ...}"},
        {"c{d = 3}", "axis `d` of `c` has no value 3"},
        {"c{d = {}}", "axis `d` of `c` has no value table"},
        {"c{d = 1, e = 1}", "`c` has no axis `e`"},
        {"c{1}", "a value without a name; write c{axis = ...}"},
        {"('x'):find('[')", "malformed pattern (missing ']')"},
        {"('x'):find('[a')", "malformed pattern (missing ']')"},
        {"('x'):find('[^')", "malformed pattern (missing ']')"},
        {"('x'):find('%')", "malformed pattern (ends with '%')"},
        {"error('own words')", "own words"},
        {"error({})", "failed"},
        {"{}", "gives a table, not a number"},
        {"nil", "gives a nil, not a number"},
    };
    stage *s = *state;
    char want[300];
    must_read(s,
              HEAD "runs: [{name: a}, {name: late, scale: quick},"
                   " {name: c, vary: {d: {key: link.delay, values: [1 ns, 2 ns]}}}]\n",
              "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    find_points(s);
    cop_eval *e = open_expressions(s);
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_expr x = {all[i].of, "here"};
        double v;
        assert_int_not_equal(cop_eval_number(e, &x, &v), COP_EVAL_OK);
        snprintf(want, sizeof(want), "here: %s", all[i].why);
        assert_string_equal(cop_eval_why(e), want);
    }
    cop_eval_close(e);
}

/* A run was removed from the database since it was found. */
static void test_a_run_that_is_gone(void **state)
{
    stage *s = *state;
    sqlite3 *d;
    must_read(s, HEAD "runs: [{name: a}]\n", "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    find_points(s);
    assert_int_equal(sqlite3_open(s->db, &d), SQLITE_OK);
    assert_int_equal(sqlite3_exec(d, "DELETE FROM run", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(d);
    cop_eval *e = open_expressions(s);
    const refusal gone = {"a:total()", COP_EVAL_NO_RUN, "here: run `a` "};
    expect_refusals(e, &gone, 1);
    assert_true(strlen(cop_eval_why(e)) > strlen("here: run `a` "));
    assert_false(e->loaded[0]);
    cop_expr x = {"a", "here"};
    const cop_result *r;
    assert_int_equal(cop_eval_run(e, &x, &r), COP_EVAL_NO_RUN);
    assert_null(r);
    cop_eval_close(e);
}

/* Values of an axis that are the same one twice: by their number, or by their text. */
static void test_values_twice(void **state)
{
    static const struct {
        const char *values;
        bool twice;
    } all[] = {
        {"[1 ns, 2 ns]", false},  {"[1 ns, 1 ns]", true},
        {"[1 ns, 1.0 ns]", true}, {"[1 ns, 1 us]", false},
        {"[a, b]", false},        {"[a, b, a]", true},
        {"[b, a, a]", true},      {"[1 ns, 1 us, 1 ns]", true},
        {"[7, a, 7.0]", true},
    };
    stage *s = *state;
    char text[256];
    for (size_t i = 0; i < COP_LEN(all); i++) {
        snprintf(text, sizeof(text), HEAD "vary: {d: {key: k, values: %s}}\n", all[i].values);
        int rc = stage_read(s, text, "full", NULL);
        bool said = strstr(s->err.text, "axis `d` has the value ") != NULL &&
                    strstr(s->err.text, " twice") != NULL;
        if (said != all[i].twice)
            fail_msg("%s: %s", all[i].values, s->err.text);
        assert_true(rc != 0 || !all[i].twice);
    }
}

/* Values that only the other scale has are known by name, all of them, and no others. */
static void test_values_of_the_other_scale(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "runs: [{name: a, vary: {d: {key: link.delay, values: [1 ns, 2 ns, 3 ns],"
                   " quick: [2 ns]}}}]\n",
              "quick");
    assert_int_equal(s->study.block[0].axis[0].n_values, 1);
    assert_int_equal(s->study.block[0].axis[0].n_absent, 3);
    assert_int_equal(s->plan.n_points, 1);
    find_points(s);
    cop_eval *e = open_expressions(s);
    static const refusal all[] = {
        {"a{d = 1}:total()", COP_EVAL_NO_RUN, "here: run `a` is not made at this scale"},
        {"a{d = 3}:total()", COP_EVAL_NO_RUN, "here: run `a` is not made at this scale"},
        {"a{d = 2}:total()", COP_EVAL_NO_RUN, "has not been made"},
        {"a{d = 4}:total()", COP_EVAL_FAULT, "has no value 4"},
        {"a{d = 0}:total()", COP_EVAL_FAULT, "has no value 0"}};
    expect_refusals(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* Lua's memory, asked for by hand: bytes are counted, what grows costs its whole new size, what shrinks nothing. */
static void test_allocator(void **state)
{
    (void)state;
    cop_lua_limits l = {.max_bytes = (size_t)1 << 20};
    lua_State *L = cop_sandbox_open(&l);
    void *ud;
    lua_Alloc f = lua_getallocf(L, &ud);
    assert_ptr_equal(ud, &l);
    size_t idle = l.bytes;
    cop_sandbox_enter(&l, 10000, 1000000000);
    void *p = f(ud, NULL, LUA_TTABLE, 1600);
    assert_non_null(p);
    assert_int_equal(l.bytes, idle + 1600);
    assert_int_equal(l.steps_left, 10000 - 100);
    p = f(ud, p, 1600, 800);
    assert_int_equal(l.bytes, idle + 800);
    assert_int_equal(l.steps_left, 10000 - 100);
    p = f(ud, p, 800, 800);
    assert_int_equal(l.steps_left, 10000 - 100);
    p = f(ud, p, 800, 3200);
    assert_int_equal(l.bytes, idle + 3200);
    assert_int_equal(l.steps_left, 10000 - 300);
    assert_null(f(ud, p, 3200, (size_t)2 << 20)); /* more than there may be: it stays as it is */
    assert_int_equal(l.bytes, idle + 3200);
    l.steps_left = 0;
    assert_null(f(ud, p, 3200, 3300));
    p = f(ud, p, 3200, 3200); /* giving back is always possible */
    assert_non_null(p);
    p = f(ud, p, 3200, 100);
    assert_non_null(p);
    assert_null(f(ud, p, 100, 0));
    assert_int_equal(l.bytes, idle);
    /* Just as much as there may be, and a byte more. */
    l.steps_left = INT64_MAX;
    l.total_left = INT64_MAX;
    p = f(ud, NULL, LUA_TTABLE, l.max_bytes - idle);
    assert_non_null(p);
    assert_null(f(ud, NULL, LUA_TTABLE, 1));
    (void)f(ud, p, l.max_bytes - idle, 0);
    assert_null(f(ud, NULL, LUA_TTABLE, l.max_bytes - idle + 1));
    /* A text may have 64 KiB and what Lua needs besides; other things, and texts that grow, may have more. */
    assert_null(f(ud, NULL, LUA_TSTRING, COP_LUA_MAX_TEXT + 65));
    assert_true(l.long_text);
    p = f(ud, NULL, LUA_TSTRING, COP_LUA_MAX_TEXT + 64);
    assert_non_null(p);
    (void)f(ud, p, COP_LUA_MAX_TEXT + 64, 0);
    p = f(ud, NULL, LUA_TUSERDATA, COP_LUA_MAX_TEXT + 65);
    assert_non_null(p);
    (void)f(ud, p, COP_LUA_MAX_TEXT + 65, 0);
    assert_int_equal(l.bytes, idle);
    cop_sandbox_leave(&l);
    lua_close(L);
    assert_int_equal(l.bytes, 0);
}

/* Parts of a format are dear: a number may have hundreds of digits. */
static void test_price_of_formats(void **state)
{
    (void)state;
    int64_t used[3];
    for (int parts = 0; parts < 3; parts++) {
        cop_lua_limits l = {.max_bytes = (size_t)1 << 20};
        lua_State *L = cop_sandbox_open(&l);
        char code[400] = "return string.format('";
        for (int i = 0; i < 20; i++)
            strcat(code, i < 10 * parts ? "%%" : "xx"); /* a per cent sign, or as many letters */
        strcat(code, "')");
        assert_int_equal(luaL_loadstring(L, code), LUA_OK);
        cop_sandbox_enter(&l, 1 << 20, 1000000000);
        assert_int_equal(lua_pcall(L, 0, 1, 0), LUA_OK);
        used[parts] = (1 << 20) - l.steps_left;
        cop_sandbox_leave(&l);
        lua_close(L);
    }
    assert_in_range(used[0], 24 + 4 * 40, 24 + 4 * 40 + 60);
    /* Twenty signs more each time, 60 steps for each; the text that is made has another length. */
    assert_in_range(used[1] - used[0], 20 * 60 - 10, 20 * 60 + 10);
    assert_in_range(used[2] - used[1], 20 * 60 - 10, 20 * 60 + 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_nothing_is_left),           ON_STAGE(test_words),
        ON_STAGE(test_a_run_that_is_gone),        ON_STAGE(test_values_twice),
        ON_STAGE(test_values_of_the_other_scale), cmocka_unit_test(test_allocator),
        cmocka_unit_test(test_price_of_formats),
    };
    return cmocka_run_group_tests_name("study_tidy", tests, NULL, NULL);
}
