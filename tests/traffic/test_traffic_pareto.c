/* Bursts with Pareto lengths: their law, the rate from the start on, and that the sum of many senders is
 * bursty at all time scales, as far as their tail index says (Willinger et al. 1997: H = (3 - a) / 2). */
#include "base/rng.h"
#include "traffic_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECTED_HASH UINT64_C(0x947b78b4c7c435f2)
#define HASH_START UINT64_C(0xcbf29ce484222325)

/* P(X > x) = (x0 / x)^a, and none is below x0. */
static void lengths_have_their_law(void **state)
{
    (void)state;
    static const double tails[] = {1.05, 1.4, 2.0, 3.5};
    enum { N = 200000 };
    const cop_time mean = 1000000;
    for (size_t i = 0; i < COP_LEN(tails); i++) {
        double a = tails[i], least = (double)mean * (a - 1.0) / a;
        cop_rng r = cop_rng_make(5, COP_RNG_TEST, (uint32_t)i);
        uint64_t twice = 0, tenfold = 0;
        for (int k = 0; k < N; k++) {
            double x = (double)cop_rng_pareto(&r, mean, a);
            assert_true(x >= least - 1.0);
            twice += x > 2.0 * least;
            tenfold += x > 10.0 * least;
        }
        assert_share(twice, N, pow(2.0, -a));
        assert_share(tenfold, N, pow(10.0, -a));
        assert_int_equal(r.counter, N); /* one draw each */
    }
    cop_rng r = cop_rng_make(5, COP_RNG_TEST, 9);
    double sum = 0.0;
    for (int k = 0; k < N; k++)
        sum += (double)cop_rng_pareto(&r, mean, 3.5);
    assert_true(fabs(sum / N - 1e6) < 3000.0); /* sd of the mean: 1e6 / sqrt(a (a - 2) N) = 976 */
}

/* The rest of a span that one falls into: P(rest > x) = 1 - x / mean up to x0, then (x0 / x)^(a - 1) / a. */
static void rests_have_their_law(void **state)
{
    (void)state;
    enum { N = 200000 };
    const double a = 1.6, mean = 1e6, least = mean * (a - 1.0) / a;
    cop_rng r = cop_rng_make(6, COP_RNG_TEST, 0);
    uint64_t half = 0, one = 0, far = 0;
    for (int k = 0; k < N; k++) {
        double x = (double)cop_rng_pareto_rest(&r, 1000000, a);
        half += x > least / 2.0;
        one += x > least;
        far += x > 20.0 * least;
    }
    assert_share(half, N, 1.0 - least / 2.0 / mean);
    assert_share(one, N, 1.0 / a);
    assert_share(far, N, pow(20.0, 1.0 - a) / a);
}

/* Messages of all senders in bins of `bin` ps, n of them; each sender has its own stream. */
static double *counts(rig *r, uint32_t hosts, cop_time bin, size_t n)
{
    double *c = calloc(n, sizeof(*c));
    assert_non_null(c);
    for (uint32_t h = 0; h < hosts; h++)
        while (r->tr.stream[h].t_next < bin * n)
            c[take_at(r, h, COP_NEVER).t_gen / bin] += 1.0;
    return c;
}

/* The rate is right on average, and no different at the start than later. */
static void rate_holds_from_the_start(void **state)
{
    (void)state;
    enum { HOSTS = 4000, BINS = 20 };
    rig r;
    rig_one(&r, HOSTS, 40 * GBIT,
            "arrival=on-off; rate=8 Gbit/s; message=1 kB; on_mean=20 us; off_mean=60 us; "
            "bursts=pareto; tail=1.5");
    double *c = counts(&r, HOSTS, 20000000, BINS); /* 20 us: 20 messages while on */
    double all = 0.0;
    for (int i = 0; i < BINS; i++) {
        /* A sender has 0 to 20, 5 on average; the standard deviation of 4000 together is below 550. */
        assert_true(fabs(c[i] - 5.0 * HOSTS) < 4.0 * 550.0);
        all += c[i];
    }
    assert_true(fabs(all / BINS / HOSTS - 5.0) < 0.15);
    free(c);
    rig_free(&r);
}

