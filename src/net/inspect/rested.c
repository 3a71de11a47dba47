/* Mechanisms that did nothing in a run, and why.
 *
 * Role    reports at the end of a run which of the configured mechanisms never acted: congestion
 *         control, isolating scheme, on/off flow control, non-minimal routing, service levels. Each
 *         gives its reason (`rested` in its table); those of on/off flow control, detours and
 *         service levels are written here.
 * Cost    none during the run: existing counters, and queues as they were at samples. */
#include "base/opt.h"
#include "net/cable/fc_state.h"
#include "net/net.h"
#include "net/routing/routing.h"

#include <stdio.h>
#include <string.h>

#define SAYS 400

uint64_t cop_net_marked(const cop_net *net)
{
    return net->total.fecns;
}

const char *cop_net_most_waiting(const cop_net *net, char *buf, size_t size)
{
    uint64_t most = 0;
    uint32_t port = COP_NONE;
    char name[64], bytes[32];
    for (uint32_t p = 0; p < net->host_port0; p++)
        if (net->probe.port[p].queue_max > most) {
            most = net->probe.port[p].queue_max;
            port = p;
        }
    if (port == COP_NONE)
        snprintf(buf, size, "nothing");
    else
        snprintf(buf, size, "%s (for %s)", cop_print_bytes(most, bytes, sizeof(bytes)),
                 cop_topo_port_name(net->topo, port, name, sizeof(name)));
    return buf;
}

/* On/off flow control has sent no pause. */
static bool no_pause(const cop_net *net, char *buf, size_t size)
{
    uint64_t xoff = 0;
    char bytes[32];
    if (net->fc != &cop_fc_onoff || net->total.pauses > 0)
        return false;
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        xoff = cop_max64(xoff, net->fc_state->inbuf[p].xoff);
    snprintf(buf, size, "no buffer had less than its threshold of %s free",
             cop_print_bytes(xoff, bytes, sizeof(bytes)));
    return true;
}

/* Why the state of the routing has not changed at any port, if so; NULL: it has changed at one. */
static const char *nothing_learnt(const cop_net *net)
{
    const char *why = NULL;
    for (uint32_t p = 0; net->route->ops->rested && p < net->host_port0; p++) {
        why = net->route->ops->rested(net->route, cop_routing_port(net, p));
        if (why == NULL)
            return NULL;
    }
    return why;
}

static bool routing_rested(const cop_net *net, char *buf, size_t size)
{
    const char *why = nothing_learnt(net);
    uint64_t all = net->probe.latency->count;
    if (why != NULL)
        snprintf(buf, size, "%s: it heard %" PRIu64 " notifications", why,
                 net->listens ? net->total.kept : 0);
    else if (net->route->ops->mid != NULL && net->route->ops->rested == NULL && all > 0 &&
             net->probe.misrouted == 0)
        snprintf(buf, size, "all %" PRIu64 " packets delivered took minimal ways", all);
    else
        return false;
    return true;
}

/* A service level that leads to no lane, nor to a flow of the congestion control. */
static bool level_rested(const cop_net *net, char *buf, size_t size)
{
    const cop_traffic *tr = net->traffic;
    uint32_t entry = COP_NONE, level = 0, others = 0, before = COP_NONE;
    if ((net->route->levels != NULL && net->lanes > 1) || net->cc->flow_size > 0)
        return false;
    for (uint32_t s = 0; s < tr->n_streams; s++) {
        uint32_t e = tr->stream[s].entry;
        if (tr->stream[s].sl == 0)
            continue;
        if (entry == COP_NONE) {
            entry = e;
            level = tr->stream[s].sl;
        }
        others += e != entry && e != before;
        before = e;
    }
    if (entry == COP_NONE)
        return false;
    snprintf(buf, size, "%s%s: service level %u chooses no lane: %s", tr->entry_name[entry],
             others > 0 ? " and others" : "", level,
             net->lanes == 1 ? "the network has one"
                             : "switch.sl2vl does not say which, and the routing has no "
                               "forwarding table");
    return true;
}

uint32_t cop_net_rested(cop_net *net, cop_arena *arena, const char *lines[COP_MOST_RESTED])
{
    char buf[SAYS] = "";
    uint32_t n = 0;
    net->here = COP_NONE;
    net->scheme_here = COP_NONE;
    if (net->cc->shown.rested && net->cc->shown.rested(net, buf, sizeof(buf)))
        lines[n++] = cop_arena_printf(arena, "cc %s: %s", net->cc->name, buf);
    if (net->queue_ops->runtime.rested && net->queue_ops->runtime.rested(net, buf, sizeof(buf)))
        lines[n++] = cop_arena_printf(arena, "queueing %s: %s", net->queue_ops->name, buf);
    if (routing_rested(net, buf, sizeof(buf)))
        lines[n++] = cop_arena_printf(arena, "routing %s: %s", net->route->ops->name, buf);
    if (no_pause(net, buf, sizeof(buf)))
        lines[n++] = cop_arena_printf(arena, "flow_control on-off: %s", buf);
    if (level_rested(net, buf, sizeof(buf)))
        lines[n++] = cop_arena_printf(arena, "traffic %s", buf);
    return n;
}
