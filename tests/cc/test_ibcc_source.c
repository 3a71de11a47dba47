/* The rules of the InfiniBand congestion control at end nodes, step by step: index and timer, table of
 * delays, presets. Answers are closed forms, or a plain timer that ticks. */
#include "ibcc_fixture.h"

#include <string.h>

#include "base/rng.h"

/* -- index and timer -- */

static void test_index(void **state)
{
    (void)state;
    ibcc_params p = {.increase = 3, .limit = 10, .min = 2, .period_ps = 100, .trigger = 8};
    ibcc_flow f = {0};
    assert_int_equal(ibcc_ccti(&p, &f, 0), 2);
    assert_false(ibcc_becn(&p, &f, 50, 0)); /* 5 */
    assert_int_equal(ibcc_ccti(&p, &f, 99), 5);
    assert_int_equal(ibcc_ccti(&p, &f, 100), 4); /* the timer ticks at multiples of 100 */
    assert_false(ibcc_becn(&p, &f, 150, 0)); /* 7 */
    assert_true(ibcc_becn(&p, &f, 160, 0)); /* 10: the limit, past the trigger */
    assert_false(ibcc_becn(&p, &f, 170, 0));
    assert_int_equal(ibcc_ccti(&p, &f, 180), 10);
    assert_int_equal(ibcc_ccti(&p, &f, 500), 6); /* four ticks */
    assert_int_equal(ibcc_ccti(&p, &f, 100000), 2);
    assert_int_equal(f.becns, 4);
    /* With a phase of 30 ticks are at 70, 170, ... */
    f = (ibcc_flow){0};
    ibcc_becn(&p, &f, 0, 30);
    assert_int_equal(ibcc_ccti(&p, &f, 69), 5);
    assert_int_equal(ibcc_ccti(&p, &f, 70), 4);
    /* Restart: 100 after the last BECN. */
    p.restart = true;
    f = (ibcc_flow){0};
    ibcc_becn(&p, &f, 50, 0); /* 5 */
    ibcc_becn(&p, &f, 149, 0); /* 8, and the tick at 150 is put off */
    assert_int_equal(ibcc_ccti(&p, &f, 248), 8);
    assert_int_equal(ibcc_ccti(&p, &f, 249), 7);
    assert_int_equal(ibcc_ccti(&p, &f, 348), 7);
    assert_int_equal(ibcc_ccti(&p, &f, 349), 6);
}

/* Timers of hosts tick at different times, and those of the service levels of one host with `per-sl`. */
static void test_phases(void **state)
{
    (void)state;
    ibcc_run run = {.par = {.period_ps = 150 * COP_US}, .phases = true, .seed = 5};
    assert_true(ibcc_phase(&run, 0, 0) != ibcc_phase(&run, 1, 0));
    assert_int_equal(ibcc_phase(&run, 1, 0), ibcc_phase(&run, 1, 3));
    assert_true(ibcc_phase(&run, 1, 0) < run.par.period_ps);
    cop_time first = ibcc_phase(&run, 1, 0);
    run.par.per_sl = true;
    assert_int_equal(ibcc_phase(&run, 1, 0), first);
    assert_true(ibcc_phase(&run, 1, 0) != ibcc_phase(&run, 1, 3));
    assert_true(ibcc_phase(&run, 1, 3) != ibcc_phase(&run, 2, 3));
    run.phases = false;
    assert_int_equal(ibcc_phase(&run, 1, 3), 0);
}

/* "Reached" is at or above: the BECN that takes the index there reports it, those above it do not,
 * and the next one that takes it there from below does again. */
static void test_trigger(void **state)
{
    (void)state;
    ibcc_params p = {.increase = 1, .limit = 10, .min = 1, .period_ps = 100, .trigger = 3};
    ibcc_flow f = {0};
    assert_false(ibcc_becn(&p, &f, 0, 0)); /* 2 */
    assert_true(ibcc_becn(&p, &f, 0, 0)); /* 3 */
    assert_false(ibcc_becn(&p, &f, 0, 0)); /* 4 */
    assert_int_equal(ibcc_ccti(&p, &f, 100), 3);
    assert_false(ibcc_becn(&p, &f, 100, 0)); /* 4, was at the trigger */
    assert_int_equal(ibcc_ccti(&p, &f, 300), 2);
    assert_true(ibcc_becn(&p, &f, 300, 0)); /* 3 again */
    p.trigger = 0;
    f = (ibcc_flow){0};
    for (int i = 0; i < 20; i++)
        assert_false(ibcc_becn(&p, &f, 0, 0));
}

