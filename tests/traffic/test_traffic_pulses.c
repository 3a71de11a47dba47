/* Messages of sources that switch between two rates, one by one: where every slot or every byte is known, so is
 * the time of each message. How often random ones come is in test_traffic_arrivals. */
#include "traffic_fixture.h"

#include <stdio.h>

#define SLOT 200000 /* ps: 1000 bytes at 40 Gbit/s */

static void pulse_rig(rig *r, uint32_t hosts, uint64_t high, uint64_t low, const char *rest)
{
    char text[300];
    snprintf(text, sizeof(text),
             "arrival=pulses; message=1 kB; high_time=%llu ps; low_time=%llu ps; %s",
             (unsigned long long)high, (unsigned long long)low, rest);
    rig_one(r, hosts, 40 * GBIT, text);
}

/* How much of the first t ps of a wave is high. */
static uint64_t high_until(uint64_t t, uint64_t high, uint64_t low)
{
    uint64_t rest = t % (high + low);
    return t / (high + low) * high + (rest < high ? rest : high);
}

/* With a load of 100 % every slot inside a pulse has a message, and none outside has one; others have as many as
 * their shares of pulses make: however short the pulses are, and wherever the first slot begins. */
static void every_slot_of_a_pulse(void **state)
{
    (void)state;
    enum { HOSTS = 60, SLOTS = 600 };
    static const struct {
        uint64_t high, low;
    } waves[] = {{30000000, 70000000}, {30000, 50007},      {1000000, 1000},
                 {150000, 300000},     {SLOT, SLOT},        {2 * SLOT, SLOT},
                 {SLOT / 4, SLOT / 8}, {SLOT + 1, SLOT - 1}};
    for (size_t w = 0; w < COP_LEN(waves); w++)
        for (int random = 0; random < 2; random++) {
            uint64_t sum = 0, different = 0;
            double wants = 0, varies = 0, have = 0;
            rig r;
            pulse_rig(&r, HOSTS, waves[w].high, waves[w].low,
                      random ? "pulse_arrival=bernoulli; load=100 %; low_rate=0; phase=random"
                             : "pulse_arrival=bernoulli; load=100 %; low_rate=0");
            for (uint32_t h = 0; h < HOSTS; h++) {
                uint64_t first = r.tr.stream[h].t_next % SLOT;
                sum += first;
                different += h > 0 && first != r.tr.stream[0].t_next % SLOT;
                for (uint64_t i = 0, t = first; i < SLOTS; i++, t += SLOT) {
                    uint64_t high = high_until(t + SLOT, waves[w].high, waves[w].low) -
                                    high_until(t, waves[w].high, waves[w].low);
                    bool has = r.tr.stream[h].t_next == t;
                    double share = (double)high / SLOT;
                    wants += share;
                    varies += share * (1.0 - share);
                    have += has;
                    assert_false((high == SLOT && !has) || (high == 0 && has));
                    if (has)
                        take_at(&r, h, COP_SECOND);
                    assert_true(r.tr.stream[h].t_next > t);
                }
            }
            assert_true((have - wants) * (have - wants) <= 16.0 * varies + 1e-6);
            if (random) {
                assert_true(different >= HOSTS - 2);
                assert_true(sum > 0);
            } else {
                assert_int_equal(sum, 0);
            }
            rig_free(&r);
        }
}

/* Slots of one byte, 200 ps, and phases of a few: some slots begin or end in the very ps in which a phase does, and are
 * wholly of that one. */
static void slots_at_the_end_of_a_pulse(void **state)
{
    (void)state;
    enum { HOSTS = 2000, HIGH = 700, PERIOD = 1310, BYTE = 200, SLOTS = 60 };
    uint32_t at_an_end = 0;
    rig r;
    rig_one(&r, HOSTS, 40 * GBIT,
            "arrival=pulses; message=1 B; high_time=700 ps; low_time=610 ps; phase=random; "
            "pulse_arrival=bernoulli; load=100 %; low_rate=0");
    for (uint32_t h = 0; h < HOSTS; h++) {
        uint64_t t = r.tr.stream[h].t_next % BYTE;
        for (uint32_t i = 0; i < SLOTS; i++, t += BYTE) {
            uint64_t begin = t % PERIOD, end = begin + BYTE;
            bool high = end <= HIGH, low = begin >= HIGH && end <= PERIOD;
            bool has = r.tr.stream[h].t_next == t;
            at_an_end += end == HIGH || begin == HIGH || end == PERIOD || begin == 0;
            assert_false((high && !has) || (low && has));
            if (has)
                take_at(&r, h, COP_SECOND);
            assert_true(r.tr.stream[h].t_next > t);
        }
    }
    assert_true(at_an_end > 100);
    rig_free(&r);
}

/* The first slot begins anywhere within a slot, evenly, and after a start as after the beginning. */
static void where_the_first_slot_begins(void **state)
{
    (void)state;
    enum { HOSTS = 2000 };
    static const uint64_t starts[] = {0, 7777777};
    for (size_t i = 0; i < COP_LEN(starts); i++) {
        char rest[128];
        uint64_t quarter[4] = {0};
        rig r;
        snprintf(rest, sizeof(rest),
                 "pulse_arrival=bernoulli; load=100 %%; low_rate=0; phase=random; start=%llu ps",
                 (unsigned long long)starts[i]);
        pulse_rig(&r, HOSTS, 10 * SLOT, SLOT, rest);
        for (uint32_t h = 0; h < HOSTS; h++) {
            uint64_t t = r.tr.stream[h].t_next - starts[i];
            assert_true(t < SLOT);
            quarter[t * 4 / SLOT]++;
        }
        for (size_t q = 0; q < 4; q++)
            assert_share(quarter[q], HOSTS, 0.25);
        rig_free(&r);
    }
}

