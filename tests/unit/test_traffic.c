/* Traffic: who sends, where to, when, how much. Closed forms and bounds of several standard
 * deviations; all draws follow from fixed seeds, so a test that passes once passes always. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "traffic/traffic_cfg.h"

#include <stdio.h>
#include <string.h>

#define GBIT UINT64_C(1000000000)
#define MAX_ENTRIES 4

typedef struct rig {
    cop_arena arena;
    cop_topo topo;
    uint64_t *inject;
    cop_traffic_ctx ctx;
    cop_traffic_cfg cfg[MAX_ENTRIES];
    size_t n;
    cop_traffic tr;
    cop_err err;
} rig;

static void rig_init(rig *r, uint32_t n_hosts, uint64_t inject_bps)
{
    memset(r, 0, sizeof(*r));
    r->topo.n_hosts = n_hosts;
    r->inject = COP_NEW_ARRAY(&r->arena, uint64_t, n_hosts);
    for (uint32_t h = 0; h < n_hosts; h++)
        r->inject[h] = inject_bps;
    r->ctx = (cop_traffic_ctx){
        .seed = 7, .inject_bps = r->inject, .mtu_bytes = 2048, .duration_ps = 100 * COP_SECOND};
}

/* Options as "name=value; name=value". */
static void rig_entry(rig *r, const char *text)
{
    cop_traffic_cfg *cfg = &r->cfg[r->n++];
    cop_opt_defaults(cop_traffic_opts, cfg, &r->arena);
    char *copy = cop_arena_strdup(&r->arena, text), *save = NULL;
    for (char *item = strtok_r(copy, ";", &save); item; item = strtok_r(NULL, ";", &save)) {
        item += strspn(item, " ");
        char *value = strchr(item, '=');
        assert_non_null(value);
        *value++ = '\0';
        const cop_opt *o = cop_opt_find(cop_traffic_opts, item);
        assert_non_null(o);
        assert_int_equal(cop_opt_parse(o, cfg, value, &r->arena, NULL, &r->err), 0);
    }
}

static int rig_try(rig *r)
{
    return cop_traffic_build(&r->tr, &r->topo, r->cfg, r->n, &r->ctx, &r->err);
}

static void rig_build(rig *r)
{
    int rc = rig_try(r);
    if (rc != 0)
        print_error("%s\n", r->err.text);
    assert_int_equal(rc, 0);
}

static void rig_free(rig *r)
{
    cop_traffic_free(&r->tr);
    cop_arena_free(&r->arena);
}

/* A network of one entry. */
static void rig_one(rig *r, uint32_t n_hosts, uint64_t inject_bps, const char *text)
{
    rig_init(r, n_hosts, inject_bps);
    rig_entry(r, text);
    rig_build(r);
}

static cop_stream *first_of(rig *r, uint32_t host)
{
    assert_true(r->tr.host_stream0[host] < r->tr.host_stream0[host + 1]);
    return &r->tr.stream[r->tr.host_stream0[host]];
}

static cop_msg take_at(rig *r, uint32_t s, cop_time now)
{
    cop_msg m;
    cop_traffic_take(&r->tr, s, now, &m);
    assert_int_not_equal(m.dst, r->tr.stream[s].host);
    assert_true(m.dst < r->topo.n_hosts && m.bytes > 0);
    return m;
}

static void count_destinations(rig *r, uint32_t host, uint32_t n, uint32_t *count)
{
    uint32_t s = r->tr.host_stream0[host];
    memset(count, 0, r->topo.n_hosts * sizeof(*count));
    for (uint32_t i = 0; i < n; i++)
        count[take_at(r, s, 0).dst]++;
}

static void assert_share(uint64_t count, uint64_t n, double p)
{
    double sigma2 = (double)n * p * (1.0 - p), d = (double)count - (double)n * p;
    assert_true(d * d <= 20.0 * sigma2 + 1.0); /* 4.5 standard deviations */
}

