/* A ranking: what is compared in rows, measures in columns, one table for each value of an axis.
 *
 * In:  a figure with `over` (rows, x), `for` (tables, s), `rank` (the column that orders) and one series per
 * column. Out: `tabs` of docs/RESULTS.md, rows in order, each value with its interval and what every seed
 * gave; where the study leaves a run out, the reason stands in place of the value.
 *
 * Order: by the mean of the ranking column, best first. A row shares the rank of the first row of the
 * group above it if their difference, seed by seed, has a 95 % interval that holds 0: then the seeds do
 * not tell which is better. With one seed only equals share a rank. Rows without a value come last, in
 * the order of the axis. */
#include "study/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *name;
    size_t at; /* place on the axis */
    double *key; /* [seeds] of the ranking column */
    double mean; /* of it, turned so that less is better; NaN: none */
    json_t *cells;
    const char *why; /* of the first cell that is left out; NULL */
    unsigned rank; /* 0: none */
    bool tied; /* with the row above */
} row;

typedef struct table {
    const cop_plan *plan;
    const cop_figure *f;
    cop_eval *e;
    cop_arena *arena;
    cop_err *err;
    size_t rank; /* column */
    bool any;
} table;

/* One cell. v has room for all seeds; false if there is no value. */
static bool measure(table *t, const cop_expr *of, double *v, row *r)
{
    size_t n = cop_eval_seeds(t->e);
    for (size_t k = 0; k < n; k++) {
        enum cop_eval_status st = cop_eval_seed(t->e, k);
        if (st == COP_EVAL_OK)
            st = cop_eval_number(t->e, of, &v[k]);
        if (st == COP_EVAL_FAULT)
            (void)cop_eval_fault(t->e, t->err);
        if (st == COP_EVAL_NO_RUN && cop_eval_gap(t->e) != NULL && r->why == NULL)
            r->why = cop_arena_strdup(t->arena, cop_eval_gap(t->e));
        if (st != COP_EVAL_OK)
            return false;
    }
    return true;
}

static json_t *cell_json(const double *v, size_t n, bool good)
{
    cop_measured m = good ? cop_measure_seeds(v, n) : (cop_measured){.mean = NAN, .ci = NAN};
    json_t *seeds = json_array();
    for (size_t k = 0; good && k < n; k++)
        json_array_append_new(seeds, isfinite(v[k]) ? json_real(v[k]) : json_null());
    return json_pack("{s:o, s:o, s:o}", "v", isfinite(m.mean) ? json_real(m.mean) : json_null(),
                     "ci", isfinite(m.ci) ? json_real(m.ci) : json_null(), "seeds", seeds);
}

static void fill_row(table *t, row *r)
{
    size_t n = cop_eval_seeds(t->e);
    double *v = COP_NEW_ARRAY(t->arena, double, n);
    r->key = COP_NEW_ARRAY(t->arena, double, n);
    r->cells = json_array();
    r->mean = NAN;
    for (size_t c = 0; c < t->f->n_curves; c++) {
        bool good = measure(t, &t->f->curve[c].of, v, r);
        t->any |= good;
        json_array_append_new(r->cells, cell_json(v, n, good));
        if (c != t->rank || !good)
            continue;
        double sign = strcmp(t->f->curve[c].better, "low") == 0 ? 1.0 : -1.0;
        for (size_t k = 0; k < n; k++)
            r->key[k] = sign * v[k];
        r->mean = cop_measure_seeds(r->key, n).mean;
    }
}

