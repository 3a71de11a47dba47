/* Results of applications.
 *
 * Scalars of a job NAME, for studies: job/NAME/completion (us, from its start; only if it has finished),
 * finished (1 or 0), rank_first and rank_last (us, when the first and the last rank had finished), compute,
 * overhead and waiting (us, means over ranks), path_compute, path_overhead, path_network and path_wait (us, of
 * the critical path), message_mean and message_max (us in the network), messages, bytes; with collectives
 * collective_min, collective_mean and collective_max (us). */
#include "stats/jobs.h"

#include "app/job.h"

#include <stdlib.h>

#define PER_JOB 20

static const char *const kind_names[] = {
    [COP_OP_CALC] = "calc", [COP_OP_WAIT] = "wait", [COP_OP_SEND] = "send", [COP_OP_RECV] = "recv"};

static void collect_path(const cop_app *a, uint32_t job, cop_result *r)
{
    const cop_graph *g = cop_app_graph(a, job);
    cop_job_result *out = &r->job[job];
    cop_path p;
    cop_app_path(a, job, &p);
    out->path_compute = p.compute;
    out->path_overhead = p.overhead;
    out->path_network = p.network;
    out->path_wait = p.wait;
    out->path_steps = p.n;
    uint32_t n = p.n < COP_MAX_PATH ? (uint32_t)p.n : COP_MAX_PATH;
    for (uint32_t i = 0; i < n; i++) {
        const cop_path_step *s = &p.step[i];
        r->path[r->n_path++] = (cop_path_result){.job = job,
                                                 .step = i,
                                                 .rank = s->rank,
                                                 .line = g->op[s->op].line,
                                                 .kind = kind_names[g->op[s->op].kind],
                                                 .from = s->from,
                                                 .to = s->to,
                                                 .compute = s->compute,
                                                 .overhead = s->overhead,
                                                 .network = s->network,
                                                 .wait = s->wait};
    }
    cop_path_free(&p);
}

static void collect_ranks(const cop_app *a, uint32_t job, cop_time until, cop_result *r)
{
    cop_time start = cop_app_job_cfg(a, job)->start;
    for (uint32_t i = 0; i < r->job[job].ranks; i++) {
        const cop_rank_times *t = cop_app_rank_times(a, job, i);
        cop_time end = t->end != COP_NEVER ? t->end : until, span = end > start ? end - start : 0;
        r->rank[r->n_ranks++] = (cop_rank_result){.job = job,
                                                  .rank = i,
                                                  .host = cop_app_rank_host(a, job, i, 0),
                                                  .end = t->end,
                                                  .compute = t->compute,
                                                  .overhead = t->overhead,
                                                  .waiting = span > t->busy ? span - t->busy : 0,
                                                  .sends = t->sends,
                                                  .receives = t->receives,
                                                  .bytes_sent = t->bytes_sent,
                                                  .bytes_received = t->bytes_received};
    }
}

static void collect_collectives(const cop_app *a, uint32_t job, cop_result *r)
{
    const cop_graph *g = cop_app_graph(a, job);
    uint32_t first = r->n_collectives;
    for (size_t i = 0; i < g->n_collectives; i++)
        r->collective[r->n_collectives++] = (cop_collective_result){
            .job = job, .name = cop_arena_strdup(&r->arena, g->collective[i]), .start = COP_NEVER};
    for (uint32_t rank = 0; rank < g->n_ranks && g->n_collectives > 0; rank++) {
        uint32_t last = COP_NONE;
        for (uint32_t i = g->op0[rank]; i < g->op0[rank] + g->n_of[rank]; i++) {
            cop_time start, end;
            if (g->op[i].collective == COP_NONE)
                continue;
            cop_collective_result *c = &r->collective[first + g->op[i].collective];
            c->ranks += g->op[i].collective != last;
            last = g->op[i].collective;
            cop_app_op_times(a, job, i, &start, &end);
            c->start = cop_min64(c->start, start);
            c->end = cop_max64(c->end, end);
        }
    }
}

/* -- timelines -- */

