/* Controls that hold a flow until they wake it (net/cc.h: COP_NEVER and cop_net_cc_wake), with two made
 * for the test: a window of packets that have not been acknowledged, and one that forgets its flows. */
#include "net/cc.h"
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct plan { /* the control's configuration, and what it saw */
    uint32_t window;
    uint32_t forgets; /* flows from this host get no further window */
    cop_time pause; /* a woken flow waits so long */
    uint64_t asked, woken;
} plan;

typedef struct window_flow {
    uint32_t out; /* packets without an acknowledgement */
    uint32_t src;
    cop_time next;
} window_flow;

/* The network hands the configuration out as const; this one is the test's own. */
static plan *plan_of(const struct cop_net *net)
{
    union {
        const void *in;
        plan *out;
    } u = {.in = cop_net_cc_cfg(net)};
    return u.out;
}

static cop_time next_send(struct cop_net *net, void *flow, cop_time now)
{
    const window_flow *f = flow;
    plan_of(net)->asked++;
    if (f->out >= plan_of(net)->window)
        return COP_NEVER;
    return f->next > now ? f->next : now;
}

static void on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    window_flow *f = flow;
    assert_true(f->out < plan_of(net)->window);
    f->out++;
    f->src = p->src;
    cop_net_cc_wake(net, flow); /* one that does not wait stays as it is */
}

static void on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    window_flow *f = flow;
    assert_int_equal(p->flags & COP_PKT_CONTROL, COP_PKT_ACK);
    if (f->src == plan_of(net)->forgets)
        return;
    f->out--;
    if (plan_of(net)->pause)
        f->next = cop_net_now(net) + plan_of(net)->pause;
    plan_of(net)->woken++;
    cop_net_cc_wake(net, flow);
}

static void level(const void *cfg, const cop_netinfo *info, cop_cc_facts *facts)
{
    (void)cfg;
    (void)info;
    facts->flow_is_sl = true;
}

static const cop_cc_ops windowed = {.name = "windowed",
                                    .flow_size = sizeof(window_flow),
                                    .at_source.next_send = next_send,
                                    .at_source.on_send = on_send,
                                    .at_source.on_control = on_control};

#define MACHINE                                                                                    \
    "link: {rate: 10 Gbit/s, delay: 1 us}\n"                                                       \
    "switch: {buffer: 64 KiB, pipeline: 100 ns, header: 64 B}\n"                                   \
    "nic: {mtu: 2 KiB, ack: packet, control_bytes: 64 B}\n"

static void run_with(const cop_cc_ops *ops, plan *p, const char *yaml, const char *set,
                     cop_result *r)
{
    cop_config c;
    cop_err err = {0};
    const cop_override all[] = {{.text = set}};
    if (cop_config_load(&c, "test.yaml", yaml, all, set != NULL, &err) != 0)
        fail_msg("%s", err.text);
    c.cc = ops;
    c.cc_cfg = p;
    assert_int_equal(cop_run(&c, NULL, r, &err), 0);
    cop_config_free(&c);
}

/* From the start of a packet until its acknowledgement's head is back: each way two cables, header and
 * pipeline of the switch; there the packet itself. The link is idle while the window is closed. */
#define ROUND_TRIP ((2000 + 51.2 + 100.0) * 2 + 1638.4)

static void test_rate_of_a_window(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 2 ms}\ntopology: {kind: single, hosts: 2}\n" MACHINE
        "traffic: [{name: f, from: [0], pattern: fixed, to: 1, message: 3 MiB}]\n";
    static const char *const kinds[] = {NULL, "host={kind: hca, throttle: generation}",
                                        "host={kind: hca, throttle: injection}"};
    for (uint32_t i = 0; i < 9; i++) { /* wherever messages wait inside an end node */
        uint32_t w = i % 3 + 1;
        plan p = {.window = w, .forgets = COP_NONE};
        cop_result r;
        run_with(&windowed, &p, yaml, kinds[i / 3], &r);
        assert_int_equal(r.outcome, COP_OUTCOME_OK); /* the window is closed, but not for ever */
        /* w packets in a row, then nothing until the first of them is acknowledged. */
        uint64_t rounds = (uint64_t)(2e6 / ROUND_TRIP);
        assert_in_range(p.woken, w * rounds - w, w * rounds + w);
        assert_in_range(r.packets_injected, 2 * (w * rounds - w), 2 * (w * rounds + w));
        cop_result_free(&r);
    }
    /* A woken flow may still have a time to wait for: then it is asked at that time. */
    plan p = {.window = 1, .forgets = COP_NONE, .pause = COP_US};
    cop_result r;
    run_with(&windowed, &p, yaml, "run.drain=yes", &r);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_int_equal(r.packets_in_flight, 0);
    /* `drain` lets what has begun go on: the whole message of 1536 packets. */
    assert_int_equal(p.woken, 1536);
    assert_true((double)r.sim_time / 1e3 > 1535 * (ROUND_TRIP + 1000.0));
    assert_true((double)r.sim_time / 1e3 < 1536 * (ROUND_TRIP + 1000.0) + 20000.0); /* a sample */
    cop_result_free(&r);
}

