/* OpenSM's fat-tree routing: on any tree, also with switches, cables or hosts missing.
 *
 * Levels   switches with hosts are leaves, level 0; the level of another switch is its distance to
 *          the nearest leaf. Cables between switches of one level are not used. At most
 *          COP_MAX_LEVELS levels above the leaves.
 * Order    leaves in the order of a breadth-first search by port numbers that starts at the leaf
 *          with the lowest GUID; the hosts of a leaf by its ports. GUIDs are compared from their
 *          last byte on, as OpenSM does where the last byte of a number comes first in memory;
 *          without GUIDs by switch number.
 * Rule     for each host in that order, beginning at its leaf:
 *          climb   give the switch's other children a path up to it (offer). Then take, of all
 *                  switches above, the one whose cables carry the fewest main paths down, the
 *                  lowest GUID of equals, and of these cables the one with the fewest, the lowest
 *                  port of equals: that is the main path. It is counted, and climbs on. Every other
 *                  switch above gets a path, too, over the least loaded cable, which is not
 *                  counted, and climbs on likewise.
 *          offer   each child that has no path yet, or a longer one, takes the cable with the
 *                  fewest paths up, and offers the path to its children. A path is counted if it
 *                  leads to a leaf.
 *          A leaf with fewer hosts than the fullest counts main paths for the missing ones, so that
 *          equal places of all leaves match.
 * Result   paths go up, then down; every entry lies on a shortest one of these. One lane, no cycle.
 *          On generated fat trees, which are complete: the table of dmodk.
 * Tables   equal to those of OpenSM 3.3.23 entry by entry where GUIDs ascend with the ports they
 *          are cabled to (16 and 36 hosts with double cables, 648 hosts, 4-ary 3-tree). With GUIDs
 *          at random the two break ties between equally loaded switches differently: OpenSM's sort
 *          also depends on earlier sorts. The balance is the same.
 * Source   Zahavi, Johnson, Kerbyson, Lang, "Optimized InfiniBand fat-tree routing for shift
 *          all-to-all communication patterns", 2009; opensm(8), engine ftree, without its lists of
 *          roots and nodes. */
#include "route/route_cfg.h"
#include "route/spread.h"
#include "route/tree_map.h"

typedef struct group { /* the cables of a switch to one other switch */
    uint64_t rank; /* of the other: its GUID, see Order */
    uint32_t other;
    uint32_t first, n; /* its ports: port[first ..] */
    uint32_t load; /* to a switch above: main paths that come down; below: paths that go up */
} group;

typedef struct ftree {
    const cop_topo *t;
    uint16_t *lft;
    uint32_t *level; /* [switch]; COP_NONE: no host can reach it */
    group *group; /* first those to switches above, then those below */
    uint32_t *above, *below; /* [switch]: its groups are above[s] .. below[s] .. above[s+1] */
    uint32_t *port; /* of groups, ascending in each */
    uint32_t *load; /* [port], as in its group */
    uint32_t *hops; /* [switch] to the destination; COP_NONE: no path yet */
    uint32_t *hosts; /* [switch] */
    uint32_t *queue; /* [switch], of a search */
    bool *seen;
    uint32_t dst;
} ftree;

static uint32_t neighbour(const cop_topo *t, uint32_t p)
{
    uint32_t to = t->port[p].to;
    return to == COP_NONE || cop_topo_is_host_port(t, to) ? COP_NONE : t->port[to].owner;
}

static uint64_t rank_of(const cop_topo *t, uint32_t sw)
{
    uint64_t guid = t->switch_guid != NULL ? t->switch_guid[sw] : 0;
    return guid != 0 ? __builtin_bswap64(guid) : sw;
}

/* Distances from the leaves; returns the largest. */
static uint32_t find_levels(ftree *x)
{
    const cop_topo *t = x->t;
    uint32_t *queue = x->queue, n = 0, highest = 0;
    for (uint32_t s = 0; s < t->n_switches; s++)
        x->level[s] = COP_NONE;
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        uint32_t s = cop_topo_entry_switch(t, h);
        if (x->hosts[s]++ == 0) {
            x->level[s] = 0;
            queue[n++] = s;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        highest = x->level[queue[i]];
        for (uint32_t p = t->sw_port0[queue[i]]; p < t->sw_port0[queue[i] + 1]; p++) {
            uint32_t v = neighbour(t, p);
            if (v == COP_NONE || x->level[v] != COP_NONE)
                continue;
            x->level[v] = highest + 1;
            queue[n++] = v;
        }
    }
    return highest;
}

/* Groups of `sw` that lead one level up or down, in the order of their first ports; returns the
 * number after the last. */
