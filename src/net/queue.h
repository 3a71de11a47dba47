/* Queueing schemes: how the input buffer of a switch port is organised. The network owns the
 * queues, the credits and the arbitration; a scheme only defines how many queues an input has and
 * into which one a packet goes: that is the static layout. Schemes that work at run time (isolation
 * of congested flows) also re-sort packets as they reach the head of a queue, stop and restart
 * single queues, and exchange control messages with the neighbour upstream: that is `runtime`.
 * Members may be NULL where not said otherwise. */
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
    /* Private buffer sections with separate credits, a queue has packets of one; 0: one section per
     * lane. */
    uint32_t sections;
    /* Where the routing gives a choice, packets in the first `pinned` queues have none: they leave
     * by the output that was their first choice when on_head put them there. Refused with routings
     * that need escape lanes. */
    uint32_t pinned;
    bool orders_inputs; /* `order` also decides among the inputs that request one lane of an
                           output */
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

/* What a scheme does while the network runs: isolation of congested flows. `port` is the input
 * port, q the queue number inside it. No hook may read the state of another switch. */
typedef struct cop_queue_runtime {
    size_t port_size; /* state per port, zeroed; cop_net_queue_state() */
    /* Instead of port_size, when it depends on the configuration; a multiple of 8. */
    size_t (*port_bytes)(const void *cfg, const cop_netinfo *info);
    size_t common_size; /* state of the whole network, zeroed; cop_net_queue_common() */
    bool finds_roots; /* it reports roots of congestion: cop_net_queue_root() */
    /* The network is built. Must not move packets: there are none. */
    void (*start)(struct cop_net *net);
    /* A packet has become the head of q: return q to let it request its output, or another queue of
     * the same input to move it there (to its tail). Must return the same if it is called again for
     * the same head and nothing has changed. */
    uint32_t (*on_head)(struct cop_net *net, uint32_t port, uint32_t q, cop_pkt *p);
    /* A packet has come in and was put into q; not called for packets that on_head moves. Must not
     * move it: on_head does. */
    void (*on_enqueue)(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
    /* A packet has been granted its output and has left q. Must not stop, restart or recheck
     * queues: other outputs may have picked their packets already. */
    void (*on_dequeue)(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
    /* A control message of the neighbour downstream has reached this sending port. A reply by
     * cop_net_queue_send() takes a link delay. */
    void (*on_control)(struct cop_net *net, uint32_t port, uint64_t message);
    /* Key of a queue; the smallest goes first, equal keys take turns: among the queues of one input
     * that request the same output, and (one read port) among those that were granted outputs. With
     * layout.orders_inputs also among the inputs that request the same output and lane. Must not
     * change a state. */
    uint64_t (*order)(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
    /* End nodes take part: control messages reach them too, and a message for `dst` stays in the
     * end node of this sending port while this is true. Must become false only with a call of
     * cop_net_queue_release(). */
    bool (*hold)(struct cop_net *net, uint32_t port, uint32_t dst, uint32_t vl);

    /* What it shows of itself. */
    const cop_gauge *counters; /* events counted over the run; ends with a NULL name */
    const cop_gauge *levels; /* present amounts, also over time; likewise */
    /* For --watch: the content of a control message, into buf. NULL: it has no name. */
    void (*tell)(struct cop_net *net, uint32_t port, uint64_t message, char *buf, size_t size);
    /* When the run is over: has it done nothing at all? Then why, in numbers, into buf. */
    bool (*rested)(struct cop_net *net, char *buf, size_t size);
} cop_queue_runtime;

typedef struct cop_queue_ops {
    const char *name, *summary, *source;
    const struct cop_opt *opts;
    size_t cfg_size;
    int (*check)(const void *cfg, const cop_netinfo *info, cop_err *err);
    /* For `coppice check`: which part of it can hardly have an effect here; NULL: none. */
    const char *(*idle)(const void *cfg, const cop_netinfo *info);
    /* The static layout: which queues there are, and into which one a packet goes. */
    void (*layout)(const void *cfg, const cop_netinfo *info, uint32_t ports,
                   cop_queue_layout *l); /* required */
    /* Queue for a packet that will first ask for p->out, lane p->out_vl (required). */
    uint32_t (*select)(const void *cfg, const cop_netinfo *info, const cop_pkt *p);
    /* With layout.sections: the section of a packet on lane vl, which is its remainder by lanes. */
    uint32_t (*section)(const void *cfg, const cop_netinfo *info, const cop_pkt *p, uint32_t vl);
    /* Lane a packet is injected on, given the routing's choice (vFtree). */
    uint8_t (*inject_vl)(const void *cfg, const cop_netinfo *info, uint32_t src, uint32_t dst,
                         uint8_t vl);
    /* Lanes the scheme needs; 0 or NULL: as many as the routing needs. */
    uint32_t (*lanes)(const void *cfg);
    /* Control memory of an input of a switch with this many ports. */
    void (*cost)(const void *cfg, const cop_netinfo *info, uint32_t ports, cop_queue_cost *c);
    bool per_lane; /* one FIFO per lane, numbered by it: flits can stand in it (wormhole) */
    cop_queue_runtime runtime; /* zero: queues are served in order, and nothing else happens */
} cop_queue_ops;

COP_OUTSIDE_BEGIN
/* What a scheme may read and do at run time (implemented in net/). */
const void *cop_net_queue_cfg(const struct cop_net *net);
void *cop_net_queue_state(struct cop_net *net, uint32_t port);
void *cop_net_queue_common(struct cop_net *net);
uint32_t cop_net_queue_bytes(const struct cop_net *net, uint32_t port, uint32_t q);
/* The packets of a queue from the head on; NULL: no more. */
const cop_pkt *cop_net_queue_first(const struct cop_net *net, uint32_t port, uint32_t q);
const cop_pkt *cop_net_queue_next(const struct cop_net *net, const cop_pkt *p);
/* Call on_head for the head of this queue once more: its request is withdrawn meanwhile. */
void cop_net_queue_recheck(struct cop_net *net, uint32_t port, uint32_t q);
/* The same, also from on_dequeue: it is done when the last packet of queue `after` has left it. */
void cop_net_queue_recheck_after(struct cop_net *net, uint32_t port, uint32_t q, uint32_t after);
/* A stopped queue's head does not request its output. */
void cop_net_queue_stop(struct cop_net *net, uint32_t port, uint32_t q, bool stop);
/* Send a message from input `port` to the port that feeds it: arrives one link delay later, takes
 * no bandwidth from packets. */
void cop_net_queue_send(struct cop_net *net, uint32_t port, uint64_t message);
/* The end node of this sending port tries again to send the messages that `hold` stopped. */
void cop_net_queue_release(struct cop_net *net, uint32_t port);
/* One queue more (or less) takes output `port` for a root of congestion. */
void cop_net_queue_root(struct cop_net *net, uint32_t port, bool more);
/* Does a packet for `dst` that leaves by switch port `port` cross `root`, at most `hops` links on
 * (1: `port` itself)? Needs info.table. */
bool cop_net_passes(const struct cop_net *net, uint32_t port, uint32_t dst, uint32_t root,
                    uint32_t hops);
/* Is something watched? Then an action of a scheme at one of its ports may be worth a line. */
void cop_net_queue_says(struct cop_net *net, uint32_t port, const char *text);
/* The scheme's counters and levels, in the order of its tables. */
uint64_t *cop_net_queue_counter(struct cop_net *net);
int64_t *cop_net_queue_level(struct cop_net *net);

/* The same for schemes from outside, with checks (scheme.c). */
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
