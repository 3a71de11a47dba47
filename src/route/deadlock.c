/* The channel dependency graph of a routing on its topology, checked before a run.
 *
 * Channels are lanes of directed links, from the hosts' injection links to the links that deliver.
 * There is a dependency from one channel to the next that a packet in the first may wait for. No
 * cycle means no deadlock (Dally and Seitz, IEEE Trans. Computers 1987); with escape lanes the
 * extended dependencies between escape channels must have none (Duato, IEEE TPDS 1993).
 * Routings with one table entry per (switch, destination) cost one step per switch and destination;
 * the others are followed state by state in cdg_walk.c.
 * Budget: (destination, intermediate) items are visited in a fixed scattered order; when the steps
 * exceed the budget the rest is left out and the result is marked `sampled`. (If pairs, or
 * intermediates alone, exceed the budget, the check cannot be complete, and a part of the budget is
 * enough.) A cycle found is real in any case. Acknowledgements and notifications share the channels
 * of data. They are followed when data alone has no cycle, with a separate budget. Tables
 * (`single`) keep every packet on its lane, and all lanes are alike: control packets of hosts add
 * no dependency there, but a switch may make notifications for destinations to which no data passes
 * it.
 * Turns: where the network and the routing look the same from every group (cop_route.turn), paths
 * to the first group represent all. A channel represents those that it becomes by turning. A cycle
 * of channels is a closed walk of their representatives; and such a walk, repeated, becomes a
 * cycle. So there is a cycle if and only if there is one of representatives.
 * Also detected: packets that loop, end at a wrong host or at a port without a cable. */
#include "route/cdg.h"

/* A check that cannot be complete takes this part of its budget: the sample is smaller by that
 * factor. */
#define SAMPLE_SHARE 4

