/* What library functions cost.
 *
 * Lua counts the steps of Lua code. A call of a library function is one step, however much it
 * does: matching a pattern backtracks, table.insert moves the rest of the list. So each function
 * that can work for long is called through priced(), which first counts the most that this call
 * could do, in steps of about the same length as Lua's own. A price is computed from unchecked
 * arguments, of any type; it may be too high, never much too low. The allocator in sandbox.c
 * counts the texts and lists that a function makes. */
#include "study/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#define MANY 10000 /* values that one call may return */
#define COMPARISONS_PER_STEP 16 /* of characters, in C */

/* Bytes of a text, 0 for anything else. A number as text is short. */
static uint64_t text_bytes(lua_State *L, int i)
{
    return lua_type(L, i) == LUA_TSTRING ? lua_rawlen(L, i) : 0;
}

static uint64_t list_length(lua_State *L, int i)
{
    return lua_type(L, i) == LUA_TTABLE ? lua_rawlen(L, i) : 0;
}

/* Items from `first` to `last`; not more than a uint64_t holds. */
static uint64_t span(lua_Integer first, lua_Integer last)
{
    uint64_t more = (uint64_t)last - (uint64_t)first;
    return first > last ? 0 : more < UINT64_MAX ? more + 1 : more;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX / 2 : product;
}

/* -- rules -- */

static uint64_t per_argument(lua_State *L)
{
    return (uint64_t)lua_gettop(L);
}

static uint64_t per_byte(lua_State *L)
{
    return text_bytes(L, 1);
}

/* format(s, ...): each part is written twice, and a number can have hundreds of digits. */
static uint64_t per_part(lua_State *L)
{
    uint64_t bytes = text_bytes(L, 1), parts = 0;
    const char *format = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
    for (uint64_t i = 0; i < bytes; i++)
        parts += format[i] == '%';
    return 24 + 4 * bytes + 60 * parts;
}

/* rep(s, n): a turn even for nothing. */
static uint64_t per_turn(lua_State *L)
{
    lua_Integer n = lua_tointeger(L, 2);
    return n > 0 ? (uint64_t)n : 0;
}

/* insert(list, at, v) and remove(list, at) move what follows. */
static uint64_t per_item_behind(lua_State *L)
{
    if (lua_gettop(L) < 2 || !lua_isinteger(L, 2))
        return 1;
    lua_Integer n = (lua_Integer)list_length(L, 1);
    return span(lua_tointeger(L, 2), n) + 1;
}

/* concat(list, between, first, last) */
static uint64_t per_item_joined(lua_State *L)
{
    lua_Integer first = luaL_optinteger(L, 3, 1);
    lua_Integer last = lua_isnoneornil(L, 4) ? (lua_Integer)list_length(L, 1) : lua_tointeger(L, 4);
    return 2 * (span(first, last) & (UINT64_MAX >> 2));
}

static uint64_t at_most_many(lua_State *L, const char *name, uint64_t n)
{
    if (n > MANY)
        luaL_error(L, "%s: more than %d values at once; use a loop", name, MANY);
    return n;
}

/* unpack(list, first, last) */
static uint64_t per_value(lua_State *L)
{
    lua_Integer first = lua_isnoneornil(L, 2) ? 1 : lua_tointeger(L, 2);
    lua_Integer last = lua_isnoneornil(L, 3) ? (lua_Integer)list_length(L, 1) : lua_tointeger(L, 3);
    return at_most_many(L, "table.unpack", span(first, last));
}

/* byte(s, first, last) */
static uint64_t per_character(lua_State *L)
{
    lua_Integer first = lua_isnoneornil(L, 2) ? 1 : lua_tointeger(L, 2);
    lua_Integer last = lua_isnoneornil(L, 3) ? first : lua_tointeger(L, 3);
    bool few = (first < 0) == (last < 0) && span(first, last) <= MANY;
    return few ? span(first, last) : at_most_many(L, "string.byte", text_bytes(L, 1));
}

typedef struct pattern_shape {
    bool anchored;
    unsigned runs; /* parts that can take any number of characters */
    unsigned options; /* parts that can be there or not */
    uint64_t widest; /* characters of the longest set */
} pattern_shape;

/* What follows the item at p[i]; i is at the last character of the item. */
static void count_repeat(pattern_shape *s, char c)
{
    s->runs += c == '*' || c == '+' || c == '-';
    s->options += c == '?';
}

