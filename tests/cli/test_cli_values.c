/* What the program says of a network whose every number has a closed form: as JSON, as a table, in
 * the database, as CSV and as the verdicts of a study.
 *
 * Two switches. F goes over the trunk, a packet of 2 KiB every 10 us; G stays on the first switch,
 * 1 KiB every 20 us; they share no link. Links of 10 Gbit/s (0.8 ns per byte) and 20 ns, header
 * 51.2 ns, pipeline 100 ns: F takes 2 * 171.2 + 20 + 1638.4 = 2000.8 ns, G 171.2 + 20 + 819.2 =
 * 1010.4 ns. In 1 ms come 100 and 50 packets, 80 and 40 of them after the warm-up. */
#include "program.h"

#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

static const char values[] = "name: values\n"
                             "title: Two switches\n"
                             "run: {duration: 1 ms, warmup: 200 us, sample: 100 us}\n"
                             "topology: {kind: chain, hosts: [2, 2]}\n"
                             "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                             "switch: {pipeline: 100 ns, header: 64 B, buffer: 64 KiB}\n"
                             "queueing: {kind: voqsw}\n"
                             "nic: {mtu: 2 KiB}\n"
                             "traffic:\n"
                             "  - {name: F, from: [0], pattern: fixed, to: 2, arrival: constant,"
                             " rate: 1.6384 Gbit/s, message: 2 KiB}\n"
                             "  - {name: G, from: [1], pattern: fixed, to: 0, arrival: constant,"
                             " rate: 0.4096 Gbit/s, message: 1 KiB}\n";

static int fresh(void **state)
{
    (void)state;
    prog_empty_folder();
    prog_write("values.yaml", values);
    return 0;
}

/* Compares by value, numbers to nine digits; `want` may leave members of objects out. */
static bool agrees(const json_t *is, const json_t *want)
{
    if (json_is_number(want))
        return json_is_number(is) && fabs(json_number_value(is) - json_number_value(want)) <=
                                         1e-9 * fabs(json_number_value(want));
    if (json_is_array(want)) {
        bool same = json_array_size(is) == json_array_size(want);
        for (size_t i = 0; same && i < json_array_size(want); i++)
            same = agrees(json_array_get(is, i), json_array_get(want, i));
        return same;
    }
    if (!json_is_object(want))
        return json_equal(is, want);
    void *at = json_object_iter((json_t *)(uintptr_t)want);
    for (; at != NULL; at = json_object_iter_next((json_t *)(uintptr_t)want, at))
        if (!agrees(json_object_get(is, json_object_iter_key(at)), json_object_iter_value(at)))
            return false;
    return true;
}

static void expect_json(const json_t *is, const char *want)
{
    json_t *w = json_loads(want, JSON_DECODE_ANY, NULL);
    assert_non_null(w);
    if (!agrees(is, w)) {
        char *text = json_dumps(is, JSON_ENCODE_ANY);
        fail_msg("%s\n is not %s", text, want);
    }
    json_decref(w);
}

static void test_json(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("run", "values.yaml", "--json", "--quiet");
    PROG_EXPECT(a.status == 0, a, "run --json");
    json_t *j = json_loads(a.out, JSON_REJECT_DUPLICATES, NULL);
    expect_json(j, "{\"outcome\": \"ok\", \"detail\": null, \"packets_injected\": 150,"
                   " \"packets_delivered\": 150, \"packets_in_flight\": 0, \"packets_lost\": 0,"
                   " \"throughput_gbps\": 0.512, \"throughput_total_gbps\": 2.048,"
                   " \"sim_time_ns\": 1e6, \"packet_hops\": 400,"
                   /* two thirds of the packets take 2000.8 ns, the others 1010.4 */
                   " \"latency_ns\": {\"mean\": 1670.66666666667, \"p50\": 2000.8, \"p99\": 2000.8,"
                   " \"max\": 2000.8},"
                   " \"scalars\": {\"input_sections\": 1, \"input_memory_bytes\": 65536,"
                   " \"retransmissions\": 0, \"acks\": 0, \"notifications\": 0,"
                   " \"hardware.queues_per_port\": 3, \"hardware.ram_bytes_per_port\": 65536}}");
    expect_json(json_object_get(j, "streams"),
                "[{\"entry\": \"F\", \"host\": 0, \"dst\": 2, \"gbps\": 1.6384,"
                " \"latency_mean_ns\": 2000.8, \"packets\": 80, \"sent_bytes\": 204800,"
                " \"delivered_bytes\": 204800},"
                " {\"entry\": \"G\", \"host\": 1, \"dst\": 0, \"gbps\": 0.4096,"
                " \"latency_mean_ns\": 1010.4, \"packets\": 40, \"sent_bytes\": 51200,"
                " \"delivered_bytes\": 51200}]");
    expect_json(json_object_get(j, "nodes"),
                "[{\"name\": \"h0\", \"sent_gbps\": 1.6384, \"received_gbps\": 0.4096,"
                " \"sent_bytes\": 163840, \"received_bytes\": 40960},"
                " {\"name\": \"h1\", \"sent_gbps\": 0.4096, \"received_gbps\": 0,"
                " \"sent_bytes\": 40960, \"received_bytes\": 0},"
                " {\"name\": \"h2\", \"sent_gbps\": 0, \"received_gbps\": 1.6384,"
                " \"sent_bytes\": 0, \"received_bytes\": 163840},"
                " {\"name\": \"h3\", \"sent_gbps\": 0, \"received_gbps\": 0,"
                " \"sent_bytes\": 0, \"received_bytes\": 0}]");
    json_decref(j);
}

