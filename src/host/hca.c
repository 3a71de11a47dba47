/* End nodes of kind `hca`: queues of finite size, as in the figures of Papers V and VI.
 *
 *   streams -> generation queues -> injection queues -> link
 *
 * Role     a message goes into the generation queue of its destination, which has room for
 *          `generation` of them; when that is full, its stream waits, and later messages of the
 *          stream wait behind it. Packets move from the generation queues, in turns, to the
 *          injection queues as long as these have room (hca_inject.c).
 * States   (net/host.h) of a generation queue that is not empty:
 *            ready      in the ring of its lane; the first gives a packet and goes to the end
 *            throttled  in the host's heap by time (throttle.c); `throttle: injection` lets packets
 *                       wait at the head of their injection queue instead
 *            held       a stopped CAM line lists its destination, until the scheme releases it
 *            full       buffers per destination alone: its injection queue has no room. Elsewhere
 *                       the whole ring waits for room.
 *          Only heads of injection queues can be blocked.
 * Time     moving a packet inside the adapter takes none.
 * Sizes    neither paper gives them: both are options.
 * Source   M-ccfit-ia, M-ecocc-hca, M-nic: Paper V III-B and III-D, Paper VI 3.2 and 4.1. */
#include "host/hca.h"

#include "base/opt.h"
#include "host/host_list.h"

#include <string.h>

/* -- lists of generation queues -- */

/* The ring for a generation queue with this first message. */
static uint32_t *ring_of(const cop_net *net, uint32_t host, uint32_t flow)
{
    uint32_t vl = net->send[cop_flow_at(net, flow)->head].vl;
    return &cop_hca_of(net)->ring[(size_t)host * net->lanes + vl];
}

static void ring_add(cop_net *net, uint32_t host, uint32_t flow)
{
    uint32_t *ring = ring_of(net, host, flow);
    cop_hca_gen *g = cop_hca_gen_of(net, flow);
    g->state = COP_HCA_READY;
    if (*ring == COP_NONE) {
        g->next = flow;
    } else {
        cop_hca_gen *last = cop_hca_gen_of(net, *ring);
        g->next = last->next;
        last->next = flow;
    }
    *ring = flow;
}

/* Take the first of the ring out. */
static uint32_t ring_pop(cop_net *net, uint32_t *ring)
{
    cop_hca_gen *last = cop_hca_gen_of(net, *ring);
    uint32_t first = last->next;
    last->next = cop_hca_gen_of(net, first)->next;
    if (first == *ring)
        *ring = COP_NONE;
    return first;
}

static void hold(cop_net *net, uint32_t host, uint32_t flow)
{
    cop_hca_host *hh = &cop_hca_of(net)->host[host];
    cop_hca_gen *g = cop_hca_gen_of(net, flow);
    g->state = COP_HCA_HELD;
    g->next = hh->held;
    hh->held = flow;
}

static void hca_release(cop_net *net, uint32_t host)
{
    cop_hca_host *hh = &cop_hca_of(net)->host[host];
    while (hh->held != COP_NONE) {
        uint32_t flow = hh->held;
        hh->held = cop_hca_gen_of(net, flow)->next;
        ring_add(net, host, flow);
    }
    cop_host_wake(net, host, net->now);
}

static void hca_rouse(cop_net *net, uint32_t flow)
{
    uint32_t host = cop_flow_at(net, flow)->src;
    const cop_hca_host *hh = &cop_hca_of(net)->host[host];
    bool slept = hh->asleep; /* its packet may wait at the head of an injection queue */
    if (cop_throttle_rouse(net, flow)) {
        ring_add(net, host, flow);
        slept = true;
    }
    if (slept && !hh->inside)
        cop_host_wake(net, host, net->now);
}

void cop_hca_made_room(cop_net *net, uint32_t host, uint32_t dst)
{
    if (!net->sectioned)
        return;
    for (uint32_t left = cop_hca_of(net)->levels; left; left &= left - 1) {
        uint32_t flow = cop_flow_find(net, host, dst, (uint8_t)__builtin_ctz(left));
        if (flow != COP_NONE && cop_hca_gen_of(net, flow)->state == COP_HCA_FULL)
            ring_add(net, host, flow);
    }
}

