/* The text of a study into what is simulated: names, settings as overrides, axes and their bounds, and
 * what the record of a study says of it. */
#include "verdict_fixture.h"

#include "exp/run.h"

#include <ctype.h>
#include <malloc.h>

static bool accepted(stage *s, const char *text, const char *why)
{
    int rc = stage_read(s, text, "full", NULL);
    if (rc != 0 && strstr(s->err.text, why) == NULL)
        fail_msg("expected `%s` in: %s", why, s->err.text);
    return rc == 0;
}

/* Blocks and `let` values have names of Lua: letters, digits and _, and no digit first. */
static void test_names_in_expressions(void **state)
{
    static const char *const words[] = {
        "and",  "break", "do",    "else",  "elseif", "end", "false", "for",    "function",
        "goto", "if",    "in",    "local", "nil",    "not", "or",    "repeat", "return",
        "then", "true",  "until", "while", "x",      "y",   "s"};
    stage *s = *state;
    char text[200];
    for (int c = ' '; c < 127; c++)
        for (int first = 0; first < 2; first++) {
            char name[8];
            bool escape = c == '"' || c == '\\';
            snprintf(name, sizeof(name), "%s%s%c%s", first ? "" : "z", escape ? "\\" : "", c,
                     first ? "z" : "");
            bool good = isalpha(c) || c == '_' || (isdigit(c) && !first);
            snprintf(text, sizeof(text), HEAD "runs: [{name: \"%s\"}]\n", name);
            assert_int_equal(accepted(s, text, "cannot be a name in expressions"), good);
            snprintf(text, sizeof(text), HEAD "let: {\"%s\": '1'}\n", name);
            assert_int_equal(accepted(s, text, "cannot be a name in expressions"), good);
        }
    for (size_t i = 0; i < COP_LEN(words); i++) {
        snprintf(text, sizeof(text), HEAD "runs: [{name: %s}]\n", words[i]);
        assert_false(accepted(s, text, "already means something"));
    }
    assert_false(accepted(s, HEAD "runs: [{name: ''}]\n", "cannot be a name"));
    assert_false(accepted(s, HEAD "runs: [{name: '7'}]\n", "cannot be a name"));
    assert_false(accepted(s, HEAD "runs: [{name: '07'}]\n", "cannot be a name"));
    assert_false(accepted(s, HEAD "let: {'7': '1'}\n", "cannot be a name"));
    assert_true(accepted(s, HEAD "runs: [{name: Xy_9}, {name: ends}]\n", ""));
}

/* Results are stored in a file of the experiment's name. */
static void test_names_of_files(void **state)
{
    static const struct {
        const char *name;
        bool good;
    } all[] = {{"e", true},         {"gran1-fig.4_x", true}, {"''", false},     {".e", false},
               {"-e", false},       {"a/b", false},          {"'a\\b'", false}, {"a b", false},
               {"\"a\tb\"", false}, {"\"a\\nb\"", false},    {"e-", true},      {"e.", true}};
    stage *s = *state;
    char text[300], name[102] = {0};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        snprintf(text, sizeof(text), "experiment: %s\nbase: base.yaml\n", all[i].name);
        assert_int_equal(accepted(s, text, "cannot be the name of a file"), all[i].good);
    }
    for (size_t n = 100; n <= 101; n++) {
        memset(name, 'n', n);
        snprintf(text, sizeof(text), "experiment: %s\nbase: base.yaml\n", name);
        assert_int_equal(accepted(s, text, "cannot be the name of a file"), n == 100);
    }
}

/* Settings become what `--set` takes: YAML in one line, in which text that could be read as more is
 * quoted. */
