/* The run: takes events in order and hands them to their owners. */
#include "base/outcome.h"
#include "net/ahead/ahead.h"
#include "net/cable/cable.h"
#include "net/deadlock/deadlock.h"
#include "net/flow/flow.h"
#include "net/inspect/inspect.h"
#include "net/routing/routing.h"
#include "net/services/services.h"
#include "net/switch/switch.h"
#include "net/worm/worm.h"

#include <stdio.h>

/* Packets that move for ever without a delivery (possible with ack/nack) count as a deadlock too,
 * though nothing is blocked. */
static void watch_progress(cop_net *net)
{
    if (cop_stall_watch(net))
        return;
    if (net->total.delivered != net->seen_delivered || cop_net_in_flight(net) == 0) {
        net->seen_delivered = net->total.delivered;
        net->fruitful_at = net->now;
    } else if (net->now - net->fruitful_at > net->patience_ps) {
        net->stop = COP_OUTCOME_DEADLOCK;
        snprintf(net->why, sizeof(net->why),
                 "deadlock: %" PRIu64 " packets in the network, none delivered for %.3f us",
                 cop_net_in_flight(net), (double)(net->now - net->fruitful_at) / 1e6);
        cop_notice_tell(net);
    }
}

static void ask(cop_net *net, cop_progress_fn progress, void *ctx)
{
    net->scheme_here = COP_NONE; /* no hook runs: all nodes may be read */
    if (progress != NULL && progress(ctx, net->now, net->probe.end, net->total.hops))
        net->stop = COP_OUTCOME_FAILED;
}

static void sample(cop_net *net, cop_progress_fn progress, void *ctx)
{
    cop_time drained = net->now > net->probe.end ? net->now - net->probe.end : 0;
    if (net->now >= net->probe.warmup && drained == 0)
        for (uint32_t p = 0; p < net->host_port0; p++) {
            cop_port_probe *pp = &net->probe.port[p];
            pp->queue_sum += net->out[p].waiting;
            if (net->out[p].waiting > pp->queue_max)
                pp->queue_max = net->out[p].waiting;
            pp->samples++;
        }
    if (drained == 0) {
        cop_observe_sample(net);
        cop_gauge_sample(net);
    }
    watch_progress(net);
    ask(net, progress, ctx);
    /* A network may drain for a million times as long as it ran, if a flow is paced to next to
     * nothing: checks for deadlocks then become rare. */
    cop_time next = net->now + cop_max64(net->probe.sample, drained / 1024);
    /* A drained network is not sampled: its run ends. */
    if (next <= net->end && (net->end != COP_NEVER || !cop_evq_empty(&net->evq)))
        cop_net_push(net, next, COP_EV_SAMPLE, 0);
}

/* A host may send if its wire is still free since it planned to; else it tries again when the wire
 * is free. */
static __attribute__((noinline)) bool wire_free(cop_net *net, uint32_t host)
{
    cop_nic *nic = &net->nic[host];
    cop_time free = net->out[net->host_port0 + host].busy_until;
    if (free > net->now && nic->wake == net->now) {
        nic->wake = free;
        cop_net_push(net, free, COP_EV_NIC, host);
    }
    return free <= net->now;
}

/* -- arrivals over cables, handed to switches and hosts -- */

static void to_host(cop_net *net, uint32_t port, uint32_t h)
{
    if (COP_LIKELY(net->recover == NULL) || !cop_recover_absorb(net, port, h))
        net->host_ops->receive(net, port, h);
}

static inline __attribute__((always_inline)) void arrive(cop_net *net, uint32_t port)
{
    uint32_t h = cop_wire_take(net, port);
    if (!cop_fc_accepts(net, port, h))
        return;
    if (net->in[port].sw == COP_NONE)
        to_host(net, port, h);
    else
        cop_input_receive(net, port, h);
}

static void flit(cop_net *net, uint32_t port)
{
    uint32_t h = cop_worm_arrive(net, port);
    if (h != COP_NONE)
        to_host(net, port, h);
}

static void credit(cop_net *net, uint32_t port)
{
    uint32_t sw = net->out[port].sw;
    if (!cop_fc_came(net, port))
        return;
    if (sw == COP_NONE)
        net->host_ops->credit(net, port);
    else
        net->arch->credit(net, port);
    if (COP_UNLIKELY(net->out[port].waits & COP_WAIT_ADMIT))
        cop_input_admit(net, sw);
    cop_fc_arm(net, port);
}

