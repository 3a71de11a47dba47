/* Facts of a network for `coppice check`. Private to src/exp. */
#ifndef COP_EXP_FACTS_H
#define COP_EXP_FACTS_H

#include "exp/units.h"
#include "net/net_cfg.h"
#include "route/route.h"

#include <stdio.h>

/* Rates of links, oversubscription at switches with hosts, balance of the routing. */
void cop_print_fabric(const cop_route *r, const cop_link_cfg *link, const cop_units_cfg *units,
                      FILE *out);

#endif
