/* What all kinds of end nodes share (port.c, receive.c, throttle.c). See net/host.h for the
 * contract.
 *
 *   port.c      the sending port: attempts, control packets, packets of messages, the wire
 *   receive.c   the sink, and its control packets
 *   throttle.c  throttled flows, and the messages that wait for them
 *   simple*.c   kind `simple`;  hca*.c  kind `hca` */
#ifndef COP_HOST_H
#define COP_HOST_H

#include "host/throttle.h"
#include "net/cable/cable.h"
#include "net/flow/flow.h"
#include "net/switch/switch.h"

static inline uint32_t cop_host_port(const cop_net *net, uint32_t host)
{
    return net->host_port0 + host;
}

/* Let the host try to send at time t (or earlier, if already planned). */
void cop_host_wake(cop_net *net, uint32_t host, cop_time t);
/* Member `credit` of every kind: blocked messages may go, if there is room now. */
void cop_host_credit(cop_net *net, uint32_t port);
/* Member `receive` of every kind. */
void cop_host_receive(cop_net *net, uint32_t port, uint32_t h);
/* Queue a control packet (flags: ACK and/or CNP, BECN) that answers data packet `to`, ready at time
 * t. */
void cop_host_reply(cop_net *net, uint32_t host, uint32_t to, uint16_t flags, cop_time t);

/* Take the next message of a stream that has one: on the lane that routing and queueing scheme give
 * it, with its flow if flows are kept. In no list yet. */
uint32_t cop_host_take(cop_net *net, uint32_t host, uint32_t stream);
/* The next packet of message s, `payload` bytes long; counts as sent by its stream. */
uint32_t cop_host_packet(cop_net *net, uint32_t host, uint32_t s, uint32_t payload);
/* Packet h starts on the wire: takes its credit and its share of the injection limit. */
void cop_host_launch(cop_net *net, uint32_t host, uint32_t h);
/* The oldest control packet goes, if there is one and it can. */
bool cop_host_send_control(cop_net *net, uint32_t host);

/* The stream of the host that has waited longest among those that `may` give a message: by
 * generation time, saturated ones by their last turn. COP_NONE: there is none. */
typedef bool (*cop_host_may_fn)(const cop_net *net, const cop_stream *st, uint32_t s,
                                uint32_t limit);
static inline __attribute__((always_inline)) uint32_t
cop_host_oldest(const cop_net *net, uint32_t host, const cop_time *last, cop_host_may_fn may,
                uint32_t limit)
{
    const cop_traffic *tr = net->traffic;
    uint32_t best = COP_NONE;
    cop_time best_key = COP_NEVER;
    for (uint32_t s = tr->host_stream0[host]; s < tr->host_stream0[host + 1]; s++) {
        const cop_stream *st = &tr->stream[s];
        cop_time key = st->saturated ? cop_max64(last[s], st->t_next) : st->t_next;
        if (key < best_key && may(net, st, s, limit)) {
            best = s;
            best_key = key;
        }
    }
    return best;
}

/* Payload of the next packet of message m. */
static inline uint32_t cop_host_payload(const cop_net *net, const cop_send *m)
{
    uint32_t mtu = (uint32_t)net->nic_cfg->mtu_bytes;
    return m->left < mtu ? m->left : mtu;
}

/* Blocks of buffer that a packet with this payload takes. */
static inline uint32_t cop_host_blocks(const cop_net *net, uint32_t payload)
{
    return cop_blocks(payload + (uint32_t)net->nic_cfg->overhead_bytes);
}

/* The section of the first buffer that a packet to `dst` on lane vl would take. */
static inline uint32_t cop_host_section(const cop_net *net, uint32_t dst, uint32_t vl)
{
    if (COP_LIKELY(!net->sectioned))
        return vl;
    cop_pkt p = {.dst = dst};
    return cop_net_section_of(net, &p, vl);
}

/* When control packet h may go; COP_NEVER if there is none or it waits for credit. */
static inline cop_time cop_host_becomes_ready(const cop_net *net, uint32_t h)
{
    return h != COP_NONE && net->pkt[h].t_inj > net->now ? net->pkt[h].t_inj : COP_NEVER;
}

/* COP_EV_NIC: packets that are sent again and control packets go first; then `send` may send one
 * packet of data; `next` returns the time of the next attempt, credits and control packets
 * apart. */
typedef void (*cop_host_send_fn)(cop_net *net, uint32_t host);
typedef cop_time (*cop_host_next_fn)(const cop_net *net, uint32_t host);
static inline __attribute__((always_inline)) void
cop_host_attempt(cop_net *net, uint32_t host, cop_host_send_fn send, cop_host_next_fn next)
{
    cop_nic *nic = &net->nic[host];
    uint32_t port = cop_host_port(net, host);
    if (nic->wake != net->now)
        return;
    nic->wake = COP_NEVER;
    cop_fc_no_wait(&net->out[port], COP_WAIT_SHORT);
    bool answers = (nic->notice_head & nic->control_head) != COP_NONE; /* not both are empty */
    cop_fc_settle(net, port);
    if (cop_link_resend(net, port) || (answers && cop_host_send_control(net, host))) {
        cop_host_wake(net, host, net->now);
        return;
    }
    if (net->now >= nic->inject_free)
        send(net, host);
    if (net->fc->replay && (net->out[port].busy_until > net->now || cop_link_resend(net, port)))
        cop_host_wake(net, host, net->now);
    cop_time data = next(net, host);
    if (data != COP_NEVER)
        data = cop_max64(data, nic->inject_free);
    if (answers) {
        data = cop_min64(data, cop_host_becomes_ready(net, nic->notice_head));
        data = cop_min64(data, cop_host_becomes_ready(net, nic->control_head));
    }
    cop_host_wake(net, host, data);
}

#endif
