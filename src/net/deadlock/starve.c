/* Starvation: messages that the congestion control never releases.
 *
 * Role     at the end of a run, finds flows that wait for the congestion control to wake them, and
 *          that no event will wake any more.
 * Rule     A congestion control is called for a flow because of its packets and the replies to
 *          them. A flow that waits for it while neither is in the network or at an end node is
 *          starved. After `drain` that is every flow that still waits. Without it, windows that are
 *          full at the end of the run are not taken for starvation, as their packets are in flight.
 *          A congestion control with `admit` is called again when a return reaches an output of the
 *          switch. If all packets wait behind heads that it does not admit, there will be no return
 *          and no call. A network that is not drained after 106 days is given up (sim.c) and counts
 *          as starved, too.
 * Cost     nothing unless a flow or a head waits so at the end.
 * Simplification  a congestion control that wakes a flow because of another flow's packets is not
 *                 foreseen. */
#include "base/outcome.h"
#include "net/cable/cable.h"
#include "net/deadlock/deadlock.h"
#include "net/flow/flow.h"
#include "net/net.h"

#include <stdio.h>

/* The flow of a packet; of a control packet, that of the packet it answers. COP_NONE: it has no
 * state. */
static uint32_t flow_of(const cop_net *net, const cop_pkt *p)
{
    if (p->flags & COP_PKT_CONTROL)
        return cop_flow_find(net, p->dst, p->src, p->sl);
    return cop_flow_find(net, p->src, p->dst, p->sl);
}

/* Packets of the pool that are not free are on a wire, in a queue or at an end node. */
static void mark_under_way(cop_net *net)
{
    uint8_t *idle = cop_alloc(net->pkt_n);
    for (uint32_t h = net->pkt_free; h != COP_NONE; h = net->pkt[h].next)
        idle[h] = 1;
    for (uint32_t h = 0; h < net->pkt_n; h++) {
        uint32_t flow = idle[h] ? COP_NONE : flow_of(net, &net->pkt[h]);
        if (flow != COP_NONE)
            cop_flow_at(net, flow)->under_way = true;
    }
    cop_free(idle);
}

typedef struct starved {
    uint32_t flows;
    uint64_t messages;
    const cop_flow *first;
} starved;

static void look_at(const cop_net *net, const cop_flow *f, starved *s)
{
    if (!f->throttled || f->t_ok != COP_NEVER || f->under_way)
        return;
    if (s->flows++ == 0)
        s->first = f;
    for (uint32_t m = f->head; m != COP_NONE; m = net->send[m].next)
        s->messages++;
}

static starved look(const cop_net *net)
{
    starved s = {0};
    for (uint32_t table = 0; table < COP_MAX_SL; table++) {
        if (net->flow[table] == NULL)
            continue;
        uint64_t n = net->flow_hash ? net->flow_n : cop_flow_places(net);
        for (uint32_t place = 0; place < n; place++)
            look_at(net, cop_flow_at(net, table << COP_FLOW_BITS | place), &s);
    }
    return s;
}

/* After `drain` nothing moves any more: packets in injection queues will never leave. */
static void look_at_injection(cop_net *net)
{
    for (uint32_t h = 0; h < net->info.n_hosts; h++) {
        char name[128];
        if (net->nic[h].unsent == 0)
            continue;
        cop_topo_host_name(net->topo, h, name, sizeof(name));
        net->stop = COP_OUTCOME_STARVED;
        snprintf(net->why, sizeof(net->why),
                 "starved: %u packets wait in the injection queues of %s and nothing will let them "
                 "go",
                 net->nic[h].unsent, name);
        return;
    }
}

static uint64_t length_of(const cop_net *net, uint32_t h)
{
    uint64_t n = 0;
    for (; h != COP_NONE; h = net->pkt[h].next)
        n++;
    return n;
}

/* Packets in queues whose head the congestion control does not admit, one of these heads, and
 * packets on wires to these queues. */
static uint64_t count_held(const cop_net *net, uint32_t *first)
{
    uint64_t n = 0;
    for (uint32_t q = 0; q < net->n_queues; q++)
        if (net->queue[q].head_is & COP_HEAD_HELD) {
            *first = net->queue[q].head;
            n += length_of(net, *first);
        }
    for (uint32_t port = 0; n > 0 && port < net->host_port0; port++)
        if (net->in[port].from != COP_NONE && net->in[port].from >= net->host_port0)
            n += length_of(net, net->in[port].wire_head);
    return n;
}

bool cop_net_held_for_ever(cop_net *net)
{
    uint32_t h = COP_NONE;
    uint64_t n = net->held ? count_held(net, &h) : 0;
    if (n == 0 || n != cop_net_in_flight(net))
        return false;
    for (uint32_t port = 0; port < net->host_port0; port++)
        for (uint32_t s = 0; net->out[port].to != COP_NONE && s < net->sections; s++)
            if (net->out[port].busy_until > net->now || cop_fc_coming(net, port, s))
                return false;
    char src[128], dst[128];
    cop_topo_host_name(net->topo, net->pkt[h].src, src, sizeof(src));
    cop_topo_host_name(net->topo, net->pkt[h].dst, dst, sizeof(dst));
    net->stop = COP_OUTCOME_STARVED;
    snprintf(net->why, sizeof(net->why),
             "starved: cc %s admits none of the %" PRIu64 " packets in the network, such as one "
             "%s -> %s, though nothing else is there",
             net->cc->name, n, src, dst);
    return true;
}

void cop_net_undrained(cop_net *net)
{
    net->stop = COP_OUTCOME_STARVED;
    snprintf(
        net->why, sizeof(net->why),
        "starved: not drained after 2^63 ps (106 days), and given up: messages go on at the pace "
        "of cc %s, no packets wait for each other; packets on their way: %" PRIu64,
        net->cc->name, cop_net_in_flight(net));
}

void cop_net_starved(cop_net *net)
{
    if (net->stop == COP_OUTCOME_OK && cop_net_held_for_ever(net))
        return;
    if (net->stop == COP_OUTCOME_OK && net->run_cfg->drain)
        look_at_injection(net);
    if (net->flows_asleep == 0 || net->stop != COP_OUTCOME_OK)
        return;
    mark_under_way(net);
    starved s = look(net);
    if (s.flows == 0)
        return;
    char src[128], dst[128] = "any host";
    cop_topo_host_name(net->topo, s.first->src, src, sizeof(src));
    if (!net->flow_is_sl)
        cop_topo_host_name(net->topo, s.first->dst, dst, sizeof(dst));
    net->stop = COP_OUTCOME_STARVED;
    snprintf(net->why, sizeof(net->why),
             "starved: cc %s holds %u flow%s back and nothing will wake %s, such as %s -> %s on "
             "service level %u; messages that wait: %" PRIu64,
             net->cc->name, s.flows, s.flows == 1 ? "" : "s", s.flows == 1 ? "it" : "them", src,
             dst, s.first->sl, s.messages);
}
