/* Sweeps as their users meet them: whole, killed, stopped and with runs that die. Afterwards the
 * database must hold exactly what it should, each run once, with the same hashes as an undisturbed
 * sweep. */
#include "sweep.h"

#include <signal.h>
#include <sys/resource.h>

static void test_whole(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("sweep", "many.yaml", "--jobs", "1", "--db", "one.db");
    sweep_expect(a, 0, "12 of 12 done");
    assert_non_null(strstr(a.out, "\n  rises | asked ≥ 0.7 | here "));
    sweep_expect(PROG_RUN("sweep", "many.yaml", "--jobs", "4", "--db", "four.db"), 0,
                 "12 of 12 done");
    sweep_assert_sound("one.db", "12");
    sweep_assert_sound("four.db", "12");
    const char *one = prog_ask("one.db", SWEEP_HASHES);
    assert_string_equal(one, prog_ask("four.db", SWEEP_HASHES));
    assert_true(strlen(one) > 12 * 16);
    /* Once more: nothing to do, the same verdicts. */
    a = PROG_RUN("sweep", "many.yaml", "--db", "one.db");
    assert_int_equal(a.status, 0);
    assert_string_equal(a.err, "");
    assert_string_equal(prog_ask("one.db", SWEEP_HASHES), one);
    sweep_assert_sound("one.db", "12");
}

/* The number of packets is odd with some seeds and even with others: they do not agree. */
static void test_words_of_verdicts(void **state)
{
    (void)state;
    prog_write("words.yaml", "experiment: words\nbase: base.yaml\nseeds: 5\n"
                             "let: {odd: \"all:scalar('packets_injected') % 2\"}\n"
                             "checks:\n"
                             "  apart: {of: {of: odd, min: 0.5}}\n"
                             "  wide: {of: {of: odd, min: -1, max: 2}}\n"
                             "  only: {of: {of: odd, rule: shown}}\n");
    prog_answer a = PROG_RUN("sweep", "words.yaml", "-q");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "| asked ≥ 0.5   | here "));
    assert_non_null(strstr(a.out, "| FAIL, narrow\n      seeds gave 0 to 1\n"));
    assert_non_null(strstr(a.out, "| asked -1 to 2 | here "));
    assert_non_null(strstr(a.out, "| pass\n"));
    assert_non_null(strstr(a.out, "| recorded\n"));
    assert_non_null(strstr(a.out, "3 checks: 1 pass, 1 fail (1 narrow), 0 not run, 1 recorded\n"));
    assert_string_equal(prog_ask("words.db", "SELECT group_concat(state, ' ') FROM verdict"),
                        "fail pass recorded");
    /* What another model found is taken if that is asked for, and remembered as its, as what it does is not known. */
    assert_string_equal(prog_ask("words.db",
                                 "SELECT count(DISTINCT model) = 1 AND inputs LIKE '% ' ||"
                                 " (SELECT value FROM meta WHERE key = 'behaviour of ' || model)"
                                 " FROM run, experiment"),
                        "1");
    prog_ask("words.db", "UPDATE run SET model = '0123456789abcdef' WHERE seed < 3");
    a = PROG_RUN("sweep", "words.yaml", "-q", "--any-build");
    assert_int_equal(a.status, 0);
    assert_string_equal(prog_ask("words.db", "SELECT count(*) FROM run"), "5");
    assert_string_equal(
        prog_ask("words.db", "SELECT inputs LIKE '% 0123456789abcdef' FROM experiment"), "1");
}

/* Killed again and again at moments of no choice, it ends all the same. */
static void test_killed(void **state)
{
    (void)state;
    assert_int_equal(PROG_RUN("sweep", "many.yaml", "--jobs", "2", "-q", "--db", "calm.db").status,
                     0);
    int status = -1, kills = 0, runs = 0;
    srand(1);
    for (int i = 0; i < 200 && status != 0; i++) {
        pid_t child = PROG_START("sweep", "many.yaml", "--jobs", "2", "-q", "--db", "k.db");
        sweep_nap(5 + rand() % (30 + i * i / 2)); /* longer each time, so that it ends */
        kill(child, SIGKILL);
        status = PROG_WAIT(child).status;
        kills += status == -SIGKILL;
        sweep_assert_no_orphans();
        if (access("k.db", F_OK) == 0 &&
            strcmp(prog_ask("k.db", "SELECT count(*) FROM sqlite_master"), "0") != 0) {
            int now = atoi(prog_ask("k.db", "SELECT count(*) FROM run"));
            assert_true(now >= runs); /* what was there stays */
            runs = now;
            assert_string_equal(
                prog_ask("k.db", "SELECT count(DISTINCT config_hash || seed) = count(*) FROM run"),
                "1");
        }
    }
    assert_int_equal(status, 0);
    assert_true(kills >= 2);
    sweep_assert_sound("k.db", "12");
    assert_string_equal(prog_ask("k.db", SWEEP_HASHES), prog_ask("calm.db", SWEEP_HASHES));
}

