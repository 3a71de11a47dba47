/* Every fuzzer takes the inputs that it begins with (tests/fuzz/corpus) without a fault, whatever compiler made it: one that
 * aborts on these finds nothing. The Makefile compiles LLVMFuzzerTestOneInput of fuzz_NAME.c as fuzz_NAME. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#define ALL(X)                                                                                     \
    X(chakra)                                                                                      \
    X(config)                                                                                      \
    X(evq)                                                                                         \
    X(expr)                                                                                        \
    X(goal)                                                                                        \
    X(goalbin)                                                                                     \
    X(gzip)                                                                                        \
    X(htsim)                                                                                       \
    X(lft)                                                                                         \
    X(opensm)                                                                                      \
    X(run)                                                                                         \
    X(study)                                                                                       \
    X(text)                                                                                        \
    X(topo)

#define DECLARE(name) int fuzz_##name(const uint8_t *data, size_t size);
#define ROW(name) {#name, fuzz_##name},
ALL(DECLARE)

static const struct {
    const char *name;
    int (*fuzz)(const uint8_t *data, size_t size);
} all[] = {ALL(ROW)};

static uint32_t feed(size_t i)
{
    char folder[64], path[400];
    snprintf(folder, sizeof(folder), "tests/fuzz/corpus/%s", all[i].name);
    DIR *dir = opendir(folder);
    uint32_t n = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        cop_err err = {0};
        char *text;
        size_t len;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        assert_int_equal(cop_file_read(path, 1 << 24, &text, &len, &err), 0);
        fprintf(stderr, "%s\n", path); /* the last line, if it aborts */
        assert_int_equal(all[i].fuzz((const uint8_t *)text, len), 0);
        cop_free(text);
        n++;
    }
    closedir(dir);
    return n;
}

static void test_every_corpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++)
        assert_true(feed(i) > 0);
}

/* A fuzzer that is added is in the table. */
static void test_every_fuzzer(void **state)
{
    (void)state;
    DIR *dir = opendir("tests/fuzz");
    size_t n = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        n += strncmp(e->d_name, "fuzz_", 5) == 0;
    closedir(dir);
    assert_int_equal(n, COP_LEN(all));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_corpus),
                                       cmocka_unit_test(test_every_fuzzer)};
    return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
