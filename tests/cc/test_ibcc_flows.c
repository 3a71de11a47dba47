/* InfiniBand congestion control between flows: victims and contributors of Gran et al.'s scenarios, end
 * nodes whose flows do not block each other, and what can be observed. */
#include "ibcc_net_fixture.h"

#define PACKET 2048u

/* -- scenario 1 of Gran et al.: F1 shares a cable with F2 and F3, whose destination is hot -- */

static const char scenario1[] =
    "run: {duration: 150 ms, warmup: 60 ms, sample: 1 ms}\n"
    "topology: {kind: chain, hosts: [3, 4]}\n"
    "link: {rate: 16 Gbit/s, trunk_rate: 32 Gbit/s, delay: 20 ns}\n"
    "nic: {inject_rate: 13 Gbit/s, receive_rate: 13 Gbit/s}\n"
    "cc: {kind: ibcc, preset: testbed}\n"
    "traffic:\n"
    "  - {name: F1, from: [0], pattern: fixed, to: 3, message: 64 KiB}\n"
    "  - {name: F2, from: [1], pattern: fixed, to: 4, message: 64 KiB}\n"
    "  - {name: F3, from: [2], pattern: fixed, to: 4, message: 64 KiB}\n"
    "  - {name: F4, from: [5], pattern: fixed, to: 4, message: 64 KiB}\n"
    "  - {name: F5, from: [6], pattern: fixed, to: 4, message: 64 KiB}\n";

static void test_scenario1(void **state)
{
    (void)state;
    static const char *const hot_flow[] = {"F2", "F3", "F4", "F5"};
    const char *const off[] = {"cc.kind=none", "run.duration=20 ms", "run.warmup=5 ms"};
    const char *const unmasked[] = {"cc.victim_mask=none"};
    cop_result r;
    scn_run(scenario1, off, 3, &r, NULL); /* gran1-4: thirds and sixths */
    near(scn_gbps(&r, "F1"), 13.0 / 6, 0.06);
    near(scn_gbps(&r, "F2"), 13.0 / 6, 0.06);
    near(scn_gbps(&r, "F5"), 13.0 / 3, 0.06);
    cop_result_free(&r);
    scn_run(scenario1, NULL, 0, &r, NULL);
    near(scn_gbps(&r, "F1"), 13.0, 0.05); /* gran1-5 */
    double sum = 0.0;
    for (size_t i = 0; i < 4; i++)
        sum += scn_gbps(&r, hot_flow[i]);
    assert_in_range(sum * 1000, 11700, 13000);
    for (size_t i = 0; i < 4; i++)
        near(scn_gbps(&r, hot_flow[i]), sum / 4, 0.08); /* gran1-6: the parking lot is solved */
    double marks = scalar(&r, "fecn_at/s1.1");
    cop_result_free(&r);
    scn_run(scenario1, unmasked, 1, &r, NULL); /* gran1-34 */
    assert_true(scn_gbps(&r, "F1") < 9.0);
    assert_true(scalar(&r, "fecn_at/s1.1") * 4 < marks);
    cop_result_free(&r);
}

/* gran1-29: two flows of one host, one of them hot. */
static void test_levels(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 20 ms, warmup: 10 ms}\n"
                               "topology: {kind: single, hosts: 6}\n"
                               "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                               "cc: {kind: ibcc, preset: testbed, level: qp, ccti_timer: 50 us}\n"
                               "traffic:\n"
                               "  - {name: own, from: [0], pattern: fixed, to: 1}\n"
                               "  - {name: cold, from: [0], pattern: fixed, to: 5}\n"
                               "  - {name: hot, from: [2-4], pattern: fixed, to: 1}\n";
    const char *const sl[] = {"cc.level=sl"};
    const char *const two[] = {"cc.level=sl", "traffic.cold.sl=1"};
    cop_result r;
    scn_run(yaml, NULL, 0, &r, NULL);
    assert_true(scn_gbps(&r, "cold") > 6.5); /* what the throttled flow leaves of the link */
    assert_true(scn_gbps(&r, "own") < 3.5);
    cop_result_free(&r);
    scn_run(yaml, sl, 1, &r, NULL);
    assert_true(scn_gbps(&r, "cold") < 4.0);
    cop_result_free(&r);
    scn_run(yaml, two, 2, &r, NULL); /* on a service level of its own it is free again */
    assert_true(scn_gbps(&r, "cold") > 6.5);
    cop_result_free(&r);
}

/* A host that sends to many, one of them hot: that flow waits, the others go on, though they are all
 * messages of one stream. */