static void option_table(void **state)
{
    (void)state;
    cop_arena arena = {0};
    cop_traffic_cfg cfg = {0};
    cop_opt_defaults(cop_traffic_opts, &cfg, &arena);
    assert_int_equal(cfg.pattern, COP_PATTERN_UNIFORM);
    assert_int_equal(cfg.stop_ps, COP_NEVER);
    assert_int_equal(cfg.message_bytes, 4096);
    for (const cop_opt *o = cop_traffic_opts; o->type != COP_OPT_END; o++) {
        assert_ptr_equal(cop_opt_find(cop_traffic_opts, o->name), o);
        assert_non_null(o->def);
        assert_true(strlen(o->help) > 10);
    }
    const cop_opt *o = cop_opt_find(cop_traffic_opts, "pattern");
    assert_string_equal(o->names[COP_PATTERN_FOREST], "forest");
    assert_string_equal(o->names[COP_PATTERN_SHUFFLE], "perfect-shuffle");
    assert_null(o->names[COP_PATTERN_FOREST + 1]);
    o = cop_opt_find(cop_traffic_opts, "arrival");
    assert_string_equal(o->names[COP_ARRIVAL_ON_OFF], "on-off");
    cop_arena_free(&arena);
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

static void constant_is_exact(void **state)
{
    (void)state;
    static const struct {
        uint64_t bps, bytes;
        const char *text;
    } cases[] = {
        {12 * GBIT, 4096, "arrival=constant; rate=12 Gbit/s"},
        {7 * GBIT, 1000, "arrival=constant; rate=7 Gbit/s; message=1000 B"},
        {13499999999, 333, "arrival=constant; rate=13499999999 bit/s; message=333 B"},
        {11 * GBIT, 2048, "arrival=constant; load=55 %; message=2 KiB; start=3 us"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        rig r;
        rig_one(&r, 4, 20 * GBIT, cases[i].text);
        cop_time start = r.cfg[0].start_ps;
        for (uint64_t n = 0; n < 300000; n++) {
            unsigned __int128 ps = (unsigned __int128)n * cases[i].bytes * 8 * COP_SECOND;
            cop_msg m = take_at(&r, 2, first_of(&r, 2)->t_next + n % 3 * COP_US);
            assert_int_equal(m.t_gen, start + (uint64_t)(ps / cases[i].bps));
        }
        rig_free(&r);
    }
    rig r; /* mixed sizes: each message makes room for itself */
    rig_one(
        &r, 2, 20 * GBIT,
        "arrival=constant; rate=9 Gbit/s; size_distribution=uniform; size_min=1 B; size_max=5 kB");
    uint64_t bytes = 0;
    for (int i = 0; i < 100000; i++) {
        cop_msg m = take_at(&r, 0, COP_SECOND);
        assert_int_equal(m.t_gen,
                         (uint64_t)((unsigned __int128)bytes * 8 * COP_SECOND / (9 * GBIT)));
        bytes += m.bytes;
    }
    rig_free(&r);
}

/* Mean and variance of the times between n messages of stream 0, in units of `unit` ps. */
static void gaps(rig *r, uint32_t n, double unit, double *mean, double *variance)
{
    double sum = 0, sum2 = 0;
    cop_time last = r->tr.stream[0].t_next;
    take_at(r, 0, last);
    for (uint32_t i = 0; i < n; i++) {
        cop_time t = r->tr.stream[0].t_next;
        double gap = (double)(t - last) / unit;
        assert_true(t >= last);
        sum += gap;
        sum2 += gap * gap;
        last = t;
        take_at(r, 0, t);
    }
    *mean = sum / n;
    *variance = sum2 / n - *mean * *mean;
}

static void random_arrivals(void **state)
{
    (void)state;
    rig r;
    double mean, variance;
    /* Slots of 1000 B at 40 Gbit/s: 200 ns. */
    rig_one(&r, 2, 40 * GBIT, "arrival=bernoulli; load=30 %; message=1 kB");
    assert_int_equal(r.tr.stream[0].t_next % 200000, 0);
    gaps(&r, 100000, 200000.0, &mean, &variance);
    assert_int_equal(r.tr.stream[0].t_next % 200000, 0);
    assert_true(mean > 3.30 && mean < 3.37); /* 1/p */
    assert_true(variance > 7.6 && variance < 7.95); /* (1-p)/p^2 = 7.78 */
    rig_free(&r);
    rig_one(&r, 2, 40 * GBIT, "arrival=bernoulli; load=100 %; message=1 kB");
    gaps(&r, 1000, 200000.0, &mean, &variance);
    assert_true(mean > 0.999999 && mean < 1.000001 && variance < 1e-9);
    rig_free(&r);
    rig_one(&r, 2, 40 * GBIT, "arrival=poisson; rate=10 Gbit/s; message=1 kB");
    gaps(&r, 100000, 800000.0, &mean, &variance);
    assert_true(mean > 0.985 && mean < 1.015);
    assert_true(variance > 0.96 && variance < 1.04);
    rig_free(&r);
    /* Bursts of 100 us at 8 Gbit/s (1 message per us), 300 us apart. */
    rig_one(&r, 2, 40 * GBIT,
            "arrival=on-off; rate=8 Gbit/s; message=1 kB; on_mean=100 us; off_mean=300 us");
    gaps(&r, 400000, 1e6, &mean, &variance);
    assert_true(mean > 3.75 && mean < 4.25);
    assert_true(variance > 1600 && variance < 2000); /* 1/100 of gaps hold an exp(300): 1791 */
    rig_free(&r);
    /* Bursts are in full swing from the start: a quarter of the hosts begins inside one. */
    uint64_t on = 0;
    rig_one(&r, 2000, 40 * GBIT, "arrival=on-off; rate=8 Gbit/s; on_mean=100 us; off_mean=300 us");
    for (uint32_t s = 0; s < 2000; s++)
        on += r.tr.stream[s].t_next == 0;
    assert_share(on, 2000, 0.25);
    rig_free(&r);
}

static void phases(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 100, 40 * GBIT, "arrival=constant; load=50 %; message=1 kB; phase=random");
    double sum = 0;
    for (uint32_t s = 0; s < 100; s++) {
        assert_true(r.tr.stream[s].t_next < 400000);
        sum += (double)r.tr.stream[s].t_next;
    }
    assert_true(sum / 100 > 150000 && sum / 100 < 250000);
    cop_time t0 = r.tr.stream[0].t_next;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(take_at(&r, 0, COP_SECOND).t_gen, t0 + i * 400000);
    rig_free(&r);
    rig_one(&r, 4, 40 * GBIT, "arrival=bernoulli; load=50 %; message=1 kB; phase=random");
    assert_int_not_equal(r.tr.stream[0].t_next % 200000, r.tr.stream[1].t_next % 200000);
    rig_free(&r);
}

/* Messages in high and low phases over `periods` of 30 us + 70 us. */
static void count_pulses(const char *kind, const char *low, uint64_t periods, uint64_t count[2])
{
    rig r;
    char text[256];
    snprintf(text, sizeof(text),
             "arrival=pulses; load=80 %%; %s; high_time=30 us; low_time=70 us; message=500 B; "
             "pulse_arrival=%s",
             low, kind);
    rig_one(&r, 2, 40 * GBIT, text);
    count[0] = count[1] = 0;
    cop_time t;
    while ((t = r.tr.stream[0].t_next) < periods * 100 * COP_US) {
        count[t % (100 * COP_US) >= 30 * COP_US]++;
        take_at(&r, 0, t);
    }
    rig_free(&r);
}

static void pulses(void **state)
{
    (void)state;
    uint64_t n[2];
    /* 100 ns slots: 300 in the pulse, 700 outside; 80 % and 5 %. */
    count_pulses("bernoulli", "low_load=5 %", 200, n);
    assert_share(n[0], 200 * 300, 0.8);
    assert_share(n[1], 200 * 700, 0.05);
    count_pulses("constant", "low_rate=2 Gbit/s", 200, n);
    assert_in_range(n[0], 200 * 240 - 1, 200 * 240 + 1);
    assert_in_range(n[1], 200 * 35 - 1, 200 * 35 + 1);
    count_pulses("poisson", "low_load=5 %", 200, n);
    assert_true(n[0] > 48000 - 1000 && n[0] < 48000 + 1000);
    assert_true(n[1] > 7000 - 380 && n[1] < 7000 + 380);
    static const char *const kinds[] = {"bernoulli", "constant", "poisson"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        count_pulses(kinds[i], "low_rate=0", 100, n);
        assert_int_equal(n[1], 0);
        assert_true(n[0] > 23000 && n[0] < 25000);
    }
}

static void sizes(void **state)
{
    (void)state;
    enum { DRAWS = 40000 };
    rig r;
    uint64_t sum = 0, few = 0;
    rig_one(&r, 2, GBIT, "size_distribution=uniform; size_min=100 B; size_max=199 B");
    for (int i = 0; i < DRAWS; i++) {
        uint32_t bytes = take_at(&r, 0, 0).bytes;
        assert_in_range(bytes, 100, 199);
        sum += bytes;
    }
    assert_true(sum > 149 * DRAWS && sum < 150 * DRAWS);
    rig_free(&r);
    rig_one(&r, 2, GBIT,
            "size_distribution=bimodal; size_small=64 B; size_large=2 KiB; small_share=0.8");
    for (int i = 0; i < DRAWS; i++) {
        uint32_t bytes = take_at(&r, 0, 0).bytes;
        assert_true(bytes == 64 || bytes == 2048);
        few += bytes == 64;
    }
    assert_share(few, DRAWS, 0.8);
    rig_free(&r);
    rig_one(&r, 2, GBIT, "size_distribution=list; sizes=[64, 1500, 9000, 7]; weights=[5, 3, 2, 0]");
    uint64_t count[3] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint32_t bytes = take_at(&r, 0, 0).bytes;
        assert_true(bytes == 64 || bytes == 1500 || bytes == 9000);
        count[bytes == 64 ? 0 : bytes == 1500 ? 1 : 2]++;
    }
    assert_share(count[0], DRAWS, 0.5);
    assert_share(count[2], DRAWS, 0.2);
    rig_free(&r);
    /* A rate holds for the mean size: 64 B and 2048 B half and half at 1 Gbit/s. */
    double mean, variance;
    rig_one(&r, 2, 10 * GBIT,
            "arrival=bernoulli; rate=1 Gbit/s; size_distribution=bimodal; size_large=2 KiB");
    gaps(&r, 100000, 1056 * 8000.0, &mean, &variance);
    assert_true(mean > 0.985 && mean < 1.015);
    rig_free(&r);
}

