/* Claims of the papers that follow from the set-up alone: no congestion control, small networks,
 * shares and rates known in closed form. Each check names its row of the claims catalogue and uses
 * that row's tolerance. Rows gran0-6 to gran0-9 (counts of topologies) are in test_topo.c, gran0-22
 * and qcn-70 (latencies) in test_latency.c. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static void near(const char *row, double got, double want, double relative)
{
    double off = got - want;
    if (!(off <= relative * want && -off <= relative * want))
        fail_msg("%s: %.5f, expected %.5f within %.1f %%", row, got, want, 100.0 * relative);
}

static void between(const char *row, double got, double low, double high)
{
    if (!(got >= low && got <= high))
        fail_msg("%s: %.5f, expected %.5f to %.5f", row, got, low, high);
}

static const cop_port_result *port_of(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_ports; i++)
        if (strcmp(r->port[i].name, name) == 0)
            return &r->port[i];
    fail_msg("no port %s", name);
    return NULL;
}

/* Mean throughput of an entry over the bins of [from, to); an entry may have several series. */
static double window(const cop_result *r, const char *entry, cop_time from, cop_time to)
{
    char name[64];
    size_t len = (size_t)snprintf(name, sizeof(name), "throughput/%s", entry);
    double sum = 0.0;
    uint32_t found = 0, bins = (uint32_t)((to - from) / r->sample);
    for (uint32_t i = 0; i < r->n_series; i++) {
        const char *is = r->series[i].name;
        if (strncmp(is, name, len) != 0 || (is[len] != '\0' && is[len] != '/'))
            continue;
        found++;
        for (uint32_t b = 0; b < bins; b++)
            sum += r->series[i].v[from / r->sample + b];
    }
    assert_true(found > 0 && bins > 0);
    return sum / bins;
}

static void run_ok(const char *yaml, const char *const *set, size_t n, cop_result *r)
{
    scn_run(yaml, set, n, r, NULL);
    if (r->outcome != COP_OUTCOME_OK)
        fail_msg("outcome %d: %s", r->outcome, r->detail);
    assert_int_equal(r->packets_lost, 0);
    assert_int_equal(r->packets_injected, r->packets_delivered + r->packets_in_flight);
}

/* -- S-gran0-A: two switches, three hot flows to E5 (host 4), a victim E1 -> E4 -- */

static const char two_switches[] =
    "run: {duration: 10 ms, sample: 50 us, warmup: 7 ms}\n"
    "topology: {kind: chain, hosts: [3, 4]}\n"
    "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
    "switch: {buffer: 64 KiB}\n"
    "traffic:\n"
    "  - {name: E2, from: [1], pattern: fixed, to: 4, start: 2 ms}\n"
    "  - {name: E6, from: [5], pattern: fixed, to: 4, start: 2 ms}\n"
    "  - {name: E7, from: [6], pattern: fixed, to: 4, start: 2 ms}\n"
    "  - {name: E1, from: [0], pattern: fixed, to: 3, active: [0 ms, 2 ms, 5 ms]}\n";

static void victim_and_hot_flows(void **state)
{
    (void)state;
    static const struct {
        const char *queueing;
        double victim, tolerance;
    } want[] = {
        {"queueing.kind=1q", 10.0 / 3, 0.05}, /* gran0-2 */
        {"queueing.kind=voqsw", 10.0 / 3, 0.05}, /* gran0-15: high-order blocking remains */
        {"queueing.kind=voqnet", 10.0, 0.02}, /* gran0-4, gran0-16 */
    };
    for (size_t i = 0; i < COP_LEN(want); i++) {
        cop_result r;
        run_ok(two_switches, &want[i].queueing, 1, &r);
        static const char *const hot[] = {"E2", "E6", "E7"};
        for (size_t f = 0; f < COP_LEN(hot); f++) {
            near("gran0-1", window(&r, hot[f], 3 * COP_MS, 5 * COP_MS), 10.0 / 3, 0.03);
            near("gran0-1, gran0-4", window(&r, hot[f], 7 * COP_MS, 10 * COP_MS), 10.0 / 3, 0.03);
        }
        double alone = window(&r, "E1", COP_MS / 2, 2 * COP_MS);
        double victim = window(&r, "E1", 7 * COP_MS, 10 * COP_MS);
        near("free network", alone, 10.0, 0.01);
        near(want[i].queueing, victim, want[i].victim, want[i].tolerance);
        if (want[i].victim < 10.0) {
            near("gran0-2", victim, window(&r, "E2", 7 * COP_MS, 10 * COP_MS), 0.05);
            between("gran0-3", 1.0 - victim / alone, 2.0 / 3 - 0.03, 2.0 / 3 + 0.03);
        }
        cop_result_free(&r);
    }
}

