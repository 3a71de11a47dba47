/* Shared by ahead*.c: the lines of an output, of a host, of a sender that will get a return, and
 * the predicted output of a packet. */
#include "net/ahead/ahead_int.h"

#include "net/cable/cable.h"
#include "net/switch/switch.h"

void cop_ahead_output(const cop_net *net, uint32_t port)
{
    cop_fetch_requests(net, port);
    if (net->obuf)
        cop_obuf_prefetch(net, port);
}

void cop_ahead_return(const cop_net *net, uint32_t in)
{
    uint32_t from = net->in[in].from;
    if (from == COP_NONE)
        return;
    const cop_ring *r = &net->out[from].ring;
    if (r->v)
        cop_fetch(&r->v[r->end & r->mask]);
}

uint32_t cop_ahead_guess(const cop_net *net, const cop_in *in, const cop_pkt *p, uint8_t *vl)
{
    *vl = p->vl;
    if (cop_input_asked_early(net, in)) {
        *vl = p->out_vl;
        return p->out;
    }
    if (net->lft)
        return net->lft[(size_t)in->sw * net->info.n_hosts + p->dst];
    cop_hop hop = {.sw = in->sw,
                   .in_port = in->local,
                   .in_vl = p->vl,
                   .src = p->src,
                   .dst = p->dst,
                   .mid = p->mid,
                   .state = p->rstate};
    cop_cand cand[COP_MAX_CAND];
    if (net->route->ops->guess)
        cand[0] = net->route->ops->guess(net->route, &hop);
    else
        net->route->ops->route(net->route, &hop, NULL, cand);
    *vl = cand[0].vl;
    return cand[0].port;
}

void cop_ahead_host(const cop_net *net, uint32_t host)
{
    cop_fetch(&net->nic[host]);
    cop_fetch(&net->nic[host].seq);
    cop_fetch(&net->out[net->host_port0 + host]);
    cop_fetch(&net->out[net->host_port0 + host].waiting);
    cop_fetch(&net->section[(size_t)(net->host_port0 + host) * net->sections]);
    cop_fetch(&net->traffic->host_stream0[host]);
    cop_vlarb_prefetch(net, net->host_port0 + host);
    if (net->host_ops->soon)
        net->host_ops->soon(net, host);
    if (net->pkt_free != COP_NONE)
        cop_fetch(&net->pkt[net->pkt_free]);
}

void cop_ahead_stream(const cop_net *net, uint32_t host)
{
    const cop_stream *first = &net->traffic->stream[net->traffic->host_stream0[host]];
    cop_fetch(first);
    cop_fetch((const char *)first + 64);
    const cop_out *out = &net->out[net->host_port0 + host];
    cop_fetch(&net->in[out->to]);
    if (out->ring.v)
        cop_fetch(&out->ring.v[out->ring.at & out->ring.mask]);
    cop_fetch(&net->probe.stream[net->traffic->host_stream0[host]]);
    cop_fetch(&net->probe.host[host]);
}
