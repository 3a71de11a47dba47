/* Lists the ledger with the state of each check. */
#include "ledger_list.h"

#include "base/text.h"

#include "study/evaluate.h"
#include "study/validation.h"
#include "verdict_rows.h"
#include "wrap.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

typedef struct tally {
    unsigned kind[COP_CLAIM_KINDS], state[COP_CLAIM_STATES], all;
} tally;

const cop_study_verdict *cop_verdict_find(const cop_verdicts *all, const char *id)
{
    return cop_study_find_verdict(all->study, all->n, id, NULL);
}

enum cop_claim_state cop_verdict_state(const cop_verdicts *all, const cop_claim *c)
{
    const cop_study_verdict *v = cop_verdict_find(all, c->id);
    for (int s = 0; v != NULL && s < COP_CLAIM_STATES; s++)
        if (strcmp(v->state, cop_claim_state_name((enum cop_claim_state)s)) == 0)
            return (enum cop_claim_state)s;
    return cop_claim_judge(c);
}

static void count(tally *t, const cop_paper *p, const cop_verdicts *v)
{
    for (size_t i = 0; i < p->n_claims; i++) {
        t->kind[p->claim[i].kind]++;
        t->state[cop_verdict_state(v, &p->claim[i])]++;
        t->all++;
    }
}

static void print_tally(const char *name, const tally *t)
{
    printf("  %-7s %6u %8u %7u %6u %6u %6u %6u %8u\n", name, t->all, t->kind[COP_CLAIM_PRINTED],
           t->kind[COP_CLAIM_DERIVED], t->kind[COP_CLAIM_ORDER], t->kind[COP_CLAIM_SHAPE],
           t->state[COP_CLAIM_PASS], t->state[COP_CLAIM_FAIL], t->state[COP_CLAIM_NOT_RUN]);
}

/* Which paper a key is. */
static void show_paper(const cop_paper *p, int column, cop_arena *a)
{
    cop_wrap_item(stdout, cop_arena_printf(a, "  %s", p->key), column,
                  cop_plain_copy(a, cop_arena_printf(a, "%s. %s", p->title, p->source)));
}

static void list_papers(const cop_ledger *l, const cop_verdicts *v)
{
    tally all = {0};
    cop_arena arena = {0};
    printf("  %-7s %6s %8s %7s %6s %6s %6s %6s %8s\n", "paper", "checks", "printed", "derived",
           "order", "shape", "pass", "fail", "not run");
    for (size_t i = 0; i < l->n_papers; i++) {
        tally t = {0};
        count(&t, &l->paper[i], v);
        count(&all, &l->paper[i], v);
        print_tally(l->paper[i].key, &t);
    }
    print_tally("all", &all);
    putchar('\n');
    for (size_t i = 0; i < l->n_papers; i++)
        show_paper(&l->paper[i], 10, &arena);
    printf("\n  %u of them are recorded, not judged: constants that no simulation produces, and\n"
           "  measured values for which the source gives no measure.\n",
           all.state[COP_CLAIM_RECORDED]);
    cop_arena_free(&arena);
}

bool cop_claim_wanted(const cop_claim *c, const cop_paper *p, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], p->key) == 0 || strcmp(names[i], c->id) == 0 ||
            strcmp(names[i], c->experiment) == 0)
            return true;
    return n == 0;
}

/* Print the checks in columns; text that is too long continues on the next line. */
static void list_head(cop_arena *a, const char *id, const char *state, const char *text)
{
    cop_wrap_item(stdout, cop_plain_copy(a, cop_arena_printf(a, "%-12s %-9s", id, state)), 23,
                  cop_plain_copy(a, text));
}

static void list_below(cop_arena *a, const char *text)
{
    cop_wrap_item(stdout, "", 13, cop_plain_copy(a, text));
}

/* A row for each value that was measured; where the database has none, its text. */
static void list_found(cop_arena *a, const cop_study_verdict *v)
{
    if (!cop_verdict_rows_of(stdout, v, cop_cli_style(stdout)))
        list_below(a, cop_arena_printf(a, "measured %s", v->measured));
}

static void list_claim(const cop_claim *c, const cop_verdicts *v)
{
    const cop_study_verdict *found = cop_verdict_find(v, c->id);
    cop_arena a = {0};
    list_head(&a, c->id, cop_claim_state_name(cop_verdict_state(v, c)),
              cop_arena_printf(&a, "%s%s (%s, %s)",
                               found && cop_verdict_narrow(found) ? "narrow; " : "", c->metric,
                               cop_claim_kind_name(c->kind), c->where));
    list_below(&a, cop_arena_printf(&a, "expected %s; tolerance %s; mechanisms %s", c->expected,
                                    c->tolerance, c->needs));
    if (found != NULL)
        list_found(&a, found);
    if (c->note != NULL)
        list_below(&a, cop_arena_printf(&a, "note: %s", c->note));
    cop_arena_free(&a);
}