static int by_rank(const void *a, const void *b)
{
    const row *p = a, *q = b;
    bool none_p = !isfinite(p->mean), none_q = !isfinite(q->mean);
    if (none_p != none_q)
        return none_p - none_q;
    if (!none_p && p->mean != q->mean)
        return p->mean < q->mean ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

/* Do the seeds fail to tell the two apart? */
static bool same(const row *best, const row *other, size_t n, double *difference)
{
    for (size_t k = 0; k < n; k++)
        difference[k] = other->key[k] - best->key[k];
    cop_measured m = cop_measure_seeds(difference, n);
    return isfinite(m.ci) ? m.mean - m.ci <= 0.0 : m.mean <= 0.0;
}

static void give_ranks(table *t, row *rows, size_t n)
{
    size_t seeds = cop_eval_seeds(t->e), first = 0;
    double *difference = COP_NEW_ARRAY(t->arena, double, seeds);
    for (size_t i = 0; i < n && isfinite(rows[i].mean); i++) {
        rows[i].tied = i > 0 && same(&rows[first], &rows[i], seeds, difference);
        first = rows[i].tied ? first : i;
        rows[i].rank = (unsigned)first + 1;
    }
}

static const char *group_of(const cop_figure *f, const char *name)
{
    for (size_t i = 0; i < f->n_groups; i++)
        for (size_t k = 0; k < f->group[i].n_rows; k++)
            if (strcmp(f->group[i].row[k], name) == 0)
                return f->group[i].name;
    return "";
}

static json_t *one_table(table *t, const cop_axis *over, const char *name)
{
    json_t *list = json_array();
    row *rows = COP_NEW_ARRAY(t->arena, row, over->n_values);
    for (size_t i = 0; i < over->n_values; i++) {
        cop_eval_bind(t->e, "x", &over->value[i]);
        rows[i].name = over->value[i].label;
        rows[i].at = i;
        fill_row(t, &rows[i]);
    }
    qsort(rows, over->n_values, sizeof(*rows), by_rank);
    give_ranks(t, rows, over->n_values);
    for (size_t i = 0; i < over->n_values; i++) {
        const row *r = &rows[i];
        json_t *o = json_pack(
            "{s:s, s:s, s:o, s:b, s:o}", "name", r->name, "group", group_of(t->f, r->name), "rank",
            r->rank ? json_integer(r->rank) : json_null(), "tied", r->tied, "cells", r->cells);
        if (r->why != NULL)
            json_object_set_new(o, "why", json_string(r->why));
        json_array_append_new(list, o);
    }
    return json_pack("{s:s, s:o}", "name", name, "rows", list);
}

static int fault(const table *t, const char *what, const char *name)
{
    return cop_err_add(t->err, COP_E_INPUT, "%s: %s `%s`", t->f->where, what, name);
}

/* A row in `groups` that is none would be forgotten without a word. */
static void check_groups(const table *t, const cop_axis *over)
{
    for (size_t i = 0; i < t->f->n_groups; i++)
        for (size_t k = 0; k < t->f->group[i].n_rows; k++) {
            const char *name = t->f->group[i].row[k];
            bool known = false;
            for (size_t v = 0; v < over->n_values; v++)
                known |= strcmp(over->value[v].label, name) == 0;
            for (size_t v = 0; v < over->n_absent; v++)
                known |= strcmp(over->absent[v].label, name) == 0;
            if (!known)
                (void)fault(t, "`groups` names a row that `over` does not have:", name);
        }
}

bool cop_figure_ranking(const cop_plan *p, const cop_figure *f, cop_eval *e, json_t *o,
                        cop_arena *arena, cop_err *err)
{
    table t = {.plan = p, .f = f, .e = e, .arena = arena, .err = err};
    const cop_axis *over = cop_study_axis(p->study, f->over[0]);
    const cop_axis *tabs = cop_study_axis(p->study, f->tabs);
    json_t *list = json_array(), *columns = json_array();
    while (t.rank < f->n_curves && strcmp(f->curve[t.rank].name, f->rank) != 0)
        t.rank++;
    if (over == NULL)
        (void)fault(&t, "a ranking needs `over`, the name of an axis, not",
                    f->over[0] ? f->over[0] : "");
    else
        check_groups(&t, over);
    if (f->tabs != NULL && tabs == NULL)
        (void)fault(&t, "`for` names no axis:", f->tabs);
    if (t.rank == f->n_curves)
        (void)fault(&t, "a ranking needs `rank`, the name of one of its series, not", f->rank);
    else if (f->curve[t.rank].better[0] == '\0')
        (void)fault(&t, "is high or low `better`? The rows are ordered by", f->rank);
    for (size_t i = 0; i < f->n_curves; i++)
        json_array_append_new(columns, json_pack("{s:s, s:s, s:s, s:b}", "name", f->curve[i].name,
                                                 "unit", f->curve[i].unit, "better",
                                                 f->curve[i].better, "log", f->curve[i].log));
    for (size_t i = 0; over && tabs && i < tabs->n_values; i++) {
        cop_eval_bind(e, "s", &tabs->value[i]);
        json_array_append_new(list, one_table(&t, over, tabs->value[i].label));
    }
    if (over && f->tabs == NULL)
        json_array_append_new(list, one_table(&t, over, ""));
    json_object_set_new(o, "rank", json_integer((json_int_t)t.rank));
    json_object_set_new(o, "rows", json_string(over ? over->name : ""));
    json_object_set_new(o, "columns", columns);
    json_object_set_new(o, "tabs", list);
    return t.any;
}
