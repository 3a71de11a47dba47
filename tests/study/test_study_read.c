/* Studies as files: faults with their place, axes and scales, the plan, bands of the ledger. */
#include "study_fixture.h"

#define HEAD "experiment: e\nbase: base.yaml\n"

static void refuse(stage *s, const char *text, const char *place, const char *what)
{
    if (stage_read(s, text, "full", NULL) == 0 && cop_study_rehearse(&s->plan, &s->err) == 0)
        fail_msg("accepted: %s", text);
    if (strstr(s->err.text, place) == NULL || strstr(s->err.text, what) == NULL)
        fail_msg("expected `%s` and `%s` in: %s", place, what, s->err.text);
}

static void test_faults(void **state)
{
    static const struct {
        const char *text, *place, *what;
    } bad[] = {
        {"", "study.yaml", "not a map"},
        {"a: [", "study.yaml:", "not YAML"},
        {"base: base.yaml\n", "study.yaml:1:1", "`experiment` is missing"},
        {"experiment: e\n", "study.yaml:1:1", "`base` is missing"},
        {"experiment: e\nbase: none.yaml\n", "study.yaml:2:7", "none.yaml cannot be read"},
        {"experiment: ../e\nbase: base.yaml\n", "study.yaml:1:13", "name of a file"},
        {HEAD "sedes: 3\n", "study.yaml:3:1", "did you mean `seeds`"},
        {HEAD "seeds: 2\nseeds: 3\n", "study.yaml:4:1", "`seeds` is given twice, first at"},
        {HEAD "set: {run.seed: 1, run.sample: 1 us, run.seed: 1}\n", "study.yaml:3:38",
         "`run.seed` is given twice"},
        {HEAD "seeds: 0\n", "study.yaml:3:8", "1 to 1000"},
        {HEAD "seeds: {a: 1}\n", "study.yaml:3:8", "1 to 1000"},
        {HEAD "seeds: []\n", "study.yaml:3:8", "1 to 1000"},
        {HEAD "seeds: [1, x]\n", "study.yaml:3:12", "whole number"},
        {HEAD "seeds: [4, 2, 4]\n", "study.yaml:3:15", "twice"},
        {HEAD "set: {switch.bufer: 1 KiB}\n", "study.yaml:3:7", "did you mean `buffer`"},
        {HEAD "set:\n  link.delay: 1 ns\n  switch.buffer: 1 KB\n", "study.yaml:5:3: run `all`",
         "mean `kB`"},
        {HEAD "runs: [{name: a, set: {switch.bufer: 1 KiB}}]\n", "study.yaml:3:24: run `a`",
         "did you"},
        {HEAD "vary:\n  d: {key: link.delay, values: [1 ns, 2 ns]}\n  b:\n    x: {switch.bufer: 1 "
              "KiB}\n",
         "study.yaml:6:9: run `d 1 ns, b x`", "did you mean `buffer`"},
        {HEAD "set: 3\n", "study.yaml:3:6", "not a map"},
        {HEAD "vary: [1]\n", "study.yaml:3:7", "not a map"},
        {HEAD "vary: {l: 3}\n", "study.yaml:3:11", "not a map"},
        {HEAD "vary: {l: {key: run.seed}}\n", "study.yaml:3:11", "without values"},
        {HEAD "vary: {l: {key: link.delay, values: []}}\n", "study.yaml:3:11", "no values"},
        {HEAD "vary: {l: {key: link.delay, values: [1 ns, 1.0 ns]}}\n", "study.yaml:3", "twice"},
        {HEAD "vary: {l: {key: link.dealy, values: [1 ns]}}\n", "study.yaml:3:17: run `l 1 ns`",
         "did you mean"},
        {HEAD "runs: 3\n", "study.yaml:3:7", "not a list"},
        {HEAD "runs: [{nmae: a}, {nmae: b}]\n", "study.yaml:3:9", "did you mean `name`"},
        {HEAD "runs: [{name: a}, {name: a}]\n", "study.yaml:3:19", "unique"},
        {HEAD "runs: [{name: a-b}]\n", "study.yaml:3:8", "name in expressions"},
        {HEAD "runs: [{name: a, scale: ful}]\n", "study.yaml:3:25", "neither quick nor full"},
        {HEAD "runs: [{name: end}]\n", "study.yaml:3:8", "already means"},
        {HEAD "let: {x: 1}\n", "study.yaml:3:7", "already means"},
        {HEAD "let: {all: 1}\n", "study.yaml:3:6", "block of runs and"},
        {HEAD "let: {a: ''}\n", "study.yaml:3:10", "no expression"},
        {HEAD "choices: [{what: a}]\n", "study.yaml:3:11", "`why` is missing"},
        {HEAD "checks: {a: 1}\n", "study.yaml:3:13", "nothing says what"},
        {HEAD "checks: {a: {of: {of: 1, min: 2, max: 1}}}\n", "study.yaml:3:18", "above"},
        {HEAD "checks: {a: {of: {of: 1, value: 2, max: 1}}}\n", "study.yaml:3:18", "give one"},
        {HEAD "checks: {a: {of: {of: 1, min: 2, tolerance: 1}}}\n", "study.yaml:3:18", "give one"},
        {HEAD "checks: {a: {of: {of: 1, value: 2, tolerance: -1}}}\n", "study.yaml:3:18",
         "is none"},
        {HEAD "checks: {a: {of: {of: 1, value: 2, tolerance: wide}}}\n", "study.yaml:3:18",
         "is none"},
        {HEAD "checks: {a: {of: {of: 1, rule: odd}}}\n", "study.yaml:3:32", "unknown rule"},
        {HEAD "checks: {a: {explain: 1}}\n", "study.yaml:3:13", "measures nothing"},
        {HEAD "checks: {a: {of: {of: 1, min: one}}}\n", "study.yaml:3:31", "not a number"},
        {HEAD "figures: {}\n", "study.yaml:3:10", "not a list"},
        {HEAD "figures: [{name: f, kind: pie, series: []}]\n", "study.yaml:3:11", "unknown kind"},
        {HEAD "figures: [{name: f, kind: line}]\n", "study.yaml:3:11", "no `series`"},
        {HEAD "figures: [{name: f, kind: line, series: [{name: a, of: 1}]}]\n", "study.yaml:3:11",
         "needs `over`"},
        {HEAD "figures: [{name: f, kind: bar, series: [{name: a, of: 1}]}]\n", "study.yaml:3:11",
         "need `over`"},
        {HEAD "figures: [{name: f, kind: time, series: [{name: a}]}]\n", "study.yaml:3:42",
         "no expression"},
        {HEAD "set: {a: &a [*a]}\n", "study.yaml:3:14", "an alias inside"},
    };
    stage *s = *state;
    for (size_t i = 0; i < COP_LEN(bad); i++)
        refuse(s, bad[i].text, bad[i].place, bad[i].what);
    /* What every run has is said once, what each has of its own of each. */
    refuse(s,
           HEAD "vary: {l: {key: link.dealy, values: [1 ns, 2 ns, 3 ns]}, b: {key: switch.buffer, "
                "values: [64 KiB, 32 KiB]}}\n",
           "study.yaml:3:17", "did you mean");
    assert_int_equal(s->err.faults, 1);
    refuse(s, HEAD "vary: {l: {key: link.delay, values: [1 n, 2 n, 3 ns]}}\n", "study.yaml:3:17",
           "2 n");
    assert_int_equal(s->err.faults, 2);
}