/* -- from the streams to the generation queues -- */

static bool has_place(const cop_net *net, uint32_t s)
{
    uint32_t there = cop_hca_gen_of(net, net->send[s].flow)->messages;
    return there < (uint32_t)cop_hca_cfg_of(net)->generation;
}

static void generate(cop_net *net, uint32_t host, uint32_t s)
{
    uint32_t flow = net->send[s].flow;
    cop_hca_gen *g = cop_hca_gen_of(net, flow);
    g->messages++;
    cop_flow_append(net, s);
    if (g->state == COP_HCA_EMPTY)
        ring_add(net, host, flow);
}

/* The stream whose waiting message enters its generation queue next: the oldest that has a place.
 * COP_NONE: there is none. */
static uint32_t first_door(const cop_net *net, uint32_t host)
{
    const cop_traffic *tr = net->traffic;
    const uint32_t *door = cop_hca_of(net)->door;
    const cop_send *best = NULL;
    uint32_t first = COP_NONE;
    for (uint32_t st = tr->host_stream0[host]; st < tr->host_stream0[host + 1]; st++) {
        if (door[st] == COP_NONE || !has_place(net, door[st]))
            continue;
        const cop_send *m = &net->send[door[st]];
        if (best && (m->t_gen != best->t_gen ? m->t_gen > best->t_gen
                                             : cop_counts_after(m->serial, best->serial)))
            continue;
        best = m;
        first = st;
    }
    return first;
}

static bool open_doors(cop_net *net, uint32_t host)
{
    uint32_t *door = cop_hca_of(net)->door, stream;
    bool some = false;
    while ((stream = first_door(net, host)) != COP_NONE) {
        generate(net, host, door[stream]);
        door[stream] = COP_NONE;
        some = true;
    }
    return some;
}

static bool may_give(const cop_net *net, const cop_stream *st, uint32_t s, uint32_t unused)
{
    (void)unused;
    return st->t_next <= net->now && (!st->saturated || net->now < st->t_stop) &&
           cop_hca_of(net)->door[s] == COP_NONE;
}

static bool take_messages(cop_net *net, uint32_t host)
{
    cop_hca *hca = cop_hca_of(net);
    bool some = open_doors(net, host);
    uint32_t stream;
    while ((stream = cop_host_oldest(net, host, hca->last, may_give, 0)) != COP_NONE) {
        uint32_t s = cop_host_take(net, host, stream);
        hca->last[stream] = net->now + 1;
        if (has_place(net, s))
            generate(net, host, s);
        else
            hca->door[stream] = s;
        some = true;
    }
    return some;
}

/* -- from the generation queues to the injection queues -- */

/* The first message of the flow, which is in no ring, gives a packet of `payload` bytes. */
static void move_packet(cop_net *net, uint32_t host, uint32_t flow, uint32_t payload)
{
    cop_hca_gen *g = cop_hca_gen_of(net, flow);
    uint32_t s = cop_flow_at(net, flow)->head, h = cop_host_packet(net, host, s, payload);
    const cop_pkt *p = &net->pkt[h];
    cop_hca_of(net)->room[(size_t)host * net->sections + cop_net_section_of(net, p, p->vl)] -=
        cop_blocks(p->bytes);
    if (cop_hca_cfg_of(net)->throttle == COP_HCA_AT_GENERATION && net->cc->at_source.on_send)
        cop_cc_at_host(net, host)->at_source.on_send(net, cop_flow_state(net, flow), p);
    if (net->send[s].left == 0) {
        cop_flow_pop(net, flow);
        cop_send_free(net, s);
        g->messages--;
    }
    if (g->messages > 0)
        ring_add(net, host, flow);
    else
        g->state = COP_HCA_EMPTY;
    cop_hca_enqueue(net, host, h);
}

