/* Routings against facts: every pair is delivered, over shortest paths where promised, on the lanes
 * asked for; destinations are spread as the papers say; wrong topologies are refused. */
#include "route/route_cfg.h"
#include "topo/topo_cfg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define INTS(...)                                                                                  \
    {                                                                                              \
        (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)               \
    }

static void build(cop_topo *t, const char *kind, const void *cfg)
{
    const cop_topo_ops *ops = cop_topo_find(kind);
    assert_non_null(ops);
    *t = (cop_topo){0};
    cop_err err = {0};
    if (ops->build(t, cfg, &err) != 0)
        fail_msg("%s: %s", kind, err.text);
}

static void start(cop_route *r, const char *name, const cop_topo *t, const void *cfg,
                  uint32_t lanes)
{
    const cop_route_ops *ops = cop_route_find(name);
    assert_non_null(ops);
    cop_err err = {0};
    if (cop_route_init(r, ops, t, cfg, lanes, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    assert_true(r->vls >= 1 && r->vls <= r->lanes);
    if (r->single)
        assert_int_equal(r->vls, 1);
}

static void refuse(const char *name, const cop_topo *t, const void *cfg, uint32_t lanes,
                   const char *why)
{
    cop_route r;
    cop_err err = {0};
    assert_int_equal(cop_route_init(&r, cop_route_find(name), t, cfg, lanes, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    if (strstr(err.text, why) == NULL || strchr(err.text, ';') == NULL)
        fail_msg("%s: \"%s\" lacks \"%s\" or advice", name, err.text, why);
}

/* Switches on a shortest path from the entry switch of `src` to every switch. */
static void distances(const cop_topo *t, uint32_t src, uint32_t *dist, uint32_t *queue)
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
static uint64_t fake_load(void *ctx, uint32_t sw, uint32_t port, uint32_t vl)
{
    (void)ctx;
    return cop_rng_at(7, COP_RNG_TEST, sw * 512 + port, vl) % 5 * 2048;
}

/* Switches a packet crosses, 0 if it does not arrive. Takes a random candidate if `rng`, else the
 * preferred one. `flows` (may be NULL) counts packets per port. */
static uint32_t travel(const cop_route *r, uint32_t src, uint32_t dst, const cop_route_view *view,
                       cop_rng *rng, uint32_t *flows)
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
        assert_true(k >= 1 && k <= r->max_cand);
        assert_true(r->max_cand <= COP_MAX_CAND);
        if (view == NULL) { /* routed again at the same switch: same answer */
            assert_int_equal(r->ops->route(r, &hop, view, again), k);
            assert_memory_equal(cand, again, k * sizeof(*cand));
        }
        cop_cand c = cand[rng ? cop_rng_below(rng, k) : 0];
        if (r->single) {
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
static void check_pairs(const cop_route *r, bool minimal)
{
    const cop_topo *t = r->topo;
    uint32_t *dist = cop_alloc(t->n_switches * 4), *queue = cop_alloc(t->n_switches * 4);
    cop_rng rng = cop_rng_make(1, COP_RNG_TEST, 0), pick = cop_rng_make(2, COP_RNG_TEST, 0);
    cop_route_view view = {NULL, fake_load, &rng};
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

static void try_on(const cop_topo *t, const char *name, const void *cfg, uint32_t vls,
                   uint32_t lanes, bool minimal)
{
    cop_route r;
    start(&r, name, t, cfg, lanes);
    assert_int_equal(r.vls, vls);
    check_pairs(&r, minimal);
    cop_route_fini(&r);
}

static void test_trees(void **state)
{
    (void)state;
    const cop_xgft_cfg shapes[] = {{INTS(4, 4, 4), INTS(1, 4, 4)},
                                   {INTS(3, 2, 5), INTS(1, 2, 3)},
                                   {INTS(6), INTS(1)},
                                   {INTS(2, 3, 2, 2), INTS(1, 3, 1, 2)},
                                   {INTS(8, 4), INTS(1, 2)}};
    const char *names[] = {"dmodk", "destro", "det", "ftree", "adaptive-tree", "minhop", "updn"};
    for (size_t i = 0; i < COP_LEN(shapes); i++) {
        cop_topo t;
        build(&t, "xgft", &shapes[i]);
        for (size_t k = 0; k < COP_LEN(names); k++)
            try_on(&t, names[k], NULL, 1, 0, true);
        cop_topo_free(&t);
    }
}

/* Every (destination, root, down port) of a 4-ary 3-tree: a link down from a root carries packets
 * of exactly one host; going up, every port of a switch gets the same number of destinations. */
static void test_dmodk_spreads(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "kary-ntree", &(cop_kary_cfg){4, 3});
    cop_route r;
    start(&r, "dmodk", &t, NULL, 1);
    assert_non_null(r.lft);
    const cop_tree_shape *s = &t.shape.u.tree;
    uint32_t *flows = cop_alloc(t.n_ports * sizeof(*flows));
    uint32_t *only = cop_alloc(t.n_ports * sizeof(*only));
    for (uint32_t dst = 0; dst < t.n_hosts; dst++)
        for (uint32_t src = 0; src < t.n_hosts; src++) {
            uint32_t *mine = cop_alloc(t.n_ports * sizeof(*mine));
            if (src != dst)
                assert_true(travel(&r, src, dst, NULL, NULL, mine) > 0);
            for (uint32_t p = t.sw_port0[s->level0[3]]; p < t.host_port0; p++) {
                if (mine[p] == 0)
                    continue;
                assert_true(only[p] == 0 || only[p] == dst + 1);
                only[p] = dst + 1;
            }
            for (uint32_t p = 0; p < t.n_ports; p++)
                flows[p] += mine[p];
            cop_free(mine);
        }
    for (uint32_t p = t.sw_port0[s->level0[3]]; p < t.host_port0; p++) {
        assert_true(only[p] != 0);
        assert_int_equal(flows[p], 48); /* the 48 hosts of the other three quarters */
    }
    /* Leaf: 4 hosts to 60 others over 4 ports. Middle: 16 hosts below 4 switches, to 48 others. */
    for (uint32_t sw = 0; sw < s->level0[3]; sw++)
        for (uint32_t u = 4; u < 8; u++)
            assert_int_equal(flows[cop_topo_switch_port(&t, sw, u)], sw < 16 ? 60 : 48);
    /* The papers' formula by hand: host 27 = (1,2,3) in base 4, up by 3 at the leaves, then by 2.
     */
    assert_int_equal(r.lft[0 * 64 + 27], 4 + 3);
    assert_int_equal(r.lft[(16 + 3) * 64 + 27], 4 + 2);
    cop_free(flows);
    cop_free(only);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* 648 hosts, 36 leaves of 18 hosts, 18 spines. All-to-all puts 35 * 18 = 630 flows on each link
 * between switches: up, 18 local hosts to 35 of 630 destinations; down, 630 hosts to one. */
static void test_648_all_to_all(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "xgft", &(cop_xgft_cfg){INTS(18, 36), INTS(1, 18)});
    assert_int_equal(t.n_hosts, 648);
    const char *names[] = {"dmodk", "minhop", "updn"};
    for (size_t k = 0; k < COP_LEN(names); k++) {
        cop_route r;
        start(&r, names[k], &t, NULL, 1);
        uint32_t *flows = cop_alloc(t.n_ports * sizeof(*flows));
        for (uint32_t src = 0; src < t.n_hosts; src++)
            for (uint32_t dst = 0; dst < t.n_hosts; dst++)
                if (src != dst)
                    assert_int_equal(travel(&r, src, dst, NULL, NULL, flows),
                                     src / 18 == dst / 18 ? 1 : 3);
        for (uint32_t p = 0; p < t.host_port0; p++)
            assert_int_equal(flows[p], cop_topo_is_host_port(&t, t.port[p].to) ? 647 : 630);
        cop_free(flows);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

static uint64_t port_load(void *ctx, uint32_t sw, uint32_t port, uint32_t vl)
{
    (void)sw;
    (void)vl;
    return ((const uint64_t *)ctx)[port];
}

static void test_adaptive_tree_choice(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "kary-ntree", &(cop_kary_cfg){4, 2});
    cop_route r;
    start(&r, "adaptive-tree", &t, NULL, 1);
    uint64_t load[8] = {0, 0, 0, 0, 9, 5, 7, 5};
    cop_rng rng = cop_rng_make(3, COP_RNG_ROUTE, 0);
    cop_route_view view = {load, port_load, &rng};
    cop_hop hop = {.sw = 0, .src = 0, .dst = 15, .mid = COP_NONE};
    cop_cand cand[COP_MAX_CAND];
    unsigned hits[8] = {0};
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(r.ops->route(&r, &hop, &view, cand), 1);
        hits[cand[0].port]++;
    }
    assert_int_equal(hits[5] + hits[7], 1000); /* only the least loaded, about equally */
    assert_in_range(hits[5], 400, 600);
    load[4] = 0;
    r.ops->route(&r, &hop, &view, cand);
    assert_int_equal(cand[0].port, 4);
    assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 4);
    hop.dst = 2; /* below: no choice */
    assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 1);
    assert_int_equal(cand[0].port, 2);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void test_cubes(void **state)
{
    (void)state;
    struct {
        const char *kind;
        cop_cube_cfg cfg;
    } cubes[] = {{"torus", {INTS(4, 4, 4), 1}}, {"torus", {INTS(5, 3), 2}},
                 {"torus", {INTS(8), 1}},       {"torus", {INTS(2, 4), 1}},
                 {"mesh", {INTS(4, 3), 2}},     {"mesh", {INTS(2, 5, 2), 1}}};
    for (size_t i = 0; i < COP_LEN(cubes); i++) {
        cop_topo t;
        build(&t, cubes[i].kind, &cubes[i].cfg);
        bool torus = strcmp(cubes[i].kind, "torus") == 0;
        try_on(&t, "dor", NULL, torus ? 2 : 1, 0, true);
        try_on(&t, "dor", &(cop_dor_cfg){false}, 1, 4, true);
        try_on(&t, "adaptive-cube", NULL, torus ? 3 : 2, 0, true);
        try_on(&t, "adaptive-cube", NULL, torus ? 3 : 2, 6, true);
        try_on(&t, "minhop", NULL, 1, 0, true);
        try_on(&t, "updn", NULL, 1, 0, false);
        cop_topo_free(&t);
    }
    cop_topo t;
    build(&t, "hypercube", &(cop_hypercube_cfg){5, 1});
    try_on(&t, "dor", NULL, 1, 0, true);
    try_on(&t, "adaptive-cube", NULL, 2, 0, true);
    try_on(&t, "adaptive-cube", NULL, 2, 16, true);
    cop_topo_free(&t);
}

static cop_cand dor_step(const cop_route *r, uint32_t sw, uint32_t in_port, uint32_t in_vl,
                         uint32_t dst)
{
    cop_cand cand[COP_MAX_CAND];
    cop_hop hop = {.sw = sw,
                   .in_port = (uint16_t)in_port,
                   .in_vl = (uint8_t)in_vl,
                   .dst = dst,
                   .mid = COP_NONE};
    assert_int_equal(r->ops->route(r, &hop, NULL, cand), 1);
    return cand[0];
}

/* Ring of 8: 6 -> 2 is halfway, goes plus over the wrap link 7 -> 0 and changes lane after it. */
static void test_dor_dateline(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 3), 1});
    cop_route r;
    start(&r, "dor", &t, NULL, 0);
    uint32_t dst = 2 + 8 * 1;
    const struct {
        uint32_t sw, in_port, in_vl, port, vl;
    } way[] = {{6, 4, 0, 0, 0}, {7, 1, 0, 0, 0}, {0, 1, 0, 0, 1},
               {1, 1, 1, 0, 1}, {2, 1, 1, 2, 0}, {10, 3, 0, 4, 0}};
    for (size_t i = 0; i < COP_LEN(way); i++) {
        cop_cand c = dor_step(&r, way[i].sw, way[i].in_port, way[i].in_vl, dst);
        assert_int_equal(c.port, way[i].port);
        assert_int_equal(c.vl, way[i].vl);
    }
    cop_cand back = dor_step(&r, 7, 0, 0, 5); /* 1 -> 0 -> 7 -> ..: just crossed going minus */
    assert_int_equal(back.port, 1);
    assert_int_equal(back.vl, 1);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void test_adaptive_cube_choice(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 8), 1});
    cop_route r;
    start(&r, "adaptive-cube", &t, NULL, 4);
    uint64_t load[5] = {500, 0, 100, 300, 0};
    cop_rng rng = cop_rng_make(3, COP_RNG_ROUTE, 0);
    cop_route_view view = {load, port_load, &rng};
    /* (0,0) -> (2,4): plus in dimension 0, both ways in dimension 1. */
    cop_hop hop = {.sw = 0, .in_port = 4, .dst = 2 + 8 * 4, .mid = COP_NONE};
    cop_cand cand[COP_MAX_CAND];
    unsigned n = r.ops->route(&r, &hop, &view, cand);
    assert_int_equal(n, 4);
    assert_int_equal(cand[0].port, 2);
    assert_int_equal(cand[1].port, 3);
    assert_int_equal(cand[2].port, 0);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(cand[i].escape, i == 3);
        assert_true((cand[i].vl >= 2) == (i < 3));
    }
    assert_int_equal(cand[3].port, 0); /* dimension order, remaining path does not wrap */
    assert_int_equal(cand[3].vl, 1);
    assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 3 * 2 + 1);
    hop.sw = 6; /* (6,0) -> (2,..): plus over the wrap link, both ways equal */
    n = r.ops->route(&r, &hop, NULL, cand);
    assert_int_equal(n, 4 * 2 + 1);
    assert_int_equal(cand[n - 1].port, 0);
    assert_int_equal(cand[n - 1].vl, 0);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Switches on the l-g-l path: at most one local hop on each side of the only global link. (Two
 * global hops in a row can be shorter; that is not what minimal means in a dragonfly.) */
