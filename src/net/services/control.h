/* Link-level control messages between neighbouring switches (isolation schemes). */
#ifndef COP_NET_CONTROL_H
#define COP_NET_CONTROL_H

#include "net/net.h"

/* COP_EV_CONTROL: messages for the sending side of `port` have arrived. */
void cop_control_arrive(cop_net *net, uint32_t port);
void cop_control_fini(cop_net *net);

/* A queueing scheme that asks about another node than that whose hook runs, or changes something there, is at fault. */
static inline void cop_scheme_looks_at(const cop_net *net, uint32_t port)
{
    if (COP_UNLIKELY(net->scheme_here != COP_NONE && net->scheme_here != cop_node_of(net, port)))
        cop_misused("queueing", net->queue_ops->name,
                    "a hook looks at the node that it is called for, and at no other");
}

#endif
