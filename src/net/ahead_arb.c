/* What an arbitration will touch, fetched in time. See ahead.c.
 *
 * Role     hints only. Four stages, each when the lines of the one before have come: what is known of the
 *          outputs that somebody wants; the queue and the buffer of the input that has its turn there, as
 *          far as one can tell without matching; the packet at the head of that queue, and the sender to which its
 *          room goes back; where that notes it. */
#include "net/ahead.h"
#include "net/arch.h"
#include "net/fc_state.h"
#include "net/request.h"
#include "net/routing.h"
#include "net/sw_iq.h"

static void fetch_outputs(const cop_net *net, uint32_t port)
{
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(cop_ahead_requests(net, port));
    if (net->obuf)
        cop_obuf_prefetch(net, port);
    if (net->lane_waiting)
        cop_fetch(&net->lane_waiting[(size_t)port * net->lanes]);
    if (net->cc->port_size)
        cop_fetch(net->cc_state + (size_t)port * net->cc->port_size);
    if (net->routing != NULL)
        cop_routing_prefetch(net, port);
}

/* The input whose turn it is to ask lane vl of an output, of those that do. */
static uint32_t next_turn(const cop_out *out, uint32_t vl)
{
    uint64_t all = out->request[vl], later = all & ~(uint64_t)0 << (out->lane[vl].rr % 64);
    return (uint32_t)__builtin_ctzll(later ? later : all);
}

/* One queue per output and lane: its number says which. */
static const cop_queue *own_queue(const cop_net *net, const cop_out *out, uint32_t input,
                                  uint32_t vl)
{
    /* Not from the input's own line, which is yet to come: every input of a switch has as many queues. */
    uint32_t ports = cop_topo_ports_of(net->topo, out->sw);
    return &net->queue[net->in[out->port0].queue0 + (input * ports + out->local) * net->lanes + vl];
}

/* Request lists: the queues of an input and their nodes, and the slot that tells which of them it is. */
static void fetch_lists(const cop_net *net, const cop_out *out, uint32_t port, uint32_t input,
                        uint32_t vl)
{
    uint32_t first = net->in[out->port0].queue0, n = net->in[out->port0 + 1].queue0 - first;
    uint32_t q = first + input * n;
    cop_fetch(&net->slot[cop_slot_of(net, port, vl, input)]);
    cop_fetch(&net->queue[q]);
    cop_fetch(&net->queue_read[q]);
    cop_fetch(&net->node[(size_t)q * net->max_cand]);
}

void cop_ahead_return(const cop_net *net, uint32_t in)
{
    uint32_t from = net->in[in].from;
    if (from == COP_NONE)
        return;
    const cop_ring *r = &net->out[from].ring;
    if (r->v)
        cop_fetch(&r->v[r->end & r->mask]);
}

static void fetch_turn(const cop_net *net, uint32_t port, unsigned stage)
{
    const cop_out *out = &net->out[port];
    uint32_t ready = out->vl_ready & ~out->vl_blocked;
    if (ready == 0)
        return;
    uint32_t vl = (uint32_t)__builtin_ctz(ready), input = next_turn(out, vl),
             in = out->port0 + input;
    const cop_inbuf *b = net->fc_state && net->fc_state->inbuf ? &net->fc_state->inbuf[in] : NULL;
    if (stage == 3) {
        cop_ahead_return(net, in);
        return;
    }
    if (stage == 1) {
        if (net->per_output)
            cop_fetch(own_queue(net, out, input, vl));
        else
            fetch_lists(net, out, port, input, vl);
        cop_fetch(&net->in[in]);
        if (out->ring.v)
            cop_fetch(&out->ring.v[out->ring.at & out->ring.mask]);
        if (b)
            cop_fetch(b);
        return;
    }
    cop_fetch(&net->in[out->to]);
    cop_fetch(&net->section[(size_t)port * net->sections]);
    if (net->plain_credit && net->in[in].from != COP_NONE) {
        cop_fetch(&net->out[net->in[in].from]);
        cop_fetch(&net->out[net->in[in].from].ring);
    }
    const cop_queue *q;
    if (net->per_output) {
        q = own_queue(net, out, input, vl);
    } else {
        uint32_t last = net->slot[cop_slot_of(net, port, vl, input)];
        if (last == COP_NONE)
            return;
        q = &net->queue[last / net->max_cand];
    }
    if (q->head != COP_NONE)
        cop_fetch(&net->pkt[q->head]);
    if (b)
        cop_fetch(&b->freed.v[b->freed.end & b->freed.mask]);
}

void cop_output_prefetch(const cop_net *net, uint32_t port, unsigned stage)
{
    if (stage == 0)
        fetch_outputs(net, port);
    else if (net->quick_pick || net->quick_list)
        fetch_turn(net, port, stage);
}

void cop_iq_prefetch(const cop_net *net, uint32_t sw, unsigned stage)
{
    const uint64_t *wanted = &net->iq->wanted[(size_t)sw * net->words];
    uint32_t port0 = net->topo->sw_port0[sw], end = net->topo->sw_port0[sw + 1];
    if (stage == 0)
        cop_fetch(&net->in[port0]);
    for (uint32_t p = port0; stage == 0 && p < end; p += 64 / sizeof(cop_time)) {
        cop_fetch(&net->iq->in_until[p]);
        cop_fetch(&net->iq->out_until[p]);
    }
    for (uint32_t w = 0; w < net->words; w++)
        for (uint64_t bits = wanted[w]; bits; bits &= bits - 1) {
            uint32_t port = port0 + w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (net->iq->out_until[port] > net->now)
                continue; /* a packet is still crossing to it */
            cop_output_prefetch(net, port, stage);
        }
}
