/* Results: means, series, tables. Reads the network's counters, changes nothing. */
#include "stats/collect.h"

#include "app/job.h"
#include "net/net.h"
#include "stats/exchange.h"
#include "stats/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end of the measured time: a run may stop early, or continue after its end to drain. */
static cop_time measured_until(const cop_net *net)
{
    return cop_min64(net->now, net->probe.end);
}

static double measured_ps(const cop_net *net)
{
    cop_time end = measured_until(net);
    return end > net->probe.warmup ? (double)(end - net->probe.warmup) : 0.0;
}

static double gbps(double bytes, double ps)
{
    return ps > 0.0 ? bytes * 8000.0 / ps : 0.0;
}

static void collect_totals(const cop_net *net, cop_result *r)
{
    const cop_totals *t = &net->total;
    double bytes = 0.0, span = measured_ps(net);
    r->outcome = (enum cop_outcome)net->stop;
    r->detail = net->stop ? cop_arena_strdup(&r->arena, net->why) : NULL;
    r->sim_time = net->now;
    r->warmup = net->probe.warmup;
    r->sample = net->probe.sample;
    r->run_hash = cop_net_hash(net);
    r->packets_injected = t->injected;
    r->packets_delivered = t->delivered;
    r->packets_lost = t->lost;
    r->packets_in_flight = t->injected - t->delivered - t->lost;
    r->bytes_injected = t->injected_bytes;
    r->bytes_delivered = t->delivered_bytes;
    r->events = t->events;
    r->packet_hops = t->hops;
    r->credits_missing = t->credits_missing;
    r->n_hosts = net->info.n_hosts;
    r->n_switches = net->info.n_switches;
    for (uint32_t h = 0; h < net->info.n_hosts; h++)
        bytes += (double)net->probe.host[h].received_bytes;
    r->throughput_total_gbps = gbps(bytes, span);
    r->throughput_gbps = r->n_hosts ? r->throughput_total_gbps / r->n_hosts : 0.0;
    r->latency = COP_NEW_ARRAY(&r->arena, cop_hist, 1);
    r->transit = COP_NEW_ARRAY(&r->arena, cop_hist, 1);
    *r->latency = *net->probe.latency;
    *r->transit = *net->probe.transit;
}

/* Little's law, from two measurements: packets in the network integrated over time, and delivery rate
 * times mean time in the network. They agree but for packets that are inside at the ends. */
static void collect_little(const cop_net *net, cop_result *r)
{
    const cop_probe *pr = &net->probe;
    double span = measured_ps(net);
    /* A run that was stopped early did not last until `end`, which the integral assumes. */
    double late =
        net->now < pr->end ? (double)(pr->end - net->now) * (double)r->packets_in_flight : 0.0;
    r->little_mean_in_network = span > 0.0 ? ((double)pr->area - late) / span : 0.0;
    r->little_rate_times_latency =
        span > 0.0 ? (double)pr->transit->count / span * cop_hist_mean(pr->transit) : 0.0;
}

static cop_series *add_series(cop_result *r, const char *name, const char *unit, uint32_t n)
{
    cop_series *s = &r->series[r->n_series++];
    *s = (cop_series){.name = name, .unit = unit, .n = n, .v = COP_NEW_ARRAY(&r->arena, double, n)};
    return s;
}

static const char *stream_name(const cop_net *net, cop_result *r, uint32_t s)
{
    const cop_traffic *tr = net->traffic;
    const cop_stream *st = &tr->stream[s];
    uint32_t twins = 0, earlier = 0;
    for (uint32_t i = 0; i < tr->n_streams; i++) {
        twins += tr->stream[i].entry == st->entry;
        earlier += i < s && tr->stream[i].entry == st->entry && tr->stream[i].host == st->host;
    }
    const char *entry = tr->entry_name[st->entry];
    if (twins == 1)
        return entry;
    if (earlier == 0)
        return cop_arena_printf(&r->arena, "%s/%u", entry, st->host);
    return cop_arena_printf(&r->arena, "%s/%u#%u", entry, st->host, earlier + 1);
}