/* What was not measured is null, as in the database. */
static void test_json_of_nothing(void **state)
{
    (void)state;
    prog_answer a =
        PROG_RUN("run", "values.yaml", "--json", "--quiet", "--set", "traffic.F.messages=1",
                 "--set", "traffic.G.messages=1", "--set", "run.warmup=900 us");
    PROG_EXPECT(a.status == 0, a, "run --json");
    json_t *j = json_loads(a.out, 0, NULL);
    expect_json(j, "{\"latency_ns\": {\"count\": 0, \"mean\": null, \"min\": null, \"p50\": null,"
                   " \"p99\": null, \"max\": null}}");
    expect_json(json_object_get(j, "streams"),
                "[{\"entry\": \"F\", \"latency_mean_ns\": null, \"packets\": 0},"
                " {\"entry\": \"G\", \"latency_mean_ns\": null, \"packets\": 0}]");
    json_decref(j);
}

static void test_json_series(void **state)
{
    (void)state;
    static const struct {
        const char *name, *unit;
        double value; /* in every bin */
    } want[] = {{"throughput/F", "Gbit/s", 1.6384},
                {"throughput/G", "Gbit/s", 0.4096},
                {"network/throughput", "Gbit/s", 2.048},
                {"network/latency", "ns", (2 * 2000.8 + 1010.4) / 3},
                {"network/packets", "packets", 0}};
    prog_answer a = PROG_RUN("run", "values.yaml", "--json", "--quiet");
    json_t *j = json_loads(a.out, 0, NULL), *series = json_object_get(j, "series");
    assert_int_equal(json_array_size(series), COP_LEN(want));
    for (size_t i = 0; i < COP_LEN(want); i++) {
        json_t *list = json_array();
        for (int k = 0; k < 10; k++)
            json_array_append_new(list, json_real(want[i].value));
        json_t *o = json_pack("{s:s, s:s, s:f, s:o}", "name", want[i].name, "unit", want[i].unit,
                              "sample_ns", 1e5, "values", list);
        if (!agrees(json_array_get(series, i), o))
            fail_msg("series %s: %s", want[i].name, a.out);
        json_decref(o);
    }
    json_decref(j);
}

static void expect_text(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no `%s` in:\n%s", part, text);
}

static void test_table(void **state)
{
    (void)state;
    static const char head[] =
        "values: Two switches\n"
        "  network      4 hosts, 2 switches: chain\n"
        "               routing minhop, queueing voqsw, cc none\n"
        "  simulated    1 ms, of which 200 us warm-up\n"
        "  packets      150 injected, 150 delivered, 0 in flight, 0 lost\n"
        "  throughput   2.05 Gbit/s in all, 1.024 per sender (2 of 4 hosts send)\n"
        "  offered      2.05 Gbit/s, accepted 2.05\n"
        "  latency      mean 1.67 us, p50 2 us, p99 2 us, max 2 us\n";
    prog_answer a = PROG_RUN("run", "values.yaml");
    assert_int_equal(strncmp(a.out, head, strlen(head)), 0);
    expect_text(a.out, " events, 400 packet-hops\n");
    /* A quarter of the rate has a quarter of the bar's 20 cells. */
    expect_text(
        a.out,
        "  flow     from -> to                  Gbit/s  share                     latency\n"
        "  F        h0 -> h2                     1.638  ####################         2 us\n"
        "  G        h1 -> h0                     0.410  #####                     1.01 us\n");
    /* 1638.4 ns in 10 us; 819.2 in 20. Of equals those of switches first, as they are numbered. */
    expect_text(a.out,
                "  busiest links                                 use   mean queue    max queue\n"
                "  s0.2 -> s1.2                               16.4 %          0 B          0 B\n"
                "  s1.0 -> h2                                 16.4 %          0 B          0 B\n"
                "  h0 -> s0.0                                 16.4 %          0 B          0 B\n"
                "  s0.0 -> h0                                  4.1 %          0 B          0 B\n"
                "  h1 -> s0.1                                  4.1 %          0 B          0 B\n");
    expect_text(a.out, "throughput over time (Gbit/s)\n");
    expect_text(a.out, "A: F  B: G  *: several\n");
    assert_null(strstr(a.out, "observed:"));
    a = PROG_RUN("run", "values.yaml", "--set", "run.observe=received/h2,received/h0");
    PROG_EXPECT(a.status == 0, a, "run that observes");
    expect_text(a.out, "observed: 2 series; --json prints them, with --db FILE they are kept\n");
}

