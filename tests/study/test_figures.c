/* Figures of studies: what the report gets of each kind, field by field, from runs with numbers known by
 * hand; what is missing, thinned out or left out; and that one figure knows nothing of another. */
#include "verdict_fixture.h"

/* d = 10 or 20 ns, b = small or big; two seeds. They deliver 7, 14, 21 and 28 Gbit/s, but (10, small)
 * with the second seed 10.5, so mean 8.75 and half an interval of 12.706 * 1.75; and (20, big) has
 * not been made with the second seed. */
#define AXES                                                                                       \
    HEAD "seeds: 2\n"                                                                              \
         "vary: {d: {key: link.delay, values: [10 ns, 20 ns]},"                                    \
         " b: {small: {switch.buffer: 8 KiB}, big: {switch.buffer: 9 KiB}}}\n"
#define BLANK "{'label': '', 'unit': '', 'log': false, 'min': null, 'max': null}"
/* What all of those say for whom the last run is missing. */
#define NOT_MADE(where)                                                                            \
    ", 'missing': [{'why': 'run `d 20 ns, b big` has not been made', 'count': 1, 'where': "        \
    "['" where "']}]"
/* A line over axis d, which names its x axis. */
#define OVER_D(name)                                                                               \
    "'experiment': 'e', 'name': '" name "', 'title': '" name "', 'kind': 'line', 'note': '',"      \
    " 'checks': [], 'x': {'label': 'd', 'unit': 'ns', 'log': false, 'min': null, 'max': null},"    \
    " 'y': {'label': '', 'unit': '', 'log': false, 'min': null, 'max': null}"
#define FRAME(name, kind)                                                                          \
    "'experiment': 'e', 'name': '" name "', 'title': '" name "', 'kind': '" kind                   \
    "', 'note': '', 'checks': [], 'x': " BLANK ", 'y': " BLANK

static void store_axes(stage *s, const char *figures)
{
    cop_arena a = {0};
    must_read(s, cop_arena_printf(&a, AXES "figures:\n%s", figures), "full");
    cop_arena_free(&a);
    assert_int_equal(s->plan.n_points, 8);
    for (size_t i = 0; i < 7; i++)
        store_point(s, i, i == 4 ? 1.5 : (double)(i % 4 + 1), COP_OUTCOME_OK);
    find_points(s);
}

static json_t *figure(const judged *j, const char *name)
{
    for (size_t i = 0; i < j->r.n_figures; i++)
        if (strcmp(j->r.figure[i].name, name) == 0)
            return json_loads(j->r.figure[i].spec, JSON_DECODE_INT_AS_REAL, NULL);
    fail_msg("no figure %s", name);
    return NULL;
}

/* The whole figure is this JSON, in which ' stands for ". */
static void same_figure(const judged *j, const char *name, const char *want)
{
    json_error_t e;
    cop_arena a = {0};
    char *text = cop_arena_strdup(&a, want);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *is = figure(j, name), *should = json_loads(text, JSON_DECODE_INT_AS_REAL, &e);
    if (should == NULL)
        fail_msg("%s: %s", e.text, text);
    if (!json_equal(is, should)) {
        char *a_text = json_dumps(is, JSON_SORT_KEYS), *b_text = json_dumps(should, JSON_SORT_KEYS);
        fail_msg("%s is\n%s\nnot\n%s", name, a_text, b_text);
    }
    json_decref(is);
    json_decref(should);
    cop_arena_free(&a);
}

/* A part of a figure begins with this text; "": it is not there. */
static void same_text(const json_t *part, const char *want)
{
    char *is = part ? json_dumps(part, JSON_COMPACT) : NULL;
    if (strncmp(is ? is : "", want, want[0] ? strlen(want) : 1) != 0)
        fail_msg("%s, not %s", is ? is : "nothing", want);
    cop_free_foreign(is);
}

