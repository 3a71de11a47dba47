/* The validation folder: its texts and their seals. Runs in the top folder of the source tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "exp/run.h"
#include "study/markdown.h"
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

static const cop_validation_inputs repository = {"claims", "experiments", "tests/golden"};
static const cop_validation_inputs nothing = {"/no/claims", "/no/experiments", "/no/golden"};

static void refuse(const cop_validation_page *pages, size_t n, const cop_validation_inputs *in,
                   const char *why)
{
    cop_err err = {0};
    assert_int_equal(cop_validation_check(pages, n, in, &err), -COP_E_INPUT);
    if (strstr(err.text, why) == NULL)
        fail_msg("expected `%s` in: %s", why, err.text);
}

/* One page on its own, then README.md as it was. */
static void refuse_text(cop_validation_page *pages, size_t i, const char *text, const char *why)
{
    const char *kept = pages[i].text;
    pages[i].text = text;
    refuse(pages, 2, &nothing, why);
    pages[i].text = kept;
}

static cop_validation_page *judged(cop_arena *a, const cop_validation_inputs *in)
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
    cop_validation_page *pages;
    assert_int_equal(
        cop_validation_pages(
            &l, studies, COP_LEN(studies), in,
            &(cop_validation_cost){.runs = {3, 7}, .cpu_seconds = {90, 300}, .half_second = 600}, a,
            &pages),
        2);
    assert_string_equal(pages[0].name, "gran1.md");
    assert_string_equal(pages[1].name, "README.md");
    return pages;
}

static void expect_lines(const char *text, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("no `%s` in:\n%s", lines[i], text);
}

/* Both scales side by side; one that is not run says nothing. */
static void test_text(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_validation_page *pages = judged(&a, &repository);
    static const char *const counts[] = {
        "\n## At quick scale\n\n| paper | checks | pass | fail | narrow | not run | recorded | |\n",
        "\n| [gran1](gran1.md) | 6 | 2 | 2 | 0 | 1 | 1 | T |\n",
        "\n## At full scale\n\n| paper |",
        "\n| [gran1](gran1.md) | 6 | 2 | 1 | 1 | 2 | 1 | T |\n",
        "\n* Quick scale: 3 runs, 2 CPU minutes on",
        "\n* Full scale: 7 runs, 5 CPU minutes on",
        "\n* gran4-table2: 10.0 CPU minutes on one core",
    };
    static const char *const checks[] = {
        "# gran1\n\n**T.** S\n\nIn all.\n\n[All papers, and how to read this](README.md)\n\n| "
        "check |",
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
    };
    expect_lines(pages[1].text, counts, COP_LEN(counts));
    expect_lines(pages[0].text, checks, COP_LEN(checks));
    cop_arena_free(&a);
}

/* The cost of a written table counts where it is of more runs than the database has. */
static void test_kept_cost(void **state)
{
    (void)state;
    cop_arena a = {0};
    const char *text = judged(&a, &repository)[1].text;
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
    cop_validation_page *pages;
    assert_int_equal(
        cop_validation_pages(
            &l, &r, 1, &repository,
            &(cop_validation_cost){.runs = {12}, .cpu_seconds = {3600}, .half_second = 90}, &a,
            &pages),
        3);
    static const char *const counts[] = {
        "\n\n| paper | checks | pass | fail | narrow | not run | recorded | |\n"
        "|---|---:|---:|---:|---:|---:|---:|---|\n"
        "| [p](p.md) | 1 | 0 | 1 | 1 | 0 | 0 | P |\n",
        "\n| [q](q.md) | 2 | 0 | 0 | 0 | 1 | 1 | Q |\n",
        "\n| **all** | 3 | 0 | 1 | 1 | 1 | 1 |  |\n\n## Cost\n",
        "\n* Quick scale: 12 runs, 60 CPU minutes on the machine",
        "\n* gran4-table2: 1.5 CPU minutes on one core",
    };
    static const char *const p[] = {
        "# p\n\n**P.** S1\n\n",
        "| check | where | what | expected | tolerance | measured | verdict |\n"
        "|---|---|---|---|---|---|---|\n"
        "| p-1 | a &gt; b | c d | &lt;e&gt; | \\| | f\\|g | **fail**, narrow, quick |\n",
        "\nWhy checks fail:\n\n* p-1: why\n\n<!-- seal",
    };
    static const char *const q[] = {
        "# q\n\n**Q.** S2\n\n",
        "\n| q-1 |  |  |  |  |  | not-run |\n| q-2 |  |  |  |  |  | recorded |\n\n<!-- seal",
    };
    expect_lines(pages[0].text, p, COP_LEN(p));
    expect_lines(pages[1].text, q, COP_LEN(q));
    expect_lines(pages[2].text, counts, COP_LEN(counts));
    cop_arena_free(&a);
}

/* Prose in lines of at most 100 characters, with each word once; an item goes on under its text, and no
 * line begins with what Markdown would take for something else. */
