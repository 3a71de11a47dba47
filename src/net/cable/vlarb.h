/* Arbitration among the virtual lanes of one sending port. */
#ifndef COP_NET_VLARB_H
#define COP_NET_VLARB_H

#include "net/net.h"

int cop_vlarb_init(cop_net *net, cop_err *err);
/* Choose one of the lanes in `ready` (not 0). */
uint32_t cop_vlarb_pick_slow(cop_net *net, uint32_t port, uint32_t ready);
/* The same without IB tables; changes no state. */
uint32_t cop_vlarb_next(const cop_net *net, uint32_t port, uint32_t ready);
/* A packet of `bytes` went on lane vl, which was picked before. */
void cop_vlarb_sent_slow(cop_net *net, uint32_t port, uint32_t vl, uint32_t bytes);
static inline void cop_vlarb_sent(cop_net *net, uint32_t port, uint32_t vl, uint32_t bytes)
{
    if (net->lanes > 1)
        cop_vlarb_sent_slow(net, port, vl, bytes);
}

static inline uint32_t cop_vlarb_pick(cop_net *net, uint32_t port, uint32_t ready)
{
    if (net->lanes == 1)
        return 0;
    return cop_vlarb_pick_slow(net, port, ready);
}

/* The lanes of `port` will soon be arbitrated. */
void cop_vlarb_prefetch(const cop_net *net, uint32_t port);

#endif
