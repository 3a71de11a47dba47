/* Options whose default is a word, such as `inherit`: what is not given has a name, and 0 means zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/opt.h"
#include "scenario.h"

typedef struct sample {
    int64_t count;
    double share, ratio;
    uint64_t delay, buffer, speed, spare;
} sample;

static const char *const inherit[] = {"inherit", NULL};
static const char *const auto_or_0[] = {"auto", "0", NULL};
static const char *const never_or_0[] = {"never", "0", NULL};

#define AT(field) offsetof(sample, field)
static const cop_opt table[] = {
    {"count", COP_OPT_INT, AT(count), "auto", 1, 16, auto_or_0, "a number"},
    {"share", COP_OPT_SHARE, AT(share), "inherit", 1e-6, 1, inherit, "a share"},
    {"ratio", COP_OPT_REAL, AT(ratio), "2", 1, 64, inherit, "a ratio"},
    {"delay", COP_OPT_TIME, AT(delay), "inherit", 1, 1e10, inherit, "a delay"},
    {"buffer", COP_OPT_BYTES, AT(buffer), "64 KiB", 1, 1e12, auto_or_0, "a buffer"},
    {"speed", COP_OPT_RATE, AT(speed), "never", 1e6, 1e14, never_or_0, "a speed"},
    {"spare", COP_OPT_BYTES, AT(spare), "inherit", 0, 1e11, inherit, "may be none"},
    {0}};

static int parse(const char *name, const char *text, sample *s, cop_err *err)
{
    cop_arena arena = {0};
    cop_where here = {"f.yaml", 3, 7};
    int rc = cop_opt_parse(cop_opt_find(table, name), s, text, &arena, &here, err);
    cop_arena_free(&arena);
    return rc;
}

static void words_are_read_and_printed(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *printed; /* NULL: as the text */
    } cases[] = {
        {"count", "auto", NULL},    {"count", "0", "auto"},         {"count", "7", NULL},
        {"share", "inherit", NULL}, {"share", "25 %", NULL},        {"ratio", "inherit", NULL},
        {"ratio", "1.5", NULL},     {"delay", "inherit", NULL},     {"delay", "3 ns", NULL},
        {"buffer", "auto", NULL},   {"buffer", "0", "auto"},        {"buffer", "0 KiB", "auto"},
        {"speed", "never", NULL},   {"speed", "0 Gbit/s", "never"}, {"speed", "20 Gbit/s", NULL},
        {"spare", "inherit", NULL}, {"spare", "0 B", "0"},          {"spare", "5 B", NULL}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        sample s;
        cop_err err = {0};
        char buf[64];
        memset(&s, 0x55, sizeof(s));
        if (parse(cases[i].name, cases[i].text, &s, &err) != 0)
            fail_msg("%s", err.text);
        cop_opt_print(cop_opt_find(table, cases[i].name), &s, buf, sizeof(buf));
        assert_string_equal(buf, cases[i].printed ? cases[i].printed : cases[i].text);
    }
}

static void defaults_may_be_words(void **state)
{
    (void)state;
    sample s;
    cop_arena arena = {0};
    memset(&s, 0x55, sizeof(s));
    cop_opt_defaults(table, &s, &arena);
    assert_true(s.count == 0 && s.delay == 0 && s.buffer == 65536 && s.speed == 0 &&
                s.spare == COP_OPT_OPEN);
    assert_true(s.share >= 0.0 && s.share <= 0.0 && s.ratio >= 2.0 && s.ratio <= 2.0);
    cop_arena_free(&arena);
}

static void zero_is_refused_where_it_could_be_meant(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"delay", "0", "`0` is out of range; give 1 ps .. 10 ms, or inherit"},
        {"delay", "0 ns", "`0 ns` is out of range; give 1 ps .. 10 ms, or inherit"},
        {"share", "0 %", "give 0.0001 % .. 100 %, or inherit"},
        {"ratio", "0", "give 1 .. 64, or inherit"},
        {"count", "17", "give 1 .. 16, or auto"},
        {"count", "inherit", "`inherit` is not an integer; write one such as `4`, or `auto`"},
        {"delay", "5", "`5` has no unit; add a unit, such as `5 ns`, or `inherit`"},
        {"delay", "never", "out of range"}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        sample s = {0};
        cop_err err = {0};
        assert_int_equal(parse(cases[i].name, cases[i].text, &s, &err), -COP_E_INPUT);
        assert_null(strchr(err.text, '\n'));
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("`%s` does not say `%s`", err.text, cases[i].says);
    }
    char buf[200];
    assert_string_equal(cop_opt_describe(&table[3], buf, sizeof(buf)),
                        "time, 1 ps .. 10 ms, or inherit");
}

/* In the run files: 0 of older ones is read as "not given" where it is no value. */
static void older_files(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 5 us}\ntopology: {kind: dragonfly, p: 1, a: 2, h: 1}\n"
        "traffic: [{name: t, arrival: constant, load: 50 %}]\n";
    static const char *const same[] = {
        "run.sample=0",         "link.host_rate=0",  "link.trunk_rate=0",
        "link.global_rate=0",   "switch.lanes=0",    "switch.output_buffer=0",
        "switch.host_buffer=0", "nic.buffer=0",      "nic.inject_rate=0",
        "nic.receive_rate=0",   "topology.groups=0", "traffic.0.group_size=0",
        "traffic.0.lifetime=0"};
    static const char *const refused[] = {"link.host_delay=0",    "link.trunk_delay=0 ns",
                                          "link.global_delay=0",  "traffic.0.messages=0",
                                          "traffic.0.patience=0", "switch.reserve=0",
                                          "switch.read_ports=0",  "switch.output_reserve=0",
                                          "flow_control.xoff=0",  "flow_control.xon=0 B"};
    cop_result plain, r;
    scn_run(yaml, NULL, 0, &plain, NULL);
    for (size_t i = 0; i < COP_LEN(same); i++) {
        scn_run(yaml, &same[i], 1, &r, NULL);
        assert_true(r.run_hash == plain.run_hash);
        cop_result_free(&r);
    }
    for (size_t i = 0; i < COP_LEN(refused); i++) {
        cop_err err = {0};
        assert_int_equal(scn_run(yaml, &refused[i], 1, &r, &err), -COP_E_INPUT);
        assert_non_null(strstr(err.text, "is out of range; give 1"));
        assert_non_null(strstr(err.text, ", or "));
    }
    cop_result_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_read_and_printed), cmocka_unit_test(defaults_may_be_words),
        cmocka_unit_test(zero_is_refused_where_it_could_be_meant), cmocka_unit_test(older_files)};
    return cmocka_run_group_tests_name("opt_words", tests, NULL, NULL);
}
