/* Routings on dragonflies that choose between the minimal path and a non-minimal one, packet by
 * packet at the first switch, from the state of that switch. A routing is one rule; the rest is
 * here.
 *
 * Packets to another group choose; packets inside their group and control packets go minimal. The
 * non-minimal path visits one other group and turns there at the switch by which it enters: drawn
 * per packet (`via`), or that of the global link that belongs to the source's port (`via:
 * own-port`, host i of a switch and its global link i modulo h; only for links of the first
 * switch). `decide: head`: the choice of the arrival is made again when the packet comes to the
 * head of its queue at the first switch, with the state at that time. Both paths are in the
 * switch's table (flow_table.h): minimal entries with high priority and the routing's condition,
 * non-minimal ones with low priority for packets of hosts. It is compiled at set-up.
 * `progressive: yes`: a packet that chose the minimal path and was sent on inside its group chooses
 * again at the switch with the global link.
 *
 * Deadlock: lanes rise along the path, so channels are used in one order:
 *   local 0, global 0, local 1, global 1, local 2                                      3 lanes
 *   progressive: local 0, local 1, global 0, local 2, global 1, local 3                4 lanes
 * The last one is that of every local hop in the destination's group; control packets use their own
 * lane 1 there. hop->mid contains the visited group. */
#ifndef COP_ROUTE_DRAGONFLY_CHOICE_H
#define COP_ROUTE_DRAGONFLY_CHOICE_H

#include "route/dragonfly_table.h"

enum cop_choice_decide { COP_DECIDE_ARRIVAL, COP_DECIDE_HEAD };
enum cop_choice_via { COP_CHOICE_OTHER, COP_CHOICE_ANY_BUT_SOURCE, COP_CHOICE_OWN_PORT };

typedef struct cop_choice_cfg { /* common options; first member of each routing's configuration */
    int via; /* enum cop_choice_via */
    int decide; /* enum cop_choice_decide */
    bool progressive;
} cop_choice_cfg;

typedef struct cop_choice {
    cop_dragonfly map;
    cop_dragonfly_ports ports; /* compiled minimal entries */
    uint32_t
        *own; /* [switch * p + input port] compiled non-minimal entries of `own-port`: group, or
                 COP_NONE */
    uint16_t *global_links; /* [switch] with a cable */
    uint32_t most_global_links; /* of a switch */
    int via;
    bool progressive, at_head;
    bool no_links; /* the rule uses no lengths: they are left 0; set before or after
                      cop_choice_setup */
} cop_choice;

#define COP_MINIMAL_LINKS 4 /* of a minimal path, at most, with the host's */

/* The two paths of a packet: first hops, and lengths in links. */
typedef struct cop_ways {
    cop_cand minimal, other;
    uint32_t minimal_links, other_links;
    uint32_t via; /* group that the non-minimal one visits */
    bool for_good; /* the decision is final; with `decide: head` not on arrival */
} cop_ways;

/* True: the packet takes the non-minimal path. The view is that of hop->sw and has a random number
 * generator. */
typedef bool (*cop_choice_rule)(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                                const cop_route_view *view);

COP_OUTSIDE_BEGIN
extern const char *const cop_choice_via_names[];
extern const char *const cop_choice_decide_names[];
COP_OUTSIDE_END
#define COP_CHOICE_OPTS(cfg, via_default)                                                          \
    {"via",                                                                                        \
     COP_OPT_ENUM,                                                                                 \
     offsetof(cfg, choice.via),                                                                    \
     via_default,                                                                                  \
     0,                                                                                            \
     0,                                                                                            \
     cop_choice_via_names,                                                                         \
     "group that a non-minimal way visits: drawn among those of neither source nor destination, "  \
     "among "                                                                                      \
     "all but the source's, or that of the global link which the source's own port stands for"},   \
        {"decide",                                                                                 \
         COP_OPT_ENUM,                                                                             \
         offsetof(cfg, choice.decide),                                                             \
         "arrival",                                                                                \
         0,                                                                                        \
         0,                                                                                        \
         cop_choice_decide_names,                                                                  \
         "when the first switch chooses for good: as a packet comes in, or once more as it comes " \
         "to "                                                                                     \
         "the head of its queue"},                                                                 \
    {                                                                                              \
        "progressive", COP_OPT_BOOL, offsetof(cfg, choice.progressive), "no", 0, 0, NULL,          \
            "a packet may change its mind once more inside its first group (one lane more)"        \
    }

COP_OUTSIDE_BEGIN
/* For --watch: is this packet watched? Then a rule reports its decision, and the reason: numbers,
 * in a few words. */
static inline bool cop_choice_watched(const cop_route_view *view)
{
    return view->can != NULL && view->can->watched != NULL && view->can->watched(view->ctx);
}
void cop_choice_says(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                     const cop_route_view *view, bool other, const char *why);
/* The same if loads decide, in bytes, times the links of each path. */
void cop_choice_says_loads(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                           const cop_route_view *view, bool other, uint64_t minimal,
                           uint64_t around);
/* Set r up; `c` becomes r->state or its first member. */
int cop_choice_setup(cop_route *r, cop_choice *c, const cop_choice_cfg *cfg, cop_err *err);
/* Members `route`, `mid` and `table` of each routing. */
unsigned cop_choice_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand, cop_choice_rule rule);
bool cop_choice_mid(const cop_route *r, uint32_t src, uint32_t dst, uint32_t i, uint32_t *mid);
void cop_choice_table(const cop_route *r, uint32_t sw, cop_flow_table *t);
COP_OUTSIDE_END

#endif
