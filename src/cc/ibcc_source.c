/* InfiniBand congestion control at sources.
 *
 * Role     each flow has an index CCTI into the table of delays; it rises with every BECN and falls with
 *          time. After a packet the flow waits for the delay of its index.
 * State    per flow 24 bytes. No timers: ticks are counted when the flow is looked at.
 * Rules    BECN   CCTI = min(CCTI + CCTI_Increase, CCTI_Limit)
 *          tick   CCTI = max(CCTI - 1, CCTI_Min), every CCTI_Timer: at fixed times of the end node, or
 *                 (restart) that long after the flow's last BECN or tick
 *          send   the next packet starts no earlier than the end of this one (as the end node injects
 *                 it) + delay of the index at its start; so a lone flow has the rate size / (size /
 *                 rate + delay). Index 0 is no delay, and the packet is not even looked at.
 *          A flow is a queue pair, here (source, destination, service level), or all of a service
 *          level.
 * Source   M-ibcc-src, M-ibcc-level; G-gran1-5, G-gran1-6, G-gran1-9. */
#include "base/rng.h"
#include "cc/ibcc.h"

uint32_t ibcc_ccti(const ibcc_params *par, ibcc_flow *f, cop_time now, cop_time phase)
{
    if (f->above == 0)
        return par->min;
    uint64_t ticks;
    if (par->restart) {
        ticks = (now - f->base) / par->period_ps;
        f->base += ticks * par->period_ps;
    } else {
        uint64_t tick = (now + phase) / par->period_ps;
        ticks = tick - f->base;
        f->base = tick;
    }
    f->above = ticks < f->above ? f->above - (uint32_t)ticks : 0;
    return par->min + f->above;
}

bool ibcc_becn(const ibcc_params *par, ibcc_flow *f, cop_time now, cop_time phase)
{
    uint32_t before = ibcc_ccti(par, f, now, phase);
    uint32_t room = par->limit - before;
    if (par->restart)
        f->base = now;
    else if (f->above == 0)
        f->base = (now + phase) / par->period_ps;
    f->above += par->increase < room ? par->increase : room;
    f->becns++;
    return par->trigger > 0 && before < par->trigger && par->min + f->above >= par->trigger;
}

void ibcc_source_start(ibcc_run *run, const ibcc_cfg *cfg, const cop_netinfo *info)
{
    if (!cfg->timer_phase)
        return;
    /* End nodes are not synchronised. */
    for (uint32_t h = 0; h < info->n_hosts; h++)
        run->phase[h] = cop_rng_at(info->seed, COP_RNG_SOURCE, h, 0) % run->par.period_ps;
}

cop_time ibcc_next_send(struct cop_net *net, void *flow, cop_time now)
{
    (void)net, (void)now;
    return ((const ibcc_flow *)flow)->next;
}

void ibcc_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    ibcc_flow *f = flow;
    const ibcc_run *run = cop_net_cc_net(net);
    if (f->above + run->par.min == 0)
        return;
    cop_time now = cop_net_now(net);
    uint32_t index = ibcc_ccti(&run->par, f, now, run->phase[p->src]);
    uint32_t port = cop_topo_host_port(cop_net_info(net)->topo, p->src);
    cop_time delay =
        ibcc_cct_delay(&run->cct, index, p->bytes, cop_net_wire_time(net, port, p->bytes));
    if (delay == 0)
        return;
    f->next = now + delay;
    if (run->delay_from == IBCC_FROM_END)
        f->next += cop_net_inject_time(net, p->src, p->bytes);
}

void ibcc_on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    ibcc_run *run = cop_net_cc_net(net);
    if (!(p->flags & COP_PKT_BECN))
        return;
    run->notified += ((const ibcc_flow *)flow)->becns == 0;
    run->triggers += ibcc_becn(&run->par, flow, cop_net_now(net), run->phase[p->dst]);
}

/* ccti, delay, rate, becns */
double ibcc_flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which)
{
    const ibcc_run *run = cop_net_cc_net(net);
    ibcc_flow f = *(const ibcc_flow *)flow;
    uint32_t mtu = run->cct.mtu_bytes;
    uint32_t port = cop_topo_host_port(cop_net_info(net)->topo, src);
    uint32_t index = ibcc_ccti(&run->par, &f, cop_net_now(net), run->phase[src]);
    double delay = (double)ibcc_cct_delay(&run->cct, index, mtu, cop_net_wire_time(net, port, mtu));
    double packet = (double)cop_net_inject_time(net, src, mtu);
    bool from_end = run->delay_from == IBCC_FROM_END;
    double spacing = from_end ? packet + delay : delay > packet ? delay : packet;
    const double values[] = {index, delay / 1e3, mtu * 8000.0 / spacing, f.becns};
    return values[which];
}
