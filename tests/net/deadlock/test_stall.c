/* The deadlock watch: finds a deadlock soon although others go on, counts and names the ports of its
 * cycle, and costs no more than what has moved pays for, however deep the queues and short the
 * samples are. That every kind of switch and queue can be caught in one: test_scenarios_fixed.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/deadlock/deadlock.h"
#include "net/flow/flow.h"
#include "net/switch/switch.h"
#include "net_fixture.h"
#include "scenario.h"

/* -- what a deadlock looks like -- */

/* Seven hosts of a ring send three hops on in one direction and cannot all get in; two hosts of the same
 * switch have nothing to do with it and never stop. */
static const char ring[] = "run: {duration: 20 ms, sample: 1 us, allow_deadlock: yes}\n"
                           "topology: {kind: torus, radix: [7], hosts: 2}\n"
                           "routing: {kind: dor, datelines: no}\n"
                           "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                           "switch: {buffer: 2 KiB}\n"
                           "traffic:\n"
                           "  - {from: [0], pattern: fixed, to: 6}\n"
                           "  - {from: [2], pattern: fixed, to: 8}\n"
                           "  - {from: [4], pattern: fixed, to: 10}\n"
                           "  - {from: [6], pattern: fixed, to: 12}\n"
                           "  - {from: [8], pattern: fixed, to: 0}\n"
                           "  - {from: [10], pattern: fixed, to: 2}\n"
                           "  - {from: [12], pattern: fixed, to: 4}\n"
                           "  - {name: beside, from: [1], pattern: fixed, to: 0}\n";

static uint32_t times(const char *text, const char *word)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        n++;
    return n;
}

static void test_found_while_others_go_on(void **state)
{
    (void)state;
    static const char *const samples[] = {"run.sample=100 ns", "run.sample=1 us",
                                          "run.sample=50 us"};
    for (size_t i = 0; i < COP_LEN(samples); i++) {
        cop_result r;
        scn_run(ring, &samples[i], 1, &r, NULL);
        assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
        /* At once: what has moved so far pays for the look. */
        assert_true(r.sim_time < 150 * COP_US);
        /* Every link of the ring, in order, then the first again. Also stuck: who wants to get in. */
        assert_int_equal(times(r.detail, "/vl0 "), 7);
        assert_non_null(strstr(r.detail, "(again)"));
        assert_non_null(strstr(r.detail, " 14 blocked channels"));
        cop_result_free(&r);
    }
}

