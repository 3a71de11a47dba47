/* Tori under load: both directions of the rings share the work, and all lanes, and what that is worth.
 * 8-ary 2-cube, messages of 16 flits of 4 bytes, a flit per nanosecond: loads are in flits per cycle and
 * node. Uniform traffic takes one hop plus and one hop minus per dimension on average, so a link is used
 * as much as a node sends. All ties in one direction give it 10 hops where the other has 6, so its
 * links are full when nodes send 0.8. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const char torus[] =
    "run: {duration: 40 us, warmup: 10 us, flows: yes}\n"
    "topology: {kind: torus, radix: [8, 8]}\n"
    "link: {rate: 32 Gbit/s, delay: 1 ns}\n"
    "switch: {pipeline: 2 ns, header: 4 B, buffer: 512 B, lanes: 4}\n"
    "nic: {mtu: 64 B}\n"
    "traffic: [{name: load, pattern: uniform, arrival: bernoulli, load: 0.4, message: 64 B}]\n";

typedef struct outcome {
    double plus, minus; /* mean use of the links of all rings, by direction */
    double accepted; /* flits per cycle and node */
    uint64_t hash;
} outcome;

static outcome run(const char *const *set, size_t n)
{
    cop_result r;
    outcome o = {0};
    unsigned links = 0;
    scn_run(torus, set, n, &r, NULL);
    if (r.outcome != COP_OUTCOME_OK)
        fail_msg("outcome %d: %s", r.outcome, r.detail);
    for (uint32_t i = 0; i < r.n_ports; i++) {
        unsigned sw, port;
        if (sscanf(r.port[i].name, "s%u.%u", &sw, &port) != 2 || port >= 4)
            continue;
        *(port % 2 == 0 ? &o.plus : &o.minus) += r.port[i].utilisation / 128;
        links++;
    }
    assert_int_equal(links, 2 * 128);
    o.accepted = r.throughput_gbps / 32;
    o.hash = r.run_hash;
    cop_result_free(&r);
    return o;
}

static void within(const char *what, double got, double low, double high)
{
    if (!(got >= low && got <= high))
        fail_msg("%s: %.4f, expected %.4f to %.4f", what, got, low, high);
}

/* At load 0.4 each direction of a ring carries 0.4 of its links' time; in one direction, 0.5 and 0.3. */
static void test_directions(void **state)
{
    (void)state;
    const struct {
        const char *routing, *ties;
        double plus, minus;
    } all[] = {{"dor", "split", 0.4, 0.4},
               {"dor", "random", 0.4, 0.4},
               {"dor", "plus", 0.5, 0.3},
               {"adaptive-cube", "split", 0.4, 0.4},
               {"adaptive-cube", "random", 0.4, 0.4}};
    const double uniform = 64.0 / 63.0; /* no host sends to itself, at distance 0 */
    for (size_t i = 0; i < COP_LEN(all); i++) {
        char kind[64], ties[64];
        const char *const set[] = {scn_text(kind, sizeof(kind), "routing.kind=%s", all[i].routing),
                                   scn_text(ties, sizeof(ties), "routing.ties=%s", all[i].ties)};
        outcome o = run(set, 2), again = run(set, 2);
        within("plus", o.plus / uniform, all[i].plus - 0.01, all[i].plus + 0.01);
        within("minus", o.minus / uniform, all[i].minus - 0.01, all[i].minus + 0.01);
        assert_true(o.hash == again.hash); /* same seed, same bits */
        if (i == 0)
            assert_true(run(NULL, 0).hash == o.hash); /* the default */
    }
}

/* Load 0.8: half the ties in each direction leave room, all in one direction fill it. */
static void test_saturation(void **state)
{
    (void)state;
    static const char *const ties[] = {"routing.ties=split", "routing.ties=random",
                                       "routing.ties=plus"};
    for (size_t i = 0; i < 3; i++) {
        const char *const set[] = {ties[i], "traffic.load.load=0.8"};
        within(ties[i], run(set, 2).accepted, i < 2 ? 0.79 : 0.4, i < 2 ? 0.82 : 0.75);
    }
}

/* One queue per lane, room for two messages in it, load 0.6: every lane more lets more through, and
 * four are enough. Without a word all lanes are in use. */
static void test_lanes(void **state)
{
    (void)state;
    static const char *const lanes[] = {"routing.lanes=2", "routing.lanes=3", "routing.lanes=4",
                                        "routing.lanes=all"};
    const double low[] = {0.45, 0.56, 0.59, 0.59}, high[] = {0.55, 0.595, 0.61, 0.61};
    for (size_t i = 0; i < COP_LEN(lanes); i++) {
        const char *const set[] = {lanes[i], "traffic.load.load=0.6", "queueing.kind=1q",
                                   "switch.buffer=128 B"};
        within(lanes[i], run(set, COP_LEN(set)).accepted, low[i], high[i]);
    }
}

/* Up-down routing on a ring of six: with switch 0 as the root the way from 5 to 1 is over it, with 3 that way would go down and up
 * again, so it is the long one: two links more for every packet. */
static void test_root(void **state)
{
    (void)state;
    static const char ring[] = "run: {duration: 50 us, drain: yes}\n"
                               "topology: {kind: torus, radix: [6]}\n"
                               "traffic: [{from: [5], pattern: fixed, to: [1], arrival: constant, "
                               "load: 10 %}]\n";
    static const char *const roots[] = {"routing={kind: updn, root: 0}",
                                        "routing={kind: updn, root: 3}"};
    double hops[2];
    for (size_t i = 0; i < 2; i++) {
        cop_result r;
        cop_err err = {0};
        if (scn_run(ring, &roots[i], 1, &r, &err) != 0)
            fail_msg("%s", err.text);
        assert_true(r.packets_injected > 4);
        hops[i] = (double)r.packet_hops / (double)r.packets_injected;
        cop_result_free(&r);
    }
    assert_true(hops[1] == hops[0] + 2.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_directions),
                                       cmocka_unit_test(test_saturation),
                                       cmocka_unit_test(test_lanes), cmocka_unit_test(test_root)};
    return cmocka_run_group_tests_name("torus", tests, NULL, NULL);
}
