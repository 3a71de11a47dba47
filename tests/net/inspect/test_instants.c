/* What is measured of one packet when the warm-up ends, or the run, at the very instant of one of its
 * steps, a picosecond before or after. It starts at START and has 1000 bytes, a byte per ns; the switch
 * sends it on after 10 (cable) + 64 (header) + 100 (pipeline) ns, the sink takes it in from TAKEN on, and
 * it is complete at DONE. */
#include "net_fixture.h"

#define NS COP_NS
#define START (500 * NS)
#define SENT_ON (START + 174 * NS)
#define TAKEN (SENT_ON + 10 * NS)
#define DONE (TAKEN + 1000 * NS)
#define SAMPLE (400 * NS)

static net_lab *run_between(cop_time warmup, cop_time end, bool drain)
{
    net_lab *w = lab_build("run: {duration: 10 us, sample: 400 ns, flows: yes}\n"
                           "topology: {kind: single, hosts: 2}\n"
                           "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                           "switch: {pipeline: 100 ns, header: 64 B}\n"
                           "nic: {mtu: 1000 B, overhead: 0 B}\n"
                           "traffic: [{from: [0], pattern: fixed, to: 1, message: 1000 B,"
                           " messages: 1, start: 500 ns}]\n",
                           NULL, 0);
    cop_probe *pr = &w->net.probe;
    assert_true(pr->sample == SAMPLE && pr->n_bins == 25);
    /* The option has no picoseconds: set what it would have set. */
    cop_probe_window(pr, warmup, end, 1000 * NS);
    w->net.end = end;
    pr->n_bins = (uint32_t)((end + SAMPLE - 1) / SAMPLE);
    pr->n_whole = (uint32_t)(end / SAMPLE);
    w->c.run.drain = drain;
    w->c.run.duration_ps = end;
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.stop, COP_OUTCOME_OK);
    return w;
}

/* How much of [from, to) lies in [a, b). */
static cop_time overlap(cop_time from, cop_time to, cop_time a, cop_time b)
{
    cop_time begin = cop_max64(from, a), end = cop_min64(to, b);
    return end > begin ? end - begin : 0;
}

static void check(cop_time warmup, cop_time end, bool drain)
{
    net_lab *w = run_between(warmup, end, drain);
    const cop_net *net = &w->net;
    const cop_probe *pr = &net->probe;
    const cop_stream_probe *s = &pr->stream[0];
    bool starts = end >= START, arrives = end >= DONE || (drain && starts);
    bool counts = DONE >= warmup && DONE <= end;
    uint64_t in_bins = 0, taken = overlap(TAKEN, DONE, warmup, end) / NS; /* whole bytes */
    assert_int_equal(net->total.injected, starts);
    if (net->total.injected == 0) {
        lab_free(w);
        return;
    }
    assert_int_equal(net->total.delivered, arrives);
    assert_int_equal(s->sent_bytes, 1000);
    assert_int_equal(s->delivered_bytes, arrives ? 1000 : 0);
    assert_int_equal(s->bytes, taken);
    assert_int_equal(s->packets, counts);
    assert_int_equal(s->latency_ps, counts ? DONE - START : 0);
    assert_int_equal(pr->latency->count, counts);
    assert_int_equal(pr->transit->count, counts);
    assert_int_equal(pr->host[1].received_bytes, taken);
    assert_int_equal(pr->host[0].sent_bytes, overlap(START, START + 1000 * NS, warmup, end) / NS);
    for (uint32_t b = 0; b < pr->n_bins; b++) {
        in_bins += pr->bin[b].injected;
        /* Bins share it exactly; the last one ends with the measured time, also if the run drains. */
        cop_time last = cop_min64((b + 1) * SAMPLE, end);
        assert_int_equal(pr->series[b],
                         overlap(TAKEN, DONE, b * SAMPLE, last) * (COP_BYTE_PARTS / 1000));
        assert_int_equal(pr->bin[b].injected, b == START / SAMPLE && START < end);
        assert_int_equal(pr->bin[b].delivered, b == DONE / SAMPLE && arrives);
        assert_int_equal(pr->bin[b].latency_ps, pr->bin[b].delivered * (DONE - START));
    }
    assert_int_equal(in_bins, START < end);
    /* In the network from its start until it is complete. */
    assert_true(pr->area == overlap(START, DONE, warmup, end));
    /* Both wires are busy for 1000 ns. */
    uint32_t host = cop_topo_host_port(&w->topo, 0), out = cop_topo_switch_port(&w->topo, 0, 1);
    assert_int_equal(pr->port[host].busy_ps, overlap(START, START + 1000 * NS, warmup, end));
    assert_int_equal(pr->port[out].busy_ps, overlap(SENT_ON, SENT_ON + 1000 * NS, warmup, end));
    assert_int_equal(pr->port[0].busy_ps, 0);
    /* Samples from the warm-up on, up to the end. */
    uint64_t samples = end / SAMPLE - (warmup + SAMPLE - 1) / SAMPLE + (warmup > 0);
    if (!drain)
        assert_int_equal(pr->port[out].samples, samples);
    assert_int_equal(pr->port[out].queue_max, 0); /* it never waits */
    lab_free(w);
}

static void ends_of_the_warmup(void **state)
{
    (void)state;
    static const cop_time steps[] = {START, SENT_ON, START + 1000 * NS, SENT_ON + 1000 * NS,
                                     DONE,  SAMPLE,  5 * SAMPLE};
    check(0, 10 * COP_US, false);
    for (size_t i = 0; i < COP_LEN(steps); i++)
        for (int by = -1; by <= 1; by++) {
            check(steps[i] + (cop_time)by, 10 * COP_US, false);
            check(steps[i] + (cop_time)by, 10 * COP_US, true);
        }
}

static void ends_of_the_run(void **state)
{
    (void)state;
    static const cop_time steps[] = {START, SENT_ON,    START + 1000 * NS, SENT_ON + 1000 * NS,
                                     DONE,  2 * SAMPLE, 5 * SAMPLE};
    for (size_t i = 0; i < COP_LEN(steps); i++)
        for (int by = -1; by <= 1; by++) {
            check(0, steps[i] + (cop_time)by, false);
            check(0, steps[i] + (cop_time)by, true);
            check(450 * NS, steps[i] + (cop_time)by, false);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_the_warmup),
        cmocka_unit_test(ends_of_the_run),
    };
    return cmocka_run_group_tests_name("instants", tests, NULL, NULL);
}
