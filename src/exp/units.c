/* Cycles and flits in a run file: they become picoseconds, bytes and bit/s before anything else reads them. */
#include "exp/units.h"

#include <stdio.h>
#include <string.h>

static const char *const none_word[] = {"none", "0", NULL};

const cop_opt cop_units_opts[] = {
    {"flit", COP_OPT_BYTES, offsetof(cop_units_cfg, flit_bytes), "none", 1, 1e6, none_word,
     "bytes of a flit; sizes may then be written in flits, rates in flit/cycle"},
    {"cycle", COP_OPT_TIME, offsetof(cop_units_cfg, cycle_ps), "none", 1, 1e9, none_word,
     "length of a cycle; times may then be written in cycles"},
    {0}};

/* Where the unit begins in "0.3 flit/cycle"; the end if there is none. */
static const char *unit_of(const char *text)
{
    return text + strspn(text, " \t+-.0123456789eE");
}

static bool is(const char *unit, const char *one, const char *many)
{
    size_t n = strcspn(unit, " \t");
    return unit[n + strspn(unit + n, " \t")] == '\0' &&
           ((strlen(one) == n && strncmp(unit, one, n) == 0) ||
            (strlen(many) == n && strncmp(unit, many, n) == 0));
}

static int missing(const char *text, const char *option, const char *example, cop_err *err)
{
    char shown[64];
    return cop_err_add(err, COP_E_INPUT, "`%s` needs units.%s; give it, such as `units: {%s: %s}`",
                       cop_excerpt(text, shown, sizeof(shown)), option, option, example);
}

void cop_units_defaults(const cop_units_cfg *u, const cop_opt *table, void *cfg)
{
    for (const cop_opt *o = table; u->cycle_ps != 0 && o != NULL && o->type != COP_OPT_END; o++) {
        uint64_t *value = (uint64_t *)(void *)((char *)cfg + o->offset);
        if (o->type == COP_OPT_TIME && o->def != NULL && cop_opt_word(o) == NULL)
            *value = (uint64_t)((unsigned __int128)*value * u->cycle_ps / COP_NS);
    }
}

double cop_units_flits_per_cycle(const cop_units_cfg *u)
{
    return (double)u->cycle_ps / 8000.0 / (double)u->flit_bytes; /* 1 Gbit/s is a bit in 1000 ps */
}

bool cop_units_is_rate(const char *text)
{
    return is(unit_of(text), "flit/cycle", "flits/cycle");
}

/* Bit/s of a flit per cycle, rounded up: base/fixp.h rounds down, so that a flit takes exactly its
 * cycle. A flit has at most a million bytes: this does not overflow. */
static uint64_t rate_of_flit(const cop_units_cfg *u)
{
    return (u->flit_bytes * 8 * UINT64_C(1000000000000) + u->cycle_ps - 1) / u->cycle_ps;
}

const char *cop_units_text(const cop_units_cfg *u, const cop_opt *o, const char *text,
                           cop_arena *arena, cop_err *err)
{
    const char *unit = unit_of(text);
    uint64_t value = 0;
    enum cop_opt_type type = cop_opt_is_list(o) ? cop_opt_item(o).type : o->type;
    bool cycles = type == COP_OPT_TIME && is(unit, "cycle", "cycles");
    bool flits = type == COP_OPT_BYTES && is(unit, "flit", "flits");
    bool rate = type == COP_OPT_RATE && cop_units_is_rate(text);
    if (!cycles && !flits && !rate)
        return text;
    if (u->cycle_ps == 0 && !flits) {
        (void)missing(text, "cycle", "1 ns", err);
        return NULL;
    }
    if (u->flit_bytes == 0 && !cycles) {
        (void)missing(text, "flit", "4 B", err);
        return NULL;
    }
    if (text[strspn(text, " \t")] == '-') {
        char shown[64];
        (void)cop_err_add(err, COP_E_INPUT, "`%s` is negative; write such as `16 %s`",
                          cop_excerpt(text, shown, sizeof(shown)),
                          cycles  ? "cycles"
                          : flits ? "flits"
                                  : "flits/cycle");
        return NULL;
    }
    const char *number = cop_arena_printf(arena, "%.*s", (int)(unit - text), text);
    cop_scale scale = {u->cycle_ps, "picoseconds", "time", "16 cycles", text};
    if (cycles && cop_parse_scaled(number, &scale, &value, err) == 0)
        return cop_arena_printf(arena, "%" PRIu64 " ps", value);
    scale = (cop_scale){u->flit_bytes, "bytes", "size", "16 flits", text};
    if (flits && cop_parse_scaled(number, &scale, &value, err) == 0)
        return cop_arena_printf(arena, "%" PRIu64 " B", value);
    if (!rate)
        return NULL;
    scale = (cop_scale){rate_of_flit(u), NULL, "rate", "0.5 flits/cycle", text};
    if (cop_parse_scaled(number, &scale, &value, err) == 0)
        return cop_arena_printf(arena, "%" PRIu64 " bit/s", value);
    return NULL;
}

static bool print_rate(const cop_units_cfg *u, uint64_t bps, char *buf, size_t size)
{
    char number[32];
    uint64_t back = 0;
    cop_err err = {0};
    snprintf(number, sizeof(number), "%.9g", (double)bps / (double)rate_of_flit(u));
    cop_scale scale = {rate_of_flit(u), NULL, "rate", "0.5 flits/cycle", number};
    if (cop_parse_scaled(number, &scale, &back, &err) != 0 || back != bps)
        return false;
    snprintf(buf, size, "%s flit%s/cycle", number, strcmp(number, "1") == 0 ? "" : "s");
    return true;
}

#define MOST_WHOLE UINT64_C(1000000000000000000) /* numbers in a file have 18 digits at most */

static bool print_whole(uint64_t value, uint64_t unit, const char *name, char *buf, size_t size)
{
    if (unit == 0 || value % unit != 0 || value / unit >= MOST_WHOLE)
        return false;
    snprintf(buf, size, "%" PRIu64 " %s%s", value / unit, name, value == unit ? "" : "s");
    return true;
}

const char *cop_units_print(const cop_units_cfg *u, enum cop_opt_type type, uint64_t value,
                            char *buf, size_t size)
{
    bool counts = value != 0 && value != COP_NEVER;
    if (type == COP_OPT_TIME)
        return counts && print_whole(value, u->cycle_ps, "cycle", buf, size)
                   ? buf
                   : cop_print_time(value, buf, size);
    if (type == COP_OPT_BYTES)
        return counts && print_whole(value, u->flit_bytes, "flit", buf, size)
                   ? buf
                   : cop_print_bytes(value, buf, size);
    return counts && u->cycle_ps != 0 && u->flit_bytes != 0 && print_rate(u, value, buf, size)
               ? buf
               : cop_print_rate(value, buf, size);
}
