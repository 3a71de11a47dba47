/* How far a long run is: a bar with rate and time left on a terminal, lines at every quarter else.
 */
#ifndef COP_PROGRESS_H
#define COP_PROGRESS_H

#include "base/base.h"

#include <stdio.h>

typedef struct cop_progress {
    FILE *out; /* NULL: say nothing */
    bool terminal, shown;
    unsigned width;
    double started, last; /* seconds on a clock that does not jump */
    unsigned quarter; /* quarters reported so far */
} cop_progress;

void cop_progress_start(cop_progress *p, FILE *out, bool quiet);
/* Fits cop_run_hooks.progress; ctx is a cop_progress. Never asks to stop. */
bool cop_progress_step(void *ctx, cop_time now, cop_time end, uint64_t packet_hops);
/* Remove the bar. */
void cop_progress_end(cop_progress *p);

#endif
