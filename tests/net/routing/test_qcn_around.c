/* Switches that route around what QCN tells them of, in whole dragonflies: their probabilities, what they heed and what
 * passes them on to the sources, detours that yield. */
#include "qcn_fixture.h"

#include <math.h>
#include <string.h>

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

/* All groups send to one, so that every link into it is full of packets that have no other way: those that go around come in by the
 * same links. With `yields` they cease to. Under adversarial traffic, whichever group is next, links between groups that lead around are
 * on no minimal path: nothing changes. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switches_route_around),
        cmocka_unit_test(test_values_of_ports),
        cmocka_unit_test(test_source_processing),
        cmocka_unit_test(test_progressive_draws),
        cmocka_unit_test(test_piggyback_cables),
        cmocka_unit_test(test_ends_are_left_alone),
        cmocka_unit_test(test_ends_at_inputs),
        cmocka_unit_test(test_yields),
        cmocka_unit_test(test_births),
    };
    return cmocka_run_group_tests_name("qcn_around", tests, NULL, NULL);
}
