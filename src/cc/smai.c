/* Timeouts and a signal to all: a message that waits in an input buffer for too long raises a
 * signal, which dedicated lines carry to every node; all nodes then inject less.
 *
 * Signal   a message has been in a switch input for more than `timeout` and has not begun to leave.
 *          It reaches all nodes `reach` later; the lines carry nothing else and take no bandwidth
 *          of the network.
 * Reaction the delay before each new message, from the end of the previous one: at the end of each
 *          `period` one step more if a signal came in it, else one less, not below 0. A signal
 *          reaches all nodes at the same time, so there is one state for all.
 * State    a ring of the messages that came in during the last timeout + reach, in order; a message
 *          stores its place (p->cc). No events: each call continues where the previous one ended.
 * Source   Smai and Thorelli 1998, as Fernandez and Garcia, section 2 describes it; timeout, reach,
 *          amount and release are ours. */
#include "base/opt.h"
#include "cc/cc_all.h"

#include <stdio.h>

typedef struct smai_cfg {
    uint64_t timeout_ps, reach_ps, step_ps, period_ps;
    int64_t limit;
} smai_cfg;

typedef struct smai_entry {
    cop_time came;
    bool left; /* in time */
} smai_entry;

typedef struct smai_net {
    smai_entry *ring;
    uint32_t at, end, mask; /* oldest, behind the newest (both count on), capacity - 1 */
    uint64_t period; /* number of the present one */
    bool heard; /* a signal, in it */
    uint32_t steps;
    uint64_t signals; /* counter */
    cop_time longest; /* time of a message in an input, if it left */
} smai_net;

typedef struct smai_source {
    cop_time sent; /* end of the last message */
    bool inside; /* a message has begun and not ended */
} smai_source;

#define S(field) offsetof(smai_cfg, field)
static const cop_opt opts[] = {
    {"timeout", COP_OPT_TIME, S(timeout_ps), "256 ns", 1, 1e12, NULL,
     "a message that waits longer in an input raises the signal (ours)"},
    {"reach", COP_OPT_TIME, S(reach_ps), "24 ns", 1, 1e12, NULL,
     "until all nodes have heard it (ours)"},
    {"step", COP_OPT_TIME, S(step_ps), "32 ns", 1, 1e12, NULL,
     "of the delay before each new message (ours)"},
    {"period", COP_OPT_TIME, S(period_ps), "64 ns", 1, 1e12, NULL,
     "after which the delay has one step more or less (ours)"},
    {"limit", COP_OPT_INT, S(limit), "2", 1, 65536, NULL, "most steps of the delay (ours)"},
    {0}};

/* Refused: no period with a signal can end within this run. */
static int check(const void *config, const cop_netinfo *info, cop_err *err)
{
    const smai_cfg *cfg = config;
    char have[32], span[32];
    uint64_t heard = cfg->timeout_ps + cfg->reach_ps;
    uint64_t first = (heard / cfg->period_ps + 1) * cfg->period_ps;
    if (first < info->duration_ps)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "no source slows down before %s (timeout and reach, then the end of that "
                       "period), and the run ends after %s; give less, or make run.duration longer",
                       cop_print_time(first, have, sizeof(have)),
                       cop_print_time(info->duration_ps, span, sizeof(span)));
}

#define FIRST_ENTRIES 1024u

static void start(struct cop_net *net)
{
    smai_net *all = cop_net_cc_net(net);
    all->mask = FIRST_ENTRIES - 1;
    all->ring = cop_net_cc_alloc(net, FIRST_ENTRIES, sizeof(smai_entry));
}

static void end_periods(const smai_cfg *cfg, smai_net *all, cop_time t)
{
    uint64_t now = t / cfg->period_ps, quiet = now - all->period;
    if (quiet == 0)
        return;
    if (all->heard) {
        all->steps += all->steps < (uint32_t)cfg->limit;
        quiet--;
    }
    all->steps = quiet < all->steps ? all->steps - (uint32_t)quiet : 0;
    all->heard = false;
    all->period = now;
}

/* Apply the signals that have arrived by `now`. */
static void go_on(const smai_cfg *cfg, smai_net *all, cop_time now)
{
    for (; all->at != all->end; all->at++) {
        const smai_entry *e = &all->ring[all->at & all->mask];
        cop_time heard = e->came + cfg->timeout_ps + cfg->reach_ps;
        if (heard >= now)
            break;
        if (e->left)
            continue;
        end_periods(cfg, all, heard);
        all->heard = true;
        all->signals++;
    }
    end_periods(cfg, all, now);
}

