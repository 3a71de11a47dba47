/* Everything that is read from a study file, and every run that is planned, written out and compared line by line.
 * Also faults of files that other tests have no room for, and two studies that share their runs. */
#include "study_fixture.h"

#define HEAD "experiment: e\nbase: base.yaml\n"

static const char whole[] =
    "experiment: e-1\n"
    "title: A title\n"
    "paper: gran1\n"
    "about: Some words\n"
    "base: base.yaml\n"
    "choices:\n"
    "  - {what: one, why: two}\n"
    "  - {what: three, why: four}\n"
    "set: {link.delay: 30 ns, traffic: [{name: F1, pattern: uniform, load: 0.5}]}\n"
    "seeds: [7, 3]\n"
    "vary: {d: {key: link.delay, values: [10 ns, 20 ns], quick: [20 ns]}}\n"
    "let: {n: 1, m: n + 1}\n"
    "runs:\n"
    "  - {name: a}\n"
    "  - {name: b, set: {cc.kind: pace}, vary: {buf: {small: {switch.buffer: 8 KiB},"
    " big: {switch.buffer: 9 KiB, link.delay: 5 ns}, quick: [big]}}}\n"
    "  - {name: c, scale: quick}\n"
    "checks:\n"
    "  c1: {of: {of: n, min: 1}, metric: MET-1, explain: why, note: mind}\n"
    "  c2: {of: {x: {of: m, value: 2, tolerance: 50 %}, y: {of: n, rule: trend}}, scale: full}\n"
    "  c3: {of: {of: n, rule: sign}}\n"
    "  c4: {of: {of: n, min: -1, max: 3}}\n"
    "figures:\n"
    "  - name: f\n"
    "    title: Fig\n"
    "    kind: line\n"
    "    note: N\n"
    "    x: {label: load, unit: '%', log: true, min: 1, max: 9}\n"
    "    y: {label: rate}\n"
    "    over: d\n"
    "    checks: [c1, c3]\n"
    "    series: [{name: 'v {s}', of: x, for: buf, dash: true}, {name: w, of: 1}]\n"
    "    expected:\n"
    "      - {name: p, from: 1, to: 2, min: 3, max: 4}\n"
    "      - {value: 10, tolerance: 10 %}\n"
    "      - {name: q, points: [[1, 2], [3, 4.5]], tolerance: 5 %}\n"
    "  - {name: g, kind: bar, stack: true, categories: [r, s], series: [{name: h, of: 2}],"
    " expected: [{category: r, value: 1}]}\n"
    "  - {name: t, kind: table, columns: [k, l], over: [d, buf], z: {min: -1},"
    " series: [{name: u, of: '{1, 2}'}]}\n"
    "quick: {set: {run.duration: 3 ms}, seeds: 1, let: {n: 5, o: 6}}\n";

typedef struct page {
    char text[12000];
    size_t used;
    const char *dir; /* left out of what is written */
} page;

static void __attribute__((format(printf, 2, 3))) put(page *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(p->text + p->used, sizeof(p->text) - p->used, fmt, ap);
    va_end(ap);
    assert_true(n >= 0 && p->used + (size_t)n < sizeof(p->text));
    size_t from = p->used, length = strlen(p->dir);
    p->used += (size_t)n;
    for (char *at; (at = strstr(p->text + from, p->dir)) != NULL;) {
        size_t skip = at[length] == '/' ? length + 1 : length;
        memmove(at, at + skip, strlen(at + skip) + 1);
        p->used -= skip;
    }
}

static void put_words(page *p, const char *what, const char *const *word, size_t n)
{
    put(p, "%s", what);
    for (size_t i = 0; i < n; i++)
        put(p, " |%s", word[i]);
    put(p, "\n");
}

static void put_axis(page *p, const cop_axis *a)
{
    put(p, " axis %s\n", a->name);
    for (size_t i = 0; i < a->n_values; i++) {
        put(p, "  %s %g", a->value[i].label, a->value[i].number);
        put_words(p, "", a->value[i].set, a->value[i].n_set);
    }
    for (size_t i = 0; i < a->n_absent; i++)
        put(p, "  not %s %g\n", a->absent[i].label, a->absent[i].number);
}