static void test_lines(void **state)
{
    stage *s = *state;
    store_axes(
        s, "  - {name: l, title: T, note: N, kind: line, over: b, checks: [c1, c2],\n"
           "     x: {label: X, unit: U, log: true, min: 1, max: 9}, y: {label: Y, max: -2.5},\n"
           "     series: [{name: '({s})', for: d, of: 'all{d = s, b = x}:total()'},\n"
           "              {name: 'no {s}', dash: true, of: '2 * all{d = 10, b = x}:total()'}]}\n"
           "  - {name: n, kind: line, over: d,"
           " series: [{name: a, of: \"all{d = x, b = 'small'}:total()\"},"
           " {name: none, of: '1 / 0'}]}\n");
    judged j = judge(s);
    /* Cases without numbers stand side by side: x is 0, 1. */
    same_figure(&j, "l",
                "{'experiment': 'e', 'name': 'l', 'title': 'T', 'kind': 'line', 'note': 'N',"
                " 'checks': ['c1', 'c2'], 'seeds': [1, 2],"
                " 'x': {'label': 'X', 'unit': 'U', 'log': true, 'min': 1, 'max': 9,"
                " 'names': ['small', 'big']},"
                " 'y': {'label': 'Y', 'unit': '', 'log': false, 'min': null, 'max': -2.5},"
                " 'series': ["
                "{'name': '(10 ns)', 'dash': false, 'points': [[0, 8.75], [1, 14]],"
                " 'ci': [22.2355, 0], 'seeds': [[7, 10.5], [14, 14]]},"
                "{'name': '(20 ns)', 'dash': false, 'points': [[0, 21]], 'ci': [0],"
                " 'seeds': [[21, 21]]},"
                "{'name': 'no {s}', 'dash': true, 'points': [[0, 17.5], [1, 28]],"
                " 'ci': [44.471, 0], 'seeds': [[14, 21], [28, 28]]}], 'expected': []" NOT_MADE(
                    "(20 ns) at big") "}");
    same_figure(&j, "n",
                "{" OVER_D("n") ", 'seeds': [1, 2], 'series': ["
                                "{'name': 'a', 'dash': false, 'points': [[10, 8.75], [20, 21]],"
                                " 'ci': [22.2355, 0], 'seeds': [[7, 10.5], [21, 21]]},"
                                "{'name': 'none', 'dash': false, 'points': [], 'ci': [],"
                                " 'seeds': []}], 'expected': [], 'missing': [{'why': 'it is no"
                                " finite number', 'count': 2, 'where': ['none at 10 ns',"
                                " 'none at 20 ns']}]}");
    cop_arena_free(&j.arena);
}

static void test_expected(void **state)
{
    stage *s = *state;
    store_axes(s, "  - {name: f, kind: line, over: d, series: [{name: a, of: '1'}], expected: [\n"
                  "     {name: band, min: 2, max: 3, from: '1 + 1', to: \"all{d = 10, b ="
                  " 'small'}:total()\", category: p},\n"
                  "     {value: 4, tolerance: 25 %}, {value: 4}, {name: one, min: -1},\n"
                  "     {points: [[1, 2], [3, 4.5]], tolerance: 5 %}, {points: [[7, 8]]}]}\n");
    judged j = judge(s);
    /* An end on the x axis is that of the first seed. */
    same_figure(
        &j, "f",
        "{" OVER_D(
            "f") ", 'seeds': [1, 2], 'series': ["
                 "{'name': 'a', 'dash': false, 'points': [[10, 1], [20, 1]], 'ci': [0, 0],"
                 " 'seeds': [[1, 1], [1, 1]]}],"
                 " 'expected': ["
                 "{'name': 'band', 'from': 2, 'to': 7, 'value': null, 'low': 2, 'high': 3,"
                 " 'category': 'p'},"
                 "{'name': 'paper', 'from': null, 'to': null, 'value': 4, 'low': 3, 'high': 5},"
                 "{'name': 'paper', 'from': null, 'to': null, 'value': 4, 'low': null,"
                 " 'high': null},"
                 "{'name': 'one', 'from': null, 'to': null, 'value': null, 'low': -1,"
                 " 'high': null},"
                 "{'name': 'paper', 'from': null, 'to': null, 'value': null, 'low': null,"
                 " 'high': null, 'points': [[1, 2], [3, 4.5]], 'tolerance': 0.05},"
                 "{'name': 'paper', 'from': null, 'to': null, 'value': null, 'low': null,"
                 " 'high': null, 'points': [[7, 8]], 'tolerance': 0}]}");
    cop_arena_free(&j.arena);
}

