/* The Lua state in which expressions of study files are evaluated. Private to src/study. */
#ifndef COP_STUDY_SANDBOX_H
#define COP_STUDY_SANDBOX_H

#include "base/base.h"

#include <lua.h>

/* How much an expression may use. */
typedef struct cop_lua_limits {
    size_t bytes, max_bytes; /* in use; allowed while `strict` */
    bool strict; /* set while an expression runs: outside, a failed allocation would be fatal */
    int64_t steps_left; /* of the expression that runs */
    int64_t total_left; /* of all expressions together */
} cop_lua_limits;

/* A state with only what computes: no files, no programs, no clock, no loading of code, nothing that
 * runs long without being counted, nothing that catches an error. `limits` must outlive it. */
lua_State *cop_sandbox_open(cop_lua_limits *limits);

#endif
