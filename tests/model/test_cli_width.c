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
                                         {"reproduce", "--list"}};
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
                           "# warning: cc qcn: nobody heeds its notifications, as sources do "
                           "not react and\n#   the"));
    char first[32768];
    assert_true(strlen(a.out) < sizeof(first));
    snprintf(first, sizeof(first), "%s", a.out);
    prog_write("again.yaml", first);
    prog_answer b = PROG_RUN("check", "again.yaml");
    expect_narrow(b, "check of check");
    assert_string_equal(strchr(b.out, '\n'), strchr(first, '\n'));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines_are_narrow),
                                       cmocka_unit_test(test_facts_are_narrow),
                                       cmocka_unit_test(test_no_word_is_lost)};
    return cmocka_run_group_tests_name("cli_width", tests, prog_enter, prog_leave);
}