static void dispatch(cop_net *net, enum cop_ev_kind kind, uint32_t entity)
{
    switch (kind) {
    case COP_EV_CREDIT:
        credit(net, entity);
        break;
    case COP_EV_RELEASE:
        net->fc->release(net, entity);
        break;
    case COP_EV_CONTROL:
        cop_control_arrive(net, entity);
        break;
    case COP_EV_MESSAGE:
        cop_routing_hear(net, entity);
        break;
    case COP_EV_NOTICE:
        cop_notice_make(net, entity);
        break;
    case COP_EV_HEAD:
        cop_input_head(net, entity);
        break;
    case COP_EV_PATIENCE:
        cop_input_patience(net, entity);
        break;
    case COP_EV_FLIT:
        flit(net, entity);
        break;
    case COP_EV_APP:
        cop_net_act(net, entity);
        break;
    case COP_EV_NIC:
        if (COP_LIKELY(!net->others_send) || wire_free(net, entity))
            net->host_ops->attempt(net, entity);
        break;
    case COP_EV_TX:
        cop_obuf_tx(net, entity);
        break;
    case COP_EV_ARB:
        cop_evq_arb_popped(&net->evq, net->now, entity);
        break;
    case COP_EV_ARRIVE: /* see run_until */
    case COP_EV_SAMPLE:
    case COP_EV_KINDS:
        COP_CHECK(kind < COP_EV_ARRIVE);
    }
}

/* All arbitrations of this instant, in the order of their entities. They start transmissions that
 * end later, so none of them makes another one due now. */
static void run_arbitrations(cop_net *net)
{
    uint32_t first = net->evq.due_first, last = net->evq.due_last;
    net->evq.due_first = COP_NONE;
    net->evq.due_last = 0;
    if (COP_UNLIKELY(net->due_entity != NULL)) {
        cop_ahead_arbitrate(net, first, last);
        return;
    }
    for (uint32_t w = first; w <= last; w++) {
        uint64_t bits = net->evq.due[w];
        net->evq.due[w] = 0;
        for (; bits; bits &= bits - 1)
            net->arch->arbitrate(net, w * 64 + (uint32_t)__builtin_ctzll(bits));
    }
}

static void run_until(cop_net *net, cop_time until, cop_progress_fn progress, void *ctx)
{
    cop_ev ev;
    uint64_t events = 0;
    for (;;) {
        bool due = net->evq.due_first != COP_NONE;
        if (!cop_evq_pop(&net->evq, due ? net->now : until, &ev)) {
            if (!due || net->stop != COP_OUTCOME_OK)
                break;
            run_arbitrations(net);
            continue;
        }
        net->now = ev.t;
        events++;
        enum cop_ev_kind kind = cop_ev_kind_of(ev.id);
        if (COP_UNLIKELY(net->looks_ahead))
            cop_ahead(net);
        if (COP_LIKELY(kind == COP_EV_ARRIVE)) { /* about two events in three */
            arrive(net, cop_ev_entity_of(ev.id));
            continue;
        }
        if (COP_UNLIKELY(kind == COP_EV_SAMPLE)) {
            if (due)
                run_arbitrations(net);
            sample(net, progress, ctx);
        } else {
            dispatch(net, kind, cop_ev_entity_of(ev.id));
        }
        if (COP_UNLIKELY(net->stop != COP_OUTCOME_OK))
            break;
    }
    net->total.events += events;
    net->scheme_here = COP_NONE;
}

/* -- the observer -- */

static cop_time next_look(const cop_net *net)
{
    bool any = net->observer.look != NULL && net->look_at <= net->probe.end;
    return any ? net->look_at : COP_NEVER;
}

static void look(cop_net *net, cop_time t)
{
    net->look_at = net->observer.look(net->observer.ctx, net, t);
    COP_CHECK(net->look_at > t);
}

#define EVENTS_PER_LOOK ((uint64_t)1 << 20)

/* The same in steps of about a million events, so that a caller who wants to stop need not wait for
 * the next sample, which may be hours away. Results do not depend on where steps end. */
static void run_in_steps(cop_net *net, cop_time until, cop_progress_fn progress, void *ctx)
{
    if (progress == NULL && net->observer.look == NULL) {
        run_until(net, until, NULL, NULL);
        return;
    }
    cop_time step = COP_NS;
    uint64_t asked = net->total.events; /* samples of the observer end steps early */
    for (cop_time t = net->now; t < until && net->stop == COP_OUTCOME_OK;) {
        uint64_t before = net->total.events;
        t = until - t > step ? t + step : until;
        t = cop_min64(t, next_look(net));
        run_until(net, t, progress, ctx);
        if (t == next_look(net) && net->stop == COP_OUTCOME_OK)
            look(net, t);
        uint64_t done = net->total.events - before;
        if (net->stop != COP_OUTCOME_OK || cop_evq_empty(&net->evq))
            break;
        if (net->total.events - asked > EVENTS_PER_LOOK / 4) {
            asked = net->total.events;
            ask(net, progress, ctx);
        }
        if (done > EVENTS_PER_LOOK)
            step = cop_max64(1, step / 2);
        else if (done < EVENTS_PER_LOOK / 2 && step < COP_NEVER / 2)
            step *= 2;
    }
}

