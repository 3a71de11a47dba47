/* Large networks do not fit the cache: prefetch for coming events.
 *
 * Role     hints only; results are the same without. A hop accesses some twenty lines; each cache
 *          miss costs as much as a hundred instructions.
 * How      four stages, each reads what the previous one has fetched: the port of an event; the
 *          packet that is due there and the state of its buffer; its output, which the packet's
 *          line contains if it was routed when it was sent. Otherwise the output is predicted: by
 *          the routing's quick guess if it has one, or by a call without loads, as in the
 *          dependency check, and its result is discarded. Last the ring of the upstream sender, to
 *          which room is returned. */
#include "net/ahead/ahead_int.h"

#include "net/cable/cable.h"
#include "net/routing/routing.h"
#include "net/switch/request.h"
#include "net/switch/switch.h"

enum { FAR = 14, NEAR = 10, NEXT = 6, SOON = 3 }; /* events */
enum { FIRST = 8, SECOND = 6, THIRD = 4, FOURTH = 2 }; /* arbitrations */

/* The same for a packet that starts to wait there: a switch that matches accesses the buffer
 * later. */
COP_SIGHT void fetch_asked(const cop_net *net, uint32_t port, cop_sight k)
{
    cop_fetch_requests(net, port);
    if (k.buffered && !k.matched)
        cop_obuf_prefetch(net, port);
}

COP_SIGHT void fetch_output(const cop_net *net, uint32_t port, cop_sight k)
{
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(&net->section[(size_t)port * net->sections]);
    if (k.buffered)
        cop_obuf_prefetch(net, port);
    cop_vlarb_prefetch(net, port);
    cop_ahead_states(net, port);
}

COP_SIGHT void fetch_packet(const cop_net *net, uint32_t port, cop_sight k)
{
    uint32_t h = net->in[port].wire_head;
    if (h != COP_NONE)
        cop_fetch(&net->pkt[h]);
    if (k.credit) {
        cop_fetch(&net->out[net->in[port].from]);
        cop_fetch(&net->out[net->in[port].from].ring);
    }
    if (k.holds) {
        cop_fetch(&net->fc_state->inbuf[port]);
        cop_fetch(&net->fc_state->hold[(size_t)port * net->sections]);
    }
}

/* The list of requests of an input for lane vl of an output. */
static void fetch_slot(const cop_net *net, const cop_in *in, uint32_t local, uint32_t vl)
{
    cop_fetch(&net->slot[in->slot + ((size_t)local * net->lanes + vl) * in->ports]);
}

COP_SIGHT void fetch_way(const cop_net *net, uint32_t port, cop_sight k)
{
    const cop_in *in = &net->in[port];
    if (in->wire_head == COP_NONE)
        return;
    const cop_pkt *p = &net->pkt[in->wire_head];
    if (p->next != COP_NONE)
        cop_fetch(&net->pkt[p->next]); /* its arrival event is pushed next */
    if (k.holds) {
        const cop_ring *freed = &net->fc_state->inbuf[port].freed;
        cop_fetch(&freed->v[freed->at & freed->mask]);
    }
    if (in->sw == COP_NONE) {
        cop_fetch(&net->probe.stream[p->stream]);
        cop_fetch(&net->nic[port - net->host_port0]);
        return;
    }
    if (p->flags & COP_PKT_CONTROL)
        return;
    uint8_t vl;
    uint32_t local = cop_ahead_guess(net, in, p, &vl);
    fetch_asked(net, in->port0 + local, k);
    if (!k.lists) {
        cop_fetch(&net->queue[in->queue0 + local * net->lanes + vl]);
        return;
    }
    uint32_t q = in->queue0 + net->queue_ops->select(net->queue_cfg, &net->info, p);
    cop_fetch(&net->queue[q]);
    cop_fetch(cop_net_first_node(net, q));
    fetch_slot(net, in, local, vl);
}

COP_SIGHT void fetch_queue(const cop_net *net, uint32_t q, cop_sight k)
{
    cop_fetch(&net->queue[q]);
    if (k.lists)
        cop_fetch(cop_net_first_node(net, q));
    else
        cop_fetch(&net->queue_port[q]);
}

/* The predicted output of the head of q. */
COP_SIGHT void fetch_way_on(const cop_net *net, uint32_t q, cop_sight k)
{
    if (net->queue[q].head == COP_NONE || !k.lists)
        return;
    const cop_in *in = &net->in[cop_net_first_node(net, q)->in];
    const cop_pkt *p = &net->pkt[net->queue[q].head];
    if (in->sw == COP_NONE || (p->flags & COP_PKT_CONTROL))
        return;
    uint8_t vl = p->out_vl; /* as it was routed before, if that stands */
    uint32_t local = net->max_cand == 1 && !net->route->facts.at_head
                         ? p->out
                         : cop_ahead_guess(net, in, p, &vl);
    fetch_asked(net, in->port0 + local, k);
    fetch_slot(net, in, local, vl);
}

COP_SIGHT void fetch_head(const cop_net *net, uint32_t q, cop_sight k)
{
    cop_fetch(&net->in[k.lists ? cop_net_first_node(net, q)->in : net->queue_port[q]]);
    if (net->queue[q].head != COP_NONE)
        cop_fetch(&net->pkt[net->queue[q].head]);
}

