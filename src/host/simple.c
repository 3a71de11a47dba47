/* End nodes of kind `simple`: no message blocks another inside the end node.
 *
 * Role     sends the messages of the host's streams packet by packet.
 * States   (net/host.h) of a message that was taken:
 *            ready      in the list of its lane; may send when its turn comes
 *            throttled  in the list of its flow, which is in the host's heap by time (throttle.c);
 *                       the messages of a flow become ready one by one
 *            held       in the host's list of held messages
 *            blocked    stays in the list of its lane: the whole lane waits for credit. With
 *                       buffers per destination (voqnet) others pass it.
 *          obstacle() alone decides which of these applies to a message whose turn it is.
 * Turns    a lane by VL arbitration; in it the oldest ready message, or with order `round-robin`
 *          messages in turn, packet by packet. All others: simple_take.c.
 * Source   M-bgen (no blocking in the generator), G-gran4-11. */
#include "host/simple.h"

#include "base/opt.h"
#include "host/host_list.h"

#include <string.h>

/* -- ready messages, one list per lane -- */

void cop_simple_ready(cop_net *net, uint32_t host, uint32_t s)
{
    cop_simple *si = cop_simple_of(net);
    uint32_t vl = net->send[s].vl;
    cop_simple_lane *l = cop_simple_lane_of(net, host, vl);
    net->send[s].next = COP_NONE;
    if (l->head == COP_NONE)
        l->head = s;
    else
        net->send[l->tail].next = s;
    l->tail = s;
    si->host[host].ready_n++;
    si->host[host].lanes_used |= 1u << vl;
    si->ready[net->send[s].stream]++;
    cop_out *out = &net->out[cop_host_port(net, host)];
    out->vl_ready |= 1u << vl;
    if (net->sectioned)
        cop_fc_open(out, 1u << vl); /* its destination may have room when others have none */
}

/* Take out the message after `before` (COP_NONE: the first). */
static void no_longer_ready(cop_net *net, uint32_t host, uint32_t vl, uint32_t before)
{
    cop_simple *si = cop_simple_of(net);
    cop_simple_lane *l = cop_simple_lane_of(net, host, vl);
    uint32_t *link = before == COP_NONE ? &l->head : &net->send[before].next, s = *link;
    *link = net->send[s].next;
    if (l->tail == s)
        l->tail = before;
    si->host[host].ready_n--;
    si->ready[net->send[s].stream]--;
    if (l->head == COP_NONE)
        net->out[cop_host_port(net, host)].vl_ready &= ~(1u << vl);
}

/* -- what may stop a message -- */

enum obstacle { NOTHING, THROTTLED, HELD, BLOCKED };

/* When the flow may send; not inlined, as without congestion control there are no flows. */
static __attribute__((noinline)) cop_time flow_time(cop_net *net, uint32_t flow)
{
    if (!net->cc->at_source.next_send)
        return net->now;
    if (cop_flow_at(net, flow)->throttled)
        return COP_NEVER;
    return cop_cc_at_host(net, cop_flow_at(net, flow)->src)
        ->at_source.next_send(net, cop_flow_state(net, flow), net->now);
}

static bool is_throttled(cop_net *net, uint32_t s, cop_time turn, cop_time *until)
{
    uint32_t flow = net->send[s].flow;
    if (COP_LIKELY(flow == COP_NONE))
        return false;
    *until = flow_time(net, flow);
    return *until > turn;
}

/* What stops ready message s from sending a packet of `blocks` now? */
static enum obstacle obstacle(cop_net *net, uint32_t host, uint32_t s, uint32_t blocks,
                              cop_time *until)
{
    const cop_send *m = &net->send[s];
    uint32_t port = cop_host_port(net, host);
    if (is_throttled(net, s, net->now, until))
        return THROTTLED;
    if (net->queue_ops->runtime.hold &&
        cop_scheme_at(net, port)->runtime.hold(net, port, m->dst, m->vl))
        return HELD;
    if (!cop_fc_fits(net, port, cop_host_section(net, m->dst, m->vl), blocks))
        return BLOCKED;
    return NOTHING;
}

/* Ready message s, behind `before`, waits in its flow's list until `until`; the flow may already be
 * in the heap. */
