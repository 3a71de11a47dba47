/* QCN in whole networks: notifications that switches make, sources that slow down, switches that route
 * around. */
#include "net_fixture.h"

#include "cc/qcn.h"

#include <math.h>
#include <string.h>

static double scalar(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, name) == 0)
            return r->scalar[i].value;
    fail_msg("no scalar `%s`", name);
    return NAN;
}

static const cop_series *series(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_series; i++)
        if (strcmp(r->series[i].name, name) == 0)
            return &r->series[i];
    fail_msg("no series `%s`", name);
    return NULL;
}

static void run(const char *yaml, const char *const *set, size_t n, cop_result *r)
{
    cop_err err = {0};
    if (scn_run(yaml, set, n, r, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
}

#define RUN(r, yaml, ...)                                                                          \
    run(yaml, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL},                              \
        sizeof((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}) / sizeof(char *) - 1, r)

/* qcn-15: nothing up to the set point, 63 from twice that on (w = 0), linear between. */
static void test_feedback(void **state)
{
    (void)state;
    qcn_cfg cfg = {.w = 0.0};
    assert_int_equal(qcn_feedback(&cfg, 20000, 0, 0), 0);
    assert_int_equal(qcn_feedback(&cfg, 20000, 20000, 99), 0);
    assert_int_equal(qcn_feedback(&cfg, 20000, 40000, 0), 63);
    assert_int_equal(qcn_feedback(&cfg, 20000, 90000, 0), 63);
    for (uint32_t q = 20000; q <= 40000; q += 10)
        assert_int_equal(qcn_feedback(&cfg, 20000, q, 7), (q - 20000) * 63 / 20000.0 + 0.5);
    cfg.w = 2.0; /* growth counts twice: 63 at 5 Qeq */
    assert_int_equal(qcn_feedback(&cfg, 1000, 1100, 1100), (uint32_t)(100 * 63 / 5000.0 + 0.5));
    assert_int_equal(qcn_feedback(&cfg, 1000, 1100, 1150), 0); /* it shrinks by as much */
    assert_int_equal(qcn_feedback(&cfg, 1000, 900, 800), (uint32_t)(100 * 63 / 5000.0 + 0.5));
}

/* Two hosts send to a third over one switch: its output is the only crowded one. */
static const char incast[] =
    "run: {duration: 2 ms, warmup: 1 ms, drain: yes, sample: 20 us}\n"
    "topology: {kind: single, hosts: 4}\n"
    "link: {rate: 10 Gbit/s, delay: 100 ns}\n"
    "switch: {architecture: cioq, buffer: 100 kB, output_buffer: 100 kB, pipeline: 200 ns}\n"
    "nic: {mtu: 1000 B, overhead: 0 B, control_bytes: 64 B}\n"
    "cc: {kind: qcn, w: 2, every: 20, share: 100 %, timer: 100 us, bytes: 50 kB, increase: 100 "
    "Mbit/s}\n"
    "traffic: [{from: [0, 1], pattern: fixed, to: 2, arrival: saturated, message: 1000 B}]\n";

/* The same switches, to sources that do not listen. */
#define ONLY_TOLD "cc={kind: qcn, w: 2, every: 20, share: 100 %, react: no"

static void test_sources_slow_down(void **state)
{
    (void)state;
    cop_result off, on;
    RUN(&off, incast, "cc={kind: none}");
    RUN(&on, incast, "run.observe=queue/h2");
    /* Without control the buffers fill and stay full; with it the queue is about the set point. */
    double told = scalar(&on, "qcn_told");
    assert_true(told > 20);
    assert_true(scalar(&on, "notifications") == told && scalar(&on, "becn") == told);
    assert_true(scalar(&off, "notifications") == 0);
    const cop_series *queue = series(&on, "queue/h2");
    double sum = 0;
    for (uint32_t b = queue->n / 2; b < queue->n; b++)
        sum += queue->v[b];
    assert_in_range(sum / (queue->n - queue->n / 2), 4000, 60000);
    /* And the link is still busy most of the time: payload of 10 Gbit/s, less what recovery takes. */
    assert_true(on.throughput_gbps * 4 > 0.8 * off.throughput_gbps * 4);
    cop_result_free(&off);
    cop_result_free(&on);
}

/* A packet every few timer cycles: nobody asks at the end of each. (With an event for each it was 4.7 events per hop.) */
static void test_timer_costs_no_events(void **state)
{
    (void)state;
    cop_result r;
    RUN(&r, incast, "run={duration: 20 ms}",
        "cc={kind: qcn, w: 0, every: 1, share: 100 %, qeq: 2 kB, gd: 1, timer: 1 us, bytes: 1 GB, "
        "increase: 0, hyper_increase: 0}");
    assert_int_equal(r.packet_hops, 31664); /* as many as with an event at each end of a cycle */
    assert_true(r.events < 3.2 * (double)r.packet_hops);
    cop_result_free(&r);
}

/* `react: no`: notifications are made and change nothing. */
static void test_only_told(void **state)
{
    (void)state;
    cop_result off, on;
    RUN(&off, incast, "cc={kind: none}");
    RUN(&on, incast, ONLY_TOLD ", ports: all}");
    assert_true(scalar(&on, "qcn_told") > 20);
    assert_int_equal(on.packets_delivered - (uint64_t)scalar(&on, "notifications"),
                     off.packets_delivered);
    cop_result_free(&on);
    RUN(&on, incast, ONLY_TOLD "}"); /* ports that face a host are not sampled then */
    assert_true(scalar(&on, "qcn_samples") == 0);
    cop_result_free(&off);
    cop_result_free(&on);
}

static uint32_t count_with(const cop_result *r, const char *prefix)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_scalars; i++)
        n += strncmp(r->scalar[i].name, prefix, strlen(prefix)) == 0;
    return n;
}

