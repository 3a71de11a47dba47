/* Minimal and Valiant routing on dragonflies.
 *
 * Minimal: local hop to the switch with the global link, global hop, local hop (l-g-l). Where two
 * groups have several links, the target switch's number picks one, so a flow keeps its path.
 * Valiant: at injection a random intermediate, minimal to it and minimal on from there. Option `to`: an
 * intermediate switch, or only a group (the packet turns at whichever switch it enters that group by).
 * Option `via`: in any group but those of source and destination, or in any but the source's; then one
 * packet in groups - 1 goes straight to its destination's group, and the global link between the
 * two groups carries its share. Traffic inside one group goes minimal unless `intra: valiant`. Without
 * a group to go through everything goes minimal.
 *
 * Deadlock: lanes rise along the path, so channels are used in one order:
 *   minimal            local 0, global 0, local 1                                     2 lanes
 *   Valiant to group   local 0, global 0, local 1, global 1, local 2                  3 lanes
 *   Valiant to switch  local 0, global 0, local 1, local 2, global 1, local 3         4 lanes
 * The last lane of each row is that of every local hop in the destination's group, also for packets
 * that never leave it. hop->mid keeps the intermediate, hop->state is 1 once it was passed.
 * Sources: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA
 * 2008; Valiant, "A scheme for fast parallel communication", SIAM J. Computing 1982. */
#include "route/route_cfg.h"

typedef struct gateway {
    uint32_t sw;
    uint16_t port;
} gateway;

typedef struct dragonfly {
    uint32_t p, a, groups;
    uint32_t *first; /* [from * groups + to], one more at the end: links from group to group */
    gateway *link;
    bool to_group, intra, via_destination;
} dragonfly;

enum { TO_MID, TO_DST }; /* hop->state */

static void collect_links(dragonfly *d, const cop_topo *t, cop_arena *arena)
{
    size_t pairs = (size_t)d->groups * d->groups;
    d->first = COP_NEW_ARRAY(arena, uint32_t, pairs + 2);
    uint32_t *next = d->first + 1; /* shifted by one, so that filling moves it into place */
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t p = 0; p < t->host_port0; p++) {
            if (t->port[p].to == COP_NONE || t->port[p].link_class != COP_LINK_GLOBAL)
                continue;
            uint32_t from = t->port[p].owner / d->a, to = t->port[t->port[p].to].owner / d->a;
            size_t pair = (size_t)from * d->groups + to;
            if (fill)
                d->link[next[pair]++] = (gateway){t->port[p].owner, t->port[p].local};
            else
                next[pair + 1]++;
        }
        if (fill)
            break;
        for (size_t i = 1; i <= pairs; i++)
            next[i] += next[i - 1];
        d->link = COP_NEW_ARRAY(arena, gateway, (size_t)next[pairs] + 1);
    }
}

static int dragonfly_init(cop_route *r, cop_err *err)
{
    const cop_topo *t = r->topo;
    if (t->shape.kind != COP_SHAPE_DRAGONFLY)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s needs a dragonfly, the topology is %s; leave the routing "
                           "out to get the one that fits, or use updn",
                           r->ops->name, t->kind ? t->kind : "something else");
    const cop_dragonfly_shape *s = &t->shape.u.dragonfly;
    dragonfly *d = COP_NEW_ARRAY(&r->arena, dragonfly, 1);
    d->p = s->p;
    d->a = s->a;
    d->groups = s->groups;
    r->state = d;
    collect_links(d, t, &r->arena);
    for (uint32_t g = 0; g < d->groups; g++)
        for (uint32_t to = 0; to < d->groups; to++)
            if (g != to && d->first[g * d->groups + to] == d->first[g * d->groups + to + 1])
                return cop_err_add(err, COP_E_INPUT,
                                   "routing %s: groups %u and %u have no global link; every pair "
                                   "of groups needs one",
                                   r->ops->name, g, to);
    return 0;
}

static uint16_t local_port(const dragonfly *d, uint32_t sw, uint32_t to)
{
    return (uint16_t)(d->p + to % d->a - (to > sw ? 1 : 0));
}

/* Next hop from `sw` to another group; `key` picks among parallel links. */
static cop_cand leave_group(const dragonfly *d, uint32_t sw, uint32_t group, uint32_t key,
                            uint8_t local_vl, uint8_t global_vl)
{
    size_t pair = (size_t)(sw / d->a) * d->groups + group;
    uint32_t links = d->first[pair + 1] - d->first[pair];
    const gateway *g = &d->link[d->first[pair] + (links > 1 ? key % links : 0)];
    if (g->sw == sw)
        return (cop_cand){.port = g->port, .vl = global_vl};
    return (cop_cand){.port = local_port(d, sw, g->sw), .vl = local_vl};
}

/* Towards the destination; lanes of the hops before its group are given. */
static cop_cand to_destination(const cop_route *r, const cop_hop *hop, uint8_t local_vl,
                               uint8_t global_vl)
{
    const dragonfly *d = r->state;
    uint32_t target = hop->dst / d->p;
    if (target == hop->sw)
        return (cop_cand){.port = (uint16_t)(hop->dst % d->p)};
    if (target / d->a != hop->sw / d->a)
        return leave_group(d, hop->sw, target / d->a, target, local_vl, global_vl);
    return (cop_cand){.port = local_port(d, hop->sw, target), .vl = (uint8_t)(r->vls - 1)};
}

