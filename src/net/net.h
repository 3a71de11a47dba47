/* The machine model: every object of one simulated network in flat arrays, indexed by port, queue,
 * switch or host number. One cop_net is one simulation; there is no other mutable state, so many
 * simulations can live in one process. Files of net/ work on this struct; plug-ins do not see it.
 *
 * Its rooms, from the bottom up; the header of each, room/room.h, is its contract, and arrows go
 * one way (tools/check_layers.py, ROOMS):
 *
 *   config     what the configuration says of a link       flow      pools, flows, applications
 *   record     what happens is counted and listed (probe.h, watch.h)
 *   cable      wires, credits, lanes in turn                routing   state and hooks of routings
 *   switch     inputs, requests, arbitration, output buffers
 *   worm       wormhole switching, in its place             services  calls from plug-ins
 *   ahead      hints to the cache                           deadlock  detection, and messages
 *   inspect    all that only reads                          build     validation, construction
 *   run        the loop: hands events to rooms, and packets from one room to the next
 *
 * End nodes have a separate folder: rooms use only net/host.h of them. */
#ifndef COP_NET_H
#define COP_NET_H

#include "base/divide.h"
#include "base/fixp.h"
#include "des/evq.h"
#include "net/carry.h"
#include "net/cc.h"
#include "net/host.h"
#include "net/look.h"
#include "net/net_cfg.h"
#include "net/pkt.h"
#include "net/probe.h"
#include "net/queue.h"
#include "net/traffic.h"
#include "route/route.h"

struct cop_watch;

/* A credit, resume or ack on its way back to a sender. */
typedef struct cop_return {
    cop_time t;
    uint32_t section;
    uint32_t blocks; /* credit: blocks freed; ib: new absolute limit; on/off: 1 = stop, 0 = go */
} cop_return;

/* Ordered by time; settled lazily. Packed: what follows it in a port's line begins at its end. */
typedef struct __attribute__((packed, aligned(4))) cop_ring {
    cop_return *v; /* the first COP_RING_FIRST belong to the network, more to the heap */
    uint32_t at, end, mask; /* oldest entry, behind the newest (both count on), capacity - 1 */
} cop_ring;
#define COP_RING_FIRST 4 /* entries at first: a cache line */
_Static_assert(COP_RING_FIRST * sizeof(cop_return) == 64, "a new ring is one cache line");

/* Sending side of a port: two cache lines, the first for sending, the second for arbitration. */
typedef struct cop_out {
    cop_time busy_until; /* the wire is free from then on */
    cop_time arb_at; /* time of the pending arbitration, COP_NEVER if none */
    cop_pace pace;
    uint64_t hash; /* of everything sent, in order */
    uint64_t sent_bytes; /* on the wire, whole run */
    uint32_t to; /* port that receives from us; COP_NONE: no cable */
    uint32_t delay_ps;
    uint32_t vl_ready; /* lanes on which some input requests this port */
    uint32_t vl_blocked; /* lanes on which no request fits; they need `lane.need` */
    uint32_t sw; /* switch, or COP_NONE for a host */
    uint32_t port0; /* first port of that switch */
    cop_time credit_at; /* time of the pending credit event, COP_NEVER if none */
    cop_ring ring; /* returns to this sender */
    uint16_t local; /* port number inside the switch */
    uint8_t rr_vl; /* next lane of the round robin */
    uint8_t waits; /* bits COP_WAIT_: what is waited for here, set by the part that waits */
    uint64_t waiting; /* bytes in all inputs for this output */
    struct cop_section *section; /* of the buffer behind this port, [sections] */
    struct cop_lane *lane; /* [lanes] */
    uint64_t *request; /* [lanes * words]; both in one cache line, if they fit */
} cop_out;
_Static_assert(sizeof(cop_out) == 128, "an output is two cache lines");

/* What is waited for at the sending side of a port. A part that returns credit reads this byte
 * alone (cop_fc_arm), whatever the kind of sender. */
