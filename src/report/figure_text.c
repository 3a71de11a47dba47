/* The numbers of a figure in a terminal: a table with a row per x and a column per curve.
 *
 * In:  the JSON of a figure (docs/RESULTS.md). Out: lines of at most `width` columns; a table that is
 * wider is cut into several, each with the first column. Curves over time have more points than a screen has lines: their
 * rows are means of equal spans. Timelines and networks have no table: it would say nothing. */
#include "report/grid.h"

#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_ROWS 16

static const char *axis_title(const json_t *axis, cop_arena *a)
{
    const char *label = cop_plain_copy(a, cop_report_get(axis, "label"));
    const char *unit = cop_plain_copy(a, cop_report_get(axis, "unit"));
    return unit[0] ? cop_arena_printf(a, "%s%s(%s)", label, label[0] ? " " : "", unit) : label;
}

bool cop_report_unsteady(const json_t *s, size_t k)
{
    size_t i;
    json_t *place;
    COP_EACH (json_object_get(s, "unsteady"), i, place)
        if (json_is_integer(place) && json_integer_value(place) == (json_int_t)k)
            return true;
    return false;
}

static const char *number(double v, double ci, cop_arena *a)
{
    if (!isfinite(v))
        return "-";
    if (!isfinite(ci))
        return cop_arena_printf(a, "%.5g", v);
    return cop_arena_printf(a, "%.5g ± %.2g", v, ci);
}

