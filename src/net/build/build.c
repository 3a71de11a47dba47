/* Construction of a network from topology, configuration and plug-ins. After this nothing on the
 * data path looks up a string or allocates. */
#include "net/build/build_check.h"
#include "net/build/build_plan.h"
#include "net/cable/cable.h"
#include "net/cable/fc_state.h"
#include "net/config/config.h"
#include "net/deadlock/deadlock.h"
#include "net/flow/flow.h"
#include "net/inspect/inspect.h"
#include "net/net.h"
#include "net/routing/routing.h"
#include "net/services/services.h"
#include "net/switch/switch.h"
#include "net/watch.h"
#include "net/worm/worm.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(cop_lane) == sizeof(uint64_t), "lanes and requests of a port share a block");

/* Bytes of the lanes of a port and the requests for them. No block crosses a cache line that it
 * fits in. */
static size_t requests_stride(const cop_net *net)
{
    size_t bytes = cop_product((size_t)net->lanes * (1 + net->words), sizeof(uint64_t)),
           stride = 16;
    while (stride < bytes && stride < 64)
        stride *= 2;
    return stride < bytes ? (bytes + 63) / 64 * 64 : stride;
}

static void build_ports(cop_net *net, const cop_net_parts *pt)
{
    const cop_topo *t = net->topo;
    uint32_t n = t->n_ports;
    net->out = COP_NEW_ARRAY(&net->arena, cop_out, n);
    net->in = COP_NEW_ARRAY(&net->arena, cop_in, n);
    net->section = COP_NEW_ARRAY(&net->arena, cop_section, cop_product(n, net->sections));
    size_t stride = requests_stride(net);
    char *requests = cop_arena_array(&net->arena, n, stride);
    net->first_return = COP_NEW_ARRAY(&net->arena, cop_return, cop_product(n, COP_RING_FIRST));
    cop_pace common = 0;
    for (uint32_t p = 0; p < n; p++) {
        const cop_port *port = &t->port[p];
        bool host = cop_topo_is_host_port(t, p);
        uint32_t sw = host ? COP_NONE : port->owner;
        net->out[p] =
            (cop_out){.arb_at = COP_NEVER,
                      .credit_at = COP_NEVER,
                      .to = port->to,
                      .sw = sw,
                      .port0 = host ? p : t->sw_port0[sw],
                      .local = port->local,
                      .section = &net->section[(size_t)p * net->sections],
                      .lane = (cop_lane *)(void *)(requests + p * stride),
                      .request = (uint64_t *)(void *)(requests + p * stride) + net->lanes};
        net->in[p] = (cop_in){.wire_head = COP_NONE,
                              .wire_tail = COP_NONE,
                              .from = port->from,
                              .sw = sw,
                              .port0 = host ? p : t->sw_port0[sw],
                              .local = port->local};
        if (port->to == COP_NONE)
            continue;
        cop_ring_init(&net->out[p].ring, &net->first_return[(size_t)p * COP_RING_FIRST]);
        cop_pace pace = cop_pace_of(cop_net_link_rate(t, pt->link, p));
        net->out[p].pace = pace;
        net->out[p].delay_ps = (uint32_t)cop_link_delay(t, pt->link, p);
        if (common != 0 && pace != common)
            net->multi_rate = true;
        common = pace;
    }
    for (uint32_t p = 0; p < n; p++)
        if (net->in[p].from != COP_NONE) {
            net->in[p].pace = net->out[net->in[p].from].pace;
            net->in[p].back_ps = net->out[net->in[p].from].delay_ps + (uint32_t)pt->fc->delay_ps;
            if (net->in[p].sw == COP_NONE)
                continue;
            bool all = pt->sw->switching == COP_SWITCHING_SAF;
            net->in[p].header_ps =
                all ? COP_NEVER : cop_wire_time(net->in[p].pace, pt->sw->header_bytes);
            net->in[p].pipeline_ps = pt->sw->pipeline_ps;
        }
}

/* Private sections: a place for each (input, section) if its packets all take one output, else for
 * each (input, output, section). */
static uint64_t fills(const cop_net *net, uint64_t slots)
{
    if (!net->sectioned)
        return slots;
    return cop_product(net->lft ? net->host_port0 : slots / net->lanes, net->sections);
}

