/* Writes and checks VALIDATION.md. See validation.h. */
#include "study/validation.h"

#include "base/file.h"
#include "exp/run.h"
#include "study/evaluate.h"

#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SEAL "<!-- seal: inputs "

typedef struct writer {
    char *text;
    size_t used, capacity;
} writer;

static void put(writer *w, const char *fmt, ...) COP_PRINTF(2, 3);
static void put(writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int need = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    w->text = cop_grow(w->text, &w->capacity, w->used + (size_t)need + 1, 1);
    va_start(ap, fmt);
    vsnprintf(w->text + w->used, (size_t)need + 1, fmt, ap);
    va_end(ap);
    w->used += (size_t)need;
}

/* Text in a cell of a Markdown table. */
static void put_cell(writer *w, const char *text)
{
    put(w, " ");
    for (; *text; text++) {
        if (*text == '|')
            put(w, "\\|");
        else if (*text == '<' || *text == '>')
            put(w, *text == '<' ? "&lt;" : "&gt;");
        else
            put(w, "%c", *text == '\n' ? ' ' : *text);
    }
    put(w, " |");
}

/* Name and contents. */
static uint64_t hash_file(uint64_t h, const char *path)
{
    const char *slash = strrchr(path, '/');
    h = cop_hash_bytes(h, slash ? slash : path, strlen(slash ? slash : path));
    (void)cop_hash_file(&h, path);
    return h;
}

uint64_t cop_validation_fingerprint(const cop_validation_inputs *in)
{
    uint64_t h = COP_HASH_START;
    const struct {
        const char *folder, *files;
    } parts[] = {{in->claims, "*.yaml"},
                 {in->experiments, "*.yaml"},
                 {in->experiments, "setups/*"},
                 {in->golden, "*.txt"}};
    for (size_t i = 0; i < COP_LEN(parts); i++) {
        cop_arena a = {0};
        glob_t files = {0};
        (void)glob(cop_arena_printf(&a, "%s/%s", parts[i].folder, parts[i].files), 0, NULL, &files);
        for (size_t k = 0; k < files.gl_pathc; k++)
            h = hash_file(h, files.gl_pathv[k]);
        globfree(&files);
        cop_arena_free(&a);
    }
    return h;
}

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

static void put_counts(writer *w, const char *name, const counts *n, const char *title)
{
    put(w, "| %s | %u | %u | %u | %u | %u | %u | %s |\n", name, n->all, n->pass, n->fail, n->narrow,
        n->waiting, n->recorded, title);
}

/* How many checks of each paper pass at a scale. */
static void put_summary(writer *w, const table *t, bool full)
{
    counts all = {0};
    put(w, "%s| paper | checks | pass | fail | narrow | not run | recorded | |\n",
        !t->any_full ? ""
        : full       ? "\nAt full scale:\n\n"
                     : "At quick scale:\n\n");
    put(w, "|---|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t p = 0; p < t->ledger->n_papers; p++) {
        const cop_paper *paper = &t->ledger->paper[p];
        counts one = {0};
        for (size_t i = 0; i < paper->n_claims; i++) {
            row r = row_of(t, &paper->claim[i]);
            count(&one, r.claim, full ? r.full : r.quick);
            count(&all, r.claim, full ? r.full : r.quick);
        }
        put_counts(w, paper->key, &one, paper->title);
    }
    put_counts(w, "**all**", &all, "");
}

static void put_state(writer *w, const cop_claim *c, const cop_study_verdict *v)
{
    const char *state = state_of(c, v);
    put(w, "%s%s", fails(v) ? "**fail**" : state,
        v != NULL && cop_verdict_narrow(v) ? ", narrow" : "");
}

/* Both scales where they say different things. */
static void put_row(writer *w, const table *t, const row *r)
{
    const cop_claim *c = r->claim;
    const cop_study_verdict *q = r->quick, *f = r->full;
    put(w, "| %s |", c->id);
    put_cell(w, c->where);
    put_cell(w, c->metric);
    put_cell(w, c->expected);
    put_cell(w, c->tolerance);
    put_cell(w, q ? q->measured : "");
    if (t->any_full)
        put_cell(w, f == NULL                                    ? ""
                    : q && strcmp(q->measured, f->measured) == 0 ? "="
                                                                 : f->measured);
    put(w, " ");
    if (q && f &&
        (strcmp(q->state, f->state) != 0 || cop_verdict_narrow(q) != cop_verdict_narrow(f))) {
        put(w, "quick ");
        put_state(w, c, q);
        put(w, "; full ");
        put_state(w, c, f);
    } else {
        put_state(w, c, r->counts);
        if (r->counts != NULL && !waits(r->counts->state))
            put(w, "%s", q && f ? "" : q ? ", quick" : ", full");
    }
    put(w, " |\n");
}

