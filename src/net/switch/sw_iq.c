/* Input-queued switch with one or more read ports per input; also the crossbar side of the combined
 * input-output queued switch.
 *
 * Role     when a switch matches its inputs and outputs, and which of them take part (iq_match.c:
 *          how).
 * Events   COP_EV_ARB per switch: when a transfer ends that a request waits for. A new request
 *          makes the matching due at once. */
#include "net/switch/sw_iq.h"
#include "net/cable/cable.h"
#include "net/switch/arch.h"
#include "net/switch/input.h"

void cop_iq_init(cop_net *net)
{
    net->iq = COP_NEW_ARRAY(&net->arena, struct cop_iq, 1);
    net->iq->input = COP_NEW_ARRAY(&net->arena, iq_input, net->host_port0);
    net->iq->reads = (uint32_t)cop_max64(1, (uint64_t)net->sw_cfg->read_ports);
    if (net->iq->reads > net->info.max_ports)
        net->iq->reads = net->info.max_ports; /* an input has no more outputs to feed */
    net->iq->read =
        COP_NEW_ARRAY(&net->arena, cop_time, cop_product(net->host_port0, net->iq->reads));
    size_t sets = cop_product(net->info.n_switches, net->words);
    net->iq->set = COP_NEW_ARRAY(&net->arena, iq_set, sets);
    net->iq->guess = COP_NEW_ARRAY(&net->arena, iq_guess, net->host_port0);
    for (uint32_t port = 0; port < net->host_port0; port++) /* always some input of its switch */
        net->iq->guess[port] = (iq_guess){.in = net->out[port].port0, .queue = COP_NONE};
    net->iq->out_until = COP_NEW_ARRAY(&net->arena, cop_time, net->host_port0);
    net->iq->arb_at = COP_NEW_ARRAY(&net->arena, cop_time, net->info.n_switches);
    for (uint32_t sw = 0; sw < net->info.n_switches; sw++)
        net->iq->arb_at[sw] = COP_NEVER;
    cop_turns_init(&net->iq->turns, net);
}

cop_time cop_iq_input_free(const cop_net *net, uint32_t port)
{
    return net->iq->input[port].until;
}

/* The switch must match at time t, or before. */
static void look_at(cop_net *net, uint32_t sw, cop_time t)
{
    if (t < net->iq->arb_at[sw]) {
        net->iq->arb_at[sw] = t;
        cop_net_push(net, t, COP_EV_ARB, sw);
    }
}

static void iq_kick(cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    iq_set *set = cop_iq_set_of(net, out);
    uint64_t bit = cop_iq_bit(out->local);
    set->wanted |= bit;
    cop_time free = out->busy_until;
    if (net->obuf) /* a buffer takes a packet when the previous one has crossed */
        free = set->busy_out & bit ? net->iq->out_until[port] : 0;
    if (free <= net->now)
        cop_evq_due_now(&net->evq, out->sw);
    else
        look_at(net, out->sw, free);
}

/* If the crossbar needs credit: subscribe to credit for requested outputs. */
static void settle_wanted(cop_net *net, uint32_t sw)
{
    uint32_t port0 = net->topo->sw_port0[sw];
    const iq_set *set = &net->iq->set[(size_t)sw * net->words];
    for (uint32_t w = 0; w < net->words; w++)
        for (uint64_t bits = set[w].wanted; bits; bits &= bits - 1) {
            uint32_t port = port0 + w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (net->out[port].vl_ready)
                cop_fc_settle(net, port);
        }
}

/* When a running transfer ends that some request waits for. An output that is free and still
 * requested waits for an input or for another iteration: until the first transfer ends. */
static inline __attribute__((always_inline)) void plan(cop_net *net, uint32_t sw, uint32_t words)
{
    const struct cop_iq *iq = net->iq;
    uint32_t port0 = net->topo->sw_port0[sw];
    cop_time next = COP_NEVER;
    bool any =
        net->fc->replay && !net->obuf; /* packets to be sent again are looked for at the end of
                                          every transfer */
    for (uint32_t w = 0; w < words; w++) {
        const iq_set *set = &iq->set[(size_t)sw * words + w];
        for (uint64_t bits = set->wanted & ~set->busy_out; bits && !any; bits &= bits - 1) {
            const cop_out *out = &net->out[port0 + w * 64 + (uint32_t)__builtin_ctzll(bits)];
            any = (out->vl_ready & ~out->vl_blocked) != 0;
        }
    }
    for (uint32_t w = 0; w < words; w++) {
        const iq_set *set = &iq->set[(size_t)sw * words + w];
        for (uint64_t bits = set->busy_out & (any ? ~(uint64_t)0 : set->wanted); bits;
             bits &= bits - 1) {
            cop_time until = iq->out_until[port0 + w * 64 + (uint32_t)__builtin_ctzll(bits)];
            next = until > net->now ? cop_min64(next, until) : next;
        }
    }
    if (next != COP_NEVER)
        look_at(net, sw, next);
}

#ifndef NDEBUG
static void check_wanted(const cop_net *net, uint32_t sw)
{
    const iq_set *set = &net->iq->set[(size_t)sw * net->words];
    for (uint32_t o = 0; o < cop_topo_ports_of(net->topo, sw); o++)
        COP_ASSERT((set[o / 64].wanted & cop_iq_bit(o)) ||
                   net->out[net->topo->sw_port0[sw] + o].vl_ready == 0);
}
#else
static void check_wanted(const cop_net *net, uint32_t sw)
{
    (void)net, (void)sw;
}
#endif

static void iq_arbitrate(cop_net *net, uint32_t sw)
{
    check_wanted(net, sw);
    if (net->iq->arb_at[sw] <= net->now)
        net->iq->arb_at[sw] = COP_NEVER;
    if (!net->obuf || net->credit_first)
        settle_wanted(net, sw);
    cop_iq_match(net, sw);
    if (COP_LIKELY(net->words == 1)) /* compiled for it */
        plan(net, sw, 1);
    else
        plan(net, sw, net->words);
}

static void iq_credit(cop_net *net, uint32_t port)
{
    cop_fc_unblock(net, port);
    cop_fc_no_wait(&net->out[port], COP_WAIT_SHORT);
    iq_kick(net, port);
}

const cop_arch_ops cop_arch_iq = {.kick = iq_kick,
                                  .arbitrate = iq_arbitrate,
                                  .room = cop_link_room,
                                  .transfer = cop_link_transfer,
                                  .matched = true,
                                  .credit = iq_credit};

const cop_arch_ops cop_arch_cioq = {.kick = iq_kick,
                                    .arbitrate = iq_arbitrate,
                                    .room = cop_obuf_room,
                                    .transfer = cop_obuf_transfer,
                                    .buffered = true,
                                    .matched = true,
                                    .credit = cop_obuf_credit};
