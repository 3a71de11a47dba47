/* InfiniBand congestion control: every option that is given wins over every preset, and changes what it
 * names and nothing else. 32 hosts, packets of 2048 bytes, buffers of 64 KiB. */
#include "ibcc_fixture.h"

#include "net_fixture.h"

#include <string.h>

static void set(ibcc_cfg *cfg, const char *name, const char *text, cop_arena *arena)
{
    cop_err err = {0};
    cop_where at = {"test.yaml", 1, 1};
    const cop_opt *o = cop_opt_find(ibcc_opts, name);
    assert_non_null(o);
    if (cop_opt_parse(o, cfg, text, arena, &at, &err) != 0)
        fail_msg("%s", err.text);
}

/* All fields as numbers, so that what differs can be told. */
enum {
    SHARE,
    BYTES,
    REFERENCE,
    HYSTERESIS,
    BELOW,
    GAP,
    LEAST,
    INCREASE,
    LIMIT,
    MIN,
    TRIGGER,
    PERIOD,
    RESTART,
    ENTRIES,
    SHAPE,
    DELAY,
    INDEX,
    PER_SL,
    EVALUATE,
    AT_MARK,
    FIELDS
};

static void fields(const ibcc_params *p, uint64_t *v)
{
    const uint64_t all[FIELDS] = {
        [SHARE] = (uint64_t)((p->upper_share + 1.0) * 1000.0 + 0.5),
        [BYTES] = p->upper_bytes,
        [REFERENCE] = p->reference_bytes,
        [HYSTERESIS] = p->hysteresis_bytes,
        [BELOW] = p->mark_below,
        [GAP] = p->mark_gap,
        [LEAST] = p->least_bytes,
        [INCREASE] = p->increase,
        [LIMIT] = p->limit,
        [MIN] = p->min,
        [TRIGGER] = p->trigger,
        [PERIOD] = p->period_ps,
        [RESTART] = p->restart,
        [ENTRIES] = p->cct_entries,
        [SHAPE] = (uint64_t)p->cct_shape,
        [DELAY] = p->cct_delay_ps,
        [INDEX] = p->cct_index,
        [PER_SL] = p->per_sl,
        [EVALUATE] = (uint64_t)p->evaluate,
        [AT_MARK] = p->root_at_mark,
    };
    memcpy(v, all, sizeof(all));
}

/* testbed, simulator, fat-tree, pfister */
static const uint64_t presets[][FIELDS] = {
    {0,
     0,
     147456,
     6656,
     UINT64_MAX / 2,
     1,
     512,
     1,
     127,
     0,
     0,
     150 * COP_US,
     0,
     128,
     IBCC_QUADRATIC,
     7 * COP_US,
     106,
     1,
     IBCC_OUTPUT,
     0},
    {0,
     0,
     147456,
     6656,
     UINT64_MAX / 2,
     1,
     512,
     1,
     127,
     0,
     0,
     150 * COP_US,
     1,
     128,
     IBCC_QUADRATIC,
     7 * COP_US,
     106,
     0,
     IBCC_OUTPUT,
     0},
    {0, 0,   147456,         6656,        UINT64_MAX, 0, 0,           1, 127, 0, 0, 150 * COP_US,
     1, 128, IBCC_QUADRATIC, 70 * COP_US, 106,        0, IBCC_OUTPUT, 0},
    {1900, 0,           65536, 3276, UINT64_MAX,  0,        0,   5, 127,      0,
     0,    10 * COP_US, 0,     128,  IBCC_LINEAR, 21333333, 127, 0, IBCC_VOQ, 1},
};

static void presets_as_printed(void **state)
{
    (void)state;
    for (int preset = 0; preset < 4; preset++) {
        cop_arena arena = {0};
        uint64_t v[FIELDS];
        ibcc_cfg c = defaults(&arena);
        c.preset = preset;
        ibcc_params p = ibcc_resolve(&c, &facts);
        fields(&p, v);
        for (size_t f = 0; f < FIELDS; f++)
            assert_int_equal(v[f], presets[preset][f]);
        cop_arena_free(&arena);
    }
}