/* Two saturated hosts in turn through one output, 0.8 us per packet: every 25th packet tells, 20 us apart, and they
 * are of both hosts in turn; every 50th is always of the same one. */
static void test_notices(void **state)
{
    (void)state;
    for (int even = 0; even < 2; even++) {
        cop_result r;
        RUN(&r, incast, "run.drain=no", "run.observe=notices/h2,notices/s0.3,notices/all",
            "cc={kind: qcn, react: no, ports: all, w: 0, share: 100 %, qeq: 1 kB}",
            even ? "cc.every=50" : "cc.every=25");
        double all = scalar(&r, "notifications"), sum = 0;
        assert_true(all == (even ? 50 : 100)); /* packet 2500 leaves at 1999.2 us and a bit */
        assert_true(scalar(&r, "notifications_at/s0.2") == all);
        assert_int_equal(count_with(&r, "notifications_at/"), even ? 2 : 3);
        if (even) {
            bool first = count_with(&r, "notifications_at/s0.2>h0") == 1;
            assert_true(
                scalar(&r, first ? "notifications_at/s0.2>h0" : "notifications_at/s0.2>h1") == all);
        } else {
            double a = scalar(&r, "notifications_at/s0.2>h0"),
                   b = scalar(&r, "notifications_at/s0.2>h1");
            assert_true(a + b == all && a == b);
        }
        const cop_series *told = series(&r, "notices/h2"), *none = series(&r, "notices/s0.3");
        for (uint32_t b = 0; b < told->n; b++) {
            sum += told->v[b];
            assert_true(told->v[b] <= 1 && none->v[b] == 0);
        }
        assert_true(sum == all);
        cop_result_free(&r);
    }
    /* Not asked: ports only. */
    cop_result r;
    RUN(&r, incast);
    assert_int_equal(count_with(&r, "notifications_at/"), 1);
    cop_result_free(&r);
}

/* A port that leads to a host has no probability; how often one has changed counts up, and is told at ends of bins. */
static void test_values_of_ports(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 200 us, sample: 20 us, observe: 'p_min/s0-3.2-6, changes/s0-3.2-6'}\n"
        "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\nnic: {mtu: 1000 B}\n"
        "link: {rate: 40 Gbit/s, delay: 40 ns}\nrouting: {kind: qcn-switch}\n"
        "cc: {kind: qcn, react: no, every: 10}\n"
        "traffic: [{pattern: group-adversarial, arrival: bernoulli, load: 50 %, message: 1000 "
        "B}]\n";
    cop_result r;
    RUN(&r, yaml);
    uint32_t changed = 0;
    for (uint32_t sw = 0; sw < 4; sw++)
        for (uint32_t port = 2; port < 7; port++) {
            char name[40];
            const cop_series *p =
                series(&r, scn_text(name, sizeof(name), "p_min/s%u.%u", sw, port));
            const cop_series *n =
                series(&r, scn_text(name, sizeof(name), "changes/s%u.%u", sw, port));
            double before = 100.0, counted = 0.0;
            for (uint32_t b = 0; b < p->n; b++) {
                assert_true(n->v[b] >= counted);
                if (p->v[b] != before)
                    assert_true(n->v[b] > counted);
                changed += n->v[b] > counted;
                before = p->v[b];
                counted = n->v[b];
            }
        }
    assert_true(changed > 10);
    cop_result_free(&r);
    cop_err err = {0};
    static const char *const host[] = {"run.observe=p_min/s0.0-3"};
    assert_int_equal(scn_run(yaml, host, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "keeps no such value of s0.0"));
}

