/* minhop and updn on random graphs against a plain reference: whole tables, and which pair is named if there
 * is no way. The graphs have what real fabrics have: several cables between two switches, cables from a switch
 * to itself, ports without one, switches without hosts, switches without cables. */
#include "route_fixture.h"

#include <stdio.h>

enum { MOST = 10, PORTS = 8, FAR = 1000 };

typedef struct plan { /* the table that should come out, or the pair that has no way */
    uint16_t port[MOST * 3 * MOST];
    bool refused;
    uint32_t bad_sw, bad_dst;
} plan;

typedef bool ways[MOST][PORTS]; /* which ports of a switch lead to the destination */

static uint32_t next_switch(const cop_topo *t, uint32_t sw, uint32_t local)
{
    uint32_t to = t->port[cop_topo_switch_port(t, sw, local)].to;
    return to == COP_NONE || cop_topo_is_host_port(t, to) ? COP_NONE : t->port[to].owner;
}

/* Destinations by rising number; each switch takes the way with the fewest so far, the first of equals. */
static void spread(const cop_topo *t, uint32_t dst, ways way, uint32_t used[MOST][PORTS], plan *p)
{
    const cop_port *exit = &t->port[cop_topo_exit_port(t, dst)];
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        uint16_t best = sw == exit->owner ? exit->local : UINT16_MAX;
        for (uint16_t i = 0; sw != exit->owner && i < PORTS; i++)
            if (way[sw][i] && (best == UINT16_MAX || used[sw][i] < used[sw][best]))
                best = i;
        p->port[sw * t->n_hosts + dst] = best;
        if (best != UINT16_MAX) {
            used[sw][best]++;
            continue;
        }
        for (uint32_t h = 0; h < t->n_hosts; h++)
            if (cop_topo_entry_switch(t, h) == sw && !p->refused) {
                p->refused = true;
                p->bad_sw = sw;
                p->bad_dst = dst;
            }
    }
}

static void minhop_ways(const cop_topo *t, uint32_t exit, ways way)
{
    uint32_t dist[MOST];
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        dist[sw] = sw == exit ? 0 : FAR;
    for (uint32_t round = 0; round < t->n_switches; round++)
        for (uint32_t sw = 0; sw < t->n_switches; sw++)
            for (uint32_t i = 0; i < PORTS; i++) {
                uint32_t v = next_switch(t, sw, i);
                if (v != COP_NONE && dist[v] + 1 < dist[sw])
                    dist[sw] = dist[v] + 1;
            }
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        for (uint32_t i = 0; i < PORTS; i++) {
            uint32_t v = next_switch(t, sw, i);
            way[sw][i] = v != COP_NONE && dist[sw] < FAR && dist[v] + 1 == dist[sw];
        }
}

static void minhop_plan(const cop_topo *t, plan *p)
{
    uint32_t used[MOST][PORTS] = {{0}};
    *p = (plan){0};
    for (uint32_t dst = 0; dst < t->n_hosts && !p->refused; dst++) {
        ways way;
        minhop_ways(t, t->port[cop_topo_exit_port(t, dst)].owner, way);
        spread(t, dst, way, used, p);
    }
}

/* Hops from the nearest of `from`; FAR where there is no way. */
static void hops_from(const cop_topo *t, const bool *from, uint32_t *hops)
{
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        hops[sw] = from[sw] ? 0 : FAR;
    for (uint32_t round = 0; round < t->n_switches; round++)
        for (uint32_t sw = 0; sw < t->n_switches; sw++)
            for (uint32_t i = 0; i < PORTS; i++) {
                uint32_t v = next_switch(t, sw, i);
                if (v != COP_NONE && hops[v] + 1 < hops[sw])
                    hops[sw] = hops[v] + 1;
            }
}

static bool higher(const uint32_t *rank, uint32_t a, uint32_t b)
{
    return rank[a] < rank[b] || (rank[a] == rank[b] && a < b);
}