/* gran0-5: the tree has its root at S2's port to E5; it fills S1's port to S2 as well and holds
 * back E2, E6, E7 and, through head-of-line blocking, E1. No other queue has anything in it. */
static void congestion_tree(void **state)
{
    (void)state;
    cop_result r;
    run_ok(two_switches, NULL, 0, &r);
    for (uint32_t i = 0; i < r.n_ports; i++) {
        const cop_port_result *p = &r.port[i];
        bool root = strcmp(p->name, "s1.1") == 0, branch = strcmp(p->name, "s0.3") == 0;
        if (root || branch)
            assert_true(p->mean_queue_bytes > 100e3);
        else
            assert_int_equal(p->max_queue_bytes, 0);
    }
    assert_string_equal(port_of(&r, "s1.1")->to, "h4");
    near("root is busy", port_of(&r, "s1.1")->utilisation, 1.0, 0.01);
    near("branch waits", port_of(&r, "s0.3")->utilisation, 1.0 / 3, 0.03);
    static const char *const held[] = {"h0", "h1", "h5", "h6"};
    for (size_t i = 0; i < COP_LEN(held); i++)
        near("gran0-5", port_of(&r, held[i])->utilisation, 1.0 / 3, 0.05);
    cop_result_free(&r);
}

/* -- S-gran0-D: one switch, the heads of three inputs want the same output -- */

/* When the only packet of stream `s`, generated at t_gen, was delivered. */
static cop_time delivered_at(const cop_result *r, uint32_t s, cop_time t_gen)
{
    assert_int_equal(r->stream[s].packets, 1);
    return t_gen + (cop_time)(r->stream[s].latency_mean_ns * 1e3 + 0.5);
}

/* Packets of 1024 ns each. At t = 0 hosts 0, 1 and 3 send to host 2; behind them host 1 has one for
 * host 0, host 3 one for host 1. Round robin serves inputs 0, 1, 3. gran0-13: with one FIFO the
 * second packets wait for the first although their outputs are idle. gran0-14: with a queue per
 * output they pass, the others for output 2 still wait. Exact. */
static void heads_in_conflict(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 100 us}\n"
        "topology: {kind: single, hosts: 4}\n"
        "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
        "switch: {pipeline: 100 ns, header: 64 B}\n"
        "traffic:\n"
        "  - {from: [0], pattern: fixed, to: 2, message: 2 KiB, messages: 1}\n"
        "  - {from: [1], pattern: fixed, to: 2, message: 2 KiB, messages: 1}\n"
        "  - {from: [3], pattern: fixed, to: 2, message: 2 KiB, messages: 1}\n"
        "  - {from: [1], pattern: fixed, to: 0, message: 2 KiB, messages: 1, "
        "start: 1024 ns}\n"
        "  - {from: [3], pattern: fixed, to: 1, message: 2 KiB, messages: 1, "
        "start: 1024 ns}\n";
    static const struct {
        const char *set[2];
        unsigned start[5]; /* in packet times after the first head may go on */
    } want[] = {
        {{"queueing.kind=1q", "switch.architecture=ib"}, {0, 1, 2, 2, 3}},
        {{"queueing.kind=1q", "switch.architecture=iq"}, {0, 1, 2, 2, 3}},
        {{"queueing.kind=voqsw", "switch.architecture=ib"}, {0, 1, 2, 1, 1}},
    };
    const cop_time packet = 1024 * COP_NS, first = (20 + 32 + 100) * COP_NS;
    for (size_t i = 0; i < COP_LEN(want); i++) {
        cop_result r;
        run_ok(yaml, want[i].set, 2, &r);
        static const uint32_t host[] = {0, 1, 3, 1, 3}, dst[] = {2, 2, 2, 0, 1};
        for (uint32_t k = 0; k < 5; k++) {
            uint32_t s = 0; /* streams are ordered by host */
            while (r.stream[s].host != host[k] || r.stream[s].dst != dst[k])
                s++;
            cop_time start = first + want[i].start[k] * packet;
            assert_int_equal(delivered_at(&r, s, k < 3 ? 0 : packet), start + packet + 20 * COP_NS);
        }
        cop_result_free(&r);
    }
}

/* -- flow control -- */

/* gran0-19: credits come back after the round trip 2 d + header + pipeline + packet + processing.
 * With room for n packets the link carries n packets per round trip, until it is full. */
