/* Studies without simulating: reader, plan, expressions, verdicts, figures. */
#include "study_fixture.h"

#include <jansson.h>

#define HEAD "experiment: e\nbase: base.yaml\n"

/* -- the reader -- */

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
        {HEAD "seeds: 0\n", "study.yaml:3:8", "1 to 1000"},
        {HEAD "seeds: {a: 1}\n", "study.yaml:3:8", "1 to 1000"},
        {HEAD "seeds: []\n", "study.yaml:3:8", "1 to 1000"},
        {HEAD "seeds: [1, x]\n", "study.yaml:3:12", "whole number"},
        {HEAD "seeds: [4, 2, 4]\n", "study.yaml:3:15", "twice"},
        {HEAD "set: {switch.bufer: 1 KiB}\n", "study.yaml:1:1", "did you mean `buffer`"},
        {HEAD "set: 3\n", "study.yaml:3:6", "not a map"},
        {HEAD "vary: [1]\n", "study.yaml:3:7", "not a map"},
        {HEAD "vary: {l: 3}\n", "study.yaml:3:11", "not a map"},
        {HEAD "vary: {l: {key: run.seed}}\n", "study.yaml:3:11", "without values"},
        {HEAD "vary: {l: {key: link.delay, values: []}}\n", "study.yaml:3:11", "no values"},
        {HEAD "vary: {l: {key: link.delay, values: [1 ns, 1.0 ns]}}\n", "study.yaml:3", "twice"},
        {HEAD "vary: {l: {key: link.dealy, values: [1 ns]}}\n", "run `l 1 ns`", "did you mean"},
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
        {HEAD "set: {a: &a [*a]}\n", "study.yaml:1:1", "too deep"},
    };
    stage *s = *state;
    for (size_t i = 0; i < COP_LEN(bad); i++)
        refuse(s, bad[i].text, bad[i].place, bad[i].what);
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
    refuse(s, text, "study.yaml:", "KiB");
}

/* -- the plan -- */

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

/* Numbers of an axis count if they share a unit. */
static void test_axis_numbers(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "vary: {d: {key: link.delay, values: [500 ns, 1 us]}, l: {key: traffic.0.load,"
                   " values: [0.25, 1e-1]}, t: {inf: {}, 0x10: {}, 3 us: {}}}\n",
              "full");
    const cop_block *b = s->study.block;
    assert_true(isnan(b->axis[0].value[0].number) && isnan(b->axis[0].value[1].number));
    assert_true(b->axis[1].value[0].number == 0.25 && b->axis[1].value[1].number == 0.1);
    assert_true(isnan(b->axis[2].value[0].number) && isnan(b->axis[2].value[1].number));
    assert_true(b->axis[2].value[2].number == 3.0);
}

/* -- numbers -- */

static void test_confidence(void **state)
{
    (void)state;
    const double two[] = {1, 3}, five[] = {1, 2, 3, 4, 5}, one[] = {4};
    cop_measured m = cop_measure_seeds(two, 2);
    /* t = 12.706 for one degree of freedom; sd = sqrt 2, over sqrt 2 */
    assert_true(m.mean == 2.0 && fabs(m.ci - 12.706) < 1e-9);
    m = cop_measure_seeds(five, 5);
    assert_true(fabs(m.ci - 2.776 * sqrt(2.5 / 5)) < 1e-9);
    assert_true(isnan(cop_measure_seeds(one, 1).ci));
    /* Tables: 2.0395 for 31, 2.0003 for 60, 1.9719 for 200 degrees of freedom. */
    static const struct {
        size_t n;
        double t;
    } more[] = {{32, 2.0395}, {61, 2.0003}, {201, 1.9719}};
    for (size_t i = 0; i < COP_LEN(more); i++) {
        double v[256];
        size_t n = more[i].n;
        for (size_t k = 0; k < n; k++)
            v[k] = (double)(k % 2);
        m = cop_measure_seeds(v, n);
        double sd = 0;
        for (size_t k = 0; k < n; k++)
            sd += (v[k] - m.mean) * (v[k] - m.mean);
        sd = sqrt(sd / (double)(n - 1));
        assert_true(fabs(m.ci * sqrt((double)n) / sd - more[i].t) < 2e-4);
    }
}

