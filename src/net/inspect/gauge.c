/* State of the queueing scheme: the memory it needs, counters, and levels over time.
 *
 * A counter is an event counted over the whole run. A level is a present amount (queues in use);
 * its value at the end of each bin makes a time series. The scheme changes both in place; the code
 * here runs once per sample. */
#include "net/config/config.h"
#include "net/inspect/inspect.h"

static uint32_t length(const cop_gauge *g)
{
    uint32_t n = 0;
    while (g && g[n].name)
        n++;
    return n;
}

void cop_gauge_init(cop_net *net)
{
    const cop_queue_ops *ops = net->queue_ops;
    net->n_counters = length(ops->runtime.counters);
    net->n_levels = length(ops->runtime.levels);
    net->counter = COP_NEW_ARRAY(&net->arena, uint64_t, net->n_counters);
    net->level = COP_NEW_ARRAY(&net->arena, int64_t, net->n_levels);
    net->level_series =
        COP_NEW_ARRAY(&net->arena, int64_t, cop_product(net->n_levels, net->probe.n_bins));
    net->queue_port_bytes = ops->runtime.port_bytes
                                ? ops->runtime.port_bytes(net->queue_cfg, &net->info)
                                : ops->runtime.port_size;
    net->queue_state =
        COP_NEW_ARRAY(&net->arena, char, cop_product(net->queue_port_bytes, net->topo->n_ports));
    net->queue_common = COP_NEW_ARRAY(&net->arena, char, ops->runtime.common_size);
    if (ops->runtime.finds_roots)
        net->roots = COP_NEW_ARRAY(&net->arena, uint16_t, net->topo->n_ports);
}

static void note(cop_net *net, cop_time bin)
{
    for (uint32_t i = 0; bin < net->probe.n_bins && i < net->n_levels; i++)
        net->level_series[(size_t)i * net->probe.n_bins + bin] = net->level[i];
}

void cop_gauge_sample(cop_net *net)
{
    note(net, net->now / net->probe.sample - 1);
}

void cop_gauge_close(cop_net *net)
{
    if (net->now > 0)
        note(net, (net->now - 1) / net->probe.sample);
}

uint64_t *cop_net_queue_counter(cop_net *net)
{
    return net->counter;
}

int64_t *cop_net_queue_level(cop_net *net)
{
    return net->level;
}

void cop_net_port_cost(const cop_net *net, cop_net_cost *c)
{
    cop_queue_layout layout = {0};
    uint32_t ports = 1;
    for (uint32_t sw = 0; sw < net->topo->n_switches; sw++)
        if (cop_topo_ports_of(net->topo, sw) > ports)
            ports = cop_topo_ports_of(net->topo, sw);
    net->queue_ops->layout(net->queue_cfg, &net->info, ports, &layout);
    *c = (cop_net_cost){.queues = layout.queues};
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        uint32_t to = net->out[p].to;
        if (to == COP_NONE || cop_topo_is_host_port(net->topo, to))
            continue;
        uint32_t sections = cop_link_sections(net, p);
        uint64_t bytes = cop_link_buffer(net, p) * sections;
        if (bytes > c->ram_bytes) {
            c->ram_bytes = bytes;
            c->sections = sections;
        }
    }
    if (net->queue_ops->cost)
        net->queue_ops->cost(net->queue_cfg, &net->info, ports, &c->control);
}