static const struct {
    const char *name, *text;
    int field;
    uint64_t value;
    int also; /* a field that follows, or FIELDS */
    uint64_t also_value;
} given[] = {
    {"threshold_share", "30 %", SHARE, 1300, FIELDS, 0},
    {"threshold_bytes", "5000 B", BYTES, 5000, FIELDS, 0},
    {"threshold_mtus", "4.5", BYTES, 9216, FIELDS, 0},
    {"threshold_mtus", "0.3", BYTES, 614, FIELDS, 0}, /* 614.4 */
    {"hysteresis_mtus", "3", HYSTERESIS, 6144, FIELDS, 0},
    {"hysteresis_mtus", "0", HYSTERESIS, 0, FIELDS, 0},
    {"hysteresis_mtus", "0.3", HYSTERESIS, 614, FIELDS, 0}, /* 614.4 */
    {"hysteresis_mtus", "0.7", HYSTERESIS, 1434, FIELDS, 0}, /* 1433.6 */
    {"hysteresis", "700 B", HYSTERESIS, 700, FIELDS, 0},
    {"packet_size", "3", LEAST, 192, FIELDS, 0},
    {"packet_size", "0", LEAST, 0, FIELDS, 0},
    {"marking_rate", "0", GAP, 0, BELOW, UINT64_MAX},
    {"marking_rate", "3", GAP, 3, BELOW, UINT64_MAX / 4},
    {"marking_rate", "65535", GAP, 65535, BELOW, UINT64_MAX / 65536},
    {"marking_probability", "25 %", BELOW, (uint64_t)1 << 62, FIELDS, 0},
    {"marking_probability", "100 %", BELOW, UINT64_MAX, FIELDS, 0},
    {"ccti_increase", "9", INCREASE, 9, FIELDS, 0},
    {"ccti_increase", "0", INCREASE, 0, FIELDS, 0},
    {"ccti_limit", "100", LIMIT, 100, FIELDS, 0},
    {"ccti_limit", "0", LIMIT, 0, FIELDS, 0},
    {"ccti_min", "4", MIN, 4, FIELDS, 0},
    {"trigger_threshold", "20", TRIGGER, 20, FIELDS, 0},
    {"ccti_timer", "9 us", PERIOD, 9 * COP_US, FIELDS, 0},
    {"ccti_timer_units", "7", PERIOD, 7168 * COP_NS, FIELDS, 0},
    {"timer", "restart", RESTART, 1, PER_SL, 0},
    {"timer", "free-running", RESTART, 0, PER_SL, 0},
    {"timer", "per-sl", RESTART, 0, PER_SL, 1},
    {"evaluate", "voq", EVALUATE, IBCC_VOQ, FIELDS, 0},
    {"evaluate", "output", EVALUATE, IBCC_OUTPUT, FIELDS, 0},
    {"evaluate", "contributors", EVALUATE, IBCC_CONTRIBUTORS, FIELDS, 0},
    {"root_test", "enter", AT_MARK, 0, FIELDS, 0},
    {"root_test", "mark", AT_MARK, 1, FIELDS, 0},
    {"cct_delay", "5 us", DELAY, 5 * COP_US, FIELDS, 0},
    {"cct_index", "95", INDEX, 95, FIELDS, 0},
    {"cct_shape", "linear", SHAPE, IBCC_LINEAR, FIELDS, 0},
    {"cct_shape", "quadratic", SHAPE, IBCC_QUADRATIC, FIELDS, 0},
    {"cct_times", "0 ns", SHAPE, IBCC_TIMES, FIELDS, 0},
    {"cct_encoded", "0:0", SHAPE, IBCC_ENCODED, FIELDS, 0},
};

static void what_is_given_wins(void **state)
{
    (void)state;
    for (int preset = 0; preset < 4; preset++)
        for (size_t i = 0; i < COP_LEN(given); i++) {
            cop_arena arena = {0};
            uint64_t v[FIELDS];
            ibcc_cfg c = defaults(&arena);
            c.preset = preset;
            set(&c, given[i].name, given[i].text, &arena);
            ibcc_params p = ibcc_resolve(&c, &facts);
            fields(&p, v);
            for (int f = 0; f < FIELDS; f++) {
                uint64_t want = f == given[i].field  ? given[i].value
                                : f == given[i].also ? given[i].also_value
                                                     : presets[preset][f];
                if (v[f] != want)
                    fail_msg("preset %d, %s %s: field %d is %" PRIu64 ", not %" PRIu64, preset,
                             given[i].name, given[i].text, f, v[f], want);
            }
            cop_arena_free(&arena);
        }
}

