/* Log-linear histogram of times: 32 linear steps per power of two, so any value is known to 3.2 %.
 * Fixed size, mergeable, no allocation. */
#ifndef COP_HIST_H
#define COP_HIST_H

#include "base/base.h"

#define COP_HIST_SUB_BITS 5
#define COP_HIST_BINS ((65 - COP_HIST_SUB_BITS) << COP_HIST_SUB_BITS)

typedef struct cop_hist {
    uint64_t count, sum_lo, sum_hi; /* 128-bit exact sum in two halves */
    uint64_t min, max;
    uint64_t bin[COP_HIST_BINS];
} cop_hist;

static inline uint32_t cop_hist_bin(uint64_t v)
{
    if (v < (1u << COP_HIST_SUB_BITS))
        return (uint32_t)v;
    uint32_t shift = 63u - (uint32_t)__builtin_clzll(v) - COP_HIST_SUB_BITS;
    return ((shift + 1) << COP_HIST_SUB_BITS) + (uint32_t)(v >> shift) - (1u << COP_HIST_SUB_BITS);
}

static inline void cop_hist_add(cop_hist *h, uint64_t v)
{
    if (h->count == 0 || v < h->min)
        h->min = v;
    if (v > h->max)
        h->max = v;
    h->count++;
    h->sum_lo += v;
    h->sum_hi += h->sum_lo < v;
    h->bin[cop_hist_bin(v)]++;
}

/* Smallest and largest value that falls into a bin. */
uint64_t cop_hist_bin_low(uint32_t bin);
uint64_t cop_hist_bin_high(uint32_t bin);
double cop_hist_mean(const cop_hist *h);
/* The value below which a share q of the samples lies, interpolated inside its bin. */
double cop_hist_quantile(const cop_hist *h, double q);
void cop_hist_merge(cop_hist *into, const cop_hist *from);

#endif