static void check_local_global_local(const cop_topo *t)
{
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    cop_route r;
    start(&r, "dragonfly-min", t, NULL, 0);
    for (uint32_t p = 0; p < t->host_port0; p++) {
        uint32_t out = t->port[p].owner;
        if (t->port[p].to == COP_NONE || t->port[p].link_class != COP_LINK_GLOBAL)
            continue;
        uint32_t in = t->port[t->port[p].to].owner;
        for (uint32_t i = 0; i < d->a * d->a; i++) {
            uint32_t from = out / d->a * d->a + i % d->a, to = in / d->a * d->a + i / d->a;
            assert_int_equal(travel(&r, from * d->p, to * d->p, NULL, NULL, NULL),
                             2u + (from != out) + (to != in));
        }
    }
    for (uint32_t sw = 1; sw < d->a; sw++)
        assert_int_equal(travel(&r, 0, sw * d->p, NULL, NULL, NULL), 2);
    cop_route_fini(&r);
}

static void test_dragonfly_pairs(void **state)
{
    (void)state;
    const cop_dragonfly_cfg sizes[] = {
        {2, 4, 2, 0}, {1, 2, 1, 0}, {2, 4, 2, 5}, {1, 4, 2, 2}, {3, 4, 1, 1}};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        cop_topo t;
        build(&t, "dragonfly", &sizes[i]);
        try_on(&t, "dragonfly-min", NULL, 2, 0, false);
        if (sizes[i].groups == 0)
            check_local_global_local(&t);
        try_on(&t, "dragonfly-valiant", NULL, 4, 0, false);
        try_on(&t, "dragonfly-valiant", &(cop_valiant_cfg){COP_VALIANT_GROUP, 0}, 3, 0, false);
        try_on(&t, "dragonfly-valiant", &(cop_valiant_cfg){0, COP_INTRA_VALIANT}, 4, 0, false);
        cop_topo_free(&t);
    }
}

