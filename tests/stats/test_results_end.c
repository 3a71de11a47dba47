/* What results say at the ends of a run: at its planned end, after draining, at a deadlock; names
 * of streams; hot spots of a forest. */
#include "results_fixture.h"

/* -- the end -- */

static void test_little_counts_what_is_inside_at_the_ends(void **state)
{
    (void)state;
    cop_result r;
    scn_run(pairs, NULL, 0, &r, NULL);
    /* The pair of 29 us counts from 30 us on, the one of 99 us until 100. */
    double inside = 6 * (FIRST_NS + SECOND_NS) + (FIRST_NS + SECOND_NS - 2e3) + 2e3;
    same_number("mean in the network", r.little_mean_in_network, inside / 70e3);
    /* What is delivered after the warm-up counts in full, the pair of 29 us as well. */
    same_number("rate x latency", r.little_rate_times_latency, 7 * (FIRST_NS + SECOND_NS) / 70e3);
    assert_int_equal(r.latency->count, 14);
    cop_result_free(&r);
}

/* Draining delivers what is under way and stops the sources. It changes no mean and no table. */
static void test_drain_measures_nothing(void **state)
{
    (void)state;
    static const char *const drain[] = {"run.drain=yes"};
    cop_result plain, r;
    scn_run(pairs, NULL, 0, &plain, NULL);
    scn_run(pairs, drain, 1, &r, NULL);
    assert_int_equal(plain.packets_in_flight, 2);
    assert_int_equal(plain.packets_delivered, 19);
    assert_int_equal(r.packets_injected, 21);
    assert_int_equal(r.packets_in_flight, 0);
    assert_int_equal(r.packets_delivered, 21);
    assert_int_equal(r.bytes_delivered, 21 * 2048);
    assert_int_equal(r.stream[0].delivered_bytes, 10 * 2048);
    assert_int_equal(r.stream[0].packets, plain.stream[0].packets);
    assert_int_equal(r.latency->count, plain.latency->count);
    same_number("throughput", r.throughput_total_gbps, plain.throughput_total_gbps);
    same_number("Little", r.little_mean_in_network, plain.little_mean_in_network);
    same_number("utilisation", port_of(&r, "s0.2")->utilisation,
                port_of(&plain, "s0.2")->utilisation);
    assert_int_equal(r.series[0].n, plain.series[0].n);
    cop_result_free(&plain);
    cop_result_free(&r);
}

/* Queues are looked at until the end of the measured time, not while they run empty. */
static void test_drain_counts_in_no_queue(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 100 us, sample: 1 us}\n"
                               "topology: {kind: single, hosts: 4}\n"
                               "traffic: [{from: [1-3], pattern: fixed, to: 0}]\n";
    static const char *const drain[] = {"run.drain=yes"};
    cop_result plain, r;
    scn_run(yaml, NULL, 0, &plain, NULL);
    scn_run(yaml, drain, 1, &r, NULL);
    assert_true(port_of(&plain, "s0.0")->mean_queue_bytes > 100e3);
    same_number("mean queue", port_of(&r, "s0.0")->mean_queue_bytes,
                port_of(&plain, "s0.0")->mean_queue_bytes);
    cop_result_free(&plain);
    cop_result_free(&r);
}

/* The end of the measured time cuts the last bin, of 20 us, after 10: its rates are those of 10 us. What is delivered while the
 * network drains, 200 packets in the bin's other half and later, is in none. */
static void test_the_last_bin_ends_with_the_measured_time(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 110 us, sample: 20 us, observe: 'received/h0, sent/h0, injected/h1, "
        "queue/h0, notices/h0'}\n"
        "topology: {kind: single, hosts: 4}\n"
        "link: {rate: 8 Gbit/s}\n"
        "switch: {buffer: 128 kB}\n"
        "queueing: {kind: fbicm}\n"
        "nic: {mtu: 1000 B, overhead: 0 B}\n"
        "cc: {kind: qcn}\n"
        "traffic: [{name: t, from: [1-3], pattern: fixed, to: 0, message: 4000 B}]\n";
    static const char *const drain[] = {"run.drain=yes"};
    static const char *const full[] = {"network/throughput", "received/h0", "sent/h0"};
    cop_result plain, r;
    scn_run(yaml, NULL, 0, &plain, NULL);
    scn_run(yaml, drain, 1, &r, NULL);
    assert_true(r.packets_delivered > plain.packets_delivered + 10);
    for (size_t i = 0; i < COP_LEN(full); i++)
        same_number(full[i], series(&plain, full[i])->v[5], 8.0);
    for (uint32_t i = 0; i < plain.n_series; i++) {
        const cop_series *s = &plain.series[i];
        assert_int_equal(s->n, 6);
        bool of_packets =
            strcmp(s->name, "network/packets") == 0 || strcmp(s->name, "network/latency") == 0;
        for (uint32_t b = 0; b < s->n && !of_packets; b++)
            if (s->v[b] != series(&r, s->name)->v[b])
                fail_msg("%s: bin %u has %g, with drain %g", s->name, b, s->v[b],
                         series(&r, s->name)->v[b]);
    }
    cop_result_free(&plain);
    cop_result_free(&r);
}