/* Bands of the ledger; an open side is not drawn. */
static void test_expected_by_the_ledger(void **state)
{
    static cop_band two[] = {{"F1", 13, 12.5, 13.5}, {"F2", NAN, 1.5, INFINITY}},
                    one[] = {{"", 5, -INFINITY, 6}};
    static cop_claim claims[] = {{.id = "p-1", .band = two, .n_bands = 2},
                                 {.id = "p-2", .band = one, .n_bands = 1}};
    static cop_paper paper = {.key = "p", .claim = claims, .n_claims = 2};
    static const cop_ledger l = {.paper = &paper, .n_papers = 1};
#define DRAWN(what)                                                                                \
    HEAD "vary: {d: {key: link.delay, values: [10 ns]}}\nfigures:\n  - {name: f, kind: line,"      \
         " over: d, series: [{name: a, of: '1'}], expected: [" what "]}\n"
    stage *s = *state;
    if (stage_read(s,
                   DRAWN("{check: p-1, item: F1}, {check: p-1, item: F2, name: n, from: '3'},"
                         " {check: p-2, value: 7, min: 8, max: 9}"),
                   "full", &l) != 0)
        fail_msg("%s", s->err.text);
    store_point(s, 0, 1, COP_OUTCOME_OK);
    find_points(s);
    judged j = judge(s);
    same_figure(
        &j, "f",
        "{" OVER_D(
            "f") ", 'seeds': [1], 'series': ["
                 "{'name': 'a', 'dash': false, 'points': [[10, 1]], 'ci': [null],"
                 " 'seeds': [[1]]}],"
                 " 'expected': ["
                 "{'name': 'paper', 'from': null, 'to': null, 'value': 13, 'low': 12.5,"
                 " 'high': 13.5},"
                 "{'name': 'n', 'from': 3, 'to': null, 'value': null, 'low': 1.5, 'high': null},"
                 "{'name': 'paper', 'from': null, 'to': null, 'value': 5, 'low': null,"
                 " 'high': 6}]}");
    cop_arena_free(&j.arena);
    static const char *const none[] = {DRAWN("{check: p-3}"), DRAWN("{check: p-1}"),
                                       DRAWN("{check: p-1, item: F3}")};
    for (size_t i = 0; i < COP_LEN(none); i++) {
        assert_int_not_equal(stage_read(s, none[i], "full", &l), 0);
        assert_non_null(strstr(s->err.text, "gives no such value to draw"));
        must_read(s, none[i], "full"); /* not known without a ledger */
    }
}

