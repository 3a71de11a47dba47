/* QCN in words: content of a notification (CNM), and why a run made none. */
#include "base/opt.h"
#include "cc/qcn.h"

#include <stdio.h>

void qcn_tell(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what, char *buf,
              size_t size)
{
    (void)net, (void)port;
    if (!(p->flags & COP_PKT_CONTROL))
        return;
    *what = "CNM";
    snprintf(buf, size, "feedback %u of %u about %u -> %u%s%s", p->cc, QCN_FEEDBACK_MOST, p->dst,
             p->src, p->flags & COP_PKT_END ? ", no other way leads there" : "",
             p->flags & COP_PKT_CONTESTED ? ", in others' way" : "");
}

bool qcn_rested(struct cop_net *net, char *buf, size_t size)
{
    const qcn_net *all = cop_net_cc_net(net);
    char set[32], most[128];
    if (all->told > 0)
        return false;
    if (all->samples == 0)
        snprintf(buf, size, "no switch took a sample: too few packets passed, or none");
    else if (all->over == 0)
        snprintf(buf, size,
                 "none of %" PRIu64 " samples found congestion (qeq %s); most that waited for an "
                 "output when the run was sampled: %s",
                 all->samples, cop_print_bytes(all->qeq, set, sizeof(set)),
                 cop_net_most_waiting(net, most, sizeof(most)));
    else
        snprintf(buf, size,
                 "%" PRIu64 " of %" PRIu64 " samples found congestion, and none was drawn to tell",
                 all->over, all->samples);
    return true;
}
