/* Ties on rings: which way packets go when both are equally long. Facts: `split` loads both directions
 * of every ring alike, for all pairs and for the permutation that has ties only, and keeps a flow on
 * one path; `random` draws both ways equally often; `plus` goes plus. None of them closes a cycle. */
#include "route_fixture.h"

#include "route/cube_map.h"
#include "topo/topo_cfg.h"

/* Packets of all pairs (or of the pairs half-way round all rings) per port. */
static uint32_t *count_flows(const cop_topo *t, int ties, bool halfway, cop_rng *rng)
{
    cop_route r;
    cop_cube_map map;
    cop_err err = {0};
    cop_route_view view = {NULL, fake_load, rng, NULL};
    uint32_t *flows = cop_alloc(t->n_ports * sizeof(*flows));
    start(&r, "dor", t, &(cop_dor_cfg){.datelines = true, .ties = ties}, 0);
    assert_int_equal(cop_cube_map_init(&map, t, COP_TIES_PLUS, &r.arena, "test", &err), 0);
    for (uint32_t src = 0; src < t->n_hosts; src++)
        for (uint32_t dst = 0; dst < t->n_hosts; dst++) {
            const uint16_t *a = cop_cube_at(&map, src / map.hosts_per_switch);
            const uint16_t *b = cop_cube_at(&map, dst / map.hosts_per_switch);
            bool wanted = src != dst;
            for (uint32_t i = 0; halfway && i < map.dims; i++)
                wanted &= (a[i] + map.radix[i] / 2) % map.radix[i] == b[i];
            if (wanted)
                assert_true(travel(&r, src, dst, rng ? &view : NULL, NULL, flows) > 0);
        }
    cop_route_fini(&r);
    return flows;
}

/* Least and most flows on the links of one direction in one dimension. */
static void range_of(const cop_topo *t, const uint32_t *flows, uint32_t port, uint32_t *least,
                     uint32_t *most)
{
    *least = UINT32_MAX;
    *most = 0;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        uint32_t n = flows[cop_topo_switch_port(t, sw, port)];
        *least = n < *least ? n : *least;
        *most = n > *most ? n : *most;
    }
}

/* Rings of 4, 8, 12 switches: every link, in either direction, is on equally many paths. */
static void test_split_is_even(void **state)
{
    (void)state;
    const cop_cube_cfg cubes[] = {{INTS(8), 1},    {INTS(4), 3},       {INTS(8, 8), 1},
                                  {INTS(4, 8), 2}, {INTS(4, 4, 4), 1}, {INTS(12, 4), 1},
                                  {INTS(5, 8), 1}, {INTS(2, 4), 2},    {INTS(8, 3), 2}};
    for (size_t i = 0; i < COP_LEN(cubes); i++)
        for (int halfway = 0; halfway < 2; halfway++) {
            cop_topo t;
            build(&t, "torus", &cubes[i]);
            uint32_t *flows = count_flows(&t, COP_TIES_SPLIT, halfway, NULL);
            const cop_cube_shape *s = &t.shape.u.cube;
            for (uint32_t dim = 0; dim < s->dims; dim++) {
                uint32_t low[2], high[2];
                for (uint32_t k = 0; s->radix[dim] % 4 == 0 && k < 2; k++) {
                    range_of(&t, flows, 2 * dim + k, &low[k], &high[k]);
                    assert_true(low[k] > 0);
                    assert_int_equal(low[k], high[k]);
                    assert_int_equal(low[k], low[0]);
                }
            }
            cop_free(flows);
            cop_topo_free(&t);
        }
}

/* Rings of 6: three flows half-way round go over each link, so one direction has one more of them;
 * it is not the same direction everywhere. */
static void test_split_of_six(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(6, 6), 1});
    uint32_t *flows = count_flows(&t, COP_TIES_SPLIT, false, NULL);
    uint64_t sum[4] = {0};
    for (uint32_t sw = 0; sw < t.n_switches; sw++)
        for (uint32_t port = 0; port < 4; port++)
            sum[port] += flows[cop_topo_switch_port(&t, sw, port)];
    /* 36 switches, 36 hosts to send to, 1 + 2 + 3/2 of 6 hops in each direction. */
    for (uint32_t port = 0; port < 4; port++)
        assert_int_equal(sum[port], 36 * 36 * 9 / 2 / 6);
    cop_free(flows);
    cop_topo_free(&t);
}

