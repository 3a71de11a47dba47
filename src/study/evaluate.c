/* Verdicts: measured numbers against their bands.
 *
 * In:  a plan whose points know their runs, the database. Out: a cop_study_record.
 * A check is not run while a run it needs is missing, and fails if one of its runs has no result or
 * if a number lies outside its band. Numbers that are only shown have no band; a check of nothing else
 * is recorded. Nothing here knows a mechanism or a paper. */
#include "study/evaluate.h"

#include "base/line.h"
#include "exp/run.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom. */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};

/* Beyond the table: Fisher's expansion around the normal distribution, good to four digits. */
static double quantile(size_t freedom)
{
    if (freedom <= COP_LEN(student))
        return student[freedom - 1];
    double z = 1.959964, v = (double)freedom;
    return z + (z * z * z + z) / (4 * v) +
           (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / (96 * v * v);
}

cop_measured cop_measure_seeds(const double *value, size_t n)
{
    cop_measured m = {.n = n, .ci = NAN, .least = INFINITY, .most = -INFINITY};
    double q = 0.0;
    for (size_t i = 0; i < n; i++) {
        m.mean += value[i] / (double)n;
        m.least = fmin(m.least, value[i]);
        m.most = fmax(m.most, value[i]);
    }
    if (m.least == m.most &&
        !isnan(m.mean)) /* the mean of equals is no rounding error beside them */
        m.mean = m.least;
    for (size_t i = 0; i < n; i++)
        q += (value[i] - m.mean) * (value[i] - m.mean);
    if (n > 1)
        m.ci = quantile(n - 1) * sqrt(q / (double)(n - 1) / (double)n);
    return m;
}

bool cop_item_holds(const cop_item *it, const cop_measured *m, const char **why)
{
    double ci = isnan(m->ci) ? 0.0 : m->ci;
    *why = "";
    if (it->rule == COP_RULE_SHOWN)
        return true;
    if (!isfinite(m->mean)) /* divided by nothing: that was not measured */
        return false;
    if (it->rule == COP_RULE_SIGN)
        return m->mean >= it->low || (m->n >= 5 && m->mean - ci > 0.0);
    if (m->mean < it->low || m->mean > it->high)
        return false;
    bool open = !isfinite(it->low) || !isfinite(it->high);
    /* An exact value of several seeds is exact in each. */
    bool sharp = open ? m->mean - ci >= it->low && m->mean + ci <= it->high
                      : 2.0 * ci <= it->high - it->low + 1e-9 * fabs(it->high);
    if (!sharp)
        *why = "too noisy to tell; more seeds or a longer run are needed";
    return sharp;
}

bool cop_item_narrow(const cop_item *it, const cop_measured *m, bool holds)
{
    if (m->n < 2 || it->rule == COP_RULE_SHOWN || !isfinite(m->ci) || !(m->least < m->most))
        return false;
    double down = fmin(m->least, m->mean - m->ci), up = fmax(m->most, m->mean + m->ci);
    if (it->rule == COP_RULE_SIGN) /* of the other sign, or of a size that needs no more seeds */
        return holds ? down <= 0.0 : up >= it->low;
    return holds ? down < it->low || up > it->high : up >= it->low && down <= it->high;
}

bool cop_verdict_narrow(const cop_study_verdict *v)
{
    json_t *items = json_loads(v->items, 0, NULL), *item;
    size_t i;
    bool any = false;
    json_array_foreach(items, i, item) any |= json_is_true(json_object_get(item, "narrow"));
    json_decref(items);
    return any;
}

/* -- one check -- */

typedef struct judge {
    const cop_plan *plan;
    cop_eval *e;
    cop_arena *arena;
    cop_err *err;
} judge;

cop_measured cop_measure_mean(double all, const double *without, size_t n)
{
    cop_measured m = {.mean = all, .n = n, .ci = NAN, .least = all, .most = all};
    double mean = 0.0, q = 0.0;
    for (size_t i = 0; i < n; i++) {
        mean += without[i] / (double)n;
        m.least = fmin(m.least, without[i]);
        m.most = fmax(m.most, without[i]);
    }
    for (size_t i = 0; i < n; i++)
        q += (without[i] - mean) * (without[i] - mean);
    if (n > 1)
        m.ci = quantile(n - 1) * sqrt(q * (double)(n - 1) / (double)n);
    if (n > 1 && !isfinite(m.ci)) /* only one seed has a number */
        m.ci = INFINITY;
    return m;
}

/* One item over the mean of all seeds, and of all but each. */
static enum cop_eval_status measure_mean(judge *j, const cop_item *it, cop_measured *m)
{
    size_t n = cop_eval_seeds(j->e), mean = cop_eval_mean(j->e);
    double *value = COP_NEW_ARRAY(j->arena, double, n + 1);
    for (size_t k = 0; k <= n; k++) {
        enum cop_eval_status st = cop_eval_seed(j->e, mean + k);
        if (st == COP_EVAL_OK)
            st = cop_eval_number(j->e, &it->of, &value[k]);
        if (st != COP_EVAL_OK)
            return st;
    }
    *m = cop_measure_mean(value[0], value + 1, n);
    return COP_EVAL_OK;
}

/* Values of one item over all seeds. */
static enum cop_eval_status measure(judge *j, const cop_item *it, cop_measured *m)
{
    size_t n = cop_eval_seeds(j->e);
    double *value = COP_NEW_ARRAY(j->arena, double, n);
    for (size_t k = 0; k < n; k++) {
        enum cop_eval_status st = cop_eval_seed(j->e, k);
        if (st == COP_EVAL_OK)
            st = cop_eval_number(j->e, &it->of, &value[k]);
        if (st != COP_EVAL_OK)
            return st;
    }
    *m = cop_measure_seeds(value, n);
    return COP_EVAL_OK;
}

/* One item measured, before the verdict on the whole check is known. */
typedef struct finding {
    cop_measured m;
    enum cop_eval_status status;
    const char *note; /* why there is no number, or why it does not count; "" */
    bool pass;
    bool narrow; /* the verdict on the check hangs on it, and other seeds could turn it */
} finding;

/* In a row of a table a value stands with its name, or with the check's own words if it is alone. */
static const char *subject_of(const cop_check *c, const cop_item *it)
{
    bool alone = c->n_items == 1 && c->claim && c->claim->subject && c->claim->subject[0] != '\0';
    return alone ? c->claim->subject : it->what;
}

static const char *unit_of(const cop_check *c, const cop_item *it)
{
    bool of_claim = c->claim && c->claim->unit && !it->own && it->rule == COP_RULE_BAND;
    return of_claim ? c->claim->unit : "";
}

static json_t *item_json(const cop_check *c, const cop_item *it, const finding *f)
{
    static const char *const rules[] = {
        [COP_RULE_BAND] = "band", [COP_RULE_SIGN] = "sign", [COP_RULE_SHOWN] = "shown"};
    json_t *o = json_object();
    bool several = f->status == COP_EVAL_OK && f->m.n > 1;
    /* Neither in nor out: not run yet, or only shown. */
    bool open =
        f->status == COP_EVAL_NO_RUN || (f->status == COP_EVAL_OK && it->rule == COP_RULE_SHOWN);
    json_object_set_new(o, "what", json_string(it->what));
    json_object_set_new(o, "subject", json_string(subject_of(c, it)));
    json_object_set_new(o, "unit", json_string(unit_of(c, it)));
    json_object_set_new(o, "rule", json_string(rules[it->rule]));
    json_object_set_new(o, "own", json_boolean(it->own));
    json_object_set_new(o, "value", cop_real_or_null(f->m.mean));
    json_object_set_new(o, "ci", cop_real_or_null(f->m.ci));
    json_object_set_new(o, "least", several ? cop_real_or_null(f->m.least) : json_null());
    json_object_set_new(o, "most", several ? cop_real_or_null(f->m.most) : json_null());
    json_object_set_new(o, "expected", cop_real_or_null(it->value));
    json_object_set_new(o, "low", cop_real_or_null(it->low));
    json_object_set_new(o, "high", cop_real_or_null(it->high));
    json_object_set_new(o, "pass", open ? json_null() : json_boolean(f->pass));
    json_object_set_new(o, "narrow", json_boolean(f->narrow));
    json_object_set_new(o, "note", json_string(f->note));
    return o;
}

static const char *number_text(cop_arena *a, double v, double ci)
{
    if (isnan(ci) || ci <= 1e-9 * fabs(v)) /* one seed; all alike but for rounding */
        return cop_arena_printf(a, "%.5g", v);
    return cop_arena_printf(a, "%.5g ± %.2g", v, ci);
}

/* A number, its interval and its marks. */
static const char *finding_text(cop_arena *a, const cop_item *it, const finding *f, bool alone)
{
    if (f->status != COP_EVAL_OK)
        return f->note;
    const char *number = number_text(a, f->m.mean, f->m.ci);
    if (it->rule == COP_RULE_SHOWN)
        return alone ? number : cop_arena_printf(a, "%s (shown)", number);
    if (f->note[0] == '\0' && !f->narrow)
        return number;
    return cop_arena_printf(a, "%s (%s, %.5g to %.5g)", number, f->note[0] ? "too noisy" : "narrow",
                            f->m.least, f->m.most);
}

/* The expectation of an item, as text. */
static const char *band_text(cop_arena *a, const cop_item *it)
{
    if (it->rule == COP_RULE_SIGN)
        return "clearly above";
    if (it->rule == COP_RULE_SHOWN)
        return "shown";
    if (!isnan(it->value))
        return cop_arena_printf(a, "%.5g", it->value);
    if (isfinite(it->low) && isfinite(it->high))
        return cop_arena_printf(a, "%.5g to %.5g", it->low, it->high);
    return isfinite(it->low) ? cop_arena_printf(a, "at least %.5g", it->low)
                             : cop_arena_printf(a, "at most %.5g", it->high);
}

static const char *dump(cop_arena *a, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);
    const char *copy = cop_arena_strdup(a, text ? text : "null");
    cop_free_foreign(text);
    json_decref(o);
    return copy;
}

