/* Matching of the inputs and outputs of one switch (sw_iq.c: when).
 *
 * Role     inputs and outputs are matched: an input sends as many packets at a time as it has read
 *          ports, of different queues, an output takes one at a time. Requests of one instant are
 *          matched together. An input is free while it has a free read port.
 * islip    M-islip (McKeown): every free output grants one requesting free input (by its own
 *          arbitration, normally round robin), every input accepts a grant for each free read port
 *          (round robin over outputs); repeated `iterations` times for those left over. Positions
 *          move only for grants accepted in the first iteration, and then to just behind the
 *          partner.
 * rrm      the same without that rule: an output's position moves whenever it grants.
 * Packets have different lengths, so at one instant only some inputs and outputs are free. Turns
 * that an input misses because it is busy are counted (turn.h). Of the outputs that offer, an input
 * takes the one whose queue the queueing scheme puts first, if it has an order.
 * Speed    only ports that take part are visited, and the code compiled for switches of at most 64
 *          ports makes no calls on the common path. */
#include "net/cable/cable.h"
#include "net/switch/arch.h"
#include "net/switch/input.h"
#include "net/switch/sw_iq.h"

#include <string.h>

/* A matching is compiled twice: for switches of at most 64 ports, whose sets are one word, and for
 * others. */
#define MATCHING static inline __attribute__((always_inline))

MATCHING void empty(uint64_t *set, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        set[w] = 0;
}

/* Is there room behind the output for a packet of full size? */
static inline bool has_room(const cop_net *net, uint32_t port, uint32_t vl)
{
    return net->obuf ? cop_obuf_room(net, port, vl, net->max_blocks)
                     : cop_link_room(net, port, vl, net->max_blocks);
}

/* Of a set of inputs, those that are no longer busy. Branch-free: the outcome is random and would
 * be mispredicted. */
static inline uint64_t free_inputs(uint64_t ports, const iq_input *input, cop_time now)
{
    uint64_t free = 0;
    for (; ports; ports &= ports - 1)
        free |= (ports & -ports) & -(uint64_t)(input[__builtin_ctzll(ports)].until <= now);
    return free;
}

/* Which requesting inputs are free? Others are not examined. */
MATCHING void find_free_inputs(cop_net *net, uint32_t sw, const uint64_t *asking, uint32_t words)
{
    struct cop_iq *iq = net->iq;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t asks = asking[w] & ~iq->free_in[w];
        if (asks) {
            uint64_t free =
                free_inputs(asks, &iq->input[net->topo->sw_port0[sw] + w * 64], net->now);
            iq->free_in[w] |= free;
            iq->set[(size_t)sw * words + w].busy_in &= ~free;
        }
    }
}

/* Output `port` of switch `sw` grants one free input. */
MATCHING bool grant(cop_net *net, uint32_t sw, uint32_t port, uint32_t words, iq_grant *g)
{
    cop_out *out = &net->out[port];
    struct cop_iq *iq = net->iq;
    uint32_t ready;
    g->in_vain = 0;
    while ((ready = out->vl_ready & ~out->vl_blocked & ~g->in_vain)) {
        uint32_t vl =
            net->obuf ? cop_obuf_pick_lane(net, port, ready) : cop_vlarb_pick(net, port, ready);
        bool any_fits = has_room(net, port, vl);
        g->first = out->lane[vl].rr;
        find_free_inputs(net, sw, &out->request[vl * words], words);
        if (cop_turn_waits(&iq->turns, net, port, vl, iq->free_in))
            return false;
        if (cop_input_pick(net, port, vl, iq->free_in, any_fits, &g->pick))
            return true;
        g->in_vain |= 1u << vl;
    }
    if (net->obuf && (out->vl_blocked || (out->waits & COP_WAITS_SHORT)))
        cop_obuf_wait(net, port);
    return false;
}

