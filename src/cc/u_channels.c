/* Share of useful lanes: a message enters if enough of its useful lanes are free.
 *
 * Rule     free useful lanes / all useful lanes >= threshold. Useful: as in alo.c.
 * Source   after Baydal, Lopez, Duato 2001 (U-channels), which we do not have: the share of free
 *          useful lanes is from it; the comparison and the default, which must be tuned for each
 *          network, are ours. */
#include "base/opt.h"
#include "cc/limit.h"

typedef struct u_cfg {
    limit_cfg common;
    double threshold;
} u_cfg;

static const cop_opt opts[] = {
    {LIMIT_FREE},
    {"threshold", COP_OPT_SHARE, offsetof(u_cfg, threshold), "50 %", 1e-6, 1, NULL,
     "share of useful lanes that must be free (ours: the source has one for each network)"},
    {0}};

static bool admit(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    const u_cfg *cfg = cop_net_cc_cfg(net);
    cop_channel list[COP_MAX_CAND];
    unsigned n = cop_net_channels(net, in, p, list), free = 0;
    for (unsigned i = 0; i < n; i++)
        free += limit_is_free(net, list[i].port, list[i].vl, p);
    return limit_answer(net, (double)free >= cfg->threshold * (double)n);
}

const cop_cc_ops cop_cc_u_channels = {
    .name = "u-channels",
    .summary = "a message enters if a share of its useful lanes is free",
    .source = "after Baydal, Lopez, Duato 2001, whose rule we do not have",
    .opts = opts,
    .cfg_size = sizeof(u_cfg),
    .net_size = sizeof(limit_net),
    .check = limit_check,
    .at_switch.admit = admit,
    .shown.counters = limit_counters,
    .shown.counter = limit_counter,
    .shown.rested = limit_rested,
};
