/* End nodes, receiving side.
 *
 * Role     takes packets in at most at the receive rate, frees their buffer space, counts them, and
 *          answers with acknowledgements and congestion notifications.
 * Timing   a first-come first-served server: a packet is taken in from max(head arrival, previous
 *          one done), for length / receive rate, and not before its tail has arrived. Its space is
 *          freed, and it counts as delivered, at that end. All of it is known when the head
 *          arrives, so no further event is needed. A sink slower than its link back-pressures the
 *          network.
 *          A notification is made when the tail of the marked packet has arrived (nic.notify), an
 *          acknowledgement when the packet is delivered.
 * Source   gran4 4 (inject 13.5, receive 13.6 Gbit/s), M-ibcc-dst. */
#include "base/outcome.h"
#include "host/host.h"
#include "net/watch.h"
#include "net/worm/worm.h"

#include <stdio.h>

/* A packet that is still being taken in when the run ends: count the part that has come. */
static __attribute__((noinline)) void count_late(cop_net *net, uint32_t host, const cop_pkt *p,
                                                 cop_time start, cop_time done)
{
    cop_probe *pr = &net->probe;
    uint32_t payload = p->bytes - (uint32_t)net->nic_cfg->overhead_bytes;
    uint32_t inside = cop_probe_part(pr, payload, start, done);
    cop_probe_spread(pr, p->stream, host, payload, start, done, net->end);
    pr->stream[p->stream].bytes += inside;
    pr->host[host].received_bytes += inside;
    if (pr->flow.v && inside > 0)
        (void)cop_probe_flow(pr, p->src, p->dst, p->seq, inside, false);
}

/* Runs with run.births, or whose routing has non-minimal paths. */
static __attribute__((noinline)) void count_way(const cop_net *net, cop_probe *pr, const cop_pkt *p,
                                                cop_time done, bool after_warmup)
{
    cop_time from = net->run_cfg->births == COP_BIRTHS_INJECTION ? p->t_inj : p->t_gen;
    uint64_t bin = from / pr->sample;
    bool misrouted = p->mid != COP_NONE;
    pr->misrouted += after_warmup && misrouted;
    if (pr->birth == NULL || bin >= pr->n_bins)
        return;
    pr->birth[bin].packets++;
    pr->birth[bin].latency_ps += done - from;
    pr->birth[bin].misrouted += misrouted;
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
    bool whole = net->worm == NULL; /* wormhole: bytes were counted flit by flit */
    if (COP_LIKELY(whole && start >= bin * pr->sample && bin < pr->n_whole))
        pr->series[(size_t)pr->series_of[p->stream] * pr->n_bins + bin] +=
            (uint64_t)payload * COP_BYTE_PARTS;
    else if (whole)
        cop_probe_spread(pr, p->stream, host, payload, start, done, COP_NEVER);
    if (done < pr->end)
        pr->area -= pr->end - cop_max64(done, pr->warmup);
    bool after_warmup = true;
    if (COP_UNLIKELY(done - pr->sure_from > pr->sure_span)) {
        after_warmup = done >= pr->warmup && done <= pr->end;
        inside = whole ? cop_probe_part(pr, payload, start, done) : 0;
    }
    if (!whole)
        inside = net->worm->inside;
    sp->bytes += inside;
    pr->host[host].received_bytes += inside;
    if (COP_UNLIKELY(pr->ways))
        count_way(net, pr, p, done, after_warmup);
    if (after_warmup) {
        sp->packets++;
        sp->latency_ps += latency;
        cop_hist_add(pr->latency, latency);
        cop_hist_add(pr->transit, done - p->t_inj);
    }
    if (pr->flow.v && !cop_probe_flow(pr, p->src, p->dst, p->seq, inside, after_warmup) &&
        net->route->facts.in_order && net->stop == 0) {
        net->stop = COP_OUTCOME_BROKEN;
        snprintf(net->why, sizeof(net->why), "packet %u:%u overtook its flow %u -> %u", p->src,
                 p->seq, p->src, p->dst);
    }
}

