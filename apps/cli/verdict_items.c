/* See verdict_items.h. Each line has a name of what was measured, the mean with its confidence, the band that is asked
 * for ("shown": none), and a word where it is missed or seeds could turn it. */
#include "verdict_items.h"

#include "base/text.h"
#include "wrap.h"

#include <jansson.h>
#include <string.h>

enum { MARK_COLUMNS = 6, INDENT = 6 };

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

static const char *name_text(const json_t *item, cop_arena *a)
{
    const char *what = json_string_value(json_object_get(item, "what"));
    return cop_plain_copy(a, what ? what : "");
}

/* Of one column of all items: the widest, and two blanks. */
static unsigned columns_of(const json_t *list, const char *(*text)(const json_t *, cop_arena *),
                           cop_arena *a)
{
    size_t i, most = 0;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        size_t n = cop_columns(text(item, a));
        most = n > most ? n : most;
    }
    return (unsigned)most + 2;
}

static void put_column(FILE *out, const char *text, unsigned columns)
{
    size_t used = cop_columns(text);
    fprintf(out, "%s%*s", text, used < columns ? (int)(columns - used) : 1, "");
}

void cop_verdict_items_show(FILE *out, const cop_study_verdict *v, unsigned width, cop_arena *a)
{
    json_t *list = json_loads(v->items, 0, NULL), *item;
    size_t i;
    if (json_object_get(json_array_get(list, 0), "what") == NULL) { /* only its text was kept */
        cop_wrap_item(out, "", INDENT, cop_plain_copy(a, v->measured));
        json_decref(list);
        return;
    }
    unsigned names = columns_of(list, name_text, a), values = columns_of(list, value_text, a),
             bands = columns_of(list, band_text, a);
    bool below = INDENT + names + values + bands + MARK_COLUMNS >
                 width; /* then names have lines of their own */
    json_array_foreach(list, i, item)
    {
        fprintf(out, "%*s", INDENT, "");
        if (below)
            fprintf(out, "%s\n%*s", name_text(item, a), INDENT + 2, "");
        else
            put_column(out, name_text(item, a), names);
        put_column(out, value_text(item, a), values);
        const char *band = band_text(item, a), *mark = NULL;
        if (json_is_false(json_object_get(item, "pass")))
            mark = "FAIL";
        else if (json_is_true(json_object_get(item, "narrow")))
            mark = "narrow";
        if (mark != NULL)
            put_column(out, band, bands);
        fprintf(out, "%s\n", mark ? mark : band);
        const char *note = json_string_value(json_object_get(item, "note"));
        if (note && note[0] != '\0')
            cop_wrap_item(out, "", INDENT + 2, cop_plain_copy(a, note));
    }
    json_decref(list);
}
