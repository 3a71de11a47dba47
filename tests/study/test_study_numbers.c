/* Numbers that studies rest on: quantiles of confidence intervals, what expressions are allowed, how long lists and
 * cells may be; and functions of expressions at their edges. */
#include "study_fixture.h"

#include "study/lua_int.h"

#define HEAD "experiment: e\nbase: base.yaml\n"
#define DO(code) "(function() " code " return 1 end)()"

/* Part of Student's distribution between -t and t, by Simpson's rule. */
static double within(double t, double freedom)
{
    enum { PARTS = 20000 };
    double c = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * M_PI);
    double sum = 0.0, h = 2 * t / PARTS;
    for (int i = 0; i <= PARTS; i++) {
        double x = -t + h * i, f = c * pow(1 + x * x / freedom, -(freedom + 1) / 2);
        sum += f * (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2);
    }
    return sum * h / 3;
}

/* Two values far apart and many between them: whatever they are, the interval is the quantile times their standard
 * deviation over the root of their number. */
static void test_quantiles(void **state)
{
    (void)state;
    for (size_t n = 2; n <= 80; n++) {
        double v[80], mean = 0.0, q = 0.0;
        for (size_t i = 0; i < n; i++) {
            v[i] = (double)(i * i % 7);
            mean += v[i] / (double)n;
        }
        for (size_t i = 0; i < n; i++)
            q += (v[i] - mean) * (v[i] - mean);
        cop_measured m = cop_measure_seeds(v, n);
        double t = m.ci / sqrt(q / (double)(n - 1) / (double)n);
        assert_int_equal(m.n, n);
        assert_true(fabs(m.mean - mean) < 1e-12);
        /* Tables have three digits behind the point. */
        double low = within(t - 0.0006, (double)(n - 1)),
               high = within(t + 0.0006, (double)(n - 1));
        if (low > 0.95 || high < 0.95)
            fail_msg("%zu degrees of freedom: %g is not the quantile", n - 1, t);
    }
}

/* What docs/EXPERIMENTS.md promises: before there are runs, and over runs. */
static void test_allowances(void **state)
{
    stage *s = *state;
    const int64_t second = 1000000000;
    must_read(s, HEAD, "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    find_points(s);
    for (int rehearsal = 0; rehearsal < 2; rehearsal++) {
        cop_eval *e = cop_eval_open(&s->plan, rehearsal ? NULL : s->store);
        assert_int_equal(e->limits.max_bytes, (size_t)(rehearsal ? 64 : 512) << 20);
        assert_int_equal(e->limits.total_left, rehearsal ? 200000000 : 20000000000);
        assert_int_equal(e->limits.cpu_ns_left, (rehearsal ? 20 : 3600) * second);
        assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
        cop_expr x = {"1", "here"};
        double v;
        assert_int_equal(cop_eval_number(e, &x, &v), COP_EVAL_OK);
        /* Of one expression; it has used a few. */
        int64_t steps = rehearsal ? 20000000 : 200000000;
        assert_in_range(e->limits.steps_left, steps - 100, steps);
        assert_int_equal(e->limits.deadline_ns - e->limits.start_ns, (rehearsal ? 2 : 60) * second);
        cop_eval_close(e);
    }
}

#define LIST(n) "(function() local t = {} for i = 1, " n " do t[i] = i end return t end)()"

static void test_cells(void **state)
{
    static const struct {
        const char *of;
        size_t n; /* 0: refused */
    } all[] = {{"{}", 0 + 0},
               {"{1}", 1},
               {LIST("999"), 999},
               {LIST("1000"), 1000},
               {LIST("1001"), 0},
               {"{('x'):rep(1000)}", 1},
               {"{('x'):rep(1001)}", 0},
               {"{1, 2, [4] = 4}", 0},
               {"{1, 2, [0] = 4}", 2},
               {"{1, 2, [1.5] = 4, x = 1}", 2}};
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_eval *e = open_expressions(s);
    cop_arena arena = {0};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_expr x = {all[i].of, "here"};
        const char **cell;
        size_t n = 77;
        enum cop_eval_status st = cop_eval_texts(e, &x, &arena, &cell, &n);
        assert_int_equal(st == COP_EVAL_OK, all[i].n > 0 || i == 0);
        if (st == COP_EVAL_OK)
            assert_int_equal(n, all[i].n);
    }
    /* Numbers in cells have five digits; lists of numbers know their time. */
    cop_expr x = {"{1 / 3, 2, 123456.7, 'x', 1e-9}", "here"};
    const char **cell;
    size_t n;
    assert_int_equal(cop_eval_texts(e, &x, &arena, &cell, &n), COP_EVAL_OK);
    static const char *const want[] = {"0.33333", "2", "1.2346e+05", "x", "1e-09"};
    for (size_t i = 0; i < COP_LEN(want); i++)
        assert_string_equal(cell[i], want[i]);
    x.text = "{4, 5.5, dt = 0.25, cycles = 50}";
    double *v;
    cop_bin_width width;
    assert_int_equal(cop_eval_list(e, &x, &arena, &v, &n, &width), COP_EVAL_OK);
    assert_true(n == 2 && v[0] == 4 && v[1] == 5.5 && width.seconds == 0.25 && width.cycles == 50);
    cop_arena_free(&arena);
    cop_eval_close(e);
}

