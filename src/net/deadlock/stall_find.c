/* Deadlock detection: the largest set of queues that wait for each other for ever.
 *
 * Role     A channel is a sending port and a section (normally: lane) of the buffer behind it. The
 *          largest set of queues is computed in which no head will ever have room: for each channel
 *          that it requests, packets in queues of the set leave too little room in the buffer
 *          behind it, even if all other packets have left.
 * Rules    Start with every queue that has packets of a channel that is waited for, and remove
 *          those whose head finds room, until nothing changes. Packets of removed queues will
 *          leave, and so will packets on the wire; returned credits are of packets that have left.
 *          Hosts always consume, so a port that faces a host is never closed. Queues of the set
 *          never move, nor do their packets: a set that was found is part of what any later check
 *          finds.
 * What is read   requests, packets and credits, not the flags of lanes that wait for credit: any
 *                credit of the port clears these until the lane is tried again.
 * Output buffers   the head of a lane waits for credit there, and inputs wait for the lane: it is
 *                  closed if its head never finds room behind the link, and its packets leave too
 *                  little of the output buffer.
 * Shared   Lanes of a buffer that are not closed return the shared blocks that they use. */
#include "net/cable/cable.h"
#include "net/deadlock/stall_int.h"
#include "net/switch/request.h"
#include "net/switch/switch.h"

#include <string.h>

/* -- state of a link -- */

/* Packets wait for the credit of a link in the output buffer in front of it, if there is one and
 * the crossbar does not need credit. */
static bool waits_in_obuf(const cop_net *net, uint32_t port)
{
    return net->obuf && !net->credit_first && net->out[port].sw != COP_NONE;
}

/* May some lanes of the port be closed? */
static bool may_be_closed(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    if (out->to == COP_NONE || net->in[out->to].sw == COP_NONE)
        return false;
    if (waits_in_obuf(net, port))
        return cop_obuf_lanes(net, port) != 0;
    if (out->sw == COP_NONE)
        return out->vl_blocked != 0;
    return out->vl_ready != 0 || (net->section_waiters && net->section_waiters[port]);
}

/* The flags of a sender show that it is blocked for long, but for private sections and lanes of
 * output buffers. */
bool cop_stall_idle(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    bool shows = !net->sectioned && !waits_in_obuf(net, port);
    return out->busy_until <= net->now && out->ring.at == out->ring.end &&
           (out->vl_blocked || (out->waits & COP_WAITS_SHORT) || !shows) &&
           may_be_closed(net, port) && net->in[out->to].wire_head == COP_NONE;
}

/* Is section s behind `port` waited for, with too little room now? If a packet of full size has
 * room, none waits in vain. */
static bool waited_for(const cop_net *net, uint32_t port, uint32_t s)
{
    const cop_out *out = &net->out[port];
    uint32_t blocks = net->max_blocks;
    if (waits_in_obuf(net, port)) {
        uint32_t h = cop_obuf_first(net, port, s);
        if (h == COP_NONE)
            return false;
        blocks = cop_blocks(net->pkt[h].bytes);
    } else if (!net->sectioned) {
        uint32_t lanes = out->sw == COP_NONE ? out->vl_blocked : out->vl_ready;
        if (!(lanes >> s & 1))
            return false;
    }
    bool tells = net->fc->in_bytes; /* pauses, refusals: a return in flight may be a "go" */
    return !cop_fc_fits(net, port, s, blocks) && !(tells && cop_fc_coming(net, port, s));
}

static uint64_t weight_of(const cop_net *net, const cop_pkt *p)
{
    return net->fc->in_bytes ? p->bytes : cop_blocks(p->bytes);
}

/* Packets on the wire count as if they had left, where the sender counts them. */
static uint64_t on_the_wire(const cop_net *net, uint32_t port, uint32_t s)
{
    uint64_t sum = 0;
    for (uint32_t h = net->in [net->out[port].to].wire_head; h != COP_NONE; h = net->pkt[h].next) {
        net->stall->visits++;
        if (cop_net_section_of(net, &net->pkt[h], net->pkt[h].vl) == s)
            sum += weight_of(net, &net->pkt[h]);
    }
    return sum;
}

