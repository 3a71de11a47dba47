/* Requests of queue heads for outputs. Private to input*.c, arbiters, stall.c.
 *
 * Per output and lane there is a bit mask of inputs that have at least one request. With one queue
 * per (input, output, lane) the bit is the request. Otherwise each (output, lane, input) has a
 * slot: a circular list of request nodes, served in turn. A node belongs to a queue and one routing
 * candidate; a head with several candidates has several nodes, and all are removed when one is
 * granted. */
#ifndef COP_NET_REQUEST_H
#define COP_NET_REQUEST_H

#include "net/net.h"
#include "net/switch/arch.h"

static inline uint64_t *cop_request_mask(const cop_net *net, uint32_t port, uint32_t vl)
{
    return &net->out[port].request[vl * net->words];
}

static inline void cop_request_set(cop_net *net, uint32_t port, uint32_t vl, uint32_t input)
{
    cop_request_mask(net, port, vl)[input / 64] |= (uint64_t)1 << (input % 64);
    net->out[port].vl_ready |= 1u << vl;
}

static inline void cop_request_clear(cop_net *net, uint32_t port, uint32_t vl, uint32_t input)
{
    uint64_t *mask = cop_request_mask(net, port, vl);
    uint64_t any = mask[input / 64] &= ~((uint64_t)1 << (input % 64));
    for (uint32_t w = 0; COP_UNLIKELY(net->words > 1) && w < net->words; w++)
        any |= mask[w];
    if (any == 0)
        net->out[port].vl_ready &= ~(1u << vl);
}

/* Position in net->slot of (output, lane, input). */
static inline size_t cop_slot_of(const cop_net *net, uint32_t port, uint32_t vl, uint32_t input)
{
    const cop_out *out = &net->out[port];
    uint32_t ports = cop_topo_ports_of(net->topo, out->sw);
    return net->slot0[out->sw] + ((size_t)out->local * net->lanes + vl) * ports + input;
}

/* Place of the slots of one input, for callers that add or remove several nodes of it. */
typedef struct cop_asker {
    uint32_t input, port0; /* its local number; first port of its switch */
    size_t slot, step; /* its slot of output 0, lane 0; distance to that of the next lane */
} cop_asker;

static inline cop_asker cop_asker_of(const cop_in *in)
{
    return (cop_asker){.input = in->local, .port0 = in->port0, .slot = in->slot, .step = in->ports};
}

static inline uint32_t *cop_asker_slot(const cop_net *net, const cop_asker *in, uint32_t port,
                                       uint32_t vl)
{
    return &net->slot[in->slot + ((port - in->port0) * net->lanes + vl) * in->step];
}

/* Insert behind the last node of a circular list; `last` becomes the new node. */
static inline void cop_circle_add(cop_node *nodes, uint32_t *last, uint32_t n)
{
    if (*last == COP_NONE) {
        nodes[n].next = nodes[n].prev = n;
    } else {
        uint32_t first = nodes[*last].next;
        nodes[n].next = first;
        nodes[n].prev = *last;
        nodes[first].prev = n;
        nodes[*last].next = n;
    }
    *last = n;
}

/* Add a node to the requests for lane vl of output `port`; take it out of its list, if it is in
 * one. */
void cop_node_add(cop_net *net, uint32_t node, uint32_t port, uint32_t vl);
void cop_node_remove(cop_net *net, uint32_t node);
/* The same for callers that know the input of the node, and that notify the output
 * (cop_input_requested). */
static inline void cop_node_put(cop_net *net, uint32_t node, const cop_asker *in, uint32_t port,
                                uint32_t vl)
{
    cop_node *n = &net->node[node];
    n->port = port;
    n->vl = (uint8_t)vl;
    n->waiting = 0;
    cop_circle_add(net->node, cop_asker_slot(net, in, port, vl), node);
    cop_request_set(net, port, vl, in->input);
}
void cop_node_take(cop_net *net, uint32_t node, const cop_asker *in);
/* Move a node from its slot to the list of those that wait for a section's credit. */
void cop_node_wait(cop_net *net, uint32_t node, uint32_t section);

#endif
