/* Role: who sends to whom in each phase of an exchange. To add one: a row of traffic_exchange_kinds,
 * and its word in exchange_names (traffic_opts.c) and enum cop_exchange at the same place.
 * Rules: ranks are the sources of the entry, in order of their host numbers (random-ring: in an
 *   order drawn by the seed). A phase has up to `slots` messages per rank; two ranks never send to
 *   the same rank in the same slot of a phase. A rank that would send to itself sends nothing.
 * Source: the bandwidth and latency test of the HPC Challenge benchmark (ping-pong of all pairs in
 *   turn, rings in natural and random order, to both neighbours at once); PTRANS for grid-transpose; the
 *   pairwise exchange of MPI_Alltoall. */
#include "traffic/exchange.h"

static uint32_t one_phase(uint32_t n)
{
    (void)n;
    return 1;
}

static uint32_t two_phases(uint32_t n)
{
    (void)n;
    return 2;
}

/* There, and back. An odd rank without a partner is idle. */
static uint32_t ping_pong_peer(uint32_t n, uint32_t rank, uint32_t phase, uint32_t slot)
{
    (void)slot;
    return (rank & 1) == phase && (rank ^ 1) < n ? rank ^ 1 : COP_NONE;
}

static uint32_t all_pairs_phases(uint32_t n)
{
    return n * (n - 1);
}

/* Pairs (0,1), (0,2), ..., (1,2), ...: two phases each. */
static uint32_t all_pairs_peer(uint32_t n, uint32_t rank, uint32_t phase, uint32_t slot)
{
    (void)slot;
    uint32_t pair = phase / 2, low = 0;
    while (pair >= n - 1 - low)
        pair -= n - 1 - low++;
    uint32_t high = low + 1 + pair;
    if (rank == (phase % 2 == 0 ? low : high))
        return low ^ high ^ rank;
    return COP_NONE;
}

static const char *all_pairs_needs(uint32_t n)
{
    return n <= 64 ? NULL : "64 or less";
}

static uint32_t ring_peer(uint32_t n, uint32_t rank, uint32_t phase, uint32_t slot)
{
    (void)phase;
    return (rank + (slot == 0 ? 1 : n - 1)) % n;
}

/* Rows of the grid of ranks: the largest divisor up to the square root. */
static uint32_t grid_rows(uint32_t n)
{
    uint32_t rows = 1;
    for (uint32_t r = 2; r <= n / r; r++) {
        if (n % r == 0)
            rows = r;
    }
    return rows;
}

static uint32_t transpose_peer(uint32_t n, uint32_t rank, uint32_t phase, uint32_t slot)
{
    (void)phase, (void)slot;
    uint32_t rows = grid_rows(n), columns = n / rows;
    return rank % columns * rows + rank / columns;
}

static const char *transpose_needs(uint32_t n)
{
    return grid_rows(n) > 1 ? NULL : "a product of two numbers above 1";
}

static uint32_t all_to_all_phases(uint32_t n)
{
    return n - 1;
}

static uint32_t all_to_all_peer(uint32_t n, uint32_t rank, uint32_t phase, uint32_t slot)
{
    (void)slot;
    return (rank + phase + 1) % n;
}

const traffic_exchange_kind traffic_exchange_kinds[] = {
    [COP_EXCHANGE_PING_PONG] = {.phases = two_phases,
                                .slots = 1,
                                .to_and_fro = true,
                                .peer = ping_pong_peer},
    [COP_EXCHANGE_ALL_PAIRS] = {.phases = all_pairs_phases,
                                .slots = 1,
                                .in_step = true,
                                .to_and_fro = true,
                                .peer = all_pairs_peer,
                                .needs = all_pairs_needs},
    [COP_EXCHANGE_NATURAL_RING] = {.phases = one_phase, .slots = 2, .peer = ring_peer},
    [COP_EXCHANGE_RANDOM_RING] = {.phases = one_phase,
                                  .slots = 2,
                                  .shuffled = true,
                                  .peer = ring_peer},
    [COP_EXCHANGE_TRANSPOSE] = {.phases = one_phase,
                                .slots = 1,
                                .peer = transpose_peer,
                                .needs = transpose_needs},
    [COP_EXCHANGE_ALL_TO_ALL] = {.phases = all_to_all_phases, .slots = 1, .peer = all_to_all_peer},
};
