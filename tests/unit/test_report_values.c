/* What a report says of a run, by value: the document inside the page and the CSV files of it. The run is made
 * by hand, so every number can be worked out. */
#include "report_fixture.h"

#include <math.h>

/* 100 us in bins of 10 us, the first two of them warm-up. A sends from h0, B from h1 and h2. */
static cop_result small_run(void)
{
    static cop_hist latency, transit;
    cop_result r = {.sim_time = 100 * COP_US,
                    .warmup = 20 * COP_US,
                    .sample = 10 * COP_US,
                    .run_hash = 0xabc,
                    .packets_injected = 60,
                    .packets_delivered = 59,
                    .packets_in_flight = 1,
                    .bytes_injected = 6000,
                    .bytes_delivered = 5900,
                    .events = 700,
                    .packet_hops = 180,
                    .throughput_gbps = 2.5,
                    .throughput_total_gbps = 7.5,
                    .little_mean_in_network = 1.25,
                    .little_rate_times_latency = 1.5,
                    .cpu_seconds = 0.5,
                    .build_seconds = 0.25,
                    .peak_rss_bytes = 4096,
                    .n_hosts = 3,
                    .n_switches = 2,
                    .latency = &latency,
                    .transit = &transit};
    latency = transit = (cop_hist){0};
    cop_hist_add(&latency, 1001);
    cop_hist_add(&latency, 3001);
    cop_hist_add(&latency, 3001);
    cop_hist_add(&latency, 7001);
    r.series = COP_NEW_ARRAY(&r.arena, cop_series, 4);
    r.n_series = 4;
    static const char *const names[] = {"throughput/A", "throughput/B/1", "throughput/B/2",
                                        "network/latency"};
    for (uint32_t i = 0; i < 4; i++) {
        r.series[i] = (cop_series){names[i], i == 3 ? "ns" : "Gbit/s", 10,
                                   COP_NEW_ARRAY(&r.arena, double, 10)};
        for (uint32_t k = 0; k < 10; k++)
            r.series[i].v[k] = i == 3 ? 500.0 * k : (i + 1) * 0.5 * k;
    }
    static const cop_stream_result streams[] = {{"A", 0, 2, 900, 800, 4.5, 1500.5, 30},
                                                {"B", 1, COP_NONE, 900, 800, 1.0, 1000, 10},
                                                {"B", 2, 0, 900, 800, 2.0, 4000, 20}};
    static const cop_node_result nodes[] = {{"h0", 1, 2, 0.5, 1.0, "", 0},
                                            {"h1", 3, 4, 0.5, 1.0, "", 0},
                                            {"h2", 5, 6, 0.5, 1.0, "", 0}};
    static const cop_port_result ports[] = {
        {"s0.0", "h0", 0.25, 512, 900},   {"s0.2", "s1.1", 0.5, 2048, 4096},
        {"s1.0", "h2", 0.5, 3072, 4096},  {"s1.1", "s0.2", 0.123456, 0.4, 1},
        {"s0.10", "h1", 0.5, 2048, 2048}, {"h0", "s0.0", 0, 0, 0}};
    static const cop_scalar scalars[] = {{"fecn", "packets", 12}, {"none", "ns", NAN}};
#define TABLE(list, field, count)                                                                  \
    r.field = COP_NEW_ARRAY(&r.arena, __typeof__(*r.field), COP_LEN(list));                        \
    memcpy(r.field, list, sizeof(list));                                                           \
    r.count = COP_LEN(list)
    TABLE(streams, stream, n_streams);
    TABLE(nodes, node, n_nodes);
    TABLE(ports, port, n_ports);
    TABLE(scalars, scalar, n_scalars);
    return r;
}

static cop_report *report_of(const place *p, cop_result *r)
{
    cop_err err = {0};
    if (cop_store_run(p->db, &META, r, NULL, &err) != 0)
        fail_msg("%s", err.text);
    cop_arena_free(&r->arena);
    return must_read(p->db);
}

