/* End nodes of kind `hca`: queues of finite size, and who keeps whom waiting in them. Rates and orders
 * follow from the sizes alone; at every sample the lists agree with what is counted. */
#include "net_fixture.h"

#include "host/hca.h"
#include "net/flow/flow.h"

#include <math.h>
#include <string.h>

static cop_result run(const char *yaml, const char *const *set, size_t n)
{
    cop_result r;
    scn_run(yaml, set, n, &r, NULL);
    return r;
}

static void expect_gbps(const cop_result *r, const char *entry, double want, const char *what)
{
    double got = scn_gbps(r, entry);
    if (fabs(got - want) > 0.01 * want)
        fail_msg("%s, %s: %.4f Gbit/s, not %.4f", what, entry, got, want);
}

/* -- nothing differs where nothing waits -- */

/* Lone messages, each sent before the next: both kinds put the same packets on the wire at the same
 * instants. Likewise with one destination, which leaves nothing to choose, however full the queues. */
static void test_as_simple_where_nothing_waits(void **state)
{
    (void)state;
    static const char *const yaml[] = {
        "run: {duration: 1 ms, drain: yes, flows: yes}\n"
        "topology: {kind: kary-ntree, k: 2, n: 3}\n"
        "nic: {mtu: 1000 B, overhead: 26 B, ack: message, inject_rate: 9 Gbit/s}\n"
        "traffic: [{pattern: uniform, arrival: poisson, load: 2 %, message: 900 B}]\n",
        "run: {duration: 300 us, flows: yes}\n"
        "topology: {kind: single, hosts: 4}\n"
        "nic: {mtu: 1000 B}\n"
        "traffic: [{from: [0, 2, 3], pattern: fixed, to: 1, arrival: constant, load: 70 %, "
        "message: 2500 B}]\n"};
    static const char *const queueing[] = {"queueing.kind=1q", "queueing.kind=voqsw",
                                           "queueing.kind=dbbm", "queueing.kind=voqnet"};
    static const char *const sizes[] = {"host={kind: hca, generation: 1, injection: 1}",
                                        "host={kind: hca, generation: 7, injection: 3}"};
    for (size_t i = 0; i < COP_LEN(yaml); i++)
        for (size_t q = 0; q < COP_LEN(queueing); q++) {
            const char *set[] = {queueing[q], NULL};
            cop_result simple = run(yaml[i], set, 1);
            for (size_t k = 0; k < COP_LEN(sizes); k++) {
                set[1] = sizes[k];
                cop_result hca = run(yaml[i], set, 2);
                assert_int_equal(hca.run_hash, simple.run_hash);
                assert_int_equal(hca.packets_delivered, simple.packets_delivered);
                cop_result_free(&hca);
            }
            assert_true(simple.packets_delivered > 100);
            cop_result_free(&simple);
        }
}

/* -- the size of the generation queues -- */

/* Host 0 has messages for 1 and 2 in turn. Two others overload host 1, so that host 0 gets a third of
 * it. Nothing else is in the way (buffers per destination). A source that may run ahead fills the rest
 * of its link with what is for 2; one whose next message for 1 finds no place sends 2 no more than 1. */
static const char ahead[] =
    "run: {duration: 600 us, warmup: 300 us}\n"
    "topology: {kind: single, hosts: 5}\n"
    "link: {rate: 12 Gbit/s, delay: 20 ns}\n"
    "switch: {buffer: 16 KiB}\n"
    "queueing: {kind: voqnet}\n"
    "nic: {mtu: 1500 B}\n"
    "traffic:\n"
    "  - {name: turns, from: [0], pattern: list, to_list: [1, 2], message: 1500 B}\n"
    "  - {name: others, from: [3, 4], pattern: fixed, to: 1, message: 1500 B}\n";

static void test_a_full_generation_queue_stops_its_source(void **state)
{
    (void)state;
    static const struct {
        const char *set, *what;
        double gbps;
    } cases[] = {{"host.kind=simple", "simple", 12},
                 {"host={kind: hca, generation: 1000, injection: 4}", "room for all", 12},
                 {"host={kind: hca, generation: 16, injection: 16}", "16 messages", 8},
                 {"host={kind: hca, generation: 1, injection: 1}", "one message", 8}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r = run(ahead, &cases[i].set, 1);
        expect_gbps(&r, "turns", cases[i].gbps, cases[i].what);
        expect_gbps(&r, "others", 8, cases[i].what);
        cop_result_free(&r);
    }
}