/* Variance of sums of m neighbours, over m^2: falls as m^(2H - 2). */
static double block_variance(const double *c, size_t n, size_t m)
{
    size_t blocks = n / m;
    double sum = 0.0, square = 0.0;
    for (size_t b = 0; b < blocks; b++) {
        double v = 0.0;
        for (size_t i = 0; i < m; i++)
            v += c[b * m + i];
        v /= (double)m;
        sum += v;
        square += v * v;
    }
    double mean = sum / (double)blocks;
    return square / (double)blocks - mean * mean;
}

/* Hurst parameter by the slope of log variance over log m, m = 8 .. 512. */
static double hurst(const char *law)
{
    enum { HOSTS = 100, BINS = 1 << 16 };
    char text[200];
    rig r;
    snprintf(text, sizeof(text),
             "arrival=on-off; rate=80 Mbit/s; message=1 kB; on_mean=100 us; off_mean=200 us; %s",
             law);
    rig_init(&r, HOSTS, 40 * GBIT);
    r.ctx.duration_ps = 100 * COP_SECOND;
    rig_entry(&r, text);
    rig_build(&r);
    double *c = counts(&r, HOSTS, 100000000, BINS); /* bins of 100 us */
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int n = 0;
    for (size_t m = 8; m <= 512; m *= 2, n++) {
        double x = log((double)m), y = log(block_variance(c, BINS, m));
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    free(c);
    rig_free(&r);
    return 1.0 + (n * sxy - sx * sy) / (n * sxx - sx * sx) / 2.0;
}

static void sums_are_self_similar(void **state)
{
    (void)state;
    double flat = hurst("bursts=pareto; tail=1.2"), steep = hurst("bursts=pareto; tail=1.6"),
           none = hurst("bursts=exponential");
    /* 0.9, 0.7 and 0.5; the estimate from 6.5 s of traffic is known to a few hundredths. */
    assert_true(fabs(flat - 0.9) < 0.06);
    assert_true(fabs(steep - 0.7) < 0.06);
    assert_true(fabs(none - 0.5) < 0.06);
}

static void same_seed_same_bits(void **state)
{
    (void)state;
    static const char *const law =
        "arrival=on-off; load=50 %; on_mean=3 us; off_mean=4 us; bursts=pareto; tail=1.3";
    rig a, b;
    rig_one(&a, 8, 40 * GBIT, law);
    rig_one(&b, 8, 40 * GBIT, law);
    uint64_t hash = HASH_START;
    for (int i = 0; i < 2000; i++) {
        cop_time t = take_at(&a, (uint32_t)i % 8, COP_NEVER).t_gen;
        assert_int_equal(t, take_at(&b, (uint32_t)i % 8, COP_NEVER).t_gen);
        hash = (hash ^ t) * UINT64_C(0x100000001b3);
    }
    if (hash != EXPECTED_HASH)
        fail_msg("0x%016llx", (unsigned long long)hash);
    rig_free(&a);
    rig_free(&b);
}

static void only_bursts_have_a_law(void **state)
{
    (void)state;
    rig r;
    rig_init(&r, 2, 40 * GBIT);
    rig_entry(&r, "arrival=poisson; load=50 %; bursts=pareto");
    assert_true(rig_try(&r) < 0);
    assert_non_null(strstr(r.err.text, "only `arrival` on-off has bursts"));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_have_their_law),    cmocka_unit_test(rests_have_their_law),
        cmocka_unit_test(rate_holds_from_the_start), cmocka_unit_test(sums_are_self_similar),
        cmocka_unit_test(same_seed_same_bits),       cmocka_unit_test(only_bursts_have_a_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
