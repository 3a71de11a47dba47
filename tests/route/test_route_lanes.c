/* Dimension order uses all lanes it is given: every lane carries its share of all pairs, with even and
 * odd numbers of lanes; packets change class at the dateline and nowhere else; no cycle. Adaptive routings use all lanes of
 * hosts' links. */
#include "route_fixture.h"

#include "route/cube_map.h"
#include "topo/topo_cfg.h"

/* Packets of all pairs per channel, [port * lanes + lane]; host links, too. */
static uint64_t *count_channels(const cop_route *r)
{
    const cop_topo *t = r->topo;
    uint64_t *count = cop_alloc((size_t)t->n_ports * r->lanes * sizeof(*count));
    for (uint32_t src = 0; src < t->n_hosts; src++)
        for (uint32_t dst = 0; dst < t->n_hosts; dst++) {
            cop_hop hop = {.src = src, .dst = dst, .mid = COP_NONE};
            uint32_t port = cop_topo_host_port(t, src);
            hop.in_vl = r->ops->inject(r, &hop, NULL);
            while (src != dst) {
                assert_true(hop.in_vl < r->lanes);
                count[(size_t)port * r->lanes + hop.in_vl]++;
                uint32_t at = t->port[port].to;
                if (cop_topo_is_host_port(t, at))
                    break;
                cop_cand c;
                hop.sw = t->port[at].owner;
                hop.in_port = t->port[at].local;
                assert_int_equal(r->ops->route(r, &hop, NULL, &c), 1);
                port = cop_topo_switch_port(t, hop.sw, c.port);
                if (!r->facts.single) /* else the network keeps the lane */
                    hop.in_vl = c.vl;
            }
        }
    return count;
}

enum { FROM_HOSTS, BETWEEN, TO_HOSTS };

/* Share of the lane among all lanes of one kind of link. */
static double share(const cop_route *r, const uint64_t *count, int kind, uint32_t lane)
{
    const cop_topo *t = r->topo;
    double sum = 0, all = 0;
    for (uint32_t p = 0; p < t->n_ports; p++) {
        int here = BETWEEN;
        if (cop_topo_is_host_port(t, p))
            here = FROM_HOSTS;
        else if (t->port[p].to != COP_NONE && cop_topo_is_host_port(t, t->port[p].to))
            here = TO_HOSTS;
        for (uint32_t vl = 0; here == kind && vl < r->lanes; vl++) {
            all += (double)count[(size_t)p * r->lanes + vl];
            sum += vl == lane ? (double)count[(size_t)p * r->lanes + vl] : 0;
        }
    }
    return sum / all;
}

static void within(const char *what, uint32_t lanes, double got, double want, double tolerance)
{
    if (!(got >= want * (1 - tolerance) && got <= want * (1 + tolerance)))
        fail_msg("%s with %u lanes: %.4f, expected %.4f", what, lanes, got, want);
}

static void test_all_lanes_are_used(void **state)
{
    (void)state;
    const struct {
        const char *kind;
        cop_cube_cfg cfg;
        bool datelines;
    } cubes[] = {{"torus", {INTS(8, 8), 1}, true},
                 {"torus", {INTS(7, 5), 2}, true},
                 {"torus", {INTS(8, 8), 1}, false},
                 {"mesh", {INTS(6, 6), 2}, true}};
    for (size_t i = 0; i < COP_LEN(cubes); i++)
        for (uint32_t lanes = 2; lanes <= 8; lanes++) {
            cop_topo t;
            cop_route r;
            build(&t, cubes[i].kind, &cubes[i].cfg);
            start(&r, "dor", &t, &(cop_dor_cfg){.datelines = cubes[i].datelines}, lanes);
            uint64_t *count = count_channels(&r);
            bool classes = strcmp(cubes[i].kind, "torus") == 0 && cubes[i].datelines;
            for (uint32_t vl = 0; vl < lanes; vl++)
                for (int kind = FROM_HOSTS; kind <= TO_HOSTS; kind++)
                    within(cubes[i].kind, lanes, share(&r, count, kind, vl), 1.0 / lanes,
                           classes && kind != FROM_HOSTS ? 0.25 : 0.1);
            cop_free(count);
            cop_route_fini(&r);
            cop_topo_free(&t);
        }
}

/* Rings of 8, ties split: of 64 hops in a direction 15 are before the dateline, 7 behind it, 42 in rings
 * whose dateline is not crossed, on any lane. Lower lanes share the first, upper ones the second. */
