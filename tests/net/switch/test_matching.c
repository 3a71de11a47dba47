/* Matching of inputs and outputs, against the algorithm as it is printed (McKeown): random requests, one
 * arbitration at a time, when all inputs and outputs are free. Which ports are matched, and no others.
 * With several read ports an input accepts as many grants. */
#include "net_fixture.h"

#include "base/rng.h"
#include "net/flow/flow.h"
#include "net/switch/switch.h"

#define MOST 130

typedef struct reference {
    uint32_t ports, iterations, reads;
    bool rrm;
    uint32_t grant[MOST], accept[MOST]; /* positions of outputs, of inputs */
    uint32_t waiting[MOST][MOST]; /* packets, [input][output] */
    uint32_t match[MOST]; /* [output] input, or COP_NONE */
} reference;

static void iterate(reference *r, bool first, uint32_t *in_free, bool *any)
{
    uint32_t n = r->ports, offer[MOST];
    for (uint32_t o = 0; o < n; o++) {
        offer[o] = COP_NONE;
        for (uint32_t k = 0; k < n && r->match[o] == COP_NONE && offer[o] == COP_NONE; k++) {
            uint32_t i = (r->grant[o] + k) % n;
            if (in_free[i] && r->waiting[i][o] > 0)
                offer[o] = i;
        }
        if (offer[o] != COP_NONE && r->rrm)
            r->grant[o] = (offer[o] + 1) % n;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0, from = r->accept[i]; k < n && in_free[i]; k++) {
            uint32_t o = (from + k) % n;
            if (offer[o] != i)
                continue;
            r->match[o] = i;
            r->waiting[i][o]--;
            in_free[i]--;
            *any = true;
            if (first || r->rrm) {
                r->grant[o] = (i + 1) % n;
                r->accept[i] = (o + 1) % n;
            }
        }
}

static void match(reference *r)
{
    uint32_t in_free[MOST];
    bool any = true;
    for (uint32_t i = 0; i < r->ports; i++) {
        in_free[i] = r->reads;
        r->match[i] = COP_NONE;
    }
    for (uint32_t k = 0; k < r->iterations && any; k++) {
        any = false;
        iterate(r, k == 0, in_free, &any);
    }
}

static void come_with(net_lab *w, uint32_t input, uint32_t output, uint32_t bytes)
{
    uint32_t h = cop_pkt_new(&w->net);
    w->net.pkt[h] =
        (cop_pkt){.next = COP_NONE, .bytes = bytes, .src = input, .dst = output, .mid = COP_NONE};
    cop_input_receive(&w->net, input, h);
}

static void come(net_lab *w, uint32_t input, uint32_t output)
{
    come_with(w, input, output, 1000);
}

/* The input whose packet output o sends from now on, or COP_NONE. */
static uint32_t sends(const net_lab *w, uint32_t o)
{
    const cop_net *net = &w->net;
    if (net->out[o].busy_until <= net->now)
        return COP_NONE;
    return net->pkt[net->in[net->out[o].to].wire_tail].src;
}

