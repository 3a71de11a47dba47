/* Switch inputs: routing, queues, and the requests of queue heads at the outputs. */
#ifndef COP_NET_INPUT_H
#define COP_NET_INPUT_H

#include "net/net.h"

/* Packet h has passed the pipeline and enters switch input `port`. */
void cop_input_receive(cop_net *net, uint32_t port, uint32_t h);
/* The same out of line: for a packet that the switch itself has made (COP_PKT_OWN), and for heads
 * of wormhole switching. (A second caller of the first would cost all others 20 instructions per
 * hop.) */
void cop_input_made(cop_net *net, uint32_t port, uint32_t h);
/* Packet h is on the wire of `port`: if that leads to a switch it is routed now, as nothing that
 * happens before its arrival changes the result (routes_early). */
void cop_input_ask_early(cop_net *net, uint32_t port, uint32_t h);
/* Was that done for packets that come in here? Not for those that the switch has made. */
static inline bool cop_input_asked_early(const cop_net *net, const cop_in *in)
{
    return net->routes_early >
           (in->from < net->host_port0 ? COP_BLIND_NEVER : COP_BLIND_IN_TRANSIT);
}
/* COP_EV_HEAD: the head of queue q may be able to request its output now. */
void cop_input_head(cop_net *net, uint32_t q);

/* Heads of switch `sw` that the congestion control does not admit: it is asked again. */
void cop_input_admit(cop_net *net, uint32_t sw);

/* COP_EV_PATIENCE: a head of queue q that has waited for too long asks for the host that absorbs it
 * (recover.h). */
void cop_input_patience(cop_net *net, uint32_t q);

/* Take back the requests of queue q's head. */
void cop_input_withdraw(cop_net *net, uint32_t q);

/* One request that an output may grant. */
typedef struct cop_pick {
    uint32_t in; /* input port */
    uint32_t queue; /* network-wide queue number */
    uint32_t vl; /* lane on the output */
} cop_pick;

/* Order of a queue among those of its input, by a scheme that has one: the smaller key goes
 * first. */
static inline uint64_t cop_input_order_key(cop_net *net, uint32_t q)
{
    uint32_t port = net->queue_port[q], local = q - net->in[port].queue0;
    const cop_pkt *p = &net->pkt[net->queue[q].head];
    if (COP_UNLIKELY(p->flags & COP_PKT_OWN)) /* the scheme has no such queue */
        local = net->queue_ops->select(net->queue_cfg, &net->info, p);
    return cop_scheme_at(net, port)->runtime.order(net, port, local, p);
}

/* Input `input` requests lane vl of output `port`: does one of its packets fit there? */
bool cop_input_fits(cop_net *net, uint32_t port, uint32_t vl, uint32_t input);
/* Choose among the requests of lane vl at output `port` by the configured arbitration; only inputs
 * whose bit is set in `allowed` (NULL: all). If no request fits behind the output, the lane is
 * blocked and false is returned. */
bool cop_input_pick_slow(cop_net *net, uint32_t port, uint32_t vl, const uint64_t *allowed,
                         cop_pick *pick);
/* The same when every packet would fit, with round robin, request lists and at most 64 ports: of
 * the next requesting input the request that came first. */
bool cop_input_pick_first(cop_net *net, uint32_t port, uint32_t vl, const uint64_t *allowed,
                          cop_pick *pick);
/* The same when `any_fits`: every packet would fit behind the output. With round robin over one
 * queue per (input, output, lane) it is then simply the next requesting input. */
static inline bool cop_input_pick(cop_net *net, uint32_t port, uint32_t vl, const uint64_t *allowed,
                                  bool any_fits, cop_pick *pick)
{
    if (COP_UNLIKELY(!any_fits || !net->quick_pick))
        return any_fits && net->quick_list ? cop_input_pick_first(net, port, vl, allowed, pick)
                                           : cop_input_pick_slow(net, port, vl, allowed, pick);
    const cop_out *out = &net->out[port];
    uint32_t first = out->lane[vl].rr;
    uint64_t bits = out->request[vl] & (allowed ? allowed[0] : ~(uint64_t)0);
    uint64_t from_first = first < 64 ? bits & ~(uint64_t)0 << first : 0;
    if (bits == 0)
        return false;
    uint32_t input = (uint32_t)__builtin_ctzll(from_first ? from_first : bits);
    pick->in = out->port0 + input;
    pick->queue = net->in[pick->in].queue0 + out->local * net->lanes + vl;
    pick->vl = vl;
    return true;
}

/* The picked packet goes: leaves its queue, crosses by `transfer`, frees its space when its tail
 * has left. Returns that time. `early` is net->early_hooks, known to be false without output
 * buffers. */
cop_time cop_input_grant(cop_net *net, uint32_t port, const cop_pick *pick,
                         cop_transfer_fn transfer, bool early);

/* Sectioned buffers: requests that waited for this section compete again. */
void cop_input_wake_section(cop_net *net, uint32_t port, uint32_t section);

#endif
