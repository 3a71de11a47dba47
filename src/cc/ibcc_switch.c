/* InfiniBand congestion control at switches.
 *
 * Role     decides when a lane of an output port is in the congestion state, and which of the
 *          packets that leave by it are marked.
 * State    per output port and lane (with buffers private to destinations: and destination, as each
 *          has its own credits), brought up to date at every change of a queue's fill.
 * Rules    above  voq: one queue (input, output, lane) contains more than the upper threshold
 *                 output: all queues of the output together do
 *                 contributors: together they contain more than upper / (inputs that contain any)
 *          below  the same with `no queue / not together more than the lower threshold`
 *          enter  above, and the port has credit for a full packet besides what it has just sent
 *                 (it is the root), or Victim_Mask is set
 *                 (root_test: mark: without that test)
 *          leave  below. With one threshold lower = upper.
 *          A packet that leaves no longer counts in the fill that decides about its mark.
 *          mark   in the state, not shorter than Packet_Size: one of Marking_Rate + 1, by draw or
 *                 by counting. Acknowledgements and notifications are packets like others here.
 *                 root_test: mark: only while the port has credit or Victim_Mask is set
 * Weights  w = 1 .. 15 trigger at (16 - w) / 16 of the reference, 0 never.
 * Credit   starvation, for end nodes without congestion control: while an input port in Credit_Mask
 *          contains more than its threshold, two credits that it returns are at least
 *          CS_ReturnDelay (a ratio of the packet's time) apart.
 * Source   M-ibcc-switch, M-ibcc-thrmap, M-thr-1, M-thr-2, M-mark-prob; G-gran1-3, G-gran2-1. */
#include "base/rng.h"
#include "cc/ibcc.h"

#define NEVER UINT32_MAX

uint32_t ibcc_upper_of(const ibcc_params *par, int64_t weight)
{
    if (weight == 0)
        return NEVER;
    if (par->upper_bytes)
        return (uint32_t)par->upper_bytes;
    if (par->upper_share >= 0.0)
        return (uint32_t)((double)par->reference_bytes * par->upper_share);
    return (uint32_t)(par->reference_bytes * (uint64_t)(16 - weight) / 16);
}

uint32_t ibcc_lower_of(const ibcc_params *par, uint32_t upper)
{
    uint64_t gap = par->hysteresis_bytes, most = upper - upper / 4;
    if (par->gap_yields && gap > most)
        gap = most;
    return upper > gap ? upper - (uint32_t)gap : 0;
}

static bool in_mask(int mask, const cop_topo *t, uint32_t other)
{
    return mask == IBCC_MASK_ALL ||
           (mask == IBCC_MASK_HOSTS && other != COP_NONE && cop_topo_is_host_port(t, other));
}

/* The value that a list of (switch, port, value) gives to a port, else `value`. */
static int64_t listed(const cop_ints *list, const cop_topo *t, uint32_t port, int64_t value)
{
    for (size_t i = 0; i + 2 < list->n; i += 3)
        if (cop_topo_switch_port(t, (uint32_t)list->v[i], (uint32_t)list->v[i + 1]) == port)
            value = list->v[i + 2];
    return value;
}

void ibcc_switch_start(ibcc_run *run, const ibcc_cfg *cfg, const cop_netinfo *info)
{
    const cop_topo *t = info->topo;
    const ibcc_params *par = &run->par;
    for (uint32_t p = 0; p < t->host_port0; p++) {
        bool host = t->port[p].to != COP_NONE && cop_topo_is_host_port(t, t->port[p].to);
        int64_t weight = host && cfg->host_threshold >= 0 ? cfg->host_threshold
                         : !host && par->host_roots       ? 0
                         : par->weight >= 0               ? par->weight
                                                          : 15;
        uint32_t upper = ibcc_upper_of(par, listed(&cfg->port_threshold, t, p, weight));
        bool masked = in_mask(cfg->victim_mask, t, t->port[p].to);
        masked = listed(&cfg->port_victim_mask, t, p, masked) != 0;
        bool starves = in_mask(cfg->credit_mask, t, t->port[p].from);
        for (uint32_t s = 0; s < run->sections; s++) {
            ibcc_lane *l = &run->lane[(size_t)p * run->sections + s];
            l->upper = upper;
            l->lower = ibcc_lower_of(par, upper);
            l->masked = masked;
        }
        for (uint32_t vl = 0; vl < run->lanes && run->input != NULL; vl++)
            run->input[(size_t)p * run->lanes + vl].limit =
                starves ? (uint32_t)(info->buffer_bytes * (uint64_t)(16 - cfg->cs_threshold) / 16)
                        : NEVER;
    }
}