static bool holds(enum cop_rule rule, double low, double high, double mean, double ci, size_t n)
{
    const char *why;
    cop_item it = {.rule = rule, .low = low, .high = high};
    cop_measured m = {.mean = mean, .ci = ci, .n = n};
    return cop_item_holds(&it, &m, &why);
}

static void test_rules(void **state)
{
    (void)state;
    assert_true(holds(COP_RULE_BAND, 9, 11, 9, NAN, 1));
    assert_false(holds(COP_RULE_BAND, 9, 11, 8.999, NAN, 1));
    assert_true(holds(COP_RULE_BAND, 9, 11, 10, 1.0, 5));
    assert_false(holds(COP_RULE_BAND, 9, 11, 10, 1.1, 5)); /* too noisy */
    assert_true(holds(COP_RULE_BAND, 9, INFINITY, 10, 1, 5));
    assert_false(holds(COP_RULE_BAND, 9, INFINITY, 10, 1.1, 5));
    assert_false(holds(COP_RULE_BAND, -INFINITY, 9, 8.5, 1, 5));
    assert_false(holds(COP_RULE_BAND, 9, 11, NAN, NAN, 1));
    assert_true(holds(COP_RULE_SIGN, 0.02, INFINITY, 0.02, NAN, 1));
    assert_false(holds(COP_RULE_SIGN, 0.02, INFINITY, 0.01, NAN, 1));
    assert_true(holds(COP_RULE_SIGN, 0.02, INFINITY, 0.01, 0.005, 5));
    assert_false(holds(COP_RULE_SIGN, 0.02, INFINITY, 0.01, 0.005, 4));
    assert_false(holds(COP_RULE_SIGN, 0.02, INFINITY, 0.01, 0.01, 5));
}

/* -- expressions -- */

