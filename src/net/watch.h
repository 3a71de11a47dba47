/* Watching chosen packets: one line for every step they take, for control packets that answer them,
 * and for events at the ports at which they wait. Mechanisms name their marks, notifications and
 * messages (cc.h, queue.h: tell). */
#ifndef COP_NET_WATCH_H
#define COP_NET_WATCH_H

#include "net/net.h"
#include "net/step.h"

#include <stdio.h>

/* Which packets: "src=3,dst=7,from=12,count=5" (packets number 12.. of each source), any part may
 * be left out. `out` may be NULL: nothing is written. */
int cop_watch_init(cop_net *net, const char *spec, FILE *out, uint64_t max_lines, cop_err *err);
/* Call fn for each step of them; lines are written only if cop_watch_init was given a stream. */
void cop_watch_tell(cop_net *net, cop_packet_fn fn, void *ctx);
/* Is this new packet to be watched? */
bool cop_watch_wants(const cop_net *net, const cop_pkt *p);
void cop_watch_step(cop_net *net, enum cop_watch_step step, uint32_t port, const cop_pkt *p);
/* Does a watched packet wait at this port, or may one still leave this host's? */
bool cop_watch_port_counts(const cop_net *net, uint32_t port);
/* Is one of this host's packets still to be watched? */
bool cop_watch_source(const cop_net *net, uint32_t host);
/* The routing's decision on watched packet p, which came by `port`. */
void cop_watch_routed(cop_net *net, uint32_t port, const cop_pkt *p, const char *text);
/* A line about such a port; at other ports nothing is written. */
void cop_watch_port(cop_net *net, uint32_t port, const char *fmt, ...) COP_PRINTF(3, 4);
/* A message of the queueing scheme, sent (from input `port` to the one that feeds it) or received
 * there. */
void cop_watch_message(cop_net *net, uint32_t port, uint64_t message, bool heard);
void cop_watch_fini(cop_net *net);

#endif
