/* Additive increase, multiplicative decrease: a congestion control from outside.
 *
 *   cc -shared -fPIC -O2 $(pkg-config --cflags coppice-plugin) aimd.c -o aimd.so
 *   coppice run two-switch.yaml --plugin ./aimd.so --set cc.kind=aimd
 *
 * In the source tree the flags are -Isrc. docs/ADDING.md explains every part.
 *
 * Role     switches mark packets that leave a crowded output, destinations answer a marked packet
 *          with a notification, sources halve the flow's rate and win it back step by step.
 * State    per flow: rate, when it was last raised, when the next packet may start.
 * Rules    mark:    more than `threshold` bytes wait for the output, and it has credit (so it is
 *                   the root of the congestion, not a victim of another one).
 *          slower:  rate / 2 on each notification, at least `least`.
 *          faster:  + `step` every `period`, up to the rate of the host's link. Applied when
 *                   the flow is looked at: no timers. */
#include <exp/plugin.h>

typedef struct aimd_cfg {
    uint64_t threshold_bytes, least_bps, step_bps, period_ps;
} aimd_cfg;

typedef struct aimd_flow {
    uint64_t bps; /* 0: as fast as the link */
    cop_time raised, next;
} aimd_flow;

#define A(field) offsetof(aimd_cfg, field)
static const cop_opt aimd_opts[] = {
    {"threshold", COP_OPT_BYTES, A(threshold_bytes), "16 KiB", 0, 1e12, NULL,
     "mark when more than this waits for an output"},
    {"least", COP_OPT_RATE, A(least_bps), "100 Mbit/s", 1e6, 1e14, NULL, "no flow is slower"},
    {"step", COP_OPT_RATE, A(step_bps), "50 Mbit/s", 1e6, 1e14, NULL, "won back per period"},
    {"period", COP_OPT_TIME, A(period_ps), "10 us", 1000, 1e12, NULL, "time between steps"},
    {0}};

static int aimd_check(const void *config, const cop_netinfo *info, cop_err *err)
{
    const aimd_cfg *cfg = config;
    if (cfg->least_bps >= info->host_bps)
        return cop_err_add(
            err, COP_E_INPUT,
            "least is not below the links of hosts, so no flow is slowed down; make it smaller");
    return 0;
}

/* What the link of the flow's host carries. */
static uint64_t link_bps(const struct cop_net *net, const aimd_flow *f)
{
    return 8 * 65536 * COP_SECOND / cop_net_inject_time(net, cop_net_flow_source(f), 65536);
}

/* Steps won back since the last look. */
static void recover(struct cop_net *net, aimd_flow *f)
{
    const aimd_cfg *cfg = cop_net_cc_cfg(net);
    if (f->bps == 0)
        return;
    uint64_t steps = (cop_net_now(net) - f->raised) / cfg->period_ps;
    f->raised += steps * cfg->period_ps;
    if (steps > (link_bps(net, f) - f->bps) / cfg->step_bps)
        f->bps = 0;
    else
        f->bps += steps * cfg->step_bps;
}

static void aimd_on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    const aimd_cfg *cfg = cop_net_cc_cfg(net);
    if (!(p->flags & COP_PKT_CONTROL) && cop_net_waiting_bytes(net, port) > cfg->threshold_bytes &&
        cop_net_has_credit(net, port, p))
        p->flags |= COP_PKT_FECN;
}

static uint16_t aimd_on_deliver(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    (void)net, (void)host;
    return p->flags & COP_PKT_FECN ? COP_PKT_CNP | COP_PKT_BECN : 0;
}

static void aimd_on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    const aimd_cfg *cfg = cop_net_cc_cfg(net);
    aimd_flow *f = flow;
    if (!(p->flags & COP_PKT_BECN))
        return;
    recover(net, f);
    if (f->bps == 0) {
        f->bps = link_bps(net, f);
        f->raised = cop_net_now(net);
    }
    f->bps = cop_max64(f->bps / 2, cfg->least_bps);
}

static cop_time aimd_next_send(struct cop_net *net, void *flow, cop_time now)
{
    (void)net, (void)now;
    return ((const aimd_flow *)flow)->next;
}

static void aimd_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    aimd_flow *f = flow;
    recover(net, f);
    f->next = f->bps ? cop_net_now(net) + cop_wire_time(cop_pace_of(f->bps), p->bytes) : 0;
}

static const cop_cc_ops aimd = {.name = "aimd",
                                .summary = "marks crowded outputs; half the rate, then up in steps",
                                .source = "example of docs/ADDING.md",
                                .opts = aimd_opts,
                                .cfg_size = sizeof(aimd_cfg),
                                .flow_size = sizeof(aimd_flow),
                                .check = aimd_check,
                                .at_switch = {.on_dequeue = aimd_on_dequeue},
                                .at_destination = {.on_deliver = aimd_on_deliver},
                                .at_source = {.next_send = aimd_next_send,
                                              .on_send = aimd_on_send,
                                              .on_control = aimd_on_control}};

COPPICE_PLUGINS(COP_CCS(&aimd));
