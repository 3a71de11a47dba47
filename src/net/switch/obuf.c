/* Output buffers: of the combined input-output queued switch (CIOQ), and of `ib` if it has any.
 *
 * Role     a granted packet crosses the crossbar at `speedup` times the fastest link rate into the
 *          output's buffer of its lane; the wire sends from there.
 * Timing   crossing from s takes max(L * crossbar pace, until the tail has come in): a crossbar
 *          faster than the input waits for bytes, it does not delay the start. The wire may start
 *          with the first byte in the buffer, but not before tail in - L * wire pace.
 *          Room is taken when the crossing starts, freed when the tail has left on the wire.
 * Shared   (output_shared) a lane has `output_reserve` for itself, and all lanes share the rest.
 *          The reserve of a lane has room for a packet of full size, so a lane waits for its own
 *          packets only, never for another lane: sharing adds no dependency between channels. A
 *          private buffer is one that is reserved as a whole.
 * Credit   (output_credit: crossbar) a packet crosses only if there is credit for it and for all
 *          packets of its lane in the buffer, so none waits for credit here; inputs do.
 * Events   COP_EV_TX per port: a packet is there, credits came, or the previous packet has left and
 *          something waits for that. If nothing waits, no event is pushed; room is released at the
 *          next transfer.
 * Source   M-cioq; for `ib` Paper I, 3.1. */
#include "net/cable/cable.h"
#include "net/fetch.h"
#include "net/switch/arch.h"
#include "net/switch/input.h"
#include "net/switch/left.h"

typedef struct obuf_lane {
    uint32_t head, tail; /* packets */
    uint32_t free; /* blocks it could take now */
    int32_t own; /* shared: free blocks of its reserve; below 0: blocks taken of the shared part */
} obuf_lane;

struct cop_obuf {
    _Alignas(64) cop_time xbar_free; /* crossbar output */
    cop_time tx_at; /* pending COP_EV_TX, COP_NEVER if none */
    cop_pace xbar_pace;
    uint32_t leaving; /* blocks of the packet on the wire, freed at its end */
    uint32_t leaving_vl;
    uint32_t common; /* free blocks of the shared part */
    uint8_t lanes; /* that share; 0: none do */
    uint32_t tx_ready, tx_blocked; /* lanes with packets; lanes without credit */
    uint8_t rr_vl; /* crossbar: lane to examine first */
    obuf_lane lane[COP_MAX_VL];
};

/* Blocks that each lane has for itself: all, if the buffer is private. */
static uint32_t reserved(const cop_net *net)
{
    uint64_t bytes = net->output_bytes;
    if (net->sw_cfg->output_shared)
        bytes = net->sw_cfg->output_reserve_bytes ? net->sw_cfg->output_reserve_bytes
                                                  : (uint64_t)net->max_blocks * COP_BLOCK_BYTES;
    return (uint32_t)(bytes / COP_BLOCK_BYTES);
}

/* Blocks that the lanes of a port share. */
static uint32_t shared(const cop_net *net)
{
    if (!net->sw_cfg->output_shared)
        return 0;
    return (uint32_t)(net->output_bytes / COP_BLOCK_BYTES) - net->lanes * reserved(net);
}

void cop_obuf_init(cop_net *net)
{
    net->obuf = COP_NEW_ARRAY(&net->arena, struct cop_obuf, net->host_port0);
    for (uint32_t sw = 0; sw < net->topo->n_switches; sw++) {
        uint32_t port0 = net->topo->sw_port0[sw], end = net->topo->sw_port0[sw + 1];
        cop_pace fastest = UINT64_MAX;
        for (uint32_t p = port0; p < end; p++)
            if (net->out[p].to != COP_NONE)
                fastest = cop_min64(fastest, net->out[p].pace);
        for (uint32_t p = port0; p < end; p++) {
            struct cop_obuf *b = &net->obuf[p];
            if (fastest != UINT64_MAX) /* else the switch has no cable */
                b->xbar_pace = (cop_pace)((double)fastest / net->sw_cfg->speedup);
            b->tx_at = COP_NEVER;
            b->common = shared(net);
            b->lanes = net->sw_cfg->output_shared ? (uint8_t)net->lanes : 0;
            for (uint32_t vl = 0; vl < net->lanes; vl++)
                b->lane[vl] = (obuf_lane){.head = COP_NONE,
                                          .tail = COP_NONE,
                                          .free = reserved(net) + b->common,
                                          .own = (int32_t)reserved(net)};
        }
    }
}

