/* Hints to the cache about the events that come next. See ahead.c. */
#ifndef COP_NET_AHEAD_H
#define COP_NET_AHEAD_H

#include "net/net.h"

/* Called before each event, if net->looks_ahead. */
void cop_ahead(const cop_net *net);
/* The arbitrations of this instant: words first to last of the set that is due. */
void cop_ahead_arbitrate(cop_net *net, uint32_t first, uint32_t last);

#endif
