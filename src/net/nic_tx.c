/* End nodes, sending side.
 *
 * Role     takes messages from the host's streams, cuts them into packets, sends them on the host's
 *          link under the injection limit, the link's credits and the congestion control.
 * Rules    Control packets (ACK, CNP) go first. Then data: a lane by VL arbitration, in it the oldest
 *          ready message; with order `round-robin` messages take turns packet by packet.
 *          A message whose lane has no credit, or whose flow is throttled, is set aside and others
 *          pass it: no head-of-line blocking between flows inside the end node. Messages of a
 *          throttled flow wait in the flow's own list (throttle.c) and go on one by one. A stream
 *          sets aside at most `backlog` messages and then waits.
 *          Messages are taken from the streams only when nothing else can be sent, oldest first;
 *          saturated streams take turns. Source queues are therefore unbounded and free.
 * Timing   the next packet starts no earlier than length / injection rate after this one started.
 * Events   COP_EV_NIC per host, at most one pending.
 * Source   M-bgen (no blocking in the generator), gran1 3.2.2 (CNP priority), G-gran4-11. */
#include "net/link.h"
#include "net/nic.h"
#include "net/throttle.h"
#include "net/watch.h"

static inline uint32_t host_port(const cop_net *net, uint32_t host)
{
    return net->host_port0 + host;
}

void cop_nic_wake(cop_net *net, uint32_t host, cop_time t)
{
    cop_nic *nic = &net->nic[host];
    if (t == COP_NEVER)
        return;
    t = cop_max64(cop_max64(t, net->now), net->out[host_port(net, host)].busy_until);
    if (t < nic->wake) {
        nic->wake = t;
        cop_net_push(net, t, COP_EV_NIC, host);
    }
}

void cop_nic_credit(cop_net *net, uint32_t port)
{
    uint32_t host = port - net->topo->host_port0;
    cop_fc_unblock(net, port);
    /* An attempt may run at this very instant only once: credits come before it. */
    cop_nic_wake(net, host, net->now);
}

/* -- lists of ready messages, one per lane -- */

static cop_nic_lane *lane_of(const cop_net *net, uint32_t host, uint32_t vl)
{
    return &net->nic_lane[(size_t)host * net->lanes + vl];
}

static void ready_add(cop_net *net, uint32_t host, uint32_t s)
{
    uint32_t vl = net->send[s].vl;
    cop_nic_lane *l = lane_of(net, host, vl);
    net->send[s].next = COP_NONE;
    if (l->head == COP_NONE)
        l->head = s;
    else
        net->send[l->tail].next = s;
    l->tail = s;
    net->nic[host].ready_n++;
    net->stream_ready[net->send[s].stream]++;
    cop_out *out = &net->out[host_port(net, host)];
    out->vl_ready |= 1u << vl;
    net->nic[host].lanes_used |= 1u << vl;
    if (net->sectioned)
        out->vl_blocked &= ~(1u << vl); /* its destination may have room where others have none */
}

/* Take out the message after `before` (COP_NONE: the first). */
static void ready_remove(cop_net *net, uint32_t host, uint32_t vl, uint32_t before)
{
    cop_nic_lane *l = lane_of(net, host, vl);
    uint32_t *link = before == COP_NONE ? &l->head : &net->send[before].next, s = *link;
    *link = net->send[s].next;
    if (l->tail == s)
        l->tail = before;
    net->nic[host].ready_n--;
    net->stream_ready[net->send[s].stream]--;
    if (l->head == COP_NONE)
        net->out[host_port(net, host)].vl_ready &= ~(1u << vl);
}

/* -- flows that the congestion control holds back -- */

/* The first message of a flow that waited may go. */
static void release(cop_net *net, uint32_t host, uint32_t flow)
{
    ready_add(net, host, cop_flow_pop(net, flow));
}

/* When the host could send a packet again. */
static cop_time next_turn(const cop_net *net, uint32_t host)
{
    return cop_max64(net->out[host_port(net, host)].busy_until, net->nic[host].inject_free);
}

