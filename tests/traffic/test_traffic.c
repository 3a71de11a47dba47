/* Traffic as a whole: options, entries side by side, windows of activity, patience, sources, faults. */
#include "traffic_fixture.h"

#include <stdio.h>

static void option_table(void **state)
{
    (void)state;
    cop_arena arena = {0};
    cop_traffic_cfg cfg = {0};
    cop_opt_defaults(cop_traffic_opts, &cfg, &arena);
    assert_int_equal(cfg.pattern, COP_PATTERN_UNIFORM);
    assert_int_equal(cfg.stop_ps, COP_NEVER);
    assert_int_equal(cfg.message_bytes, 4096);
    for (const cop_opt *o = cop_traffic_opts; o->type != COP_OPT_END; o++) {
        assert_ptr_equal(cop_opt_find(cop_traffic_opts, o->name), o);
        assert_non_null(o->def);
        assert_true(strlen(o->help) > 10);
        /* Bounds are those of numbers; words and texts have none. */
        bool bounded =
            o->type != COP_OPT_ENUM && o->type != COP_OPT_BOOL && o->type != COP_OPT_STRING;
        assert_int_equal(o->min != 0 || o->max != 0, bounded);
    }
    const cop_opt *o = cop_opt_find(cop_traffic_opts, "pattern");
    assert_string_equal(o->names[COP_PATTERN_FOREST], "forest");
    assert_string_equal(o->names[COP_PATTERN_SHUFFLE], "perfect-shuffle");
    assert_null(o->names[COP_PATTERN_FOREST + 1]);
    o = cop_opt_find(cop_traffic_opts, "arrival");
    assert_string_equal(o->names[COP_ARRIVAL_ON_OFF], "on-off");
    cop_arena_free(&arena);
}

static void independent_entries(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "arrival=poisson; load=40 %; size_distribution=uniform; share=50 %",
        "pattern=forest; arrival=bernoulli; load=20 %; b_share=50 %",
        "pattern=uniform; arrival=poisson; load=10 %",
    };
    rig a, b;
    rig_init(&a, 30, 10 * GBIT);
    rig_init(&b, 30, 10 * GBIT);
    rig_entry(&a, texts[0]);
    rig_entry(&a, texts[1]);
    for (size_t i = 0; i < 3; i++)
        rig_entry(&b, texts[i]);
    rig_build(&a);
    rig_build(&b);
    assert_memory_equal(a.tr.role, b.tr.role, 30);
    assert_int_equal(b.tr.n_streams, a.tr.n_streams + 30);
    for (uint32_t sa = 0, sb = 0; sa < a.tr.n_streams; sa++, sb++) {
        while (b.tr.stream[sb].entry == 2)
            sb++;
        assert_int_equal(a.tr.stream[sa].host, b.tr.stream[sb].host);
        assert_int_equal(a.tr.stream[sa].part, b.tr.stream[sb].part);
        for (int i = 0; i < 50; i++) { /* b is taken later: what is offered stays the same */
            cop_msg ma = take_at(&a, sa, a.tr.stream[sa].t_next);
            cop_msg mb = take_at(&b, sb, b.tr.stream[sb].t_next + COP_MS);
            assert_true(ma.t_gen == mb.t_gen && ma.dst == mb.dst && ma.bytes == mb.bytes);
        }
    }
    rig_free(&a);
    rig_free(&b);

    rig_one(&a, 2, 10 * GBIT, "arrival=poisson; load=40 %"); /* hosts differ from each other */
    assert_int_not_equal(a.tr.stream[0].t_next, a.tr.stream[1].t_next);
    rig_free(&a);
}