/* Inject draws every allowed intermediate and no other, and agrees with the list of `mid`. */
static void check_mids(const cop_topo *t, const cop_valiant_cfg *cfg, uint32_t src, uint32_t dst,
                       uint32_t expected)
{
    cop_route r;
    start(&r, "dragonfly-valiant", t, cfg, 0);
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    uint32_t per_group = cfg->to == COP_VALIANT_GROUP ? 1 : d->a;
    uint32_t *seen = cop_alloc(d->groups * per_group * sizeof(*seen)), n = 0, mid, found = 0;
    while (r.ops->mid(&r, src, dst, n, &mid)) {
        if (mid != COP_NONE) {
            assert_true(mid < d->groups * per_group);
            assert_int_equal(seen[mid], 0);
            assert_int_not_equal(mid / per_group, src / d->p / d->a);
            assert_int_not_equal(mid / per_group, dst / d->p / d->a);
            seen[mid] = 1;
            found++;
        }
        n++;
    }
    assert_int_equal(found, expected);
    cop_rng rng = cop_rng_make(5, COP_RNG_ROUTE, 0);
    cop_route_view view = {NULL, fake_load, &rng};
    for (int i = 0; i < 2000; i++) {
        cop_hop hop = {.src = src, .dst = dst, .mid = COP_NONE};
        assert_int_equal(r.ops->inject(&r, &hop, &view), 0);
        assert_true((hop.mid == COP_NONE) == (expected == 0));
        if (hop.mid != COP_NONE) {
            assert_true(seen[hop.mid] != 0);
            seen[hop.mid] = 2;
        }
    }
    for (uint32_t i = 0; i < d->groups * per_group; i++)
        assert_int_not_equal(seen[i], 1);
    cop_free(seen);
    cop_route_fini(&r);
}