/* Not inlined, as without congestion control there are no flows.
 *
 * A flow whose list is not empty, and that has no message among the ready ones, goes on at the host's
 * next turn or when the congestion control allows. */
static __attribute__((noinline)) void go_on(cop_net *net, uint32_t host, uint32_t flow)
{
    cop_time t = net->cc->next_send ? net->cc->next_send(net, cop_flow_state(net, flow), net->now)
                                    : net->now;
    if (t > next_turn(net, host))
        cop_throttle_add(net, flow, t);
    else
        release(net, host, flow);
}

void cop_nic_rouse(cop_net *net, uint32_t flow)
{
    cop_flow *f = cop_flow_at(net, flow);
    if (!f->throttled || f->t_ok != COP_NEVER)
        return;
    net->flows_asleep--;
    f->throttled = false;
    go_on(net, f->src, flow);
    cop_nic_wake(net, f->src, net->now);
}

/* May the flow of ready message s send a packet at `turn`? If not, the message is set aside. */
static __attribute__((noinline)) bool flow_may_send(cop_net *net, uint32_t host, uint32_t s,
                                                    uint32_t before, cop_time turn)
{
    uint32_t flow = net->send[s].flow, vl = net->send[s].vl;
    if (!net->cc->next_send)
        return true;
    if (cop_flow_at(net, flow)->throttled) {
        ready_remove(net, host, vl, before);
        cop_flow_append(net, s);
        return false;
    }
    cop_time t = net->cc->next_send(net, cop_flow_state(net, flow), net->now);
    if (t <= turn)
        return true;
    ready_remove(net, host, vl, before);
    cop_flow_prepend(net, s);
    cop_throttle_add(net, flow, t);
    return false;
}

/* -- messages that the queueing scheme holds back -- */

static void hold(cop_net *net, cop_nic *nic, uint32_t s)
{
    net->send[s].next = COP_NONE;
    if (nic->held_head == COP_NONE)
        nic->held_head = s;
    else
        net->send[nic->held_tail].next = s;
    nic->held_tail = s;
}

void cop_nic_release(cop_net *net, uint32_t host)
{
    uint32_t s = net->nic[host].held_head;
    if (s == COP_NONE)
        return;
    net->nic[host].held_head = COP_NONE;
    while (s != COP_NONE) {
        uint32_t following = net->send[s].next;
        ready_add(net, host, s);
        s = following;
    }
    cop_nic_wake(net, host, net->now);
}

/* -- taking messages from the streams -- */

/* Taking more messages cannot help when every lane this host uses is blocked: they would wait for
 * the same credits. (With buffer sections per destination they wait for different ones.) */
static bool enough_ready(const cop_net *net, uint32_t host)
{
    const cop_nic *nic = &net->nic[host];
    const uint32_t *first = &net->traffic->host_stream0[host];
    uint32_t open = nic->lanes_used & ~net->out[host_port(net, host)].vl_blocked;
    return !net->sectioned && open == 0 && nic->ready_n >= 2 * net->lanes + (first[1] - first[0]);
}

/* Is a message of the service level set aside? If a flow is a whole service level, all its streams
 * wait for the same turn: more messages here would only lose the order in which they were generated,
 * and a stream that holds many would push the others out. */
static __attribute__((noinline)) bool level_waits(const cop_net *net, const cop_stream *st)
{
    const cop_traffic *tr = net->traffic;
    for (uint32_t s = tr->host_stream0[st->host]; s < tr->host_stream0[st->host + 1]; s++)
        if (tr->stream[s].sl == st->sl && net->stream_held[s] != net->stream_ready[s])
            return true;
    return false;
}

/* May the stream have another message at the NIC? If what it sends belongs to one flow, and that is
 * throttled, or waits for the buffer of its one destination, the next message could not go either;
 * and it would still be sent after the stream has ended. */
static bool has_room(const cop_net *net, const cop_stream *st, uint32_t s)
{
    uint32_t held = net->stream_held[s];
    bool throttled =
        net->flow_is_sl ? level_waits(net, st) : st->steady && held != net->stream_ready[s];
    bool full = net->sectioned && held > 0 && st->fixed_dst != COP_NONE;
    return !throttled && !full && held < (uint32_t)net->nic_cfg->backlog;
}

