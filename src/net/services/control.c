/* Services of the network for run-time queueing schemes and congestion controls.
 *
 * Control messages travel against the data, one link delay, in order, without taking bandwidth:
 * they model the few bytes that a real switch inserts between packets (G-gran6-12). Two messages of
 * one instant arrive together, in the order in which they were sent. */
#include "net/services/services.h"

#include "net/cable/cable.h"
#include "net/flow/flow.h"
#include "net/switch/switch.h"
#include "net/watch.h"

const cop_netinfo *cop_net_info(const cop_net *net)
{
    return &net->info;
}

/* Ends the program if a congestion control reads a port of another switch, or reads one from a
 * host: nothing acts at a distance. */
static void must_be_here(const cop_net *net, uint32_t port)
{
    if (COP_UNLIKELY(port >= net->host_port0 || net->out[port].sw != net->here))
        cop_misused("cc", net->cc->name,
                    "a hook at a switch asks about ports of that switch, and of no other; one at a "
                    "host about none");
}

static void must_have_lane(const cop_net *net, uint32_t vl)
{
    if (COP_UNLIKELY(vl >= net->lanes))
        cop_misused("cc", net->cc->name, "it asks about a lane that the network has not");
}

uint32_t cop_net_roots(const cop_net *net, uint32_t port)
{
    must_be_here(net, port);
    return net->roots ? net->roots[port] : 0;
}

bool cop_net_passes(const cop_net *net, uint32_t port, uint32_t dst, uint32_t root, uint32_t hops)
{
    for (; hops > 0; hops--) {
        if (port == root)
            return true;
        uint32_t sw = net->in[net->out[port].to].sw;
        if (sw == COP_NONE)
            return false;
        port = cop_topo_switch_port(net->topo, sw, net->lft[(size_t)sw * net->info.n_hosts + dst]);
    }
    return false;
}

void cop_control_arrive(cop_net *net, uint32_t port)
{
    cop_mail *box = &net->control[port];
    uint64_t body;
    while (cop_mail_take(box, net->now, &body)) {
        if (COP_UNLIKELY(net->watch != NULL))
            cop_watch_message(net, port, body, true);
        cop_scheme_at(net, port)->runtime.on_control(net, port, body);
    }
    if (cop_mail_next(box) != COP_NEVER)
        cop_net_push(net, cop_mail_next(box), COP_EV_CONTROL, port);
}

void cop_control_fini(cop_net *net)
{
    for (uint32_t p = 0; net->control && p < net->topo->n_ports; p++)
        cop_free(net->control[p].v);
}

const void *cop_net_cc_cfg(const cop_net *net)
{
    return net->cc_cfg;
}

void *cop_net_cc_port(cop_net *net, uint32_t port)
{
    if (net->now > 0)
        must_be_here(net, port);
    if (COP_UNLIKELY(net->cc_port_bytes == 0))
        cop_misused("cc", net->cc->name, "it keeps nothing of ports; set port_size in its table");
    return net->cc_state + (size_t)port * net->cc_port_bytes;
}

void *cop_net_cc_net(cop_net *net)
{
    return net->cc_net;
}

void *cop_net_cc_alloc(cop_net *net, size_t n, size_t size)
{
    return cop_arena_array(&net->arena, n, size);
}

void cop_net_cc_wake(cop_net *net, void *state)
{
    const cop_flow *f = (const cop_flow *)state - 1;
    uint32_t table = net->flow_hash ? 0 : f->sl;
    size_t place = (size_t)((const char *)f - net->flow[table]) / net->flow_stride;
    if (COP_UNLIKELY(net->here != net->info.n_switches + f->src && net->cc->immediate == NULL))
        cop_misused("cc", net->cc->name,
                    "a hook wakes flows of the host it is called for, and of no other");
    net->host_ops->rouse(net, table << COP_FLOW_BITS | (uint32_t)place);
}

cop_time cop_net_wire_time(const cop_net *net, uint32_t port, uint32_t bytes)
{
    return cop_wire_time(net->out[port].pace, bytes);
}

cop_time cop_net_inject_time(const cop_net *net, uint32_t host, uint32_t bytes)
{
    cop_pace link = net->out[net->host_port0 + host].pace;
    return cop_wire_time(cop_max64(link, net->nic[host].inject_pace), bytes);
}

cop_time cop_net_now(const cop_net *net)
{
    return net->now;
}

uint64_t cop_net_waiting_bytes(const cop_net *net, uint32_t port)
{
    must_be_here(net, port);
    return net->out[port].waiting;
}

uint64_t cop_net_lane_bytes(const cop_net *net, uint32_t port, uint32_t vl)
{
    must_be_here(net, port);
    if (COP_UNLIKELY(net->lane_waiting == NULL))
        cop_misused("cc", net->cc->name,
                    "bytes of lanes are counted only if its table has asks_lanes");
    must_have_lane(net, vl);
    return net->lane_waiting[(size_t)port * net->lanes + vl];
}