static void count_roles(const rig *r, uint32_t count[4])
{
    memset(count, 0, 4 * sizeof(*count));
    for (uint32_t h = 0; h < r->topo.n_hosts; h++)
        count[r->tr.role[h]]++;
}

static void forest_silent(void **state)
{
    (void)state;
    rig r;
    uint32_t count[4], hot[8], members[648] = {0};
    rig_one(&r, 648, 135 * GBIT / 10, "pattern=forest; v_share=20 %; hotspots=8");
    count_roles(&r, count);
    assert_int_equal(count[COP_ROLE_V], 130);
    assert_int_equal(count[COP_ROLE_C], 518);
    assert_int_equal(r.tr.n_hotspots, 8);
    assert_int_equal(cop_traffic_hotspots(&r.tr, 50 * COP_MS, hot), 8);
    uint32_t silent = 0, total = 0;
    for (uint32_t h = 0; h < 648; h++) {
        if (r.tr.host_stream0[h] == r.tr.host_stream0[h + 1]) {
            silent++; /* only a contributor that is its own hotspot */
            assert_int_equal(r.tr.role[h], COP_ROLE_C);
            members[h]++;
            continue;
        }
        const cop_stream *s = first_of(&r, h);
        assert_true(s->saturated);
        if (r.tr.role[h] == COP_ROLE_V) {
            assert_int_equal(s->part, COP_PART_UNIFORM);
            assert_int_equal(s->fixed_dst, COP_NONE);
        } else {
            assert_int_equal(s->part, COP_PART_HOTSPOT);
            members[s->fixed_dst]++;
        }
    }
    assert_int_equal(r.tr.n_streams + silent, 648);
    for (uint32_t k = 0; k < 8; k++) {
        assert_in_range(members[hot[k]], 64, 65);
        total += members[hot[k]];
        for (uint32_t j = 0; j < k; j++)
            assert_int_not_equal(hot[j], hot[k]);
    }
    assert_int_equal(total, 518);

    rig v; /* the reference run has the same places, without contributors */
    uint32_t same[8];
    rig_one(&v, 648, 135 * GBIT / 10, "pattern=forest; v_share=20 %; contribute=no");
    assert_memory_equal(v.tr.role, r.tr.role, 648);
    assert_int_equal(v.tr.n_streams, 130);
    cop_traffic_hotspots(&v.tr, 0, same);
    assert_memory_equal(same, hot, sizeof(hot));
    rig_free(&v);
    rig_free(&r);
}