/* Of packets that came into being in each bin, as far as they have been delivered. */
static void collect_births(const cop_net *net, cop_result *r)
{
    const cop_probe *pr = &net->probe;
    cop_series *packets = add_series(r, "births/packets", "packets", pr->n_bins);
    cop_series *latency = add_series(r, "births/latency", "ns", pr->n_bins);
    cop_series *misrouted = add_series(r, "births/misrouted", "%", pr->n_bins);
    for (uint32_t b = 0; b < pr->n_bins; b++) {
        const cop_birth *bin = &pr->birth[b];
        double n = bin->packets ? (double)bin->packets : 1.0;
        packets->v[b] = (double)bin->packets;
        latency->v[b] = (double)bin->latency_ps / n / 1e3;
        misrouted->v[b] = 100.0 * (double)bin->misrouted / n;
    }
}

static void collect_series(const cop_net *net, cop_result *r)
{
    const cop_probe *pr = &net->probe;
    bool per_stream = pr->n_series == net->traffic->n_streams;
    r->series =
        COP_NEW_ARRAY(&r->arena, cop_series, pr->n_series + 6 + net->n_observe + net->n_levels);
    for (uint32_t i = 0; i < pr->n_series; i++) {
        const char *name = per_stream ? stream_name(net, r, i) : net->traffic->entry_name[i];
        cop_series *s =
            add_series(r, cop_arena_printf(&r->arena, "throughput/%s", name), "Gbit/s", pr->n_bins);
        for (uint32_t b = 0; b < pr->n_bins; b++)
            s->v[b] = cop_parts_gbps((double)pr->series[(size_t)i * pr->n_bins + b],
                                     (double)cop_probe_covered(pr, b));
    }
    cop_series *total = add_series(r, "network/throughput", "Gbit/s", pr->n_bins);
    for (uint32_t i = 0; i < pr->n_series; i++)
        for (uint32_t b = 0; b < pr->n_bins; b++)
            total->v[b] += r->series[i].v[b];
    cop_series *latency = add_series(r, "network/latency", "ns", pr->n_bins);
    cop_series *inside = add_series(r, "network/packets", "packets", pr->n_bins);
    double in_network = 0.0;
    for (uint32_t b = 0; b < pr->n_bins; b++) {
        const cop_bin *bin = &pr->bin[b];
        latency->v[b] =
            bin->delivered ? (double)bin->latency_ps / (double)bin->delivered / 1e3 : 0.0;
        in_network += (double)bin->injected - (double)bin->delivered;
        inside->v[b] = in_network;
    }
    if (pr->birth)
        collect_births(net, r);
    for (uint32_t i = 0; i < net->n_levels; i++) {
        const cop_gauge *g = &net->queue_ops->runtime.levels[i];
        cop_series *s = add_series(r, g->name, g->unit, pr->n_bins);
        for (uint32_t b = 0; b < pr->n_bins; b++)
            s->v[b] = (double)net->level_series[(size_t)i * pr->n_bins + b];
    }
}

static void collect_observations(const cop_net *net, cop_result *r)
{
    for (uint32_t i = 0; i < net->n_observe; i++) {
        const cop_observation *o = &net->observe[i];
        cop_series *s =
            add_series(r, cop_arena_strdup(&r->arena, o->name), o->unit, net->probe.n_bins);
        memcpy(s->v, o->v, net->probe.n_bins * sizeof(double));
    }
}

/* Has a message of stream s waited at its source for half of the measured time or more? Those of jobs wait for each other. */
static bool waits_long(const cop_net *net, uint32_t s)
{
    const cop_stream *st = &net->traffic->stream[s];
    bool own = st->saturated || cop_traffic_has_rate(net->traffic, s);
    cop_time half = net->probe.warmup + (measured_until(net) - net->probe.warmup) / 2;
    return own && st->t_next <= half && st->t_stop >= measured_until(net);
}

