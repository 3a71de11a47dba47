/* Reference simulator of wormhole switching: moves every flit of every packet, one fixed tick after the
 * other. As plain as flitref.h, and apart from it: there a packet is sent in one piece. All times are whole
 * multiples of the tick, also those of a flit that is shorter than the others.
 *
 * Rules, in the order of the phases of a tick:
 * 1 credits  A place of a buffer is taken from the start of a flit on the link before it until its credit is
 *            back: credit_ps + delay after its last bit has left.
 * 2 sinks    A host takes flits in order of arrival, one at a time: from the first bit's arrival or the end
 *            of the one before, for bytes * sink time, and at least until the last bit is here. With its last
 *            flit a packet is delivered.
 * 3 hosts    If its link is idle, a host looks at the lanes in turn: at lanes that belong to a packet and
 *            have credit, and at lanes that are free, have room, and are wanted by a message that
 *            it has taken. If the first of them is free, a packet begins there. If none is of that
 *            kind it takes the next message, oldest first, and looks again. Then a lane that belongs to
 *            a packet sends a flit, if it comes first.
 * 4 outputs  An idle output looks at the lanes in turn. A lane that belongs to a packet sends its next flit
 *            if that is the first in its buffer, is ready and has credit. A lane that is free and
 *            has room is given to the first input in turn whose buffer begins with a head that is ready and
 *            goes there; of several lanes of that input the one that asked first, and of those that asked
 *            in the same tick first the one that was routed in it, then the lowest lane. Pointers move to one past the winner.
 *            With allocation_ps every output, idle or not, gives all such lanes first, lowest lane first, and once more
 *            when it has sent a tail; the first flit of their packets may go allocation_ps later.
 * Ways       A head that is routed asks the routing for its ways: at the end of its pipeline, and if it is not yet the
 *            first of its buffer then, once more when it is. Of one tick first those at the end of their pipeline,
 *            by input; then the others, by input and lane. The routing is told what waits for each output of
 *            the switch and what is behind it: `load` below. A head asks for all its ways, and goes by the first that
 *            is given to it, outputs in order of their numbers.
 * Ready      A flit whose first bit came at t is ready at t + min(header, its length) + pipeline, on a
 *            faster output not before its last bit's arrival - its time there, and when the flit before it in
 *            its buffer has left.
 * Room       One free place, or with `whole` all of them. */
#ifndef FLITREF_WORM_H
#define FLITREF_WORM_H

#include "flitref.h"

#define FRW_MAX_WAYS 16

typedef struct frw_way { /* local output port of the switch, and its lane */
    uint32_t port;
    uint8_t lane;
} frw_way;

/* Packet `number`, the `seq`-th that its host has sent (from 0), is at switch sw; it came in by local port `in` on
 * `lane`. */
typedef struct frw_ask {
    uint32_t number, seq, sw, in;
    uint8_t lane;
    /* Bytes of the packets that wait at this switch and whose first way leads by `port`, all lanes, plus places that are
     * taken behind lane `lane` of it, in bytes of whole flits. Without the packet itself. */
    uint64_t (*load)(const void *at, uint32_t port, uint32_t lane);
    const void *at;
} frw_ask;

typedef struct frw_cfg {
    cop_time tick_ps;
    uint32_t flit_bytes;
    const cop_time *flit_ps; /* [n_ports] time of a whole flit on the link that port p sends on */
    const cop_time *delay_ps; /* [n_ports] */
    const cop_time *sink_flit_ps; /* [n_hosts]; NULL: as its link */
    cop_time pipeline_ps, credit_ps;
    cop_time allocation_ps; /* a head takes a lane so long before its first flit; 0: with it */
    uint32_t header_bytes; /* at most a flit */
    uint32_t places; /* flits that each lane of a switch input holds */
    uint32_t sink_places; /* the same of a host */
    uint32_t lanes;
    bool whole;
    /* Ways on, the best first; returns how many there are. */
    unsigned (*route)(void *ctx, const frw_ask *ask, frw_way *way);
    void *ctx;
} frw_cfg;

/* As flitref_run. Packets with the same `message`, if that is not 0, are taken by their host together;
 * their `lane` is that of the host's link. */
int flitref_worm_run(const cop_topo *t, const frw_cfg *cfg, fr_packet *pkts, size_t n, cop_time end,
                     fr_counts *counts);

#endif