#define COP_WAIT_LANES 0x01 /* credit: lanes of vl_blocked */
#define COP_WAIT_SHORT                                                                             \
    0x02 /* credit, though the lane is not blocked: iq: a free input's packet; end
                               node: a control packet, a head among throttled ones */
#define COP_WAIT_SECTION 0x04 /* credit: requests in the list of a section */
#define COP_WAIT_REFUSAL 0x08 /* ack/nack: notice of a refused packet, which must be sent again */
#define COP_WAIT_ADMIT 0x10 /* any credit: heads that the congestion control does not admit */
#define COP_WAIT_BUFFER 0x20 /* credit: lanes of the output buffer */
#define COP_WAIT_CREDIT 0x3f /* any of these: COP_EV_CREDIT comes with the next return */
#define COP_WAIT_FLIT 0x40 /* wormhole: a place for a flit; COP_EV_ARB comes with the next return */
#define COP_WAIT_ROOM                                                                              \
    0x80 /* room in the output buffer: a free input's packet, its lane not blocked */
#define COP_WAITS_SHORT (COP_WAIT_SHORT | COP_WAIT_ROOM)

/* Receiving side of a port. */
typedef struct cop_in {
    _Alignas(64) uint32_t wire_head; /* packets on the wire towards us, oldest first */
    uint32_t wire_tail;
    uint32_t from; /* port that feeds us */
    uint32_t sw; /* switch, or COP_NONE */
    uint32_t queue0; /* first queue of this input */
    uint32_t port0; /* first port of the switch */
    uint32_t back_ps; /* a return takes this long to reach the sender */
    uint16_t local;
    uint16_t ports; /* of the switch */
    cop_time header_ps; /* of the header, which must be here before the packet is handled;
                           COP_NEVER: of the whole packet */
    cop_time pipeline_ps; /* and then */
    cop_pace pace; /* of the wire that feeds us */
    uint64_t slot; /* request lists: ours of output 0, lane 0; the next lane's is `ports` further */
} cop_in;
_Static_assert(sizeof(cop_in) <= 64, "an input is one cache line");

/* One buffer section (normally: lane) of the link that a port sends on: what the sender knows of
 * the receiver's buffer. */
typedef struct cop_section {
    uint32_t credit; /* blocks we may still send; on/off: without bound = go, 0 = stop */
    uint32_t capacity; /* blocks in all */
    uint32_t used; /* blocks sent and not yet returned */
    uint32_t wait; /* sectioned: last request node that waits for this section, or COP_NONE */
} cop_section;

/* Requests of one lane of an output: round-robin position, and the room that a blocked lane
 * needs. */
typedef struct cop_lane {
    uint16_t rr; /* input to examine first */
    uint16_t unused;
    uint32_t need; /* blocked: smallest number of blocks requested */
} cop_lane;

typedef struct cop_queue {
    uint32_t head, tail; /* packets */
    uint32_t bytes;
    uint8_t posted; /* number of candidates that the head has requested */
    uint8_t stopped; /* by the queueing scheme */
    uint8_t again; /* though posted, on_head is called again at the next COP_EV_HEAD */
    uint8_t head_is; /* bits of COP_HEAD_ */
} cop_queue;

#define COP_HEAD_TOLD 1u /* on_route has been called for it */
#define COP_HEAD_HELD 2u /* the congestion control does not admit it */

/* Layouts with several queues per (input, output, lane): a request is a node (queue, candidate) in
 * the circular list of its slot (output, lane, input). */
typedef struct cop_node {
    uint32_t next, prev; /* COP_NONE, COP_NONE: in no list */
    uint32_t port; /* output port requested */
    uint8_t vl;
    uint8_t waiting; /* in a section's wait list instead */
    uint16_t unused;
    /* State of the queue, in its first node: one cache line contains both. */
    cop_time read; /* the queue is read until then */
    uint32_t in; /* its input port, as in queue_port */
    uint32_t unused_too;
} cop_node;
_Static_assert(sizeof(cop_node) == 32, "two nodes are a cache line");

/* Exists when the congestion control or the end node keeps flows. Its list contains its messages
 * that the end node has taken and that wait for their turn. */
