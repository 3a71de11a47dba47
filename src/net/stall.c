/* Deadlock detection at run time.
 *
 * A sending port's section (normally: lane) is stuck if packets wait for it, there is no room behind
 * it, nothing on its way could bring room (no return, no packet on the wire), and every queue of the
 * buffer behind it that holds packets of that section is stuck in turn: all outputs its head asks
 * for are stuck. The largest such set is found by starting with every candidate and striking out
 * those with a way to move, until nothing changes. If a set remains, its members wait for each other
 * for ever; one cycle through it is printed. Hosts always consume, so a port that faces a host is
 * never stuck. Run at samples, and only when some port with requests has stood still for a while. */
#include "base/outcome.h"
#include "net/arch.h"
#include "net/fc.h"
#include "net/input.h"
#include "net/request.h"

#include <stdio.h>
#include <string.h>

static bool wants_to_send(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    if (out->sw != COP_NONE && net->obuf)
        return cop_obuf_blocked(net, port);
    return out->vl_blocked || (net->section_waiters && net->section_waiters[port]);
}

/* Could be stuck as far as its own link goes. */
static bool link_idle(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    return out->to != COP_NONE && out->busy_until <= net->now &&
           net->out[port].ring.at == net->out[port].ring.end &&
           net->in[out->to].wire_head == COP_NONE && net->in[out->to].sw != COP_NONE &&
           wants_to_send(net, port);
}

static bool section_waits(const cop_net *net, uint32_t port, uint32_t s)
{
    if (net->sectioned && net->out[port].sw != COP_NONE)
        return net->section[(size_t)port * net->sections + s].wait != COP_NONE;
    if (net->obuf && net->out[port].sw != COP_NONE) {
        uint32_t h = cop_obuf_first(net, port, s);
        return h != COP_NONE && !cop_fc_fits(net, port, s, cop_blocks(net->pkt[h].bytes));
    }
    return net->sectioned ? net->out[port].vl_blocked != 0 : net->out[port].vl_blocked >> s & 1;
}

static bool queue_holds(const cop_net *net, uint32_t q, uint32_t section)
{
    for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next)
        if (cop_net_section_of(net, &net->pkt[h], net->pkt[h].vl) == section)
            return true;
    return false;
}

/* Is every output that the head of q asks for in the set? `next` gets one of them. */
static bool queue_stuck(const cop_net *net, const uint8_t *set, uint32_t q, size_t *next)
{
    const cop_queue *queue = &net->queue[q];
    if (!queue->posted && !queue->stopped)
        return false; /* about to request */
    const cop_pkt *p = &net->pkt[queue->head];
    /* A stopped queue hears `go` when something leaves the buffer behind its output. */
    if (net->per_output || queue->stopped) {
        uint32_t port = cop_topo_switch_port(net->topo, net->in[net->queue_port[q]].sw, p->out);
        *next = (size_t)port * net->sections + p->out_vl;
        return set[*next];
    }
    for (uint32_t k = 0; k < net->max_cand; k++) {
        const cop_node *n = &net->node[(size_t)q * net->max_cand + k];
        if (n->next == COP_NONE)
            continue;
        *next = (size_t)n->port * net->sections + cop_net_section_of(net, p, n->vl);
        if (!set[*next])
            return false;
    }
    return true;
}

/* Does the buffer behind (port, s) have a queue with packets of s that can still move? */
static bool can_move(const cop_net *net, const uint8_t *set, uint32_t port, uint32_t s,
                     size_t *next)
{
    uint32_t to = net->out[port].to;
    uint32_t end = to + 1 < net->host_port0 ? net->in[to + 1].queue0 : net->n_queues;
    bool any = false;
    for (uint32_t q = net->in[to].queue0; q < end; q++) {
        if (net->queue[q].head == COP_NONE || !queue_holds(net, q, s))
            continue;
        any = true;
        if (!queue_stuck(net, set, q, next))
            return true;
    }
    return !any;
}

static void describe(cop_net *net, const uint8_t *set, size_t start)
{
    size_t n = (size_t)net->topo->n_ports * net->sections, at = start, next = start;
    uint8_t *seen = cop_alloc(n);
    /* Walk until a member repeats: from there on it is a cycle. */
    while (!seen[at]) {
        seen[at] = 1;
        (void)can_move(net, set, (uint32_t)(at / net->sections), (uint32_t)(at % net->sections),
                       &next);
        at = next;
    }
    size_t first = at, used;
    unsigned members = 0;
    for (size_t i = 0; i < n; i++)
        members += set[i];
    net->stop = COP_OUTCOME_DEADLOCK;
    used =
        (size_t)snprintf(net->why, sizeof(net->why),
                         "deadlock at %.3f us: %u blocked channels; a cycle of waiting ports:\n ",
                         (double)net->now / 1e6, members);
    do {
        char name[64];
        if (used + 80 < sizeof(net->why))
            used += (size_t)snprintf(
                net->why + used, sizeof(net->why) - used, " %s/vl%u ->",
                cop_topo_port_name(net->topo, (uint32_t)(at / net->sections), name, sizeof(name)),
                (unsigned)(at % net->sections));
        (void)can_move(net, set, (uint32_t)(at / net->sections), (uint32_t)(at % net->sections),
                       &next);
        at = next;
    } while (at != first);
    if (used + 8 < sizeof(net->why))
        memcpy(net->why + used - 2, "(again)", sizeof("(again)"));
    cop_free(seen);
}

bool cop_net_find_deadlock(cop_net *net, bool final)
{
    bool suspicious = false;
    cop_time patience = final ? 0 : net->probe.sample;
    for (uint32_t p = 0; p < net->topo->n_ports && !suspicious; p++)
        suspicious = net->out[p].busy_until + patience <= net->now && link_idle(net, p);
    if (!suspicious)
        return false;
    size_t n = (size_t)net->topo->n_ports * net->sections, start = n;
    uint8_t *set = cop_alloc(n);
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        if (link_idle(net, p))
            for (uint32_t s = 0; s < net->sections; s++)
                set[(size_t)p * net->sections + s] = section_waits(net, p, s);
    for (bool changed = true; changed;) {
        changed = false;
        start = n;
        for (uint32_t p = 0; p < net->topo->n_ports; p++)
            for (uint32_t s = 0; s < net->sections; s++) {
                size_t i = (size_t)p * net->sections + s, next;
                if (!set[i])
                    continue;
                if (can_move(net, set, p, s, &next)) {
                    set[i] = 0;
                    changed = true;
                } else {
                    start = i;
                }
            }
    }
    if (start != n)
        describe(net, set, start);
    cop_free(set);
    return start != n;
}