/* Must the flow, the first of its ring, wait for a private condition? Then it leaves the ring. */
static bool set_aside(cop_net *net, uint32_t host, uint32_t *ring, uint32_t flow)
{
    const cop_send *m = &net->send[cop_flow_at(net, flow)->head];
    cop_time until = net->now;
    if (cop_hca_cfg_of(net)->throttle == COP_HCA_AT_GENERATION && net->cc->at_source.next_send)
        until = cop_cc_at_host(net, host)->at_source.next_send(net, cop_flow_state(net, flow),
                                                               net->now);
    if (until > net->now) {
        ring_pop(net, ring);
        cop_hca_gen_of(net, flow)->state = COP_HCA_THROTTLED;
        cop_throttle_add(net, flow, until);
        return true;
    }
    if (!net->queue_ops->runtime.hold ||
        !cop_scheme_at(net, cop_host_port(net, host))
             ->runtime.hold(net, cop_host_port(net, host), m->dst, m->vl))
        return false;
    ring_pop(net, ring);
    hold(net, host, flow);
    return true;
}

/* The generation queues of a lane give packets in turn as long as there is room. */
static bool move_packets(cop_net *net, uint32_t host, uint32_t vl)
{
    cop_hca *hca = cop_hca_of(net);
    uint32_t *ring = &hca->ring[(size_t)host * net->lanes + vl];
    bool some = false;
    while (*ring != COP_NONE) {
        uint32_t flow = cop_hca_gen_of(net, *ring)->next;
        if (set_aside(net, host, ring, flow))
            continue;
        const cop_send *m = &net->send[cop_flow_at(net, flow)->head];
        uint32_t payload = cop_host_payload(net, m), blocks = cop_host_blocks(net, payload),
                 section = cop_host_section(net, m->dst, m->vl);
        bool fits = blocks <= hca->room[(size_t)host * net->sections + section];
        if (!fits && !net->sectioned)
            break;
        ring_pop(net, ring);
        if (fits)
            move_packet(net, host, flow, payload);
        else
            cop_hca_gen_of(net, flow)->state = COP_HCA_FULL;
        some = some || fits;
    }
    return some;
}

/* -- attempts -- */

/* All messages and packets move as far as there is room. */
static void fill(cop_net *net, uint32_t host)
{
    bool some;
    do {
        some = take_messages(net, host);
        for (uint32_t vl = 0; vl < net->lanes; vl++)
            some = move_packets(net, host, vl) || some;
    } while (some);
}

static void send_data(cop_net *net, uint32_t host)
{
    cop_hca_host *hh = &cop_hca_of(net)->host[host];
    hh->inside = true;
    while (cop_throttle_next(net, &net->nic[host]) <= net->now)
        ring_add(net, host, cop_throttle_pop(net, host));
    fill(net, host);
    if (cop_hca_send(net, host))
        fill(net, host);
    hh->inside = false;
}

static cop_time next_message(const cop_net *net, uint32_t host)
{
    const cop_traffic *tr = net->traffic;
    cop_time t = COP_NEVER;
    for (uint32_t s = tr->host_stream0[host]; s < tr->host_stream0[host + 1]; s++) {
        const cop_stream *st = &tr->stream[s];
        bool over = st->saturated && net->now >= st->t_stop;
        if (!over && cop_hca_of(net)->door[s] == COP_NONE)
            t = cop_min64(t, st->t_next);
    }
    return t;
}

static cop_time next_data(const cop_net *net, uint32_t host)
{
    const cop_out *out = &net->out[cop_host_port(net, host)];
    const cop_hca_host *hh = &cop_hca_of(net)->host[host];
    cop_time data = COP_NEVER;
    bool tried = out->busy_until <= net->now && net->nic[host].inject_free <= net->now;
    bool asked = tried && (hh->turn != COP_NEVER || hh->asleep);
    if (out->vl_ready & ~out->vl_blocked)
        data = asked ? hh->turn : net->now;
    return cop_min64(data,
                     cop_min64(next_message(net, host), cop_throttle_next(net, &net->nic[host])));
}

