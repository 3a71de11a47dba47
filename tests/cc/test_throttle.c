/* Throttling by marks (ith, ib-ith, ccfit, ecocc): timer, table, and what can be observed of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cc/cc_list.h"
#include "cc/throttle.h"
#include "named.h"
#include "net/net.h"
#include "net_fixture.h"
#include "scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void near(double value, double expected, double share)
{
    if (value < expected * (1.0 - share) || value > expected * (1.0 + share))
        print_error("%g, expected %g\n", value, expected);
    assert_true(value >= expected * (1.0 - share) && value <= expected * (1.0 + share));
}

static void run_ok(const char *yaml, const char *const *set, size_t n, cop_result *r)
{
    scn_run(yaml, set, n, r, NULL);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
    assert_int_equal(r->packets_lost, 0);
}

/* -- timer -- */

/* A flow of host 0 without a network, and the values of Paper V that its end node goes by. */
typedef struct bare_flow {
    cop_flow of;
    uint64_t state[8];
} bare_flow;
static throttle_plan paper5 = {.timer_ps = 8 * COP_US, .longest_ps = 16 * COP_US, .increase = 1};
static throttle_plan *const of_host0[] = {&paper5};

/* Options at their defaults, but the delay counts from the start of a packet: that needs no end node. */
static void defaults(const cop_cc_ops *ops, void *cfg, cop_arena *arena, bool restart)
{
    cop_opt_defaults(ops->opts, cfg, arena);
    for (const cop_opt *o = ops->opts; o->name; o++)
        if (strcmp(o->name, "delay_from") == 0)
            memset((char *)cfg + o->offset, 0, sizeof(int));
        else if (strcmp(o->name, "restart") == 0)
            memcpy((char *)cfg + o->offset, &restart, sizeof(bool));
}

static void test_timer(void **state)
{
    (void)state;
    const cop_cc_ops *ops = cop_cc_find("ith");
    uint64_t cfg[32], *flow = (bare_flow[1])
    {
        {
            .state = { 0 }
        }
        } -> state;
    cop_arena arena = {0};
    assert_true(ops->cfg_size <= sizeof(cfg) && ops->flow_size <= sizeof(((bare_flow *)0)->state));
    defaults(ops, cfg, &arena, true);
    cop_net net = {.cc = ops, .cc_cfg = cfg, .cc_net = (void *)(uintptr_t)of_host0};
    const cop_time timer = 8 * COP_US, longest = 16 * COP_US;
    cop_pkt becn = {.flags = COP_PKT_CNP | COP_PKT_BECN}, data = {.bytes = 2048};
    net.now = COP_US;
    for (int i = 0; i < 200; i++)
        ops->at_source.on_control(&net, flow, &becn); /* more than the limit of 127 */
    cop_time since = net.now, last = net.now;
    ops->at_source.on_send(&net, flow, &data);
    uint32_t ready = 0;
    for (cop_time now = net.now; now < since + 140 * timer; now += timer / 7) {
        /* Plain: go on in small steps until enough time has passed for the index of then. */
        net.now = now;
        cop_time t = ops->at_source.next_send(&net, flow, now);
        uint64_t steps = (now - since) / timer, index = steps < 127 ? 127 - steps : 0;
        if (now - last >= longest * index * index / (127 * 127)) {
            assert_true(t <= now);
            ops->at_source.on_send(&net, flow, &data);
            last = now;
            ready++;
        } else {
            assert_true(t > now);
            uint64_t then = (t - since) / timer;
            index = then < 127 ? 127 - then : 0;
            assert_true(t - last >= longest * index * index / (127 * 127));
            index = (t - 1 - since) / timer < 127 ? 127 - (t - 1 - since) / timer : 0;
            assert_true(t - 1 - last < longest * index * index / (127 * 127));
        }
    }
    assert_true(ready > 200);
    /* gran5-37: 127 steps of 8 us, and the flow is free again. */
    memset(flow, 0, ops->flow_size);
    net.now = COP_MS;
    for (int i = 0; i < 127; i++)
        ops->at_source.on_control(&net, flow, &becn);
    net.now += 127 * timer - 1;
    ops->at_source.on_send(&net, flow, &data);
    assert_true(ops->at_source.next_send(&net, flow, net.now) > net.now);
    net.now++;
    assert_true(ops->at_source.next_send(&net, flow, net.now) <= net.now);
    cop_arena_free(&arena);
}

/* Notifications at 0, 5 and 12 us. Restarted at 12 us, a timer of 8 us runs out at 20 us; one that goes on
 * has run out at 8 and does so at 16 us. */
