/* Help and lists fit 80 columns, and nothing is lost where lines break. */
#include "program.h"

#include "base/text.h"

static void expect_narrow(prog_answer a, const char *what)
{
    PROG_EXPECT(a.status == 0 && a.out[0] != '\0', a, "%s", what);
    for (const char *line = a.out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char copy[2000];
        snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
        if (cop_columns(copy) > 80)
            fail_msg("%s: %zu columns: %s", what, cop_columns(copy), copy);
    }
}

static void test_lines_are_narrow(void **state)
{
    (void)state;
    static const char *const all[][3] = {{"--help"},
                                         {"run", "--help"},
                                         {"check", "--help"},
                                         {"list", "--help"},
                                         {"bench", "--help"},
                                         {"reproduce", "--help"},
                                         {"sweep", "--help"},
                                         {"report", "--help"},
                                         {"view", "--help"},
                                         {"prune", "--help"},
                                         {"trace", "--help"},
                                         {"list"},
                                         {"list", "topologies"},
                                         {"list", "routings"},
                                         {"list", "queueing"},
                                         {"list", "cc"},
                                         {"list", "traffic"},
                                         {"list", "hosts"},
                                         {"list", "sections"},
                                         {"list", "metrics"},
                                         {"list", "experiments"},
                                         {"list", "routings", "qcn-switch"},
                                         {"list", "cc", "qcn"},
                                         {"list", "cc", "ibcc"},
                                         {"reproduce", "--list"},
                                         {"reproduce", "--list", "gran1"}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        const char *const *w = all[i];
        prog_answer a = w[2]   ? PROG_RUN(w[0], w[1], w[2])
                        : w[1] ? PROG_RUN(w[0], w[1])
                               : PROG_RUN(w[0]);
        expect_narrow(a, w[2] ? w[2] : w[1] ? w[1] : w[0]);
    }
}

static const char dragonfly[] =
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\nrouting: {kind: ugal}\n"
    "cc: {kind: qcn, react: no}\ntraffic: [{}]\n";

/* What `check` finds stands in comments, which go on as comments: the whole is a configuration again. */
static void test_facts_are_narrow(void **state)
{
    (void)state;
    prog_write("dragonfly.yaml", dragonfly);
    prog_answer a = PROG_RUN("check", "dragonfly.yaml");
    expect_narrow(a, "check");
    assert_non_null(strstr(a.out,
                           "# warning: cc qcn: its notifications have no effect, as sources do "
                           "not react and"));
    char first[32768];
    assert_true(strlen(a.out) < sizeof(first));
    snprintf(first, sizeof(first), "%s", a.out);
    prog_write("again.yaml", first);
    prog_answer b = PROG_RUN("check", "again.yaml");
    expect_narrow(b, "check of check");
    assert_string_equal(strchr(b.out, '\n'), strchr(first, '\n'));
}

/* Names, titles, lists and hosts that are as long as they may be in any file: `check` prints a configuration that means the same
 * as the file, its table of a switch and its opensm.conf; `run` its tables and plots. */
static void test_a_long_configuration(void **state)
{
    (void)state;
    prog_write(
        "long.yaml",
        "name: long\n"
        "title: 'Silent \"forest\" of 8 congestion trees on 648 nodes \\ with InfiniBand''s "
        "congestion control, [and] {more}, words than fit into a line of eighty columns'\n"
        "run: {duration: 20 us, observe: 'queue/s0.0, queue/s0.1, queue/s0.2, queue/s0.3, "
        "queue/s0.4, received/all, sent/s0.0'}\n"
        "topology: {kind: chain, hosts: [19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
        "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 19]}\n"
        "cc: {kind: ibcc}\n"
        "traffic:\n"
        "  - {name: a-name-that-is-rather-long-for-a-flow, from: [0, 2, 4, 6, 8, 10, 12, 14, 16], "
        "pattern: list, "
        "to_list: [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37], "
        "active: [1 us, 2 us, 3 us, 4 us, 5 us, 6 us, 7 us, 8 us, 9 us, 10 us, 11 us, 12 us]}\n");
    prog_answer a = PROG_RUN("check", "long.yaml");
    expect_narrow(a, "check of long lines");
    char first[32768];
    snprintf(first, sizeof(first), "%s", a.out);
    prog_write("again.yaml", first);
    prog_answer b = PROG_RUN("check", "again.yaml");
    assert_string_equal(strchr(b.out, '\n'), strchr(first, '\n'));
    a = PROG_RUN("check", "long.yaml", "--opensm");
    char *table = strstr(a.out, "\ncc_cct "); /* a table of OpenSM's is one line */
    assert_non_null(table);
    const char *behind = table + 1 + strcspn(table + 1, "\n");
    memmove(table, behind, strlen(behind) + 1);
    expect_narrow(a, "check --opensm");
    a = PROG_RUN("run", "long.yaml", "-q", "--set", "topology.hosts=[19, 19]");
    expect_narrow(a, "run");
    assert_non_null(strstr(a.out, "\n  a-name-that-is-rather-long-for-a-flow/0\n")
                        ?: strstr(a.out, "\n  a-name-that-is-rather-long-for-a-flow\n"));
    prog_write("dragonfly.yaml", dragonfly);
    a = PROG_RUN("check", "dragonfly.yaml", "--set", "routing.kind=qcn-switch", "--set",
                 "cc.react=yes", "--table", "s0");
    expect_narrow(a, "check --table");
}

/* The words of a text, with one space between two. */
static const char *words_of(const char *text, char *to, size_t size)
{
    size_t n = 0;
    for (const char *s = text; *s != '\0' && n + 2 < size;) {
        size_t k = strcspn(s, " \n");
        n += (size_t)snprintf(to + n, size - n, n ? " %.*s" : "%.*s", (int)k, s);
        s += k + strspn(s + k, " \n");
    }
    return to;
}

static void test_no_word_is_lost(void **state)
{
    (void)state;
    char text[16384];
    words_of(PROG_RUN("run", "--help").out, text, sizeof(text));
    assert_non_null(strstr(
        text, "add mechanisms of your own from a shared object, whose code runs as part of the "
              "program (docs/ADDING.md)"));
    assert_non_null(strstr(
        text, "[--watch SPEC] [--timeline FILE] [--live[=paused]] [--plugin FILE] simulate one"));
    words_of(PROG_RUN("list", "routings", "qcn-switch").out, text, sizeof(text));
    assert_non_null(strstr(
        text, "raise the probability of their own minimal port: for traffic that fills all links"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_narrow), cmocka_unit_test(test_facts_are_narrow),
        cmocka_unit_test(test_a_long_configuration), cmocka_unit_test(test_no_word_is_lost)};
    return cmocka_run_group_tests_name("cli_width", tests, prog_enter, prog_leave);
}
