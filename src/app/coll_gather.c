/* Collectives that only move data: all-gather and all-to-all.
 *
 * Sources  Bruck et al. (1997); recursive doubling: Thakur, Rabenseifner, Gropp (2005), where the number of
 *          members is a power of two, else Bruck's; pairwise exchange. Linear: everything at once, in the order of distance. */
#include "app/coll.h"

/* In round k each member has 2^k parts from its own on, and sends them to the member 2^k before. */
void cop_coll_all_gather_bruck(cop_coll *c)
{
    for (uint64_t have = 1; have < c->n; have *= 2) {
        uint32_t count = (uint32_t)(have < c->n - have ? have : c->n - have);
        uint32_t to = (uint32_t)((c->me + c->n - have) % c->n);
        uint32_t from = (uint32_t)((c->me + have) % c->n);
        cop_coll_send(c, to, cop_coll_parts(c, c->me, count));
        cop_coll_recv(c, from, cop_coll_parts(c, from, count), false);
        cop_coll_round(c);
    }
}

void cop_coll_all_gather_doubling(cop_coll *c)
{
    if ((c->n & (c->n - 1)) != 0) {
        cop_coll_all_gather_bruck(c);
        return;
    }
    for (uint32_t bit = 1; bit < c->n; bit *= 2) {
        uint32_t peer = c->me ^ bit;
        cop_coll_send(c, peer, cop_coll_parts(c, c->me & ~(bit - 1), bit));
        cop_coll_recv(c, peer, cop_coll_parts(c, peer & ~(bit - 1), bit), false);
        cop_coll_round(c);
    }
}

void cop_coll_all_to_all_pairwise(cop_coll *c)
{
    for (uint32_t k = 1; k < c->n; k++) {
        uint32_t to = (c->me + k) % c->n, from = (c->me + c->n - k) % c->n;
        cop_coll_send(c, to, cop_coll_parts(c, to, 1));
        cop_coll_recv(c, from, cop_coll_parts(c, c->me, 1), false);
        cop_coll_round(c);
    }
}

void cop_coll_all_to_all_linear(cop_coll *c)
{
    for (uint32_t k = 1; k < c->n; k++) {
        uint32_t from = (c->me + c->n - k) % c->n;
        cop_coll_recv(c, from, cop_coll_parts(c, c->me, 1), false);
    }
    for (uint32_t k = 1; k < c->n; k++) {
        uint32_t to = (c->me + k) % c->n;
        cop_coll_send(c, to, cop_coll_parts(c, to, 1));
    }
}

/* What has to travel a distance whose bit k is set goes 2^k far in round k. All parts count alike here: the
 * last ones of a vector that n does not divide are rounded up, as both sides must know the size. */
void cop_coll_all_to_all_bruck(cop_coll *c)
{
    uint64_t one = (c->bytes + c->n - 1) / c->n;
    for (uint64_t bit = 1; bit < c->n; bit *= 2) {
        uint64_t count = 0;
        for (uint64_t j = 1; j < c->n; j++)
            count += (j & bit) != 0;
        uint32_t to = (uint32_t)((c->me + bit) % c->n);
        uint32_t from = (uint32_t)((c->me + c->n - bit) % c->n);
        cop_coll_send(c, to, count * one);
        cop_coll_recv(c, from, count * one, false);
        cop_coll_round(c);
    }
}
