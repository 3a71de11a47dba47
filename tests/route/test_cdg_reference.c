/* The dependency check of shipped routings against the reference: the same channels, the same dependencies, the
 * same verdict. Tables with random entries: a pair is reported exactly if some pair is not delivered, and it is
 * such a pair. */
#include "cdg_reference.h"

#include <string.h>

#include "topo/build.h"
#include "topo/topo_cfg.h"

static void try(const cop_topo *t, const char *name, const void *cfg, uint32_t lanes)
{
    cop_route r;
    cop_cdg_result c = check(t, name, cfg, lanes);
    start(&r, cop_route_find(name), t, cfg, lanes);
    ref_compare(&r, strcmp(name, "adaptive-cube") == 0, &c);
    cop_cdg_free(&c);
    cop_route_fini(&r);
}

static void test_trees_and_graphs(void **state)
{
    (void)state;
    cop_topo t;
    const cop_xgft_cfg trees[] = {
        {INTS(2, 2, 2), INTS(1, 2, 2)}, {INTS(3, 2), INTS(1, 3)}, {INTS(4, 2), INTS(1, 1)}};
    for (size_t i = 0; i < COP_LEN(trees); i++) {
        build(&t, "xgft", &trees[i]);
        try(&t, "dmodk", NULL, 1);
        try(&t, "adaptive-tree", NULL, 2);
        try(&t, "minhop", NULL, 3);
        try(&t, "updn", NULL, 0);
        cop_topo_free(&t);
    }
    build(&t, "chain", &(cop_chain_cfg){.hosts = INTS(3, 0, 1, 2)});
    try(&t, "minhop", NULL, 2);
    cop_topo_free(&t);
    build(&t, "omega", &(cop_multistage_cfg){2, 3});
    try(&t, "destination-tag", NULL, 0);
    try(&t, "minhop", NULL, 2);
    cop_topo_free(&t);
    build(&t, "full", &(cop_full_cfg){4, 3});
    try(&t, "updn", NULL, 0);
    cop_topo_free(&t);
}

static void test_cubes(void **state)
{
    (void)state;
    cop_topo t;
    const struct {
        const char *kind;
        cop_cube_cfg cfg;
    } cubes[] = {{"torus", {INTS(5), 1}},   {"torus", {INTS(4), 3}},    {"torus", {INTS(4, 3), 1}},
                 {"mesh", {INTS(3, 3), 1}}, {"torus", {INTS(2, 3), 2}}, {"mesh", {INTS(4), 2}}};
    for (size_t i = 0; i < COP_LEN(cubes); i++) {
        build(&t, cubes[i].kind, &cubes[i].cfg);
        try(&t, "dor", NULL, 0);
        try(&t, "dor", &(cop_dor_cfg){false}, 2);
        try(&t, "adaptive-cube", NULL, 0);
        try(&t, "adaptive-cube", NULL, 4);
        try(&t, "minhop", NULL, 1);
        cop_topo_free(&t);
    }
}

static void test_dragonflies(void **state)
{
    (void)state;
    cop_topo t;
    const cop_dragonfly_cfg sizes[] = {
        {1, 2, 1, 0}, {2, 2, 1, 0}, {1, 2, 2, 3}, {1, 3, 1, 2}, {3, 2, 1, 0}};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        build(&t, "dragonfly", &sizes[i]);
        try(&t, "dragonfly-min", NULL, 0);
        try(&t, "ugal", NULL, 0);
        try(&t, "qcn-switch", NULL, 0);
        for (int to = 0; to < 2; to++)
            for (int intra = 0; intra < 2; intra++)
                for (int via = 0; via < 2; via++)
                    try(&t, "dragonfly-valiant", &(cop_valiant_cfg){to, intra, via}, 0);
        cop_topo_free(&t);
    }
}

/* Follow a table; true if it leads from src to dst. */
static bool delivers(const cop_route *r, uint32_t src, uint32_t dst)
{
    const cop_topo *t = r->topo;
    uint32_t sw = cop_topo_entry_switch(t, src);
    for (uint32_t i = 0; i <= t->n_switches; i++) {
        uint32_t local = r->lft[sw * t->n_hosts + dst];
        if (local >= cop_topo_ports_of(t, sw))
            return false;
        uint32_t to = t->port[cop_topo_switch_port(t, sw, local)].to;
        if (to == COP_NONE || cop_topo_is_host_port(t, to))
            return to == cop_topo_host_port(t, dst);
        sw = t->port[to].owner;
    }
    return false;
}

