/* A program that makes runs one after the other, as a sweep or a caller of the library does, needs no
 * more memory for the tenth than for the first: whatever a mechanism keeps for each port, host or flow is
 * given back with the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenario.h"

#include <malloc.h>

static const char run[] = "run: {duration: 60 us, sample: 10 us, flows: yes}\n"
                          "topology: {kind: kary-ntree, k: 2, n: 2}\n"
                          "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                          "switch: {buffer: 16 KiB}\n"
                          "traffic: [{from: [0, 1, 2], pattern: fixed, to: 3}]\n";

static size_t used_after(const char *const *set, size_t n)
{
    cop_result r;
    scn_run(run, set, n, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_true(r.packets_delivered > 10);
    cop_result_free(&r);
    return mallinfo2().uordblks; /* 0 under sanitizers, which look for leaks themselves */
}

/* The allocator keeps blocks at hand and splits large ones differently now and then, so use rises in the first runs and
 * by a step in a few later ones. What is lost in every run makes every one of them a step. */
#define RUNS 64
#define SETTLED 40

static void test_runs_give_back(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {
        {"flow_control.kind=credit", "host.kind=simple"},
        {"flow_control.kind=ib", "host.kind=hca"},
        {"flow_control.kind=on-off", "switch.buffer=64 KiB"},
        {"flow_control.kind=ack-nack", "host.kind=simple"},
        {"queueing.kind=voqnet", "host.kind=hca"},
        {"queueing.kind=fbicm", "cc.kind=ccfit"},
        {"queueing.kind=hfdi", "cc.kind=ecocc"},
        {"queueing.kind=1q", "cc.kind=ibcc"},
        {"run.drain=yes", "run.observe=queue/s0.1"},
        {"routing.kind=updn", "switch.architecture=cioq"},
    };
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        size_t used[RUNS];
        for (size_t k = 0; k < COP_LEN(used); k++)
            used[k] = used_after(kinds[i], 2);
        size_t steps = 0;
        for (size_t k = SETTLED + 1; k < COP_LEN(used); k++)
            steps += used[k] > used[k - 1];
        if (steps > (RUNS - SETTLED) / 2)
            fail_msg("%s, %s: %zu bytes in use, then %zu", kinds[i][0], kinds[i][1], used[SETTLED],
                     used[RUNS - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs_give_back)};
    return cmocka_run_group_tests_name("give_back", tests, NULL, NULL);
}
