/* The rules of the InfiniBand congestion control at switches, step by step: thresholds, congestion
 * state, marking, starvation of credits. Answers are closed forms. */
#include "ibcc_fixture.h"

#include "net/net.h"

/* -- thresholds and state -- */

static void test_weights(void **state)
{
    (void)state;
    ibcc_params p = {.reference_bytes = 65536, .upper_share = -1.0, .hysteresis_bytes = 4096};
    assert_int_equal(ibcc_upper_of(&p, 0), UINT32_MAX); /* gran1-20 */
    for (int64_t w = 1; w <= 15; w++) /* gran1-21: uniform steps, 15 is the lowest */
        assert_int_equal(ibcc_upper_of(&p, w), 4096 * (16 - w));
    assert_int_equal(ibcc_lower_of(&p, 4096 * 3), 4096 * 2);
    assert_int_equal(ibcc_lower_of(&p, 4096), 0);
    assert_int_equal(ibcc_lower_of(&p, 100), 0);
    p.upper_share = 0.9;
    assert_int_equal(ibcc_upper_of(&p, 15), 58982);
    p.upper_bytes = 5000;
    assert_int_equal(ibcc_upper_of(&p, 15), 5000);
    assert_int_equal(ibcc_upper_of(&p, 0), UINT32_MAX);
}

/* One step as the switch takes it: a root enters when the rule says so. */
static bool step(ibcc_lane *l, int evaluate, uint32_t before, uint32_t after, bool root)
{
    if (ibcc_lane_fill(l, evaluate, before, after))
        l->congested = root;
    return l->congested;
}

static void test_sum_of_the_output(void **state)
{
    (void)state;
    ibcc_lane l = {.upper = 4096, .lower = 1024};
    assert_false(step(&l, IBCC_OUTPUT, 0, 2000, true));
    assert_false(step(&l, IBCC_OUTPUT, 0, 2096, true)); /* another input: 4096 in all, not above */
    assert_true(step(&l, IBCC_OUTPUT, 2096, 2097, true));
    assert_true(step(&l, IBCC_OUTPUT, 2097, 0, true)); /* 2000: between the thresholds */
    assert_true(step(&l, IBCC_OUTPUT, 2000, 1025, true));
    assert_false(step(&l, IBCC_OUTPUT, 1025, 1024, true)); /* no longer above the lower one */
    assert_false(step(&l, IBCC_OUTPUT, 1024, 4096, true)); /* enters only above the upper one */
    assert_int_equal(l.sum, 4096);
}

static void test_one_threshold(void **state)
{
    (void)state;
    ibcc_lane l = {.upper = 4096, .lower = 4096};
    for (int i = 0; i < 3; i++) { /* M-thr-1: in the state exactly while above */
        assert_true(step(&l, IBCC_OUTPUT, 0, 4097, true));
        assert_false(step(&l, IBCC_OUTPUT, 4097, 4096, true));
        assert_false(step(&l, IBCC_OUTPUT, 4096, 0, true));
    }
}

static void test_each_queue(void **state)
{
    (void)state;
    ibcc_lane l = {.upper = 4096, .lower = 1024};
    assert_false(step(&l, IBCC_VOQ, 0, 4096, true));
    assert_false(step(&l, IBCC_VOQ, 0, 4000, true)); /* the sum does not matter */
    assert_true(step(&l, IBCC_VOQ, 4096, 5000, true));
    assert_true(step(&l, IBCC_VOQ, 5000, 0, true)); /* the other one is above the lower threshold */
    assert_true(step(&l, IBCC_VOQ, 4000, 1025, true));
    assert_false(step(&l, IBCC_VOQ, 1025, 1024, true));
    assert_int_equal(l.over_upper, 0);
    assert_int_equal(l.over_lower, 0);
}

static void test_contributors(void **state)
{
    (void)state;
    ibcc_lane l = {.upper = 4096, .lower = 4096};
    assert_false(step(&l, IBCC_CONTRIBUTORS, 0, 4096, true)); /* one input: 4096 */
    assert_true(step(&l, IBCC_CONTRIBUTORS, 0, 1, true)); /* two: 4096 / 2 */
    assert_true(step(&l, IBCC_CONTRIBUTORS, 4096, 2048, true));
    assert_false(step(&l, IBCC_CONTRIBUTORS, 2048, 2047, true)); /* 2048 in all, threshold 2048 */
    assert_false(step(&l, IBCC_CONTRIBUTORS, 2047, 0, true));
    assert_int_equal(l.inputs, 1);
}

static void test_victims_stay_out(void **state)
{
    (void)state;
    ibcc_lane l = {.upper = 4096, .lower = 1024};
    assert_false(step(&l, IBCC_OUTPUT, 0, 9000, false)); /* no credit */
    assert_false(step(&l, IBCC_OUTPUT, 9000, 8000, false));
    assert_true(step(&l, IBCC_OUTPUT, 8000, 7000, true)); /* credit is back, still above */
    assert_true(step(&l, IBCC_OUTPUT, 7000, 2000, false)); /* once in, it stays until below */
    assert_false(step(&l, IBCC_OUTPUT, 2000, 1000, true));
}

