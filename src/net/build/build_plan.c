/* The plan of a network, before anything of it is built: its parts, what plug-ins may know about
 * it, and short cuts of the data path. Everything here follows from the configuration and the
 * tables of the plug-ins; it allocates only arrays of hosts and ports. */
#include "net/build/build_plan.h"

#include "net/build/build_check.h"
#include "net/config/config.h"
#include "net/services/services.h"
#include "net/switch/switch.h"

/* Ports from which hints to the cache pay: with about 400 bytes a port, plus packets and queues, a
 * network exceeds the smaller, then the larger cache. In debug builds all but the smallest networks
 * use them, so that every test does. */
#ifdef NDEBUG
enum { LARGE_PORTS = 4096, HUGE_PORTS = 8192 };
#else
enum { LARGE_PORTS = 16, HUGE_PORTS = 32 };
#endif

const char *cop_build_at(const cop_net_parts *pt, const char *option, char *buf, size_t size)
{
    return pt->where ? pt->where(pt->where_ctx, option, buf, size) : option;
}

uint32_t cop_build_most_ports(const cop_topo *t)
{
    uint32_t most = 1;
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        if (cop_topo_ports_of(t, sw) > most)
            most = cop_topo_ports_of(t, sw);
    return most;
}

static uint64_t transit_bytes(const cop_net_parts *pt)
{
    const cop_switch_cfg *sw = pt->sw;
    uint64_t trunk = sw->trunk_buffer_bytes ? sw->trunk_buffer_bytes : sw->buffer_bytes;
    uint64_t global = sw->global_buffer_bytes ? sw->global_buffer_bytes : sw->buffer_bytes;
    return pt->topo->shape.kind == COP_SHAPE_DRAGONFLY && global < trunk ? global : trunk;
}

/* Of the links of ports `first` and above. */
static uint64_t fastest_bps(const cop_net_parts *pt, uint32_t first)
{
    uint64_t most = 0;
    for (uint32_t p = first; p < pt->topo->n_ports; p++)
        if (pt->topo->port[p].to != COP_NONE)
            most = cop_max64(most, cop_net_link_rate(pt->topo, pt->link, p));
    return most;
}

static uint64_t at_most(uint64_t link, uint64_t own)
{
    return own > 0 && own < link ? own : link;
}

/* Senders per destination, as far as the traffic defines them before the run. */
static void count_senders(cop_net *net, const cop_net_parts *pt)
{
    const cop_topo *t = pt->topo;
    cop_netinfo *info = &net->info;
    uint32_t n = t->n_hosts, *contenders = NULL;
    uint64_t *sends = cop_alloc_array(n, sizeof(*sends));
    uint64_t *takes = cop_alloc_array(n, sizeof(*takes));
    uint8_t *jobs = COP_NEW_ARRAY(&net->arena, uint8_t, n);
    for (uint32_t h = 0; h < n; h++) {
        uint32_t port = cop_topo_host_port(t, h), from = t->port[port].from;
        uint64_t out = cop_net_link_rate(t, pt->link, port);
        uint64_t in = from == COP_NONE ? out : cop_net_link_rate(t, pt->link, from);
        sends[h] = at_most(out, cop_nic_inject_bps(pt->nic, h));
        takes[h] = at_most(in, cop_nic_receive_bps(pt->nic, h));
    }
    if (net->cc_facts.asks_contenders)
        contenders = COP_NEW_ARRAY(&net->arena, uint32_t, n);
    cop_host_rates rates = {.bps = info->host_bps, .sends = sends, .takes = takes};
    info->senders = cop_traffic_senders(pt->traffic, &rates, contenders);
    info->contenders = contenders;
    info->jobs = cop_traffic_jobs(pt->traffic, jobs) > 0;
    info->only_jobs = jobs;
    cop_free(sends);
    cop_free(takes);
}

static uint64_t hop_time(const cop_net_parts *pt)
{
    cop_time longest = 0;
    for (uint32_t p = 0; p < pt->topo->n_ports; p++)
        if (pt->topo->port[p].to != COP_NONE)
            longest = cop_max64(longest, cop_link_delay(pt->topo, pt->link, p));
    return pt->sw->pipeline_ps + longest;
}

