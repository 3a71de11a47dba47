/* Recovery from deadlocks: packets that have waited too long are absorbed by the host of the switch
 * where they wait, and sent again from there (recover.c). Only networks whose routing asks for it
 * have it (cop_route.patience_ps): net->recover is NULL in all others. */
#ifndef COP_NET_RECOVER_H
#define COP_NET_RECOVER_H

#include "net/net.h"

typedef struct cop_recover_host { /* packets absorbed, to be sent again, oldest first */
    uint32_t head, tail;
} cop_recover_host;

typedef struct cop_recover {
    cop_time *due; /* [n_queues] when the head's patience ends; COP_NEVER: it does not wait */
    cop_time *event; /* [n_queues] pending COP_EV_PATIENCE, COP_NEVER: none */
    uint16_t *exit; /* [n_switches] local port to the host that absorbs */
    cop_recover_host *host; /* [n_hosts] */
    cop_fc_ops fc; /* flow control of the network, extended by packets that are sent again */
} cop_recover;

/* Local port of switch sw that leads to a host, the lowest; COP_PORT_NONE: it has none. */
uint16_t cop_recover_exit(const cop_topo *t, uint32_t sw);
void cop_recover_init(cop_net *net); /* the routing asks for it */

/* The head of queue q asks for its outputs from now on. */
void cop_recover_wait(cop_net *net, uint32_t q);
/* COP_EV_PATIENCE: has the head of queue q waited for too long? If so, its patience is over
 * (input_head.c diverts it). */
bool cop_recover_gives_up(cop_net *net, uint32_t q);
/* Packet h has come to the host at `port`: true if it is not addressed to that host, and will be
 * sent again. */
bool cop_recover_absorb(cop_net *net, uint32_t port, uint32_t h);

#endif
