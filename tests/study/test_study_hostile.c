/* Studies from strangers: files that try to crash, to stall or to cheat. Each is refused with a line
 * that says where and why, and soon. */
#include "study_fixture.h"

#include "study/sandbox.h"

#include <lauxlib.h>
#include <time.h>

#define HEAD "experiment: e\nbase: base.yaml\n"
/* Everything here takes some tenths of a second; without a limit it would be hours. Machines may be slow, and others
 * may use them. */
#define SOON_S 60.0

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Read, plan and rehearse; must be refused with this text. */
static void refuse(stage *s, const char *text, const char *what)
{
    double before = cpu_seconds();
    if (stage_read(s, text, "full", NULL) == 0 && cop_study_rehearse(&s->plan, &s->err) == 0)
        fail_msg("accepted: %.300s", text);
    if (strstr(s->err.text, what) == NULL)
        fail_msg("expected `%s` in: %s", what, s->err.text);
    assert_non_null(strstr(s->err.text, "study.yaml:"));
    if (cpu_seconds() - before > SOON_S)
        fail_msg("took %g s: %.300s", cpu_seconds() - before, text);
}

/* A table with holes may claim a length of 2^63 - 1. */
#define SPARSE                                                                                     \
    "(function() local t = {} for i = 1, 16 do t[i] = 1 end local i = 1 "                          \
    "while i > 0 do t[i] = 1 t[i + 1] = 1 i = i * 2 end t[math.maxinteger] = 1 return t end)()"

static void test_lists(void **state)
{
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_eval *e = cop_eval_open(&s->plan, NULL);
    cop_arena a = {0};
    double *v;
    cop_bin_width width;
    const char **cells;
    size_t n;
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    static const struct {
        const char *expr, *list, *texts; /* what each says; NULL: takes it */
    } bad[] = {
        {SPARSE, "a hole after item 17", "a hole after item 17"},
        {"{1, 2, nil, 4}", "a hole after item 2", "a hole after item 2"},
        {"{1, 2, n = 4}", NULL, NULL},
        {"{1, 'x'}", "item 2 of the list is a string", NULL},
        {"{1, {}}", "item 2 of the list is a table", "item 2 of the list is a table"},
        {"{mean}", "item 1 of the list is a function", "item 1 of the list is a function"},
        {"{('x'):rep(5000)}", "is a string", "more than 1000 characters"},
        {"(function() local t = {} for i = 1, 2000 do t[i] = i end return t end)()", NULL,
         "more than 1000 cells"},
    };
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        cop_expr x = {bad[i].expr, "here"};
        enum cop_eval_status st = cop_eval_list(e, &x, &a, &v, &n, &width);
        assert_int_equal(st, bad[i].list ? COP_EVAL_FAULT : COP_EVAL_OK);
        if (bad[i].list)
            assert_non_null(strstr(cop_eval_why(e), bad[i].list));
        st = cop_eval_texts(e, &x, &a, &cells, &n);
        assert_int_equal(st, bad[i].texts ? COP_EVAL_FAULT : COP_EVAL_OK);
        if (bad[i].texts)
            assert_non_null(strstr(cop_eval_why(e), bad[i].texts));
    }
    cop_arena_free(&a);
    cop_eval_close(e);
}

/* The number of runs is a product, which must not wrap around. */
static void test_products(void **state)
{
    stage *s = *state;
    char text[8192] = HEAD "seeds: 1000\nvary:\n";
    size_t used = strlen(text);
    for (int axis = 0; axis < 8; axis++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "  a%d: {key: k%d, values: [",
                                 axis, axis);
        for (int i = 0; i < 128; i++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "", i);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "]}\n");
    }
    refuse(s, text, "more than 100000 runs");
    refuse(s, HEAD "seeds: 9223372036854775807\n", "1 to 1000");
    refuse(s, HEAD "seeds: 18446744073709551617\n", "1 to 1000");
    refuse(s, HEAD "seeds: [1e300]\n", "whole number");
}