static void test_notices_refused(void **state)
{
    (void)state;
    static const char *const sets[][3] = {
        {"run.observe=notices/all", "cc={kind: none}", "switches make no notifications"},
        {"run.observe=notices/s9.9", "run.seed=2", "no such switch"},
        {"run.observe=notices/h2@0", "run.seed=2", "leave `@` out"},
    };
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        cop_err err = {0};
        assert_int_equal(scn_run(incast, sets[i], 2, &r, &err), -COP_E_INPUT);
        assert_non_null(strstr(err.text, sets[i][2]));
    }
}

/* Everybody in a group sends to the next one: one global link for eight hosts. */
static const char adversarial[] =
    "run: {duration: 1 ms, warmup: 600 us, sample: 20 us, drain: yes, births: generation}\n"
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
    "link: {rate: 40 Gbit/s, delay: 40 ns, global_delay: 400 ns}\n"
    "switch: {architecture: cioq, speedup: 2, buffer: 100 kB, host_buffer: 200 kB, output_buffer: "
    "100 kB,"
    " pipeline: 200 ns, lanes: 5, vl_arbitration: strict}\n"
    "nic: {mtu: 1000 B, overhead: 0 B, control_bytes: 64 B, control_vl: 3}\n"
    "routing: {kind: qcn-switch}\n"
    "cc: {kind: qcn, react: no, w: 0}\n"
    "traffic: [{pattern: group-adversarial, group_size: 8, offset: 1, arrival: bernoulli, slot: "
    "200 ns,"
    " load: 40 %, message: 1000 B}]\n";

static void test_switches_route_around(void **state)
{
    (void)state;
    cop_result minimal, r;
    RUN(&minimal, adversarial, "routing={kind: dragonfly-min}", "cc={kind: none}");
    RUN(&r, adversarial, "run.observe=p_min/s3.6");
    assert_true(scalar(&r, "notifications") > 50);
    assert_true(scalar(&r, "notifications_kept") ==
                scalar(&r, "notifications")); /* hosts hear none */
    assert_true(scalar(&r, "becn") == scalar(&r, "notifications"));
    assert_true(r.throughput_gbps > 2 * minimal.throughput_gbps);
    const cop_series *p = series(&r, "p_min/s3.6"), *around = series(&r, "births/misrouted");
    assert_true(p->v[0] == 100.0);
    double least = 100.0;
    for (uint32_t b = 0; b < p->n; b++)
        least = p->v[b] < least ? p->v[b] : least;
    assert_true(least < 20.0);
    assert_true(around->v[0] == 0.0 && around->v[around->n - 2] > 50.0);
    assert_true(scalar(&r, "packets_misrouted") > 0);
    cop_result_free(&minimal);
    cop_result_free(&r);
}

/* `progressive`: a packet that stayed minimal with P1 at its first switch does so with P2 at the second, whose draw is another
 * one, whichever of the two has the larger number. After the burst nothing changes the probabilities. */
static const char twice[] =
    "run: {duration: 8 ms, sample: 100 us, births: generation}\n"
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
    "routing: {kind: qcn-switch, progressive: yes, compare: no, lf: 0.0004, packets: never}\n"
    "cc: {kind: qcn, react: no, every: 5, share: 100 %, qeq: 20 kB}\n"
    "switch: {architecture: cioq}\n"
    "traffic:\n"
    "  - {name: burst, from: \"0-5\", pattern: list, to_list: [40, 41, 42, 43, 44, 45, 46, 47], "
    "stop: 100 us}\n"
    "  - {name: a, from: [0], pattern: fixed, to: 44, arrival: poisson, load: 20 %, message: 2 "
    "KiB, start: 1 ms}\n";

