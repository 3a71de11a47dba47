/* Self-tuned global throttling: all nodes get, with a delay, the number of buffers in use in the
 * network, and stop injecting while it is above a threshold, which follows the throughput.
 *
 * Side band every `gather` (n (k/2) h cycles: 24 for an 8-ary 3-cube, h = 2) the counts of that
 *          instant are sent and reach all nodes one `gather` later: messages in switch inputs that
 *          switches feed, bytes delivered to hosts, whether a host has stopped a message since the
 *          previous gather. The side band is separate from the network and takes none of its
 *          bandwidth. All nodes know the same, so there is one state for all.
 * Estimate the present count is extrapolated linearly from the last two that are known. Above the
 *          threshold: no new message.
 * Tuning   every `tune` gathers the bytes delivered in the last `tune` known gathers are compared
 *          with those of the `tune` before. Fallen by more than a quarter: threshold - `down` of
 *          all buffers; else if a message was stopped: + `up`; else unchanged. The best throughput
 *          so far is kept with its threshold and count: below half of it, the threshold returns to
 *          the lesser of the two; after `returns` such returns in a row the best is dropped.
 * Source   Thottethodi, Lebeck, Mukherjee, HPCA 2001 and IEEE TPDS 15(3), 2004, of which we have
 *          the abstracts alone: an estimate of congestion from global information, compared with a
 *          threshold, which follows the throughput. Fernandez and Garcia, section 2, describe it:
 *          one count of the occupied buffers of the whole network, separate bandwidth for the
 *          count. These texts give no value and no rule of the tuning. All values, the first
 *          threshold (`up`), and the comparison with the best are ours: set from memory of that
 *          paper, and not compared with it. */
#include "base/opt.h"
#include "cc/cc_all.h"

#include <stdio.h>

typedef struct tuned_cfg {
    uint64_t gather_ps;
    int64_t tune, returns;
    double drop, down, up, far;
} tuned_cfg;

typedef struct tuned_count {
    int64_t used; /* messages */
    uint64_t bytes; /* delivered, in all */
    bool held; /* a message was stopped since the previous count */
} tuned_count;

typedef struct tuned_net {
    int64_t buffers; /* of the network */
    tuned_count now; /* present counts, not known to nodes */
    uint64_t gathers; /* that were sent */
    tuned_count sets_out; /* in flight: known with the next gather */
    tuned_count known[2]; /* known to all nodes, the later one first */
    bool held; /* a message was stopped, in counts that became known since the last tuning */
    int64_t threshold;
    uint64_t at_tuning,
        last; /* bytes in all, known at the last tuning; bytes of the previous tuning period */
    uint64_t best;
    int64_t best_threshold, best_used;
    uint32_t returned; /* in a row */
    uint64_t tunings, refused; /* counters */
    int64_t most; /* largest known number of messages */
} tuned_net;

typedef struct tuned_source {
    bool inside; /* a message has begun and not ended */
} tuned_source;

#define T(field) offsetof(tuned_cfg, field)
static const cop_opt opts[] = {
    {"gather", COP_OPT_TIME, T(gather_ps), "24 ns", 1, 1e12, NULL,
     "time that the side band takes to tell all nodes (g): 24 cycles (ours: 12 hops at 2 cycles)"},
    {"tune", COP_OPT_INT, T(tune), "3", 1, 1e6, NULL,
     "gathers between two changes of the threshold (ours)"},
    {"drop", COP_OPT_SHARE, T(drop), "25 %", 0, 1, NULL,
     "loss of throughput above which the threshold falls (ours)"},
    {"down", COP_OPT_SHARE, T(down), "4 %", 0, 1, NULL, "of all buffers, by which it falls (ours)"},
    {"up", COP_OPT_SHARE, T(up), "1 %", 0, 1, NULL,
     "of all buffers, by which it rises; the threshold also begins there (ours)"},
    {"far", COP_OPT_SHARE, T(far), "50 %", 0, 1, NULL,
     "share of the best throughput below which the threshold of then comes back (ours)"},
    {"returns", COP_OPT_INT, T(returns), "5", 1, 1e6, NULL,
     "such returns in a row after which the best is forgotten (ours)"},
    {0}};

/* A stopped message is known at the fourth gather; the first tuning after that can change the
 * threshold. */
