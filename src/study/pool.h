/* Runs the points of plans on all cores and stores each result as it ends. Sweeps that use one
 * database at the same time share the work. */
#ifndef COP_STUDY_POOL_H
#define COP_STUDY_POOL_H

#include "study/study.h"

/* State of the pool, for a progress bar. */
typedef struct cop_pool_view {
    size_t total; /* different runs wanted */
    size_t found; /* of them were in the database already, or another sweep made them meanwhile */
    size_t done, failed; /* ended now; failed counts those without a result */
    size_t running;
    size_t elsewhere; /* another sweep makes them now */
    double share; /* of all work that is to be done now, 0 to 1, running ones in part */
    double seconds; /* since the start */
    uint64_t packet_hops; /* simulated so far */
    size_t
        stopped; /* runs that the machine ended so far; each is made once more, alone, at the end */
    const char *stopped_why; /* the last of them, "LABEL, seed N: why"; NULL at first */
    const char *latest; /* label of the run that ended last, NULL at first */
    int latest_outcome; /* enum cop_outcome */
} cop_pool_view;

typedef struct cop_pool_opts {
    const char *db; /* made if need be */
    unsigned jobs; /* processes at a time; 0: one per core */
    const char *version; /* stored with each run */
    bool any_model; /* take results of other builds of coppice as they are */
    bool retry; /* simulate failed runs again */
    void (*show)(void *ctx, const cop_pool_view *v); /* now and then; may be NULL */
    void *show_ctx;
} cop_pool_opts;

/* Simulate what the database does not hold yet; fills run_id and outcome of every point. A run that the
 * machine ended twice has no run_id, and its detail says why. Returns 0;
 * -COP_E_STOPPED after Ctrl-C, with everything that had ended stored; or another fault. */
int cop_pool_run(cop_plan *const *plans, size_t n_plans, const cop_pool_opts *o, cop_err *err);
/* Fill run_id and outcome of points that the database holds; simulate nothing. */
int cop_pool_find(cop_plan *const *plans, size_t n_plans, const cop_pool_opts *o, cop_err *err);

#endif
