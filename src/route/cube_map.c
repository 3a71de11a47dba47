/* Coordinate table of a torus, mesh or hypercube, so that a hop needs no divisions by radices; and
 * the direction round a ring if both are equally long.
 *
 * `split`: the switches of a ring alternate, one sends plus, its neighbours minus. Which of them
 * sends plus differs by destination and ring, by a hash of the other coordinates of switch and
 * destination. So of the k flows over half a ring of k = 4, 8, .. switches exactly half use each
 * link in either direction, for uniform traffic as well as for permutations, and coordinates that
 * many flows share do not send them all in one direction. The direction depends on switch and
 * destination alone: it fits into a forwarding table, and a flow keeps its path.
 * `random`: drawn for each packet; a flow does not stay in order.
 * `plus`: always plus; the links of the other direction then carry less (3/5 in a ring of 8). */
#include "route/cube_map.h"

const char *const cop_tie_names[] = {"split", "random", "plus", NULL};
const char *const cop_cube_all[] = {"all", NULL};

unsigned cop_cube_break_tie(const cop_cube_map *map, uint32_t dim, uint32_t sw, uint32_t dst,
                            cop_rng *rng)
{
    if (map->ties == COP_TIES_PLUS)
        return COP_PLUS;
    if (map->ties == COP_TIES_RANDOM) {
        if (rng == NULL)
            return COP_PLUS | COP_MINUS;
        return cop_rng_below(rng, 2) == 0 ? COP_PLUS : COP_MINUS;
    }
    uint32_t at = map->coord[(size_t)sw * map->dims + dim];
    uint32_t to = map->coord[(size_t)(dst / map->hosts_per_switch) * map->dims + dim];
    uint64_t others = cop_cube_mix(sw - at * map->stride[dim],
                                   dst - to * map->stride[dim] * map->hosts_per_switch);
    return ((at ^ others) & 1) == 0 ? COP_PLUS : COP_MINUS;
}

int cop_cube_map_init(cop_cube_map *map, const cop_topo *t, enum cop_ties ties, cop_arena *arena,
                      const char *routing, cop_err *err)
{
    if (t->shape.kind != COP_SHAPE_CUBE)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s needs a torus, mesh or hypercube, the topology is %s; leave "
                           "the routing out to get the one that fits, or use updn",
                           routing, t->kind ? t->kind : "something else");
    const cop_cube_shape *s = &t->shape.u.cube;
    *map = (cop_cube_map){.dims = s->dims, .hosts_per_switch = s->hosts_per_switch, .ties = ties};
    uint32_t stride = 1;
    for (uint32_t i = 0; i < s->dims; i++) {
        if (s->radix[i] > UINT16_MAX)
            return cop_err_add(err, COP_E_INPUT,
                               "routing %s: dimension %u has %u switches; at most %d", routing, i,
                               s->radix[i], UINT16_MAX);
        map->radix[i] = s->radix[i];
        map->wrap[i] = s->wrap[i];
        map->any_wrap |= s->wrap[i];
        map->any_tie |= s->wrap[i] && s->radix[i] % 2 == 0;
        map->stride[i] = stride;
        stride *= s->radix[i];
    }
    map->coord = COP_NEW_ARRAY(arena, uint16_t, cop_product(t->n_switches, s->dims));
    uint16_t *c = map->coord;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        uint32_t rest = sw;
        for (uint32_t i = 0; i < s->dims; i++) {
            *c++ = (uint16_t)(rest % s->radix[i]);
            rest /= s->radix[i];
        }
    }
    return 0;
}
