/* Fernandez and Garcia: detection at switches.
 *
 * Estimator  messages that occupy a buffer in a lane of an input, from their first routing until
 *            their tail has left: one in normal operation.
 * Detector   the estimator at a check; its mean over the last complete period (Jain); or the
 *            estimator, if it was above the threshold for a whole period: an arrival that finds it
 *            at the threshold begins that period.
 * Verdict    more than `threshold`: congested, else not. With `hysteresis`: from above `threshold`
 *            on, until it is threshold - hysteresis or less.
 * Culprit    the most frequent source among the messages that are buffered in congested lanes and
 *            the `history` most recently routed ones; `culprits: lane`: one for each of these
 *            lanes.
 * Message    at once (cop_net_told_at_once), or a notification (notice.c).
 * Cost       two additions per message and switch; lanes are examined when a check is due.
 * Source     Fernandez and Garcia, sections 3.1, 3.2, 4; M-fern-detect, M-fern-culprit,
 *            M-fern-notify. */
#include "cc/fern.h"

void fern_facts(const void *config, const cop_netinfo *info, cop_cc_facts *facts)
{
    const fern_cfg *cfg = config;
    (void)info;
    facts->flow_is_sl = true;
    facts->notifies = cfg->notify == FERN_PACKETS || cfg->notify == FERN_AMONG_DATA;
    facts->own_lanes = cfg->notify == FERN_PACKETS;
    facts->notice_bytes = FERN_NOTICE;
}

const char *const fern_notify_names[] = {"instant", "packets", "among-data", "never", NULL};
const char *const fern_culprit_names[] = {"switch", "lane", NULL};
const char *const fern_tie_names[] = {"recent", "kept", NULL};
const char *const fern_detector_names[] = {"present", "mean", "lasting", NULL};
const cop_value fern_port_values[] = {{"buffers", "messages"}, {NULL, NULL}};
const cop_value fern_counters[] = {{"fern_checks", ""},
                                   {"fern_found", ""},
                                   {"fern_changes", ""},
                                   {"fern_congestion", ""},
                                   {"fern_no_congestion", ""},
                                   {"fern_lag_ns", "ns"},
                                   {NULL, NULL}};

void fern_start(struct cop_net *net)
{
    const cop_netinfo *info = cop_net_info(net);
    fern_net *all = cop_net_cc_net(net);
    all->cfg = fern_resolve(cop_net_cc_cfg(net), info);
    const fern_cfg *cfg = &all->cfg;
    all->lanes = info->lanes;
    all->lane =
        cop_net_cc_alloc(net, cop_product(info->topo->host_port0, info->lanes), sizeof(fern_lane));
    all->history = cop_net_cc_alloc(net, cop_product(info->n_switches, (size_t)cfg->history),
                                    sizeof(cop_header));
    all->routed = cop_net_cc_alloc(net, info->n_switches, sizeof(uint32_t));
    all->counted = cop_net_cc_alloc(net, info->n_switches, sizeof(uint32_t));
}

fern_lane *fern_lane_of(struct cop_net *net, uint32_t in, uint32_t vl)
{
    const fern_net *all = cop_net_cc_net(net);
    return &all->lane[(size_t)in * all->lanes + vl];
}

/* Mean: advance to `now` with the previous number of buffers. */
static void follow(const fern_cfg *cfg, fern_lane *l, cop_time now)
{
    l->area += l->waiting * (now - l->changed);
    l->changed = now;
    if (now - l->window < cfg->period_ps)
        return;
    l->mean = l->area * FERN_ONE / (now - l->window);
    l->area = 0;
    l->window = now;
}

void fern_lane_in(const fern_cfg *cfg, fern_lane *l, cop_time now)
{
    if (cfg->detector == FERN_MEAN)
        follow(cfg, l, now);
    if (fern_used(l, now) == (uint32_t)cfg->threshold)
        l->above = now;
    l->waiting++;
}

void fern_lane_out(const fern_cfg *cfg, fern_lane *l, cop_time now, cop_time t)
{
    if (cfg->detector == FERN_MEAN) {
        follow(cfg, l, now);
        l->area += t - now;
    }
    l->waiting--;
    l->until = t;
}

