/* Turns that are owed to inputs. See turn.h. */
#include "net/turn.h"

#include "net/request.h"

void cop_turns_init(cop_turns *t, cop_net *net)
{
    const cop_topo *topo = net->topo;
    size_t debts = 0;
    for (uint32_t sw = 0; sw < topo->n_switches; sw++)
        debts += (size_t)cop_topo_ports_of(topo, sw) * cop_topo_ports_of(topo, sw) * net->lanes;
    t->debt = COP_NEW_ARRAY(&net->arena, uint8_t, debts);
    t->owed = COP_NEW_ARRAY(&net->arena, uint16_t, topo->n_ports);
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
    if (net->sw_cfg->arbitration == COP_ARB_RR)
        return next_request(net, port, vl, first);
    cop_pick best;
    return cop_input_pick_slow(net, port, vl, NULL, &best) ? net->in[best.in].local : COP_NONE;
}

uint32_t cop_turn_holder(cop_net *net, uint32_t port, uint32_t vl)
{
    return holder(net, port, vl, net->out[port].lane[vl].rr);
}

bool cop_turn_overdue(const cop_turns *t, const cop_net *net, uint32_t port, const cop_pick *pick)
{
    return t->owed[port] &&
           t->debt[cop_slot_of(net, port, pick->vl, net->in[pick->in].local)] >= COP_TURN_WAIT;
}

static bool is_in(const uint64_t *set, uint32_t input)
{
    return set[input / 64] >> (input % 64) & 1;
}

bool cop_turn_waits(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl,
                    const uint64_t *free)
{
    if (t->owed[port] == 0)
        return false;
    uint32_t input = cop_turn_holder(net, port, vl);
    return input != COP_NONE && !is_in(free, input) &&
           t->debt[cop_slot_of(net, port, vl, input)] >= COP_TURN_WAIT &&
           cop_input_fits(net, port, vl, input);
}

bool cop_turn_owed(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl,
                   const uint64_t *free, uint64_t *owed)
{
    const uint64_t *mask = cop_request_mask(net, port, vl);
    bool any = false;
    if (t->owed[port] == 0)
        return false;
    for (uint32_t w = 0; w < net->words; w++) {
        owed[w] = 0;
        for (uint64_t bits = mask[w] & free[w]; bits; bits &= bits - 1) {
            uint32_t input = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (t->debt[cop_slot_of(net, port, vl, input)] >= COP_TURN_OWED)
                owed[w] |= bits & -bits;
        }
        any |= owed[w] != 0;
    }
    return any;
}

static void add_debt(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl, uint32_t input)
{
    uint8_t *debt = &t->debt[cop_slot_of(net, port, vl, input)];
    if (*debt < COP_TURN_WAIT && ++*debt == COP_TURN_OWED)
        t->owed[port]++;
}

/* Of word w of a set of inputs: those below n. */
static uint64_t below(uint32_t w, uint32_t n)
{
    return n <= w * 64 ? 0 : n - w * 64 >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (n - w * 64)) - 1;
}

void cop_turn_missed(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl, uint32_t first,
                     uint32_t winner, const uint64_t *free)
{
    if (net->sw_cfg->arbitration != COP_ARB_RR || winner == COP_NONE) {
        uint32_t input = holder(net, port, vl, first);
        if (input != COP_NONE && input != winner && !is_in(free, input))
            add_debt(t, net, port, vl, input);
        return;
    }
    const uint64_t *mask = cop_request_mask(net, port, vl);
    for (uint32_t w = 0; w < net->words; w++) {
        uint64_t from_first = ~below(w, first), before = below(w, winner);
        uint64_t passed = first <= winner ? from_first & before : from_first | before;
        for (uint64_t bits = mask[w] & ~free[w] & passed; bits; bits &= bits - 1)
            add_debt(t, net, port, vl, w * 64 + (uint32_t)__builtin_ctzll(bits));
    }
}

void cop_turn_paid(const cop_turns *t, cop_net *net, const cop_pick *pick, uint32_t port,
                   bool forget)
{
    uint8_t *debt = &t->debt[cop_slot_of(net, port, pick->vl, net->in[pick->in].local)];
    uint8_t before = *debt;
    if (before == 0)
        return;
    *debt = forget ? 0 : (uint8_t)(before - 1);
    if (before >= COP_TURN_OWED && *debt < COP_TURN_OWED)
        t->owed[port]--;
}