/* "what value", after "; " if it is not the first. */
static void append_item(cop_line *l, const char *what, const char *value)
{
    cop_line_put(l, l->used > 0 ? "; " : "");
    cop_line_put(l, what);
    cop_line_put(l, what[0] ? " " : "");
    cop_line_put(l, value);
}

static finding find(judge *j, const cop_item *it, bool average, int *rc)
{
    finding f = {.m = {.mean = NAN, .ci = NAN}};
    f.status =
        average && cop_eval_seeds(j->e) > 1 ? measure_mean(j, it, &f.m) : measure(j, it, &f.m);
    f.note = f.status == COP_EVAL_OK      ? ""
             : f.status == COP_EVAL_FAULT ? cop_eval_why(j->e)
                                          : cop_eval_missing(j->e);
    f.pass = f.status == COP_EVAL_OK && cop_item_holds(it, &f.m, &f.note);
    if (f.status == COP_EVAL_FAULT)
        *rc = cop_eval_fault(j->e, j->err);
    f.note = cop_arena_strdup(j->arena, f.note);
    return f;
}

/* The state of a check from its items. One that judges nothing is recorded. */
static const char *state_of(const cop_check *c, const finding *f)
{
    bool fail = false, judged = false;
    for (size_t i = 0; i < c->n_items; i++) {
        if (f[i].status == COP_EVAL_NO_RUN)
            return "not-run";
        fail |= !f[i].pass;
        judged |= c->item[i].rule != COP_RULE_SHOWN;
    }
    return fail ? "fail" : judged ? "pass" : "recorded";
}

