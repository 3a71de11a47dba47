/* InfiniBand congestion control in a network that stands still: what a run starts with, option by option, and
 * what each hook does to the lane, input or flow it is called for, and to no other. */
#include "net_fixture.h"

#include "cc/ibcc.h"

#include <string.h>

/* Hosts 0 to 2 at switch 0, 3 and 4 at switch 1. Ports of a switch: hosts first, then the trunk. */
static const char yaml[] =
    "run: {duration: 1 us, seed: 7}\n"
    "topology: {kind: chain, hosts: [3, 2]}\n"
    "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
    "switch: {buffer: 32000 B, lanes: 3}\n"
    "nic: {mtu: 1000 B, overhead: 0 B}\n"
    "cc: {kind: ibcc, preset: testbed, threshold_bytes: 4000 B, hysteresis: 1000 B,"
    " marking_rate: 0, packet_size: 0}\n"
    "traffic: [{from: [0], pattern: fixed, to: 1}]\n";
#define SET(...)                                                                                   \
    ((const char *const[]){__VA_ARGS__}),                                                          \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static ibcc_run *run_of(net_lab *w)
{
    return cop_net_cc_net(&w->net);
}

static uint32_t port(const net_lab *w, uint32_t sw, uint32_t local)
{
    return cop_topo_switch_port(&w->topo, sw, local);
}

static void options_of_a_run(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        int evaluate, marking, delay_from;
        unsigned answer;
        bool phases, restart;
        uint32_t multiplier, shift;
    } all[] = {
        {"cc.marking=random", IBCC_OUTPUT, IBCC_RANDOM, IBCC_FROM_END, COP_PKT_CNP, 1, 0, 0, 0},
        {"cc.marking=counted", IBCC_OUTPUT, IBCC_COUNTED, IBCC_FROM_END, COP_PKT_CNP, 1, 0, 0, 0},
        {"cc.evaluate=voq", IBCC_VOQ, IBCC_RANDOM, IBCC_FROM_END, COP_PKT_CNP, 1, 0, 0, 0},
        {"cc.evaluate=contributors", IBCC_CONTRIBUTORS, IBCC_RANDOM, IBCC_FROM_END, COP_PKT_CNP, 1,
         0, 0, 0},
        {"cc.delay_from=start", IBCC_OUTPUT, IBCC_RANDOM, IBCC_FROM_START, COP_PKT_CNP, 1, 0, 0, 0},
        {"cc.becn=ack", IBCC_OUTPUT, IBCC_RANDOM, IBCC_FROM_END, COP_PKT_ACK, 1, 0, 0, 0},
        {"cc.timer_phase=no", IBCC_OUTPUT, IBCC_RANDOM, IBCC_FROM_END, COP_PKT_CNP, 0, 0, 0, 0},
        {"cc.timer=restart", IBCC_OUTPUT, IBCC_RANDOM, IBCC_FROM_END, COP_PKT_CNP, 1, 1, 0, 0},
        {"cc.cs_return_delay='3:16383'", IBCC_OUTPUT, IBCC_RANDOM, IBCC_FROM_END, COP_PKT_CNP, 1, 0,
         16383, 3},
    };
    for (size_t i = 0; i < COP_LEN(all); i++) {
        net_lab *w = lab_build(yaml, &all[i].set, 1);
        const ibcc_run *run = run_of(w);
        assert_int_equal(run->par.evaluate, all[i].evaluate);
        assert_int_equal(run->marking, all[i].marking);
        assert_int_equal(run->delay_from, all[i].delay_from);
        assert_int_equal(run->answer, all[i].answer | COP_PKT_BECN);
        assert_int_equal(run->par.restart, all[i].restart);
        assert_int_equal(run->return_delay.multiplier, all[i].multiplier);
        assert_int_equal(run->return_delay.shift, all[i].shift);
        assert_int_equal(run->lanes, 3);
        assert_int_equal(run->seed, 7);
        assert_int_equal(run->par.period_ps, 150 * COP_US);
        assert_null(run->input);
        assert_true(run->triggers + run->starved + run->notified == 0);
        /* Timers of hosts tick at different times, all of them within a period; or all at once. */
        for (uint32_t h = 0; h < 5; h++) {
            assert_true(ibcc_phase(run, h, 0) < run->par.period_ps);
            assert_int_equal(ibcc_phase(run, h, 0) > 0, all[i].phases);
            for (uint32_t k = 0; k < h && all[i].phases; k++)
                assert_int_not_equal(ibcc_phase(run, h, 0), ibcc_phase(run, k, 0));
        }
        lab_free(w);
    }
}

