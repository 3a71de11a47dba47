/* A program with a decimal comma: the library reads and writes numbers with a point all the same, and leaves the program
 * its locale. The locale is made here, from the sources that Debian has in the package locales. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <coppice.h>

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char yaml[] = "name: comma\n"
                           "run: {duration: 50.5 us, sample: 0.5 us}\n"
                           "topology: {kind: chain, hosts: [3, 3]}\n"
                           "link: {rate: 12.5 Gbit/s}\n"
                           "switch: {architecture: cioq, speedup: 1.5}\n"
                           "traffic: [{pattern: uniform, arrival: poisson, load: 62.5 %}]\n";

typedef struct seen {
    char text[16384]; /* of the configuration */
    char fault[1024];
    double gbps;
    uint64_t hash;
    unsigned calls;
    bool comma; /* in what the progress function prints */
} seen;

static int progress(void *ctx, double now_ns, double end_ns, uint64_t packet_hops)
{
    seen *s = ctx;
    char half[8];
    (void)now_ns, (void)end_ns, (void)packet_hops;
    snprintf(half, sizeof(half), "%.1f", 0.5);
    s->comma = half[1] == ',';
    s->calls++;
    return 0;
}

static void use_library(const char *folder, seen *s)
{
    char db[256];
    *s = (seen){0};
    coppice_config *c = coppice_open_text("comma.yaml", yaml);
    assert_int_equal(coppice_set(c, "switch.speedup=1.25"), 0);
    coppice_progress(c, progress, s);
    coppice_result *r = coppice_run(c);
    assert_string_equal(coppice_error(c), "");
    assert_non_null(r);
    snprintf(s->text, sizeof(s->text), "%s", coppice_text(c));
    s->gbps = coppice_scalar(r, "throughput_gbps");
    s->hash = coppice_hash(r);
    snprintf(db, sizeof(db), "%s/comma.db", folder);
    assert_true(coppice_store(r, db) > 0);
    coppice_free(r);
    assert_int_equal(coppice_set(c, "link.rate=12,5 Gbit/s"), 0);
    assert_int_equal(coppice_check(c), -1);
    snprintf(s->fault, sizeof(s->fault), "%s", coppice_error(c));
    coppice_close(c);
}

static void test_decimal_comma(void **state)
{
    (void)state;
    char folder[] = "/tmp/coppice-locale-XXXXXX", command[256], half[8];
    assert_non_null(mkdtemp(folder));
    seen *point = calloc(2, sizeof(*point)), *comma = point + 1;
    use_library(folder, point);
    snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             folder);
    if (system(command) != 0) {
        print_error("no localedef, or no sources of locales: install the package locales\n");
        skip();
    }
    assert_int_equal(setenv("LOCPATH", folder, 1), 0);
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    use_library(folder, comma);
    snprintf(half, sizeof(half), "%.1f", 0.5);
    assert_string_equal(half, "0,5"); /* the program keeps its own */
    assert_true(comma->comma && !point->comma && point->calls > 0);
    assert_non_null(strstr(point->text, "speedup: 1.25"));
    assert_string_equal(comma->text, point->text);
    assert_string_equal(comma->fault, point->fault);
    assert_true(comma->gbps == point->gbps);
    assert_int_equal(comma->hash, point->hash);
    assert_non_null(setlocale(LC_ALL, "C"));
    free(point);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decimal_comma)};
    return cmocka_run_group_tests_name("locale", tests, NULL, NULL);
}
