/* Service levels select virtual lanes: InfiniBand's SL-to-VL map, in front of any routing. */
#ifndef COP_LEVELS_H
#define COP_LEVELS_H

#include "base/opt.h"
#include "route/route.h"

#define COP_LEVELS 16 /* service levels; a 32-bit mask names a set of them */
#define COP_LEVELS_ROW (3 + COP_LEVELS) /* numbers of a map of ports: switch, in, out, lanes */

typedef struct cop_levels_cfg {
    const cop_ints *map; /* first lane of each level; empty: automatic */
    const cop_ints *port; /* rows of COP_LEVELS_ROW */
    uint32_t used; /* levels that traffic has */
    bool control_apart; /* control packets have private lanes */
    bool by_queueing; /* the queueing scheme selects lanes, so the automatic map does not */
} cop_levels_cfg;

/* What a map requires of the routing. */
typedef struct cop_levels_plan {
    uint32_t last; /* the highest lane at which a level in use begins, */
    uint32_t level; /* and that level */
    uint32_t gap; /* least distance from one first lane to the next; COP_MAX_VL: there is only
                     one */
} cop_levels_plan;

typedef struct cop_levels {
    cop_route_ops ops; /* those of the routing, with the map in front */
    const cop_route_ops *inner; /* those of the routing itself */
    uint32_t used;
    uint32_t follow; /* of these, one of each kind: levels with equal maps have equal paths */
    bool control_apart;
    uint8_t first[COP_LEVELS]; /* lane at which a level begins */
    uint8_t base[COP_MAX_VL]; /* first lane of the levels to which a lane belongs */
    uint8_t *
        *port; /* [switch] maps by input, output and level; NULL: `first`; NULL array: for all */
    const uint16_t *lft; /* with them: the routing's table, or NULL */
} cop_levels;

/* Refuses a map without a lane for a level in use, or with a port that does not exist. `map` is not
 * empty. */
int cop_levels_plan_of(const cop_levels_cfg *cfg, const cop_topo *t, cop_levels_plan *plan,
                       cop_err *err);
/* Puts the map in front of the routing, if it has an effect. Data have `lanes` lanes, of which the
 * routing takes `uses` for each level. */
void cop_levels_attach(cop_route *r, const cop_levels_cfg *cfg, uint32_t lanes, uint32_t uses);

/* The routing without the map. */
static inline const cop_route_ops *cop_levels_of_routing(const cop_route *r)
{
    return r->levels ? r->levels->inner : r->ops;
}
/* Levels that the dependency check has to follow, as a mask. */
static inline uint32_t cop_levels_to_follow(const cop_route *r)
{
    return r->levels ? r->levels->follow : 1;
}
/* The lane at which a level begins. */
static inline uint32_t cop_levels_first(const cop_route *r, uint32_t level)
{
    return r->levels ? r->levels->first[level] : 0;
}
/* The first lane of the levels that use lane `vl`. */
static inline uint32_t cop_levels_base(const cop_route *r, uint32_t vl)
{
    return r->levels ? r->levels->base[vl] : 0;
}

#endif
