/* Congestion controls: what switches detect and mark, and how end nodes react. A congestion control
 * is one table: what it is, what it does before the run, and its hooks by role: at switches, at
 * sources and at destinations. The network calls the hooks at fixed points of a packet's life and
 * keeps the state. Members may be NULL: nothing happens there, and no call is made. */
#ifndef COP_NET_CC_H
#define COP_NET_CC_H

#include "base/err.h"
#include "base/value.h"
#include "net/pkt.h"
#include "net/view.h"

#include <stdio.h>

struct cop_opt;
struct cop_net;

/* What the machine must do for a configuration of the congestion control. */
typedef struct cop_cc_facts {
    size_t port_size; /* state of each switch output port, zeroed, a multiple of 8;
                         cop_net_cc_port() */
    bool asks_lanes; /* asks for cop_net_lane_bytes(): bytes that wait are then counted by lane */
    bool asks_contenders; /* asks for info.contenders: the traffic is then counted at the start */
    bool flow_is_sl; /* a flow is all that a host sends on one service level */
    bool sources_rest; /* sources do nothing: no flow is kept, and hooks that need one are not
                          called */
    bool keeps_credit; /* credit_time may return more than t; else it need not be called */
    bool notifies; /* switches send notifications: cop_net_notify(), cop_net_notify_source() */
    bool own_lanes; /* notifications have private lanes, before those of data, unless nic.control_vl
                       says otherwise */
    bool marks_contested; /* if info.contested, notifications mark packets that block others */
    uint32_t notice_bytes; /* length of a notification, unless nic.control_bytes gives it; 0: it
                              must */
    uint32_t most_word; /* largest word that a notification can carry in this network */
} cop_cc_facts;

/* What it does at switches. `port` is the output port that packet p waits for or leaves by. No hook
 * may change p except as stated, or read the state of another switch. */
typedef struct cop_cc_switch {
    /* Packet p has come to switch input `in` and first asks for output `out`. Must not mark it. */
    void (*on_enqueue)(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p);
    /* Packet p, at the head of a queue of switch input `in`, asks for its outputs; packets that the
     * switch has made (COP_PKT_OWN) and control packets too. Must not stop it: that is `admit`. */
    void (*on_route)(struct cop_net *net, uint32_t in, const cop_pkt *p);
    /* Packet p leaves lane vl of switch input `in`, whose buffer it occupies until t; not called
     * for packets that the switch has made, which have no buffer. Must not send notifications. */
    void (*on_leave)(struct cop_net *net, uint32_t in, uint32_t vl, const cop_pkt *p, cop_time t);
    /* May data packet p, at the head of a queue of switch input `in`, which a host feeds, ask for
     * its outputs? It is asked again when credit comes back to one of the switch's outputs. Must
     * not refuse a packet of an empty switch: no event would repeat the call. */
    bool (*admit)(struct cop_net *net, uint32_t in, const cop_pkt *p);
    /* Bytes that wait in one input for one output and lane p->out_vl (with private sections: and
     * destination) have changed, because p came or goes. Must not keep p. */
    void (*on_fill)(struct cop_net *net, uint32_t in, uint32_t out, uint32_t before, uint32_t after,
                    const cop_pkt *p);
    /* Packet p goes on the wire of `port`, lane p->out_vl, out of the output buffer if there is
     * one; it no longer counts in the bytes that wait, and its credits are taken. May set
     * COP_PKT_FECN, p->cc and attached bytes, and nothing else. */
    void (*on_dequeue)(struct cop_net *net, uint32_t port, cop_pkt *p);
    /* The number of queues that take `port` for a root of congestion (cop_net_roots) has changed.
     * Must not stop or restart queues. */
    void (*on_root)(struct cop_net *net, uint32_t port, uint32_t roots);
    /* `bytes` of input port `in`, lane vl, are free at time t. Returns when their credit goes back:
     * not before t, and not before an earlier return of the lane. NULL: at t. */
    cop_time (*credit_time)(struct cop_net *net, uint32_t in, uint32_t vl, uint32_t bytes,
                            cop_time t);
} cop_cc_switch;

