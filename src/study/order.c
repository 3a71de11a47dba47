/* Library functions without chance.
 *
 * Role: Lua orders the keys of a table by randomly seeded hashes, prints tables as addresses, and
 * takes pivots from the clock in long sorts. What an expression computes must depend on the runs
 * alone. So `pairs` and `next` go through keys in order (numbers, then texts, then
 * booleans), `table.sort` is a merge sort, and what has no text of its own is not turned into one.
 * Cost: pairs and sort count their comparisons, next counts the keys. */
#include "study/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

/* -- sorting -- */

/* Is the value at the top less than the one below it? Leaves both. */
typedef bool less_fn(lua_State *L);

/* Merge src[lo..mid) and src[mid..hi), counted from 0, into dst; equal values keep their order. */
static void merge(lua_State *L, int src, int dst, lua_Integer lo, lua_Integer mid, lua_Integer hi,
                  less_fn *less)
{
    lua_Integer left = lo, right = mid;
    for (lua_Integer to = lo; to < hi; to++) {
        bool take_right = left == mid;
        if (left < mid && right < hi) {
            cop_sandbox_charge(L, 4);
            lua_rawgeti(L, src, left + 1);
            lua_rawgeti(L, src, right + 1);
            take_right = less(L);
            lua_pop(L, 2);
        }
        lua_rawgeti(L, src, take_right ? ++right : ++left);
        lua_rawseti(L, dst, to + 1);
    }
}

/* Sort the n items of the list at the top of the stack, to which there is no other reference. */
static void sort(lua_State *L, lua_Integer n, less_fn *less)
{
    int src = lua_gettop(L), dst = src + 1;
    lua_newtable(L);
    for (lua_Integer width = 1; width < n; width *= 2) {
        for (lua_Integer lo = 0; lo < n; lo += 2 * width) {
            lua_Integer mid = lo + width < n ? lo + width : n;
            lua_Integer hi = mid + width < n ? mid + width : n;
            merge(L, src, dst, lo, mid, hi, less);
        }
        int other = src;
        src = dst;
        dst = other;
    }
    if (src < dst)
        lua_pop(L, 1); /* the sorted one stays */
    else
        lua_remove(L, dst);
}

static bool less_by_nature(lua_State *L)
{
    if (lua_type(L, -1) == LUA_TSTRING)
        cop_sandbox_charge(L, lua_rawlen(L, -1) / 64);
    return lua_compare(L, -1, -2, LUA_OPLT) != 0;
}

/* The function is argument 2. */
static bool less_by_function(lua_State *L)
{
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 1);
    bool less = lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    return less;
}

/* table.sort(list, [less]). A copy is sorted, so that `less` cannot disturb it. */
static int lua_sort(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    bool own = !lua_isnoneornil(L, 2);
    if (own)
        luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_Unsigned n = lua_rawlen(L, 1);
    cop_sandbox_charge(L, n);
    lua_newtable(L);
    for (lua_Unsigned i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, (lua_Integer)i);
        lua_rawseti(L, 3, (lua_Integer)i);
    }
    sort(L, (lua_Integer)n, own ? less_by_function : less_by_nature);
    for (lua_Unsigned i = 1; i <= n; i++) {
        lua_rawgeti(L, 3, (lua_Integer)i);
        lua_seti(L, 1, (lua_Integer)i); /* not raw: a block of runs refuses */
    }
    return 0;
}

/* -- keys in order -- */

static int rank(lua_State *L, int index)
{
    int type = lua_type(L, index);
    if (type == LUA_TNUMBER)
        return 0;
    if (type == LUA_TSTRING)
        return 1;
    if (type != LUA_TBOOLEAN)
        luaL_error(L, "a key that is a %s has no place in an order; use texts or numbers as keys",
                   lua_typename(L, type));
    return 2;
}

/* Does the key at index i come before the one at index k? */
static bool key_before(lua_State *L, int i, int k)
{
    int a = rank(L, i), b = rank(L, k);
    if (a != b)
        return a < b;
    if (a == 0)
        return lua_compare(L, i, k, LUA_OPLT) != 0;
    if (a == 2)
        return !lua_toboolean(L, i) && lua_toboolean(L, k);
    size_t n, m; /* by bytes, whatever the language of the machine */
    const char *s = lua_tolstring(L, i, &n), *t = lua_tolstring(L, k, &m);
    int order = memcmp(s, t, n < m ? n : m);
    return order != 0 ? order < 0 : n < m;
}

