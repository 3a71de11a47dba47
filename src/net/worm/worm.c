/* Wormhole switching.
 *
 * Role     moves flits: buffers of a few of them, a credit for each, and packets that keep the
 *          lanes they have taken until their tail has passed.
 * Rules    A packet of L bytes is cut into flits of `switch.flit`, the last one as long as what is
 *          left; each takes one place of a buffer. A flit has the times that cut-through gives a
 *          packet of its length: sent from s on, it may go on at s + d + min(header, flit) c +
 *          pipeline, on a faster output (c') not before its tail's arrival - flit c'. Its place is
 *          free when its last bit has left, and the credit is back one link delay and
 *          `flow_control.delay` later.
 *          A lane of an output belongs to a packet from its first flit to its last (worm_turn.c).
 *          A buffer is read in order: the head of the next packet asks when the tail of the one
 *          before it has left.
 *          A host begins a packet on a lane of its link by the same rule. A sink takes flits in
 *          order of arrival; a packet is delivered with its last flit.
 * Events   COP_EV_FLIT for heads at switches and whole packets at hosts. A flit that follows its
 *          head costs one event a hop: its times are known when it is sent, and an output that
 *          waits for it is notified.
 * State    a packet is where its head is: on the wire, in a queue (input.c), or entering its host.
 *          The rest of it are stays, one in each buffer that contains flits of it.
 * Source   M-sw-wh; Dally and Seitz, IEEE Trans. Computers 1987; Dally, "Virtual-channel flow
 *          control", IEEE TPDS 1992; `reuse: empty` is assumption 6 of Duato, IEEE TPDS 1993. */
#include "net/worm/worm.h"

#include "net/cable/cable.h"
#include "net/flow/flow.h"
#include "net/switch/switch.h"
#include "net/watch.h"

static uint32_t stay_new(cop_worm *w)
{
    uint32_t s = w->free;
    if (s != COP_NONE) {
        w->free = w->stay[s].next;
        return s;
    }
    w->stay = cop_grow(w->stay, &w->cap, (size_t)w->n + 1, sizeof(*w->stay));
    return w->n++;
}

static void stay_free(cop_worm *w, uint32_t s)
{
    w->stay[s].next = w->free;
    w->free = s;
}

void cop_worm_kick_at(cop_net *net, uint32_t port, cop_time t)
{
    cop_out *out = &net->out[port];
    if (t <= net->now) {
        out->arb_at = net->now;
        cop_evq_due_now(&net->evq, port);
    } else if (t < out->arb_at) {
        out->arb_at = t;
        cop_net_push(net, t, COP_EV_ARB, port);
    }
}

static uint32_t flit_bytes(const cop_net *net, const cop_stay *s, uint32_t flit)
{
    uint32_t before = flit * net->unit_bytes, all = net->pkt[s->pkt].bytes;
    return all - before < net->unit_bytes ? all - before : net->unit_bytes;
}

/* When a flit whose first bit comes to `in` at `head` may go on by `port`. */
static cop_time ready_at(const cop_net *net, const cop_in *in, uint32_t port, cop_time head,
                         uint32_t bytes)
{
    cop_time came = cop_wire_time(in->pace, bytes);
    cop_time ready = head + cop_min64(in->header_ps, came) + in->pipeline_ps;
    cop_time leaves = cop_wire_time(net->out[port].pace, bytes);
    return leaves < came ? cop_max64(ready, head + came - leaves) : ready;
}

cop_time cop_worm_next_ready(const cop_net *net, const cop_stay *s)
{
    if (s->in == COP_NONE)
        return 0;
    if (s->sent == s->came)
        return COP_NEVER;
    const cop_lane_in *l = cop_worm_in(net, s->in, s->vl);
    cop_time ready = ready_at(net, &net->in[s->in], s->out, l->head[l->at & l->mask],
                              flit_bytes(net, s, s->sent));
    return s->sent == 0 ? cop_max64(ready, s->from) : ready;
}

/* A place of lane vl at input `port` will be free at time t. */
static void give_place(cop_net *net, uint32_t port, uint32_t vl, cop_time t)
{
    uint32_t from = net->in[port].from;
    cop_return ret = {.t = cop_fc_back(net, port, t), .section = vl, .blocks = 1};
    cop_ring_insert(&net->out[from].ring, ret);
    if (net->out[from].waits & COP_WAIT_FLIT)
        cop_worm_kick_at(net, from, ret.t);
    cop_fc_arm(net, from); /* a host, or a head that is not admitted */
}

