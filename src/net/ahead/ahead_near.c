/* Prefetch for coming events, in networks that fit a large cache but not a small one.
 *
 * Role     hints only, as in ahead.c, but only cheap ones: lines whose address follows from the
 *          number of the entity, or is in one of these lines. The routing is not called: the
 *          packet's line contains its output if it was routed when it was sent (routes_early).
 * Rules    a line is read at least an event or an arbitration after it was fetched; the predicted
 *          grant follows the present turns of lanes and inputs, and may be wrong. */
#include "net/ahead/ahead_int.h"
#include "net/switch/request.h"
#include "net/switch/switch.h"

enum { FAR = 8, NEAR = 5, NEXT = 2 }; /* events ahead */

/* Lines that a packet accesses when it starts to wait for its output. */
static void fetch_way(const cop_net *net, const cop_in *in, const cop_pkt *p)
{
    uint32_t port = in->port0 + p->out;
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(cop_ahead_requests(net, port));
    if (!net->per_output)
        cop_fetch(&net->slot[in->slot + ((uint32_t)p->out * net->lanes + p->out_vl) * in->ports]);
}

static void fetch_queue(const cop_net *net, uint32_t q)
{
    cop_fetch(&net->queue[q]);
    if (!net->per_output)
        cop_fetch(cop_net_first_node(net, q));
}

static void look_far(const cop_net *net, enum cop_ev_kind kind, uint32_t entity)
{
    if (kind == COP_EV_ARRIVE) {
        cop_fetch(&net->in[entity]);
    } else if (kind == COP_EV_HEAD) {
        fetch_queue(net, entity);
    } else if (kind == COP_EV_NIC) {
        uint32_t port = net->host_port0 + entity;
        cop_fetch(&net->nic[entity]);
        cop_fetch(&net->out[port]);
        cop_fetch(&net->out[port].waiting);
        cop_fetch(&net->section[(size_t)port * net->sections]);
    }
}

static void look_near(const cop_net *net, enum cop_ev_kind kind, uint32_t entity)
{
    if (kind == COP_EV_ARRIVE) {
        const cop_in *in = &net->in[entity];
        if (in->wire_head != COP_NONE)
            cop_fetch(&net->pkt[in->wire_head]);
        if (!net->per_output && in->sw != COP_NONE)
            fetch_queue(net, in->queue0);
    } else if (kind == COP_EV_HEAD && net->queue[entity].head != COP_NONE) {
        cop_fetch(&net->pkt[net->queue[entity].head]);
        if (net->routes_early && !net->per_output)
            cop_fetch(&net->in[cop_net_first_node(net, entity)->in]);
    }
}

static void look_next(const cop_net *net, enum cop_ev_kind kind, uint32_t entity)
{
    if (kind == COP_EV_ARRIVE) {
        const cop_in *in = &net->in[entity];
        if (in->sw != COP_NONE && in->wire_head != COP_NONE && cop_input_asked_early(net, in))
            fetch_way(net, in, &net->pkt[in->wire_head]);
    } else if (kind == COP_EV_HEAD && !net->per_output && net->queue[entity].head != COP_NONE) {
        fetch_way(net, &net->in[cop_net_first_node(net, entity)->in],
                  &net->pkt[net->queue[entity].head]);
    }
}

#define LOOK(look, n)                                                                              \
    do {                                                                                           \
        uint32_t id = (uint32_t)cop_evq_ahead(&net->evq, n);                                       \
        look(net, cop_ev_kind_of(id), cop_ev_entity_of(id));                                       \
    } while (0)

void cop_ahead_near(const cop_net *net)
{
    LOOK(look_far, FAR);
    LOOK(look_near, NEAR);
    if (net->routes_early)
        LOOK(look_next, NEXT);
}

/* -- arbitrations -- */

enum { OUTPUT = 8, ENDS = 6, SLOT = 4, QUEUE = 2, PACKET = 1 }; /* arbitrations ahead */
enum { GUESSES = 8 }; /* under way at a time: more than SLOT */

static void fetch_output(const cop_net *net, uint32_t port)
{
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(cop_ahead_requests(net, port));
    cop_fetch(&net->section[(size_t)port * net->sections]);
}

/* Returns to the output, and the other end of its link. */
static void fetch_ends(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    if (out->to == COP_NONE)
        return;
    cop_fetch(&out->ring.v[out->ring.at & out->ring.mask]);
    cop_fetch(&net->in[out->to]);
}

/* The request list whose turn it is; NULL: none. */
static const uint32_t *fetch_turn(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    uint32_t ready = out->vl_ready & ~out->vl_blocked;
    if (ready == 0 || net->per_output)
        return NULL;
    uint32_t later = ready >> out->rr_vl << out->rr_vl;
    uint32_t vl = (uint32_t)__builtin_ctz(later ? later : ready);
    uint64_t bits = out->request[vl * net->words];
    uint64_t from = bits & ~(uint64_t)0 << (out->lane[vl].rr % 64);
    if (bits == 0)
        return NULL;
    uint32_t input = (uint32_t)__builtin_ctzll(from ? from : bits);
    const uint32_t *slot = &net->slot[cop_slot_of(net, port, vl, input)];
    cop_fetch(&net->in[out->port0 + input]);
    cop_fetch(slot);
    return slot;
}

/* The queue in that slot; COP_NONE: the slot is empty now. */
static uint32_t fetch_asking(const cop_net *net, const uint32_t *slot)
{
    if (slot == NULL || *slot == COP_NONE)
        return COP_NONE;
    cop_fetch(&net->node[*slot]);
    cop_fetch(&net->queue[cop_net_queue_of(net, *slot)]);
    return cop_net_queue_of(net, *slot);
}

void cop_ahead_near_arbitrate(cop_net *net, const uint32_t *due, uint32_t n)
{
    if (net->arch->matched) { /* switches are due: nothing is prefetched */
        for (uint32_t i = 0; i < n; i++)
            net->arch->arbitrate(net, due[i]);
        return;
    }
    const uint32_t *slot[GUESSES];
    uint32_t queue[GUESSES];
    for (uint32_t i = 0; i < n + OUTPUT; i++) {
        uint32_t at = i - OUTPUT; /* the arbitration to run now; before the first one it wraps */
        if (i < n)
            fetch_output(net, due[i]);
        if (at + ENDS < n)
            fetch_ends(net, due[at + ENDS]);
        if (at + SLOT < n)
            slot[(at + SLOT) % GUESSES] = fetch_turn(net, due[at + SLOT]);
        if (at + QUEUE < n)
            queue[(at + QUEUE) % GUESSES] = fetch_asking(net, slot[(at + QUEUE) % GUESSES]);
        if (at + PACKET < n && queue[(at + PACKET) % GUESSES] != COP_NONE) {
            uint32_t head = net->queue[queue[(at + PACKET) % GUESSES]].head;
            if (head != COP_NONE)
                cop_fetch(&net->pkt[head]);
        }
        if (at < n)
            net->arch->arbitrate(net, due[at]);
    }
}
