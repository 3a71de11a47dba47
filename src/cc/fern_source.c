/* Fernandez and Garcia: reaction of sources. A source is a host, for all destinations together.
 *
 * Delay    before each new message, from the end of the previous one; steps x `step`.
 * One      a message of congestion: one step more; each `timeout` since then, or since the last
 *          expiry: one less, not below 0. No events: expiries are applied when the delay is read.
 * Two      a message of congestion: one step if there was none, and from now on one more after
 *          every `messages` that the source injects; a message of no congestion: from now on one
 *          less after as many, until there is none.
 * Restore  `linear` one step each time, as said; `geometric` half of them; `logarithmic` n0 (1 -
 *          lg(1 + k) / lg(1 + n0)) are left of n0 after k times.
 *          `growth: geometric`: n steps are a delay of 2^(n - 1) x `step`.
 * Source   Fernandez and Garcia, sections 3.3, 3.5, 4 and 5; M-fern-1, M-fern-2, M-fern-throttle,
 *          G-fern-7. */
#include "cc/fern.h"

const char *const fern_growth_names[] = {"linear", "geometric", NULL};
const char *const fern_restore_names[] = {"linear", "geometric", "logarithmic", NULL};
const cop_value fern_flow_values[] = {
    {"delay", "ns"}, {"congestion", "messages"}, {"limited", ""}, {NULL, NULL}};

#define MOST_DOUBLINGS 20u

cop_time fern_delay(const fern_cfg *cfg, uint32_t steps)
{
    if (cfg->growth == FERN_LINEAR || steps == 0)
        return cfg->step_ps * steps;
    return cfg->step_ps << (steps - 1 < MOST_DOUBLINGS ? steps - 1 : MOST_DOUBLINGS);
}

/* Logarithm to base 2 in 1/256, straight between powers of two. */
static uint64_t lg(uint64_t x)
{
    unsigned whole = 63u - (unsigned)__builtin_clzll(x);
    return whole * 256u + ((x << 8) >> whole) - 256u;
}

uint32_t fern_left(const fern_cfg *cfg, uint32_t from, uint32_t times)
{
    if (times >= from)
        return 0;
    if (cfg->restore == FERN_BY_STEPS)
        return from - times;
    if (cfg->restore == FERN_BY_HALVES)
        return times < 32 ? from >> times : 0;
    return from - (uint32_t)(from * lg(1 + (uint64_t)times) / lg(1 + (uint64_t)from));
}

/* Restore the delay `times` times more. */
static void restore(const fern_cfg *cfg, fern_source *f, uint64_t times)
{
    f->back = times < f->from - f->back ? f->back + (uint32_t)times : f->from;
    f->steps = fern_left(cfg, f->from, f->back);
}

/* Begin to restore from the present number of steps. */
static void begin(fern_source *f)
{
    f->from = f->steps;
    f->back = 0;
}

void fern_settle(const fern_cfg *cfg, fern_source *f, cop_time now)
{
    if (f->steps == 0)
        return;
    uint64_t out = (now - f->since) / cfg->timeout_ps;
    restore(cfg, f, out);
    f->since += out * cfg->timeout_ps;
}

void fern_hear_one(const fern_cfg *cfg, fern_source *f, cop_time now)
{
    fern_settle(cfg, f, now);
    f->since = now;
    f->heard++;
    f->steps += f->steps < (uint32_t)cfg->limit;
    begin(f);
}

/* A source obeys the latest message, of any lane (ours: the paper does not treat several lanes that
 * blame one source), and each restarts its count (ours). With a choice of routes messages can
 * overtake each other: one made before the latest is ignored, else the end of congestion could come
 * before its beginning. */
void fern_hear_two(fern_source *f, enum fern_word word, cop_time made)
{
    if (made < f->made)
        return;
    f->made = made;
    if (f->rising && word == FERN_NO_CONGESTION)
        begin(f);
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
        restore(cfg, f, 1);
    else if (f->steps < (uint32_t)cfg->limit)
        f->steps++;
}

/* The delay shrinks while the message waits: k timeouts from now on it is n(k) steps, and lasts
 * from since + k T until since + (k + 1) T. The first k for which sent + n(k) step lies before the
 * latter, which grows while the former shrinks. */
cop_time fern_next_one(const fern_cfg *cfg, fern_source *f, cop_time now)
{
    fern_settle(cfg, f, now);
    if (f->steps == 0 || f->inside)
        return now;
    uint64_t step = cfg->step_ps, timeout = cfg->timeout_ps, k = 0;
    for (uint64_t end = f->from - f->back; k < end;) {
        uint64_t mid = k + (end - k) / 2;
        uint32_t left = fern_left(cfg, f->from, f->back + (uint32_t)mid);
        if (left == 0 || f->sent + left * step < f->since + (mid + 1) * timeout)
            end = mid;
        else
            k = mid + 1;
    }
    uint32_t left = fern_left(cfg, f->from, f->back + (uint32_t)k);
    cop_time then = f->since + k * timeout;
    return left == 0 ? then : cop_max64(then, f->sent + left * step);
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
    return fern_next_one(fern_cfg_of(net), flow, now);
}

void fern_one_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    if (fern_sent(net, flow, p) && COP_UNLIKELY(cop_net_watched(net)))
        fern_says_delay(net, p->src, flow);
}

void fern_one_on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    if (!(p->flags & COP_PKT_CNP))
        return;
    fern_came(net, p);
    fern_hear_one(fern_cfg_of(net), flow, cop_net_now(net));
}

double fern_flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which)
{
    const fern_cfg *cfg = fern_cfg_of(net);
    fern_source f = *(const fern_source *)flow;
    (void)src;
    if (cfg->messages == 0)
        fern_settle(cfg, &f, cop_net_now(net));
    if (which == 2)
        return cfg->messages == 0 ? f.steps > 0 : f.rising;
    return which == 0 ? (double)fern_delay(cfg, f.steps) / COP_NS : f.heard;
}
