/* Up*-down* routing on any full-duplex graph.
 *
 * Every link points up or down by the order (rank, number) of its two switches, where the rank is
 * the distance from the nearest root and smaller is higher. A legal path goes up, then down, never
 * up again, so channel dependencies cannot close a cycle: one lane is enough.
 * Table rule: towards a destination, a switch from which an all-down path exists takes a shortest
 * such path; any other switch goes up to the neighbour with the least remaining hops. Packets that
 * came down therefore always go on down, from any switch, and one table entry per (switch,
 * destination) is legal for all of them. Paths are shortest under this rule; they can be longer
 * than a shortest legal path where a down path exists but a path over the top is shorter.
 * Roots: option `root`, or automatic. Automatic takes the switches farthest from all hosts (the
 * spines of a tree). If that leaves some pair without a legal path, or if every switch has hosts,
 * one root is taken: the switch with most cables to switches, the lowest number of equals.
 * Sources: Schroeder et al., "Autonet", IEEE JSAC 1991; OpenSM's updn engine. */
#include "route/route_cfg.h"
#include "route/spread.h"

typedef struct updn {
    uint32_t *rank;
    uint32_t *order; /* switches by (rank, number): every up neighbour comes before */
    uint32_t *place; /* inverse of order */
    uint32_t *queue;
    uint32_t *down; /* hops to the exit switch going down only; COP_NONE = none */
    uint32_t *any; /* hops under the table rule */
} updn;

/* The switch at the other end of port p, or COP_NONE. */
static uint32_t neighbour(const cop_topo *t, uint32_t p)
{
    uint32_t to = t->port[p].to;
    return to == COP_NONE || cop_topo_is_host_port(t, to) ? COP_NONE : t->port[to].owner;
}

/* Distances from the `n` switches already in queue; all others must be COP_NONE. */
static void flood(const cop_topo *t, uint32_t *dist, uint32_t *queue, uint32_t n)
{
    for (uint32_t head = 0; head < n; head++) {
        uint32_t sw = queue[head];
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++) {
            uint32_t v = neighbour(t, p);
            if (v != COP_NONE && dist[v] == COP_NONE) {
                dist[v] = dist[sw] + 1;
                queue[n++] = v;
            }
        }
    }
}

static void rank_from(updn *u, const cop_topo *t, const bool *root)
{
    uint32_t n = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        u->rank[sw] = root[sw] ? 0 : COP_NONE;
        if (root[sw])
            u->queue[n++] = sw;
    }
    flood(t, u->rank, u->queue, n);
    /* Counting sort by rank keeps the numbers ascending inside a rank. Switches without any path to
     * a root take the last rank; no host is there. */
    uint32_t *start = u->queue;
    for (uint32_t i = 0; i < t->n_switches; i++)
        start[i] = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        if (u->rank[sw] == COP_NONE)
            u->rank[sw] = t->n_switches - 1;
        if (u->rank[sw] + 1 < t->n_switches)
            start[u->rank[sw] + 1]++;
    }
    for (uint32_t i = 1; i < t->n_switches; i++)
        start[i] += start[i - 1];
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        u->place[sw] = start[u->rank[sw]]++;
        u->order[u->place[sw]] = sw;
    }
}

/* One more than the least value[] among the neighbours above (or below) sw. */
static uint32_t nearest(const updn *u, const cop_topo *t, uint32_t sw, bool above,
                        const uint32_t *value)
{
    uint32_t best = COP_NONE;
    for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++) {
        uint32_t v = neighbour(t, p);
        if (v != COP_NONE && v != sw && (u->place[v] < u->place[sw]) == above &&
            value[v] != COP_NONE && value[v] + 1 < best)
            best = value[v] + 1;
    }
    return best;
}

static void updn_choices(void *ctx, const cop_topo *t, uint32_t exit_sw, cop_choices *out)
{
    updn *u = ctx;
    for (uint32_t i = t->n_switches; i-- > 0;) {
        uint32_t sw = u->order[i];
        u->down[sw] = sw == exit_sw ? 0 : nearest(u, t, sw, false, u->down);
    }
    for (uint32_t i = 0; i < t->n_switches; i++) {
        uint32_t sw = u->order[i];
        u->any[sw] = u->down[sw] != COP_NONE ? u->down[sw] : nearest(u, t, sw, true, u->any);
    }
    uint32_t n = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        out->first[sw] = n;
        if (u->any[sw] == COP_NONE || sw == exit_sw)
            continue;
        bool up = u->down[sw] == COP_NONE;
        const uint32_t *value = up ? u->any : u->down;
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++) {
            uint32_t v = neighbour(t, p);
            if (v != COP_NONE && v != sw && (u->place[v] < u->place[sw]) == up &&
                value[v] != COP_NONE && value[v] + 1 == u->any[sw])
                out->port[n++] = t->port[p].local;
        }
    }
    out->first[t->n_switches] = n;
}

