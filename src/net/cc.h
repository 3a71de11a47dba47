/* Congestion controls: what switches detect and mark, and how end nodes react. A congestion control
 * is one table of functions; the network calls them at fixed points of a packet's life and keeps
 * their state. Members may be NULL: nothing happens there, and it costs nothing. */
#ifndef COP_NET_CC_H
#define COP_NET_CC_H

#include "base/err.h"
#include "base/value.h"
#include "net/pkt.h"
#include "net/view.h"

#include <stdio.h>

struct cop_opt;
struct cop_net;

typedef struct cop_cc_ops {
    const char *name, *summary, *source;
    const struct cop_opt *opts;
    const struct cop_brought *brings; /* what it needs of the queueing scheme; NULL: nothing */
    size_t cfg_size;
    size_t flow_size; /* state per flow (source, destination, service level), zeroed; 0: no flows */
    size_t receiver_size; /* state per flow at its destination, zeroed; cop_net_cc_receiver() */
    size_t attached_size; /* bytes that every packet carries, zeroed; cop_net_attached() */
    size_t port_size; /* state per switch output port, zeroed */
    /* Instead of port_size, when it depends on the configuration; a multiple of 8. */
    size_t (*port_bytes)(const void *cfg, const cop_netinfo *info);
    size_t net_size; /* state of the whole run, zeroed; cop_net_cc_net() */
    bool asks_lanes; /* it will ask for cop_net_lane_bytes(), which is counted only then */
    bool asks_contenders; /* it will ask for info.contenders, which is counted only then */
    bool in_cycles; /* times among its defaults are for a cycle of 1 ns; they follow units.cycle */
    bool notifies; /* switches send notifications: cop_net_notify(), cop_net_notify_source() */
    bool
        marks_contested; /* which say so of packets that are in others' way, where the routing asks */
    /* Nothing acts at a distance, unless the source wants it: its clause. NULL: the rule holds, and
     * cop_net_told_at_once() may not be called. */
    const char *immediate;
    /* What tells hosts of other switches, late, over something that is no cable of the network; NULL: nothing does. */
    const char *side_band;
    int (*check)(const void *cfg, const cop_netinfo *info, cop_err *err);
    /* What of it can hardly do anything here, for `coppice check`; NULL: nothing. */
    const char *(*idle)(const void *cfg, const cop_netinfo *info);
    /* Values that it derives from the network, each with its reason, for `coppice check`: lines that begin with "#".
     * NULL: none. */
    void (*explain)(const void *cfg, const cop_netinfo *info, FILE *out);
    /* The network stands, nothing has been sent: compile tables into the run's state. */
    void (*start)(struct cop_net *net);
    /* Is a flow all that a host sends on one service level, to whatever destination? */
    bool (*flow_is_sl)(const void *cfg);
    /* Of one that `notifies`: are sources told at once with this configuration, so that switches send nothing? NULL: no. */
    bool (*sends_nothing)(const void *cfg);
    /* Of one that `notifies`: with this configuration, do its notifications go on lanes of their own, behind those of data
     * and before them, unless nic.control_vl says otherwise? NULL: no. */
    bool (*own_lanes)(const void *cfg);
    uint32_t
        notice_bytes; /* such a notification is so long, unless nic.control_bytes says otherwise */
    /* Of one that `notifies`: the largest word that a notification can carry in this network. NULL: any. */
    uint32_t (*most_word)(const void *cfg, const cop_netinfo *info);
    /* Do sources do anything, given this configuration? NULL: yes. If not, no flow need be kept, and what concerns one
     * may not be called. */
    bool (*reacts)(const void *cfg);

    /* Switch side; `port` is the output port the packet waits for or leaves by. */
    /* The packet has come to switch input `in` and waits for output `out`. */
    void (*on_enqueue)(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p);
    /* Packet p, at the head of a queue of switch input `in`, is routed: it asks for its outputs. Packets that
     * the switch has made (COP_PKT_OWN) and control packets too. */
    void (*on_route)(struct cop_net *net, uint32_t in, const cop_pkt *p);
    /* Packet p leaves lane vl of switch input `in`, whose buffer it has until t. Not those that the switch has
     * made, which have none. */
    void (*on_leave)(struct cop_net *net, uint32_t in, uint32_t vl, const cop_pkt *p, cop_time t);
    /* May data packet p, at the head of a queue of switch input `in`, which a host feeds, ask for its outputs?
     * No: it is asked again each time room comes back behind an output of this switch, and with wormhole switching
     * when a packet has left a lane of one. If nothing is
     * in use behind any of them the answer must be yes. */
    bool (*admit)(struct cop_net *net, uint32_t in, const cop_pkt *p);
    /* Bytes that wait in input port `in` for output port `out` and the section behind it that p takes
     * have changed, because p has come or goes. The section is lane p->out_vl or, with buffers private
     * to destinations, one of those on that lane: cop_net_section(). */
    void (*on_fill)(struct cop_net *net, uint32_t in, uint32_t out, uint32_t before, uint32_t after,
                    const cop_pkt *p);
    /* The packet goes on the wire of `port`, lane p->out_vl, out of the output buffer if there is one;
     * it no longer counts in the bytes that wait, and its credits are taken. May set COP_PKT_FECN. */
    void (*on_dequeue)(struct cop_net *net, uint32_t port, cop_pkt *p);
    /* The number of queues that hold `port` to be a root of congestion (cop_net_roots) has changed. */
    void (*on_root)(struct cop_net *net, uint32_t port, uint32_t roots);
    /* `bytes` of input port `in`, lane vl, are free at time t: when their credit goes back (>= t,
     * and not before an earlier one of the lane). NULL: at once. */
    cop_time (*credit_time)(struct cop_net *net, uint32_t in, uint32_t vl, uint32_t bytes,
                            cop_time t);
    /* Does it ever say later than t with this configuration? NULL: yes. If not, it need not be called. */
    bool (*holds_credit)(const void *cfg);

    /* Source side. */
    /* When the flow may send its next packet; at or before `now`: it may. Asked again at that time, not
     * before. COP_NEVER: asked again when the control calls cop_net_cc_wake(). */
    cop_time (*next_send)(struct cop_net *net, void *flow, cop_time now);
    /* Packet p is on the host's wire; its `out` and `out_vl` say nothing of that. */
    void (*on_send)(struct cop_net *net, void *flow, const cop_pkt *p);
    void (*on_control)(struct cop_net *net, void *flow,
                       const cop_pkt *p); /* ACK or CNP came back */

    /* Destination side: a data packet comes in. Return flags of a control packet (COP_PKT_CNP or
     * COP_PKT_ACK, and more) to send back, 0 for none: with COP_PKT_CNP as soon as all of the packet
     * has arrived (nic.notify), otherwise when it has been taken in. If it is acknowledged anyway,
     * COP_PKT_BECN alone is enough. */
    uint16_t (*on_deliver)(struct cop_net *net, uint32_t host, const cop_pkt *p);
    /* The answer to data packet p is made, by on_deliver or as its acknowledgement: what it takes back in
     * answer->cc and in the attached bytes. NULL: nothing. */
    void (*on_answer)(struct cop_net *net, const cop_pkt *p, cop_pkt *answer);

    /* What run.observe may ask for, lists that end with a NULL name; `which` counts from 0. */
    const cop_value *flow_values, *port_values;
    double (*flow_value)(struct cop_net *net, const void *flow, uint32_t src, unsigned which);
    double (*port_value)(struct cop_net *net, uint32_t port, uint32_t vl, unsigned which);
    /* For those who watch, into buf: what notification p says or, if it is data, why output `port` has just marked it
     * (what, "CNM", may be set to what such a packet is called). NULL, or nothing written: its usual name. */
    void (*tell)(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what, char *buf,
                 size_t size);
    /* When the run is over: has it done nothing at all? Then why, in numbers, into buf. NULL: it does not say. */
    bool (*rested)(struct cop_net *net, char *buf, size_t size);
    /* Counters of the run, results of their own. */
    const cop_value *counters;
    double (*counter)(struct cop_net *net, unsigned which);
} cop_cc_ops;

