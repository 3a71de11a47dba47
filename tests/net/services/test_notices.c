/* Notifications that switches make: they wait in memory of the switch's own and keep no data waiting that does not
 * ask for the same channel, so a network that has no cycle of dependencies does not deadlock by them. */
#include "named.h"
#include "net_fixture.h"

#include <math.h>
#include <string.h>

/* Buffers of two packets, and a notification for almost every packet that leaves. */
static const char torus[] = "run: {duration: 60 us, drain: yes}\n"
                            "topology: {kind: torus, radix: [5, 5]}\n"
                            "routing: {kind: dor}\n"
                            "link: {rate: 10 Gbit/s, delay: 50 ns}\n"
                            "queueing: {kind: 1q}\n"
                            "switch: {buffer: 2 KiB}\n"
                            "nic: {mtu: 1024 B, control_bytes: 64 B}\n"
                            "cc: {kind: qcn, every: 1, share: 100 %, qeq: 512 B}\n"
                            "traffic: [{pattern: uniform, arrival: saturated}]\n";

/* Two of three seeds ended in a deadlock when notifications stood among data. */
static void test_torus_does_not_deadlock(void **state)
{
    (void)state;
    static const char *const layouts[][2] = {
        {"queueing.kind=1q", "switch.architecture=ib"},
        {"queueing.kind=1q", "switch.architecture=iq"},
        {"queueing.kind=1q", "switch={architecture: cioq, buffer: 2 KiB, output_buffer: 2 KiB}"},
        {"queueing.kind=dbbm", "switch.architecture=ib"},
        {"queueing.kind=obqa", "switch.architecture=ib"},
        {"queueing.kind=voqsw", "switch.architecture=ib"},
        {"queueing={kind: fbicm, detect: 1}", "switch.buffer=8 KiB"},
        {"queueing.kind=1q", "nic={mtu: 1024 B, control_bytes: 64 B, control_vl: 2}"}};
    for (size_t i = 0; i < COP_LEN(layouts); i++)
        for (int seed = 1; seed <= 3; seed++) {
            char draw[32];
            const char *set[] = {layouts[i][0], layouts[i][1],
                                 scn_text(draw, sizeof(draw), "run.seed=%d", seed)};
            cop_result r;
            cop_err err = {0};
            if (scn_run(torus, set, COP_LEN(set), &r, &err) != 0)
                fail_msg("%s: %s", layouts[i][0], err.text);
            if (r.outcome != COP_OUTCOME_OK)
                fail_msg("%s, %s, seed %d: %s", layouts[i][0], layouts[i][1], seed, r.detail);
            assert_true(scalar(&r, "notifications") > 500);
            assert_true(scalar(&r, "becn") == scalar(&r, "notifications"));
            assert_int_equal(r.packets_in_flight, 0);
            cop_result_free(&r);
        }
}

/* On a faster link a large notification is ready at once, as all of it is there. It counted as due
 * after the end of time while the run was younger than the time it takes there. */
static void test_from_slow_to_fast(void **state)
{
    (void)state;
    static const char fast[] = "run: {duration: 50 us, drain: yes}\n"
                               "topology: {kind: chain, hosts: [4, 4]}\n"
                               "link: {rate: 16 Gbit/s, host_rate: 40 Gbit/s}\n"
                               "nic: {control_bytes: 4 KiB}\n"
                               "cc: {kind: qcn, every: 1, share: 100 %, qeq: 1 B}\n"
                               "traffic: [{pattern: all-to-one, to: 0}]\n";
    static const char *const queues[] = {"queueing.kind=voqsw", "queueing.kind=1q",
                                         "queueing.kind=voqnet"};
    for (size_t i = 0; i < COP_LEN(queues); i++) {
        cop_result r;
        cop_err err = {0};
        if (scn_run(fast, &queues[i], 1, &r, &err) != 0)
            fail_msg("%s: %s", queues[i], err.text);
        if (r.outcome != COP_OUTCOME_OK)
            fail_msg("%s: %s", queues[i], r.detail);
        assert_true(scalar(&r, "notifications") > 10);
        cop_result_free(&r);
    }
}

