/* Prefetch for arbitrations. See ahead.c.
 *
 * Role     hints only. Four stages, each when the lines of the previous one have come: the state of
 *          requested outputs; the input that has its turn there, predicted without matching, its
 *          buffer, and its list of requests; the queue of the first request, the other end of the
 *          link, and the sender to which room is returned; the packet at the head of the queue, and
 *          that sender's ring. */
#include "net/ahead/ahead_int.h"
#include "net/cable/cable.h"
#include "net/routing/routing.h"
#include "net/switch/request.h"
#include "net/switch/sw_iq.h"
#include "net/switch/switch.h"

/* The input that has its turn among those that request lane vl of an output. */
static uint32_t next_turn(const cop_out *out, uint32_t vl)
{
    uint64_t all = out->request[vl], later = all & ~(uint64_t)0 << (out->lane[vl].rr % 64);
    return (uint32_t)__builtin_ctzll(later ? later : all);
}

/* The queue whose head lane vl of the output takes next; COP_NONE: none. */
COP_SIGHT uint32_t next_queue(const cop_net *net, const cop_out *out, uint32_t port, uint32_t in,
                              uint32_t vl, cop_sight k)
{
    if (!k.lists) /* its number follows from output and lane */
        return net->in[in].queue0 + out->local * net->lanes + vl;
    cop_asker asker = cop_asker_of(&net->in[in]);
    uint32_t last = *cop_asker_slot(net, &asker, port, vl);
    return last == COP_NONE ? COP_NONE : cop_net_queue_of(net, last);
}

/* The list of requests that contains the queue, the input that has its turn, and its buffer. */
COP_SIGHT void fetch_asker(const cop_net *net, const cop_out *out, uint32_t port, uint32_t input,
                           uint32_t vl, cop_sight k)
{
    uint32_t in = out->port0 + input;
    if (k.lists)
        cop_fetch(&net->slot[cop_slot_of(net, port, vl, input)]);
    cop_fetch(&net->in[in]);
    if (k.holds)
        cop_fetch(&net->fc_state->inbuf[in]);
    else if (out->ring.v)
        cop_fetch(&out->ring.v[out->ring.at & out->ring.mask]);
}

/* Its queue, the buffers of both sides. Returns the queue; COP_NONE: none. */
COP_SIGHT uint32_t fetch_queue(const cop_net *net, const cop_out *out, uint32_t port, uint32_t in,
                               uint32_t vl, cop_sight k)
{
    uint32_t q = next_queue(net, out, port, in, vl, k);
    if (q != COP_NONE) {
        cop_fetch(&net->queue[q]);
        if (k.lists)
            cop_fetch(cop_net_first_node(net, q));
    }
    cop_fetch(&net->in[out->to]);
    cop_fetch(&net->section[(size_t)port * net->sections]);
    if (k.credit && net->in[in].from != COP_NONE) {
        cop_fetch(&net->out[net->in[in].from]);
        cop_fetch(&net->out[net->in[in].from].ring);
    }
    if (k.holds) {
        const cop_ring *freed = &net->fc_state->inbuf[in].freed;
        cop_fetch(&freed->v[freed->end & freed->mask]);
    }
    if (k.buffered)
        cop_obuf_prefetch_tail(net, port, vl);
    return q;
}

/* The packet at the head of the queue, and the ring of the upstream sender, to which room is
 * returned. */
COP_SIGHT void fetch_head(const cop_net *net, uint32_t in, uint32_t q, cop_sight k)
{
    if (q != COP_NONE && net->queue[q].head != COP_NONE)
        cop_fetch(&net->pkt[net->queue[q].head]);
    if (k.credit)
        cop_ahead_return(net, in);
}

static void fetch_turn(const cop_net *net, uint32_t port, unsigned stage)
{
    const cop_out *out = &net->out[port];
    uint32_t ready = out->vl_ready & ~out->vl_blocked;
    if (ready == 0)
        return;
    const cop_sight k = cop_sight_of(net);
    uint32_t vl = (uint32_t)__builtin_ctz(ready), input = next_turn(out, vl),
             in = out->port0 + input;
    if (stage == 1)
        fetch_asker(net, out, port, input, vl, k);
    else if (stage == 2)
        (void)fetch_queue(net, out, port, in, vl, k);
    else
        fetch_head(net, in, next_queue(net, out, port, in, vl, k), k);
}

void cop_output_prefetch(const cop_net *net, uint32_t port, unsigned stage)
{
    if (stage == 0)
        cop_ahead_output(net, port);
    else if (net->quick_pick || net->quick_list)
        fetch_turn(net, port, stage);
}

/* Of word w of the switch's outputs: those that are requested and to which no packet is crossing at
 * time t. */
static uint64_t free_outputs(const cop_net *net, uint32_t sw, uint32_t w, cop_time t)
{
    const iq_set *set = &net->iq->set[(size_t)sw * net->words + w];
    const cop_time *until = &net->iq->out_until[net->topo->sw_port0[sw] + w * 64];
    return (set->wanted & ~set->busy_out) | cop_iq_crossed(set->wanted & set->busy_out, until, t);
}

/* Predict the next grant of an output; false: none, or unknown. */
COP_SIGHT bool guess_turn(const cop_net *net, uint32_t port, iq_guess *g, cop_sight k)
{
    const cop_out *out = &net->out[port];
    uint32_t ready = out->vl_ready & ~out->vl_blocked;
    if (ready == 0)
        return false;
    g->vl = k.buffered ? cop_obuf_pick_lane(net, port, ready) : (uint32_t)__builtin_ctz(ready);
    uint32_t input = next_turn(out, g->vl);
    g->in = out->port0 + input;
    if (k.buffered)
        cop_vlarb_prefetch(net, port);
    fetch_asker(net, out, port, input, g->vl, k);
    return true;
}

