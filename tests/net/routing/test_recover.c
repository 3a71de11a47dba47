/* Recovery from deadlocks (net/routing/recover.c) with true fully adaptive routing: rings that deadlock without it
 * deliver everything, nothing is lost, and who only waits for a slow host is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outcome.h"
#include "exp/run.h"
#include "named.h"
#include "scenario.h"

/* A ring in which each host sends three links far, one lane, and little room. */
static const char ring[] = "run: {duration: 100 us, drain: yes, flows: yes}\n"
                           "topology: {kind: torus, radix: [8]}\n"
                           "routing: {kind: true-adaptive, timeout: 500 ns}\n"
                           "queueing: {kind: 1q}\n"
                           "link: {rate: 32 Gbit/s, delay: 5 ns}\n"
                           "switch: {lanes: 1, buffer: 256 B, header: 16 B, pipeline: 10 ns}\n"
                           "nic: {mtu: 256 B}\n"
                           "traffic: [{name: t, pattern: tornado, arrival: bernoulli, load: 0.9,\n"
                           "           message: 256 B}]\n";

static const char *const worm[] = {"switch.switching=wormhole", "switch.flit=16 B",
                                   "switch.buffer=64 B"};

static void run_with(const char *const *more, size_t n_more, bool flits, cop_result *r)
{
    const char *set[16];
    size_t n = 0;
    cop_err err = {0};
    for (size_t i = 0; flits && i < COP_LEN(worm); i++)
        set[n++] = worm[i];
    for (size_t i = 0; i < n_more; i++)
        set[n++] = more[i];
    if (scn_run(ring, set, n, r, &err) != 0)
        fail_msg("%s", err.text);
}

/* The same ring, with a routing that waits for ever. */
static void deadlocks_without(void **state)
{
    (void)state;
    static const char *const stubborn[] = {"routing={kind: dor, datelines: no}",
                                           "run.allow_deadlock=yes"};
    for (int flits = 0; flits < 2; flits++) {
        cop_result r;
        run_with(stubborn, COP_LEN(stubborn), flits, &r);
        assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
        cop_result_free(&r);
    }
}

/* Everything arrives, and no packet is absorbed more often than it crosses links between switches: three. */
static void delivers_with(void **state)
{
    (void)state;
    for (int flits = 0; flits < 2; flits++) {
        cop_result r;
        run_with(NULL, 0, flits, &r);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        assert_true(r.packets_injected > 500);
        assert_int_equal(r.packets_injected, r.packets_delivered);
        assert_int_equal(r.bytes_injected, r.bytes_delivered);
        double absorbed = scalar(&r, "deadlocks");
        assert_true(absorbed > 0.0 && absorbed <= 3.0 * (double)r.packets_delivered);
        assert_true(scalar(&r, "deadlocks_per_packet") * (double)r.packets_injected - absorbed <
                    1e-6);
        /* Five starts (host, three switches, the last switch), and two more for each time absorbed: to the host
         * and back. */
        assert_int_equal(r.packet_hops, 5 * r.packets_delivered + 2 * (uint64_t)absorbed);
        cop_result_free(&r);
    }
}

/* Recovery that comes after the end of the run is none: the run says what it is, and what to do. One that comes in time
 * says nothing, whatever waits at the end. */
static void too_late(void **state)
{
    (void)state;
    static const struct {
        const char *timeout, *warmup;
        bool late;
    } row[] = {{"routing.timeout=1 ms", "run.warmup=0", true},
               {"routing.timeout=100 us", "run.warmup=0", true},
               {"routing.timeout=30 us", "run.warmup=50 us", true},
               {"routing.timeout=500 ns", "run.warmup=0", false}};
    for (int flits = 0; flits < 2; flits++)
        for (size_t i = 0; i < COP_LEN(row); i++) {
            const char *const set[] = {row[i].timeout, row[i].warmup, "run.drain=no"};
            cop_result r;
            run_with(set, COP_LEN(set), flits, &r);
            if ((r.outcome == COP_OUTCOME_DEADLOCK) != row[i].late)
                fail_msg("%s, flits %d: %s", row[i].timeout, flits,
                         cop_outcome_name((int)r.outcome));
            assert_true(row[i].late == (r.detail != NULL));
            if (row[i].late && strstr(r.detail, "make routing.timeout shorter, or run.duration "
                                                "longer") == NULL)
                fail_msg("no remedy: %s", r.detail);
            cop_result_free(&r);
        }
    /* What did not come to stand still is not called a deadlock, however late recovery would be. */
    static const char *const light[] = {"traffic.t.load=0.02", "routing.timeout=1 ms",
                                        "run.drain=no"};
    cop_result r;
    run_with(light, COP_LEN(light), false, &r);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    cop_result_free(&r);
}

