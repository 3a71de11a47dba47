/* Random routing of fat trees: up to a random common ancestor, then down.
 *
 * Input: an XGFT. Going up, each switch draws one of its up ports for each packet, from the
 * packet's own random numbers; going down there is one path. Always minimal; up*-down* needs one
 * lane. Loads are not read: any traffic is spread evenly over the links up, in the long run, but
 * packets meet at random where fixed tables or a choice by load would avoid it.
 * Packets of a flow take different paths and can overtake each other.
 * Without random numbers every up port is listed, for the dependency check.
 * Source: Greenberg and Leiserson, "Randomized routing on fat-trees", FOCS 1985. */
#include "route/route_cfg.h"
#include "route/tree_map.h"

static int random_tree_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg;
    return cop_tree_any_up(r, "drawn from", err);
}

static unsigned random_tree_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                  cop_cand *cand)
{
    const cop_tree_map *map = r->state;
    cand[0] = (cop_cand){0};
    if (cop_tree_down(map, hop->sw, hop->dst, &cand[0].port))
        return 1;
    uint32_t l = map->level[hop->sw];
    uint32_t first = map->m[l], ups = map->w[l + 1];
    if (view != NULL && view->rng != NULL) {
        cand[0].port = (uint16_t)(first + (ups > 1 ? cop_rng_below(view->rng, ups) : 0));
        return 1;
    }
    for (uint32_t u = 0; u < ups; u++)
        cand[u] = (cop_cand){.port = (uint16_t)(first + u)};
    return ups;
}

const cop_route_ops cop_route_random_tree = {
    .name = "random-tree",
    .summary = "fat tree: random port up, drawn for each packet, one path down",
    .source = "Greenberg and Leiserson, FOCS 1985",
    .in_order = false,
    .setup = random_tree_setup,
    .route = random_tree_route,
};