/* Short files that would become long ones, and long ones that would take a day. */
static void test_sizes(void **state)
{
    stage *s = *state;
    size_t size = (size_t)4 << 20, used;
    char *text = cop_alloc(size);
    used = (size_t)sprintf(text, HEAD "about: &a '");
    memset(text + used, 'x', 60000);
    used += 60000;
    used += (size_t)sprintf(text + used, "'\nset: {topology.names: [1");
    for (int i = 0; i < 6000; i++)
        used += (size_t)sprintf(text + used, ", *a");
    sprintf(text + used, "]}\n");
    refuse(s, text, "8 MiB with all aliases");
    used = (size_t)sprintf(text, HEAD "vary: {l: {key: k, values: [0");
    for (int i = 1; i < 200000; i++)
        used += (size_t)sprintf(text + used, ",%d", i);
    sprintf(text + used, "]}}\n");
    refuse(s, text, "more than 10000 entries");
    used = (size_t)sprintf(text, HEAD "seeds: 1000\nvary:\n  l:\n    key: k\n    values:\n");
    for (int i = 1; i < 100; i++)
        used += (size_t)sprintf(text + used, "    - %0*d\n", 2000 + i, 0);
    refuse(s, text, "the names of all runs");
    refuse(s, "experiment: e\nbase: /dev/zero\n", "cannot be read"); /* it has no end */
    /* Many items of one check: as long as they are, not as their square. */
    used = (size_t)sprintf(text, HEAD "checks:\n  c:\n    of:\n");
    for (int i = 0; i < 9000; i++)
        used += (size_t)sprintf(text + used, "      i%0300d: {of: '1', min: 1}\n", i);
    must_read(s, text, "full");
    cop_arena a = {0};
    cop_study_record r;
    assert_int_equal(cop_study_evaluate(&s->plan, NULL, "", &a, &r, &s->err), 0);
    assert_true(strlen(r.verdict[0].measured) > 9000 * 300);
    assert_true(a.total < (size_t)50 << 20);
    cop_arena_free(&a);
    cop_free(text);
}

/* Rehearsed, each must be refused with this text, or accepted (NULL). */
typedef struct trial {
    const char *expr, *what;
} trial;

#define CLOCK_S 2.0 /* what an expression may take, rehearsed */
/* A step of a library function may cost as much as so many of Lua's own, in a build that checks everything. */
#define LONG 8.0

/* What all steps of one expression take on this machine, now. */
static double longest(const cop_plan *plan)
{
    cop_eval *e = cop_eval_open(plan, NULL);
    cop_expr x = {"(function() local n = 0 while true do n = n + 1 end end)()", "here"};
    double v, before = cpu_seconds();
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    assert_int_equal(cop_eval_number(e, &x, &v), COP_EVAL_FAULT);
    cop_eval_close(e);
    return cpu_seconds() - before;
}

/* Try one expression with an evaluator of its own, as one that is dear must not spoil the next: all together have their
 * limit too. False: neither its steps nor anything else ended it, but the clock. */
static bool try_one(const stage *s, const trial *t)
{
    cop_eval *e = cop_eval_open(&s->plan, NULL);
    cop_expr x = {t->expr, "here"};
    double v;
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    enum cop_eval_status st = cop_eval_number(e, &x, &v);
    bool clock = st == COP_EVAL_FAULT && strstr(cop_eval_why(e), "took more than");
    if (!clock && t->what == NULL && st != COP_EVAL_OK)
        fail_msg("%s: %s", t->expr, cop_eval_why(e));
    if (!clock && t->what != NULL && st != COP_EVAL_FAULT)
        fail_msg("%s is accepted", t->expr);
    if (!clock && t->what != NULL && strstr(cop_eval_why(e), t->what) == NULL)
        fail_msg("%s: expected `%s` in: %s", t->expr, t->what, cop_eval_why(e));
    cop_eval_close(e);
    return !clock;
}

/* Where the clock ends what steps should have ended, the machine must be to blame: busy for a moment, or so slow
 * that all steps of Lua's own take that long. */
static void try_all(stage *s, const trial *t, size_t n)
{
    must_read(s, HEAD "runs: [{name: on}, {name: off}]\n", "full");
    for (size_t i = 0; i < n; i++) {
        bool ended = false;
        for (int tries = 0; tries < 5 && !ended; tries++)
            ended = try_one(s, &t[i]);
        if (!ended && LONG * longest(&s->plan) < CLOCK_S)
            fail_msg("%s: its work is not counted, only the clock ended it", t[i].expr);
    }
}

#define DO(code) "(function() " code " return 1 end)()"
#define TOO_LONG "takes too long"