static int check(const void *config, const cop_netinfo *info, cop_err *err)
{
    const tuned_cfg *cfg = config;
    char have[32], span[32];
    uint64_t tune = (uint64_t)cfg->tune, first = cfg->gather_ps * ((3 + tune) / tune * tune);
    if (first < info->duration_ps)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "the threshold does not move before %s (gather times tune, four gathers at "
                       "least), and the run ends after %s; give less, or make run.duration longer",
                       cop_print_time(first, have, sizeof(have)),
                       cop_print_time(info->duration_ps, span, sizeof(span)));
}

static void start(struct cop_net *net)
{
    const tuned_cfg *cfg = cop_net_cc_cfg(net);
    const cop_netinfo *info = cop_net_info(net);
    tuned_net *all = cop_net_cc_net(net);
    int64_t lanes = 0; /* of inputs that switches feed */
    for (uint32_t in = 0; in < info->topo->host_port0; in++)
        if (info->topo->port[in].from != COP_NONE && !cop_net_fed_by_host(net, in))
            lanes += cop_net_port_lanes(net, in);
    uint64_t unit = info->block_bytes, message = (info->mtu_bytes + unit - 1) / unit;
    all->buffers = lanes * (int64_t)(info->transit_bytes / unit / message);
    all->threshold = (int64_t)(cfg->up * (double)all->buffers);
}

static int64_t between(int64_t v, int64_t most)
{
    return v < 0 ? 0 : v > most ? most : v;
}

static void tune(const tuned_cfg *cfg, tuned_net *all)
{
    uint64_t now = all->known[0].bytes - all->at_tuning;
    int64_t down = (int64_t)(cfg->down * (double)all->buffers),
            up = (int64_t)(cfg->up * (double)all->buffers);
    all->tunings++;
    if (now > all->best) {
        all->best = now;
        all->best_threshold = all->threshold;
        all->best_used = all->known[0].used;
    }
    if ((double)now < cfg->far * (double)all->best && all->held) {
        all->threshold =
            all->best_used < all->best_threshold ? all->best_used : all->best_threshold;
        if (++all->returned >= cfg->returns)
            all->best = all->returned = 0;
    } else {
        all->returned = 0;
        if ((double)now < (1.0 - cfg->drop) * (double)all->last)
            all->threshold =
                between(all->threshold - (down > 0 || cfg->down <= 0.0 ? down : 1), all->buffers);
        else if (all->held)
            all->threshold = between(all->threshold + (up > 0 ? up : 1), all->buffers);
    }
    all->last = now;
    all->at_tuning = all->known[0].bytes;
    all->held = false;
}

/* The network is empty, and the known counts are 0. */
static bool is_idle(const tuned_net *all)
{
    return all->now.used == 0 && all->known[0].used == 0 && all->known[1].used == 0 &&
           !all->now.held && !all->sets_out.held && !all->held && all->last == 0 &&
           all->now.bytes == all->at_tuning;
}

/* Send the gathers that are due by `now`; the counts have not changed since the last call. */
static void go_on(const tuned_cfg *cfg, tuned_net *all, cop_time now)
{
    for (uint64_t due = now / cfg->gather_ps; all->gathers < due;) {
        all->known[1] = all->known[0];
        all->known[0] = all->sets_out;
        all->most = all->most > all->known[0].used ? all->most : all->known[0].used;
        all->held |= all->known[0].held;
        all->sets_out = all->now;
        all->now.held = false;
        if (++all->gathers % (uint64_t)cfg->tune == 0)
            tune(cfg, all);
        if (is_idle(all))
            all->gathers = due; /* idle: no count changes until then */
    }
}

static void on_enqueue(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p)
{
    tuned_net *all = cop_net_cc_net(net);
    (void)out;
    if ((p->flags & COP_PKT_CONTROL) || cop_net_fed_by_host(net, in))
        return;
    go_on(cop_net_cc_cfg(net), all, cop_net_now(net));
    all->now.used++;
}

static void on_leave(struct cop_net *net, uint32_t in, uint32_t vl, const cop_pkt *p, cop_time t)
{
    tuned_net *all = cop_net_cc_net(net);
    (void)vl, (void)t;
    if ((p->flags & COP_PKT_CONTROL) || cop_net_fed_by_host(net, in))
        return;
    go_on(cop_net_cc_cfg(net), all, cop_net_now(net));
    all->now.used--;
}

