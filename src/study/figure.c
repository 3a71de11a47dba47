/* Figures of a study as JSON for the report. docs/RESULTS.md describes the form.
 *
 * Curves over an axis have a mean and a confidence interval over the seeds; series over time are
 * those of the first seed, thinned to what a screen can show. */
#include "base/opt.h"
#include "study/evaluate.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#define MAX_TIME_POINTS 600

typedef struct painter {
    const cop_plan *plan;
    const cop_figure *f;
    cop_eval *e;
    cop_arena *arena;
    cop_err *err;
    bool any; /* something to show */
} painter;

static json_t *real_or_null(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static const cop_axis *axis_of(const cop_block *block, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < block[i].n_axes; k++)
            if (strcmp(block[i].axis[k].name, name) == 0)
                return &block[i].axis[k];
    return NULL;
}

const cop_axis *cop_study_axis(const cop_study *s, const char *name)
{
    const cop_axis *a = name ? axis_of(s->block, s->n_blocks, name) : NULL;
    return a || name == NULL ? a : axis_of(s->absent, s->n_absent, name);
}

static void fault(painter *p, const char *where, const char *what, const char *name)
{
    cop_err_add(p->err, COP_E_INPUT, "%s: %s `%s`", where, what, name);
}

static json_t *label_json(const cop_label *l)
{
    json_t *o = json_pack("{s:s, s:s, s:b}", "label", l->label, "unit", l->unit, "log", l->log);
    json_object_set_new(o, "min", real_or_null(l->min));
    json_object_set_new(o, "max", real_or_null(l->max));
    return o;
}

/* One value over all seeds; NaN where a run is missing or has no result. What each seed gave goes to
 * the end of `seeds`. */
static cop_measured value_of(painter *p, const cop_expr *of, json_t *seeds)
{
    json_t *each = json_array();
    json_array_append_new(seeds, each);
    size_t n = cop_eval_seeds(p->e);
    double *v = COP_NEW_ARRAY(p->arena, double, n);
    for (size_t k = 0; k < n; k++) {
        enum cop_eval_status st = cop_eval_seed(p->e, k);
        if (st == COP_EVAL_OK)
            st = cop_eval_number(p->e, of, &v[k]);
        if (st == COP_EVAL_FAULT)
            (void)cop_eval_fault(p->e, p->err);
        if (st != COP_EVAL_OK)
            return (cop_measured){.mean = NAN, .ci = NAN};
    }
    for (size_t k = 0; k < n; k++)
        json_array_append_new(each, real_or_null(v[k]));
    p->any = true;
    return cop_measure_seeds(v, n);
}

/* "{s}" in a name stands for the value of the series. */
static const char *curve_name(painter *p, const cop_curve *c, const char *s)
{
    const char *at = strstr(c->name, "{s}");
    if (at == NULL || s == NULL)
        return c->name;
    return cop_arena_printf(p->arena, "%.*s%s%s", (int)(at - c->name), c->name, s, at + 3);
}

/* Are all values of an axis numbers? Otherwise they are names, and x counts them. */
static bool is_numeric(const cop_axis *a)
{
    for (size_t i = 0; i < a->n_values; i++)
        if (isnan(a->value[i].number))
            return false;
    return true;
}

/* In the unit that the figure asks for, if there is a way to it. */
static double x_of(const painter *p, const cop_axis *a, size_t i)
{
    if (!is_numeric(a))
        return (double)i;
    double x = cop_unit_convert(a->value[i].number, a->unit, p->f->x.unit);
    return isnan(x) ? a->value[i].number : x;
}

static json_t *line_series(painter *p, const cop_curve *c, const cop_axis *a, const char *name)
{
    json_t *points = json_array(), *ci = json_array(), *seeds = json_array();
    for (size_t i = 0; i < a->n_values; i++) {
        cop_eval_bind(p->e, "x", &a->value[i]);
        cop_measured m = value_of(p, &c->of, seeds);
        if (!isfinite(m.mean)) { /* nothing there, or a division by zero */
            json_array_remove(seeds, json_array_size(seeds) - 1);
            continue;
        }
        json_array_append_new(points, json_pack("[f, f]", x_of(p, a, i), m.mean));
        json_array_append_new(ci, real_or_null(m.ci));
    }
    return json_pack("{s:s, s:b, s:o, s:o, s:o}", "name", name, "dash", c->dash, "points", points,
                     "ci", ci, "seeds", seeds);
}

