/* Input-queued switch with one read port per input; also the crossbar side of the combined
 * input-output queued switch.
 *
 * Role     inputs and outputs are matched: an input sends one packet at a time, an output takes one
 *          at a time. Requests of one instant are matched together.
 * islip    M-islip (McKeown): every free output grants one requesting free input (by its own
 *          arbitration, normally round robin), every input accepts one grant (round robin over
 *          outputs); repeated `iterations` times for those left over. Positions move only for grants
 *          accepted in the first iteration, and then to just behind the partner.
 * rrm      the same without that rule: an output's position moves whenever it grants.
 * Packets have different lengths, so at one instant only some inputs and outputs are free.
 * Events   COP_EV_ARB per switch: when a request comes, when a transfer ends. */
#include "net/arch.h"
#include "net/input.h"
#include "net/link.h"

#include <string.h>

struct cop_iq {
    uint16_t *accept_rr; /* [n_ports] input's position over the outputs */
    /* scratch of one matching */
    uint64_t free_in[COP_MAX_PORTS / 64];
    cop_pick grant[COP_MAX_PORTS]; /* per output */
    uint64_t offers[COP_MAX_PORTS][COP_MAX_PORTS / 64]; /* per input: outputs that grant it */
};

void cop_iq_init(cop_net *net)
{
    net->iq = COP_NEW_ARRAY(&net->arena, struct cop_iq, 1);
    net->iq->accept_rr = COP_NEW_ARRAY(&net->arena, uint16_t, net->topo->n_ports);
}

static cop_time output_free(const cop_net *net, uint32_t port)
{
    return net->obuf ? cop_obuf_xbar_free(net, port) : net->out[port].busy_until;
}

static void iq_kick(cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    if (output_free(net, port) <= net->now) /* else the end of the running transfer looks again */
        cop_evq_due_now(&net->evq, out->sw);
}

/* Output `port` grants one free input. */
static bool grant(cop_net *net, uint32_t port, cop_pick *pick)
{
    cop_out *out = &net->out[port];
    uint32_t tried = 0, ready;
    while ((ready = out->vl_ready & ~out->vl_blocked & ~tried)) {
        uint32_t vl =
            net->obuf ? cop_obuf_pick_lane(net, port, ready) : cop_vlarb_pick(net, port, ready);
        bool any_fits = net->arch->room(net, port, vl, net->max_blocks);
        if (cop_input_pick(net, port, vl, net->iq->free_in, any_fits, pick))
            return true;
        tried |= 1u << vl;
    }
    return false;
}