static void test_flows_do_not_block_each_other(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 20 ms, warmup: 10 ms, flows: yes}\n"
        "topology: {kind: single, hosts: 24}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "cc: {kind: ibcc, preset: testbed, ccti_timer: 50 us}\n"
        "traffic:\n"
        "  - {name: wide, from: [0], pattern: hotspot, to: 1, hot_share: 30 %, arrival: constant, "
        "load: 60 %}\n"
        "  - {name: hot, from: [18-23], pattern: fixed, to: 1}\n";
    static const char *const level[] = {"cc.level=qp", "cc.level=sl"};
    double others[2] = {0.0, 0.0}, to_hot[2] = {0.0, 0.0};
    for (size_t k = 0; k < 2; k++) {
        cop_result r;
        scn_run(yaml, &level[k], 1, &r, NULL);
        for (uint32_t f = 0; f < r.n_flows; f++)
            if (r.flow[f].src == 0)
                *(r.flow[f].dst == 1 ? &to_hot[k] : &others[k]) +=
                    (double)r.flow[f].bytes * 8 / 1e7;
        cop_result_free(&r);
    }
    assert_true(to_hot[0] < 1.6); /* it wants 1.8, and a bit of the uniform part */
    near(others[0], 6.0 * 0.7 * 22 / 23, 0.03); /* as if nothing was hot */
    assert_true(others[1] < others[0] * 0.9); /* one index for all: the others suffer */
}

/* A throttled service level keeps the order in which its messages were generated, whatever the
 * number of destinations: two parts of a host's traffic stay 6 to 4. */
static void test_level_keeps_the_mix(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 20 ms, warmup: 10 ms}\n"
        "topology: {kind: single, hosts: 24}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "cc: {kind: ibcc, preset: testbed, level: sl, ccti_timer: 50 us}\n"
        "traffic:\n"
        "  - {name: part, from: [0], pattern: fixed, to: 1, arrival: constant, load: 60 %}\n"
        "  - {name: rest, from: [0], arrival: constant, load: 40 %}\n"
        "  - {name: hot, from: [18-23], pattern: fixed, to: 1}\n";
    cop_result r;
    scn_run(yaml, NULL, 0, &r, NULL);
    assert_true(scn_gbps(&r, "part") < 4.0); /* held back: it wants 6 */
    near(scn_gbps(&r, "part") / scn_gbps(&r, "rest"), 1.5, 0.03);
    cop_result_free(&r);
}

/* -- credit starvation -- */

static void test_credit_starvation(void **state)
{
    (void)state;
    const char *const legacy[] = {"cc.ccti_increase=0"};
    const char *const starved[] = {"cc.ccti_increase=0", "cc.cs_threshold=15",
                                   "cc.cs_return_delay=0:4"};
    cop_result r;
    scn_run(hot, legacy, 1, &r, NULL);
    assert_true(scalar(&r, "credits_delayed") == 0);
    near(scn_gbps(&r, "hot"), 10.0, 0.01);
    cop_result_free(&r);
    scn_run(hot, starved, 3, &r, NULL);
    assert_true(scalar(&r, "credits_delayed") > 100);
    /* While its buffer is above 1/16, an input gives a quarter of the link: the queue hovers there. */
    assert_true(scn_gbps(&r, "hot") > 4.9);
    near(scn_gbps(&r, "cold"), 10.0, 0.01);
    for (uint32_t p = 0; p < r.n_ports; p++)
        if (strcmp(r.port[p].name, "s0.1") == 0)
            assert_true(r.port[p].mean_queue_bytes < 2 * 65536.0 * 0.8);
    cop_result_free(&r);
}

/* -- observations -- */

static void test_observe(void **state)
{
    (void)state;
    const char *const set[] = {
        "run.observe=ccti/hot, rate/0>1, delay/h0>h1@0, state/h1, fill/s0.1@0, voq/h0>h1, "
        "voq/s0.3>1, queue/h1, ccti/2>4",
        "run.sample=10 us"};
    cop_result plain, r;
    scn_run(hot, &set[1], 1, &plain, NULL);
    scn_run(hot, set, 2, &r, NULL);
    assert_int_equal(plain.run_hash, r.run_hash); /* looking changes nothing */
    const cop_series *index = series(&r, "ccti/hot/0"), *rate = series(&r, "rate/0>1"),
                     *congested = series(&r, "state/h1"), *fill = series(&r, "fill/s0.1@0"),
                     *one = series(&r, "voq/h0>h1"), *two = series(&r, "voq/s0.3>1"),
                     *queue = series(&r, "queue/h1"), *delay = series(&r, "delay/h0>h1@0"),
                     *calm = series(&r, "ccti/2>4");
    assert_int_equal(series(&r, "ccti/hot/3")->n, 200);
    assert_string_equal(index->unit, "index");
    bool seen[2] = {false, false};
    double highest = 0.0;
    for (uint32_t i = 0; i < index->n; i++) {
        assert_in_range(index->v[i], 0, 127); /* gran1-26 */
        assert_true(congested->v[i] == 0.0 || congested->v[i] == 1.0);
        assert_true(one->v[i] + two->v[i] == queue->v[i] && queue->v[i] == fill->v[i]);
        seen[congested->v[i] > 0.0] = true;
        if (congested->v[i] > 0.0)
            assert_true(fill->v[i] > 0.0);
        /* packet / (packet + delay) */
        near(rate->v[i], PACKET * 8 / (PACKET * 0.8 + delay->v[i]), 1e-9);
        assert_true(calm->v[i] == 0.0);
        highest = fmax(highest, index->v[i]);
    }
    assert_true(seen[0] && seen[1] && highest > 5.0);
    cop_result_free(&plain);
    cop_result_free(&r);
}

