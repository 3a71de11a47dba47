/* Parameters of the InfiniBand congestion control: presets fill in what the options leave open, and what
 * cannot work is refused.
 *
 * Presets  testbed    hardware of Gran et al., IPDPS 2010 (Paper III): its table I, its table of delays, and
 *                     a timer for each service level of an end node
 *          simulator  Gran et al., SIMUTools 2011, and their Paper II (Paper I names it Paper III): the same
 *                     values, and a BECN restarts the timer of its flow (Paper I, 3.2.2)
 *          fat-tree   Gran et al., IPDPS 2012 (Paper IV), table I, the same simulator; its table of delays
 *                     is not printed: ten times as long, the least round factor with which 80 contributors
 *                     can share a port (97 us, G-gran4-1)
 *          pfister    guidelines of Pfister et al. for N ports and hot-spot degree H: linear table of 128
 *                     entries up to 2/3 H us, increment min(N/6, H/2), timer 10 us that takes down all
 *                     indices of an end node, 90 % of the capacity of a queue, marks only while the port
 *                     has credit
 *          auto       testbed for networks of its size and speed, else pfister, which grows with the network: a
 *                     table of 2010 is too short for many senders, and its timer too slow for fast links. The
 *                     2/3 us per sender are a packet's time on the links of 2005; on faster ones delays end at H
 *                     packets' times, with which all H together fill one port (ours) */
#include "cc/ibcc.h"

#include <string.h>

#define TIMER_UNIT_PS 1024000 /* 1.024 us */
#define LIKE_HOSTS 64 /* networks like the testbed's: hosts, and bit/s of their links */
#define LIKE_BPS 40000000000ull
#define MAX_RATIO_SHIFT 3
#define MAX_RATIO_MULTIPLIER 16383

static uint64_t or_else(int64_t given, uint64_t otherwise)
{
    return given >= 0 ? (uint64_t)given : otherwise;
}

static uint32_t table_size(const ibcc_cfg *cfg)
{
    int64_t n = cfg->cct_entries, encoded = ibcc_parse_ratios(cfg->cct_encoded, NULL, 0);
    if ((int64_t)cfg->cct_times.n > n)
        n = (int64_t)cfg->cct_times.n;
    return (uint32_t)(encoded > n ? encoded : n);
}

/* After a packet, for each of those that send to one port. */
static double delay_per_sender(const cop_netinfo *info, bool by_rate)
{
    double guideline = (double)COP_US * 2.0 / 3.0;
    double packet = (double)info->mtu_bytes * 8e12 / (double)info->host_bps;
    return by_rate && packet < guideline ? packet : guideline;
}

static void resolve_table(ibcc_params *p, const ibcc_cfg *cfg, double guided_delay)
{
    bool pfister = cfg->preset == IBCC_PFISTER;
    p->cct_entries = table_size(cfg);
    p->cct_shape = cfg->cct_shape             ? cfg->cct_shape
                   : cfg->cct_times.n > 0     ? IBCC_TIMES
                   : cfg->cct_encoded[0] != 0 ? IBCC_ENCODED
                   : pfister                  ? IBCC_LINEAR
                                              : IBCC_QUADRATIC;
    cop_time delay = pfister                        ? (cop_time)guided_delay
                     : cfg->preset == IBCC_FAT_TREE ? 70 * COP_US
                                                    : 7 * COP_US;
    p->cct_delay_ps = cfg->cct_delay_ps ? cfg->cct_delay_ps : delay;
    uint32_t index = pfister ? p->cct_entries - 1 : 106;
    p->cct_index = cfg->cct_index ? (uint32_t)cfg->cct_index : index;
}

static void resolve_marking(ibcc_params *p, const ibcc_cfg *cfg)
{
    bool testbed = cfg->preset == IBCC_TESTBED || cfg->preset == IBCC_SIMULATOR;
    p->least_bytes = (uint32_t)or_else(cfg->packet_size, testbed ? 8 : 0) * COP_BLOCK_BYTES;
    p->mark_gap = (uint32_t)or_else(cfg->marking_rate, testbed ? 1 : 0);
    p->mark_below = p->mark_gap ? UINT64_MAX / (p->mark_gap + (uint64_t)1) : UINT64_MAX;
    if (cfg->marking_probability >= 1.0) {
        p->mark_below = UINT64_MAX;
    } else if (cfg->marking_probability > 0.0) {
        p->mark_below = (uint64_t)(cfg->marking_probability * 0x1p63) * 2;
    }
}

