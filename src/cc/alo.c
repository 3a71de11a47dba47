/* At least one: a message enters if every useful channel has a free lane, or if one of them has all
 * lanes free. It has no options.
 *
 * Useful   channels, and lanes of them, that the routing could give to the message at its first
 *          switch.
 * Source   Baydal, Lopez, Duato 2000, as Fernandez and Garcia, section 2 describes it; M-alo. */
#include "base/opt.h"
#include "cc/limit.h"

static const cop_opt opts[] = {{LIMIT_FREE}, {0}};

static bool admit(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    cop_channel list[COP_MAX_CAND];
    unsigned n = cop_net_channels(net, in, p, list);
    bool each = true, one = false;
    for (unsigned i = 0; i < n; i++) {
        bool first = true, any = false, all = true;
        for (unsigned k = 0; k < n; k++) {
            if (list[k].port != list[i].port)
                continue;
            if (k < i)
                first = false; /* this channel was examined */
            bool free = limit_is_free(net, list[k].port, list[k].vl, p);
            any |= free;
            all &= free;
        }
        if (!first)
            continue;
        each &= any;
        one |= all;
    }
    return limit_answer(net, each || one);
}

const cop_cc_ops cop_cc_alo = {
    .name = "alo",
    .summary = "a message enters if every useful channel has a free lane, or one has all free",
    .source = "Baydal, Lopez, Duato 2000, as Fernandez and Garcia describe it; M-alo",
    .opts = opts,
    .cfg_size = sizeof(limit_cfg),
    .net_size = sizeof(limit_net),
    .check = limit_check,
    .at_switch.admit = admit,
    .shown.counters = limit_counters,
    .shown.counter = limit_counter,
    .shown.rested = limit_rested,
};