cop_time cop_obuf_xbar_free(const cop_net *net, uint32_t port)
{
    return net->obuf[port].xbar_free;
}

void cop_obuf_prefetch(const cop_net *net, uint32_t port)
{
    cop_fetch(&net->obuf[port]);
    cop_fetch((const char *)&net->obuf[port] + 64);
}

void cop_obuf_prefetch_packet(const cop_net *net, uint32_t port)
{
    const struct cop_obuf *b = &net->obuf[port];
    for (uint32_t ready = b->tx_ready & ~b->tx_blocked; ready; ready &= ready - 1)
        cop_fetch(&net->pkt[b->lane[__builtin_ctz(ready)].head]);
}

void cop_obuf_prefetch_tail(const cop_net *net, uint32_t port, uint32_t vl)
{
    const obuf_lane *lane = &net->obuf[port].lane[vl];
    if (lane->head != COP_NONE)
        cop_fetch(&net->pkt[lane->tail]);
}

static uint32_t beyond(int32_t own)
{
    return own < 0 ? (uint32_t)-own : 0;
}

/* The room of lane vl once the packet that was on the wire has given up its own. */
static __attribute__((noinline)) uint32_t room_after(const struct cop_obuf *b, uint32_t vl)
{
    if (b->lanes == 0)
        return b->lane[vl].free + (vl == b->leaving_vl ? b->leaving : 0);
    int32_t before = b->lane[b->leaving_vl].own, after = before + (int32_t)b->leaving;
    int32_t own = vl == b->leaving_vl ? after : b->lane[vl].own;
    return b->common + beyond(before) - beyond(after) + (own > 0 ? (uint32_t)own : 0);
}

/* A section is a lane: a buffer per destination behind an output buffer is refused. */
bool cop_obuf_room(const cop_net *net, uint32_t port, uint32_t vl, uint32_t blocks)
{
    const struct cop_obuf *b = &net->obuf[port];
    if (COP_UNLIKELY(net->credit_first) &&
        !cop_fc_fits(net, port, vl, cop_obuf_held(net, port, vl) + blocks))
        return false;
    if (b->lane[vl].free >= blocks)
        return true;
    return b->leaving && net->out[port].busy_until <= net->now && room_after(b, vl) >= blocks;
}

/* With shared buffers, blocks that a lane takes beyond its reserve are missing for all lanes. */
static __attribute__((noinline)) void take_shared(struct cop_obuf *b, uint32_t vl, int32_t blocks)
{
    uint32_t before = beyond(b->lane[vl].own);
    b->lane[vl].own -= blocks;
    b->common -= beyond(b->lane[vl].own) - before;
    for (uint32_t i = 0; i < b->lanes; i++)
        b->lane[i].free = b->common + (b->lane[i].own > 0 ? (uint32_t)b->lane[i].own : 0);
}

/* Lane vl takes (or, below 0, gives back) so many blocks. */
static inline void take_room(struct cop_obuf *b, uint32_t vl, int32_t blocks)
{
    if (COP_UNLIKELY(b->lanes > 0))
        take_shared(b, vl, blocks);
    else
        b->lane[vl].free -= (uint32_t)blocks;
}

static void tx_kick(cop_net *net, uint32_t port, cop_time t)
{
    struct cop_obuf *b = &net->obuf[port];
    t = cop_max64(t, net->out[port].busy_until);
    if (t < b->tx_at) {
        b->tx_at = t;
        cop_net_push(net, t, COP_EV_TX, port);
    }
}

