/* Congestion controls: what switches detect and mark, and how end nodes react. A congestion control
 * is one table of functions; the network calls them at fixed points of a packet's life and keeps
 * their state. Members may be NULL: nothing happens there, and it costs nothing. */
#ifndef COP_NET_CC_H
#define COP_NET_CC_H

#include "base/err.h"
#include "net/pkt.h"
#include "net/view.h"

struct cop_opt;
struct cop_net;

typedef struct cop_cc_ops {
    const char *name, *summary, *source;
    const struct cop_opt *opts;
    size_t cfg_size;
    size_t flow_size; /* state per flow (source, destination, service level), zeroed; 0: no flows */
    size_t port_size; /* state per switch output port, zeroed */
    int (*check)(const void *cfg, const cop_netinfo *info, cop_err *err);

    /* Switch side; `port` is the output port the packet waits for or leaves by. */
    void (*on_enqueue)(struct cop_net *net, uint32_t port, cop_pkt *p);
    void (*on_dequeue)(struct cop_net *net, uint32_t port, cop_pkt *p); /* may set COP_PKT_FECN */

    /* Source side. */
    /* When the flow may send its next packet; at or before `now`: it may. Must be a real time, not
     * COP_NEVER: nothing else would wake the message. */
    cop_time (*next_send)(struct cop_net *net, void *flow, cop_time now);
    void (*on_send)(struct cop_net *net, void *flow, const cop_pkt *p);
    void (*on_control)(struct cop_net *net, void *flow,
                       const cop_pkt *p); /* ACK or CNP came back */

    /* Destination side: return flags of a control packet (COP_PKT_CNP or COP_PKT_ACK, and more) to
     * send back at once, 0 for none. */
    uint16_t (*on_deliver)(struct cop_net *net, uint32_t host, const cop_pkt *p);
} cop_cc_ops;

/* What a congestion control may ask (implemented in net/). */
const void *cop_net_cc_cfg(const struct cop_net *net);
void *cop_net_cc_port(struct cop_net *net, uint32_t port);
/* Bytes waiting in all inputs for this output port. */
uint64_t cop_net_waiting_bytes(const struct cop_net *net, uint32_t port);
/* Has the port credits for a packet of full size on this lane? (root or victim) */
bool cop_net_has_credit(struct cop_net *net, uint32_t port, uint32_t vl);

#endif