/* As many messages as fit wait: those in the generation queue, one at its door, and what is cut into
 * packets already. */
static void test_the_generation_queue_holds_what_it_says(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 2 ms, sample: 2 ms}\n"
                               "topology: {kind: single, hosts: 3}\n"
                               "cc: {kind: pace, rate: 1 Mbit/s}\n"
                               "nic: {mtu: 1000 B}\n"
                               "traffic: [{from: [0], pattern: fixed, to: 1, message: 3000 B}]\n";
    for (uint32_t i = 0; i < 10; i++) { /* with one lane, and with another that has nothing */
        uint32_t size = i % 5 + 1;
        char set[64];
        const char *sets[] = {scn_text(set, sizeof(set), "host={kind: hca, generation: %u}", size),
                              "switch.lanes=2"};
        net_lab *w = lab_build(yaml, sets, i < 5 ? 1 : 2);
        cop_net_run(&w->net, NULL, NULL);
        uint32_t flow = cop_flow_find(&w->net, 0, 1, 0);
        assert_int_equal(cop_hca_gen_of(&w->net, flow)->messages, size);
        assert_int_equal(cop_hca_gen_of(&w->net, flow)->state, COP_HCA_THROTTLED);
        assert_true(cop_hca_of(&w->net)->door[0] != COP_NONE);
        assert_int_equal(w->traffic.stream[0].n_sent, size + 1);
        assert_int_equal(w->net.total.injected, 1);
        lab_free(w);
    }
}

/* -- where the throttle acts -- */

typedef struct slow_flow {
    cop_time next;
} slow_flow;

/* A packet in ten microseconds to host 1, others as they like. */
static cop_time slow_next(struct cop_net *net, void *flow, cop_time now)
{
    (void)net, (void)now;
    return ((const slow_flow *)flow)->next;
}

static void slow_sent(struct cop_net *net, void *flow, const cop_pkt *p)
{
    if (p->dst == 1)
        ((slow_flow *)flow)->next = cop_net_now(net) + 10 * COP_US;
}

static const cop_opt none[] = {{0}};
static const cop_cc_ops slow = {.name = "slow",
                                .opts = none,
                                .flow_size = sizeof(slow_flow),
                                .at_source.next_send = slow_next,
                                .at_source.on_send = slow_sent};

/* In the queue of its destination a slow flow blocks no other; at the head of a FIFO everything
 * waits for it; with an injection queue per destination nothing does. (One FIFO: after its pause of ten
 * packets it lets the other flow go first once more, for the place that became free.) */
static void test_a_throttled_head_blocks_its_queue(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 1100 us, warmup: 100 us}\n"
        "topology: {kind: single, hosts: 4}\n"
        "link: {rate: 10 Gbit/s}\n"
        "nic: {mtu: 1250 B}\n"
        "traffic:\n"
        "  - {name: slow, from: [0], pattern: fixed, to: 1, message: 1250 B}\n"
        "  - {name: fast, from: [0], pattern: fixed, to: 2, message: 1250 B}\n";
    static const struct {
        const char *set[2];
        double slow, fast;
    } cases[] = {
        {{"queueing.kind=1q", "host={kind: hca, throttle: generation}"}, 10. / 11, 100. / 11},
        {{"queueing.kind=1q", "host={kind: hca, throttle: injection}"}, 1, 1},
        {{"queueing.kind=voqnet", "host={kind: hca, throttle: injection}"}, 1, 9},
        {{"queueing.kind=voqnet", "host={kind: hca, throttle: generation}"}, 1, 9},
        {{"queueing.kind=1q", "host.kind=simple"}, 1, 9}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_config c;
        cop_result r;
        cop_err err = {0};
        cop_override o[] = {{.text = cases[i].set[0]}, {.text = cases[i].set[1]}};
        lab_must(cop_config_load(&c, "test.yaml", yaml, o, 2, &err), &err);
        c.cc = &slow;
        lab_must(cop_run(&c, NULL, &r, &err), &err);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        expect_gbps(&r, "slow", cases[i].slow, cases[i].set[1]);
        expect_gbps(&r, "fast", cases[i].fast, cases[i].set[1]);
        cop_result_free(&r);
        cop_config_free(&c);
    }
}

/* -- the size of the injection queues -- */