/* What it does at sources. No hook may read the state of a switch or of another host's flows. */
typedef struct cop_cc_source {
    /* When the flow may send its next packet; at or before `now`: it may. Asked again at that time,
     * and not before. COP_NEVER: asked again after cop_net_cc_wake(). Must not count packets: it
     * may be called twice for one. */
    cop_time (*next_send)(struct cop_net *net, void *flow, cop_time now);
    /* Packet p starts on the host's wire. Must not read p->out and p->out_vl, which are not set. */
    void (*on_send)(struct cop_net *net, void *flow, const cop_pkt *p);
    /* An acknowledgement or notification has come back. Must not keep p. */
    void (*on_control)(struct cop_net *net, void *flow, const cop_pkt *p);
} cop_cc_source;

/* What it does at destinations. */
typedef struct cop_cc_destination {
    /* A data packet comes in: flags of a control packet to send back, 0 for none. With COP_PKT_CNP
     * it leaves as soon as all of p has arrived (nic.notify), with COP_PKT_ACK when p has been
     * taken in; if p is acknowledged anyway, COP_PKT_BECN alone is enough. Must not return other
     * flags alone. */
    uint16_t (*on_deliver)(struct cop_net *net, uint32_t host, const cop_pkt *p);
    /* The acknowledgement or notification that answers p is made: fills answer->cc and the attached
     * bytes. Must not change its addresses or flags. */
    void (*on_answer)(struct cop_net *net, const cop_pkt *p, cop_pkt *answer);
} cop_cc_destination;

/* What it shows of itself. Nothing here may change a state. Lists end with a NULL name; `which`
 * counts from 0. */
typedef struct cop_cc_shown {
    const cop_value *flow_values, *port_values; /* what run.observe may ask for */
    double (*flow_value)(struct cop_net *net, const void *flow, uint32_t src, unsigned which);
    double (*port_value)(struct cop_net *net, uint32_t port, uint32_t vl, unsigned which);
    const cop_value *counters; /* of the run, separate results */
    double (*counter)(struct cop_net *net, unsigned which);
    /* For --watch, into buf: the content of notification p or, if p is data, why output `port` has
     * just marked it (`what`, "CNM", may be set to the name of such a packet). Nothing written: the
     * usual name. */
    void (*tell)(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what, char *buf,
                 size_t size);
    /* When the run is over: has it done nothing at all? Then why, in numbers, into buf. */
    bool (*rested)(struct cop_net *net, char *buf, size_t size);
} cop_cc_shown;

typedef struct cop_cc_ops {
    const char *name, *summary, *source; /* source: where it is published */
    const struct cop_opt *opts;
    const struct cop_brought *brings; /* what it requires of the queueing scheme; NULL: nothing */
    bool in_cycles; /* times among its defaults are for a cycle of 1 ns; they follow units.cycle */
    /* The sentence of the published source that lets a switch act on a distant host at once. NULL:
     * nothing acts at a distance, and cop_net_told_at_once() may not be called. */
    const char *immediate;
    /* A side band that reports the state of other switches to hosts, late and over no cable of the
     * network; NULL: none. */
    const char *side_band;
    /* Sizes of its state, which the network keeps, zeroed. */
    size_t cfg_size;
    size_t flow_size; /* per flow (source, destination, service level); 0: no flows */
    size_t receiver_size; /* per flow at its destination; cop_net_cc_receiver() */
    size_t attached_size; /* that every packet carries; cop_net_attached() */
    size_t port_size; /* per switch output port, unless facts say otherwise; cop_net_cc_port() */
    size_t net_size; /* of the whole run; cop_net_cc_net() */

    /* Before the run. */
    int (*check)(const void *cfg, const cop_netinfo *info, cop_err *err);
    /* Facts that differ from what cop_cc_facts_of() begins with. While the configuration is read
     * `info` is all zero, and the call is repeated when it is known. NULL: none. */
    void (*facts)(const void *cfg, const cop_netinfo *info, cop_cc_facts *facts);
    /* For `coppice check`: which part of it can hardly have an effect here; NULL: none. */
    const char *(*idle)(const void *cfg, const cop_netinfo *info);
    /* For `coppice check`: values that it derives from the network, each with its reason, as lines
     * that begin with "#". NULL: none. */
    void (*explain)(const void *cfg, const cop_netinfo *info, FILE *out);
    /* The network is built, nothing has been sent: compute tables into the run's state. */
    void (*start)(struct cop_net *net);

    cop_cc_switch at_switch;
    cop_cc_source at_source;
    cop_cc_destination at_destination;
    cop_cc_shown shown;
} cop_cc_ops;

