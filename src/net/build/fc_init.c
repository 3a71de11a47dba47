/* Choice and construction of the flow control, with the head-room computation of on/off. */
#include "net/cable/cable.h"
#include "net/cable/fc_state.h"
#include "net/worm/worm.h"

#include <stdio.h>
#include <string.h>

/* Bytes that may still come in at `port` after it has sent OFF. */
static uint64_t headroom_at(const cop_net *net, uint32_t port)
{
    const cop_in *in = &net->in[port];
    const cop_out *sender = &net->out[in->from];
    cop_time longest = cop_wire_time(in->pace, net->info.mtu_bytes);
    cop_time processing = cop_min64(in->header_ps, longest) + in->pipeline_ps;
    cop_time window = 2 * (cop_time)sender->delay_ps + processing + net->fc_cfg->delay_ps;
    return (window << 16) / in->pace + 1 + net->info.mtu_bytes;
}

static uint64_t xon_at(const cop_net *net, uint32_t port)
{
    const cop_fc_cfg *cfg = net->fc_cfg;
    uint64_t xoff = cfg->xoff_bytes ? cfg->xoff_bytes : headroom_at(net, port);
    return cfg->xon_bytes ? cfg->xon_bytes : xoff + net->info.mtu_bytes;
}

static int64_t headroom_need(const cop_net *net, uint32_t port)
{
    return (int64_t)headroom_at(net, port);
}

static uint64_t capacity_at(const cop_net *net, uint32_t port)
{
    return (uint64_t)net->section[(size_t)net->in[port].from * net->sections].capacity *
           COP_BLOCK_BYTES;
}

static int64_t buffer_need(const cop_net *net, uint32_t port)
{
    return (int64_t)xon_at(net, port) - (int64_t)capacity_at(net, port);
}

/* The port that needs most, so that the remedy in the message is enough for all ports. */
static uint32_t port_with_most(const cop_net *net, int64_t (*need)(const cop_net *, uint32_t))
{
    uint32_t most = COP_NONE;
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        if (net->in[p].from != COP_NONE && (most == COP_NONE || need(net, p) > need(net, most)))
            most = p;
    return most;
}

static int refuse_xoff(const cop_net *net, cop_err *err)
{
    uint32_t port = port_with_most(net, headroom_need);
    char name[64];
    cop_topo_port_name(net->topo, port, name, sizeof(name));
    return cop_err_add(err, COP_E_INPUT,
                       "flow_control.xoff %" PRIu64 " B could lose packets at %s; at least %" PRIu64
                       " B of free space (2 x delay + processing at link rate + one packet), or "
                       "leave it out",
                       net->fc_cfg->xoff_bytes, name, headroom_at(net, port));
}

static int refuse_xon(const cop_net *net, cop_err *err)
{
    uint64_t xoff = net->fc_cfg->xoff_bytes;
    if (xoff == 0)
        xoff = headroom_at(net, port_with_most(net, headroom_need));
    return cop_err_add(err, COP_E_INPUT,
                       "flow_control.xon %" PRIu64 " B is below xoff %" PRIu64
                       " B; both are free space: give at least as much, or leave it out",
                       net->fc_cfg->xon_bytes, xoff);
}

/* The option that gives the buffer of a port its size. */
static const char *buffer_option(const cop_net *net, uint32_t port)
{
    const cop_switch_cfg *sw = net->sw_cfg;
    if (port >= net->host_port0)
        return "nic.buffer";
    switch (net->topo->port[port].link_class) {
    case COP_LINK_HOST:
        return sw->host_buffer_bytes ? "switch.host_buffer" : "switch.buffer";
    case COP_LINK_GLOBAL:
        return sw->global_buffer_bytes ? "switch.global_buffer" : "switch.buffer";
    default:
        return sw->trunk_buffer_bytes ? "switch.trunk_buffer" : "switch.buffer";
    }
}

/* A threshold of the configuration demands more free space than the buffer has. */
static int refuse_threshold(const cop_net *net, uint32_t port, cop_err *err)
{
    const cop_fc_cfg *cfg = net->fc_cfg;
    bool xon = cfg->xon_bytes > 0;
    uint64_t room = capacity_at(net, port), mtu = net->info.mtu_bytes,
             need = headroom_at(net, port);
    uint64_t most = xon ? room - 1 : room > mtu ? room - mtu - 1 : 0;
    char name[64], less[64] = "";
    cop_topo_port_name(net->topo, port, name, sizeof(name));
    if (xon ? most >= need : most >= cop_max64(need, 1))
        snprintf(less, sizeof(less), "give at most %" PRIu64 " B, or ", most);
    return cop_err_add(err, COP_E_INPUT,
                       "%s %" PRIu64 " B is free space: senders that wait go on when more than "
                       "%" PRIu64 " B of the buffer of %s are free, and it has %" PRIu64
                       " B in all; %smake %s larger",
                       xon ? "flow_control.xon" : "flow_control.xoff",
                       xon ? cfg->xon_bytes : cfg->xoff_bytes, xon_at(net, port), name, room, less,
                       buffer_option(net, port));
}

