/* Results of applications; see stats/jobs.c. */
#ifndef COP_STATS_JOBS_H
#define COP_STATS_JOBS_H

#include "net/net.h"
#include "stats/result.h"

/* Jobs, ranks, collectives, critical paths and timelines into r. */
void cop_collect_jobs(const cop_net *net, cop_result *r);
/* Scalars of all jobs: how many at most, and writing them to v; returns how many there are. */
uint32_t cop_count_job_scalars(const cop_result *r);
uint32_t cop_collect_job_scalars(cop_result *r, cop_scalar *v);

#endif
