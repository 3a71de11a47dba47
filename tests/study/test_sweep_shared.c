/* Several sweeps into one database at the same time: each run is made once, by whichever comes first,
 * and no sweep waits for one that has died. */
#include "sweep.h"

#include <signal.h>

/* Runs of some 50 ms, so that two sweeps are at work together. */
static const char SLOW[] =
    "experiment: slow\nbase: base.yaml\nset: {run.duration: 20 ms}\nseeds: 2\n"
    "vary: {load: {key: traffic.F.load, values: [0.1, 0.2, 0.3, 0.4]}}\n";
static const prog_how SECOND = {.tag = PROG_SECOND};

static pid_t start_second(const char *study, const char *jobs)
{
    return prog_start(SECOND, PROG_WORDS("sweep", study, "--jobs", jobs));
}

static void stop(prog_how how, pid_t child)
{
    assert_int_equal(kill(child, SIGINT), 0);
    sweep_expect(prog_wait(how, child), 130, "the same command goes on");
}

static void test_two_at_once(void **state)
{
    (void)state;
    prog_write("slow.yaml", SLOW);
    sweep_expect(PROG_RUN("sweep", "slow.yaml", "-q", "--db", "calm.db"), 0, "");
    for (int round = 0; round < 2; round++) {
        pid_t first = PROG_START("sweep", "slow.yaml", "--jobs", "2");
        pid_t second = start_second("slow.yaml", "2");
        sweep_expect(PROG_WAIT(first), 0, "");
        sweep_expect(prog_wait(SECOND, second), 0, "");
        sweep_assert_sound("slow.db", "8");
        assert_string_equal(prog_ask("slow.db", SWEEP_HASHES), prog_ask("calm.db", SWEEP_HASHES));
        assert_int_equal(access("slow.db-claims", F_OK), -1);
        assert_int_equal(remove("slow.db"), 0);
    }
}

/* Two studies that have runs in common share those, and make their own. */
static void test_studies_that_overlap(void **state)
{
    (void)state;
    prog_write("slow.yaml", SLOW);
    prog_write("part.yaml",
               "experiment: part\nbase: base.yaml\nset: {run.duration: 20 ms}\nseeds: 2\n"
               "vary: {load: {key: traffic.F.load, values: [0.2, 0.4, 0.6]}}\n");
    pid_t first = PROG_START("sweep", "slow.yaml", "--jobs", "1", "--db", "both.db");
    pid_t second =
        prog_start(SECOND, PROG_WORDS("sweep", "part.yaml", "--jobs", "1", "--db", "both.db"));
    sweep_expect(PROG_WAIT(first), 0, "");
    sweep_expect(prog_wait(SECOND, second), 0, "");
    sweep_assert_sound("both.db", "10");
    assert_string_equal(prog_ask("both.db", "SELECT count(*) FROM point WHERE run_id IS NULL"),
                        "0");
}

/* A sweep that waits for a run makes it when the sweep that had claimed it dies. */
static void test_dead_sweep(void **state)
{
    (void)state;
    pid_t worker[3];
    pid_t first = PROG_START("sweep", "endless.yaml", "--jobs", "1");
    sweep_wait_for_workers(first, worker, 1);
    pid_t second = start_second("endless.yaml", "3");
    sweep_wait_for_workers(second, worker, 2);
    sweep_nap(300);
    assert_int_equal(sweep_workers(second), 2); /* the third is made by the first sweep */
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(PROG_WAIT(first).status, -SIGKILL);
    sweep_wait_for_workers(second, worker, 3);
    stop(SECOND, second);
    sweep_assert_no_orphans();
    sweep_assert_sound("endless.db", "0");
}

static void test_waiting(void **state)
{
    (void)state;
    pid_t worker[3];
    pid_t first = PROG_START("sweep", "endless.yaml", "--jobs", "3");
    sweep_wait_for_workers(first, worker, 3);
    pid_t second = start_second("endless.yaml", "3");
    sweep_wait_for_words(SECOND, "waiting for 3 runs that another sweep makes\n");
    assert_int_equal(sweep_workers(second), 0);
    stop(SECOND, second);
    assert_int_equal(sweep_workers(first), 3);
    stop((prog_how){0}, first);
    sweep_assert_no_orphans();
}

/* What a killed sweep leaves is no claim. */
static void test_left_behind(void **state)
{
    (void)state;
    pid_t worker[1];
    pid_t first = PROG_START("sweep", "endless.yaml", "--jobs", "1", "--db", "many.db");
    sweep_wait_for_workers(first, worker, 1);
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(PROG_WAIT(first).status, -SIGKILL);
    sweep_assert_no_orphans();
    assert_int_equal(access("many.db-claims", F_OK), 0);
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q"), 0, "");
    sweep_assert_sound("many.db", "12");
    assert_int_equal(access("many.db-claims", F_OK), -1);
}

/* A failure that another sweep just met is news, also for --retry. */
static void test_failed_elsewhere(void **state)
{
    (void)state;
    pid_t worker[1];
    prog_write("fail.yaml", "experiment: fail\nbase: base.yaml\nset: {run.duration: 100 s}\n");
    for (int round = 0; round < 2; round++) {
        pid_t first = PROG_START("sweep", "fail.yaml", "--retry");
        sweep_wait_for_workers(first, worker, 1);
        pid_t second = prog_start(SECOND, PROG_WORDS("sweep", "fail.yaml", "--retry"));
        sweep_wait_for_words(SECOND, "waiting for 1 run that");
        assert_int_equal(kill(worker[0], SIGSEGV), 0);
        assert_int_equal(PROG_WAIT(first).status, 3);
        assert_int_equal(prog_wait(SECOND, second).status, 3);
        assert_string_equal(
            prog_ask("fail.db", "SELECT count(*) FROM run WHERE outcome = 'failed'"),
            round == 0 ? "1" : "2");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(test_two_at_once), SWEEP_TEST(test_studies_that_overlap),
        SWEEP_TEST(test_dead_sweep),  SWEEP_TEST(test_waiting),
        SWEEP_TEST(test_left_behind), SWEEP_TEST(test_failed_elsewhere),
    };
    return cmocka_run_group_tests_name("sweep_shared", tests, sweep_enter, prog_leave);
}
