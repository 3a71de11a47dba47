/* State of the end nodes of kind `simple`. Private to simple.c, simple_take.c and their tests. */
#ifndef COP_HOST_SIMPLE_H
#define COP_HOST_SIMPLE_H

#include "host/host.h"

typedef struct cop_simple_host {
    uint32_t ready_n; /* messages in its ready lists */
    uint32_t lanes_used; /* lanes on which it has had a ready message */
    uint32_t held_head, held_tail; /* held messages */
} cop_simple_host;

typedef struct cop_simple_lane { /* ready messages, oldest first */
    uint32_t head, tail;
} cop_simple_lane;

typedef struct cop_simple {
    cop_simple_host *host; /* [n_hosts] */
    cop_simple_lane *lane; /* [n_hosts * lanes] */
    cop_time *last; /* [n_streams] when a message was last taken from it: turns among saturated
                       ones */
    uint32_t *here; /* [n_streams] its messages at the end node, in any state */
    uint32_t *ready; /* [n_streams] those in a ready list */
    uint32_t data_lanes; /* lanes that messages of a host may use, without lanes for control packets
                            alone */
} cop_simple;

static inline cop_simple *cop_simple_of(const cop_net *net)
{
    return net->host_state;
}

static inline cop_simple_lane *cop_simple_lane_of(const cop_net *net, uint32_t host, uint32_t vl)
{
    return &cop_simple_of(net)->lane[(size_t)host * net->lanes + vl];
}

/* simple.c: message s joins the ready ones of its lane, as the last. */
void cop_simple_ready(cop_net *net, uint32_t host, uint32_t s);

/* simple_take.c: take a message from the stream that has waited longest, of those with fewer than
 * max_ready ready messages here and room for one more. False: there is none. */
bool cop_simple_take(cop_net *net, uint32_t host, uint32_t max_ready);
/* Put message s, which is not ready, into the list of its flow. */
void cop_simple_join(cop_net *net, uint32_t s);
/* When a stream will have a message that could be taken. */
cop_time cop_simple_next_message(const cop_net *net, uint32_t host);

#endif
