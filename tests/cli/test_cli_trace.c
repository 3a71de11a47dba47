/* Jobs as users meet them: `coppice trace`, the table of jobs, the database, exit statuses. */
#include "program.h"

static const char goal[] = "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 9000b to 1\nb requires a\n"
                           "c: recv 9000b from 1\nc requires b\n}\nrank 1 {\na: send 9000b to 0\n"
                           "b: recv 9000b from 0\nb requires a\n}\n";
static const char job[] =
    "run: {duration: 1 ms, until: jobs}\ntopology: {kind: single, hosts: 4}\n"
    "traffic:\n  - {name: both, trace: both.goal}\n"
    "  - {name: sum, collective: all-reduce-ring, message: 8 KiB, repeat: 2}\n";

static int fresh(void **state)
{
    (void)state;
    prog_empty_folder();
    prog_write("both.goal", goal);
    prog_write("job.yaml", job);
    return 0;
}

static void test_trace(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("trace", "both.goal");
    PROG_EXPECT(a.status == 0 &&
                    strstr(a.out, "operations    5, at most 3 of a rank; 3 dependencies"),
                a, "%s", a.out);
    PROG_EXPECT(strstr(a.out, "messages      2, 18 kB in all, the largest 9 kB"), a, "%s", a.out);
    PROG_EXPECT(strstr(a.out, "at least      1 us"), a, "%s", a.out);
    a = PROG_RUN("trace", "both.goal", "--calc-unit", "1 us");
    PROG_EXPECT(strstr(a.out, "at least      1 ms"), a, "%s", a.out);
    prog_write("bad.goal", "num_ranks 1\nrank 0 {\nwalk 5\n}\n");
    a = PROG_RUN("trace", "bad.goal");
    PROG_EXPECT(a.status == 2 && strstr(a.err, "bad.goal:3: "), a, "bad operation");
    PROG_EXPECT(prog_lines(a.err) == 1 && a.out[0] == '\0', a, "one line");
    a = PROG_RUN("trace");
    PROG_EXPECT(a.status == 2 && strstr(a.err, "give one trace"), a, "no file");
    a = PROG_RUN("trace", "both.goal", "--calc-unit", "soon");
    PROG_EXPECT(a.status == 2, a, "no time");
}

/* Both send before they receive: no fault as long as messages are eager, and said all the same. */
static void test_waits(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("trace", "both.goal");
    PROG_EXPECT(a.status == 0 && strstr(a.out, "waits         no rank for ever, if all messages"),
                a, "%s", a.out);
    PROG_EXPECT(
        strstr(a.out, "if none is    for ever: rank 0 waits in its send of 9000 bytes to rank 1"),
        a, "%s", a.out);
    a = PROG_RUN("trace", "both.goal", "--eager", "8 KiB");
    PROG_EXPECT(a.status == 2 && strstr(a.err, "both.goal:4: ranks wait for each other for ever"),
                a, "%s", a.err);
    PROG_EXPECT(prog_lines(a.err) == 1 && a.out[0] == '\0', a, "one line");
    a = PROG_RUN("trace", "both.goal", "--eager", "9 kB");
    PROG_EXPECT(a.status == 0, a, "%s", a.err);
    a = PROG_RUN("trace", "both.goal", "--eager", "unlimited");
    PROG_EXPECT(a.status == 0, a, "%s", a.err);
    a = PROG_RUN("trace", "both.goal", "--eager", "soon");
    PROG_EXPECT(a.status == 2 && strstr(a.err, "--eager soon; give a size"), a, "%s", a.err);
    prog_write("any.goal",
               "num_ranks 2\nrank 0 {\nrecv 8b from -1 tag -1\n}\nrank 1 {\nsend 8b to 0\n}\n");
    a = PROG_RUN("trace", "any.goal");
    PROG_EXPECT(a.status == 0 && strstr(a.out, "not checked   what 1 receive"), a, "%s", a.out);
}

static void test_run_and_database(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("run", "job.yaml", "--quiet", "--db", "r.db");
    PROG_EXPECT(a.status == 0 && strstr(a.out, "sum: all-reduce-ring#2"), a, "%s", a.out);
    assert_string_equal(prog_ask("r.db", "SELECT count(*) FROM job WHERE end_ns IS NOT NULL"), "2");
    assert_string_equal(prog_ask("r.db", "SELECT group_concat(host) FROM job_rank WHERE job = 1"),
                        "0,1,2,3");
    assert_string_equal(prog_ask("r.db", "SELECT count(*) FROM job_collective WHERE ranks = 4"),
                        "2");
    /* The parts of the critical path are the time of the job, and so are its steps. */
    assert_string_equal(
        prog_ask("r.db", "SELECT count(*) FROM job WHERE abs(end_ns - start_ns - path_compute_ns"
                         " - path_overhead_ns - path_network_ns - path_wait_ns) < 1e-6"),
        "2");
    assert_string_equal(prog_ask("r.db",
                                 "SELECT count(*) FROM job AS j WHERE abs(end_ns - start_ns -"
                                 " (SELECT sum(to_ns - from_ns) FROM job_path AS p WHERE p.job ="
                                 " j.job)) < 1e-6"),
                        "2");
    assert_string_equal(
        prog_ask("r.db", "SELECT kind || ' ' || from_ns || ' ' || to_ns FROM job_slice"),
        "calc 0.0 1000.0");
    assert_string_equal(
        prog_ask("r.db", "SELECT count(*) FROM scalar WHERE name = 'job/sum/completion'"), "1");
}

static void test_stuck(void **state)
{
    (void)state;
    prog_answer a =
        PROG_RUN("run", "job.yaml", "--quiet", "--db", "r.db", "--set", "traffic.both.eager=1 KiB");
    PROG_EXPECT(a.status == 3 && strstr(a.out, "STUCK"), a, "%s", a.out);
    PROG_EXPECT(strstr(a.out, "for which no receive is posted"), a, "%s", a.out);
    assert_string_equal(prog_ask("r.db", "SELECT outcome FROM run"), "stuck");
    assert_string_equal(prog_ask("r.db", "SELECT stuck FROM job WHERE name = 'both'"), "1");
    assert_string_equal(prog_ask("r.db", "SELECT end_ns IS NULL FROM job WHERE name = 'both'"),
                        "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_trace, fresh),
        cmocka_unit_test_setup(test_waits, fresh),
        cmocka_unit_test_setup(test_run_and_database, fresh),
        cmocka_unit_test_setup(test_stuck, fresh),
    };
    return cmocka_run_group_tests(tests, prog_enter, prog_leave);
}