static void build_queues(cop_net *net)
{
    const cop_topo *t = net->topo;
    cop_queue_layout layout = {0};
    net->slot0 = COP_NEW_ARRAY(&net->arena, uint64_t, (size_t)t->n_switches + 1);
    uint64_t total = 0, slots = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        uint32_t ports = cop_topo_ports_of(t, sw);
        net->queue_ops->layout(net->queue_cfg, &net->info, ports, &layout);
        net->slot0[sw] = slots;
        slots += (uint64_t)ports * ports * net->lanes;
        for (uint32_t i = 0; i < ports; i++) {
            cop_in *in = &net->in[t->sw_port0[sw] + i];
            in->queue0 = (uint32_t)total;
            in->ports = (uint16_t)ports;
            in->slot = net->slot0[sw] + i;
            total += layout.queues + net->own_queues;
        }
    }
    net->slot0[t->n_switches] = slots;
    COP_CHECK(total * net->max_cand < COP_NONE);
    net->n_queues = (uint32_t)total;
    uint64_t all = total;
    if (net->host_ops->injection_queues)
        net->queue_ops->layout(net->queue_cfg, &net->info, 1, &layout);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++) {
        net->in[p].queue0 = (uint32_t)all;
        all += net->host_ops->injection_queues ? layout.queues : 0;
    }
    net->all_queues = (uint32_t)all;
    net->queue = COP_NEW_ARRAY(&net->arena, cop_queue, all);
    net->queue_port = COP_NEW_ARRAY(&net->arena, uint32_t, all);
    for (uint32_t p = 0; p < t->n_ports; p++) {
        uint32_t end = p + 1 < t->n_ports ? net->in[p + 1].queue0 : (uint32_t)all;
        for (uint32_t q = net->in[p].queue0; q < end; q++) {
            net->queue[q] = (cop_queue){.head = COP_NONE, .tail = COP_NONE};
            net->queue_port[q] = p;
        }
    }
    if (net->per_output)
        return;
    net->node = COP_NEW_ARRAY(&net->arena, cop_node, cop_product(total, net->max_cand));
    for (uint64_t i = 0; i < total * net->max_cand; i++)
        net->node[i] = (cop_node){
            .next = COP_NONE, .prev = COP_NONE, .in = net->queue_port[i / net->max_cand]};
    if (net->cc->at_switch.on_fill)
        net->fill = COP_NEW_ARRAY(&net->arena, uint32_t, fills(net, slots));
    net->slot = COP_NEW_ARRAY(&net->arena, uint32_t, slots);
    memset(net->slot, 0xff, slots * sizeof(uint32_t));
}

static void build_hosts(cop_net *net, const cop_net_parts *pt)
{
    uint32_t n = net->info.n_hosts;
    net->nic = COP_NEW_ARRAY(&net->arena, cop_nic, n);
    for (uint32_t h = 0; h < n; h++) {
        uint32_t port = net->topo->host_port0 + h;
        cop_pace out = net->out[port].pace, in = net->in[port].pace;
        uint64_t inject_bps = cop_nic_inject_bps(pt->nic, h);
        uint64_t receive_bps = cop_nic_receive_bps(pt->nic, h);
        cop_pace inject = inject_bps ? cop_pace_of(inject_bps) : 0;
        cop_pace receive = receive_bps ? cop_pace_of(receive_bps) : 0;
        net->nic[h] = (cop_nic){.wake = COP_NEVER,
                                .notice_head = COP_NONE,
                                .notice_tail = COP_NONE,
                                .control_head = COP_NONE,
                                .control_tail = COP_NONE,
                                .late_head = COP_NONE,
                                .inject_pace = inject > out ? inject : 0,
                                .receive_pace = receive > in ? receive : 0};
    }
}

/* One series per stream while there are few, else one per entry of the traffic list. */
#define MAX_STREAM_SERIES 64

