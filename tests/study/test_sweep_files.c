/* Which run is which: a run is found again by what decides its result, and that includes the
 * contents of the files that its configuration names. */
#include "sweep.h"

#include <signal.h>
#include <sys/stat.h>

/* Two hosts at one switch; the link of h1 has the given speed. */
#define FABRIC(speed)                                                                              \
    "switchguid=0xa0(a0)\nSwitch 2 \"S-a0\" # \"leaf\" base port 0 lid 1 lmc 0\n"                  \
    "[1] \"H-10\"[1](10) # \"h0 HCA-1\" lid 10 4xEDR\n"                                            \
    "[2] \"H-11\"[1](11) # \"h1 HCA-1\" lid 11 " speed "\n\n"                                      \
    "caguid=0x10\nCa 1 \"H-10\" # \"h0 HCA-1\"\n"                                                  \
    "[1](10) \"S-a0\"[1] # \"leaf\" lid 1 4xEDR\n\n"                                               \
    "caguid=0x11\nCa 1 \"H-11\" # \"h1 HCA-1\"\n"                                                  \
    "[1](11) \"S-a0\"[2] # \"leaf\" lid 1 " speed "\n"
/* 0x000a is host h0, 0x000b h1. */
#define TABLE(extra)                                                                               \
    extra "Unicast lids [0-11] of switch Lid 1 guid 0x00000000000000a0 ('leaf'):\n"                \
          "0x000a 001\n0x000b 002\n2 lids dumped\n"

static void write_fabric(void)
{
    prog_write("f.net", FABRIC("4xEDR"));
    prog_write("f.lft", TABLE(""));
    prog_write("f.yaml", "run: {duration: 100 us, warmup: 20 us}\nlink: {rate: 100 Gbit/s}\n"
                         "topology: {kind: file, path: f.net}\n"
                         "routing: {kind: table, path: f.lft}\n"
                         "traffic: [{name: F, from: [0], pattern: fixed, to: 1}]\n");
    prog_write("net.yaml", "experiment: net\nbase: f.yaml\n"
                           "checks: {rate: {of: {of: 'all:total()', min: 0}}}\n");
}

/* Gbit/s of the run that the study shows now. */
static double shown_gbps(void)
{
    return atof(prog_ask("net.db", "SELECT value FROM scalar JOIN point USING (run_id)"
                                   " WHERE name = 'throughput_total_gbps'"));
}

static void sweep_net(const char *runs_afterwards)
{
    sweep_expect(PROG_RUN("sweep", "net.yaml", "-q"), 0, "");
    sweep_assert_sound("net.db", runs_afterwards);
}

static void test_edited_topology(void **state)
{
    (void)state;
    write_fabric();
    sweep_net("1");
    double fast = shown_gbps();
    sweep_net("1"); /* nothing was edited: found again */
    prog_write("f.net", FABRIC("4xSDR")); /* 8 Gbit/s of data */
    sweep_net("2");
    double slow = shown_gbps();
    assert_true(slow < 8.01 && slow > 7.5);
    assert_true(fast > 50);
    prog_write("f.net", FABRIC("4xEDR")); /* as it was: the first result counts again */
    sweep_net("2");
    assert_true(shown_gbps() == fast);
}

static void test_edited_tables(void **state)
{
    (void)state;
    write_fabric();
    sweep_net("1");
    prog_write("f.lft", TABLE("\n")); /* means the same, but only a reader of tables knows */
    sweep_net("2");
}

/* A name is not what decides: the same files elsewhere are the same run. */
static void test_moved_files(void **state)
{
    (void)state;
    write_fabric();
    sweep_net("1");
    assert_int_equal(mkdir("there", 0755), 0);
    static const char *const files[] = {"f.net", "f.lft", "f.yaml", "net.yaml"};
    for (size_t i = 0; i < COP_LEN(files); i++) {
        char to[32];
        snprintf(to, sizeof(to), "there/%s", files[i]);
        assert_int_equal(rename(files[i], to), 0);
    }
    sweep_expect(PROG_RUN("sweep", "there/net.yaml", "-q", "--db", "net.db"), 0, "");
    sweep_assert_sound("net.db", "1");
}

/* What cannot be built for want of a file is refused, and run once the file is there. */
static void test_missing_file(void **state)
{
    (void)state;
    write_fabric();
    remove("f.net");
    sweep_expect(PROG_RUN("sweep", "net.yaml", "-q"), 2, "f.net: cannot be opened");
    assert_int_equal(access("net.db", F_OK), -1);
    prog_write("f.net", FABRIC("4xEDR"));
    sweep_net("1");
    assert_string_equal(prog_ask("net.db", "SELECT outcome FROM point"), "ok");
}

/* `coppice run` stores under the same identity, so that a sweep finds it. */
static void test_found_by_sweep(void **state)
{
    (void)state;
    write_fabric();
    assert_int_equal(PROG_RUN("run", "f.yaml", "-q", "--db", "net.db").status, 0);
    sweep_net("1");
    prog_write("f.net", FABRIC("4xSDR"));
    sweep_net("2");
}

/* Edited after the plan was made: no result is stored under a name that is not its own. */
static void test_edited_meanwhile(void **state)
{
    (void)state;
    pid_t worker[1];
    write_fabric();
    prog_write("two.yaml", "experiment: two\nbase: f.yaml\nruns:\n"
                           "  - {name: long, set: {run.duration: 100 s}}\n  - {name: short}\n");
    pid_t child = PROG_START("sweep", "two.yaml", "-q", "--jobs", "1");
    sweep_wait_for_workers(child, worker, 1);
    sweep_nap(50);
    prog_write("f.net", FABRIC("4xSDR"));
    (void)kill(worker[0], SIGKILL); /* the next one starts, if this one has not noticed yet */
    sweep_expect(PROG_WAIT(child), 2, "f.yaml, or a file it names, was changed");
    assert_string_equal(prog_ask("two.db", "SELECT count(*) FROM run WHERE outcome = 'ok'"), "0");
    /* The same command goes on with the file as it is now. */
    prog_write("two.yaml", "experiment: two\nbase: f.yaml\nruns: [{name: short}]\n");
    sweep_expect(PROG_RUN("sweep", "two.yaml", "-q"), 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(test_edited_topology), SWEEP_TEST(test_edited_tables),
        SWEEP_TEST(test_moved_files),     SWEEP_TEST(test_missing_file),
        SWEEP_TEST(test_found_by_sweep),  SWEEP_TEST(test_edited_meanwhile),
    };
    return cmocka_run_group_tests_name("sweep_files", tests, sweep_enter, prog_leave);
}
