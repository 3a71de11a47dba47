/* Flit-level reference of wormhole switching: heads at switches, and their outputs. See flitref_worm.h for the rules. */
#include "flitref_worm_int.h"

typedef struct switch_at { /* behind frw_ask.at */
    const frw_run *r;
    uint32_t sw;
} switch_at;

/* The first flit of a buffer that has not started to leave; NULL: there is none, or the one before it is
 * still leaving. */
static frw_place *front(const frw_run *r, uint32_t in, uint32_t lane)
{
    frw_buffer *b = frw_buffer_of(r, in, lane);
    for (uint32_t i = 0; i < b->n; i++) {
        if (!b->place[i].started)
            return &b->place[i];
        if (b->place[i].t_left > r->now)
            return NULL;
    }
    return NULL;
}

static cop_time routed_at(const frw_run *r, const frw_place *f, uint32_t in)
{
    uint32_t bytes = frw_bytes_of(r, f->pkt, f->flit);
    uint32_t header = r->c->header_bytes < bytes ? r->c->header_bytes : bytes;
    cop_time link = r->c->flit_ps[r->t->port[in].from];
    return f->t_head + frw_time_of(r, link, header) + r->c->pipeline_ps;
}

static bool ready(const frw_run *r, const frw_place *f, uint32_t in, uint32_t out)
{
    cop_time leaving = frw_time_of(r, r->c->flit_ps[out], frw_bytes_of(r, f->pkt, f->flit));
    return r->now >= routed_at(r, f, in) && r->now + leaving >= f->t_tail;
}

/* -- ways -- */

static uint64_t load(const void *at, uint32_t port, uint32_t lane)
{
    const switch_at *s = at;
    uint32_t out = cop_topo_switch_port(s->r->t, s->sw, port), in = s->r->t->port[out].to;
    return s->r->port[out].waiting +
           (uint64_t)frw_buffer_of(s->r, in, lane)->n * s->r->c->flit_bytes;
}

/* The head in place f of input `in` begins or ceases to wait for its first way. */
static void count(frw_run *r, uint32_t in, const frw_place *f, bool more)
{
    uint32_t out = cop_topo_switch_port(r->t, r->t->port[in].owner, f->way[0].port);
    uint64_t bytes = r->pkts[f->pkt].bytes;
    r->port[out].waiting += more ? bytes : 0 - bytes;
}

static void ask_ways(frw_run *r, uint32_t in, uint32_t lane, frw_place *f)
{
    switch_at at = {.r = r, .sw = r->t->port[in].owner};
    frw_ask ask = {.number = f->pkt,
                   .seq = r->seq[f->pkt],
                   .sw = at.sw,
                   .in = r->t->port[in].local,
                   .lane = (uint8_t)lane,
                   .load = load,
                   .at = &at};
    if (f->routed)
        count(r, in, f, false);
    f->n_ways = r->c->route(r->c->ctx, &ask, f->way);
    COP_CHECK(f->n_ways > 0 && f->n_ways <= FRW_MAX_WAYS);
    f->routed = true;
    count(r, in, f, true);
}

/* On an output that is faster than its input a head begins no earlier than its last bit's arrival allows; where there is a
 * choice all links have one rate. */
static bool may_ask(const frw_run *r, const frw_place *f, uint32_t in)
{
    return ready(r, f, in, cop_topo_switch_port(r->t, r->t->port[in].owner, f->way[0].port));
}

/* The head that is at the end of its pipeline now, of any lane, asks for its ways. */
static void route_arrivals(frw_run *r, uint32_t in)
{
    for (uint32_t l = 0; l < r->c->lanes; l++) {
        frw_buffer *b = frw_buffer_of(r, in, l);
        for (uint32_t i = 0; i < b->n; i++) {
            frw_place *f = &b->place[i];
            if (f->flit != 0 || f->started || f->routed || routed_at(r, f, in) != r->now)
                continue;
            ask_ways(r, in, l, f);
            if (front(r, in, l) == f && may_ask(r, f, in))
                f->t_asked = r->now;
        }
    }
}

/* Heads that come first only now. */
static void heads_ask(frw_run *r, uint32_t in)
{
    for (uint32_t l = 0; l < r->c->lanes; l++) {
        frw_place *f = front(r, in, l);
        if (!f || f->flit != 0 || !f->routed || f->t_asked != COP_NEVER || !may_ask(r, f, in))
            continue;
        ask_ways(r, in, l, f);
        f->t_asked = r->now;
        f->late = true;
    }
}

