/* Shared by the local limits of injection; see limit.h. */
#include "cc/limit.h"

#include <stdio.h>

const char *const limit_free_names[] = {"room", "empty", NULL};
const cop_value limit_counters[] = {{"limit_asked", ""}, {"limit_held", ""}, {NULL, NULL}};

int limit_check(const void *config, const cop_netinfo *info, cop_err *err)
{
    const limit_cfg *cfg = config;
    if (cfg->free != LIMIT_EMPTY || info->tells_used)
        return 0;
    return cop_err_add(
        err, COP_E_INPUT,
        "free: empty is not known with on-off flow control, which never tells what is "
        "left behind a link; set free to room, or flow_control.kind to credit");
}

bool limit_is_free(struct cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p)
{
    const limit_cfg *cfg = cop_net_cc_cfg(net);
    return cfg->free == LIMIT_ROOM ? cop_net_lane_room(net, port, vl, p)
                                   : cop_net_lane_empty(net, port, vl, p);
}

uint32_t limit_busy(struct cop_net *net, uint32_t in, const cop_pkt *p, uint32_t *all)
{
    const cop_netinfo *info = cop_net_info(net);
    const cop_topo *t = info->topo;
    uint32_t sw = t->port[in].owner, busy = 0;
    *all = 0;
    for (uint32_t port = t->sw_port0[sw]; port < t->sw_port0[sw + 1]; port++) {
        if (t->port[port].to == COP_NONE || cop_net_faces_host(net, port))
            continue;
        uint32_t lanes = cop_net_port_lanes(net, port);
        for (uint32_t vl = 0; vl < lanes; vl++)
            busy += !limit_is_free(net, port, vl, p);
        *all += lanes;
    }
    return busy;
}

bool limit_answer(struct cop_net *net, bool admits)
{
    limit_net *all = cop_net_cc_net(net);
    all->asked++;
    all->held += !admits;
    return admits;
}

double limit_counter(struct cop_net *net, unsigned which)
{
    const limit_net *all = cop_net_cc_net(net);
    return (double)(which == 0 ? all->asked : all->held);
}

bool limit_rested(struct cop_net *net, char *buf, size_t size)
{
    const limit_net *all = cop_net_cc_net(net);
    if (all->held > 0)
        return false;
    snprintf(buf, size, "switches let in all of %" PRIu64 " messages at the first try", all->asked);
    return true;
}
