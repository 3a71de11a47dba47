/* The flows that wait for each port, at the end of a sample.
 *
 * In:   queues of the inputs of switches for whose ports something waits.
 * Out:  cop_frame.flow: of each such port how many flows (source, destination) have packets that will ask for
 *       it, and the MOST_NAMED with most bytes; of equals those with the smaller source.
 * Cost  Every packet of these switches once. Where samples are to be cheap one step in WAITING_PART
 *       goes into it, and switches with the fullest ports come first; a port without an entry was
 *       not looked at. */
#include "tree/tree_int.h"

#include <stdlib.h>
#include <string.h>

#define WAITING_PART 8
#define STEPS_PACKET 60
#define STEPS_QUEUE 20

typedef struct best { /* of one output */
    uint32_t flows, n;
    tree_tally top[COP_MOST_NAMED];
} best;

static bool before(const tree_tally *a, const tree_tally *b)
{
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->flow < b->flow;
}

static void insert(best *b, tree_tally t)
{
    b->flows++;
    uint32_t at = b->n < COP_MOST_NAMED ? b->n++ : COP_MOST_NAMED;
    for (; at > 0 && before(&t, &b->top[at - 1]); at--)
        if (at < COP_MOST_NAMED)
            b->top[at] = b->top[at - 1];
    if (at < COP_MOST_NAMED)
        b->top[at] = t;
}

static size_t place_of(const cop_tree_watch *w, uint64_t flow, uint32_t out)
{
    size_t i = (size_t)((flow ^ (uint64_t)out << 17) * 0x9E3779B97F4A7C15u >> 32) & w->tally_mask;
    while (w->tally[i].used && (w->tally[i].flow != flow || w->tally[i].out != out))
        i = (i + 1) & w->tally_mask;
    return i;
}

/* Twice as many places; what was there keeps its numbers. */
static void enlarge(cop_tree_watch *w)
{
    tree_tally *old = w->tally;
    size_t places = old ? w->tally_mask + 1 : 0;
    w->tally_mask = old ? 2 * places - 1 : 511;
    w->tally = cop_alloc_array(w->tally_mask + 1, sizeof(*w->tally));
    for (size_t i = 0; i < places; i++)
        if (old[i].used)
            w->tally[place_of(w, old[i].flow, old[i].out)] = old[i];
    cop_free(old);
}

static void add(cop_tree_watch *w, const cop_packet_look *p)
{
    if (w->tally == NULL || 2 * w->n_tallies >= w->tally_mask)
        enlarge(w);
    uint64_t flow = (uint64_t)p->src << 32 | p->dst;
    tree_tally *t = &w->tally[place_of(w, flow, p->out)];
    if (!t->used) {
        *t = (tree_tally){.flow = flow, .out = p->out, .used = true};
        w->n_tallies++;
    }
    t->bytes += p->bytes;
}

static size_t add_queue(cop_tree_watch *w, const struct cop_net *net, uint32_t queue)
{
    size_t packets = 0;
    cop_queue_look l;
    if (cop_look_bytes(net, queue) == 0)
        return 0;
    cop_look_queue(net, queue, &l);
    for (uint32_t h = l.head; h != COP_NONE; packets++) {
        cop_packet_look p = cop_look_packet(net, h);
        h = p.next;
        if (!p.control)
            add(w, &p);
    }
    return packets;
}

/* Every queue of an input, or where each is of one output those of outputs for which something waits. */
static size_t add_input(cop_tree_watch *w, const struct cop_net *net, uint32_t sw, uint32_t port)
{
    const uint32_t *filled = w->filled + (size_t)w->topo->sw_port0[sw] * w->lanes;
    uint32_t first, end, n = w->n_filled[sw];
    size_t packets = 0;
    cop_look_queues(net, port, &first, &end);
    for (uint32_t i = 0; w->per_output && i < n; i++)
        packets += add_queue(w, net, first + filled[i]);
    for (uint32_t q = first; !w->per_output && q < end; q++)
        packets += add_queue(w, net, q);
    w->spent += (uint64_t)STEPS_QUEUE * (w->per_output ? n : end - first);
    return packets;
}

