/* Counter-based random numbers (Philox4x32-10, Salmon et al., SC'11).
 *
 * A value is a pure function of (seed, purpose, entity, counter): no shared state, no order
 * dependence. Streams of different purposes never touch each other, so changing the congestion
 * control does not change the offered traffic. The owner of an entity keeps its counter. */
#ifndef COP_RNG_H
#define COP_RNG_H

#include "base/base.h"

enum cop_purpose {
    COP_RNG_ARRIVAL = 1, /* when a message is generated */
    COP_RNG_DEST, /* where it goes */
    COP_RNG_SIZE, /* how long it is */
    COP_RNG_ROUTE, /* oblivious and adaptive path choices */
    COP_RNG_MARK, /* congestion control at switches */
    COP_RNG_SOURCE, /* congestion control at end nodes */
    COP_RNG_PLACE, /* random placement when a scenario is built */
    COP_RNG_LINK, /* losses of link-level control messages */
    COP_RNG_ARB, /* random arbitration */
    COP_RNG_TEST, /* tests */
};

COP_OUTSIDE_BEGIN
typedef struct cop_rng {
    uint64_t seed;
    uint32_t purpose, entity;
    uint64_t counter; /* next value to draw */
} cop_rng;

static inline cop_rng cop_rng_make(uint64_t seed, enum cop_purpose purpose, uint32_t entity)
{
    return (cop_rng){.seed = seed, .purpose = (uint32_t)purpose, .entity = entity};
}

/* The value number `counter` of the stream: uniform over 64 bits. */
uint64_t cop_rng_at(uint64_t seed, uint32_t purpose, uint32_t entity, uint64_t counter);

static inline uint64_t cop_rng_u64(cop_rng *r)
{
    return cop_rng_at(r->seed, r->purpose, r->entity, r->counter++);
}

/* Uniform in [0, n), n > 0; unbiased to 2^-32 for n < 2^32 (multiply-shift on 64 bits). */
static inline uint32_t cop_rng_below(cop_rng *r, uint32_t n)
{
    return (uint32_t)(((unsigned __int128)cop_rng_u64(r) * n) >> 64);
}

/* The same from a value that was drawn, which keeps its unused part: several small numbers from one
 * draw. Unbiased as long as the product of all n stays far below 2^64. */
static inline uint32_t cop_rng_part(uint64_t *value, uint32_t n)
{
    unsigned __int128 product = (unsigned __int128)*value * n;
    *value = (uint64_t)product;
    return (uint32_t)(product >> 64);
}

/* Uniform in [0, 1) with 53 bits. */
static inline double cop_rng_unit(cop_rng *r)
{
    return (double)(cop_rng_u64(r) >> 11) * 0x1p-53;
}

/* Geometric: failures before the first success of probability p in (0, 1]. The precomputed
 * logarithm costs as much as a draw. */
typedef struct cop_geometric {
    double p, log_miss; /* natural logarithm of 1 - p */
} cop_geometric;
cop_geometric cop_geometric_of(double p);
uint64_t cop_rng_geometric(cop_rng *r, cop_geometric g);

/* Exponential with the given mean, in whole picoseconds. */
cop_time cop_rng_exponential(cop_rng *r, cop_time mean);

/* Pareto with the given mean: P(X > x) = (x0 / x)^tail for x >= x0 = mean (tail - 1) / tail. Needs
 * tail > 1; below 2 the variance is infinite. At most 2^62. */
cop_time cop_rng_pareto(cop_rng *r, cop_time mean, double tail);
/* The rest of such a span at a random instant in it: the residual life of a stationary renewal
 * process. */
cop_time cop_rng_pareto_rest(cop_rng *r, cop_time mean, double tail);

/* Fisher-Yates: fill perm[0..n) with a random permutation of 0..n-1. */
void cop_rng_permutation(cop_rng *r, uint32_t *perm, uint32_t n);
COP_OUTSIDE_END

#endif
