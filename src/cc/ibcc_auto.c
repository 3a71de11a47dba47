/* Defaults of InfiniBand's congestion control, computed from the network (preset auto).
 *
 * Role     from the links, the paths and the traffic to the table of delays, CCTI_Increase,
 *          CCTI_Timer and Marking_Rate. `coppice check` prints them with their reasons, `--opensm`
 *          as lines for OpenSM.
 * Words    T  a full packet's time on the link of a host; H  senders that share one hot spot
 *          fair share of a contributor: one packet every H T, a delay of (H - 1) T
 *          loop  between two packets of a contributor, or between a mark and its effect, if that is
 *                longer
 * Rules    threshold  weight 3, 81 % of an input buffer: a full link without a hot spot is not
 *                     marked before
 *          table      quadratic, the last entry 4 H T: the fair share is half way up, with room for
 *                     four times the senders, in steps of 3 % of it; if fewer share a port, or a
 *                     marked flow is no contributor, the first steps are small
 *          increase   4 steps in a loop. More per loop, and contributors overshoot before the
 *                     effect of the first mark is seen
 *          timer      gain g = steps up that marks on all packets would make, for one step down:
 *                     timer * increase / ((Marking_Rate + 1) H T). Below 1 marks cannot limit the
 *                     queue; the larger it is, the longer the hot link idles after each of them. A
 *                     lane is marked by its own fill: if the routing needs several, packets on the
 *                     others pass unmarked, and the gain must be higher
 *          marks      on every other packet at most: each costs a notification, and in a full
 *                     network without hot spots more than half of the packets leave queues above
 *                     the threshold
 *          units      of 1.024 us and whole steps: rounding of the timer is compensated by the
 *                     increase, or by Marking_Rate where one step is too much
 * Senders  the option, else what the run file's traffic offers (cop_traffic_senders), else the
 *          geometric mean of 1 and all others: one set of values works for about four times fewer
 *          and four times more. A host that takes less than a link counts each of its senders as so
 *          many more.
 * Jobs     hosts that send for exchanges and applications alone are not throttled, and where there
 *          are any, ports between switches mark nothing, unless `senders`, `ccti_increase` or a
 *          threshold is given. How many of a job's flows meet is not known before the run and
 *          changes with every message. Flows that share inner channels are marked at several of
 *          them and fall below their share (a transpose takes 1.03 to 1.4 times as long, with 2 to
 *          8 senders planned); at hosts the throttling lasts longer than the congestion (random
 *          rings 1.05 to 1.13). The root of a tree of other traffic is the port of a host, whose
 *          marks slow its senders down.
 * Source   ours; the meaning of each parameter: IBA 1.2.1 annex A10. */
#include "cc/ibcc.h"

#include <math.h>

#define TIMER_UNIT_PS 1024000.0 /* 1.024 us */
#define REACH 4.0 /* the table's last entry, in H T */
#define STEPS 4.0 /* up in a loop */
#define GAIN 1.25 /* if all packets to a hot spot share one lane */
#define LANES_GAIN 1.5 /* times that, if the routing spreads them over lanes */
#define LEAST_MARKING 1u
#define MAX_TIMER 65535u
#define MAX_MARKING 1023u
#define MAX_INCREASE 127.0

/* To the host that is farthest away and back: heads, and a full packet one way. */
static double round_trip(const cop_netinfo *info, double packet_ps)
{
    cop_topo_facts facts;
    cop_topo_measure(info->topo, 16, &facts);
    return 2.0 * facts.diameter * (double)info->hop_ps + packet_ps;
}

static void count_senders(ibcc_plan *p, const ibcc_cfg *cfg, const cop_netinfo *info)
{
    p->from = cfg->senders > 0 ? IBCC_GIVEN : info->senders > 0 ? IBCC_OFFERED : IBCC_GUESSED;
    double guess = sqrt((double)info->n_hosts - 1.0) + 0.5;
    p->senders = p->from == IBCC_GIVEN     ? (uint32_t)cfg->senders
                 : p->from == IBCC_OFFERED ? info->senders
                                           : (uint32_t)guess;
    if (p->senders < 2)
        p->senders = 2; /* a single sender overloads no host */
}

/* `rate` steps per packet, by whole steps for one of several packets. */
static void steps_of(ibcc_plan *p, double rate)
{
    uint32_t m = LEAST_MARKING;
    double k = rate * (m + 1);
    while (m < MAX_MARKING && (k < 0.9 || fabs(floor(k + 0.5) - k) > 0.1 * k)) {
        m++;
        k = rate * (m + 1);
    }
    k = floor(k + 0.5);
    p->marking_rate = m;
    p->increase = k > MAX_INCREASE ? (uint32_t)MAX_INCREASE : k < 1.0 ? 1 : (uint32_t)k;
}

