/* Errors, memory, random numbers, histograms and bandwidth arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/divide.h"
#include "base/err.h"
#include "base/fixp.h"
#include "base/hist.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"

static void err_collects_lines(void **state)
{
    (void)state;
    cop_err e = {0};
    assert_int_equal(cop_err_add(&e, COP_E_INPUT, "a.yaml:%d:%d: first", 3, 7), -COP_E_INPUT);
    assert_int_equal(cop_err_add(&e, COP_E_IO, "second"), -COP_E_IO);
    assert_int_equal(e.code, COP_E_INPUT);
    assert_int_equal(e.faults, 2);
    assert_string_equal(e.text, "a.yaml:3:7: first\nsecond");
    assert_int_equal(e.used, strlen(e.text));
    assert_int_equal(cop_err_add(NULL, COP_E_MEMORY, "nobody listens"), -COP_E_MEMORY);
}

/* What a terminal would obey is shown as something else, and all that comes out is UTF-8. */
static void text_becomes_plain(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain;
    } cases[] = {
        {"", ""},
        {"plain, gr\u00fcn, \u4e2d \U0001f600", "plain, gr\u00fcn, \u4e2d \U0001f600"},
        {"\x1b[31mred\x1b[0m", " [31mred [0m"},
        {"a\tb\nc\rd\x7f"
         "e",
         "a b c d e"},
        {"C1 \xc2\x9b"
         "31m \xc2\x85",
         "C1 ?31m ?"},
        {"a\u202eb\u2066c\u200fd\u061ce\u2028f", "a?b?c?d?e?f"},
        {"\ufeff"
         "bom, \U000e0041",
         "?bom, ?"},
        {"\xff\xfe \x80 \xc3", "?? ? ?"}, /* no UTF-8, and cut */
        {"\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80", "?? ??? ????"},
    };
    cop_arena a = {0};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char buf[128];
        strcpy(buf, cases[i].text);
        assert_int_equal(cop_plain(buf), strlen(cases[i].plain));
        assert_string_equal(buf, cases[i].plain);
        const char *copy = cop_plain_copy(&a, cases[i].text);
        assert_string_equal(copy, cases[i].plain);
        assert_true((copy == cases[i].text) == (strcmp(copy, cases[i].text) == 0));
    }
    assert_string_equal(cop_plain_copy(&a, NULL), "");
    cop_arena_free(&a);
    char lines[] = "a\x1b\nb";
    assert_int_equal(cop_plain_lines(lines), 4);
    assert_string_equal(lines, "a \nb");
    assert_int_equal(cop_columns("gr\u00fcn"), 4);
    cop_err e = {0};
    cop_err_add(&e, COP_E_INPUT, "`%s`", "\x1b[2J\u202e");
    assert_string_equal(e.text, "` [2J?`");
    assert_int_equal(e.used, strlen(e.text));
}

/* Whatever length the text reaches, it stays a string within its bounds that ends with a line. */
static void err_overflow_is_cut(void **state)
{
    (void)state;
    const int size = (int)sizeof(((cop_err *)0)->text);
    for (int first = size - 8; first < size + 8; first++) {
        cop_err e;
        memset(&e, 0xff, sizeof(e));
        e.code = COP_OK;
        e.faults = 0;
        e.used = 0;
        cop_err_add(&e, COP_E_INPUT, "%0*d", first, 7);
        cop_err_add(&e, COP_E_IO, "xyz");
        cop_err_add(&e, COP_E_IO, "more");
        assert_int_equal(e.faults, 3);
        assert_int_equal(e.code, COP_E_INPUT);
        assert_true(e.used < sizeof(e.text));
        assert_int_equal(e.used, strlen(e.text));
        assert_int_not_equal(e.text[e.used - 1], '\n');
    }
}

static void err_counts_lost_faults(void **state)
{
    (void)state;
    cop_err e = {0};
    for (int i = 0; i < 1000; i++)
        cop_err_add(&e, COP_E_INPUT, "fault number %04d", i);
    assert_int_equal(e.faults, 1000);
    assert_int_equal(e.used, sizeof(e.text) - 1);
    assert_int_equal(strncmp(e.text, "fault number 0000\nfault number 0001\n", 36), 0);
}