uint64_t cop_net_sent_bytes(const cop_net *net, uint32_t port)
{
    must_be_here(net, port);
    return net->out[port].sent_bytes;
}

/* The first packet of the remaining queues. */
static const cop_pkt *first_of_rest(const cop_net *net, cop_input_walk *w)
{
    for (w->p = NULL; w->p == NULL && w->queue < w->end; w->queue++)
        if (net->queue[w->queue].head != COP_NONE)
            w->p = &net->pkt[net->queue[w->queue].head];
    return w->p;
}

const cop_pkt *cop_net_input_first(const cop_net *net, uint32_t in, cop_input_walk *w)
{
    COP_CHECK(net->in[in].sw == net->here);
    *w = (cop_input_walk){.queue = net->in[in].queue0, .end = cop_net_queue_end(net, in)};
    return first_of_rest(net, w);
}

const cop_pkt *cop_net_input_next(const cop_net *net, cop_input_walk *w)
{
    if (w->p->next == COP_NONE)
        return first_of_rest(net, w);
    return w->p = &net->pkt[w->p->next];
}

uint64_t cop_net_input_bytes(const cop_net *net, uint32_t in)
{
    COP_CHECK(net->in[in].sw == net->here);
    uint64_t bytes = 0;
    for (uint32_t q = net->in[in].queue0; q < cop_net_queue_end(net, in); q++)
        if (net->queue[q].head != COP_NONE)
            bytes += net->queue[q].bytes;
    return bytes;
}

uint32_t cop_net_out_port(const cop_net *net, uint32_t in, const cop_pkt *p)
{
    return net->in[in].port0 + p->out;
}

bool cop_net_faces_host(const cop_net *net, uint32_t port)
{
    return net->out[port].to >= net->host_port0;
}

bool cop_net_fed_by_host(const cop_net *net, uint32_t in)
{
    return net->in[in].from >= net->host_port0 && net->in[in].from != COP_NONE;
}

bool cop_net_header_of_host(const cop_net *net, uint32_t host, cop_header *of)
{
    const cop_traffic *tr = net->traffic;
    uint32_t s = tr->host_stream0[host];
    if (s == tr->host_stream0[host + 1])
        return false;
    *of = (cop_header){.src = host, .dst = host, .stream = s, .sl = tr->stream[s].sl};
    return true;
}

void *cop_net_told_at_once(cop_net *net, const cop_header *of)
{
    COP_CHECK(net->cc->immediate != NULL);
    net->total.becns++;
    net->total.told++;
    net->probe.stream[of->stream].becns++;
    return cop_flow_state(net, cop_flow_of(net, of->src, of->dst, of->sl));
}

bool cop_net_lane_room(cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p)
{
    must_be_here(net, port);
    must_have_lane(net, vl);
    cop_fc_settle(net, port);
    return cop_fc_fits(net, port, cop_net_section_of(net, p, vl), net->max_blocks);
}

bool cop_net_lane_empty(cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p)
{
    must_be_here(net, port);
    must_have_lane(net, vl);
    cop_fc_settle(net, port);
    return cop_fc_section(net, port, cop_net_section_of(net, p, vl))->used == 0;
}

uint32_t cop_net_flow_source(const void *flow)
{
    return ((const cop_flow *)flow - 1)->src;
}

uint64_t cop_net_output_bytes(const cop_net *net, uint32_t port)
{
    must_be_here(net, port);
    if (net->obuf == NULL)
        return net->out[port].waiting;
    uint64_t bytes = 0;
    for (uint32_t vl = 0; vl < net->lanes; vl++)
        bytes += (uint64_t)cop_obuf_held(net, port, vl) * COP_BLOCK_BYTES;
    return bytes;
}

uint64_t cop_net_output_lane_bytes(const cop_net *net, uint32_t port, uint32_t vl)
{
    must_be_here(net, port);
    must_have_lane(net, vl);
    if (net->obuf == NULL)
        return cop_net_lane_bytes(net, port, vl);
    return (uint64_t)cop_obuf_held(net, port, vl) * COP_BLOCK_BYTES;
}

uint32_t cop_net_section(const cop_net *net, const cop_pkt *p)
{
    return cop_net_section_of(net, p, p->out_vl);
}

bool cop_net_has_credit(cop_net *net, uint32_t port, const cop_pkt *p)
{
    must_be_here(net, port);
    cop_fc_settle(net, port);
    uint32_t held = net->credit_first ? cop_obuf_held(net, port, p->out_vl) : 0;
    return cop_fc_fits(net, port, cop_net_section_of(net, p, p->out_vl), held + net->max_blocks);
}
