/* What a report says of a run and of a study, by value: the document inside the page. */
#include "report_run_fixture.h"

/* -- the document -- */

static void head_of_a_run(void **state)
{
    cop_report *r = small_report(*state);
    json_t *run = json_copy(json_array_get(json_object_get(r->doc, "runs"), 0));
    json_object_del(run, "figures");
    json_object_del(run, "scalars");
    json_object_del(run, "stored_at");
    same_json(run, "{\"id\": 1, \"name\": \"hot-spot\","
                   " \"title\": \"a hot spot, \\\"quoted\\\" and 'quoted'\", \"version\": \"0.1\","
                   " \"command\": \"coppice run x.yaml\","
                   " \"config\": \"topology:\\n  kind: fattree\\n\", \"seed\": -7,"
                   " \"run_hash\": \"0000000000000abc\", \"outcome\": \"ok\", \"detail\": null,"
                   " \"sim_time_ns\": 100000.0, \"warmup_ns\": 20000.0, \"hosts\": 3,"
                   " \"switches\": 2}");
    json_decref(run);
    same_json(json_object_get(r->doc, "experiments"), "[]");
    assert_string_equal(cop_report_get(r->doc, "version"), "9.9");
    assert_string_equal(cop_report_get(r->doc, "database"), "r%?#.db");
    assert_string_equal(cop_report_get(r->doc, "date"), cop_report_get(run_of(r), "stored_at"));
    cop_report_free(r);
}

static void expect_scalar(const json_t *scalars, const char *name, const char *unit, double want)
{
    size_t i;
    json_t *row;
    COP_EACH (scalars, i, row) {
        if (strcmp(json_string_value(json_array_get(row, 0)), name) != 0)
            continue;
        assert_string_equal(json_string_value(json_array_get(row, 1)), unit);
        const json_t *v = json_array_get(row, 2);
        bool same =
            isnan(want) ? json_is_null(v) : fabs(json_number_value(v) - want) <= 1e-12 * fabs(want);
        if (!same)
            fail_msg("%s is %.15g", name, json_number_value(v));
        return;
    }
    fail_msg("no scalar %s", name);
}

static void scalars_of_a_run(void **state)
{
    static const struct {
        const char *name, *unit;
        double value;
    } want[] = {
        {"packets_injected", "packets", 60},
        {"packets_delivered", "packets", 59},
        {"packets_in_flight", "packets", 1},
        {"packets_lost", "packets", 0},
        {"bytes_injected", "bytes", 6000},
        {"bytes_delivered", "bytes", 5900},
        {"credits_missing", "credits", 0},
        {"throughput_gbps", "Gbit/s", 2.5},
        {"throughput_total_gbps", "Gbit/s", 7.5},
        {"latency_ns.count", "packets", 4},
        {"latency_ns.mean", "ns", (1.001 + 2 * 3.001 + 7.001) / 4},
        {"latency_ns.min", "ns", 1.001},
        {"latency_ns.max", "ns", 7.001},
        {"transit_ns.count", "packets", 0},
        {"transit_ns.mean", "ns", NAN}, /* of nothing */
        {"little.mean_in_network", "packets", 1.25},
        {"little.rate_times_latency", "packets", 1.5},
        {"sim_time_ns", "ns", 100000},
        {"events", "events", 700},
        {"packet_hops", "packets", 180},
        {"cpu_seconds", "s", 0.5},
        {"build_seconds", "s", 0.25},
        {"packet_hops_per_cpu_second", "1/s", 360},
        {"peak_rss_bytes", "bytes", 4096},
        {"fecn", "packets", 12},
        {"none", "ns", NAN},
    };
    cop_report *r = small_report(*state);
    const json_t *scalars = json_object_get(run_of(r), "scalars");
    for (size_t i = 0; i < COP_LEN(want); i++)
        expect_scalar(scalars, want[i].name, want[i].unit, want[i].value);
    cop_report_free(r);
}

static void curves_over_time(void **state)
{
    cop_report *r = small_report(*state);
    const json_t *f = figure_of(r, "throughput"), *series = json_object_get(f, "series");
    same_json(json_object_get(f, "x"), "{\"label\": \"time\", \"unit\": \"µs\", \"log\": false,"
                                       " \"min\": 0, \"max\": 100.0}");
    same_json(json_object_get(f, "y"),
              "{\"label\": \"throughput\", \"unit\": \"Gbit/s\", \"log\": false}");
    static const char *const names[] = {"A", "B/1", "B/2"};
    assert_int_equal(json_array_size(series), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(cop_report_get(json_array_get(series, i), "name"), names[i]);
        for (size_t k = 0; k < 10; k++) {
            char want[64]; /* the middle of the bin */
            snprintf(want, sizeof(want), "[%.1f, %.2f]", 10.0 * (double)k + 5,
                     (double)(i + 1) * 0.5 * (double)k);
            same_json(json_array_get(points_of(f, i), k), want);
        }
        assert_int_equal(json_array_size(points_of(f, i)), 10);
    }
    f = figure_of(r, "latency"); /* in us */
    same_json(json_array_get(points_of(f, 0), 3), "[35.0, 1.5]");
    same_json(json_object_get(f, "y"),
              "{\"label\": \"latency\", \"unit\": \"µs\", \"log\": false}");
    cop_report_free(r);
}

