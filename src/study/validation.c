/* Writes the validation folder from a database. See validation.h. */
#include "study/validation.h"

#include "exp/run.h"
#include "study/evaluate.h"
#include "study/markdown.h"

#include <math.h>
#include <string.h>

static bool is_full(const cop_study_record *s)
{
    return strcmp(s->scale, "full") == 0;
}

static bool waits(const char *state)
{
    return strcmp(state, "not-run") == 0;
}

const cop_study_verdict *cop_study_find_verdict(const cop_study_record *studies, size_t n,
                                                const char *id, bool full)
{
    const cop_study_verdict *found = NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; is_full(&studies[i]) == full && k < studies[i].n_verdicts; k++) {
            const cop_study_verdict *v = &studies[i].verdict[k];
            if (strcmp(v->id, id) == 0 &&
                (found == NULL || (waits(found->state) && !waits(v->state))))
                found = v;
        }
    return found;
}

/* A check at both scales. Full is the paper's own size, so it counts where it was run. */
typedef struct row {
    const cop_claim *claim;
    const cop_study_verdict *quick,
        *full; /* NULL: none, or one that waits beside one that is judged */
    const cop_study_verdict *counts;
} row;

typedef struct table {
    const cop_ledger *ledger;
    const cop_study_record *studies;
    size_t n;
    bool any_full;
} table;

static row row_of(const table *t, const cop_claim *c)
{
    row r = {.claim = c,
             .quick = cop_study_find_verdict(t->studies, t->n, c->id, false),
             .full = cop_study_find_verdict(t->studies, t->n, c->id, true)};
    if (r.quick != NULL && r.full != NULL && waits(r.full->state))
        r.full = NULL;
    if (r.quick != NULL && r.full != NULL && waits(r.quick->state))
        r.quick = NULL;
    r.counts = r.full ? r.full : r.quick;
    return r;
}

static const char *state_of(const cop_claim *c, const cop_study_verdict *v)
{
    return v ? v->state : cop_claim_state_name(cop_claim_judge(c));
}

static bool fails(const cop_study_verdict *v)
{
    return v != NULL && strcmp(v->state, "fail") == 0;
}

typedef struct counts {
    unsigned all, pass, fail, narrow, waiting, recorded;
} counts;

static void count(counts *n, const cop_claim *c, const cop_study_verdict *v)
{
    const char *state = state_of(c, v);
    n->all++;
    n->pass += strcmp(state, "pass") == 0;
    n->fail += strcmp(state, "fail") == 0;
    n->narrow += v != NULL && cop_verdict_narrow(v);
    n->waiting += waits(state);
    n->recorded += strcmp(state, "recorded") == 0;
}

static void put_counts(cop_markdown *w, const char *name, const counts *n, const char *title)
{
    cop_markdown_put(w, "| %s | %u | %u | %u | %u | %u | %u | %s |\n", name, n->all, n->pass,
                     n->fail, n->narrow, n->waiting, n->recorded, title);
}

/* How many checks of each paper pass at a scale. */
static void put_summary(cop_markdown *w, const table *t, bool full, cop_arena *arena)
{
    counts all = {0};
    if (t->any_full)
        cop_markdown_put(w, "\n## At %s scale\n", full ? "full" : "quick");
    cop_markdown_put(w, "\n| paper | checks | pass | fail | narrow | not run | recorded | |\n");
    cop_markdown_put(w, "|---|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t p = 0; p < t->ledger->n_papers; p++) {
        const cop_paper *paper = &t->ledger->paper[p];
        counts one = {0};
        for (size_t i = 0; i < paper->n_claims; i++) {
            row r = row_of(t, &paper->claim[i]);
            count(&one, r.claim, full ? r.full : r.quick);
            count(&all, r.claim, full ? r.full : r.quick);
        }
        put_counts(w, cop_arena_printf(arena, "[%s](%s.md)", paper->key, paper->key), &one,
                   paper->title);
    }
    put_counts(w, "**all**", &all, "");
}

static void put_state(cop_markdown *w, const cop_claim *c, const cop_study_verdict *v)
{
    const char *state = state_of(c, v);
    cop_markdown_put(w, "%s%s", fails(v) ? "**fail**" : state,
                     v != NULL && cop_verdict_narrow(v) ? ", narrow" : "");
}

