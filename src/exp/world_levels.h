/* A step of building a world: service levels that choose lanes (switch.sl2vl). */
#ifndef COP_WORLD_LEVELS_H
#define COP_WORLD_LEVELS_H

#include "exp/world.h"

/* Service levels begin at the lanes that switch.sl2vl says: the routing then has fewer for each of them than
 * links have, `uses`. */
int cop_world_init_levels(cop_world *w, const cop_config *c, uint32_t *uses, cop_err *err);
/* Puts the map in front of the routing when the number of lanes is known. */
void cop_world_attach_levels(cop_world *w, const cop_config *c, uint32_t uses);

#endif
