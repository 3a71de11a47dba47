/* Setting a routing up: which tables are made and how they are asked for, how many lanes and candidates there
 * may be, and shapes whose cables are not what the shape says. */
#include "route_fixture.h"

#include "topo/topo_cfg.h"

typedef struct asked {
    uint64_t n, sum;
    uint32_t lanes, candidates;
} asked;

static int ask_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)err;
    union {
        const void *in;
        asked *out;
    } u = {.in = cfg};
    r->state = u.out;
    r->facts.single = r->facts.memoryless = true;
    r->facts.vls = u.out->lanes;
    r->facts.max_cand = u.out->candidates;
    return 0;
}

/* Port = switch + destination; remembers how often it was asked. */
static unsigned ask_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand)
{
    asked *a = r->state;
    assert_true(hop->sw < r->topo->n_switches && hop->dst < r->topo->n_hosts);
    assert_int_equal(hop->mid, COP_NONE);
    assert_null(view);
    a->n++;
    a->sum += (uint64_t)hop->sw * r->topo->n_hosts + hop->dst;
    *cand = (cop_cand){.port = (uint16_t)(hop->sw + hop->dst)};
    return 1;
}

static const cop_route_ops asking = {.name = "asking", .setup = ask_setup, .route = ask_route};

/* Each entry is asked for once, and what was answered stands in the table. */
static void test_a_table_is_made_once(void **state)
{
    (void)state;
    cop_topo t;
    cop_err err = {0};
    cop_route r;
    asked a = {.lanes = 1, .candidates = 1};
    build(&t, "full", &(cop_full_cfg){5, 3});
    assert_int_equal(cop_route_init(&r, &asking, &t, &a, 0, &err), 0);
    assert_int_equal(a.n, 5 * 15);
    assert_int_equal(a.sum, 75 * 74 / 2);
    assert_ptr_equal(r.cfg, &a);
    for (uint32_t sw = 0; sw < 5; sw++)
        for (uint32_t dst = 0; dst < 15; dst++)
            assert_int_equal(r.lft[sw * 15 + dst], sw + dst);
    cop_route_fini(&r);
    cop_route_fini(&r); /* once more does no harm */
    assert_null(r.ops);
    cop_topo_free(&t);
}

/* Up to 4 MiB, that is 2^21 entries of two bytes. Only the numbers of the network matter. */
static void test_small_tables_only(void **state)
{
    (void)state;
    const struct {
        uint32_t switches, hosts;
        bool table;
    } all[] = {{1, 1 << 21, true},
               {1, (1 << 21) + 1, false},
               {1 << 10, 1 << 11, true},
               {1 << 20, 1 << 20, false},
               {1 << 16, 1 << 16, false} /* 2^33 bytes: more than 32 bits hold */};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_topo t = {.n_switches = all[i].switches, .n_hosts = all[i].hosts};
        asked a = {.lanes = 1, .candidates = 1};
        cop_err err = {0};
        cop_route r;
        assert_int_equal(cop_route_init(&r, &asking, &t, &a, 1, &err), 0);
        assert_int_equal(r.lft != NULL, all[i].table);
        assert_int_equal(a.n, all[i].table ? (uint64_t)t.n_switches * t.n_hosts : 0);
        cop_route_fini(&r);
    }
}