/* -- channels and the queues behind them -- */

static void add_edge(cop_net *net, uint32_t port, uint32_t s, uint32_t queue)
{
    struct cop_stall *st = net->stall;
    size_t c = cop_stall_channel_of(net, port, s);
    st->edge = cop_grow(st->edge, &st->cap_edges, st->n_edges + 1, sizeof(*st->edge));
    st->edge[st->n_edges++] = (cop_stall_edge){.channel = c, .queue = queue};
    if (st->stuck[c])
        return;
    bool bytes = net->fc->in_bytes;
    uint64_t held = net->fc->mixed ? 0 : cop_fc_held(net, port, s);
    uint64_t wire = bytes ? 0 : on_the_wire(net, port, s);
    st->stuck[c] = 1;
    st->channel[c].stays = held > wire ? held - wire : 0;
    st->channel[c].need = UINT32_MAX;
}

/* A queue can contain packets that came on several lanes: walk it until each of `lanes` has been
 * found. */
static void add_lanes(cop_net *net, uint32_t port, uint32_t queue, uint32_t lanes)
{
    for (uint32_t h = net->queue[queue].head; h != COP_NONE && lanes; h = net->pkt[h].next) {
        uint32_t vl = net->pkt[h].vl;
        net->stall->visits++;
        if (lanes >> vl & 1)
            add_edge(net, port, vl, queue);
        lanes &= ~(1u << vl);
    }
}

/* Edges from the channels of a port that may be closed to the queues behind it. */
static void add_port(cop_net *net, uint32_t port)
{
    uint32_t to = net->out[port].to, lanes = 0;
    uint32_t end = cop_net_queue_end(net, to); /* packets that the switch makes are not behind the
                                                  port */
    for (uint32_t vl = 0; !net->sectioned && vl < net->lanes; vl++)
        lanes |= (uint32_t)waited_for(net, port, vl) << vl;
    if (!net->sectioned && lanes == 0)
        return;
    if (net->shared_free)
        lanes = (1u << net->lanes) - 1; /* blocks of any lane are missing for all */
    for (uint32_t q = net->in[to].queue0; q < end; q++) {
        net->stall->visits++;
        if (net->queue[q].head == COP_NONE)
            continue;
        if (!net->sectioned) {
            add_lanes(net, port, q, lanes);
            continue;
        }
        const cop_pkt *p = &net->pkt[net->queue[q].head]; /* a queue has packets of one section */
        uint32_t s = cop_net_section_of(net, p, p->vl);
        if (waited_for(net, port, s))
            add_edge(net, port, s, q);
    }
}

unsigned cop_stall_asks(const cop_net *net, uint32_t q, size_t *channel)
{
    const cop_queue *queue = &net->queue[q];
    if (!queue->posted && !queue->stopped)
        return 0;
    const cop_pkt *p = &net->pkt[queue->head];
    /* A stopped queue is restarted when packets leave the buffer behind its output. */
    if (net->per_output || queue->stopped) {
        uint32_t port = cop_topo_switch_port(net->topo, net->in[net->queue_port[q]].sw, p->out);
        channel[0] = cop_stall_channel_of(net, port, p->out_vl);
        return 1;
    }
    unsigned n = 0;
    for (uint32_t k = 0; k < net->max_cand; k++) {
        const cop_node *node = &net->node[(size_t)q * net->max_cand + k];
        if (node->next != COP_NONE)
            channel[n++] =
                cop_stall_channel_of(net, node->port, cop_net_section_of(net, p, node->vl));
    }
    return n;
}

/* -- room -- */