/* Width of a bin in the unit of the figure's time axis; without a unit lists that are no series count their items. */
static double bin_of(painter *p, cop_bin_width width)
{
    static const struct {
        const char *unit;
        double per_second; /* cycles have their own width */
    } units[] = {{"", 1},     {"s", 1},    {"ms", 1e3},  {"us", 1e6},
                 {"µs", 1e6}, {"ns", 1e9}, {"cycles", 1}};
    const char *unit = p->f->x.unit;
    bool cycles = strcmp(unit, "cycles") == 0;
    double per_second = 0.0;
    for (size_t i = 0; i < COP_LEN(units); i++)
        if (strcmp(unit, units[i].unit) == 0)
            per_second = units[i].per_second;
    if (per_second <= 0.0)
        fault(p, p->f->where, "time is in s, ms, us, ns or cycles, not in", unit);
    else if (unit[0] != '\0' && width.seconds <= 0.0)
        fault(p, p->f->where, "a list that is no series has no time axis; give none of", unit);
    else if (cycles && width.cycles <= 0.0)
        fault(p, p->f->where, "time in cycles needs runs with", "units.cycle");
    else
        return cycles ? width.cycles : (width.seconds > 0.0 ? width.seconds : 1.0) * per_second;
    return 1.0;
}

/* Time series, thinned by means of neighbours. */
static json_t *time_series(painter *p, const cop_curve *c, const char *name)
{
    double *v = NULL;
    cop_bin_width width = {0};
    size_t n = 0;
    json_t *points = json_array();
    enum cop_eval_status st = cop_eval_seed(p->e, 0);
    if (st == COP_EVAL_OK)
        st = cop_eval_list(p->e, &c->of, p->arena, &v, &n, &width);
    if (st == COP_EVAL_FAULT)
        (void)cop_eval_fault(p->e, p->err);
    double bin = st == COP_EVAL_OK ? bin_of(p, width) : 1.0;
    size_t step = st == COP_EVAL_OK ? (n + MAX_TIME_POINTS - 1) / MAX_TIME_POINTS : 1;
    for (size_t i = 0; st == COP_EVAL_OK && i < n; i += step) {
        double sum = 0.0;
        size_t k = 0, finite = 0;
        for (; k < step && i + k < n; k++) {
            bool good = isfinite(v[i + k]); /* the latency of a bin without packets is not */
            sum += good ? v[i + k] : 0.0;
            finite += good;
        }
        if (finite == 0)
            continue;
        double t = ((double)i + (double)k / 2.0) * bin;
        json_array_append_new(points, json_pack("[f, f]", t, sum / (double)finite));
        p->any = true;
    }
    return json_pack("{s:s, s:b, s:o, s:n}", "name", name, "dash", c->dash, "points", points, "ci");
}

static json_t *bar_series(painter *p, const cop_curve *c, const char *name)
{
    json_t *values = json_array(), *ci = json_array(), *seeds = json_array();
    const cop_axis *a = cop_study_axis(p->plan->study, p->f->over[0]);
    size_t n = a ? a->n_values : p->f->n_categories;
    if (n == 0)
        fault(p, p->f->where, "bars need `over`, the name of an axis, or `categories`, not",
              p->f->over[0] ? p->f->over[0] : "");
    for (size_t i = 0; i < n; i++) {
        if (a)
            cop_eval_bind(p->e, "x", &a->value[i]);
        else
            cop_eval_bind_text(p->e, "x", p->f->category[i]);
        cop_measured m = value_of(p, &c->of, seeds);
        json_array_append_new(values, real_or_null(m.mean));
        json_array_append_new(ci, real_or_null(m.ci));
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "name", name, "values", values, "ci", ci, "seeds",
                     seeds);
}

static json_t *one_curve(painter *p, const cop_curve *c, const char *s)
{
    const char *name = curve_name(p, c, s);
    if (strcmp(p->f->kind, "time") == 0)
        return time_series(p, c, name);
    if (strcmp(p->f->kind, "bar") == 0)
        return bar_series(p, c, name);
    const cop_axis *a = cop_study_axis(p->plan->study, p->f->over[0]);
    if (a == NULL) {
        fault(p, p->f->where, "a line needs `over`, the name of an axis, not",
              p->f->over[0] ? p->f->over[0] : "");
        return json_null();
    }
    return line_series(p, c, a, name);
}

static json_t *all_curves(painter *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->f->n_curves; i++) {
        const cop_curve *c = &p->f->curve[i];
        const cop_axis *a = cop_study_axis(p->plan->study, c->over_series);
        if (c->over_series != NULL && a == NULL)
            fault(p, c->of.where, "`for` names no axis:", c->over_series);
        for (size_t k = 0; a != NULL && k < a->n_values; k++) {
            cop_eval_bind(p->e, "s", &a->value[k]);
            json_array_append_new(list, one_curve(p, c, a->value[k].label));
        }
        if (c->over_series == NULL)
            json_array_append_new(list, one_curve(p, c, NULL));
    }
    return list;
}

