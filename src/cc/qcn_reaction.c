/* QCN reaction points: a rate limit per flow, or (`limit: host`) for all traffic of a host on a
 * service level: the standard allows one limit for many flows, and of thousands of flows few would
 * ever get a notification.
 *
 * Less     a notification with feedback F: the target becomes the rate, unless no cycle has ended
 *          since the last one; rate x (1 - gd F), at least half of it and `min_rate`; byte counter
 *          and timer begin anew.
 * More     a byte cycle ends after `bytes` sent, a timer cycle after `timer`, both half as long
 *          from cycle `recovery` on. Each end of a cycle moves the rate half way to the target.
 *          Before that the target rises: not at all while both counts are below `recovery` (fast
 *          recovery), by `increase` if one is (active increase), by i x `hyper_increase` if none
 *          is, i the lesser count above it. At the rate of the link the limit ends.
 * Timing   a packet starts no earlier than bytes / rate after the start of the previous one. Cycles
 *          of the timer are computed when the rate is read; no event is needed.
 * Source   IEEE 802.1Qau 30.3; M-qcn-rp. */
#include "cc/qcn.h"

#define BYTES_PER_PS(bps) ((double)(bps) / 8e12)
#define MOST_CYCLES 64 /* computed ahead at once: a timer may be absurdly short */

static double link_rate(const struct cop_net *net, uint32_t host)
{
    return 65536.0 / (double)cop_net_inject_time(net, host, 65536);
}

static bool recovering(const qcn_cfg *cfg, uint32_t stage)
{
    return stage < (uint32_t)cfg->recovery;
}

static void end_of_cycle(const qcn_cfg *cfg, qcn_flow *f, double most)
{
    bool bytes = recovering(cfg, f->byte_stage), time = recovering(cfg, f->time_stage);
    uint32_t least = f->byte_stage < f->time_stage ? f->byte_stage : f->time_stage;
    if (!bytes && !time)
        f->target += BYTES_PER_PS(cfg->hai_bps) * (double)(least - (uint32_t)cfg->recovery + 1);
    else if (!bytes || !time)
        f->target += BYTES_PER_PS(cfg->ai_bps);
    if (f->target > most)
        f->target = most;
    f->rate = (f->rate + f->target) / 2.0;
    if (f->rate > most * 0.999999)
        f->rate = 0.0; /* as fast as the link */
}

static cop_time timer_cycle(const qcn_cfg *cfg, const qcn_flow *f)
{
    return recovering(cfg, f->time_stage) ? cfg->timer_ps : cfg->timer_ps / 2;
}

/* The end of a timer cycle. */
static void cycle(const qcn_cfg *cfg, qcn_flow *f, double most)
{
    f->time_stage++;
    end_of_cycle(cfg, f, most);
    f->timer += timer_cycle(cfg, f);
}

/* Apply timer cycles that have ended by now. */
static void settle(const struct cop_net *net, qcn_flow *f, uint32_t host, cop_time now)
{
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    while (f->rate > 0.0 && f->timer <= now)
        cycle(cfg, f, link_rate(net, host));
}

/* When the next packet may go, if after the end of this timer cycle: only cycles that end before
 * raise the rate until a packet is sent. Computed ahead, so that no call per cycle is needed. A
 * notification in between makes it later: the call at the computed time returns the new one. */
static cop_time after_cycles(const qcn_cfg *cfg, const qcn_flow *flow, double most)
{
    qcn_flow f = *flow;
    for (int k = 0; k < MOST_CYCLES; k++) {
        cop_time end = f.timer;
        cycle(cfg, &f, most);
        if (f.rate == 0.0)
            return end;
        cop_time t = cop_max64(end, f.sent + (cop_time)((double)f.bytes / f.rate));
        if (t <= f.timer)
            return t;
    }
    return f.timer;
}

cop_time qcn_next_send(struct cop_net *net, void *flow, cop_time now)
{
    qcn_flow *f = flow;
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    if (!cfg->react || f->rate == 0.0)
        return 0;
    settle(net, f, cop_net_flow_source(flow), now);
    if (f->rate == 0.0)
        return 0;
    cop_time t = f->sent + (cop_time)((double)f->bytes / f->rate);
    return t <= f->timer ? t : after_cycles(cfg, f, link_rate(net, cop_net_flow_source(flow)));
}

void qcn_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    qcn_flow *f = flow;
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    f->sent = cop_net_now(net);
    f->bytes = p->bytes;
    if (f->rate == 0.0)
        return;
    f->bytes_left -= p->bytes;
    if (f->bytes_left > 0)
        return;
    f->byte_stage++;
    end_of_cycle(cfg, f, link_rate(net, p->src));
    f->bytes_left +=
        (int64_t)(recovering(cfg, f->byte_stage) ? cfg->bytes_limit : cfg->bytes_limit / 2);
}

void qcn_on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    qcn_flow *f = flow;
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    cop_time now = cop_net_now(net);
    if (!cfg->react || !(p->flags & COP_PKT_CNP))
        return;
    settle(net, f, p->dst, now);
    bool fresh = f->rate == 0.0;
    if (fresh)
        f->rate = link_rate(net, p->dst);
    if (fresh || f->byte_stage > 0 || f->time_stage > 0)
        f->target = f->rate;
    double factor = 1.0 - cfg->gd * p->cc;
    f->rate *= factor > 0.5 ? factor : 0.5;
    if (f->rate < BYTES_PER_PS(cfg->min_bps))
        f->rate = BYTES_PER_PS(cfg->min_bps);
    f->byte_stage = f->time_stage = 0;
    f->bytes_left = (int64_t)cfg->bytes_limit;
    f->timer = now + cfg->timer_ps;
}
