/* A set of dependencies between channels and the search for a cycle in it. */
#ifndef COP_CDG_GRAPH_H
#define COP_CDG_GRAPH_H

#include "base/mem.h"

typedef struct cop_edges {
    uint64_t *slot; /* open addressing; 0 = empty, else (from << 32 | to) + 1. Owned */
    size_t size, n; /* slots (a power of two), edges */
} cop_edges;

void cop_edges_init(cop_edges *e);
void cop_edges_free(cop_edges *e);
/* Adding an edge twice is the same as once. */
void cop_edges_add(cop_edges *e, uint32_t from, uint32_t to);
/* Nodes are 0..n_nodes-1. Returns the length of one cycle and its nodes in order (owned by the
 * caller, free with cop_free), or 0 and NULL. */
uint32_t cop_edges_cycle(const cop_edges *e, uint32_t n_nodes, uint32_t **cycle);

#endif