void cop_plan_describe(cop_net *net, const cop_net_parts *pt)
{
    *net = (cop_net){.topo = pt->topo,
                     .traffic = pt->traffic,
                     .route = pt->route,
                     .run_cfg = pt->run,
                     .sw_cfg = pt->sw,
                     .nic_cfg = pt->nic,
                     .fc_cfg = pt->fc,
                     .queue_ops = pt->queue,
#ifdef NDEBUG
                     .guards_scheme = !pt->queue_is_ours,
#else
                     .guards_scheme = true,
#endif
                     .cc = pt->cc,
                     .host_ops = pt->host,
                     .queue_cfg = pt->queue_cfg,
                     .cc_cfg = pt->cc_cfg,
                     .cc_facts = cop_cc_facts_of(pt->cc, pt->cc_cfg, NULL),
                     .host_cfg = pt->host_cfg,
                     .host_port0 = pt->topo->host_port0,
                     .lanes = pt->lanes,
                     .control_vl = pt->nic->control_vl > 0 ? (uint8_t)pt->nic->control_vl : 0,
                     .max_cand = pt->route->facts.max_cand,
                     .by_cand = cop_divisor_of(pt->route->facts.max_cand),
                     .end = pt->run->duration_ps,
                     .pkt_free = COP_NONE,
                     .send_free = COP_NONE};
    net->closed_loop = pt->traffic->woken != NULL || pt->traffic->app != NULL;
    net->info = (cop_netinfo){
        .topo = pt->topo,
        .n_hosts = pt->topo->n_hosts,
        .n_switches = pt->topo->n_switches,
        .max_ports = cop_build_most_ports(pt->topo),
        .lanes = pt->lanes,
        .route_lanes = pt->route->facts.vls,
        .mtu_bytes = (uint32_t)(pt->nic->mtu_bytes + pt->nic->overhead_bytes),
        .buffer_bytes = pt->sw->buffer_bytes,
        .transit_bytes = transit_bytes(pt),
        .block_bytes =
            pt->fc->kind == COP_FC_ONOFF || pt->fc->kind == COP_FC_ACKNACK ? 1 : COP_BLOCK_BYTES,
        .host_bps = fastest_bps(pt, pt->topo->host_port0),
        .fastest_bps = fastest_bps(pt, 0),
        .hop_ps = hop_time(pt),
        .duration_ps = pt->run->duration_ps,
        .least_bytes = (uint32_t)pt->nic->overhead_bytes +
                       cop_traffic_least_packet(pt->traffic, (uint32_t)pt->nic->mtu_bytes),
        .most_bytes = (uint32_t)pt->nic->overhead_bytes +
                      cop_traffic_most_packet(pt->traffic, (uint32_t)pt->nic->mtu_bytes),
        .seed = (uint64_t)pt->run->seed,
        .tells_used = pt->fc->kind != COP_FC_ONOFF,
        .spreads = !pt->route->facts.in_order && !pt->route->facts.single,
        .one_path = pt->route->facts.max_cand == 1 && !pt->route->facts.at_head,
        .contested = pt->route->facts.asks_contested,
        .own = pt->route->facts.asks_own,
        .heeds_notices = pt->route->ops->on_notice != NULL,
        .table = pt->route->lft != NULL,
        .queueing = pt->queue->name,
        .finds_roots = pt->queue->runtime.finds_roots,
        .injection_queues = pt->host->injection_queues,
        .acks = pt->nic->ack != COP_ACK_NONE,
        .acks_packets = pt->nic->ack == COP_ACK_PACKET,
        .answers = pt->nic->ack != COP_ACK_NONE || pt->cc->at_destination.on_deliver ||
                   net->cc_facts.notifies};
    count_senders(net, pt);
    if (pt->nic->control_bytes > net->info.mtu_bytes)
        net->info.mtu_bytes = (uint32_t)pt->nic->control_bytes;
}

/* Lanes that share a buffer have a reserve each, which other lanes cannot use. */
static struct cop_room room_of(const cop_net *net, uint64_t bytes, uint64_t buffers, bool shared,
                               uint64_t reserve)
{
    bytes = bytes / COP_BLOCK_BYTES * COP_BLOCK_BYTES;
    if (!shared)
        return (struct cop_room){.lane = bytes, .port = bytes * buffers};
    reserve = reserve ? reserve : (uint64_t)net->max_blocks * COP_BLOCK_BYTES;
    uint64_t others = reserve * (net->lanes - 1);
    return (struct cop_room){.lane = bytes > others ? bytes - others : 0, .port = bytes};
}

static void raise_room(struct cop_room *most, struct cop_room room)
{
    most->lane = cop_max64(most->lane, room.lane);
    most->port = cop_max64(most->port, room.port);
}