/* A job of one message ends in the middle of a bin, and the run with it. */
static void test_a_bin_of_a_run_that_ends_before(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 1 ms, sample: 1 ms, until: jobs, observe: 'received/h0, sent/h0'}\n"
            "topology: {kind: single, hosts: 2}\n"
            "link: {rate: 8 Gbit/s, delay: 1 ns}\n"
            "switch: {header: 100 B, pipeline: 0 ns}\n"
            "nic: {mtu: 1000 B, overhead: 0 B}\n"
            "traffic: [{name: t, collective: gather-linear, from: [0, 1], message: 8000 B}]\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.bytes_delivered, 4000);
    same_number("received", series(&r, "received/h0")->v[0], 4000 * 8e3 / (double)r.sim_time);
    same_number("sent", series(&r, "sent/h0")->v[0], 4000 * 8e3 / (double)r.sim_time);
    same_number("throughput", series(&r, "network/throughput")->v[0],
                4000 * 8e3 / (double)r.sim_time);
    cop_result_free(&r);
}

/* A message of 32 packets at 1 Mbit/s takes half a second, half a million times as long as the sources
 * run: what is done for it does not grow with the samples that fit into that time. */
static void test_a_long_drain_is_cheap(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 1 us, drain: yes}\n"
            "topology: {kind: single, hosts: 2}\n"
            "cc: {kind: pace, rate: 1 Mbit/s}\n"
            "traffic: [{from: [1], pattern: fixed, to: 0, message: 64 KiB, messages: 1}]\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.packets_delivered, 32);
    assert_true(r.events < 20000);
    cop_result_free(&r);
}

/* In a ring of five without datelines every host sends two hops. The first five packets fill the
 * buffers of the ring, five more those behind the hosts, and nothing moves from the first
 * microseconds on. It is found when ports have stood still for a sample, at 1 ms: the mean is taken
 * from the warm-up until then, not until the end that was planned. */
static void test_deadlock_ends_the_measurement(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 4 ms, warmup: 100 us, sample: 500 us, allow_deadlock: yes}\n"
            "topology: {kind: torus, radix: [5]}\n"
            "routing: {kind: dor, datelines: no}\n"
            "switch: {buffer: 2 KiB}\n"
            "nic: {mtu: 2 KiB}\n"
            "traffic: [{pattern: tornado}]\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
    assert_non_null(strstr(r.detail, "deadlock"));
    assert_int_equal(r.sim_time, COP_MS);
    assert_int_equal(r.packets_injected, 10);
    assert_int_equal(r.packets_in_flight, 10);
    assert_int_equal(r.packets_delivered, 0);
    same_number("mean in the network", r.little_mean_in_network, 10);
    same_number("rate x latency", r.little_rate_times_latency, 0);
    same_number("throughput", r.throughput_total_gbps, 0);
    for (uint32_t i = 0; i < r.n_ports; i++)
        same_number(r.port[i].name, r.port[i].utilisation, 0);
    cop_result_free(&r);
}

