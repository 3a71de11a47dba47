/* What an observer may read of a running network: plain facts about ports, queues, packets and
 * streams, at instants that it has requested. Reading changes nothing, not even credits that are
 * settled lazily, so an observed run is bit for bit the run without observer. */
#ifndef COP_NET_LOOK_H
#define COP_NET_LOOK_H

#include "base/base.h"
#include "net/view.h"

struct cop_net;

/* `look` is called at time `first`, after all events up to and at this instant, and then at the
 * time that it returned; never after the end of the measured time. */
typedef struct cop_observer {
    cop_time first;
    cop_time (*look)(void *ctx, const struct cop_net *net, cop_time now); /* NULL: no observer */
    void *ctx;
} cop_observer;
void cop_net_observe(struct cop_net *net, const cop_observer *o);

/* A sending port. Lanes are bit masks. */
typedef struct cop_port_look {
    uint64_t waiting; /* bytes that wait for it at its switch; of an end node: 0 */
    uint32_t asks; /* lanes on which a packet could go now, room apart */
    uint32_t full; /* of these, lanes without room behind the port for another packet of full size.
                      A host takes in everything: a port that faces one is never full */
    bool still; /* the wire is idle because of that */
} cop_port_look;
void cop_look_port(const struct cop_net *net, uint32_t port, cop_time now, cop_port_look *l);
/* The same of all ports, added up over samples: of each channel (port * lanes + lane) how often it
 * asked and how often it was also full, of each port how often its wire was idle because of
 * that. */
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
/* Bytes of a packet of full size on the wire. */
uint32_t cop_look_mtu(const struct cop_net *net);

/* Queues of the switch input that `port` feeds: first, and one behind the last. All packets of a
 * queue wait for its head. */
void cop_look_queues(const struct cop_net *net, uint32_t port, uint32_t *first, uint32_t *end);
/* Number of queues in all switches; they are numbered from 0. */
uint32_t cop_look_n_queues(const struct cop_net *net);
/* Bytes in a queue. */
uint32_t cop_look_bytes(const struct cop_net *net, uint32_t queue);
/* Does each queue contain packets for one output and lane only? Then queue `first + local * lanes +
 * vl` is that for output `local`. */
bool cop_look_per_output(const struct cop_net *net);
/* Buffers per destination: a queue waits only if the section of its destination is full. */
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
        waits; /* the head requests outputs and has no grant; else it will make requests, or another
                  packet of this queue is leaving */
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
        wanted_bps; /* rate at which it would send without congestion: its share of the host's rate
                       if it is saturated, else the mean of what it has generated; NaN: not known */
} cop_stream_look;
uint32_t cop_look_streams(const struct cop_net *net);
uint64_t cop_look_delivered(const struct cop_net *net, uint32_t stream);
cop_stream_look cop_look_stream(const struct cop_net *net, uint32_t stream, cop_time now);

#endif
