/* Quantized congestion notification, IEEE 802.1Qau: switches sample a queue and notify the source
 * of a packet there how far it is above its set point; sources limit their rate. With `react: no`
 * only notifications are made, for routings that use them (qcn-switch). See qcn.h for its parts. */
#include "cc/qcn.h"

#include "base/opt.h"

#include <string.h>

static const char *const sample_names[] = {"output", "input", NULL};
static const char *const port_names[] = {"auto", "transit", "all", NULL};
static const char *const auto_word[] = {"auto", "0", NULL};
static const char *const same_word[] = {"same", NULL};
static const char *const none_word[] = {"none", "0", NULL};
static const char *const share_names[] = {"random", "regular", NULL};
static const char *const limit_names[] = {"flow", "host", NULL};
static const char *const queue_names[] = {"port", "class", NULL};

/* Defaults. */
#define EVERY 100
#define SHARE 0.3
#define TIMER_PS (10 * COP_MS)
#define BYTES 150000
#define LEAST_TOLD 1e-3 /* expected notifications of a run, at least */

#define AT(member) offsetof(qcn_cfg, member)
static const cop_opt opts[] = {
    {"sample", COP_OPT_ENUM, AT(sample), "output", 0, 0, sample_names,
     "queues that are sampled: buffers of outputs, or of inputs"},
    {"ports", COP_OPT_ENUM, AT(ports), "auto", 0, 0, port_names,
     "which of them: those that face a switch (transit), or all; auto: all if sources react"},
    {"queue", COP_OPT_ENUM, AT(queue), "port", 0, 0, queue_names,
     "a congestion point is the buffer of a port with all its lanes, or that of each lane"},
    {"qeq", COP_OPT_BYTES, AT(qeq_bytes), "auto", 1, 1e12, auto_word,
     "set point of a queue (Qeq); auto: a fifth of the buffer"},
    {"w", COP_OPT_REAL, AT(w), "2", 0, 100, NULL,
     "weight of the growth since the last notification"},
    {"every", COP_OPT_INT, AT(every), "100", 1, 1e9, NULL,
     "packets between samples of a port (CPC); where sources are to slow down, 10 tells them in "
     "time"},
    {"period", COP_OPT_TIME, AT(period_ps), "none", 1, 1e15, none_word,
     "time between samples, instead of packets: the first packet after it"},
    {"share", COP_OPT_SHARE, AT(share), "30 %", 0, 1, NULL,
     "of the samples above the set point that make a notification; where sources are to slow down, "
     "100 %"},
    {"host_every", COP_OPT_INT, AT(host_every), "same", 1, 1e9, same_word,
     "packets between samples of ports that face a host; same: as `every`"},
    {"host_share", COP_OPT_SHARE, AT(host_share), "same", 1e-9, 1, same_word,
     "of their samples above the set point that make a notification; same: as `share`"},
    {"told", COP_OPT_ENUM, AT(regular), "random", 0, 0, share_names,
     "which of them: drawn, or at regular intervals"},
    {"busy", COP_OPT_SHARE, AT(busy), "0", 0, 1, NULL,
     "outputs tell only if their wire was busy for this share of the time since their last sample: "
     "one that flow control holds up is no root of congestion; 0: all tell"},
    {"react", COP_OPT_BOOL, AT(react), "yes", 0, 0, NULL, "sources limit their rate"},
    {"limit", COP_OPT_ENUM, AT(limit), "flow", 0, 0, limit_names,
     "what has a rate of its own: each flow, or all that a host sends on one service level"},
    {"gd", COP_OPT_REAL, AT(gd), "0.0078125", 0, 1, NULL,
     "feedback F lowers the rate by the share gd F, at most by half (Gd)"},
    {"bytes", COP_OPT_BYTES, AT(bytes_limit), "150 kB", 1, 1e12, NULL, "of a byte cycle"},
    {"timer", COP_OPT_TIME, AT(timer_ps), "10 ms", 2, 1e15, NULL, "of a timer cycle"},
    {"recovery", COP_OPT_INT, AT(recovery), "5", 0, 1000, NULL, "cycles of fast recovery"},
    {"increase", COP_OPT_RATE, AT(ai_bps), "5 Mbit/s", 0, 1e14, NULL,
     "active increase of the target"},
    {"hyper_increase", COP_OPT_RATE, AT(hai_bps), "50 Mbit/s", 0, 1e14, NULL,
     "hyper-active increase of the target"},
    {"min_rate", COP_OPT_RATE, AT(min_bps), "10 Mbit/s", 1e3, 1e14, NULL, "no rate is below"},
    {0}};

