/* InfiniBand congestion control (IBA 1.2.1, annex A10), as the papers of Gran et al. and of Pfister
 * et al. use it: switches mark packets that leave a congested port (FECN), destinations notify the
 * source (BECN), sources insert delays. See docs/MODEL.md; the rules are in ibcc_switch.c and
 * ibcc_source.c.
 *
 * Destination   a data packet with FECN is answered by a notification packet, as it arrives, or by
 *               an acknowledgement, with BECN. It is ignored on acknowledgements and notifications,
 *               and on packets that carry BECN. There is no multicast.
 * Source        M-ibcc, M-ibcc-dst, M-pfis-cc, M-pfis-guide. */
#include "cc/ibcc.h"

#include "cc/cc_all.h"

static void ibcc_start(struct cop_net *net)
{
    const ibcc_cfg *cfg = cop_net_cc_cfg(net);
    const cop_netinfo *info = cop_net_info(net);
    ibcc_run *run = cop_net_cc_net(net);
    size_t ports = info->topo->host_port0;
    run->par = ibcc_resolve(cfg, info);
    run->marking = cfg->marking;
    run->delay_from = cfg->delay_from;
    run->answer = cfg->becn == IBCC_BY_CNP   ? COP_PKT_BECN | COP_PKT_CNP
                  : cfg->becn == IBCC_BY_ACK ? COP_PKT_BECN | COP_PKT_ACK
                                             : 0;
    run->lanes = info->lanes;
    run->sections = info->sections;
    run->seed = info->seed;
    run->lane = cop_net_cc_alloc(net, ports * run->sections, sizeof(ibcc_lane));
    run->phases = cfg->timer_phase;
    run->special = cfg->cs_threshold > 0 || run->sections != run->lanes;
    if (cfg->cs_threshold > 0)
        run->input = cop_net_cc_alloc(net, ports * run->lanes, sizeof(ibcc_input));
    ibcc_parse_ratios(cfg->cs_return_delay, &run->return_delay, 1);
    if (run->par.cct_shape == IBCC_ENCODED)
        run->cct.ratio = cop_net_cc_alloc(net, run->par.cct_entries, sizeof(ibcc_ratio));
    else
        run->cct.time = cop_net_cc_alloc(net, run->par.cct_entries, sizeof(cop_time));
    ibcc_cct_fill(&run->cct, &run->par, cfg, info->mtu_bytes);
    ibcc_switch_start(run, cfg, info);
    ibcc_own_start(net, run, cfg, info);
}

static bool ibcc_flow_is_sl(const void *cfg)
{
    return ((const ibcc_cfg *)cfg)->level == IBCC_SL;
}

/* The next acknowledgement carries the BECN of a marked packet of its queue pair (Paper III, II-B:
 * "an acknowledgement packet for a reliable connection"): with one per message it waits for the
 * message's end, and one BECN covers all marks until then. */
static uint16_t ride(struct cop_net *net, const cop_pkt *p, bool marked)
{
    ibcc_receiver *f = cop_net_cc_receiver(net, p);
    f->owed |= marked;
    if (!f->owed || !cop_net_acked(net, p))
        return 0;
    f->owed = false;
    return COP_PKT_BECN;
}

static uint16_t ibcc_on_deliver(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    (void)host;
    const ibcc_run *run = cop_net_cc_net(net);
    bool marked = (p->flags & (COP_PKT_FECN | COP_PKT_BECN)) == COP_PKT_FECN;
    if (COP_UNLIKELY(run->answer == 0))
        return ride(net, p, marked);
    return marked ? run->answer : 0;
}

static const cop_value flow_values[] = {
    {"ccti", "index"}, {"delay", "ns"}, {"rate", "Gbit/s"}, {"becns", "packets"}, {0}};
static const cop_value port_values[] = {{"state", "congested"}, {"fill", "bytes"}, {0}};
static const cop_value counters[] = {
    {"ccti_triggers", "times"}, {"credits_delayed", "packets"}, {"flows_notified", "flows"}, {0}};

static double ibcc_port_value(struct cop_net *net, uint32_t port, uint32_t vl, unsigned which)
{
    const ibcc_run *run = cop_net_cc_net(net);
    bool congested = false;
    uint64_t sum = 0;
    for (uint32_t s = vl; s < run->sections; s += run->lanes) {
        const ibcc_lane *l = &run->lane[(size_t)port * run->sections + s];
        congested |= l->congested != 0;
        sum += l->sum;
    }
    return which == 0 ? congested : (double)sum;
}

static double ibcc_counter(struct cop_net *net, unsigned which)
{
    const ibcc_run *run = cop_net_cc_net(net);
    const uint64_t values[] = {run->triggers, run->starved, run->notified};
    return (double)values[which];
}

static void ibcc_facts(const void *config, const cop_netinfo *info, cop_cc_facts *facts)
{
    const ibcc_cfg *cfg = config;
    (void)info;
    facts->flow_is_sl = ibcc_flow_is_sl(cfg);
    facts->keeps_credit = cfg->cs_threshold > 0;
}

const cop_cc_ops cop_cc_ibcc = {
    .name = "ibcc",
    .summary = "InfiniBand: FECN marks, BECN, table of delays at sources",
    .source = "IBA 1.2.1 annex A10; Gran et al. 2010-2012; Pfister et al. "
              "2005",
    .opts = ibcc_opts,
    .cfg_size = sizeof(ibcc_cfg),
    .flow_size = sizeof(ibcc_flow),
    .receiver_size = sizeof(ibcc_receiver),
    .net_size = sizeof(ibcc_run),
    .check = ibcc_check,
    .explain = ibcc_explain,
    .start = ibcc_start,
    .facts = ibcc_facts,
    .at_switch.on_fill = ibcc_on_fill,
    .at_switch.on_dequeue = ibcc_on_dequeue,
    .at_switch.credit_time = ibcc_credit_time,
    .at_source.next_send = ibcc_next_send,
    .at_source.on_send = ibcc_on_send,
    .at_source.on_control = ibcc_on_control,
    .at_destination.on_deliver = ibcc_on_deliver,
    .shown.flow_values = flow_values,
    .shown.port_values = port_values,
    .shown.flow_value = ibcc_flow_value,
    .shown.port_value = ibcc_port_value,
    .shown.tell = ibcc_tell,
    .shown.rested = ibcc_rested,
    .shown.counters = counters,
    .shown.counter = ibcc_counter};
