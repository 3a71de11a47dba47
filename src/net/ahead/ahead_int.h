/* What the files of hints to the cache share. Private to ahead*.c. */
#ifndef COP_NET_AHEAD_INT_H
#define COP_NET_AHEAD_INT_H

#include "net/ahead/ahead.h"
#include "net/cable/fc_state.h"
#include "net/fetch.h"
#include "net/net.h"
#include "net/routing/routing.h"

/* What somebody keeps of each port. */
static inline void cop_ahead_states(const cop_net *net, uint32_t port)
{
    if (net->lane_waiting)
        cop_fetch(&net->lane_waiting[(size_t)port * net->lanes]);
    for (size_t at = 0; at < net->cc_port_bytes; at += 64)
        cop_fetch(net->cc_state + (size_t)port * net->cc_port_bytes + at);
    if (net->routing != NULL)
        cop_routing_prefetch(net, port);
}

/* What there is to fetch. Where it is known when the program is compiled (cop_ahead_buffered), hints cost two thirds. */
typedef struct cop_sight {
    bool matched; /* switches match inputs and outputs */
    bool buffered; /* outputs have buffers */
    bool lists; /* of requests */
    bool holds; /* inputs count what they hold (on/off, ack/nack) */
    bool credit; /* relative credits come back */
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

/* What is known of the requests for an output. */
COP_SIGHT void cop_fetch_requests(const cop_net *net, uint32_t port)
{
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(cop_ahead_requests(net, port));
    cop_ahead_states(net, port);
}

/* The output, local port and lane, that packet p will want of the switch of input `in`. */
uint32_t cop_ahead_guess(const cop_net *net, const cop_in *in, const cop_pkt *p, uint8_t *vl);
/* What a host touches that looks for something to send, and then. */
void cop_ahead_host(const cop_net *net, uint32_t host);
void cop_ahead_stream(const cop_net *net, uint32_t host);
/* ahead_plain.c: both where net->looks_plain. */
void cop_ahead_plain(cop_net *net);
void cop_ahead_plain_arbitrate(cop_net *net, const uint32_t *due, uint32_t n);
/* What a packet touches that comes to wait for this output. */
void cop_ahead_output(const cop_net *net, uint32_t port);
/* Where the sender that feeds input `in` will note what comes back. */
void cop_ahead_return(const cop_net *net, uint32_t in);
/* A switch will soon match: fetch its wanted outputs, then queues in front of them, then packets (ahead_arb.c). */
void cop_iq_prefetch(const cop_net *net, uint32_t sw, unsigned stage, cop_time t);
/* n switches decide at this instant: they do, while what the next ones will touch is fetched. */
void cop_iq_ahead_arbitrate(cop_net *net, const uint32_t *due, uint32_t n);
/* The same for one output. */
void cop_output_prefetch(const cop_net *net, uint32_t port, unsigned stage);
/* ahead_near.c: both where not net->looks_far; of arbitrations n are due. */
void cop_ahead_near(const cop_net *net);
void cop_ahead_near_arbitrate(cop_net *net, const uint32_t *due, uint32_t n);

#endif
