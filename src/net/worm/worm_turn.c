/* Wormhole switching: allocation of lanes, and of wires to flits.
 *
 * Rules    Flits of different lanes share a wire, flit by flit, in turn (or highest lane first).
 *          The head of a packet requests lanes as any packet does; it takes a lane when the wire is
 *          free, it is the lane's turn, and the lane is free and has room: for one flit, or with
 *          `reuse: empty` for as many as there are places, so that no buffer contains parts of
 *          two packets. With `switch.allocation` it takes such a lane whether the wire is free or
 *          not, lowest lane first, and its first flit may go that much later: routers that allocate
 *          lanes and then wires, in stages (Dally and Towles, 16.1). A lane that has room when it
 *          is taken has it when the flit goes, so no packet that has a lane waits for another
 *          packet.
 * Events   COP_EV_ARB per output and host port, when the wire is free and something may go; with
 *          `switch.allocation` also when a head makes a request, or a credit comes that one waits
 *          for. */
#include "net/worm/worm.h"

#include "net/cable/cable.h"
#include "net/switch/switch.h"

/* The packet that was picked takes lane vl of `port`, with its first flit or before it. */
static cop_time transfer(cop_net *net, uint32_t port, uint32_t vl, uint32_t h)
{
    cop_worm *w = net->worm;
    uint32_t in = w->granted_in, in_vl = net->pkt[h].vl, s = cop_worm_in(net, in, in_vl)->front;
    cop_stay *st = &w->stay[s];
    COP_ASSERT(st->pkt == h && st->sent == 0 && *cop_worm_held(net, port, vl) == COP_NONE);
    st->out = port;
    st->out_vl = (uint8_t)vl;
    st->from = net->now + w->allocation_ps;
    *cop_worm_held(net, port, vl) = s;
    net->queue[net->in[in].queue0 + in_vl].stopped = 1; /* until its tail has left */
    if (w->allocation_ps == 0)
        return cop_worm_send(net, port, s);
    net->pkt[h].vl = (uint8_t)vl;
    return st->from;
}

/* Lane vl of `port` is free: the next of the heads that request it takes it. */
static void give_lane(cop_net *net, uint32_t port, uint32_t vl)
{
    cop_pick pick;
    COP_CHECK(cop_input_pick(net, port, vl, NULL, true, &pick));
    net->out[port].lane[vl].rr = (uint16_t)(net->in[pick.in].local + 1u);
    net->worm->granted_in = pick.in;
    (void)cop_input_grant(net, port, &pick, transfer, false);
}

/* Is lane vl of `port` requested, and free? */
static bool wanted(const cop_net *net, uint32_t port, uint32_t vl)
{
    const cop_out *out = &net->out[port];
    return out->sw != COP_NONE && (out->vl_ready >> vl & 1) &&
           *cop_worm_held(net, port, vl) == COP_NONE;
}

/* If lanes are allocated before wires: give all that are free and have room. */
static void give_lanes(cop_net *net, uint32_t port)
{
    for (uint32_t vl = 0; net->worm->allocation_ps && vl < net->lanes; vl++) {
        if (!wanted(net, port, vl))
            continue;
        if (cop_fc_fits(net, port, vl, 1))
            give_lane(net, port, vl);
        else
            net->out[port].waits |= COP_WAIT_FLIT;
    }
}

/* Lanes of `port` that can send a flit now. `later`: when the next one may be able to. */
static uint32_t lanes_ready(cop_net *net, uint32_t port, cop_time *later)
{
    cop_worm *w = net->worm;
    uint32_t ready = 0;
    for (uint32_t vl = 0; vl < net->lanes; vl++) {
        uint32_t s = *cop_worm_held(net, port, vl);
        bool room;
        if (s != COP_NONE) {
            cop_time t = cop_worm_next_ready(net, &w->stay[s]);
            if (t > net->now) {
                *later = cop_min64(*later, t);
                continue;
            }
            room = cop_fc_section(net, port, vl)->credit > 0;
        } else if (w->allocation_ps == 0 && wanted(net, port, vl)) {
            room = cop_fc_fits(net, port, vl, 1);
        } else {
            continue;
        }
        ready |= (uint32_t)room << vl;
        if (!room)
            net->out[port].waits |= COP_WAIT_FLIT;
    }
    return ready;
}

