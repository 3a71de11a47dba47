/* Pools, and the table of flows that a congestion control keeps state for. */
#include "net/nic.h"

#include <string.h>

uint32_t cop_pkt_new(cop_net *net)
{
    if (net->pkt_free != COP_NONE) {
        uint32_t h = net->pkt_free;
        net->pkt_free = net->pkt[h].next;
        return h;
    }
    net->pkt = cop_grow(net->pkt, &net->pkt_cap, (size_t)net->pkt_n + 1, sizeof(cop_pkt));
    return net->pkt_n++;
}

void cop_pkt_free(cop_net *net, uint32_t h)
{
    net->pkt[h].next = net->pkt_free;
    net->pkt_free = h;
}

uint32_t cop_send_new(cop_net *net)
{
    if (net->send_free != COP_NONE) {
        uint32_t s = net->send_free;
        net->send_free = net->send[s].next;
        return s;
    }
    net->send = cop_grow(net->send, &net->send_cap, (size_t)net->send_n + 1, sizeof(cop_send));
    return net->send_n++;
}

void cop_send_free(cop_net *net, uint32_t s)
{
    net->send[s].next = net->send_free;
    net->send_free = s;
}

static uint64_t flow_slot(const cop_net *net, uint32_t src, uint32_t dst, uint8_t sl)
{
    uint64_t key = ((uint64_t)src << 32 | dst) + ((uint64_t)sl << 60);
    uint64_t i = (key * 0x9E3779B97F4A7C15u) >> 24 & net->flow_mask;
    while (net->flow_hash[i] != 0) {
        const cop_flow *f = &net->flow[net->flow_hash[i] - 1];
        if (f->src == src && f->dst == dst && f->sl == sl)
            break;
        i = (i + 1) & net->flow_mask;
    }
    return i;
}

#define MIN_FLOW_SLOTS ((uint64_t)1 << 10)
#define MAX_FIRST_SLOTS ((uint64_t)1 << 20) /* 4 MiB */

/* Twice as many slots; at first room for all pairs of hosts, if they are not too many. */
static void flow_rehash(cop_net *net)
{
    uint32_t mask = net->flow_mask * 2 + 1;
    if (net->flow_mask == 0) {
        uint64_t slots = MIN_FLOW_SLOTS, pairs = (uint64_t)net->info.n_hosts * net->info.n_hosts;
        while (slots < 2 * pairs && slots < MAX_FIRST_SLOTS && !net->flow_is_sl)
            slots *= 2;
        mask = (uint32_t)slots - 1;
    }
    cop_free(net->flow_hash);
    net->flow_hash = cop_alloc(((size_t)mask + 1) * sizeof(uint32_t));
    net->flow_mask = mask;
    for (uint32_t f = 0; f < net->flow_n; f++)
        net->flow_hash[flow_slot(net, net->flow[f].src, net->flow[f].dst, net->flow[f].sl)] =
            f + 1u;
}

uint32_t cop_flow_find(const cop_net *net, uint32_t src, uint32_t dst, uint8_t sl)
{
    if (net->flow_n == 0)
        return COP_NONE;
    return net->flow_hash[flow_slot(net, src, net->flow_is_sl ? 0 : dst, sl)] - 1;
}

uint32_t cop_flow_of(cop_net *net, uint32_t src, uint32_t dst, uint8_t sl)
{
    if (net->flow_is_sl)
        dst = 0;
    if ((uint64_t)net->flow_n * 2 >= net->flow_mask)
        flow_rehash(net);
    uint64_t i = flow_slot(net, src, dst, sl);
    if (net->flow_hash[i] != 0)
        return net->flow_hash[i] - 1;
    size_t size = net->cc->flow_size, cap = net->flow_cap;
    net->flow = cop_grow(net->flow, &net->flow_cap, (size_t)net->flow_n + 1, sizeof(cop_flow));
    if (net->flow_cap != cap) {
        net->flow_state = cop_realloc(net->flow_state, net->flow_cap * size);
        memset(net->flow_state + cap * size, 0, (net->flow_cap - cap) * size);
    }
    net->flow[net->flow_n] =
        (cop_flow){.src = src, .dst = dst, .sl = sl, .head = COP_NONE, .tail = COP_NONE};
    net->flow_hash[i] = net->flow_n + 1u;
    return net->flow_n++;
}

void *cop_flow_state(const cop_net *net, uint32_t flow)
{
    return net->flow_state + (size_t)flow * net->cc->flow_size;
}