double cop_net_waiting_at_sources(const cop_net *net, cop_time t)
{
    const cop_traffic *tr = net->traffic;
    if (net->stopped)
        return net->left_bytes;
    double waiting = (double)tr->taken_bytes; /* taken and not sent; plus not taken: */
    for (uint32_t s = 0; s < tr->n_streams; s++) {
        waiting -= (double)net->probe.stream[s].sent_bytes;
        if (cop_traffic_has_rate(tr, s))
            waiting += cop_traffic_waiting(tr, s, t);
    }
    return waiting;
}

/* Stop every source at the end of the measured time; what they have begun is finished. */
static void stop_sources(cop_net *net, cop_time end)
{
    net->left_bytes = cop_net_waiting_at_sources(net, end);
    net->stopped = true;
    for (uint32_t s = 0; s < net->traffic->n_streams; s++) {
        cop_stream *st = &net->traffic->stream[s];
        st->t_next = COP_NEVER;
        st->t_stop = cop_min64(st->t_stop, end);
    }
}

/* How long each wire is busy between two instants. A packet counts from its start; one that is on
 * the wire at an end counts with the part that lies inside. */
static void links_from(cop_net *net, cop_time t)
{
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        const cop_out *out = &net->out[p];
        net->probe.port[p].sent_before = out->sent_bytes;
        net->probe.port[p].busy_ps = out->busy_until > t ? out->busy_until - t : 0;
    }
}

static void links_until(cop_net *net, cop_time t)
{
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        const cop_out *out = &net->out[p];
        uint64_t sent = out->sent_bytes - net->probe.port[p].sent_before;
        cop_time busy = net->probe.port[p].busy_ps + cop_wire_time(out->pace, sent);
        cop_time beyond = out->busy_until > t ? out->busy_until - t : 0;
        net->probe.port[p].busy_ps = busy > beyond ? busy - beyond : 0;
    }
}

/* Where bins end. In a run that was stopped, a packet that is being taken in has already been
 * counted as a whole, over the time that it takes. */
static void close_bins(cop_net *net)
{
    cop_probe *pr = &net->probe;
    pr->counted = net->now;
    for (uint32_t h = 0; net->now < pr->end && h < net->info.n_hosts; h++)
        pr->counted = cop_max64(pr->counted, net->nic[h].rx_free);
    pr->counted = cop_min64(pr->counted, pr->end);
    cop_observe_finish(net);
}

/* A network that drains for so long, 106 days, is given up: later times would exceed the range of
 * their type. */
#define DRAINED_BY (COP_NEVER / 2)

void cop_net_run(cop_net *net, cop_progress_fn progress, void *ctx)
{
    cop_time duration = net->end;
    if (net->run_cfg->drain)
        net->end = COP_NEVER;
    net->host_ops->start(net);
    if (net->traffic->app != NULL)
        cop_net_start_apps(net);
    cop_net_push(net, net->probe.sample, COP_EV_SAMPLE, 0);
    if (net->probe.warmup > 0)
        run_in_steps(net, net->probe.warmup - 1, progress, ctx);
    links_from(net, net->probe.warmup);
    if (net->stop == COP_OUTCOME_OK)
        run_in_steps(net, duration, progress, ctx);
    if (net->stop == COP_OUTCOME_FAILED)
        return;
    if (net->stop == COP_STOP_DONE) {
        duration = net->now;
        net->stop = COP_OUTCOME_OK;
    }
    if (net->stop == COP_OUTCOME_OK)
        net->now =
            duration; /* also when the network became empty before: rates refer to all of it */
    links_until(net, net->now);
    cop_gauge_close(net);
    if (net->now == net->probe.end)
        cop_observe_sample(net); /* a bin that is cut short ends here, not after draining */
    if (net->run_cfg->drain && net->stop == COP_OUTCOME_OK) {
        stop_sources(net, duration);
        run_in_steps(net, DRAINED_BY, progress, ctx);
        if (net->stop == COP_OUTCOME_FAILED)
            return;
        if (net->stop == COP_OUTCOME_OK && !cop_evq_empty(&net->evq))
            cop_net_undrained(net);
        for (uint32_t h = 0; h < net->info.n_hosts; h++)
            net->now = cop_max64(net->now, net->nic[h].rx_free);
        if (net->stop == COP_OUTCOME_OK && cop_net_in_flight(net) > 0 && !cop_stall_final(net) &&
            !cop_net_held_for_ever(net)) {
            net->stop = COP_OUTCOME_BROKEN;
            snprintf(net->why, sizeof(net->why), "%" PRIu64 " packets never moved on",
                     cop_net_in_flight(net));
            cop_notice_tell(net);
        }
    } else if (net->stop == COP_OUTCOME_OK) {
        cop_stall_final(net);
    }
    cop_net_starved(net);
    if (net->worm)
        cop_worm_finish(net);
    cop_net_stuck(net);
    close_bins(net);
    cop_net_account(net);
}

uint64_t cop_net_hash(const cop_net *net)
{
    uint64_t h = 0x243F6A8885A308D3u;
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        h = (h ^ net->out[p].hash) * 0x9E3779B97F4A7C15u + (h >> 31);
    return h ^ net->total.delivered ^ net->probe.latency->sum_lo;
}