static const trial costly[] = {
    {DO("local s = ('a'):rep(30000) for i = 1, 3 do s:find('a-b') end"), TOO_LONG},
    {DO("local t = {} for i = 1, 20000 do table.insert(t, 1, i) end"), TOO_LONG},
    {DO("local t = {} for i = 1, 20000 do t[i] = i end "
        "for i = 1, 20000 do table.remove(t, 1) end"),
     TOO_LONG},
    {DO("local t = {} for i = 1, 50000 do t[i] = '' end "
        "for i = 1, 50000 do table.concat(t) end"),
     TOO_LONG},
    {DO("local t = {} for i = 1, 300000 do t[i] = i end "
        "table.sort(t, function(a, b) return true end)"),
     TOO_LONG},
    {DO("local t = {} for i = 1, 1000 do t[i] = -i end "
        "for i = 1, 1e6 do table.sort(t, function(a, b) t[1] = nil return a < b end) end"),
     TOO_LONG},
    {DO("local s = ('x'):rep(60000) local t = {} for i = 1, 1e5 do t[i] = s end "
        "table.sort(t)"),
     TOO_LONG},
    {DO("for i = 1, 1e7 do string.format('%99d', i) end"), TOO_LONG},
    {DO("for i = 1, 1e7 do ('%99.99f'):rep(500):format(i) end"), "'format'"},
    {DO("local s = ('x'):rep(60000) for i = 1, 1e6 do local t = s .. i end"), TOO_LONG},
    {DO("local s = 'x' for i = 1, 1e6 do s = s .. i end"), TOO_LONG},
    {DO("local s = 'x' for i = 1, 60 do s = s .. s end"), "64 KiB"},
    {DO("local s = ('x'):rep(60000) for i = 1, 1e7 do s:upper() end"), TOO_LONG},
    {DO("local s = ('1'):rep(60000) for i = 1, 1e7 do tonumber(s) end"), TOO_LONG},
    {DO("for i = 1, 1e7 do string.rep('', 1e6) end"), TOO_LONG},
    {"#string.rep('x', 1e6)", "64 KiB"},
    {DO("local t = {} for i = 1, 9000 do t[i] = i end "
        "for i = 1, 1e7 do select(-1, table.unpack(t)) end"),
     TOO_LONG},
    {DO("table.unpack({}, 1, 1e6)"), "more than 10000 values"},
    {DO("table.unpack({}, math.mininteger, math.maxinteger)"), "more than 10000 values"},
    {DO("table.concat({}, '', math.mininteger, math.maxinteger)"), TOO_LONG},
    {DO("table.insert({}, math.mininteger, 1)"), TOO_LONG},
    {DO("string.byte(('x'):rep(60000), 1, -1)"), "more than 10000 values"},
    {DO("local t = " SPARSE " table.insert(t, 1, 1)"), TOO_LONG},
    {DO("local t = " SPARSE " table.sort(t)"), TOO_LONG},
    {DO("local t = {} for i = 1, 2000 do t['k' .. i] = i end "
        "local k = next(t) while k do k = next(t, k) end "
        "for i = 1, 1e4 do next(t, 'k1') end"),
     TOO_LONG},
    {DO("local t = {} for i = 1, 1e5 do t['k' .. i] = i end for i = 1, 50 do pairs(t) end"),
     TOO_LONG},
    {DO("('x'):rep(30000):match(('[' .. ('y'):rep(20000) .. ']*x'))"), TOO_LONG},
    {DO("('x'):rep(3000):match('%b()%b()%b()')"), TOO_LONG},
    {DO("('x'):rep(3000):gsub('(.-)%1(.-)', '')"), TOO_LONG},
    {DO("for w in ('a'):rep(30000):gmatch('^a-b') do end"), TOO_LONG},
    {DO("local function f() return f() + 1 end f()"), "recursion without end"},
    {DO("local t = {} for i = 1, 1e7 do t = {t} end"), "memory"},
    {DO("local t = {} for i = 1, 1e7 do t[i] = i end"), "memory"},
    {DO("('a'):rep(65000):gsub('', ('%0'):rep(32000))"), TOO_LONG},
    /* What is reasonable is not refused. */
    {"#('a'):rep(200):match('a-$')", NULL},
    {DO("local t = {} for i = 1, 1e5 do t[i] = -i end table.sort(t)"), NULL},
    {DO("local t = {} for i = 1, 1000 do table.insert(t, 1, i) end"), NULL},
    {DO("local t = {} for i = 1, 10000 do t[i] = i end table.concat(t, ' ')"), NULL},
    {DO("for k, v in pairs(on:ports()) do local s = ('s1.%d'):format(k):match('^(.*)%.%d+$') "
        "end"),
     NULL},
};

/* Work of library functions counts, not only that of Lua code. */
static void test_time(void **state)
{
    try_all(*state, costly, COP_LEN(costly));
}