static void credit_round_trip(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double round_trip; /* ns; a packet takes 128 */
    } kind[] = {
        {"flow_control.kind=credit", 2 * 1000 + 32 + 100 + 128},
        {"flow_control.kind=ib", 2 * 1000 + 32 + 100 + 128},
        {"switch.shared_lanes=yes", 2 * 1000 + 32 + 100 + 128},
        {"flow_control.delay=300 ns", 2 * 1000 + 32 + 100 + 128 + 300},
        {"switch.switching=store-and-forward", 2 * 1000 + 128 + 100 + 128},
    };
    for (size_t k = 0; k < COP_LEN(kind); k++)
        for (unsigned n = 1; n <= 24; n++) {
            char buffer[48];
            const char *set[] = {scn_text(buffer, sizeof(buffer), "switch.buffer=%u B", n * 256),
                                 kind[k].set};
            cop_result r;
            run_ok("run: {duration: 400 us, warmup: 40 us}\n"
                   "topology: {kind: single, hosts: 2}\n"
                   "link: {rate: 16 Gbit/s, delay: 1 us}\n"
                   "switch: {pipeline: 100 ns, header: 64 B}\n"
                   "nic: {mtu: 256 B, buffer: 64 KiB}\n"
                   "traffic:\n"
                   "  - {name: f, from: [0], pattern: fixed, to: 1}\n",
                   set, 2, &r);
            double share = n * 128 / kind[k].round_trip, got = scn_gbps(&r, "f") / 16.0;
            near("gran0-19", got, share < 1.0 ? share : 1.0, 0.01);
            assert_true((share >= 1.0) == (got > 0.99));
            cop_result_free(&r);
        }
}

/* gran0-20, T_off. The sink takes nothing, so nothing leaves while OFF travels. Between the packet
 * that crosses T_off and the stop, packets of 512 ns start during 2 d + header + pipeline +
 * processing = 1682 ns: three more. They find room iff more than three packets were free when the
 * crossing one came, that is T_off > 3 packets. */
static void pause_in_time(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 200 us}\n"
                               "topology: {kind: single, hosts: 2}\n"
                               "link: {rate: 16 Gbit/s, delay: 500 ns}\n"
                               "switch: {pipeline: 600 ns, header: 64 B, buffer: 16 KiB}\n"
                               "flow_control: {kind: on-off, delay: 50 ns}\n"
                               "nic: {mtu: 1 KiB, receive_rate: 1 Mbit/s}\n"
                               "traffic:\n"
                               "  - {from: [0], pattern: fixed, to: 1}\n";
    static const char *const late[] = {"flow_control.xoff=3072 B", "flow_control.unsafe=yes"};
    static const char *const in_time[] = {"flow_control.xoff=3073 B", "flow_control.unsafe=yes"};
    static const char *const small[] = {"flow_control.xoff=4388 B"}; /* 1682 ns + a packet - 1 B */
    cop_result r;
    cop_err err = {0};
    run_ok(yaml, in_time, 2, &r);
    cop_result_free(&r);
    run_ok(yaml, NULL, 0, &r);
    cop_result_free(&r);
    assert_int_equal(scn_run(yaml, late, 2, &r, &err), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_LOSS);
    assert_int_equal(r.packets_lost, 1);
    assert_non_null(strstr(r.detail, "buffer overflow at s0.0"));
    cop_result_free(&r);
    assert_int_equal(scn_run(yaml, small, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "at least 4389 B"));
}

/* gran0-20, T_on. A 10 Gbit/s trunk is fed at 20 Gbit/s. After ON the first packet is ready for the
 * trunk 2 d + header + pipeline = 1525.6 ns later; a packet on the trunk takes 819.2 ns. Two
 * packets left over bridge that, one does not. */
static void resume_in_time(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 2 ms, warmup: 200 us}\n"
                               "topology: {kind: chain, hosts: [1, 1]}\n"
                               "link: {rate: 20 Gbit/s, trunk_rate: 10 Gbit/s, delay: 700 ns}\n"
                               "switch: {pipeline: 100 ns, header: 64 B, buffer: 16 KiB}\n"
                               "flow_control: {kind: on-off}\n"
                               "nic: {mtu: 1 KiB}\n"
                               "traffic:\n"
                               "  - {from: [0], pattern: fixed, to: 1}\n";
    static const char *const in_time[] = {"flow_control.xon=14335 B"}; /* 16384 - 2049 */
    static const char *const late[] = {"flow_control.xon=14336 B"};
    cop_result r;
    run_ok(yaml, in_time, 1, &r);
    near("gran0-20, no gap", port_of(&r, "s0.1")->utilisation, 1.0, 0.001);
    cop_result_free(&r);
    run_ok(yaml, late, 1, &r);
    between("gran0-20, gap", port_of(&r, "s0.1")->utilisation, 0.8, 0.985);
    cop_result_free(&r);
}

