/* Series of a report, however long they are and however their run ended; and the CSV files of a run
 * and of verdicts, cell by cell. */
#include "report_run_fixture.h"

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

/* Up to 1200 points are drawn; of more samples neighbours are averaged, the last ones too. In
 * ms. */
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

/* The time of a bin follows from the sample: also if the last one is cut short, if the run went on
 * to drain after the last bin, or if it was stopped: then there is nothing behind the stop. In
 * us. */
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
        "throughput/u/7",      "throughput/u/190",    "throughput/lone"};
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

/* Further series: one figure for all of a kind, in the order of their numbers; of 30 those 24 that change most. */
static void further_series(void **state)
{
    enum { PORTS = 30, ALL = PORTS + 4, BINS = 10 };
    static const cop_series others[] = {{.name = "births/latency", .unit = "ns"},
                                        {.name = "births/misrouted", .unit = "%"},
                                        {.name = "births/packets", .unit = "packets"},
                                        {.name = "queue/s1.2", .unit = "bytes"}};
    cop_result res = small_run();
    res.n_series = ALL;
    res.series = COP_NEW_ARRAY(&res.arena, cop_series, ALL);
    for (size_t i = 0; i < ALL; i++) {
        res.series[i] =
            i < PORTS
                ? (cop_series){.name = cop_arena_printf(&res.arena, "p_min/s0.%zu", i), .unit = "%"}
                : others[i - PORTS];
        res.series[i].n = BINS;
        res.series[i].v = COP_NEW_ARRAY(&res.arena, double, BINS);
        res.series[i].v[BINS - 1] = i < PORTS ? (double)i : 2048.0;
    }
    cop_report *r = report_of(*state, &res);
    const json_t *f = figure_of(r, "observed-p_min"), *curves = json_object_get(f, "series");
    assert_string_equal(cop_report_get(f, "title"), "p_min over time");
    assert_non_null(strstr(cop_report_get(f, "note"), "The 24 of 30"));
    assert_int_equal(json_array_size(curves), 24);
    for (size_t i = 0; i < 24; i++) { /* s0.6 to s0.29; those before it change less */
        char name[40];
        snprintf(name, sizeof(name), "s0.%zu", i + 6);
        assert_string_equal(cop_report_get(json_array_get(curves, i), "name"), name);
    }
    f = figure_of(r, "observed-queue");
    assert_string_equal(cop_report_get(f, "title"), "queue/s1.2 over time");
    assert_true(coordinate(points_of(f, 0), BINS - 1, 1) == 2.0); /* KiB */
    assert_true(coordinate(points_of(figure_of(r, "births-latency"), 0), BINS - 1, 1) == 2.048);
    assert_true(coordinate(points_of(figure_of(r, "births-misrouted"), 0), BINS - 1, 1) == 2048);
    /* The configuration decides how births are counted; a run that drains has all packets. */
    const char *note = cop_report_get(figure_of(r, "births-latency"), "note");
    assert_non_null(strstr(note, "came into being in a sample"));
    assert_non_null(strstr(note, "as far as they have been delivered"));
    cop_report_free(r);
    const place *p = *state;
    change(p->db, "UPDATE run SET config = 'run:' || char(10) || '  drain: yes' || char(10) || "
                  "'  births: injection' || char(10)");
    r = must_read(p->db);
    note = cop_report_get(figure_of(r, "births-latency"), "note");
    assert_non_null(strstr(note, "began to leave their host in a sample"));
    assert_null(strstr(note, "delivered"));
    cop_report_free(r);
}

/* Of 30 series of which three change, only these; of 30 that all are flat, one. */
static cop_report *of_thirty(const place *p, size_t every)
{
    enum { PORTS = 30, BINS = 10 };
    cop_result res = small_run();
    res.n_series = PORTS;
    res.series = COP_NEW_ARRAY(&res.arena, cop_series, PORTS);
    for (size_t i = 0; i < PORTS; i++) {
        res.series[i] = (cop_series){
            .name = cop_arena_printf(&res.arena, "p_min/s0.%zu", i), .unit = "%", .n = BINS};
        res.series[i].v = COP_NEW_ARRAY(&res.arena, double, BINS);
        for (size_t b = 0; b < BINS; b++)
            res.series[i].v[b] = 100.0;
        res.series[i].v[BINS - 1] -= every > 0 && i % every == 7 ? 5.0 : 0.0;
    }
    return report_of(p, &res);
}

static void flat_series(void **state)
{
    cop_report *r = of_thirty(*state, 10);
    const json_t *f = figure_of(r, "observed-p_min"), *curves = json_object_get(f, "series");
    assert_int_equal(json_array_size(curves), 3);
    assert_string_equal(cop_report_get(json_array_get(curves, 0), "name"), "s0.7");
    assert_string_equal(cop_report_get(json_array_get(curves, 2), "name"), "s0.27");
    assert_string_equal(cop_report_get(f, "note"),
                        "The 3 of 30 whose values change; the others are stored.");
    cop_report_free(r);
}

static void all_flat(void **state)
{
    cop_report *r = of_thirty(*state, 0);
    const json_t *f = figure_of(r, "observed-p_min");
    assert_int_equal(json_array_size(json_object_get(f, "series")), 1);
    assert_string_equal(cop_report_get(f, "title"), "p_min/s0.0 over time");
    assert_string_equal(cop_report_get(f, "note"),
                        "None of the 30 changes; one is drawn, all are stored.");
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
                "series,time (µs),throughput "
                "(Gbit/s),ci,low,high\r\nA,5,0,,,\r\nA,15,0.5,,,\r\nB/1,5,0,,,\r\nB/1,15,1,,,\r\n"
                "B/2,5,0,,,\r\nB/2,15,1.5,,,\r\n");
    expect_file(dir, "run-1-latency.csv",
                "series,time (µs),latency (µs),ci,low,high\r\nmean latency,5,0,,,\r\nmean "
                "latency,15,0.5,,,\r\n");
    expect_file(dir, "run-1-links.csv",
                "category,series,utilisation (%),ci,low,high\r\ns1.0 → h2,utilisation,50,,,\r\n"
                "s0.2 → s1.1,utilisation,50,,,\r\ns0.10 → h1,utilisation,50,,,\r\n"
                "s0.0 → h0,utilisation,25,,,\r\ns1.1 → s0.2,utilisation,12.3456,,,\r\n");
    expect_file(dir, "run-1-queues.csv",
                "category,series,mean queue (KiB),ci,low,high\r\ns1.0 → h2,mean queue,3,,,\r\n"
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
                "explain,narrow\r\n");
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
        "id,paper,experiment,scale,where,metric,kind,expected,tolerance,state,measured,explain,"
        "narrow\r\n"
        "a,p,e,quick,\"f\r1\",\"m,n\",printed,1,5 %,pass,1.01 ± 0.1,,\r\n"
        "b,p,e,quick,\"f\n2\",\"say \"\"m\"\"\",order,> 2,,fail,1,why,\r\n"
        "c,,e,quick,,plain,own,,,not-run,run `x` has not been made,,\r\n");
    free(text);
    cop_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLACE(long_series),
        IN_PLACE(times_follow_from_the_sample),
        IN_PLACE(many_streams_are_added_up),
        IN_PLACE(further_series),
        IN_PLACE(flat_series),
        IN_PLACE(all_flat),
        IN_PLACE(csv_files_of_a_run),
        IN_PLACE(csv_of_verdicts),
    };
    return cmocka_run_group_tests_name("report_series", tests, NULL, NULL);
}
