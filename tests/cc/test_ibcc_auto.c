/* Values of InfiniBand's congestion control that follow from the network (preset auto): how many senders are planned
 * for, by option, traffic or guess, and the plan for them, against the rule's own arithmetic. */
#include "net_fixture.h"

#include "cc/ibcc.h"

#include <math.h>
#include <string.h>

#define STAR(rate, hosts)                                                                          \
    "run: {duration: 1 us}\n"                                                                      \
    "topology: {kind: single, hosts: " #hosts "}\n"                                                \
    "link: {rate: " #rate " Gbit/s, delay: 20 ns}\n"                                               \
    "switch: {pipeline: 100 ns, buffer: 64 KiB}\n"                                                 \
    "nic: {mtu: 2 KiB, overhead: 0 B}\n"                                                           \
    "cc: {kind: ibcc}\n"
#define THREE "traffic: [{from: [1-3], pattern: fixed, to: 0}]\n"

static ibcc_plan plan_of(const char *yaml, const char *set)
{
    net_lab *w = lab_build(yaml, &set, set != NULL);
    ibcc_plan p = ibcc_plan_for(cop_net_cc_cfg(&w->net), cop_net_info(&w->net));
    lab_free(w);
    return p;
}

static void close_to(double value, double expected)
{
    if (fabs(value - expected) > 1e-6 * expected)
        fail_msg("%.9g, not %.9g", value, expected);
}

/* T 1.024 us, H T 3.072 us, longer than the round trip of 240 ns and a packet: the timer is 0.9375 units, one; 3.75 steps
 * per packet, 8 for every other one. */
static void plan_by_share(void **state)
{
    (void)state;
    ibcc_plan p = plan_of(STAR(16, 5) THREE, NULL);
    assert_int_equal(p.from, IBCC_OFFERED);
    assert_int_equal(p.senders, 3);
    close_to(p.packet_ps, 1.024e6);
    close_to(p.share_ps, 3.072e6);
    close_to(p.round_trip_ps, 1.264e6);
    close_to(p.loop_ps, 3.072e6);
    assert_int_equal(p.timer_units, 1);
    assert_int_equal(p.increase, 8);
    assert_int_equal(p.marking_rate, 1);
    assert_int_equal(p.delay_ps, 12288000);
    close_to(p.gain, 4.0 / 3.0);
    p = plan_of(STAR(16, 5) THREE, "cc.senders=100"); /* 31.25 units less a quarter: 31, or 32 */
    assert_int_equal(p.from, IBCC_GIVEN);
    assert_int_equal(p.timer_units, 31);
    assert_int_equal(p.increase, 8);
    assert_int_equal(p.delay_ps, 409600000);
}

/* 400 Gbit/s: a step of hardware's timer is 25 packets, so one step up in seven of them, and the gain is kept. */
static void plan_by_units(void **state)
{
    (void)state;
    ibcc_plan p = plan_of(STAR(400, 5) THREE, NULL);
    close_to(p.loop_ps, 240e3 + 40960.0); /* the round trip */
    assert_int_equal(p.timer_units, 1);
    assert_int_equal(p.increase, 1);
    assert_int_equal(p.marking_rate, 6);
    close_to(p.gain, 1.024e6 / (7 * 122880.0));
    p = plan_of(STAR(400, 5) THREE, "link.delay=5 us"); /* far away: one mark counts per loop */
    close_to(p.loop_ps, 10.2e6 + 40960.0);
    assert_int_equal(p.timer_units, 3); /* 3.126 - 0.25 */
    assert_true(p.gain > 1.1 && p.gain < 1.4);
}

static void senders_are(const char *traffic, enum ibcc_senders from, uint32_t senders)
{
    char yaml[1024];
    snprintf(yaml, sizeof(yaml), "%straffic:\n%s", STAR(16, 17), traffic);
    ibcc_plan p = plan_of(yaml, NULL);
    if (p.from != from || p.senders != senders)
        fail_msg("%s: %u, %d", traffic, p.senders, p.from);
}

