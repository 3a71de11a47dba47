/* The Lua state of a study: sandbox, prelude, evaluation.
 *
 * A study file may come from anybody: it sees no files, no processes, no clock, and a limited number
 * of steps. Numbers only depend on the runs, so the same database gives the same verdicts. */
#include "study/eval.h"

#include "base/opt.h"
#include "study/lua_int.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

#define STEP_LIMIT 200000000
#define STEPS_PER_CALL 1000000

static const char out_of_steps_key = 0; /* only its address counts */

static void count_steps(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &out_of_steps_key);
    lua_Integer left = lua_tointeger(L, -1) - STEPS_PER_CALL;
    lua_pop(L, 1);
    lua_pushinteger(L, left);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &out_of_steps_key);
    if (left <= 0)
        luaL_error(L, "takes too long; is there an endless loop?");
}

static void refill_steps(lua_State *L)
{
    lua_pushinteger(L, STEP_LIMIT);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &out_of_steps_key);
}

/* "2 ms" or a number of seconds -> seconds */
static int lua_seconds(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TNUMBER) {
        lua_pushnumber(L, lua_tonumber(L, 1));
        return 1;
    }
    uint64_t ps;
    cop_err err = {0};
    if (cop_parse_time(luaL_checkstring(L, 1), &ps, &err) != 0)
        return luaL_error(L, "%s", err.text);
    lua_pushnumber(L, (double)ps * 1e-12);
    return 1;
}

/* Only what computes: no files, no programs, no loading of code. */
static void open_sandbox(lua_State *L)
{
    static const char *const forbidden[] = {"dofile",  "loadfile", "load",
                                            "require", "print",    "collectgarbage"};
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    lua_pop(L, 4);
    for (size_t i = 0; i < COP_LEN(forbidden); i++) {
        lua_pushnil(L);
        lua_setglobal(L, forbidden[i]);
    }
    lua_getglobal(L, "math");
    lua_pushnil(L);
    lua_setfield(L, -2, "random"); /* verdicts must not depend on it */
    lua_pop(L, 1);
    lua_register(L, "seconds", lua_seconds);
}

/* An unknown name is a mistake, not nil; a `let` value without its runs is just not there. */
static int unknown_global(lua_State *L)
{
    cop_eval *e = cop_lua_eval(L);
    const char *name = lua_tostring(L, 2);
    for (size_t i = 0; name != NULL && i < e->plan->study->n_lets; i++)
        if (strcmp(e->plan->study->let[i].name, name) == 0) {
            e->status = e->let_status;
            return luaL_error(L, "`%s` needs a run that is not there", name);
        }
    return luaL_error(L,
                      "unknown name `%s`; blocks of runs, `let` values and the functions of "
                      "`coppice list metrics` are known",
                      lua_tostring(L, 2));
}

