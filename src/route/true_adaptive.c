/* True fully adaptive routing on tori, meshes and hypercubes: every lane of every minimal
 * direction, no escape lane. Its channel dependencies have cycles; deadlocks are not avoided but
 * detected and resolved.
 *
 * Candidates: all lanes of all minimal directions, least loaded first, equal ones in random
 * rotation: of the directions, and of the lanes of each, by parts of one number that is drawn. At a
 * tie (both directions round a ring are equally long) the less loaded direction, by option `ties`
 * if they are equal, for the reason that adaptive_cube.c gives.
 * Hosts: a host draws a lane of its link, and the last switch offers all of them.
 * Recovery: a head that has requested its outputs for `timeout` without a grant is taken for
 * deadlocked. Its packet is absorbed by the host of the switch where it waits and sent again from
 * there, before new packets (net/routing/recover.c). Packets in the buffer behind their source
 * host's link block no other and stay.
 * Control: packets with private lanes (nic.control_vl) go in dimension order on two of them, where
 * rings have datelines: notifications of congestion must not be part of a deadlock, and are never
 * absorbed.
 * Lanes: any number works. With one, rings deadlock as soon as they are loaded, and the throughput
 * is that of recovery; the default is three (measured in docs/MODEL.md).
 * Source: Martinez, Lopez, Duato and Pinkston, "Software-based deadlock recovery technique for true
 * fully adaptive routing in wormhole networks", ICPP 1997: absorb at the current node, inject
 * again. Their detection uses the activity of channels, too; the plain time-out here is that of
 * Disha (Anjan and Pinkston, ISCA 1995). Ours: the default of the time-out, and that absorbing
 * takes no processor time. */
#include "route/cube_loads.h"

#define LANES_OF_AUTO 3

typedef struct true_adaptive {
    cop_cube_map map;
    uint32_t lanes; /* that packets use */
} true_adaptive;

static int true_adaptive_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_true_adaptive_cfg *cfg = config;
    true_adaptive *c = COP_NEW_ARRAY(&r->arena, true_adaptive, 1);
    int rc =
        cop_cube_map_init(&c->map, r->topo, (enum cop_ties)cfg->ties, &r->arena, r->ops->name, err);
    if (rc != 0)
        return rc;
    uint32_t directions = cop_cube_most_directions(&c->map);
    r->facts.auto_lanes = LANES_OF_AUTO;
    c->lanes = r->lanes > 0 ? r->lanes : LANES_OF_AUTO;
    if (c->lanes * directions > COP_MAX_CAND)
        c->lanes = COP_MAX_CAND / directions;
    r->facts.max_cand = c->lanes * directions > 1 ? c->lanes * directions : 2;
    r->facts.control_vls = c->map.any_wrap ? 2 : 1;
    r->facts.memoryless = true;
    r->facts.patience_ps = cfg->timeout_ps;
    r->state = c;
    return cop_cube_host_lanes(r, cfg->host_lanes, c->lanes, err);
}

/* A candidate during sorting: its load, then its turn among equal ones, which is its place in the
 * list. */
#define TURN_BITS 8
_Static_assert(COP_MAX_CAND <= 1 << TURN_BITS, "a turn has its bits");

/* Lanes of `port`, from lane `turn` on, behind list[0..n), and into key[0..n), which rises; returns
 * how many there are then. */
static unsigned insert_lanes(uint32_t port, uint32_t lanes, uint32_t turn,
                             const cop_route_view *view, cop_cand *list, uint64_t *key, unsigned n)
{
    uint64_t load[COP_MAX_VL];
    cop_cube_lane_loads(view, port, 0, lanes, load);
    for (uint32_t k = 0, vl = turn; k < lanes; k++, n++, vl = vl + 1 < lanes ? vl + 1 : 0) {
        uint64_t own = load[vl] << TURN_BITS | n;
        unsigned i = n;
        for (; i > 0 && key[i - 1] > own; i--)
            key[i] = key[i - 1];
        key[i] = own;
        list[n] = (cop_cand){.port = (uint16_t)port, .vl = (uint8_t)vl};
    }
    return n;
}

/* All lanes of all ports by rising load; equal ones in random rotation. One number is drawn for all
 * of it. */
static unsigned sort_lanes(const uint16_t *port, uint32_t ports, uint32_t lanes,
                           const cop_route_view *view, cop_cand *cand)
{
    cop_cand list[COP_MAX_CAND];
    uint64_t key[COP_MAX_CAND];
    uint64_t drawn = view->rng && ports * lanes > 1 ? cop_rng_u64(view->rng) : 0;
    uint32_t at = cop_rng_part(&drawn, ports);
    unsigned n = 0;
    for (uint32_t i = 0; i < ports; i++, at = at + 1 < ports ? at + 1 : 0)
        n = insert_lanes(port[at], lanes, cop_rng_part(&drawn, lanes), view, list, key, n);
    for (unsigned i = 0; i < n; i++)
        cand[i] = list[key[i] & ((1u << TURN_BITS) - 1)];
    return n;
}