static bool may_take(const cop_net *net, const cop_stream *st, uint32_t s, uint32_t max_ready)
{
    return st->t_next <= net->now && (!st->saturated || net->now < st->t_stop) &&
           net->stream_ready[s] < max_ready && has_room(net, st, s);
}

/* The stream that has waited longest: by generation time, saturated ones by their last turn. Only
 * streams with fewer than max_ready messages here that could go. */
static uint32_t oldest_stream(const cop_net *net, uint32_t host, uint32_t max_ready)
{
    const cop_traffic *tr = net->traffic;
    uint32_t best = COP_NONE;
    cop_time best_key = COP_NEVER;
    if (enough_ready(net, host))
        return COP_NONE;
    for (uint32_t s = tr->host_stream0[host]; s < tr->host_stream0[host + 1]; s++) {
        const cop_stream *st = &tr->stream[s];
        cop_time key = st->saturated ? cop_max64(net->stream_last[s], st->t_next) : st->t_next;
        if (key < best_key && may_take(net, st, s, max_ready)) {
            best = s;
            best_key = key;
        }
    }
    return best;
}

static cop_time next_generation(const cop_net *net, uint32_t host)
{
    const cop_traffic *tr = net->traffic;
    cop_time t = COP_NEVER;
    for (uint32_t s = tr->host_stream0[host]; s < tr->host_stream0[host + 1]; s++) {
        const cop_stream *st = &tr->stream[s];
        bool over = st->saturated && net->now >= st->t_stop;
        if (!over && has_room(net, st, s))
            t = cop_min64(t, st->t_next);
    }
    return t;
}

static uint8_t injection_lane(cop_net *net, cop_nic *nic, uint32_t src, cop_send *m)
{
    cop_hop hop = {.src = src, .dst = m->dst, .mid = COP_NONE};
    cop_rng rng = cop_rng_make(net->info.seed, COP_RNG_ROUTE, src);
    rng.counter = nic->rng_route;
    cop_route_view view = {.ctx = net, .rng = &rng};
    uint8_t vl = 0;
    if (net->route->ops->inject)
        vl = net->route->ops->inject(net->route, &hop, &view);
    nic->rng_route = rng.counter;
    m->mid = hop.mid;
    m->rstate = hop.state;
    if (net->queue_ops->inject_vl)
        vl = net->queue_ops->inject_vl(net->queue_cfg, &net->info, src, m->dst, vl);
    return vl;
}

static bool take_message(cop_net *net, uint32_t host, uint32_t max_ready)
{
    uint32_t stream = oldest_stream(net, host, max_ready);
    if (stream == COP_NONE)
        return false;
    cop_msg msg;
    cop_traffic_take(net->traffic, stream, net->now, &msg);
    net->stream_last[stream] = net->now + 1;
    uint32_t s = cop_send_new(net);
    cop_send *m = &net->send[s];
    *m = (cop_send){.t_gen = msg.t_gen,
                    .stream = stream,
                    .dst = msg.dst,
                    .left = msg.bytes,
                    .flow = COP_NONE,
                    .serial = net->nic[host].serial++,
                    .sl = msg.sl};
    m->vl = injection_lane(net, &net->nic[host], host, m);
    if (net->cc->flow_size)
        m->flow = cop_flow_of(net, host, msg.dst, msg.sl);
    net->stream_held[stream]++;
    if (m->flow != COP_NONE && cop_flow_at(net, m->flow)->head != COP_NONE)
        cop_flow_append(net, s); /* behind the messages of its flow that wait already */
    else
        ready_add(net, host, s);
    return true;
}

/* -- sending -- */

