/* What runs answer to expressions, field by field; that a rehearsal has the same form; and which run a
 * block of runs stands for. */
#include "metrics_fixture.h"

/* Each number and text of the run of metrics_fixture.h that C hands to Lua. */
static void test_each_field(void **state)
{
    static const answer all[] = {
        {"#r:streams()", 3},
        {"r:streams()[2].host", 1},
        {"r:streams()[2].dst", 2},
        {"r:streams()[2].gbps", 4},
        {"r:streams()[2].latency_ns", 200},
        {"r:streams()[2].packets", 30},
        {"r:streams()[2].sent_bytes", 100},
        {"r:streams()[2].delivered_bytes", 80},
        {"r:streams()[3].entry == 'W' and 1 or 0", 1},
        {"#r:nodes()", 4},
        {"r:nodes()[4].name == 'h3' and 1 or 0", 1},
        {"r:nodes()[4].role == 'B' and 1 or 0", 1},
        {"r:nodes()[4].sent_gbps", 8},
        {"r:nodes()[4].received_gbps", 6},
        {"r:nodes()[4].hotspot", 0.5},
        {"#r:ports()", 12},
        {"r:ports()[8].name .. r:ports()[8].to == 's1.0h2' and 1 or 0", 1},
        {"r:ports()[8].utilisation", 1},
        {"r:ports()[8].mean_queue_bytes", 20000},
        {"r:ports()[8].max_queue_bytes", 30000},
        {"#r:flows()", 2},
        {"r:flows()[2].src", 3},
        {"r:flows()[2].dst", 1},
        {"r:flows()[2].packets", 7},
        {"r:flows()[2].bytes", 700},
        {"r:info().hosts", 4},
        {"r:info().switches", 3},
        {"r:info().sim_time", 0.010},
        {"r:info().warmup", 0.002},
        {"r:info().sample", 0.001},
        {"r:info().cpu_seconds", 2.5},
        {"r:info().packet_hops", 460},
        {"r:info().events", 77},
        {"r:series('received/h3')[10]", 10},
        {"#r:series('received/h3')", 10},
        {"r:series('received/h3').dt", 0.001},
        {"r:series('received/h3').unit == 'Gbit/s' and 1 or 0", 1},
        {"r:series('A')[3]", 3},
        {"r:series('throughput/A')[3]", 3},
        {"r:scalar('packets_injected')", 100},
    };
    static const refusal bad[] = {
        {"r:series('recieved/h3')", COP_EVAL_FAULT, "no series `recieved/h3`; did you mean rec"},
        {"r:series('received/all')", COP_EVAL_FAULT, "`all` made one for each, as received/h"},
        {"r:series('nothing like it')", COP_EVAL_FAULT, "no series `nothing like it`"},
        {"r:scalar('packet_injected')", COP_EVAL_FAULT, "no scalar `packet_injected`"},
        {"r:totl()", COP_EVAL_FAULT, "unknown metric `totl`; did you mean total"},
        {"r:sreies('A')", COP_EVAL_FAULT, "unknown metric `sreies`; did you mean series"},
        {"r:something_else()", COP_EVAL_FAULT, "see `coppice list metrics`"},
    };
    cop_result r = make_tree();
    r.events = 77;
    r.cpu_seconds = 2.5;
    r.n_flows = 2;
    r.flow = COP_NEW_ARRAY(&r.arena, cop_flow_result, 2);
    r.flow[0] = (cop_flow_result){0, 2, 5, 500};
    r.flow[1] = (cop_flow_result){3, 1, 7, 700};
    cop_eval *e = open_run(*state, &r);
    expect_answers(e, all, COP_LEN(all));
    expect_refusals(e, bad, COP_LEN(bad));
    cop_eval_close(e);
}