/* The behaviour behind a study of this paper and scale, if it is not that of this program; else NULL. */
static const char *earlier(const cop_study_record *s, const char *paper, bool full)
{
    const char *one = s->inputs && is_full(s) == full ? strchr(s->inputs, ' ') : NULL;
    bool is_one = one && strcmp(s->paper, paper) == 0 && strcmp(one + 1, cop_behaviour_id()) != 0;
    return is_one ? one + 1 : NULL;
}

/* Runs at full scale take hours, so they may be of an earlier program, and others if asked for; say so. */
static void put_earlier(writer *w, const table *t, const char *paper, bool full)
{
    bool any = false;
    for (size_t i = 0; i < t->n; i++) {
        const char *model = earlier(&t->studies[i], paper, full), *other = NULL;
        size_t j = 0;
        for (; model && j < i; j++)
            if ((other = earlier(&t->studies[j], paper, full)) && strcmp(model, other) == 0)
                break;
        if (model == NULL || j < i)
            continue;
        if (!any)
            put(w, "\n%s scale, at least in part, with an earlier behaviour:",
                full ? "Full" : "Quick");
        put(w, "%s %s", any ? "," : "", model);
        any = true;
    }
    if (any)
        put(w, ".\n");
}

static void put_reasons(writer *w, const table *t, const cop_paper *p)
{
    bool first = true;
    for (size_t i = 0; i < p->n_claims; i++) {
        row r = row_of(t, &p->claim[i]);
        const cop_study_verdict *v = fails(r.full) ? r.full : r.quick;
        if (!fails(v))
            continue;
        put(w, "%s* %s: %s\n", first ? "\nWhy checks fail:\n\n" : "", v->id,
            v->explain[0] ? v->explain : "not understood yet");
        first = false;
    }
}

/* What a reader should know of checks that pass. */
static void put_notes(writer *w, const table *t, const cop_paper *p)
{
    bool first = true;
    for (size_t i = 0; i < p->n_claims; i++) {
        row r = row_of(t, &p->claim[i]);
        const cop_study_verdict *v = r.full ? r.full : r.quick;
        if (v == NULL || fails(r.full) || fails(r.quick) || v->explain[0] == '\0')
            continue;
        put(w, "%s* %s: %s\n", first ? "\nNotes on checks that pass:\n\n" : "", v->id, v->explain);
        first = false;
    }
}

static void put_paper(writer *w, const table *t, const cop_paper *p)
{
    put(w, "\n## %s: %s\n\n%s\n\n", p->key, p->title, p->source);
    if (p->note != NULL)
        put(w, "%s\n\n", p->note);
    put(w, "| check | where | what | expected | tolerance | %s | verdict |\n",
        t->any_full ? "quick | full" : "measured");
    put(w, "|---|---|---|---|---|---|---|%s\n", t->any_full ? "---|" : "");
    for (size_t i = 0; i < p->n_claims; i++) {
        row r = row_of(t, &p->claim[i]);
        put_row(w, t, &r);
    }
    put_reasons(w, t, p);
    put_notes(w, t, p);
    put_earlier(w, t, p->key, false);
    put_earlier(w, t, p->key, true);
}

