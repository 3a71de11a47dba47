/* Hints to the cache about the events that come next. See ahead.c. */
#ifndef COP_NET_AHEAD_H
#define COP_NET_AHEAD_H

#include "net/net.h"

/* Called before each event, if net->looks_ahead. */
void cop_ahead(const cop_net *net);

#endif
