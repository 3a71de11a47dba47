/* Every field of a result, by closed forms on tiny networks: means, counts, series and tables, and
 * the cut at the warm-up. How runs end is in test_results_end.c. */
#include "results_fixture.h"

/* -- one packet at a time -- */

/* A packet every 10 us over two switches. It is on the way for two hops and the last link: 2000.8
 * ns. 100 are sent in 1 ms, 20 of them before the warm-up is over. */
static const char lone_packets[] =
    "run: {duration: 1 ms, warmup: 200 us, sample: 100 us, flows: yes}\n"
    "topology: {kind: chain, hosts: [1, 1]}\n"
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
    "switch: {pipeline: 100 ns, header: 64 B}\n"
    "nic: {mtu: 2 KiB}\n"
    "traffic:\n"
    "  - {name: F, from: [0], pattern: fixed, to: 1, arrival: constant, rate: 1.6384 Gbit/s,"
    " message: 2 KiB}\n";
#define ON_THE_WAY_NS (2 * HOP_NS + 20 + WIRE_NS)

static void test_totals_of_lone_packets(void **state)
{
    (void)state;
    cop_result r;
    scn_run(lone_packets, NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_null(r.detail);
    assert_int_equal(r.sim_time, COP_MS);
    assert_int_equal(r.warmup, 200 * COP_US);
    assert_int_equal(r.sample, 100 * COP_US);
    assert_int_equal(r.packets_injected, 100);
    assert_int_equal(r.packets_delivered, 100);
    assert_int_equal(r.packets_in_flight, 0);
    assert_int_equal(r.packets_lost, 0);
    assert_int_equal(r.bytes_injected, 100 * 2048);
    assert_int_equal(r.bytes_delivered, 100 * 2048);
    assert_int_equal(r.packet_hops, 300);
    assert_int_equal(r.credits_missing, 0);
    assert_int_equal(r.n_hosts, 2);
    assert_int_equal(r.n_switches, 2);
    same_number("throughput", r.throughput_total_gbps, 80 * BYTES * 8 / 800e3);
    same_number("throughput per host", r.throughput_gbps, 40 * BYTES * 8 / 800e3);
    const cop_hist *both[] = {r.latency, r.transit}; /* nothing waits at the source */
    for (size_t i = 0; i < COP_LEN(both); i++) {
        assert_int_equal(both[i]->count, 80);
        assert_int_equal(both[i]->min, 2000800);
        assert_int_equal(both[i]->max, 2000800);
        same_number("mean", cop_hist_mean(both[i]), ON_THE_WAY_NS * 1e3);
    }
    same_number("mean in the network", r.little_mean_in_network, ON_THE_WAY_NS / 10e3);
    same_number("rate x latency", r.little_rate_times_latency, ON_THE_WAY_NS / 10e3);
    cop_result_free(&r);
}

static void test_tables_of_lone_packets(void **state)
{
    (void)state;
    cop_result r;
    scn_run(lone_packets, NULL, 0, &r, NULL);
    assert_int_equal(r.n_streams, 1);
    const cop_stream_result *s = r.stream;
    assert_string_equal(s->entry, "F");
    assert_int_equal(s->host, 0);
    assert_int_equal(s->dst, 1);
    assert_int_equal(s->sent_bytes, 100 * 2048); /* of the whole run */
    assert_int_equal(s->delivered_bytes, 100 * 2048);
    assert_int_equal(s->packets, 80); /* the rest: after the warm-up */
    same_number("rate", s->gbps, 1.6384);
    same_number("latency", s->latency_mean_ns, ON_THE_WAY_NS);
    assert_int_equal(r.n_nodes, 2);
    for (uint32_t h = 0; h < 2; h++) {
        assert_string_equal(r.node[h].name, h ? "h1" : "h0");
        assert_int_equal(r.node[h].sent_bytes, h ? 0 : 80 * 2048);
        assert_int_equal(r.node[h].received_bytes, h ? 80 * 2048 : 0);
        same_number("sent", r.node[h].sent_gbps, h ? 0 : 1.6384);
        same_number("received", r.node[h].received_gbps, h ? 1.6384 : 0);
        assert_string_equal(r.node[h].role, "");
        same_number("hotspot", r.node[h].hotspot, 0);
    }
    assert_int_equal(r.n_flows, 1);
    assert_int_equal(r.flow->src, 0);
    assert_int_equal(r.flow->dst, 1);
    assert_int_equal(r.flow->packets, 80);
    assert_int_equal(r.flow->bytes, 80 * 2048);
    cop_result_free(&r);
}

static void test_links_and_series_of_lone_packets(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        bool used;
    } links[] = {{"s0.0", "h0", false},   {"s0.1", "s1.1", true}, {"s1.0", "h1", true},
                 {"s1.1", "s0.1", false}, {"h0", "s0.0", true},   {"h1", "s1.0", false}};
    cop_result r;
    scn_run(lone_packets, NULL, 0, &r, NULL);
    assert_int_equal(r.n_ports, COP_LEN(links));
    for (size_t i = 0; i < COP_LEN(links); i++) {
        const cop_port_result *p = port_of(&r, links[i].from);
        assert_string_equal(p->to, links[i].to);
        same_number(p->name, p->utilisation, links[i].used ? WIRE_NS / 10e3 : 0);
        same_number(p->name, p->mean_queue_bytes, 0);
        assert_int_equal(p->max_queue_bytes, 0);
    }
    double gbps[10], ns[10], inside[10] = {0};
    for (int i = 0; i < 10; i++) {
        gbps[i] = 1.6384;
        ns[i] = ON_THE_WAY_NS;
    }
    assert_int_equal(r.n_series, 4);
    same_series(&r, "throughput/F", "Gbit/s", gbps, 10);
    same_series(&r, "network/throughput", "Gbit/s", gbps, 10);
    same_series(&r, "network/latency", "ns", ns, 10);
    same_series(&r, "network/packets", "packets", inside, 10);
    cop_result_free(&r);
}