/* A delivered message may let others be sent. */
static void go_on(cop_net *net, uint32_t h, cop_time done)
{
    cop_traffic *tr = net->traffic;
    const cop_pkt *p = &net->pkt[h];
    uint32_t payload = p->bytes - (uint32_t)net->nic_cfg->overhead_bytes;
    if (net->pkt_msg != NULL && net->pkt_msg[h] != COP_NONE) {
        cop_net_wishes(net, cop_app_arrived(tr->app, net->pkt_msg[h], payload, done));
        return;
    }
    if (tr->woken == NULL)
        return;
    uint32_t n = cop_traffic_arrived(tr, p->stream, payload, done);
    for (uint32_t i = 0; i < n; i++) {
        const cop_stream *s = &tr->stream[tr->woken[i]];
        cop_host_wake(net, s->host, s->t_next);
    }
}

bool cop_net_acked(const cop_net *net, const cop_pkt *p)
{
    return net->nic_cfg->ack == COP_ACK_PACKET ||
           (net->nic_cfg->ack == COP_ACK_MESSAGE && (p->flags & COP_PKT_LAST));
}

/* The control packets that answer data packet h, unless the run ends before. The notification of
 * the congestion control is made when all of the packet is in the receive buffer, however long it
 * waits there for the sink: the adapter examines every packet that enters its input buffer (Paper
 * I, 3.2.2). The acknowledgement is made when the packet is delivered; one packet is both if both
 * are due then. */
static void answer(cop_net *net, uint32_t host, uint32_t h, cop_time arrived, cop_time done)
{
    const cop_nic_cfg *cfg = net->nic_cfg;
    uint16_t flags = 0, then = 0;
    if (net->cc->at_destination.on_deliver)
        flags = cop_cc_at_host(net, host)->at_destination.on_deliver(net, host, &net->pkt[h]);
    if (cfg->ack != COP_ACK_NONE && cop_net_acked(net, &net->pkt[h]))
        then = COP_PKT_ACK;
    if (COP_UNLIKELY(flags != 0 && !((flags | then) & COP_PKT_CONTROL)))
        cop_misused("cc", net->cc->name,
                    "what on_deliver returns is no packet that goes back; add COP_PKT_CNP or "
                    "COP_PKT_ACK, or ask cop_net_acked first");
    if (!(flags & COP_PKT_CNP) || cfg->notify != COP_NOTIFY_ARRIVAL) {
        flags |= then;
        then = 0;
        arrived = done;
    }
    while (flags) {
        if (arrived <= net->end)
            cop_host_reply(net, host, h, flags, arrived);
        flags = then;
        then = 0;
        arrived = done;
    }
}

void cop_host_receive(cop_net *net, uint32_t port, uint32_t h)
{
    uint32_t host = port - net->host_port0;
    cop_nic *nic = &net->nic[host];
    cop_pkt *p = &net->pkt[h];
    COP_CHECK(p->dst == host);
    cop_time start = cop_max64(net->now, nic->rx_free), arrived = p->t_tail, done = arrived;
    if (nic->receive_pace)
        done = cop_max64(done, start + cop_wire_time(nic->receive_pace, p->bytes));
    nic->rx_free = done;
    cop_fc_give(net, port, cop_net_section_of(net, p, p->vl), p->bytes, done);
    p->t_tail = done;
    if (COP_UNLIKELY(p->flags & COP_PKT_WATCH))
        cop_watch_step(net, COP_WATCH_DELIVER, port, p);
    bool control = p->flags & COP_PKT_CONTROL;
    if (!control) {
        answer(net, host, h, arrived, done);
        p = &net->pkt[h]; /* the pool may have moved */
    }
    if (done > net->end) { /* still being taken in when the run ends: in flight */
        if (!(p->flags & COP_PKT_CONTROL))
            count_late(net, host, p, start, done);
        p->next = nic->late_head;
        nic->late_head = h;
        return;
    }
    net->total.delivered++;
    net->total.delivered_bytes += p->bytes;
    if (control) {
        uint32_t becn = (p->flags & COP_PKT_BECN) != 0;
        net->total.becns += becn;
        net->probe.stream[p->stream].becns += becn;
        if (net->cc->at_source.on_control && net->cc_flows)
            cop_cc_at_host(net, host)->at_source.on_control(
                net, cop_flow_state(net, cop_flow_of(net, host, p->src, p->sl)), p);
        if (COP_UNLIKELY(p->flags & COP_PKT_WATCH))
            cop_watch_step(net, COP_WATCH_HEARD, port, p);
    } else {
        count(net, host, p, start, done);
        if (COP_UNLIKELY(net->closed_loop))
            go_on(net, h, done);
    }
    cop_pkt_free(net, h);
}