static void resolve_thresholds(ibcc_params *p, const ibcc_cfg *cfg, const cop_netinfo *info)
{
    bool pfister = cfg->preset == IBCC_PFISTER;
    p->reference_bytes = cfg->threshold_reference ? cfg->threshold_reference : info->buffer_bytes;
    p->upper_bytes = cfg->threshold_bytes;
    if (cfg->threshold_mtus > 0.0)
        p->upper_bytes = (uint64_t)(cfg->threshold_mtus * (double)info->mtu_bytes + 0.5);
    p->upper_share = cfg->threshold_share > 0.0        ? cfg->threshold_share
                     : pfister && cfg->threshold == -1 ? 0.9
                                                       : -1.0;
    p->hysteresis_bytes = pfister ? p->reference_bytes / 20 : 2 * (uint64_t)info->mtu_bytes;
    if (cfg->hysteresis_mtus >= 0.0)
        p->hysteresis_bytes = (uint64_t)(cfg->hysteresis_mtus * (double)info->mtu_bytes + 0.5);
    if (cfg->hysteresis_bytes)
        p->hysteresis_bytes = cfg->hysteresis_bytes;
}

/* Choices that presets make between two readings of a rule. */
static void resolve_rules(ibcc_params *p, const ibcc_cfg *cfg)
{
    bool pfister = cfg->preset == IBCC_PFISTER;
    /* "Queue for VL > threshold", and "mark only if root" (the talk); the sum of the queues of an
     * output and the test on entering are those of Gran et al.'s simulator. */
    p->evaluate = cfg->evaluate ? cfg->evaluate : pfister ? IBCC_VOQ : IBCC_OUTPUT;
    p->root_at_mark = (cfg->root_test ? cfg->root_test
                       : pfister      ? IBCC_AT_MARK
                                      : IBCC_AT_ENTRY) == IBCC_AT_MARK;
    /* Paper I, 3.2.2: a pending decrease is cancelled. Paper III, II-B: a timer for each SL of a port.
     * The talk: a pop of the timer takes all indices of the adapter down. */
    int timer = cfg->timer                    ? cfg->timer
                : pfister                     ? IBCC_FREE_RUNNING
                : cfg->preset == IBCC_TESTBED ? IBCC_PER_SL
                                              : IBCC_RESTART;
    p->restart = timer == IBCC_RESTART;
    p->per_sl = timer == IBCC_PER_SL;
}

int ibcc_preset_for(const ibcc_cfg *cfg, const cop_netinfo *info)
{
    if (cfg->preset != IBCC_AUTO)
        return cfg->preset;
    return info->n_hosts <= LIKE_HOSTS && info->host_bps <= LIKE_BPS ? IBCC_TESTBED : IBCC_PFISTER;
}

ibcc_params ibcc_resolve(const ibcc_cfg *given, const cop_netinfo *info)
{
    ibcc_params p = {0};
    ibcc_cfg fixed = *given;
    const ibcc_cfg *cfg = &fixed;
    fixed.preset = ibcc_preset_for(given, info);
    bool pfister = cfg->preset == IBCC_PFISTER;
    double n = info->n_hosts, h = cfg->hotspot_degree ? (double)cfg->hotspot_degree : n;
    double step = n / 6.0 < h / 2.0 ? n / 6.0 : h / 2.0;
    uint64_t guided = step < 1.0 ? 1 : (uint64_t)(step + 0.5);
    resolve_thresholds(&p, cfg, info);
    resolve_marking(&p, cfg);
    resolve_table(&p, cfg, h * delay_per_sender(info, given->preset == IBCC_AUTO));
    p.increase = (uint32_t)or_else(cfg->ccti_increase, pfister ? guided : 1);
    p.limit = (uint32_t)or_else(cfg->ccti_limit, p.cct_entries - 1);
    p.min = (uint32_t)cfg->ccti_min;
    p.trigger = (uint32_t)cfg->trigger_threshold;
    p.period_ps = cfg->ccti_timer_units ? (cop_time)cfg->ccti_timer_units * TIMER_UNIT_PS
                  : cfg->ccti_timer_ps  ? cfg->ccti_timer_ps
                  : pfister             ? 10 * COP_US
                                        : 150 * COP_US;
    resolve_rules(&p, cfg);
    return p;
}

/* A number of digits alone, at most `most`; moves *s past it. */
static bool parse_digits(const char **s, uint32_t most, uint32_t *value)
{
    size_t digits = strspn(*s, "0123456789");
    *value = 0;
    for (size_t i = 0; i < digits && *value <= most; i++)
        *value = *value * 10 + (uint32_t)((*s)[i] - '0');
    *s += digits;
    return digits > 0 && *value <= most;
}

int64_t ibcc_parse_ratios(const char *text, ibcc_ratio *list, size_t max)
{
    int64_t n = 0;
    const char *s = text ? text : "";
    s += strspn(s, " [");
    while (*s != '\0') {
        uint32_t shift, multiplier;
        if (!parse_digits(&s, MAX_RATIO_SHIFT, &shift) || *s++ != ':' ||
            !parse_digits(&s, MAX_RATIO_MULTIPLIER, &multiplier))
            return -1;
        if ((size_t)n < max)
            list[n] = (ibcc_ratio){multiplier, (uint8_t)shift};
        n++;
        s += strspn(s, " ]");
        if (*s != '\0' && *s++ != ',')
            return -1;
        s += strspn(s, " ");
    }
    return n;
}