/* The buffer is too small for the bytes that may still come in. */
static int refuse_buffer(const cop_net *net, cop_err *err)
{
    uint32_t port = port_with_most(net, buffer_need);
    if (net->fc_cfg->xon_bytes || net->fc_cfg->xoff_bytes)
        return refuse_threshold(net, port, err);
    const char *buffer = buffer_option(net, port);
    char name[64];
    cop_topo_port_name(net->topo, port, name, sizeof(name));
    return cop_err_add(
        err, COP_E_INPUT,
        "%s: the buffer of %s, %" PRIu64 " B, cannot hold the head-room, %" PRIu64
        " B (2 x delay + processing at link rate + one packet), and ends PAUSE at "
        "%" PRIu64 " B of free space; make %s larger than that, or nic.mtu or delays smaller",
        buffer, name, capacity_at(net, port), headroom_at(net, port), xon_at(net, port), buffer);
}

static int onoff_thresholds(cop_net *net, uint32_t port, uint64_t capacity, cop_err *err)
{
    struct cop_fc_state *st = net->fc_state;
    const cop_fc_cfg *cfg = net->fc_cfg;
    uint64_t headroom = headroom_at(net, port), xon = xon_at(net, port);
    uint64_t xoff = cfg->xoff_bytes ? cfg->xoff_bytes : headroom;
    if (xoff < headroom && !cfg->unsafe)
        return refuse_xoff(net, err);
    if (xon < xoff)
        return refuse_xon(net, err);
    if (xon >= capacity)
        return refuse_buffer(net, err);
    st->inbuf[port].xoff = xoff;
    st->inbuf[port].xon = xon;
    return 0;
}

static int receiver_state(cop_net *net, bool onoff, cop_err *err)
{
    struct cop_fc_state *st = net->fc_state;
    uint32_t n = net->topo->n_ports;
    size_t sections = (size_t)n * net->sections;
    st->hold = COP_NEW_ARRAY(&net->arena, cop_hold, sections);
    st->inbuf = COP_NEW_ARRAY(&net->arena, cop_inbuf, n);
    cop_return *first = COP_NEW_ARRAY(&net->arena, cop_return, cop_product(n, COP_RING_FIRST));
    for (uint32_t p = 0; p < n; p++) {
        uint32_t from = net->in[p].from;
        if (from == COP_NONE)
            continue;
        cop_hold *hold = &st->hold[(size_t)p * net->sections];
        cop_ring_init(&st->inbuf[p].freed, &first[(size_t)p * COP_RING_FIRST]);
        st->inbuf[p].release_at = COP_NEVER;
        for (uint32_t s = 0; s < net->sections; s++) {
            cop_section *sec = &net->section[(size_t)from * net->sections + s];
            hold[s].capacity = ((uint64_t)sec->capacity * COP_BLOCK_BYTES) & INT64_MAX;
            if (onoff)
                sec->credit = COP_ONOFF_GO;
        }
        int rc = onoff ? onoff_thresholds(net, p, hold[0].capacity, err) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

static uint32_t *none_array(cop_net *net, size_t n)
{
    uint32_t *v = COP_NEW_ARRAY(&net->arena, uint32_t, n);
    memset(v, 0xff, n * sizeof(uint32_t));
    return v;
}

int cop_fc_init(cop_net *net, cop_err *err)
{
    uint32_t n = net->topo->n_ports;
    size_t sections = (size_t)n * net->sections;
    net->fc_state = COP_NEW_ARRAY(&net->arena, struct cop_fc_state, 1);
    if (net->worm) {
        net->fc = &cop_fc_worm;
        return 0;
    }
    switch ((enum cop_fc)net->fc_cfg->kind) {
    case COP_FC_CREDIT:
        net->fc = net->sw_cfg->shared_lanes ? &cop_fc_credit_shared : &cop_fc_credit;
        net->plain_credit = !net->sw_cfg->shared_lanes;
        return 0;
    case COP_FC_IB:
        net->fc = &cop_fc_ib;
        net->fc_state->behind = COP_NEW_ARRAY(&net->arena, uint32_t, sections);
        net->fc_state->draws = COP_NEW_ARRAY(&net->arena, uint64_t, n);
        return 0;
    case COP_FC_ONOFF:
        net->fc = &cop_fc_onoff;
        return receiver_state(net, true, err);
    case COP_FC_ACKNACK:
        net->fc = &cop_fc_acknack;
        net->fc_state->replayed = COP_NEW_ARRAY(&net->arena, uint8_t, n);
        net->fc_state->recovering = COP_NEW_ARRAY(&net->arena, uint8_t, sections);
        net->fc_state->expect = none_array(net, sections);
        net->fc_state->nacked_head = none_array(net, n);
        net->fc_state->nacked_tail = none_array(net, n);
        net->fc_state->replay_head = none_array(net, n);
        net->fc_state->replay_tail = none_array(net, n);
        return receiver_state(net, false, err);
    }
    return cop_err_add(err, COP_E_INPUT, "flow_control.kind %d is unknown", net->fc_cfg->kind);
}

void cop_fc_fini(cop_net *net)
{
    if (net->fc_state->inbuf)
        for (uint32_t p = 0; p < net->topo->n_ports; p++)
            cop_ring_fini(&net->fc_state->inbuf[p].freed);
}