static void put_study(page *p, const cop_study *s)
{
    put(p, "%s; %s; %s; %s; %s; %s; %s\n", s->file, s->name, s->title, s->paper, s->about, s->scale,
        s->base);
    for (size_t i = 0; i < s->n_choices; i++)
        put(p, "choice %s, %s\n", s->choice[i].what, s->choice[i].why);
    put_words(p, "set", s->set, s->n_set);
    for (size_t i = 0; i < s->n_seeds; i++)
        put(p, "seed %d\n", (int)s->seed[i]);
    for (size_t i = 0; i < s->n_lets; i++)
        put(p, "let %s = %s at %s\n", s->let[i].name, s->let[i].of.text, s->let[i].of.where);
    for (size_t i = 0; i < s->n_blocks; i++) {
        put(p, "block %s at %s", s->block[i].name, s->block[i].where);
        put_words(p, "", s->block[i].set, s->block[i].n_set);
        for (size_t k = 0; k < s->block[i].n_axes; k++)
            put_axis(p, &s->block[i].axis[k]);
    }
    for (size_t i = 0; i < s->n_absent; i++)
        put(p, "absent %s\n", s->absent[i].name);
    for (size_t i = 0; i < s->n_checks; i++) {
        const cop_check *c = &s->check[i];
        put(p, "check %s at %s; %s; %s; %s; %d\n", c->id, c->where, c->metric, c->explain, c->note,
            c->full_only);
        for (size_t k = 0; k < c->n_items; k++)
            put(p, " `%s` %s at %s: rule %d, %g in %g .. %g\n", c->item[k].what, c->item[k].of.text,
                c->item[k].of.where, (int)c->item[k].rule, c->item[k].value, c->item[k].low,
                c->item[k].high);
    }
}

static void put_label(page *p, const char *what, const cop_label *l)
{
    put(p, " %s: %s; %s; %d; %g .. %g\n", what, l->label, l->unit, l->log, l->min, l->max);
}

static void put_figures(page *p, const cop_study *s)
{
    for (size_t i = 0; i < s->n_figures; i++) {
        const cop_figure *f = &s->figure[i];
        put(p, "figure %s at %s; %s; %s; %s; %d; %s; %s\n", f->name, f->where, f->title, f->kind,
            f->note, f->stack, f->over[0] ? f->over[0] : "-", f->over[1] ? f->over[1] : "-");
        put_label(p, "x", &f->x);
        put_label(p, "y", &f->y);
        put_label(p, "z", &f->z);
        put_words(p, " categories", f->category, f->n_categories);
        put_words(p, " columns", f->column, f->n_columns);
        put_words(p, " checks", f->check, f->n_checks);
        for (size_t k = 0; k < f->n_curves; k++)
            put(p, " curve %s: %s at %s; %s; %d\n", f->curve[k].name, f->curve[k].of.text,
                f->curve[k].of.where, f->curve[k].over_series ? f->curve[k].over_series : "-",
                f->curve[k].dash);
        for (size_t k = 0; k < f->n_expected; k++) {
            const cop_mark_expected *e = &f->expected[k];
            put(p, " expected %s; %s; %s to %s; %g in %g .. %g; %g\n", e->name, e->category,
                e->from.text ? e->from.text : "-", e->to.text ? e->to.text : "-", e->value, e->low,
                e->high, e->tolerance);
            for (size_t j = 0; j < e->n_points; j++)
                put(p, "  %g, %g\n", e->points[j][0], e->points[j][1]);
        }
    }
}

static void put_plan(page *p, const cop_plan *plan)
{
    for (size_t i = 0; i < plan->n_points; i++) {
        const cop_point *q = &plan->point[i];
        put(p, "%d %s %s %s", (int)q->seed, q->label, q->axes, q->base);
        put_words(p, "", q->set, q->n_set);
    }
}