static void test_metrics(void **state)
{
    static const struct {
        const char *of;
        double want;
    } all[] = {
        {"r:mean('F1', '0 s', '10 ms')", 5.5},
        {"r:mean('F1')", 6.5}, /* after the warm-up of 2 ms: 3 to 10 */
        {"r:mean('throughput/F1', 0.001, 0.003)", 2.5},
        {"r:sd('F1', '0 s', '4 ms')", 1.2909944487358056},
        {"r:min('F1', '2 ms', '4 ms')", 3},
        {"r:max('F1', '2 ms', '4 ms')", 4},
        {"r:steady('F1', '0 s', '10 ms')", 7.5}, /* 4 to 10 ms: 5 to 10 */
        {"r:jitter('F1', '0 s', '4 ms')", 1.2909944487358056 / 2.5},
        {"#r:window('F1', '1 ms', '3 ms')", 2},
        {"#r:window('F1', '1.5 ms', '3.5 ms')", 1}, /* only whole bins */
        {"r:rate('F1')", 4},
        {"r:rate('F1/1')", 1},
        {"#r:rates('F1')", 2},
        {"r:delay('F1')", (10 * 100 + 30 * 200) / 40.0},
        {"r:hotspot_rate()", 1},
        {"r:other_rate()", 3},
        {"r:sent_by('C')[1]", 0.5},
        {"#r:sent_by('B')", 0},
        {"r:received(1)", 2},
        {"r:received('h2')", 4},
        {"r:total()", 7},
        {"r:per_host()", 7.0 / 3},
        {"r:treatment_variation({'F1', 'F2'}, '0 s', '4 ms')", 1.0 / 3}, /* gaps 1, 0, 1, 0 */
        {"r:share('F1', {'F1', 'F2'}, '0 s', '4 ms')", 2.5 / 5.5},
        {"r:normalised(10, '0 s', '4 ms')", 5.5 / 30},
        {"r:latency()", 2000},
        {"r:latency('max')", 3000},
        {"r:accepted(10)", 7.0 / 30},
        {"r:utilisation('s0.1')", 1},
        {"r:queue('s0.1 > h1')", 5000},
        {"#r:tree(1000)", 1},
        {"r:series('F2')[4]", 4},
        {"r:series('F1').dt", 0.001},
        {"r:scalar('events')", 1000},
        {"r:streams()[2].latency_ns", 200},
        {"r:streams()[3].dst == nil and 1 or 0", 1},
        {"r:nodes()[1].role == 'V' and 1 or 0", 1},
        {"r:ports()[2].max_queue_bytes", 9000},
        {"r:flows()[1].bytes", 4000},
        {"r:info().warmup", 0.002},
        {"r:outcome() == 'ok' and 1 or 0", 1},
        {"variance{1, 2, 3, 4}", 5.0 / 3},
        {"sd{2}", 0},
        {"min(3, 2) + min{5, 4} + max(1, 2) + max{7, 9}", 17},
        {"sum(map({1, 2}, function(v) return v * v end))", 5},
        {"jain{1, 1, 1}", 1},
        {"jain{1, 0}", 0.5},
        {"above(2, 1)", 0.5},
        {"above(1, 2)", -0.5},
        {"above(0, 0)", 0},
        {"apart(1, 2)", 0.5},
        {"falling{4, 2, 1}", 0.5},
        {"falling{4, 2, 3}", -1.0 / 3},
        {"trend({1, 2, 3}, {2, 4, 9})", 1},
        {"trend({1, 2, 3}, {9, 4, 2})", -1},
        {"trend({1, 2, 3}, {1, 1, 2})", 0.86602540378443865},
        {"inner_maximum{1, 2, 1.5}", 0.25},
        {"inner_maximum{3, 2, 1}", -1},
        {"tmax(0.5, 0.4, 0.5, 10)", 5.5},
        {"seconds('2 ms')", 0.002},
        {"twice", 14}, /* a let that uses a let, both of names that metrics use */
        {"off:rate('F1')", 4}, /* a block without axes is its run */
    };
    stage *s = *state;
    must_read(s,
              HEAD "let: {r: \"on{d = 10}\", sum: 'r:total()', twice: '2 * sum'}\n"
                   "runs: [{name: off, set: {link.delay: 99 ns}},"
                   " {name: on, vary: {d: {key: link.delay, values: [10 ns, 20 ns]}}}]\n",
              "full");
    for (size_t i = 0; i < 3; i++)
        store_point(s, i, 1, COP_OUTCOME_OK);
    find_points(s);
    cop_eval *e = cop_eval_open(&s->plan, s->store);
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    for (size_t i = 0; i < COP_LEN(all); i++) {
        /* The `let` hides the function of that name from expressions, not from metrics. */
        const char *of = strncmp(all[i].of, "sum(", 4) == 0 ? "5" : all[i].of;
        cop_expr x = {of, "here"};
        double v = NAN;
        if (cop_eval_number(e, &x, &v) != COP_EVAL_OK)
            fail_msg("%s: %s", of, cop_eval_why(e));
        if (!(fabs(v - all[i].want) <= 1e-9 * fabs(all[i].want)))
            fail_msg("%s: %.17g, not %.17g", of, v, all[i].want);
    }
    cop_eval_close(e);
}

