/* Collectives: the list, rounds, and programs made of them. See coll.h. */
#include "app/coll.h"

#include <stdio.h>

static const struct {
    const char *name;
    void (*add)(cop_coll *c);
} cop_collectives[COP_COLL_KINDS] = {
    [COP_COLL_NONE] = {"none", NULL},
    [COP_COLL_ALL_REDUCE_RING] = {"all-reduce-ring", cop_coll_all_reduce_ring},
    [COP_COLL_ALL_REDUCE_DOUBLING] = {"all-reduce-doubling", cop_coll_all_reduce_doubling},
    [COP_COLL_ALL_REDUCE_RABENSEIFNER] = {"all-reduce-rabenseifner",
                                          cop_coll_all_reduce_rabenseifner},
    [COP_COLL_ALL_REDUCE_TREE] = {"all-reduce-tree", cop_coll_all_reduce_tree},
    [COP_COLL_REDUCE_SCATTER_RING] = {"reduce-scatter-ring", cop_coll_reduce_scatter_ring},
    [COP_COLL_REDUCE_SCATTER_HALVING] = {"reduce-scatter-halving", cop_coll_reduce_scatter_halving},
    [COP_COLL_REDUCE_SCATTER_PAIRWISE] = {"reduce-scatter-pairwise",
                                          cop_coll_reduce_scatter_pairwise},
    [COP_COLL_ALL_GATHER_RING] = {"all-gather-ring", cop_coll_all_gather_ring},
    [COP_COLL_ALL_GATHER_BRUCK] = {"all-gather-bruck", cop_coll_all_gather_bruck},
    [COP_COLL_ALL_GATHER_DOUBLING] = {"all-gather-doubling", cop_coll_all_gather_doubling},
    [COP_COLL_ALL_TO_ALL_PAIRWISE] = {"all-to-all-pairwise", cop_coll_all_to_all_pairwise},
    [COP_COLL_ALL_TO_ALL_BRUCK] = {"all-to-all-bruck", cop_coll_all_to_all_bruck},
    [COP_COLL_ALL_TO_ALL_LINEAR] = {"all-to-all-linear", cop_coll_all_to_all_linear},
    [COP_COLL_BROADCAST_BINOMIAL] = {"broadcast-binomial", cop_coll_broadcast_binomial},
    [COP_COLL_BROADCAST_SCATTER] = {"broadcast-scatter", cop_coll_broadcast_scatter},
    [COP_COLL_REDUCE_BINOMIAL] = {"reduce-binomial", cop_coll_reduce_binomial},
    [COP_COLL_GATHER_LINEAR] = {"gather-linear", cop_coll_gather_linear},
    [COP_COLL_SCATTER_LINEAR] = {"scatter-linear", cop_coll_scatter_linear},
    [COP_COLL_BARRIER] = {"barrier", cop_coll_barrier},
};

const char *const cop_collective_names[COP_COLL_KINDS + 1] = {"none",
                                                              "all-reduce-ring",
                                                              "all-reduce-doubling",
                                                              "all-reduce-rabenseifner",
                                                              "all-reduce-tree",
                                                              "reduce-scatter-ring",
                                                              "reduce-scatter-halving",
                                                              "reduce-scatter-pairwise",
                                                              "all-gather-ring",
                                                              "all-gather-bruck",
                                                              "all-gather-doubling",
                                                              "all-to-all-pairwise",
                                                              "all-to-all-bruck",
                                                              "all-to-all-linear",
                                                              "broadcast-binomial",
                                                              "broadcast-scatter",
                                                              "reduce-binomial",
                                                              "gather-linear",
                                                              "scatter-linear",
                                                              "barrier",
                                                              NULL};

/* -- rounds -- */

static uint32_t add_op(cop_coll *c, const cop_op *op)
{
    uint32_t i = cop_graph_add(c->g, op);
    for (size_t k = 0; k < c->n_before; k++)
        cop_graph_edge(c->g, c->before[k], i, false);
    return i;
}

static void in_round(cop_coll *c, uint32_t op)
{
    c->round = cop_grow(c->round, &c->round_cap, c->n_round + 1, sizeof(*c->round));
    c->round[c->n_round++] = op;
}

static uint32_t rank_of(const cop_coll *c, uint32_t member)
{
    return c->rank != NULL ? c->rank[member] : member;
}

static cop_op operation(const cop_coll *c, enum cop_op_kind kind, uint32_t peer, uint64_t size)
{
    return (cop_op){.kind = (uint8_t)kind,
                    .size = size,
                    .peer = peer,
                    .tag = c->tag,
                    .line = c->line,
                    .cpu = c->cpu,
                    .nic = c->nic,
                    .collective = c->collective};
}

void cop_coll_send(cop_coll *c, uint32_t to, uint64_t bytes)
{
    cop_op op = operation(c, COP_OP_SEND, rank_of(c, to), bytes);
    if (bytes > 0)
        in_round(c, add_op(c, &op));
}