/* A table of times, or of ratios; other entries than the default, and what is not listed. */
static void tables_of_a_run(void **state)
{
    (void)state;
    net_lab *w = lab_build(yaml, SET("cc.cct_entries=200", "cc.cct_delay=10 us", "cc.cct_index=10",
                                     "cc.cct_shape=linear", "cc.cct_scale=no"));
    const ibcc_cct *t = &run_of(w)->cct;
    assert_true(t->n == 200 && t->mtu_bytes == 1000 && !t->scale && t->ratio == NULL);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(t->time[i], i * COP_US);
    assert_int_equal(ibcc_cct_delay(t, 199, 1), 199 * COP_US);
    assert_int_equal(ibcc_cct_delay(t, 200, 1), 199 * COP_US);
    lab_free(w);
    w = lab_build(yaml, SET("cc.cct_encoded='0:0, 1:3, 2:9'"));
    t = &run_of(w)->cct;
    assert_true(t->n == 128 && t->time == NULL && t->scale);
    assert_true(t->ratio[0].multiplier == 0 && t->ratio[1].multiplier == 3 &&
                t->ratio[1].shift == 1);
    for (uint32_t i = 2; i < 128; i++)
        assert_true(t->ratio[i].multiplier == 9 && t->ratio[i].shift == 2);
    lab_free(w);
    w = lab_build(yaml, SET("cc.cct_times=[0 ns, 3 ns, 8 ns]"));
    t = &run_of(w)->cct;
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(t->time[i], (i == 0 ? 0 : i == 1 ? 3 : 8) * COP_NS);
    lab_free(w);
}

/* The fill that counts as 100 % is the buffer's size; it has 32 bits. */
static void references(void **state)
{
    (void)state;
    cop_arena arena = {0};
    ibcc_cfg cfg = {0};
    cop_opt_defaults(ibcc_opts, &cfg, &arena);
    cfg.preset = IBCC_PFISTER;
    static const uint64_t sizes[] = {UINT32_MAX - 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        cop_err err = {0};
        cop_netinfo info = {.n_hosts = 4, .mtu_bytes = 2048, .buffer_bytes = sizes[i], .lanes = 1};
        assert_int_equal(ibcc_check(&cfg, &info, &err), i == 0 ? 0 : -COP_E_INPUT);
        if (i > 0)
            assert_non_null(strstr(err.text, "reference is too large"));
        info.buffer_bytes = 1000;
        assert_int_equal(ibcc_check(&cfg, &info, &err), 0);
        cfg.threshold_reference = sizes[i];
        assert_int_equal(ibcc_check(&cfg, &info, &err), i == 0 ? 0 : -COP_E_INPUT);
        cfg.threshold_reference = 0;
    }
    cop_arena_free(&arena);
}

