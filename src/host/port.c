/* End nodes: the sending port, the same for every kind.
 *
 * Role     pushes attempts to send, makes packets of messages and control packets, puts them on the
 *          wire.
 * Rules    Notifications (CNP) go first, then acknowledgements, then data; only data counts against
 *          the injection limit.
 *          A packet of data starts no earlier than length / injection rate after the previous one.
 * Events   COP_EV_NIC per host, at most one pending.
 * Source   gran1 3.2.2 (CNP priority), gran4 4 (injection limit), G-gran4-11. */
#include "host/host.h"
#include "net/watch.h"

void cop_host_wake(cop_net *net, uint32_t host, cop_time t)
{
    cop_nic *nic = &net->nic[host];
    if (t == COP_NEVER)
        return;
    t = cop_max64(cop_max64(t, net->now), net->out[cop_host_port(net, host)].busy_until);
    if (t < nic->wake) {
        nic->wake = t;
        cop_net_push(net, t, COP_EV_NIC, host);
    }
}

void cop_host_credit(cop_net *net, uint32_t port)
{
    cop_fc_unblock(net, port);
    /* At one instant credits come before attempts, so a second attempt is not needed. */
    cop_host_wake(net, port - net->host_port0, net->now);
}

/* The lane on which the routing injects a packet for hop->dst; fills in the rest of the hop. */
static uint8_t routed_lane(cop_net *net, uint32_t host, cop_hop *hop)
{
    if (!net->route->ops->inject)
        return 0;
    cop_nic *nic = &net->nic[host];
    cop_rng rng = cop_rng_make(net->info.seed, COP_RNG_ROUTE, host);
    rng.counter = nic->rng_route;
    cop_route_view view = {.rng = &rng};
    uint8_t vl = net->route->ops->inject(net->route, hop, &view);
    nic->rng_route = rng.counter;
    return vl;
}

static uint8_t scheme_lane(const cop_net *net, uint32_t host, uint32_t dst, uint8_t vl)
{
    const cop_queue_ops *ops = net->queue_ops;
    return ops->inject_vl ? ops->inject_vl(net->queue_cfg, &net->info, host, dst, vl) : vl;
}

uint32_t cop_host_take(cop_net *net, uint32_t host, uint32_t stream)
{
    cop_msg msg;
    cop_traffic_take(net->traffic, stream, net->now, &msg);
    cop_hop hop = {.sl = msg.sl, .src = host, .dst = msg.dst, .mid = COP_NONE};
    uint8_t vl = routed_lane(net, host, &hop);
    uint32_t s = cop_send_new(net);
    net->send[s] = (cop_send){.t_gen = msg.t_gen,
                              .stream = stream,
                              .dst = msg.dst,
                              .left = msg.bytes,
                              .flow = COP_NONE,
                              .next = COP_NONE,
                              .serial = net->nic[host].serial++,
                              .mid = hop.mid,
                              .msg = msg.id,
                              .vl = scheme_lane(net, host, msg.dst, vl),
                              .sl = msg.sl,
                              .rstate = hop.state};
    if (net->cc_flows || net->host_ops->flow_size)
        net->send[s].flow = cop_flow_of(net, host, msg.dst, msg.sl);
    return s;
}

uint32_t cop_host_packet(cop_net *net, uint32_t host, uint32_t s, uint32_t payload)
{
    uint32_t h = cop_pkt_new(net);
    cop_send *m = &net->send[s];
    net->pkt[h] = (cop_pkt){.next = COP_NONE,
                            .stream = m->stream,
                            .src = host,
                            .dst = m->dst,
                            .bytes = payload + (uint32_t)net->nic_cfg->overhead_bytes,
                            .seq = net->nic[host].seq++,
                            .t_gen = m->t_gen,
                            .t_inj = net->now,
                            .mid = m->mid,
                            .vl = m->vl,
                            .out_vl = m->vl,
                            .rstate = m->rstate,
                            .sl = m->sl,
                            .flags = m->left == payload ? COP_PKT_LAST : 0};
    m->left -= payload;
    if (COP_UNLIKELY(net->traffic->app != NULL))
        cop_net_label(net, h, m->msg);
    return h;
}

/* For control packets and data. */
static void on_wire(cop_net *net, uint32_t port, uint32_t h)
{
    cop_pkt *p = &net->pkt[h];
    cop_fc_take(net, port, cop_net_section_of(net, p, p->vl), cop_blocks(p->bytes));
    cop_vlarb_sent(net, port, p->vl, p->bytes);
    net->total.injected++;
    net->total.injected_bytes += p->bytes;
    if (COP_UNLIKELY(net->watch != NULL) &&
        ((p->flags & COP_PKT_WATCH) || cop_watch_wants(net, p))) {
        p->flags |= COP_PKT_WATCH;
        cop_watch_step(net, COP_WATCH_INJECT, port, p);
    }
    cop_link_inject(net, port, h);
    if (net->routes_early == COP_BLIND_ALWAYS)
        cop_input_ask_early(net, port, h);
}