/* The first output at or after the input's position that offers. */
MATCHING uint32_t accept(const uint64_t *offers, uint32_t words, uint32_t first)
{
    uint64_t from_first = ~(uint64_t)0 << (first % 64);
    if (words == 1) {
        uint64_t bits = first < 64 ? offers[0] & from_first : 0;
        bits = bits ? bits : offers[0];
        return bits ? (uint32_t)__builtin_ctzll(bits) : COP_NONE;
    }
    for (uint32_t turn = 0; turn <= words; turn++) {
        uint32_t w = (first / 64 + turn) % words;
        uint64_t bits = offers[w];
        if (turn == 0)
            bits &= from_first;
        else if (turn == words)
            bits &= ~from_first;
        if (bits)
            return w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return COP_NONE;
}

/* Of the outputs that offer, the first being o, the one whose queue the queueing scheme puts first;
 * of equals the queue that was read least recently (the position moves with packets of all kinds).
 * Keys are computed only where they decide. */
static uint32_t accept_in_order(cop_net *net, uint32_t in_port, uint32_t first, uint32_t o)
{
    struct cop_iq *iq = net->iq;
    const cop_in *in = &net->in[in_port];
    uint64_t left[COP_MAX_PORTS / 64], best_key = COP_NEVER; /* no key is as large */
    uint32_t best = o;
    memcpy(left, &iq->offers[in->local * net->words], net->words * sizeof(uint64_t));
    left[o / 64] &= ~cop_iq_bit(o);
    while ((o = accept(left, net->words, first)) != COP_NONE) {
        if (best_key == COP_NEVER)
            best_key = cop_input_order_key(net, iq->grant[best].pick.queue);
        uint32_t q = iq->grant[o].pick.queue;
        uint64_t key = cop_input_order_key(net, q);
        if (key < best_key ||
            (key == best_key &&
             cop_net_read_until(net, q) < cop_net_read_until(net, iq->grant[best].pick.queue))) {
            best = o;
            best_key = key;
        }
        left[o / 64] &= ~cop_iq_bit(o);
    }
    return best;
}

/* Output o of a switch, which is `port`, records its offer at the input that it grants. */
MATCHING void offer(cop_net *net, uint32_t port, uint32_t o, uint32_t words)
{
    struct cop_iq *iq = net->iq;
    const cop_pick *pick = &iq->grant[o].pick;
    uint32_t input = net->in[pick->in].local;
    uint64_t bit = cop_iq_bit(o);
    iq->offers[input * words + o / 64] |= bit;
    iq->offered[input / 64] |= cop_iq_bit(input);
    if (cop_turn_overdue(&iq->turns, net, port, pick)) {
        iq->overdue[input * words + o / 64] |= bit;
        iq->some_overdue = true;
    }
    if (net->sw_cfg->matching == COP_MATCH_RRM)
        net->out[port].lane[pick->vl].rr = (uint16_t)(input + 1);
}

/* The output whose offer input `in_port`, the i-th of its switch, accepts; COP_NONE: none is
 * left. */
MATCHING uint32_t choose(cop_net *net, uint32_t in_port, uint32_t i, uint32_t words)
{
    struct cop_iq *iq = net->iq;
    uint32_t first = iq->input[in_port].first, o = COP_NONE;
    if (COP_UNLIKELY(iq->some_overdue))
        o = accept(&iq->overdue[i * words], words, first);
    if (COP_UNLIKELY(o != COP_NONE))
        return o;
    o = accept(&iq->offers[i * words], words, first);
    return net->queue_ops->runtime.order && o != COP_NONE ? accept_in_order(net, in_port, first, o)
                                                          : o;
}

/* A read port of the input is busy until then: the earliest entry of the heap is replaced by that
 * time, which moves down to its place. Returns when a read port is free. */
static __attribute__((noinline)) cop_time take_read(struct cop_iq *iq, uint32_t in_port,
                                                    cop_time until)
{
    cop_time *read = &iq->read[(size_t)in_port * iq->reads];
    uint32_t at = 0;
    for (uint32_t next; (next = 2 * at + 1) < iq->reads; at = next) {
        next += next + 1 < iq->reads && read[next + 1] < read[next];
        if (read[next] >= until)
            break;
        read[at] = read[next];
    }
    read[at] = until;
    return read[0];
}

/* A turn of lane vl of an output, position `first`, went to input `winner`: other requesting inputs
 * may have missed it. */
MATCHING void missed(cop_net *net, uint32_t sw, uint32_t port, uint32_t vl, uint32_t first,
                     uint32_t winner, uint32_t words)
{
    struct cop_iq *iq = net->iq;
    const uint64_t *asking = &net->out[port].request[vl * words];
    uint64_t busy = 0;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t asks = asking[w] & ~iq->were_free[w];
        if (asks) /* an input may request since another packet left: not yet examined */
            iq->were_free[w] |=
                free_inputs(asks, &iq->input[net->topo->sw_port0[sw] + w * 64], net->now);
        busy |= asking[w] & ~iq->were_free[w];
    }
    /* Other arbitrations set requests that do not fit aside when they search (pick.c). */
    bool sets_aside = net->sectioned && net->arbitration != COP_ARB_RR;
    if (COP_UNLIKELY(busy || sets_aside))
        cop_turn_missed(&iq->turns, net, port, vl, first, winner, iq->were_free);
}