static void put_cost(writer *w, const cop_validation_cost *c)
{
    put(w, "\n## Cost\n\n");
    for (int full = 0; full < 2; full++)
        if (c->runs[full] > 0)
            put(w,
                "%s scale: %" PRIu64
                " runs, %.0f CPU minutes on the machine that wrote this file.\n",
                full ? "Full" : "Quick", c->runs[full], c->cpu_seconds[full] / 60.0);
    if (isfinite(c->half_second))
        put(w,
            "Half a simulated second of the 648-host network under congestion control "
            "(gran4-table2) "
            "takes "
            "%.1f CPU minutes on one core;\nthe thesis needed one to two days.\n",
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
        const char *line = strstr(at, full ? "\nFull scale: " : "\nQuick scale: ");
        if (line != NULL && sscanf(line, "%*s scale: %llu runs, %lf", &runs, &minutes) == 2 &&
            runs > c->runs[full]) {
            c->runs[full] = runs;
            c->cpu_seconds[full] = 60.0 * minutes;
        }
        line = strstr(at, "(gran4-table2) takes ");
        if (!isfinite(c->half_second) && line != NULL &&
            sscanf(line, "(gran4-table2) takes %lf", &half) == 1)
            c->half_second = 60.0 * half;
    }
}

const char *cop_validation_text(const cop_ledger *l, const cop_study_record *studies, size_t n,
                                const cop_validation_inputs *in, const cop_validation_cost *cost,
                                cop_arena *arena)
{
    writer w = {0};
    table t = {.ledger = l, .studies = studies, .n = n};
    for (size_t i = 0; i < n; i++)
        t.any_full |= is_full(&studies[i]);
    put(&w,
        "# Validation\n\n"
        "What the papers claim, what Coppice measures. Written from a result database by "
        "`coppice reproduce`; do not edit.\n`make reproduce` makes all runs; verdicts of "
        "experiments that were not run again may be those of a program that behaves otherwise, "
        "which then stands below: behaviour is a fingerprint of the golden runs.\n"
        "*Full* is the paper's own size, and its length where that can be run, *quick* a shorter "
        "run, = the same value as "
        "quick. *Not run* means that no experiment\nproduces it yet, *recorded* what is not "
        "judged: a constant that no "
        "simulation produces, or a measured value\nfor which the source gives no measure; "
        "*(shown)* is such a value beside others. *Narrow*: other seeds could turn the\nverdict, "
        "as a bound lies within the range over the seeds, which is given, or within ±, the 95 %% "
        "confidence\ninterval. A tolerance that ends in *(ours)* is no figure of the source. "
        "Expected values and tolerances: `claims/`;\nset-ups, choices and expressions: "
        "`experiments/`; how a verdict is found: `docs/EXPERIMENTS.md`.\n\n");
    put_summary(&w, &t, false);
    if (t.any_full)
        put_summary(&w, &t, true);
    for (size_t p = 0; p < l->n_papers; p++)
        put_paper(&w, &t, &l->paper[p]);
    put_cost(&w, cost);
    put(&w, "\n%s%016" PRIx64, SEAL, cop_validation_fingerprint(in));
    put(&w, " text %016" PRIx64 " -->\n", cop_hash_bytes(COP_HASH_START, w.text, w.used));
    const char *text = cop_arena_strdup(arena, w.text);
    cop_free(w.text);
    return text;
}

/* The seal that ends the text: its place, NULL if there is none or something follows it. */
static const char *find_seal(const char *text, uint64_t *inputs, uint64_t *own, const char **sealed)
{
    const char *seal = NULL;
    for (const char *s = strstr(text, SEAL); s != NULL; s = strstr(s + 1, SEAL))
        seal = s;
    char *end = NULL;
    if (seal == NULL)
        return NULL;
    *inputs = strtoull(seal + strlen(SEAL), &end, 16);
    if (strncmp(end, " text ", strlen(" text ")) != 0)
        return NULL;
    *sealed = end;
    *own = strtoull(end + strlen(" text "), &end, 16);
    return strcmp(end, " -->\n") == 0 ? seal : NULL;
}

int cop_validation_check(const char *name, const char *text, const cop_validation_inputs *in,
                         cop_err *err)
{
    uint64_t inputs = 0, own = 0;
    const char *sealed;
    if (find_seal(text, &inputs, &own, &sealed) == NULL)
        return cop_err_add(err, COP_E_INPUT, "%s: does not end with a seal; run `make reproduce`",
                           name);
    if (own != cop_hash_bytes(COP_HASH_START, text, (size_t)(sealed - text)))
        return cop_err_add(err, COP_E_INPUT, "%s: was edited by hand; run `make reproduce`", name);
    if (inputs != cop_validation_fingerprint(in))
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: is stale: the ledger, an experiment or the golden runs have changed "
            "since; run `make reproduce`",
            name);
    return 0;
}
