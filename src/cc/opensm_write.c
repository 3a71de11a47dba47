/* Writing the cc_* options of an opensm.conf that equal a configuration of ibcc.
 *
 * Table    a delay becomes multiplier / 2^shift of the time a full packet takes on a host's link,
 *          with the largest shift for which the multiplier fits. At most 128 entries; CCTI_Limit is
 *          the last one.
 * Masks    OpenSM sends one mask to all switches. A port number is in it if some port with it faces
 *          a host; a remark follows if others with it face switches.
 * Not in OpenSM: how a threshold is compared (evaluate, root_test, hysteresis), what carries a
 * BECN, when a delay begins, when timers tick: hardware decides.
 * Source   opensm(8), version 3.3.23; IBA 1.2.1 annex A10; guidelines of Pfister et al.
 *          (M-pfis-guide). */
#include "cc/ibcc.h"
#include "cc/opensm.h"

#include <string.h>

#define MAX_ENTRIES 128u
#define MAX_MULTIPLIER 16383u
#define MASK_PORTS 255
#define TIMER_UNIT_PS 1024000

typedef struct sheet {
    const ibcc_cfg *cfg;
    const cop_netinfo *info;
    ibcc_params par;
    cop_time packet_ps; /* a full packet on a host's link */
    FILE *out;
} sheet;

static ibcc_ratio ratio_of(cop_time delay, cop_time packet)
{
    for (unsigned shift = 3;; shift--) {
        unsigned __int128 m = (((unsigned __int128)delay << shift) + packet / 2) / packet;
        if (m <= MAX_MULTIPLIER || shift == 0)
            return (ibcc_ratio){m < MAX_MULTIPLIER ? (uint32_t)m : MAX_MULTIPLIER, (uint8_t)shift};
    }
}

static ibcc_ratio entry(const sheet *s, const ibcc_cct *t, uint32_t i)
{
    if (t->ratio)
        return t->ratio[i < t->n ? i : t->n - 1];
    ibcc_ratio r = ratio_of(ibcc_cct_delay(t, i, t->mtu_bytes), s->packet_ps);
    while (r.shift > 0 && r.multiplier % 2 == 0) {
        r.shift--;
        r.multiplier /= 2;
    }
    return r;
}

/* With this delay after each packet all hosts together fill one port. */
static cop_time enough_delay(const cop_netinfo *info, cop_time packet_ps)
{
    return packet_ps * info->n_hosts;
}

static void print_table(const sheet *s)
{
    ibcc_cct t = {0};
    uint32_t n = s->par.limit + 1, shown = n < MAX_ENTRIES ? n : MAX_ENTRIES;
    if (s->par.cct_shape == IBCC_ENCODED)
        t.ratio = cop_alloc_array(s->par.cct_entries, sizeof(*t.ratio));
    else
        t.time = cop_alloc_array(s->par.cct_entries, sizeof(*t.time));
    ibcc_cct_fill(&t, &s->par, s->cfg, s->info->mtu_bytes);
    ibcc_ratio last = entry(s, &t, shown - 1);
    double slower = 1.0 + (double)last.multiplier / (double)(1u << last.shift);
    fprintf(s->out,
            "\n# table of delays after a packet, as shares of its time on the wire (%.3g us for %u "
            "bytes); at the last\n"
            "# entry a flow has 1/%.0f of its link: enough for %.0f senders to share a port "
            "without congestion%s\n",
            (double)s->packet_ps / 1e6, s->info->mtu_bytes, slower, slower,
            slower < (double)s->info->n_hosts ? ", fewer\n# than this network has hosts" : "");
    if (s->cfg->preset != IBCC_AUTO && slower > 2.0 * (double)s->info->n_hosts)
        fprintf(s->out,
                "# no more than %u can send to one port: cc.cct_delay %.3g us would do, in finer "
                "steps\n",
                s->info->n_hosts, (double)enough_delay(s->info, s->packet_ps) / 1e6);
    if (n > MAX_ENTRIES)
        fprintf(s->out, "# CUT: the table has %u entries, OpenSM takes %u\n", n, MAX_ENTRIES);
    if (n < 2)
        fprintf(s->out,
                "# NO EFFECT: OpenSM sends a table of one entry as none at all, and hosts never "
                "wait; cc.ccti_limit must\n# be 1 to 127\n");
    fprintf(s->out, "cc_cct ");
    for (uint32_t i = 0; i < shown; i++) {
        ibcc_ratio r = entry(s, &t, i);
        fprintf(s->out, "%s%u:%u", i ? "," : "", r.shift, r.multiplier);
    }
    fprintf(s->out, "\n");
    cop_free(t.ratio);
    cop_free(t.time);
}

