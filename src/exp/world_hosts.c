/* Single hosts (section hosts): rates and delay of some hosts instead of those of all.
 *
 * Rules    each entry names a set of hosts, as `from` of traffic entries does; later entries win. What an
 *          entry does not say is as for all others. Entry and host are looked up once, here.
 * Source   Gran's thesis, figure 2.5: an end node that is slower than others. */
#include "exp/world_hosts.h"

#include "traffic/traffic_cfg.h"

static void take(uint64_t *to, uint64_t from)
{
    if (from > 0)
        *to = from;
}

static int add_entry(const cop_world *w, const cop_config *c, size_t i, cop_host_own *own,
                     cop_err *err)
{
    const cop_host_own *e = &c->own[i];
    cop_err inner = {0};
    char path[64], where[512];
    uint8_t *mark = cop_alloc(w->topo.n_hosts);
    int rc = cop_host_set(&w->topo, e->hosts, mark, &inner);
    for (uint32_t h = 0; rc == 0 && h < w->topo.n_hosts; h++) {
        if (!mark[h])
            continue;
        take(&own[h].rate_bps, e->rate_bps);
        take(&own[h].delay_ps, e->delay_ps);
        take(&own[h].inject_rate_bps, e->inject_rate_bps);
        take(&own[h].receive_rate_bps, e->receive_rate_bps);
    }
    cop_free(mark);
    if (rc == 0)
        return 0;
    snprintf(path, sizeof(path), "hosts[%zu]", i);
    return cop_err_add(err, inner.code, "%s: hosts: %s",
                       cop_config_where(c, path, where, sizeof(where)), inner.text);
}

int cop_world_hosts(cop_world *w, cop_config *c, cop_err *err)
{
    c->link.own = c->nic.own = NULL;
    if (c->n_own == 0)
        return 0;
    cop_host_own *own = COP_NEW_ARRAY(&c->arena, cop_host_own, w->topo.n_hosts);
    int rc = 0;
    for (size_t i = 0; i < c->n_own; i++)
        rc = add_entry(w, c, i, own, err) != 0 ? -COP_E_INPUT : rc;
    c->link.own = c->nic.own = own;
    return rc;
}