static void forest_windy(void **state)
{
    (void)state;
    rig r;
    uint32_t count[4];
    rig_one(&r, 648, 135 * GBIT / 10, "pattern=forest; b_share=25 %; v_share=20 %; p=30 %");
    count_roles(&r, count);
    assert_int_equal(count[COP_ROLE_B], 162);
    assert_int_equal(count[COP_ROLE_V], 97); /* 20 % of 486 */
    uint32_t both = 0;
    for (uint32_t h = 0; h < 648; h++) {
        uint32_t s0 = r.tr.host_stream0[h];
        if (r.tr.role[h] != COP_ROLE_B || r.tr.host_stream0[h + 1] - s0 != 2)
            continue;
        both++;
        uint64_t sent[2] = {0, 0};
        cop_time t = 0;
        while (t < 300 * COP_US) {
            uint32_t i = r.tr.stream[s0].t_next <= r.tr.stream[s0 + 1].t_next ? 0 : 1;
            t = r.tr.stream[s0 + i].t_next;
            cop_msg m = take_at(&r, s0 + i, t);
            sent[i] += m.bytes;
            if (i == 0)
                assert_int_equal(m.dst, r.tr.stream[s0].fixed_dst);
            double budget = (double)t * 13.5e9 / 8e12 * (i == 0 ? 0.3 : 0.7);
            assert_true((double)sent[i] <= budget + 4096.0 + 1.0);
            assert_true((double)sent[i] >= budget - 1.0);
        }
        assert_int_equal(r.tr.stream[s0].part, COP_PART_HOTSPOT);
        assert_int_equal(r.tr.stream[s0 + 1].part, COP_PART_UNIFORM);
    }
    assert_true(both >= 162 - 8);
    rig_free(&r);
    rig_one(&r, 64, GBIT, "pattern=forest; b_share=100 %; p=0 %");
    assert_int_equal(r.tr.n_streams, 64);
    assert_int_equal(r.tr.stream[9].part, COP_PART_UNIFORM);
    rig_free(&r);
}

