/* Shared by the generators. Private to this folder. */
#ifndef COP_TOPO_BUILD_H
#define COP_TOPO_BUILD_H

#include "topo/topo.h"

/* Sizes are computed in saturating 64-bit arithmetic, so that cop_topo_check_size refuses an absurd
 * request, which never wraps to a small one. */
static inline uint64_t cop_sat_mul(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}
static inline uint64_t cop_sat_add(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

int cop_topo_check_range(const char *kind, const char *option, int64_t value, int64_t low,
                         int64_t high, cop_err *err);
/* `ports`: of all switches together; `most`: of the largest switch. */
int cop_topo_check_size(const char *kind, uint64_t hosts, uint64_t ports, uint64_t most,
                        cop_err *err);
/* cop_topo_begin for switches that all have the same number of ports. */
void cop_topo_begin_equal(cop_topo *t, uint32_t n_hosts, uint32_t n_switches, uint32_t ports);
/* Cable host `host` with local port `local` of switch `sw`. */
void cop_topo_attach(cop_topo *t, uint32_t host, uint32_t sw, uint32_t local);

extern const cop_topo_ops cop_topo_xgft, cop_topo_kary, cop_topo_fat_tree, cop_topo_torus,
    cop_topo_mesh, cop_topo_hypercube, cop_topo_dragonfly, cop_topo_omega, cop_topo_butterfly,
    cop_topo_single, cop_topo_full, cop_topo_chain, cop_topo_file;
extern const cop_topo_ops cop_topo_rail;

#endif