static void put(cop_tree_watch *w, cop_frame *f, uint32_t word)
{
    f->flow = cop_grow(f->flow, &w->cap_flow, (size_t)f->n_flow + 1, sizeof(*f->flow));
    f->flow[f->n_flow++] = word;
}

static void put_ports(cop_tree_watch *w, cop_frame *f, uint32_t sw, const best *list)
{
    uint32_t first = w->topo->sw_port0[sw], n = w->topo->sw_port0[sw + 1] - first;
    for (uint32_t o = 0; o < n; o++) {
        const best *b = &list[o];
        if (b->n == 0 || w->index[first + o] == COP_NONE)
            continue;
        put(w, f, w->index[first + o]);
        put(w, f, b->flows);
        put(w, f, b->n);
        for (uint32_t i = 0; i < b->n; i++) {
            put(w, f, (uint32_t)(b->top[i].flow >> 32));
            put(w, f, (uint32_t)b->top[i].flow);
            put(w, f, b->top[i].bytes);
        }
    }
}

static void look_at_switch(cop_tree_watch *w, const struct cop_net *net, cop_frame *f, uint32_t sw)
{
    uint32_t ports = w->topo->sw_port0[sw + 1] - w->topo->sw_port0[sw];
    size_t packets = 0;
    for (uint32_t p = w->topo->sw_port0[sw]; p < w->topo->sw_port0[sw + 1]; p++)
        if (w->topo->port[p].from != COP_NONE)
            packets += add_input(w, net, sw, w->topo->port[p].from);
    best *list = cop_alloc_array(ports, sizeof(*list));
    for (size_t i = 0; w->n_tallies > 0 && i <= w->tally_mask; i++) {
        if (w->tally[i].used && w->tally[i].out < ports)
            insert(&list[w->tally[i].out], w->tally[i]);
        w->tally[i].used = false;
    }
    w->n_tallies = 0;
    put_ports(w, f, sw, list);
    cop_free(list);
    w->spent += STEPS_PACKET * packets + 5 * w->tally_mask + 40 * (uint64_t)ports;
}

/* What look_at_switch will take, roughly. */
static uint64_t price_of(const cop_tree_watch *w, const struct cop_net *net, uint32_t sw)
{
    uint64_t bytes = 0, ports = w->topo->sw_port0[sw + 1] - w->topo->sw_port0[sw];
    for (uint32_t p = w->topo->sw_port0[sw]; p < w->topo->sw_port0[sw + 1]; p++)
        bytes += w->waiting[p];
    return bytes / cop_look_mtu(net) * STEPS_PACKET + ports * w->n_filled[sw] * STEPS_QUEUE;
}

/* Fullest port first: a number of 64 bits with the bytes above the switch. */
static int fuller(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

void cop_tree_waiting(cop_tree_watch *w, const struct cop_net *net, cop_frame *f)
{
    const cop_topo *t = w->topo;
    uint64_t *order = cop_alloc_array((size_t)t->n_switches + 1, sizeof(*order));
    size_t n = 0;
    uint64_t before_all = w->spent;
    w->cap_flow = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        uint64_t most = 0;
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
            most = w->waiting[p] > most ? w->waiting[p] : most;
        if (most > 0)
            order[n++] = cop_min64(most, UINT32_MAX) << 32 | (UINT32_MAX - sw);
    }
    qsort(order, n, sizeof(*order), fuller);
    w->spent += 2 * (uint64_t)t->n_ports + 60 * n;
    uint64_t began = w->spent_on_waiting;
    for (size_t i = 0; i < n && w->kept_words + f->n_flow < MOST_KEPT; i++) {
        w->spent_on_waiting = began + (w->spent - before_all);
        uint32_t sw = UINT32_MAX - (uint32_t)order[i];
        if (w->cfg.thrifty && (w->spent_on_waiting * WAITING_PART > w->spent ||
                               !cop_tree_paid(w, net, price_of(w, net, sw))))
            break;
        look_at_switch(w, net, f, sw);
    }
    w->spent_on_waiting = began + (w->spent - before_all);
    w->kept_words += f->n_flow;
    cop_free(order);
}