/* The part of the measured time in which the job of a traffic entry ran; all of it for others. */
static double time_of_entry(const cop_net *net, uint32_t entry, double span)
{
    const cop_app *a = net->traffic->app;
    for (uint32_t i = 0; a != NULL && i < cop_app_jobs(a); i++) {
        if (strcmp(cop_app_job_name(a, i), net->traffic->entry_name[entry]) != 0)
            continue;
        cop_time from = cop_max64(cop_app_job_cfg(a, i)->start, net->probe.warmup);
        cop_time to = cop_min64(cop_app_job_end(a, i), measured_until(net));
        return to > from ? (double)(to - from) : 0.0;
    }
    return span;
}

static void collect_streams(const cop_net *net, cop_result *r)
{
    const cop_traffic *tr = net->traffic;
    double *span = COP_NEW_ARRAY(&r->arena, double, tr->n_entries);
    for (uint32_t e = 0; e < tr->n_entries; e++)
        span[e] = time_of_entry(net, e, measured_ps(net));
    r->n_streams = net->traffic->n_streams;
    r->stream = COP_NEW_ARRAY(&r->arena, cop_stream_result, r->n_streams);
    for (uint32_t s = 0; s < r->n_streams; s++) {
        const cop_stream *st = &net->traffic->stream[s];
        const cop_stream_probe *p = &net->probe.stream[s];
        r->stream[s] = (cop_stream_result){
            .entry = cop_arena_strdup(&r->arena, net->traffic->entry_name[st->entry]),
            .host = st->host,
            .dst = st->fixed_dst,
            .sent_bytes = p->sent_bytes,
            .delivered_bytes = p->delivered_bytes,
            .gbps = gbps((double)p->bytes, span[st->entry]),
            .packets = p->packets,
            .starves = p->packets == 0 && waits_long(net, s),
            .latency_mean_ns = p->packets ? (double)p->latency_ps / (double)p->packets / 1e3 : 0.0};
    }
}

static void collect_nodes_and_ports(const cop_net *net, cop_result *r)
{
    double span = measured_ps(net);
    char name[128];
    r->n_nodes = net->info.n_hosts;
    r->node = COP_NEW_ARRAY(&r->arena, cop_node_result, r->n_nodes);
    for (uint32_t h = 0; h < r->n_nodes; h++) {
        const cop_host_probe *p = &net->probe.host[h];
        r->node[h] =
            (cop_node_result){.name = cop_arena_strdup(
                                  &r->arena, cop_topo_host_name(net->topo, h, name, sizeof(name))),
                              .sent_bytes = p->sent_bytes,
                              .received_bytes = p->received_bytes,
                              .sent_gbps = gbps((double)p->sent_bytes, span),
                              .received_gbps = gbps((double)p->received_bytes, span)};
    }
    r->port = COP_NEW_ARRAY(&r->arena, cop_port_result, net->topo->n_ports);
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        const cop_port_probe *pp = &net->probe.port[p];
        if (net->out[p].to == COP_NONE)
            continue;
        cop_port_result *pr = &r->port[r->n_ports++];
        pr->name =
            cop_arena_strdup(&r->arena, cop_topo_port_name(net->topo, p, name, sizeof(name)));
        pr->to = cop_arena_strdup(
            &r->arena, cop_topo_port_name(net->topo, net->out[p].to, name, sizeof(name)));
        pr->utilisation = span > 0.0 ? (double)pp->busy_ps / span : 0.0;
        pr->mean_queue_bytes = pp->samples ? (double)pp->queue_sum / (double)pp->samples : 0.0;
        pr->max_queue_bytes = pp->queue_max;
    }
}

