/* Positions of hosts, ports and links in a dragonfly. See dragonfly_map.h.
 *
 * Numbering is that of cop_dragonfly_shape (topo.h): ports of a switch are hosts, then the other
 * switches of its group in ascending order, then global links. */
#include "route/dragonfly_map.h"

static void collect_links(cop_dragonfly *d, const cop_topo *t, cop_arena *arena)
{
    size_t pairs = (size_t)d->groups * d->groups;
    d->first = COP_NEW_ARRAY(arena, uint32_t, pairs + 2);
    uint32_t *next = d->first + 1; /* shifted by one, so that filling moves it into place */
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t p = 0; p < t->host_port0; p++) {
            if (t->port[p].to == COP_NONE || t->port[p].link_class != COP_LINK_GLOBAL)
                continue;
            uint32_t sw = t->port[p].owner, far = t->port[t->port[p].to].owner;
            size_t pair = (size_t)(sw / d->a) * d->groups + far / d->a;
            if (fill)
                d->link[next[pair]++] = (cop_gateway){sw, far, t->port[p].local};
            else
                next[pair + 1]++;
        }
        if (fill)
            break;
        for (size_t i = 1; i <= pairs; i++)
            next[i] += next[i - 1];
        d->link = COP_NEW_ARRAY(arena, cop_gateway, (size_t)next[pairs] + 1);
    }
}

int cop_dragonfly_init(cop_dragonfly *d, cop_route *r, cop_err *err)
{
    const cop_topo *t = r->topo;
    if (t->shape.kind != COP_SHAPE_DRAGONFLY)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s needs a dragonfly, the topology is %s; leave the routing "
                           "out to get the one that fits, or use updn",
                           r->ops->name, t->kind ? t->kind : "something else");
    const cop_dragonfly_shape *s = &t->shape.u.dragonfly;
    *d = (cop_dragonfly){.p = s->p,
                         .a = s->a,
                         .h = s->h,
                         .groups = s->groups,
                         .by_p = cop_divisor_of(s->p),
                         .by_a = cop_divisor_of(s->a),
                         .by_hosts = cop_divisor_of(s->a * s->p)};
    collect_links(d, t, &r->arena);
    for (size_t i = 0; i < (size_t)d->groups * d->groups; i++)
        d->parallel |= d->first[i + 1] - d->first[i] > 1;
    if (d->parallel) {
        cop_rng rng = cop_rng_make(0, COP_RNG_PLACE, 0);
        d->place = COP_NEW_ARRAY(&r->arena, uint32_t, d->by_hosts.by);
        cop_rng_permutation(&rng, d->place, d->by_hosts.by);
    }
    r->facts.turn = d->a;
    for (uint32_t g = 0; g < d->groups; g++)
        for (uint32_t to = 0; to < d->groups; to++)
            if (g != to && d->first[g * d->groups + to] == d->first[g * d->groups + to + 1])
                return cop_err_add(err, COP_E_INPUT,
                                   "routing %s: groups %u and %u have no global link; every pair "
                                   "of groups needs one",
                                   r->ops->name, g, to);
    return 0;
}

/* Of n links from a group, beginning with `link`, the one for packets from switch `from` to host
 * `dst`. */
static const cop_gateway *pick(const cop_dragonfly *d, const cop_gateway *link, uint32_t n,
                               uint32_t from, uint32_t dst)
{
    uint32_t share = (uint32_t)((uint64_t)cop_rest(from, d->by_a) * n / d->a);
    return &link[(share + d->place[cop_rest(dst, d->by_hosts)]) % n];
}

static const cop_gateway *of_several(const cop_dragonfly *d, const cop_gateway *link, uint32_t n,
                                     uint32_t sw, uint32_t in, uint32_t dst)
{
    if (cop_dragonfly_is_local(d, in)) { /* sent here because this switch has the link? */
        const cop_gateway *g = pick(d, link, n, cop_dragonfly_neighbour(d, sw, in), dst);
        if (g->sw == sw)
            return g;
    }
    return pick(d, link, n, sw, dst);
}

/* `from`: group of sw. */
static inline const cop_gateway *gateway(const cop_dragonfly *d, uint32_t from, uint32_t sw,
                                         uint32_t in, uint32_t group, uint32_t dst)
{
    size_t pair = (size_t)from * d->groups + group;
    const cop_gateway *link = &d->link[d->first[pair]];
    uint32_t n = d->first[pair + 1] - d->first[pair];
    return COP_LIKELY(n == 1) ? link : of_several(d, link, n, sw, in, dst);
}

const cop_gateway *cop_dragonfly_gateway(const cop_dragonfly *d, uint32_t sw, uint32_t in,
                                         uint32_t group, uint32_t dst)
{
    return gateway(d, cop_dragonfly_group(d, sw), sw, in, group, dst);
}

static inline cop_cand leave(const cop_dragonfly *d, uint32_t from, const cop_hop *hop,
                             uint32_t group, uint8_t local_vl, uint8_t global_vl)
{
    const cop_gateway *g = gateway(d, from, hop->sw, hop->in_port, group, hop->dst);
    if (g->sw == hop->sw)
        return (cop_cand){.port = g->port, .vl = global_vl};
    return (cop_cand){.port = cop_dragonfly_local_port(d, hop->sw, g->sw), .vl = local_vl};
}

cop_cand cop_dragonfly_leave(const cop_dragonfly *d, const cop_hop *hop, uint32_t group,
                             uint8_t local_vl, uint8_t global_vl)
{
    return leave(d, cop_dragonfly_group(d, hop->sw), hop, group, local_vl, global_vl);
}

cop_cand cop_dragonfly_to(const cop_dragonfly *d, const cop_hop *hop, uint8_t local_vl,
                          uint8_t global_vl, uint8_t last_vl)
{
    uint32_t target = cop_dragonfly_switch_of(d, hop->dst);
    if (target == hop->sw)
        return (cop_cand){.port = (uint16_t)(hop->dst - target * d->p)};
    uint32_t group = cop_dragonfly_group(d, target), here = cop_dragonfly_group(d, hop->sw);
    if (group != here)
        return leave(d, here, hop, group, local_vl, global_vl);
    return (cop_cand){.port = cop_dragonfly_local_port(d, hop->sw, target), .vl = last_vl};
}

uint32_t cop_dragonfly_distance(const cop_dragonfly *d, uint32_t sw, uint32_t in, uint32_t dst)
{
    uint32_t to = cop_dragonfly_switch_of(d, dst), there = cop_dragonfly_group(d, to);
    uint32_t here = cop_dragonfly_group(d, sw);
    if (here == there)
        return sw != to;
    const cop_gateway *g = gateway(d, here, sw, in, there, dst);
    return (g->sw != sw) + 1u + (g->far != to);
}

uint32_t cop_dragonfly_detour(const cop_dragonfly *d, uint32_t sw, uint32_t in, uint32_t via,
                              uint32_t dst)
{
    const cop_gateway *g = gateway(d, cop_dragonfly_group(d, sw), sw, in, via, dst);
    return (g->sw != sw) + 1u + cop_dragonfly_distance(d, g->far, COP_PORT_NONE, dst);
}
