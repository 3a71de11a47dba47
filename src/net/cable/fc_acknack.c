/* Ack/nack flow control.
 *
 * Role     the sender sends without credit and keeps a copy; a full receiver drops the packet and
 *          sends a nack.
 * Rules    M-fc-acknack: an accepted packet is acknowledged at once and its copy forgotten. A
 *          packet that finds no room is refused (nack); from then on the receiver refuses
 *          everything of that section until that packet comes again, so order is kept. The sender
 *          resends refused packets, in order, and starts no new packet in that section before all
 *          are accepted: packets sent after the refused one are refused too, even if their nacks
 *          have not arrived. Other sections have every second turn: a lane that is refused for long
 *          must not block another one, on which it may depend.
 * Cost     refused packets waste bandwidth of the wire: cop_totals.retransmissions.
 * Limits   the copies of one section occupy at most as many blocks as the receiver's section has.
 * Model    a "copy" is the packet itself: it belongs to the link until it is accepted. */
#include "net/cable/fc.h"
#include "net/cable/fc_state.h"

static size_t at(const cop_net *net, uint32_t port, uint32_t s)
{
    return (size_t)port * net->sections + s;
}

static bool acknack_fits(const cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    const cop_section *sec = &net->section[at(net, port, s)];
    return !net->fc_state->recovering[at(net, port, s)] && sec->credit >= blocks;
}

static void acknack_take(cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    cop_section *sec = &net->section[at(net, port, s)];
    sec->credit -= blocks;
    sec->used += blocks;
}

static void acknack_give(cop_net *net, uint32_t port, uint32_t s, uint32_t bytes, cop_time t)
{
    cop_ring_insert(&net->fc_state->inbuf[port].freed,
                    (cop_return){.t = t, .section = s, .blocks = bytes});
}

static void list_add(cop_net *net, uint32_t *head, uint32_t *tail, uint32_t h)
{
    net->pkt[h].next = COP_NONE;
    if (*head == COP_NONE)
        *head = h;
    else
        net->pkt[*tail].next = h;
    *tail = h;
}

static void acknack_settle(cop_net *net, uint32_t port, const cop_return *r)
{
    struct cop_fc_state *st = net->fc_state;
    cop_section *sec = &net->section[at(net, port, r->section)];
    if (r->blocks & COP_NACK) {
        uint32_t h = st->nacked_head[port];
        st->nacked_head[port] = net->pkt[h].next;
        if (st->nacked_head[port] == COP_NONE)
            cop_fc_no_wait(&net->out[port], COP_WAIT_REFUSAL);
        list_add(net, &st->replay_head[port], &st->replay_tail[port], h);
        st->recovering[at(net, port, r->section)] = 1;
    } else {
        sec->credit += r->blocks;
        sec->used -= r->blocks;
        if (sec->used == 0)
            st->recovering[at(net, port, r->section)] = 0;
    }
}

static void refuse(cop_net *net, uint32_t port, uint32_t s, uint32_t h)
{
    struct cop_fc_state *st = net->fc_state;
    uint32_t sender = net->in[port].from;
    list_add(net, &st->nacked_head[sender], &st->nacked_tail[sender], h);
    cop_return ret = {.t = cop_fc_back(net, port, net->now), .section = s, .blocks = COP_NACK};
    cop_fc_settle(net, sender); /* settle acks that nothing waited for before the nack */
    net->out[sender].waits |= COP_WAIT_REFUSAL; /* there is a packet to send again */
    cop_fc_return(net, sender, ret);
}

static bool acknack_arrive(cop_net *net, uint32_t port, uint32_t s, uint32_t h)
{
    struct cop_fc_state *st = net->fc_state;
    size_t i = at(net, port, s);
    cop_fc_apply_freed(&st->inbuf[port], &st->hold[at(net, port, 0)], net->now);
    uint32_t bytes = net->pkt[h].bytes;
    bool wanted = st->expect[i] == COP_NONE || st->expect[i] == h;
    if (!wanted || st->hold[i].bytes + bytes > st->hold[i].capacity) {
        if (wanted)
            st->expect[i] = h;
        refuse(net, port, s, h);
        return false;
    }
    st->expect[i] = COP_NONE;
    st->hold[i].bytes += bytes;
    cop_return ack = {
        .t = cop_fc_back(net, port, net->now), .section = s, .blocks = cop_blocks(bytes)};
    cop_fc_return(net, net->in[port].from, ack);
    return true;
}

static uint32_t acknack_replay(cop_net *net, uint32_t port)
{
    struct cop_fc_state *st = net->fc_state;
    uint32_t h = st->replay_head[port];
    if (h == COP_NONE || st->replayed[port]) {
        st->replayed[port] = 0;
        return COP_NONE;
    }
    st->replayed[port] = 1;
    st->replay_head[port] = net->pkt[h].next;
    net->total.retransmissions++;
    return h;
}

const cop_fc_ops cop_fc_acknack = {.fits = acknack_fits,
                                   .take = acknack_take,
                                   .give = acknack_give,
                                   .mixed = true,
                                   .settle = acknack_settle,
                                   .arrive = acknack_arrive,
                                   .replay = acknack_replay,
                                   .in_bytes = true};