static void stop_with(int signal_number)
{
    pid_t worker[2];
    pid_t child = PROG_START("sweep", "endless.yaml", "--jobs", "2");
    sweep_wait_for_workers(child, worker, 2);
    assert_int_equal(kill(child, signal_number), 0);
    kill(child, signal_number); /* impatience changes nothing */
    sweep_expect(PROG_WAIT(child), 130, "the same command goes on");
    sweep_assert_no_orphans();
    sweep_assert_sound("endless.db", "0");
}

static void test_stopped(void **state)
{
    (void)state;
    stop_with(SIGINT);
    stop_with(SIGTERM);
    /* A caller that ignores SIGCHLD must not make it wait for ever. */
    signal(SIGCHLD, SIG_IGN);
    pid_t child = PROG_START("sweep", "many.yaml", "-q");
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(PROG_WAIT(child).status, 0);
}

/* A worker that dies of a fault of its own is one failed run; the others go on. */
static void test_crash(void **state)
{
    (void)state;
    pid_t worker[1];
    prog_write("crash.yaml", "experiment: crash\nbase: base.yaml\nruns:\n"
                             "  - {name: long, set: {run.duration: 100 s}}\n  - {name: short}\n"
                             "checks: {a: {of: {of: 'long:total()', min: 0}}, b: {of: {of: "
                             "'short:total()', min: 0}}}\n");
    pid_t child = PROG_START("sweep", "crash.yaml", "--jobs", "1");
    sweep_wait_for_workers(child, worker, 1);
    sweep_nap(50);
    assert_int_equal(kill(worker[0], SIGSEGV), 0);
    prog_answer a = PROG_WAIT(child);
    assert_int_equal(a.status, 3);
    assert_non_null(
        strstr(a.out, "run `long`, seed 1: failed: the process was ended by signal 11"));
    assert_non_null(strstr(a.out, "1 failed; `--retry` simulates it again\n"));
    sweep_assert_sound("crash.db", "2");
    assert_string_equal(
        prog_ask("crash.db", "SELECT group_concat(outcome) FROM (SELECT * FROM run ORDER BY id)"),
        "failed,ok");
    assert_string_equal(
        prog_ask("crash.db",
                 "SELECT group_concat(state) FROM (SELECT * FROM verdict ORDER BY position)"),
        "fail,pass");
    /* A failure is a result: it is not tried again unasked. */
    assert_int_equal(PROG_RUN("sweep", "crash.yaml", "-q").status, 3);
    sweep_assert_sound("crash.db", "2");
    child = PROG_START("sweep", "crash.yaml", "--retry", "--jobs", "1");
    sweep_wait_for_workers(child, worker, 1);
    kill(child, SIGINT);
    assert_int_equal(PROG_WAIT(child).status, 130);
}

#define POINTS(column)                                                                             \
    "SELECT group_concat(" column ") FROM (SELECT * FROM point ORDER BY position)"

/* Two runs, the first of which takes long enough to be killed at work. */
static void write_victim(const char *duration)
{
    char study[400];
    snprintf(study, sizeof(study),
             "experiment: victim\nbase: base.yaml\nruns:\n"
             "  - {name: long, set: {run.duration: %s}}\n  - {name: short}\n  - {name: twin, set: "
             "{run.duration: %s}}\n",
             duration, duration);
    prog_write("victim.yaml", study);
}

static pid_t start_victim(const char *duration, pid_t *worker)
{
    write_victim(duration);
    pid_t child = PROG_START("sweep", "victim.yaml", "--jobs", "1");
    sweep_wait_for_workers(child, worker, 1);
    return child;
}

/* A worker that the machine ends says nothing of its run: it is made once more, and counts then. */
static void test_killed_worker(void **state)
{
    (void)state;
    pid_t worker[1];
    prog_answer a = {0};
    /* Long enough to be met at work, however busy the machine is. */
    for (int ms = 1000; a.err == NULL || strstr(a.err, "run `long`") == NULL; ms *= 4) {
        char duration[40];
        assert_true(ms < 1000000);
        snprintf(duration, sizeof(duration), "%d ms", ms);
        (void)remove("victim.db");
        pid_t child = start_victim(duration, worker);
        (void)kill(worker[0], SIGKILL);
        a = PROG_WAIT(child);
    }
    sweep_expect(a, 0,
                 "run `long`, seed 1: the process was ended by signal 9 (Killed); it is made once "
                 "more, alone, at the end\n");
    assert_string_equal(prog_ask("victim.db", POINTS("outcome")), "ok,ok,ok");
    /* The other one first. */
    assert_string_equal(prog_ask("victim.db", POINTS("run_id")), "2,1,2");
    sweep_assert_sound("victim.db", "2");
}

