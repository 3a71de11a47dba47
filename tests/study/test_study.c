/* What becomes of the runs of a study: confidence, verdicts, figures, and all of it stored. */
#include "study_fixture.h"

#include <jansson.h>

#define HEAD "experiment: e\nbase: base.yaml\n"

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
    assert_true(holds(COP_RULE_SHOWN, -INFINITY, INFINITY, NAN, NAN, 1));
}

/* Whether seeds could turn what they give: bounds from 9 to 11, or a sign. */
static bool narrow(enum cop_rule rule, double low, double high, const double *value, size_t n)
{
    const char *why;
    cop_item it = {.rule = rule, .low = low, .high = high};
    cop_measured m = cop_measure_seeds(value, n);
    return cop_item_narrow(&it, &m, cop_item_holds(&it, &m, &why));
}

#define SEEDS(...) (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double)

static void test_narrow(void **state)
{
    (void)state;
    cop_measured m = cop_measure_seeds(SEEDS(3, -1, 2));
    assert_true(m.least == -1 && m.most == 3);
    /* Equal values are their own mean, to the last bit, whatever sums of fifths come to. */
    for (int i = 1; i < 1000; i++) {
        double v = i / 997.0;
        m = cop_measure_seeds(SEEDS(v, v, v, v, v));
        assert_true(m.mean == v && m.ci == 0.0);
    }
    assert_true(isnan(cop_measure_seeds(SEEDS(1, NAN, 1)).mean)); /* not hidden by the others */
    /* Half an interval of three equal steps of 0.1 around a mean is 0.248. */
    assert_false(narrow(COP_RULE_BAND, 9, 11, SEEDS(9.4, 9.5, 9.6)));
    assert_true(narrow(COP_RULE_BAND, 9, 11, SEEDS(9.1, 9.2, 9.3))); /* 8.95: by the interval */
    assert_true(narrow(COP_RULE_BAND, 9, 11, SEEDS(10.7, 10.8, 10.9)));
    assert_true(narrow(COP_RULE_BAND, 9, 11, SEEDS(8.7, 8.8, 8.9))); /* fails, but up to 9.05 */
    assert_false(narrow(COP_RULE_BAND, 9, 11, SEEDS(8.5, 8.6, 8.7)));
    assert_true(narrow(COP_RULE_BAND, 9, 11, SEEDS(11.1, 11.2, 11.3)));
    assert_false(narrow(COP_RULE_BAND, 9, 11, SEEDS(11.4, 11.5, 11.6)));
    assert_true(narrow(COP_RULE_BAND, 9, INFINITY, SEEDS(9, 9.2, 9.4))); /* too noisy */
    assert_false(narrow(COP_RULE_BAND, 9, INFINITY, SEEDS(9.4, 9.5, 9.6)));
    /* One of 20 seeds on the other side: the interval, 0.02, says nothing of it. */
    double many[20];
    for (size_t i = 0; i < 20; i++)
        many[i] = i == 7 ? 8.99 : 9.1;
    assert_true(narrow(COP_RULE_BAND, 9, INFINITY, many, 20));
    many[7] = 9.0;
    assert_false(narrow(COP_RULE_BAND, 9, INFINITY, many, 20));
    /* A sign: passes while some are below 0; fails while some would do alone. */
    assert_false(narrow(COP_RULE_SIGN, 0.02, INFINITY, SEEDS(0.1, 0.11, 0.12)));
    assert_true(narrow(COP_RULE_SIGN, 0.02, INFINITY, SEEDS(0.2, 0.1, -0.01)));
    assert_true(narrow(COP_RULE_SIGN, 0.02, INFINITY, SEEDS(0.0, 0.01, 0.03)));
    assert_false(narrow(COP_RULE_SIGN, 0.02, INFINITY, SEEDS(-0.12, -0.11, -0.1)));
    /* Small but clear over five seeds: no less sure for being small. */
    assert_false(narrow(COP_RULE_SIGN, 0.02, INFINITY, SEEDS(0.011, 0.012, 0.013, 0.014, 0.015)));
    /* No spread, nothing measured, nothing judged. */
    assert_false(narrow(COP_RULE_BAND, 9, 11, SEEDS(9)));
    assert_false(narrow(COP_RULE_BAND, 9, 11, SEEDS(9, 9)));
    assert_false(narrow(COP_RULE_BAND, 9, 11, SEEDS(9, INFINITY)));
    assert_false(narrow(COP_RULE_SHOWN, -INFINITY, INFINITY, SEEDS(1, 2, 3)));
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
    assert_true(at(json_object_get(n, "links"), 0, 2) == 0.5); /* from, to, use */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_confidence),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_narrow),
        ON_STAGE(test_verdicts),
        ON_STAGE(test_figures),
        ON_STAGE(test_store_round_trip),
        ON_STAGE(test_load),
    };
    return cmocka_run_group_tests_name("study", tests, NULL, NULL);
}