static void on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    tuned_net *all = cop_net_cc_net(net);
    if ((p->flags & COP_PKT_CONTROL) || !cop_net_faces_host(net, port))
        return;
    go_on(cop_net_cc_cfg(net), all, cop_net_now(net));
    all->now.bytes += p->bytes;
}

/* The known counts were sent one gather before the last: known[0] is the count at (gathers - 1)
 * g. */
static cop_time next_send(struct cop_net *net, void *flow, cop_time now)
{
    const tuned_cfg *cfg = cop_net_cc_cfg(net);
    tuned_net *all = cop_net_cc_net(net);
    if (((const tuned_source *)flow)->inside)
        return now;
    go_on(cfg, all, now);
    if (all->gathers < 2)
        return now;
    int64_t rise = all->known[0].used - all->known[1].used, g = (int64_t)cfg->gather_ps;
    cop_time since = (all->gathers - 1) * cfg->gather_ps,
             next = (all->gathers + 1) * cfg->gather_ps;
    int64_t above = all->known[0].used - all->threshold, gone = (int64_t)(now - since);
    /* known[0] + rise (now - since) / g > threshold */
    if (above * g + rise * gone <= 0)
        return now;
    all->now.held = true;
    all->refused++;
    if (rise >= 0)
        return next;
    cop_time crosses = since + (uint64_t)((above * g - rise - 1) / -rise);
    return cop_min64(next, cop_max64(crosses, now + 1));
}

static void on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    (void)net;
    ((tuned_source *)flow)->inside = !(p->flags & COP_PKT_LAST);
}

static const cop_value counters[] = {{"tuned_threshold", ""},
                                     {"tuned_buffers", ""},
                                     {"tuned_tunings", ""},
                                     {"tuned_held", ""},
                                     {NULL, NULL}};

static double counter(struct cop_net *net, unsigned which)
{
    const tuned_net *all = cop_net_cc_net(net);
    return which == 0   ? (double)all->threshold
           : which == 1 ? (double)all->buffers
           : which == 2 ? (double)all->tunings
                        : (double)all->refused;
}

static const cop_value flow_values[] = {
    {"threshold", "messages"}, {"known", "messages"}, {NULL, NULL}};

static double flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which)
{
    tuned_net *all = cop_net_cc_net(net);
    (void)flow, (void)src;
    go_on(cop_net_cc_cfg(net), all, cop_net_now(net));
    return (double)(which == 0 ? all->threshold : all->known[0].used);
}

static bool rested(struct cop_net *net, char *buf, size_t size)
{
    tuned_net *all = cop_net_cc_net(net);
    go_on(cop_net_cc_cfg(net), all, cop_net_now(net));
    if (all->refused > 0)
        return false;
    snprintf(buf, size,
             "no message was held back: hosts knew of %" PRId64 " messages in the network at most, "
             "of %" PRId64 " that it has room for; the threshold is %" PRId64,
             all->most, all->buffers, all->threshold);
    return true;
}

const cop_cc_ops cop_cc_self_tuned = {
    .name = "self-tuned",
    .side_band = "section 2 of Fernandez and Garcia: bandwidth of its own tells all nodes the "
                 "counts, `gather` "
                 "later",
    .summary =
        "no node injects while the network holds more messages than a threshold that tunes itself",
    .source = "after Thottethodi, Lebeck, Mukherjee 2001, as Fernandez and Garcia describe it: "
              "they print "
              "no value and no rule of tuning, those here are ours; M-selftuned",
    .opts = opts,
    .in_cycles = true,
    .cfg_size = sizeof(tuned_cfg),
    .flow_size = sizeof(tuned_source),
    .net_size = sizeof(tuned_net),
    .facts = cop_cc_per_source,
    .check = check,
    .start = start,
    .at_switch.on_enqueue = on_enqueue,
    .at_switch.on_leave = on_leave,
    .at_switch.on_dequeue = on_dequeue,
    .at_source.next_send = next_send,
    .at_source.on_send = on_send,
    .shown.flow_values = flow_values,
    .shown.flow_value = flow_value,
    .shown.counters = counters,
    .shown.counter = counter,
    .shown.rested = rested,
};