static void test_progressive_draws(void **state)
{
    (void)state;
    const char *const from[] = {"traffic.1.from=[0]", "traffic.1.from=[4]"}, *const first[] = {
                                                                                 "p_min/s0.2",
                                                                                 "p_min/s2.3"};
    for (unsigned k = 0; k < 2; k++) {
        cop_result r;
        RUN(&r, twice, from[k], "run.observe=p_min/s0.2,p_min/s2.3,p_min/s1.6");
        const cop_series *p1 = series(&r, first[k]), *p2 = series(&r, "p_min/s1.6");
        const cop_series *around = series(&r, "births/misrouted");
        double sum = 0.0, n = 0.0, stay = p1->v[p1->n - 1] * p2->v[p2->n - 1] / 1e4;
        for (uint32_t b = 12; b + 1 < around->n; b++, n++)
            sum += around->v[b];
        assert_true(p1->v[p1->n - 1] > 20.0 && p1->v[p1->n - 1] < 60.0);
        assert_true(fabs(sum / n / 100.0 - (1.0 - stay)) < 0.05); /* with the same draw: 0.17 off */
        cop_result_free(&r);
    }
}

/* Piggyback takes the mean over links: a third global port without a cable changes nothing. */
static void test_piggyback_cables(void **state)
{
    (void)state;
    static const char file[] =
        "run: {duration: 100 us}\n"
        "topology: {kind: dragonfly, p: 4, a: 1, h: 2, groups: 3}\n"
        "routing: {kind: piggyback, threshold: 600 kB}\n"
        "traffic: [{from: \"0-3\", pattern: list, to_list: [8, 9, 10, 11], to_order: by-source}]\n";
    cop_result two, three;
    RUN(&two, file);
    RUN(&three, file, "topology.h=3");
    assert_true(two.throughput_gbps == three.throughput_gbps);
    cop_result_free(&two);
    cop_result_free(&three);
}

/* By time: a port that is held up is sampled as often as the others. The trunk of two switches runs at a tenth of
 * its rate, as its receiver takes in no more: in 400 us 20 samples of 20 us, or two of 100 packets. */
static const char held_up[] = "run: {duration: 400 us}\n"
                              "topology: {kind: chain, hosts: [1, 1]}\n"
                              "link: {rate: 40 Gbit/s}\n"
                              "switch: {architecture: cioq, buffer: 20 kB, output_buffer: 20 kB}\n"
                              "nic: {mtu: 1000 B, overhead: 0 B, receive_rate: 4 Gbit/s}\n"
                              "cc: {kind: qcn, react: no, ports: transit}\n"
                              "traffic: [{from: [0], pattern: fixed, to: [1], message: 1000 B}]\n";

static void test_period(void **state)
{
    (void)state;
    cop_result packets, time;
    RUN(&packets, held_up, "cc.every=100");
    RUN(&time, held_up, "cc.period=20 us");
    assert_in_range((uint64_t)scalar(&packets, "qcn_samples"), 2, 4);
    assert_in_range((uint64_t)scalar(&time, "qcn_samples"), 18, 24);
    /* 200 packets are taken in, 20 more stand in each buffer on the way: 240 left by the trunk, 220 for the host. */
    cop_result all, often;
    RUN(&all, held_up, "cc.ports=all", "cc.every=50");
    RUN(&often, held_up, "cc.ports=all", "cc.every=50", "cc.host_every=5", "cc.host_share=100 %");
    assert_in_range((uint64_t)scalar(&all, "qcn_samples"), 7, 9);
    assert_in_range((uint64_t)scalar(&often, "qcn_samples"), 44, 50);
    assert_true(scalar(&often, "qcn_told") >= scalar(&often, "qcn_samples") - 12);
    cop_result_free(&all);
    cop_result_free(&often);
    cop_result_free(&packets);
    cop_result_free(&time);
}