static void throttle(cop_net *net, uint32_t host, uint32_t s, uint32_t before, cop_time until)
{
    uint32_t flow = net->send[s].flow;
    no_longer_ready(net, host, net->send[s].vl, before);
    if (cop_flow_at(net, flow)->throttled) {
        cop_simple_join(net, s);
    } else {
        cop_flow_prepend(net, s);
        cop_throttle_add(net, flow, until);
    }
}

static void hold(cop_net *net, uint32_t host, uint32_t s, uint32_t before)
{
    cop_simple_host *sh = &cop_simple_of(net)->host[host];
    no_longer_ready(net, host, net->send[s].vl, before);
    net->send[s].next = COP_NONE;
    if (sh->held_head == COP_NONE)
        sh->held_head = s;
    else
        net->send[sh->held_tail].next = s;
    sh->held_tail = s;
}

static void simple_release(cop_net *net, uint32_t host)
{
    cop_simple_host *sh = &cop_simple_of(net)->host[host];
    uint32_t s = sh->held_head;
    if (s == COP_NONE)
        return;
    sh->held_head = COP_NONE;
    while (s != COP_NONE) {
        uint32_t following = net->send[s].next;
        cop_simple_ready(net, host, s);
        s = following;
    }
    cop_host_wake(net, host, net->now);
}

/* -- sending -- */

/* When the host may send its next packet. */
static cop_time next_turn(const cop_net *net, uint32_t host)
{
    return cop_max64(net->out[cop_host_port(net, host)].busy_until, net->nic[host].inject_free);
}

/* A message of the flow is gone, others wait in the flow's list, and none is ready: the first of
 * them becomes ready, at the host's next turn or when the congestion control allows. */
static __attribute__((noinline)) void next_of_flow(cop_net *net, uint32_t host, uint32_t flow)
{
    cop_time t = flow_time(net, flow);
    if (t > next_turn(net, host))
        cop_throttle_add(net, flow, t);
    else
        cop_simple_ready(net, host, cop_flow_pop(net, flow));
}

static void simple_rouse(cop_net *net, uint32_t flow)
{
    uint32_t host = cop_flow_at(net, flow)->src;
    if (!cop_throttle_rouse(net, flow))
        return;
    next_of_flow(net, host, flow);
    cop_host_wake(net, host, net->now);
}

static void send_packet(cop_net *net, uint32_t host, uint32_t s, uint32_t before, uint32_t payload)
{
    uint32_t h = cop_host_packet(net, host, s, payload), flow = net->send[s].flow;
    cop_send *m = &net->send[s];
    cop_time until;
    cop_host_launch(net, host, h);
    if (flow != COP_NONE && net->cc->at_source.on_send)
        cop_cc_at_host(net, host)->at_source.on_send(net, cop_flow_state(net, flow), &net->pkt[h]);
    if (m->left == 0) {
        no_longer_ready(net, host, m->vl, before);
        cop_simple_of(net)->here[m->stream]--;
        cop_send_free(net, s);
        if (flow != COP_NONE && cop_flow_at(net, flow)->head != COP_NONE &&
            !cop_flow_at(net, flow)->throttled)
            next_of_flow(net, host, flow);
    } else if (is_throttled(net, s, next_turn(net, host), &until)) {
        throttle(net, host, s, before, until);
    } else if (net->nic_cfg->order == COP_NIC_RR) {
        no_longer_ready(net, host, m->vl, before);
        cop_simple_ready(net, host, s);
    }
}

/* Send a packet of the first message of lane vl that may go. */
static bool send_from_lane(cop_net *net, uint32_t host, uint32_t vl)
{
    uint32_t before = COP_NONE, need = 0;
    cop_time until;
    for (uint32_t s = cop_simple_lane_of(net, host, vl)->head; s != COP_NONE;) {
        uint32_t payload = cop_host_payload(net, &net->send[s]), following = net->send[s].next,
                 blocks = cop_host_blocks(net, payload);
        switch (obstacle(net, host, s, blocks, &until)) {
        case NOTHING:
            send_packet(net, host, s, before, payload);
            return true;
        case THROTTLED:
            throttle(net, host, s, before, until);
            break;
        case HELD:
            hold(net, host, s, before);
            break;
        case BLOCKED:
            need = blocks; /* private sections: not used */
            before = s;
            if (!net->sectioned)
                following = COP_NONE;
        }
        s = following;
    }
    if (need > 0)
        cop_fc_block(net, cop_host_port(net, host), vl, need, COP_WAIT_LANES);
    return false;
}

