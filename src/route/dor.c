/* Dimension-order routing on tori, meshes and hypercubes.
 *
 * A packet corrects dimension 0 first, then 1, and so on, in the shorter direction; option `ties` says
 * which one when both are equal (cube_map.c). Always minimal; one path per pair, but with `ties: random`
 * packets of a flow go either way and can overtake each other.
 * Deadlock: dimensions are entered in order, so only the ring of one torus dimension could close a
 * cycle. Each ring has a dateline at its wrap link: packets enter a dimension on lane 0 and move to
 * lane 1 with the hop after the wrap link. Since no minimal path crosses the wrap link twice, the
 * channels of a direction are used in an order without cycle. Meshes need one lane.
 * The lane follows from the port and lane a packet came by; nothing is kept in the packet.
 * Option `datelines: no` uses one lane everywhere: tori then have cyclic dependencies, on purpose.
 * Lanes beyond those needed stay unused.
 * Source: Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection
 * networks", IEEE Trans. Computers 1987. */
#include "route/cube_map.h"
#include "route/route_cfg.h"

static int dor_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_dor_cfg *cfg = config;
    cop_cube_map *map = COP_NEW_ARRAY(&r->arena, cop_cube_map, 1);
    int rc =
        cop_cube_map_init(map, r->topo, (enum cop_ties)cfg->ties, &r->arena, r->ops->name, err);
    if (rc != 0)
        return rc;
    r->state = map;
    r->vls = map->any_wrap && cfg->datelines ? 2 : 1;
    bool chance = map->any_tie && cfg->ties == COP_TIES_RANDOM;
    r->max_cand = chance ? 2 : 1;
    r->in_order = !chance;
    r->single = r->memoryless = r->vls == 1 && !chance;
    return 0;
}

/* Lane of the next hop through `port` of a ring in dimension `dim`. A packet that travels plus
 * comes in by the minus port; it has just crossed the wrap link if it now is at coordinate 0. */
static uint8_t dateline_lane(const cop_cube_map *map, const cop_hop *hop, uint32_t dim, bool plus,
                             uint32_t at)
{
    if (hop->in_port != 2 * dim + (plus ? 1 : 0))
        return 0;
    bool crossed = plus ? at == 0 : at == map->radix[dim] - 1;
    return crossed ? 1 : hop->in_vl;
}

static cop_cand step(const cop_route *r, const cop_hop *hop, uint32_t dim, bool plus, uint32_t at)
{
    const cop_cube_map *map = r->state;
    cop_cand cand = {.port = (uint16_t)(2 * dim + (plus ? 0 : 1))};
    if (r->vls > 1 && map->wrap[dim])
        cand.vl = dateline_lane(map, hop, dim, plus, at);
    return cand;
}

static unsigned dor_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand)
{
    const cop_cube_map *map = r->state;
    const uint16_t *at = cop_cube_at(map, hop->sw);
    const uint16_t *to = cop_cube_at(map, hop->dst / map->hosts_per_switch);
    uint32_t dim = cop_cube_first(map, at, to);
    if (dim == map->dims) {
        *cand = (cop_cand){.port = cop_cube_exit(map, hop->dst)};
        return 1;
    }
    unsigned ways = cop_cube_direction(map, dim, hop->sw, at[dim], to[dim], hop->dst,
                                       view != NULL ? view->rng : NULL);
    unsigned n = 0;
    if (ways & COP_PLUS)
        cand[n++] = step(r, hop, dim, true, at[dim]);
    if (ways & COP_MINUS)
        cand[n++] = step(r, hop, dim, false, at[dim]);
    return n;
}

static const cop_opt dor_opts[] = {
    {"datelines", COP_OPT_BOOL, offsetof(cop_dor_cfg, datelines), "yes", 0, 0, NULL,
     "two lanes per torus dimension against deadlock; no = one lane, can deadlock"},
    {"ties", COP_OPT_ENUM, offsetof(cop_dor_cfg, ties), "split", 0, 0, cop_tie_names,
     "way round a ring when both are equally long: half of the flows each way, drawn for each "
     "packet (flows do not stay in order), or always plus"},
    {0}};

const cop_route_ops cop_route_dor = {
    .name = "dor",
    .summary = "torus, mesh, hypercube: dimension order, datelines on rings",
    .source = "Dally and Seitz, IEEE Trans. Computers 1987",
    .opts = dor_opts,
    .cfg_size = sizeof(cop_dor_cfg),
    .in_order = true,
    .setup = dor_setup,
    .route = dor_route,
};
