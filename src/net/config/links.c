/* Links by class: between hosts and switches, between switches, between dragonfly groups. Each
 * class may set a rate, a delay, a number of lanes and a buffer; else the general ones apply.
 * Single hosts may set a rate and a delay.
 *
 * A lane that a link does not have is a section without room: nothing may be sent on it. That no
 * packet needs it is validated before (exp/run.c for routings, build_check.c for what end nodes
 * inject). */
#include "net/config/config.h"

static uint64_t of_class(unsigned link_class, uint64_t host, uint64_t trunk, uint64_t global,
                         uint64_t all)
{
    uint64_t own = link_class == COP_LINK_HOST     ? host
                   : link_class == COP_LINK_GLOBAL ? global
                                                   : trunk;
    return own ? own : all;
}

/* What is set for the host at either end of the link of `port`; NULL: nothing. */
static const cop_host_own *own_of(const cop_topo *t, const cop_link_cfg *cfg, uint32_t port)
{
    uint32_t to = t->port[port].to, end = cop_topo_is_host_port(t, port) ? port : to;
    if (cfg->own == NULL || to == COP_NONE || !cop_topo_is_host_port(t, end))
        return NULL;
    return &cfg->own[end - t->host_port0];
}

uint64_t cop_net_link_rate(const cop_topo *t, const cop_link_cfg *cfg, uint32_t port)
{
    const cop_port *p = &t->port[port];
    const cop_host_own *own = own_of(t, cfg, port);
    if (own != NULL && own->rate_bps > 0)
        return own->rate_bps;
    if (p->rate_rank && !cfg->override_file)
        return t->speed[p->rate_rank];
    return of_class(p->link_class, cfg->host_rate_bps, cfg->trunk_rate_bps, cfg->global_rate_bps,
                    cfg->rate_bps);
}

cop_time cop_link_delay(const cop_topo *t, const cop_link_cfg *cfg, uint32_t port)
{
    const cop_host_own *own = own_of(t, cfg, port);
    if (own != NULL && own->delay_ps > 0)
        return own->delay_ps;
    return of_class(t->port[port].link_class, cfg->host_delay_ps, cfg->trunk_delay_ps,
                    cfg->global_delay_ps, cfg->delay_ps);
}

uint32_t cop_class_lanes(const cop_switch_cfg *sw, unsigned link_class, uint32_t lanes)
{
    return (uint32_t)of_class(link_class, (uint64_t)sw->host_lanes, (uint64_t)sw->trunk_lanes,
                              (uint64_t)sw->global_lanes, lanes);
}

uint32_t cop_net_port_lanes(const cop_net *net, uint32_t port)
{
    return cop_class_lanes(net->sw_cfg, net->topo->port[port].link_class, net->lanes);
}

uint64_t cop_link_buffer(const cop_net *net, uint32_t port)
{
    const cop_switch_cfg *sw = net->sw_cfg;
    if (cop_topo_is_host_port(net->topo, net->topo->port[port].to))
        return net->nic_cfg->buffer_bytes ? net->nic_cfg->buffer_bytes : sw->buffer_bytes;
    return of_class(net->topo->port[port].link_class, sw->host_buffer_bytes, sw->trunk_buffer_bytes,
                    sw->global_buffer_bytes, sw->buffer_bytes);
}

uint32_t cop_link_sections(const cop_net *net, uint32_t port)
{
    if (net->sw_cfg->shared_lanes)
        return 1;
    return net->sections / net->lanes * cop_net_port_lanes(net, port);
}

void cop_build_sections(cop_net *net)
{
    uint32_t n = net->topo->n_ports, mtu = cop_blocks(net->info.mtu_bytes);
    uint64_t reserve = net->sw_cfg->reserve_bytes / COP_BLOCK_BYTES;
    if (net->sw_cfg->shared_lanes)
        net->shared_free = COP_NEW_ARRAY(&net->arena, uint32_t, n);
    if (net->sectioned)
        net->section_waiters = COP_NEW_ARRAY(&net->arena, uint32_t, n);
    for (uint32_t p = 0; p < n; p++) {
        if (net->out[p].to == COP_NONE)
            continue;
        uint32_t blocks = (uint32_t)(cop_link_buffer(net, p) / net->unit_bytes);
        uint32_t lanes = cop_net_port_lanes(net, p);
        for (uint32_t s = 0; s < net->sections; s++) {
            uint32_t room = s % net->lanes < lanes ? blocks : 0;
            cop_section *sec = &net->section[(size_t)p * net->sections + s];
            *sec = (cop_section){.credit = room, .capacity = room, .wait = COP_NONE};
            if (net->shared_free && room > 0)
                sec->credit = reserve ? (uint32_t)reserve : mtu;
        }
        if (net->shared_free)
            net->shared_free[p] = blocks - lanes * net->section[(size_t)p * net->sections].credit;
    }
}