static cop_report *small_report(const place *p)
{
    cop_result r = small_run();
    return report_of(p, &r);
}

static const json_t *run_of(const cop_report *r)
{
    return json_array_get(json_object_get(r->doc, "runs"), 0);
}

static const json_t *figure_of(const cop_report *r, const char *name)
{
    size_t i;
    json_t *f;
    COP_EACH (json_object_get(run_of(r), "figures"), i, f)
        if (strcmp(cop_report_get(f, "name"), name) == 0)
            return f;
    fail_msg("no figure %s", name);
    return NULL;
}

/* The same values, to the ten digits that the page has; what is whole there is whole here. */
static void same_json(const json_t *is, const char *want)
{
    const size_t how = JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_REAL_PRECISION(10);
    json_error_t fault;
    json_t *w = json_loads(want, JSON_DECODE_ANY, &fault);
    if (w == NULL)
        fail_msg("%s: %s", fault.text, want);
    char *a = json_dumps(is, how), *b = json_dumps(w, how);
    assert_string_equal(a, b);
    free(a);
    free(b);
    json_decref(w);
}

static const json_t *points_of(const json_t *figure, size_t curve)
{
    return json_object_get(json_array_get(json_object_get(figure, "series"), curve), "points");
}

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
              "[{\"name\": \"s0\", \"kind\": \"switch\"}, {\"name\": \"h0\", \"kind\": \"host\"},"
              " {\"name\": \"s1\", \"kind\": \"switch\"}, {\"name\": \"h2\", \"kind\": \"host\"},"
              " {\"name\": \"h1\", \"kind\": \"host\"}]");
    same_json(json_object_get(net, "links"),
              "[[0, 1, 0.25, 512.0], [0, 2, 0.5, 2048.0], [2, 3, 0.5, 3072.0],"
              " [2, 0, 0.1235, 0.0], [0, 4, 0.5, 2048.0], [1, 0, 0.0, 0.0]]");
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

/* -- long and short series -- */

/* One series with a value per microsecond: its own number. */
static cop_result long_run(uint32_t n, cop_time sim_time)
{
    cop_result r = small_run();
    r.sample = COP_US;
    r.sim_time = sim_time;
    r.n_series = 1;
    r.series[0] = (cop_series){"throughput/A", "Gbit/s", n, COP_NEW_ARRAY(&r.arena, double, n)};
    for (uint32_t i = 0; i < n; i++)
        r.series[0].v[i] = i;
    return r;
}

static double coordinate(const json_t *points, size_t i, size_t axis)
{
    return json_number_value(json_array_get(json_array_get(points, i), axis));
}

static void expect_point(const json_t *points, size_t i, double x, double y)
{
    double is[] = {coordinate(points, i, 0), coordinate(points, i, 1)};
    if (fabs(is[0] - x) > 1e-9 * x || fabs(is[1] - y) > 1e-9 * (y + 1))
        fail_msg("point %zu is at %.10g, %.10g, not %.10g, %.10g", i, is[0], is[1], x, y);
}

/* Up to 1200 points are drawn; of more samples neighbours are averaged, the last ones too. In ms. */
static void long_series(void **state)
{
    static const struct {
        uint32_t n, points, bundle, last; /* samples in the last point */
    } sizes[] = {{1200, 1200, 1, 1}, {1201, 601, 2, 1}, {2400, 1200, 2, 2}, {2501, 834, 3, 2}};
    const place *p = *state;
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        uint32_t n = sizes[i].n, b = sizes[i].bundle, left = sizes[i].last;
        cop_result res = long_run(n, n * COP_US);
        res.series[0].v[b] = NAN; /* left out of its mean, alone it is none */
        cop_report *r = report_of(p, &res);
        const json_t *points = points_of(figure_of(r, "throughput"), 0);
        assert_int_equal(json_array_size(points), sizes[i].points);
        expect_point(points, 0, b / 2.0 / 1e3, (b - 1) / 2.0);
        if (b == 1)
            assert_true(json_is_null(json_array_get(json_array_get(points, 1), 1)));
        else
            expect_point(points, 1, 1.5 * b / 1e3, b + b / 2.0);
        expect_point(points, 2, 2.5 * b / 1e3, 2 * b + (b - 1) / 2.0);
        expect_point(points, sizes[i].points - 1, (n - left / 2.0) / 1e3, n - (left + 1) / 2.0);
        cop_report_free(r);
        unlink(p->db);
    }
}

