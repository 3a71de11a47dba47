/* Evaluates the expressions of a study: names, `let` values, results as C values.
 *
 * Numbers only depend on the runs, so the same database gives the same verdicts. What expressions
 * can see and use is bounded by sandbox.c. */
#include "study/eval.h"

#include "base/opt.h"
#include "study/lua_int.h"

#include <lauxlib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK "expression" /* what Lua calls the code in its messages */
#define SECOND ((int64_t)1000000000) /* in ns */
#define MAX_LIST 10000000
#define MAX_CELLS 1000 /* of a row of a table */
#define MAX_CELL_BYTES 1000

/* docs/EXPERIMENTS.md names these. Lists of rehearsals are short; long work there is a mistake.
 * Steps bound all work of a study; time only bounds long work on long texts. */
static const struct allowance {
    size_t bytes;
    int64_t steps, steps_in_all, cpu_ns, cpu_ns_in_all;
} rehearsal = {(size_t)64 << 20, 20000000, 200000000, 2 * SECOND, 20 * SECOND},
  evaluation = {(size_t)512 << 20, 200000000, 20000000000, 60 * SECOND, 3600 * SECOND};

/* Is it "1000 cycles"? Then the text of the number ends at *end. */
static bool in_cycles(const char *text, const char **end)
{
    size_t n = strlen(text), word = n > 6 && strcmp(text + n - 6, "cycles") == 0  ? 6
                                    : n > 5 && strcmp(text + n - 5, "cycle") == 0 ? 5
                                                                                  : 0;
    *end = text + n - word;
    while (word && *end > text && (*end)[-1] == ' ')
        --*end;
    return word != 0;
}