/* -- a flit on the wire -- */

static uint64_t hash_step(uint64_t h, cop_time t, const cop_pkt *p, uint32_t flit)
{
    uint64_t name = (uint64_t)p->seq << 32 | p->src;
    return (h ^ (t + name + ((uint64_t)flit << 52))) * 0x9E3779B97F4A7C15u;
}

static uint32_t stay_begins(cop_net *net, uint32_t port, uint32_t vl, uint32_t pkt, uint32_t flits)
{
    cop_worm *w = net->worm;
    uint32_t s = stay_new(w);
    cop_lane_in *l = cop_worm_in(net, port, vl);
    w->stay[s] = (cop_stay){.pkt = pkt,
                            .next = COP_NONE,
                            .in = port,
                            .flits = flits,
                            .out = COP_NONE,
                            .vl = (uint8_t)vl};
    if (l->front == COP_NONE)
        l->front = s;
    else
        w->stay[l->back].next = s;
    l->back = s;
    return s;
}

/* Packet h is on the wire to `port`, where it will be handled at time t. */
static void under_way(cop_net *net, uint32_t port, uint32_t h, cop_time t)
{
    cop_in *in = &net->in[port];
    net->pkt[h].next = COP_NONE;
    if (in->wire_head == COP_NONE) {
        in->wire_head = h;
        cop_net_push(net, t, COP_EV_FLIT, port);
    } else {
        net->pkt[in->wire_tail].next = h;
    }
    in->wire_tail = h;
}

/* The head of packet h at a switch: when it is routed. */
static cop_time routed_at(const cop_net *net, const cop_in *in, const cop_pkt *p)
{
    uint32_t bytes = p->bytes < net->unit_bytes ? p->bytes : net->unit_bytes;
    cop_time came = cop_wire_time(in->pace, bytes);
    return p->t_tail - came + cop_min64(in->header_ps, came) + in->pipeline_ps;
}

/* A flit of packet h, its number `flit` of `flits`, comes to a host with its first bit at `head`.
 * The sink's times follow at once. */
static void to_host(cop_net *net, uint32_t port, uint32_t vl, uint32_t h, uint32_t flit,
                    uint32_t flits, cop_time head, uint32_t bytes)
{
    cop_worm *w = net->worm;
    uint32_t host = port - net->host_port0;
    cop_time done = head + cop_wire_time(net->in[port].pace, bytes);
    cop_time start = cop_max64(head, w->taken[host]);
    if (w->receive_pace[host])
        done = cop_max64(done, start + cop_wire_time(w->receive_pace[host], bytes));
    w->taken[host] = done;
    if (flit == 0)
        (void)stay_begins(net, port, vl, h, flits);
    cop_stay *s = &w->stay[cop_worm_in(net, port, vl)->back];
    s->came++;
    cop_worm_taken(net, host, s, flit, start, done);
    give_place(net, port, vl, done);
    if (flit + 1 == flits) {
        net->pkt[h].t_tail = done;
        under_way(net, port, h, done);
    }
}

static void to_switch(cop_net *net, uint32_t port, uint32_t vl, uint32_t h, uint32_t flit,
                      uint32_t flits, cop_time head, uint32_t bytes)
{
    cop_worm *w = net->worm;
    const cop_in *in = &net->in[port];
    if (flit == 0) {
        (void)stay_begins(net, port, vl, h, flits);
        net->pkt[h].t_tail = head + cop_wire_time(in->pace, bytes);
        under_way(net, port, h, routed_at(net, in, &net->pkt[h]));
    }
    cop_lane_in *l = cop_worm_in(net, port, vl);
    cop_stay *s = &w->stay[l->back];
    COP_ASSERT(s->pkt == h && s->came == flit && l->end - l->at <= l->mask);
    l->head[l->end++ & l->mask] = head;
    s->came++;
    if (s->out != COP_NONE && s->came - s->sent == 1)
        cop_worm_kick_at(net, s->out, ready_at(net, in, s->out, head, bytes));
}

/* The last flit of stay s has gone on by `port`, and will have left at `leaves`. */
static void tail_gone(cop_net *net, uint32_t port, uint32_t s, cop_time leaves)
{
    cop_worm *w = net->worm;
    const cop_stay *st = &w->stay[s];
    *cop_worm_held(net, port, st->out_vl) = COP_NONE;
    if (st->in != COP_NONE) {
        cop_lane_in *l = cop_worm_in(net, st->in, st->vl);
        uint32_t q = net->in[st->in].queue0 + st->vl;
        COP_ASSERT(l->front == s);
        l->front = st->next;
        net->queue[q].stopped = 0;
        cop_net_first_node(net, q)->read = leaves;
        if (net->queue[q].head != COP_NONE)
            cop_net_push(net, leaves, COP_EV_HEAD, q);
    }
    stay_free(w, s);
}

