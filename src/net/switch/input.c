/* Switch inputs.
 *
 * Role     takes a packet from the wire, routes it, puts it into a queue of its input buffer, and
 *          keeps the requests of queue heads at the outputs up to date.
 * Rules    A queue is read in order and by one output at a time: its next packet may start when the
 *          tail of the previous one has left. A head may not start on an output faster than its
 *          input before  tail arrival - length * output pace  (the output would run dry).
 *          Buffer space is freed when the tail leaves.
 * Events   COP_EV_HEAD for a queue whose head must wait for one of these times.
 * State    `posted` of a queue: its head's requests are with the arbiters. A blocked head costs
 *          nothing until credit, a free output or a free read port wakes it.
 * Source   M-q-1q, M-q-voqsw, M-q-voqnet, M-sw-vct; G-gran0-5 (credits over the shared buffer). */
#include "net/switch/input_int.h"
#include "net/watch.h"

/* -- one queue per (input, output, lane) -- */

static inline __attribute__((always_inline)) void
voq_request(cop_net *net, uint32_t in_port, uint32_t q, uint32_t port, uint32_t vl)
{
    const cop_in *in = &net->in[in_port];
    const cop_pkt *p = &net->pkt[net->queue[q].head];
    if (net->multi_rate) {
        cop_time ready = cop_input_no_underrun(net, in, port, p);
        if (ready > net->now) {
            cop_net_push(net, ready, COP_EV_HEAD, q);
            return;
        }
    }
    net->queue[q].posted = 1;
    cop_request_set(net, port, vl, in->local);
    cop_input_requested(net, port, vl, p);
}

void cop_input_head(cop_net *net, uint32_t q)
{
    cop_queue *queue = &net->queue[q];
    if (queue->head == COP_NONE || queue->posted) {
        if (COP_UNLIKELY(queue->again))
            cop_input_reconsider(net, q);
        return;
    }
    if (!net->per_output) {
        cop_input_offer(net, q, NULL, 0);
        return;
    }
    const cop_pkt *p = &net->pkt[queue->head];
    uint32_t in_port = net->queue_port[q];
    voq_request(net, in_port, q, net->in[in_port].port0 + p->out, p->out_vl);
}

/* Packet p, which has come to queue q of input `port`, waits for output `out`. */
static inline __attribute__((always_inline)) void
tell_enqueued(cop_net *net, uint32_t port, uint32_t q, uint32_t out, cop_pkt *p, bool own)
{
    if (net->queue_ops->runtime.on_enqueue && !own)
        cop_scheme_at(net, port)->runtime.on_enqueue(net, port, q - net->in[port].queue0, p);
    if (!net->out_hooks)
        return;
    const bool rare = net->rare_hooks;
    if (COP_UNLIKELY(rare))
        cop_link_count(net, out, p->out_vl, p->bytes, true);
    if (net->cc->at_switch.on_fill)
        cop_input_tell_fill(net, port, q, out, p, true);
    if (COP_LIKELY(!rare))
        return;
    if (COP_UNLIKELY(net->routing != NULL) && net->route->ops->on_wait &&
        !(p->flags & COP_PKT_CONTROL))
        cop_routing_waits(net, out);
    if (net->cc->at_switch.on_enqueue)
        cop_cc_at(net, net->out[out].sw)->at_switch.on_enqueue(net, port, out, p);
}

static __attribute__((noinline)) void tell_made(cop_net *net, uint32_t port, uint32_t q,
                                                uint32_t out, cop_pkt *p)
{
    tell_enqueued(net, port, q, out, p, net->own_queues > 0);
}

/* Out of line: few congestion controls need it. */
static __attribute__((noinline)) void
count_lanes(cop_net *net, const cop_in *in, const cop_pick *pick, uint32_t out, const cop_pkt *p)
{
    uint32_t waited = in->port0 + p->out;
    if (net->early_hooks && waited == out && p->out_vl == pick->vl)
        return; /* it still waits there, in the output buffer */
    cop_link_count(net, waited, p->out_vl, p->bytes, false);
    if (net->early_hooks)
        cop_link_count(net, out, pick->vl, p->bytes, true);
}

