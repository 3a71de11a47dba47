/* Traffic at its bounds: words for hosts, sizes and weights, rates and times, each the last that is right
 * and the first that is wrong; exact times of messages across changes of rate. */
#include "traffic_fixture.h"

#include <stdio.h>

static const char *const names[] = {"alpha", "beta-2", "c d", "7", "e", "all5"};

/* Six hosts with names; a host called 7 is number 3. */
static void name_hosts(rig *r)
{
    r->topo.host_name = COP_NEW_ARRAY(&r->arena, char *, COP_LEN(names));
    for (size_t i = 0; i < COP_LEN(names); i++)
        r->topo.host_name[i] = cop_arena_strdup(&r->arena, names[i]);
}

/* The sources of the last entry, as text; or the fault. */
static const char *sources_of(const char *text, bool named)
{
    static char out[4096];
    rig r;
    size_t used = 0;
    rig_init(&r, COP_LEN(names), GBIT);
    if (named)
        name_hosts(&r);
    rig_entry(&r, "name=first; from=1-2; pattern=fixed; to=0");
    rig_entry(&r, text);
    out[0] = '\0';
    if (rig_try(&r) != 0)
        snprintf(out, sizeof(out), "%s", r.err.text);
    for (uint32_t s = 0; s < r.tr.n_streams; s++)
        if (r.tr.stream[s].entry == 1)
            used += (size_t)snprintf(out + used, sizeof(out) - used, " %u", r.tr.stream[s].host);
    rig_free(&r);
    return out;
}

static void words_for_hosts(void **state)
{
    static const struct {
        const char *text;
        bool named;
        const char *want; /* hosts, or part of the fault */
    } all[] = {
        {"from=0", false, " 0"},
        {"from=5", false, " 5"},
        {"from=6", false, "host 6; give hosts from 0 to 5"},
        {"from=0-5", false, " 0 1 2 3 4 5"},
        {"from=0-6", false, "host 6; give hosts from 0 to 5"},
        {"from=2-2", false, " 2"},
        {"from=2-1", false, "\"2-1\""},
        {"from=0-5:1", false, " 0 1 2 3 4 5"},
        {"from=0-5:5", false, " 0 5"},
        {"from=1-5:2", false, " 1 3 5"},
        {"from=0-4:6", false, " 0"},
        {"from=0-5:0", false, "\"0-5:0\""},
        {"from=0-", false, "\"0-\""},
        {"from=0-5:", false, "\"0-5:\""},
        {"from=0x", false, "\"0x\""},
        {"from=0-5x", false, "\"0-5x\""},
        {"from=-1", false, "\"-1\""},
        {"from=000000005", false, " 5"}, /* nine digits */
        {"from=0000000005", false, "\"0000000005\""},
        {"from=[ 0 ,\t3\t, ]", false, " 0 3"},
        {"from=[]", false, "no host is left"},
        {"from=all; except=1-4", false, " 0 5"},
        {"from=all; except=6", false, "host 6"},
        {"from=all; except=first", false, " 0 3 4 5"},
        {"from=first", false, " 1 2"},
        {"from=rest", false, " 0 3 4 5"},
        {"from=first, 5", false, " 1 2 5"},
        {"from=second", false, "\"second\""},
        {"from=alpha", false, "\"alpha\""},
        {"from=alpha", true, " 0"},
        {"from=[c d, beta-2]", true, " 1 2"},
        {"from=7", true, " 3"}, /* the name comes first */
        {"from=all; except=all5", true, " 0 1 2 3 4"},
        {"from=0-5:2", true, " 0 2 4"},
        {"share=8 %", false, "less than half a host"}, /* 0.48 hosts */
    };
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        const char *is = sources_of(all[i].text, all[i].named);
        bool good =
            all[i].want[0] == ' ' ? strcmp(is, all[i].want) == 0 : strstr(is, all[i].want) != NULL;
        if (!good)
            fail_msg("%s: `%s`, not `%s`", all[i].text, is, all[i].want);
    }
    /* Half a host is one. */
    rig r;
    rig_one(&r, 6, GBIT, "share=8.4 %");
    assert_int_equal(r.tr.n_streams, 1);
    rig_free(&r);
}