static inline cop_cc_facts cop_cc_facts_of(const cop_cc_ops *cc, const void *cfg,
                                           const cop_netinfo *info)
{
    static const cop_netinfo unknown;
    cop_cc_facts f = {.port_size = cc->port_size,
                      .keeps_credit = cc->at_switch.credit_time != NULL,
                      .most_word = UINT32_MAX};
    if (cc->facts)
        cc->facts(cfg, info ? info : &unknown, &f);
    f.own_lanes = f.own_lanes && f.notifies;
    return f;
}

COP_OUTSIDE_BEGIN
/* What a congestion control may ask (implemented in net/). */
const void *cop_net_cc_cfg(const struct cop_net *net);
void *cop_net_cc_port(struct cop_net *net, uint32_t port);
void *cop_net_cc_net(struct cop_net *net);
/* State at its destination of the flow that data packet p belongs to (receiver_size), in on_deliver
 * and on_answer. Valid until the first packet of another flow comes. */
void *cop_net_cc_receiver(struct cop_net *net, const cop_pkt *p);
/* Bytes attached to packet p, an argument of a hook (attached_size). May be written by the source
 * in on_send, switches in their hooks, the destination in on_answer. Valid until another packet is
 * made. */
void *cop_net_attached(struct cop_net *net, const cop_pkt *p);
/* Will its destination acknowledge this data packet? */
bool cop_net_acked(const struct cop_net *net, const cop_pkt *p);
/* Zeroed memory for n items that lives as long as the network; not for the data path. */
void *cop_net_cc_alloc(struct cop_net *net, size_t n, size_t size);
/* next_send is called again, now, for a flow for which it returned COP_NEVER; others are not
 * touched. `flow` is the state that a hook was given. From on_control, on_send and on_deliver, for
 * flows of that host only: what happens at a switch is not known elsewhere at once. A run whose
 * flow still waits so at the end, with neither packets nor replies in flight, ends `starved`. */
void cop_net_cc_wake(struct cop_net *net, void *flow);
/* The switch of `port` sends a notification to the source of data packet p, which waits there or is
 * just leaving: COP_PKT_CNP with p->cc = word. It is a packet like any other, made switch.pipeline
 * from now; the routing may keep it on its way (route.h), or on_control hears it. */
enum cop_notice_mark { /* added up */
                       COP_NOTICE_PLAIN = 0,
                       COP_NOTICE_END =
                           1, /* the queue is that of an output to a host: there is no other path */
                       COP_NOTICE_CONTESTED =
                           2 /* p was sent on a detour, and blocks others; if info.contested */
};
void cop_net_notify(struct cop_net *net, uint32_t port, const cop_pkt *p, uint32_t word,
                    unsigned marks);
/* For --watch: what the congestion control does at a port of a switch or host. Reported if a
 * watched packet waits there; worth a call only if cop_net_watched(). */
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
/* Such a header of a packet that `host` sends; false: it has no traffic. */
bool cop_net_header_of_host(const struct cop_net *net, uint32_t host, cop_header *of);
/* The same as cop_net_notify(), to the source of a packet that may be gone. */
void cop_net_notify_source(struct cop_net *net, uint32_t port, const cop_header *of, uint32_t word);
/* State of that packet's flow at its source, which is notified without a message: for congestion
 * controls with `immediate`. Counts as a notification that was received. */
