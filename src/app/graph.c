/* Building graphs: see graph.h. Dependencies come in any order and are sorted once, by counting. */
#include "app/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cop_graph_init(cop_graph *g, const char *name, const char *unit, uint32_t n_ranks)
{
    *g = (cop_graph){.unit = unit, .n_ranks = n_ranks, .building = COP_NONE};
    g->name = cop_arena_strdup(&g->arena, name);
    g->op0 = COP_NEW_ARRAY(&g->arena, uint32_t, n_ranks);
    g->n_of = COP_NEW_ARRAY(&g->arena, uint32_t, n_ranks);
    g->n_cpus = g->n_nics = 1;
}

void cop_graph_free(cop_graph *g)
{
    cop_free(g->op);
    cop_free(g->edge);
    cop_free(g->pair);
    cop_free(g->pair_of);
    cop_free(g->collective);
    cop_arena_free(&g->arena);
    *g = (cop_graph){0};
}

void cop_graph_rank(cop_graph *g, uint32_t rank)
{
    COP_CHECK(rank < g->n_ranks && g->n_of[rank] == 0);
    g->building = rank;
    g->op0[rank] = g->n_ops;
}

uint32_t cop_graph_add(cop_graph *g, const cop_op *op)
{
    COP_CHECK(g->n_ops < COP_GRAPH_MAX_OPS);
    if (g->n_ops == g->op_cap)
        g->op = cop_grow(g->op, &g->op_cap, (size_t)g->n_ops + 1, sizeof(*g->op));
    g->op[g->n_ops] = *op;
    g->op[g->n_ops].need = 0;
    g->n_of[g->building]++;
    if (op->cpu >= g->n_cpus)
        g->n_cpus = op->cpu + 1u;
    if (op->nic >= g->n_nics)
        g->n_nics = op->nic + 1u;
    return g->n_ops++;
}

void cop_graph_edge(cop_graph *g, uint32_t first, uint32_t then, bool at_start)
{
    if (g->n_edges == g->pair_cap)
        g->pair = cop_grow(g->pair, &g->pair_cap, g->n_edges + 1, sizeof(*g->pair));
    g->pair[g->n_edges++] = (cop_edge_pair){first, then | (at_start ? COP_EDGE_START : 0)};
    g->op[then].need++;
}

uint32_t cop_graph_collective(cop_graph *g, const char *name)
{
    g->collective =
        cop_grow(g->collective, &g->collective_cap, g->n_collectives + 1, sizeof(*g->collective));
    g->collective[g->n_collectives] = cop_arena_strdup(&g->arena, name);
    return (uint32_t)g->n_collectives++;
}

/* edge0 of each operation, and the dependants in the order in which they were given. */
static void sort_edges(cop_graph *g)
{
    g->op = cop_realloc_array(g->op, (size_t)g->n_ops + 1, sizeof(*g->op));
    g->op_cap = (size_t)g->n_ops + 1;
    for (uint32_t i = 0; i <= g->n_ops; i++)
        g->op[i].edge0 = 0;
    for (size_t i = 0; i < g->n_edges; i++)
        g->op[g->pair[i].from].edge0++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= g->n_ops; i++) {
        uint32_t n = i < g->n_ops ? g->op[i].edge0 : 0;
        g->op[i].edge0 = sum;
        sum += n;
    }
    g->edge = cop_alloc_array(g->n_edges, sizeof(*g->edge));
    for (size_t i = 0; i < g->n_edges; i++)
        g->edge[g->op[g->pair[i].from].edge0++] = g->pair[i].to;
    for (uint32_t i = g->n_ops; i > 0; i--) /* each has moved to the end of its own */
        g->op[i].edge0 = g->op[i - 1].edge0;
    g->op[0].edge0 = 0;
    cop_free(g->pair);
    g->pair = NULL;
    g->pair_cap = 0;
}

typedef struct place {
    uint32_t op0, n, rank;
} place;

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->op0 != y->op0)
        return x->op0 < y->op0 ? -1 : 1;
    return x->n != y->n ? (x->n < y->n ? -1 : 1) : (x->rank > y->rank) - (x->rank < y->rank);
}

static void sort_ranks(cop_graph *g)
{
    place *p = cop_alloc_array(g->n_ranks, sizeof(*p));
    g->order = COP_NEW_ARRAY(&g->arena, uint32_t, g->n_ranks);
    for (uint32_t r = 0; r < g->n_ranks; r++)
        p[r] = (place){g->op0[r], g->n_of[r], r};
    qsort(p, g->n_ranks, sizeof(*p), by_place);
    for (uint32_t r = 0; r < g->n_ranks; r++)
        g->order[r] = p[r].rank;
    cop_free(p);
}

int cop_graph_finish(cop_graph *g, cop_err *err)
{
    if (g->n_edges >= UINT32_MAX)
        return cop_err_add(err, COP_E_INPUT, "%s: has %zu dependencies; give at most 4294967294",
                           g->name, g->n_edges);
    for (uint32_t i = 0; i < g->n_ops; i++)
        if (g->op[i].kind == COP_OP_SEND && g->op[i].size > COP_MESSAGE_MAX_BYTES)
            return cop_err_add(err, COP_E_INPUT,
                               "%s:%" PRIu32 ": a message of %" PRIu64
                               " bytes; give at most %" PRIu64,
                               g->name, g->op[i].line, g->op[i].size, COP_MESSAGE_MAX_BYTES);
    sort_edges(g);
    sort_ranks(g);
    int rc = cop_graph_check_cycles(g, err);
    return rc == 0 ? cop_graph_check_matches(g, err) : rc;
}

uint32_t cop_graph_rank_of(const cop_graph *g, uint32_t op)
{
    uint32_t low = 0, high = g->n_ranks; /* the last one that begins at `op` or before */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->op0[g->order[middle]] <= op)
            low = middle;
        else
            high = middle;
    }
    return g->order[low];
}

static const char *number_or_any(uint32_t v, char *buf, size_t size)
{
    if (v == COP_ANY)
        return "any";
    snprintf(buf, size, "%" PRIu32, v);
    return buf;
}

const char *cop_op_text(const cop_op *op, char *buf, size_t size)
{
    char peer[16], tag[16];
    number_or_any(op->peer, peer, sizeof(peer));
    const char *tagged = number_or_any(op->tag, tag, sizeof(tag));
    if (op->kind == COP_OP_SEND)
        snprintf(buf, size, "send of %" PRIu64 " bytes to rank %s, tag %s", op->size, peer, tagged);
    else if (op->kind == COP_OP_RECV)
        snprintf(buf, size, "receive from %s%s, tag %s", op->peer == COP_ANY ? "any rank" : "rank ",
                 op->peer == COP_ANY ? "" : peer, tagged);
    else
        snprintf(buf, size, "%s of %" PRIu64 " ps",
                 op->kind == COP_OP_CALC ? "computation" : "wait", op->size);
    return buf;
}
