/* Who sends to whom: destinations of every pattern, against permutations known by hand and shares. */
#include "traffic_fixture.h"

static void count_destinations(rig *r, uint32_t host, uint32_t n, uint32_t *count)
{
    uint32_t s = r->tr.host_stream0[host];
    memset(count, 0, r->topo.n_hosts * sizeof(*count));
    for (uint32_t i = 0; i < n; i++)
        count[take_at(r, s, 0).dst]++;
}

static void uniform(void **state)
{
    (void)state;
    enum { N = 17, DRAWS = 32000 };
    rig r;
    uint32_t count[N];
    rig_one(&r, N, GBIT, "pattern=uniform");
    for (uint32_t host = 0; host < N; host += 8) { /* first, middle, last */
        count_destinations(&r, host, DRAWS, count);
        double chi2 = 0, expect = (double)DRAWS / (N - 1);
        for (uint32_t d = 0; d < N; d++) {
            double diff = (double)count[d] - expect;
            if (d != host)
                chi2 += diff * diff / expect;
        }
        assert_int_equal(count[host], 0);
        assert_true(chi2 < 42.0 && chi2 > 3.0); /* 15 degrees of freedom: 15 +- 5.5 */
    }
    rig_free(&r);
}

/* Destination of every host; its own number where it is silent. */
static void map_of(rig *r, uint32_t *to)
{
    uint8_t *hit = cop_alloc(r->topo.n_hosts);
    for (uint32_t h = 0; h < r->topo.n_hosts; h++) {
        uint32_t s = r->tr.host_stream0[h];
        to[h] = s < r->tr.host_stream0[h + 1] ? r->tr.stream[s].fixed_dst : h;
        assert_true(to[h] < r->topo.n_hosts);
        assert_int_equal(hit[to[h]]++, 0); /* a permutation */
    }
    cop_free(hit);
}

static void permutations_of_bits(void **state)
{
    (void)state;
    rig r;
    uint32_t to[512];
    rig_one(&r, 512, GBIT, "pattern=bit-reversal");
    map_of(&r, to);
    assert_int_equal(to[1], 256);
    assert_int_equal(to[0x1a3], 0x18b); /* 110100011 -> 110001011 */
    assert_int_equal(512 - r.tr.n_streams, 32); /* palindromes of 9 bits are silent */
    rig_free(&r);
    rig_one(&r, 512, GBIT, "pattern=perfect-shuffle");
    map_of(&r, to);
    assert_int_equal(to[0x101], 3);
    assert_int_equal(to[0x0a3], 0x146);
    assert_int_equal(r.tr.n_streams, 510);
    rig_free(&r);
    rig_one(&r, 512, GBIT, "pattern=bit-complement");
    map_of(&r, to);
    assert_int_equal(to[0], 511);
    assert_int_equal(to[0x155], 0x0aa);
    rig_free(&r);
    rig_one(&r, 64, GBIT, "pattern=transpose");
    map_of(&r, to);
    for (uint32_t h = 0; h < 64; h++)
        assert_int_equal(to[h], (h & 7) << 3 | h >> 3);
    rig_free(&r);
}

static void permutations_of_digits(void **state)
{
    (void)state;
    rig r;
    uint32_t to[1024];
    rig_one(&r, 9, GBIT, "pattern=tornado");
    map_of(&r, to);
    for (uint32_t h = 0; h < 9; h++)
        assert_int_equal(to[h], (h + 4) % 9);
    rig_free(&r);
    rig_one(&r, 10, GBIT, "pattern=neighbour");
    map_of(&r, to);
    assert_int_equal(to[9], 0);
    rig_free(&r);
    for (int tornado = 0; tornado < 2; tornado++) {
        rig_init(&r, 1024, GBIT); /* 8-ary 3-cube, two hosts per switch */
        r.topo.shape =
            (cop_shape){.kind = COP_SHAPE_CUBE,
                        .u.cube = {.dims = 3, .radix = {8, 8, 8}, .hosts_per_switch = 2}};
        rig_entry(&r, tornado ? "pattern=tornado" : "pattern=neighbour");
        rig_build(&r);
        map_of(&r, to);
        uint32_t step = tornado ? 3 : 1;
        uint32_t x = (7 + step) % 8, y = (2 + step) % 8, z = (5 + step) % 8;
        assert_int_equal(to[(7 + 2 * 8 + 5 * 64) * 2 + 1], (x + y * 8 + z * 64) * 2 + 1);
        rig_free(&r);
    }
}

static void random_permutation(void **state)
{
    (void)state;
    rig a, b;
    uint32_t to[200], other[200];
    rig_one(&a, 200, GBIT, "pattern=random-permutation");
    assert_int_equal(a.tr.n_streams, 200); /* no fixed point */
    map_of(&a, to);
    rig_init(&b, 200, GBIT);
    b.ctx.seed = 8;
    rig_entry(&b, "pattern=random-permutation");
    rig_build(&b);
    map_of(&b, other);
    assert_memory_not_equal(to, other, sizeof(to));
    rig_free(&a);
    rig_free(&b);
}

