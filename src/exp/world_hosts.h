/* A step of building a world: what single hosts have of their own (section hosts). */
#ifndef COP_WORLD_HOSTS_H
#define COP_WORLD_HOSTS_H

#include "exp/world.h"

/* Finds the hosts that the entries name, and lets links and end nodes know what these have. */
int cop_world_hosts(cop_world *w, cop_config *c, cop_err *err);

#endif