/* Call the hooks for packet p, which is granted output `out` and no longer waits in input
 * `in_port`. */
static void tell_granted(cop_net *net, uint32_t in_port, const cop_pick *pick, uint32_t out,
                         cop_pkt *p)
{
    if (net->cc->at_switch.on_fill)
        cop_input_tell_fill(net, in_port, pick->queue, out, p, false);
    if (COP_UNLIKELY(net->rare_hooks)) {
        uint32_t waited = net->in[in_port].port0 + p->out;
        if (net->hears_moves && waited != out && !(p->flags & COP_PKT_CONTROL))
            cop_routing_moved(net, waited, out);
        if (net->served)
            net->served[(size_t)out * net->info.n_hosts + p->src] = net->now + 1; /* 0: never */
        if (net->lane_waiting != NULL)
            count_lanes(net, &net->in[in_port], pick, out, p);
    }
    p->out_vl = (uint8_t)pick->vl; /* adaptive routing: perhaps not its first choice */
}

/* Call the hooks after the transfer of packet p from input `in_port`, lane vl; returns when its
 * credit goes back. An output without a buffer has put it on the wire, and the congestion control
 * must see the credits that it took before the fill changes. */
static cop_time tell_transferred(cop_net *net, uint32_t in_port, const cop_pick *pick, uint32_t vl,
                                 uint32_t out, cop_pkt *p, cop_time leaves, bool early, bool own)
{
    const cop_cc_ops *cc = net->cc;
    if (!net->out_hooks) {
        if (!net->routes_early) /* adaptive routing: perhaps not its first choice */
            p->out_vl = (uint8_t)pick->vl;
        return leaves;
    }
    if (!early) {
        tell_granted(net, in_port, pick, out, p);
        cop_link_left(net, out, p);
    }
    net->here = net->out[out].sw;
    if (COP_LIKELY(!net->rare_hooks))
        return leaves;
    if (cc->at_switch.on_leave && !own)
        cc->at_switch.on_leave(net, in_port, vl, p, leaves);
    return cc->at_switch.credit_time ? cc->at_switch.credit_time(net, in_port, vl, p->bytes, leaves)
                                     : leaves;
}

/* Entry of a packet into a switch input, compiled for each kind of network: `made`, by the switch
 * itself; `plain`, a table of outputs and a queue for each of them, as most networks have; `told`,
 * with hooks on queues. The arguments are constants at every call, so that the common case, a
 * packet from a wire, has no branch for the others. */
static inline __attribute__((always_inline)) void
receive(cop_net *net, uint32_t port, uint32_t h, const bool made, const bool plain, const bool told)
{
    const cop_in *in = &net->in[port];
    cop_pkt *p = &net->pkt[h];
    if (!plain && COP_UNLIKELY(p->flags & COP_PKT_CNP) && net->listens &&
        cop_routing_keeps(net, port, h))
        return;
    cop_cand cand[COP_MAX_CAND];
    unsigned n = 0; /* number of known candidates */
    if (plain || net->lft) {
        p->out = net->lft[(size_t)in->sw * net->info.n_hosts + p->dst];
        p->out_vl = p->vl;
    } else if (made || !cop_input_asked_early(net, in)) {
        n = cop_input_ask(net, in, p, cand);
        p->out = cand[0].port;
        p->out_vl = cand[0].vl;
    }
    uint32_t out = in->port0 + p->out;
    uint32_t local = plain || net->per_output ? (uint32_t)p->out * net->lanes + p->out_vl
                     : made && net->own_queues
                         ? cop_net_queue_end(net, port) - in->queue0
                         : net->queue_ops->select(net->queue_cfg, &net->info, p);
    uint32_t q = in->queue0 + local;
    if (!plain && COP_UNLIKELY(net->guards_scheme))
        q = cop_net_queue_of_port(net, port, local);
    net->out[out].waiting += p->bytes;
    bool was_empty = net->queue[q].head == COP_NONE;
    cop_input_append(net, q, h);
    if (COP_UNLIKELY(p->flags & COP_PKT_WATCH))
        cop_watch_step(net, COP_WATCH_QUEUE, port, p);
    if ((plain ? told : net->hooks) && made)
        tell_made(net, port, q, out, p);
    else if (plain ? told : net->hooks)
        tell_enqueued(net, port, q, out, p, false);
    if (!was_empty)
        return;
    if (plain || net->per_output)
        voq_request(net, port, q, out, p->out_vl);
    else
        cop_input_offer(net, q, cand, net->asks_once ? n : 0);
}

