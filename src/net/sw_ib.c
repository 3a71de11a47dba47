/* Input-buffered switch with one read port per output (InfiniBand style).
 *
 * Role     every output decides for itself: when its wire is free it picks a lane (vlarb.c), then an
 *          input (pick.c), and the packet goes straight onto the wire. An input may feed several
 *          outputs at once from different queues.
 * Events   COP_EV_ARB per output port, at most one pending, last kind of an instant so that it sees
 *          every request of that instant.
 * Source   M-ibmodel, M-vlsw; arbitration in docs/MODEL.md. */
#include "net/arch.h"
#include "net/input.h"
#include "net/link.h"

static void ib_kick(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    if (out->busy_until <= net->now) {
        out->arb_at = net->now;
        cop_evq_due_now(&net->evq, port);
    } else if (out->busy_until < out->arb_at) {
        out->arb_at = out->busy_until;
        cop_net_push(net, out->busy_until, COP_EV_ARB, port);
    }
}

/* Everything it calls is inlined: this is where a packet-hop spends its time. */
__attribute__((flatten)) static void ib_arbitrate(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    if (out->arb_at != net->now)
        return;
    out->arb_at = COP_NEVER;
    if (COP_UNLIKELY(out->busy_until > net->now)) {
        ib_kick(net, port); /* asked for while it was about to start a packet */
        return;
    }
    cop_fc_settle(net, port);
    bool sent = cop_link_resend(net, port);
    while (!sent && (out->vl_ready & ~out->vl_blocked)) {
        cop_pick pick;
        uint32_t vl = cop_vlarb_pick(net, port, out->vl_ready & ~out->vl_blocked);
        bool any_fits = cop_fc_fits(net, port, vl, net->max_blocks);
        if (!cop_input_pick(net, port, vl, NULL, any_fits, &pick))
            continue; /* the lane is blocked now; try another */
        net->out[port].lane[vl].rr = (uint16_t)(net->in[pick.in].local + 1u);
        cop_input_grant(net, port, &pick, cop_link_transfer, false);
        sent = true;
    }
    if (!sent)
        sent = cop_link_resend(net, port);
    if (sent && ((out->vl_ready & ~out->vl_blocked) || net->fc->replay))
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
