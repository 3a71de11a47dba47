/* Deadlock detection at run time.
 *
 * Role     A channel is a sending port and a section (normally: lane) of the buffer behind it. It is
 *          stuck if packets wait for it, there is no room behind it, nothing of its section under way could
 *          bring room (no return, no packet on the wire), and every queue of the buffer behind it that holds
 *          packets of its section is stuck in turn: all channels that its head asks for are stuck.
 *          Other lanes of the same wire may go on meanwhile.
 * Rules    Start with every channel that looks stuck from its own link, strike out those with a queue
 *          that can move, until nothing changes. If some remain, they wait for each other for ever;
 *          one cycle through them is printed. Hosts always consume, so a port that faces a host is
 *          never stuck.
 * Cost     A look visits ports, the queues behind those that stand still, and packets as far as it
 *          takes to know their lanes. A deadlock does not go away, so a look may come late: the next
 *          one waits until what has moved (packet-hops, and ports that were sampled) pays for all
 *          before it, at the rates below. They keep the watch below a tenth of the run's
 *          instructions however deep the queues and short the samples are. A port that has stood still
 *          since the last sample asks for a look; where there are lanes, one may stand still on a port
 *          that does not, so samples number 1, 2, 4, 8, ... ask for one, too. Not put off are the look
 *          at the end and, once, that when no event is left although packets are.
 * Recovery Networks that resolve deadlocks are looked at once, at the end, and only if a deadlock may have lasted
 *          for half of the measured time or more: figures of such a run are not those of a network that recovers.
 * State    The channels that may be stuck, edges from each to the queues that decide about it, and asks
 *          from each queue to the channels that its head waits for. */
#include "net/stall.h"

#include "base/opt.h"
#include "base/outcome.h"
#include "net/arch.h"
#include "net/fc.h"
#include "net/notice.h"
#include "net/request.h"
#include "net/worm.h"

#include <stdio.h>
#include <string.h>

/* A visit takes some 20 instructions, a packet-hop 700 and more, a sampled port 10. */
#define VISITS_PER_HOP 3
#define SAMPLED_PORTS_PER_VISIT 20

typedef struct edge { /* packets of this channel stand in this queue */
    size_t channel;
    uint32_t queue;
} edge;

typedef struct ask { /* the head of an edge's queue asks for a channel */
    size_t channel, edge;
    size_t next; /* of the same channel, or NOBODY */
} ask;
#define NOBODY SIZE_MAX

/* A long cycle leaves room for the lines behind it. */
#define ROOM_BEHIND 400

struct cop_stall {
    uint8_t *stuck; /* [channels] as far as known; all 0 between looks */
    size_t *asked; /* [channels] first ask, or NOBODY, which all are between looks; heap */
    edge *edge; /* heap, as the next two */
    ask *ask;
    size_t *struck; /* channels whose asks have not been told */
    size_t n_edges, cap_edges, n_asks, cap_asks, n_struck, cap_struck;
    uint64_t visits, samples; /* so far */
    uint64_t still_hops; /* packet-hops at the last look while nothing was going on */
};

void cop_stall_init(cop_net *net)
{
    net->stall = COP_NEW_ARRAY(&net->arena, struct cop_stall, 1);
    net->stall->stuck =
        COP_NEW_ARRAY(&net->arena, uint8_t, cop_product(net->topo->n_ports, net->sections));
}

void cop_stall_fini(cop_net *net)
{
    if (net->stall == NULL)
        return;
    cop_free(net->stall->edge);
    cop_free(net->stall->ask);
    cop_free(net->stall->asked);
    cop_free(net->stall->struck);
}

static size_t channel_of(const cop_net *net, uint32_t port, uint32_t section)
{
    return (size_t)port * net->sections + section;
}

/* -- what a link shows -- */

static bool wants_to_send(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    if (out->sw != COP_NONE && net->obuf)
        return cop_obuf_blocked(net, port);
    return out->vl_blocked || (net->section_waiters && net->section_waiters[port]);
}

/* May some of its lanes be stuck? */
static bool may_be_stuck(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    return out->to != COP_NONE && net->in[out->to].sw != COP_NONE && wants_to_send(net, port);
}