/* Very many expressions have a limit together. */
static void test_time_together(void **state)
{
    stage *s = *state;
    size_t size = 1 << 20, used = 0;
    char *text = cop_alloc(size);
    used += (size_t)snprintf(text, size, HEAD "checks:\n");
    for (int i = 0; i < 1000; i++)
        used += (size_t)snprintf(
            text + used, size - used,
            "  c%d: {of: {of: \"(function() for i = 1, 4e6 do end return 1 end)()\", min: 1}}\n",
            i);
    double before = cpu_seconds();
    assert_int_equal(stage_read(s, text, "full", NULL), 0);
    assert_int_not_equal(cop_study_rehearse(&s->plan, &s->err), 0);
    assert_non_null(strstr(s->err.text, "study.yaml:"));
    assert_non_null(strstr(s->err.text, "all expressions together"));
    assert_true(cpu_seconds() - before < SOON_S);
    cop_free(text);
}

/* Copying many arguments is one step however many there are; only the clock sees it. */
static void test_deadline(void **state)
{
    static const char code[] = "local function g(n, ...) if n == 0 then return 1 end "
                               "return g(n - 1, n, ...) end return g(1e5)";
    (void)state;
    cop_lua_limits limits = {.max_bytes = (size_t)64 << 20};
    lua_State *L = cop_sandbox_open(&limits);
    assert_int_equal(luaL_loadstring(L, code), LUA_OK);
    double before = cpu_seconds();
    cop_sandbox_enter(&limits, INT64_MAX, 100000000);
    assert_int_not_equal(lua_pcall(L, 0, 1, 0), LUA_OK);
    cop_sandbox_leave(&limits);
    assert_true(cpu_seconds() - before < SOON_S);
    assert_non_null(strstr(lua_tostring(L, -1), "took more than"));
    /* What was used counts for all together. */
    assert_true(limits.cpu_ns_left < INT64_MAX - 90000000);
    limits.cpu_ns_left = 0;
    assert_non_null(cop_sandbox_exhausted(&limits));
    lua_close(L);
}

/* Nothing an expression does is seen by the next, or by a metric. */
static void test_changes(void **state)
{
    static const trial all[] = {
        {DO("math.max = nil"), "cannot change a library"},
        {DO("string.gmatch = nil"), "cannot change a library"},
        {DO("table.sort = nil"), "cannot change a library"},
        {DO("table.insert(table, 1)"), "cannot change a library"},
        {DO("ipairs = nil"), "cannot set `ipairs`"},
        {DO("sum = nil"), "cannot set `sum`"},
        {DO("new = 1"), "cannot set `new`"},
        {DO("_ENV.new = 1"), "cannot set `new`"},
        {DO("_ENV[{}] = 1"), "cannot set"},
        {DO("function mean() return 7 end"), "cannot set `mean`"},
        {DO("on = off"), "cannot set `on`"},
        {DO("on.total = 1"), "cannot change a block"},
        {DO("on[1] = 1"), "cannot change a block"},
        {DO("table.insert(on, 1)"), ""},
        {DO("_G.math = nil"), "unknown name `_G`"},
        {DO("rawset(math, 'max', nil)"), "unknown name `rawset`"},
        {DO("local m = ('').x m.y = 1"), "nil value"},
        {DO("('').x = 1"), "index"},
        {DO("local s = on:series('F1') s[1] = 99 assert(on:series('F1')[1] == 1)"), NULL},
        {DO("local _ENV = {} new = 1"), NULL},
    };
    try_all(*state, all, COP_LEN(all));
}