static int by_time(const void *a, const void *b)
{
    const cop_slice_result *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

/* The operations of a rank that kept a CPU busy. */
static uint32_t slices_of(const cop_app *a, uint32_t job, uint32_t rank, cop_slice_result *v)
{
    const cop_graph *g = cop_app_graph(a, job);
    uint32_t n = 0;
    for (uint32_t i = g->op0[rank]; i < g->op0[rank] + g->n_of[rank]; i++) {
        cop_slice_result s = {.job = job, .rank = rank, .kind = kind_names[g->op[i].kind]};
        cop_app_op_times(a, job, i, &s.from, &s.to);
        cop_time overhead = cop_app_op_overhead(a, job, i);
        if (g->op[i].kind == COP_OP_SEND && s.from != COP_NEVER)
            s.to = s.from + overhead;
        if (g->op[i].kind == COP_OP_RECV && s.to != COP_NEVER)
            s.from = s.to - overhead;
        if (g->op[i].kind != COP_OP_WAIT && s.from != COP_NEVER && s.to != COP_NEVER &&
            s.from < s.to)
            v[n++] = s;
    }
    qsort(v, n, sizeof(*v), by_time);
    return n;
}

/* Join what is nearer than `least`; what is shorter counts as what is before it. */
static uint32_t join(cop_slice_result *v, uint32_t n, cop_time least)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        cop_slice_result *last = kept > 0 ? &v[kept - 1] : NULL;
        bool near = last != NULL && v[i].from < last->to + least;
        if (near && (v[i].kind == last->kind || v[i].to < last->to + least))
            last->to = cop_max64(last->to, v[i].to);
        else
            v[kept++] = v[i];
    }
    return kept;
}

static void collect_slices(const cop_app *a, uint32_t job, cop_time until, size_t *cap,
                           cop_result *r, cop_slice_result **all)
{
    const cop_graph *g = cop_app_graph(a, job);
    cop_time start = cop_app_job_cfg(a, job)->start, end = cop_app_job_end(a, job);
    end = cop_min64(end, until);
    cop_time span = end > start ? end - start : 0;
    double per_rank = (double)COP_MAX_SLICES / (double)g->n_ranks;
    cop_time least = g->n_ops <= COP_MAX_SLICES ? 0 : (cop_time)((double)span / per_rank);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        cop_slice_result *v = cop_alloc_array(g->n_of[rank], sizeof(*v));
        uint32_t n = join(v, slices_of(a, job, rank, v), least);
        *all = cop_grow(*all, cap, (size_t)r->n_slices + n, sizeof(*v));
        for (uint32_t i = 0; i < n; i++)
            (*all)[r->n_slices++] = v[i];
        cop_free(v);
    }
}

void cop_collect_jobs(const cop_net *net, cop_result *r)
{
    const cop_app *a = net->traffic->app;
    if (a == NULL)
        return;
    uint32_t n = cop_app_jobs(a);
    size_t collectives = 0, slice_cap = 0;
    cop_slice_result *slice = NULL;
    for (uint32_t i = 0; i < n; i++)
        collectives += cop_app_graph(a, i)->n_collectives;
    r->n_jobs = n;
    r->job = COP_NEW_ARRAY(&r->arena, cop_job_result, n);
    r->rank = COP_NEW_ARRAY(&r->arena, cop_rank_result, cop_app_total_ranks(a));
    r->collective = COP_NEW_ARRAY(&r->arena, cop_collective_result, collectives);
    r->path = COP_NEW_ARRAY(&r->arena, cop_path_result, cop_product(n, COP_MAX_PATH));
    for (uint32_t i = 0; i < n; i++) {
        const cop_graph *g = cop_app_graph(a, i);
        const cop_job_times *t = cop_app_job_times(a, i);
        double messages = t->messages > 0 ? (double)t->messages : 1.0;
        char waits[400] = "";
        if (cop_app_job_end(a, i) == COP_NEVER)
            (void)cop_app_waits(a, i, waits, sizeof(waits));
        r->job[i] = (cop_job_result){.name = cop_arena_strdup(&r->arena, cop_app_job_name(a, i)),
                                     .program = cop_arena_strdup(&r->arena, g->name),
                                     .ranks = g->n_ranks,
                                     .operations = g->n_ops,
                                     .left = cop_app_job_left(a, i),
                                     .stuck = cop_app_job_stuck(a, i),
                                     .waits = cop_arena_strdup(&r->arena, waits),
                                     .start = cop_app_job_cfg(a, i)->start,
                                     .end = cop_app_job_end(a, i),
                                     .messages = t->messages,
                                     .bytes = t->bytes,
                                     .network_mean_ns = (double)t->network_sum / messages / 1e3,
                                     .network_max_ns = (double)t->network_max / 1e3};
        collect_path(a, i, r);
        collect_ranks(a, i, net->now, r);
        collect_collectives(a, i, r);
        collect_slices(a, i, net->now, &slice_cap, r, &slice);
    }
    r->slice = COP_NEW_ARRAY(&r->arena, cop_slice_result, r->n_slices);
    for (uint32_t i = 0; i < r->n_slices; i++)
        r->slice[i] = slice[i];
    cop_free(slice);
}

