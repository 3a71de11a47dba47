/* The program as its users meet it: help, results as JSON and tables, databases, traces, checks. Exit
 * status, standard output, standard error and the files left behind are the contract others' scripts
 * depend on. */
#include "cli_fixture.h"

#include <jansson.h>

#include "store/store.h"

/* A ring that can deadlock when it is told to do without datelines. */
static const char ring[] = "run: {duration: 200 us, sample: 5 us}\n"
                           "topology: {kind: torus, radix: [6], hosts: 1}\n"
                           "routing: {kind: dor}\n"
                           "switch: {buffer: 2 KiB}\n"
                           "traffic: [{pattern: tornado}]\n";

/* -- help -- */

static void check_help(const char *command)
{
    char usage[64];
    prog_answer a = PROG_RUN(command, "--help"), h = PROG_RUN("help", command);
    snprintf(usage, sizeof(usage), "usage: coppice %s", command);
    PROG_EXPECT(a.status == 0, a, "coppice %s --help", command);
    PROG_EXPECT(a.err[0] == '\0', a, "coppice %s --help", command);
    PROG_EXPECT(strstr(a.out, strcmp(command, "help") ? usage : "usage: coppice") != NULL, a,
                "coppice %s --help", command);
    PROG_EXPECT(strstr(a.out, "Exit status") != NULL, a, "coppice %s --help", command);
    PROG_EXPECT(h.status == 0 && strstr(h.out, usage) != NULL, h, "coppice help %s", command);
}

static void test_help_of_every_command(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("--help"),
                bare = PROG_WAIT(prog_start((prog_how){0}, (const char *const[]){NULL}));
    assert_int_equal(a.status, 0);
    assert_string_equal(a.err, "");
    /* Without a command: the same text, but as an error. */
    assert_int_equal(bare.status, 2);
    assert_string_equal(bare.out, "");
    assert_string_equal(bare.err, a.out);
    char *line = strstr(a.out, "Commands\n");
    assert_non_null(line);
    size_t n = 0;
    for (line = strchr(line, '\n') + 1; strncmp(line, "  ", 2) == 0;
         line = strchr(line, '\n') + 1) {
        char command[32];
        if (line[2] == ' ') /* goes on with the line before */
            continue;
        n++;
        assert_int_equal(sscanf(line, "%31s", command), 1);
        check_help(command);
    }
    assert_true(n >= 5);
    a = PROG_RUN("--version");
    assert_int_equal(a.status, 0);
    assert_int_equal(strncmp(a.out, "coppice ", 8), 0);
}

/* -- run -- */

static json_t *run_json(const char *file, const char *set)
{
    prog_answer a = PROG_RUN("run", file, "--json", "--quiet", "--set", set);
    PROG_EXPECT(a.status == 0, a, "coppice run %s --set %s", file, set);
    assert_string_equal(a.err, "");
    json_t *j = json_loads(a.out, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(j));
    return j;
}

static json_int_t whole(const json_t *j, const char *key)
{
    json_t *v = json_object_get(j, key);
    if (!json_is_integer(v)) {
        print_error("`%s` is missing or not an integer\n", key);
        fail();
    }
    return json_integer_value(v);
}

static double number(const json_t *j, const char *key)
{
    json_t *v = json_object_get(j, key);
    if (!json_is_number(v)) {
        print_error("`%s` is missing or not a number\n", key);
        fail();
    }
    return json_number_value(v);
}

/* What it takes to make a result again is in the result. */
static void test_json_can_be_made_again(void **state)
{
    (void)state;
    json_t *j = run_json("good.yaml", "run.seed=7");
    assert_int_equal(whole(j, "seed"), 7);
    assert_string_equal(json_string_value(json_object_get(j, "version")), "0.1.0");
    assert_string_equal(json_string_value(json_object_get(j, "name")), "good");
    assert_int_equal(strlen(json_string_value(json_object_get(j, "model"))), 16);
    const char *commit = json_string_value(json_object_get(j, "commit"));
    assert_true(commit != NULL && commit[0] != '\0');
    prog_answer a = PROG_RUN("version");
    assert_non_null(strstr(a.out, commit));
    prog_write("again.yaml", json_string_value(json_object_get(j, "configuration")));
    json_t *again = run_json("again.yaml", "run.seed=7");
    static const char *const same[] = {"run_hash", "configuration", "latency_ns", "transit_ns",
                                       "little"};
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        assert_true(json_equal(json_object_get(j, same[i]), json_object_get(again, same[i])));
    const json_t *latency = json_object_get(j, "latency_ns");
    assert_true(whole(latency, "count") > 0);
    assert_true(number(latency, "min") <= number(latency, "p50"));
    json_decref(j);
    json_decref(again);
}

