/* Blocks of runs as names in expressions: `off:total()`, `on{timer = 150}:total()`.
 *
 * A block is an empty table with metamethods: called with values of its axes it returns one of its
 * runs, indexed by a metric it forwards to its only run. It is read-only. */
#include "study/lua_int.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

static bool same_value(lua_State *L, int index, const cop_case *c)
{
    if (lua_type(L, index) == LUA_TNUMBER && !isnan(c->number))
        return lua_tonumber(L, index) == c->number;
    return lua_isstring(L, index) && strcmp(lua_tostring(L, index), c->label) == 0;
}

/* Which value of axis a the table at index 2 names. */
static uint32_t axis_value(lua_State *L, const cop_block *b, const cop_axis *a)
{
    if (lua_istable(L, 2)) {
        lua_getfield(L, 2, a->name);
        bool given = !lua_isnil(L, -1);
        for (uint32_t i = 0; given && i < a->n_values; i++)
            if (same_value(L, -1, &a->value[i])) {
                lua_pop(L, 1);
                return i;
            }
        for (uint32_t i = 0; given && i < a->n_absent; i++)
            if (same_value(L, -1, &a->absent[i]))
                cop_lua_refuse(L, COP_EVAL_NO_RUN, "is not made at this scale", b->name);
        if (given)
            luaL_error(L, "axis `%s` of `%s` has no value %s", a->name, b->name,
                       lua_isstring(L, -1) ? lua_tostring(L, -1) : luaL_typename(L, -1));
        lua_pop(L, 1);
    }
    if (a->n_values != 1)
        luaL_error(L, "`%s` has several values of `%s`; write %s{%s = ...}", b->name, a->name,
                   b->name, a->name);
    return 0;
}

static bool has_axis(const cop_block *b, const char *name)
{
    for (size_t i = 0; i < b->n_axes; i++)
        if (strcmp(b->axis[i].name, name) == 0)
            return true;
    return false;
}

/* Of several unknown names the message has the first in the alphabet: Lua's order is random. */
static void check_names(lua_State *L, const cop_block *b)
{
    if (!lua_istable(L, 2))
        return;
    const char *unknown = NULL;
    for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
        cop_sandbox_charge(L, 1 + b->n_axes);
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        if (!has_axis(b, name) && (unknown == NULL || strcmp(name, unknown) < 0))
            unknown = name;
    }
    if (unknown != NULL && unknown[0] == '\0')
        luaL_error(L, "a value without a name; write %s{axis = ...}", b->name);
    if (unknown != NULL)
        luaL_error(L, "`%s` has no axis `%s`", b->name, unknown);
}

static int block_call(lua_State *L)
{
    cop_eval *e = cop_lua_eval(L);
    const cop_block *b = lua_touserdata(L, lua_upvalueindex(1));
    uint32_t value[8] = {0};
    check_names(L, b);
    for (size_t i = 0; i < b->n_axes; i++)
        value[i] = axis_value(L, b, &b->axis[i]);
    const cop_point *p = cop_plan_find(e->plan, b, value, cop_eval_first(e));
    if (p == NULL) {
        e->gap = cop_block_gap(b, value);
        return cop_lua_refuse(L, COP_EVAL_NO_RUN, e->gap ? e->gap : "has no such run", b->name);
    }
    cop_lua_push_run(L, (size_t)(p - e->plan->point), e->seed >= e->plan->study->n_seeds);
    return 1;
}

/* block.mean(...) without axis values: the only run, if there is only one. */
static int block_index(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, block_call, 1);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_pushvalue(L, 2);
    lua_gettable(L, -2);
    return 1;
}

/* A block without axes is its run, anew for each seed: a table that forwards to it. */
static int method_call(lua_State *L)
{
    /* on:mean(...) passes the block as self; replace it by the run. */
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    if (lua_gettop(L) >= 2) {
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_replace(L, 2);
    }
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static int block_method(lua_State *L)
{
    block_index(L); /* run, function */
    lua_pushvalue(L, -1);
    lua_pushvalue(L, -3);
    lua_pushcclosure(L, method_call, 2);
    return 1;
}

static int block_newindex(lua_State *L)
{
    return luaL_error(L, "an expression cannot change a block of runs");
}

void cop_lua_add_runs(cop_eval *e)
{
    lua_State *L = e->L;
    cop_lua_add_run_type(L);
    const cop_study *s = e->plan->study;
    for (size_t i = 0; i < s->n_blocks; i++) {
        lua_newtable(L);
        lua_newtable(L);
        lua_pushlightuserdata(L, &s->block[i]);
        lua_pushcclosure(L, block_call, 1);
        lua_setfield(L, -2, "__call");
        lua_pushlightuserdata(L, &s->block[i]);
        lua_pushcclosure(L, block_method, 1);
        lua_setfield(L, -2, "__index");
        lua_pushcfunction(L, block_newindex);
        lua_setfield(L, -2, "__newindex");
        lua_setmetatable(L, -2);
        cop_lua_name(L, s->block[i].name);
    }
}