/* The old rule: 10 hops plus, 6 minus in a ring of 8. */
static void test_plus_is_uneven(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 8), 1});
    uint32_t *flows = count_flows(&t, COP_TIES_PLUS, false, NULL);
    for (uint32_t port = 0; port < 4; port++) {
        uint32_t low, high;
        range_of(&t, flows, port, &low, &high);
        assert_int_equal(low, high);
        assert_int_equal(low, port % 2 == 0 ? 80 : 48);
    }
    cop_free(flows);
    cop_topo_free(&t);
}

/* Both ways equally often, each drawn from the packet's numbers: the same numbers, the same way. */
static void test_random_draws(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cand cand[COP_MAX_CAND];
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 3), 1});
    start(&r, "dor", &t, &(cop_dor_cfg){.datelines = true, .ties = COP_TIES_RANDOM}, 0);
    cop_rng rng = cop_rng_make(3, COP_RNG_ROUTE, 0);
    cop_route_view view = {NULL, fake_load, &rng, NULL};
    cop_hop hop = {.sw = 1, .in_port = 4, .dst = 5, .mid = COP_NONE};
    unsigned plus = 0;
    for (int i = 0; i < 4000; i++) {
        cop_rng before = rng;
        assert_int_equal(r.ops->route(&r, &hop, &view, cand), 1);
        uint16_t port = cand[0].port;
        assert_true(port < 2);
        plus += port == 0;
        rng = before;
        assert_int_equal(r.ops->route(&r, &hop, &view, cand), 1);
        assert_int_equal(cand[0].port, port);
    }
    assert_in_range(plus, 1900, 2100);
    assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 2); /* a list of ways has both */
    assert_int_equal(cand[0].port, 0);
    assert_int_equal(cand[1].port, 1);
    cop_rng before = rng; /* no tie: nothing is drawn */
    hop.dst = 4;
    assert_int_equal(r.ops->route(&r, &hop, &view, cand), 1);
    assert_memory_equal(&rng, &before, sizeof(rng));
    cop_route_fini(&r);
    rng = cop_rng_make(4, COP_RNG_ROUTE, 0);
    uint32_t *flows = count_flows(&t, COP_TIES_RANDOM, false, &rng), low, high;
    range_of(&t, flows, 1, &low, &high); /* 8 + 6 certain of 24; 4 * 3 ties, half of them */
    assert_true(low > 18 && high < 32);
    cop_free(flows);
    cop_topo_free(&t);
}

/* What a routing says of itself: only chance gives up the order of flows, and only where rings have
 * ties; with one path per switch and destination there is a table. */
static void test_promises_of_ties(void **state)
{
    (void)state;
    const cop_cube_cfg even = {INTS(4, 5), 1}, odd = {INTS(5, 3), 1};
    for (int ties = COP_TIES_SPLIT; ties <= COP_TIES_PLUS; ties++)
        for (int is_even = 0; is_even < 2; is_even++) {
            cop_topo t;
            cop_route r;
            bool chance = ties == COP_TIES_RANDOM && is_even;
            build(&t, "torus", is_even ? &even : &odd);
            start(&r, "dor", &t, &(cop_dor_cfg){.datelines = true, .ties = ties}, 0);
            assert_int_equal(r.facts.in_order, !chance);
            assert_int_equal(r.facts.max_cand, chance ? 2 : 1);
            assert_false(r.facts.single || r.facts.memoryless);
            cop_route_fini(&r);
            start(&r, "dor", &t, &(cop_dor_cfg){.datelines = false, .ties = ties}, 0);
            assert_int_equal(r.facts.single, !chance);
            assert_int_equal(r.facts.in_order, !chance);
            cop_route_fini(&r);
            start(&r, "adaptive-cube", &t, &(cop_adaptive_cube_cfg){.ties = ties}, 0);
            assert_false(r.facts.in_order);
            assert_int_equal(r.facts.max_cand,
                             2 + is_even + (is_even && ties != COP_TIES_PLUS ? 2 : 1));
            cop_route_fini(&r);
            cop_topo_free(&t);
        }
}

static uint64_t tie_load(void *ctx, uint32_t port, uint32_t vl)
{
    (void)vl;
    return ((const uint64_t *)ctx)[port];
}

/* Adaptive: the less loaded way, for adaptive and escape lanes; that of dimension order if both are
 * equally loaded. A list of ways has both. */
