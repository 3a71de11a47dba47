/* The run hash stands for all that was sent: two runs with the same one are taken for the same run. So
 * whatever differs on a wire shows in it, also where counts and delays are the same; what only looks at
 * a run, or names things, does not. (That results stay what they are is for test_hash.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenario.h"

/* One switch: host, cable, switch, cable, host. */
#define STAR                                                                                       \
    "run: {duration: 100 us, drain: yes}\n"                                                        \
    "topology: {kind: single, hosts: 4}\n"                                                         \
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"                                                      \
    "nic: {mtu: 1 KiB}\n"                                                                          \
    "traffic:\n"

#define SENDS(from, to, start, bytes)                                                              \
    "  - {from: [" from "], pattern: fixed, to: " to ", start: " start ", message: " bytes         \
    ", messages: 1}\n"

static uint64_t hash_of(const char *yaml, const char *set, uint64_t packets)
{
    cop_result r;
    scn_run(yaml, &set, set != NULL, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_int_equal(r.packets_delivered, packets);
    uint64_t hash = r.run_hash;
    cop_result_free(&r);
    return hash;
}

/* Each of them sends two packets of 1 KiB without contention: the same counts and delays. */
static void test_what_differs_on_a_wire(void **state)
{
    (void)state;
    static const char *const runs[] = {
        STAR SENDS("0", "1", "0", "1 KiB") SENDS("2", "3", "0", "1 KiB"),
        STAR SENDS("0", "3", "0", "1 KiB") SENDS("2", "1", "0", "1 KiB"), /* where to */
        STAR SENDS("0", "1", "0", "1 KiB") SENDS("3", "2", "0", "1 KiB"), /* who */
        STAR SENDS("1", "0", "0", "1 KiB") SENDS("3", "2", "0", "1 KiB"),
        STAR SENDS("0", "1", "1 us", "1 KiB") SENDS("2", "3", "0", "1 KiB"), /* when */
        STAR SENDS("0", "1", "0", "1 KiB") SENDS("2", "3", "1 us", "1 KiB"),
        STAR SENDS("0", "1", "1 us", "1 KiB") SENDS("2", "3", "1 us", "1 KiB"),
        STAR SENDS("0", "1", "1000001 ps", "1 KiB") SENDS("2", "3", "1 us", "1 KiB"),
        STAR SENDS("0", "1", "0", "1 KiB") SENDS("2", "1", "50 us", "1 KiB"),
        STAR SENDS("2", "1", "0", "1 KiB") SENDS("0", "1", "50 us", "1 KiB"), /* in which order */
        STAR SENDS("0", "1", "0", "1 KiB") SENDS("0", "2", "50 us", "1 KiB"),
        STAR SENDS("0", "2", "0", "1 KiB") SENDS("0", "1", "50 us", "1 KiB"),
    };
    uint64_t hash[COP_LEN(runs)];
    for (size_t i = 0; i < COP_LEN(runs); i++) {
        hash[i] = hash_of(runs[i], NULL, 2);
        for (size_t k = 0; k < i; k++)
            if (hash[k] == hash[i])
                fail_msg("the hash does not tell these runs apart:\n%s\n%s", runs[k], runs[i]);
        assert_true(hash_of(runs[i], NULL, 2) == hash[i]);
    }
}

/* What is observed, and what an entry is called, moves no packet. */
static void test_what_does_not(void **state)
{
    (void)state;
    static const char run[] = STAR SENDS("0", "1", "0", "8 KiB") SENDS("2", "1", "0", "8 KiB");
    static const char *const sets[] = {"run.sample=1 us",     "run.warmup=1 us",
                                       "run.flows=yes",       "run.duration=110 us",
                                       "traffic.0.name=else", "run.observe=queue/s0.1"};
    uint64_t hash = hash_of(run, NULL, 16);
    for (size_t i = 0; i < COP_LEN(sets); i++)
        if (hash_of(run, sets[i], 16) != hash)
            fail_msg("%s changes the hash", sets[i]);
}

/* Everything that moves a packet by a picosecond does. */
static void test_what_does(void **state)
{
    (void)state;
    static const char run[] = STAR SENDS("0", "1", "0", "8 KiB") SENDS("2", "1", "0", "8 KiB");
    static const char *const sets[] = {"link.delay=20001 ps", "switch.pipeline=100001 ps",
                                       "link.rate=9 Gbit/s",  "switch.header=65 B",
                                       "nic.overhead=1 B",    "switch.buffer=2 KiB"};
    uint64_t hash = hash_of(run, NULL, 16);
    for (size_t i = 0; i < COP_LEN(sets); i++)
        if (hash_of(run, sets[i], 16) == hash)
            fail_msg("%s does not change the hash", sets[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_differs_on_a_wire),
                                       cmocka_unit_test(test_what_does_not),
                                       cmocka_unit_test(test_what_does)};
    return cmocka_run_group_tests_name("run_hash", tests, NULL, NULL);
}
