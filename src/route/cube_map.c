/* Coordinate table of a torus, mesh or hypercube, so that a hop needs no divisions by radices. */
#include "route/cube_map.h"

int cop_cube_map_init(cop_cube_map *map, const cop_topo *t, cop_arena *arena, const char *routing,
                      cop_err *err)
{
    if (t->shape.kind != COP_SHAPE_CUBE)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s needs a torus, mesh or hypercube, the topology is %s; leave "
                           "the routing out to get the one that fits, or use updn",
                           routing, t->kind ? t->kind : "something else");
    const cop_cube_shape *s = &t->shape.u.cube;
    *map = (cop_cube_map){.dims = s->dims, .hosts_per_switch = s->hosts_per_switch};
    for (uint32_t i = 0; i < s->dims; i++) {
        if (s->radix[i] > UINT16_MAX)
            return cop_err_add(err, COP_E_INPUT,
                               "routing %s: dimension %u has %u switches; at most %d", routing, i,
                               s->radix[i], UINT16_MAX);
        map->radix[i] = s->radix[i];
        map->wrap[i] = s->wrap[i];
        map->any_wrap |= s->wrap[i];
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