/* Constant arrivals, nothing outside of pulses: the time of a message is when so much time of pulses is over. */
static void work_waits_for_the_next_pulse(void **state)
{
    (void)state;
    static const struct {
        uint64_t high, low, gap; /* gap: between messages at the high rate */
        const char *rate;
    } waves[] = {{300000, 700000, 1000000, "rate=8 Gbit/s"},
                 {1000000, 1000000, 1000000, "rate=8 Gbit/s"} /* just at the switch */,
                 {2500000, 200, 800000, "rate=10 Gbit/s"},
                 {207, 1000, 200000, "rate=40 Gbit/s"}};
    for (size_t w = 0; w < COP_LEN(waves); w++) {
        char rest[128];
        rig r;
        snprintf(rest, sizeof(rest), "pulse_arrival=constant; low_rate=0; %s", waves[w].rate);
        pulse_rig(&r, 2, waves[w].high, waves[w].low, rest);
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t work = i * waves[w].gap, pulses = work / waves[w].high;
            uint64_t want = pulses * (waves[w].high + waves[w].low) + work % waves[w].high;
            cop_time t = take_at(&r, 0, COP_SECOND).t_gen;
            /* Work left at a switch is rounded to 2^-16 byte, which is less than a ps. */
            assert_in_range(t, want - (want > 0 ? pulses : 0), want + pulses);
            if (pulses <= 1)
                assert_in_range(t, want, want + 1);
        }
        rig_free(&r);
    }
}

/* Two rates: 8 Gbit/s for 3 us (3000 bytes), 4 Gbit/s for 3 us (1500 bytes). Nine messages in two periods. */
static void work_goes_on_at_the_other_rate(void **state)
{
    (void)state;
    static const uint64_t at_ns[] = {0, 1000, 2000, 3000, 5000, 6500, 7500, 8500, 10000};
    rig r;
    pulse_rig(&r, 2, 3000000, 3000000, "pulse_arrival=constant; rate=8 Gbit/s; low_rate=4 Gbit/s");
    for (uint64_t i = 0; i < 900; i++) {
        uint64_t want = i / 9 * 12000000 + at_ns[i % 9] * 1000;
        cop_time t = take_at(&r, 0, COP_SECOND).t_gen;
        assert_in_range(t, want, want + 200);
        if (i < 9)
            assert_in_range(t, want, want + 2);
    }
    rig_free(&r);
}

/* Streams end before `stop`, in a pulse or outside; one that would begin there never does. */
static void streams_end(void **state)
{
    (void)state;
    static const char *const kinds[] = {"bernoulli", "constant"};
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (uint64_t stop = 1; stop <= 12; stop++) {
            char rest[160];
            uint64_t n = 0, want = 0;
            rig r;
            snprintf(rest, sizeof(rest), "pulse_arrival=%s; load=100 %%; low_rate=0; stop=%llu ns",
                     kinds[k], (unsigned long long)(stop * 150));
            pulse_rig(&r, 2, 2 * SLOT, SLOT, rest); /* two slots of three */
            for (uint64_t t = 0; t < stop * 150000; t += SLOT)
                want += t % (3 * SLOT) < 2 * SLOT;
            for (; r.tr.stream[0].t_next != COP_NEVER; n++) {
                assert_true(r.tr.stream[0].t_next < stop * 150000);
                take_at(&r, 0, COP_SECOND);
            }
            assert_int_equal(n, want);
            rig_free(&r);
        }
}

/* Bursts: messages of one burst are a gap apart; longer pauses are drawn. Bursts and pauses have their means, and
 * no message comes out of turn. */
static void bursts(void **state)
{
    (void)state;
    enum { MESSAGES = 200000 };
    rig r;
    rig_one(&r, 2, 40 * GBIT,
            "arrival=on-off; rate=8 Gbit/s; message=1 kB; on_mean=20 us; off_mean=50 us");
    uint64_t last = take_at(&r, 0, COP_SECOND).t_gen, pauses = 0, paused = 0, tight = 0;
    for (uint32_t i = 1; i < MESSAGES; i++) {
        uint64_t t = take_at(&r, 0, COP_SECOND).t_gen;
        uint64_t gap = t - last;
        assert_true(gap + 1 >= 1000000); /* never faster than the rate */
        if (gap <= 1000001) {
            tight++;
        } else {
            pauses++;
            paused += gap - 1000000;
        }
        last = t;
    }
    /* A gap of 1 us has a pause in it with chance 1 - exp(-1/20), and then about 1.025 of them. */
    assert_true(pauses > 0.0488 * MESSAGES * 0.96 && pauses < 0.0488 * MESSAGES * 1.04);
    assert_int_equal(tight + pauses, MESSAGES - 1);
    double mean = (double)paused / (double)pauses;
    assert_true(mean > 51.2e6 * 0.96 && mean < 51.2e6 * 1.04);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slot_of_a_pulse),
        cmocka_unit_test(slots_at_the_end_of_a_pulse),
        cmocka_unit_test(where_the_first_slot_begins),
        cmocka_unit_test(work_waits_for_the_next_pulse),
        cmocka_unit_test(work_goes_on_at_the_other_rate),
        cmocka_unit_test(streams_end),
        cmocka_unit_test(bursts),
    };
    return cmocka_run_group_tests_name("traffic_pulses", tests, NULL, NULL);
}
