/* The congestion control table: delay of a flow after a packet, by its index.
 *
 * Forms    times   cct[i] = delay * i / index  or  delay * i^2 / index^2, or a list. They are for a
 *                  packet of full size; a shorter one waits in proportion (G-gran1-6), unless
 *                  cct_scale is off.
 *          ratios  multiplier / 2^shift of the packet's own time on the wire, as hardware has it.
 * Rule     entry 0 is no delay. An index beyond the list uses its last entry. */
#include "cc/ibcc.h"

void ibcc_cct_fill(ibcc_cct *t, const ibcc_params *par, const ibcc_cfg *cfg, uint32_t mtu_bytes)
{
    t->n = par->cct_entries;
    t->mtu_bytes = mtu_bytes;
    t->scale = cfg->cct_scale;
    if (par->cct_shape == IBCC_ENCODED) {
        int64_t n = ibcc_parse_ratios(cfg->cct_encoded, t->ratio, t->n);
        for (uint32_t i = (uint32_t)n; i < t->n; i++)
            t->ratio[i] = t->ratio[n - 1];
        return;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        unsigned __int128 delay = par->cct_delay_ps;
        uint64_t k = par->cct_index;
        if (par->cct_shape == IBCC_TIMES)
            t->time[i] = cfg->cct_times.v[i < cfg->cct_times.n ? i : cfg->cct_times.n - 1];
        else if (par->cct_shape == IBCC_LINEAR)
            t->time[i] = (cop_time)((delay * i + k / 2) / k);
        else
            t->time[i] = (cop_time)((delay * i * i + k * k / 2) / (k * k));
    }
}

cop_time ibcc_cct_delay(const ibcc_cct *t, uint32_t index, uint64_t unit)
{
    uint32_t i = index < t->n ? index : t->n - 1;
    if (t->ratio)
        return ibcc_ratio_of(t->ratio[i], unit);
    if (unit == t->mtu_bytes || !t->scale)
        return t->time[i];
    return t->time[i] * unit / t->mtu_bytes;
}