static void build_probe(cop_net *net, const cop_run_cfg *run)
{
    cop_probe *pr = &net->probe;
    const cop_traffic *tr = net->traffic;
    cop_time longest = 0;
    for (uint32_t h = 0; h < net->info.n_hosts; h++) {
        uint32_t port = net->host_port0 + h;
        cop_pace slowest = cop_max64(net->nic[h].receive_pace, net->in[port].pace);
        slowest = cop_max64(slowest, net->out[port].pace);
        longest = cop_max64(longest, cop_wire_time(slowest, net->info.mtu_bytes));
    }
    cop_probe_window(pr, run->warmup_ps, run->duration_ps, longest);
    pr->sample = run->sample_ps ? run->sample_ps : cop_max64(1, run->duration_ps / 100);
    pr->n_bins = (uint32_t)((run->duration_ps + pr->sample - 1) / pr->sample);
    pr->n_whole = (uint32_t)(run->duration_ps / pr->sample);
    bool per_stream = tr->n_streams <= MAX_STREAM_SERIES;
    pr->n_series = per_stream ? tr->n_streams : tr->n_entries;
    pr->stream = COP_NEW_ARRAY(&net->arena, cop_stream_probe, tr->n_streams);
    pr->series_of = COP_NEW_ARRAY(&net->arena, uint32_t, tr->n_streams);
    for (uint32_t s = 0; s < tr->n_streams; s++)
        pr->series_of[s] = per_stream ? s : tr->stream[s].entry;
    pr->host = COP_NEW_ARRAY(&net->arena, cop_host_probe, net->info.n_hosts);
    pr->port = COP_NEW_ARRAY(&net->arena, cop_port_probe, net->topo->n_ports);
    pr->bin = COP_NEW_ARRAY(&net->arena, cop_bin, pr->n_bins);
    pr->series = COP_NEW_ARRAY(&net->arena, uint64_t, cop_product(pr->n_series, pr->n_bins));
    pr->ways = run->births || net->route->ops->mid != NULL;
    if (run->births)
        pr->birth = COP_NEW_ARRAY(&net->arena, cop_birth, pr->n_bins);
    pr->latency = COP_NEW_ARRAY(&net->arena, cop_hist, 1);
    pr->transit = COP_NEW_ARRAY(&net->arena, cop_hist, 1);
    if (run->flows)
        cop_pairs_start(&pr->flow);
}

/* A packet that waits for the time of this many hops is taken for blocked. */
#define PATIENCE_HOPS 10000

/* A bucket should contain about sixteen events; every busy port makes about two per packet time. */
static void build_events(cop_net *net)
{
    double per_ps = 0.0;
    cop_time longest = 0, far = 0;
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        if (net->out[p].to == COP_NONE)
            continue;
        cop_time duration = cop_wire_time(net->out[p].pace, net->info.mtu_bytes);
        per_ps += 2.0 / (double)duration;
        longest = cop_max64(longest, duration);
        far = cop_max64(far, net->out[p].delay_ps);
    }
    for (uint32_t h = 0; h < net->info.n_hosts; h++)
        longest = cop_max64(
            longest, cop_wire_time(cop_max64(net->nic[h].receive_pace, net->nic[h].inject_pace),
                                   net->info.mtu_bytes));
    cop_time inside = net->sw_cfg->pipeline_ps + net->sw_cfg->allocation_ps;
    net->patience_ps = PATIENCE_HOPS * (longest + 2 * far + inside);
    cop_time bucket =
        per_ps > 0.0 ? (cop_time)((net->looks_ahead ? 512.0 : 16.0) / per_ps) : COP_NS;
    cop_evq_init(&net->evq, net->run_cfg->queue == 1, bucket, 4 * longest + 2 * far + inside);
    cop_evq_use_due(&net->evq, net->topo->n_ports);
}

static void build_parts(cop_net *net, const cop_net_parts *pt)
{
    build_ports(net, pt);
    cop_build_sections(net);
    build_queues(net);
    if (pt->sw->arbitration == COP_ARB_FLOWS)
        net->served =
            COP_NEW_ARRAY(&net->arena, cop_time, cop_product(net->host_port0, net->info.n_hosts));
    if (net->cc_facts.asks_lanes || pt->route->ops->asks_lanes)
        net->lane_waiting =
            COP_NEW_ARRAY(&net->arena, uint64_t, cop_product(net->host_port0, net->lanes));
    if (pt->cc->at_switch.admit)
        net->held = COP_NEW_ARRAY(&net->arena, uint32_t, net->info.n_switches);
    build_hosts(net, pt);
    cop_flow_init(net);
    cop_carry_init(&net->carry, pt->cc->receiver_size, pt->cc->attached_size);
    pt->host->init(net);
    build_probe(net, pt->run);
    cop_gauge_init(net);
    net->cc_port_bytes = net->cc_facts.port_size;
    if (net->cc_port_bytes > 0)
        net->cc_state =
            COP_NEW_ARRAY(&net->arena, char, cop_product(net->cc_port_bytes, pt->topo->n_ports));
    if (net->arch == &cop_arch_worm)
        cop_worm_init(net);
    if (net->arch->matched)
        cop_iq_init(net);
    if (net->arch->buffered)
        cop_obuf_init(net);
    cop_stall_init(net);
    cop_notice_init(net);
    const cop_route_ops *ops = pt->route->ops;
    if (pt->route->facts.port_size || pt->route->facts.switch_size || ops->prepare ||
        ops->on_wait || ops->on_send || ops->on_move || ops->on_message)
        cop_routing_init(net);
    build_events(net);
}

