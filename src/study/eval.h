/* Expressions of a study, evaluated over its runs: Lua with the metrics of metrics/. */
#ifndef COP_STUDY_EVAL_H
#define COP_STUDY_EVAL_H

#include "stats/result.h"
#include "store/store.h"
#include "study/study.h"

typedef struct cop_eval cop_eval;

enum cop_eval_status {
    COP_EVAL_OK,
    COP_EVAL_NO_RUN, /* a run it needs has not been made */
    COP_EVAL_NO_RESULT, /* a run it needs failed or ended in a deadlock */
    COP_EVAL_FAULT, /* the expression is wrong */
};

/* Without a store: a rehearsal, in which runs answer every known question with 1. It finds unknown
 * metrics, runs and axis values before anything is simulated. */
cop_eval *cop_eval_open(const cop_plan *plan, cop_store *s);
void cop_eval_close(cop_eval *e);

/* Seeds to evaluate: all, or one in a rehearsal. */
size_t cop_eval_seeds(const cop_eval *e);
/* Look at runs with seed number k; `let` values are evaluated once per seed. cop_eval_mean(e) in place of k: at the mean
 * of the runs of all seeds (lua_mean.c), and if there are several, that + 1 + i: at the mean of all but seed i. */
enum cop_eval_status cop_eval_seed(cop_eval *e, size_t k);
size_t cop_eval_mean(const cop_eval *e);
/* What went wrong last, one line with its place. */
const char *cop_eval_why(const cop_eval *e);
/* The same without the place, after NO_RUN and NO_RESULT. */
const char *cop_eval_missing(const cop_eval *e);
/* Has the last evaluation asked a run that was not steady: sources waited ever longer (`saturated`), or
 * packets piled up (`packets_piled_up`)? Its latencies grow with its duration. */
bool cop_eval_unsteady(const cop_eval *e);
/* After NO_RUN: why the study leaves the run out that was asked for; NULL: it does not. */
const char *cop_eval_gap(const cop_eval *e);
/* Add it to err, unless it is there already: a wrong `let` shows in everything that uses it. */
int cop_eval_fault(const cop_eval *e, cop_err *err);

/* Bind x, y or s for the next evaluations; NULL: forget it. */
void cop_eval_bind(cop_eval *e, const char *name, const cop_case *value);
void cop_eval_bind_text(cop_eval *e, const char *name, const char *text);

enum cop_eval_status cop_eval_number(cop_eval *e, const cop_expr *x, double *value);
/* Width of a bin of a series; 0: a list that is none, or, in cycles, of a run without `units.cycle`. */
typedef struct cop_bin_width {
    double seconds, cycles;
} cop_bin_width;
/* A list of numbers in the arena. */
enum cop_eval_status cop_eval_list(cop_eval *e, const cop_expr *x, cop_arena *arena, double **list,
                                   size_t *n, cop_bin_width *width);
/* A list of values as text, for tables. */
enum cop_eval_status cop_eval_texts(cop_eval *e, const cop_expr *x, cop_arena *arena,
                                    const char ***list, size_t *n);
/* The run an expression names; *r stays NULL in a rehearsal. */
enum cop_eval_status cop_eval_run(cop_eval *e, const cop_expr *x, const cop_result **r);
/* The number under which the run that cop_eval_run gave last is stored; 0: none. */
int64_t cop_eval_run_id(const cop_eval *e);

/* The metrics, for `coppice list metrics`. */
typedef struct cop_metric_info {
    const char *name, *args, *met, *help;
} cop_metric_info;
size_t cop_eval_metrics(cop_arena *arena, cop_metric_info **list);
/* "Lua 5.4.4" */
const char *cop_eval_library(void);

#endif