/* gran3-57, pfis-23: from the top to nothing takes 127 periods. */
static void test_recovery(void **state)
{
    (void)state;
    static const cop_time period[] = {150 * COP_US, 2000 * COP_US, 10 * COP_US};
    for (size_t i = 0; i < COP_LEN(period); i++) {
        ibcc_params p = {.increase = 1, .limit = 127, .period_ps = period[i], .restart = true};
        ibcc_flow f = {0};
        for (int k = 0; k < 200; k++)
            ibcc_becn(&p, &f, 1000, 0);
        assert_int_equal(ibcc_ccti(&p, &f, 1000), 127);
        assert_int_equal(ibcc_ccti(&p, &f, 1000 + 127 * period[i] - 1), 1);
        assert_int_equal(ibcc_ccti(&p, &f, 1000 + 127 * period[i]), 0);
    }
}

/* Against a timer that really ticks, with random notifications and random looks. */
static void test_lazy_timer(void **state)
{
    (void)state;
    cop_rng r = cop_rng_make(3, COP_RNG_TEST, 9);
    for (int round = 0; round < 200; round++) {
        ibcc_params p = {.restart = round % 2};
        p.increase = cop_rng_below(&r, 4);
        p.limit = 20 + cop_rng_below(&r, 100);
        p.min = cop_rng_below(&r, 5);
        p.period_ps = 1 + cop_rng_below(&r, 50);
        cop_time phase = cop_rng_below(&r, (uint32_t)p.period_ps), left = p.period_ps;
        ibcc_flow f = {0};
        uint32_t index = p.min;
        for (cop_time now = 1; now < 3000; now++) {
            bool tick = p.restart ? --left == 0 : (now + phase) % p.period_ps == 0;
            if (tick) {
                index -= index > p.min;
                left = p.period_ps;
            }
            if (cop_rng_below(&r, 20) == 0) {
                ibcc_becn(&p, &f, now, phase);
                if (p.restart)
                    left = p.period_ps;
                index = index + p.increase > p.limit ? p.limit : index + p.increase;
            }
            if (cop_rng_below(&r, 10) == 0)
                assert_int_equal(ibcc_ccti(&p, &f, now), index);
        }
        assert_int_equal(ibcc_ccti(&p, &f, 2999), index);
    }
}

/* -- table -- */

static ibcc_cct table(const ibcc_cfg *cfg, cop_arena *arena)
{
    ibcc_params p = ibcc_resolve(cfg, &facts);
    ibcc_cct t = {0};
    if (p.cct_shape == IBCC_ENCODED)
        t.ratio = COP_NEW_ARRAY(arena, ibcc_ratio, p.cct_entries);
    else
        t.time = COP_NEW_ARRAY(arena, cop_time, p.cct_entries);
    ibcc_cct_fill(&t, &p, cfg, MTU);
    return t;
}

static void test_tables(void **state)
{
    (void)state;
    cop_arena arena = {0};
    ibcc_cfg c = defaults(&arena);
    ibcc_cct t = table(&c, &arena);
    assert_int_equal(t.n, 128); /* gran1-31 */
    for (uint64_t i = 0; i < t.n; i++) /* i^2 * 7 / 106^2 us, rounded */
        assert_int_equal(ibcc_cct_delay(&t, (uint32_t)i, MTU), (i * i * 7000000 + 5618) / 11236);
    assert_in_range(ibcc_cct_delay(&t, 127, MTU), 10047500, 10048500); /* gran3-49 */
    assert_int_equal(ibcc_cct_delay(&t, 106, MTU / 4), 7000000 / 4); /* by length */
    assert_int_equal(ibcc_cct_delay(&t, 500, MTU), ibcc_cct_delay(&t, 127, MTU));
    c.cct_index = 95;
    t = table(&c, &arena);
    assert_in_range(ibcc_cct_delay(&t, 127, MTU), 12509500, 12510500);
    c.cct_shape = IBCC_LINEAR, c.cct_index = 127, c.cct_delay_ps = 127000, c.cct_scale = false;
    t = table(&c, &arena);
    assert_int_equal(ibcc_cct_delay(&t, 40, 17), 40000); /* whatever the length */
    uint64_t list[] = {0, 5, 70};
    c = defaults(&arena);
    c.cct_times = (cop_times){list, 3};
    t = table(&c, &arena);
    assert_int_equal(ibcc_cct_delay(&t, 1, MTU), 5);
    assert_int_equal(ibcc_cct_delay(&t, 99, MTU), 70);
    c = defaults(&arena);
    c.cct_encoded = "0:0, 1:3, 0:4, 3:16383";
    t = table(&c, &arena);
    assert_int_equal(ibcc_cct_delay(&t, 0, 1000), 0);
    assert_int_equal(ibcc_cct_delay(&t, 1, 1000), 1500); /* 3 / 2 of the packet's own time */
    assert_int_equal(ibcc_cct_delay(&t, 2, 1000), 4000);
    assert_int_equal(ibcc_cct_delay(&t, 127, 8), 16383);
    cop_arena_free(&arena);
}

