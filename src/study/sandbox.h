/* The Lua state in which expressions of study files are evaluated. Private to src/study. */
#ifndef COP_STUDY_SANDBOX_H
#define COP_STUDY_SANDBOX_H

#include "base/base.h"

#include <lua.h>

#define COP_LUA_MAX_TEXT 65536 /* bytes of a text that an expression makes */

/* How much expressions may use. Steps decide; they are the same on every machine. Time is there for
 * what the count of steps does not see. */
typedef struct cop_lua_limits {
    size_t bytes, max_bytes; /* in use; allowed while `strict` */
    bool strict; /* set while an expression runs: outside, a failed allocation would be fatal */
    bool long_text; /* it was refused a text of more than COP_LUA_MAX_TEXT */
    int64_t steps_left; /* of the expression that runs */
    int64_t total_left; /* of all expressions together */
    int64_t cpu_ns_left; /* of all expressions together */
    int64_t start_ns, deadline_ns; /* of this one, on the clock of the thread's own CPU time */
    uint64_t unseen; /* steps since the clock was looked at */
} cop_lua_limits;

/* A state with only what computes: no files, no programs, no clock, no loading of code, nothing that
 * runs long without being counted, nothing that catches an error. `limits` must outlive it. */
lua_State *cop_sandbox_open(cop_lua_limits *limits);

/* Begin and end of code from a study file: between them the limits hold. */
void cop_sandbox_enter(cop_lua_limits *l, int64_t steps, int64_t cpu_ns);
void cop_sandbox_leave(cop_lua_limits *l);
/* Why it ran out of memory, steps or time; NULL if it did not. */
const char *cop_sandbox_exhausted(const cop_lua_limits *l);
/* Count work that Lua's own count does not see; raises an error if it is too much. */
void cop_sandbox_charge(lua_State *L, uint64_t steps);

/* prices.c: put a price on library functions that can work for long by themselves. */
void cop_sandbox_price(lua_State *L);
/* Is the function at an index one of them? */
bool cop_sandbox_is_priced(lua_State *L, int index);
/* order.c: replace what would let chance in (addresses, seeds of hashes) by what does not. */
void cop_sandbox_order(lua_State *L);

/* lets.c: the environment of expressions, which none of them can change. */
void cop_environment_make(lua_State *L);
/* Push the environment. */
void cop_environment_push(lua_State *L);

#endif