static void arena_is_aligned_zeroed_disjoint(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_rng rng = cop_rng_make(1, COP_RNG_TEST, 0);
    size_t total = 0;
    unsigned char *last = NULL;
    size_t last_bytes = 0;
    for (int i = 0; i < 20000; i++) {
        size_t bytes = i % 1000 == 999 ? (size_t)3 << 20 : 1 + cop_rng_below(&rng, 300);
        unsigned char *p = cop_arena_alloc(&a, bytes);
        assert_int_equal((uintptr_t)p % (bytes >= 64 ? 64 : 16), 0);
        assert_int_equal(p[0], 0);
        assert_true(bytes == 1 || memcmp(p, p + 1, bytes - 1) == 0);
        memset(p, 0xa5, bytes);
        /* Filling this block left the one before it alone. */
        if (last != NULL)
            assert_true(last[0] == 0x5a && last[last_bytes - 1] == 0x5a);
        memset(p, 0x5a, bytes);
        last = p;
        last_bytes = bytes;
        total += bytes;
    }
    assert_int_equal(a.total, total);
    cop_arena_free(&a);
    assert_null(a.chunks);
    assert_int_equal(a.total, 0);
    assert_non_null(cop_arena_alloc(&a, 0));
    cop_arena_free(&a);
}

static void arena_makes_text(void **state)
{
    (void)state;
    cop_arena a = {0};
    char text[] = "root";
    char *copy = cop_arena_strdup(&a, text);
    text[0] = 'b';
    assert_string_equal(copy, "root");
    char *made = cop_arena_printf(&a, "%s-%05u", "sw", 42u);
    assert_string_equal(made, "sw-00042");
    char *wide = cop_arena_printf(&a, "%0*d", 100000, 1);
    assert_int_equal(strlen(wide), 100000);
    assert_string_equal(made, "sw-00042");
    cop_arena_free(&a);
}

static void heap_grows_by_doubling(void **state)
{
    (void)state;
    size_t cap = 0, moves = 0;
    uint32_t *v = NULL;
    for (uint32_t i = 0; i < 100000; i++) {
        size_t before = cap;
        v = cop_grow(v, &cap, i + 1, sizeof(*v));
        moves += cap != before;
        v[i] = i * 3;
    }
    assert_true(cap >= 100000 && cap < 200000);
    assert_true(moves <= 15);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(v[i], i * 3);
    cop_free(v);
    unsigned char *z = cop_alloc(4096);
    for (int i = 0; i < 4096; i++)
        assert_int_equal(z[i], 0);
    z = cop_realloc(z, 0);
    assert_non_null(z);
    cop_free(z);
    void *none = cop_alloc(0);
    assert_non_null(none);
    cop_free(none);
}

/* The known answers that the authors of Philox publish for philox4x32-10. Our counter words are
 * (counter low, counter high, entity, purpose), the key is (seed low, seed high), and the value is
 * made of the first two words of the block, the first one low. */
static void rng_known_answers(void **state)
{
    (void)state;
    assert_true(cop_rng_at(0, 0, 0, 0) == 0xe169c58d6627e8d5u);
    assert_true(cop_rng_at(UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX) == 0x41c83b0e408f276du);
    assert_true(cop_rng_at(0x299f31d0a4093822u, 0x03707344u, 0x13198a2eu, 0x85a308d3243f6a88u) ==
                0x94fdccebd16cfe09u);
}

static void rng_streams_are_functions(void **state)
{
    (void)state;
    cop_rng r = cop_rng_make(77, COP_RNG_DEST, 5);
    for (uint64_t i = 0; i < 100; i++)
        assert_true(cop_rng_u64(&r) == cop_rng_at(77, COP_RNG_DEST, 5, i));
    uint64_t v = cop_rng_at(77, COP_RNG_DEST, 5, 0);
    assert_true(v != cop_rng_at(78, COP_RNG_DEST, 5, 0));
    assert_true(v != cop_rng_at(77, COP_RNG_SIZE, 5, 0));
    assert_true(v != cop_rng_at(77, COP_RNG_DEST, 6, 0));
}

