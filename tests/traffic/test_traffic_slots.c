/* Two choices that other simulators make otherwise: how often a Bernoulli source decides (`slot`), and
 * whether uniform traffic may go to its sender (`self`). */
#include "traffic_fixture.h"

#include <stdio.h>

/* Times of a stream lie on multiples of the slot, and its rate is as configured. */
static void slots_of_any_length(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        cop_time slot;
        double messages_per_us;
    } cases[] = {
        /* 12 Gbit/s of 1000 B are 1.5 messages per us. */
        {"arrival=bernoulli; rate=12 Gbit/s; message=1000 B; slot=1 ns", 1000, 1.5},
        {"arrival=bernoulli; rate=12 Gbit/s; message=1000 B; slot=333 ps", 333, 1.5},
        {"arrival=bernoulli; load=30 %; message=1000 B; slot=100 ns", 100000, 1.5},
        {"arrival=bernoulli; rate=12 Gbit/s; message=1000 B", 200000, 1.5},
        {"arrival=bernoulli; rate=12 Gbit/s; slot=7 ns; size_distribution=bimodal; size_small=500 "
         "B;"
         " size_large=1500 B",
         7000, 1.5},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        rig r;
        rig_one(&r, 2, 40 * GBIT, cases[i].text);
        uint32_t n = 100000;
        cop_time t = 0;
        for (uint32_t k = 0; k < n; k++) {
            t = r.tr.stream[0].t_next;
            assert_int_equal(t % cases[i].slot, 0);
            take_at(&r, 0, t);
            assert_true(r.tr.stream[0].t_next > t); /* one message per slot at most */
        }
        double rate = n / ((double)t / 1e6);
        assert_true(rate > cases[i].messages_per_us * 0.985 &&
                    rate < cases[i].messages_per_us * 1.015);
        rig_free(&r);
    }
    rig r; /* certain: one in each slot */
    rig_one(&r, 2, 40 * GBIT,
            "arrival=bernoulli; rate=8 Gbit/s; message=1000 B; slot=1 us; start=5 us");
    for (uint32_t k = 0; k < 1000; k++)
        assert_int_equal(take_at(&r, 0, COP_SECOND).t_gen, (5 + k) * COP_US);
    rig_free(&r);
}

/* Short slots come near to Poisson arrivals, long ones do not: variance of the gaps (1-p)/p^2 slots. */
static void shape_follows_the_slot(void **state)
{
    (void)state;
    static const struct {
        const char *slot;
        double variance; /* of gaps over their mean squared: 1 - p */
    } cases[] = {{"1 ns", 1 - 0.0015}, {"200 ns", 1 - 0.3}, {"500 ns", 1 - 0.75}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char text[200];
        rig r;
        double sum = 0, sum2 = 0;
        snprintf(text, sizeof(text), "arrival=bernoulli; rate=12 Gbit/s; message=1000 B; slot=%s",
                 cases[i].slot);
        rig_one(&r, 2, 40 * GBIT, text);
        enum { N = 200000 };
        for (int k = 0; k < N; k++) {
            cop_time before = r.tr.stream[0].t_next;
            take_at(&r, 0, before);
            double gap = (double)(r.tr.stream[0].t_next - before);
            sum += gap;
            sum2 += gap * gap;
        }
        double mean = sum / N, v = (sum2 / N - mean * mean) / (mean * mean);
        assert_true(v > cases[i].variance * 0.97 && v < cases[i].variance * 1.03);
        rig_free(&r);
    }
}

/* The first slot of a host begins anywhere in it; whole slots of pulses keep to their phase. */
static void phases_and_pulses(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 200, 40 * GBIT,
            "arrival=bernoulli; rate=8 Gbit/s; message=1000 B; slot=1 us; phase=random");
    double sum = 0;
    for (uint32_t s = 0; s < 200; s++) {
        cop_time first = r.tr.stream[s].t_next;
        assert_true(first < COP_US);
        take_at(&r, s, first);
        assert_int_equal(r.tr.stream[s].t_next, first + COP_US); /* p is 1 */
        sum += (double)first;
    }
    assert_true(sum / 200 > 0.4e6 && sum / 200 < 0.6e6);
    rig_free(&r);
    rig_one(&r, 2, 40 * GBIT,
            "arrival=pulses; rate=8 Gbit/s; message=1000 B; slot=1 us; high_time=10 us; "
            "low_time=30 us");
    for (uint32_t k = 0; k < 1000; k++) /* ten messages, then nothing for thirty slots */
        assert_int_equal(take_at(&r, 0, COP_SECOND).t_gen, (k / 10 * 40 + k % 10) * COP_US);
    rig_free(&r);
}

