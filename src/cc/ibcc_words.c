/* InfiniBand congestion control in words: why a packet was marked, the source of a BECN, and why a
 * run had none. */
#include "base/opt.h"
#include "cc/ibcc.h"

#include <stdio.h>

static void say_mark(const ibcc_run *run, const ibcc_lane *l, char *buf, size_t size)
{
    static const char *const what[] = {[IBCC_VOQ] = "one input's queue for it",
                                       [IBCC_OUTPUT] = "all that waits for it",
                                       [IBCC_CONTRIBUTORS] = "all that waits for it times inputs"};
    snprintf(
        buf, size,
        "congestion state, %u B wait for the output (on above %u B, off below %u B; counted: %s)",
        l->sum, l->upper, l->lower + 1, what[run->par.evaluate]);
}

void ibcc_tell(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what, char *buf,
               size_t size)
{
    const ibcc_run *run = cop_net_cc_net(net);
    (void)what;
    if (!(p->flags & COP_PKT_CONTROL))
        say_mark(run, &run->lane[(size_t)port * run->sections + cop_net_section(net, p)], buf,
                 size);
    else if (((const ibcc_cfg *)cop_net_cc_cfg(net))->level == IBCC_SL)
        snprintf(buf, size, "for service level %u of host %u", p->sl, p->dst);
    else
        snprintf(buf, size, "for the queue pair %u -> %u", p->dst, p->src);
}

bool ibcc_rested(struct cop_net *net, char *buf, size_t size)
{
    const ibcc_run *run = cop_net_cc_net(net);
    const cop_topo *t = cop_net_info(net)->topo;
    uint32_t least = UINT32_MAX;
    char threshold[32], most[128];
    if (cop_net_marked(net) > 0 || run->starved > 0)
        return false;
    for (size_t i = 0; i < (size_t)t->host_port0 * run->sections; i++)
        least = run->lane[i].upper < least ? run->lane[i].upper : least;
    if (least == UINT32_MAX)
        snprintf(buf, size, "all thresholds are 0, so that nothing is marked");
    else
        snprintf(
            buf, size,
            "nothing was marked: no output that has credit (a root) was above its threshold of "
            "%s; most that waited at a sample: %s",
            cop_print_bytes(least, threshold, sizeof(threshold)),
            cop_net_most_waiting(net, most, sizeof(most)));
    return true;
}
