/* Controls that tell all nodes at once, late: signals of Smai and Thorelli, counts of the self-tuned one. Time is moved by
 * hand, and every answer is computed by hand. Also: Fernandez and Garcia's control in a small network. */
#include "named.h"
#include "net_fixture.h"

#include "cc/cc_all.h"
#include "cc/fern.h"
#include "net/flow/flow.h"

#include <math.h>
#include <string.h>

#define SET(...)                                                                                   \
    (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL},                                        \
        sizeof((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}) / sizeof(char *) - 1

static const char square[] = "topology: {kind: torus, radix: [4, 4]}\n"
                             "routing: {kind: adaptive-cube}\n"
                             "switch: {buffer: 256 B, lanes: 3}\n"
                             "queueing: {kind: 1q}\n"
                             "nic: {mtu: 64 B}\n"
                             "traffic: [{from: [0], pattern: fixed, to: [5], message: 64 B}]\n";

/* timeout 100, reach 10, period 50, step 7 ns. */
static void test_signals(void **state)
{
    (void)state;
    net_lab *w = lab_build(
        square, SET("cc={kind: smai, timeout: 100 ns, reach: 10 ns, period: 50 ns, step: 7 ns}"));
    cop_net *net = &w->net;
    const cop_cc_ops *cc = net->cc;
    cop_pkt a = {.bytes = 64}, b = {.bytes = 64};
    void *flow = cop_flow_state(net, cop_flow_of(net, 0, 5, 0));
    net->now = 10 * COP_NS;
    cc->at_switch.on_enqueue(net, 0, 1, &a);
    cc->at_switch.on_enqueue(net, 0, 1, &b);
    net->now = 110 * COP_NS; /* exactly the timeout: in time */
    cc->at_switch.on_leave(net, 0, 0, &a, net->now);
    net->now = 120 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 0.0);
    /* b raised the signal at 110, heard at 120, in the period from 100 to 150. */
    net->now = 149 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 0.0);
    net->now = 150 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 7.0);
    cc->at_switch.on_leave(net, 0, 0, &b, net->now); /* too late to matter */
    assert_true(cc->shown.counter(net, 0) == 1.0);
    /* A message that was sent until 160 is followed by one from 167 on. */
    cop_pkt sent = {.src = 0, .bytes = 64, .flags = COP_PKT_LAST};
    net->now = 160 * COP_NS - cop_net_inject_time(net, 0, 64);
    cc->at_source.on_send(net, flow, &sent);
    net->now = 160 * COP_NS;
    assert_int_equal(cc->at_source.next_send(net, flow, net->now), 167 * COP_NS);
    net->now = 200 * COP_NS; /* a quiet period */
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 0.0);
    assert_int_equal(cc->at_source.next_send(net, flow, net->now), 160 * COP_NS);
    lab_free(w);
}

/* The ring grows when more comes within a timeout than it holds. */
static void test_many_messages(void **state)
{
    (void)state;
    net_lab *w = lab_build(square, SET("run.duration=4 ms", "cc={kind: smai, timeout: 1 ms}"));
    cop_net *net = &w->net;
    static cop_pkt p[5000];
    for (uint32_t i = 0; i < COP_LEN(p); i++) {
        p[i] = (cop_pkt){.bytes = 64};
        net->now = i * COP_NS;
        net->cc->at_switch.on_enqueue(net, 0, 1, &p[i]);
    }
    net->now = COP_MS;
    for (uint32_t i = 0; i < COP_LEN(p); i++)
        if (i % 100 != 99)
            net->cc->at_switch.on_leave(net, 0, 0, &p[i], net->now);
    net->now = 3 * COP_MS;
    cop_pkt last = {.bytes = 64};
    net->cc->at_switch.on_enqueue(net, 0, 1, &last);
    assert_true(net->cc->shown.counter(net, 0) == 50.0);
    lab_free(w);
}

