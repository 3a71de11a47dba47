/* Collective operations as messages: who sends what to whom, in which round. To add one: a function in a
 * file of its family, and a row of cop_collectives (coll.c). All are for any number of ranks. */
#ifndef COP_APP_COLL_H
#define COP_APP_COLL_H

#include "app/graph.h"

enum cop_collective {
    COP_COLL_NONE,
    COP_COLL_ALL_REDUCE_RING,
    COP_COLL_ALL_REDUCE_DOUBLING,
    COP_COLL_ALL_REDUCE_RABENSEIFNER,
    COP_COLL_ALL_REDUCE_TREE,
    COP_COLL_REDUCE_SCATTER_RING,
    COP_COLL_REDUCE_SCATTER_HALVING,
    COP_COLL_REDUCE_SCATTER_PAIRWISE,
    COP_COLL_ALL_GATHER_RING,
    COP_COLL_ALL_GATHER_BRUCK,
    COP_COLL_ALL_GATHER_DOUBLING,
    COP_COLL_ALL_TO_ALL_PAIRWISE,
    COP_COLL_ALL_TO_ALL_BRUCK,
    COP_COLL_ALL_TO_ALL_LINEAR,
    COP_COLL_BROADCAST_BINOMIAL,
    COP_COLL_BROADCAST_SCATTER,
    COP_COLL_REDUCE_BINOMIAL,
    COP_COLL_GATHER_LINEAR,
    COP_COLL_SCATTER_LINEAR,
    COP_COLL_BARRIER,
    COP_COLL_KINDS
};

extern const char *const cop_collective_names[COP_COLL_KINDS + 1]; /* for option tables */

/* The part of one member. Operations of a round wait for all of the round before. */
typedef struct cop_coll {
    cop_graph *g;
    uint32_t n, me; /* members, and which one this is */
    const uint32_t *rank; /* [n] ranks of the members; NULL: the same numbers */
    uint64_t
        bytes; /* the vector: what is reduced, gathered in the end, sent out, or has a part for each */
    uint32_t root; /* member */
    uint32_t tag, collective, line;
    uint8_t cpu, nic;
    uint64_t reduce_bps; /* how fast what came is added up; 0: it takes no time */
    uint32_t *before, *round; /* operations of the last round and of this one; heap */
    size_t n_before, n_round, before_cap, round_cap;
} cop_coll;

/* Add the part of member c->me to the rank that is being built. c->before: what it waits for; in the end:
 * what finishes it. */
void cop_coll_add(cop_coll *c, enum cop_collective kind);
void cop_coll_free(cop_coll *c);

/* For the families. Peers are members. Messages of 0 bytes are left out by both sides. */
void cop_coll_send(cop_coll *c, uint32_t to, uint64_t bytes);
/* With `reduce`, what has come is then added up. */
void cop_coll_recv(cop_coll *c, uint32_t from, uint64_t bytes, bool reduce);
void cop_coll_signal(cop_coll *c, uint32_t to, uint32_t from); /* of 0 bytes, which is sent */
void cop_coll_round(cop_coll *c); /* the round is complete */
/* Bytes of parts `first` to `first + count - 1` of n, where numbers go round. */
uint64_t cop_coll_parts(const cop_coll *c, uint32_t first, uint32_t count);

/* coll_reduce.c */
void cop_coll_all_reduce_ring(cop_coll *c);
void cop_coll_all_reduce_doubling(cop_coll *c);
void cop_coll_all_reduce_rabenseifner(cop_coll *c);
void cop_coll_all_reduce_tree(cop_coll *c);
void cop_coll_reduce_scatter_ring(cop_coll *c);
void cop_coll_reduce_scatter_halving(cop_coll *c);
void cop_coll_reduce_scatter_pairwise(cop_coll *c);
/* coll_gather.c */
void cop_coll_all_gather_ring(cop_coll *c);
void cop_coll_all_gather_bruck(cop_coll *c);
void cop_coll_all_gather_doubling(cop_coll *c);
void cop_coll_all_to_all_pairwise(cop_coll *c);
void cop_coll_all_to_all_bruck(cop_coll *c);
void cop_coll_all_to_all_linear(cop_coll *c);
/* coll_tree.c */
void cop_coll_broadcast_binomial(cop_coll *c);
void cop_coll_broadcast_scatter(cop_coll *c);
void cop_coll_reduce_binomial(cop_coll *c);
void cop_coll_gather_linear(cop_coll *c);
void cop_coll_scatter_linear(cop_coll *c);
void cop_coll_barrier(cop_coll *c);

/* A program of nothing but `repeat` collectives, one after the other, each after `compute_ps` of
 * computation. */
typedef struct cop_coll_cfg {
    enum cop_collective kind;
    uint32_t ranks, repeat, root;
    uint64_t bytes, compute_ps, reduce_bps;
} cop_coll_cfg;
int cop_coll_program(cop_graph *g, const cop_coll_cfg *cfg, cop_err *err);
/* Operations that it would have, at least. */
uint64_t cop_coll_operations(const cop_coll_cfg *cfg);

#endif
