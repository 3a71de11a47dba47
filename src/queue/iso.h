/* Isolation of congested flows: shared by the schemes fbicm, recn and hfdi.
 *
 * Role     every input has normal queues and a few special ones. When a tree of congestion is known
 *          at an input (a CAM line), packets that go to its root move to a special queue as they
 *          reach the head of a normal one, and no longer block the rest of the normal queue.
 * Lines    an input port's line defines which packets (output, lane, and a list of destinations or
 *          the path to the root) go to which queue; line i is of queue i. An output port's line i
 *          is the copy of line i of the neighbour downstream. If it applies, it is copied to the
 *          inputs of the switch, one hop further from the root, on the first packet that it
 *          matches.
 * Rules    1 a queue above `detect` (fbicm, recn: normal queue; hfdi: queue of an output) finds a
 *            root: the output that its head requests.
 *          2 a line's queue above `propagate` sends the neighbour upstream an allocate, above
 *            `stop`: stop; below `go`: go. fbicm, recn: `propagate` is `stop` or `high`. hfdi: only
 *            a special queue stops another, the queue of an output does not.
 *          3 the queue of a root line above `high` puts its output into the congestion state, below
 *            `low` takes it out again; an output is in it as long as one of its queues is.
 *          4 a special queue that is empty, and (not hfdi) not stopped, is free again, and the
 *            neighbour gets a deallocate. Lines that it had allocated upstream stay until their
 *            queues are empty, as branches of its tree: only detection makes roots.
 *          5 no queue free: packets stay in the normal queue. Heads that wait there are rechecked
 *            when one is free.
 * Lists    a line that copies one of the neighbour downstream begins with its list; destinations
 *          that the neighbour adds later are copied as their packets come.
 * Lanes    a special queue contains packets of one output and lane, and a line applies upstream
 *          only to packets on lanes from which some have come to its queue, or would come: lists
 *          are copied where the routing table sends a destination to that output, on the lane it
 *          came on. So a packet that waits for a line waits for a channel that it needs anyway, and
 *          stop and go cannot close a cycle. Where the routing is no table, a list grows as packets
 *          come.
 * Choice   with adaptive routing a packet is isolated at the output that was its first choice when
 *          it became a head, and keeps that output (layout.pinned). The head of a queue above
 *          `detect` is routed, and the output that it then chooses is the root.
 * Order    a destination stays with its line until the special queue is empty, so packets of a flow
 *          do not overtake; a destination is never removed from a list (when it is full, more are
 *          not added).
 * Control  packets of end nodes never enter special queues. With `control_first` they are served
 *          before data: they wait in a separate normal queue without data (hfdi: one for each
 *          output).
 * Hosts    a stopped line stops the messages of its destinations. If end nodes have injection
 *          queues, lines that a switch has allocated give packets a special queue there too; end
 *          nodes find no roots, and are not counted in the numbers of switches.
 * Source   M-hfdi, M-fbicm, M-recn-iq, M-ecocc, M-hfdi-voq; G-gran5-7, G-gran5-8, G-gran6-6. */
#ifndef COP_QUEUE_ISO_H
#define COP_QUEUE_ISO_H

#include "base/opt.h"
#include "queue/queue_list.h"

enum iso_priority {
    ISO_NORMAL_FIRST,
    ISO_ROUND_ROBIN,
    ISO_CONGESTED_FIRST,
    ISO_AGE,
    ISO_ROOTS_LAST
};
extern const char *const iso_priority_names[];
/* Paper V: the threshold at which the neighbour upstream gets an allocate. */
enum iso_propagate { ISO_AT_STOP, ISO_AT_HIGH };
extern const char *const iso_propagate_names[];
/* Which destinations a root's line lists. */
enum iso_growth { ISO_GROWING, ISO_DETECTED };
extern const char *const iso_growth_names[];
/* Paper VI, 3.1.2: when a queue has reached the upper threshold a second time, and sends stop. */
enum iso_second { ISO_BY_PACKET, ISO_BY_CROSSING };
extern const char *const iso_second_names[];

