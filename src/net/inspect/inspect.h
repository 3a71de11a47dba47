/* Room `inspect`: reads the machine between events, and changes nothing of it.
 *
 * Files      look.c what an observer reads (net/look.h);  observe*.c the series of run.observe;
 *            gauge.c counters and levels of a queueing scheme, and memory of ports;  account.c
 *            every packet, byte and credit, at the end;  rested.c mechanisms that did nothing.
 * Calls      all rooms of the data path, whose state it reads; config, flow.
 * Called by  build, for its memory; the loop, at samples and at the end; observers and stats
 *            through net.h and look.h. */
#ifndef COP_NET_INSPECT_H
#define COP_NET_INSPECT_H

#include "net/net.h"

/* -- observe*.c: chosen values of the machine over time, as series of the result -- */

enum cop_observation_kind {
    COP_OBSERVE_QUEUE,
    COP_OBSERVE_VOQ,
    COP_OBSERVE_NOTICES,
    COP_OBSERVE_CC_PORT,
    COP_OBSERVE_ROUTE_PORT,
    COP_OBSERVE_CC_FLOW,
    COP_OBSERVE_RECEIVED,
    COP_OBSERVE_INJECTED, /* by a host */
    COP_OBSERVE_INJECTED_AT, /* by the hosts of a switch */
    COP_OBSERVE_SENT
};

/* `text` is the option's value: items separated by commas. */
int cop_observe_init(cop_net *net, const char *text, cop_err *err);
/* At the end of a bin, also of one that is cut short by the end of the measured time. */
void cop_observe_sample(cop_net *net);
/* After the end of the run, which may be in the middle of a bin. */
void cop_observe_finish(cop_net *net);

/* gauge.c: counters and levels of the queueing scheme, at build time and at each sample. */
void cop_gauge_init(cop_net *net);
void cop_gauge_sample(cop_net *net);
void cop_gauge_close(cop_net *net); /* the last bin may be a short one */

/* account.c: every packet, byte and credit; sets net->stop and net->why if one is missing. */
void cop_net_account(cop_net *net);

#endif
