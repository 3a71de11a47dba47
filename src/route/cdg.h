/* Shared by the two parts of the dependency check: deadlock.c runs it, cdg_walk.c follows routings
 * that keep state or offer choices. */
#ifndef COP_CDG_H
#define COP_CDG_H

#include "route/cdg_graph.h"
#include "route/levels.h"
#include "route/route.h"

enum { COP_CHANNEL_USED = 1, COP_CHANNEL_FIRST = 2 }; /* FIRST: taken right after injection */

typedef struct cop_cdg {
    const cop_route *r;
    cop_edges edges;
    uint8_t *mark; /* [channel], bits above */
    uint32_t *seed; /* hosts to start from: all, or two per switch if the rest are alike */
    uint32_t n_seeds;
    /* Turns of the network (cop_route.turn): ports and hosts of the part that turns, and its number
     * of copies. State of a channel is stored for the one of the first part. No turns: the whole
     * network, one copy. */
    uint32_t ports, hosts, turns;
    uint64_t steps;
    bool escapes; /* some decision has an escape lane */
    bool bad; /* bad_src never reaches bad_dst */
    uint32_t bad_src, bad_dst;
} cop_cdg;

/* A channel is a lane of a directed link: ports of switches, then those of hosts, of the part that
 * turns. */
static inline uint32_t cop_cdg_channel(const cop_cdg *g, uint32_t port, uint32_t vl)
{
    uint32_t first = g->r->topo->host_port0;
    if (g->turns > 1)
        port = port < first ? port % g->ports : g->ports + (port - first) % g->hosts;
    return port * g->r->lanes + vl;
}
/* Its port, in the first part. */
static inline uint32_t cop_cdg_port(const cop_cdg *g, uint32_t channel)
{
    uint32_t port = channel / g->r->lanes;
    return port < g->ports ? port : port - g->ports + g->r->topo->host_port0;
}
static inline uint32_t cop_cdg_channels(const cop_cdg *g)
{
    return (g->ports + g->hosts) * g->r->lanes;
}

/* A host injects on lane `vl`, or on any of cop_route.host_lanes of the same service levels. */
static inline void cop_cdg_mark_host(cop_cdg *g, uint32_t host, uint32_t vl)
{
    uint32_t port = cop_topo_host_port(g->r->topo, host), n = g->r->facts.host_lanes;
    if (n > 0)
        vl = cop_levels_base(g->r, vl);
    for (uint32_t end = vl + (n > 0 ? n : 1); vl < end; vl++)
        g->mark[cop_cdg_channel(g, port, vl)] |= COP_CHANNEL_USED;
}

static inline void cop_cdg_fail(cop_cdg *g, uint32_t src, uint32_t dst)
{
    if (!g->bad) {
        g->bad_src = src;
        g->bad_dst = dst;
    }
    g->bad = true;
}

typedef struct cop_cdg_walk cop_cdg_walk;
cop_cdg_walk *cop_cdg_walk_new(cop_cdg *g);
void cop_cdg_walk_free(cop_cdg_walk *w);
/* Follow all packets to `dst` whose intermediate is number `mid_index` of ops->mid: data, or
 * control packets. */
void cop_cdg_walk_to(cop_cdg_walk *w, uint32_t dst, uint32_t mid_index,
                     const cop_cdg_control *control);

#endif