/* 16 switches x 4 inputs x 3 lanes x 4 messages = 768 buffers; up 1 %: 7, down 4 %: 30; gathers of 10 ns. */
static void test_self_tuned(void **state)
{
    (void)state;
    net_lab *w = lab_build(square, SET("cc={kind: self-tuned, gather: 10 ns, tune: 3}"));
    cop_net *net = &w->net;
    const cop_cc_ops *cc = net->cc;
    void *flow = cop_flow_state(net, cop_flow_of(net, 0, 5, 0));
    cop_pkt p = {.bytes = 64};
    uint32_t exit = cop_topo_exit_port(&w->topo, 3);
    assert_true(cc->shown.counter(net, 1) == 768.0);
    assert_true(cc->shown.counter(net, 0) == 7.0);
    net->now = 5 * COP_NS;
    for (int i = 0; i < 10; i++)
        cc->at_switch.on_enqueue(net, 0, 1, &p);
    net->now = 15 * COP_NS;
    for (int i = 0; i < 4; i++)
        cc->at_switch.on_leave(net, 0, 0, &p, net->now);
    cc->at_switch.on_dequeue(net, exit, &p);
    /* Set out with 10 at 10 and with 6 at 20; at 20 all know the first of them. Before that: 0. */
    net->now = 19 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 1) == 0.0);
    assert_int_equal(cc->at_source.next_send(net, flow, net->now), net->now);
    net->now = 22 * COP_NS; /* 10 at 10 ns, 0 at 0: 22 by now, more than 7; known anew at 30 */
    assert_int_equal(cc->at_source.next_send(net, flow, net->now), 30 * COP_NS);
    net->now = 29 * COP_NS;
    cc->at_switch.on_dequeue(net, exit, &p);
    /* At 30: 6 at 20 ns after 10 at 10 ns: 2 by now. It is tuned by what set out at 20: a delivery,
     * and no packet held: unchanged. */
    net->now = 30 * COP_NS;
    assert_int_equal(cc->at_source.next_send(net, flow, net->now), net->now);
    assert_true(cc->shown.counter(net, 0) == 7.0);
    /* What happened from 20 to 30, another delivery and a message that was held, is known at 40, and counts at 60: 14. */
    for (int i = 0; i < 30; i++)
        cc->at_switch.on_enqueue(net, 0, 1, &p);
    net->now = 59 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 7.0);
    net->now = 60 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 14.0);
    /* 36 at 50 after 36 at 40: held until it is known anew. Nothing was delivered from 30 to 80: at the next tuning back to
     * the best: 7, or the 6 that were in use when it was reached. */
    assert_int_equal(cc->at_source.next_send(net, flow, net->now), 70 * COP_NS);
    net->now = 90 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 6.0);
    /* When the count falls, the line crosses the threshold before the next gather: 36 at 90, 26 at 100: 16 by 110, 6 at 120. */
    net->now = 95 * COP_NS;
    for (int i = 0; i < 10; i++)
        cc->at_switch.on_leave(net, 0, 0, &p, net->now);
    net->now = 111 * COP_NS;
    assert_int_equal(cc->at_source.next_send(net, flow, net->now), 120 * COP_NS);
    /* Three deliveries, known at 130, and what was held at 111: 13. Then none, and no packet held:
     * 13 - 30, so 0. */
    net->now = 115 * COP_NS;
    for (int i = 0; i < 3; i++)
        cc->at_switch.on_dequeue(net, exit, &p);
    net->now = 149 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 6.0);
    net->now = 150 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 13.0);
    net->now = 180 * COP_NS;
    assert_true(cc->shown.flow_value(net, flow, 0, 0) == 0.0);
    lab_free(w);
}

/* What moves the threshold, by hand, for other values of each option. The same events in all cases: 10 messages by 5 ns, 6
 * from 15 ns on, 36 from 31 ns, 26 from 95 ns; deliveries at 15, 29 and, three, at 115 ns; looks of a source at 22, 30, 60, 91
 * and 111 ns, which count as held where they are above the threshold. */