static void send_data(cop_net *net, uint32_t host)
{
    cop_nic *nic = &net->nic[host];
    cop_out *out = &net->out[cop_host_port(net, host)];
    while (cop_throttle_next(net, nic) <= net->now)
        cop_simple_ready(net, host, cop_flow_pop(net, cop_throttle_pop(net, host)));
    do {
        uint32_t ready;
        if (net->nic_cfg->order == COP_NIC_RR)
            while (cop_simple_take(net, host, 1)) { /* one of each stream takes part in the turns */
            }
        while ((ready = out->vl_ready & ~out->vl_blocked)) {
            uint32_t vl = cop_vlarb_pick(net, cop_host_port(net, host), ready);
            if (send_from_lane(net, host, vl))
                return;
        }
    } while (cop_simple_take(net, host, UINT32_MAX));
}

/* As soon as a generation time or a throttle allows; at once if a lane has a ready message. */
static cop_time next_data(const cop_net *net, uint32_t host)
{
    const cop_nic *nic = &net->nic[host];
    const cop_out *out = &net->out[cop_host_port(net, host)];
    cop_time data = net->now;
    if (!(out->vl_ready & ~out->vl_blocked)) {
        data = cop_simple_next_message(net, host);
        if (data <= net->now && out->busy_until <= net->now && net->now >= nic->inject_free)
            data = COP_NEVER; /* just tried: it waits for credit */
    }
    return cop_min64(data, cop_throttle_next(net, nic));
}

static __attribute__((flatten)) void simple_attempt(cop_net *net, uint32_t host)
{
    cop_host_attempt(net, host, send_data, next_data);
}

static void simple_init(cop_net *net)
{
    uint32_t n = net->info.n_hosts, streams = net->traffic->n_streams;
    cop_simple *si = COP_NEW_ARRAY(&net->arena, cop_simple, 1);
    *si = (cop_simple){.host = COP_NEW_ARRAY(&net->arena, cop_simple_host, n),
                       .lane =
                           COP_NEW_ARRAY(&net->arena, cop_simple_lane, cop_product(n, net->lanes)),
                       .last = COP_NEW_ARRAY(&net->arena, cop_time, streams),
                       .here = COP_NEW_ARRAY(&net->arena, uint32_t, streams),
                       .ready = COP_NEW_ARRAY(&net->arena, uint32_t, streams)};
    si->data_lanes = net->route->facts.host_lanes ? net->route->facts.host_lanes
                     : net->route->data_lanes     ? net->route->data_lanes
                                                  : net->lanes;
    for (uint32_t h = 0; h < n; h++)
        si->host[h].held_head = si->host[h].held_tail = COP_NONE;
    memset(si->lane, 0xff, (size_t)n * net->lanes * sizeof(cop_simple_lane));
    net->host_state = si;
}

/* If service levels select lanes, the lanes of all streams of a host count as used from the start:
 * a message for a free lane may be behind many for a blocked one. */
static void know_lanes(cop_net *net)
{
    const cop_traffic *tr = net->traffic;
    const cop_route *r = net->route;
    for (uint32_t s = 0; r->levels && s < tr->n_streams; s++) {
        const cop_stream *st = &tr->stream[s];
        cop_hop hop = {.sl = st->sl, .src = st->host, .dst = st->host, .mid = COP_NONE};
        cop_simple_of(net)->host[st->host].lanes_used |= 1u << r->ops->inject(r, &hop, NULL);
    }
}

static void simple_start(cop_net *net)
{
    know_lanes(net);
    for (uint32_t host = 0; host < net->info.n_hosts; host++)
        cop_host_wake(net, host, cop_simple_next_message(net, host));
}

static void simple_soon(const cop_net *net, uint32_t host)
{
    __builtin_prefetch(&cop_simple_of(net)->host[host], 1);
    __builtin_prefetch(cop_simple_lane_of(net, host, 0), 1);
}

static const cop_opt no_opts[] = {{0}};

const cop_host_ops cop_host_simple = {
    .name = "simple",
    .summary = "a message that cannot go is set aside: none waits for another inside the end node",
    .source = "Papers I to IV; G-gran4-11",
    .opts = no_opts,
    .init = simple_init,
    .start = simple_start,
    .attempt = simple_attempt,
    .credit = cop_host_credit,
    .receive = cop_host_receive,
    .release = simple_release,
    .wake = cop_host_wake,
    .rouse = simple_rouse,
    .soon = simple_soon};
