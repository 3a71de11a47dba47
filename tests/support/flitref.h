/* Reference simulator: moves every flit of every packet, one fixed tick after the other. It is slow
 * and plain on purpose, so that the packet-level simulator can be compared with it. All times are
 * picoseconds and whole multiples of cfg.tick_ps, also those of ports without a cable.
 *
 * Rules, in the order of the phases of a tick:
 * 1 credits  A credit arrives credit_ps + (delay of the reverse link) after the packet's last flit
 *            left the buffer, and can be used in the same tick. A one-way link has no reverse
 *            link: its own delay counts.
 * 2 arrivals A flit sent from t to t + f has its first bit here at t + delay and its last bit at
 *            t + f + delay. A packet joins its queue at head + header time + pipeline (header time:
 *            header_bytes at the incoming link's rate), or, store-and-forward, at tail + pipeline.
 * 3 ends     Flits end; the packet's next flit follows at once, so packets are never interleaved on
 *            a link. With the last flit the packet leaves its buffer, and the link is idle. A host
 *            takes packets in order of arrival, one at a time: from the head's arrival or the end
 *            of the one before, for flits * sink_flit_ps, and at least until the tail is here. Then
 *            the packet is delivered and has left the host's buffer.
 * 4 starts   All hosts and all idle outputs decide, seeing everything that happened in this tick.
 *            A packet starts only with credit for all of it. The head of a queue may start on an
 *            output when it has joined and now >= tail - flits * (flit time of the output), so that
 *            a faster output never runs dry. A queue's next packet waits until the one before has
 *            left. An output takes lanes in turn, then, in that lane, inputs in turn; the pointers
 *            move, to one past the winner, only on a grant.
 *            FR_READ_PER_INPUT: outputs grant to inputs that read fewer than `reads` packets, each
 *            input accepts as many of its grants as it can read (outputs in turn), and so on for
 *            `iterations` rounds. All pointers move only for matches of the first round (iSLIP,
 *            McKeown 1999). Of an input that can read no more when its turn at an output comes, the
 *            output counts that turn as missed, once per packet that goes to another input in the
 *            first round. After FR_MISSED in a row the
 *            output stays idle whenever it is that input's turn and its packet has credit, and the
 *            input accepts this output before others. The count is 0 again when they meet and the
 *            output has not been idle for it since its last packet, or the queue runs empty (with
 *            several lanes: turns are counted in the lane of the packet that goes). Matching is done in
 *            every tick: what too few rounds left over is tried again one tick later, so results
 *            depend on the tick unless `iterations` reaches the number of ports.
 * With output buffers (cross_flit_ps) a packet starts on the crossbar's output instead of the link, if
 * that is idle and the output buffer has room for all of it. A flit takes cross_flit_ps to cross, and
 * until its last bit has come in; with the last flit the packet has left the input buffer. Flits cross
 * in phase 3, before those of links end. The crossbar's output has a pointer over lanes of its own, and
 * no rule about running dry. The link sends from the output buffer: of each lane the first packet, lanes
 * in turn, with credit for all of it and so that it never runs dry. It decides in phase 4 before the
 * crossbar, and again after it, if it is idle still. Room is taken when a packet starts to cross, and
 * free when its last flit has left on the link. */
#ifndef FLITREF_H
#define FLITREF_H

#include "base/base.h"
#include "topo/topo.h"

#define FR_MAX_LANES 4
#define FR_MISSED 32

enum fr_queueing {
    FR_FIFO, /* one queue per input and lane */
    FR_VOQ, /* one queue per input, output and lane */
};

enum fr_read {
    FR_READ_PER_OUTPUT, /* every queue of an input can be read at the same time */
    FR_READ_PER_INPUT, /* an input sends one packet at a time; iSLIP matches inputs and outputs */
};

typedef struct fr_packet {
    cop_time t; /* generated; it may start at the first tick not before this */
    uint32_t src, dst, bytes;
    uint8_t lane; /* the same on every link; wormhole: on the first */
    uint32_t message; /* wormhole: number of its message; 0: it is one of its own */
    cop_time t_inject, t_deliver; /* results; COP_NEVER: did not happen */
} fr_packet;

typedef struct fr_cfg {
    cop_time tick_ps;
    uint32_t flit_bytes;
    const cop_time *flit_ps; /* [n_ports] time of one flit on the link that port p sends on */
    const cop_time *delay_ps; /* [n_ports] propagation delay of that link, at least one tick */
    const cop_time *sink_flit_ps; /* [n_hosts] time a host takes per flit; NULL: as its link */
    cop_time pipeline_ps; /* header (or tail) received -> packet is in its queue */
    cop_time credit_ps; /* receiver's processing before a credit goes on the wire */
    uint32_t header_bytes; /* received before routing */
    uint32_t buffer_bytes; /* of each lane of a switch input */
    uint32_t sink_buffer_bytes; /* of each lane of a host; 0: as a switch input */
    uint32_t lanes; /* 1 .. FR_MAX_LANES */
    bool store_and_forward;
    enum fr_queueing queueing;
    enum fr_read read;
    uint32_t iterations; /* FR_READ_PER_INPUT: of iSLIP */
    uint32_t reads; /* FR_READ_PER_INPUT: packets that an input sends at a time; 0: one */
    const cop_time
        *cross_flit_ps; /* [n_switches] of a flit on the crossbar; NULL: no output buffers */
    uint32_t output_bytes; /* of an output buffer, each lane; with output_reserve of all lanes */
    uint32_t
        output_reserve; /* of output_bytes, what each lane has for itself; 0: private buffers */
    bool one_input_pointer; /* an output's lanes share one pointer over inputs; else one each */
    const uint16_t *lft; /* [switch * n_hosts + dst] -> local output port */
    /* Called for every packet that starts on the link of `port`, hosts included. May be NULL. */
    void (*on_start)(void *ctx, cop_time now, uint32_t port, const fr_packet *pkt);
    void *on_start_ctx;
} fr_cfg;

typedef struct fr_counts {
    uint64_t injected, delivered; /* packets */
    uint64_t bytes_delivered;
    uint64_t packet_hops; /* starts of a packet on a link, the host's link included */
    uint64_t flit_hops; /* flits put on a link */
    uint64_t
        kept_idle; /* ticks in which an output stayed idle for an input that had missed turns */
    uint64_t unreturned; /* packets in a buffer whose credit is not yet back, one per buffer */
    cop_time t_end; /* last tick that was simulated */
} fr_counts;

enum fr_outcome {
    FR_DONE = 0, /* everything delivered, every credit returned */
    FR_UNFINISHED = 1, /* `end` came first */
    FR_DEADLOCK = 2, /* packets in the network, and nothing can move any more */
};

/* Simulate ticks 0 .. end; returns an fr_outcome. A source sends its packets in the order of
 * `pkts`. Input that breaks the contract stops the program (COP_CHECK): only tests call this. */
int flitref_run(const cop_topo *t, const fr_cfg *cfg, fr_packet *pkts, size_t n, cop_time end,
                fr_counts *counts);

#endif
