/* The dependency check of routings made for the test against the reference: random candidates with and without
 * escape channels, with memory, with intermediates; many states; what a budget pays for and in which order. */
#include "cdg_reference.h"

#include <string.h>

#include "topo/topo_cfg.h"

enum { SIDE = 3, SWITCHES = SIDE * SIDE, ESCAPE = 0, LANES = 3 };

/* A mesh of 3 by 3. Port 0 is plus and 1 minus in the first dimension, 2 and 3 in the second, 4 the host. */
typedef struct dice {
    bool memory; /* candidates differ by how the packet came */
    uint64_t seed;
} dice;

/* Minimal ports towards a switch; the first one is that of the dimension order. */
static unsigned ways(uint32_t sw, uint32_t to, uint16_t *port)
{
    unsigned n = 0;
    if (to % SIDE != sw % SIDE)
        port[n++] = to % SIDE > sw % SIDE ? 0 : 1;
    if (to / SIDE != sw / SIDE)
        port[n++] = to / SIDE > sw / SIDE ? 2 : 3;
    return n;
}

/* Two adaptive lanes of each way and the escape lane of the first, each of them or not; one at least. */
static unsigned dice_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                           cop_cand *cand)
{
    const dice *d = r->cfg;
    uint16_t port[2];
    unsigned n = 0, k = ways(hop->sw, hop->dst, port);
    (void)view;
    if (k == 0) {
        cand[0] = (cop_cand){.port = 4, .escape = 1};
        return 1;
    }
    if (hop->sw == SWITCHES / 2)
        hop->state = 1; /* has been in the middle */
    uint32_t came = d->memory ? hop->in_port * 8u + hop->in_vl * 2u + hop->state : 0;
    uint64_t bits = cop_rng_at(d->seed, COP_RNG_TEST, hop->sw * SWITCHES + hop->dst, came);
    for (unsigned i = 0; i < k; i++)
        for (uint8_t vl = 1; vl < LANES; vl++)
            if (bits >> (8 * i + vl) & 1)
                cand[n++] = (cop_cand){.port = port[i], .vl = vl};
    if ((bits >> 40) % 4 != 0 || n == 0)
        cand[n++] = (cop_cand){.port = port[0], .vl = ESCAPE, .escape = (bits >> 50) % 8 != 0};
    return n;
}

static int dice_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)err;
    r->facts.vls = LANES;
    r->facts.max_cand = 5;
    r->facts.memoryless = !((const dice *)cfg)->memory;
    return 0;
}

static uint8_t dice_inject(const cop_route *r, cop_hop *hop, const cop_route_view *view)
{
    (void)r, (void)view;
    return (uint8_t)(hop->src % 2);
}

static void test_random_candidates(void **state)
{
    (void)state;
    const cop_route_ops plain = {.name = "dice", .setup = dice_setup, .route = dice_route};
    const cop_route_ops lanes = {
        .name = "lanes", .setup = dice_setup, .route = dice_route, .inject = dice_inject};
    cop_topo t;
    build(&t, "mesh", &(cop_cube_cfg){INTS(SIDE, SIDE), 1});
    for (uint64_t seed = 0; seed < 120; seed++) {
        const dice d = {.memory = seed % 2 != 0, .seed = seed};
        cop_route r;
        cop_cdg_result c;
        start(&r, d.memory ? &lanes : &plain, &t, &d, 0);
        cop_cdg_check(&r, NULL, 0, &c);
        assert_false(c.unreachable || c.sampled);
        ref_compare(&r, true, &c);
        cop_cdg_free(&c);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

/* -- intermediates: dimension order to one, then to the destination, a lane for each half -- */

typedef struct mids {
    uint32_t most; /* a pair has 1 to so many */
    bool lonely; /* only one pair has more than one */
    bool direct; /* the only one is none at all */
    uint64_t *asked;
} mids;

static uint32_t mids_of(const mids *m, uint32_t src, uint32_t dst)
{
    if (m->lonely)
        return src == 5 && dst == 2 ? m->most : 1;
    return 1 + (3 * src + dst) % m->most;
}

static bool mids_mid(const cop_route *r, uint32_t src, uint32_t dst, uint32_t i, uint32_t *mid)
{
    const mids *m = r->cfg;
    ++*m->asked;
    if (i >= mids_of(m, src, dst))
        return false;
    *mid = m->direct ? COP_NONE : (src + 2 * dst + i) % SWITCHES;
    return true;
}

static unsigned mids_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                           cop_cand *cand)
{
    (void)r, (void)view;
    uint16_t port[2];
    if (hop->mid == COP_NONE || hop->sw == hop->mid)
        hop->state = 1;
    if (ways(hop->sw, hop->state ? hop->dst : hop->mid, port) == 0)
        port[0] = 4;
    *cand = (cop_cand){.port = port[0], .vl = port[0] == 4 ? 0 : hop->state};
    return 1;
}

static int mids_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg, (void)err;
    r->facts.vls = 2;
    return 0;
}

