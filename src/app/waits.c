/* A program without time: see waits.h.
 *
 * Rules    an operation starts when what it depends on has started or finished. Of each (receiver, sender, tag) the n-th receive
 *          finishes when the n-th send has started; a send when it has started, or if it is too long to be eager when the n-th
 *          receive has. A receive with `any` is the n-th of its kind at its rank, and finishes when n messages that fit have been
 *          sent. A long message to a rank that has a receive with `any` that fits finishes at once.
 * Certain  nothing here waits longer than in any run: who is n-th is known, or counted in `unordered`; receives with `any` and exact
 *          ones do not take each other's messages. So what is stuck here is stuck in every run, if the order is known.
 * Cost     each operation starts and finishes once, each dependency is looked at twice, each send looks up at most four keys. */
#include "app/waits.h"

#include "app/keys.h"

#include <stdio.h>
#include <string.h>

enum { STARTED = 1, FINISHED = 2 };
enum { ANY_TAG = 1, ANY_SENDER = 2, ANY_BOTH = 4 }; /* receives that a rank has */

typedef struct kind { /* of a key */
    uint32_t sent, posted;
    uint32_t recv_head, recv_tail, send_head, send_tail; /* that wait */
    uint32_t last_recv, last_send; /* that started; of what is stuck: one that has not */
} kind;

typedef struct run {
    const cop_graph *g;
    uint64_t eager_bytes;
    cop_keys keys;
    kind *kind; /* [keys] */
    uint32_t *key; /* [n_ops] of sends and receives */
    uint32_t *need, *turn, *todo; /* [n_ops]; need: then the next in its list */
    uint8_t *state, *any; /* [n_ops], [n_ranks] */
    uint32_t n_todo, n_done, n_finished; /* todo: those that are ready, first come, first served */
    cop_op_order order;
    cop_waits *w;
} run;

/* -- making it -- */

static void make_keys(run *u)
{
    const cop_graph *g = u->g;
    for (uint32_t r = 0; r < g->n_ranks; r++) {
        for (uint32_t i = g->op0[r]; i < g->op0[r] + g->n_of[r]; i++) {
            const cop_op *op = &g->op[i];
            if (op->kind == COP_OP_SEND)
                u->key[i] = cop_keys_add(&u->keys, op->peer, r, op->tag);
            if (op->kind != COP_OP_RECV)
                continue;
            u->key[i] = cop_keys_add(&u->keys, r, op->peer, op->tag);
            bool sender = op->peer == COP_ANY, tag = op->tag == COP_ANY;
            u->any[r] |= sender && tag ? ANY_BOTH : sender ? ANY_SENDER : tag ? ANY_TAG : 0;
            u->w->any += sender || tag;
        }
        u->w->both += (u->any[r] & ANY_TAG) && (u->any[r] & ANY_SENDER);
    }
    u->kind = cop_alloc_array(u->keys.n, sizeof(*u->kind));
    for (size_t k = 0; k < u->keys.n; k++)
        u->kind[k] = (kind){.recv_head = COP_NONE,
                            .send_head = COP_NONE,
                            .last_recv = COP_NONE,
                            .last_send = COP_NONE};
}

static void run_init(run *u)
{
    uint32_t n = u->g->n_ops;
    u->key = cop_alloc_array(n, sizeof(*u->key));
    u->need = cop_alloc_array(n, sizeof(*u->need));
    u->turn = cop_alloc_array(n, sizeof(*u->turn));
    u->todo = cop_alloc_array(n, sizeof(*u->todo));
    u->state = cop_alloc_array(n, 1);
    u->any = cop_alloc_array(u->g->n_ranks, 1);
    make_keys(u);
    cop_op_order_init(&u->order, u->g);
    for (uint32_t i = 0; i < n; i++) {
        u->need[i] = u->g->op[i].need;
        if (u->need[i] == 0)
            u->todo[u->n_todo++] = i;
    }
}

static void run_free(run *u)
{
    cop_keys_free(&u->keys);
    cop_op_order_free(&u->order);
    cop_free(u->kind);
    cop_free(u->key);
    cop_free(u->need);
    cop_free(u->turn);
    cop_free(u->todo);
    cop_free(u->state);
    cop_free(u->any);
}

/* -- running it -- */

