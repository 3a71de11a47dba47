/* Room `deadlock`: what waits for ever is found, and said.
 *
 * Files      stall.c when to look, what to say;  stall_find.c the largest set of queues that wait for each other;
 *            starve.c flows and heads that no event will wake.
 * Calls      switch, worm, cable: their state is read, never changed. services: notifications that wait. flow.
 * Called by  the loop, at samples and at the end. It writes net->stop and net->why, nothing else. */
#ifndef COP_NET_DEADLOCK_H
#define COP_NET_DEADLOCK_H

#include "net/net.h"

void cop_stall_init(cop_net *net);
void cop_stall_fini(cop_net *net);

/* At a sample: look for ports that wait for each other for ever, if one has stood still since the
 * sample before and enough has moved to pay for a look. True if there are some: net->stop and
 * net->why are set. */
bool cop_stall_watch(cop_net *net);
/* The same at the end of a run, whatever it costs; with recovery only if that comes too late for the run. */
bool cop_stall_final(cop_net *net);

/* Queues whose heads the last look found to wait for each other, or for those, for ever; perhaps several times the
 * same; COP_NONE: there are not so many. */
uint32_t cop_stall_queue(const cop_net *net, size_t i);

/* What the looks of cop_stall_watch have cost so far, in visits of a port, queue or packet. */
uint64_t cop_stall_visits(const cop_net *net);
/* What they may have cost: see stall.c. */
uint64_t cop_stall_allowance(const cop_net *net);

/* -- starve.c, when the run is over -- */

/* Messages that no congestion control will ever let go; sets net->stop and net->why. */
void cop_net_starved(cop_net *net);
/* The same for packets that it does not admit; said and true if there is nothing else in the network. */
bool cop_net_held_for_ever(cop_net *net);
/* It has drained for as long as can be simulated, and is not done: that is how the run ends. */
void cop_net_undrained(cop_net *net);

#endif
