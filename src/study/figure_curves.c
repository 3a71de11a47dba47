/* Curves and bars of figures.
 *
 * Curves over an axis have a mean and a confidence interval over the seeds; series over time are those of the
 * first seed, or of the mean run of a study with `average: true`, thinned to what a screen can show. */
#include "study/figure_int.h"

#include "base/opt.h"

#include <string.h>

#define MAX_TIME_POINTS 600

/* "{s}" in a name stands for the value of the series. */
static const char *curve_name(cop_painter *p, const cop_curve *c, const char *s)
{
    const char *at = strstr(c->name, "{s}");
    if (at == NULL || s == NULL)
        return c->name;
    return cop_arena_printf(p->arena, "%.*s%s%s", (int)(at - c->name), c->name, s, at + 3);
}

bool cop_axis_is_numeric(const cop_axis *a)
{
    for (size_t i = 0; i < a->n_values; i++)
        if (isnan(a->value[i].number))
            return false;
    return true;
}

/* In the unit that the figure asks for, if there is a way to it. */
static double x_of(const cop_painter *p, const cop_axis *a, size_t i)
{
    if (!cop_axis_is_numeric(a))
        return (double)i;
    double x = cop_unit_convert(a->value[i].number, a->unit, p->f->x.unit);
    return isnan(x) ? a->value[i].number : x;
}

static json_t *line_series(cop_painter *p, const cop_curve *c, const cop_axis *a, const char *name)
{
    json_t *points = json_array(), *ci = json_array(), *seeds = json_array(),
           *unsteady = json_array();
    for (size_t i = 0; i < a->n_values; i++) {
        cop_eval_bind(p->e, "x", &a->value[i]);
        cop_painted v = cop_painter_value(p, &c->of, seeds);
        if (!isfinite(v.m.mean)) { /* nothing there, or a division by zero */
            json_array_remove(seeds, json_array_size(seeds) - 1);
            cop_painter_miss(p, name, a->value[i].label, v.why);
            continue;
        }
        if (v.unsteady)
            json_array_append_new(unsteady, json_integer((json_int_t)json_array_size(points)));
        json_array_append_new(points, json_pack("[f, f]", x_of(p, a, i), v.m.mean));
        json_array_append_new(ci, cop_real_or_null(v.m.ci));
    }
    json_t *o = json_pack("{s:s, s:b, s:o, s:o, s:o}", "name", name, "dash", c->dash, "points",
                          points, "ci", ci, "seeds", seeds);
    cop_painter_unsteady(o, unsteady);
    return o;
}

/* Width of a bin in the unit of the figure's time axis; without a unit lists that are no series count their items. */
static double bin_of(cop_painter *p, cop_bin_width width)
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
        cop_painter_fault(p, p->f->where, "time is in s, ms, us, ns or cycles, not in", unit);
    else if (unit[0] != '\0' && width.seconds <= 0.0)
        cop_painter_fault(p, p->f->where, "a list that is no series has no time axis; give none of",
                          unit);
    else if (cycles && width.cycles <= 0.0)
        cop_painter_fault(p, p->f->where, "time in cycles needs runs with", "units.cycle");
    else
        return cycles ? width.cycles : (width.seconds > 0.0 ? width.seconds : 1.0) * per_second;
    return 1.0;
}

/* Time series, thinned by means of neighbours. */
static json_t *time_series(cop_painter *p, const cop_curve *c, const char *name)
{
    double *v = NULL;
    cop_bin_width width = {0};
    size_t n = 0;
    json_t *points = json_array();
    size_t at = p->plan->study->average ? cop_eval_mean(p->e) : 0;
    enum cop_eval_status st = cop_eval_seed(p->e, at);
    if (st == COP_EVAL_OK)
        st = cop_eval_list(p->e, &c->of, p->arena, &v, &n, &width);
    if (st == COP_EVAL_FAULT)
        cop_painter_fail(p);
    if (st != COP_EVAL_OK && cop_eval_gap(p->e) == NULL)
        cop_painter_miss(p, name, "", cop_painter_why_not(p, &c->of));
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

static json_t *bar_series(cop_painter *p, const cop_curve *c, const char *name)
{
    json_t *values = json_array(), *ci = json_array(), *seeds = json_array(),
           *unsteady = json_array();
    const cop_axis *a = cop_study_axis(p->plan->study, p->f->over[0]);
    size_t n = a ? a->n_values : p->f->n_categories;
    if (n == 0)
        cop_painter_fault(p, p->f->where,
                          "bars need `over`, the name of an axis, or `categories`, not",
                          p->f->over[0] ? p->f->over[0] : "");
    for (size_t i = 0; i < n; i++) {
        if (a)
            cop_eval_bind(p->e, "x", &a->value[i]);
        else
            cop_eval_bind_text(p->e, "x", p->f->category[i]);
        cop_painted v = cop_painter_value(p, &c->of, seeds);
        if (!isfinite(v.m.mean))
            cop_painter_miss(p, name, a ? a->value[i].label : p->f->category[i], v.why);
        else if (v.unsteady)
            json_array_append_new(unsteady, json_integer((json_int_t)i));
        json_array_append_new(values, cop_real_or_null(v.m.mean));
        json_array_append_new(ci, cop_real_or_null(v.m.ci));
    }
    json_t *o =
        json_pack("{s:s, s:o, s:o, s:o}", "name", name, "values", values, "ci", ci, "seeds", seeds);
    cop_painter_unsteady(o, unsteady);
    return o;
}

static json_t *one_curve(cop_painter *p, const cop_curve *c, const char *s)
{
    const char *name = curve_name(p, c, s);
    if (strcmp(p->f->kind, "time") == 0)
        return time_series(p, c, name);
    if (strcmp(p->f->kind, "bar") == 0)
        return bar_series(p, c, name);
    const cop_axis *a = cop_study_axis(p->plan->study, p->f->over[0]);
    if (a == NULL) {
        cop_painter_fault(p, p->f->where, "a line needs `over`, the name of an axis, not",
                          p->f->over[0] ? p->f->over[0] : "");
        return json_null();
    }
    return line_series(p, c, a, name);
}

json_t *cop_painter_curves(cop_painter *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->f->n_curves; i++) {
        const cop_curve *c = &p->f->curve[i];
        const cop_axis *a = cop_study_axis(p->plan->study, c->over_series);
        if (c->over_series != NULL && a == NULL)
            cop_painter_fault(p, c->of.where, "`for` names no axis:", c->over_series);
        for (size_t k = 0; a != NULL && k < a->n_values; k++) {
            cop_eval_bind(p->e, "s", &a->value[k]);
            json_array_append_new(list, one_curve(p, c, a->value[k].label));
        }
        if (c->over_series == NULL)
            json_array_append_new(list, one_curve(p, c, NULL));
    }
    return list;
}
