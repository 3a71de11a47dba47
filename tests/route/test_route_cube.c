/* Routings of cubes and dragonflies against facts: every pair is delivered, on the lanes asked for;
 * datelines, adaptive choices, intermediate groups. */
#include "route_fixture.h"

#include "route/cube_map.h"
#include "topo/topo_cfg.h"

static void test_cubes(void **state)
{
    (void)state;
    struct {
        const char *kind;
        cop_cube_cfg cfg;
    } cubes[] = {{"torus", {INTS(4, 4, 4), 1}}, {"torus", {INTS(5, 3), 2}},
                 {"torus", {INTS(8), 1}},       {"torus", {INTS(2, 4), 1}},
                 {"mesh", {INTS(4, 3), 2}},     {"mesh", {INTS(2, 5, 2), 1}}};
    for (size_t i = 0; i < COP_LEN(cubes); i++) {
        cop_topo t;
        build(&t, cubes[i].kind, &cubes[i].cfg);
        bool torus = strcmp(cubes[i].kind, "torus") == 0;
        try_on(&t, "dor", NULL, torus ? 2 : 1, 0, true);
        try_on(&t, "dor", &(cop_dor_cfg){false}, 1, 4, true);
        try_on(&t, "adaptive-cube", NULL, torus ? 3 : 2, 0, true);
        try_on(&t, "adaptive-cube", NULL, torus ? 3 : 2, 6, true);
        try_on(&t, "minhop", NULL, 1, 0, true);
        try_on(&t, "updn", NULL, 1, 0, false);
        cop_topo_free(&t);
    }
    cop_topo t;
    build(&t, "hypercube", &(cop_hypercube_cfg){5, 1});
    try_on(&t, "dor", NULL, 1, 0, true);
    try_on(&t, "adaptive-cube", NULL, 2, 0, true);
    try_on(&t, "adaptive-cube", NULL, 2, 16, true);
    cop_topo_free(&t);
}

static cop_cand dor_step(const cop_route *r, uint32_t sw, uint32_t in_port, uint32_t in_vl,
                         uint32_t dst)
{
    cop_cand cand[COP_MAX_CAND];
    cop_hop hop = {.sw = sw,
                   .in_port = (uint16_t)in_port,
                   .in_vl = (uint8_t)in_vl,
                   .dst = dst,
                   .mid = COP_NONE};
    assert_int_equal(r->ops->route(r, &hop, NULL, cand), 1);
    return cand[0];
}

/* Ring of 8: 6 -> 2 is halfway, goes plus over the wrap link 7 -> 0 and changes lane after it. Into the
 * next ring, whose wrap link is not on its way, it goes on any lane, here 1, and keeps it. */
static void test_dor_dateline(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 3), 1});
    cop_route r;
    start(&r, "dor", &t, &(cop_dor_cfg){.datelines = true, .ties = COP_TIES_PLUS}, 0);
    uint32_t dst = 2 + 8 * 1;
    const struct {
        uint32_t sw, in_port, in_vl, port, vl;
    } way[] = {{6, 4, 0, 0, 0}, {7, 1, 0, 0, 0}, {0, 1, 0, 0, 1},
               {1, 1, 1, 0, 1}, {2, 1, 1, 2, 1}, {10, 3, 1, 4, 1}};
    for (size_t i = 0; i < COP_LEN(way); i++) {
        cop_cand c = dor_step(&r, way[i].sw, way[i].in_port, way[i].in_vl, dst);
        assert_int_equal(c.port, way[i].port);
        assert_int_equal(c.vl, way[i].vl);
    }
    cop_cand back = dor_step(&r, 7, 0, 0, 5); /* 1 -> 0 -> 7 -> ..: just crossed going minus */
    assert_int_equal(back.port, 1);
    assert_int_equal(back.vl, 1);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* `crossing: keep`: packets that cross the wrap link have the lower of two lanes all the way round, others the
 * upper one. `choice: free`: all lanes of the class, wherever the packet comes from; to the host any lane. */