typedef struct iso_cfg { /* options; thresholds in packets of full size */
    int64_t queues; /* special queues per input port */
    int64_t destinations; /* capacity of a line's list */
    int64_t detect, stop, go, high, low;
    int propagate; /* fbicm, recn: enum iso_propagate */
    uint64_t lifetime_ps; /* hfdi: of a root's line, after its queue was last above `high` */
    bool local; /* hfdi: a special queue also at the root's own switch */
    bool root_stop; /* hfdi: the line of a root's own queue sends stop and go */
    int second; /* hfdi: enum iso_second */
    int list; /* hfdi: enum iso_growth */
    int priority; /* enum iso_priority */
    int64_t guard; /* number of packets of the preferred kind, then one of the other */
    bool control_first; /* control packets pass data */
} iso_cfg;

typedef struct iso_rules { /* of a run: common state */
    uint32_t queues, destinations, lanes, lines;
    uint32_t control0; /* queues from here on are for control packets alone */
    size_t line_bytes;
    uint32_t detect, propagate, stop, go, high, low; /* bytes */
    cop_time lifetime_ps;
    uint32_t guard;
    int priority;
    bool voq; /* a normal queue per output and lane */
    bool own_lines; /* normal queues have lines: no special queue at the root's switch */
    bool root_stop; /* these lines send stop and go */
    bool fixed; /* a root's line lists the destinations that waited when it was detected, no later
                   ones */
    bool needs_go; /* a special queue is not given back while it is stopped */
    bool tells_first; /* a line never sends stop in the instant of its allocate */
    bool by_crossing; /* nor before its queue has been at or below `stop` */
    bool by_path; /* lines name the root instead of destinations */
} iso_rules;

#define ISO_NO_LINE UINT16_MAX
typedef struct iso_line {
    bool used;
    bool root; /* the congested output is of this switch */
    bool propagated, sent_stop;
    bool hot; /* counts in the congestion state of its output */
    bool stopped; /* output side: by the neighbour */
    uint8_t hops; /* to the root; 1: this switch */
    uint8_t out_vl;
    uint16_t out; /* local output port */
    uint16_t next; /* input side: line of the output port that stops this one, or ISO_NO_LINE */
    uint32_t root_port; /* by_path */
    uint32_t serial; /* older lines first */
    uint32_t n_dst;
    uint32_t waits_from; /* normal_sent when its queue's head began to wait */
    bool may_stop; /* by_crossing: its queue was at or below `stop` since the allocate */
    uint8_t unused[3];
    cop_time high_at; /* last time its queue was above `high` */
    uint32_t dst[]; /* entries: destination and lane */
} iso_line;

typedef struct iso_port { /* state of a port; its lines follow, input side first */
    uint32_t special; /* lines with a special queue in use */
    uint32_t told; /* lines in use on the output side */
    uint32_t serial;
    uint32_t normal_sent; /* packets of normal queues that have left this input; roots-last: by this
                             output */
    uint32_t special_run; /* packets of special queues that have left it in a row */
    uint32_t refused; /* a packet found no free special queue */
    uint32_t
        full; /* adaptive routing: 1 + a normal queue above `detect` whose head's choice gives the
                 root */
    uint32_t unused;
} iso_port;
_Static_assert(sizeof(iso_port) % 8 == 0, "lines follow");

enum { /* cop_net_queue_counter */
       ISO_ROOTS,
       ISO_TAKEN,
       ISO_FREED,
       ISO_MOVED,
       ISO_NO_QUEUE,
       ISO_SENT_ALLOCATE,
       ISO_SENT_STOP,
       ISO_SENT_GO,
       ISO_SENT_DEALLOCATE,
       ISO_DOUBTFUL, /* roots that are not the output that most packets of the full queue waited
                        for */
       ISO_TH_DETECT, /* thresholds that can be set, in packets; 0: not used by the scheme */
       ISO_TH_STOP,
       ISO_TH_GO,
       ISO_TH_HIGH,
       ISO_TH_LOW,
};
extern const cop_gauge iso_counters[];
enum { ISO_USED, ISO_FREE, ISO_PORTS_FULL, ISO_LINES }; /* cop_net_queue_level */
extern const cop_gauge iso_levels[];

