/* Which runs of plans the database has, and which of them are the same run.
 *
 * In:  plans. Out: run_id, outcome and detail of their points. Nothing is simulated. */
#include "study/pool_int.h"

#include "exp/run.h"

#include <stdlib.h>

int cop_pool_by_run(const void *a, const void *b)
{
    const cop_point *x = *(cop_point *const *)a, *y = *(cop_point *const *)b;
    if (x->config_hash != y->config_hash)
        return x->config_hash < y->config_hash ? -1 : 1;
    return (x->seed > y->seed) - (x->seed < y->seed);
}

int cop_pool_look_up(cop_store *s, const cop_pool_opts *o, cop_point *p, bool first,
                     cop_arena *arena, cop_err *err)
{
    int64_t id =
        cop_store_find_run(s, p->config_hash, p->seed, o->any_model ? NULL : cop_model_id(), err);
    if (id < 0)
        return (int)id;
    p->run_id = id;
    if (id > 0) {
        enum cop_outcome outcome = COP_OUTCOME_FAILED;
        int rc = cop_store_load_outcome(s, id, &outcome, arena, &p->detail, &p->behaviour, err);
        if (rc < 0)
            return rc;
        p->outcome = (int)outcome;
        if (first && o->retry && outcome == COP_OUTCOME_FAILED)
            p->failed_id = id;
        if (id == p->failed_id)
            p->run_id = 0;
    }
    return 0;
}

cop_point **cop_pool_sorted(cop_plan *const *plans, size_t n_plans, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < n_plans; i++)
        *n += plans[i]->n_points;
    cop_point **all = cop_alloc_array(*n, sizeof(cop_point *));
    size_t at = 0;
    for (size_t i = 0; i < n_plans; i++)
        for (size_t k = 0; k < plans[i]->n_points; k++)
            all[at++] = &plans[i]->point[k];
    qsort(all, *n, sizeof(cop_point *), cop_pool_by_run);
    return all;
}

void cop_pool_share(cop_plan *const *plans, size_t n_plans)
{
    size_t n;
    cop_point **all = cop_pool_sorted(plans, n_plans, &n);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (cop_pool_by_run(&all[i], &all[first]) != 0)
            first = i;
        for (size_t k = first;
             all[i]->run_id == 0 && k < n && cop_pool_by_run(&all[k], &all[i]) == 0; k++) {
            if (all[k]->run_id == 0 && all[k]->detail == NULL)
                continue;
            all[i]->run_id = all[k]->run_id;
            all[i]->outcome = all[k]->outcome;
            all[i]->detail = all[k]->detail;
            all[i]->behaviour = all[k]->behaviour;
        }
    }
    cop_free(all);
}

int cop_pool_find(cop_plan *const *plans, size_t n_plans, const cop_pool_opts *o, cop_err *err)
{
    cop_store *s;
    int rc = cop_store_open(&s, o->db, true, err);
    if (rc != 0)
        return rc;
    for (size_t i = 0; rc == 0 && i < n_plans; i++)
        for (size_t k = 0; rc == 0 && k < plans[i]->n_points; k++)
            rc = cop_pool_look_up(s, o, &plans[i]->point[k], true, plans[i]->arena, err);
    cop_store_close(s);
    return rc;
}