static void test_expression_faults(void **state)
{
    static const struct {
        const char *of;
        enum cop_eval_status status;
        const char *why;
    } all[] = {
        {"r:maen('F1')", COP_EVAL_FAULT, "did you mean mean"},
        {"r:mean('F9')", COP_EVAL_FAULT, "no series `F9`"},
        {"r:mean('F1', '90 ms', '99 ms')", COP_EVAL_FAULT, "no bin"},
        {"r:rate('F9')", COP_EVAL_FAULT, "no traffic entry"},
        {"r:received(17)", COP_EVAL_FAULT, "no host"},
        {"r:queue('s9.9')", COP_EVAL_FAULT, "no port"},
        {"r:scalar('odd')", COP_EVAL_FAULT, "no scalar"},
        {"r:delay('F2')", COP_EVAL_NO_RESULT, "no packet"},
        {"r:scalar('transit_ns.mean')", COP_EVAL_NO_RESULT, "no value"},
        {"on{d = 30}:total()", COP_EVAL_FAULT, "no value 30"},
        {"on{e = 10}:total()", COP_EVAL_FAULT, "no axis `e`"},
        {"on:total()", COP_EVAL_FAULT, "several values"},
        {"on{d = 20}:total()", COP_EVAL_NO_RUN, "not been made"},
        {"late", COP_EVAL_NO_RUN, "needs a run"},
        {"stuck:total()", COP_EVAL_NO_RESULT, "deadlock"},
        {"nowhere", COP_EVAL_FAULT, "unknown name `nowhere`"},
        {"x", COP_EVAL_FAULT, "unknown name `x`"},
        {"'text'", COP_EVAL_FAULT, "not a number"},
        {"1 +", COP_EVAL_FAULT, "here: "},
        {"mean{}", COP_EVAL_FAULT, "no values"},
        {"error({})", COP_EVAL_FAULT, "here: "},
        {"r:mean('F1', '1 parsec')", COP_EVAL_FAULT, "parsec"},
    };
    stage *s = *state;
    must_read(s,
              HEAD "let: {r: \"on{d = 10}\", late: 'on{d = 20}:total()'}\n"
                   "runs: [{name: on, vary: {d: {key: link.delay, values: [10 ns, 20 ns]}}},"
                   " {name: stuck, set: {link.delay: 99 ns}}]\n",
              "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    store_point(s, 2, 1, COP_OUTCOME_DEADLOCK);
    find_points(s);
    cop_eval *e = cop_eval_open(&s->plan, s->store);
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_expr x = {all[i].of, "here"};
        double v = 0;
        enum cop_eval_status st = cop_eval_number(e, &x, &v);
        if (st != all[i].status || strstr(cop_eval_why(e), all[i].why) == NULL)
            fail_msg("%s: status %d, %s", all[i].of, (int)st, cop_eval_why(e));
    }
    /* A block is no series: its index function must not be reached without protection. */
    cop_arena a = {0};
    double *list, dt;
    size_t n;
    cop_expr x = {"on", "here"};
    assert_int_equal(cop_eval_list(e, &x, &a, &list, &n, &dt), COP_EVAL_OK);
    assert_int_equal(n, 0);
    cop_arena_free(&a);
    cop_eval_close(e);
}

/* Nothing that strangers write reaches a file, runs for long or takes much memory. */
static void test_sandbox(void **state)
{
    static const char *const hostile[] = {
        "(function() while true do end end)()",
        "(function() while true do local f = function() while true do end end f() end end)()",
        "#string.rep('x', 1e9)",
        "#string.rep('', 1e15)",
        "#string.rep(string.rep('x', 1e6), 1e6)",
        "(function() local t = {} for i = 1, 1e9 do t[i] = {} end end)()",
        "(function() local s = 'x' while true do s = s .. s end end)()",
        "(function() local function f() return 1 + f() end return f() end)()",
        "string.find(string.rep('a', 60), string.rep('a*', 20) .. 'b')",
        "('a'):rep(60):match(string.rep('a?', 30) .. 'b')",
        "table.move({}, 1, 1e15, 2)",
        "pcall(error)",
        "setmetatable({}, {})",
        "getmetatable('')",
        "_G.x",
        "os.time()",
        "io.open('/etc/passwd')",
        "require('os')",
        "load('return 1')()",
        "loadfile('/etc/passwd')",
        "dofile('/etc/passwd')",
        "debug.getinfo(1)",
        "coroutine.wrap(function() end)",
        "collectgarbage('count')",
        "print(1)",
        "math.random()",
        "string.dump(mean)",
        "\x1bLua",
        "((((((((((((((((((((((((((((((((((((((((1",
    };
    stage *s = *state;
    must_read(s, HEAD, "full");
    for (size_t i = 0; i < COP_LEN(hostile); i++) {
        cop_eval *e = cop_eval_open(&s->plan, NULL);
        cop_expr x = {hostile[i], "here"};
        double v;
        assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
        if (cop_eval_number(e, &x, &v) != COP_EVAL_FAULT)
            fail_msg("%s is not refused", hostile[i]);
        /* The state is still good for the next one. */
        cop_expr y = {"string.match('s1.2', '^(.*)%.%d+$') == 's1' and mean{1, 3}", "here"};
        assert_int_equal(cop_eval_number(e, &y, &v), COP_EVAL_OK);
        assert_true(v == 2.0);
        cop_eval_close(e);
    }
}

