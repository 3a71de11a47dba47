/* Jobs: built before the run, started with it, read after it. See job.h and run.h. */
#include "app/run.h"

#include "net/traffic.h"

#include <stdio.h>
#include <string.h>

cop_app *cop_app_new(void)
{
    cop_app *a = cop_alloc(sizeof(*a));
    a->letter_free = COP_NONE;
    return a;
}

void cop_app_free(cop_app *a)
{
    if (a == NULL)
        return;
    for (uint32_t i = 0; i < a->n_jobs; i++) {
        cop_graph_free(&a->job[i].graph);
        cop_free(a->job[i].state);
        cop_free(a->job[i].posted);
        cop_free(a->job[i].pair);
        cop_free(a->job[i].host);
        cop_free(a->job[i].late);
    }
    for (uint32_t i = 0; i < a->n_ranks; i++)
        cop_free(a->rank[i].todo);
    cop_free(a->job);
    cop_free(a->rank);
    cop_free(a->cpu);
    cop_free(a->box);
    cop_free(a->letter);
    cop_free(a->ready);
    cop_free(a->wish.stream);
    cop_free(a->wish.rank);
    cop_free(a->wish.when);
    cop_free(a);
}

static void add_rank(cop_app *a, uint32_t job, uint32_t number)
{
    const cop_job *j = &a->job[job];
    a->rank = cop_grow(a->rank, &a->rank_cap, (size_t)a->n_ranks + 1, sizeof(*a->rank));
    a->rank[a->n_ranks++] = (cop_rank){.job = job,
                                       .number = number,
                                       .cpu0 = (uint32_t)a->n_cpus,
                                       .box0 = (uint32_t)a->n_boxes,
                                       .wake = COP_NEVER,
                                       .left = j->graph.n_of[number],
                                       .wild_head = COP_NONE,
                                       .wild_tail = COP_NONE,
                                       .early_head = COP_NONE,
                                       .early_tail = COP_NONE,
                                       .time = {.end = COP_NEVER}};
    a->cpu = cop_grow(a->cpu, &a->cpu_cap, a->n_cpus + j->graph.n_cpus, sizeof(*a->cpu));
    for (uint32_t i = 0; i < j->graph.n_cpus; i++)
        a->cpu[a->n_cpus++] = (cop_cpu){COP_NONE, COP_NONE, COP_NONE};
    a->box = cop_grow(a->box, &a->box_cap, a->n_boxes + j->cfg.nics, sizeof(*a->box));
    for (uint32_t i = 0; i < j->cfg.nics; i++)
        a->box[a->n_boxes++] = (cop_outbox){.head = COP_NONE, .tail = COP_NONE, .stream = COP_NONE};
}

uint32_t cop_app_add(cop_app *a, cop_graph *g, const char *name, const cop_job_cfg *cfg,
                     const uint32_t *host)
{
    a->job = cop_grow(a->job, &a->job_cap, (size_t)a->n_jobs + 1, sizeof(*a->job));
    uint32_t number = a->n_jobs++;
    cop_job *j = &a->job[number];
    *j = (cop_job){.graph = *g,
                   .cfg = *cfg,
                   .name = name,
                   .rank0 = a->n_ranks,
                   .left = g->n_ops,
                   .end = COP_NEVER};
    *g = (cop_graph){0};
    size_t hosts = cop_product(j->graph.n_ranks, cfg->nics);
    j->host = cop_alloc_array(hosts, sizeof(uint32_t));
    memcpy(j->host, host, hosts * sizeof(uint32_t));
    j->state = cop_alloc_array(j->graph.n_ops, sizeof(*j->state));
    for (uint32_t i = 0; i < j->graph.n_ops; i++)
        j->state[i] =
            (cop_op_state){.start = COP_NEVER, .end = COP_NEVER, .need = j->graph.op[i].need};
    cop_match_init(j);
    for (uint32_t r = 0; r < j->graph.n_ranks; r++)
        add_rank(a, number, r);
    return number;
}

uint32_t cop_app_boxes(const cop_app *a, uint32_t job, uint32_t *first)
{
    const cop_job *j = &a->job[job];
    *first = a->rank[j->rank0].box0;
    return j->graph.n_ranks * j->cfg.nics;
}

uint32_t cop_app_box_host(const cop_app *a, uint32_t box)
{
    for (uint32_t i = 0; i < a->n_jobs; i++) {
        uint32_t first, n = cop_app_boxes(a, i, &first);
        if (box - first < n)
            return a->job[i].host[box - first];
    }
    return COP_NONE;
}

void cop_app_attach(cop_app *a, struct cop_stream *stream, uint32_t box, uint32_t number)
{
    a->stream = stream;
    a->box[box].stream = number;
}

const cop_app_wish *cop_app_wishes(cop_app *a)
{
    for (uint32_t i = 0; i < a->wish.n_ranks; i++) {
        a->wish.when[i] = a->rank[a->wish.rank[i]].wake;
        a->rank[a->wish.rank[i]].wished = false;
    }
    a->wish.over = a->jobs_open == 0;
    return &a->wish;
}

const cop_app_wish *cop_app_start(cop_app *a)
{
    a->wish.rank = cop_realloc_array(a->wish.rank, (size_t)a->n_ranks + 1, sizeof(uint32_t));
    a->wish.when = cop_realloc_array(a->wish.when, (size_t)a->n_ranks + 1, sizeof(cop_time));
    a->wish.n_ranks = a->wish.n_streams = 0;
    for (uint32_t i = 0; i < a->n_jobs; i++) {
        cop_job *j = &a->job[i];
        if (j->left > 0)
            a->jobs_open++;
        else
            j->end = j->cfg.start;
    }
    for (uint32_t r = 0; r < a->n_ranks; r++) {
        const cop_job *j = cop_job_of(a, r);
        if (a->rank[r].left > 0)
            cop_rank_todo(a, r, j->cfg.start, COP_TODO_WAIT, COP_NONE);
        else
            a->rank[r].time.end = j->cfg.start;
    }
    return cop_app_wishes(a);
}

