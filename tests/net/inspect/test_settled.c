/* Does a run notice that its network fills? With much memory nothing waits at the sources, though a fraction of what is
 * offered arrives; and neither a network that fills its links once nor one that keeps up is taken for one that fills. */
#include "named.h"
#include "program.h"
#include "scenario.h"

#include <string.h>

/* Four hosts of a group, 16 Gbit/s in all, behind the one link of 10 Gbit/s to the next group; memory for all of it. */
static const char filling[] = "run: {duration: 200 us, warmup: 40 us}\n"
                              "topology: {kind: dragonfly, p: 2, a: 2, h: 1}\n"
                              "routing: {kind: dragonfly-min}\n"
                              "link: {rate: 10 Gbit/s, delay: 100 ns}\n"
                              "switch: {lanes: 2, buffer: 1 MB, host_buffer: 1 MB}\n"
                              "traffic: [{name: T, pattern: group-adversarial, offset: 1, arrival: "
                              "constant, load: 40 %, message: 1000 B}]\n";

static void test_a_network_that_fills(void **state)
{
    (void)state;
    cop_result r;
    scn_run(filling, NULL, 0, &r, NULL);
    assert_true(scalar(&r, "accepted_gbps") < 0.95 * scalar(&r, "offered_gbps"));
    assert_true(scalar(&r, "saturated") == 0.0);
    /* (16 - 10) Gbit/s of each of three groups: between the quarters' ends, 60 us, 45 packets each. */
    double more = scalar(&r, "packets_piled_up"), in_flight = (double)r.packets_in_flight;
    assert_true(more > 60.0 && more < in_flight);
    cop_result_free(&r);
    /* The same with little memory: it waits at the sources. */
    static const char *const set[] = {"switch.buffer=8 kB", "switch.host_buffer=8 kB"};
    scn_run(filling, set, COP_LEN(set), &r, NULL);
    assert_true(scalar(&r, "saturated") == 1.0 && scalar(&r, "packets_piled_up") == 0.0);
    cop_result_free(&r);
    /* And with less traffic: all of it arrives. */
    static const char *const light[] = {"traffic.T.load=20 %"};
    scn_run(filling, light, COP_LEN(light), &r, NULL);
    assert_true(scalar(&r, "accepted_gbps") >= 0.95 * scalar(&r, "offered_gbps"));
    assert_true(scalar(&r, "saturated") == 0.0 && scalar(&r, "packets_piled_up") == 0.0);
    cop_result_free(&r);
}

/* What came in during a long warm-up does not hide it. */
static void test_after_a_long_warm_up(void **state)
{
    (void)state;
    static const char *const set[] = {"run.duration=4 ms", "run.warmup=3600 us",
                                      "switch.buffer=20 MB", "switch.host_buffer=20 MB"};
    cop_result r;
    scn_run(filling, set, COP_LEN(set), &r, NULL);
    /* 6 Gbit/s of each of three groups: 450 packets between the quarters' ends, 200 us. */
    double more = scalar(&r, "packets_piled_up");
    if (!(more > 200.0 && more < 500.0))
        fail_msg("%g packets", more);
    cop_result_free(&r);
}

/* Links of 4 us, a run of 40 us, no warm-up: a fifth of what is offered is still on its way, not more and more. */
static void test_a_network_that_fills_its_links(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 40 us, warmup: 0 s}\n"
        "topology: {kind: single, hosts: 8}\n"
        "link: {rate: 10 Gbit/s, delay: 4 us}\n"
        "switch: {buffer: 1 MB}\n"
        "traffic: [{name: T, pattern: uniform, arrival: poisson, load: 50 %, message: 1000 B}]\n";
    for (unsigned seed = 1; seed <= 40; seed++) {
        char text[32];
        const char *const set[] = {text};
        snprintf(text, sizeof(text), "run.seed=%u", seed);
        cop_result r;
        scn_run(yaml, set, 1, &r, NULL);
        assert_true(scalar(&r, "accepted_gbps") < 0.95 * scalar(&r, "offered_gbps"));
        assert_true(scalar(&r, "packets_piled_up") == 0.0 && scalar(&r, "saturated") == 0.0);
        cop_result_free(&r);
    }
}

/* What people read: not a word of it where the network keeps up. */
static void test_the_summary_says_so(void **state)
{
    (void)state;
    prog_write("filling.yaml", filling);
    prog_answer a = PROG_RUN("run", "filling.yaml");
    PROG_EXPECT(a.status == 0 && strstr(a.out, ": NOT SETTLED;") != NULL, a,
                "a network that fills");
    PROG_EXPECT(strstr(a.out, "packets more in the network than before") != NULL, a, "how many");
    PROG_EXPECT(strstr(a.out, "SATURATED") == NULL, a, "nothing waits at the sources");
    a = PROG_RUN("run", "filling.yaml", "--set", "traffic.T.load=20 %");
    PROG_EXPECT(a.status == 0 && strstr(a.out, "SETTLED") == NULL, a, "a network that keeps up");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_network_that_fills),
                                       cmocka_unit_test(test_after_a_long_warm_up),
                                       cmocka_unit_test(test_a_network_that_fills_its_links),
                                       cmocka_unit_test(test_the_summary_says_so)};
    return cmocka_run_group_tests_name("settled", tests, prog_enter, prog_leave);
}