typedef struct cop_flow {
    uint32_t src, dst;
    uint32_t head, tail; /* messages that wait, in order; COP_NONE: none */
    cop_time t_ok; /* throttled until; COP_NEVER: until the congestion control wakes it */
    bool known; /* false: an unused place of the table */
    bool throttled; /* in its host's heap, unless t_ok is COP_NEVER */
    bool under_way; /* at the end of the run: a packet of it is in the network (starve.c) */
    uint8_t sl;
} cop_flow; /* the congestion control's state follows, then the end node's */
_Static_assert(sizeof(cop_flow) == 32, "with the state of a usual control: one cache line");

/* Number of a flow: table, and place in it (flow.c). */
#define COP_FLOW_BITS 27
#define COP_MAX_SL 16

typedef struct cop_net cop_net;

/* Predicted next grant of an output that will arbitrate: input port and its queue; COP_NONE:
 * none. */
typedef struct cop_hint {
    uint32_t in, queue;
} cop_hint;
#define COP_HINTS 16u

/* Flow control: may a packet be sent on (port, section), and what happens around it. */
typedef struct cop_fc_ops {
    /* NULL: section.credit >= blocks, tested inline. */
    bool (*fits)(const cop_net *net, uint32_t port, uint32_t section, uint32_t blocks);
    void (*take)(cop_net *net, uint32_t port, uint32_t section, uint32_t blocks); /* may be NULL */
    /* Input `port` will have freed the space at time t: in blocks, or bytes if in_bytes. */
    void (*give)(cop_net *net, uint32_t port, uint32_t section, uint32_t amount, cop_time t);
    bool in_bytes;
    bool mixed; /* a return for one section may unblock another one */
    /* Space that input `port` will have free, if its sender is notified only then; NULL: at
     * once. */
    const cop_ring *(*later)(const cop_net *net, uint32_t port);
    /* Apply one returned entry at the sender. */
    void (*settle)(cop_net *net, uint32_t port, const cop_return *r);
    /* A packet has come to input `port`: false = refused (ack/nack), the link keeps it. */
    bool (*arrive)(cop_net *net, uint32_t port, uint32_t section, uint32_t pkt); /* may be NULL */
    void (*release)(cop_net *net, uint32_t port); /* COP_EV_RELEASE; may be NULL */
    /* A retransmission that must go before new packets: handle or COP_NONE; may be NULL. */
    uint32_t (*replay)(cop_net *net, uint32_t port); /* gives way once; at the next call, it does
                                                        not */
} cop_fc_ops;

/* Send packet `h` from its input through output `port` on lane vl, starting now; returns when its
 * last byte leaves the input. */
typedef cop_time (*cop_transfer_fn)(cop_net *net, uint32_t port, uint32_t vl, uint32_t h);

/* Switch architecture: the arbiter, and the target of a granted packet. */
typedef struct cop_arch_ops {
    /* Output `port` has a new request, or may be free. */
    void (*kick)(cop_net *net, uint32_t port);
    void (*arbitrate)(cop_net *net, uint32_t entity); /* COP_EV_ARB */
    /* Is there room behind output `port` for a packet of this section? */
    bool (*room)(const cop_net *net, uint32_t port, uint32_t section, uint32_t blocks);
    cop_transfer_fn transfer;
    bool buffered; /* to an output buffer, and from there to the wire */
    bool matched; /* the outputs of a switch are matched together: the entity is the switch */
    /* Credits have come back for output `port`. */
    void (*credit)(cop_net *net, uint32_t port);
} cop_arch_ops;

typedef struct cop_totals {
    uint64_t injected, delivered, lost, injected_bytes, delivered_bytes;
    uint64_t hops, events;
    uint64_t retransmissions;
    uint64_t acks, cnps; /* sent */
    uint64_t kept; /* notifications that ended at a switch, which used them; those that were sent
                      count as delivered */
    uint64_t absorbed; /* packets taken for deadlocked; one may count several times */
    uint64_t fecns; /* packets marked, by any switch */
    uint64_t becns; /* received by sources */
    uint64_t told; /* of these, without a packet */
    uint64_t pauses; /* on/off: how often a receiver has stopped its sender */
    uint64_t credits_missing; /* blocks that book-keeping at the end did not find */
} cop_totals;

