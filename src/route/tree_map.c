/* Levels and prefixes of the switches of an XGFT, computed once so that a hop costs two divisions.
 * Source: Ohring, Ibel, Das, Kumar, "On generalized fat trees", IPPS 1995. */
#include "route/tree_map.h"

int cop_tree_map_init(cop_tree_map *map, const cop_topo *t, cop_arena *arena, const char *routing,
                      cop_err *err)
{
    if (t->shape.kind != COP_SHAPE_TREE)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s needs a fat tree, the topology is %s; leave the routing out "
                           "to get the one that fits, or use ftree (trees of any make) or updn",
                           routing, t->kind ? t->kind : "something else");
    const cop_tree_shape *s = &t->shape.u.tree;
    *map = (cop_tree_map){.levels = s->levels};
    map->m_prod[0] = map->w_prod[0] = 1;
    for (uint32_t l = 1; l <= s->levels; l++) {
        map->m[l] = s->m[l];
        map->w[l] = s->w[l];
        map->m_prod[l] = map->m_prod[l - 1] * s->m[l];
        map->w_prod[l] = map->w_prod[l - 1] * s->w[l];
    }
    map->level = COP_NEW_ARRAY(arena, uint8_t, t->n_switches);
    map->above = COP_NEW_ARRAY(arena, uint32_t, t->n_switches);
    for (uint32_t l = 1; l <= s->levels; l++) {
        for (uint32_t sw = s->level0[l]; sw < s->level0[l + 1]; sw++) {
            map->level[sw] = (uint8_t)l;
            map->above[sw] = (sw - s->level0[l]) / map->w_prod[l];
        }
    }
    return 0;
}

int cop_tree_any_up(cop_route *r, const char *chosen, cop_err *err)
{
    cop_tree_map *map = COP_NEW_ARRAY(&r->arena, cop_tree_map, 1);
    int rc = cop_tree_map_init(map, r->topo, &r->arena, r->ops->name, err);
    if (rc != 0)
        return rc;
    r->state = map;
    r->facts.memoryless = true;
    for (uint32_t l = 2; l <= map->levels; l++) /* w[1] are the cables of a host */
        r->facts.max_cand = map->w[l] > r->facts.max_cand ? map->w[l] : r->facts.max_cand;
    if (r->facts.max_cand > COP_MAX_CAND)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: switches have %u up ports; at most %d can be %s",
                           r->ops->name, r->facts.max_cand, COP_MAX_CAND, chosen);
    return 0;
}
