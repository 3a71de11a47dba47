/* Switch inputs: routing, queues, and the requests of queue heads at the outputs. */
#ifndef COP_NET_INPUT_H
#define COP_NET_INPUT_H

#include "net/net.h"

/* A packet has been routed far enough to be queued at switch input `port`. */
void cop_input_receive(cop_net *net, uint32_t port, uint32_t h);
/* COP_EV_HEAD: the head of queue q may be able to request its output now. */
void cop_input_head(cop_net *net, uint32_t q);

/* Take back the requests of queue q's head. */
void cop_input_withdraw(cop_net *net, uint32_t q);

/* One request that an output may grant. */
typedef struct cop_pick {
    uint32_t in;    /* input port */
    uint32_t queue; /* network-wide queue number */
    uint32_t vl;    /* lane on the output */
} cop_pick;

/* Choose among the requests of lane vl at output `port` by the configured arbitration; only inputs
 * whose bit is set in `allowed` (NULL: all). If no request fits behind the output, the lane is
 * blocked and false is returned. */
bool cop_input_pick(cop_net *net, uint32_t port, uint32_t vl, const uint64_t *allowed, cop_pick *pick);
/* The picked packet goes: leaves its queue, crosses by `transfer`, frees its space when its tail has
 * left. Returns that time. */
cop_time cop_input_grant(cop_net *net, uint32_t port, const cop_pick *pick, cop_transfer_fn transfer);

/* Sectioned buffers: requests that waited for this section compete again. */
void cop_input_wake_section(cop_net *net, uint32_t port, uint32_t section);

#endif