/* A rehearsal knows the form of every answer. */
static void test_rehearsal(void **state)
{
    static const char *const good[] = {
        "all:streams()[3].gbps",
        "all:nodes()[300].received_gbps",
        "all:info().hosts * 2",
        "all:series('anything')[40]",
        "#all:rates('F1')",
        "all:outcome() == 'ok' and 1 or 0",
        "all:ports()[1].to .. 'x' == '' and 1 or 0",
        "mean(all:window('F1', 0, 1))",
        "sum(map(all:flows(), function(f) return f.bytes end))",
    };
    static const char *const bad[] = {"all:streams()[3].gpbs", "all:info().host * 2",
                                      "all:reat('F1')"};
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_eval *e = cop_eval_open(&s->plan, NULL);
    double v;
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    for (size_t i = 0; i < COP_LEN(good); i++) {
        cop_expr x = {good[i], "here"};
        if (cop_eval_number(e, &x, &v) != COP_EVAL_OK)
            fail_msg("%s: %s", good[i], cop_eval_why(e));
    }
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        cop_expr x = {bad[i], "here"};
        assert_int_equal(cop_eval_number(e, &x, &v), COP_EVAL_FAULT);
    }
    cop_eval_close(e);
}

/* A wrong `let` is told once, however many values use it. */
static void test_faults_once(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD
              "let: {a: 'nowhere'}\nchecks: {b: {of: {of: a, min: 1}}, c: {of: {of: a, min: 1}}}\n",
              "full");
    cop_err err = {0};
    assert_int_equal(cop_study_rehearse(&s->plan, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    assert_non_null(strstr(err.text, "study.yaml:3:10: unknown name `nowhere`"));
}

/* -- verdicts, figures, storage -- */

static const char WHOLE[] = HEAD
    "title: 'T \"quoted\"'\n"
    "seeds: 2\n"
    "choices: [{what: w, why: y}]\n"
    "vary: {d: {key: link.delay, values: [10 ns, 20 ns]}, b: {key: switch.buffer, values: [8 KiB, "
    "9 KiB]}}\n"
    "checks:\n"
    "  good: {of: {of: \"all{d = 10, b = 8}:total()\", value: 8.75, tolerance: 30}}\n"
    "  noisy: {of: {of: \"all{d = 10, b = 8}:total()\", min: 8}, explain: because}\n"
    "  off: {of: {first: {of: \"all{d = 10, b = 8}:total()\", max: 8}, second: {of: '1', min: "
    "0}}}\n"
    "  stuck: {of: {of: \"all{d = 20, b = 8}:total()\", min: 0}}\n"
    "  waits: {of: {of: \"all{d = 20, b = 9}:total()\", min: 0}}\n"
    "  later: {scale: full, of: {of: '1', min: 0}}\n"
    "figures:\n"
    "  - {name: l, kind: line, over: d, x: {label: X, log: true}, y: {min: 0}, checks: [good],\n"
    "     series: [{name: 'b {s}', for: b, of: 'all{d = x, b = s}:total()'}, {name: inf, of: '1 / "
    "0'}],\n"
    "     expected: [{value: 4, tolerance: 25 %, from: 1}, {points: [[1, 2], [3, 4]], tolerance: 5 "
    "%}]}\n"
    "  - {name: t, kind: time, x: {unit: ms}, series: [{name: F, of: \"all{d = 10, b = "
    "8}:series('F1')\"}]}\n"
    "  - {name: b, kind: bar, categories: [p, q], stack: true, series: [{name: n, of: \"x == 'p' "
    "and 1 or 2\"}]}\n"
    "  - {name: h, kind: heatmap, over: [d, b], z: {label: Z}, series: [{name: n, of: 'all{d = x, "
    "b = y}:total()'}]}\n"
    "  - {name: n, kind: network, series: [{name: n, of: 'all{d = 10, b = 8}'}]}\n"
    "  - {name: c, kind: table, columns: [one, two], series:"
    " [{name: row, of: \"{1 / 3, 'a text that is longer than forty characters, é'}\"}]}\n"
    "  - {name: m, kind: time, series: [{name: F, of: \"all{d = 20, b = 9}:series('F1')\"}]}\n";

static void store_whole(stage *s)
{
    must_read(s, WHOLE, "full");
    assert_int_equal(s->plan.n_points, 8);
    for (size_t i = 0; i < 8; i++) /* (d, b) = (10, 8), (10, 9), (20, 8), (20, 9), then seed 2 */
        if (i % 4 != 3)
            store_point(s, i, i < 4 ? 1 : 1.5, i % 4 == 2 ? COP_OUTCOME_DEADLOCK : COP_OUTCOME_OK);
    find_points(s);
}

static const cop_study_verdict *verdict(const cop_study_record *r, const char *id)
{
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (strcmp(r->verdict[i].id, id) == 0)
            return &r->verdict[i];
    fail_msg("no verdict %s", id);
    return NULL;
}

static void test_verdicts(void **state)
{
    stage *s = *state;
    store_whole(s);
    cop_arena a = {0};
    cop_study_record r;
    cop_err err = {0};
    if (cop_study_evaluate(&s->plan, s->store, "cmd", &a, &r, &err) != 0)
        fail_msg("%s", err.text);
    /* 7 and 10.5: mean 8.75, interval 12.706 * 2.475 / sqrt 2 = 22.2 */
    assert_string_equal(verdict(&r, "good")->state, "pass");
    assert_string_equal(verdict(&r, "good")->measured, "8.75 ± 22");
    assert_string_equal(verdict(&r, "noisy")->state, "fail");
    assert_string_equal(verdict(&r, "noisy")->explain, "because");
    assert_non_null(strstr(verdict(&r, "noisy")->measured, "too noisy"));
    assert_string_equal(verdict(&r, "off")->state, "fail");
    assert_string_equal(verdict(&r, "off")->expected, "first at most 8; second at least 0");
    assert_string_equal(verdict(&r, "stuck")->state, "fail");
    assert_non_null(strstr(verdict(&r, "stuck")->measured, "deadlock"));
    assert_string_equal(verdict(&r, "waits")->state, "not-run");
    assert_string_equal(verdict(&r, "later")->state, "pass");
    assert_int_equal(r.runs, 6);
    assert_int_equal(r.failed, 2);
    assert_string_equal(r.point[2].outcome, "deadlock");
    assert_string_equal(r.point[2].detail, "h0 waits for h1");
    assert_string_equal(r.point[3].outcome, "missing");
    json_t *items = json_loads(verdict(&r, "off")->items, 0, NULL);
    assert_int_equal(json_array_size(items), 2);
    assert_true(json_is_false(json_object_get(json_array_get(items, 0), "pass")));
    assert_true(json_is_null(json_object_get(json_array_get(items, 0), "low")));
    json_decref(items);
    cop_arena_free(&a);
}

static json_t *spec(const cop_study_record *r, const char *name)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figure[i].name, name) == 0)
            return json_loads(r->figure[i].spec, 0, NULL);
    return NULL;
}