static void guard_globals(lua_State *L)
{
    lua_pushglobaltable(L);
    lua_newtable(L);
    lua_pushcfunction(L, unknown_global);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

/* metrics.lua returns the catalogue and its index; both are kept in the registry. */
static void load_prelude(lua_State *L)
{
    int rc = luaL_loadbuffer(L, cop_metrics_lua, strlen(cop_metrics_lua), "=metrics.lua");
    if (rc == LUA_OK)
        rc = lua_pcall(L, 0, 2, 0);
    COP_CHECK(rc == LUA_OK);
    lua_setfield(L, LUA_REGISTRYINDEX, "metric_by_name");
    lua_setfield(L, LUA_REGISTRYINDEX, "metric_list");
}

cop_eval *cop_lua_eval(lua_State *L)
{
    return *(cop_eval **)lua_getextraspace(L);
}

static lua_State *new_state(cop_eval *e)
{
    lua_State *L = luaL_newstate();
    COP_CHECK(L != NULL);
    *(cop_eval **)lua_getextraspace(L) = e;
    open_sandbox(L);
    load_prelude(L);
    return L;
}

cop_eval *cop_eval_open(const cop_plan *plan, cop_store *s)
{
    cop_eval *e = cop_alloc(sizeof(*e));
    e->plan = plan;
    e->store = s;
    e->result = cop_alloc(plan->n_points * sizeof(*e->result));
    e->loaded = cop_alloc(plan->n_points * sizeof(*e->loaded));
    e->L = new_state(e);
    cop_lua_add_runs(e);
    guard_globals(e->L);
    lua_sethook(e->L, count_steps, LUA_MASKCOUNT, STEPS_PER_CALL);
    return e;
}

void cop_eval_close(cop_eval *e)
{
    if (e == NULL)
        return;
    lua_close(e->L);
    for (size_t i = 0; i < e->plan->n_points; i++)
        if (e->loaded[i])
            cop_arena_free(&e->result[i].arena);
    cop_free(e->result);
    cop_free(e->loaded);
    cop_free(e);
}

const char *cop_eval_why(const cop_eval *e)
{
    return e->why;
}

static enum cop_eval_status explain(cop_eval *e, const cop_expr *x)
{
    const char *text = lua_tostring(e->L, -1);
    const char *colon = text ? strstr(text, "]:1: ") : NULL; /* Lua's own idea of the place */
    char shown[300];
    cop_excerpt(colon ? colon + 5 : text ? text : "failed", shown, sizeof(shown));
    snprintf(e->why, sizeof(e->why), "%s: %s", x->where, shown);
    lua_pop(e->L, 1);
    return e->status == COP_EVAL_OK ? COP_EVAL_FAULT : e->status;
}

/* Leaves the value on the stack. */
static enum cop_eval_status evaluate(cop_eval *e, const cop_expr *x)
{
    cop_arena a = {0};
    const char *code = cop_arena_printf(&a, "return %s", x->text);
    e->status = COP_EVAL_OK;
    refill_steps(e->L);
    int rc = luaL_loadbufferx(e->L, code, strlen(code), code, "t");
    if (rc == LUA_OK)
        rc = lua_pcall(e->L, 0, 1, 0);
    cop_arena_free(&a);
    return rc == LUA_OK ? COP_EVAL_OK : explain(e, x);
}

static enum cop_eval_status wrong_type(cop_eval *e, const cop_expr *x, const char *wanted)
{
    snprintf(e->why, sizeof(e->why), "%s: gives a %s, not %s", x->where, luaL_typename(e->L, -1),
             wanted);
    lua_pop(e->L, 1);
    return COP_EVAL_FAULT;
}

enum cop_eval_status cop_eval_seed(cop_eval *e, size_t k)
{
    const cop_study *s = e->plan->study;
    e->seed = k;
    for (size_t i = 0; i < s->n_lets; i++) {
        enum cop_eval_status st = evaluate(e, &s->let[i].of);
        /* A value that needs a missing run stays unknown; only those that use it suffer. */
        if (st == COP_EVAL_FAULT)
            return st;
        if (st != COP_EVAL_OK) {
            lua_pushnil(e->L);
            e->let_status = st;
        }
        lua_setglobal(e->L, s->let[i].name);
    }
    return COP_EVAL_OK;
}

void cop_eval_bind(cop_eval *e, const char *name, const cop_case *value)
{
    if (value->number == value->number)
        lua_pushnumber(e->L, value->number);
    else
        lua_pushstring(e->L, value->label);
    lua_setglobal(e->L, name);
}

void cop_eval_bind_text(cop_eval *e, const char *name, const char *text)
{
    lua_pushstring(e->L, text);
    lua_setglobal(e->L, name);
}

enum cop_eval_status cop_eval_number(cop_eval *e, const cop_expr *x, double *value)
{
    enum cop_eval_status st = evaluate(e, x);
    if (st != COP_EVAL_OK)
        return st;
    if (lua_type(e->L, -1) != LUA_TNUMBER)
        return wrong_type(e, x, "a number");
    *value = lua_tonumber(e->L, -1);
    lua_pop(e->L, 1);
    return COP_EVAL_OK;
}

enum cop_eval_status cop_eval_list(cop_eval *e, const cop_expr *x, cop_arena *arena, double **list,
                                   size_t *n, double *dt)
{
    enum cop_eval_status st = evaluate(e, x);
    lua_State *L = e->L;
    if (st != COP_EVAL_OK)
        return st;
    if (!lua_istable(L, -1))
        return wrong_type(e, x, "a list or series");
    *n = lua_rawlen(L, -1);
    *list = COP_NEW_ARRAY(arena, double, *n + 1);
    lua_getfield(L, -1, "dt");
    *dt = lua_tonumber(L, -1);
    lua_pop(L, 1);
    for (size_t i = 0; i < *n; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        (*list)[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return COP_EVAL_OK;
}

enum cop_eval_status cop_eval_texts(cop_eval *e, const cop_expr *x, cop_arena *arena,
                                    const char ***list, size_t *n)
{
    enum cop_eval_status st = evaluate(e, x);
    lua_State *L = e->L;
    if (st != COP_EVAL_OK)
        return st;
    if (!lua_istable(L, -1))
        return wrong_type(e, x, "a list");
    *n = lua_rawlen(L, -1);
    *list = COP_NEW_ARRAY(arena, const char *, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        char number[40];
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        if (lua_type(L, -1) == LUA_TNUMBER)
            snprintf(number, sizeof(number), "%.5g", lua_tonumber(L, -1));
        else
            snprintf(number, sizeof(number), "%s", lua_tostring(L, -1) ? lua_tostring(L, -1) : "");
        (*list)[i] = cop_arena_strdup(arena, number);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return COP_EVAL_OK;
}

enum cop_eval_status cop_eval_run(cop_eval *e, const cop_expr *x, const cop_result **r)
{
    *r = NULL;
    enum cop_eval_status st = evaluate(e, x);
    if (st != COP_EVAL_OK)
        return st;
    /* A block by its name alone is its only run. */
    if (lua_istable(e->L, -1) && lua_pcall(e->L, 0, 1, 0) != LUA_OK)
        return explain(e, x);
    if (!cop_lua_is_run(e, -1))
        return wrong_type(e, x, "a run");
    *r = e->store ? cop_lua_result(e, -1) : NULL;
    lua_pop(e->L, 1);
    if (e->store && *r == NULL) {
        snprintf(e->why, sizeof(e->why), "%s: the run has no result", x->where);
        return COP_EVAL_NO_RUN;
    }
    return COP_EVAL_OK;
}

static const char *field(lua_State *L, cop_arena *arena, const char *name)
{
    lua_getfield(L, -1, name);
    const char *text = cop_arena_strdup(arena, lua_tostring(L, -1) ? lua_tostring(L, -1) : "");
    lua_pop(L, 1);
    return text;
}

size_t cop_eval_metrics(cop_arena *arena, cop_metric_info **list)
{
    lua_State *L = new_state(NULL);
    lua_getfield(L, LUA_REGISTRYINDEX, "metric_list");
    size_t n = lua_rawlen(L, -1);
    *list = COP_NEW_ARRAY(arena, cop_metric_info, n);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        (*list)[i] = (cop_metric_info){.name = field(L, arena, "name"),
                                       .args = field(L, arena, "args"),
                                       .met = field(L, arena, "met"),
                                       .help = field(L, arena, "help")};
        lua_pop(L, 1);
    }
    lua_close(L);
    return n;
}
