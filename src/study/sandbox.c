/* A Lua state that strangers may use.
 *
 * A study file may come from anybody. Steps are counted by a hook, memory by the allocator. The
 * hook only sees Lua code, so library functions that can run for long by themselves are taken away
 * or bounded: pattern matching (backtracks), string.rep (loops, even over nothing), table.move.
 * Without pcall nobody survives the end of his steps, or hides that a run is missing; without
 * metatables no library function can be made to loop over what is not there. */
#include "study/sandbox.h"

#include "base/mem.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#define STEPS_PER_CALL 100000

/* The cost of matching a pattern with k repetitions on n characters is at most about n^(k+1). */
static const char guards[] =
    "local rep, gsub = string.rep, string.gsub\n"
    "function string.rep(s, n, sep)\n"
    "   if n > 1e6 then error('string.rep: more than a million times', 0) end\n"
    "   return rep(s, n, sep)\n"
    "end\n"
    "for _, name in ipairs{'find', 'match', 'gmatch', 'gsub'} do\n"
    "   local f = string[name]\n"
    "   string[name] = function(s, pattern, ...)\n"
    "      local _, many = gsub(pattern, '[*+?-]', '')\n"
    "      local _, more = gsub(pattern, '%%[b%d]', '')\n"
    "      if (#tostring(s) + 1) ^ (many + more + 1) > 1e9 then\n"
    "         error('string.' .. name .. ': the pattern could take too long', 0)\n"
    "      end\n"
    "      return f(s, pattern, ...)\n"
    "   end\n"
    "end\n";

static cop_lua_limits *limits_of(lua_State *L)
{
    void *limits;
    (void)lua_getallocf(L, &limits);
    return limits;
}

static void *allocate(void *ud, void *old, size_t old_bytes, size_t bytes)
{
    cop_lua_limits *l = ud;
    size_t had = old ? old_bytes : 0; /* of a new block, old_bytes tells its kind */
    if (bytes == 0) {
        l->bytes -= had;
        cop_free(old);
        return NULL;
    }
    if (l->strict && bytes > had && l->bytes - had + bytes > l->max_bytes)
        return NULL;
    l->bytes = l->bytes - had + bytes;
    return cop_realloc(old, bytes);
}

static void count_steps(lua_State *L, lua_Debug *ar)
{
    cop_lua_limits *l = limits_of(L);
    (void)ar;
    l->steps_left -= STEPS_PER_CALL;
    l->total_left -= STEPS_PER_CALL;
    if (l->steps_left <= 0 || l->total_left <= 0)
        luaL_error(L, "takes too long; is there an endless loop?");
}

static void forget(lua_State *L, const char *library, const char *const *names, size_t n)
{
    lua_getglobal(L, library);
    for (size_t i = 0; i < n; i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, names[i]);
    }
    lua_pop(L, 1);
}

static void run_guards(lua_State *L)
{
    int rc = luaL_loadbufferx(L, guards, strlen(guards), "=guards", "t");
    if (rc == LUA_OK)
        rc = lua_pcall(L, 0, 0, 0);
    COP_CHECK(rc == LUA_OK);
}

lua_State *cop_sandbox_open(cop_lua_limits *limits)
{
    static const char *const base[] = {"dofile",       "loadfile",     "load",   "require",
                                       "print",        "pcall",        "xpcall", "collectgarbage",
                                       "setmetatable", "getmetatable", "warn"};
    /* Verdicts must not depend on chance. */
    static const char *const math[] = {"random", "randomseed"};
    static const char *const table[] = {"move"};
    static const char *const string[] = {"dump"};
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
    run_guards(L);
    lua_pushnil(L);
    lua_setglobal(L, LUA_GNAME);
    lua_sethook(L, count_steps, LUA_MASKCOUNT, STEPS_PER_CALL);
    limits->total_left = INT64_MAX;
    limits->steps_left = INT64_MAX;
    return L;
}