static void test_restart(void **state)
{
    (void)state;
    const cop_cc_ops *ops = cop_cc_find("ecocc");
    const cop_pkt becn = {.flags = COP_PKT_CNP | COP_PKT_BECN};
    static const unsigned at_us[] = {0, 5, 12};
    for (int restart = 0; restart < 2; restart++) {
        uint64_t cfg[32], *flow = (bare_flow[1])
        {
            {
                .state = { 0 }
            }
            } -> state;
        cop_arena arena = {0};
        defaults(ops, cfg, &arena, restart);
        cop_net net = {.cc = ops, .cc_cfg = cfg, .cc_net = (void *)(uintptr_t)of_host0};
        for (size_t i = 0; i < COP_LEN(at_us); i++) {
            net.now = COP_MS + at_us[i] * COP_US;
            ops->at_source.on_control(&net, flow, &becn);
        }
        uint32_t index[3];
        static const unsigned look_us[] = {15, 17, 21};
        for (size_t i = 0; i < COP_LEN(look_us); i++) {
            net.now = COP_MS + look_us[i] * COP_US;
            ops->at_source.next_send(&net, flow, net.now);
            memcpy(&index[i], (char *)flow + 2 * sizeof(cop_time), sizeof(uint32_t));
        }
        assert_int_equal(index[0], restart ? 3 : 2);
        assert_int_equal(index[1], restart ? 3 : 1);
        assert_int_equal(index[2], restart ? 2 : 1);
        cop_arena_free(&arena);
    }
}

/* The timer stands still while the index is 0: it begins with the notification that throttles the
 * flow, whatever `restart` says, and not in step with the clock. */
static void test_timer_begins_with_the_first_notification(void **state)
{
    (void)state;
    const cop_cc_ops *ops = cop_cc_find("ith");
    const cop_pkt becn = {.flags = COP_PKT_CNP | COP_PKT_BECN}, data = {.bytes = 2048};
    const cop_time timer = 8 * COP_US;
    static const cop_time begin[] = {1003 * COP_US, 2001 * COP_US}; /* no multiples of the timer */
    for (int restart = 0; restart < 2; restart++) {
        uint64_t cfg[32], *flow = (bare_flow[1])
        {
            {
                .state = { 0 }
            }
            } -> state;
        cop_arena arena = {0};
        defaults(ops, cfg, &arena, restart);
        cop_net net = {.cc = ops, .cc_cfg = cfg, .cc_net = (void *)(uintptr_t)of_host0};
        for (size_t i = 0; i < COP_LEN(begin); i++) {
            net.now = begin[i];
            ops->at_source.on_control(&net, flow, &becn); /* the index is 1 for one period */
            net.now = begin[i] + timer - 1;
            ops->at_source.on_send(&net, flow, &data);
            assert_int_equal(ops->at_source.next_send(&net, flow, net.now), begin[i] + timer);
            net.now++;
            assert_true(ops->at_source.next_send(&net, flow, net.now) <= net.now);
        }
        cop_arena_free(&arena);
    }
}

/* What ran out before a notification is taken off before it counts, also when it restarts the timer:
 * three, two periods and a half, one more: the index is 3 - 2 + 1, for two periods from then on. */
static void test_periods_before_a_notification_count(void **state)
{
    (void)state;
    const cop_cc_ops *ops = cop_cc_find("ith");
    const cop_pkt becn = {.flags = COP_PKT_CNP | COP_PKT_BECN}, data = {.bytes = 2048};
    const cop_time timer = 8 * COP_US, begin = 1003 * COP_US;
    uint64_t cfg[32], *flow = (bare_flow[1])
    {
        {
            .state = { 0 }
        }
        } -> state;
    cop_arena arena = {0};
    defaults(ops, cfg, &arena, true);
    cop_net net = {.cc = ops, .cc_cfg = cfg, .cc_net = (void *)(uintptr_t)of_host0, .now = begin};
    for (int i = 0; i < 3; i++)
        ops->at_source.on_control(&net, flow, &becn);
    net.now = begin + 2 * timer + timer / 2;
    ops->at_source.on_control(&net, flow, &becn);
    cop_time over = net.now + 2 * timer;
    net.now = over - 1;
    ops->at_source.on_send(&net, flow, &data);
    assert_int_equal(ops->at_source.next_send(&net, flow, net.now), over);
    net.now = over;
    assert_true(ops->at_source.next_send(&net, flow, net.now) <= net.now);
    cop_arena_free(&arena);
}