/* Messages of the controls of tori are made the same way. */
static void test_messages_of_tori(void **state)
{
    (void)state;
    static const char *const controls[] = {
        "cc={kind: fern-1, notify: packets, threshold: 1, every: 1}",
        "cc={kind: fern-local, notify: packets, threshold: 1, every: 1}"};
    for (size_t i = 0; i < COP_LEN(controls); i++)
        for (int seed = 1; seed <= 2; seed++) {
            char draw[32];
            const char *set[] = {controls[i], scn_text(draw, sizeof(draw), "run.seed=%d", seed)};
            cop_result r;
            cop_err err = {0};
            if (scn_run(torus, set, COP_LEN(set), &r, &err) != 0)
                fail_msg("%s: %s", controls[i], err.text);
            if (r.outcome != COP_OUTCOME_OK)
                fail_msg("%s: %s", controls[i], r.detail);
            assert_true(scalar(&r, "notifications") > 50);
            cop_result_free(&r);
        }
}

/* Told at once, sources need no packets: a network that can be crossed one way only will do. With packets it does not. */
static void test_at_once_on_a_one_way_network(void **state)
{
    (void)state;
    static const char omega[] =
        "run: {duration: 10 us}\n"
        "topology: {kind: omega, radix: 4, stages: 3}\n"
        "link: {rate: 32 Gbit/s, delay: 1 ns}\n"
        "switch: {buffer: 192 B, pipeline: 2 ns, header: 4 B}\n"
        "queueing: {kind: 1q}\n"
        "cc: {kind: fern-1, every: 4}\n"
        "nic: {mtu: 64 B}\n"
        "traffic: [{pattern: uniform, arrival: bernoulli, load: 90 %, message: 64 B}]\n";
    static const char *const packets[] = {"cc.notify=packets"};
    cop_result r;
    cop_err err = {0};
    assert_int_equal(scn_run(omega, NULL, 0, &r, &err), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_true(scalar(&r, "told_at_once") > 50 && scalar(&r, "notifications") == 0);
    cop_result_free(&r);
    assert_true(scn_run(omega, packets, 1, &r, &err) != 0);
    assert_non_null(strstr(err.text, "does not lead from switch"));
}

/* A ring that deadlocks by itself: the report says where notifications wait, and they are accounted for. */
static void test_report_names_them(void **state)
{
    (void)state;
    static const char ring[] = "run: {duration: 200 us, allow_deadlock: yes}\n"
                               "topology: {kind: torus, radix: [5], hosts: 2}\n"
                               "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                               "switch: {buffer: 4 KiB}\n"
                               "routing: {kind: dor, datelines: no}\n"
                               "nic: {mtu: 1 KiB, overhead: 0 B, control_bytes: 1 KiB}\n"
                               "cc: {kind: qcn, every: 1, share: 100 %, qeq: 512 B, react: no}\n"
                               "traffic: [{pattern: uniform}]\n";
    static const char *const queues[] = {"queueing.kind=1q", "queueing.kind=voqsw"};
    for (size_t i = 0; i < COP_LEN(queues); i++) {
        cop_result r;
        scn_run(ring, &queues[i], 1, &r, NULL);
        assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
        assert_non_null(strstr(r.detail, "(again)\n  "));
        assert_non_null(strstr(r.detail, "in the switches that made them, the first for s"));
        assert_int_equal(r.packets_injected, r.packets_delivered + r.packets_in_flight);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torus_does_not_deadlock),
        cmocka_unit_test(test_from_slow_to_fast),
        cmocka_unit_test(test_messages_of_tori),
        cmocka_unit_test(test_at_once_on_a_one_way_network),
        cmocka_unit_test(test_report_names_them),
    };
    return cmocka_run_group_tests_name("notices", tests, NULL, NULL);
}