/* Which hosts were hotspots of a forest, looked at once per sample. */
static void collect_hotspots(const cop_net *net, cop_result *r)
{
    static const char *const role[] = {
        [COP_ROLE_NONE] = "", [COP_ROLE_V] = "V", [COP_ROLE_C] = "C", [COP_ROLE_B] = "B"};
    const cop_traffic *tr = net->traffic;
    uint32_t *hot = cop_alloc_array(tr->n_hotspots, sizeof(*hot)), looks = 0;
    cop_time end = measured_until(net);
    for (cop_time t = r->warmup; t < end && r->sample > 0; t += r->sample, looks++) {
        uint32_t n = cop_traffic_hotspots(tr, t, hot);
        for (uint32_t i = 0; i < n; i++)
            r->node[hot[i]].hotspot += 1.0;
    }
    cop_free(hot);
    for (uint32_t h = 0; h < r->n_nodes; h++) {
        r->node[h].role = role[tr->role[h]];
        r->node[h].hotspot /= looks ? looks : 1;
    }
}

static int by_pair(const void *a, const void *b)
{
    const cop_flow_result *x = a, *y = b;
    return x->src != y->src ? (x->src < y->src ? -1 : 1) : (x->dst > y->dst) - (x->dst < y->dst);
}

/* A table of pairs as a list in their order; NULL if it is off. */
static cop_flow_result *list_pairs(cop_result *r, const cop_pairs *t, uint32_t *n)
{
    if (t->v == NULL)
        return NULL;
    cop_flow_result *list = COP_NEW_ARRAY(&r->arena, cop_flow_result, t->n);
    for (size_t i = 0; i <= t->mask; i++)
        if (t->v[i].key) {
            uint64_t pair = t->v[i].key - 1;
            list[(*n)++] = (cop_flow_result){.src = (uint32_t)(pair >> 32),
                                             .dst = (uint32_t)pair,
                                             .packets = t->v[i].packets,
                                             .bytes = t->v[i].bytes};
        }
    qsort(list, *n, sizeof(*list), by_pair);
    return list;
}

static void collect_flows(const cop_net *net, cop_result *r)
{
    const cop_probe *pr = &net->probe;
    r->flow = list_pairs(r, &pr->flow, &r->n_flows);
}

static void add_scalar(cop_result *r, const char *name, const char *unit, double value)
{
    r->scalar[r->n_scalars++] = (cop_scalar){name, unit, value};
}

static void collect_queueing(const cop_net *net, cop_result *r)
{
    cop_net_cost cost;
    cop_net_port_cost(net, &cost);
    for (uint32_t i = 0; i < net->n_counters; i++) {
        const cop_gauge *g = &net->queue_ops->runtime.counters[i];
        add_scalar(r, g->name, g->unit, (double)net->counter[i]);
    }
    for (uint32_t i = 0; i < net->n_levels; i++) {
        const cop_gauge *g = &net->queue_ops->runtime.levels[i];
        add_scalar(r, cop_arena_printf(&r->arena, "%s.at_end", g->name), g->unit,
                   (double)net->level[i]);
    }
    add_scalar(r, "hardware.ram_bytes_per_port", "bytes", (double)cost.ram_bytes);
    add_scalar(r, "hardware.queues_per_port", "queues", cost.queues);
    add_scalar(r, "hardware.cam_lines_per_port", "lines", cost.control.cam_lines);
    add_scalar(r, "hardware.cam_cells_per_port", "bits", (double)cost.control.cam_cells);
    add_scalar(r, "hardware.sram_cells_per_port", "bits", (double)cost.control.sram_cells);
}

