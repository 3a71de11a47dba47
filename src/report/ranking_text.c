/* A ranking in a terminal: a table per tab, with rank and value of each row, then why the others have none.
 *
 * In: the JSON of a figure of kind `ranking` (docs/RESULTS.md). */
#include "report/grid.h"

#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Two decimals are enough beside forty others; what is large keeps its whole part. */
static const char *short_number(double v, cop_arena *a)
{
    if (!isfinite(v))
        return "-";
    bool whole = v >= -1e15 && v <= 1e15 && (double)(long long)v == v;
    return cop_arena_printf(a, "%.*f", whole || fabs(v) >= 100.0 ? 0 : fabs(v) >= 10.0 ? 1 : 2, v);
}

/* "3", or "=3" for a row that shares the rank of the one above. */
static const char *rank_text(const json_t *row, cop_arena *a)
{
    const json_t *rank = json_object_get(row, "rank");
    if (!json_is_integer(rank))
        return "";
    return cop_arena_printf(a, "%s%" JSON_INTEGER_FORMAT,
                            json_is_true(json_object_get(row, "tied")) ? "=" : "",
                            json_integer_value(rank));
}

static bool has_value(const json_t *row)
{
    size_t i;
    json_t *c;
    COP_EACH (json_object_get(row, "cells"), i, c)
        if (json_is_number(json_object_get(c, "v")))
            return true;
    return false;
}

/* One table of a ranking: the rows that have values. */
static cop_grid ranked(const json_t *f, const json_t *tab, cop_arena *a)
{
    size_t i, k, n = 0;
    json_t *row, *c;
    const json_t *columns = json_object_get(f, "columns"), *rows = json_object_get(tab, "rows");
    bool units = false;
    COP_EACH (columns, k, c)
        units |= cop_report_get(c, "unit")[0] != '\0';
    COP_EACH (rows, i, row)
        n += has_value(row);
    cop_grid g = cop_grid_new(a, n + 1 + units, json_array_size(columns) + 2);
    g.gap = 1;
    *cop_grid_at(&g, 0, 0) = cop_plain_copy(a, cop_report_get(f, "rows"));
    *cop_grid_at(&g, 0, 1) = "rank";
    COP_EACH (columns, k, c) {
        *cop_grid_at(&g, 0, k + 2) = cop_plain_copy(a, cop_report_get(c, "name"));
        if (units) /* in a line of their own: columns stay narrow */
            *cop_grid_at(&g, 1, k + 2) = cop_plain_copy(a, cop_report_get(c, "unit"));
    }
    n = units;
    COP_EACH (rows, i, row) {
        if (!has_value(row))
            continue;
        *cop_grid_at(&g, ++n, 0) = cop_plain_copy(a, cop_report_get(row, "name"));
        *cop_grid_at(&g, n, 1) = rank_text(row, a);
        COP_EACH (json_object_get(row, "cells"), k, c)
            if (k + 2 < g.columns)
                *cop_grid_at(&g, n, k + 2) =
                    short_number(cop_grid_real(json_object_get(c, "v")), a);
    }
    return g;
}

/* Words at most `width` columns wide, later lines `indent` spaces in. */
static void put_words(FILE *out, const char *text, unsigned indent, unsigned width, size_t used)
{
    while (*text != '\0') {
        size_t n = strcspn(text, " ");
        char *word = cop_alloc(n + 1);
        memcpy(word, text, n);
        if (used + 1 + cop_columns(word) > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            used = indent;
        } else {
            fputc(' ', out);
            used++;
        }
        fputs(word, out);
        used += cop_columns(word);
        cop_free(word);
        text += n + strspn(text + n, " ");
    }
    fputc('\n', out);
}

/* Rows without values: those with the same reason in one line. */
static void put_reasons(const json_t *rows, FILE *out, unsigned width, cop_arena *a)
{
    size_t i, k;
    json_t *row, *other;
    COP_EACH (rows, i, row) {
        if (has_value(row))
            continue;
        const char *why = cop_report_get(row, "why"), *names = "";
        bool told = false;
        COP_EACH (rows, k, other) {
            if (has_value(other) || strcmp(cop_report_get(other, "why"), why) != 0)
                continue;
            told |= k < i;
            names = cop_arena_printf(a, "%s%s%s", names, names[0] ? ", " : "",
                                     cop_report_get(other, "name"));
        }
        if (told)
            continue;
        fputs("  -", out);
        put_words(
            out,
            cop_plain_copy(a, cop_arena_printf(a, "%s: %s", names, why[0] ? why : "no result")), 4,
            width, 3);
    }
}

void cop_ranking_print(const json_t *f, FILE *out, unsigned width, cop_arena *a)
{
    size_t i;
    json_t *tab;
    COP_EACH (json_object_get(f, "tabs"), i, tab) {
        cop_grid g = ranked(f, tab, a);
        const char *name = cop_report_get(tab, "name");
        if (name[0])
            fprintf(out, "%s  %s\n", i > 0 ? "\n" : "", cop_plain_copy(a, name));
        cop_grid_print(&g, out, width);
        put_reasons(json_object_get(tab, "rows"), out, width, a);
    }
}
