/* Coordinates of a switch in an XGFT, for the tree routings. Numbering: see cop_tree_shape. */
#ifndef COP_TREE_MAP_H
#define COP_TREE_MAP_H

#include "base/err.h"
#include "route/route.h"

typedef struct cop_tree_map {
    uint32_t levels;
    uint32_t m[COP_MAX_LEVELS + 1], w[COP_MAX_LEVELS + 2];
    uint32_t m_prod[COP_MAX_LEVELS + 1]; /* hosts below a switch of level l; [0] = 1 */
    uint32_t w_prod[COP_MAX_LEVELS + 1]; /* w[1] * .. * w[l] */
    uint8_t *level; /* [switch], from 1 */
    uint32_t *above; /* [switch]: the coordinates above its level, equal for all hosts below it */
} cop_tree_map;

/* Arrays go to `arena`; fails with a line naming `routing` if the topology is no tree. */
int cop_tree_map_init(cop_tree_map *map, const cop_topo *t, cop_arena *arena, const char *routing,
                      cop_err *err);

/* Set up a routing that may take any port up: its map is r->state, and it has as many candidates as
 * a switch has up ports. Fails if these are too many; `chosen` is the verb of the message
 * ("compared"). */
int cop_tree_any_up(cop_route *r, const char *chosen, cop_err *err);

/* dmodk.c, which is also `ftree` on generated trees. */
int cop_dmodk_setup(cop_route *r, const void *cfg, cop_err *err);
unsigned cop_dmodk_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                         cop_cand *cand);

/* Is `dst` below `sw`? Then *port is the port down to it. */
static inline bool cop_tree_down(const cop_tree_map *map, uint32_t sw, uint32_t dst, uint16_t *port)
{
    uint32_t l = map->level[sw];
    uint32_t at = dst / map->m_prod[l - 1];
    uint32_t up = at / map->m[l];
    if (up != map->above[sw])
        return false;
    *port = (uint16_t)(at - up * map->m[l]);
    return true;
}

#endif