uint64_t fern_level(const fern_cfg *cfg, fern_lane *l, cop_time now)
{
    if (cfg->detector == FERN_MEAN) {
        follow(cfg, l, now);
        return l->mean;
    }
    uint64_t level = (uint64_t)fern_used(l, now) * FERN_ONE;
    if (cfg->detector == FERN_LASTING && fern_above(cfg, level) && now - l->above < cfg->period_ps)
        return (uint64_t)cfg->threshold * FERN_ONE;
    return level;
}

void fern_count_in(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p)
{
    (void)out;
    if (!(p->flags & COP_PKT_CONTROL))
        fern_lane_in(fern_cfg_of(net), fern_lane_of(net, in, p->vl), cop_net_now(net));
}

void fern_count_out(struct cop_net *net, uint32_t in, uint32_t vl, const cop_pkt *p, cop_time t)
{
    if (!(p->flags & COP_PKT_CONTROL))
        fern_lane_out(fern_cfg_of(net), fern_lane_of(net, in, vl), cop_net_now(net), t);
}

static uint32_t switch_of(const struct cop_net *net, uint32_t port)
{
    return cop_net_info(net)->topo->port[port].owner;
}

bool fern_routed(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    const fern_cfg *cfg = fern_cfg_of(net);
    fern_net *all = cop_net_cc_net(net);
    uint32_t sw = switch_of(net, in);
    if (p->flags & COP_PKT_CONTROL)
        return false;
    if (cfg->history > 0)
        all->history[(size_t)sw * (size_t)cfg->history +
                     all->routed[sw]++ % (uint32_t)cfg->history] = cop_header_of(p);
    if (++all->counted[sw] < cfg->every)
        return false;
    all->counted[sw] = 0;
    return true;
}

bool fern_verdict(const fern_cfg *cfg, fern_lane *l, uint64_t level)
{
    uint64_t lower = (uint64_t)fern_lower(cfg) * FERN_ONE;
    l->congested = fern_above(cfg, level) || (l->congested && level > lower);
    return l->congested;
}

/* Is a lane of the switch of `in` congested? */
static bool check(struct cop_net *net, uint32_t in)
{
    const cop_topo *t = cop_net_info(net)->topo;
    const fern_cfg *cfg = fern_cfg_of(net);
    fern_net *all = cop_net_cc_net(net);
    uint32_t sw = switch_of(net, in), found = 0;
    cop_time now = cop_net_now(net);
    for (uint32_t i = t->sw_port0[sw]; i < t->sw_port0[sw + 1]; i++) {
        if (cop_net_fed_by_host(net, i))
            continue;
        fern_lane *l = fern_lane_of(net, i, 0);
        for (uint32_t vl = 0; vl < all->lanes; vl++) {
            bool was = l[vl].congested;
            found += fern_verdict(cfg, &l[vl], fern_level(cfg, &l[vl], now));
            all->changes += l[vl].congested != was;
        }
    }
    all->checks++;
    all->found += found;
    return found > 0;
}

uint32_t fern_most_frequent(const cop_header *list, uint32_t n, const cop_header *kept)
{
    uint32_t best = 0, most = 0;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t count = 1;
        for (uint32_t k = 0; k < i; k++)
            count += list[k].src == list[i].src;
        if (count > most || (count == most && kept && list[i].src == kept->src)) {
            most = count;
            best = i;
        }
    }
    return best;
}

/* Headers of lane vl of input `in`, oldest first; vl COP_NONE: of all congested lanes. */
static uint32_t buffered(struct cop_net *net, uint32_t in, uint32_t vl, cop_header *list,
                         uint32_t n)
{
    cop_input_walk w;
    for (const cop_pkt *p = cop_net_input_first(net, in, &w); p && n < FERN_VOTES;
         p = cop_net_input_next(net, &w))
        if (!(p->flags & COP_PKT_CONTROL) &&
            (vl == COP_NONE ? fern_lane_of(net, in, p->vl)->congested : p->vl == vl))
            list[n++] = cop_header_of(p);
    return n;
}

