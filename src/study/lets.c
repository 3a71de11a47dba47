/* Names of expressions, and `let` values.
 *
 * Role: an expression sees its own names (x, y, s, blocks of runs), then `let` values, then the
 * functions of metrics/ and of Lua. Nothing that one expression does is seen by another, nor by the
 * metrics.
 * Rules: the environment is an empty table that answers through a function and refuses to be
 * written. Library tables in it are empty too and answer from the real ones. A `let` value is
 * kept as a copy; each evaluation that asks for it gets a copy of its own. A function can be kept if
 * it has no state: no variables from outside that it could change.
 * State: in the registry. NAMES[name], LET_INDEX[name] -> i, LET_VALUES[seed * n_lets + i],
 * SEEN[name]: what this evaluation has asked for. */
#include "study/lua_int.h"

#include <lauxlib.h>
#include <string.h>

#define ENVIRONMENT "environment"
#define NAMES "names"
#define BUILT_IN "built_in"
#define LET_INDEX "let_index"
#define LET_VALUES "let_values"
#define SEEN "seen"
#define MAX_DEPTH 32 /* of tables in tables */

/* -- copies -- */

static void copy_value(lua_State *L, int memo, unsigned depth);

/* Can the function at the top be kept? Those of metrics/ can; others may use nothing from outside but
 * the environment. */
static void check_function(lua_State *L)
{
    int f = lua_gettop(L);
    lua_Debug ar;
    lua_pushvalue(L, f);
    lua_getinfo(L, ">S", &ar);
    if (strcmp(ar.source, "=" COP_PRELUDE) == 0)
        return;
    if (lua_iscfunction(L, f)) {
        if (!cop_sandbox_is_priced(L, f) && lua_getupvalue(L, f, 1) != NULL)
            luaL_error(L, "this function has a state and cannot be kept; call it where it is used");
        return;
    }
    const char *name;
    cop_environment_push(L);
    for (int i = 1; (name = lua_getupvalue(L, f, i)) != NULL; i++) {
        if (!lua_rawequal(L, -1, f + 1))
            luaL_error(L,
                       "a function that is kept cannot use the local variable `%s` from outside; "
                       "make it an argument or a `let` value",
                       name);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void copy_table(lua_State *L, int memo, unsigned depth)
{
    int from = lua_gettop(L);
    if (depth == MAX_DEPTH)
        luaL_error(L, "tables are nested too deep; a value that is kept has at most %d levels",
                   MAX_DEPTH);
    luaL_checkstack(L, 12, NULL);
    lua_pushvalue(L, from);
    if (lua_rawget(L, memo) != LUA_TNIL) {
        lua_replace(L, from);
        return;
    }
    lua_pop(L, 1);
    lua_newtable(L);
    if (lua_getmetatable(L, from)) /* a block of runs, or a list of a rehearsal */
        lua_setmetatable(L, -2);
    lua_pushvalue(L, from);
    lua_pushvalue(L, -2);
    lua_rawset(L, memo);
    for (lua_pushnil(L); lua_next(L, from) != 0;) {
        int key = lua_type(L, -2);
        if (key != LUA_TNUMBER && key != LUA_TSTRING && key != LUA_TBOOLEAN)
            luaL_error(L, "a %s as a key; a value that is kept has texts or numbers as keys",
                       lua_typename(L, key));
        cop_sandbox_charge(L, 2);
        copy_value(L, memo, depth + 1);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, from + 1);
    }
    lua_replace(L, from);
}

/* Replace the value at the top by one that shares nothing that can change. */
static void copy_value(lua_State *L, int memo, unsigned depth)
{
    int type = lua_type(L, -1);
    if (type == LUA_TTABLE)
        copy_table(L, memo, depth);
    else if (type == LUA_TFUNCTION)
        check_function(L);
}

/* value -> copy; to be called, as it may fail. */
static int copy_argument(lua_State *L)
{
    lua_settop(L, 1);
    lua_newtable(L);
    lua_insert(L, 1);
    copy_value(L, 1, 0);
    return 1;
}

/* -- the environment -- */

void cop_environment_push(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, ENVIRONMENT);
}