static void test_never(void **state)
{
    (void)state;
    for (int e = IBCC_VOQ; e <= IBCC_CONTRIBUTORS; e++) {
        ibcc_lane l = {.upper = UINT32_MAX, .lower = UINT32_MAX - 4096};
        assert_false(step(&l, e, 0, 1u << 30, true));
        assert_false(step(&l, e, 0, 1u << 30, true));
    }
}

/* -- marking -- */

static uint32_t marks(ibcc_cfg *cfg, uint32_t packets, uint32_t bytes)
{
    ibcc_run run = {.par = ibcc_resolve(cfg, &facts), .marking = cfg->marking, .seed = 7};
    ibcc_lane l = {.congested = 1};
    uint32_t n = 0;
    for (uint32_t i = 0; i < packets; i++)
        n += ibcc_lane_mark(&run, &l, 5, bytes);
    return n;
}

static void test_marking(void **state)
{
    (void)state;
    const uint32_t n = 200000;
    cop_arena arena = {0};
    ibcc_cfg c = defaults(&arena);
    c.packet_size = 8;
    assert_int_equal(marks(&c, n, 511), 0); /* gran1-24 */
    for (int i = 0; i < 3; i++) { /* gran1-25 */
        static const int64_t rate[] = {0, 1, 10};
        c.marking_rate = rate[i];
        double share = marks(&c, n, 512) / (double)n, expected = 1.0 / (double)(rate[i] + 1);
        assert_true(share > expected * 0.98 && share <= expected * 1.02);
        c.marking = IBCC_COUNTED;
        assert_int_equal(marks(&c, n, 512), n / (rate[i] + 1));
        c.marking = IBCC_RANDOM;
    }
    c.marking_probability = 0.85;
    assert_in_range(marks(&c, n, 512), 0.845 * n, 0.855 * n);
    c.marking_probability = 1.0;
    assert_int_equal(marks(&c, n, 512), n);
    ibcc_run run = {.par = {.mark_below = UINT64_MAX}};
    ibcc_lane calm = {.congested = 0};
    assert_false(ibcc_lane_mark(&run, &calm, 0, 2048));
    cop_arena_free(&arena);
}

/* -- credit starvation -- */

enum { SOME_PORT = 0 };

typedef struct starved {
    ibcc_run run;
    ibcc_lane lane;
    ibcc_input input;
    cop_out out;
    cop_in in;
    cop_net net;
} starved;

/* One port whose wire takes 1 ns per byte; more than 4096 bytes starve it, by twice a packet's
 * time. */
static void starve(starved *s)
{
    *s = (starved){
        .run = {.lanes = 1, .sections = 1, .special = true, .return_delay = {.multiplier = 2}},
        .input = {.limit = 4096},
        .lane = {.upper = UINT32_MAX, .lower = UINT32_MAX},
        .out = {.pace = (cop_pace)1000 << 16}};
    s->run.lane = &s->lane;
    s->run.input = &s->input;
    s->net.cc_net = &s->run;
    s->net.out = &s->out;
    s->net.in = &s->in;
}

static void filled(starved *s, uint32_t before, uint32_t after)
{
    const cop_pkt p = {0};
    ibcc_on_fill(&s->net, SOME_PORT, SOME_PORT, before, after, &p);
}

static cop_time returned(starved *s, cop_time t)
{
    return ibcc_credit_time(&s->net, SOME_PORT, 0, 1000, t);
}

static void test_credits_are_apart_while_starved(void **state)
{
    (void)state;
    starved s;
    starve(&s);
    filled(&s, 0, 4096);
    assert_int_equal(returned(&s, 100), 100); /* not above the limit */
    assert_int_equal(returned(&s, 150), 150);
    assert_int_equal(s.run.starved, 0);
    filled(&s, 4096, 4097);
    assert_int_equal(returned(&s, 200), 150 + 2 * 1000 * COP_NS);
    assert_int_equal(returned(&s, 250), 150 + 4 * 1000 * COP_NS);
    assert_int_equal(returned(&s, COP_MS), COP_MS); /* they are far apart as they are */
    assert_int_equal(s.run.starved, 3);
}

/* Credits of one buffer come back in the order in which its space became free. */
static void test_credits_after_starvation_keep_their_order(void **state)
{
    (void)state;
    starved s;
    starve(&s);
    filled(&s, 0, 5000);
    assert_int_equal(returned(&s, 100), 2 * 1000 * COP_NS);
    cop_time late = returned(&s, 100);
    assert_int_equal(late, 4 * 1000 * COP_NS);
    filled(&s, 5000, 1000);
    assert_int_equal(returned(&s, 200), late); /* neither held back further nor before that one */
    assert_int_equal(returned(&s, late + 1), late + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_sum_of_the_output),
        cmocka_unit_test(test_one_threshold),
        cmocka_unit_test(test_each_queue),
        cmocka_unit_test(test_contributors),
        cmocka_unit_test(test_victims_stay_out),
        cmocka_unit_test(test_never),
        cmocka_unit_test(test_marking),
        cmocka_unit_test(test_credits_are_apart_while_starved),
        cmocka_unit_test(test_credits_after_starvation_keep_their_order),
    };
    return cmocka_run_group_tests_name("ibcc", tests, NULL, NULL);
}
