/* The mean of the runs of several seeds, as one run (`average: true` of a study or a check).
 *
 * Role: the results of a question for all seeds become one: of numbers the mean, of lists and
 * tables the mean of each field, so that a series is the mean curve. Texts must be equal.
 * Rules: numbers that are none (a bin without packets) are left out of the mean. A field, or an end of a list,
 * that not all seeds have is left out. What differs otherwise has no mean: a fault. */
#include "study/lua_int.h"

#include <lauxlib.h>
#include <math.h>

#define MAX_DEPTH 8 /* of tables in answers */

/* Push the mean of the n values from index `first` on. */
static void push_mean(lua_State *L, int first, int n, int depth);

static void mean_of_numbers(lua_State *L, int first, int n)
{
    double sum = 0.0;
    int known = 0;
    bool alike = true;
    for (int i = 0; i < n; i++) {
        double v = lua_tonumber(L, first + i);
        alike = alike && v == lua_tonumber(L, first);
        sum += isnan(v) ? 0.0 : v;
        known += !isnan(v);
    }
    if (alike) /* no rounding error beside them, and whole numbers stay whole */
        lua_pushvalue(L, first);
    else
        lua_pushnumber(L, known > 0 ? sum / known : NAN);
}

/* The fields of the first table, as far as all have them. */
static void mean_of_tables(lua_State *L, int first, int n, int depth)
{
    lua_newtable(L);
    int mean = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, first) != 0; lua_settop(L, mean + 1)) {
        int key = mean + 1, value = mean + 2;
        bool all = true;
        for (int i = 1; i < n; i++) {
            lua_pushvalue(L, key);
            all = lua_rawget(L, first + i) != LUA_TNIL && all;
        }
        if (!all)
            continue;
        push_mean(L, value, n, depth + 1);
        lua_pushvalue(L, key);
        lua_insert(L, -2);
        lua_rawset(L, mean);
    }
}

static void push_mean(lua_State *L, int first, int n, int depth)
{
    int type = lua_type(L, first);
    luaL_checkstack(L, n + 6, NULL);
    cop_sandbox_charge(L, (uint64_t)n);
    bool alike = true;
    for (int i = 1; i < n; i++) {
        if (lua_type(L, first + i) != type)
            luaL_error(L, "differs in kind from seed to seed, and has no mean; judge such a check "
                          "with `average: false`");
        alike = alike && lua_rawequal(L, first, first + i);
    }
    if (type == LUA_TNUMBER)
        mean_of_numbers(L, first, n);
    else if (type == LUA_TTABLE && depth < MAX_DEPTH)
        mean_of_tables(L, first, n, depth);
    else if (alike)
        lua_pushvalue(L, first);
    else
        luaL_error(L,
                   "`%s` and others: a %s that differs from seed to seed has no mean; judge such "
                   "a check with `average: false`",
                   luaL_tolstring(L, first, NULL), lua_typename(L, type));
}

/* The question that is upvalue 1, asked of the run of each seed; argument 1 is the mean run. */
static int ask_all(lua_State *L)
{
    cop_eval *e = cop_lua_eval(L);
    int args = lua_gettop(L), n = 0;
    size_t first = cop_lua_point(L, 1), own = cop_eval_first(e), per_seed = e->plan->per_seed;
    for (size_t k = own; k < e->plan->study->n_seeds; k++) {
        if (!cop_eval_sees(e, k))
            continue;
        luaL_checkstack(L, args + 4, NULL);
        cop_lua_push_run(L, first + (k - own) * per_seed, false);
        lua_getfield(L, -1, lua_tostring(L, lua_upvalueindex(1)));
        lua_insert(L, -2);
        for (int i = 2; i <= args; i++)
            lua_pushvalue(L, i);
        lua_call(L, args, 1);
        n++;
    }
    push_mean(L, args + 1, n, 0);
    return 1;
}

void cop_lua_push_mean(lua_State *L, const char *name)
{
    lua_pushstring(L, name);
    lua_pushcclosure(L, ask_all, 1);
}
