/* Dimension-order routing on tori, meshes and hypercubes.
 *
 * A packet corrects dimension 0 first, then 1, and so on, in the shorter direction; option `ties`
 * says which one when both are equal (cube_map.c). Always minimal; one path per pair, but with
 * `ties: random` packets of a flow go either way and can overtake each other.
 * Deadlock: dimensions are entered in order, so only the ring of one torus dimension could close a
 * cycle. Each ring has a dateline at its wrap link, and the lanes are two classes. A packet whose
 * way in the ring crosses the wrap link takes a lower lane up to and including that link, an upper
 * one from there on. One that does not cross it takes a lane of either class and keeps it. With the
 * channels of a direction in this order: lower lanes by position from the dateline on, then upper
 * lanes likewise, every hop leads to a later one, so there is no cycle. Meshes have one class, of
 * all lanes.
 * Lanes: of `lanes` (0: all of the network), at least two where a dimension wraps, the first half,
 * rounded up, are lower ones: with uniform traffic in rings of 8 packets spend 15 of 64 hops before
 * the dateline, 7 behind it, and 42 in rings where they do not cross it. Which lane of those
 * allowed is a hash of the destination and the switch where the packet enters the ring, or where it
 * arrives over the wrap link; in a mesh, of the first switch. So flows spread evenly, a flow keeps
 * its lanes, and flows that enter a ring together on their way to one host share a lane. The lane
 * follows from the position and input of a packet; no state is kept in the packet.
 * `choice: free` takes the first free lane of the class instead, hop by hop; packets of a flow can
 * overtake each other. `crossing: keep`: packets that cross the dateline keep to the lower lanes
 * all the way round, the others to the upper ones (as in BookSim). No packet goes further than half
 * round, so one channel of each ring is never used by lower lanes, and none of them closes a
 * cycle.
 * Option `datelines: no` makes one class of all lanes: tori then have cyclic dependencies, on
 * purpose.
 * Source: Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection
 * networks", IEEE Trans. Computers 1987. */
#include "route/cube_map.h"
#include "route/route_cfg.h"

typedef struct dor {
    cop_cube_map map;
    uint32_t lanes, lower; /* lanes in use; of these, those before the dateline */
    bool free, keep; /* options choice and crossing */
} dor;

typedef struct lane_range {
    uint32_t first, end;
} lane_range;

static int dor_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_dor_cfg *cfg = config;
    dor *d = COP_NEW_ARRAY(&r->arena, dor, 1);
    int rc =
        cop_cube_map_init(&d->map, r->topo, (enum cop_ties)cfg->ties, &r->arena, r->ops->name, err);
    if (rc != 0)
        return rc;
    bool classes = d->map.any_wrap && cfg->datelines;
    if (classes && cfg->lanes == 1)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: rings with datelines need two lanes, option lanes says 1; "
                           "set it to all or at least 2",
                           r->ops->name);
    r->facts.vls = cfg->lanes > 0 ? (uint32_t)cfg->lanes : classes ? 2 : 1;
    r->facts.control_vls = classes ? 2 : 1;
    d->lanes = cfg->lanes > 0 || r->lanes < r->facts.vls ? r->facts.vls : r->lanes;
    d->free = cfg->choice == COP_LANE_FREE && d->lanes > 1;
    d->keep = cfg->crossing == COP_CROSSING_KEEPS;
    if (d->keep && !classes)
        return cop_err_add(
            err, COP_E_INPUT,
            "routing %s: option crossing says keep, and no ring has a dateline here; "
            "leave it out",
            r->ops->name);
    d->lower = !classes ? d->lanes : d->keep ? d->lanes / 2 : (d->lanes + 1) / 2;
    r->state = d;
    bool chance = d->map.any_tie && cfg->ties == COP_TIES_RANDOM;
    r->facts.max_cand = (chance ? 2 : 1) * (d->free ? d->lanes : 1);
    r->facts.blind = COP_BLIND_ALWAYS;
    r->facts.in_order = !chance && !d->free;
    r->facts.acyclic = cfg->datelines || !d->map.any_wrap;
    r->facts.single = r->facts.memoryless = !classes && !chance && !d->free;
    r->facts.spread = r->facts.single ? d->lanes : 0;
    return 0;
}

/* One of n lanes, for packets to `dst` that are at switch `sw`. */
static uint8_t spread(uint32_t sw, uint32_t dst, uint32_t n)
{
    return n == 1 ? 0 : (uint8_t)((cop_cube_mix(sw, dst) >> 32) * n >> 32);
}

static uint8_t dor_inject(const cop_route *r, cop_hop *hop, const cop_route_view *view)
{
    (void)view;
    const dor *d = r->state;
    return spread(hop->src / d->map.hosts_per_switch, hop->dst, d->lanes);
}

/* Lanes of the next hop in a ring with a dateline. A packet that travels plus comes in by the minus
 * port; it has just crossed the wrap link if it now is at coordinate 0. Private lanes are one of
 * each class. */
