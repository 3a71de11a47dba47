/* The controls of tori in words: what a message says, and why a run made none. */
#include "cc/fern.h"

#include <stdio.h>

void fern_tell_words(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what,
                     char *buf, size_t size)
{
    (void)net, (void)port;
    if (!(p->flags & COP_PKT_CONTROL))
        return;
    *what = "message";
    snprintf(buf, size, "%s, host %u is the culprit",
             p->cc == FERN_NO_CONGESTION ? "no congestion any more" : "congestion", p->dst);
}

bool fern_rested(struct cop_net *net, char *buf, size_t size)
{
    const fern_net *all = cop_net_cc_net(net);
    const fern_cfg *cfg = cop_net_cc_cfg(net);
    char most[128];
    if (all->told > 0)
        return false;
    snprintf(buf, size,
             "nobody was told: switches looked %" PRIu64 " times, %" PRIu64 " lanes had more than "
             "%" PRId64 " buffers in use; most that waited for an output at a sample: %s",
             all->checks, all->found, cfg->threshold,
             cop_net_most_waiting(net, most, sizeof(most)));
    return true;
}