static void expect_answer(const char *sql, const char *want)
{
    const char *is = prog_ask("v.db", sql);
    if (strcmp(is, want) != 0)
        fail_msg("%s: %s, not %s", sql, is, want);
}

static void test_database_and_csv(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("run", "values.yaml", "-q", "--db", "v.db");
    PROG_EXPECT(a.status == 0, a, "--db");
    expect_answer("SELECT name || title || outcome || hosts || switches FROM run",
                  "valuesTwo switchesok42");
    expect_answer("SELECT printf('%.6f', value) FROM scalar WHERE name = 'throughput_total_gbps'",
                  "2.048000");
    expect_answer("SELECT printf('%.3f', value) FROM scalar WHERE name = 'latency_ns.mean'",
                  "1670.667");
    expect_answer("SELECT printf('%.6f', latency_p99_ns) FROM summary", "2000.800000");
    expect_answer("SELECT count(*) FROM port", "10");
    expect_answer("SELECT printf('%.6f', sum(utilisation)) FROM port", "0.573440"); /* 3, and 2 */
    expect_answer("SELECT group_concat(entry || streams || printf('%.4f', total_gbps), ' ')"
                  " FROM entry",
                  "F11.6384 G10.4096");
    expect_answer("SELECT group_concat(name || sum, ' ') FROM (SELECT name, sum(count) AS sum"
                  " FROM hist GROUP BY name ORDER BY name)",
                  "latency120 transit120");
    a = PROG_RUN("report", "v.db", "-o", "v.html", "--csv", "csv");
    PROG_EXPECT(a.status == 0, a, "report");
    assert_string_equal(prog_slurp("csv/run-1-entries.csv"),
                        "entry,streams,total Gbit/s,mean,least,most,fairness (Jain),latency µs\r\n"
                        "F,1,1.6384,1.6384,1.6384,1.6384,1,2.0008\r\n"
                        "G,1,0.4096,0.4096,0.4096,0.4096,1,1.0104\r\n");
    assert_string_equal(prog_slurp("csv/run-1-links.csv"),
                        "category,series,utilisation (%),ci,low,high\r\n"
                        "h0 → s0.0,utilisation,16.384,,,\r\n"
                        "s0.2 → s1.2,utilisation,16.384,,,\r\n"
                        "s1.0 → h2,utilisation,16.384,,,\r\n"
                        "h1 → s0.1,utilisation,4.096,,,\r\n"
                        "s0.0 → h0,utilisation,4.096,,,\r\n");
    assert_int_equal(prog_lines(prog_slurp("csv/run-1-throughput.csv")), 1 + 2 * 10);
    expect_text(prog_slurp("csv/run-1-throughput.csv"),
                "\r\nF,0.05,1.6384,,,\r\nF,0.15,1.6384,,,\r\n");
    expect_text(prog_slurp("csv/run-1-throughput.csv"), "\r\nG,0.95,0.4096,,,\r\n");
}

/* The same in cycles of 51.2 ns and flits of 64 bytes, so that a link carries a flit in a cycle. Of a node all means of one
 * of the four hosts. */