/* Input i of switch `sw` has accepted output o, which is `port`: positions move, turns are
 * counted. */
MATCHING void move_on(cop_net *net, uint32_t sw, uint32_t port, uint32_t o, uint32_t i,
                      uint32_t words, bool first_iteration)
{
    struct cop_iq *iq = net->iq;
    const iq_grant *g = &iq->grant[o];
    uint32_t in_port = g->pick.in, in_vain = g->in_vain;
    if (first_iteration || net->sw_cfg->matching == COP_MATCH_RRM) {
        net->out[port].lane[g->pick.vl].rr = (uint16_t)(i + 1);
        iq->input[in_port].first = (uint16_t)(o + 1);
    }
    if (!first_iteration)
        return;
    missed(net, sw, port, g->pick.vl, g->first, i, words);
    for (in_vain &= ~net->out[port].vl_blocked; COP_UNLIKELY(in_vain); in_vain &= in_vain - 1) {
        uint32_t vl = (uint32_t)__builtin_ctz(in_vain);
        missed(net, sw, port, vl, net->out[port].lane[vl].rr, COP_NONE, words);
    }
}

/* Input i of a switch accepts as many offers as it can read. Two outputs may have picked the same
 * packet (adaptive routing): when it has left, the other offer is void. */
MATCHING void answer(cop_net *net, uint32_t sw, uint32_t i, uint32_t words, bool first_iteration)
{
    struct cop_iq *iq = net->iq;
    uint32_t port0 = net->topo->sw_port0[sw], o;
    size_t set0 = (size_t)sw * words;
    while ((o = choose(net, port0 + i, i, words)) != COP_NONE) {
        const cop_pick *pick = &iq->grant[o].pick;
        if (COP_LIKELY(net->queue[pick->queue].posted)) {
            move_on(net, sw, port0 + o, o, i, words, first_iteration);
            cop_time leaves =
                net->obuf
                    ? cop_input_grant(net, port0 + o, pick, cop_obuf_transfer, net->early_hooks)
                    : cop_input_grant(net, port0 + o, pick, cop_link_transfer, false);
            cop_turn_served(&iq->turns, net, port0 + o, pick,
                            net->queue[pick->queue].head == COP_NONE);
            cop_time free = iq->reads == 1 ? leaves : take_read(iq, port0 + i, leaves);
            if (leaves > net->now) {
                iq->set[set0 + o / 64].busy_out |= cop_iq_bit(o);
                iq->out_until[port0 + o] = leaves;
            }
            if ((net->out[port0 + o].vl_ready | net->out[port0 + o].vl_blocked) == 0)
                iq->set[set0 + o / 64].wanted &= ~cop_iq_bit(o);
            iq->input[port0 + i].until = free;
            if (free > net->now) {
                iq->free_in[i / 64] &= ~cop_iq_bit(i);
                iq->set[set0 + i / 64].busy_in |= cop_iq_bit(i);
                break;
            }
        }
        iq->offers[i * words + o / 64] &= ~cop_iq_bit(o);
        iq->overdue[i * words + o / 64] &= ~cop_iq_bit(o);
    }
    empty(&iq->offers[i * words], words);
    empty(&iq->overdue[i * words], words);
}

