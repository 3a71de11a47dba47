/* The timeline of ranks while it is drawn: shared by ranks.c (jobs, collectives, rows, figures) and rank_slices.c (what ranks
 * did when). */
#ifndef COP_REPORT_RANKS_H
#define COP_REPORT_RANKS_H

#include "report/runs.h"

#include <math.h>

enum { MAX_JOBS = 64, MAX_ROWS = 384, MAX_PATH = 3000, MAX_COLLECTIVES = 300 };

typedef struct cop_ranks_job {
    json_t *o;
    int64_t ranks, row0;
} cop_ranks_job;

typedef struct cop_ranks_row { /* ranks that follow each other */
    double end, compute, overhead, waiting;
    double sum[2]; /* of its slices: computation, messages; ns */
    int64_t job, first, last, host, n;
    bool open; /* a rank has not finished */
} cop_ranks_row;

typedef struct cop_ranks_chart {
    cop_drawing *d;
    json_t *table, *collectives, *jobs;
    cop_ranks_job job[MAX_JOBS];
    size_t n_jobs, n_collectives, n_slices;
    int64_t n_ranks, n_rows, each; /* ranks of a row */
    double from, to; /* ns */
    cop_ranks_row *row;
    json_t *lists; /* of slices, a list per row */
    size_t bins; /* 0: slices are exact */
    double *busy; /* [rows][bins][kinds] ns */
} cop_ranks_chart;

static inline double cop_ranks_number(const cop_cell *cells, size_t n, const char *name)
{
    cop_cell c = cop_report_column(cells, n, name);
    return c.kind == COP_CELL_NULL ? NAN : c.real;
}

static inline json_t *cop_ranks_ns(double v)
{
    return isfinite(v) ? json_integer((json_int_t)llround(fmin(fmax(v, 0.0), 9e15))) : json_null();
}

/* Row of the rank in the cells, -1 if there is no such rank. */
int64_t cop_ranks_row_of(const cop_ranks_chart *c, const cop_cell *cells, size_t n);

/* rank_slices.c: read the slices into the lists of the rows, as they are or as parts of equal bins. */
int cop_ranks_read_slices(cop_ranks_chart *c);

#endif