/* `busy`: the trunk that is held up tells nothing, the one that works all the time as much as without. */
static void test_busy(void **state)
{
    (void)state;
    for (unsigned full = 0; full < 2; full++) {
        cop_result r, busy;
        const char *takes = full ? "nic.receive_rate=40 Gbit/s" : "nic.receive_rate=4 Gbit/s",
                   *feeds = full ? "link.host_rate=80 Gbit/s" : "link.host_rate=40 Gbit/s";
        RUN(&r, held_up, takes, feeds, "cc.period=20 us", "cc.share=100 %", "cc.qeq=2 kB");
        RUN(&busy, held_up, takes, feeds, "cc.period=20 us", "cc.share=100 %", "cc.qeq=2 kB",
            "cc.busy=90 %");
        assert_true(scalar(&r, "qcn_told") > 10.0);
        assert_true(scalar(&busy, "qcn_told") == (full ? scalar(&r, "qcn_told") : 0.0));
        cop_result_free(&r);
        cop_result_free(&busy);
    }
}

/* Two thirds of all hosts to one: no way leads around its port. Notifications of that port pass the switches, the
 * others are kept; hosts that react slow down, and what waits in the network shrinks. */
static void test_ends_are_left_alone(void **state)
{
    (void)state;
    double delivered[2], latency[2];
    for (int react = 0; react < 2; react++) {
        cop_result r;
        RUN(&r, adversarial,
            react ? "cc={kind: qcn, w: 0, every: 10, share: 100 %, timer: 100 us, ports: all}"
                  : "cc={kind: qcn, w: 0, every: 10, share: 100 %, react: no, ports: all}",
            "traffic=[{pattern: fixed, from: [8, 16, 24, 32, 40, 48], to: [0], message: 1000 B},"
            "{pattern: group-adversarial, group_size: 8, offset: 1, arrival: bernoulli, slot: 200 "
            "ns,"
            " load: 30 %, message: 1000 B}]");
        assert_true(scalar(&r, "notifications_kept") > 100);
        assert_true(scalar(&r, "notifications") > scalar(&r, "notifications_kept") + 50);
        delivered[react] = r.throughput_gbps;
        latency[react] = cop_hist_mean(r.transit);
        cop_result_free(&r);
    }
    assert_true(delivered[1] > 0.97 * delivered[0]);
    assert_true(latency[1] < 0.8 * latency[0]);
}

/* All groups send to one, so that every link into it is full of packets that have no other way: those that go around come in by the
 * same links. With `yields` they cease to. Under adversarial traffic, whichever group is next, links between groups that lead around are
 * nobody's minimal ones: nothing changes. */
