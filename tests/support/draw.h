/* Random scenarios: a configuration of topology, routing, queueing, flow control, switch, end nodes,
 * congestion control and traffic, drawn from a number.
 *
 * Contract: the same number gives the same text, with every compiler. Topologies, routings, queueing schemes,
 * congestion controls, end nodes, arbitrations, collectives, and patterns, arrivals, exchanges and sizes of traffic
 * come from the program's own lists, so a new one is drawn as soon as it is there. Options are drawn from their tables,
 * those of traffic and of what draw.c knows by name by the functions there and in draw_traffic.c. Most scenarios are
 * accepted by the program, not all. Paths begin at the top of the source tree, where examples/ is. */
#ifndef COP_TEST_DRAW_H
#define COP_TEST_DRAW_H

#include "base/rng.h"

struct cop_plugin;
struct cop_plugin_set;

/* Most characters that are added at once. */
#define DRAW_ROW 400u

/* Options of a traffic entry whose names are mechanisms. */
enum { DRAW_PATTERN, DRAW_ARRIVAL, DRAW_EXCHANGE, DRAW_SIZE, DRAW_WORDS };

typedef struct draw {
    uint32_t number;
    cop_rng rng;
    const struct cop_plugin_set *more; /* what takes part besides the program's own; or NULL */
    char text[8192];
    char topology[DRAW_ROW]; /* kind and options */
    size_t used;
    uint32_t hosts, mtu, link_gbps, jobs;
    uint64_t duration_ns, warmup_ns;
    bool drain, random; /* random: another seed must give another run */
    bool credit, counted, onoff, sectioned, strict, acks;
    bool worm; /* wormhole switching */
    bool output_buffers, output_shared;
    uint32_t read_ports;
    bool own_rates; /* the topology states the rates of its links */
    bool per_level; /* the congestion control has a rate for a whole service level */
    uint64_t words[DRAW_WORDS]; /* a bit for each name of these options that an entry has */
    const char *network; /* the topology's kind */
    const char *routing, *queueing, *cc, *arbitration, *arch, *host;
} draw;

void draw_scenario(draw *d, uint32_t number);
/* The same where topologies from outside stand in the list behind the program's own. */
void draw_scenario_with(draw *d, uint32_t number, const struct cop_plugin_set *more);

/* A small network of this topology in d->topology, its options drawn from their table, or else one that draw_network.c
 * knows; false: there is none. */
bool draw_small(draw *d, const struct cop_plugin *p);

/* The name of that option, and its names up to NULL. */
const char *draw_word_option(unsigned option);
const char *const *draw_words(unsigned option);

/* Does the queueing scheme that was drawn isolate congested flows? */
bool draw_isolates(const draw *d);

/* Names of all arbitrations of switches, up to NULL. */
const char *const *draw_arbitrations(void);

#endif