static void test_prose(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_markdown m = {0};
    char words[1200] = "";
    for (int i = 0; i < 90; i++) {
        size_t used = strlen(words);
        snprintf(words + used, sizeof(words) - used, "%s%s", i ? " " : "",
                 i % 7 == 0   ? "-"
                 : i % 5 == 0 ? "12."
                              : "größer-als");
    }
    cop_markdown_prose(&m, "* ", words);
    const char *text = cop_line_take(&m, &a);
    char back[1200] = "";
    size_t lines = 0;
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1, lines++) {
        const char *one = cop_arena_printf(&a, "%.*s", (int)strcspn(line, "\n"), line);
        assert_true(cop_columns(one) <= 100);
        assert_true(strncmp(one, lines ? "  g" : "* -", 3) == 0);
        snprintf(back + strlen(back), sizeof(back) - strlen(back), "%s%s", lines ? " " : "",
                 one + 2);
    }
    assert_true(lines >= 7);
    assert_string_equal(back, words);
    cop_arena_free(&a);
}

static void test_edited(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_err err = {0};
    cop_validation_page *pages = judged(&a, &nothing);
    assert_int_equal(cop_validation_check(pages, 2, &nothing, &err), 0);
    /* Every single byte is sealed, of a page and of README.md. */
    for (size_t p = 0; p < 2; p++) {
        const char *kept = pages[p].text;
        for (size_t i = 0; i < strlen(kept); i++) {
            char *copy = cop_arena_strdup(&a, kept);
            copy[i] = copy[i] == 'x' ? 'y' : 'x';
            pages[p].text = copy;
            assert_int_equal(cop_validation_check(pages, 2, &nothing, &err), -COP_E_INPUT);
        }
        pages[p].text = kept;
        refuse_text(pages, p, cop_arena_printf(&a, "%s| gran1-5 | pass |\n", kept), "seal");
        refuse_text(pages, p, cop_arena_printf(&a, "more\n%s", kept), "edited");
        refuse_text(pages, p, "# Validation\n", "seal");
        refuse_text(pages, p, "", "seal");
    }
    cop_arena_free(&a);
}

/* All pages are of one writing, and all are there. */
static void test_mixed(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_err err = {0};
    cop_validation_page *pages = judged(&a, &nothing);
    refuse(pages, 1, &nothing, "README.md is missing");
    refuse(pages + 1, 1, &nothing, "README.md: a page beside it is missing");
    refuse_text(pages, 0, cop_validation_seal("other\n", &nothing, 0, &a),
                "README.md: a page beside it is missing or of another run");
    cop_validation_page three[] = {{"a.md", cop_validation_seal("", &nothing, 0, &a)},
                                   {"b.md", cop_validation_seal("b", &nothing, 0, &a)},
                                   {COP_VALIDATION_README, NULL}};
    three[2].text = cop_validation_seal("", &nothing, cop_validation_hash(three, 2), &a);
    assert_int_equal(cop_validation_check(three, 3, &nothing, &err), 0);
    cop_validation_page first = three[0];
    three[0] = three[1], three[1] = first;
    assert_int_equal(cop_validation_check(three, 3, &nothing, &err), 0);
    cop_arena_free(&a);
}

/* What is written is what is read again. */
static void test_folder(void **state)
{
    (void)state;
    char dir[] = "/tmp/cop_valid_XXXXXX", folder[64];
    cop_arena a = {0};
    cop_err err = {0};
    cop_validation_page *pages = judged(&a, &nothing), *back;
    size_t n;
    assert_non_null(mkdtemp(dir));
    snprintf(folder, sizeof(folder), "%s/v", dir);
    for (size_t i = 0; i < 2; i++) /* also when it is there */
        assert_int_equal(cop_validation_write(folder, pages, 2, &err), 0);
    assert_int_equal(cop_validation_read(folder, &a, &back, &n, &err), 0);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(back[i].name, pages[i].name);
        assert_string_equal(back[i].text, pages[i].text);
        assert_int_equal(unlink(cop_arena_printf(&a, "%s/%s", folder, pages[i].name)), 0);
    }
    assert_int_equal(cop_validation_write("/no/such/place", pages, 2, &err), -COP_E_IO);
    assert_int_equal(rmdir(folder) | rmdir(dir), 0);
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
        cop_validation_page *before = judged(&a, &in);
        snprintf(path, sizeof(path), "%s%s", dir, files[i]);
        write_text(path, "one"); /* a new file */
        refuse(before, 2, &in, "README.md: is stale");
        before = judged(&a, &in);
        write_text(path, "two"); /* other content */
        refuse(before, 2, &in, "README.md: is stale");
        assert_int_equal(cop_validation_check(judged(&a, &in), 2, &in, &err), 0);
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
                                       cmocka_unit_test(test_prose),
                                       cmocka_unit_test(test_edited),
                                       cmocka_unit_test(test_mixed),
                                       cmocka_unit_test(test_folder),
                                       cmocka_unit_test(test_stale),
                                       cmocka_unit_test(test_file_write)};
    return cmocka_run_group_tests_name("validation", tests, NULL, NULL);
}
