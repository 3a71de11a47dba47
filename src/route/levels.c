/* Service levels select virtual lanes (InfiniBand's SL-to-VL map).
 *
 * Role     wraps a routing: copies its table of functions and replaces `inject`, and `route` if the
 *          lane can change on the path. Networks without a map do not have it.
 * Rules    The map gives the lane at which a service level begins. A forwarding table needs one
 *          lane: a packet has that lane on every link. A routing that needs several (datelines,
 *          hops in other groups) has them from there on, counted as if the first were lane 0; it
 *          reads the loads of those lanes and no others. A level's first lane follows from a
 *          packet's lane, so no state is kept in a packet. Maps of pairs of ports, of forwarding
 *          tables only: the packet keeps its level in `state`, which tables do not use, and takes
 *          the lane from the map of its input and output.
 *          Automatic map: with a forwarding table that selects no lane itself, level n begins at
 *          lane n modulo the lanes of data. Otherwise levels select no lane.
 *          Control packets with private lanes (nic.control_vl) are not changed.
 * Deadlock the dependency check calls this routing, for each level in use. Levels with disjoint
 *          lanes each have the dependencies of the routing; the check covers overlaps.
 * Source   InfiniBand Architecture Specification, SL to VL mapping; OpenSM's qos_sl2vl. */
#include "route/levels.h"

#include <string.h>

#define NO_DATA 15 /* VL15 is for management */

/* -- routings that need several lanes -- */

typedef struct shifted {
    const cop_route_view *under;
    uint32_t base;
} shifted;

static const shifted *shift_of(const void *ctx)
{
    return ctx;
}
static uint64_t load_of(void *ctx, uint32_t port, uint32_t vl)
{
    const shifted *s = shift_of(ctx);
    return s->under->load(s->under->ctx, port, vl + s->base);
}
static uint64_t lane_load_of(void *ctx, uint32_t port, uint32_t vl)
{
    const shifted *s = shift_of(ctx);
    return s->under->can->lane_load(s->under->ctx, port, vl + s->base);
}
static bool is_open(void *ctx, uint32_t port, uint32_t vl)
{
    const shifted *s = shift_of(ctx);
    return s->under->can->open(s->under->ctx, port, vl + s->base);
}
static void loads_of(void *ctx, uint32_t port, uint32_t first, uint32_t n, uint64_t *load)
{
    const shifted *s = shift_of(ctx);
    s->under->can->loads(s->under->ctx, port, first + s->base, n, load);
}
static uint64_t waiting_of(void *ctx, uint32_t port)
{
    const shifted *s = shift_of(ctx);
    return s->under->can->waiting(s->under->ctx, port);
}
static void *port_of(void *ctx, uint32_t port)
{
    const shifted *s = shift_of(ctx);
    return s->under->can->port(s->under->ctx, port);
}
static void *own_of(void *ctx)
{
    const shifted *s = shift_of(ctx);
    return s->under->can->own(s->under->ctx);
}
static void tell_to(void *ctx, uint32_t port, uint64_t body)
{
    const shifted *s = shift_of(ctx);
    s->under->can->tell(s->under->ctx, port, body);
}
static void soon_of(void *ctx, uint32_t port)
{
    const shifted *s = shift_of(ctx);
    cop_route_soon(s->under, port);
}

static const cop_route_can shifted_can = {.lane_load = lane_load_of,
                                          .open = is_open,
                                          .loads = loads_of,
                                          .waiting = waiting_of,
                                          .port = port_of,
                                          .own = own_of,
                                          .tell = tell_to,
                                          .soon = soon_of};

static uint32_t base_of(const cop_levels *l, const cop_hop *hop)
{
    return hop->control && l->control_apart ? 0 : l->base[hop->in_vl];
}

static unsigned route_shifted(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                              cop_cand *cand)
{
    const cop_levels *l = r->levels;
    uint32_t base = base_of(l, hop);
    if (base == 0)
        return l->inner->route(r, hop, view, cand);
    shifted s = {.under = view, .base = base};
    cop_route_view mine = {.ctx = &s, .load = load_of};
    if (view != NULL) {
        mine.rng = view->rng;
        mine.can = view->can ? &shifted_can : NULL;
    }
    hop->in_vl = (uint8_t)(hop->in_vl - base);
    unsigned n = l->inner->route(r, hop, view ? &mine : NULL, cand);
    hop->in_vl = (uint8_t)(hop->in_vl + base);
    for (unsigned i = 0; i < n && i < COP_MAX_CAND; i++)
        cand[i].vl = (uint8_t)(cand[i].vl + base);
    return n;
}