/* -- when the arbiter asks -- */

/* The packet ended at 1000, and index 4 asks for 400 from then on. But it falls at 1100 and 1200, and index
 * 2 asks for 200 only: the flow may go at 1200, unless a notification raises the index again. */
static void test_asked(void **state)
{
    (void)state;
    cop_time time[] = {0, 100, 200, 300, 400};
    const ibcc_cct cct = {.n = 5, .mtu_bytes = MTU, .scale = true, .time = time};
    ibcc_params p = {.increase = 1, .limit = 4, .period_ps = 100};
    ibcc_flow f = {0};
    for (int i = 0; i < 4; i++)
        ibcc_becn(&p, &f, 1000, 0);
    assert_int_equal(ibcc_earliest(&p, &cct, &f, 1000), 1000); /* it has sent nothing yet */
    f.last = 1000, f.unit = MTU;
    assert_int_equal(ibcc_earliest(&p, &cct, &f, 1000), 1200); /* index 2 from 1200 on */
    ibcc_becn(&p, &f, 1150, 0); /* 4 - 1 + 1 */
    assert_int_equal(ibcc_earliest(&p, &cct, &f, 1200), 1300); /* index 3 at 1200, 2 at 1300 */
    f.unit = MTU / 2;
    assert_int_equal(ibcc_earliest(&p, &cct, &f, 1200), 1150); /* half of 300 has passed */
    /* Restart: the tick that would have come is put off. */
    p.restart = true;
    f = (ibcc_flow){.last = 1000, .unit = MTU};
    ibcc_becn(&p, &f, 1000, 0);
    ibcc_becn(&p, &f, 1050, 0); /* 2 until 1150, then 1 */
    assert_int_equal(ibcc_earliest(&p, &cct, &f, 1060), 1150);
    ibcc_becn(&p, &f, 1140, 0); /* 3 until 1240 */
    assert_int_equal(ibcc_earliest(&p, &cct, &f, 1150), 1240);
}

/* Against an arbiter that asks at every picosecond, with random notifications. What is told holds until the
 * next notification, and then only moves to later. */
static void test_asked_all_the_time(void **state)
{
    (void)state;
    cop_rng r = cop_rng_make(4, COP_RNG_TEST, 9);
    for (int round = 0; round < 300; round++) {
        ibcc_params p = {.limit = 20, .restart = round % 2};
        p.increase = 1 + cop_rng_below(&r, 3);
        p.min = cop_rng_below(&r, 3);
        p.period_ps = 1 + cop_rng_below(&r, 60);
        cop_time time[21] = {0}, phase = cop_rng_below(&r, (uint32_t)p.period_ps), told = 0;
        for (uint32_t i = 1; i < COP_LEN(time); i++)
            time[i] = time[i - 1] + cop_rng_below(&r, 50);
        const ibcc_cct cct = {.n = 21, .mtu_bytes = MTU, .scale = true, .time = time};
        ibcc_flow f = {.last = 1, .unit = MTU};
        for (cop_time now = 1; now < 3000; now++) {
            if (cop_rng_below(&r, 40) == 0) {
                ibcc_becn(&p, &f, now, phase);
                cop_time later = ibcc_earliest(&p, &cct, &f, now);
                assert_true(later >= told || told <= now);
                told = later;
            }
            bool may = f.last + time[ibcc_ccti(&p, &f, now)] <= now;
            cop_time t = ibcc_earliest(&p, &cct, &f, now);
            assert_int_equal(may, t <= now);
            if (told > now)
                assert_int_equal(t, told);
            if (may) {
                f.last = now;
                told = ibcc_earliest(&p, &cct, &f, now);
            }
        }
    }
}

static void test_ratios(void **state)
{
    (void)state;
    static const char *const bad[] = {"4294967297:8", "1:4294967299", "1",       "4:0",  "0:16384",
                                      "0:",           ":1",           "0:1 0:2", "0:1;", "x",
                                      "-1:2",         "0:-1",         "0:1,,0:2"};
    ibcc_ratio v[3];
    assert_int_equal(ibcc_parse_ratios("", v, 3), 0);
    assert_int_equal(ibcc_parse_ratios("[0:0,3:16383 , 2:5]", v, 3), 3);
    assert_int_equal(v[1].shift, 3);
    assert_int_equal(v[1].multiplier, 16383);
    assert_int_equal(v[2].multiplier, 5);
    for (size_t i = 0; i < COP_LEN(bad); i++)
        assert_int_equal(ibcc_parse_ratios(bad[i], v, 3), -1);
}