/* A check passes narrowly if one of its items does, and fails narrowly if none fails clearly. */
static void mark_narrow(const cop_check *c, const char *state, finding *f)
{
    bool pass = strcmp(state, "pass") == 0, clear = false;
    if (!pass && strcmp(state, "fail") != 0)
        return;
    for (size_t i = 0; i < c->n_items; i++) {
        f[i].narrow = f[i].status == COP_EVAL_OK && f[i].pass == pass &&
                      cop_item_narrow(&c->item[i], &f[i].m, pass);
        clear |= !f[i].pass && !f[i].narrow;
    }
    for (size_t i = 0; clear && i < c->n_items; i++)
        f[i].narrow = false;
}

/* All items; returns the state and fills measured and items. */
static const char *judge_items(judge *j, const cop_check *c, cop_study_verdict *v, int *rc)
{
    json_t *items = json_array();
    cop_line text = {0};
    finding *f = COP_NEW_ARRAY(j->arena, finding, c->n_items + 1);
    for (size_t i = 0; i < c->n_items; i++)
        f[i] = find(j, &c->item[i], c->average, rc);
    const char *state = state_of(c, f);
    mark_narrow(c, state, f);
    bool alone = strcmp(state, "recorded") == 0;
    for (size_t i = 0; i < c->n_items; i++) {
        append_item(&text, c->item[i].what, finding_text(j->arena, &c->item[i], &f[i], alone));
        json_array_append_new(items, item_json(c, &c->item[i], &f[i]));
    }
    v->measured = cop_line_take(&text, j->arena);
    v->items = dump(j->arena, items);
    return state;
}

static const char *own_expectation(cop_arena *a, const cop_check *c)
{
    cop_line text = {0};
    for (size_t i = 0; i < c->n_items; i++)
        append_item(&text, c->item[i].what, band_text(a, &c->item[i]));
    return cop_line_take(&text, a);
}