static void launch(cop_net *net, uint32_t host, uint32_t h)
{
    uint32_t port = host_port(net, host);
    cop_pkt *p = &net->pkt[h];
    cop_fc_take(net, port, cop_net_section_of(net, p, p->vl), cop_blocks(p->bytes));
    cop_vlarb_sent(net, port, p->vl, p->bytes);
    net->total.injected++;
    net->total.injected_bytes += p->bytes;
    cop_probe *pr = &net->probe;
    if (net->now < pr->end && !(p->flags & COP_PKT_CONTROL)) {
        pr->bin[net->now / pr->sample].injected++;
        pr->area += pr->end - cop_max64(net->now, pr->warmup);
    }
    if (COP_UNLIKELY(net->watch != NULL) && cop_watch_wants(net, p)) {
        p->flags |= COP_PKT_WATCH;
        cop_watch_step(net, COP_WATCH_INJECT, port, p);
    }
    cop_wire_send(net, port, h);
}

/* The packet that the host sends now lies across the end of the measured time, or outside. */
static __attribute__((noinline)) void count_sent(cop_net *net, uint32_t host, uint32_t payload)
{
    cop_time left = net->out[host_port(net, host)].busy_until;
    net->probe.host[host].sent_bytes += cop_probe_part(&net->probe, payload, net->now, left);
}

static void send_packet(cop_net *net, uint32_t host, uint32_t s, uint32_t before, uint32_t payload)
{
    cop_nic *nic = &net->nic[host];
    uint32_t h = cop_pkt_new(net);
    cop_send *m = &net->send[s];
    cop_pkt *p = &net->pkt[h];
    *p = (cop_pkt){.next = COP_NONE,
                   .stream = m->stream,
                   .src = host,
                   .dst = m->dst,
                   .bytes = payload + (uint32_t)net->nic_cfg->overhead_bytes,
                   .seq = nic->seq++,
                   .t_gen = m->t_gen,
                   .t_inj = net->now,
                   .mid = m->mid,
                   .vl = m->vl,
                   .rstate = m->rstate,
                   .sl = m->sl,
                   .flags = m->left == payload ? COP_PKT_LAST : 0};
    cop_stream_probe *sp = &net->probe.stream[m->stream];
    sp->sent_bytes += payload;
    if (nic->inject_pace)
        nic->inject_free = net->now + cop_wire_time(nic->inject_pace, p->bytes);
    launch(net, host, h);
    if (COP_LIKELY(net->now - net->probe.warmup < net->probe.sure_sent))
        net->probe.host[host].sent_bytes += payload;
    else
        count_sent(net, host, payload);
    uint32_t flow = m->flow;
    if (flow != COP_NONE && net->cc->on_send)
        net->cc->on_send(net, cop_flow_state(net, flow), &net->pkt[h]);
    m->left -= payload;
    if (m->left == 0) {
        ready_remove(net, host, m->vl, before);
        net->stream_held[m->stream]--;
        cop_send_free(net, s);
        if (flow != COP_NONE && cop_flow_at(net, flow)->head != COP_NONE &&
            !cop_flow_at(net, flow)->throttled)
            go_on(net, host, flow);
    } else if ((flow == COP_NONE || flow_may_send(net, host, s, before, next_turn(net, host))) &&
               net->nic_cfg->order == COP_NIC_RR) {
        ready_remove(net, host, m->vl, before);
        ready_add(net, host, s);
    }
}

/* The section that a packet to `dst` would take. */
static __attribute__((noinline)) uint32_t private_section(const cop_net *net, uint32_t dst,
                                                          uint32_t vl)
{
    cop_pkt p = {.dst = dst};
    return cop_net_section_of(net, &p, vl);
}

/* Send a packet of the first message of lane vl that may go. With buffer sections per destination
 * (voqnet) a message without credit is passed over, otherwise it blocks its lane. */