static void forest_moving(void **state)
{
    (void)state;
    enum { N = 40, HOT = 4, SLOTS = 50 };
    rig r;
    uint32_t hot[HOT], before[HOT] = {0};
    rig_init(&r, N, 10 * GBIT);
    r.ctx.duration_ps = SLOTS * COP_MS;
    rig_entry(&r, "pattern=forest; v_share=0 %; hotspots=4; lifetime=1 ms");
    rig_build(&r);
    uint32_t moves = 0, own = 0;
    for (cop_time slot = 0; slot < SLOTS; slot++) {
        cop_time from = slot * COP_MS, last = from + COP_MS - 1;
        assert_int_equal(cop_traffic_hotspots(&r.tr, from, hot), HOT);
        for (uint32_t k = 1; k < HOT; k++) {
            for (uint32_t j = 0; j < k; j++)
                assert_int_not_equal(hot[j], hot[k]);
        }
        moves += memcmp(hot, before, sizeof(hot)) != 0;
        memcpy(before, hot, sizeof(hot));
        cop_traffic_hotspots(&r.tr, last, hot);
        assert_memory_equal(hot, before, sizeof(hot));
        for (uint32_t h = 0; h < N; h++) {
            uint32_t sends = 0;
            for (uint32_t s = r.tr.host_stream0[h]; s < r.tr.host_stream0[h + 1]; s++) {
                if (r.tr.stream[s].t_next > from || r.tr.stream[s].t_stop <= from)
                    continue;
                sends++;
                uint32_t dst = take_at(&r, s, from).dst;
                assert_int_equal(take_at(&r, s, last - 1).dst, dst);
                assert_true(dst == hot[0] || dst == hot[1] || dst == hot[2] || dst == hot[3]);
            }
            own += sends == 0; /* silent while it is its own hotspot */
            if (sends == 0)
                assert_true(h == hot[0] || h == hot[1] || h == hot[2] || h == hot[3]);
            assert_true(sends <= 1);
        }
    }
    assert_int_equal(moves, SLOTS);
    assert_share(own, HOT * SLOTS, 0.25);
    rig_free(&r);

    /* B nodes taken late: the present hotspot counts, and never the sender itself. */
    rig_init(&r, N, 10 * GBIT);
    r.ctx.duration_ps = SLOTS * COP_MS;
    rig_entry(&r, "pattern=forest; b_share=100 %; p=90 %; hotspots=4; lifetime=1 ms");
    rig_build(&r);
    for (uint32_t s = 0; s < r.tr.n_streams; s++) {
        const cop_stream *st = &r.tr.stream[s];
        while (st->t_next != COP_NEVER) {
            uint64_t late = cop_rng_at(3, COP_RNG_TEST, s, st->n_sent) % (3 * COP_MS);
            cop_time now = st->t_next + late;
            cop_msg m = take_at(&r, s, now);
            if (st->part == COP_PART_UNIFORM || now >= r.ctx.duration_ps)
                continue;
            cop_traffic_hotspots(&r.tr, now, hot);
            bool self = hot[0] == st->host || hot[1] == st->host || hot[2] == st->host ||
                        hot[3] == st->host;
            assert_true(self || m.dst == hot[0] || m.dst == hot[1] || m.dst == hot[2] ||
                        m.dst == hot[3]);
        }
    }
    rig_free(&r);
}

static void independent_entries(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "arrival=poisson; load=40 %; size_distribution=uniform; share=50 %",
        "pattern=forest; arrival=bernoulli; load=20 %; b_share=50 %",
        "pattern=uniform; arrival=poisson; load=10 %",
    };
    rig a, b;
    rig_init(&a, 30, 10 * GBIT);
    rig_init(&b, 30, 10 * GBIT);
    rig_entry(&a, texts[0]);
    rig_entry(&a, texts[1]);
    for (size_t i = 0; i < 3; i++)
        rig_entry(&b, texts[i]);
    rig_build(&a);
    rig_build(&b);
    assert_memory_equal(a.tr.role, b.tr.role, 30);
    assert_int_equal(b.tr.n_streams, a.tr.n_streams + 30);
    for (uint32_t sa = 0, sb = 0; sa < a.tr.n_streams; sa++, sb++) {
        while (b.tr.stream[sb].entry == 2)
            sb++;
        assert_int_equal(a.tr.stream[sa].host, b.tr.stream[sb].host);
        assert_int_equal(a.tr.stream[sa].part, b.tr.stream[sb].part);
        for (int i = 0; i < 50; i++) { /* b is taken later: what is offered stays the same */
            cop_msg ma = take_at(&a, sa, a.tr.stream[sa].t_next);
            cop_msg mb = take_at(&b, sb, b.tr.stream[sb].t_next + COP_MS);
            assert_true(ma.t_gen == mb.t_gen && ma.dst == mb.dst && ma.bytes == mb.bytes);
        }
    }
    rig_free(&a);
    rig_free(&b);

    rig_one(&a, 2, 10 * GBIT, "arrival=poisson; load=40 %"); /* hosts differ from each other */
    assert_int_not_equal(a.tr.stream[0].t_next, a.tr.stream[1].t_next);
    rig_free(&a);
}

