/* Switch inputs: calls of the routing, and counts of bytes that wait for each output.
 *
 * Role     calls the routing for a packet at an input, and keeps the counts of bytes that wait for
 *          an output, by the packet's first choice: the loads of routings, those per lane, and
 *          those for the congestion control (on_fill).
 * Rules    the same packet at the same switch always draws the same random numbers: called twice
 *          while nothing has changed, the routing returns the same.
 * Source   docs/MODEL.md, loads; M-ibcc-sw for fills. */
#include "net/routing/routing.h"
#include "net/switch/input_int.h"

/* Control packets with private lanes, from `base` on: the routing's lanes are numbered from there;
 * on the cable to a host, where no cycle is possible, they use the first. */
static __attribute__((noinline)) void shift_lanes(const cop_net *net, const cop_in *in,
                                                  uint8_t base, cop_cand *cand, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        bool exits = cop_topo_is_host_port(net->topo, net->out[in->port0 + cand[i].port].to);
        cand[i].vl = (uint8_t)(exits ? base : cand[i].vl + base);
        COP_CHECK(cand[i].vl < net->lanes);
    }
}

/* The arguments of the routing for packet p. */
static inline cop_hop hop_of(const cop_net *net, const cop_in *in, const cop_pkt *p)
{
    bool control = p->flags & COP_PKT_CONTROL;
    uint8_t base = control ? net->control_vl : 0;
    return (cop_hop){.sw = in->sw,
                     .in_port = p->flags & COP_PKT_OWN ? COP_PORT_NONE : in->local,
                     .in_vl = (uint8_t)(p->vl - base),
                     .src = p->src,
                     .dst = p->dst,
                     .mid = p->mid,
                     .state = p->rstate,
                     .control = control,
                     .apart = base != 0};
}

/* Random numbers of a packet at a switch: the same at every call. */
static inline cop_rng draws_of(const cop_net *net, const cop_in *in, const cop_pkt *p)
{
    cop_rng rng = cop_rng_make(net->info.seed, COP_RNG_ROUTE, p->src);
    rng.counter = (uint64_t)1 << 63 | (uint64_t)p->seq << 16 | (in->sw & 0xffff);
    return rng;
}

/* The routing must not do what the dependency check has not seen: its candidates are ports of the
 * switch, and its detours are declared. */
static inline void check_answer(const cop_net *net, const cop_in *in, const cop_hop *hop,
                                const cop_cand *cand, unsigned n)
{
    const cop_route *r = net->route;
    const char *fault = NULL;
    if (COP_UNLIKELY(n == 0 || n > net->max_cand))
        fault = "it gives no way, or more than r->max_cand of setup";
    for (unsigned i = 0; i < n && fault == NULL; i++)
        if (COP_UNLIKELY(cand[i].port >= in->ports || cand[i].vl >= net->lanes))
            fault = "it gives a port that the switch has not, or a lane that the network has not";
    if (COP_UNLIKELY(hop->mid != COP_NONE && r->ops->mid == NULL))
        fault =
            "packets visit something on their way, of which the dependency check does not know; "
            "set mid in its table";
    if (COP_UNLIKELY(fault != NULL))
        cop_misused("routing", r->ops->name, fault);
}

static inline unsigned ask(const cop_net *net, const cop_in *in, cop_pkt *p,
                           const cop_route_view *view, cop_cand *cand)
{
    const cop_route *r = net->route;
    cop_hop hop = hop_of(net, in, p);
    unsigned n = r->ops->route(r, &hop, view, cand);
    if (r->facts.single)
        cand[0].vl = p->vl;
    else if (COP_UNLIKELY(hop.apart))
        shift_lanes(net, in, net->control_vl, cand, n);
    check_answer(net, in, &hop, cand, n);
    p->mid = hop.mid;
    p->rstate = hop.state;
    return n;
}

unsigned cop_input_ask(cop_net *net, const cop_in *in, cop_pkt *p, cop_cand *cand)
{
    cop_rng rng = draws_of(net, in, p);
    cop_route_ctx ctx;
    cop_route_view view = cop_routing_view(net, in->sw, &ctx, &rng);
    ctx.p = p;
    ctx.in = in->port0 + in->local;
    return ask(net, in, p, &view, cand);
}

/* A routing that declares that it reads no loads must not read them. */
static uint64_t no_load(void *ctx, uint32_t port, uint32_t vl)
{
    (void)ctx, (void)port, (void)vl;
    cop_panic(__FILE__, __LINE__, "a routing that says it is blind does not ask for loads");
}

