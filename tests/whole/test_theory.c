/* Queueing theory: the simulator against results that hold for any correct switch model.
 *
 * Input queueing with one FIFO saturates at 2 - sqrt 2 for large switches (Karol, Hluchyj, Morgan,
 * IEEE Trans. Communications 1987), queues per output at 1. Waiting times of M/D/1 and M/G/1
 * (Pollaczek, Khinchine). Little's law. Work conservation and the credit round trip, exactly.
 * The simulator's uniform traffic never sends to oneself, so saturation is measured with N senders
 * and N other hosts as receivers: every input is uniform over all N outputs. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static void near(const char *what, double got, double want, double relative)
{
    double off = got - want;
    if (!(off <= relative * want && -off <= relative * want))
        fail_msg("%s: %.5f, expected %.5f within %.1f %%", what, got, want, 100.0 * relative);
}

/* No link ever carries more than its rate; a packet counts when it starts, hence the allowance. */
static void run_ok(const char *yaml, const char *const *set, size_t n, double packet_ns,
                   cop_result *r)
{
    scn_run(yaml, set, n, r, NULL);
    if (r->outcome != COP_OUTCOME_OK)
        fail_msg("outcome %d: %s", r->outcome, r->detail);
    assert_int_equal(r->packets_injected, r->packets_delivered + r->packets_in_flight);
    double span_ns = (double)(r->sim_time - r->warmup) / 1e3;
    for (uint32_t i = 0; i < r->n_ports; i++)
        if (r->port[i].utilisation > 1.0 + packet_ns / span_ns)
            fail_msg("%s is used %.6f", r->port[i].name, r->port[i].utilisation);
}

/* -- saturation of one switch -- */

/* Delivered part of the N outputs' capacity. Packets of 128 ns. */
static double saturation(unsigned n, const char *duration, const char *const *set, size_t n_set)
{
    static const char head[] = "topology: {kind: single, hosts: %u}\n"
                               "run: {duration: %s, warmup: 100 us}\n"
                               "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                               "switch: {buffer: 64 KiB}\n"
                               "nic: {mtu: 256 B}\n"
                               "traffic:\n"
                               "  - {name: u, from: \"0-%u\", pattern: list, to_order: random,\n"
                               "     message: 256 B, to_list: [";
    char yaml[2048];
    size_t len = strlen(scn_text(yaml, sizeof(yaml), head, 2 * n, duration, n - 1));
    for (unsigned i = 0; i < n; i++)
        len += strlen(
            scn_text(yaml + len, sizeof(yaml) - len, "%u%s", n + i, i + 1 < n ? ", " : "]}\n"));
    cop_result r;
    run_ok(yaml, set, n_set, 128.0, &r);
    double got = r.throughput_total_gbps / 16.0 / n;
    cop_result_free(&r);
    return got;
}

static void fifo_saturation(void **state)
{
    (void)state;
    static const char *const set[][3] = {
        {"switch.architecture=iq", "queueing.kind=1q", "switch.arbitration=round-robin"},
        {"switch.architecture=iq", "queueing.kind=1q", "switch.arbitration=random"},
    };
    for (size_t i = 0; i < COP_LEN(set); i++) {
        near("FIFO, N = 2", saturation(2, "12 ms", set[i], 3), 0.75, 0.01);
        near("FIFO, N = 3", saturation(3, "12 ms", set[i], 3), 0.6825, 0.01);
        near("FIFO, N = 4", saturation(4, "12 ms", set[i], 3), 0.6553, 0.01);
        near("FIFO, N = 8", saturation(8, "6 ms", set[i], 3), 0.6184, 0.01);
        double large = saturation(64, "2 ms", set[i], 3);
        assert_true(large > 0.58 && large < 0.60); /* limit 0.5858 */
    }
}

static void voq_saturation(void **state)
{
    (void)state;
    static const char *const ib[] = {"switch.architecture=ib", "queueing.kind=voqsw"};
    static const char *const islip[] = {"switch.architecture=iq", "queueing.kind=voqsw"};
    static const char *const cioq[] = {"switch.architecture=cioq", "queueing.kind=1q"};
    static const unsigned sizes[] = {2, 4, 8, 64};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        const char *duration = sizes[i] == 64 ? "1 ms" : "5 ms";
        assert_true(saturation(sizes[i], duration, ib, 2) > 0.98);
        assert_true(saturation(sizes[i], duration, islip, 2) > 0.97);
        assert_true(saturation(sizes[i], duration, cioq, 2) > 0.98);
    }
}

/* McKeown, "The iSLIP scheduling algorithm", IEEE/ACM Trans. Networking 1999: in a 2 x 2 switch
 * under heavy load, output pointers that move with every grant stay in step once they are, and then
 * halve the throughput; those that move on accepted grants only get out of step and lose nothing.
 * How often they are in step is chance, hence several seeds. */