void frw_heads(frw_run *r)
{
    for (uint32_t p = 0; p < r->t->host_port0; p++)
        if (r->t->port[p].from != COP_NONE)
            route_arrivals(r, p);
    for (uint32_t p = 0; p < r->t->host_port0; p++)
        heads_ask(r, p);
}

/* -- outputs -- */

static bool goes_by(const frw_run *r, const frw_place *f, uint32_t out, uint32_t l)
{
    for (unsigned i = 0; i < f->n_ways; i++)
        if (f->way[i].port == r->t->port[out].local && f->way[i].lane == l)
            return true;
    return false;
}

/* Of the heads at input `in` that ask for lane l of `out`, the one that asked first. */
static frw_place *first_head(const frw_run *r, uint32_t in, uint32_t out, uint32_t l)
{
    frw_place *first = NULL;
    for (uint32_t k = 0; k < r->c->lanes; k++) {
        frw_place *f = front(r, in, k);
        if (!f || f->flit != 0 || f->placed || f->t_asked > r->now || !goes_by(r, f, out, l))
            continue;
        if (!first || f->t_asked < first->t_asked ||
            (f->t_asked == first->t_asked && f->late < first->late))
            first = f;
    }
    return first;
}

/* The head whose turn it is to take lane l of `out`, which is free; NULL: there is none, or no
 * room. */
static frw_place *next_head(const frw_run *r, uint32_t sw, uint32_t out, uint32_t l, uint32_t *in)
{
    uint32_t n = cop_topo_ports_of(r->t, sw);
    for (uint32_t i = 0; i < n && frw_has_room(r, out, l); i++) {
        *in = cop_topo_switch_port(r->t, sw, (r->port[out].next_in[l] + i) % n);
        frw_place *f = first_head(r, *in, out, l);
        if (f)
            return f;
    }
    return NULL;
}

/* The flit that lane l of output `out` would send now; NULL: none. */
static frw_place *offer(const frw_run *r, uint32_t sw, uint32_t out, uint32_t l, uint32_t *in)
{
    const frw_port *o = &r->port[out];
    if (o->owner[l] != COP_NONE) {
        *in = o->from[l];
        for (uint32_t k = 0; k < r->c->lanes; k++) { /* wherever its packet comes first */
            frw_place *f = front(r, *in, k);
            if (f && f->pkt == o->owner[l] && ready(r, f, *in, out) && frw_has_credit(r, out, l) &&
                (f->flit > 0 || o->first[l] <= r->now))
                return f;
        }
        return NULL;
    }
    return r->c->allocation_ps ? NULL : next_head(r, sw, out, l, in);
}

/* The head takes lane l of `out`. */
static void place(frw_run *r, uint32_t sw, uint32_t out, uint32_t l, uint32_t in, frw_place *f)
{
    frw_port *o = &r->port[out];
    count(r, in, f, false);
    f->placed = true;
    o->from[l] = in;
    o->owner[l] = f->pkt;
    o->first[l] = r->now + r->c->allocation_ps;
    o->next_in[l] = (r->t->port[in].local + 1u) % cop_topo_ports_of(r->t, sw);
}

static void place_heads(frw_run *r, uint32_t sw, uint32_t out)
{
    for (uint32_t l = 0, in; r->c->allocation_ps && l < r->c->lanes; l++) {
        frw_place *f = r->port[out].owner[l] == COP_NONE ? next_head(r, sw, out, l, &in) : NULL;
        if (f) {
            place(r, sw, out, l, in, f);
            r->t_progress = r->now;
        }
    }
}

void frw_output_sends(frw_run *r, uint32_t sw, uint32_t out)
{
    frw_port *o = &r->port[out];
    if (r->t->port[out].to == COP_NONE)
        return;
    place_heads(r, sw, out);
    if (o->busy_until > r->now)
        return;
    for (uint32_t i = 0; i < r->c->lanes; i++) {
        uint32_t l = (o->next_lane + i) % r->c->lanes, in;
        frw_place *f = offer(r, sw, out, l, &in);
        if (!f)
            continue;
        if (f->flit == 0 && !f->placed)
            place(r, sw, out, l, in, f);
        frw_start(r, out, l, f->pkt, f->flit, f);
        place_heads(r, sw, out); /* a tail has given its lane back */
        return;
    }
}
