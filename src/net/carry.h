/* State per flow at its destination, and bytes attached to packets, for congestion controls: carry.c. */
#ifndef COP_NET_CARRY_H
#define COP_NET_CARRY_H

#include "base/mem.h"

struct cop_net;

typedef struct cop_carry {
    uint32_t *slot; /* hash: 1 + number of a flow, 0: free; NULL: no state at destinations */
    uint32_t mask, n;
    char *receiver; /* [n] rows of `stride` bytes */
    size_t cap, stride;
    char *attached; /* a row per packet of the pool; attached_stride 0: none */
    size_t attached_cap, attached_stride;
} cop_carry;

void cop_carry_init(cop_carry *c, size_t receiver_size, size_t attached_size);
void cop_carry_fini(cop_carry *c);
/* Packet h is new: nothing is attached to it yet. */
void cop_carry_clear(struct cop_net *net, uint32_t h);

#endif