/* An option of reaction points (those behind `react` in the table) that differs from its default;
 * NULL: none. */
static const char *changed_reaction(const qcn_cfg *cfg)
{
    cop_arena arena = {0};
    qcn_cfg plain;
    char have[64], was[64];
    const char *changed = NULL;
    cop_opt_defaults(opts, &plain, &arena);
    for (const cop_opt *o = cop_opt_find(opts, "react") + 1; o->name != NULL && !changed; o++)
        if (strcmp(cop_opt_print(o, cfg, have, sizeof(have)),
                   cop_opt_print(o, &plain, was, sizeof(was))) != 0)
            changed = o->name;
    cop_arena_free(&arena);
    return changed;
}

/* The buffer that is sampled; of inputs the smallest. */
static uint64_t buffer_of(const qcn_cfg *cfg, const cop_netinfo *info)
{
    return cfg->sample == QCN_INPUT ? info->transit_bytes
           : info->output_bytes     ? info->output_bytes
                                    : info->buffer_bytes;
}

static uint64_t set_point(const qcn_cfg *cfg, const cop_netinfo *info)
{
    return cfg->qeq_bytes ? cfg->qeq_bytes : buffer_of(cfg, info) / 5;
}

static void start(struct cop_net *net)
{
    qcn_net *all = cop_net_cc_net(net);
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    const cop_netinfo *info = cop_net_info(net);
    all->qeq = set_point(cfg, info);
    if (info->contested)
        all->minimal = cop_net_cc_alloc(net, info->topo->n_ports, sizeof(*all->minimal));
    if (cfg->busy > 0.0)
        all->work = cop_net_cc_alloc(
            net, cop_product(info->topo->n_ports, cfg->queue == QCN_OF_CLASS ? info->lanes : 1),
            sizeof(*all->work));
}

/* The most bytes that a congestion point can find: in its buffer, of a port with all lanes; without
 * an output buffer in all inputs. */
static uint64_t most_in_queue(const qcn_cfg *cfg, const cop_netinfo *info)
{
    const struct cop_room *outputs = info->output_bytes ? &info->output : &info->all_inputs;
    const struct cop_room *room = cfg->sample == QCN_OUTPUT ? outputs
                                  : qcn_samples_hosts(cfg)  ? &info->any_input
                                                            : &info->transit_input;
    return cfg->queue == QCN_OF_CLASS ? room->lane : room->port;
}

/* Refuse samples too rare to happen in this run. Values up to the default are allowed: a longer run
 * may have them. */
static int check_seldom(const qcn_cfg *cfg, const cop_netinfo *info, cop_err *err)
{
    double packets = cop_most_packets(info), ports = info->topo ? info->topo->n_ports : 0.0;
    if (packets == 0.0)
        return 0;
    bool hosts_oftener = cfg->host_every && cfg->host_every < cfg->every;
    if (!cfg->period_ps && !hosts_oftener && cfg->every > EVERY && (double)cfg->every > packets)
        return cop_err_add(err, COP_E_INPUT,
                           "every %" PRId64 " samples nothing: no port has more than %.4g packets "
                           "in this run; give less, or make run.duration longer",
                           cfg->every, packets);
    char period[32], span[32];
    if (cfg->period_ps > info->duration_ps)
        return cop_err_add(
            err, COP_E_INPUT,
            "period %s is longer than the run, %s, so that a port is sampled once at most; "
            "give less, or make run.duration longer",
            cop_print_time(cfg->period_ps, period, sizeof(period)),
            cop_print_time(info->duration_ps, span, sizeof(span)));
    double share = cfg->host_share > cfg->share ? cfg->host_share : cfg->share;
    double samples = cfg->period_ps
                         ? (double)info->duration_ps / (double)cfg->period_ps
                         : packets / (double)(hosts_oftener ? cfg->host_every : cfg->every);
    double told = share * ports * (samples > 1.0 ? samples : 1.0);
    if (told < LEAST_TOLD)
        return cop_err_add(err, COP_E_INPUT,
                           "share %g makes no notification: %.2g are to be expected from all ports "
                           "in this run; give more, or use cc.kind none",
                           cfg->share, told);
    return 0;
}

