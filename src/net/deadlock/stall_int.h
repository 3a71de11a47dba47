/* State of the deadlock watch. Private to stall*.c. */
#ifndef COP_NET_STALL_INT_H
#define COP_NET_STALL_INT_H

#include "net/deadlock/deadlock.h"

typedef struct cop_stall_edge { /* packets of this channel are in this queue; edges of a queue are
                                   contiguous */
    size_t channel;
    uint32_t queue;
    bool goes; /* its queue can move */
} cop_stall_edge;

typedef struct cop_stall_ask { /* a request of the head of an edge's queue for a channel */
    size_t channel, edge;
    size_t next; /* of the same channel, or COP_STALL_NOBODY */
} cop_stall_ask;
#define COP_STALL_NOBODY SIZE_MAX

/* A channel during a check; between checks all zero, and `asked` COP_STALL_NOBODY. */
typedef struct cop_stall_channel {
    uint64_t stays; /* blocks (bytes with on/off) of its buffer that never become free, as far as
                       known */
    size_t asked; /* first ask */
    uint32_t need; /* blocks of the smallest of these requests */
    bool moved; /* a queue behind it can move */
} cop_stall_channel;

struct cop_stall {
    uint8_t *stuck; /* [channels] may be closed for ever; between checks those that were found */
    cop_stall_channel *channel; /* [channels] heap; NULL: no check so far */
    cop_stall_edge *edge; /* heap, as the next two; between checks those that were found */
    cop_stall_ask *ask;
    size_t *gone; /* edges whose queue can move, not yet applied to their channels */
    size_t n_edges, cap_edges, n_asks, cap_asks, n_gone, cap_gone;
    uint64_t visits, samples; /* so far */
    uint64_t still_hops; /* packet-hops at the last check with no event pending */
};

static inline size_t cop_stall_channel_of(const cop_net *net, uint32_t port, uint32_t section)
{
    return (size_t)port * net->sections + section;
}

/* stall_find.c: one check. True if queues wait for each other for ever: st->edge has them,
 * st->stuck their channels. */
bool cop_stall_find(cop_net *net);
/* Is a port that has packets to send blocked on all lanes, as far as its link shows? */
bool cop_stall_idle(const cop_net *net, uint32_t port);
/* The channels that the head of queue q requests; 0: it has not made its requests yet. */
unsigned cop_stall_asks(const cop_net *net, uint32_t q, size_t *channel);

#endif
