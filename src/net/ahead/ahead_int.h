/* What the files of hints to the cache share. Private to ahead*.c. */
#ifndef COP_NET_AHEAD_INT_H
#define COP_NET_AHEAD_INT_H

#include "net/ahead/ahead.h"
#include "net/cable/fc_state.h"
#include "net/fetch.h"
#include "net/net.h"
#include "net/routing/routing.h"

/* State of plug-ins for each port. */
static inline void cop_ahead_states(const cop_net *net, uint32_t port)
{
    if (net->lane_waiting)
        cop_fetch(&net->lane_waiting[(size_t)port * net->lanes]);
    for (size_t at = 0; at < net->cc_port_bytes; at += 64)
        cop_fetch(net->cc_state + (size_t)port * net->cc_port_bytes + at);
    if (net->routing != NULL)
        cop_routing_prefetch(net, port);
}

/* What there is to fetch. As compile-time constants (cop_ahead_buffered) they cut the cost of hints
 * to two thirds. */
typedef struct cop_sight {
    bool matched; /* switches match inputs and outputs */
    bool buffered; /* outputs have buffers */
    bool lists; /* of requests */
    bool holds; /* inputs count their bytes (on/off, ack/nack) */
    bool credit; /* flow control by relative credits */
} cop_sight;

static inline cop_sight cop_sight_of(const cop_net *net)
{
    return (cop_sight){.matched = net->iq != NULL,
                       .buffered = net->obuf != NULL,
                       .lists = !net->per_output,
                       .holds = net->fc_state != NULL && net->fc_state->inbuf != NULL,
                       .credit = net->plain_credit};
}

/* Lossless Ethernet on switches that match and have output buffers: net->looks_buffered. */
static const cop_sight cop_sight_buffered = {
    .matched = true, .buffered = true, .lists = true, .holds = true};

#define COP_SIGHT static inline __attribute__((always_inline))

/* State of the requests for an output. */
COP_SIGHT void cop_fetch_requests(const cop_net *net, uint32_t port)
{
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(cop_ahead_requests(net, port));
    cop_ahead_states(net, port);
}

/* The predicted output, local port and lane, of packet p at the switch of input `in`. */
uint32_t cop_ahead_guess(const cop_net *net, const cop_in *in, const cop_pkt *p, uint8_t *vl);
/* Lines that a host accesses when it tries to send, and sends. */
void cop_ahead_host(const cop_net *net, uint32_t host);
void cop_ahead_stream(const cop_net *net, uint32_t host);
/* ahead_plain.c: both where net->looks_plain. */
void cop_ahead_plain(cop_net *net);
void cop_ahead_plain_arbitrate(cop_net *net, const uint32_t *due, uint32_t n);
/* Lines that a packet accesses when it starts to wait for this output. */
void cop_ahead_output(const cop_net *net, uint32_t port);
/* The ring of the sender that feeds input `in`, to which room is returned. */
void cop_ahead_return(const cop_net *net, uint32_t in);
/* A switch will soon match: prefetch its requested outputs, then queues in front of them, then
 * packets (ahead_arb.c). */
void cop_iq_prefetch(const cop_net *net, uint32_t sw, unsigned stage, cop_time t);
/* Match the n switches that are due, and prefetch for each during earlier ones. */
void cop_iq_ahead_arbitrate(cop_net *net, const uint32_t *due, uint32_t n);
/* The same for one output. */
void cop_output_prefetch(const cop_net *net, uint32_t port, unsigned stage);
/* ahead_near.c: both where not net->looks_far; n arbitrations are due. */
void cop_ahead_near(const cop_net *net);
void cop_ahead_near_arbitrate(cop_net *net, const uint32_t *due, uint32_t n);

#endif