static json_t *axis_labels(const cop_axis *a)
{
    json_t *list = json_array();
    for (size_t i = 0; a != NULL && i < a->n_values; i++)
        json_array_append_new(list, json_string(a->value[i].label));
    return list;
}

static void add_heatmap(painter *p, json_t *o)
{
    const cop_axis *ax = cop_study_axis(p->plan->study, p->f->over[0]);
    const cop_axis *ay = cop_study_axis(p->plan->study, p->f->over[1]);
    json_t *cells = json_array(), *seeds = json_array();
    if (ax == NULL || ay == NULL || p->f->n_curves != 1)
        fault(p, p->f->where, "a heat map needs one series and `over: [x, y]` of two axes, in",
              p->f->name);
    for (size_t i = 0; ax && ay && p->f->n_curves == 1 && i < ax->n_values; i++)
        for (size_t k = 0; k < ay->n_values; k++) {
            cop_eval_bind(p->e, "x", &ax->value[i]);
            cop_eval_bind(p->e, "y", &ay->value[k]);
            cop_measured m = value_of(p, &p->f->curve[0].of, seeds);
            if (isfinite(m.mean))
                json_array_append_new(cells, json_pack("[i, i, f]", (int)i, (int)k, m.mean));
            else
                json_array_remove(seeds, json_array_size(seeds) - 1);
        }
    json_object_set_new(o, "xs", axis_labels(ax));
    json_object_set_new(o, "ys", axis_labels(ay));
    json_object_set_new(o, "cells", cells);
    json_object_set_new(o, "cell_seeds", seeds);
    json_object_set_new(o, "z", label_json(&p->f->z));
}

static void add_network(painter *p, json_t *o)
{
    const cop_result *r = NULL;
    enum cop_eval_status st = p->f->n_curves ? cop_eval_seed(p->e, 0) : COP_EVAL_NO_RUN;
    if (st == COP_EVAL_OK)
        st = cop_eval_run(p->e, &p->f->curve[0].of, &r);
    if (st == COP_EVAL_FAULT)
        (void)cop_eval_fault(p->e, p->err);
    p->any |= r != NULL && r->n_ports > 0;
    if (r != NULL)
        json_object_set_new(o, "run", json_integer(cop_eval_run_id(p->e)));
    cop_figure_network(r, o, p->arena);
}

static void add_table(painter *p, json_t *o)
{
    json_t *rows = json_array(), *columns = json_array();
    json_array_append_new(columns, json_string(""));
    for (size_t i = 0; i < p->f->n_columns; i++)
        json_array_append_new(columns, json_string(p->f->column[i]));
    for (size_t i = 0; i < p->f->n_curves; i++) {
        const cop_curve *c = &p->f->curve[i];
        const char **cell = NULL;
        size_t n = 0;
        enum cop_eval_status st = cop_eval_seed(p->e, 0);
        if (st == COP_EVAL_OK)
            st = cop_eval_texts(p->e, &c->of, p->arena, &cell, &n);
        if (st == COP_EVAL_FAULT)
            (void)cop_eval_fault(p->e, p->err);
        if (st != COP_EVAL_OK)
            continue;
        json_t *row = json_pack("[s]", c->name);
        for (size_t k = 0; k < n; k++) {
            json_t *text = json_string(cell[k]);
            json_array_append_new(row, text ? text : json_string("?")); /* not UTF-8 */
        }
        json_array_append_new(rows, row);
        p->any = true;
    }
    json_object_set_new(o, "columns", columns);
    json_object_set_new(o, "rows", rows);
}

/* An end of an expectation on the x axis, of the first seed. */
static double mark_end(painter *p, const cop_expr *of)
{
    double x = NAN;
    if (of->text == NULL)
        return x;
    enum cop_eval_status st = cop_eval_seed(p->e, 0);
    if (st == COP_EVAL_OK)
        st = cop_eval_number(p->e, of, &x);
    if (st == COP_EVAL_FAULT)
        cop_err_add(p->err, COP_E_INPUT, "%s", cop_eval_why(p->e));
    return st == COP_EVAL_OK ? x : NAN;
}

