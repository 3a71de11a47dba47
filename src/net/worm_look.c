/* Wormhole switching: the final account, and packets that wait for each other for ever.
 *
 * Deadlock  A packet can move if its head is under way or coming into its host; or if it is the first of its
 *           buffer and one of the lanes it asks for is there for it: free and with room, or of packets that can
 *           move, both the one that holds the lane and all that stand in the buffer behind it; or if it waits behind another one
 *           in its buffer that can move. What is left when nothing can be added waits for itself.
 * Cost      each round looks at every packet that is not known to move; there are at most as many rounds
 *           as packets. stall.c decides when a look is paid for. */
#include "net/worm.h"

#include "base/outcome.h"
#include "net/fc.h"
#include "net/request.h"
#include "net/stall.h"

#include <stdio.h>

uint64_t cop_worm_between(const cop_net *net)
{
    uint64_t n = 0;
    for (uint32_t p = net->host_port0; p < net->topo->n_ports; p++)
        for (uint32_t vl = 0; vl < net->lanes; vl++)
            for (uint32_t s = cop_worm_in(net, p, vl)->front; s != COP_NONE;
                 s = net->worm->stay[s].next)
                n++;
    for (uint32_t p = 0; p < net->host_port0; p++)
        for (uint32_t vl = 0; vl < net->lanes; vl++) {
            uint32_t s = *cop_worm_held(net, p, vl);
            n += s != COP_NONE && net->worm->stay[s].sent == 0;
        }
    return n;
}

uint64_t cop_worm_flits(const cop_net *net, uint32_t port, uint32_t vl)
{
    const cop_lane_in *l = cop_worm_in(net, port, vl);
    return net->in[port].sw == COP_NONE ? 0 : l->end - l->at;
}

/* Every stay is in the list of its lane or sends from a host, and those of a lane have its flits. */
bool cop_worm_adds_up(const cop_net *net)
{
    const cop_worm *w = net->worm;
    uint64_t in_use = w->n, found = 0;
    for (uint32_t s = w->free; s != COP_NONE; s = w->stay[s].next)
        in_use--;
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        for (uint32_t vl = 0; vl < net->lanes; vl++) {
            const cop_lane_in *l = cop_worm_in(net, p, vl);
            uint64_t flits = 0;
            for (uint32_t s = l->front; s != COP_NONE; s = w->stay[s].next) {
                flits += w->stay[s].came - w->stay[s].sent;
                found++;
            }
            if (net->in[p].sw != COP_NONE && flits != l->end - l->at)
                return false;
            uint32_t held = *cop_worm_held(net, p, vl);
            found += held != COP_NONE && w->stay[held].in == COP_NONE;
        }
    return found == in_use;
}

/* -- deadlock -- */

bool cop_worm_suspicious(const cop_net *net, cop_time patience, uint64_t *visits)
{
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        const cop_out *out = &net->out[p];
        ++*visits;
        if (net->worm->hungry[p] && out->busy_until + patience <= net->now &&
            out->ring.at == out->ring.end)
            return true;
    }
    return false;
}

/* Do all packets with a part in the buffer behind lane vl of `port` move? */
static bool drains(const cop_net *net, uint32_t port, uint32_t vl, const uint8_t *moves)
{
    uint32_t to = net->out[port].to;
    for (uint32_t s = cop_worm_in(net, to, vl)->front; s != COP_NONE; s = net->worm->stay[s].next)
        if (!moves[net->worm->stay[s].pkt])
            return false;
    return true;
}

static bool lane_opens(const cop_net *net, uint32_t port, uint32_t vl, const uint8_t *moves)
{
    if (net->in[net->out[port].to].sw == COP_NONE)
        return true; /* hosts always consume */
    if (cop_fc_fits(net, port, vl, 1) || cop_fc_coming(net, port, vl))
        return true;
    uint32_t s = *cop_worm_held(net, port, vl);
    return (s == COP_NONE || moves[net->worm->stay[s].pkt]) && drains(net, port, vl, moves);
}

/* Can the head of queue q, the first of its buffer, go on? COP_NONE: it can; else a port that it waits for. */
static uint32_t waits_for(const cop_net *net, uint32_t q, const uint8_t *moves)
{
    uint32_t port = COP_NONE;
    if (!net->queue[q].posted)
        return COP_NONE;
    for (uint32_t k = 0; k < net->max_cand; k++) {
        const cop_node *node = &net->node[(size_t)q * net->max_cand + k];
        if (node->next == COP_NONE)
            continue;
        if (lane_opens(net, node->port, node->vl, moves))
            return COP_NONE;
        port = node->port;
    }
    return port;
}

/* Packets whose head waits in a queue do not move unless shown to; all others do. */
static uint8_t *begin(const cop_net *net)
{
    uint8_t *moves = cop_alloc(net->pkt_n + 1u);
    for (uint32_t h = 0; h < net->pkt_n; h++)
        moves[h] = 1;
    for (uint32_t q = 0; q < net->n_queues; q++)
        for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next)
            moves[h] = 0;
    return moves;
}

/* Add the packets of queue q that move, by what is known of the others; true if there are some. */
static bool add_movers(const cop_net *net, uint32_t q, uint8_t *moves, uint64_t *visits)
{
    uint32_t in = net->queue_port[q], vl = q - net->in[in].queue0;
    bool added = false;
    uint32_t front = cop_worm_in(net, in, vl)->front;
    uint32_t before = front == COP_NONE ? COP_NONE : net->worm->stay[front].pkt;
    for (uint32_t h = net->queue[q].head; h != COP_NONE; before = h, h = net->pkt[h].next) {
        ++*visits;
        if (moves[h])
            continue;
        bool go = h == before ? waits_for(net, q, moves) == COP_NONE : moves[before];
        if (!go)
            return added;
        moves[h] = 1;
        added = true;
    }
    return added;
}

static void tell(cop_net *net, uint32_t packets, uint32_t q, const uint8_t *moves)
{
    char at[64], to[64] = "a packet in front";
    uint32_t port = waits_for(net, q, moves);
    if (port != COP_NONE)
        cop_topo_port_name(net->topo, port, to, sizeof(to));
    net->stop = COP_OUTCOME_DEADLOCK;
    snprintf(net->why, sizeof(net->why),
             "deadlock at %.3f us: %u packets hold lanes and wait for each other; one of them in "
             "the buffer of %s/vl%u waits for %s",
             (double)net->now / 1e6, packets,
             cop_topo_port_name(net->topo, net->queue_port[q], at, sizeof(at)),
             q - net->in[net->queue_port[q]].queue0, to);
}

bool cop_worm_deadlock(cop_net *net, uint64_t *visits)
{
    uint8_t *moves = begin(net);
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t q = 0; q < net->n_queues; q++)
            more |= add_movers(net, q, moves, visits);
        *visits += net->n_queues;
    }
    uint32_t stuck = 0, where = COP_NONE;
    for (uint32_t q = 0; q < net->n_queues; q++)
        for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next)
            if (!moves[h]) {
                stuck++;
                where = where == COP_NONE || net->queue[q].posted ? q : where;
            }
    if (stuck > 0)
        tell(net, stuck, where, moves);
    cop_free(moves);
    return stuck > 0;
}
