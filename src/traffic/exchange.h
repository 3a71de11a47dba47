/* Closed-loop exchanges of messages: shared by exchange.c, exchange_kinds.c and traffic.c only. */
#ifndef COP_TRAFFIC_EXCHANGE_H
#define COP_TRAFFIC_EXCHANGE_H

#include "traffic/traffic_priv.h"

typedef struct traffic_exchange_kind {
    uint32_t (*phases)(uint32_t n); /* of a round, for n ranks */
    uint32_t slots; /* most messages of a rank in a phase */
    bool in_step; /* no rank begins a phase before all have finished the one before */
    bool to_and_fro; /* a pair's latency is half its round trip */
    bool shuffled; /* ranks are in random order */
    /* The rank that `rank` sends to; COP_NONE or itself: it sends nothing. */
    uint32_t (*peer)(uint32_t n, uint32_t rank, uint32_t phase, uint32_t slot);
    const char *(*needs)(uint32_t n); /* what n must be, or NULL; may be NULL itself */
} traffic_exchange_kind;

extern const traffic_exchange_kind traffic_exchange_kinds[]; /* by enum cop_exchange */

/* exchange.c: check and plan the exchange of the entry being built, add its streams. */
int traffic_exchange_build(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e);
/* The streams have their final numbers: begin all exchanges. */
void traffic_exchange_start(traffic_build *b);
/* A message of m->bytes of stream s was taken by its NIC. */
void traffic_exchange_taken(const traffic_entry *e, const cop_stream *s, const cop_msg *m);

#endif