/* Two kilobytes of aliases must not become gigabytes. */
static void test_aliases(void **state)
{
    stage *s = *state;
    char text[4096];
    size_t n =
        (size_t)snprintf(text, sizeof(text), HEAD "set:\n  a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 12; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n,
                              "  a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i,
                              i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    refuse(s, text, "study.yaml:11:", "8 MiB with all aliases");
}

static void test_plan(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "seeds: [7, 3]\nset: {link.delay: 30 ns}\n"
                   "vary: {delay: {key: link.delay, values: [10 ns, 20 ns, 40 ns]}}\n"
                   "runs:\n"
                   "  - {name: off}\n"
                   "  - {name: on, set: {cc.kind: pace}, vary: {b: {small: {switch.buffer: 8 KiB},"
                   " big: {switch.buffer: 9 KiB, link.delay: 10 ns}}}}\n",
              "full");
    assert_int_equal(s->plan.per_seed, 3 + 6);
    assert_int_equal(s->plan.n_points, 18);
    assert_int_equal(s->plan.point[0].seed, 7);
    assert_int_equal(s->plan.point[9].seed, 3);
    assert_string_equal(s->plan.point[4].label, "on, delay 10 ns, b big");
    assert_string_equal(s->plan.point[4].axes,
                        "{\"run\": \"on\", \"delay\": \"10 ns\", \"b\": \"big\"}");
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 9; i++) {
            cop_point *p = &s->plan.point[k * 9 + i];
            assert_ptr_equal(cop_plan_find(&s->plan, p->block, p->value, k), p);
        }
    /* Later settings win: 20 ns and `big`, 10 ns and `big` are the same run. */
    assert_true(s->plan.point[4].config_hash == s->plan.point[6].config_hash);
    assert_true(s->plan.point[3].config_hash != s->plan.point[5].config_hash);
    /* The seed is no part of it. */
    assert_true(s->plan.point[0].config_hash == s->plan.point[9].config_hash);
}