/* The time of a bin follows from the sample: also if the last one is cut short, if the run went on to drain
 * after the last bin, or if it was stopped: then there is nothing behind the stop. In us. */
static void times_follow_from_the_sample(void **state)
{
    static const struct {
        cop_time sim_time;
        uint32_t points;
    } runs[] = {{100 * COP_US, 100}, {99500 * COP_NS, 100}, {250 * COP_US, 100}, {30 * COP_US, 30}};
    const place *p = *state;
    for (size_t i = 0; i < COP_LEN(runs); i++) {
        cop_result res = long_run(100, runs[i].sim_time);
        cop_report *r = report_of(p, &res);
        const json_t *points = points_of(figure_of(r, "throughput"), 0);
        assert_int_equal(json_array_size(points), runs[i].points);
        for (uint32_t k = 0; k < runs[i].points; k++)
            expect_point(points, k, k + 0.5, k);
        cop_report_free(r);
        unlink(p->db);
    }
}

/* More than eight streams: one curve per traffic entry, whatever numbers its streams have. */
static void many_streams_are_added_up(void **state)
{
    static const char *const names[] = {
        "throughput/ring/0",   "throughput/ring/0#2", "throughput/ring/1",
        "throughput/ring/1#2", "throughput/ring/2",   "throughput/ring/2#2",
        "throughput/u/7",      "throughput/u/10",     "throughput/lone"};
    cop_result res = small_run();
    res.n_series = COP_LEN(names);
    res.series = COP_NEW_ARRAY(&res.arena, cop_series, COP_LEN(names));
    for (size_t i = 0; i < COP_LEN(names); i++) {
        double *v = COP_NEW_ARRAY(&res.arena, double, 10);
        v[0] = (double)(1 << i);
        res.series[i] = (cop_series){names[i], "Gbit/s", 10, v};
    }
    cop_report *r = report_of(*state, &res);
    const json_t *f = figure_of(r, "throughput");
    static const char *const want[] = {"lone", "ring", "u"};
    static const double sum[] = {256, 63, 64 + 128};
    assert_int_equal(json_array_size(json_object_get(f, "series")), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(cop_report_get(json_array_get(json_object_get(f, "series"), i), "name"),
                            want[i]);
        expect_point(points_of(f, i), 0, 5, sum[i]);
        expect_point(points_of(f, i), 1, 15, 0);
    }
    cop_report_free(r);
}

/* -- CSV -- */

static void expect_file(const char *dir, const char *name, const char *want)
{
    char path[256];
    size_t n;
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    char *text = read_file(path, &n);
    assert_string_equal(text, want);
    cop_free(text);
    assert_int_equal(unlink(path), 0);
}