static void matching_pointers(void **state)
{
    (void)state;
    double sum = 0.0;
    for (int seed = 1; seed <= 8; seed++) {
        char text[32];
        scn_text(text, sizeof(text), "run.seed=%d", seed);
        const char *rrm[] = {"switch.architecture=iq", "switch.iterations=1", text,
                             "switch.matching=rrm"};
        const char *islip[] = {"switch.architecture=iq", "switch.iterations=1", text,
                               "switch.matching=islip"};
        double step = saturation(2, "4 ms", rrm, 4), free = saturation(2, "4 ms", islip, 4);
        assert_true(step > 0.49 && step < free && free > 0.98);
        sum += step;
    }
    assert_true(sum / 8 < 0.9);
    static const char *const large[] = {"switch.architecture=iq", "switch.iterations=1"};
    assert_true(saturation(16, "2 ms", large, 2) > 0.95);
}

/* -- waiting times -- */

/* Poisson sources to one output. With equal packets, waiting at the source and in the switch
 * together is that of a single queue fed by all sources, whatever their number: a source only
 * spaces its packets by a service time, which the output would do as well. */
static void mean_wait_of_equal_packets(void **state)
{
    (void)state;
    static const struct {
        unsigned sources;
        double load;
        const char *set[3]; /* the third: output buffers */
    } want[] = {
        {16, 0.5, {"switch.arbitration=round-robin", "switch.architecture=ib"}},
        {16, 0.8, {"switch.arbitration=round-robin", "switch.architecture=ib"}},
        {16, 0.8, {"switch.arbitration=age", "switch.architecture=ib"}},
        {16,
         0.8,
         {"switch.arbitration=age", "switch.architecture=ib", "switch.output_buffer=1 MiB"}},
        {4, 0.8, {"switch.arbitration=round-robin", "switch.architecture=iq"}},
        {40,
         0.8,
         {"switch.arbitration=round-robin", "switch.architecture=cioq",
          "switch.output_buffer=1 MiB"}},
    };
    const double service = 128.0, alone = 20 + 32 + 100 + 20 + 128; /* ns */
    for (size_t i = 0; i < COP_LEN(want); i++) {
        char yaml[768];
        unsigned n = want[i].sources;
        double rho = want[i].load, own = rho / n;
        scn_text(yaml, sizeof(yaml),
                 "run: {duration: 120 ms, warmup: 1 ms, sample: 5011 ns}\n"
                 "topology: {kind: single, hosts: %u}\n"
                 "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                 "switch: {pipeline: 100 ns, header: 64 B, buffer: 256 KiB}\n"
                 "nic: {mtu: 256 B, buffer: 1 MiB}\n"
                 "traffic:\n"
                 "  - {name: u, pattern: all-to-one, to: %u, message: 256 B, arrival: poisson,\n"
                 "     rate: %.0f bit/s}\n",
                 n + 1, n, own * 16e9);
        cop_result r;
        bool buffered = want[i].set[2] != NULL;
        run_ok(yaml, want[i].set, buffered ? 3 : 2, service, &r);
        double lambda = rho / service;
        double all = rho * service / (2 * (1 - rho)), source = own * service / (2 * (1 - own));
        double waited = cop_hist_mean(r.latency) / 1e3 - alone;
        near("M/D/1", waited, all, 0.03);
        near("M/D/1, in the switch", cop_hist_mean(r.transit) / 1e3 - alone, all - source, 0.04);
        near("arrivals", r.throughput_total_gbps / 16.0, rho, 0.01);
        /* Number waiting for the output, by Little's law. Output buffers are not in that figure. */
        if (!buffered)
            for (uint32_t p = 0; p < r.n_ports; p++)
                if (r.port[p].mean_queue_bytes > 0)
                    near("mean queue", r.port[p].mean_queue_bytes / 256, lambda * (all - source),
                         0.05);
        cop_result_free(&r);
    }
}

/* Short and long packets: W = lambda E[S^2] / (2 (1 - rho)). Many slow sources, so that what waits
 * at a source is negligible. */
