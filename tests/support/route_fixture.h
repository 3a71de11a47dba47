/* Routings by themselves: build a topology, start a routing, follow packets between all pairs. */
#ifndef COP_ROUTE_FIXTURE_H
#define COP_ROUTE_FIXTURE_H

#include "topo_fixture.h"

#include <string.h>

#include "route/route_cfg.h"

static inline void start(cop_route *r, const char *name, const cop_topo *t, const void *cfg,
                         uint32_t lanes)
{
    const cop_route_ops *ops = cop_route_find(name);
    assert_non_null(ops);
    cop_err err = {0};
    if (cop_route_init(r, ops, t, cfg, lanes, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    assert_true(r->facts.vls >= 1 && r->facts.vls <= r->lanes);
    if (r->facts.single)
        assert_int_equal(r->facts.vls, 1);
}

/* Switches on a shortest path from the entry switch of `src` to every switch. */
static inline void distances(const cop_topo *t, uint32_t src, uint32_t *dist, uint32_t *queue)
{
    memset(dist, 0, t->n_switches * sizeof(*dist));
    uint32_t n = 0;
    queue[n++] = cop_topo_entry_switch(t, src);
    dist[queue[0]] = 1;
    for (uint32_t head = 0; head < n; head++)
        for (uint32_t p = t->sw_port0[queue[head]]; p < t->sw_port0[queue[head] + 1]; p++) {
            uint32_t to = t->port[p].to;
            if (to == COP_NONE || cop_topo_is_host_port(t, to) || dist[t->port[to].owner] != 0)
                continue;
            dist[t->port[to].owner] = dist[queue[head]] + 1;
            queue[n++] = t->port[to].owner;
        }
}

/* Loads that look random but only depend on the place. */
static inline uint64_t fake_load(void *ctx, uint32_t port, uint32_t vl)
{
    (void)ctx;
    return cop_rng_at(7, COP_RNG_TEST, port, vl) % 5 * 2048;
}

/* Switches a packet crosses, 0 if it does not arrive. Takes a random candidate if `rng`, else the
 * preferred one. `flows` (may be NULL) counts packets per port. */
static inline uint32_t travel(const cop_route *r, uint32_t src, uint32_t dst,
                              const cop_route_view *view, cop_rng *rng, uint32_t *flows)
{
    const cop_topo *t = r->topo;
    uint32_t at = t->port[cop_topo_host_port(t, src)].to;
    cop_hop hop = {.src = src, .dst = dst, .mid = COP_NONE};
    hop.sw = t->port[at].owner;
    if (r->ops->inject)
        hop.in_vl = r->ops->inject(r, &hop, view);
    for (uint32_t n = 1; n <= t->n_switches; n++) {
        cop_cand cand[COP_MAX_CAND], again[COP_MAX_CAND];
        hop.sw = t->port[at].owner;
        hop.in_port = t->port[at].local;
        unsigned k = r->ops->route(r, &hop, view, cand);
        assert_true(k >= 1 && k <= r->facts.max_cand);
        assert_true(r->facts.max_cand <= COP_MAX_CAND);
        if (view == NULL) { /* routed again at the same switch: same answer */
            assert_int_equal(r->ops->route(r, &hop, view, again), k);
            assert_memory_equal(cand, again, k * sizeof(*cand));
        }
        cop_cand c = cand[rng ? cop_rng_below(rng, k) : 0];
        if (r->facts.single) {
            assert_int_equal(k, 1);
            assert_int_equal(c.vl, 0);
            if (r->lft)
                assert_int_equal(c.port, r->lft[(size_t)hop.sw * t->n_hosts + dst]);
        }
        assert_true(c.vl < r->lanes);
        assert_true(c.port < cop_topo_ports_of(t, hop.sw));
        uint32_t port = cop_topo_switch_port(t, hop.sw, c.port);
        if (flows)
            flows[port]++;
        at = t->port[port].to;
        assert_int_not_equal(at, COP_NONE);
        if (cop_topo_is_host_port(t, at))
            return at == cop_topo_host_port(t, dst) ? n : 0;
        hop.in_vl = c.vl;
    }
    return 0;
}

/* All pairs arrive; on shortest paths if `minimal`. Tries the listed candidates and the view. */
static inline void check_pairs(const cop_route *r, bool minimal)
{
    const cop_topo *t = r->topo;
    uint32_t *dist = cop_alloc(t->n_switches * 4), *queue = cop_alloc(t->n_switches * 4);
    cop_rng rng = cop_rng_make(1, COP_RNG_TEST, 0), pick = cop_rng_make(2, COP_RNG_TEST, 0);
    cop_route_view view = {NULL, fake_load, &rng, NULL};
    for (uint32_t src = 0; src < t->n_hosts; src++) {
        distances(t, src, dist, queue);
        for (uint32_t dst = 0; dst < t->n_hosts; dst++) {
            if (src == dst)
                continue;
            uint32_t best = dist[t->port[cop_topo_exit_port(t, dst)].owner];
            uint32_t listed = travel(r, src, dst, NULL, &pick, NULL);
            uint32_t seen = travel(r, src, dst, &view, NULL, NULL);
            if (listed < best || seen < best || (minimal && (listed != best || seen != best)))
                fail_msg("%s: %u to %u takes %u and %u switches, the shortest way %u", r->ops->name,
                         src, dst, listed, seen, best);
        }
    }
    cop_free(dist);
    cop_free(queue);
}

static inline void try_on(const cop_topo *t, const char *name, const void *cfg, uint32_t vls,
                          uint32_t lanes, bool minimal)
{
    cop_route r;
    start(&r, name, t, cfg, lanes);
    assert_int_equal(r.facts.vls, vls);
    check_pairs(&r, minimal);
    cop_route_fini(&r);
}

static inline uint64_t port_load(void *ctx, uint32_t port, uint32_t vl)
{
    (void)vl;
    return ((const uint64_t *)ctx)[port];
}

/* The i-th of the dragonfly routings that choose at the first switch: those with the options of COP_CHOICE_OPTS. NULL: no
 * more. */
static inline const cop_route_ops *nth_choosing(uint32_t i)
{
    for (uint32_t k = 0; cop_routings[k]; k++) {
        const cop_opt *opts = cop_routings[k]->opts;
        if (cop_opt_find(opts, "progressive") && cop_opt_find(opts, "via") && i-- == 0)
            return cop_routings[k];
    }
    return NULL;
}

#endif
