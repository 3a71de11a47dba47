/* QCN in whole networks: samples and notifications that switches make, sources that slow down. */
#include "qcn_fixture.h"

#include "cc/qcn.h"

#include <math.h>
#include <string.h>

/* qcn-15: nothing up to the set point, 63 from twice that on (w = 0), linear between. */
static void test_feedback(void **state)
{
    (void)state;
    qcn_cfg cfg = {.w = 0.0};
    assert_int_equal(qcn_feedback(&cfg, 20000, 0, 0), 0);
    assert_int_equal(qcn_feedback(&cfg, 20000, 20000, 99), 0);
    assert_int_equal(qcn_feedback(&cfg, 20000, 40000, 0), 63);
    assert_int_equal(qcn_feedback(&cfg, 20000, 90000, 0), 63);
    for (uint32_t q = 20000; q <= 40000; q += 10)
        assert_int_equal(qcn_feedback(&cfg, 20000, q, 7), (q - 20000) * 63 / 20000.0 + 0.5);
    cfg.w = 2.0; /* growth counts twice: 63 at 5 Qeq */
    assert_int_equal(qcn_feedback(&cfg, 1000, 1100, 1100), (uint32_t)(100 * 63 / 5000.0 + 0.5));
    assert_int_equal(qcn_feedback(&cfg, 1000, 1100, 1150), 0); /* it shrinks by as much */
    assert_int_equal(qcn_feedback(&cfg, 1000, 900, 800), (uint32_t)(100 * 63 / 5000.0 + 0.5));
}

/* Two hosts send to a third over one switch: its output is the only crowded one. */
static const char incast[] =
    "run: {duration: 2 ms, warmup: 1 ms, drain: yes, sample: 20 us}\n"
    "topology: {kind: single, hosts: 4}\n"
    "link: {rate: 10 Gbit/s, delay: 100 ns}\n"
    "switch: {architecture: cioq, buffer: 100 kB, output_buffer: 100 kB, pipeline: 200 ns}\n"
    "nic: {mtu: 1000 B, overhead: 0 B, control_bytes: 64 B}\n"
    "cc: {kind: qcn, w: 2, every: 20, share: 100 %, timer: 100 us, bytes: 50 kB, increase: 100 "
    "Mbit/s}\n"
    "traffic: [{from: [0, 1], pattern: fixed, to: 2, arrival: saturated, message: 1000 B}]\n";

/* The same switches, to sources that do not listen. */
#define ONLY_TOLD "cc={kind: qcn, w: 2, every: 20, share: 100 %, react: no"

static void test_sources_slow_down(void **state)
{
    (void)state;
    cop_result off, on;
    RUN(&off, incast, "cc={kind: none}");
    RUN(&on, incast, "run.observe=queue/h2");
    /* Without control the buffers fill and stay full; with it the queue is about the set point. */
    double told = scalar(&on, "qcn_told");
    assert_true(told > 20);
    assert_true(scalar(&on, "notifications") == told && scalar(&on, "becn") == told);
    assert_true(scalar(&off, "notifications") == 0);
    const cop_series *queue = series(&on, "queue/h2");
    double sum = 0;
    for (uint32_t b = queue->n / 2; b < queue->n; b++)
        sum += queue->v[b];
    assert_in_range(sum / (queue->n - queue->n / 2), 4000, 60000);
    /* And the link is still busy most of the time: payload of 10 Gbit/s, less what recovery takes. */
    assert_true(on.throughput_gbps * 4 > 0.8 * off.throughput_gbps * 4);
    cop_result_free(&off);
    cop_result_free(&on);
}

/* A packet every few timer cycles: no event per cycle. (With one it was 4.7 events per hop.) */
static void test_timer_costs_no_events(void **state)
{
    (void)state;
    cop_result r;
    RUN(&r, incast, "run={duration: 20 ms}",
        "cc={kind: qcn, w: 0, every: 1, share: 100 %, qeq: 2 kB, gd: 1, timer: 1 us, bytes: 1 GB, "
        "increase: 0, hyper_increase: 0}");
    assert_int_equal(r.packet_hops, 31664); /* as many as with an event at each end of a cycle */
    assert_true(r.events < 3.2 * (double)r.packet_hops);
    cop_result_free(&r);
}