static inline iso_line *iso_in_line(const iso_rules *r, iso_port *st, uint32_t i)
{
    return (iso_line *)(void *)((char *)(st + 1) + i * r->line_bytes);
}

static inline iso_line *iso_out_line(const iso_rules *r, iso_port *st, uint32_t i)
{
    return iso_in_line(r, st, r->lines + i);
}

/* An entry of a list: destination, and lane of the link behind which the line is. */
#define ISO_LANE_SHIFT 28
#define ISO_DST_MASK ((1u << ISO_LANE_SHIFT) - 1)
static inline uint32_t iso_entry(uint32_t dst, uint32_t vl)
{
    return vl << ISO_LANE_SHIFT | dst;
}

static inline bool iso_lists(const iso_line *l, uint32_t entry)
{
    for (uint32_t i = 0; i < l->n_dst; i++)
        if (l->dst[i] == entry)
            return true;
    return false;
}

/* Does a packet for `dst`, on lane vl of the link behind which the line is, belong to the line? It
 * leaves by `port` (network-wide number). */
static inline bool iso_covers(struct cop_net *net, const iso_rules *r, const iso_line *l,
                              uint32_t port, uint32_t dst, uint32_t vl)
{
    if (r->by_path)
        return l->out_vl == vl && cop_net_passes(net, port, dst, l->root_port, l->hops);
    return iso_lists(l, iso_entry(dst, vl));
}

/* The node of a port: only the next functions distinguish switches and end nodes. In a switch all
 * inputs feed all outputs. An end node with injection queues has one of each, under the same number
 * and with local number 0: its queues are those of the port it sends by, and it has no neighbour
 * upstream. */
static inline bool iso_at_host(struct cop_net *net, uint32_t port)
{
    return cop_topo_is_host_port(cop_net_info(net)->topo, port);
}

/* Local number of the node's sending port `out`, as in lines and packets. */
static inline uint32_t iso_local(struct cop_net *net, uint32_t out)
{
    return cop_net_info(net)->topo->port[out].local;
}

/* The inverse: network-wide number of an output of the node that `port` belongs to. */
static inline uint32_t iso_output(struct cop_net *net, uint32_t port, uint32_t out)
{
    return port - iso_local(net, port) + out;
}

/* Ports whose queues contain packets for sending port `out`. */
typedef struct iso_range {
    uint32_t first, end;
} iso_range;

static inline iso_range iso_inputs(struct cop_net *net, uint32_t out)
{
    const cop_topo *t = cop_net_info(net)->topo;
    uint32_t sw = t->port[out].owner;
    if (iso_at_host(net, out))
        return (iso_range){.first = out, .end = out + 1};
    return (iso_range){.first = t->sw_port0[sw], .end = t->sw_port0[sw + 1]};
}

/* Outputs of the node that `port` belongs to. */
static inline uint32_t iso_outputs(struct cop_net *net, uint32_t port)
{
    const cop_topo *t = cop_net_info(net)->topo;
    return iso_at_host(net, port) ? 1 : cop_topo_ports_of(t, t->port[port].owner);
}

/* Does a packet for `dst` that comes to input `port` leave by sending port `out` of that node?
 * Needs info.table. */
static inline bool iso_goes_by(struct cop_net *net, uint32_t port, uint32_t dst, uint32_t out)
{
    return iso_at_host(net, port) ||
           cop_net_passes(net, cop_net_info(net)->topo->port[port].from, dst, out, 2);
}

/* hfdi: is a root isolated at its own switch? Without special queues, roots are only found. */
static inline bool iso_local_queues(const iso_cfg *cfg)
{
    return cfg->local && cfg->queues > 0;
}

