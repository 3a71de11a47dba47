/* Options of the InfiniBand congestion control, under the names of the InfiniBand specification where it
 * has one; the presets that fill in what is not given; the checks.
 *
 * Presets  testbed   Gran et al., IPDPS 2010, table I, and its table of delays
 *          fat-tree  Gran et al., IPDPS 2012, table I; its table is not printed: 12 times as long, so that
 *                    80 contributors can share a port (G-gran4-1)
 *          pfister   guidelines of Pfister et al. for N ports and hot-spot degree H: linear table of 128
 *                    entries up to 2/3 H us, increment min(N/6, H/2), timer 10 us, 90 % of the queue */
#include "cc/ibcc.h"

#include <string.h>

#define TIMER_UNIT_PS 1024000 /* 1.024 us */
#define MAX_RATIO_SHIFT 3
#define MAX_RATIO_MULTIPLIER 16383
#define MAX_ENTRIES 65536

static const char *const preset_names[] = {"testbed", "fat-tree", "pfister", NULL};
static const char *const evaluate_names[] = {"voq", "output", "contributors", NULL};
static const char *const mask_names[] = {"none", "hosts", "all", NULL};
static const char *const marking_names[] = {"random", "counted", NULL};
static const char *const shape_names[] = {"auto", "linear", "quadratic", "times", "encoded", NULL};
static const char *const becn_names[] = {"cnp", "ack", NULL};
static const char *const level_names[] = {"qp", "sl", NULL};
static const char *const timer_names[] = {"free-running", "restart", NULL};
static const char *const from_names[] = {"end", "start", NULL};

/* Words for "not given". Where a second name is 0, older files say it so, and nobody could mean zero. */
static const char *const all_or_0[] = {"all", "0", NULL};
static const char *const buffer_or_0[] = {"buffer", "0", NULL};
static const char *const by_weight[] = {"weight", NULL};
static const char *const by_mtus[] = {"mtus", NULL};
static const char *const by_rate[] = {"rate", NULL};
static const char *const by_preset[] = {"preset", NULL};
static const char *const preset_or_0[] = {"preset", "0", NULL};
static const char *const none_or_0[] = {"none", "0", NULL};