/* The same knot on the second lane alone: hosts with odd numbers are reached on it. */
static void test_found_on_another_lane(void **state)
{
    (void)state;
    static const char lane_1[] = "run: {duration: 2 ms, sample: 1 us, allow_deadlock: yes}\n"
                                 "topology: {kind: torus, radix: [7], hosts: 2}\n"
                                 "routing: {kind: minhop}\n"
                                 "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                                 "switch: {buffer: 2 KiB, lanes: 2}\n"
                                 "queueing: {kind: vftree, lanes: 2}\n"
                                 "traffic:\n"
                                 "  - {from: [0], pattern: fixed, to: 7}\n"
                                 "  - {from: [2], pattern: fixed, to: 9}\n"
                                 "  - {from: [4], pattern: fixed, to: 11}\n"
                                 "  - {from: [6], pattern: fixed, to: 13}\n"
                                 "  - {from: [8], pattern: fixed, to: 1}\n"
                                 "  - {from: [10], pattern: fixed, to: 3}\n"
                                 "  - {from: [12], pattern: fixed, to: 5}\n";
    cop_result r;
    scn_run(lane_1, NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
    assert_true(r.sim_time < 50 * COP_US);
    assert_int_equal(times(r.detail, "/vl1 "), 7);
    assert_int_equal(times(r.detail, "/vl0 "), 0);
    cop_result_free(&r);
}

/* -- what it costs -- */

typedef struct account {
    const cop_net *net;
    uint64_t looks, before, dearest; /* looks so far; visits until the last sample; of one look */
} account;

static void remember(struct cop_net *net)
{
    union {
        const void *in;
        account *out;
    } u = {.in = cop_net_cc_cfg(net)};
    u.out->net = net;
}

static const cop_cc_ops noting = {.name = "noting", .start = remember};

static bool at_sample(void *ctx, cop_time now, cop_time end, uint64_t hops)
{
    account *a = ctx;
    (void)now, (void)end, (void)hops;
    uint64_t visits = cop_stall_visits(a->net);
    a->looks += visits > a->before;
    a->dearest = cop_max64(a->dearest, visits - a->before);
    a->before = visits;
    assert_true(visits <= cop_stall_allowance(a->net) + a->dearest);
    return false;
}

/* A torus with buffers for 4,096 packets, all of them full or filling up, and a sample every 100 ns. */
static const char deep[] = "run: {duration: 400 us, sample: 100 ns}\n"
                           "topology: {kind: torus, radix: [4, 4], hosts: 1}\n"
                           "routing: {kind: dor}\n"
                           "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                           "switch: {buffer: 256 KiB, lanes: 2}\n"
                           "nic: {mtu: 64 B}\n"
                           "traffic:\n"
                           "  - {name: hot, from: all, pattern: all-to-one, to: 0}\n"
                           "  - {name: all, from: all, pattern: uniform}\n";

static void spend(const char *set, account *a, cop_result *r)
{
    cop_config c;
    cop_err err = {0};
    cop_override o = {.text = set};
    assert_int_equal(cop_config_load(&c, "test.yaml", deep, &o, 1, &err), 0);
    c.cc = &noting;
    c.cc_cfg = a;
    cop_run_hooks hooks = {.progress = at_sample, .progress_ctx = a};
    assert_int_equal(cop_run(&c, &hooks, r, &err), 0);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
    cop_config_free(&c);
}

/* Each switch of a line waits for the next, against the order in which a look meets them. Its cost
 * grows with the network, not with the square of it. */
static void test_a_look_is_linear(void **state)
{
    (void)state;
    static const char line[] = "run: {duration: 300 us, sample: 5 us, allow_deadlock: yes}\n"
                               "topology: {kind: mesh, radix: [2000]}\n"
                               "switch: {buffer: 5 KiB}\n"
                               "traffic: [{pattern: all-to-one, to: 1999}]\n";
    cop_config c;
    cop_result r;
    cop_err err = {0};
    account a = {0};
    assert_int_equal(cop_config_load(&c, "test.yaml", line, NULL, 0, &err), 0);
    c.cc = &noting;
    c.cc_cfg = &a;
    cop_run_hooks hooks = {.progress = at_sample, .progress_ctx = &a};
    assert_int_equal(cop_run(&c, &hooks, &r, &err), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    /* 8000 ports; and for each of the 3990 or so that stand still three queues behind it, a packet of the one
     * that is not empty, what it waits for, noted and told, and what it leaves for whom. A few until the first one is found. */
    assert_in_range(a.dearest, 8000 + 8 * 3900, 8000 + 8 * 4000 + 100);
    cop_result_free(&r);
    cop_config_free(&c);
}

/* When no event is left nothing will ever pay, so the look comes for nothing. */
/* Two lanes: on one of them the ring is closed, on the other one packets go on over the same wires for ever. */
static void test_found_on_one_lane(void **state)
{
    (void)state;
    static const char two[] = "run: {duration: 3 ms, allow_deadlock: yes}\n"
                              "topology: {kind: torus, radix: [7], hosts: 2}\n"
                              "routing: {kind: dor, datelines: no}\n"
                              "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                              "switch: {buffer: 4 KiB, lanes: 2}\n"
                              "queueing: {kind: 1q}\n"
                              "traffic:\n"
                              "  - {from: [0], pattern: fixed, to: 6}\n"
                              "  - {from: [2], pattern: fixed, to: 8}\n"
                              "  - {from: [4], pattern: fixed, to: 10}\n"
                              "  - {from: [6], pattern: fixed, to: 12}\n"
                              "  - {from: [8], pattern: fixed, to: 0}\n"
                              "  - {from: [10], pattern: fixed, to: 2}\n"
                              "  - {from: [12], pattern: fixed, to: 4}\n";
    static const char *const samples[] = {"run.sample=100 ns", "run.sample=3 us",
                                          "run.sample=25 us", "run.sample=3 ms"};
    for (size_t i = 0; i < COP_LEN(samples); i++) {
        cop_result r;
        scn_run(two, &samples[i], 1, &r, NULL);
        assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
        assert_int_equal(times(r.detail, "/vl1 "), 7);
        assert_int_equal(times(r.detail, "/vl0 "), 0);
        cop_result_free(&r);
    }
}

static void test_found_when_nothing_moves(void **state)
{
    (void)state;
    static const char knot[] = "run: {duration: 10 ms, sample: 2 us, seed: 720,"
                               " allow_deadlock: yes}\n"
                               "topology: {kind: torus, radix: [4], hosts: 2}\n"
                               "routing: {kind: dor, datelines: no, ties: plus, lanes: 1}\n"
                               "switch: {architecture: iq, buffer: 16 KiB,"
                               " switching: store-and-forward, lanes: 8}\n"
                               "queueing: {kind: recn}\n"
                               "flow_control: {kind: on-off}\n"
                               "traffic: [{name: e, pattern: uniform}]\n";
    static const char *const drain[] = {"run.drain=no", "run.drain=yes"};
    for (size_t i = 0; i < COP_LEN(drain); i++) {
        cop_result r;
        scn_run(knot, &drain[i], 1, &r, NULL);
        assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
        assert_true(r.sim_time < 100 * COP_US);
        cop_result_free(&r);
    }
}

/* -- output buffers -- */

#define RING 3u

/* The port of switch s that leads to the next one. */
static uint32_t onward(const net_lab *w, uint32_t s)
{
    return cop_topo_switch_port(&w->topo, s, w->net.lft[s * RING + (s + 1) % RING]);
}

/* A packet from the switch before, for the host of the next switch, has come to each switch of the
 * ring, and waits for the crossbar. */
static void one_more(net_lab *w)
{
    cop_net *net = &w->net;
    net->now += 10 * COP_US;
    for (uint32_t s = 0; s < RING; s++) {
        uint32_t h = cop_pkt_new(net), in = net->out[onward(w, (s + RING - 1) % RING)].to;
        net->pkt[h] = (cop_pkt){
            .bytes = 2048, .src = (s + RING - 1) % RING, .dst = (s + 1) % RING, .mid = COP_NONE};
        cop_input_receive(net, in, h);
    }
}

/* Each crossbar takes what it can; the buffers behind the wires are full, and nothing comes back. */
static void cross(net_lab *w)
{
    cop_net *net = &w->net;
    for (uint32_t s = 0; s < RING; s++)
        net->arch->arbitrate(net, net->arch->matched ? s : onward(w, s));
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        net->out[p].ring.at = net->out[p].ring.end;
}

/* A head whose output buffer has room waits for the crossbar, not for ever, although every wire of the
 * ring is stuck. */
static void test_room_before_a_stuck_wire(void **state)
{
    (void)state;
    static const char *const sets[][1] = {{"switch.architecture=cioq"}, {"switch.architecture=ib"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        net_lab *w = lab_build("run: {duration: 1 ms, sample: 1 ms, allow_deadlock: yes}\n"
                               "topology: {kind: torus, radix: [3]}\n"
                               "routing: {kind: dor, datelines: no}\n"
                               "switch: {buffer: 16 KiB, output_buffer: 4 KiB}\n"
                               "traffic: [{from: [0], pattern: fixed, to: 1, start: 900 us}]\n",
                               sets[i], 1);
        for (uint32_t s = 0; s < RING; s++) {
            cop_section *sec = &w->net.out[onward(w, s)].section[0];
            sec->credit = 0;
            sec->used = sec->capacity;
        }
        for (uint32_t packets = 1; packets <= 3; packets++) {
            one_more(w);
            assert_int_equal(cop_stall_final(&w->net), packets == 3); /* two have room */
            cross(w);
        }
        lab_free(w);
    }
}

static void test_what_moved_pays(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing.kind=1q", "queueing.kind=voqsw",
                                        "queueing.kind=voqnet", "queueing.kind=hfdi"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        account a = {0};
        cop_result r;
        spend(kinds[i], &a, &r);
        assert_true(a.looks > 100); /* it does look */
        /* A sampled port and a hop pay as stall.c says: 16 hosts and 16 switches of 5 ports. */
        assert_true(a.before <= 3 * r.packet_hops + 4000 * 80 / 20 + a.dearest);
        cop_result_free(&r);
    }
}

/* Looking changes nothing: the same run with few samples. */
static void test_looking_changes_nothing(void **state)
{
    (void)state;
    account a = {0}, b = {0};
    cop_result often, seldom;
    spend("queueing.kind=voqsw", &a, &often);
    spend("run.sample=100 us", &b, &seldom);
    assert_int_equal(often.run_hash, seldom.run_hash);
    assert_true(a.looks > b.looks);
    cop_result_free(&often);
    cop_result_free(&seldom);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_found_while_others_go_on),
                                       cmocka_unit_test(test_found_on_another_lane),
                                       cmocka_unit_test(test_found_on_one_lane),
                                       cmocka_unit_test(test_found_when_nothing_moves),
                                       cmocka_unit_test(test_room_before_a_stuck_wire),
                                       cmocka_unit_test(test_a_look_is_linear),
                                       cmocka_unit_test(test_what_moved_pays),
                                       cmocka_unit_test(test_looking_changes_nothing)};
    return cmocka_run_group_tests_name("stall", tests, NULL, NULL);
}
