/* Random scenarios: a configuration of topology, routing, queueing, flow control, switch, end nodes,
 * congestion control and traffic, drawn from a number.
 *
 * Contract: the same number gives the same text, with every compiler. Routings, queueing schemes,
 * congestion controls, arbitrations and collectives come from the program's own lists, so a new one is drawn as soon
 * as it is there. Choices among names and yes or no of a routing are drawn from its option table; other
 * options are for the functions in draw.c and draw_traffic.c to draw. Most scenarios are
 * accepted by the program, not all. Paths begin at the top of the source tree, where examples/ is. */
#ifndef COP_TEST_DRAW_H
#define COP_TEST_DRAW_H

#include "base/rng.h"

typedef struct draw {
    uint32_t number;
    cop_rng rng;
    char text[8192];
    size_t used;
    uint32_t hosts, mtu, link_gbps, jobs;
    uint64_t duration_ns, warmup_ns;
    bool drain, random; /* random: another seed must give another run */
    bool credit, onoff, sectioned, strict, acks;
    bool worm; /* wormhole switching */
    bool output_buffers, output_shared;
    uint32_t read_ports;
    bool own_rates; /* the topology states the rates of its links */
    bool per_level; /* the congestion control has a rate for a whole service level */
    const char *routing, *queueing, *cc, *arbitration, *arch, *host;
} draw;

void draw_scenario(draw *d, uint32_t number);

/* Does the queueing scheme that was drawn isolate congested flows? */
bool draw_isolates(const draw *d);

/* Names of all arbitrations of switches, up to NULL. */
const char *const *draw_arbitrations(void);

#endif