static void test_scales(void **state)
{
    static const char text[] =
        HEAD "seeds: 2\nlet: {n: 1, m: n}\n"
             "vary: {d: {key: link.delay, values: [10 ns, 20 ns, 30 ns], quick: [20 ns]}}\n"
             "runs: [{name: a}, {name: b, scale: full}]\n"
             "checks: {c: {of: {of: \"b{d = 20}:total()\", min: 0}},"
             " d: {of: {of: \"a{d = 10}:total()\", min: 0}}}\n"
             "quick: {set: {run.duration: 1 ms, run.warmup: 0 s}, seeds: 1, let: {n: 5}}\n";
    stage *s = *state;
    must_read(s, text, "full");
    assert_int_equal(s->plan.n_points, 2 * 2 * 3);
    assert_string_equal(s->study.let[0].of.text, "1");
    must_read(s, text, "quick");
    assert_int_equal(s->plan.n_points, 1);
    assert_int_equal(s->study.n_lets, 2);
    assert_string_equal(s->study.let[0].of.text, "5");
    assert_non_null(strstr(s->plan.config, "1 ms"));
    /* What only the other scale has is missing, not wrong. */
    cop_err err = {0};
    if (cop_study_rehearse(&s->plan, &err) != 0)
        fail_msg("%s", err.text);
}

/* Numbers of an axis count in the unit of its first value, if all can be expressed in it. */
static void test_axis_numbers(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "vary: {d: {key: link.delay, values: [500 ns, 1 us]}, l: {key: traffic.0.load,"
                   " values: [0.25, 1e-1]}, t: {inf: {}, 0x10: {}, 3 us: {}}, m: {3 us: {}, 7 KiB:"
                   " {}}, s: {1 ms: {}, 700 us: {}, 50 ns: {}}}\n",
              "full");
    const cop_block *b = s->study.block;
    assert_true(b->axis[0].value[0].number == 500.0 && b->axis[0].value[1].number == 1000.0);
    assert_string_equal(b->axis[0].unit, "ns");
    assert_true(isnan(b->axis[3].value[0].number) && isnan(b->axis[3].value[1].number));
    assert_string_equal(b->axis[3].unit, "");
    assert_true(b->axis[4].value[1].number == 0.7 && b->axis[4].value[2].number == 5e-5);
    assert_true(b->axis[1].value[0].number == 0.25 && b->axis[1].value[1].number == 0.1);
    assert_true(isnan(b->axis[2].value[0].number) && isnan(b->axis[2].value[1].number));
    assert_true(b->axis[2].value[2].number == 3.0);
}

