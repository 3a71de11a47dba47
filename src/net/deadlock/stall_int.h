/* State of the deadlock watch. Private to stall*.c. */
#ifndef COP_NET_STALL_INT_H
#define COP_NET_STALL_INT_H

#include "net/deadlock/deadlock.h"

typedef struct
    cop_stall_edge { /* packets of this channel stand in this queue; those of a queue follow each other */
    size_t channel;
    uint32_t queue;
    bool goes; /* its queue can move */
} cop_stall_edge;

typedef struct cop_stall_ask { /* the head of an edge's queue asks for a channel */
    size_t channel, edge;
    size_t next; /* of the same channel, or COP_STALL_NOBODY */
} cop_stall_ask;
#define COP_STALL_NOBODY SIZE_MAX

/* A channel during a look; all zero, and asked NOBODY, in between. */
typedef struct cop_stall_channel {
    uint64_t stays; /* of its buffer, for ever, as far as known: blocks, or bytes with on/off */
    size_t asked; /* first ask */
    uint32_t need; /* blocks that the smallest of those asks for */
    bool moved; /* a queue behind it can move */
} cop_stall_channel;

struct cop_stall {
    uint8_t *stuck; /* [channels] may be closed for ever; between looks those that were found */
    cop_stall_channel *channel; /* [channels] heap; NULL: nobody has looked yet */
    cop_stall_edge *edge; /* heap, as the next two; between looks those that were found */
    cop_stall_ask *ask;
    size_t *gone; /* edges whose queue can move, and of which channels have not heard */
    size_t n_edges, cap_edges, n_asks, cap_asks, n_gone, cap_gone;
    uint64_t visits, samples; /* so far */
    uint64_t still_hops; /* packet-hops at the last look while nothing was going on */
};

static inline size_t cop_stall_channel_of(const cop_net *net, uint32_t port, uint32_t section)
{
    return (size_t)port * net->sections + section;
}

/* stall_find.c: look. True if queues wait for each other for ever: st->edge has them, st->stuck their channels. */
bool cop_stall_find(cop_net *net);
/* Does a port that wants to send stand still, all of it, as far as its own link goes? */
bool cop_stall_idle(const cop_net *net, uint32_t port);
/* The channels that the head of queue q asks for; 0: it is about to ask. */
unsigned cop_stall_asks(const cop_net *net, uint32_t q, size_t *channel);

#endif