/* -- two packets for one link -- */

static void test_what_waits_at_samples(void **state)
{
    (void)state;
    cop_result r;
    scn_run(pairs, NULL, 0, &r, NULL);
    const cop_port_result *p = port_of(&r, "s0.2");
    same_number("mean queue", p->mean_queue_bytes, 2048); /* not the 4096 of the sample at 10 us */
    assert_int_equal(p->max_queue_bytes, 2048);
    /* Six pairs in full, those of 29 and 99 us in part: they begin 1 us before the cut, on the
     * second link a hop later. */
    double late = 1000 - HOP_NS, busy = (2 * WIRE_NS - late) + 6 * 2 * WIRE_NS + late;
    same_number("utilisation", p->utilisation, busy / 70e3);
    busy = (WIRE_NS - 1000) + 6 * WIRE_NS + 1000;
    same_number("of a host", port_of(&r, "h1")->utilisation, busy / 70e3);
    same_number("before", port_of(&r, "h3")->utilisation, 0);
    cop_result_free(&r);
}

static void test_streams_of_one_entry(void **state)
{
    (void)state;
    cop_result r;
    scn_run(pairs, NULL, 0, &r, NULL);
    assert_int_equal(r.n_streams, 3);
    for (uint32_t s = 0; s < 2; s++) {
        assert_string_equal(r.stream[s].entry, "pair");
        assert_int_equal(r.stream[s].host, s);
        assert_int_equal(r.stream[s].sent_bytes, 10 * 2048);
        assert_int_equal(r.stream[s].delivered_bytes, 9 * 2048);
        assert_int_equal(r.stream[s].packets, 7); /* of 29, 39, ... 89 us */
        same_number("rate", r.stream[s].gbps, 7 * BYTES * 8 / 70e3);
        same_number("latency", r.stream[s].latency_mean_ns, s ? SECOND_NS : FIRST_NS);
    }
    assert_int_equal(r.stream[2].packets, 0); /* nothing after the warm-up: no mean, no rate */
    same_number("rate", r.stream[2].gbps, 0);
    same_number("latency", r.stream[2].latency_mean_ns, 0);
    assert_int_equal(r.stream[2].delivered_bytes, 2048);
    assert_int_equal(r.n_flows, 3);
    for (uint32_t f = 0; f < 3; f++) {
        assert_int_equal(r.flow[f].src, f == 2 ? 3 : f);
        assert_int_equal(r.flow[f].dst, 2);
        assert_int_equal(r.flow[f].packets, f == 2 ? 0 : 7);
        assert_int_equal(r.flow[f].bytes, f == 2 ? 0 : 7 * 2048);
    }
    cop_result_free(&r);
}

