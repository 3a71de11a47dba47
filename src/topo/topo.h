/* Topologies: pure graphs. Hosts, switches, ports and directed links in flat arrays; no timing, no
 * routing, no simulation. Immutable once built.
 *
 * Every port of the network has one number. The ports of switch s are sw_port0[s] ..
 * sw_port0[s+1]-1, in local order; after all switch ports follow the hosts: host h has exactly port
 * host_port0 + h. A directed link has the number of the port that sends on it: port p sends to port
 * to[p] and receives from port from[p]. Both are equal for a full-duplex cable; in the one-way
 * multistage networks (Omega, butterfly) they differ. COP_NONE marks a port without a cable in that
 * direction. */
#ifndef COP_TOPO_H
#define COP_TOPO_H

#include "base/err.h"
#include "base/mem.h"

struct cop_opt;

/* What a cable is for; rates, delays, lanes and buffers can be configured per class. */
enum cop_link_class {
    COP_LINK_HOST, /* between a host and a switch */
    COP_LINK_TRUNK, /* between switches; inside a group of a dragonfly */
    COP_LINK_GLOBAL, /* between groups of a dragonfly */
    COP_LINK_CLASSES
};

/* What a routing may know about the regular structure it runs on. */
enum cop_shape_kind {
    COP_SHAPE_ANY, /* no known structure */
    COP_SHAPE_TREE, /* XGFT: levels, m[] children, w[] parents */
    COP_SHAPE_CUBE, /* torus, mesh, hypercube */
    COP_SHAPE_DRAGONFLY, /* p, a, h, groups */
    COP_SHAPE_MULTISTAGE /* one-way: radix, stages */
};

#define COP_MAX_LEVELS 8
#define COP_MAX_DIMS 16
#define COP_MAX_HOSTS (1u << 24) /* of one network */
#define COP_MAX_NET_PORTS (1u << 28) /* of one network: port numbers must fit in an event's key */

/* XGFT(levels; m[1..levels]; w[1..levels]) of Ohring et al. Level 0 are the hosts, level `levels`
 * the roots; a node of level l has m[l] children and w[l+1] parents; w[1] is 1. Switches are
 * numbered level by level from the leaves (level 1) up; on a switch of level l local ports
 * 0..m[l]-1 go down, then w[l+1] ports go up.
 *
 * Node x of level l has coordinates (c[levels], .., c[1]): c[i] < w[i] up to i = l, c[i] < m[i]
 * above; inside its level it is numbered with c[1] fastest. Parent at level l and child differ in
 * c[l] only: child j has c[l] = j, and its up port number is the parent's c[l].
 *
 * k-ary n-tree: m = k,..,k and w = 1,k,..,k. 648 ports: m = 18,36 and w = 1,18. */
typedef struct cop_tree_shape {
    uint32_t levels;
    uint32_t m[COP_MAX_LEVELS + 1], w[COP_MAX_LEVELS + 2]; /* 1-based; w[levels+1] = 0 */
    uint32_t level0[COP_MAX_LEVELS + 2]; /* first switch of level l >= 1; [levels+1]: all of them */
} cop_tree_shape;

/* Switch coordinates: dimension 0 is fastest in the switch number. Local ports: 2*i is "plus" and
 * 2*i+1 is "minus" of dimension i, then come the hosts. "plus" of coordinate c is cabled to "minus"
 * of c+1. The outer ports of a dimension without wrap have no cable. A dimension of radix 2 has one
 * cable, from "plus" to "plus", and never wraps.
 * Host number = switch * hosts_per_switch + its index there. */
typedef struct cop_cube_shape {
    uint32_t dims;
    uint32_t radix[COP_MAX_DIMS];
    bool wrap[COP_MAX_DIMS]; /* torus dimension (needs radix >= 3) */
    uint32_t hosts_per_switch;
} cop_cube_shape;

/* Dragonfly with p hosts, a-1 local and h global links per switch, fully connected groups.
 * Switch number = group * a + its index s in the group; host number = switch * p + its index
 * there.
 * Local ports: 0..p-1 hosts, p..p+a-2 local (to the other switches of the group in ascending
 * order), then h global. Global port j of switch s is global link k = s*h + j + 1 of its group, so
 * k runs from 1 to a*h.
 *
 * Full size, groups = a*h + 1, arranged as a palm tree: link k of group G leads to group
 * (G - k) mod groups and is link groups - k there. Each pair of groups has one cable, and the last
 * port of the last switch leads to group G+1.
 *
 * With fewer groups the links form rounds of groups-1: k = round * (groups-1) + o with o from 1 to
 * groups-1. Link k leads to group (G - o) mod groups and is link round * (groups-1) + groups - o
 * there; where that is beyond a*h, in the last round, the link has no cable. */
typedef struct cop_dragonfly_shape {
    uint32_t p, a, h, groups;
} cop_dragonfly_shape;

/* One-way network of `stages` columns of radix x radix switches; column 0 receives from the hosts,
 * the last column sends to them: output i of row r to host r * radix + i. Switch number = column *
 * (hosts/radix) + row. Local port i is input i and output i of the switch. In both kinds the only
 * path to host d takes, in column c, the output given by digit stages-1-c of d in base radix. */
typedef struct cop_multistage_shape {
    uint32_t radix, stages;
    bool butterfly; /* digits 0 and stages-1-c swap after column c; else Omega: a perfect shuffle
                     * before every column */
} cop_multistage_shape;

typedef struct cop_shape {
    enum cop_shape_kind kind;
    union {
        cop_tree_shape tree;
        cop_cube_shape cube;
        cop_dragonfly_shape dragonfly;
        cop_multistage_shape multistage;
    } u;
} cop_shape;

