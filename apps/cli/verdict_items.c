/* See verdict_items.h. Each line has a name of what was measured, the mean with its confidence, the band that is asked
 * for ("shown": none), and a word where it is missed or seeds could turn it. */
#include "verdict_items.h"

#include "base/text.h"

#include <jansson.h>
#include <string.h>

enum { VALUE_COLUMNS = 20, BAND_COLUMNS = 22, MARK_COLUMNS = 8, INDENT = 6 };

static const char *value_text(const json_t *item, cop_arena *a)
{
    const json_t *value = json_object_get(item, "value"), *ci = json_object_get(item, "ci");
    if (!json_is_number(value))
        return "-";
    if (!json_is_number(ci) || json_number_value(ci) == 0.0)
        return cop_arena_printf(a, "%.5g", json_number_value(value));
    return cop_arena_printf(a, "%.5g ± %.2g", json_number_value(value), json_number_value(ci));
}

static const char *band_text(const json_t *item, cop_arena *a)
{
    const json_t *low = json_object_get(item, "low"), *high = json_object_get(item, "high");
    if (json_is_number(low) && json_is_number(high))
        return cop_arena_printf(a, "%.4g to %.4g", json_number_value(low), json_number_value(high));
    if (json_is_number(low))
        return cop_arena_printf(a, "%.4g or more", json_number_value(low));
    if (json_is_number(high))
        return cop_arena_printf(a, "%.4g or less", json_number_value(high));
    return json_is_boolean(json_object_get(item, "pass")) ? "" : "shown";
}

static void put_column(FILE *out, const char *text, unsigned columns)
{
    size_t used = cop_columns(text);
    fprintf(out, "%s%*s", text, used < columns ? (int)(columns - used) : 1, "");
}

void cop_verdict_items_show(FILE *out, const cop_study_verdict *v, unsigned width, cop_arena *a)
{
    json_t *list = json_loads(v->items, 0, NULL), *item;
    unsigned others = INDENT + VALUE_COLUMNS + BAND_COLUMNS + MARK_COLUMNS, name_columns = 4;
    size_t i;
    json_array_foreach(list, i, item)
    {
        const char *what = json_string_value(json_object_get(item, "what"));
        unsigned n = what ? (unsigned)cop_columns(what) + 2 : 0;
        name_columns = n > name_columns ? n : name_columns;
    }
    bool below = name_columns + others > width; /* then names have lines of their own */
    json_array_foreach(list, i, item)
    {
        const char *what = json_string_value(json_object_get(item, "what"));
        const char *name = cop_plain_copy(a, what ? what : "");
        fprintf(out, "%*s", INDENT, "");
        if (below)
            fprintf(out, "%s\n%*s", name, INDENT + 2, "");
        else
            put_column(out, name, name_columns);
        put_column(out, value_text(item, a), VALUE_COLUMNS);
        const char *band = band_text(item, a), *mark = NULL;
        if (json_is_false(json_object_get(item, "pass")))
            mark = "FAIL";
        else if (json_is_true(json_object_get(item, "narrow")))
            mark = "narrow";
        if (mark != NULL)
            put_column(out, band, BAND_COLUMNS);
        fprintf(out, "%s\n", mark ? mark : band);
    }
    json_decref(list);
}
