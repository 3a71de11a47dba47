/* Room `ahead`: large networks do not fit the cache, so lines that coming events will access are
 * prefetched. Hints only: results are the same without.
 *
 * Files      each works some events ahead, in stages: a stage only reads lines that the previous
 *            one has fetched.
 *            ahead.c      any network of 8192 ports or more, and a version compiled for lossless
 *                         Ethernet
 *            ahead_plain.c the most common kind (credits, a queue per output, tables), without
 *                          conditions
 *            ahead_near.c  4096 to 8191 ports: the few hints that pay there
 *            ahead_arb.c   arbitrations and matchings of one instant, each prefetched during
 *                          earlier ones
 *            ahead_lines.c the lines of an output, a host, a sender; used by the others
 * Calls      switch, cable, routing: their hints; it knows the addresses of their state.
 * Called by  the loop alone. Other rooms prefetch by net/fetch.h. */
#ifndef COP_NET_AHEAD_H
#define COP_NET_AHEAD_H

#include "net/net.h"

/* Called before each event, if net->looks_ahead. */
void cop_ahead(cop_net *net);
/* The arbitrations of this instant: words first to last of the set that is due. */
void cop_ahead_arbitrate(cop_net *net, uint32_t first, uint32_t last);

#endif
