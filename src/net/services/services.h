/* Room `services`: calls from plug-ins into the machine (cc.h, queue.h, view.h declare them).
 *
 * Files      control.c congestion controls;  scheme.c queueing schemes, and messages between
 *            neighbours;  notice.c notifications that switches make.
 * Calls      switch (a queue is rechecked or stopped, a packet is made), routing, cable, flow,
 *            record.
 * Called by  the loop, at the events below; plug-ins; the deadlock watch, for its message. No room
 *            of the data path. */
#ifndef COP_NET_SERVICES_H
#define COP_NET_SERVICES_H

#include "net/net.h"

/* -- control.c, scheme.c: messages between neighbouring switches -- */

/* COP_EV_CONTROL: messages for the sending side of `port` have arrived. */
void cop_control_arrive(cop_net *net, uint32_t port);
void cop_control_fini(cop_net *net);

/* Ends the program if a queueing scheme reads or changes another node than that whose hook runs. */
static inline void cop_scheme_looks_at(const cop_net *net, uint32_t port)
{
    if (COP_UNLIKELY(net->scheme_here != COP_NONE && net->scheme_here != cop_node_of(net, port)))
        cop_misused("queueing", net->queue_ops->name,
                    "a hook looks at the node that it is called for, and at no other");
}

/* -- notice.c -- */

void cop_notice_init(cop_net *net); /* if the congestion control makes any */
void cop_notice_fini(cop_net *net);
/* COP_EV_NOTICE: make those that are due at switch `sw`. */
void cop_notice_make(cop_net *net, uint32_t sw);
/* Append to net->why how many notifications still wait in the switches that made them, and where;
 * nothing if none. */
void cop_notice_tell(cop_net *net);

#endif
