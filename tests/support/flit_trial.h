/* Random networks and messages that the packet-level simulator and the flit-level reference can both
 * run: a trial. Its number, its random stream and `crowded` decide it.
 *
 * Use   trial_draw_machine writes the configuration up to the list of traffic; from that the caller
 *       builds x->topo; trial_draw_messages then adds the messages to the text, and the same messages as
 *       packets for the reference to x->pkt. The caller frees yaml, pkt and topo.
 * Units one tick is 4 ns, half of a flit of 64 bytes on the fastest link, 64 Gbit/s. */
#ifndef COP_TEST_FLIT_TRIAL_H
#define COP_TEST_FLIT_TRIAL_H

#include "base/rng.h"
#include "flitref.h"

#define TICK ((cop_time)4000)
#define FLIT 64u
#define FLIT_PS ((cop_time)8000) /* at 64 Gbit/s */
#define MAX_CROWD 1200u
#define MAX_HOSTS 64u

typedef struct message {
    cop_time t;
    uint32_t entry, src, dst, packets, last_flits;
    uint8_t lane;
} message;

typedef struct trial {
    uint32_t number;
    cop_rng rng;
    uint32_t kind; /* row of `networks` */
    bool deadlocks; /* the routing may deadlock */
    bool crowded; /* all that is sent waits from the start on */
    uint32_t sent[MAX_HOSTS], phase;
    uint32_t slow[3]; /* per link class: times slower than the base rate */
    uint32_t delay[3]; /* ticks */
    uint32_t pipeline, credit, header, overhead, sink_slow;
    uint32_t mtu_flits, least_flits, buffer_flits, sink_flits, lanes;
    uint32_t output_flits, speedup; /* output buffers; 0: none */
    uint32_t output_reserve; /* flits that each lane has for itself; 0: lanes share nothing */
    uint32_t reads; /* iq: packets that an input sends at a time */
    bool saf, iq, absolute;
    enum fr_queueing queueing;
    cop_topo topo;
    message msg[MAX_CROWD]; /* in order of generation */
    uint32_t n;
    fr_packet *pkt; /* of all messages, in the same order */
    uint32_t n_pkts;
    char *yaml;
    size_t used, size;
} trial;

void trial_draw_machine(trial *x);
void trial_draw_messages(trial *x);

/* Append to the configuration, at most 511 characters at once. */
void trial_write(trial *x, const char *fmt, ...) COP_PRINTF(2, 3);

#endif
