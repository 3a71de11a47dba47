/* Option tables: exact values, faults that say what would be right, and the print-parse circle. */
#include "base/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/rng.h"

static void expect_text(const cop_err *err, const char *part)
{
    if (strstr(err->text, part) == NULL)
        fail_msg("message lacks `%s`: %s", part, err->text);
}

static uint64_t rate(const char *text)
{
    uint64_t v = 1;
    cop_err err = {0};
    if (cop_parse_rate(text, &v, &err) != 0)
        fail_msg("%s", err.text);
    return v;
}

static uint64_t ps(const char *text)
{
    uint64_t v = 1;
    cop_err err = {0};
    if (cop_parse_time(text, &v, &err) != 0)
        fail_msg("%s", err.text);
    return v;
}

static uint64_t bytes(const char *text)
{
    uint64_t v = 1;
    cop_err err = {0};
    if (cop_parse_bytes(text, &v, &err) != 0)
        fail_msg("%s", err.text);
    return v;
}

static void quantities_are_exact(void **state)
{
    (void)state;
    assert_true(rate("13.5 Gbit/s") == 13500000000u);
    assert_true(rate("2.5 GB/s") == 20000000000u);
    assert_true(rate("0.1 Gbit/s") == 100000000u);
    assert_true(rate("100Tbit/s") == 100000000000000u);
    assert_true(rate("1.0000000004 Gbit/s") == 1000000000u); /* nearest bit/s */
    assert_true(rate("1.0000000005 Gbit/s") == 1000000001u);
    assert_true(rate("0") == 0);
    assert_true(ps("1.5 us") == 1500000u);
    assert_true(ps("0.001 ns") == 1u);
    assert_true(ps("1e3 ns") == 1000000u);
    assert_true(ps("1e-3 ns") == 1u);
    assert_true(ps("  20 ns ") == 20000u);
    assert_true(ps("0.30000000000000000000 s") == 300000000000u);
    assert_true(ps("1000000 s") == 1000000000000000000u);
    assert_true(ps("2 \xc2\xb5s") == 2000000u);
    assert_true(ps("never") == COP_NEVER);
    assert_true(bytes("64 KiB") == 65536u);
    assert_true(bytes("128 kB") == 128000u);
    assert_true(bytes("1.5 KiB") == 1536u);
    assert_true(bytes("1 B") == 1u);
    assert_true(bytes("2 GiB") == (uint64_t)2 << 30);
}

static void refuse_rate(const char *text, const char *part)
{
    uint64_t v;
    cop_err err = {0};
    assert_int_equal(cop_parse_rate(text, &v, &err), -COP_E_INPUT);
    expect_text(&err, part);
}

static void refuse_time(const char *text, const char *part)
{
    uint64_t v;
    cop_err err = {0};
    assert_int_equal(cop_parse_time(text, &v, &err), -COP_E_INPUT);
    expect_text(&err, part);
}

static void bad_quantities_say_what_is_right(void **state)
{
    (void)state;
    refuse_rate("20", "`20` has no unit; add a unit, such as `20 Gbit/s`");
    refuse_rate("20 gbit/s", "did you mean `Gbit/s`");
    refuse_rate("20 Gbps", "did you mean `Gbit/s`");
    refuse_rate("20 Gb/s", "did you mean `Gbit/s`");
    refuse_rate("fast", "not a rate; write one such as `20 Gbit/s`");
    refuse_rate("", "not a rate");
    refuse_rate("-5 Gbit/s", "negative");
    refuse_rate("20 Gbit/s now", "not a rate");
    refuse_rate("1e30 bit/s", "too large");
    refuse_rate("99999999999 Tbit/s", "too large");
    refuse_time("100", "such as `100 ns`");
    refuse_time("1.5 ps", "whole number of picoseconds");
    refuse_time("1e-400 s", "whole number of picoseconds");
    refuse_time("1.2345678901234567891 s", "too many digits");
    refuse_time("0.5", "no unit");
    refuse_time("10 KiB", "not a time");
    refuse_time("0x10 ns", "not a time");
    uint64_t v;
    cop_err err = {0};
    assert_int_equal(cop_parse_bytes("0.3 KiB", &v, &err), -COP_E_INPUT);
    expect_text(&err, "whole number of bytes");
}

