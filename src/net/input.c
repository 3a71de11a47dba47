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
#include "net/input.h"

#include "net/link.h"
#include "net/notice.h"
#include "net/recover.h"
#include "net/request.h"
#include "net/watch.h"

/* Control packets that have lanes of their own, from `base` on: those of the routing behind these, and the first
 * of them on the cable to a host, where nothing can wait for each other. */
static __attribute__((noinline)) void shift_lanes(const cop_net *net, const cop_in *in,
                                                  uint8_t base, cop_cand *cand, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        bool exits = cop_topo_is_host_port(net->topo, net->out[in->port0 + cand[i].port].to);
        cand[i].vl = (uint8_t)(exits ? base : cand[i].vl + base);
        COP_CHECK(cand[i].vl < net->lanes);
    }
}

/* All candidates of packet p at input `in`, best first; updates the packet's routing state. */
static unsigned ask_routing(cop_net *net, const cop_in *in, cop_pkt *p, cop_cand *cand)
{
    const cop_route *r = net->route;
    bool control = p->flags & COP_PKT_CONTROL;
    uint8_t base = control ? net->control_vl : 0;
    cop_hop hop = {.sw = in->sw,
                   .in_port = p->flags & COP_PKT_OWN ? COP_PORT_NONE : in->local,
                   .in_vl = (uint8_t)(p->vl - base),
                   .src = p->src,
                   .dst = p->dst,
                   .mid = p->mid,
                   .state = p->rstate,
                   .control = control,
                   .apart = base != 0};
    cop_rng rng = cop_rng_make(net->info.seed, COP_RNG_ROUTE, p->src);
    rng.counter = (uint64_t)1 << 63 | (uint64_t)p->seq << 16 | (in->sw & 0xffff);
    cop_route_ctx ctx;
    cop_route_view view = cop_routing_view(net, in->sw, &ctx, &rng);
    unsigned n = r->ops->route(r, &hop, &view, cand);
    if (r->single)
        cand[0].vl = p->vl;
    else if (COP_UNLIKELY(base != 0))
        shift_lanes(net, in, base, cand, n);
    p->mid = hop.mid;
    p->rstate = hop.state;
    return n;
}

unsigned cop_net_channels(cop_net *net, uint32_t in_port, const cop_pkt *p, cop_channel *list)
{
    const cop_in *in = &net->in[in_port];
    if (net->lft) {
        list[0] = (cop_channel){.port = in->port0 + p->out, .vl = p->out_vl};
        return 1;
    }
    cop_cand cand[COP_MAX_CAND];
    cop_hop hop = {.sw = in->sw,
                   .in_port = in->local,
                   .in_vl = p->vl,
                   .src = p->src,
                   .dst = p->dst,
                   .mid = p->mid,
                   .state = p->rstate};
    unsigned n = net->route->ops->route(net->route, &hop, NULL, cand);
    for (unsigned i = 0; i < n; i++)
        list[i] = (cop_channel){.port = in->port0 + cand[i].port,
                                .vl = net->route->single ? p->vl : cand[i].vl};
    return n;
}

static cop_time no_underrun(const cop_net *net, const cop_in *in, uint32_t port, const cop_pkt *p)
{
    const cop_out *out = &net->out[port];
    if (net->obuf || out->pace >= in->pace)
        return 0; /* an output buffer takes in what comes, at the pace at which it comes */
    uint32_t piece = p->bytes < net->piece_bytes ? p->bytes : net->piece_bytes;
    return p->t_tail - cop_wire_time(out->pace, piece);
}

/* A lane that is blocked for a large packet may still take a smaller one. */
static void requested(cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p)
{
    cop_out *out = &net->out[port];
    if (out->vl_blocked >> vl & 1) {
        if (cop_blocks(p->bytes) >= net->out[port].lane[vl].need)
            return;
        out->vl_blocked &= ~(1u << vl);
    }
    net->arch->kick(net, port);
}

/* Where the bytes that wait for p's output and section are counted, in all layouts but one queue per
 * output. If a table gives each destination one output, (input, section) names them. */
static uint32_t *fill_of(const cop_net *net, const cop_in *in, const cop_pkt *p)
{
    if (!net->sectioned)
        return &net->fill[cop_slot_of(net, in->port0 + p->out, p->out_vl, in->local)];
    size_t ports = cop_topo_ports_of(net->topo, in->sw), row = in->port0 + in->local;
    if (!net->lft)
        row = net->slot0[in->sw] / net->lanes + p->out * ports + in->local;
    return &net->fill[row * net->sections + cop_net_section_of(net, p, p->out_vl)];
}