/* Many messages of many flows, and a table of flows that is hashed (more than 1448 hosts). */
static void test_windows_of_many_flows(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "topology: {kind: single, hosts: 8}\n",
        "topology: {kind: single, hosts: 8}\nhost: {kind: hca, throttle: generation}\n",
        "topology: {kind: single, hosts: 8}\nhost: {kind: hca, throttle: injection}\n",
        "topology: {kind: fat-tree, ports: 18, levels: 3}\nqueueing: {kind: 1q}\n"};
    for (size_t i = 0; i < COP_LEN(networks); i++)
        for (int drain = 0; drain < 2; drain++) {
            char yaml[1024];
            plan p = {.window = 2, .forgets = COP_NONE};
            cop_result r;
            scn_text(yaml, sizeof(yaml),
                     "run: {duration: 200 us, flows: yes}\n%s" MACHINE "traffic:\n"
                     "  - {name: a, from: [0-3], pattern: list, to_list: [4-7], message: 5 kB}\n"
                     "  - {name: b, from: [4-7], pattern: uniform, arrival: poisson, load: 50 %%, "
                     "message: 3 kB, sl: 3}\n",
                     networks[i]);
            run_with(&windowed, &p, yaml, drain ? "run.drain=yes" : NULL, &r);
            assert_int_equal(r.outcome, COP_OUTCOME_OK);
            assert_true(r.packets_delivered > 500 && p.woken > 200);
            if (drain) {
                assert_int_equal(r.packets_in_flight, 0);
                assert_int_equal(2 * p.woken, r.packets_delivered); /* each acknowledged once */
            }
            cop_result_free(&r);
        }
}

/* -- starvation -- */

static const char two_senders[] =
    "run: {duration: 1 ms}\ntopology: {kind: single, hosts: 4, names: \"ash beech cedar "
    "deal\"}\n" MACHINE "traffic:\n"
    "  - {name: lost, from: [0], pattern: list, to_list: [2, 3], message: 2 KiB}\n"
    "  - {name: lucky, from: [1], pattern: fixed, to: 2, message: 2 KiB}\n";

static void test_forgotten_flows_are_told(void **state)
{
    (void)state;
    static const char *const ends[] = {"run.drain=no", "run.drain=yes"};
    for (size_t i = 0; i < COP_LEN(ends); i++) {
        plan p = {.window = 3, .forgets = 0};
        cop_result r;
        run_with(&windowed, &p, two_senders, ends[i], &r);
        assert_int_equal(r.outcome, COP_OUTCOME_STARVED);
        assert_non_null(strstr(r.detail, "starved: cc windowed holds 2 flows back"));
        assert_non_null(strstr(r.detail, "ash -> cedar"));
        assert_null(strchr(r.detail, '\n'));
        /* Three packets to each of two destinations, then nothing; the others go on. */
        assert_int_equal(r.stream[0].sent_bytes, 6 * 2048);
        assert_true(r.stream[1].packets > 500);
        assert_int_equal(r.credits_missing, 0);
        cop_result_free(&r);
    }
}

/* Never a packet, whatever a flow is. */
static void test_closed_from_the_start(void **state)
{
    (void)state;
    cop_cc_ops by_level = windowed;
    by_level.facts = level;
    const cop_cc_ops *const kinds[] = {&windowed, &by_level};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        plan p = {.window = 0, .forgets = COP_NONE};
        cop_result r;
        run_with(kinds[i], &p, two_senders, NULL, &r);
        assert_int_equal(r.outcome, COP_OUTCOME_STARVED);
        assert_int_equal(r.packets_injected, 0);
        assert_non_null(
            strstr(r.detail, i == 0 ? "holds 3 flows back" : "2 flows back and nothing"));
        assert_non_null(strstr(r.detail, i == 0 ? "ash -> cedar" : "ash -> any host"));
        cop_result_free(&r);
    }
}

/* Thirty packets, 13 days between two of them: after 2^63 ps seven or eight have gone. Times do not run over, and the run does
 * not pass for a deadlock. With a thousandth of that they all go. */
static void test_drains_too_slowly(void **state)
{
    (void)state;
    static const char one[] = "run: {duration: 1 us}\ntopology: {kind: single, hosts: 2}\n" MACHINE
                              "traffic: [{from: [0], pattern: fixed, to: 1, message: 60 KiB}]\n";
    for (int slow = 0; slow < 2; slow++) {
        plan p = {.window = 1, .forgets = COP_NONE, .pause = (cop_time)1 << (slow ? 60 : 50)};
        cop_result r;
        run_with(&windowed, &p, one, "run.drain=yes", &r);
        assert_int_equal(r.outcome, slow ? COP_OUTCOME_STARVED : COP_OUTCOME_OK);
        if (slow) {
            assert_non_null(
                strstr(r.detail, "starved: not drained after 2^63 ps (106 days), and "));
            assert_in_range(r.packets_delivered, 2 * 7, 2 * 8); /* each acknowledged once */
        } else {
            assert_int_equal(r.packets_delivered, 2 * 30);
        }
        assert_int_equal(r.credits_missing, 0);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate_of_a_window), cmocka_unit_test(test_windows_of_many_flows),
        cmocka_unit_test(test_forgotten_flows_are_told),
        cmocka_unit_test(test_closed_from_the_start), cmocka_unit_test(test_drains_too_slowly)};
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