static void test_bars_and_maps(void **state)
{
    stage *s = *state;
    store_axes(s, "  - {name: a, kind: bar, over: d, series: [{name: n,"
                  " of: \"all{d = x, b = 'big'}:total()\"}]}\n"
                  "  - {name: c, kind: bar, categories: [p, q], stack: true, series: ["
                  "{name: '{s}', for: b, of: \"x == 'q' and all{d = 10, b = s}:total() or 1\"}]}\n"
                  "  - {name: h, kind: heatmap, over: [d, b], z: {label: Z, unit: z, min: 3},"
                  " series: [{name: n, of: 'all{d = x, b = y}:total()'}]}\n");
    judged j = judge(s);
    same_figure(&j, "a",
                "{" FRAME("a", "bar") ", 'series': ["
                                      "{'name': 'n', 'values': [14, null], 'ci': [0, null],"
                                      " 'seeds': [[14, 14], []]}], 'expected': [], 'seeds': [1, 2],"
                                      " 'categories': ['10 ns', '20 ns'], 'stack': "
                                      "false" NOT_MADE("n at 20 ns") "}");
    same_figure(
        &j, "c",
        "{" FRAME("c", "bar") ", 'series': ["
                              "{'name': 'small', 'values': [1, 8.75], 'ci': [0, 22.2355],"
                              " 'seeds': [[1, 1], [7, 10.5]]},"
                              "{'name': 'big', 'values': [1, 14], 'ci': [0, 0],"
                              " 'seeds': [[1, 1], [14, 14]]}], 'expected': [], 'seeds': [1, 2],"
                              " 'categories': ['p', 'q'], 'stack': true}");
    same_figure(
        &j, "h",
        "{" FRAME(
            "h",
            "heatmap") ", 'xs': ['10 ns', '20 ns'], 'ys': ['small', 'big'],"
                       " 'z': {'label': 'Z', 'unit': 'z', 'log': false, 'min': 3, 'max': null},"
                       " 'cells': [[0, 0, 8.75], [0, 1, 14], [1, 0, 21]], 'seeds': [1, 2],"
                       " 'cell_seeds': [[7, 10.5], [14, 14], [21, 21]]" NOT_MADE(
                           "20 ns at big") "}");
    cop_arena_free(&j.arena);
}

/* A host may have a dot in its name; its port is called as it is. */
static void test_networks_and_tables(void **state)
{
    stage *s = *state;
    must_read(s,
              HEAD "runs: [{name: r}, {name: gone, set: {link.delay: 99 ns}}]\n"
                   "figures:\n"
                   "  - {name: n, kind: network, series: [{name: a, of: r}]}\n"
                   "  - {name: m, kind: network, series: [{name: a, of: gone}]}\n"
                   "  - {name: t, kind: table, columns: [one, two], series: ["
                   "{name: first, of: \"{'a', 1 / 3}\"}, {name: none, of: '{gone:total()}'},"
                   " {name: second, of: \"{'\\\\255', r:total()}\"}]}\n"
                   "  - {name: u, kind: table, series: [{name: none, of: '{gone:total()}'}]}\n",
              "full");
    cop_result r;
    make_synthetic(&r, 1);
    r.node[1].name = "h.1";
    r.port[1] = (cop_port_result){"s.2.1", "h.1", 1.0, 5000, 9000};
    store_made(s, 0, &r);
    find_points(s);
    judged j = judge(s);
    same_figure(
        &j, "n",
        "{" FRAME("n",
                  "network") ", 'nodes': ["
                             "{'name': 's0', 'kind': 'switch'}, {'name': 'h0', 'kind': 'host'},"
                             "{'name': 's.2', 'kind': 'switch'}, {'name': 'h.1', 'kind': 'host'}], "
                             "'links': ["
                             "[0, 1, 0.5, 100], [2, 3, 1, 5000]], 'run': 1}");
    same_figure(&j, "t",
                "{" FRAME("t", "table") ", 'columns': ['', 'one', 'two'],"
                                        " 'rows': [['first', 'a', '0.33333'],"
                                        " ['none', 'not known: run `gone` has not been made'],"
                                        " ['second', '?', '7']]}");
    assert_int_equal(j.r.n_figures, 2); /* the others have nothing to show */
    cop_arena_free(&j.arena);
}

/* Runs whose network was not steady, by either of two numbers; four at most are named of what has no
 * value, and what never ends has a figure that says so. */
