/* A plain reference of the dependency check: walks every way of every pair hop by hop and writes down what it
 * meets. Only for routings whose ways are all finite. */
#ifndef COP_CDG_REFERENCE_H
#define COP_CDG_REFERENCE_H

#include "cdg_fixture.h"

typedef struct ref_book {
    const cop_route *r;
    uint32_t channels;
    bool *used; /* [channels] */
    bool *waits; /* [channels * channels]: a packet on the first waits for the second */
    bool escapes; /* only escape channels count, also over adaptive hops in between */
} ref_book;

/* `last`: the channel that counts and that the packet holds, or COP_NONE; `injection`: the host's link,
 * whatever lane it came on, if this is the first switch. */
static inline void ref_walk(ref_book *b, cop_hop hop, uint32_t last, uint32_t injection,
                            uint32_t depth)
{
    const cop_topo *t = b->r->topo;
    cop_cand cand[COP_MAX_CAND];
    assert_true(depth <= 2 * t->n_switches);
    unsigned n = b->r->ops->route(b->r, &hop, NULL, cand), escapes = 0;
    assert_in_range(n, 1, b->r->facts.max_cand);
    for (unsigned i = 0; i < n; i++)
        escapes += cand[i].escape;
    for (unsigned i = 0; i < n; i++) {
        uint32_t port = cop_topo_switch_port(t, hop.sw, cand[i].port), to = t->port[port].to;
        uint32_t channel = port * b->r->lanes + cand[i].vl;
        bool home = cop_topo_is_host_port(t, to);
        bool counts = !b->escapes || cand[i].escape || home || escapes == 0;
        b->used[channel] = true;
        if (injection != COP_NONE)
            b->waits[(size_t)injection * b->channels + channel] = true;
        if (last != COP_NONE && counts)
            b->waits[(size_t)last * b->channels + channel] = true;
        if (home) {
            assert_int_equal(to, cop_topo_host_port(t, hop.dst));
            continue;
        }
        cop_hop next = hop;
        next.sw = t->port[to].owner;
        next.in_port = t->port[to].local;
        next.in_vl = cand[i].vl;
        ref_walk(b, next, counts ? channel : last, COP_NONE, depth + 1);
    }
}

static inline void ref_walk_pair(ref_book *b, uint32_t src, uint32_t dst)
{
    const cop_route *r = b->r;
    const cop_port *entry = &r->topo->port[r->topo->port[cop_topo_host_port(r->topo, src)].to];
    uint32_t mid = COP_NONE;
    for (uint32_t i = 0; r->ops->mid ? r->ops->mid(r, src, dst, i, &mid) : i == 0; i++) {
        cop_hop hop = {
            .sw = entry->owner, .in_port = entry->local, .src = src, .dst = dst, .mid = mid};
        if (r->ops->inject &&
            !r->facts.single) /* lanes of a table are alike; the check follows lane 0 */
            hop.in_vl = r->ops->inject(r, &hop, NULL);
        uint32_t injection = cop_topo_host_port(r->topo, src) * r->lanes;
        b->used[injection + hop.in_vl] = true;
        for (uint32_t vl = 0; vl < r->facts.host_lanes; vl++)
            b->used[injection + vl] = true;
        ref_walk(b, hop, COP_NONE, injection, 1);
    }
}

/* Remove channels that wait for none, until none is left, or all that are left wait. */
static inline bool ref_cycle(const ref_book *b)
{
    bool *gone = cop_alloc(b->channels);
    uint32_t left = b->channels;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < b->channels; c++) {
            bool stays = gone[c];
            for (uint32_t d = 0; d < b->channels && !stays; d++)
                stays = b->waits[(size_t)c * b->channels + d] && !gone[d];
            if (!stays) {
                gone[c] = changed = true;
                left--;
            }
        }
    }
    cop_free(gone);
    return left > 0;
}

/* The result of a check must be what the reference finds. */
static inline void ref_compare(const cop_route *r, bool escapes, const cop_cdg_result *c)
{
    const cop_topo *t = r->topo;
    ref_book b = {.r = r, .channels = t->n_ports * r->lanes, .escapes = escapes};
    b.used = cop_alloc(b.channels);
    b.waits = cop_alloc((size_t)b.channels * b.channels);
    for (uint32_t src = 0; src < t->n_hosts; src++)
        for (uint32_t dst = 0; dst < t->n_hosts; dst++)
            if (src != dst)
                ref_walk_pair(&b, src, dst);
    uint64_t used = 0, waits = 0;
    for (uint32_t i = 0; i < b.channels; i++)
        used += b.used[i];
    for (size_t i = 0; i < (size_t)b.channels * b.channels; i++)
        waits += b.waits[i];
    bool cyclic = ref_cycle(&b);
    if (c->channels != used || c->dependencies != waits || c->acyclic == cyclic)
        fail_msg("%s on %s: %u channels, %u dependencies, acyclic %d; must be %u, %u, %d",
                 r->ops->name, t->kind, (unsigned)c->channels, (unsigned)c->dependencies,
                 c->acyclic, (unsigned)used, (unsigned)waits, !cyclic);
    for (uint32_t i = 0; i < c->cycle_len; i++) {
        uint32_t k = (i + 1) % c->cycle_len;
        uint32_t from = c->cycle[i] * r->lanes + c->cycle_vl[i];
        uint32_t to = c->cycle[k] * r->lanes + c->cycle_vl[k];
        assert_true(b.waits[(size_t)from * b.channels + to]);
    }
    cop_free(b.used);
    cop_free(b.waits);
}

#endif