/* The grant is predicted once for all stages: an output without a request in the second stage is
 * skipped in the others. */
void cop_iq_prefetch(const cop_net *net, uint32_t sw, unsigned stage, cop_time t)
{
    const cop_sight k = cop_sight_of(net);
    uint32_t port0 = net->topo->sw_port0[sw];
    for (uint32_t w = 0; w < net->words; w++) {
        uint64_t *hinted = &net->iq->set[(size_t)sw * net->words + w].hinted;
        if (stage == 0)
            *hinted = free_outputs(net, sw, w, t);
        else if (!net->quick_pick && !net->quick_list)
            return;
        for (uint64_t bits = *hinted; bits; bits &= bits - 1) {
            uint32_t port = port0 + w * 64 + (uint32_t)__builtin_ctzll(bits);
            iq_guess *g = &net->iq->guess[port];
            if (stage == 0)
                cop_ahead_output(net, port);
            else if (stage == 1)
                *hinted &= guess_turn(net, port, g, k) ? ~(uint64_t)0 : ~(bits & -bits);
            else if (stage == 2)
                g->queue = fetch_queue(net, &net->out[port], port, g->in, g->vl, k);
            else
                fetch_head(net, g->in, g->queue, k);
        }
    }
}

/* -- many switches at one instant, of at most 64 ports: the outputs of each are listed once for all
 * stages -- */

enum { FIRST = 8, SECOND = 6, THIRD = 4, FOURTH = 2 }; /* switches ahead of the one that matches */
enum { SOONER = 2 }; /* and ahead of the first */
enum { LISTS = 2 * FIRST }; /* more than FIRST + 1 */
_Static_assert((FIRST + 1) * 64 <= COP_IQ_HINTS, "what is listed at a time");

static iq_hint *hint_at(const cop_net *net, uint32_t i)
{
    return &net->iq->hint[i % COP_IQ_HINTS];
}

/* Lines with the busy times of a switch's ports: nine lines for 23 ports. */
static void fetch_ports(const cop_net *net, uint32_t sw)
{
    uint32_t first = net->topo->sw_port0[sw], end = net->topo->sw_port0[sw + 1];
    for (uint32_t port = first; port < end; port += 8)
        cop_fetch(&net->iq->out_until[port]);
    for (uint32_t port = first; port < end; port += 4)
        cop_fetch(&net->iq->input[port]);
}

/* Lists the free outputs of a switch that are requested, from place `end` on; returns the place
 * behind the last. */
static uint32_t list_outputs(const cop_net *net, uint32_t sw, uint32_t end)
{
    uint32_t port0 = net->topo->sw_port0[sw];
    for (uint64_t bits = free_outputs(net, sw, 0, net->now); bits; bits &= bits - 1) {
        uint32_t port = port0 + (uint32_t)__builtin_ctzll(bits);
        hint_at(net, end++)->port = port;
        cop_ahead_output(net, port);
    }
    return end;
}

COP_SIGHT void find_askers(const cop_net *net, uint32_t from, uint32_t end, cop_sight k)
{
    for (; from != end; from++) {
        iq_hint *h = hint_at(net, from);
        if (!guess_turn(net, h->port, &h->guess, k))
            h->port = COP_NONE;
    }
}

COP_SIGHT void find_queues(const cop_net *net, uint32_t from, uint32_t end, cop_sight k)
{
    for (; from != end; from++) {
        iq_hint *h = hint_at(net, from);
        if (h->port != COP_NONE)
            h->guess.queue =
                fetch_queue(net, &net->out[h->port], h->port, h->guess.in, h->guess.vl, k);
    }
}

COP_SIGHT void find_heads(const cop_net *net, uint32_t from, uint32_t end, cop_sight k)
{
    for (; from != end; from++) {
        const iq_hint *h = hint_at(net, from);
        if (h->port != COP_NONE)
            fetch_head(net, h->guess.in, h->guess.queue, k);
    }
}

COP_SIGHT void arbitrate(cop_net *net, const uint32_t *due, uint32_t n, cop_sight k)
{
    uint32_t list[LISTS],
        end = 0; /* where the list of a switch begins; behind it that of the next */
    for (uint32_t i = 0; i < n + FIRST; i++) {
        uint32_t at = i - FIRST; /* the switch to match now; before the first one it wraps */
        list[i % LISTS] = end;
        if (i + SOONER < n)
            fetch_ports(net, due[i + SOONER]);
        if (i < n)
            end = list_outputs(net, due[i], end);
        list[(i + 1) % LISTS] = end;
        if (at + SECOND < n)
            find_askers(net, list[(at + SECOND) % LISTS], list[(at + SECOND + 1) % LISTS], k);
        if (at + THIRD < n)
            find_queues(net, list[(at + THIRD) % LISTS], list[(at + THIRD + 1) % LISTS], k);
        if (at + FOURTH < n)
            find_heads(net, list[(at + FOURTH) % LISTS], list[(at + FOURTH + 1) % LISTS], k);
        if (at < n)
            net->arch->arbitrate(net, due[at]);
    }
}

void cop_iq_ahead_arbitrate(cop_net *net, const uint32_t *due, uint32_t n)
{
    if (net->looks_buffered)
        arbitrate(net, due, n, cop_sight_buffered);
    else
        arbitrate(net, due, n, cop_sight_of(net));
}