static void test_unsteady_and_missing(void **state)
{
    static const struct {
        const char *name;
        double value;
    } says[] = {
        {"saturated", 0}, {"packets_piled_up", 0}, {"saturated", 1}, {"packets_piled_up", 7}};
    stage *s = *state;
    must_read(s,
              HEAD
              "vary: {d: {key: link.delay, values: [1 ns, 2 ns, 3 ns, 4 ns, 5 ns]}}\n"
              "let: {f: 'function(d) return all{d = d}:total() end'}\nfigures:\n"
              "  - {name: l, kind: line, over: d, series: [{name: a, of: 'f(x)'}]}\n"
              "  - {name: b, kind: bar, categories: [c], series: [{name: a, of: 'f(1)'}, {name: b,"
              " of: 'f(1) + f(4)'}]}\n"
              "  - {name: e, kind: table, series: [{name: x, of: '{(function() while true do end"
              " end)()}'}]}\n",
              "full");
    for (size_t i = 0; i < COP_LEN(says); i++) {
        cop_result r;
        make_synthetic(&r, 1);
        r.n_scalars = 1;
        r.scalar = COP_NEW_ARRAY(&r.arena, cop_scalar, 1);
        r.scalar[0] = (cop_scalar){says[i].name, "", says[i].value};
        store_made(s, i, &r);
    }
    find_points(s);
    judged j = {0};
    cop_err err = {0}; /* the loop is told, and its figure is there all the same */
    assert_int_equal(cop_study_evaluate(&s->plan, s->store, "cmd", &j.arena, &j.r, &err),
                     -COP_E_INPUT);
    assert_non_null(strstr(err.text, "takes too long"));
    json_t *l = figure(&j, "l"), *b = figure(&j, "b"), *e = figure(&j, "e");
    json_t *line = json_array_get(json_object_get(l, "series"), 0);
    same_text(json_object_get(line, "unsteady"), "[2.0,3.0]");
    same_text(json_object_get(l, "missing"),
              "[{\"why\":\"run `d 5 ns` has not been made\",\"count\":1.0,\"where\":[\"a at 5 "
              "ns\"]}");
    same_text(json_object_get(json_array_get(json_object_get(b, "series"), 0), "unsteady"), "");
    same_text(json_object_get(json_array_get(json_object_get(b, "series"), 1), "unsteady"),
              "[0.0]");
    same_text(json_object_get(e, "rows"), "[[\"x\",\"not known: takes too long; is there an "
                                          "endless loop?\"]]");
    json_decref(l);
    json_decref(b);
    json_decref(e);
    cop_arena_free(&j.arena);
}

static json_t *points_of(json_t *o, size_t series)
{
    return json_object_get(json_array_get(json_object_get(o, "series"), series), "points");
}

static void same_point(json_t *points, size_t i, double x, double y)
{
    json_t *p = json_array_get(points, i);
    double at = json_number_value(json_array_get(p, 0));
    double v = json_number_value(json_array_get(p, 1));
    if (!(fabs(at - x) <= 1e-8 * fabs(x)) || v != y)
        fail_msg("point %zu is %.10g, %.10g, not %.10g, %.10g", i, at, v, x, y);
}

/* Bins of 1 ms; a point stands in the middle of its bin, in the unit of the axis. */
static void test_units_of_time(void **state)
{
    static const struct {
        const char *unit;
        double first;
    } all[] = {{"s", 5e-4}, {"ms", 0.5}, {"us", 500}, {"µs", 500}, {"ns", 5e5}};
    stage *s = *state;
    cop_arena a = {0};
    const char *figures = "";
    for (size_t i = 0; i < COP_LEN(all); i++)
        figures = cop_arena_printf(&a,
                                   "%s  - {name: f%zu, kind: time, x: {unit: %s}, series: [{name:"
                                   " F, of: \"all{d = 10, b = 'small'}:series('F1')\"}]}\n",
                                   figures, i, all[i].unit);
    store_axes(s, figures);
    judged j = judge(s);
    for (size_t i = 0; i < COP_LEN(all); i++) {
        json_t *f = figure(&j, cop_arena_printf(&a, "f%zu", i));
        json_t *one = json_array_get(json_object_get(f, "series"), 0);
        assert_int_equal(json_array_size(points_of(f, 0)), 10);
        assert_true(json_is_null(json_object_get(one, "ci")));
        assert_string_equal(json_string_value(json_object_get(one, "name")), "F");
        for (size_t k = 0; k < 10; k++) /* of the first seed */
            same_point(points_of(f, 0), k, all[i].first * (double)(2 * k + 1), (double)(k + 1));
        json_decref(f);
    }
    cop_arena_free(&j.arena);
    cop_arena_free(&a);
}