/* No outcome: the jobs have ended, which ends the run as the end of its duration does. */
#define COP_STOP_DONE 1000

struct cop_net {
    cop_time now, end; /* end: last instant of the run; COP_NEVER while draining */
    cop_evq evq;
    const cop_topo *topo;
    cop_traffic *traffic;
    cop_route *route;
    cop_netinfo info;
    const cop_run_cfg *run_cfg;
    const cop_switch_cfg *sw_cfg;
    const cop_nic_cfg *nic_cfg;
    const cop_fc_cfg *fc_cfg;
    const cop_fc_ops *fc;
    bool plain_credit; /* fc is cop_fc_credit: the common case, done inline; it has no `arrive`, and
                          `replay` only for hosts (recover.c) */
    bool by_credit; /* fc has no `fits` */
    void (*inject)(cop_net *net, uint32_t port,
                   uint32_t h); /* how a host puts a packet on its wire, its credit taken; NULL:
                                   cop_wire_send */
    void (*section_open)(cop_net *net, uint32_t port,
                         uint32_t section); /* sectioned: a return has come */
    bool credit_first; /* a packet needs credit for the link to cross to an output buffer */
    uint8_t blocked_waits,
        short_waits; /* at a switch, a packet that does not fit waits for credit, or for room in the
                        output buffer: COP_WAIT_ of a lane, and of a packet */
    const cop_arch_ops *arch;
    const cop_queue_ops *queue_ops;
    const cop_cc_ops *cc;
    const cop_host_ops *host_ops;
    const void *queue_cfg, *cc_cfg, *host_cfg;
    cop_probe probe; /* what is measured */
    struct cop_watch *watch; /* NULL: off */
    cop_observer observer;
    cop_time look_at; /* when the observer samples next */
    cop_arena arena; /* owns the arrays below unless said otherwise */

    uint32_t host_port0; /* port of host 0 */
    uint32_t lanes, sections, words; /* per port; words of 64 inputs in a request mask */
    bool per_output; /* one queue per (input, output, lane) */
    bool plain_input; /* per_output and a table of outputs: a packet that comes in is just put into
                         its queue */
    enum cop_arb arbitration; /* among inputs: the option, or the order of the queueing scheme */
    bool sectioned; /* sections are not lanes (voqnet) */
    bool multi_rate; /* links of different pace exist */
    bool looks_ahead; /* the network does not fit the cache: prefetch for coming events (ahead.c) */
    bool looks_far; /* nor the next larger cache: predict the outputs of packets, too */
    bool looks_plain; /* and the network is of the most common kind (ahead_plain.c) */
    bool looks_buffered; /* or of the other kind with specialised hints (ahead.h) */
    cop_hint hint[COP_HINTS]; /* of coming events, by place in the event queue */
    uint32_t *due_entity; /* looks_ahead: scratch of the arbitrations of one instant */
    bool many_due; /* the last instant had enough of them to prefetch for each other; then not when
                      their events approach */
    bool hooks; /* the queueing scheme, congestion control or routing has hooks on queues */
    bool out_hooks; /* congestion control or routing has hooks on outputs, or arbitration is by
                       flows */
    bool rare_hooks; /* out_hooks other than marks and fills of queues: rare */
    bool hears_moves; /* the routing is notified when packets that wait change their output */
    bool others_send; /* hosts' wires also carry flits of earlier packets, or absorbed packets */
    bool head_hooks; /* the congestion control has on_route or admit */
    bool listens; /* the routing receives notifications */
    uint8_t control_vl; /* lanes of control packets begin here */
    bool early_hooks; /* output buffers and out_hooks: hooks of a grant run before the packet
                         crosses, which may put it on the wire at once */
    const uint16_t *lft; /* route->lft */
    cop_time
        *served; /* [host_port0 * n_hosts] arbitration flows: last turn of a source; else NULL */
    uint32_t pinned; /* queues 0.. of an input whose packets keep their output; 0: none */
    bool plain_head; /* a head has one output, known when it came, and requests it at once */
    enum cop_blind routes_early; /* packets are routed for a switch when they are sent to it */
    bool asks_once; /* a packet that is head of its queue on arrival is routed once */
    bool quick_pick; /* round robin over one queue per (input, output, lane), at most 64 ports */
    bool quick_list; /* the same with request lists without an order, if any packet fits */
    uint32_t max_blocks; /* of the longest packet */
    uint32_t max_cand;
    cop_divisor by_cand;
    uint32_t unit_bytes; /* of buffers and credits: a block; wormhole: a flit */
    uint32_t piece_bytes; /* sent without a gap: at most; wormhole: a flit */

