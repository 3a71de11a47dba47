/* Division by a constant divisor, as a multiplication: a fifth of the time of the machine's
 * instruction. */
#ifndef COP_DIVIDE_H
#define COP_DIVIDE_H

#include "base/base.h"

typedef struct cop_divisor {
    uint64_t factor; /* floor((2^64 - 1) / by) */
    uint32_t by;
} cop_divisor;

static inline cop_divisor cop_divisor_of(uint32_t by)
{
    return (cop_divisor){.factor = UINT64_MAX / by, .by = by};
}

/* floor(n / d). Exact for all n and d of 32 bits: with factor = (2^64 - e) / d, 1 <= e <= d, what
 * is rounded down is (n + 1) / d less e (n + 1) / (d 2^64), which is above 0 and at most 1 / d. */
static inline uint32_t cop_divide(uint32_t n, cop_divisor d)
{
    return (uint32_t)((unsigned __int128)d.factor * ((uint64_t)n + 1) >> 64);
}

static inline uint32_t cop_rest(uint32_t n, cop_divisor d)
{
    return n - cop_divide(n, d) * d.by;
}

#endif