static double at(json_t *list, size_t i, size_t k)
{
    return json_number_value(json_array_get(json_array_get(list, i), k));
}

static json_t *in_series(json_t *o, size_t i, const char *key)
{
    return json_object_get(json_array_get(json_object_get(o, "series"), i), key);
}

static void check_line(json_t *l)
{
    json_t *series = json_object_get(l, "series"), *expected = json_object_get(l, "expected");
    assert_int_equal(json_array_size(series), 3);
    assert_string_equal(json_string_value(in_series(l, 0, "name")), "b 8 KiB");
    /* d = 20 has no result: one point */
    assert_int_equal(json_array_size(in_series(l, 0, "points")), 1);
    assert_true(at(in_series(l, 0, "points"), 0, 0) == 10 &&
                at(in_series(l, 0, "points"), 0, 1) == 8.75);
    assert_int_equal(json_array_size(in_series(l, 0, "ci")), 1);
    /* No JSON for infinity: neither a point nor an interval. */
    assert_int_equal(json_array_size(in_series(l, 2, "points")), 0);
    assert_int_equal(json_array_size(in_series(l, 2, "ci")), 0);
    assert_true(json_number_value(json_object_get(json_array_get(expected, 0), "low")) == 3.0);
    assert_true(json_number_value(json_object_get(json_array_get(expected, 0), "high")) == 5.0);
    assert_true(json_is_null(json_object_get(json_array_get(expected, 0), "to")));
    assert_true(at(json_object_get(json_array_get(expected, 1), "points"), 1, 1) == 4.0);
    assert_true(json_is_true(json_object_get(json_object_get(l, "x"), "log")));
    json_decref(l);
}

