/* Service levels and lanes of a world: which levels exist, how many lanes the routing has for each
 * of them, and which maps are refused. The map itself: route/levels.c. */
#include "exp/world_levels.h"

#include "route/levels.h"

static cop_levels_cfg levels_of(const cop_config *c)
{
    cop_levels_cfg l = {.map = &c->sw.sl2vl,
                        .port = &c->sw.port_sl2vl,
                        .used = 1, /* notifications that switches make begin on the first */
                        .control_apart = c->nic.control_vl >= 0,
                        .by_queueing = c->queue->inject_vl != NULL};
    for (size_t i = 0; i < c->n_traffic; i++)
        l.used = (i > 0 ? l.used : 0) | 1u << c->traffic[i].sl;
    if (cop_cc_facts_of(c->cc, c->cc_cfg, NULL).notifies)
        l.used |= 1;
    return l;
}

/* Why a map of service levels is refused; NULL: it is valid. */
static const char *idle_levels(const cop_world *w, const cop_config *c)
{
    const cop_switch_cfg *sw = &c->sw;
    if (sw->sl2vl.n == 0 && sw->port_sl2vl.n > 0)
        return "switch.port_sl2vl are exceptions from switch.sl2vl; give that, too";
    if (sw->sl2vl.n > 0 && c->queue->inject_vl)
        return "switch.sl2vl: the queueing scheme chooses lanes by destination; choose another "
               "queueing.kind, or leave out sl2vl";
    if (sw->sl2vl.n > 0 && w->route.facts.patience_ps > 0)
        return "switch.sl2vl: the routing resolves deadlocks on lane 0, for all service levels; "
               "choose one that avoids them, or leave out sl2vl";
    if (sw->port_sl2vl.n > 0 && (!w->route.facts.single || w->route.ops->inject))
        return "switch.port_sl2vl: the routing chooses lanes itself, and only forwarding tables "
               "(ftree, minhop, updn, table, dmodk) can follow maps of ports; leave out port_sl2vl";
    return NULL;
}

/* Lanes that data have, if that is said: links have `lanes`, and control packets those from control_vl on. */
static uint32_t data_lanes(const cop_config *c, uint32_t lanes)
{
    int64_t control = c->nic.control_vl;
    return control > 0 && (lanes == 0 || control < (int64_t)lanes) ? (uint32_t)control : lanes;
}

/* Lanes that the routing takes for one level. */
static uint32_t lanes_used(const cop_route *r)
{
    uint32_t lanes = r->data_lanes ? r->data_lanes : r->lanes;
    return !r->facts.single ? lanes : r->facts.spread > 1 ? r->facts.spread : 1;
}

int cop_world_init_levels(cop_world *w, const cop_config *c, uint32_t *uses, cop_err *err)
{
    const cop_switch_cfg *sw = &c->sw;
    cop_route *r = &w->route;
    cop_levels_cfg levels = levels_of(c);
    cop_levels_plan plan;
    const char *idle = idle_levels(w, c);
    *uses = lanes_used(r);
    if (idle != NULL)
        return cop_err_add(err, COP_E_INPUT, "%s", idle);
    if (sw->sl2vl.n == 0)
        return 0;
    int rc = cop_levels_plan_of(&levels, &w->topo, &plan, err);
    if (rc != 0)
        return rc;
    uint32_t said = (uint32_t)sw->lanes;
    if (said == 0 && (sw->trunk_lanes > 0 || sw->global_lanes > 0))
        said = r->lanes;
    uint32_t data = data_lanes(c, said), end = data ? data : COP_MAX_VL;
    if (plan.last >= end)
        return cop_err_add(
            err, COP_E_INPUT,
            "switch.sl2vl: service level %u begins at lane %u, and data have lanes 0 "
            "to %u; choose a lower one, or raise %s",
            plan.level, plan.last, end - 1,
            data && data == c->nic.control_vl ? "nic.control_vl" : "switch.lanes");
    uint32_t room = end - plan.last < plan.gap ? end - plan.last : plan.gap;
    if (r->facts.vls > room)
        return cop_err_add(
            err, COP_E_INPUT,
            "switch.sl2vl: routing %s needs %u lanes for each service level, and has "
            "%u; put the first lanes that far apart, with as many behind the last",
            r->ops->name, r->facts.vls, room);
    if (*uses > room) {
        *uses = room;
        cop_route_fini(r);
        rc = cop_route_init(r, c->route, &w->topo, c->route_cfg, room, err);
    }
    if (rc == 0) {
        r->lanes = said ? said : plan.last + *uses;
        r->data_lanes = data != said ? data : 0;
    }
    return rc;
}

void cop_world_attach_levels(cop_world *w, const cop_config *c, uint32_t uses)
{
    const cop_switch_cfg *sw = &c->sw;
    const int64_t of_class[] = {sw->host_lanes, sw->trunk_lanes, sw->global_lanes};
    cop_levels_cfg levels = levels_of(c);
    levels.control_apart =
        w->nic.control_vl >= 0; /* also those that the congestion control asked for */
    uint32_t lanes = w->route.data_lanes ? w->route.data_lanes : data_lanes(c, w->lanes);
    for (size_t i = 0; i < COP_LEN(of_class); i++)
        if (of_class[i] > 0 && of_class[i] < (int64_t)lanes)
            lanes = (uint32_t)of_class[i];
    cop_levels_attach(&w->route, &levels, lanes, uses);
}