/* One FIFO, one slow destination: what is ahead of the first packet for the other one is at most what
 * the injection queue holds, in turns of one each. When the sink of host 1 takes next to nothing, the
 * packets for host 2 that got out are those that stood before the FIFO was full of packets for 1. */
static void test_the_injection_queue_holds_what_it_says(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 1 ms, sample: 1 ms}\n"
                               "topology: {kind: single, hosts: 3}\n"
                               "cc: {kind: pace, rate: 1 Mbit/s}\n"
                               "nic: {mtu: 1000 B, overhead: 24 B}\n"
                               "queueing: {kind: 1q}\n"
                               "traffic: [{from: [0], pattern: fixed, to: 1, message: 10 kB}]\n";
    for (uint32_t i = 0; i < 6; i++) { /* of one message, or of many; the second lane has none */
        uint32_t size = 1 + 4 * (i % 3);
        char set[80];
        const char *sets[] = {scn_text(set, sizeof(set),
                                       "host={kind: hca, throttle: injection, injection: %u}",
                                       size),
                              "switch.lanes=2", "traffic.0.message=1 kB", "host.generation=1"};
        net_lab *w = lab_build(yaml, sets, i < 3 ? 1 : 4);
        cop_net_run(&w->net, NULL, NULL);
        assert_int_equal(w->net.nic[0].unsent, size);
        assert_int_equal(w->net.queue[w->net.in[w->net.host_port0].queue0].bytes, size * 1024);
        assert_int_equal(w->net.total.injected, 1);
        lab_free(w);
    }
}

/* Short packets take a block of 64 bytes each, as in every buffer, and answers that are longer than a
 * packet of data make no room for more of those. */
static void test_short_packets_take_blocks(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 1 ms, sample: 1 ms}\n"
                               "topology: {kind: single, hosts: 3}\n"
                               "cc: {kind: pace, rate: 1 Mbit/s}\n"
                               "nic: {mtu: 256 B}\n"
                               "host: {kind: hca, throttle: injection, injection: 3}\n"
                               "traffic: [{from: [0], pattern: fixed, to: 1, message: 1 B}]\n";
    static const char *const sets[] = {"nic.control_bytes=4 KiB"};
    for (size_t n = 0; n < 2; n++) {
        net_lab *w = lab_build(yaml, sets, n);
        cop_net_run(&w->net, NULL, NULL);
        assert_int_equal(w->net.nic[0].unsent, 3 * 256 / 64);
        lab_free(w);
    }
}

/* -- all lists at every sample -- */

static uint32_t list_packets(const cop_net *net, uint32_t q, uint64_t *bytes)
{
    uint32_t n = 0, last = COP_NONE;
    *bytes = 0;
    for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next, n++) {
        *bytes += net->pkt[h].bytes;
        last = h;
    }
    if (n > 0)
        assert_int_equal(net->queue[q].tail, last);
    assert_int_equal(net->queue[q].bytes, *bytes);
    return n;
}

static void check_injection(const cop_net *net, uint32_t host)
{
    const cop_hca *hca = cop_hca_of(net);
    uint32_t port = net->host_port0 + host, packets = 0, posted_n[COP_MAX_VL] = {0};
    uint64_t used[64] = {0};
    assert_true(net->sections <= COP_LEN(used));
    for (uint32_t i = 0; i < hca->queues; i++) {
        uint32_t q = net->in[port].queue0 + i;
        uint64_t bytes;
        bool posted = hca->posted[(size_t)host * hca->words + i / 64] >> i % 64 & 1;
        packets += list_packets(net, q, &bytes);
        assert_int_equal(posted, net->queue[q].posted);
        assert_int_equal(posted, net->queue[q].head != COP_NONE && !net->queue[q].stopped);
        if (posted)
            posted_n[net->pkt[net->queue[q].head].vl]++;
        for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next)
            used[cop_net_section_of(net, &net->pkt[h], net->pkt[h].vl)] +=
                cop_blocks(net->pkt[h].bytes);
    }
    assert_int_equal(net->nic[host].unsent, packets);
    for (uint32_t s = 0; s < net->sections; s++)
        assert_int_equal(hca->room[(size_t)host * net->sections + s] + used[s],
                         (uint64_t)cop_hca_cfg_of(net)->injection *
                             cop_host_blocks(net, (uint32_t)net->nic_cfg->mtu_bytes));
    for (uint32_t vl = 0; vl < net->lanes; vl++) {
        assert_int_equal(hca->posted_n[(size_t)host * net->lanes + vl], posted_n[vl]);
        assert_int_equal(net->out[port].vl_ready >> vl & 1, posted_n[vl] > 0);
    }
}

