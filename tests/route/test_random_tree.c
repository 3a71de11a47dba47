/* random-tree: every up port equally often, the same numbers the same port, one way down; in a running
 * network the links up share any traffic, and packets of a flow overtake each other. */
#include "route_fixture.h"

#include "scenario.h"
#include "topo/topo_cfg.h"

#include <stdio.h>

static void test_draws(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cand cand[COP_MAX_CAND];
    build(&t, "xgft", &(cop_xgft_cfg){INTS(4, 4, 4), INTS(1, 3, 5)});
    start(&r, "random-tree", &t, NULL, 0);
    assert_int_equal(r.facts.max_cand, 5);
    cop_rng rng = cop_rng_make(3, COP_RNG_ROUTE, 0);
    cop_route_view view = {NULL, NULL, &rng, NULL}; /* no loads: it must not ask for them */
    const uint32_t sw[] = {0, t.shape.u.tree.level0[2]}, ups[] = {3, 5};
    for (size_t i = 0; i < 2; i++) {
        cop_hop hop = {.sw = sw[i], .dst = 63, .mid = COP_NONE};
        unsigned hits[16] = {0};
        for (int k = 0; k < 6000; k++) {
            cop_rng before = rng;
            assert_int_equal(r.ops->route(&r, &hop, &view, cand), 1);
            hits[cand[0].port]++;
            uint16_t port = cand[0].port;
            rng = before;
            r.ops->route(&r, &hop, &view, cand);
            assert_int_equal(cand[0].port, port);
        }
        for (uint32_t u = 0; u < ups[i]; u++)
            assert_in_range(hits[4 + u], 5400 / ups[i], 6600 / ups[i]);
        assert_int_equal(r.ops->route(&r, &hop, NULL, cand), ups[i]);
        for (uint32_t u = 0; u < ups[i]; u++)
            assert_int_equal(cand[u].port, 4 + u);
        cop_rng before = rng;
        hop.dst = 2; /* below: no choice, nothing drawn */
        assert_int_equal(r.ops->route(&r, &hop, &view, cand), 1);
        assert_int_equal(cand[0].port, i == 0 ? 2 : 0);
        assert_memory_equal(&rng, &before, sizeof(rng));
    }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* 4-ary 2-tree; three hosts of the first leaf send to hosts that dmodk reaches by one and the same port
 * up, so that they get a third of it. Drawn ports let 3/4 of four links' load through. */
static const char tree[] = "run: {duration: 2 ms, warmup: 40 us}\n"
                           "topology: {kind: kary-ntree, k: 4, n: 2}\n"
                           "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                           "traffic:\n"
                           "  - {name: a, from: [0], pattern: fixed, to: 4, message: 2 KiB, "
                           "arrival: poisson, load: 80 %}\n"
                           "  - {name: b, from: [1], pattern: fixed, to: 8, message: 2 KiB, "
                           "arrival: poisson, load: 80 %}\n"
                           "  - {name: c, from: [2], pattern: fixed, to: 12, message: 2 KiB, "
                           "arrival: poisson, load: 80 %}\n";

static void test_shares(void **state)
{
    (void)state;
    const char *const dmodk[] = {"routing.kind=dmodk"};
    const char *const chance[] = {"routing.kind=random-tree", "run.flows=yes"};
    cop_result r;
    scn_run(tree, dmodk, 1, &r, NULL);
    assert_true(r.throughput_total_gbps > 15.9 && r.throughput_total_gbps < 16.1);
    cop_result_free(&r);
    scn_run(tree, chance, 2, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK); /* out of order, and that is no fault here */
    assert_true(r.throughput_total_gbps > 3 * 0.8 * 16 * 0.97);
    for (uint32_t i = 0; i < r.n_ports; i++) {
        unsigned port;
        if (sscanf(r.port[i].name, "s0.%u", &port) == 1 && port >= 4)
            assert_true(r.port[i].utilisation > 0.55 && r.port[i].utilisation < 0.65);
    }
    cop_result_free(&r);
}

/* Uniform traffic: packets that draw their port meet more often than those of a fixed table, which
 * sends to one host by one port. */
static void test_latency(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 60 us, warmup: 20 us}\n"
        "topology: {kind: kary-ntree, k: 4, n: 3}\n"
        "link: {rate: 32 Gbit/s, delay: 1 ns}\n"
        "switch: {pipeline: 2 ns, header: 4 B, buffer: 4 KiB}\n"
        "nic: {mtu: 64 B}\n"
        "traffic: [{name: u, pattern: uniform, arrival: bernoulli, load: 0.7, message: 64 B}]\n";
    const char *const set[] = {"routing.kind=dmodk", "routing.kind=adaptive-tree",
                               "routing.kind=random-tree"};
    double mean[3];
    for (size_t i = 0; i < 3; i++) {
        cop_result r;
        scn_run(yaml, &set[i], 1, &r, NULL);
        mean[i] = cop_hist_mean(r.latency);
        cop_result_free(&r);
    }
    assert_true(mean[2] > 1.15 * mean[0] && mean[2] < 1.4 * mean[0]);
    assert_true(mean[2] > 1.1 * mean[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_draws), cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_latency)};
    return cmocka_run_group_tests_name("random_tree", tests, NULL, NULL);
}