/* The packet that the host sends now lies across the end of the measured time, or outside. */
static __attribute__((noinline)) void count_sent(cop_net *net, uint32_t host, uint32_t payload)
{
    cop_time left = net->out[cop_host_port(net, host)].busy_until;
    net->probe.host[host].sent_bytes += cop_probe_part(&net->probe, payload, net->now, left);
}

void cop_host_launch(cop_net *net, uint32_t host, uint32_t h)
{
    cop_nic *nic = &net->nic[host];
    cop_pkt *p = &net->pkt[h];
    cop_probe *pr = &net->probe;
    uint32_t payload = p->bytes - (uint32_t)net->nic_cfg->overhead_bytes;
    pr->stream[p->stream].sent_bytes += payload;
    if (net->now < pr->end) {
        pr->bin[net->now / pr->sample].injected++;
        pr->area += pr->end - cop_max64(net->now, pr->warmup);
    }
    if (nic->inject_pace)
        nic->inject_free = net->now + cop_wire_time(nic->inject_pace, p->bytes);
    on_wire(net, cop_host_port(net, host), h);
    if (COP_UNLIKELY(net->worm != NULL))
        return; /* each flit is counted separately */
    if (COP_LIKELY(net->now - pr->warmup < pr->sure_sent))
        pr->host[host].sent_bytes += payload;
    else
        count_sent(net, host, payload);
    if (COP_UNLIKELY(net->pkt_msg != NULL) && (p->flags & COP_PKT_LAST) &&
        net->pkt_msg[h] != COP_NONE)
        cop_net_wishes(net, cop_app_left(net->traffic->app, net->pkt_msg[h],
                                         net->out[cop_host_port(net, host)].busy_until));
}

/* The first of a list of control packets, if it is ready and fits. */
static bool send_first(cop_net *net, uint32_t host, uint32_t *list)
{
    uint32_t h = *list, port = cop_host_port(net, host);
    if (h == COP_NONE || net->pkt[h].t_inj > net->now)
        return false;
    cop_pkt *p = &net->pkt[h];
    uint32_t section = cop_net_section_of(net, p, p->vl), blocks = cop_blocks(p->bytes);
    if (!cop_fc_fits(net, port, section, blocks)) {
        if (net->sectioned) { /* data for other destinations passes it */
            cop_fc_wait(net, port, COP_WAIT_SHORT);
        } else {
            cop_fc_block(net, port, p->vl, blocks, COP_WAIT_LANES);
        }
        return false;
    }
    *list = p->next;
    p->t_inj = net->now;
    on_wire(net, port, h);
    return true;
}

/* Notifications have a separate queue that goes before everything else (Paper I, 3.2.2). */
bool cop_host_send_control(cop_net *net, uint32_t host)
{
    cop_nic *nic = &net->nic[host];
    return send_first(net, host, &nic->notice_head) || send_first(net, host, &nic->control_head);
}

void cop_host_reply(cop_net *net, uint32_t host, uint32_t to, uint16_t flags, cop_time t)
{
    uint32_t src = net->pkt[to].src, stream = net->pkt[to].stream;
    uint8_t sl = net->pkt[to].sl;
    cop_nic *nic = &net->nic[host];
    uint32_t h = cop_pkt_new(net);
    cop_hop hop = {.sl = sl, .src = host, .dst = src, .mid = COP_NONE};
    uint8_t vl = routed_lane(net, host, &hop);
    if (net->nic_cfg->control_vl >= 0)
        vl = (uint8_t)net->nic_cfg->control_vl;
    else
        vl = scheme_lane(net, host, src, vl);
    net->pkt[h] = (cop_pkt){.next = COP_NONE,
                            .stream = stream,
                            .src = host,
                            .dst = src,
                            .bytes = (uint32_t)net->nic_cfg->control_bytes,
                            .seq = nic->seq++,
                            .t_gen = t,
                            .t_inj = t,
                            .mid = hop.mid,
                            .rstate = hop.state,
                            .flags = (uint16_t)(flags | (net->pkt[to].flags & COP_PKT_WATCH)),
                            .vl = vl,
                            .sl = sl};
    if (net->cc->at_destination.on_answer)
        cop_cc_at_host(net, host)->at_destination.on_answer(net, &net->pkt[to], &net->pkt[h]);
    net->total.acks += (flags & COP_PKT_ACK) != 0;
    net->total.cnps += (flags & COP_PKT_CNP) != 0;
    /* Two lists: a notification is ready when its packet has arrived, and must not wait for the
     * acknowledgement of an earlier one that the sink has not taken in yet. */
    uint32_t *head = flags & COP_PKT_CNP ? &nic->notice_head : &nic->control_head;
    uint32_t *tail = flags & COP_PKT_CNP ? &nic->notice_tail : &nic->control_tail;
    if (*head == COP_NONE)
        *head = h;
    else
        net->pkt[*tail].next = h;
    *tail = h;
    cop_host_wake(net, host, t);
}