/* gran0-21: three hosts fill small receivers; refused packets go again. Short packets would fit
 * where a long one was refused, but must not overtake it: `flows` makes the simulator check the
 * order. */
static void ack_nack(void **state)
{
    (void)state;
    cop_result r;
    run_ok("run: {duration: 1 ms, drain: yes, flows: yes}\n"
           "topology: {kind: chain, hosts: [3, 1]}\n"
           "link: {rate: 10 Gbit/s, delay: 100 ns}\n"
           "switch: {buffer: 4 KiB}\n"
           "flow_control: {kind: ack-nack}\n"
           "traffic:\n"
           "  - {name: f, from: [0, 1, 2], pattern: fixed, to: 3, size_distribution: bimodal,\n"
           "     size_small: 64 B, size_large: 2 KiB}\n",
           NULL, 0, &r);
    assert_int_equal(r.packets_injected, r.packets_delivered);
    assert_int_equal(r.packets_in_flight, 0);
    assert_true(r.packets_delivered > 500);
    assert_int_equal(r.n_flows, 3);
    double resent = 0.0;
    for (uint32_t i = 0; i < r.n_scalars; i++)
        if (strcmp(r.scalar[i].name, "retransmissions") == 0)
            resent = r.scalar[i].value;
    assert_true(resent > 0.0);
    /* Each delivery takes three hops; what is beyond are the repetitions. */
    assert_int_equal(r.packet_hops, 3 * r.packets_delivered + (uint64_t)resent);
    cop_result_free(&r);
}

/* gran0-23: far from saturation a cut-through switch adds headers, near it whole packets wait, as
 * with store-and-forward. */
static void cut_through_under_load(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 1 ms, warmup: 200 us}\n"
                               "topology: {kind: kary-ntree, k: 4, n: 2}\n"
                               "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                               "traffic:\n"
                               "  - {name: u, pattern: uniform, arrival: poisson, load: 0.5,\n"
                               "     message: 2 KiB}\n";
    static const char *const load[] = {"traffic.u.load=0.02", "traffic.u.load=0.4",
                                       "traffic.u.load=0.7", "traffic.u.load=0.95"};
    double ratio[COP_LEN(load)], cut_low = 0.0;
    for (size_t i = 0; i < COP_LEN(load); i++) {
        const char *saf[] = {load[i], "switch.switching=store-and-forward"};
        cop_result cut, whole;
        run_ok(yaml, load + i, 1, &cut);
        run_ok(yaml, saf, 2, &whole);
        ratio[i] = cop_hist_mean(cut.transit) / cop_hist_mean(whole.transit);
        if (i == 0)
            cut_low = cop_hist_mean(cut.transit);
        cop_result_free(&cut);
        cop_result_free(&whole);
    }
    /* 3 of 15 destinations share the switch: one switch, the others are three switches away. */
    double one = 20 + 132 + 20 + 1024, three = one + 2 * (20 + 132);
    near("gran0-23, low load", cut_low, 1e3 * (3 * one + 12 * three) / 15, 0.03);
    for (size_t i = 1; i < COP_LEN(load); i++)
        assert_true(ratio[i] > ratio[i - 1]);
    assert_true(ratio[0] < 0.5);
    assert_true(ratio[COP_LEN(load) - 1] > 0.8);
}

/* gran0-24: where every switch is a neighbour of every other, congestion at one host fills only the
 * links to its switch. Other flows, also from the hot flows' switches, have full rate. */
static void full_network_does_not_spread(void **state)
{
    (void)state;
    cop_result r;
    run_ok("run: {duration: 2 ms, warmup: 1 ms}\n"
           "topology: {kind: full, switches: 6, hosts: 2}\n"
           "link: {rate: 10 Gbit/s}\n"
           "traffic:\n"
           "  - {name: hot, from: [2, 4, 6, 8, 10], pattern: fixed, to: 0}\n"
           "  - {name: c1, from: [3], pattern: fixed, to: 5}\n"
           "  - {name: c2, from: [5], pattern: fixed, to: 7}\n"
           "  - {name: c3, from: [7], pattern: fixed, to: 9}\n"
           "  - {name: c4, from: [1], pattern: fixed, to: 11}\n",
           NULL, 0, &r);
    near("gran0-24, hot", scn_gbps(&r, "hot"), 10.0, 0.01);
    static const char *const cold[] = {"c1", "c2", "c3", "c4"};
    for (size_t i = 0; i < COP_LEN(cold); i++)
        near("gran0-24", scn_gbps(&r, cold[i]), 10.0, 0.005);
    for (uint32_t i = 0; i < r.n_ports; i++) {
        const cop_port_result *p = &r.port[i];
        bool to_hot =
            p->name[0] == 's' && (strncmp(p->to, "s0.", 3) == 0 || strcmp(p->to, "h0") == 0);
        assert_true(to_hot == (p->max_queue_bytes > 0));
    }
    cop_result_free(&r);
}

