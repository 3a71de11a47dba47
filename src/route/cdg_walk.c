/* Follows every path that packets to one destination can take and adds the channel dependencies.
 *
 * A state is all that a decision may depend on: switch, input port and lane, the routing's own
 * state and intermediate; for memoryless routings the switch alone. States are explored from all
 * injections; a transition is one candidate of a state.
 * Without escape lanes a packet on channel c waits for any candidate d of the state c leads to:
 * dependency c -> d for all of them (Dally and Seitz).
 * With escape lanes only escape channels count, but c -> e also when the packet reaches the state
 * that requests e over adaptive hops after c (Duato's extended dependencies). A decision without an
 * escape candidate counts all its candidates as escape; links to hosts always do.
 * Every state reached must be able to deliver, else the pair is reported. Injection links start
 * dependencies and cannot lie on a cycle: they are marked, not stored. Service levels that select
 * lanes (levels.h) begin on separate lanes, and each is followed. Control packets are followed
 * likewise, in a graph of the same channels. Their lanes may be shifted, they take the routing's
 * paths for them, and some begin at switches. */
#include "route/cdg.h"

typedef struct state {
    uint64_t key; /* switch, in port, in lane, routing state */
    uint32_t mid, src;
    uint32_t out, n_out; /* transitions */
    uint32_t in; /* first transition that leads here, COP_NONE = injected only */
    uint32_t slot;
    uint32_t seen; /* last search that came here */
    bool injected, delivers;
} state;

typedef struct transition {
    uint32_t channel;
    uint32_t from, to; /* states; to COP_NONE = the destination itself */
    uint32_t next_in; /* next transition to the same state */
    bool escape;
} transition;

struct cop_cdg_walk {
    cop_cdg *g;
    state *states;
    transition *trans;
    uint32_t *table, *queue; /* table: state number + 1, 0 = empty */
    size_t n_states, n_trans, cap_states, cap_trans, cap_queue, table_size;
    uint32_t search;
    const cop_cdg_control *control; /* control packets to follow; NULL: data */
};

cop_cdg_walk *cop_cdg_walk_new(cop_cdg *g)
{
    cop_cdg_walk *w = cop_alloc(sizeof(*w));
    w->g = g;
    w->table_size = 1024;
    w->table = cop_alloc_array(w->table_size, sizeof(*w->table));
    return w;
}

void cop_cdg_walk_free(cop_cdg_walk *w)
{
    cop_free(w->states);
    cop_free(w->trans);
    cop_free(w->table);
    cop_free(w->queue);
    cop_free(w);
}

static uint32_t probe(const cop_cdg_walk *w, uint64_t key, uint32_t mid)
{
    uint64_t h = (key ^ (uint64_t)mid << 17) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(h >> 32) & (w->table_size - 1); /* the switch changes bits above 32 only */
    while (w->table[i] != 0) {
        const state *s = &w->states[w->table[i] - 1];
        if (s->key == key && s->mid == mid)
            break;
        i = (i + 1) & (w->table_size - 1);
    }
    return (uint32_t)i;
}

static void grow_table(cop_cdg_walk *w)
{
    cop_free(w->table);
    w->table_size *= 2;
    w->table = cop_alloc_array(w->table_size, sizeof(*w->table));
    for (uint32_t i = 0; i < w->n_states; i++) {
        state *s = &w->states[i];
        s->slot = probe(w, s->key, s->mid);
        w->table[s->slot] = i + 1;
    }
}

static uint32_t find_state(cop_cdg_walk *w, const cop_hop *at)
{
    uint64_t key = (uint64_t)at->sw << 32;
    uint32_t mid = COP_NONE;
    if (!w->g->r->facts.memoryless) {
        key |= (uint64_t)at->in_port << 16 | (uint64_t)at->in_vl << 8 | at->state;
        mid = at->mid;
    }
    uint32_t slot = probe(w, key, mid);
    if (w->table[slot] != 0)
        return w->table[slot] - 1;
    w->states = cop_grow(w->states, &w->cap_states, w->n_states + 1, sizeof(state));
    w->states[w->n_states] =
        (state){.key = key, .mid = mid, .src = at->src, .in = COP_NONE, .slot = slot};
    w->table[slot] = (uint32_t)++w->n_states;
    if (w->n_states > w->table_size / 2)
        grow_table(w);
    return (uint32_t)w->n_states - 1;
}

static void forget(cop_cdg_walk *w)
{
    for (size_t i = 0; i < w->n_states; i++)
        w->table[w->states[i].slot] = 0;
    w->n_states = w->n_trans = 0;
}