/* A list from 1 to n, in which number 2 is none. */
#define COUNT(n)                                                                                   \
    "(function() local t = {} for i = 1, " #n " do t[i] = i == 2 and 0 / 0 or i end return t "     \
    "end)()"

/* A screen shows 600 points: more are means of neighbours, those without a value left out. */
static void test_thinned(void **state)
{
    stage *s = *state;
    store_axes(s, "  - {name: f, kind: time, series: [{name: a, dash: true, of: '" COUNT(
                      600) "'},"
                           " {name: b, of: '" COUNT(601) "'}, {name: c, of: '" COUNT(
                               1800) "'},"
                                     " {name: d, of: '{0 / 0, 1 / 0}'}]}\n"
                                     "  - {name: none, kind: time, series: [{name: d, of: '{0 / 0, "
                                     "1 / 0}'}]}\n");
    judged j = judge(s);
    json_t *f = figure(&j, "f");
    assert_string_equal(json_string_value(json_object_get(f, "note")),
                        "One run of each: seed 1, the first of 2.");
    assert_int_equal(json_array_size(points_of(f, 0)), 599);
    same_point(points_of(f, 0), 0, 0.5, 1); /* no width of a bin is known: 1 */
    for (size_t k = 1; k < 599; k++)
        same_point(points_of(f, 0), k, (double)k + 1.5, (double)k + 2);
    assert_int_equal(json_array_size(points_of(f, 1)), 301);
    same_point(points_of(f, 1), 0, 1, 1);
    for (size_t k = 1; k < 300; k++)
        same_point(points_of(f, 1), k, (double)(2 * k + 1), (double)(2 * k) + 1.5);
    same_point(points_of(f, 1), 300, 600.5, 601); /* alone */
    assert_int_equal(json_array_size(points_of(f, 2)), 600);
    same_point(points_of(f, 2), 0, 1.5, 2); /* of 1 and 3 */
    same_point(points_of(f, 2), 599, 1798.5, 1799);
    assert_int_equal(json_array_size(points_of(f, 3)), 0);
    json_decref(f);
    assert_int_equal(j.r.n_figures, 1); /* the other has nothing to show */
    cop_arena_free(&j.arena);
}

