/* Virtual lane arbitration: first the arbiter alone, pick by pick, on a port whose lanes always
 * have something to send; then whole networks, where the lanes of one saturated link must share it
 * as the tables say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/cable/cable.h"
#include "scenario.h"

#include <string.h>

/* -- the arbiter alone -- */

enum { PORTS = 2, PORT = 1 };

typedef struct bench {
    cop_topo topo;
    cop_switch_cfg cfg;
    cop_out out[PORTS];
    cop_net net;
} bench;

static int bench_init(bench *b, int kind, uint32_t lanes, cop_ints high, cop_ints low,
                      int64_t limit, cop_err *err)
{
    *b = (bench){.topo.n_ports = PORTS};
    b->cfg = (cop_switch_cfg){
        .vl_arbitration = kind, .vl_high = high, .vl_low = low, .vl_high_limit = limit};
    b->net.topo = &b->topo;
    b->net.sw_cfg = &b->cfg;
    b->net.out = b->out;
    b->net.lanes = lanes;
    return cop_vlarb_init(&b->net, err);
}

static void bench_fini(bench *b)
{
    cop_arena_free(&b->net.arena);
}

#define TABLE(...)                                                                                 \
    (cop_ints)                                                                                     \
    {                                                                                              \
        .v = (int64_t[]){__VA_ARGS__}, .n = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)     \
    }
#define NO_TABLE ((cop_ints){0})

static uint32_t send_one(bench *b, uint32_t ready, uint32_t bytes)
{
    uint32_t vl = cop_vlarb_pick(&b->net, PORT, ready);
    assert_true(ready >> vl & 1);
    cop_vlarb_sent(&b->net, PORT, vl, bytes);
    return vl;
}

/* Send packets of `bytes` with these lanes ready and compare with the lanes in `want`. */
static void expect_lanes(bench *b, uint32_t ready, uint32_t bytes, const char *want)
{
    for (size_t i = 0; want[i] != '\0'; i++) {
        uint32_t vl = send_one(b, ready, bytes);
        if (vl != (uint32_t)(want[i] - '0')) {
            print_error("packet %zu of %s went on lane %u\n", i, want, vl);
            fail();
        }
    }
}

