/* Shared by the files that make figures: figure.c, figure_value.c, figure_curves.c. Private to src/study. */
#ifndef COP_STUDY_FIGURE_INT_H
#define COP_STUDY_FIGURE_INT_H

#include "study/evaluate.h"

#include <jansson.h>
#include <math.h>

typedef struct cop_painter {
    const cop_plan *plan;
    const cop_figure *f;
    cop_eval *e;
    cop_arena *arena;
    cop_err *err;
    bool any; /* something to show */
    json_t *missing; /* [{"why", "count", "where"}] what has no value */
} cop_painter;

/* A value of a figure, over all seeds. */
typedef struct cop_painted {
    cop_measured m; /* NaN: there is none */
    bool unsteady; /* a run of it was */
    const char *why; /* why there is no value; NULL: the study leaves it out */
} cop_painted;

/* figure_value.c: one value over all seeds. What each seed gave goes to the end of `seeds`. */
cop_painted cop_painter_value(cop_painter *p, const cop_expr *of, json_t *seeds);
/* What went wrong with an expression, without its place in the file. */
const char *cop_painter_why_not(cop_painter *p, const cop_expr *of);
/* Report a fault of an expression, and show it in the figure. */
void cop_painter_fail(cop_painter *p);
/* Refuse a figure. */
void cop_painter_fault(cop_painter *p, const char *where, const char *what, const char *name);
/* Say why a value is missing, once for all that miss it for that reason. */
void cop_painter_miss(cop_painter *p, const char *curve, const char *x, const char *why);
/* The places of a list that are not steady, as a member of o; none if all are. */
void cop_painter_unsteady(json_t *o, json_t *places);

/* figure_curves.c: `series` of lines, bars and curves over time. */
json_t *cop_painter_curves(cop_painter *p);
/* Are all values of an axis numbers? Otherwise they are names, and x counts them. */
bool cop_axis_is_numeric(const cop_axis *a);

#endif
