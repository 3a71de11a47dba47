/* End nodes, receiving side.
 *
 * Role     takes packets in at most at the receive rate, frees their buffer space, counts them, and
 *          answers with acknowledgements and congestion notifications.
 * Timing   a first-come first-served server: a packet is taken in from max(head arrival, previous one
 *          done), for length / receive rate, and not before its tail has arrived. Its space is freed,
 *          and it counts as delivered, at that end. All of it is known when the head arrives, so no
 *          further event is needed. A sink slower than its link back-pressures the network.
 * Source   gran4 4 (inject 13.5, receive 13.6 Gbit/s), M-ibcc-dst. */
#include "base/outcome.h"
#include "net/fc.h"
#include "net/nic.h"
#include "net/watch.h"

#include <stdio.h>

/* A packet that is still being taken in when the run ends: what has come of it. */
static __attribute__((noinline)) void count_late(cop_net *net, uint32_t host, const cop_pkt *p,
                                                 cop_time start, cop_time done)
{
    cop_probe *pr = &net->probe;
    uint32_t payload = p->bytes - (uint32_t)net->nic_cfg->overhead_bytes;
    uint32_t inside = cop_probe_part(pr, payload, start, done);
    cop_probe_spread(pr, p->stream, host, payload, start, done, net->end);
    pr->stream[p->stream].bytes += inside;
    pr->host[host].received_bytes += inside;
    if (pr->flow && inside > 0)
        (void)cop_probe_flow(pr, p->src, p->dst, p->seq, inside, false);
}

static void count(cop_net *net, uint32_t host, const cop_pkt *p, cop_time start, cop_time done)
{
    cop_probe *pr = &net->probe;
    uint32_t payload = p->bytes - (uint32_t)net->nic_cfg->overhead_bytes, inside = payload;
    cop_stream_probe *sp = &pr->stream[p->stream];
    cop_time latency = done - p->t_gen;
    uint64_t bin = done / pr->sample;
    sp->delivered_bytes += payload;
    if (COP_UNLIKELY(p->flags & COP_PKT_FECN))
        sp->fecns++;
    if (bin < pr->n_bins) {
        pr->bin[bin].delivered++;
        pr->bin[bin].latency_ps += latency;
    }
    if (COP_LIKELY(start >= bin * pr->sample && bin < pr->n_whole))
        pr->series[(size_t)pr->series_of[p->stream] * pr->n_bins + bin] +=
            (uint64_t)payload * COP_BYTE_PARTS;
    else
        cop_probe_spread(pr, p->stream, host, payload, start, done, COP_NEVER);
    if (done < pr->end)
        pr->area -= pr->end - cop_max64(done, pr->warmup);
    bool after_warmup = true;
    if (COP_UNLIKELY(done - pr->sure_from > pr->sure_span)) {
        after_warmup = done >= pr->warmup && done <= pr->end;
        inside = cop_probe_part(pr, payload, start, done);
    }
    sp->bytes += inside;
    pr->host[host].received_bytes += inside;
    if (after_warmup) {
        sp->packets++;
        sp->latency_ps += latency;
        cop_hist_add(pr->latency, latency);
        cop_hist_add(pr->transit, done - p->t_inj);
    }
    if (pr->flow && !cop_probe_flow(pr, p->src, p->dst, p->seq, inside, after_warmup) &&
        net->route->ops->in_order && net->stop == 0) {
        net->stop = COP_OUTCOME_BROKEN;
        snprintf(net->why, sizeof(net->why), "packet %u:%u overtook its flow %u -> %u", p->src,
                 p->seq, p->src, p->dst);
    }
}

/* A delivered message may let others be sent. */
static void go_on(cop_net *net, const cop_pkt *p, cop_time done)
{
    cop_traffic *tr = net->traffic;
    uint32_t payload = p->bytes - (uint32_t)net->nic_cfg->overhead_bytes;
    uint32_t n = cop_traffic_arrived(tr, p->stream, payload, done);
    for (uint32_t i = 0; i < n; i++) {
        const cop_stream *s = &tr->stream[tr->woken[i]];
        cop_nic_wake(net, s->host, s->t_next);
    }
}