static void mean_wait_of_mixed_packets(void **state)
{
    (void)state;
    static const double loads[] = {0.5, 0.8};
    for (size_t i = 0; i < COP_LEN(loads); i++) {
        char yaml[768];
        scn_text(yaml, sizeof(yaml),
                 "run: {duration: 150 ms, warmup: 1 ms}\n"
                 "topology: {kind: single, hosts: 201}\n"
                 "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                 "switch: {pipeline: 100 ns, header: 64 B, buffer: 256 KiB}\n"
                 "nic: {mtu: 2 KiB, buffer: 1 MiB}\n"
                 "traffic:\n"
                 "  - {name: u, pattern: all-to-one, to: 200, size_distribution: bimodal,\n"
                 "     size_small: 128 B, size_large: 1024 B, small_share: 75 %%,\n"
                 "     arrival: poisson, rate: %.0f bit/s}\n",
                 loads[i] * 16e9 / 200);
        cop_result r;
        run_ok(yaml, NULL, 0, 512.0, &r);
        const double mean = 0.75 * 64 + 0.25 * 512, square = 0.75 * 64 * 64 + 0.25 * 512 * 512;
        double lambda = loads[i] / mean, alone = 20 + 32 + 100 + 20 + mean;
        double wait = lambda * square / (2 * (1 - loads[i]));
        near("M/G/1", cop_hist_mean(r.latency) / 1e3 - alone, wait, 0.04);
        cop_result_free(&r);
    }
}

/* -- Little's law: packets in the network = delivery rate x time in it -- */

static void littles_law(void **state)
{
    (void)state;
    static const char *const network[] = {
        "topology: {kind: kary-ntree, k: 4, n: 2}\n"
        "traffic:\n"
        "  - {pattern: uniform, arrival: poisson, load: 0.6}\n",
        "topology: {kind: kary-ntree, k: 3, n: 3}\n"
        "queueing: {kind: 1q}\n"
        "traffic:\n"
        "  - {pattern: uniform}\n",
        "topology: {kind: chain, hosts: [3, 4]}\n"
        "traffic:\n"
        "  - {from: [0, 1, 5, 6], pattern: fixed, to: 4}\n",
        "topology: {kind: torus, radix: [4, 4]}\n"
        "flow_control: {kind: on-off}\n"
        "traffic:\n"
        "  - {pattern: uniform, arrival: bernoulli, load: 0.5, phase: random}\n",
        "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
        "routing: {kind: dragonfly-valiant}\n"
        "switch: {architecture: cioq}\n"
        "traffic:\n"
        "  - {pattern: uniform, arrival: poisson, load: 0.3}\n",
        "topology: {kind: single, hosts: 5}\n"
        "flow_control: {kind: ack-nack}\n"
        "traffic:\n"
        "  - {pattern: all-to-one, to: 0}\n",
    };
    static const char *const set[] = {"run.duration=6 ms", "run.warmup=1 ms", "run.sample=3011 ns",
                                      "link.rate=16 Gbit/s"};
    for (size_t i = 0; i < COP_LEN(network); i++) {
        cop_result r;
        run_ok(network[i], set, COP_LEN(set), 1024.0, &r);
        assert_true(r.little_mean_in_network > 1.0);
        near("Little", r.little_mean_in_network, r.little_rate_times_latency, 0.02);
        cop_result_free(&r);
    }
}

/* -- work conservation, exactly -- */

/* N hosts send k packets each to one sink, and every input has room for one packet only. A freed
 * input has its next packet ready 2 d + header + pipeline = 172 ns later; a packet takes 128 ns. So
 * a round of N takes max(N x 128, 172 + 128) ns: from N = 3 on the output never idles. */
static void credits_keep_the_output_busy(void **state)
{
    (void)state;
    static const char *const architecture[] = {"switch.architecture=ib", "switch.architecture=iq"};
    static const char *const queueing[] = {"queueing.kind=1q", "queueing.kind=voqsw",
                                           "queueing.kind=voqnet"};
    const uint64_t packet = 128, alone = 20 + 32 + 100 + 20 + 128, k = 50;
    for (size_t a = 0; a < COP_LEN(architecture); a++)
        for (size_t q = 0; q < COP_LEN(queueing); q++)
            for (unsigned n = 1; n <= 8; n++) {
                char yaml[768];
                const char *set[] = {architecture[a], queueing[q]};
                scn_text(yaml, sizeof(yaml),
                         "run: {duration: 1 ms}\n"
                         "topology: {kind: single, hosts: 9}\n"
                         "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                         "switch: {pipeline: 100 ns, header: 64 B, buffer: 256 B}\n"
                         "nic: {mtu: 256 B, buffer: 64 KiB}\n"
                         "traffic:\n"
                         "  - {from: \"0-%u\", pattern: fixed, to: 8, message: %u B,\n"
                         "     messages: 1}\n",
                         n - 1, (unsigned)k * 256);
                cop_result r;
                run_ok(yaml, set, 2, 128.0, &r);
                uint64_t round = n * packet > 300 ? n * packet : 300;
                assert_int_equal(r.packets_delivered, n * k);
                assert_int_equal(r.latency->max,
                                 (alone + (k - 1) * round + (n - 1) * packet) * COP_NS);
                cop_result_free(&r);
            }
}

