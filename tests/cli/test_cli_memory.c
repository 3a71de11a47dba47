/* The program when an allocation fails, at any point: what it prints is whole and the same as always, or it says so in a
 * line and exits with a fault. Half a document is never called good. The C library's malloc is replaced by one that
 * fails once, in a library of a few lines that is loaded before it. */
#include <errno.h>

#include "program.h"

static const char failing[] =
    "#include <errno.h>\n"
    "#include <stddef.h>\n"
    "#include <stdlib.h>\n"
    "void *__libc_malloc(size_t);\n"
    "void *__libc_calloc(size_t, size_t);\n"
    "void *__libc_realloc(void *, size_t);\n"
    "static long left = -1;\n"
    "static int fails(void)\n"
    "{\n"
    "    const char *at = left < 0 ? getenv(\"FAIL_AT\") : NULL;\n"
    "    if (left < 0)\n"
    "        left = at ? atol(at) : 0;\n"
    "    if (left == 0 || --left > 0)\n"
    "        return 0;\n"
    "    errno = ENOMEM;\n"
    "    return 1;\n"
    "}\n"
    "void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }\n"
    "void *calloc(size_t n, size_t m) { return fails() ? NULL : __libc_calloc(n, m); }\n"
    "void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }\n";

static const char two[] = "run: {duration: 5 us}\n"
                          "topology: {kind: chain, hosts: [2, 2]}\n"
                          "cc: {kind: ibcc}\n"
                          "traffic: [{from: [0, 1], pattern: fixed, to: 3}]\n";

static prog_answer run_failing(const char *const *words, long at)
{
    char number[24], library[300];
    snprintf(number, sizeof(number), "%ld", at);
    snprintf(library, sizeof(library), "%s/failing.so", prog_folder());
    assert_int_equal(setenv("FAIL_AT", number, 1), 0);
    assert_int_equal(setenv("LD_PRELOAD", library, 1), 0);
    pid_t child = prog_start((prog_how){0}, words);
    assert_int_equal(unsetenv("LD_PRELOAD"), 0);
    return prog_wait((prog_how){0}, child);
}

static uint32_t lines(const char *text)
{
    uint32_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* One of `words`' allocations fails, for some hundred of them. How often it did. */
static uint32_t fail_often(const char *const *words)
{
    prog_answer whole = run_failing(words, 0);
    uint32_t failed = 0;
    assert_int_equal(whole.status, 0);
    for (long at = 1; at < 40000; at += 1 + at / 16) {
        prog_answer a = run_failing(words, at);
        if (a.status == 0) {
            assert_string_equal(a.out, whole.out);
            continue;
        }
        failed++;
        if (a.status < 0 || strstr(a.err, "memory") == NULL || lines(a.err) != 1)
            fail_msg("%s, allocation %ld: status %d, %s", words[1], at, a.status, a.err);
    }
    return failed;
}

static void test_documents_are_whole(void **state)
{
    (void)state;
    prog_write("failing.c", failing);
    prog_write("two.yaml", two);
    if (system("cc -shared -fPIC -O1 failing.c -o failing.so") != 0)
        fail_msg("no C compiler");
    if (run_failing(PROG_WORDS("version"), 0).status != 0) {
        print_error("not with a malloc of its own: a build with sanitizers has one, too\n");
        skip();
    }
    assert_true(fail_often(PROG_WORDS("list", "--json")) > 10);
    assert_true(fail_often(PROG_WORDS("check", "two.yaml")) > 10);
    assert_true(fail_often(PROG_WORDS("check", "--opensm", "two.yaml")) > 10);
    assert_int_equal(PROG_RUN("run", "two.yaml", "--db", "two.db", "--quiet").status, 0);
    assert_true(fail_often(PROG_WORDS("report", "two.db", "--text")) > 10);
    assert_true(fail_often(PROG_WORDS("report", "two.db", "-o", "two.html")) > 10);
    prog_empty_folder();
}

/* A pipe without a writer is refused; a shell's pipes are read. */
static void test_pipes(void **state)
{
    (void)state;
    assert_int_equal(system("mkfifo pipe.yaml"), 0);
    prog_answer a = PROG_RUN("check", "pipe.yaml");
    assert_int_equal(a.status, 2);
    assert_non_null(strstr(a.err, "pipe.yaml: is a pipe, which may never be written to; give a "));
    assert_int_equal(lines(a.err), 1);
    prog_write("trace.yaml", "run: {duration: 5 us}\n"
                             "topology: {kind: chain, hosts: [2, 2]}\n"
                             "traffic: [{trace: pipe.yaml}]\n");
    a = PROG_RUN("check", "trace.yaml");
    assert_int_equal(a.status, 2);
    assert_non_null(strstr(a.err, "pipe.yaml: is a pipe"));
    prog_write("two.yaml", two);
    prog_how input = {.input = "two.yaml"};
    a = prog_wait(input, prog_start(input, PROG_WORDS("check", "/dev/stdin")));
    assert_int_equal(a.status, 0);
    prog_empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_are_whole),
        cmocka_unit_test(test_pipes),
    };
    return cmocka_run_group_tests_name("cli_memory", tests, prog_enter, prog_leave);
}