/* iso.c: sizes and rules. `voq`, `by_path`: which of the schemes. */
size_t iso_port_bytes(const iso_cfg *cfg, const cop_netinfo *info, bool voq);
void iso_start(struct cop_net *net, bool voq, bool by_path);
int iso_check(const iso_cfg *cfg, const cop_netinfo *info, cop_err *err);
void iso_cost(const iso_cfg *cfg, const cop_netinfo *info, uint32_t lines, cop_queue_cost *c);
/* State of the port whose normal packets compete with a special queue of input `port` for `out`:
 * the input, or the output. */
iso_port *iso_passed(struct cop_net *net, uint32_t port, uint32_t out);
uint64_t iso_order(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);

/* iso_line.c: the life of a line. */
/* Is a special queue free? If not, that is counted, and heads are rechecked when one is. */
bool iso_may_take(struct cop_net *net, uint32_t port);
/* A free special queue for packets to (out, vl), as a line without destinations; or ISO_NO_LINE. */
uint32_t iso_take(struct cop_net *net, uint32_t port, uint32_t out, uint32_t vl);
void iso_make_root(struct cop_net *net, uint32_t port, iso_line *l);
/* Add an entry to the list, if it has room; a neighbour with a copy of the line is notified. */
void iso_list(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t entry);
static inline void iso_learn(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line,
                             const cop_pkt *p)
{
    iso_list(net, port, l, line, iso_entry(p->dst, p->vl));
}
void iso_tell(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line);
/* The line follows stop and go of the output side's line `next`. */
void iso_link(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t next);
/* The queue of a line has grown, or shrunk, to so many bytes. */
void iso_rose(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t bytes);
void iso_fell(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t bytes);

/* iso_hooks.c: run time hooks of the schemes for packets at inputs. */
/* Special queue `freed` is free again: waiting heads that match a neighbour's line may take it. */
void iso_look_again(struct cop_net *net, uint32_t port, uint32_t freed);
/* by_path: the line of p is of a root here, but p also crosses a root that the neighbour has
 * announced. */
void iso_join_path(struct cop_net *net, const iso_rules *r, uint32_t port, uint32_t line,
                   const cop_pkt *p);
uint32_t iso_on_head(struct cop_net *net, uint32_t port, uint32_t q, cop_pkt *p);
void iso_on_enqueue(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
void iso_on_dequeue(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);

/* iso_control.c: hooks for messages from downstream. */
void iso_on_control(struct cop_net *net, uint32_t port, uint64_t message);
bool iso_hold(struct cop_net *net, uint32_t port, uint32_t dst, uint32_t vl);

/* iso_words.c: for --watch, and for the end of a run. */
void iso_message_tell(struct cop_net *net, uint32_t port, uint64_t message, char *buf, size_t size);
void iso_line_told(struct cop_net *net, uint32_t port, const iso_line *l, const char *what);
static inline void iso_line_says(struct cop_net *net, uint32_t port, const iso_line *l,
                                 const char *what)
{
    if (COP_UNLIKELY(cop_net_watched(net)))
        iso_line_told(net, port, l, what);
}
bool iso_rested(struct cop_net *net, char *buf, size_t size);

/* Messages to the neighbour upstream. */
enum { ISO_MSG_ALLOCATE, ISO_MSG_ADD, ISO_MSG_STOP, ISO_MSG_GO, ISO_MSG_DEALLOCATE };
static inline uint64_t iso_message(unsigned kind, uint32_t line, uint32_t value)
{
    return (uint64_t)kind << 60 | (uint64_t)line << 32 | value;
}

static inline uint64_t iso_allocate(uint32_t line, const iso_line *l)
{
    return iso_message(ISO_MSG_ALLOCATE, line, l->root_port) | (uint64_t)l->out_vl << 56 |
           (uint64_t)l->hops << 48;
}

#endif