void *cop_net_told_at_once(struct cop_net *net, const cop_header *of);
/* Every output port and lane of its switch that the routing could ever give packet p in input `in`;
 * ports are numbers of the network. Returns how many, at most COP_MAX_CAND. */
typedef struct cop_channel {
    uint32_t port;
    uint8_t vl;
} cop_channel;
unsigned cop_net_channels(struct cop_net *net, uint32_t in, const cop_pkt *p, cop_channel *list);
/* Lanes of the link at an output or input of a switch (switch.trunk_lanes and the like). */
uint32_t cop_net_port_lanes(const struct cop_net *net, uint32_t port);
/* Is there room behind `port`, on lane vl, for a packet of full size with the destination of p? */
bool cop_net_lane_room(struct cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p);
/* Has all that was sent there left again? Always yes where flow control counts no credits. */
bool cop_net_lane_empty(struct cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p);
/* Does a host feed this switch input? */
bool cop_net_fed_by_host(const struct cop_net *net, uint32_t in);
/* The packets in switch input `in`, queue by queue; NULL at the end. A walk takes as many steps as
 * there are packets and queues: not for every packet. */
typedef struct cop_input_walk {
    uint32_t queue, end;
    const cop_pkt *p; /* where it is */
} cop_input_walk;
const cop_pkt *cop_net_input_first(const struct cop_net *net, uint32_t in, cop_input_walk *w);
const cop_pkt *cop_net_input_next(const struct cop_net *net, cop_input_walk *w);
/* Their bytes, with control packets; one step for each queue. */
uint64_t cop_net_input_bytes(const struct cop_net *net, uint32_t in);
/* Output port that packet p in switch input `in` waits for. */
uint32_t cop_net_out_port(const struct cop_net *net, uint32_t in, const cop_pkt *p);
/* Does the cable of this switch port lead to a host? */
bool cop_net_faces_host(const struct cop_net *net, uint32_t port);
/* Source of a flow, from the state that a hook was given. */
uint32_t cop_net_flow_source(const void *flow);
/* Bytes in the output buffer of a port; without output buffers: that wait for it, in all inputs. */
uint64_t cop_net_output_bytes(const struct cop_net *net, uint32_t port);
/* Those of one lane; without output buffers `asks_lanes` must be set. */
uint64_t cop_net_output_lane_bytes(const struct cop_net *net, uint32_t port, uint32_t vl);
/* The calls below read the switch whose hook runs, and no other; a call from a host, or with a port
 * of another switch, ends the program. */
/* Bytes that wait for this output port, in all inputs and in its output buffer. */
uint64_t cop_net_waiting_bytes(const struct cop_net *net, uint32_t port);
/* Those of one lane. */
uint64_t cop_net_lane_bytes(const struct cop_net *net, uint32_t port, uint32_t vl);
/* Bytes that have gone on the wire of `port` since the start; in on_dequeue including p. */
uint64_t cop_net_sent_bytes(const struct cop_net *net, uint32_t port);
/* How long a packet of so many bytes is on the wire that `port` sends on. */
cop_time cop_net_wire_time(const struct cop_net *net, uint32_t port, uint32_t bytes);
/* How long it takes the host to inject it: its link, or its injection limit if that is slower. */
cop_time cop_net_inject_time(const struct cop_net *net, uint32_t host, uint32_t bytes);
/* Which of info.sections p takes behind the switch port that it waits for or has left by: its lane
 * p->out_vl or, with buffers private to destinations, one of those on that lane (section %
 * lanes). */
uint32_t cop_net_section(const struct cop_net *net, const cop_pkt *p);
/* Has the port credits for a packet of full size with the destination of p, on lane p->out_vl?
 * (root or victim; buffers may be private to a destination) */
bool cop_net_has_credit(struct cop_net *net, uint32_t port, const cop_pkt *p);
COP_OUTSIDE_END

#endif
