/* Isolation of congested flows: what the schemes fbicm, recn and hfdi have in common.
 *
 * Role     every input has normal queues and a few special ones. When a tree of congestion is known
 *          at an input (a CAM line), packets that go to its root move to a special queue as they reach
 *          the head of a normal one, and the rest of the normal queue is no longer held up.
 * Lines    an input port's line says which packets (output, lane, and a list of destinations or the
 *          path to the root) go to which queue; line i is of queue i. An output port's line i is what
 *          the neighbour downstream has told about its line i. Where it applies, it is copied to the
 *          inputs of the switch, one hop further from the root, on the first packet that it matches.
 * Rules    1 a queue above `detect` (fbicm, recn: normal queue; hfdi: queue of an output) finds a root:
 *            the output that its head asks for.
 *          2 a line's queue above `propagate` tells the neighbour upstream (allocate), above `stop`: stop;
 *            below `go`: go. fbicm, recn: `propagate` is `stop` or `high`. hfdi: only a special queue
 *            stops another, the queue of an output does not.
 *          3 the queue of a root line above `high` puts its output into the congestion state, below
 *            `low` takes it out again; an output is in it as long as one queue says so.
 *          4 a special queue that is empty, and (not hfdi) not stopped, is free again, and the neighbour is
 *            told (deallocate). What it had given upstream goes on until it is empty there, as a branch of
 *            its tree: only detection makes roots.
 *          5 no queue free: packets stay in the normal queue. Heads that wait there are looked at again when
 *            one is free.
 * Lists    a line that is taken for one of the neighbour downstream begins with its list; others that the
 *          neighbour adds later are taken over as their packets come.
 * Lanes    a special queue holds packets of one output and lane, and a line applies upstream only to
 *          packets on lanes from which some have come to its queue, or would come: lists are taken over
 *          where a table says that a destination goes by that output, on the lane it came on. So
 *          whoever waits for a line waits for a channel that it needs anyway, and stop and go
 *          cannot close a cycle. Where the routing is no table, a list grows as packets come.
 * Choice   with adaptive routing a packet is isolated at the output that was its first choice when it became a
 *          head, and has no other from then on (layout.pinned). The head of a queue above `detect` is asked, and
 *          the output that it chooses then is the root.
 * Order    a destination stays with its line until the special queue is empty, so packets of a flow do
 *          not overtake; a list never forgets a destination (when it is full, more are not added).
 * Control  packets of end nodes never enter special queues. With `control_first` they are served before
 *          data: they wait in a queue of their own, which is a normal one with the data left out (hfdi:
 *          one of its own for each output).
 * Hosts    a stopped line holds back the messages of its destinations. Where end nodes have injection
 *          queues, lines that a switch has told them give packets a special queue there too; they find
 *          no roots, and count in no number of switches.
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
/* Paper V: the threshold at which the neighbour upstream is told. */
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
    int64_t destinations; /* that a line can list */
    int64_t detect, stop, go, high, low;
    int propagate; /* fbicm, recn: enum iso_propagate */
    uint64_t lifetime_ps; /* hfdi: of a root's line, after its queue was last above `high` */
    bool local; /* hfdi: a special queue also at the root's own switch */
    bool root_stop; /* hfdi: the line of a root's own queue sends stop and go */
    int second; /* hfdi: enum iso_second */
    int list; /* hfdi: enum iso_growth */
    int priority; /* enum iso_priority */
    int64_t guard; /* so many packets of the preferred kind, then one of the other */
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
    bool own_lines; /* those have lines of their own: no special queue where the root is */
    bool root_stop; /* which send stop and go */
    bool fixed; /* a root's line lists what waited when it was detected, nothing later */
    bool needs_go; /* a special queue is not given back while it is stopped */
    bool tells_first; /* a line never stops the neighbour in the instant in which it tells it */
    bool by_crossing; /* nor before its queue was no longer above `stop` */
    bool by_path; /* lines name the root instead of destinations */
} iso_rules;

#define ISO_NO_LINE UINT16_MAX
typedef struct iso_line {
    bool used;
    bool root; /* the congested output is this switch's own */
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
    bool may_stop; /* by_crossing: it was, since the neighbour was told */
    uint8_t unused[3];
    cop_time high_at; /* last time its queue was above `high` */
    uint32_t dst[]; /* entries: destination and lane */
} iso_line;

