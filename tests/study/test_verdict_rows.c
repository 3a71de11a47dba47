/* What `reproduce` says of a check: a row for each value, with what the paper says, what is measured, the
 * unit and the verdict, in 80 columns; nothing that fails or is narrow is hidden. */
#include "sweep.h"

#include "base/text.h"

#include <sys/stat.h>

static const char *const others[] = {"gran0", "gran1", "gran2", "gran3", "gran5",
                                     "gran6", "fern",  "qcn",   "pfis"};

#define CLAIM(id, kind, rest)                                                                      \
    "  - {id: gran4-" id ", where: table II, setup: s, experiment: ex, kind: " kind                \
    ", needs: [none], " rest "}\n"

/* A ledger of ten papers, of which one has checks, and an experiment whose values are known. */
static void write_ledger(void)
{
    mkdir("claims", 0755);
    mkdir("experiments", 0755);
    for (size_t i = 0; i < COP_LEN(others); i++) {
        char path[64], text[256];
        snprintf(path, sizeof(path), "claims/%s.yaml", others[i]);
        snprintf(text, sizeof(text), "paper: %s\ntitle: t\nsource: s\nchecks: []\n", others[i]);
        prog_write(path, text);
    }
    prog_write(
        "claims/gran4.yaml",
        "paper: gran4\ntitle: Reach of control\nsource: An author, 2012\nchecks:\n" CLAIM(
            "1", "printed",
            "metric: rate of hot nodes, subject: 'hot spots receive, control on',"
            " unit: Gbit/s, expected: {value: 13.279}, tolerance: 4 %")
            CLAIM("2", "printed",
                  "metric: parts, expected: {values: {leaf_switches: 36,"
                  " spines: 18}}, tolerance: exact")
                CLAIM("3", "printed",
                      "metric: hours, unit: hours, subject: hours of one core,"
                      " expected: {value: 10}, tolerance: 5 %")
                    CLAIM("4", "derived",
                          "metric: rate that follows from the number of senders,"
                          " expected: {value: 2}, tolerance: {min: 1, max: 4}")
                        CLAIM("5", "order",
                              "metric: gain, bound: ours, expected: {min: 1.5},"
                              " tolerance: {min: 1.5}")
                            CLAIM("6", "printed",
                                  "metric: not measured, expected: {value: 1}, tolerance: 1 %")
                                CLAIM("7", "printed",
                                      "metric: near, subject: nearly, expected: {value: 1},"
                                      " tolerance: {max: 1.00001}"));
    prog_write(
        "experiments/ex.yaml",
        "experiment: ex\ntitle: A title\npaper: gran4\nbase: ../base.yaml\nseeds: 2\n"
        "let: {zero: '0 * all:total()', odd: \"all:scalar('packets_injected') % 2\"}\n"
        "checks:\n"
        "  gran4-1: '13.5524 + 0 * all:total()'\n"
        "  gran4-2: {of: {leaf_switches: '36 + 0 * all:total()', spines: '18.5 + 0 * all:total()',"
        " beside: {of: '7 + 0 * all:total()', rule: shown},"
        " first above second: {of: '0.3 + 0 * all:total()', rule: sign}}, explain: half a switch}\n"
        "  gran4-3: '11 + 0 * all:total()'\n"
        "  gran4-4: '3 + 0 * all:total()'\n"
        "  gran4-5: '1.6 + 0 * all:total()'\n"
        "  gran4-7: '1.00002 + 0 * all:total()'\n");
}

#define REPRODUCE(...) PROG_RUN("reproduce", "-c", "claims", "-e", "experiments", "-q", __VA_ARGS__)

static void expect_narrow(const char *text)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char copy[1000];
        snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
        if (cop_columns(copy) > 80)
            fail_msg("%zu columns: %s", cop_columns(copy), copy);
    }
}

static void expect_text(prog_answer a, const char *text)
{
    if (strstr(a.out, text) == NULL)
        fail_msg("expected:\n%s\nin:\n%s%s", text, a.out, a.err);
}

static void test_rows(void **state)
{
    (void)state;
    write_ledger();
    prog_answer a = REPRODUCE("ex");
    assert_int_equal(a.status, 1);
    expect_text(a,
                "\nex  A title\n"
                "  hot spots receive, control on        | paper 13.28 | here 13.55 Gbit/s | pass\n"
                "  gran4-2  parts\n"
                "    leaf switches                      | paper 36    | here 36           | pass\n"
                "    spines                             | paper 18    | here 18.5         | FAIL\n"
                "      must be 18\n"
                "    beside                             |             | here 7            | shown\n"
                "    first above second                 | paper > 0   | here 0.3          | pass\n"
                "      why:  half a switch\n"
                "  hours of one core                    | paper 10    | here 11 hours     | FAIL\n"
                "      gran4-3: must be 9.5 to 10.5\n"
                "  rate that follows from the number of | theory 2    | here 3            | pass\n"
                "  senders\n"
                "      must be 1 to 4\n"
                "  gain                                 | asked ≥ 1.5 | here 1.6          | pass\n"
                "  nearly                               | paper 1     | here 1.00002      | FAIL\n"
                "      gran4-7: must be ≤ 1.00001\n");
    expect_text(a, "\n6 checks: 3 pass, 3 fail (0 narrow), 0 not run, 0 recorded\n");
    expect_narrow(a.out);
    a = REPRODUCE("--list", "gran4");
    assert_int_equal(a.status, 0);
    expect_text(a, "  gran4   Reach of control. An author, 2012\n");
    expect_text(a, "gran4-1      pass      rate of hot nodes (printed, table II)\n");
    expect_text(a, "    hot spots receive, control on | paper 13.28 | here 13.55 Gbit/s | pass\n");
    expect_text(a, "gran4-6      not-run   not measured (printed, table II)\n");
    expect_narrow(a.out);
    a = REPRODUCE("--list");
    expect_text(a, "\n  gran4   Reach of control. An author, 2012\n");
}

/* Before its runs a check says what it waits for; other seeds could turn one that is narrow. */
static void test_words(void **state)
{
    (void)state;
    write_ledger();
    prog_answer a = REPRODUCE("ex", "--judge");
    assert_int_equal(a.status, 0);
    expect_text(a, "  hot spots receive, control on                | paper 13.28 |  | not run\n"
                   "      gran4-1: run `all` has not been made\n");
    expect_text(a, "  gran4-2  parts\n"
                   "    leaf switches                              | paper 36    |  | not run\n"
                   "      run `all` has not been made\n"
                   "    spines                                     | paper 18    |  | not run\n"
                   "    beside                                     |             |  | not run\n");
    prog_write("experiments/ex.yaml", "experiment: ex\npaper: gran4\nbase: ../base.yaml\nseeds: 5\n"
                                      "let: {odd: \"all:scalar('packets_injected') % 2\"}\n"
                                      "checks: {gran4-5: 'odd + 1.2'}\n");
    a = REPRODUCE("ex");
    assert_int_equal(a.status, 1);
    expect_text(a, " | FAIL, narrow | gran4-5\n      seeds gave 1.2 to 2.2\n");
    expect_narrow(a.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {SWEEP_TEST(test_rows), SWEEP_TEST(test_words)};
    return cmocka_run_group_tests_name("verdict_rows", tests, sweep_enter, prog_leave);
}
