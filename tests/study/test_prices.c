/* What calls of library functions cost in expressions: about the work they do, never much less, and not
 * so much more that reasonable expressions are refused; and what those do that replace Lua's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/sandbox.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

/* Steps of `code`; -1 if it is refused, with the message in `why`. Texts and lists for it are made
 * outside, at no cost: t has 4000 numbers, e as many empty texts, s is 4000 times "a". */
static int64_t steps_of(const char *code, char *why, size_t size)
{
    static const char given[] = "t, e, s = {}, {}, ('a'):rep(4000) "
                                "for i = 1, 4000 do t[i] = i e[i] = '' end";
    cop_lua_limits limits = {.max_bytes = (size_t)64 << 20};
    lua_State *L = cop_sandbox_open(&limits);
    assert_int_equal(luaL_loadstring(L, given), LUA_OK);
    assert_int_equal(lua_pcall(L, 0, 0, 0), LUA_OK);
    if (luaL_loadstring(L, code) != LUA_OK)
        fail_msg("%s", lua_tostring(L, -1));
    const int64_t all = 1000000000;
    cop_sandbox_enter(&limits, all, 10 * (int64_t)1000000000);
    int rc = lua_pcall(L, 0, 0, 0);
    cop_sandbox_leave(&limits);
    int64_t used = all - limits.steps_left;
    if (rc != LUA_OK) {
        snprintf(why, size, "%s", lua_tostring(L, -1));
        used = -1;
    }
    lua_close(L);
    return used;
}

/* Work in items or characters moved, compared or made. */
static void test_calls_cost_their_work(void **state)
{
    static const struct {
        const char *code;
        int64_t least, most;
    } all[] = {
        {"local x = 1", 0, 30},
        {"table.insert(t, 1, 7)", 4000, 4100},
        {"table.insert(t, 3001, 7)", 1000, 1100},
        {"table.insert({}, 7)", 0, 40},
        {"table.remove(t, 1)", 4000, 4100},
        {"table.remove(t, 3001)", 1000, 1100},
        {"table.remove(t)", 0, 40},
        {"table.concat(e)", 4000, 9000},
        {"table.concat(e, '', 3001)", 1000, 3000},
        {"table.concat(e, '', 1, 1000)", 1000, 3000},
        {"local a = table.unpack(t)", 4000, 9000},
        {"local a = table.unpack(t, 3001)", 1000, 3000},
        {"local a = table.unpack(t, 1, 1000)", 1000, 3000},
        {"table.pack(1, 2, 3)", 3, 100},
        {"local a = s:byte(1, -1)", 4000, 9000},
        {"local a = s:byte(1, 1000)", 1000, 3000},
        {"local a = s:byte(-1000, -1)", 1000, 3000},
        {"local a = s:byte()", 1, 60},
        {"local a = s:byte(4000)", 1, 60},
        {"s:upper()", 4000, 4600}, /* and 4000 bytes made */
        {"s:lower()", 4000, 4600},
        {"s:reverse()", 4000, 4600},
        {"tonumber(s)", 4000, 4100},
        {"tonumber(4)", 0, 40},
        {"string.format(s)", 4000, 17000},
        {"string.format('%d', 7)", 2, 100},
        {"string.rep('', 4000)", 4000, 4100},
        {"string.rep('', 0)", 0, 40},
        {"string.rep('', -5)", 0, 40},
        {"math.max(1, 2, 3)", 3, 60},
        {"math.min(table.unpack(t, 1, 1000))", 2000, 8000},
        {"select('#', table.unpack(t, 1, 1000))", 2000, 8000},
        {"string.char(table.unpack(t, 1, 200))", 400, 2000},
        {"('a5'):find(5)", 0, 300},
        {"s:find(5)", 4000, 4400},
        {"string.gsub(s, 'b', 'x')", 4000, 9000},
        {"string.gsub('', 'b', s)", 1000, 1400},
        {"string.gsub(s, 'b', s)", 1000000, 5000000}, /* 4000 could be written 4001 times */
        {"string.format('%99.99f %99.99f', 1e300, 1e300)", 120, 400},
        {"table.sort(t)", 4000, 400000},
        {"for k in pairs(t) do end", 4000, 400000},
        {"next(t)", 4000, 40000},
    };
    char why[200];
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        int64_t used = steps_of(all[i].code, why, sizeof(why));
        if (used < 0)
            fail_msg("%s: %s", all[i].code, why);
        if (used < all[i].least || used > all[i].most)
            fail_msg("%s costs %lld, not %lld to %lld", all[i].code, (long long)used,
                     (long long)all[i].least, (long long)all[i].most);
    }
}