/* Shortest ways that go down only; where there is none, up to the neighbour that is nearest then. */
static void updn_ways(const cop_topo *t, const uint32_t *rank, uint32_t exit, ways way)
{
    uint32_t down[MOST], any[MOST];
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        down[sw] = any[sw] = sw == exit ? 0 : FAR;
    for (uint32_t round = 0; round < 2 * t->n_switches; round++)
        for (uint32_t sw = 0; sw < t->n_switches; sw++)
            for (uint32_t i = 0; i < PORTS; i++) {
                uint32_t v = next_switch(t, sw, i);
                if (v != COP_NONE && higher(rank, sw, v) && down[v] + 1 < down[sw])
                    down[sw] = down[v] + 1;
            }
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        any[sw] = down[sw];
    for (uint32_t round = 0; round < 2 * t->n_switches; round++)
        for (uint32_t sw = 0; sw < t->n_switches; sw++)
            for (uint32_t i = 0; i < PORTS && down[sw] == FAR; i++) {
                uint32_t v = next_switch(t, sw, i);
                if (v != COP_NONE && higher(rank, v, sw) && any[v] + 1 < any[sw])
                    any[sw] = any[v] + 1;
            }
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        for (uint32_t i = 0; i < PORTS; i++) {
            uint32_t v = next_switch(t, sw, i);
            if (v == COP_NONE || any[sw] >= FAR)
                way[sw][i] = false;
            else if (down[sw] < FAR)
                way[sw][i] = higher(rank, sw, v) && down[v] + 1 == down[sw];
            else
                way[sw][i] = higher(rank, v, sw) && any[v] + 1 == any[sw];
        }
}

static void updn_plan_from(const cop_topo *t, const bool *root, plan *p)
{
    uint32_t used[MOST][PORTS] = {{0}}, rank[MOST];
    *p = (plan){0};
    hops_from(t, root, rank);
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        if (rank[sw] == FAR)
            rank[sw] = t->n_switches - 1; /* cut off: below all others */
    for (uint32_t dst = 0; dst < t->n_hosts && !p->refused; dst++) {
        ways way;
        updn_ways(t, rank, t->port[cop_topo_exit_port(t, dst)].owner, way);
        spread(t, dst, way, used, p);
    }
}

/* 0: the roots farthest from hosts did, 1: they did not, 2: every switch has hosts. */
static int updn_plan(const cop_topo *t, plan *p)
{
    bool entry[MOST] = {false}, root[MOST] = {false};
    uint32_t hops[MOST], far = 0, best = 0, most = 0;
    for (uint32_t h = 0; h < t->n_hosts; h++)
        entry[cop_topo_entry_switch(t, h)] = true;
    hops_from(t, entry, hops);
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        far = hops[sw] < FAR && hops[sw] > far ? hops[sw] : far;
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        root[sw] = hops[sw] == far;
    if (far > 0) {
        updn_plan_from(t, root, p);
        if (!p->refused)
            return 0;
    }
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        uint32_t cables = 0;
        for (uint32_t i = 0; i < PORTS; i++)
            cables += next_switch(t, sw, i) != COP_NONE;
        if (cables > most) {
            most = cables;
            best = sw;
        }
    }
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        root[sw] = sw == best;
    updn_plan_from(t, root, p);
    return far > 0 ? 1 : 2;
}

static void begin(cop_topo *t, uint32_t hosts, uint32_t switches)
{
    uint32_t ports[MOST];
    for (uint32_t i = 0; i < MOST; i++)
        ports[i] = PORTS;
    *t = (cop_topo){0};
    cop_topo_begin(t, hosts, switches, ports);
}

static uint32_t free_port(const cop_topo *t, cop_rng *rng, uint32_t sw, bool out, bool in)
{
    for (int i = 0; i < 20; i++) {
        uint32_t p = cop_topo_switch_port(t, sw, cop_rng_below(rng, PORTS));
        if ((!out || t->port[p].to == COP_NONE) && (!in || t->port[p].from == COP_NONE))
            return p;
    }
    return COP_NONE;
}

/* Hosts at the first `homes` switches. Duplex, or each direction of a cable for itself. */
static void random_graph(cop_topo *t, cop_rng *rng, bool duplex)
{
    uint32_t n = 2 + cop_rng_below(rng, MOST - 1), homes = 1 + cop_rng_below(rng, n);
    uint32_t hosts = 1 + cop_rng_below(rng, 3 * homes - 1),
             cables = n / 2 + cop_rng_below(rng, 2 * n);
    begin(t, hosts, n);
    for (uint32_t h = 0; h < hosts; h++) {
        uint32_t sw = h % homes, other = duplex ? sw : cop_rng_below(rng, n);
        uint32_t to = free_port(t, rng, sw, true, true), from = duplex ? to : COP_NONE;
        while (from == COP_NONE)
            from = free_port(t, rng, other, true, false);
        cop_topo_one_way(t, cop_topo_host_port(t, h), to, COP_LINK_HOST);
        cop_topo_one_way(t, from, cop_topo_host_port(t, h), COP_LINK_HOST);
    }
    for (uint32_t i = 0; i < cables; i++) {
        uint32_t a = free_port(t, rng, cop_rng_below(rng, n), true, duplex);
        uint32_t b = free_port(t, rng, cop_rng_below(rng, n), duplex, true);
        if (a == COP_NONE || b == COP_NONE || a == b)
            continue;
        if (duplex)
            cop_topo_cable(t, a, b, COP_LINK_TRUNK);
        else
            cop_topo_one_way(t, a, b, COP_LINK_TRUNK);
    }
}