/* Paper V: a notification initialises the timer, Paper VI: the index falls at regular intervals. Only ith and
 * ib-ith, which are InfiniBand's throttling, ask for credit. */
static void test_defaults(void **state)
{
    (void)state;
    static const struct {
        const char *cc;
        bool restart, credit_test;
    } cases[] = {{"ith", true, true},
                 {"ccfit", true, false},
                 {"ib-ith", false, true},
                 {"ecocc", false, false}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        const cop_cc_ops *ops = cop_cc_find(cases[i].cc);
        uint64_t cfg[32];
        cop_arena arena = {0};
        cop_opt_defaults(ops->opts, cfg, &arena);
        const cop_opt *restart = cop_opt_find(ops->opts, "restart"),
                      *credit = cop_opt_find(ops->opts, "credit_test");
        assert_int_equal(*((bool *)cfg + restart->offset), cases[i].restart);
        assert_int_equal(*((bool *)cfg + credit->offset), cases[i].credit_test);
        cop_arena_free(&arena);
    }
}

/* -- congestion state -- */

/* Hosts 0 and 1 send to host 2, host 0 over a cable. The port to host 2 is the root and has credit. The
 * cable's port has a queue only when the buffers behind it are full: a victim, which has no credit for
 * a further packet. Delays are 0, so nothing changes. */
static void test_credit(void **state)
{
    (void)state;
    static const char chain[] = "run: {duration: 2 ms}\n"
                                "topology: {kind: chain, hosts: [1, 2]}\n"
                                "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                                "queueing: {kind: hfdi, queues: 0}\n"
                                "traffic: [{from: [0, 1], pattern: fixed, to: 2}]\n";
    static const char *const kinds[] = {"cc.kind=ith", "cc.kind=ib-ith", "cc.kind=ecocc"};
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (int test = 0; test < 3; test++) { /* no, yes, default */
            const char *set[] = {kinds[k], "cc.longest=1 ps",
                                 test ? "cc.credit_test=yes" : "cc.credit_test=no"};
            cop_result r;
            run_ok(chain, set, test == 2 ? 2 : 3, &r);
            double root = 0.0, victim = 0.0, heard = 0.0;
            for (uint32_t i = 0; i < r.n_scalars; i++) {
                const char *name = r.scalar[i].name;
                double v = r.scalar[i].value;
                root = strcmp(name, "fecn_at/s1.1") == 0 ? v : root;
                victim = strcmp(name, "fecn_at/s0.1") == 0 ? v : victim;
                heard = strcmp(name, "becn") == 0 ? v : heard;
            }
            bool asks = test == 1 || (test == 2 && k < 2);
            assert_true(root > 200 && heard > 200);
            assert_true(asks ? victim == 0 : victim > 200);
            cop_result_free(&r);
        }
}

/* Two hosts overload a third with packets of 1 KiB. Shorter ones than `packet_size` are not marked; one
 * of just that size is not shorter. */
static void test_packet_size(void **state)
{
    (void)state;
    static const char star[] = "run: {duration: 500 us}\n"
                               "topology: {kind: single, hosts: 3}\n"
                               "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                               "queueing: {kind: hfdi, queues: 0}\n"
                               "nic: {mtu: 1 KiB}\n"
                               "traffic: [{from: [0, 1], pattern: fixed, to: 2}]\n";
    static const char *const kinds[] = {"cc.kind=ith", "cc.kind=ib-ith", "cc.kind=ecocc"};
    static const struct {
        const char *least;
        bool marks;
    } cases[] = {{"cc.packet_size=1023 B", true},
                 {"cc.packet_size=1024 B", true},
                 {"cc.packet_size=1025 B", false}};
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (size_t i = 0; i < COP_LEN(cases); i++) {
            const char *set[] = {kinds[k], cases[i].least, "cc.marking=100 %"};
            double heard = -1.0;
            cop_result r;
            run_ok(star, set, 3, &r);
            for (uint32_t j = 0; j < r.n_scalars; j++)
                heard = strcmp(r.scalar[j].name, "becn") == 0 ? r.scalar[j].value : heard;
            assert_true(cases[i].marks ? heard > 10 : heard == 0);
            cop_result_free(&r);
        }
}

/* -- table -- */

