/* Forwarding tables of a switch as OpenFlow has them: entries with a match, a priority, a condition and an action.
 *
 * Of the entries that match a packet those of the highest priority count. If they have a condition that does not
 * hold, those of the next lower priority count instead; if there are none, the condition is ignored, so a packet that
 * has one way only always takes it. Of several entries with the same priority one is drawn.
 * A table is what a routing means, for people and tests to read; the data path uses what was compiled from
 * it (dragonfly_table.h).
 * Source   Benito, Vallejo, Beivide, Izu, 2.2, 3.1.1 and figure 3. */
#ifndef COP_ROUTE_FLOW_TABLE_H
#define COP_ROUTE_FLOW_TABLE_H

#include "route/route.h"

#include <stdio.h>

enum { COP_FLOW_LOW = 1, COP_FLOW_HIGH = 2 }; /* priorities: non-minimal, minimal */

typedef struct cop_flow_entry {
    uint16_t in_first, in_last; /* match: ports by which the packet came in */
    uint32_t dst_first, dst_last; /* match: hosts to which it goes */
    uint8_t priority;
    bool conditional; /* the routing's condition (ops->condition) about port `out` */
    uint16_t out; /* action: output port */
    uint32_t visit; /* action: group that the packet visits on its way; COP_NONE: none */
} cop_flow_entry;

typedef struct cop_flow_table {
    cop_flow_entry *entry;
    size_t n, capacity;
} cop_flow_table;

/* Add an entry. It becomes one with the last if they differ in neighbouring destinations alone. */
void cop_flow_add(cop_flow_table *t, cop_flow_entry e);
void cop_flow_free(cop_flow_table *t);

/* The entry that a packet follows: `holds` says if a condition does, `draw` which of n equal entries it is (NULL: the
 * first). NULL: no entry matches. */
const cop_flow_entry *cop_flow_pick(const cop_flow_table *t, uint16_t in, uint32_t dst,
                                    bool (*holds)(void *ctx, const cop_flow_entry *e),
                                    uint32_t (*draw)(void *ctx, uint32_t n), void *ctx);

/* The table of switch `sw`: what ops->table says, or that of any routing with one output per destination. False:
 * the routing has none. Lists only what differs, as entries of ranges. */
bool cop_flow_table_of(const cop_route *r, uint32_t sw, cop_flow_table *t);
/* As YAML, one entry a line. */
void cop_flow_print(const cop_route *r, const cop_flow_table *t, const char *switch_name,
                    FILE *out);

#endif
