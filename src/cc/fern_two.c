/* Approach 2 of Fernandez and Garcia: a lane that becomes congested notifies one source, and again
 * when it is no longer congested; in between the source's delay grows with every so many messages
 * that it injects.
 *
 * Received a message comes to a lane: if then more than `threshold` buffers are in use, a message
 *          of congestion goes to the culprit, which the lane remembers. If `detections` in a row
 *          found another culprit than that, the old one gets a message of no congestion, and the
 *          new one a message of congestion. Else nothing is sent.
 * Routed   the head of a lane is routed: if fewer than the lower threshold are in use, the
 *          remembered culprit gets a message of no congestion, and is dropped. So with one
 *          threshold of 2, exactly 2 change nothing. Likewise as the last one leaves (ours; on one
 *          queue per lane it was alone when it was routed).
 * See fern.h for its parts. Source: Fernandez and Garcia, sections 3.3 (2) and 5; M-fern-2. */
#include "cc/fern.h"

#include "base/opt.h"

#include <inttypes.h>

static const cop_opt opts[] = {{FERN_MESSAGES},   {FERN_THRESHOLD},
                               {FERN_DETECTOR},   {FERN_PERIOD},
                               {FERN_HYSTERESIS}, {FERN_HISTORY},
                               {FERN_STEP},       {FERN_RESTORE},
                               {FERN_GROWTH},     {FERN_TIES},
                               {FERN_DETECTIONS}, {FERN_LIMIT},
                               {FERN_NOTIFY},     {0}};

/* The message that is routed occupies a buffer: at least one is in use then. */
static int check(const void *config, const cop_netinfo *info, cop_err *err)
{
    const fern_cfg resolved = fern_resolve(config, info), *cfg = &resolved;
    if (cfg->notify != FERN_NEVER && fern_lower(cfg) < 2)
        return cop_err_add(err, COP_E_INPUT,
                           "congestion would never end: it does when a message is routed and fewer "
                           "than threshold - hysteresis buffers are in use, %" PRId64 " - %" PRId64
                           ", and that message has one; make the difference 2 or more",
                           cfg->threshold, cfg->hysteresis);
    return fern_check_config(config, info, err);
}

static void received(struct cop_net *net, uint32_t in, uint32_t vl)
{
    const fern_cfg *cfg = fern_cfg_of(net);
    fern_net *all = cop_net_cc_net(net);
    fern_lane *l = fern_lane_of(net, in, vl);
    cop_header culprit;
    all->checks++;
    if (!fern_above(cfg, fern_level(cfg, l, cop_net_now(net))) || !fern_vote(net, in, vl, &culprit))
        return;
    all->found++;
    all->changes += !l->blames;
    if (l->blames && l->culprit.src == culprit.src)
        l->others = 0;
    if (l->blames && (l->culprit.src == culprit.src || ++l->others < cfg->detections))
        return;
    if (l->blames)
        fern_tell(net, in, vl, &l->culprit, FERN_NO_CONGESTION);
    fern_tell(net, in, vl, &culprit, FERN_CONGESTION);
    l->culprit = culprit;
    l->others = 0;
    l->blames = true;
}

static void on_enqueue(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p)
{
    fern_count_in(net, in, out, p);
    if (!(p->flags & COP_PKT_CONTROL) && !cop_net_fed_by_host(net, in))
        received(net, in, p->vl);
}

static void over(struct cop_net *net, uint32_t in, uint32_t vl)
{
    fern_lane *l = fern_lane_of(net, in, vl);
    ((fern_net *)cop_net_cc_net(net))->changes++;
    fern_tell(net, in, vl, &l->culprit, FERN_NO_CONGESTION);
    l->blames = false;
}

static void on_route(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    const fern_cfg *cfg = fern_cfg_of(net);
    fern_lane *l = fern_lane_of(net, in, p->vl);
    (void)fern_routed(net, in, p);
    if ((p->flags & COP_PKT_CONTROL) || !l->blames ||
        fern_level(cfg, l, cop_net_now(net)) >= (uint64_t)fern_lower(cfg) * FERN_ONE)
        return;
    over(net, in, p->vl);
}

/* Heads of several queues of a lane may have been routed while more were there: after the last one
 * no message will be routed. */
static void on_leave(struct cop_net *net, uint32_t in, uint32_t vl, const cop_pkt *p, cop_time t)
{
    fern_count_out(net, in, vl, p, t);
    fern_lane *l = fern_lane_of(net, in, vl);
    if (!(p->flags & COP_PKT_CONTROL) && l->blames && l->waiting == 0)
        over(net, in, vl);
}

static cop_time next_send(struct cop_net *net, void *flow, cop_time now)
{
    const fern_source *f = flow;
    return f->steps == 0 || f->inside ? now : f->sent + fern_delay(fern_cfg_of(net), f->steps);
}

static void on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    if (!fern_sent(net, flow, p))
        return;
    fern_injected(fern_cfg_of(net), flow);
    if (COP_UNLIKELY(cop_net_watched(net)))
        fern_says_delay(net, p->src, flow);
}

static void on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    if (!(p->flags & COP_PKT_CNP))
        return;
    fern_came(net, p);
    fern_hear_two(flow, (enum fern_word)p->cc, p->t_gen);
}

const cop_cc_ops cop_cc_fern_two = {
    .name = "fern-2",
    .summary =
        "lanes tell a source when buffers fill and when they do no longer; its delay follows",
    .source = "Fernandez and Garcia, approach 2; M-fern-2",
    .opts = opts,
    .in_cycles = true,
    .at_switch.on_enqueue = on_enqueue,
    .at_switch.on_route = on_route,
    .at_switch.on_leave = on_leave,
    .at_source.next_send = next_send,
    .at_source.on_send = on_send,
    .at_source.on_control = on_control,
    .check = check,
    FERN_PARTS,
};