static void test_settings_in_one_line(void **state)
{
    static const struct {
        const char *value, *want;
    } all[] = {
        {"plain text", "k=plain text"},
        {"'a: b'", "k=a: b"}, /* not at top level */
        {"[]", "k=[]"},
        {"{}", "k={}"},
        {"[1, 2 ms, [3, [4]], {a: 5}]", "k=[1, 2 ms, [3, [4]], {a: 5}]"},
        {"{a: 1, b: {c: [2], d: x}}", "k={a: 1, b: {c: [2], d: x}}"},
        {"['', ' a', -a, '?a', 'it''s', a-b, a?b, a b]",
         "k=['', ' a', '-a', '?a', 'it''s', a-b, a?b, a b]"},
        {"{'a: b': '{}'}", "k={'a: b': '{}'}"},
        {"{a: }", "k={a: ''}"},
    };
    stage *s = *state;
    cop_arena a = {0};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        (void)stage_read(s, cop_arena_printf(&a, HEAD "set: {b: 1, k: %s}\n", all[i].value), "full",
                         NULL); /* the plan refuses them */
        assert_int_equal(s->study.n_set, 2);
        assert_string_equal(s->study.set[0], "b=1");
        assert_string_equal(s->study.set[1], all[i].want);
    }
    for (const char *c = ",[]{}:#\"'&*!|>%@`~"; *c; c++) {
        bool escape = *c == '"';
        (void)stage_read(
            s, cop_arena_printf(&a, HEAD "set: {k: [\"x%s%cy\"]}\n", escape ? "\\" : "", *c),
            "full", NULL);
        assert_string_equal(s->study.set[0],
                            cop_arena_printf(&a, *c == '\'' ? "k=['x'%cy']" : "k=['x%cy']", *c));
    }
    cop_arena_free(&a);
}

/* An axis of several keys sets them all; the files it names lie beside the study. */
static void test_axes(void **state)
{
    stage *s = *state;
    cop_arena a = {0};
    must_read(s,
              cop_arena_printf(&a,
                               HEAD "vary: {d: {keys: [link.delay, switch.pipeline],"
                                    " values: [10 ns, 20 ns]}, f: {near: {base: base.yaml},"
                                    " far: {base: %s, link.delay: 5 ns}}}\n",
                               s->base),
              "full");
    assert_int_equal(s->plan.n_points, 4);
    const cop_point *p = &s->plan.point[3];
    assert_string_equal(p->base, s->base);
    assert_string_equal(s->plan.point[2].base, s->base);
    assert_int_equal(p->n_set, 4);
    assert_string_equal(p->set[0], "link.delay=20 ns");
    assert_string_equal(p->set[1], "switch.pipeline=20 ns");
    assert_string_equal(p->set[2], "link.delay=5 ns");
    assert_string_equal(p->set[3], "run.seed=1");
    assert_null(p->set[4]);
    assert_string_equal(p->label, "d 20 ns, f far");
    assert_string_equal(p->axes, "{\"run\": \"all\", \"d\": \"20 ns\", \"f\": \"far\"}");
    /* Text in JSON. */
    must_read(s, HEAD "vary: {'a\"b': {\"c\\\\d\\te\": {}}}\n", "full");
    assert_string_equal(s->plan.point[0].axes,
                        "{\"run\": \"all\", \"a\\\"b\": \"c\\\\d\\u0009e\"}");
    cop_arena_free(&a);
}

/* Eight axes, a thousand seeds, ten thousand entries: and not one more. */
static void test_bounds(void **state)
{
    stage *s = *state;
    cop_arena a = {0};
    for (int n = 8; n <= 9; n++) {
        const char *vary = "";
        for (int i = 0; i < n; i++)
            vary = cop_arena_printf(&a, "%s a%d: {c: {}},", vary, i);
        const char *text = cop_arena_printf(&a, HEAD "vary: {%s}\n", vary);
        assert_int_equal(accepted(s, text, "more than 8 axes"), n == 8);
        text =
            cop_arena_printf(&a, HEAD "vary: {b: {c: {}}}\nruns: [{name: r, vary: {%s}}]\n", vary);
        assert_false(accepted(s, text, "more than 8 axes"));
    }
    assert_true(accepted(s, HEAD "seeds: 1000\n", ""));
    assert_int_equal(s->plan.n_points, 1000);
    assert_int_equal(s->plan.point[999].seed, 1000);
    assert_false(accepted(s, HEAD "seeds: 1001\n", "1 to 1000"));
    assert_false(accepted(s, HEAD "seeds: -1\n", "1 to 1000"));
    for (int n = 10000; n <= 10001; n++) {
        char *text = cop_alloc(300000);
        size_t used = (size_t)sprintf(text, HEAD "choices: [");
        for (int i = 0; i < n; i++)
            used += (size_t)sprintf(text + used, "{what: a, why: b},");
        sprintf(text + used, "]\n");
        assert_int_equal(accepted(s, text, "more than 10000 entries"), n == 10000);
        cop_free(text);
    }
    cop_arena_free(&a);
}