/* The switches farthest from all hosts; false if every switch has hosts. */
static bool far_roots(updn *u, const cop_topo *t, bool *root)
{
    uint32_t n = 0, far = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        u->rank[sw] = COP_NONE;
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        uint32_t sw = cop_topo_entry_switch(t, h);
        if (u->rank[sw] == COP_NONE)
            u->queue[n++] = sw;
        u->rank[sw] = 0;
    }
    flood(t, u->rank, u->queue, n);
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        if (u->rank[sw] != COP_NONE && u->rank[sw] > far)
            far = u->rank[sw];
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        root[sw] = u->rank[sw] == far;
    return far > 0;
}

static void one_root(const cop_topo *t, int64_t wanted, bool *root)
{
    uint32_t best = 0, most = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        uint32_t cables = 0;
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
            cables += neighbour(t, p) != COP_NONE;
        if (cables > most) {
            most = cables;
            best = sw;
        }
        root[sw] = false;
    }
    root[wanted >= 0 ? (uint32_t)wanted : best] = true;
}

static int updn_fill(cop_route *r, int64_t wanted, cop_err *err)
{
    const cop_topo *t = r->topo;
    size_t n = t->n_switches, size = sizeof(uint32_t);
    updn u = {cop_alloc_array(n, size), cop_alloc_array(n, size), cop_alloc_array(n, size),
              cop_alloc_array(n, size), cop_alloc_array(n, size), cop_alloc_array(n, size)};
    bool *root = cop_alloc_array(t->n_switches, sizeof(*root));
    uint32_t sw = 0, dst = 0;
    bool good = false;
    if (wanted < 0 && far_roots(&u, t, root)) {
        rank_from(&u, t, root);
        good = cop_spread_fill(r, updn_choices, &u, &sw, &dst);
    }
    if (!good) {
        one_root(t, wanted, root);
        rank_from(&u, t, root);
        good = cop_spread_fill(r, updn_choices, &u, &sw, &dst);
    }
    uint32_t *all[] = {u.rank, u.order, u.place, u.queue, u.down, u.any};
    for (size_t i = 0; i < COP_LEN(all); i++)
        cop_free(all[i]);
    cop_free(root);
    if (good)
        return 0;
    char a[128], b[128];
    return cop_err_add(err, COP_E_INPUT,
                       "routing updn: no legal path from switch %s to host %s; choose another root",
                       cop_topo_switch_name(t, sw, a, sizeof(a)),
                       cop_topo_host_name(t, dst, b, sizeof(b)));
}

static int updn_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_updn_cfg *cfg = config;
    const cop_topo *t = r->topo;
    r->facts.single = r->facts.memoryless = true;
    if (cfg->root >= (int64_t)t->n_switches)
        return cop_err_add(err, COP_E_INPUT,
                           "routing updn: root is %" PRId64 "; the switches are 0 to %u", cfg->root,
                           t->n_switches - 1);
    for (uint32_t p = 0; p < t->n_ports; p++)
        if (t->port[p].to != t->port[p].from)
            return cop_err_add(err, COP_E_INPUT,
                               "routing updn needs links in both directions, the topology is %s; "
                               "use destination-tag or minhop",
                               t->kind ? t->kind : "one-way");
    return updn_fill(r, cfg->root, err);
}

static const cop_opt updn_opts[] = {
    {"root", COP_OPT_INT, offsetof(cop_updn_cfg, root), "-1", -1, UINT32_MAX, NULL,
     "switch that all paths may pass over; -1 = automatic, the switches farthest from hosts"},
    {0}};

const cop_route_ops cop_route_updn = {
    .name = "updn",
    .summary = "any graph: up towards the roots, then down",
    .source = "Schroeder et al., Autonet, IEEE JSAC 1991; OpenSM updn",
    .opts = updn_opts,
    .cfg_size = sizeof(cop_updn_cfg),
    .in_order = true,
    .setup = updn_setup,
    .route = cop_spread_route,
};
