/* A step of building a world: options of single hosts (section hosts). */
#ifndef COP_WORLD_HOSTS_H
#define COP_WORLD_HOSTS_H

#include "exp/world.h"

/* Finds the hosts that the entries name and sets the options of their links and end nodes. */
int cop_world_hosts(cop_world *w, cop_config *c, cop_err *err);

#endif
