/* What sources want to send (src/traffic/offered.c), worked out by hand. */
#include "traffic_fixture.h"

#include <stdio.h>

#define MS (COP_SECOND / 1000)

/* To within `most`. */
static void near(double is, double want, double most)
{
    if (!(is >= want - most && is <= want + most))
        fail_msg("%.10g instead of %.10g", is, want);
}

static double offered(const rig *r, uint32_t s, cop_time from, cop_time to)
{
    return cop_traffic_offered(&r->tr, s, from, to);
}

/* 4 Gbit/s are 500,000 bytes in a millisecond, however messages are spaced, and nothing when there is no time. */
static void rates(void **state)
{
    static const char *const arrivals[] = {"constant", "poisson", "bernoulli"};
    (void)state;
    for (size_t i = 0; i < COP_LEN(arrivals); i++) {
        char text[128];
        rig r;
        snprintf(text, sizeof(text), "arrival=%s; rate=4 Gbit/s; message=1 kB", arrivals[i]);
        rig_one(&r, 4, 10 * GBIT, text);
        for (uint32_t s = 0; s < 4; s++) {
            assert_true(cop_traffic_has_rate(&r.tr, s));
            near(offered(&r, s, 0, MS), 500000.0, 1e-3);
            near(offered(&r, s, 3 * MS, 5 * MS), 1000000.0, 1e-3);
            near(offered(&r, s, MS, MS), 0.0, 0.0);
        }
        rig_free(&r);
    }
}

/* Always something to send, or a last message: no rate of its own. */
static void no_rate(void **state)
{
    rig r;
    (void)state;
    rig_one(&r, 4, 10 * GBIT, "arrival=saturated");
    assert_false(cop_traffic_has_rate(&r.tr, 0));
    rig_free(&r);
    rig_one(&r, 4, 10 * GBIT, "arrival=constant; rate=1 Gbit/s; messages=100");
    assert_false(cop_traffic_has_rate(&r.tr, 0));
    rig_free(&r);
}

/* Only the part of the interval in which the stream is active counts. */
static void activity(void **state)
{
    rig r;
    (void)state;
    rig_one(&r, 2, 10 * GBIT, "arrival=constant; rate=8 Gbit/s; start=2 ms; stop=5 ms");
    near(offered(&r, 0, 0, 10 * MS), 3e6, 1e-3);
    near(offered(&r, 0, 0, 2 * MS), 0.0, 0.0);
    near(offered(&r, 0, 4 * MS, 10 * MS), 1e6, 1e-3);
    rig_free(&r);
}

/* 8 Gbit/s for 1 ms, 2 Gbit/s for 3 ms: 3.5 Gbit/s on average. */
static void pulses(void **state)
{
    rig r;
    (void)state;
    rig_one(&r, 2, 10 * GBIT,
            "arrival=pulses; message=1 kB; high_time=1 ms; low_time=3 ms; rate=8 Gbit/s; "
            "low_rate=2 Gbit/s");
    near(offered(&r, 0, 0, 8 * MS), 3.5e9 / 8 * 8e-3, 1e-3);
    /* Inside a pulse, between pulses, and from the middle of one into the next. */
    near(offered(&r, 0, 0, MS / 2), 8e9 / 8 * 0.5e-3, 1e-3);
    near(offered(&r, 0, 2 * MS, 3 * MS), 2e9 / 8 * 1e-3, 1e-3);
    near(offered(&r, 0, MS / 2, 9 * MS / 2), (8e9 * 1e-3 + 2e9 * 3e-3) / 8, 1e-3);
    rig_free(&r);
    rig_one(&r, 2, 10 * GBIT,
            "arrival=pulses; message=1 kB; high_time=1 ms; low_time=3 ms; rate=8 Gbit/s; "
            "low_rate=2 Gbit/s; start=2 ms");
    near(offered(&r, 0, 0, 3 * MS), 8e9 / 8 * 1e-3, 1e-3);
    near(offered(&r, 0, 3 * MS, 4 * MS), 2e9 / 8 * 1e-3, 1e-3);
    rig_free(&r);
}

/* Messages of 1 kB every 2 us. Taken up to 20 us, at 1 ms 980 us are left: 490 messages. What stands at
 * the source ends when the stream does. */
static void waiting(void **state)
{
    rig r;
    (void)state;
    rig_one(&r, 2, 10 * GBIT, "arrival=constant; rate=4 Gbit/s; message=1 kB; stop=2 ms");
    while (r.tr.stream[0].t_next < 20 * COP_US)
        (void)take_at(&r, 0, MS);
    double next = (double)r.tr.stream[0].t_next / (double)COP_SECOND;
    assert_true(next < 23e-6);
    near(cop_traffic_waiting(&r.tr, 0, MS), 5e8 * (1e-3 - next), 1e-3);
    near(cop_traffic_waiting(&r.tr, 0, 9 * MS), 5e8 * (2e-3 - next), 1e-3);
    near(cop_traffic_waiting(&r.tr, 0, 10 * COP_US), 0.0, 0.0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates), cmocka_unit_test(no_rate),
                                       cmocka_unit_test(activity), cmocka_unit_test(pulses),
                                       cmocka_unit_test(waiting)};
    return cmocka_run_group_tests_name("offered", tests, NULL, NULL);
}
