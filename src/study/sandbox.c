/* A Lua state that strangers may use.
 *
 * Role: a study file is not trusted. It must not reach anything outside, nor take long, nor take
 * much memory, nor change what another expression computes.
 * Rules: functions that load code, catch errors or make metatables are removed. Without pcall no
 * expression continues after its last step, or hides that a run is missing; without metatables no
 * library function can be made to loop over items that do not exist.
 * Cost: a hook counts the steps of Lua code, the allocator what is made, prices.c what a single
 * call of a library function does. All three are counts, so whether a sane file is
 * accepted does not depend on the machine. The deadline is for what they miss: comparing and converting
 * texts near the longest, again and again.
 * Memory: counted by the allocator. A text has at most COP_LUA_MAX_TEXT bytes, so that one step of
 * Lua on texts (a comparison, a conversion) cannot take long either. */
#include "study/sandbox.h"

#include "base/mem.h"

#include <lauxlib.h>
#include <lualib.h>
#include <time.h>

#define STEPS_PER_CALL 1000
#define BYTES_PER_STEP 16 /* of memory that is made */

static cop_lua_limits *limits_of(lua_State *L)
{
    void *limits;
    (void)lua_getallocf(L, &limits);
    return limits;
}

static int64_t cpu_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* -- counts -- */

/* Work that costs more than what is left is not done, so only what is left is charged. */
static void spend(cop_lua_limits *l, uint64_t steps)
{
    int64_t left = l->steps_left > 0 ? l->steps_left : 0;
    int64_t n = steps < (uint64_t)left ? (int64_t)steps : left;
    l->steps_left -= n;
    l->total_left -= n;
}

void cop_sandbox_enter(cop_lua_limits *l, int64_t steps, int64_t cpu_ns)
{
    l->steps_left = steps;
    l->start_ns = cpu_now();
    l->deadline_ns = l->start_ns + (cpu_ns < l->cpu_ns_left ? cpu_ns : l->cpu_ns_left);
    l->long_text = false;
    l->strict = true;
}

void cop_sandbox_leave(cop_lua_limits *l)
{
    l->strict = false;
    l->cpu_ns_left -= cpu_now() - l->start_ns;
}

const char *cop_sandbox_exhausted(const cop_lua_limits *l)
{
    if (l->total_left <= 0 || l->cpu_ns_left <= 0)
        return "all expressions together take too long; make them simpler or fewer";
    if (l->steps_left <= 0)
        return "takes too long; is there an endless loop?";
    if (l->long_text)
        return "makes a text of more than 64 KiB; keep texts short";
    return NULL;
}

void cop_sandbox_charge(lua_State *L, uint64_t steps)
{
    cop_lua_limits *l = limits_of(L);
    if (!l->strict)
        return;
    spend(l, steps);
    const char *why = cop_sandbox_exhausted(l);
    if (why != NULL)
        luaL_error(L, "%s", why);
    /* The clock costs more than most steps: look at it after so many. */
    l->unseen += steps < STEPS_PER_CALL ? steps : STEPS_PER_CALL;
    if (l->unseen < STEPS_PER_CALL)
        return;
    l->unseen = 0;
    if (cpu_now() > l->deadline_ns)
        luaL_error(L, "took more than %d s; make it simpler",
                   (int)((l->deadline_ns - l->start_ns) / 1000000000));
}

static void count_steps(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    cop_sandbox_charge(L, STEPS_PER_CALL);
}

/* -- memory -- */

static void *allocate(void *ud, void *old, size_t old_bytes, size_t bytes)
{
    cop_lua_limits *l = ud;
    size_t had = old ? old_bytes : 0; /* of a new block, old_bytes tells its kind */
    if (bytes == 0) {
        l->bytes -= had;
        cop_free(old);
        return NULL;
    }
    if (l->strict && bytes > had) {
        bool long_text = old == NULL && old_bytes == LUA_TSTRING && bytes > COP_LUA_MAX_TEXT + 64;
        l->long_text |= long_text;
        spend(l, bytes / BYTES_PER_STEP);
        /* Without steps there is no memory either, even if the hook has not run yet. */
        if (long_text || l->steps_left <= 0 || l->bytes - had + bytes > l->max_bytes)
            return NULL;
    }
    l->bytes = l->bytes - had + bytes;
    return cop_realloc(old, bytes);
}

/* -- what there is -- */

static void forget(lua_State *L, const char *library, const char *const *names, size_t n)
{
    lua_getglobal(L, library);
    for (size_t i = 0; i < n; i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, names[i]);
    }
    lua_pop(L, 1);
}

lua_State *cop_sandbox_open(cop_lua_limits *limits)
{
    static const char *const base[] = {"dofile",       "loadfile",     "load",    "require",
                                       "print",        "pcall",        "xpcall",  "collectgarbage",
                                       "setmetatable", "getmetatable", "warn",    "rawset",
                                       "rawget",       "rawlen",       "rawequal"};
    /* Verdicts must not depend on random numbers. */
    static const char *const math[] = {"random", "randomseed"};
    static const char *const table[] = {"move"};
    static const char *const string[] = {"dump", "pack", "unpack", "packsize"};
    lua_State *L = lua_newstate(allocate, limits);
    COP_CHECK(L != NULL);
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    lua_pop(L, 4);
    forget(L, LUA_GNAME, base, COP_LEN(base));
    forget(L, LUA_MATHLIBNAME, math, COP_LEN(math));
    forget(L, LUA_TABLIBNAME, table, COP_LEN(table));
    forget(L, LUA_STRLIBNAME, string, COP_LEN(string));
    cop_sandbox_order(L);
    cop_sandbox_price(L);
    lua_pushnil(L);
    lua_setglobal(L, LUA_GNAME);
    lua_sethook(L, count_steps, LUA_MASKCOUNT, STEPS_PER_CALL);
    limits->total_left = INT64_MAX;
    limits->steps_left = INT64_MAX;
    limits->cpu_ns_left = INT64_MAX;
    return L;
}