static void csv_files_of_a_run(void **state)
{
    const place *p = *state;
    char dir[128];
    snprintf(dir, sizeof(dir), "%s/csv", p->dir);
    cop_result res = small_run();
    for (uint32_t i = 0; i < res.n_series; i++)
        res.series[i].n = 2;
    cop_report *r = report_of(p, &res);
    cop_err err = {0};
    assert_int_equal(cop_report_save_csv(r, dir, &err), 0);
    expect_file(dir, "run-1-throughput.csv",
                "series,x,y,ci,low,high\r\nA,5,0,,,\r\nA,15,0.5,,,\r\nB/1,5,0,,,\r\nB/1,15,1,,,\r\n"
                "B/2,5,0,,,\r\nB/2,15,1.5,,,\r\n");
    expect_file(dir, "run-1-latency.csv",
                "series,x,y,ci,low,high\r\nmean latency,5,0,,,\r\nmean latency,15,0.5,,,\r\n");
    expect_file(dir, "run-1-links.csv",
                "category,series,value,ci,low,high\r\ns1.0 → h2,utilisation,50,,,\r\n"
                "s0.2 → s1.1,utilisation,50,,,\r\ns0.10 → h1,utilisation,50,,,\r\n"
                "s0.0 → h0,utilisation,25,,,\r\ns1.1 → s0.2,utilisation,12.3456,,,\r\n");
    expect_file(dir, "run-1-queues.csv",
                "category,series,value,ci,low,high\r\ns1.0 → h2,mean queue,3,,,\r\n"
                "s0.2 → s1.1,mean queue,2,,,\r\ns0.10 → h1,mean queue,2,,,\r\n"
                "s0.0 → h0,mean queue,0.5,,,\r\ns1.1 → s0.2,mean queue,0.000390625,,,\r\n");
    expect_file(dir, "run-1-entries.csv",
                "entry,streams,total Gbit/s,mean,least,most,fairness (Jain),latency µs\r\n"
                "A,1,4.5,4.5,4.5,4.5,1,1.5005\r\nB,2,3,1.5,1,2,0.9,3\r\n");
    expect_file(dir, "run-1-network.csv",
                "from,to,use,queue_bytes\r\ns0,h0,0.25,512\r\ns0,s1,0.5,2048\r\ns1,h2,0.5,3072\r\n"
                "s1,s0,0.1235,0\r\ns0,h1,0.5,2048\r\nh0,s0,0,0\r\n");
    expect_file(dir, "verdicts.csv",
                "id,paper,experiment,scale,where,metric,kind,expected,tolerance,state,measured,"
                "explain\r\n");
    char path[160];
    snprintf(path, sizeof(path), "%s/run-1-distribution.csv", dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0); /* and no others */
    cop_report_free(r);
}

/* Every verdict with every column; cells that need quotes have them, a lone CR or LF among them. */
static void csv_of_verdicts(void **state)
{
    const place *p = *state;
    static cop_study_verdict verdicts[] = {
        {"a", "p", "f\r1", "m,n", "printed", "1", "5 %", "pass", "1.01 ± 0.1", "", "[]"},
        {"b", "p", "f\n2", "say \"m\"", "order", "> 2", "", "fail", "1", "why", "[]"},
        {"c", "", "", "plain", "own", "", "", "not-run", "run `x` has not been made", "", "[]"}};
    cop_study_record e = {.name = "e",
                          .scale = "quick",
                          .title = "T",
                          .paper = "p",
                          .about = "",
                          .choices = "",
                          .config = "",
                          .command = "",
                          .inputs = "",
                          .verdict = verdicts,
                          .n_verdicts = COP_LEN(verdicts)};
    cop_store *s = must_open(p->db, true);
    cop_err err = {0};
    if (cop_store_put_study(s, &e, &err) != 0)
        fail_msg("%s", err.text);
    cop_store_close(s);
    cop_report *r = must_read(p->db);
    char *text = written(cop_report_csv_verdicts, r->doc);
    assert_string_equal(
        text,
        "id,paper,experiment,scale,where,metric,kind,expected,tolerance,state,measured,explain\r\n"
        "a,p,e,quick,\"f\r1\",\"m,n\",printed,1,5 %,pass,1.01 ± 0.1,\r\n"
        "b,p,e,quick,\"f\n2\",\"say \"\"m\"\"\",order,> 2,,fail,1,why\r\n"
        "c,,e,quick,,plain,own,,,not-run,run `x` has not been made,\r\n");
    free(text);
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
        IN_PLACE(long_series),
        IN_PLACE(times_follow_from_the_sample),
        IN_PLACE(many_streams_are_added_up),
        IN_PLACE(csv_files_of_a_run),
        IN_PLACE(csv_of_verdicts),
        IN_PLACE(histogram_comes_back_to_the_picosecond),
    };
    return cmocka_run_group_tests_name("report_values", tests, NULL, NULL);
}