static const cop_route_ops by_mids = {
    .name = "mids", .setup = mids_setup, .route = mids_route, .mid = mids_mid};

/* Pairs with few intermediates and with many, and none that a pair does not have. */
static void test_intermediates(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "mesh", &(cop_cube_cfg){INTS(SIDE, SIDE), 1});
    for (uint32_t i = 2; i < 19; i++) {
        uint64_t asked = 0;
        const mids m = {.most = i / 2, .lonely = i % 2 != 0, .asked = &asked};
        cop_route r;
        cop_cdg_result c;
        start(&r, &by_mids, &t, &m, 0);
        cop_cdg_check(&r, NULL, 0, &c);
        assert_false(c.unreachable || c.sampled);
        ref_compare(&r, false, &c);
        cop_cdg_free(&c);
        cop_route_fini(&r);
    }
    cop_topo_free(&t);
}

/* The least budget with which a check is complete. */
static uint64_t price(const cop_route *r)
{
    uint64_t low = 1, high = 1 << 20; /* incomplete with low, complete with high */
    while (high - low > 1) {
        cop_cdg_result c;
        uint64_t half = (low + high) / 2;
        cop_cdg_check(r, NULL, half, &c);
        *(c.sampled ? &low : &high) = half;
        cop_cdg_free(&c);
    }
    return high;
}

/* Where each pair has one intermediate, and that is none, it costs what it costs without: no item of the
 * work is there twice. With two it costs more. */
static void test_price_of_intermediates(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_route_ops without = by_mids;
    uint64_t asked = 0;
    without.mid = NULL;
    build(&t, "mesh", &(cop_cube_cfg){INTS(SIDE, SIDE), 1});
    const mids one = {.most = 1, .direct = true, .asked = &asked},
               two = {.most = 2, .asked = &asked};
    start(&r, &without, &t, &one, 0);
    uint64_t direct = price(&r);
    cop_route_fini(&r);
    start(&r, &by_mids, &t, &one, 0);
    assert_int_equal(price(&r), direct);
    cop_route_fini(&r);
    start(&r, &by_mids, &t, &two, 0);
    assert_true(price(&r) > direct);
    cop_route_fini(&r);
    /* With a budget for a few pairs not all of them are asked how many they have. */
    start(&r, &by_mids, &t, &two, 0);
    cop_cdg_result c;
    asked = 0;
    cop_cdg_check(&r, NULL, 4, &c);
    assert_true(c.sampled);
    assert_in_range(asked, 1, 40); /* of 72 pairs: every 21st, then the hosts of one item */
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* A table that the check walks, and a mesh with so many states that its own table has to grow: the same. */
static void test_many_states(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_cdg_result a, b;
    build(&t, "mesh", &(cop_cube_cfg){INTS(40, 30), 1});
    start(&r, &cop_route_dor, &t, NULL, 0);
    assert_true(r.facts.single);
    cop_cdg_check(&r, NULL, 0, &a);
    r.facts.single = r.facts.memoryless = false;
    cop_cdg_check(&r, NULL, 0, &b);
    assert_int_equal(a.channels, 2 * 1200 + 2 * (39 * 30 + 40 * 29));
    assert_int_equal(a.channels, b.channels);
    assert_int_equal(a.dependencies, b.dependencies);
    assert_true(a.acyclic && b.acyclic && !a.unreachable && !b.unreachable);
    cop_cdg_free(&a);
    cop_cdg_free(&b);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Switches with ports for two neighbours, the first ones with a host each; cables by pairs of switches. */
static void wire(cop_topo *t, uint32_t switches, const uint32_t *host_at, uint32_t hosts,
                 const uint32_t (*cable)[2], size_t cables)
{
    enum { PORTS = 5 };
    uint32_t ports[8], used[8] = {0};
    for (uint32_t i = 0; i < switches; i++)
        ports[i] = PORTS;
    *t = (cop_topo){.kind = "by hand"};
    cop_topo_begin(t, hosts, switches, ports);
    for (uint32_t h = 0; h < hosts; h++)
        cop_topo_cable(t, cop_topo_host_port(t, h),
                       cop_topo_switch_port(t, host_at[h], used[host_at[h]]++), COP_LINK_HOST);
    for (size_t i = 0; i < cables; i++) {
        uint32_t a = cable[i][0], b = cable[i][1];
        uint32_t from = cop_topo_switch_port(t, a, used[a]++);
        cop_topo_cable(t, from, cop_topo_switch_port(t, b, used[b]++), COP_LINK_TRUNK);
    }
}

/* Switch 0 has no hosts. As a hub every walk passes it, in a row only those from behind it; none begins there. It
 * loses the packets of one destination. */
static void test_switch_0_without_hosts(void **state)
{
    (void)state;
    static const uint32_t host_at[] = {1, 2, 3, 4};
    static const uint32_t hub[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
    static const uint32_t row[][2] = {{1, 2}, {2, 0}, {0, 3}, {3, 4}};
    for (int i = 0; i < 2; i++) {
        cop_topo t;
        cop_route r;
        cop_cdg_result c;
        wire(&t, 5, host_at, 4, i ? row : hub, 4);
        start(&r, &cop_route_minhop, &t, NULL, 0);
        cop_cdg_check(&r, NULL, 0, &c);
        assert_false(c.unreachable || c.sampled);
        ref_compare(&r, false, &c);
        cop_cdg_free(&c);
        for (uint32_t dst = 0; dst < 4; dst++) {
            uint16_t good = r.lft[dst];
            r.lft[dst] = 5;
            cop_cdg_check(&r, NULL, 0, &c);
            assert_true(c.unreachable);
            assert_int_equal(c.bad_dst, dst);
            cop_cdg_free(&c);
            r.lft[dst] = good;
        }
        cop_route_fini(&r);
        cop_topo_free(&t);
    }
}

/* -- order -- */

enum { HOSTS = 100 };

static unsigned note_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                           cop_cand *cand)
{
    union {
        const void *in;
        bool *out;
    } seen = {.in = r->cfg};
    (void)view;
    seen.out[hop->dst] = true;
    *cand = (cop_cand){.port = (uint16_t)hop->dst};
    return 1;
}

static int note_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)r, (void)cfg, (void)err;
    return 0;
}

