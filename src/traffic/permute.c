/* Role: the fixed permutations used as traffic patterns, over all hosts of the network.
 * Source: Dally and Towles, Principles and Practices of Interconnection Networks, table 3.2.
 *   Bits of the host number (n a power of two): reversal, complement, shuffle (rotate left by one).
 *   transpose: host (row, column) of a square sends to (column, row).
 *   tornado, neighbour: digit-wise in each dimension of a torus or mesh of radix k, otherwise on
 * the ring of all n hosts: digit + ceil(k/2) - 1 and digit + 1, modulo k. Invariant: each is a
 * permutation of 0 .. n-1. A host that maps to itself sends nothing. */
#include "traffic/traffic_priv.h"

static uint32_t log2_of(uint32_t n)
{
    return 31u - (uint32_t)__builtin_clz(n);
}

static uint32_t square_root(uint32_t n)
{
    uint64_t r = 0;
    while ((r + 1) * (r + 1) <= n)
        r++;
    return (uint32_t)r;
}

const char *traffic_permute_needs(int pattern, uint32_t n_hosts)
{
    switch (pattern) {
    case COP_PATTERN_BIT_REVERSAL:
    case COP_PATTERN_BIT_COMPLEMENT:
    case COP_PATTERN_SHUFFLE:
        return (n_hosts & (n_hosts - 1)) == 0 ? NULL : "a power of two";
    case COP_PATTERN_TRANSPOSE: {
        uint32_t k = square_root(n_hosts);
        return k * k == n_hosts ? NULL : "a square number";
    }
    default:
        return NULL;
    }
}

static uint32_t reverse_bits(uint32_t v, uint32_t bits)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < bits; i++)
        r |= (v >> i & 1) << (bits - 1 - i);
    return r;
}

static uint32_t step_of(int pattern, uint32_t radix)
{
    if (pattern == COP_PATTERN_TORNADO)
        return (radix + 1) / 2 - 1;
    return 1;
}

static uint32_t move_digits(const cop_topo *t, int pattern, uint32_t host)
{
    if (t->shape.kind != COP_SHAPE_CUBE) {
        uint64_t d = (uint64_t)host + step_of(pattern, t->n_hosts);
        return (uint32_t)(d % t->n_hosts);
    }
    const cop_cube_shape *c = &t->shape.u.cube;
    uint32_t rest = host / c->hosts_per_switch, sw = 0, weight = 1;
    for (uint32_t i = 0; i < c->dims; i++) {
        uint32_t k = c->radix[i];
        sw += (rest % k + step_of(pattern, k)) % k * weight;
        rest /= k;
        weight *= k;
    }
    return sw * c->hosts_per_switch + host % c->hosts_per_switch;
}

uint32_t traffic_permute(const cop_topo *t, int pattern, uint32_t host)
{
    uint32_t n = t->n_hosts, bits = log2_of(n);
    switch (pattern) {
    case COP_PATTERN_BIT_REVERSAL:
        return reverse_bits(host, bits);
    case COP_PATTERN_BIT_COMPLEMENT:
        return host ^ (n - 1);
    case COP_PATTERN_SHUFFLE:
        return (host << 1 & (n - 1)) | (bits > 0 ? host >> (bits - 1) : 0);
    case COP_PATTERN_TRANSPOSE: {
        uint32_t k = square_root(n);
        COP_ASSERT(k > 0);
        return host % k * k + host / k;
    }
    case COP_PATTERN_TORNADO:
    case COP_PATTERN_NEIGHBOUR:
        return move_digits(t, pattern, host);
    default:
        return COP_NONE;
    }
}