/* Nothing was measured: rates and means are 0, and numbers. */
static void test_stopped_before_the_warmup_is_over(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 4 ms, warmup: 3 ms, sample: 500 us, allow_deadlock: yes}\n"
            "topology: {kind: torus, radix: [5]}\n"
            "routing: {kind: dor, datelines: no}\n"
            "switch: {buffer: 2 KiB}\n"
            "nic: {mtu: 2 KiB}\n"
            "traffic: [{pattern: tornado}]\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
    assert_int_equal(r.sim_time, COP_MS);
    assert_true(r.throughput_total_gbps == 0.0 && r.throughput_gbps == 0.0);
    assert_true(r.little_mean_in_network == 0.0 && r.little_rate_times_latency == 0.0);
    for (uint32_t i = 0; i < r.n_streams; i++)
        assert_true(r.stream[i].gbps == 0.0 && r.stream[i].latency_mean_ns == 0.0);
    for (uint32_t i = 0; i < r.n_nodes; i++)
        assert_true(r.node[i].sent_gbps == 0.0 && r.node[i].received_gbps == 0.0);
    for (uint32_t i = 0; i < r.n_ports; i++)
        assert_true(r.port[i].utilisation == 0.0 && r.port[i].mean_queue_bytes == 0.0);
    cop_result_free(&r);
}

/* The sink needs 8 ms for a packet and stops its link too late: the run ends with the first packet
 * that finds no room. It is lost, all others are inside. */
static void test_loss_ends_the_run(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 200 us}\n"
            "topology: {kind: single, hosts: 2}\n"
            "link: {rate: 16 Gbit/s, delay: 500 ns}\n"
            "switch: {pipeline: 600 ns, header: 64 B, buffer: 16 KiB}\n"
            "flow_control: {kind: on-off, delay: 50 ns, xoff: 3 KiB, unsafe: yes}\n"
            "nic: {mtu: 1 KiB, receive_rate: 1 Mbit/s}\n"
            "traffic: [{from: [0], pattern: fixed, to: 1}]\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_LOSS);
    assert_non_null(strstr(r.detail, "buffer overflow at s0.0"));
    assert_true(r.sim_time < 200 * COP_US);
    assert_int_equal(r.packets_lost, 1);
    assert_int_equal(r.packets_delivered, 0);
    assert_true(r.packets_injected > 16); /* more than one buffer */
    assert_int_equal(r.packets_in_flight, r.packets_injected - 1);
    assert_int_equal(r.bytes_injected, 1024 * r.packets_injected);
    assert_int_equal(r.stream[0].sent_bytes, r.bytes_injected);
    cop_result_free(&r);
}

/* -- memory -- */

/* What an input has: per lane a buffer, or one that the lanes share, or one per destination and
 * lane. */
static void test_memory_of_an_input(void **state)
{
    (void)state;
    static const struct {
        const char *set[3];
        double sections, bytes, queues;
    } want[] = {
        {{"switch.lanes=1", "queueing.kind=1q", "switch.buffer=16 KiB"}, 1, 16384, 1},
        {{"switch.lanes=3", "queueing.kind=1q", "switch.buffer=16 KiB"}, 3, 3 * 16384, 3},
        {{"switch.lanes=2", "queueing.kind=voqsw", "switch.buffer=8 KiB"}, 2, 2 * 8192, 2 * 5},
        {{"switch.lanes=2", "switch.shared_lanes=yes", "switch.buffer=8 KiB"}, 1, 8192, 2 * 5},
        {{"switch.lanes=1", "queueing.kind=voqnet", "switch.buffer=4 KiB"}, 7, 7 * 4096, 7},
        {{"switch.lanes=2", "queueing.kind=voqnet", "switch.buffer=4 KiB"}, 14, 14 * 4096, 14},
    };
    for (size_t i = 0; i < COP_LEN(want); i++) {
        cop_result r;
        scn_run("run: {duration: 10 us}\n"
                "topology: {kind: chain, hosts: [4, 3]}\n"
                "nic: {mtu: 2 KiB, buffer: 32 KiB}\n" /* of the hosts: another matter */
                "traffic: [{pattern: uniform, arrival: poisson, load: 10 %}]\n",
                want[i].set, 3, &r, NULL);
        same_number("sections", scalar(&r, "input_sections"), want[i].sections);
        same_number("bytes", scalar(&r, "input_memory_bytes"), want[i].bytes);
        same_number("RAM", scalar(&r, "hardware.ram_bytes_per_port"), want[i].bytes);
        same_number("queues", scalar(&r, "hardware.queues_per_port"), want[i].queues);
        cop_result_free(&r);
    }
}

/* -- names -- */

/* Both neighbours of a rank are the same host in a ring of two: two streams of one host to one
 * other. */
