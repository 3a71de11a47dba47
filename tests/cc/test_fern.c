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
        cfg.restore = (int)cop_rng_below(&rng, 3);
        f.steps = f.from = cop_rng_below(&rng, 8);
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
    assert_true(fern_verdict(&cfg, &l, 3 * FERN_ONE));
    assert_false(fern_verdict(&cfg, &l, 2 * FERN_ONE));
    cfg.hysteresis = 1;
    assert_true(fern_verdict(&cfg, &l, 3 * FERN_ONE));
    assert_true(fern_verdict(&cfg, &l, 2 * FERN_ONE)); /* it was congested */
    assert_false(fern_verdict(&cfg, &l, 1 * FERN_ONE));
    assert_false(fern_verdict(&cfg, &l, 2 * FERN_ONE));
    cfg.hysteresis = 7; /* more than there is: one buffer remains */
    assert_int_equal(fern_lower(&cfg), 1);
}

/* Section 3.1, Jain: the mean over the last period that is over. */
static void test_mean(void **state)
{
    (void)state;
    fern_cfg cfg = {.threshold = 1, .detector = FERN_MEAN, .period_ps = 100};
    fern_lane l = {0};
    fern_lane_in(&cfg, &l, 0);
    fern_lane_in(&cfg, &l, 50); /* 1 for 50 ps, 2 for 50 ps */
    assert_int_equal(fern_level(&cfg, &l, 99), 0); /* no period is over */
    assert_int_equal(fern_level(&cfg, &l, 100), 96); /* 1.5 */
    assert_true(fern_above(&cfg, fern_level(&cfg, &l, 199)));
    assert_int_equal(fern_level(&cfg, &l, 200), 128);
    fern_lane_out(&cfg, &l, 200, 220); /* its tail has gone at 220: 2 for 20 ps, 1 for 80 ps */
    assert_int_equal(fern_level(&cfg, &l, 300), (20 * 2 + 80) * 64 / 100);
    fern_lane_out(&cfg, &l, 300, 300);
    assert_int_equal(fern_level(&cfg, &l, 400), 0);
    assert_false(fern_above(&cfg, 1 * FERN_ONE)); /* more than one on average, not one */
}

/* Section 3.1: above the threshold for a given period. */
static void test_lasting(void **state)
{
    (void)state;
    fern_cfg cfg = {.threshold = 2, .detector = FERN_LASTING, .period_ps = 100};
    fern_lane l = {0};
    fern_lane_in(&cfg, &l, 10);
    fern_lane_in(&cfg, &l, 20);
    fern_lane_in(&cfg, &l, 30); /* from now on three */
    assert_false(fern_above(&cfg, fern_level(&cfg, &l, 129)));
    assert_true(fern_above(&cfg, fern_level(&cfg, &l, 130)));
    fern_lane_in(&cfg, &l, 135); /* a fourth changes nothing */
    assert_true(fern_above(&cfg, fern_level(&cfg, &l, 135)));
    fern_lane_out(&cfg, &l, 140, 150);
    fern_lane_out(&cfg, &l, 150, 160);
    assert_false(fern_above(&cfg, fern_level(&cfg, &l, 160))); /* two are left */
    fern_lane_in(&cfg, &l, 170); /* anew */
    assert_false(fern_above(&cfg, fern_level(&cfg, &l, 269)));
    assert_true(fern_above(&cfg, fern_level(&cfg, &l, 270)));
}