/* A traffic entry of several streams is their sum, bin by bin, and none but them. */
static void test_series_of_an_entry(void **state)
{
    static const answer all[] = {
        {"r:series('U')[1]", 1 + 10},
        {"r:series('U')[10]", 10 + 1},
        {"r:series('U/1')[10]", 1},
        {"r:series('UV')[2]", 5},
        {"#r:series('U')", 10},
        {"r:series('U').dt", 0.001},
        {"r:series('U').unit == 'Gbit/s' and 1 or 0", 1},
    };
    static const refusal bad[] = {{"r:series('received')", COP_EVAL_FAULT, "no series `received`"},
                                  {"r:series('V')", COP_EVAL_FAULT, "no series `V`"},
                                  {"r:series('')", COP_EVAL_FAULT, "no series ``"}};
    cop_result r = make_tree();
    static const char *const names[] = {"throughput/U/0", "throughput/U/1", "throughput/UV/0"};
    for (size_t i = 0; i < COP_LEN(names); i++)
        r.series[i].name = names[i];
    r.series[2].v[1] = 5;
    cop_eval *e = open_run(*state, &r);
    expect_answers(e, all, COP_LEN(all));
    expect_refusals(e, bad, COP_LEN(bad));
    cop_eval_close(e);
}

/* The names of all fields of a row, in order. */
static const char *fields_of(cop_eval *e, cop_arena *a, const char *row)
{
    cop_expr x = {cop_arena_printf(a,
                                   "(function() local t = {} for k, v in pairs(%s) do"
                                   " t[#t + 1] = k .. ' ' .. type(v)"
                                   " end return t end)()",
                                   row),
                  "here"};
    const char **list, *all = "";
    size_t n;
    if (cop_eval_texts(e, &x, a, &list, &n) != COP_EVAL_OK)
        fail_msg("%s: %s", row, cop_eval_why(e));
    for (size_t i = 0; i < n; i++)
        all = cop_arena_printf(a, "%s, %s", all, list[i]);
    return all;
}

/* Before there are runs, answers have the fields and types that they will have. */
static void test_rehearsed_rows_have_the_same_fields(void **state)
{
    static const char *const rows[] = {"r:streams()[1]", "r:nodes()[1]", "r:ports()[1]",
                                       "r:flows()[1]", "r:info()"};
    static const answer form[] = {
        {"#r:streams()", 1024},
        {"#r:series('any')", 1024},
        {"r:series('any')[1024]", 1},
        {"r:series('any').dt", 0.001},
        {"#r:series('any').unit", 0},
        {"#r:rates('any')", 1024},
        {"r:rates('any').anything", 1},
        {"r:scalar('any')", 1},
        {"r:total()", 1},
        {"r:outcome() == 'ok' and 1 or 0", 1},
        {"r:nodes()[1].name == 'h0' and 1 or 0", 1},
    };
    stage *s = *state;
    cop_arena a = {0};
    cop_result r = make_tree();
    r.n_flows = 1;
    r.flow = COP_NEW_ARRAY(&r.arena, cop_flow_result, 1);
    r.flow[0] = (cop_flow_result){0, 2, 5, 500};
    cop_eval *real = open_run(s, &r), *rehearsal = cop_eval_open(&s->plan, NULL);
    assert_int_equal(cop_eval_seed(rehearsal, 0), COP_EVAL_OK);
    for (size_t i = 0; i < COP_LEN(rows); i++)
        assert_string_equal(fields_of(rehearsal, &a, rows[i]), fields_of(real, &a, rows[i]));
    expect_answers(rehearsal, form, COP_LEN(form));
    cop_eval_close(real);
    cop_eval_close(rehearsal);
    cop_arena_free(&a);
}

