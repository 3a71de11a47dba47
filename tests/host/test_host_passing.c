/* Who passes whom at an end node: what waits for its own destination's credit, or for its congestion
 * control, must not keep others waiting whose turn has come. */
#include "scenario.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const kinds[] = {"host={kind: simple}", "host={kind: hca}",
                                    "host={kind: hca, throttle: injection}"};

static void run(const char *yaml, const char *host, cop_result *r)
{
    scn_run(yaml, &host, 1, r, NULL);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
}

/* Buffers per destination: host 2 has acknowledgements for host 0, whom ten others overload, and whose
 * place in the switch is full. What it has for host 3 goes all the same. */
static void test_data_passes_answers_without_credit(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 3 ms, warmup: 1 ms}\n"
        "topology: {kind: single, hosts: 12}\n"
        "link: {rate: 10 Gbit/s, delay: 10 us}\n"
        "switch: {buffer: 64 KiB}\n"
        "queueing: {kind: voqnet}\n"
        "nic: {ack: packet}\n"
        "traffic:\n"
        "  - {name: others, from: [1, 4-11], pattern: fixed, to: 0}\n"
        "  - {name: hot, from: [2], pattern: fixed, to: 0}\n"
        "  - {name: cool, from: [2], pattern: fixed, to: 3, message: 64 KiB}\n"
        "  - {name: back, from: [0], pattern: fixed, to: 2}\n";
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        cop_result r;
        run(yaml, kinds[i], &r);
        assert_true(scn_gbps(&r, "cool") > 9.8);
        assert_true(scn_gbps(&r, "back") > 9.6);
        cop_result_free(&r);
    }
}

/* Each flow is paced to 2 Gbit/s, one of them has credit for an eighth of it. The other gets its 2, but
 * for the packets that it finds on the wire at its turn. */
static void test_a_turn_comes_also_while_others_lack_credit(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 4 ms, warmup: 2 ms}\n"
                               "topology: {kind: single, hosts: 40}\n"
                               "link: {rate: 10 Gbit/s}\n"
                               "switch: {buffer: 4 KiB}\n"
                               "queueing: {kind: voqnet}\n"
                               "cc: {kind: pace, rate: 2 Gbit/s}\n"
                               "traffic:\n"
                               "  - {name: others, from: [3-39], pattern: fixed, to: 0}\n"
                               "  - {name: hot, from: [2], pattern: fixed, to: 0}\n"
                               "  - {name: cool, from: [2], pattern: fixed, to: 1}\n";
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        cop_result r;
        run(yaml, kinds[i], &r);
        assert_true(scn_gbps(&r, "cool") > 1.96);
        assert_true(scn_gbps(&r, "hot") < 0.27);
        cop_result_free(&r);
    }
}

/* One lane. After a long and a short packet there is credit for a short one, and none comes back within
 * 41 us. The next long one waits for it; the next short one, from a queue of its own, goes at its turn
 * after 10 us, and both are there at 51.9 us. */
static void test_a_short_packet_goes_at_its_turn(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 60 us}\n"
        "topology: {kind: single, hosts: 5}\n"
        "link: {rate: 10 Gbit/s, delay: 20 us}\n"
        "switch: {buffer: 2304 B}\n"
        "queueing: {kind: dbbm, queues: 2}\n"
        "cc: {kind: pace, rate: 100 Mbit/s}\n"
        "traffic:\n"
        "  - {from: [4], pattern: list, to_list: [0, 2], message: 2 KiB, messages: 2}\n"
        "  - {name: short, from: [4], pattern: fixed, to: 1, message: 125 B, messages: 2}\n";
    for (size_t i = 1; i < COP_LEN(kinds); i++) {
        cop_result r;
        run(yaml, kinds[i], &r);
        for (uint32_t s = 0; s < r.n_streams; s++)
            assert_int_equal(r.stream[s].packets, strcmp(r.stream[s].entry, "short") == 0 ? 2 : 1);
        cop_result_free(&r);
    }
}

/* All flows are paced to 1 Gbit/s, and the host to 5. At 10 us host 5 has a packet for each of hosts 0
 * and 1, and one for 3 that must wait until 16.384 us. While it pauses after the first, an
 * acknowledgement goes. The other follows when the pause is over: 3276.8 ns after the first, and 171.2 +
 * 1658.4 ns later it is there. */