/* Port numbers that face hosts at some switch; true if none of them faces a switch elsewhere. */
static bool host_ports(const cop_topo *t, bool *mask)
{
    bool trunk[MASK_PORTS + 1] = {false}, same = true;
    for (uint32_t p = 0; p < t->host_port0; p++) {
        uint32_t to = t->port[p].to, number = t->port[p].local + 1u;
        if (to == COP_NONE || number > MASK_PORTS)
            continue;
        bool *is = cop_topo_is_host_port(t, to) ? mask : trunk;
        is[number] = true;
    }
    for (uint32_t i = 1; i <= MASK_PORTS; i++)
        same &= !(mask[i] && trunk[i]);
    return same;
}

static void print_mask(const sheet *s, const char *option, int mask)
{
    bool port[MASK_PORTS + 1] = {false}, same = true;
    if (mask == IBCC_MASK_HOSTS)
        same = host_ports(s->info->topo, port);
    for (uint32_t i = 1; mask == IBCC_MASK_ALL && i < MASK_PORTS && i <= s->info->max_ports; i++)
        port[i] = true;
    if (!same)
        fprintf(s->out, "# NOT EXACT: some of these ports face hosts at one switch and switches at "
                        "another, and the\n"
                        "# mask is the same for all switches\n");
    fprintf(s->out, "%s 0x", option);
    bool begun = false;
    for (int digit = 63; digit >= 0; digit--) {
        unsigned v = 0;
        for (int b = 0; b < 4; b++)
            v |= (unsigned)port[digit * 4 + b] << b;
        begun |= v != 0 || digit == 0;
        if (begun)
            fprintf(s->out, "%x", v);
    }
    fprintf(s->out, "\n");
}

/* The weight whose level is nearest to the threshold in bytes. */
static int64_t weight_of(const sheet *s, double *share)
{
    const ibcc_params *p = &s->par;
    int64_t given = p->weight >= 0 ? p->weight : 15;
    *share = -1.0;
    if (p->upper_bytes)
        *share = (double)p->upper_bytes / (double)p->reference_bytes;
    else if (p->upper_share >= 0.0)
        *share = p->upper_share;
    if (*share < 0.0)
        return given;
    int64_t w = (int64_t)(16.5 - *share * 16.0);
    return w < 1 ? 1 : w > 15 ? 15 : w;
}