static void fixed_and_list(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 8, GBIT, "pattern=all-to-one; to=3");
    assert_int_equal(r.tr.n_streams, 7);
    assert_int_equal(r.tr.host_stream0[3], r.tr.host_stream0[4]);
    assert_int_equal(first_of(&r, 5)->fixed_dst, 3);
    rig_free(&r);
    rig_one(&r, 8, GBIT, "pattern=list; to_list=[2, 5, 7]; sl=3");
    static const uint32_t from0[] = {2, 5, 7, 2}, from5[] = {2, 7, 2, 7};
    for (int i = 0; i < 4; i++) {
        cop_msg m = take_at(&r, r.tr.host_stream0[0], 0);
        assert_int_equal(m.dst, from0[i]);
        assert_int_equal(m.sl, 3);
        assert_int_equal(take_at(&r, r.tr.host_stream0[5], 0).dst, from5[i]);
    }
    rig_free(&r);
    uint32_t count[8];
    rig_one(&r, 8, GBIT, "pattern=list; to_list=[2, 5, 7]; to_order=random");
    count_destinations(&r, 5, 10000, count);
    assert_int_equal(count[2] + count[7], 10000);
    assert_share(count[2], 10000, 0.5);
    rig_free(&r);
    rig_one(&r, 8, GBIT, "pattern=list; to_list=[2, 5, 7]; to_order=by-source; from=1-5");
    static const uint32_t by_source[] = {2, 5, 7, 2, 7};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(first_of(&r, i + 1)->fixed_dst, by_source[i]);
    rig_free(&r);
}

static void hot_places(void **state)
{
    (void)state;
    enum { N = 64, DRAWS = 40000 };
    rig r;
    uint32_t count[N];
    rig_one(&r, N, GBIT, "pattern=hotspot; to=9; hot_share=9 %");
    count_destinations(&r, 1, DRAWS, count);
    assert_share(count[9], DRAWS, 0.09 + 0.91 / (N - 1));
    assert_share(count[10], DRAWS, 0.91 / (N - 1));
    count_destinations(&r, 9, DRAWS, count); /* the hot host itself: uniform */
    assert_share(count[10], DRAWS, 1.0 / (N - 1));
    rig_free(&r);

    uint64_t received[N] = {0}, hot = 0;
    rig_one(&r, N, GBIT, "pattern=hot-region; hot_share=25 %; region=12.5 %");
    for (uint32_t h = 0; h < N; h++) {
        count_destinations(&r, h, 4000, count);
        for (uint32_t d = 0; d < N; d++)
            received[d] += count[d];
    }
    for (uint32_t d = 0; d < 8; d++)
        hot += received[d];
    /* A hot host receives 0.25 / 0.125 + 0.75 = 2.75 times what a host sends. */
    assert_in_range(hot, 8 * 2730 * 4, 8 * 2770 * 4);
    assert_in_range(received[63], 720 * 4, 780 * 4);
    rig_free(&r);
    rig_one(&r, 8, GBIT, "pattern=hot-region; hot_share=100 %; region=12.5 %");
    count_destinations(&r, 3, 100, count);
    assert_int_equal(count[0], 100);
    count_destinations(&r, 0, 700, count); /* alone in the region: anywhere else */
    assert_share(count[1], 700, 1.0 / 7);
    rig_free(&r);
}

/* Spread evenly: 3 of 8 hosts are 0, 2 and 5; a hot host sends to the two others. */
static void spread_region(void **state)
{
    (void)state;
    rig r;
    uint32_t count[8];
    rig_one(&r, 8, GBIT, "pattern=hot-region; hot_share=100 %; region=37.5 %; region_place=spread");
    for (uint32_t h = 0; h < 8; h++) {
        bool hot = h == 0 || h == 2 || h == 5;
        count_destinations(&r, h, 6000, count);
        for (uint32_t d = 0; d < 8; d++)
            if (d == h || (d != 0 && d != 2 && d != 5))
                assert_int_equal(count[d], 0);
            else
                assert_share(count[d], 6000, hot ? 0.5 : 1.0 / 3);
    }
    rig_free(&r);
}

static void groups(void **state)
{
    (void)state;
    rig r;
    uint32_t count[36];
    rig_init(&r, 36, GBIT);
    r.topo.shape = (cop_shape){.kind = COP_SHAPE_DRAGONFLY,
                               .u.dragonfly = {.p = 2, .a = 2, .h = 4, .groups = 9}};
    rig_entry(&r, "pattern=group-adversarial");
    rig_build(&r);
    count_destinations(&r, 34, 4000, count); /* last group sends to the first */
    for (uint32_t d = 0; d < 4; d++)
        assert_share(count[d], 4000, 0.25);
    assert_int_equal(count[0] + count[1] + count[2] + count[3], 4000);
    rig_free(&r);
    rig_one(&r, 36, GBIT, "pattern=group-adversarial; group_size=6; offset=-1");
    count_destinations(&r, 7, 600, count);
    assert_int_equal(count[0] + count[1] + count[2] + count[3] + count[4] + count[5], 600);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform),
        cmocka_unit_test(permutations_of_bits),
        cmocka_unit_test(permutations_of_digits),
        cmocka_unit_test(random_permutation),
        cmocka_unit_test(fixed_and_list),
        cmocka_unit_test(hot_places),
        cmocka_unit_test(spread_region),
        cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests_name("traffic_patterns", tests, NULL, NULL);
}