void cop_input_ask_early(cop_net *net, uint32_t port, uint32_t h)
{
    const cop_in *in = &net->in[net->out[port].to];
    cop_pkt *p = &net->pkt[h];
    if (in->sw == COP_NONE)
        return;
    cop_cand cand[COP_MAX_CAND];
    cop_rng rng = draws_of(net, in, p);
    cop_route_view view = {.load = no_load, .rng = &rng};
    (void)ask(net, in, p, &view, cand);
    p->out = cand[0].port;
    p->out_vl = cand[0].vl;
}

uint32_t cop_net_queue_of_port(const cop_net *net, uint32_t port, uint32_t q)
{
    uint64_t n = (uint64_t)net->in[port].queue0 + q;
    if (COP_UNLIKELY(net->guards_scheme) && (n >= net->all_queues || net->queue_port[n] != port))
        cop_misused("queueing", net->queue_ops->name,
                    "it names a queue that the port has not; layout says how many there are");
    return (uint32_t)n;
}

unsigned cop_net_channels(cop_net *net, uint32_t in_port, const cop_pkt *p, cop_channel *list)
{
    const cop_in *in = &net->in[in_port];
    if (net->lft) {
        list[0] = (cop_channel){.port = in->port0 + p->out, .vl = p->out_vl};
        return 1;
    }
    cop_cand cand[COP_MAX_CAND];
    cop_hop hop = hop_of(net, in, p);
    unsigned n = net->route->ops->route(net->route, &hop, NULL, cand);
    if (hop.apart && !net->route->facts.single)
        shift_lanes(net, in, net->control_vl, cand, n);
    for (unsigned i = 0; i < n; i++)
        list[i] = (cop_channel){.port = in->port0 + cand[i].port,
                                .vl = net->route->facts.single ? p->vl : cand[i].vl};
    return n;
}

/* The counter of bytes that wait for p's output and section, in all layouts but one queue per
 * output. If a table gives each destination one output, (input, section) identifies it. */
static uint32_t *fill_of(const cop_net *net, const cop_in *in, const cop_pkt *p)
{
    if (!net->sectioned)
        return &net->fill[cop_slot_of(net, in->port0 + p->out, p->out_vl, in->local)];
    size_t ports = cop_topo_ports_of(net->topo, in->sw), row = in->port0 + in->local;
    if (!net->lft)
        row = net->slot0[in->sw] / net->lanes + p->out * ports + in->local;
    return &net->fill[row * net->sections + cop_net_section_of(net, p, p->out_vl)];
}

__attribute__((noinline)) void cop_input_tell_counted(cop_net *net, uint32_t in_port,
                                                      const cop_pkt *p, bool came)
{
    const cop_in *in = &net->in[in_port];
    uint32_t *fill = fill_of(net, in, p), before = *fill;
    *fill = came ? before + p->bytes : before - p->bytes;
    cop_cc_at(net, in->sw)->at_switch.on_fill(net, in_port, in->port0 + p->out, before, *fill, p);
}

/* Add packet p to the counts of its first choice, or remove it. */
static void count_choice(cop_net *net, uint32_t in_port, const cop_pkt *p, bool more)
{
    uint32_t port = net->in[in_port].port0 + p->out;
    net->out[port].waiting += more ? p->bytes : 0 - (uint64_t)p->bytes;
    cop_link_count(net, port, p->out_vl, p->bytes, more);
    if (net->cc->at_switch.on_fill)
        cop_input_tell_counted(net, in_port, p, more);
}

/* Packet p waits for output `local` and lane vl from now on. */
static void move(cop_net *net, uint32_t in_port, cop_pkt *p, uint16_t local, uint8_t vl)
{
    uint16_t before = p->out;
    p->out = local;
    p->out_vl = vl;
    count_choice(net, in_port, p, true);
    if (COP_UNLIKELY(net->hears_moves) && before != local && !(p->flags & COP_PKT_CONTROL))
        cop_routing_moved(net, net->in[in_port].port0 + before, net->in[in_port].port0 + local);
}

void cop_input_recount(cop_net *net, uint32_t in_port, cop_pkt *p, uint16_t local, uint8_t vl)
{
    count_choice(net, in_port, p, false);
    move(net, in_port, p, local, vl);
}

unsigned cop_input_ask_again(cop_net *net, uint32_t in_port, cop_pkt *p, cop_cand *cand)
{
    count_choice(net, in_port, p, false);
    unsigned n = cop_input_ask(net, &net->in[in_port], p, cand);
    move(net, in_port, p, cand[0].port, cand[0].vl);
    return n;
}
