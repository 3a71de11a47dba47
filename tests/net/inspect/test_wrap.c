/* Numbers of 32 bits that count on through a run: a run in which each of them begins just before it wraps is the run in
 * which all begin at 0. And numbers of bytes that have outgrown 32 bits. Which are counted on: packets and messages of a
 * host, returns of a link, flits of a lane, lines of an isolation scheme. */
#include <stdio.h>
#include <string.h>

#include "net/cable/fc_state.h"
#include "net/worm/worm.h"
#include "net_fixture.h"
#include "queue/iso.h"

#define NEAR                                                                                       \
    (UINT32_MAX - 40) /* every host, link and lane of these runs counts further than that */

/* -- where counters begin -- */

static void begin_returns(cop_net *net, uint32_t start)
{
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        net->out[p].ring.at = net->out[p].ring.end = start;
        if (net->fc_state->inbuf)
            net->fc_state->inbuf[p].freed.at = net->fc_state->inbuf[p].freed.end = start;
        for (uint32_t vl = 0; net->worm && vl < net->lanes; vl++)
            cop_worm_in(net, p, vl)->at = cop_worm_in(net, p, vl)->end = start;
    }
}

static void begin_lines(cop_net *net, uint32_t start)
{
    for (uint32_t p = 0; p < net->host_port0; p++) {
        iso_port *st = (iso_port *)(void *)(net->queue_state + p * net->queue_port_bytes);
        st->serial = st->normal_sent = start;
    }
}

/* All but the names of packets. */
static void begin_counters(net_lab *w, uint32_t start, bool isolates)
{
    cop_net *net = &w->net;
    begin_returns(net, start);
    for (uint32_t h = 0; h < net->info.n_hosts; h++)
        net->nic[h].serial = start;
    if (isolates)
        begin_lines(net, start);
}

/* -- runs -- */

typedef struct outcome {
    uint64_t hash, delivered, hops, events, misordered, most; /* packets of a host */
    cop_hist latency;
} outcome;

static void run_once(const char *yaml, const char *const *set, size_t n, uint32_t counters,
                     uint32_t names, bool isolates, outcome *o)
{
    net_lab *w = lab_build(yaml, set, n);
    cop_net *net = &w->net;
    if (counters)
        begin_counters(w, counters, isolates);
    for (uint32_t h = 0; h < net->info.n_hosts; h++)
        net->nic[h].seq = names;
    cop_net_run(net, NULL, NULL);
    if (net->stop != COP_OUTCOME_OK)
        fail_msg("%s: %s", set[0], net->why);
    *o = (outcome){.hash = cop_net_hash(net),
                   .delivered = net->total.delivered,
                   .hops = net->total.hops,
                   .events = net->total.events,
                   .latency = *net->probe.latency};
    for (size_t i = 0; i <= net->probe.flow.mask; i++)
        o->misordered += net->probe.flow.v[i].misordered;
    for (uint32_t h = 0; h < net->info.n_hosts; h++)
        o->most = cop_max64(o->most, net->nic[h].seq - names);
    lab_free(w);
}

static void same(const char *what, const outcome *a, const outcome *b)
{
    if (a->delivered != b->delivered || a->hops != b->hops || a->events != b->events ||
        a->misordered != b->misordered || a->latency.sum_lo != b->latency.sum_lo ||
        a->latency.count != b->latency.count || a->latency.max != b->latency.max)
        fail_msg("%s: another run", what);
}

static const char tree[] =
    "run: {duration: 150 us, sample: 10 us, drain: yes, flows: yes}\n"
    "topology: {kind: kary-ntree, k: 2, n: 3}\n"
    "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
    "switch: {buffer: 16 KiB}\n"
    "nic: {mtu: 512 B}\n"
    "traffic:\n"
    "  - {pattern: uniform, arrival: poisson, load: 40 %, message: 1 KiB, stop: 130 us}\n"
    "  - {from: [1, 2, 5], pattern: fixed, to: 7, start: 10 us, stop: 60 us}\n";

static const struct {
    const char *set[3];
    bool isolates;
} machine[] = {
    {{"switch.architecture=ib", "run.seed=1", "run.seed=1"}, false},
    {{"switch.architecture=iq", "run.seed=2", "run.seed=2"}, false},
    {{"switch.architecture=cioq", "run.seed=3", "run.seed=3"}, false},
    {{"flow_control.kind=ib", "flow_control.loss=10 %", "run.seed=4"}, false},
    {{"flow_control.kind=on-off", "switch.buffer=32 KiB", "run.seed=5"}, false},
    {{"flow_control.kind=ack-nack", "run.seed=6", "run.seed=6"}, false},
    {{"queueing.kind=voqnet", "run.seed=7", "run.seed=7"}, false},
    {{"queueing.kind=fbicm", "switch.architecture=iq", "run.seed=8"}, true},
    {{"queueing.kind=recn", "switch.architecture=iq", "run.seed=9"}, true},
    {{"cc.kind=pace", "cc.rate=4 Gbit/s", "run.seed=10"}, false},
    {{"host.kind=hca", "run.seed=11", "run.seed=11"}, false},
    {{"switch.switching=wormhole", "queueing.kind=1q", "run.seed=12"}, false},
};

static void test_counters(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(machine); i++) {
        outcome zero, near;
        run_once(tree, machine[i].set, 3, 0, 0, machine[i].isolates, &zero);
        run_once(tree, machine[i].set, 3, NEAR, 0, machine[i].isolates, &near);
        same(machine[i].set[0], &zero, &near);
        assert_int_equal(zero.hash, near.hash);
        assert_true(zero.most > 2 * (UINT32_MAX - NEAR));
    }
}

/* The hash is of names of packets, so it is another one. */
static void test_names_of_packets(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(machine); i++) {
        outcome zero, near;
        run_once(tree, machine[i].set, 3, 0, 0, machine[i].isolates, &zero);
        run_once(tree, machine[i].set, 3, 0, NEAR, machine[i].isolates, &near);
        same(machine[i].set[0], &zero, &near);
        assert_int_equal(zero.misordered, 0);
    }
}

/* -- bytes -- */

/* 99 hosts send to one, into buffers that hold 6.2 GiB for its port. */
static void test_deep_buffers(void **state)
{
    (void)state;
    static const char deep[] = "run: {duration: 8 ms, sample: 200 us, trees: yes}\n"
                               "topology: {kind: single, hosts: 100}\n"
                               "link: {rate: 100 Gbit/s}\n"
                               "switch: {buffer: 64 MiB}\n"
                               "nic: {mtu: 256 KiB}\n"
                               "traffic: [{pattern: all-to-one, to: 0}]\n";
    const uint64_t all = (uint64_t)99 * 64 * 1024 * 1024;
    cop_result r;
    scn_run(deep, NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_in_range(r.port[0].max_queue_bytes, all - all / 50, all);
    /* It fills at 98 times the rate of a link for 5.4 of 8 ms. */
    assert_true(r.port[0].mean_queue_bytes > 0.60 * (double)all);
    assert_true(r.port[0].mean_queue_bytes < 0.72 * (double)all);
    assert_true(r.n_trees >= 1);
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_names_of_packets),
        cmocka_unit_test(test_deep_buffers),
    };
    return cmocka_run_group_tests_name("wrap", tests, NULL, NULL);
}