/* On 12 hosts of 10 Gbit/s: accepted, or refused with these words. */
static void bounds_of_options(void **state)
{
    static const struct {
        const char *text, *says; /* NULL: accepted */
    } all[] = {
        {"pattern=fixed; from=1; to=11", NULL},
        {"pattern=fixed; from=1; to=0", NULL},
        {"pattern=fixed; from=1; to=5x", "`to` is \"5x\""},
        {"pattern=fixed; from=1; to=:", "`to` is \":\""},
        {"pattern=fixed; from=1; to=/", "`to` is \"/\""},
        {"pattern=list; to_list=[11, 0]", NULL},
        {"pattern=list; to_list=4; from=4", "every source would send to itself"},
        {"pattern=list; to_list=[4, 5]; from=4", NULL},
        {"pattern=list; to_list=4; from=4; to_order=by-source", "every source would send"},
        {"pattern=group-adversarial; group_size=6", NULL},
        {"pattern=group-adversarial; group_size=12", "all 12 hosts are one"},
        {"pattern=group-adversarial; group_size=1; offset=11", NULL},
        {"pattern=group-adversarial; group_size=1; offset=12", "own group"},
        {"pattern=group-adversarial; group_size=1; offset=-12", "own group"},
        {"pattern=hot-region; region=4.2 %", NULL}, /* 0.504 hosts */
        {"pattern=hot-region; region=4.1 %", "less than half a host"},
        {"pattern=forest; hotspots=12", NULL},
        {"size_distribution=list; sizes=[1, 268435456]", NULL},
        {"size_distribution=list; sizes=[1, 2]; weights=[0, 1]", NULL},
        {"size_distribution=list; sizes=[1, 2]; weights=[4294967294, 1]", NULL},
        {"size_distribution=list; sizes=[1, 2]; weights=[4294967295, 1]", "below 2^32 in sum"},
        {"size_distribution=uniform; size_min=5 B; size_max=5 B", NULL},
        {"size_distribution=uniform; size_min=6 B; size_max=5 B", "above `size_max` 5 B"},
        {"arrival=constant; rate=10 Gbit/s", NULL},
        {"arrival=constant; load=100 %", NULL},
        {"arrival=constant; rate=10.000000001 Gbit/s", "host 0 can send at most 10 Gbit/s"},
        {"arrival=constant; rate=12 Gbit/s",
         "traffic[0].rate: `rate` is 12 Gbit/s, but host 0 can send at most 10 Gbit/s"},
        {"load=5 %", "saturated sources have no `load`"},
        {"arrival=constant; load=0.000000004 %", "less than 1 bit/s"}, /* 0.4 bit/s */
        {"arrival=constant; load=0.000000006 %", NULL},
        {"arrival=pulses; load=50 %; low_load=50 %; high_time=1 us; low_time=1 us",
         "must be below `load`"},
        {"arrival=pulses; rate=5 Gbit/s; low_rate=5 Gbit/s; high_time=1 us; low_time=1 us",
         "`low_rate` must be below `rate`, which is 5 Gbit/s at host 0"},
        {"arrival=pulses; load=50 %; low_load=49 %; high_time=1 us; low_time=1 us", NULL},
        {"arrival=pulses; load=50 %; low_load=4 %; low_rate=1 Gbit/s; high_time=1 us; low_time=1 "
         "us",
         "keep one of `low_rate` and `low_load`"},
        {"arrival=pulses; load=50 %; low_time=1 us", "`high_time` and `low_time`"},
        {"arrival=on-off; load=50 %; off_mean=1 us", "`on_mean` and `off_mean`"},
        {"arrival=on-off; load=50 %; on_mean=800 ps; off_mean=800 ps", NULL},
        {"arrival=on-off; load=50 %; on_mean=799 ps; off_mean=800 ps", "to send a byte"},
        {"arrival=poisson; load=50 %; low_rate=1 Gbit/s", "only `arrival` pulses"},
        {"start=2 us; stop=2000001 ps", NULL},
        {"active=[1 us, 1000001 ps]", NULL},
        {"active=[2 us, 1 us]", "item 2 does not come after item 1"},
    };
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        rig r;
        rig_init(&r, 12, 10 * GBIT);
        rig_entry(&r, all[i].text);
        int rc = rig_try(&r);
        if (rc != (all[i].says ? -COP_E_INPUT : 0) ||
            (rc != 0 && strstr(r.err.text, all[i].says) == NULL))
            fail_msg("%s: %d %s", all[i].text, rc, r.err.text);
        rig_free(&r);
    }
    rig r;
    rig_init(&r, 1, GBIT);
    rig_entry(&r, "from=0");
    assert_int_equal(rig_try(&r), -COP_E_INPUT);
    assert_non_null(strstr(r.err.text, "a network of one host has no traffic"));
    rig_free(&r);
}