static void senders_by_traffic(void **state)
{
    (void)state;
    senders_are("- {from: [1-9], pattern: fixed, to: 0}\n", IBCC_OFFERED, 9);
    senders_are("- {from: [1, 2], pattern: fixed, to: 0}\n- {from: [2, 3], pattern: fixed, to: 0}\n"
                "- {from: [4, 5], pattern: fixed, to: 6}\n",
                IBCC_OFFERED, 3); /* host 2 counts once */
    /* not more than the host takes: it is no hot spot */
    senders_are("- {from: [1, 2], pattern: fixed, to: 0, arrival: poisson, load: 50 %}\n",
                IBCC_GUESSED, 4);
    senders_are("- {from: [1-3], pattern: fixed, to: 0, arrival: poisson, load: 34.5 %}\n",
                IBCC_OFFERED, 3);
    senders_are("- {from: [1], pattern: fixed, to: 0, active: [0, 300 ns, 600 ns]}\n", IBCC_GUESSED,
                4);
    senders_are("- {pattern: hotspot, to: 3, hot_share: 20 %}\n", IBCC_OFFERED, 16);
    senders_are("- {pattern: uniform}\n", IBCC_GUESSED, 4);
    senders_are("- {pattern: forest, b_share: 0 %, v_share: 25 %, hotspots: 1}\n", IBCC_OFFERED,
                12);
    senders_are("- {from: [1-8], pattern: list, to_list: [9, 10]}\n", IBCC_OFFERED, 8);
}

/* By what hosts can take and send; links have 16 Gbit/s. Single hosts: tests/cc/test_ibcc_never_worse.c. */
static void senders_by_rates(void **state)
{
    (void)state;
#define PAIR STAR(16, 17) "traffic: [{from: [1, 2], pattern: fixed, to: 0}]\n"
#define ONE STAR(16, 17) "traffic: [{from: [1], pattern: fixed, to: 0}]\n"
#define ALL STAR(16, 17) "traffic: [{pattern: uniform}]\n"
    static const struct {
        const char *yaml, *set;
        enum ibcc_senders from;
        uint32_t senders;
    } cases[] = {
        {PAIR, NULL, IBCC_OFFERED, 2},
        {PAIR, "nic.receive_rate=4 Gbit/s", IBCC_OFFERED, 8},
        {PAIR, "nic.inject_rate=8 Gbit/s", IBCC_GUESSED, 4},
        {ONE, NULL, IBCC_GUESSED, 4},
        {ONE, "nic.receive_rate=4 Gbit/s", IBCC_OFFERED, 4},
        {ALL, "nic.receive_rate=4 Gbit/s", IBCC_GUESSED, 4}}; /* no host is slower than others */
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        ibcc_plan p = plan_of(cases[i].yaml, cases[i].set);
        if (p.from != cases[i].from || p.senders != cases[i].senders)
            fail_msg("case %zu: %u, %d", i, p.senders, p.from);
    }
}

/* 13 / 16 of the buffer; the gap of 3.25 packets shrinks with a small one. */
static void thresholds(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        uint32_t upper, lower;
    } cases[] = {{NULL, 53248, 53248 - 6656},
                 {"switch.buffer=8 KiB", 6656, 1664},
                 {"cc.hysteresis_mtus=0", 53248, 53248}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(STAR(16, 5) THREE, &cases[i].set, cases[i].set != NULL);
        const ibcc_run *run = cop_net_cc_net(&w->net);
        assert_int_equal(run->lane[0].upper, cases[i].upper);
        assert_int_equal(run->lane[0].lower, cases[i].lower);
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_by_share),      cmocka_unit_test(plan_by_units),
        cmocka_unit_test(senders_by_traffic), cmocka_unit_test(senders_by_rates),
        cmocka_unit_test(thresholds),
    };
    return cmocka_run_group_tests_name("ibcc auto", tests, NULL, NULL);
}
