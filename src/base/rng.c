#include "base/rng.h"

/* Philox's published multipliers and Weyl constants. */
#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u
#define PHILOX_ROUNDS 10

uint64_t cop_rng_at(uint64_t seed, uint32_t purpose, uint32_t entity, uint64_t counter)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32), c2 = entity, c3 = purpose;
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint64_t p0 = (uint64_t)PHILOX_M0 * c0, p1 = (uint64_t)PHILOX_M1 * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
    return (uint64_t)c1 << 32 | c0;
}

/* Natural logarithm of x in (0, 1] by integer-free arithmetic that every IEEE machine rounds alike.
 * libm's log may differ in the last bit between machines, which would break "same seed, same bits".
 */
static double portable_log(double x)
{
    int e = 0;
    while (x < 0.70710678118654752440) {
        x *= 2.0;
        e--;
    }
    /* log(x) = 2 atanh(z), z = (x-1)/(x+1), |z| < 0.1716: nine terms reach 1e-16. */
    double z = (x - 1.0) / (x + 1.0), zz = z * z, term = z, sum = 0.0;
    for (int k = 1; k <= 21; k += 2) {
        sum += term / (double)k;
        term *= zz;
    }
    return 2.0 * sum + (double)e * 0.69314718055994530942;
}

/* So rare that 1 - p would round to 1. */
#define NEVER_P 0x1p-50

cop_geometric cop_geometric_of(double p)
{
    bool usual = p < 1.0 && p >= NEVER_P;
    return (cop_geometric){.p = p, .log_miss = usual ? portable_log(1.0 - p) : 0.0};
}

uint64_t cop_rng_geometric(cop_rng *r, cop_geometric g)
{
    if (g.p >= 1.0)
        return 0;
    if (g.p < NEVER_P)
        return (uint64_t)1 << 62;
    double u = 1.0 - cop_rng_unit(r); /* in (0, 1] */
    double n = portable_log(u) / g.log_miss;
    return n >= 0x1p62 ? (uint64_t)1 << 62 : (uint64_t)n;
}

cop_time cop_rng_exponential(cop_rng *r, cop_time mean)
{
    double u = 1.0 - cop_rng_unit(r);
    return (cop_time)(-portable_log(u) * (double)mean + 0.5);
}

/* e^y for y >= 0 by the same kind of arithmetic; at most 2^80. */
static double portable_exp(double y)
{
    if (y >= 55.0)
        return 0x1p80;
    double scale = 1.0;
    while (y > 0.34657359027997265471) { /* ln 2 / 2 */
        y -= 0.69314718055994530942;
        scale *= 2.0;
    }
    double term = 1.0, sum = 1.0;
    for (int k = 1; k <= 18; k++) {
        term *= y / (double)k;
        sum += term;
    }
    return scale * sum;
}

/* scale * u^-(1 / power), u in (0, 1]. */
static cop_time power_law(double u, double scale, double power)
{
    double x = scale * portable_exp(-portable_log(u) / power);
    return x >= 0x1p62 ? (cop_time)1 << 62 : (cop_time)(x + 0.5);
}

cop_time cop_rng_pareto(cop_rng *r, cop_time mean, double tail)
{
    double u = 1.0 - cop_rng_unit(r);
    return power_law(u, (double)mean * (tail - 1.0) / tail, tail);
}

/* P(rest > x) = 1 - x / mean up to x0, where it is 1 / tail, and (x0 / x)^(tail - 1) / tail from there. */
cop_time cop_rng_pareto_rest(cop_rng *r, cop_time mean, double tail)
{
    double u = 1.0 - cop_rng_unit(r);
    if (u * tail >= 1.0)
        return (cop_time)((1.0 - u) * (double)mean + 0.5);
    return power_law(u * tail, (double)mean * (tail - 1.0) / tail, tail - 1.0);
}

void cop_rng_permutation(cop_rng *r, uint32_t *perm, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = cop_rng_below(r, i + 1);
        perm[i] = perm[j];
        perm[j] = i;
    }
}
