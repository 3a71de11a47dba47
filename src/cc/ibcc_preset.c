/* Presets of the InfiniBand congestion control: values of options that are not given.
 *
 * testbed    hardware of Gran et al., IPDPS 2010 (Paper III): its table I, its table of delays, and
 *            a timer for each service level of an end node
 * simulator  Gran et al., SIMUTools 2011, and their Paper II (Paper I names it Paper III): the same
 *            values, and a BECN restarts the timer of its flow (Paper I, 3.2.2)
 * fat-tree   Gran et al., IPDPS 2012 (Paper IV), table I, the same simulator; its table of delays
 *            is not printed: ten times as long, the least round factor with which 80 contributors
 *            can share a port (97 us, G-gran4-1)
 *            These three: no paper prints buffers. Weight 15 is 4.5 full packets, as marking must
 *            be able to end one gap lower (G-gran2-2, G-gran4-2), and each step of the weight as
 *            much more (G-gran1-3): 100 % are 72 packets, 144 KiB with those of 2 KiB. Marking ends
 *            3.25 packets lower, "a little more than 3 MTUs" (Paper II).
 * pfister    guidelines of Pfister et al. for N ports and hot-spot degree H (senders, else N):
 *            linear table of 128 entries up to 2/3 H us, increment min(N/6, H/2), timer 10 us that
 *            lowers all indices of an end node, 90 % of the capacity of a queue, marks only while
 *            the port has credit
 * auto       ours: values that follow from the network, ibcc_auto.c; otherwise the rules of
 *            hardware, as testbed. Weight 3, 81 % of an input buffer; marking ends 3.25 packets
 *            lower, at a quarter of the threshold at least. */
#include "cc/ibcc.h"

#define TIMER_UNIT_PS 1024000 /* 1.024 us */
#define GAP_MTUS 3.25

typedef struct preset {
    uint32_t packet_size, marking_rate, increase;
    uint32_t reference_mtus; /* 0: switch.buffer */
    int64_t weight;
    int evaluate, root, timer, shape;
    cop_time delay_ps, period_ps;
} preset;

/* Numbers that are 0 for pfister and auto follow from the network. */
static const preset presets[] = {
    [IBCC_TESTBED] = {8, 1, 1, 72, 15, IBCC_OUTPUT, IBCC_AT_ENTRY, IBCC_PER_SL, IBCC_QUADRATIC,
                      7 * COP_US, 150 * COP_US},
    [IBCC_SIMULATOR] = {8, 1, 1, 72, 15, IBCC_OUTPUT, IBCC_AT_ENTRY, IBCC_RESTART, IBCC_QUADRATIC,
                        7 * COP_US, 150 * COP_US},
    [IBCC_FAT_TREE] = {0, 0, 1, 72, 15, IBCC_OUTPUT, IBCC_AT_ENTRY, IBCC_RESTART, IBCC_QUADRATIC,
                       70 * COP_US, 150 * COP_US},
    /* "Queue for VL > threshold", "mark only if root", and an expiry of the timer lowers all
     * indices of the adapter (the talk). */
    [IBCC_PFISTER] = {0, 0, 0, 0, -1, IBCC_VOQ, IBCC_AT_MARK, IBCC_FREE_RUNNING, IBCC_LINEAR, 0,
                      10 * COP_US},
    [IBCC_AUTO] = {0, 0, 0, 0, 3, IBCC_OUTPUT, IBCC_AT_ENTRY, IBCC_PER_SL, IBCC_QUADRATIC, 0, 0},
};

static uint64_t or_else(int64_t given, uint64_t otherwise)
{
    return given >= 0 ? (uint64_t)given : otherwise;
}

static uint64_t of_mtus(const cop_netinfo *info, double mtus)
{
    return (uint64_t)(mtus * (double)info->mtu_bytes + 0.5);
}

static uint32_t table_size(const ibcc_cfg *cfg)
{
    int64_t n = cfg->cct_entries, encoded = ibcc_parse_ratios(cfg->cct_encoded, NULL, 0);
    if ((int64_t)cfg->cct_times.n > n)
        n = (int64_t)cfg->cct_times.n;
    return (uint32_t)(encoded > n ? encoded : n);
}

static void resolve_table(ibcc_params *p, const ibcc_cfg *cfg, const preset *from)
{
    p->cct_entries = table_size(cfg);
    p->cct_shape = cfg->cct_shape             ? cfg->cct_shape
                   : cfg->cct_times.n > 0     ? IBCC_TIMES
                   : cfg->cct_encoded[0] != 0 ? IBCC_ENCODED
                                              : from->shape;
    p->cct_delay_ps = cfg->cct_delay_ps ? cfg->cct_delay_ps : from->delay_ps;
    bool fits = cfg->preset == IBCC_PFISTER || cfg->preset == IBCC_AUTO;
    uint32_t index = fits ? p->cct_entries - 1 : 106;
    p->cct_index = cfg->cct_index ? (uint32_t)cfg->cct_index : index;
}

