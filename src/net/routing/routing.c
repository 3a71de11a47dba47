/* Routings at run time. See routing.h.
 *
 * Role     memory for the state of a routing, and its only sources of information: the loads of the
 *          deciding switch, packets that pass it, messages of its neighbours, notifications.
 * Events   COP_EV_MESSAGE per port with messages in flight to it. */
#include "net/routing/routing.h"

#include "net/cable/cable.h"
#include "net/fetch.h"
#include "net/flow/flow.h"
#include "net/watch.h"

struct cop_routing {
    char *port; /* [host_port0] ops->port_size */
    char *own; /* [n_switches] ops->switch_size */
    cop_mail *box; /* [host_port0] */
};

/* -- what a routing may read -- */

/* A port of the deciding switch; others end the program: nothing acts at a distance. */
static uint32_t port_of(const void *ctx, uint32_t local)
{
    const cop_route_ctx *c = ctx;
    if (COP_UNLIKELY(local >= c->ports))
        cop_misused("routing", c->net->route->ops->name,
                    "it asks about a port that the switch which decides has not");
    return c->port0 + local;
}

static void must_have_lane(const cop_net *net, uint32_t vl)
{
    if (COP_UNLIKELY(vl >= net->lanes))
        cop_misused("routing", net->route->ops->name,
                    "it asks about a lane that the network has not");
}

static cop_net *net_of(const void *ctx)
{
    return ((const cop_route_ctx *)ctx)->net;
}

/* Not known with a buffer per destination, nor with on/off flow control. */
static uint64_t sent_of(cop_net *net, uint32_t port, uint32_t vl)
{
    must_have_lane(net, vl);
    cop_fc_settle(net, port);
    return net->sectioned ? 0 : (uint64_t)net->out[port].section[vl].used * net->unit_bytes;
}

uint64_t cop_routing_load(void *ctx, uint32_t local, uint32_t vl)
{
    cop_net *net = net_of(ctx);
    uint32_t port = port_of(ctx, local);
    uint64_t sent = sent_of(net, port, vl);
    return net->out[port].waiting + sent;
}

static void loads(void *ctx, uint32_t local, uint32_t first, uint32_t n, uint64_t *load)
{
    cop_net *net = net_of(ctx);
    uint32_t port = port_of(ctx, local);
    cop_fc_settle(net, port);
    const cop_out *out = &net->out[port];
    uint64_t waits = out->waiting;
    for (uint32_t i = 0; i < n; i++)
        load[i] = waits;
    for (uint32_t i = 0; !net->sectioned && i < n; i++)
        load[i] += (uint64_t)out->section[first + i].used * net->unit_bytes;
}

static void soon(void *ctx, uint32_t local)
{
    const cop_net *net = net_of(ctx);
    uint32_t port = port_of(ctx, local);
    if (!net->looks_ahead)
        return;
    cop_fetch(&net->out[port]);
    cop_fetch(&net->out[port].waiting);
    cop_fetch(&net->section[(size_t)port * net->sections]);
    cop_fetch(&net->first_return[(size_t)port * COP_RING_FIRST]);
    if (net->per_output)
        return;
    uint32_t sw = ((cop_route_ctx *)ctx)->sw, row = net->lanes * cop_topo_ports_of(net->topo, sw);
    const uint32_t *slot = &net->slot[net->slot0[sw] + (size_t)local * row];
    cop_fetch(cop_ahead_requests(net, port));
    cop_fetch(slot);
    cop_fetch(slot + row - 1);
}

static uint64_t lane_load(void *ctx, uint32_t local, uint32_t vl)
{
    cop_net *net = net_of(ctx);
    uint32_t port = port_of(ctx, local);
    if (COP_UNLIKELY(net->lane_waiting == NULL))
        cop_misused("routing", net->route->ops->name,
                    "loads of lanes are counted only if its table has asks_lanes");
    must_have_lane(net, vl);
    return net->lane_waiting[(size_t)port * net->lanes + vl] + sent_of(net, port, vl);
}

static bool open_to(void *ctx, uint32_t local, uint32_t vl)
{
    cop_net *net = net_of(ctx);
    uint32_t port = port_of(ctx, local);
    must_have_lane(net, vl);
    cop_fc_settle(net, port);
    return net->sectioned || cop_fc_fits(net, port, vl, net->max_blocks);
}

static uint64_t waiting(void *ctx, uint32_t local)
{
    return net_of(ctx)->out[port_of(ctx, local)].waiting;
}

static void *port_state(void *ctx, uint32_t local)
{
    const cop_net *net = net_of(ctx);
    if (COP_UNLIKELY(net->route->facts.port_size == 0))
        cop_misused("routing", net->route->ops->name,
                    "it keeps nothing of ports; set r->port_size in setup");
    return net->routing->port + (size_t)port_of(ctx, local) * net->route->facts.port_size;
}

void cop_routing_prefetch(const cop_net *net, uint32_t port)
{
    if (net->route->facts.port_size && port < net->host_port0)
        cop_fetch(net->routing->port + (size_t)port * net->route->facts.port_size);
}

static void *own_state(void *ctx)
{
    const cop_net *net = net_of(ctx);
    if (COP_UNLIKELY(net->route->facts.switch_size == 0))
        cop_misused("routing", net->route->ops->name,
                    "it keeps nothing of switches; set r->switch_size in setup");
    return net->routing->own + (size_t)((cop_route_ctx *)ctx)->sw * net->route->facts.switch_size;
}