    cop_out *out; /* [n_ports] */
    cop_in *in; /* [n_ports] */
    cop_section *section; /* [n_ports * sections]; also reached through cop_out */
    cop_return *first_return; /* [n_ports * COP_RING_FIRST] rings of senders begin here */
    uint32_t *shared_free; /* [n_ports] shared lanes: free blocks of the common part, else NULL */

    cop_queue *queue; /* all inputs of all switches, then the injection queues of end nodes */
    uint32_t *queue_port; /* [queue] input port */
    cop_node *node; /* [queue * max_cand]; NULL if per_output */
    uint32_t *slot; /* last node of each list; NULL if per_output */
    uint64_t *slot0; /* [n_switches + 1] first slot of a switch; behind them all slots */
    uint32_t n_queues; /* of switches */
    uint32_t all_queues; /* and of hosts */
    uint32_t
        own_queues; /* per switch input, behind those of the queueing scheme: 1 for notifications
                       that the switch makes, with request lists; else 0 */
    uint32_t
        *fill; /* [slot] bytes per (output, lane, input), if the congestion control needs them and
                  queues do not give them; else NULL. Private sections: see input_route.c */
    uint64_t *lane_waiting; /* [n_ports * lanes] bytes that wait for each lane of an output, if the
                               congestion control needs them; else NULL */

    uint32_t
        *section_waiters; /* [n_ports] sectioned: requests that wait for a section, else NULL */
    uint32_t *held; /* [n_switches] queues whose head is not admitted, if the congestion control has
                       `admit`; else NULL */
    struct cop_iq *iq; /* iq, cioq: matching */
    struct cop_obuf *obuf; /* output buffers, [n_ports]; NULL: none */
    uint64_t output_bytes; /* of an output buffer */
    struct cop_vlarb_state *vlarb; /* IB tables and the turns of all ports, else NULL */
    struct cop_fc_state *fc_state; /* of the flow control, NULL if it has none */
    struct cop_stall *stall; /* the deadlock watch */
    struct cop_recover *recover; /* resolves deadlocks (recover.h); NULL: the routing avoids them */
    struct cop_worm *worm; /* wormhole switching (worm.h); NULL: packets go as a whole */

    cop_nic *nic; /* [n_hosts] */
    void *host_state; /* private to the kind of end node */
    cop_send *send; /* pool; heap */
    size_t send_cap;
    uint32_t send_n, send_free;

    cop_pkt *pkt; /* pool; heap */
    size_t pkt_cap;
    uint32_t pkt_n, pkt_free;
    uint32_t *pkt_msg; /* beside the pool: message of an application; NULL: there are none; heap */
    size_t pkt_msg_cap;
    bool closed_loop; /* a delivery may start other streams */
    bool stopped; /* sources, so that the network drains */
    double left_bytes; /* bytes that waited at them then */

    char *flow[COP_MAX_SL]; /* tables of flows; heap */
    size_t flow_stride, flow_cap; /* bytes from flow to flow; room of a table that grows */
    cop_carry carry; /* state of the congestion control at destinations and on packets */
    size_t flow_host; /* offset of the end node's state of a flow */
    uint32_t *flow_hash; /* open addressing: flow number + 1, or 0; NULL: a place for every pair */
    uint32_t flow_n, flow_mask;
    uint32_t flows_asleep; /* flows that wait for the congestion control to wake them */