static void test_valiant_intermediates(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, 0}); /* 9 groups of 4 switches */
    check_mids(&t, &(cop_valiant_cfg){0, 0}, 0, 71, 7 * 4);
    check_mids(&t, &(cop_valiant_cfg){0, 0}, 40, 20, 7 * 4);
    check_mids(&t, &(cop_valiant_cfg){COP_VALIANT_GROUP, 0}, 0, 71, 7);
    check_mids(&t, &(cop_valiant_cfg){0, 0}, 0, 7, 0);
    check_mids(&t, &(cop_valiant_cfg){0, COP_INTRA_VALIANT}, 0, 7, 8 * 4);
    check_mids(&t, &(cop_valiant_cfg){0, COP_INTRA_VALIANT}, 0, 1, 0);
    cop_topo_free(&t);
}

/* A packet sent by way of a switch really visits it; lanes never fall along the path. */
static void test_valiant_path(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, 0});
    cop_route r;
    start(&r, "dragonfly-valiant", &t, NULL, 0);
    for (uint32_t mid = 4; mid < 32; mid++) {
        cop_hop hop = {.src = 1, .dst = 70, .mid = mid};
        uint32_t at = t.port[cop_topo_host_port(&t, 1)].to, hops = 0;
        bool visited = false;
        unsigned local = 0, global = 0;
        while (!cop_topo_is_host_port(&t, at)) {
            hop.sw = t.port[at].owner;
            hop.in_port = t.port[at].local;
            visited |= hop.sw == mid;
            cop_cand c;
            r.ops->route(&r, &hop, NULL, &c);
            uint32_t port = cop_topo_switch_port(&t, hop.sw, c.port);
            at = t.port[port].to;
            if (cop_topo_is_host_port(&t, at))
                break;
            unsigned *lane = t.port[port].link_class == COP_LINK_GLOBAL ? &global : &local;
            assert_true(c.vl >= *lane);
            *lane = c.vl + (lane == &local ? 1u : 0u); /* local lanes even rise at every hop */
            hop.in_vl = c.vl;
            assert_true(++hops <= 6);
        }
        assert_true(visited);
        assert_int_equal(at, cop_topo_host_port(&t, 70));
    }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void test_multistage(void **state)
{
    (void)state;
    const cop_multistage_cfg sizes[] = {{2, 3}, {4, 2}, {3, 3}, {5, 1}};
    const char *kinds[] = {"omega", "butterfly"};
    for (size_t i = 0; i < COP_LEN(sizes); i++)
        for (size_t k = 0; k < COP_LEN(kinds); k++) {
            cop_topo t;
            build(&t, kinds[k], &sizes[i]);
            try_on(&t, "destination-tag", NULL, 1, 0, true);
            try_on(&t, "minhop", NULL, 1, 0, true);
            cop_topo_free(&t);
        }
    cop_topo t;
    build(&t, "omega", &(cop_multistage_cfg){2, 3});
    refuse("updn", &t, NULL, 0, "both directions");
    cop_topo_free(&t);
}