/* There may be room for packets of waiting inputs. */
static void kick_inputs(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    if (out->vl_blocked || (out->waits & COP_WAITS_SHORT)) {
        out->vl_blocked = 0;
        cop_fc_no_wait(out, COP_WAIT_LANES | COP_WAITS_SHORT);
        net->arch->kick(net, port);
    }
}

/* The packet that was on the wire may have left: then its room is free. */
static bool free_leaving(cop_net *net, uint32_t port)
{
    struct cop_obuf *b = &net->obuf[port];
    if (b->leaving == 0 || net->out[port].busy_until > net->now)
        return false;
    take_room(b, b->leaving_vl, -(int32_t)b->leaving);
    b->leaving = 0;
    return true;
}

void cop_obuf_wait(cop_net *net, uint32_t port)
{
    /* A packet that has left has released its room: then the lanes wait for credit. */
    if (net->obuf[port].leaving && net->out[port].busy_until > net->now)
        tx_kick(net, port, net->now);
}

/* Send the oldest packet of lane vl if it has credit and would not run dry; else set `later`. */
static bool try_lane(cop_net *net, uint32_t port, uint32_t vl, cop_time *later)
{
    struct cop_obuf *b = &net->obuf[port];
    cop_out *out = &net->out[port];
    obuf_lane *lane = &b->lane[vl];
    uint32_t h = lane->head;
    cop_pkt *p = &net->pkt[h];
    cop_time duration = cop_wire_time(out->pace, p->bytes);
    if (p->t_tail > net->now + duration) {
        *later = cop_min64(*later, p->t_tail - duration);
        return false;
    }
    uint32_t blocks = cop_blocks(p->bytes);
    if (!cop_fc_fits(net, port, vl, blocks)) {
        b->tx_blocked |= 1u << vl;
        if (!net->credit_first) /* else nothing waits for credit here */
            out->waits |= COP_WAIT_BUFFER;
        return false;
    }
    cop_fc_take(net, port, vl, blocks);
    lane->head = p->next;
    if (lane->head == COP_NONE)
        b->tx_ready &= ~(1u << vl);
    out->waiting -= p->bytes;
    b->leaving = blocks;
    b->leaving_vl = vl;
    cop_vlarb_sent(net, port, vl, p->bytes);
    cop_wire_send(net, port, h);
    if (net->early_hooks) {
        cop_link_count(net, port, vl, p->bytes, false);
        cop_link_left(net, port, p);
    }
    if (net->routes_early)
        cop_input_ask_early(net, port, h);
    return true;
}

/* Send the next packet if there is one that can go; the previous one has released its room. */
static inline void transmit(cop_net *net, uint32_t port)
{
    struct cop_obuf *b = &net->obuf[port];
    cop_fc_settle(net, port);
    cop_time later = COP_NEVER;
    uint32_t tried = 0, ready;
    const bool resends = COP_UNLIKELY(net->fc->replay != NULL);
    bool sent = resends && cop_link_resend(net, port);
    while (!sent && (ready = b->tx_ready & ~b->tx_blocked & ~tried)) {
        uint32_t vl = cop_vlarb_pick(net, port, ready);
        sent = try_lane(net, port, vl, &later);
        tried |= 1u << vl;
    }
    if (resends && !sent)
        sent = cop_link_resend(net, port);
    const cop_out *out = &net->out[port];
    if (sent) {
        if (b->tx_ready || out->vl_blocked || (out->waits & COP_WAITS_SHORT) || resends)
            tx_kick(net, port, net->now);
    } else if (later != COP_NEVER) {
        tx_kick(net, port, later);
    }
    cop_fc_arm(net, port);
}