/* What is no text has no bytes, and what is no list no items: a second call costs as much as an empty one. */
static void test_calls_that_do_nothing(void **state)
{
    static const struct {
        const char *code;
        int64_t price; /* of a call */
    } all[] = {
        {"tonumber(4)", 0},       {"tonumber('')", 0},         {"tonumber('abc')", 3},
        {"string.rep('', 0)", 0}, {"table.concat({}, '')", 0}, {"math.max(1, 2)", 2},
        {"select('#')", 1},       {"assert(true)", 1},         {"table.remove(e, 1)", 1},
        {"table.remove(e)", 1},
    };
    char why[200], code[200];
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        int64_t used[2];
        for (int twice = 0; twice < 2; twice++) {
            snprintf(code, sizeof(code), "local e = {} for i = 1, %d do %s end", twice ? 20 : 10,
                     all[i].code);
            used[twice] = steps_of(code, why, sizeof(why));
        }
        int64_t made = strchr(all[i].code, '{') ? 40 : 0; /* for tables */
        if (used[1] - used[0] < 10 * all[i].price || used[1] - used[0] > 10 * (all[i].price + made))
            fail_msg("ten times %s cost %lld", all[i].code, (long long)(used[1] - used[0]));
    }
}

/* A match may try each part at each of n places; 16 comparisons are a step. Text of 4000, so n^2 is a
 * million steps. */
static void test_matches_cost_their_ways(void **state)
{
    enum { N = 4001 };
    static const struct {
        const char *pattern;
        int runs, options; /* parts that take any number of characters; that may be left out */
        bool anchored;
    } all[] = {
        {"b", 0, 0, false},      {"^b", 0, 0, true},     {"b*", 1, 0, false},
        {"b+", 1, 0, false},     {"b-", 1, 0, false},    {"^b*", 1, 0, true},
        {"^b*c*", 2, 0, true},   {"b?", 0, 1, false},    {"^b?c?d?", 0, 3, true},
        {"^%a*", 1, 0, true},    {"^%%b*", 1, 0, true},  {"^[bc]*", 1, 0, true},
        {"^[^b]-c", 1, 0, true}, {"^[]]*", 1, 0, true},  {"^[%]]*", 1, 0, true},
        {"^%b()", 1, 0, true},   {"^%*", 0, 0, true},    {"^%-c", 0, 0, true},
        {"^[*+]", 0, 0, true},   {"^[%]*]", 0, 0, true}, {"^[]*]", 0, 0, true},
    };
    char why[200], code[100];
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        static const char *const calls[] = {"s:find('%s')", "s:match('%s')", "s:gsub('%s', '')",
                                            "s:gmatch('%s')"};
        for (size_t k = 0; k < COP_LEN(calls); k++) {
            snprintf(code, sizeof(code), calls[k], all[i].pattern);
            double ways = all[i].anchored && k < 3 ? 1 : N; /* gmatch knows no anchor */
            for (int r = 0; r < all[i].runs; r++)
                ways *= N;
            for (int o = 0; o < all[i].options; o++)
                ways *= 2;
            double length = (double)strlen(all[i].pattern) + 1;
            double least = ways * length / 16, most = 4 * least + N + 1000;
            int64_t used = steps_of(code, why, sizeof(why));
            bool dear = least > 1e9;
            if (dear ? used >= 0 : used < 0)
                fail_msg("%s: %lld %s", code, (long long)used, used < 0 ? why : "");
            if (!dear && ((double)used < least || (double)used > most))
                fail_msg("%s costs %lld, not %g to %g", code, (long long)used, least, most);
        }
    }
    /* The longest set counts: each character is compared with all of it. */
    int64_t narrow = steps_of("s:find('^[bcd]*')", why, sizeof(why));
    int64_t wide = steps_of("s:find('^[bcdefghijklmnopqrstuvwxyz0123456789]*')", why, sizeof(why));
    assert_true(wide > 10 * narrow && narrow > 0);
}

/* Lua's own sort and order of keys are replaced: any length, in both directions, equal values in the
 * order they had; keys by kind and then by value, texts by their bytes. */
