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
    uint32_t sections; /* private buffer sections with credits of their own; 0: one per lane */
} cop_queue_layout;

typedef struct cop_queue_ops {
    const char *name, *summary, *source;
    const struct cop_opt *opts;
    size_t cfg_size;
    int (*check)(const void *cfg, const cop_netinfo *info, cop_err *err);
    void (*layout)(const void *cfg, const cop_netinfo *info, uint32_t ports,
                   cop_queue_layout *l); /* required */
    /* Queue for a packet that will first ask for p->out, lane p->out_vl (required). */
    uint32_t (*select)(const void *cfg, const cop_netinfo *info, const cop_pkt *p);
    /* Lane a packet is injected on, given the routing's choice (vFtree). */
    uint8_t (*inject_vl)(const void *cfg, const cop_netinfo *info, uint32_t src, uint32_t dst,
                         uint8_t vl);
    /* Lanes the scheme needs by itself; 0 or NULL: as many as routing needs. */
    uint32_t (*lanes)(const void *cfg);
    /* With layout.sections: the section of a packet on lane vl. */
    uint32_t (*section)(const void *cfg, const cop_netinfo *info, const cop_pkt *p, uint32_t vl);

    /* Run time. `port` is the input port, q the queue number inside it. */
    size_t port_size; /* state per switch port, zeroed; cop_net_queue_state() */
    /* A packet has become the head of q: return q to let it request its output, or another queue
     * of the same input to move it there (to its tail). */
    uint32_t (*on_head)(struct cop_net *net, uint32_t port, uint32_t q, cop_pkt *p);
    /* A packet has come in and was put into q (not called for packets that on_head moves). */
    void (*on_enqueue)(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
    void (*on_dequeue)(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
    /* A control message from the neighbour downstream has reached this sending port. */
    void (*on_control)(struct cop_net *net, uint32_t port, uint64_t message);
} cop_queue_ops;

/* What a scheme may ask and do at run time (implemented in net/). */
const void *cop_net_queue_cfg(const struct cop_net *net);
const cop_netinfo *cop_net_info(const struct cop_net *net);
void *cop_net_queue_state(struct cop_net *net, uint32_t port);
uint32_t cop_net_queue_bytes(const struct cop_net *net, uint32_t port, uint32_t q);
/* A stopped queue's head does not request its output. */
void cop_net_queue_stop(struct cop_net *net, uint32_t port, uint32_t q, bool stop);
/* Send a message from input `port` to the port that feeds it: arrives one link delay later, takes
 * no bandwidth from packets. */
void cop_net_queue_send(struct cop_net *net, uint32_t port, uint64_t message);

#endif