/* Bytes count at the lane of the output, and at that of the input if it can be starved. */
static void fill_of_one_lane(void **state)
{
    (void)state;
    static const char *const starve[] = {"cc.cs_threshold=12"};
    for (size_t starved = 0; starved < 2; starved++)
        for (uint32_t vl = 0; vl < 3; vl++) {
            net_lab *w = lab_build(yaml, starve, starved);
            ibcc_run *run = run_of(w);
            uint32_t in = port(w, 1, 2), out = port(w, 1, 1), all = w->topo.host_port0 * 3;
            const cop_pkt by = {.bytes = 1000, .out_vl = (uint8_t)vl};
            ibcc_on_fill(&w->net, in, out, 0, 4000, &by);
            assert_int_equal(run->input != NULL, starved);
            for (uint32_t i = 0; i < all; i++) {
                assert_int_equal(run->lane[i].sum, i == out * 3 + vl ? 4000 : 0);
                assert_false(run->lane[i].congested);
                if (starved)
                    assert_int_equal(run->input[i].bytes, i == in * 3 + vl ? 4000 : 0);
            }
            ibcc_on_fill(&w->net, in, out, 4000, 4001, &by);
            for (uint32_t i = 0; i < all; i++)
                assert_int_equal(run->lane[i].congested, i == out * 3 + vl);
            assert_true(w->net.cc->shown.port_value(&w->net, out, vl, 0) == 1.0);
            assert_true(w->net.cc->shown.port_value(&w->net, out, vl, 1) == 4001.0);
            assert_true(w->net.cc->shown.port_value(&w->net, out, (vl + 1) % 3, 0) == 0.0);
            assert_true(w->net.cc->shown.port_value(&w->net, out, (vl + 1) % 3, 1) == 0.0);
            /* Packets that leave by it are marked, those of other lanes and ports are not. */
            for (uint32_t p = 0; p < w->topo.host_port0; p++)
                for (uint32_t lane = 0; lane < 3; lane++) {
                    cop_pkt pkt = {.bytes = 1000, .out_vl = (uint8_t)lane};
                    ibcc_on_dequeue(&w->net, p, &pkt);
                    assert_int_equal(pkt.flags, p == out && lane == vl ? COP_PKT_FECN : 0);
                }
            ibcc_on_fill(&w->net, in, out, 4001, 3000, &by);
            assert_false(run->lane[out * 3 + vl].congested);
            lab_free(w);
        }
}

/* A credit is held back by what its own input and lane hold, and waits for those before it there. 1000 bytes take
 * 1 us, and credits of a starved lane are three of that apart. */
static void credits_of_one_lane(void **state)
{
    (void)state;
    net_lab *w = lab_build(yaml, SET("cc.cs_threshold=12", "cc.cs_return_delay='0:3'"));
    ibcc_run *run = run_of(w);
    uint32_t in = port(w, 0, 1), all = w->topo.host_port0 * 3; /* 8000 bytes starve it */
    for (uint32_t vl = 0; vl < 3; vl++) {
        for (uint32_t i = 0; i < all; i++)
            run->input[i].bytes = i == in * 3 + vl ? 8001 : 8000;
        uint64_t before = run->starved;
        cop_time t = (100 + vl) * COP_US, last = run->input[in * 3 + vl].last;
        assert_int_equal(last, 0);
        assert_int_equal(ibcc_credit_time(&w->net, in, vl, 1000, t), t);
        assert_int_equal(ibcc_credit_time(&w->net, in, vl, 1000, t), t + 3 * COP_US);
        assert_int_equal(run->starved, before + 2);
        for (uint32_t p = 0; p < w->topo.host_port0; p++) /* all others at once */
            for (uint32_t lane = 0; lane < 3; lane++)
                if (p != in)
                    assert_int_equal(ibcc_credit_time(&w->net, p, lane, 1000, t), t);
        assert_int_equal(run->starved, before + 2);
        assert_int_equal(run->input[in * 3 + vl].last, t + 3 * COP_US);
    }
    lab_free(w);
}

/* Without credit a port is a victim, and only its mask lets it enter: here ports that face hosts. */
static void roots_and_victims(void **state)
{
    (void)state;
    net_lab *w = lab_build(yaml, NULL, 0);
    uint32_t trunk = port(w, 0, 3), host = port(w, 0, 1), ports[] = {trunk, host};
    for (uint32_t credit = 0; credit < 2; credit++)
        for (size_t i = 0; i < 2; i++) {
            ibcc_lane *l = &run_of(w)->lane[ports[i] * 3 + 1];
            l->congested = 0;
            l->sum = 0;
            /* A packet of 1000 bytes needs 16 blocks. */
            w->net.out[ports[i]].section[1].credit = credit ? 16 : 15;
            const cop_pkt by = {.bytes = 1000, .out_vl = 1};
            ibcc_on_fill(&w->net, port(w, 0, 0), ports[i], 0, 5000, &by);
            assert_int_equal(l->congested, credit || ports[i] == host);
        }
    lab_free(w);
}

static uint16_t answer_to(net_lab *w, uint16_t flags)
{
    cop_pkt p = {.bytes = 1000, .flags = flags};
    return w->net.cc->at_destination.on_deliver(&w->net, 1, &p);
}

