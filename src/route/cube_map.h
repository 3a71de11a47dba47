/* Coordinates on a torus, mesh or hypercube and the minimal directions towards a destination, for
 * the cube routings. Numbering: see cop_cube_shape. */
#ifndef COP_CUBE_MAP_H
#define COP_CUBE_MAP_H

#include "base/err.h"
#include "topo/topo.h"

typedef struct cop_cube_map {
    uint32_t dims, hosts_per_switch;
    uint32_t radix[COP_MAX_DIMS];
    bool wrap[COP_MAX_DIMS];
    bool any_wrap;
    uint16_t *coord; /* [switch * dims + dim] */
} cop_cube_map;

int cop_cube_map_init(cop_cube_map *map, const cop_topo *t, cop_arena *arena, const char *routing,
                      cop_err *err);

/* Minimal directions from coordinate `at` to `to` in one dimension: bit 0 plus, bit 1 minus; both
 * when a ring is halved exactly; 0 when there. Radix 2 has a "plus" port only. */
static inline unsigned cop_cube_directions(const cop_cube_map *map, uint32_t dim, uint32_t at,
                                           uint32_t to)
{
    if (at == to)
        return 0;
    if (map->radix[dim] == 2)
        return 1;
    if (!map->wrap[dim])
        return at < to ? 1 : 2;
    uint32_t plus = at < to ? to - at : to + map->radix[dim] - at;
    uint32_t minus = map->radix[dim] - plus;
    return (plus <= minus ? 1u : 0u) | (minus <= plus ? 2u : 0u);
}

/* First dimension in which `at` and `to` differ; dims if none. */
static inline uint32_t cop_cube_first(const cop_cube_map *map, const uint16_t *at,
                                      const uint16_t *to)
{
    uint32_t dim = 0;
    while (dim < map->dims && at[dim] == to[dim])
        dim++;
    return dim;
}

static inline const uint16_t *cop_cube_at(const cop_cube_map *map, uint32_t sw)
{
    return map->coord + (size_t)sw * map->dims;
}

/* Port to host `dst` on its own switch. */
static inline uint16_t cop_cube_exit(const cop_cube_map *map, uint32_t dst)
{
    return (uint16_t)(2 * map->dims + dst % map->hosts_per_switch);
}

#endif