static void test_any_graph(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "chain", &(cop_chain_cfg){.hosts = INTS(3, 0, 2, 1)});
    try_on(&t, "minhop", NULL, 1, 0, true);
    try_on(&t, "updn", NULL, 1, 0, true);
    cop_topo_free(&t);
    build(&t, "full", &(cop_full_cfg){6, 2});
    try_on(&t, "minhop", NULL, 1, 0, true);
    for (int64_t root = -1; root < 6; root++)
        try_on(&t, "updn", &(cop_updn_cfg){root}, 1, 0, false);
    refuse("updn", &t, &(cop_updn_cfg){6}, 0, "0 to 5");
    cop_topo_free(&t);
    build(&t, "single", &(cop_single_cfg){.hosts = 1});
    try_on(&t, "minhop", NULL, 1, 0, true);
    try_on(&t, "updn", NULL, 1, 0, true);
    cop_topo_free(&t);
}

/* No path of updn goes up after it went down. Ranks from switch 5 of a 4x4 torus, recomputed. */
static void test_updn_legal(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 4), 1});
    cop_route r;
    start(&r, "updn", &t, &(cop_updn_cfg){5}, 0);
    uint32_t rank[16], queue[16];
    distances(&t, 5, rank, queue);
    for (uint32_t src = 0; src < 16; src++)
        for (uint32_t dst = 0; dst < 16; dst++) {
            bool down = false;
            for (uint32_t sw = src; sw != dst;) {
                uint32_t to = t.port[cop_topo_switch_port(&t, sw, r.lft[sw * 16 + dst])].to;
                uint32_t next = t.port[to].owner;
                bool up = rank[next] < rank[sw] || (rank[next] == rank[sw] && next < sw);
                assert_false(down && up);
                down = !up;
                sw = next;
            }
        }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void test_refusals(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 4), 1});
    refuse("dmodk", &t, NULL, 1, "needs a fat tree");
    refuse("adaptive-tree", &t, NULL, 1, "needs a fat tree");
    refuse("dragonfly-min", &t, NULL, 2, "needs a dragonfly");
    refuse("destination-tag", &t, NULL, 1, "omega or butterfly");
    refuse("dor", &t, NULL, 1, "needs 2 virtual lanes");
    refuse("adaptive-cube", &t, NULL, 2, "needs 3 virtual lanes");
    cop_topo_free(&t);
    build(&t, "full", &(cop_full_cfg){3, 1});
    refuse("dor", &t, NULL, 1, "needs a torus");
    cop_topo_free(&t);
    build(&t, "xgft", &(cop_xgft_cfg){INTS(4, 4), INTS(1, 65)});
    refuse("adaptive-tree", &t, NULL, 1, "65 up ports");
    cop_topo_free(&t);
}