static void windows(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 2, 8 * GBIT, "arrival=constant; load=100 %; message=1 kB; start=2 us; stop=5 us");
    for (cop_time t = 2; t < 5; t++)
        assert_int_equal(take_at(&r, 0, 9 * COP_US).t_gen, t * COP_US);
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER); /* 5 us is not before 5 us */
    rig_free(&r);

    rig_one(&r, 2, 8 * GBIT,
            "arrival=constant; load=100 %; message=1 kB; active=[1 us, 3 us, 6 us]; stop=8 us");
    assert_int_equal(r.tr.host_stream0[1], 2);
    assert_int_equal(take_at(&r, 0, COP_MS).t_gen, 1 * COP_US);
    assert_int_equal(take_at(&r, 0, COP_MS).t_gen, 2 * COP_US);
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER);
    assert_int_equal(take_at(&r, 1, COP_MS).t_gen, 6 * COP_US);
    assert_int_equal(take_at(&r, 1, COP_MS).t_gen, 7 * COP_US);
    assert_int_equal(r.tr.stream[1].t_next, COP_NEVER);
    rig_free(&r);

    rig_init(&r, 2, 8 * GBIT); /* saturated: generated when taken, until t_stop or the run's end */
    r.ctx.duration_ps = 9 * COP_US;
    rig_entry(&r, "active=[1 us, 3 us, 6 us, 20 us]");
    rig_build(&r);
    const cop_stream *s = r.tr.stream;
    assert_true(s[0].saturated && s[0].t_next == COP_US && s[0].t_stop == 3 * COP_US);
    assert_true(s[1].saturated && s[1].t_next == 6 * COP_US && s[1].t_stop == 9 * COP_US);
    assert_int_equal(take_at(&r, 0, 2 * COP_US).t_gen, 2 * COP_US);
    assert_int_equal(s[0].t_next, COP_US);
    take_at(&r, 0, 3 * COP_US - 2);
    assert_int_equal(s[0].t_next, COP_US); /* there is an instant left */
    take_at(&r, 0, 3 * COP_US - 1);
    assert_int_equal(s[0].t_next, COP_NEVER);
    rig_free(&r);

    /* Periods of activity draw values of their own. */
    rig_one(&r, 64, 8 * GBIT, "arrival=poisson; load=50 %; active=[0, 1 ms, 2 ms]");
    s = r.tr.stream;
    assert_int_not_equal(s[0].t_next, s[1].t_next - 2 * COP_MS);
    uint32_t same = 0;
    for (int i = 0; i < 20; i++)
        same += take_at(&r, 0, s[0].t_next).dst == take_at(&r, 1, s[1].t_next).dst;
    assert_true(same < 10);
    rig_free(&r);

    rig_one(&r, 2, 8 * GBIT, "messages=2");
    take_at(&r, 0, 5);
    assert_int_equal(r.tr.stream[0].t_next, 0);
    take_at(&r, 0, 6);
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER);
    rig_free(&r);
}

/* One message of 1000 B per 1 us. Those older than the patience are given up, not the last one. */
static void patience(void **state)
{
    (void)state;
    rig r, all;
    const char *const text = "arrival=constant; load=100 %; message=1000 B; stop=100 us";
    char patient[120];
    snprintf(patient, sizeof(patient), "%s; patience=3 us", text);
    rig_one(&r, 64, 8 * GBIT, patient);
    rig_one(&all, 64, 8 * GBIT, text);
    assert_int_equal(take_at(&r, 0, 3 * COP_US).t_gen, 0); /* in time */
    assert_int_equal(take_at(&r, 0, 20 * COP_US).t_gen, 17 * COP_US);
    assert_int_equal(r.tr.n_given_up, 16);
    for (int i = 0; i < 18; i++)
        take_at(&all, 0, 20 * COP_US);
    for (uint64_t i = 18; i < 30; i++) /* what is left is the same as without */
        assert_int_equal(take_at(&r, 0, i * COP_US).dst, take_at(&all, 0, i * COP_US).dst);
    assert_int_equal(take_at(&r, 0, COP_MS).t_gen, 99 * COP_US); /* long over: one is left */
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER);
    rig_free(&r);
    rig_free(&all);

    rig_one(&r, 2, 8 * GBIT,
            "arrival=constant; load=100 %; message=1000 B; patience=1 us; messages=5");
    assert_int_equal(take_at(&r, 0, COP_MS).t_gen, 4 * COP_US); /* given up counts as generated */
    assert_int_equal(r.tr.stream[0].t_next, COP_NEVER);
    rig_free(&r);
}

