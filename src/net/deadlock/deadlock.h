/* Room `deadlock`: finds and reports packets and messages that wait for ever.
 *
 * Files      stall.c when to check, and the message;  stall_find.c the largest set of queues that
 *            wait for each other;  starve.c flows and heads that no event will wake.
 * Calls      switch, worm, cable: their state is read, never changed. services: notifications that
 *            wait. flow.
 * Called by  the loop, at samples and at the end. It writes net->stop and net->why, nothing
 *            else. */
#ifndef COP_NET_DEADLOCK_H
#define COP_NET_DEADLOCK_H

#include "net/net.h"

void cop_stall_init(cop_net *net);
void cop_stall_fini(cop_net *net);

/* At a sample: check for ports that wait for each other for ever, if one has been blocked since the
 * previous sample and enough has moved to pay for a check. True if there are some: net->stop and
 * net->why are set. */
bool cop_stall_watch(cop_net *net);
/* The same at the end of a run, whatever the cost; with recovery only if recovery comes too late
 * for the run. */
bool cop_stall_final(cop_net *net);

/* Queue i of those that the last check found deadlocked, or waiting for a deadlocked one; may
 * repeat; COP_NONE: there are fewer. */
uint32_t cop_stall_queue(const cop_net *net, size_t i);

/* Cost of the checks of cop_stall_watch so far, in visits of a port, queue or packet. */
uint64_t cop_stall_visits(const cop_net *net);
/* The most that they may have cost: see stall.c. */
uint64_t cop_stall_allowance(const cop_net *net);

/* -- starve.c, when the run is over -- */

/* Messages that the congestion control will never release; sets net->stop and net->why. */
void cop_net_starved(cop_net *net);
/* The same for packets that it does not admit; true, and net->why is set, if the network contains
 * no others. */
bool cop_net_held_for_ever(cop_net *net);
/* The network has drained for as long as can be simulated, and is not empty: ends the run. */
void cop_net_undrained(cop_net *net);

#endif