static int refused(const cop_net_parts *pt, const char *option, const cop_err *inner, cop_err *err)
{
    char where[256];
    return cop_err_add(err, inner->code, "%s: %s", cop_build_at(pt, option, where, sizeof(where)),
                       inner->text);
}

/* Messages of flow control begin with the name of the wrong option. */
static int refused_flow(const cop_net_parts *pt, const cop_err *inner, cop_err *err)
{
    char option[64];
    snprintf(option, sizeof(option), "%.*s", (int)strcspn(inner->text, ": "), inner->text);
    return refused(pt, option, inner, err);
}

int cop_net_init(cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    cop_err inner = {0};
    cop_plan_describe(net, pt);
    cop_plan_lay_out(net, pt);
    int rc = cop_build_check(net, pt, err);
    if (rc)
        return rc;
    build_parts(net, pt);
    if (cop_fc_init(net, &inner) != 0)
        return refused_flow(pt, &inner, err);
    net->by_credit = net->fc->fits == NULL;
    if (pt->route->facts.patience_ps > 0)
        cop_recover_init(net);
    net->section_open = net->sectioned ? cop_input_wake_section : NULL;
    net->inject = net->worm ? cop_worm_inject : NULL;
    net->others_send = net->worm || net->recover;
    net->plain_head = net->max_cand == 1 && !pt->route->facts.at_head && !net->multi_rate &&
                      !net->head_hooks && !net->recover;
    /* Hooks for a packet that has left read the output that it was routed to. */
    if (!net->lft && !net->worm && !net->recover && net->max_cand == 1 &&
        !pt->queue->runtime.on_dequeue && !pt->cc->at_switch.on_leave)
        net->routes_early = pt->route->facts.blind;
    net->looks_plain = net->looks_far && net->plain_credit && net->quick_pick && !net->obuf &&
                       !net->iq && !net->worm && !net->recover;
    net->looks_buffered = net->looks_far && net->iq && net->obuf && !net->per_output &&
                          !net->plain_credit && net->fc_state->inbuf;
    for (uint32_t i = 0; i < COP_HINTS; i++)
        net->hint[i] = (cop_hint){COP_NONE, COP_NONE};
    if (cop_vlarb_init(net, &inner) != 0)
        return refused(pt, "switch.vl_high", &inner, err);
    if (cop_observe_init(net, pt->run->observe, &inner) != 0)
        return refused(pt, "run.observe", &inner, err);
    net->scheme_here = COP_NONE; /* a scheme may set up all of its ports */
    if (pt->queue->runtime.start)
        pt->queue->runtime.start(net);
    if (pt->cc->net_size)
        net->cc_net = cop_arena_alloc(&net->arena, pt->cc->net_size);
    if (pt->cc->start)
        pt->cc->start(net);
    return 0;
}

void cop_net_fini(cop_net *net)
{
    if (net->out)
        for (uint32_t p = 0; p < net->topo->n_ports; p++)
            cop_ring_fini(&net->out[p].ring);
    if (net->nic)
        for (uint32_t h = 0; h < net->info.n_hosts; h++)
            cop_free(net->nic[h].throttled);
    if (net->fc_state)
        cop_fc_fini(net);
    cop_control_fini(net);
    cop_notice_fini(net);
    cop_routing_fini(net);
    cop_stall_fini(net);
    cop_worm_fini(net);
    cop_free(net->pkt);
    cop_free(net->pkt_msg);
    cop_free(net->send);
    cop_flow_fini(net);
    cop_carry_fini(&net->carry);
    cop_free(net->observe);
    cop_probe_fini(&net->probe);
    cop_watch_fini(net);
    cop_evq_fini(&net->evq);
    cop_arena_free(&net->arena);
}