/* Keys that vanish while one goes through them; what is no table; functions that are none. */
static void test_edges(void **state)
{
    static const answer good[] = {
        {DO("local t, n = {}, 0 for i = 1, 3000 do t['k' .. i] = i end "
            "for k in pairs(t) do n = n + 1 for i = 1, 3000 do t['k' .. i] = nil end end "
            "assert(n == 1)"),
         1},
        {DO("local t, n = {}, 0 for i = 1, 3000 do t['k' .. i] = i end "
            "for k in pairs(t) do n = n + 1 if n == 1 then for i = 2, 2999 do t['k' .. i] = nil "
            "end end end assert(n == 2)"),
         1},
        {DO("local t = {3, 1, 2} table.sort(t, nil) assert(table.concat(t) == '123')"), 1},
        {DO("local t = {} for i = 1, 2000 do t[i] = (i * 7919) % 2003 end table.sort(t) "
            "for i = 2, 2000 do assert(t[i - 1] <= t[i]) end"),
         1},
        {DO("local t = {true, false} assert(next({[false] = 1, [true] = 2}) == false)"), 1},
        {DO("local s = '' for k in pairs({aa = 1, a = 1, ab = 1, b = 1, [''] = 1}) "
            "do s = s .. k .. ',' end assert(s == ',a,aa,ab,b,')"),
         1},
    };
    static const refusal bad[] = {
        {"next(3)", COP_EVAL_FAULT, "table expected, got number"},
        {"next()", COP_EVAL_FAULT, "table expected, got no value"},
        {"pairs('x')", COP_EVAL_FAULT, "table expected, got string"},
        {"table.sort(3)", COP_EVAL_FAULT, "table expected, got number"},
        {"table.sort({}, 3)", COP_EVAL_FAULT, "function expected, got number"},
        {"tostring()", COP_EVAL_FAULT, "value expected"},
        {"seconds()", COP_EVAL_FAULT, "string expected, got no value"},
    };
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_eval *e = open_expressions(s);
    expect_answers(e, good, COP_LEN(good));
    expect_refusals(e, bad, COP_LEN(bad));
    cop_eval_close(e);
}

/* A run that cannot be made stands for its twin, with what it says. */
static void test_twins_of_a_failure(void **state)
{
    stage *s = *state;
    cop_plan *plans[] = {&s->plan};
    cop_pool_opts o = {.db = s->db, .jobs = 1};
    must_read(s,
              HEAD "set: {run.duration: 50 us, run.warmup: 0 s, traffic.0.arrival: poisson,"
                   " topology: {kind: torus, radix: [6], hosts: 1},"
                   " routing: {kind: dor, datelines: no}}\n"
                   "runs: [{name: a}, {name: b}, {name: c, set: {link.delay: 9 ns}}]\n",
              "full");
    if (cop_pool_run(plans, 1, &o, &s->err) != 0)
        fail_msg("%s", s->err.text);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(s->plan.point[i].run_id, i == 2 ? 2 : 1);
        assert_int_equal(s->plan.point[i].outcome, COP_OUTCOME_FAILED);
        assert_non_null(s->plan.point[i].detail);
        assert_non_null(strstr(s->plan.point[i].detail, "can deadlock"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles),
        ON_STAGE(test_allowances),
        ON_STAGE(test_cells),
        ON_STAGE(test_edges),
        ON_STAGE(test_twins_of_a_failure),
    };
    return cmocka_run_group_tests_name("study_numbers", tests, NULL, NULL);
}
