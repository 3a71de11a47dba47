/* Operations of a rank.
 *
 * Role     starts operations when what they depend on is done, lets CPUs work on them, and keeps what is
 *          to be done at which time.
 * Rules    CALC and SEND wait for their CPU, first come, first served, and start when it begins with
 *          them; a RECV starts when it is posted, which needs no CPU, and needs the CPU for its overhead
 *          when its message is there. A WAIT needs none.
 * Time     everything happens at the time at which it is due, in cop_app_act: operations of one instant
 *          in the order in which they became ready. */
#include "app/run.h"

#include <string.h>

/* -- things to do, a heap by time -- */

static bool before(const cop_todo *x, const cop_todo *y)
{
    return x->t != y->t ? x->t < y->t : cop_counts_after(y->serial, x->serial);
}

static void push(cop_rank *r, cop_todo item)
{
    if (r->todo_n == r->todo_cap)
        r->todo = cop_grow(r->todo, &r->todo_cap, (size_t)r->todo_n + 1, sizeof(*r->todo));
    uint32_t i = r->todo_n++;
    for (; i > 0 && before(&item, &r->todo[(i - 1) / 2]); i = (i - 1) / 2)
        r->todo[i] = r->todo[(i - 1) / 2];
    r->todo[i] = item;
}

static cop_todo pop(cop_rank *r)
{
    cop_todo first = r->todo[0], last = r->todo[--r->todo_n];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < r->todo_n; i = child) {
        if (child + 1 < r->todo_n && before(&r->todo[child + 1], &r->todo[child]))
            child++;
        if (!before(&r->todo[child], &last))
            break;
        r->todo[i] = r->todo[child];
    }
    r->todo[i] = last;
    return first;
}

static void want_rank(cop_app *a, uint32_t rank)
{
    if (a->rank[rank].wished)
        return;
    a->rank[rank].wished = true;
    a->wish.rank[a->wish.n_ranks++] = rank;
}

void cop_rank_todo(cop_app *a, uint32_t rank, cop_time t, enum cop_todo_kind kind, uint32_t id)
{
    cop_rank *r = &a->rank[rank];
    push(r, (cop_todo){.t = t, .serial = r->serial++, .id = id, .kind = (uint8_t)kind});
    a->job[r->job].pending++;
    if (t < r->wake) {
        r->wake = t;
        want_rank(a, rank);
    }
}

/* -- dependencies -- */

static void make_ready(cop_app *a, uint32_t op)
{
    if (a->ready_n == a->ready_cap)
        a->ready = cop_grow(a->ready, &a->ready_cap, a->ready_n + 1, sizeof(*a->ready));
    a->ready[a->ready_n++] = op;
}

/* Tell those that wait for the start, or for the end, of an operation. */
static void release(cop_app *a, cop_job *j, uint32_t op, uint32_t at_start)
{
    const cop_graph *g = &j->graph;
    for (uint32_t e = g->op[op].edge0; e < g->op[op + 1].edge0; e++) {
        if ((g->edge[e] & COP_EDGE_START) != at_start)
            continue;
        uint32_t to = g->edge[e] & ~COP_EDGE_START;
        if (--j->state[to].need > 0)
            continue;
        /* Dependants of a start have the cause of the operation that starts. */
        j->state[to].cause = at_start ? j->state[op].cause : op << 2 | COP_CAUSE_END;
        make_ready(a, to);
    }
}

void cop_rank_finish(cop_app *a, uint32_t rank, uint32_t op)
{
    cop_rank *r = &a->rank[rank];
    cop_job *j = &a->job[r->job];
    j->state[op].end = a->now;
    release(a, j, op, 0);
    if (--r->left == 0)
        r->time.end = a->now;
    if (--j->left == 0) {
        j->end = a->now;
        a->jobs_open--;
    }
}

/* -- CPUs -- */

cop_time cop_op_overhead(const cop_job *j, const cop_op *op)
{
    return j->cfg.overhead_ps + op->size * j->cfg.overhead_byte_ps;
}

static cop_time duration_of(const cop_job *j, const cop_op *op)
{
    if (op->kind != COP_OP_CALC)
        return cop_op_overhead(j, op);
    return j->cfg.compute_scale == 1.0 ? op->size
                                       : (cop_time)((double)op->size * j->cfg.compute_scale);
}

/* The CPU begins with an operation. True: it takes no time, and is done. */
static bool begin(cop_app *a, uint32_t rank, uint32_t number, uint32_t op)
{
    cop_rank *r = &a->rank[rank];
    cop_job *j = &a->job[r->job];
    const cop_op *o = &j->graph.op[op];
    cop_time length = duration_of(j, o);
    if (o->kind != COP_OP_RECV) {
        j->state[op].start = a->now;
        release(a, j, op, COP_EDGE_START);
    }
    if (length == 0)
        return true;
    a->cpu[number].op = op;
    if (o->kind == COP_OP_CALC)
        r->time.compute += length;
    else
        r->time.overhead += length;
    if (r->busy++ == 0)
        r->busy_since = a->now;
    cop_rank_todo(a, rank, a->now + length, COP_TODO_CPU, number);
    return false;
}

