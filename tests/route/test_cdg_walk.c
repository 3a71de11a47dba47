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
    cop_cdg_check(&r, NULL, 0, &a);
    cop_cdg_result computed; /* large trees have no table */
    r.lft = NULL;
    cop_cdg_check(&r, NULL, 0, &computed);
    assert_int_equal(a.channels, computed.channels);
    assert_int_equal(a.dependencies, computed.dependencies);
    assert_true(computed.acyclic && !computed.unreachable);
    cop_cdg_free(&computed);
    r.facts.single = false;
    cop_cdg_check(&r, NULL, 0, &b);
    r.facts.memoryless = false;
    cop_cdg_check(&r, NULL, 0, &d);
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
    r->facts.single = single;
    cop_cdg_check(r, NULL, 0, &c);
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
    cop_cdg_check(&r, NULL, 200000, &c);
    assert_true(c.sampled);
    assert_true(c.acyclic);
    assert_false(c.unreachable);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    start(&r, &cop_route_dragonfly_min, &t, NULL, 0);
    cop_cdg_check(&r, NULL, 10000000, &c);
    assert_false(c.sampled);
    assert_true(c.acyclic);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
    /* 648 hosts are checked in full: 1 step per (switch on a path, destination) and start. */
    build(&t, "xgft", &(cop_xgft_cfg){INTS(18, 36), INTS(1, 18)});
    start(&r, &cop_route_dmodk, &t, NULL, 0);
    cop_cdg_check(&r, NULL, 200000, &c);
    assert_false(c.sampled);
    assert_true(c.acyclic);
    assert_int_equal(c.channels, 2 * 648 + 2 * 648); /* host links and trunks, both ways */
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Sampled with this budget, and complete with one step more. */
static void expect_cost_before_last(const cop_route *r, uint64_t steps)
{
    for (uint64_t more = 0; more < 2; more++) {
        cop_cdg_result c;
        cop_cdg_check(r, NULL, steps + more, &c);
        assert_int_equal(c.sampled, more == 0);
        assert_false(c.unreachable);
        cop_cdg_free(&c);
    }
}

/* What a budget counts, on two switches with two hosts each. All destinations cost the same, and the
 * last of the four is begun if there is a step left. */
static void test_steps(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    build(&t, "chain", &(cop_chain_cfg){.hosts = INTS(2, 2)});
    start(&r, &cop_route_minhop, &t, NULL, 1);
    /* Table: from the neighbour 1, from the far switch 2, from its second host 1 more. */
    expect_cost_before_last(&r, 3 * 4);
    /* By switches: 3 hosts, 2 switches and their one candidate each, a dependency between them. */
    r.facts.single = false;
    expect_cost_before_last(&r, 3 * (3 + 2 * 2 + 1));
    /* By state: each host enters by a port of its own, and the far ones go on by the trunk; two
     * dependencies, of both on the link to the host. */
    r.facts.memoryless = false;
    expect_cost_before_last(&r, 3 * (3 + 4 * 2 + 2));
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Three switches in a row with a host each: port 0 is the host, then the neighbour on the left, if
 * any, and on the right. Every hop is offered on lane 1 (adaptive) and on lane 0 (escape). */
static cop_cand towards(const cop_topo *t, uint32_t from, uint32_t to, bool escape)
{
    uint32_t port = to < from ? 1 : from > 0 ? 2 : 1;
    assert_int_equal(peer_switch(t, from, port), to);
    return (cop_cand){.port = (uint16_t)port, .vl = escape ? 0 : 1, .escape = escape};
}

static unsigned row_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand)
{
    (void)view;
    if (hop->dst == hop->sw) {
        cand[0] = (cop_cand){.port = 0, .escape = 1};
        return 1;
    }
    uint32_t next = hop->dst > hop->sw ? hop->sw + 1 : hop->sw - 1;
    cand[0] = towards(r->topo, hop->sw, next, false);
    cand[1] = towards(r->topo, hop->sw, next, true);
    return 2;
}

/* The same, but a packet for the last host that has just come to the middle may step back. */
static unsigned step_back_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                cop_cand *cand)
{
    unsigned n = row_route(r, hop, view, cand);
    if (hop->sw == 1 && hop->dst == 2 && hop->in_port == 1)
        cand[n++] = towards(r->topo, 1, 0, false);
    return n;
}

static int row_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg, (void)err;
    r->facts.vls = 2;
    r->facts.max_cand = 3;
    return 0;
}

/* Escape channels R01, R12, L21, L10 and the links to the hosts depend on each other directly as in
 * any row: R01 -> R12, R01 -> h1, R12 -> h2, and the same to the left. Over an adaptive hop R01 ->
 * h2 is added, and L21 -> h0. If packets may step back on the adaptive lane, then R01 waits for
 * R01: only the dependencies through adaptive hops show it. */
