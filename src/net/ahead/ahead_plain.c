/* The same hints as in ahead.c for the most common large networks, at half the cost.
 *
 * Role     hints only. Switches of architecture ib with one queue per (input, output, lane), plain
 *          credits, round robin among at most 64 inputs, so the conditions of ahead.c are constants
 *          here (net->looks_plain).
 * How      four stages, as there. The next grant of an output is predicted once, when its line has
 *          come, and kept for the later stages: by place among the coming events, or among the
 *          arbitrations that are due. A wrong prediction only wastes its prefetches. */
#include "net/ahead/ahead_int.h"

#include "net/routing/routing.h"

enum { FAR = 14, NEAR = 10, NEXT = 6, SOON = 3 }; /* events */
enum { FIRST = 8, SECOND = 6, THIRD = 4, FOURTH = 2 }; /* arbitrations */

/* -- an arbitration: the output, the requesting input, its queue, its packet -- */

static inline void fetch_output(const cop_net *net, uint32_t port)
{
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(cop_ahead_requests(net, port));
    cop_ahead_states(net, port);
}

static const cop_hint nobody = {COP_NONE, COP_NONE};

static inline cop_hint fetch_asker(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    uint32_t ready = out->vl_ready & ~out->vl_blocked;
    if (ready == 0)
        return nobody;
    uint32_t vl = (uint32_t)__builtin_ctz(ready);
    uint64_t all = out->request[vl], later = all & ~(uint64_t)0 << (out->lane[vl].rr % 64);
    uint32_t in = out->port0 + (uint32_t)__builtin_ctzll(later ? later : all);
    cop_fetch(&net->in[in]);
    cop_fetch(&net->in[out->to]);
    cop_fetch(&net->section[(size_t)port * net->sections]);
    cop_fetch(&out->ring.v[out->ring.at & out->ring.mask]);
    return (cop_hint){in, out->local * net->lanes + vl};
}

static inline void fetch_queue(const cop_net *net, const cop_hint *hint)
{
    if (hint->in == COP_NONE)
        return;
    const cop_in *in = &net->in[hint->in];
    cop_fetch(&net->queue[in->queue0 + hint->queue]);
    cop_fetch(&net->out[in->from]);
    cop_fetch(&net->out[in->from].ring);
}

static inline void fetch_head(const cop_net *net, const cop_hint *hint)
{
    if (hint->in == COP_NONE)
        return;
    const cop_in *in = &net->in[hint->in];
    uint32_t head = net->queue[in->queue0 + hint->queue].head;
    if (head != COP_NONE)
        cop_fetch(&net->pkt[head]);
    const cop_ring *r = &net->out[in->from].ring;
    cop_fetch(&r->v[r->end & r->mask]);
}

/* -- a packet that arrives -- */

static inline void fetch_packet(const cop_net *net, uint32_t port)
{
    const cop_in *in = &net->in[port];
    if (in->wire_head != COP_NONE)
        cop_fetch(&net->pkt[in->wire_head]);
    cop_fetch(&net->out[in->from]);
    cop_fetch(&net->out[in->from].ring);
}

static inline void fetch_way(const cop_net *net, uint32_t port)
{
    const cop_in *in = &net->in[port];
    if (in->wire_head == COP_NONE)
        return;
    const cop_pkt *p = &net->pkt[in->wire_head];
    if (p->next != COP_NONE)
        cop_fetch(&net->pkt[p->next]); /* its arrival event is pushed next */
    if (in->sw == COP_NONE) {
        cop_fetch(&net->probe.stream[p->stream]);
        cop_fetch(&net->nic[port - net->host_port0]);
    } else if (!(p->flags & COP_PKT_CONTROL)) {
        uint8_t vl;
        uint32_t local = cop_ahead_guess(net, in, p, &vl);
        fetch_output(net, in->port0 + local);
        cop_fetch(&net->queue[in->queue0 + local * net->lanes + vl]);
    }
}

/* -- events -- */

static inline void look_far(const cop_net *net, uint32_t id)
{
    uint32_t entity = cop_ev_entity_of(id);
    switch ((int)cop_ev_kind_of(id)) {
    case COP_EV_ARRIVE:
        cop_fetch(&net->in[entity]);
        break;
    case COP_EV_ARB:
        if (!net->many_due)
            fetch_output(net, entity);
        break;
    case COP_EV_HEAD:
        cop_fetch(&net->queue[entity]);
        cop_fetch(&net->queue_port[entity]);
        break;
    case COP_EV_NIC:
        cop_ahead_host(net, entity);
        break;
    }
}

static inline void look_near(const cop_net *net, uint32_t id, cop_hint *hint)
{
    uint32_t entity = cop_ev_entity_of(id);
    switch ((int)cop_ev_kind_of(id)) {
    case COP_EV_ARRIVE:
        fetch_packet(net, entity);
        break;
    case COP_EV_ARB:
        *hint = net->many_due ? nobody : fetch_asker(net, entity);
        break;
    case COP_EV_HEAD:
        cop_fetch(&net->in[net->queue_port[entity]]);
        if (net->queue[entity].head != COP_NONE)
            cop_fetch(&net->pkt[net->queue[entity].head]);
        break;
    case COP_EV_NIC:
        cop_ahead_stream(net, entity);
        break;
    }
}

static inline void look_next(const cop_net *net, uint32_t id, const cop_hint *hint)
{
    switch ((int)cop_ev_kind_of(id)) {
    case COP_EV_ARRIVE:
        fetch_way(net, cop_ev_entity_of(id));
        break;
    case COP_EV_ARB:
        fetch_queue(net, hint);
        break;
    }
}

static inline void look_soon(const cop_net *net, uint32_t id, const cop_hint *hint)
{
    switch ((int)cop_ev_kind_of(id)) {
    case COP_EV_ARRIVE: {
        const cop_ring *r = &net->out[net->in[cop_ev_entity_of(id)].from].ring;
        cop_fetch(&r->v[r->end & r->mask]);
        break;
    }
    case COP_EV_ARB:
        fetch_head(net, hint);
        break;
    }
}

void cop_ahead_plain(cop_net *net)
{
    const cop_evq *q = &net->evq;
    cop_hint *hint = net->hint;
    uint32_t at = q->run_at;
    look_far(net, (uint32_t)cop_evq_ahead(q, FAR));
    look_near(net, (uint32_t)cop_evq_ahead(q, NEAR), &hint[(at + NEAR) % COP_HINTS]);
    look_next(net, (uint32_t)cop_evq_ahead(q, NEXT), &hint[(at + NEXT) % COP_HINTS]);
    look_soon(net, (uint32_t)cop_evq_ahead(q, SOON), &hint[(at + SOON) % COP_HINTS]);
}

void cop_ahead_plain_arbitrate(cop_net *net, const uint32_t *due, uint32_t n)
{
    cop_hint hint[COP_HINTS];
    for (uint32_t i = 0; i < n + FIRST; i++) {
        uint32_t at = i - FIRST; /* the arbitration to run now; before the first one it wraps */
        if (i < n)
            fetch_output(net, due[i]);
        if (at + SECOND < n)
            hint[(at + SECOND) % COP_HINTS] = fetch_asker(net, due[at + SECOND]);
        if (at + THIRD < n)
            fetch_queue(net, &hint[(at + THIRD) % COP_HINTS]);
        if (at + FOURTH < n)
            fetch_head(net, &hint[(at + FOURTH) % COP_HINTS]);
        if (at < n)
            net->arch->arbitrate(net, due[at]);
    }
}