/* Bernoulli at full load has a message of the mean size in each slot: the mean, to the picosecond.
 * 8 Gbit/s: a byte takes a nanosecond. */
static void mean_sizes(void **state)
{
    static const struct {
        const char *text;
        cop_time mean_ps;
    } all[] = {
        {"message=1000 B", 1000000},
        {"size_distribution=uniform; size_min=100 B; size_max=199 B", 149500},
        {"size_distribution=bimodal; size_small=64 B; size_large=2048 B; small_share=25 %",
         1552000},
        {"size_distribution=list; sizes=[64, 1500]", 782000},
        {"size_distribution=list; sizes=[64, 1500, 9]; weights=[1, 3, 0]", 1141000},
    };
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        rig r;
        char text[200];
        snprintf(text, sizeof(text), "arrival=bernoulli; load=100 %%; %s", all[i].text);
        rig_one(&r, 2, 8 * GBIT, text);
        for (uint64_t k = 0; k < 100; k++)
            assert_int_equal(take_at(&r, 0, COP_SECOND).t_gen, k * all[i].mean_ps);
        rig_free(&r);
    }
}

/* Sizes of a list by weight, also at its ends. */
static void weights(void **state)
{
    enum { DRAWS = 20000 };
    static const uint32_t weight[] = {1, 0, 4, 2, 3};
    (void)state;
    rig r;
    uint64_t count[5] = {0};
    rig_one(&r, 2, GBIT,
            "size_distribution=list; sizes=[10, 20, 30, 40, 50];"
            " weights=[1, 0, 4, 2, 3]");
    for (int i = 0; i < DRAWS; i++)
        count[take_at(&r, 0, 0).bytes / 10 - 1]++;
    for (int i = 0; i < 5; i++)
        assert_share(count[i], DRAWS, weight[i] / 10.0);
    rig_free(&r);
    rig_one(&r, 2, GBIT, "size_distribution=uniform; size_min=3 B; size_max=5 B");
    memset(count, 0, sizeof(count));
    for (int i = 0; i < DRAWS; i++)
        count[take_at(&r, 0, 0).bytes - 3]++;
    for (int i = 0; i < 3; i++)
        assert_share(count[i], DRAWS, 1.0 / 3);
    rig_free(&r);
}

/* Twenty hosts, each with a limit of its own: a share is one of that. */
static void rates_of_hosts(void **state)
{
    (void)state;
    rig r;
    rig_init(&r, 20, GBIT);
    for (uint32_t h = 0; h < 20; h++)
        r.inject[h] = (h % 10 + 1) * GBIT;
    rig_entry(&r, "arrival=constant; load=50 %; message=1000 B");
    rig_entry(&r, "arrival=bernoulli; load=100 %; message=500 B");
    rig_build(&r);
    for (uint32_t h = 0; h < 20; h++) {
        uint32_t s = r.tr.host_stream0[h];
        for (uint64_t k = 0; k < 20; k++) {
            assert_int_equal(take_at(&r, s, COP_SECOND).t_gen, k * 16 * COP_US / (h % 10 + 1));
            assert_int_equal(take_at(&r, s + 1, COP_SECOND).t_gen, k * 4 * COP_US / (h % 10 + 1));
        }
    }
    rig_free(&r);
}

