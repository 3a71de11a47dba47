/* Shortest paths on any graph, destinations spread evenly over the ports (OpenSM's `minhop`).
 *
 * Input: any topology, also one-way ones. Output: a forwarding table. For each destination every
 * switch sends towards a neighbour that is one hop nearer; spread.c selects it.
 * Invariant: each path has the least number of switches. One lane. Rings and tori get cyclic
 * channel dependencies, which the dependency check reports.
 * Source: OpenSM documentation, "Min Hop Algorithm". */
#include "route/route_cfg.h"
#include "route/spread.h"

typedef struct search {
    uint32_t *dist, *queue; /* [n_switches] */
} search;

/* Breadth-first against the direction of the links. */
static void search_back(search *s, const cop_topo *t, uint32_t exit_sw)
{
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        s->dist[sw] = COP_NONE;
    uint32_t head = 0, tail = 0;
    s->dist[exit_sw] = 0;
    s->queue[tail++] = exit_sw;
    while (head < tail) {
        uint32_t sw = s->queue[head++];
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++) {
            uint32_t from = t->port[p].from;
            if (from == COP_NONE || cop_topo_is_host_port(t, from))
                continue;
            uint32_t prev = t->port[from].owner;
            if (s->dist[prev] == COP_NONE) {
                s->dist[prev] = s->dist[sw] + 1;
                s->queue[tail++] = prev;
            }
        }
    }
}

static void minhop_choices(void *ctx, const cop_topo *t, uint32_t exit_sw, cop_choices *out)
{
    search *s = ctx;
    search_back(s, t, exit_sw);
    uint32_t n = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        out->first[sw] = n;
        if (s->dist[sw] == COP_NONE || sw == exit_sw)
            continue;
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++) {
            uint32_t to = t->port[p].to;
            if (to != COP_NONE && !cop_topo_is_host_port(t, to) &&
                s->dist[t->port[to].owner] + 1 == s->dist[sw])
                out->port[n++] = t->port[p].local;
        }
    }
    out->first[t->n_switches] = n;
}

static int minhop_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg;
    const cop_topo *t = r->topo;
    r->facts.single = r->facts.memoryless = true;
    search s = {.dist = cop_alloc_array(t->n_switches, sizeof(uint32_t)),
                .queue = cop_alloc_array(t->n_switches, sizeof(uint32_t))};
    uint32_t sw = 0, dst = 0;
    bool good = cop_spread_fill(r, minhop_choices, &s, &sw, &dst);
    cop_free(s.dist);
    cop_free(s.queue);
    if (good)
        return 0;
    char a[128], b[128];
    return cop_err_add(
        err, COP_E_INPUT, "routing minhop: no path from switch %s to host %s; cable them together",
        cop_topo_switch_name(t, sw, a, sizeof(a)), cop_topo_host_name(t, dst, b, sizeof(b)));
}

const cop_route_ops cop_route_minhop = {
    .name = "minhop",
    .summary = "any graph: shortest paths, destinations spread evenly over ports",
    .source = "OpenSM, Min Hop Algorithm",
    .in_order = true,
    .setup = minhop_setup,
    .route = cop_spread_route,
};