static unsigned list_lanes(const uint16_t *port, uint32_t ports, uint32_t lanes, cop_cand *cand)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < ports; i++)
        for (uint32_t vl = 0; vl < lanes; vl++)
            cand[n++] = (cop_cand){.port = port[i], .vl = (uint8_t)vl};
    return n;
}

/* The hop of a packet with private lanes, which is not at its destination yet. */
static unsigned ordered_hop(const cop_cube_map *map, const cop_hop *hop, uint32_t dim, uint32_t at,
                            uint32_t to, const cop_route_view *view, cop_cand *cand)
{
    unsigned ways =
        cop_cube_direction(map, dim, hop->sw, at, to, hop->dst, view != NULL ? view->rng : NULL);
    unsigned n = 0;
    if (ways & COP_PLUS)
        cand[n++] = cop_cube_ordered_hop(map, dim, true, at, to);
    if (ways & COP_MINUS)
        cand[n++] = cop_cube_ordered_hop(map, dim, false, at, to);
    return n;
}

static unsigned true_adaptive_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                    cop_cand *cand)
{
    const true_adaptive *c = r->state;
    const cop_cube_map *map = &c->map;
    const uint16_t *at = cop_cube_at(map, hop->sw);
    const uint16_t *to = cop_cube_at(map, hop->dst / map->hosts_per_switch);
    uint32_t first = cop_cube_first(map, at, to), lanes = c->lanes;
    if (COP_UNLIKELY(hop->apart) && first < map->dims)
        return ordered_hop(map, hop, first, at[first], to[first], view, cand);
    uint16_t port[2 * COP_MAX_DIMS];
    uint32_t ports = 0;
    if (first == map->dims) {
        port[ports++] = cop_cube_exit(map, hop->dst);
        lanes = hop->apart ? 1 : r->facts.host_lanes;
    }
    unsigned of[COP_MAX_DIMS];
    for (uint32_t dim = first; dim < map->dims; dim++) {
        of[dim] = cop_cube_directions(map, dim, at[dim], to[dim]);
        if (view != NULL && of[dim] != 0)
            cop_route_soon(view, 2 * dim + (of[dim] & COP_PLUS ? 0 : 1));
    }
    for (uint32_t dim = first; dim < map->dims; dim++) {
        unsigned ways = of[dim];
        if (ways == (COP_PLUS | COP_MINUS) && view != NULL)
            ways = cop_cube_less_loaded(map, hop, dim, 0, lanes, view);
        ports = cop_cube_add_ports(ways, dim, port, ports);
    }
    if (view == NULL)
        return list_lanes(port, ports, lanes, cand);
    return sort_lanes(port, ports, lanes, view, cand);
}

static cop_cand true_adaptive_guess(const cop_route *r, const cop_hop *hop)
{
    const true_adaptive *c = r->state;
    return cop_cube_guess(&c->map, hop, 0);
}

static const cop_opt true_adaptive_opts[] = {
    {"ties", COP_OPT_ENUM, offsetof(cop_true_adaptive_cfg, ties), "split", 0, 0, cop_tie_names,
     "way round a ring when both are equally long and loaded: half of the flows each way, drawn "
     "for "
     "each packet, or plus"},
    {"timeout", COP_OPT_TIME, offsetof(cop_true_adaptive_cfg, timeout_ps), "1 us", 1000, 1e12, NULL,
     "a head that has waited so long for its outputs is taken for deadlocked: the host of this "
     "switch absorbs its packet and sends it again"},
    {"host_lanes", COP_OPT_INT, offsetof(cop_true_adaptive_cfg, host_lanes), "all", 1, COP_MAX_VL,
     cop_cube_all, COP_CUBE_HOST_LANES},
    {0}};

const cop_route_ops cop_route_true_adaptive = {
    .name = "true-adaptive",
    .summary = "torus, mesh, hypercube: any lane of any minimal direction; deadlocks are resolved",
    .source = "Martinez, Lopez, Duato, Pinkston, ICPP 1997",
    .opts = true_adaptive_opts,
    .in_cycles = true,
    .cfg_size = sizeof(cop_true_adaptive_cfg),
    .in_order = false,
    .setup = true_adaptive_setup,
    .inject = cop_cube_inject,
    .route = true_adaptive_route,
    .guess = true_adaptive_guess,
};
