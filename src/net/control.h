/* Link-level control messages between neighbouring switches (isolation schemes). */
#ifndef COP_NET_CONTROL_H
#define COP_NET_CONTROL_H

#include "net/net.h"

/* COP_EV_CONTROL: messages for the sending side of `port` have arrived. */
void cop_control_arrive(cop_net *net, uint32_t port);
void cop_control_fini(cop_net *net);

#endif
