/* Figures of a study as JSON for the report. docs/RESULTS.md describes the form.
 *
 * Values of runs that were not steady are marked, and what has no value says why, unless the study leaves it
 * out on purpose (figure_value.c). Curves and bars: figure_curves.c; the others are here and in their files. */
#include "study/figure_int.h"

#include <inttypes.h>
#include <string.h>

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

static json_t *label_json(const cop_label *l)
{
    json_t *o = json_pack("{s:s, s:s, s:b}", "label", l->label, "unit", l->unit, "log", l->log);
    json_object_set_new(o, "min", cop_real_or_null(l->min));
    json_object_set_new(o, "max", cop_real_or_null(l->max));
    return o;
}

static json_t *axis_labels(const cop_axis *a)
{
    json_t *list = json_array();
    for (size_t i = 0; a != NULL && i < a->n_values; i++)
        json_array_append_new(list, json_string(a->value[i].label));
    return list;
}

static void add_heatmap(cop_painter *p, json_t *o)
{
    const cop_axis *ax = cop_study_axis(p->plan->study, p->f->over[0]);
    const cop_axis *ay = cop_study_axis(p->plan->study, p->f->over[1]);
    json_t *cells = json_array(), *seeds = json_array(), *unsteady = json_array();
    if (ax == NULL || ay == NULL || p->f->n_curves != 1)
        cop_painter_fault(p, p->f->where,
                          "a heat map needs one series and `over: [x, y]` of two axes, in",
                          p->f->name);
    for (size_t i = 0; ax && ay && p->f->n_curves == 1 && i < ax->n_values; i++)
        for (size_t k = 0; k < ay->n_values; k++) {
            cop_eval_bind(p->e, "x", &ax->value[i]);
            cop_eval_bind(p->e, "y", &ay->value[k]);
            cop_painted v = cop_painter_value(p, &p->f->curve[0].of, seeds);
            if (!isfinite(v.m.mean)) {
                json_array_remove(seeds, json_array_size(seeds) - 1);
                cop_painter_miss(p, ax->value[i].label, ay->value[k].label, v.why);
                continue;
            }
            if (v.unsteady)
                json_array_append_new(unsteady, json_integer((json_int_t)json_array_size(cells)));
            json_array_append_new(cells, json_pack("[i, i, f]", (int)i, (int)k, v.m.mean));
        }
    cop_painter_unsteady(o, unsteady);
    json_object_set_new(o, "xs", axis_labels(ax));
    json_object_set_new(o, "ys", axis_labels(ay));
    json_object_set_new(o, "cells", cells);
    json_object_set_new(o, "cell_seeds", seeds);
    json_object_set_new(o, "z", label_json(&p->f->z));
}

static void add_network(cop_painter *p, json_t *o)
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

static void add_table(cop_painter *p, json_t *o)
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
            cop_painter_fail(p);
        if (st != COP_EVAL_OK && cop_eval_gap(p->e) != NULL)
            continue;
        json_t *row = json_pack("[s]", c->name);
        if (st != COP_EVAL_OK)
            json_array_append_new(row,
                                  json_string(cop_arena_printf(p->arena, "not known: %s",
                                                               cop_painter_why_not(p, &c->of))));
        for (size_t k = 0; st == COP_EVAL_OK && k < n; k++) {
            json_t *text = json_string(cell[k]);
            json_array_append_new(row, text ? text : json_string("?")); /* not UTF-8 */
        }
        json_array_append_new(rows, row);
        p->any |= st == COP_EVAL_OK;
    }
    json_object_set_new(o, "columns", columns);
    json_object_set_new(o, "rows", rows);
}

/* An end of an expectation on the x axis, of the first seed. */
static double mark_end(cop_painter *p, const cop_expr *of)
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

static json_t *expected_json(cop_painter *p)
{
    const cop_figure *f = p->f;
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_expected; i++) {
        const cop_mark_expected *e = &f->expected[i];
        json_t *o = json_pack("{s:s}", "name", e->name), *points = json_array();
        json_object_set_new(o, "from", cop_real_or_null(mark_end(p, &e->from)));
        json_object_set_new(o, "to", cop_real_or_null(mark_end(p, &e->to)));
        json_object_set_new(o, "value", cop_real_or_null(e->value));
        json_object_set_new(o, "low", cop_real_or_null(e->low));
        json_object_set_new(o, "high", cop_real_or_null(e->high));
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

static json_t *categories_json(cop_painter *p)
{
    const cop_axis *a = cop_study_axis(p->plan->study, p->f->over[0]);
    if (a != NULL)
        return axis_labels(a);
    json_t *list = json_array();
    for (size_t i = 0; i < p->f->n_categories; i++)
        json_array_append_new(list, json_string(p->f->category[i]));
    return list;
}

/* Unit or names of the x axis from its values, where the file does not give them. */
static void name_axis(cop_painter *p, json_t *x, const cop_axis *over)
{
    if (!cop_axis_is_numeric(over))
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

static void add_content(cop_painter *p, json_t *o)
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
        json_object_set_new(o, "series", cop_painter_curves(p));
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
static const char *note_of(const cop_painter *p)
{
    const cop_study *s = p->plan->study;
    const char *note = p->f->note;
    if (strcmp(p->f->kind, "time") != 0 || s->n_seeds < 2)
        return note;
    if (s->average)
        return cop_arena_printf(p->arena, "%s%sMean of the runs of %zu seeds.", note,
                                note[0] ? " " : "", s->n_seeds);
    return cop_arena_printf(p->arena, "%s%sOne run of each: seed %" PRId64 ", the first of %zu.",
                            note, note[0] ? " " : "", s->seed[0], s->n_seeds);
}

const char *cop_figure_spec(const cop_plan *plan, const cop_figure *f, cop_eval *e,
                            cop_arena *arena, cop_err *err)
{
    cop_painter p = {
        .plan = plan, .f = f, .e = e, .arena = arena, .err = err, .missing = json_array()};
    /* Unbind the names of the figure before. */
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
    if (json_array_size(p.missing) > 0)
        json_object_set(o, "missing", p.missing);
    json_decref(p.missing);
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));
    const char *spec = text && p.any ? cop_arena_strdup(arena, text) : NULL;
    cop_free_foreign(text);
    json_decref(o);
    return spec;
}
