/* Applications at the network: see net/app.h.
 *
 * Role     calls a rank when its time has come, and carries out what it wishes: a host tries to send, a rank
 *          is called again. Packets of an application's messages carry the message's number.
 * Events   COP_EV_APP per rank; a wish that the rank has changed is ignored when it comes.
 * Owns     the numbers beside the pool of packets. */
#include "base/outcome.h"
#include "net/flow/flow.h"
#include "net/net.h"

#include <stdio.h>

void cop_net_wishes(cop_net *net, const cop_app_wish *wish)
{
    for (uint32_t i = 0; i < wish->n_streams; i++) {
        const cop_stream *s = &net->traffic->stream[wish->stream[i]];
        net->host_ops->wake(net, s->host, s->t_next);
    }
    for (uint32_t i = 0; i < wish->n_ranks; i++)
        if (wish->when[i] != COP_NEVER)
            cop_net_push(net, wish->when[i], COP_EV_APP, wish->rank[i]);
}

void cop_net_start_apps(cop_net *net)
{
    cop_net_wishes(net, cop_app_start(net->traffic->app));
}

void cop_net_act(cop_net *net, uint32_t rank)
{
    const cop_app_wish *wish = cop_app_act(net->traffic->app, rank, net->now);
    cop_net_wishes(net, wish);
    if (wish->over && net->run_cfg->until == COP_UNTIL_JOBS)
        net->stop = COP_STOP_DONE;
}

void cop_net_label(cop_net *net, uint32_t h, uint32_t msg)
{
    net->pkt_msg = cop_grow(net->pkt_msg, &net->pkt_msg_cap, (size_t)h + 1, sizeof(uint32_t));
    net->pkt_msg[h] = msg;
}

void cop_net_left(cop_net *net, uint32_t host, uint32_t h, cop_time t)
{
    const cop_pkt *p = &net->pkt[h];
    if ((p->flags & COP_PKT_LAST) && !(p->flags & COP_PKT_CONTROL) && p->src == host &&
        net->pkt_msg[h] != COP_NONE)
        cop_net_wishes(net, cop_app_left(net->traffic->app, net->pkt_msg[h], t));
}

void cop_net_stuck(cop_net *net)
{
    if (net->traffic->app != NULL && net->stop == COP_OUTCOME_OK &&
        cop_app_stuck(net->traffic->app, net->why, sizeof(net->why)) > 0)
        net->stop = COP_OUTCOME_STUCK;
}
