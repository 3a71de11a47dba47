/* The dependency check on routings: shipped ones have no cycle, rings without datelines do, and the
 * reported cycle is one. */
#include "cdg_fixture.h"

#include <string.h>

#include "route/cube_map.h"
#include "topo/topo_cfg.h"

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
    const char *names[] = {"dmodk",         "destro",      "det",    "ftree",
                           "adaptive-tree", "random-tree", "minhop", "updn"};
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
        bool torus = strcmp(cubes[i].kind, "torus") == 0;
        for (int choice = 0; choice < 2; choice++)
            for (int crossing = 0; crossing <= torus; crossing++)
                for (int ties = 0; ties < 3; ties++)
                    for (uint32_t lanes = 2; lanes <= 5; lanes++)
                        expect_free(&t, "dor", &(cop_dor_cfg){true, ties, 0, choice, crossing},
                                    lanes);
        expect_free(&t, "adaptive-cube", NULL, 0);
        expect_free(&t, "adaptive-cube", NULL, 5);
        expect_free(&t, "updn", NULL, 0);
        if (!torus)
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
                for (int via = 0; via < 2; via++)
                    expect_free(&t, "dragonfly-valiant", &(cop_valiant_cfg){to, intra, via}, 0);
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
    const cop_dor_cfg unsafe = {.datelines = false};
    for (int64_t k = 4; k <= 9; k++) {
        build(&t, "torus", &(cop_cube_cfg){INTS(k), 1});
        const cop_dor_cfg plus = {.datelines = false, .ties = COP_TIES_PLUS};
        assert_int_equal(expect_cycle(&t, "dor", &plus), k);
        /* In a ring of four all two-hop paths are ties, and spreading them happens to be safe. */
        if (k >= 5) {
            assert_int_equal(expect_cycle(&t, "dor", &unsafe), k);
            assert_int_equal(expect_cycle(&t, "minhop", NULL), k);
        } else {
            expect_free(&t, "dor", &unsafe, 0);
            expect_free(&t, "minhop", NULL, 0);
        }
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

/* The same on lane 1. */
static unsigned upper_lane_escape_route(const cop_route *r, cop_hop *hop,
                                        const cop_route_view *view, cop_cand *cand)
{
    unsigned n = one_lane_escape_route(r, hop, view, cand);
    for (unsigned i = 0; i < n; i++)
        cand[i].vl = cand[i].escape ? 1 : cand[i].vl;
    return n;
}

static void test_escape_matters(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(6, 4), 1});
    cop_route_ops ops[3] = {cop_route_adaptive_cube, cop_route_adaptive_cube,
                            cop_route_adaptive_cube};
    ops[0].route = no_escape_route;
    ops[1].route = one_lane_escape_route;
    ops[2].route = upper_lane_escape_route;
    for (size_t i = 0; i < COP_LEN(ops); i++) {
        cop_route r;
        cop_cdg_result c;
        start(&r, &ops[i], &t, NULL, 0);
        cop_cdg_check(&r, NULL, 0, &c);
        assert_false(c.acyclic);
        assert_false(c.unreachable);
        for (uint32_t k = 0; k < c.cycle_len; k++) {
            assert_true(i == 0 ? c.cycle_vl[k] < r.lanes : c.cycle_vl[k] == i - 1);
            assert_true(c.cycle[k] < t.host_port0);
        }
        cop_cdg_free(&c);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_on_trees),  cmocka_unit_test(test_shipped_on_cubes),
        cmocka_unit_test(test_shipped_on_others), cmocka_unit_test(test_rings_deadlock),
        cmocka_unit_test(test_escape_matters),
    };
    return cmocka_run_group_tests_name("cdg", tests, NULL, NULL);
}