/* Chi-square with 9 degrees of freedom stays below 40 in all but one of 100,000 good generators. */
static void rng_below_is_even(void **state)
{
    (void)state;
    cop_rng r = cop_rng_make(3, COP_RNG_TEST, 1);
    double seen[10] = {0}, chi = 0.0, unit_sum = 0.0;
    for (int i = 0; i < 100000; i++) {
        uint32_t v = cop_rng_below(&r, 10);
        assert_true(v < 10);
        seen[v] += 1.0;
        double u = cop_rng_unit(&r);
        assert_true(u >= 0.0 && u < 1.0);
        unit_sum += u;
    }
    for (int i = 0; i < 10; i++)
        chi += (seen[i] - 10000.0) * (seen[i] - 10000.0) / 10000.0;
    assert_true(chi < 40.0);
    /* Standard deviation of the mean: sqrt(1/12/100000) = 0.00091. */
    assert_true(unit_sum / 100000.0 > 0.496 && unit_sum / 100000.0 < 0.504);
    assert_int_equal(cop_rng_below(&r, 1), 0);
    /* Several numbers of one draw: each pair as often. */
    unsigned pairs[3][5] = {{0}};
    for (int i = 0; i < 15000; i++) {
        uint64_t drawn = cop_rng_u64(&r);
        uint32_t x = cop_rng_part(&drawn, 3);
        uint32_t y = cop_rng_part(&drawn, 5);
        pairs[x][y]++;
    }
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 5; y++)
            assert_in_range(pairs[x][y], 850, 1150);
}

static void rng_exponential_has_its_shape(void **state)
{
    (void)state;
    cop_rng r = cop_rng_make(11, COP_RNG_ARRIVAL, 2);
    const cop_time mean = 1000000;
    double sum = 0.0, beyond[3] = {0};
    const int n = 200000;
    for (int i = 0; i < n; i++) {
        cop_time t = cop_rng_exponential(&r, mean);
        sum += (double)t;
        for (int k = 0; k < 3; k++)
            beyond[k] += t > (cop_time)(k + 1) * mean;
    }
    /* Shares beyond 1, 2 and 3 means: e^-1, e^-2, e^-3; five standard deviations either way. */
    const double want[3] = {0.3678794412, 0.1353352832, 0.0497870684};
    for (int k = 0; k < 3; k++)
        assert_true(beyond[k] / n > want[k] - 0.0055 && beyond[k] / n < want[k] + 0.0055);
    assert_true(sum / n > 0.988 * (double)mean && sum / n < 1.012 * (double)mean);
    assert_true(cop_rng_exponential(&r, 0) == 0);
}

static void rng_geometric_has_its_shape(void **state)
{
    (void)state;
    cop_rng r = cop_rng_make(12, COP_RNG_TEST, 3);
    const int n = 200000;
    double zero = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        uint64_t v = cop_rng_geometric(&r, cop_geometric_of(0.2));
        zero += v == 0;
        sum += (double)v;
    }
    /* P(0) = p = 0.2; mean = (1-p)/p = 4, standard deviation 4.47/sqrt(n) = 0.01. */
    assert_true(zero / n > 0.1955 && zero / n < 0.2045);
    assert_true(sum / n > 3.95 && sum / n < 4.05);
    assert_true(cop_rng_geometric(&r, cop_geometric_of(1.0)) == 0);
}

static void rng_permutation_is_one(void **state)
{
    (void)state;
    cop_rng r = cop_rng_make(5, COP_RNG_PLACE, 0);
    enum { N = 1000 };
    uint32_t perm[N], seen[N] = {0}, fixed = 0;
    cop_rng_permutation(&r, perm, N);
    for (uint32_t i = 0; i < N; i++) {
        assert_true(perm[i] < N);
        assert_int_equal(seen[perm[i]]++, 0);
        fixed += perm[i] == i;
    }
    assert_true(fixed < 10); /* one is expected; ten or more come once in a million */
    uint32_t order[6] = {0};
    for (int i = 0; i < 6000; i++) {
        uint32_t p[3];
        cop_rng_permutation(&r, p, 3);
        order[p[0] * 2 + (p[1] > p[2])]++;
    }
    for (int i = 0; i < 6; i++)
        assert_true(order[i] > 840 && order[i] < 1160);
}