/* Memory of the largest switch input: sections with credits of their own, and bytes. */
static void input_memory(const cop_net *net, double *sections, double *bytes)
{
    *sections = *bytes = 0.0;
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        uint32_t to = net->out[p].to, n = 0;
        if (to == COP_NONE || cop_topo_is_host_port(net->topo, to))
            continue;
        for (uint32_t s = 0; s < net->sections; s++) /* not every link has every lane */
            n += net->out[p].section[s].capacity > 0;
        double own = net->shared_free ? 1.0 : (double)n;
        double section = (double)net->out[p].section[0].capacity * net->unit_bytes;
        if (own * section > *bytes) {
            *sections = own;
            *bytes = own * section;
        }
    }
}

/* Notices of switches, by port and, with notices/all, by receiver. */
static void collect_notices(const cop_net *net, cop_result *r)
{
    char port[128], host[128];
    for (uint32_t p = 0; p < net->host_port0; p++)
        if (net->probe.port[p].told > 0)
            add_scalar(r,
                       cop_arena_printf(&r->arena, "notifications_at/%s",
                                        cop_topo_port_name(net->topo, p, port, sizeof(port))),
                       "packets", (double)net->probe.port[p].told);
    uint32_t n = 0;
    const cop_flow_result *list = list_pairs(r, &net->probe.notice, &n);
    for (uint32_t i = 0; i < n; i++)
        add_scalar(r,
                   cop_arena_printf(&r->arena, "notifications_at/%s>%s",
                                    cop_topo_port_name(net->topo, list[i].src, port, sizeof(port)),
                                    cop_topo_host_name(net->topo, list[i].dst, host, sizeof(host))),
                   "packets", (double)list[i].packets);
}

/* Notifications per traffic entry, marks per port. */
static void collect_notifications(const cop_net *net, cop_result *r)
{
    const cop_traffic *tr = net->traffic;
    char name[128];
    for (uint32_t e = 0; e < tr->n_entries; e++) {
        uint64_t fecns = 0, becns = 0;
        for (uint32_t s = 0; s < tr->n_streams; s++)
            if (tr->stream[s].entry == e) {
                fecns += net->probe.stream[s].fecns;
                becns += net->probe.stream[s].becns;
            }
        add_scalar(r, cop_arena_printf(&r->arena, "fecn/%s", tr->entry_name[e]), "packets",
                   (double)fecns);
        add_scalar(r, cop_arena_printf(&r->arena, "becn/%s", tr->entry_name[e]), "packets",
                   (double)becns);
    }
    for (uint32_t p = 0; p < net->host_port0; p++)
        if (net->probe.port[p].marked > 0)
            add_scalar(r,
                       cop_arena_printf(&r->arena, "fecn_at/%s",
                                        cop_topo_port_name(net->topo, p, name, sizeof(name))),
                       "packets", (double)net->probe.port[p].marked);
    collect_notices(net, r);
}

/* Offered and accepted bytes of sources with a rate of their own, after the warm-up; and the
 * backlog at the end, which grows with the duration where the network is saturated. */
static void collect_offered(const cop_net *net, cop_result *r)
{
    const cop_traffic *tr = net->traffic;
    double offered = 0.0, accepted = 0.0, span = measured_ps(net);
    double waiting = cop_net_waiting_at_sources(net, measured_until(net));
    uint32_t senders = 0, last = COP_NONE;
    for (uint32_t s = 0; s < tr->n_streams; s++) {
        senders += tr->stream[s].host != last;
        last = tr->stream[s].host;
        if (!cop_traffic_has_rate(tr, s))
            continue;
        offered += cop_traffic_offered(tr, s, net->probe.warmup, measured_until(net));
        accepted += (double)net->probe.stream[s].bytes;
    }
    add_scalar(r, "senders", "hosts", senders);
    add_scalar(r, "offered_gbps", "Gbit/s", gbps(offered, span));
    add_scalar(r, "accepted_gbps", "Gbit/s", gbps(accepted, span));
    add_scalar(r, "waiting_at_sources_bytes", "bytes", waiting);
    add_scalar(r, "packets_piled_up", "packets", cop_piled_up(net, offered, accepted));
    /* A network that is not saturated accepts what it is offered, but for what its buffers hold. */
    add_scalar(r, "saturated", "",
               span > 0.0 && accepted < 0.95 * offered &&
                   (waiting > 0.02 * offered || tr->n_given_up > 0));
}

