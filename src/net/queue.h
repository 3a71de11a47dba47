/* Queueing schemes: how the input buffer of a switch port is organised. The network owns the
 * queues, the credits and the arbitration; a scheme only says how many queues an input has and into
 * which one a packet goes. Schemes that work at run time (isolation of congested flows) may also
 * re-sort packets as they reach the head of a queue, stop and restart single queues, and exchange
 * control messages with the neighbour upstream. Members may be NULL where not said otherwise. */
#ifndef COP_NET_QUEUE_H
#define COP_NET_QUEUE_H

#include "base/err.h"
#include "net/pkt.h"
#include "net/view.h"
#include "route/route.h"

struct cop_opt;
struct cop_net;

typedef struct cop_queue_layout {
    uint32_t queues; /* per input port of a switch with the given number of ports */
    bool per_output; /* queue number is out * lanes + out_vl: one queue per output and lane */
    /* Private buffer sections with credits of their own, a queue holds packets of one; 0: one
     * section per lane. */
    uint32_t sections;
    /* Where the routing gives a choice, packets in the first so many queues have none: they go by the output that was
     * their first choice when on_head put them there. Refused with routings that need escape lanes. */
    uint32_t pinned;
    bool
        orders_inputs; /* `order` also decides among the inputs that request one lane of an output */
} cop_queue_layout;

/* A named number that a scheme keeps while it runs. */
typedef struct cop_gauge {
    const char *name, *unit;
} cop_gauge;

/* Memory of one input port beyond the packets themselves (MET-19). */
typedef struct cop_queue_cost {
    uint32_t cam_lines; /* of the input side */
    uint64_t cam_cells, sram_cells; /* of all of them, in bits */
} cop_queue_cost;

