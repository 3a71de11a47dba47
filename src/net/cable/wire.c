/* Wires.
 *
 * Role     exact timing of a packet on a link, at packet granularity.
 * Timing   start s, delay d, length L, pace c (time per byte):
 *            head at the far end       s + d
 *            tail at the far end       s + d + L c
 *            switch, cut-through       may request from  s + d + min(header, L) c + pipeline
 *            switch, store-and-forward may request from  s + d + L c + pipeline
 *            host                      handled at the head, s + d
 *          The port is busy until s + L c.
 * Events   one pending COP_EV_ARRIVE per wire, for its oldest packet; the others wait in the list.
 * Order    packets arrive in the order in which they were sent (times are strictly increasing).
 * Source   M-sw-vct, M-sw-saf. */
#include "net/cable/wire.h"

#include "net/cable/fc.h"
#include "net/watch.h"

/* When a packet that starts at `start` on the wire into `in` is to be handled there. Hosts have no
 * header and pipeline times; store-and-forward counts the whole packet as header. */
static inline cop_time arrival(const cop_in *in, cop_time head, cop_time duration)
{
    return head + cop_min64(in->header_ps, duration) + in->pipeline_ps;
}

/* The run hash of a port: its sequence of (time, packet). Ports are combined by number, so the
 * result does not depend on how events of different ports interleave. */
static inline uint64_t hash_step(uint64_t h, cop_time t, const cop_pkt *p)
{
    uint64_t packet = (uint64_t)p->seq << 32 | p->src;
    return (h ^ (t + packet)) * 0x9E3779B97F4A7C15u;
}

cop_time cop_wire_send(cop_net *net, uint32_t port, uint32_t h)
{
    cop_out *out = &net->out[port];
    cop_pkt *p = &net->pkt[h];
    cop_in *in = &net->in[out->to];
    COP_ASSERT(out->busy_until <= net->now);
    cop_time duration = cop_wire_time(out->pace, p->bytes);
    cop_time leaves = net->now + duration;
    out->busy_until = leaves;
    p->t_tail = leaves + out->delay_ps;
    p->next = COP_NONE;
    if (in->wire_head == COP_NONE) {
        in->wire_head = h;
        cop_net_push(net, arrival(in, net->now + out->delay_ps, duration), COP_EV_ARRIVE, out->to);
    } else {
        net->pkt[in->wire_tail].next = h;
    }
    in->wire_tail = h;
    out->hash = hash_step(out->hash, net->now, p);
    out->sent_bytes += p->bytes;
    net->total.hops++;
    if (COP_UNLIKELY(p->flags & COP_PKT_WATCH))
        cop_watch_step(net, COP_WATCH_SEND, port, p);
    return leaves;
}

__attribute__((noinline)) void cop_wire_again(cop_net *net, uint32_t port, uint32_t h)
{
    if (net->inject != NULL)
        net->inject(net, port, h);
    else
        cop_wire_send(net, port, h);
}

uint32_t cop_wire_take(cop_net *net, uint32_t port)
{
    cop_in *in = &net->in[port];
    uint32_t h = in->wire_head;
    in->wire_head = net->pkt[h].next;
    if (in->wire_head != COP_NONE) {
        const cop_pkt *next = &net->pkt[in->wire_head];
        cop_time duration = cop_wire_time(in->pace, next->bytes);
        cop_net_push(net, arrival(in, next->t_tail - duration, duration), COP_EV_ARRIVE, port);
    }
    return h;
}
