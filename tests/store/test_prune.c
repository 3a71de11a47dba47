/* Studies that are edited between sweeps: the report shows what they ask for now, and `coppice prune`
 * lists and removes what they left behind, and nothing else. */
#include "sweep.h"

/* many.yaml with other loads; `quick`: those of the other scale. */
static void edit(const char *loads, const char *quick)
{
    char study[600];
    snprintf(study, sizeof(study),
             "experiment: many\nbase: base.yaml\nseeds: 2\n"
             "vary: {load: {key: traffic.F.load, values: [%s], quick: [%s]}}\n"
             "figures: [{name: f, kind: line, over: load, series: [{name: n, of: 'all{load = "
             "x}:total()'}]}]\n",
             loads, quick);
    prog_write("many.yaml", study);
}

static void expect_out(prog_answer a, const char *what)
{
    PROG_EXPECT(a.status == 0 && strstr(a.out, what) != NULL, a, "`%s` is not in %s", what, a.out);
}

static void sweep(void)
{
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q"), 0, "");
}

static void test_edited(void **state)
{
    (void)state;
    edit("0.1, 0.2, 0.3", "0.1");
    sweep();
    /* Stored by hand, once under the name of the study. */
    prog_write("alone.yaml", "name: many\nrun: {duration: 30 us}\n"
                             "topology: {kind: single, hosts: 4}\ntraffic: [{pattern: uniform}]\n");
    assert_int_equal(PROG_RUN("run", "alone.yaml", "-q", "--db", "many.db").status, 0);
    assert_int_equal(PROG_RUN("run", "base.yaml", "-q", "--db", "many.db").status, 0);
    expect_out(PROG_RUN("prune", "many.yaml"), "0 of 8 runs in many.db are left over\n");
    expect_out(PROG_RUN("report", "many.db", "--text"), "base");
    edit("0.1, 0.7", "0.2"); /* 0.3 is given up; 0.2 is still asked for at quick scale */
    prog_answer a = PROG_RUN("prune", "many.yaml", "--remove");
    expect_out(a, "0 of 8 runs removed");
    expect_out(a, "2 more are not asked for any more, but a stored study shows them: sweep it "
                  "first\n");
    sweep();
    /* 0.2 and 0.3 are in no stored study now, and not on the page. */
    a = PROG_RUN("report", "many.db", "--text");
    expect_out(a, "4 more runs of earlier states of these studies; `coppice prune` removes them");
    PROG_EXPECT(strstr(a.out, "load 0.3") == NULL, a, "not shown: %s", a.out);
    a = PROG_RUN("prune", "many.yaml");
    expect_out(a, "many: load 0.3, seed 2, ");
    expect_out(a, "2 of 10 runs in many.db are left over; --remove removes them\n");
    assert_string_equal(prog_ask("many.db", "SELECT count(*) FROM run"), "10");
    expect_out(PROG_RUN("prune", "many.yaml", "--remove"), "2 of 10 runs removed; many.db has ");
    sweep_assert_sound("many.db", "8");
    assert_string_equal(
        prog_ask("many.db", "SELECT count(*) FROM scalar WHERE run_id NOT IN (SELECT id FROM run)"),
        "0");
    assert_string_equal(prog_ask("many.db", "SELECT count(*) FROM run WHERE title LIKE '%0.3%'"),
                        "0");
    assert_string_equal(prog_ask("many.db", "SELECT count(*) FROM point p JOIN run r ON r.id = "
                                            "p.run_id"),
                        "4");
    expect_out(PROG_RUN("prune", "many.yaml", "--remove"), "0 of 8 runs removed");
    expect_out(PROG_RUN("report", "many.db", "--text"), "2 more runs of earlier states");
    sweep_expect(PROG_RUN("sweep", "many.yaml", "-q", "--scale", "quick"), 0, "");
    sweep_assert_sound("many.db", "8"); /* it was worth keeping */
}

/* A run that another study shows, too, is not left over for its first owner. */
static void test_shared(void **state)
{
    (void)state;
    edit("0.1, 0.2", "0.1");
    sweep();
    prog_write("other.yaml", "experiment: other\nbase: base.yaml\nseeds: 2\n"
                             "vary: {load: {key: traffic.F.load, values: [0.2]}}\n");
    sweep_expect(PROG_RUN("sweep", "other.yaml", "-q", "--db", "many.db"), 0, "");
    sweep_assert_sound("many.db", "4");
    edit("0.1", "0.1");
    sweep();
    expect_out(PROG_RUN("prune", "many.yaml", "--remove"), "0 of 4 runs removed");
    expect_out(PROG_RUN("prune", "many.yaml", "other.yaml", "--remove"), "0 of 4 runs removed");
    sweep_assert_sound("many.db", "4");
}

static void test_usage(void **state)
{
    (void)state;
    sweep_expect(PROG_RUN("prune"), 2, "give the study files");
    sweep_expect(PROG_RUN("prune", "none.yaml"), 2, "none.yaml: cannot be read");
    sweep_expect(PROG_RUN("prune", "many.yaml", "--remov", "x"), 2, "");
    sweep_expect(PROG_RUN("prune", "many.yaml", "--force"), 2, "--force");
    sweep_expect(PROG_RUN("prune", "many.yaml"), 2, "many.db: No such file");
    sweep_expect(PROG_RUN("prune", "many.yaml", "--remove"), 2, "many.db");
    assert_int_equal(access("many.db", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(test_edited),
        SWEEP_TEST(test_shared),
        SWEEP_TEST(test_usage),
    };
    return cmocka_run_group_tests_name("prune", tests, sweep_enter, prog_leave);
}
