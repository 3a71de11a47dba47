/* Wires: a packet leaves a port, is on its way, arrives at the next input. */
#ifndef COP_NET_WIRE_H
#define COP_NET_WIRE_H

#include "net/net.h"

/* Put packet h on the wire of `port`, starting now, on lane p->vl. The port must be free. Returns
 * when the last byte has left. */
cop_time cop_wire_send(cop_net *net, uint32_t port, uint32_t h);
/* The same for what was sent before: out of line, and with wormhole switching flit by flit. */
void cop_wire_again(cop_net *net, uint32_t port, uint32_t h);
/* COP_EV_ARRIVE. */
void cop_wire_arrive(cop_net *net, uint32_t port);

#endif
