/* Single hosts (section hosts): rates and delay of some hosts instead of those of all; the end node that is slower than
 * others, and the tree of congestion that it makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "named.h"
#include "scenario.h"

/* Two switches; the trunk has room for both flows. */
#define PAIR                                                                                       \
    "run: {duration: 3 ms, warmup: 1 ms, trees: yes}\n"                                            \
    "topology: {kind: chain, hosts: [2, 2], names: A B C D}\n"                                     \
    "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s}\n"                                             \
    "traffic:\n"                                                                                   \
    "  - {name: slow, from: A, pattern: fixed, to: C}\n"                                           \
    "  - {name: victim, from: B, pattern: fixed, to: D}\n"

static bool near(double a, double b)
{
    return fabs(a - b) < 0.01 * b + 0.005;
}

/* An end node that takes in less than its link brings is the root of a tree, though one flow alone goes there: the flow
 * beside it has no more, on the same trunk, unless destinations have buffers or the flows lanes of their own. */
static void test_a_slow_end_node(void **state)
{
    (void)state;
    static const struct {
        const char *set[2];
        double slow, victim;
    } cases[] = {
        {{"name=a"}, 10.0, 10.0},
        {{"hosts.C.receive_rate=2.5 Gbit/s"}, 2.5, 2.5},
        {{"hosts.2.receive_rate=2.5 Gbit/s", "queueing.kind=voqnet"}, 2.5, 10.0},
        {{"hosts.C.receive_rate=2.5 Gbit/s", "switch.lanes=2"}, 2.5, 2.5},
        {{"hosts.C.rate=2.5 Gbit/s"}, 2.5, 2.5},
        {{"hosts.A.inject_rate=2.5 Gbit/s"}, 2.5, 10.0},
        {{"hosts.A.rate=2.5 Gbit/s"}, 2.5, 10.0},
        {{"hosts={B-D: {}, all: {receive_rate: 4 Gbit/s}, C: {receive_rate: 2 Gbit/s}}"}, 0.0, 0.0},
        {{"hosts={all: {receive_rate: 4 Gbit/s}, 0-2:2: {receive_rate: 2 Gbit/s}}"}, 2.0, 2.0},
        {{"nic.receive_rate=2 Gbit/s", "hosts.C.receive_rate=10 Gbit/s"}, 2.0, 2.0}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        cop_err err = {0};
        int rc = scn_run(PAIR, cases[i].set, cases[i].set[1] ? 2 : 1, &r, &err);
        if (cases[i].slow == 0.0) {
            assert_int_equal(rc, -COP_E_INPUT);
            assert_non_null(
                strstr(err.text, "there is no host `B-D`; write all, a name, or numbers"));
            continue;
        }
        if (rc != 0)
            fail_msg("%s", err.text);
        if (!near(scn_gbps(&r, "slow"), cases[i].slow) ||
            !near(scn_gbps(&r, "victim"), cases[i].victim))
            fail_msg("case %zu: %g, %g", i, scn_gbps(&r, "slow"), scn_gbps(&r, "victim"));
        cop_result_free(&r);
    }
}

/* What all hosts have of their own is what sections link and nic say of all. */
static void test_all_of_them(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 100 us}\ntopology: {kind: fat-tree, ports: 4, levels: 2}\n"
        "link: {rate: 10 Gbit/s}\ntraffic: [{pattern: uniform, message: 3 kB}]\n";
    static const char *const pairs[][2] = {
        {"nic.receive_rate=7 Gbit/s", "hosts.all.receive_rate=7 Gbit/s"},
        {"nic.inject_rate=6 Gbit/s", "hosts.0-7.inject_rate=6 Gbit/s"},
        {"link.host_rate=8 Gbit/s", "hosts={0-3: {rate: 8 Gbit/s}, \"4, 5-7\": {rate: 8 Gbit/s}}"},
        {"link.host_delay=70 ns", "hosts.all.delay=70 ns"}};
    cop_result plain;
    scn_run(yaml, NULL, 0, &plain, NULL);
    for (size_t i = 0; i < COP_LEN(pairs); i++) {
        cop_result a, b;
        scn_run(yaml, &pairs[i][0], 1, &a, NULL);
        scn_run(yaml, &pairs[i][1], 1, &b, NULL);
        assert_true(a.run_hash == b.run_hash && a.run_hash != plain.run_hash);
        cop_result_free(&a);
        cop_result_free(&b);
    }
    cop_result_free(&plain);
}

