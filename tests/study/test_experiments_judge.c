/* The published experiments, experiments: judged at both scales by a database that holds none of their runs. Expressions,
 * axes of figures and names of blocks that are at fault show only when a study is judged, which may be hours after its
 * runs have begun; what only the other scale has is no fault. */
#include "program.h"

static void test_no_study_is_at_fault(void **state)
{
    (void)state;
    static const char *const scales[] = {"quick", "full"};
    prog_empty_folder();
    for (size_t i = 0; i < COP_LEN(scales); i++) {
        prog_answer a = PROG_RUN("reproduce", "--all", "--judge", "--quiet", "--scale", scales[i],
                                 "--db", scales[i]);
        PROG_EXPECT(a.status == 0 && a.err[0] == '\0', a, "%s scale", scales[i]);
        PROG_EXPECT(strcmp(prog_ask(scales[i],
                                    "SELECT count(*) > 400 FROM verdict WHERE state = 'not-run'"),
                           "1") == 0,
                    a, "%s scale", scales[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_study_is_at_fault)};
    return cmocka_run_group_tests_name("experiments_judge", tests, prog_enter, prog_leave);
}