static void test_dor_keeps_and_chooses(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cand c[16];
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 3), 1});
    const cop_dor_cfg keep = {
        .datelines = true, .ties = COP_TIES_PLUS, .crossing = COP_CROSSING_KEEPS};
    start(&r, "dor", &t, &keep, 2);
    assert_int_equal(dor_step(&r, 6, 4, 1, 2).vl, 0); /* 6 7 0 1 2 */
    assert_int_equal(dor_step(&r, 7, 1, 0, 2).vl, 0);
    assert_int_equal(dor_step(&r, 0, 1, 0, 2).vl, 0); /* has crossed */
    assert_int_equal(dor_step(&r, 0, 4, 0, 2).vl, 1); /* enters here, and does not cross */
    assert_int_equal(dor_step(&r, 1, 1, 1, 2).vl, 1);
    cop_route_fini(&r);
    cop_dor_cfg any = keep;
    any.choice = COP_LANE_FREE;
    start(&r, "dor", &t, &any, 5);
    const struct {
        uint32_t sw, in_port, in_vl, first, n;
    } step[] = {
        {6, 4, 4, 0, 2}, {0, 1, 1, 0, 2}, {0, 4, 0, 2, 3}, {1, 1, 4, 2, 3}, {2, 1, 4, 0, 5}};
    for (size_t i = 0; i < COP_LEN(step); i++) {
        cop_hop hop = {.sw = step[i].sw,
                       .in_port = (uint16_t)step[i].in_port,
                       .in_vl = (uint8_t)step[i].in_vl,
                       .dst = 2,
                       .mid = COP_NONE};
        assert_int_equal(r.ops->route(&r, &hop, NULL, c), step[i].n);
        uint32_t seen = 0;
        for (uint32_t k = 0; k < step[i].n; k++)
            seen |= 1u << c[k].vl;
        assert_int_equal(seen, ((1u << step[i].n) - 1) << step[i].first);
    }
    assert_false(r.facts.in_order);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

static void test_adaptive_cube_choice(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 8), 1});
    cop_route r;
    start(&r, "adaptive-cube", &t, &(cop_adaptive_cube_cfg){.ties = COP_TIES_PLUS}, 4);
    uint64_t load[5] = {500, 0, 100, 300, 0};
    cop_rng rng = cop_rng_make(3, COP_RNG_ROUTE, 0);
    cop_route_view view = {load, port_load, &rng, NULL};
    /* (0,0) -> (2,4): plus in dimension 0, both ways in dimension 1. */
    cop_hop hop = {.sw = 0, .in_port = 4, .dst = 2 + 8 * 4, .mid = COP_NONE};
    cop_cand cand[COP_MAX_CAND];
    unsigned n = r.ops->route(&r, &hop, &view, cand);
    assert_int_equal(n, 4);
    assert_int_equal(cand[0].port, 2);
    assert_int_equal(cand[1].port, 3);
    assert_int_equal(cand[2].port, 0);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(cand[i].escape, i == 3);
        assert_true((cand[i].vl >= 2) == (i < 3));
    }
    assert_int_equal(cand[3].port, 0); /* dimension order, remaining path does not wrap */
    assert_int_equal(cand[3].vl, 1);
    assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 3 * 2 + 1);
    hop.sw = 6; /* (6,0) -> (2,..): plus over the wrap link, both ways equal */
    n = r.ops->route(&r, &hop, NULL, cand);
    assert_int_equal(n, 4 * 2 + 1);
    assert_int_equal(cand[n - 1].port, 0);
    assert_int_equal(cand[n - 1].vl, 0);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* With `stay` a packet that came by an escape lane of another switch is offered nothing but the next one; from a
 * host, or on an adaptive lane, it chooses. With `return` it always does. */