static __attribute__((noinline)) void tell_counted(cop_net *net, uint32_t in_port, const cop_pkt *p,
                                                   bool came)
{
    const cop_in *in = &net->in[in_port];
    uint32_t *fill = fill_of(net, in, p), before = *fill;
    *fill = came ? before + p->bytes : before - p->bytes;
    cop_cc_at(net, in->sw)->on_fill(net, in_port, in->port0 + p->out, before, *fill, p);
}

/* Tell the congestion control that packet p has come to, or left, those that wait for its output. */
static void tell_fill(cop_net *net, uint32_t in_port, const cop_pkt *p, bool came)
{
    if (!net->per_output) {
        tell_counted(net, in_port, p, came);
        return;
    }
    const cop_in *in = &net->in[in_port];
    uint32_t after = net->queue[in->queue0 + p->out * net->lanes + p->out_vl].bytes;
    uint32_t before = came ? after - p->bytes : after + p->bytes;
    cop_cc_at(net, in->sw)->on_fill(net, in_port, in->port0 + p->out, before, after, p);
}

/* -- one queue per (input, output, lane) -- */

static inline __attribute__((always_inline)) void
voq_request(cop_net *net, uint32_t in_port, uint32_t q, uint32_t port, uint32_t vl)
{
    const cop_in *in = &net->in[in_port];
    const cop_pkt *p = &net->pkt[net->queue[q].head];
    if (net->multi_rate) {
        cop_time ready = no_underrun(net, in, port, p);
        if (ready > net->now) {
            cop_net_push(net, ready, COP_EV_HEAD, q);
            return;
        }
    }
    net->queue[q].posted = 1;
    cop_request_set(net, port, vl, in->local);
    requested(net, port, vl, p);
}

/* -- any other layout -- */

/* Packet p at input `in_port` waits for another output from now on. */
static void counts_move(cop_net *net, uint32_t in_port, cop_pkt *p, uint16_t local, uint8_t vl)
{
    uint32_t port0 = net->in[in_port].port0;
    net->out[port0 + p->out].waiting -= p->bytes;
    cop_link_count(net, port0 + p->out, p->out_vl, p->bytes, false);
    if (net->cc->on_fill)
        tell_fill(net, in_port, p, false);
    p->out = local;
    p->out_vl = vl;
    net->out[port0 + p->out].waiting += p->bytes;
    cop_link_count(net, port0 + p->out, p->out_vl, p->bytes, true);
    if (net->cc->on_fill)
        tell_fill(net, in_port, p, true);
}

/* Choose among the outputs afresh, without regard to the packet's own weight at its first choice. */
static unsigned choose_again(cop_net *net, uint32_t q, const cop_in *in, cop_pkt *p, cop_cand *cand)
{
    uint32_t in_port = net->queue_port[q];
    net->out[in->port0 + p->out].waiting -= p->bytes;
    cop_link_count(net, in->port0 + p->out, p->out_vl, p->bytes, false);
    if (net->cc->on_fill)
        tell_fill(net, in_port, p, false);
    unsigned n = ask_routing(net, in, p, cand);
    p->out = cand[0].port;
    p->out_vl = cand[0].vl;
    net->out[in->port0 + p->out].waiting += p->bytes;
    cop_link_count(net, in->port0 + p->out, p->out_vl, p->bytes, true);
    if (net->cc->on_fill)
        tell_fill(net, in_port, p, true);
    return n;
}

/* The head of q is another one from now on. */
static void new_head(cop_net *net, uint32_t q)
{
    if (COP_UNLIKELY(net->queue[q].head_is & COP_HEAD_HELD))
        net->held[net->in[net->queue_port[q]].sw]--;
    net->queue[q].head_is = 0;
}

/* Does the congestion control not admit the head of q? What comes back to the outputs of its switch then wakes
 * it. */