static void windows(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 2, 8 * GBIT, "arrival=constant; load=100 %; message=1 kB; start=2 us; stop=5 us");
    for (cop_time t = 2; t < 5; t++)
        assert_int_equal(take_at(&r, 0, 9 * COP_US).t_gen, t * COP_US);
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER); /* 5 us is not before 5 us */
    rig_free(&r);

    rig_one(&r, 2, 8 * GBIT,
            "arrival=constant; load=100 %; message=1 kB; active=[1 us, 3 us, 6 us]; stop=8 us");
    assert_int_equal(r.tr.host_stream0[1], 2);
    assert_int_equal(take_at(&r, 0, COP_MS).t_gen, 1 * COP_US);
    assert_int_equal(take_at(&r, 0, COP_MS).t_gen, 2 * COP_US);
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER);
    assert_int_equal(take_at(&r, 1, COP_MS).t_gen, 6 * COP_US);
    assert_int_equal(take_at(&r, 1, COP_MS).t_gen, 7 * COP_US);
    assert_int_equal(r.tr.stream[1].t_next, COP_NEVER);
    rig_free(&r);

    rig_init(&r, 2, 8 * GBIT); /* saturated: generated when taken, until t_stop or the run's end */
    r.ctx.duration_ps = 9 * COP_US;
    rig_entry(&r, "active=[1 us, 3 us, 6 us, 20 us]");
    rig_build(&r);
    const cop_stream *s = r.tr.stream;
    assert_true(s[0].saturated && s[0].t_next == COP_US && s[0].t_stop == 3 * COP_US);
    assert_true(s[1].saturated && s[1].t_next == 6 * COP_US && s[1].t_stop == 9 * COP_US);
    assert_int_equal(take_at(&r, 0, 2 * COP_US).t_gen, 2 * COP_US);
    assert_int_equal(s[0].t_next, COP_US);
    take_at(&r, 0, 3 * COP_US - 1);
    assert_int_equal(s[0].t_next, COP_NEVER);
    rig_free(&r);

    /* Periods of activity draw values of their own. */
    rig_one(&r, 64, 8 * GBIT, "arrival=poisson; load=50 %; active=[0, 1 ms, 2 ms]");
    s = r.tr.stream;
    assert_int_not_equal(s[0].t_next, s[1].t_next - 2 * COP_MS);
    uint32_t same = 0;
    for (int i = 0; i < 20; i++)
        same += take_at(&r, 0, s[0].t_next).dst == take_at(&r, 1, s[1].t_next).dst;
    assert_true(same < 10);
    rig_free(&r);

    rig_one(&r, 2, 8 * GBIT, "messages=2");
    take_at(&r, 0, 5);
    assert_int_equal(r.tr.stream[0].t_next, 0);
    take_at(&r, 0, 6);
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER);
    rig_free(&r);
}

/* One message of 1000 B per 1 us. Those older than the patience are given up, not the last one. */
static void patience(void **state)
{
    (void)state;
    rig r, all;
    const char *const text = "arrival=constant; load=100 %; message=1000 B; stop=100 us";
    char patient[120];
    snprintf(patient, sizeof(patient), "%s; patience=3 us", text);
    rig_one(&r, 64, 8 * GBIT, patient);
    rig_one(&all, 64, 8 * GBIT, text);
    assert_int_equal(take_at(&r, 0, 3 * COP_US).t_gen, 0); /* in time */
    assert_int_equal(take_at(&r, 0, 20 * COP_US).t_gen, 17 * COP_US);
    assert_int_equal(r.tr.n_given_up, 16);
    for (int i = 0; i < 18; i++)
        take_at(&all, 0, 20 * COP_US);
    for (uint64_t i = 18; i < 30; i++) /* what is left is the same as without */
        assert_int_equal(take_at(&r, 0, i * COP_US).dst, take_at(&all, 0, i * COP_US).dst);
    assert_int_equal(take_at(&r, 0, COP_MS).t_gen, 99 * COP_US); /* long over: one is left */
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER);
    rig_free(&r);
    rig_free(&all);

    rig_one(&r, 2, 8 * GBIT,
            "arrival=constant; load=100 %; message=1000 B; patience=1 us; messages=5");
    assert_int_equal(take_at(&r, 0, COP_MS).t_gen, 4 * COP_US); /* given up counts as generated */
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER);
    rig_free(&r);
}