static void collect_scalars(cop_net *net, cop_result *r)
{
    const cop_cc_ops *cc = net->cc;
    const cop_totals *t = &net->total;
    bool notifies =
        cc->at_destination.on_deliver != NULL || net->cc_facts.notifies || cc->immediate;
    uint32_t n_own = 0;
    while (cc->shown.counters && cc->shown.counters[n_own].name)
        n_own++;
    size_t marking = net->probe.notice.n;
    for (uint32_t p = 0; p < net->host_port0; p++)
        marking +=
            (net->probe.port[p].marked > 0 ? 1u : 0u) + (net->probe.port[p].told > 0 ? 1u : 0u);
    uint32_t exchanged = cop_count_exchanges(net->traffic);
    r->scalar =
        COP_NEW_ARRAY(&r->arena, cop_scalar,
                      30 + net->n_counters + net->n_levels + n_own + 2 * net->traffic->n_entries +
                          marking + exchanged + cop_count_job_scalars(r));
    double sections, bytes;
    input_memory(net, &sections, &bytes);
    collect_offered(net, r);
    add_scalar(r, "input_sections", "sections", sections);
    add_scalar(r, "input_memory_bytes", "bytes", bytes);
    add_scalar(r, "retransmissions", "packets", (double)t->retransmissions);
    add_scalar(r, "acks", "packets", (double)t->acks);
    add_scalar(r, "notifications", "packets", (double)t->cnps);
    if (net->listens)
        add_scalar(r, "notifications_kept", "packets", (double)t->kept);
    if (net->route->ops->mid) {
        double misrouted = (double)net->probe.misrouted, all = (double)net->probe.latency->count;
        add_scalar(r, "packets_misrouted", "packets", misrouted);
        add_scalar(r, "misrouted_share", "%", all > 0.0 ? 100.0 * misrouted / all : 0.0);
    }
    if (net->route->facts.patience_ps > 0) {
        double absorbed = (double)t->absorbed;
        add_scalar(r, "deadlocks", "packets", absorbed);
        add_scalar(r, "deadlocks_per_packet", "1",
                   t->injected ? absorbed / (double)t->injected : 0.0);
    }
    if (net->traffic->gives_up)
        add_scalar(r, "messages_given_up", "messages", (double)net->traffic->n_given_up);
    if (notifies) {
        add_scalar(r, "fecn", "packets", (double)t->fecns);
        add_scalar(r, "becn", "packets", (double)t->becns);
        if (net->cc->immediate)
            add_scalar(r, "told_at_once", "messages", (double)t->told);
        collect_notifications(net, r);
    }
    for (uint32_t i = 0; i < n_own; i++)
        add_scalar(r, cc->shown.counters[i].name, cc->shown.counters[i].unit,
                   cc->shown.counter(net, i));
    collect_queueing(net, r);
    r->n_scalars += cop_collect_exchanges(net->traffic, &r->arena, r->scalar + r->n_scalars);
    r->n_scalars += cop_collect_job_scalars(r, r->scalar + r->n_scalars);
}

void cop_collect(cop_net *net, cop_result *r)
{
    *r = (cop_result){0};
    collect_totals(net, r);
    collect_little(net, r);
    collect_series(net, r);
    collect_observations(net, r);
    collect_streams(net, r);
    collect_nodes_and_ports(net, r);
    collect_hotspots(net, r);
    collect_flows(net, r);
    cop_collect_jobs(net, r);
    collect_scalars(net, r);
    const char **rested = COP_NEW_ARRAY(&r->arena, const char *, COP_MOST_RESTED);
    r->n_rested = cop_net_rested(net, &r->arena, rested);
    r->rested = rested;
}