static __attribute__((noinline)) bool held(cop_net *net, uint32_t in_port, uint32_t q,
                                           const cop_pkt *p)
{
    const cop_in *in = &net->in[in_port];
    cop_queue *queue = &net->queue[q];
    if (net->cc->on_route && !(queue->head_is & COP_HEAD_TOLD)) {
        queue->head_is |= COP_HEAD_TOLD;
        cop_cc_at(net, in->sw)->on_route(net, in_port, p);
    }
    if (net->cc->admit == NULL || (p->flags & COP_PKT_CONTROL) || in->from < net->host_port0)
        return false;
    bool was = queue->head_is & COP_HEAD_HELD;
    bool hold = !cop_cc_at(net, in->sw)->admit(net, in_port, p);
    if (hold == was)
        return hold;
    queue->head_is ^= COP_HEAD_HELD;
    net->held[in->sw] += hold ? 1 : -1u;
    for (uint32_t i = 0; hold && i < cop_topo_ports_of(net->topo, in->sw); i++)
        if (net->out[in->port0 + i].to != COP_NONE) {
            cop_fc_settle(net, in->port0 + i); /* only what is yet to come wakes it */
            cop_fc_arm(net, in->port0 + i);
        }
    return hold;
}

static void post_candidates(cop_net *net, const cop_in *in, uint32_t q, cop_pkt *p)
{
    cop_cand cand[COP_MAX_CAND];
    unsigned n = 1;
    if (COP_UNLIKELY(net->head_hooks) && held(net, net->queue_port[q], q, p))
        return;
    cand[0] = (cop_cand){.port = p->out, .vl = p->out_vl};
    if (net->max_cand > 1 || net->route->at_head)
        n = choose_again(net, q, in, p, cand);
    cop_time later = COP_NEVER;
    for (unsigned k = 0; k < n; k++) {
        uint32_t port = in->port0 + cand[k].port;
        cop_time ready = net->multi_rate ? no_underrun(net, in, port, p) : 0;
        if (ready > net->now) {
            later = cop_min64(later, ready);
            continue;
        }
        net->queue[q].posted = 1;
        cop_node_add(net, q * net->max_cand + k, port, cand[k].vl);
        requested(net, port, cand[k].vl, p);
    }
    if (later != COP_NEVER && !net->queue[q].posted)
        cop_net_push(net, later, COP_EV_HEAD, q);
    if (COP_UNLIKELY(net->recover != NULL))
        cop_recover_wait(net, q);
}

static void append(cop_net *net, uint32_t q, uint32_t h)
{
    cop_queue *queue = &net->queue[q];
    cop_pkt *p = &net->pkt[h];
    p->next = COP_NONE;
    if (queue->head == COP_NONE)
        queue->head = h;
    else
        net->pkt[queue->tail].next = h;
    queue->tail = h;
    queue->bytes += p->bytes;
}

static uint32_t pop(cop_net *net, uint32_t q)
{
    cop_queue *queue = &net->queue[q];
    uint32_t h = queue->head;
    queue->head = net->pkt[h].next;
    queue->bytes -= net->pkt[h].bytes;
    return h;
}

/* Let the head of q request its outputs, now or when it may. */
static void offer_head(cop_net *net, uint32_t q)
{
    uint32_t in_port = net->queue_port[q];
    const cop_in *in = &net->in[in_port];
    const cop_queue_ops *ops = net->queue_ops;
    while (net->queue[q].head != COP_NONE && !net->queue[q].posted) {
        if (net->queue[q].stopped)
            return;
        if (net->queue_read[q] > net->now) {
            cop_net_push(net, net->queue_read[q], COP_EV_HEAD, q);
            return;
        }
        cop_pkt *p = &net->pkt[net->queue[q].head];
        uint32_t move = q;
        if (ops->on_head)
            move = in->queue0 + ops->on_head(net, in_port, q - in->queue0, p);
        if (move == q) {
            if (!net->queue[q].stopped) /* its scheme may have stopped it just now */
                post_candidates(net, in, q, p);
            return;
        }
        bool was_empty = net->queue[move].head == COP_NONE;
        new_head(net, q);
        append(net, move, pop(net, q));
        if (was_empty)
            offer_head(net, move);
    }
}

void cop_input_admit(cop_net *net, uint32_t sw)
{
    uint32_t port0 = cop_topo_switch_port(net->topo, sw, 0);
    for (uint32_t i = port0; i < port0 + cop_topo_ports_of(net->topo, sw); i++) {
        if (net->in[i].from < net->host_port0 || net->in[i].from == COP_NONE)
            continue;
        uint32_t end = i + 1 < net->host_port0 ? net->in[i + 1].queue0 : net->n_queues;
        for (uint32_t q = net->in[i].queue0; q < end; q++)
            if (net->queue[q].head_is & COP_HEAD_HELD)
                offer_head(net, q);
    }
}