/* A step through 0..n-1 that visits all numbers and spreads early visits evenly (golden ratio). */
static uint64_t scatter_step(uint64_t n)
{
    uint64_t step = n / 1000 * 618 + n % 1000 * 618 / 1000;
    for (step = step ? step : 1;; step++) {
        uint64_t a = n, b = step;
        while (b != 0) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

/* The port that `port` becomes when the network is turned by a part of `ports` ports and `hosts`
 * hosts. */
static uint32_t turned(const cop_topo *t, uint32_t port, uint32_t ports, uint32_t hosts)
{
    if (port == COP_NONE)
        return port;
    uint32_t first = t->host_port0;
    return port < first ? (port + ports) % first : first + (port - first + hosts) % t->n_hosts;
}

/* Does the network look the same when it is turned by r->turn switches? The routing declares it;
 * cables are compared. */
static void find_turns(cop_cdg *g)
{
    const cop_topo *t = g->r->topo;
    uint32_t turn = g->r->facts.turn;
    g->ports = t->host_port0;
    g->hosts = t->n_hosts;
    g->turns = 1;
    if (turn == 0 || g->r->facts.single || t->n_switches % turn != 0 || t->n_switches == turn)
        return;
    uint32_t turns = t->n_switches / turn, ports = t->sw_port0[turn], hosts = t->n_hosts / turns;
    if (ports * turns != t->host_port0 || hosts * turns != t->n_hosts)
        return;
    for (uint32_t p = 0; p < t->n_ports; p++) {
        const cop_port *a = &t->port[p], *b = &t->port[turned(t, p, ports, hosts)];
        if (b->to != turned(t, a->to, ports, hosts) || b->local != a->local)
            return;
    }
    g->ports = ports;
    g->hosts = hosts;
    g->turns = turns;
}

static void mark_levels(cop_cdg *g, uint32_t host)
{
    for (uint32_t levels = cop_levels_to_follow(g->r); levels != 0; levels &= levels - 1)
        cop_cdg_mark_host(g, host, cop_levels_first(g->r, (uint32_t)__builtin_ctz(levels)));
}

static void choose_seeds(cop_cdg *g)
{
    const cop_topo *t = g->r->topo;
    /* With one port per switch and destination all lanes are alike, whichever a host chooses. */
    bool alike = g->r->facts.hosts_alike ||
                 (g->r->facts.memoryless && g->r->ops->mid == NULL &&
                  (g->r->ops->inject == NULL || g->r->facts.single || g->r->facts.host_lanes > 0));
    uint8_t *have = cop_alloc(t->n_switches);
    g->seed = cop_alloc_array(t->n_hosts, sizeof(*g->seed));
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        uint8_t *n = &have[cop_topo_entry_switch(t, h)];
        if (alike) /* their injection links carry these lanes even if the host is no seed */
            mark_levels(g, h);
        if (alike && *n == 2)
            continue;
        if (*n < 2)
            (*n)++;
        g->seed[g->n_seeds++] = h;
    }
    cop_free(have);
}

static uint32_t single_port(const cop_route *r, uint32_t sw, uint32_t dst)
{
    if (r->lft != NULL)
        return r->lft[(size_t)sw * r->topo->n_hosts + dst];
    cop_hop hop = {.sw = sw, .src = dst, .dst = dst, .mid = COP_NONE};
    cop_cand cand[COP_MAX_CAND];
    r->ops->route(r, &hop, NULL, cand);
    return cand[0].port;
}

/* The port by which sw sends to dst, COP_NONE if that port does not exist or has no cable. */
static uint32_t out_port(const cop_route *r, uint32_t sw, uint32_t dst)
{
    uint32_t local = single_port(r, sw, dst);
    if (local >= cop_topo_ports_of(r->topo, sw))
        return COP_NONE;
    uint32_t port = cop_topo_switch_port(r->topo, sw, local);
    return r->topo->port[port].to == COP_NONE ? COP_NONE : port;
}

/* Follow the table from switch sw, the entry switch of src (COP_NONE: a notification begins there;
 * unreachable hosts are then reported when the network is built). seen[sw] = dst * 2 + 1 on this
 * walk, + 2 when known to deliver; older values mean not seen. `path` contains the switches of this
 * walk. */
static void walk_table(cop_cdg *g, uint32_t sw, uint32_t src, uint32_t dst, uint64_t *seen,
                       uint32_t *path)
{
    const cop_topo *t = g->r->topo;
    uint64_t now = (uint64_t)dst * 2 + 1, done = now + 1;
    uint32_t before = COP_NONE, n = 0;
    for (;;) {
        uint32_t port = out_port(g->r, sw, dst);
        uint32_t to = port == COP_NONE ? COP_NONE : t->port[port].to;
        uint32_t channel = cop_cdg_channel(g, port, 0);
        if (to == COP_NONE || seen[sw] == now ||
            (cop_topo_is_host_port(t, to) && to != cop_topo_host_port(t, dst))) {
            if (src != COP_NONE)
                cop_cdg_fail(g, src, dst);
            break;
        }
        g->steps++;
        if (src != COP_NONE)
            g->mark[channel] |= COP_CHANNEL_USED | (before == COP_NONE ? COP_CHANNEL_FIRST : 0);
        if (before != COP_NONE)
            cop_edges_add(&g->edges, before, channel);
        if (seen[sw] == done)
            break;
        seen[sw] = now;
        path[n++] = sw;
        if (cop_topo_is_host_port(t, to))
            break;
        before = channel;
        sw = t->port[to].owner;
    }
    while (n > 0)
        seen[path[--n]] = done;
}

/* Most intermediates of any pair, by bisection over representative hosts. With too many pairs to
 * query, following all is impossible anyway, so some are enough; also when those queried have more
 * intermediates together than the budget has steps. */
static uint32_t most_mids(cop_cdg *g, uint64_t budget, bool *beyond)
{
    const cop_route *r = g->r;
    uint64_t pairs = (uint64_t)g->n_seeds * g->hosts;
    if (r->ops->mid == NULL) {
        /* At least a step for each pair; the last destination may exceed the budget. */
        *beyond =
            budget > 0 && g->n_seeds > 0 && (uint64_t)(g->n_seeds - 1) * (g->hosts - 1) > budget;
        return 1;
    }
    uint64_t skip = budget > 0 && pairs > budget ? pairs / budget + 1 : 1;
    uint64_t least = 0; /* steps */
    uint32_t most = 1, mid;
    for (uint64_t i = 0; i < pairs && (budget == 0 || least <= budget); i += skip) {
        uint32_t src = g->seed[i % g->n_seeds], dst = (uint32_t)(i / g->n_seeds);
        if (src == dst)
            continue;
        if (!r->ops->mid(r, src, dst, most, &mid)) {
            least += r->ops->mid(r, src, dst, most - 1, &mid) ? most : 1;
            continue;
        }
        uint32_t low = most, high = low + 1; /* low exists */
        while (r->ops->mid(r, src, dst, high, &mid))
            high *= 2;
        while (high - low > 1) {
            uint32_t half = low + (high - low) / 2;
            if (r->ops->mid(r, src, dst, half, &mid))
                low = half;
            else
                high = half;
        }
        most = low + 1;
        least += most;
    }
    *beyond = budget > 0 && least > budget;
    return most;
}

/* Returns whether items were left out. */
static bool follow_all(cop_cdg *g, uint64_t budget)
{
    const cop_topo *t = g->r->topo;
    bool beyond = false;
    uint64_t items = (uint64_t)g->hosts * most_mids(g, budget, &beyond), at = 0;
    uint64_t step = scatter_step(items), i = 0;
    if (beyond)
        budget = budget / SAMPLE_SHARE + 1;
    uint64_t *seen = cop_alloc_array(t->n_switches, sizeof(*seen));
    uint32_t *path = cop_alloc_array((size_t)t->n_switches + 1, sizeof(*path));
    cop_cdg_walk *w = cop_cdg_walk_new(g);
    for (; i < items && (budget == 0 || g->steps < budget); i++) {
        uint32_t dst = (uint32_t)(at % g->hosts), mid = (uint32_t)(at / g->hosts);
        if (g->r->facts.single)
            for (uint32_t k = 0; k < g->n_seeds; k++) {
                if (g->seed[k] != dst)
                    walk_table(g, cop_topo_entry_switch(t, g->seed[k]), g->seed[k], dst, seen,
                               path);
            }
        else
            cop_cdg_walk_to(w, dst, mid, NULL);
        at = (at + step) % items;
    }
    cop_cdg_walk_free(w);
    cop_free(seen);
    cop_free(path);
    return i < items;
}

/* Control packets: to every destination, and by every intermediate if hosts choose one. */
static bool follow_control(cop_cdg *g, const cop_cdg_control *control, uint64_t budget)
{
    const cop_route *r = g->r;
    bool beyond = false;
    uint64_t mids =
        cop_levels_of_routing(r)->inject && !r->facts.single ? most_mids(g, budget, &beyond) : 1;
    uint64_t items = g->hosts * mids, step = scatter_step(items), at = 0, i = 0;
    uint64_t end = g->steps + (beyond ? budget / SAMPLE_SHARE + 1 : budget);
    uint64_t *seen = cop_alloc_array(r->topo->n_switches, sizeof(*seen));
    uint32_t *path = cop_alloc_array((size_t)r->topo->n_switches + 1, sizeof(*path));
    cop_cdg_walk *w = cop_cdg_walk_new(g);
    for (; i < items && (budget == 0 || g->steps < end); i++, at = (at + step) % items) {
        uint32_t dst = (uint32_t)(at % g->hosts), mid = (uint32_t)(at / g->hosts);
        for (uint32_t sw = 0; r->facts.single && sw < r->topo->n_switches; sw++)
            walk_table(g, sw, COP_NONE, dst, seen, path);
        if (!r->facts.single)
            cop_cdg_walk_to(w, dst, mid, control);
    }
    cop_cdg_walk_free(w);
    cop_free(seen);
    cop_free(path);
    return i < items;
}

/* Dependencies of injection links: every host of a switch may wait for any first channel of it,
 * except for the link to itself. */
static uint64_t count_injections(const cop_cdg *g)
{
    const cop_route *r = g->r;
    const cop_topo *t = r->topo;
    uint64_t count = 0;
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        uint32_t sw = cop_topo_entry_switch(t, h), own = cop_topo_exit_port(t, h);
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
            for (uint32_t vl = 0; p != own && vl < r->lanes; vl++)
                count += (g->mark[cop_cdg_channel(g, p, vl)] & COP_CHANNEL_FIRST) != 0;
    }
    return count;
}

