/* Role: checks the arrivals of a stream: rates, pulses, bursts and slots that a host can send.
 * Contract: faults go to the build's list, each with the key and the remedy; arrival.c can generate
 *   accepted arrivals for as long as a run lasts. */
#include "traffic/traffic_priv.h"

#define LEAST_BYTES (1.0 / 256.0) /* in a pulse or burst: 256 times what is rounded */

static bool is_given(uint64_t bps, double share)
{
    return bps != 0 || share > 0.0;
}

static uint64_t bps_of(uint64_t bps, double share, uint64_t limit)
{
    return bps != 0 ? bps : (uint64_t)(share * (double)limit + 0.5);
}

void traffic_host_rates(const traffic_build *b, const cop_traffic_cfg *cfg, uint32_t host,
                        uint64_t bps[2])
{
    uint64_t limit = b->ctx->inject_bps[host];
    if (cfg->arrival == COP_ARRIVAL_SATURATED)
        bps[0] = limit;
    else
        bps[0] = bps_of(cfg->rate_bps, cfg->load, limit);
    bps[1] = 0;
    if (cfg->arrival == COP_ARRIVAL_PULSES)
        bps[1] = bps_of(cfg->low_rate_bps, cfg->low_load, limit);
}

static int check_rate(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e)
{
    bool rate = cfg->rate_bps != 0, load = cfg->load > 0.0;
    const char *given = rate ? "rate" : "load";
    if (cfg->arrival == COP_ARRIVAL_SATURATED) {
        if (!is_given(cfg->rate_bps, cfg->load))
            return 0;
        return traffic_fault(b, given,
                             "saturated sources have no `%s`; remove it, or set `arrival` to "
                             "constant, bernoulli, poisson, pulses or on-off",
                             given);
    }
    if (rate && load)
        return traffic_fault(b, "load", "both `rate` and `load` are given; keep one of them");
    if (!rate && !load) {
        return traffic_fault(b, "arrival",
                             "this arrival needs a `rate` such as 12 Gbit/s or a `load` such as "
                             "80 %%, above 0");
    }
    for (uint32_t i = 0; i < e->n_src; i++) {
        uint64_t limit = b->ctx->inject_bps[e->src[i]], bps[2];
        char is[32], most[32];
        traffic_host_rates(b, cfg, e->src[i], bps);
        if (bps[0] > limit) {
            return traffic_fault(b, given,
                                 "`%s` is %s, but host %u can send at most %s; lower it, or raise "
                                 "the rate of its link (or "
                                 "nic.inject_rate)",
                                 given, cop_print_rate(bps[0], is, sizeof(is)), e->src[i],
                                 cop_print_rate(limit, most, sizeof(most)));
        }
        if (bps[0] == 0) {
            return traffic_fault(b, given, "`%s` is less than 1 bit/s at host %u; raise it", given,
                                 e->src[i]);
        }
        if (bps[1] >= bps[0]) {
            const char *low = cfg->low_rate_bps != 0 ? "low_rate" : "low_load";
            return traffic_fault(b, low,
                                 "`%s` must be below `%s`, which is %s at host %u; lower it", low,
                                 given, cop_print_rate(bps[0], is, sizeof(is)), e->src[i]);
        }
    }
    return 0;
}

/* Too short phases: their bytes would be lost in rounding, or phases would dominate the run. */
static int check_lengths(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e)
{
    bool pulses = e->wave == WAVE_SQUARE;
    const char *const key[] = {pulses ? "high_time" : "on_mean", pulses ? "low_time" : "off_mean"};
    char is[32], least[32];
    for (uint32_t i = 0; e->wave != WAVE_NONE && i < e->n_src; i++) {
        uint64_t bps[2], byte_ps = 8 * COP_SECOND / b->ctx->inject_bps[e->src[i]];
        traffic_host_rates(b, cfg, e->src[i], bps);
        double bytes = (double)bps[0] * (double)e->length[0] / (8.0 * (double)COP_SECOND);
        for (int k = 0; k < 2; k++)
            if (e->length[k] < byte_ps)
                return traffic_fault(b, key[k],
                                     "`%s` is %s, and host %u takes %s to send a byte; make it as "
                                     "long at least",
                                     key[k], cop_print_time(e->length[k], is, sizeof(is)),
                                     e->src[i], cop_print_time(byte_ps, least, sizeof(least)));
        if (bytes < LEAST_BYTES)
            return traffic_fault(b, key[0],
                                 "in `%s` %s there are %.2g bytes at the rate of host %u; make it "
                                 "longer, or the rate higher",
                                 key[0], cop_print_time(e->length[0], is, sizeof(is)), bytes,
                                 e->src[i]);
    }
    return 0;
}

