/* What a graph must be before it can run.
 *
 * Cycles   operations without dependencies are removed, repeatedly; each that is left is on a
 *          cycle or depends on one. Following its dependencies backwards leads into a cycle.
 * Matches  of each (receiver, sender, tag) there must be at least as many sends as exact receives. What is left over
 *          is for the receives with `any`: as many of it as they are at each rank, for those of any tag enough
 *          from their sender, for those of any sender enough with their tag. That is all that must be for each
 *          receive to find a message of its own, but for ranks that have both kinds of `any`: there it is
 *          necessary and may be not enough. */
#include "app/keys.h"

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

typedef struct matches {
    cop_graph *g;
    cop_keys
        keys; /* of sends; (receiver, sender, any), (receiver, any, tag), (receiver, any, any) of receives */
    int64_t *
        left; /* [keys] sends that no exact receive takes, less those that receives with this `any` take */
    size_t left_cap;
    cop_err *err;
} matches;

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

static uint32_t key_of(matches *m, uint32_t to, uint32_t from, uint32_t tag)
{
    size_t before = m->keys.n;
    uint32_t k = cop_keys_add(&m->keys, to, from, tag);
    m->left = cop_grow(m->left, &m->left_cap, (size_t)k + 1, sizeof(*m->left));
    if (m->keys.n > before)
        m->left[k] = 0;
    return k;
}

static int64_t *left_of(matches *m, uint32_t to, uint32_t from, uint32_t tag)
{
    uint32_t k = key_of(m, to, from, tag); /* may move m->left */
    return &m->left[k];
}

/* Pairs of the keys that sends have. */
static void number_pairs(cop_graph *g, const cop_keys *keys)
{
    cop_keys pairs = {0};
    g->n_keys = (uint32_t)keys->n;
    g->pair_of = cop_alloc_array(keys->n, sizeof(*g->pair_of));
    for (size_t k = 0; k < keys->n; k++)
        g->pair_of[k] = cop_keys_add(&pairs, keys->key[k].to, keys->key[k].from, 0);
    g->n_pairs = (uint32_t)pairs.n;
    cop_keys_free(&pairs);
}

/* Sends into their keys; exact receives out of them. *has_any: there are others. */
static int pair_up(matches *m, bool *has_any)
{
    cop_graph *g = m->g;
    for (uint32_t r = 0; r < g->n_ranks; r++)
        for (uint32_t i = g->op0[r]; i < g->op0[r] + g->n_of[r]; i++) {
            cop_op *op = &g->op[i];
            op->key = op->kind == COP_OP_SEND ? key_of(m, op->peer, r, op->tag) : COP_NONE;
            if (op->kind == COP_OP_SEND)
                m->left[op->key]++;
        }
    for (uint32_t r = 0; r < g->n_ranks; r++)
        for (uint32_t i = g->op0[r]; i < g->op0[r] + g->n_of[r]; i++) {
            cop_op *op = &g->op[i];
            if (op->kind != COP_OP_RECV)
                continue;
            if (!is_exact(op)) {
                *has_any = true;
                continue;
            }
            op->key = cop_keys_find(&m->keys, r, op->peer, op->tag);
            if (op->key == COP_NONE || m->left[op->key] == 0)
                return unmatched(g, r, op, m->err);
            m->left[op->key]--;
        }
    return 0;
}

/* What is left, by sender, by tag, and in all, less the receives that want it so: none may be below 0. */
static int share_rest(matches *m)
{
    const cop_graph *g = m->g;
    size_t sends = m->keys.n;
    for (uint32_t k = 0; k < sends; k++) {
        cop_key key = m->keys.key[k];
        int64_t n = m->left[k];
        if (n == 0)
            continue;
        *left_of(m, key.to, key.from, COP_ANY) += n;
        *left_of(m, key.to, COP_ANY, key.tag) += n;
        *left_of(m, key.to, COP_ANY, COP_ANY) += n;
    }
    for (uint32_t r = 0; r < g->n_ranks; r++)
        for (uint32_t i = g->op0[r]; i < g->op0[r] + g->n_of[r]; i++) {
            const cop_op *op = &g->op[i];
            if (op->kind != COP_OP_RECV || is_exact(op))
                continue;
            bool all = op->peer == COP_ANY && op->tag == COP_ANY;
            if ((!all && --*left_of(m, r, op->peer, op->tag) < 0) ||
                --*left_of(m, r, COP_ANY, COP_ANY) < 0)
                return unmatched(g, r, op, m->err);
        }
    return 0;
}

/* An unmatched send: of a rank that has more sends of a key than receives, the last. */
static int nobody_receives(const matches *m)
{
    const cop_graph *g = m->g;
    for (uint32_t r = 0; r < g->n_ranks; r++)
        for (uint32_t n = g->n_of[r]; n > 0; n--) {
            const cop_op *op = &g->op[g->op0[r] + n - 1];
            if (op->kind != COP_OP_SEND || m->left[op->key] == 0)
                continue;
            uint32_t all = cop_keys_find(&m->keys, op->peer, COP_ANY, COP_ANY);
            if (all == COP_NONE || m->left[all] > 0)
                return unmatched(g, r, op, m->err);
        }
    return 0;
}

int cop_graph_check_matches(cop_graph *g, cop_err *err)
{
    matches m = {.g = g, .err = err};
    bool has_any = false;
    int rc = pair_up(&m, &has_any);
    if (rc == 0)
        number_pairs(g, &m.keys);
    if (rc == 0 && has_any)
        rc = share_rest(&m);
    if (rc == 0)
        rc = nobody_receives(&m);
    cop_keys_free(&m.keys);
    cop_free(m.left);
    return rc;
}
