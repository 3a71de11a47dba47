/* Room `ahead`: large networks do not fit the cache, so what the next events will touch is fetched in time. Hints only:
 * results are the same without.
 *
 * Files      each looks some events ahead, in stages: a stage may only follow what the one before has brought.
 *            ahead.c      any network of 8192 ports or more, and the one compiled for lossless Ethernet
 *            ahead_plain.c the usual kind (credits, a queue per output, tables), with all questions answered
 *            ahead_near.c  4096 to 8191 ports: the little that pays there
 *            ahead_arb.c   arbitrations and matchings of one instant, fetched ahead of each other
 *            ahead_lines.c the lines of an output, a host, a sender: what the others have in common
 * Calls      switch, cable, routing: for their hints, and it knows where their state lies.
 * Called by  the loop alone. Rooms that know best themselves use net/fetch.h. */
#ifndef COP_NET_AHEAD_H
#define COP_NET_AHEAD_H

#include "net/net.h"

/* Called before each event, if net->looks_ahead. */
void cop_ahead(cop_net *net);
/* The arbitrations of this instant: words first to last of the set that is due. */
void cop_ahead_arbitrate(cop_net *net, uint32_t first, uint32_t last);

#endif
