/* Collectives that add up: all-reduce and reduce-scatter.
 *
 * Sources  ring: Patarasuk and Yuan (2009); recursive doubling and halving, and what to do with members
 *          beyond a power of two: Thakur, Rabenseifner, Gropp (2005); Rabenseifner: reduce-scatter by
 *          halving, then all-gather by doubling.
 * Beyond a power of two, n = 2^k + r: of the first 2 r members, the even ones send their vector to
 * their odd neighbours first and receive the result last. */
#include "app/coll.h"

/* Part number i, counted round. */
static uint32_t part(const cop_coll *c, uint64_t i)
{
    return (uint32_t)(i % c->n);
}

static void ring(cop_coll *c, uint32_t shift, bool reduce)
{
    uint32_t right = (c->me + 1) % c->n, left = (c->me + c->n - 1) % c->n;
    for (uint32_t k = 0; k + 1 < c->n; k++) {
        uint64_t mine = (uint64_t)c->me + c->n + shift - k;
        cop_coll_send(c, right, cop_coll_parts(c, part(c, mine), 1));
        cop_coll_recv(c, left, cop_coll_parts(c, part(c, mine + c->n - 1), 1), reduce);
        cop_coll_round(c);
    }
}

/* Ends with part `me` at each member. */
void cop_coll_reduce_scatter_ring(cop_coll *c)
{
    ring(c, c->n - 1, true);
}

void cop_coll_all_gather_ring(cop_coll *c)
{
    ring(c, 0, false);
}

void cop_coll_all_reduce_ring(cop_coll *c)
{
    cop_coll_reduce_scatter_ring(c);
    cop_coll_all_gather_ring(c);
}

void cop_coll_reduce_scatter_pairwise(cop_coll *c)
{
    for (uint32_t k = 1; k < c->n; k++) {
        uint32_t to = (c->me + k) % c->n, from = (c->me + c->n - k) % c->n;
        cop_coll_send(c, to, cop_coll_parts(c, to, 1));
        cop_coll_recv(c, from, cop_coll_parts(c, c->me, 1), true);
        cop_coll_round(c);
    }
}

/* -- powers of two, and the rest -- */

typedef struct fold {
    uint32_t size, rest; /* largest power of two, and what is beyond it */
    uint32_t place; /* among the `size` that go on, or COP_NONE */
} fold;

static fold fold_of(const cop_coll *c)
{
    fold f = {.size = 1};
    while (f.size <= c->n / 2)
        f.size *= 2;
    f.rest = c->n - f.size;
    if (c->me >= 2 * f.rest)
        f.place = c->me - f.rest;
    else
        f.place = c->me % 2 == 1 ? c->me / 2 : COP_NONE;
    return f;
}

static uint32_t member_at(const fold *f, uint32_t place)
{
    return place < f->rest ? 2 * place + 1 : place + f->rest;
}

static void fold_in(cop_coll *c, const fold *f)
{
    if (c->me >= 2 * f->rest)
        return;
    if (f->place == COP_NONE)
        cop_coll_send(c, c->me + 1, c->bytes);
    else
        cop_coll_recv(c, c->me - 1, c->bytes, true);
    cop_coll_round(c);
}

static void fold_out(cop_coll *c, const fold *f, uint64_t bytes)
{
    if (c->me >= 2 * f->rest)
        return;
    if (f->place == COP_NONE)
        cop_coll_recv(c, c->me + 1, bytes, false);
    else
        cop_coll_send(c, c->me - 1, bytes);
    cop_coll_round(c);
}

void cop_coll_all_reduce_doubling(cop_coll *c)
{
    fold f = fold_of(c);
    fold_in(c, &f);
    for (uint32_t bit = 1; bit < f.size && f.place != COP_NONE; bit *= 2) {
        uint32_t peer = member_at(&f, f.place ^ bit);
        cop_coll_send(c, peer, c->bytes);
        cop_coll_recv(c, peer, c->bytes, true);
        cop_coll_round(c);
    }
    fold_out(c, &f, c->bytes);
}

/* Bytes of parts [from, from + count) of `size` parts of the vector. */
static uint64_t share(const cop_coll *c, uint32_t size, uint32_t from, uint32_t count)
{
    return c->bytes * (from + count) / size - c->bytes * from / size;
}

/* Each round gives away half of what is left; ends with part `place` of f->size. */
static void halve(cop_coll *c, const fold *f)
{
    uint32_t from = 0, count = f->size;
    for (uint32_t bit = f->size / 2; bit > 0 && f->place != COP_NONE; bit /= 2) {
        uint32_t peer = member_at(f, f->place ^ bit);
        bool upper = (f->place & bit) != 0;
        count /= 2;
        cop_coll_send(c, peer, share(c, f->size, upper ? from : from + count, count));
        from += upper ? count : 0;
        cop_coll_recv(c, peer, share(c, f->size, from, count), true);
        cop_coll_round(c);
    }
}

static void gather_back(cop_coll *c, const fold *f)
{
    uint32_t from = f->place, count = 1;
    for (uint32_t bit = 1; bit < f->size && f->place != COP_NONE; bit *= 2) {
        uint32_t peer = member_at(f, f->place ^ bit), other = from ^ bit;
        cop_coll_send(c, peer, share(c, f->size, from, count));
        cop_coll_recv(c, peer, share(c, f->size, other, count), false);
        cop_coll_round(c);
        from = from < other ? from : other;
        count *= 2;
    }
}

void cop_coll_all_reduce_rabenseifner(cop_coll *c)
{
    fold f = fold_of(c);
    fold_in(c, &f);
    halve(c, &f);
    gather_back(c, &f);
    fold_out(c, &f, c->bytes);
}

/* Beyond a power of two the odd neighbour gets both their parts, and passes one on. */
void cop_coll_reduce_scatter_halving(cop_coll *c)
{
    fold f = fold_of(c);
    fold_in(c, &f);
    uint32_t first = 0, count = f.size; /* places that are still together */
    for (uint32_t bit = f.size / 2; bit > 0 && f.place != COP_NONE; bit /= 2) {
        uint32_t peer = member_at(&f, f.place ^ bit);
        bool upper = (f.place & bit) != 0;
        count /= 2;
        uint32_t mine = upper ? first + count : first, other = upper ? first : first + count;
        uint64_t sizes[2] = {0, 0};
        for (uint32_t k = 0; k < count; k++) {
            uint32_t m[2] = {member_at(&f, mine + k), member_at(&f, other + k)};
            for (uint32_t i = 0; i < 2; i++) {
                sizes[i] += cop_coll_parts(c, m[i], 1);
                sizes[i] += m[i] < 2 * f.rest ? cop_coll_parts(c, m[i] - 1, 1) : 0;
            }
        }
        cop_coll_send(c, peer, sizes[1]);
        cop_coll_recv(c, peer, sizes[0], true);
        cop_coll_round(c);
        first = mine;
    }
    fold_out(c, &f, cop_coll_parts(c, c->me & ~1u, 1));
}

void cop_coll_all_reduce_tree(cop_coll *c)
{
    c->root = 0;
    cop_coll_reduce_binomial(c);
    cop_coll_broadcast_binomial(c);
}
