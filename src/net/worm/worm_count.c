/* Wormhole switching: what hosts send and take in, flit by flit.
 *
 * Role     bytes belong to the time in which they pass (probe.h). Flits of several packets share a
 *          wire, so a packet does not pass evenly from its first byte to its last: each flit counts
 *          for itself. */
#include "net/worm/worm.h"

/* Payload of packet p up to its flit number `flit`: headers are spread evenly over the flits. */
static uint64_t payload_before(const cop_net *net, const cop_pkt *p, uint32_t flit)
{
    uint64_t bytes = (uint64_t)flit * net->unit_bytes, all = p->bytes;
    return cop_min64(bytes, all) * (all - net->nic_cfg->overhead_bytes) / all;
}

static uint32_t payload_of(const cop_net *net, const cop_pkt *p, uint32_t flit)
{
    return (uint32_t)(payload_before(net, p, flit + 1) - payload_before(net, p, flit));
}

/* A host takes in a flit from `from` to `to`. */
void cop_worm_taken(cop_net *net, uint32_t host, cop_stay *s, uint32_t flit, cop_time from,
                    cop_time to)
{
    const cop_pkt *p = &net->pkt[s->pkt];
    if ((p->flags & COP_PKT_CONTROL) || p->dst != host)
        return;
    uint32_t payload = payload_of(net, p, flit);
    cop_probe_spread(&net->probe, p->stream, host, payload, from, to, net->end);
    s->inside += cop_probe_part(&net->probe, payload, from, to);
}

void cop_worm_sent(cop_net *net, uint32_t host, const cop_pkt *p, uint32_t flit, cop_time left)
{
    if (!(p->flags & COP_PKT_CONTROL) && p->src == host)
        net->probe.host[host].sent_bytes +=
            cop_probe_part(&net->probe, payload_of(net, p, flit), net->now, left);
}

void cop_worm_finish(cop_net *net)
{
    cop_worm *w = net->worm;
    cop_probe *pr = &net->probe;
    for (uint32_t i = net->host_port0 * net->lanes; i < net->topo->n_ports * net->lanes; i++)
        for (uint32_t s = w->in[i].front; s != COP_NONE; s = w->stay[s].next) {
            const cop_pkt *p = &net->pkt[w->stay[s].pkt];
            uint32_t inside = w->stay[s].inside;
            pr->stream[p->stream].bytes += inside;
            pr->host[i / net->lanes - net->host_port0].received_bytes += inside;
            if (pr->flow.v && inside > 0)
                (void)cop_probe_flow(pr, p->src, p->dst, p->seq, inside, false);
        }
}
