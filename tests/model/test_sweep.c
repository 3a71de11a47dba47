/* Sweeps as their users meet them: killed, stopped, starved and fed with nonsense. $COPPICE (default
 * build/coppice) runs in an empty folder of its own; afterwards the database must hold exactly what
 * it should, each run once, with the same hashes as an undisturbed sweep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char program[4096], dir[64], claims[4096];

/* -- running the program -- */

static void redirect(int fd, const char *path, int flags)
{
    int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, fd) < 0)
        _exit(99);
    close(file);
}

static pid_t start_limited(rlim_t max_file, const char *const *words)
{
    char *argv[24] = {(char *)(uintptr_t) "coppice"};
    for (size_t i = 0; words[i] != NULL; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {max_file, max_file};
        redirect(0, "/dev/null", O_RDONLY);
        redirect(1, "out", O_WRONLY | O_CREAT | O_TRUNC);
        redirect(2, "err", O_WRONLY | O_CREAT | O_TRUNC);
        alarm(60);
        signal(SIGXFSZ, SIG_IGN); /* a full disk is an error, not a signal */
        if (max_file != RLIM_INFINITY && setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(97);
        execv(program, argv);
        _exit(98);
    }
    return child;
}

static int wait_for(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define START(...) start_limited(RLIM_INFINITY, (const char *const[]){__VA_ARGS__, NULL})
#define RUN(...) wait_for(START(__VA_ARGS__))

static char *slurp(const char *path)
{
    static char text[1 << 20];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* One line on standard error, which says this. */
static void expect(int got, int want, const char *what)
{
    char *err = slurp("err");
    if (got != want || strstr(err, what) == NULL)
        fail_msg("status %d, expected %d and `%s` in: %s", got, want, what, err);
}

/* -- looking into the database -- */

static const char *ask(const char *db, const char *sql)
{
    static char text[1 << 16];
    sqlite3 *d;
    sqlite3_stmt *st;
    text[0] = '\0';
    assert_int_equal(sqlite3_open_v2(db, &d, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(d, sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(d));
    if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0) != NULL)
        snprintf(text, sizeof(text), "%s", (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    sqlite3_close(d);
    return text;
}

#define HASHES                                                                                     \
    "SELECT group_concat(h, ' ') FROM (SELECT p.label || p.seed || r.run_hash || r.outcome AS h"   \
    " FROM point p JOIN run r ON r.id = p.run_id ORDER BY p.position)"

/* Nothing repeated, nothing half written. */
static void assert_sound(const char *db, const char *runs)
{
    assert_string_equal(ask(db, "SELECT count(*) FROM run"), runs);
    assert_string_equal(ask(db, "SELECT count(DISTINCT config_hash || seed) FROM run"), runs);
    assert_string_equal(ask(db, "SELECT count(*) FROM run WHERE outcome = 'ok' AND id NOT IN"
                                " (SELECT run_id FROM scalar)"),
                        "0");
    assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
}

/* -- inputs -- */

static const char BASE[] = "run: {duration: 300 us, warmup: 50 us}\n"
                           "topology: {kind: single, hosts: 8}\n"
                           "traffic: [{name: F, pattern: uniform, arrival: poisson, load: 0.5}]\n";
static const char STUDY[] =
    "experiment: many\nbase: base.yaml\nseeds: 2\n"
    "vary: {load: {key: traffic.F.load, values: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}}\n"
    "checks:\n"
    "  rises: {of: {of: 'trend({1, 3, 6}, {t(0.1), t(0.3), t(0.6)})', rule: trend}}\n"
    "let: {t: 'function(l) return all{load = l}:total() end'}\n"
    "figures: [{name: f, kind: line, over: load, series: [{name: n, of: 't(x)'}]}]\n";
/* Long enough to be caught at work: 100 s of simulated time. */
static const char ENDLESS[] = "experiment: endless\nbase: base.yaml\nset: {run.duration: 100 s}\n"
                              "vary: {load: {key: traffic.F.load, values: [0.1, 0.2, 0.3]}}\n";

static void empty_folder(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char name[512];
        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && remove(name) != 0) {
            empty_folder(name);
            rmdir(name);
        }
    }
    if (d != NULL)
        closedir(d);
}

static int setup(void **state)
{
    const char *name = getenv("COPPICE");
    (void)state;
    if (realpath(name ? name : "build/coppice", program) == NULL ||
        realpath("claims", claims) == NULL) {
        print_error("build coppice first, and run the tests from the top folder\n");
        return -1;
    }
    strcpy(dir, "/tmp/cop_sweep_XXXXXX");
    /* Workers that outlive their parent would become children of this process. */
    return mkdtemp(dir) == NULL || chdir(dir) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0;
}

static int fresh(void **state)
{
    (void)state;
    chmod(dir, 0755);
    empty_folder(dir);
    write_file("base.yaml", BASE);
    write_file("many.yaml", STUDY);
    write_file("endless.yaml", ENDLESS);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    empty_folder(dir);
    return chdir("/") | rmdir(dir);
}

/* -- workers -- */

/* Children of a process, from /proc; how many were found. */
static size_t children_of(pid_t parent, pid_t *child, size_t max)
{
    size_t n = 0;
    DIR *d = opendir("/proc");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[300], state;
        int pid, ppid;
        snprintf(path, sizeof(path), "/proc/%.200s/stat", e->d_name);
        FILE *f = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (f == NULL)
            continue;
        if (fscanf(f, "%d (%*[^)]) %c %d", &pid, &state, &ppid) == 3 && ppid == parent &&
            state != 'Z' && n < max)
            child[n++] = pid;
        fclose(f);
    }
    closedir(d);
    return n;
}

static void nap(long milliseconds)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void wait_for_workers(pid_t parent, pid_t *child, size_t n)
{
    for (int i = 0; i < 1000 && children_of(parent, child, n) < n; i++)
        nap(10);
    assert_int_equal(children_of(parent, child, n), n);
}

/* Those left behind by a dead parent have become ours. */
static void assert_no_orphans(void)
{
    pid_t left[8];
    for (int i = 0; i < 300; i++) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (children_of(getpid(), left, 8) == 0)
            return;
        nap(10);
    }
    fail_msg("a worker is still there");
}

/* -- tests -- */

static void test_whole(void **state)
{
    (void)state;
    expect(RUN("sweep", "many.yaml", "--jobs", "1", "--db", "one.db"), 0, "12 of 12 done");
    assert_non_null(strstr(slurp("out"), "rises        pass"));
    expect(RUN("sweep", "many.yaml", "--jobs", "4", "--db", "four.db"), 0, "12 of 12 done");
    assert_sound("one.db", "12");
    assert_sound("four.db", "12");
    char *one = strdup(ask("one.db", HASHES));
    assert_string_equal(one, ask("four.db", HASHES));
    assert_true(strlen(one) > 12 * 16);
    /* Once more: nothing to do, the same verdicts. */
    assert_int_equal(RUN("sweep", "many.yaml", "--db", "one.db"), 0);
    assert_string_equal(slurp("err"), "");
    assert_string_equal(ask("one.db", HASHES), one);
    assert_sound("one.db", "12");
    free(one);
}

/* Killed again and again at moments of no choice, it ends all the same. */
static void test_killed(void **state)
{
    (void)state;
    assert_int_equal(RUN("sweep", "many.yaml", "--jobs", "2", "-q", "--db", "calm.db"), 0);
    int status = -1, kills = 0, runs = 0;
    srand(1);
    for (int i = 0; i < 200 && status != 0; i++) {
        pid_t child = START("sweep", "many.yaml", "--jobs", "2", "-q", "--db", "k.db");
        nap(5 + rand() % (30 + 4 * i)); /* longer each time, so that it ends */
        kill(child, SIGKILL);
        status = wait_for(child);
        kills += status == -SIGKILL;
        assert_no_orphans();
        if (access("k.db", F_OK) == 0 &&
            strcmp(ask("k.db", "SELECT count(*) FROM sqlite_master"), "0") != 0) {
            int now = atoi(ask("k.db", "SELECT count(*) FROM run"));
            assert_true(now >= runs); /* what was there stays */
            runs = now;
            assert_string_equal(
                ask("k.db", "SELECT count(DISTINCT config_hash || seed) = count(*) FROM run"), "1");
        }
    }
    assert_int_equal(status, 0);
    assert_true(kills >= 2);
    assert_sound("k.db", "12");
    char *calm = strdup(ask("calm.db", HASHES));
    assert_string_equal(ask("k.db", HASHES), calm);
    free(calm);
}

static void stop_with(int signal_number)
{
    pid_t worker[2];
    pid_t child = START("sweep", "endless.yaml", "--jobs", "2");
    wait_for_workers(child, worker, 2);
    assert_int_equal(kill(child, signal_number), 0);
    kill(child, signal_number); /* impatience changes nothing */
    expect(wait_for(child), 130, "the same command goes on");
    assert_no_orphans();
    assert_sound("endless.db", "0");
}

static void test_stopped(void **state)
{
    (void)state;
    stop_with(SIGINT);
    stop_with(SIGTERM);
    /* A caller that ignores SIGCHLD must not make it wait for ever. */
    signal(SIGCHLD, SIG_IGN);
    pid_t child = START("sweep", "many.yaml", "-q");
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(wait_for(child), 0);
}

/* A worker that dies is one failed run; the others go on. */
static void test_crash(void **state)
{
    (void)state;
    pid_t worker[1];
    write_file("crash.yaml", "experiment: crash\nbase: base.yaml\nruns:\n"
                             "  - {name: long, set: {run.duration: 100 s}}\n  - {name: short}\n"
                             "checks: {a: {of: {of: 'long:total()', min: 0}}, b: {of: {of: "
                             "'short:total()', min: 0}}}\n");
    pid_t child = START("sweep", "crash.yaml", "--jobs", "1");
    wait_for_workers(child, worker, 1);
    nap(50);
    assert_int_equal(kill(worker[0], SIGKILL), 0);
    assert_int_equal(wait_for(child), 3);
    assert_non_null(
        strstr(slurp("out"), "run `long`, seed 1: failed: the process was ended by signal 9"));
    assert_sound("crash.db", "2");
    assert_string_equal(
        ask("crash.db", "SELECT group_concat(outcome) FROM (SELECT * FROM run ORDER BY id)"),
        "failed,ok");
    assert_string_equal(
        ask("crash.db",
            "SELECT group_concat(state) FROM (SELECT * FROM verdict ORDER BY position)"),
        "fail,pass");
    /* A failure is a result: it is not tried again unasked. */
    assert_int_equal(RUN("sweep", "crash.yaml", "-q"), 3);
    assert_sound("crash.db", "2");
    child = START("sweep", "crash.yaml", "--retry", "--jobs", "1");
    wait_for_workers(child, worker, 1);
    kill(child, SIGINT);
    assert_int_equal(wait_for(child), 130);
}

static void test_refused_and_deadlocked(void **state)
{
    (void)state;
    write_file("ring.yaml", "run: {duration: 200 us, sample: 5 us}\n"
                            "topology: {kind: torus, radix: [6], hosts: 1}\nrouting: {kind: dor}\n"
                            "switch: {buffer: 2 KiB}\ntraffic: [{pattern: tornado}]\n");
    write_file("bad.yaml",
               "experiment: bad\nbase: ring.yaml\nruns:\n  - {name: good}\n"
               "  - {name: refused, set: {routing.datelines: no}}\n"
               "  - {name: stuck, set: {routing.datelines: no, run.allow_deadlock: yes}}\n"
               "checks: {c: {of: {of: \"stuck:outcome() == 'deadlock' and 1 or 0\", value: 1}}}\n");
    assert_int_equal(RUN("sweep", "bad.yaml", "-q"), 3);
    assert_string_equal(
        ask("bad.db",
            "SELECT group_concat(outcome) FROM (SELECT outcome FROM point ORDER BY position)"),
        "ok,failed,deadlock");
    assert_non_null(
        strstr(ask("bad.db", "SELECT detail FROM run WHERE outcome = 'failed'"), "can deadlock"));
    assert_string_equal(ask("bad.db", "SELECT state FROM verdict"), "pass");
    assert_sound("bad.db", "3");
}

/* A run that the memory does not suffice for. */
static void test_out_of_memory(void **state)
{
    (void)state;
    write_file("mem.yaml", "experiment: mem\nbase: base.yaml\nruns:\n"
                           "  - {name: huge, set: {topology: {kind: fat-tree, ports: 64, levels: "
                           "3}}}\n  - {name: small}\n");
    struct rlimit before, less;
    getrlimit(RLIMIT_AS, &before);
    less = before;
    less.rlim_cur = (rlim_t)48 << 20;
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    pid_t child = START("sweep", "mem.yaml", "-q", "--jobs", "1");
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    int status = wait_for(child);
    expect(status, 3, "");
    assert_string_equal(
        ask("mem.db",
            "SELECT group_concat(outcome) FROM (SELECT outcome FROM point ORDER BY position)"),
        "failed,ok");
    assert_non_null(
        strstr(ask("mem.db", "SELECT detail FROM run WHERE outcome = 'failed'"), "memory"));
}

static void test_bad_files(void **state)
{
    (void)state;
    write_file("other.db", "this is no database, but long enough to look like one: "
                           "0123456789012345678901234567890123456789");
    expect(RUN("sweep", "many.yaml", "-q", "--db", "other.db"), 2, "other.db");
    sqlite3 *d;
    assert_int_equal(sqlite3_open("foreign.db", &d), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(d, "CREATE TABLE t (a); INSERT INTO t VALUES (7)", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(d);
    expect(RUN("sweep", "many.yaml", "-q", "--db", "foreign.db"), 2, "another program");
    assert_string_equal(ask("foreign.db", "SELECT a FROM t"), "7");
    /* Damage in the middle of a good file. */
    assert_int_equal(RUN("sweep", "many.yaml", "-q"), 0);
    int f = open("many.db", O_WRONLY);
    for (off_t at = 4096; at < 40960; at += 256)
        assert_int_equal(pwrite(f, "garbage!", 8, at), 8);
    close(f);
    expect(RUN("sweep", "many.yaml", "-q"), 2, "many.db");
    /* No folder, a folder, a folder without permission (nobody is stopped from anything as root). */
    expect(RUN("sweep", "many.yaml", "-q", "--db", "no/such/r.db"), 2, "no/such/r.db");
    expect(RUN("sweep", "many.yaml", "-q", "--db", "."), 2, ".");
    if (geteuid() != 0) {
        chmod(dir, 0555);
        int status = RUN("sweep", "many.yaml", "-q", "--db", "r.db");
        chmod(dir, 0755);
        expect(status, 2, "r.db");
    }
    expect(RUN("sweep", "many.yaml", "-q", "--db", "/proc/r.db"), 2, "/proc/r.db");
}

/* A disk that fills up: a clear line, and what was stored stays good. */
static void test_full_disk(void **state)
{
    (void)state;
    const char *const words[] = {"sweep", "many.yaml", "-q", "--jobs", "1", NULL};
    expect(wait_for(start_limited(160 * 1024, words)), 2, "many.db");
    int stored = atoi(ask("many.db", "SELECT count(*) FROM run"));
    assert_true(stored < 12);
    assert_int_equal(RUN("sweep", "many.yaml", "-q"), 0);
    assert_sound("many.db", "12");
}

static void test_usage(void **state)
{
    (void)state;
    expect(RUN("sweep"), 2, "one study file");
    expect(RUN("sweep", "a", "b"), 2, "one study file");
    expect(RUN("sweep", "none.yaml"), 2, "none.yaml: cannot be read");
    expect(RUN("sweep", "many.yaml", "--jobs", "0"), 2, "1 to 256");
    expect(RUN("sweep", "many.yaml", "--scale", "huge"), 2, "quick or full");
    expect(RUN("sweep", "many.yaml", "--jbos", "1"), 2, "did you mean `--jobs`");
    expect(RUN("sweep", "base.yaml"), 2, "base.yaml:1:1: unknown key `run`");
    expect(RUN("reproduce"), 2, "what?");
    expect(RUN("reproduce", "--all", "--experiments", "none"), 2, "no experiments");
    /* Found before anything is simulated or written. */
    write_file(
        "wrong.yaml",
        "experiment: wrong\nbase: base.yaml\nchecks:\n  a: {of: {of: 'all:totl()', min: 1}}\n");
    expect(RUN("sweep", "wrong.yaml"), 2,
           "wrong.yaml:4:16: unknown metric `totl`; did you mean total");
    write_file(
        "loop.yaml",
        "experiment: loop\nbase: base.yaml\nlet: {a: '(function() while true do end end)()'}\n");
    expect(RUN("sweep", "loop.yaml"), 2, "loop.yaml:3:10: takes too long"); /* nothing uses it */
    write_file("loop.yaml", "experiment: loop2\nbase: base.yaml\nchecks: {a: {of: {of: "
                            "'(function() while true do end end)()', min: 1}}}\n");
    expect(RUN("sweep", "loop.yaml"), 2, "loop.yaml:3:23: takes too long");
    assert_int_equal(access("wrong.db", F_OK), -1);
    assert_int_equal(access("loop2.db", F_OK), -1);
    /* Only known from the runs: the study is stored, its check failed. */
    write_file(
        "late.yaml",
        "experiment: late\nbase: base.yaml\nchecks:\n  a: {of: {of: \"all:mean('G')\", min: 1}}\n");
    expect(RUN("sweep", "late.yaml", "-q"), 2, "late.yaml:4:16: no series `G`");
    assert_string_equal(ask("late.db", "SELECT state FROM verdict"), "fail");
}

/* -- reproduce -- */

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
        write_file(path, text);
    }
    write_file("experiments/ex.yaml",
               "experiment: ex\npaper: gran1\nbase: ../base.yaml\n"
               "checks: {gran1-1: '4 + 0 * all:total()', gran1-2: 'all:total()'}\n");
}

static void expect_json(size_t i, const char *id, const char *verdict, bool measured)
{
    json_error_t e;
    json_t *list = json_loads(slurp("out"), 0, &e);
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

#define REPRODUCE(...) RUN("reproduce", "-c", "claims", "-e", "experiments", "-q", __VA_ARGS__)

static void test_reproduce(void **state)
{
    (void)state;
    write_papers();
    assert_int_equal(REPRODUCE("gran1", "--json"), 1);
    expect_json(0, "gran1-1", "pass", true);
    expect_json(1, "gran1-2", "fail", true);
    expect_json(2, "gran1-3", "not-run", false);
    assert_int_equal(REPRODUCE("--list", "gran1-2", "--json"), 0);
    expect_json(0, "gran1-2", "fail", true);
    assert_int_equal(REPRODUCE("--all", "--judge", "--validation", "V.md"), 1);
    assert_non_null(strstr(slurp("V.md"), "| gran1 | 3 | 1 | 1 | 1 | 0 | t |"));
    expect(REPRODUCE("gran9"), 2, "no experiment is called `gran9`");
    expect(REPRODUCE("gran1-3"), 2, "gran1-3");
    /* Only what passes is asked for. */
    write_file("experiments/ex.yaml", "experiment: ex\npaper: gran1\nbase: ../base.yaml\nchecks: "
                                      "{gran1-1: '4 + 0 * all:total()'}\n");
    assert_int_equal(REPRODUCE("ex", "--json"), 0);
    /* No experiment can widen a band, or judge what the papers do not say. */
    write_file("experiments/ex.yaml", "experiment: ex\npaper: gran1\nbase: ../base.yaml\nchecks: "
                                      "{gran1-2: {of: {of: 'all:total()', min: 0}}}\n");
    expect(REPRODUCE("ex"), 2,
           "experiments/ex.yaml:4:19: check gran1-2 does not measure its value");
    write_file(
        "experiments/ex.yaml",
        "experiment: ex\npaper: gran1\nbase: ../base.yaml\nchecks: {gran1-77: 'all:total()'}\n");
    expect(REPRODUCE("ex"), 2, "experiments/ex.yaml:4:20: check `gran1-77` is not in the ledger");
}

#define FRESH(test) cmocka_unit_test_setup(test, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(test_whole),
        FRESH(test_killed),
        FRESH(test_stopped),
        FRESH(test_crash),
        FRESH(test_refused_and_deadlocked),
        FRESH(test_out_of_memory),
        FRESH(test_bad_files),
        FRESH(test_full_disk),
        FRESH(test_usage),
        FRESH(test_reproduce),
    };
    return cmocka_run_group_tests_name("sweep", tests, setup, teardown);
}
