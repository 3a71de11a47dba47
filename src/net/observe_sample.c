/* The values of run.observe, taken with the run's sampling timer at the end of each bin. Costs nothing while no item is
 * given. */
#include "net/observe.h"

#include "net/routing.h"

static double voq_bytes(const cop_net *net, uint32_t in_port, uint32_t out, uint32_t vl)
{
    const cop_in *in = &net->in[in_port];
    uint32_t local = net->out[out].local, sum = 0;
    uint32_t last = in_port + 1 < net->host_port0 ? in[1].queue0 : net->n_queues;
    for (uint32_t q = in->queue0; q < last; q++)
        for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next)
            if (net->pkt[h].out == local && (vl == COP_NONE || net->pkt[h].out_vl == vl))
                sum += net->pkt[h].bytes;
    return (double)sum;
}

/* Bytes of data that a host has begun to send. */
static uint64_t injected_by(const cop_net *net, uint32_t host)
{
    const cop_traffic *tr = net->traffic;
    uint64_t sum = 0;
    for (uint32_t s = tr->host_stream0[host]; s < tr->host_stream0[host + 1]; s++)
        sum += net->probe.stream[s].sent_bytes;
    return sum;
}

/* The same of the hosts of a switch; how many there are. */
static uint64_t injected_at(const cop_net *net, uint32_t sw, uint32_t *hosts)
{
    uint64_t sum = 0;
    *hosts = 0;
    for (uint32_t port = net->topo->sw_port0[sw]; port < net->topo->sw_port0[sw + 1]; port++) {
        uint32_t from = net->in[port].from;
        if (from == COP_NONE || from < net->host_port0)
            continue;
        sum += injected_by(net, from - net->host_port0);
        ++*hosts;
    }
    return sum;
}

/* What has been counted since the last bin, as Gbit/s. */
static double rate_of(const cop_net *net, cop_observation *o)
{
    uint32_t hosts = 1;
    uint64_t before = o->seen;
    if (o->kind == COP_OBSERVE_SENT)
        o->seen = net->out[o->a].sent_bytes;
    else if (o->kind == COP_OBSERVE_INJECTED)
        o->seen = injected_by(net, o->a);
    else
        o->seen = injected_at(net, o->a, &hosts);
    return cop_gbps(o->seen - before, net->probe.sample) / hosts;
}

static double value_of(cop_net *net, cop_observation *o)
{
    uint32_t flow;
    uint64_t before = o->seen;
    switch (o->kind) {
    case COP_OBSERVE_NOTICES:
        o->seen = net->probe.port[o->a].told;
        return (double)(o->seen - before);
    case COP_OBSERVE_SENT:
    case COP_OBSERVE_INJECTED:
    case COP_OBSERVE_INJECTED_AT:
        return rate_of(net, o);
    case COP_OBSERVE_QUEUE:
        return (double)net->out[o->a].waiting;
    case COP_OBSERVE_VOQ:
        return voq_bytes(net, o->a, o->b, o->vl);
    case COP_OBSERVE_CC_PORT:
        return cop_cc_at(net, net->out[o->a].sw)
            ->port_value(net, o->a, o->vl == COP_NONE ? 0 : o->vl, o->which);
    case COP_OBSERVE_ROUTE_PORT:
        return net->route->ops->port_value(net->route, cop_routing_port(net, o->a), o->which);
    default:
        flow = cop_flow_find(net, o->a, o->b, o->sl);
        if (flow == COP_NONE)
            return 0.0; /* it has not sent yet */
        return cop_cc_at_host(net, o->a)->flow_value(net, cop_flow_state(net, flow), o->a,
                                                     o->which);
    }
}

static void record(cop_net *net, uint64_t bin)
{
    for (uint32_t i = 0; bin < net->probe.n_bins && i < net->n_observe; i++)
        if (net->observe[i].kind != COP_OBSERVE_RECEIVED)
            net->observe[i].v[bin] = value_of(net, &net->observe[i]);
}

void cop_observe_sample(cop_net *net)
{
    record(net, net->now / net->probe.sample - 1);
}

void cop_observe_finish(cop_net *net)
{
    const cop_probe *pr = &net->probe;
    if (net->now % pr->sample != 0)
        record(net, net->now / pr->sample);
    for (uint32_t i = 0; i < net->n_observe; i++)
        for (uint32_t b = 0; net->observe[i].kind == COP_OBSERVE_RECEIVED && b < pr->n_bins; b++)
            net->observe[i].v[b] = cop_parts_gbps(net->observe[i].v[b], (double)pr->sample);
}