/* The number of a value counts up to 63 characters of its first word. */
static void test_numbers_of_values(void **state)
{
    stage *s = *state;
    cop_arena a = {0};
    for (int n = 63; n <= 64; n++) {
        must_read(s, cop_arena_printf(&a, HEAD "vary: {v: {'%0*d': {}, 7: {}, other: {}}}\n", n, 5),
                  "full");
        const cop_case *v = s->study.block->axis->value;
        assert_true(n == 63 ? v[0].number == 5 : isnan(v[0].number));
        assert_true(v[1].number == 7 && isnan(v[2].number));
    }
    must_read(s, HEAD "vary: {v: {1 a: {}, none: {}, 2 a: {}}}\n", "full");
    const cop_case *v = s->study.block->axis->value;
    assert_true(v[0].number == 1 && isnan(v[1].number) && v[2].number == 2);
    must_read(s, HEAD "vary: {v: {1: {}, 2 a: {}}}\n", "full");
    v = s->study.block->axis->value;
    assert_true(isnan(v[0].number) && isnan(v[1].number));
    cop_arena_free(&a);
}

/* Each part that should be a map, a list or one value, and is not; faults are all told. */
static void test_faults(void **state)
{
    static const struct {
        const char *text, *what;
        unsigned faults;
    } bad[] = {
        {"let: 3\n", "`let` is not a map", 1},
        {"choices: 3\n", "`choices` is not a list", 1},
        {"choices: [{what: a, why: b, who: c}]\n", "unknown key `who` of a choice", 1},
        {"checks: 3\n", "`checks` is not a map", 1},
        {"checks: {a: {of: {of: '1', min: 1}}, b: {of: {of: '1', min: 1}, scale: quick}}\n",
         "`scale` of a check is full, or left out", 1},
        {"checks: {a: {of: {of: '1', min: 1}, sacle: full}}\n", "did you mean `scale`", 1},
        {"checks: {a: {of: {of: '1', mni: 1}}}\n", "did you mean `min`", 1},
        {"checks: {a: {of: {of: '1', min: [1]}}}\n", "`min` is not a number", 2},
        {"quick: {set: {}}\nfull: 3\n", "full is not a map", 1},
        {"full: {sets: {}}\n", "did you mean `set`", 1},
        {"seeds: 1.5\n", "`seeds` is not a number of seeds", 1},
        {"seeds: [[1]]\n", "a seed is not a whole number", 1},
        {"title: {a: 1}\n", "`title` is not a single value", 1},
        {"vary: {a: {c: {}}, b: {c: 3}}\n", "settings are not a map", 1},
        {"vary: {a: {keys: 3, values: [1]}}\n", "`keys` is not a list", 2},
        {"vary: {a: {key: link.delay, valeus: [1 ns]}}\n", "did you mean `values`", 2},
        {"runs: [3]\n", "a block of runs is not a map", 1},
        {"runs: [{}]\n", "`name` is missing", 2},
        {"runs: [{name: a, sets: {}}, {nmae: b}]\n", "did you mean `name`", 2},
        {"runs: [{name: a}]\nlet: {a: '1', b: '2'}\n", "`a` is a block of runs and a `let` value",
         1},
    };
    stage *s = *state;
    cop_arena a = {0};
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        assert_false(accepted(s, cop_arena_printf(&a, HEAD "%s", bad[i].text), bad[i].what));
        if (s->err.faults != bad[i].faults)
            fail_msg("%u faults: %s", s->err.faults, s->err.text);
    }
    cop_arena_free(&a);
}