/* -- shares of round robin -- */

/* gran0-25: f1 and f2 share an input, f3 is alone, one output. */
static void shared_input(void **state)
{
    (void)state;
    cop_result r;
    run_ok("run: {duration: 4 ms, warmup: 1 ms}\n"
           "topology: {kind: chain, hosts: [2, 2]}\n"
           "link: {rate: 10 Gbit/s}\n"
           "traffic:\n"
           "  - {name: f1, from: [0], pattern: fixed, to: 2}\n"
           "  - {name: f2, from: [1], pattern: fixed, to: 2}\n"
           "  - {name: f3, from: [3], pattern: fixed, to: 2}\n",
           NULL, 0, &r);
    near("gran0-25", scn_gbps(&r, "f1"), 2.5, 0.02);
    near("gran0-25", scn_gbps(&r, "f2"), 2.5, 0.02);
    near("gran0-25", scn_gbps(&r, "f3"), 5.0, 0.02);
    cop_result_free(&r);
}

/* gran2-35: turns by sources; three share an input, two are alone. With one queue per input and with matching, too. */
static void turns_by_sources(void **state)
{
    (void)state;
    static const char *const set[][2] = {{"queueing.kind=voqsw", "switch.architecture=ib"},
                                         {"queueing.kind=1q", "switch.architecture=ib"},
                                         {"queueing.kind=voqnet", "switch.architecture=ib"},
                                         {"queueing.kind=voqsw", "switch.architecture=iq"},
                                         {"queueing.kind=voqsw", "switch.architecture=cioq"}};
    for (size_t i = 0; i < COP_LEN(set); i++) {
        cop_result r;
        run_ok("run: {duration: 4 ms, warmup: 1 ms}\n"
               "topology: {kind: chain, hosts: [3, 3]}\n"
               "link: {rate: 10 Gbit/s}\n"
               "switch: {arbitration: flows}\n"
               "traffic:\n"
               "  - {name: f1, from: [0], pattern: fixed, to: 3}\n"
               "  - {name: f2, from: [1], pattern: fixed, to: 3}\n"
               "  - {name: f3, from: [2], pattern: fixed, to: 3}\n"
               "  - {name: f4, from: [4], pattern: fixed, to: 3}\n"
               "  - {name: f5, from: [5], pattern: fixed, to: 3}\n",
               set[i], 2, &r);
        near("gran2-35, shared", scn_gbps(&r, "f1"), 2.0, 0.01);
        near("gran2-35, shared", scn_gbps(&r, "f2"), 2.0, 0.01);
        near("gran2-35, shared", scn_gbps(&r, "f3"), 2.0, 0.01);
        near("gran2-35, alone", scn_gbps(&r, "f4"), 2.0, 0.01);
        near("gran2-35, alone", scn_gbps(&r, "f5"), 2.0, 0.01);
        cop_result_free(&r);
    }
}

static void epochs(const char *topology, const char *trunk, cop_result *r)
{
    char yaml[1024];
    scn_text(yaml, sizeof(yaml),
             "run: {duration: 10 ms, sample: 50 us}\n"
             "topology: {%s}\n"
             "link: {rate: 16 Gbit/s, trunk_rate: %s}\n"
             "nic: {inject_rate: 13 Gbit/s, receive_rate: 13 Gbit/s}\n"
             "traffic:\n"
             "  - {name: H1, from: [0], pattern: fixed, to: 3}\n"
             "  - {name: H2, from: [1], pattern: fixed, to: 4, start: 2 ms}\n"
             "  - {name: H3, from: [2], pattern: fixed, to: 4, start: 4 ms}\n"
             "  - {name: H6, from: [5], pattern: fixed, to: 4, start: 6 ms}\n"
             "  - {name: H7, from: [6], pattern: fixed, to: 4, start: 8 ms}\n",
             topology, trunk);
    run_ok(yaml, NULL, 0, r);
}

/* Rates of the five flows in each epoch of 2 ms, over its last 60 %, against parts of 13 Gbit/s. */
static void check_epochs(const cop_result *r, const char *row, const double share[5][5],
                         double tolerance)
{
    static const char *const flow[] = {"H1", "H2", "H3", "H6", "H7"};
    for (unsigned e = 0; e < 5; e++)
        for (unsigned f = 0; f < 5; f++) {
            cop_time begin = e * 2 * COP_MS;
            double got = window(r, flow[f], begin + 800 * COP_US, begin + 2 * COP_MS);
            char what[64];
            scn_text(what, sizeof(what), "%s, epoch %u, %s", row, e, flow[f]);
            near(what, got, 13.0 * share[e][f], tolerance);
        }
}