/* Constant pulses: 8 Gbit/s for 1.5 us, 4 or 0 Gbit/s for 1 us; messages of 300 B. What has been sent is
 * 1 byte per ns, then 0.5: it decides when the next message comes, wherever the rate changes. */
static void work_goes_on_across_pulses(void **state)
{
    (void)state;
    for (uint64_t low = 0; low < 2; low++) {
        rig r;
        char text[200];
        snprintf(text, sizeof(text),
                 "arrival=pulses; rate=8 Gbit/s; low_rate=%d Gbit/s; high_time=1500 ns;"
                 " low_time=1 us; message=300 B; pulse_arrival=constant; start=10 us; stop=1 ms",
                 low ? 4 : 0);
        rig_one(&r, 2, 10 * GBIT, text);
        uint64_t period = 1500 + low * 500, n = 0;
        for (cop_time want = 0;; n++) {
            uint64_t rest = 300 * n % period;
            want = 10000 + 300 * n / period * 2500 + (rest <= 1500 ? rest : 2 * rest - 1500);
            if (want >= 1000000)
                break;
            assert_int_equal(take_at(&r, 0, COP_SECOND).t_gen, want * 1000);
        }
        assert_true(n > 1900 && r.tr.stream[0].t_next == COP_NEVER);
        rig_free(&r);
    }
}

/* Bernoulli pulses, slots of 300 ns, high 1 us, low 0.7 us: a whole slot of the high phase always has a message, one of the low
 * phase never, and one with a share of the high phase has that chance. */
static void slots_have_the_rate_of_their_phase(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 2, 8 * GBIT,
            "arrival=pulses; load=100 %; low_rate=0; high_time=1 us; low_time=700 ns;"
            " message=300 B; pulse_arrival=bernoulli; stop=5 ms");
    double wants = 0, have = 0;
    for (uint64_t t = 0; t + 300 <= 5000000; t += 300) {
        uint64_t begin = t % 1700, end = begin + 300;
        uint64_t high = begin < 1000 ? (end < 1000 ? 300 : 1000 - begin) : 0;
        high += end > 1700 ? end - 1700 : 0;
        bool has = r.tr.stream[0].t_next == t * 1000;
        if (has)
            take_at(&r, 0, COP_SECOND);
        assert_false(high == 300 && !has);
        assert_false(high == 0 && has);
        if (high > 0 && high < 300) {
            wants += (double)high / 300.0;
            have += has;
        }
    }
    if (wants < 1900 || have < wants * 0.95 || have > wants * 1.05)
        fail_msg("%g slots with a change have a message, instead of %g", have, wants);
    rig_free(&r);
}

/* Slots of 8/3 ns, three in each phase: they begin at the picosecond before, none is lost or counted
 * twice, and those of the low phase have half a chance. */
static void slots_of_broken_length(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 2, 3 * GBIT,
            "arrival=pulses; load=100 %; low_load=50 %; high_time=8 ns; low_time=8 ns;"
            " message=1 B; pulse_arrival=bernoulli; stop=64 us");
    uint64_t high = 0, low = 0, last = 0;
    while (r.tr.stream[0].t_next != COP_NEVER) {
        uint64_t t = take_at(&r, 0, COP_SECOND).t_gen, slot = (3 * t + 7999) / 8000;
        assert_int_equal(t, slot * 8000 / 3);
        assert_true(slot > last || t == 0);
        high += slot % 6 < 3;
        low += slot % 6 >= 3;
        last = slot;
    }
    assert_int_equal(high, 3 * 4000);
    assert_share(low, 3 * 4000, 0.5);
    rig_free(&r);
}