/* Section 3.5: linear, geometric, logarithmic. */
static void test_restore(void **state)
{
    (void)state;
    fern_cfg cfg = one_cfg();
    assert_int_equal(fern_left(&cfg, 8, 3), 5);
    cfg.restore = FERN_BY_HALVES;
    assert_int_equal(fern_left(&cfg, 9, 1), 4);
    assert_int_equal(fern_left(&cfg, 9, 4), 0);
    cfg.restore = FERN_BY_LOGARITHM; /* n0 (1 - lg(1 + k) / lg(1 + n0)), n0 = 63: lg 64 is 6 */
    assert_int_equal(fern_left(&cfg, 63, 0), 63);
    assert_int_equal(fern_left(&cfg, 63, 1), 53); /* 63 - 63 / 6, rounded up */
    assert_int_equal(fern_left(&cfg, 63, 3), 42);
    assert_int_equal(fern_left(&cfg, 63, 7), 32);
    assert_int_equal(fern_left(&cfg, 63, 62), 1);
    assert_int_equal(fern_left(&cfg, 63, 63), 0);
    for (int r = FERN_BY_STEPS; r <= FERN_BY_LOGARITHM; r++)
        for (uint32_t n = 1; n < 200; n++) {
            cfg.restore = r;
            assert_true(fern_left(&cfg, n, 1) < n);
            for (uint32_t k = 1; k <= n; k++)
                assert_true(fern_left(&cfg, n, k) <= fern_left(&cfg, n, k - 1));
        }
    /* Both approaches: a source that has heard the last message, and one that was told it is over. */
    cfg.restore = FERN_BY_HALVES;
    fern_source one = {0}, two = {.steps = 8, .rising = true};
    for (int n = 0; n < 8; n++)
        fern_hear_one(&cfg, &one, 0);
    fern_settle(&cfg, &one, 2 * cfg.timeout_ps);
    assert_int_equal(one.steps, 2);
    cfg.messages = 1;
    fern_hear_two(&two, FERN_NO_CONGESTION, 0);
    fern_injected(&cfg, &two);
    assert_int_equal(two.steps, 4);
}

static void test_culprit(void **state)
{
    (void)state;
    const cop_header list[] = {{.src = 4}, {.src = 9}, {.src = 4}, {.src = 9}, {.src = 1}};
    assert_int_equal(list[fern_most_frequent(list, 5, NULL)].src, 9); /* the more recent of two */
    assert_int_equal(list[fern_most_frequent(list, 3, NULL)].src, 4);
    assert_int_equal(list[fern_most_frequent(list, 2, NULL)].src, 9);
    assert_int_equal(fern_most_frequent(list, 1, NULL), 0);
    /* The one that was notified before, if none is more frequent. */
    cop_header four = {.src = 4}, nine = {.src = 9}, other = {.src = 77};
    assert_int_equal(list[fern_most_frequent(list, 5, &four)].src, 4);
    assert_int_equal(list[fern_most_frequent(list, 5, &nine)].src, 9);
    assert_int_equal(list[fern_most_frequent(list, 5, &other)].src, 9);
    assert_int_equal(list[fern_most_frequent(list, 3, &nine)].src, 4);
}

/* The paper's network, section 4: a step of 32 cycles, a timeout of 64, a threshold of two. */
static void test_auto(void **state)
{
    (void)state;
    cop_topo t = {.shape.kind = COP_SHAPE_CUBE};
    t.shape.u.cube = (cop_cube_shape){.dims = 3, .radix = {8, 8, 8}, .wrap = {true, true, true}};
    cop_netinfo info = {.topo = &t,
                        .lanes = 2,
                        .sections = 2,
                        .most_bytes = 64,
                        .host_bps = 32000000000,
                        .hop_ps = 3000,
                        .transit_bytes = 192,
                        .block_bytes = 64};
    fern_cfg given = {.every = 16}, cfg = fern_resolve(&given, &info);
    assert_int_equal(cfg.threshold, 2);
    assert_int_equal(cfg.step_ps, 32000);
    assert_int_equal(cfg.timeout_ps, 64000);
    info.hop_ps = 10000; /* 12 hops there and back */
    assert_int_equal(fern_resolve(&given, &info).timeout_ps, 120000);
    info.transit_bytes = 64 * 1024;
    info.most_bytes = 2048;
    cfg = fern_resolve(&given, &info); /* 2 KiB: 512 ns */
    assert_int_equal(cfg.threshold, 28);
    assert_int_equal(cfg.step_ps, 1024000);
    assert_int_equal(cfg.timeout_ps, 2048000);
    given = (fern_cfg){.threshold = 5, .step_ps = 7, .timeout_ps = 9, .period_ps = 11};
    cfg = fern_resolve(&given, &info);
    assert_true(cfg.threshold == 5 && cfg.step_ps == 7 && cfg.timeout_ps == 9 &&
                cfg.period_ps == 11);
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
        cmocka_unit_test(test_mean),         cmocka_unit_test(test_lasting),
        cmocka_unit_test(test_restore),      cmocka_unit_test(test_auto),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests_name("fern", tests, NULL, NULL);
}
