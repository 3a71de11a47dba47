/* What must come to an end in a torus does: packets on escape lanes arrive whatever the queues of inputs are, and a source
 * that was told of congestion is told that it is over. What was offered is known also of a run that drains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exp/run.h"
#include "named.h"
#include "scenario.h"

#include <string.h>

/* Saturated, with buffers of one or two packets: adaptive and escape lanes are all full. A queue in which packets of both stand
 * makes them one, and they wait for each other for ever. */
static void escape_lanes_stay_apart(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 100 us, sample: 10 us}\n"
                               "topology: {kind: torus, radix: [8]}\n"
                               "routing: {kind: adaptive-cube}\n"
                               "traffic: [{pattern: uniform, arrival: saturated}]\n";
    static const char *const kinds[] = {"voqsw", "damq", "1q", "obqa"};
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (uint32_t seed = 1; seed <= 4; seed++)
            for (uint32_t kib = 2; kib <= 4; kib += 2) {
                char kind[40], from[40], buffer[40];
                const char *const set[] = {
                    scn_text(kind, sizeof(kind), "queueing.kind=%s", kinds[k]),
                    scn_text(from, sizeof(from), "run.seed=%u", seed),
                    scn_text(buffer, sizeof(buffer), "switch.buffer=%u KiB", kib)};
                cop_result r;
                scn_run(yaml, set, COP_LEN(set), &r, NULL);
                if (r.outcome != COP_OUTCOME_OK)
                    fail_msg("%s, seed %u, %u KiB: %s", kinds[k], seed, kib,
                             cop_outcome_name((int)r.outcome));
                cop_result_free(&r);
            }
}

/* After a burst all lanes are empty: as many were told that it is over as that it begins, and no source believes that it
 * goes on, though notifications by packets overtake each other and lanes have several queues. */
static void nobody_stays_limited(void **state)
{
    (void)state;
    static const char yaml[] =
        "units: {flit: 4 B, cycle: 1 ns}\n"
        "run: {duration: 12000 cycles, sample: 12000 cycles, observe: \"limited/0>1, limited/1>2, "
        "limited/2>3, limited/3>4, limited/4>5, limited/5>6, limited/6>7, limited/7>8, "
        "limited/8>9, limited/9>10, limited/10>11, limited/11>12, limited/12>13, limited/13>14, "
        "limited/14>15, limited/15>0\"}\n"
        "topology: {kind: torus, radix: [4, 4]}\n"
        "link: {rate: 1 flit/cycle, delay: 1 cycle}\n"
        "switch: {buffer: 256 B, header: 1 flit, pipeline: 1 cycle}\n"
        "nic: {mtu: 16 flits}\n"
        "cc: {kind: fern-2}\n"
        "traffic: [{pattern: uniform, arrival: bernoulli, load: 0.9 flit/cycle, message: 16 flits,"
        " stop: 2000 cycles}]\n";
    static const char *const how[][3] = {
        {"cc.notify=packets", "routing.kind=adaptive-cube", "queueing.kind=1q"},
        {"cc.notify=packets", "routing.kind=true-adaptive", "queueing.kind=1q"},
        {"cc.notify=instant", "routing.kind=dor", "queueing.kind=obqa"},
        {"cc.notify=instant", "routing.kind=dor", "queueing.kind=voqsw"}};
    for (size_t k = 0; k < COP_LEN(how); k++)
        for (uint32_t seed = 18; seed <= 24; seed++) {
            char from[40];
            const char *const set[] = {how[k][0], how[k][1], how[k][2],
                                       scn_text(from, sizeof(from), "run.seed=%u", seed)};
            cop_result r;
            scn_run(yaml, set, COP_LEN(set), &r, NULL);
            assert_true(scalar(&r, "fern_congestion") > 0.0);
            assert_true(scalar(&r, "fern_congestion") == scalar(&r, "fern_no_congestion"));
            for (uint32_t i = 0; i < r.n_series; i++)
                if (strncmp(r.series[i].name, "limited/", 8) == 0 &&
                    r.series[i].v[r.series[i].n - 1] > 0.0)
                    fail_msg("%s %s %s seed %u: %s", how[k][0], how[k][1], how[k][2], seed,
                             r.series[i].name);
            cop_result_free(&r);
        }
}

/* Lanes that control packets would have change nothing where there are none; and control packets on them are never taken
 * for deadlocked, however long they wait. Here they are three times as long as messages, of which each has one, and data go first. */