/* Sources that have slowed down must recover within the run. Cycles up to the default are
 * allowed. */
static int check_recovery(const qcn_cfg *cfg, const cop_netinfo *info, cop_err *err)
{
    char have[32], span[32];
    if (!cfg->react || (cfg->timer_ps <= TIMER_PS && cfg->bytes_limit <= BYTES))
        return 0;
    double sent = (double)info->duration_ps / 8e12 * (double)info->host_bps;
    if (cfg->timer_ps > info->duration_ps && (double)cfg->bytes_limit > sent)
        return cop_err_add(err, COP_E_INPUT,
                           "no cycle ends in this run, so that no source recovers: timer %s is "
                           "longer than it, and "
                           "no host sends bytes %s; make one of them less, or run.duration longer",
                           cop_print_time(cfg->timer_ps, have, sizeof(have)),
                           cop_print_bytes(cfg->bytes_limit, span, sizeof(span)));
    return 0;
}

static uint32_t most_word(const void *config, const cop_netinfo *info)
{
    const qcn_cfg *cfg = config;
    return qcn_feedback(cfg, set_point(cfg, info), most_in_queue(cfg, info), 0);
}

static int check(const void *config, const cop_netinfo *info, cop_err *err)
{
    const qcn_cfg *cfg = config;
    char have[32], most[32];
    uint64_t most_bytes = most_in_queue(cfg, info);
    if (set_point(cfg, info) >= most_bytes)
        return cop_err_add(
            err, COP_E_INPUT,
            "qeq %s is not below what the sampled queue can hold, %s; make it smaller",
            cop_print_bytes(set_point(cfg, info), have, sizeof(have)),
            cop_print_bytes(most_bytes, most, sizeof(most)));
    if (most_word(cfg, info) == 0)
        return cop_err_add(err, COP_E_INPUT,
                           "qeq %s is so near to the most that the queue can hold, %s, that no "
                           "feedback is 1 or more; make it smaller",
                           cop_print_bytes(set_point(cfg, info), have, sizeof(have)),
                           cop_print_bytes(most_bytes, most, sizeof(most)));
    if (cfg->share <= 0.0)
        return cop_err_add(err, COP_E_INPUT,
                           "share 0 makes no notification; give more, or use cc.kind none");
    if (cfg->period_ps > 0 && (cfg->every != EVERY || cfg->host_every > 0))
        return cop_err_add(err, COP_E_INPUT,
                           "%s counts packets, and samples are taken by time; leave it out, or set "
                           "period to none",
                           cfg->every != EVERY ? "every" : "host_every");
    if (!qcn_samples_hosts(cfg) && (cfg->host_every > 0 || cfg->host_share > 0.0))
        return cop_err_add(err, COP_E_INPUT,
                           "%s is for ports that face a host, which are not sampled; set ports to "
                           "all or react to yes, or leave it out",
                           cfg->host_every > 0 ? "host_every" : "host_share");
    if (cfg->busy > 0.0 && cfg->sample == QCN_INPUT)
        return cop_err_add(err, COP_E_INPUT,
                           "busy is for outputs; set sample to output, or leave it out");
    if (info->contested && cfg->sample == QCN_INPUT)
        return cop_err_add(err, COP_E_INPUT,
                           "sample input does not know which packets are in others' way, and "
                           "routing.yields asks; set sample to output, or routing.yields to no");
    if (info->own && cfg->sample == QCN_INPUT && !qcn_samples_hosts(cfg))
        return cop_err_add(err, COP_E_INPUT,
                           "sample input leaves out inputs from hosts, where alone packets of the "
                           "switch's own hosts wait, which routing.lowers minimal is about; set "
                           "ports to all, or leave lowers out");
    const char *idle = cfg->react ? NULL : changed_reaction(cfg);
    if (idle != NULL)
        return cop_err_add(err, COP_E_INPUT,
                           "%s is for sources that limit their rate; set react to yes, or leave it "
                           "out",
                           idle);
    if (cfg->react && 1.0 - cfg->gd * QCN_FEEDBACK_MOST >= 1.0)
        return cop_err_add(err, COP_E_INPUT,
                           "gd %g lowers no rate; give more, or leave it out and set react to no",
                           cfg->gd);
    if (cfg->react && cfg->min_bps >= info->host_bps)
        return cop_err_add(
            err, COP_E_INPUT,
            "min_rate %s is not below the links of hosts, %s, so that no rate falls; "
            "give less, or leave it out and set react to no",
            cop_print_rate(cfg->min_bps, have, sizeof(have)),
            cop_print_rate(info->host_bps, most, sizeof(most)));
    return check_recovery(cfg, info, err) ? -COP_E_INPUT : check_seldom(cfg, info, err);
}