static void test_self_tuned_options(void **state)
{
    (void)state;
    enum { AT = 6 };
    static const cop_time at[AT] = {5, 60, 90, 120, 150, 180};
    static const struct {
        const char *set;
        double want[AT];
    } all[] = {
        {"up: 1 %", {7, 14, 6, 6, 13, 0}}, /* as it is; the rows below differ in one value */
        {"up: 2 %", {15, 30, 6, 6, 21, 0}}, /* where it begins, and its steps */
        {"down: 1 %", {7, 14, 6, 6, 13, 6}}, /* 13 - 7 at 180 */
        {"far: 0 %",
         {7, 14, 0, 7, 14, 0}}, /* never back to the best: 14 - 30 at 90, up by 7 then */
        {"returns: 1", {7, 14, 6, 13, 20, 0}}, /* forgotten at 90: up at 120 */
    };
    for (size_t i = 0; i < COP_LEN(all); i++) {
        char set[100];
        snprintf(set, sizeof(set), "cc={kind: self-tuned, gather: 10 ns, tune: 3, %s}", all[i].set);
        net_lab *w = lab_build(square, SET(set));
        cop_net *net = &w->net;
        const cop_cc_ops *cc = net->cc;
        void *flow = cop_flow_state(net, cop_flow_of(net, 0, 5, 0));
        cop_pkt p = {.bytes = 64};
        uint32_t exit = cop_topo_exit_port(&w->topo, 3);
        size_t k = 0;
        for (cop_time ns = 0; ns <= 180; ns++) {
            net->now = ns * COP_NS;
            if (k < AT && ns == at[k]) {
                double is = cc->shown.flow_value(net, flow, 0, 0);
                if (is != all[i].want[k])
                    fail_msg("%s: %g at %d ns, not %g", all[i].set, is, (int)ns, all[i].want[k]);
                k++;
            }
            for (int n = ns == 5 ? 10 : ns == 31 ? 30 : 0; n > 0; n--)
                cc->at_switch.on_enqueue(net, 0, 1, &p);
            for (int n = ns == 15 ? 4 : ns == 95 ? 10 : 0; n > 0; n--)
                cc->at_switch.on_leave(net, 0, 0, &p, net->now);
            for (int n = ns == 15 || ns == 29 ? 1 : ns == 115 ? 3 : 0; n > 0; n--)
                cc->at_switch.on_dequeue(net, exit, &p);
            if (ns == 22 || ns == 30 || ns == 60 || ns == 91 || ns == 111)
                (void)cc->at_source.next_send(net, flow, net->now);
        }
        assert_int_equal(k, AT);
        lab_free(w);
    }
}

/* -- Fernandez and Garcia: the sink of host 1 takes a message in 64 ns, so the buffers of the switch before it fill -- */

static const char slow[] =
    "run: {duration: 40 us, warmup: 20 us, flows: yes, drain: yes}\n"
    "topology: {kind: chain, hosts: [2, 1]}\n"
    "link: {rate: 32 Gbit/s, delay: 1 ns}\n"
    "switch: {pipeline: 2 ns, header: 4 B, buffer: 256 B}\n"
    "queueing: {kind: 1q}\n"
    "nic: {mtu: 64 B, receive_rate: 8 Gbit/s, buffer: 64 B, control_bytes: 64 B}\n"
    "traffic: [{from: [0], pattern: fixed, to: [2], message: 64 B}]\n";

