/* A program as a graph: what each rank computes, sends and receives, and what must come before what.
 * Made by a reader (read.h) or a generator (coll.h), checked by cop_graph_finish, immutable afterwards.
 *
 * Size     40 bytes per operation and 4 per dependency, so that 10 million operations fit in 0.5 GB; while
 *          a graph is made, its dependencies take 8 bytes.
 * Order    the operations of a rank follow each other. Dependencies join operations of one rank; between
 *          ranks there are only messages. */
#ifndef COP_APP_GRAPH_H
#define COP_APP_GRAPH_H

#include "base/err.h"
#include "base/mem.h"

enum cop_op_kind {
    COP_OP_CALC, /* keeps a CPU busy for `size` picoseconds */
    COP_OP_WAIT, /* lets `size` picoseconds pass, and needs no CPU */
    COP_OP_SEND, /* `size` bytes to `peer` */
    COP_OP_RECV, /* a message from `peer`, with this tag */
};

#define COP_ANY UINT32_MAX /* any sender, any tag */
#define COP_GRAPH_MAX_RANKS (1u << 20)
#define COP_GRAPH_MAX_OPS (1u << 30)
#define COP_MESSAGE_MAX_BYTES UINT64_C(0xfffffff0)

typedef struct cop_op {
    uint64_t size;
    uint32_t peer, tag;
    uint32_t line; /* in its file, for messages to people */
    uint32_t edge0; /* its first dependant; those of the next operation follow */
    uint32_t need; /* dependencies of its own */
    uint8_t kind, cpu, nic, unused;
    uint32_t collective; /* it belongs to, or COP_NONE */
    uint32_t
        key; /* sends and receives: number of (receiver, sender, tag); COP_NONE with `any`; after finish */
} cop_op;
_Static_assert(sizeof(cop_op) == 40, "ten million operations must stay small");

/* A dependant: operation, and whether it waits only for the start. */
#define COP_EDGE_START (1u << 31)

typedef struct cop_edge_pair {
    uint32_t from, to; /* `to` may have COP_EDGE_START */
} cop_edge_pair;

typedef struct cop_graph {
    const char *name; /* of the file or generator, for messages; in the arena */
    const char *unit; /* what `line` counts: "line" or "node" */
    uint32_t n_ranks;
    uint32_t *op0, *n_of; /* [n_ranks] first operation of a rank, and how many it has */
    uint32_t *order; /* [n_ranks] ranks by op0, those without operations first; after finish */
    cop_op *op; /* [n_ops + 1]; heap */
    uint32_t n_ops;
    size_t op_cap;
    uint32_t *edge; /* heap; after cop_graph_finish */
    cop_edge_pair *pair; /* heap; before */
    size_t n_edges, pair_cap;
    const char **collective; /* [n_collectives] names; heap, names in the arena */
    size_t n_collectives, collective_cap;
    uint32_t n_cpus, n_nics; /* highest number + 1 */
    uint32_t *pair_of; /* [n_keys] heap: number of the (receiver, sender) of a key; after finish */
    uint32_t n_keys, n_pairs;
    uint32_t building; /* rank whose operations are being added */
    cop_arena arena;
} cop_graph;

void cop_graph_init(cop_graph *g, const char *name, const char *unit, uint32_t n_ranks);
void cop_graph_free(cop_graph *g);

/* The operations of `rank` follow now; each rank once. */
void cop_graph_rank(cop_graph *g, uint32_t rank);
/* Add an operation; returns its number. The caller has checked peer and size. */
uint32_t cop_graph_add(cop_graph *g, const cop_op *op);
/* `then` starts when `first` has finished, or with `at_start` when it has started. */
void cop_graph_edge(cop_graph *g, uint32_t first, uint32_t then, bool at_start);
/* A new collective of that name; returns its number. */
uint32_t cop_graph_collective(cop_graph *g, const char *name);

/* Sort dependencies; refuse cycles, and receives and sends that nothing can match. */
int cop_graph_finish(cop_graph *g, cop_err *err);

/* The rank of an operation. */
uint32_t cop_graph_rank_of(const cop_graph *g, uint32_t op);
/* "recv 8 bytes from rank 3, tag 7" for people. */
const char *cop_op_text(const cop_op *op, char *buf, size_t size);

/* graph_check.c: private to the folder. */
int cop_graph_check_cycles(const cop_graph *g, cop_err *err);
int cop_graph_check_matches(cop_graph *g, cop_err *err); /* and numbers the keys */

#endif