static void test_version(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("version");
    static const char *const parts[] = {"\ncommit ",  "\ncompiler ", "\noptions ", "\nfeatures ",
                                        "assertions", "sanitizers",  "lto",        "SQLite 3.",
                                        "Lua 5.4",    "jansson 2.",  "libyaml 0."};
    assert_int_equal(a.status, 0);
    assert_int_equal(strncmp(a.out, "coppice 0.1.0\n", 14), 0);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        PROG_EXPECT(strstr(a.out, parts[i]) != NULL, a, "no `%s`", parts[i]);
}

static void test_json_has_the_agreed_keys(void **state)
{
    (void)state;
    json_t *j = run_json("good.yaml", "run.seed=1");
    assert_int_equal(whole(j, "packets_lost"), 0);
    assert_true(whole(j, "packets_delivered") > 20);
    assert_int_equal(whole(j, "packets_injected"),
                     whole(j, "packets_delivered") + whole(j, "packets_in_flight"));
    assert_true(whole(j, "events") > 0);
    assert_true(whole(j, "packet_hops") >= 3 * whole(j, "packets_delivered"));
    assert_true(whole(j, "peak_rss_bytes") > 1000000);
    assert_true(number(j, "throughput_gbps") > 0.0);
    /* The mean is per end node: four of them. */
    assert_float_equal(number(j, "throughput_total_gbps"), (4 * number(j, "throughput_gbps")),
                       1e-3);
    assert_float_equal(number(j, "sim_time_ns"), 50000.0, 1e-3);
    assert_true(number(j, "cpu_seconds") >= 0.0);
    assert_true(number(j, "packet_hops_per_cpu_second") >= 0.0);
    const json_t *latency = json_object_get(j, "latency_ns");
    assert_true(number(latency, "mean") > 0.0);
    assert_true(number(latency, "p50") <= number(latency, "p99"));
    assert_true(number(latency, "p99") <= number(latency, "max"));
    assert_true(number(latency, "mean") <= number(latency, "max"));
    const char *hash = json_string_value(json_object_get(j, "run_hash"));
    assert_non_null(hash);
    assert_int_equal(strlen(hash), 16);
    assert_int_equal(strspn(hash, "0123456789abcdef"), 16);
    json_decref(j);
}

static void test_same_seed_same_result(void **state)
{
    (void)state;
    static const char *const sets[] = {"run.seed=1", "run.event_queue=heap", "run.seed=2"};
    json_t *j[3];
    for (size_t i = 0; i < 3; i++)
        j[i] = run_json("good.yaml", sets[i]);
    const char *hash = json_string_value(json_object_get(j[0], "run_hash"));
    assert_string_equal(hash, json_string_value(json_object_get(j[1], "run_hash")));
    assert_string_not_equal(hash, json_string_value(json_object_get(j[2], "run_hash")));
    prog_answer a = PROG_RUN("run", "good.yaml", "--json", "--quiet", "--seed", "2");
    assert_non_null(strstr(a.out, json_string_value(json_object_get(j[2], "run_hash"))));
    for (size_t i = 0; i < 3; i++)
        json_decref(j[i]);
}

static void test_tables_for_people(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("run", "good.yaml");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "throughput"));
    assert_non_null(strstr(a.out, "F1"));
    assert_null(strchr(a.out, '\033')); /* not a terminal: no colours */
    /* Nothing, or on a busy machine progress. */
    assert_true(a.err[0] == '\0' || strstr(a.err, "packet-hops/s") != NULL);
    a = PROG_RUN("run", "good.yaml", "--quiet");
    assert_string_equal(a.err, "");
    prog_how piped = {.input = "good.yaml"};
    a = prog_wait(piped, prog_start(piped, PROG_WORDS("run", "-", "-q", "--json")));
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "\"run_hash\""));
}

/* Counters by port are many: the largest are shown and what the rest adds up to, and no other counter is lost behind
 * them. */