static void tell(void *ctx, uint32_t local, uint64_t body)
{
    cop_net *net = net_of(ctx);
    const cop_out *out = &net->out[port_of(ctx, local)];
    if (out->to == COP_NONE || net->in[out->to].sw == COP_NONE)
        return;
    cop_time t = net->now + cop_max64(out->delay_ps, 1);
    if (COP_UNLIKELY(net->route->ops->on_message == NULL))
        cop_misused("routing", net->route->ops->name,
                    "its messages have no receiver; set on_message in its table");
    if (cop_mail_put(&net->routing->box[out->to], t, body))
        cop_net_push(net, t, COP_EV_MESSAGE, out->to);
}

static bool watched(void *ctx)
{
    const cop_route_ctx *c = ctx;
    return c->net->watch != NULL && (c->p == NULL || (c->p->flags & COP_PKT_WATCH));
}

static void says(void *ctx, uint32_t local, const char *text)
{
    const cop_route_ctx *c = ctx;
    if (c->p == NULL)
        cop_watch_port(c->net, port_of(ctx, local), "routing: %s", text);
    else if (watched(ctx))
        cop_watch_routed(c->net, c->in, c->p, text);
}

const cop_route_can cop_route_can_do = {.lane_load = lane_load,
                                        .loads = loads,
                                        .soon = soon,
                                        .waiting = waiting,
                                        .open = open_to,
                                        .port = port_state,
                                        .own = own_state,
                                        .tell = tell,
                                        .watched = watched,
                                        .says = says};

/* -- what it is notified of -- */

__attribute__((noinline)) void cop_routing_sent(cop_net *net, uint32_t port)
{
    cop_route_ctx ctx;
    cop_route_view view = cop_routing_view(net, net->out[port].sw, &ctx, NULL);
    net->route->ops->on_send(net->route, ctx.sw, &view, net->out[port].local);
}

__attribute__((noinline)) void cop_routing_waits(cop_net *net, uint32_t port)
{
    cop_route_ctx ctx;
    cop_route_view view = cop_routing_view(net, net->out[port].sw, &ctx, NULL);
    net->route->ops->on_wait(net->route, ctx.sw, &view, net->out[port].local);
}

__attribute__((noinline)) void cop_routing_moved(cop_net *net, uint32_t from, uint32_t to)
{
    cop_route_ctx ctx;
    cop_route_view view = cop_routing_view(net, net->out[to].sw, &ctx, NULL);
    net->route->ops->on_move(net->route, ctx.sw, &view, net->out[from].local, net->out[to].local);
}

bool cop_routing_notice(cop_net *net, uint32_t port, const cop_pkt *p, bool own)
{
    if (net->route->ops->on_notice == NULL)
        return false;
    cop_route_ctx ctx;
    cop_route_view view = cop_routing_view(net, net->in[port].sw, &ctx, NULL);
    ctx.p = p;
    ctx.in = port;
    cop_notice n = {.host = p->dst,
                    .port = net->in[port].local,
                    .word = p->cc,
                    .own = own,
                    .about = p->src,
                    .end = p->flags & COP_PKT_END,
                    .contested = p->flags & COP_PKT_CONTESTED};
    return net->route->ops->on_notice(net->route, ctx.sw, &view, &n);
}

void cop_routing_hear(cop_net *net, uint32_t port)
{
    cop_mail *box = &net->routing->box[port];
    cop_route_ctx ctx;
    cop_route_view view = cop_routing_view(net, net->in[port].sw, &ctx, NULL);
    uint64_t body;
    while (cop_mail_take(box, net->now, &body))
        net->route->ops->on_message(net->route, ctx.sw, &view, net->in[port].local, body);
    if (cop_mail_next(box) != COP_NEVER)
        cop_net_push(net, cop_mail_next(box), COP_EV_MESSAGE, port);
}

void *cop_routing_port(const cop_net *net, uint32_t port)
{
    return net->routing->port + (size_t)port * net->route->facts.port_size;
}

void cop_routing_heard(cop_net *net, const cop_pkt *p)
{
    net->total.kept++;
    net->total.becns++;
    net->probe.stream[p->stream].becns++;
}

__attribute__((noinline)) bool cop_routing_keeps(cop_net *net, uint32_t port, uint32_t h)
{
    const cop_pkt *p = &net->pkt[h];
    if ((p->flags & COP_PKT_OWN) || !cop_routing_notice(net, port, p, false))
        return false;
    /* A short packet has arrived to the last byte; its space is free after the events of this
     * instant. */
    cop_fc_give(net, port, cop_net_section_of(net, p, p->vl), p->bytes,
                cop_max64(net->now + 1, p->t_tail));
    cop_routing_heard(net, p);
    if (COP_UNLIKELY(p->flags & COP_PKT_WATCH))
        cop_watch_step(net, COP_WATCH_KEPT, port, p);
    net->total.delivered++;
    net->total.delivered_bytes += p->bytes;
    cop_pkt_free(net, h);
    return true;
}

void cop_routing_init(cop_net *net)
{
    const cop_route_ops *ops = net->route->ops;
    net->routing = COP_NEW_ARRAY(&net->arena, struct cop_routing, 1);
    net->routing->port = cop_arena_array(&net->arena, net->host_port0, net->route->facts.port_size);
    net->routing->own =
        cop_arena_array(&net->arena, net->info.n_switches, net->route->facts.switch_size);
    if (ops->on_message)
        net->routing->box = COP_NEW_ARRAY(&net->arena, cop_mail, net->host_port0);
    for (uint32_t sw = 0; ops->prepare && sw < net->info.n_switches; sw++) {
        cop_route_ctx ctx;
        cop_route_view view = cop_routing_view(net, sw, &ctx, NULL);
        ops->prepare(net->route, sw, &view);
    }
}

void cop_routing_fini(cop_net *net)
{
    for (uint32_t p = 0; net->routing && net->routing->box && p < net->host_port0; p++)
        cop_free(net->routing->box[p].v);
}