static __attribute__((noinline)) void receive_told(cop_net *net, uint32_t port, uint32_t h)
{
    receive(net, port, h, false, true, true);
}

static __attribute__((noinline, flatten)) void receive_any(cop_net *net, uint32_t port, uint32_t h)
{
    receive(net, port, h, false, false, false);
}

void cop_input_receive(cop_net *net, uint32_t port, uint32_t h)
{
    if (COP_LIKELY(net->plain_input && !net->hooks))
        receive(net, port, h, false, true, false);
    else if (net->plain_input)
        receive_told(net, port, h);
    else
        receive_any(net, port, h);
}

__attribute__((noinline)) void cop_input_made(cop_net *net, uint32_t port, uint32_t h)
{
    receive(net, port, h, true, false, false);
}

/* The head went to `port`, its tail leaves at `leaves`: the queue offers its next packet. */
static void next_head(cop_net *net, const cop_pick *pick, uint32_t port, cop_time leaves)
{
    uint32_t q = pick->queue;
    const cop_queue *queue = &net->queue[q];
    const cop_in *in = &net->in[pick->in];
    if (net->per_output) {
        /* The next packet has the same output, which is busy until then: the request may stay. */
        if (queue->head != COP_NONE &&
            (!net->multi_rate ||
             cop_input_no_underrun(net, in, port, &net->pkt[queue->head]) <= leaves)) {
            return;
        }
        net->queue[q].posted = 0;
        cop_request_clear(net, port, pick->vl, in->local);
        if (queue->head != COP_NONE)
            cop_net_push(net, cop_max64(leaves, net->now + 1), COP_EV_HEAD, q);
        return;
    }
    cop_net_first_node(net, q)->read = leaves;
    if (queue->head != COP_NONE)
        cop_net_push(net, leaves, COP_EV_HEAD, q);
}

cop_time cop_input_grant(cop_net *net, uint32_t port, const cop_pick *pick,
                         cop_transfer_fn transfer, bool early)
{
    uint32_t q = pick->queue, in_port = pick->in;
    if (!net->per_output) {
        cop_input_withdraw(net, q);
        cop_input_new_head(net, q);
    }
    uint32_t h = cop_input_pop(net, q);
    cop_pkt *p = &net->pkt[h];
    uint32_t freed = cop_net_section_of(net, p, p->vl);
    uint32_t bytes = p->bytes, vl = p->vl, own = p->flags & COP_PKT_OWN;
    if (COP_UNLIKELY(own))
        p->flags &= (uint16_t)~COP_PKT_OWN;
    uint32_t counted = net->max_cand == 1 ? port : net->in[in_port].port0 + p->out;
    net->out[counted].waiting -= p->bytes;
    if (early)
        tell_granted(net, in_port, pick, port, p);
    cop_time leaves = transfer(net, port, pick->vl, h), free = leaves;
    if (net->hooks)
        free = tell_transferred(net, in_port, pick, vl, port, &net->pkt[h], leaves, early, own);
    if (COP_LIKELY(!own))
        cop_fc_give(net, in_port, freed, bytes, free);
    next_head(net, pick, port, leaves);
    if (net->hooks && net->queue_ops->runtime.on_dequeue &&
        !(own && net->own_queues)) /* called when the queue is consistent again */
        cop_scheme_at(net, in_port)
            ->runtime.on_dequeue(net, in_port, q - net->in[in_port].queue0, &net->pkt[h]);
    if (net->routes_early && net->obuf == NULL)
        cop_input_ask_early(net, port, h);
    return leaves;
}