static bool any_congested(struct cop_net *net, uint32_t in, uint32_t lanes)
{
    const fern_lane *l = fern_lane_of(net, in, 0);
    for (uint32_t vl = 0; vl < lanes; vl++)
        if (l[vl].congested)
            return true;
    return false;
}

bool fern_vote(struct cop_net *net, uint32_t in, uint32_t vl, cop_header *culprit)
{
    const cop_topo *t = cop_net_info(net)->topo;
    const fern_cfg *cfg = fern_cfg_of(net);
    const fern_net *all = cop_net_cc_net(net);
    uint32_t sw = switch_of(net, in), h = (uint32_t)cfg->history, n = 0;
    cop_header list[FERN_VOTES];
    for (uint32_t i = 0; i < h; i++) {
        uint32_t at = all->routed[sw] - h + i; /* oldest first */
        if (all->routed[sw] >= h - i)
            list[n++] = all->history[(size_t)sw * h + at % h];
    }
    if (vl != COP_NONE)
        n = buffered(net, in, vl, list, n);
    for (uint32_t i = t->sw_port0[sw]; vl == COP_NONE && i < t->sw_port0[sw + 1]; i++)
        if (any_congested(net, i, all->lanes))
            n = buffered(net, i, COP_NONE, list, n);
    if (n == 0)
        return false;
    const fern_lane *l = vl != COP_NONE ? fern_lane_of(net, in, vl) : NULL;
    bool keeps = cfg->ties == FERN_KEPT && l && l->blames;
    *culprit = list[fern_most_frequent(list, n, keeps ? &l->culprit : NULL)];
    return true;
}

void fern_tell(struct cop_net *net, uint32_t in, uint32_t vl, const cop_header *to,
               enum fern_word word)
{
    const fern_cfg *cfg = fern_cfg_of(net);
    fern_net *all = cop_net_cc_net(net);
    if (cfg->notify == FERN_NEVER)
        return;
    *(word == FERN_CONGESTION ? &all->told : &all->cleared) += 1;
    if (COP_UNLIKELY(cop_net_watched(net)))
        fern_says_told(net, in, vl, to, word);
    if (cfg->notify != FERN_INSTANT) {
        cop_net_notify_source(net, in, to, word);
        return;
    }
    fern_source *f = cop_net_told_at_once(net, to);
    if (cfg->messages > 0)
        fern_hear_two(f, word, cop_net_now(net));
    else
        fern_hear_one(cfg, f, cop_net_now(net));
    if (COP_UNLIKELY(cop_net_watched(net)))
        fern_says_heard(net, to->src, f, word);
}

void fern_look(struct cop_net *net, uint32_t in, const cop_pkt *p, fern_teller *tell)
{
    const cop_topo *t = cop_net_info(net)->topo;
    const fern_cfg *cfg = fern_cfg_of(net);
    const fern_net *all = cop_net_cc_net(net);
    if (!fern_routed(net, in, p) || !check(net, in))
        return;
    if (cfg->culprits == FERN_OF_SWITCH) {
        tell(net, in, COP_NONE);
        return;
    }
    uint32_t sw = switch_of(net, in);
    for (uint32_t i = t->sw_port0[sw]; i < t->sw_port0[sw + 1]; i++)
        for (uint32_t vl = 0; vl < all->lanes; vl++)
            if (fern_lane_of(net, i, vl)->congested)
                tell(net, i, vl);
}

/* Of the input with the port's number: lane vl, or all (COP_NONE is given as lane 0 by the
 * caller). */
double fern_port_value(struct cop_net *net, uint32_t port, uint32_t vl, unsigned which)
{
    (void)which;
    return fern_used(fern_lane_of(net, port, vl), cop_net_now(net));
}

void fern_came(struct cop_net *net, const cop_pkt *p)
{
    fern_net *all = cop_net_cc_net(net);
    all->came++;
    all->lag_ps += cop_net_now(net) - p->t_gen;
}

double fern_counter(struct cop_net *net, unsigned which)
{
    const fern_net *all = cop_net_cc_net(net);
    const uint64_t v[] = {all->checks, all->found, all->changes, all->told, all->cleared};
    if (which < COP_LEN(v))
        return (double)v[which];
    return all->came > 0 ? (double)all->lag_ps / (double)all->came / COP_NS : 0.0;
}