#define C(field) offsetof(ibcc_cfg, field)
const cop_opt ibcc_opts[] = {
    {"preset", COP_OPT_ENUM, C(preset), "testbed", 0, 0, preset_names,
     "values of the options that are not given (-1, or `preset`): testbed (Gran et al. 2010, table "
     "I), "
     "fat-tree (Gran et al. 2012), or the guidelines of Pfister et al. for this network"},
    {"hotspot_degree", COP_OPT_INT, C(hotspot_degree), "all", 1, 1e9, all_or_0,
     "pfister: most senders that one port is hot for (H); all: all hosts"},
    {"threshold", COP_OPT_INT, C(threshold), "-1", -1, 15, NULL,
     "Threshold of every port: 0 never marks, 1 (late) .. 15 (early) at (16 - weight) / 16 of the "
     "reference; -1 = preset: 15, pfister 90 %"},
    {"host_threshold", COP_OPT_INT, C(host_threshold), "-1", -1, 15, NULL,
     "Threshold of ports that face hosts; -1 = `threshold`"},
    {"port_threshold", COP_OPT_INTS, C(port_threshold), "", 0, 1e9, NULL,
     "Threshold of single ports: switch, port, weight, switch, port, weight, ..."},
    {"threshold_reference", COP_OPT_BYTES, C(threshold_reference), "buffer", 1, 1e9, buffer_or_0,
     "fill that counts as 100 %, for each output and lane; buffer: switch.buffer"},
    {"threshold_share", COP_OPT_SHARE, C(threshold_share), "weight", 1e-6, 1, by_weight,
     "upper threshold as a share of the reference instead of a weight"},
    {"threshold_bytes", COP_OPT_BYTES, C(threshold_bytes), "weight", 1, 1e9, by_weight,
     "upper threshold in bytes instead of a weight"},
    {"hysteresis_mtus", COP_OPT_REAL, C(hysteresis_mtus), "-1", -1, 1e6, NULL,
     "upper - lower threshold in packets of full size; 0 = one threshold; -1 = preset: 2, pfister "
     "5 % of the reference. The lower threshold is at least 0"},
    {"hysteresis", COP_OPT_BYTES, C(hysteresis_bytes), "mtus", 1, 1e9, by_mtus,
     "the same in bytes; mtus: by `hysteresis_mtus`"},
    {"evaluate", COP_OPT_ENUM, C(evaluate), "output", 0, 0, evaluate_names,
     "what is compared with the threshold: each queue (input, output, lane); the sum over the "
     "inputs "
     "of an output; that sum with threshold / number of inputs that contribute"},
    {"victim_mask", COP_OPT_ENUM, C(victim_mask), "hosts", 0, 0, mask_names,
     "Victim_Mask: ports that enter the congestion state also without credit: none, those that "
     "face "
     "hosts, all"},
    {"port_victim_mask", COP_OPT_INTS, C(port_victim_mask), "", 0, 1e9, NULL,
     "Victim_Mask of single ports: switch, port, 0 or 1, switch, port, 0 or 1, ..."},
    {"packet_size", COP_OPT_INT, C(packet_size), "-1", -1, 65535, NULL,
     "Packet_Size in 64-byte units: shorter packets are never marked; -1 = preset: testbed 8, else "
     "0"},
    {"marking_rate", COP_OPT_INT, C(marking_rate), "-1", -1, 65535, NULL,
     "Marking_Rate: mean number of eligible packets between two marked ones; -1 = preset: testbed "
     "1, "
     "else 0"},
    {"marking_probability", COP_OPT_SHARE, C(marking_probability), "rate", 1e-6, 1, by_rate,
     "share of the eligible packets that is marked; rate: by marking_rate"},
    {"marking", COP_OPT_ENUM, C(marking), "random", 0, 0, marking_names,
     "marking_rate as a chance 1 / (rate + 1) for each packet, or by counting them"},
    {"credit_mask", COP_OPT_ENUM, C(credit_mask), "hosts", 0, 0, mask_names,
     "Credit_Mask: input ports with credit starvation, for end nodes without congestion control"},
    {"cs_threshold", COP_OPT_INT, C(cs_threshold), "0", 0, 15, NULL,
     "CS_Threshold: weight of the input buffer's fill at which credit starvation begins; 0 = "
     "never"},
    {"cs_return_delay", COP_OPT_STRING, C(cs_return_delay), "0:0", 0, 0, NULL,
     "CS_ReturnDelay between two credits, as shift:multiplier of the packet's time"},
    {"becn", COP_OPT_ENUM, C(becn), "cnp", 0, 0, becn_names,
     "what carries the BECN: a notification packet, or an acknowledgement (sent at once; joins the "
     "one that nic.ack sends)"},
    {"level", COP_OPT_ENUM, C(level), "qp", 0, 0, level_names,
     "what is throttled: a queue pair (source, destination, service level), or all that a host "
     "sends "
     "on a service level"},
    {"cct_entries", COP_OPT_INT, C(cct_entries), "128", 128, MAX_ENTRIES, NULL,
     "size of the congestion control table (CCT)"},
    {"cct_shape", COP_OPT_ENUM, C(cct_shape), "auto", 0, 0, shape_names,
     "linear or quadratic up to cct_delay at cct_index; cct_times; cct_encoded; auto: the list "
     "that is "
     "given, else as preset: quadratic, pfister linear"},
    {"cct_delay", COP_OPT_TIME, C(cct_delay_ps), "preset", 1, 1e12, by_preset,
     "delay after a full packet at cct_index; preset: 7 us, fat-tree 84 us, pfister 2/3 H us"},
    {"cct_index", COP_OPT_INT, C(cct_index), "preset", 1, MAX_ENTRIES, preset_or_0,
     "entry that has cct_delay; preset: 106 (the manufacturer's default is 95), pfister the "
     "last"},
    {"cct_times", COP_OPT_TIMES, C(cct_times), "", 0, 1e12, NULL,
     "the table as times after a full packet, from entry 0 on, which is 0; the last one goes on"},
    {"cct_encoded", COP_OPT_STRING, C(cct_encoded), "", 0, 0, NULL,
     "the table as hardware has it, shift:multiplier, ...: delay = packet time * multiplier / "
     "2^shift"},
    {"cct_scale", COP_OPT_BOOL, C(cct_scale), "yes", 0, 0, NULL,
     "times of the table are for a full packet, a shorter one waits in proportion"},
    {"delay_from", COP_OPT_ENUM, C(delay_from), "end", 0, 0, from_names,
     "the delay counts from the end of a packet, as the end node injects it, or from its start"},
    {"ccti_increase", COP_OPT_INT, C(ccti_increase), "-1", -1, 65535, NULL,
     "CCTI_Increase per BECN; -1 = preset: 1, pfister min(N/6, H/2)"},
    {"ccti_limit", COP_OPT_INT, C(ccti_limit), "-1", -1, MAX_ENTRIES - 1, NULL,
     "CCTI_Limit: the index does not rise above it; -1 = the table's last"},
    {"ccti_min", COP_OPT_INT, C(ccti_min), "0", 0, MAX_ENTRIES - 1, NULL,
     "CCTI_Min: the index begins there and does not fall below it"},
    {"ccti_timer", COP_OPT_TIME, C(ccti_timer_ps), "preset", 1, 1e15, preset_or_0,
     "CCTI_Timer: the index falls by one in this time; preset: 150 us, pfister 10 us"},
    {"ccti_timer_units", COP_OPT_INT, C(ccti_timer_units), "none", 1, 65535, none_or_0,
     "CCTI_Timer in units of 1.024 us, as hardware has it; none: `ccti_timer`"},
    {"timer", COP_OPT_ENUM, C(timer), "free-running", 0, 0, timer_names,
     "the timer ticks at fixed times for all flows of a host, or a BECN restarts that of its flow"},
    {"timer_phase", COP_OPT_BOOL, C(timer_phase), "yes", 0, 0, NULL,
     "free-running: timers of different hosts tick at different times; no = all at multiples of "
     "it"},
    {"trigger_threshold", COP_OPT_INT, C(trigger_threshold), "0", 0, MAX_ENTRIES - 1, NULL,
     "Trigger_Threshold: a flow that reaches this index is counted (ccti_triggers); 0 = none"},
    {0}};

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