static bool send_from_lane(cop_net *net, uint32_t host, uint32_t vl)
{
    uint32_t port = host_port(net, host), before = COP_NONE, need = 0;
    uint32_t overhead = (uint32_t)net->nic_cfg->overhead_bytes,
             mtu = (uint32_t)net->nic_cfg->mtu_bytes;
    for (uint32_t s = lane_of(net, host, vl)->head; s != COP_NONE;) {
        cop_send *m = &net->send[s];
        uint32_t payload = m->left < mtu ? m->left : mtu, following = m->next;
        if (m->flow != COP_NONE && !flow_may_send(net, host, s, before, net->now)) {
            s = following;
            continue;
        }
        if (net->queue_ops->hold && net->queue_ops->hold(net, port, m->dst, vl)) {
            ready_remove(net, host, vl, before);
            hold(net, &net->nic[host], s);
            s = following;
            continue;
        }
        uint32_t section = net->sectioned ? private_section(net, m->dst, vl) : vl,
                 blocks = cop_blocks(payload + overhead);
        if (cop_fc_fits(net, port, section, blocks)) {
            send_packet(net, host, s, before, payload);
            return true;
        }
        need = blocks; /* with sections of their own nobody looks at it */
        if (!net->sectioned)
            break;
        before = s;
        s = following;
    }
    if (need > 0)
        cop_fc_block(net, port, vl, need);
    return false;
}

static bool send_control(cop_net *net, uint32_t host)
{
    cop_nic *nic = &net->nic[host];
    uint32_t h = nic->control_head, port = host_port(net, host);
    if (h == COP_NONE || net->pkt[h].t_inj > net->now)
        return false;
    cop_pkt *p = &net->pkt[h];
    uint32_t section = cop_net_section_of(net, p, p->vl), blocks = cop_blocks(p->bytes);
    if (!cop_fc_fits(net, port, section, blocks)) {
        cop_fc_block(net, port, p->vl, blocks);
        return false;
    }
    nic->control_head = p->next;
    p->t_inj = net->now;
    launch(net, host, h);
    return true;
}

static void send_data(cop_net *net, uint32_t host)
{
    cop_nic *nic = &net->nic[host];
    cop_out *out = &net->out[host_port(net, host)];
    while (cop_throttle_next(net, nic) <= net->now)
        release(net, host, cop_throttle_pop(net, host));
    do {
        uint32_t ready;
        if (net->nic_cfg->order == COP_NIC_RR)
            while (take_message(net, host, 1)) { /* one of each stream takes part in the turns */
            }
        while ((ready = out->vl_ready & ~out->vl_blocked)) {
            uint32_t vl = cop_vlarb_pick(net, host_port(net, host), ready);
            if (send_from_lane(net, host, vl))
                return;
        }
    } while (take_message(net, host, UINT32_MAX));
}

/* When trying again makes sense, credits apart: a waiting control packet, else data as soon as the
 * injection limit, a generation time or a throttle allows. */
static cop_time next_attempt(const cop_net *net, uint32_t host)
{
    const cop_nic *nic = &net->nic[host];
    const cop_out *out = &net->out[host_port(net, host)];
    cop_time data = net->now;
    if (!(out->vl_ready & ~out->vl_blocked)) {
        data = next_generation(net, host);
        if (data <= net->now && out->busy_until <= net->now && net->now >= nic->inject_free)
            data = COP_NEVER; /* it was tried just now: only credit can help */
    }
    data = cop_min64(data, cop_throttle_next(net, nic));
    if (data != COP_NEVER)
        data = cop_max64(data, nic->inject_free);
    uint32_t control = nic->control_head;
    if (control != COP_NONE && net->pkt[control].t_inj > net->now)
        return cop_min64(data, net->pkt[control].t_inj);
    return data;
}

__attribute__((flatten)) void cop_nic_try(cop_net *net, uint32_t host)
{
    cop_nic *nic = &net->nic[host];
    uint32_t port = host_port(net, host);
    if (nic->wake != net->now)
        return;
    nic->wake = COP_NEVER;
    cop_fc_settle(net, port);
    if (cop_link_resend(net, port) || send_control(net, host)) {
        cop_nic_wake(net, host, net->now);
        return;
    }
    if (net->now >= nic->inject_free)
        send_data(net, host);
    if (net->fc->replay && (net->out[port].busy_until > net->now || cop_link_resend(net, port)))
        cop_nic_wake(net, host, net->now);
    cop_nic_wake(net, host, next_attempt(net, host));
}

void cop_nic_start(cop_net *net)
{
    for (uint32_t host = 0; host < net->info.n_hosts; host++)
        cop_nic_wake(net, host, next_generation(net, host));
}