/* gran1-1 to gran1-4, gran2-19 to gran2-21: S-2sw7, one flow more per epoch; F1 (H1) is the victim.
 * The narrowest of the rows' tolerances is used for all. */
static void two_switches_seven_hosts(void **state)
{
    (void)state;
    static const double share[5][5] = {{1},
                                       {1, 1},
                                       {1.0 / 2, 1.0 / 2, 1.0 / 2},
                                       {1.0 / 4, 1.0 / 4, 1.0 / 4, 1.0 / 2},
                                       {1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 3, 1.0 / 3}};
    cop_result r;
    epochs("kind: chain, hosts: [3, 4]", "32 Gbit/s", &r);
    check_epochs(&r, "gran1-1..4, gran2-19..21", share, 0.04);
    cop_result_free(&r);
}

/* gran2-1 to gran2-5: S-1sw7, the same flows in one switch: equal parts, no victim. */
static void one_switch_seven_hosts(void **state)
{
    (void)state;
    static const double share[5][5] = {{1},
                                       {1, 1},
                                       {1, 1.0 / 2, 1.0 / 2},
                                       {1, 1.0 / 3, 1.0 / 3, 1.0 / 3},
                                       {1, 1.0 / 4, 1.0 / 4, 1.0 / 4, 1.0 / 4}};
    cop_result r;
    epochs("kind: single, hosts: 7", "16 Gbit/s", &r);
    check_epochs(&r, "gran2-1..5", share, 0.02);
    cop_result_free(&r);
}

/* All to host 0 of a k-ary 3-tree. A source that meets the others' traffic l levels up has its part
 * divided at every switch on the way: by k at the destination's leaf, by k at level 2, by k - 1 at
 * the root, and by k at each switch below the turn. */
static void tree_shares(int k, const char *duration, double near_tol, double mid_tol,
                        double far_tol)
{
    char yaml[512];
    cop_result r;
    scn_text(yaml, sizeof(yaml),
             "run: {duration: %s, warmup: 4 ms}\n"
             "topology: {kind: kary-ntree, k: %d, n: 3}\n"
             "link: {rate: 16 Gbit/s}\n"
             "switch: {buffer: 4 KiB}\n"
             "nic: {mtu: 512 B}\n"
             "traffic:\n"
             "  - {name: all, pattern: all-to-one, to: 0, message: 512 B}\n",
             duration, k);
    run_ok(yaml, NULL, 0, &r);
    double x = k, far = 1.0 / (x * x * x * x * x - x * x * x * x), sum = 0.0; /* gran2-28 */
    assert_int_equal(r.n_streams, k * k * k - 1);
    for (uint32_t s = 0; s < r.n_streams; s++) {
        double part = r.stream[s].gbps / 16.0;
        int host = (int)r.stream[s].host;
        sum += part;
        if (host < k)
            near("gran2-25, gran2-30", part, 1 / x, near_tol);
        else if (host < k * k)
            near("gran2-26, gran2-30", part, 1 / (x * x * x), mid_tol);
        else
            near("gran2-27, gran2-30", part, far, far_tol);
    }
    near("gran2-31", sum, 1.0, 1e-3);
    cop_result_free(&r);
}

static void parking_lot_in_trees(void **state)
{
    (void)state;
    tree_shares(4, "30 ms", 0.02, 0.03, 0.05);
    tree_shares(2, "8 ms", 0.03, 0.03, 0.03);
}

/* gran2-32: M inputs that want one output get 1/M each. */
static void round_robin_shares(void **state)
{
    (void)state;
    for (unsigned m = 2; m <= 8; m++) {
        char yaml[512];
        cop_result r;
        scn_text(yaml, sizeof(yaml),
                 "run: {duration: 3 ms, warmup: 1 ms}\n"
                 "topology: {kind: single, hosts: 9}\n"
                 "link: {rate: 40 Gbit/s}\n"
                 "traffic:\n"
                 "  - {name: f, from: \"0-%u\", pattern: fixed, to: 8}\n",
                 m - 1);
        run_ok(yaml, NULL, 0, &r);
        assert_int_equal(r.n_streams, m);
        for (uint32_t s = 0; s < m; s++)
            near("gran2-32", r.stream[s].gbps, 40.0 / m, 0.01);
        cop_result_free(&r);
    }
}