typedef struct cop_port {
    uint32_t to; /* port this one sends to */
    uint32_t from; /* port this one receives from */
    uint32_t owner; /* switch number, or n_switches + host number */
    uint16_t local; /* number inside its owner, from 0 */
    uint8_t link_class; /* enum cop_link_class of the link it sends on */
    uint8_t
        rate_rank; /* of that link: 0 = configured rate; else index into speed[] (from a file) */
} cop_port;

typedef struct cop_topo {
    cop_arena arena; /* owns everything below */
    uint32_t n_hosts, n_switches, n_ports;
    uint32_t host_port0; /* number of the first host's port */
    uint32_t *sw_port0; /* [n_switches + 1] */
    cop_port *port; /* [n_ports] */
    uint64_t speed[256]; /* bit/s of rate_rank i, i >= 1 */
    uint32_t n_speeds; /* ranks in use, including rank 0 */
    cop_shape shape;
    const char *kind; /* generator's name */
    /* Servers with several NICs, each a host: NIC r of server s of a pod of `pod_servers` is host
     * (s / pod_servers * rails + r) * pod_servers + s % pod_servers. rails 0: a host is a host. */
    uint32_t rails, pod_servers;
    /* Names and addresses; NULL where the generator has none (then "h12", "s3" are derived). */
    char **host_name, **switch_name;
    uint16_t *host_lid, *switch_lid;
    uint64_t *host_guid, *switch_guid;
} cop_topo;

typedef struct cop_topo_ops {
    const char *name, *summary, *source; /* one line each; source: paper or document */
    const struct cop_opt *opts; /* option table, ends with a zero entry */
    size_t cfg_size;
    /* Fill *t (zeroed by the caller). On failure *t is freed by the caller with cop_topo_free. */
    int (*build)(cop_topo *t, const void *cfg, cop_err *err);
} cop_topo_ops;

/* registry.c: all generators, NULL at the end. */
extern const cop_topo_ops *const cop_topologies[];
const cop_topo_ops *cop_topo_find(const char *name);

COP_OUTSIDE_BEGIN
/* graph.c: building. Order: begin, (switch sizes known) ports are created, cable..., finish. */
void cop_topo_begin(cop_topo *t, uint32_t n_hosts, uint32_t n_switches,
                    const uint32_t *ports_of_switch);
void cop_topo_cable(cop_topo *t, uint32_t a, uint32_t b, enum cop_link_class cls); /* both ways */
void cop_topo_one_way(cop_topo *t, uint32_t a, uint32_t b,
                      enum cop_link_class cls); /* a sends to b */
/* Validates: switches not too large, links paired, every host cabled to a switch in both
 * directions, every host reaches every other. */
int cop_topo_finish(cop_topo *t, cop_err *err);
void cop_topo_free(cop_topo *t);

static inline uint32_t cop_topo_switch_port(const cop_topo *t, uint32_t sw, uint32_t local)
{
    return t->sw_port0[sw] + local;
}
static inline uint32_t cop_topo_host_port(const cop_topo *t, uint32_t host)
{
    return t->host_port0 + host;
}
static inline bool cop_topo_is_host_port(const cop_topo *t, uint32_t port)
{
    return port >= t->host_port0;
}
static inline uint32_t cop_topo_ports_of(const cop_topo *t, uint32_t sw)
{
    return t->sw_port0[sw + 1] - t->sw_port0[sw];
}
/* The switch that host h sends to, and the one it receives from. */
static inline uint32_t cop_topo_entry_switch(const cop_topo *t, uint32_t h)
{
    return t->port[t->port[t->host_port0 + h].to].owner;
}
static inline uint32_t cop_topo_exit_port(const cop_topo *t, uint32_t h)
{
    return t->port[t->host_port0 + h].from;
}

/* The place of a host when NICs of a server follow each other. */
static inline uint32_t cop_topo_server_order(const cop_topo *t, uint32_t h)
{
    if (t->rails == 0)
        return h;
    uint32_t leaf = h / t->pod_servers,
             server = leaf / t->rails * t->pod_servers + h % t->pod_servers;
    return server * t->rails + leaf % t->rails;
}

/* Names for output: "h12" or the file's name. Written to buf, returned. */
const char *cop_topo_host_name(const cop_topo *t, uint32_t host, char *buf, size_t size);
const char *cop_topo_switch_name(const cop_topo *t, uint32_t sw, char *buf, size_t size);
/* "s3.5" (switch 3, local port 5), "leaf3.5" where switches have names (then ports count from 1, as
 * on their labels), or the host's name. */
const char *cop_topo_port_name(const cop_topo *t, uint32_t port, char *buf, size_t size);
COP_OUTSIDE_END

/* file.c: read the text that ibnetdiscover prints and ibsim reads; `name` is the file's name in
 * messages. The caller zeroes *t, and frees it also after a failure. */
int cop_topo_parse_text(cop_topo *t, const char *name, const char *text, size_t len, cop_err *err);

/* Facts used by `coppice check`, tests and claims. */
typedef struct cop_topo_facts {
    uint32_t cables; /* full-duplex cables count once, one-way links once */
    uint32_t switch_cables; /* those between switches */
    uint32_t max_ports; /* largest switch */
    uint32_t diameter; /* most switches on a shortest path between two hosts */
    double mean_switches; /* mean switches on a shortest path over ordered host pairs */
} cop_topo_facts;
/* Breadth-first search from every switch that receives from hosts. With more than `max_sources` of
 * them (0 = no limit) it starts from that many, evenly spaced: then the diameter is a lower bound
 * and the mean an estimate. */
void cop_topo_measure(const cop_topo *t, uint32_t max_sources, cop_topo_facts *facts);

#endif