/* Expand a closed walk of n channels of the first part, from cable to cable until it ends where it
 * began. */
static void report_cycle(const cop_cdg *g, cop_cdg_result *out)
{
    const cop_topo *t = g->r->topo;
    uint32_t *walk, n = cop_edges_cycle(&g->edges, cop_cdg_channels(g), &walk);
    size_t cap = 0, cap_vl = 0;
    out->acyclic = n == 0;
    out->cycle_len = 0;
    uint32_t port = n > 0 ? cop_cdg_port(g, walk[0]) : COP_NONE, first = port;
    while (n > 0 && (out->cycle_len == 0 || port != first)) {
        for (uint32_t i = 0; i < n; i++) {
            out->cycle = cop_grow(out->cycle, &cap, out->cycle_len + 1u, sizeof(*out->cycle));
            out->cycle_vl = cop_grow(out->cycle_vl, &cap_vl, out->cycle_len + 1u, 1);
            out->cycle[out->cycle_len] = port;
            out->cycle_vl[out->cycle_len++] = (uint8_t)(walk[i] % g->r->lanes);
            uint32_t next = cop_cdg_port(g, walk[(i + 1) % n]);
            if (g->turns > 1) /* without escape lanes consecutive channels are adjacent */
                next =
                    cop_topo_switch_port(t, t->port[t->port[port].to].owner, t->port[next].local);
            port = next;
        }
    }
    cop_free(walk);
}

