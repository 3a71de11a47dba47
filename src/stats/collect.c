/* Results: means, series, tables. Reads the network's counters, changes nothing. */
#include "stats/collect.h"

#include "net/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double measured_ps(const cop_net *net)
{
    cop_time end = cop_min64(net->now, net->probe.end);
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

static void collect_series(const cop_net *net, cop_result *r)
{
    const cop_probe *pr = &net->probe;
    bool per_stream = pr->n_series == net->traffic->n_streams;
    r->series = COP_NEW_ARRAY(&r->arena, cop_series, pr->n_series + 3 + net->n_levels);
    for (uint32_t i = 0; i < pr->n_series; i++) {
        const char *name = per_stream ? stream_name(net, r, i) : net->traffic->entry_name[i];
        cop_series *s =
            add_series(r, cop_arena_printf(&r->arena, "throughput/%s", name), "Gbit/s", pr->n_bins);
        for (uint32_t b = 0; b < pr->n_bins; b++)
            s->v[b] = gbps((double)pr->series[(size_t)i * pr->n_bins + b], (double)pr->sample);
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
    for (uint32_t i = 0; i < net->n_levels; i++) {
        const cop_gauge *g = &net->queue_ops->levels[i];
        cop_series *s = add_series(r, g->name, g->unit, pr->n_bins);
        for (uint32_t b = 0; b < pr->n_bins; b++)
            s->v[b] = (double)net->level_series[(size_t)i * pr->n_bins + b];
    }
}

static void collect_streams(const cop_net *net, cop_result *r)
{
    double span = measured_ps(net);
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
            .gbps = gbps((double)p->bytes, span),
            .packets = p->packets,
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
        pr->mean_queue_bytes = pp->samples ? (double)pp->queue_sum / pp->samples : 0.0;
        pr->max_queue_bytes = pp->queue_max;
    }
}

static int by_pair(const void *a, const void *b)
{
    const cop_flow_result *x = a, *y = b;
    return x->src != y->src ? (x->src < y->src ? -1 : 1) : (x->dst > y->dst) - (x->dst < y->dst);
}

static void collect_flows(const cop_net *net, cop_result *r)
{
    const cop_probe *pr = &net->probe;
    if (pr->flow == NULL)
        return;
    r->flow = COP_NEW_ARRAY(&r->arena, cop_flow_result, pr->flow_n);
    for (size_t i = 0; i <= pr->flow_mask; i++)
        if (pr->flow[i].key) {
            uint64_t pair = pr->flow[i].key - 1;
            r->flow[r->n_flows++] = (cop_flow_result){.src = (uint32_t)(pair >> 32),
                                                      .dst = (uint32_t)pair,
                                                      .packets = pr->flow[i].packets,
                                                      .bytes = pr->flow[i].bytes};
        }
    qsort(r->flow, r->n_flows, sizeof(*r->flow), by_pair);
}

static void add_scalars(cop_result *r, const cop_scalar *s, size_t n)
{
    memcpy(&r->scalar[r->n_scalars], s, n * sizeof(*s));
    r->n_scalars += (uint32_t)n;
}

static void collect_scalars(const cop_net *net, cop_result *r)
{
    const cop_scalar all[] = {
        {"retransmissions", "packets", (double)net->total.retransmissions},
        {"acks", "packets", (double)net->total.acks},
        {"notifications", "packets", (double)net->total.cnps},
    };
    cop_net_cost cost;
    cop_net_port_cost(net, &cost);
    const cop_scalar hardware[] = {
        {"hardware.ram_bytes_per_port", "bytes", (double)cost.ram_bytes},
        {"hardware.queues_per_port", "queues", cost.queues},
        {"hardware.cam_lines_per_port", "lines", cost.control.cam_lines},
        {"hardware.cam_cells_per_port", "bits", (double)cost.control.cam_cells},
        {"hardware.sram_cells_per_port", "bits", (double)cost.control.sram_cells},
    };
    size_t most = COP_LEN(all) + COP_LEN(hardware) + net->n_counters + net->n_levels;
    r->scalar = COP_NEW_ARRAY(&r->arena, cop_scalar, most);
    add_scalars(r, all, COP_LEN(all));
    for (uint32_t i = 0; i < net->n_counters; i++) {
        const cop_gauge *g = &net->queue_ops->counters[i];
        add_scalars(r, &(cop_scalar){g->name, g->unit, (double)net->counter[i]}, 1);
    }
    for (uint32_t i = 0; i < net->n_levels; i++) {
        const cop_gauge *g = &net->queue_ops->levels[i];
        const char *name = cop_arena_printf(&r->arena, "%s.at_end", g->name);
        add_scalars(r, &(cop_scalar){name, g->unit, (double)net->level[i]}, 1);
    }
    add_scalars(r, hardware, COP_LEN(hardware));
}

void cop_collect(const cop_net *net, cop_result *r)
{
    *r = (cop_result){0};
    collect_totals(net, r);
    collect_little(net, r);
    collect_series(net, r);
    collect_streams(net, r);
    collect_nodes_and_ports(net, r);
    collect_flows(net, r);
    collect_scalars(net, r);
}