/* -- S-pfis-32: hot spot in a 32-port fat tree -- */

static const char pfister[] = "run: {duration: 90 ms, warmup: 5 ms}\n"
                              "topology: {kind: fat-tree, ports: 8}\n"
                              "link: {rate: 8 Gbit/s}\n"
                              "switch: {buffer: 32 KiB}\n"
                              "traffic:\n"
                              "  - {name: u, pattern: hotspot, to: 31, hot_share: 0 %,\n"
                              "     arrival: bernoulli, load: 80 %, message: 2 KiB}\n";

/* pfis-1: uniform load of 80 % arrives everywhere. pfis-3, pfis-4: 9 % of it to one port, 303 % of
 * that port's rate, takes the whole network down. */
static void hot_spot_collapse(void **state)
{
    (void)state;
    cop_result r;
    run_ok(pfister, NULL, 0, &r);
    for (uint32_t h = 0; h < 32; h++)
        near("pfis-1", r.node[h].received_gbps / 8.0, 0.80, 0.02);
    cop_result_free(&r);

    static const char *const hot[] = {"traffic.u.hot_share=9 %", "run.duration=25 ms"};
    run_ok(pfister, hot, 2, &r);
    between("pfis-4, all", r.throughput_gbps / 8.0, 0.22, 0.33);
    double others = (r.throughput_total_gbps - r.node[31].received_gbps) / 31;
    between("pfis-4, non-hot ports", others / 8.0, 0.20, 0.30);
    between("pfis-4, hot port", r.node[31].received_gbps / 8.0, 0.97, 1.001);
    for (uint32_t h = 0; h < 31; h++)
        between("pfis-3, every port", r.node[h].received_gbps / 8.0, 0.0, 0.6 * 0.80);
    cop_result_free(&r);
}

/* -- dragonflies, the machine of the QCN-Switch paper -- */

static const char dragonfly[] =
    "run: {duration: 60 us, warmup: 20 us}\n"
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
    "link: {rate: 40 Gbit/s, delay: 40 ns, host_delay: 1 ps, global_delay: 400 ns}\n"
    "switch: {architecture: cioq, speedup: 2, pipeline: 200 ns, header: 0 B, buffer: 100 kB,\n"
    "         output_buffer: 100 kB}\n"
    "nic: {mtu: 1000 B}\n"
    "traffic:\n"
    "  - {name: t, pattern: group-adversarial, message: 1000 B}\n";

/* Accepted throughput per host, as part of the link rate. */
static double accepted(unsigned h, const char *const *extra, size_t n)
{
    char p[32], a[32], g[32];
    const char *set[8] = {scn_text(p, sizeof(p), "topology.p=%u", h),
                          scn_text(a, sizeof(a), "topology.a=%u", 2 * h),
                          scn_text(g, sizeof(g), "topology.h=%u", h)};
    for (size_t i = 0; i < n; i++)
        set[3 + i] = extra[i];
    cop_result r;
    run_ok(dragonfly, set, 3 + n, &r);
    assert_int_equal(r.n_hosts, 2 * h * h * (2 * h * h + 1));
    double got = r.throughput_gbps / 40.0;
    cop_result_free(&r);
    return got;
}

/* qcn-4, qcn-5: a group's 2 h^2 hosts share one global link. */
static void adversarial_minimal(void **state)
{
    (void)state;
    static const unsigned sizes[] = {2, 3, 4, 6};
    static const char *const set[] = {"switch.buffer=20 kB", "switch.output_buffer=20 kB"};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        unsigned h = sizes[i];
        near("qcn-4, qcn-5", accepted(h, set, 2), 1.0 / (2 * h * h), 0.03);
    }
}

/* qcn-6: bound 0.5. The intermediate group is neither that of the source nor that of the
 * destination, so the direct link is never used, and each of the others carries the first global
 * hop of one group and the second of another: at most (2 h^2 - 1) / (4 h^2). */
static void adversarial_valiant(void **state)
{
    (void)state;
    static const char *const set[] = {"routing.kind=dragonfly-valiant", "switch.buffer=50 kB",
                                      "run.duration=240 us", "run.warmup=100 us"};
    for (unsigned h = 2; h <= 3; h++) {
        double got = accepted(h, set, 4), bound = (2.0 * h * h - 1) / (4.0 * h * h);
        between("qcn-6", got, 0.40, 0.50);
        between("bound of the links", got, 0.95 * bound, 1.005 * bound);
    }
}