/* One or two entries of a good table replaced: also by the first port that does not exist. */
static void test_damaged_tables(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(31, COP_RNG_TEST, 0);
    uint32_t whole = 0, broken = 0;
    cop_topo t;
    build(&t, "mesh", &(cop_cube_cfg){INTS(3, 2), 2});
    for (int round = 0; round < 1500; round++) {
        cop_route r;
        start(&r, &cop_route_minhop, &t, NULL, 1 + (uint32_t)round % 2);
        for (int i = 0; i < 1 + round % 2; i++) {
            uint32_t entry = cop_rng_below(&rng, t.n_switches * t.n_hosts);
            r.lft[entry] = (uint16_t)cop_rng_below(&rng, cop_topo_ports_of(&t, 0) + 1);
        }
        bool good = true;
        for (uint32_t i = 0; i < t.n_hosts * t.n_hosts; i++)
            good &= i / t.n_hosts == i % t.n_hosts || delivers(&r, i / t.n_hosts, i % t.n_hosts);
        for (int how = 0; how < 3; how++) { /* by table, by switches, by states */
            cop_cdg_result c;
            r.facts.single = how == 0;
            r.facts.memoryless = how < 2;
            cop_cdg_check(&r, NULL, 0, &c);
            assert_int_equal(c.unreachable, !good);
            assert_false(c.sampled);
            if (good) {
                ref_compare(&r, false, &c);
                assert_int_equal(c.bad_src, COP_NONE);
                assert_int_equal(c.bad_dst, COP_NONE);
            } else {
                assert_true(c.bad_src < t.n_hosts && c.bad_dst < t.n_hosts);
                assert_int_not_equal(c.bad_src, c.bad_dst);
                assert_false(delivers(&r, c.bad_src, c.bad_dst));
            }
            cop_cdg_free(&c);
        }
        whole += good;
        broken += !good;
        cop_route_fini(&r);
    }
    assert_true(whole > 100 && broken > 500);
    cop_topo_free(&t);
}

/* Four switches in a ring, hosts at two that face each other. Data goes round by two of the links' directions each way, and no
 * cycle closes; what the switches between would send back goes on round the ring, and one does. */
static void test_notices_of_tables(void **state)
{
    (void)state;
    cop_topo t = {0};
    cop_route r;
    cop_err err = {0};
    cop_cdg_result c;
    cop_topo_begin_equal(&t, 2, 4, 3);
    cop_topo_attach(&t, 0, 0, 2);
    cop_topo_attach(&t, 1, 2, 2);
    for (uint32_t sw = 0; sw < 4; sw++) /* port 0 to the next one, port 1 from the one before */
        cop_topo_cable(&t, cop_topo_switch_port(&t, sw, 0),
                       cop_topo_switch_port(&t, (sw + 1) % 4, 1), COP_LINK_TRUNK);
    assert_int_equal(cop_topo_finish(&t, &err), 0);
    for (int ring = 0; ring < 2; ring++) {
        start(&r, &cop_route_minhop, &t, NULL, 1);
        for (uint32_t sw = 0; sw < 4; sw++)
            for (uint32_t dst = 0; dst < 2; dst++)
                r.lft[sw * 2 + dst] = sw == 2 * dst ? 2 : 0;
        if (!ring) /* back by the way it came */
            r.lft[1 * 2 + 0] = r.lft[3 * 2 + 1] = 1;
        cop_cdg_check(&r, NULL, 0, &c);
        assert_true(c.acyclic && !c.unreachable);
        cop_cdg_free(&c);
        const cop_cdg_control hosts = {.hosts = true}, switches = {.switches = true};
        cop_cdg_check(&r, &hosts, 0, &c);
        assert_true(c.acyclic);
        cop_cdg_free(&c);
        cop_cdg_check(&r, &switches, 0, &c);
        assert_int_equal(c.acyclic, !ring);
        assert_int_equal(c.of_control, ring);
        assert_int_equal(c.cycle_len, ring ? 4 : 0);
        assert_false(c.sampled);
        cop_cdg_free(&c);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_and_graphs),  cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_dragonflies),       cmocka_unit_test(test_damaged_tables),
        cmocka_unit_test(test_notices_of_tables),
    };
    return cmocka_run_group_tests_name("cdg_reference", tests, NULL, NULL);
}