/* -- presets -- */

static void test_presets(void **state)
{
    (void)state;
    cop_arena arena = {0};
    ibcc_cfg c = defaults(&arena);
    ibcc_params p = ibcc_resolve(&c, &facts);
    assert_int_equal(p.least_bytes, 512); /* gran3 table I */
    assert_int_equal(p.mark_gap, 1);
    assert_int_equal(p.period_ps, 150 * COP_US);
    assert_int_equal(p.increase, 1);
    assert_int_equal(p.limit, 127);
    assert_int_equal(p.min, 0);
    assert_int_equal(ibcc_upper_of(&p, 15), 9216); /* 4.5 packets */
    assert_int_equal(ibcc_lower_of(&p, 9216), 2560);
    c.ccti_timer_units = 150;
    assert_int_equal(ibcc_resolve(&c, &facts).period_ps, 153600 * COP_NS);
    c = defaults(&arena);
    c.preset = IBCC_FAT_TREE;
    p = ibcc_resolve(&c, &facts);
    assert_int_equal(p.least_bytes, 0); /* gran4 table I */
    assert_true(p.mark_below == UINT64_MAX);
    assert_int_equal(p.cct_delay_ps, 70 * COP_US);

    static const struct {
        uint32_t n, h, increase;
        double max_us;
    } guide[] = {
        {32, 32, 5, 21.333}, {128, 128, 21, 85.333}, {512, 512, 85, 341.333}, {512, 3, 2, 2.0}};
    for (size_t i = 0; i < COP_LEN(guide); i++) { /* pfis-10, 11, 12 */
        cop_netinfo net = facts;
        net.n_hosts = guide[i].n;
        c = defaults(&arena);
        c.preset = IBCC_PFISTER;
        c.senders = guide[i].h;
        p = ibcc_resolve(&c, &net);
        assert_int_equal(p.increase, guide[i].increase);
        double us = (double)p.cct_delay_ps / (double)COP_US;
        assert_true(us > guide[i].max_us - 0.001 && us < guide[i].max_us + 0.001);
        assert_int_equal(p.cct_index, 127);
        assert_int_equal(p.cct_shape, IBCC_LINEAR);
        assert_int_equal(p.period_ps, 10 * COP_US);
        assert_int_equal(ibcc_upper_of(&p, 15), 58982); /* 90 % */
        assert_int_equal(ibcc_lower_of(&p, 58982), 58982 - 65536 / 20);
    }
    c.ccti_increase = 1; /* what is given wins */
    assert_int_equal(ibcc_resolve(&c, &facts).increase, 1);
    cop_arena_free(&arena);
}

static void test_refused(void **state)
{
    (void)state;
    cop_arena arena = {0};
    uint64_t not_zero[] = {5};
    for (int i = 0; i < 11; i++) {
        ibcc_cfg c = defaults(&arena);
        cop_err err = {0};
        assert_int_equal(ibcc_check(&c, &facts, &err), 0);
        switch (i) {
        case 0:
            c.ccti_limit = 128;
            break;
        case 1:
            c.ccti_limit = 5, c.ccti_min = 6;
            break;
        case 2:
            c.cct_encoded = "nonsense";
            break;
        case 3:
            c.cct_encoded = "0:1";
            break;
        case 4:
            c.cct_times = (cop_times){not_zero, 1};
            break;
        case 5:
            c.cct_shape = IBCC_TIMES;
            break;
        case 6:
            c.cs_return_delay = "5";
            break;
        case 7:
            c.ccti_timer_ps = 1, c.ccti_timer_units = 1;
            break;
        case 8:
            c.threshold_bytes = 1, c.threshold_share = 0.5;
            break;
        case 9:
            c.threshold_mtus = 1, c.threshold_share = 0.5;
            break;
        default:
            c.threshold_bytes = 1, c.threshold_mtus = 0.5;
        }
        assert_int_equal(ibcc_check(&c, &facts, &err), -COP_E_INPUT);
        assert_int_equal(err.faults, 1);
        assert_non_null(strchr(err.text, ';')); /* a remedy follows */
    }
    cop_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index),    cmocka_unit_test(test_trigger),
        cmocka_unit_test(test_recovery), cmocka_unit_test(test_lazy_timer),
        cmocka_unit_test(test_tables),   cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_asked),    cmocka_unit_test(test_asked_all_the_time),

        cmocka_unit_test(test_presets),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_phases),
    };
    return cmocka_run_group_tests_name("ibcc_source", tests, NULL, NULL);
}