/* `react: no`: notifications are made and change nothing. */
static void test_only_told(void **state)
{
    (void)state;
    cop_result off, on;
    RUN(&off, incast, "cc={kind: none}");
    RUN(&on, incast, ONLY_TOLD ", ports: all}");
    assert_true(scalar(&on, "qcn_told") > 20);
    assert_int_equal(on.packets_delivered - (uint64_t)scalar(&on, "notifications"),
                     off.packets_delivered);
    cop_result_free(&on);
    RUN(&on, incast, ONLY_TOLD "}"); /* ports that face a host are not sampled then */
    assert_true(scalar(&on, "qcn_samples") == 0);
    cop_result_free(&off);
    cop_result_free(&on);
}

static uint32_t count_with(const cop_result *r, const char *prefix)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_scalars; i++)
        n += strncmp(r->scalar[i].name, prefix, strlen(prefix)) == 0;
    return n;
}

/* Two saturated hosts in turn through one output, 0.8 us per packet: every 25th packet tells, 20 us apart, and they
 * are of both hosts in turn; every 50th is always of the same one. */
static void test_notices(void **state)
{
    (void)state;
    for (int even = 0; even < 2; even++) {
        cop_result r;
        RUN(&r, incast, "run.drain=no", "run.observe=notices/h2,notices/s0.3,notices/all",
            "cc={kind: qcn, react: no, ports: all, w: 0, share: 100 %, qeq: 1 kB}",
            even ? "cc.every=50" : "cc.every=25");
        double all = scalar(&r, "notifications"), sum = 0;
        assert_true(all == (even ? 50 : 100)); /* packet 2500 leaves at 1999.2 us and a bit */
        assert_true(scalar(&r, "notifications_at/s0.2") == all);
        assert_int_equal(count_with(&r, "notifications_at/"), even ? 2 : 3);
        if (even) {
            bool first = count_with(&r, "notifications_at/s0.2>h0") == 1;
            assert_true(
                scalar(&r, first ? "notifications_at/s0.2>h0" : "notifications_at/s0.2>h1") == all);
        } else {
            double a = scalar(&r, "notifications_at/s0.2>h0"),
                   b = scalar(&r, "notifications_at/s0.2>h1");
            assert_true(a + b == all && a == b);
        }
        const cop_series *told = series(&r, "notices/h2"), *none = series(&r, "notices/s0.3");
        for (uint32_t b = 0; b < told->n; b++) {
            sum += told->v[b];
            assert_true(told->v[b] <= 1 && none->v[b] == 0);
        }
        assert_true(sum == all);
        cop_result_free(&r);
    }
    /* Not asked: ports only. */
    cop_result r;
    RUN(&r, incast);
    assert_int_equal(count_with(&r, "notifications_at/"), 1);
    cop_result_free(&r);
}

static void test_notices_refused(void **state)
{
    (void)state;
    static const char *const sets[][3] = {
        {"run.observe=notices/all", "cc={kind: none}", "switches make no notifications"},
        {"run.observe=notices/s9.9", "run.seed=2", "no such switch"},
        {"run.observe=notices/h2@0", "run.seed=2", "leave `@` out"},
    };
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        cop_err err = {0};
        assert_int_equal(scn_run(incast, sets[i], 2, &r, &err), -COP_E_INPUT);
        assert_non_null(strstr(err.text, sets[i][2]));
    }
}

/* By time: a port that is held up is sampled as often as the others. The trunk of two switches runs at a tenth of
 * its rate, as its receiver takes in no more: in 400 us 20 samples of 20 us, or two of 100 packets. */
static const char held_up[] = "run: {duration: 400 us}\n"
                              "topology: {kind: chain, hosts: [1, 1]}\n"
                              "link: {rate: 40 Gbit/s}\n"
                              "switch: {architecture: cioq, buffer: 20 kB, output_buffer: 20 kB}\n"
                              "nic: {mtu: 1000 B, overhead: 0 B, receive_rate: 4 Gbit/s}\n"
                              "cc: {kind: qcn, react: no, ports: transit}\n"
                              "traffic: [{from: [0], pattern: fixed, to: [1], message: 1000 B}]\n";