static void check_generation(const cop_net *net, uint32_t host)
{
    const cop_hca *hca = cop_hca_of(net);
    uint32_t in_state[5] = {0};
    for (uint32_t dst = 0; dst < net->info.n_hosts; dst++)
        for (uint8_t sl = 0; sl < 2; sl++) {
            uint32_t flow = cop_flow_find(net, host, dst, sl), n = 0;
            if (flow == COP_NONE)
                continue;
            const cop_hca_gen *g = cop_hca_gen_of(net, flow);
            for (uint32_t s = cop_flow_at(net, flow)->head; s != COP_NONE; s = net->send[s].next) {
                assert_true(net->send[s].dst == dst && net->send[s].left > 0);
                n++;
            }
            assert_int_equal(g->messages, n);
            assert_true(n <= cop_hca_cfg_of(net)->generation);
            assert_int_equal(g->state == COP_HCA_EMPTY, n == 0);
            assert_int_equal(cop_flow_at(net, flow)->throttled, g->state == COP_HCA_THROTTLED);
            in_state[g->state]++;
        }
    assert_int_equal(net->nic[host].throttled_n, in_state[COP_HCA_THROTTLED]);
    assert_true(net->sectioned || in_state[COP_HCA_FULL] == 0);
    for (uint32_t vl = 0; vl < net->lanes; vl++) {
        uint32_t last = hca->ring[(size_t)host * net->lanes + vl], flow = last;
        while (flow != COP_NONE) { /* once round */
            flow = cop_hca_gen_of(net, flow)->next;
            assert_int_equal(cop_hca_gen_of(net, flow)->state, COP_HCA_READY);
            assert_int_equal(net->send[cop_flow_at(net, flow)->head].vl, vl);
            in_state[COP_HCA_READY]--;
            if (flow == last)
                break;
        }
    }
    assert_int_equal(in_state[COP_HCA_READY], 0);
    for (uint32_t flow = hca->host[host].held; flow != COP_NONE;
         flow = cop_hca_gen_of(net, flow)->next)
        in_state[COP_HCA_HELD]--;
    assert_int_equal(in_state[COP_HCA_HELD], 0);
}

static bool look(void *ctx, cop_time now, cop_time end, uint64_t hops)
{
    net_lab *w = ctx;
    (void)now, (void)end, (void)hops;
    w->looks++;
    for (uint32_t h = 0; h < w->net.info.n_hosts; h++) {
        check_injection(&w->net, h);
        check_generation(&w->net, h);
    }
    return false;
}

static void test_lists_agree_with_counts(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 120 us, warmup: 30 us, sample: 613 ns}\n"
        "topology: {kind: kary-ntree, k: 3, n: 2}\n"
        "link: {rate: 10 Gbit/s, delay: 70 ns}\n"
        "switch: {buffer: 16 KiB, lanes: 2}\n"
        "nic: {mtu: 2 KiB, ack: message}\n"
        "traffic:\n"
        "  - {from: [1-4], pattern: fixed, to: 0, message: 3000 B}\n"
        "  - {from: all, pattern: uniform, arrival: poisson, load: 40 %, message: 5000 B, sl: 1}\n";
    static const char *const sets[][3] = {
        {"host={kind: hca, generation: 3, injection: 2}", "queueing.kind=1q"},
        {"host={kind: hca, generation: 3, injection: 2}", "queueing.kind=voqnet"},
        {"host={kind: hca, generation: 1, injection: 9}", "queueing={kind: dbbm, queues: 3}"},
        {"host={kind: hca, generation: 2, throttle: injection}", "queueing.kind=vftree",
         "switch.lanes=4"},
        {"host={kind: hca, generation: 20, injection: 3}", "cc={kind: pace, rate: 1 Gbit/s}"},
        {"host={kind: hca, generation: 20, injection: 3}", "queueing.kind=voqnet",
         "cc={kind: pace, rate: 1 Gbit/s}"},
        {"host={kind: hca, generation: 3, injection: 8}",
         "queueing={kind: fbicm, detect: 2, stop: 4, go: 2, high: 3, low: 1}"},
        {"host={kind: hca, generation: 9, injection: 8}", "queueing={kind: hfdi, high: 2, low: 1}",
         "cc={kind: ecocc, timer: 5 us, longest: 20 us}"},
        {"host={kind: hca, throttle: injection}", "cc={kind: ibcc, threshold: 15}"},
        {"host={kind: hca, throttle: generation}", "cc={kind: ibcc, threshold: 15}"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        net_lab *w = lab_build(yaml, sets[i], sets[i][2] ? 3 : 2);
        cop_net_run(&w->net, look, w);
        if (w->net.stop != COP_OUTCOME_OK)
            fail_msg("%s %s: %s", sets[i][0], sets[i][1], w->net.why);
        assert_true(w->net.total.delivered > 200 && w->looks > 190);
        lab_free(w);
    }
}