    char *queue_state, *cc_state; /* [n_ports] of the plug-ins */
    size_t cc_port_bytes; /* of cc_state */
    void *cc_net; /* of the congestion control */
    bool flow_is_sl; /* a flow is (source, service level) */
    bool cc_flows; /* the congestion control keeps flows */
    cop_cc_facts cc_facts;
    uint32_t here; /* node whose hook of the congestion control runs: switches, then hosts */
    bool guards_scheme; /* the queueing scheme is from outside: its calls are checked */
    uint32_t scheme_here; /* then: node whose hook of the queueing scheme ran last; COP_NONE: no
                             hook runs */
    cop_observation *observe; /* run.observe; NULL: nothing */
    uint32_t n_observe;
    size_t queue_port_bytes; /* of queue_state */
    char *queue_common; /* state of the queueing scheme as a whole */
    uint16_t *roots; /* [n_ports] queues that take this output for a root of congestion */
    uint64_t *counter; /* the queueing scheme's counters (gauge.c) */
    int64_t *level;
    int64_t *level_series; /* [n_levels * n_bins] at the end of each bin */
    uint32_t n_counters, n_levels;
    struct cop_mail
        *control; /* [n_ports] link-level messages in flight; NULL if the scheme has none */
    struct cop_routing *routing; /* state of the routing; NULL: none */
    struct cop_notices
        *notices; /* [n_switches] notifications to be made; NULL: the congestion control makes
                     none */

    cop_totals total;
    uint64_t seen_delivered; /* at the last sample */
    cop_time fruitful_at; /* last sample with a delivery, or without a packet to deliver */
    cop_time patience_ps; /* so long without a delivery is a deadlock */
    int stop; /* enum cop_outcome: 0 = go on; or COP_STOP_DONE */
    char why[2048]; /* message for the user, when stop is set */
};

/* What a network is built from; everything must outlive it. */
typedef struct cop_net_parts {
    const cop_topo *topo;
    cop_route *route;
    cop_traffic *traffic;
    const cop_run_cfg *run;
    const cop_link_cfg *link;
    const cop_switch_cfg *sw;
    const cop_fc_cfg *fc;
    const cop_nic_cfg *nic;
    const cop_queue_ops *queue;
    bool queue_is_ours; /* a scheme of the tree: its calls need no check */
    const cop_cc_ops *cc;
    const cop_host_ops *host;
    const void *queue_cfg, *cc_cfg, *host_cfg;
    uint32_t lanes;
    /* "file:line:column" of an option such as "switch.buffer", for messages. */
    const char *(*where)(const void *ctx, const char *option, char *buf, size_t size);
    const void *where_ctx;
} cop_net_parts;

/* build_check.c: with at least `lanes` lanes (0: one), is the network too large? Needs only the
 * parts `topo`, `queue`, `host` and their configurations, so it can run before a large network is
 * routed. */
int cop_net_check_size(const cop_net_parts *parts, cop_err *err);

/* build.c */
int cop_net_init(cop_net *net, const cop_net_parts *parts, cop_err *err);
void cop_net_fini(cop_net *net);
/* Rate and delay of the link that `port` sends on. */
uint64_t cop_net_link_rate(const cop_topo *t, const cop_link_cfg *cfg, uint32_t port);

/* sim.c: run until net->end (or until drained); ends early when net->stop is set. `progress` is
 * called at every sample and about every million events in between. When it returns true the run
 * stops there with COP_OUTCOME_FAILED: there is no result. */
typedef bool (*cop_progress_fn)(void *ctx, cop_time now, cop_time end, uint64_t hops);
void cop_net_run(cop_net *net, cop_progress_fn progress, void *ctx);
uint64_t cop_net_hash(const cop_net *net);

