/* Throttling by marks: shared by throttle.c and throttle_plan.c. */
#ifndef COP_CC_THROTTLE_H
#define COP_CC_THROTTLE_H

#include "net/cc.h"

enum throttle_shape { THROTTLE_QUADRATIC, THROTTLE_LINEAR };
enum throttle_from { THROTTLE_FROM_START, THROTTLE_FROM_END };

typedef struct throttle_cfg { /* as configured; 0 of timer, longest, increase, senders: auto */
    uint64_t timer_ps, longest_ps, packet_bytes;
    double marking;
    int64_t increase, limit, longest_at, senders;
    int shape, delay_from;
    bool restart, credit_test;
} throttle_cfg;

typedef struct throttle_plan { /* parameters of an end node */
    cop_time timer_ps, longest_ps;
    uint32_t increase;
} throttle_plan;

/* Senders, `host` included, that share a destination that it overloads. */
uint32_t throttle_senders(const throttle_cfg *cfg, const cop_netinfo *info, uint32_t host);
/* `packet_ps`: time of a full packet on its link. */
throttle_plan throttle_plan_of(const throttle_cfg *cfg, uint32_t senders, cop_time packet_ps);
/* cop_cc_ops.plan: a line for each plan of the network's end nodes, at most a few. */
void throttle_told(const void *cfg, const cop_netinfo *info, FILE *out);

#endif
