/* Recovery from deadlocks, by absorbing and sending again.
 *
 * Role     resolves deadlocks of routings that do not avoid them. A head that has requested its
 *          outputs for cop_route.patience_ps without a grant is taken for deadlocked, rightly or
 *          not. It withdraws its requests and requests the link to a host of its switch. That host
 *          takes the packet in as any other, but sends it again, from its memory, before everything
 *          else that it has to send.
 * Why it is enough   hosts always consume, so every packet in a cycle of waiting packets leaves it.
 *                    A packet in the buffer behind the link of its source host blocks only that
 *                    host and is not absorbed; so it has come nearer to its destination by one link
 *                    at least before it is absorbed again, and no packet is absorbed more often
 *                    than it has links to go.
 *                    Control packets with private lanes (nic.control_vl) are not absorbed either:
 *                    the routing sends them there on paths without a cycle, and hosts consume them.
 * Rules    the packet is injected once: its time of injection, its number and the counts of packets
 *          stay. The host keeps as many as come; they take memory of its node, not of a switch. A
 *          packet that cannot be sent again yet blocks the data of its lane, not that of others.
 * Events   COP_EV_PATIENCE per queue whose head waits, at most one pending; nothing else depends on
 *          time.
 * Source   Martinez, Lopez, Duato and Pinkston, ICPP 1997; see route/true_adaptive.c for what
 *          differs. */
#include "net/routing/recover.h"

#include "net/cable/cable.h"

#include <string.h>

uint16_t cop_recover_exit(const cop_topo *t, uint32_t sw)
{
    for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
        if (t->port[p].to != COP_NONE && cop_topo_is_host_port(t, t->port[p].to))
            return t->port[p].local;
    return COP_PORT_NONE;
}

static void try_at(cop_net *net, uint32_t host, cop_time t)
{
    cop_nic *nic = &net->nic[host];
    if (t >= nic->wake)
        return;
    nic->wake = t;
    cop_net_push(net, t, COP_EV_NIC, host);
}

/* A packet that the host at `port` sends again now; its credit is taken. */
static uint32_t replay(cop_net *net, uint32_t port)
{
    if (net->out[port].sw != COP_NONE)
        return COP_NONE;
    cop_recover *r = net->recover;
    cop_recover_host *host = &r->host[port - net->host_port0];
    uint32_t h = host->head;
    if (h == COP_NONE || net->out[port].busy_until > net->now)
        return COP_NONE;
    cop_pkt *p = &net->pkt[h];
    if (p->t_tail > net->now) {
        try_at(net, port - net->host_port0, p->t_tail);
        return COP_NONE;
    }
    uint32_t blocks = cop_blocks(p->bytes);
    if (!cop_fc_fits(net, port, p->vl, blocks)) {
        cop_fc_block(net, port, p->vl, blocks, COP_WAIT_LANES);
        return COP_NONE;
    }
    host->head = p->next;
    cop_fc_take(net, port, p->vl, blocks);
    cop_vlarb_sent(net, port, p->vl, p->bytes);
    return h;
}

void cop_recover_init(cop_net *net)
{
    cop_recover *r = net->recover = COP_NEW_ARRAY(&net->arena, cop_recover, 1);
    r->due = COP_NEW_ARRAY(&net->arena, cop_time, net->n_queues);
    r->event = COP_NEW_ARRAY(&net->arena, cop_time, net->n_queues);
    memset(r->due, 0xff, net->n_queues * sizeof(cop_time));
    memset(r->event, 0xff, net->n_queues * sizeof(cop_time));
    r->exit = COP_NEW_ARRAY(&net->arena, uint16_t, net->info.n_switches);
    for (uint32_t sw = 0; sw < net->info.n_switches; sw++)
        r->exit[sw] = cop_recover_exit(net->topo, sw);
    r->host = COP_NEW_ARRAY(&net->arena, cop_recover_host, net->info.n_hosts);
    memset(r->host, 0xff, net->info.n_hosts * sizeof(*r->host));
    r->fc = *net->fc;
    r->fc.replay = replay;
    net->fc = &r->fc;
}

__attribute__((noinline)) void cop_recover_wait(cop_net *net, uint32_t q)
{
    cop_recover *r = net->recover;
    const cop_in *in = &net->in[net->queue_port[q]];
    uint32_t flags = net->pkt[net->queue[q].head].flags;
    if (cop_topo_is_host_port(net->topo, in->from) || (flags & COP_PKT_OWN))
        return; /* a notification that a switch has made occupies nothing that others wait for */
    if ((flags & COP_PKT_CONTROL) && net->control_vl != 0)
        return; /* on lanes of their own ways have no cycle */
    r->due[q] = net->now + net->route->facts.patience_ps;
    if (r->event[q] != COP_NEVER)
        return;
    r->event[q] = r->due[q];
    cop_net_push(net, r->due[q], COP_EV_PATIENCE, q);
}

__attribute__((noinline)) bool cop_recover_gives_up(cop_net *net, uint32_t q)
{
    cop_recover *r = net->recover;
    const cop_in *in = &net->in[net->queue_port[q]];
    r->event[q] = COP_NEVER;
    if (net->queue[q].head == COP_NONE || !net->queue[q].posted || r->due[q] == COP_NEVER)
        return false;
    if (r->due[q] > net->now) {
        r->event[q] = r->due[q];
        cop_net_push(net, r->due[q], COP_EV_PATIENCE, q);
        return false;
    }
    r->due[q] = COP_NEVER;
    const cop_pkt *p = &net->pkt[net->queue[q].head];
    if (cop_topo_is_host_port(net->topo, net->out[in->port0 + p->out].to))
        return false; /* its host is here: it waits only for its turn */
    net->total.absorbed++;
    return true;
}

__attribute__((noinline)) bool cop_recover_absorb(cop_net *net, uint32_t port, uint32_t h)
{
    cop_recover *r = net->recover;
    uint32_t host = port - net->host_port0;
    cop_pkt *p = &net->pkt[h];
    if (p->dst == host)
        return false;
    cop_nic *nic = &net->nic[host];
    cop_recover_host *list = &r->host[host];
    cop_time done = p->t_tail;
    if (nic->receive_pace)
        done = cop_max64(done, cop_max64(net->now, nic->rx_free) +
                                   cop_wire_time(nic->receive_pace, p->bytes));
    nic->rx_free = done;
    cop_fc_give(net, port, p->vl, p->bytes, done);
    p->t_tail = done; /* it may be sent again from then on */
    p->rstate = 0;
    p->vl = 0;
    p->next = COP_NONE;
    if (list->head == COP_NONE)
        list->head = h;
    else
        net->pkt[list->tail].next = h;
    list->tail = h;
    try_at(net, host, cop_max64(done, net->out[port].busy_until));
    return true;
}
