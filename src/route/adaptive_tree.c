/* Adaptive routing of fat trees: up to any common ancestor, then down.
 *
 * Input: an XGFT and a view of port loads. Going up, the least loaded up port is taken; ties are
 * broken at random among the least loaded. Going down there is one path. Always minimal; up*-down*
 * needs one lane. Packets of a flow can overtake each other.
 * Without a view every up port is listed, for the dependency check.
 * Simplification: only loads of the deciding switch are read, no remote state.
 * Source: Petrini and Vanneschi, "k-ary n-trees: high performance networks for massively parallel
 * architectures", IPPS 1997. */
#include "route/route_cfg.h"
#include "route/tree_map.h"

static int adaptive_tree_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg;
    return cop_tree_any_up(r, "compared", err);
}

/* The n-th of the `ups` up ports, from `first`, that has load `least`. */
static uint16_t nth_with_load(const cop_route_view *view, uint32_t first, uint32_t ups,
                              uint64_t least, uint32_t n)
{
    uint32_t u = 0;
    for (; u + 1 < ups; u++)
        if (view->load(view->ctx, first + u, 0) == least && n-- == 0)
            break;
    return (uint16_t)(first + u);
}

static uint16_t least_loaded(const cop_route_view *view, uint32_t first, uint32_t ups)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0, ties = 0;
    for (uint32_t u = 0; u < ups; u++) {
        uint64_t load = view->load(view->ctx, first + u, 0);
        if (load < least) {
            least = load;
            best = u;
            ties = 0;
        }
        ties += load == least;
    }
    if (ties <= 1 || view->rng == NULL)
        return (uint16_t)(first + best);
    return nth_with_load(view, first, ups, least, cop_rng_below(view->rng, ties));
}

static unsigned adaptive_tree_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                    cop_cand *cand)
{
    const cop_tree_map *map = r->state;
    cand[0] = (cop_cand){0};
    if (cop_tree_down(map, hop->sw, hop->dst, &cand[0].port))
        return 1;
    uint32_t l = map->level[hop->sw];
    uint32_t first = map->m[l], ups = map->w[l + 1];
    if (view != NULL) {
        cand[0].port = least_loaded(view, first, ups);
        return 1;
    }
    for (uint32_t u = 0; u < ups; u++)
        cand[u] = (cop_cand){.port = (uint16_t)(first + u)};
    return ups;
}

const cop_route_ops cop_route_adaptive_tree = {
    .name = "adaptive-tree",
    .summary = "fat tree: least loaded port up, one path down",
    .source = "Petrini and Vanneschi, IPPS 1997",
    .in_order = false,
    .setup = adaptive_tree_setup,
    .route = adaptive_tree_route,
};
