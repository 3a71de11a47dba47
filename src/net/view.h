/* What plug-ins may know about the network they run in: plain facts, no pointers into the model. */
#ifndef COP_NET_VIEW_H
#define COP_NET_VIEW_H

#include "base/base.h"
#include "topo/topo.h"

typedef struct cop_netinfo {
    const cop_topo *topo;
    uint32_t n_hosts, n_switches;
    uint32_t max_ports; /* of the largest switch */
    uint32_t lanes; /* virtual lanes per link */
    uint32_t route_lanes; /* lanes that the routing needs, and spreads packets over */
    uint32_t sections; /* buffers with separate credits behind a port: its lanes, or more */
    uint32_t mtu_bytes; /* longest packet on the wire */
    uint64_t buffer_bytes; /* of an input */
    uint64_t transit_bytes; /* the least of an input that a switch feeds */
    uint32_t block_bytes; /* unit in which buffer space is allocated: a block of credit, or a
                             byte */
    uint64_t output_bytes; /* of an output buffer; 0: there are none */
    struct cop_room { /* the most that can wait: in one lane, in all lanes */
        uint64_t lane, port;
    } transit_input, any_input, all_inputs,
        output; /* of an input that a switch feeds; of any; all of a switch together; of an output
                   buffer */
    uint64_t host_bps; /* of the fastest link from a host */
    uint64_t fastest_bps; /* of the fastest link of all */
    uint64_t hop_ps; /* for a packet's head to pass a switch and the longest cable */
    uint32_t senders; /* most senders that overload one host, counted in links of host_bps:
                         cop_traffic_senders(); 0: no host is overloaded */
    uint64_t duration_ps; /* of the run */
    uint32_t least_bytes; /* shortest packet of data on the wire */
    uint32_t most_bytes; /* longest packet of data on the wire, of what the traffic sends */
    uint64_t seed;
    bool one_path; /* the routing gives one output per hop */
    bool spreads; /* packets of one flow may take several outputs of a switch, or lanes of one */
    bool table; /* one_path, and the output depends on switch and destination alone: cop_net_passes
                   works */
    bool own; /* the routing requests notifications to hosts of the same switch (routing.lowers) */
    bool contested; /* the routing requests COP_NOTICE_CONTESTED in notifications */
    bool heeds_notices; /* the routing uses notifications */
    const char *queueing; /* name of the queueing scheme */
    bool finds_roots; /* the scheme reports outputs that are roots of congestion */
    bool injection_queues; /* end nodes have queues of the scheme, as an input with one output */
    bool tells_used; /* a sender knows how much of a buffer behind it is in use: all but on-off */
    bool acks; /* end nodes acknowledge messages or packets */
    bool acks_packets; /* every packet */
    const uint32_t *contenders; /* of each host, if asks_contenders: cop_traffic_senders(); else
                                   NULL */
    bool jobs; /* there is traffic of exchanges or applications */
    const uint8_t *only_jobs; /* [n_hosts] 1: this host sends for them, and nothing else */
    bool answers; /* end nodes may send control packets: acknowledgements, notifications */
} cop_netinfo;

/* Packets of data that a port can send or receive during the run; 0: not known. */
static inline double cop_most_packets(const cop_netinfo *info)
{
    if (info->least_bytes == 0)
        return 0.0;
    return (double)info->duration_ps * (double)info->fastest_bps /
           (8e12 * (double)info->least_bytes); /* one division: exact where the numbers are round */
}

struct cop_net;
COP_OUTSIDE_BEGIN
const cop_netinfo *cop_net_info(const struct cop_net *net);
cop_time cop_net_now(const struct cop_net *net);
/* Number of queues of the queueing scheme that take this output port for the root of a congestion
 * tree; 0: it is in no congestion state. */
uint32_t cop_net_roots(const struct cop_net *net, uint32_t port);
/* When the run is over: packets marked by any switch, and most bytes that waited for one output of
 * a switch at a sample, in all its inputs, as text: "12 KiB (for s0.3)". */
uint64_t cop_net_marked(const struct cop_net *net);
const char *cop_net_most_waiting(const struct cop_net *net, char *buf, size_t size);
/* Are packets watched? If not, cop_net_queue_says() and cop_net_cc_says() are not worth a call. */
bool cop_net_watched(const struct cop_net *net);
COP_OUTSIDE_END

#endif