/* All of it, as far as its own link goes. */
static bool link_idle(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    return out->busy_until <= net->now && out->ring.at == out->ring.end &&
           may_be_stuck(net, port) && net->in[out->to].wire_head == COP_NONE;
}

/* Does something of section s come to the buffer behind `port`, or room come back from there? */
static bool under_way(const cop_net *net, uint32_t port, uint32_t s)
{
    if (net->credit_first && net->out[port].sw != COP_NONE &&
        cop_obuf_first(net, port, s) != COP_NONE)
        return true;
    for (uint32_t h = net->in [net->out[port].to].wire_head; h != COP_NONE; h = net->pkt[h].next) {
        net->stall->visits++;
        if (cop_net_section_of(net, &net->pkt[h], net->pkt[h].vl) == s)
            return true;
    }
    return cop_fc_coming(net, port, s);
}

static bool asked_for(const cop_net *net, uint32_t port, uint32_t s)
{
    if (net->sectioned && net->out[port].sw != COP_NONE)
        return net->section[channel_of(net, port, s)].wait != COP_NONE;
    if (net->obuf && !net->credit_first && net->out[port].sw != COP_NONE) {
        uint32_t h = cop_obuf_first(net, port, s);
        return h != COP_NONE && !cop_fc_fits(net, port, s, cop_blocks(net->pkt[h].bytes));
    }
    return net->sectioned ? net->out[port].vl_blocked != 0 : net->out[port].vl_blocked >> s & 1;
}

/* Could be stuck as far as its own link goes. */
static bool section_waits(const cop_net *net, uint32_t port, uint32_t s)
{
    return asked_for(net, port, s) && !under_way(net, port, s);
}

/* -- channels and the queues behind them -- */

static void add_edge(cop_net *net, uint32_t port, uint32_t section, uint32_t queue)
{
    struct cop_stall *st = net->stall;
    size_t channel = channel_of(net, port, section);
    st->edge = cop_grow(st->edge, &st->cap_edges, st->n_edges + 1, sizeof(*st->edge));
    st->edge[st->n_edges++] = (edge){channel, queue};
    st->stuck[channel] = 1;
}

/* Where routing changes lanes a queue can hold packets that came on several: walk it until each of the
 * lanes that wait has been met. */
static void add_lanes(cop_net *net, uint32_t port, uint32_t queue, uint32_t waiting)
{
    for (uint32_t h = net->queue[queue].head; h != COP_NONE && waiting; h = net->pkt[h].next) {
        uint32_t vl = net->pkt[h].vl;
        net->stall->visits++;
        if (waiting >> vl & 1)
            add_edge(net, port, vl, queue);
        waiting &= ~(1u << vl);
    }
}

/* Edges from the channels of a port that may be stuck to the queues behind it. */
static void add_port(cop_net *net, uint32_t port)
{
    uint32_t to = net->out[port].to, waiting = 0;
    uint32_t end = cop_net_queue_end(net, to); /* what the switch makes is not behind the port */
    for (uint32_t vl = 0; !net->sectioned && vl < net->lanes; vl++)
        waiting |= (uint32_t)section_waits(net, port, vl) << vl;
    for (uint32_t q = net->in[to].queue0; q < end; q++) {
        net->stall->visits++;
        if (net->queue[q].head == COP_NONE)
            continue;
        if (!net->sectioned) {
            add_lanes(net, port, q, waiting);
            continue;
        }
        const cop_pkt *p = &net->pkt[net->queue[q].head]; /* a queue is of one section */
        uint32_t s = cop_net_section_of(net, p, p->vl);
        if (section_waits(net, port, s))
            add_edge(net, port, s, q);
    }
}

