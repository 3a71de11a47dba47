/* Wormhole switching: book-keeping at the end, and deadlocks.
 *
 * Deadlock  A packet can move if its head is on a wire or enters its host; or if it is the first of
 *           its buffer and one of the lanes it requests is free and has room, or the packet that
 *           has the lane and all packets in the buffer behind it can move; or if it waits in its
 *           buffer behind a packet that can move. Packets that remain when no more can be added are
 *           deadlocked. Flits close up behind a head that is blocked, and may give back a lane,
 *           free a place or leave a buffer: meanwhile a packet that waits for one of these counts
 *           as one that can move.
 * Cost      each round visits every packet that is not known to move; there are at most as many
 *           rounds as packets. stall.c decides when the cost of a check is acceptable. */
#include "net/worm/worm.h"

#include "base/outcome.h"
#include "net/cable/cable.h"
#include "net/switch/request.h"

#include <stdio.h>
#include <string.h>

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

/* Every stay is in the list of its lane or sends from a host, and those of a lane have its
 * flits. */
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
        if ((out->waits & COP_WAIT_FLIT) && out->busy_until + patience <= net->now &&
            out->ring.at == out->ring.end)
            return true;
    }
    return false;
}

/* Per packet. */
typedef struct known {
    uint8_t *moves; /* its head can */
    uint8_t *closes; /* flits of it close up to its head, or may soon */
} known;

/* Do all packets with flits in the buffer behind lane vl of `port` move? */
static bool drains(const cop_net *net, uint32_t port, uint32_t vl, const known *k)
{
    uint32_t to = net->out[port].to;
    for (uint32_t s = cop_worm_in(net, to, vl)->front; s != COP_NONE; s = net->worm->stay[s].next)
        if (!k->moves[net->worm->stay[s].pkt])
            return false;
    return true;
}

static bool closes(const cop_net *net, uint32_t s, const known *k)
{
    return s != COP_NONE && k->closes[net->worm->stay[s].pkt];
}

static bool lane_opens(const cop_net *net, uint32_t port, uint32_t vl, const known *k)
{
    uint32_t to = net->out[port].to, s = *cop_worm_held(net, port, vl);
    if (net->in[to].sw == COP_NONE)
        return true; /* hosts always consume */
    if (cop_fc_fits(net, port, vl, 1) || cop_fc_coming(net, port, vl) || closes(net, s, k) ||
        closes(net, cop_worm_in(net, to, vl)->front, k))
        return true;
    return (s == COP_NONE || k->moves[net->worm->stay[s].pkt]) && drains(net, port, vl, k);
}

/* Can the head of queue q, the first of its buffer, go on? COP_NONE: it can; else a port that it
 * waits for. */
static uint32_t waits_for(const cop_net *net, uint32_t q, const known *k)
{
    uint32_t port = COP_NONE;
    if (!net->queue[q].posted)
        return COP_NONE;
    for (uint32_t i = 0; i < net->max_cand; i++) {
        const cop_node *node = &net->node[(size_t)q * net->max_cand + i];
        if (node->next == COP_NONE)
            continue;
        if (lane_opens(net, node->port, node->vl, k))
            return COP_NONE;
        port = node->port;
    }
    return port;
}

/* A packet that has a lane with room behind it closes up there. */
static void begin_closing(const cop_net *net, const known *k)
{
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        for (uint32_t vl = 0; vl < net->lanes; vl++) {
            uint32_t s = *cop_worm_held(net, p, vl);
            if (s != COP_NONE &&
                (cop_fc_section(net, p, vl)->credit > 0 || cop_fc_coming(net, p, vl)))
                k->closes[net->worm->stay[s].pkt] = 1;
        }
}

/* Packets behind it in a buffer follow. True if some were not known to close up. */
static bool follow(const cop_net *net, uint32_t port, uint32_t vl, const known *k)
{
    bool added = false;
    uint32_t front = cop_worm_in(net, port, vl)->front;
    for (uint32_t s = front; closes(net, front, k) && s != COP_NONE; s = net->worm->stay[s].next) {
        added |= !k->closes[net->worm->stay[s].pkt];
        k->closes[net->worm->stay[s].pkt] = 1;
    }
    return added;
}

/* Packets whose head waits in a queue do not move unless shown to; all others do. */
static known begin(const cop_net *net, uint64_t *visits)
{
    known k = {.moves = cop_alloc(net->pkt_n + 1u), .closes = cop_alloc(net->pkt_n + 1u)};
    memset(k.moves, 1, net->pkt_n);
    for (uint32_t q = 0; q < net->n_queues; q++)
        for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next)
            k.moves[h] = 0;
    begin_closing(net, &k);
    for (bool more = true; more; *visits += net->host_port0) {
        more = false;
        for (uint32_t p = 0; p < net->host_port0; p++)
            for (uint32_t vl = 0; vl < net->lanes; vl++)
                more |= follow(net, p, vl, &k);
    }
    return k;
}

/* Add the packets of queue q that move, given those known to move; true if there are some. */
static bool add_movers(const cop_net *net, uint32_t q, const known *k, uint64_t *visits)
{
    uint32_t in = net->queue_port[q], vl = q - net->in[in].queue0;
    bool added = false;
    uint32_t front = cop_worm_in(net, in, vl)->front;
    uint32_t before = front == COP_NONE ? COP_NONE : net->worm->stay[front].pkt;
    for (uint32_t h = net->queue[q].head; h != COP_NONE; before = h, h = net->pkt[h].next) {
        ++*visits;
        if (k->moves[h])
            continue;
        bool go =
            h == before ? waits_for(net, q, k) == COP_NONE : k->moves[before] || k->closes[before];
        if (!go)
            return added;
        k->moves[h] = 1;
        added = true;
    }
    return added;
}

static void tell(cop_net *net, uint32_t packets, uint32_t q, const known *k)
{
    char at[64], to[64] = "a packet in front";
    uint32_t port = waits_for(net, q, k);
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

bool cop_worm_deadlock(cop_net *net, void (*note)(cop_net *net, uint32_t queue), uint64_t *visits)
{
    known k = begin(net, visits);
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t q = 0; q < net->n_queues; q++)
            more |= add_movers(net, q, &k, visits);
        *visits += net->n_queues;
    }
    uint32_t stuck = 0, where = COP_NONE;
    for (uint32_t q = 0; q < net->n_queues; q++) {
        for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next)
            if (!k.moves[h]) {
                stuck++;
                where = where == COP_NONE || net->queue[q].posted ? q : where;
            }
        if (net->queue[q].head != COP_NONE && !k.moves[net->queue[q].head])
            note(net, q);
    }
    if (stuck > 0)
        tell(net, stuck, where, &k);
    cop_free(k.moves);
    cop_free(k.closes);
    return stuck > 0;
}