/* A check that an experiment has of its own. */
static bool own_wanted(const cop_study_record *r, const cop_study_verdict *v, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], r->name) == 0 || strcmp(names[i], v->id) == 0)
            return true;
    return n == 0;
}

/* Not of a paper: what the database holds of it. */
static void list_own(const cop_study_record *r, const cop_study_verdict *v)
{
    cop_arena a = {0};
    list_head(&a, v->id, v->state,
              cop_arena_printf(&a, "%s%s (%s, %s scale)", cop_verdict_narrow(v) ? "narrow; " : "",
                               v->metric, r->name, r->scale));
    list_found(&a, v);
    cop_arena_free(&a);
}

bool cop_verdicts_have(const cop_verdicts *v, const char *name)
{
    char *names[] = {(char *)name};
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < v->study[i].n_verdicts; k++)
            if (own_wanted(&v->study[i], &v->study[i].verdict[k], names, 1))
                return true;
    return false;
}

void cop_ledger_list(const cop_ledger *l, const cop_verdicts *v, char **names, int n)
{
    if (n == 0) {
        list_papers(l, v);
        return;
    }
    for (size_t i = 0; i < l->n_papers; i++) {
        bool shown = false;
        for (size_t k = 0; k < l->paper[i].n_claims; k++) {
            if (!cop_claim_wanted(&l->paper[i].claim[k], &l->paper[i], names, n))
                continue;
            cop_arena a = {0};
            if (!shown)
                show_paper(&l->paper[i], 10, &a);
            shown = true;
            cop_arena_free(&a);
            list_claim(&l->paper[i].claim[k], v);
        }
    }
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < v->study[i].n_verdicts; k++) {
            const cop_study_verdict *own = &v->study[i].verdict[k];
            if (cop_ledger_find(l, own->id, NULL) == NULL &&
                own_wanted(&v->study[i], own, names, n))
                list_own(&v->study[i], own);
        }
}

/* A check as an object; `paper` and `found` may be NULL. */
static json_t *check_json(const cop_study_verdict *c, const char *paper, const char *experiment,
                          const cop_study_verdict *found)
{
    json_t *o = json_object();
    json_object_set_new(o, "id", json_string(c->id));
    json_object_set_new(o, "paper", paper ? json_string(paper) : json_null());
    json_object_set_new(o, "where", json_string(c->place));
    json_object_set_new(o, "experiment", json_string(experiment));
    json_object_set_new(o, "metric", json_string(c->metric));
    json_object_set_new(o, "kind", json_string(c->kind));
    json_object_set_new(o, "verdict", json_string(c->state));
    json_object_set_new(o, "narrow", json_boolean(found && cop_verdict_narrow(found)));
    json_object_set_new(o, "expected", json_string(c->expected));
    json_object_set_new(o, "measured", found ? json_string(found->measured) : json_null());
    json_object_set_new(o, "tolerance", json_string(c->tolerance));
    return o;
}

/* A check of the ledger, with its verdict. */
static json_t *claim_json(const cop_claim *c, const cop_paper *p, const cop_verdicts *v)
{
    const cop_study_verdict words = {.id = c->id,
                                     .place = c->where,
                                     .metric = c->metric,
                                     .kind = cop_claim_kind_name(c->kind),
                                     .state = cop_claim_state_name(cop_verdict_state(v, c)),
                                     .expected = c->expected,
                                     .tolerance = c->tolerance};
    return check_json(&words, p->key, c->experiment, cop_verdict_find(v, c->id));
}

void cop_ledger_json(const cop_ledger *l, const cop_verdicts *v, char **names, int n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->n_papers; i++)
        for (size_t k = 0; k < l->paper[i].n_claims; k++)
            if (cop_claim_wanted(&l->paper[i].claim[k], &l->paper[i], names, n))
                json_array_append_new(list, claim_json(&l->paper[i].claim[k], &l->paper[i], v));
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < v->study[i].n_verdicts; k++) {
            const cop_study_verdict *own = &v->study[i].verdict[k];
            if (cop_ledger_find(l, own->id, NULL) == NULL &&
                own_wanted(&v->study[i], own, names, n))
                json_array_append_new(list, check_json(own, NULL, v->study[i].name, own));
        }
    json_dumpf(list, stdout, JSON_INDENT(1)); /* main() reports what could not be written */
    putchar('\n');
    json_decref(list);
}
