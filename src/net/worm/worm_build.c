/* Wormhole switching: construction of its state (worm.h). */
#include "net/worm/worm.h"

#include <string.h>

/* Lane vl of input `port`: an arrival time for each place of its buffer. */
static void init_lane(cop_net *net, uint32_t port, uint32_t vl)
{
    cop_lane_in *l = cop_worm_in(net, port, vl);
    uint32_t from = net->in[port].from, places = 1;
    *l = (cop_lane_in){.front = COP_NONE, .back = COP_NONE};
    if (from == COP_NONE || net->in[port].sw == COP_NONE)
        return;
    while (places < net->out[from].section[vl].capacity)
        places *= 2;
    l->mask = places - 1;
    l->head = COP_NEW_ARRAY(&net->arena, cop_time, places);
}

void cop_worm_init(cop_net *net)
{
    uint32_t n = net->topo->n_ports, hosts = net->info.n_hosts;
    size_t lanes = cop_product(n, net->lanes);
    cop_worm *w = net->worm = COP_NEW_ARRAY(&net->arena, cop_worm, 1);
    w->free = COP_NONE;
    w->in = COP_NEW_ARRAY(&net->arena, cop_lane_in, lanes);
    w->held = COP_NEW_ARRAY(&net->arena, uint32_t, lanes);
    memset(w->held, 0xff, lanes * sizeof(*w->held));
    w->taken = COP_NEW_ARRAY(&net->arena, cop_time, hosts);
    w->receive_pace = COP_NEW_ARRAY(&net->arena, cop_pace, hosts);
    w->allocation_ps = net->sw_cfg->allocation_ps;
    w->whole = net->sw_cfg->reuse == COP_REUSE_EMPTY ||
               (net->sw_cfg->reuse == COP_REUSE_AUTO && cop_worm_needs_empty(net, net->route));
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t vl = 0; vl < net->lanes; vl++)
            init_lane(net, p, vl);
    for (uint32_t h = 0; h < hosts; h++) { /* flits wait for the sink here, packets no longer do */
        w->receive_pace[h] = net->nic[h].receive_pace;
        net->nic[h].receive_pace = 0;
    }
}

void cop_worm_fini(cop_net *net)
{
    if (net->worm)
        cop_free(net->worm->stay);
}