/* The first output at or after the input's position that offers. */
static uint32_t accept(const cop_net *net, const uint64_t *offers, uint32_t first)
{
    for (uint32_t turn = 0; turn <= net->words; turn++) {
        uint32_t w = (first / 64 + turn) % net->words;
        uint64_t bits = offers[w], from_first = ~(uint64_t)0 << (first % 64);
        if (turn == 0)
            bits &= from_first;
        else if (turn == net->words)
            bits &= ~from_first;
        if (bits)
            return w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return COP_NONE;
}

static uint64_t order_key(cop_net *net, uint32_t in_port, uint32_t q)
{
    return net->queue_ops->order(net, in_port, q - net->in[in_port].queue0,
                                 &net->pkt[net->queue[q].head]);
}

/* Not free now, but it does not wait for credit either. */
static bool merely_busy(const cop_net *net, uint32_t port, uint32_t vl)
{
    bool blocked = net->out[port].vl_blocked >> vl & 1; /* output buffer: it is full */
    if (net->obuf)
        return (blocked || output_free(net, port) > net->now) && !cop_obuf_blocked(net, port);
    return output_free(net, port) > net->now && !blocked;
}

static uint32_t queues_end(const cop_net *net, uint32_t in_port)
{
    return in_port + 1 < net->host_port0 ? net->in[in_port + 1].queue0 : net->n_queues;
}

/* Packets of other queues that a waiting queue lets pass. */
#define OVERDUE 8

/* Has this input a queue that is overdue, and whose output is merely busy? Inputs and outputs that
 * become free at different times could else miss each other for ever. */
static bool keeps_free(cop_net *net, uint32_t in_port)
{
    const cop_in *in = &net->in[in_port];
    for (uint32_t q = in->queue0, end = queues_end(net, in_port); q < end; q++) {
        const cop_queue *queue = &net->queue[q];
        if (!queue->posted || (queue->passed < OVERDUE && order_key(net, in_port, q) != 0))
            continue;
        const cop_pkt *p = &net->pkt[net->queue[q].head];
        if (merely_busy(net, in->port0 + p->out, p->out_vl))
            return true;
    }
    return false;
}

/* Of the outputs that offer, the one whose queue the queueing scheme puts first. */
static uint32_t accept_in_order(cop_net *net, uint32_t in_port, uint32_t first)
{
    struct cop_iq *iq = net->iq;
    const cop_in *in = &net->in[in_port];
    uint64_t left[COP_MAX_PORTS / 64], best_key = 0;
    uint32_t best = COP_NONE, o;
    memcpy(left, iq->offers[in->local], net->words * sizeof(uint64_t));
    while ((o = accept(net, left, first)) != COP_NONE) {
        uint64_t key = order_key(net, in_port, iq->grant[o].queue);
        if (best == COP_NONE || key < best_key) {
            best = o;
            best_key = key;
        }
        left[o / 64] &= ~((uint64_t)1 << (o % 64));
    }
    bool due =
        best != COP_NONE && (best_key == 0 || net->queue[iq->grant[best].queue].passed >= OVERDUE);
    return best == COP_NONE || due || !keeps_free(net, in_port) ? best : COP_NONE;
}

static void count_passed(cop_net *net, uint32_t in_port, uint32_t chosen)
{
    for (uint32_t q = net->in[in_port].queue0, end = queues_end(net, in_port); q < end; q++)
        if (net->queue[q].posted && net->queue[q].passed < OVERDUE)
            net->queue[q].passed++;
    net->queue[chosen].passed = 0;
}

/* One iteration: all free outputs grant, all offered inputs accept. True if a packet went. */
static bool iterate(cop_net *net, uint32_t sw, bool first_iteration)
{
    struct cop_iq *iq = net->iq;
    uint32_t ports = cop_topo_ports_of(net->topo, sw), port0 = net->topo->sw_port0[sw];
    bool any = false;
    for (uint32_t i = 0; i < ports; i++)
        memset(iq->offers[i], 0, net->words * sizeof(uint64_t));
    for (uint32_t o = 0; o < ports; o++) {
        uint32_t port = port0 + o;
        const cop_out *out = &net->out[port];
        if (!(out->vl_ready & ~out->vl_blocked) || output_free(net, port) > net->now ||
            !grant(net, port, &iq->grant[o]))
            continue;
        uint32_t input = net->in[iq->grant[o].in].local;
        iq->offers[input][o / 64] |= (uint64_t)1 << (o % 64);
        if (net->sw_cfg->matching == COP_MATCH_RRM)
            net->out[port].lane[iq->grant[o].vl].rr = (uint16_t)(input + 1);
    }
    for (uint32_t i = 0; i < ports; i++) {
        cop_in *in = &net->in[port0 + i];
        uint32_t first = iq->accept_rr[port0 + i];
        uint32_t o = net->queue_ops->order ? accept_in_order(net, port0 + i, first)
                                           : accept(net, iq->offers[i], first);
        if (o == COP_NONE)
            continue;
        if (first_iteration || net->sw_cfg->matching == COP_MATCH_RRM) {
            net->out[port0 + o].lane[iq->grant[o].vl].rr = (uint16_t)(i + 1);
            iq->accept_rr[port0 + i] = (uint16_t)(o + 1);
        }
        if (net->queue_ops->order)
            count_passed(net, port0 + i, iq->grant[o].queue);
        in->read_until = cop_input_grant(net, port0 + o, &iq->grant[o], net->arch->transfer);
        iq->free_in[i / 64] &= ~((uint64_t)1 << (i % 64));
        cop_net_push(net, in->read_until, COP_EV_ARB, sw);
        any = true;
    }
    return any;
}

static void resend_all(cop_net *net, uint32_t sw)
{
    if (net->fc->replay == NULL || net->obuf)
        return;
    for (uint32_t port = net->topo->sw_port0[sw]; port < net->topo->sw_port0[sw + 1]; port++) {
        if (net->out[port].to == COP_NONE || net->out[port].busy_until > net->now)
            continue;
        if (cop_link_resend(net, port))
            cop_net_push(net, net->out[port].busy_until, COP_EV_ARB, sw);
    }
}

static void iq_arbitrate(cop_net *net, uint32_t sw)
{
    struct cop_iq *iq = net->iq;
    uint32_t port0 = net->topo->sw_port0[sw], ports = cop_topo_ports_of(net->topo, sw);
    memset(iq->free_in, 0, sizeof(iq->free_in));
    for (uint32_t i = 0; i < ports; i++) {
        if (net->in[port0 + i].read_until <= net->now)
            iq->free_in[i / 64] |= (uint64_t)1 << (i % 64);
        if (!net->obuf && net->out[port0 + i].vl_ready)
            cop_fc_settle(net, port0 + i);
    }
    resend_all(net, sw);
    for (int64_t i = 0; i < net->sw_cfg->iterations; i++)
        if (!iterate(net, sw, i == 0))
            break;
    resend_all(net, sw); /* those that gave way in vain */
}

static void iq_credit(cop_net *net, uint32_t port)
{
    cop_fc_unblock(net, port);
    net->out[port].short_of = 0;
    iq_kick(net, port);
}

const cop_arch_ops cop_arch_iq = {.kick = iq_kick,
                                  .arbitrate = iq_arbitrate,
                                  .room = cop_link_room,
                                  .transfer = cop_link_transfer,
                                  .credit = iq_credit};