static cop_cand guess_shifted(const cop_route *r, const cop_hop *hop)
{
    cop_hop at = *hop;
    uint32_t base = base_of(r->levels, hop);
    at.in_vl = (uint8_t)(hop->in_vl - base);
    cop_cand cand = r->levels->inner->guess(r, &at);
    cand.vl = (uint8_t)(cand.vl + base);
    return cand;
}

/* -- maps of single ports -- */

static uint8_t lane_by_port(const cop_route *r, const cop_hop *hop, uint32_t out)
{
    const cop_levels *l = r->levels;
    const uint8_t *map = l->port[hop->sw];
    uint32_t ports = cop_topo_ports_of(r->topo, hop->sw);
    if (hop->control && l->control_apart)
        return 0;
    if (map == NULL || hop->in_port >= ports || out >= ports) /* made here; a faulty table */
        return l->first[hop->state];
    return map[((size_t)hop->in_port * ports + out) * COP_LEVELS + hop->state];
}

static unsigned route_by_port(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                              cop_cand *cand)
{
    const cop_levels *l = r->levels;
    if (l->lft)
        *cand = (cop_cand){.port = l->lft[(size_t)hop->sw * r->topo->n_hosts + hop->dst]};
    else
        l->inner->route(r, hop, view, cand);
    cand->vl = lane_by_port(r, hop, cand->port);
    return 1;
}

static uint8_t inject(const cop_route *r, cop_hop *hop, const cop_route_view *view)
{
    const cop_levels *l = r->levels;
    uint8_t vl = l->inner->inject ? l->inner->inject(r, hop, view) : 0;
    if (l->port)
        hop->state = hop->sl;
    return (uint8_t)(l->first[hop->sl] + vl);
}

/* -- reading maps -- */

static int check_lane(const char *option, uint32_t level, int64_t vl, cop_err *err)
{
    if (vl < NO_DATA)
        return 0;
    return cop_err_add(
        err, COP_E_INPUT,
        "switch.%s: service level %u has lane %d, which carries no data; choose 0 to "
        "%d",
        option, level, (int)vl, NO_DATA - 1);
}

static int check_ports(const cop_levels_cfg *cfg, const cop_topo *t, cop_levels_plan *plan,
                       cop_err *err)
{
    if (cfg->port->n % COP_LEVELS_ROW != 0)
        return cop_err_add(err, COP_E_INPUT,
                           "switch.port_sl2vl has %zu numbers; give switch, input, output and %d "
                           "lanes for each pair of ports",
                           cfg->port->n, COP_LEVELS);
    for (size_t i = 0; i < cfg->port->n; i += COP_LEVELS_ROW) {
        const int64_t *row = &cfg->port->v[i];
        int64_t ports = row[0] < t->n_switches ? cop_topo_ports_of(t, (uint32_t)row[0]) : 0;
        if (row[1] >= ports || row[2] >= ports)
            return cop_err_add(err, COP_E_INPUT,
                               "switch.port_sl2vl: switch %d has no port %d; both count from 0",
                               (int)row[0], (int)(row[1] >= ports ? row[1] : row[2]));
        for (uint32_t level = 0; level < COP_LEVELS; level++) {
            if (!(cfg->used >> level & 1))
                continue;
            if (check_lane("port_sl2vl", level, row[3 + level], err) != 0)
                return -COP_E_INPUT;
            if (row[3 + level] > plan->last) {
                plan->last = (uint32_t)row[3 + level];
                plan->level = level;
            }
        }
    }
    return 0;
}

int cop_levels_plan_of(const cop_levels_cfg *cfg, const cop_topo *t, cop_levels_plan *plan,
                       cop_err *err)
{
    uint32_t lanes = 0, before = COP_NONE;
    *plan = (cop_levels_plan){.gap = COP_MAX_VL};
    if (cfg->map->n > COP_LEVELS)
        return cop_err_add(err, COP_E_INPUT,
                           "switch.sl2vl has %zu lanes; there are %d service levels", cfg->map->n,
                           COP_LEVELS);
    for (uint32_t level = 0; level < COP_LEVELS; level++) {
        if (!(cfg->used >> level & 1))
            continue;
        if (level >= cfg->map->n)
            return cop_err_add(err, COP_E_INPUT,
                               "switch.sl2vl has no lane for service level %u, which traffic has; "
                               "give one for each level from 0 on",
                               level);
        if (check_lane("sl2vl", level, cfg->map->v[level], err) != 0)
            return -COP_E_INPUT;
        uint32_t vl = (uint32_t)cfg->map->v[level];
        lanes |= 1u << vl;
        if (vl > plan->last) {
            plan->last = vl;
            plan->level = level;
        }
    }
    for (uint32_t vl = 0; vl < COP_MAX_VL; vl++)
        if (lanes >> vl & 1) {
            if (before != COP_NONE && vl - before < plan->gap)
                plan->gap = vl - before;
            before = vl;
        }
    return check_ports(cfg, t, plan, err);
}