static void test_figures(void **state)
{
    stage *s = *state;
    store_whole(s);
    cop_arena a = {0};
    cop_study_record r;
    cop_err err = {0};
    assert_int_equal(cop_study_evaluate(&s->plan, s->store, "cmd", &a, &r, &err), 0);
    check_line(spec(&r, "l"));
    json_t *t = spec(&r, "t");
    assert_int_equal(json_array_size(in_series(t, 0, "points")), 10);
    assert_true(fabs(at(in_series(t, 0, "points"), 1, 0) - 1.5) <
                1e-9); /* middle of the bin, in ms */
    assert_true(at(in_series(t, 0, "points"), 1, 1) == 2.0);
    json_decref(t);
    json_t *b = spec(&r, "b");
    assert_true(json_number_value(json_array_get(in_series(b, 0, "values"), 1)) == 2.0);
    assert_true(json_is_true(json_object_get(b, "stack")));
    json_decref(b);
    json_t *h = spec(&r, "h"), *cells = json_object_get(h, "cells");
    assert_int_equal(json_array_size(cells), 2);
    assert_true(at(cells, 1, 0) == 0 && at(cells, 1, 1) == 1 && at(cells, 1, 2) == 8.75);
    json_decref(h);
    json_t *n = spec(&r, "n");
    assert_int_equal(json_array_size(json_object_get(n, "links")), 2);
    assert_true(json_number_value(
                    json_object_get(json_array_get(json_object_get(n, "links"), 0), "use")) == 0.5);
    json_decref(n);
    json_t *c = spec(&r, "c"), *row = json_array_get(json_object_get(c, "rows"), 0);
    assert_int_equal(json_array_size(row), 3);
    assert_string_equal(json_string_value(json_array_get(row, 1)), "0.33333");
    assert_string_equal(json_string_value(json_array_get(row, 2)),
                        "a text that is longer than forty characters, é");
    json_decref(c);
    assert_null(spec(&r, "m")); /* nothing to show */
    cop_arena_free(&a);
}