/* Hosts with a stream of entry e, as text. */
static const char *senders(const rig *r, uint32_t e, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (uint32_t s = 0; s < r->tr.n_streams; s++) {
        if (r->tr.stream[s].entry == e && used < size)
            used += (size_t)snprintf(buf + used, size - used, " %u", r->tr.stream[s].host);
    }
    return buf;
}

static void sources(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hosts;
    } cases[] = {
        {"from=all", " 0 1 2 3 4 5 6 7 8 9"},
        {"from=[0, 3,5 ]", " 0 3 5"},
        {"from=2-4", " 2 3 4"},
        {"from=0-9:4, 1", " 0 1 4 8"},
        {"from=all; except=0-7", " 8 9"},
        {"from=7,7,6-8", " 6 7 8"},
    };
    char text[128];
    rig r;
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        rig_one(&r, 10, GBIT, cases[i].text);
        assert_string_equal(senders(&r, 0, text, sizeof(text)), cases[i].hosts);
        rig_free(&r);
    }
    rig_init(&r, 10, GBIT);
    rig_entry(&r, "name=hot; from=1-8; share=25 %; pattern=all-to-one; to=9");
    rig_entry(&r, "from=rest");
    rig_entry(&r, "from=hot; start=1 ms");
    rig_build(&r);
    char hot[128];
    assert_int_equal(r.tr.n_streams, 2 + 8 + 2);
    assert_string_equal(senders(&r, 0, hot, sizeof(hot)), senders(&r, 2, text, sizeof(text)));
    assert_string_equal(r.tr.entry_name[0], "hot");
    assert_string_equal(r.tr.entry_name[1], "traffic1");
    for (uint32_t s = 0; s < r.tr.n_streams; s++)
        assert_true(s == 0 || r.tr.stream[s].host >= r.tr.stream[s - 1].host);
    rig_free(&r);
    uint32_t picked[10] = {0}; /* every host is as likely as another */
    for (uint64_t seed = 0; seed < 500; seed++) {
        rig_init(&r, 10, GBIT);
        r.ctx.seed = seed;
        rig_entry(&r, "share=30 %");
        rig_build(&r);
        assert_int_equal(r.tr.n_streams, 3);
        for (uint32_t s = 0; s < 3; s++)
            picked[r.tr.stream[s].host]++;
        rig_free(&r);
    }
    for (uint32_t h = 0; h < 10; h++)
        assert_share(picked[h], 500, 0.3);
}

static const char *where(const void *ctx, size_t entry, const char *option, char *buf, size_t size)
{
    snprintf(buf, size, "%s:%zu:%s", (const char *)ctx, entry, option);
    return buf;
}

