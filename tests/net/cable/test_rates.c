/* No rate is above that of its link, in any window: windows and bins of random length are laid over
 * saturated links of many rates, and cut packets anywhere. Shares of cut packets add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "scenario.h"

typedef struct machine {
    double gbps; /* of host links */
    double most; /* that a host takes in: its link, or less */
    const char *nic;
} machine;

/* The first ones bring a whole number of parts of a byte in a picosecond, the others do not; some are no
 * whole number of picoseconds per byte. */
static const machine machines[] = {
    {10.0, 10.0, "mtu: 2 KiB"},
    {16.0, 16.0, "mtu: 1500 B"},
    {32.0, 32.0, "mtu: 2 KiB"},
    {100.0, 100.0, "mtu: 4 KiB"},
    {400.0, 400.0, "mtu: 777 B"},
    {16.0, 13.6, "mtu: 2 KiB, inject_rate: 13.5 Gbit/s, receive_rate: 13.6 Gbit/s"},
    {20.0, 8.0, "mtu: 2 KiB, receive_rate: 8 Gbit/s"},
    {13.5, 13.5, "mtu: 2 KiB"},
    {56.0, 56.0, "mtu: 999 B, overhead: 40 B"},
    {7.3, 7.3, "mtu: 64 B, ack: packet"},
};

static const char *const networks[] = {
    "topology: {kind: single, hosts: 4}\n", /* every host sends and takes in at full rate */
    "topology: {kind: chain, hosts: [2, 2]}\nswitch: {switching: store-and-forward}\n",
    "topology: {kind: kary-ntree, k: 2, n: 2}\nswitch: {architecture: cioq}\n",
};
static const char *const patterns[] = {"neighbour", "uniform", "all-to-one, to: 0"};

/* Fails if it is; `worst` becomes the highest share of a link that was seen. */
static void not_above(const char *what, double rate, double most, double *worst)
{
    if (rate / most > *worst)
        *worst = rate / most;
    /* Half a unit in the last place, where the link's rate is no binary fraction. */
    if (rate > most * (1.0 + 1e-15))
        fail_msg("%s: %.17g of %.17g Gbit/s", what, rate, most);
}

static void check_result(const cop_result *r, const machine *m, double *worst)
{
    double total = 0.0;
    for (uint32_t h = 0; h < r->n_nodes; h++) {
        not_above("received", r->node[h].received_gbps, m->most, worst);
        not_above("sent", r->node[h].sent_gbps, m->gbps, worst);
        total += r->node[h].received_gbps;
    }
    assert_true(r->throughput_total_gbps <= total * (1.0 + 1e-12));
    not_above("per host", r->throughput_gbps, m->most, worst);
    for (uint32_t p = 0; p < r->n_ports; p++)
        assert_true(r->port[p].utilisation <= 1.0);
    for (uint32_t s = 0; s < r->n_streams; s++)
        if (r->stream[s].dst != COP_NONE) /* others may arrive at several hosts at once */
            not_above("stream", r->stream[s].gbps, m->most, worst);
    for (uint32_t i = 0; i < r->n_series; i++) {
        const cop_series *s = &r->series[i];
        bool one_link = strncmp(s->name, "received/", 9) == 0 ||
                        (strncmp(s->name, "throughput/", 11) == 0 && i < r->n_streams &&
                         r->stream[i].dst != COP_NONE);
        for (uint32_t b = 0; b < s->n && one_link; b++)
            not_above(s->name, s->v[b], m->most, worst);
        for (uint32_t b = 0; b < s->n && strcmp(s->name, "network/throughput") == 0; b++)
            assert_true(s->v[b] <= m->most * r->n_hosts * (1.0 + 1e-12));
    }
}

/* Windows from a few packets down to less than one, at any phase. */
static void test_random_windows(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(1, COP_RNG_TEST, 0);
    double worst = 0.0;
    for (uint32_t i = 0; i < 400 * scn_rounds(); i++) {
        const machine *m = &machines[i % COP_LEN(machines)];
        uint32_t warmup = cop_rng_below(&rng, 40000000), span = 1 + cop_rng_below(&rng, 40000000);
        uint32_t sample = 100000 + cop_rng_below(&rng, 10000000);
        const char *network = networks[cop_rng_below(&rng, COP_LEN(networks))];
        const char *pattern = patterns[cop_rng_below(&rng, COP_LEN(patterns))];
        const char *drain = cop_rng_below(&rng, 2) ? "yes" : "no";
        uint32_t message = 1 + cop_rng_below(&rng, 9000);
        char yaml[1024];
        cop_result r;
        scn_text(yaml, sizeof(yaml),
                 "run: {warmup: %u ps, duration: %u ps, sample: %u ps, observe: received/all, "
                 "flows: yes, drain: %s}\n%s"
                 "link: {rate: %.1f Gbit/s, delay: 20 ns}\nnic: {%s}\n"
                 "traffic: [{name: t, pattern: %s, message: %u B}]\n",
                 warmup, warmup + span, sample, drain, network, m->gbps, m->nic, pattern, message);
        scn_run(yaml, NULL, 0, &r, NULL);
        check_result(&r, m, &worst);
        cop_result_free(&r);
    }
    assert_true(worst > 0.9999); /* links were full */
}

