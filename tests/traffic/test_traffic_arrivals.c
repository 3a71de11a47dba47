/* When messages come and how long they are: exact gaps, means and phases of every arrival process. */
#include "traffic_fixture.h"

#include <stdio.h>

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

/* So slow and large that work times rate takes more than 64 bits: exact all the same. */
static void large_messages_are_exact(void **state)
{
    (void)state;
    static const struct {
        uint64_t bps, bytes;
        const char *text;
    } cases[] = {
        {999983, 4000037, "arrival=constant; rate=999983 bit/s; message=4000037 B"},
        {9999991, 40000037, "arrival=constant; rate=9999991 bit/s; message=40000037 B"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        rig r;
        rig_one(&r, 2, 20 * GBIT, cases[i].text);
        for (uint64_t n = 0; n < 4; n++) {
            unsigned __int128 ps = (unsigned __int128)n * cases[i].bytes * 8 * COP_SECOND;
            assert_int_equal(first_of(&r, 0)->t_next, (uint64_t)(ps / cases[i].bps));
            take_at(&r, 0, first_of(&r, 0)->t_next);
        }
        assert_int_equal(first_of(&r, 0)->t_next, COP_NEVER); /* 128 s: after the end */
        rig_free(&r);
    }
}

/* Slots are as long as the mean message takes at the host's own link, whatever the links of others are: hosts of
 * 40, 10 and 40 Gbit/s that send at the same rate. */
static void slots_of_unequal_hosts(void **state)
{
    (void)state;
    static const uint64_t slot[] = {200000, 800000, 200000};
    rig r;
    rig_init(&r, 3, 40 * GBIT);
    r.inject[1] = 10 * GBIT;
    rig_entry(&r, "arrival=bernoulli; rate=5 Gbit/s; message=1 kB");
    rig_build(&r);
    for (uint32_t h = 0; h < 3; h++) {
        uint64_t sum = 0, odd = 0, last = first_of(&r, h)->t_next;
        for (int i = 0; i < 20000; i++) {
            cop_time t = take_at(&r, h, COP_SECOND).t_gen;
            assert_int_equal(t % slot[h], 0);
            odd += t / 200000 % 4 != 0;
            sum += t - last;
            last = t;
        }
        assert_true((odd > 0) == (slot[h] == 200000));
        double mean = (double)sum / 20000; /* 1.6 us at 5 Gbit/s */
        assert_true(mean > 1.57e6 && mean < 1.63e6);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_is_exact),
        cmocka_unit_test(large_messages_are_exact),
        cmocka_unit_test(slots_of_unequal_hosts),
        cmocka_unit_test(random_arrivals),
        cmocka_unit_test(phases),
        cmocka_unit_test(pulses),
        cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests_name("traffic_arrivals", tests, NULL, NULL);
}
