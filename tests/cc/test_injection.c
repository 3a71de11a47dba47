/* Limits of injection: what a switch admits, in networks small enough to compute by hand, and lane by lane. */
#include "named.h"
#include "net_fixture.h"

#include "cc/cc_all.h"

#include <math.h>
#include <string.h>

#define SET(...)                                                                                   \
    (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL},                                        \
        sizeof((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}) / sizeof(char *) - 1

/* One host sends to another over a trunk of one lane, 64 bytes in 16 ns. If the lane must be empty, a message starts on
 * the trunk when the one before has left the second switch, and that is known: 1 ns wire, 1 ns header, 2 ns pipeline, 16 ns
 * until its tail has gone, 1 ns for the credit: every 21 ns. */
static const char trunk[] = "run: {duration: 42 us, warmup: 21 us}\n"
                            "topology: {kind: chain, hosts: [1, 1]}\n"
                            "link: {rate: 32 Gbit/s, delay: 1 ns}\n"
                            "switch: {pipeline: 2 ns, header: 4 B, buffer: 256 B}\n"
                            "queueing: {kind: 1q}\n"
                            "nic: {mtu: 64 B}\n"
                            "traffic: [{from: [0], pattern: fixed, to: [1], message: 64 B}]\n";

/* Lanes that the trunk does not have are not busy. */
static double trunk_gbps(const char *cc, const char *lanes)
{
    cop_result r;
    cop_err err = {0};
    char kind[100];
    if (scn_run(
            trunk,
            SET(scn_text(kind, sizeof(kind), "cc={kind: %s}", cc), lanes, "switch.trunk_lanes=1"),
            &r, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    double gbps = r.throughput_total_gbps;
    cop_result_free(&r);
    return gbps;
}

static void test_one_at_a_time(void **state)
{
    (void)state;
    const double alone = 512.0 / 21.0, full = 32.0;
    const struct {
        const char *cc;
        double gbps;
    } all[] = {{"none", full},
               {"lopez, limit: 0, free: empty", alone},
               {"lopez, limit: 1, free: empty", full}, /* the only lane may be busy */
               {"alo, free: empty", alone},
               {"alo", full},
               {"u-channels, threshold: 100 %, free: empty", alone},
               {"u-channels, threshold: 1e-4 %, free: empty", alone},
               {"dril, blocked: 99.99 %, free: empty", full}}; /* nothing is ever blocked */
    static const char *const lanes[] = {"switch.lanes=1", "switch.lanes=4"};
    for (size_t i = 0; i < 2 * COP_LEN(all); i++) {
        const char *cc = all[i / 2].cc;
        double gbps = trunk_gbps(cc, lanes[i % 2]);
        if (fabs(gbps - all[i / 2].gbps) > 0.01)
            fail_msg("%s, %s: %.3f, not %.3f", cc, lanes[i % 2], gbps, all[i / 2].gbps);
    }
}

/* With wormhole switching, for which the limits were made, a lane is free when no message holds it. To be empty takes it
 * as long as above: flit for flit 1 ns wire, 1 ns header, 2 ns pipeline, 1 ns until it has gone, 1 ns for its credit. */
static void test_wormhole(void **state)
{
    (void)state;
    static const struct {
        const char *cc;
        double gbps;
    } all[] = {{"lopez, limit: 0", 32.0},
               {"alo", 32.0},
               {"lopez, limit: 0, free: empty", 512.0 / 21.0},
               {"u-channels, threshold: 100 %, free: empty", 512.0 / 21.0}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_result r;
        cop_err err = {0};
        char kind[100];
        if (scn_run(trunk,
                    SET(scn_text(kind, sizeof(kind), "cc={kind: %s}", all[i].cc),
                        "switch.switching=wormhole", "switch.flit=4 B", "switch.buffer=64 B"),
                    &r, &err) != 0)
            fail_msg("%s: %s", all[i].cc, err.text);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        if (fabs(r.throughput_total_gbps - all[i].gbps) > 0.01)
            fail_msg("%s: %.3f, not %.3f", all[i].cc, r.throughput_total_gbps, all[i].gbps);
        cop_result_free(&r);
    }
}

/* A message that is not admitted while another one holds the only lane is asked again when the tail of that has gone, and
 * not only when the first credit has come back over 100 ns of cable: it is as early as without a limit. */
static void test_admitted_at_the_tail(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 10 us, drain: yes}\n"
        "topology: {kind: chain, hosts: [2, 1]}\n"
        "link: {rate: 32 Gbit/s, host_delay: 1 ns, trunk_delay: 100 ns}\n"
        "switch: {switching: wormhole, flit: 4 B, pipeline: 2 ns, header: 4 B, buffer: 4 KiB}\n"
        "queueing: {kind: 1q}\n"
        "nic: {mtu: 64 B}\n"
        "traffic:\n"
        "  - {name: a, from: [0], pattern: fixed, to: [2], messages: 1, message: 64 B}\n"
        "  - {name: b, from: [1], pattern: fixed, to: [2], messages: 1, message: 64 B, start: 4 "
        "ns}\n";
    static const char *const ccs[] = {"cc.kind=none", "cc={kind: lopez, limit: 0}", "cc.kind=alo"};
    for (size_t i = 0; i < COP_LEN(ccs); i++) {
        cop_result r;
        cop_err err = {0};
        if (scn_run(yaml, SET(ccs[i]), &r, &err) != 0)
            fail_msg("%s: %s", ccs[i], err.text);
        assert_int_equal(r.packets_delivered, 2);
        /* a: 3 links, 2 headers and pipelines, its length; b waits for a's tail, 12 ns after it came. */
        assert_true(fabs(r.stream[0].latency_mean_ns - (102.0 + 2 * 3.0 + 16.0)) < 1e-6);
        assert_true(fabs(r.stream[1].latency_mean_ns - (102.0 + 2 * 3.0 + 16.0 + 12.0)) < 1e-6);
        assert_true(i == 0 || scalar(&r, "limit_held") >= 1);
        cop_result_free(&r);
    }
}

/* -- lane by lane: a message from switch 0 of a 4 x 4 torus to (1, 1) may go plus in either dimension, on the adaptive lane 2,
 * and in the first also on its escape lane 1 -- */

static const char square[] = "topology: {kind: torus, radix: [4, 4]}\n"
                             "routing: {kind: adaptive-cube}\n"
                             "switch: {buffer: 256 B, lanes: 3}\n"
                             "queueing: {kind: 1q}\n"
                             "nic: {mtu: 64 B}\n"
                             "traffic: [{from: [0], pattern: fixed, to: [5], message: 64 B}]\n";

static uint32_t out_port(const net_lab *w, uint32_t local)
{
    return cop_topo_switch_port(&w->topo, 0, local);
}

static void fill(net_lab *w, uint32_t local, uint32_t vl, bool full)
{
    cop_section *s = &w->net.out[out_port(w, local)].section[vl];
    s->credit = full ? 0 : s->capacity;
    s->used = full ? s->capacity : 0;
}

/* Answers to all eight cases: bit 0: x on lane 2 is full, bit 1: x on lane 1, bit 2: y on lane 2. */
static uint32_t admitted(const char *cc)
{
    char kind[100];
    net_lab *w = lab_build(square, SET(scn_text(kind, sizeof(kind), "cc={kind: %s}", cc)));
    cop_pkt p = {.src = 0, .dst = 5, .bytes = 64, .mid = COP_NONE};
    uint32_t in = w->topo.port[w->topo.host_port0].to, answers = 0;
    for (uint32_t full = 0; full < 8; full++) {
        fill(w, 0, 2, full & 1);
        fill(w, 0, 1, full & 2);
        fill(w, 2, 2, full & 4);
        answers |= (uint32_t)w->net.cc->at_switch.admit(&w->net, in, &p) << full;
    }
    lab_free(w);
    return answers;
}

#define CASE(full) (1u << (full))

static void test_rules(void **state)
{
    (void)state;
    /* ALO: both channels have a free lane (x full on one lane at most, y free), or one is free as a whole. */
    assert_int_equal(admitted("alo"), CASE(0) | CASE(1) | CASE(2) | CASE(3) | CASE(4));
    /* U-channels: of three lanes, at least two free; at least one; all. */
    assert_int_equal(admitted("u-channels, threshold: 60 %"),
                     CASE(0) | CASE(1) | CASE(2) | CASE(4));
    assert_int_equal(admitted("u-channels, threshold: 33 %"), 0x7f);
    assert_int_equal(admitted("u-channels, threshold: 100 %"), CASE(0));
    /* Lopez: lanes of the node, useful or not; the twelve of this one are all free but those. */
    assert_int_equal(admitted("lopez, limit: 1"), CASE(0) | CASE(1) | CASE(2) | CASE(4));
    assert_int_equal(admitted("lopez, limit: 0"), CASE(0));
    assert_int_equal(admitted("lopez, limit: 2"), 0x7f);
    assert_int_equal(admitted("dril"), 0xff); /* no limit to begin with */
}

/* DRIL, our rule: 16 messages of which 5 find no room take one lane of twelve away, 16 of which 4 do give it back. */
static void test_dril(void **state)
{
    (void)state;
    net_lab *w = lab_build(square, SET("cc={kind: dril}"));
    cop_pkt p = {.src = 0, .dst = 5, .bytes = 64, .mid = COP_NONE, .out = 0, .out_vl = 2};
    uint32_t in = w->topo.port[w->topo.host_port0].to, lanes = 12;
    for (uint32_t cut = 0; cut <= 14; cut++) {
        for (uint32_t busy = 0; busy <= lanes; busy++) {
            for (uint32_t i = 0; i < lanes; i++)
                fill(w, i / 3, i % 3, i < busy);
            bool want = busy + (cut < lanes ? cut : lanes) <= lanes;
            assert_int_equal(w->net.cc->at_switch.admit(&w->net, in, &p), want);
        }
        for (uint32_t i = 0; i < 16; i++) {
            fill(w, 0, 2, i < 5);
            w->net.cc->at_switch.on_route(&w->net, in, &p);
        }
    }
    for (uint32_t i = 0; i < 16; i++) {
        fill(w, 0, 2, i < 4);
        w->net.cc->at_switch.on_route(&w->net, in, &p);
    }
    for (uint32_t i = 0; i < lanes; i++)
        fill(w, i / 3, i % 3, i < 2);
    assert_false(w->net.cc->at_switch.admit(&w->net, in, &p));
    fill(w, 0, 1, false);
    assert_true(w->net.cc->at_switch.admit(&w->net, in, &p)); /* one busy, one allowed */
    lab_free(w);
}

/* `window`: so many messages without room take a lane away, fewer do not. */
static void test_dril_window(void **state)
{
    (void)state;
    net_lab *w = lab_build(square, SET("cc={kind: dril, window: 5}"));
    cop_pkt p = {.src = 0, .dst = 5, .bytes = 64, .mid = COP_NONE, .out = 0, .out_vl = 2};
    uint32_t in = w->topo.port[w->topo.host_port0].to;
    for (uint32_t i = 0; i < 12; i++) /* all lanes are busy: what is admitted tells the limit */
        fill(w, i / 3, i % 3, true);
    for (uint32_t i = 1; i <= 10; i++) {
        assert_int_equal(w->net.cc->at_switch.admit(&w->net, in, &p), i <= 5);
        w->net.cc->at_switch.on_route(&w->net, in, &p);
    }
    fill(w, 0, 0, false); /* two were taken away */
    assert_false(w->net.cc->at_switch.admit(&w->net, in, &p));
    fill(w, 0, 1, false);
    assert_true(w->net.cc->at_switch.admit(&w->net, in, &p));
    lab_free(w);
}

/* Everything that is held goes in the end, and nothing is lost, whatever limits, machine and flow control. */
static void test_drains(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 20 us, drain: yes, flows: yes}\n"
        "topology: {kind: torus, radix: [4, 4], hosts: 2}\n"
        "routing: {kind: adaptive-cube}\n"
        "link: {rate: 32 Gbit/s, delay: 5 ns}\n"
        "switch: {buffer: 4 KiB, lanes: 3, pipeline: 3 ns}\n"
        "nic: {mtu: 256 B, ack: message, control_bytes: 64 B}\n"
        "traffic: [{pattern: uniform, arrival: poisson, load: 90 %, message: 700 B}]\n";
    static const char *const ccs[] = {"lopez, limit: 0, free: empty", "lopez, limit: 2", "dril",
                                      "alo, free: empty",
                                      "u-channels, threshold: 100 %, free: empty"};
    static const char *const machines[] = {
        "switch.architecture=ib", "switch.architecture=iq",     "switch.architecture=cioq",
        "flow_control.kind=ib",   "flow_control.kind=ack-nack", "routing.kind=dor",
        "queueing.kind=voqsw",    "switch.switching=wormhole"};
    for (size_t i = 0; i < COP_LEN(ccs); i++)
        for (size_t k = 0; k < COP_LEN(machines); k++) {
            cop_result r;
            cop_err err = {0};
            char kind[100];
            const char *q =
                strstr(machines[k], "routing") || strstr(machines[k], "queue") ? "voqsw" : "1q";
            char queue[40];
            if (scn_run(yaml,
                        SET(scn_text(queue, sizeof(queue), "queueing.kind=%s", q),
                            scn_text(kind, sizeof(kind), "cc={kind: %s}", ccs[i]), machines[k]),
                        &r, &err) != 0)
                fail_msg("%s, %s: %s", ccs[i], machines[k], err.text);
            if (r.outcome != COP_OUTCOME_OK || r.packets_delivered != r.packets_injected)
                fail_msg("%s, %s: outcome %d", ccs[i], machines[k], (int)r.outcome);
            assert_true(scalar(&r, "limit_asked") > 1000);
            cop_result_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test(test_wormhole),
        cmocka_unit_test(test_admitted_at_the_tail),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_dril),
        cmocka_unit_test(test_dril_window),
        cmocka_unit_test(test_drains),
    };
    return cmocka_run_group_tests_name("injection", tests, NULL, NULL);
}