/* Memory of one input (MET-19): queues of the largest switch, packets of the largest input. */
typedef struct cop_net_cost {
    uint64_t ram_bytes;
    uint32_t sections; /* parts of it with separate credits */
    uint32_t queues;
    cop_queue_cost control;
} cop_net_cost;
void cop_net_port_cost(const cop_net *net, cop_net_cost *c);

/* Payload that is generated and not sent at time t, the end of the measured time. */
double cop_net_waiting_at_sources(const cop_net *net, cop_time t);

/* Packets that have left their source and are not yet delivered. */
static inline uint64_t cop_net_in_flight(const cop_net *net)
{
    return net->total.injected - net->total.delivered - net->total.lost;
}

static inline cop_flow *cop_flow_at(const cop_net *net, uint32_t flow)
{
    size_t place = flow & ((1u << COP_FLOW_BITS) - 1);
    return (cop_flow *)(void *)(net->flow[flow >> COP_FLOW_BITS] + place * net->flow_stride);
}

static inline void *cop_flow_host(const cop_net *net, uint32_t flow)
{
    return (char *)cop_flow_at(net, flow) + net->flow_host;
}

static inline void *cop_flow_state(const cop_net *net, uint32_t flow)
{
    return cop_flow_at(net, flow) + 1;
}

static inline void cop_net_push(cop_net *net, cop_time t, enum cop_ev_kind kind, uint32_t entity)
{
    cop_evq_push(&net->evq, t, cop_ev_id(kind, entity));
}

static inline uint32_t cop_net_section_of(const cop_net *net, const cop_pkt *p, uint32_t vl)
{
    return net->sectioned ? net->queue_ops->section(net->queue_cfg, &net->info, p, vl) : vl;
}

/* Layouts with request lists: the queue of a node; the first node of queue q, and until when the
 * queue is read. */
static inline uint32_t cop_net_queue_of(const cop_net *net, uint32_t node)
{
    return cop_divide(node, net->by_cand);
}
static inline cop_node *cop_net_first_node(const cop_net *net, uint32_t q)
{
    return &net->node[(size_t)q * net->max_cand];
}
static inline cop_time cop_net_read_until(const cop_net *net, uint32_t q)
{
    return cop_net_first_node(net, q)->read;
}

/* input_route.c: the queue with the scheme's number q at this port. */
uint32_t cop_net_queue_of_port(const cop_net *net, uint32_t port, uint32_t q);

/* One behind the last queue that the queueing scheme has at switch input `port`: that of
 * notifications, if there is one. */
static inline uint32_t cop_net_queue_end(const cop_net *net, uint32_t port)
{
    uint32_t end = port + 1 < net->host_port0 ? net->in[port + 1].queue0 : net->n_queues;
    return end - net->own_queues;
}

/* The table of the congestion control, before a call of its hook at switch `sw`, or at a host: the
 * hook may read that node only (control.c). */
static inline const cop_cc_ops *cop_cc_at(cop_net *net, uint32_t sw)
{
    net->here = sw;
    return net->cc;
}

static inline const cop_cc_ops *cop_cc_at_host(cop_net *net, uint32_t host)
{
    return cop_cc_at(net, net->info.n_switches + host);
}

/* The node of a port: switches, then hosts. */
static inline uint32_t cop_node_of(const cop_net *net, uint32_t port)
{
    return port < net->host_port0 ? net->in[port].sw
                                  : net->info.n_switches + port - net->host_port0;
}

/* The table of the queueing scheme, before a call of its hook for `port`: the hook may read that
 * node only (scheme.c). As calls are frequent, schemes of the tree are checked by builds with
 * assertions alone. */
static inline const cop_queue_ops *cop_scheme_at(cop_net *net, uint32_t port)
{
    if (COP_UNLIKELY(net->guards_scheme))
        net->scheme_here = cop_node_of(net, port);
    return net->queue_ops;
}

/* rested.c */
#define COP_MOST_RESTED 5
/* When the run is over: a line for each mechanism that did nothing, "cc ibcc: ...", in memory of
 * `arena`. Returns how many. */
uint32_t cop_net_rested(cop_net *net, cop_arena *arena, const char *lines[COP_MOST_RESTED]);

#endif
