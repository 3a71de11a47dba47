/* Mechanisms that did nothing say so at the end of a run, and why; those that did something do not. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define NETWORK                                                                                    \
    "run: {duration: 200 us}\n"                                                                    \
    "topology: {kind: chain, hosts: [3, 4]}\n"                                                     \
    "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"                               \
    "switch: {buffer: 64 KiB}\n"

static const char calm[] = NETWORK "traffic: [{from: [0], pattern: fixed, to: 3}]\n";
static const char crowded[] = NETWORK "traffic: [{from: [0, 1, 5, 6], pattern: fixed, to: 4}]\n";

static void test_who_rests(void **state)
{
    (void)state;
    static const struct {
        const char *set[2], *says[2];
    } cases[] = {
        {{"cc.kind=none"}, {NULL}},
        {{"cc.kind=ibcc", "cc.threshold_bytes=48 KiB"},
         {"cc ibcc: nothing was marked: no output that has credit (a root) was above its threshold "
          "of 48 KiB; most that waited at a sample: 2 KiB (for s0.3)"}},
        {{"cc.kind=qcn", "cc.share=1"},
         {"cc qcn: none of 2 samples found congestion (qeq 13107 B)"}},
        {{"queueing.kind=fbicm"}, {"queueing fbicm: no root was found: no queue was above the "}},
        {{"queueing.kind=hfdi", "cc.kind=ecocc"},
         {"cc ecocc: nothing was marked: queueing hfdi", "queueing hfdi: no root was found"}},
        {{"flow_control.kind=on-off"},
         {"flow_control on-off: no buffer had less than its threshold of 2463 B free"}},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++)
        for (int busy = 0; busy < 2; busy++) {
            cop_result r;
            uint32_t n = cases[i].set[1] ? 2 : 1, want = 0;
            scn_run(busy ? crowded : calm, cases[i].set, n, &r, NULL);
            while (!busy && want < 2 && cases[i].says[want] != NULL)
                want++;
            if (r.n_rested != want)
                fail_msg("%s, %s: %u did nothing, not %u: %s", cases[i].set[0],
                         busy ? "crowded" : "calm", r.n_rested, want,
                         r.n_rested ? r.rested[0] : "");
            for (uint32_t k = 0; k < want; k++)
                if (strncmp(r.rested[k], cases[i].says[k], strlen(cases[i].says[k])) != 0)
                    fail_msg("%s: `%s`", cases[i].set[0], r.rested[k]);
            cop_result_free(&r);
        }
}

/* A routing that adapts, with nothing to adapt to. */
static void test_routings(void **state)
{
    (void)state;
    static const char lone[] = "run: {duration: 50 us}\n"
                               "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
                               "traffic: [{from: [0], pattern: fixed, to: 60}]\n";
    static const char *const qcn[] = {"routing.kind=qcn-switch", "cc.kind=qcn", "cc.react=no"};
    static const char *const ugal[] = {"routing.kind=ugal"};
    cop_result r;
    scn_run(lone, qcn, 3, &r, NULL);
    assert_int_equal(r.n_rested, 2);
    assert_string_equal(r.rested[1], "routing qcn-switch: P stayed at 100 % at all ports: it heard "
                                     "0 notifications");
    cop_result_free(&r);
    scn_run(lone, ugal, 1, &r, NULL);
    bool around = false;
    for (uint32_t i = 0; i < r.n_scalars; i++)
        around |= strcmp(r.scalar[i].name, "packets_misrouted") == 0 && r.scalar[i].value > 0;
    assert_int_equal(r.n_rested, around ? 0 : 1);
    cop_result_free(&r);
}