static void test_shares_of_classes(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 8), 1});
    for (uint32_t lanes = 2; lanes <= 7; lanes++) {
        cop_route r;
        start(&r, "dor", &t, NULL, lanes);
        uint64_t *count = count_channels(&r);
        double lower = (lanes + 1) / 2, upper = lanes - lower, got[2] = {0};
        for (uint32_t vl = 0; vl < lanes; vl++)
            got[vl >= (lanes + 1) / 2] += share(&r, count, BETWEEN, vl);
        within("lower lanes", lanes, got[0], (15 + 42 * lower / lanes) / 64, 0.05);
        within("upper lanes", lanes, got[1], (7 + 42 * upper / lanes) / 64, 0.05);
        /* Link 7 -> 0: all cross it. */
        uint32_t wrap = cop_topo_switch_port(&t, 7, 0);
        for (uint32_t vl = 0; vl < lanes; vl++)
            assert_true((count[wrap * lanes + vl] > 0) == (vl < (lanes + 1) / 2));
        cop_free(count);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

/* Option `lanes`: only the first ones; the network gets as many as it says. */
static void test_lanes_option(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 5), 1});
    const cop_dor_cfg three = {.datelines = true, .lanes = 3},
                      one = {.datelines = true, .lanes = 1};
    start(&r, "dor", &t, &three, 5);
    uint64_t *count = count_channels(&r);
    for (uint32_t vl = 0; vl < 5; vl++)
        for (int kind = FROM_HOSTS; kind <= TO_HOSTS; kind++)
            assert_true((share(&r, count, kind, vl) > 0) == (vl < 3));
    cop_free(count);
    cop_route_fini(&r);
    start(&r, "dor", &t, &three, 0);
    assert_int_equal(r.lanes, 3);
    cop_route_fini(&r);
    cop_err err = {0};
    const cop_route_ops *ops = cop_route_find("dor");
    assert_int_equal(cop_route_init(&r, ops, &t, &three, 2, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "needs 3 virtual lanes, the network has 2"));
    err = (cop_err){0};
    assert_int_equal(cop_route_init(&r, ops, &t, &one, 4, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "need two lanes"));
    cop_topo_free(&t);
    build(&t, "mesh", &(cop_cube_cfg){INTS(4, 5), 1});
    start(&r, "dor", &t, &one, 4);
    cop_hop hop = {.src = 3, .dst = 9, .mid = COP_NONE};
    assert_int_equal(r.ops->inject(&r, &hop, NULL), 0);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* The adaptive routings draw the lane on which a host injects, and leave by any: all that its link has, and no others. */
static void test_lanes_of_hosts(void **state)
{
    (void)state;
    static const char *const kinds[] = {"adaptive-cube", "true-adaptive"};
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 5), 2});
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (uint32_t have = 1; have <= 5; have++) {
            cop_route r;
            cop_cand cand[COP_MAX_CAND];
            uint32_t drawn[COP_MAX_VL] = {0}, left = 0;
            cop_rng rng = cop_rng_make(1, COP_RNG_ROUTE, have);
            const cop_route_view view = {.rng = &rng};
            start(&r, kinds[k], &t, NULL, 5);
            assert_int_equal(r.facts.host_lanes, 5);
            r.facts.host_lanes = have;
            cop_hop hop = {.src = 3, .dst = 8, .sw = 4, .mid = COP_NONE};
            for (uint32_t i = 0; i < 1000; i++)
                drawn[r.ops->inject(&r, &hop, &view)]++;
            for (uint32_t vl = 0; vl < COP_MAX_VL; vl++)
                assert_true(vl < have ? drawn[vl] > 800 / have : drawn[vl] == 0);
            unsigned n = r.ops->route(&r, &hop, NULL, cand);
            for (unsigned i = 0; i < n; i++)
                left |= 1u << cand[i].vl;
            assert_int_equal(n, have);
            assert_int_equal(left, (1u << have) - 1);
            cop_cdg_result c;
            cop_cdg_check(&r, NULL, 0, &c);
            assert_int_equal(c.lanes[COP_LINK_HOST], have);
            assert_int_equal(c.lanes[COP_LINK_TRUNK], 5);
            cop_cdg_free(&c);
            hop.apart = true; /* control packets that have lanes of their own have one here */
            assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 1);
            cop_route_fini(&r);
        }
    cop_topo_free(&t);
}

/* Every number of lanes, every tie rule, rings beside open dimensions: no cycle. */
static void test_no_cycle(void **state)
{
    (void)state;
    const cop_cube_cfg cubes[] = {
        {INTS(4), 2}, {INTS(8), 1}, {INTS(5, 6), 1}, {INTS(2, 4), 2}, {INTS(4, 2, 3), 1}};
    for (size_t i = 0; i < COP_LEN(cubes); i++) {
        cop_topo t;
        build(&t, "torus", &cubes[i]);
        for (uint32_t lanes = 2; lanes <= 16; lanes += lanes < 8 ? 1 : 4)
            for (int ties = COP_TIES_SPLIT; ties <= COP_TIES_PLUS; ties++) {
                cop_route r;
                cop_cdg_result c;
                start(&r, "dor", &t, &(cop_dor_cfg){.datelines = true, .ties = ties}, lanes);
                check_pairs(&r, true);
                cop_cdg_check(&r, NULL, 0, &c);
                assert_false(c.unreachable);
                if (!c.acyclic)
                    fail_msg("%u lanes, ties %d: cycle of %u channels", lanes, ties, c.cycle_len);
                cop_cdg_free(&c);
                cop_route_fini(&r);
            }
        cop_topo_free(&t);
    }
}

/* The check must be able to fail: upper lanes that lead back to lower ones close a ring. */
static unsigned back_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                           cop_cand *cand)
{
    unsigned n = cop_route_dor.route(r, hop, view, cand);
    cand[0].vl %= 2;
    return n;
}

static void test_classes_matter(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cdg_result c;
    cop_err err = {0};
    cop_route_ops ops = cop_route_dor;
    ops.route = back_route;
    build(&t, "torus", &(cop_cube_cfg){INTS(8), 1});
    assert_int_equal(cop_route_init(&r, &ops, &t, NULL, 4, &err), 0);
    cop_cdg_check(&r, NULL, 0, &c);
    assert_false(c.acyclic);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_lanes_are_used), cmocka_unit_test(test_shares_of_classes),
        cmocka_unit_test(test_lanes_option),       cmocka_unit_test(test_lanes_of_hosts),
        cmocka_unit_test(test_no_cycle),           cmocka_unit_test(test_classes_matter),
    };
    return cmocka_run_group_tests_name("route_lanes", tests, NULL, NULL);
}
