/* Matching of inputs and outputs, against the algorithm as it is printed (McKeown): random requests, one
 * arbitration at a time, when all inputs and outputs are free. Who is matched, and that nobody else is. */
#include "net_fixture.h"

#include "base/rng.h"
#include "net/arch.h"
#include "net/input.h"

#define MOST 130

typedef struct reference {
    uint32_t ports, iterations;
    bool rrm;
    uint32_t grant[MOST], accept[MOST]; /* positions of outputs, of inputs */
    uint32_t waiting[MOST][MOST]; /* packets, [input][output] */
    uint32_t match[MOST]; /* [output] input, or COP_NONE */
} reference;

static void iterate(reference *r, bool first, bool *in_free, bool *any)
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
        for (uint32_t k = 0; k < n && in_free[i]; k++) {
            uint32_t o = (r->accept[i] + k) % n;
            if (offer[o] != i)
                continue;
            r->match[o] = i;
            r->waiting[i][o]--;
            in_free[i] = false;
            *any = true;
            if (first || r->rrm) {
                r->grant[o] = (i + 1) % n;
                r->accept[i] = (o + 1) % n;
            }
        }
}

static void match(reference *r)
{
    bool in_free[MOST], any = true;
    for (uint32_t i = 0; i < r->ports; i++) {
        in_free[i] = true;
        r->match[i] = COP_NONE;
    }
    for (uint32_t k = 0; k < r->iterations && any; k++) {
        any = false;
        iterate(r, k == 0, in_free, &any);
    }
}

static void come(net_lab *w, uint32_t input, uint32_t output)
{
    uint32_t h = cop_pkt_new(&w->net);
    w->net.pkt[h] =
        (cop_pkt){.next = COP_NONE, .bytes = 1000, .src = input, .dst = output, .mid = COP_NONE};
    cop_input_receive(&w->net, input, h);
}

/* The input whose packet output o sends from now on, or COP_NONE. */
static uint32_t sends(const net_lab *w, uint32_t o)
{
    const cop_net *net = &w->net;
    if (net->out[o].busy_until <= net->now)
        return COP_NONE;
    return net->pkt[net->in[net->out[o].to].wire_tail].src;
}

static void compare(uint32_t ports, uint32_t iterations, bool rrm, unsigned load)
{
    char hosts[64], rounds[64];
    const char *set[] = {scn_text(hosts, sizeof(hosts), "topology.hosts=%u", ports),
                         scn_text(rounds, sizeof(rounds), "switch.iterations=%u", iterations),
                         rrm ? "switch.matching=rrm" : "switch.matching=islip"};
    net_lab *w = lab_build("run: {duration: 1 us}\n"
                           "topology: {kind: single, hosts: 4}\n"
                           "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                           "switch: {architecture: iq, buffer: 64 KiB}\n"
                           "queueing: {kind: voqsw}\n"
                           "nic: {mtu: 1000 B}\n"
                           "traffic: [{from: [0], pattern: fixed, to: 1}]\n",
                           set, 3);
    reference r = {.ports = ports, .iterations = iterations, .rrm = rrm};
    cop_net *net = &w->net;
    cop_rng rng = cop_rng_make(ports + iterations, COP_RNG_LINK, 0);
    for (uint32_t p = 0; p < ports; p++)
        net->out[p].section[0].credit = 1u << 30; /* nobody takes them in */
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
            if (r.match[o] != COP_NONE)
                assert_int_equal(net->in[r.match[o]].read_until, net->now + 1000 * COP_NS);
        }
    }
    lab_free(w);
}

static void as_printed(void **state)
{
    (void)state;
    for (uint32_t iterations = 1; iterations <= 4; iterations++)
        for (int rrm = 0; rrm < 2; rrm++) {
            compare(2, iterations, rrm, 3);
            compare(5, iterations, rrm, 6);
            compare(5, iterations, rrm, 30);
            compare(64, iterations, rrm, 200);
            compare(70, iterations, rrm, 90);
            compare(130, iterations, rrm, 150);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_printed)};
    return cmocka_run_group_tests_name("matching", tests, NULL, NULL);
}
