/* Destination-modulo routing of fat trees (D-mod-k): one fixed path per destination.
 *
 * Input: an XGFT. At level l (leaf switches are level 1) a packet that must go up takes up port
 *     floor(d / (w[1] * .. * w[l])) mod w[l+1],
 * and goes down by the coordinates of its destination d. In a k-ary n-tree the up port at level l
 * is digit l of d, so all packets to one host meet at one root and every down link of a root serves
 * one host. Always minimal, never turns from down to up: one lane, no cycles. Pure arithmetic.
 *
 * Sources: Zahavi, Johnson, Kerbyson, Lang, "Optimized InfiniBand fat-tree routing for shift
 * all-to-all communication patterns", 2009 (D-mod-k; the table OpenSM's ftree engine aims at);
 * Gomez, Gilabert, Gomez, Lopez, Duato, "Deterministic versus adaptive routing in fat-trees",
 * CAC/IPDPS 2007 (DET, later called DESTRO). On a complete tree all of these give the same table,
 * hence the aliases. Trees that are read from a file: ftree.c. */
#include "route/route_cfg.h"
#include "route/tree_map.h"

int cop_dmodk_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg;
    cop_tree_map *map = COP_NEW_ARRAY(&r->arena, cop_tree_map, 1);
    r->state = map;
    r->facts.single = true;
    r->facts.memoryless = true;
    return cop_tree_map_init(map, r->topo, &r->arena, r->ops->name, err);
}

unsigned cop_dmodk_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                         cop_cand *cand)
{
    (void)view;
    const cop_tree_map *map = r->state;
    *cand = (cop_cand){0};
    if (!cop_tree_down(map, hop->sw, hop->dst, &cand->port)) {
        uint32_t l = map->level[hop->sw];
        cand->port = (uint16_t)(map->m[l] + hop->dst / map->w_prod[l] % map->w[l + 1]);
    }
    return 1;
}

#define DMODK_OPS(ident, text, what)                                                               \
    const cop_route_ops cop_route_##ident = {                                                      \
        .name = text,                                                                              \
        .summary = what,                                                                           \
        .source = "Zahavi et al. 2009; Gomez et al., CAC 2007",                                    \
        .in_order = true,                                                                          \
        .setup = cop_dmodk_setup,                                                                  \
        .route = cop_dmodk_route,                                                                  \
    }

DMODK_OPS(dmodk, "dmodk", "fat tree: fixed path per destination, up port by destination modulo");
DMODK_OPS(destro, "destro", "fat tree: same table as dmodk, the name in later papers");
DMODK_OPS(det, "det", "fat tree: same table as dmodk, the name of Gomez et al.");