/* The same machine in FOGSim, another simulator, h = 2, one seed: accepted throughput and mean
 * latency less 19 ns of its time grid. Credits as here; it draws arrivals cycle by cycle, which for
 * packets of 200 cycles is nearly Poisson. Its Valiant paths are shorter (hops between switches are
 * given); a local hop is 240 ns. Accepted throughput within 3 %, latency within 5 %. */
static void other_simulator(void **state)
{
    (void)state;
    static const struct {
        const char *routing, *pattern, *load;
        double accepted, latency_ns, hops;
    } want[] = {
        {"dragonfly-min", "uniform", "0.1", 0.100833, 1335.5, 2.3482},
        {"dragonfly-min", "uniform", "0.3", 0.299491, 0, 0},
        {"dragonfly-min", "group-adversarial", "0.1", 0.100787, 1813.9, 2.5048},
        {"dragonfly-min", "group-adversarial", "0.2", 0.124991, 0, 0},
        {"dragonfly-min", "group-adversarial", "1.0", 0.125028, 0, 0},
        {"dragonfly-valiant", "uniform", "0.1", 0.100796, 1998.5, 3.7828},
        {"dragonfly-valiant", "uniform", "0.4", 0.400287, 0, 0},
        {"dragonfly-valiant", "group-adversarial", "0.1", 0.100796, 2054.2, 3.7449},
        {"dragonfly-valiant", "group-adversarial", "0.4", 0.400472, 0, 0},
    };
    for (size_t i = 0; i < COP_LEN(want); i++) {
        char routing[64], pattern[64], load[64], row[128];
        const char *set[] = {
            scn_text(routing, sizeof(routing), "routing.kind=%s", want[i].routing),
            scn_text(pattern, sizeof(pattern), "traffic.t.pattern=%s", want[i].pattern),
            scn_text(load, sizeof(load), "traffic.t.load=%s", want[i].load),
            "traffic.t.arrival=poisson",
            "run.duration=1 ms",
            "run.warmup=200 us"};
        cop_result r;
        run_ok(dragonfly, set, COP_LEN(set), &r);
        scn_text(row, sizeof(row), "%s %s %s", want[i].routing, want[i].pattern, want[i].load);
        near(row, r.throughput_gbps / 40.0, want[i].accepted, 0.03);
        double hops = (double)r.packet_hops / (double)r.packets_injected - 2.0;
        double same_path = cop_hist_mean(r.latency) / 1e3 - 240.0 * (hops - want[i].hops);
        if (want[i].latency_ns > 0)
            near(row, same_path, want[i].latency_ns, 0.05);
        cop_result_free(&r);
    }
}

/* qcn-66: a hot endpoint gets 25 % / 12.5 % + 75 % = 2.75 times the load, so it is full at 0.364.
 */
static void hot_region_endpoints(void **state)
{
    (void)state;
    static const double load[] = {0.25, 0.35, 0.40};
    for (size_t i = 0; i < COP_LEN(load); i++) {
        char text[64];
        const char *set[] = {scn_text(text, sizeof(text), "traffic.t.load=%.2f", load[i]),
                             "traffic.t.pattern=hot-region", "traffic.t.arrival=bernoulli",
                             "run.duration=1500 us", "run.warmup=500 us"};
        cop_result r;
        run_ok(dragonfly, set, COP_LEN(set), &r);
        double hot = 0.0;
        for (uint32_t h = 0; h < 9; h++) /* 12.5 % of 72 hosts */
            hot += r.node[h].received_gbps / 40.0 / 9;
        if (load[i] < 1 / 2.75)
            near("qcn-66", hot, 2.75 * load[i], 0.03);
        else
            near("qcn-66, full", hot, 1.0, 0.03);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(victim_and_hot_flows),
        cmocka_unit_test(congestion_tree),
        cmocka_unit_test(heads_in_conflict),
        cmocka_unit_test(credit_round_trip),
        cmocka_unit_test(pause_in_time),
        cmocka_unit_test(resume_in_time),
        cmocka_unit_test(ack_nack),
        cmocka_unit_test(cut_through_under_load),
        cmocka_unit_test(full_network_does_not_spread),
        cmocka_unit_test(shared_input),
        cmocka_unit_test(turns_by_sources),
        cmocka_unit_test(two_switches_seven_hosts),
        cmocka_unit_test(one_switch_seven_hosts),
        cmocka_unit_test(parking_lot_in_trees),
        cmocka_unit_test(round_robin_shares),
        cmocka_unit_test(hot_spot_collapse),
        cmocka_unit_test(adversarial_minimal),
        cmocka_unit_test(adversarial_valiant),
        cmocka_unit_test(other_simulator),
        cmocka_unit_test(hot_region_endpoints),
    };
    return cmocka_run_group_tests_name("claims", tests, NULL, NULL);
}