/* A budget for some destinations looks at some from everywhere: no gap is more than three times what it would
 * be if they stood evenly. All are looked at if it is enough; a quarter of it is used if pairs alone are more. */
static void test_samples_are_spread(void **state)
{
    (void)state;
    const cop_route_ops noting = {.name = "noting", .setup = note_setup, .route = note_route};
    cop_topo t;
    build(&t, "single", &(cop_single_cfg){.hosts = HOSTS});
    for (uint64_t some = 4; some <= HOSTS; some *= 2) {
        bool seen[HOSTS] = {false};
        cop_route r;
        cop_cdg_result c;
        start(&r, &noting, &t, seen, 0);
        /* 99 hosts are injected, each in a state of its own with one candidate. */
        enum { COST = 99 + 99 * 2, PAIRS = 99 * 99 };
        uint64_t budget = some * COST, used = PAIRS > budget ? budget / 4 + 1 : budget;
        cop_cdg_check(&r, NULL, budget, &c);
        uint32_t n = 0, gap = 0, widest = 0;
        for (uint32_t dst = 0; dst < HOSTS; dst++) {
            n += seen[dst];
            gap = seen[dst] ? 0 : gap + 1;
            widest = gap > widest ? gap : widest;
        }
        assert_int_equal(n, (used + COST - 1) / COST);
        assert_true(c.sampled);
        assert_true(widest <= 3 * HOSTS / n);
        cop_cdg_free(&c);
        cop_route_fini(&r);
    }
    bool seen[HOSTS] = {false};
    cop_route r;
    cop_cdg_result c;
    start(&r, &noting, &t, seen, 0);
    cop_cdg_check(&r, NULL, 0, &c);
    for (uint32_t dst = 0; dst < HOSTS; dst++)
        assert_true(seen[dst]);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_candidates),      cmocka_unit_test(test_intermediates),
        cmocka_unit_test(test_price_of_intermediates), cmocka_unit_test(test_many_states),
        cmocka_unit_test(test_switch_0_without_hosts), cmocka_unit_test(test_samples_are_spread),
    };
    return cmocka_run_group_tests_name("cdg_random", tests, NULL, NULL);
}