/* The reference counts for shares and weights; the table's size for its last entry. */
static void what_follows(void **state)
{
    (void)state;
    cop_arena arena = {0};
    ibcc_cfg c = defaults(&arena);
    set(&c, "threshold_reference", "10000 B", &arena);
    ibcc_params p = ibcc_resolve(&c, &facts);
    assert_int_equal(p.reference_bytes, 10000);
    assert_int_equal(ibcc_upper_of(&p, 15), 625);
    assert_int_equal(ibcc_upper_of(&p, 1), 9375);
    c.preset = IBCC_PFISTER;
    p = ibcc_resolve(&c, &facts);
    assert_int_equal(p.hysteresis_bytes, 500);
    assert_int_equal(ibcc_upper_of(&p, 15), 9000);
    set(&c, "threshold", "15", &arena); /* a weight is given: not 90 % */
    p = ibcc_resolve(&c, &facts);
    assert_int_equal(ibcc_upper_of(&p, 15), 625);
    set(&c, "cct_entries", "300", &arena);
    p = ibcc_resolve(&c, &facts);
    assert_int_equal(p.cct_entries, 300);
    assert_int_equal(p.limit, 299);
    assert_int_equal(p.cct_index, 299);
    /* A list that is longer than the table makes it longer. */
    static cop_time times[400];
    c.cct_times = (cop_times){.v = times, .n = 400};
    assert_int_equal(ibcc_resolve(&c, &facts).cct_entries, 400);
    c.cct_times.n = 300;
    assert_int_equal(ibcc_resolve(&c, &facts).cct_entries, 300);
    /* Guidelines: a sixth of the hosts, half of the hot ones, to the nearest, at least 1. */
    static const struct {
        uint32_t hosts, hot, increase;
    } guide[] = {{8, 0, 1},   {9, 0, 2},     {3, 0, 1}, {600, 2, 1},  {600, 1, 1},
                 {600, 5, 3}, {600, 0, 100}, {4, 1, 1}, {603, 0, 101}};
    for (size_t i = 0; i < COP_LEN(guide); i++) {
        cop_netinfo info = facts;
        info.n_hosts = guide[i].hosts;
        c = defaults(&arena);
        c.preset = IBCC_PFISTER;
        c.senders = guide[i].hot;
        p = ibcc_resolve(&c, &info);
        assert_int_equal(p.increase, guide[i].increase);
        uint32_t hot = guide[i].hot ? guide[i].hot : guide[i].hosts;
        assert_int_equal(p.cct_delay_ps, hot * 2 * COP_US / 3);
    }
    cop_arena_free(&arena);
}

/* What Paper II compares: a pair for the sum of an output's queues, upper 4.5 and lower 1.25 packets, or the
 * same pair for each queue; and 90 % of the capacity of each queue, as the talk has it. */
static void pairs_of_thresholds(void **state)
{
    (void)state;
    static const struct {
        const char *evaluate;
        uint32_t before, after; /* of one queue; another holds 6000 bytes */
        bool enters;
    } cases[] = {{"output", 0, 3216, false},
                 {"output", 0, 3217, true},
                 {"voq", 0, 9216, false},
                 {"voq", 0, 9217, true}};
    cop_arena arena = {0};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        ibcc_cfg c = defaults(&arena);
        set(&c, "evaluate", cases[i].evaluate, &arena);
        ibcc_params p = ibcc_resolve(&c, &facts);
        ibcc_lane l = {.upper = ibcc_upper_of(&p, 15)};
        l.lower = ibcc_lower_of(&p, l.upper);
        assert_int_equal(l.upper, 9216);
        assert_int_equal(l.lower, 2560); /* 1.25 packets */
        assert_false(ibcc_lane_fill(&l, p.evaluate, 0, 6000));
        assert_int_equal(ibcc_lane_fill(&l, p.evaluate, cases[i].before, cases[i].after),
                         cases[i].enters);
    }
    ibcc_cfg c = defaults(&arena);
    set(&c, "preset", "pfister", &arena);
    ibcc_params p = ibcc_resolve(&c, &facts);
    ibcc_lane l = {.upper = ibcc_upper_of(&p, 15)};
    l.lower = ibcc_lower_of(&p, l.upper);
    assert_false(ibcc_lane_fill(&l, p.evaluate, 0, 58982)); /* 90 % of 64 KiB */
    assert_false(ibcc_lane_fill(&l, p.evaluate, 0, 58982)); /* another queue does not add to it */
    assert_true(ibcc_lane_fill(&l, p.evaluate, 58982, 58983));
    cop_arena_free(&arena);
}

