/* The dependency check: shipped routings have no cycle, rings without datelines do, the reported
 * cycle is one, counts agree with closed forms, faulty routings are found out. */
#include "route/cdg_graph.h"
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
    *t = (cop_topo){0};
    cop_err err = {0};
    if (cop_topo_find(kind)->build(t, cfg, &err) != 0)
        fail_msg("%s: %s", kind, err.text);
}

static void start(cop_route *r, const cop_route_ops *ops, const cop_topo *t, const void *cfg,
                  uint32_t lanes)
{
    cop_err err = {0};
    if (cop_route_init(r, ops, t, cfg, lanes, &err) != 0)
        fail_msg("%s: %s", ops->name, err.text);
}

/* Checks the whole routing and returns the result; the caller frees it. */
static cop_cdg_result check(const cop_topo *t, const char *name, const void *cfg, uint32_t lanes)
{
    cop_route r;
    cop_cdg_result c;
    start(&r, cop_route_find(name), t, cfg, lanes);
    cop_cdg_check(&r, 0, &c);
    assert_false(c.sampled);
    assert_false(c.unreachable);
    assert_int_equal(c.bad_src, COP_NONE);
    assert_true((c.cycle_len == 0) == c.acyclic);
    cop_route_fini(&r);
    return c;
}

static void expect_free(const cop_topo *t, const char *name, const void *cfg, uint32_t lanes)
{
    cop_cdg_result c = check(t, name, cfg, lanes);
    if (!c.acyclic)
        fail_msg("%s on %s: cycle of %u channels", name, t->kind, c.cycle_len);
    assert_null(c.cycle);
    assert_true(c.channels >= 2 * (uint64_t)t->n_hosts);
    cop_cdg_free(&c);
}

/* A cycle must be there, and each channel must end where the next begins. */
static uint32_t expect_cycle(const cop_topo *t, const char *name, const void *cfg)
{
    cop_cdg_result c = check(t, name, cfg, 0);
    assert_false(c.acyclic);
    assert_true(c.cycle_len >= 2);
    for (uint32_t i = 0; i < c.cycle_len; i++) {
        uint32_t port = c.cycle[i], next = c.cycle[(i + 1) % c.cycle_len];
        assert_true(port < t->host_port0);
        assert_int_equal(t->port[t->port[port].to].owner, t->port[next].owner);
        assert_int_equal(c.cycle_vl[i], 0);
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(c.cycle[k], port);
    }
    uint32_t len = c.cycle_len;
    cop_cdg_free(&c);
    return len;
}

static void test_shipped_on_trees(void **state)
{
    (void)state;
    const cop_xgft_cfg shapes[] = {{INTS(4, 4, 4), INTS(1, 4, 4)},
                                   {INTS(3, 2, 5), INTS(1, 2, 3)},
                                   {INTS(2, 3, 2, 2), INTS(1, 3, 1, 2)}};
    const char *names[] = {"dmodk", "destro", "det", "ftree", "adaptive-tree", "minhop", "updn"};
    for (size_t i = 0; i < COP_LEN(shapes); i++) {
        cop_topo t;
        build(&t, "xgft", &shapes[i]);
        for (size_t k = 0; k < COP_LEN(names); k++)
            expect_free(&t, names[k], NULL, 0);
        cop_topo_free(&t);
    }
}

