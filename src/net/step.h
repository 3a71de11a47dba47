/* A step of a watched packet, for those who draw it. */
#ifndef COP_NET_STEP_H
#define COP_NET_STEP_H

#include "base/base.h"

enum cop_watch_step { COP_WATCH_INJECT, COP_WATCH_SEND, COP_WATCH_QUEUE, COP_WATCH_DELIVER };

typedef struct cop_packet_step {
    enum cop_watch_step step;
    cop_time t;
    cop_time done; /* delivered: when all of it has been taken in */
    const char *port; /* that sends it, or has queued it, or the host's */
    const char *next; /* queued: output that it waits for; else NULL */
    bool at_host; /* the port is an end node's */
    uint32_t src, dst, seq, bytes, vl;
} cop_packet_step;

typedef void (*cop_packet_fn)(void *ctx, const cop_packet_step *s);

#endif