static inline lane_range ring_lanes(const dor *d, const cop_hop *hop, uint32_t dim, bool plus,
                                    uint32_t at, uint32_t to)
{
    uint32_t lanes = hop->apart ? 2 : d->lanes, lower = hop->apart ? 1 : d->lower;
    const lane_range below = {0, lower}, above = {lower, lanes};
    if (hop->in_port != 2 * dim + (plus ? 1 : 0)) /* it enters the ring */
        return cop_cube_crosses(plus, at, to) ? below : d->keep ? above : (lane_range){0, lanes};
    if (!d->keep && (plus ? at == 0 : at == d->map.radix[dim] - 1))
        return above;
    if (COP_LIKELY(!d->free || hop->apart))
        return (lane_range){hop->in_vl, hop->in_vl + 1u};
    return hop->in_vl < lower ? below : above;
}

/* Append the candidates with the other lanes of a range behind that with number `one`. */
static __attribute__((noinline)) unsigned put_others(cop_cand *cand, uint32_t one, lane_range r)
{
    uint32_t n = r.end - r.first;
    for (uint32_t i = 1; i < n; i++)
        cand[i] = (cop_cand){.port = cand->port, .vl = (uint8_t)(r.first + (one + i) % n)};
    return n;
}

/* The lanes of a range that the packet may take by `port`: one, or with `choice: free` all of them,
 * beginning with that one. */
static inline unsigned put_lanes(const dor *d, const cop_hop *hop, uint16_t port, lane_range r,
                                 cop_cand *cand)
{
    uint32_t n = r.end - r.first, one = spread(hop->sw, hop->dst, n);
    *cand = (cop_cand){.port = port, .vl = (uint8_t)(r.first + one)};
    return COP_LIKELY(!d->free || hop->apart) ? 1 : put_others(cand, one, r);
}

static inline unsigned step(const dor *d, const cop_hop *hop, lane_range any, uint32_t dim,
                            bool plus, uint32_t at, uint32_t to, cop_cand *cand)
{
    if (d->lower < d->lanes && d->map.wrap[dim])
        any = ring_lanes(d, hop, dim, plus, at, to);
    return put_lanes(d, hop, (uint16_t)(2 * dim + (plus ? 0 : 1)), any, cand);
}

static unsigned dor_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand)
{
    const dor *d = r->state;
    const cop_cube_map *map = &d->map;
    const uint16_t *at = cop_cube_at(map, hop->sw);
    const uint16_t *to = cop_cube_at(map, hop->dst / map->hosts_per_switch);
    uint32_t dim = cop_cube_first(map, at, to);
    uint32_t lane = r->facts.single ? 0 : hop->in_vl; /* where no class is asked for: as it came */
    lane_range any = {lane, lane + 1};
    if (d->free && !hop->apart)
        any = (lane_range){0, d->lanes};
    if (dim == map->dims)
        return put_lanes(d, hop, cop_cube_exit(map, hop->dst), any, cand);
    unsigned ways = cop_cube_direction(map, dim, hop->sw, at[dim], to[dim], hop->dst,
                                       view != NULL ? view->rng : NULL);
    unsigned n = 0;
    if (ways & COP_PLUS)
        n += step(d, hop, any, dim, true, at[dim], to[dim], cand + n);
    if (ways & COP_MINUS)
        n += step(d, hop, any, dim, false, at[dim], to[dim], cand + n);
    return n;
}

static const char *const choice_names[] = {"flow", "free", NULL};
static const char *const crossing_names[] = {"change", "keep", NULL};

static const cop_opt dor_opts[] = {
    {"datelines", COP_OPT_BOOL, offsetof(cop_dor_cfg, datelines), "yes", 0, 0, NULL,
     "two classes of lanes per torus dimension against deadlock; no = one class, can deadlock"},
    {"lanes", COP_OPT_INT, offsetof(cop_dor_cfg, lanes), "all", 1, COP_MAX_VL, cop_cube_all,
     "lanes over which flows are spread, from lane 0 on"},
    {"ties", COP_OPT_ENUM, offsetof(cop_dor_cfg, ties), "split", 0, 0, cop_tie_names,
     "way round a ring when both are equally long: half of the flows each way, drawn for each "
     "packet (flows do not stay in order), or always plus"},
    {"choice", COP_OPT_ENUM, offsetof(cop_dor_cfg, choice), "flow", 0, 0, choice_names,
     "of the lanes that are allowed: one for each flow, or whichever is free first (flows do not "
     "stay in order)"},
    {"crossing", COP_OPT_ENUM, offsetof(cop_dor_cfg, crossing), "change", 0, 0, crossing_names,
     "packets that cross a dateline: change from lower to upper lanes there, and others take "
     "either; or keep to lower lanes, and others to upper ones"},
    {0}};

const cop_route_ops cop_route_dor = {
    .name = "dor",
    .summary = "torus, mesh, hypercube: dimension order, datelines on rings",
    .source = "Dally and Seitz, IEEE Trans. Computers 1987",
    .opts = dor_opts,
    .cfg_size = sizeof(cop_dor_cfg),
    .in_order = true,
    .setup = dor_setup,
    .inject = dor_inject,
    .route = dor_route,
};
