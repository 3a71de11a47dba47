/* How times, sizes and rates of a result are written for people: in SI units, or in the cycles and flits that the run file
 * describes its network in. */
#ifndef COP_AMOUNTS_H
#define COP_AMOUNTS_H

#include "exp/units.h"

/* A duration with three digits, "1.45 us"; in cycles with four, "497.9 cycles". */
const char *cop_short_time(const cop_units_cfg *u, double ps, char *buf, size_t size);
/* "12.5 KiB"; in flits "39.8 flits". */
const char *cop_short_bytes(const cop_units_cfg *u, double bytes, char *buf, size_t size);
/* Is there a flit and a cycle, so that rates are in flits per cycle? */
bool cop_rates_in_flits(const cop_units_cfg *u);
/* Gbit/s in that unit, and its name. */
double cop_rate_of(const cop_units_cfg *u, double gbps);
const char *cop_rate_unit(const cop_units_cfg *u);
/* 1234567 as "1 234 567". */
const char *cop_grouped(uint64_t v, char *buf, size_t size);

#endif
