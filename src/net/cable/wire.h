/* Wires: a packet leaves a port and arrives at the next input. */
#ifndef COP_NET_WIRE_H
#define COP_NET_WIRE_H

#include "net/net.h"

/* Put packet h on the wire of `port`, starting now, on lane p->vl. The port must be free. Returns
 * when the last byte has left. */
cop_time cop_wire_send(cop_net *net, uint32_t port, uint32_t h);
/* The same for a packet that was sent before: out of line, and in the form of cop_net.inject. */
void cop_wire_again(cop_net *net, uint32_t port, uint32_t h);
/* COP_EV_ARRIVE: takes the packet that has come to `port` off its wire. The caller then asks the
 * flow control for room (cop_fc_accepts). */
uint32_t cop_wire_take(cop_net *net, uint32_t port);

#endif