static int judge_check(judge *j, const cop_check *c, cop_study_verdict *v)
{
    int rc = 0;
    const cop_claim *q = c->claim;
    *v = (cop_study_verdict){.id = c->id,
                             .paper = c->paper ? c->paper->key : "",
                             .place = q ? q->where : "",
                             .metric = c->metric[0] ? c->metric
                                       : q          ? q->metric
                                                    : c->id,
                             .kind = q ? cop_claim_kind_name(q->kind) : "own",
                             .expected = q ? q->expected : own_expectation(j->arena, c),
                             .tolerance = q ? q->tolerance : "",
                             .explain = "",
                             .measured = "",
                             .items = "[]"};
    if (c->full_only && strcmp(j->plan->study->scale, "full") != 0) {
        v->state = "not-run";
        v->measured = "means nothing at quick scale";
        return 0;
    }
    v->state = judge_items(j, c, v, &rc);
    v->explain = strcmp(v->state, "fail") == 0   ? c->explain
                 : strcmp(v->state, "pass") == 0 ? c->note
                                                 : "";
    return rc;
}

/* -- the study -- */

static const char *choices_json(const cop_study *s, cop_arena *arena)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_choices; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "what", s->choice[i].what, "why", s->choice[i].why));
    return dump(arena, list);
}

static void fill_points(const cop_plan *p, cop_arena *arena, cop_study_record *r)
{
    r->point = COP_NEW_ARRAY(arena, cop_study_point, p->n_points);
    r->n_points = p->n_points;
    for (size_t i = 0; i < p->n_points; i++) {
        const cop_point *q = &p->point[i];
        const char *name = q->run_id > 0 ? cop_outcome_name(q->outcome) : NULL;
        bool known = name != NULL;
        r->point[i] = (cop_study_point){.label = q->label,
                                        .axes = q->axes,
                                        .seed = q->seed,
                                        .run_id = q->run_id,
                                        .outcome = known ? name : "missing",
                                        .detail = q->detail ? q->detail : ""};
        r->runs += known;
        r->failed += known && q->outcome != COP_OUTCOME_OK;
    }
}

static int fill_figures(judge *j, cop_study_record *r)
{
    const cop_study *s = j->plan->study;
    int rc = 0;
    r->figure = COP_NEW_ARRAY(j->arena, cop_study_figure, s->n_figures);
    for (size_t i = 0; i < s->n_figures; i++) {
        cop_err err = {0};
        const char *spec = cop_figure_spec(j->plan, &s->figure[i], j->e, j->arena, &err);
        if (err.faults > 0)
            rc = cop_err_add(j->err, err.code, "%s", err.text);
        if (spec != NULL)
            r->figure[r->n_figures++] = (cop_study_figure){.name = s->figure[i].name, .spec = spec};
    }
    return rc;
}

/* The behaviour of this program, or those of the others that made runs (--any-build). */
static const char *behaviours_of(const cop_plan *p, cop_arena *arena)
{
    const char *all = "";
    for (size_t i = 0; i < p->n_points; i++) {
        const char *one = p->point[i].behaviour;
        if (one && strcmp(one, cop_behaviour_id()) != 0 && strstr(all, one) == NULL)
            all = cop_arena_printf(arena, "%s%s%s", all, all[0] ? ", " : "", one);
    }
    return all[0] ? all : cop_behaviour_id();
}

int cop_study_evaluate(const cop_plan *p, cop_store *store, const char *command, cop_arena *arena,
                       cop_study_record *r, cop_err *err)
{
    const cop_study *s = p->study;
    judge j = {.plan = p, .e = cop_eval_open(p, store), .arena = arena, .err = err};
    *r = (cop_study_record){
        .name = s->name,
        .scale = s->scale,
        .title = s->title,
        .paper = s->paper,
        .about = s->about,
        .choices = choices_json(s, arena),
        .config = p->config,
        .command = command,
        .inputs = cop_arena_printf(arena, "%016" PRIx64 " %s", s->inputs, behaviours_of(p, arena)),
        .seeds = (int64_t)s->n_seeds};
    int rc = 0;
    if (store != NULL)
        fill_points(p, arena, r);
    /* A `let` value that nothing uses may be wrong too. */
    if (s->n_seeds > 0 && cop_eval_seed(j.e, 0) == COP_EVAL_FAULT)
        rc = cop_eval_fault(j.e, err);
    r->verdict = COP_NEW_ARRAY(arena, cop_study_verdict, s->n_checks);
    for (size_t i = 0; i < s->n_checks; i++)
        if (judge_check(&j, &s->check[i], &r->verdict[r->n_verdicts++]) != 0)
            rc = -COP_E_INPUT;
    if (fill_figures(&j, r) != 0)
        rc = -COP_E_INPUT;
    cop_eval_close(j.e);
    return rc;
}

int cop_study_rehearse(const cop_plan *p, cop_err *err)
{
    cop_arena arena = {0};
    cop_study_record ignored;
    int rc = cop_study_evaluate(p, NULL, "", &arena, &ignored, err);
    cop_arena_free(&arena);
    return rc;
}