static void test_names_of_several_streams_of_a_host(void **state)
{
    (void)state;
    static const char *const names[] = {"throughput/ring/0", "throughput/ring/0#2",
                                        "throughput/ring/1", "throughput/ring/1#2",
                                        "throughput/lone"};
    cop_result r;
    scn_run("run: {duration: 1 ms}\n"
            "topology: {kind: single, hosts: 4}\n"
            "traffic:\n"
            "  - {name: ring, from: [0, 1], exchange: natural-ring, message: 2 KiB}\n"
            "  - {name: lone, from: [2], pattern: fixed, to: 3}\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.n_streams, 5);
    assert_int_equal(r.n_series, 5 + 3);
    for (size_t i = 0; i < COP_LEN(names); i++)
        assert_string_equal(r.series[i].name, names[i]);
    assert_true(scalar(&r, "exchange/ring/0-1/steps") > 0);
    same_number("twin", scalar(&r, "exchange/ring/0-1#2/steps"),
                scalar(&r, "exchange/ring/0-1/steps"));
    cop_result_free(&r);
}

/* -- hot spots -- */

/* The hotspots move at 1 ms, when the warm-up is over, and then stay: a hotspot is one all the
 * time. */
static void test_share_of_time_as_a_hotspot(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 2 ms, warmup: 1 ms, sample: 100 us}\n"
                               "topology: {kind: single, hosts: 16}\n"
                               "traffic:\n"
                               "  - {pattern: forest, v_share: 25 %, hotspots: 3, lifetime: 1 ms,"
                               " arrival: constant, load: 5 %}\n";
    static const char *const whole[] = {"run.warmup=0 us"};
    cop_result r, all;
    scn_run(yaml, NULL, 0, &r, NULL);
    scn_run(yaml, whole, 1, &all, NULL);
    double later = 0, moved = 0, sum = 0;
    for (uint32_t h = 0; h < 16; h++) {
        assert_true(r.node[h].hotspot == 0.0 || r.node[h].hotspot == 1.0);
        /* Of the whole run half a share for each of the two places. */
        double before = 2 * all.node[h].hotspot - r.node[h].hotspot;
        assert_true(before == 0.0 || before == 1.0);
        moved += before != r.node[h].hotspot;
        later += r.node[h].hotspot;
        sum += all.node[h].hotspot;
    }
    assert_true(moved > 0); /* else the two halves could not be told apart */
    same_number("hotspots", later, 3);
    same_number("hotspots", sum, 3);
    cop_result_free(&r);
    cop_result_free(&all);
}

/* A deadlock within the first millisecond: the places after that were never measured. */
static void test_share_of_time_as_a_hotspot_before_a_deadlock(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 4 ms, sample: 100 us, allow_deadlock: yes}\n"
            "topology: {kind: torus, radix: [5]}\n"
            "routing: {kind: dor, datelines: no}\n"
            "switch: {buffer: 2 KiB}\n"
            "nic: {mtu: 2 KiB}\n"
            "traffic:\n"
            "  - {pattern: tornado}\n"
            "  - {pattern: forest, hotspots: 1, lifetime: 1 ms, arrival: constant, load: 1 %}\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
    assert_in_range(r.sim_time, 100 * COP_US, COP_MS - 1);
    double sum = 0;
    for (uint32_t h = 0; h < 5; h++) {
        assert_true(r.node[h].hotspot == 0.0 || r.node[h].hotspot == 1.0);
        sum += r.node[h].hotspot;
    }
    same_number("hotspots", sum, 1);
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_counts_what_is_inside_at_the_ends),
        cmocka_unit_test(test_drain_measures_nothing),
        cmocka_unit_test(test_the_last_bin_ends_with_the_measured_time),
        cmocka_unit_test(test_a_bin_of_a_run_that_ends_before),
        cmocka_unit_test(test_drain_counts_in_no_queue),
        cmocka_unit_test(test_a_long_drain_is_cheap),
        cmocka_unit_test(test_deadlock_ends_the_measurement),
        cmocka_unit_test(test_stopped_before_the_warmup_is_over),
        cmocka_unit_test(test_loss_ends_the_run),
        cmocka_unit_test(test_memory_of_an_input),
        cmocka_unit_test(test_names_of_several_streams_of_a_host),
        cmocka_unit_test(test_share_of_time_as_a_hotspot),
        cmocka_unit_test(test_share_of_time_as_a_hotspot_before_a_deadlock),
    };
    return cmocka_run_group_tests_name("results_end", tests, NULL, NULL);
}