static void print_switches(const sheet *s)
{
    const ibcc_cfg *cfg = s->cfg;
    double share;
    int64_t w = weight_of(s, &share);
    unsigned map = 4 | 16 | (cfg->victim_mask ? 1 : 0) | (cfg->cs_threshold ? 10 : 0);
    fprintf(s->out,
            "\n# switches: which of the following settings count\ncc_sw_cong_setting_control_map "
            "0x%x\n",
            map);
    fprintf(s->out, "# ports that mark also while they have no credit: a host that is slow makes "
                    "its port a root\n");
    print_mask(s, "cc_sw_cong_setting_victim_mask", cfg->victim_mask);
    fprintf(s->out,
            "# 1: late .. 15: early; here what waits for an output above %.0f %% of %.4g KiB",
            100.0 * (double)(16 - w) / 16.0, (double)s->par.reference_bytes / 1024.0);
    if (share >= 0.0)
        fprintf(s->out, " (wanted: %.0f %%)", 100.0 * share);
    fprintf(s->out, ". Switches may read it in another way\n%scc_sw_cong_setting_threshold %d\n",
            w == 0 ? "# NO EFFECT: with 0 switches mark nothing; cc.threshold must be 1 to 15\n"
                   : "",
            (int)w);
    if (cfg->host_threshold >= 0 || cfg->port_threshold.n > 0 || cfg->port_victim_mask.n > 0)
        fprintf(s->out, "# CANNOT BE SAID: host_threshold, port_threshold, port_victim_mask; "
                        "OpenSM has one for all ports\n");
    fprintf(s->out,
            "# shorter packets are not marked, in units of 64 "
            "bytes\ncc_sw_cong_setting_packet_size %u\n",
            s->par.least_bytes / COP_BLOCK_BYTES < 255 ? s->par.least_bytes / COP_BLOCK_BYTES
                                                       : 255);
    uint32_t gap = s->par.mark_gap;
    if (cfg->marking_probability > 0.0)
        gap = (uint32_t)(1.0 / cfg->marking_probability - 0.5);
    fprintf(s->out,
            "# packets between two marks: %u means that %s is "
            "marked\ncc_sw_cong_setting_marking_rate %u\n",
            gap, gap == 0 ? "every packet" : "one of several", gap < 65535 ? gap : 65535);
    if (!cfg->cs_threshold)
        return;
    fprintf(s->out, "# credits held back from hosts without congestion control\n");
    print_mask(s, "cc_sw_cong_setting_credit_mask", cfg->credit_mask);
    fprintf(s->out,
            "cc_sw_cong_setting_credit_starvation_threshold %d\n"
            "cc_sw_cong_setting_credit_starvation_return_delay %s\n",
            (int)cfg->cs_threshold, cfg->cs_return_delay);
}

/* Service levels with private CCTI values. */
static uint32_t own_levels(const ibcc_cfg *cfg)
{
    uint32_t levels = 0;
    for (size_t i = 0; i < cfg->sl_ccti.n; i += 5)
        levels |= 1u << cfg->sl_ccti.v[i];
    return levels;
}

static void print_own(const sheet *s)
{
    for (uint32_t levels = own_levels(s->cfg) & ~1u; levels != 0; levels &= levels - 1) {
        uint32_t level = (uint32_t)__builtin_ctz(levels);
        ibcc_params p = ibcc_own_level(s->cfg, &s->par, level);
        cop_time units = (p.period_ps + TIMER_UNIT_PS / 2) / TIMER_UNIT_PS;
        fprintf(s->out,
                "cc_ca_cong_setting_ccti_timer %u %u\ncc_ca_cong_setting_ccti_increase %u %u\n"
                "cc_ca_cong_setting_ccti_min %u %u\n",
                level, (unsigned)(units < 65535 ? units : 65535), level,
                p.increase < 255 ? p.increase : 255, level, p.min < 255 ? p.min : 255);
        if (p.limit != s->par.limit)
            fprintf(s->out, "# CUT: the limit %u of level %u; OpenSM has one for all\n", p.limit,
                    level);
    }
    if (s->cfg->host_ccti.n > 0)
        fprintf(s->out, "# CUT: cc.host_ccti; OpenSM gives all hosts the same\n");
}

