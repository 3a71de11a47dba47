/* An end node arbitrates the lanes of its link as a switch does those of its ports: one host sends to four others
 * on a lane each, and the shares of the lanes are those of the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenario.h"

/* vftree: the lane of a destination is its switch port modulo four, so that host 4 is on lane 0. */
static const char one_sender[] = "run: {duration: 500 us, warmup: 100 us}\n"
                                 "topology: {kind: single, hosts: 5}\n"
                                 "link: {rate: 10 Gbit/s, delay: 10 ns}\n"
                                 "switch: {buffer: 32 KiB}\n"
                                 "nic: {mtu: 2 KiB, overhead: 0 B, order: round-robin}\n"
                                 "queueing: {kind: vftree, lanes: 4}\n"
                                 "traffic:\n"
                                 "  - {name: L1, from: [0], pattern: fixed, to: 1}\n"
                                 "  - {name: L2, from: [0], pattern: fixed, to: 2}\n"
                                 "  - {name: L3, from: [0], pattern: fixed, to: 3}\n"
                                 "  - {name: L0, from: [0], pattern: fixed, to: 4}\n";

static void expect(const char *const *set, size_t n, const double *want)
{
    cop_result r;
    char name[8];
    double share[4], total = 0.0;
    assert_int_equal(scn_run(one_sender, set, n, &r, NULL), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    for (uint32_t vl = 0; vl < 4; vl++) {
        share[vl] = scn_gbps(&r, scn_text(name, sizeof(name), "L%u", vl));
        total += share[vl];
    }
    assert_float_equal(total, 10.0, 0.05);
    for (uint32_t vl = 0; vl < 4; vl++)
        if (share[vl] / total < want[vl] - 0.01 || share[vl] / total > want[vl] + 0.01)
            fail_msg("%s: lane %u has %.3f of the link, not %.3f", set[n - 1], vl,
                     share[vl] / total, want[vl]);
    cop_result_free(&r);
}

static void test_in_turn(void **state)
{
    (void)state;
    static const char *const set[] = {"switch.vl_arbitration=round-robin"};
    expect(set, 1, (double[]){0.25, 0.25, 0.25, 0.25});
}

static void test_by_weight(void **state)
{
    (void)state;
    static const char *const low[] = {"switch.vl_arbitration=ib",
                                      "switch.vl_low=[0, 32, 1, 64, 2, 96, 3, 128]"};
    expect(low, 2, (double[]){0.1, 0.2, 0.3, 0.4});
    static const char *const high[] = {"switch.vl_arbitration=ib", "switch.vl_high_limit=255",
                                       "switch.vl_low=[0, 1, 3, 1]",
                                       "switch.vl_high=[1, 32, 2, 96]"};
    expect(high, 4, (double[]){0.0, 0.25, 0.75, 0.0});
    /* After 4 KiB, two packets, of the high table one of the low. */
    static const char *const limited[] = {"switch.vl_arbitration=ib", "switch.vl_high_limit=1",
                                          "switch.vl_low=[0, 32, 1, 32]",
                                          "switch.vl_high=[2, 96, 3, 32]"};
    expect(limited, 4, (double[]){1.0 / 6, 1.0 / 6, 0.5, 1.0 / 6});
}

static void test_highest_first(void **state)
{
    (void)state;
    static const char *const set[] = {"switch.vl_arbitration=strict"};
    expect(set, 1, (double[]){0.0, 0.0, 0.0, 1.0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_turn),
                                       cmocka_unit_test(test_by_weight),
                                       cmocka_unit_test(test_highest_first)};
    return cmocka_run_group_tests_name("host_lanes", tests, NULL, NULL);
}