/* Controls of tori, on one where a lone source sends now and then, and on one that is full. */
static void test_tori(void **state)
{
    (void)state;
    static const char lone[] = "run: {duration: 20 us}\n"
                               "topology: {kind: torus, radix: [4, 4]}\n"
                               "switch: {buffer: 256 B}\n"
                               "nic: {mtu: 64 B}\n"
                               "link: {rate: 8 Gbit/s}\n"
                               "traffic: [{from: [2], pattern: fixed, to: 0, message: 64 B,"
                               " arrival: constant, rate: 1 Gbit/s}]\n";
    static const char *const more[] = {"traffic.0.from=[1, 2, 3, 4, 8, 9]",
                                       "traffic.0.rate=6 Gbit/s"};
    static const char looked[] = "no source was told: switches looked ";
    static const struct {
        const char *kind, *set, *says;
    } cases[] = {
        {"fern-1", "cc.notify=instant", looked},
        {"fern-2", "cc.notify=packets", looked},
        {"fern-local", "cc.notify=instant", looked},
        {"smai", "cc.limit=2",
         "no signal was heard: no message stood in a switch input for more than 256 ns (timeout); "
         "the longest that left had stood for 0"},
        {"self-tuned", "cc.returns=5",
         "no message was held back: hosts knew of 0 messages in the network at most, of "},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++)
        for (int busy = 0; busy < 2; busy++) {
            char kind[32], says[200];
            const char *set[] = {kind, cases[i].set, more[0], more[1]};
            snprintf(kind, sizeof(kind), "cc.kind=%s", cases[i].kind);
            snprintf(says, sizeof(says), "cc %s: %s", cases[i].kind, cases[i].says);
            cop_result r;
            scn_run(lone, set, busy ? 4 : 2, &r, NULL);
            if (r.n_rested != (busy ? 0 : 1))
                fail_msg("%s: %u did nothing: %s", kind, r.n_rested, r.n_rested ? r.rested[0] : "");
            if (!busy && strncmp(r.rested[0], says, strlen(says)) != 0)
                fail_msg("%s: `%s`", kind, r.rested[0]);
            cop_result_free(&r);
        }
    static const char *const never[] = {"cc.kind=fern-1", "cc.notify=never", more[0], more[1]};
    cop_result r;
    scn_run(lone, never, 4, &r, NULL);
    assert_int_equal(r.n_rested, 1);
    assert_non_null(strstr(r.rested[0], "cc fern-1: no source was told, as `notify: never` says;"));
    cop_result_free(&r);
}

/* A service level that leads to no lane; with a map, or a flow of its own, it does something. */
static void test_levels(void **state)
{
    (void)state;
    static const struct {
        const char *set[3], *says;
    } cases[] = {
        {{"traffic.0.sl=0"}, NULL},
        {{"traffic.0.sl=3"},
         "traffic traffic0: service level 3 chooses no lane: the network has one"},
        {{"traffic.0.sl=3", "switch.lanes=2"}, NULL}, /* a forwarding table: lane 3 modulo 2 */
        {{"traffic.0.sl=1", "switch.lanes=2", "switch.sl2vl=[0, 1]"}, NULL},
        {{"traffic.0.sl=3", "cc.kind=ibcc", "cc.threshold_bytes=2 KiB"}, NULL},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        uint32_t n = 0;
        cop_result r;
        while (n < 3 && cases[i].set[n] != NULL)
            n++;
        scn_run(crowded, cases[i].set, n, &r, NULL);
        if (r.n_rested != (cases[i].says ? 1 : 0))
            fail_msg("case %zu: %u did nothing: %s", i, r.n_rested, r.n_rested ? r.rested[0] : "");
        if (cases[i].says)
            assert_string_equal(r.rested[0], cases[i].says);
        cop_result_free(&r);
    }
    static const char *const torus[] = {"topology.kind=torus", "topology.radix=[4, 4]",
                                        "traffic.0.sl=1"};
    cop_result r;
    scn_run(crowded, torus, 3, &r, NULL);
    assert_int_equal(r.n_rested, 1);
    assert_non_null(strstr(r.rested[0], "service level 1 chooses no lane: switch.sl2vl does not"));
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_who_rests),
                                       cmocka_unit_test(test_routings), cmocka_unit_test(test_tori),
                                       cmocka_unit_test(test_levels)};
    return cmocka_run_group_tests_name("rested", tests, NULL, NULL);
}
