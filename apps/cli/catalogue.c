/* Reads experiments/ once and answers questions about it. See catalogue.h. */
#include "catalogue.h"

#include "exp/run.h"
#include "study/study.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#define WAITING "-not-run"

static void remember(cop_catalogue *c, const cop_study *s)
{
    cop_catalogue_entry *e = &c->entry[c->n++];
    *e = (cop_catalogue_entry){.file = cop_arena_strdup(&c->arena, s->file),
                               .name = cop_arena_strdup(&c->arena, s->name),
                               .paper = cop_arena_strdup(&c->arena, s->paper),
                               .inputs = cop_arena_printf(&c->arena, "%016" PRIx64, s->inputs),
                               .check = COP_NEW_ARRAY(&c->arena, const char *, s->n_checks),
                               .n_checks = s->n_checks};
    for (size_t i = 0; i < s->n_checks; i++)
        e->check[i] = cop_arena_strdup(&c->arena, s->check[i].id);
}

int cop_catalogue_load(cop_catalogue *c, const char *dir, const char *scale, const cop_ledger *l,
                       cop_err *spoiled, cop_err *err)
{
    glob_t files = {0};
    *c = (cop_catalogue){0};
    if (glob(cop_arena_printf(&c->arena, "%s/*.yaml", dir), 0, NULL, &files) != 0) {
        cop_arena_free(&c->arena);
        return cop_err_add(err, COP_E_INPUT, "%s: no experiments there; give --experiments DIR",
                           dir);
    }
    c->entry = COP_NEW_ARRAY(&c->arena, cop_catalogue_entry, files.gl_pathc);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        cop_study s;
        if (cop_study_load(&s, files.gl_pathv[i], scale, l, spoiled) != 0)
            continue;
        remember(c, &s);
        cop_study_free(&s);
    }
    globfree(&files);
    return 0;
}

void cop_catalogue_free(cop_catalogue *c)
{
    cop_arena_free(&c->arena);
    *c = (cop_catalogue){0};
}

static bool checks(const cop_catalogue_entry *e, const char *id)
{
    for (size_t k = 0; k < e->n_checks; k++)
        if (strcmp(e->check[k], id) == 0)
            return true;
    return false;
}

const char *cop_catalogue_pick(cop_catalogue *c, char **names, int n)
{
    const char *unused = NULL;
    for (int i = 0; i < n; i++) {
        bool any = false;
        for (size_t k = 0; k < c->n; k++) {
            cop_catalogue_entry *e = &c->entry[k];
            bool hit = strcmp(names[i], e->name) == 0 || strcmp(names[i], e->paper) == 0 ||
                       checks(e, names[i]);
            e->wanted |= hit;
            any |= hit;
        }
        unused = any || unused ? unused : names[i];
    }
    return unused;
}

static bool anybody_checks(const cop_catalogue *c, const char *id)
{
    for (size_t k = 0; k < c->n; k++)
        if (checks(&c->entry[k], id))
            return true;
    return false;
}

static cop_study_verdict waiting_verdict(cop_catalogue *c, const cop_paper *p, const cop_claim *q)
{
    return (cop_study_verdict){
        .id = q->id,
        .paper = p->key,
        .place = q->where,
        .metric = q->metric,
        .kind = cop_claim_kind_name(q->kind),
        .expected = q->expected,
        .tolerance = q->tolerance,
        .state = cop_claim_state_name(cop_claim_judge(q)),
        .measured = q->record
                        ? "a constant; not simulated"
                        : cop_arena_printf(&c->arena, "no experiment yet; needs %s", q->needs),
        .explain = "",
        .items = "[]"};
}

size_t cop_catalogue_waiting(cop_catalogue *c, const cop_ledger *l, const char *scale,
                             cop_study_record *list)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n_papers; i++) {
        const cop_paper *p = &l->paper[i];
        cop_study_record r = {
            .name = cop_arena_printf(&c->arena, "%s" WAITING, p->key),
            .scale = scale,
            .title = cop_arena_printf(&c->arena, "%s: checks not run yet", p->key),
            .paper = p->key,
            .about = p->title,
            .choices = "[]",
            .config = "",
            .command = cop_arena_printf(&c->arena, "coppice reproduce --list %s", p->key),
            .inputs = ""};
        r.verdict = COP_NEW_ARRAY(&c->arena, cop_study_verdict, p->n_claims);
        for (size_t k = 0; k < p->n_claims; k++)
            if (!anybody_checks(c, p->claim[k].id))
                r.verdict[r.n_verdicts++] = waiting_verdict(c, p, &p->claim[k]);
        list[n++] = r;
    }
    return n;
}

bool cop_catalogue_current(const cop_catalogue *c, const cop_study_record *r, bool any_model)
{
    size_t files = strcspn(r->inputs, " ");
    bool any = any_model || strcmp(r->scale, "full") == 0;
    if (!any &&
        (r->inputs[files] == '\0' || strcmp(r->inputs + files + 1, cop_behaviour_id()) != 0))
        return false;
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->entry[i].name, r->name) == 0)
            return strlen(c->entry[i].inputs) == files &&
                   strncmp(c->entry[i].inputs, r->inputs, files) == 0;
    return false;
}
