/* run.observe: chosen values of the machine over time, as series of the result. */
#ifndef COP_NET_OBSERVE_H
#define COP_NET_OBSERVE_H

#include "net/net.h"

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
/* At the end of a bin, also of one that the end of the measured time cuts short. */
void cop_observe_sample(cop_net *net);
/* When all has been counted. A run may have been stopped in the middle of a bin. */
void cop_observe_finish(cop_net *net);

#endif
