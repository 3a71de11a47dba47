/* What every sender does at the end: switch outputs without buffers, output buffers, hosts. */
#ifndef COP_NET_LINK_H
#define COP_NET_LINK_H

#include "net/fc.h"
#include "net/input.h"
#include "net/routing.h"
#include "net/vlarb.h"
#include "net/watch.h"
#include "net/wire.h"
#include "net/worm.h"

/* Is there credit for a packet of this section behind `port`? */
static inline bool cop_link_room(const cop_net *net, uint32_t port, uint32_t section,
                                 uint32_t blocks)
{
    return cop_fc_fits(net, port, section, blocks);
}

/* Take the credit of packet h on lane vl and put it on the wire; returns when its tail has left. */
static inline cop_time cop_link_transfer(cop_net *net, uint32_t port, uint32_t vl, uint32_t h)
{
    cop_pkt *p = &net->pkt[h];
    p->vl = (uint8_t)vl;
    cop_fc_take(net, port, cop_net_section_of(net, p, vl), cop_blocks(p->bytes));
    cop_vlarb_sent(net, port, vl, p->bytes);
    return cop_wire_send(net, port, h);
}

/* A host puts packet h on its wire, its credit taken. */
static inline void cop_link_inject(cop_net *net, uint32_t port, uint32_t h)
{
    if (COP_UNLIKELY(net->worm != NULL))
        cop_worm_inject(net, port, h);
    else
        cop_wire_send(net, port, h);
    if (net->routes_early == COP_BLIND_ALWAYS)
        cop_input_ask_early(net, port, h);
}

/* Bytes of a packet begin or cease to wait for lane vl of a switch's output. */
static inline void cop_link_count(cop_net *net, uint32_t port, uint32_t vl, uint32_t bytes,
                                  bool more)
{
    if (COP_UNLIKELY(net->lane_waiting != NULL))
        net->lane_waiting[(size_t)port * net->lanes + vl] += more ? bytes : 0 - (uint64_t)bytes;
}

/* Packet p has gone on the wire of a switch's output `port`: it waits nowhere any more, and its credits
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

/* A packet that was refused goes again (ack/nack). Asked before anything new is sent, it gives way
 * every second time; asked again because nothing else went, it does not. */
static inline bool cop_link_resend(cop_net *net, uint32_t port)
{
    uint32_t h = net->fc->replay ? net->fc->replay(net, port) : COP_NONE;
    if (h != COP_NONE)
        cop_wire_again(net, port, h);
    return h != COP_NONE;
}

#endif
