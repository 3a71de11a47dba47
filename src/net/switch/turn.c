/* Turns that inputs miss. See turn.h. */
#include "net/switch/turn.h"

#include "net/switch/request.h"

void cop_turns_init(cop_turns *t, cop_net *net)
{
    const cop_topo *topo = net->topo;
    t->calm = net->queue_ops->runtime.order ? COP_TURN_CALM : 1;
    t->missed = COP_NEW_ARRAY(&net->arena, uint8_t, net->slot0[topo->n_switches]);
    t->port = COP_NEW_ARRAY(&net->arena, cop_turn_port, topo->n_ports);
}

/* The first requesting input from `first` on, wrapping round; COP_NONE if there is none. */
static uint32_t next_request(const cop_net *net, uint32_t port, uint32_t vl, uint32_t first)
{
    const uint64_t *mask = cop_request_mask(net, port, vl);
    for (uint32_t turn = 0; turn <= net->words; turn++) {
        uint32_t w = (first / 64 + turn) % net->words;
        uint64_t bits = mask[w];
        if (turn == 0)
            bits &= ~(uint64_t)0 << (first % 64);
        if (bits)
            return w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return COP_NONE;
}

static uint32_t holder(cop_net *net, uint32_t port, uint32_t vl, uint32_t first)
{
    if (net->arbitration == COP_ARB_RR)
        return next_request(net, port, vl, first);
    cop_pick best;
    return cop_input_pick_slow(net, port, vl, NULL, &best) ? net->in[best.in].local : COP_NONE;
}

__attribute__((noinline)) bool cop_turn_overdue_slow(const cop_turns *t, const cop_net *net,
                                                     uint32_t port, const cop_pick *pick)
{
    return t->missed[cop_slot_of(net, port, pick->vl, net->in[pick->in].local)] >= COP_TURN_WAIT;
}

static bool is_in(const uint64_t *set, uint32_t input)
{
    return set[input / 64] >> (input % 64) & 1;
}

__attribute__((noinline)) bool cop_turn_waits_slow(const cop_turns *t, cop_net *net, uint32_t port,
                                                   uint32_t vl, const uint64_t *free)
{
    uint32_t input = holder(net, port, vl, net->out[port].lane[vl].rr);
    if (input == COP_NONE || is_in(free, input) ||
        t->missed[cop_slot_of(net, port, vl, input)] < COP_TURN_WAIT ||
        !cop_input_fits(net, port, vl, input))
        return false;
    t->port[port].waited = true;
    return true;
}

static void miss(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl, uint32_t input)
{
    uint8_t *missed = &t->missed[cop_slot_of(net, port, vl, input)];
    if (*missed == 0)
        t->port[port].behind++;
    if (*missed >= COP_TURN_WAIT || ++*missed < COP_TURN_WAIT)
        return;
    *missed = (uint8_t)(COP_TURN_WAIT + t->calm - 1);
    t->port[port].overdue++;
}

/* Of word w of a set of inputs: those below n. */
static uint64_t below(uint32_t w, uint32_t n)
{
    return n <= w * 64 ? 0 : n - w * 64 >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (n - w * 64)) - 1;
}

__attribute__((noinline)) void cop_turn_missed(const cop_turns *t, cop_net *net, uint32_t port,
                                               uint32_t vl, uint32_t first, uint32_t winner,
                                               const uint64_t *free)
{
    if (net->arbitration != COP_ARB_RR || winner == COP_NONE) {
        uint32_t input = holder(net, port, vl, first);
        if (input != COP_NONE && input != winner && !is_in(free, input))
            miss(t, net, port, vl, input);
        return;
    }
    const uint64_t *mask = cop_request_mask(net, port, vl);
    for (uint32_t w = 0; w < net->words; w++) {
        uint64_t from_first = ~below(w, first), before = below(w, winner);
        uint64_t passed = first <= winner ? from_first & before : from_first | before;
        for (uint64_t bits = mask[w] & ~free[w] & passed; bits; bits &= bits - 1)
            miss(t, net, port, vl, w * 64 + (uint32_t)__builtin_ctzll(bits));
    }
}

__attribute__((noinline)) void cop_turn_served_slow(const cop_turns *t, cop_net *net, uint32_t port,
                                                    const cop_pick *pick, bool empty)
{
    uint8_t *missed = &t->missed[cop_slot_of(net, port, pick->vl, net->in[pick->in].local)];
    uint8_t before = *missed;
    bool waited = t->port[port].waited;
    t->port[port].waited = false;
    if (*missed < COP_TURN_WAIT) {
        *missed = 0;
    } else if (waited && !empty) {
        *missed = (uint8_t)(COP_TURN_WAIT + t->calm - 1);
    } else if (empty || --*missed < COP_TURN_WAIT) {
        *missed = 0;
        t->port[port].overdue--;
    }
    if (before > 0 && *missed == 0)
        t->port[port].behind--;
}