/* "2 ms", "1000 cycles" or a number of seconds -> seconds; the second argument are the seconds of a cycle, nil: none. */
static int lua_seconds(lua_State *L)
{
    const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "", *end;
    if (in_cycles(text, &end)) {
        char *stop;
        double n = strtod(text, &stop);
        if (stop != end || stop == text || !(n >= 0.0) || isinf(n))
            return luaL_error(L, "`%s` is not a time; write such as `1000 cycles`", text);
        if (!lua_isnumber(L, 2))
            return luaL_error(L, "`%s` needs a run with units.cycle", text);
        lua_pushnumber(L, n * lua_tonumber(L, 2));
        return 1;
    }
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

/* no_value(text): the run ended well but has nothing to say, such as the latency of no packets. */
static int lua_no_value(lua_State *L)
{
    cop_lua_eval(L)->status = COP_EVAL_NO_RESULT;
    return luaL_error(L, "%s", luaL_checkstring(L, 1));
}

/* metrics.lua returns the catalogue and its index; both are kept in the registry. */
static void load_prelude(lua_State *L)
{
    int rc = luaL_loadbuffer(L, cop_metrics_lua, strlen(cop_metrics_lua), "=" COP_PRELUDE);
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

static const struct allowance *allowance_of(const cop_eval *e)
{
    return e->store ? &evaluation : &rehearsal;
}

static lua_State *new_state(cop_eval *e)
{
    lua_State *L = cop_sandbox_open(&e->limits);
    *(cop_eval **)lua_getextraspace(L) = e;
    lua_register(L, "seconds", lua_seconds);
    lua_register(L, "no_value", lua_no_value);
    load_prelude(L);
    return L;
}

cop_eval *cop_eval_open(const cop_plan *plan, cop_store *s)
{
    size_t n_views = 2 * plan->study->n_seeds + 1;
    cop_eval *e = cop_alloc(sizeof(*e));
    e->plan = plan;
    e->store = s;
    e->result = cop_alloc_array(plan->n_points, sizeof(*e->result));
    e->loaded = cop_alloc_array(plan->n_points, sizeof(*e->loaded));
    e->steady = cop_alloc_array(plan->n_points, sizeof(*e->steady));
    e->diameter = cop_alloc_array(plan->n_points, sizeof(*e->diameter));
    for (size_t i = 0; i < plan->n_points; i++)
        e->diameter[i] = NAN;
    e->let_status =
        cop_alloc_array(cop_product(n_views, plan->study->n_lets), sizeof(*e->let_status));
    e->seed_seen = cop_alloc_array(n_views, sizeof(*e->seed_seen));
    e->seed = SIZE_MAX;
    e->L = new_state(e);
    cop_environment_make(e->L);
    cop_lua_add_runs(e);
    e->limits.max_bytes = allowance_of(e)->bytes;
    e->limits.total_left = allowance_of(e)->steps_in_all;
    e->limits.cpu_ns_left = allowance_of(e)->cpu_ns_in_all;
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
    cop_free(e->steady);
    cop_free(e->diameter);
    cop_free(e->let_status);
    cop_free(e->seed_seen);
    cop_free(e->code);
    cop_free(e);
}

size_t cop_eval_seeds(const cop_eval *e)
{
    return e->store || e->plan->study->n_seeds == 0 ? e->plan->study->n_seeds : 1;
}

size_t cop_eval_mean(const cop_eval *e)
{
    return cop_eval_seeds(e) > 1 ? e->plan->study->n_seeds : 0;
}

bool cop_eval_sees(const cop_eval *e, size_t k)
{
    size_t n = e->plan->study->n_seeds;
    return e->seed < n ? k == e->seed : k + n + 1 != e->seed;
}

size_t cop_eval_first(const cop_eval *e)
{
    size_t n = e->plan->study->n_seeds;
    return e->seed < n ? e->seed : e->seed == n + 1;
}

const char *cop_eval_why(const cop_eval *e)
{
    return e->why;
}

/* A missing run is no fault of the expression: the message leaves its place out. */
const char *cop_eval_missing(const cop_eval *e)
{
    const char *run = strstr(e->why, ": run `");
    return run ? run + 2 : e->why;
}

bool cop_eval_unsteady(const cop_eval *e)
{
    return e->unsteady;
}

const char *cop_eval_gap(const cop_eval *e)
{
    return e->gap;
}

int cop_eval_fault(const cop_eval *e, cop_err *err)
{
    bool told = err != NULL && strstr(err->text, e->why) != NULL;
    return told ? -COP_E_INPUT : cop_err_add(err, COP_E_INPUT, "%s", e->why);
}

/* What went wrong, from the message at the top of the stack, which it pops. */
static enum cop_eval_status explain(cop_eval *e, const cop_expr *x, int rc)
{
    const char *text = lua_type(e->L, -1) == LUA_TSTRING ? lua_tostring(e->L, -1) : "failed";
    /* Lua's own idea of the place: a line inside the expression, or inside metrics.lua. */
    if (strncmp(text, CHUNK ":", strlen(CHUNK ":")) == 0 ||
        strncmp(text, COP_PRELUDE ":", strlen(COP_PRELUDE ":")) == 0) {
        const char *colon = strstr(text, ": ");
        text = colon ? colon + 2 : text;
    }
    const char *limit = cop_sandbox_exhausted(&e->limits);
    if (limit != NULL) {
        text = limit;
        e->status = COP_EVAL_FAULT;
    } else if (rc == LUA_ERRMEM) {
        text = "needs too much memory; is there a list or recursion without end?";
    }
    char shown[300];
    cop_excerpt(text, shown, sizeof(shown));
    snprintf(e->why, sizeof(e->why), "%s: %s", x->where, shown);
    lua_pop(e->L, 1);
    return e->status == COP_EVAL_OK ? COP_EVAL_FAULT : e->status;
}

int cop_lua_call(cop_eval *e, int n)
{
    cop_sandbox_enter(&e->limits, allowance_of(e)->steps, allowance_of(e)->cpu_ns);
    int rc = lua_pcall(e->L, n, 1, 0);
    cop_sandbox_leave(&e->limits);
    return rc;
}

/* Leaves the value on the stack. */
static enum cop_eval_status evaluate(cop_eval *e, const cop_expr *x)
{
    size_t length = strlen("return ") + strlen(x->text);
    e->code = cop_grow(e->code, &e->code_size, length + 1, 1);
    (void)sprintf(e->code, "return %s", x->text);
    e->status = COP_EVAL_OK;
    e->gap = NULL;
    e->unsteady = false;
    cop_lua_forget_seen(e);
    /* Parsing costs about a step per character. */
    e->limits.total_left -= (int64_t)length;
    cop_sandbox_enter(&e->limits, allowance_of(e)->steps, allowance_of(e)->cpu_ns);
    int rc = luaL_loadbufferx(e->L, e->code, length, "=" CHUNK, "t");
    cop_sandbox_leave(&e->limits);
    if (rc == LUA_OK) {
        cop_environment_push(e->L);
        (void)lua_setupvalue(e->L, -2, 1);
        rc = cop_lua_call(e, 0);
    }
    return rc == LUA_OK ? COP_EVAL_OK : explain(e, x, rc);
}

static enum cop_eval_status wrong_type(cop_eval *e, const cop_expr *x, const char *wanted)
{
    snprintf(e->why, sizeof(e->why), "%s: gives a %s, not %s", x->where, luaL_typename(e->L, -1),
             wanted);
    lua_pop(e->L, 1);
    return COP_EVAL_FAULT;
}

/* Evaluate the `let` values of seed k and keep them. */
static enum cop_eval_status make_lets(cop_eval *e, size_t k)
{
    const cop_study *s = e->plan->study;
    for (e->lets_made = 0; e->lets_made < s->n_lets; e->lets_made++) {
        size_t i = e->lets_made;
        enum cop_eval_status st = evaluate(e, &s->let[i].of);
        if (st == COP_EVAL_OK) {
            int rc = cop_lua_keep_let(e, i);
            st = rc == LUA_OK ? COP_EVAL_OK : explain(e, &s->let[i].of, rc);
        }
        /* A value that needs a missing run stays unknown; only those that use it suffer. */
        e->let_status[k * s->n_lets + i] = st;
        if (st == COP_EVAL_FAULT)
            return st;
    }
    return COP_EVAL_OK;
}

enum cop_eval_status cop_eval_seed(cop_eval *e, size_t k)
{
    if (e->let_fault) {
        snprintf(e->why, sizeof(e->why), "%s", e->let_why);
        return COP_EVAL_FAULT;
    }
    if (e->seed == k)
        return COP_EVAL_OK;
    e->seed = k;
    if (e->seed_seen[k])
        return COP_EVAL_OK;
    e->seed_seen[k] = true;
    if (make_lets(e, k) == COP_EVAL_OK)
        return COP_EVAL_OK;
    /* Wrong for one seed, wrong for all. */
    e->let_fault = true;
    snprintf(e->let_why, sizeof(e->let_why), "%s", e->why);
    return COP_EVAL_FAULT;
}

void cop_eval_bind(cop_eval *e, const char *name, const cop_case *value)
{
    if (value == NULL)
        lua_pushnil(e->L);
    else if (value->number == value->number)
        lua_pushnumber(e->L, value->number);
    else
        lua_pushstring(e->L, value->label);
    cop_lua_name(e->L, name);
}

void cop_eval_bind_text(cop_eval *e, const char *name, const char *text)
{
    lua_pushstring(e->L, text);
    cop_lua_name(e->L, name);
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

static enum cop_eval_status bad_list(cop_eval *e, const cop_expr *x, const char *fmt, ...)
{
    char what[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    snprintf(e->why, sizeof(e->why), "%s: %s", x->where, what);
    lua_settop(e->L, 0);
    return COP_EVAL_FAULT;
}

/* Items of the list at the top of the stack, up to the first that is missing; at most `most` + 1.
 * Lua's own length will not do: a table with holes may claim any, up to 2^63 - 1. */
static size_t count_items(lua_State *L, size_t most)
{
    size_t n = 0;
    while (n <= most && lua_rawgeti(L, -1, (lua_Integer)n + 1) != LUA_TNIL) {
        lua_pop(L, 1);
        n++;
    }
    if (n <= most)
        lua_pop(L, 1);
    return n;
}

/* Is there an item behind the first n? */
static bool has_hole(lua_State *L, size_t n)
{
    for (lua_pushnil(L); lua_next(L, -2) != 0;) {
        lua_pop(L, 1);
        if (lua_isinteger(L, -1) && lua_tointeger(L, -1) > (lua_Integer)n) {
            lua_pop(L, 1);
            return true;
        }
    }
    return false;
}

/* A field of the table at the top, 0 if it has none; raw: the table may be a block of runs, which answers with an error. */
static double raw_number(lua_State *L, const char *field)
{
    lua_pushstring(L, field);
    lua_rawget(L, -2);
    double v = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return v;
}

enum cop_eval_status cop_eval_list(cop_eval *e, const cop_expr *x, cop_arena *arena, double **list,
                                   size_t *n, cop_bin_width *width)
{
    enum cop_eval_status st = evaluate(e, x);
    lua_State *L = e->L;
    if (st != COP_EVAL_OK)
        return st;
    if (!lua_istable(L, -1))
        return wrong_type(e, x, "a list or series");
    *n = count_items(L, MAX_LIST);
    if (*n > MAX_LIST)
        return bad_list(e, x, "gives a list of more than %d numbers", MAX_LIST);
    if (has_hole(L, *n))
        return bad_list(e, x, "gives a list with a hole after item %zu", *n);
    *list = COP_NEW_ARRAY(arena, double, *n + 1);
    *width = (cop_bin_width){raw_number(L, "dt"), raw_number(L, "cycles")};
    for (size_t i = 0; i < *n; i++) {
        if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TNUMBER)
            return bad_list(e, x, "item %zu of the list is a %s, not a number", i + 1,
                            luaL_typename(L, -1));
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
    *n = count_items(L, MAX_CELLS);
    bool endless = false; /* what a run gives in a rehearsal */
    if (*n > MAX_CELLS && e->store == NULL && lua_getmetatable(L, -1)) {
        endless = true;
        lua_pop(L, 1);
    }
    if (endless)
        *n = MAX_CELLS;
    if (*n > MAX_CELLS)
        return bad_list(e, x, "gives a list of more than %d cells", MAX_CELLS);
    if (!endless && has_hole(L, *n))
        return bad_list(e, x, "gives a list with a hole after item %zu", *n);
    *list = COP_NEW_ARRAY(arena, const char *, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        int type = lua_rawgeti(L, -1, (lua_Integer)i + 1);
        if (type != LUA_TNUMBER && type != LUA_TSTRING)
            return bad_list(e, x, "item %zu of the list is a %s, not a text or number", i + 1,
                            luaL_typename(L, -1));
        if (type == LUA_TSTRING && lua_rawlen(L, -1) > MAX_CELL_BYTES)
            return bad_list(e, x, "item %zu of the list has more than %d characters", i + 1,
                            MAX_CELL_BYTES);
        (*list)[i] = type == LUA_TNUMBER ? cop_arena_printf(arena, "%.5g", lua_tonumber(L, -1))
                                         : cop_arena_strdup(arena, lua_tostring(L, -1));
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
    if (lua_istable(e->L, -1)) {
        int rc = cop_lua_call(e, 0);
        if (rc != LUA_OK)
            return explain(e, x, rc);
    }
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

int64_t cop_eval_run_id(const cop_eval *e)
{
    return e->shown;
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
    cop_eval none = {0};
    lua_State *L = new_state(&none);
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

const char *cop_eval_library(void)
{
    return LUA_RELEASE;
}
