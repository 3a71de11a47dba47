/* Throttled flows of a host: a heap by the time at which they may send; each has a list of the
 * messages that wait for it. Equal times go by the order in which the messages were taken. */
#include "host/throttle.h"

void cop_flow_append(cop_net *net, uint32_t s)
{
    cop_flow *f = cop_flow_at(net, net->send[s].flow);
    net->send[s].next = COP_NONE;
    if (f->head == COP_NONE)
        f->head = s;
    else
        net->send[f->tail].next = s;
    f->tail = s;
}

void cop_flow_prepend(cop_net *net, uint32_t s)
{
    cop_flow *f = cop_flow_at(net, net->send[s].flow);
    net->send[s].next = f->head;
    if (f->head == COP_NONE)
        f->tail = s;
    f->head = s;
}

uint32_t cop_flow_pop(cop_net *net, uint32_t flow)
{
    cop_flow *f = cop_flow_at(net, flow);
    uint32_t s = f->head;
    f->head = net->send[s].next;
    return s;
}

static bool later(const cop_net *net, uint32_t a, uint32_t b)
{
    const cop_flow *x = cop_flow_at(net, a), *y = cop_flow_at(net, b);
    if (x->t_ok != y->t_ok)
        return x->t_ok > y->t_ok;
    return cop_counts_after(net->send[x->head].serial, net->send[y->head].serial);
}

void cop_throttle_add(cop_net *net, uint32_t flow, cop_time t)
{
    cop_flow *f = cop_flow_at(net, flow);
    cop_nic *nic = &net->nic[f->src];
    COP_ASSERT(!f->throttled && f->head != COP_NONE);
    f->t_ok = t;
    f->throttled = true;
    if (COP_UNLIKELY(t == COP_NEVER)) {
        net->flows_asleep++;
        return; /* no end is known: cop_throttle_rouse ends it */
    }
    size_t cap = nic->throttled_cap;
    nic->throttled = cop_grow(nic->throttled, &cap, nic->throttled_n + 1u, sizeof(uint32_t));
    nic->throttled_cap = (uint32_t)cap;
    uint32_t i = nic->throttled_n++;
    for (; i > 0 && later(net, nic->throttled[(i - 1) / 2], flow); i = (i - 1) / 2)
        nic->throttled[i] = nic->throttled[(i - 1) / 2];
    nic->throttled[i] = flow;
}

bool cop_throttle_rouse(cop_net *net, uint32_t flow)
{
    cop_flow *f = cop_flow_at(net, flow);
    if (!f->throttled || f->t_ok != COP_NEVER)
        return false;
    net->flows_asleep--;
    f->throttled = false;
    return true;
}

uint32_t cop_throttle_pop(cop_net *net, uint32_t host)
{
    cop_nic *nic = &net->nic[host];
    uint32_t top = nic->throttled[0], last = nic->throttled[--nic->throttled_n], i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= nic->throttled_n)
            break;
        if (child + 1 < nic->throttled_n &&
            later(net, nic->throttled[child], nic->throttled[child + 1]))
            child++;
        if (!later(net, last, nic->throttled[child]))
            break;
        nic->throttled[i] = nic->throttled[child];
        i = child;
    }
    nic->throttled[i] = last;
    cop_flow_at(net, top)->throttled = false;
    return top;
}