static void test_many_counters(void **state)
{
    (void)state;
    prog_write("many.yaml", "run: {duration: 100 us, seed: 3}\n"
                            "topology: {kind: torus, radix: [4, 4]}\n"
                            "cc: {kind: qcn, every: 1, share: 100 %, qeq: 512 B}\n"
                            "traffic: [{pattern: uniform}]\n");
    prog_answer a = PROG_RUN("run", "many.yaml", "--quiet");
    PROG_EXPECT(a.status == 0, a, "coppice run many.yaml");
    static const char *const wanted[] = {"\n  notifications  ", "\n  becn  ", "\n  qcn_samples  ",
                                         "\n  qcn_congested  ", "\n  qcn_told  "};
    for (size_t i = 0; i < COP_LEN(wanted); i++)
        PROG_EXPECT(strstr(a.out, wanted[i]) != NULL, a, "no `%s`", wanted[i] + 1);
    double all = 0.0, sum = 0.0, value, last = 1e9;
    assert_int_equal(sscanf(strstr(a.out, wanted[0]), " notifications %lf", &all), 1);
    uint32_t lines = 0, more = 0;
    for (const char *at = a.out; (at = strstr(at, "\n  notifications_at")) != NULL; lines++) {
        at++;
        if (sscanf(at, " notifications_at, %u more: together %lf", &more, &value) != 2) {
            assert_int_equal(sscanf(at, " notifications_at/%*s %lf", &value), 1);
            assert_true(value <= last); /* the largest first */
            last = value;
        }
        sum += value;
    }
    assert_int_equal(lines, 7);
    assert_true(more > 10);
    assert_true(sum == all && all > 100);
}

static void test_deadlock_is_status_3(void **state)
{
    (void)state;
    prog_write("ring.yaml", ring);
    prog_answer a = PROG_RUN("run", "ring.yaml", "-q", "--json");
    PROG_EXPECT(a.status == 0, a, "a ring with datelines");
    /* Refused unless asked for. */
    a = PROG_RUN("run", "ring.yaml", "-q", "--set", "routing.datelines=no");
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) == 1, a, "a ring without datelines");
    PROG_EXPECT(strstr(a.err, "run.allow_deadlock") != NULL, a, "a ring without datelines");
    PROG_EXPECT(a.out[0] == '\0', a, "a ring without datelines");
    a = PROG_RUN("run", "ring.yaml", "-q", "--json", "--set", "routing.datelines=no", "--set",
                 "run.allow_deadlock=yes");
    PROG_EXPECT(a.status == 3, a, "a deadlock");
    PROG_EXPECT(strstr(a.err, "cycle of waiting ports") != NULL, a, "a deadlock");
    json_t *j = json_loads(a.out, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(j, "outcome")), "deadlock");
    assert_true(whole(j, "packets_in_flight") > 0);
    assert_int_equal(whole(j, "packets_lost"), 0);
    json_decref(j);
}

/* -- database, trace, check -- */

static int count_run(void *user, const cop_store_entry *run)
{
    (void)run;
    ++*(unsigned *)user;
    return 0;
}

static unsigned runs_in(const char *path)
{
    cop_store *s = NULL;
    cop_err err = {0};
    unsigned n = 0;
    assert_int_equal(cop_store_open(&s, path, false, &err), 0);
    assert_int_equal(cop_store_runs(s, count_run, &n, &err), 0);
    cop_store_close(s);
    return n;
}

static void test_database(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("run", "good.yaml", "-q", "--db", "x.db");
    PROG_EXPECT(a.status == 0, a, "--db");
    assert_string_equal(a.err, "");
    assert_int_equal(runs_in("x.db"), 1);
    a = PROG_RUN("run", "good.yaml", "--json", "--seed", "2", "--db", "x.db");
    PROG_EXPECT(a.status == 0 && strstr(a.err, "run 2 in x.db") != NULL, a, "a second run");
    assert_int_equal(runs_in("x.db"), 2);
    /* Bad input adds no run, and makes no file. */
    a = PROG_RUN("run", "good.yaml", "-q", "--set", "link.rate=0", "--db", "x.db");
    assert_int_equal(a.status, 2);
    assert_int_equal(runs_in("x.db"), 2);
    a = PROG_RUN("run", "good.yaml", "-q", "--set", "switch.buffer=1 KiB", "--db", "y.db");
    assert_int_equal(a.status, 2);
    assert_int_not_equal(access("y.db", F_OK), 0);
    /* What is not a database stays as it was. */
    prog_write("notes.txt", "not a database, but somebody's notes of many days\n");
    a = PROG_RUN("run", "good.yaml", "-q", "--db", "notes.txt");
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) == 1, a, "--db of a text file");
    assert_string_equal(prog_slurp("notes.txt"),
                        "not a database, but somebody's notes of many days\n");
    assert_int_equal(prog_files(), 3);
}