/* i^2 * 7/106^2 us, the table of Paper III, for each of them. */
static void test_table_of_paper3(void **state)
{
    (void)state;
    static const char star[] =
        "run: {duration: 2 ms, sample: 10 us, observe: \"ccti/0>2, delay/0>2\"}\n"
        "topology: {kind: single, hosts: 4}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "traffic: [{name: hot, from: [0, 1], pattern: fixed, to: 2}]\n";
    static const char *const kinds[][2] = {{"queueing.kind=fbicm", "cc.kind=ccfit"},
                                           {"queueing.kind=hfdi", "cc.kind=ecocc"},
                                           {"queueing.kind=hfdi", "cc.kind=ith"},
                                           {"queueing.kind=hfdi", "cc.kind=ib-ith"}};
    for (size_t k = 0; k < COP_LEN(kinds); k++) {
        const char *set[] = {kinds[k][0], kinds[k][1], "cc.longest=7 us", "cc.longest_at=106",
                             "cc.timer=150 us"};
        cop_result r;
        run_ok(star, set, COP_LEN(set), &r);
        const cop_series *index = series(&r, "ccti/0>2"), *delay = series(&r, "delay/0>2");
        double most = 0.0;
        for (uint32_t i = 0; i < index->n; i++) {
            double ns = index->v[i] * index->v[i] * 7000.0 / (106.0 * 106.0);
            assert_true(fabs(delay->v[i] - ns) <
                        0.002); /* whole picoseconds, or rounded to six digits */
            most = index->v[i] > most ? index->v[i] : most;
        }
        assert_true(most > 5.0);
        cop_result_free(&r);
    }
}

/* One mark takes both flows to the end of the table, and they stay there: a packet takes 1.6384 us and
 * the delay is 16 us, after the packet or from its start on. */
static void test_delay_from(void **state)
{
    (void)state;
    static const char star[] =
        "run: {duration: 4 ms, warmup: 1 ms}\n"
        "topology: {kind: single, hosts: 3}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "queueing: {kind: hfdi, queues: 0}\n"
        "cc: {kind: ith, timer: 1 s, longest: 16 us, increase: 127, marking: 100 %}\n"
        "nic: {mtu: 2 KiB}\n"
        "traffic:\n"
        "  - {name: F0, from: [0], pattern: fixed, to: 2}\n"
        "  - {name: F1, from: [1], pattern: fixed, to: 2}\n";
    static const char *const from[] = {"cc.delay_from=end", "cc.delay_from=start"};
    for (size_t i = 0; i < COP_LEN(from); i++) {
        cop_result r;
        run_ok(star, &from[i], 1, &r);
        double gbps = 16.384 / (i == 0 ? 16.0 + 1.6384 : 16.0);
        near(scn_gbps(&r, "F0"), gbps, 0.006); /* one packet of those in 3 ms */
        near(scn_gbps(&r, "F1"), gbps, 0.006);
        cop_result_free(&r);
    }
}

/* -- values that follow from the network -- */

static const throttle_cfg all_auto = {.marking = 0.5, .limit = 127};

static void test_plan(void **state)
{
    (void)state;
    const cop_time packet = 1638400;
    throttle_plan p = throttle_plan_of(&all_auto, 8, packet);
    assert_int_equal(p.increase, 4);
    assert_int_equal(p.longest_ps, 10 * packet); /* 1.25 H T */
    near((double)p.timer_ps, 1.5 * 8 * (double)packet / (4 * 0.5), 1e-6);
    throttle_cfg cfg = all_auto;
    cfg.delay_from = THROTTLE_FROM_END;
    assert_int_equal(throttle_plan_of(&cfg, 8, packet).longest_ps, 9 * packet);
    cfg = all_auto;
    cfg.marking = 0.0; /* nothing is marked, and nothing divided by it */
    near((double)throttle_plan_of(&cfg, 8, packet).timer_ps, 3 * (double)packet, 1e-6);
    cfg = all_auto;
    cfg.timer_ps = 8 * COP_US; /* as printed, with an increase of 1 */
    p = throttle_plan_of(&cfg, 8, packet);
    assert_int_equal(p.timer_ps, 8 * COP_US);
    assert_int_equal(p.increase, 1);
    cfg.increase = 3;
    cfg.longest_ps = COP_US;
    p = throttle_plan_of(&cfg, 8, packet);
    assert_int_equal(p.increase, 3);
    assert_int_equal(p.longest_ps, COP_US);
}

