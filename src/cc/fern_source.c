/* Fernandez and Garcia: what a source does. A source is a host, whatever the destination.
 *
 * Delay    before each new message, from the end of the one before; steps x `step`.
 * One      a message of congestion: one step more; each `timeout` since then, or since the last one that ran out: one
 *          less, not below 0. No timer runs: timeouts are made up for when somebody asks.
 * Two      a message of congestion: one step if there was none, and from now on one more after every `messages` that
 *          the source injects; a message of no congestion: from now on one less after as many, until there is none.
 *          `growth: geometric`: n steps are a delay of 2^(n - 1) x `step`.
 * Source   Fernandez and Garcia, sections 3.3, 3.5, 4 and 5; M-fern-1, M-fern-2, M-fern-throttle, G-fern-7. */
#include "cc/fern.h"

const char *const fern_growth_names[] = {"linear", "geometric", NULL};
const cop_value fern_flow_values[] = {
    {"delay", "ns"}, {"congestion", "messages"}, {"limited", ""}, {NULL, NULL}};

#define MOST_DOUBLINGS 20u

cop_time fern_delay(const fern_cfg *cfg, uint32_t steps)
{
    if (cfg->growth == FERN_LINEAR || steps == 0)
        return cfg->step_ps * steps;
    return cfg->step_ps << (steps - 1 < MOST_DOUBLINGS ? steps - 1 : MOST_DOUBLINGS);
}

void fern_settle(const fern_cfg *cfg, fern_source *f, cop_time now)
{
    if (f->steps == 0)
        return;
    uint64_t out = (now - f->since) / cfg->timeout_ps;
    f->steps = out < f->steps ? f->steps - (uint32_t)out : 0;
    f->since += out * cfg->timeout_ps;
}

void fern_hear_one(const fern_cfg *cfg, fern_source *f, cop_time now)
{
    fern_settle(cfg, f, now);
    f->since = now;
    f->heard++;
    f->steps += f->steps < (uint32_t)cfg->limit;
}

/* A source heeds the latest message, whichever lane it is of (ours: the paper does not say what several lanes do that blame
 * one source), and begins to count anew with each (ours). A routing with a choice lets messages overtake each other: one
 * that was made before the latest is news no longer, or the end of congestion could come before its beginning. */
void fern_hear_two(fern_source *f, enum fern_word word, cop_time made)
{
    if (made < f->made)
        return;
    f->made = made;
    f->rising = word == FERN_CONGESTION;
    f->heard += f->rising;
    f->count = 0;
    if (f->rising && f->steps == 0)
        f->steps = 1;
}

void fern_injected(const fern_cfg *cfg, fern_source *f)
{
    if (f->steps == 0 || ++f->count < cfg->messages)
        return;
    f->count = 0;
    if (!f->rising)
        f->steps--;
    else if (f->steps < (uint32_t)cfg->limit)
        f->steps++;
}

/* The delay shrinks while the message waits: with n steps now, k timeouts from now on it is n - k steps, and lasts from
 * since + k T until since + (k + 1) T. The first k for which sent + (n - k) step lies before the latter. */
cop_time fern_next_one(const fern_cfg *cfg, fern_source *f, cop_time now)
{
    fern_settle(cfg, f, now);
    if (f->steps == 0 || f->inside)
        return now;
    uint64_t step = cfg->step_ps, timeout = cfg->timeout_ps, k = 0;
    cop_time whole = f->sent + f->steps * step, first = f->since + timeout;
    if (whole >= first)
        k = (whole - first) / (timeout + step) + 1;
    if (k >= f->steps)
        return f->since + f->steps * timeout;
    return cop_max64(f->since + k * timeout, whole - k * step);
}

bool fern_sent(struct cop_net *net, fern_source *f, const cop_pkt *p)
{
    f->inside = !(p->flags & COP_PKT_LAST);
    if (f->inside)
        return false;
    f->sent = cop_net_now(net) + cop_net_inject_time(net, p->src, p->bytes);
    return true;
}

cop_time fern_one_next_send(struct cop_net *net, void *flow, cop_time now)
{
    return fern_next_one(cop_net_cc_cfg(net), flow, now);
}

void fern_one_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    (void)fern_sent(net, flow, p);
}

void fern_one_on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    if (!(p->flags & COP_PKT_CNP))
        return;
    fern_came(net, p);
    fern_hear_one(cop_net_cc_cfg(net), flow, cop_net_now(net));
}

double fern_flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which)
{
    const fern_cfg *cfg = cop_net_cc_cfg(net);
    fern_source f = *(const fern_source *)flow;
    (void)src;
    if (cfg->messages == 0)
        fern_settle(cfg, &f, cop_net_now(net));
    if (which == 2)
        return cfg->messages == 0 ? f.steps > 0 : f.rising;
    return which == 0 ? (double)fern_delay(cfg, f.steps) / COP_NS : f.heard;
}