static void test_watch_prints_every_step(void **state)
{
    (void)state;
    /* `watch_limit`: of three lines the last says so. */
    prog_answer cut = PROG_RUN("run", "good.yaml", "-q", "--watch", "src=0,count=9", "--set",
                               "run.watch_limit=3");
    assert_non_null(strstr(cut.err, "\nthe trace ends here; raise run.watch_limit to see more\n"));
    assert_int_equal(prog_lines(cut.err), 3);
    prog_answer a = PROG_RUN("run", "good.yaml", "-q", "--json", "--watch", "src=0,from=2,count=1");
    static const char *const steps[] = {"injected at h0", "sent by h0",    "queued at s0.",
                                        "sent by s0.",    "queued at s1.", "sent by s1.",
                                        "delivered to h3"};
    assert_int_equal(a.status, 0);
    assert_int_equal(prog_lines(a.err), COP_LEN(steps));
    const char *line = a.err;
    for (size_t i = 0; i < COP_LEN(steps); i++, line = strchr(line, '\n') + 1) {
        const char *step = strstr(line, steps[i]);
        PROG_EXPECT(step != NULL && step < strchr(line, '\n'), a, "step %zu: %s", i, steps[i]);
        PROG_EXPECT(strstr(line, "packet 0:2 -> 3") != NULL, a, "step %zu", i);
    }
    assert_non_null(strstr(a.out, "\"run_hash\"")); /* results apart from the trace */
}

static void test_check_prints_what_loads_again(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("check", "good.yaml", "--set", "switch.buffer=32 KiB");
    PROG_EXPECT(a.status == 0, a, "check");
    assert_string_equal(a.err, "");
    assert_non_null(strstr(a.out, "32 KiB"));
    assert_non_null(strstr(a.out, "# network: 4 hosts, 2 switches"));
    prog_write("again.yaml", a.out);
    prog_answer second = PROG_RUN("check", "again.yaml");
    PROG_EXPECT(second.status == 0, second, "check of what check printed");
    assert_string_equal(a.out, second.out);
    json_t *first = run_json("good.yaml", "switch.buffer=32 KiB");
    json_t *again = run_json("again.yaml", "run.seed=1");
    assert_string_equal(json_string_value(json_object_get(first, "run_hash")),
                        json_string_value(json_object_get(again, "run_hash")));
    json_decref(first);
    json_decref(again);
}

/* Sections without members are listed, too, and may be asked for by name. */
static void test_list_of_a_section(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("list", "sections"), b = PROG_RUN("list", "sections", "switch"),
                c = PROG_RUN("list", "switch");
    PROG_EXPECT(a.status == 0 && strstr(a.out, "\nnic ") != NULL, a, "list sections");
    PROG_EXPECT(b.status == 0 && strstr(b.out, "\n  buffer: ") != NULL, b, "list sections switch");
    PROG_EXPECT(c.status == 0, c, "list switch");
    assert_string_equal(b.out, c.out);
}

/* The table of a switch, as figure 3 of Benito et al. has it: conditions over outputs, and low entries by input. */
static void test_check_prints_a_table(void **state)
{
    (void)state;
    prog_write("dragonfly.yaml", "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
                                 "routing: {kind: qcn-switch}\ncc: {kind: qcn, react: no}\n");
    prog_answer a = PROG_RUN("check", "dragonfly.yaml", "--table", "s0");
    PROG_EXPECT(a.status == 0, a, "check --table");
    assert_non_null(strstr(a.out, "switch: \"s0\"\nrouting: qcn-switch\n"));
    assert_non_null(
        strstr(a.out, "  - {priority: 2, in: [0, 6], to: [8, 23], if: \"N <= P(4)\", out: 4}\n"));
    assert_non_null(
        strstr(a.out, "  - {priority: 1, in: [1, 1], to: [8, 71], out: 6, visit: 7}\n"));
    prog_answer b = PROG_RUN("check", "good.yaml", "--table", "s1");
    PROG_EXPECT(b.status == 0, b, "check --table of any routing with one output");
    assert_non_null(strstr(b.out, "  - {priority: 2, in: [0, "));
    assert_null(strstr(b.out, "if:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_help_of_every_command, fresh),
        cmocka_unit_test_setup(test_version, fresh),
        cmocka_unit_test_setup(test_json_can_be_made_again, fresh),
        cmocka_unit_test_setup(test_json_has_the_agreed_keys, fresh),
        cmocka_unit_test_setup(test_same_seed_same_result, fresh),
        cmocka_unit_test_setup(test_tables_for_people, fresh),
        cmocka_unit_test_setup(test_many_counters, fresh),
        cmocka_unit_test_setup(test_deadlock_is_status_3, fresh),
        cmocka_unit_test_setup(test_database, fresh),
        cmocka_unit_test_setup(test_watch_prints_every_step, fresh),
        cmocka_unit_test_setup(test_check_prints_what_loads_again, fresh),
        cmocka_unit_test_setup(test_list_of_a_section, fresh),
        cmocka_unit_test_setup(test_check_prints_a_table, fresh),
    };
    return cmocka_run_group_tests_name("cli", tests, prog_enter, prog_leave);
}
