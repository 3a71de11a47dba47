/* Values of figures: of one expression over all seeds, with what is to be said of it.
 *
 * In:  an expression with x, y and s bound. Out: mean and confidence interval; whether a run behind it was
 * not steady; why there is none. Places without a value are collected by reason. */
#include "study/figure_int.h"

#include <string.h>

#define MAX_MISSING                                                                                \
    4 /* places named that have no value for the same reason; of more their number */

void cop_painter_fault(cop_painter *p, const char *where, const char *what, const char *name)
{
    cop_err_add(p->err, COP_E_INPUT, "%s: %s `%s`", where, what, name);
}

const char *cop_painter_why_not(cop_painter *p, const cop_expr *of)
{
    const char *text = cop_eval_missing(p->e);
    size_t n = strlen(of->where);
    if (strncmp(text, of->where, n) == 0 && strncmp(text + n, ": ", 2) == 0)
        text += n + 2;
    return cop_arena_strdup(p->arena, text);
}

void cop_painter_fail(cop_painter *p)
{
    (void)cop_eval_fault(p->e, p->err);
    p->any = true;
}

cop_painted cop_painter_value(cop_painter *p, const cop_expr *of, json_t *seeds)
{
    json_t *each = json_array();
    json_array_append_new(seeds, each);
    size_t n = cop_eval_seeds(p->e);
    double *v = COP_NEW_ARRAY(p->arena, double, n);
    cop_painted none = {.m = {.mean = NAN, .ci = NAN}}, got = {0};
    for (size_t k = 0; k < n; k++) {
        enum cop_eval_status st = cop_eval_seed(p->e, k);
        if (st == COP_EVAL_OK)
            st = cop_eval_number(p->e, of, &v[k]);
        if (st == COP_EVAL_FAULT)
            cop_painter_fail(p);
        if (st != COP_EVAL_OK && cop_eval_gap(p->e) == NULL)
            none.why = cop_painter_why_not(p, of);
        if (st != COP_EVAL_OK)
            return none;
        got.unsteady |= cop_eval_unsteady(p->e);
    }
    for (size_t k = 0; k < n; k++)
        json_array_append_new(each, cop_real_or_null(v[k]));
    p->any = true;
    got.m = cop_measure_seeds(v, n);
    got.why = isfinite(got.m.mean) ? NULL : "it is no finite number";
    return got;
}

void cop_painter_miss(cop_painter *p, const char *curve, const char *x, const char *why)
{
    size_t i = 0, n = json_array_size(p->missing);
    json_t *o = NULL;
    if (why == NULL)
        return;
    for (; i < n; i++) {
        o = json_array_get(p->missing, i);
        if (strcmp(json_string_value(json_object_get(o, "why")), why) == 0)
            break;
    }
    if (i == n) {
        o = json_pack("{s:s, s:i, s:[]}", "why", why, "count", 0, "where");
        if (o == NULL || json_array_append_new(p->missing, o) != 0)
            return;
    }
    json_t *count = json_object_get(o, "count"), *where = json_object_get(o, "where");
    json_integer_set(count, json_integer_value(count) + 1);
    if (json_array_size(where) < MAX_MISSING)
        json_array_append_new(where,
                              json_string(cop_arena_printf(p->arena, "%s%s%s", curve,
                                                           curve[0] && x[0] ? " at " : "", x)));
}

void cop_painter_unsteady(json_t *o, json_t *places)
{
    if (json_array_size(places) > 0)
        json_object_set(o, "unsteady", places);
    json_decref(places);
}