static void print_hosts(const sheet *s)
{
    ibcc_params of_0 = ibcc_own_level(s->cfg, &s->par, 0);
    const ibcc_params *p = &of_0;
    cop_time units = (p->period_ps + TIMER_UNIT_PS / 2) / TIMER_UNIT_PS;
    units = units < 1 ? 1 : units > 65535 ? 65535 : units;
    fprintf(s->out,
            "\n# hosts: 0 throttles a queue pair, 1 all of a service "
            "level\ncc_ca_cong_setting_port_control %d\n",
            s->cfg->level == IBCC_SL);
    fprintf(s->out,
            "# service levels with congestion control, a bit each: 0, which applications "
            "use unless told otherwise\n"
            "cc_ca_cong_setting_control_map 0x%x\n",
            own_levels(s->cfg) | 1);
    fprintf(s->out,
            "# a step back towards full rate every %.1f us, in units of 1.024 us: the whole table "
            "in %.3g ms\n"
            "cc_ca_cong_setting_ccti_timer 0 %u\n",
            (double)(units * TIMER_UNIT_PS) / 1e6, (double)(units * TIMER_UNIT_PS) * p->limit / 1e9,
            (unsigned)units);
    fprintf(s->out,
            "# steps per notification%s: %u of them reach the last "
            "entry\ncc_ca_cong_setting_ccti_increase 0 %u\n",
            s->cfg->ccti_increase >= 0 ? ""
            : s->cfg->preset == IBCC_PFISTER
                ? ", a sixth of the hosts, at most half of the senders to one port"
            : s->cfg->preset == IBCC_AUTO ? ", as above"
                                          : "",
            (p->limit + p->increase - 1) / (p->increase ? p->increase : 1),
            p->increase < 255 ? p->increase : 255);
    if (p->increase == 0)
        fprintf(s->out,
                "# NO EFFECT: with 0 hosts never wait; cc.ccti_increase must be 1 to 255\n");
    if (p->increase > 255)
        fprintf(s->out, "# CUT: %u steps; OpenSM takes at most 255\n", p->increase);
    fprintf(s->out, "cc_ca_cong_setting_trigger_threshold 0 %u\ncc_ca_cong_setting_ccti_min 0 %u\n",
            p->trigger < 255 ? p->trigger : 255, p->min < 255 ? p->min : 255);
    print_own(s);
}

static cop_time packet_time(const struct cop_net *net)
{
    const cop_netinfo *info = cop_net_info(net);
    return cop_net_wire_time(net, cop_topo_host_port(info->topo, 0), info->mtu_bytes);
}

/* Origin of the values, and the values for other numbers of senders. */
static void print_plan(const sheet *s)
{
    if (s->cfg->preset != IBCC_AUTO)
        return;
    ibcc_explain(s->cfg, s->info, s->out);
    ibcc_cfg other = *s->cfg;
    uint32_t planned = ibcc_plan_for(s->cfg, s->info).senders;
    fprintf(s->out,
            "#\n# for other numbers of senders (cc.senders). With fewer than planned the hot link "
            "idles at times, with more the tree stays\n");
    for (int i = -2; i <= 2; i++) {
        int64_t h = i < 0 ? planned >> -i : (int64_t)planned << i;
        if (h < 2 || (i != 0 && h >= s->info->n_hosts))
            continue;
        other.senders = h;
        ibcc_plan p = ibcc_plan_for(&other, s->info);
        fprintf(
            s->out,
            "#   %6u: table up to %.4g us, ccti_timer %u, ccti_increase %u, marking_rate %u%s\n",
            p.senders, (double)p.delay_ps / 1e6, p.timer_units, p.increase, p.marking_rate,
            i == 0 ? " (these)" : "");
    }
}

void cop_opensm_write(const struct cop_net *net, const void *cfg, FILE *out)
{
    static const char *const presets[] = {
        "testbed (Gran et al. 2010)", "simulator (Gran et al. 2011)", "fat-tree (Gran et al. 2012)",
        "pfister (guidelines of Pfister et al. 2005)", "auto (values that fit this network)"};
    const cop_netinfo *info = cop_net_info(net);
    sheet s = {.cfg = cfg, .info = info, .par = ibcc_resolve(cfg, info), .out = out};
    s.packet_ps = packet_time(net);
    fprintf(out,
            "# congestion control for OpenSM, from Coppice: %u hosts, links of %.4g Gbit/s, "
            "packets of %u bytes\n"
            "# what is not given comes from preset %s\n",
            info->n_hosts, (double)info->host_bps / 1e9, info->mtu_bytes, presets[s.cfg->preset]);
    print_plan(&s);
    fprintf(out, "# TRUE is the only word that OpenSM takes for yes\ncongestion_control TRUE\n");
    print_switches(&s);
    print_hosts(&s);
    print_table(&s);
    fprintf(out, "# not in OpenSM, hardware decides: evaluate, root_test, hysteresis, becn, "
                 "delay_from, timer\n");
}
