/* Notifications that switches make. */
#ifndef COP_NET_NOTICE_H
#define COP_NET_NOTICE_H

#include "net/net.h"

void cop_notice_init(cop_net *net); /* if the congestion control makes any */
void cop_notice_fini(cop_net *net);
/* COP_EV_NOTICE: make those that are due at switch `sw`. */
void cop_notice_make(cop_net *net, uint32_t sw);
/* For people: append to net->why how many still wait in the switches that made them, and where; nothing if none. */
void cop_notice_tell(cop_net *net);

#endif
