/* Watching chosen packets: one line for every step they take. */
#ifndef COP_NET_WATCH_H
#define COP_NET_WATCH_H

#include "net/net.h"

#include <stdio.h>

enum cop_watch_step { COP_WATCH_INJECT, COP_WATCH_SEND, COP_WATCH_QUEUE, COP_WATCH_DELIVER };

/* Which packets: "src=3,dst=7,from=12,count=5" (packets number 12.. of each source), any part may
 * be left out. */
int cop_watch_init(cop_net *net, const char *spec, FILE *out, uint64_t max_lines, cop_err *err);
/* Is this new packet to be watched? */
bool cop_watch_wants(const cop_net *net, const cop_pkt *p);
void cop_watch_step(cop_net *net, enum cop_watch_step step, uint32_t port, const cop_pkt *p);

#endif
