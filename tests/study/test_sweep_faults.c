/* Sweeps and `coppice reproduce` starved and fed with nonsense: databases that are none, full disks,
 * wrong words, faults in studies, ledgers that an experiment does not keep to. */
#include "sweep.h"

#include <fcntl.h>
#include <jansson.h>
#include <sqlite3.h>
#include <sys/stat.h>

static void test_bad_files(void **state)
{
    (void)state;
    prog_write("other.db", "this is no database, but long enough to look like one: "
                           "0123456789012345678901234567890123456789");
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q", "--db", "other.db"), 2, "other.db");
    sqlite3 *d;
    assert_int_equal(sqlite3_open("foreign.db", &d), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(d, "CREATE TABLE t (a); INSERT INTO t VALUES (7)", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(d);
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q", "--db", "foreign.db"), 2, "another program");
    assert_string_equal(prog_ask("foreign.db", "SELECT a FROM t"), "7");
    /* Damage in the middle of a good file. */
    assert_int_equal(PROG_RUN("sweep", "many.yaml", "-q").status, 0);
    int f = open("many.db", O_WRONLY);
    for (off_t at = 4096; at < 40960; at += 256)
        assert_int_equal(pwrite(f, "garbage!", 8, at), 8);
    close(f);
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q"), 2, "many.db");
    /* No folder, a folder, a folder without permission (root has all permissions). */
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q", "--db", "no/such/r.db"), 2, "no/such/r.db");
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q", "--db", "."), 2, ".");
    if (geteuid() != 0) {
        chmod(prog_folder(), 0555);
        prog_answer a = PROG_RUN("sweep", "many.yaml", "-q", "--db", "r.db");
        chmod(prog_folder(), 0755);
        sweep_expect(a, 2, "r.db");
    }
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q", "--db", "/proc/r.db"), 2, "/proc/r.db");
}

/* A disk that fills up: a clear line, and what was stored stays good. */
static void test_full_disk(void **state)
{
    (void)state;
    prog_how full = {.max_file_bytes = 160 * 1024};
    pid_t child = prog_start(full, PROG_WORDS("sweep", "many.yaml", "-q", "--jobs", "1"));
    sweep_expect(prog_wait(full, child), 2, "many.db");
    int stored = atoi(prog_ask("many.db", "SELECT count(*) FROM run"));
    assert_true(stored < 12);
    assert_int_equal(PROG_RUN("sweep", "many.yaml", "-q").status, 0);
    sweep_assert_sound("many.db", "12");
}

static void test_usage(void **state)
{
    (void)state;
    sweep_expect(PROG_RUN("sweep"), 2, "one study file");
    sweep_expect(PROG_RUN("sweep", "a", "b"), 2, "one study file");
    sweep_expect(PROG_RUN("sweep", "none.yaml"), 2, "none.yaml: cannot be read");
    sweep_expect(PROG_RUN("sweep", "many.yaml", "--jobs", "0"), 2, "1 to 256");
    sweep_expect(PROG_RUN("sweep", "many.yaml", "--scale", "huge"), 2, "quick or full");
    sweep_expect(PROG_RUN("sweep", "many.yaml", "--jbos", "1"), 2, "did you mean `--jobs`");
    sweep_expect(PROG_RUN("sweep", "base.yaml"), 2,
                 "base.yaml:2:11: this is a run file: `coppice run`");
    sweep_expect(PROG_RUN("reproduce"), 2, "what?");
    sweep_expect(PROG_RUN("reproduce", "--all", "--experiments", "none"), 2, "no experiments");
    /* Found before anything is simulated or written. */
    prog_write(
        "wrong.yaml",
        "experiment: wrong\nbase: base.yaml\nchecks:\n  a: {of: {of: 'all:totl()', min: 1}}\n");
    sweep_expect(PROG_RUN("sweep", "wrong.yaml"), 2,
                 "wrong.yaml:4:16: unknown metric `totl`; did you mean total");
    prog_write(
        "loop.yaml",
        "experiment: loop\nbase: base.yaml\nlet: {a: '(function() while true do end end)()'}\n");
    /* Nothing uses it. "takes too long", by steps; or "took", by the clock of a busy machine. */
    sweep_expect(PROG_RUN("sweep", "loop.yaml"), 2, "loop.yaml:3:10: t");
    prog_write("loop.yaml", "experiment: loop2\nbase: base.yaml\nchecks: {a: {of: {of: "
                            "'(function() while true do end end)()', min: 1}}}\n");
    sweep_expect(PROG_RUN("sweep", "loop.yaml"), 2, "loop.yaml:3:23: t");
    assert_int_equal(access("wrong.db", F_OK), -1);
    assert_int_equal(access("loop2.db", F_OK), -1);
    /* Only known from the runs: the study is stored, its check failed. */
    prog_write(
        "late.yaml",
        "experiment: late\nbase: base.yaml\nchecks:\n  a: {of: {of: \"all:mean('G')\", min: 1}}\n");
    sweep_expect(PROG_RUN("sweep", "late.yaml", "-q"), 2, "late.yaml:4:16: no series `G`");
    assert_string_equal(prog_ask("late.db", "SELECT state FROM verdict"), "fail");
}

/* Networks that cannot be built: found before the first run, with the place of the setting, each once; nothing is written. */
static void test_networks_that_cannot_be_built(void **state)
{
    (void)state;
    prog_write("net.yaml", "run: {duration: 20 us}\ntopology: {kind: single, hosts: 4}\n"
                           "switch: {trunk_buffer: 32 KiB, host_buffer: 4 KiB}\n"
                           "traffic: [{pattern: uniform}]\n");
    prog_write("refused.yaml",
               "experiment: refused\nbase: net.yaml\nseeds: 3\nset:\n  nic.mtu: 2 KiB\nvary:\n"
               "  buffer: {key: switch.host_buffer, values: [1 KiB, 64 KiB]}\n"
               "  show:\n    near: {run.observe: queue/h1}\n    far: {run.observe: queue/h9}\n");
    prog_answer a = PROG_RUN("sweep", "refused.yaml", "-q");
    sweep_expect(a, 2,
                 "refused.yaml:7:17: run `buffer 1 KiB, show near`: --set "
                 "switch.host_buffer=1 KiB: switch.host_buffer 1 KiB is too small; at least "
                 "2 KiB");
    PROG_EXPECT(
        strstr(a.err, "\nrefused.yaml:10:11: run `buffer 64 KiB, show far`: --set "
                      "run.observe=queue/h9: run.observe: `queue/h9`: no such port; write") != NULL,
        a, "an axis");
    PROG_EXPECT(prog_lines(a.err) == 2, a, "each once");
    /* What the run file says does not go with what the study sets. */
    prog_write("refused.yaml", "experiment: refused\nbase: net.yaml\nset:\n  nic.mtu: 8 KiB\n");
    sweep_expect(
        PROG_RUN("sweep", "refused.yaml", "-q"), 2,
        "refused.yaml:4:3: run `all`: net.yaml:3:45: switch.host_buffer 4 KiB is too small");
    prog_write("refused.yaml",
               "experiment: refused\nbase: net.yaml\nvary:\n  ring:\n"
               "    with: {topology: {kind: torus, radix: [5]}, routing: {kind: dor}, "
               "traffic: [{pattern: tornado}]}\n    without: {topology: {kind: "
               "torus, radix: [5]},\n              routing: {kind: dor, datelines: "
               "no}, traffic: [{pattern: tornado}]}\n");
    sweep_expect(PROG_RUN("sweep", "refused.yaml", "-q"), 2,
                 "refused.yaml:7:15: run `ring without`: --set routing={kind: dor, datelines: no}: "
                 "routing dor has a cycle");
    /* A setting of the study that does not go with the run file: said once, whatever the axes, with a way out if it is not. */
    prog_write("fly.yaml", "run: {duration: 20 us}\ntopology: {kind: dragonfly, p: 1, a: 2, h: 1}\n"
                           "routing: {kind: dragonfly-min}\nswitch: {lanes: 2}\n"
                           "traffic: [{pattern: uniform}]\n");
    static const char *const ways[] = {"[dragonfly-min, ugal]", "[ugal, piggyback]"};
    for (size_t k = 0; k < COP_LEN(ways); k++) {
        char study[400];
        snprintf(study, sizeof(study),
                 "experiment: refused\nbase: fly.yaml\nruns:\n- name: a\n  vary:\n"
                 "    way: {key: routing.kind, values: %s}\n    lanes: {key: switch.lanes, values: "
                 "[2, 5]}\n    span: {key: run.duration, values: [20 us, 30 us]}\n",
                 ways[k]);
        prog_write("refused.yaml", study);
        a = PROG_RUN("sweep", "refused.yaml", "-q");
        sweep_expect(a, 2,
                     "refused.yaml:4:3: run `way ugal, lanes 2, span 20 us`: fly.yaml:3:10: "
                     "routing ugal needs 3");
        sweep_expect(a, 2,
                     "; if that is only so with others of its axes, name them in `leave_out`\n");
        PROG_EXPECT(prog_lines(a.err) == 1 + k, a, "each once");
    }
    sweep_expect(PROG_RUN("sweep", "fly.yaml"), 2, "fly.yaml:2:11: this is a run file");
    prog_write("nameless.yaml", "base: fly.yaml\nruns: [{name: a}]\n");
    sweep_expect(PROG_RUN("sweep", "nameless.yaml"), 2, "`experiment` is missing");
    assert_int_equal(access("refused.db", F_OK), -1);
}

/* A ledger of our own: ten papers, of which one has checks that are met, missed and not measured. */
static void write_papers(void)
{
    static const char *const keys[] = {"gran0", "gran1", "gran2", "gran3", "gran4",
                                       "gran5", "gran6", "fern",  "qcn",   "pfis"};
    mkdir("claims", 0755);
    mkdir("experiments", 0755);
    for (size_t i = 0; i < COP_LEN(keys); i++) {
        char path[64], text[1024];
        size_t n = (size_t)snprintf(text, sizeof(text), "paper: %s\ntitle: t\nsource: s\nchecks:\n",
                                    keys[i]);
        for (int k = 1; k <= 3; k++)
            n += (size_t)snprintf(
                text + n, sizeof(text) - n,
                "  - {id: %s-%d, where: w, setup: s, experiment: ex, metric: m, kind: printed,"
                " expected: {value: %d}, tolerance: 10 %%, needs: [none]}\n",
                keys[i], k, k == 1 ? 4 : 400);
        snprintf(path, sizeof(path), "claims/%s.yaml", keys[i]);
        prog_write(path, text);
    }
    prog_write("experiments/ex.yaml",
               "experiment: ex\npaper: gran1\nbase: ../base.yaml\n"
               "checks: {gran1-1: '4 + 0 * all:total()', gran1-2: 'all:total()'}\n");
}

static void expect_json(const char *out, size_t i, const char *id, const char *verdict,
                        bool measured)
{
    json_error_t e;
    json_t *list = json_loads(out, 0, &e);
    if (list == NULL)
        fail_msg("%s", e.text);
    json_t *o = json_array_get(list, i);
    assert_string_equal(json_string_value(json_object_get(o, "id")), id);
    assert_string_equal(json_string_value(json_object_get(o, "verdict")), verdict);
    assert_true(json_is_string(json_object_get(o, "expected")));
    assert_string_equal(json_string_value(json_object_get(o, "tolerance")), "10 %");
    assert_int_equal(json_is_string(json_object_get(o, "measured")), measured);
    json_decref(list);
}

#define REPRODUCE(...) PROG_RUN("reproduce", "-c", "claims", "-e", "experiments", "-q", __VA_ARGS__)

static void test_reproduce(void **state)
{
    (void)state;
    write_papers();
    prog_answer a = REPRODUCE("gran1", "--json");
    assert_int_equal(a.status, 1);
    expect_json(a.out, 0, "gran1-1", "pass", true);
    expect_json(a.out, 1, "gran1-2", "fail", true);
    expect_json(a.out, 2, "gran1-3", "not-run", false);
    a = REPRODUCE("--list", "gran1-2", "--json");
    assert_int_equal(a.status, 0);
    expect_json(a.out, 0, "gran1-2", "fail", true);
    assert_int_equal(REPRODUCE("--all", "--judge", "--validation", "V").status, 1);
    assert_non_null(
        strstr(prog_slurp("V/README.md"), "| [gran1](gran1.md) | 3 | 1 | 1 | 0 | 1 | 0 | t |"));
    prog_write("V/README.md", "");
    assert_int_equal(REPRODUCE("--validation", "V").status, 0); /* written again, nothing judged */
    assert_non_null(
        strstr(prog_slurp("V/README.md"), "| [gran1](gran1.md) | 3 | 1 | 1 | 0 | 1 | 0 | t |"));
    assert_non_null(strstr(prog_slurp("V/gran1.md"), "| gran1-2 | w | m | value 400 | 10 % |"));
    sweep_expect(REPRODUCE("gran9"), 2, "no experiment is called `gran9`");
    sweep_expect(REPRODUCE("gran1-3"), 2, "gran1-3");
    /* Only what passes is asked for. */
    prog_write("experiments/ex.yaml", "experiment: ex\npaper: gran1\nbase: ../base.yaml\nchecks: "
                                      "{gran1-1: '4 + 0 * all:total()'}\n");
    assert_int_equal(REPRODUCE("ex", "--json").status, 0);
    /* An experiment without a paper has checks of its own. */
    prog_write("experiments/own.yaml",
               "experiment: own\nbase: ../base.yaml\nchecks: {mine: {metric: m, of: "
               "{it: {of: '4 + 0 * all:total()', value: 4, tolerance: exact}}}}\n");
    a = REPRODUCE("--list", "own");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "own: reproduce.db has nothing of it"));
    assert_int_equal(REPRODUCE("own").status, 0);
    a = REPRODUCE("--list", "own");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "mine         pass      m (own, quick scale)"));
    /* No experiment can widen a band, or judge what the papers do not say. */
    prog_write("experiments/ex.yaml", "experiment: ex\npaper: gran1\nbase: ../base.yaml\nchecks: "
                                      "{gran1-2: {of: {of: 'all:total()', min: 0}}}\n");
    sweep_expect(REPRODUCE("ex"), 2,
                 "experiments/ex.yaml:4:19: check gran1-2 does not measure its value");
    prog_write(
        "experiments/ex.yaml",
        "experiment: ex\npaper: gran1\nbase: ../base.yaml\nchecks: {gran1-77: 'all:total()'}\n");
    sweep_expect(REPRODUCE("ex"), 2,
                 "experiments/ex.yaml:4:20: check `gran1-77` is not in the ledger");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(test_bad_files), SWEEP_TEST(test_full_disk),
        SWEEP_TEST(test_usage),     SWEEP_TEST(test_networks_that_cannot_be_built),
        SWEEP_TEST(test_reproduce),
    };
    return cmocka_run_group_tests_name("sweep_faults", tests, sweep_enter, prog_leave);
}