/* Studies whose figures are wrong, or read names of another figure. */
static void test_faults(void **state)
{
#define LINE "{name: f, kind: line, over: d, series: [{name: a, of: '1'}]"
#define MAP "{name: f, kind: heatmap, series: [{name: a, of: '1'}]"
#define TAKES(name) ", {name: g, kind: table, series: [{name: a, of: '{" name "}'}]}"
    static const struct {
        const char *figures, *what;
    } bad[] = {
        {MAP ", over: [d, b]}" TAKES("x"), "unknown name `x`"},
        {MAP ", over: [d, b]}" TAKES("y"), "unknown name `y`"},
        {"{name: f, kind: line, over: d, series: [{name: a, for: b, of: '1'}]}" TAKES("s"),
         "unknown name `s`"},
        {"{name: f, kind: line, over: d, series: [{name: a, for: c, of: '1'}]}",
         "`for` names no axis: `c`"},
        {"{name: f, kind: line, over: c, series: [{name: a, of: '1'}]}",
         "a line needs `over`, the name of an axis, not `c`"},
        {"{name: f, kind: bar, over: c, series: [{name: a, of: '1'}]}",
         "bars need `over`, the name of an axis, or `categories`, not `c`"},
        {MAP "}", "two axes, in `f`"},
        {MAP ", over: d}", "two axes, in `f`"},
        {MAP ", over: [d, c]}", "two axes, in `f`"},
        {MAP ", over: [c, d]}", "two axes, in `f`"},
        {"{name: f, kind: heatmap, over: [d, b], series: [{name: a, of: '1'}, {name: b, of: '2'}]}",
         "one series and"},
        {"{name: f, kind: time, series: [{name: a, of: 'wrong'}]}", "unknown name `wrong`"},
        {"{name: f, kind: network, series: [{name: a, of: 'wrong'}]}", "unknown name `wrong`"},
        {"{name: f, kind: time, series: [{name: a, of: '3'}]}", "a number, not a list or series"},
        {"{name: f, kind: time, x: {unit: h}, series: [{name: a, of: '{1, 2}'}]}",
         "time is in s, ms, us, ns or cycles, not in `h`"},
        {"{name: f, kind: time, x: {unit: us}, series: [{name: a, of: '{1, 2}'}]}",
         "a list that is no series has no time axis; give none of `us`"},
        {"{name: f, kind: table, series: [{name: a, of: '3'}]}", "a number, not a list"},
        {"{name: f, kind: network, series: [{name: a, of: '3'}]}", "a number, not a run"},
        {"{name: f, kind: bar, over: d, series: [{name: a, of: 'wrong'}]}", "unknown name `wrong`"},
        {LINE ", expected: [{from: wrong}]}", "unknown name `wrong`"},
        {LINE ", expected: 3}", "`expected` is not a list"},
        {LINE ", expected: [{form: 3}]}", "did you mean `from`"},
        {LINE ", expected: [{points: 3}]}", "`points` is not a list"},
        {LINE ", expected: [{points: [3]}]}", "not a pair of numbers"},
        {LINE ", expected: [{points: [[3]]}]}", "not a pair of numbers"},
        {LINE ", expected: [{points: [[1, 2, 3]]}]}", "not a pair of numbers"},
        {LINE ", expected: [{points: [[1, a]]}]}", "not a pair of numbers"},
        {LINE ", expected: [{points: [[1, 2]], tolerance: wide}]}", "not a share"},
        {LINE ", expected: [{value: 2, tolerance: wide}]}", "tolerance `wide` is none"},
        {LINE ", x: 3}", "an axis of a figure is not a map"},
        {LINE ", y: {unti: s}}", "did you mean `unit`"},
        {LINE ", x: {log: maybe}}", "`log` is neither true nor false"},
        {LINE ", x: {min: low}}", "`min` is not a number"},
        {LINE ", stack: maybe}", "`stack` is neither true nor false"},
        {LINE ", checks: c1}", "`checks` is not a list"},
        {LINE ", checks: [[c1]]}", "an item of `checks` is not a single value"},
        {LINE ", title: [a]}", "`title` is not a single value"},
        {LINE ", tilte: a}", "did you mean `title`"},
        {"{name: f, kind: line, over: d, series: 3}", "has no `series`"},
        {"{name: f, kind: line, over: d, series: [{nmae: a, of: '1'}]}", "did you mean `name`"},
        {"{name: f, kind: line, over: d, series: [{of: '1'}]}", "`name` is missing"},
        {"{name: f, kind: line, over: {a: 1}, series: []}", "`over` is not a list"},
        {"{kind: line, over: d, series: []}", "`name` is missing"},
        {"{name: f, series: []}", "`kind` is missing"},
    };
    stage *s = *state;
    cop_arena a = {0};
    for (size_t i = 0; i < COP_LEN(bad); i++) {
        const char *text = cop_arena_printf(&a, AXES "figures: [%s]\n", bad[i].figures);
        if (stage_read(s, text, "full", NULL) == 0 && cop_study_rehearse(&s->plan, &s->err) == 0)
            fail_msg("accepted: %s", bad[i].figures);
        if (strstr(s->err.text, bad[i].what) == NULL)
            fail_msg("expected `%s` in: %s", bad[i].what, s->err.text);
    }
    cop_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_lines),
        ON_STAGE(test_expected),
        ON_STAGE(test_expected_by_the_ledger),
        ON_STAGE(test_bars_and_maps),
        ON_STAGE(test_networks_and_tables),
        ON_STAGE(test_units_of_time),
        ON_STAGE(test_unsteady_and_missing),
        ON_STAGE(test_thinned),
        ON_STAGE(test_faults),
    };
    return cmocka_run_group_tests_name("figures", tests, NULL, NULL);
}