static pattern_shape shape_of(const char *p, size_t n)
{
    pattern_shape s = {.anchored = n > 0 && p[0] == '^', .widest = 1};
    for (size_t i = s.anchored; i < n; i++) {
        if (p[i] == '%' && i + 1 < n) {
            i++;
            s.runs += p[i] == 'b' || (p[i] >= '0' && p[i] <= '9');
        } else if (p[i] == '[') {
            size_t from = i++;
            i += i < n && p[i] == '^';
            /* A bracket that comes first is a member; so is one after a per cent sign. */
            for (size_t first = i; i < n && (p[i] != ']' || i == first); i++)
                i += p[i] == '%';
            i = i < n ? i : n - 1;
            s.widest = i - from > s.widest ? i - from : s.widest;
        }
        if (i + 1 < n)
            count_repeat(&s, p[i + 1]);
    }
    return s;
}

/* find, match, gmatch, gsub: a text of n characters can be cut in n ways for each part of the pattern
 * that takes any number of them, and in n more if the match can begin anywhere. */
static uint64_t match_price(lua_State *L, bool may_anchor)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return text_bytes(L, 1) + 64;
    size_t length;
    const char *p = lua_tolstring(L, 2, &length);
    pattern_shape s = shape_of(p, length);
    uint64_t n = text_bytes(L, 1) + 1, ways = s.anchored && may_anchor ? 1 : n;
    for (unsigned i = 0; i < s.runs && ways < INT64_MAX; i++)
        ways = times(ways, n);
    for (unsigned i = 0; i < s.options && ways < INT64_MAX; i++)
        ways = times(ways, 2);
    return times(times(ways, s.widest), length + 1) / COMPARISONS_PER_STEP + n + length;
}

static uint64_t per_match(lua_State *L)
{
    return match_price(L, true);
}

/* gsub(s, pattern, new): whatever replaces a match is written for each. */
static uint64_t per_replacement(lua_State *L)
{
    uint64_t written = times(text_bytes(L, 1) + 1, text_bytes(L, 3));
    uint64_t match = match_price(L, true);
    return match < INT64_MAX - written / 4 ? match + written / 4 : INT64_MAX;
}

/* gmatch takes no notice of an anchor. */
static uint64_t per_match_anywhere(lua_State *L)
{
    return match_price(L, false);
}

/* -- the table -- */

static const struct price {
    const char *library, *name;
    uint64_t (*of)(lua_State *L);
} prices[] = {
    {LUA_GNAME, "assert", per_argument},         {LUA_GNAME, "select", per_argument},
    {LUA_GNAME, "tonumber", per_byte},           {LUA_MATHLIBNAME, "max", per_argument},
    {LUA_MATHLIBNAME, "min", per_argument},      {LUA_STRLIBNAME, "byte", per_character},
    {LUA_STRLIBNAME, "char", per_argument},      {LUA_STRLIBNAME, "find", per_match},
    {LUA_STRLIBNAME, "format", per_part},        {LUA_STRLIBNAME, "gmatch", per_match_anywhere},
    {LUA_STRLIBNAME, "gsub", per_replacement},   {LUA_STRLIBNAME, "lower", per_byte},
    {LUA_STRLIBNAME, "match", per_match},        {LUA_STRLIBNAME, "rep", per_turn},
    {LUA_STRLIBNAME, "reverse", per_byte},       {LUA_STRLIBNAME, "upper", per_byte},
    {LUA_TABLIBNAME, "concat", per_item_joined}, {LUA_TABLIBNAME, "insert", per_item_behind},
    {LUA_TABLIBNAME, "pack", per_argument},      {LUA_TABLIBNAME, "remove", per_item_behind},
    {LUA_TABLIBNAME, "unpack", per_value},
};

/* Upvalues: the function, its line of the table. */
static int priced(lua_State *L)
{
    const struct price *p = lua_touserdata(L, lua_upvalueindex(2));
    cop_sandbox_charge(L, p->of(L));
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

bool cop_sandbox_is_priced(lua_State *L, int index)
{
    return lua_tocfunction(L, index) == priced;
}

void cop_sandbox_price(lua_State *L)
{
    for (size_t i = 0; i < COP_LEN(prices); i++) {
        lua_getglobal(L, prices[i].library);
        lua_getfield(L, -1, prices[i].name);
        COP_CHECK(lua_iscfunction(L, -1));
        lua_pushlightuserdata(L, (void *)(uintptr_t)&prices[i]);
        lua_pushcclosure(L, priced, 2);
        lua_setfield(L, -2, prices[i].name);
        lua_pop(L, 1);
    }
}