/* More messages have come within a timeout than ever before. */
static void grow(struct cop_net *net, smai_net *all)
{
    uint32_t cap = (all->mask + 1) * 2;
    smai_entry *v = cop_net_cc_alloc(net, cap, sizeof(smai_entry));
    for (uint32_t i = all->at; i != all->end; i++)
        v[i & (cap - 1)] = all->ring[i & all->mask];
    all->ring = v;
    all->mask = cap - 1;
}

static void on_enqueue(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p)
{
    smai_net *all = cop_net_cc_net(net);
    (void)in, (void)out;
    if (p->flags & COP_PKT_CONTROL)
        return;
    go_on(cop_net_cc_cfg(net), all, cop_net_now(net));
    if (all->end - all->at > all->mask)
        grow(net, all);
    p->cc = all->end;
    all->ring[all->end++ & all->mask] = (smai_entry){.came = cop_net_now(net)};
}

static void on_leave(struct cop_net *net, uint32_t in, uint32_t vl, const cop_pkt *p, cop_time t)
{
    const smai_cfg *cfg = cop_net_cc_cfg(net);
    smai_net *all = cop_net_cc_net(net);
    (void)in, (void)vl, (void)t;
    if ((p->flags & COP_PKT_CONTROL) || p->cc - all->at >= all->end - all->at)
        return; /* its time ended long ago */
    smai_entry *e = &all->ring[p->cc & all->mask];
    e->left = cop_net_now(net) - e->came <= cfg->timeout_ps;
    all->longest = cop_max64(all->longest, cop_net_now(net) - e->came);
}

/* The delay is read when it ends: if it has grown meanwhile, the message waits on. */
static cop_time next_send(struct cop_net *net, void *flow, cop_time now)
{
    const smai_cfg *cfg = cop_net_cc_cfg(net);
    smai_net *all = cop_net_cc_net(net);
    const smai_source *f = flow;
    go_on(cfg, all, now);
    return f->inside ? now : f->sent + all->steps * cfg->step_ps;
}

static void on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    smai_source *f = flow;
    f->inside = !(p->flags & COP_PKT_LAST);
    if (!f->inside)
        f->sent = cop_net_now(net) + cop_net_inject_time(net, p->src, p->bytes);
}

static const cop_value flow_values[] = {{"delay", "ns"}, {NULL, NULL}};
static const cop_value counters[] = {{"smai_signals", ""}, {NULL, NULL}};

static double flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which)
{
    const smai_cfg *cfg = cop_net_cc_cfg(net);
    smai_net *all = cop_net_cc_net(net);
    (void)flow, (void)src, (void)which;
    go_on(cfg, all, cop_net_now(net));
    return (double)(all->steps * cfg->step_ps) / COP_NS;
}

static double counter(struct cop_net *net, unsigned which)
{
    (void)which;
    return (double)((const smai_net *)cop_net_cc_net(net))->signals;
}

static bool rested(struct cop_net *net, char *buf, size_t size)
{
    const smai_cfg *cfg = cop_net_cc_cfg(net);
    smai_net *all = cop_net_cc_net(net);
    char longest[32], timeout[32];
    go_on(cfg, all, cop_net_now(net));
    if (all->signals > 0)
        return false;
    snprintf(buf, size,
             "no signal was heard: no message stood in a switch input for more than %s (timeout); "
             "the longest that left had stood for %s",
             cop_print_time(cfg->timeout_ps, timeout, sizeof(timeout)),
             cop_print_time(all->longest, longest, sizeof(longest)));
    return true;
}

const cop_cc_ops cop_cc_smai = {
    .name = "smai",
    .side_band =
        "section 2 of Fernandez and Garcia: dedicated lines carry the signal to all nodes, `reach` "
        "later",
    .summary = "a message that waits too long in a switch raises a signal; all sources slow down",
    .source = "Smai and Thorelli 1998, as Fernandez and Garcia describe it; values ours; M-smai",
    .opts = opts,
    .in_cycles = true,
    .cfg_size = sizeof(smai_cfg),
    .flow_size = sizeof(smai_source),
    .net_size = sizeof(smai_net),
    .facts = cop_cc_per_source,
    .check = check,
    .start = start,
    .at_switch.on_enqueue = on_enqueue,
    .at_switch.on_leave = on_leave,
    .at_source.next_send = next_send,
    .at_source.on_send = on_send,
    .shown.flow_values = flow_values,
    .shown.flow_value = flow_value,
    .shown.counters = counters,
    .shown.counter = counter,
    .shown.rested = rested,
};
