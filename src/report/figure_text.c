/* The numbers of a figure in a terminal: a table with a row per x and a column per curve.
 *
 * In:  the JSON of a figure (docs/RESULTS.md). Out: lines of at most `width` columns; a table that is
 * wider is cut into several, each with the first column. Curves over time, timelines and networks have no table:
 * they would fill the screen and say nothing. */
#include "report/report_int.h"

#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2 /* between columns; rankings have many, and one */
#define MAX_CELL 28

typedef struct grid {
    const char **cell; /* rows x columns, the first of both are names */
    size_t rows, columns, gap;
    cop_arena *arena;
} grid;

static grid new_grid(cop_arena *a, size_t rows, size_t columns)
{
    grid g = {COP_NEW_ARRAY(a, const char *, cop_product(rows, columns)), rows, columns, GAP, a};
    for (size_t i = 0; i < rows * columns; i++)
        g.cell[i] = "";
    return g;
}

static const char **at(const grid *g, size_t row, size_t column)
{
    return &g->cell[row * g->columns + column];
}

static const char *axis_title(const json_t *axis, cop_arena *a)
{
    const char *label = cop_plain_copy(a, cop_report_get(axis, "label"));
    const char *unit = cop_plain_copy(a, cop_report_get(axis, "unit"));
    return unit[0] ? cop_arena_printf(a, "%s%s(%s)", label, label[0] ? " " : "", unit) : label;
}

static const char *number(double v, double ci, cop_arena *a)
{
    if (!isfinite(v))
        return "-";
    if (!isfinite(ci))
        return cop_arena_printf(a, "%.5g", v);
    return cop_arena_printf(a, "%.5g ± %.2g", v, ci);
}

