/* Service levels and hosts with a CCTI of their own (sl_ccti, host_ccti). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "named.h"
#include "scenario.h"

/* Three hosts send all they have to a fourth; one of them on another service level. */
#define HOT(timer)                                                                                 \
    "run: {duration: 4 ms, warmup: 2 ms}\ntopology: {kind: single, hosts: 4}\n"                    \
    "link: {rate: 10 Gbit/s}\n"                                                                    \
    "cc: {kind: ibcc, preset: testbed, timer: " timer "}\n"                                        \
    "traffic:\n  - {name: a, from: [0], pattern: fixed, to: 3}\n"                                  \
    "  - {name: b, from: [1], pattern: fixed, to: 3}\n"                                            \
    "  - {name: other, from: [2], pattern: fixed, to: 3, sl: 5}\n"

/* What rows say of all levels, or all hosts, is what the options say of all; rows that say nothing change nothing. */
static void test_rows_for_all(void **state)
{
    (void)state;
    static const char *const yaml[] = {HOT("per-sl"), HOT("free-running"), HOT("restart")};
    static const char common[] =
        "cc={kind: ibcc, preset: testbed, timer: %s, ccti_timer_units: 70, "
        "ccti_increase: 3, ccti_limit: 90, ccti_min: 4}";
    static const char *const timers[] = {"per-sl", "free-running", "restart"};
    static const char *const rows[] = {
        "cc.sl_ccti=[0, 70, 3, 90, 4, 5, 70, 3, 90, 4]",
        "cc.host_ccti=[0, 70, 3, 90, 4, 1, 70, 3, 90, 4, 2, 70, 3, 90, 4]"};
    for (size_t i = 0; i < COP_LEN(yaml); i++) {
        cop_result plain, all, r;
        char set[200];
        scn_text(set, sizeof(set), common, timers[i]);
        scn_run(yaml[i], NULL, 0, &plain, NULL);
        scn_run(yaml[i], (const char *const[]){set}, 1, &all, NULL);
        assert_true(plain.run_hash != all.run_hash && scalar(&plain, "flows_notified") == 3);
        for (size_t k = 0; k < 2; k++) {
            scn_run(yaml[i], &rows[k], 1, &r, NULL);
            assert_true(r.run_hash == all.run_hash);
            cop_result_free(&r);
        }
        scn_run(yaml[i],
                (const char *const[]){"cc.sl_ccti=[5, 70, 3, 90, 4]",
                                      "cc.host_ccti=[0, 70, 3, 90, 4, 1, 70, 3, 90, 4]"},
                2, &r, NULL);
        assert_true(r.run_hash == all.run_hash);
        cop_result_free(&r);
        scn_run(yaml[i],
                (const char *const[]){"cc.sl_ccti=[0, -1, -1, -1, -1, 7, 1, 1, 1, 1]",
                                      "cc.host_ccti=[1, -1, -1, -1, -1, 3, 9, 9, 9, 9]"},
                2, &r, NULL);
        assert_true(r.run_hash == plain.run_hash);
        cop_result_free(&r);
        cop_result_free(&plain);
        cop_result_free(&all);
    }
}

/* A level whose index does not rise is not throttled, and has its share of the turns; so with a host. */
static void test_one_is_not_throttled(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        const char *free, *held;
    } cases[] = {{"cc.sl_ccti=[5, -1, 0, -1, -1]", "other", "a"},
                 {"cc.sl_ccti=[0, -1, 0, -1, -1]", "b", "other"},
                 {"cc.host_ccti=[1, -1, 0, -1, -1]", "b", "a"},
                 /* A host's row goes before a level's. */
                 {"cc={kind: ibcc, preset: testbed, ccti_increase: 0, "
                  "sl_ccti: [0, -1, 1, -1, -1], host_ccti: [1, -1, 0, -1, -1]}",
                  "b", "a"}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        scn_run(HOT("per-sl"), &cases[i].set, 1, &r, NULL);
        if (scn_gbps(&r, cases[i].free) < 1.3 * scn_gbps(&r, cases[i].held))
            fail_msg("case %zu: %g, %g", i, scn_gbps(&r, cases[i].free),
                     scn_gbps(&r, cases[i].held));
        cop_result_free(&r);
    }
}

/* A least index is a delay after each packet from the first on, without any notification: packet / (time + delay). */
static void test_least_index(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 2 ms}\ntopology: {kind: single, hosts: 4}\nlink: {rate: 10 Gbit/s}\n"
        "nic: {mtu: 2 KiB}\n"
        "cc: {kind: ibcc, preset: testbed, cct_shape: linear, cct_delay: 10 us, cct_index: 100}\n"
        "traffic:\n  - {name: a, from: [0], pattern: fixed, to: 1}\n"
        "  - {name: b, from: [2], pattern: fixed, to: 3, sl: 5}\n";
    static const struct {
        const char *set;
        double a, b; /* us after a packet */
    } cases[] = {
        {"cc.sl_ccti=[5, -1, -1, -1, 50]", 0, 5},
        {"cc.host_ccti=[0, -1, -1, -1, 20]", 2, 0},
        {"cc.ccti_min=10", 1, 1},
        {"cc={kind: ibcc, preset: testbed, cct_shape: linear, cct_delay: 10 us, cct_index: "
         "100, ccti_min: 10, sl_ccti: [5, -1, -1, -1, 0]}",
         1, 0}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        double a = 16.384 / (1.6384 + cases[i].a), b = 16.384 / (1.6384 + cases[i].b);
        scn_run(yaml, &cases[i].set, 1, &r, NULL);
        if (fabs(scn_gbps(&r, "a") - a) > 0.02 || fabs(scn_gbps(&r, "b") - b) > 0.02)
            fail_msg("case %zu: %g, %g", i, scn_gbps(&r, "a"), scn_gbps(&r, "b"));
        cop_result_free(&r);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"cc.sl_ccti=[5, 1]", "cc.sl_ccti has 2 numbers; give level, timer"},
        {"cc.sl_ccti=[16, -1, -1, -1, -1]", "there is no number 16; give 0 to 15"},
        {"cc.host_ccti=[4, -1, -1, -1, -1]", "cc.host_ccti: there is no number 4; give 0 to 3"},
        {"cc.sl_ccti=[1, 0, -1, -1, -1]", "has a timer of 0"},
        {"cc.sl_ccti=[1, -1, -1, 500, -1]", "the limit 500 of number 1 is outside the table"},
        {"cc.sl_ccti=[1, -1, -1, 5, 6]", "the least index 6 of number 1 is above its limit 5"},
        {"cc={kind: ibcc, sl_ccti: [1, -1, -1, 5, -1], host_ccti: [2, -1, -1, -1, 9]}",
         "host 2 has least index 9 and limit 5 on level 1; give both"}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        cop_err err = {0};
        assert_int_equal(scn_run(HOT("per-sl"), &cases[i][0], 1, &r, &err), -COP_E_INPUT);
        if (strstr(err.text, cases[i][1]) == NULL || strchr(err.text, '\n') != NULL)
            fail_msg("`%s` does not say `%s`, or is not one line", err.text, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_for_all), cmocka_unit_test(test_one_is_not_throttled),
        cmocka_unit_test(test_least_index), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("ibcc_own", tests, NULL, NULL);
}