static void answers(void **state)
{
    (void)state;
    net_lab *w = lab_build(yaml, NULL, 0);
    assert_int_equal(answer_to(w, 0), 0);
    assert_int_equal(answer_to(w, COP_PKT_FECN), COP_PKT_CNP | COP_PKT_BECN);
    assert_int_equal(answer_to(w, COP_PKT_BECN), 0);
    assert_int_equal(answer_to(w, COP_PKT_FECN | COP_PKT_BECN), 0);
    lab_free(w);
}

/* A flow of host 1, whose timer ticks at a time of its own. 1000 bytes take 1 us. */
static void a_flow(void **state)
{
    (void)state;
    net_lab *w = lab_build(yaml, SET("cc.cct_delay=10 us", "cc.cct_index=10", "cc.cct_shape=linear",
                                     "cc.ccti_increase=2", "cc.ccti_timer=100 us",
                                     "cc.trigger_threshold=3"));
    ibcc_run *run = run_of(w);
    const cop_cc_ops *cc = w->net.cc;
    ibcc_flow f = {0};
    cop_pkt data = {.src = 1, .dst = 3, .bytes = 1000};
    cop_pkt told = {.src = 3, .dst = 1, .flags = COP_PKT_CNP | COP_PKT_BECN};
    cop_time tick = 100 * COP_US - ibcc_phase(run, 1, 0); /* the first one */
    assert_true(tick > 10 * COP_US);
    w->net.now = tick - 9 * COP_US;
    ibcc_on_send(&w->net, &f, &data);
    assert_int_equal(ibcc_next_send(&w->net, &f, 0), 0); /* nothing holds it */
    told.flags = COP_PKT_ACK;
    ibcc_on_control(&w->net, &f, &told);
    assert_int_equal(f.becns, 0);
    told.flags = COP_PKT_ACK | COP_PKT_BECN;
    ibcc_on_control(&w->net, &f, &told);
    assert_true(f.becns == 1 && run->notified == 1 && run->triggers == 0);
    ibcc_on_send(&w->net, &f, &data); /* 2 us after its end */
    assert_int_equal(ibcc_next_send(&w->net, &f, w->net.now), w->net.now + COP_US + 2 * COP_US);
    data.bytes = 500;
    ibcc_on_send(&w->net, &f, &data);
    assert_int_equal(ibcc_next_send(&w->net, &f, w->net.now), w->net.now + COP_US / 2 + COP_US);
    static const double want[] = {2, 2000, 1000 * 8.0 / 3000, 1};
    for (unsigned i = 0; i < 4; i++)
        assert_true(cc->shown.flow_value(&w->net, &f, 1, i) == want[i]);
    w->net.now = tick;
    assert_true(cc->shown.flow_value(&w->net, &f, 1, 0) == 1.0);
    ibcc_on_control(&w->net, &f, &told); /* 3 */
    assert_true(f.becns == 2 && run->notified == 1 && run->triggers == 1);
    assert_true(cc->shown.counter(&w->net, 0) == 1.0 && cc->shown.counter(&w->net, 1) == 0.0 &&
                cc->shown.counter(&w->net, 2) == 1.0);
    run->delay_from = IBCC_FROM_START;
    data.bytes = 1000;
    ibcc_on_send(&w->net, &f, &data);
    assert_int_equal(ibcc_next_send(&w->net, &f, tick), tick + 3 * COP_US);
    assert_true(cc->shown.flow_value(&w->net, &f, 1, 2) == 1000 * 8.0 / 3000);
    w->net.now = tick + 300 * COP_US; /* nothing is left of it */
    assert_true(cc->shown.flow_value(&w->net, &f, 1, 0) == 0.0);
    assert_true(cc->shown.flow_value(&w->net, &f, 1, 2) == 8.0); /* as fast as the link */
    ibcc_on_send(&w->net, &f, &data);
    assert_int_equal(ibcc_next_send(&w->net, &f, w->net.now), w->net.now);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_a_run),
        cmocka_unit_test(references),
        cmocka_unit_test(credits_of_one_lane),
        cmocka_unit_test(tables_of_a_run),
        cmocka_unit_test(fill_of_one_lane),
        cmocka_unit_test(roots_and_victims),
        cmocka_unit_test(answers),
        cmocka_unit_test(a_flow),
    };
    return cmocka_run_group_tests_name("ibcc_hooks", tests, NULL, NULL);
}
