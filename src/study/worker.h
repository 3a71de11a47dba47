/* One run in a process of its own, for pool.c. */
#ifndef COP_STUDY_WORKER_H
#define COP_STUDY_WORKER_H

#include "store/store.h"
#include "study/study.h"

typedef struct cop_task {
    cop_point *point;
    const cop_study *study;
    const char *db, *version;
} cop_task;

/* What a worker tells its parent; in shared memory. */
typedef struct cop_slot {
    volatile double share;
    volatile uint64_t packet_hops;
    char text[1024]; /* why it could not */
} cop_slot;

/* Exit status of a worker. */
enum {
    COP_WORKER_STORED = 0,
    COP_WORKER_REFUSED = 2, /* a run that cannot be made */
    COP_WORKER_CANNOT_STORE = 4,
    COP_WORKER_CHANGED = 5, /* the configuration is not the one that was planned */
};

/* Simulate and store; returns the exit status. */
int cop_worker_make(const cop_task *t, cop_slot *sl);
/* Store that a run has no result, and why: its wait status, what it told (""), and what it wrote to
 * standard error (a file; -1: not kept). By the parent. */
int cop_worker_record_failure(const cop_task *t, int status, const char *told, int said,
                              cop_err *err);

#endif
