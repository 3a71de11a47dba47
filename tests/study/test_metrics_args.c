/* Wrong arguments of metrics: each one is a fault that names the metric and what would be right. As
 * far as it can be known without a run, it is told before anything is simulated. Also: no metric is
 * left without a test. */
#include "metrics_fixture.h"

#include "base/file.h"

#define BAD(of, why)                                                                               \
    {                                                                                              \
        of, COP_EVAL_FAULT, why                                                                    \
    }

static void test_wrong_arguments(void **state)
{
    static const refusal all[] = {
        BAD("r:mean(3)", "mean(series, [t0, t1]): series is a number; give text"),
        BAD("r:mean('A', {})", "t0 is a table; give a time, such as '2 ms'"),
        BAD("r:mean('A', '1 parsec')", "parsec"),
        BAD("r:mean('A', '9 ms', '8 ms')", "no bin between"),
        BAD("r:sd('nobody')", "no series `nobody`"),
        BAD("r:min('A', '1 ms', true)", "t1 is a boolean"),
        BAD("r:max({'A'})", "series is a table; give text"),
        BAD("r:steady('A', '1 ms')", "t1 is missing"),
        BAD("r:jitter()", "series is missing; give text"),
        BAD("r:recovery('A', '5', '0 s', '1 ms')", "level is a string; give a number"),
        BAD("r:recovery('A', 0 / 0, '0 s', '1 ms')", "level is no number; give a number"),
        BAD("r:rate('nobody')", "no traffic entry is called `nobody`"),
        BAD("#r:rates('U/2')", "no traffic entry is called `U/2`"),
        BAD("r:delay('u')", "no traffic entry is called `u`"),
        BAD("r:streams_of('')", "no traffic entry"),
        BAD("r:received('h4')", "no host is called `h4`"),
        BAD("r:received(4)", "no host is called `4`"),
        BAD("r:received(-1)", "no host is called `-1`"),
        BAD("r:received({})", "host is a table; give a name or a number"),
        BAD("#r:sent_by('X')", "role is `X`; use one of V, C, B"),
        BAD("#r:samples('A', '0 s', '1 ms')", "{series...} is a string; give a list of names"),
        BAD("#r:samples({}, '0 s', '1 ms')", "{series...} is a table; give a list of names"),
        BAD("#r:samples({'A', 'C'}, '0 s', '1 ms')", "no series `C`"),
        BAD("r:treatment_variation({1, 2})", "give a list of names"),
        BAD("r:settled({'A', 'B'}, '0 s', '1 ms', 2)", "span is missing"),
        BAD("r:share({'A'}, 'A')", "series is a table"),
        BAD("r:normalised('10 Gbit/s')", "link_gbps is a string; give a number"),
        BAD("#r:per_port('A', '10')", "link_gbps is a string; give a number"),
        BAD("#r:received_series('median', 1)", "part is `median`; use one of mean, min, max"),
        BAD("#r:received_series('mean', 1, 3)", "except is a number; give text"),
        BAD("r:latency('p98')", "part is `p98`; use one of mean, min, p50, p99, max"),
        BAD("r:accepted()", "link_gbps is missing"),
        BAD("r:utilisation('s9.0')", "no port is called `s9.0`"),
        BAD("r:queue(7)", "port is a number; give text"),
        BAD("#r:tiers('leaves')", "what is `leaves`; use one of switches, up, down, ports"),
        BAD("r:tier_of('h0')", "no port of a switch is called `h0`"),
        BAD("r:tier_of('s7.0')", "no port of a switch is called `s7.0`"),
        BAD("#r:busy_switches(3)", "no switch is in tier 3"),
        BAD("#r:busy_switches('leaf')", "tier is a string; give a number"),
        BAD("#r:held('5')", "gbps is a string; give a number"),
        BAD("#r:roots()", "bytes is missing"),
        BAD("#r:tree('8 KiB')", "bytes is a string; give a number"),
        BAD("r:tree_switches({})", "bytes is a table"),
        BAD("r:ports_to('s9', 0)", "no switch or host is called `s9`"),
        BAD("r:ports_to('s1')", "bytes is missing"),
        BAD("r:peak('s0', 's1')", "no port of `s0` leads to `s1`"),
        BAD("r:peak('s0', 'h9')", "no switch or host is called `h9`"),
        BAD("#r:peaks_to('x')", "no switch or host is called `x`"),
        BAD("#r:injected_by_switch('s0')", "n is a string; give a number"),
        BAD("r:unevenness('name')", "use one of utilisation, mean_queue_bytes"),
        BAD("#r:scaled('A')", "factor is missing"),
        BAD("r:received_mean(0, 4)", "no host has number 4"),
        BAD("r:received_mean(2, 1)", "the mean of no values"),
        BAD("#r:window(nil, 1, 2)", "series is missing"),
    };
    cop_eval *e = open_tree(*state);
    expect_refusals(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* A network without hotspots has no rate of hotspots. */
static void test_no_hotspot(void **state)
{
    cop_result r;
    make_synthetic(&r, 1);
    for (uint32_t i = 0; i < r.n_nodes; i++)
        r.node[i].hotspot = 0;
    cop_eval *e = open_run(*state, &r);
    const refusal none = BAD("r:hotspot_rate()", "no host is a hotspot");
    const answer others = {"r:other_rate()", 7.0 / 3};
    expect_refusals(e, &none, 1);
    expect_answers(e, &others, 1);
    cop_eval_close(e);
}

/* Too few and too many arguments of every metric, with a run and in a rehearsal. */
static void count_arguments(cop_eval *e, const cop_metric_info *m)
{
    char of[128];
    bool needs = m->args[0] != '\0' && m->args[0] != '[';
    snprintf(of, sizeof(of), "r:%s()", m->name);
    const refusal few = BAD(of, "is missing; give");
    if (needs)
        expect_refusals(e, &few, 1);
    snprintf(of, sizeof(of), "r:%s('a', 'b', 'c', 'd', 'e', 'f')", m->name);
    const refusal many = BAD(of, "argument 6 is too much; leave it out");
    expect_refusals(e, &many, 1);
}

static void test_number_of_arguments(void **state)
{
    stage *s = *state;
    cop_arena arena = {0};
    cop_metric_info *list;
    size_t n = cop_eval_metrics(&arena, &list);
    cop_eval *e = open_tree(s);
    cop_eval *rehearsal = cop_eval_open(&s->plan, NULL);
    assert_int_equal(cop_eval_seed(rehearsal, 0), COP_EVAL_OK);
    assert_true(n > 40);
    for (size_t i = 0; i < n; i++) {
        count_arguments(e, &list[i]);
        count_arguments(rehearsal, &list[i]);
    }
    cop_eval_close(rehearsal);
    cop_eval_close(e);
    cop_arena_free(&arena);
}

/* The rehearsal does not know names and values yet, and lets them pass. */
static void test_rehearsed_arguments(void **state)
{
    static const answer all[] = {
        {"r:utilisation(r:roots(8192)[1])", 1},
        {"r:mean('F1', r:info().warmup, 3)", 1},
        {"r:tier_of(r:tree(1)[3])", 1},
        {"r:latency()", 1},
    };
    stage *s = *state;
    must_read(s, HEAD "runs: [{name: r}]\n", "full");
    cop_eval *e = open_expressions(s);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* The tables of these two files have each metric. */
static void test_all_are_tested(void **state)
{
    static const char *const files[] = {"tests/study/test_metrics.c",
                                        "tests/study/test_metrics_net.c"};
    char *text[COP_LEN(files)];
    cop_arena arena = {0};
    cop_err err = {0};
    cop_metric_info *list;
    size_t length, n = cop_eval_metrics(&arena, &list);
    (void)state;
    for (size_t i = 0; i < COP_LEN(files); i++) {
        if (cop_file_read(files[i], (size_t)1 << 20, &text[i], &length, &err) != 0)
            fail_msg("%s; run the tests from the top folder", err.text);
        text[i][length - 1] = '\0';
    }
    for (size_t i = 0; i < n; i++) {
        const char *call = cop_arena_printf(&arena, "r:%s(", list[i].name);
        if (strstr(text[0], call) == NULL && strstr(text[1], call) == NULL)
            fail_msg("metric %s has no test", list[i].name);
    }
    for (size_t i = 0; i < COP_LEN(files); i++)
        cop_free(text[i]);
    cop_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_wrong_arguments),        ON_STAGE(test_no_hotspot),
        ON_STAGE(test_number_of_arguments),    ON_STAGE(test_rehearsed_arguments),
        cmocka_unit_test(test_all_are_tested),
    };
    return cmocka_run_group_tests_name("metrics_args", tests, NULL, NULL);
}