static void links_and_queues(void **state)
{
    cop_report *r = small_report(*state);
    /* By use; of equals the longer queue first, then by name, with numbers counted as numbers. */
    same_json(figure_of(r, "links"),
              "{\"name\": \"links\", \"title\": \"Busiest links\", \"kind\": \"bar\","
              " \"y\": {\"label\": \"utilisation\", \"unit\": \"%\", \"log\": false},"
              " \"categories\": [\"s1.0 → h2\", \"s0.2 → s1.1\", \"s0.10 → h1\", \"s0.0 → h0\","
              " \"s1.1 → s0.2\"],"
              " \"series\": [{\"name\": \"utilisation\","
              " \"values\": [50.0, 50.0, 50.0, 25.0, 12.3456]}]}");
    same_json(figure_of(r, "queues"),
              "{\"name\": \"queues\", \"title\": \"Longest queues (mean)\", \"kind\": \"bar\","
              " \"y\": {\"label\": \"mean queue\", \"unit\": \"KiB\", \"log\": false},"
              " \"categories\": [\"s1.0 → h2\", \"s0.2 → s1.1\", \"s0.10 → h1\", \"s0.0 → h0\","
              " \"s1.1 → s0.2\"],"
              " \"series\": [{\"name\": \"mean queue\","
              " \"values\": [3.0, 2.0, 2.0, 0.5, 0.000390625]}]}");
    cop_report_free(r);
}

static void entries_and_network(void **state)
{
    cop_report *r = small_report(*state);
    /* B: 1 and 2 Gbit/s; Jain's index 9 / (2 * 5); latency weighed by packets. */
    same_json(json_object_get(figure_of(r, "entries"), "rows"),
              "[[\"A\", 1, 4.5, 4.5, 4.5, 4.5, 1.0, 1.5005],"
              " [\"B\", 2, 3.0, 1.5, 1.0, 2.0, 0.9, 3.0]]");
    same_json(json_object_get(figure_of(r, "entries"), "columns"),
              "[\"entry\", \"streams\", \"total Gbit/s\", \"mean\", \"least\", \"most\","
              " \"fairness (Jain)\", \"latency µs\"]");
    const json_t *net = figure_of(r, "network");
    same_json(json_object_get(net, "nodes"),
              "[{\"name\": \"s0\", \"kind\": \"switch\"},"
              " {\"name\": \"h0\", \"kind\": \"host\", \"number\": 0},"
              " {\"name\": \"s1\", \"kind\": \"switch\"},"
              " {\"name\": \"h2\", \"kind\": \"host\", \"number\": 2},"
              " {\"name\": \"h1\", \"kind\": \"host\", \"number\": 1}]");
    same_json(json_object_get(net, "links"),
              "[[0, 1, 0.25, 512.0, 900.0, 0, null], [0, 2, 0.5, 2048.0, 4096.0, 2, 1],"
              " [2, 3, 0.5, 3072.0, 4096.0, 0, null], [2, 0, 0.1235, 0.0, 1.0, 1, 2],"
              " [0, 4, 0.5, 2048.0, 2048.0, 10, null], [1, 0, 0.0, 0.0, 0.0, null, 0]]");
    cop_report_free(r);
}

/* Bins of a histogram hold a quarter of the packets at 1 ns, half at 3 ns and a quarter at 7 ns. */
static void distribution_of_latency(void **state)
{
    cop_report *r = small_report(*state);
    const json_t *f = figure_of(r, "distribution");
    assert_int_equal(json_array_size(json_object_get(f, "series")), 1); /* transit is empty */
    static const double share[] = {0, 25, 75, 100}, at_ps[] = {1001, 1001, 3001, 7001};
    const json_t *points = points_of(f, 0);
    assert_int_equal(json_array_size(points), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *p = json_array_get(points, i);
        double us = json_number_value(json_array_get(p, 0));
        assert_true(json_number_value(json_array_get(p, 1)) == share[i]);
        /* The end of the bin, but the first point is its beginning: within the width of one. */
        assert_true(i == 0 ? us * 1e6 <= at_ps[i] : us * 1e6 > at_ps[i]);
        assert_true(fabs(us * 1e6 / at_ps[i] - 1) < 0.05);
    }
    cop_report_free(r);
}