static int fault(cop_err *err, const char *text)
{
    return cop_err_add(err, COP_E_INPUT, "%s", text);
}

static int check_ports(const cop_ints *list, const char *name, int64_t most,
                       const cop_netinfo *info, cop_err *err)
{
    if (list->n % 3 != 0)
        return cop_err_add(err, COP_E_INPUT,
                           "cc.%s has %zu numbers; give switch, port and value for each port", name,
                           list->n);
    for (size_t i = 0; i < list->n; i += 3) {
        int64_t sw = list->v[i], port = list->v[i + 1];
        if (sw >= info->n_switches || port >= cop_topo_ports_of(info->topo, (uint32_t)sw))
            return cop_err_add(err, COP_E_INPUT,
                               "cc.%s: switch %d has no port %d; both count from 0", name, (int)sw,
                               (int)port);
        if (list->v[i + 2] > most)
            return cop_err_add(err, COP_E_INPUT, "cc.%s: value %d; at most %d", name,
                               (int)list->v[i + 2], (int)most);
    }
    return 0;
}

static int check_table(const ibcc_cfg *cfg, cop_err *err)
{
    ibcc_ratio first = {0};
    int64_t encoded = ibcc_parse_ratios(cfg->cct_encoded, &first, 1);
    if (encoded < 0)
        return fault(err,
                     "cc.cct_encoded is not a list of shift:multiplier; write `0:0, 1:3, 0:2`, "
                     "shift 0 to 3, multiplier 0 to 16383");
    if (encoded > 0 && cfg->cct_times.n > 0)
        return fault(err, "cc.cct_times and cc.cct_encoded are two tables; give one of them");
    if (cfg->cct_shape == IBCC_TIMES && cfg->cct_times.n == 0)
        return fault(err, "cc.cct_shape times needs a list; give cc.cct_times");
    if (cfg->cct_shape == IBCC_ENCODED && encoded == 0)
        return fault(err, "cc.cct_shape encoded needs a list; give cc.cct_encoded");
    if ((encoded > 0 && first.multiplier != 0) || (cfg->cct_times.n > 0 && cfg->cct_times.v[0]))
        return fault(err, "entry 0 of the congestion control table is not 0; index 0 is no delay");
    if (encoded > IBCC_MAX_ENTRIES || cfg->cct_times.n > IBCC_MAX_ENTRIES)
        return fault(err, "the congestion control table is too long; at most 65536 entries");
    return 0;
}

int ibcc_check(const void *config, const cop_netinfo *info, cop_err *err)
{
    const ibcc_cfg *cfg = config;
    int rc = check_table(cfg, err);
    if (rc == 0)
        rc = check_ports(&cfg->port_threshold, "port_threshold", 15, info, err);
    if (rc == 0)
        rc = check_ports(&cfg->port_victim_mask, "port_victim_mask", 1, info, err);
    if (rc != 0)
        return rc;
    if (ibcc_parse_ratios(cfg->cs_return_delay, NULL, 0) != 1)
        return fault(err, "cc.cs_return_delay is not shift:multiplier; write one such as `0:4`");
    if (cfg->ccti_timer_ps && cfg->ccti_timer_units)
        return fault(err, "cc.ccti_timer and cc.ccti_timer_units are both given; leave one out");
    if ((cfg->threshold_bytes > 0) + (cfg->threshold_share > 0.0) + (cfg->threshold_mtus > 0.0) > 1)
        return fault(err,
                     "cc.threshold_bytes, cc.threshold_share and cc.threshold_mtus are ways to "
                     "say the same; keep one of them");
    if (cfg->becn == IBCC_BY_NEXT_ACK && !info->acks)
        return fault(err,
                     "cc.becn next-ack needs acknowledgements; set nic.ack to message or packet");
    if (cfg->becn == IBCC_BY_NEXT_ACK && cfg->level == IBCC_SL)
        return fault(err, "cc.becn next-ack keeps marks with a queue pair; set cc.level to qp");
    ibcc_params p = ibcc_resolve(cfg, info);
    if (p.limit >= p.cct_entries)
        return cop_err_add(
            err, COP_E_INPUT,
            "cc.ccti_limit %u is outside the table; at most %u, or raise cct_entries", p.limit,
            p.cct_entries - 1);
    if (p.min > p.limit)
        return cop_err_add(err, COP_E_INPUT,
                           "cc.ccti_min %u is above ccti_limit %u; make it smaller", p.min,
                           p.limit);
    if (p.reference_bytes >= UINT32_MAX)
        return fault(err, "the threshold's reference is too large; give cc.threshold_reference "
                          "below 4 GB");
    return 0;
}