static double wanted_gain(const cop_netinfo *info)
{
    return info->route_lanes > 1 ? GAIN * LANES_GAIN : GAIN;
}

ibcc_plan ibcc_plan_for(const ibcc_cfg *cfg, const cop_netinfo *info)
{
    ibcc_plan p = {0};
    double gain = wanted_gain(info);
    count_senders(&p, cfg, info);
    p.packet_ps = (double)info->mtu_bytes * 8e12 / (double)info->host_bps;
    p.share_ps = p.packet_ps * p.senders;
    p.round_trip_ps = round_trip(info, p.packet_ps);
    p.loop_ps = p.share_ps > p.round_trip_ps ? p.share_ps : p.round_trip_ps;
    double units = ceil(gain * p.loop_ps / STEPS / TIMER_UNIT_PS - 0.25);
    p.timer_units = units < 1.0 ? 1 : units > MAX_TIMER ? MAX_TIMER : (uint32_t)units;
    steps_of(&p, gain * p.share_ps / (p.timer_units * TIMER_UNIT_PS));
    p.delay_ps = (cop_time)(REACH * p.share_ps);
    p.gain = p.timer_units * TIMER_UNIT_PS * p.increase / ((p.marking_rate + 1.0) * p.share_ps);
    return p;
}

bool ibcc_spares_jobs(const ibcc_cfg *cfg, const cop_netinfo *info)
{
    return cfg->preset == IBCC_AUTO && cfg->senders == 0 && cfg->ccti_increase < 0 && info->jobs;
}

static double us(double ps)
{
    return ps / 1e6;
}

static void explain_senders(const ibcc_plan *p, const cop_netinfo *info, FILE *out)
{
    static const char *const from[] = {
        [IBCC_GIVEN] = "cc.senders",
        [IBCC_OFFERED] = "most that the traffic of this file brings to one overloaded host",
        [IBCC_GUESSED] = ("a guess, the square root of the number of hosts, as the traffic of this "
                          "file overloads no host; cc.senders says it")};
    fprintf(out, "# cc ibcc: senders per hot spot H = %u: %s\n", p->senders, from[p->from]);
    fprintf(out,
            "# cc ibcc: full packet of %u bytes T = %.4g us, fair share of a contributor a packet "
            "in H T = %.4g us, longest round trip %.4g us: a loop of %.4g us\n",
            info->mtu_bytes, us(p->packet_ps), us(p->share_ps), us(p->round_trip_ps),
            us(p->loop_ps));
}

void ibcc_explain(const void *config, const cop_netinfo *info, FILE *out)
{
    const ibcc_cfg *cfg = config;
    if (cfg->preset != IBCC_AUTO)
        return;
    ibcc_plan p = ibcc_plan_for(cfg, info);
    ibcc_params r = ibcc_resolve(cfg, info);
    explain_senders(&p, info, out);
    fprintf(out,
            "# cc ibcc: thresholds: marking begins above %u bytes that wait for an output, and "
            "ends at %u\n",
            ibcc_upper_of(&r, r.weight), ibcc_lower_of(&r, ibcc_upper_of(&r, r.weight)));
    if (r.host_roots)
        fprintf(out, "# cc ibcc: ports between switches mark nothing, as a job runs: what its "
                     "messages meet there ends by itself; cc.threshold lets them mark\n");
    if (ibcc_spares_jobs(cfg, info))
        fprintf(out, "# cc ibcc: hosts that run nothing but jobs are not throttled, as it is not "
                     "known how many of their flows will meet; cc.senders says it\n");
    fprintf(out,
            "# cc ibcc: table: quadratic, %u entries up to 4 H T = %.4g us, for up to %u senders\n",
            r.cct_entries, us((double)p.delay_ps), (uint32_t)REACH * p.senders + 1);
    fprintf(out,
            "# cc ibcc: CCTI_Timer %u of 1.024 us, CCTI_Increase %u, Marking_Rate %u: at most %.3g "
            "steps up in a loop, and marks on all packets make %.3g up for one down (gain; "
            "wanted %.3g)%s\n",
            p.timer_units, p.increase, p.marking_rate,
            p.loop_ps / p.share_ps * p.increase / (p.marking_rate + 1.0), p.gain, wanted_gain(info),
            p.loop_ps > p.share_ps ? "; the round trip decides, as it is longer than H T" : "");
    fprintf(out, "# cc ibcc: from full throttle to full rate in %.3g ms\n",
            p.timer_units * TIMER_UNIT_PS * (r.cct_entries - 1) / 1e9);
}
