/* Fixed pacing: every flow (source, destination, service level) is limited to one rate.
 *
 * Role     the simplest source throttle, and the worked example of docs/ADDING.md.
 * State    per flow: when its next packet may start.
 * Rule     after a packet of L bytes the next one starts no earlier than L / rate later. */
#include "base/fixp.h"
#include "base/opt.h"
#include "cc/cc_all.h"

typedef struct pace_cfg {
    uint64_t rate_bps;
} pace_cfg;

typedef struct pace_flow {
    cop_time next;
} pace_flow;

static const cop_opt pace_opts[] = {{"rate", COP_OPT_RATE, offsetof(pace_cfg, rate_bps), "1 Gbit/s",
                                     1e6, 1e14, NULL, "most that one flow sends"},
                                    {0}};

static cop_time pace_next_send(struct cop_net *net, void *flow, cop_time now)
{
    (void)net, (void)now;
    return ((const pace_flow *)flow)->next;
}

static void pace_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    const pace_cfg *cfg = cop_net_cc_cfg(net);
    ((pace_flow *)flow)->next =
        cop_net_now(net) + cop_wire_time(cop_pace_of(cfg->rate_bps), p->bytes);
}

const cop_cc_ops cop_cc_pace = {
    .name = "pace",
    .summary = "every flow limited to a fixed rate",
    .source = "worked example of docs/ADDING.md",
    .opts = pace_opts,
    .cfg_size = sizeof(pace_cfg),
    .flow_size = sizeof(pace_flow),
    .at_source = {.next_send = pace_next_send, .on_send = pace_on_send}};
