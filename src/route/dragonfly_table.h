/* Forwarding tables of dragonflies (flow_table.h), and their compiled form.
 *
 * Minimal entries, high priority: a port for each host, switch of the group, and other group. Those
 * of other groups are conditional if the routing chooses (`conditional`). Non-minimal entries, low
 * priority: made by the routing (dragonfly_choice.c).
 * Compiled at set-up, for the data path: the output port for each switch and group, a look-up of
 * two bytes. Where two groups have several links the port depends on input port and host, too
 * (dragonfly_map.h), and is computed. */
#ifndef COP_ROUTE_DRAGONFLY_TABLE_H
#define COP_ROUTE_DRAGONFLY_TABLE_H

#include "route/dragonfly_map.h"
#include "route/flow_table.h"

typedef struct cop_dragonfly_ports {
    uint16_t *port; /* [switch * groups + group] towards other groups; NULL: computed */
} cop_dragonfly_ports;

/* Minimal entries of switch `sw`, for packets that came in by any port. */
void cop_dragonfly_entries(const cop_route *r, const cop_dragonfly *d, uint32_t sw,
                           bool conditional, cop_flow_table *t);
/* The last input port, below `end`, for which all decisions are as for `first`: hosts are one
 * class, links between groups another, and switches of the group a third, unless there are parallel
 * links. */
uint16_t cop_dragonfly_like(const cop_dragonfly *d, uint16_t first, uint16_t end);
/* Compile the minimal entries of all switches. */
void cop_dragonfly_compile(cop_dragonfly_ports *c, cop_route *r, const cop_dragonfly *d,
                           bool conditional);

/* Port towards another group, of the switch and for the packet of `hop`. */
static inline uint16_t cop_dragonfly_port(const cop_dragonfly *d, const cop_dragonfly_ports *c,
                                          const cop_hop *hop, uint32_t group)
{
    return c->port ? c->port[(size_t)hop->sw * d->groups + group]
                   : cop_dragonfly_leave(d, hop, group, 0, 0).port;
}

/* Next hop on the shortest path to hop->dst: as cop_dragonfly_to(), from the table. */
static inline cop_cand cop_dragonfly_next(const cop_dragonfly *d, const cop_dragonfly_ports *c,
                                          const cop_hop *hop, uint8_t local_vl, uint8_t global_vl,
                                          uint8_t last_vl)
{
    uint32_t target = cop_dragonfly_switch_of(d, hop->dst);
    if (target == hop->sw)
        return (cop_cand){.port = (uint16_t)(hop->dst - target * d->p)};
    uint32_t group = cop_dragonfly_group(d, target);
    if (group == cop_dragonfly_group(d, hop->sw))
        return (cop_cand){.port = cop_dragonfly_local_port(d, hop->sw, target), .vl = last_vl};
    uint16_t port = cop_dragonfly_port(d, c, hop, group);
    return (cop_cand){.port = port, .vl = port < cop_dragonfly_global0(d) ? local_vl : global_vl};
}

#endif
