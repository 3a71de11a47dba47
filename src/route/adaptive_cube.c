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
 * Escape: a packet on an escape lane may return to adaptive lanes at the next switch (`return`), or
 * stays on escape lanes to its destination (`stay`), where it is as slow as the slowest packet
 * before it.
 * Ties: if both directions round a ring are equally long the packet takes the less loaded one, by
 * option `ties` if they are equal (cube_map.c), and requests adaptive and escape lanes of that one
 * only. Offering both would not balance them: all requests of a packet are posted at once, and when
 * several outputs are idle the one with the lowest number is served first. Any decision is safe,
 * also if it differs from switch to switch: the first hop in the ring, on any lane, ends the tie,
 * and from then on the packet requests escape lanes of that direction only, in the order of their
 * positions. `ties: plus` offers both on adaptive lanes, and plus as escape.
 * Hosts: all lanes of their links may be used: a host draws one, the last switch takes the least
 * loaded.
 * Output: adaptive candidates by rising load, equal ones in random rotation, then the escape one.
 * With a view each direction offers only its least loaded lane. Packets can overtake each other.
 * Source: Duato, "A new theory of deadlock-free adaptive routing in wormhole networks", IEEE TPDS
 * 1993. */
#include "route/cube_loads.h"

typedef struct adaptive_cube {
    cop_cube_map map;
    uint32_t first_lane, end_lane; /* of the adaptive lanes */
    bool stays; /* packets stay on escape lanes */
} adaptive_cube;

static int adaptive_cube_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_adaptive_cube_cfg *cfg = config;
    adaptive_cube *c = COP_NEW_ARRAY(&r->arena, adaptive_cube, 1);
    int rc =
        cop_cube_map_init(&c->map, r->topo, (enum cop_ties)cfg->ties, &r->arena, r->ops->name, err);
    if (rc != 0)
        return rc;
    uint32_t directions = cop_cube_most_directions(&c->map);
    bool first_ties = c->map.wrap[0] && c->map.radix[0] % 2 == 0;
    uint32_t escapes = first_ties && cfg->ties != COP_TIES_PLUS ? 2 : 1;
    c->first_lane = c->map.any_wrap ? 2 : 1;
    r->facts.vls = c->first_lane + 1;
    uint32_t adaptive = r->lanes > r->facts.vls ? r->lanes - c->first_lane : 1;
    if (adaptive * directions + escapes > COP_MAX_CAND)
        adaptive = (COP_MAX_CAND - escapes) / directions;
    c->end_lane = c->first_lane + adaptive;
    rc = cop_cube_host_lanes(r, cfg->host_lanes, c->end_lane, err);
    r->facts.max_cand = adaptive * directions + escapes;
    if (r->facts.max_cand < r->facts.host_lanes)
        r->facts.max_cand = r->facts.host_lanes;
    c->stays = cfg->escape == COP_ESCAPE_STAY;
    r->facts.memoryless = !c->stays;
    r->state = c;
    return rc;
}

static cop_cand escape_candidate(const cop_cube_map *map, uint32_t dim, bool plus, uint32_t at,
                                 uint32_t to)
{
    cop_cand cand = cop_cube_ordered_hop(map, dim, plus, at, to);
    cand.escape = 1;
    return cand;
}

/* One behind the last adaptive lane that a packet may use; control packets with private lanes have
 * one. */
static uint32_t end_lane(const adaptive_cube *c, const cop_hop *hop)
{
    return hop->apart ? c->first_lane + 1 : c->end_lane;
}

static unsigned list_lanes(const adaptive_cube *c, const cop_hop *hop, uint32_t port,
                           cop_cand *cand)
{
    unsigned n = 0;
    for (uint32_t vl = c->first_lane; vl < end_lane(c, hop); vl++)
        cand[n++] = (cop_cand){.port = (uint16_t)port, .vl = (uint8_t)vl};
    return n;
}

static bool has_equal(const uint64_t *load, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (load[i] == load[k])
                return true;
    return false;
}

/* The least loaded lane of each port, by rising load; equal ones in random rotation; a number is
 * drawn only if there are equal ones. */
static unsigned sort_ports(const adaptive_cube *c, const cop_hop *hop, const cop_route_view *view,
                           const uint16_t *port, uint32_t ports, cop_cand *cand)
{
    uint64_t of[2 * COP_MAX_DIMS], load[2 * COP_MAX_DIMS];
    uint32_t lane[2 * COP_MAX_DIMS], turn = 0;
    for (uint32_t i = 0; i < ports; i++) {
        lane[i] = c->first_lane;
        of[i] = cop_cube_least_load(view, port[i], c->first_lane, end_lane(c, hop), &lane[i]);
    }
    if (view->rng != NULL && has_equal(of, ports))
        turn = cop_rng_below(view->rng, ports);
    for (uint32_t n = 0, i = turn; n < ports; n++, i = i + 1 < ports ? i + 1 : 0)
        cand[cop_cube_make_room(cand, load, n, of[i])] =
            (cop_cand){.port = port[i], .vl = (uint8_t)lane[i]};
    return ports;
}

