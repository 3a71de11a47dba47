/* Routings: which output port and virtual lane a packet may take next. A routing sees the topology,
 * the packet's addresses and its small state in the packet; adaptive ones also read loads through a
 * narrow view. A decision may depend on nothing else, so that a run is repeatable. */
#ifndef COP_ROUTE_H
#define COP_ROUTE_H

#include "base/err.h"
#include "base/rng.h"
#include "base/value.h"
#include "topo/topo.h"

struct cop_opt;
struct cop_flow_table;
struct cop_levels;

typedef struct cop_cand {
    uint16_t port; /* local output port of the switch */
    uint8_t vl; /* virtual lane on that link */
    uint8_t escape; /* 1: channel of the deadlock-free escape network (Duato) */
} cop_cand;

/* One routing decision. The first block is input, the second is the packet's routing state, which
 * the routing may change; it travels with the packet. A blocked packet may be routed again at the
 * same switch with the state it already changed: that must give the same candidates. Only `inject`
 * and `mid` may read `src`. */
typedef struct cop_hop {
    uint32_t sw; /* switch that decides */
    uint16_t in_port; /* local port the packet came in by, or COP_PORT_NONE */
    uint8_t in_vl;
    uint8_t sl; /* service level, for `inject` alone */
    uint32_t src, dst; /* hosts */
    uint32_t mid; /* intermediate switch or group of a non-minimal route; COP_NONE = minimal */
    uint8_t state; /* free for the routing, e.g. phase and dateline bits; 0 at injection */
    bool control; /* acknowledgement or notification: takes the shortest way */
    bool
        apart; /* it has lanes of its own (nic.control_vl), as many as r->facts.control_vls; in_vl counts from them */
} cop_hop;
#define COP_PORT_NONE UINT16_MAX /* in_port of a packet that the switch itself has made */

/* Calls by which a routing reads the deciding switch, and no other; implemented in room
 * net/routing. Ports are local ones. */
typedef struct cop_route_can {
    /* Bytes that wait for this lane of the port, plus those sent on it and not yet released
     * behind. */
    uint64_t (*lane_load)(void *ctx, uint32_t port, uint32_t vl);
    /* Does flow control admit a packet of full size there now? (not PAUSEd) */
    bool (*open)(void *ctx, uint32_t port, uint32_t vl);
    /* cop_route_view.load of each of the lanes [first, first + n) of a port, in one call. */
    void (*loads)(void *ctx, uint32_t port, uint32_t first, uint32_t n, uint64_t *load);
    /* Bytes that wait for a port, all lanes. */
    uint64_t (*waiting)(void *ctx, uint32_t port);
    /* State that the routing keeps: r->facts.port_size bytes of an output port, r->switch_size of the switch. */
    void *(*port)(void *ctx, uint32_t port);
    void *(*own)(void *ctx);
    /* Sends a few bytes to the switch behind `port`: on_message there, one link delay later. They
     * are inserted between packets and take no bandwidth. No effect if the port leads to a host. */
    void (*tell)(void *ctx, uint32_t port, uint64_t body);
    /* Its load will be read: a hint to the cache. May be NULL; cop_route_soon() calls it. */
    void (*soon)(void *ctx, uint32_t port);
    /* For --watch: is this packet watched or, without a packet, any? Then `says` reports the
     * routing's decision on the packet and the reason, or its new state for `port`. */
    bool (*watched)(void *ctx);
    void (*says)(void *ctx, uint32_t port, const char *text);
} cop_route_can;

/* What an adaptive routing may read. `load`: bytes that wait for a port, all lanes, plus those sent
 * on lane vl and not yet released behind. NULL view: list every candidate, choose nothing. */
typedef struct cop_route_view {
    void *ctx;
    uint64_t (*load)(void *ctx, uint32_t port, uint32_t vl);
    cop_rng *rng;
    const cop_route_can
        *can; /* NULL for `inject`, which runs at a host, and while a routing is blind */
} cop_route_view;

/* Called for each of several outputs before their loads are read: prefetches them together. */
static inline void cop_route_soon(const cop_route_view *view, uint32_t port)
{
    if (view->can != NULL && view->can->soon != NULL)
        view->can->soon(view->ctx, port);
}

typedef struct cop_route cop_route;
#define COP_ROUTE_BARS 2

/* When a packet may be routed before it arrives: never, at all switches but its first, or at
 * any. */
enum cop_blind { COP_BLIND_NEVER, COP_BLIND_IN_TRANSIT, COP_BLIND_ALWAYS };

typedef struct cop_notice { /* content of a congestion notification, for a switch */
    uint32_t host; /* its destination */
    uint32_t port; /* it came in by this port; made here: the port whose queue is long, or that the
                      packet waits for */
    uint32_t word; /* the congestion control's word */
    bool own; /* made at this switch, just now */
    bool end; /* the long queue leads to a host: there is no detour */
    bool contested; /* the packet is on a detour, and blocks others; if asks_contested */
    uint32_t about; /* destination of the packet whose source is notified: a host */
} cop_notice;

