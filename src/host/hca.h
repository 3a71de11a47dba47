/* State of the end nodes of kind `hca`. Private to hca*.c and their tests. */
#ifndef COP_HOST_HCA_H
#define COP_HOST_HCA_H

#include "host/host.h"

enum cop_hca_throttle { COP_HCA_AT_GENERATION, COP_HCA_AT_INJECTION };

typedef struct cop_hca_cfg { /* section `host` of kind hca */
    int64_t generation; /* capacity of a generation queue, in messages */
    int64_t injection; /* capacity of all injection queues of a lane together, in packets of full
                          size */
    int throttle; /* enum cop_hca_throttle */
} cop_hca_cfg;

/* State of a generation queue (hca.c). */
enum cop_hca_state { COP_HCA_EMPTY, COP_HCA_READY, COP_HCA_THROTTLED, COP_HCA_HELD, COP_HCA_FULL };

/* A generation queue: state of a flow. Its messages are in the flow's list; the first is being cut
 * into packets. */
typedef struct cop_hca_gen {
    uint32_t next; /* in the ring of ready ones, or its host's list of held ones */
    uint32_t messages;
    uint8_t state; /* enum cop_hca_state */
} cop_hca_gen;

typedef struct cop_hca_host {
    uint32_t held; /* first held generation queue, or COP_NONE */
    uint32_t rr; /* injection queue to examine first */
    cop_time turn; /* throttle at injection: the earliest turn of a head that had to wait */
    bool asleep; /* a head waits until the congestion control wakes it, at an unknown time */
    bool inside; /* the host is sending: a flow that is woken now is examined in the same attempt */
} cop_hca_host;

typedef struct cop_hca {
    uint32_t queues, words; /* injection queues of a host; words of 64 in a mask */
    uint32_t levels; /* service levels in use, a bit each */
    cop_hca_host *host; /* [n_hosts] */
    uint32_t
        *ring; /* [n_hosts * lanes] last of the ready generation queues whose next packet goes by
                  this lane; COP_NONE: none */
    uint32_t *room; /* [n_hosts * sections] blocks of injection memory left */
    uint64_t *posted; /* [n_hosts * words] injection queues whose head may go */
    uint32_t *posted_n; /* [n_hosts * lanes] number of these per lane */
    uint32_t *door; /* [n_streams] message that waits for its generation queue, or COP_NONE */
    cop_time *last; /* [n_streams] when it last gave a message */
} cop_hca;

static inline cop_hca *cop_hca_of(const cop_net *net)
{
    return net->host_state;
}

static inline const cop_hca_cfg *cop_hca_cfg_of(const cop_net *net)
{
    return net->host_cfg;
}

static inline cop_hca_gen *cop_hca_gen_of(const cop_net *net, uint32_t flow)
{
    return cop_flow_host(net, flow);
}

/* hca_inject.c: the injection queues. */
/* Enqueue packet h; there is room. */
void cop_hca_enqueue(cop_net *net, uint32_t host, uint32_t h);
/* Send the packet of the head whose turn it is. False: none can go. */
bool cop_hca_send(cop_net *net, uint32_t host);
void cop_hca_stop(cop_net *net, uint32_t port, uint32_t q, bool stop);
void cop_hca_recheck(cop_net *net, uint32_t port, uint32_t q);

/* hca_check.c: is there room for the messages of saturated streams? */
int cop_hca_check(const void *cfg, const cop_net *net, cop_err *err);

/* hca.c: a packet to `dst` has left the injection memory: wake generation queues that waited for
 * that room. */
void cop_hca_made_room(cop_net *net, uint32_t host, uint32_t dst);

#endif