/* Hosts with a stream of entry e, as text. */
static const char *senders(const rig *r, uint32_t e, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (uint32_t s = 0; s < r->tr.n_streams; s++) {
        if (r->tr.stream[s].entry == e && used < size)
            used += (size_t)snprintf(buf + used, size - used, " %u", r->tr.stream[s].host);
    }
    return buf;
}

static void sources(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hosts;
    } cases[] = {
        {"from=all", " 0 1 2 3 4 5 6 7 8 9"},
        {"from=[0, 3,5 ]", " 0 3 5"},
        {"from=2-4", " 2 3 4"},
        {"from=0-9:4, 1", " 0 1 4 8"},
        {"from=all; except=0-7", " 8 9"},
        {"from=7,7,6-8", " 6 7 8"},
    };
    char text[128];
    rig r;
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        rig_one(&r, 10, GBIT, cases[i].text);
        assert_string_equal(senders(&r, 0, text, sizeof(text)), cases[i].hosts);
        rig_free(&r);
    }
    rig_init(&r, 10, GBIT);
    rig_entry(&r, "name=hot; from=1-8; share=25 %; pattern=all-to-one; to=9");
    rig_entry(&r, "from=rest");
    rig_entry(&r, "from=hot; start=1 ms");
    rig_build(&r);
    char hot[128];
    assert_int_equal(r.tr.n_streams, 2 + 8 + 2);
    assert_string_equal(senders(&r, 0, hot, sizeof(hot)), senders(&r, 2, text, sizeof(text)));
    assert_string_equal(r.tr.entry_name[0], "hot");
    assert_string_equal(r.tr.entry_name[1], "traffic1");
    for (uint32_t s = 0; s < r.tr.n_streams; s++)
        assert_true(s == 0 || r.tr.stream[s].host >= r.tr.stream[s - 1].host);
    rig_free(&r);
    uint32_t picked[10] = {0}; /* every host is as likely as another */
    for (uint64_t seed = 0; seed < 500; seed++) {
        rig_init(&r, 10, GBIT);
        r.ctx.seed = seed;
        rig_entry(&r, "share=30 %");
        rig_build(&r);
        assert_int_equal(r.tr.n_streams, 3);
        for (uint32_t s = 0; s < 3; s++)
            picked[r.tr.stream[s].host]++;
        rig_free(&r);
    }
    for (uint32_t h = 0; h < 10; h++)
        assert_share(picked[h], 500, 0.3);
}

static const char *where(const void *ctx, size_t entry, const char *option, char *buf, size_t size)
{
    snprintf(buf, size, "%s:%zu:%s", (const char *)ctx, entry, option);
    return buf;
}

