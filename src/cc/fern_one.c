/* Approach 1 of Fernandez and Garcia: switches check their buffers every so many routings and
 * notify the culprit; that source adds a step to its delay for every such message, and removes one
 * for every timeout.
 *
 * Check    every `every` routings of a switch: for each lane of it that is congested one message to
 *          its culprit (section 4: the estimator is of each virtual channel, and when it exceeds
 *          the threshold a message is sent).
 *          `culprits: switch`: one message to the culprit of all such lanes, as section 3.3 can be
 *          read, too.
 * See fern.h for its parts. Source: Fernandez and Garcia, sections 3.3 (1) and 4; M-fern-1. */
#include "cc/fern.h"

#include "base/opt.h"

static const cop_opt opts[] = {{FERN_EVERY},
                               {FERN_THRESHOLD},
                               {FERN_DETECTOR},
                               {FERN_PERIOD},
                               {FERN_HYSTERESIS},
                               {FERN_HISTORY},
                               {FERN_CULPRITS},
                               {FERN_TIMEOUT},
                               {FERN_STEP},
                               {FERN_RESTORE},
                               {FERN_LIMIT},
                               {FERN_NOTIFY},
                               {0}};

static void tell_culprit(struct cop_net *net, uint32_t in, uint32_t vl)
{
    cop_header culprit;
    if (fern_vote(net, in, vl, &culprit))
        fern_tell(net, in, vl, &culprit, FERN_CONGESTION);
}

static void on_route(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    fern_look(net, in, p, tell_culprit);
}

const cop_cc_ops cop_cc_fern_one = {
    .name = "fern-1",
    .summary =
        "switches tell the source most often seen where buffers fill; it delays its messages",
    .source = "Fernandez and Garcia, approach 1; M-fern-1",
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
