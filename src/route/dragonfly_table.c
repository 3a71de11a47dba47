/* Forwarding tables of dragonflies. See dragonfly_table.h. */
#include "route/dragonfly_table.h"

static void add(cop_flow_table *t, cop_flow_entry e, uint32_t first, uint32_t n, uint16_t out)
{
    e.dst_first = first;
    e.dst_last = first + n - 1;
    e.out = out;
    cop_flow_add(t, e);
}

void cop_dragonfly_entries(const cop_route *r, const cop_dragonfly *d, uint32_t sw,
                           bool conditional, cop_flow_table *t)
{
    uint32_t own = sw / d->a * d->a, unit = d->parallel ? 1 : d->a;
    cop_flow_entry e = {.in_last = (uint16_t)(cop_topo_ports_of(r->topo, sw) - 1),
                        .priority = COP_FLOW_HIGH,
                        .visit = COP_NONE};
    for (uint32_t target = 0; target < d->groups * d->a;) {
        bool here = target >= own && target < own + d->a;
        uint32_t first = target * d->p;
        e.conditional = conditional && !here;
        if (target == sw)
            for (uint32_t host = 0; host < d->p; host++)
                add(t, e, first + host, 1, (uint16_t)host);
        else if (here)
            add(t, e, first, d->p, cop_dragonfly_local_port(d, sw, target));
        else
            add(t, e, first, unit * d->p,
                cop_dragonfly_leave(d, sw, target / d->a, target, 0, 0).port);
        target += here ? 1 : unit;
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
