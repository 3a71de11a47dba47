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

/* How a worker ended, for its parent: its wait status, what it told (""), and what it wrote to standard
 * error (a file; -1: not kept). */
typedef struct cop_worker_end {
    int status;
    const char *told;
    int said;
} cop_worker_end;

/* Did the machine end it, and not the run itself? So by a signal that no fault of a program raises, as
 * the kernel does when memory runs out, or by an allocation that failed. */
bool cop_worker_was_stopped(const cop_worker_end *end);
/* Why there is no result, one line. */
const char *cop_worker_why(const cop_worker_end *end, cop_arena *arena);
/* Store that a run has no result, and why. */
int cop_worker_record_failure(const cop_task *t, const char *why, cop_err *err);

#endif