const cop_app_wish *cop_app_arrived(cop_app *a, uint32_t msg, uint32_t bytes, cop_time t)
{
    cop_letter *m = &a->letter[msg];
    a->wish.n_streams = a->wish.n_ranks = 0;
    COP_ASSERT(bytes <= m->left);
    m->left -= bytes;
    m->last = cop_max64(m->last, t);
    if (m->left > 0)
        return &a->wish;
    a->job[a->rank[m->to].job].pending--;
    cop_rank_todo(a, m->to, m->last, COP_TODO_MESSAGE, msg);
    return cop_app_wishes(a);
}

const cop_app_wish *cop_app_left(cop_app *a, uint32_t msg, cop_time t)
{
    cop_letter *m = &a->letter[msg];
    a->wish.n_streams = a->wish.n_ranks = 0;
    if (m->kind != COP_LETTER_DATA || m->gone)
        return &a->wish; /* already sent: its last packet is resent after a deadlock */
    m->gone = true;
    cop_rank_todo(a, m->from, t, COP_TODO_LEFT, m->op);
    return cop_app_wishes(a);
}

/* -- afterwards -- */

uint32_t cop_app_jobs(const cop_app *a)
{
    return a->n_jobs;
}

uint32_t cop_app_total_ranks(const cop_app *a)
{
    return a->n_ranks;
}

const cop_graph *cop_app_graph(const cop_app *a, uint32_t job)
{
    return &a->job[job].graph;
}

const char *cop_app_job_name(const cop_app *a, uint32_t job)
{
    return a->job[job].name;
}

const cop_job_cfg *cop_app_job_cfg(const cop_app *a, uint32_t job)
{
    return &a->job[job].cfg;
}

cop_time cop_app_job_end(const cop_app *a, uint32_t job)
{
    return a->job[job].end;
}

uint64_t cop_app_job_left(const cop_app *a, uint32_t job)
{
    return a->job[job].left;
}

bool cop_app_job_stuck(const cop_app *a, uint32_t job)
{
    return a->job[job].stuck;
}

const cop_job_times *cop_app_job_times(const cop_app *a, uint32_t job)
{
    return &a->job[job].time;
}

const cop_rank_times *cop_app_rank_times(const cop_app *a, uint32_t job, uint32_t rank)
{
    return &a->rank[a->job[job].rank0 + rank].time;
}

uint32_t cop_app_rank_host(const cop_app *a, uint32_t job, uint32_t rank, uint32_t nic)
{
    return a->job[job].host[(size_t)rank * a->job[job].cfg.nics + nic];
}

void cop_app_op_times(const cop_app *a, uint32_t job, uint32_t op, cop_time *start, cop_time *end)
{
    *start = a->job[job].state[op].start;
    *end = a->job[job].state[op].end;
}

cop_time cop_app_op_overhead(const cop_app *a, uint32_t job, uint32_t op)
{
    return cop_op_overhead(&a->job[job], &a->job[job].graph.op[op]);
}

/* The first operation of the job that has started and not finished; receives before sends, which often
 * wait for a receive themselves. */
static uint32_t waiting_op(const cop_job *j)
{
    static const uint8_t kinds[] = {COP_OP_RECV, COP_OP_SEND, COP_OP_CALC, COP_OP_WAIT};
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (uint32_t i = 0; i < j->graph.n_ops; i++)
            if (j->graph.op[i].kind == kinds[k] && j->state[i].start != COP_NEVER &&
                j->state[i].end == COP_NEVER)
                return i;
    return COP_NONE;
}

const char *cop_app_waits(const cop_app *a, uint32_t job, char *buf, size_t size)
{
    const cop_job *j = &a->job[job];
    uint32_t op = waiting_op(j);
    char text[96];
    buf[0] = '\0';
    if (op == COP_NONE)
        return buf;
    const cop_op *o = &j->graph.op[op];
    const char *why = "";
    if (o->kind == COP_OP_RECV)
        why = j->stuck ? ", which does not come" : ", which has not come yet";
    else if (o->kind == COP_OP_SEND)
        why = j->stuck ? ", for which no receive is posted" : "";
    snprintf(buf, size, "rank %" PRIu32 " waits in its %s%s (%s:%" PRIu32 ")",
             cop_graph_rank_of(&j->graph, op), cop_op_text(o, text, sizeof(text)), why,
             j->graph.name, o->line);
    return buf;
}

uint32_t cop_app_stuck(const cop_app *a, char *why, size_t size)
{
    uint32_t n = 0;
    size_t used = 0;
    for (uint32_t i = 0; i < a->n_jobs; i++) {
        const cop_job *j = &a->job[i];
        char text[400];
        if (!j->stuck)
            continue;
        n++;
        int wrote = used < size
                        ? snprintf(why + used, size - used,
                                   "%sjob %s cannot finish: %s; %" PRIu64 " of %" PRIu32
                                   " operations are left",
                                   used > 0 ? "\n" : "", j->name,
                                   cop_app_waits(a, i, text, sizeof(text)), j->left, j->graph.n_ops)
                        : 0;
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return n;
}