static void resolve_marking(ibcc_params *p, const ibcc_cfg *cfg, const preset *from)
{
    p->least_bytes = (uint32_t)or_else(cfg->packet_size, from->packet_size) * COP_BLOCK_BYTES;
    p->mark_gap = (uint32_t)or_else(cfg->marking_rate, from->marking_rate);
    p->mark_below = p->mark_gap ? UINT64_MAX / (p->mark_gap + (uint64_t)1) : UINT64_MAX;
    if (cfg->marking_probability >= 1.0) {
        p->mark_below = UINT64_MAX;
    } else if (cfg->marking_probability > 0.0) {
        p->mark_below = (uint64_t)(cfg->marking_probability * 0x1p63) * 2;
    }
}

static void resolve_thresholds(ibcc_params *p, const ibcc_cfg *cfg, const cop_netinfo *info)
{
    const preset *from = &presets[cfg->preset];
    uint64_t reference =
        from->reference_mtus ? of_mtus(info, from->reference_mtus) : info->buffer_bytes;
    p->reference_bytes = cfg->threshold_reference ? cfg->threshold_reference : reference;
    p->weight = cfg->threshold >= 0 ? cfg->threshold : from->weight;
    p->upper_bytes = cfg->threshold_bytes;
    if (cfg->threshold_mtus > 0.0)
        p->upper_bytes = of_mtus(info, cfg->threshold_mtus);
    p->upper_share = cfg->threshold_share > 0.0 ? cfg->threshold_share : -1.0;
    if (p->weight < 0 && p->upper_share < 0.0)
        p->upper_share = 0.9;
    p->hysteresis_bytes =
        cfg->preset == IBCC_PFISTER ? p->reference_bytes / 20 : of_mtus(info, GAP_MTUS);
    if (cfg->hysteresis_mtus >= 0.0)
        p->hysteresis_bytes = of_mtus(info, cfg->hysteresis_mtus);
    if (cfg->hysteresis_bytes)
        p->hysteresis_bytes = cfg->hysteresis_bytes;
    p->gap_yields =
        cfg->preset == IBCC_AUTO && cfg->hysteresis_mtus < 0.0 && !cfg->hysteresis_bytes;
}

/* Choices that presets make between two readings of a rule. */
static void resolve_rules(ibcc_params *p, const ibcc_cfg *cfg, const preset *from)
{
    p->evaluate = cfg->evaluate ? cfg->evaluate : from->evaluate;
    p->root_at_mark = (cfg->root_test ? cfg->root_test : from->root) == IBCC_AT_MARK;
    int timer = cfg->timer ? cfg->timer : from->timer;
    p->restart = timer == IBCC_RESTART;
    p->per_sl = timer == IBCC_PER_SL;
}

/* Guidelines of Pfister et al. */
static void guide(preset *from, const ibcc_cfg *cfg, const cop_netinfo *info)
{
    double n = info->n_hosts, h = cfg->senders ? (double)cfg->senders : n;
    double step = n / 6.0 < h / 2.0 ? n / 6.0 : h / 2.0;
    from->increase = step < 1.0 ? 1 : (uint32_t)(step + 0.5);
    from->delay_ps = (cop_time)(h * ((double)COP_US * 2.0 / 3.0));
}

static bool gives_threshold(const ibcc_cfg *cfg)
{
    return cfg->threshold >= 0 || cfg->threshold_share > 0.0 || cfg->threshold_bytes > 0 ||
           cfg->threshold_mtus > 0.0;
}

static void fit(preset *from, const ibcc_cfg *cfg, const cop_netinfo *info)
{
    ibcc_plan plan = ibcc_plan_for(cfg, info);
    from->increase = plan.increase;
    from->marking_rate = plan.marking_rate;
    from->delay_ps = plan.delay_ps;
    from->period_ps = plan.timer_units * (cop_time)TIMER_UNIT_PS;
}

ibcc_params ibcc_resolve(const ibcc_cfg *cfg, const cop_netinfo *info)
{
    ibcc_params p = {0};
    preset from = presets[cfg->preset];
    if (cfg->preset == IBCC_PFISTER)
        guide(&from, cfg, info);
    else if (cfg->preset == IBCC_AUTO)
        fit(&from, cfg, info);
    resolve_thresholds(&p, cfg, info);
    resolve_marking(&p, cfg, &from);
    resolve_table(&p, cfg, &from);
    p.increase = (uint32_t)or_else(cfg->ccti_increase, from.increase);
    p.limit = (uint32_t)or_else(cfg->ccti_limit, p.cct_entries - 1);
    p.min = (uint32_t)cfg->ccti_min;
    p.trigger = (uint32_t)cfg->trigger_threshold;
    p.period_ps = cfg->ccti_timer_units ? (cop_time)cfg->ccti_timer_units * TIMER_UNIT_PS
                  : cfg->ccti_timer_ps  ? cfg->ccti_timer_ps
                                        : from.period_ps;
    resolve_rules(&p, cfg, &from);
    p.host_roots = ibcc_spares_jobs(cfg, info) && !gives_threshold(cfg);
    return p;
}
