/* Room `routing`: state and hooks of a routing at switches, its view of the deciding switch, and
 * recovery from its deadlocks. Routings without state and hooks do not need it
 * (switch/input_route.c).
 *
 * Files      routing.c loads, state, hooks, messages of neighbours, notifications;  recover.c heads
 *            that have waited for too long, and packets that hosts send again.
 * Calls      cable (credits are loads; packets that are sent again take them), flow, record.
 * Called by  switch, services, ahead; the loop; build. */
#ifndef COP_NET_ROUTING_H
#define COP_NET_ROUTING_H

#include "net/net.h"
#include "net/routing/recover.h"

typedef struct cop_route_ctx { /* behind cop_route_view.ctx */
    cop_net *net;
    uint32_t sw;
    uint32_t port0, ports; /* of that switch */
    const cop_pkt *p; /* that is routed, or the notification that is received; NULL: no packet */
    uint32_t in; /* port by which p has come */
} cop_route_ctx;

extern const cop_route_can cop_route_can_do;

/* A hint that the state of `port` is needed soon. */
void cop_routing_prefetch(const cop_net *net, uint32_t port);
/* Memory for the routing's state, and its first values. */
void cop_routing_init(cop_net *net);
void cop_routing_fini(cop_net *net);

/* The view of a switch; `ctx` and `rng` must outlive it. */
static inline cop_route_view cop_routing_view(cop_net *net, uint32_t sw, cop_route_ctx *ctx,
                                              cop_rng *rng);

/* Bytes that wait for an output, all lanes, plus those sent on lane vl and not yet released
 * behind. */
uint64_t cop_routing_load(void *ctx, uint32_t local, uint32_t vl);

static inline cop_route_view cop_routing_view(cop_net *net, uint32_t sw, cop_route_ctx *ctx,
                                              cop_rng *rng)
{
    uint32_t port0 = net->topo->sw_port0[sw];
    *ctx = (cop_route_ctx){
        .net = net, .sw = sw, .port0 = port0, .ports = net->topo->sw_port0[sw + 1] - port0};
    return (cop_route_view){
        .ctx = ctx, .load = cop_routing_load, .rng = rng, .can = &cop_route_can_do};
}

/* Hooks; to be called only where the routing has them. `port`: of the whole network. */
void cop_routing_sent(cop_net *net, uint32_t port);
void cop_routing_waits(cop_net *net, uint32_t port);
/* A packet that waited for output `from` waits for `to` now, or is granted it. */
void cop_routing_moved(cop_net *net, uint32_t from, uint32_t to);
/* A notification p passes input `port`, or was made at its switch (`own`): true if the switch keeps
 * it. */
bool cop_routing_notice(cop_net *net, uint32_t port, const cop_pkt *p, bool own);
/* Notification h has come to input `port`. True: the switch keeps it, and it is delivered. */
bool cop_routing_keeps(cop_net *net, uint32_t port, uint32_t h);
/* Notification p ends at a switch, which uses it. */
void cop_routing_heard(cop_net *net, const cop_pkt *p);
/* State of the routing for an output port. */
void *cop_routing_port(const cop_net *net, uint32_t port);
/* COP_EV_MESSAGE: messages of the neighbour have come in by `port`. */
void cop_routing_hear(cop_net *net, uint32_t port);

#endif