static json_t *expected_json(painter *p)
{
    const cop_figure *f = p->f;
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_expected; i++) {
        const cop_mark_expected *e = &f->expected[i];
        json_t *o = json_pack("{s:s}", "name", e->name), *points = json_array();
        json_object_set_new(o, "from", real_or_null(mark_end(p, &e->from)));
        json_object_set_new(o, "to", real_or_null(mark_end(p, &e->to)));
        json_object_set_new(o, "value", real_or_null(e->value));
        json_object_set_new(o, "low", real_or_null(e->low));
        json_object_set_new(o, "high", real_or_null(e->high));
        if (e->category[0])
            json_object_set_new(o, "category", json_string(e->category));
        for (size_t k = 0; k < e->n_points; k++)
            json_array_append_new(points, json_pack("[f, f]", e->points[k][0], e->points[k][1]));
        if (e->n_points) {
            json_object_set(o, "points", points);
            json_object_set_new(o, "tolerance", json_real(e->tolerance));
        }
        json_decref(points);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *categories_json(painter *p)
{
    const cop_axis *a = cop_study_axis(p->plan->study, p->f->over[0]);
    if (a != NULL)
        return axis_labels(a);
    json_t *list = json_array();
    for (size_t i = 0; i < p->f->n_categories; i++)
        json_array_append_new(list, json_string(p->f->category[i]));
    return list;
}

/* What the file does not say about the x axis, the values do: unit, or names in place of numbers. */
static void name_axis(painter *p, json_t *x, const cop_axis *over)
{
    if (!is_numeric(over))
        json_object_set_new(x, "names", axis_labels(over));
    else if (p->f->x.unit[0] == '\0')
        json_object_set_new(x, "unit", json_string(over->unit));
    if (p->f->x.label[0] == '\0')
        json_object_set_new(x, "label", json_string(over->name));
}

static json_t *seed_list(const cop_study *s)
{
    json_t *list = json_array();
    for (size_t k = 0; k < s->n_seeds; k++)
        json_array_append_new(list, json_integer(s->seed[k]));
    return list;
}

static void add_content(painter *p, json_t *o)
{
    const char *kind = p->f->kind;
    if (strcmp(kind, "heatmap") == 0)
        add_heatmap(p, o);
    else if (strcmp(kind, "network") == 0)
        add_network(p, o);
    else if (strcmp(kind, "table") == 0)
        add_table(p, o);
    else if (strcmp(kind, "ranking") == 0)
        p->any |= cop_figure_ranking(p->plan, p->f, p->e, o, p->arena, p->err);
    else {
        json_object_set_new(o, "series", all_curves(p));
        json_object_set_new(o, "expected", expected_json(p));
    }
    if (strcmp(kind, "line") == 0 || strcmp(kind, "bar") == 0 || strcmp(kind, "heatmap") == 0 ||
        strcmp(kind, "ranking") == 0)
        json_object_set_new(o, "seeds", seed_list(p->plan->study));
    const cop_axis *over = cop_study_axis(p->plan->study, p->f->over[0]);
    if (strcmp(kind, "line") == 0 && over != NULL)
        name_axis(p, json_object_get(o, "x"), over);
    if (strcmp(kind, "bar") == 0) {
        json_object_set_new(o, "categories", categories_json(p));
        json_object_set_new(o, "stack", json_boolean(p->f->stack));
    }
}

/* Its note; of one seed's curves where there are more that it is one. */
static const char *note_of(const painter *p)
{
    const cop_study *s = p->plan->study;
    const char *note = p->f->note;
    if (strcmp(p->f->kind, "time") != 0 || s->n_seeds < 2)
        return note;
    return cop_arena_printf(p->arena, "%s%sOne run of each: seed %" PRId64 ", the first of %zu.",
                            note, note[0] ? " " : "", s->seed[0], s->n_seeds);
}

const char *cop_figure_spec(const cop_plan *plan, const cop_figure *f, cop_eval *e,
                            cop_arena *arena, cop_err *err)
{
    painter p = {.plan = plan, .f = f, .e = e, .arena = arena, .err = err};
    /* What an earlier figure bound must not help this one. */
    cop_eval_bind(e, "x", NULL);
    cop_eval_bind(e, "y", NULL);
    cop_eval_bind(e, "s", NULL);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s}", "experiment", plan->study->name, "name",
                          f->name, "title", f->title, "kind", f->kind, "note", note_of(&p));
    json_t *checks = json_array();
    for (size_t i = 0; i < f->n_checks; i++)
        json_array_append_new(checks, json_string(f->check[i]));
    json_object_set_new(o, "checks", checks);
    json_object_set_new(o, "x", label_json(&f->x));
    json_object_set_new(o, "y", label_json(&f->y));
    add_content(&p, o);
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));
    const char *spec = text && p.any ? cop_arena_strdup(arena, text) : NULL;
    cop_free_foreign(text);
    json_decref(o);
    return spec;
}