/* A long window over a full link: its rate, less at most a byte at each end. */
static void test_full_links_are_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(machines); i++) {
        const machine *m = &machines[i];
        char yaml[1024];
        cop_result r;
        if (strstr(m->nic, "ack") || strstr(m->nic, "overhead") || m->gbps > m->most)
            continue; /* the payload's share of the link is less */
        scn_text(yaml, sizeof(yaml),
                 "run: {warmup: 33333333 ps, duration: 1044444443 ps}\n"
                 "topology: {kind: single, hosts: 2}\n"
                 "link: {rate: %.1f Gbit/s, delay: 20 ns}\nnic: {%s}\n"
                 "traffic: [{name: t, pattern: neighbour, message: 64 KiB}]\n",
                 m->gbps, m->nic);
        scn_run(yaml, NULL, 0, &r, NULL);
        double bytes = m->gbps / 8e3 * (1044444443.0 - 33333333.0);
        /* Times of packets are rounded up to whole picoseconds. */
        double slack = 2.0 + bytes * (m->gbps > 50.0 ? 3e-5 : 2e-6);
        for (uint32_t h = 0; h < 2; h++) {
            assert_true((double)r.node[h].received_bytes <= bytes);
            assert_true((double)r.node[h].received_bytes >= bytes - slack);
            assert_true((double)r.node[h].sent_bytes <= bytes);
            assert_true((double)r.node[h].sent_bytes >= bytes - slack);
        }
        cop_result_free(&r);
    }
}

static double sum_of(const cop_result *r, const char *prefix)
{
    double bits = 0.0;
    for (uint32_t i = 0; i < r->n_series; i++)
        for (uint32_t b = 0;
             strncmp(r->series[i].name, prefix, strlen(prefix)) == 0 && b < r->series[i].n; b++)
            bits += r->series[i].v[b] * (double)r->sample / 1e3;
    return bits / 8.0;
}

/* What bins share is shared exactly: if all arrives before the end, bins add up to what was sent. */
static void test_shares_add_up(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(2, COP_RNG_TEST, 0);
    for (uint32_t i = 0; i < 100; i++) {
        const machine *m = &machines[i % COP_LEN(machines)];
        uint32_t sample = 30000 + cop_rng_below(&rng, 3000000);
        char yaml[1024];
        cop_result r;
        scn_text(yaml, sizeof(yaml),
                 "run: {duration: 300 us, sample: %u ps, observe: received/all}\n"
                 "topology: {kind: single, hosts: 4}\n"
                 "link: {rate: %.1f Gbit/s, delay: 20 ns}\nnic: {%s}\n"
                 "traffic: [{name: t, pattern: uniform, messages: 10, message: 3001 B}]\n",
                 sample, m->gbps, m->nic);
        scn_run(yaml, NULL, 0, &r, NULL);
        assert_int_equal(r.packets_in_flight, 0);
        double sent = 4 * 10 * 3001.0;
        assert_true(sum_of(&r, "throughput/") > sent - 1e-6);
        assert_true(sum_of(&r, "throughput/") < sent + 1e-6);
        assert_true(sum_of(&r, "received/") > sent - 1e-6);
        assert_true(sum_of(&r, "received/") < sent + 1e-6);
        uint64_t received = 0, by_stream = 0;
        for (uint32_t h = 0; h < r.n_nodes; h++)
            received += r.node[h].received_bytes;
        for (uint32_t s = 0; s < r.n_streams; s++)
            by_stream += r.stream[s].delivered_bytes;
        assert_int_equal(received, (uint64_t)sent);
        assert_int_equal(by_stream, (uint64_t)sent);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_windows),
                                       cmocka_unit_test(test_full_links_are_full),
                                       cmocka_unit_test(test_shares_add_up)};
    return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