static void test_adaptive_cube_escape(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "torus", &(cop_cube_cfg){INTS(8, 8), 1});
    for (int escape = COP_ESCAPE_RETURN; escape <= COP_ESCAPE_STAY; escape++) {
        cop_route r;
        start(&r, "adaptive-cube", &t,
              &(cop_adaptive_cube_cfg){.ties = COP_TIES_SPLIT, .escape = escape}, 4);
        assert_int_equal(r.facts.memoryless, escape == COP_ESCAPE_RETURN);
        for (uint32_t vl = 0; vl < 4; vl++)
            for (uint32_t port = 0; port <= 4; port++) { /* 4 is the host's */
                cop_hop hop = {.sw = 0,
                               .in_port = (uint16_t)port,
                               .in_vl = (uint8_t)vl,
                               .dst = 2 + 8 * 3,
                               .mid = COP_NONE};
                cop_cand cand[COP_MAX_CAND];
                bool stays = escape == COP_ESCAPE_STAY && vl < 2 && port < 4;
                unsigned n = r.ops->route(&r, &hop, NULL, cand);
                assert_int_equal(n, stays ? 1 : 2 * 2 + 1);
                assert_true(cand[n - 1].escape && cand[n - 1].port == 0 && cand[n - 1].vl == 1);
            }
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

static uint64_t lane_load(void *ctx, uint32_t port, uint32_t vl)
{
    return ((const uint64_t *)ctx)[port * 8 + vl];
}

/* All adaptive lanes of all minimal ways once each, by rising lane; and what the candidates say of
 * themselves is as many. */
static void test_adaptive_cube_lists_lanes(void **state)
{
    (void)state;
    const struct {
        uint32_t lanes, adaptive;
    } all[] = {{2, 1}, {3, 2}, {6, 5}, {13, 12}, {14, 13}, {16, 15}};
    cop_topo t;
    build(&t, "hypercube", &(cop_hypercube_cfg){5, 1});
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_route r;
        cop_cand cand[COP_MAX_CAND];
        start(&r, "adaptive-cube", &t, NULL, all[i].lanes);
        assert_int_equal(r.facts.max_cand, 5 * all[i].adaptive + 1);
        cop_hop hop = {.sw = 0, .dst = 31, .mid = COP_NONE};
        assert_int_equal(r.ops->route(&r, &hop, NULL, cand), r.facts.max_cand);
        for (uint32_t k = 0; k + 1 < r.facts.max_cand; k++) {
            assert_int_equal(cand[k].port, 2 * (k / all[i].adaptive));
            assert_int_equal(cand[k].vl, 1 + k % all[i].adaptive);
            assert_int_equal(cand[k].escape, 0);
        }
        assert_int_equal(cand[r.facts.max_cand - 1].escape, 1);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

/* All 16 lanes of both ways of three dimensions, each once. */
static void test_true_adaptive_lists_lanes(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cand cand[COP_MAX_CAND];
    bool seen[6][COP_MAX_VL] = {{false}};
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 4, 4), 1});
    start(&r, "true-adaptive", &t, NULL, COP_MAX_VL);
    cop_hop hop = {.sw = 0, .dst = 2 + 4 * 2 + 16 * 2, .mid = COP_NONE};
    assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 6 * COP_MAX_VL);
    for (uint32_t k = 0; k < 6 * COP_MAX_VL; k++) {
        assert_true(cand[k].port < 6 && !seen[cand[k].port][cand[k].vl]);
        seen[cand[k].port][cand[k].vl] = true;
    }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Control packets with lanes of their own go in dimension order on two lanes. In a ring the number of a channel, those of the
 * first lane from the dateline on and then those of the second, rises with every hop, so there is no cycle. */
static void test_true_adaptive_control_is_ordered(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cand cand[COP_MAX_CAND];
    static const uint32_t radix[] = {4, 5, 2};
    uint32_t lanes = 0;
    build(&t, "torus", &(cop_cube_cfg){INTS(4, 5, 2), 1});
    start(&r, "true-adaptive", &t, NULL, 4);
    assert_int_equal(r.facts.control_vls, 2);
    for (uint32_t src = 0; src < t.n_switches; src++)
        for (uint32_t dst = 0; dst < t.n_switches; dst++) {
            cop_hop hop = {.sw = src, .dst = dst, .mid = COP_NONE, .apart = true};
            uint32_t dim = 0, rank = 0, links = 0;
            for (; hop.sw != dst; links++) {
                assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 1);
                assert_in_range(cand[0].vl, 0, 1);
                lanes |= 1u << cand[0].vl;
                uint32_t of = cand[0].port / 2, stride = of == 0 ? 1 : of == 1 ? 4 : 20;
                uint32_t at = hop.sw / stride % radix[of];
                uint32_t steps = cand[0].port % 2 == 0 ? at : radix[of] - 1 - at;
                uint32_t next = 1 + (cand[0].vl == 0 ? steps : radix[of] + steps);
                assert_true(of > dim || (of == dim && next > rank));
                dim = of;
                rank = next;
                const cop_port *out = &t.port[t.sw_port0[hop.sw] + cand[0].port];
                hop.in_port = t.port[out->to].local;
                hop.in_vl = cand[0].vl;
                hop.sw = t.port[out->to].owner;
            }
            assert_true(links <= 2 + 2 + 1);
            assert_int_equal(r.ops->route(&r, &hop, NULL, cand), 1);
        }
    assert_int_equal(lanes, 3);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* With loads: every lane once, by rising load; of equal ones each comes first about as often; asked for the best alone,
 * it is the same one; and the guess is one of them. */
