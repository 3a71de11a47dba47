/* Section `units`: cycles and flits in a run file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "exp/config.h"

#define TORUS "topology: {kind: torus, radix: [4]}\n"

static void load(cop_config *c, const char *text)
{
    cop_err err = {0};
    if (cop_config_load(c, "test.yaml", text, NULL, 0, &err) != 0)
        fail_msg("%s", err.text);
}

static void refused(const char *text, const char *why)
{
    cop_config c;
    cop_err err = {0};
    assert_int_equal(cop_config_load(&c, "test.yaml", text, NULL, 0, &err), -COP_E_INPUT);
    if (strstr(err.text, why) == NULL)
        fail_msg("`%s` is not in: %s", why, err.text);
}

/* A flit takes its cycle to the picosecond, also if that makes no whole number of bits per second. */
static void test_exact_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *cycle;
        uint64_t ps;
    } all[] = {{"3 ns", 3000}, {"1500 ps", 1500}, {"7 ps", 7}, {"13 ns", 13000}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_config c;
        char yaml[400];
        snprintf(yaml, sizeof(yaml),
                 TORUS "link: {rate: 1 flit/cycle}\nunits: {flit: 4 B, cycle: %s}\n", all[i].cycle);
        load(&c, yaml);
        for (uint64_t flits = 1; flits <= 64; flits *= 4)
            assert_int_equal(cop_wire_time(cop_pace_of(c.link.rate_bps), 4 * flits),
                             flits * all[i].ps);
        cop_config_free(&c);
    }
}

static void test_values(void **state)
{
    (void)state;
    cop_config c;
    load(&c, "run: {duration: 10000 cycles, sample: 0.5 cycle}\n" TORUS
             "link: {rate: 1 flit/cycle, delay: 3 cycles}\n"
             "switch: {buffer: 64 flits, pipeline: 2 ns}\n"
             "traffic: [{arrival: poisson, rate: 0.3 flits/cycle, message: 16 flits}]\n"
             "units: {flit: 4 B, cycle: 2 ns}\n"); /* wherever it stands */
    assert_int_equal(c.run.duration_ps, 20 * COP_US);
    assert_int_equal(c.run.sample_ps, COP_NS);
    assert_int_equal(c.link.rate_bps, UINT64_C(16000000000));
    assert_int_equal(c.link.delay_ps, 6 * COP_NS);
    assert_int_equal(c.sw.buffer_bytes, 256);
    assert_int_equal(c.sw.pipeline_ps, 2 * COP_NS);
    assert_int_equal(c.traffic[0].rate_bps, UINT64_C(4800000000));
    /* What is printed means the same, and the same run. */
    cop_config again;
    load(&again, cop_config_print(&c));
    assert_int_equal(again.run.duration_ps, c.run.duration_ps);
    assert_int_equal(again.traffic[0].rate_bps, c.traffic[0].rate_bps);
    assert_int_equal(cop_config_hash(&again), cop_config_hash(&c));
    cop_config_free(&again);
    /* So does what is printed in the file's own units; what is no whole number of them stays as it is. */
    const char *own = cop_config_print_units(&c);
    assert_non_null(strstr(own, "units:\n  flit: 4 B\n  cycle: 2 ns\n"));
    assert_non_null(strstr(own, "  duration: 10000 cycles\n"));
    assert_non_null(strstr(own, "  sample: 1 ns\n"));
    assert_non_null(strstr(own, "  pipeline: 1 cycle\n"));
    assert_non_null(strstr(own, "  buffer: 64 flits\n"));
    assert_non_null(strstr(own, "  rate: 1 flit/cycle\n"));
    assert_non_null(strstr(own, "  rate: 0.3 flits/cycle\n"));
    assert_non_null(strstr(own, "  host_rate: inherit\n"));
    load(&again, own);
    assert_int_equal(cop_config_hash(&again), cop_config_hash(&c));
    /* A file takes numbers of 18 digits. */
    cop_units_cfg ps = {.cycle_ps = 1};
    char text[64];
    assert_string_equal(
        cop_units_print(&ps, COP_OPT_TIME, UINT64_C(999999999999999999), text, sizeof(text)),
        "999999999999999999 cycles");
    assert_string_equal(
        cop_units_print(&ps, COP_OPT_TIME, UINT64_C(2000000000000000000), text, sizeof(text)),
        "2000000 s");
    cop_config_free(&again);
    cop_config_free(&c);
}

