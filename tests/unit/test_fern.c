/* The rules of Fernandez and Garcia as state machines: estimator, verdict, culprit, delays (fern-14, fern-16 to fern-18). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/opt.h"
#include "base/rng.h"
#include "cc/fern.h"

static fern_cfg one_cfg(void)
{
    return (fern_cfg){
        .threshold = 2, .step_ps = 32000, .timeout_ps = 64000, .limit = 1024, .every = 16};
}

/* fern-16: 32, 64, 96; each timeout takes 32 away; never below 0. */
static void test_steps_one(void **state)
{
    (void)state;
    fern_cfg cfg = one_cfg();
    fern_source f = {0};
    for (uint32_t n = 1; n <= 3; n++) {
        fern_hear_one(&cfg, &f, 1000 * n);
        assert_int_equal(fern_delay(&cfg, f.steps), 32000 * n);
    }
    fern_settle(&cfg, &f, 3000 + 63999);
    assert_int_equal(f.steps, 3);
    fern_settle(&cfg, &f, 3000 + 64000);
    assert_int_equal(f.steps, 2);
    fern_settle(&cfg, &f, 3000 + 4 * 64000); /* two at once, and one too many */
    assert_int_equal(f.steps, 0);
    fern_hear_one(&cfg, &f, 10000000); /* as at first */
    assert_int_equal(fern_delay(&cfg, f.steps), 32000);
    /* A message starts the timeout anew: fern-18, the delay is gone (delay / step) x timeout after the last one. */
    fern_hear_one(&cfg, &f, 10000000 + 63000);
    fern_settle(&cfg, &f, 10063000 + 2 * 64000 - 1);
    assert_int_equal(f.steps, 1);
    fern_settle(&cfg, &f, 10063000 + 2 * 64000);
    assert_int_equal(f.steps, 0);
    cfg.limit = 2;
    for (uint32_t n = 0; n < 5; n++)
        fern_hear_one(&cfg, &f, 20000000);
    assert_int_equal(f.steps, 2);
}

/* The first moment at which the delay of that moment is over, against every picosecond tried in turn. */
static void test_next_send(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(7, COP_RNG_TEST, 0);
    for (int i = 0; i < 2000; i++) {
        fern_cfg cfg = one_cfg();
        cfg.step_ps = 1 + cop_rng_below(&rng, 40);
        cfg.timeout_ps = 1 + cop_rng_below(&rng, 40);
        fern_source f = {0};
        f.steps = cop_rng_below(&rng, 8);
        f.since = cop_rng_below(&rng, 50);
        f.sent = cop_rng_below(&rng, 100);
        cop_time now = f.since + cop_rng_below(&rng, 60), t = now;
        for (;; t++) {
            fern_source g = f;
            fern_settle(&cfg, &g, t);
            if (g.steps == 0 || t >= g.sent + g.steps * cfg.step_ps)
                break;
        }
        fern_source g = f;
        cop_time got = fern_next_one(&cfg, &g, now);
        if (t == now)
            assert_true(got <= now);
        else
            assert_int_equal(got, t);
    }
}

/* A message that others have overtaken is no news. */
static void test_late_message(void **state)
{
    (void)state;
    fern_source f = {0};
    fern_hear_two(&f, FERN_CONGESTION, 10);
    fern_hear_two(&f, FERN_NO_CONGESTION, 30);
    fern_hear_two(&f, FERN_CONGESTION, 20);
    assert_false(f.rising);
    assert_int_equal(f.heard, 1);
    fern_hear_two(&f, FERN_CONGESTION,
                  30); /* of the same instant: in the order in which they come */
    assert_true(f.rising);
}