/* A host waits for its link's lanes: it tries again when the wire is free. */
static void host_looks(cop_net *net, uint32_t port, cop_time t)
{
    cop_out *out = &net->out[port];
    if (out->sw != COP_NONE || out->vl_blocked == 0 || t >= out->credit_at)
        return;
    out->credit_at = t;
    cop_net_push(net, t, COP_EV_CREDIT, port);
}

cop_time cop_worm_send(cop_net *net, uint32_t port, uint32_t s)
{
    cop_worm *w = net->worm;
    cop_stay *st = &w->stay[s];
    cop_out *out = &net->out[port];
    uint32_t flit = st->sent++, bytes = flit_bytes(net, st, flit), vl = st->out_vl, h = st->pkt;
    uint32_t flits = st->flits;
    cop_section *sec = cop_fc_section(net, port, vl);
    cop_time leaves = net->now + cop_wire_time(out->pace, bytes), head = net->now + out->delay_ps;
    COP_ASSERT(out->busy_until <= net->now && sec->credit > 0);
    sec->credit--;
    sec->used++;
    out->busy_until = leaves;
    out->sent_bytes += bytes;
    out->hash = hash_step(out->hash, net->now, &net->pkt[h], flit);
    cop_vlarb_sent(net, port, vl, bytes);
    if (st->in != COP_NONE) {
        cop_worm_in(net, st->in, st->vl)->at++;
        give_place(net, st->in, st->vl, leaves);
    } else {
        cop_worm_sent(net, port - net->host_port0, &net->pkt[h], flit, leaves);
    }
    if (flit + 1 == flits) {
        if (COP_UNLIKELY(net->pkt_msg != NULL) && st->in == COP_NONE)
            cop_net_left(net, port - net->host_port0, h, leaves);
        tail_gone(net, port, s, leaves);
    }
    if (flit == 0) {
        net->pkt[h].vl = (uint8_t)vl;
        net->total.hops++;
        if (COP_UNLIKELY(net->pkt[h].flags & COP_PKT_WATCH))
            cop_watch_step(net, COP_WATCH_SEND, port, &net->pkt[h]);
    }
    if (net->in[out->to].sw == COP_NONE)
        to_host(net, out->to, vl, h, flit, flits, head, bytes);
    else
        to_switch(net, out->to, vl, h, flit, flits, head, bytes);
    host_looks(net, port, leaves);
    return leaves;
}

__attribute__((noinline)) void cop_worm_inject(cop_net *net, uint32_t port, uint32_t h)
{
    cop_worm *w = net->worm;
    uint32_t flits = cop_worm_flit_count(net, net->pkt[h].bytes), vl = net->pkt[h].vl;
    uint32_t s = stay_new(w);
    w->stay[s] = (cop_stay){.pkt = h,
                            .next = COP_NONE,
                            .in = COP_NONE,
                            .flits = flits,
                            .came = flits,
                            .out = port,
                            .vl = (uint8_t)vl,
                            .out_vl = (uint8_t)vl};
    *cop_worm_held(net, port, vl) = s;
    cop_worm_kick_at(net, port, cop_worm_send(net, port, s));
}

__attribute__((noinline)) uint32_t cop_worm_arrive(cop_net *net, uint32_t port)
{
    cop_worm *w = net->worm;
    cop_in *in = &net->in[port];
    uint32_t h = in->wire_head;
    bool host = in->sw == COP_NONE;
    in->wire_head = net->pkt[h].next;
    if (in->wire_head != COP_NONE) {
        const cop_pkt *next = &net->pkt[in->wire_head];
        cop_net_push(net, host ? next->t_tail : routed_at(net, in, next), COP_EV_FLIT, port);
    }
    if (!host) {
        cop_input_made(net, port, h);
        return COP_NONE;
    }
    cop_lane_in *l = cop_worm_in(net, port, net->pkt[h].vl);
    uint32_t s = l->front;
    COP_ASSERT(w->stay[s].pkt == h);
    l->front = w->stay[s].next;
    w->inside = w->stay[s].inside;
    stay_free(w, s);
    return h;
}
