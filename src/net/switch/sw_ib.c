/* Input-buffered switch with one read port per output (InfiniBand style).
 *
 * Role     every output decides for itself: when its wire is free it picks a lane (vlarb.c), then
 *          an input (pick.c), and the packet goes straight onto the wire. An input may feed several
 *          outputs at once from different queues.
 * Buffered with output buffers (switch.output_buffer, obuf.c) it is the crossbar's output that
 *          decides when it is free: lanes in turn, then an input. The packet crosses into the
 *          buffer, and the wire sends from there.
 * Events   COP_EV_ARB per output port, at most one pending, last kind of an instant so that it sees
 *          every request of that instant.
 * Source   M-ibmodel, M-vlsw; arbitration in docs/MODEL.md. */
#include "net/cable/cable.h"
#include "net/fetch.h"
#include "net/switch/arch.h"
#include "net/switch/input.h"

/* Output `port`, which is free from `free` on, must arbitrate. */
static inline void decide(cop_net *net, uint32_t port, cop_time free)
{
    cop_out *out = &net->out[port];
    if (free <= net->now) {
        out->arb_at = net->now;
        cop_evq_due_now(&net->evq, port);
    } else if (free < out->arb_at) {
        out->arb_at = free;
        cop_net_push(net, free, COP_EV_ARB, port);
    }
}

static void ib_kick(cop_net *net, uint32_t port)
{
    decide(net, port, net->out[port].busy_until);
}

/* Everything it calls is inlined: a packet-hop spends most of its time here. */
__attribute__((flatten)) static void ib_arbitrate(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    if (out->arb_at != net->now)
        return;
    out->arb_at = COP_NEVER;
    if (COP_UNLIKELY(out->busy_until > net->now)) {
        ib_kick(net, port); /* requested while it was about to start a packet */
        return;
    }
    cop_fc_settle(net, port);
    /* In recovery from deadlocks only hosts send packets again. */
    const bool resends = COP_UNLIKELY(!net->plain_credit) && net->fc->replay && !net->recover;
    bool sent = resends && cop_link_resend(net, port);
    while (!sent && (out->vl_ready & ~out->vl_blocked)) {
        cop_pick pick;
        uint32_t vl = cop_vlarb_pick(net, port, out->vl_ready & ~out->vl_blocked);
        bool any_fits = cop_fc_fits(net, port, vl, net->max_blocks);
        if (!cop_input_pick(net, port, vl, NULL, any_fits, &pick))
            continue; /* the lane is blocked now; try another */
        const cop_in *in = &net->in[pick.in];
        if (net->looks_ahead)
            cop_ahead_give(net, in->from);
        net->out[port].lane[vl].rr = (uint16_t)(in->local + 1u);
        cop_input_grant(net, port, &pick, cop_link_transfer, false);
        sent = true;
    }
    if (COP_UNLIKELY(resends) && !sent)
        sent = cop_link_resend(net, port);
    if (sent && ((out->vl_ready & ~out->vl_blocked) || resends))
        ib_kick(net, port);
}

static void ib_credit(cop_net *net, uint32_t port)
{
    cop_fc_unblock(net, port);
    ib_kick(net, port);
}

const cop_arch_ops cop_arch_ib = {.kick = ib_kick,
                                  .arbitrate = ib_arbitrate,
                                  .room = cop_link_room,
                                  .transfer = cop_link_transfer,
                                  .credit = ib_credit};

/* -- with output buffers -- */

static void buffered_kick(cop_net *net, uint32_t port)
{
    decide(net, port, cop_obuf_xbar_free(net, port));
}

__attribute__((flatten)) static void buffered_arbitrate(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    uint32_t ready;
    bool crosses = false;
    if (out->arb_at != net->now)
        return;
    out->arb_at = COP_NEVER;
    if (net->credit_first)
        cop_fc_settle(net, port);
    while (!crosses && (ready = out->vl_ready & ~out->vl_blocked)) {
        cop_pick pick;
        uint32_t vl = cop_obuf_pick_lane(net, port, ready);
        bool any_fits = cop_obuf_room(net, port, vl, net->max_blocks);
        if (!cop_input_pick(net, port, vl, NULL, any_fits, &pick)) {
            cop_obuf_wait(net, port);
            continue; /* the lane is blocked now; try another */
        }
        out->lane[vl].rr = (uint16_t)(net->in[pick.in].local + 1u);
        cop_input_grant(net, port, &pick, cop_obuf_transfer, net->early_hooks);
        crosses = true;
    }
    if (crosses && (out->vl_ready & ~out->vl_blocked))
        buffered_kick(net, port);
}

const cop_arch_ops cop_arch_ib_buffered = {.kick = buffered_kick,
                                           .arbitrate = buffered_arbitrate,
                                           .room = cop_obuf_room,
                                           .transfer = cop_obuf_transfer,
                                           .buffered = true,
                                           .credit = cop_obuf_credit};
