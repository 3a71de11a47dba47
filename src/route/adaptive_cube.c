/* Minimal adaptive routing on tori, meshes and hypercubes with an escape network (Duato).
 *
 * A packet may take any adaptive lane of any minimal direction, or the escape lane of the
 * dimension-order path. Escape lanes: 0 and 1 if some dimension wraps, else 0; all others are
 * adaptive. Needs one adaptive lane at least and uses all lanes of the network, as far as
 * COP_MAX_CAND candidates reach.
 * A packet can enter the escape network at any switch, so the escape lane follows from the position
 * alone: in a ring, lane 0 while the remaining path still crosses the wrap link, lane 1 afterwards.
 * The escape channels, with the dependencies that run through adaptive hops in between, then have
 * no cycle (deadlock.c proves it for each network).
 * Output: adaptive candidates by rising load, equal ones in random rotation, then the escape one.
 * With a view each direction offers only its least loaded lane. Packets can overtake each other.
 * Source: Duato, "A new theory of deadlock-free adaptive routing in wormhole networks", IEEE TPDS
 * 1993. */
#include "route/cube_map.h"
#include "route/route_cfg.h"

typedef struct adaptive_cube {
    cop_cube_map map;
    uint32_t first_lane, end_lane; /* of the adaptive lanes */
} adaptive_cube;

static int adaptive_cube_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg;
    adaptive_cube *c = COP_NEW_ARRAY(&r->arena, adaptive_cube, 1);
    int rc = cop_cube_map_init(&c->map, r->topo, &r->arena, r->ops->name, err);
    if (rc != 0)
        return rc;
    uint32_t directions = 0;
    for (uint32_t i = 0; i < c->map.dims; i++)
        directions += c->map.wrap[i] && c->map.radix[i] % 2 == 0 ? 2 : 1;
    c->first_lane = c->map.any_wrap ? 2 : 1;
    r->vls = c->first_lane + 1;
    uint32_t adaptive = r->lanes > r->vls ? r->lanes - c->first_lane : 1;
    if (adaptive * directions + 1 > COP_MAX_CAND)
        adaptive = (COP_MAX_CAND - 1) / directions;
    c->end_lane = c->first_lane + adaptive;
    r->max_cand = adaptive * directions + 1;
    r->memoryless = true;
    r->state = c;
    return 0;
}

static cop_cand escape_candidate(const cop_cube_map *map, const uint16_t *at, const uint16_t *to,
                                 uint32_t dim)
{
    bool plus = (cop_cube_directions(map, dim, at[dim], to[dim]) & 1) != 0;
    bool crosses = plus ? to[dim] < at[dim] : to[dim] > at[dim];
    return (cop_cand){.port = (uint16_t)(2 * dim + (plus ? 0 : 1)),
                      .vl = map->wrap[dim] && !crosses ? 1 : 0,
                      .escape = 1};
}

static unsigned list_lanes(const adaptive_cube *c, uint32_t port, cop_cand *cand)
{
    unsigned n = 0;
    for (uint32_t vl = c->first_lane; vl < c->end_lane; vl++)
        cand[n++] = (cop_cand){.port = (uint16_t)port, .vl = (uint8_t)vl};
    return n;
}

/* Put the least loaded lane of `port` into cand[0..n), which is sorted by load. */
static void insert_port(const adaptive_cube *c, uint32_t sw, uint32_t port,
                        const cop_route_view *view, cop_cand *cand, uint64_t *load, unsigned n)
{
    uint64_t least = UINT64_MAX;
    uint32_t lane = c->first_lane;
    for (uint32_t vl = c->first_lane; vl < c->end_lane; vl++) {
        uint64_t here = view->load(view->ctx, sw, port, vl);
        if (here < least) {
            least = here;
            lane = vl;
        }
    }
    unsigned i = n;
    for (; i > 0 && load[i - 1] > least; i--) {
        cand[i] = cand[i - 1];
        load[i] = load[i - 1];
    }
    cand[i] = (cop_cand){.port = (uint16_t)port, .vl = (uint8_t)lane};
    load[i] = least;
}

static unsigned adaptive_cube_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                    cop_cand *cand)
{
    const adaptive_cube *c = r->state;
    const cop_cube_map *map = &c->map;
    const uint16_t *at = cop_cube_at(map, hop->sw);
    const uint16_t *to = cop_cube_at(map, hop->dst / map->hosts_per_switch);
    uint32_t first = cop_cube_first(map, at, to);
    if (first == map->dims) {
        cand[0] = (cop_cand){.port = cop_cube_exit(map, hop->dst), .escape = 1};
        return 1;
    }
    uint16_t port[2 * COP_MAX_DIMS];
    uint32_t ports = 0;
    for (uint32_t dim = first; dim < map->dims; dim++) {
        unsigned ways = cop_cube_directions(map, dim, at[dim], to[dim]);
        if (ways & 1)
            port[ports++] = (uint16_t)(2 * dim);
        if (ways & 2)
            port[ports++] = (uint16_t)(2 * dim + 1);
    }
    unsigned n = 0;
    if (view == NULL) {
        for (uint32_t i = 0; i < ports; i++)
            n += list_lanes(c, port[i], cand + n);
    } else {
        uint64_t load[2 * COP_MAX_DIMS];
        uint32_t turn = ports > 1 && view->rng != NULL ? cop_rng_below(view->rng, ports) : 0;
        for (; n < ports; n++)
            insert_port(c, hop->sw, port[(n + turn) % ports], view, cand, load, n);
    }
    cand[n++] = escape_candidate(map, at, to, first);
    return n;
}

const cop_route_ops cop_route_adaptive_cube = {
    .name = "adaptive-cube",
    .summary = "torus, mesh, hypercube: any minimal direction, dimension order as escape",
    .source = "Duato, IEEE TPDS 1993",
    .in_order = false,
    .setup = adaptive_cube_setup,
    .route = adaptive_cube_route,
};