/* Find the free ones of the requested outputs. Is there one? */
MATCHING bool find_free_outputs(cop_net *net, uint32_t sw, uint32_t words)
{
    struct cop_iq *iq = net->iq;
    uint32_t port0 = net->topo->sw_port0[sw];
    uint64_t any = 0;
    for (uint32_t w = 0; w < words; w++) {
        iq_set *set = &iq->set[(size_t)sw * words + w];
        set->busy_out &=
            ~cop_iq_crossed(set->wanted & set->busy_out, &iq->out_until[port0 + w * 64], net->now);
        any |= set->wanted & ~set->busy_out;
    }
    return any != 0;
}

/* One iteration: all free outputs grant, all offered inputs accept. True if a packet went. */
MATCHING bool iterate(cop_net *net, uint32_t sw, uint32_t words, bool first_iteration)
{
    struct cop_iq *iq = net->iq;
    uint32_t port0 = net->topo->sw_port0[sw];
    iq_set *set = &iq->set[(size_t)sw * words];
    uint64_t any = 0;
    if (!first_iteration)
        find_free_outputs(net, sw, words); /* packets that left may have let others make requests */
    iq->some_overdue = false;
    empty(iq->offered, words);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t bits = set[w].wanted & ~set[w].busy_out; bits; bits &= bits - 1) {
            uint32_t o = w * 64 + (uint32_t)__builtin_ctzll(bits);
            const cop_out *out = &net->out[port0 + o];
            if ((out->vl_ready | out->vl_blocked) == 0)
                set[w].wanted &= ~(bits & -bits);
            else if ((out->vl_ready & ~out->vl_blocked) &&
                     (net->obuf || out->busy_until <= net->now) &&
                     grant(net, sw, port0 + o, words, &iq->grant[o]))
                offer(net, port0 + o, o, words);
        }
    for (uint32_t w = 0; w < words; w++)
        iq->were_free[w] = iq->free_in[w];
    for (uint32_t w = 0; w < words; w++) {
        any |= iq->offered[w];
        for (uint64_t bits = iq->offered[w]; bits; bits &= bits - 1)
            answer(net, sw, w * 64 + (uint32_t)__builtin_ctzll(bits), words, first_iteration);
    }
    return any != 0; /* an input with offers accepts at least one */
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

/* Inputs that were free when last sampled are still free; others may be. Bits beyond the ports of
 * the switch have no effect. */
MATCHING void match(cop_net *net, uint32_t sw, uint32_t words)
{
    if (find_free_outputs(net, sw, words) || net->fc->replay) {
        for (uint32_t w = 0; w < words; w++)
            net->iq->free_in[w] = ~net->iq->set[(size_t)sw * words + w].busy_in;
        resend_all(net, sw);
        for (int64_t i = 0; i < net->sw_cfg->iterations; i++)
            if (!iterate(net, sw, words, i == 0))
                break;
        resend_all(net, sw); /* those that gave way although nothing else went */
    }
}

static __attribute__((noinline, flatten)) void match_one(cop_net *net, uint32_t sw)
{
    match(net, sw, 1);
}

static __attribute__((noinline)) void match_many(cop_net *net, uint32_t sw)
{
    match(net, sw, net->words);
}

void cop_iq_match(cop_net *net, uint32_t sw)
{
    if (COP_LIKELY(net->words == 1))
        match_one(net, sw);
    else
        match_many(net, sw);
}