static void test_true_adaptive_sorts_lanes(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cand cand[COP_MAX_CAND];
    uint64_t load[6 * 8] = {[0] = 64, [1] = 128, [16] = 64, [17] = 64, [32] = 192, [33] = 64};
    unsigned first[4] = {0}; /* (port 0, lane 0), (2, 0), (2, 1), (4, 1) */
    build(&t, "torus", &(cop_cube_cfg){INTS(5, 5, 5), 1});
    start(&r, "true-adaptive", &t, NULL, 2);
    cop_hop hop = {.sw = 0, .dst = 1 + 5 * 2 + 25 * 1, .mid = COP_NONE};
    for (uint32_t i = 0; i < 8000; i++) {
        cop_rng rng = cop_rng_make(1, COP_RNG_ROUTE, i);
        cop_route_view view = {load, lane_load, &rng, NULL};
        assert_int_equal(r.ops->route(&r, &hop, &view, cand), 6);
        assert_int_equal(rng.counter, 1); /* one draw for all of it */
        uint32_t seen = 0;
        for (unsigned k = 0; k < 6; k++) {
            seen |= 1u << (cand[k].port + cand[k].vl);
            assert_int_equal(cand[k].port % 2, 0);
            if (k > 0)
                assert_true(lane_load(load, cand[k - 1].port, cand[k - 1].vl) <=
                            lane_load(load, cand[k].port, cand[k].vl));
        }
        assert_int_equal(seen, 63);
        first[cand[0].port == 0 ? 0 : cand[0].port == 2 ? 1 + cand[0].vl : 3]++;
    }
    /* Rotation: each way begins a third of the cases, and within it each lane half of them. Way 0 has one of the
     * least loaded, and so has way 4; way 2 has two. */
    assert_in_range(first[0], 2400, 2950);
    assert_in_range(first[1], 1150, 1550);
    assert_in_range(first[2], 1150, 1550);
    assert_in_range(first[3], 2400, 2950);
    cop_cand guess = r.ops->guess(&r, &hop);
    assert_true(guess.port == 0 && guess.vl == 0);
    hop.sw = hop.dst;
    assert_int_equal(r.ops->guess(&r, &hop).port, 6);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* The least loaded lane of a way, the first of equals. Equal ways are taken in turn, each first in
 * about a third of the cases; without a choice no random number is drawn. */
static void test_adaptive_cube_ties(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    build(&t, "mesh", &(cop_cube_cfg){INTS(3, 3, 3), 1});
    start(&r, "adaptive-cube", &t, NULL, 4);
    uint64_t load[6][8] = {{0, 9, 8, 7}, {0}, {0, 9, 7, 7}, {0}, {0, 7, 9, 9}};
    cop_rng rng = cop_rng_make(3, COP_RNG_ROUTE, 0), before = rng;
    cop_route_view view = {load, lane_load, &rng, NULL};
    cop_cand cand[COP_MAX_CAND];
    cop_hop hop = {.sw = 0, .dst = 26, .mid = COP_NONE};
    const unsigned lane[] = {3, 0, 2, 0, 1};
    unsigned first[6] = {0};
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(r.ops->route(&r, &hop, &view, cand), 4);
        first[cand[0].port]++;
        for (unsigned k = 0; k < 3; k++) {
            assert_int_equal(cand[k].port, (cand[0].port + 2 * k) % 6);
            assert_int_equal(cand[k].vl, lane[cand[k].port]);
        }
    }
    for (unsigned k = 0; k < 6; k += 2)
        assert_in_range(first[k], 900, 1100);
    rng = before;
    hop.dst = 2;
    assert_int_equal(r.ops->route(&r, &hop, &view, cand), 2);
    assert_int_equal(cand[0].port, 0);
    assert_memory_equal(&rng, &before, sizeof(rng));
    view.rng = NULL; /* then in the order of the dimensions */
    hop.dst = 26;
    assert_int_equal(r.ops->route(&r, &hop, &view, cand), 4);
    assert_int_equal(cand[0].port, 0);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Switches on the l-g-l path: at most one local hop on each side of the only global link. (Two
 * global hops in a row can be shorter; that is not what minimal means in a dragonfly.) */
static void check_local_global_local(const cop_topo *t)
{
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    cop_route r;
    start(&r, "dragonfly-min", t, NULL, 0);
    for (uint32_t p = 0; p < t->host_port0; p++) {
        uint32_t out = t->port[p].owner;
        if (t->port[p].to == COP_NONE || t->port[p].link_class != COP_LINK_GLOBAL)
            continue;
        uint32_t in = t->port[t->port[p].to].owner;
        for (uint32_t i = 0; i < d->a * d->a; i++) {
            uint32_t from = out / d->a * d->a + i % d->a, to = in / d->a * d->a + i / d->a;
            assert_int_equal(travel(&r, from * d->p, to * d->p, NULL, NULL, NULL),
                             2u + (from != out) + (to != in));
        }
    }
    for (uint32_t sw = 1; sw < d->a; sw++)
        assert_int_equal(travel(&r, 0, sw * d->p, NULL, NULL, NULL), 2);
    cop_route_fini(&r);
}

static void test_dragonfly_pairs(void **state)
{
    (void)state;
    const cop_dragonfly_cfg sizes[] = {
        {2, 4, 2, 0}, {1, 2, 1, 0}, {2, 4, 2, 5}, {1, 4, 2, 2}, {3, 4, 1, 1}};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        cop_topo t;
        build(&t, "dragonfly", &sizes[i]);
        try_on(&t, "dragonfly-min", NULL, 2, 0, false);
        if (sizes[i].groups == 0)
            check_local_global_local(&t);
        try_on(&t, "dragonfly-valiant", NULL, 4, 0, false);
        try_on(&t, "dragonfly-valiant", &(cop_valiant_cfg){.to = COP_VALIANT_GROUP}, 3, 0, false);
        try_on(&t, "dragonfly-valiant", &(cop_valiant_cfg){.intra = COP_INTRA_VALIANT}, 4, 0,
               false);
        for (int to = 0; to < 2; to++) {
            const cop_valiant_cfg any = {.to = to, .via = COP_VIA_ANY_BUT_SOURCE};
            try_on(&t, "dragonfly-valiant", &any, to == COP_VALIANT_GROUP ? 3 : 4, 0, false);
        }
        cop_topo_free(&t);
    }
}