/* Twice: it is left out, not stored, and the next sweep tries again without being asked to. */
static void test_worker_killed_twice(void **state)
{
    (void)state;
    pid_t worker[1];
    pid_t child = start_victim("100 s", worker);
    assert_int_equal(kill(worker[0], SIGKILL), 0);
    sweep_wait_for_words((prog_how){0}, "1 of 2 done; short: ok\n");
    sweep_wait_for_workers(child, worker, 1);
    assert_int_equal(kill(worker[0], SIGKILL), 0);
    prog_answer a = PROG_WAIT(child);
    assert_int_equal(a.status, 3);
    PROG_EXPECT(strstr(a.out, "run `long`, seed 1: missing: the process was ended by signal 9 "
                              "(Killed), twice; nothing is stored, the same command tries again"),
                a, "said");
    PROG_EXPECT(strstr(a.out, "run `twin`, seed 1: missing: the process was ended"), a, "of both");
    assert_string_equal(prog_ask("victim.db", POINTS("outcome")), "missing,ok,missing");
    sweep_assert_sound("victim.db", "1");
    child = start_victim("100 s", worker);
    kill(child, SIGINT);
    assert_int_equal(PROG_WAIT(child).status, 130);
    /* Made shorter it ends, and nothing of its past remains. */
    write_victim("20 ms");
    sweep_expect(PROG_RUN("sweep", "victim.yaml", "-q"), 0, "");
    sweep_assert_sound("victim.db", "2");
}

static void test_deadlocked(void **state)
{
    (void)state;
    prog_write("ring.yaml", "run: {duration: 200 us, sample: 5 us}\n"
                            "topology: {kind: torus, radix: [6], hosts: 1}\nrouting: {kind: dor}\n"
                            "switch: {buffer: 2 KiB}\ntraffic: [{pattern: tornado}]\n");
    prog_write("bad.yaml",
               "experiment: bad\nbase: ring.yaml\nruns:\n  - {name: good}\n"
               "  - {name: stuck, set: {routing.datelines: no, run.allow_deadlock: yes}}\n"
               "  - {name: twin, set: {routing.datelines: no, run.allow_deadlock: yes}}\n"
               "checks: {c: {of: {of: \"stuck:outcome() == 'deadlock' and 1 or 0\", value: 1}}}\n");
    assert_int_equal(PROG_RUN("sweep", "bad.yaml", "-q").status, 3);
    assert_string_equal(
        prog_ask("bad.db",
                 "SELECT group_concat(outcome) FROM (SELECT outcome FROM point ORDER BY position)"),
        "ok,deadlock,deadlock"); /* one run for the last two */
    assert_string_equal(prog_ask("bad.db", "SELECT state FROM verdict"), "pass");
    sweep_assert_sound("bad.db", "2");
}

/* A run that the memory does not suffice for: on another machine it may. */
static void test_out_of_memory(void **state)
{
    (void)state;
    prog_write("mem.yaml", "experiment: mem\nbase: base.yaml\nruns:\n"
                           "  - {name: huge, set: {topology: {kind: fat-tree, ports: 64, levels: "
                           "3}}}\n  - {name: small}\n");
    struct rlimit before, less;
    getrlimit(RLIMIT_AS, &before);
    less = before;
    less.rlim_cur = (rlim_t)48 << 20;
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    pid_t child = PROG_START("sweep", "mem.yaml", "-q", "--jobs", "1");
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    prog_answer a = PROG_WAIT(child);
    assert_int_equal(a.status, 3);
    PROG_EXPECT(strstr(a.out, "missing: coppice: out of memory; use a smaller network or a machine "
                              "with more memory, twice; nothing is stored"),
                a, "said");
    assert_string_equal(
        prog_ask("mem.db",
                 "SELECT group_concat(outcome) FROM (SELECT outcome FROM point ORDER BY position)"),
        "missing,ok");
    sweep_assert_sound("mem.db", "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(test_whole),
        SWEEP_TEST(test_words_of_verdicts),
        SWEEP_TEST(test_killed),
        SWEEP_TEST(test_stopped),
        SWEEP_TEST(test_crash),
        SWEEP_TEST(test_deadlocked),
        SWEEP_TEST(test_out_of_memory),
        SWEEP_TEST(test_killed_worker),
        SWEEP_TEST(test_worker_killed_twice),
    };
    return cmocka_run_group_tests_name("sweep", tests, sweep_enter, prog_leave);
}