static void run(const char *yaml, const char *const *set, size_t n, cop_result *r)
{
    cop_err err = {0};
    if (scn_run(yaml, set, n, r, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
}

static void test_one_source(void **state)
{
    (void)state;
    static const char *const notify[] = {"cc.notify=instant", "cc.notify=packets"};
    static const char *const kinds[] = {"cc={kind: fern-1, every: 1, timeout: 512 ns}",
                                        "cc={kind: fern-2}"};
    cop_result none;
    run(slow, SET(), &none);
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (size_t i = 0; i < COP_LEN(notify); i++) {
            cop_result r;
            run(slow, SET(kinds[k], notify[i]), &r);
            double told = scalar(&r, "fern_congestion"), cleared = scalar(&r, "fern_no_congestion");
            assert_true(told > 0);
            /* Only one source is there to blame: it is told, and told that it is over, in turns. */
            assert_true(k == 0 ? cleared == 0 : told == cleared || told == cleared + 1);
            assert_true(scalar(&r, "notifications") == (i == 0 ? 0 : told + cleared));
            assert_true(scalar(&r, "becn") == told + cleared);
            /* The network holds less, and the sink is not idle long: 8 Gbit/s without. */
            assert_true(cop_hist_mean(r.transit) < 0.8 * cop_hist_mean(none.transit));
            assert_true(r.throughput_total_gbps > 0.4 * 8.0);
            cop_result_free(&r);
        }
    cop_result_free(&none);
}

/* Two sources, one sends three times as much: it is the one that is told. Local throttling slows down the host beside the
 * sink instead, which has nothing to do with it. */
static void test_whom_they_tell(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 40 us, warmup: 20 us, flows: yes}\n"
        "topology: {kind: chain, hosts: [2, 1]}\n"
        "link: {rate: 32 Gbit/s, host_rate: 8 Gbit/s, delay: 1 ns}\n"
        "switch: {pipeline: 2 ns, header: 4 B, buffer: 256 B}\n"
        "queueing: {kind: 1q}\n"
        "nic: {mtu: 64 B}\n"
        "traffic:\n"
        "  - {name: much, from: [0], pattern: fixed, to: [2], message: 64 B, arrival: constant, "
        "rate: 7 Gbit/s}\n"
        "  - {name: little, from: [1], pattern: fixed, to: [2], message: 64 B, arrival: constant, "
        "rate: 2 Gbit/s}\n"
        "  - {name: other, from: [2], pattern: fixed, to: [0], message: 64 B, arrival: constant, "
        "rate: 6 Gbit/s}\n";
    static const char *const kinds[] = {"cc={kind: fern-1, every: 1, timeout: 512 ns}",
                                        "cc={kind: fern-local, every: 1, timeout: 512 ns}"};
    for (size_t k = 0; k < COP_LEN(kinds); k++) {
        cop_result r;
        run(yaml, SET(kinds[k]), &r);
        static const char *const names[] = {"becn/much", "becn/little", "becn/other"};
        double becn[3] = {0};
        for (uint32_t i = 0; i < r.n_scalars; i++)
            for (uint32_t s = 0; s < 3; s++)
                if (strcmp(r.scalar[i].name, names[s]) == 0)
                    becn[s] = r.scalar[i].value;
        if (k == 0) {
            assert_true(becn[0] > 2 * becn[1] && becn[2] == 0);
            assert_true(scn_gbps(&r, "other") > 5.9);
        } else {
            assert_true(becn[0] == 0 && becn[1] == 0 && becn[2] > 0);
        }
        cop_result_free(&r);
    }
}

/* A look tells as many sources as lanes are congested, or one (`culprits`). A lane of approach 2 that stays with its culprit
 * among equals (`ties`) changes it less often. */
static void test_how_many_they_tell(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 8 us, seed: 3}\n"
                               "topology: {kind: torus, radix: [4, 4, 4]}\n"
                               "routing: {kind: true-adaptive}\n"
                               "link: {rate: 32 Gbit/s, delay: 1 ns}\n"
                               "switch: {pipeline: 2 ns, header: 4 B, buffer: 192 B, lanes: 2, "
                               "host_lanes: 1}\n"
                               "queueing: {kind: 1q}\n"
                               "nic: {mtu: 64 B}\n"
                               "traffic: [{pattern: bit-reversal, arrival: bernoulli, load: 100 %, "
                               "message: 64 B}]\n";
    cop_result lane, all, recent, kept;
    run(yaml, SET("cc={kind: fern-1, culprits: lane}"), &lane);
    run(yaml, SET("cc={kind: fern-1, culprits: switch}"), &all);
    run(yaml, SET("cc={kind: fern-2, detections: 1, ties: recent}"), &recent);
    run(yaml, SET("cc={kind: fern-2, detections: 1, ties: kept}"), &kept);
    assert_true(scalar(&lane, "fern_congestion") > 0);
    assert_true(scalar(&lane, "fern_congestion") == scalar(&lane, "fern_found"));
    assert_true(scalar(&all, "fern_congestion") > 0);
    assert_true(scalar(&all, "fern_congestion") < scalar(&all, "fern_found"));
    assert_true(scalar(&all, "fern_congestion") <= scalar(&all, "fern_checks"));
    assert_true(scalar(&kept, "fern_congestion") > 0);
    assert_true(scalar(&kept, "fern_congestion") < scalar(&recent, "fern_congestion"));
    /* It stays longer with a culprit that several detections in a row must contradict. */
    cop_result several;
    run(yaml, SET("cc={kind: fern-2}"), &several);
    assert_true(scalar(&several, "fern_congestion") > 0);
    assert_true(scalar(&several, "fern_congestion") < scalar(&kept, "fern_congestion"));
    cop_result_free(&several);
    cop_result_free(&lane);
    cop_result_free(&all);
    cop_result_free(&recent);
    cop_result_free(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_many_messages),
        cmocka_unit_test(test_self_tuned),
        cmocka_unit_test(test_self_tuned_options),
        cmocka_unit_test(test_one_source),
        cmocka_unit_test(test_whom_they_tell),
        cmocka_unit_test(test_how_many_they_tell),
    };
    return cmocka_run_group_tests_name("side band", tests, NULL, NULL);
}
