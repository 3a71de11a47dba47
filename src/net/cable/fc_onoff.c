/* On/off flow control, per priority (IEEE 802.1Qbb PAUSE).
 *
 * Role     the receiver compares its buffer with thresholds and sends stop and go messages to the
 *          sender.
 * Rules    M-fc-onoff: free space < T_off and sender on -> OFF; free space > T_on and sender off ->
 *          ON. Messages take fc delay + link delay and no bandwidth; a packet on the wire is
 *          finished.
 * Headroom A packet counts when it is handled at the input (header + pipeline after its head). From
 *          the packet that crosses T_off until the sender stops, packets can start during
 *            W = 2 d + header + pipeline + processing,
 *          so T_off >= W / pace + one packet loses nothing (gran0-20). Smaller values are refused.
 * Events   COP_EV_RELEASE at the receiver, only while the sender is stopped. */
#include "base/outcome.h"
#include "net/cable/fc.h"
#include "net/cable/fc_state.h"
#include "net/watch.h"

#include <stdio.h>

static size_t at(const cop_net *net, uint32_t port, uint32_t s)
{
    return (size_t)port * net->sections + s;
}

static void onoff_settle(cop_net *net, uint32_t port, const cop_return *r)
{
    net->section[at(net, port, r->section)].credit = r->blocks ? 0 : COP_ONOFF_GO;
}

/* While some section is stopped, push an event for the time when the next bytes become free. */
static void arm_release(cop_net *net, cop_inbuf *b, uint32_t port)
{
    const cop_ring *r = &b->freed;
    if (COP_LIKELY(b->n_paused == 0) || r->at == r->end || r->v[r->at & r->mask].t >= b->release_at)
        return;
    b->release_at = r->v[r->at & r->mask].t;
    cop_net_push(net, b->release_at, COP_EV_RELEASE, port);
}

static void tell(cop_net *net, uint32_t port, uint32_t s, bool stop)
{
    net->fc_state->hold[at(net, port, s)].paused = stop;
    net->fc_state->inbuf[port].n_paused += stop ? 1 : -1u;
    net->total.pauses += stop;
    cop_return ret = {.t = cop_fc_back(net, port, net->now), .section = s, .blocks = stop};
    if (COP_UNLIKELY(net->watch != NULL)) {
        const cop_hold *hold = &net->fc_state->hold[at(net, port, s)];
        cop_watch_port(net, port, "%s of section %u, %" PRIu64 " of %" PRIu64 " B free",
                       stop ? "PAUSE" : "end of PAUSE", s, hold->capacity - hold->bytes,
                       (uint64_t)hold->capacity);
    }
    cop_fc_return(net, net->in[port].from, ret);
}

static void onoff_give(cop_net *net, uint32_t port, uint32_t s, uint32_t bytes, cop_time t)
{
    cop_inbuf *b = &net->fc_state->inbuf[port];
    cop_ring_insert(&b->freed, (cop_return){.t = t, .section = s, .blocks = bytes});
    arm_release(net, b, port);
}

static void onoff_release(cop_net *net, uint32_t port)
{
    cop_inbuf *b = &net->fc_state->inbuf[port];
    if (b->release_at != net->now)
        return;
    b->release_at = COP_NEVER;
    cop_hold *hold = &net->fc_state->hold[at(net, port, 0)];
    cop_fc_apply_freed(b, hold, net->now);
    for (uint32_t s = 0; s < net->sections; s++)
        if (hold[s].paused && hold[s].capacity - hold[s].bytes > b->xon)
            tell(net, port, s, false);
    arm_release(net, b, port);
}

static __attribute__((noinline)) void overflow(cop_net *net, uint32_t port, uint32_t s,
                                               const cop_hold *hold)
{
    char name[64];
    net->stop = COP_OUTCOME_LOSS;
    net->total.lost++;
    snprintf(net->why, sizeof(net->why),
             "buffer overflow at %s lane %u: %" PRIu64 " of %" PRIu64
             " bytes; raise flow_control.xoff or leave it out",
             cop_topo_port_name(net->topo, port, name, sizeof(name)), s, hold->bytes,
             (uint64_t)hold->capacity);
}

static bool onoff_arrive(cop_net *net, uint32_t port, uint32_t s, uint32_t h)
{
    cop_inbuf *b = &net->fc_state->inbuf[port];
    cop_hold *all = &net->fc_state->hold[at(net, port, 0)], *hold = &all[s];
    cop_fc_apply_freed(b, all, net->now);
    hold->bytes += net->pkt[h].bytes;
    if (COP_UNLIKELY(hold->bytes > hold->capacity)) {
        overflow(net, port, s, hold);
    } else if (!hold->paused && hold->capacity - hold->bytes < b->xoff) {
        tell(net, port, s, true);
        arm_release(net, b, port);
    }
    return true;
}

static const cop_ring *onoff_later(const cop_net *net, uint32_t port)
{
    return &net->fc_state->inbuf[port].freed;
}

const cop_fc_ops cop_fc_onoff = {.give = onoff_give,
                                 .later = onoff_later,
                                 .settle = onoff_settle,
                                 .arrive = onoff_arrive,
                                 .release = onoff_release,
                                 .in_bytes = true};
