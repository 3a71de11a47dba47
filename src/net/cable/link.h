/* The sending end of a cable: shared by switch outputs without buffers, output buffers and
 * hosts. */
#ifndef COP_NET_LINK_H
#define COP_NET_LINK_H

#include "net/cable/fc.h"
#include "net/cable/vlarb.h"
#include "net/cable/wire.h"

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
    if (COP_UNLIKELY(net->inject != NULL))
        net->inject(net, port, h);
    else
        cop_wire_send(net, port, h);
}

/* Send a refused packet again (ack/nack). Called before a new packet is sent, it gives way every
 * second time; called again because nothing else went, it does not. */
static inline bool cop_link_resend(cop_net *net, uint32_t port)
{
    uint32_t h = net->fc->replay ? net->fc->replay(net, port) : COP_NONE;
    if (h != COP_NONE)
        cop_wire_again(net, port, h);
    return h != COP_NONE;
}

#endif