static void worked(cop_app *a, uint32_t rank, uint32_t op)
{
    if (cop_job_of(a, rank)->graph.op[op].kind == COP_OP_SEND)
        cop_letter_send(a, rank, op);
    else
        cop_rank_finish(a, rank, op);
}

void cop_rank_use_cpu(cop_app *a, uint32_t rank, uint32_t op)
{
    cop_job *j = cop_job_of(a, rank);
    uint32_t number = a->rank[rank].cpu0 + j->graph.op[op].cpu;
    cop_cpu *cpu = &a->cpu[number];
    if (cpu->op == COP_NONE) {
        if (begin(a, rank, number, op))
            worked(a, rank, op);
        return;
    }
    j->state[op].need = COP_NONE;
    if (cpu->head == COP_NONE)
        cpu->head = op;
    else
        j->state[cpu->tail].need = op;
    cpu->tail = op;
}

/* The CPU has finished an operation; operations that wait for it come before new ones. */
static void cpu_done(cop_app *a, uint32_t rank, uint32_t number)
{
    cop_job *j = cop_job_of(a, rank);
    cop_cpu *cpu = &a->cpu[number];
    cop_rank *r = &a->rank[rank];
    uint32_t op = cpu->op;
    if (--r->busy == 0)
        r->time.busy += a->now - r->busy_since;
    for (bool again = true; again;) {
        uint32_t next = cpu->head;
        bool send = j->graph.op[op].kind == COP_OP_SEND;
        cpu->op = COP_NONE;
        again = false;
        if (next != COP_NONE) {
            cpu->head = j->state[next].need;
            j->state[next].cause = op << 2 | (send ? COP_CAUSE_HANDED : COP_CAUSE_END);
            again = begin(a, rank, number, next);
        }
        worked(a, rank, op);
        op = next;
    }
}

/* -- acting -- */

static void start_op(cop_app *a, uint32_t rank, uint32_t op)
{
    cop_job *j = cop_job_of(a, rank);
    const cop_op *o = &j->graph.op[op];
    switch (o->kind) {
    case COP_OP_CALC:
    case COP_OP_SEND:
        cop_rank_use_cpu(a, rank, op);
        break;
    case COP_OP_WAIT:
        j->state[op].start = a->now;
        release(a, j, op, COP_EDGE_START);
        cop_rank_todo(a, rank, a->now + o->size, COP_TODO_WAIT, op);
        break;
    case COP_OP_RECV:
        j->state[op].start = a->now;
        release(a, j, op, COP_EDGE_START);
        cop_letter_post(a, rank, op);
        break;
    default:
        COP_CHECK(o->kind <= COP_OP_RECV);
    }
}

/* The job begins: what depends on nothing is ready. */
static void begin_rank(cop_app *a, uint32_t rank)
{
    const cop_rank *r = &a->rank[rank];
    const cop_graph *g = &a->job[r->job].graph;
    uint32_t first = g->op0[r->number];
    for (uint32_t i = first; i < first + g->n_of[r->number]; i++)
        if (g->op[i].need == 0)
            make_ready(a, i);
}

static void do_one(cop_app *a, uint32_t rank, cop_todo todo)
{
    switch ((enum cop_todo_kind)todo.kind) {
    case COP_TODO_CPU:
        cpu_done(a, rank, todo.id);
        break;
    case COP_TODO_WAIT:
        if (todo.id == COP_NONE)
            begin_rank(a, rank);
        else
            cop_rank_finish(a, rank, todo.id);
        break;
    case COP_TODO_MESSAGE:
        cop_letter_came(a, rank, todo.id);
        break;
    case COP_TODO_LEFT:
        cop_rank_finish(a, rank, todo.id);
        break;
    }
    for (; a->ready_at < a->ready_n; a->ready_at++)
        start_op(a, rank, a->ready[a->ready_at]);
    a->ready_at = a->ready_n = 0;
}

const cop_app_wish *cop_app_act(cop_app *a, uint32_t rank, cop_time now)
{
    cop_rank *r = &a->rank[rank];
    cop_job *j = &a->job[r->job];
    a->wish.n_streams = a->wish.n_ranks = 0;
    if (r->wake != now)
        return &a->wish;
    a->now = now;
    r->wake = 0; /* new work is done in this call: it needs no wake-up */
    while (r->todo_n > 0 && r->todo[0].t <= now) {
        cop_todo todo = pop(r);
        j->pending--;
        do_one(a, rank, todo);
    }
    r->wake = r->todo_n > 0 ? r->todo[0].t : COP_NEVER;
    if (r->wake != COP_NEVER)
        want_rank(a, rank);
    if (j->pending == 0 && j->left > 0 && !j->stuck) {
        j->stuck = true;
        a->jobs_open--;
    }
    return cop_app_wishes(a);
}