/* All that is known of a study, as it was stored; what was JSON there is JSON here. */
static void everything_of_a_study(void **state)
{
    const place *p = *state;
    put_studies(p, 0);
    change(p->db, "UPDATE experiment SET updated_at = '2026-02-03T04:05:06Z'");
    cop_report *r = must_read(p->db);
    const json_t *es = json_object_get(r->doc, "experiments");
    assert_int_equal(json_array_size(es), 2);
    same_json(
        json_array_get(es, 0),
        "{\"name\": \"e2\", \"scale\": \"full\", \"title\": \"Second\", \"paper\": \"p\","
        " \"about\": \"\", \"config\": \"\", \"command\": \"coppice reproduce e2\","
        " \"updated_at\": \"2026-02-03T04:05:06Z\", \"seeds\": 1, \"runs\": 1,"
        " \"failed\": 0, \"choices\": [{\"what\": \"w\", \"why\": \"y\"}], \"points\": [],"
        " \"figures\": [{\"name\": \"first\", \"kind\": \"line\", \"series\": [{\"name\": \"s\","
        " \"points\": [[1, 2.5]], \"ci\": [0.5]}]}, {\"name\": \"../f/2\", \"kind\": \"table\","
        " \"columns\": [\"a\"], \"rows\": [[1]]}],"
        " \"verdicts\": [{\"id\": \"p-2\", \"paper\": \"p\", \"where\": \"fig 1\","
        " \"metric\": \"two, \\\"quoted\\\"\", \"kind\": \"printed\", \"expected\": \"2\","
        " \"tolerance\": \"5 %\", \"state\": \"fail\", \"measured\": \"3.5\","
        " \"explain\": \"for a\\nreason\", \"items\": [{\"what\": \"x\", \"value\": 3.5}]},"
        " {\"id\": \"p-10\", \"paper\": \"p\", \"where\": \"\", \"metric\": \"ten\","
        " \"kind\": \"printed\", \"expected\": \"10\", \"tolerance\": \"\", \"state\": \"pass\","
        " \"measured\": \"10.1\", \"explain\": \"\", \"narrow\": \"narrow\","
        " \"items\": [{\"narrow\": false}, {\"narrow\": true}]},"
        " {\"id\": \"p-3\", \"paper\": \"p\", \"where\": \"\","
        " \"metric\": \"thr\\u001b[31mee\", \"kind\": \"printed\", \"expected\": \"3\","
        " \"tolerance\": \"\", \"state\": \"recorded\", \"measured\": \"\", \"explain\": \"\","
        " \"items\": null},"
        " {\"id\": \"q-1\", \"paper\": \"q\", \"where\": \"\", \"metric\": \"never\","
        " \"kind\": \"order\", \"expected\": \"1\", \"tolerance\": \"\", \"state\": \"not-run\","
        " \"measured\": \"\", \"explain\": \"\", \"items\": null}]}");
    assert_string_equal(cop_report_get(r->doc, "date"), "2026-02-03T04:05:06Z");
    cop_report_free(r);
}

static void points_of_a_study(void **state)
{
    const place *p = *state;
    cop_report_free(small_report(p));
    put_studies(p, 1);
    cop_report *r = must_read(p->db);
    same_json(json_object_get(json_array_get(json_object_get(r->doc, "experiments"), 0), "points"),
              "[{\"label\": \"a\", \"seed\": 1, \"run_id\": 1, \"outcome\": \"ok\","
              " \"axes\": {\"load\": 0.5}}]");
    same_json(json_object_get(r->doc, "runs"), "[]"); /* it is one of the study's */
    cop_report_size n = cop_report_count(r);
    assert_true(n.experiments == 2 && n.checks == 4 && n.failed == 1 && n.figures == 2 &&
                n.runs == 0);
    cop_report_free(r);
}

/* -- what is read back -- */

/* Times are stored in ns; 1.001 and 7.001 have no exact binary form, and come back as whole ps. */
static void histogram_comes_back_to_the_picosecond(void **state)
{
    const place *p = *state;
    cop_report_free(small_report(p));
    cop_store *s = must_open(p->db, false);
    cop_hist h;
    cop_err err = {0};
    assert_int_equal(cop_store_hist(s, 1, "latency", &h, &err), 1);
    assert_int_equal(h.count, 4);
    assert_int_equal(h.min, 1001);
    assert_int_equal(h.max, 7001);
    assert_int_equal(h.sum_lo, 1001 + 3001 + 3001 + 7001);
    assert_int_equal(cop_store_hist(s, 1, "transit", &h, &err), 0);
    cop_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLACE(head_of_a_run),
        IN_PLACE(scalars_of_a_run),
        IN_PLACE(curves_over_time),
        IN_PLACE(links_and_queues),
        IN_PLACE(entries_and_network),
        IN_PLACE(distribution_of_latency),
        IN_PLACE(everything_of_a_study),
        IN_PLACE(points_of_a_study),
        IN_PLACE(histogram_comes_back_to_the_picosecond),
    };
    return cmocka_run_group_tests_name("report_values", tests, NULL, NULL);
}