static void release(run *u, uint32_t op, uint32_t at_start)
{
    const cop_graph *g = u->g;
    for (uint32_t e = g->op[op].edge0; e < g->op[op + 1].edge0; e++) {
        uint32_t to = g->edge[e] & ~COP_EDGE_START;
        if ((g->edge[e] & COP_EDGE_START) == at_start && --u->need[to] == 0)
            u->todo[u->n_todo++] = to;
    }
}

static void finish(run *u, uint32_t op)
{
    u->state[op] |= FINISHED;
    u->n_finished++;
    release(u, op, 0);
}

static void wait_in(run *u, uint32_t *head, uint32_t *tail, uint32_t op)
{
    u->need[op] = COP_NONE;
    if (*head == COP_NONE)
        *head = op;
    else
        u->need[*tail] = op;
    *tail = op;
}

/* One of a kind starts: is it known to follow the last one? Those that are ready in order start so on one CPU. */
static void in_order(run *u, uint32_t *last, uint32_t i)
{
    const cop_op *op = u->g->op;
    if (*last != COP_NONE && ((op[i].kind == COP_OP_SEND && op[i].cpu != op[*last].cpu) ||
                              !cop_op_order_known(&u->order, u->g, *last, i)))
        u->w->unordered++;
    *last = i;
}

/* One more message of a kind: its first receive that waits has what it wants. */
static void sent_to(run *u, uint32_t key)
{
    if (key == COP_NONE)
        return;
    kind *k = &u->kind[key];
    uint32_t recv = k->recv_head;
    k->sent++;
    if (recv == COP_NONE)
        return;
    k->recv_head = u->need[recv];
    finish(u, recv);
}

/* The keys of receives with `any` that the message fits; COP_NONE: no such receive. */
static void any_keys(const run *u, const cop_op *op, uint32_t from, uint32_t key[3])
{
    uint8_t any = u->any[op->peer];
    key[0] = any & ANY_TAG ? cop_keys_find(&u->keys, op->peer, from, COP_ANY) : COP_NONE;
    key[1] = any & ANY_SENDER ? cop_keys_find(&u->keys, op->peer, COP_ANY, op->tag) : COP_NONE;
    key[2] = any & ANY_BOTH ? cop_keys_find(&u->keys, op->peer, COP_ANY, COP_ANY) : COP_NONE;
}

static void start_send(run *u, uint32_t i)
{
    const cop_op *op = &u->g->op[i];
    uint32_t any[3];
    kind *k = &u->kind[u->key[i]];
    any_keys(u, op, u->keys.key[u->key[i]].from, any);
    bool waits =
        op->size > u->eager_bytes && any[0] == COP_NONE && any[1] == COP_NONE && any[2] == COP_NONE;
    if (u->eager_bytes < UINT64_MAX) /* else it does not matter */
        in_order(u, &k->last_send, i);
    sent_to(u, u->key[i]);
    for (int n = 0; n < 3; n++)
        sent_to(u, any[n]);
    u->turn[i] = k->sent;
    if (!waits || k->posted >= k->sent)
        finish(u, i);
    else
        wait_in(u, &k->send_head, &k->send_tail, i);
}

static void start_recv(run *u, uint32_t i)
{
    kind *k = &u->kind[u->key[i]];
    in_order(u, &k->last_recv, i);
    k->posted++;
    if (k->posted <= k->sent)
        finish(u, i);
    else
        wait_in(u, &k->recv_head, &k->recv_tail, i);
    uint32_t send = k->send_head;
    if (send != COP_NONE && u->turn[send] <= k->posted) {
        k->send_head = u->need[send];
        finish(u, send);
    }
}

static void run_all(run *u)
{
    while (u->n_done < u->n_todo) {
        uint32_t i = u->todo[u->n_done++];
        u->state[i] |= STARTED;
        release(u, i, COP_EDGE_START);
        if (u->g->op[i].kind == COP_OP_SEND)
            start_send(u, i);
        else if (u->g->op[i].kind == COP_OP_RECV)
            start_recv(u, i);
        else
            finish(u, i);
    }
}

/* -- what is stuck -- */

