/* Isolation of congested flows and its hybrids as a user names them: no setting but the name, on the first example
 * of the thesis (fig. 2.4, examples/two-switch.yaml).
 *
 * Three flows share the link to host 4; a victim shares the link between the switches with one of them. With a
 * queue per output alone each of the four gets a third of a link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "isolation_fixture.h"

static const char *const hot[] = {"E2-E5", "E6-E5", "E7-E5"};

/* The example itself; queueing and control are left out there. */
static void run_example(const char *name, const char *duration, const char *seed, cop_result *r)
{
    const cop_override set[] = {
        {.text = duration}, {.text = "run.warmup=1 ms"}, {.text = seed}, {.text = name}};
    cop_config c;
    cop_err err = {0};
    if (cop_config_load(&c, "examples/two-switch.yaml", NULL, set, COP_LEN(set), &err) != 0 ||
        cop_run(&c, NULL, r, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    cop_config_free(&c);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
    assert_int_equal(r->packets_lost, 0);
}

/* The victim has its link; the others share theirs, fairly within `share`, and fill it. */
static void expect(const char *name, double share)
{
    static const char *const seeds[] = {"run.seed=1", "run.seed=2", "run.seed=3"};
    for (size_t i = 0; i < COP_LEN(seeds); i++) {
        cop_result r;
        double sum = 0.0;
        run_example(name, "run.duration=4 ms", seeds[i], &r);
        near(scn_gbps(&r, "E1-E4"), 10.0, 0.02);
        for (size_t k = 0; k < COP_LEN(hot); k++) {
            near(scn_gbps(&r, hot[k]), 10.0 / 3, share);
            sum += scn_gbps(&r, hot[k]);
        }
        near(sum, 10.0, 0.01);
        cop_result_free(&r);
    }
}

/* Thesis 2.3.1, Papers V and VI: isolated packets hold no others up. */
static void test_isolation(void **state)
{
    (void)state;
    static const char *const names[] = {"queueing.kind=hfdi", "queueing.kind=fbicm",
                                        "queueing.kind=recn", "queueing.kind=voqnet"};
    for (size_t i = 0; i < COP_LEN(names); i++)
        expect(names[i], 0.01);
}

/* Papers V and VI: and the sources are throttled, each to its share. */
static void test_hybrids(void **state)
{
    (void)state;
    expect("cc.kind=ecocc", 0.10);
    expect("cc.kind=ccfit", 0.10);
}

/* Thesis 2.3.1: victims on other lanes are unaffected (gran0-28). Hosts 3 and 4 are neighbours at their
 * switch, so vftree gives them two of its lanes. */
static void test_vftree(void **state)
{
    (void)state;
    expect("queueing.kind=vftree", 0.01);
}

/* Thesis 2.3.1 names dbbm among the schemes that reduce the blocking at an input and do not remove it: hosts 3 and 4
 * have queues of their own, and the shared buffer fills with packets for 4 all the same. */
static void test_dbbm(void **state)
{
    (void)state;
    cop_result r;
    run_example("queueing.kind=dbbm", "run.duration=4 ms", "run.seed=1", &r);
    near(scn_gbps(&r, "E1-E4"), 10.0 / 3, 0.02);
    cop_result_free(&r);
}

/* -- adaptive routing -- */

/* Two silent trees on 64 hosts whose packets choose among ways up. A packet whose first choice is congested is
 * isolated at that output: the victims have nearly what a queue per destination gives them, and lost 9/10 of it. */
static void test_adaptive(void **state)
{
    (void)state;
    static const char tree[] =
        "run: {duration: 600 us, warmup: 200 us}\n"
        "topology: {kind: kary-ntree, k: 4, n: 3}\n"
        "routing: {kind: adaptive-tree}\n"
        "link: {rate: 40 Gbit/s, delay: 20 ns}\n"
        "nic: {mtu: 2 KiB}\n"
        "traffic: [{name: forest, pattern: forest, v_share: 20 %, hotspots: 2}]\n";
    static const char *const names[] = {"queueing.kind=voqnet", "queueing.kind=voqsw",
                                        "queueing.kind=hfdi", "cc.kind=ecocc"};
    double gbps[COP_LEN(names)];
    for (uint32_t seed = 1; seed <= 3; seed++) {
        char text[32];
        snprintf(text, sizeof(text), "run.seed=%u", seed);
        for (size_t i = 0; i < COP_LEN(names); i++) {
            const char *const set[] = {names[i], text};
            cop_result r;
            run_ok(tree, set, 2, &r);
            gbps[i] = r.throughput_total_gbps - 80.0; /* both hot links are full */
            if (i >= 2)
                assert_true(scalar(&r, "isolation.moved") > 0);
            cop_result_free(&r);
        }
        assert_true(gbps[1] < 0.1 * gbps[0]);
        assert_true(gbps[2] > 0.8 * gbps[0]);
        assert_true(gbps[3] > 0.9 * gbps[0]);
    }
}

/* What a control brings holds where the file says nothing, option by option, and only for the kind that it names. */
static void test_brought(void **state)
{
    (void)state;
    static const struct {
        const char *set[2], *has, *lacks;
    } cases[] = {
        {{"cc.kind=ecocc"}, "  kind: hfdi\n", "  local: yes\n"},
        {{"cc.kind=ecocc", "queueing.local=yes"}, "  local: yes\n", "  local: no\n"},
        {{"cc.kind=ecocc", "queueing.kind=hfdi"}, "  local: no\n", "  local: yes\n"},
        {{"cc.kind=ecocc", "queueing.kind=voqsw"}, "  kind: voqsw\n", "  kind: hfdi\n"},
        {{"cc.kind=ccfit"}, "  kind: fbicm\n", "  kind: voqsw\n"},
        {{"cc.kind=ith", "queueing.high=8"}, "  queues: 0\n", "  high: 4\n"},
        {{"queueing.kind=hfdi"}, "  local: yes\n", "  local: no\n"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_config c;
        cop_err err = {0};
        const cop_override set[] = {{.text = cases[i].set[0]}, {.text = cases[i].set[1]}};
        assert_int_equal(cop_config_load(&c, "examples/two-switch.yaml", NULL, set,
                                         cases[i].set[1] ? 2 : 1, &err),
                         0);
        char queueing[2000];
        const char *text = strstr(cop_config_print(&c), "\nqueueing:");
        assert_non_null(text);
        const char *end = strstr(text, "\nrouting:");
        assert_non_null(end);
        snprintf(queueing, sizeof(queueing), "%.*s\n", (int)(end - text), text);
        assert_non_null(strstr(queueing, cases[i].has));
        assert_null(strstr(queueing, cases[i].lacks));
        cop_config_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isolation), cmocka_unit_test(test_hybrids),
        cmocka_unit_test(test_vftree),    cmocka_unit_test(test_dbbm),
        cmocka_unit_test(test_adaptive),  cmocka_unit_test(test_brought),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