static void test_flits_and_cycles(void **state)
{
    (void)state;
    static const char head[] =
        "  simulated    19531 cycles, of which 3906 cycles warm-up\n"
        "  packets      150 injected, 150 delivered, 0 in flight, 0 lost\n"
        "  throughput   0.0512 flit/cycle/node, 0.1024 per sender (2 of 4 hosts send)\n"
        "  offered      0.0512 flit/cycle/node, accepted 0.0512\n"
        "  latency      mean 32.63 cycles, p50 39.08 cycles, p99 39.08 cycles,\n"
        "               max 39.08 cycles\n";
    prog_answer a = PROG_RUN("run", "values.yaml", "--db", "u.db", "--set", "units.flit=64 B",
                             "--set", "units.cycle=51.2 ns");
    PROG_EXPECT(a.status == 0, a, "run with units");
    expect_text(a.out, head);
    expect_text(
        a.out,
        "  flow     from -> to              flit/cycle  share                     latency\n"
        "  F        h0 -> h2                    0.1638  #################### 39.08 cycles\n"
        "  G        h1 -> h0                    0.0410  #####                19.73 cycles\n");
    expect_text(a.out, "  s0.2 -> s1.2                               16.4 %      0 flits");
    expect_text(a.out, "throughput over time (flit/cycle/node)\n");
    expect_text(a.out, " 14648 19531 cycles\n");
    assert_null(strstr(a.out, "latency_cycles")); /* said above */
    a = PROG_RUN("report", "u.db", "--text");
    expect_text(a.out, "   cycles   flit/cycle latency cycles\n");
    expect_text(a.out, "    19531       0.0512           32.6\n");
    a = PROG_RUN("report", "u.db", "-o", "u.html", "--csv", "csv");
    PROG_EXPECT(a.status == 0, a, "report");
    assert_string_equal(
        prog_slurp("csv/run-1-entries.csv"),
        "entry,streams,total flit/cycle,mean,least,most,fairness (Jain),latency cycles\r\n"
        "F,1,0.16384,0.16384,0.16384,0.16384,1,39.078125\r\n"
        "G,1,0.04096,0.04096,0.04096,0.04096,1,19.734375\r\n");
    expect_text(prog_slurp("csv/run-1-throughput.csv"),
                "series,time (cycles),throughput (flit/cycle/node),ci,low,high\r\n"
                "F,976.5625,0.16384,,,\r\n");
    expect_text(prog_slurp("csv/run-1-latency.csv"),
                "series,time (cycles),latency (cycles),ci,low,high\r\n"
                "mean latency,976.5625,32.63");
}

/* An entry of many hosts is drawn as one of them, whether it has a series or each host its own. */
static void test_flits_of_a_node(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("run", "values.yaml", "-q", "--db", "u.db", "--set", "units.flit=64 B",
                             "--set", "units.cycle=51.2 ns", "--set", "topology.hosts=[12, 12]",
                             "--set", "traffic.F.from=0-11", "--set",
                             "traffic.F.rate=0.8192 Gbit/s", "--set", "traffic.F.to=12");
    PROG_EXPECT(a.status == 0, a, "run with many hosts");
    a = PROG_RUN("report", "u.db", "-o", "u.html", "--csv", "csv");
    PROG_EXPECT(a.status == 0, a, "report");
    expect_text(prog_slurp("csv/run-1-throughput.csv"), "\r\nF,10742.1875,0.08192,,,\r\n");
    expect_text(prog_slurp("csv/run-1-throughput.csv"), "\r\nG,10742.1875,0.04096,,,\r\n");
    expect_text(prog_slurp("u.html"), "\"nodes\":12.0"); /* by which curves are weighed */
}

/* Two lengths of cable: each link of F adds a microsecond three times. */
static const char study[] =
    "experiment: cable\n"
    "base: values.yaml\n"
    "vary: {d: {key: link.delay, values: [20 ns, 1020 ns]}}\n"
    "let: {longer: \"all{d = 1020}:delay('F') - all{d = 20}:delay('F')\"}\n"
    "checks:\n"
    "  three: {of: {of: longer, value: 3000}}\n"
    "  two: {of: {of: longer, value: 2000}, explain: three links}\n"
    "figures:\n"
    "  - {name: f, kind: line, over: d, series: [{name: F, of: \"all{d = x}:delay('F')\"}]}\n";

static void test_study(void **state)
{
    (void)state;
    prog_write("study.yaml", study);
    prog_answer a = PROG_RUN("sweep", "study.yaml", "--db", "v.db", "--jobs", "1");
    PROG_EXPECT(a.status == 0, a, "sweep"); /* only `reproduce` ends with a verdict */
    expect_answer(
        "SELECT group_concat(id || ':' || state || ':' || measured || ':' || explain, ' ')"
        " FROM (SELECT * FROM verdict ORDER BY id)",
        "three:pass:3000: two:fail:3000:three links");
    expect_answer("SELECT json_extract(spec, '$.series[0].points') FROM figure",
                  "[[20.0,2000.8],[1020.0,5000.8]]");
}

