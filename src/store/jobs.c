/* Writes what applications left behind: jobs, ranks, collectives, critical paths, timelines. */
#include "store/rows.h"
#include "store/store_int.h"

static void put_time_or_null(cop_rows *w, cop_time t)
{
    if (t == COP_NEVER)
        cop_put_null(w);
    else
        cop_put_time(w, t);
}

static int write_jobs(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(
        s, run, "INSERT INTO job VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        const cop_job_result *j = &r->job[i];
        cop_put_int(&w, i);
        cop_put_text(&w, j->name);
        cop_put_text(&w, j->program);
        cop_put_int(&w, j->ranks);
        cop_put_count(&w, j->operations);
        cop_put_count(&w, j->left);
        cop_put_int(&w, j->stuck);
        cop_put_text(&w, j->waits);
        cop_put_time(&w, j->start);
        put_time_or_null(&w, j->end);
        cop_put_count(&w, j->messages);
        cop_put_count(&w, j->bytes);
        if (j->messages > 0) {
            cop_put_real(&w, j->network_mean_ns);
            cop_put_real(&w, j->network_max_ns);
        } else {
            cop_put_null(&w);
            cop_put_null(&w);
        }
        cop_put_time(&w, j->path_compute);
        cop_put_time(&w, j->path_overhead);
        cop_put_time(&w, j->path_network);
        cop_put_time(&w, j->path_wait);
        cop_put_count(&w, j->path_steps);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_ranks(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w =
        cop_rows_of_run(s, run, "INSERT INTO job_rank VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_ranks; i++) {
        const cop_rank_result *k = &r->rank[i];
        cop_put_int(&w, k->job);
        cop_put_int(&w, k->rank);
        cop_put_int(&w, k->host);
        put_time_or_null(&w, k->end);
        cop_put_time(&w, k->compute);
        cop_put_time(&w, k->overhead);
        cop_put_time(&w, k->waiting);
        cop_put_count(&w, k->sends);
        cop_put_count(&w, k->receives);
        cop_put_count(&w, k->bytes_sent);
        cop_put_count(&w, k->bytes_received);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_collectives(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO job_collective VALUES (?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_collectives; i++) {
        const cop_collective_result *c = &r->collective[i];
        cop_put_int(&w, c->job);
        cop_put_int(&w, i);
        cop_put_text(&w, c->name);
        cop_put_int(&w, c->ranks);
        put_time_or_null(&w, c->start);
        put_time_or_null(&w, c->end);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_path(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w =
        cop_rows_of_run(s, run, "INSERT INTO job_path VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_path; i++) {
        const cop_path_result *p = &r->path[i];
        cop_put_int(&w, p->job);
        cop_put_int(&w, p->step);
        cop_put_int(&w, p->rank);
        cop_put_int(&w, p->line);
        cop_put_text(&w, p->kind);
        cop_put_time(&w, p->from);
        cop_put_time(&w, p->to);
        cop_put_time(&w, p->compute);
        cop_put_time(&w, p->overhead);
        cop_put_time(&w, p->network);
        cop_put_time(&w, p->wait);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_slices(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO job_slice VALUES (?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_slices; i++) {
        const cop_slice_result *x = &r->slice[i];
        cop_put_int(&w, x->job);
        cop_put_int(&w, i);
        cop_put_int(&w, x->rank);
        cop_put_text(&w, x->kind);
        cop_put_time(&w, x->from);
        cop_put_time(&w, x->to);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

int cop_store_write_jobs(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    int rc = r->n_jobs > 0 ? write_jobs(s, run, r, err) : 0;
    if (rc == 0 && r->n_ranks > 0)
        rc = write_ranks(s, run, r, err);
    if (rc == 0 && r->n_collectives > 0)
        rc = write_collectives(s, run, r, err);
    if (rc == 0 && r->n_path > 0)
        rc = write_path(s, run, r, err);
    if (rc == 0 && r->n_slices > 0)
        rc = write_slices(s, run, r, err);
    return rc;
}