static __attribute__((noinline)) void look_to_arbitrate(const cop_net *net, uint32_t entity,
                                                        unsigned stage, cop_time t)
{
    if (net->iq)
        cop_iq_prefetch(net, entity, stage, t);
    else
        cop_output_prefetch(net, entity, stage);
}

COP_SIGHT void look_far(const cop_net *net, enum cop_ev_kind kind, uint32_t entity, cop_time t,
                        cop_sight k)
{
    if (kind == COP_EV_ARRIVE)
        cop_fetch(&net->in[entity]);
    else if (kind == COP_EV_TX)
        fetch_output(net, entity, k);
    else if (kind == COP_EV_ARB && !net->many_due)
        look_to_arbitrate(net, entity, 0, t);
    else if (kind == COP_EV_HEAD)
        fetch_queue(net, entity, k);
    else if (kind == COP_EV_NIC)
        cop_ahead_host(net, entity);
}

COP_SIGHT void look_near(const cop_net *net, enum cop_ev_kind kind, uint32_t entity, cop_time t,
                         cop_sight k)
{
    if (kind == COP_EV_ARRIVE)
        fetch_packet(net, entity, k);
    else if (kind == COP_EV_TX)
        cop_fetch(&net->in[net->out[entity].to]);
    else if (kind == COP_EV_ARB && !net->many_due)
        look_to_arbitrate(net, entity, 1, t);
    else if (kind == COP_EV_HEAD)
        fetch_head(net, entity, k);
    else if (kind == COP_EV_NIC)
        cop_ahead_stream(net, entity);
}

COP_SIGHT void look_next(const cop_net *net, enum cop_ev_kind kind, uint32_t entity, cop_time t,
                         cop_sight k)
{
    if (kind == COP_EV_ARRIVE)
        fetch_way(net, entity, k);
    else if (kind == COP_EV_TX) {
        cop_obuf_prefetch_packet(net, entity);
        const cop_in *in = &net->in[net->out[entity].to];
        if (in->wire_head != COP_NONE)
            cop_fetch(&net->pkt[in->wire_tail]); /* the next packet is linked to it */
    } else if (kind == COP_EV_HEAD)
        fetch_way_on(net, entity, k);
    else if (kind == COP_EV_ARB && !net->many_due)
        look_to_arbitrate(net, entity, 2, t);
}

COP_SIGHT void look_soon(const cop_net *net, enum cop_ev_kind kind, uint32_t entity, cop_time t,
                         cop_sight k)
{
    if (k.credit && kind == COP_EV_ARRIVE)
        cop_ahead_return(net, entity);
    else if (kind == COP_EV_ARB && !net->many_due)
        look_to_arbitrate(net, entity, 3, t);
}

#define LOOK(look, n, k)                                                                           \
    do {                                                                                           \
        uint64_t key = cop_evq_ahead(&net->evq, n);                                                \
        uint32_t id = (uint32_t)key;                                                               \
        look(net, cop_ev_kind_of(id), cop_ev_entity_of(id), net->evq.high | key >> 32, k);         \
    } while (0)

COP_SIGHT void look(const cop_net *net, cop_sight k)
{
    LOOK(look_far, FAR, k);
    LOOK(look_near, NEAR, k);
    LOOK(look_next, NEXT, k);
    LOOK(look_soon, SOON, k);
}

static __attribute__((noinline)) void look_any(const cop_net *net)
{
    look(net, cop_sight_of(net));
}

void cop_ahead(cop_net *net)
{
    if (COP_LIKELY(net->looks_plain))
        cop_ahead_plain(net);
    else if (net->looks_buffered)
        look(net, cop_sight_buffered);
    else if (net->looks_far)
        look_any(net);
    else
        cop_ahead_near(net);
}

/* The same for arbitrations: slotted traffic has many at one instant. */
void cop_ahead_arbitrate(cop_net *net, uint32_t first, uint32_t last)
{
    uint32_t *due = net->due_entity, n = 0;
    for (uint32_t w = first; w <= last; w++) {
        for (uint64_t bits = net->evq.due[w]; bits; bits &= bits - 1)
            due[n++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
        net->evq.due[w] = 0;
    }
    if (!net->looks_far) {
        cop_ahead_near_arbitrate(net, due, n);
        return;
    }
    net->many_due = n >= FIRST;
    if (n < FIRST) { /* too few to prefetch for */
        for (uint32_t i = 0; i < n; i++)
            net->arch->arbitrate(net, due[i]);
        return;
    }
    if (COP_LIKELY(net->looks_plain)) {
        cop_ahead_plain_arbitrate(net, due, n);
        return;
    }
    if (net->iq && net->words == 1 && (net->quick_pick || net->quick_list)) {
        cop_iq_ahead_arbitrate(net, due, n);
        return;
    }
    for (uint32_t i = 0; i < n + FIRST; i++) {
        if (i < n)
            look_to_arbitrate(net, due[i], 0, net->now);
        if (i >= FIRST - SECOND && i - (FIRST - SECOND) < n)
            look_to_arbitrate(net, due[i - (FIRST - SECOND)], 1, net->now);
        if (i >= FIRST - THIRD && i - (FIRST - THIRD) < n)
            look_to_arbitrate(net, due[i - (FIRST - THIRD)], 2, net->now);
        if (i >= FIRST - FOURTH && i - (FIRST - FOURTH) < n)
            look_to_arbitrate(net, due[i - (FIRST - FOURTH)], 3, net->now);
        if (i >= FIRST)
            net->arch->arbitrate(net, due[i - FIRST]);
    }
}
