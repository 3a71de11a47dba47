/* Flow control: what a sender knows about the buffer at the other end, and the returns that update
 * it. Returns travel in a ring per sending port, ordered by arrival time, and are applied lazily:
 * when the sender needs its credit, or by one COP_EV_CREDIT when it is blocked. */
#ifndef COP_NET_FC_H
#define COP_NET_FC_H

#include "net/net.h"

extern const cop_fc_ops cop_fc_credit, cop_fc_credit_shared, cop_fc_ib, cop_fc_onoff,
    cop_fc_acknack;

/* Choose the ops and build their state. Sections have their capacity already. */
int cop_fc_init(cop_net *net, cop_err *err);
void cop_fc_fini(cop_net *net);

/* Add a return for the sender `port`; wakes it in time if it is blocked. */
void cop_fc_return(cop_net *net, uint32_t port, cop_return ret);
/* If something waits for credit at the sender `port` (cop_out.waits), make sure that the next
 * return wakes it. */
void cop_fc_arm(cop_net *net, uint32_t port);
/* COP_EV_CREDIT: true if returns have come that something waits for; they are applied. The sender
 * must then try again, and arm. */
bool cop_fc_came(cop_net *net, uint32_t port);
/* Clear the blocked lanes for which there is room again. */
void cop_fc_unblock(cop_net *net, uint32_t port);
/* Is room for section s behind `port` being returned, or may it be? */
bool cop_fc_coming(const cop_net *net, uint32_t port, uint32_t s);
/* Blocks of section s behind `port` in use or on the wire to it, without returns in flight; with
 * on/off bytes in the section. */
uint64_t cop_fc_held(const cop_net *net, uint32_t port, uint32_t s);
/* Will a packet fit there if so much of the section never becomes free? Where lanes share, `beyond`
 * is what never becomes free beyond the reserves of all lanes. */
bool cop_fc_fits_beside(const cop_net *net, uint32_t port, uint32_t s, uint32_t blocks,
                        uint64_t stays, uint64_t beyond);
/* Something at `port` waits from now on: bits COP_WAIT_. */
static inline void cop_fc_wait(cop_net *net, uint32_t port, uint8_t what)
{
    net->out[port].waits |= what;
    cop_fc_arm(net, port);
}
static inline void cop_fc_no_wait(cop_out *out, uint8_t what)
{
    out->waits &= (uint8_t)~what;
}

/* Lane vl of `port` cannot send: its smallest request needs `blocks` of what `waits` gives. */
static inline void cop_fc_block(cop_net *net, uint32_t port, uint32_t vl, uint32_t blocks,
                                uint8_t waits)
{
    net->out[port].vl_blocked |= 1u << vl;
    net->out[port].lane[vl].need = blocks;
    cop_fc_wait(net, port, waits);
}
/* Packets may fit on these lanes again. */
static inline void cop_fc_open(cop_out *out, uint32_t lanes)
{
    out->vl_blocked &= ~lanes;
    if (out->vl_blocked == 0)
        cop_fc_no_wait(out, COP_WAIT_LANES);
}

/* When a return that input `port` emits at time t reaches its sender. */
static inline cop_time cop_fc_back(const cop_net *net, uint32_t port, cop_time t)
{
    return t + net->in[port].back_ps;
}

/* Ring of returns, at first in the given array of COP_RING_FIRST. Releases nearly always come in
 * the order of time: append inline. */
void cop_ring_init(cop_ring *r, cop_return *first);
void cop_ring_fini(cop_ring *r);
void cop_ring_insert_slow(cop_ring *r, cop_return ret);
static inline void cop_ring_insert(cop_ring *r, cop_return ret)
{
    uint32_t n = r->end - r->at;
    if (COP_LIKELY(n <= r->mask && (n == 0 || r->v[(r->end - 1) & r->mask].t <= ret.t)))
        r->v[r->end++ & r->mask] = ret;
    else
        cop_ring_insert_slow(r, ret);
}
static inline bool cop_ring_due(const cop_ring *r, cop_time now)
{
    return r->at != r->end && r->v[r->at & r->mask].t <= now;
}
static inline cop_return cop_ring_pop(cop_ring *r)
{
    return r->v[r->at++ & r->mask];
}

/* The operations of the flow control. Relative credits, the common case, are inline here; others
 * are called through their table. */
static inline cop_section *cop_fc_section(const cop_net *net, uint32_t port, uint32_t s)
{
    return &net->out[port].section[s];
}

static inline bool cop_fc_fits(const cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    if (COP_LIKELY(net->by_credit))
        return cop_fc_section(net, port, s)->credit >= blocks;
    return net->fc->fits(net, port, s, blocks);
}

static inline void cop_fc_take(cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    if (COP_LIKELY(net->plain_credit)) {
        cop_section *sec = cop_fc_section(net, port, s);
        COP_ASSERT(sec->credit >= blocks);
        sec->credit -= blocks;
        sec->used += blocks;
    } else if (net->fc->take) {
        net->fc->take(net, port, s, blocks);
    }
}

static inline void cop_fc_give(cop_net *net, uint32_t port, uint32_t s, uint32_t bytes, cop_time t)
{
    if (COP_LIKELY(net->plain_credit)) {
        uint32_t from = net->in[port].from;
        cop_ring_insert(&net->out[from].ring, (cop_return){.t = cop_fc_back(net, port, t),
                                                           .section = s,
                                                           .blocks = cop_blocks(bytes)});
        if (net->out[from].waits)
            cop_fc_arm(net, from);
    } else {
        net->fc->give(net, port, s, net->fc->in_bytes ? bytes : cop_blocks(bytes), t);
    }
}

/* Packet h has come to input `port`. False: it is refused, and the link keeps it. */
static inline bool cop_fc_accepts(cop_net *net, uint32_t port, uint32_t h)
{
    if (COP_LIKELY(net->plain_credit) || net->fc->arrive == NULL)
        return true;
    const cop_pkt *p = &net->pkt[h];
    return net->fc->arrive(net, port, cop_net_section_of(net, p, p->vl), h);
}

/* Apply every return that has arrived by now. */
void cop_fc_settle_all(cop_net *net, uint32_t port);
static inline void cop_fc_settle(cop_net *net, uint32_t port)
{
    cop_ring *r = &net->out[port].ring;
    if (COP_LIKELY(net->plain_credit && !net->sectioned)) {
        for (; cop_ring_due(r, net->now); r->at++) {
            const cop_return *ret = &r->v[r->at & r->mask];
            cop_section *sec = cop_fc_section(net, port, ret->section);
            sec->credit += ret->blocks;
            sec->used -= ret->blocks;
        }
    } else if (cop_ring_due(r, net->now)) {
        cop_fc_settle_all(net, port);
    }
}

#endif
