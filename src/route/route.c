/* The list of routings and the life of a routing object.
 *
 * A routing with one path per (switch, destination) gets a forwarding table when that is small
 * enough for the cache; otherwise the network calls ops->route at each hop, which for regular
 * shapes is a few divisions. */
#include "route/route.h"

#include "route/route_cfg.h"

#include <string.h>

#define TABLE_BYTES_MAX ((uint64_t)4 << 20)

const cop_route_ops *const cop_routings[] = {
    &cop_route_dmodk,
    &cop_route_destro,
    &cop_route_det,
    &cop_route_ftree,
    &cop_route_adaptive_tree,
    &cop_route_random_tree,
    &cop_route_minhop,
    &cop_route_updn,
    &cop_route_dor,
    &cop_route_adaptive_cube,
    &cop_route_true_adaptive,
    &cop_route_dragonfly_min,
    &cop_route_dragonfly_valiant,
    &cop_route_ugal,
    &cop_route_piggyback,
    &cop_route_pause,
    &cop_route_qcn_switch,
    &cop_route_destination_tag,
    &cop_route_table,
    NULL,
};

const cop_route_ops *cop_route_find(const char *name)
{
    for (size_t i = 0; cop_routings[i] != NULL; i++)
        if (strcmp(cop_routings[i]->name, name) == 0)
            return cop_routings[i];
    return NULL;
}

static void build_table(cop_route *r)
{
    const cop_topo *t = r->topo;
    cop_cand cand[COP_MAX_CAND];
    r->lft = COP_NEW_ARRAY(&r->arena, uint16_t, cop_product(t->n_switches, t->n_hosts));
    uint16_t *row = r->lft;
    for (uint32_t sw = 0; sw < t->n_switches; sw++, row += t->n_hosts) {
        for (uint32_t dst = 0; dst < t->n_hosts; dst++) {
            cop_hop hop = {.sw = sw, .src = dst, .dst = dst, .mid = COP_NONE};
            unsigned n = r->ops->route(r, &hop, NULL, cand);
            COP_CHECK(n == 1);
            row[dst] = cand[0].port;
        }
    }
}

static int check_lanes(cop_route *r, cop_err *err)
{
    if (r->facts.vls > COP_MAX_VL)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s needs %u virtual lanes; links have at most %d", r->ops->name,
                           r->facts.vls, COP_MAX_VL);
    if (r->lanes == 0)
        r->lanes = r->facts.auto_lanes > r->facts.vls ? r->facts.auto_lanes : r->facts.vls;
    if (r->facts.vls > r->lanes)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s needs %u virtual lanes, the network has %u; set "
                           "switch.lanes to auto or at least %u",
                           r->ops->name, r->facts.vls, r->lanes, r->facts.vls);
    return 0;
}

int cop_route_init(cop_route *r, const cop_route_ops *ops, const cop_topo *t, const void *cfg,
                   uint32_t lanes, cop_err *err)
{
    *r = (cop_route){.ops = ops,
                     .topo = t,
                     .cfg = cfg,
                     .lanes = lanes,
                     .facts.vls = 1,
                     .facts.max_cand = 1,
                     .facts.in_order = ops->in_order};
    if (cfg == NULL && ops->cfg_size > 0) {
        void *defaults = cop_arena_alloc(&r->arena, ops->cfg_size);
        cop_opt_defaults(ops->opts, defaults, &r->arena);
        r->cfg = defaults;
    }
    int rc = ops->setup(r, r->cfg, err);
    if (rc == 0)
        rc = check_lanes(r, err);
    if (rc != 0) {
        cop_route_fini(r);
        return rc;
    }
    if (r->facts.control_vls == 0)
        r->facts.control_vls = r->facts.single ? 1 : r->facts.vls;
    if (r->facts.control_global_vls == 0)
        r->facts.control_global_vls = r->facts.control_vls;
    COP_CHECK(r->facts.max_cand >= 1 && r->facts.max_cand <= COP_MAX_CAND);
    if (r->facts.single && r->lft == NULL &&
        (uint64_t)t->n_switches * t->n_hosts * sizeof(uint16_t) <= TABLE_BYTES_MAX)
        build_table(r);
    return 0;
}

void cop_route_fini(cop_route *r)
{
    if (r->ops != NULL && r->ops->destroy != NULL)
        r->ops->destroy(r);
    cop_arena_free(&r->arena);
    *r = (cop_route){0};
}