/* The channels that the head of q asks for; 0: it is about to ask. */
static unsigned asks_of(const cop_net *net, uint32_t q, size_t *channel)
{
    const cop_queue *queue = &net->queue[q];
    if (!queue->posted && !queue->stopped)
        return 0;
    const cop_pkt *p = &net->pkt[queue->head];
    /* A stopped queue hears `go` when something leaves the buffer behind its output. */
    if (net->per_output || queue->stopped) {
        uint32_t port = cop_topo_switch_port(net->topo, net->in[net->queue_port[q]].sw, p->out);
        channel[0] = channel_of(net, port, p->out_vl);
        return 1;
    }
    unsigned n = 0;
    for (uint32_t k = 0; k < net->max_cand; k++) {
        const cop_node *node = &net->node[(size_t)q * net->max_cand + k];
        if (node->next != COP_NONE)
            channel[n++] = channel_of(net, node->port, cop_net_section_of(net, p, node->vl));
    }
    return n;
}

static void strike(struct cop_stall *st, size_t channel)
{
    if (!st->stuck[channel])
        return;
    st->stuck[channel] = 0;
    st->struck = cop_grow(st->struck, &st->cap_struck, st->n_struck + 1, sizeof(*st->struck));
    st->struck[st->n_struck++] = channel;
}

/* Does the head of q wait for this channel in vain? An output buffer whose wire is stuck may have room
 * for it still, or get some from a packet whose tail has yet to leave: then it waits for the crossbar only. */
static bool in_vain(const cop_net *net, uint32_t q, size_t channel)
{
    const cop_queue *queue = &net->queue[q];
    uint32_t port = (uint32_t)(channel / net->sections), s = (uint32_t)(channel % net->sections);
    return net->stall->stuck[channel] &&
           (queue->stopped ||
            (!net->arch->room(net, port, s, cop_blocks(net->pkt[queue->head].bytes)) &&
             !(net->obuf && cop_obuf_leaving(net, port, s))));
}

/* Strike out the edge's channel if its queue can move; else note what the queue waits for. */
static void ask_edge(cop_net *net, size_t i)
{
    struct cop_stall *st = net->stall;
    size_t channel[COP_MAX_CAND];
    unsigned n = asks_of(net, st->edge[i].queue, channel), stuck = 0;
    while (stuck < n && in_vain(net, st->edge[i].queue, channel[stuck]))
        stuck++;
    if (n == 0 || stuck < n) {
        strike(st, st->edge[i].channel);
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        st->ask = cop_grow(st->ask, &st->cap_asks, st->n_asks + 1, sizeof(*st->ask));
        st->ask[st->n_asks] = (ask){channel[k], i, st->asked[channel[k]]};
        st->asked[channel[k]] = st->n_asks++;
    }
}

/* Strike out channels with a queue that can move, and so on with those that wait for them: each edge
 * is looked at once, and each ask told once. */
static void strike_out(cop_net *net)
{
    struct cop_stall *st = net->stall;
    size_t kept = 0;
    st->n_asks = st->n_struck = 0;
    for (size_t i = 0; i < st->n_edges; i++)
        ask_edge(net, i);
    while (st->n_struck > 0)
        for (size_t a = st->asked[st->struck[--st->n_struck]]; a != NOBODY; a = st->ask[a].next)
            strike(st, st->edge[st->ask[a].edge].channel);
    st->visits += st->n_edges + st->n_asks;
    for (size_t a = 0; a < st->n_asks; a++)
        st->asked[st->ask[a].channel] = NOBODY;
    for (size_t i = 0; i < st->n_edges; i++)
        if (st->stuck[st->edge[i].channel])
            st->edge[kept++] = st->edge[i];
    st->n_edges = kept;
}

/* -- one that was found -- */

/* The channel that a packet behind this one waits for. */
static size_t behind(const cop_net *net, size_t channel)
{
    const struct cop_stall *st = net->stall;
    size_t i = 0, next[COP_MAX_CAND];
    while (st->edge[i].channel != channel)
        i++;
    (void)asks_of(net, st->edge[i].queue, next);
    return next[0];
}

