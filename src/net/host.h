/* End nodes: they turn messages into packets and take packets in. A kind of end node is one table
 * of functions (host/), which the network calls at fixed points.
 *
 * A message, from its source to the wire, is always in one of these states:
 *
 *   waiting    not yet taken from its stream. The stream gives the time of its generation
 *              (traffic.h); the end node takes it when it has a place for it, however late.
 *   ready      at the end node; its next packet may go when its turn comes.
 *   throttled  its flow has sent too recently; the congestion control gives the end (next_send).
 *   held       the queueing scheme has stopped its destination, until queue_release.
 *   blocked    there is no credit for its next packet, until credit comes back.
 *   gone       its last packet is on the wire.
 *
 * Kinds differ in where messages wait and which other messages they block there:
 *   simple     one list per lane of all ready messages; a message that cannot go is set aside, so
 *              none blocks another inside the end node.
 *   hca        queues of finite size as in Papers V and VI: a message that cannot go may block
 *              those behind it.
 *
 * Receiving, acknowledgements and notifications, the injection limit, and the rule that control
 * packets go first are the same for all (host/port.c, host/receive.c). */
#ifndef COP_NET_HOST_H
#define COP_NET_HOST_H

#include "base/err.h"
#include "base/fixp.h"
#include "net/view.h"

struct cop_opt;
struct cop_net;

typedef struct cop_host_ops {
    const char *name, *summary, *source;
    const struct cop_opt *opts;
    size_t cfg_size;
    size_t flow_size; /* state that it keeps per flow, zeroed; 0: none */
    /* Its packets wait in queues that the queueing scheme organises, as an input of a switch with
     * one output. Their numbers begin at net->in[port].queue0. */
    bool injection_queues;
    int (*check)(const void *cfg, const struct cop_net *net, cop_err *err); /* may be NULL */
    void (*init)(struct cop_net *net); /* ports, queues and hosts are there */
    void (*start)(struct cop_net *net); /* the run begins: push every host's first attempt */
    void (*attempt)(struct cop_net *net, uint32_t host); /* COP_EV_NIC: send packets that can go */
    void (*credit)(struct cop_net *net, uint32_t port); /* credit came back to this host's port */
    void (*receive)(struct cop_net *net, uint32_t port, uint32_t h); /* a packet's head is here */
    /* The queueing scheme releases destinations: try all held messages again. */
    void (*release)(struct cop_net *net, uint32_t host);
    void (*wake)(struct cop_net *net, uint32_t host, cop_time t); /* try to send at t, or earlier */
    /* next_send is called again for a flow, however long it should wait. */
    void (*rouse)(struct cop_net *net, uint32_t flow);
    /* A hint: the host will soon try to send. May be NULL. */
    void (*soon)(const struct cop_net *net, uint32_t host);
    /* With injection_queues: the scheme stops or restarts queue q, or rechecks its head. */
    void (*stop)(struct cop_net *net, uint32_t port, uint32_t q, bool stop);
    void (*recheck)(struct cop_net *net, uint32_t port, uint32_t q);
} cop_host_ops;

/* State of every kind of end node, per host. */
typedef struct cop_nic {
    cop_time wake; /* pending attempt to send, COP_NEVER if none */
    cop_time inject_free; /* injection limit allows the next start */
    cop_time rx_free; /* sink has taken in everything until then */
    cop_pace inject_pace, receive_pace; /* 0: link rate */
    uint32_t notice_head, notice_tail; /* CNPs to send, oldest first; before all else */
    uint32_t control_head, control_tail; /* ACKs to send, oldest first */
    uint32_t seq; /* packets made so far */
    uint32_t serial; /* messages taken so far */
    uint32_t throttled_n, throttled_cap; /* heap of throttled flows by t_ok */
    uint32_t *throttled;
    uint32_t late_head; /* packets whose consumption ends after the run */
    uint32_t unsent; /* packets of data in injection queues */
    uint64_t rng_route;
} cop_nic;

/* A message at its end node. */
typedef struct cop_send {
    cop_time t_gen;
    uint32_t stream, dst, left, flow;
    uint32_t next; /* in the list of its state */
    uint32_t serial; /* order of taking at its host */
    uint32_t mid;
    uint32_t msg; /* of an application, or COP_NONE */
    uint8_t vl, sl, rstate, unused;
} cop_send;

#endif