/* -- isolation at the source -- */

/* Host 0 sends to 1, which three others overload, and to 2. The switch tells it of the tree, and to
 * stop: what is for 1 waits in a special queue of the end node, and what is for 2 has the rest of the
 * link. Without isolation both wait for the same credits and get the same. */
static void test_special_queues_at_the_source(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 600 us, warmup: 200 us}\n"
        "topology: {kind: single, hosts: 6}\n"
        "link: {rate: 12 Gbit/s, delay: 20 ns}\n"
        "switch: {buffer: 32 KiB}\n"
        "nic: {mtu: 1500 B}\n"
        "host: {kind: hca}\n"
        "traffic:\n"
        "  - {name: hot, from: [0], pattern: fixed, to: 1, message: 1500 B}\n"
        "  - {name: cold, from: [0], pattern: fixed, to: 2, message: 1500 B}\n"
        "  - {name: others, from: [3-5], pattern: fixed, to: 1, message: 1500 B}\n";
    static const struct {
        const char *set;
        double cold;
    } cases[] = {
        {"queueing={kind: fbicm, detect: 4, stop: 6, go: 4}", 9},
        {"queueing={kind: recn, detect: 4, stop: 6, go: 4}", 9},
        {"queueing.kind=hfdi", 9},
        {"queueing={kind: hfdi, local: no}", 3}, /* no queue at the root, which sends no stop */
        {"queueing.kind=1q", 3}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r = run(yaml, &cases[i].set, 1);
        expect_gbps(&r, "hot", 3, cases[i].set);
        expect_gbps(&r, "cold", cases[i].cold, cases[i].set);
        expect_gbps(&r, "others", 9, cases[i].set);
        cop_result_free(&r);
        net_lab *w = lab_build(yaml, &cases[i].set, 1);
        cop_net_run(&w->net, NULL, NULL);
        uint32_t special = w->net.in[w->net.host_port0].queue0;
        if (i <
            3) { /* the first special queue holds nothing but packets for host 1, and is stopped */
            for (uint32_t h = w->net.queue[special].head; h != COP_NONE; h = w->net.pkt[h].next)
                assert_int_equal(w->net.pkt[h].dst, 1);
            assert_true(w->net.queue[special].bytes > 0);
        }
        lab_free(w);
    }
}

static void test_a_rate_for_a_level_is_refused(void **state)
{
    (void)state;
    static const char yaml[] = "topology: {kind: single, hosts: 3}\n"
                               "cc: {kind: ibcc, level: sl}\nhost: {kind: hca}\n";
    cop_config c;
    cop_result r;
    cop_err err = {0};
    lab_must(cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err), &err);
    assert_int_not_equal(cop_run(&c, NULL, &r, &err), 0);
    assert_int_equal(err.code, COP_E_INPUT);
    assert_non_null(strstr(err.text, "test.yaml:3:"));
    assert_non_null(strstr(err.text, "use kind simple"));
    cop_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_simple_where_nothing_waits),
        cmocka_unit_test(test_a_full_generation_queue_stops_its_source),
        cmocka_unit_test(test_the_generation_queue_holds_what_it_says),
        cmocka_unit_test(test_a_throttled_head_blocks_its_queue),
        cmocka_unit_test(test_the_injection_queue_holds_what_it_says),
        cmocka_unit_test(test_short_packets_take_blocks),
        cmocka_unit_test(test_lists_agree_with_counts),
        cmocka_unit_test(test_special_queues_at_the_source),
        cmocka_unit_test(test_a_rate_for_a_level_is_refused),
    };
    return cmocka_run_group_tests_name("hca", tests, NULL, NULL);
}
