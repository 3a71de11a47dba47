/* Lists of request nodes (layouts with several queues per input, output and lane). */
#include "net/switch/request.h"

#include "net/cable/cable.h"
#include "net/switch/sw_iq.h"

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
    return cop_asker_of(&net->in[cop_net_first_node(net, cop_net_queue_of(net, node))->in]);
}

static uint32_t section_of_node(const cop_net *net, const cop_node *n, uint32_t node)
{
    const cop_pkt *p = &net->pkt[net->queue[cop_net_queue_of(net, node)].head];
    return cop_net_section_of(net, p, n->vl);
}

void cop_node_add(cop_net *net, uint32_t node, uint32_t port, uint32_t vl)
{
    cop_asker in = asker_of(net, node);
    cop_node_put(net, node, &in, port, vl);
    if (net->arch->matched)
        cop_iq_want(net, port);
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
        if (--net->section_waiters[n->port] == 0)
            cop_fc_no_wait(&net->out[n->port], COP_WAIT_SECTION);
        return;
    }
    uint32_t *last = cop_asker_slot(net, in, n->port, n->vl);
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
    cop_circle_add(net->node, &net->section[(size_t)n->port * net->sections + section].wait, node);
    n->waiting = 1;
    net->section_waiters[n->port]++;
    cop_fc_wait(net, n->port, COP_WAIT_SECTION);
}