static void test_store_round_trip(void **state)
{
    stage *s = *state;
    store_whole(s);
    cop_arena a = {0};
    cop_study_record r, *list;
    cop_err err = {0};
    size_t n;
    assert_int_equal(cop_study_evaluate(&s->plan, s->store, "cmd", &a, &r, &err), 0);
    for (int i = 0; i < 2; i++) /* the second replaces the first */
        if (cop_store_put_study(s->store, &r, &err) != 0)
            fail_msg("%s", err.text);
    assert_int_equal(cop_store_studies(s->store, &a, &list, &n, &err), 0);
    assert_int_equal(n, 1);
    assert_string_equal(list->title, "T \"quoted\"");
    assert_int_equal(list->n_points, r.n_points);
    assert_int_equal(list->n_verdicts, r.n_verdicts);
    assert_int_equal(list->n_figures, r.n_figures);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(list->point[i].axes, r.point[i].axes);
        assert_string_equal(list->point[i].detail, r.point[i].detail);
        assert_int_equal(list->point[i].run_id, r.point[i].run_id);
    }
    for (size_t i = 0; i < r.n_figures; i++)
        assert_string_equal(list->figure[i].spec, r.figure[i].spec);
    for (size_t i = 0; i < r.n_verdicts; i++) {
        assert_string_equal(list->verdict[i].items, r.verdict[i].items);
        assert_string_equal(list->verdict[i].state, r.verdict[i].state);
    }
    cop_arena_free(&a);
}

/* A stored result comes back as it was, in the same order. */
static void test_load(void **state)
{
    stage *s = *state;
    must_read(s, HEAD, "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    find_points(s);
    cop_result r, w;
    cop_err err = {0};
    make_synthetic(&w, 1);
    assert_int_equal(cop_store_load(s->store, s->plan.point[0].run_id, &r, &err), 1);
    assert_true(r.run_hash == w.run_hash && r.sample == w.sample && r.warmup == w.warmup);
    assert_int_equal(r.n_series, 3);
    assert_int_equal(r.n_streams, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(r.stream[i].entry, w.stream[i].entry);
        assert_int_equal(r.stream[i].dst, w.stream[i].dst);
        assert_string_equal(r.node[i].name, w.node[i].name);
        assert_true(r.node[i].hotspot == w.node[i].hotspot);
    }
    assert_string_equal(r.port[1].to, "h1");
    assert_int_equal(r.flow[0].bytes, 4000);
    cop_arena_free(&r.arena);
    cop_arena_free(&w.arena);
    assert_int_equal(cop_store_load(s->store, 999, &r, &err), 0);
}

/* -- bands of the ledger -- */

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
        {"gran1-9", "'1'", "not in the ledger"},
    };
    static cop_band two[] = {{"F1", 13, 12.48, 13.52}, {"F2", 2, 1.5, INFINITY}},
                    one[] = {{"", 5, 4, 6}};
    static cop_claim claims[] = {{.id = "gran1-1", .band = two, .n_bands = 2},
                                 {.id = "gran1-2", .band = one, .n_bands = 1},
                                 {.id = "gran1-3"}};
    static cop_paper paper = {.key = "gran1", .claim = claims, .n_claims = 3};
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
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_faults),
        ON_STAGE(test_aliases),
        ON_STAGE(test_plan),
        ON_STAGE(test_scales),
        ON_STAGE(test_axis_numbers),
        cmocka_unit_test(test_confidence),
        cmocka_unit_test(test_rules),
        ON_STAGE(test_metrics),
        ON_STAGE(test_expression_faults),
        ON_STAGE(test_sandbox),
        ON_STAGE(test_rehearsal),
        ON_STAGE(test_faults_once),
        ON_STAGE(test_verdicts),
        ON_STAGE(test_figures),
        ON_STAGE(test_store_round_trip),
        ON_STAGE(test_load),
        ON_STAGE(test_bands),
    };
    return cmocka_run_group_tests_name("study", tests, NULL, NULL);
}