/* The first line in which they differ. */
static void same_lines(const char *have, const char *want)
{
    while (*have || *want) {
        size_t n = strcspn(have, "\n"), m = strcspn(want, "\n");
        if (n != m || strncmp(have, want, n) != 0)
            fail_msg("\"%.*s\", not \"%.*s\"", (int)n, have, (int)m, want);
        have += n + (have[n] != '\0');
        want += m + (want[m] != '\0');
    }
}

#define F1 "traffic=[{name: F1, pattern: uniform, load: 0.5}]"

static void test_whole_study(void **state)
{
    static const char want[] = "study.yaml; e-1; A title; gran1; Some words; full; base.yaml\n"
                               "choice one, two\n"
                               "choice three, four\n"
                               "set |link.delay=30 ns |" F1 "\n"
                               "seed 7\n"
                               "seed 3\n"
                               "let n = 1 at study.yaml:12:10\n"
                               "let m = n + 1 at study.yaml:12:16\n"
                               "block a at study.yaml:14:5\n"
                               " axis d\n"
                               "  10 ns 10 |link.delay=10 ns\n"
                               "  20 ns 20 |link.delay=20 ns\n"
                               "block b at study.yaml:15:5 |cc.kind=pace\n"
                               " axis d\n"
                               "  10 ns 10 |link.delay=10 ns\n"
                               "  20 ns 20 |link.delay=20 ns\n"
                               " axis buf\n"
                               "  small nan |switch.buffer=8 KiB\n"
                               "  big nan |switch.buffer=9 KiB |link.delay=5 ns\n"
                               "absent c\n"
                               "check c1 at study.yaml:18:7; MET-1; why; mind; 0\n"
                               " `` n at study.yaml:18:17: rule 0, nan in 1 .. inf\n"
                               "check c2 at study.yaml:19:7; ; ; ; 1\n"
                               " `x` m at study.yaml:19:21: rule 0, 2 in 1 .. 3\n"
                               " `y` n at study.yaml:19:60: rule 0, nan in 0.7 .. inf\n"
                               "check c3 at study.yaml:20:7; ; ; ; 0\n"
                               " `` n at study.yaml:20:17: rule 1, nan in 0.02 .. inf\n"
                               "check c4 at study.yaml:21:7; ; ; ; 0\n"
                               " `` n at study.yaml:21:17: rule 0, nan in -1 .. 3\n";
    stage *s = *state;
    page p = {.dir = s->dir};
    must_read(s, whole, "full");
    put_study(&p, &s->study);
    same_lines(p.text, want);
}

static void test_whole_figures(void **state)
{
    static const char want[] = "figure f at study.yaml:23:5; Fig; line; N; 0; d; -\n"
                               " x: load; %; 1; 1 .. 9\n"
                               " y: rate; ; 0; nan .. nan\n"
                               " z: ; ; 0; nan .. nan\n"
                               " categories\n"
                               " columns\n"
                               " checks |c1 |c3\n"
                               " curve v {s}: x at study.yaml:31:34; buf; 1\n"
                               " curve w: 1 at study.yaml:31:74; -; 0\n"
                               " expected p; ; 1 to 2; nan in 3 .. 4; 0\n"
                               " expected paper; ; - to -; 10 in 9 .. 11; 0\n"
                               " expected q; ; - to -; nan in nan .. nan; 0.05\n"
                               "  1, 2\n"
                               "  3, 4.5\n"
                               "figure g at study.yaml:36:5; g; bar; ; 1; -; -\n"
                               " x: ; ; 0; nan .. nan\n"
                               " y: ; ; 0; nan .. nan\n"
                               " z: ; ; 0; nan .. nan\n"
                               " categories |r |s\n"
                               " columns\n"
                               " checks\n"
                               " curve h: 2 at study.yaml:36:82; -; 0\n"
                               " expected paper; r; - to -; 1 in nan .. nan; 0\n"
                               "figure t at study.yaml:37:5; t; table; ; 0; d; buf\n"
                               " x: ; ; 0; nan .. nan\n"
                               " y: ; ; 0; nan .. nan\n"
                               " z: ; ; 0; -1 .. nan\n"
                               " categories\n"
                               " columns |k |l\n"
                               " checks\n"
                               " curve u: {1, 2} at study.yaml:37:98; -; 0\n";
    stage *s = *state;
    page p = {.dir = s->dir};
    must_read(s, whole, "full");
    put_figures(&p, &s->study);
    same_lines(p.text, want);
}