/* The `let` value number i for the seed at hand. */
static int push_let(lua_State *L, cop_eval *e, size_t i, const char *name)
{
    const cop_study *s = e->plan->study;
    size_t at = e->seed * s->n_lets + i;
    if (i < e->lets_made && e->let_status[at] != COP_EVAL_OK) {
        e->status = e->let_status[at];
        return luaL_error(L, "`%s` needs a run that is not there", name);
    }
    lua_getfield(L, LUA_REGISTRYINDEX, LET_VALUES);
    if (i >= e->lets_made || lua_rawgeti(L, -1, (lua_Integer)at) == LUA_TNIL)
        return luaL_error(L, "`%s` has no value here; values of `let` see those above", name);
    lua_pushcfunction(L, copy_argument);
    lua_insert(L, -2);
    lua_call(L, 1, 1);
    return 1;
}

static int unknown_name(lua_State *L, cop_eval *e, const char *name)
{
    const cop_study *s = e->plan->study;
    for (size_t i = 0; i < s->n_absent; i++)
        if (strcmp(s->absent[i].name, name) == 0) {
            e->status = COP_EVAL_NO_RUN;
            return luaL_error(L, "block `%s` is not run at %s scale", name, s->scale);
        }
    return luaL_error(L,
                      "unknown name `%s`; blocks of runs, `let` values and the functions of "
                      "`coppice list metrics` are known",
                      name);
}

static int get(lua_State *L, const char *table)
{
    lua_getfield(L, LUA_REGISTRYINDEX, table);
    lua_pushvalue(L, 2);
    int type = lua_rawget(L, -2);
    lua_remove(L, -2);
    return type;
}

/* An unknown name is a mistake, not nil; a `let` value without its runs is just not there. */
static int environment_index(lua_State *L)
{
    cop_eval *e = cop_lua_eval(L);
    const char *name = luaL_checkstring(L, 2);
    if (get(L, SEEN) != LUA_TNIL || get(L, NAMES) != LUA_TNIL)
        return 1;
    if (get(L, LET_INDEX) != LUA_TNIL)
        push_let(L, e, (size_t)lua_tointeger(L, -1), name);
    else if (get(L, BUILT_IN) == LUA_TNIL)
        return unknown_name(L, e, name);
    lua_getfield(L, LUA_REGISTRYINDEX, SEEN);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    e->seen = true;
    return 1;
}

static int environment_newindex(lua_State *L)
{
    return luaL_error(L, "an expression cannot set `%s`; write `local %s`",
                      lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?",
                      lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "name = ...");
}

static int library_newindex(lua_State *L)
{
    return luaL_error(L, "an expression cannot change a library; write a function of its own");
}

/* Replace the library at the top of the stack by an empty table that answers from it. */
static void shield_library(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, library_newindex);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
}

static void add_built_in(lua_State *L)
{
    lua_newtable(L);
    lua_pushglobaltable(L);
    for (lua_pushnil(L); lua_next(L, -2) != 0;) {
        if (lua_istable(L, -1))
            shield_library(L);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -5);
    }
    lua_pop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, BUILT_IN);
}

void cop_environment_make(lua_State *L)
{
    static const char *const tables[] = {NAMES, LET_INDEX, LET_VALUES, SEEN};
    for (size_t i = 0; i < COP_LEN(tables); i++) {
        lua_newtable(L);
        lua_setfield(L, LUA_REGISTRYINDEX, tables[i]);
    }
    add_built_in(L);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushcfunction(L, environment_index);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, environment_newindex);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_setfield(L, LUA_REGISTRYINDEX, ENVIRONMENT);
    const cop_study *s = cop_lua_eval(L)->plan->study;
    lua_getfield(L, LUA_REGISTRYINDEX, LET_INDEX);
    for (size_t i = 0; i < s->n_lets; i++) {
        lua_pushinteger(L, (lua_Integer)i);
        lua_setfield(L, -2, s->let[i].name);
    }
    lua_pop(L, 1);
}

void cop_lua_name(lua_State *L, const char *name)
{
    lua_getfield(L, LUA_REGISTRYINDEX, NAMES);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void cop_lua_forget_seen(cop_eval *e)
{
    if (!e->seen)
        return;
    e->seen = false;
    lua_newtable(e->L);
    lua_setfield(e->L, LUA_REGISTRYINDEX, SEEN);
}

int cop_lua_keep_let(cop_eval *e, size_t i)
{
    lua_State *L = e->L;
    lua_pushcfunction(L, copy_argument);
    lua_insert(L, -2);
    int rc = cop_lua_call(e, 1);
    if (rc != LUA_OK)
        return rc;
    lua_getfield(L, LUA_REGISTRYINDEX, LET_VALUES);
    lua_insert(L, -2);
    size_t at = e->seed * e->plan->study->n_lets + i;
    lua_rawseti(L, -2, (lua_Integer)at);
    lua_pop(L, 1);
    return LUA_OK;
}