static bool key_less(lua_State *L)
{
    cop_sandbox_charge(L, 4);
    return key_before(L, -1, -2);
}

/* Upvalues: the keys in order, how many were given out. Keys whose value is gone are left out. */
static int next_of_pairs(lua_State *L)
{
    lua_Integer at = lua_tointeger(L, lua_upvalueindex(2));
    lua_settop(L, 1);
    while (lua_rawgeti(L, lua_upvalueindex(1), ++at) != LUA_TNIL) {
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) {
            lua_pushinteger(L, at);
            lua_replace(L, lua_upvalueindex(2));
            return 2;
        }
        cop_sandbox_charge(L, 1);
        lua_pop(L, 2);
    }
    return 1;
}

static int lua_pairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_newtable(L);
    lua_Integer n = 0;
    for (lua_pushnil(L); lua_next(L, 1) != 0;) {
        lua_pop(L, 1);
        (void)rank(L, -1);
        cop_sandbox_charge(L, 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, 2, ++n);
    }
    sort(L, n, key_less);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_of_pairs, 2);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

/* next(t, [key]): the least key, or the least above `key`, and its value. */
static int lua_ordered_next(lua_State *L)
{
    enum { KEY = 2, LEAST = 3, CANDIDATE = 4 };
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, KEY);
    lua_pushnil(L);
    for (lua_pushnil(L); lua_next(L, 1) != 0;) {
        lua_pop(L, 1);
        cop_sandbox_charge(L, 6);
        (void)rank(L, CANDIDATE);
        if ((lua_isnil(L, KEY) || key_before(L, KEY, CANDIDATE)) &&
            (lua_isnil(L, LEAST) || key_before(L, CANDIDATE, LEAST))) {
            lua_pushvalue(L, CANDIDATE);
            lua_replace(L, LEAST);
        }
    }
    if (lua_isnil(L, LEAST))
        return 1;
    lua_pushvalue(L, LEAST);
    lua_rawget(L, 1);
    return 2;
}

/* -- texts -- */

static void check_has_text(lua_State *L, const char *name, int index)
{
    int type = lua_type(L, index);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN && type != LUA_TNUMBER && type != LUA_TSTRING)
        luaL_error(L, "%s: a %s has no text of its own; name what in it is meant", name,
                   lua_typename(L, type));
}

static int lua_text_of(lua_State *L)
{
    luaL_checkany(L, 1);
    check_has_text(L, "tostring", 1);
    luaL_tolstring(L, 1, NULL);
    return 1;
}

#define FORMAT "format" /* Lua's own, in the registry */

static int lua_format(lua_State *L)
{
    size_t n;
    const char *f = luaL_checklstring(L, 1, &n);
    for (int i = 2; i <= lua_gettop(L); i++)
        check_has_text(L, "string.format", i);
    for (size_t i = 0; i < n; i++) {
        if (f[i] != '%')
            continue;
        i += 1 + strspn(f + i + 1, " +-#0123456789.");
        if (i < n && f[i] == 'p')
            luaL_error(L, "string.format: %%p is an address, which differs from run to run");
    }
    lua_getfield(L, LUA_REGISTRYINDEX, FORMAT);
    lua_CFunction own = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    return own(L);
}

void cop_sandbox_order(lua_State *L)
{
    lua_register(L, "pairs", lua_pairs);
    lua_register(L, "next", lua_ordered_next);
    lua_register(L, "tostring", lua_text_of);
    lua_getglobal(L, LUA_TABLIBNAME);
    lua_pushcfunction(L, lua_sort);
    lua_setfield(L, -2, "sort");
    lua_getglobal(L, LUA_STRLIBNAME);
    lua_getfield(L, -1, "format");
    lua_setfield(L, LUA_REGISTRYINDEX, FORMAT);
    lua_pushcfunction(L, lua_format);
    lua_setfield(L, -2, "format");
    lua_pop(L, 2);
}
