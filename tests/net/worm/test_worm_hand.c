/* Tori and wormhole switching against sums that can be done by hand: the textbook's latency without load, the
 * throughput that a credit loop allows, and who is in whose way when a packet waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "scenario.h"

/* A cycle is 1 ns, a flit 4 bytes, a packet 16 flits. */
#define PACKET 16
#define WIRE 1
#define PIPELINE 2
#define HEADER 1

static uint32_t ring_distance(uint32_t a)
{
    return a < 8 - a ? a : 8 - a;
}

/* T = H t_r + D / v + L / b: routers on the way, wires, length (Dally and Towles, "Principles and practices of
 * interconnection networks", 3.3.2). With one host per router there is one router more than links between them. */
static uint64_t textbook_cycles(uint32_t to)
{
    uint32_t links = ring_distance(to % 8) + ring_distance(to / 8 % 8) + ring_distance(to / 64);
    return (links + 1) * (HEADER + PIPELINE) + (links + 2) * WIRE + PACKET;
}

/* One packet after the other from host 0, to hosts up to `most`. */
static void lone_packets(const char *radix, uint32_t most, const char *routing, const char *sw)
{
    static const uint32_t hosts[] = {1, 4, 7, 9, 36, 63, 73, 219, 292, 511};
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof(text),
                                   "run: {duration: 20 us, drain: yes}\n"
                                   "topology: {kind: torus, radix: %s}\n"
                                   "routing: {kind: %s}\n"
                                   "link: {rate: 32 Gbit/s, delay: 1 ns}\n"
                                   "switch: {pipeline: 2 ns, header: 4 B, lanes: 3, %s}\n"
                                   "queueing: {kind: 1q}\n"
                                   "nic: {mtu: 64 B}\n"
                                   "traffic:\n",
                                   radix, routing, sw);
    for (uint32_t i = 0; i < COP_LEN(hosts) && hosts[i] <= most; i++)
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used,
                             "  - {name: t%u, from: [0], pattern: fixed, to: %u, messages: 1, "
                             "arrival: constant, rate: 1 Gbit/s, message: 64 B, start: %u us}\n",
                             hosts[i], hosts[i], i);
    cop_result r;
    cop_err err = {0};
    if (scn_run(text, NULL, 0, &r, &err) != 0)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < r.n_streams; i++) {
        double cycles = r.stream[i].latency_mean_ns;
        if (r.stream[i].packets != 1 || cycles != (double)textbook_cycles(r.stream[i].dst))
            fail_msg("%s, %s, to %u: %g cycles, not %" PRIu64, routing, sw, r.stream[i].dst, cycles,
                     textbook_cycles(r.stream[i].dst));
    }
    cop_result_free(&r);
}

/* Every switching technique that cuts through, every routing of tori, to the picosecond. Six flits of room are as many as
 * the credit loop takes: smaller buffers would slow a lone packet down. */
static void latency_of_the_textbook(void **state)
{
    (void)state;
    static const char *const routing[] = {"dor", "adaptive-cube", "true-adaptive"};
    static const char *const switching[] = {
        "buffer: 64 B", "switching: wormhole, flit: 4 B, buffer: 64 B, reuse: empty",
        "switching: wormhole, flit: 4 B, buffer: 24 B"};
    for (size_t s = 0; s < COP_LEN(switching); s++) {
        for (size_t r = 0; r < COP_LEN(routing); r++)
            lone_packets("[8, 8]", 63, routing[r], switching[s]);
        lone_packets("[8, 8, 8]", 511, "dor", switching[s]);
    }
}

/* n places per round trip: a flit out (1 cycle), wire, header, pipeline, a flit on, wire of the credit. */
static void credit_loop_of_flits(void **state)
{
    (void)state;
    static const char text[] =
        "run: {duration: 40 us, warmup: 10 us}\n"
        "topology: {kind: single, hosts: 2}\n"
        "link: {rate: 32 Gbit/s, delay: 5 ns}\n"
        "switch: {switching: wormhole, flit: 4 B, pipeline: 2 ns, header: 4 B, buffer: 4 B}\n"
        "queueing: {kind: 1q}\n"
        "nic: {mtu: 64 B, buffer: 1 KiB}\n"
        "traffic: [{name: t, from: [0], pattern: fixed, to: 1, message: 64 B}]\n";
    for (uint32_t places = 1; places <= 20; places++) {
        char buffer[32];
        snprintf(buffer, sizeof(buffer), "switch.buffer=%u B", 4 * places);
        const char *set[] = {buffer};
        cop_result r;
        cop_err err = {0};
        if (scn_run(text, set, 1, &r, &err) != 0)
            fail_msg("%s", err.text);
        double loop = 5 + HEADER + PIPELINE + 1 + 5;
        double expected = places < loop ? 32.0 * places / loop : 32.0;
        double found = scn_gbps(&r, "t");
        assert_true(found > 0.997 * expected && found < 1.003 * expected);
        cop_result_free(&r);
    }
}

/* h1 sends to h5 over the link between two switches, h3 and h4 do so from h5's own switch: each has a third of h5's link.
 * h0 sends to h3 over the same link between switches. On one lane its packets wait behind those of h1, and have as many
 * turns; with four, of which the routing gives them different ones, they take what is left of the link, flit by flit. */
static void a_waiting_packet_holds_its_lane(void **state)
{
    (void)state;
    static const char text[] =
        "run: {duration: 400 us, warmup: 100 us}\n"
        "topology: {kind: mesh, radix: [2], hosts: 3}\n"
        "routing: {kind: dor}\n"
        "link: {rate: 8 Gbit/s, delay: 4 ns}\n"
        "switch: {switching: wormhole, flit: 16 B, header: 16 B, pipeline: 8 ns, buffer: 96 B}\n"
        "queueing: {kind: 1q}\n"
        "nic: {mtu: 256 B}\n"
        "traffic:\n"
        "  - {name: far, from: [1], pattern: fixed, to: 5, message: 256 B}\n"
        "  - {name: near, from: [3, 4], pattern: fixed, to: 5, message: 256 B}\n"
        "  - {name: cold, from: [0], pattern: fixed, to: 3, message: 256 B}\n";
    static const char *const lanes[] = {"switch.lanes=1", "switch.lanes=4"};
    for (size_t i = 0; i < COP_LEN(lanes); i++) {
        cop_result r;
        cop_err err = {0};
        if (scn_run(text, &lanes[i], 1, &r, &err) != 0)
            fail_msg("%s", err.text);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        double cold = scn_gbps(&r, "cold"), far = scn_gbps(&r, "far");
        if (i == 0) {
            assert_true(far > 0.99 * 8 / 3 && far < 1.01 * 8 / 3);
            assert_true(cold > 0.99 * far && cold < 1.01 * far);
        } else {
            assert_true(far > 2.2 && cold > 2 * far && cold + far > 0.995 * 8);
        }
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(latency_of_the_textbook),
                                       cmocka_unit_test(credit_loop_of_flits),
                                       cmocka_unit_test(a_waiting_packet_holds_its_lane)};
    return cmocka_run_group_tests_name("worm_hand", tests, NULL, NULL);
}