static void test_registry(void **state)
{
    (void)state;
    size_t n = 0;
    for (; cop_routings[n] != NULL; n++) {
        const cop_route_ops *ops = cop_routings[n];
        assert_ptr_equal(cop_route_find(ops->name), ops);
        assert_non_null(ops->summary);
        assert_non_null(ops->source);
        assert_true((ops->opts == NULL) == (ops->cfg_size == 0));
    }
    assert_int_equal(n, 13);
    assert_null(cop_route_find("no such routing"));
    /* Large trees compute instead of holding 5832 * 1620 * 2 bytes. */
    cop_topo t;
    build(&t, "xgft", &(cop_xgft_cfg){INTS(18, 18, 18), INTS(1, 18, 18)});
    cop_route r;
    start(&r, "dmodk", &t, NULL, 1);
    assert_null(r.lft);
    assert_int_equal(travel(&r, 0, 5831, NULL, NULL, NULL), 5);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_dmodk_spreads),
        cmocka_unit_test(test_648_all_to_all),
        cmocka_unit_test(test_adaptive_tree_choice),
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_dor_dateline),
        cmocka_unit_test(test_adaptive_cube_choice),
        cmocka_unit_test(test_dragonfly_pairs),
        cmocka_unit_test(test_valiant_intermediates),
        cmocka_unit_test(test_valiant_path),
        cmocka_unit_test(test_multistage),
        cmocka_unit_test(test_any_graph),
        cmocka_unit_test(test_updn_legal),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
