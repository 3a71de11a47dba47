/* Virtual lane arbitration.
 *
 * round-robin  lanes in turn, one packet each.
 * strict       highest lane first (lossless Ethernet: highest priority).
 * ib           InfiniBand's two tables of (lane, weight in 64-byte units). The high table is served
 *              while it has ready lanes, but after Limit * 4 KiB of it (0: one packet, 255: no
 *              limit) the low table gets one packet. Inside a table the current entry keeps its turn
 *              until its weight is used up or its lane has nothing to send.
 * Source   InfiniBand Architecture Specification, VL arbitration. */
#include "net/vlarb.h"

#include "net/ahead.h"

#define WEIGHT_UNIT 64
#define LIMIT_UNIT 4096

typedef struct table_state {
    uint8_t entry; /* whose turn it is */
    int32_t left; /* bytes of its weight not yet used */
} table_state;

struct cop_vlarb_state {
    table_state high, low;
    int64_t high_run; /* bytes the high table has sent since the low one was asked */
    bool from_high; /* last pick */
};

int cop_vlarb_init(cop_net *net, cop_err *err)
{
    const cop_switch_cfg *cfg = net->sw_cfg;
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
    net->vlarb = COP_NEW_ARRAY(&net->arena, struct cop_vlarb_state, net->topo->n_ports);
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        net->vlarb[p].high.left = cfg->vl_high.n ? (int32_t)cfg->vl_high.v[1] * WEIGHT_UNIT : 0;
        net->vlarb[p].low.left = cfg->vl_low.n ? (int32_t)cfg->vl_low.v[1] * WEIGHT_UNIT : 0;
    }
    return 0;
}

/* Move the table's turn to an entry whose lane is ready; false if it has none. */
static bool table_turn(const cop_ints *table, table_state *st, uint32_t ready, uint32_t *vl)
{
    size_t entries = table->n / 2;
    for (size_t i = 0; i <= entries; i++) {
        if (entries == 0)
            break;
        uint32_t lane = (uint32_t)table->v[2 * st->entry];
        if (st->left > 0 && (ready >> lane & 1)) {
            *vl = lane;
            return true;
        }
        st->entry = (uint8_t)((st->entry + 1u) % entries);
        st->left = (int32_t)table->v[2 * st->entry + 1] * WEIGHT_UNIT;
    }
    return false;
}

static uint32_t ib_pick(cop_net *net, uint32_t port, uint32_t ready)
{
    const cop_switch_cfg *cfg = net->sw_cfg;
    struct cop_vlarb_state *st = &net->vlarb[port];
    uint32_t vl = 0;
    bool limited = cfg->vl_high_limit != 255 && st->high_run > 0 &&
                   st->high_run >= cfg->vl_high_limit * LIMIT_UNIT;
    if (limited && table_turn(&cfg->vl_low, &st->low, ready, &vl)) {
        st->from_high = false;
        return vl;
    }
    if (table_turn(&cfg->vl_high, &st->high, ready, &vl)) {
        st->from_high = true;
        return vl;
    }
    COP_CHECK(table_turn(&cfg->vl_low, &st->low, ready, &vl));
    st->from_high = false;
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
    return net->vlarb ? ib_pick(net, port, ready) : cop_vlarb_next(net, port, ready);
}

void cop_vlarb_sent_slow(cop_net *net, uint32_t port, uint32_t vl, uint32_t bytes)
{
    net->out[port].rr_vl = (uint8_t)((vl + 1) % COP_MAX_VL);
    if (net->vlarb == NULL)
        return;
    struct cop_vlarb_state *st = &net->vlarb[port];
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
        cop_fetch(&net->vlarb[port]);
}