static void errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *option, *says;
    } cases[] = {
        {"from=0-12", "from", "host 12; the last host is 11"},
        {"from=sink", "from", "\"sink\"; write all, rest,"},
        {"from=4-2", "from", "\"4-2\""},
        {"from=3; except=1-5", "from", "no host is left"},
        {"from=0-3; share=10 %", "share", "less than half a host"},
        {"pattern=fixed; from=1", "to", "fixed needs `to`"},
        {"pattern=fixed; from=1; to=12", "to", "host 12; the last host is 11"},
        {"pattern=fixed; from=1; to=x", "to", "`to` is \"x\"; write the number of a host, 0 to 11"},
        {"pattern=fixed; from=1; to=-1", "to", "write the number of a host"},
        {"pattern=fixed; from=1; to=99999999999999999999", "to", "the last host is 11"},
        {"pattern=fixed; to=4", "from", "host 4 would send to itself"},
        {"pattern=all-to-one; from=4; to=4", "from", "every source would send to itself"},
        {"pattern=uniform; to=4", "to", "remove `to`"},
        {"pattern=uniform; to_list=4", "to_list", "only pattern list"},
        {"pattern=list", "to_list", "needs `to_list`"},
        {"pattern=list; to_list=[3, 12]", "to_list", "host 12; the last host is 11"},
        {"pattern=list; to_list=[3, 3]", "to_list", "host 3 twice"},
        {"pattern=bit-reversal", "pattern", "to be a power of two; it is 12"},
        {"pattern=transpose", "pattern", "to be a square number; it is 12"},
        {"pattern=hot-region; region=1 %", "region", "less than half a host"},
        {"pattern=group-adversarial", "pattern", "needs groups"},
        {"pattern=group-adversarial; group_size=5", "group_size", "12 hosts do not make"},
        {"pattern=group-adversarial; group_size=4; offset=3", "offset", "own group"},
        {"pattern=forest; hotspots=13", "hotspots", "do not fit into 12 hosts"},
        {"pattern=forest; lifetime=1 us", "lifetime", "choose a `lifetime`"},
        {"arrival=constant", "arrival", "needs a `rate`"},
        {"arrival=poisson; rate=1 Gbit/s; load=5 %", "load", "both `rate` and `load`"},
        {"rate=1 Gbit/s", "rate", "saturated sources have no `rate`"},
        {"arrival=constant; rate=10.5 Gbit/s", "rate", "host 0 can send at most 10 Gbit/s"},
        {"arrival=pulses; load=50 %; low_load=60 %; high_time=1 us; low_time=1 us", "low_load",
         "must be below `load`"},
        {"arrival=pulses; load=50 %; high_time=1 us", "low_time", "both above 0"},
        {"arrival=constant; load=50 %; low_load=1 %", "low_rate", "only `arrival` pulses"},
        {"arrival=on-off; load=50 %; on_mean=1 us", "off_mean", "both above 0"},
        {"size_distribution=uniform; size_min=5 kB", "size_min", "above `size_max`"},
        {"size_distribution=list", "sizes", "needs `sizes`"},
        {"size_distribution=list; sizes=[1, 2]; weights=3", "weights", "1 `weights` for 2 `sizes`"},
        {"size_distribution=list; sizes=5; weights=0", "weights", "all `weights` are 0"},
        {"patience=2 us", "patience", "a saturated sender has no messages that wait"},
        {"start=2 us; stop=2 us", "stop", "must come after `start`"},
        {"active=[1 us, 3 us, 3 us]", "active", "item 3 does not come after item 2"},
        {"name=first", "name", "taken by entry 0"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        rig r;
        char place[64];
        rig_init(&r, 12, 10 * GBIT);
        r.ctx.where = where;
        r.ctx.where_ctx = "net.yaml";
        rig_entry(&r, "name=first");
        rig_entry(&r, cases[i].text);
        assert_int_equal(rig_try(&r), -COP_E_INPUT);
        snprintf(place, sizeof(place), "net.yaml:1:%s: ", cases[i].option);
        if (r.err.faults != 1 || strstr(r.err.text, cases[i].says) == NULL ||
            strncmp(r.err.text, place, strlen(place)) != 0)
            fail_msg("%s\ngives: %s", cases[i].text, r.err.text);
        assert_int_equal(r.tr.n_streams, 0);
        rig_free(&r);
    }
    rig r; /* every fault of every entry, one line each */
    rig_init(&r, 12, 10 * GBIT);
    rig_entry(&r, "from=99; pattern=fixed; sl=2");
    rig_entry(&r, "arrival=constant");
    assert_int_equal(rig_try(&r), -COP_E_INPUT);
    assert_int_equal(r.err.faults, 3);
    assert_non_null(strstr(r.err.text, "traffic[0].to: "));
    assert_non_null(strstr(r.err.text, "\ntraffic[1].arrival: "));
    rig_free(&r);
}

static void many_hosts(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 100000, 10 * GBIT,
            "pattern=forest; b_share=100 %; hotspots=64; arrival=poisson; load=9 %");
    assert_in_range(r.tr.n_streams, 200000 - 64, 200000);
    assert_int_equal(r.tr.host_stream0[100000], r.tr.n_streams);
    for (uint32_t s = 0; s < r.tr.n_streams; s++)
        take_at(&r, s, r.tr.stream[s].t_next);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(option_table),
        cmocka_unit_test(uniform),
        cmocka_unit_test(permutations_of_bits),
        cmocka_unit_test(permutations_of_digits),
        cmocka_unit_test(random_permutation),
        cmocka_unit_test(fixed_and_list),
        cmocka_unit_test(hot_places),
        cmocka_unit_test(groups),
        cmocka_unit_test(constant_is_exact),
        cmocka_unit_test(random_arrivals),
        cmocka_unit_test(phases),
        cmocka_unit_test(pulses),
        cmocka_unit_test(sizes),
        cmocka_unit_test(forest_silent),
        cmocka_unit_test(forest_windy),
        cmocka_unit_test(forest_moving),
        cmocka_unit_test(independent_entries),
        cmocka_unit_test(windows),
        cmocka_unit_test(patience),
        cmocka_unit_test(sources),
        cmocka_unit_test(errors),
        cmocka_unit_test(many_hosts),
    };
    return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