/* Three lanes by default; only lanes of trunks count, and the first lane of control packets. */
static void lanes_of_auto(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        unsigned lanes;
    } row[] = {{"run.seed=1", 3},     {"switch.trunk_lanes=2", 2}, {"switch.trunk_lanes=1", 1},
               {"switch.lanes=1", 1}, {"nic.control_vl=2", 4},     {"nic.control_vl=5", 7}};
    for (size_t i = 0; i < COP_LEN(row); i++) {
        const cop_override set[] = {{"switch.lanes=auto", false}, {row[i].set, false}};
        char expected[40], *said = NULL;
        size_t n = 0;
        cop_config c;
        cop_err err = {0};
        FILE *out = open_memstream(&said, &n);
        assert_non_null(out);
        if (cop_config_load(&c, "test.yaml", ring, set, COP_LEN(set), &err) != 0 ||
            cop_check_network(&c, out, &err) != 0)
            fail_msg("%s: %s", row[i].set, err.text);
        fclose(out);
        snprintf(expected, sizeof(expected), "true-adaptive, %u virtual lane", row[i].lanes);
        if (strstr(said, expected) == NULL)
            fail_msg("%s: not `%s` in: %s", row[i].set, expected, said);
        free(said);
        cop_config_free(&c);
    }
}

/* Little load: no packet waits for long, none is absorbed. */
static void calm(void **state)
{
    (void)state;
    static const char *const light[] = {"traffic.t.load=0.02", "routing.timeout=5 us"};
    for (int flits = 0; flits < 2; flits++) {
        cop_result r;
        run_with(light, COP_LEN(light), flits, &r);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        assert_true(r.packets_delivered > 50);
        assert_true(scalar(&r, "deadlocks") == 0.0);
        cop_result_free(&r);
    }
}

/* A lone cause, to the picosecond: host 2 sinks slowly, so the packet of host 0 to host 2 waits at switch 1
 * until its time is out, goes to host 1, and again from there. */
static void one_packet_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        "run: {duration: 1 ms, drain: yes}\n"
        "topology: {kind: mesh, radix: [3]}\n"
        "routing: {kind: true-adaptive, timeout: 100 ns}\n"
        "queueing: {kind: 1q}\n"
        "link: {rate: 8 Gbit/s, delay: 5 ns}\n"
        "switch: {lanes: 1, buffer: 64 B, header: 16 B, pipeline: 10 ns}\n"
        "nic: {mtu: 64 B, buffer: 64 B, receive_rate: 64 Mbit/s}\n"
        "traffic:\n"
        "  - {name: a, from: [1], pattern: fixed, to: 2, messages: 3, arrival: constant, rate: 8 "
        "Gbit/s, message: 64 B}\n"
        "  - {name: b, from: [0], pattern: fixed, to: 2, messages: 1, arrival: constant, rate: 8 "
        "Gbit/s, start: 1 us, message: 64 B}\n";
    cop_result r;
    cop_err err = {0};
    if (scn_run(text, NULL, 0, &r, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_int_equal(r.packets_delivered, 4);
    assert_true(scalar(&r, "deadlocks") == 1.0);
    /* The sink takes 8 us for a packet, from the head of the first on, 4 x 8 us in all; the packet of host 0
     * comes last. Head of the first at the sink: 3 links of 5 ns, 2 switches of 16 + 10 ns. */
    cop_time first = (3 * 5 + 2 * (16 + 10)) * COP_NS;
    /* It has room for one: the next leaves its switch when the credit is back, 5 + 5 ns. */
    cop_time gaps = 3 * (5 + 5) * COP_NS;
    assert_int_equal(r.latency->max, first + 4 * 8000 * COP_NS + gaps - 1000 * COP_NS);
    assert_int_equal(r.packet_hops, 3 * 3 + 4 + 2);
    cop_result_free(&r);
}

static void refuses(void **state)
{
    (void)state;
    static const struct {
        const char *set, *says;
    } row[] = {{"queueing.kind=voqnet", "buffers that all destinations share"},
               {"queueing.kind=fbicm", "packets that stay in their queue"},
               {"flow_control.kind=on-off", "needs credits"},
               {"topology.hosts=0", "host"}};
    for (size_t i = 0; i < COP_LEN(row); i++) {
        cop_result r;
        cop_err err = {0};
        if (scn_run(ring, &row[i].set, 1, &r, &err) != -COP_E_INPUT)
            fail_msg("%s is accepted", row[i].set);
        if (strstr(err.text, row[i].says) == NULL)
            fail_msg("%s: `%s` does not say `%s`", row[i].set, err.text, row[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deadlocks_without),
                                       cmocka_unit_test(delivers_with),
                                       cmocka_unit_test(too_late),
                                       cmocka_unit_test(lanes_of_auto),
                                       cmocka_unit_test(calm),
                                       cmocka_unit_test(one_packet_by_hand),
                                       cmocka_unit_test(refuses)};
    return cmocka_run_group_tests_name("recover", tests, NULL, NULL);
}