/* How runs ended, and what is said of those without a result. */
static void test_outcomes(void **state)
{
    static const char *const words[] = {"ok", "deadlock", "loss", "broken", "failed"};
    stage *s = *state;
    must_read(s,
              HEAD "vary: {d: {key: link.delay, values: [1 ns, 2 ns, 3 ns, 4 ns, 5 ns, 6 ns]}}\n"
                   "checks: {a: {of: {of: '1', min: 1}}}\n",
              "full");
    for (size_t i = 0; i < COP_LEN(words); i++)
        store_point(s, i, 1, (enum cop_outcome)i);
    find_points(s);
    cop_eval *e = open_expressions(s);
    cop_arena a = {0};
    for (size_t i = 0; i < COP_LEN(words); i++) {
        const answer is = {
            cop_arena_printf(&a, "all{d = %zu}:outcome() == '%s' and 1 or 0", i + 1, words[i]), 1};
        expect_answers(e, &is, 1);
        const refusal none = {cop_arena_printf(&a, "all{d = %zu}:total()", i + 1),
                              COP_EVAL_NO_RESULT,
                              cop_arena_printf(&a, "run `d %zu ns` %s", i + 1, words[i])};
        if (i > 0)
            expect_refusals(e, &none, 1);
    }
    const refusal missing[] = {{"#all{d = 6}:outcome()", COP_EVAL_NO_RUN, "has not been made"},
                               {"all{d = 6}:total()", COP_EVAL_NO_RUN, "has not been made"}};
    expect_refusals(e, missing, 2);
    cop_study_record r;
    assert_int_equal(cop_study_evaluate(&s->plan, s->store, "", &a, &r, &s->err), 0);
    assert_int_equal(r.n_points, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(r.point[i].outcome, i < 5 ? words[i] : "missing");
    assert_int_equal(r.runs, 5);
    assert_int_equal(r.failed, 4);
    cop_eval_close(e);
    cop_arena_free(&a);
}

/* Runs of a block by values of its axes: by number, by label; an axis of one value may be left out;
 * values of the other scale are no mistake. Points deliver 7, 14, 21 ... Gbit/s. */
static void test_runs_of_a_block(void **state)
{
    static const answer all[] = {
        {"on{d = 10, b = 'small'}:total()", 7},
        {"on{d = 10, b = 'big'}:total()", 14},
        {"on{d = '20 ns', b = 'big', one = 'only'}:total()", 28},
        {"on{d = '20 ns', b = 'big', two = 'only'}:total()", 28},
        {"on{b = 'small', d = 2 * 10}:total()", 21},
        {"off:total()", 35},
        {"off{}:total()", 35},
        {"off():total()", 35},
        {"off.total(off)", 35},
        {"off:rate('F1')", 4 * 5}, /* with arguments */
    };
    static const refusal bad[] = {
        {"on{d = 40, b = 'small'}:total()", COP_EVAL_NO_RUN, "is not made at this scale"},
        {"on{d = '40 ns', b = 'small'}:total()", COP_EVAL_NO_RUN, "run `on` is not made"},
        {"on{d = 10, b = 'huge'}:total()", COP_EVAL_NO_RUN, "is not made at this scale"},
        {"on{d = 30, b = 'small'}:total()", COP_EVAL_FAULT, "axis `d` of `on` has no value 30"},
        {"on{d = '10', b = 'small'}:total()", COP_EVAL_FAULT, "has no value 10"},
        {"on{d = {}, b = 'small'}:total()", COP_EVAL_FAULT, "has no value table"},
        {"on{d = 10}:total()", COP_EVAL_FAULT, "`on` has several values of `b`; write on{b = ...}"},
        {"on:total()", COP_EVAL_FAULT, "`on` has several values of `d`"},
        {"on{e = 1, c = 2}:total()", COP_EVAL_FAULT, "`on` has no axis `c`"},
        {"off{d = 10}:total()", COP_EVAL_FAULT, "`off` has no axis `d`"},
        {"on{10}:total()", COP_EVAL_FAULT, "a value without a name; write on{axis = ...}"},
        {"late:total()", COP_EVAL_NO_RUN, "block `late` is not run at quick scale"},
    };
    stage *s = *state;
    must_read(s,
              HEAD "runs:\n  - {name: on, vary: {one: {only: {}},"
                   " d: {key: link.delay, values: [10 ns, 20 ns, 40 ns], quick: [10 ns, 20 ns]},"
                   " b: {small: {switch.buffer: 8 KiB}, huge: {switch.buffer: 99 KiB},"
                   " big: {switch.buffer: 9 KiB}, quick: [small, big]}, two: {only: {}}}}\n"
                   "  - {name: off, set: {link.delay: 99 ns}}\n  - {name: late, scale: full}\n",
              "quick");
    assert_int_equal(s->plan.n_points, 5);
    for (size_t i = 0; i < 5; i++)
        store_point(s, i, (double)(i + 1), COP_OUTCOME_OK);
    find_points(s);
    cop_eval *e = open_expressions(s);
    expect_answers(e, all, COP_LEN(all));
    expect_refusals(e, bad, COP_LEN(bad));
    cop_eval_close(e);
}

/* Seed by seed, a block means the run of that seed. */
static void test_seeds(void **state)
{
    stage *s = *state;
    must_read(s, HEAD "seeds: [3, 5, 8]\nruns: [{name: r}]\n", "full");
    for (size_t i = 0; i < 3; i++)
        store_point(s, i, (double)(i + 1), COP_OUTCOME_OK);
    find_points(s);
    cop_eval *e = open_expressions(s);
    assert_int_equal(cop_eval_seeds(e), 3);
    for (size_t round = 0; round < 2; round++)
        for (size_t k = 0; k < 3; k++) {
            const answer is = {"r:total()", 7 * (double)(k + 1)};
            assert_int_equal(cop_eval_seed(e, k), COP_EVAL_OK);
            expect_answers(e, &is, 1);
        }
    cop_eval_close(e);
    e = cop_eval_open(&s->plan, NULL); /* a rehearsal needs one */
    assert_int_equal(cop_eval_seeds(e), 1);
    cop_eval_close(e);
}

/* A table that a `let` value holds twice is one table, also in the copy of each expression; and what an
 * expression changes in it is gone with the expression. */
static void test_tables_in_tables(void **state)
{
    static const answer all[] = {
        {"v[1] == v[2] and 1 or 0", 1},
        {"(function() v[2][1] = 9 return v[1][1] end)()", 9},
        {"v[1][1] + v[2][1]", 2},
        {"w.me == w and w.me.me == w and 1 or 0", 1},
        {"(function() w.me.n = 9 return w.n end)()", 9},
        {"w.n", 4},
        {"v == v and 1 or 0", 1}, /* the same copy within an expression */
        {"#deep[1][1]", 1},
    };
    stage *s = *state;
    must_read(s,
              HEAD
              "runs: []\nlet:\n"
              "  v: \"(function() local a = {1} return {a, a} end)()\"\n"
              "  w: \"(function() local t = {n = 4} t.me = t return t end)()\"\n"
              "  deep: \"(function() local t = {} for i = 1, 31 do t = {t} end return t end)()\""
              "\n",
              "full");
    cop_eval *e = cop_eval_open(&s->plan, NULL);
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_OK);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
    /* 32 levels can be kept; one more is refused. */
    must_read(s,
              HEAD "runs: []\nlet: {deep: \"(function() local t = {} for i = 1, 32 do t = {t} end"
                   " return t end)()\"}\n",
              "full");
    e = cop_eval_open(&s->plan, NULL);
    assert_int_equal(cop_eval_seed(e, 0), COP_EVAL_FAULT);
    assert_non_null(strstr(cop_eval_why(e), "at most 32 levels"));
    cop_eval_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_each_field),
        ON_STAGE(test_series_of_an_entry),
        ON_STAGE(test_rehearsed_rows_have_the_same_fields),
        ON_STAGE(test_outcomes),
        ON_STAGE(test_runs_of_a_block),
        ON_STAGE(test_seeds),
        ON_STAGE(test_tables_in_tables),
    };
    return cmocka_run_group_tests_name("study_answers", tests, NULL, NULL);
}
