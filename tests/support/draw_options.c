/* Options that are drawn from what their tables say: of plug-ins that nothing here knows by name, and of any
 * topology. One that is added to a list, or an option to its table, is drawn as soon as it is there. */
#include <stdio.h>
#include <string.h>

#include "draw_int.h"
#include "exp/sections.h"

/* The least value of an option, in `unit`. What is out of range is cut before it is converted: processors differ in
 * what they make of it then. */
static uint32_t least_of(const cop_opt *o, double unit)
{
    double least = o->min > 0 ? o->min / unit + 0.999 : 0;
    return least < 1e9 ? (uint32_t)least : 1000000000;
}

/* A number between the least value of an option and `most`, where short runs of small networks notice it. */
static uint32_t near_least(draw *d, const cop_opt *o, double unit, uint32_t most)
{
    uint32_t low = least_of(o, unit);
    bool cut = o->max > o->min && o->max >= 0 && o->max / unit < most;
    uint32_t high = cut ? (uint32_t)(o->max / unit) : most;
    return between(d, low, high < low ? low : high);
}

bool draw_number(draw *d, const cop_opt *o, uint32_t longest, char *text, size_t size)
{
    if (o->type == COP_OPT_INT)
        snprintf(text, size, "%u", near_least(d, o, 1, least_of(o, 1) + 11));
    else if (o->type == COP_OPT_REAL)
        snprintf(text, size, "%.3f", near_least(d, o, 0.125, 40) / 8.0);
    else if (o->type == COP_OPT_SHARE)
        snprintf(text, size, "%u %%", near_least(d, o, 0.01, 100));
    else if (o->type == COP_OPT_TIME)
        snprintf(text, size, "%u ns", near_least(d, o, 1000, longest));
    else if (o->type == COP_OPT_BYTES)
        snprintf(text, size, "%u B", near_least(d, o, 1, 4 * d->mtu));
    else if (o->type == COP_OPT_RATE)
        snprintf(text, size, "%u Mbit/s", near_least(d, o, 1e6, 500 * d->link_gbps));
    else
        return false;
    return true;
}

uint32_t draw_count(const char *const *names)
{
    uint32_t n = 0;
    while (names && names[n])
        n++;
    return n;
}

static bool is_in(const char *name, const char *const *list)
{
    while (list && *list && strcmp(*list, name) != 0)
        list++;
    return list && *list;
}

void draw_put_options(draw *d, const cop_opt *o, const char *const *but)
{
    char text[32];
    for (; o != NULL && o->name != NULL; o++) {
        bool given = below(d, 2);
        if (is_in(o->name, but))
            continue;
        if (o->type == COP_OPT_ENUM)
            draw_put(d, ", %s: %s", o->name, o->names[below(d, draw_count(o->names))]);
        else if (o->type == COP_OPT_BOOL)
            draw_put(d, ", %s: %s", o->name, below(d, 2) ? "yes" : "no");
        else if ((given || o->type == COP_OPT_INT) && draw_number(d, o, 20000, text, sizeof(text)))
            draw_put(d, ", %s: %s", o->name, text);
    }
}

/* A whole number of which there can be several in a network without making it large. */
static uint32_t draw_few(draw *d, const cop_opt *o)
{
    uint32_t more = below(d, 5);
    return near_least(d, o, 1, least_of(o, 1) + more);
}

static bool put_size(draw *d, const cop_opt *o, uint32_t items, char *text, size_t size)
{
    if (o->type == COP_OPT_INT) {
        snprintf(text, size, "%u", draw_few(d, o));
    } else if (o->type == COP_OPT_ENUM) {
        snprintf(text, size, "%s", o->names[below(d, draw_count(o->names))]);
    } else if (o->type == COP_OPT_BOOL) {
        snprintf(text, size, "%s", below(d, 2) ? "yes" : "no");
    } else if (cop_opt_names_file(o)) {
        snprintf(text, size, "%s", ONE_OF(d, "examples/fabric16.net", "tests/golden/four.net"));
    } else if (o->type == COP_OPT_INTS) {
        size_t used = (size_t)snprintf(text, size, "[%u", draw_few(d, o));
        for (uint32_t i = 1; i < items; i++)
            used += (size_t)snprintf(text + used, size - used, ", %u", draw_few(d, o));
        snprintf(text + used, size - used, "]");
    } else {
        return draw_number(d, o, 2000, text, size);
    }
    return true;
}

void draw_sizes(draw *d, const cop_opt *o, char *text, size_t size)
{
    char value[64];
    size_t used = strlen(text);
    uint32_t items =
        between(d, 1, 3); /* lists of one network belong together: a level or a dimension each */
    for (; o != NULL && o->name != NULL; o++) {
        bool given = o->def == NULL || below(d, 2);
        if (given && put_size(d, o, items, value, sizeof(value)))
            used += (size_t)snprintf(text + used, size - used, ", %s: %s", o->name, value);
        assert_true(used < size);
    }
}
