/* Arbitration among the inputs that request one lane of an output.
 *
 * round-robin  M-arb-rr: an input that was served is not served again before every other requesting
 *              input was; the position moves only on a grant.
 * age          the packet injected first.
 * random       any, with equal chance.
 * flows        M-arb-wrr: the packet whose source this output served longest ago. An input has as
 *              many turns as sources send through it; an ideal, as no switch could keep such a
 *              record of every sender.
 * transit      packets that switches sent or made before those from hosts, in turn among equals: a
 *              host waits for as long as transit fills the lane. The default of FOGSim's output
 *              arbiters, there over all lanes of an output.
 * order        the request that the queueing scheme puts first, in turn among equals
 *              (layout.orders_inputs).
 * An input that has several requests for the lane offers the first of them, or the one that the
 * queueing scheme puts first; of equals then the queue that was read least recently.
 * A request whose packet does not fit behind the output does not compete. With private sections
 * (voqnet) such a request is set aside until its section has room; otherwise, if none fits, the
 * whole lane is blocked until the smallest of them fits. */
#include "base/rng.h"
#include "net/cable/cable.h"
#include "net/switch/input.h"
#include "net/switch/request.h"

typedef struct choice {
    uint32_t input, queue;
    uint64_t key; /* smallest wins */
    bool found;
    uint32_t need; /* smallest number of blocks that did not fit */
} choice;

/* Does the head of queue q fit behind lane vl of the output? */
static bool fits(cop_net *net, uint32_t port, uint32_t vl, uint32_t q, uint32_t *need)
{
    const cop_pkt *p = &net->pkt[net->queue[q].head];
    uint32_t blocks = cop_blocks(p->bytes);
    if (net->arch->room(net, port, cop_net_section_of(net, p, vl), blocks))
        return true;
    *need = blocks < *need ? blocks : *need;
    return false;
}

/* Of the requests in a slot's list that fit, the one that the queueing scheme puts first. */
static bool front_in_order(cop_net *net, uint32_t port, uint32_t vl, uint32_t last, uint32_t *need,
                           uint32_t *queue)
{
    uint64_t best = 0;
    bool only = net->node[last].next == last;
    uint32_t node = last;
    *queue = COP_NONE;
    do {
        node = net->node[node].next;
        uint32_t q = cop_net_queue_of(net, node);
        if (!fits(net, port, vl, q, need))
            continue;
        uint64_t key = only ? 0 : cop_input_order_key(net, q);
        if (*queue == COP_NONE || key < best ||
            (key == best && cop_net_read_until(net, q) < cop_net_read_until(net, *queue))) {
            best = key;
            *queue = q;
        }
    } while (node != last);
    return *queue != COP_NONE;
}

/* The request that an input offers to lane vl of the output; false if none fits. */
static bool front(cop_net *net, uint32_t port, uint32_t vl, uint32_t input, choice *c,
                  uint32_t *queue)
{
    if (net->per_output) {
        uint32_t in_port = cop_topo_switch_port(net->topo, net->out[port].sw, input);
        *queue = net->in[in_port].queue0 + net->out[port].local * net->lanes + vl;
        return fits(net, port, vl, *queue, &c->need);
    }
    uint32_t *last = &net->slot[cop_slot_of(net, port, vl, input)];
    if (net->queue_ops->runtime.order)
        return front_in_order(net, port, vl, *last, &c->need, queue);
    uint32_t end = *last, node = end;
    do {
        node = net->node[node].next;
        *queue = cop_net_queue_of(net, node);
        if (fits(net, port, vl, *queue, &c->need))
            return true;
    } while (node != end);
    if (net->sectioned)
        while (*last != COP_NONE) {
            node = net->node[*last].next;
            const cop_pkt *p = &net->pkt[net->queue[cop_net_queue_of(net, node)].head];
            cop_node_wait(net, node, cop_net_section_of(net, p, vl));
        }
    return false;
}

bool cop_input_fits(cop_net *net, uint32_t port, uint32_t vl, uint32_t input)
{
    choice unused = {.need = UINT32_MAX};
    uint32_t queue;
    return front(net, port, vl, input, &unused, &queue);
}

static uint64_t random_key(const cop_net *net, uint32_t port, uint32_t input)
{
    return cop_rng_at(net->info.seed, COP_RNG_ARB, port, net->now ^ ((uint64_t)input << 52));
}