static void test_series_of_pairs(void **state)
{
    (void)state;
    /* What is sent in the last microsecond of a bin arrives in the next, but for the first half of a
     * packet. */
    static const double one[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                        early[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    static const double inside[] = {3, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    double first[10], gbps[10], of_early[10], all[10], ns[10];
    for (int i = 0; i < 10; i++) {
        gbps[i] = one[i] * BYTES * 8 / 10e3;
        first[i] = i == 0 ? BEFORE_CUT * BYTES * 8 / 10e3 : gbps[i];
        of_early[i] = early[i] * BYTES * 8 / 10e3;
        all[i] = first[i] + gbps[i] + of_early[i];
        ns[i] = i == 0   ? 0
                : i == 1 ? (FIRST_NS + SECOND_NS + SECOND_NS + WIRE_NS) / 3
                         : (FIRST_NS + SECOND_NS) / 2;
    }
    cop_result r;
    scn_run(pairs, NULL, 0, &r, NULL);
    same_series(&r, "throughput/pair/0", "Gbit/s", first, 10);
    same_series(&r, "throughput/pair/1", "Gbit/s", gbps, 10);
    same_series(&r, "throughput/early", "Gbit/s", of_early, 10);
    same_series(&r, "network/throughput", "Gbit/s", all, 10);
    same_series(&r, "network/latency", "ns", ns, 10);
    same_series(&r, "network/packets", "packets", inside, 10);
    cop_result_free(&r);
}

/* What is observed at samples and what hosts take in, bin by bin. */
static void test_observations_of_pairs(void **state)
{
    (void)state;
    static const char *const observe[] = {"run.observe=queue/s0.2, received/h2, received/h0"};
    double queue[10], received[10], none[10] = {0};
    for (int i = 0; i < 10; i++) {
        queue[i] = i == 0 ? 4096 : 2048; /* at the end of the bin */
        received[i] = (i == 0 ? BEFORE_CUT : i == 1 ? 3 : 2) * BYTES * 8 / 10e3;
    }
    cop_result r;
    scn_run(pairs, observe, 1, &r, NULL);
    same_series(&r, "queue/s0.2", "bytes", queue, 10);
    same_series(&r, "received/h2", "Gbit/s", received, 10);
    same_series(&r, "received/h0", "Gbit/s", none, 10);
    cop_result_free(&r);
}

/* Levels of a queueing scheme over time. Between 50 and 100 us three hosts overload a fourth:
 * queues for congested packets are in use then, at the three inputs, and neither before nor at the
 * end. */
static void test_levels_over_time(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 300 us, sample: 10 us}\n"
            "topology: {kind: single, hosts: 4}\n"
            "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
            "switch: {architecture: iq}\n"
            "queueing: {kind: fbicm}\n"
            "traffic: [{from: [0, 1, 2], pattern: fixed, to: 3, start: 50 us, stop: 100 us}]\n",
            NULL, 0, &r, NULL);
    const cop_series *used = series(&r, "isolation/queues_used");
    const cop_series *left = series(&r, "isolation/queues_free");
    const cop_series *without = series(&r, "isolation/ports_without_queue");
    assert_int_equal(used->n, 30);
    assert_string_equal(used->unit, "queues");
    for (uint32_t i = 0; i < 30; i++) {
        if (i < 5 || i >= 28) /* at the end of the bin */
            same_number("used", used->v[i], 0);
        else if (i >= 7 && i < 10)
            same_number("used", used->v[i], 3);
        same_number("all", used->v[i] + left->v[i], left->v[0]);
        same_number("without", without->v[i], 0);
    }
    same_number("at the end", scalar(&r, "isolation/queues_used.at_end"), 0);
    cop_result_free(&r);
}

/* -- lists -- */

/* Two hosts send in turn to three others, 300 bytes every 10 us: ten messages each in 100 us. */
static void test_flows_are_listed_by_source_and_destination(void **state)
{
    (void)state;
    static const cop_flow_result want[] = {{1, 0, 4, 1200}, {1, 2, 3, 900}, {1, 3, 3, 900},
                                           {3, 0, 4, 1200}, {3, 1, 3, 900}, {3, 2, 3, 900}};
    cop_result r;
    scn_run("run: {duration: 105 us, flows: yes}\n"
            "topology: {kind: single, hosts: 4}\n"
            "traffic:\n"
            "  - {name: late, from: [3], pattern: list, to_list: [0, 1, 2], arrival: constant,"
            " rate: 240 Mbit/s, message: 300 B, messages: 10}\n"
            "  - {name: soon, from: [1], pattern: list, to_list: [0, 2, 3], arrival: constant,"
            " rate: 240 Mbit/s, message: 300 B, messages: 10}\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.n_flows, COP_LEN(want));
    for (size_t i = 0; i < COP_LEN(want); i++) {
        assert_int_equal(r.flow[i].src, want[i].src);
        assert_int_equal(r.flow[i].dst, want[i].dst);
        assert_int_equal(r.flow[i].packets, want[i].packets);
        assert_int_equal(r.flow[i].bytes, want[i].bytes);
    }
    assert_int_equal(r.stream[0].dst, COP_NONE); /* not one alone */
    cop_result_free(&r);
}

/* Series of single streams would be too many here: one per entry, and together they are the
 * network. */
static void test_many_streams_have_series_by_entry(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 20 us, sample: 5 us}\n"
            "topology: {kind: single, hosts: 500}\n"
            "traffic:\n"
            "  - {name: low, from: \"0-299\", pattern: uniform, arrival: constant, load: 5 %}\n"
            "  - {name: high, from: \"300-499\", pattern: uniform, arrival: constant, load: 9 %}\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.n_streams, 500);
    assert_int_equal(r.n_series, 2 + 3);
    const cop_series *low = series(&r, "throughput/low"), *high = series(&r, "throughput/high");
    const cop_series *all = series(&r, "network/throughput");
    double bytes[2] = {0, 0};
    for (uint32_t i = 0; i < 4; i++) {
        same_number("sum", all->v[i], low->v[i] + high->v[i]);
        bytes[0] += low->v[i] * 5e-6 * 1e9 / 8;
        bytes[1] += high->v[i] * 5e-6 * 1e9 / 8;
    }
    double delivered[2] = {0, 0};
    for (uint32_t s = 0; s < 500; s++)
        delivered[s >= 300] += (double)r.stream[s].delivered_bytes;
    same_number("low", bytes[0], delivered[0]);
    same_number("high", bytes[1], delivered[1]);
    assert_true(delivered[0] > 0 && delivered[1] > 0);
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals_of_lone_packets),
        cmocka_unit_test(test_tables_of_lone_packets),
        cmocka_unit_test(test_links_and_series_of_lone_packets),
        cmocka_unit_test(test_what_waits_at_samples),
        cmocka_unit_test(test_streams_of_one_entry),
        cmocka_unit_test(test_series_of_pairs),
        cmocka_unit_test(test_observations_of_pairs),
        cmocka_unit_test(test_levels_over_time),
        cmocka_unit_test(test_flows_are_listed_by_source_and_destination),
        cmocka_unit_test(test_many_streams_have_series_by_entry),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