/* Pulses keep their share of the load however slots fall on them, and a slot has one message at most. */
static void pulses_of_any_length(void **state)
{
    (void)state;
    static const struct {
        const char *times;
        double share;
    } cases[] = {
        {"high_time=100 ns; low_time=900 ns", 0.1},
        {"high_time=900 ns; low_time=100 ns", 0.9},
        {"high_time=1500 ns; low_time=2500 ns", 0.375},
        {"high_time=1100 ns; low_time=8900 ns", 0.11},
        {"high_time=600 ps; low_time=200 ps", 0.75},
        {"high_time=7 us; low_time=5300 ns", 7 / 12.3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int phase = 0; phase < 2; phase++) {
            char text[200];
            rig r;
            snprintf(text, sizeof(text),
                     "arrival=pulses; rate=6 Gbit/s; low_rate=2 Gbit/s; message=1000 B; slot=1 us; "
                     "phase=%s; pulse_arrival=bernoulli; %s",
                     phase ? "random" : "together", cases[i].times);
            rig_one(&r, 2, 40 * GBIT, text);
            enum { N = 100000 };
            cop_time first = r.tr.stream[0].t_next, last = first;
            for (int k = 0; k < N; k++) {
                last = r.tr.stream[0].t_next;
                take_at(&r, 0, last);
                assert_true(r.tr.stream[0].t_next >= last + COP_US);
            }
            double gbps = N * 8000.0 / ((double)(last - first) / 1e3);
            double wants = 2.0 + 4.0 * cases[i].share;
            if (gbps < wants * 0.985 || gbps > wants * 1.015)
                fail_msg("%s: %.3f Gbit/s instead of %.3f", text, gbps, wants);
            rig_free(&r);
        }
}

/* More slots than can be counted without a message are no message. */
static void rare_messages(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 200, 40 * GBIT, "arrival=bernoulli; rate=64 bit/s; message=64 B; slot=1 ps");
    double sum = 0;
    for (uint32_t s = 0; s < 200; s++)
        sum += (double)r.tr.stream[s].t_next / (double)COP_SECOND;
    assert_true(sum / 200 > 6.5 && sum / 200 < 9.5); /* one in 8 s; 2^40 slots are 1.1 s */
    rig_free(&r);
}

static void refused(const char *text, const char *says)
{
    rig r;
    rig_init(&r, 8, 40 * GBIT);
    rig_entry(&r, text);
    assert_int_equal(rig_try(&r), -COP_E_INPUT);
    if (strstr(r.err.text, says) == NULL)
        fail_msg("`%s` does not say `%s`", r.err.text, says);
    rig_free(&r);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    refused("arrival=poisson; load=10 %; slot=1 ns", "only Bernoulli arrivals have slots");
    refused("slot=1 ns", "only Bernoulli arrivals have slots");
    refused("arrival=pulses; rate=12 Gbit/s; high_time=199 ps; low_time=1 ns",
            "`high_time` is 199 ps, and host 0 takes 200 ps to send a byte; make it as long");
    refused("arrival=on-off; rate=12 Gbit/s; on_mean=1 us; off_mean=100 ps",
            "`off_mean` is 100 ps");
    refused("arrival=pulses; rate=11 Mbit/s; high_time=2 ns; low_time=1 ns",
            "in `high_time` 2 ns there are 0.0027 bytes at the rate of host 0; make it longer");
    refused("arrival=constant; load=10 %; high_time=1 us", "only `arrival` pulses has pulses");
    refused("arrival=pulses; load=10 %; high_time=1 us; low_time=1 us; off_mean=1 us",
            "only `arrival` on-off has bursts");
    refused("arrival=bernoulli; rate=12 Gbit/s; message=1000 B; slot=1 us",
            "a slot has at most one message, and the rate of host 0 needs 1.5; make it shorter");
    refused("arrival=poisson; load=10 %; phase=random", "have a phase; remove it");
    refused("arrival=saturated; phase=random", "have a phase; remove it");
    refused("arrival=bernoulli; load=10 %; pulse_arrival=constant", "only `arrival` pulses has it");
    refused("pattern=tornado; self=yes", "pattern tornado draws no destinations among all hosts");
    refused("pattern=list; to_list=[1, 2]; self=yes", "remove `self`");
}

/* -- traffic to oneself -- */

/* Where 8000 messages of host 2 of 8 go. */
static void count_destinations(const char *text, uint32_t *count)
{
    rig r;
    rig_one(&r, 8, 40 * GBIT, text);
    memset(count, 0, 8 * sizeof(*count));
    for (int k = 0; k < 8000; k++)
        count[take_at(&r, r.tr.host_stream0[2], (cop_time)k).dst]++;
    rig_free(&r);
}

static void uniform_with_the_sender(void **state)
{
    (void)state;
    uint32_t count[8];
    count_destinations("pattern=uniform", count);
    assert_int_equal(count[2], 0);
    count_destinations("pattern=uniform; self=yes", count);
    for (uint32_t h = 0; h < 8; h++)
        assert_in_range(count[h], 880, 1120);
    count_destinations("pattern=hotspot; to=5; hot_share=20 %; self=yes", count);
    for (uint32_t h = 0; h < 8; h++) /* a fifth to the hot host, the rest anywhere */
        assert_in_range(count[h], h == 5 ? 2250 : 700, h == 5 ? 2550 : 900);
    count_destinations("pattern=hot-region; region=50 %; hot_share=100 %; self=yes", count);
    for (uint32_t h = 0; h < 8; h++)
        assert_in_range(count[h], h < 4 ? 1850 : 0, h < 4 ? 2150 : 0);
    count_destinations("pattern=forest; v_share=100 %; self=yes; hotspots=1; contribute=no", count);
    assert_in_range(count[2], 880, 1120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_of_any_length),     cmocka_unit_test(shape_follows_the_slot),
        cmocka_unit_test(phases_and_pulses),       cmocka_unit_test(pulses_of_any_length),
        cmocka_unit_test(rare_messages),           cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(uniform_with_the_sender),
    };
    return cmocka_run_group_tests_name("traffic_slots", tests, NULL, NULL);
}