static void resolve_table(ibcc_params *p, const ibcc_cfg *cfg, double hot_degree)
{
    bool pfister = cfg->preset == IBCC_PFISTER;
    p->cct_entries = table_size(cfg);
    p->cct_shape = cfg->cct_shape             ? cfg->cct_shape
                   : cfg->cct_times.n > 0     ? IBCC_TIMES
                   : cfg->cct_encoded[0] != 0 ? IBCC_ENCODED
                   : pfister                  ? IBCC_LINEAR
                                              : IBCC_QUADRATIC;
    cop_time delay = pfister ? (cop_time)(hot_degree * (double)COP_US * 2.0 / 3.0)
                     : cfg->preset == IBCC_FAT_TREE ? 84 * COP_US
                                                    : 7 * COP_US;
    p->cct_delay_ps = cfg->cct_delay_ps ? cfg->cct_delay_ps : delay;
    uint32_t index = pfister ? p->cct_entries - 1 : 106;
    p->cct_index = cfg->cct_index ? (uint32_t)cfg->cct_index : index;
}

static void resolve_marking(ibcc_params *p, const ibcc_cfg *cfg)
{
    bool testbed = cfg->preset == IBCC_TESTBED;
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
    p->upper_share = cfg->threshold_share > 0.0        ? cfg->threshold_share
                     : pfister && cfg->threshold == -1 ? 0.9
                                                       : -1.0;
    p->hysteresis_bytes = pfister ? p->reference_bytes / 20 : 2 * (uint64_t)info->mtu_bytes;
    if (cfg->hysteresis_mtus >= 0.0)
        p->hysteresis_bytes = (uint64_t)(cfg->hysteresis_mtus * (double)info->mtu_bytes + 0.5);
    if (cfg->hysteresis_bytes)
        p->hysteresis_bytes = cfg->hysteresis_bytes;
}

ibcc_params ibcc_resolve(const ibcc_cfg *cfg, const cop_netinfo *info)
{
    ibcc_params p = {0};
    bool pfister = cfg->preset == IBCC_PFISTER;
    double n = info->n_hosts, h = cfg->hotspot_degree ? (double)cfg->hotspot_degree : n;
    double step = n / 6.0 < h / 2.0 ? n / 6.0 : h / 2.0;
    uint64_t guided = step < 1.0 ? 1 : (uint64_t)(step + 0.5);
    resolve_thresholds(&p, cfg, info);
    resolve_marking(&p, cfg);
    resolve_table(&p, cfg, h);
    p.increase = (uint32_t)or_else(cfg->ccti_increase, pfister ? guided : 1);
    p.limit = (uint32_t)or_else(cfg->ccti_limit, p.cct_entries - 1);
    p.min = (uint32_t)cfg->ccti_min;
    p.trigger = (uint32_t)cfg->trigger_threshold;
    p.period_ps = cfg->ccti_timer_units ? (cop_time)cfg->ccti_timer_units * TIMER_UNIT_PS
                  : cfg->ccti_timer_ps  ? cfg->ccti_timer_ps
                  : pfister             ? 10 * COP_US
                                        : 150 * COP_US;
    p.restart = cfg->timer == IBCC_RESTART;
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
    if (encoded > MAX_ENTRIES || cfg->cct_times.n > MAX_ENTRIES)
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
    if (cfg->threshold_bytes && cfg->threshold_share > 0.0)
        return fault(err,
                     "cc.threshold_bytes and cc.threshold_share are both given; leave one out");
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
