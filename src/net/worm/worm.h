/* Room `worm`: wormhole switching, credits per flit, and packets that keep their lanes while they
 * wait. net->worm is NULL unless switch.switching is wormhole.
 *
 * Files      worm.c flits on wires;  worm_turn.c allocation of lanes and wires;  worm_build.c its
 *            state;  worm_count.c bytes that hosts send and take in;  worm_look.c book-keeping and
 *            deadlocks.
 * Arrive     cop_worm_arrive: heads go to their switch input, whole packets back to the loop, for
 *            their host.
 * Leave      cop_worm_inject at hosts (net->inject), cop_worm_send at outputs.
 * Calls      switch, for heads; cable, flow, record.
 * Called by  the loop; tables and pointers that build sets (cop_arch_worm, cop_fc_worm,
 *            net->inject); deadlock, inspect. */
#ifndef COP_NET_WORM_H
#define COP_NET_WORM_H

#include "net/switch/switch.h"

/* Part of a packet in one buffer, from its first flit on the wire towards it until its last has
 * been sent on. A packet has as many as there are buffers between its head and its tail. */
typedef struct cop_stay {
    uint32_t pkt;
    uint32_t next; /* in its lane, or in the list of free ones */
    uint32_t in; /* input port whose buffer it is; COP_NONE: at its source, which has all flits */
    uint32_t flits; /* of the packet */
    uint32_t came, sent; /* put on the wire towards this buffer; sent on from here */
    uint32_t out; /* port it goes on by; COP_NONE: its head waits, or has not come */
    uint8_t vl; /* lane of the buffer */
    uint8_t out_vl;
    uint16_t unused;
    uint32_t inside; /* hosts: payload that was taken in in the measured time */
    cop_time from; /* its first flit may go from then on (switch.allocation) */
} cop_stay;

/* Receiving side of a lane: a FIFO of flits. */
typedef struct cop_lane_in {
    uint32_t front, back; /* stays */
    uint32_t at, end; /* flits sent on, flits put on the wire towards us; both wrap */
    uint32_t mask; /* of `head` */
    cop_time *head; /* [mask + 1] when the first bit of a flit is here */
} cop_lane_in;

typedef struct cop_worm {
    cop_lane_in *in; /* [n_ports * lanes] */
    uint32_t *held; /* [n_ports * lanes] stay that sends on this lane of an output; COP_NONE: it is
                       free */
    cop_time *taken; /* [n_hosts] the sink has taken in all flits until then */
    cop_pace *receive_pace; /* [n_hosts] of the sink; 0: as its link */
    cop_stay *stay; /* pool; heap */
    size_t cap;
    uint32_t n, free;
    uint32_t granted_in; /* input port whose head is being granted an output */
    cop_time allocation_ps; /* of switches; 0: lane and wire are taken together */
    bool whole; /* a lane is given to a packet only when its buffer is known to be empty */
    uint32_t inside; /* of the packet that is being delivered to a host */
} cop_worm;

/* Output or host port `port` arbitrates at time t. */
void cop_worm_kick_at(cop_net *net, uint32_t port, cop_time t);
/* When the next flit of a stay that has an output may go; COP_NEVER: it has not been sent here
 * yet. */
cop_time cop_worm_next_ready(const cop_net *net, const cop_stay *s);
/* Send the next flit of stay s on its lane of `port`; returns when it has left. */
cop_time cop_worm_send(cop_net *net, uint32_t port, uint32_t s);

/* worm_turn.c */
extern const cop_arch_ops cop_arch_worm;
extern const cop_fc_ops cop_fc_worm;

/* Does the routing avoid deadlocks by escape lanes? Then a buffer may contain flits of one packet
 * only (Duato). */
static inline bool cop_worm_needs_empty(const cop_net *net, const cop_route *route)
{
    return net->max_cand > 1 && !route->facts.acyclic && route->facts.patience_ps == 0;
}

/* worm_build.c */
void cop_worm_init(cop_net *net);
void cop_worm_fini(cop_net *net);

/* Packet h, which its host has cut from a message, takes lane p->vl of `port`; its first flit
 * starts now. */
void cop_worm_inject(cop_net *net, uint32_t port, uint32_t h);
/* worm_count.c: a host takes in flit number `flit` of stay s from `from` to `to`; it sends one of
 * packet p from now until `left`. */
void cop_worm_taken(cop_net *net, uint32_t host, cop_stay *s, uint32_t flit, cop_time from,
                    cop_time to);
void cop_worm_sent(cop_net *net, uint32_t host, const cop_pkt *p, uint32_t flit, cop_time left);
/* The run is over: account for packets of which only a part has arrived. */
void cop_worm_finish(cop_net *net);
/* COP_EV_FLIT: a packet's head has been routed at a switch, COP_NONE; or the whole of the returned
 * packet has come to a host, which must receive it. */
uint32_t cop_worm_arrive(cop_net *net, uint32_t port);

/* worm_look.c. For book-keeping at the end: packets in no queue and with no head on a wire, as they
 * enter hosts or have taken a lane and not begun to leave by it; flits in a buffer or on the wire
 * towards it; whether stays and lanes agree. */
uint64_t cop_worm_between(const cop_net *net);
uint64_t cop_worm_flits(const cop_net *net, uint32_t port, uint32_t vl);
bool cop_worm_adds_up(const cop_net *net);
/* Is there a deadlock? Sets net->stop and net->why, and notes the queues. `visits` counts the steps
 * of the check. */
bool cop_worm_deadlock(cop_net *net, void (*note)(cop_net *net, uint32_t queue), uint64_t *visits);
/* Has some port with flits to send been idle for so long? */
bool cop_worm_suspicious(const cop_net *net, cop_time patience, uint64_t *visits);

static inline cop_lane_in *cop_worm_in(const cop_net *net, uint32_t port, uint32_t vl)
{
    return &net->worm->in[(size_t)port * net->lanes + vl];
}

static inline uint32_t *cop_worm_held(const cop_net *net, uint32_t port, uint32_t vl)
{
    return &net->worm->held[(size_t)port * net->lanes + vl];
}

static inline uint32_t cop_worm_flit_count(const cop_net *net, uint32_t bytes)
{
    return (bytes + net->unit_bytes - 1) / net->unit_bytes;
}

#endif
