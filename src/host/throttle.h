/* Throttled flows, and the messages that wait for them. A throttled flow is one entry in its host's
 * heap, however many messages wait for it. */
#ifndef COP_HOST_THROTTLE_H
#define COP_HOST_THROTTLE_H

#include "net/net.h"

/* Put message s into the list of its flow: as the last, or as the first. */
void cop_flow_append(cop_net *net, uint32_t s);
void cop_flow_prepend(cop_net *net, uint32_t s);
/* The first message that waits for this flow. */
uint32_t cop_flow_pop(cop_net *net, uint32_t flow);

/* Throttle the flow, whose list is not empty, until t; COP_NEVER: until cop_throttle_rouse. */
void cop_throttle_add(cop_net *net, uint32_t flow, cop_time t);
/* End the throttling of a flow that waits for the congestion control to wake it; false: it does
 * not. */
bool cop_throttle_rouse(cop_net *net, uint32_t flow);
/* Take out the flow that may send first. */
uint32_t cop_throttle_pop(cop_net *net, uint32_t host);

/* When the first throttled flow of this host may send; COP_NEVER if there is none. */
static inline cop_time cop_throttle_next(const cop_net *net, const cop_nic *nic)
{
    return nic->throttled_n ? cop_flow_at(net, nic->throttled[0])->t_ok : COP_NEVER;
}

#endif
