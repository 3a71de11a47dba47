/* Service levels and hosts with private CCTI_Timer, CCTI_Increase, CCTI_Limit and CCTI_Min, as
 * CACongestionSetting has them for each service level of each end node; and hosts that run jobs
 * alone, whose CCTI_Increase is 0 with preset auto (ibcc_auto.c).
 *
 * Rules    a row of `host_ccti` overrides one of `sl_ccti`, and that the values of all, or of all
 *          that run jobs alone, number by number. The table of delays is one for all.
 * State    the parameters of a source once for each level, once more if jobs are spared, and once
 *          more for each level of a host with rows; a flow keeps the index of its parameters from
 *          its first packet on. None of this is allocated if no row is given and no job is spared.
 * Source   IBA 1.2.1, annex A10; OpenSM's cc_ca_cong_setting_ccti_*. */
#include "cc/ibcc.h"

#define LEVELS 16
#define ROW 5
#define MOST_HOSTS 4000 /* with rows: an index has 16 bits */
#define TIMER_UNIT_PS 1024000 /* 1.024 us */

static void take(ibcc_params *p, const int64_t *row)
{
    if (row[1] >= 0)
        p->period_ps = (cop_time)row[1] * TIMER_UNIT_PS;
    if (row[2] >= 0)
        p->increase = (uint32_t)row[2];
    if (row[3] >= 0)
        p->limit = (uint32_t)row[3];
    if (row[4] >= 0)
        p->min = (uint32_t)row[4];
}

static int check_row(const char *option, const int64_t *row, int64_t end, const ibcc_params *par,
                     cop_err *err)
{
    ibcc_params p = *par;
    int n = (int)row[0];
    take(&p, row);
    if (row[0] < 0 || row[0] >= end)
        return cop_err_add(err, COP_E_INPUT, "cc.%s: there is no number %d; give 0 to %d", option,
                           n, (int)end - 1);
    if (row[1] == 0 || row[1] > 65535 || row[2] > 65535)
        return cop_err_add(err, COP_E_INPUT,
                           "cc.%s: number %d has a timer of %d and an increase of %d; give 1 to "
                           "65535 units of 1.024 us and at most 65535, or -1",
                           option, n, (int)row[1], (int)row[2]);
    if (p.limit >= p.cct_entries)
        return cop_err_add(err, COP_E_INPUT,
                           "cc.%s: the limit %u of number %d is outside the table; at most %u",
                           option, p.limit, n, p.cct_entries - 1);
    if (p.min > p.limit)
        return cop_err_add(err, COP_E_INPUT,
                           "cc.%s: the least index %u of number %d is above its limit %u; make it "
                           "smaller",
                           option, p.min, n, p.limit);
    return 0;
}

static int check_rows(const cop_ints *list, const char *option, int64_t end, const ibcc_params *par,
                      cop_err *err)
{
    int rc = 0;
    if (list->n % ROW != 0)
        return cop_err_add(err, COP_E_INPUT,
                           "cc.%s has %zu numbers; give %s, timer, increase, limit and least index "
                           "for each",
                           option, list->n, option[0] == 's' ? "level" : "host");
    for (size_t i = 0; i < list->n && rc == 0; i += ROW)
        rc = check_row(option, &list->v[i], end, par, err);
    return rc;
}

static const int64_t *row_of(const cop_ints *list, int64_t which)
{
    const int64_t *row = NULL; /* the last one wins */
    for (size_t i = 0; i < list->n; i += ROW)
        if (list->v[i] == which)
            row = &list->v[i];
    return row;
}

static ibcc_params params_of(const ibcc_cfg *cfg, const ibcc_params *par, int64_t host,
                             int64_t level)
{
    ibcc_params p = *par;
    const int64_t *of_level = row_of(&cfg->sl_ccti, level),
                  *of_host = row_of(&cfg->host_ccti, host);
    if (of_level)
        take(&p, of_level);
    if (of_host)
        take(&p, of_host);
    return p;
}

ibcc_params ibcc_own_level(const ibcc_cfg *cfg, const ibcc_params *par, uint32_t level)
{
    return params_of(cfg, par, -1, level);
}

int ibcc_own_check(const ibcc_cfg *cfg, const ibcc_params *par, const cop_netinfo *info,
                   cop_err *err)
{
    int rc = check_rows(&cfg->sl_ccti, "sl_ccti", LEVELS, par, err);
    if (rc == 0)
        rc = check_rows(&cfg->host_ccti, "host_ccti", info->n_hosts, par, err);
    if (rc == 0 && cfg->host_ccti.n / ROW > MOST_HOSTS)
        rc = cop_err_add(err, COP_E_INPUT, "cc.host_ccti has %zu hosts; at most %d",
                         cfg->host_ccti.n / ROW, MOST_HOSTS);
    for (size_t i = 0; i < cfg->host_ccti.n && rc == 0; i += ROW)
        for (int64_t level = 0; level < LEVELS && rc == 0; level++) {
            ibcc_params p = params_of(cfg, par, cfg->host_ccti.v[i], level);
            if (p.min > p.limit)
                rc = cop_err_add(err, COP_E_INPUT,
                                 "cc.host_ccti: host %d has least index %u and limit %u on level "
                                 "%d; give both",
                                 (int)cfg->host_ccti.v[i], p.min, p.limit, (int)level);
        }
    return rc;
}

/* A block of parameters, one for each level; returns its first. */
static uint16_t add_block(ibcc_run *run, const ibcc_cfg *cfg, const ibcc_params *par, int64_t host,
                          size_t *n)
{
    size_t first = (*n)++ * LEVELS;
    for (int64_t level = 0; level < LEVELS; level++)
        run->own[first + (size_t)level] = params_of(cfg, par, host, level);
    return (uint16_t)first;
}

void ibcc_own_start(struct cop_net *net, ibcc_run *run, const ibcc_cfg *cfg,
                    const cop_netinfo *info)
{
    size_t rows = cfg->host_ccti.n / ROW, n = 0;
    bool spares = ibcc_spares_jobs(cfg, info);
    if (rows == 0 && cfg->sl_ccti.n == 0 && !spares)
        return;
    ibcc_params jobs = run->par;
    jobs.increase = 0;
    run->own = cop_net_cc_alloc(net, (rows + 1 + spares) * LEVELS, sizeof(*run->own));
    run->own_host = cop_net_cc_alloc(net, info->n_hosts, sizeof(*run->own_host));
    add_block(run, cfg, &run->par, -1, &n);
    if (spares) {
        uint16_t block = add_block(run, cfg, &jobs, -1, &n);
        for (uint32_t h = 0; h < info->n_hosts; h++)
            run->own_host[h] = info->only_jobs[h] ? block : 0;
    }
    for (size_t i = 0; i < rows; i++) {
        int64_t host = cfg->host_ccti.v[i * ROW];
        if (run->own_host[host] >= (1 + spares) * LEVELS)
            continue;
        const ibcc_params *par = spares && info->only_jobs[host] ? &jobs : &run->par;
        run->own_host[host] = add_block(run, cfg, par, host, &n);
    }
}
