/* What an observer reads (look.h). Reads the machine, and writes nothing of it.
 *
 * Credits that have come back are settled when a sender reads them; an observer must not settle
 * them. So it adds what is due: exactly with relative credits; with other flow controls it takes a
 * return that has come for room. */
#include "net/look.h"

#include "net/cable/cable.h"
#include "net/switch/switch.h"

#include <math.h>

void cop_net_observe(struct cop_net *net, const cop_observer *o)
{
    net->observer = *o;
    net->look_at = o->look ? o->first : COP_NEVER;
}

/* -- ports -- */

static uint32_t due_blocks(const cop_ring *r, cop_time now, uint32_t section)
{
    uint32_t blocks = 0;
    for (uint32_t i = r->at; i != r->end && r->v[i & r->mask].t <= now; i++)
        blocks += r->v[i & r->mask].section == section ? r->v[i & r->mask].blocks : 0;
    return blocks;
}

static bool has_room(const cop_net *net, uint32_t port, uint32_t section, uint32_t blocks,
                     cop_time now)
{
    const cop_out *out = &net->out[port];
    if (cop_fc_fits(net, port, section, blocks))
        return true;
    if (!cop_ring_due(&out->ring, now))
        return false;
    return !net->plain_credit ||
           out->section[section].credit + due_blocks(&out->ring, now, section) >= blocks;
}

static bool faces_host(const cop_net *net, uint32_t port)
{
    return net->in[net->out[port].to].sw == COP_NONE;
}

static uint32_t asked_lanes(const cop_net *net, uint32_t port)
{
    const cop_out *out = &net->out[port];
    if (net->obuf == NULL || out->sw == COP_NONE)
        return out->vl_ready | out->vl_blocked;
    uint32_t lanes = net->credit_first ? out->vl_ready | out->vl_blocked : 0;
    return lanes | cop_obuf_lanes(net, port);
}

/* Buffers per destination: requests wait for the section of their destination. */
static void look_private(const cop_net *net, uint32_t port, cop_port_look *l)
{
    const cop_out *out = &net->out[port];
    if (out->sw == COP_NONE)
        l->full = out->vl_blocked;
    else if (net->section_waiters[port])
        l->full = (1u << net->lanes) - 1;
    l->asks |= l->full;
}

void cop_look_port(const struct cop_net *net, uint32_t port, cop_time now, cop_port_look *l)
{
    const cop_out *out = &net->out[port];
    *l = (cop_port_look){.waiting = out->waiting};
    if (out->to == COP_NONE)
        return;
    l->asks = asked_lanes(net, port);
    if (faces_host(net, port))
        return;
    if (net->sectioned)
        look_private(net, port, l);
    else
        for (uint32_t left = l->asks; left; left &= left - 1) {
            uint32_t vl = (uint32_t)__builtin_ctz(left);
            uint32_t held =
                net->credit_first && out->sw != COP_NONE ? cop_obuf_held(net, port, vl) : 0;
            if (!has_room(net, port, vl, held + net->max_blocks, now))
                l->full |= 1u << vl;
        }
    l->still = l->full != 0 && out->busy_until <= now;
}

static void add_look(const cop_net *net, uint32_t port, cop_time now, const cop_port_sums *sums)
{
    cop_port_look l;
    cop_look_port(net, port, now, &l);
    sums->still[port] = (uint8_t)(sums->still[port] + l.still);
    for (uint32_t left = l.asks; left; left &= left - 1) {
        uint32_t vl = (uint32_t)__builtin_ctz(left);
        size_t c = (size_t)port * net->lanes + vl;
        sums->asks[c]++;
        sums->full[c] = (uint8_t)(sums->full[c] + (l.full >> vl & 1));
    }
}

/* Input buffers and one lane, as most networks have them. The sums are bytes, which may alias
 * anything: constants are loaded into locals first. */
static void look_at_single_lanes(const cop_net *net, cop_time now, const cop_port_sums *sums)
{
    const cop_out *all = net->out;
    const cop_in *in = net->in;
    uint8_t *asks = sums->asks, *full = sums->full, *still = sums->still;
    for (uint32_t p = 0, n = net->topo->n_ports, blocks = net->max_blocks; p < n; p++) {
        const cop_out *out = &all[p];
        if ((out->vl_ready | out->vl_blocked) == 0 || out->to == COP_NONE)
            continue;
        asks[p]++;
        if (in[out->to].sw == COP_NONE || has_room(net, p, 0, blocks, now))
            continue;
        full[p]++;
        still[p] = (uint8_t)(still[p] + (out->busy_until <= now));
    }
}

bool cop_look_plain(const struct cop_net *net)
{
    return net->obuf == NULL && !net->sectioned && net->lanes == 1;
}

/* Most ports of most networks have no packet to send, or one lane: they have a fast path. */
void cop_look_ports(const struct cop_net *net, cop_time now, const cop_port_sums *sums)
{
    bool buffers = net->obuf != NULL || net->sectioned;
    if (cop_look_plain(net)) {
        look_at_single_lanes(net, now, sums);
        return;
    }
    for (uint32_t p = 0, n = net->topo->n_ports; p < n; p++)
        if (buffers || (net->out[p].vl_ready | net->out[p].vl_blocked) != 0)
            add_look(net, p, now, sums);
}