/* All that a record says of its study, and of a check of the user's own. */
static void test_record(void **state)
{
    stage *s = *state;
    static const char text[] =
        HEAD "title: T\nabout: A\nseeds: 3\nchoices: [{what: w, why: y}, {what: v, why: z}]\n"
             "checks:\n"
             "  a: {of: {of: '1', min: 0.5, max: 1.5}, metric: M}\n"
             "  b: {of: {one: {of: '1', min: 2}, two: {of: '1', rule: sign}}, explain: E}\n"
             "  c: {scale: full, of: {of: '1', value: 1}}\n"
             "  d: {of: {of: '1', max: 2}, explain: E}\n";
    for (int full = 0; full < 2; full++) {
        must_read(s, text, full ? "full" : "quick");
        judged j = {0};
        cop_err err = {0};
        assert_int_equal(cop_study_evaluate(&s->plan, NULL, "do it", &j.arena, &j.r, &err), 0);
        assert_string_equal(j.r.name, "e");
        assert_string_equal(j.r.title, "T");
        assert_string_equal(j.r.about, "A");
        assert_string_equal(j.r.paper, "");
        assert_string_equal(j.r.command, "do it");
        assert_string_equal(j.r.scale, full ? "full" : "quick");
        assert_string_equal(j.r.choices,
                            "[{\"what\":\"w\",\"why\":\"y\"},{\"what\":\"v\",\"why\":\"z\"}]");
        assert_int_equal(j.r.seeds, 3);
        assert_int_equal(strcspn(j.r.inputs, " "), 16);
        assert_true(strtoull(j.r.inputs, NULL, 16) == s->study.inputs);
        assert_string_equal(j.r.inputs + 17, cop_behaviour_id());
        assert_non_null(strstr(j.r.config, "10 ms"));
        assert_int_equal(j.r.n_verdicts, 4);
        static const struct {
            const char *id, *metric, *expected, *state, *explain, *measured;
        } want[] = {{"a", "M", "0.5 to 1.5", "pass", "", "1"},
                    {"b", "b", "one at least 2; two clearly above", "fail", "E", "one 1; two 1"},
                    {"c", "c", "1", "pass", "", "1"},
                    {"d", "d", "at most 2", "pass", "", "1"}};
        for (size_t i = 0; i < COP_LEN(want); i++) {
            const cop_study_verdict *v = verdict(&j, want[i].id);
            bool left_out = !full && want[i].id[0] == 'c';
            assert_string_equal(v->metric, want[i].metric);
            assert_string_equal(v->expected, want[i].expected);
            assert_string_equal(v->state, left_out ? "not-run" : want[i].state);
            assert_string_equal(v->measured,
                                left_out ? "means nothing at quick scale" : want[i].measured);
            assert_string_equal(v->explain, want[i].explain);
            assert_string_equal(v->kind, "own");
            assert_string_equal(v->paper, "");
            assert_string_equal(v->place, "");
            assert_string_equal(v->tolerance, "");
        }
        cop_arena_free(&j.arena);
    }
    /* The study and its base are the inputs. */
    uint64_t before = s->study.inputs;
    write_text(s->base, "run: {duration: 9 ms}\ntopology: {kind: single, hosts: 3}\n"
                        "traffic: [{name: F1, pattern: uniform}]\n");
    must_read(s, text, "full");
    assert_true(s->study.inputs != before);
    before = s->study.inputs;
    must_read(s, HEAD, "full");
    assert_true(s->study.inputs != before);
}

/* Read, rehearsed, judged and thrown away again and again, a study leaves no memory behind. */
static void test_nothing_is_kept(void **state)
{
    stage *s = *state;
    size_t before = 0;
    for (int round = 0; round < 20; round++) {
        cop_arena a = {0};
        cop_study_record r;
        must_read(s,
                  HEAD "seeds: 2\nlet: {t: 'all:total()'}\nchecks: {a: {of: {of: t, min: 0}}}\n"
                       "figures:\n  - {name: b, kind: bar, categories: [p], series: [{name: n,"
                       " of: t}]}\n  - {name: n, kind: network, series: [{name: n, of: all}]}\n"
                       "  - {name: s, kind: time, series: [{name: n, of: \"all:series('F1')\"}],"
                       " expected: [{points: [[1, 2]]}]}\n",
                  "full");
        for (size_t i = 0; i < 2 && round == 0; i++)
            store_point(s, i, 1, COP_OUTCOME_OK);
        find_points(s);
        assert_int_equal(cop_study_rehearse(&s->plan, &s->err), 0);
        assert_int_equal(cop_study_evaluate(&s->plan, s->store, "", &a, &r, &s->err), 0);
        assert_int_equal(r.n_figures, 3);
        cop_arena_free(&a);
        cop_study_free(&s->study);
        cop_store_close(s->store);
        s->store = NULL;
        if (round == 9)
            before = mallinfo2().uordblks;
    }
    /* Small blocks that the C library keeps for itself count as taken; a Lua state is much more. */
    assert_true(mallinfo2().uordblks < before + 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_names_in_expressions),
        ON_STAGE(test_names_of_files),
        ON_STAGE(test_settings_in_one_line),
        ON_STAGE(test_axes),
        ON_STAGE(test_bounds),
        ON_STAGE(test_numbers_of_values),
        ON_STAGE(test_faults),
        ON_STAGE(test_record),
        ON_STAGE(test_nothing_is_kept),
    };
    return cmocka_run_group_tests_name("study_text", tests, NULL, NULL);
}