static void test_yields(void **state)
{
    (void)state;
    static const char *const to_one =
        "traffic=[{pattern: hot-region, hot_share: 100 %, region: 11.12 %, arrival: bernoulli, "
        "slot: 200 ns, load: 15 %, message: 1000 B}]";
    double around[2];
    uint64_t hash[2];
    for (int yields = 0; yields < 2; yields++) {
        cop_result r;
        RUN(&r, adversarial, to_one, "cc={kind: qcn, react: no, w: 0, every: 10}",
            yields ? "routing.yields=yes" : "routing.yields=no");
        around[yields] = scalar(&r, "misrouted_share");
        cop_result_free(&r);
    }
    assert_true(around[0] > 20.0 && around[1] < around[0] / 2);
    for (int offset = 1; offset <= 4; offset++) {
        char next[32];
        for (int yields = 0; yields < 2; yields++) {
            cop_result r;
            RUN(&r, adversarial, yields ? "routing.yields=yes" : "routing.yields=no",
                scn_text(next, sizeof(next), "traffic.0.offset=%d", offset));
            assert_true(scalar(&r, "notifications") > 50);
            hash[yields] = r.run_hash;
            cop_result_free(&r);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* Three hosts of a switch to the fourth. Sampled at inputs, too, notifications of packets that wait for a host's port say so,
 * and reach the sources; switches that only route keep each of them. */
static void test_ends_at_inputs(void **state)
{
    (void)state;
    for (int react = 0; react < 2; react++) {
        cop_result r;
        RUN(&r, adversarial, "topology.p=4",
            "cc={kind: qcn, w: 0, every: 10, share: 100 %, sample: input, ports: all}",
            react ? "cc.react=yes" : "cc.react=no",
            "traffic=[{pattern: fixed, from: [0, 1, 2], to: [3], message: 1000 B}]");
        assert_true(scalar(&r, "notifications") > 10);
        assert_true(scalar(&r, "notifications_kept") ==
                    (react ? 0.0 : scalar(&r, "notifications")));
        cop_result_free(&r);
    }
}

/* Minimal routing under adversarial traffic: packets wait at their hosts. Counted from generation that is part of the
 * latency, counted from injection the buffers of the network are all there is: 200 kB at the input, 200 kB more
 * on the way, for a link that 8 hosts share. Either way each packet is in one bin. */
static void test_births(void **state)
{
    (void)state;
    double packets[2], at_300us[2];
    for (int injection = 0; injection < 2; injection++) {
        cop_result r;
        RUN(&r, adversarial, "routing={kind: dragonfly-min}", "cc={kind: none}",
            injection ? "run.births=injection" : "run.births=generation");
        const cop_series *n = series(&r, "births/packets"), *latency = series(&r, "births/latency");
        packets[injection] = 0;
        for (uint32_t b = 0; b < n->n; b++)
            packets[injection] += n->v[b];
        at_300us[injection] = latency->v[latency->n * 3 / 10];
        cop_result_free(&r);
    }
    assert_true(at_300us[0] > 1.5 * at_300us[1] && at_300us[1] > 100e3);
    assert_true(packets[1] < packets[0]); /* many are injected only while the network drains */
}

/* With sampling at inputs the switch with the global link never learns, unless it heeds its own (3.3.1). */
static void test_source_processing(void **state)
{
    (void)state;
    for (int heeds = 0; heeds < 2; heeds++) {
        cop_result r;
        RUN(&r, adversarial, "cc.sample=input", "routing.compare=no",
            heeds ? "routing.source_processing=yes" : "routing.source_processing=no",
            "run.observe=p_min/s3.6,p_min/s0.4");
        const cop_series *own = series(&r, "p_min/s3.6"), *other = series(&r, "p_min/s0.4");
        double least = 100.0, neighbour = 100.0;
        for (uint32_t b = 0; b < own->n; b++) {
            least = own->v[b] < least ? own->v[b] : least;
            neighbour = other->v[b] < neighbour ? other->v[b] : neighbour;
        }
        assert_true(neighbour < 50.0);
        assert_int_equal(least < 50.0, heeds);
        cop_result_free(&r);
    }
}

static double rate_of(const cop_result *r, const char *entry)
{
    for (uint32_t i = 0; i < r->n_streams; i++)
        if (strcmp(r->stream[i].entry, entry) == 0)
            return r->stream[i].gbps;
    fail_msg("no entry `%s`", entry);
    return NAN;
}

/* Host 0 sends to the crowded host 2 and to host 3, which nobody else bothers. A rate per flow leaves the latter alone;
 * one rate for the host slows both. */
static void test_limit(void **state)
{
    (void)state;
    static const char two[] =
        "traffic=[{name: hot, from: [0, 1], pattern: fixed, to: 2, message: 1000 B}, "
        "{name: free, from: [0], pattern: fixed, to: 3, message: 1000 B}]";
    cop_result flow, host;
    RUN(&flow, incast, two, "nic.order=round-robin", "run.drain=no");
    RUN(&host, incast, two, "nic.order=round-robin", "run.drain=no", "cc.limit=host");
    assert_true(scalar(&flow, "qcn_told") > 20 && scalar(&host, "qcn_told") > 20);
    assert_true(rate_of(&flow, "free") > 1.2 * rate_of(&flow, "hot"));
    assert_true(rate_of(&host, "free") < 1.1 * rate_of(&host, "hot"));
    assert_true(rate_of(&host, "free") < 0.9 * rate_of(&flow, "free"));
    cop_result_free(&flow);
    cop_result_free(&host);
}

/* A point for each lane is the same as one for the port where data use one lane; where they use three its samples are
 * of the packets and bytes of one. */
static void test_queue_of_class(void **state)
{
    (void)state;
    cop_result port, lane;
    RUN(&port, incast, ONLY_TOLD ", ports: all}");
    RUN(&lane, incast, ONLY_TOLD ", ports: all, queue: class}");
    assert_true(scalar(&port, "qcn_told") > 20);
    assert_true(scalar(&port, "qcn_told") == scalar(&lane, "qcn_told"));
    cop_result_free(&port);
    cop_result_free(&lane);
    /* A routing that does not listen and a share that never tells: packets move alike in both. */
    RUN(&port, adversarial, "routing={kind: ugal}", "cc.every=10", "cc.share=0.0001 %",
        "cc.qeq=1500 B");
    RUN(&lane, adversarial, "routing={kind: ugal}", "cc.every=10", "cc.share=0.0001 %",
        "cc.qeq=1500 B", "cc.queue=class");
    assert_int_equal(port.run_hash, lane.run_hash);
    /* Each lane has begun a count that it did not end, and holds a part of what the port does. */
    assert_true(scalar(&lane, "qcn_samples") < scalar(&port, "qcn_samples"));
    assert_true(scalar(&lane, "qcn_samples") > 0.8 * scalar(&port, "qcn_samples"));
    assert_true(scalar(&lane, "qcn_congested") > 0);
    assert_true(scalar(&lane, "qcn_congested") < 0.9 * scalar(&port, "qcn_congested"));
    cop_result_free(&port);
    cop_result_free(&lane);
    RUN(&lane, adversarial, "cc.every=10", "cc.queue=class", "cc.sample=input");
    assert_true(scalar(&lane, "qcn_told") > 50);
    cop_result_free(&lane);
    /* Without output buffers: what waits in the inputs. */
    RUN(&port, incast, ONLY_TOLD ", ports: all}", "switch={architecture: iq, buffer: 100 kB}");
    RUN(&lane, incast, ONLY_TOLD ", ports: all, queue: class}",
        "switch={architecture: iq, buffer: 100 kB}");
    assert_true(scalar(&port, "qcn_told") > 20);
    assert_true(scalar(&port, "qcn_told") == scalar(&lane, "qcn_told"));
    cop_result_free(&port);
    cop_result_free(&lane);
}

static void test_refused(void **state)
{
    (void)state;
    cop_result r;
    cop_err err = {0};
    const char *few[] = {"switch.lanes=4"};
    assert_int_equal(scn_run(adversarial, few, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "control packets from lane 3 on need 5 lanes"));
    err = (cop_err){0};
    const char *omega[] = {"topology={kind: omega, radix: 2, stages: 3}"};
    assert_int_equal(scn_run(incast, omega, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "does not lead from switch"));
    err = (cop_err){0};
    const char *high[] = {"cc.qeq=20 MB"};
    assert_int_equal(scn_run(incast, high, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "is not below what the sampled queue can hold, "));
    err = (cop_err){0};
    const char *never[] = {"routing.pi=0"};
    assert_int_equal(scn_run(adversarial, never, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "pi 0 raises no probability again"));
    err = (cop_err){0};
    const char *small[] = {"cc.sample=input",
                           "switch.trunk_buffer=15 kB"}; /* auto: a fifth of these */
    assert_int_equal(scn_run(adversarial, small, 2, &r, &err), 0);
    cop_result_free(&r);
    err = (cop_err){0};
    const char *cycle[] = {"routing={kind: ugal, progressive: yes, via: other}", "cc.kind=none",
                           "nic={mtu: 1000 B, ack: packet, control_vl: 1}", "switch.lanes=4"};
    assert_int_equal(scn_run(adversarial, cycle, 4, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "a cycle of channel dependencies between data and control"));
    err = (cop_err){0};
    const char *escape[] = {"topology={kind: torus, radix: [3, 4]}",
                            "routing={kind: adaptive-cube}", "cc.kind=none",
                            "nic={mtu: 1000 B, ack: packet, control_vl: 1}",
                            "traffic=[{pattern: uniform, message: 1000 B}]"};
    assert_int_equal(scn_run(adversarial, escape, COP_LEN(escape), &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "which has escape lanes; set nic.control_vl to -1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feedback),
        cmocka_unit_test(test_sources_slow_down),
        cmocka_unit_test(test_timer_costs_no_events),
        cmocka_unit_test(test_only_told),
        cmocka_unit_test(test_switches_route_around),
        cmocka_unit_test(test_progressive_draws),
        cmocka_unit_test(test_piggyback_cables),
        cmocka_unit_test(test_period),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_ends_are_left_alone),
        cmocka_unit_test(test_ends_at_inputs),
        cmocka_unit_test(test_yields),
        cmocka_unit_test(test_births),
        cmocka_unit_test(test_source_processing),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_values_of_ports),
        cmocka_unit_test(test_notices_refused),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_queue_of_class),
    };
    return cmocka_run_group_tests_name("qcn", tests, NULL, NULL);
}