static void compare(uint32_t ports, uint32_t iterations, bool rrm, unsigned load, uint32_t reads)
{
    char hosts[64], rounds[64], read_ports[64];
    const char *set[] = {scn_text(hosts, sizeof(hosts), "topology.hosts=%u", ports),
                         scn_text(rounds, sizeof(rounds), "switch.iterations=%u", iterations),
                         rrm ? "switch.matching=rrm" : "switch.matching=islip",
                         scn_text(read_ports, sizeof(read_ports), "switch.read_ports=%u", reads)};
    net_lab *w = lab_build("run: {duration: 1 us}\n"
                           "topology: {kind: single, hosts: 4}\n"
                           "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                           "switch: {architecture: iq, buffer: 64 KiB}\n"
                           "queueing: {kind: voqsw}\n"
                           "nic: {mtu: 1000 B}\n"
                           "traffic: [{from: [0], pattern: fixed, to: 1}]\n",
                           set, 4);
    reference r = {.ports = ports, .iterations = iterations, .rrm = rrm, .reads = reads};
    cop_net *net = &w->net;
    cop_rng rng = cop_rng_make(ports + iterations, COP_RNG_LINK, 0);
    for (uint32_t p = 0; p < ports; p++)
        net->out[p].section[0].credit = 1u << 30; /* they stay on the wire */
    for (unsigned round = 0; round < 60; round++) {
        net->now += COP_MS;
        for (unsigned k = 0; k < load; k++) {
            uint32_t i = (uint32_t)(cop_rng_unit(&rng) * ports);
            uint32_t o = (uint32_t)(cop_rng_unit(&rng) * ports);
            if (i == o)
                continue;
            come(w, i, o);
            r.waiting[i][o]++;
        }
        match(&r);
        net->arch->arbitrate(net, 0);
        for (uint32_t o = 0; o < ports; o++) {
            assert_int_equal(sends(w, o), r.match[o]);
            if (r.match[o] != COP_NONE && reads == 1)
                assert_int_equal(cop_iq_input_free(net, r.match[o]), net->now + 1000 * COP_NS);
        }
    }
    lab_free(w);
}

static void as_printed(void **state)
{
    (void)state;
    for (uint32_t iterations = 1; iterations <= 4; iterations++)
        for (int rrm = 0; rrm < 2; rrm++) {
            compare(2, iterations, rrm, 3, 1);
            compare(5, iterations, rrm, 6, 1);
            compare(5, iterations, rrm, 30, 1);
            compare(64, iterations, rrm, 200, 1);
            compare(70, iterations, rrm, 90, 1);
            compare(130, iterations, rrm, 150, 1);
        }
}

static void several_read_ports(void **state)
{
    (void)state;
    for (uint32_t reads = 2; reads <= 5; reads++)
        for (int rrm = 0; rrm < 2; rrm++) {
            compare(2, 2, rrm, 3, reads);
            compare(5, reads % 3 + 1, rrm, 30, reads);
            compare(64, 3, rrm, 400, reads);
            compare(130, 2, rrm, 300, reads);
        }
}

/* An input is free as long as one of its read ports is: when the first of the packets that it reads has
 * left. Packets of 1000, 3000, 2000 and 500 bytes cross from input 0, a byte per ns. */
static void first_read_port_that_is_free(void **state)
{
    (void)state;
    static const char *const set[] = {"switch.read_ports=3"};
    static const uint32_t bytes[] = {1000, 3000, 2000, 500, 4000};
    static const cop_time starts[] = {0, 0, 0, 1000, 1500}, frees[] = {0, 0, 1000, 1500, 2000};
    net_lab *w = lab_build("run: {duration: 1 us}\n"
                           "topology: {kind: single, hosts: 6}\n"
                           "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                           "switch: {architecture: iq, buffer: 64 KiB}\n"
                           "queueing: {kind: voqsw}\n"
                           "nic: {mtu: 4000 B}\n"
                           "traffic: [{from: [0], pattern: fixed, to: 1}]\n",
                           set, 1);
    cop_net *net = &w->net;
    const cop_time t0 = COP_MS;
    for (uint32_t i = 0; i < COP_LEN(bytes); i++) {
        net->now = t0 + starts[i] * COP_NS;
        come_with(w, 0, i + 1, bytes[i]);
        if (starts[i] > 0) { /* not before */
            net->now--;
            net->arch->arbitrate(net, 0);
            assert_int_equal(sends(w, i + 1), COP_NONE);
            net->now++;
        }
        net->arch->arbitrate(net, 0);
        assert_int_equal(net->out[i + 1].busy_until, net->now + bytes[i] * COP_NS);
        assert_int_equal(cop_iq_input_free(net, 0), frees[i] ? t0 + frees[i] * COP_NS : 0);
    }
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_printed),
                                       cmocka_unit_test(several_read_ports),
                                       cmocka_unit_test(first_read_port_that_is_free)};
    return cmocka_run_group_tests_name("matching", tests, NULL, NULL);
}
