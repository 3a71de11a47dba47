/* Routings of trees and of any graph against facts: every pair is delivered, over shortest paths where
 * promised; destinations are spread as the papers say; wrong topologies are refused. */
#include "route_fixture.h"

#include <stdio.h>

#include "topo/topo_cfg.h"

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

static void test_trees(void **state)
{
    (void)state;
    const cop_xgft_cfg shapes[] = {{INTS(4, 4, 4), INTS(1, 4, 4)},
                                   {INTS(3, 2, 5), INTS(1, 2, 3)},
                                   {INTS(6), INTS(1)},
                                   {INTS(2, 3, 2, 2), INTS(1, 3, 1, 2)},
                                   {INTS(8, 4), INTS(1, 2)}};
    const char *names[] = {"dmodk",         "destro",      "det",    "ftree",
                           "adaptive-tree", "random-tree", "minhop", "updn"};
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

static void test_adaptive_tree_choice(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "kary-ntree", &(cop_kary_cfg){4, 2});
    cop_route r;
    start(&r, "adaptive-tree", &t, NULL, 1);
    uint64_t load[8] = {0, 0, 0, 0, 9, 5, 7, 5};
    cop_rng rng = cop_rng_make(3, COP_RNG_ROUTE, 0);
    cop_route_view view = {load, port_load, &rng, NULL};
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

/* In a torus all switches have four cables and a host: the root is the one with the lowest
 * number. */
static void test_updn_takes_the_first_of_equal_roots(void **state)
{
    (void)state;
    cop_topo t;
    cop_route chosen, first, last;
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 4), 1});
    start(&chosen, "updn", &t, NULL, 0);
    start(&first, "updn", &t, &(cop_updn_cfg){0}, 0);
    start(&last, "updn", &t, &(cop_updn_cfg){15}, 0);
    size_t bytes = 16 * 16 * sizeof(uint16_t);
    assert_memory_equal(chosen.lft, first.lft, bytes);
    assert_memory_not_equal(chosen.lft, last.lft, bytes);
    cop_route_fini(&chosen);
    cop_route_fini(&first);
    cop_route_fini(&last);
    cop_topo_free(&t);
    /* Most cables decide, wherever they are: the middle of a mesh of 3 by 3 has four, and other
     * roots would give other tables. */
    build(&t, "mesh", &(cop_cube_cfg){INTS(3, 3), 1});
    start(&chosen, "updn", &t, NULL, 0);
    for (int64_t root = 0; root < 9; root++) {
        cop_route other;
        start(&other, "updn", &t, &(cop_updn_cfg){root}, 0);
        bool same = memcmp(chosen.lft, other.lft, 9 * 9 * sizeof(uint16_t)) == 0;
        assert_int_equal(same, root == 4);
        cop_route_fini(&other);
    }
    cop_route_fini(&chosen);
    cop_topo_free(&t);
}

/* What the dependency check and the network may rely on: one path for a switch and a destination,
 * no memory of where a packet came from, no overtaking. */