/* Will a packet of so many blocks have room behind the link, in section s? */
static bool fits_ever(const cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    const cop_stall_channel *c = &net->stall->channel[cop_stall_channel_of(net, port, 0)];
    uint64_t beyond = 0;
    if (net->fc->mixed)
        return c[s].moved;
    for (uint32_t i = 0; net->shared_free && i < net->sections; i++) {
        uint32_t own = net->out[port].section[i].credit;
        beyond += c[i].stays > own ? c[i].stays - own : 0;
    }
    return cop_fc_fits_beside(net, port, s, blocks, c[s].stays, beyond);
}

/* The head of this lane of the output buffer. */
static bool closed_in_obuf(const cop_net *net, uint32_t port, uint32_t vl)
{
    uint32_t h = cop_obuf_first(net, port, vl);
    return h != COP_NONE && net->stall->stuck[cop_stall_channel_of(net, port, vl)] &&
           !fits_ever(net, port, vl, cop_blocks(net->pkt[h].bytes));
}

/* Does the head of q wait for channel c in vain? An output buffer whose wire is closed may still
 * have room for it: then it waits for the crossbar only. */
static bool in_vain(const cop_net *net, uint32_t q, size_t c)
{
    uint32_t port = (uint32_t)(c / net->sections), s = (uint32_t)(c % net->sections), lanes = 0;
    uint32_t blocks = cop_blocks(net->pkt[net->queue[q].head].bytes);
    if (!net->stall->stuck[c])
        return false;
    if (net->queue[q].stopped)
        return !net->stall->channel[c].moved;
    if (!waits_in_obuf(net, port))
        return !fits_ever(net, port, s, blocks);
    if (!closed_in_obuf(net, port, s))
        return false;
    for (uint32_t vl = 0; net->sw_cfg->output_shared && vl < net->lanes; vl++)
        lanes |= (uint32_t)closed_in_obuf(net, port, vl) << vl;
    return !cop_obuf_room_ever(net, port, s, blocks, lanes);
}

/* -- removing queues -- */

/* The queue of edge i can move: so do all its packets. */
static void strike(struct cop_stall *st, size_t i)
{
    while (i > 0 && st->edge[i - 1].queue == st->edge[i].queue)
        i--;
    for (uint32_t q = st->edge[i].queue; i < st->n_edges && st->edge[i].queue == q; i++) {
        if (st->edge[i].goes)
            continue;
        st->edge[i].goes = true;
        st->gone = cop_grow(st->gone, &st->cap_gone, st->n_gone + 1, sizeof(*st->gone));
        st->gone[st->n_gone++] = i;
    }
}

/* Remove the edge if its queue can move; else record what the queue waits for. */
static void ask_edge(cop_net *net, size_t i)
{
    struct cop_stall *st = net->stall;
    size_t channel[COP_MAX_CAND];
    uint32_t q = st->edge[i].queue;
    unsigned n = cop_stall_asks(net, q, channel), vain = 0;
    while (vain < n && in_vain(net, q, channel[vain]))
        vain++;
    if (n == 0 || vain < n) {
        strike(st, i);
        return;
    }
    /* A lane of an output buffer opens when its head has room. */
    uint32_t blocks =
        net->queue[q].stopped || net->obuf ? 0 : cop_blocks(net->pkt[net->queue[q].head].bytes);
    for (unsigned k = 0; k < n; k++) {
        cop_stall_channel *c = &st->channel[channel[k]];
        st->ask = cop_grow(st->ask, &st->cap_asks, st->n_asks + 1, sizeof(*st->ask));
        st->ask[st->n_asks] = (cop_stall_ask){channel[k], i, c->asked};
        c->asked = st->n_asks++;
        c->need = blocks < c->need ? blocks : c->need;
    }
}

/* There is more room behind channel c than was known: queues that request it may move. */
static void tell(cop_net *net, size_t c)
{
    struct cop_stall *st = net->stall;
    uint32_t port = (uint32_t)(c / net->sections), s = (uint32_t)(c % net->sections);
    if (st->channel[c].asked == COP_STALL_NOBODY ||
        (st->channel[c].need > 0 && !fits_ever(net, port, s, st->channel[c].need)))
        return;
    for (size_t a = st->channel[c].asked; a != COP_STALL_NOBODY; a = st->ask[a].next) {
        const cop_stall_edge *e = &st->edge[st->ask[a].edge];
        st->visits++;
        if (!e->goes && !in_vain(net, e->queue, c))
            strike(st, st->ask[a].edge);
    }
}

