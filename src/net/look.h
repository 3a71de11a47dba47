/* What an observer may see of a network that runs: plain facts about ports, queues, packets and
 * streams, at instants that it has asked for. Looking changes nothing, not even what is settled
 * lazily, so a run that is looked at is bit for bit the run that is not. */
#ifndef COP_NET_LOOK_H
#define COP_NET_LOOK_H

#include "base/base.h"
#include "net/view.h"

struct cop_net;

/* `look` is called at time `first`, when all that happens up to and at this instant has happened, and then
 * at the time it has asked for by what it returned; never after the end of the measured time. */
typedef struct cop_observer {
    cop_time first;
    cop_time (*look)(void *ctx, const struct cop_net *net, cop_time now); /* NULL: nobody looks */
    void *ctx;
} cop_observer;
void cop_net_observe(struct cop_net *net, const cop_observer *o);

/* A sending port. Lanes are bit masks. */
typedef struct cop_port_look {
    uint64_t waiting; /* bytes that wait for it at its switch; of an end node: 0 */
    uint32_t asks; /* lanes on which something wants to go now */
    uint32_t full; /* of these, lanes without room behind the port for another packet of full size.
                      A host takes in whatever comes: a port that faces one is never full */
    bool still; /* the wire is idle because of that */
} cop_port_look;
void cop_look_port(const struct cop_net *net, uint32_t port, cop_time now, cop_port_look *l);
/* The same of all ports, added up over looks: of each channel (port * lanes + lane) how often it asked and how
 * often it was full besides, of each port how often its wire stood still for that. */
typedef struct cop_port_sums {
    uint8_t *asks, *full; /* [channels] */
    uint8_t *still; /* [ports] */
} cop_port_sums;
void cop_look_ports(const struct cop_net *net, cop_time now, const cop_port_sums *sums);
/* Bytes that wait for a port, at its switch. */
uint64_t cop_look_waiting(const struct cop_net *net, uint32_t port);

/* How long the wire of a port has been busy since the beginning, up to now. */
cop_time cop_look_busy(const struct cop_net *net, uint32_t port, cop_time now);
/* Bytes of the buffer behind a port that its lane vl may fill; 0: it feeds no switch. */
uint64_t cop_look_room(const struct cop_net *net, uint32_t port, uint32_t vl);
/* Events so far. */
uint64_t cop_look_events(const struct cop_net *net);
/* What a packet of full size takes on the wire. */
uint32_t cop_look_mtu(const struct cop_net *net);

/* Queues of the input of a switch that `port` feeds, which hold what came that way: first and one behind the last. All packets of a
 * queue wait for its head. */
void cop_look_queues(const struct cop_net *net, uint32_t port, uint32_t *first, uint32_t *end);
/* How many there are in all switches; they are numbered from 0. */
uint32_t cop_look_n_queues(const struct cop_net *net);
/* Bytes in a queue. */
uint32_t cop_look_bytes(const struct cop_net *net, uint32_t queue);
/* Does each queue hold packets for one output and lane only? Then queue `first + local * lanes + vl` is
 * that for output `local`. */
bool cop_look_per_output(const struct cop_net *net);
/* Buffers per destination: a queue waits only if its own section is full. */
bool cop_look_private(const struct cop_net *net);
uint32_t cop_look_lanes(const struct cop_net *net);
/* Input buffers and one lane: cop_look_ports is quick. */
bool cop_look_plain(const struct cop_net *net);

typedef struct cop_queue_look {
    uint32_t bytes; /* 0: it is empty, and nothing else here is valid */
    uint32_t head; /* packet */
    uint32_t in_vl; /* lane that the head came on */
    uint32_t out, out_vl; /* port and lane that the head asks for first */
    bool
        waits; /* the head asks and has not been let go; else it is about to ask, or another packet of
                   this queue is just leaving */
    bool full; /* there is no room for the head behind `out` */
} cop_queue_look;
void cop_look_queue(const struct cop_net *net, uint32_t queue, cop_queue_look *l);

typedef struct cop_packet_look {
    uint32_t next; /* following packet of its queue, or COP_NONE */
    uint32_t src, dst, stream, bytes;
    uint32_t out; /* output of its switch that it will ask for first, counted from 0 there */
    bool control; /* an acknowledgement or notification */
} cop_packet_look;
cop_packet_look cop_look_packet(const struct cop_net *net, uint32_t packet);

typedef struct cop_stream_look {
    uint32_t host;
    uint64_t delivered; /* payload so far */
    double
        wanted_bps; /* what it would send if nothing held it back: its share of the host's rate if it
                          always has something, else the mean of what it has generated; NaN: not known */
} cop_stream_look;
uint32_t cop_look_streams(const struct cop_net *net);
uint64_t cop_look_delivered(const struct cop_net *net, uint32_t stream);
cop_stream_look cop_look_stream(const struct cop_net *net, uint32_t stream, cop_time now);

#endif
