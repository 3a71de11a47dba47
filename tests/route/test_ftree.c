/* Routing ftree on trees without a known shape: OpenSM's table of a small fabric, balance on larger and damaged
 * ones, and what is no tree. Run from the top of the source tree. */
#include "route/route_cfg.h"
#include "topo/topo_cfg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void start(cop_route *r, const cop_topo *t)
{
    cop_err err = {0};
    if (cop_route_init(r, cop_route_find("ftree"), t, NULL, 1, &err) != 0)
        fail_msg("%s", err.text);
    assert_true(r->facts.single && r->facts.memoryless && r->facts.in_order);
    cop_cdg_result c;
    cop_cdg_check(r, NULL, 0, &c);
    assert_true(c.acyclic && !c.unreachable && !c.sampled);
    cop_cdg_free(&c);
}

static void refuse(const cop_topo *t, const char *why)
{
    cop_route r;
    cop_err err = {0};
    assert_int_equal(cop_route_init(&r, cop_route_find("ftree"), t, NULL, 1, &err), -COP_E_INPUT);
    if (strstr(err.text, why) == NULL || strchr(err.text, ';') == NULL)
        fail_msg("\"%s\" lacks \"%s\" or advice", err.text, why);
}

/* Four leaves of four hosts, two spines, two cables from each leaf to each spine: what OpenSM 3.3.23 gives. */
static void as_opensm(void **state)
{
    (void)state;
    static const uint16_t up[4] = {4, 6, 5, 7}, down[2][4] = {{0, 1, 1, 0}, {0, 0, 1, 1}};
    cop_topo t = {0};
    cop_err err = {0};
    cop_file_cfg cfg = {"examples/fabric16.net"};
    assert_int_equal(cop_topo_find("file")->build(&t, &cfg, &err), 0);
    cop_route r;
    start(&r, &t);
    for (uint32_t h = 0; h < 16; h++) {
        for (uint32_t leaf = 0; leaf < 4; leaf++)
            assert_int_equal(r.lft[leaf * 16 + h], leaf == h / 4 ? h % 4 : up[h % 4]);
        for (uint32_t spine = 0; spine < 2; spine++)
            assert_int_equal(r.lft[(4 + spine) * 16 + h], 2 * (h / 4) + down[spine][h % 4]);
    }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* A k-ary 3-tree cabled by hand, without its shape. Leaf l of pod p is switch p k + l, then come
 * the switches in the middle, then the roots. Every `gap`th host is missing; 0: none. */
enum { K = 3, PODS = K, LEAVES = K * K, ROOTS = K * K };

static void build(cop_topo *t, uint32_t gap)
{
    uint32_t ports[3 * K * K], hosts = 0, next = 0;
    for (uint32_t s = 0; s < 3 * K * K; s++)
        ports[s] = 2 * K;
    for (uint32_t h = 0; h < K * K * K; h++)
        hosts += gap == 0 || h % gap != 0;
    *t = (cop_topo){0};
    cop_topo_begin(t, hosts, 3 * K * K, ports);
    for (uint32_t h = 0; h < K * K * K; h++)
        if (gap == 0 || h % gap != 0)
            cop_topo_cable(t, cop_topo_host_port(t, next++), cop_topo_switch_port(t, h / K, h % K),
                           COP_LINK_HOST);
    for (uint32_t p = 0; p < PODS; p++)
        for (uint32_t i = 0; i < K; i++)
            for (uint32_t m = 0; m < K; m++) {
                uint32_t middle = LEAVES + p * K + m;
                cop_topo_cable(t, cop_topo_switch_port(t, p * K + i, K + m),
                               cop_topo_switch_port(t, middle, i), COP_LINK_TRUNK);
                cop_topo_cable(t, cop_topo_switch_port(t, middle, K + i),
                               cop_topo_switch_port(t, 2 * LEAVES + m * K + i, p), COP_LINK_TRUNK);
            }
    t->kind = "test";
    cop_err err = {0};
    if (cop_topo_finish(t, &err) != 0)
        fail_msg("%s", err.text);
}

/* Destinations that leave by each port on their way from all leaves. */
static void count(const cop_route *r, uint32_t *used)
{
    const cop_topo *t = r->topo;
    memset(used, 0, t->host_port0 * sizeof(*used));
    for (uint32_t d = 0; d < t->n_hosts; d++) {
        bool seen[3 * K * K] = {false};
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
            for (uint32_t s = leaf, steps = 0; !seen[s]; steps++) {
                seen[s] = true;
                assert_true(steps < 5); /* up two levels and down again: the shortest way */
                uint32_t p = cop_topo_switch_port(t, s, r->lft[(size_t)s * t->n_hosts + d]);
                used[p]++;
                if (cop_topo_is_host_port(t, t->port[p].to))
                    break;
                s = t->port[t->port[p].to].owner;
            }
    }
}

/* On a complete tree each port of one level, up or down, serves equally many destinations. */
static void spreads_evenly(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    uint32_t used[3 * K * K * 2 * K];
    build(&t, 0);
    start(&r, &t);
    count(&r, used);
    for (uint32_t s = 0; s < 3 * K * K; s++)
        for (uint32_t i = 0; i < 2 * K; i++) {
            uint32_t p = cop_topo_switch_port(&t, s, i);
            if (t.port[p].to == COP_NONE)
                continue;
            bool up = i >= K, leaf = s < LEAVES;
            /* leaf: 24 hosts elsewhere by 3 ports, its own by 1; middle: 18 of other pods that its leaves
             * send to it, 6 each; a middle switch is the main one of 3 hosts below; roots: 27 / 9 each */
            uint32_t want = leaf ? (up ? 8 : 1) : s >= 2 * LEAVES ? 1 : up ? 2 : 1;
            assert_int_equal(used[p], want);
        }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Every fourth host is missing. As OpenSM does it, missing hosts count as the last ones of their leaf, so the hosts
 * of all leaves stay in step: first ones share a middle switch, second ones the next; the third has only those of
 * leaves 3 and 7, which are full. */
static void hosts_missing(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    uint32_t used[3 * K * K * 2 * K];
    build(&t, 4);
    assert_int_equal(t.n_hosts, 20);
    start(&r, &t);
    count(&r, used);
    for (uint32_t s = 0; s < LEAVES; s++) {
        uint32_t p = cop_topo_switch_port(&t, s, K);
        assert_int_equal(used[p], LEAVES - 1);
        assert_int_equal(used[p + 1], LEAVES - 1);
        assert_int_equal(used[p + 2], 2 - (s == 3 || s == 7));
    }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void no_tree(void **state)
{
    (void)state;
    cop_topo t = {0};
    cop_err err = {0};
    cop_full_cfg full = {3, 2};
    assert_int_equal(cop_topo_find("full")->build(&t, &full, &err), 0);
    refuse(&t,
           "no way up and down again from switch s0 to host h2: switches with hosts are leaves");
    cop_topo_free(&t);
    cop_multistage_cfg omega = {2, 3};
    assert_int_equal(cop_topo_find("omega")->build(&t, &omega, &err), 0);
    refuse(&t, "needs links in both directions, the topology is omega");
    cop_topo_free(&t);
    int64_t ends[21] = {1};
    ends[20] = 1;
    cop_chain_cfg chain = {{ends, 21}, NULL};
    assert_int_equal(cop_topo_find("chain")->build(&t, &chain, &err), 0);
    refuse(&t, "more than 8 levels above the hosts");
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_opensm),
        cmocka_unit_test(spreads_evenly),
        cmocka_unit_test(hosts_missing),
        cmocka_unit_test(no_tree),
    };
    return cmocka_run_group_tests_name("ftree", tests, NULL, NULL);
}
