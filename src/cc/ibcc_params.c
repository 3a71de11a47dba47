/* Parameters of the InfiniBand congestion control: parsing of ratios, and validation. Presets and
 * options are resolved in ibcc_preset.c. */
#include "cc/ibcc.h"

#include <string.h>

#define MAX_RATIO_SHIFT 3
#define MAX_RATIO_MULTIPLIER 16383

/* Parse a number of digits only, at most `most`; moves *s past it. */
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
    return ibcc_own_check(cfg, &p, info, err);
}
