/* Throttling by marks: timer, table and increase if the run file does not give them.
 *
 * Role     H senders of one hot spot must be slowed down to 1/H of their link each, and released as
 *          soon as the hot spot ends. T is the time of a full packet on the sender's link, m the
 *          marked share.
 * Rule     longest  1.25 H T from packet to packet: a quarter beyond the equal share. Packets in
 *                   isolating queues keep the root marked after the sources are slow enough, so the
 *                   index rises to its end; with a deeper table the hot link would idle until it
 *                   has fallen again.
 *          increase 4 of 127 indices: a source reaches its share after 28 notifications.
 *          timer    1.5 H T / (increase m). All senders together get m notifications per T, which
 *                   raise the sum of their indices by increase m / T; their timers lower it by H /
 *                   timer. Marks exceed timers by a half.
 *          So an index is back at 0 after 127 timers, 95 H T with m = 1/2: with two senders at 40
 *          Gbit/s 80 us; printed are 150 us for a single step (Paper VI), whose 19 ms outlast the
 *          messages of a job. Paper III finds that the timer must fit the table and the network;
 *          Paper V's links are as fast and have 8 us.
 * Senders  each end node has its own table, as in InfiniBand. It is planned for the most senders
 *          that the traffic has for a host that it overloads (traffic/contend.c), and for 2, the
 *          least contention there is, where it overloads none or an application sends.
 * Limits   with more senders than planned for, timers exceed marks; with fewer the hot link idles
 *          at times, by up to a tenth with a quarter of them. Not restricted to the 1.024 us of
 *          InfiniBand's timer. */
#include "cc/throttle.h"

#define LEAST_SENDERS 2
#define REACH 1.25 /* longest spacing, in equal shares */
#define GAIN 1.5 /* marks over timers */
#define STEP 4

uint32_t throttle_senders(const throttle_cfg *cfg, const cop_netinfo *info, uint32_t host)
{
    uint32_t n = cfg->senders > 0 ? (uint32_t)cfg->senders : info->contenders[host];
    return n > LEAST_SENDERS ? n : LEAST_SENDERS;
}

throttle_plan throttle_plan_of(const throttle_cfg *cfg, uint32_t senders, cop_time packet_ps)
{
    double round = senders * (double)packet_ps, marks = cfg->marking > 0.0 ? cfg->marking : 1.0;
    throttle_plan p = {.timer_ps = cfg->timer_ps,
                       .longest_ps = cfg->longest_ps,
                       .increase = (uint32_t)cfg->increase};
    if (p.increase == 0)
        p.increase = cfg->timer_ps ? 1 : STEP;
    if (p.timer_ps == 0)
        p.timer_ps = (cop_time)(GAIN * round / (p.increase * marks)) + 1;
    if (p.longest_ps == 0)
        p.longest_ps =
            (cop_time)(REACH * round) - (cfg->delay_from == THROTTLE_FROM_END ? packet_ps : 0);
    return p;
}

void throttle_told(const void *config, const cop_netinfo *info, FILE *out)
{
    const throttle_cfg *cfg = config;
    cop_time packet_ps = (cop_time)((double)info->mtu_bytes * 8e12 / (double)info->host_bps);
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t h = 0; h < info->n_hosts; h++) {
        uint32_t n = throttle_senders(cfg, info, h);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    for (uint32_t n = least;; n = most) {
        throttle_plan p = throttle_plan_of(cfg, n, packet_ps);
        fprintf(
            out,
            "# cc: for %u senders to a hot spot%s: timer %.3g us, longest delay %.3g us, increase "
            "%u\n",
            n,
            cfg->senders         ? ""
            : n <= LEAST_SENDERS ? " (the least: its traffic overloads no host)"
                                 : " (by the traffic)",
            (double)p.timer_ps / COP_US, (double)p.longest_ps / COP_US, p.increase);
        if (n == most)
            return;
    }
}