/* The scheme wants to be asked about a head whose requests are with the arbiters. Apart from
 * cop_input_head, which is called all the time. */
__attribute__((noinline)) static void ask_again(cop_net *net, uint32_t q)
{
    net->queue[q].again = 0;
    if (net->queue[q].head == COP_NONE)
        return;
    cop_input_withdraw(net, q);
    offer_head(net, q);
}

void cop_input_head(cop_net *net, uint32_t q)
{
    cop_queue *queue = &net->queue[q];
    if (queue->head == COP_NONE || queue->posted) {
        if (COP_UNLIKELY(queue->again))
            ask_again(net, q);
        return;
    }
    if (!net->per_output) {
        offer_head(net, q);
        return;
    }
    const cop_pkt *p = &net->pkt[queue->head];
    uint32_t in_port = net->queue_port[q];
    voq_request(net, in_port, q, net->in[in_port].port0 + p->out, p->out_vl);
}

static inline __attribute__((always_inline)) void
tell_enqueued(cop_net *net, uint32_t port, uint32_t queue, uint32_t out, cop_pkt *p)
{
    if (net->queue_ops->on_enqueue)
        net->queue_ops->on_enqueue(net, port, queue, p);
    if (!net->out_hooks)
        return;
    cop_link_count(net, out, p->out_vl, p->bytes, true);
    if (net->cc->on_fill)
        tell_fill(net, port, p, true);
    if (COP_UNLIKELY(net->routing != NULL) && net->route->ops->on_wait &&
        !(p->flags & COP_PKT_CONTROL))
        cop_routing_waits(net, out);
    if (net->cc->on_enqueue)
        cop_cc_at(net, net->out[out].sw)->on_enqueue(net, port, out, p);
}

static __attribute__((noinline)) void tell_made(cop_net *net, uint32_t port, uint32_t queue,
                                                uint32_t out, cop_pkt *p)
{
    tell_enqueued(net, port, queue, out, p);
}

/* Out of line: few controls ask. */
static __attribute__((noinline)) void
count_lanes(cop_net *net, const cop_in *in, const cop_pick *pick, uint32_t out, const cop_pkt *p)
{
    cop_link_count(net, in->port0 + p->out, p->out_vl, p->bytes, false);
    if (net->early_hooks)
        cop_link_count(net, out, pick->vl, p->bytes, true);
}

/* Packet p is granted output `out`: it no longer waits in input `in_port`. */
static void tell_granted(cop_net *net, uint32_t in_port, const cop_pick *pick, uint32_t out,
                         cop_pkt *p)
{
    if (net->served)
        net->served[(size_t)out * net->info.n_hosts + p->src] = net->now + 1; /* 0: never */
    if (net->cc->on_fill)
        tell_fill(net, in_port, p, false);
    if (COP_UNLIKELY(net->lane_waiting != NULL))
        count_lanes(net, &net->in[in_port], pick, out, p);
    p->out_vl = (uint8_t)pick->vl; /* adaptive routing: perhaps not its first choice */
}

/* After the transfer of packet p from input `in_port`, lane vl; returns when its credit goes back. An
 * output without a buffer has put it on the wire, and the control must know the credits that it took
 * before the fill changes. */
static cop_time tell_transferred(cop_net *net, uint32_t in_port, const cop_pick *pick, uint32_t vl,
                                 uint32_t out, cop_pkt *p, cop_time leaves, bool early, bool own)
{
    const cop_cc_ops *cc = net->cc;
    if (!net->out_hooks) {
        p->out_vl = (uint8_t)pick->vl;
        return leaves;
    }
    if (!early) {
        tell_granted(net, in_port, pick, out, p);
        cop_link_left(net, out, p);
    }
    net->here = net->out[out].sw;
    if (cc->on_leave && !own)
        cc->on_leave(net, in_port, vl, p, leaves);
    return cc->credit_time ? cc->credit_time(net, in_port, vl, p->bytes, leaves) : leaves;
}