/* Who shares what is overloaded, of hosts 0 to 15: by hand. */
static void test_senders(void **state)
{
    (void)state;
    static const struct {
        const char *traffic;
        uint32_t expected[16];
    } cases[] = {
        {"[{from: [0-2, 5], pattern: fixed, to: 3}]", {4, 4, 4, 2, 2, 4, [6 ... 15] = 2}},
        {"[{from: [0-2], pattern: fixed, to: 3, arrival: poisson, load: 30 %}]",
         {[0 ... 15] = 2}}, /* it fits */
        {"[{from: [0-2], pattern: fixed, to: 3, arrival: poisson, load: 40 %}]",
         {3, 3, 3, [3 ... 15] = 2}},
        {"[{from: [0-7], pattern: list, to_list: [12, 13], to_order: by-source}]",
         {[0 ... 7] = 4, [8 ... 15] = 2}},
        {"[{from: all, pattern: hotspot, to: 3, hot_share: 9 %, arrival: poisson, load: 80 %}]",
         {15, 15, 15, 2, [4 ... 15] = 15}},
        {"[{from: all, pattern: uniform}]", {[0 ... 15] = 2}},
        {"[{from: [0-3], pattern: fixed, to: 9}, {from: [0, 4-8], pattern: fixed, to: 10}]",
         {6, 4, 4, 4, [4 ... 8] = 6, [9 ... 15] = 2}},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char set[200];
        snprintf(set, sizeof(set), "traffic=%s", cases[i].traffic);
        const char *const sets[] = {set};
        net_lab *w = lab_build("topology: {kind: single, hosts: 16}\ncc: {kind: ecocc}\n", sets, 1);
        for (uint32_t h = 0; h < 16; h++)
            assert_int_equal(throttle_senders(&all_auto, &w->net.info, h), cases[i].expected[h]);
        lab_free(w);
    }
}

/* -- what can be observed -- */

static void test_observe(void **state)
{
    (void)state;
    static const char star[] = "run: {duration: 2 ms, sample: 10 us}\n"
                               "topology: {kind: single, hosts: 4}\n"
                               "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                               "traffic: [{name: hot, from: [0, 1], pattern: fixed, to: 2}]\n";
    static const char *const kinds[][2] = {{"queueing.kind=fbicm", "cc.kind=ccfit"},
                                           {"queueing.kind=hfdi", "cc.kind=ecocc"}};
    const double packet_ns = 2048 * 0.8;
    for (size_t k = 0; k < COP_LEN(kinds); k++) {
        const char *set[] = {kinds[k][0], kinds[k][1],
                             "run.observe=ccti/hot, delay/0>2, rate/0>2, becns/0>2, becns/1>2, "
                             "state/h2"};
        cop_result plain, r;
        run_ok(star, set, 2, &plain);
        run_ok(star, set, 3, &r);
        assert_int_equal(plain.run_hash, r.run_hash); /* looking changes nothing */
        const cop_series *index = series(&r, "ccti/hot/0"), *delay = series(&r, "delay/0>2"),
                         *rate = series(&r, "rate/0>2"), *becns = series(&r, "becns/0>2"),
                         *congested = series(&r, "state/h2");
        /* two senders, a quarter beyond their share: from start to start, or from end to start */
        double longest_ns = 2.5 * packet_ns - (k == 0 ? packet_ns : 0.0), most = 0.0;
        bool seen[2] = {false, false};
        for (uint32_t i = 0; i < index->n; i++) {
            double d = longest_ns * index->v[i] * index->v[i] / (127.0 * 127.0);
            double apart = k == 0 ? packet_ns + d : d > packet_ns ? d : packet_ns;
            assert_true(delay->v[i] <= d && delay->v[i] > d - 0.001); /* whole picoseconds */
            near(rate->v[i], 2048 * 8 / apart, 1e-6);
            assert_true(index->v[i] <= 4.0 * becns->v[i]); /* the increase */
            assert_true(i == 0 || becns->v[i] >= becns->v[i - 1]);
            assert_true(congested->v[i] <= 2.0); /* of the two inputs */
            seen[congested->v[i] > 0.0] = true;
            most = index->v[i] > most ? index->v[i] : most;
        }
        const cop_series *other = series(&r, "becns/1>2"); /* two flows hear all there are */
        double heard = -1.0;
        for (uint32_t i = 0; i < r.n_scalars; i++)
            heard = strcmp(r.scalar[i].name, "becn") == 0 ? r.scalar[i].value : heard;
        near(becns->v[becns->n - 1] + other->v[other->n - 1], heard, 1e-9);
        assert_true(seen[0] && seen[1] && most > 5.0);
        cop_result_free(&plain);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timer),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_timer_begins_with_the_first_notification),
        cmocka_unit_test(test_periods_before_a_notification_count),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_credit),
        cmocka_unit_test(test_packet_size),
        cmocka_unit_test(test_table_of_paper3),
        cmocka_unit_test(test_delay_from),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_senders),
        cmocka_unit_test(test_observe)};
    return cmocka_run_group_tests_name("throttle", tests, NULL, NULL);
}