/* First lane of the followed packets. */
static uint32_t base_of(const cop_cdg_walk *w)
{
    return w->control && w->control->vl > 0 ? (uint32_t)w->control->vl : 0;
}

/* One candidate of state `from`. Returns false if it leads nowhere. */
static bool add_transition(cop_cdg_walk *w, uint32_t from, const cop_hop *hop, cop_cand cand)
{
    const cop_route *r = w->g->r;
    const cop_topo *t = r->topo;
    uint32_t base = base_of(w);
    if (cand.port >= cop_topo_ports_of(t, hop->sw))
        return false;
    uint32_t port = cop_topo_switch_port(t, hop->sw, cand.port), to = t->port[port].to;
    bool home = to == cop_topo_host_port(t, hop->dst);
    if (to == COP_NONE || (cop_topo_is_host_port(t, to) && !home))
        return false;
    uint32_t lane = base > 0 && home ? base : base + cand.vl;
    if (lane >= r->lanes)
        lane =
            r->lanes - 1; /* too few lanes for control packets: refused when the network is built */
    transition tr = {.channel = cop_cdg_channel(w->g, port, lane),
                     .from = from,
                     .to = COP_NONE,
                     .next_in = COP_NONE,
                     .escape = cand.escape != 0};
    if (w->control == NULL)
        w->g->mark[tr.channel] |=
            COP_CHANNEL_USED | (w->states[from].injected ? COP_CHANNEL_FIRST : 0);
    uint32_t here = (uint32_t)w->n_trans++;
    w->trans = cop_grow(w->trans, &w->cap_trans, w->n_trans, sizeof(transition));
    if (!home) {
        cop_hop next = *hop;
        next.sw = t->port[to].owner;
        next.in_port = t->port[to].local;
        next.in_vl = cand.vl;
        tr.to = find_state(w, &next);
        tr.next_in = w->states[tr.to].in;
        w->states[tr.to].in = here;
    }
    w->trans[here] = tr;
    w->states[from].n_out++;
    return true;
}

static void expand(cop_cdg_walk *w, uint32_t i, uint32_t dst)
{
    state *s = &w->states[i];
    cop_hop hop = {.sw = (uint32_t)(s->key >> 32),
                   .in_port = (uint16_t)(s->key >> 16),
                   .in_vl = (uint8_t)(s->key >> 8),
                   .src = s->src,
                   .dst = dst,
                   .mid = s->mid,
                   .state = (uint8_t)s->key,
                   .control = w->control != NULL,
                   .apart = base_of(w) > 0};
    s->out = (uint32_t)w->n_trans;
    cop_cand cand[COP_MAX_CAND];
    unsigned n = w->g->r->ops->route(w->g->r, &hop, NULL, cand);
    w->g->steps += 1 + n;
    for (unsigned c = 0; c < n; c++)
        if (!add_transition(w, i, &hop, cand[c]))
            cop_cdg_fail(w->g, hop.src, dst);
}

/* State `at` can deliver, and with it all states that lead there. */
static void mark_delivery(cop_cdg_walk *w, uint32_t at)
{
    size_t n = 0;
    w->states[at].delivers = true;
    w->queue[n++] = at;
    while (n > 0)
        for (uint32_t in = w->states[w->queue[--n]].in; in != COP_NONE; in = w->trans[in].next_in) {
            uint32_t from = w->trans[in].from;
            if (w->states[from].delivers)
                continue;
            w->states[from].delivers = true;
            w->queue[n++] = from;
        }
}

static void check_delivery(cop_cdg_walk *w, uint32_t dst)
{
    for (size_t k = 0; k < w->n_trans; k++)
        if (w->trans[k].to == COP_NONE && !w->states[w->trans[k].from].delivers)
            mark_delivery(w, w->trans[k].from);
    for (size_t i = 0; i < w->n_states; i++)
        if (!w->states[i].delivers)
            cop_cdg_fail(w->g, w->states[i].src, dst);
}

static void add_plain(cop_cdg_walk *w, const state *s)
{
    for (uint32_t in = s->in; in != COP_NONE; in = w->trans[in].next_in) {
        for (uint32_t k = s->out; k < s->out + s->n_out; k++)
            cop_edges_add(&w->g->edges, w->trans[in].channel, w->trans[k].channel);
        w->g->steps += s->n_out;
    }
}

