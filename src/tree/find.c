/* Finds trees from held channels.
 *
 * In:   channels that are held (watch.c): they have something to send, their wire is not always busy, and
 *       flow control is why.
 * Rule  A held channel is blocked by the channels for which the bytes behind it stand: those of a queue
 *       stand for the channel that its head waits for, whatever is behind the head.
 *       Root: not held, at least `threshold` bytes stand for it, and it blocks a channel.
 *       Branch: held, and one byte in 16 of the buffer behind it stands for members of the tree.
 *       A tree is a root with all its branches; a channel may be in several.
 * Out:  w->found, members in w->channel, the root first, then by depth.
 * Cost  The queues behind held channels once, and for each tree the edges to its members. */
#include "tree/tree_int.h"

#define STEPS_EDGE 30
#define STEPS_EMPTY 10

static void add_edge(cop_tree_watch *w, uint32_t from, uint32_t to, uint32_t bytes)
{
    w->edge = cop_grow(w->edge, &w->cap_edges, w->n_edges + 1, sizeof(*w->edge));
    w->edge[w->n_edges] = (tree_edge){from, to, bytes, w->edge_to[to]};
    w->edge_to[to] = (uint32_t)w->n_edges++;
}

static void add_queue(cop_tree_watch *w, const struct cop_net *net, uint32_t port, uint32_t queue)
{
    cop_queue_look l;
    cop_look_queue(net, queue, &l);
    uint32_t to = cop_tree_target(w, queue, &l);
    if (to != COP_NONE && w->held[(size_t)port * w->lanes + l.in_vl] &&
        !(w->private && w->held[to] && !l.full))
        add_edge(w, port * w->lanes + l.in_vl, to, l.bytes);
}

/* Queues behind the held lanes of one port. */
static void add_edges(cop_tree_watch *w, const struct cop_net *net, uint32_t port)
{
    uint32_t first, end, n;
    cop_look_queues(net, port, &first, &end);
    if (first == end)
        return;
    uint32_t sw = w->topo->port[w->topo->port[port].to].owner;
    const uint32_t *filled = w->filled + (size_t)w->topo->sw_port0[sw] * w->lanes;
    n = w->per_output ? w->n_filled[sw] : end - first;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = first + (w->per_output ? filled[i] : i);
        if (cop_look_bytes(net, q) > 0)
            add_queue(w, net, port, q);
    }
    w->spent += (uint64_t)STEPS_EMPTY * n;
}

/* Buffers per destination: an output may have room for one and none for another, so refusals are
 * found at the queues, not by looks. */
static void find_refused(cop_tree_watch *w, const struct cop_net *net, uint32_t port)
{
    uint32_t first, end;
    cop_look_queues(net, port, &first, &end);
    for (uint32_t q = first; q < end; q++) {
        cop_queue_look l;
        cop_look_queue(net, q, &l);
        if (l.bytes > 0 && l.full)
            w->held[l.out * w->lanes + l.out_vl] = 1;
    }
    w->spent += (uint64_t)STEPS_EMPTY * (end - first);
}

static void make_graph(cop_tree_watch *w, const struct cop_net *net)
{
    w->n_edges = 0;
    for (uint32_t p = 0; w->private && p < w->topo->n_ports; p++)
        find_refused(w, net, p);
    for (uint32_t p = 0; p < w->topo->n_ports; p++)
        for (uint32_t vl = 0; vl < w->lanes; vl++)
            if (w->held[(size_t)p * w->lanes + vl]) {
                add_edges(w, net, p);
                break;
            }
    w->spent += 2 * STEPS_EDGE * w->n_edges;
}

/* Outputs for which nothing waits have empty queues everywhere. */
static void note_filled(cop_tree_watch *w)
{
    const cop_topo *t = w->topo;
    for (uint32_t sw = 0; w->per_output && sw < t->n_switches; sw++) {
        uint32_t *list = w->filled + (size_t)t->sw_port0[sw] * w->lanes, n = 0;
        for (uint32_t p = t->sw_port0[sw], o = 0; p < t->sw_port0[sw + 1]; p++)
            for (uint32_t vl = 0; vl < w->lanes; vl++, o++)
                if (w->waiting[p] > 0)
                    list[n++] = o;
        w->n_filled[sw] = n;
    }
    w->spent += 6 * (uint64_t)t->host_port0 * w->lanes;
}