void cop_obuf_tx(cop_net *net, uint32_t port)
{
    if (net->obuf[port].tx_at != net->now)
        return;
    net->obuf[port].tx_at = COP_NEVER;
    if (free_leaving(net, port))
        kick_inputs(net, port);
    transmit(net, port);
}

cop_time cop_obuf_transfer(cop_net *net, uint32_t port, uint32_t vl, uint32_t h)
{
    struct cop_obuf *b = &net->obuf[port];
    cop_pkt *p = &net->pkt[h];
    obuf_lane *lane = &b->lane[vl];
    free_leaving(net, port); /* nothing waited for that room; lanes that wait now wait for credit */
    cop_time leaves = cop_max64(net->now + cop_wire_time(b->xbar_pace, p->bytes), p->t_tail);
    b->xbar_free = leaves;
    take_room(b, vl, (int32_t)cop_blocks(p->bytes));
    net->out[port].waiting += p->bytes; /* it still waits for the wire */
    p->vl = (uint8_t)vl;
    p->t_tail = leaves;
    p->next = COP_NONE;
    if (lane->head == COP_NONE)
        lane->head = h;
    else
        net->pkt[lane->tail].next = h;
    lane->tail = h;
    b->tx_ready |= 1u << vl;
    b->rr_vl = (uint8_t)((vl + 1) % COP_MAX_VL);
    if (net->out[port].busy_until > net->now)
        tx_kick(net, port, net->now);
    else
        transmit(net, port); /* arbitration comes after COP_EV_TX: an idle wire starts at once */
    return leaves;
}

uint32_t cop_obuf_lanes(const cop_net *net, uint32_t port)
{
    return net->obuf[port].tx_ready;
}

bool cop_obuf_room_ever(const cop_net *net, uint32_t port, uint32_t vl, uint32_t blocks,
                        uint32_t stuck)
{
    const struct cop_obuf *b = &net->obuf[port];
    uint32_t common = shared(net), own = reserved(net), taken = cop_obuf_held(net, port, vl);
    for (uint32_t i = 0; i < b->lanes; i++) {
        uint32_t held = cop_obuf_held(net, port, i);
        if ((stuck >> i & 1) && held > own)
            common -= held - own;
    }
    return (taken < own ? own - taken : 0) + common >= blocks;
}

uint32_t cop_obuf_pick_lane(const cop_net *net, uint32_t port, uint32_t ready)
{
    uint32_t from = ready & ~0u << net->obuf[port].rr_vl;
    return (uint32_t)__builtin_ctz(from ? from : ready);
}

uint32_t cop_obuf_first(const cop_net *net, uint32_t port, uint32_t vl)
{
    return net->obuf[port].lane[vl].head;
}

uint32_t cop_obuf_held(const cop_net *net, uint32_t port, uint32_t vl)
{
    const struct cop_obuf *b = &net->obuf[port];
    int32_t left = b->lanes ? b->lane[vl].own : (int32_t)b->lane[vl].free;
    uint32_t taken = (uint32_t)((int32_t)reserved(net) - left);
    return taken - (b->leaving_vl == vl ? b->leaving : 0);
}

bool cop_obuf_adds_up(const cop_net *net, uint32_t port)
{
    const struct cop_obuf *b = &net->obuf[port];
    uint32_t common = b->common;
    bool same = true;
    for (uint32_t vl = 0; vl < net->lanes; vl++) {
        uint32_t held = 0;
        for (uint32_t h = b->lane[vl].head; h != COP_NONE; h = net->pkt[h].next)
            held += cop_blocks(net->pkt[h].bytes);
        same = same && held == cop_obuf_held(net, port, vl);
        common += beyond(b->lane[vl].own);
    }
    return same && common == shared(net);
}

void cop_obuf_credit(cop_net *net, uint32_t port)
{
    if (net->credit_first) {
        kick_inputs(net, port);
        return;
    }
    net->obuf[port].tx_blocked = 0;
    cop_fc_no_wait(&net->out[port], COP_WAIT_BUFFER);
    tx_kick(net, port, net->now);
}
