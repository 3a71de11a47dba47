/* What the two halves of the reader of Chakra traces share: chakra_node.c reads nodes, chakra.c makes a graph
 * of them. */
#ifndef COP_APP_CHAKRA_H
#define COP_APP_CHAKRA_H

#include "app/source.h"

#define CHAKRA_COLL_TAG 0x80000000u /* tags of collectives begin here */

enum { T_METADATA = 1, T_LOAD, T_STORE, T_COMP, T_SEND, T_RECV, T_COLL, T_LAST = 10 };
enum { CPU_HOST, CPU_ACCELERATOR, CPU_NETWORK };

typedef struct chakra_node {
    uint64_t id, size; /* size: bytes, or microseconds */
    uint32_t peer, tag;
    uint32_t dep0, n_deps; /* in deps[] */
    uint32_t group, nth; /* collective: of its group's, on this rank */
    uint32_t op; /* the last of its operations */
    uint8_t type, coll_type, cpu;
} chakra_node;

typedef struct chakra_group {
    char *name;
    uint32_t n_members, *member; /* ranks */
    uint32_t length; /* collectives of each */
    uint32_t first; /* number of its first collective */
    uint64_t *size; /* [length] as the first member has it */
    uint8_t *type;
} chakra_group;

typedef struct chakra_trace { /* of one rank */
    chakra_node *node; /* heap */
    size_t n, cap;
    uint64_t *dep; /* heap */
    size_t n_deps, dep_cap;
    uint32_t *count; /* [n_groups] collectives so far; heap */
    size_t n_count, count_cap;
} chakra_trace;

typedef struct chakra_reader {
    cop_graph *g;
    const cop_read_cfg *cfg;
    cop_read_notes *notes;
    cop_source *s;
    chakra_trace *rank; /* heap */
    uint32_t n_ranks;
    size_t rank_cap;
    chakra_group *group; /* heap */
    size_t n_groups, group_cap;
    uint64_t odd[T_LAST + 2], untimed; /* nodes by type; computations without a duration */
} chakra_reader;

/* Read the nodes of one file into *t. */
int chakra_read_file(chakra_reader *r, cop_source *s, chakra_trace *t);

#endif