/* Bytes that stand for each port, of all inputs of its switch. */
static void count_standing(cop_tree_watch *w, const struct cop_net *net)
{
    if (w->per_output || w->private) {
        for (uint32_t p = 0; p < w->topo->n_ports; p++)
            w->standing[p] = w->waiting[p];
        return;
    }
    for (uint32_t p = 0; p < w->topo->n_ports; p++)
        w->standing[p] = 0;
    for (uint32_t q = 0; q < w->n_queues; q++)
        if (w->vote[q] != COP_NONE)
            w->standing[w->vote[q] / w->lanes] += cop_look_bytes(net, q);
    w->spent += (uint64_t)STEPS_EMPTY * w->n_queues;
}

static void add_member(cop_tree_watch *w, uint32_t channel, uint32_t depth, uint32_t next)
{
    w->channel = cop_grow(w->channel, &w->cap_channels, w->n_channels + 1, sizeof(*w->channel));
    w->channel[w->n_channels++] = (tree_channel){.channel = channel, .depth = depth, .next = next};
    w->mark[channel] = w->tree_no;
}

/* What stands behind other channels for this member. */
static void grow(cop_tree_watch *w, const struct cop_net *net, tree_channel member)
{
    for (uint32_t e = w->edge_to[member.channel]; e != COP_NONE; e = w->edge[e].next) {
        uint32_t from = w->edge[e].from;
        w->spent += STEPS_EDGE;
        if (w->mark[from] == w->tree_no)
            continue;
        if (w->seen[from] != w->tree_no)
            w->acc[from] = 0;
        w->seen[from] = w->tree_no;
        w->acc[from] += w->edge[e].bytes;
        uint64_t room = cop_look_room(net, from / w->lanes, from % w->lanes);
        if ((uint64_t)w->acc[from] * LEAST_SHARE >= room)
            add_member(w, from, member.depth + 1, member.channel);
    }
}

/* Bytes of the tree, each port once. */
static uint64_t weigh(cop_tree_watch *w, size_t first)
{
    uint64_t bytes = 0;
    for (size_t i = first; i < w->n_channels; i++) {
        uint32_t port = w->channel[i].channel / w->lanes;
        uint64_t own = cop_topo_is_host_port(w->topo, port) ? 0 : w->standing[port];
        w->channel[i].bytes = (uint32_t)cop_min64(own, UINT32_MAX);
        bytes += w->port_mark[port] == w->tree_no ? 0 : own;
        w->port_mark[port] = w->tree_no;
    }
    return bytes;
}

static void try_root(cop_tree_watch *w, const struct cop_net *net, uint32_t port)
{
    size_t first = w->n_channels;
    w->tree_no++;
    for (uint32_t vl = 0; vl < w->lanes; vl++) {
        uint32_t c = port * w->lanes + vl;
        if (!w->held[c] && w->edge_to[c] != COP_NONE)
            add_member(w, c, 0, COP_NONE);
    }
    size_t roots = w->n_channels;
    for (size_t i = first; i < w->n_channels; i++)
        grow(w, net, w->channel[i]);
    if (w->n_channels == roots) { /* it blocks no channel */
        w->n_channels = first;
        return;
    }
    w->found = cop_grow(w->found, &w->cap_found, w->n_found + 1, sizeof(*w->found));
    w->found[w->n_found++] = (tree_found){.root = port,
                                          .first = (uint32_t)first,
                                          .n = (uint32_t)(w->n_channels - first),
                                          .bytes = weigh(w, first)};
}

void cop_tree_find(cop_tree_watch *w, const struct cop_net *net)
{
    w->n_found = w->n_channels = w->n_hosts = w->n_flows = 0;
    note_filled(w);
    count_standing(w, net);
    make_graph(w, net);
    for (uint32_t p = 0; p < w->topo->host_port0 && w->n_edges > 0; p++) {
        bool root = false;
        if (w->standing[p] < w->threshold[w->topo->port[p].owner])
            continue;
        for (uint32_t vl = 0; vl < w->lanes; vl++) {
            size_t c = (size_t)p * w->lanes + vl;
            root = root || (!w->held[c] && w->edge_to[c] != COP_NONE);
        }
        if (root)
            try_root(w, net, p);
    }
    w->spent += 3 * (uint64_t)w->topo->host_port0;
    for (size_t e = 0; e < w->n_edges; e++)
        w->edge_to[w->edge[e].to] = COP_NONE;
}