/* What each operation that is stuck waits for: for one that has not started a dependency, else the other end. */
static uint32_t *blockers(run *u)
{
    const cop_graph *g = u->g;
    uint32_t *by = u->turn, any[3];
    for (size_t k = 0; k < u->keys.n; k++)
        u->kind[k].last_recv = u->kind[k].last_send = COP_NONE;
    for (uint32_t i = 0; i < g->n_ops; i++) {
        if (u->state[i] & FINISHED)
            continue;
        for (uint32_t e = g->op[i].edge0; e < g->op[i + 1].edge0; e++)
            if (!(g->edge[e] & COP_EDGE_START) || !(u->state[i] & STARTED))
                by[g->edge[e] & ~COP_EDGE_START] = i;
        if (u->state[i] & STARTED)
            continue;
        if (g->op[i].kind == COP_OP_RECV)
            u->kind[u->key[i]].last_recv = i;
        if (g->op[i].kind != COP_OP_SEND)
            continue;
        u->kind[u->key[i]].last_send = i;
        any_keys(u, &g->op[i], u->keys.key[u->key[i]].from, any);
        for (int n = 0; n < 3; n++)
            if (any[n] != COP_NONE)
                u->kind[any[n]].last_send = i;
    }
    for (uint32_t i = 0; i < g->n_ops; i++)
        if (u->state[i] == STARTED)
            by[i] = g->op[i].kind == COP_OP_RECV ? u->kind[u->key[i]].last_send
                                                 : u->kind[u->key[i]].last_recv;
    return by;
}

/* "rank 0 waits in its receive from rank 1, tag 0 (line 3) for rank 1, which waits ..." */
static void tell(const run *u, const uint32_t *by, uint32_t at, char *text, size_t size)
{
    const cop_graph *g = u->g;
    uint32_t first = COP_NONE, shown = 0, more = 0;
    size_t used = 0;
    char what[96];
    for (uint32_t steps = 0; steps < 2 * g->n_ops && at != COP_NONE; steps++, at = by[at]) {
        if (u->state[at] != STARTED)
            continue;
        if (at == first)
            break;
        if (first == COP_NONE)
            first = at;
        if (shown++ >= 4) {
            more++;
            continue;
        }
        int n = snprintf(
            text + used, size - used, "%srank %" PRIu32 "%s waits in its %s (%s %" PRIu32 ")",
            shown > 1 ? " for " : "", cop_graph_rank_of(g, at), shown > 1 ? ", which" : "",
            cop_op_text(&g->op[at], what, sizeof(what)), g->unit, g->op[at].line);
        used += n > 0 ? (size_t)n : 0;
        used = used < size ? used : size - 1;
    }
    if (more > 0)
        snprintf(text + used, size - used, " for %" PRIu32 " more, and these for rank %" PRIu32,
                 more, cop_graph_rank_of(g, first));
    else
        snprintf(text + used, size - used, " for rank %" PRIu32, cop_graph_rank_of(g, first));
}

/* Of the cycle that `at` is in, the first operation of the file that waits for another rank. */
static uint32_t first_of(const run *u, const uint32_t *by, uint32_t at)
{
    uint32_t first = at, i = at;
    do {
        if (u->state[i] == STARTED && (u->state[first] != STARTED || i < first))
            first = i;
        i = by[i];
    } while (i != at && i != COP_NONE);
    return first;
}

static int is_stuck(run *u, cop_err *err)
{
    const cop_graph *g = u->g;
    uint32_t *by = blockers(u), at = 0;
    while (u->state[at] & FINISHED)
        at++;
    for (uint32_t steps = 0; steps < g->n_ops && by[at] != COP_NONE; steps++)
        at = by[at];
    at = first_of(u, by, at);
    u->w->stuck = g->n_ops - u->n_finished;
    tell(u, by, at, u->w->text, sizeof(u->w->text));
    if (u->w->unordered > 0)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "%s:%" PRIu32 ": ranks wait for each other for ever: %s; %" PRIu64
                       " of %" PRIu32 " operations cannot finish; let one of them %s",
                       g->name, g->op[at].line, u->w->text, u->w->stuck, g->n_ops,
                       g->op[at].kind == COP_OP_SEND ? "receive before it sends, or send eagerly"
                                                     : "send before it receives");
}

int cop_graph_check_waits(const cop_graph *g, uint64_t eager_bytes, cop_waits *w, cop_err *err)
{
    run u = {.g = g, .eager_bytes = eager_bytes, .w = w};
    *w = (cop_waits){0};
    run_init(&u);
    run_all(&u);
    int rc = u.n_finished < g->n_ops ? is_stuck(&u, err) : 0;
    run_free(&u);
    return rc;
}
