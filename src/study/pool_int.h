/* Shared by pool.c and pool_find.c. Private to src/study. */
#ifndef COP_STUDY_POOL_INT_H
#define COP_STUDY_POOL_INT_H

#include "store/store.h"
#include "study/pool.h"

/* Order of points by run: those with the same configuration and seed are neighbours. */
int cop_pool_by_run(const void *a, const void *b);
/* All points in that order; frees with cop_free. */
cop_point **cop_pool_sorted(cop_plan *const *plans, size_t n_plans, size_t *n);
/* The result of a point, if there is one. `first`: the first look-up; a failure that is to be made
 * again counts as none, then and as long as it is the newest. */
int cop_pool_look_up(cop_store *s, const cop_pool_opts *o, cop_point *p, bool first,
                     cop_arena *arena, cop_err *err);
/* Points whose twin ran get its result, or the reason why there is none. */
void cop_pool_share(cop_plan *const *plans, size_t n_plans);

#endif