static void test_dependencies_through_adaptive_hops(void **state)
{
    (void)state;
    const cop_route_ops row = {.name = "row", .setup = row_setup, .route = row_route};
    const cop_route_ops back = {.name = "back", .setup = row_setup, .route = step_back_route};
    cop_topo t;
    cop_route r;
    cop_cdg_result c;
    build(&t, "chain", &(cop_chain_cfg){.hosts = INTS(1, 1, 1)});
    start(&r, &row, &t, NULL, 2);
    cop_cdg_check(&r, NULL, 0, &c);
    assert_true(c.acyclic && !c.unreachable);
    /* From a host: both lanes of the trunks next to it. */
    const uint64_t injections = 2 + 4 + 2;
    assert_int_equal(c.dependencies, 2 * (3 + 1) + injections);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    start(&r, &back, &t, NULL, 2);
    cop_cdg_check(&r, NULL, 0, &c);
    assert_false(c.acyclic || c.unreachable);
    assert_int_equal(c.cycle_len, 1);
    assert_int_equal(c.cycle[0], cop_topo_switch_port(&t, 0, 1));
    assert_int_equal(c.cycle_vl[0], 0);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* The one choice of the routing: at the first switch, for the last host. */
static unsigned one_choice_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                 cop_cand *cand)
{
    (void)view;
    cand[0] = (cop_cand){.port = 0};
    if (hop->dst == hop->sw)
        return 1;
    cand[0] = towards(r->topo, hop->sw, hop->dst > hop->sw ? hop->sw + 1 : hop->sw - 1, true);
    cand[0].escape = hop->sw == 0 && hop->dst == 2;
    if (!cand[0].escape)
        return 1;
    cand[1] = towards(r->topo, 0, 1, false);
    return 2;
}

/* One hop is enough for an escape network, also the first that is looked at. To host 0: from h1 to L10,
 * from h2 to L21, L21 -> L10, L10 -> h0. To host 1: from h0 to R01, R01 -> h1, L21 -> h1. To host 2: from
 * h0 to lane 1 of R01, from h1 to R12, R01 -> R12, R12 -> h2; who is on lane 1 of R01 waits for R12, but
 * that lane is not of the escape network. */
static void test_one_escape_is_enough(void **state)
{
    (void)state;
    const cop_route_ops ops = {.name = "choice", .setup = row_setup, .route = one_choice_route};
    cop_topo t;
    cop_route r;
    cop_cdg_result c;
    build(&t, "chain", &(cop_chain_cfg){.hosts = INTS(1, 1, 1)});
    start(&r, &ops, &t, NULL, 2);
    cop_cdg_check(&r, NULL, 0, &c);
    assert_true(c.acyclic && !c.unreachable);
    assert_int_equal(c.dependencies, 4 + 3 + 4);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* A mesh of three in a row: port 0 to the right, 1 to the left, 2 the host. On the way from `sw` to
 * `dst` there is one more candidate. */
typedef struct stray {
    uint32_t sw, dst;
    uint16_t port;
    bool good;
} stray;

static unsigned stray_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                            cop_cand *cand)
{
    const stray *s = r->cfg;
    (void)view;
    cand[0] = (cop_cand){.port = hop->dst > hop->sw ? 0 : hop->dst < hop->sw ? 1 : 2};
    if (hop->sw != s->sw || hop->dst != s->dst)
        return 1;
    cand[1] = (cop_cand){.port = s->port};
    return 2;
}

/* Each candidate must lead on, also if another one does. */
static void test_one_bad_candidate_of_two(void **state)
{
    (void)state;
    const cop_route_ops ops = {.name = "stray", .setup = row_setup, .route = stray_route};
    const stray all[] = {{1, 2, 3, false} /* no such port */,
                         {1, 2, 2, false} /* another host */,
                         {0, 2, 1, false} /* no cable */,
                         {1, 2, 1, true} /* back, from where it may come again */};
    cop_topo t;
    build(&t, "mesh", &(cop_cube_cfg){INTS(3), 1});
    for (size_t i = 0; i < COP_LEN(all); i++)
        for (int memoryless = 0; memoryless < 2; memoryless++) {
            cop_route r;
            cop_cdg_result c;
            start(&r, &ops, &t, &all[i], 2);
            r.facts.memoryless = memoryless != 0;
            cop_cdg_check(&r, NULL, 0, &c);
            assert_int_equal(c.unreachable, !all[i].good);
            assert_int_equal(c.bad_dst, all[i].good ? COP_NONE : all[i].dst);
            assert_true(all[i].good || c.bad_src < 2);
            cop_cdg_free(&c);
            cop_route_fini(&r);
        }
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
    assert_true(e.slot == NULL && e.size == 0 && e.n == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_dependencies_through_adaptive_hops),
        cmocka_unit_test(test_one_escape_is_enough),
        cmocka_unit_test(test_one_bad_candidate_of_two),
        cmocka_unit_test(test_cycle_search),
    };
    return cmocka_run_group_tests_name("cdg_walk", tests, NULL, NULL);
}
