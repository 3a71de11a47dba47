/* Minimal and Valiant routing on dragonflies.
 *
 * Minimal: local hop to the switch with the global link, global hop, local hop (l-g-l). Where two
 * groups have several links, switch and destination pick one (dragonfly_map.h), so a flow keeps its
 * path.
 * Valiant: at injection a random intermediate, minimal to it and minimal on from there. Option
 * `to`: an intermediate switch, or only a group (the packet turns at the switch by which it enters
 * that group). Option `via`: in any group but those of source and destination, or in any but the
 * source's; then one packet in groups - 1 goes straight to its destination's group, and the global
 * link between the two groups carries its share. Traffic inside one group goes minimal unless
 * `intra: valiant`. Without a group to visit all packets go minimal.
 *
 * Deadlock: lanes rise along the path, so channels are used in one order:
 *   minimal            local 0, global 0, local 1                                     2 lanes
 *   Valiant to group   local 0, global 0, local 1, global 1, local 2                  3 lanes
 *   Valiant to switch  local 0, global 0, local 1, local 2, global 1, local 3         4 lanes
 * The last lane of each row is that of every local hop in the destination's group, also for packets
 * that never leave it. hop->mid keeps the intermediate, hop->state is 1 once it was passed.
 * Sources: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA
 * 2008; Valiant, "A scheme for fast parallel communication", SIAM J. Computing 1982. */
#include "route/dragonfly_table.h"

typedef struct valiant {
    cop_dragonfly map;
    bool to_group, intra, via_destination;
} valiant;

enum { TO_MID, TO_DST }; /* hop->state */

typedef struct minimal {
    cop_dragonfly map;
    cop_dragonfly_ports ports;
} minimal;

static void minimal_table(const cop_route *r, uint32_t sw, cop_flow_table *t)
{
    cop_dragonfly_entries(r, &((const minimal *)r->state)->map, sw, false, t);
}

static int minimal_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg;
    minimal *m = COP_NEW_ARRAY(&r->arena, minimal, 1);
    r->facts.vls = 2;
    r->facts.control_global_vls = 1;
    r->facts.hosts_alike = true;
    r->facts.blind = COP_BLIND_ALWAYS;
    r->state = m;
    int rc = cop_dragonfly_init(&m->map, r, err);
    r->facts.memoryless = !m->map.parallel; /* or the input port counts */
    if (rc == 0)
        cop_dragonfly_compile(&m->ports, r, &m->map, false);
    return rc;
}

static unsigned minimal_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                              cop_cand *cand)
{
    (void)view;
    const minimal *m = r->state;
    *cand = cop_dragonfly_next(&m->map, &m->ports, hop, 0, 0, 1);
    return 1;
}

static int valiant_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_valiant_cfg *cfg = config;
    valiant *d = COP_NEW_ARRAY(&r->arena, valiant, 1);
    int rc = cop_dragonfly_init(&d->map, r, err);
    if (rc != 0)
        return rc;
    r->state = d;
    d->to_group = cfg->to == COP_VALIANT_GROUP;
    d->intra = cfg->intra == COP_INTRA_VALIANT;
    d->via_destination = cfg->via == COP_VIA_ANY_BUT_SOURCE;
    r->facts.vls = d->to_group ? 3 : 4;
    r->facts.hosts_alike = true;
    r->facts.blind = COP_BLIND_ALWAYS;
    r->facts.control_global_vls = 2;
    return 0;
}

/* Number of intermediates of a packet; 0: it goes minimal. */
static uint32_t count_mids(const valiant *v, uint32_t src, uint32_t dst)
{
    const cop_dragonfly *d = &v->map;
    uint32_t from = cop_dragonfly_switch_of(d, src), to = cop_dragonfly_switch_of(d, dst);
    bool same = cop_dragonfly_group(d, from) == cop_dragonfly_group(d, to);
    uint32_t taken = same || v->via_destination ? 1 : 2;
    if (from == to || (same && !v->intra) || d->groups <= taken)
        return 0;
    return (d->groups - taken) * (v->to_group ? 1 : d->a);
}

/* Intermediates are the groups in ascending order without that of the source, and perhaps that of
 * the destination. */
static bool valiant_mid(const cop_route *r, uint32_t src, uint32_t dst, uint32_t i, uint32_t *mid)
{
    const valiant *v = r->state;
    const cop_dragonfly *d = &v->map;
    uint32_t n = count_mids(v, src, dst);
    if (n == 0) {
        *mid = COP_NONE;
        return i == 0;
    }
    if (i >= n)
        return false;
    uint32_t g1 = cop_dragonfly_group_of(d, src);
    uint32_t g2 = v->via_destination ? g1 : cop_dragonfly_group_of(d, dst);
    uint32_t low = g1 < g2 ? g1 : g2, high = g1 < g2 ? g2 : g1;
    uint32_t group = v->to_group ? i : cop_divide(i, d->by_a);
    if (group >= low)
        group++;
    if (low != high && group >= high)
        group++;
    *mid = v->to_group ? group : group * d->a + cop_rest(i, d->by_a);
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
    const valiant *v = r->state;
    const cop_dragonfly *d = &v->map;
    uint8_t last = (uint8_t)(r->facts.vls - 1);
    if (hop->mid == COP_NONE) {
        *cand = cop_dragonfly_to(d, hop, 0, 0, last);
        return 1;
    }
    uint32_t here = cop_dragonfly_group(d, hop->sw);
    uint32_t group = v->to_group ? hop->mid : cop_dragonfly_group(d, hop->mid);
    if (v->to_group ? here == group : hop->sw == hop->mid)
        hop->state = TO_DST;
    if (hop->state == TO_DST)
        *cand = cop_dragonfly_to(d, hop, v->to_group ? 1 : 2, 1, last);
    else if (here == group)
        *cand = (cop_cand){.port = cop_dragonfly_local_port(d, hop->sw, hop->mid), .vl = 1};
    else
        *cand = cop_dragonfly_leave(d, hop, group, 0, 0);
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
    .table = minimal_table,
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
