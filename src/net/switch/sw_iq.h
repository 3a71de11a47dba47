/* State of the matchings of sw_iq.c and iq_match.c, for these files and for their hints to the
 * cache (ahead_arb.c). */
#ifndef COP_NET_SW_IQ_H
#define COP_NET_SW_IQ_H

#include "net/net.h"
#include "net/switch/input.h"
#include "net/switch/turn.h"

typedef struct iq_grant {
    cop_pick pick;
    uint32_t in_vain; /* lanes that come before, but their inputs are busy */
    uint16_t first; /* position of the previous lane */
} iq_grant;

/* Predicted next grant of an output, for hints to the cache: input port, lane, and the queue when
 * it is known. */
typedef struct iq_guess {
    uint32_t in, vl, queue;
} iq_guess;

/* Such predictions for the switches that match at one instant, one list behind the other. */
typedef struct iq_hint {
    uint32_t port; /* COP_NONE: no input requests it */
    iq_guess guess;
} iq_hint;
#define COP_IQ_HINTS 1024u

/* State that a matching reads of every input of the switch, stored together. */
typedef struct iq_input {
    cop_time until; /* all its read ports are busy until then */
    uint16_t first; /* its position over the outputs */
} iq_input;

/* Sets of 64 ports of a switch, so that a matching visits only ports that take part. */
typedef struct iq_set {
    uint64_t wanted; /* outputs that are requested or blocked; may contain others */
    uint64_t busy_in; /* inputs all of whose read ports were busy when last sampled */
    uint64_t busy_out; /* outputs that a packet crossed to when last sampled */
    uint64_t
        hinted; /* outputs that hints to the cache are about, from their first stage to the last */
} iq_set;

struct cop_iq {
    iq_input *input; /* [host_port0] */
    cop_time *read; /* [n_ports * reads] when each read port is free; a heap per input */
    uint32_t reads; /* read ports of an input */
    iq_set *set; /* [n_switches * words] */
    iq_guess *guess; /* [host_port0], of those */
    cop_time *out_until; /* [host_port0] a packet crosses to this output until then */
    cop_time *arb_at; /* [n_switches] pending COP_EV_ARB, COP_NEVER if none */
    iq_hint hint[COP_IQ_HINTS];
    cop_turns turns;
    /* scratch of one matching */
    uint64_t free_in[COP_MAX_PORTS / 64];
    uint64_t were_free[COP_MAX_PORTS / 64]; /* when the iteration began */
    iq_grant grant[COP_MAX_PORTS]; /* per output */
    uint64_t offered[COP_MAX_PORTS / 64]; /* inputs that some output grants */
    bool some_overdue; /* of this iteration */
    /* [input * words] per input, empty between iterations: outputs that grant it; those that waited
     * for it. */
    uint64_t offers[COP_MAX_PORTS * (COP_MAX_PORTS / 64)];
    uint64_t overdue[COP_MAX_PORTS * (COP_MAX_PORTS / 64)];
};

/* Match the inputs and outputs of switch `sw` that are free. */
void cop_iq_match(cop_net *net, uint32_t sw);

static inline uint64_t cop_iq_bit(uint32_t n)
{
    return (uint64_t)1 << (n % 64);
}

/* The set that an output is in. */
static inline iq_set *cop_iq_set_of(const cop_net *net, const cop_out *out)
{
    return &net->iq->set[(size_t)out->sw * net->words + out->local / 64];
}

/* Output `port` of a switch that matches inputs and outputs is requested. */
static inline void cop_iq_want(cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    cop_iq_set_of(net, out)->wanted |= cop_iq_bit(out->local);
}

/* Of a set of outputs, the first being that of `until`, those to which nothing crosses at time t
 * any more. Branch-free: the outcome is random and would be mispredicted. */
static inline uint64_t cop_iq_crossed(uint64_t outputs, const cop_time *until, cop_time t)
{
    uint64_t crossed = 0;
    for (; outputs; outputs &= outputs - 1)
        crossed |= (outputs & -outputs) & -(uint64_t)(until[__builtin_ctzll(outputs)] <= t);
    return crossed;
}

#endif