/* Value k of a series, or of a heat map, with an asterisk if its runs were not steady. */
static const char *value(const json_t *s, size_t k, double v, double ci, cop_arena *a)
{
    const char *text = number(v, ci, a);
    return cop_report_unsteady(s, k) ? cop_arena_printf(a, "%s*", text) : text;
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
            x[used++] = cop_grid_real(json_array_get(p, 0));
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

static cop_grid curves(const json_t *f, cop_arena *a)
{
    size_t n, i, k;
    json_t *s, *p;
    double *x = all_x(f, &n, a);
    cop_grid g = cop_grid_new(a, n + 1, json_array_size(json_object_get(f, "series")) + 1);
    *cop_grid_at(&g, 0, 0) = axis_title(json_object_get(f, "x"), a);
    for (i = 0; i < n; i++)
        *cop_grid_at(&g, i + 1, 0) = x_text(f, x[i], a);
    COP_EACH (json_object_get(f, "series"), i, s) {
        *cop_grid_at(&g, 0, i + 1) = cop_plain_copy(a, cop_report_get(s, "name"));
        COP_EACH (json_object_get(s, "points"), k, p) {
            double here = cop_grid_real(json_array_get(p, 0));
            double *found = bsearch(&here, x, n, sizeof(*x), by_value);
            if (found != NULL)
                *cop_grid_at(&g, (size_t)(found - x) + 1, i + 1) =
                    value(s, k, cop_grid_real(json_array_get(p, 1)),
                          cop_grid_real(json_array_get(json_object_get(s, "ci"), k)), a);
        }
    }
    g.intervals = true;
    return g;
}

/* Means of the points in equal spans of time, each row named by the end of its span. */
static cop_grid over_time(const json_t *f, cop_arena *a)
{
    size_t n, i, k;
    json_t *s, *p;
    double *x = all_x(f, &n, a);
    if (n <= TIME_ROWS)
        return curves(f, a);
    double first = x[0], span = (x[n - 1] - first) / TIME_ROWS;
    cop_grid g = cop_grid_new(a, TIME_ROWS + 1, json_array_size(json_object_get(f, "series")) + 1);
    *cop_grid_at(&g, 0, 0) =
        cop_arena_printf(a, "until %s", axis_title(json_object_get(f, "x"), a));
    for (i = 0; i < TIME_ROWS; i++)
        *cop_grid_at(&g, i + 1, 0) = cop_arena_printf(
            a, "%.6g", i + 1 < TIME_ROWS ? first + (double)(i + 1) * span : x[n - 1]);
    COP_EACH (json_object_get(f, "series"), i, s) {
        double sum[TIME_ROWS] = {0.0};
        unsigned points[TIME_ROWS] = {0};
        *cop_grid_at(&g, 0, i + 1) = cop_plain_copy(a, cop_report_get(s, "name"));
        COP_EACH (json_object_get(s, "points"), k, p) {
            double here = (cop_grid_real(json_array_get(p, 0)) - first) / span,
                   v = cop_grid_real(json_array_get(p, 1));
            if (!isfinite(here) || !isfinite(v))
                continue;
            size_t row = here > 0.0 ? (size_t)ceil(here) - 1 : 0;
            row = row < TIME_ROWS ? row : TIME_ROWS - 1;
            sum[row] += v;
            points[row]++;
        }
        for (k = 0; k < TIME_ROWS; k++)
            *cop_grid_at(&g, k + 1, i + 1) =
                points[k] ? number(sum[k] / points[k], (double)NAN, a) : "";
    }
    return g;
}

static cop_grid bars(const json_t *f, cop_arena *a)
{
    size_t i, k;
    json_t *s, *v;
    const json_t *names = json_object_get(f, "categories");
    cop_grid g = cop_grid_new(a, json_array_size(names) + 1,
                              json_array_size(json_object_get(f, "series")) + 1);
    *cop_grid_at(&g, 0, 0) = axis_title(json_object_get(f, "x"), a);
    COP_EACH (names, i, v)
        *cop_grid_at(&g, i + 1, 0) =
            cop_plain_copy(a, json_is_string(v) ? json_string_value(v) : "");
    COP_EACH (json_object_get(f, "series"), i, s) {
        *cop_grid_at(&g, 0, i + 1) = cop_plain_copy(a, cop_report_get(s, "name"));
        COP_EACH (json_object_get(s, "values"), k, v)
            if (k + 1 < g.rows)
                *cop_grid_at(&g, k + 1, i + 1) =
                    value(s, k, cop_grid_real(v),
                          cop_grid_real(json_array_get(json_object_get(s, "ci"), k)), a);
    }
    g.intervals = true;
    return g;
}

static cop_grid heat(const json_t *f, cop_arena *a)
{
    size_t i;
    json_t *c;
    const json_t *xs = json_object_get(f, "xs"), *ys = json_object_get(f, "ys");
    cop_grid g = cop_grid_new(a, json_array_size(ys) + 1, json_array_size(xs) + 1);
    *cop_grid_at(&g, 0, 0) = cop_arena_printf(a, "%s \\ %s", axis_title(json_object_get(f, "y"), a),
                                              axis_title(json_object_get(f, "x"), a));
    COP_EACH (xs, i, c)
        *cop_grid_at(&g, 0, i + 1) =
            cop_plain_copy(a, json_is_string(c) ? json_string_value(c) : "");
    COP_EACH (ys, i, c)
        *cop_grid_at(&g, i + 1, 0) =
            cop_plain_copy(a, json_is_string(c) ? json_string_value(c) : "");
    COP_EACH (json_object_get(f, "cells"), i, c) {
        size_t x = (size_t)json_integer_value(json_array_get(c, 0));
        size_t y = (size_t)json_integer_value(json_array_get(c, 1));
        if (x + 1 < g.columns && y + 1 < g.rows)
            *cop_grid_at(&g, y + 1, x + 1) =
                value(f, i, cop_grid_real(json_array_get(c, 2)), (double)NAN, a);
    }
    return g;
}

static cop_grid table(const json_t *f, cop_arena *a)
{
    size_t i, k;
    json_t *row, *v;
    const json_t *columns = json_object_get(f, "columns"), *rows = json_object_get(f, "rows");
    size_t width = json_array_size(columns);
    COP_EACH (rows, i, row)
        width = json_array_size(row) > width ? json_array_size(row) : width;
    cop_grid g = cop_grid_new(a, json_array_size(rows) + 1, width);
    COP_EACH (columns, k, v)
        *cop_grid_at(&g, 0, k) = cop_plain_copy(a, json_is_string(v) ? json_string_value(v) : "");
    COP_EACH (rows, i, row)
        COP_EACH (row, k, v)
            *cop_grid_at(&g, i + 1, k) = json_is_string(v)
                                             ? cop_plain_copy(a, json_string_value(v))
                                             : number(cop_grid_real(v), (double)NAN, a);
    return g;
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

/* What asterisks mean, and what has no value. */
static void put_notes(const json_t *f, FILE *out, cop_arena *a)
{
    size_t i, k;
    json_t *s, *m, *w;
    size_t marks = json_array_size(json_object_get(f, "unsteady"));
    COP_EACH (json_object_get(f, "series"), i, s)
        marks += json_array_size(json_object_get(s, "unsteady"));
    if (marks > 0)
        fputs("  * not steady: what waits grew with the run, and so do latencies\n", out);
    COP_EACH (json_object_get(f, "missing"), i, m) {
        const json_t *where = json_object_get(m, "where");
        json_int_t n = json_integer_value(json_object_get(m, "count"));
        fputs("  no value for ", out);
        COP_EACH (where, k, w)
            fprintf(out, "%s%s", k ? "; " : "",
                    cop_plain_copy(a, json_is_string(w) ? json_string_value(w) : ""));
        if (n > (json_int_t)json_array_size(where))
            fprintf(out, " and %" JSON_INTEGER_FORMAT " more",
                    n - (json_int_t)json_array_size(where));
        fprintf(out, ": %s\n", cop_plain_copy(a, cop_report_get(m, "why")));
    }
}

void cop_report_figure_text(const json_t *f, FILE *out, unsigned width)
{
    static const struct {
        const char *kind;
        cop_grid (*make)(const json_t *f, cop_arena *a);
    } kinds[] = {
        {"line", curves}, {"time", over_time}, {"bar", bars}, {"heatmap", heat}, {"table", table}};
    const char *kind = cop_report_get(f, "kind");
    cop_arena a = {0};
    if (strcmp(kind, "ranking") == 0) {
        put_title(f, out, "; = shares the rank", &a);
        cop_ranking_print(f, out, width, &a);
    }
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        if (strcmp(kind, kinds[i].kind) != 0)
            continue;
        cop_grid g = kinds[i].make(f, &a);
        put_title(f, out, g.intervals ? " ± 95 % interval" : "", &a);
        cop_grid_print(&g, out, width);
        put_notes(f, out, &a);
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
