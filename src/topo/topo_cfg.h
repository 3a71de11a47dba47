/* Configuration of each generator. The option tables are in the files of the generators; tests and
 * tools may fill these structs directly, so every generator validates its values again. */
#ifndef COP_TOPO_CFG_H
#define COP_TOPO_CFG_H

#include "base/opt.h"

typedef struct cop_xgft_cfg { /* xgft */
    cop_ints children; /* m[1], m[2], ..: children of a switch of level 1, 2, .. */
    cop_ints parents; /* w[1], w[2], ..: parents of a node of level 0, 1, .. */
} cop_xgft_cfg;

typedef struct cop_kary_cfg { /* kary-ntree */
    int64_t k, n;
} cop_kary_cfg;

typedef struct cop_fat_tree_cfg { /* fat-tree */
    int64_t ports; /* of every switch */
    int64_t levels;
} cop_fat_tree_cfg;

typedef struct cop_rail_cfg { /* rail-tree */
    int64_t pods, servers, rails, spines; /* servers: of a pod; rails: NICs of a server */
} cop_rail_cfg;

typedef struct cop_cube_cfg { /* torus, mesh */
    cop_ints radix; /* one per dimension */
    int64_t hosts; /* per switch */
} cop_cube_cfg;

typedef struct cop_hypercube_cfg { /* hypercube */
    int64_t dims;
    int64_t hosts; /* per switch */
} cop_hypercube_cfg;

typedef struct cop_dragonfly_cfg { /* dragonfly */
    int64_t p, a, h;
    int64_t groups; /* 0 = a*h + 1 */
} cop_dragonfly_cfg;

typedef struct cop_multistage_cfg { /* omega, butterfly */
    int64_t radix, stages;
} cop_multistage_cfg;

typedef struct cop_single_cfg { /* single */
    int64_t hosts;
    const char *names; /* of the hosts, separated by spaces or commas; NULL or empty: h0, h1, ... */
} cop_single_cfg;

typedef struct cop_full_cfg { /* full */
    int64_t switches;
    int64_t hosts; /* per switch */
} cop_full_cfg;

typedef struct cop_chain_cfg { /* chain */
    cop_ints hosts; /* of each switch, from left to right */
    const char *names; /* as in cop_single_cfg */
} cop_chain_cfg;

typedef struct cop_file_cfg { /* file */
    const char *path;
} cop_file_cfg;

#endif
