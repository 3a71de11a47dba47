/* Shared by eval.c and lua_run.c: the Lua side of a study. Private to src/study. */
#ifndef COP_STUDY_LUA_INT_H
#define COP_STUDY_LUA_INT_H

#include "study/eval.h"

#include <lua.h>

struct cop_eval {
    lua_State *L;
    const cop_plan *plan;
    cop_store *store; /* NULL: rehearsal */
    size_t seed;
    cop_result *result; /* [plan->n_points], loaded when first asked for */
    bool *loaded;
    enum cop_eval_status status; /* why an error was raised */
    enum cop_eval_status let_status; /* why a `let` value is missing */
    char why[600];
};

/* The text of metrics.lua, built in. */
extern const char cop_metrics_lua[];

/* Blocks of runs as global names, and the questions a run answers. */
void cop_lua_add_runs(cop_eval *e);
/* The result of the run at the top of the stack; NULL if it is none. */
const cop_result *cop_lua_result(cop_eval *e, int index);
bool cop_lua_is_run(cop_eval *e, int index);
/* The evaluation that a Lua state belongs to. */
cop_eval *cop_lua_eval(lua_State *L);

#endif