#define POINT(seed, run, label, axes, set)                                                         \
    seed " " label " {\"run\": \"" run "\", " axes "} base.yaml |link.delay=30 ns |" F1 set        \
         " |run.seed=" seed "\n"
#define OF_SEED(seed)                                                                              \
    POINT(seed, "a", "a, d 10 ns", "\"d\": \"10 ns\"", " |link.delay=10 ns")                       \
    POINT(seed, "a", "a, d 20 ns", "\"d\": \"20 ns\"", " |link.delay=20 ns")                       \
    POINT(seed, "b", "b, d 10 ns, buf small", "\"d\": \"10 ns\", \"buf\": \"small\"",              \
          " |cc.kind=pace |link.delay=10 ns |switch.buffer=8 KiB")                                 \
    POINT(seed, "b", "b, d 10 ns, buf big", "\"d\": \"10 ns\", \"buf\": \"big\"",                  \
          " |cc.kind=pace |link.delay=10 ns |switch.buffer=9 KiB |link.delay=5 ns")                \
    POINT(seed, "b", "b, d 20 ns, buf small", "\"d\": \"20 ns\", \"buf\": \"small\"",              \
          " |cc.kind=pace |link.delay=20 ns |switch.buffer=8 KiB")                                 \
    POINT(seed, "b", "b, d 20 ns, buf big", "\"d\": \"20 ns\", \"buf\": \"big\"",                  \
          " |cc.kind=pace |link.delay=20 ns |switch.buffer=9 KiB |link.delay=5 ns")

static void test_whole_plan(void **state)
{
    static const char full[] = OF_SEED("7") OF_SEED("3");
    static const char quick[] =
        "1 a, d 20 ns {\"run\": \"a\", \"d\": \"20 ns\"} base.yaml |link.delay=30 ns |" F1
        " |run.duration=3 ms |link.delay=20 ns |run.seed=1\n"
        "1 b, d 20 ns, buf big {\"run\": \"b\", \"d\": \"20 ns\", \"buf\": \"big\"} base.yaml"
        " |link.delay=30 ns |" F1 " |run.duration=3 ms |cc.kind=pace |link.delay=20 ns"
        " |switch.buffer=9 KiB |link.delay=5 ns |run.seed=1\n"
        "1 c, d 20 ns {\"run\": \"c\", \"d\": \"20 ns\"} base.yaml |link.delay=30 ns |" F1
        " |run.duration=3 ms |link.delay=20 ns |run.seed=1\n";
    stage *s = *state;
    page p = {.dir = s->dir}, q = {.dir = s->dir};
    must_read(s, whole, "full");
    assert_int_equal(s->plan.per_seed, 6);
    put_plan(&p, &s->plan);
    same_lines(p.text, full);
    must_read(s, whole, "quick");
    put_plan(&q, &s->plan);
    same_lines(q.text, quick);
    assert_int_equal(s->study.n_lets, 3);
    assert_string_equal(s->study.let[0].of.text, "5");
    assert_string_equal(s->study.let[1].of.text, "n + 1");
    assert_string_equal(s->study.let[2].name, "o");
    assert_int_equal(s->study.n_absent, 0);
    assert_string_equal(s->study.block[1].axis[1].absent[0].label, "small");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_whole_study),
        ON_STAGE(test_whole_figures),
        ON_STAGE(test_whole_plan),
    };
    return cmocka_run_group_tests_name("study_whole", tests, NULL, NULL);
}