/* All but `output`. */
static __attribute__((noinline)) bool fill_slow(ibcc_lane *l, int evaluate, uint32_t before,
                                                uint32_t after)
{
    uint64_t fill = l->sum;
    bool above, below;
    if (evaluate == IBCC_VOQ) {
        l->over_upper = (uint16_t)(l->over_upper + (after > l->upper) - (before > l->upper));
        l->over_lower = (uint16_t)(l->over_lower + (after > l->lower) - (before > l->lower));
        above = l->over_upper > 0;
        below = l->over_lower == 0;
    } else {
        l->inputs = (uint16_t)(l->inputs + (after > 0) - (before > 0));
        fill *= l->inputs;
        above = fill > l->upper && l->upper != NEVER;
        below = fill <= l->lower;
    }
    if (below)
        l->congested = 0;
    return !l->congested && above;
}

bool ibcc_lane_fill(ibcc_lane *l, int evaluate, uint32_t before, uint32_t after)
{
    l->sum += after - before;
    if (evaluate != IBCC_OUTPUT)
        return fill_slow(l, evaluate, before, after);
    if (l->sum <= l->lower)
        l->congested = 0;
    return !l->congested && l->sum > l->upper; /* 32 bits never exceed NEVER */
}

/* Out of line: most changes of a fill change no state. */
static __attribute__((noinline)) void enter(struct cop_net *net, ibcc_lane *l, uint32_t out,
                                            const cop_pkt *p)
{
    const ibcc_run *run = cop_net_cc_net(net);
    if (run->par.root_at_mark && !l->masked)
        l->congested = IBCC_IF_ROOT;
    else
        l->congested = l->masked || cop_net_has_credit(net, out, p);
}

/* With credit starvation or private buffers. */
static __attribute__((noinline)) void fill_special(struct cop_net *net, uint32_t in, uint32_t out,
                                                   uint32_t before, uint32_t after,
                                                   const cop_pkt *p)
{
    ibcc_run *run = cop_net_cc_net(net);
    ibcc_lane *l = &run->lane[(size_t)out * run->sections + cop_net_section(net, p)];
    if (run->input != NULL)
        run->input[(size_t)in * run->lanes + p->out_vl].bytes += after - before;
    if (ibcc_lane_fill(l, run->par.evaluate, before, after))
        enter(net, l, out, p);
}

void ibcc_on_fill(struct cop_net *net, uint32_t in, uint32_t out, uint32_t before, uint32_t after,
                  const cop_pkt *p)
{
    ibcc_run *run = cop_net_cc_net(net);
    if (COP_UNLIKELY(run->special)) {
        fill_special(net, in, out, before, after, p);
        return;
    }
    ibcc_lane *l = &run->lane[(size_t)out * run->lanes + p->out_vl];
    if (ibcc_lane_fill(l, run->par.evaluate, before, after))
        enter(net, l, out, p);
}

bool ibcc_lane_mark(const ibcc_run *run, ibcc_lane *l, uint32_t entity, uint32_t bytes)
{
    const ibcc_params *par = &run->par;
    if (!l->congested || bytes < par->least_bytes)
        return false;
    if (run->marking == IBCC_COUNTED) {
        if (l->since_mark++ < par->mark_gap)
            return false;
        l->since_mark = 0;
        return true;
    }
    return par->mark_below == UINT64_MAX ||
           cop_rng_at(run->seed, COP_RNG_MARK, entity, l->draws++) < par->mark_below;
}

/* Out of line: root_test mark is rare. */
static __attribute__((noinline)) void mark_if_root(struct cop_net *net, ibcc_run *run,
                                                   uint32_t entity, uint32_t port, cop_pkt *p)
{
    if (cop_net_has_credit(net, port, p) &&
        ibcc_lane_mark(run, &run->lane[entity], entity, p->bytes))
        p->flags |= COP_PKT_FECN;
}

static inline void mark(struct cop_net *net, ibcc_run *run, uint32_t entity, uint32_t port,
                        cop_pkt *p)
{
    ibcc_lane *l = &run->lane[entity];
    if (COP_UNLIKELY(l->congested == IBCC_IF_ROOT))
        mark_if_root(net, run, entity, port, p);
    else if (ibcc_lane_mark(run, l, entity, p->bytes))
        p->flags |= COP_PKT_FECN;
}

static __attribute__((noinline)) void dequeue_special(struct cop_net *net, uint32_t port,
                                                      cop_pkt *p)
{
    ibcc_run *run = cop_net_cc_net(net);
    mark(net, run, port * run->sections + cop_net_section(net, p), port, p);
}

void ibcc_on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    ibcc_run *run = cop_net_cc_net(net);
    if (COP_UNLIKELY(run->special))
        dequeue_special(net, port, p);
    else
        mark(net, run, port * run->lanes + p->out_vl, port, p);
}

cop_time ibcc_credit_time(struct cop_net *net, uint32_t in, uint32_t vl, uint32_t bytes, cop_time t)
{
    ibcc_run *run = cop_net_cc_net(net);
    if (run->input == NULL)
        return t;
    ibcc_input *i = &run->input[(size_t)in * run->lanes + vl];
    if (i->bytes > i->limit) {
        cop_time delay = ibcc_ratio_of(run->return_delay, cop_net_wire_time(net, in, bytes));
        run->starved++;
        t = cop_max64(t, i->last + delay);
    }
    t = cop_max64(t, i->last);
    i->last = t;
    return t;
}
