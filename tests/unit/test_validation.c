/* VALIDATION.md: its text and its seal. Runs in the top folder of the source tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "exp/run.h"
#include "study/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void refuse(const char *text, const cop_validation_inputs *in, const char *why)
{
    cop_err err = {0};
    assert_int_equal(cop_validation_check("V.md", text, in, &err), -COP_E_INPUT);
    if (strstr(err.text, why) == NULL)
        fail_msg("expected `%s` in: %s", why, err.text);
}

static const char *judged(cop_arena *a, const cop_validation_inputs *in)
{
    static char now[64];
    static cop_claim claims[] = {
        {.id = "gran1-1",
         .where = "fig. 1 | left",
         .metric = "rate < 5",
         .expected = "13",
         .tolerance = "4 %"},
        {.id = "gran1-2", .where = "fig. 2", .metric = "m", .expected = "1", .tolerance = "exact"},
        {.id = "gran1-3", .where = "fig. 3", .metric = "m", .expected = "1", .tolerance = "exact"},
        {.id = "gran1-4",
         .where = "fig. 3",
         .metric = "m",
         .expected = "1",
         .tolerance = "exact",
         .record = true},
        {.id = "gran1-5", .where = "fig. 3", .metric = "m", .expected = "1", .tolerance = "exact"},
        {.id = "gran1-6", .where = "fig. 4", .metric = "m", .expected = "1", .tolerance = "exact"}};
    static cop_paper paper = {.key = "gran1",
                              .title = "T",
                              .source = "S",
                              .note = "In all.",
                              .claim = claims,
                              .n_claims = 6};
    static cop_study_verdict quick[] = {
        {.id = "gran1-1", .state = "fail", .measured = "9", .explain = "too short"},
        {.id = "gran1-2", .state = "fail", .measured = "2", .explain = ""},
        {.id = "gran1-5", .state = "pass", .measured = "4", .explain = ""},
        {.id = "gran1-6", .state = "pass", .measured = "1.1", .explain = ""}};
    static cop_study_verdict full[] = {
        {.id = "gran1-1", .state = "pass", .measured = "12.9", .explain = ""},
        {.id = "gran1-2", .state = "not-run", .measured = "", .explain = ""},
        {.id = "gran1-5",
         .state = "fail",
         .measured = "4",
         .explain = "bent",
         .items = "[{\"narrow\": true}]"},
        {.id = "gran1-6", .state = "pass", .measured = "1.2", .explain = "mind"}};
    static cop_study_record studies[] = {
        {.name = "d", .scale = "full", .paper = "gran1", .inputs = "1 old"},
        {.name = "e",
         .scale = "full",
         .paper = "gran1",
         .inputs = "1 older",
         .verdict = full,
         .n_verdicts = COP_LEN(full)},
        {.name = "e",
         .scale = "quick",
         .paper = "gran1",
         .inputs = "1 quick",
         .verdict = quick,
         .n_verdicts = COP_LEN(quick)},
        {.name = "f", .scale = "full", .paper = "gran1", .inputs = now},
        {.name = "g", .scale = "full", .paper = "gran2", .inputs = "1 oldest"}};
    cop_ledger l = {.paper = &paper, .n_papers = 1};
    snprintf(now, sizeof(now), "1 %s", cop_behaviour_id());
    return cop_validation_text(
        &l, studies, COP_LEN(studies), in,
        &(cop_validation_cost){.runs = {3, 7}, .cpu_seconds = {90, 300}, .half_second = 600}, a);
}

/* Both scales side by side; one that is not run says nothing. */
static void test_text(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_validation_inputs in = {"claims", "experiments", "tests/golden"};
    const char *text = judged(&a, &in);
    static const char *const lines[] = {
        "\nAt quick scale:\n\n| paper | checks | pass | fail | narrow | not run | recorded | |\n",
        "\n| gran1 | 6 | 2 | 2 | 0 | 1 | 1 | T |\n",
        "\nAt full scale:\n\n| paper |",
        "\n| gran1 | 6 | 2 | 1 | 1 | 2 | 1 | T |\n",
        "\n## gran1: T\n\nS\n\nIn all.\n\n| check |",
        "\n| check | where | what | expected | tolerance | quick | full | verdict |\n"
        "|---|---|---|---|---|---|---|---|\n"
        "| gran1-1 | fig. 1 \\| left | rate &lt; 5 | 13 | 4 % | 9 | 12.9 | quick **fail**; full "
        "pass |\n"
        "| gran1-2 | fig. 2 | m | 1 | exact | 2 |  | **fail**, quick |\n"
        "| gran1-3 | fig. 3 | m | 1 | exact |  |  | not-run |\n"
        "| gran1-4 | fig. 3 | m | 1 | exact |  |  | recorded |\n"
        "| gran1-5 | fig. 3 | m | 1 | exact | 4 | = | quick pass; full **fail**, narrow |\n"
        "| gran1-6 | fig. 4 | m | 1 | exact | 1.1 | 1.2 | pass |\n"
        "\nWhy checks fail:\n\n"
        "* gran1-1: too short\n* gran1-2: not understood yet\n* gran1-5: bent\n"
        "\nNotes on checks that pass:\n\n* gran1-6: mind\n"
        "\nQuick scale, at least in part, with an earlier behaviour: quick.\n"
        "\nFull scale, at least in part, with an earlier behaviour: old, older.\n",
        "\nQuick scale: 3 runs, 2 CPU minutes on",
        "\nFull scale: 7 runs, 5 CPU minutes on",
    };
    for (size_t i = 0; i < COP_LEN(lines); i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("no `%s` in:\n%s", lines[i], text);
    cop_arena_free(&a);
}

/* The cost of a written table counts where it is of more runs than the database has. */
static void test_kept_cost(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_validation_inputs in = {"claims", "experiments", "tests/golden"};
    const char *text = judged(&a, &in);
    cop_validation_cost c = {.runs = {4, 0}, .cpu_seconds = {30, 0}, .half_second = NAN};
    cop_validation_keep_cost("nothing is said here\n", &c);
    assert_true(c.runs[0] == 4 && c.runs[1] == 0 && isnan(c.half_second));
    cop_validation_keep_cost(text, &c);
    assert_true(c.runs[0] == 4 && c.cpu_seconds[0] == 30.0);
    assert_true(c.runs[1] == 7 && c.cpu_seconds[1] == 300.0);
    assert_true(c.half_second == 600.0);
    c.half_second = 60.0;
    cop_validation_keep_cost(text, &c);
    assert_true(c.half_second == 60.0);
    cop_arena_free(&a);
}

/* Of the verdicts of two studies on one claim at one scale: judged before not run, then the first. */
static void test_which_verdict_counts(void **state)
{
    (void)state;
    static const char *const states[] = {"pass", "fail", "not-run"};
    static const char *const scales[] = {"quick", "full"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t full = 0; full < 2; full++) {
                cop_study_verdict a = {.id = "p-1", .state = states[i]},
                                  b = {.id = "p-1", .state = states[k]},
                                  other[] = {{.id = "p-2", .state = "pass"},
                                             {.id = "p-10", .state = "pass"}};
                cop_study_record all[] = {
                    {.scale = scales[full], .verdict = other, .n_verdicts = 2},
                    {.scale = scales[full], .verdict = &a, .n_verdicts = 1},
                    {.scale = scales[full], .verdict = &b, .n_verdicts = 1}};
                assert_ptr_equal(cop_study_find_verdict(all, 3, "p-1", full),
                                 i < 2 || k == 2 ? &a : &b);
                assert_null(cop_study_find_verdict(all, 3, "p-1", !full));
                assert_null(cop_study_find_verdict(all, 3, "p-3", full));
            }
}

/* What papers say, in cells of a table; each state and its count. */
static void test_cells(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_validation_inputs in = {"claims", "experiments", "tests/golden"};
    cop_claim claims[] = {
        {.id = "p-1", .where = "a > b", .metric = "c\nd", .expected = "<e>", .tolerance = "|"}};
    cop_claim none[] = {
        {.id = "q-1", .where = "", .metric = "", .expected = "", .tolerance = ""},
        {.id = "q-2", .where = "", .metric = "", .expected = "", .tolerance = "", .record = true}};
    cop_paper papers[] = {
        {.key = "p", .title = "P", .source = "S1", .claim = claims, .n_claims = 1},
        {.key = "q", .title = "Q", .source = "S2", .claim = none, .n_claims = 2}};
    cop_study_verdict v = {.id = "p-1",
                           .state = "fail",
                           .measured = "f|g",
                           .explain = "why",
                           .items = "[{\"narrow\": false}, {\"narrow\": true}]"};
    cop_study_record r = {.scale = "quick", .verdict = &v, .n_verdicts = 1};
    cop_ledger l = {.paper = papers, .n_papers = 2};
    const char *text = cop_validation_text(
        &l, &r, 1, &in,
        &(cop_validation_cost){.runs = {12}, .cpu_seconds = {3600}, .half_second = 90}, &a);
    static const char *const lines[] = {
        "\n\n| paper | checks | pass | fail | narrow | not run | recorded | |\n"
        "|---|---:|---:|---:|---:|---:|---:|---|\n"
        "| p | 1 | 0 | 1 | 1 | 0 | 0 | P |\n",
        "\n| q | 2 | 0 | 0 | 0 | 1 | 1 | Q |\n",
        "\n| **all** | 3 | 0 | 1 | 1 | 1 | 1 |  |\n",
        "\n\n## p: P\n\nS1\n\n"
        "| check | where | what | expected | tolerance | measured | verdict |\n"
        "|---|---|---|---|---|---|---|\n"
        "| p-1 | a &gt; b | c d | &lt;e&gt; | \\| | f\\|g | **fail**, narrow, quick |\n",
        "\nWhy checks fail:\n\n* p-1: why\n\n## q: Q\n\nS2\n\n",
        "\n| q-1 |  |  |  |  |  | not-run |\n| q-2 |  |  |  |  |  | recorded |\n\n## Cost\n",
        "\nQuick scale: 12 runs, 60 CPU minutes on the machine",
        "takes 1.5 CPU minutes on one core",
    };
    for (size_t i = 0; i < COP_LEN(lines); i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("no `%s` in:\n%s", lines[i], text);
    cop_arena_free(&a);
}

static void test_edited(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_err err = {0};
    cop_validation_inputs in = {"claims", "experiments", "tests/golden"};
    const char *text = judged(&a, &in);
    assert_int_equal(cop_validation_check("V.md", text, &in, &err), 0);
    /* Every single byte is sealed. */
    for (size_t i = 0; i < strlen(text); i++) {
        char *copy = cop_arena_strdup(&a, text);
        copy[i] = copy[i] == 'x' ? 'y' : 'x';
        assert_int_equal(cop_validation_check("V.md", copy, &in, &err), -COP_E_INPUT);
    }
    refuse(cop_arena_printf(&a, "%s| gran1-5 | pass |\n", text), &in, "seal");
    refuse(cop_arena_printf(&a, "more\n%s", text), &in, "edited");
    refuse("# Validation\n", &in, "seal");
    refuse("", &in, "seal");
    cop_arena_free(&a);
}

/* A change in any of the inputs shows. */
static void test_stale(void **state)
{
    (void)state;
    static const char *const files[] = {"/c/gran1.yaml", "/e/a.yaml", "/e/setups/s.yaml",
                                        "/g/golden.txt"};
    char dir[] = "/tmp/cop_valid_XXXXXX", c[64], e[64], g[64], path[96];
    assert_non_null(mkdtemp(dir));
    snprintf(c, sizeof(c), "%s/c", dir);
    snprintf(e, sizeof(e), "%s/e", dir);
    snprintf(g, sizeof(g), "%s/g", dir);
    snprintf(path, sizeof(path), "%s/setups", e);
    assert_int_equal(mkdir(c, 0755) | mkdir(e, 0755) | mkdir(path, 0755) | mkdir(g, 0755), 0);
    cop_validation_inputs in = {c, e, g};
    cop_arena a = {0};
    cop_err err = {0};
    for (size_t i = 0; i < COP_LEN(files); i++) {
        const char *before = judged(&a, &in);
        snprintf(path, sizeof(path), "%s%s", dir, files[i]);
        write_text(path, "one"); /* a new file */
        refuse(before, &in, "stale");
        before = judged(&a, &in);
        write_text(path, "two"); /* other content */
        refuse(before, &in, "stale");
        assert_int_equal(cop_validation_check("V.md", judged(&a, &in), &in, &err), 0);
    }
    for (size_t i = 0; i < COP_LEN(files); i++) {
        snprintf(path, sizeof(path), "%s%s", dir, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%s/setups", e);
    assert_int_equal(rmdir(path) | rmdir(c) | rmdir(e) | rmdir(g) | rmdir(dir), 0);
    cop_arena_free(&a);
}

/* Written whole or not at all; devices and links stay what they are. */
static void test_file_write(void **state)
{
    (void)state;
    char dir[] = "/tmp/cop_valid_XXXXXX", file[64], link[64], *text;
    size_t length;
    struct stat st;
    cop_err err = {0};
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof(file), "%s/f", dir);
    snprintf(link, sizeof(link), "%s/l", dir);
    write_text(file, "old");
    assert_int_equal(symlink(file, link), 0);
    assert_int_equal(cop_file_write(link, "one", 3, &err), 0);
    assert_int_equal(cop_file_write(link, "other", 5, &err), 0);
    assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    assert_int_equal(cop_file_read(file, 100, &text, &length, &err), 0);
    assert_int_equal(length, 5);
    cop_free(text);
    assert_int_equal(cop_file_write("/dev/null", "x", 1, &err), 0);
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    assert_int_equal(cop_file_write("/dev/full", "x", 1, &err), -COP_E_IO);
    assert_int_equal(cop_file_write(dir, "x", 1, &err), -COP_E_IO);
    assert_int_equal(cop_file_write("/no/such/place", "x", 1, &err), -COP_E_IO);
    assert_int_equal(unlink(file) | unlink(link) | rmdir(dir), 0); /* nothing else is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_kept_cost),
                                       cmocka_unit_test(test_which_verdict_counts),
                                       cmocka_unit_test(test_cells),
                                       cmocka_unit_test(test_edited),
                                       cmocka_unit_test(test_stale),
                                       cmocka_unit_test(test_file_write)};
    return cmocka_run_group_tests_name("validation", tests, NULL, NULL);
}
