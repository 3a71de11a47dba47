/* Limit of busy lanes that adjusts itself.
 *
 * Rule     as lopez.c, with a limit of each switch by itself. Every `window` routings of a switch:
 *          if more than `blocked` of the messages found no room on the lane of their first choice,
 *          the limit falls by one lane; else it rises by one, up to all lanes, its first value.
 * Ours     DRIL (Lopez, Martinez, Duato 1998) adjusts the limit dynamically, by its abstract, which
 *          does not give the rule: rule and values are ours. */
#include "base/opt.h"
#include "cc/limit.h"

typedef struct dril_cfg {
    limit_cfg common;
    int64_t window;
    double blocked;
} dril_cfg;

typedef struct dril_switch {
    uint32_t cut; /* number of lanes less the limit */
    uint32_t routed, blocked; /* in this window */
} dril_switch;

typedef struct dril_net {
    limit_net common;
    dril_switch *sw;
} dril_net;

static const cop_opt opts[] = {{LIMIT_FREE},
                               {"window", COP_OPT_INT, offsetof(dril_cfg, window), "16", 1, 1e6,
                                NULL, "routings of a switch after which its limit changes (ours)"},
                               {"blocked", COP_OPT_SHARE, offsetof(dril_cfg, blocked), "25 %", 0,
                                0.9999, NULL,
                                "share of them without room above which the limit falls (ours)"},
                               {0}};

static void start(struct cop_net *net)
{
    dril_net *all = cop_net_cc_net(net);
    all->sw = cop_net_cc_alloc(net, cop_net_info(net)->n_switches, sizeof(dril_switch));
}

static dril_switch *switch_of(struct cop_net *net, uint32_t in)
{
    return &((dril_net *)cop_net_cc_net(net))->sw[cop_net_info(net)->topo->port[in].owner];
}

static void on_route(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    const dril_cfg *cfg = cop_net_cc_cfg(net);
    dril_switch *s = switch_of(net, in);
    if (p->flags & COP_PKT_CONTROL)
        return;
    s->blocked += !cop_net_lane_room(net, cop_net_out_port(net, in, p), p->out_vl, p);
    if (++s->routed < cfg->window)
        return;
    uint32_t all;
    (void)limit_busy(net, in, p, &all);
    if ((double)s->blocked > cfg->blocked * (double)s->routed)
        s->cut += s->cut < all;
    else
        s->cut -= s->cut > 0;
    s->routed = s->blocked = 0;
}

static bool admit(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    uint32_t all, busy = limit_busy(net, in, p, &all);
    return limit_answer(net, busy + switch_of(net, in)->cut <= all);
}

const cop_cc_ops cop_cc_dril = {
    .name = "dril",
    .summary = "a limit of busy lanes that falls when messages block; the rule is ours",
    .source = "after Lopez, Martinez, Duato 1998, whose rule we do not have",
    .opts = opts,
    .cfg_size = sizeof(dril_cfg),
    .net_size = sizeof(dril_net),
    .start = start,
    .at_switch.on_route = on_route,
    .check = limit_check,
    .at_switch.admit = admit,
    .shown.counters = limit_counters,
    .shown.counter = limit_counter,
    .shown.rested = limit_rested,
};
