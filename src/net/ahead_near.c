/* What the next events will touch, fetched in time, in networks that fit a large cache but not a small one.
 *
 * Role     hints only, as in ahead.c, but those alone that cost next to nothing: lines whose place follows from the
 *          number of the entity, or stands in one of these. To guess where a packet will go costs more instructions
 *          there than it saves time. */
#include "net/ahead.h"

enum { FAR = 6, NEAR = 3 }; /* events, arbitrations */

void cop_ahead_near(const cop_net *net)
{
    uint32_t far = (uint32_t)cop_evq_ahead(&net->evq, FAR),
             near = (uint32_t)cop_evq_ahead(&net->evq, NEAR);
    uint32_t entity = cop_ev_entity_of(far);
    if (cop_ev_kind_of(far) == COP_EV_ARRIVE) {
        cop_fetch(&net->in[entity]);
    } else if (cop_ev_kind_of(far) == COP_EV_HEAD) {
        cop_fetch(&net->queue[entity]);
        if (!net->per_output)
            cop_fetch(cop_net_first_node(net, entity));
    }
    if (cop_ev_kind_of(near) != COP_EV_ARRIVE)
        return;
    const cop_in *in = &net->in[cop_ev_entity_of(near)];
    if (in->wire_head != COP_NONE)
        cop_fetch(&net->pkt[in->wire_head]);
    if (!net->per_output && in->sw != COP_NONE)
        cop_fetch(&net->queue[in->queue0]);
}

static void fetch_output(const cop_net *net, uint32_t port)
{
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(cop_ahead_requests(net, port));
    cop_fetch(&net->section[(size_t)port * net->sections]);
}

/* What comes back to the output, and where it sends to. */
static void fetch_ends(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    if (out->to == COP_NONE)
        return;
    cop_fetch(&out->ring.v[out->ring.at & out->ring.mask]);
    cop_fetch(&net->in[out->to]);
}

void cop_ahead_near_arbitrate(cop_net *net, const uint32_t *due, uint32_t n)
{
    bool outputs = !net->arch->matched; /* else switches are due */
    for (uint32_t i = 0; i < n + FAR; i++) {
        if (outputs && i < n)
            fetch_output(net, due[i]);
        if (outputs && i >= FAR - NEAR && i - (FAR - NEAR) < n)
            fetch_ends(net, due[i - (FAR - NEAR)]);
        if (i >= FAR)
            net->arch->arbitrate(net, due[i - FAR]);
    }
}