/* Arbitrate again at time t, or when a credit comes that a packet waits for. */
static void look_again(cop_net *net, uint32_t port, cop_time t)
{
    const cop_out *out = &net->out[port];
    if (t != COP_NEVER)
        cop_worm_kick_at(net, port, t);
    if ((out->waits & COP_WAIT_FLIT) && out->ring.at != out->ring.end)
        cop_worm_kick_at(net, port, out->ring.v[out->ring.at & out->ring.mask].t);
}

static void worm_arbitrate(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    if (out->arb_at != net->now)
        return;
    out->arb_at = COP_NEVER;
    const bool ahead = net->worm->allocation_ps > 0;
    if (out->busy_until > net->now && !ahead) {
        cop_worm_kick_at(net, port, out->busy_until);
        return;
    }
    cop_fc_no_wait(out, COP_WAIT_FLIT);
    cop_fc_settle(net, port);
    give_lanes(net, port);
    if (out->busy_until > net->now) {
        look_again(net, port, out->busy_until);
        return;
    }
    cop_time later = COP_NEVER;
    uint32_t ready = lanes_ready(net, port, &later);
    if (ready == 0) {
        look_again(net, port, later);
        return;
    }
    uint32_t vl = cop_vlarb_pick(net, port, ready), s = *cop_worm_held(net, port, vl);
    if (s != COP_NONE)
        (void)cop_worm_send(net, port, s);
    else
        give_lane(net, port, vl);
    if (ahead) {
        give_lanes(net, port); /* the lane of a tail that has just left */
        look_again(net, port, out->busy_until);
    } else {
        cop_worm_kick_at(net, port, out->busy_until);
    }
    /* Heads that the congestion control does not admit may wait for a lane that becomes free. */
    if (COP_UNLIKELY(net->held != NULL) && out->sw != COP_NONE && net->held[out->sw] &&
        *cop_worm_held(net, port, vl) == COP_NONE)
        cop_input_admit(net, out->sw);
}

static void worm_kick(cop_net *net, uint32_t port)
{
    cop_worm_kick_at(net, port, net->worm->allocation_ps ? net->now : net->out[port].busy_until);
}

const cop_arch_ops cop_arch_worm = {.kick = worm_kick,
                                    .arbitrate = worm_arbitrate,
                                    .room = cop_link_room,
                                    .transfer = transfer,
                                    .credit = worm_kick};

/* -- flow control: packets request lanes, flits take and give back places -- */

/* On a link from a host: has another lane that comes before vl in turn a flit to send? */
static bool turn_of_other(const cop_net *net, uint32_t port, uint32_t vl)
{
    uint32_t ready = 1u << vl;
    for (uint32_t l = 0; l < net->lanes; l++)
        if (*cop_worm_held(net, port, l) != COP_NONE && cop_fc_section(net, port, l)->credit > 0)
            ready |= 1u << l;
    return net->lanes > 1 && cop_vlarb_next(net, port, ready) != vl;
}

static bool worm_fits(const cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    (void)blocks;
    const cop_section *sec = cop_fc_section(net, port, s);
    if (*cop_worm_held(net, port, s) != COP_NONE || sec->credit == 0)
        return false;
    if (net->worm->whole && sec->used > 0)
        return false;
    return net->out[port].sw != COP_NONE || !turn_of_other(net, port, s);
}

static void worm_take(cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    (void)net, (void)port, (void)s, (void)blocks;
}

static void worm_give(cop_net *net, uint32_t port, uint32_t s, uint32_t blocks, cop_time t)
{
    (void)net, (void)port, (void)s, (void)blocks, (void)t;
}

static void worm_settle(cop_net *net, uint32_t port, const cop_return *r)
{
    cop_section *sec = cop_fc_section(net, port, r->section);
    sec->credit += r->blocks;
    sec->used -= r->blocks;
}

const cop_fc_ops cop_fc_worm = {
    .fits = worm_fits, .take = worm_take, .give = worm_give, .settle = worm_settle};
