/* The one table of topologies. To add one: write its generator, declare its ops in build.h and list
 * it here. */
#include "topo/build.h"

#include <string.h>

const cop_topo_ops *const cop_topologies[] = {
    &cop_topo_single,    &cop_topo_chain,     &cop_topo_full,
    &cop_topo_fat_tree,  &cop_topo_kary,      &cop_topo_xgft,
    &cop_topo_rail,      &cop_topo_torus,     &cop_topo_mesh,
    &cop_topo_hypercube, &cop_topo_dragonfly, &cop_topo_omega,
    &cop_topo_butterfly, &cop_topo_file,      NULL};

const cop_topo_ops *cop_topo_find(const char *name)
{
    for (size_t i = 0; cop_topologies[i] != NULL; i++)
        if (strcmp(cop_topologies[i]->name, name) == 0)
            return cop_topologies[i];
    return NULL;
}