static void printed_quantities_read_back(void **state)
{
    (void)state;
    char buf[64];
    assert_string_equal(cop_print_rate(13500000000u, buf, sizeof(buf)), "13.5 Gbit/s");
    assert_string_equal(cop_print_rate(1, buf, sizeof(buf)), "1 bit/s");
    assert_string_equal(cop_print_time(1500000, buf, sizeof(buf)), "1.5 us");
    assert_string_equal(cop_print_time(0, buf, sizeof(buf)), "0");
    assert_string_equal(cop_print_time(COP_NEVER, buf, sizeof(buf)), "never");
    assert_string_equal(cop_print_bytes(65536, buf, sizeof(buf)), "64 KiB");
    assert_string_equal(cop_print_bytes(100000, buf, sizeof(buf)), "100 kB");
    assert_string_equal(cop_print_bytes(1500, buf, sizeof(buf)), "1500 B");
    cop_rng rng = cop_rng_make(1, COP_RNG_TEST, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t v = cop_rng_u64(&rng) >> (5 + i % 59);
        assert_true(ps(cop_print_time(v, buf, sizeof(buf))) == v);
        assert_true(bytes(cop_print_bytes(v, buf, sizeof(buf))) == v);
        assert_true(rate(cop_print_rate(v, buf, sizeof(buf))) == v);
        double d = cop_rng_unit(&rng) * (i % 3 ? 1.0 : 1e-6), back;
        assert_int_equal(cop_parse_real(cop_print_real(d, buf, sizeof(buf)), &back, NULL), 0);
        assert_true(memcmp(&d, &back, sizeof(d)) == 0);
        assert_int_equal(cop_parse_share(cop_print_share(d, buf, sizeof(buf)), &back, NULL), 0);
        assert_true(memcmp(&d, &back, sizeof(d)) == 0);
    }
    assert_string_equal(cop_print_share(0.3, buf, sizeof(buf)), "30 %");
    assert_string_equal(cop_print_share(0.333, buf, sizeof(buf)), "33.3 %");
    assert_string_equal(cop_print_real(0.1, buf, sizeof(buf)), "0.1");
}

typedef struct sample {
    bool flag;
    int64_t count;
    double ratio, share;
    uint64_t delay, buffer, speed, timeout;
    int mode;
    const char *label;
    cop_ints hosts;
    cop_reals weights;
    cop_times marks;
} sample;

static const char *const mode_names[] = {"round-robin", "age", "random", NULL};
#define AT(field) offsetof(sample, field)
static const cop_opt table[] = {
    {"flag", COP_OPT_BOOL, AT(flag), "yes", 0, 0, NULL, "a flag"},
    {"count", COP_OPT_INT, AT(count), "4", 1, 16, NULL, "a count"},
    {"ratio", COP_OPT_REAL, AT(ratio), "2", 1, 64, NULL, "a ratio"},
    {"share", COP_OPT_SHARE, AT(share), "30 %", 0, 1, NULL, "a share"},
    {"delay", COP_OPT_TIME, AT(delay), "20 ns", 1, 1e10, NULL, "a delay"},
    {"buffer", COP_OPT_BYTES, AT(buffer), "64 KiB", 1, 1e12, NULL, "a buffer"},
    {"speed", COP_OPT_RATE, AT(speed), "0", 1e6, 1e14, NULL, "0 = as the link"},
    {"timeout", COP_OPT_TIME, AT(timeout), "never", 1, 2e19, NULL, "may never come"},
    {"mode", COP_OPT_ENUM, AT(mode), "age", 0, 0, mode_names, "a mode"},
    {"label", COP_OPT_STRING, AT(label), "x", 0, 0, NULL, "a label"},
    {"hosts", COP_OPT_INTS, AT(hosts), "", 0, 1e9, NULL, "hosts"},
    {"weights", COP_OPT_REALS, AT(weights), "[1, 50 %]", 0, 0, NULL, "weights"},
    {"marks", COP_OPT_TIMES, AT(marks), "1 ns, 2 us", 0, 0, NULL, "marks"},
    {"must", COP_OPT_INT, AT(count), NULL, 0, 0, NULL, "required"},
    {0}};

static const cop_where here = {"f.yaml", 3, 7};

static void defaults_fill_every_field(void **state)
{
    (void)state;
    cop_arena arena = {0};
    sample s = {0};
    cop_opt_defaults(table, &s, &arena);
    assert_true(s.flag);
    assert_int_equal(s.count, 4);
    assert_true(s.share >= 0.3 && s.share <= 0.3);
    assert_true(s.delay == 20000 && s.buffer == 65536 && s.speed == 0 && s.timeout == COP_NEVER);
    assert_int_equal(s.mode, 1);
    assert_string_equal(s.label, "x");
    assert_int_equal(s.hosts.n, 0);
    assert_int_equal(s.weights.n, 2);
    assert_true(s.weights.v[1] >= 0.5 && s.weights.v[1] <= 0.5);
    assert_int_equal(s.marks.n, 2);
    assert_true(s.marks.v[1] == 2000000);
    cop_arena_free(&arena);
}

