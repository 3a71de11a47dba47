/* Positions in a dragonfly, for its routings: gateways between groups, next hops, lengths of paths.
 *
 * Parallel links. Of n links between two groups, in the order of their switches and ports here, a
 * packet for host d takes number (floor(s n / a) + place[d]) mod n: s is the switch of its group
 * that it begins at or enters by, counted in the group, and place[] a fixed shuffle of the a p
 * hosts of a group. So the switches of a group share the links to each destination, and each switch
 * shares its destinations among the links, as evenly as the numbers allow; a pair of hosts keeps
 * its path. The switch at the link computes the same number: s follows from the port by which the
 * packet comes in. Decisions depend on switch, input port and destination. */
#ifndef COP_ROUTE_DRAGONFLY_MAP_H
#define COP_ROUTE_DRAGONFLY_MAP_H

#include "base/divide.h"
#include "route/route_cfg.h"

typedef struct cop_gateway { /* an end of a global link */
    uint32_t sw, far; /* switch on this side, on the other */
    uint16_t port; /* of sw */
} cop_gateway;

typedef struct cop_dragonfly {
    uint32_t p, a, h, groups;
    cop_divisor by_p, by_a;
    uint32_t *first; /* [from * groups + to], one more at the end: links from group to group */
    cop_gateway *link; /* of two groups: in ascending order of switch and port */
    bool parallel; /* two groups have more than one link */
    cop_divisor by_hosts; /* a * p */
    uint32_t *place; /* [host of a group]; NULL unless parallel */
} cop_dragonfly;

/* Fails unless the topology is a dragonfly whose groups all have a link to each other. */
int cop_dragonfly_init(cop_dragonfly *d, cop_route *r, cop_err *err);

static inline uint32_t cop_dragonfly_group(const cop_dragonfly *d, uint32_t sw)
{
    return cop_divide(sw, d->by_a);
}

static inline uint32_t cop_dragonfly_switch_of(const cop_dragonfly *d, uint32_t host)
{
    return cop_divide(host, d->by_p);
}

static inline uint32_t cop_dragonfly_group_of(const cop_dragonfly *d, uint32_t host)
{
    return cop_dragonfly_group(d, cop_dragonfly_switch_of(d, host));
}

static inline bool cop_dragonfly_is_local(const cop_dragonfly *d, uint32_t port)
{
    return port >= d->p && port < d->p + d->a - 1;
}

static inline uint32_t cop_dragonfly_global0(const cop_dragonfly *d)
{
    return d->p + d->a - 1;
}

/* Port of `sw` to another switch of its group, and the inverse. */
static inline uint16_t cop_dragonfly_local_port(const cop_dragonfly *d, uint32_t sw, uint32_t to)
{
    return (uint16_t)(d->p + cop_rest(to, d->by_a) - (to > sw ? 1 : 0));
}

static inline uint32_t cop_dragonfly_neighbour(const cop_dragonfly *d, uint32_t sw, uint32_t port)
{
    uint32_t at = port - d->p;
    uint32_t own = cop_rest(sw, d->by_a);
    return sw - own + at + (at >= own ? 1 : 0);
}

/* The link by which a packet for host `dst` that came to `sw` by port `in` (COP_PORT_NONE: it
 * begins here) goes to another group, `group`. */
const cop_gateway *cop_dragonfly_gateway(const cop_dragonfly *d, uint32_t sw, uint32_t in,
                                         uint32_t group, uint32_t dst);
/* Next hop of the packet of `hop` to another group, `group`, with these lanes. */
cop_cand cop_dragonfly_leave(const cop_dragonfly *d, const cop_hop *hop, uint32_t group,
                             uint8_t local_vl, uint8_t global_vl);
/* Next hop on the shortest path to hop->dst: lanes before its group, and of the local hop there. */
cop_cand cop_dragonfly_to(const cop_dragonfly *d, const cop_hop *hop, uint8_t local_vl,
                          uint8_t global_vl, uint8_t last_vl);

/* Links between switches on the shortest path to host `dst`; and on the one that visits group `via`
 * in between, entering and leaving it by the switches with the links. */
uint32_t cop_dragonfly_distance(const cop_dragonfly *d, uint32_t sw, uint32_t in, uint32_t dst);
uint32_t cop_dragonfly_detour(const cop_dragonfly *d, uint32_t sw, uint32_t in, uint32_t via,
                              uint32_t dst);

#endif
