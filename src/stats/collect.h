/* From the counters of a finished run to its results. */
#ifndef COP_COLLECT_H
#define COP_COLLECT_H

#include "stats/result.h"

struct cop_net;

/* Fills everything but cpu_seconds, build_seconds and peak_rss_bytes. */
void cop_collect(struct cop_net *net, cop_result *r);
/* settled.c: does the network still fill in the second half of the measured time? By how many packets, 0 if not. */
double cop_piled_up(const struct cop_net *net, double offered, double accepted);

#endif