/* Inject draws every allowed intermediate and no other, and agrees with the list of `mid`. */
static void check_mids(const cop_topo *t, const cop_valiant_cfg *cfg, uint32_t src, uint32_t dst,
                       uint32_t expected)
{
    cop_route r;
    start(&r, "dragonfly-valiant", t, cfg, 0);
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    uint32_t per_group = cfg->to == COP_VALIANT_GROUP ? 1 : d->a;
    uint32_t *seen = cop_alloc(d->groups * per_group * sizeof(*seen)), n = 0, mid, found = 0;
    while (r.ops->mid(&r, src, dst, n, &mid)) {
        if (mid != COP_NONE) {
            assert_true(mid < d->groups * per_group);
            assert_int_equal(seen[mid], 0);
            assert_int_not_equal(mid / per_group, src / d->p / d->a);
            if (cfg->via == COP_VIA_OTHER)
                assert_int_not_equal(mid / per_group, dst / d->p / d->a);
            seen[mid] = 1;
            found++;
        }
        n++;
    }
    assert_int_equal(found, expected);
    assert_int_equal(n, expected > 0 ? expected : 1); /* without any: the direct way */
    cop_hop listed = {.src = src, .dst = dst, .mid = 3};
    assert_int_equal(r.ops->inject(&r, &listed, NULL), 0);
    assert_int_equal(listed.mid, 3); /* a list of ways has the intermediate */
    cop_rng rng = cop_rng_make(5, COP_RNG_ROUTE, 0);
    cop_route_view view = {NULL, fake_load, &rng, NULL};
    for (int i = 0; i < 2000; i++) {
        cop_hop hop = {.src = src, .dst = dst, .mid = COP_NONE};
        assert_int_equal(r.ops->inject(&r, &hop, &view), 0);
        assert_true((hop.mid == COP_NONE) == (expected == 0));
        if (hop.mid != COP_NONE) {
            assert_true(seen[hop.mid] != 0);
            seen[hop.mid] = 2;
        }
    }
    for (uint32_t i = 0; i < d->groups * per_group; i++)
        assert_int_not_equal(seen[i], 1);
    cop_free(seen);
    cop_route_fini(&r);
}