static void test_shipped_on_cubes(void **state)
{
    (void)state;
    struct {
        const char *kind;
        cop_cube_cfg cfg;
    } cubes[] = {{"torus", {INTS(4, 4, 4), 1}}, {"torus", {INTS(5, 6), 2}},
                 {"torus", {INTS(8), 1}},       {"torus", {INTS(2, 4, 3), 1}},
                 {"mesh", {INTS(4, 3), 2}},     {"mesh", {INTS(3, 3, 3), 1}}};
    for (size_t i = 0; i < COP_LEN(cubes); i++) {
        cop_topo t;
        build(&t, cubes[i].kind, &cubes[i].cfg);
        expect_free(&t, "dor", NULL, 0);
        expect_free(&t, "dor", NULL, 5);
        expect_free(&t, "adaptive-cube", NULL, 0);
        expect_free(&t, "adaptive-cube", NULL, 5);
        expect_free(&t, "updn", NULL, 0);
        if (strcmp(cubes[i].kind, "mesh") == 0)
            expect_free(&t, "dor", &(cop_dor_cfg){false}, 0);
        cop_topo_free(&t);
    }
    cop_topo t;
    build(&t, "hypercube", &(cop_hypercube_cfg){5, 2});
    expect_free(&t, "dor", NULL, 0);
    expect_free(&t, "adaptive-cube", NULL, 0);
    expect_free(&t, "updn", NULL, 0);
    cop_topo_free(&t);
}

static void test_shipped_on_others(void **state)
{
    (void)state;
    const cop_dragonfly_cfg sizes[] = {{1, 2, 1, 0}, {1, 4, 2, 0}, {2, 4, 2, 5}, {1, 4, 2, 2}};
    cop_topo t;
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        build(&t, "dragonfly", &sizes[i]);
        expect_free(&t, "dragonfly-min", NULL, 0);
        for (int to = 0; to < 2; to++)
            for (int intra = 0; intra < 2; intra++)
                expect_free(&t, "dragonfly-valiant", &(cop_valiant_cfg){to, intra}, 0);
        expect_free(&t, "updn", NULL, 0);
        cop_topo_free(&t);
    }
    build(&t, "omega", &(cop_multistage_cfg){3, 3});
    expect_free(&t, "destination-tag", NULL, 0);
    expect_free(&t, "minhop", NULL, 0);
    cop_topo_free(&t);
    build(&t, "butterfly", &(cop_multistage_cfg){2, 4});
    expect_free(&t, "destination-tag", NULL, 0);
    cop_topo_free(&t);
    build(&t, "full", &(cop_full_cfg){7, 2});
    expect_free(&t, "minhop", NULL, 0);
    expect_free(&t, "updn", NULL, 0);
    cop_topo_free(&t);
}

static void test_rings_deadlock(void **state)
{
    (void)state;
    cop_topo t;
    const cop_dor_cfg unsafe = {false};
    for (int64_t k = 4; k <= 9; k++) {
        build(&t, "torus", &(cop_cube_cfg){INTS(k), 1});
        assert_int_equal(expect_cycle(&t, "dor", &unsafe), k);
        /* In a ring of four all two-hop paths are ties, and spreading them happens to be safe. */
        if (k >= 5)
            assert_int_equal(expect_cycle(&t, "minhop", NULL), k);
        else
            expect_free(&t, "minhop", NULL, 0);
        cop_topo_free(&t);
    }
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 5), 2});
    expect_cycle(&t, "dor", &unsafe);
    expect_cycle(&t, "minhop", NULL);
    cop_topo_free(&t);
    /* Three switches in a ring: every path is one hop, nothing to wait for in a circle. */
    build(&t, "torus", &(cop_cube_cfg){INTS(3), 1});
    expect_free(&t, "dor", &unsafe, 0);
    expect_free(&t, "minhop", NULL, 0);
    cop_topo_free(&t);
}

/* Minimal adaptive routing without its escape mark must be found cyclic. */
static unsigned no_escape_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                cop_cand *cand)
{
    unsigned n = cop_route_adaptive_cube.route(r, hop, view, cand);
    for (unsigned i = 0; i < n; i++)
        cand[i].escape = 0;
    return n;
}

/* Escape channels that follow the dimension order but share one lane: a ring closes. */
static unsigned one_lane_escape_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                      cop_cand *cand)
{
    unsigned n = cop_route_adaptive_cube.route(r, hop, view, cand);
    for (unsigned i = 0; i < n; i++)
        if (cand[i].escape)
            cand[i].vl = 0;
    return n;
}

