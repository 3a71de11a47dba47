/* Local throttling: the detection and the delay of Fernandez and Garcia's approach 1, but the node
 * that detects congestion notifies its own hosts. The paper mentions it as the simplest mechanism,
 * which can be unfair: neighbours send on, and use the bandwidth that the node leaves.
 *
 * See fern.h for its parts. Source: Fernandez and Garcia, section 3.2. The paper gives no rule.
 * Ours: all is as in approach 1 except the receivers of messages; a check notifies the hosts once
 * for each congested lane. */
#include "cc/fern.h"

#include "base/opt.h"

static const cop_opt opts[] = {{FERN_EVERY},      {FERN_THRESHOLD}, {FERN_DETECTOR}, {FERN_PERIOD},
                               {FERN_HYSTERESIS}, {FERN_CULPRITS},  {FERN_TIMEOUT},  {FERN_STEP},
                               {FERN_RESTORE},    {FERN_LIMIT},     {FERN_NOTIFY},   {0}};

/* From the input of a lane, or of the switch: to each host of the switch. */
static void tell_own_hosts(struct cop_net *net, uint32_t in, uint32_t vl)
{
    const cop_topo *t = cop_net_info(net)->topo;
    uint32_t sw = t->port[in].owner;
    cop_header own;
    for (uint32_t i = t->sw_port0[sw]; i < t->sw_port0[sw + 1]; i++)
        if (cop_net_fed_by_host(net, i) &&
            cop_net_header_of_host(net, t->port[i].from - t->host_port0, &own))
            fern_tell(net, in, vl, &own, FERN_CONGESTION);
}

static void on_route(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    fern_look(net, in, p, tell_own_hosts);
}

const cop_cc_ops cop_cc_fern_local = {
    .name = "fern-local",
    .summary = "hosts of a switch whose buffers fill delay their messages, culprits or not",
    .source = "Fernandez and Garcia, section 3.2; the rule is ours",
    .opts = opts,
    .in_cycles = true,
    .at_switch.on_enqueue = fern_count_in,
    .at_switch.on_route = on_route,
    .at_source.next_send = fern_one_next_send,
    .at_source.on_send = fern_one_on_send,
    .at_source.on_control = fern_one_on_control,
    .check = fern_check_config,
    .at_switch.on_leave = fern_count_out,
    FERN_PARTS,
};
