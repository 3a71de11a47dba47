/* What a graph must be before it can run.
 *
 * Cycles   operations are taken away that depend on nothing, again and again; what is left waits for
 *          itself. Going back from any of those along dependencies that are left leads into a cycle.
 * Matches  of each (receiver, sender, tag) there must be as many sends as exact receives; what is left
 *          over at a rank must be as much as its receives with `any`. Whether those receives can take
 *          these sends in some order is left to the run, which says who waits for what. */
#include "app/graph.h"

#include <string.h>

/* -- cycles -- */

static int found_cycle(const cop_graph *g, const uint32_t *need, cop_err *err)
{
    uint32_t *before = cop_alloc_array(g->n_ops, sizeof(*before)), at = COP_NONE;
    for (uint32_t i = 0; i < g->n_ops; i++) {
        if (need[i] == 0)
            continue;
        at = i;
        for (uint32_t e = g->op[i].edge0; e < g->op[i + 1].edge0; e++)
            before[g->edge[e] & ~COP_EDGE_START] = i;
    }
    for (uint32_t steps = 0; steps < g->n_ops; steps++)
        at = before[at];
    uint32_t next = before[at];
    int rc = cop_err_add(
        err, COP_E_INPUT,
        "%s:%" PRIu32 ": this operation of rank %" PRIu32 " waits for itself, by way of %s %" PRIu32
        "; remove one of the dependencies between them",
        g->name, g->op[at].line, cop_graph_rank_of(g, at), g->unit, g->op[next].line);
    cop_free(before);
    return rc;
}

int cop_graph_check_cycles(const cop_graph *g, cop_err *err)
{
    uint32_t *need = cop_alloc_array(g->n_ops, sizeof(*need));
    uint32_t *todo = cop_alloc_array(g->n_ops, sizeof(*todo));
    uint32_t n = 0, done = 0;
    for (uint32_t i = 0; i < g->n_ops; i++) {
        need[i] = g->op[i].need;
        if (need[i] == 0)
            todo[n++] = i;
    }
    while (done < n) {
        uint32_t i = todo[done++];
        for (uint32_t e = g->op[i].edge0; e < g->op[i + 1].edge0; e++) {
            uint32_t to = g->edge[e] & ~COP_EDGE_START;
            if (--need[to] == 0)
                todo[n++] = to;
        }
    }
    cop_free(todo);
    int rc = done < g->n_ops ? found_cycle(g, need, err) : 0;
    cop_free(need);
    return rc;
}

/* -- matches -- */

typedef struct match_class {
    uint32_t dst, src, tag;
    uint32_t left; /* sends that no receive has taken; 0: perhaps a free slot, see `used` */
    bool used;
} match_class;

typedef struct match_table {
    match_class *v;
    uint64_t mask;
} match_table;

static match_class *class_of(const match_table *t, uint32_t dst, uint32_t src, uint32_t tag)
{
    uint64_t key = ((uint64_t)dst << 32 | src) * 0x9E3779B97F4A7C15u;
    uint64_t i =
        ((key ^ (uint64_t)tag * 0xC2B2AE3D27D4EB4Fu) * 0x9E3779B97F4A7C15u >> 24) & t->mask;
    while (t->v[i].used && (t->v[i].dst != dst || t->v[i].src != src || t->v[i].tag != tag))
        i = (i + 1) & t->mask;
    return &t->v[i];
}

static bool is_exact(const cop_op *op)
{
    return op->peer != COP_ANY && op->tag != COP_ANY;
}

static int unmatched(const cop_graph *g, uint32_t rank, const cop_op *op, cop_err *err)
{
    char text[96];
    bool recv = op->kind == COP_OP_RECV;
    return cop_err_add(err, COP_E_INPUT,
                       "%s:%" PRIu32 ": rank %" PRIu32 ": %s: no %s of another rank is left for "
                       "it; add one, or remove this",
                       g->name, op->line, rank, cop_op_text(op, text, sizeof(text)),
                       recv ? "send" : "receive");
}

/* Sends into their classes; exact receives out of them. *left: sends to each rank that no exact receive
 * takes; *wild: its other receives. */
static int pair_up(const cop_graph *g, const match_table *t, int64_t *left, cop_err *err)
{
    for (uint32_t r = 0; r < g->n_ranks; r++)
        for (uint32_t i = g->op0[r]; i < g->op0[r] + g->n_of[r]; i++) {
            const cop_op *op = &g->op[i];
            if (op->kind != COP_OP_SEND)
                continue;
            match_class *c = class_of(t, op->peer, r, op->tag);
            uint32_t n = c->used ? c->left + 1 : 1;
            *c = (match_class){op->peer, r, op->tag, n, true};
            left[op->peer]++;
        }
    for (uint32_t r = 0; r < g->n_ranks; r++)
        for (uint32_t i = g->op0[r]; i < g->op0[r] + g->n_of[r]; i++) {
            const cop_op *op = &g->op[i];
            if (op->kind != COP_OP_RECV)
                continue;
            left[r]--;
            if (!is_exact(op))
                continue;
            match_class *c = class_of(t, r, op->peer, op->tag);
            if (!c->used || c->left == 0)
                return unmatched(g, r, op, err);
            c->left--;
        }
    return 0;
}

/* Rank `rank` has `balance` sends too many, or receives with `any` if it is negative. */
static int unbalanced(const cop_graph *g, const match_table *t, uint32_t rank, int64_t balance,
                      cop_err *err)
{
    for (uint32_t r = 0; r < g->n_ranks; r++)
        for (uint32_t n = g->n_of[r]; n > 0; n--) {
            const cop_op *op = &g->op[g->op0[r] + n - 1];
            bool wild = balance < 0 && r == rank && op->kind == COP_OP_RECV && !is_exact(op);
            bool sent = balance > 0 && op->kind == COP_OP_SEND && op->peer == rank &&
                        class_of(t, rank, r, op->tag)->left > 0;
            if (wild || sent)
                return unmatched(g, r, op, err);
        }
    return 0;
}

int cop_graph_check_matches(const cop_graph *g, cop_err *err)
{
    uint64_t sends = 0, slots = 64;
    for (uint32_t i = 0; i < g->n_ops; i++)
        sends += g->op[i].kind == COP_OP_SEND;
    while (slots < sends + sends / 2)
        slots *= 2;
    match_table t = {.v = cop_alloc_array(slots, sizeof(match_class)), .mask = slots - 1};
    int64_t *left = cop_alloc_array(g->n_ranks, sizeof(*left));
    int rc = pair_up(g, &t, left, err);
    for (uint32_t r = 0; r < g->n_ranks && rc == 0; r++)
        if (left[r] != 0)
            rc = unbalanced(g, &t, r, left[r], err);
    cop_free(left);
    cop_free(t.v);
    return rc;
}