static void test_round_robin(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(bench_init(&b, COP_VLARB_RR, 4, NO_TABLE, NO_TABLE, 0, NULL), 0);
    expect_lanes(&b, 0xf, 2048, "01230123");
    expect_lanes(&b, 0x5, 2048, "0202");
    expect_lanes(&b, 0x8, 64, "333");
    expect_lanes(&b, 0xf, 64, "0123");
    bench_fini(&b);
    /* The highest lane of all is followed by the lowest. */
    assert_int_equal(bench_init(&b, COP_VLARB_RR, 16, NO_TABLE, NO_TABLE, 0, NULL), 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(send_one(&b, 0xffff, 64), i % 16);
    bench_fini(&b);
}

static void test_strict_priority(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(bench_init(&b, COP_VLARB_STRICT, 8, NO_TABLE, NO_TABLE, 0, NULL), 0);
    expect_lanes(&b, 0xff, 2048, "777");
    expect_lanes(&b, 0x13, 2048, "44");
    expect_lanes(&b, 0x03, 2048, "11");
    expect_lanes(&b, 0x01, 2048, "0");
    bench_fini(&b);
}

/* An entry keeps its turn while any of its weight is left: weight w sends ceil(64 w / bytes)
 * packets. */
static void test_weights_of_one_table(void **state)
{
    (void)state;
    bench b;
    cop_ints table = TABLE(0, 32, 1, 96, 2, 33);
    assert_int_equal(bench_init(&b, COP_VLARB_IB, 3, NO_TABLE, table, 0, NULL), 0);
    expect_lanes(&b, 7, 2048, "011122011122");
    /* Lanes that have nothing lose their turn; what is left of it is not saved. */
    expect_lanes(&b, 6, 2048, "1");
    expect_lanes(&b, 4, 2048, "222");
    expect_lanes(&b, 7, 2048, "20111220");
    bench_fini(&b);
    /* Smaller packets: the same bytes. */
    assert_int_equal(bench_init(&b, COP_VLARB_IB, 3, NO_TABLE, table, 0, NULL), 0);
    uint32_t sent[3] = {0};
    for (uint32_t i = 0; i < 1610; i++)
        sent[send_one(&b, 7, 64)]++;
    assert_int_equal(sent[0], 320);
    assert_int_equal(sent[1], 960);
    assert_int_equal(sent[2], 330);
    bench_fini(&b);
}

static void test_lanes_listed_twice_and_weight_zero(void **state)
{
    (void)state;
    bench b;
    cop_ints table = TABLE(0, 1, 1, 1, 0, 1, 2, 0, 2, 1);
    assert_int_equal(bench_init(&b, COP_VLARB_IB, 3, NO_TABLE, table, 0, NULL), 0);
    expect_lanes(&b, 7, 64, "01020102");
    /* The only ready lane has its weight in the last entry. */
    expect_lanes(&b, 4, 64, "222");
    bench_fini(&b);
}

/* High table first; after Limit * 4 KiB of it one low packet, and so on. */
static void test_limit_of_high_priority(void **state)
{
    (void)state;
    bench b;
    cop_ints high = TABLE(1, 255), low = TABLE(0, 255);
    assert_int_equal(bench_init(&b, COP_VLARB_IB, 2, high, low, 1, NULL), 0);
    expect_lanes(&b, 3, 2048, "110110110");
    bench_fini(&b);
    assert_int_equal(bench_init(&b, COP_VLARB_IB, 2, high, low, 3, NULL), 0);
    expect_lanes(&b, 3, 4096, "11101110");
    /* Low packets that go while high has nothing begin a new count. */
    expect_lanes(&b, 3, 4096, "11");
    expect_lanes(&b, 1, 4096, "0");
    expect_lanes(&b, 3, 4096, "1110");
    /* Without low packets the limit stops no packet. */
    expect_lanes(&b, 2, 4096, "111111");
    expect_lanes(&b, 3, 4096, "0111");
    bench_fini(&b);
    /* 0: one packet. 255: no limit. */
    assert_int_equal(bench_init(&b, COP_VLARB_IB, 2, high, low, 0, NULL), 0);
    uint32_t sent[2] = {0};
    for (uint32_t i = 0; i < 1000; i++)
        sent[send_one(&b, 3, 64)]++;
    assert_in_range(sent[0], 499, 501);
    bench_fini(&b);
    assert_int_equal(bench_init(&b, COP_VLARB_IB, 2, high, low, 255, NULL), 0);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(send_one(&b, 3, 4096), 1);
    expect_lanes(&b, 1, 4096, "00");
    bench_fini(&b);
}

static void expect_refused(cop_ints high, cop_ints low, uint32_t lanes, const char *what)
{
    bench b;
    cop_err err = {0};
    assert_int_equal(bench_init(&b, COP_VLARB_IB, lanes, high, low, 0, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    if (strstr(err.text, what) == NULL || strchr(err.text, '\n') != NULL) {
        print_error("`%s` does not say `%s` in one line\n", err.text, what);
        fail();
    }
    bench_fini(&b);
}

static void test_bad_tables_are_refused(void **state)
{
    (void)state;
    expect_refused(NO_TABLE, NO_TABLE, 1, "lane 0 has no weight");
    expect_refused(NO_TABLE, TABLE(0, 1), 2, "lane 1 has no weight");
    expect_refused(TABLE(0, 4), TABLE(1, 0), 2, "lane 1 has no weight");
    expect_refused(NO_TABLE, TABLE(0, 1, 1), 2, "pairs");
    expect_refused(TABLE(16, 1), TABLE(0, 1), 1, "lane 16");
    bench b;
    /* Each table may serve a part of the lanes. */
    assert_int_equal(bench_init(&b, COP_VLARB_IB, 2, TABLE(1, 4), TABLE(0, 4), 0, NULL), 0);
    bench_fini(&b);
}

/* -- networks -- */

/* Four hosts of one switch send to four of another over one trunk. vftree puts the destinations on
 * four lanes, so all lanes of the trunk are saturated. Host 4 + i is behind local port i. */
static const char four_lanes[] = "run: {duration: 400 us, warmup: 100 us, flows: yes}\n"
                                 "topology: {kind: chain, hosts: [4, 4]}\n"
                                 "link: {rate: 10 Gbit/s, delay: 10 ns}\n"
                                 "switch: {buffer: 32 KiB}\n"
                                 "queueing: {kind: vftree, lanes: 4}\n"
                                 "traffic:\n"
                                 "  - {name: F0, from: [0], pattern: fixed, to: 4}\n"
                                 "  - {name: F1, from: [1], pattern: fixed, to: 5}\n"
                                 "  - {name: F2, from: [2], pattern: fixed, to: 6}\n"
                                 "  - {name: F3, from: [3], pattern: fixed, to: 7}\n";

/* The lane of a destination is the number of the switch port it hangs on: "s1.3" is lane 3. */
static void lane_of_flow(const cop_result *r, uint32_t *lane)
{
    memset(lane, 0xff, 4 * sizeof(*lane));
    for (uint32_t p = 0; p < r->n_ports; p++)
        for (uint32_t i = 0; i < 4; i++)
            if (strcmp(r->port[p].to, r->node[4 + i].name) == 0)
                lane[i] = (uint32_t)(strchr(r->port[p].name, '.')[1] - '0');
}

static void run_shares(const char *const *set, size_t n, double share[4])
{
    cop_result r;
    uint32_t lane[4];
    assert_int_equal(scn_run(four_lanes, set, n, &r, NULL), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    lane_of_flow(&r, lane);
    double total = 0.0;
    for (uint32_t i = 0; i < 4; i++) {
        char name[8];
        assert_in_range(lane[i], 0, 3);
        share[lane[i]] = scn_gbps(&r, scn_text(name, sizeof(name), "F%u", i));
        total += share[lane[i]];
    }
    assert_float_equal(total, 10.0, 0.1); /* the trunk is never idle */
    for (uint32_t i = 0; i < 4; i++)
        share[i] /= total;
    cop_result_free(&r);
}

static void expect_shares(const char *const *set, size_t n, const double *want)
{
    double share[4];
    run_shares(set, n, share);
    for (uint32_t vl = 0; vl < 4; vl++)
        if (share[vl] < want[vl] - 0.01 || share[vl] > want[vl] + 0.01) {
            print_error("lane %u has %.3f of the link, not %.3f\n", vl, share[vl], want[vl]);
            fail();
        }
}

static void test_shares_of_a_link(void **state)
{
    (void)state;
    static const char *const none[] = {"switch.vl_arbitration=round-robin"};
    expect_shares(none, 1, (double[]){0.25, 0.25, 0.25, 0.25});
    static const char *const weighted[] = {"switch.vl_arbitration=ib",
                                           "switch.vl_low=[0, 32, 1, 64, 2, 96, 3, 128]"};
    expect_shares(weighted, 2, (double[]){0.1, 0.2, 0.3, 0.4});
    /* Weights below a packet still send a packet each. */
    static const char *const light[] = {"switch.vl_arbitration=ib",
                                        "switch.vl_low=[0, 1, 1, 1, 2, 1, 3, 96]"};
    expect_shares(light, 2, (double[]){1.0 / 6, 1.0 / 6, 1.0 / 6, 0.5});
    /* Two lanes in each table. Limit 1: 4 KiB, two packets, of high to one packet of low. */
    static const char *const limited[] = {"switch.vl_arbitration=ib",
                                          "switch.vl_high=[2, 96, 3, 32]",
                                          "switch.vl_low=[0, 32, 1, 32]", "switch.vl_high_limit=1"};
    expect_shares(limited, 4, (double[]){1.0 / 6, 1.0 / 6, 0.5, 1.0 / 6});
}

/* A saturated higher priority leaves nothing. */
static void test_starvation_is_what_was_asked_for(void **state)
{
    (void)state;
    static const char *const strict[] = {"switch.vl_arbitration=strict"};
    expect_shares(strict, 1, (double[]){0.0, 0.0, 0.0, 1.0});
    static const char *const unlimited[] = {
        "switch.vl_arbitration=ib", "switch.vl_high=[1, 32, 2, 96]", "switch.vl_low=[0, 1, 3, 1]",
        "switch.vl_high_limit=255"};
    expect_shares(unlimited, 4, (double[]){0.0, 0.25, 0.75, 0.0});
}

/* What one lane does not use goes to the others: the arbiter never waits. */
static void test_unused_share_is_given_away(void **state)
{
    (void)state;
    double share[4];
    static const char *const set[] = {
        "switch.vl_arbitration=ib",   "switch.vl_low=[0, 32, 1, 32, 2, 32, 3, 255]",
        "traffic.0.arrival=constant", "traffic.0.rate=1 Gbit/s",
        "traffic.3.arrival=constant", "traffic.3.rate=1 Gbit/s"};
    run_shares(set, COP_LEN(set), share);
    uint32_t slow = 0, fast = 0;
    for (uint32_t vl = 0; vl < 4; vl++) {
        slow += share[vl] > 0.09 && share[vl] < 0.11;
        fast += share[vl] > 0.39 && share[vl] < 0.41;
    }
    assert_int_equal(slow, 2);
    assert_int_equal(fast, 2);
}

static void test_lane_without_weight_names_its_place(void **state)
{
    (void)state;
    cop_result r;
    cop_err err = {0};
    static const char *const set[] = {"switch.vl_arbitration=ib",
                                      "switch.vl_low=[0, 32, 1, 32, 2, 32]"};
    assert_int_equal(scn_run(four_lanes, set, COP_LEN(set), &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "lane 3 has no weight"));
    assert_non_null(strstr(err.text, "; list every lane from 0 to 3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_robin),
        cmocka_unit_test(test_strict_priority),
        cmocka_unit_test(test_weights_of_one_table),
        cmocka_unit_test(test_lanes_listed_twice_and_weight_zero),
        cmocka_unit_test(test_limit_of_high_priority),
        cmocka_unit_test(test_bad_tables_are_refused),
        cmocka_unit_test(test_shares_of_a_link),
        cmocka_unit_test(test_starvation_is_what_was_asked_for),
        cmocka_unit_test(test_unused_share_is_given_away),
        cmocka_unit_test(test_lane_without_weight_names_its_place),
    };
    return cmocka_run_group_tests_name("vlarb", tests, NULL, NULL);
}