/* Will switches send notifications? */
static inline bool cop_cc_notifies(const cop_cc_ops *cc, const void *cfg)
{
    return cc->notifies && !(cc->sends_nothing && cc->sends_nothing(cfg));
}

/* Do they go on lanes of their own, before data? */
static inline bool cop_cc_own_lanes(const cop_cc_ops *cc, const void *cfg)
{
    return cop_cc_notifies(cc, cfg) && cc->own_lanes && cc->own_lanes(cfg);
}

COP_OUTSIDE_BEGIN
/* What a congestion control may ask (implemented in net/). */
const void *cop_net_cc_cfg(const struct cop_net *net);
void *cop_net_cc_port(struct cop_net *net, uint32_t port);
void *cop_net_cc_net(struct cop_net *net);
/* What its destination knows of the flow that data packet p belongs to (receiver_size), in on_deliver and
 * on_answer. Until the first packet of another flow comes. */
void *cop_net_cc_receiver(struct cop_net *net, const cop_pkt *p);
/* What packet p, one that a hook was given, carries (attached_size). Who may write: the source in on_send,
 * switches in their hooks, the destination in on_answer. Until another packet is made. */
void *cop_net_attached(struct cop_net *net, const cop_pkt *p);
/* Will its destination acknowledge this data packet? */
bool cop_net_acked(const struct cop_net *net, const cop_pkt *p);
/* Zeroed memory for n items that lives as long as the network; not for the data path. */
void *cop_net_cc_alloc(struct cop_net *net, size_t n, size_t size);
/* A flow for which next_send said COP_NEVER is asked again, now; others are not touched. `flow` is the
 * state that a hook was given. From on_control, on_send and on_deliver, for flows of that very host:
 * what happens at a switch is not known elsewhere at once. At the end of a run, a flow that still
 * waits so, and of which nothing is under way, neither packets nor answers, makes it end `starved`. */
