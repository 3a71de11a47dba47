/* Results of closed-loop exchanges as named scalars. */
#ifndef COP_STATS_EXCHANGE_H
#define COP_STATS_EXCHANGE_H

#include "net/net.h"
#include "stats/result.h"

/* How many scalars cop_collect_exchanges will write. */
uint32_t cop_count_exchanges(const cop_traffic *tr);
/* Write them to v; names live in the arena. Returns how many. */
uint32_t cop_collect_exchanges(const cop_traffic *tr, cop_arena *arena, cop_scalar *v);

#endif
