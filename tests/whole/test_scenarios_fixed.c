/* Two scenarios with many changes to each: what a change must not alter.
 *
 * Deadlock: a ring without datelines is refused, deadlocks with every kind of switch and queue when it
 * is allowed, and says where; with datelines it runs. Offer: what sources offer depends on the seed
 * alone, not on queues, switches, flow control or congestion control. Random scenarios:
 * test_scenarios.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "scenario.h"

/* -- deadlock -- */

static const char ring[] = "run: {duration: 200 us, warmup: 0 ns}\n"
                           "topology: {kind: torus, radix: [5], hosts: 2}\n"
                           "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                           "switch: {buffer: 4 KiB}\n"
                           "routing: {kind: dor, datelines: no}\n"
                           "traffic: [{pattern: tornado}, {pattern: uniform}]\n";

static void test_deadlock(void **state)
{
    (void)state;
    static const char *const allow[] = {"run.allow_deadlock=yes"};
    static const char *const arch[] = {"switch.architecture=ib", "switch.architecture=iq",
                                       "switch.architecture=cioq", "switch.output_buffer=4 KiB"};
    static const char *const queue[] = {"queueing.kind=1q", "queueing.kind=voqsw",
                                        "queueing.kind=dbbm", "queueing.kind=hfdi",
                                        "queueing.kind=fbicm"};
    static const char *const dateline[] = {"routing.datelines=yes"};
    cop_result r;
    cop_err err = {0};
    assert_int_equal(scn_run(ring, NULL, 0, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "cycle"));
    assert_non_null(strstr(err.text, "s0."));
    assert_non_null(strstr(err.text, "run.allow_deadlock"));
    for (size_t a = 0; a < COP_LEN(arch); a++)
        for (size_t q = 0; q < COP_LEN(queue); q++) {
            const char *set[] = {allow[0], arch[a], queue[q]};
            scn_run(ring, set, COP_LEN(set), &r, NULL);
            assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
            assert_non_null(strstr(r.detail, "deadlock at"));
            assert_non_null(strstr(r.detail, "/vl0 ->"));
            assert_non_null(strstr(r.detail, "(again)"));
            assert_true(r.sim_time < 100 * COP_US);
            assert_int_equal(r.packets_injected, r.packets_delivered + r.packets_in_flight);
            cop_result_free(&r);
        }
    scn_run(ring, dateline, 1, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_true(r.packets_delivered > 300);
    cop_result_free(&r);
}

/* Lanes that share an output buffer do not wait for each other: what each has for itself holds a packet.
 * Two lanes keep the ring free of deadlock, so they do when they share: as much is delivered as with a
 * packet of room for each lane. (Without what lanes own all would stand still after 15 packets.) */
static void test_shared_outputs_do_not_deadlock(void **state)
{
    (void)state;
    static const char lanes[] = "run: {duration: 200 us}\n"
                                "topology: {kind: torus, radix: [8], hosts: 2}\n"
                                "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                                "switch: {buffer: 2 KiB}\n"
                                "routing: {kind: dor}\n"
                                "traffic: [{pattern: tornado}, {pattern: uniform}]\n";
    static const char *const arch[] = {"switch.architecture=ib", "switch.architecture=cioq"};
    static const char *const size[] = {"switch.output_buffer=4 KiB", "switch.output_buffer=5 KiB",
                                       "switch.output_buffer=7 KiB"};
    for (size_t a = 0; a < COP_LEN(arch); a++) {
        const char *alone[] = {arch[a], "switch.output_buffer=2 KiB"};
        cop_result r, private;
        scn_run(lanes, alone, COP_LEN(alone), &private, NULL);
        assert_true(private.packets_delivered > 200);
        for (size_t i = 0; i < COP_LEN(size); i++) {
            const char *set[] = {arch[a], size[i], "switch.output_shared=yes"};
            scn_run(lanes, set, COP_LEN(set), &r, NULL);
            assert_int_equal(r.outcome, COP_OUTCOME_OK);
            assert_true(r.packets_delivered > private.packets_delivered * 9 / 10);
            if (i == 0) /* nothing is left to share */
                assert_int_equal(r.run_hash, private.run_hash);
            cop_result_free(&r);
        }
        cop_result_free(&private);
    }
}

/* -- offered traffic -- */

static const char light[] =
    "run: {duration: 100 us, drain: yes}\n"
    "topology: {kind: kary-ntree, k: 2, n: 3}\n"
    "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
    "switch: {buffer: 16 KiB}\n"
    "traffic:\n"
    "  - {pattern: uniform, arrival: poisson, load: 20 %, size_distribution: uniform, size_max: 4 "
    "KiB}\n"
    "  - {pattern: hotspot, to: 3, arrival: bernoulli, load: 5 %, message: 1000 B}\n"
    "  - {from: [0-3], pattern: random-permutation, arrival: on-off, load: 50 %, on_mean: 1 us, "
    "off_mean: 9 us}\n";

/* What is offered depends on the seed alone: not on how the network treats it. */
static void test_same_offer(void **state)
{
    (void)state;
    static const char *const change[][2] = {
        {"cc.kind=pace", "cc.rate=100 Tbit/s"},
        {"cc.kind=ibcc", "cc.threshold=0"},
        {"queueing.kind=1q", "switch.architecture=iq"},
        {"queueing.kind=voqnet", "switch.arbitration=age"},
        {"switch.architecture=cioq", "flow_control.kind=ack-nack"},
        {"routing.kind=adaptive-tree", "switch.switching=store-and-forward"},
        {"flow_control.kind=ib", "flow_control.loss=10 %"},
        {"nic.order=round-robin", "nic.ack=packet"},
    };
    cop_result base, r;
    scn_run(light, NULL, 0, &base, NULL);
    assert_int_equal(base.outcome, COP_OUTCOME_OK);
    assert_true(base.packets_delivered > 200);
    for (size_t i = 0; i < COP_LEN(change); i++) {
        scn_run(light, change[i], 2, &r, NULL);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        assert_int_equal(r.n_streams, base.n_streams);
        for (uint32_t s = 0; s < r.n_streams; s++) {
            assert_int_equal(r.stream[s].dst, base.stream[s].dst);
            assert_int_equal(r.stream[s].sent_bytes, base.stream[s].sent_bytes);
            assert_int_equal(r.stream[s].delivered_bytes, base.stream[s].delivered_bytes);
        }
        /* An unreached limit and a threshold that never marks change nothing; later forwarding
         * does. */
        if (i <= 1)
            assert_int_equal(r.run_hash, base.run_hash);
        if (i == 5)
            assert_int_not_equal(r.run_hash, base.run_hash);
        cop_result_free(&r);
    }
    cop_result_free(&base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_shared_outputs_do_not_deadlock),
        cmocka_unit_test(test_same_offer),
    };
    return cmocka_run_group_tests_name("scenarios fixed", tests, NULL, NULL);
}
