/* Studies: cases with run files of their own, cases left out at quick scale, and functions of
 * metrics/ that need no run. */
#include "study/evaluate.h"
#include "study/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/coppice-study-XXXXXX";

static const char *path_of(const char *name, char *buf, size_t size)
{
    snprintf(buf, size, "%s/%s", dir, name);
    return buf;
}

static void put(const char *name, const char *text)
{
    char path[256];
    FILE *f = fopen(path_of(name, path, sizeof(path)), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_dir(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL)
        return -1;
    put("a.yaml", "topology: {kind: single, hosts: 2}\ntraffic: [{name: t, load: 10 %}]\n");
    put("b.yaml", "topology: {kind: single, hosts: 3}\ntraffic: [{name: t, load: 10 %}]\n");
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    static const char *const files[] = {"a.yaml", "b.yaml", "s.yaml"};
    char path[256];
    for (size_t i = 0; i < COP_LEN(files); i++)
        unlink(path_of(files[i], path, sizeof(path)));
    return rmdir(dir);
}

static const char two_bases[] = "experiment: s\nbase: a.yaml\n"
                                "vary:\n"
                                "  net:\n"
                                "    small: {}\n"
                                "    large: {base: b.yaml}\n"
                                "    quick: [large]\n"
                                "runs: [{name: r}]\n"
                                "checks:\n"
                                "  hosts: {of: {of: \"r{net = 'large'}:info().hosts\", max: 5}}\n";

/* How many runs the plan has; `base` gets the file name of the last one's run file. */
static size_t plan(const char *text, const char *scale, char *base, size_t size)
{
    char path[256];
    cop_study s;
    cop_plan p;
    cop_err err = {0};
    put("s.yaml", text);
    if (cop_study_load(&s, path_of("s.yaml", path, sizeof(path)), scale, NULL, &err) != 0 ||
        cop_plan_make(&p, &s, &err) != 0 || cop_study_rehearse(&p, &err) != 0)
        fail_msg("%s", err.text);
    size_t n = p.n_points;
    snprintf(base, size, "%s", strrchr(p.point[n - 1].base, '/') + 1);
    assert_true(n < 2 || p.point[0].config_hash != p.point[1].config_hash);
    cop_study_free(&s);
    return n;
}

static void test_bases(void **state)
{
    (void)state;
    char base[64];
    assert_int_equal(plan(two_bases, "full", base, sizeof(base)), 2);
    assert_string_equal(base, "b.yaml");
    assert_int_equal(plan(two_bases, "quick", base, sizeof(base)), 1);
    assert_string_equal(base, "b.yaml");
}

static void refuse(const char *text, const char *what)
{
    char path[256];
    cop_study s;
    cop_plan p;
    cop_err err = {0};
    put("s.yaml", text);
    int rc = cop_study_load(&s, path_of("s.yaml", path, sizeof(path)), "quick", NULL, &err);
    if (rc == 0) {
        rc = cop_plan_make(&p, &s, &err);
        cop_study_free(&s);
    }
    assert_true(rc != 0);
    if (strstr(err.text, what) == NULL)
        fail_msg("`%s` does not say `%s`", err.text, what);
}

static void test_refused(void **state)
{
    (void)state;
    refuse("experiment: s\nbase: a.yaml\nvary: {net: {small: {}, quick: [smal]}}\n",
           "s.yaml:3:32: no case is called `smal`");
    refuse("experiment: s\nbase: a.yaml\nvary: {net: {small: {base: c.yaml}}}\n", "c.yaml");
    refuse("experiment: s\nbase: a.yaml\nvary: {draw: {key: run.seed, values: [1, 2]}}\n",
           "run `draw 1`: run.seed would be overruled by the study's seeds; say `seeds: 5`");
}

/* Values of own checks, as far as they need no run. */
static void test_functions(void **state)
{
    (void)state;
    static const char *const want[] = {"0.625", "1.875", "0.75391", "0.45", "4", "48"};
    char path[256];
    cop_study s;
    cop_plan p;
    cop_err err = {0};
    cop_arena arena = {0};
    cop_study_record r;
    put("s.yaml", "experiment: s\nbase: a.yaml\nruns: []\n"
                  "let:\n"
                  "  rate: \"max_min({a = {'x', 'y'}, b = {'x'}, c = {'y'}, d = {'y'}, e = {'y'}},"
                  " {x = 2.5, y = 2.5})\"\n"
                  "checks:\n"
                  "  a: {of: {of: rate.a, max: 9}}\n"
                  "  b: {of: {of: rate.b, max: 9}}\n"
                  "  c: {of: {of: \"burst_bound(0.75, 1, 64)\", max: 9}}\n"
                  "  d: {of: {of: \"crossing({0.1, 0.4, 0.5}, {1, 2, 4}, 3)\", max: 9}}\n"
                  "  e: {of: {of: \"qcn_steps(63, 1 / 128, 0.1)\", max: 9}}\n"
                  "  f: {of: {of: \"address_cells(8, 64)\", max: 99}}\n");
    if (cop_study_load(&s, path_of("s.yaml", path, sizeof(path)), "quick", NULL, &err) != 0 ||
        cop_plan_make(&p, &s, &err) != 0 || cop_study_evaluate(&p, NULL, "", &arena, &r, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(r.n_verdicts, COP_LEN(want));
    for (size_t i = 0; i < r.n_verdicts; i++)
        assert_string_equal(r.verdict[i].measured, want[i]);
    cop_arena_free(&arena);
    cop_study_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bases), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_functions)};
    return cmocka_run_group_tests_name("study cases", tests, make_dir, remove_dir);
}