static int check_wave(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    bool pulses = cfg->arrival == COP_ARRIVAL_PULSES;
    if (!pulses && is_given(cfg->low_rate_bps, cfg->low_load))
        return traffic_fault(b, "low_rate", "only `arrival` pulses has a low rate; remove it");
    if (pulses) {
        if (cfg->low_rate_bps != 0 && cfg->low_load > 0.0)
            return traffic_fault(b, "low_load", "keep one of `low_rate` and `low_load`");
        if (cfg->high_time_ps == 0 || cfg->low_time_ps == 0) {
            return traffic_fault(b, cfg->high_time_ps == 0 ? "high_time" : "low_time",
                                 "pulses need `high_time` and `low_time`, both above 0");
        }
        e->wave = WAVE_SQUARE;
        e->length[0] = cfg->high_time_ps;
        e->length[1] = cfg->low_time_ps;
    } else if (cfg->arrival == COP_ARRIVAL_ON_OFF) {
        if (cfg->on_mean_ps == 0 || cfg->off_mean_ps == 0) {
            return traffic_fault(b, cfg->on_mean_ps == 0 ? "on_mean" : "off_mean",
                                 "on-off needs `on_mean` and `off_mean`, both above 0");
        }
        e->wave = WAVE_BURSTS;
        e->length[0] = cfg->on_mean_ps;
        e->length[1] = cfg->off_mean_ps;
        e->tail = cfg->bursts == COP_BURSTS_PARETO ? cfg->tail : 0.0;
    }
    if (!pulses && (cfg->high_time_ps != 0 || cfg->low_time_ps != 0))
        return traffic_fault(b, cfg->high_time_ps != 0 ? "high_time" : "low_time",
                             "only `arrival` pulses has pulses; remove it");
    if (cfg->arrival != COP_ARRIVAL_ON_OFF && (cfg->on_mean_ps != 0 || cfg->off_mean_ps != 0))
        return traffic_fault(b, cfg->on_mean_ps != 0 ? "on_mean" : "off_mean",
                             "only `arrival` on-off has bursts; remove it");
    if (cfg->bursts != COP_BURSTS_EXPONENTIAL && cfg->arrival != COP_ARRIVAL_ON_OFF)
        return traffic_fault(b, "bursts", "only `arrival` on-off has bursts; remove it");
    if (!pulses && cfg->pulse_arrival != COP_PULSE_BERNOULLI)
        return traffic_fault(b, "pulse_arrival", "only `arrival` pulses has it; remove it");
    return check_lengths(b, cfg, e);
}

/* What has neither message times nor slots has no phase. */
static int check_phase(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e)
{
    if (cfg->phase != COP_PHASE_RANDOM || e->gen == GEN_CONSTANT || e->gen == GEN_BERNOULLI)
        return 0;
    return traffic_fault(b, "phase",
                         "only constant and Bernoulli arrivals have a phase; remove it");
}

static int check_slot(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    e->slot = cfg->slot_ps;
    if (e->slot == 0)
        return 0;
    if (e->gen != GEN_BERNOULLI)
        return traffic_fault(b, "slot", "only Bernoulli arrivals have slots; remove `slot`");
    for (uint32_t i = 0; i < e->n_src; i++) {
        uint64_t bps[2];
        traffic_host_rates(b, cfg, e->src[i], bps);
        double p = traffic_slot_chance(e, bps[0], 1);
        if (p > 1.0)
            return traffic_fault(
                b, "slot",
                "a slot has at most one message, and the rate of host %u needs %.3g; "
                "make it shorter",
                e->src[i], p);
    }
    return 0;
}

static uint8_t gen_of(const cop_traffic_cfg *cfg)
{
    switch (cfg->arrival) {
    case COP_ARRIVAL_SATURATED:
        return GEN_SATURATED;
    case COP_ARRIVAL_BERNOULLI:
        return GEN_BERNOULLI;
    case COP_ARRIVAL_POISSON:
        return GEN_POISSON;
    case COP_ARRIVAL_PULSES:
        return cfg->pulse_arrival == COP_PULSE_BERNOULLI  ? GEN_BERNOULLI
               : cfg->pulse_arrival == COP_PULSE_CONSTANT ? GEN_CONSTANT
                                                          : GEN_POISSON;
    default:
        return GEN_CONSTANT;
    }
}

int traffic_arrival_check(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    e->gen = gen_of(cfg);
    e->wave = WAVE_NONE;
    e->random_phase = cfg->phase == COP_PHASE_RANDOM ||
                      (cfg->phase == COP_PHASE_AUTO && cfg->pattern == COP_PATTERN_FOREST &&
                       cfg->mix == COP_MIX_DRAWN);
    e->limit = (uint32_t)cfg->messages;
    e->patience = cfg->patience_ps;
    b->tr->gives_up |= e->patience > 0;
    int rc = check_rate(b, cfg, e);
    if (e->patience > 0 && e->gen == GEN_SATURATED)
        rc =
            traffic_fault(b, "patience",
                          "a saturated sender has no messages that wait; choose another `arrival`");
    if (check_wave(b, cfg, e) != 0 || check_slot(b, cfg, e) != 0 || check_phase(b, cfg, e) != 0)
        rc = -COP_E_INPUT;
    return rc;
}
