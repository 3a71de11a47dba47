/* Counters of mechanisms, for people: one line each, and of families (by port, by traffic entry) the largest. */
#include "base/text.h"
#include "show_int.h"

#include <math.h>
#include <string.h>

#define MAX_OF_FAMILY 6

/* Scalars up to the last of those that the summary has told. */
static uint32_t told_above(const cop_result *r)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, "saturated") == 0)
            return i + 1;
    return 0;
}

/* What the summary says in flits and cycles. */
static bool told_in_units(const char *name)
{
    size_t n = strlen(name);
    return strncmp(name, "units.", 6) == 0 || strncmp(name, "latency_cycles.", 15) == 0 ||
           (n > 6 && strcmp(name + n - 6, "_flits") == 0);
}

/* Numbers of seven digits and more as people read them: bytes in MiB, whole numbers in groups. */
static void show_extra(FILE *out, const char *name, double value, const char *unit)
{
    static const cop_units_cfg si = {0};
    char text[40];
    if (unit != NULL && strcmp(unit, "bytes") == 0 && value >= 1048576) {
        cop_short_bytes(&si, value, text, sizeof(text));
        char *space = strchr(text, ' ');
        if (space != NULL)
            *space++ = '\0';
        fprintf(out, "  %-36s %14s %s\n", name, text, space ? space : "");
        return;
    }
    if (value >= 1e6 && value < 1e15 && value == floor(value)) {
        fprintf(out, "  %-36s %14s %s\n", name, cop_grouped((uint64_t)value, text, sizeof(text)),
                unit ? unit : "");
        return;
    }
    fprintf(out, "  %-36s %14.6g %s\n", name, value, unit ? unit : "");
}

/* `fecn/` of fecn/ENTRY: how much of a counter's name it has in common with others; 0: it stands alone. */
static size_t family_of(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash ? (size_t)(slash - name) + 1 : 0;
}

/* Of PORT and PORT>HOST, which says the same in more detail, the first. */
static bool counts(const cop_scalar *one, const cop_scalar *first)
{
    return one->value != 0.0 &&
           (strchr(one->name, '>') == NULL || strchr(first->name, '>') != NULL);
}

/* Scalars `first` to `end` - 1 are counters of one family, by port or traffic entry. Of many the largest are shown, and what the
 * others add up to. */
static void show_family(FILE *out, const cop_result *r, uint32_t first, uint32_t end,
                        cop_arena *arena)
{
    const cop_scalar *top[MAX_OF_FAMILY] = {NULL}, *s = r->scalar;
    uint32_t n = 0, all = 0;
    double rest = 0.0;
    for (uint32_t i = first; i < end; i++)
        all += counts(&s[i], &s[first]);
    for (uint32_t i = first; i < end; i++) {
        if (!counts(&s[i], &s[first]))
            continue;
        uint32_t at = n < MAX_OF_FAMILY ? n++ : MAX_OF_FAMILY;
        if (at == MAX_OF_FAMILY)
            rest += s[i].value > top[at - 1]->value ? top[at - 1]->value : s[i].value;
        for (; at > 0 && all > MAX_OF_FAMILY && s[i].value > top[at - 1]->value; at--)
            if (at < MAX_OF_FAMILY)
                top[at] = top[at - 1];
        if (at < MAX_OF_FAMILY)
            top[at] = &s[i];
    }
    for (uint32_t k = 0; k < n; k++)
        show_extra(out, cop_plain_copy(arena, top[k]->name), top[k]->value, top[k]->unit);
    if (all > n)
        show_extra(out,
                   cop_arena_printf(arena, "%.*s, %u more: together",
                                    (int)family_of(s[first].name) - 1, s[first].name, all - n),
                   rest, s[first].unit);
}

void cop_show_counters(const cop_sheet *s)
{
    const cop_result *r = s->r;
    bool shown = false;
    for (uint32_t i = told_above(r), end; i < r->n_scalars; i = end) {
        const cop_scalar *one = &r->scalar[i];
        size_t family = family_of(one->name);
        bool any = one->value != 0.0 || strcmp(one->name, "misrouted_share") == 0;
        for (end = i + 1; family > 0 && end < r->n_scalars &&
                          strncmp(r->scalar[end].name, one->name, family) == 0;
             end++)
            any |= r->scalar[end].value != 0.0;
        if (!any || told_in_units(one->name) ||
            strncmp(one->name, "hardware.", 9) == 0 || /* `coppice check` tells */
            strncmp(one->name, "job/", 4) == 0) /* show_jobs */
            continue;
        if (!shown)
            fputc('\n', s->out);
        shown = true;
        if (family > 0)
            show_family(s->out, r, i, end, s->arena);
        else
            show_extra(s->out, cop_plain_copy(s->arena, one->name), one->value, one->unit);
    }
}
