/* Collectives with a root: broadcast, reduce, gather, scatter; and the barrier.
 *
 * Sources  binomial trees; broadcast of long vectors by a scatter and a ring: van de Geijn (Barnett et al.,
 *          1994); barrier by dissemination: Hensgen, Finkel, Manber (1988).
 * Members are counted from the root: number v is member (root + v) mod n. */
#include "app/coll.h"

static uint32_t member(const cop_coll *c, uint32_t v)
{
    return (uint32_t)(((uint64_t)c->root + v) % c->n);
}

static uint32_t number(const cop_coll *c)
{
    return (uint32_t)(((uint64_t)c->me + c->n - c->root) % c->n);
}

/* Number v hears from v without its lowest bit, and sends to v + 2^k for lower k, the largest first. */
void cop_coll_broadcast_binomial(cop_coll *c)
{
    uint32_t v = number(c);
    uint64_t bit = 1;
    while (bit < c->n && !(v & bit))
        bit *= 2;
    if (v != 0) {
        cop_coll_recv(c, member(c, v - (uint32_t)bit), c->bytes, false);
        cop_coll_round(c);
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (v + bit < c->n) {
            cop_coll_send(c, member(c, v + (uint32_t)bit), c->bytes);
            cop_coll_round(c);
        }
}

void cop_coll_reduce_binomial(cop_coll *c)
{
    uint32_t v = number(c);
    for (uint64_t bit = 1; bit < c->n; bit *= 2) {
        if (v & bit) {
            cop_coll_send(c, member(c, v - (uint32_t)bit), c->bytes);
            cop_coll_round(c);
            return;
        }
        if (v + bit < c->n) {
            cop_coll_recv(c, member(c, v + (uint32_t)bit), c->bytes, true);
            cop_coll_round(c);
        }
    }
}

/* A binomial tree in which each is given the parts of its whole branch, then a ring. */
void cop_coll_broadcast_scatter(cop_coll *c)
{
    uint32_t v = number(c);
    uint64_t bit = 1;
    while (bit < c->n && !(v & bit))
        bit *= 2;
    if (v != 0) {
        uint64_t branch = bit < c->n - v ? bit : c->n - v;
        cop_coll_recv(c, member(c, v - (uint32_t)bit), cop_coll_parts(c, v, (uint32_t)branch),
                      false);
        cop_coll_round(c);
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (v + bit < c->n) {
            uint64_t branch = bit < c->n - v - bit ? bit : c->n - v - bit;
            cop_coll_send(c, member(c, v + (uint32_t)bit),
                          cop_coll_parts(c, v + (uint32_t)bit, (uint32_t)branch));
            cop_coll_round(c);
        }
    for (uint32_t k = 0; k + 1 < c->n; k++) {
        uint32_t mine = (v + c->n - k) % c->n, other = (v + 2 * c->n - k - 1) % c->n;
        cop_coll_send(c, member(c, (v + 1) % c->n), cop_coll_parts(c, mine, 1));
        cop_coll_recv(c, member(c, (v + c->n - 1) % c->n), cop_coll_parts(c, other, 1), false);
        cop_coll_round(c);
    }
}

void cop_coll_gather_linear(cop_coll *c)
{
    if (c->me != c->root)
        cop_coll_send(c, c->root, cop_coll_parts(c, c->me, 1));
    for (uint32_t v = 1; v < c->n && c->me == c->root; v++)
        cop_coll_recv(c, member(c, v), cop_coll_parts(c, member(c, v), 1), false);
}

void cop_coll_scatter_linear(cop_coll *c)
{
    if (c->me != c->root)
        cop_coll_recv(c, c->root, cop_coll_parts(c, c->me, 1), false);
    for (uint32_t v = 1; v < c->n && c->me == c->root; v++)
        cop_coll_send(c, member(c, v), cop_coll_parts(c, member(c, v), 1));
}

void cop_coll_barrier(cop_coll *c)
{
    for (uint64_t far = 1; far < c->n; far *= 2) {
        cop_coll_signal(c, (uint32_t)((c->me + far) % c->n),
                        (uint32_t)((c->me + c->n - far) % c->n));
        cop_coll_round(c);
    }
}