/* Inline in both: packets that come over a wire are the common case, and nothing may be added to it. */
static inline __attribute__((always_inline)) void receive(cop_net *net, uint32_t port, uint32_t h,
                                                          bool made)
{
    const cop_in *in = &net->in[port];
    cop_pkt *p = &net->pkt[h];
    if (COP_UNLIKELY(p->flags & COP_PKT_CNP) && net->listens && cop_notice_kept(net, port, h))
        return;
    if (net->lft) {
        p->out = net->lft[(size_t)in->sw * net->info.n_hosts + p->dst];
        p->out_vl = p->vl;
    } else {
        cop_cand cand[COP_MAX_CAND];
        ask_routing(net, in, p, cand);
        p->out = cand[0].port;
        p->out_vl = cand[0].vl;
    }
    uint32_t out = in->port0 + p->out;
    uint32_t local = net->per_output ? (uint32_t)p->out * net->lanes + p->out_vl
                                     : net->queue_ops->select(net->queue_cfg, &net->info, p);
    uint32_t q = in->queue0 + local;
    net->out[out].waiting += p->bytes;
    bool was_empty = net->queue[q].head == COP_NONE;
    append(net, q, h);
    if (COP_UNLIKELY(p->flags & COP_PKT_WATCH))
        cop_watch_step(net, COP_WATCH_QUEUE, port, p);
    if (net->hooks && made)
        tell_made(net, port, local, out, p);
    else if (net->hooks)
        tell_enqueued(net, port, local, out, p);
    if (!was_empty)
        return;
    if (net->per_output)
        voq_request(net, port, q, out, p->out_vl);
    else
        offer_head(net, q);
}

void cop_input_receive(cop_net *net, uint32_t port, uint32_t h)
{
    receive(net, port, h, false);
}

__attribute__((noinline)) void cop_input_made(cop_net *net, uint32_t port, uint32_t h)
{
    receive(net, port, h, true);
}

/* After its head went to `port` until `leaves`, the queue offers its next packet. */
static void next_head(cop_net *net, const cop_pick *pick, uint32_t port, cop_time leaves)
{
    uint32_t q = pick->queue;
    const cop_queue *queue = &net->queue[q];
    const cop_in *in = &net->in[pick->in];
    if (net->per_output) {
        /* The same output comes next, and it is busy until then: the request may stand. */
        if (queue->head != COP_NONE &&
            (!net->multi_rate || no_underrun(net, in, port, &net->pkt[queue->head]) <= leaves)) {
            return;
        }
        net->queue[q].posted = 0;
        cop_request_clear(net, port, pick->vl, in->local);
        if (queue->head != COP_NONE)
            cop_net_push(net, cop_max64(leaves, net->now + 1), COP_EV_HEAD, q);
        return;
    }
    net->queue_read[q] = leaves;
    if (queue->head != COP_NONE)
        cop_net_push(net, leaves, COP_EV_HEAD, q);
}

void cop_input_withdraw(cop_net *net, uint32_t q)
{
    COP_CHECK(!net->per_output); /* stopping single queues is for layouts with request lists */
    for (uint32_t k = 0; k < net->max_cand; k++)
        cop_node_remove(net, q * net->max_cand + k);
    net->queue[q].posted = 0;
}

void cop_input_divert(cop_net *net, uint32_t q, uint16_t local, uint8_t vl)
{
    uint32_t in_port = net->queue_port[q];
    const cop_in *in = &net->in[in_port];
    cop_pkt *p = &net->pkt[net->queue[q].head];
    cop_input_withdraw(net, q);
    counts_move(net, in_port, p, local, vl);
    net->queue[q].posted = 1;
    cop_node_add(net, q * net->max_cand, in->port0 + local, vl);
    requested(net, in->port0 + local, vl, p);
}

cop_time cop_input_grant(cop_net *net, uint32_t port, const cop_pick *pick,
                         cop_transfer_fn transfer, bool early)
{
    uint32_t q = pick->queue, in_port = pick->in;
    if (!net->per_output) {
        cop_input_withdraw(net, q);
        new_head(net, q);
    }
    uint32_t h = pop(net, q);
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
    if (net->hooks && net->queue_ops->on_dequeue) /* when the queue is in order again */
        net->queue_ops->on_dequeue(net, in_port, q - net->in[in_port].queue0, &net->pkt[h]);
    return leaves;
}

void cop_input_wake_section(cop_net *net, uint32_t port, uint32_t section)
{
    uint32_t *last = &net->section[(size_t)port * net->sections + section].wait;
    while (*last != COP_NONE) {
        uint32_t node = net->node[*last].next;
        uint32_t vl = net->node[node].vl;
        cop_node_remove(net, node);
        cop_node_add(net, node, port, vl);
    }
}