static void test_promises(void **state)
{
    (void)state;
    const cop_xgft_cfg tree = {INTS(4, 4), INTS(1, 2)};
    const cop_cube_cfg cube = {INTS(4, 4), 1};
    const cop_dragonfly_cfg dragonfly = {2, 4, 2, 0};
    const cop_multistage_cfg omega = {2, 3};
    const struct {
        const char *kind;
        const void *shape;
        const char *routing;
        uint32_t candidates;
        bool single, memoryless, in_order;
    } all[] = {
        {"xgft", &tree, "dmodk", 1, true, true, true},
        {"xgft", &tree, "destro", 1, true, true, true},
        {"xgft", &tree, "det", 1, true, true, true},
        {"xgft", &tree, "ftree", 1, true, true, true},
        {"xgft", &tree, "minhop", 1, true, true, true},
        {"xgft", &tree, "updn", 1, true, true, true},
        {"xgft", &tree, "adaptive-tree", 2, false, true, false}, /* two ports up */
        {"xgft", &tree, "random-tree", 2, false, true, false},
        {"torus", &cube, "dor", 1, false, false, true}, /* lanes follow from the way */
        {"mesh", &cube, "dor", 1, true, true, true},
        {"torus", &cube, "adaptive-cube", 2 * 2 + 2, false, true, false},
        {"mesh", &cube, "adaptive-cube", 2 + 1, false, true, false},
        {"dragonfly", &dragonfly, "dragonfly-min", 1, false, true, true},
        {"dragonfly", &dragonfly, "dragonfly-valiant", 1, false, false, false},
        {"omega", &omega, "destination-tag", 1, true, true, true},
    };
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_topo t;
        cop_route r;
        build(&t, all[i].kind, all[i].shape);
        start(&r, all[i].routing, &t, NULL, 0);
        assert_int_equal(r.lanes, r.facts.vls); /* as many as needed, if nothing is said */
        assert_int_equal(r.facts.max_cand, all[i].candidates);
        assert_int_equal(r.facts.single, all[i].single);
        assert_int_equal(r.facts.memoryless, all[i].memoryless);
        assert_int_equal(r.ops->in_order, all[i].in_order);
        assert_int_equal(r.facts.in_order, all[i].in_order);
        cop_route_fini(&r);
        cop_topo_free(&t);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 4), 1});
    refuse("dmodk", &t, NULL, 1, "needs a fat tree");
    refuse("adaptive-tree", &t, NULL, 1, "needs a fat tree");
    refuse("random-tree", &t, NULL, 1, "needs a fat tree");
    refuse("dragonfly-min", &t, NULL, 2, "needs a dragonfly");
    refuse("destination-tag", &t, NULL, 1, "omega or butterfly");
    refuse("dor", &t, NULL, 1, "needs 2 virtual lanes");
    refuse("adaptive-cube", &t, NULL, 2, "needs 3 virtual lanes");
    cop_topo_free(&t);
    build(&t, "full", &(cop_full_cfg){3, 1});
    refuse("dor", &t, NULL, 1, "needs a torus");
    cop_topo_free(&t);
    build(&t, "xgft", &(cop_xgft_cfg){INTS(4, 4), INTS(1, 129)});
    refuse("adaptive-tree", &t, NULL, 1, "129 up ports");
    refuse("random-tree", &t, NULL, 1, "129 up ports");
    cop_topo_free(&t);
}

static int counting_setup(cop_route *r, const void *cfg, cop_err *err)
{
    r->state = *(int *const *)cfg; /* how often it was freed; -1: refuse */
    return *(int *)r->state >= 0 ? 0 : cop_err_add(err, COP_E_INPUT, "refused; not wanted");
}

static void counting_destroy(cop_route *r)
{
    ++*(int *)r->state;
}

static unsigned first_port(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                           cop_cand *cand)
{
    (void)r, (void)hop, (void)view;
    cand[0] = (cop_cand){0};
    return 1;
}

/* What a routing has made is freed once, also if it was refused; nothing is left behind. */
static void test_life_of_a_routing(void **state)
{
    (void)state;
    const cop_route_ops ops = {.name = "counting",
                               .setup = counting_setup,
                               .route = first_port,
                               .destroy = counting_destroy};
    cop_topo t;
    build(&t, "single", &(cop_single_cfg){.hosts = 2});
    for (int begin = -1; begin <= 0; begin++) {
        int freed = begin, *at = &freed;
        cop_route r;
        cop_err err = {0};
        int rc = cop_route_init(&r, &ops, &t, &at, 1, &err);
        assert_int_equal(rc, begin < 0 ? -COP_E_INPUT : 0);
        if (rc == 0)
            cop_route_fini(&r);
        assert_int_equal(freed, begin + 1);
        assert_null(r.ops);
        assert_null(r.state);
    }
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
        cmocka_unit_test(test_multistage),
        cmocka_unit_test(test_any_graph),
        cmocka_unit_test(test_updn_legal),
        cmocka_unit_test(test_updn_takes_the_first_of_equal_roots),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_life_of_a_routing),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