void cop_net_cc_wake(struct cop_net *net, void *flow);
/* The switch of `port` sends a notification to the source of data packet p, which waits there or is just
 * leaving: COP_PKT_CNP with p->cc = word. It is a packet like any other, made switch.pipeline from now; the
 * routing may keep it on its way (route.h), or on_control hears it. */
enum cop_notice_mark { /* added up */
                       COP_NOTICE_PLAIN = 0,
                       COP_NOTICE_END =
                           1, /* the queue is that of an output to a host: no other way leads there */
                       COP_NOTICE_CONTESTED =
                           2 /* p was sent around, and is in the way of others; if info.contested */
};
void cop_net_notify(struct cop_net *net, uint32_t port, const cop_pkt *p, uint32_t word,
                    unsigned marks);
/* For those who watch: what the control does at a port, of a switch or a host. Is told if a watched packet waits there. Only
 * worth a call if cop_net_watched(). */
void cop_net_cc_says(struct cop_net *net, uint32_t port, const char *text);
/* What a switch remembers of a data packet that it has seen. */
typedef struct cop_header {
    uint32_t src, dst, stream;
    uint8_t sl;
} cop_header;
static inline cop_header cop_header_of(const cop_pkt *p)
{
    return (cop_header){.src = p->src, .dst = p->dst, .stream = p->stream, .sl = p->sl};
}
/* Such a header of what `host` itself sends; false: it has no traffic. */
bool cop_net_header_of_host(const struct cop_net *net, uint32_t host, cop_header *of);
/* The same as cop_net_notify(), to the source of a packet that may be gone. */
void cop_net_notify_source(struct cop_net *net, uint32_t port, const cop_header *of, uint32_t word);
/* State of the flow of that packet at its source, which hears of it without a message: for controls that say
 * `immediate`. Counts as a notification that was heard. */
