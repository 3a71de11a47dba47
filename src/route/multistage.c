/* Destination-tag routing of one-way multistage networks (Omega, butterfly).
 *
 * With hosts written in base `radix`, column c of n takes output number = digit n-1-c of the
 * destination: the highest digit first. There is one path per pair, and columns only lead forward:
 * one lane, no cycle. Pure arithmetic.
 * Setup walks from the first switch to every host and refuses a wiring where that fails.
 * Sources: Lawrie, "Access and alignment of data in an array processor", IEEE Trans. Computers
 * 1975; Dally and Towles, "Principles and practices of interconnection networks", 2004, section
 * 8.4.1. */
#include "route/route_cfg.h"

typedef struct multistage {
    uint32_t radix, stages, rows;
    uint32_t *weight; /* [column]: radix^(stages-1-column) */
} multistage;

static unsigned multistage_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                 cop_cand *cand)
{
    (void)view;
    const multistage *m = r->state;
    *cand = (cop_cand){.port = (uint16_t)(hop->dst / m->weight[hop->sw / m->rows] % m->radix)};
    return 1;
}

static bool arrives(const cop_route *r, uint32_t dst)
{
    const cop_topo *t = r->topo;
    const multistage *m = r->state;
    cop_hop hop = {.sw = cop_topo_entry_switch(t, 0), .dst = dst, .mid = COP_NONE};
    for (uint32_t i = 0; i < m->stages; i++) {
        cop_cand cand;
        multistage_route(r, &hop, NULL, &cand);
        uint32_t to = t->port[cop_topo_switch_port(t, hop.sw, cand.port)].to;
        if (to == COP_NONE || cop_topo_is_host_port(t, to))
            return to == cop_topo_host_port(t, dst);
        hop.sw = t->port[to].owner;
    }
    return false;
}

static int multistage_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg;
    const cop_topo *t = r->topo;
    if (t->shape.kind != COP_SHAPE_MULTISTAGE)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s needs an omega or butterfly network, the topology is %s; "
                           "use minhop",
                           r->ops->name, t->kind ? t->kind : "something else");
    const cop_multistage_shape *s = &t->shape.u.multistage;
    multistage *m = COP_NEW_ARRAY(&r->arena, multistage, 1);
    m->radix = s->radix;
    m->stages = s->stages;
    m->rows = t->n_hosts / s->radix;
    m->weight = COP_NEW_ARRAY(&r->arena, uint32_t, s->stages);
    uint32_t weight = t->n_hosts;
    for (uint32_t c = 0; c < s->stages; c++)
        m->weight[c] = weight /= s->radix;
    r->state = m;
    r->facts.single = r->facts.memoryless = true;
    for (uint32_t dst = 0; dst < t->n_hosts; dst++)
        if (!arrives(r, dst))
            return cop_err_add(err, COP_E_INPUT,
                               "routing %s does not reach host %u on this wiring; use minhop",
                               r->ops->name, dst);
    return 0;
}

const cop_route_ops cop_route_destination_tag = {
    .name = "destination-tag",
    .summary = "omega, butterfly: one digit of the destination per column",
    .source = "Lawrie, IEEE Trans. Computers 1975",
    .in_order = true,
    .setup = multistage_setup,
    .route = multistage_route,
};