/* Directions to offer on adaptive lanes, and on escape lanes if this dimension comes first. */
static unsigned ways_in(const adaptive_cube *c, const cop_hop *hop, uint32_t dim, uint32_t at,
                        uint32_t to, const cop_route_view *view, unsigned *escape)
{
    unsigned ways = cop_cube_directions(&c->map, dim, at, to);
    *escape = ways;
    if (ways != (COP_PLUS | COP_MINUS))
        return ways;
    if (c->map.ties == COP_TIES_PLUS) {
        *escape = COP_PLUS;
    } else if (view != NULL) {
        *escape = ways =
            cop_cube_less_loaded(&c->map, hop, dim, c->first_lane, end_lane(c, hop), view);
    }
    return ways;
}

/* Hosts take packets in on any lane: use the least loaded one. */
static unsigned leave(const cop_route *r, const cop_hop *hop, const cop_route_view *view,
                      cop_cand *cand)
{
    const adaptive_cube *c = r->state;
    uint16_t port = cop_cube_exit(&c->map, hop->dst);
    uint32_t lanes = hop->apart ? 1 : r->facts.host_lanes, n = view == NULL ? lanes : 1, vl = 0;
    if (view != NULL && lanes > 1)
        cop_cube_least_load(view, port, 0, lanes, &vl);
    for (uint32_t i = 0; i < n; i++)
        cand[i] = (cop_cand){.port = port, .vl = (uint8_t)(vl + i), .escape = 1};
    return n;
}

static bool must_stay(const adaptive_cube *c, const cop_hop *hop)
{
    return c->stays && hop->in_vl < c->first_lane && hop->in_port < 2 * c->map.dims;
}

static unsigned adaptive_cube_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                    cop_cand *cand)
{
    const adaptive_cube *c = r->state;
    const cop_cube_map *map = &c->map;
    const uint16_t *at = cop_cube_at(map, hop->sw);
    const uint16_t *to = cop_cube_at(map, hop->dst / map->hosts_per_switch);
    uint32_t first = cop_cube_first(map, at, to);
    if (first == map->dims)
        return leave(r, hop, view, cand);
    uint16_t port[2 * COP_MAX_DIMS];
    uint32_t ports = 0;
    unsigned escape = 0, unused;
    for (uint32_t dim = first; dim < map->dims; dim++) {
        unsigned ways =
            ways_in(c, hop, dim, at[dim], to[dim], view, dim == first ? &escape : &unused);
        ports = cop_cube_add_ports(ways, dim, port, ports);
    }
    unsigned n = 0;
    if (must_stay(c, hop))
        ports = 0;
    if (view == NULL) {
        for (uint32_t i = 0; i < ports; i++)
            n += list_lanes(c, hop, port[i], cand + n);
    } else {
        n = sort_ports(c, hop, view, port, ports, cand);
    }
    if (escape & COP_PLUS)
        cand[n++] = escape_candidate(map, first, true, at[first], to[first]);
    if (escape & COP_MINUS)
        cand[n++] = escape_candidate(map, first, false, at[first], to[first]);
    return n;
}

static cop_cand adaptive_cube_guess(const cop_route *r, const cop_hop *hop)
{
    const adaptive_cube *c = r->state;
    return cop_cube_guess(&c->map, hop, (uint8_t)c->first_lane);
}

static const char *const escape_names[] = {"return", "stay", NULL};
static const cop_opt adaptive_cube_opts[] = {
    {"ties", COP_OPT_ENUM, offsetof(cop_adaptive_cube_cfg, ties), "split", 0, 0, cop_tie_names,
     "way round a ring when both are equally long and loaded: half of the flows each way, or drawn "
     "for each packet; plus: on adaptive lanes whichever is free first, on escape lanes plus"},
    {"escape", COP_OPT_ENUM, offsetof(cop_adaptive_cube_cfg, escape), "return", 0, 0, escape_names,
     "a packet on an escape lane returns to adaptive lanes when it can, or stays on escape lanes "
     "to its "
     "destination"},
    {"host_lanes", COP_OPT_INT, offsetof(cop_adaptive_cube_cfg, host_lanes), "all", 1, COP_MAX_VL,
     cop_cube_all, COP_CUBE_HOST_LANES},
    {0}};

const cop_route_ops cop_route_adaptive_cube = {
    .name = "adaptive-cube",
    .summary = "torus, mesh, hypercube: any minimal direction, dimension order as escape",
    .source = "Duato, IEEE TPDS 1993",
    .opts = adaptive_cube_opts,
    .cfg_size = sizeof(cop_adaptive_cube_cfg),
    .in_order = false,
    .setup = adaptive_cube_setup,
    .inject = cop_cube_inject,
    .route = adaptive_cube_route,
    .guess = adaptive_cube_guess,
};
