/* Studies from strangers: files that try to crash, to stall or to cheat. Each is refused with a line
 * that says where and why, and soon. */
#include "study_fixture.h"

#include <time.h>

#define HEAD "experiment: e\nbase: base.yaml\n"

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Read, plan and rehearse; must be refused with this text. */
static void refuse(stage *s, const char *text, const char *what)
{
    double before = cpu_seconds();
    if (stage_read(s, text, "full", NULL) == 0 && cop_study_rehearse(&s->plan, &s->err) == 0)
        fail_msg("accepted: %.300s", text);
    if (strstr(s->err.text, what) == NULL)
        fail_msg("expected `%s` in: %s", what, s->err.text);
    assert_non_null(strstr(s->err.text, "study.yaml:"));
    if (cpu_seconds() - before > 1.0)
        fail_msg("took %g s: %.300s", cpu_seconds() - before, text);
}

/* A table with holes may claim a length of 2^63 - 1. */
#define SPARSE                                                                                     \
    "(function() local t = {} for i = 1, 16 do t[i] = 1 end local i = 1 "                          \
    "while i > 0 do t[i] = 1 t[i + 1] = 1 i = i * 2 end t[math.maxinteger] = 1 return t end)()"

static void test_lists(void **state)
{
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_eval *e = cop_eval_open(&s->plan, NULL);
    cop_arena a = {0};
    double *v, dt;
    const char **cells;
    size_t n;
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    cop_expr sparse = {SPARSE, "here"}, holes = {"{1, 2, nil, 4}", "here"};
    assert_int_equal(cop_eval_list(e, &sparse, &a, &v, &n, &dt), COP_EVAL_OK);
    assert_int_equal(n, 17);
    assert_int_equal(cop_eval_texts(e, &sparse, &a, &cells, &n), COP_EVAL_OK);
    assert_int_equal(n, 17);
    assert_int_equal(cop_eval_list(e, &holes, &a, &v, &n, &dt), COP_EVAL_OK);
    assert_int_equal(n, 2);
    static const struct {
        const char *expr, *list, *texts; /* what each says; NULL: takes it */
    } bad[] = {
        {"{1, 'x'}", "item 2 of the list is a string", NULL},
        {"{1, {}}", "item 2 of the list is a table", "item 2 of the list is a table"},
        {"{mean}", "item 1 of the list is a function", "item 1 of the list is a function"},
        {"{('x'):rep(5000)}", "is a string", "more than 1000 characters"},
        {"(function() local t = {} for i = 1, 2000 do t[i] = i end return t end)()", NULL,
         "more than 1000 cells"},
    };
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        cop_expr x = {bad[i].expr, "here"};
        enum cop_eval_status st = cop_eval_list(e, &x, &a, &v, &n, &dt);
        assert_int_equal(st, bad[i].list ? COP_EVAL_FAULT : COP_EVAL_OK);
        if (bad[i].list)
            assert_non_null(strstr(cop_eval_why(e), bad[i].list));
        st = cop_eval_texts(e, &x, &a, &cells, &n);
        assert_int_equal(st, bad[i].texts ? COP_EVAL_FAULT : COP_EVAL_OK);
        if (bad[i].texts)
            assert_non_null(strstr(cop_eval_why(e), bad[i].texts));
    }
    cop_arena_free(&a);
    cop_eval_close(e);
}

/* The number of runs is a product, which must not wrap around. */
static void test_products(void **state)
{
    stage *s = *state;
    char text[8192] = HEAD "seeds: 1000\nvary:\n";
    size_t used = strlen(text);
    for (int axis = 0; axis < 8; axis++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "  a%d: {key: k%d, values: [",
                                 axis, axis);
        for (int i = 0; i < 128; i++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "", i);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "]}\n");
    }
    refuse(s, text, "more than 100000 runs");
    refuse(s, HEAD "seeds: 9223372036854775807\n", "1 to 1000");
    refuse(s, HEAD "seeds: 18446744073709551617\n", "1 to 1000");
    refuse(s, HEAD "seeds: [1e300]\n", "whole number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_lists),
        ON_STAGE(test_products),
    };
    return cmocka_run_group_tests_name("study_hostile", tests, NULL, NULL);
}