/* A delay is that of the host's link, both ways: a message to it comes so much later, one from it too. */
static void test_delay(void **state)
{
    (void)state;
    static const char *const sets[] = {"hosts.1.delay=520 ns", "hosts.0.delay=520 ns",
                                       "hosts.2.delay=520 ns"};
    static const char yaml[] =
        "run: {duration: 20 us, drain: yes}\ntopology: {kind: single, hosts: 3}\n"
        "link: {delay: 20 ns}\n"
        "traffic: [{from: [0], pattern: fixed, to: 1, messages: 1, message: 1 KiB}]\n";
    cop_result plain, r;
    scn_run(yaml, NULL, 0, &plain, NULL);
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        scn_run(yaml, &sets[i], 1, &r, NULL);
        assert_true(r.transit->max == plain.transit->max + (i < 2 ? 500 * COP_NS : 0));
        cop_result_free(&r);
    }
    cop_result_free(&plain);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"hosts.E.rate=1 Gbit/s", "there is no host `E`"},
        {"hosts.0-9.rate=1 Gbit/s", "there is no host 9; give hosts from 0 to 3"},
        {"hosts.A=1", "`A` has no options; write hosts with theirs"},
        {"hosts.A.mtu=2 KiB", "unknown option `mtu`; use one of rate, delay, inject_rate"},
        {"hosts=[A]", "hosts: is a list; write options"},
        {"hosts.A.delay=0", "delay: `0` is out of range"},
        {"hosts.A.rate=2 GB", "rate"}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        cop_err err = {0};
        assert_int_equal(scn_run(PAIR, &cases[i][0], 1, &r, &err), -COP_E_INPUT);
        if (strstr(err.text, cases[i][1]) == NULL || strchr(err.text, '\n') != NULL)
            fail_msg("`%s` does not say `%s`, or is not one line", err.text, cases[i][1]);
    }
}

/* What is printed is read as the same; what is not given is not printed. */
static void test_print(void **state)
{
    (void)state;
    cop_config a, b;
    cop_err err = {0};
    cop_override set = {.text = "hosts={C: {receive_rate: 2.5 Gbit/s, delay: 3 us}, \"0, B\": {}}"};
    assert_int_equal(cop_config_load(&a, "a.yaml", PAIR, &set, 1, &err), 0);
    const char *text = cop_config_print(&a);
    assert_non_null(strstr(text, "hosts:\n  C:\n    delay: 3 us\n    receive_rate: 2.5 Gbit/s\n"
                                 "  \"0, B\": {}\n"));
    assert_int_equal(cop_config_load(&b, "a.yaml", text, NULL, 0, &err), 0);
    assert_string_equal(cop_config_print(&b), text);
    uint64_t with = cop_config_hash(&a);
    assert_true(cop_config_hash(&b) == with);
    cop_config_free(&b);
    assert_int_equal(cop_config_load(&b, "a.yaml", PAIR, NULL, 0, &err), 0);
    assert_null(strstr(cop_config_print(&b), "hosts:\n"));
    assert_true(cop_config_hash(&b) != with);
    cop_config_free(&a);
    cop_config_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_end_node), cmocka_unit_test(test_all_of_them),
        cmocka_unit_test(test_delay), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_print)};
    return cmocka_run_group_tests_name("hosts", tests, NULL, NULL);
}