static double real_of(const json_t *v)
{
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

/* -- filling -- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Every x that some curve has, in order. */
static double *all_x(const json_t *f, size_t *n, cop_arena *a)
{
    size_t i, k, most = 0;
    json_t *s, *p;
    COP_EACH (json_object_get(f, "series"), i, s)
        most += json_array_size(json_object_get(s, "points"));
    double *x = COP_NEW_ARRAY(a, double, most + 1);
    size_t used = 0;
    COP_EACH (json_object_get(f, "series"), i, s)
        COP_EACH (json_object_get(s, "points"), k, p)
            x[used++] = real_of(json_array_get(p, 0));
    qsort(x, used, sizeof(*x), by_value);
    *n = 0;
    for (i = 0; i < used; i++)
        if (*n == 0 || x[*n - 1] != x[i])
            x[(*n)++] = x[i];
    return x;
}

static const char *x_text(const json_t *f, double x, cop_arena *a)
{
    const json_t *names = json_object_get(json_object_get(f, "x"), "names");
    const char *name = x >= 0.0 ? json_string_value(json_array_get(names, (size_t)x)) : NULL;
    return name ? cop_plain_copy(a, name) : cop_arena_printf(a, "%.6g", x);
}

static grid curves(const json_t *f, cop_arena *a)
{
    size_t n, i, k;
    json_t *s, *p;
    double *x = all_x(f, &n, a);
    grid g = new_grid(a, n + 1, json_array_size(json_object_get(f, "series")) + 1);
    *at(&g, 0, 0) = axis_title(json_object_get(f, "x"), a);
    for (i = 0; i < n; i++)
        *at(&g, i + 1, 0) = x_text(f, x[i], a);
    COP_EACH (json_object_get(f, "series"), i, s) {
        *at(&g, 0, i + 1) = cop_plain_copy(a, cop_report_get(s, "name"));
        COP_EACH (json_object_get(s, "points"), k, p) {
            double here = real_of(json_array_get(p, 0));
            double *found = bsearch(&here, x, n, sizeof(*x), by_value);
            if (found != NULL)
                *at(&g, (size_t)(found - x) + 1, i + 1) =
                    number(real_of(json_array_get(p, 1)),
                           real_of(json_array_get(json_object_get(s, "ci"), k)), a);
        }
    }
    return g;
}

static grid bars(const json_t *f, cop_arena *a)
{
    size_t i, k;
    json_t *s, *v;
    const json_t *names = json_object_get(f, "categories");
    grid g =
        new_grid(a, json_array_size(names) + 1, json_array_size(json_object_get(f, "series")) + 1);
    *at(&g, 0, 0) = axis_title(json_object_get(f, "x"), a);
    COP_EACH (names, i, v)
        *at(&g, i + 1, 0) = cop_plain_copy(a, json_is_string(v) ? json_string_value(v) : "");
    COP_EACH (json_object_get(f, "series"), i, s) {
        *at(&g, 0, i + 1) = cop_plain_copy(a, cop_report_get(s, "name"));
        COP_EACH (json_object_get(s, "values"), k, v)
            if (k + 1 < g.rows)
                *at(&g, k + 1, i + 1) =
                    number(real_of(v), real_of(json_array_get(json_object_get(s, "ci"), k)), a);
    }
    return g;
}

static grid heat(const json_t *f, cop_arena *a)
{
    size_t i;
    json_t *c;
    const json_t *xs = json_object_get(f, "xs"), *ys = json_object_get(f, "ys");
    grid g = new_grid(a, json_array_size(ys) + 1, json_array_size(xs) + 1);
    *at(&g, 0, 0) = cop_arena_printf(a, "%s \\ %s", axis_title(json_object_get(f, "y"), a),
                                     axis_title(json_object_get(f, "x"), a));
    COP_EACH (xs, i, c)
        *at(&g, 0, i + 1) = cop_plain_copy(a, json_is_string(c) ? json_string_value(c) : "");
    COP_EACH (ys, i, c)
        *at(&g, i + 1, 0) = cop_plain_copy(a, json_is_string(c) ? json_string_value(c) : "");
    COP_EACH (json_object_get(f, "cells"), i, c) {
        size_t x = (size_t)json_integer_value(json_array_get(c, 0));
        size_t y = (size_t)json_integer_value(json_array_get(c, 1));
        if (x + 1 < g.columns && y + 1 < g.rows)
            *at(&g, y + 1, x + 1) = number(real_of(json_array_get(c, 2)), (double)NAN, a);
    }
    return g;
}

static grid table(const json_t *f, cop_arena *a)
{
    size_t i, k;
    json_t *row, *v;
    const json_t *columns = json_object_get(f, "columns"), *rows = json_object_get(f, "rows");
    size_t width = json_array_size(columns);
    COP_EACH (rows, i, row)
        width = json_array_size(row) > width ? json_array_size(row) : width;
    grid g = new_grid(a, json_array_size(rows) + 1, width);
    COP_EACH (columns, k, v)
        *at(&g, 0, k) = cop_plain_copy(a, json_is_string(v) ? json_string_value(v) : "");
    COP_EACH (rows, i, row)
        COP_EACH (row, k, v)
            *at(&g, i + 1, k) = json_is_string(v) ? cop_plain_copy(a, json_string_value(v))
                                                  : number(real_of(v), (double)NAN, a);
    return g;
}

/* -- printing -- */

static size_t shown_columns(const char *text)
{
    size_t n = cop_columns(text);
    return n > MAX_CELL ? MAX_CELL : n;
}

static size_t column_width(const grid *g, size_t column)
{
    size_t most = 1;
    for (size_t i = 0; i < g->rows; i++) {
        size_t n = shown_columns(*at(g, i, column));
        most = n > most ? n : most;
    }
    return most;
}

static void put_cell(FILE *out, const char *text, size_t width, bool right)
{
    size_t n = cop_columns(text), shown = n > width ? width : n;
    fprintf(out, "%*s", right ? (int)(width - shown) : 0, "");
    for (size_t left = n > width ? width - 1 : n; *text != '\0'; text++) {
        if (((unsigned char)*text & 0xc0) != 0x80 && left-- == 0)
            break;
        fputc(*text, out);
    }
    fputs(n > width ? "…" : "", out);
    if (!right)
        fprintf(out, "%*s", (int)(width - shown), "");
}

/* The first column and those from `from` up to `to`. */
static void put_part(const grid *g, size_t from, size_t to, FILE *out)
{
    size_t names = column_width(g, 0);
    for (size_t i = 0; i < g->rows; i++) {
        fputs("  ", out);
        put_cell(out, *at(g, i, 0), names, false);
        for (size_t k = from; k < to; k++) {
            fprintf(out, "%*s", (int)g->gap, "");
            put_cell(out, *at(g, i, k), column_width(g, k), true);
        }
        fputc('\n', out);
    }
}

static void put_grid(const grid *g, FILE *out, unsigned width)
{
    size_t names = column_width(g, 0) + 2;
    for (size_t from = 1; from < g->columns;) {
        size_t used = names, to = from;
        while (to < g->columns && (to == from || used + g->gap + column_width(g, to) <= width))
            used += g->gap + column_width(g, to++);
        put_part(g, from, to, out);
        from = to;
    }
}

/* -- rankings -- */

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
static grid ranked(const json_t *f, const json_t *tab, cop_arena *a)
{
    size_t i, k, n = 0;
    json_t *row, *c;
    const json_t *columns = json_object_get(f, "columns"), *rows = json_object_get(tab, "rows");
    bool units = false;
    COP_EACH (columns, k, c)
        units |= cop_report_get(c, "unit")[0] != '\0';
    COP_EACH (rows, i, row)
        n += has_value(row);
    grid g = new_grid(a, n + 1 + units, json_array_size(columns) + 2);
    g.gap = 1;
    *at(&g, 0, 0) = cop_plain_copy(a, cop_report_get(f, "rows"));
    *at(&g, 0, 1) = "rank";
    COP_EACH (columns, k, c) {
        *at(&g, 0, k + 2) = cop_plain_copy(a, cop_report_get(c, "name"));
        if (units) /* in a line of their own: columns stay narrow */
            *at(&g, 1, k + 2) = cop_plain_copy(a, cop_report_get(c, "unit"));
    }
    n = units;
    COP_EACH (rows, i, row) {
        if (!has_value(row))
            continue;
        *at(&g, ++n, 0) = cop_plain_copy(a, cop_report_get(row, "name"));
        *at(&g, n, 1) = rank_text(row, a);
        COP_EACH (json_object_get(row, "cells"), k, c)
            if (k + 2 < g.columns)
                *at(&g, n, k + 2) = short_number(real_of(json_object_get(c, "v")), a);
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

static void put_ranking(const json_t *f, FILE *out, unsigned width, cop_arena *a)
{
    size_t i;
    json_t *tab;
    COP_EACH (json_object_get(f, "tabs"), i, tab) {
        grid g = ranked(f, tab, a);
        const char *name = cop_report_get(tab, "name");
        if (name[0])
            fprintf(out, "%s  %s\n", i > 0 ? "\n" : "", cop_plain_copy(a, name));
        put_grid(&g, out, width);
        put_reasons(json_object_get(tab, "rows"), out, width, a);
    }
}

/* -- figures -- */

static void put_title(const json_t *f, FILE *out, const char *ci, cop_arena *a)
{
    const char *title = cop_report_get(f, "title");
    const char *what = axis_title(json_object_get(f, json_object_get(f, "z") ? "z" : "y"), a);
    size_t seeds = json_array_size(json_object_get(f, "seeds"));
    fprintf(out, "\n  %s%s%s", cop_plain_copy(a, title[0] ? title : cop_report_get(f, "name")),
            what[0] ? ": " : "", what);
    if (seeds > 1)
        fprintf(out, ", mean of %zu seeds%s", seeds, ci);
    fputc('\n', out);
}

void cop_report_figure_text(const json_t *f, FILE *out, unsigned width)
{
    static const struct {
        const char *kind;
        grid (*make)(const json_t *f, cop_arena *a);
    } kinds[] = {{"line", curves}, {"bar", bars}, {"heatmap", heat}, {"table", table}};
    const char *kind = cop_report_get(f, "kind");
    cop_arena a = {0};
    if (strcmp(kind, "ranking") == 0) {
        put_title(f, out, "; = shares the rank", &a);
        put_ranking(f, out, width, &a);
    }
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        if (strcmp(kind, kinds[i].kind) != 0)
            continue;
        put_title(f, out, strcmp(kind, "heatmap") == 0 ? "" : " ± 95 % interval", &a);
        grid g = kinds[i].make(f, &a);
        put_grid(&g, out, width);
    }
    cop_arena_free(&a);
}

void cop_report_spec_text(const char *spec, FILE *out, unsigned width)
{
    json_t *f = json_loads(spec, 0, NULL);
    cop_report_figure_text(f, out, width);
    json_decref(f);
}

void cop_report_ranking_text(const char *spec, FILE *out, unsigned width)
{
    json_t *f = json_loads(spec, 0, NULL);
    if (strcmp(cop_report_get(f, "kind"), "ranking") == 0)
        cop_report_figure_text(f, out, width);
    json_decref(f);
}
