/* Contributors and victims of a tree.
 *
 * Rule  Destinations of the root: the host that it faces, else those of the packets that will ask for it at
 *       its own switch. A packet that stands in a tree (in a queue that waits for a member) is hot if it
 *       goes to one of these, and its source is a contributor. All other packets there are held up by
 *       the tree although they do not go to its root: each (source, destination) of them is a victim.
 *       Control packets are neither.
 * Out:  lists of hosts and of flows in order, without repetition; the streams that have victims and
 *       nothing hot.
 * Cost  Every packet of the tree once. */
#include "tree/tree_int.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_PACKET 40
#define STEPS_QUEUE 35

typedef struct census {
    cop_tree_watch *w;
    const struct cop_net *net;
    tree_found *tree;
    bool learn; /* destinations of the root; else sources and victims */
} census;

static void add_host(cop_tree_watch *w, uint32_t host)
{
    w->host_list = cop_grow(w->host_list, &w->cap_hosts, w->n_hosts + 1, sizeof(*w->host_list));
    w->host_list[w->n_hosts++] = host;
}

static void add_flow(cop_tree_watch *w, uint64_t flow)
{
    w->flow_list = cop_grow(w->flow_list, &w->cap_flows, w->n_flows + 1, sizeof(*w->flow_list));
    w->flow_list[w->n_flows++] = flow;
}

static void count_packets(census *c, uint32_t head)
{
    cop_tree_watch *w = c->w;
    uint32_t root = w->topo->port[c->tree->root].local;
    uint64_t *streams = w->record[c->tree->record].streams;
    uint32_t packets = 0;
    uint64_t last_flow = UINT64_MAX;
    for (uint32_t h = head; h != COP_NONE; packets++) {
        cop_packet_look p = cop_look_packet(c->net, h);
        h = p.next;
        if (p.control)
            continue;
        if (c->learn) {
            if (p.out == root)
                tree_bit_set(w->wanted, p.dst);
        } else if (tree_bit(w->wanted, p.dst)) {
            tree_bit_set(w->hot, p.stream);
            tree_bit_set(w->sources, p.src);
        } else {
            uint64_t flow = (uint64_t)p.src << 32 | p.dst;
            tree_bit_set(streams, p.stream);
            if (flow != last_flow)
                add_flow(w, flow);
            last_flow = flow;
        }
    }
    w->spent += (uint64_t)STEPS_PACKET * packets;
}

/* Queues of all inputs of its switch that wait for this channel. */
static void count_channel(census *c, uint32_t channel)
{
    cop_tree_watch *w = c->w;
    const cop_topo *t = w->topo;
    uint32_t port = channel / w->lanes, first, end;
    if (cop_topo_is_host_port(t, port))
        return;
    uint32_t sw = t->port[port].owner, at = t->port[port].local * w->lanes + channel % w->lanes;
    bool root = port == c->tree->root;
    for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++) {
        if (t->port[p].from == COP_NONE)
            continue;
        cop_look_queues(c->net, t->port[p].from, &first, &end);
        if (w->per_output) {
            first += at;
            end = first + 1;
        }
        for (uint32_t q = first; q < end; q++) {
            w->spent += STEPS_QUEUE;
            if (cop_look_bytes(c->net, q) == 0)
                continue;
            cop_queue_look l;
            cop_look_queue(c->net, q, &l);
            if (cop_tree_target(w, q, &l) == channel && (!w->private || root || l.full))
                count_packets(c, l.head);
        }
    }
}

static int by_flow(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint32_t log2_of(size_t n)
{
    return n < 2 ? 1 : 64 - (uint32_t)__builtin_clzll(n);
}

static void tidy(cop_tree_watch *w, tree_found *t)
{
    for (size_t i = 0; i < w->host_words; i++)
        for (uint64_t left = w->sources[i]; left; left &= left - 1)
            add_host(w, (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(left));
    t->n_contributors = (uint32_t)(w->n_hosts - t->contributor0);
    uint64_t *flow = w->flow_list + t->victim0;
    size_t m = w->n_flows - t->victim0, k = 0;
    w->spent += 40 * m * log2_of(m) + 5 * (uint64_t)t->n_contributors + 4 * w->host_words;
    if (m > 0)
        qsort(flow, m, sizeof(*flow), by_flow);
    for (size_t i = 0; i < m; i++)
        if (k == 0 || flow[k - 1] != flow[i])
            flow[k++] = flow[i];
    t->n_victims = (uint32_t)k;
    w->n_flows = t->victim0 + k;
}

/* About half of the members of a large tree are ports of hosts, which cost nothing. */
uint64_t cop_tree_census_price(const cop_tree_watch *w, const struct cop_net *net,
                               const tree_found *t)
{
    uint64_t inputs = w->topo->host_port0 / cop_max64(1, w->topo->n_switches);
    return (uint64_t)t->n * inputs * STEPS_QUEUE / 2 + t->bytes / cop_look_mtu(net) * STEPS_PACKET;
}

void cop_tree_census(cop_tree_watch *w, const struct cop_net *net, tree_found *t)
{
    census c = {.w = w, .net = net, .tree = t, .learn = true};
    uint32_t to = w->topo->port[t->root].to;
    uint64_t before = w->spent;
    t->contributor0 = (uint32_t)w->n_hosts;
    t->victim0 = (uint32_t)w->n_flows;
    memset(w->wanted, 0, w->host_words * sizeof(*w->wanted));
    memset(w->sources, 0, w->host_words * sizeof(*w->sources));
    memset(w->hot, 0, w->stream_words * sizeof(*w->hot));
    memset(w->record[t->record].streams, 0, w->stream_words * sizeof(*w->hot));
    if (cop_topo_is_host_port(w->topo, to))
        tree_bit_set(w->wanted, to - w->topo->host_port0);
    else
        for (uint32_t i = 0; i < t->n && w->channel[t->first + i].depth == 0; i++)
            count_channel(&c, w->channel[t->first + i].channel);
    c.learn = false;
    for (uint32_t i = 0; i < t->n; i++)
        count_channel(&c, w->channel[t->first + i].channel);
    tidy(w, t);
    uint64_t *streams = w->record[t->record].streams;
    for (size_t i = 0; i < w->stream_words; i++)
        streams[i] &= ~w->hot[i];
    t->counted = true;
    w->spent_on_census += w->spent - before;
}
