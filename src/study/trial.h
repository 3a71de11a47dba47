/* Faults of runs, found before the first run starts and reported with the place of the setting. */
#ifndef COP_STUDY_TRIAL_H
#define COP_STUDY_TRIAL_H

#include "study/study.h"

/* What the process that builds is called, so that it is taken for no run. */
#define COP_TRIAL_NAME "coppice trial"

/* One line for each fault of a run that no run before it had; returns the code negated. */
int cop_point_refuse(const cop_study *s, const cop_point *p, cop_err *inner, cop_err *err);
/* A fault of a run with the place of the setting in front, if the study has it; in the arena. */
const char *cop_point_located(const cop_study *s, const cop_point *p, const char *fault,
                              cop_arena *arena);
/* Build the networks of runs that are not there yet, for a few seconds at most, those first that have a value which no other
 * had. cop_pool_find was there before. */
int cop_plans_try(cop_plan *const *plans, size_t n_plans, cop_err *err);

#endif