/* A first message that would come at the end or later does not come: of slots 0, 1, 2 only two count. */
static void no_message_at_the_end(void **state)
{
    (void)state;
    rig r;
    uint64_t none = 0;
    rig_one(&r, 1000, 40 * GBIT, "arrival=bernoulli; load=30 %; message=1 kB; stop=400 ns");
    for (uint32_t s = 0; s < 1000; s++) {
        cop_time t = r.tr.stream[s].t_next;
        assert_true(t == 0 || t == 200000 || t == COP_NEVER);
        none += t == COP_NEVER;
    }
    assert_share(none, 1000, 0.7 * 0.7);
    rig_free(&r);
}

/* A random phase shifts constant messages by less than the time of one, and each host by another. */
static void random_phase_is_uniform(void **state)
{
    (void)state;
    rig r;
    uint64_t early = 0;
    rig_one(&r, 400, 8 * GBIT, "arrival=bernoulli; load=100 %; message=1000 B; phase=random");
    for (uint32_t s = 0; s < 400; s++) {
        cop_time t = r.tr.stream[s].t_next;
        assert_true(t < COP_US);
        early += t < COP_US / 4;
        assert_int_equal(take_at(&r, s, t).t_gen, t);
        assert_in_range(r.tr.stream[s].t_next, t + COP_US - 1, t + COP_US + 1);
    }
    assert_share(early, 400, 0.25);
    rig_free(&r);
}

/* Exchanges: what they leave to others, and how many hosts. */
static void bounds_of_exchanges(void **state)
{
    static const struct {
        const char *text;
        uint32_t hosts;
        const char *says; /* NULL: accepted */
    } all[] = {
        {"pattern=tornado", 4, "traffic[0].pattern: an `exchange` knows who sends to whom"},
        {"arrival=poisson; load=10 %", 4, "traffic[0].arrival: an `exchange` knows when to send"},
        {"active=[1 us, 2 us]", 4, "traffic[0].active: an `exchange` has one period"},
        {"from=3", 4, "traffic[0].from: an `exchange` needs two hosts"},
        {"from=2-3", 4, NULL},
        {"exchange=grid-transpose", 7, "a product of two numbers above 1; it is 7"},
        {"exchange=grid-transpose", 3, "exchange grid-transpose needs"},
        {"exchange=grid-transpose", 4, NULL},
        {"exchange=all-pairs", 65, "64 or less; it is 65"},
        {"exchange=all-pairs", 64, NULL},
        {"exchange=natural-ring", 4096, "4096 hosts are too many for this exchange"},
        {"exchange=natural-ring", 4095, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        rig r;
        char text[100];
        rig_init(&r, all[i].hosts, GBIT);
        snprintf(text, sizeof(text), "exchange=ping-pong; %s", all[i].text);
        rig_entry(&r, text);
        int rc = rig_try(&r);
        assert_int_equal(rc, all[i].says ? -COP_E_INPUT : 0);
        if (all[i].says && strstr(r.err.text, all[i].says) == NULL)
            fail_msg("%s: %s", all[i].text, r.err.text);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_for_hosts),
        cmocka_unit_test(bounds_of_options),
        cmocka_unit_test(bounds_of_exchanges),
        cmocka_unit_test(mean_sizes),
        cmocka_unit_test(weights),
        cmocka_unit_test(rates_of_hosts),
        cmocka_unit_test(work_goes_on_across_pulses),
        cmocka_unit_test(slots_have_the_rate_of_their_phase),
        cmocka_unit_test(slots_of_broken_length),
        cmocka_unit_test(no_message_at_the_end),
        cmocka_unit_test(random_phase_is_uniform),
    };
    return cmocka_run_group_tests_name("traffic_bounds", tests, NULL, NULL);
}
