/* Fill forwarding tables for any graph: for each destination and switch one of several allowed
 * ports, so that every port gets about the same number of destinations. */
#ifndef COP_SPREAD_H
#define COP_SPREAD_H

#include "route/route.h"

/* The ports that lead to one exit switch: those of switch s are port[first[s] .. first[s+1]-1], as
 * local numbers in ascending order. Empty for the exit switch itself and if there is no path. */
typedef struct cop_choices {
    uint32_t *first; /* [n_switches + 1] */
    uint16_t *port; /* [ports of all switches] */
} cop_choices;

/* Called once per run of destinations with the same exit switch. */
typedef void cop_choices_fn(void *ctx, const cop_topo *t, uint32_t exit_sw, cop_choices *out);

/* Allocates and fills r->lft. Returns false, with the pair, if a switch that hosts send to cannot
 * reach a host. Other switches without a path get port UINT16_MAX. */
bool cop_spread_fill(cop_route *r, cop_choices_fn *choices, void *ctx, uint32_t *bad_sw,
                     uint32_t *bad_dst);

/* ops->route of routings that are only a table. */
unsigned cop_spread_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand);

#endif