void cop_coll_recv(cop_coll *c, uint32_t from, uint64_t bytes, bool reduce)
{
    cop_op op = operation(c, COP_OP_RECV, rank_of(c, from), bytes);
    if (bytes == 0)
        return;
    uint32_t i = add_op(c, &op);
    if (reduce && c->reduce_bps > 0) {
        cop_op sum = operation(c, COP_OP_CALC, 0, 0);
        sum.size = (uint64_t)((unsigned __int128)bytes * 8 * COP_SECOND / c->reduce_bps);
        uint32_t added = cop_graph_add(c->g, &sum);
        cop_graph_edge(c->g, i, added, false);
        i = added;
    }
    in_round(c, i);
}

void cop_coll_signal(cop_coll *c, uint32_t to, uint32_t from)
{
    cop_op send = operation(c, COP_OP_SEND, rank_of(c, to), 0);
    cop_op recv = operation(c, COP_OP_RECV, rank_of(c, from), 0);
    in_round(c, add_op(c, &send));
    in_round(c, add_op(c, &recv));
}

/* More than two operations are joined, so that rounds do not multiply their dependencies. */
void cop_coll_round(cop_coll *c)
{
    if (c->n_round == 0)
        return;
    if (c->n_round > 2) {
        cop_op join = operation(c, COP_OP_WAIT, 0, 0);
        uint32_t i = cop_graph_add(c->g, &join);
        for (size_t k = 0; k < c->n_round; k++)
            cop_graph_edge(c->g, c->round[k], i, false);
        c->round[0] = i;
        c->n_round = 1;
    }
    uint32_t *free_list = c->before;
    size_t free_cap = c->before_cap;
    c->before = c->round;
    c->before_cap = c->round_cap;
    c->n_before = c->n_round;
    c->round = free_list;
    c->round_cap = free_cap;
    c->n_round = 0;
}

uint64_t cop_coll_parts(const cop_coll *c, uint32_t first, uint32_t count)
{
    uint64_t sum = 0, n = c->n;
    first %= c->n;
    if (count >= c->n)
        return c->bytes;
    uint64_t end = (uint64_t)first + count;
    if (end > n) {
        sum = c->bytes * (end - n) / n; /* those from part 0 on */
        end = n;
    }
    return sum + c->bytes * end / n - c->bytes * first / n;
}

void cop_coll_add(cop_coll *c, enum cop_collective kind)
{
    cop_collectives[kind].add(c);
    cop_coll_round(c);
}

void cop_coll_free(cop_coll *c)
{
    cop_free(c->before);
    cop_free(c->round);
}

/* -- programs -- */

uint64_t cop_coll_operations(const cop_coll_cfg *cfg)
{
    uint64_t n = cfg->ranks, rounds = 0;
    switch (cfg->kind) {
    case COP_COLL_ALL_REDUCE_RING:
    case COP_COLL_BROADCAST_SCATTER:
        rounds = 2 * (n - 1);
        break;
    case COP_COLL_REDUCE_SCATTER_RING:
    case COP_COLL_REDUCE_SCATTER_PAIRWISE:
    case COP_COLL_ALL_GATHER_RING:
    case COP_COLL_ALL_TO_ALL_PAIRWISE:
    case COP_COLL_ALL_TO_ALL_LINEAR:
        rounds = n - 1;
        break;
    default:
        while ((UINT64_C(1) << rounds) < n)
            rounds++;
        rounds *= 2;
    }
    return 2 * rounds * n * cfg->repeat;
}

int cop_coll_program(cop_graph *g, const cop_coll_cfg *cfg, cop_err *err)
{
    const char *name = cop_collective_names[cfg->kind];
    cop_graph_init(g, name, "collective", cfg->ranks);
    for (uint32_t i = 0; i < cfg->repeat; i++) {
        char text[64];
        snprintf(text, sizeof(text), cfg->repeat == 1 ? "%s" : "%s#%" PRIu32, name, i + 1);
        cop_graph_collective(g, text);
    }
    for (uint32_t r = 0; r < cfg->ranks; r++) {
        cop_coll c = {.g = g,
                      .n = cfg->ranks,
                      .me = r,
                      .bytes = cfg->bytes,
                      .root = cfg->root,
                      .reduce_bps = cfg->reduce_bps};
        cop_graph_rank(g, r);
        for (uint32_t i = 0; i < cfg->repeat; i++) {
            c.collective = COP_NONE;
            c.line = c.tag = i + 1;
            if (cfg->compute_ps > 0) {
                cop_op compute = operation(&c, COP_OP_CALC, 0, cfg->compute_ps);
                in_round(&c, add_op(&c, &compute));
                cop_coll_round(&c);
            }
            c.collective = i;
            cop_coll_add(&c, cfg->kind);
        }
        cop_coll_free(&c);
    }
    int rc = cop_graph_finish(g, err);
    if (rc != 0)
        cop_graph_free(g);
    return rc;
}
