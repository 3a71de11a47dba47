/* Virtual lane arbitration.
 *
 * round-robin  lanes in turn, one packet each.
 *              A congestion control whose notifications have private lanes (cc.h: own_lanes) makes
 *              it two classes: those lanes first, in turn, then those of data, in turn.
 * strict       highest lane first (lossless Ethernet: highest priority).
 * ib           InfiniBand's two tables of (lane, weight in 64-byte units). The high table is served
 *              while it has ready lanes, but after Limit * 4 KiB of it (0: one packet, 255: no
 *              limit) the low table gets one packet. Inside a table the current entry keeps its
 *              turn until its weight is used up or its lane has nothing to send.
 * Source   InfiniBand Architecture Specification, VL arbitration. */
#include "net/cable/vlarb.h"

#include "net/fetch.h"

#define WEIGHT_UNIT 64
#define LIMIT_UNIT 4096

/* One of the two tables, as in the run file. */
typedef struct vl_table {
    struct {
        uint32_t vl;
        int32_t weight; /* bytes */
    } * entry;
    uint32_t n;
    uint32_t lanes; /* that have a weight */
} vl_table;

typedef struct table_state {
    uint32_t entry; /* whose turn it is */
    int32_t left; /* bytes of its weight not yet used */
} table_state;

typedef struct port_state {
    table_state high, low;
    int64_t high_run; /* bytes the high table has sent since the low one was served */
    bool from_high; /* last pick */
} port_state;

struct cop_vlarb_state {
    vl_table high, low;
    int64_t limit; /* bytes of the high table after which the low one is served */
    port_state *port;
};

static vl_table compile(cop_net *net, const cop_ints *list)
{
    vl_table t = {.n = (uint32_t)(list->n / 2)};
    t.entry = cop_arena_array(&net->arena, t.n, sizeof(*t.entry));
    for (uint32_t i = 0; i < t.n; i++) {
        t.entry[i].vl = (uint32_t)list->v[2 * i];
        t.entry[i].weight = (int32_t)list->v[2 * i + 1] * WEIGHT_UNIT;
        if (t.entry[i].weight > 0)
            t.lanes |= 1u << t.entry[i].vl;
    }
    return t;
}

static table_state first_turn(const vl_table *t)
{
    return (table_state){.left = t->n > 0 ? t->entry[0].weight : 0};
}

static vl_table turns(cop_net *net, uint32_t first, uint32_t end)
{
    vl_table t = {.n = end - first, .lanes = (1u << end) - (1u << first)};
    t.entry = cop_arena_array(&net->arena, t.n, sizeof(*t.entry));
    for (uint32_t i = 0; i < t.n; i++) {
        t.entry[i].vl = first + i;
        t.entry[i].weight = 1; /* a packet each */
    }
    return t;
}

static void start_tables(cop_net *net, vl_table high, vl_table low, int64_t limit)
{
    struct cop_vlarb_state *v = net->vlarb = COP_NEW_ARRAY(&net->arena, struct cop_vlarb_state, 1);
    *v = (struct cop_vlarb_state){.high = high, .low = low, .limit = limit};
    v->port = COP_NEW_ARRAY(&net->arena, port_state, net->topo->n_ports);
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        v->port[p] = (port_state){.high = first_turn(&v->high), .low = first_turn(&v->low)};
}