void *cop_net_told_at_once(struct cop_net *net, const cop_header *of);
/* Every output port and lane of its switch that packet p, in input `in`, could ever be given, by the routing;
 * ports are numbers of the network. Returns how many, at most COP_MAX_CAND. */
typedef struct cop_channel {
    uint32_t port;
    uint8_t vl;
} cop_channel;
unsigned cop_net_channels(struct cop_net *net, uint32_t in, const cop_pkt *p, cop_channel *list);
/* Lanes that the link of an output or input of a switch has (switch.trunk_lanes and the like). */
uint32_t cop_net_port_lanes(const struct cop_net *net, uint32_t port);
/* Is there room for a packet of full size that goes where p goes, on lane vl behind `port`? */
bool cop_net_lane_room(struct cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p);
/* Has all that was sent there left again? Always yes where flow control counts no credits. */
bool cop_net_lane_empty(struct cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p);
/* Does a host feed this switch input? */
bool cop_net_fed_by_host(const struct cop_net *net, uint32_t in);
/* The packets that stand in switch input `in`, queue by queue; NULL at the end. A walk takes as many steps as there are
 * packets and queues: not for every packet. */
typedef struct cop_input_walk {
    uint32_t queue, end;
    const cop_pkt *p; /* where it is */
} cop_input_walk;
const cop_pkt *cop_net_input_first(const struct cop_net *net, uint32_t in, cop_input_walk *w);
const cop_pkt *cop_net_input_next(const struct cop_net *net, cop_input_walk *w);
/* Their bytes, with control packets; one step for each queue. */
uint64_t cop_net_input_bytes(const struct cop_net *net, uint32_t in);
/* Output port that packet p, which stands in switch input `in`, waits for. */
uint32_t cop_net_out_port(const struct cop_net *net, uint32_t in, const cop_pkt *p);
/* Does the cable of this switch port lead to a host? */
bool cop_net_faces_host(const struct cop_net *net, uint32_t port);
/* Source of a flow, from the state that a hook was given. */
uint32_t cop_net_flow_source(const void *flow);
/* Bytes in the output buffer of a port; without output buffers: that wait for it, in all inputs. */
uint64_t cop_net_output_bytes(const struct cop_net *net, uint32_t port);
/* Those of one lane; without output buffers `asks_lanes` must be set. */
uint64_t cop_net_output_lane_bytes(const struct cop_net *net, uint32_t port, uint32_t vl);
/* What follows is known of the switch whose hook asks, and of no other; asking from a host, or about a port of
 * another switch, ends the program. */
/* Bytes that wait for this output port, in all inputs and in its output buffer. */
uint64_t cop_net_waiting_bytes(const struct cop_net *net, uint32_t port);
/* Those of one lane. */
uint64_t cop_net_lane_bytes(const struct cop_net *net, uint32_t port, uint32_t vl);
/* Bytes that have gone on the wire of `port` since the start, in on_dequeue with the packet's own. */
uint64_t cop_net_sent_bytes(const struct cop_net *net, uint32_t port);
/* How long a packet of so many bytes is on the wire that `port` sends on. */
cop_time cop_net_wire_time(const struct cop_net *net, uint32_t port, uint32_t bytes);
/* How long it takes the host to inject it: its link, or its injection limit if that is slower. */
cop_time cop_net_inject_time(const struct cop_net *net, uint32_t host, uint32_t bytes);
/* Which of info.sections p takes behind the switch port that it waits for or has left by: its lane p->out_vl
 * or, with buffers private to destinations, one of those on that lane (section % lanes). */
uint32_t cop_net_section(const struct cop_net *net, const cop_pkt *p);
/* Has the port credits for a packet of full size that goes where p goes, on lane p->out_vl? (root or
 * victim; buffers may be private to a destination) */
bool cop_net_has_credit(struct cop_net *net, uint32_t port, const cop_pkt *p);
COP_OUTSIDE_END

#endif