static void errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *option, *says;
    } cases[] = {
        {"from=0-12", "from", "host 12; give hosts from 0 to 11"},
        {"from=sink", "from", "\"sink\"; write all, rest,"},
        {"from=4-2", "from", "\"4-2\""},
        {"from=3; except=1-5", "from", "no host is left"},
        {"from=0-3; share=10 %", "share", "less than half a host"},
        {"pattern=fixed; from=1", "to", "fixed needs `to`"},
        {"pattern=fixed; from=1; to=12", "to", "host 12; give one from 0 to 11"},
        {"pattern=fixed; from=1; to=x", "to", "`to` is \"x\"; write the number of a host, 0 to 11"},
        {"pattern=fixed; from=1; to=-1", "to", "write the number of a host"},
        {"pattern=fixed; from=1; to=99999999999999999999", "to", "give one from 0 to 11"},
        {"pattern=fixed; to=4", "from", "host 4 would send to itself"},
        {"pattern=all-to-one; from=4; to=4", "from", "every source would send to itself"},
        {"pattern=uniform; to=4", "to", "remove `to`"},
        {"pattern=uniform; to_list=4", "to_list", "only pattern list"},
        {"pattern=list", "to_list", "needs `to_list`"},
        {"pattern=list; to_list=[3, 12]", "to_list", "host 12; give hosts from 0 to 11"},
        {"pattern=list; to_list=[3, 3]", "to_list", "host 3 twice"},
        {"pattern=bit-reversal", "pattern",
         "to be a power of two; it is 12: change the topology or the pattern"},
        {"pattern=transpose", "pattern", "to be a square number; it is 12: change the topology or"},
        {"pattern=hot-region; region=1 %", "region", "less than half a host"},
        {"pattern=uniform; region_place=spread", "region_place", "has no hot region"},
        {"pattern=group-adversarial", "pattern", "needs groups"},
        {"pattern=group-adversarial; group_size=5", "group_size", "12 hosts do not make"},
        {"pattern=group-adversarial; group_size=4; offset=3", "offset", "own group"},
        {"pattern=forest; hotspots=13", "hotspots",
         "do not fit into 12 hosts; give at most as many"},
        {"pattern=forest; lifetime=1 us", "lifetime", "choose a `lifetime`"},
        {"arrival=constant", "arrival", "needs a `rate`"},
        {"arrival=poisson; rate=1 Gbit/s; load=5 %", "load", "both `rate` and `load`"},
        {"rate=1 Gbit/s", "rate", "saturated sources have no `rate`"},
        {"arrival=constant; rate=10.5 Gbit/s", "rate", "host 0 can send at most 10 Gbit/s"},
        {"arrival=pulses; load=50 %; low_load=60 %; high_time=1 us; low_time=1 us", "low_load",
         "must be below `load`"},
        {"arrival=pulses; load=50 %; high_time=1 us", "low_time", "both above 0"},
        {"arrival=constant; load=50 %; low_load=1 %", "low_rate", "only `arrival` pulses"},
        {"arrival=on-off; load=50 %; on_mean=1 us", "off_mean", "both above 0"},
        {"size_distribution=uniform; size_min=5 kB", "size_min", "above `size_max`"},
        {"size_distribution=list", "sizes", "needs `sizes`"},
        {"size_distribution=list; sizes=[1, 2]; weights=3", "weights", "1 `weights` for 2 `sizes`"},
        {"size_distribution=list; sizes=5; weights=0", "weights", "all `weights` are 0"},
        {"patience=2 us", "patience", "a saturated sender has no messages that wait"},
        {"start=2 us; stop=2 us", "stop", "must come after `start`; give a later one"},
        {"active=[1 us, 3 us, 3 us]", "active", "item 3 does not come after item 2"},
        {"name=first", "name", "taken by entry 0"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        rig r;
        char place[64];
        rig_init(&r, 12, 10 * GBIT);
        r.ctx.where = where;
        r.ctx.where_ctx = "net.yaml";
        rig_entry(&r, "name=first");
        rig_entry(&r, cases[i].text);
        assert_int_equal(rig_try(&r), -COP_E_INPUT);
        snprintf(place, sizeof(place), "net.yaml:1:%s: ", cases[i].option);
        if (r.err.faults != 1 || strstr(r.err.text, cases[i].says) == NULL ||
            strncmp(r.err.text, place, strlen(place)) != 0)
            fail_msg("%s\ngives: %s", cases[i].text, r.err.text);
        assert_int_equal(r.tr.n_streams, 0);
        rig_free(&r);
    }
    rig r; /* every fault of every entry, one line each */
    rig_init(&r, 12, 10 * GBIT);
    rig_entry(&r, "from=99; pattern=fixed; sl=2");
    rig_entry(&r, "arrival=constant");
    assert_int_equal(rig_try(&r), -COP_E_INPUT);
    assert_int_equal(r.err.faults, 3);
    assert_non_null(strstr(r.err.text, "traffic[0].to: "));
    assert_non_null(strstr(r.err.text, "\ntraffic[1].arrival: "));
    rig_free(&r);
}

static void many_hosts(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 100000, 10 * GBIT,
            "pattern=forest; b_share=100 %; hotspots=64; arrival=poisson; load=9 %");
    assert_in_range(r.tr.n_streams, 200000 - 64, 200000);
    assert_int_equal(r.tr.host_stream0[100000], r.tr.n_streams);
    for (uint32_t s = 0; s < r.tr.n_streams; s++)
        take_at(&r, s, r.tr.stream[s].t_next);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(option_table), cmocka_unit_test(independent_entries),
        cmocka_unit_test(windows),      cmocka_unit_test(patience),
        cmocka_unit_test(sources),      cmocka_unit_test(errors),
        cmocka_unit_test(many_hosts),
    };
    return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