typedef struct cop_route_ops {
    const char *name, *summary, *source;
    const struct cop_opt *opts;
    size_t cfg_size;
    /* Promises that the network checks: packets of a flow stay in order. An option may give it up:
     * setup then clears r->facts.in_order. */
    bool in_order;
    bool in_cycles; /* times among its defaults are for a cycle of 1 ns; they follow units.cycle */
    const struct cop_brought *brings; /* the congestion control that it needs; NULL: none */
    /* Build r->state from the topology; raise r->facts.vls and max_cand, which are 1, if more are needed.
     * Fails if the shape is wrong. */
    int (*setup)(cop_route *r, const void *cfg, cop_err *err);
    /* Choices made when a packet is injected (Valiant's intermediate; lane). May be NULL: lane 0.
     * In the dependency check there is no view or no `rng`; then hop->mid comes preset. Returns
     * the injection lane. */
    uint8_t (*inject)(const cop_route *r, cop_hop *hop, const cop_route_view *view);
    /* Fill cand[], return how many (1 .. r->facts.max_cand). Candidates in order of preference. */
    unsigned (*route)(const cop_route *r, cop_hop *hop, const cop_route_view *view, cop_cand *cand);
    /* A likely candidate of `route`, for prefetches only, without long computation. NULL: `route`
     * is quick enough. */
    cop_cand (*guess)(const cop_route *r, const cop_hop *hop);
    /* Which intermediates `inject` may choose for (src, dst), for the dependency check: returns
     * false when i is past the last. NULL: only COP_NONE. */
    bool (*mid)(const cop_route *r, uint32_t src, uint32_t dst, uint32_t i, uint32_t *mid);
    void (*destroy)(cop_route *r);

    /* Routings that learn while they run: `setup` says how much they keep (r->facts.port_size, r->switch_size),
     * `prepare` fills it in before anything is sent. All hooks may be NULL and then cost nothing; a
     * routing with hooks keeps something. */
    bool asks_lanes; /* it will ask for can->lane_load, which is counted only then */
    void (*prepare)(const cop_route *r, uint32_t sw, const cop_route_view *view);
    /* A packet of data goes on the wire of an output port; it no longer counts in the loads. */
    void (*on_send)(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port);
    /* A packet of data has come to wait for an output port. */
    void (*on_wait)(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port);
    /* A packet that waited for `from` waits for `to` now, or has been granted it: it was routed
     * again, or got another candidate than the first. */
    void (*on_move)(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t from,
                    uint32_t to);
    /* A message of a neighbour (can->tell) has come in by `port`. */
    void (*on_message)(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port,
                       uint64_t body);
    /* A notification passes (cc.h: COP_PKT_CNP), or is made here. True: this switch keeps it. */
    bool (*on_notice)(const cop_route *r, uint32_t sw, const cop_route_view *view,
                      const cop_notice *notice);
    /* The forwarding table of a switch (flow_table.h), if the routing has one, and the condition of
     * its entries about a port, which replaces #. */
    void (*table)(const cop_route *r, uint32_t sw, struct cop_flow_table *t);
    const char *condition;
    /* What run.observe may ask for of an output port, a list that ends with a NULL name. */
    const cop_value *port_values;
    double (*port_value)(const cop_route *r, const void *port_state, unsigned which);
    /* When the run is over: why a port's state has not changed; NULL: it has. */
    const char *(*rested)(const cop_route *r, const void *port_state);
    /* Has this port of the switch such values? NULL: all have. */
    bool (*shows)(const cop_route *r, uint32_t sw, uint32_t port);
} cop_route_ops;

/* What the machine must know of a routing: `setup` changes what differs from 0, but for vls, max_cand
 * (1) and in_order (as the table says). Nothing of it changes once the network stands, but host_lanes. */