static void hca_attempt(cop_net *net, uint32_t host)
{
    cop_host_attempt(net, host, send_data, next_data);
}

/* -- building -- */

static void hca_init(cop_net *net)
{
    uint32_t n = net->info.n_hosts, streams = net->traffic->n_streams;
    const cop_hca_cfg *cfg = cop_hca_cfg_of(net);
    cop_queue_layout layout = {0};
    net->queue_ops->layout(net->queue_cfg, &net->info, 1, &layout);
    cop_hca *hca = COP_NEW_ARRAY(&net->arena, cop_hca, 1);
    size_t words = (layout.queues + 63) / 64, sections = cop_product(n, net->sections);
    *hca = (cop_hca){.queues = layout.queues,
                     .words = (uint32_t)words,
                     .host = COP_NEW_ARRAY(&net->arena, cop_hca_host, n),
                     .ring = COP_NEW_ARRAY(&net->arena, uint32_t, cop_product(n, net->lanes)),
                     .room = COP_NEW_ARRAY(&net->arena, uint32_t, sections),
                     .posted = COP_NEW_ARRAY(&net->arena, uint64_t, cop_product(n, words)),
                     .posted_n = COP_NEW_ARRAY(&net->arena, uint32_t, cop_product(n, net->lanes)),
                     .door = COP_NEW_ARRAY(&net->arena, uint32_t, streams),
                     .last = COP_NEW_ARRAY(&net->arena, cop_time, streams)};
    for (uint32_t h = 0; h < n; h++)
        hca->host[h] = (cop_hca_host){.held = COP_NONE, .turn = COP_NEVER};
    for (size_t i = 0; i < sections; i++)
        hca->room[i] =
            (uint32_t)cfg->injection * cop_host_blocks(net, (uint32_t)net->nic_cfg->mtu_bytes);
    memset(hca->ring, 0xff, (size_t)n * net->lanes * sizeof(uint32_t));
    memset(hca->door, 0xff, streams * sizeof(uint32_t));
    for (uint32_t s = 0; s < streams; s++)
        hca->levels |= 1u << net->traffic->stream[s].sl;
    net->host_state = hca;
}

static void hca_start(cop_net *net)
{
    for (uint32_t host = 0; host < net->info.n_hosts; host++)
        cop_host_wake(net, host, next_message(net, host));
}

static const char *const throttle_names[] = {"generation", "injection", NULL};

#define H(field) offsetof(cop_hca_cfg, field)
static const cop_opt hca_opts[] = {
    {"generation", COP_OPT_INT, H(generation), "16", 1, 1e6, NULL,
     "messages that the queue of a destination and service level holds; when it is full, the "
     "source "
     "waits"},
    {"injection", COP_OPT_INT, H(injection), "16", 1, 4000, NULL,
     "packets of full size in the injection queues of a lane together; with a buffer per "
     "destination: of each"},
    {"throttle", COP_OPT_ENUM, H(throttle), "generation", 0, 0, throttle_names,
     "where packets wait for the congestion control: in the queue of their destination, or at the "
     "head of an injection queue"},
    {0}};

const cop_host_ops cop_host_hca = {
    .name = "hca",
    .summary = "a queue of finite size per destination, then injection queues as in a switch",
    .source = "Paper V III-B, Paper VI 3.2 and 4.1",
    .opts = hca_opts,
    .cfg_size = sizeof(cop_hca_cfg),
    .flow_size = sizeof(cop_hca_gen),
    .injection_queues = true,
    .check = cop_hca_check,
    .init = hca_init,
    .start = hca_start,
    .attempt = hca_attempt,
    .credit = cop_host_credit,
    .receive = cop_host_receive,
    .release = hca_release,
    .wake = cop_host_wake,
    .rouse = hca_rouse,
    .stop = cop_hca_stop,
    .recheck = cop_hca_recheck};