/* The packets of edge i's queue that are of its channel will leave. */
static void leave(cop_net *net, size_t i)
{
    struct cop_stall *st = net->stall;
    const cop_stall_edge *e = &st->edge[i];
    cop_stall_channel *c = &st->channel[e->channel];
    uint32_t port = (uint32_t)(e->channel / net->sections);
    uint32_t s = (uint32_t)(e->channel % net->sections);
    bool open = !net->shared_free && fits_ever(net, port, s, net->max_blocks);
    c->moved = true;
    for (uint32_t h = net->queue[e->queue].head; h != COP_NONE && !open; h = net->pkt[h].next) {
        const cop_pkt *p = &net->pkt[h];
        st->visits++;
        if (cop_net_section_of(net, p, p->vl) == s && !(p->flags & COP_PKT_OWN))
            c->stays -= cop_min64(c->stays, weight_of(net, p));
        open = !net->shared_free && fits_ever(net, port, s, net->max_blocks);
    }
    tell(net, e->channel);
    bool shares = net->shared_free || (net->obuf && net->sw_cfg->output_shared);
    for (uint32_t other = 0; shares && other < net->sections; other++)
        tell(net, cop_stall_channel_of(net, port, other));
}

/* Keep only queues that wait in vain, and the channels that they close. */
static void keep_found(cop_net *net)
{
    struct cop_stall *st = net->stall;
    size_t kept = 0;
    for (size_t i = 0; i < st->n_edges; i++) {
        size_t c = st->edge[i].channel;
        st->stuck[c] = 0;
        if (!st->edge[i].goes)
            st->edge[kept++] = st->edge[i];
    }
    for (size_t i = 0; i < kept; i++) {
        size_t c = st->edge[i].channel;
        uint32_t port = (uint32_t)(c / net->sections), s = (uint32_t)(c % net->sections);
        st->stuck[c] = !fits_ever(net, port, s, net->max_blocks);
    }
    st->n_edges = kept;
}

static void strike_out(cop_net *net)
{
    struct cop_stall *st = net->stall;
    st->n_asks = st->n_gone = 0;
    for (size_t i = 0; i < st->n_edges; i++)
        if (!st->edge[i].goes)
            ask_edge(net, i);
    while (st->n_gone > 0)
        leave(net, st->gone[--st->n_gone]);
    st->visits += st->n_edges + st->n_asks;
}

static void begin(cop_net *net)
{
    struct cop_stall *st = net->stall;
    size_t channels = cop_product(net->topo->n_ports, net->sections);
    if (st->channel == NULL) { /* allocated late: most runs never need it */
        st->channel = cop_alloc_array(channels, sizeof(*st->channel));
        for (size_t c = 0; c < channels; c++)
            st->channel[c].asked = COP_STALL_NOBODY;
    }
    for (size_t i = 0; i < st->n_edges; i++)
        st->stuck[st->edge[i].channel] = 0;
    st->n_edges = 0;
}

bool cop_stall_find(cop_net *net)
{
    struct cop_stall *st = net->stall;
    begin(net);
    st->visits += net->topo->n_ports;
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        if (may_be_closed(net, p))
            add_port(net, p);
    strike_out(net);
    size_t seen = st->n_edges;
    size_t *touched = cop_alloc_array(seen + st->n_asks + 1, sizeof(*touched)), n = 0;
    for (size_t i = 0; i < seen; i++)
        touched[n++] = st->edge[i].channel;
    for (size_t a = 0; a < st->n_asks; a++)
        touched[n++] = st->ask[a].channel;
    keep_found(net);
    for (size_t i = 0; i < n; i++)
        st->channel[touched[i]] = (cop_stall_channel){.asked = COP_STALL_NOBODY};
    cop_free(touched);
    return st->n_edges > 0;
}
