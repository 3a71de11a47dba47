/* docs/validation is neither stale nor edited. Apart from test_validation.c: it fails
 * whenever an experiment changed since the last `make reproduce`, the code being right or not. Runs
 * in the top folder of the source tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/validation.h"

static void test_repository(void **state)
{
    (void)state;
    cop_arena a = {0};
    cop_validation_page *pages;
    size_t n;
    cop_err err = {0};
    cop_validation_inputs in = {"claims", "experiments", "tests/golden"};
    assert_int_equal(cop_validation_read("docs/validation", &a, &pages, &n, &err), 0);
    assert_int_equal(n, 11);
    if (cop_validation_check(pages, n, &in, &err) != 0)
        fail_msg("%s", err.text);
    cop_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_repository)};
    return cmocka_run_group_tests_name("validation_file", tests, NULL, NULL);
}