static int minimal_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg;
    r->vls = 2;
    r->memoryless = true;
    return dragonfly_init(r, err);
}

static unsigned minimal_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                              cop_cand *cand)
{
    (void)view;
    *cand = to_destination(r, hop, 0, 0);
    return 1;
}

static int valiant_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_valiant_cfg *cfg = config;
    int rc = dragonfly_init(r, err);
    if (rc != 0)
        return rc;
    dragonfly *d = r->state;
    d->to_group = cfg->to == COP_VALIANT_GROUP;
    d->intra = cfg->intra == COP_INTRA_VALIANT;
    d->via_destination = cfg->via == COP_VIA_ANY_BUT_SOURCE;
    r->vls = d->to_group ? 3 : 4;
    return 0;
}

/* How many intermediates a packet has; 0: it goes minimal. */
static uint32_t count_mids(const dragonfly *d, uint32_t src, uint32_t dst)
{
    uint32_t from = src / d->p, to = dst / d->p;
    bool same = from / d->a == to / d->a;
    uint32_t taken = same || d->via_destination ? 1 : 2;
    if (from == to || (same && !d->intra) || d->groups <= taken)
        return 0;
    return (d->groups - taken) * (d->to_group ? 1 : d->a);
}

/* Intermediates are the groups in ascending order without that of the source, and perhaps that of the
 * destination. */
static bool valiant_mid(const cop_route *r, uint32_t src, uint32_t dst, uint32_t i, uint32_t *mid)
{
    const dragonfly *d = r->state;
    uint32_t n = count_mids(d, src, dst);
    if (n == 0) {
        *mid = COP_NONE;
        return i == 0;
    }
    if (i >= n)
        return false;
    uint32_t g1 = src / d->p / d->a, g2 = d->via_destination ? g1 : dst / d->p / d->a;
    uint32_t low = g1 < g2 ? g1 : g2, high = g1 < g2 ? g2 : g1;
    uint32_t group = d->to_group ? i : i / d->a;
    if (group >= low)
        group++;
    if (low != high && group >= high)
        group++;
    *mid = d->to_group ? group : group * d->a + i % d->a;
    return true;
}

static uint8_t valiant_inject(const cop_route *r, cop_hop *hop, const cop_route_view *view)
{
    if (view == NULL || view->rng == NULL)
        return 0;
    uint32_t n = count_mids(r->state, hop->src, hop->dst);
    hop->mid = COP_NONE;
    if (n > 0)
        valiant_mid(r, hop->src, hop->dst, cop_rng_below(view->rng, n), &hop->mid);
    return 0;
}

static unsigned valiant_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                              cop_cand *cand)
{
    (void)view;
    const dragonfly *d = r->state;
    if (hop->mid == COP_NONE) {
        *cand = to_destination(r, hop, 0, 0);
        return 1;
    }
    uint32_t here = hop->sw / d->a, group = d->to_group ? hop->mid : hop->mid / d->a;
    if (d->to_group ? here == group : hop->sw == hop->mid)
        hop->state = TO_DST;
    if (hop->state == TO_DST)
        *cand = to_destination(r, hop, d->to_group ? 1 : 2, 1);
    else if (here == group)
        *cand = (cop_cand){.port = local_port(d, hop->sw, hop->mid), .vl = 1};
    else
        *cand = leave_group(d, hop->sw, group, hop->mid, 0, 0);
    return 1;
}

static const char *const to_names[] = {"switch", "group", NULL};
static const char *const intra_names[] = {"minimal", "valiant", NULL};
static const char *const via_names[] = {"other", "any-but-source", NULL};

static const cop_opt valiant_opts[] = {
    {"to", COP_OPT_ENUM, offsetof(cop_valiant_cfg, to), "switch", 0, 0, to_names,
     "random intermediate: a switch (4 lanes) or any switch of a group (3 lanes)"},
    {"intra", COP_OPT_ENUM, offsetof(cop_valiant_cfg, intra), "minimal", 0, 0, intra_names,
     "traffic between switches of one group: minimal, or over another group"},
    {"via", COP_OPT_ENUM, offsetof(cop_valiant_cfg, via), "other", 0, 0, via_names,
     "group of the intermediate: other than those of source and destination, or any but the "
     "source's"},
    {0}};

const cop_route_ops cop_route_dragonfly_min = {
    .name = "dragonfly-min",
    .summary = "dragonfly: local, global, local hop",
    .source = "Kim et al., ISCA 2008",
    .in_order = true,
    .setup = minimal_setup,
    .route = minimal_route,
};

const cop_route_ops cop_route_dragonfly_valiant = {
    .name = "dragonfly-valiant",
    .summary = "dragonfly: minimal to a random intermediate, minimal from there",
    .source = "Valiant, SIAM J. Computing 1982; Kim et al., ISCA 2008",
    .opts = valiant_opts,
    .cfg_size = sizeof(cop_valiant_cfg),
    .in_order = false,
    .setup = valiant_setup,
    .inject = valiant_inject,
    .route = valiant_route,
    .mid = valiant_mid,
};