static void test_an_answer_in_a_pause_costs_no_turn(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 60 us}\n"
        "topology: {kind: single, hosts: 6}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "queueing: {kind: dbbm, queues: 4}\n"
        "nic: {ack: packet, inject_rate: 5 Gbit/s}\n"
        "cc: {kind: pace, rate: 1 Gbit/s}\n"
        "traffic:\n"
        "  - {name: third, from: [5], pattern: fixed, to: 3, message: 2 KiB, messages: 2}\n"
        "  - {from: [5], pattern: fixed, to: 2, message: 2 KiB, messages: 1, start: 5 us}\n"
        "  - {name: first, from: [5], pattern: fixed, to: 0, message: 2 KiB, messages: 1, "
        "start: 10 us}\n"
        "  - {name: second, from: [5], pattern: fixed, to: 1, message: 2 KiB, messages: 1, "
        "start: 10 us}\n"
        "  - {from: [4], pattern: fixed, to: 5, message: 64 B, messages: 1, start: 12 us}\n";
    for (size_t i = 1; i < COP_LEN(kinds); i++) {
        cop_result r;
        run(yaml, kinds[i], &r);
        uint32_t seen = 0;
        for (uint32_t s = 0; s < r.n_streams; s++)
            if (strcmp(r.stream[s].entry, "second") == 0) {
                assert_true(fabs(r.stream[s].latency_mean_ns - 3276.8 - 171.2 - 1658.4) < 1e-6);
                seen++;
            }
        assert_int_equal(seen, 1);
        cop_result_free(&r);
    }
}

/* Several streams of a host for one destination: its generation queue takes their messages in turns, and
 * a stream that also sends elsewhere has its turns, too. Open streams that ask for more than the link
 * has go by age. */
static void test_streams_take_turns_at_a_full_queue(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 2 ms, warmup: 500 us}\n"
                               "topology: {kind: single, hosts: 3}\n"
                               "link: {rate: 10 Gbit/s}\n"
                               "traffic:\n"
                               "  - {name: one, from: [0], pattern: fixed, to: 1}\n"
                               "  - {name: two, from: [0], pattern: fixed, to: 1}\n"
                               "  - {name: any, from: [0], pattern: uniform}\n";
    static const char *const open[] = {
        "host={kind: hca}",
        "traffic.0={name: one, from: [0], pattern: fixed, to: 1, arrival: "
        "constant, load: 80 %}",
        "traffic.1={name: two, from: [0], pattern: fixed, to: 1, arrival: constant, load: 80 %}",
        "traffic.2={name: any, from: [0], pattern: fixed, to: 1, arrival: constant, load: 80 %}"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        cop_result r;
        run(yaml, kinds[i], &r);
        assert_true(fabs(scn_gbps(&r, "one") - scn_gbps(&r, "two")) < 0.05);
        assert_true(scn_gbps(&r, "one") > 2.3);
        assert_true(scn_gbps(&r, "any") > 3.3);
        cop_result_free(&r);
    }
    cop_result r;
    scn_run(yaml, open, COP_LEN(open), &r, NULL);
    for (uint32_t s = 0; s < r.n_streams; s++)
        assert_true(fabs(r.stream[s].gbps - 10. / 3) < 0.05);
    cop_result_free(&r);
}

/* Three saturated streams of a host have messages for host 1, to which it sends 2 Gbit/s. One of them has
 * messages for others too, and many of them wait here; they take turns all the same, and flows keep their
 * order (run.flows). The other two flows of that stream get their 2 Gbit/s. */
static void test_streams_take_turns_at_a_shared_flow(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 4 ms, warmup: 1 ms, flows: yes}\n"
                               "topology: {kind: single, hosts: 4}\n"
                               "cc: {kind: pace, rate: 2 Gbit/s}\n"
                               "traffic:\n"
                               "  - {name: a, from: [0], pattern: fixed, to: 1}\n"
                               "  - {name: many, from: [0], pattern: list, to_list: [1, 2, 3]}\n"
                               "  - {name: b, from: [0], pattern: fixed, to: 1}\n";
    static const char *const sets[] = {"nic.order=fifo", "nic.order=round-robin"};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        run(yaml, sets[i], &r);
        assert_true(fabs(scn_gbps(&r, "a") - 2. / 3) < 0.02);
        assert_true(fabs(scn_gbps(&r, "b") - 2. / 3) < 0.02);
        assert_true(fabs(scn_gbps(&r, "many") - 14. / 3) < 0.04);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_passes_answers_without_credit),
        cmocka_unit_test(test_a_turn_comes_also_while_others_lack_credit),
        cmocka_unit_test(test_a_short_packet_goes_at_its_turn),
        cmocka_unit_test(test_an_answer_in_a_pause_costs_no_turn),
        cmocka_unit_test(test_streams_take_turns_at_a_full_queue),
        cmocka_unit_test(test_streams_take_turns_at_a_shared_flow),
    };
    return cmocka_run_group_tests_name("host_passing", tests, NULL, NULL);
}