uint64_t cop_look_waiting(const struct cop_net *net, uint32_t port)
{
    return net->out[port].waiting;
}

cop_time cop_look_busy(const struct cop_net *net, uint32_t port, cop_time now)
{
    const cop_out *out = &net->out[port];
    cop_time busy = cop_wire_time(out->pace, out->sent_bytes);
    cop_time beyond = out->busy_until > now ? out->busy_until - now : 0;
    return busy > beyond ? busy - beyond : 0;
}

uint64_t cop_look_room(const struct cop_net *net, uint32_t port, uint32_t vl)
{
    const cop_out *out = &net->out[port];
    if (out->to == COP_NONE || faces_host(net, port))
        return 0;
    return (uint64_t)out->section[net->sectioned ? 0 : vl].capacity * COP_BLOCK_BYTES;
}

uint64_t cop_look_events(const struct cop_net *net)
{
    return net->total.events;
}

uint32_t cop_look_mtu(const struct cop_net *net)
{
    return net->info.mtu_bytes;
}

/* -- queues and packets -- */

void cop_look_queues(const struct cop_net *net, uint32_t port, uint32_t *first, uint32_t *end)
{
    uint32_t to = net->out[port].to;
    *first = *end = 0;
    if (to == COP_NONE || net->in[to].sw == COP_NONE)
        return;
    *first = net->in[to].queue0;
    *end = cop_net_queue_end(net, to);
}

uint32_t cop_look_n_queues(const struct cop_net *net)
{
    return net->n_queues;
}

uint32_t cop_look_bytes(const struct cop_net *net, uint32_t queue)
{
    return net->queue[queue].head == COP_NONE ? 0 : net->queue[queue].bytes;
}

bool cop_look_per_output(const struct cop_net *net)
{
    return net->per_output;
}

bool cop_look_private(const struct cop_net *net)
{
    return net->sectioned;
}

uint32_t cop_look_lanes(const struct cop_net *net)
{
    return net->lanes;
}

void cop_look_queue(const struct cop_net *net, uint32_t queue, cop_queue_look *l)
{
    const cop_queue *q = &net->queue[queue];
    l->bytes = 0;
    if (q->head == COP_NONE)
        return;
    const cop_pkt *p = &net->pkt[q->head];
    uint32_t port0 = net->in[net->queue_port[queue]].port0;
    *l = (cop_queue_look){.bytes = q->bytes,
                          .head = q->head,
                          .in_vl = p->vl,
                          .out = port0 + p->out,
                          .out_vl = p->out_vl,
                          .waits = q->posted || q->stopped};
    if (net->sectioned)
        l->full =
            !cop_fc_fits(net, l->out, cop_net_section_of(net, p, p->out_vl), cop_blocks(p->bytes));
}

cop_packet_look cop_look_packet(const struct cop_net *net, uint32_t packet)
{
    const cop_pkt *p = &net->pkt[packet];
    return (cop_packet_look){.next = p->next,
                             .src = p->src,
                             .dst = p->dst,
                             .stream = p->stream,
                             .bytes = p->bytes,
                             .out = p->out,
                             .control = (p->flags & COP_PKT_CONTROL) != 0};
}

/* -- streams -- */

uint32_t cop_look_streams(const struct cop_net *net)
{
    return net->traffic->n_streams;
}

uint64_t cop_look_delivered(const struct cop_net *net, uint32_t stream)
{
    return net->probe.stream[stream].delivered_bytes;
}

/* What a host can send, in bit/s. */
static double host_bps(const cop_net *net, uint32_t host)
{
    cop_pace wire = net->out[net->host_port0 + host].pace, limit = net->nic[host].inject_pace;
    cop_pace pace = cop_max64(wire, limit);
    return 8.0 * (double)COP_SECOND * 65536.0 / (double)pace;
}

/* A saturated stream shares its host with the other saturated ones. A stream that draws the times
 * of its messages has generated, up to t_next, all messages that were taken from it. */
static double wanted_bps(const cop_net *net, uint32_t s, cop_time now)
{
    const cop_traffic *tr = net->traffic;
    const cop_stream *st = &tr->stream[s];
    if (st->saturated) {
        uint32_t sharing = 0;
        for (uint32_t i = tr->host_stream0[st->host]; i < tr->host_stream0[st->host + 1]; i++)
            sharing += tr->stream[i].saturated && tr->stream[i].t_next <= now &&
                       now < tr->stream[i].t_stop;
        return sharing ? host_bps(net, st->host) / sharing : 0.0;
    }
    if (st->t_next == COP_NEVER || st->t_next == 0)
        return NAN;
    double bps =
        8.0 * (double)COP_SECOND * (double)net->probe.stream[s].sent_bytes / (double)st->t_next;
    double most = host_bps(net, st->host);
    return bps < most ? bps : most;
}

cop_stream_look cop_look_stream(const struct cop_net *net, uint32_t stream, cop_time now)
{
    return (cop_stream_look){.host = net->traffic->stream[stream].host,
                             .delivered = net->probe.stream[stream].delivered_bytes,
                             .wanted_bps = wanted_bps(net, stream, now)};
}
