/* Verdicts of a study on the stage of study_fixture.h. */
#ifndef COP_VERDICT_FIXTURE_H
#define COP_VERDICT_FIXTURE_H

#include "study_fixture.h"

#include <jansson.h>

#define HEAD "experiment: e\nbase: base.yaml\n"

typedef struct judged {
    cop_arena arena;
    cop_study_record r;
} judged;

static inline judged judge(stage *s)
{
    judged j = {0};
    cop_err err = {0};
    if (cop_study_evaluate(&s->plan, s->store, "cmd", &j.arena, &j.r, &err) != 0)
        fail_msg("%s", err.text);
    return j;
}

static inline const cop_study_verdict *verdict(const judged *j, const char *id)
{
    for (size_t i = 0; i < j->r.n_verdicts; i++)
        if (strcmp(j->r.verdict[i].id, id) == 0)
            return &j->r.verdict[i];
    fail_msg("no verdict %s", id);
    return NULL;
}

static inline double item_number(const cop_study_verdict *v, size_t i, const char *key)
{
    json_t *list = json_loads(v->items, 0, NULL);
    assert_non_null(list);
    double n = json_number_value(json_object_get(json_array_get(list, i), key));
    json_decref(list);
    return n;
}

#endif
