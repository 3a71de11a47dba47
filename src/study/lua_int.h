/* Shared by eval.c, lets.c, lua_*.c and rehearsal.c: the Lua side of a study. Private to src/study. */
#ifndef COP_STUDY_LUA_INT_H
#define COP_STUDY_LUA_INT_H

#include "study/eval.h"
#include "study/sandbox.h"

#include <lua.h>

struct cop_eval {
    lua_State *L;
    const cop_plan *plan;
    cop_store *store; /* NULL: rehearsal */
    size_t seed; /* what is looked at, as of cop_eval_seed; SIZE_MAX: nothing yet */
    cop_result *result; /* [plan->n_points], loaded when first asked for */
    bool *loaded;
    signed char *steady; /* [plan->n_points] 1: it is, -1: it is not, 0: not known yet */
    double *diameter; /* [plan->n_points] what is known already; NAN: nothing */
    size_t bytes; /* of loaded results */
    cop_lua_limits limits;
    enum cop_eval_status status; /* why an error was raised */
    enum cop_eval_status *let_status; /* [views][n_lets]: why a `let` value is missing */
    bool *seed_seen; /* [views]: its `let` values are known */
    size_t lets_made; /* of the seed looked at: those that expressions may use */
    bool seen; /* the evaluation at hand has asked for a name */
    const char *gap; /* it has asked for a run that is left out: why; NULL: it has not */
    bool unsteady; /* it has asked a run whose network was not steady */
    bool let_fault; /* one of them is wrong, as let_why says */
    int64_t shown; /* run id of the last result that was asked for as a whole */
    char *code; /* room for the expression at hand */
    size_t code_size;
    char why[600], let_why[600];
};

#define COP_PRELUDE "metrics.lua" /* what Lua calls metrics/ in its messages */

/* The text of metrics/, built in. */
extern const char cop_metrics_lua[];

/* lua_block.c: blocks of runs as names. */
void cop_lua_add_runs(cop_eval *e);
/* lua_run.c: the questions a run answers. */
void cop_lua_add_run_type(lua_State *L);
/* Push the run of a point of the plan; `mean`: the mean of the seeds looked at, of which it is the first. */
void cop_lua_push_run(lua_State *L, size_t point, bool mean);
/* The point of the run at this index. */
size_t cop_lua_point(lua_State *L, int index);
/* eval.c: is seed number k among those looked at; the first that is. */
bool cop_eval_sees(const cop_eval *e, size_t k);
size_t cop_eval_first(const cop_eval *e);
/* lua_mean.c: push the function that answers this question for a mean run. */
void cop_lua_push_mean(lua_State *L, const char *name);
/* Raise an error about a run, or a block of them, that has no result. */
int cop_lua_refuse(lua_State *L, enum cop_eval_status status, const char *what, const char *label);
/* lua_fabric.c: links between the two switches with hosts that are farthest apart; infinite: no way. */
double cop_lua_diameter(lua_State *L, const cop_result *r);
/* The result of the run at the top of the stack; NULL if it is none. */
const cop_result *cop_lua_result(cop_eval *e, int index);
bool cop_lua_is_run(cop_eval *e, int index);
/* The answer to a question in a rehearsal; upvalues: its name, whether it is a list, and a function
 * that knows whether all arguments are there (or nil). */
int cop_lua_rehearsed(lua_State *L);
/* Give the value at the top of the stack a name for expressions, and pop it. */
void cop_lua_name(lua_State *L, const char *name);
/* The next evaluation gets its own copies of `let` values. */
void cop_lua_forget_seen(cop_eval *e);
/* Pop the value at the top of the stack and keep a copy as `let` value i of this seed. What cannot be
 * kept leaves a message there instead; the result is that of lua_pcall. */
int cop_lua_keep_let(cop_eval *e, size_t i);
/* Call what is on the stack with n arguments, for one result, within the limits. */
int cop_lua_call(cop_eval *e, int n);
/* The evaluation that a Lua state belongs to. */
cop_eval *cop_lua_eval(lua_State *L);

#endif