/* Both scales where they say different things. */
static void put_row(cop_markdown *w, const table *t, const row *r)
{
    const cop_claim *c = r->claim;
    const cop_study_verdict *q = r->quick, *f = r->full;
    cop_markdown_put(w, "| %s |", c->id);
    cop_markdown_cell(w, c->where);
    cop_markdown_cell(w, c->metric);
    cop_markdown_cell(w, c->expected);
    cop_markdown_cell(w, c->tolerance);
    cop_markdown_cell(w, q ? q->measured : "");
    if (t->any_full)
        cop_markdown_cell(w, f == NULL                                    ? ""
                             : q && strcmp(q->measured, f->measured) == 0 ? "="
                                                                          : f->measured);
    cop_markdown_put(w, " ");
    if (q && f &&
        (strcmp(q->state, f->state) != 0 || cop_verdict_narrow(q) != cop_verdict_narrow(f))) {
        cop_markdown_put(w, "quick ");
        put_state(w, c, q);
        cop_markdown_put(w, "; full ");
        put_state(w, c, f);
    } else {
        put_state(w, c, r->counts);
        if (r->counts != NULL && !waits(r->counts->state))
            cop_markdown_put(w, "%s", q && f ? "" : q ? ", quick" : ", full");
    }
    cop_markdown_put(w, " |\n");
}

/* The behaviour behind a study of this paper and scale, if it is not that of this program; else NULL. */
static const char *earlier(const cop_study_record *s, const char *paper, bool full)
{
    const char *one = s->inputs && is_full(s) == full ? strchr(s->inputs, ' ') : NULL;
    bool is_one = one && strcmp(s->paper, paper) == 0 && strcmp(one + 1, cop_behaviour_id()) != 0;
    return is_one ? one + 1 : NULL;
}

/* Names the program that made the runs: at full scale, or on request, it may be an earlier one. */
static void put_earlier(cop_markdown *w, const table *t, const char *paper, bool full,
                        cop_arena *arena)
{
    const char *list = "";
    for (size_t i = 0; i < t->n; i++) {
        const char *model = earlier(&t->studies[i], paper, full), *other = NULL;
        size_t j = 0;
        for (; model && j < i; j++)
            if ((other = earlier(&t->studies[j], paper, full)) && strcmp(model, other) == 0)
                break;
        if (model != NULL && j == i)
            list = cop_arena_printf(arena, "%s%s %s", list, list[0] ? "," : "", model);
    }
    if (list[0] == '\0')
        return;
    cop_markdown_put(w, "\n");
    cop_markdown_prose(w, "",
                       cop_arena_printf(arena,
                                        "%s scale, at least in part, with an earlier behaviour:%s.",
                                        full ? "Full" : "Quick", list));
}

/* Lines of a list, `title` above the first. */
static void put_item(cop_markdown *w, bool first, const char *title, const cop_study_verdict *v,
                     cop_arena *arena)
{
    if (first)
        cop_markdown_put(w, "\n%s\n\n", title);
    cop_markdown_prose(w, "* ",
                       cop_arena_printf(arena, "%s: %s", v->id,
                                        v->explain[0] ? v->explain : "not understood yet"));
}

static void put_reasons(cop_markdown *w, const table *t, const cop_paper *p, cop_arena *arena)
{
    bool first = true;
    for (size_t i = 0; i < p->n_claims; i++) {
        row r = row_of(t, &p->claim[i]);
        const cop_study_verdict *v = fails(r.full) ? r.full : r.quick;
        if (!fails(v))
            continue;
        put_item(w, first, "Why checks fail:", v, arena);
        first = false;
    }
}

/* What a reader should know of checks that pass. */
static void put_notes(cop_markdown *w, const table *t, const cop_paper *p, cop_arena *arena)
{
    bool first = true;
    for (size_t i = 0; i < p->n_claims; i++) {
        row r = row_of(t, &p->claim[i]);
        const cop_study_verdict *v = r.full ? r.full : r.quick;
        if (v == NULL || fails(r.full) || fails(r.quick) || v->explain[0] == '\0')
            continue;
        put_item(w, first, "Notes on checks that pass:", v, arena);
        first = false;
    }
}

static const char *page_of(const table *t, const cop_paper *p, cop_arena *arena)
{
    cop_markdown w = {0};
    cop_markdown_put(&w, "# %s\n\n", p->key);
    cop_markdown_prose(&w, "", cop_arena_printf(arena, "**%s.** %s", p->title, p->source));
    if (p->note != NULL) {
        cop_markdown_put(&w, "\n");
        cop_markdown_prose(&w, "", p->note);
    }
    cop_markdown_put(&w, "\n[All papers, and how to read this](README.md)\n\n");
    cop_markdown_put(&w, "| check | where | what | expected | tolerance | %s | verdict |\n",
                     t->any_full ? "quick | full" : "measured");
    cop_markdown_put(&w, "|---|---|---|---|---|---|---|%s\n", t->any_full ? "---|" : "");
    for (size_t i = 0; i < p->n_claims; i++) {
        row r = row_of(t, &p->claim[i]);
        put_row(&w, t, &r);
    }
    put_reasons(&w, t, p, arena);
    put_notes(&w, t, p, arena);
    put_earlier(&w, t, p->key, false, arena);
    put_earlier(&w, t, p->key, true, arena);
    return cop_line_take(&w, arena);
}