static void test_order(void **state)
{
    static const char *const all[] = {
        "for n = 0, 70 do local u, sum = {}, 0 "
        "for i = 1, n do u[i] = (i * 37) % 41 sum = sum + u[i] end "
        "table.sort(u) assert(#u == n) "
        "for i = 1, n do sum = sum - u[i] assert(i == 1 or u[i - 1] <= u[i]) end assert(sum == 0) "
        "table.sort(u, function(a, b) return a > b end) "
        "for i = 2, n do assert(u[i - 1] >= u[i]) end end",
        "for n = 0, 40 do local u = {} for i = 1, n do u[i] = {(i * 7) % 5, i} end "
        "table.sort(u, function(a, b) return a[1] < b[1] end) "
        "for i = 2, n do local a, b = u[i - 1], u[i] "
        "assert(a[1] < b[1] or (a[1] == b[1] and a[2] < b[2])) end end",
        "local u = {'b', 'a', 'ab', '', 'B'} table.sort(u) "
        "for i = 2, 5 do assert(u[i - 1] < u[i]) end",
        "for n = 0, 40 do local u, at = {}, 0 "
        "for i = 1, n do u[(i * 17) % 41 - 20] = i u['k' .. (i * 17) % 41] = i end "
        "local last, texts, numbers = nil, 0, 0 "
        "for k, v in pairs(u) do assert(u[k] == v) "
        "if type(k) == 'number' then assert(texts == 0 and (not last or last < k)) "
        "numbers = numbers + 1 last = k else "
        "assert(texts == 0 or last < k) texts = texts + 1 last = k end end "
        "assert(texts == n and numbers == n) end",
        "local u, s = {[true] = 1, [false] = 2, ab = 3, a = 4, [''] = 5, ['\\255'] = 6, [2] = 7,"
        " [-1.5] = 8, [10] = 9}, '' for k, v in pairs(u) do s = s .. v end assert(s == '879543621')"
        " s = '' local k, v = next(u) while k ~= nil do s = s .. v k, v = next(u, k) end "
        "assert(s == '879543621')",
        "local u, n = {1, 2, 3, 4, 5, 6}, 0 "
        "for k in pairs(u) do n = n + 1 u[k + 1] = nil end assert(n == 3)",
        "local n = 0 for k in pairs({}) do n = n + 1 end assert(n == 0 and next({}) == nil)",
    };
    char why[300];
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++)
        if (steps_of(all[i], why, sizeof(why)) < 0)
            fail_msg("%s: %s", all[i], why);
}

/* Ten thousand values at once, not more. */
static void test_many_values(void **state)
{
    static const struct {
        const char *code;
        bool good;
    } all[] = {
        {"local a = table.unpack({}, 1, 10000)", true},
        {"local a = table.unpack({}, 1, 10001)", false},
        {"for i = 4001, 10001 do t[i] = i end local a = table.unpack(t)", false},
        {"for i = 4001, 10000 do t[i] = i end local a = table.unpack(t)", true},
        {"local a = ('a'):rep(10000):byte(1, -1)", true},
        {"local a = ('a'):rep(10001):byte(1, -1)", false},
        {"local a = ('a'):rep(20000):byte(1, 10001)", false},
        {"local a = ('a'):rep(20000):byte(-10000, -1)", true},
    };
    char why[200] = "";
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        bool good = steps_of(all[i].code, why, sizeof(why)) >= 0;
        if (good != all[i].good || (!good && strstr(why, "more than 10000 values") == NULL))
            fail_msg("%s: %d %s", all[i].code, (int)good, why);
    }
}

/* What is left out costs as much as what it stands for. Both make as many instructions. */
static void test_what_is_left_out(void **state)
{
    static const char *const same[][2] = {
        {"local a = nil table.concat(e, '', a)", "local a = 1 table.concat(e, '', a)"},
        {"local a = nil table.concat(e, '', 7, a)", "local a = 4000 table.concat(e, '', 7, a)"},
        {"local a = nil table.concat(e, a)", "local a = '' table.concat(e, a)"},
        {"local a = nil local b = table.unpack(t, a)", "local a = 1 local b = table.unpack(t, a)"},
        {"local a = nil local b = table.unpack(t, 7, a)",
         "local a = 4000 local b = table.unpack(t, 7, a)"},
        {"local a = nil local b = s:byte(a)", "local a = 1 local b = s:byte(a)"},
        {"local a = nil local b = s:byte(7, a)", "local a = 7 local b = s:byte(7, a)"},
    };
    char why[200] = "";
    (void)state;
    for (size_t i = 0; i < COP_LEN(same); i++) {
        int64_t a = steps_of(same[i][0], why, sizeof(why)),
                b = steps_of(same[i][1], why, sizeof(why));
        if (a < 0 || a != b)
            fail_msg("%s costs %lld, %s %lld; %s", same[i][0], (long long)a, same[i][1],
                     (long long)b, why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_cost_their_work),
        cmocka_unit_test(test_calls_that_do_nothing),
        cmocka_unit_test(test_matches_cost_their_ways),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_what_is_left_out),
    };
    return cmocka_run_group_tests_name("prices", tests, NULL, NULL);
}
