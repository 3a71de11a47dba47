/* Lists of request nodes (layouts with several queues per input, output and lane). */
#include "net/request.h"

#include "net/arch.h"
#include "net/fc.h"

/* Insert behind the last node of a circular list; `last` becomes the new node. */
static void circle_add(cop_node *nodes, uint32_t *last, uint32_t n)
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

static void circle_remove(cop_node *nodes, uint32_t *last, uint32_t n)
{
    if (nodes[n].next == n) {
        *last = COP_NONE;
    } else {
        nodes[nodes[n].prev].next = nodes[n].next;
        nodes[nodes[n].next].prev = nodes[n].prev;
        if (*last == n)
            *last = nodes[n].prev;
    }
    nodes[n].next = nodes[n].prev = COP_NONE;
}

static cop_asker asker_of(const cop_net *net, uint32_t node)
{
    return cop_asker_of(net, &net->in[net->queue_port[node / net->max_cand]]);
}

static uint32_t *slot_of(const cop_net *net, const cop_asker *in, uint32_t port, uint32_t vl)
{
    return &net->slot[in->slot + ((port - in->port0) * net->lanes + vl) * in->step];
}

void cop_node_put(cop_net *net, uint32_t node, const cop_asker *in, uint32_t port, uint32_t vl)
{
    cop_node *n = &net->node[node];
    n->port = port;
    n->vl = (uint8_t)vl;
    n->waiting = 0;
    circle_add(net->node, slot_of(net, in, port, vl), node);
    cop_request_set(net, port, vl, in->input);
    if (net->arch->matched)
        cop_iq_want(net, port);
}

static uint32_t section_of_node(const cop_net *net, const cop_node *n, uint32_t node)
{
    const cop_pkt *p = &net->pkt[net->queue[node / net->max_cand].head];
    return cop_net_section_of(net, p, n->vl);
}

void cop_node_add(cop_net *net, uint32_t node, uint32_t port, uint32_t vl)
{
    cop_asker in = asker_of(net, node);
    cop_node_put(net, node, &in, port, vl);
}

void cop_node_take(cop_net *net, uint32_t node, const cop_asker *in)
{
    cop_node *n = &net->node[node];
    if (n->next == COP_NONE)
        return;
    if (n->waiting) {
        uint32_t s = section_of_node(net, n, node);
        circle_remove(net->node, &net->section[(size_t)n->port * net->sections + s].wait, node);
        n->waiting = 0;
        net->section_waiters[n->port]--;
        return;
    }
    uint32_t *last = slot_of(net, in, n->port, n->vl);
    circle_remove(net->node, last, node);
    if (*last == COP_NONE)
        cop_request_clear(net, n->port, n->vl, in->input);
}

void cop_node_remove(cop_net *net, uint32_t node)
{
    cop_asker in = asker_of(net, node);
    cop_node_take(net, node, &in);
}

void cop_node_wait(cop_net *net, uint32_t node, uint32_t section)
{
    cop_node *n = &net->node[node];
    cop_node_remove(net, node);
    circle_add(net->node, &net->section[(size_t)n->port * net->sections + section].wait, node);
    n->waiting = 1;
    net->section_waiters[n->port]++;
    cop_fc_arm(net, n->port);
}