/* Read again by cop_validation_keep_cost. */
static void put_cost(cop_markdown *w, const cop_validation_cost *c)
{
    cop_markdown_put(w, "\n## Cost\n\n");
    for (int full = 0; full < 2; full++)
        if (c->runs[full] > 0)
            cop_markdown_put(w,
                             "* %s scale: %" PRIu64
                             " runs, %.0f CPU minutes on the machine that wrote this file.\n",
                             full ? "Full" : "Quick", c->runs[full], c->cpu_seconds[full] / 60.0);
    if (isfinite(c->half_second))
        cop_markdown_put(w,
                         "* gran4-table2: %.1f CPU minutes on one core for half a simulated second "
                         "of the 648-host\n  network under congestion control; the thesis needed "
                         "one to two days.\n",
                         c->half_second / 60.0);
}

void cop_validation_keep_cost(const char *text, cop_validation_cost *c)
{
    const char *at = strstr(text, "\n## Cost\n");
    if (at == NULL)
        return;
    for (int full = 0; full < 2; full++) {
        unsigned long long runs;
        double minutes, half;
        const char *line = strstr(at, full ? "\n* Full scale: " : "\n* Quick scale: ");
        if (line != NULL && sscanf(line, " * %*s scale: %llu runs, %lf", &runs, &minutes) == 2 &&
            runs > c->runs[full]) {
            c->runs[full] = runs;
            c->cpu_seconds[full] = 60.0 * minutes;
        }
        line = strstr(at, "\n* gran4-table2: ");
        if (!isfinite(c->half_second) && line != NULL &&
            sscanf(line, " * gran4-table2: %lf", &half) == 1)
            c->half_second = 60.0 * half;
    }
}

static const char *readme_of(const table *t, const cop_validation_cost *cost, cop_arena *arena)
{
    static const char *const how[] = {
        "One file for each paper has the claims that it makes, as Coppice checks them: where the "
        "source says it, what is measured, what is expected with which tolerance, what Coppice "
        "measures, and the verdict. `coppice reproduce` writes these files from a result "
        "database; do not edit them. `make reproduce` makes all runs.",
        "*quick*: shorter runs. *full*: the paper's own size, and its length where that can be "
        "run; `=` is the same value as quick.",
        "*not-run*: no experiment produces it yet. *recorded*: not judged, as it is a constant "
        "that no simulation produces, or a measured value for which the source gives no measure; "
        "*(shown)* is such a value beside others.",
        "*narrow*: other seeds could turn the verdict, as a bound lies within the range over the "
        "seeds, which is given, or within ±, the 95 % confidence interval.",
        "*(ours)* after a tolerance: it is no figure of the source.",
        "*earlier behaviour*: verdicts of experiments that were not run again may be those of a "
        "program that behaves otherwise. Behaviour is a fingerprint of the golden runs; that of "
        "the earlier program stands below the table."};
    cop_markdown w = {0};
    cop_markdown_put(&w, "# Validation: what the papers claim, what Coppice measures\n\n");
    for (size_t i = 0; i < COP_LEN(how); i++) {
        cop_markdown_prose(&w, i == 0 ? "" : "* ", how[i]);
        cop_markdown_put(&w, i == 0 ? "\n" : "");
    }
    cop_markdown_put(&w, "\n");
    cop_markdown_prose(&w, "",
                       "Expected values and tolerances: `claims/`; set-ups, choices and "
                       "expressions: `experiments/`; how a verdict is found: "
                       "[docs/EXPERIMENTS.md](../EXPERIMENTS.md).");
    put_summary(&w, t, false, arena);
    if (t->any_full)
        put_summary(&w, t, true, arena);
    put_cost(&w, cost);
    return cop_line_take(&w, arena);
}

size_t cop_validation_pages(const cop_ledger *l, const cop_study_record *studies, size_t n,
                            const cop_validation_inputs *in, const cop_validation_cost *cost,
                            cop_arena *arena, cop_validation_page **pages)
{
    table t = {.ledger = l, .studies = studies, .n = n};
    cop_validation_page *p = COP_NEW_ARRAY(arena, cop_validation_page, l->n_papers + 1);
    for (size_t i = 0; i < n; i++)
        t.any_full |= is_full(&studies[i]);
    for (size_t i = 0; i < l->n_papers; i++) {
        const cop_paper *paper = &l->paper[i];
        p[i].name = cop_arena_printf(arena, "%s.md", paper->key);
        p[i].text = cop_validation_seal(page_of(&t, paper, arena), in, 0, arena);
    }
    p[l->n_papers] = (cop_validation_page){
        .name = COP_VALIDATION_README,
        .text = cop_validation_seal(readme_of(&t, cost, arena), in,
                                    cop_validation_hash(p, l->n_papers), arena)};
    *pages = p;
    return l->n_papers + 1;
}