static void test_bands(void **state)
{
    static const struct {
        const char *id, *of, *what; /* what: NULL if it is to be accepted */
    } all[] = {
        {"gran1-1", "{F1: '1', F2: '1'}", NULL},
        {"gran1-1", "{F1: '1'}", "does not measure F2"},
        {"gran1-1", "{F1: {of: '1', min: 0}, F2: '1'}", "leave the bounds out"},
        {"gran1-1", "{F1: {of: '1', value: 1, tolerance: 50 %}, F2: '1'}", "leave the bounds out"},
        {"gran1-2", "'1'", NULL},
        {"gran1-2", "{of: '1', min: 0}", "does not measure its value"},
        {"gran1-3", "'1'", "nothing says what"},
        {"gran1-3", "{a: {of: '1', rule: sign}}", NULL},
        {"gran1-3", "{a: {of: '1', rule: shown}}", NULL},
        {"gran1-1", "{F1: {of: '1', rule: shown}, F2: '1'}", "leave the bounds out"},
        {"gran1-2", "{of: '1', rule: shown}", "does not measure its value"},
        {"gran1-4", "'1'", NULL}, /* nothing to be said about it */
        {"gran1-4", "{a: {of: '1', rule: shown}, b: '1'}", NULL},
        {"gran1-4", "{a: {of: '1', min: 0}}", "is shown"},
        {"gran1-4", "{a: {of: '1', rule: sign}}", "is shown"},
        {"gran1-9", "'1'", "not in the ledger"},
    };
    static cop_band two[] = {{"F1", 13, 12.48, 13.52}, {"F2", 2, 1.5, INFINITY}},
                    one[] = {{"", 5, 4, 6}};
    static cop_claim claims[] = {{.id = "gran1-1", .band = two, .n_bands = 2},
                                 {.id = "gran1-2", .band = one, .n_bands = 1},
                                 {.id = "gran1-3"},
                                 {.id = "gran1-4", .shown = true}};
    static cop_paper paper = {.key = "gran1", .claim = claims, .n_claims = 4};
    cop_ledger l = {.paper = &paper, .n_papers = 1};
    stage *s = *state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        char text[512];
        snprintf(text, sizeof(text), HEAD "paper: gran1\nchecks: {%s: {of: %s}}\n", all[i].id,
                 all[i].of);
        int rc = stage_read(s, text, "full", &l);
        if ((rc == 0) != (all[i].what == NULL) ||
            (rc != 0 && strstr(s->err.text, all[i].what) == NULL))
            fail_msg("%s: %s: %d %s", all[i].id, all[i].of, rc, s->err.text);
        if (i == 0) {
            assert_true(s->study.check[0].item[0].low == 12.48);
            assert_true(s->study.check[0].item[1].high == INFINITY);
        }
        if (rc == 0 && strcmp(all[i].id, "gran1-4") == 0)
            for (size_t k = 0; k < s->study.check[0].n_items; k++) {
                const cop_item *it = &s->study.check[0].item[k];
                assert_int_equal(it->rule, COP_RULE_SHOWN);
                assert_true(isnan(it->value) && it->low == -INFINITY && it->high == INFINITY);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_faults), ON_STAGE(test_aliases),      ON_STAGE(test_plan),
        ON_STAGE(test_scales), ON_STAGE(test_axis_numbers), ON_STAGE(test_bands),
    };
    return cmocka_run_group_tests_name("study_read", tests, NULL, NULL);
}