static void answer(cop_net *net, uint32_t host, const cop_pkt *p, cop_time done)
{
    uint16_t flags = 0;
    if (net->nic_cfg->ack == COP_ACK_PACKET ||
        (net->nic_cfg->ack == COP_ACK_MESSAGE && (p->flags & COP_PKT_LAST)))
        flags |= COP_PKT_ACK;
    if (net->cc->on_deliver)
        flags |= net->cc->on_deliver(net, host, p);
    if (flags)
        cop_nic_reply(net, host, p, flags, done);
}

void cop_nic_receive(cop_net *net, uint32_t port, uint32_t h)
{
    uint32_t host = port - net->host_port0;
    cop_nic *nic = &net->nic[host];
    cop_pkt *p = &net->pkt[h];
    COP_CHECK(p->dst == host);
    cop_time start = cop_max64(net->now, nic->rx_free), done = p->t_tail;
    if (nic->receive_pace)
        done = cop_max64(done, start + cop_wire_time(nic->receive_pace, p->bytes));
    nic->rx_free = done;
    cop_fc_give(net, port, cop_net_section_of(net, p, p->vl), p->bytes, done);
    p->t_tail = done;
    if (COP_UNLIKELY(p->flags & COP_PKT_WATCH))
        cop_watch_step(net, COP_WATCH_DELIVER, port, p);
    if (done > net->end) { /* still being taken in when the run ends: in flight */
        if (!(p->flags & COP_PKT_CONTROL))
            count_late(net, host, p, start, done);
        p->next = nic->late_head;
        nic->late_head = h;
        return;
    }
    net->total.delivered++;
    net->total.delivered_bytes += p->bytes;
    if (p->flags & COP_PKT_CONTROL) {
        uint32_t becn = (p->flags & COP_PKT_BECN) != 0;
        net->total.becns += becn;
        net->probe.stream[p->stream].becns += becn;
        if (net->cc->on_control && net->cc->flow_size)
            net->cc->on_control(net, cop_flow_state(net, cop_flow_of(net, host, p->src, p->sl)), p);
    } else {
        count(net, host, p, start, done);
        if (COP_UNLIKELY(net->traffic->woken != NULL))
            go_on(net, p, done);
        answer(net, host, p, done);
    }
    cop_pkt_free(net, h);
}

void cop_nic_reply(cop_net *net, uint32_t host, const cop_pkt *to, uint16_t flags, cop_time t)
{
    uint32_t src = to->src, stream = to->stream;
    uint8_t sl = to->sl;
    cop_nic *nic = &net->nic[host];
    uint32_t h = cop_pkt_new(net); /* `to` may have moved */
    cop_pkt *p = &net->pkt[h];
    cop_hop hop = {.src = host, .dst = src, .mid = COP_NONE};
    cop_rng rng = cop_rng_make(net->info.seed, COP_RNG_ROUTE, host);
    rng.counter = nic->rng_route;
    cop_route_view view = {.ctx = net, .rng = &rng};
    uint8_t vl = net->route->ops->inject ? net->route->ops->inject(net->route, &hop, &view) : 0;
    nic->rng_route = rng.counter;
    if (net->nic_cfg->control_vl >= 0)
        vl = (uint8_t)net->nic_cfg->control_vl;
    else if (net->queue_ops->inject_vl)
        vl = net->queue_ops->inject_vl(net->queue_cfg, &net->info, host, src, vl);
    *p = (cop_pkt){.next = COP_NONE,
                   .stream = stream,
                   .src = host,
                   .dst = src,
                   .bytes = (uint32_t)net->nic_cfg->control_bytes,
                   .seq = nic->seq++,
                   .t_gen = t,
                   .t_inj = t,
                   .mid = hop.mid,
                   .rstate = hop.state,
                   .flags = flags,
                   .vl = vl,
                   .sl = sl};
    net->total.acks += (flags & COP_PKT_ACK) != 0;
    net->total.cnps += (flags & COP_PKT_CNP) != 0;
    if (nic->control_head == COP_NONE)
        nic->control_head = h;
    else
        net->pkt[nic->control_tail].next = h;
    nic->control_tail = h;
    cop_nic_wake(net, host, t);
}
