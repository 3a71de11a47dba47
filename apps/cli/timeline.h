/* `--timeline FILE`: the run for Perfetto (ui.perfetto.dev) and other readers of the Trace Event format. */
#ifndef COP_TIMELINE_H
#define COP_TIMELINE_H

#include "exp/run.h"

#include <stdio.h>

typedef struct cop_timeline {
    FILE *out;
    bool any; /* an event was written */
    uint64_t steps_left;
} cop_timeline;

/* 0, or an exit status with one line said. */
int cop_timeline_open(cop_timeline *t, const char *path);
/* Fits cop_run_hooks.packet; ctx is a cop_timeline. */
void cop_timeline_packet(void *ctx, const cop_packet_step *s);
/* What the result knows: bytes that wait at ports, trees. Closes the file. 0 or an exit status. */
int cop_timeline_close(cop_timeline *t, const char *path, const cop_result *r);

#endif
