/* Expressions of studies: faults, the sandbox, and the rehearsal before anything is simulated. */
#include "study_fixture.h"

#define HEAD "experiment: e\nbase: base.yaml\n"

static void test_expression_faults(void **state)
{
    static const refusal all[] = {
        {"r:maen('F1')", COP_EVAL_FAULT, "did you mean mean"},
        {"r:mean('F9')", COP_EVAL_FAULT, "no series `F9`"},
        {"r:mean('F1', '90 ms', '99 ms')", COP_EVAL_FAULT, "no bin"},
        {"r:rate('F9')", COP_EVAL_FAULT, "no traffic entry"},
        {"r:received(17)", COP_EVAL_FAULT, "no host"},
        {"r:queue('s9.9')", COP_EVAL_FAULT, "no port"},
        {"r:scalar('odd')", COP_EVAL_FAULT, "no scalar"},
        {"r:delay('F2')", COP_EVAL_NO_RESULT, "no packet"},
        {"r:scalar('transit_ns.mean')", COP_EVAL_NO_RESULT, "no value"},
        {"on{d = 30}:total()", COP_EVAL_FAULT, "no value 30"},
        {"on{e = 10}:total()", COP_EVAL_FAULT, "no axis `e`"},
        {"on:total()", COP_EVAL_FAULT, "several values"},
        {"on{d = 20}:total()", COP_EVAL_NO_RUN, "not been made"},
        {"late", COP_EVAL_NO_RUN, "needs a run"},
        {"stuck:total()", COP_EVAL_NO_RESULT, "deadlock"},
        {"nowhere", COP_EVAL_FAULT, "unknown name `nowhere`"},
        {"x", COP_EVAL_FAULT, "unknown name `x`"},
        {"'text'", COP_EVAL_FAULT, "not a number"},
        {"1 +", COP_EVAL_FAULT, "here: "},
        {"mean{}", COP_EVAL_FAULT, "no values"},
        {"error({})", COP_EVAL_FAULT, "here: "},
        {"r:mean('F1', '1 parsec')", COP_EVAL_FAULT, "parsec"},
    };
    stage *s = *state;
    must_read(s,
              HEAD "let: {r: \"on{d = 10}\", late: 'on{d = 20}:total()'}\n"
                   "runs: [{name: on, vary: {d: {key: link.delay, values: [10 ns, 20 ns]}}},"
                   " {name: stuck, set: {link.delay: 99 ns}}]\n",
              "full");
    store_point(s, 0, 1, COP_OUTCOME_OK);
    store_point(s, 2, 1, COP_OUTCOME_DEADLOCK);
    find_points(s);
    cop_eval *e = open_expressions(s);
    expect_refusals(e, all, COP_LEN(all));
    /* A block is no series: its index function must not be reached without protection. */
    cop_arena a = {0};
    double *list;
    cop_bin_width width;
    size_t n;
    cop_expr x = {"on", "here"};
    assert_int_equal(cop_eval_list(e, &x, &a, &list, &n, &width), COP_EVAL_OK);
    assert_int_equal(n, 0);
    cop_arena_free(&a);
    cop_eval_close(e);
}

/* Nothing that strangers write reaches a file, runs for long or takes much memory. */
static void test_sandbox(void **state)
{
    static const char *const hostile[] = {
        "(function() while true do end end)()",
        "(function() while true do local f = function() while true do end end f() end end)()",
        "#string.rep('x', 1e9)",
        "#string.rep('', 1e15)",
        "#string.rep(string.rep('x', 1e6), 1e6)",
        "(function() local t = {} for i = 1, 1e9 do t[i] = {} end end)()",
        "(function() local s = 'x' while true do s = s .. s end end)()",
        "(function() local function f() return 1 + f() end return f() end)()",
        "string.find(string.rep('a', 60), string.rep('a*', 20) .. 'b')",
        "('a'):rep(60):match(string.rep('a?', 30) .. 'b')",
        "table.move({}, 1, 1e15, 2)",
        "pcall(error)",
        "setmetatable({}, {})",
        "getmetatable('')",
        "_G.x",
        "os.time()",
        "io.open('/etc/passwd')",
        "require('os')",
        "load('return 1')()",
        "loadfile('/etc/passwd')",
        "dofile('/etc/passwd')",
        "debug.getinfo(1)",
        "coroutine.wrap(function() end)",
        "collectgarbage('count')",
        "print(1)",
        "math.random()",
        "string.dump(mean)",
        "\x1bLua",
        "((((((((((((((((((((((((((((((((((((((((1",
    };
    stage *s = *state;
    must_read(s, HEAD, "full");
    for (size_t i = 0; i < COP_LEN(hostile); i++) {
        cop_eval *e = cop_eval_open(&s->plan, NULL);
        cop_expr x = {hostile[i], "here"};
        double v;
        assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
        if (cop_eval_number(e, &x, &v) != COP_EVAL_FAULT)
            fail_msg("%s is not refused", hostile[i]);
        /* The state is still good for the next one. */
        cop_expr y = {"string.match('s1.2', '^(.*)%.%d+$') == 's1' and mean{1, 3}", "here"};
        assert_int_equal(cop_eval_number(e, &y, &v), COP_EVAL_OK);
        assert_true(v == 2.0);
        cop_eval_close(e);
    }
}

/* A rehearsal knows the form of every answer: each number is 1, each name h0, a list has 1024 of them. */
static void test_rehearsal(void **state)
{
    static const answer good[] = {
        {"all:streams()[3].gbps", 1},
        {"all:nodes()[60].received_gbps", 1},
        {"all:info().hosts * 2", 2},
        {"all:series('anything')[40]", 1},
        {"all:series('anything').dt", 0.001},
        {"#all:rates('F1')", 1024},
        {"all:outcome() == 'ok' and 1 or 0", 1},
        {"all:ports()[1].to .. 'x' == 'h0x' and 1 or 0", 1},
        {"mean(all:window('F1', 0, 1))", 1},
        {"sum(map(all:flows(), function(f) return f.bytes end))", 1024},
        {"all:total()", 1},
        {"all:scalar('any')", 1},
    };
    static const char *const bad[] = {"all:streams()[3].gpbs", "all:info().host * 2",
                                      "all:reat('F1')"};
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_eval *e = cop_eval_open(&s->plan, NULL);
    double v;
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    expect_answers(e, good, COP_LEN(good));
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        cop_expr x = {bad[i], "here"};
        assert_int_equal(cop_eval_number(e, &x, &v), COP_EVAL_FAULT);
    }
    cop_eval_close(e);
}

/* A wrong `let` is told once, however many values use it. */
static void test_faults_once(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD
              "let: {a: 'nowhere'}\nchecks: {b: {of: {of: a, min: 1}}, c: {of: {of: a, min: 1}}}\n",
              "full");
    cop_err err = {0};
    assert_int_equal(cop_study_rehearse(&s->plan, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    assert_non_null(strstr(err.text, "study.yaml:3:10: unknown name `nowhere`"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_expression_faults),
        ON_STAGE(test_sandbox),
        ON_STAGE(test_rehearsal),
        ON_STAGE(test_faults_once),
    };
    return cmocka_run_group_tests_name("study_expr", tests, NULL, NULL);
}
