/* Results of a rehearsal, before there are any runs: tables of the right form, full of ones.
 *
 * In:  the name of a question or metric. Out: a number, a list of numbers, or a list of rows with
 * exactly the fields that lua_run.c gives them, so that a misspelt field is found. */
#include "study/lua_int.h"

#include <lauxlib.h>
#include <string.h>

#define ITEMS 1024 /* expressions may ask for the stream or port of a certain number */

static const struct {
    const char *question, *numbers, *texts;
} rows[] = {
    {"streams", "host dst gbps latency_ns packets sent_bytes delivered_bytes", "entry"},
    {"nodes", "sent_gbps received_gbps hotspot", "name role"},
    {"ports", "utilisation mean_queue_bytes max_queue_bytes", "name to"},
    {"flows", "src dst packets bytes", ""},
    {"trees",
     "number begin finish samples links depth contributors victims loss bytes_mean bytes_max "
     "similarity overlap contributor_overlap moves",
     "root to kind"},
    {"branches", "depth bytes share", "port"},
    {"info", "hosts switches sim_time warmup sample cpu_seconds packet_hops events", ""},
};

/* Set each field of a list of words to the value at the top of the stack; the table is below it. */
static void set_fields(lua_State *L, const char *words)
{
    for (size_t n; *words != '\0'; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        lua_pushlstring(L, words, n);
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    lua_pop(L, 1);
}

static void push_row(lua_State *L, size_t kind)
{
    lua_newtable(L);
    lua_pushnumber(L, 1);
    set_fields(L, rows[kind].numbers);
    lua_pushliteral(L, "h0");
    set_fields(L, rows[kind].texts);
}

/* Any named field of a metric's list; not more items, or loops over them would never end. */
static int any_field(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    lua_pushnumber(L, 1);
    return 1;
}

/* A list that holds the value at the top of the stack over and over. */
static int push_list(lua_State *L)
{
    int item = lua_gettop(L);
    lua_createtable(L, ITEMS, 2);
    for (int i = 1; i <= ITEMS; i++) {
        lua_pushvalue(L, item);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

static int push_numbers(lua_State *L)
{
    lua_pushnumber(L, 1);
    push_list(L);
    lua_pushnumber(L, 1e-3);
    lua_setfield(L, -2, "dt");
    lua_pushnumber(L, 1);
    lua_setfield(L, -2, "cycles");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "unit");
    return 1;
}

/* The table at the top of the stack has every named field. */
static int answer_all(lua_State *L)
{
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, any_field);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    return 1;
}

int cop_lua_rehearsed(lua_State *L)
{
    const char *name = lua_tostring(L, lua_upvalueindex(1));
    if (lua_isfunction(L, lua_upvalueindex(3))) {
        lua_pushvalue(L, lua_upvalueindex(3));
        lua_insert(L, 1);
        lua_call(L, lua_gettop(L) - 1, 0);
    }
    for (size_t i = 0; i < COP_LEN(rows); i++)
        if (strcmp(name, rows[i].question) == 0) {
            push_row(L, i);
            return strcmp(name, "info") == 0 ? 1 : push_list(L);
        }
    if (strcmp(name, "outcome") == 0) {
        lua_pushliteral(L, "ok");
        return 1;
    }
    if (strcmp(name, "series") == 0)
        return push_numbers(L);
    if (strcmp(name, "scalars") ==
        0) { /* their names are not known yet: nothing to go through, any is there */
        lua_newtable(L);
        return answer_all(L);
    }
    if (!lua_toboolean(L, lua_upvalueindex(2))) {
        lua_pushnumber(L, 1);
        return 1;
    }
    push_numbers(L);
    return answer_all(L);
}
