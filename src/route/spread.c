/* Balanced forwarding tables: destinations in ascending order, at each switch the allowed port with
 * the fewest destinations so far, the lowest of equals. This is the rule of OpenSM's unicast
 * manager; on a full fat tree it spreads all-to-all traffic evenly. */
#include "route/spread.h"

static uint16_t least_used(const cop_choices *c, uint32_t sw, const uint32_t *used)
{
    uint16_t best = UINT16_MAX;
    for (uint32_t i = c->first[sw]; i < c->first[sw + 1]; i++)
        if (best == UINT16_MAX || used[c->port[i]] < used[best])
            best = c->port[i];
    return best;
}

bool cop_spread_fill(cop_route *r, cop_choices_fn *choices, void *ctx, uint32_t *bad_sw,
                     uint32_t *bad_dst)
{
    const cop_topo *t = r->topo;
    cop_choices c = {.first = cop_alloc_array((size_t)t->n_switches + 1, sizeof(uint32_t)),
                     .port = cop_alloc_array(t->host_port0, sizeof(uint16_t))};
    uint32_t *used = cop_alloc_array(t->host_port0, sizeof(*used));
    bool *entry = cop_alloc_array(t->n_switches, sizeof(*entry));
    for (uint32_t h = 0; h < t->n_hosts; h++)
        entry[cop_topo_entry_switch(t, h)] = true;
    if (r->lft == NULL)
        r->lft = COP_NEW_ARRAY(&r->arena, uint16_t, cop_product(t->n_switches, t->n_hosts));
    bool good = true;
    uint32_t before = COP_NONE;
    for (uint32_t dst = 0; dst < t->n_hosts && good; dst++) {
        const cop_port *out = &t->port[cop_topo_exit_port(t, dst)];
        if (out->owner != before)
            choices(ctx, t, out->owner, &c);
        before = out->owner;
        for (uint32_t sw = 0; sw < t->n_switches; sw++) {
            uint32_t *counts = used + t->sw_port0[sw];
            uint16_t port = sw == out->owner ? out->local : least_used(&c, sw, counts);
            r->lft[(size_t)sw * t->n_hosts + dst] = port;
            if (port != UINT16_MAX) {
                counts[port]++;
            } else if (entry[sw] && good) {
                good = false;
                *bad_sw = sw;
                *bad_dst = dst;
            }
        }
    }
    cop_free(c.first);
    cop_free(c.port);
    cop_free(used);
    cop_free(entry);
    return good;
}

unsigned cop_spread_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand)
{
    (void)view;
    *cand = (cop_cand){.port = r->lft[(size_t)hop->sw * r->topo->n_hosts + hop->dst]};
    return 1;
}