/* A check with many values has a line for each; checks of an experiment's own are in the JSON, too. */
static void test_many_values(void **state)
{
    (void)state;
    mkdir("studies", 0777);
    prog_write("studies/values.yaml", prog_slurp("values.yaml"));
    prog_write(
        "studies/cable.yaml",
        "experiment: cable\nbase: values.yaml\n"
        "checks:\n"
        "  many:\n"
        "    of:\n"
        "      a long name of the first value: {of: '1', value: 1}\n"
        "      a long name of the second value: {of: '2', min: 3}\n"
        "      a long name of the third value: {of: '3', rule: shown}\n"
        "    explain: words that are many and go on and on until a line of 80 columns is full\n"
        "  one-check-with-a-name-of-forty-letters:\n"
        "    of: {v: {of: '1', value: 1}}\n"
        "  mean: {of: {total: {of: 'all:total()', min: 1}}}\n");
    prog_answer a =
        PROG_RUN("reproduce", "cable", "-e", "studies", "--judge", "--quiet", "--db", "empty.db");
    expect_text(a.out, "      run `all` has not been made\n");
    a = PROG_RUN("reproduce", "cable", "-e", "studies", "--quiet");
    PROG_EXPECT(a.status == 1, a, "reproduce");
    expect_text(a.out, "  many\n"
                       "    a long name of the first value  | asked 1   | here 1     | pass\n"
                       "    a long name of the second value | asked ≥ 3 | here 2     | FAIL\n"
                       "    a long name of the third value  |           | here 3     | shown\n");
    expect_text(a.out, "  one-check-with-a-name-of-forty-letters\n"
                       "    v                               | asked 1   | here 1     | pass\n");
    expect_text(a.out,
                "      why:  words that are many and go on and on until a line of 80 columns is\n"
                "            full\n");
    a = PROG_RUN("reproduce", "cable", "-e", "studies", "--judge", "--json");
    PROG_EXPECT(a.status == 1, a, "judge");
    expect_text(a.out, "\"id\": \"many\"");
    expect_text(a.out, "\"paper\": null");
    expect_text(a.out, "\"verdict\": \"fail\"");
}

/* A time axis in cycles of 50 ns: bins of 0.1 ms are 2000 of them. Without `units` there are none. */
static void test_study_in_cycles(void **state)
{
#define IN_CYCLES                                                                                  \
    "base: values.yaml\n"                                                                          \
    "checks: {c: {of: {of: \"all:mean('F', '8000 cycles', '1.2e4 cycles')\", value: 1.6384}}}\n"   \
    "figures:\n"                                                                                   \
    "  - {name: f, kind: time, x: {unit: cycles}, series: [{name: F, of: \"all:series('F')\"},"    \
    " {name: half, of: \"all:scaled('F', 0.5)\"}]}\n"
    (void)state;
    prog_write("study.yaml", "experiment: e\n" IN_CYCLES);
    prog_answer a = PROG_RUN("sweep", "study.yaml", "--db", "w.db", "--jobs", "1");
    PROG_EXPECT(a.status != 0, a, "cycles that nobody gave");
    expect_text(a.err, "`8000 cycles` needs a run with units.cycle");
    prog_write("study.yaml",
               "experiment: e\nset: {units.cycle: 50 ns, units.flit: 64 B}\n" IN_CYCLES);
    a = PROG_RUN("sweep", "study.yaml", "--db", "v.db", "--jobs", "1");
    PROG_EXPECT(a.status == 0, a, "sweep");
    expect_answer("SELECT state || measured FROM verdict", "pass1.6384");
    expect_answer("SELECT json_extract(spec, '$.series[0].points[0]') || "
                  "json_extract(spec, '$.series[1].points[9]') FROM figure",
                  "[1000.0,1.6384][19000.0,0.8192]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_json, fresh),
        cmocka_unit_test_setup(test_json_of_nothing, fresh),
        cmocka_unit_test_setup(test_json_series, fresh),
        cmocka_unit_test_setup(test_table, fresh),
        cmocka_unit_test_setup(test_database_and_csv, fresh),
        cmocka_unit_test_setup(test_flits_and_cycles, fresh),
        cmocka_unit_test_setup(test_flits_of_a_node, fresh),
        cmocka_unit_test_setup(test_study, fresh),
        cmocka_unit_test_setup(test_many_values, fresh),
        cmocka_unit_test_setup(test_study_in_cycles, fresh),
    };
    return cmocka_run_group_tests_name("cli_values", tests, prog_enter, prog_leave);
}
