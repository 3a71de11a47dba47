/* The fixed cases of `coppice bench`. */
#ifndef COP_BENCH_CASES_H
#define COP_BENCH_CASES_H

#include "base/base.h"

typedef struct cop_bench_case {
    const char *name;
    const char *yaml; /* without run.duration */
    const char *duration; /* of the timed run */
    const char *brief, *longer; /* of the two runs whose instructions are counted */
    unsigned repeats; /* the fastest counts */
    bool count_instructions;
} cop_bench_case;

typedef struct cop_bench_numbers {
    double hops, hops_per_second, events_per_hop, build_seconds;
    uint64_t peak_rss_bytes, hosts;
} cop_bench_numbers;

extern const cop_bench_case cop_bench_cases[];
extern const size_t cop_bench_n_cases;

/* Run the case in this process, for `span` of simulated time (NULL: c->duration). */
bool cop_bench_measure(const cop_bench_case *c, const char *span, cop_bench_numbers *n);
/* Nanoseconds of CPU for one pop and one push with `pending` events in the queue. */
double cop_bench_hold(bool heap, size_t pending);

#endif
