/* Forwarding tables of dragonflies. See dragonfly_table.h. */
#include "route/dragonfly_table.h"

static void add(cop_flow_table *t, cop_flow_entry e, uint32_t first, uint32_t n, uint16_t out)
{
    e.dst_first = first;
    e.dst_last = first + n - 1;
    e.out = out;
    cop_flow_add(t, e);
}

uint16_t cop_dragonfly_like(const cop_dragonfly *d, uint16_t first, uint16_t end)
{
    uint32_t global0 = cop_dragonfly_global0(d);
    uint32_t n = !d->parallel || first >= global0 ? end : first < d->p ? d->p : first + 1u;
    return (uint16_t)((n < end ? n : end) - 1);
}

/* Minimal entries like `e` to the hosts of other groups: one a group, with parallel links one a host. */
static void add_group(const cop_dragonfly *d, uint32_t sw, uint32_t group, cop_flow_table *t,
                      cop_flow_entry e)
{
    uint32_t hosts = d->by_hosts.by, unit = d->parallel ? 1 : hosts;
    for (uint32_t i = 0; i < hosts; i += unit) {
        cop_hop hop = {.sw = sw, .in_port = e.in_first, .dst = group * hosts + i};
        add(t, e, hop.dst, unit, cop_dragonfly_leave(d, &hop, group, 0, 0).port);
    }
}

static void add_minimal(const cop_dragonfly *d, uint32_t sw, bool conditional, cop_flow_table *t,
                        cop_flow_entry e)
{
    for (uint32_t group = 0; group < d->groups; group++) {
        bool here = group == sw / d->a;
        e.conditional = conditional && !here;
        if (!here)
            add_group(d, sw, group, t, e);
        for (uint32_t s = group * d->a; here && s < (group + 1) * d->a; s++)
            if (s != sw)
                add(t, e, s * d->p, d->p, cop_dragonfly_local_port(d, sw, s));
            else
                for (uint32_t host = 0; host < d->p; host++)
                    add(t, e, s * d->p + host, 1, (uint16_t)host);
    }
}

void cop_dragonfly_entries(const cop_route *r, const cop_dragonfly *d, uint32_t sw,
                           bool conditional, cop_flow_table *t)
{
    uint16_t ports = (uint16_t)cop_topo_ports_of(r->topo, sw), last;
    for (uint16_t in = 0; in < ports; in = (uint16_t)(last + 1)) {
        last = cop_dragonfly_like(d, in, ports);
        add_minimal(
            d, sw, conditional, t,
            (cop_flow_entry){
                .in_first = in, .in_last = last, .priority = COP_FLOW_HIGH, .visit = COP_NONE});
    }
}

void cop_dragonfly_compile(cop_dragonfly_ports *c, cop_route *r, const cop_dragonfly *d,
                           bool conditional)
{
    uint32_t switches = d->groups * d->a;
    c->port = NULL;
    if (d->parallel)
        return;
    c->port = cop_arena_array(&r->arena, (size_t)switches * d->groups, sizeof(*c->port));
    for (uint32_t sw = 0; sw < switches; sw++) {
        cop_flow_table t = {0};
        cop_dragonfly_entries(r, d, sw, conditional, &t);
        for (size_t i = 0; i < t.n; i++) {
            const cop_flow_entry *e = &t.entry[i];
            uint32_t last = e->dst_last / d->p / d->a;
            for (uint32_t group = e->dst_first / d->p / d->a; group <= last; group++)
                c->port[(size_t)sw * d->groups + group] = e->out;
        }
        cop_flow_free(&t);
    }
}