static uint32_t make_groups(ftree *x, uint32_t sw, bool up, uint32_t at, uint32_t *n_ports)
{
    const cop_topo *t = x->t;
    uint32_t first = at, end = t->sw_port0[sw + 1];
    for (uint32_t p = t->sw_port0[sw]; p < end; p++) {
        uint32_t v = neighbour(t, p), low = up ? sw : v, high = up ? v : sw, known = first;
        if (v == COP_NONE || x->level[sw] == COP_NONE || x->level[low] + 1 != x->level[high])
            continue;
        while (known < at && x->group[known].other != v)
            known++;
        if (known < at)
            continue;
        x->group[at] = (group){.rank = rank_of(t, v), .other = v, .first = *n_ports};
        for (uint32_t q = p; q < end; q++)
            if (neighbour(t, q) == v) {
                x->port[(*n_ports)++] = q;
                x->group[at].n++;
            }
        at++;
    }
    return at;
}

static void find_groups(ftree *x)
{
    uint32_t at = 0, n_ports = 0;
    for (uint32_t s = 0; s < x->t->n_switches; s++) {
        x->above[s] = at;
        x->below[s] = make_groups(x, s, true, at, &n_ports);
        at = make_groups(x, s, false, x->below[s], &n_ports);
    }
    x->above[x->t->n_switches] = at;
}

/* Least load first, equals as they are. They are nearly sorted. */
static void sort_groups(group *g, uint32_t n, bool by_rank)
{
    for (uint32_t i = 1; i < n; i++) {
        group moved = g[i];
        uint32_t k = i;
        for (; k > 0 && (g[k - 1].load > moved.load ||
                         (by_rank && g[k - 1].load == moved.load && g[k - 1].rank > moved.rank));
             k--)
            g[k] = g[k - 1];
        g[k] = moved;
    }
}

static uint32_t least_loaded(const ftree *x, const group *g)
{
    uint32_t best = x->port[g->first];
    for (uint32_t i = 1; i < g->n; i++)
        if (x->load[x->port[g->first + i]] < x->load[best])
            best = x->port[g->first + i];
    return best;
}

/* Set the path of the switch at the other end of port p to that cable, if shorter than its present
 * one. */
static bool lead(ftree *x, uint32_t p, uint32_t hops)
{
    const cop_port *other = &x->t->port[x->t->port[p].to];
    if (x->hops[other->owner] <= hops) /* COP_NONE is larger */
        return false;
    x->hops[other->owner] = hops;
    x->lft[(size_t)other->owner * x->t->n_hosts + x->dst] = other->local;
    return true;
}

/* True if it leads to a leaf. Recursion is at most as deep as the levels. */
static bool offer(ftree *x, uint32_t sw, uint32_t hops)
{
    bool useful = x->hosts[sw] > 0;
    group *g = x->group + x->below[sw], *end = x->group + x->above[sw + 1];
    sort_groups(g, (uint32_t)(end - g), false);
    for (; g < end; g++) {
        uint32_t p = least_loaded(x, g);
        if (lead(x, p, hops + 1) && offer(x, g->other, hops + 1)) {
            g->load++;
            x->load[p]++;
            useful = true;
        }
    }
    return useful;
}

static void climb(ftree *x, uint32_t sw, bool main, uint32_t hops)
{
    offer(x, sw, hops);
    group *first = x->group + x->above[sw], *end = x->group + x->below[sw];
    sort_groups(first, (uint32_t)(end - first), true);
    for (group *g = first; g < end; g++) {
        uint32_t p = least_loaded(x, g);
        bool counts = main && g == first;
        g->load += counts;
        x->load[p] += counts;
        if (lead(x, p, hops + 1))
            climb(x, g->other, counts, hops + 1);
    }
}

/* Count the main path of a missing host. */
static void count_missing(ftree *x, uint32_t leaf)
{
    group *first = x->group + x->above[leaf];
    if (x->above[leaf] == x->below[leaf])
        return;
    sort_groups(first, x->below[leaf] - x->above[leaf], true);
    first->load++;
    x->load[least_loaded(x, first)]++;
}

static void route_leaf(ftree *x, uint32_t leaf, uint32_t fullest)
{
    const cop_topo *t = x->t;
    for (uint32_t p = t->sw_port0[leaf]; p < t->sw_port0[leaf + 1]; p++) {
        uint32_t to = t->port[p].to;
        if (to == COP_NONE || !cop_topo_is_host_port(t, to))
            continue;
        for (uint32_t s = 0; s < t->n_switches; s++)
            x->hops[s] = COP_NONE;
        x->dst = to - t->host_port0;
        x->hops[leaf] = 0;
        x->lft[(size_t)leaf * t->n_hosts + x->dst] = t->port[p].local;
        climb(x, leaf, true, 0);
    }
    for (uint32_t i = x->hosts[leaf]; i < fullest; i++)
        count_missing(x, leaf);
}