static void test_valiant_intermediates(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, 0}); /* 9 groups of 4 switches */
    check_mids(&t, &(cop_valiant_cfg){0}, 0, 71, 7 * 4);
    check_mids(&t, &(cop_valiant_cfg){0}, 40, 20, 7 * 4);
    check_mids(&t, &(cop_valiant_cfg){.to = COP_VALIANT_GROUP}, 0, 71, 7);
    check_mids(&t, &(cop_valiant_cfg){0}, 0, 7, 0);
    check_mids(&t, &(cop_valiant_cfg){.intra = COP_INTRA_VALIANT}, 0, 7, 8 * 4);
    check_mids(&t, &(cop_valiant_cfg){.intra = COP_INTRA_VALIANT}, 0, 1, 0);
    const cop_valiant_cfg any = {.via = COP_VIA_ANY_BUT_SOURCE};
    const cop_valiant_cfg any_group = {COP_VALIANT_GROUP, COP_INTRA_VALIANT, any.via};
    check_mids(&t, &any, 0, 71, 8 * 4);
    check_mids(&t, &any, 40, 20, 8 * 4);
    check_mids(&t, &any, 0, 7, 0);
    check_mids(&t, &any_group, 0, 71, 8);
    check_mids(&t, &any_group, 0, 7, 8);
    cop_topo_free(&t);
    build(&t, "dragonfly", &(cop_dragonfly_cfg){1, 4, 2, 2}); /* no third group */
    check_mids(&t, &(cop_valiant_cfg){0}, 0, 7, 0);
    check_mids(&t, &any, 0, 7, 4);
    check_mids(&t, &any_group, 7, 0, 1);
    cop_topo_free(&t);
}

/* A packet sent by way of a switch really visits it; lanes never fall along the path. */
static void test_valiant_path(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, 0});
    cop_route r;
    start(&r, "dragonfly-valiant", &t, &(cop_valiant_cfg){.via = COP_VIA_ANY_BUT_SOURCE}, 0);
    for (uint32_t mid = 4; mid < 36; mid++) { /* the last four in the destination's group */
        cop_hop hop = {.src = 1, .dst = 70, .mid = mid};
        uint32_t at = t.port[cop_topo_host_port(&t, 1)].to, hops = 0;
        bool visited = false;
        unsigned local = 0, global = 0;
        while (!cop_topo_is_host_port(&t, at)) {
            hop.sw = t.port[at].owner;
            hop.in_port = t.port[at].local;
            visited |= hop.sw == mid;
            cop_cand c;
            r.ops->route(&r, &hop, NULL, &c);
            uint32_t port = cop_topo_switch_port(&t, hop.sw, c.port);
            at = t.port[port].to;
            if (cop_topo_is_host_port(&t, at))
                break;
            unsigned *lane = t.port[port].link_class == COP_LINK_GLOBAL ? &global : &local;
            assert_true(c.vl >= *lane);
            *lane = c.vl + (lane == &local ? 1u : 0u); /* local lanes even rise at every hop */
            hop.in_vl = c.vl;
            assert_true(++hops <= 6);
        }
        assert_true(visited);
        assert_int_equal(at, cop_topo_host_port(&t, 70));
    }
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Five groups of four switches with two global links each: a pair of groups has two links. Half of
 * the switches of the other group are reached by each, from every host. */
static void test_dragonfly_uses_parallel_links_alike(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, 5});
    start(&r, "dragonfly-min", &t, NULL, 0);
    uint32_t *flows = cop_alloc(t.n_ports * sizeof(*flows)), global = 0;
    for (uint32_t src = 0; src < t.n_hosts; src++)
        for (uint32_t dst = 0; dst < t.n_hosts; dst++)
            if (src != dst)
                assert_true(travel(&r, src, dst, NULL, NULL, flows) > 0);
    for (uint32_t p = 0; p < t.host_port0; p++)
        if (t.port[p].link_class == COP_LINK_GLOBAL && t.port[p].to != COP_NONE) {
            assert_int_equal(flows[p], 8 * 8 / 2); /* hosts here, hosts there, two links */
            global++;
        }
    assert_int_equal(global, 5 * 4 * 2);
    cop_free(flows);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_dor_dateline),
        cmocka_unit_test(test_dor_keeps_and_chooses),
        cmocka_unit_test(test_adaptive_cube_choice),
        cmocka_unit_test(test_adaptive_cube_escape),
        cmocka_unit_test(test_adaptive_cube_lists_lanes),
        cmocka_unit_test(test_true_adaptive_lists_lanes),
        cmocka_unit_test(test_true_adaptive_control_is_ordered),
        cmocka_unit_test(test_true_adaptive_sorts_lanes),
        cmocka_unit_test(test_adaptive_cube_ties),
        cmocka_unit_test(test_dragonfly_pairs),
        cmocka_unit_test(test_dragonfly_uses_parallel_links_alike),
        cmocka_unit_test(test_valiant_intermediates),
        cmocka_unit_test(test_valiant_path),
    };
    return cmocka_run_group_tests_name("route_cube", tests, NULL, NULL);
}
