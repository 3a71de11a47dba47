/* Pools, and the table of flows that congestion control and end nodes keep state for. */
#include "net/flow/flow.h"
#include "net/net.h"

#include <string.h>

uint32_t cop_pkt_new(cop_net *net)
{
    uint32_t h = net->pkt_free;
    if (COP_LIKELY(h != COP_NONE)) {
        net->pkt_free = net->pkt[h].next;
    } else {
        net->pkt = cop_grow(net->pkt, &net->pkt_cap, (size_t)net->pkt_n + 1, sizeof(cop_pkt));
        h = net->pkt_n++;
    }
    if (COP_UNLIKELY(net->carry.attached_stride > 0))
        cop_carry_clear(net, h);
    return h;
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

/* -- flows --
 *
 * Few hosts: a table per service level with a place for every pair of hosts, so that one access to
 * one cache line finds a flow; pages that are never touched cost no memory. Many hosts: one table
 * that grows, and a hash of its places. */

#define MAX_PLACES ((uint64_t)1 << 21) /* of a table for all pairs: 128 MiB at 64 bytes each */
#define FIRST_SLOTS 4096u /* of the hash */

static uint32_t columns(const cop_net *net)
{
    return net->flow_is_sl ? 1 : net->info.n_hosts;
}

uint64_t cop_flow_places(const cop_net *net)
{
    return (uint64_t)net->info.n_hosts * columns(net);
}

void cop_flow_init(cop_net *net)
{
    net->flow_host = (sizeof(cop_flow) + net->cc->flow_size + 7) / 8 * 8;
    net->flow_stride = (net->flow_host + net->host_ops->flow_size + 15) / 16 * 16;
    if (cop_flow_places(net) <= MAX_PLACES)
        return;
    net->flow_mask = FIRST_SLOTS - 1;
    net->flow_hash = cop_alloc_array(FIRST_SLOTS, sizeof(uint32_t));
}

static uint64_t flow_slot(const cop_net *net, uint32_t src, uint32_t dst, uint8_t sl)
{
    uint64_t key = ((uint64_t)src << 32 | dst) + ((uint64_t)sl << 60);
    uint64_t i = (key * 0x9E3779B97F4A7C15u) >> 24 & net->flow_mask;
    while (net->flow_hash[i] != 0) {
        const cop_flow *f = cop_flow_at(net, net->flow_hash[i] - 1);
        if (f->src == src && f->dst == dst && f->sl == sl)
            break;
        i = (i + 1) & net->flow_mask;
    }
    return i;
}

static void flow_rehash(cop_net *net)
{
    cop_free(net->flow_hash);
    net->flow_mask = net->flow_mask * 2 + 1;
    net->flow_hash = cop_alloc_array((size_t)net->flow_mask + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->flow_n; i++) {
        const cop_flow *f = cop_flow_at(net, i);
        net->flow_hash[flow_slot(net, f->src, f->dst, f->sl)] = i + 1u;
    }
}

/* The place of a flow in the hashed table, a new one if need be. */
static uint32_t hashed_place(cop_net *net, uint32_t src, uint32_t dst, uint8_t sl)
{
    if ((uint64_t)net->flow_n * 2 >= net->flow_mask)
        flow_rehash(net);
    uint64_t i = flow_slot(net, src, dst, sl);
    if (net->flow_hash[i] != 0)
        return net->flow_hash[i] - 1;
    if (net->flow_n >= 1u << COP_FLOW_BITS)
        cop_out_of_memory();
    net->flow[0] =
        cop_grow(net->flow[0], &net->flow_cap, (size_t)net->flow_n + 1, net->flow_stride);
    memset(cop_flow_at(net, net->flow_n), 0, net->flow_stride);
    net->flow_hash[i] = net->flow_n + 1u;
    return net->flow_n++;
}

static uint32_t direct_place(const cop_net *net, uint32_t src, uint32_t dst, uint8_t sl)
{
    return (uint32_t)sl << COP_FLOW_BITS | (src * columns(net) + dst);
}

uint32_t cop_flow_of(cop_net *net, uint32_t src, uint32_t dst, uint8_t sl)
{
    uint32_t flow;
    dst = net->flow_is_sl ? 0 : dst;
    if (net->flow_hash) {
        flow = hashed_place(net, src, dst, sl);
    } else {
        flow = direct_place(net, src, dst, sl);
        if (COP_UNLIKELY(net->flow[sl] == NULL))
            net->flow[sl] =
                cop_alloc_array(cop_product(net->info.n_hosts, columns(net)), net->flow_stride);
    }
    cop_flow *f = cop_flow_at(net, flow);
    if (COP_UNLIKELY(!f->known)) {
        f->src = src, f->dst = dst, f->sl = sl;
        f->head = f->tail = COP_NONE;
        f->known = true;
    }
    return flow;
}

uint32_t cop_flow_find(const cop_net *net, uint32_t src, uint32_t dst, uint8_t sl)
{
    dst = net->flow_is_sl ? 0 : dst;
    if (net->flow_hash)
        return net->flow_hash[flow_slot(net, src, dst, sl)] - 1;
    if (net->flow[sl] == NULL)
        return COP_NONE;
    uint32_t flow = direct_place(net, src, dst, sl);
    return cop_flow_at(net, flow)->known ? flow : COP_NONE;
}

void cop_flow_fini(cop_net *net)
{
    for (uint32_t sl = 0; sl < COP_MAX_SL; sl++)
        cop_free(net->flow[sl]);
    cop_free(net->flow_hash);
}
