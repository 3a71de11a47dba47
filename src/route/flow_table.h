/* Forwarding tables of a switch as in OpenFlow: entries with a match, a priority, a condition and
 * an action.
 *
 * Of the entries that match a packet those of the highest priority apply. If they have a condition
 * that is false, those of the next lower priority apply instead; if there are none, the condition
 * is ignored, so a packet with one path always takes it. Of several entries with the same priority
 * one is drawn.
 * A table describes a routing, for users and tests; the data path uses a compiled form
 * (dragonfly_table.h).
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
    uint32_t visit; /* action: group that the packet visits on its path; COP_NONE: none */
} cop_flow_entry;

typedef struct cop_flow_table {
    cop_flow_entry *entry;
    size_t n, capacity;
} cop_flow_table;

/* Add an entry. It is merged with the last if they differ only by adjacent destinations. */
void cop_flow_add(cop_flow_table *t, cop_flow_entry e);
void cop_flow_free(cop_flow_table *t);

/* The entry that a packet follows: `holds` evaluates a condition, `draw` selects one of n equal
 * entries (NULL: the first). NULL: no entry matches. */
const cop_flow_entry *cop_flow_pick(const cop_flow_table *t, uint16_t in, uint32_t dst,
                                    bool (*holds)(void *ctx, const cop_flow_entry *e),
                                    uint32_t (*draw)(void *ctx, uint32_t n), void *ctx);

/* The table of switch `sw`: from ops->table, or built for a routing with one output per
 * destination. False: the routing has none. Equal entries are listed as ranges. */
bool cop_flow_table_of(const cop_route *r, uint32_t sw, cop_flow_table *t);
/* As YAML, one entry a line. */
void cop_flow_print(const cop_route *r, const cop_flow_table *t, const char *switch_name,
                    FILE *out);

#endif