/* Parsing `text` into option `name` must fail with a one-line message that has `part`. */
static void refuse(const char *name, const char *text, const char *part)
{
    cop_arena arena = {0};
    sample s = {0};
    cop_err err = {0};
    const cop_opt *o = cop_opt_find(table, name);
    assert_int_equal(cop_opt_parse(o, &s, text, &arena, &here, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    assert_true(strncmp(err.text, "f.yaml:3:7: ", 12) == 0);
    expect_text(&err, name);
    expect_text(&err, part);
    assert_null(strchr(err.text, '\n'));
    cop_arena_free(&arena);
}

static void faults_name_place_option_and_remedy(void **state)
{
    (void)state;
    refuse("flag", "maybe", "write `yes` or `no`");
    refuse("count", "17", "`17` is out of range; give 1 .. 16");
    refuse("count", "0", "out of range");
    refuse("count", "four", "not an integer");
    refuse("count", "4 ns", "without a unit");
    refuse("count", "4.5", "not an integer");
    refuse("count", "99999999999999999999", "too large");
    refuse("ratio", "0.5", "give 1 .. 64");
    refuse("ratio", "nan", "not a number");
    refuse("ratio", "inf", "not a number");
    refuse("ratio", "0x2", "not a number");
    refuse("ratio", "2 %", "plain number");
    refuse("ratio", "1e999", "too large");
    refuse("share", "30", "give 0 % .. 100 %");
    refuse("delay", "0", "give 1 ps .. 10 ms");
    refuse("delay", "never", "give 1 ps .. 10 ms");
    refuse("speed", "1 bit/s", "give 1 Mbit/s .. 100 Tbit/s, or 0");
    refuse("buffer", "2 TiB", "give 1 B .. 1 TB");
    refuse("mode", "random-robin", "did you mean `round-robin`");
    refuse("mode", "zzz", "write one of round-robin, age, random");
    refuse("hosts", "[1, x]", "`x` is not an integer");
    refuse("hosts", "-1", "out of range");
    refuse("hosts", "5-3", "not a range");
    refuse("hosts", "0-9:0", "not a range");
    refuse("hosts", "0-1000000000", "too long");
    refuse("hosts", "0-9223372036854775807", "out of range");
    refuse("hosts", "1,,2", "not an integer");
    refuse("weights", "[1, a]", "`a` is not a number");
    refuse("marks", "[1 ns, 5]", "`5` has no unit");
    refuse("count", "evil\ntext", "evil text");
}

static void values_outside_but_equal_to_the_default_pass(void **state)
{
    (void)state;
    sample s = {.speed = 7};
    cop_arena arena = {0};
    assert_int_equal(cop_opt_parse(cop_opt_find(table, "speed"), &s, "0", &arena, &here, NULL), 0);
    assert_true(s.speed == 0);
    const cop_opt *o = cop_opt_find(table, "timeout");
    assert_int_equal(cop_opt_parse(o, &s, "never", &arena, &here, NULL), 0);
    assert_true(s.timeout == COP_NEVER);
    cop_arena_free(&arena);
}

static void integer_lists_take_ranges(void **state)
{
    (void)state;
    cop_arena arena = {0};
    sample s = {0};
    const cop_opt *o = cop_opt_find(table, "hosts");
    const char *const items[] = {"3", "0-2", "10-16:3"};
    cop_err err = {0};
    assert_int_equal(cop_opt_parse_list(o, &s, items, 3, &arena, &here, &err), 0);
    const int64_t want[] = {3, 0, 1, 2, 10, 13, 16};
    assert_int_equal(s.hosts.n, COP_LEN(want));
    assert_memory_equal(s.hosts.v, want, sizeof(want));
    char buf[256];
    assert_string_equal(cop_opt_print(o, &s, buf, sizeof(buf)), "[3, 0-2, 10-16:3]");
    assert_int_equal(cop_opt_parse(o, &s, "0-6:4", &arena, &here, &err), 0);
    assert_int_equal(s.hosts.n, 2);
    assert_int_equal(s.hosts.v[1], 4);
    assert_int_equal(cop_opt_parse_list(o, &s, NULL, 0, &arena, &here, &err), 0);
    assert_string_equal(cop_opt_print(o, &s, buf, sizeof(buf)), "[]");
    cop_arena_free(&arena);
}

static void random_lists_survive_printing(void **state)
{
    (void)state;
    const cop_opt *o = cop_opt_find(table, "hosts");
    cop_rng rng = cop_rng_make(2, COP_RNG_TEST, 0);
    for (int round = 0; round < 300; round++) {
        cop_arena arena = {0};
        int64_t v[40];
        sample s = {.hosts = {v, cop_rng_below(&rng, 40)}}, t = {0};
        for (size_t i = 0; i < s.hosts.n; i++)
            v[i] = cop_rng_below(&rng, round % 2 ? 5 : 60);
        size_t size = cop_opt_print_size(o, &s);
        char *buf = cop_alloc(size);
        cop_opt_print(o, &s, buf, size);
        assert_int_equal(cop_opt_parse(o, &t, buf, &arena, &here, NULL), 0);
        assert_int_equal(t.hosts.n, s.hosts.n);
        assert_memory_equal(t.hosts.v, v, s.hosts.n * sizeof(v[0]));
        cop_free(buf);
        cop_arena_free(&arena);
    }
}

static void a_cut_list_says_so(void **state)
{
    (void)state;
    int64_t v[200];
    for (size_t i = 0; i < 200; i++)
        v[i] = (int64_t)(i * i);
    sample s = {.hosts = {v, 200}};
    char buf[120];
    cop_opt_print(cop_opt_find(table, "hosts"), &s, buf, sizeof(buf));
    assert_non_null(strstr(buf, "...]"));
}

static void descriptions(void **state)
{
    (void)state;
    char buf[200];
    assert_string_equal(cop_opt_describe(cop_opt_find(table, "delay"), buf, sizeof(buf)),
                        "time, 1 ps .. 10 ms");
    assert_string_equal(cop_opt_describe(cop_opt_find(table, "mode"), buf, sizeof(buf)),
                        "one of round-robin, age, random");
    assert_string_equal(cop_opt_describe(cop_opt_find(table, "speed"), buf, sizeof(buf)),
                        "rate, 1 Mbit/s .. 100 Tbit/s, or 0");
    assert_string_equal(cop_opt_describe(cop_opt_find(table, "timeout"), buf, sizeof(buf)),
                        "time, 1 ps .. never");
    assert_string_equal(cop_opt_describe(cop_opt_find(table, "marks"), buf, sizeof(buf)),
                        "list of times");
}

static void nearest_name(void **state)
{
    (void)state;
    const char *const names[] = {"buffer", "pipeline", "shared_lanes", "kary-ntree", "dmodk"};
    size_t n = COP_LEN(names);
    assert_string_equal(cop_nearest("bufer", names, n), "buffer");
    assert_string_equal(cop_nearest("bfufer", names, n), "buffer");
    assert_string_equal(cop_nearest("Buffer", names, n), "buffer");
    assert_string_equal(cop_nearest("shared-lanes", names, n), "shared_lanes");
    assert_string_equal(cop_nearest("pipe", names, n), "pipeline");
    assert_string_equal(cop_nearest("ntree", names, n), "kary-ntree");
    assert_null(cop_nearest("xyz", names, n));
    assert_null(cop_nearest("", names, n));
    char huge[300];
    memset(huge, 'b', sizeof(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    assert_null(cop_nearest(huge, names, n));
}

static void excerpts_stay_on_one_line(void **state)
{
    (void)state;
    char buf[12];
    assert_string_equal(cop_excerpt("a\nb\tc", buf, sizeof(buf)), "a b c");
    assert_string_equal(cop_excerpt("a\u202eb\xff", buf, sizeof(buf)), "a?b?");
    assert_string_equal(cop_excerpt("0123456789abcdef", buf, sizeof(buf)), "01234567...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_are_exact),
        cmocka_unit_test(bad_quantities_say_what_is_right),
        cmocka_unit_test(printed_quantities_read_back),
        cmocka_unit_test(defaults_fill_every_field),
        cmocka_unit_test(faults_name_place_option_and_remedy),
        cmocka_unit_test(values_outside_but_equal_to_the_default_pass),
        cmocka_unit_test(integer_lists_take_ranges),
        cmocka_unit_test(random_lists_survive_printing),
        cmocka_unit_test(a_cut_list_says_so),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(nearest_name),
        cmocka_unit_test(excerpts_stay_on_one_line),
    };
    return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
