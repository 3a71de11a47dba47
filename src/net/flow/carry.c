/* State of a congestion control at destinations, and bytes that packets carry for it.
 *
 * Role     state per flow at its destination, and bytes attached to every packet; both only if the
 *          congestion control asks for a size (net/cc.h).
 * Owns     a table of the flows that have delivered a packet, found by a hash of (destination,
 *          source, service level); and, beside the pool of packets, a row of attached bytes per
 *          packet.
 * Order    a row is cleared when its packet is made. The table grows, so a pointer from
 *          cop_net_cc_receiver is valid until another flow's first packet comes. */
#include "net/net.h"

#include <string.h>

#define FIRST_SLOTS 256u

typedef struct receiver {
    uint32_t src, dst;
    uint64_t sl;
} receiver; /* the state of the congestion control follows */

static receiver *at(const cop_carry *c, uint32_t i)
{
    return (receiver *)(void *)(c->receiver + (size_t)i * c->stride);
}

void cop_carry_init(cop_carry *c, size_t receiver_size, size_t attached_size)
{
    c->attached_stride = (attached_size + 7) / 8 * 8;
    if (receiver_size == 0)
        return;
    c->stride = sizeof(receiver) + (receiver_size + 7) / 8 * 8;
    c->mask = FIRST_SLOTS - 1;
    c->slot = cop_alloc_array(FIRST_SLOTS, sizeof(uint32_t));
}

void cop_carry_fini(cop_carry *c)
{
    cop_free(c->slot);
    cop_free(c->receiver);
    cop_free(c->attached);
}

/* Slot of the flow, or the free one where it would be. */
static uint32_t slot_of(const cop_carry *c, uint32_t src, uint32_t dst, uint8_t sl)
{
    uint64_t key = ((uint64_t)dst << 32 | src) + ((uint64_t)sl << 60);
    uint32_t i = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & c->mask;
    for (; c->slot[i] != 0; i = (i + 1) & c->mask) {
        const receiver *r = at(c, c->slot[i] - 1);
        if (r->src == src && r->dst == dst && r->sl == sl)
            break;
    }
    return i;
}

static void rehash(cop_carry *c)
{
    cop_free(c->slot);
    c->mask = c->mask * 2 + 1;
    c->slot = cop_alloc_array((size_t)c->mask + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < c->n; i++) {
        const receiver *r = at(c, i);
        c->slot[slot_of(c, r->src, r->dst, (uint8_t)r->sl)] = i + 1u;
    }
}

void *cop_net_cc_receiver(cop_net *net, const cop_pkt *p)
{
    cop_carry *c = &net->carry;
    if (COP_UNLIKELY(c->slot == NULL))
        cop_misused("cc", net->cc->name,
                    "it keeps nothing at destinations; set receiver_size in its table");
    COP_CHECK(!(p->flags & COP_PKT_CONTROL));
    uint32_t i = slot_of(c, p->src, p->dst, p->sl);
    if (COP_LIKELY(c->slot[i] != 0))
        return at(c, c->slot[i] - 1) + 1;
    if ((uint64_t)(c->n + 1) * 2 > c->mask) {
        rehash(c);
        i = slot_of(c, p->src, p->dst, p->sl);
    }
    c->receiver = cop_grow(c->receiver, &c->cap, (size_t)c->n + 1, c->stride);
    receiver *r = at(c, c->n);
    memset(r, 0, c->stride);
    *r = (receiver){.src = p->src, .dst = p->dst, .sl = p->sl};
    c->slot[i] = ++c->n;
    return r + 1;
}

void cop_carry_clear(cop_net *net, uint32_t h)
{
    cop_carry *c = &net->carry;
    c->attached = cop_grow(c->attached, &c->attached_cap, (size_t)h + 1, c->attached_stride);
    memset(c->attached + (size_t)h * c->attached_stride, 0, c->attached_stride);
}

void *cop_net_attached(cop_net *net, const cop_pkt *p)
{
    size_t h = (size_t)(p - net->pkt);
    if (COP_UNLIKELY(net->carry.attached_stride == 0))
        cop_misused("cc", net->cc->name,
                    "it attaches nothing to packets; set attached_size in its table");
    COP_CHECK(h < net->pkt_n);
    return net->carry.attached + h * net->carry.attached_stride;
}