static void test_adaptive_decides(void **state)
{
    (void)state;
    cop_topo t;
    cop_route a, d;
    cop_cand cand[COP_MAX_CAND], dor;
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 6), 2});
    start(&a, "adaptive-cube", &t, NULL, 0);
    start(&d, "dor", &t, NULL, 0);
    for (uint32_t sw = 0; sw < t.n_switches; sw++)
        for (uint32_t dst = 0; dst < t.n_hosts; dst++) {
            uint64_t load[6] = {0};
            cop_rng rng = cop_rng_make(3, COP_RNG_ROUTE, sw);
            cop_route_view view = {load, tie_load, &rng, NULL};
            cop_hop hop = {.sw = sw, .in_port = 4, .dst = dst, .mid = COP_NONE};
            if ((sw + 2) % 4 != dst / 2 % 4 || sw / 4 != dst / 2 / 4)
                continue; /* half-way round dimension 0, and nothing else to do */
            assert_int_equal(a.ops->route(&a, &hop, NULL, cand), 4);
            assert_true(cand[0].port == 0 && cand[1].port == 1 && !cand[0].escape);
            assert_true(cand[2].port == 0 && cand[3].port == 1 && cand[2].escape);
            assert_int_equal(d.ops->route(&d, &hop, NULL, &dor), 1);
            for (uint32_t crowded = 0; crowded < 3; crowded++) { /* 2: neither */
                uint32_t way = crowded < 2 ? 1 - crowded : dor.port;
                memset(load, 0, sizeof(load));
                load[crowded] = 1;
                assert_int_equal(a.ops->route(&a, &hop, &view, cand), 2);
                assert_int_equal(cand[0].port, way);
                assert_int_equal(cand[1].port, way);
                assert_true(cand[1].escape && !cand[0].escape);
            }
        }
    cop_route_fini(&a);
    cop_route_fini(&d);
    start(&a, "adaptive-cube", &t, &(cop_adaptive_cube_cfg){.ties = COP_TIES_PLUS}, 0);
    cop_hop hop = {.sw = 0, .in_port = 4, .dst = 2 * 2, .mid = COP_NONE};
    uint64_t load[6] = {1, 0};
    cop_route_view view = {load, tie_load, NULL, NULL};
    assert_int_equal(a.ops->route(&a, &hop, &view, cand), 3); /* both ways, and plus as escape */
    assert_int_equal(cand[0].port, 1);
    assert_int_equal(cand[1].port, 0);
    assert_int_equal(cand[2].port, 0);
    cop_route_fini(&a);
    cop_topo_free(&t);
}

static void expect_free(const cop_topo *t, const char *name, const void *cfg, uint32_t lanes)
{
    cop_route r;
    cop_cdg_result c;
    start(&r, name, t, cfg, lanes);
    cop_cdg_check(&r, NULL, 0, &c);
    assert_false(c.unreachable);
    if (!c.acyclic)
        fail_msg("%s with %u lanes: cycle of %u channels", name, r.lanes, c.cycle_len);
    cop_cdg_free(&c);
    cop_route_fini(&r);
}

static void test_no_cycle(void **state)
{
    (void)state;
    const cop_cube_cfg cubes[] = {{INTS(4), 2},       {INTS(8), 1},       {INTS(4, 6), 1},
                                  {INTS(4, 4, 4), 1}, {INTS(6, 2, 4), 1}, {INTS(5, 4), 2}};
    for (size_t i = 0; i < COP_LEN(cubes); i++) {
        cop_topo t;
        build(&t, "torus", &cubes[i]);
        for (int ties = COP_TIES_SPLIT; ties <= COP_TIES_PLUS; ties++) {
            const cop_dor_cfg dor = {.datelines = true, .ties = ties};
            const cop_adaptive_cube_cfg adaptive = {.ties = ties};
            cop_route r;
            start(&r, "dor", &t, &dor, 0);
            check_pairs(&r, true);
            cop_route_fini(&r);
            start(&r, "adaptive-cube", &t, &adaptive, 4);
            check_pairs(&r, true);
            cop_route_fini(&r);
            expect_free(&t, "dor", &dor, 0);
            expect_free(&t, "dor", &dor, 3);
            expect_free(&t, "adaptive-cube", &adaptive, 0);
            expect_free(&t, "adaptive-cube", &adaptive, 5);
        }
        cop_topo_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_is_even),    cmocka_unit_test(test_split_of_six),
        cmocka_unit_test(test_plus_is_uneven),   cmocka_unit_test(test_random_draws),
        cmocka_unit_test(test_promises_of_ties), cmocka_unit_test(test_adaptive_decides),
        cmocka_unit_test(test_no_cycle),
    };
    return cmocka_run_group_tests_name("route_ties", tests, NULL, NULL);
}