void cop_cdg_check(const cop_route *r, const cop_cdg_control *control, uint64_t budget,
                   cop_cdg_result *result)
{
    COP_CHECK((uint64_t)r->topo->n_ports * r->lanes < UINT32_MAX);
    cop_cdg g = {.r = r};
    find_turns(&g);
    uint32_t n_channels = cop_cdg_channels(&g);
    g.mark = cop_alloc(n_channels);
    cop_edges_init(&g.edges);
    choose_seeds(&g);
    *result = (cop_cdg_result){.bad_src = COP_NONE, .bad_dst = COP_NONE};
    result->sampled = follow_all(&g, budget);
    result->unreachable = g.bad;
    if (g.bad) {
        result->bad_src = g.bad_src;
        result->bad_dst = g.bad_dst;
    }
    for (uint32_t c = 0; c < n_channels; c++)
        if (g.mark[c] != 0) {
            uint32_t port = cop_cdg_port(&g, c), vl = c % r->lanes;
            unsigned kind = r->topo->port[port].link_class;
            result->channels += g.turns;
            if (vl + 1 < r->facts.spread) /* lanes are alike, and the walk followed one of them */
                vl = r->facts.spread - 1;
            if (vl >= result->lanes[kind]) {
                result->lanes[kind] = vl + 1;
                result->lane_port[kind] = port;
            }
        }
    result->dependencies = g.edges.n * g.turns + count_injections(&g);
    result->escapes = g.escapes;
    report_cycle(&g, result);
    /* Too few lanes for control packets are refused when the network is built. */
    bool fits = control != NULL &&
                (control->vl <= 0 || (uint32_t)control->vl + r->facts.control_vls <= r->lanes);
    if (result->acyclic && !g.bad && fits &&
        ((control->hosts && !r->facts.single) || control->switches)) {
        uint64_t before = g.edges.n;
        result->sampled |= follow_control(&g, control, budget);
        result->dependencies += (g.edges.n - before) * g.turns;
        report_cycle(&g, result);
        result->of_control = !result->acyclic;
    }
    cop_edges_free(&g.edges);
    cop_free(g.mark);
    cop_free(g.seed);
}

void cop_cdg_free(cop_cdg_result *result)
{
    cop_free(result->cycle);
    cop_free(result->cycle_vl);
    *result = (cop_cdg_result){0};
}
