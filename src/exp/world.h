/* All parts of one run, built from a configuration. The only place where all parts meet. Private to exp/. */
#ifndef COP_EXP_WORLD_H
#define COP_EXP_WORLD_H

#include "exp/run.h"
#include "net/net.h"
#include "tree/tree.h"

typedef struct cop_world {
    cop_topo topo;
    cop_route route;
    cop_traffic traffic;
    cop_net net;
    uint64_t *inject_bps;
    uint32_t lanes;
    cop_nic_cfg
        nic; /* c->nic, with the lanes of control packets that the congestion control takes */
    cop_cdg_result cdg;
    cop_tree_watch *trees; /* NULL: not asked for */
} cop_world;

/* w is zeroed memory; 0 or an error. cop_world_free is due in both cases. */
int cop_world_build(cop_world *w, cop_config *c, cop_err *err);
/* Also frees w. */
void cop_world_free(cop_world *w);

#endif