static void lanes_of_control(void **state)
{
    (void)state;
    static const char yaml[] =
        "units: {flit: 4 B, cycle: 1 ns}\n"
        "run: {duration: 6000 cycles}\n"
        "topology: {kind: torus, radix: [4, 4]}\n"
        "routing: {kind: true-adaptive, timeout: 100 cycles}\n"
        "link: {rate: 1 flit/cycle, delay: 1 cycle}\n"
        "switch: {pipeline: 2 cycles, header: 1 flit, buffer: 48 flits, lanes: 2}\n"
        "queueing: {kind: 1q}\n"
        "nic: {mtu: 16 flits}\n"
        "traffic: [{pattern: uniform, arrival: bernoulli, load: 100 %, message: 64 B}]\n";
    static const char *const set[][4] = {
        {"switch.lanes=4", "nic.control_vl=2", "switch.vl_arbitration=strict"},
        {"switch.lanes=4", "nic.control_vl=2", "switch.vl_arbitration=strict",
         "routing={kind: dor}"},
        {"switch.lanes=auto", "nic.control_vl=2", "switch.vl_arbitration=strict",
         "routing={kind: dor}"}};
    static const char *const told[] = {
        "switch={pipeline: 2 cycles, header: 1 flit, buffer: 480 flits, lanes: 4, "
        "vl_arbitration: ib, vl_high: [0, 16, 1, 16], vl_high_limit: 255, vl_low: [2, 16, 3, 16]}",
        "nic={mtu: 16 flits, control_vl: 2, ack: packet, control_bytes: 192 B}",
        "traffic.0.load=40 %", "routing.timeout=500 cycles"};
    cop_result without, with, busy;
    for (size_t k = 0; k < COP_LEN(set); k++) {
        size_t n = set[k][3] != NULL;
        scn_run(yaml, set[k] + 2, 1 + n, &without, NULL);
        scn_run(yaml, set[k], 3 + n, &with, NULL);
        if (n == 0)
            assert_true(scalar(&with, "deadlocks") > 0.0);
        assert_true(without.run_hash == with.run_hash);
        cop_result_free(&without);
        cop_result_free(&with);
    }
    /* by default, data have all lanes below those of control */
    static const char *const above[][2] = {{"switch.lanes=auto", "nic.control_vl=5"},
                                           {"switch.lanes=7", "nic.control_vl=5"}};
    scn_run(yaml, above[0], 2, &without, NULL);
    scn_run(yaml, above[1], 2, &with, NULL);
    assert_true(without.run_hash == with.run_hash);
    cop_result_free(&without);
    cop_result_free(&with);
    scn_run(yaml, told, COP_LEN(told), &busy, NULL);
    assert_true(scalar(&busy, "deadlocks") == 0.0);
    assert_int_equal(busy.outcome, COP_OUTCOME_OK);
    cop_result_free(&busy);
}

static bool nobody(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    (void)net;
    (void)in;
    (void)p;
    return false;
}

/* A control that admits no message at all is told as what it is, whether sources stop at the end or not. */
static void nobody_is_admitted(void **state)
{
    (void)state;
    static const cop_cc_ops closed = {.name = "closed", .at_switch.admit = nobody};
    static const char yaml[] = "run: {duration: 50 us}\n"
                               "topology: {kind: torus, radix: [4, 4]}\n"
                               "queueing: {kind: 1q}\n"
                               "traffic: [{pattern: uniform, arrival: poisson, load: 30 %}]\n";
    static const char *const how[][2] = {
        {"run.drain=no", "routing.kind=dor"},
        {"run.drain=yes", "routing.kind=dor"},
        {"run.drain=no", "routing.kind=true-adaptive"},
        {"run.drain=yes", "switch={switching: wormhole, buffer: 512 B}"}};
    for (size_t k = 0; k < COP_LEN(how); k++) {
        const cop_override set[] = {{.text = how[k][0]}, {.text = how[k][1]}};
        cop_config c;
        cop_result r;
        cop_err err = {0};
        assert_int_equal(cop_config_load(&c, "test.yaml", yaml, set, COP_LEN(set), &err), 0);
        c.cc = &closed;
        assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
        assert_int_equal(r.outcome, COP_OUTCOME_STARVED);
        assert_non_null(strstr(r.detail, "cc closed admits none of the "));
        assert_true(r.packets_delivered == 0 && r.packets_in_flight > 0);
        cop_result_free(&r);
        cop_config_free(&c);
    }
}

/* Sources that stop so that the network drains have offered what they would have otherwise. */
static void offered_before_draining(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 100 us, warmup: 20 us}\n"
                               "topology: {kind: torus, radix: [4]}\n"
                               "traffic: [{pattern: uniform, arrival: poisson, load: 90 %}]\n";
    static const char *const names[] = {"offered_gbps", "accepted_gbps", "waiting_at_sources_bytes",
                                        "saturated"};
    static const char *const loads[] = {"traffic.0.load=30 %", "traffic.0.load=100 %"};
    for (size_t l = 0; l < COP_LEN(loads); l++) {
        const char *const set[] = {loads[l], "run.drain=yes"};
        cop_result stays, drains;
        scn_run(yaml, set, 1, &stays, NULL);
        scn_run(yaml, set, 2, &drains, NULL);
        for (size_t i = 0; i < COP_LEN(names); i++)
            assert_true(scalar(&stays, names[i]) == scalar(&drains, names[i]));
        assert_true(scalar(&drains, "saturated") == (double)l);
        cop_result_free(&stays);
        cop_result_free(&drains);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape_lanes_stay_apart), cmocka_unit_test(nobody_stays_limited),
        cmocka_unit_test(lanes_of_control), cmocka_unit_test(nobody_is_admitted),
        cmocka_unit_test(offered_before_draining)};
    return cmocka_run_group_tests_name("torus ends", tests, NULL, NULL);
}
