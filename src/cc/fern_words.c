/* The congestion controls of tori in words: content of a message, and why a run made none. */
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

/* Messages in the lane; COP_NONE: in the fullest lane of the input. */
static uint32_t used_of(struct cop_net *net, uint32_t in, uint32_t vl)
{
    const fern_net *all = cop_net_cc_net(net);
    uint32_t most = 0;
    for (uint32_t i = 0; i < all->lanes; i++) {
        uint32_t used = fern_used(fern_lane_of(net, in, i), cop_net_now(net));
        if ((vl == COP_NONE || vl == i) && used > most)
            most = used;
    }
    return most;
}

void fern_says_told(struct cop_net *net, uint32_t in, uint32_t vl, const cop_header *to,
                    enum fern_word word)
{
    const fern_cfg *cfg = fern_cfg_of(net);
    char text[200], lane[24] = "its lanes";
    if (vl != COP_NONE)
        snprintf(lane, sizeof(lane), "lane %u", vl);
    uint32_t used = used_of(net, in, vl);
    if (word == FERN_CONGESTION)
        snprintf(text, sizeof(text),
                 "congestion, %u buffers of %s in use, threshold %" PRId64 ": host %u is told",
                 used, lane, cfg->threshold, to->src);
    else if (used >= fern_lower(cfg))
        snprintf(text, sizeof(text), "another culprit of %s: host %u is told it is over", lane,
                 to->src);
    else
        snprintf(text, sizeof(text),
                 "no congestion any more, %u buffers of %s in use, lower threshold %u: host %u is "
                 "told",
                 used, lane, fern_lower(cfg), to->src);
    cop_net_cc_says(net, in, text);
}

void fern_says_heard(struct cop_net *net, uint32_t host, const fern_source *f, enum fern_word word)
{
    char text[120];
    snprintf(text, sizeof(text), "told at once of %s: delay %.6g ns, %u heard",
             word == FERN_CONGESTION ? "congestion" : "no congestion any more",
             fern_flow_value(net, f, host, 0), f->heard);
    cop_net_cc_says(net, cop_net_info(net)->topo->host_port0 + host, text);
}

void fern_says_delay(struct cop_net *net, uint32_t host, const fern_source *f)
{
    char text[80];
    double delay = fern_flow_value(net, f, host, 0);
    if (delay <= 0.0)
        return;
    snprintf(text, sizeof(text), "the next message waits for a delay of %.6g ns", delay);
    cop_net_cc_says(net, cop_net_info(net)->topo->host_port0 + host, text);
}

bool fern_rested(struct cop_net *net, char *buf, size_t size)
{
    const fern_net *all = cop_net_cc_net(net);
    const fern_cfg *cfg = &all->cfg; /* no `auto` is left in it */
    char most[128];
    if (all->told > 0)
        return false;
    if (all->cfg.notify == FERN_NEVER) {
        snprintf(buf, size,
                 "no source was told, as `notify: never` says; switches looked %" PRIu64
                 " times, and %" PRIu64 " times a lane was congested",
                 all->checks, all->found);
        return true;
    }
    snprintf(
        buf, size,
        "no source was told: switches looked %" PRIu64 " times, %" PRIu64 " lanes had more than "
        "%" PRId64 " buffers in use; most that waited for an output at a sample: %s",
        all->checks, all->found, cfg->threshold, cop_net_most_waiting(net, most, sizeof(most)));
    return true;
}
