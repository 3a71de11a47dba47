/* Section `units`: a flit and a cycle, for networks that are described in them. Times may then be written in cycles, sizes in
 * flits and rates in flit/cycle; results have values in these units besides the others. */
#ifndef COP_UNITS_H
#define COP_UNITS_H

#include "base/opt.h"

typedef struct cop_units_cfg {
    uint64_t flit_bytes, cycle_ps; /* 0: not given */
} cop_units_cfg;

extern const cop_opt cop_units_opts[];

/* Defaults of a table whose times are for a cycle of 1 ns, as many cycles as these are; nothing happens without
 * units.cycle. */
void cop_units_defaults(const cop_units_cfg *u, const cop_opt *table, void *cfg);
/* Flits in a cycle at 1 Gbit/s; both must be given. */
double cop_units_flits_per_cycle(const cop_units_cfg *u);
/* Is this a number of flit/cycle? A load that is written so is a rate. */
bool cop_units_is_rate(const char *text);
/* `text`, a value of option o, in units that opt.h knows: itself, or a new text in the arena; NULL after a fault in err,
 * a line without a place. */
const char *cop_units_text(const cop_units_cfg *u, const cop_opt *o, const char *text,
                           cop_arena *arena, cop_err *err);
/* The other way round: a time, size or rate in whole cycles, whole flits or flits per cycle, if that means exactly the same;
 * else as opt.h prints it. */
const char *cop_units_print(const cop_units_cfg *u, enum cop_opt_type type, uint64_t value,
                            char *buf, size_t size);

#endif
