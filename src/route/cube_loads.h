/* Directions and loads on a torus, mesh or hypercube, for the adaptive routings of cubes. A
 * direction is a local port: 2 * dimension, or that + 1 for minus. Lanes [first, end) are those
 * that the packet may use freely. */
#ifndef COP_ROUTE_CUBE_LOADS_H
#define COP_ROUTE_CUBE_LOADS_H

#include "route/cube_map.h"
#include "route/route_cfg.h"

/* Most directions that are minimal at one switch: two in a dimension that has ties. */
static inline uint32_t cop_cube_most_directions(const cop_cube_map *map)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < map->dims; i++)
        n += map->wrap[i] && map->radix[i] % 2 == 0 ? 2 : 1;
    return n;
}

/* Loads of lanes [first, first + n) of `port`. */
static inline void cop_cube_lane_loads(const cop_route_view *view, uint32_t port, uint32_t first,
                                       uint32_t n, uint64_t *load)
{
    if (COP_LIKELY(view->can != NULL && view->can->loads != NULL)) {
        view->can->loads(view->ctx, port, first, n, load);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        load[i] = view->load(view->ctx, port, first + i);
}

/* Bytes on the least loaded lane of `port`, which is the first of equal ones. */
static inline uint64_t cop_cube_least_load(const cop_route_view *view, uint32_t port,
                                           uint32_t first, uint32_t end, uint32_t *lane)
{
    uint64_t least = UINT64_MAX, load[COP_MAX_VL];
    cop_cube_lane_loads(view, port, first, end - first, load);
    for (uint32_t vl = first; vl < end; vl++) {
        if (load[vl - first] < least) {
            least = load[vl - first];
            *lane = vl;
        }
    }
    return least;
}

/* A tie in dimension `dim`: the less loaded direction; by option `ties` if they are equal. */
static inline unsigned cop_cube_less_loaded(const cop_cube_map *map, const cop_hop *hop,
                                            uint32_t dim, uint32_t first, uint32_t end,
                                            const cop_route_view *view)
{
    uint32_t unused;
    uint64_t plus = cop_cube_least_load(view, 2 * dim, first, end, &unused);
    uint64_t minus = cop_cube_least_load(view, 2 * dim + 1, first, end, &unused);
    return plus < minus   ? COP_PLUS
           : minus < plus ? COP_MINUS
                          : cop_cube_break_tie(map, dim, hop->sw, hop->dst, view->rng);
}

/* Add the ports of `ways` in dimension `dim` to port[0..n); returns how many there are then. */
static inline uint32_t cop_cube_add_ports(unsigned ways, uint32_t dim, uint16_t *port, uint32_t n)
{
    if (ways & COP_PLUS)
        port[n++] = (uint16_t)(2 * dim);
    if (ways & COP_MINUS)
        port[n++] = (uint16_t)(2 * dim + 1);
    return n;
}

/* A hop of dimension order with two lanes: the first up to and including the wrap link, the second
 * behind it and if the path does not cross it. Paths on these two lanes have no cycle, whatever
 * hops came before (Dally and Seitz 1987). */
static inline cop_cand cop_cube_ordered_hop(const cop_cube_map *map, uint32_t dim, bool plus,
                                            uint32_t at, uint32_t to)
{
    return (cop_cand){.port = (uint16_t)(2 * dim + (plus ? 0 : 1)),
                      .vl = map->wrap[dim] && !cop_cube_crosses(plus, at, to) ? 1 : 0};
}

/* Sets r->facts.host_lanes by option `host_lanes` of a routing that uses `lanes` lanes elsewhere. */
static inline int cop_cube_host_lanes(cop_route *r, int64_t option, uint32_t lanes, cop_err *err)
{
    if (r->lanes > 0 && option > (int64_t)lanes)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: host_lanes %lld, but packets of data have %u; give at most "
                           "that, or leave it out to use all",
                           r->ops->name, (long long)option, lanes);
    r->facts.host_lanes = option > 0 && option < (int64_t)lanes ? (uint32_t)option : lanes;
    return 0;
}
#define COP_CUBE_HOST_LANES                                                                        \
    "lanes of links between hosts and switches that packets of data use, from lane 0 on: a host "  \
    "draws one, the last switch takes the least loaded. switch.host_lanes may give fewer"

/* cop_route_ops.inject: all lanes of the host's link are equal, and hosts read no loads. */
static inline uint8_t cop_cube_inject(const cop_route *r, cop_hop *hop, const cop_route_view *view)
{
    (void)hop;
    if (r->facts.host_lanes < 2 || view == NULL || view->rng == NULL)
        return 0;
    return (uint8_t)cop_rng_below(view->rng, r->facts.host_lanes);
}

/* cop_route_ops.guess: the first direction of dimension order, on lane `vl`. */
static inline cop_cand cop_cube_guess(const cop_cube_map *map, const cop_hop *hop, uint8_t vl)
{
    const uint16_t *at = cop_cube_at(map, hop->sw);
    const uint16_t *to = cop_cube_at(map, hop->dst / map->hosts_per_switch);
    uint32_t first = cop_cube_first(map, at, to);
    if (first == map->dims)
        return (cop_cand){.port = cop_cube_exit(map, hop->dst)};
    unsigned ways = cop_cube_directions(map, first, at[first], to[first]);
    return (cop_cand){.port = (uint16_t)(2 * first + (ways & COP_PLUS ? 0 : 1)), .vl = vl};
}

/* Place of a candidate with this load in load[0..n), which rises: behind equal ones. Later ones
 * have been moved up by one. */
static inline unsigned cop_cube_make_room(cop_cand *cand, uint64_t *load, unsigned n, uint64_t here)
{
    unsigned i = n;
    for (; i > 0 && load[i - 1] > here; i--) {
        cand[i] = cand[i - 1];
        load[i] = load[i - 1];
    }
    load[i] = here;
    return i;
}

#endif
