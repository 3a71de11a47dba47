/* From the runs of a study to its verdicts and figures. */
#ifndef COP_STUDY_EVALUATE_H
#define COP_STUDY_EVALUATE_H

#include "store/store.h"
#include "store/study.h"
#include "study/eval.h"

#include <jansson.h>
#include <math.h>

static inline json_t *cop_real_or_null(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

/* A number measured with several seeds. */
typedef struct cop_measured {
    double mean, ci; /* ci: half width of the 95 % confidence interval; NaN with one seed */
    double least, most; /* range over the seeds */
    size_t n;
} cop_measured;

cop_measured cop_measure_seeds(const double *value, size_t n);
/* The same of a value that the mean of n runs gives: `all`, and what it is without each of them. The interval is that
 * of the jackknife (Tukey); of a mean it is that of cop_measure_seeds. `least` and `most` are over both. */
cop_measured cop_measure_mean(double all, const double *without, size_t n);
/* Does a measured number satisfy an item? One-sided bounds must hold for the whole confidence
 * interval; for a value the mean must lie in the band and the interval be no wider than it.
 * *why is "" or says what is missing. What is only shown holds. */
bool cop_item_holds(const cop_item *it, const cop_measured *m, const char **why);
/* Other seeds could turn the verdict on this item: a bound lies within the range over the seeds, or
 * within the confidence interval. False with one seed, which has no spread. */
bool cop_item_narrow(const cop_item *it, const cop_measured *m, bool holds);

/* Evaluate every expression once without runs. Faults name their place in the study file. */
int cop_study_rehearse(const cop_plan *p, cop_err *err);

/* Could other seeds turn the verdict? Pass: an item is narrow; fail: all that fail are narrow. */
bool cop_verdict_narrow(const cop_study_verdict *v);

/* Everything the report shows of the study, in the arena. Points have their run ids. */
int cop_study_evaluate(const cop_plan *p, cop_store *s, const char *command, cop_arena *arena,
                       cop_study_record *record, cop_err *err);

/* JSON of one figure; NULL if no run of it is there. Used by cop_study_evaluate. */
const char *cop_figure_spec(const cop_plan *p, const cop_figure *f, cop_eval *e, cop_arena *arena,
                            cop_err *err);
/* Nodes and links of a run's network, as members of `o`; of none if r is NULL. */
void cop_figure_network(const cop_result *r, json_t *o, cop_arena *arena);
/* Tables of a ranking, as members of `o`; true if there is a value in them. */
bool cop_figure_ranking(const cop_plan *p, const cop_figure *f, cop_eval *e, json_t *o,
                        cop_arena *arena, cop_err *err);
/* The axis of this name in any block; NULL if there is none. */
const cop_axis *cop_study_axis(const cop_study *s, const char *name);

#endif
