/* The values of run.observe, taken with the run's sampling timer at the end of each bin, and at the
 * end of the measured time, if inside a bin. Costs nothing if no item is given. */
#include "net/inspect/inspect.h"

#include "net/flow/flow.h"
#include "net/routing/routing.h"

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

/* The same of all hosts of a switch; sets their number, and the port of one of them. */
static uint64_t injected_at(const cop_net *net, uint32_t sw, uint32_t *hosts, uint32_t *host_port)
{
    uint64_t sum = 0;
    *hosts = 0;
    for (uint32_t port = net->topo->sw_port0[sw]; port < net->topo->sw_port0[sw + 1]; port++) {
        uint32_t from = net->in[port].from;
        if (from == COP_NONE || from < net->host_port0)
            continue;
        sum += injected_by(net, from - net->host_port0);
        *host_port = from;
        ++*hosts;
    }
    return sum;
}

/* Bytes counted since the last bin, as Gbit/s of `span`. A packet counts as a whole when it begins;
 * the rate of a bin that is cut short is limited to that of the link. */
static double rate_of(const cop_net *net, cop_observation *o, cop_time span)
{
    uint32_t hosts = 1, port = o->a;
    uint64_t before = o->seen;
    if (o->kind == COP_OBSERVE_SENT) {
        o->seen = net->out[o->a].sent_bytes;
    } else if (o->kind == COP_OBSERVE_INJECTED) {
        o->seen = injected_by(net, o->a);
        port = net->host_port0 + o->a;
    } else {
        o->seen = injected_at(net, o->a, &hosts, &port);
    }
    uint64_t bytes = o->seen - before;
    if (span < net->probe.sample)
        span = cop_max64(span, cop_wire_time(net->out[port].pace, bytes / hosts));
    return cop_gbps(bytes, span) / hosts;
}

/* `span`: the part of the bin that has passed. */
static double value_of(cop_net *net, cop_observation *o, cop_time span)
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
        return rate_of(net, o, span);
    case COP_OBSERVE_QUEUE:
        return (double)net->out[o->a].waiting;
    case COP_OBSERVE_VOQ:
        return voq_bytes(net, o->a, o->b, o->vl);
    case COP_OBSERVE_CC_PORT:
        return cop_cc_at(net, net->out[o->a].sw)
            ->shown.port_value(net, o->a, o->vl == COP_NONE ? 0 : o->vl, o->which);
    case COP_OBSERVE_ROUTE_PORT:
        return net->route->ops->port_value(net->route, cop_routing_port(net, o->a), o->which);
    default:
        flow = cop_flow_find(net, o->a, o->b, o->sl);
        if (flow == COP_NONE)
            return 0.0; /* it has not sent yet */
        return cop_cc_at_host(net, o->a)->shown.flow_value(net, cop_flow_state(net, flow), o->a,
                                                           o->which);
    }
}

void cop_observe_sample(cop_net *net)
{
    cop_probe *pr = &net->probe;
    for (; pr->n_observed < pr->n_bins && pr->n_observed * pr->sample < net->now;
         pr->n_observed++) {
        cop_time until = cop_min64(net->now, pr->end);
        cop_time span = cop_min64(until - pr->n_observed * pr->sample, pr->sample);
        for (uint32_t i = 0; i < net->n_observe; i++)
            if (net->observe[i].kind != COP_OBSERVE_RECEIVED)
                net->observe[i].v[pr->n_observed] = value_of(net, &net->observe[i], span);
    }
}

void cop_observe_finish(cop_net *net)
{
    const cop_probe *pr = &net->probe;
    cop_observe_sample(net);
    for (uint32_t i = 0; i < net->n_observe; i++)
        for (uint32_t b = 0; net->observe[i].kind == COP_OBSERVE_RECEIVED && b < pr->n_bins; b++)
            net->observe[i].v[b] =
                cop_parts_gbps(net->observe[i].v[b], (double)cop_probe_covered(pr, b));
}