static void test_escape_matters(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(6, 4), 1});
    cop_route_ops ops[2] = {cop_route_adaptive_cube, cop_route_adaptive_cube};
    ops[0].route = no_escape_route;
    ops[1].route = one_lane_escape_route;
    for (size_t i = 0; i < COP_LEN(ops); i++) {
        cop_route r;
        cop_cdg_result c;
        start(&r, &ops[i], &t, NULL, 0);
        cop_cdg_check(&r, 0, &c);
        assert_false(c.acyclic);
        assert_false(c.unreachable);
        cop_cdg_free(&c);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

/* Counts by hand. One switch of n hosts: 2n channels; each injection waits for n - 1 links. Chain
 * of two switches with 2 hosts each: 8 host channels and 2 trunks; each host waits for the other
 * host's link and the trunk; each trunk waits for two links. */
static void test_counts(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "single", &(cop_single_cfg){.hosts = 5});
    cop_cdg_result c = check(&t, "minhop", NULL, 0);
    assert_int_equal(c.channels, 10);
    assert_int_equal(c.dependencies, 20);
    cop_cdg_free(&c);
    cop_topo_free(&t);
    build(&t, "chain", &(cop_chain_cfg){.hosts = INTS(2, 2)});
    c = check(&t, "updn", NULL, 0);
    assert_int_equal(c.channels, 10);
    assert_int_equal(c.dependencies, 4 * 2 + 2 * 2);
    cop_cdg_free(&c);
    cop_topo_free(&t);
    /* The walk by states sees the same graph as the walk by tables. */
    build(&t, "kary-ntree", &(cop_kary_cfg){3, 3});
    cop_route r;
    start(&r, &cop_route_dmodk, &t, NULL, 2);
    cop_cdg_result a, b, d;
    cop_cdg_check(&r, 0, &a);
    r.single = false;
    cop_cdg_check(&r, 0, &b);
    r.memoryless = false;
    cop_cdg_check(&r, 0, &d);
    assert_int_equal(a.channels, b.channels);
    assert_int_equal(a.dependencies, b.dependencies);
    assert_int_equal(a.channels, d.channels);
    assert_int_equal(a.dependencies, d.dependencies);
    cop_cdg_free(&a);
    cop_cdg_free(&b);
    cop_cdg_free(&d);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void expect_unreached(cop_route *r, bool single, uint32_t dst)
{
    cop_cdg_result c;
    r->single = single;
    cop_cdg_check(r, 0, &c);
    assert_true(c.unreachable);
    assert_int_equal(c.bad_dst, dst);
    assert_true(c.bad_src < r->topo->n_hosts && c.bad_src != dst);
    cop_cdg_free(&c);
}

/* Damaged tables on a ring of five: the entries for host 3 at switches 1 and 2. Ports: 0 plus, 1
 * minus, 2 the host. */
static void test_unreachable(void **state)
{
    (void)state;
    const struct {
        uint16_t at1, at2;
    } damage[] = {{0, 1} /* back and forth */,
                  {0, 2} /* delivered to host 2 */,
                  {0, 9} /* no such port */,
                  {0, UINT16_MAX} /* no entry */};
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(5), 1});
    for (size_t i = 0; i < COP_LEN(damage); i++) {
        cop_route r;
        start(&r, &cop_route_minhop, &t, NULL, 1);
        r.lft[1 * 5 + 3] = damage[i].at1;
        r.lft[2 * 5 + 3] = damage[i].at2;
        expect_unreached(&r, true, 3);
        expect_unreached(&r, false, 3);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
    /* A mesh has ports without a cable at its border. */
    build(&t, "mesh", &(cop_cube_cfg){INTS(4), 1});
    cop_route r;
    start(&r, &cop_route_minhop, &t, NULL, 1);
    r.lft[0 * 4 + 3] = 1;
    expect_unreached(&r, true, 3);
    expect_unreached(&r, false, 3);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void test_budget(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){4, 8, 4, 0}); /* 1056 hosts, 264 switches */
    cop_route r;
    cop_cdg_result c;
    start(&r, &cop_route_dragonfly_valiant, &t, NULL, 0);
    cop_cdg_check(&r, 200000, &c);
    assert_true(c.sampled);
    assert_true(c.acyclic);
    assert_false(c.unreachable);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    start(&r, &cop_route_dragonfly_min, &t, NULL, 0);
    cop_cdg_check(&r, 10000000, &c);
    assert_false(c.sampled);
    assert_true(c.acyclic);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
    /* 648 hosts are checked in full: 1 step per (switch on a path, destination) and start. */
    build(&t, "xgft", &(cop_xgft_cfg){INTS(18, 36), INTS(1, 18)});
    start(&r, &cop_route_dmodk, &t, NULL, 0);
    cop_cdg_check(&r, 200000, &c);
    assert_false(c.sampled);
    assert_true(c.acyclic);
    assert_int_equal(c.channels, 2 * 648 + 2 * 648); /* host links and trunks, both ways */
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Random graphs: the search agrees with repeated removal of nodes without successors. */
static void test_cycle_search(void **state)
{
    (void)state;
    enum { NODES = 40 };
    cop_rng rng = cop_rng_make(11, COP_RNG_TEST, 0);
    unsigned cyclic = 0;
    for (int round = 0; round < 400; round++) {
        cop_edges e;
        cop_edges_init(&e);
        bool has[NODES][NODES] = {{false}}, gone[NODES] = {false};
        for (uint32_t k = 0; k < 20 + (uint32_t)round % 40; k++) {
            uint32_t a = cop_rng_below(&rng, NODES), b = cop_rng_below(&rng, NODES);
            cop_edges_add(&e, a, b);
            cop_edges_add(&e, a, b);
            has[a][b] = true;
        }
        uint32_t left = NODES;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t a = 0; a < NODES; a++) {
                bool out = gone[a];
                for (uint32_t b = 0; b < NODES; b++)
                    out |= has[a][b] && !gone[b];
                if (!out) {
                    gone[a] = changed = true;
                    left--;
                }
            }
        }
        uint32_t *cycle, n = cop_edges_cycle(&e, NODES, &cycle);
        assert_true((n > 0) == (left > 0));
        for (uint32_t i = 0; i < n; i++)
            assert_true(has[cycle[i]][cycle[(i + 1) % n]]);
        cyclic += n > 0;
        cop_free(cycle);
        cop_edges_free(&e);
    }
    assert_in_range(cyclic, 40, 360); /* both outcomes were tried */
    /* A chain longer than any machine stack, and many more edges than the first table holds. */
    cop_edges e;
    cop_edges_init(&e);
    for (uint32_t i = 0; i + 1 < 300000; i++)
        cop_edges_add(&e, i, i + 1);
    uint32_t *cycle;
    assert_int_equal(e.n, 299999);
    assert_int_equal(cop_edges_cycle(&e, 300000, &cycle), 0);
    cop_edges_add(&e, 299999, 0);
    assert_int_equal(cop_edges_cycle(&e, 300000, &cycle), 300000);
    cop_free(cycle);
    cop_edges_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_on_trees),  cmocka_unit_test(test_shipped_on_cubes),
        cmocka_unit_test(test_shipped_on_others), cmocka_unit_test(test_rings_deadlock),
        cmocka_unit_test(test_escape_matters),    cmocka_unit_test(test_counts),
        cmocka_unit_test(test_unreachable),       cmocka_unit_test(test_budget),
        cmocka_unit_test(test_cycle_search),
    };
    return cmocka_run_group_tests_name("cdg", tests, NULL, NULL);
}