/* What a table or function is called differs from run to run, and so does the order of Lua's keys. */
static void test_chance(void **state)
{
    static const trial all[] = {
        {"#tostring({})", "has no text"},
        {"#tostring(mean)", "has no text"},
        {"#tostring(on)", "has no text"},
        {"#('%s'):format({})", "has no text"},
        {"#string.format('%s', mean)", "has no text"},
        {"#string.format('%p', 'x')", "address"},
        {"#string.format('%-20p', 'x')", "address"},
        {"#string.format('\\0%%%p', 'x')", "address"},
        {"#string.format('%5.1f%%p%s', 1, nil)", NULL},
        {DO("for k in pairs({[{}] = 1}) do end"), "a key that is a table"},
        {DO("next({[mean] = 1})"), "a key that is a function"},
        {DO("local s = '' for k, v in pairs({b = 1, a = 2, [2] = 3, [1.5] = 4, [true] = 5, [-1] = "
            "6, c = 7})"
            " do s = s .. tostring(k) .. v end assert(s == '-161.5423a2b1c7true5', s)"),
         NULL},
        {DO("local t = {b = 1, a = 2, [3] = 1} local k, v = next(t) assert(k == 3 and v == 1) "
            "k, v = next(t, k) assert(k == 'a' and v == 2) k = next(t, k) assert(k == 'b') "
            "assert(next(t, k) == nil and next({}) == nil)"),
         NULL},
        {DO("local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t[k] = nil end "
            "assert(next(t) == nil)"),
         NULL},
        {DO("local t = {{1, 'a'}, {0, 'b'}, {1, 'c'}, {0, 'd'}} "
            "table.sort(t, function(a, b) return a[1] < b[1] end) "
            "assert(t[1][2] .. t[2][2] .. t[3][2] .. t[4][2] == 'bdac')"),
         NULL},
        {DO("local t = {3, 1, 2, 5, 4} table.sort(t) assert(table.concat(t) == '12345') "
            "table.sort(t, function(a, b) return a > b end) assert(table.concat(t) == '54321')"),
         NULL},
        {DO("table.sort({1, 'x'})"), "compare"},
        {"on{p = 1, z = 1, a = 1}:total()", "no axis `a`"},
        {"on{1}:total()", "without a name"},
    };
    try_all(*state, all, COP_LEN(all));
}

/* `let` values: each expression has its own copy; what has a state cannot be kept. */
static void test_lets(void **state)
{
    static const struct {
        const char *let, *what;
    } bad[] = {
        {"(function() local n = 0 return function() n = n + 1 return n end end)()",
         "local variable `n`"},
        {"(function() local _ENV = {n = 0} return function() n = n + 1 return n end end)()",
         "local variable `_ENV`"},
        {"{f = (function() local n = 0 return function() n = n + 1 return n end end)()}",
         "local variable `n`"},
        {"string.gmatch('a b c', '%a')", "has a state"},
        {"{[{}] = 1}", "a table as a key"},
        {"(function() local t = {} for i = 1, 100 do t = {t} end return t end)()", "levels"},
        {"(function() local t = {} for i = 1, 16 do t = {t, t} end return t end)()", NULL},
        {"(function() local t = {} t.t = t return t end)()", NULL},
        {"max", NULL},
        {"math.max", NULL},
        {"pairs", NULL},
    };
    stage *s = *state;
    char text[600];
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        snprintf(text, sizeof(text),
                 HEAD "let: {v: \"%s\"}\nchecks: {c: {of: {of: '1', min: 1}}}\n", bad[i].let);
        if (bad[i].what != NULL) {
            refuse(s, text, bad[i].what);
            continue;
        }
        must_read(s, text, "full");
        if (cop_study_rehearse(&s->plan, &s->err) != 0)
            fail_msg("%s: %s", bad[i].let, s->err.text);
    }
    must_read(s,
              HEAD "let: {t: '{3, {1}}', u: '{t[2], t}', sum: 'function(a) return 7 end',"
                   " f: 'function(i) t[1] = t[1] + i return t[1] end'}\n",
              "full");
    cop_eval *e = cop_eval_open(&s->plan, NULL);
    static const struct {
        const char *expr;
        double value;
    } steps[] = {
        {"(function() t[1] = 5 t[2][1] = 6 u[2][1] = 8 return t[1] + t[2][1] end)()", 11},
        {"t[1] + t[2][1]", 4},
        {"u[1][1] + u[2][1]", 4},
        {"f(1) + f(1)", 9}, /* inside one expression changes are seen */
        {"f(1)", 4},
        {"sum{1, 2}", 7},
        {"mean{1, 2}", 1.5}, /* metrics have their own sum */
    };
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    for (size_t i = 0; i < COP_LEN(steps); i++) {
        cop_expr x = {steps[i].expr, "here"};
        double v = 0;
        if (cop_eval_number(e, &x, &v) != COP_EVAL_OK)
            fail_msg("%s: %s", steps[i].expr, cop_eval_why(e));
        if (v != steps[i].value)
            fail_msg("%s is %g, not %g", steps[i].expr, v, steps[i].value);
    }
    cop_eval_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_lists),   ON_STAGE(test_sizes),         ON_STAGE(test_products),
        ON_STAGE(test_time),    ON_STAGE(test_time_together), cmocka_unit_test(test_deadline),
        ON_STAGE(test_changes), ON_STAGE(test_chance),        ON_STAGE(test_lets),
    };
    return cmocka_run_group_tests_name("study_hostile", tests, NULL, NULL);
}
