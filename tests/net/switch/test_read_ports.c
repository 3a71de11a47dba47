/* Read ports of switch inputs, between one and as many as there are outputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "scenario.h"

/* Four hosts send, each to a host of the other switch, over a trunk that is four times as fast as hosts.
 * Its input needs a read port for each output that it is to keep busy: a packet occupies the port as
 * long as it is on the slower wire. */
static void test_rate_of_an_input(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 2 ms, warmup: 200 us}\n"
                               "topology: {kind: chain, hosts: [4, 4]}\n"
                               "link: {host_rate: 10 Gbit/s, trunk_rate: 40 Gbit/s, delay: 20 ns}\n"
                               "switch: {buffer: 64 KiB}\n"
                               "queueing: {kind: voqsw}\n"
                               "nic: {mtu: 2 KiB}\n"
                               "traffic:\n"
                               "  - {from: [0], pattern: fixed, to: 4}\n"
                               "  - {from: [1], pattern: fixed, to: 5}\n"
                               "  - {from: [2], pattern: fixed, to: 6}\n"
                               "  - {from: [3], pattern: fixed, to: 7}\n";
    static const struct {
        const char *set[2];
        double gbps;
    } cases[] = {
        {{"switch.architecture=iq", "switch.read_ports=auto"}, 10},
        {{"switch.architecture=iq", "switch.read_ports=1"}, 10},
        {{"switch.architecture=iq", "switch.read_ports=2"}, 20},
        {{"switch.architecture=iq", "switch.read_ports=3"}, 30},
        {{"switch.architecture=iq", "switch.read_ports=4"}, 40},
        {{"switch.architecture=iq", "switch.read_ports=512"}, 40},
        {{"switch.architecture=ib", "switch.read_ports=auto"}, 40},
        /* The crossbar takes packets off the input faster than wires do. */
        {{"switch.architecture=cioq", "switch.read_ports=1"}, 40},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        scn_run(yaml, cases[i].set, 2, &r, NULL);
        if (fabs(r.throughput_total_gbps - cases[i].gbps) > 0.01 * cases[i].gbps)
            fail_msg("%s, %s: %.3f Gbit/s, not %.0f", cases[i].set[0], cases[i].set[1],
                     r.throughput_total_gbps, cases[i].gbps);
        cop_result_free(&r);
    }
}

/* A queue is read by one output at a time, however many read ports there are: with one queue per input
 * nothing is gained. */
static void test_one_queue_needs_one(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 100 us}\n"
                               "topology: {kind: kary-ntree, k: 3, n: 2}\n"
                               "switch: {architecture: iq, buffer: 8 KiB}\n"
                               "queueing: {kind: 1q}\n"
                               "traffic: [{pattern: uniform}]\n";
    static const char *const reads[] = {"switch.read_ports=1", "switch.read_ports=2",
                                        "switch.read_ports=9"};
    uint64_t hash[COP_LEN(reads)];
    for (size_t i = 0; i < COP_LEN(reads); i++) {
        cop_result r;
        scn_run(yaml, &reads[i], 1, &r, NULL);
        assert_true(r.packets_delivered > 300);
        hash[i] = r.run_hash;
        cop_result_free(&r);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_int_equal(hash[0], hash[2]);
}

/* With a read port for each output no input is ever busy, every grant is accepted, and the matching does
 * what the outputs of `ib` do by themselves: iq is ib, and cioq is ib with output buffers, to the bit. Not
 * so where the order of what leaves at one instant matters: a packet asks for several outputs, the order
 * of queues follows from what has left (isolation), a packet is sent again, credits are lost by draw or
 * held back, or the next in a queue draws its way then. */
static bool order_matters(const draw *d)
{
    static const char *const words[] = {"adaptive", "ack-nack", "cs_threshold", "decide: head"};
    bool matters = draw_isolates(d) || (strstr(d->text, "loss: ") && !strstr(d->text, "loss: 0 %"));
    for (size_t i = 0; i < COP_LEN(words); i++)
        matters = matters || strstr(d->text, words[i]);
    return matters;
}

static void test_all_read_ports_are_ib(void **state)
{
    (void)state;
    static const char *const all[][2] = {{"switch.architecture=iq", "switch.read_ports=512"},
                                         {"switch.architecture=cioq", "switch.read_ports=512"}};
    draw *d = cop_alloc(sizeof(*d));
    uint32_t same[2] = {0}, differ = 0;
    for (uint32_t i = 0; i < 1200 * scn_rounds(); i++) {
        cop_result ib, matched;
        cop_err err = {0};
        draw_scenario(d, i);
        if (strcmp(d->arch, "ib") != 0 || d->worm || order_matters(d) ||
            scn_run(d->text, NULL, 0, &ib, &err) != 0)
            continue;
        scn_run(d->text, all[d->output_buffers], 2, &matched, NULL);
        if (ib.run_hash == matched.run_hash)
            same[d->output_buffers]++;
        else if (++differ <= 3)
            print_error("scenario %u differs\n%s\n", i, d->text);
        cop_result_free(&ib);
        cop_result_free(&matched);
    }
    cop_free(d);
    print_message("%u as iq, %u as cioq, %u differ\n", same[0], same[1], differ);
    assert_int_equal(differ, 0);
    assert_true(same[0] > 40 && same[1] > 20);
}

/* Packets of one input leave at one instant by several outputs. The room that they give back comes at one time, too, and
 * in whichever order the switch has decided, requests that waited for it are in the same order. */
static void test_room_that_comes_at_one_time(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 40 us}\n"
                               "topology: {kind: kary-ntree, k: 3, n: 2}\n"
                               "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                               "switch: {buffer: 512 B}\n"
                               "queueing: {kind: voqnet}\n"
                               "nic: {mtu: 256 B}\n"
                               "traffic: [{pattern: uniform}]\n";
    static const char *const arbitration[] = {
        "switch.arbitration=round-robin", "switch.arbitration=age", "switch.arbitration=random"};
    for (size_t i = 0; i < COP_LEN(arbitration); i++)
        for (unsigned seed = 1; seed <= 8; seed++) {
            char text[32];
            snprintf(text, sizeof(text), "run.seed=%u", seed);
            const char *set[] = {arbitration[i], text, "switch.architecture=iq",
                                 "switch.read_ports=512"};
            cop_result ib, iq;
            scn_run(yaml, set, 2, &ib, NULL);
            scn_run(yaml, set, 4, &iq, NULL);
            assert_true(ib.packets_delivered > 500);
            if (ib.run_hash != iq.run_hash)
                fail_msg("%s, seed %u: iq is not ib", arbitration[i], seed);
            cop_result_free(&ib);
            cop_result_free(&iq);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rate_of_an_input),
                                       cmocka_unit_test(test_one_queue_needs_one),
                                       cmocka_unit_test(test_room_that_comes_at_one_time),
                                       cmocka_unit_test(test_all_read_ports_are_ib)};
    return cmocka_run_group_tests_name("read_ports", tests, NULL, NULL);
}