static void test_period(void **state)
{
    (void)state;
    cop_result packets, time;
    RUN(&packets, held_up, "cc.every=100");
    RUN(&time, held_up, "cc.period=20 us");
    assert_in_range((uint64_t)scalar(&packets, "qcn_samples"), 2, 4);
    assert_in_range((uint64_t)scalar(&time, "qcn_samples"), 18, 24);
    /* 200 packets are taken in, 20 more stand in each buffer on the way: 240 left by the trunk, 220 for the host. */
    cop_result all, often;
    RUN(&all, held_up, "cc.ports=all", "cc.every=50");
    RUN(&often, held_up, "cc.ports=all", "cc.every=50", "cc.host_every=5", "cc.host_share=100 %");
    assert_in_range((uint64_t)scalar(&all, "qcn_samples"), 7, 9);
    assert_in_range((uint64_t)scalar(&often, "qcn_samples"), 44, 50);
    assert_true(scalar(&often, "qcn_told") >= scalar(&often, "qcn_samples") - 12);
    cop_result_free(&all);
    cop_result_free(&often);
    cop_result_free(&packets);
    cop_result_free(&time);
}

/* `busy`: the trunk that is held up tells nothing, the one that works all the time as much as without. */
static void test_busy(void **state)
{
    (void)state;
    for (unsigned full = 0; full < 2; full++) {
        cop_result r, busy;
        const char *takes = full ? "nic.receive_rate=40 Gbit/s" : "nic.receive_rate=4 Gbit/s",
                   *feeds = full ? "link.host_rate=80 Gbit/s" : "link.host_rate=40 Gbit/s";
        RUN(&r, held_up, takes, feeds, "cc.period=20 us", "cc.share=100 %", "cc.qeq=2 kB");
        RUN(&busy, held_up, takes, feeds, "cc.period=20 us", "cc.share=100 %", "cc.qeq=2 kB",
            "cc.busy=90 %");
        assert_true(scalar(&r, "qcn_told") > 10.0);
        assert_true(scalar(&busy, "qcn_told") == (full ? scalar(&r, "qcn_told") : 0.0));
        cop_result_free(&r);
        cop_result_free(&busy);
    }
}

static double rate_of(const cop_result *r, const char *entry)
{
    for (uint32_t i = 0; i < r->n_streams; i++)
        if (strcmp(r->stream[i].entry, entry) == 0)
            return r->stream[i].gbps;
    fail_msg("no entry `%s`", entry);
    return NAN;
}

/* Host 0 sends to the crowded host 2 and to host 3, which has no other sender. A rate per flow
 * leaves the latter alone;
 * one rate for the host slows both. */
static void test_limit(void **state)
{
    (void)state;
    static const char two[] =
        "traffic=[{name: hot, from: [0, 1], pattern: fixed, to: 2, message: 1000 B}, "
        "{name: free, from: [0], pattern: fixed, to: 3, message: 1000 B}]";
    cop_result flow, host;
    RUN(&flow, incast, two, "nic.order=round-robin", "run.drain=no");
    RUN(&host, incast, two, "nic.order=round-robin", "run.drain=no", "cc.limit=host");
    assert_true(scalar(&flow, "qcn_told") > 20 && scalar(&host, "qcn_told") > 20);
    assert_true(rate_of(&flow, "free") > 1.2 * rate_of(&flow, "hot"));
    assert_true(rate_of(&host, "free") < 1.1 * rate_of(&host, "hot"));
    assert_true(rate_of(&host, "free") < 0.9 * rate_of(&flow, "free"));
    cop_result_free(&flow);
    cop_result_free(&host);
}

/* A point for each lane is the same as one for the port where data use one lane; where they use three its samples are
 * of the packets and bytes of one. */
