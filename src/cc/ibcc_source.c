/* InfiniBand congestion control at sources.
 *
 * Role     each flow has an index CCTI into the table of delays; it rises with every BECN and falls
 *          with time. After a packet the flow waits for the delay of its index.
 * State    per flow 32 bytes. No events: ticks are counted when the index is read.
 * Rules    BECN   CCTI = min(CCTI + CCTI_Increase, CCTI_Limit)
 *          tick   CCTI = max(CCTI - 1, CCTI_Min), every CCTI_Timer: at fixed times of the end node
 *                 or of one of its service levels, or (restart) that long after the flow's last
 *                 BECN or tick: "if the message is not canceled" it causes the decrease (Paper I,
 *                 3.2.2)
 *          send   the arbiter of the end node asks whether the flow may send, and the delay is that
 *                 of the index at that moment (Paper I, 3.2.2): it may, if the end of its last
 *                 packet (as the end node injects it) + delay is not later. So a lone flow has the
 *                 rate size / (size / rate + delay). Index 0 is no delay; the packet is not read.
 *          A flow is a queue pair, here (source, destination, service level), or all of a service
 *          level.
 * Waiting  A flow that may not send yet is not polled. Its delay shrinks at ticks, whose times are
 *          known, so next_send returns the first instant at which the index allows it. Only a BECN
 *          can change that, and only to later (it raises the index, or delays a tick): the end node
 *          calls again at the returned time, and gets the new one.
 * Source   M-ibcc-src, M-ibcc-level; G-gran1-5, G-gran1-6, G-gran1-9. */
#include "base/rng.h"
#include "cc/ibcc.h"

uint32_t ibcc_ccti(const ibcc_params *par, ibcc_flow *f, cop_time now)
{
    if (f->above > 0 && now >= f->falls) {
        uint64_t ticks = (now - f->falls) / par->period_ps + 1;
        f->falls += ticks * par->period_ps;
        f->above = ticks < f->above ? (uint16_t)(f->above - ticks) : 0;
    }
    return par->min + f->above;
}

bool ibcc_becn(const ibcc_params *par, ibcc_flow *f, cop_time now, cop_time phase)
{
    uint32_t before = ibcc_ccti(par, f, now);
    uint32_t room = par->limit - before;
    if (par->restart)
        f->falls = now + par->period_ps;
    else if (f->above == 0)
        f->falls = ((now + phase) / par->period_ps + 1) * par->period_ps - phase;
    f->above = (uint16_t)(f->above + (par->increase < room ? par->increase : room));
    f->becns++;
    return par->trigger > 0 && before < par->trigger && par->min + f->above >= par->trigger;
}

cop_time ibcc_earliest(const ibcc_params *par, const ibcc_cct *cct, ibcc_flow *f, cop_time now)
{
    if (f->unit == 0)
        return now; /* nothing was sent that a delay could follow */
    uint32_t index = ibcc_ccti(par, f, now);
    cop_time t = f->last + ibcc_cct_delay(cct, index, f->unit), falls = f->falls;
    for (; t > falls && index > par->min; falls += par->period_ps)
        t = cop_max64(falls, f->last + ibcc_cct_delay(cct, --index, f->unit));
    return t;
}

cop_time ibcc_phase(const ibcc_run *run, uint32_t host, uint8_t sl)
{
    if (!run->phases)
        return 0;
    const ibcc_params *par = run->own ? &run->own[ibcc_own_of(run, host, sl)] : &run->par;
    uint64_t draw = cop_rng_at(run->seed, COP_RNG_SOURCE, host, par->per_sl ? sl : 0);
    return draw % par->period_ps;
}

/* The table's argument for a packet of this host: its bytes, or its time on the wire if the table
 * contains ratios. */
static uint64_t unit_of(struct cop_net *net, uint32_t host, uint32_t bytes)
{
    const ibcc_run *run = cop_net_cc_net(net);
    if (!run->cct.ratio)
        return bytes;
    return cop_net_wire_time(net, cop_topo_host_port(cop_net_info(net)->topo, host), bytes);
}

cop_time ibcc_next_send(struct cop_net *net, void *flow, cop_time now)
{
    ibcc_flow *f = flow;
    const ibcc_run *run = cop_net_cc_net(net);
    if (COP_UNLIKELY(run->own != NULL))
        return ibcc_earliest(&run->own[f->own], &run->cct, f, now);
    return f->above + run->par.min == 0 ? now : ibcc_earliest(&run->par, &run->cct, f, now);
}

void ibcc_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    ibcc_flow *f = flow;
    const ibcc_run *run = cop_net_cc_net(net);
    if (COP_UNLIKELY(run->own != NULL))
        f->own = ibcc_own_of(run, p->src, p->sl);
    f->unit = unit_of(net, p->src, p->bytes);
    f->last = cop_net_now(net);
    if (run->delay_from == IBCC_FROM_END)
        f->last += cop_net_inject_time(net, p->src, p->bytes);
}

void ibcc_on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    ibcc_run *run = cop_net_cc_net(net);
    if (!(p->flags & COP_PKT_BECN))
        return;
    run->notified += ((const ibcc_flow *)flow)->becns == 0;
    const ibcc_params *par = ibcc_params_of(run, flow);
    cop_time phase = par->restart ? 0 : ibcc_phase(run, p->dst, p->sl);
    run->triggers += ibcc_becn(par, flow, cop_net_now(net), phase);
}

/* ccti, delay, rate, becns */
double ibcc_flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which)
{
    const ibcc_run *run = cop_net_cc_net(net);
    ibcc_flow f = *(const ibcc_flow *)flow;
    uint32_t mtu = run->cct.mtu_bytes;
    uint32_t index = ibcc_ccti(ibcc_params_of(run, &f), &f, cop_net_now(net));
    double delay = (double)ibcc_cct_delay(&run->cct, index, unit_of(net, src, mtu));
    double packet = (double)cop_net_inject_time(net, src, mtu);
    bool from_end = run->delay_from == IBCC_FROM_END;
    double spacing = from_end ? packet + delay : delay > packet ? delay : packet;
    const double values[] = {index, delay / 1e3, mtu * 8000.0 / spacing, f.becns};
    return values[which];
}
