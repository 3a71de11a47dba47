/* Shared by eval.c and lua_run.c: the Lua side of a study. Private to src/study. */
#ifndef COP_STUDY_LUA_INT_H
#define COP_STUDY_LUA_INT_H

#include "study/eval.h"
#include "study/sandbox.h"

#include <lua.h>

struct cop_eval {
    lua_State *L;
    const cop_plan *plan;
    cop_store *store; /* NULL: rehearsal */
    size_t seed; /* looked at; n_seeds: none yet */
    cop_result *result; /* [plan->n_points], loaded when first asked for */
    bool *loaded;
    size_t bytes; /* of loaded results */
    cop_lua_limits limits;
    enum cop_eval_status status; /* why an error was raised */
    enum cop_eval_status *let_status; /* [seeds][n_lets]: why a `let` value is missing */
    bool *seed_seen; /* [seeds]: its `let` values are known */
    bool let_fault; /* one of them is wrong, as let_why says */
    char *code; /* room for the expression at hand */
    size_t code_size;
    char why[600], let_why[600];
};

/* The text of metrics/, built in. */
extern const char cop_metrics_lua[];

/* Blocks of runs as global names, and the questions a run answers. */
void cop_lua_add_runs(cop_eval *e);
/* The result of the run at the top of the stack; NULL if it is none. */
const cop_result *cop_lua_result(cop_eval *e, int index);
bool cop_lua_is_run(cop_eval *e, int index);
/* The answer to a question in a rehearsal; upvalues: its name, whether it is a list, and a function
 * that knows whether all arguments are there (or nil). */
int cop_lua_rehearsed(lua_State *L);
/* Give the value at the top of the stack a name for expressions, and pop it. */
void cop_lua_name(lua_State *L, const char *name);
/* The evaluation that a Lua state belongs to. */
cop_eval *cop_lua_eval(lua_State *L);

#endif