/* Ports by range are the same series as one by one. */
static void test_observe_ranges(void **state)
{
    (void)state;
    const char *const one[] = {"run.observe=queue/s0.1, queue/s0.2, fill/s0.1@0, fill/s0.2@0"};
    const char *const range[] = {"run.observe=queue/s0.1-2, fill/s0-0.1-2@0"};
    cop_result a, b;
    scn_run(hot, one, 1, &a, NULL);
    scn_run(hot, range, 1, &b, NULL);
    assert_int_equal(a.run_hash, b.run_hash);
    assert_int_equal(a.n_series, b.n_series);
    for (uint32_t i = 0; i < a.n_series; i++) {
        assert_string_equal(a.series[i].name, b.series[i].name);
        assert_memory_equal(a.series[i].v, b.series[i].v, a.series[i].n * sizeof(double));
    }
    assert_non_null(series(&b, "fill/s0.2@0"));
    cop_result_free(&a);
    cop_result_free(&b);
}

/* What hosts take in, bin by bin, is what the network delivers; looking changes nothing. */
static void test_observe_received(void **state)
{
    (void)state;
    const char *const set[] = {"run.observe=received/h1, received/all", "run.sample=10 us"};
    cop_result plain, r;
    scn_run(hot, &set[1], 1, &plain, NULL);
    scn_run(hot, set, 2, &r, NULL);
    assert_int_equal(plain.run_hash, r.run_hash);
    assert_int_equal(r.n_series, plain.n_series + r.n_nodes); /* h1 once */
    const cop_series *total = series(&r, "network/throughput");
    double mean_hot = 0.0;
    for (uint32_t b = 0; b < total->n; b++) {
        double sum = 0.0;
        for (uint32_t h = 0; h < r.n_nodes; h++) {
            char name[40];
            sum += series(&r, scn_text(name, sizeof(name), "received/h%u", h))->v[b];
        }
        near(sum, total->v[b], 1e-9);
        mean_hot += series(&r, "received/h1")->v[b] / total->n;
    }
    assert_string_equal(series(&r, "received/h1")->unit, "Gbit/s");
    assert_true(mean_hot > 5.0);
    cop_result_free(&plain);
    cop_result_free(&r);
}

static void test_observe_faults(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "nonsense",     "ccti/",         "ccti/nobody",
        "ccti/0>99",    "state/s7.1",    "voq/h0",
        "voq/h0>s9.1",  "voq/h0>99",     "state/h1@1",
        "ccti/0>1@16",  "unknown/h1",    "queue/F1",
        "received/h99", "received/",     "queue/s0-1.1",
        "queue/s0.1-",  "queue/s0.2-1",  "queue/s0.0-99",
        "queue/s-1.1",  "queue/s0-0.1x", "queue/s0.1-99999999999999999999",
        "queue/s0-",    "voq/s0.1-2>3",  ",",
        "queue/s0.1,",  ",queue/s0.1",   "queue/s0.1, ,queue/s0.2",
    };
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        char text[80];
        const char *const set[] = {scn_text(text, sizeof(text), "run.observe=%s", bad[i])};
        cop_result r;
        cop_err err = {0};
        assert_int_equal(scn_run(hot, set, 1, &r, &err), -COP_E_INPUT);
        assert_int_equal(err.faults, 1);
        assert_non_null(strstr(err.text, "run.observe: `"));
        assert_true(strchr(err.text, ';') || strstr(err.text, "such as")); /* what would be right */
    }
    /* Only what the congestion control shows. */
    const char *const none[] = {"cc.kind=none", "run.observe=ccti/hot"};
    cop_result r;
    cop_err err = {0};
    assert_int_equal(scn_run(hot, none, 2, &r, &err), -COP_E_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenario1),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_flows_do_not_block_each_other),
        cmocka_unit_test(test_level_keeps_the_mix),
        cmocka_unit_test(test_credit_starvation),
        cmocka_unit_test(test_observe),
        cmocka_unit_test(test_observe_ranges),
        cmocka_unit_test(test_observe_received),
        cmocka_unit_test(test_observe_faults),
    };
    return cmocka_run_group_tests_name("ibcc_flows", tests, NULL, NULL);
}
