/* Configuration structs of the routings that have options, and the list of all routings. */
#ifndef COP_ROUTE_CFG_H
#define COP_ROUTE_CFG_H

#include "base/opt.h"
#include "route/route.h"

typedef struct cop_updn_cfg { /* `updn` */
    int64_t root; /* switch number; -1: automatic */
} cop_updn_cfg;

enum cop_lane_choice { COP_LANE_OF_FLOW, COP_LANE_FREE };
enum cop_crossing { COP_CROSSING_CHANGES, COP_CROSSING_KEEPS };
typedef struct cop_dor_cfg { /* `dor` */
    bool datelines; /* no: one class of lanes, rings can deadlock */
    int ties; /* enum cop_ties */
    int64_t lanes; /* that flows are spread over; 0: all of the network */
    int choice; /* enum cop_lane_choice, among the lanes of a class */
    int crossing; /* enum cop_crossing: lanes of packets that cross a dateline */
} cop_dor_cfg;

enum cop_escape { COP_ESCAPE_RETURN, COP_ESCAPE_STAY };
typedef struct cop_adaptive_cube_cfg { /* `adaptive-cube` */
    int ties; /* enum cop_ties, of the escape lanes */
    int escape; /* enum cop_escape: what a packet on an escape lane may do */
    int64_t host_lanes; /* of hosts' links that it uses; 0: all */
} cop_adaptive_cube_cfg;

typedef struct cop_true_adaptive_cfg { /* `true-adaptive` */
    int ties; /* enum cop_ties */
    int64_t host_lanes; /* of hosts' links that it uses; 0: all */
    uint64_t timeout_ps; /* of a head that waits, until it is taken for deadlocked */
} cop_true_adaptive_cfg;

enum cop_valiant_to { COP_VALIANT_SWITCH, COP_VALIANT_GROUP };
enum cop_valiant_intra { COP_INTRA_MINIMAL, COP_INTRA_VALIANT };
enum cop_valiant_via { COP_VIA_OTHER, COP_VIA_ANY_BUT_SOURCE };
typedef struct cop_valiant_cfg { /* `dragonfly-valiant` */
    int to; /* enum cop_valiant_to */
    int intra; /* enum cop_valiant_intra: traffic inside one group */
    int via; /* enum cop_valiant_via: groups an intermediate may be in */
} cop_valiant_cfg;

typedef struct cop_table_cfg { /* `table` */
    const char *path; /* forwarding tables as OpenSM or dump_lfts print them */
} cop_table_cfg;

extern const cop_route_ops cop_route_dmodk, cop_route_destro, cop_route_det, cop_route_ftree;
extern const cop_route_ops cop_route_adaptive_tree, cop_route_random_tree;
extern const cop_route_ops cop_route_minhop, cop_route_updn;
extern const cop_route_ops cop_route_dor, cop_route_adaptive_cube, cop_route_true_adaptive;
extern const cop_route_ops cop_route_dragonfly_min, cop_route_dragonfly_valiant;
extern const cop_route_ops cop_route_ugal, cop_route_piggyback, cop_route_pause,
    cop_route_qcn_switch;
extern const cop_route_ops cop_route_destination_tag;
extern const cop_route_ops cop_route_table;

/* lft.c: fill lft[switch * n_hosts + host] from the text of a dump; `name` is for messages. */
int cop_lft_parse_text(const cop_topo *t, uint16_t *lft, const char *name, const char *text,
                       size_t len, cop_err *err);
/* lft_check.c: do these tables lead to every host? `name` is for messages. */
int cop_lft_check(const cop_topo *t, const uint16_t *lft, const char *name, cop_err *err);

#endif