/* Thresholds and masks of ports: all, those that face hosts, single ones. Hosts 0 and 1 at switch 0, host
 * 2 at switch 1; ports of a switch: hosts first. The reference is 16000 bytes, a weight of 15 1000. */
static void ports_of_a_network(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 1 us}\n"
        "topology: {kind: chain, hosts: [2, 1]}\n"
        "switch: {buffer: 32000 B, lanes: 2}\n"
        "nic: {mtu: 1000 B}\n"
        "cc: {kind: ibcc, preset: testbed, threshold_reference: 16000 B, hysteresis: 300 B}\n"
        "traffic: [{from: [0], pattern: fixed, to: 1}]\n";
    static const struct {
        const char *set[3];
        uint32_t upper[5]; /* s0: h0, h1, trunk; s1: h2, trunk */
        const char *masked; /* of the same */
        uint32_t limit[5]; /* of inputs with starvation; 0: there is none */
    } cases[] = {
        {{"cc.threshold=12"}, {4000, 4000, 4000, 4000, 4000}, "yynyn", {0}},
        {{"cc.preset=simulator"}, {1000, 1000, 1000, 1000, 1000}, "yynyn", {0}},
        {{"cc.threshold=12", "cc.host_threshold=14"}, {2000, 2000, 4000, 2000, 4000}, "yynyn", {0}},
        {{"cc.host_threshold=0"}, {UINT32_MAX, UINT32_MAX, 1000, UINT32_MAX, 1000}, "yynyn", {0}},
        {{"cc.port_threshold=[0, 2, 1, 1, 0, 2]"}, {1000, 1000, 15000, 14000, 1000}, "yynyn", {0}},
        {{"cc.port_threshold=[0, 1, 0]", "cc.threshold_bytes=700 B"},
         {700, UINT32_MAX, 700, 700, 700},
         "yynyn",
         {0}},
        {{"cc.victim_mask=none"}, {1000, 1000, 1000, 1000, 1000}, "nnnnn", {0}},
        {{"cc.victim_mask=all"}, {1000, 1000, 1000, 1000, 1000}, "yyyyy", {0}},
        {{"cc.port_victim_mask=[0, 0, 0, 1, 1, 1]"}, {1000, 1000, 1000, 1000, 1000}, "nynyy", {0}},
        {{"cc.cs_threshold=12"},
         {1000, 1000, 1000, 1000, 1000},
         "yynyn",
         {8000, 8000, UINT32_MAX, 8000, UINT32_MAX}},
        {{"cc.cs_threshold=1", "cc.credit_mask=all"},
         {1000, 1000, 1000, 1000, 1000},
         "yynyn",
         {30000, 30000, 30000, 30000, 30000}},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(yaml, cases[i].set, cases[i].set[1] ? 2 : 1);
        const ibcc_run *run = cop_net_cc_net(&w->net);
        assert_int_equal(run->lanes, 2);
        assert_int_equal(run->input != NULL, cases[i].limit[0] != 0);
        for (uint32_t p = 0; p < 5; p++)
            for (uint32_t vl = 0; vl < 2; vl++) {
                uint32_t port = p < 3 ? cop_topo_switch_port(&w->topo, 0, p)
                                      : cop_topo_switch_port(&w->topo, 1, p - 3);
                const ibcc_lane *l = &run->lane[port * 2 + vl];
                assert_int_equal(l->upper, cases[i].upper[p]);
                if (l->upper != UINT32_MAX)
                    assert_int_equal(l->lower, cases[i].upper[p] - 300);
                assert_int_equal(l->masked, cases[i].masked[p] == 'y');
                assert_true(!l->congested && l->sum == 0);
                if (run->input)
                    assert_int_equal(run->input[port * 2 + vl].limit, cases[i].limit[p]);
            }
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_as_printed), cmocka_unit_test(what_is_given_wins),
        cmocka_unit_test(what_follows),       cmocka_unit_test(pairs_of_thresholds),
        cmocka_unit_test(ports_of_a_network),
    };
    return cmocka_run_group_tests_name("ibcc_options", tests, NULL, NULL);
}