/* -- scalars -- */

uint32_t cop_count_job_scalars(const cop_result *r)
{
    return PER_JOB * r->n_jobs;
}

typedef struct writer {
    cop_result *r;
    cop_scalar *v;
    uint32_t n;
    const char *job;
} writer;

static void put(writer *w, const char *name, const char *unit, double value)
{
    w->v[w->n++] =
        (cop_scalar){cop_arena_printf(&w->r->arena, "job/%s/%s", w->job, name), unit, value};
}

static void put_us(writer *w, const char *name, double ps)
{
    put(w, name, "us", ps / 1e6);
}

static void put_ranks(writer *w, uint32_t job)
{
    const cop_result *r = w->r;
    cop_time first = COP_NEVER, last = 0;
    double compute = 0, overhead = 0, waiting = 0, n = 0;
    for (uint32_t i = 0; i < r->n_ranks; i++) {
        const cop_rank_result *x = &r->rank[i];
        if (x->job != job)
            continue;
        first = cop_min64(first, x->end);
        last = cop_max64(last, x->end);
        compute += (double)x->compute;
        overhead += (double)x->overhead;
        waiting += (double)x->waiting;
        n++;
    }
    if (first != COP_NEVER)
        put_us(w, "rank_first", (double)(first - r->job[job].start));
    if (last != COP_NEVER)
        put_us(w, "rank_last", (double)(last - r->job[job].start));
    put_us(w, "compute", compute / n);
    put_us(w, "overhead", overhead / n);
    put_us(w, "waiting", waiting / n);
}

static void put_collectives(writer *w, uint32_t job)
{
    const cop_result *r = w->r;
    double sum = 0, least = 0, most = 0, n = 0;
    for (uint32_t i = 0; i < r->n_collectives; i++) {
        const cop_collective_result *c = &r->collective[i];
        if (c->job != job || c->end == COP_NEVER || c->start == COP_NEVER)
            continue;
        double took = (double)(c->end - c->start);
        least = n == 0 || took < least ? took : least;
        most = took > most ? took : most;
        sum += took;
        n++;
    }
    if (n == 0)
        return;
    put_us(w, "collective_min", least);
    put_us(w, "collective_mean", sum / n);
    put_us(w, "collective_max", most);
}

uint32_t cop_collect_job_scalars(cop_result *r, cop_scalar *v)
{
    writer w = {.r = r, .v = v};
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        const cop_job_result *j = &r->job[i];
        w.job = j->name;
        put(&w, "finished", "", j->end != COP_NEVER);
        if (j->end != COP_NEVER)
            put_us(&w, "completion", (double)(j->end - j->start));
        put_ranks(&w, i);
        put_us(&w, "path_compute", (double)j->path_compute);
        put_us(&w, "path_overhead", (double)j->path_overhead);
        put_us(&w, "path_network", (double)j->path_network);
        put_us(&w, "path_wait", (double)j->path_wait);
        put(&w, "messages", "messages", (double)j->messages);
        put(&w, "bytes", "bytes", (double)j->bytes);
        if (j->messages > 0) {
            put_us(&w, "message_mean", j->network_mean_ns * 1e3);
            put_us(&w, "message_max", j->network_max_ns * 1e3);
        }
        put_collectives(&w, i);
    }
    return w.n;
}