static void route_all(ftree *x)
{
    const cop_topo *t = x->t;
    uint32_t *queue = x->queue, n = 0, fullest = 0, start = COP_NONE;
    for (uint32_t s = 0; s < t->n_switches; s++) {
        fullest = x->hosts[s] > fullest ? x->hosts[s] : fullest;
        x->seen[s] = false;
        if (x->hosts[s] > 0 && (start == COP_NONE || rank_of(t, s) < rank_of(t, start)))
            start = s;
    }
    x->seen[start] = true;
    queue[n++] = start;
    for (uint32_t i = 0; i < n; i++) {
        if (x->hosts[queue[i]] > 0)
            route_leaf(x, queue[i], fullest);
        for (uint32_t p = t->sw_port0[queue[i]]; p < t->sw_port0[queue[i] + 1]; p++) {
            uint32_t v = neighbour(t, p);
            if (v != COP_NONE && !x->seen[v]) {
                x->seen[v] = true;
                queue[n++] = v;
            }
        }
    }
}

static int check(const ftree *x, cop_err *err)
{
    const cop_topo *t = x->t;
    char a[128], b[128];
    for (uint32_t s = 0; s < t->n_switches; s++)
        for (uint32_t h = 0; x->hosts[s] > 0 && h < t->n_hosts; h++)
            if (x->lft[(size_t)s * t->n_hosts + h] == UINT16_MAX)
                return cop_err_add(
                    err, COP_E_INPUT,
                    "routing ftree: no way up and down again from switch %s to host %s: switches "
                    "with "
                    "hosts are leaves, and a tree has no cable between leaves; use updn",
                    cop_topo_switch_name(t, s, a, sizeof(a)),
                    cop_topo_host_name(t, h, b, sizeof(b)));
    return 0;
}

static int fill(cop_route *r, cop_err *err)
{
    const cop_topo *t = r->topo;
    size_t cells = cop_product(t->n_switches, t->n_hosts), n = t->n_switches,
           one = sizeof(uint32_t);
    r->lft = COP_NEW_ARRAY(&r->arena, uint16_t, cells);
    for (size_t i = 0; i < cells; i++)
        r->lft[i] = UINT16_MAX;
    ftree x = {.t = t,
               .lft = r->lft,
               .level = cop_alloc_array(n, one),
               .group = cop_alloc_array(t->host_port0, sizeof(group)),
               .above = cop_alloc_array(n + 1, one),
               .below = cop_alloc_array(n, one),
               .port = cop_alloc_array(t->host_port0, one),
               .load = cop_alloc_array(t->host_port0, one),
               .hops = cop_alloc_array(n, one),
               .hosts = cop_alloc_array(n, one),
               .queue = cop_alloc_array(n, one),
               .seen = cop_alloc_array(n, sizeof(bool))};
    int rc = 0;
    if (find_levels(&x) > COP_MAX_LEVELS)
        rc = cop_err_add(
            err, COP_E_INPUT,
            "routing ftree: a switch is more than %d levels above the hosts, this is no "
            "fat tree; use updn",
            COP_MAX_LEVELS);
    if (rc == 0) {
        find_groups(&x);
        route_all(&x);
        rc = check(&x, err);
    }
    void *all[] = {x.level, x.group, x.above, x.below, x.port,
                   x.load,  x.hops,  x.hosts, x.queue, x.seen};
    for (size_t i = 0; i < COP_LEN(all); i++)
        cop_free(all[i]);
    return rc;
}

static int ftree_setup(cop_route *r, const void *cfg, cop_err *err)
{
    const cop_topo *t = r->topo;
    if (t->shape.kind == COP_SHAPE_TREE)
        return cop_dmodk_setup(r, cfg, err);
    for (uint32_t p = 0; p < t->n_ports; p++)
        if (t->port[p].to != t->port[p].from)
            return cop_err_add(
                err, COP_E_INPUT,
                "routing ftree needs links in both directions, the topology is %s; use "
                "destination-tag or minhop",
                t->kind ? t->kind : "one-way");
    r->facts.single = r->facts.memoryless = true;
    return fill(r, err);
}

static unsigned ftree_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                            cop_cand *cand)
{
    return r->state != NULL ? cop_dmodk_route(r, hop, view, cand)
                            : cop_spread_route(r, hop, view, cand);
}

const cop_route_ops cop_route_ftree = {
    .name = "ftree",
    .summary =
        "any tree, also from a file: fixed paths, spread as OpenSM's engine does; generated: dmodk",
    .source = "Zahavi et al. 2009; OpenSM ftree",
    .in_order = true,
    .setup = ftree_setup,
    .route = ftree_route,
};