typedef struct iso_port { /* state of a port; its lines follow, input side first */
    uint32_t special; /* lines with a special queue in use */
    uint32_t told; /* lines in use on the output side */
    uint32_t serial;
    uint32_t
        normal_sent; /* packets of normal queues that have left this input; roots-last: by this output */
    uint32_t special_run; /* packets of special queues that have left it in a row */
    uint32_t refused; /* a packet has found all special queues taken */
    uint32_t
        full; /* adaptive routing: 1 + a normal queue above `detect` whose head is asked for the root */
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
       ISO_DOUBTFUL, /* roots that are not what most packets of the full queue waited for */
       ISO_TH_DETECT, /* thresholds that can be set, in packets; 0: not one of the scheme's own */
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

/* The node that owns a port: nothing but the next functions knows what it is. In a switch all inputs
 * feed all outputs. An end node with injection queues has one of each, under the same number and with
 * local number 0: its queues are those of the port it sends by, and there is nobody upstream. */
static inline bool iso_at_host(struct cop_net *net, uint32_t port)
{
    return cop_topo_is_host_port(cop_net_info(net)->topo, port);
}

/* What lines and packets of the node call its sending port `out`. */
static inline uint32_t iso_local(struct cop_net *net, uint32_t out)
{
    return cop_net_info(net)->topo->port[out].local;
}

/* The other way round: network-wide number of an output of the node that `port` belongs to. */
static inline uint32_t iso_output(struct cop_net *net, uint32_t port, uint32_t out)
{
    return port - iso_local(net, port) + out;
}

/* Ports whose queues hold packets for sending port `out`. */
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

/* Does a packet for `dst` that comes to input `port` leave by sending port `out` of that node? Needs
 * info.table. */
static inline bool iso_goes_by(struct cop_net *net, uint32_t port, uint32_t dst, uint32_t out)
{
    return iso_at_host(net, port) ||
           cop_net_passes(net, cop_net_info(net)->topo->port[port].from, dst, out, 2);
}

/* hfdi: is a root isolated at its own switch? With no special queue at all, roots are only found. */
static inline bool iso_local_queues(const iso_cfg *cfg)
{
    return cfg->local && cfg->queues > 0;
}

/* iso.c: sizes and rules. `voq`, `by_path`: which of the schemes. */
size_t iso_port_bytes(const iso_cfg *cfg, const cop_netinfo *info, bool voq);
void iso_start(struct cop_net *net, bool voq, bool by_path);
int iso_check(const iso_cfg *cfg, const cop_netinfo *info, cop_err *err);
void iso_cost(const iso_cfg *cfg, const cop_netinfo *info, uint32_t lines, cop_queue_cost *c);
/* Whose normal packets pass a special queue of input `port` for `out`: those of the input, or of the output. */
iso_port *iso_passed(struct cop_net *net, uint32_t port, uint32_t out);
uint64_t iso_order(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);

/* iso_line.c: the life of a line. */
/* Is a special queue free? If not, that is counted, and heads are looked at again when one is. */
bool iso_may_take(struct cop_net *net, uint32_t port);
/* A free special queue for packets to (out, vl), as a line without destinations; or ISO_NO_LINE. */
uint32_t iso_take(struct cop_net *net, uint32_t port, uint32_t out, uint32_t vl);
void iso_make_root(struct cop_net *net, uint32_t port, iso_line *l);
/* The list takes an entry, if it has room; who was told of the line hears of it. */
void iso_list(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t entry);
static inline void iso_learn(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line,
                             const cop_pkt *p)
{
    iso_list(net, port, l, line, iso_entry(p->dst, p->vl));
}
void iso_tell(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line);
/* Stop and go as the output side's line `next` says. */
void iso_link(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t next);
/* The queue of a line has grown, or shrunk, to so many bytes. */
void iso_rose(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t bytes);
void iso_fell(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t bytes);

/* iso_hooks.c: run time hooks of the schemes for packets at inputs. */
/* Special queue `freed` is free again: heads that are of a told line and wait may have it. */
void iso_look_again(struct cop_net *net, uint32_t port, uint32_t freed);
/* by_path: the line of p is of a root here, but p also goes to one that the neighbour has told of. */
void iso_join_path(struct cop_net *net, const iso_rules *r, uint32_t port, uint32_t line,
                   const cop_pkt *p);
uint32_t iso_on_head(struct cop_net *net, uint32_t port, uint32_t q, cop_pkt *p);
void iso_on_enqueue(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);
void iso_on_dequeue(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p);

/* iso_control.c: hooks for messages from downstream. */
void iso_on_control(struct cop_net *net, uint32_t port, uint64_t message);
bool iso_hold(struct cop_net *net, uint32_t port, uint32_t dst, uint32_t vl);

/* iso_words.c: for those who watch, and for the end of a run. */
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