typedef struct cop_route_facts {
    uint32_t vls; /* virtual lanes it needs for deadlock freedom */
    uint32_t auto_lanes; /* lanes it has by default, if it works badly with vls alone; else 0 */
    uint32_t
        host_lanes; /* of links to and from hosts, from lane 0 on, among which it chooses freely,
                            and `inject` draws; lowered where hosts' links have fewer. 0: not so */
    uint32_t control_vls; /* lanes of control packets with a range of their own (nic.control_vl);
                             0 after setup: vls */
    uint32_t control_global_vls; /* of these on links between groups; 0 after setup: control_vls */
    uint32_t max_cand; /* most candidates of one decision */
    enum cop_blind
        blind; /* when its answer depends on nothing but the packet, the switch and draws */
    bool at_head; /* a packet is routed once more when it comes to the head of its queue */
    bool in_order; /* packets of a flow stay in order */
    bool acyclic; /* a choice, none of whose ways can close a cycle: none is an escape for others */
    bool single; /* exactly one candidate that depends on (switch, dst) only, lane 0 */
    bool memoryless; /* the candidates depend on (switch, dst) only, not on how the packet came */
    /* Hosts of one switch are alike as sources: they inject on lane 0 or any of host_lanes, have the
     * same intermediates, and a decision depends on no more than that a host sent the packet. */
    bool hosts_alike;
    bool asks_own; /* it uses what a switch notifies its own hosts of that depends on the packet */
    bool asks_contested; /* notifications are to say which packets are in others' way */
    uint32_t
        spread; /* when `single`: lanes on which ops->inject puts packets, which keep them; or 0 */
    /* The network looks the same to this routing when it is turned by so many switches (those of a
     * group). The dependency check then follows ways to the first so many only. 0: not known. */
    uint32_t turn;
    size_t port_size, switch_size; /* state of each switch output port and of each switch, zeroed */
    cop_time
        patience_ps; /* a head that waits so long is taken for deadlocked, and its packet absorbed
                             and sent again by the host of its switch; 0: the routing avoids deadlocks.
                             Packets `apart` are not: their ways must have no cycle */
    /* Options that act only where more bytes wait for a port than they say: the network refuses what
     * its buffers cannot hold. */
    struct cop_bar {
        const char *option;
        uint64_t bytes;
    } bar[COP_ROUTE_BARS];
    /* Options that act only if notifications can carry words above so much. */
    struct cop_word_bar {
        const char *option;
        double above;
    } word[COP_ROUTE_BARS];
    /* An option that acts only once so many packets have left a port. */
    struct cop_count_bar {
        const char *option;
        int64_t packets; /* values up to `usual` are not refused */
        int64_t usual;
    } count;
    const char *idle; /* what of it can never act here, for `coppice check`; NULL: nothing */
} cop_route_facts;

struct cop_route {
    const cop_route_ops *ops;
    const cop_topo *topo;
    const void *cfg;
    void *state; /* of the routing, in `arena` */
    cop_arena arena;
    uint32_t lanes; /* virtual lanes the network has (>= vls); set before setup, 0: not known yet */
    uint32_t
        data_lanes; /* those below nic.control_vl where it leaves the rest to control packets, or
                            those of service levels; else 0 */
    cop_route_facts facts;
    /* When facts.single: tables if the routing has them or they are small, else NULL and ops->route
     * computes. */
    uint16_t *lft; /* [switch * n_hosts + dst] -> local port */
    struct cop_levels *levels; /* service levels that select lanes (levels.h); NULL: they do not */
};

extern const cop_route_ops *const cop_routings[]; /* NULL at the end */
const cop_route_ops *cop_route_find(const char *name);

/* `cfg` NULL: the defaults of ops->opts. `lanes` 0: as many as the routing needs. On failure
 * nothing is left to free. `t` and `cfg` must live as long as the routing. */
int cop_route_init(cop_route *r, const cop_route_ops *ops, const cop_topo *t, const void *cfg,
                   uint32_t lanes, cop_err *err);
void cop_route_fini(cop_route *r);

/* deadlock.c: the channel dependency graph (Dally and Seitz; Duato for escape lanes). */
typedef struct cop_cdg_result {
    bool acyclic; /* no cycle among the dependencies followed */
    bool sampled; /* too many pairs: only some destinations were followed */
    bool unreachable; /* some pair is never delivered */
    uint32_t bad_src, bad_dst; /* such a pair */
    uint64_t channels, dependencies;
    /* By class of link: how many lanes are in use, the highest and those below, and a port that
     * uses the highest. Tables keep packets on the lane on which they come: lane 0 here. */
    uint32_t lanes[COP_LINK_CLASSES], lane_port[COP_LINK_CLASSES];
    bool of_control; /* the cycle is there only with control packets */
    bool escapes; /* the routing has escape lanes: only their dependencies were followed */
    uint32_t *cycle; /* ports of one cycle, cycle_len of them; owned, free with cop_free */
    uint8_t *cycle_vl;
    uint32_t cycle_len;
} cop_cdg_result;
/* Acknowledgements and notifications, which share channels with data: which nodes make them, and
 * their first lane (nic.control_vl; -1: as data). */
typedef struct cop_cdg_control {
    bool hosts, switches;
    int vl;
} cop_cdg_control;
/* Follows every (source, destination) the routing can produce, at most `budget` steps (0: all), and
 * then control packets; NULL: there are none. */
void cop_cdg_check(const cop_route *r, const cop_cdg_control *control, uint64_t budget,
                   cop_cdg_result *result);
void cop_cdg_free(cop_cdg_result *result);

#endif