/* A packet that the switch itself has made waits in the input of the port that it concerns, even if
 * a host feeds that port. */
static bool is_from_host(const cop_net *net, uint32_t port, uint32_t input, const cop_pkt *p)
{
    return !(p->flags & COP_PKT_OWN) &&
           net->in[net->out[port].port0 + input].from >= net->host_port0;
}

/* Key of the head of a queue; the smallest wins. */
static uint64_t key_of(cop_net *net, uint32_t port, uint32_t input, uint32_t queue)
{
    const cop_pkt *p = &net->pkt[net->queue[queue].head];
    switch (net->arbitration) {
    case COP_ARB_AGE:
        return p->t_inj;
    case COP_ARB_FLOWS:
        return net->served[(size_t)port * net->info.n_hosts + p->src];
    case COP_ARB_RANDOM:
        return random_key(net, port, input);
    case COP_ARB_TRANSIT:
        return is_from_host(net, port, input, p);
    case COP_ARB_ORDER:
        return cop_input_order_key(net, queue);
    default:
        return 0;
    }
}

/* Examine one input; true ends the search (round robin takes the first that fits). */
static bool consider(cop_net *net, uint32_t port, uint32_t vl, uint32_t input, choice *c)
{
    uint32_t queue;
    if (!front(net, port, vl, input, c, &queue))
        return false;
    uint64_t key = key_of(net, port, input, queue);
    if (!c->found || key < c->key) {
        c->found = true;
        c->key = key;
        c->input = input;
        c->queue = queue;
    }
    return net->arbitration == COP_ARB_RR;
}

/* Inputs first, first+1, ..., wrapping round once. */
static void search(cop_net *net, uint32_t port, uint32_t vl, const uint64_t *allowed, choice *c)
{
    uint32_t first = net->out[port].lane[vl].rr;
    const uint64_t *mask = cop_request_mask(net, port, vl);
    for (uint32_t turn = 0; turn <= net->words; turn++) {
        uint32_t w = (first / 64 + turn) % net->words;
        uint64_t bits = mask[w] & (allowed ? allowed[w] : ~(uint64_t)0);
        uint64_t from_first = ~(uint64_t)0 << (first % 64);
        if (turn == 0)
            bits &= from_first;
        else if (turn == net->words)
            bits &= ~from_first;
        for (; bits; bits &= bits - 1)
            if (consider(net, port, vl, w * 64 + (uint32_t)__builtin_ctzll(bits), c))
                return;
    }
}

bool cop_input_pick_first(cop_net *net, uint32_t port, uint32_t vl, const uint64_t *allowed,
                          cop_pick *pick)
{
    const cop_out *out = &net->out[port];
    uint32_t first = out->lane[vl].rr;
    uint64_t bits = out->request[vl] & (allowed ? allowed[0] : ~(uint64_t)0);
    uint64_t from_first = first < 64 ? bits & ~(uint64_t)0 << first : 0;
    if (COP_UNLIKELY(bits == 0))
        return cop_input_pick_slow(net, port, vl, allowed, pick);
    uint32_t input = (uint32_t)__builtin_ctzll(from_first ? from_first : bits);
    uint32_t in = out->port0 + input;
    cop_asker asker = cop_asker_of(&net->in[in]);
    uint32_t last = *cop_asker_slot(net, &asker, port, vl);
    *pick = (cop_pick){.in = in, .queue = cop_net_queue_of(net, net->node[last].next), .vl = vl};
    return true;
}

bool cop_input_pick_slow(cop_net *net, uint32_t port, uint32_t vl, const uint64_t *allowed,
                         cop_pick *pick)
{
    choice c = {.need = UINT32_MAX};
    search(net, port, vl, allowed, &c);
    if (c.found) {
        pick->in = cop_topo_switch_port(net->topo, net->out[port].sw, c.input);
        pick->queue = c.queue;
        pick->vl = vl;
        return true;
    }
    if (allowed) { /* an input that is busy now may have a packet that fits */
        bool waits = c.need != UINT32_MAX;
        c.need = UINT32_MAX;
        search(net, port, vl, NULL, &c);
        if (c.found) {
            /* The lane stays open for that input; the others must be woken by new room all the
             * same. */
            if (waits && !net->sectioned)
                cop_fc_wait(net, port, net->short_waits);
            return false;
        }
    }
    if (!net->sectioned)
        cop_fc_block(net, port, vl, c.need, net->blocked_waits);
    return false;
}