/* -- in front of a routing -- */

static void fill_ports(cop_levels *l, cop_route *r, const cop_levels_cfg *cfg)
{
    const cop_topo *t = r->topo;
    l->port = COP_NEW_ARRAY(&r->arena, uint8_t *, t->n_switches);
    for (size_t i = 0; i < cfg->port->n; i += COP_LEVELS_ROW) {
        const int64_t *row = &cfg->port->v[i];
        uint8_t **map = &l->port[row[0]];
        size_t ports = cop_topo_ports_of(t, (uint32_t)row[0]), pairs = ports * ports;
        if (*map == NULL) {
            *map = cop_arena_array(&r->arena, pairs, COP_LEVELS);
            for (size_t pair = 0; pair < pairs; pair++)
                memcpy(*map + pair * COP_LEVELS, l->first, COP_LEVELS);
        }
        uint8_t *lane = *map + ((size_t)row[1] * ports + (size_t)row[2]) * COP_LEVELS;
        for (uint32_t level = 0; level < COP_LEVELS; level++)
            lane[level] = (uint8_t)row[3 + level];
    }
    l->lft = r->lft;
    l->ops.route = route_by_port;
    l->ops.guess = NULL;
    r->lft = NULL;
    r->facts.single = false;
    r->facts.spread = 0;
}

static bool first_lanes(const cop_route *r, const cop_levels_cfg *cfg, uint32_t lanes,
                        uint8_t *first)
{
    bool moves = cfg->port->n > 0;
    if (cfg->map->n == 0 && (!r->facts.single || r->ops->inject || cfg->by_queueing))
        return false;
    for (uint32_t level = 0; level < COP_LEVELS; level++) {
        if (cfg->map->n == 0)
            first[level] = (uint8_t)(level % lanes);
        else
            first[level] = level < cfg->map->n ? (uint8_t)cfg->map->v[level] : 0;
        moves |= (cfg->used >> level & 1) && first[level] > 0;
    }
    return moves;
}

void cop_levels_attach(cop_route *r, const cop_levels_cfg *cfg, uint32_t lanes, uint32_t uses)
{
    uint8_t first[COP_LEVELS];
    if (!first_lanes(r, cfg, lanes, first))
        return;
    cop_levels *l = COP_NEW_ARRAY(&r->arena, cop_levels, 1);
    *l = (cop_levels){
        .ops = *r->ops, .inner = r->ops, .used = cfg->used, .control_apart = cfg->control_apart};
    memcpy(l->first, first, sizeof(first));
    uint32_t taken = 0, before = COP_NONE;
    for (uint32_t level = 0; level < COP_LEVELS; level++) {
        if (!(cfg->used >> level & 1))
            continue;
        if (cfg->port->n > 0 || !(taken >> first[level] & 1))
            l->follow |= 1u << level;
        for (uint32_t i = 0; i < uses; i++) {
            l->base[first[level] + i] = first[level];
            taken |= 1u << (first[level] + i);
        }
        /* Packets of two levels between the same hosts overtake each other. */
        r->facts.in_order &= before == COP_NONE || (before == first[level] && cfg->port->n == 0);
        before = first[level];
    }
    r->data_lanes = (uint32_t)__builtin_popcount(taken);
    l->ops.inject = inject;
    if (cfg->port->n > 0) {
        fill_ports(l, r, cfg);
    } else if (r->facts.single) {
        r->facts.spread = 32 - (uint32_t)__builtin_clz(taken);
    } else {
        l->ops.route = route_shifted;
        if (l->inner->guess)
            l->ops.guess = guess_shifted;
    }
    r->facts.memoryless &= r->facts.single;
    r->facts.turn = l->port ? 0 : r->facts.turn;
    r->ops = &l->ops;
    r->levels = l;
}