/* The credit round trip of a host's link is 300 ns, a packet 128 ns: with room for one packet of each
 * host one goes per round trip, with room for two two. Ports between switches keep their
 * own size. */
static void host_buffers_have_their_own_size(void **state)
{
    (void)state;
    static const struct {
        const char *size;
        double gbps;
    } cases[] = {{"switch.host_buffer=0", 2048 / 300.0},
                 {"switch.host_buffer=512 B", 2 * 2048 / 300.0},
                 {"switch.host_buffer=64 KiB", 16.0}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        const char *set[] = {cases[i].size};
        run_ok("run: {duration: 1 ms, warmup: 100 us}\n"
               "topology: {kind: single, hosts: 2, names: left right}\n"
               "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
               "switch: {pipeline: 100 ns, header: 64 B, buffer: 256 B}\n"
               "nic: {mtu: 256 B, buffer: 64 KiB}\n"
               "traffic: [{name: f, from: left, pattern: fixed, to: right, message: 4 KiB}]\n",
               set, 1, 128.0, &r);
        near(cases[i].size, scn_gbps(&r, "f"), cases[i].gbps, 0.001);
        cop_result_free(&r);
    }
    double trunk[2];
    for (size_t i = 0; i < 2; i++) {
        cop_result r;
        const char *set[] = {cases[2 * i].size};
        run_ok("run: {duration: 1 ms, warmup: 100 us}\n"
               "topology: {kind: chain, hosts: [1, 1]}\n"
               "link: {rate: 16 Gbit/s, delay: 20 ns, trunk_delay: 200 ns}\n"
               "switch: {pipeline: 100 ns, header: 64 B, buffer: 256 B}\n"
               "nic: {mtu: 256 B, buffer: 64 KiB}\n"
               "traffic: [{name: f, from: [0], pattern: fixed, to: 1, message: 4 KiB}]\n",
               set, 1, 128.0, &r);
        trunk[i] = scn_gbps(&r, "f");
        cop_result_free(&r);
    }
    /* 2 x 200 + 32 + 100 + 128 ns, whatever the host's buffer. */
    near("trunk", trunk[0], 2048 / 660.0, 0.001);
    near("trunk", trunk[1], 2048 / 660.0, 0.001);
}

/* With enough room the last of N k packets is delivered after N k packet times, in every kind of
 * switch; and until then round robin has served every input equally, to one packet. */
static void incast_is_fair_and_busy(void **state)
{
    (void)state;
    static const char *const architecture[] = {"switch.architecture=ib", "switch.architecture=iq",
                                               "switch.architecture=cioq"};
    static const char *const durations[] = {"run.duration=300 us", "run.duration=31234567 ps"};
    for (size_t a = 0; a < COP_LEN(architecture); a++)
        for (unsigned n = 2; n <= 7; n++)
            for (size_t d = 0; d < COP_LEN(durations); d++) {
                char yaml[512];
                const char *set[] = {architecture[a], durations[d]};
                scn_text(yaml, sizeof(yaml),
                         "run: {duration: 300 us}\n"
                         "topology: {kind: single, hosts: 8}\n"
                         "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                         "nic: {mtu: 1 KiB}\n"
                         "traffic:\n"
                         "  - {from: \"0-%u\", pattern: fixed, to: 7, message: 40 KiB,\n"
                         "     messages: 1}\n",
                         n - 1);
                cop_result r;
                run_ok(yaml, set, 2, 512.0, &r);
                uint64_t least = UINT64_MAX, most = 0;
                for (uint32_t s = 0; s < n; s++) {
                    uint64_t got = r.stream[s].delivered_bytes / 1024;
                    least = got < least ? got : least;
                    most = got > most ? got : most;
                }
                assert_true(most - least <= 1);
                const uint64_t alone = 20 + 32 + 100 + 20 + 512;
                if (d == 0)
                    assert_int_equal(r.latency->max, (alone + (n * 40 - 1) * 512) * COP_NS);
                else
                    assert_int_equal(r.packets_delivered, 1 + (31234567 - alone * 1000) / 512000);
                cop_result_free(&r);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifo_saturation),
        cmocka_unit_test(voq_saturation),
        cmocka_unit_test(matching_pointers),
        cmocka_unit_test(mean_wait_of_equal_packets),
        cmocka_unit_test(mean_wait_of_mixed_packets),
        cmocka_unit_test(littles_law),
        cmocka_unit_test(credits_keep_the_output_busy),
        cmocka_unit_test(host_buffers_have_their_own_size),
        cmocka_unit_test(incast_is_fair_and_busy),
    };
    return cmocka_run_group_tests_name("theory", tests, NULL, NULL);
}