static void describe(cop_net *net)
{
    const struct cop_stall *st = net->stall;
    size_t n = (size_t)net->topo->n_ports * net->sections, at = st->edge[0].channel, used;
    uint8_t *seen = cop_alloc(n);
    /* Walk until a member repeats: from there on it is a cycle. */
    for (; !seen[at]; at = behind(net, at))
        seen[at] = 1;
    cop_free(seen);
    size_t first = at;
    unsigned members = 0;
    for (size_t i = 0; i < n; i++)
        members += st->stuck[i];
    net->stop = COP_OUTCOME_DEADLOCK;
    used =
        (size_t)snprintf(net->why, sizeof(net->why),
                         "deadlock at %.3f us: %u blocked channels; a cycle of waiting ports:\n ",
                         (double)net->now / 1e6, members);
    do {
        char name[64];
        if (used + 80 + ROOM_BEHIND < sizeof(net->why))
            used += (size_t)snprintf(
                net->why + used, sizeof(net->why) - used, " %s/vl%u ->",
                cop_topo_port_name(net->topo, (uint32_t)(at / net->sections), name, sizeof(name)),
                (unsigned)(at % net->sections));
        at = behind(net, at);
    } while (at != first);
    if (used + 8 < sizeof(net->why))
        memcpy(net->why + used - 2, "(again)", sizeof("(again)"));
    cop_notice_tell(net);
}

/* -- looks -- */

/* Has a port that wants to send stood still for so long? */
static bool suspicious(cop_net *net, cop_time patience)
{
    if (net->worm)
        return cop_worm_suspicious(net, patience, &net->stall->visits);
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        net->stall->visits++;
        if (net->out[p].busy_until + patience <= net->now && link_idle(net, p))
            return true;
    }
    return false;
}

static bool look(cop_net *net)
{
    struct cop_stall *st = net->stall;
    if (net->worm)
        return cop_worm_deadlock(net, &st->visits);
    if (st->asked == NULL) { /* most runs never look so closely */
        size_t channels = cop_product(net->topo->n_ports, net->sections);
        st->asked = cop_alloc_array(channels, sizeof(*st->asked));
        memset(st->asked, 0xff, channels * sizeof(*st->asked)); /* NOBODY */
    }
    st->n_edges = 0;
    st->visits += net->topo->n_ports;
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        if (may_be_stuck(net, p))
            add_port(net, p);
    strike_out(net);
    if (st->n_edges == 0)
        return false; /* and every channel has been struck out */
    describe(net);
    return true;
}

uint64_t cop_stall_visits(const cop_net *net)
{
    return net->stall->visits;
}

uint64_t cop_stall_allowance(const cop_net *net)
{
    return VISITS_PER_HOP * net->total.hops +
           net->stall->samples * net->host_port0 / SAMPLED_PORTS_PER_VISIT;
}

bool cop_stall_watch(cop_net *net)
{
    struct cop_stall *st = net->stall;
    st->samples++;
    if (net->recover)
        return false; /* who waits will be absorbed */
    /* Nothing is going on, and more has moved than at the last look of this kind. */
    bool still =
        cop_evq_empty(&net->evq) && cop_net_in_flight(net) > 0 && st->still_hops != net->total.hops;
    if (still)
        st->still_hops = net->total.hops;
    bool turn = net->sections > 1 && (st->samples & (st->samples - 1)) == 0;
    return (still || st->visits <= cop_stall_allowance(net)) &&
           (turn || suspicious(net, net->probe.sample)) && look(net);
}

/* Does recovery come so late that a deadlock may last for most of what was measured? Where it comes sooner, lanes wait for
 * each other now and then, which is how such routings work. */
static bool recovers_late(const cop_net *net)
{
    cop_time measured = net->probe.end > net->probe.warmup ? net->probe.end - net->probe.warmup : 0;
    return !net->run_cfg->drain && net->route->patience_ps >= measured / 2;
}

bool cop_stall_final(cop_net *net)
{
    if (net->recover == NULL)
        return look(net);
    if (!recovers_late(net) || !look(net))
        return false;
    char timeout[32], duration[32];
    size_t used = strlen(net->why);
    snprintf(net->why + used, sizeof(net->why) - used,
             "\n  routing %s resolves this when heads have waited for %s, and the run ended after "
             "%s; make "
             "routing.timeout shorter, or run.duration longer",
             net->route->ops->name,
             cop_print_time(net->route->patience_ps, timeout, sizeof(timeout)),
             cop_print_time(net->probe.end, duration, sizeof(duration)));
    return true;
}
