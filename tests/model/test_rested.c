/* Mechanisms that did nothing say so at the end of a run, and why; those that did something do not. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_who_rests),
                                       cmocka_unit_test(test_routings)};
    return cmocka_run_group_tests_name("rested", tests, NULL, NULL);
}
