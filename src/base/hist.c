#include "base/hist.h"

uint64_t cop_hist_bin_low(uint32_t bin)
{
    uint32_t block = bin >> COP_HIST_SUB_BITS, sub = bin & ((1u << COP_HIST_SUB_BITS) - 1);
    if (block == 0)
        return sub;
    return (uint64_t)((1u << COP_HIST_SUB_BITS) + sub) << (block - 1);
}

uint64_t cop_hist_bin_high(uint32_t bin)
{
    uint32_t block = bin >> COP_HIST_SUB_BITS;
    uint64_t width = block == 0 ? 1 : (uint64_t)1 << (block - 1);
    return cop_hist_bin_low(bin) + (width - 1);
}

double cop_hist_mean(const cop_hist *h)
{
    if (h->count == 0)
        return 0.0;
    return ((double)h->sum_hi * 0x1p64 + (double)h->sum_lo) / (double)h->count;
}

double cop_hist_quantile(const cop_hist *h, double q)
{
    if (h->count == 0)
        return 0.0;
    double want = q * (double)h->count, seen = 0.0;
    for (uint32_t b = 0; b < COP_HIST_BINS; b++) {
        double n = (double)h->bin[b];
        if (n > 0.0 && seen + n >= want) {
            double low = (double)cop_hist_bin_low(b), high = (double)cop_hist_bin_high(b) + 1.0;
            double v = low + (high - low) * (want - seen) / n;
            double max = (double)h->max, min = (double)h->min;
            return v > max ? max : v < min ? min : v;
        }
        seen += n;
    }
    return (double)h->max;
}

void cop_hist_merge(cop_hist *into, const cop_hist *from)
{
    if (from->count == 0)
        return;
    if (into->count == 0 || from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
    into->count += from->count;
    into->sum_lo += from->sum_lo;
    into->sum_hi += from->sum_hi + (into->sum_lo < from->sum_lo);
    for (uint32_t b = 0; b < COP_HIST_BINS; b++)
        into->bin[b] += from->bin[b];
}
