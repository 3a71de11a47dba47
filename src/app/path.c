/* The critical path of a job.
 *
 * Role     from the operation that finished last back to the beginning, always to what it waited for last:
 *          a dependency, its CPU, or the message that it received.
 * Rule     a step lasts from that instant to the end of the operation, or to the hand-over of its message if
 *          that is what the next one waited for. Its time is computation, overhead of messages, network
 *          (from the hand-over of a message to its arrival, with the time that requests and grants take), or
 *          waiting (WAIT). Steps follow each other without a gap, so the parts add up to the time of the job.
 *          The end of a send that was granted late waited for what the receive had waited for. */
#include "app/run.h"

#include <stdlib.h>

/* The time of a cause. */
static cop_time origin(const cop_job *j, uint32_t cause)
{
    const cop_op_state *s = &j->state[cause >> 2];
    switch (cause & 3) {
    case COP_CAUSE_END:
        return s->end;
    case COP_CAUSE_HANDED:
        return s->start + cop_op_overhead(j, &j->graph.op[cause >> 2]);
    default:
        return j->cfg.start;
    }
}

static int by_op(const void *a, const void *b)
{
    const cop_late *x = a, *y = b;
    return (x->op > y->op) - (x->op < y->op);
}

/* The parts of a step's time; `late`: a send that only waited for its grant and sent its data. */
static void split(const cop_job *j, bool late, cop_path_step *s)
{
    const cop_op *o = &j->graph.op[s->op];
    cop_time length = s->to - s->from;
    if (o->kind == COP_OP_CALC) {
        s->compute = cop_min64(length, s->to - j->state[s->op].start);
        s->wait = length - s->compute;
    } else if (o->kind == COP_OP_WAIT) {
        s->wait = length;
    } else {
        s->overhead = late ? 0 : cop_min64(length, cop_op_overhead(j, o));
        s->network = length - s->overhead;
    }
}

static uint32_t last_op(const cop_job *j)
{
    uint32_t at = COP_NONE;
    for (uint32_t i = 0; i < j->graph.n_ops; i++)
        if (j->state[i].end != COP_NEVER && (at == COP_NONE || j->state[i].end > j->state[at].end))
            at = i;
    return at;
}

void cop_app_path(const cop_app *a, uint32_t job, cop_path *p)
{
    const cop_job *j = &a->job[job];
    uint32_t at = last_op(j);
    cop_time to = at == COP_NONE ? 0 : j->state[at].end;
    bool end = true; /* the end of `at`, not its hand-over */
    *p = (cop_path){0};
    if (j->n_late > 0)
        qsort(j->late, j->n_late, sizeof(*j->late), by_op);
    while (at != COP_NONE) {
        cop_late key = {.op = at};
        const cop_late *late = NULL;
        if (end && j->n_late > 0)
            late = bsearch(&key, j->late, j->n_late, sizeof(key), by_op);
        uint32_t cause = late != NULL ? late->cause : j->state[at].cause;
        cop_path_step s = {.rank = cop_graph_rank_of(&j->graph, at), .op = at, .to = to};
        s.from = cop_min64(origin(j, cause), to);
        split(j, late != NULL, &s);
        p->step = cop_grow(p->step, &p->cap, p->n + 1, sizeof(*p->step));
        p->step[p->n++] = s;
        p->compute += s.compute;
        p->overhead += s.overhead;
        p->network += s.network;
        p->wait += s.wait;
        to = s.from;
        at = (cause & 3) == COP_CAUSE_NONE ? COP_NONE : cause >> 2;
        end = (cause & 3) == COP_CAUSE_END;
    }
}

void cop_path_free(cop_path *p)
{
    cop_free(p->step);
    *p = (cop_path){0};
}