static void hist_bins_tile_all_values(void **state)
{
    (void)state;
    assert_true(cop_hist_bin_low(0) == 0);
    for (uint32_t b = 0; b < COP_HIST_BINS; b++) {
        uint64_t low = cop_hist_bin_low(b), high = cop_hist_bin_high(b);
        assert_int_equal(cop_hist_bin(low), b);
        assert_int_equal(cop_hist_bin(high), b);
        if (b + 1 < COP_HIST_BINS)
            assert_true(high + 1 == cop_hist_bin_low(b + 1));
        assert_true(high - low <= low / 32); /* known to 1 part in 32 */
    }
    /* Every value has a bin, COP_NEVER as well. */
    assert_true(cop_hist_bin_high(COP_HIST_BINS - 1) == UINT64_MAX);
    assert_true(cop_hist_bin(UINT64_MAX) < COP_HIST_BINS);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void hist_quantile_is_near(void **state)
{
    (void)state;
    enum { N = 20000 };
    uint64_t *v = cop_alloc(N * sizeof(*v));
    cop_hist *h = cop_alloc(sizeof(*h));
    cop_rng r = cop_rng_make(9, COP_RNG_TEST, 9);
    for (int i = 0; i < N; i++) {
        v[i] = cop_rng_u64(&r);
        v[i] >>= 10 + cop_rng_below(&r, 54); /* all magnitudes below 2^54 */
        cop_hist_add(h, v[i]);
    }
    qsort(v, N, sizeof(*v), by_value);
    for (int i = 1; i < N; i += 7) {
        double q = (double)i / N, want = q * N;
        size_t rank = (size_t)want;
        rank += (double)rank < want;
        double exact = (double)v[rank - 1], got = cop_hist_quantile(h, q);
        double error = got > exact ? got - exact : exact - got;
        assert_true(error <= exact / 32.0 + 1.0);
    }
    assert_true(cop_hist_quantile(h, 0.0) == (double)v[0]);
    assert_true(cop_hist_quantile(h, 1.0) == (double)v[N - 1]);
    assert_true(h->min == v[0] && h->max == v[N - 1]);
    cop_free(h);
    cop_free(v);
}

static void hist_mean_is_exact(void **state)
{
    (void)state;
    cop_hist *h = cop_alloc(sizeof(*h));
    assert_true(cop_hist_mean(h) == 0.0);
    assert_true(cop_hist_quantile(h, 0.5) == 0.0);
    for (uint64_t v = 1; v <= 1001; v++)
        cop_hist_add(h, v * 1000003);
    assert_true(cop_hist_mean(h) == 501.0 * 1000003.0);
    memset(h, 0, sizeof(*h));
    /* The sum leaves 64 bits. */
    for (int i = 0; i < 64; i++)
        cop_hist_add(h, (uint64_t)1 << 62);
    assert_true(h->sum_hi == 16 && h->sum_lo == 0);
    assert_true(cop_hist_mean(h) == 0x1p62);
    cop_free(h);
}

static void hist_merge_equals_adding(void **state)
{
    (void)state;
    cop_hist *all = cop_alloc(sizeof(*all)), *part = cop_alloc(3 * sizeof(*part));
    cop_rng r = cop_rng_make(10, COP_RNG_TEST, 4);
    for (int i = 0; i < 3000; i++) {
        uint64_t v = cop_rng_u64(&r);
        v >>= 2 + cop_rng_below(&r, 62);
        cop_hist_add(all, v);
        cop_hist_add(&part[i % 2], v); /* part 2 stays empty */
    }
    cop_hist *sum = cop_alloc(sizeof(*sum));
    for (int i = 0; i < 3; i++)
        cop_hist_merge(sum, &part[i]);
    assert_memory_equal(sum, all, sizeof(*all));
    cop_free(sum);
    cop_free(part);
    cop_free(all);
}

static void divisors_divide(void **state)
{
    (void)state;
    static const uint32_t edges[] = {
        1, 2, 3, 6, 7, 12, 64, 641, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    for (uint32_t i = 0; i < COP_LEN(edges) + 2000; i++) {
        uint64_t drawn = cop_rng_at(7, COP_RNG_ARB, i, 0);
        uint32_t by = i < COP_LEN(edges) ? edges[i] : (uint32_t)(drawn >> (32 + i % 31)) | 1;
        cop_divisor d = cop_divisor_of(by);
        uint32_t top = UINT32_MAX / by * by; /* the largest multiple, and what is beside it */
        const uint32_t n[] = {0, 1, by - 1, by, by + 1, top - 1, top, UINT32_MAX, (uint32_t)drawn};
        for (size_t k = 0; k < COP_LEN(n); k++) {
            assert_int_equal(cop_divide(n[k], d), n[k] / by);
            assert_int_equal(cop_rest(n[k], d), n[k] % by);
        }
    }
}

static void wire_time_is_exact(void **state)
{
    (void)state;
    cop_pace p16 = cop_pace_of(16000000000u);
    assert_true(p16 == (cop_pace)500 << 16); /* 16 Gbit/s: 500 ps for a byte */
    for (uint64_t n = 0; n < 20000; n += 7)
        assert_true(cop_wire_time(p16, n) == 500 * n);
    /* 13.5 Gbit/s: 592 16/27 ps for a byte; 27 bytes take whole 16000 ps. */
    cop_pace p13 = cop_pace_of(13500000000u);
    assert_true(cop_wire_time(p13, 1) == 593);
    assert_true(cop_wire_time(p13, 64) == 37926); /* 37925.9 */
    assert_true(cop_wire_time(p13, 2048) == 1213630); /* 1213629.6 */
    assert_true(cop_wire_time(p13, 0) == 0);
    /* 400 Gbit/s: 20 ps for a byte. */
    assert_true(cop_wire_time(cop_pace_of(400000000000u), 4096) == 81920);
}

/* A link is never faster than configured, and slower by less than the two roundings: of the pace,
 * bytes / 2^16 ps, and of the time, 1 ps. */
static void wire_time_rounds_up(void **state)
{
    (void)state;
    cop_rng r = cop_rng_make(2, COP_RNG_TEST, 0);
    for (int i = 0; i < 100000; i++) {
        uint64_t bps = 1000000000u + cop_rng_u64(&r) % 800000000000u;
        uint64_t n = 1 + cop_rng_below(&r, 65536);
        unsigned __int128 exact = (unsigned __int128)n * 8 * COP_SECOND; /* times bps */
        unsigned __int128 got = (unsigned __int128)cop_wire_time(cop_pace_of(bps), n) * bps;
        assert_true(got >= exact);
        assert_true((got - exact) << 16 <= ((unsigned __int128)(65536 + n)) * bps);
    }
}

static void gbps_is_payload_over_time(void **state)
{
    (void)state;
    assert_true(cop_gbps(2000, COP_US) == 16.0);
    assert_true(cop_gbps(0, COP_US) == 0.0);
    assert_true(cop_gbps(2000, 0) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(err_collects_lines),
        cmocka_unit_test(text_becomes_plain),
        cmocka_unit_test(err_overflow_is_cut),
        cmocka_unit_test(err_counts_lost_faults),
        cmocka_unit_test(arena_is_aligned_zeroed_disjoint),
        cmocka_unit_test(arena_makes_text),
        cmocka_unit_test(heap_grows_by_doubling),
        cmocka_unit_test(rng_known_answers),
        cmocka_unit_test(rng_streams_are_functions),
        cmocka_unit_test(rng_below_is_even),
        cmocka_unit_test(rng_exponential_has_its_shape),
        cmocka_unit_test(rng_geometric_has_its_shape),
        cmocka_unit_test(rng_permutation_is_one),
        cmocka_unit_test(hist_bins_tile_all_values),
        cmocka_unit_test(hist_quantile_is_near),
        cmocka_unit_test(hist_mean_is_exact),
        cmocka_unit_test(hist_merge_equals_adding),
        cmocka_unit_test(divisors_divide),
        cmocka_unit_test(wire_time_is_exact),
        cmocka_unit_test(wire_time_rounds_up),
        cmocka_unit_test(gbps_is_payload_over_time),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
