/* VALIDATION.md of the repository is neither stale nor edited. Apart from test_validation.c: it fails
 * whenever an experiment changed since the last `make reproduce`, the code being right or not. Runs
 * in the top folder of the source tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "study/validation.h"

static void test_repository(void **state)
{
    (void)state;
    char *text;
    size_t length;
    cop_err err = {0};
    cop_validation_inputs in = {"claims", "experiments", "tests/golden"};
    assert_int_equal(cop_file_read("VALIDATION.md", (size_t)8 << 20, &text, &length, &err), 0);
    text = cop_realloc(text, length + 1);
    text[length] = '\0';
    if (cop_validation_check("VALIDATION.md", text, &in, &err) != 0)
        fail_msg("%s", err.text);
    cop_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_repository)};
    return cmocka_run_group_tests_name("validation_file", tests, NULL, NULL);
}