/* Dependencies of the escape channels that lead to state `start`. */
static void add_extended(cop_cdg_walk *w, uint32_t start)
{
    bool any = false;
    for (uint32_t in = w->states[start].in; in != COP_NONE; in = w->trans[in].next_in)
        any |= w->trans[in].escape;
    if (!any)
        return;
    w->search++;
    size_t n = 0;
    w->queue[n++] = start;
    w->states[start].seen = w->search;
    for (size_t head = 0; head < n; head++) {
        const state *s = &w->states[w->queue[head]];
        w->g->steps++;
        for (uint32_t k = s->out; k < s->out + s->n_out; k++) {
            const transition *tr = &w->trans[k];
            if (!tr->escape) {
                if (w->states[tr->to].seen != w->search)
                    w->queue[n++] = tr->to;
                w->states[tr->to].seen = w->search;
                continue;
            }
            for (uint32_t in = w->states[start].in; in != COP_NONE; in = w->trans[in].next_in)
                if (w->trans[in].escape)
                    cop_edges_add(&w->g->edges, w->trans[in].channel, tr->channel);
        }
    }
}

/* Which transitions belong to the escape network; false if the routing has none. */
static bool mark_escapes(cop_cdg_walk *w)
{
    bool any = false;
    for (size_t k = 0; k < w->n_trans; k++)
        any |= w->trans[k].escape;
    for (size_t i = 0; any && i < w->n_states; i++) {
        const state *s = &w->states[i];
        bool has = false;
        for (uint32_t k = s->out; k < s->out + s->n_out; k++) {
            w->trans[k].escape |= w->trans[k].to == COP_NONE;
            has |= w->trans[k].escape;
        }
        for (uint32_t k = s->out; !has && k < s->out + s->n_out; k++)
            w->trans[k].escape = true;
    }
    return any;
}

static void begin(cop_cdg_walk *w, const cop_hop *hop)
{
    uint32_t at = find_state(w, hop); /* may move w->states */
    w->states[at].injected = true;
    w->g->steps++;
}

static void inject(cop_cdg_walk *w, uint32_t src, uint32_t dst, uint32_t mid)
{
    const cop_route *r = w->g->r;
    const cop_port *entry = &r->topo->port[r->topo->port[cop_topo_host_port(r->topo, src)].to];
    for (uint32_t levels = cop_levels_to_follow(r); levels != 0; levels &= levels - 1) {
        cop_hop hop = {.sw = entry->owner,
                       .in_port = entry->local,
                       .sl = (uint8_t)__builtin_ctz(levels),
                       .src = src,
                       .dst = dst,
                       .mid = mid};
        if (r->ops->inject != NULL)
            hop.in_vl = r->ops->inject(r, &hop, NULL);
        if (w->control == NULL)
            cop_cdg_mark_host(w->g, src, hop.in_vl);
        else if (w->control->vl >= 0)
            hop.in_vl = 0;
        begin(w, &hop);
    }
}

/* Notifications for `dst` begin at any switch. Their source is the destination of the packet that
 * they concern, which may be any host: two are followed, one even and one odd, as ties on rings are
 * split by that. */
static void inject_at_switches(cop_cdg_walk *w, uint32_t dst)
{
    const cop_topo *t = w->g->r->topo;
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        for (uint32_t k = 1; k <= 2; k++) {
            cop_hop hop = {.sw = sw,
                           .in_port = COP_PORT_NONE,
                           .src = (dst + k) % t->n_hosts,
                           .dst = dst,
                           .mid = COP_NONE};
            begin(w, &hop);
        }
}

static void inject_all(cop_cdg_walk *w, uint32_t dst, uint32_t mid_index)
{
    const cop_route *r = w->g->r;
    /* If the first switch chooses intermediates, not the host, control packets have none. */
    bool mids =
        r->ops->mid != NULL && (w->control == NULL || cop_levels_of_routing(r)->inject != NULL);
    if (w->control && !w->control->hosts)
        return;
    for (uint32_t i = 0; i < w->g->n_seeds; i++) {
        uint32_t src = w->g->seed[i], mid = COP_NONE;
        if (src != dst && (!mids || r->ops->mid(r, src, dst, mid_index, &mid)))
            inject(w, src, dst, mid);
    }
}

void cop_cdg_walk_to(cop_cdg_walk *w, uint32_t dst, uint32_t mid_index,
                     const cop_cdg_control *control)
{
    w->control = control;
    inject_all(w, dst, mid_index);
    if (control && control->switches && mid_index == 0)
        inject_at_switches(w, dst);
    for (uint32_t i = 0; i < w->n_states; i++)
        expand(w, i, dst);
    w->queue = cop_grow(w->queue, &w->cap_queue, w->n_states, sizeof(*w->queue));
    check_delivery(w, dst);
    bool escapes = mark_escapes(w);
    w->g->escapes |= escapes;
    for (uint32_t i = 0; i < w->n_states; i++) {
        if (escapes)
            add_extended(w, i);
        else
            add_plain(w, &w->states[i]);
    }
    forget(w);
}