static void test_lanes(void **state)
{
    (void)state;
    const struct {
        uint32_t needs, given, has; /* has 0: refused */
        const char *says;
    } all[] = {{1, 0, 1, NULL},
               {3, 0, 3, NULL},
               {3, 3, 3, NULL},
               {3, 5, 5, NULL},
               {3, 2, 0,
                "needs 3 virtual lanes, the network has 2; set switch.lanes to auto or at least 3"},
               {COP_MAX_VL, 0, COP_MAX_VL, NULL},
               {COP_MAX_VL + 1, 0, 0, "links have at most"},
               {COP_MAX_VL + 1, COP_MAX_VL + 1, 0, "links have at most"}};
    cop_topo t;
    build(&t, "single", &(cop_single_cfg){.hosts = 2});
    for (size_t i = 0; i < COP_LEN(all); i++) {
        asked a = {.lanes = all[i].needs, .candidates = COP_MAX_CAND};
        cop_err err = {0};
        cop_route r;
        int rc = cop_route_init(&r, &asking, &t, &a, all[i].given, &err);
        assert_int_equal(rc, all[i].has ? 0 : -COP_E_INPUT);
        if (rc != 0) {
            assert_non_null(strstr(err.text, all[i].says));
            assert_null(r.ops);
            continue;
        }
        assert_int_equal(r.lanes, all[i].has);
        assert_int_equal(r.facts.vls, all[i].needs);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

/* Without options a routing gets the defaults of its table. */
static void test_defaults(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    build(&t, "torus", &(cop_cube_cfg){INTS(4), 1});
    start(&r, "dor", &t, NULL, 0);
    assert_true(((const cop_dor_cfg *)r.cfg)->datelines);
    cop_route_fini(&r);
    start(&r, "updn", &t, NULL, 0);
    assert_true(((const cop_updn_cfg *)r.cfg)->root == -1);
    cop_route_fini(&r);
    start(&r, "minhop", &t, NULL, 0);
    assert_null(r.cfg);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void refuse(const char *name, const cop_topo *t, const char *text)
{
    cop_route r;
    cop_err err = {0};
    assert_int_equal(cop_route_init(&r, cop_route_find(name), t, NULL, 0, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    assert_string_equal(err.text, text);
}

static void swap_cables(cop_topo *t, uint32_t a, uint32_t b)
{
    uint32_t to_a = t->port[a].to, to_b = t->port[b].to;
    t->port[a].to = to_b;
    t->port[b].to = to_a;
    t->port[to_a].from = b;
    t->port[to_b].from = a;
}

/* Host 0 sends to switch 0. Two outputs of it lead elsewhere than the shape says, or the last column sends
 * to other hosts: destination-tag does not arrive, minhop finds its way. */
static void test_wiring_that_is_no_omega(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "omega", &(cop_multistage_cfg){2, 3});
    swap_cables(&t, cop_topo_switch_port(&t, 0, 0), cop_topo_switch_port(&t, 0, 1));
    refuse("destination-tag", &t,
           "routing destination-tag does not reach host 0 on this wiring; use minhop");
    try_on(&t, "minhop", NULL, 1, 0, true);
    cop_topo_free(&t);
    build(&t, "omega", &(cop_multistage_cfg){2, 3});
    swap_cables(&t, cop_topo_exit_port(&t, 6), cop_topo_exit_port(&t, 7));
    refuse("destination-tag", &t,
           "routing destination-tag does not reach host 6 on this wiring; use minhop");
    cop_topo_free(&t);
    /* Fewer columns than there are: packets would still be under way at the end. */
    build(&t, "omega", &(cop_multistage_cfg){2, 3});
    t.shape.u.multistage.stages = 2;
    refuse("destination-tag", &t,
           "routing destination-tag does not reach host 0 on this wiring; use minhop");
    cop_topo_free(&t);
}

/* As many ports up as candidates, and all of them. */
static void test_adaptive_tree_of_64(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cand cand[COP_MAX_CAND];
    build(&t, "xgft", &(cop_xgft_cfg){INTS(2, 2, 2), INTS(1, 3, COP_MAX_CAND)});
    start(&r, "adaptive-tree", &t, NULL, 1);
    assert_int_equal(r.facts.max_cand, COP_MAX_CAND);
    cop_hop leaf = {.sw = 0, .dst = 7, .mid = COP_NONE};
    assert_int_equal(r.ops->route(&r, &leaf, NULL, cand), 3);
    cop_hop middle = {.sw = t.shape.u.tree.level0[2], .dst = 7, .mid = COP_NONE};
    assert_int_equal(r.ops->route(&r, &middle, NULL, cand), COP_MAX_CAND);
    for (uint32_t i = 0; i < COP_MAX_CAND; i++)
        assert_int_equal(cand[i].port, 2 + i);
    cop_route_fini(&r);
    cop_topo_free(&t);
    /* A level below the top with more. */
    build(&t, "xgft", &(cop_xgft_cfg){INTS(2, 2, 2), INTS(1, COP_MAX_CAND + 1, 2)});
    refuse("adaptive-tree", &t,
           "routing adaptive-tree: switches have 129 up ports; at most 128 can be compared");
    cop_topo_free(&t);
}

/* All patterns of loads of five ports up, equal or one more: only the least loaded are taken, each of them at
 * some time; without random numbers the first. */
static void test_adaptive_tree_ties(void **state)
{
    (void)state;
    enum { UPS = 5, DRAWS = 200 };
    cop_topo t;
    cop_route r;
    build(&t, "xgft", &(cop_xgft_cfg){INTS(2, 2), INTS(1, UPS)});
    start(&r, "adaptive-tree", &t, NULL, 1);
    cop_rng rng = cop_rng_make(4, COP_RNG_ROUTE, 0);
    for (uint32_t pattern = 0; pattern < 1u << UPS; pattern++) {
        uint64_t load[2 + UPS] = {0};
        uint32_t least = pattern == (1u << UPS) - 1 ? pattern : ~pattern & ((1u << UPS) - 1);
        for (uint32_t u = 0; u < UPS; u++)
            load[2 + u] = 7 + (pattern >> u & 1);
        cop_route_view view = {load, port_load, &rng, NULL};
        cop_hop hop = {.sw = 0, .dst = 3, .mid = COP_NONE};
        cop_cand cand[COP_MAX_CAND];
        uint32_t hits[UPS] = {0}, ties = (uint32_t)__builtin_popcount(least);
        for (int i = 0; i < DRAWS; i++) {
            cop_rng before = rng;
            assert_int_equal(r.ops->route(&r, &hop, &view, cand), 1);
            assert_in_range(cand[0].port, 2, 2 + UPS - 1);
            hits[cand[0].port - 2]++;
            if (ties == 1) /* no choice, no draw */
                assert_memory_equal(&rng, &before, sizeof(rng));
        }
        for (uint32_t u = 0; u < UPS; u++)
            assert_in_range(hits[u], least >> u & 1 ? DRAWS / ties / 2 : 0,
                            least >> u & 1 ? DRAWS : 0);
        view.rng = NULL;
        assert_int_equal(r.ops->route(&r, &hop, &view, cand), 1);
        assert_int_equal(cand[0].port, 2 + (uint32_t)__builtin_ctz(least));
    }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* A ring has two ways to a switch only if it is halved exactly; a row never has. */
static void test_adaptive_cube_candidates(void **state)
{
    (void)state;
    const struct {
        const char *kind;
        cop_cube_cfg cfg;
        uint32_t most;
    } all[] = {{"torus", {INTS(5, 5), 1}, 3}, {"torus", {INTS(4, 5), 1}, 5},
               {"torus", {INTS(6, 4), 1}, 6}, {"mesh", {INTS(4, 4), 1}, 3},
               {"mesh", {INTS(6), 1}, 2},     {"torus", {INTS(2, 4), 1}, 4}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_topo t;
        cop_route r;
        cop_cand cand[COP_MAX_CAND];
        unsigned most = 0;
        build(&t, all[i].kind, &all[i].cfg);
        start(&r, "adaptive-cube", &t, NULL, 0);
        assert_int_equal(r.facts.max_cand, all[i].most);
        for (uint32_t dst = 0; dst < t.n_hosts; dst++) {
            cop_hop hop = {.sw = 0, .dst = dst, .mid = COP_NONE};
            unsigned n = r.ops->route(&r, &hop, NULL, cand);
            most = n > most ? n : most;
        }
        assert_int_equal(most, all[i].most); /* and some packet has them all */
        cop_route_fini(&r);
        cop_topo_free(&t);
    }
}

/* Each routing of a shape says so on another, with the name of what it was given, and is gone then. */
static void test_other_shapes(void **state)
{
    (void)state;
    static const char *const needs[][2] = {
        {"dmodk", "routing dmodk needs a fat tree, the topology is full; "},
        {"adaptive-tree", "routing adaptive-tree needs a fat tree, the topology is full; "},
        {"dor", "routing dor needs a torus, mesh or hypercube, the topology is full; "},
        {"adaptive-cube",
         "routing adaptive-cube needs a torus, mesh or hypercube, the topology is full; "},
        {"dragonfly-min", "routing dragonfly-min needs a dragonfly, the topology is full; "},
        {"dragonfly-valiant",
         "routing dragonfly-valiant needs a dragonfly, the topology is full; "},
        {"destination-tag",
         "routing destination-tag needs an omega or butterfly network, the topology is full; "}};
    cop_topo t;
    build(&t, "full", &(cop_full_cfg){3, 1});
    for (size_t i = 0; i < COP_LEN(needs); i++) {
        cop_route r;
        cop_err err = {0};
        assert_int_equal(cop_route_init(&r, cop_route_find(needs[i][0]), &t, NULL, 0, &err),
                         -COP_E_INPUT);
        if (strncmp(err.text, needs[i][1], strlen(needs[i][1])) != 0)
            fail_msg("\"%s\" does not begin with \"%s\"", err.text, needs[i][1]);
        assert_null(r.ops);
    }
    cop_topo_free(&t);
}

/* Coordinates have 16 bits. */
static void test_long_dimensions(void **state)
{
    (void)state;
    for (int64_t radix = 65535; radix <= 65536; radix++) {
        cop_topo t;
        cop_route r;
        cop_err err = {0};
        build(&t, "mesh", &(cop_cube_cfg){INTS(radix), 1});
        int rc = cop_route_init(&r, &cop_route_dor, &t, NULL, 0, &err);
        assert_int_equal(rc, radix == 65535 ? 0 : -COP_E_INPUT);
        if (rc == 0) {
            assert_int_equal(travel(&r, 65534, 65500, NULL, NULL, NULL), 35);
            cop_route_fini(&r);
        } else {
            assert_string_equal(err.text,
                                "routing dor: dimension 0 has 65536 switches; at most 65535");
        }
        cop_topo_free(&t);
    }
}

/* Groups without a cable between them, in one direction: named as they are. */
static void test_dragonfly_with_a_cable_missing(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "dragonfly",
          &(cop_dragonfly_cfg){1, 2, 1, 0}); /* three groups, one cable each pair */
    for (uint32_t p = 0; p < t.host_port0; p++)
        if (t.port[p].link_class == COP_LINK_GLOBAL && t.port[p].owner / 2 == 2 &&
            t.port[t.port[p].to].owner / 2 == 1) {
            t.port[t.port[p].to].from = COP_NONE;
            t.port[p].to = COP_NONE;
        }
    refuse("dragonfly-min", &t,
           "routing dragonfly-min: groups 2 and 1 have no global link; every pair of groups needs "
           "one");
    refuse("dragonfly-valiant", &t,
           "routing dragonfly-valiant: groups 2 and 1 have no global link; every pair of groups "
           "needs one");
    cop_topo_free(&t);
}

/* Whatever stood in the packet: one that stays in its group is not sent by way of another. */
static void test_an_old_intermediate_is_forgotten(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, 0});
    start(&r, "dragonfly-valiant", &t, &(cop_valiant_cfg){.intra = COP_INTRA_MINIMAL}, 0);
    cop_rng rng = cop_rng_make(5, COP_RNG_ROUTE, 0);
    cop_route_view view = {NULL, fake_load, &rng, NULL};
    cop_hop hop = {.src = 0, .dst = 7, .mid = 30};
    assert_int_equal(r.ops->inject(&r, &hop, &view), 0);
    assert_int_equal(hop.mid, COP_NONE);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_table_is_made_once),
        cmocka_unit_test(test_small_tables_only),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_wiring_that_is_no_omega),
        cmocka_unit_test(test_adaptive_tree_of_64),
        cmocka_unit_test(test_adaptive_tree_ties),
        cmocka_unit_test(test_adaptive_cube_candidates),
        cmocka_unit_test(test_other_shapes),
        cmocka_unit_test(test_long_dimensions),
        cmocka_unit_test(test_dragonfly_with_a_cable_missing),
        cmocka_unit_test(test_an_old_intermediate_is_forgotten),
    };
    return cmocka_run_group_tests_name("route_setup", tests, NULL, NULL);
}
