/* The dependency check itself: counts agree with closed forms, faulty routings are found out, the budget
 * is kept, cycles are found in graphs of every kind. */
#include "cdg_fixture.h"

#include <string.h>

#include "route/cdg_graph.h"
#include "topo/topo_cfg.h"

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
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_cycle_search),
    };
    return cmocka_run_group_tests_name("cdg_walk", tests, NULL, NULL);
}
