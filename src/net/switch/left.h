/* Hooks of congestion controls and routings when a packet waits for an output of a switch, and when
 * it has left on the wire; they are called here and nowhere else. */
#ifndef COP_NET_LEFT_H
#define COP_NET_LEFT_H

#include "net/routing/routing.h"
#include "net/watch.h"

/* Bytes of a packet begin or cease to wait for lane vl of a switch's output. */
static inline void cop_link_count(cop_net *net, uint32_t port, uint32_t vl, uint32_t bytes,
                                  bool more)
{
    if (COP_UNLIKELY(net->lane_waiting != NULL))
        net->lane_waiting[(size_t)port * net->lanes + vl] += more ? bytes : 0 - (uint64_t)bytes;
}

/* Packet p has gone on the wire of a switch's output `port`: it no longer waits, and its credits
 * are taken. The congestion control may mark it. */
static inline void cop_link_left(cop_net *net, uint32_t port, cop_pkt *p)
{
    if (COP_UNLIKELY(net->routing != NULL) && net->route->ops->on_send &&
        !(p->flags & COP_PKT_CONTROL))
        cop_routing_sent(net, port);
    if (net->cc->at_switch.on_dequeue == NULL)
        return;
    uint16_t before = p->flags;
    cop_cc_at(net, net->out[port].sw)->at_switch.on_dequeue(net, port, p);
    if (COP_UNLIKELY(p->flags & ~before & COP_PKT_FECN)) {
        net->probe.port[port].marked++;
        net->total.fecns++;
        if (p->flags & COP_PKT_WATCH)
            cop_watch_step(net, COP_WATCH_MARK, port, p);
    }
}

#endif