static void compare(const cop_topo *t, const char *name, const void *cfg, const plan *p)
{
    cop_route r;
    cop_err err = {0};
    int rc = cop_route_init(&r, cop_route_find(name), t, cfg, 1, &err);
    if (p->refused) {
        char pair[64];
        snprintf(pair, sizeof(pair), "path from switch s%u to host h%u; ", p->bad_sw, p->bad_dst);
        assert_int_equal(rc, -COP_E_INPUT);
        assert_int_equal(err.faults, 1);
        if (strstr(err.text, name) == NULL || strstr(err.text, pair) == NULL)
            fail_msg("\"%s\" does not name \"%s\"", err.text, pair);
        return;
    }
    assert_int_equal(rc, 0);
    assert_true(r.facts.single && r.facts.memoryless && r.facts.vls == 1 && r.facts.max_cand == 1);
    assert_memory_equal(r.lft, p->port, t->n_switches * t->n_hosts * sizeof(*r.lft));
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        for (uint32_t dst = 0; dst < t->n_hosts; dst++) {
            cop_hop hop = {.sw = sw, .src = dst, .dst = dst, .mid = COP_NONE};
            cop_cand c;
            assert_int_equal(r.ops->route(&r, &hop, NULL, &c), 1);
            assert_int_equal(c.port, p->port[sw * t->n_hosts + dst]);
            assert_int_equal(c.vl + c.escape, 0);
        }
    cop_route_fini(&r);
}

static void test_minhop(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(21, COP_RNG_TEST, 0);
    uint32_t refused = 0, holes = 0;
    for (int round = 0; round < 600; round++) {
        cop_topo t;
        plan p;
        random_graph(&t, &rng, round % 2 == 0);
        minhop_plan(&t, &p);
        compare(&t, "minhop", NULL, &p);
        refused += p.refused;
        for (uint32_t i = 0; i < t.n_switches * t.n_hosts && !p.refused; i++)
            holes += p.port[i] == UINT16_MAX; /* a switch that no host needs */
        cop_topo_free(&t);
    }
    assert_in_range(refused, 60, 400);
    assert_true(holes > 100);
}

static void test_updn(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(22, COP_RNG_TEST, 0);
    uint32_t how[3] = {0}, refused = 0, cut_off = 0;
    for (int round = 0; round < 600; round++) {
        cop_topo t;
        plan p;
        random_graph(&t, &rng, true);
        how[updn_plan(&t, &p)]++;
        refused += p.refused;
        compare(&t, "updn", NULL, &p);
        for (uint32_t i = 0; i < t.n_switches; i++) {
            bool root[MOST] = {false}, was_good = !p.refused;
            plan own;
            root[i] = true;
            updn_plan_from(&t, root, &own);
            compare(&t, "updn", &(cop_updn_cfg){i}, &own);
            cut_off += own.refused && was_good; /* a root that the hosts are not cabled to */
        }
        cop_topo_free(&t);
    }
    /* All ways to choose roots, roots that will not do, and graphs that none will do for. */
    assert_true(how[0] > 100 && how[1] > 10 && how[2] > 50);
    assert_true(refused > 10 && cut_off > 10);
}

/* Two switches with a host each, which a third one connects, and a fourth that stands alone. As the root it
 * ranks no switch: switches then rank by number, and between 0 and 1 there is only the way over 2,
 * down and up. */
static void test_a_root_that_is_cut_off(void **state)
{
    (void)state;
    cop_topo t;
    cop_err err = {0};
    cop_route r;
    begin(&t, 2, 4);
    for (uint32_t sw = 0; sw < 2; sw++) {
        cop_topo_cable(&t, cop_topo_host_port(&t, sw), cop_topo_switch_port(&t, sw, 0),
                       COP_LINK_HOST);
        cop_topo_cable(&t, cop_topo_switch_port(&t, sw, 1), cop_topo_switch_port(&t, 2, sw),
                       COP_LINK_TRUNK);
    }
    assert_int_equal(cop_topo_finish(&t, &err), 0);
    assert_int_equal(cop_route_init(&r, &cop_route_updn, &t, &(cop_updn_cfg){3}, 1, &err),
                     -COP_E_INPUT);
    assert_string_equal(err.text, "routing updn: no legal path from switch s1 to host h0; choose "
                                  "another root");
    try_on(&t, "updn", &(cop_updn_cfg){2}, 1, 1, true);
    try_on(&t, "updn", NULL, 1, 1, true);
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minhop),
        cmocka_unit_test(test_updn),
        cmocka_unit_test(test_a_root_that_is_cut_off),
    };
    return cmocka_run_group_tests_name("route_graph", tests, NULL, NULL);
}
