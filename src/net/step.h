/* A step of a watched packet, and what happens at ports at which one waits: input of displays. */
#ifndef COP_NET_STEP_H
#define COP_NET_STEP_H

#include "base/base.h"

enum cop_watch_step {
    COP_WATCH_INJECT,
    COP_WATCH_SEND,
    COP_WATCH_QUEUE,
    COP_WATCH_DELIVER,
    COP_WATCH_MADE, /* by a switch, which sends it */
    COP_WATCH_KEPT, /* by a switch on its way, which used its content */
    COP_WATCH_MARK, /* it got FECN at the port by which it left */
    COP_WATCH_HEARD, /* its source has acted on it */
    COP_WATCH_ROUTED, /* decision of the routing at the switch that it has come to */
    COP_WATCH_PORT, /* no packet: a message between neighbours, or a line of a scheme */
};

typedef struct cop_packet_step {
    enum cop_watch_step step;
    cop_time t;
    cop_time done; /* delivered: when all of it has been taken in */
    const char *port; /* the port that sends it or queues it, the host's port, or the port that a
                         message concerns */
    const char *kind; /* "packet", "ack", "BECN", "CNM", ...: what it is */
    const char *note; /* its content, why it was marked, what happened; may be "" */
    /* What the packet was doing and what it does now, "on the wire from h1", "waits at s0.1 for
     * s0.2"; NULL: nothing. A state ends by the name by which it began. */
    const char *was, *is;
    uint32_t src, dst, seq, bytes, vl;
} cop_packet_step;

typedef void (*cop_packet_fn)(void *ctx, const cop_packet_step *s);

#endif
