/* Coordinates on a torus, mesh or hypercube and the minimal directions towards a destination, for
 * the cube routings. Numbering: see cop_cube_shape.
 *
 * A tie: half-way round a ring with an even number of switches both directions are minimal. The
 * first hop ends it, so a tie is decided only at the switch where a packet enters a ring. */
#ifndef COP_CUBE_MAP_H
#define COP_CUBE_MAP_H

#include "base/err.h"
#include "base/rng.h"
#include "topo/topo.h"

/* How ties are decided; the names of the option are cop_tie_names. */
enum cop_ties { COP_TIES_SPLIT, COP_TIES_RANDOM, COP_TIES_PLUS };
extern const char *const cop_tie_names[];
extern const char *const cop_cube_all[]; /* of an option that counts lanes: 0 */

enum { COP_PLUS = 1, COP_MINUS = 2 }; /* directions, as bits */

typedef struct cop_cube_map {
    uint32_t dims, hosts_per_switch;
    uint32_t radix[COP_MAX_DIMS];
    uint32_t stride[COP_MAX_DIMS]; /* switch number = sum of coordinate * stride */
    bool wrap[COP_MAX_DIMS];
    bool any_wrap, any_tie;
    enum cop_ties ties;
    uint16_t *coord; /* [switch * dims + dim] */
} cop_cube_map;

int cop_cube_map_init(cop_cube_map *map, const cop_topo *t, enum cop_ties ties, cop_arena *arena,
                      const char *routing, cop_err *err);

/* Minimal directions from coordinate `at` to `to` in one dimension; both at a tie; 0 when there.
 * Radix 2 has a "plus" port only. */
static inline unsigned cop_cube_directions(const cop_cube_map *map, uint32_t dim, uint32_t at,
                                           uint32_t to)
{
    if (at == to)
        return 0;
    if (map->radix[dim] == 2)
        return COP_PLUS;
    if (!map->wrap[dim])
        return at < to ? COP_PLUS : COP_MINUS;
    uint32_t plus = at < to ? to - at : to + map->radix[dim] - at;
    uint32_t minus = map->radix[dim] - plus;
    return (plus <= minus ? (unsigned)COP_PLUS : 0u) | (minus <= plus ? (unsigned)COP_MINUS : 0u);
}

/* A tie for a packet at switch `sw`: the direction to take. Both if it is random and there is no
 * `rng`. */
unsigned cop_cube_break_tie(const cop_cube_map *map, uint32_t dim, uint32_t sw, uint32_t dst,
                            cop_rng *rng);

/* The minimal direction to take from switch `sw` in a dimension that is not corrected yet. */
static inline unsigned cop_cube_direction(const cop_cube_map *map, uint32_t dim, uint32_t sw,
                                          uint32_t at, uint32_t to, uint32_t dst, cop_rng *rng)
{
    unsigned ways = cop_cube_directions(map, dim, at, to);
    return ways == (COP_PLUS | COP_MINUS) ? cop_cube_break_tie(map, dim, sw, dst, rng) : ways;
}

/* Does the path from `at` to `to` cross the wrap link? */
static inline bool cop_cube_crosses(bool plus, uint32_t at, uint32_t to)
{
    return plus ? to < at : to > at;
}

/* A number that looks random, equal for all packets that meet at a switch on their way to a
 * host. */
static inline uint64_t cop_cube_mix(uint32_t sw, uint32_t dst)
{
    uint64_t x = ((uint64_t)sw << 32 | dst) + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
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