/* Approach 2: a step for every m messages that are injected, up until one says that there is no congestion, then down. */
static void test_steps_two(void **state)
{
    (void)state;
    for (uint32_t m = 1; m <= 3; m++) {
        fern_cfg cfg = {.threshold = 2, .step_ps = 32000, .limit = 1024, .messages = m};
        fern_source f = {0};
        fern_injected(&cfg, &f);
        assert_int_equal(f.steps, 0);
        fern_hear_two(&f, FERN_CONGESTION, 0);
        for (uint32_t n = 1; n <= 4; n++) {
            assert_int_equal(fern_delay(&cfg, f.steps), 32000 * n);
            for (uint32_t k = 0; k < m; k++)
                fern_injected(&cfg, &f);
        }
        fern_hear_two(&f, FERN_NO_CONGESTION, 0);
        for (uint32_t n = 5; n > 0; n--) {
            assert_int_equal(fern_delay(&cfg, f.steps), 32000 * n);
            for (uint32_t k = 0; k < m; k++)
                fern_injected(&cfg, &f);
        }
        assert_int_equal(f.steps, 0);
        assert_int_equal(f.heard, 1);
    }
    fern_cfg cfg = {.step_ps = 32000, .growth = FERN_GEOMETRIC};
    assert_int_equal(fern_delay(&cfg, 0), 0);
    assert_int_equal(fern_delay(&cfg, 1), 32000);
    assert_int_equal(fern_delay(&cfg, 2), 64000);
    assert_int_equal(fern_delay(&cfg, 5), 512000);
    assert_int_equal(fern_delay(&cfg, 400), fern_delay(&cfg, 21)); /* and no further */
}

/* fern-17: two buffers are no congestion, three are. A message has its buffer until its tail has left. */
static void test_verdict(void **state)
{
    (void)state;
    fern_cfg cfg = one_cfg();
    fern_lane l = {.waiting = 2, .until = 500};
    assert_int_equal(fern_used(&l, 499), 3);
    assert_int_equal(fern_used(&l, 500), 2);
    assert_true(fern_verdict(&cfg, &l, 3));
    assert_false(fern_verdict(&cfg, &l, 2));
    cfg.hysteresis = 1;
    assert_true(fern_verdict(&cfg, &l, 3));
    assert_true(fern_verdict(&cfg, &l, 2)); /* it was congested */
    assert_false(fern_verdict(&cfg, &l, 1));
    assert_false(fern_verdict(&cfg, &l, 2));
    cfg.hysteresis = 7; /* more than there is: one buffer remains */
    assert_int_equal(fern_lower(&cfg), 1);
}

static void test_culprit(void **state)
{
    (void)state;
    const cop_header list[] = {{.src = 4}, {.src = 9}, {.src = 4}, {.src = 9}, {.src = 1}};
    assert_int_equal(list[fern_most_frequent(list, 5, NULL)].src, 9); /* the more recent of two */
    assert_int_equal(list[fern_most_frequent(list, 3, NULL)].src, 4);
    assert_int_equal(list[fern_most_frequent(list, 2, NULL)].src, 9);
    assert_int_equal(fern_most_frequent(list, 1, NULL), 0);
    /* The one that was told before, if nobody is more frequent. */
    cop_header four = {.src = 4}, nine = {.src = 9}, other = {.src = 77};
    assert_int_equal(list[fern_most_frequent(list, 5, &four)].src, 4);
    assert_int_equal(list[fern_most_frequent(list, 5, &nine)].src, 9);
    assert_int_equal(list[fern_most_frequent(list, 5, &other)].src, 9);
    assert_int_equal(list[fern_most_frequent(list, 3, &nine)].src, 4);
}

/* fern-14: what there is to set, steps, messages and hysteresis apart. */
static bool has(const cop_cc_ops *ops, const char *name)
{
    return cop_opt_find(ops->opts, name) != NULL;
}

static void test_parameters(void **state)
{
    (void)state;
    assert_true(has(&cop_cc_fern_one, "every") && has(&cop_cc_fern_one, "threshold") &&
                has(&cop_cc_fern_one, "history") && has(&cop_cc_fern_one, "timeout"));
    assert_false(has(&cop_cc_fern_one, "messages"));
    assert_true(has(&cop_cc_fern_two, "messages"));
    assert_false(has(&cop_cc_fern_two, "every") || has(&cop_cc_fern_two, "timeout"));
    /* What acts at a distance says so. */
    assert_non_null(cop_cc_fern_one.immediate);
    assert_non_null(strstr(cop_cc_fern_two.immediate, "section 4"));
    assert_null(cop_cc_smai.immediate);
    assert_null(cop_cc_self_tuned.immediate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_one),    cmocka_unit_test(test_next_send),
        cmocka_unit_test(test_late_message), cmocka_unit_test(test_steps_two),
        cmocka_unit_test(test_verdict),      cmocka_unit_test(test_culprit),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests_name("fern", tests, NULL, NULL);
}