/* Most bytes that can wait at each place, for plug-ins with thresholds. */
static void measure_room(cop_net *net)
{
    const cop_switch_cfg *cfg = net->sw_cfg;
    const cop_topo *t = net->topo;
    uint32_t of_lane =
        net->sections / net->lanes; /* buffers of a lane, if destinations have private ones */
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        struct cop_room sum = {0};
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++) {
            uint32_t from = t->port[p].to;
            if (from == COP_NONE)
                continue;
            struct cop_room room =
                room_of(net, cop_link_buffer(net, from), cop_link_sections(net, from),
                        cfg->shared_lanes, cfg->reserve_bytes);
            room.lane *= of_lane;
            raise_room(&net->info.any_input, room);
            if (!cop_topo_is_host_port(t, from))
                raise_room(&net->info.transit_input, room);
            sum.lane += room.lane;
            sum.port += room.port;
        }
        raise_room(&net->info.all_inputs, sum);
    }
    if (net->output_bytes)
        net->info.output = room_of(net, net->output_bytes, net->lanes, cfg->output_shared,
                                   cfg->output_reserve_bytes);
}

void cop_plan_lay_out(cop_net *net, const cop_net_parts *pt)
{
    cop_queue_layout layout = {0};
    net->words = (net->info.max_ports + 63) / 64;
    pt->queue->layout(pt->queue_cfg, &net->info, net->info.max_ports, &layout);
    net->head_hooks = pt->cc->at_switch.on_route || pt->cc->at_switch.admit;
    net->per_output =
        layout.per_output && net->max_cand == 1 && !pt->route->facts.at_head && !net->head_hooks;
    /* A queue of one output and lane holds nobody up who would not wait for the same. */
    net->own_queues = net->cc_facts.notifies && !net->per_output;
    net->pinned = net->max_cand > 1 || pt->route->facts.at_head ? layout.pinned : 0;
    net->arbitration = layout.orders_inputs ? COP_ARB_ORDER : (enum cop_arb)pt->sw->arbitration;
    net->sectioned = layout.sections != 0;
    net->sections = layout.sections ? layout.sections : net->lanes;
    net->info.sections = net->sections;
    net->quick_pick = net->per_output && net->words == 1 && net->arbitration == COP_ARB_RR;
    /* The decision at the head is separate from that at arrival, and hooks may count it. */
    net->asks_once = !pt->cc->at_switch.on_fill && !pt->route->ops->on_wait &&
                     !pt->route->ops->on_move && !pt->route->facts.at_head;
    net->max_blocks = cop_blocks(net->info.mtu_bytes);
    bool worm = pt->sw->switching == COP_SWITCHING_WORM;
    net->unit_bytes = worm ? (uint32_t)pt->sw->flit_bytes : COP_BLOCK_BYTES;
    net->piece_bytes = worm ? net->unit_bytes : UINT32_MAX;
    net->quick_list = !net->per_output && !net->sectioned && !worm && net->words == 1 &&
                      net->arbitration == COP_ARB_RR && pt->queue->runtime.order == NULL;
    const cop_route_ops *route = pt->route->ops;
    net->hears_moves = route->on_move != NULL;
    net->rare_hooks = route->on_wait || route->on_send || route->on_move || route->asks_lanes ||
                      pt->cc->at_switch.on_enqueue || net->cc_facts.asks_lanes ||
                      pt->cc->at_switch.on_leave || net->cc_facts.keeps_credit ||
                      pt->sw->arbitration == COP_ARB_FLOWS;
    net->out_hooks = net->rare_hooks || pt->cc->at_switch.on_dequeue || pt->cc->at_switch.on_fill;
    net->hooks = net->out_hooks || pt->queue->runtime.on_enqueue || pt->queue->runtime.on_dequeue;
    net->flow_is_sl = net->cc_facts.flow_is_sl;
    net->cc_flows = pt->cc->flow_size && !net->cc_facts.sources_rest;
    net->lft = pt->route->lft;
    net->plain_input = net->per_output && net->lft && route->on_notice == NULL;
    cop_arch_choose(net);
    measure_room(net);
    net->cc_facts = cop_cc_facts_of(pt->cc, pt->cc_cfg, &net->info);
    net->looks_ahead = pt->topo->n_ports >= LARGE_PORTS;
    net->looks_far = pt->topo->n_ports >= HUGE_PORTS;
    if (net->looks_ahead) /* a switch without ports is never due */
        net->due_entity = COP_NEW_ARRAY(&net->arena, uint32_t, net->topo->n_ports);
    net->credit_first = pt->sw->output_credit == COP_CREDIT_CROSSBAR;
    bool room = net->arch->buffered && !net->credit_first; /* what an input waits for */
    net->blocked_waits = room ? 0 : COP_WAIT_LANES;
    net->short_waits = room ? COP_WAIT_ROOM : COP_WAIT_SHORT;
    net->early_hooks = net->arch->buffered && net->out_hooks;
}
