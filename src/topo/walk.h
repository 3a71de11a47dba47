/* Breadth-first search over the switches. Hosts do not forward. */
#ifndef COP_TOPO_WALK_H
#define COP_TOPO_WALK_H

#include "topo/topo.h"

typedef struct cop_walk {
    uint32_t *dist; /* links from the start to each switch; COP_NONE = not reached. Owned */
    uint32_t *queue; /* switches in the order they were reached. Owned */
    uint32_t reached;
} cop_walk;

void cop_walk_init(cop_walk *w, const cop_topo *t);
void cop_walk_from(cop_walk *w, const cop_topo *t, uint32_t start);
void cop_walk_fini(cop_walk *w);

#endif