int cop_vlarb_init(cop_net *net, cop_err *err)
{
    const cop_switch_cfg *cfg = net->sw_cfg;
    if (cfg->vl_arbitration == COP_VLARB_RR && net->control_vl > 0 && net->cc_facts.own_lanes)
        start_tables(net, turns(net, net->control_vl, net->lanes), turns(net, 0, net->control_vl),
                     INT64_MAX);
    if (cfg->vl_arbitration != COP_VLARB_IB)
        return 0;
    uint32_t served = 0;
    const cop_ints *tables[] = {&cfg->vl_high, &cfg->vl_low};
    for (size_t t = 0; t < COP_LEN(tables); t++) {
        if (tables[t]->n % 2 != 0)
            return cop_err_add(err, COP_E_INPUT,
                               "switch.vl_high and vl_low are lists of pairs: vl, weight, ...");
        for (size_t i = 0; i < tables[t]->n; i += 2) {
            if (tables[t]->v[i] >= COP_MAX_VL)
                return cop_err_add(err, COP_E_INPUT,
                                   "switch.vl_high, vl_low: lane %lld; lanes are 0 to %d",
                                   (long long)tables[t]->v[i], COP_MAX_VL - 1);
            if (tables[t]->v[i + 1] > 0)
                served |= 1u << tables[t]->v[i];
        }
    }
    for (uint32_t vl = 0; vl < net->lanes; vl++)
        if (!(served >> vl & 1))
            return cop_err_add(
                err, COP_E_INPUT,
                "switch.vl_high, vl_low: lane %u has no weight and would never send; "
                "list every lane from 0 to %u with a weight above 0",
                vl, net->lanes - 1);
    start_tables(net, compile(net, &cfg->vl_high), compile(net, &cfg->vl_low),
                 cfg->vl_high_limit == 255
                     ? INT64_MAX
                     : (int64_t)cop_max64(1, (uint64_t)cfg->vl_high_limit * LIMIT_UNIT));
    return 0;
}

static void next_turn(const vl_table *t, table_state *st)
{
    st->entry = st->entry + 1 < t->n ? st->entry + 1 : 0;
    st->left = t->entry[st->entry].weight;
}

/* Move the table's turn to an entry whose lane is ready; false if it has none. */
static bool table_turn(const vl_table *t, table_state *st, uint32_t ready, uint32_t *vl)
{
    if ((ready & t->lanes) == 0) {
        if (t->n > 0) /* every entry had its turn, the first one twice */
            next_turn(t, st);
        return false;
    }
    while (st->left <= 0 || !(ready >> t->entry[st->entry].vl & 1))
        next_turn(t, st);
    *vl = t->entry[st->entry].vl;
    return true;
}

static uint32_t ib_pick(struct cop_vlarb_state *v, uint32_t port, uint32_t ready)
{
    port_state *st = &v->port[port];
    uint32_t vl = 0;
    st->from_high = false;
    if (st->high_run >= v->limit && table_turn(&v->low, &st->low, ready, &vl))
        return vl;
    if (table_turn(&v->high, &st->high, ready, &vl)) {
        st->from_high = true;
        return vl;
    }
    COP_CHECK(table_turn(&v->low, &st->low, ready, &vl));
    return vl;
}

uint32_t cop_vlarb_next(const cop_net *net, uint32_t port, uint32_t ready)
{
    if (net->sw_cfg->vl_arbitration == COP_VLARB_STRICT)
        return 31u - (uint32_t)__builtin_clz(ready);
    uint32_t from = ready & ~0u << net->out[port].rr_vl;
    return (uint32_t)__builtin_ctz(from ? from : ready);
}

uint32_t cop_vlarb_pick_slow(cop_net *net, uint32_t port, uint32_t ready)
{
    return net->vlarb ? ib_pick(net->vlarb, port, ready) : cop_vlarb_next(net, port, ready);
}

void cop_vlarb_sent_slow(cop_net *net, uint32_t port, uint32_t vl, uint32_t bytes)
{
    net->out[port].rr_vl = (uint8_t)((vl + 1) % COP_MAX_VL);
    if (net->vlarb == NULL)
        return;
    port_state *st = &net->vlarb->port[port];
    if (st->from_high) {
        st->high.left -= (int32_t)bytes;
        st->high_run += bytes;
    } else {
        st->low.left -= (int32_t)bytes;
        st->high_run = 0;
    }
}

void cop_vlarb_prefetch(const cop_net *net, uint32_t port)
{
    if (net->vlarb)
        cop_fetch(&net->vlarb->port[port]);
}