/* A load in flits per cycle is that rate, whatever the link could carry. */
static void test_loads(void **state)
{
    (void)state;
    cop_config c;
    load(&c, "units: {flit: 4 B, cycle: 2 ns}\n" TORUS "link: {rate: 2 flits/cycle}\n"
             "traffic:\n"
             "  - {arrival: poisson, load: 0.8 flit/cycle}\n"
             "  - {arrival: pulses, load: 1 flit/cycle, low_load: 0.05 flits/cycle, high_time: 9 "
             "cycles, low_time: 9 cycles}\n"
             "  - {arrival: poisson, load: 40 %}\n");
    assert_int_equal(c.traffic[0].rate_bps, UINT64_C(12800000000));
    assert_int_equal(c.traffic[1].rate_bps, UINT64_C(16000000000));
    assert_int_equal(c.traffic[1].low_rate_bps, UINT64_C(800000000));
    assert_true(c.traffic[0].load == 0.0 && c.traffic[1].low_load == 0.0);
    assert_true(c.traffic[2].load > 0.39 && c.traffic[2].rate_bps == 0);
    cop_config_free(&c);
    refused(TORUS "traffic: [{arrival: poisson, load: 0.8 flit/cycle}]\n", "needs units.cycle");
    refused("units: {flit: 4 B, cycle: 2 ns}\n" TORUS
            "traffic: [{arrival: poisson, rate: 1 Gbit/s, load: 0.8 flit/cycle}]\n",
            "given twice");
}

/* What was described in cycles of 1 ns is as many of whatever a cycle is; a flit is that of the units, too. */
static void test_defaults(void **state)
{
    (void)state;
    cop_config ns, other;
    load(&ns, "units: {flit: 4 B, cycle: 1 ns}\n" TORUS "cc: {kind: smai}\n"
              "routing: {kind: true-adaptive}\nswitch: {switching: wormhole, flit: 16 B}\n");
    load(&other, "units: {flit: 4 B, cycle: 10 ns}\n" TORUS "cc: {kind: smai, timeout: 7 cycles}\n"
                 "routing: {kind: true-adaptive}\nswitch: {switching: wormhole}\n");
    assert_non_null(strstr(cop_config_print(&ns), "  step: 32 ns\n"));
    assert_non_null(strstr(cop_config_print(&ns), "  timeout: 1 us\n"));
    assert_non_null(strstr(cop_config_print(&other), "  step: 320 ns\n"));
    assert_non_null(strstr(cop_config_print(&other), "  timeout: 70 ns\n"));
    assert_non_null(strstr(cop_config_print(&other), "  timeout: 10 us\n"));
    assert_int_equal(ns.sw.flit_bytes, 16);
    assert_int_equal(other.sw.flit_bytes, 4);
    cop_config_free(&ns);
    cop_config_free(&other);
    /* Not for those that were described otherwise, and not where packets are not cut. */
    load(&other, "units: {flit: 4 B, cycle: 10 ns}\n" TORUS "cc: {kind: ibcc}\n");
    assert_null(strstr(cop_config_print(&other), "ccti_timer: 1500 us"));
    assert_int_equal(other.sw.flit_bytes, 64);
    cop_config_free(&other);
}

static void test_refused(void **state)
{
    (void)state;
    refused("run: {duration: 10 cycles}\n" TORUS,
            "test.yaml:1:17: duration: `10 cycles` needs units.cycle; give it, such as `units: "
            "{cycle: 1 ns}`");
    refused("units: {cycle: 1 ns}\n" TORUS "switch: {buffer: 9 flits}\n", "needs units.flit");
    refused("units: {cycle: 1 ns}\n" TORUS "link: {rate: 1 flit/cycle}\n", "needs units.flit");
    refused("units: {cycle: 1 ns, flit: 4 B}\n" TORUS "link: {rate: 1 cycle}\n", "is not a rate");
    refused("units: {cycle: 333 ps}\nrun: {duration: 0.5 cycles}\n" TORUS,
            "duration: `0.5 cycles` is not a whole number of picoseconds; write one that is");
    refused("units: {cycle: 1 ns}\nrun: {duration: cycles}\n" TORUS,
            "`cycles` is not a time; write one such as `16 cycles`");
    refused("units: {cycle: 1 ns}\nrun: {duration: cycles}\n" TORUS, "duration: ");
    refused("units: {cycle: 1 ns}\nrun: {duration: 1e30 cycles}\n" TORUS, "too large");
    refused("units: {cycle: 1 ns}\nrun: {duration: -3 cycles}\n" TORUS,
            "`-3 cycles` is negative; write such as `16 cycles`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_cycles),
                                       cmocka_unit_test(test_values), cmocka_unit_test(test_loads),
                                       cmocka_unit_test(test_defaults),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