typedef struct cop_queue_ops {
    const char *name, *summary, *source;
    const struct cop_opt *opts;
    size_t cfg_size;
    int (*check)(const void *cfg, const cop_netinfo *info, cop_err *err);
    /* What of it can hardly do anything here, for `coppice check`; NULL: nothing. */
    const char *(*idle)(const void *cfg, const cop_netinfo *info);
    void (*layout)(const void *cfg, const cop_netinfo *info, uint32_t ports,
                   cop_queue_layout *l); /* required */
    /* Queue for a packet that will first ask for p->out, lane p->out_vl (required). */
    uint32_t (*select)(const void *cfg, const cop_netinfo *info, const cop_pkt *p);
    /* Lane a packet is injected on, given the routing's choice (vFtree). */
    uint8_t (*inject_vl)(const void *cfg, const cop_netinfo *info, uint32_t src, uint32_t dst,
                         uint8_t vl);
    /* Lanes the scheme needs by itself; 0 or NULL: as many as routing needs. */
    uint32_t (*lanes)(const void *cfg);
    /* With layout.sections: the section of a packet on lane vl, which is its remainder by lanes. */
    uint32_t (*section)(const void *cfg, const cop_netinfo *info, const cop_pkt *p, uint32_t vl);

    bool per_lane; /* one FIFO per lane, numbered by it: flits can stand in it (wormhole) */
    /* Does the scheme tell roots of congestion, cop_net_queue_root()? */
    bool finds_roots;
    /* Control memory of an input of a switch with this many ports. */
    void (*cost)(const void *cfg, const cop_netinfo *info, uint32_t ports, cop_queue_cost *c);
    const cop_gauge *counters; /* events counted over the run; ends with a NULL name */
    const cop_gauge *levels; /* what there is of something, also over time; likewise */

    /* Run time. `port` is the input port, q the queue number inside it. */
    size_t port_size; /* state per port, zeroed; cop_net_queue_state() */
    /* Instead of port_size, when it depends on the configuration; a multiple of 8. */
    size_t (*port_bytes)(const void *cfg, const cop_netinfo *info);
    size_t common_size; /* state of the whole network, zeroed; cop_net_queue_common() */
    void (*start)(struct cop_net *net); /* the network is built, nothing has happened yet */
    /* A packet has become the head of q: return q to let it request its output, or another queue
     * of the same input to move it there (to its tail). May be asked again about the same head. */
    uint32_t (*on_head)(struct cop_net *net, uint32_t port, uint32_t q, cop_pkt *p);
    /* A packet has come in and was put into q (not called for packets that on_head moves). */
    void (*on_enqueue)(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
    /* A packet has been granted its output and has left q. Other outputs may have chosen their
     * packets already: queues must not be stopped, restarted or looked at again from here. */
    void (*on_dequeue)(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
    /* A control message from the neighbour downstream has reached this sending port. */
    void (*on_control)(struct cop_net *net, uint32_t port, uint64_t message);
    /* For those who watch: what such a message says, into buf. NULL: it has no name. */
    void (*tell)(struct cop_net *net, uint32_t port, uint64_t message, char *buf, size_t size);
    /* When the run is over: has a scheme that works at run time done nothing? Then why, in numbers, into buf. */
    bool (*rested)(struct cop_net *net, char *buf, size_t size);
    /* Of the queues of one input that ask for the same output, and (one read port) of those whose
     * outputs have all granted, that with the smallest key goes first; equal keys take turns. With
     * layout.orders_inputs also of the inputs that ask for the same output and lane. */
    uint64_t (*order)(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
    /* End nodes take part: control messages reach them too, and a message for `dst` stays in the
     * end node of this sending port while this is true (until cop_net_queue_release). */
    bool (*hold)(struct cop_net *net, uint32_t port, uint32_t dst, uint32_t vl);
} cop_queue_ops;

COP_OUTSIDE_BEGIN
/* What a scheme may ask and do at run time (implemented in net/). */
const void *cop_net_queue_cfg(const struct cop_net *net);
void *cop_net_queue_state(struct cop_net *net, uint32_t port);
void *cop_net_queue_common(struct cop_net *net);
uint32_t cop_net_queue_bytes(const struct cop_net *net, uint32_t port, uint32_t q);
/* The packets of a queue from the head on; NULL: no more. */
const cop_pkt *cop_net_queue_first(const struct cop_net *net, uint32_t port, uint32_t q);
const cop_pkt *cop_net_queue_next(const struct cop_net *net, const cop_pkt *p);
/* Ask on_head about the head of this queue once more: its request is taken back meanwhile. */
void cop_net_queue_recheck(struct cop_net *net, uint32_t port, uint32_t q);
/* The same, also from on_dequeue: it is done when the last packet of queue `after` has left it. */
void cop_net_queue_recheck_after(struct cop_net *net, uint32_t port, uint32_t q, uint32_t after);
/* A stopped queue's head does not request its output. */
void cop_net_queue_stop(struct cop_net *net, uint32_t port, uint32_t q, bool stop);
/* Send a message from input `port` to the port that feeds it: arrives one link delay later, takes
 * no bandwidth from packets. */
void cop_net_queue_send(struct cop_net *net, uint32_t port, uint64_t message);
/* The end node of this sending port looks again at the messages it has held back. */
void cop_net_queue_release(struct cop_net *net, uint32_t port);
/* One queue more (or less) holds output `port` to be a root of congestion. */
void cop_net_queue_root(struct cop_net *net, uint32_t port, bool more);
/* Does a packet for `dst` that leaves by switch port `port` cross `root`, at most `hops` links on (1:
 * `port` itself)? Needs info.table. */
bool cop_net_passes(const struct cop_net *net, uint32_t port, uint32_t dst, uint32_t root,
                    uint32_t hops);
/* Is something watched? Then what a scheme does at one of its ports may be worth a line. */
void cop_net_queue_says(struct cop_net *net, uint32_t port, const char *text);
/* The scheme's own numbers, in the order of its tables. */
uint64_t *cop_net_queue_counter(struct cop_net *net);
int64_t *cop_net_queue_level(struct cop_net *net);

/* The same for schemes from outside, which are looked at (scheme.c). */
void *cop_outside_queue_state(struct cop_net *net, uint32_t port);
uint32_t cop_outside_queue_bytes(const struct cop_net *net, uint32_t port, uint32_t q);
const cop_pkt *cop_outside_queue_first(const struct cop_net *net, uint32_t port, uint32_t q);
void cop_outside_queue_recheck(struct cop_net *net, uint32_t port, uint32_t q);
void cop_outside_queue_recheck_after(struct cop_net *net, uint32_t port, uint32_t q,
                                     uint32_t after);
void cop_outside_queue_stop(struct cop_net *net, uint32_t port, uint32_t q, bool stop);
void cop_outside_queue_send(struct cop_net *net, uint32_t port, uint64_t message);
void cop_outside_queue_release(struct cop_net *net, uint32_t port);
void cop_outside_queue_root(struct cop_net *net, uint32_t port, bool more);
COP_OUTSIDE_END

#ifdef COP_EXP_PLUGIN_H
#define cop_net_queue_state cop_outside_queue_state
#define cop_net_queue_bytes cop_outside_queue_bytes
#define cop_net_queue_first cop_outside_queue_first
#define cop_net_queue_recheck cop_outside_queue_recheck
#define cop_net_queue_recheck_after cop_outside_queue_recheck_after
#define cop_net_queue_stop cop_outside_queue_stop
#define cop_net_queue_send cop_outside_queue_send
#define cop_net_queue_release cop_outside_queue_release
#define cop_net_queue_root cop_outside_queue_root
#endif

#endif