static void test_queue_of_class(void **state)
{
    (void)state;
    cop_result port, lane;
    RUN(&port, incast, ONLY_TOLD ", ports: all}");
    RUN(&lane, incast, ONLY_TOLD ", ports: all, queue: class}");
    assert_true(scalar(&port, "qcn_told") > 20);
    assert_true(scalar(&port, "qcn_told") == scalar(&lane, "qcn_told"));
    cop_result_free(&port);
    cop_result_free(&lane);
    /* A routing that does not listen and a share that never tells: packets move alike in both. */
    RUN(&port, adversarial, "routing={kind: ugal}", "cc.every=10", "cc.share=0.0001 %",
        "cc.qeq=1500 B");
    RUN(&lane, adversarial, "routing={kind: ugal}", "cc.every=10", "cc.share=0.0001 %",
        "cc.qeq=1500 B", "cc.queue=class");
    assert_int_equal(port.run_hash, lane.run_hash);
    /* Each lane has begun a count that it did not end, and holds a part of what the port does. */
    assert_true(scalar(&lane, "qcn_samples") < scalar(&port, "qcn_samples"));
    assert_true(scalar(&lane, "qcn_samples") > 0.8 * scalar(&port, "qcn_samples"));
    assert_true(scalar(&lane, "qcn_congested") > 0);
    assert_true(scalar(&lane, "qcn_congested") < 0.9 * scalar(&port, "qcn_congested"));
    cop_result_free(&port);
    cop_result_free(&lane);
    RUN(&lane, adversarial, "cc.every=10", "cc.queue=class", "cc.sample=input");
    assert_true(scalar(&lane, "qcn_told") > 50);
    cop_result_free(&lane);
    /* Without output buffers: what waits in the inputs. */
    RUN(&port, incast, ONLY_TOLD ", ports: all}", "switch={architecture: iq, buffer: 100 kB}");
    RUN(&lane, incast, ONLY_TOLD ", ports: all, queue: class}",
        "switch={architecture: iq, buffer: 100 kB}");
    assert_true(scalar(&port, "qcn_told") > 20);
    assert_true(scalar(&port, "qcn_told") == scalar(&lane, "qcn_told"));
    cop_result_free(&port);
    cop_result_free(&lane);
}

static void test_refused(void **state)
{
    (void)state;
    cop_result r;
    cop_err err = {0};
    const char *few[] = {"switch.lanes=4"};
    assert_int_equal(scn_run(adversarial, few, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "control packets from lane 3 on need 5 lanes"));
    err = (cop_err){0};
    const char *omega[] = {"topology={kind: omega, radix: 2, stages: 3}"};
    assert_int_equal(scn_run(incast, omega, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "does not lead from switch"));
    err = (cop_err){0};
    const char *high[] = {"cc.qeq=20 MB"};
    assert_int_equal(scn_run(incast, high, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "is not below what the sampled queue can hold, "));
    err = (cop_err){0};
    const char *never[] = {"routing.pi=0"};
    assert_int_equal(scn_run(adversarial, never, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "pi 0 raises no probability again"));
    err = (cop_err){0};
    const char *small[] = {"cc.sample=input",
                           "switch.trunk_buffer=15 kB"}; /* auto: a fifth of these */
    assert_int_equal(scn_run(adversarial, small, 2, &r, &err), 0);
    cop_result_free(&r);
    err = (cop_err){0};
    const char *cycle[] = {"routing={kind: ugal, progressive: yes, via: other}", "cc.kind=none",
                           "nic={mtu: 1000 B, ack: packet, control_vl: 1}", "switch.lanes=4"};
    assert_int_equal(scn_run(adversarial, cycle, 4, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "a cycle of channel dependencies between data and control"));
    err = (cop_err){0};
    const char *escape[] = {"topology={kind: torus, radix: [3, 4]}",
                            "routing={kind: adaptive-cube}", "cc.kind=none",
                            "nic={mtu: 1000 B, ack: packet, control_vl: 1}",
                            "traffic=[{pattern: uniform, message: 1000 B}]"};
    assert_int_equal(scn_run(adversarial, escape, COP_LEN(escape), &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "which has escape lanes; set nic.control_vl to -1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feedback),
        cmocka_unit_test(test_sources_slow_down),
        cmocka_unit_test(test_timer_costs_no_events),
        cmocka_unit_test(test_only_told),
        cmocka_unit_test(test_period),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_notices_refused),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_queue_of_class),
    };
    return cmocka_run_group_tests_name("qcn", tests, NULL, NULL);
}