/* Combinations that are allowed, but hardly intended. */
static const char *idle(const void *config, const cop_netinfo *info)
{
    const qcn_cfg *cfg = config;
    if (!cfg->react && !info->heeds_notices)
        return "its notifications have no effect, as sources do not react and the routing has no "
               "use "
               "for them";
    if (cfg->react && !info->heeds_notices && !cfg->period_ps && cfg->every == EVERY &&
        cfg->share == SHARE)
        return "every 100 and share 30 % suit switches that route around congestion; sources slow "
               "down in time with every 10 and share 100 %";
    return NULL;
}

static void facts_of(const void *config, const cop_netinfo *info, cop_cc_facts *facts)
{
    const qcn_cfg *cfg = config;
    facts->port_size = sizeof(qcn_port) * (cfg->queue == QCN_OF_CLASS ? info->lanes : 1);
    facts->asks_lanes = true; /* `queue: class` without output buffers */
    facts->flow_is_sl = cfg->limit == QCN_HOST;
    facts->sources_rest = !cfg->react;
    facts->notifies = true;
    facts->marks_contested = true;
    if (info->lanes != 0)
        facts->most_word = most_word(cfg, info);
}

static double flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which)
{
    const qcn_flow *f = flow;
    (void)which;
    double link = 8e3 * 65536.0 / (double)cop_net_inject_time(net, src, 65536);
    return f->rate == 0.0 ? link : f->rate * 8e3;
}

static double counter(struct cop_net *net, unsigned which)
{
    const qcn_net *all = cop_net_cc_net(net);
    return (double)(which == 0 ? all->samples : which == 1 ? all->over : all->told);
}

static const cop_value flow_values[] = {{"rate", "Gbit/s"}, {NULL, NULL}};
static const cop_value counters[] = {
    {"qcn_samples", ""}, {"qcn_congested", ""}, {"qcn_told", ""}, {NULL, NULL}};

const cop_cc_ops cop_cc_qcn = {
    .name = "qcn",
    .summary = "switches sample queues and tell sources how full they are; rates fall and recover",
    .source = "IEEE 802.1Qau; M-qcn-cp, M-qcn-rp",
    .opts = opts,
    .cfg_size = sizeof(qcn_cfg),
    .flow_size = sizeof(qcn_flow),
    .net_size = sizeof(qcn_net),
    .idle = idle,
    .check = check,
    .start = start,
    .facts = facts_of,
    .at_switch.on_enqueue = qcn_on_enqueue,
    .at_switch.on_dequeue = qcn_on_dequeue,
    .at_source.next_send = qcn_next_send,
    .at_source.on_send = qcn_on_send,
    .at_source.on_control = qcn_on_control,
    .shown.tell = qcn_tell,
    .shown.rested = qcn_rested,
    .shown.flow_values = flow_values,
    .shown.flow_value = flow_value,
    .shown.counters = counters,
    .shown.counter = counter,
};
