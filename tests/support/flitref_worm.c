/* Flit-level reference of wormhole switching; the rules are in flitref_worm.h. It shares no code with the
 * simulator and looks at everything in every tick.
 *
 * One idea: the place, a flit in a buffer. It begins when the flit is started on the link before, and
 * ends when its credit is back there. Credit is not counted but seen.
 * Invariants, checked: no buffer holds more flits than it has places; a flit goes out no earlier than it
 * comes in, first bit and last bit. */
#include "flitref_worm.h"

#include "base/mem.h"

typedef struct place {
    uint32_t pkt, flit;
    cop_time t_head, t_tail; /* first and last bit are here */
    cop_time t_left; /* last bit has left; COP_NEVER: not known */
    bool started; /* on its way out */
    cop_time t_asked; /* of a head: its request is known from then on */
    bool late; /* and it had to wait for that after it was routed */
    uint32_t out; /* of a head: port it goes on by */
    uint8_t out_lane;
} place;

typedef struct buffer { /* of one lane of an input, in order of arrival */
    place *place;
    uint32_t n;
} buffer;

typedef struct port {
    cop_time busy_until;
    uint32_t next_lane, next_in[FR_MAX_LANES];
    uint32_t owner[FR_MAX_LANES]; /* packet that the lane belongs to, or COP_NONE */
    uint32_t
        from[FR_MAX_LANES]; /* input port that this packet comes from; hosts: flits sent so far */
    /* hosts */
    size_t next_pkt; /* not yet taken */
    uint32_t *queue[FR_MAX_LANES], at[FR_MAX_LANES], end[FR_MAX_LANES]; /* taken, by lane */
    cop_time served; /* the sink has taken in all until then */
} port;

typedef struct run {
    cop_arena arena;
    const cop_topo *t;
    const frw_cfg *c;
    fr_packet *pkts;
    size_t n;
    port *port;
    buffer *buffer; /* [n_ports * lanes] */
    cop_time now, t_progress;
    uint64_t places; /* in use */
    fr_counts *counts;
} run;

static buffer *buffer_of(const run *r, uint32_t in, uint32_t lane)
{
    return &r->buffer[in * r->c->lanes + lane];
}

static uint32_t flits_of(const run *r, uint32_t pkt)
{
    return (r->pkts[pkt].bytes + r->c->flit_bytes - 1) / r->c->flit_bytes;
}

static uint32_t bytes_of(const run *r, uint32_t pkt, uint32_t flit)
{
    uint32_t left = r->pkts[pkt].bytes - flit * r->c->flit_bytes;
    return left < r->c->flit_bytes ? left : r->c->flit_bytes;
}

static cop_time time_of(const run *r, cop_time flit_ps, uint32_t bytes)
{
    cop_time t = flit_ps * bytes / r->c->flit_bytes;
    COP_CHECK(t % r->c->tick_ps == 0 && t * r->c->flit_bytes == flit_ps * bytes);
    return t;
}

static bool is_host(const run *r, uint32_t p)
{
    return cop_topo_is_host_port(r->t, p);
}

static uint32_t size_of(const run *r, uint32_t in)
{
    return is_host(r, in) ? r->c->sink_places : r->c->places;
}

static bool has_credit(const run *r, uint32_t out, uint32_t lane)
{
    uint32_t in = r->t->port[out].to;
    return buffer_of(r, in, lane)->n < size_of(r, in);
}

static bool has_room(const run *r, uint32_t out, uint32_t lane)
{
    const buffer *b = buffer_of(r, r->t->port[out].to, lane);
    return r->c->whole ? b->n == 0 : has_credit(r, out, lane);
}

static void credits_arrive(run *r, uint32_t in)
{
    uint32_t sender = r->t->port[in].from;
    if (sender == COP_NONE)
        return;
    cop_time delay = r->c->credit_ps + r->c->delay_ps[sender];
    for (uint32_t l = 0; l < r->c->lanes; l++) {
        buffer *b = buffer_of(r, in, l);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < b->n; i++)
            if (b->place[i].t_left == COP_NEVER || b->place[i].t_left + delay > r->now)
                b->place[kept++] = b->place[i];
        if (kept < b->n)
            r->t_progress = r->now;
        r->places -= b->n - kept;
        b->n = kept;
    }
}

/* The first flit of a buffer that has not started to leave; NULL: there is none, or the one before it is
 * still leaving. */
static place *front(const run *r, uint32_t in, uint32_t lane)
{
    buffer *b = buffer_of(r, in, lane);
    for (uint32_t i = 0; i < b->n; i++) {
        if (!b->place[i].started)
            return &b->place[i];
        if (b->place[i].t_left > r->now)
            return NULL;
    }
    return NULL;
}

static cop_time routed_at(const run *r, const place *f, uint32_t in)
{
    uint32_t bytes = bytes_of(r, f->pkt, f->flit);
    uint32_t header = r->c->header_bytes < bytes ? r->c->header_bytes : bytes;
    cop_time link = r->c->flit_ps[r->t->port[in].from];
    return f->t_head + time_of(r, link, header) + r->c->pipeline_ps;
}

static bool ready(const run *r, const place *f, uint32_t in, uint32_t out)
{
    cop_time leaving = time_of(r, r->c->flit_ps[out], bytes_of(r, f->pkt, f->flit));
    return r->now >= routed_at(r, f, in) && r->now + leaving >= f->t_tail;
}

/* Start a flit on the link of `out`; `f` is its place in the buffer before, NULL at its source. */
static void start(run *r, uint32_t out, uint32_t lane, uint32_t pkt, uint32_t flit, place *f)
{
    uint32_t to = r->t->port[out].to, bytes = bytes_of(r, pkt, flit);
    cop_time f_ps = time_of(r, r->c->flit_ps[out], bytes);
    buffer *b = buffer_of(r, to, lane);
    COP_CHECK(b->n < size_of(r, to));
    place *next = &b->place[b->n++];
    *next = (place){
        .pkt = pkt, .flit = flit, .t_left = COP_NEVER, .t_asked = COP_NEVER, .out = COP_NONE};
    next->t_head = r->now + r->c->delay_ps[out];
    next->t_tail = next->t_head + f_ps;
    if (f) {
        COP_CHECK(f->t_head <= r->now && f->t_tail <= r->now + f_ps);
        f->started = true;
        f->t_left = r->now + f_ps;
    }
    if (flit == 0) {
        r->counts->packet_hops++;
        if (!is_host(r, to)) {
            uint32_t sw = r->t->port[to].owner;
            uint32_t local = r->c->route(r->c->ctx, pkt, sw, r->t->port[to].local, (uint8_t)lane,
                                         &next->out_lane);
            next->out = cop_topo_switch_port(r->t, sw, local);
        }
    }
    port *o = &r->port[out];
    o->owner[lane] = flit + 1 == flits_of(r, pkt) ? COP_NONE : pkt;
    o->busy_until = r->now + f_ps;
    o->next_lane = (lane + 1) % r->c->lanes;
    r->places++;
    r->counts->flit_hops++;
    r->t_progress = r->now;
}

/* -- hosts -- */

/* The next flit that the host has not taken, of all lanes: they came over one link, one after the other. */
static place *next_flit(const run *r, uint32_t p)
{
    place *first = NULL;
    for (uint32_t l = 0; l < r->c->lanes; l++) {
        buffer *b = buffer_of(r, p, l);
        for (uint32_t i = 0; i < b->n; i++)
            if (!b->place[i].started && (!first || b->place[i].t_head < first->t_head))
                first = &b->place[i];
    }
    return first;
}

static void host_receives(run *r, uint32_t p)
{
    port *host = &r->port[p];
    for (place *f; (f = next_flit(r, p)) != NULL && f->t_head <= r->now;) {
        cop_time flit = r->c->sink_flit_ps ? r->c->sink_flit_ps[p - r->t->host_port0]
                                           : r->c->flit_ps[r->t->port[p].from];
        cop_time begin = cop_max64(f->t_head, host->served);
        cop_time done = begin + time_of(r, flit, bytes_of(r, f->pkt, f->flit));
        done = cop_max64(done, f->t_tail);
        if (r->now < done)
            return;
        COP_CHECK(r->now == done);
        host->served = done;
        f->started = true;
        f->t_left = done;
        r->t_progress = r->now;
        if (f->flit + 1 == flits_of(r, f->pkt)) {
            r->pkts[f->pkt].t_deliver = done;
            r->counts->delivered++;
            r->counts->bytes_delivered += r->pkts[f->pkt].bytes;
        }
    }
}

/* Take the next message of this host, if it has come into being. */
static bool take(run *r, uint32_t p)
{
    port *host = &r->port[p];
    while (host->next_pkt < r->n && cop_topo_host_port(r->t, r->pkts[host->next_pkt].src) != p)
        host->next_pkt++;
    if (host->next_pkt == r->n || r->pkts[host->next_pkt].t > r->now)
        return false;
    const fr_packet *first = &r->pkts[host->next_pkt];
    do {
        uint32_t lane = r->pkts[host->next_pkt].lane;
        host->queue[lane][host->end[lane]++] = (uint32_t)host->next_pkt++;
    } while (first->message != 0 && host->next_pkt < r->n &&
             r->pkts[host->next_pkt].message == first->message);
    return true;
}

/* The lane that comes first; `fresh` says that a packet would begin there. FR_MAX_LANES: none. */
static uint32_t host_turn(const run *r, uint32_t p, bool *fresh)
{
    const port *host = &r->port[p];
    for (uint32_t i = 0; i < r->c->lanes; i++) {
        uint32_t l = (host->next_lane + i) % r->c->lanes;
        *fresh = host->owner[l] == COP_NONE;
        if (*fresh ? host->at[l] < host->end[l] && has_room(r, p, l) : has_credit(r, p, l))
            return l;
    }
    return FR_MAX_LANES;
}

static void host_sends(run *r, uint32_t p)
{
    port *host = &r->port[p];
    bool fresh = false;
    uint32_t l;
    if (host->busy_until > r->now)
        return;
    do
        l = host_turn(r, p, &fresh);
    while ((l == FR_MAX_LANES || !fresh) && take(r, p));
    if (l == FR_MAX_LANES)
        return;
    if (fresh) {
        uint32_t pkt = host->queue[l][host->at[l]++];
        r->pkts[pkt].t_inject = r->now;
        r->counts->injected++;
        host->from[l] = 0;
        host->owner[l] = pkt;
    }
    uint32_t flit = host->from[l]++;
    start(r, p, l, host->owner[l], flit, NULL);
}

/* -- switches -- */

static void heads_ask(run *r, uint32_t in)
{
    for (uint32_t k = 0; k < r->c->lanes; k++) {
        place *f = front(r, in, k);
        if (f && f->flit == 0 && f->t_asked == COP_NEVER && ready(r, f, in, f->out)) {
            f->t_asked = r->now;
            f->late = r->now != routed_at(r, f, in);
        }
    }
}

/* Of the heads at input `in` that ask for lane l of `out`, the one that asked first. */
static place *first_head(const run *r, uint32_t in, uint32_t out, uint32_t l)
{
    place *first = NULL;
    for (uint32_t k = 0; k < r->c->lanes; k++) {
        place *f = front(r, in, k);
        if (!f || f->flit != 0 || f->out != out || f->out_lane != l || f->t_asked > r->now)
            continue;
        if (!first || f->t_asked < first->t_asked ||
            (f->t_asked == first->t_asked && f->late < first->late))
            first = f;
    }
    return first;
}

/* The flit that lane l of output `out` would send now; NULL: none. */
static place *offer(const run *r, uint32_t sw, uint32_t out, uint32_t l, uint32_t *in)
{
    const port *o = &r->port[out];
    uint32_t n = cop_topo_ports_of(r->t, sw);
    if (o->owner[l] != COP_NONE) {
        *in = o->from[l];
        for (uint32_t k = 0; k < r->c->lanes; k++) { /* wherever its packet comes first */
            place *f = front(r, *in, k);
            if (f && f->pkt == o->owner[l] && ready(r, f, *in, out) && has_credit(r, out, l))
                return f;
        }
        return NULL;
    }
    if (!has_room(r, out, l))
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        *in = cop_topo_switch_port(r->t, sw, (o->next_in[l] + i) % n);
        place *f = first_head(r, *in, out, l);
        if (f)
            return f;
    }
    return NULL;
}

static void output_sends(run *r, uint32_t sw, uint32_t out)
{
    port *o = &r->port[out];
    if (r->t->port[out].to == COP_NONE || o->busy_until > r->now)
        return;
    for (uint32_t i = 0; i < r->c->lanes; i++) {
        uint32_t l = (o->next_lane + i) % r->c->lanes, in;
        place *f = offer(r, sw, out, l, &in);
        if (!f)
            continue;
        if (f->flit == 0) {
            o->from[l] = in;
            o->next_in[l] = (r->t->port[in].local + 1u) % cop_topo_ports_of(r->t, sw);
        }
        start(r, out, l, f->pkt, f->flit, f);
        return;
    }
}

static void tick(run *r)
{
    const cop_topo *t = r->t;
    for (uint32_t p = 0; p < t->n_ports; p++)
        credits_arrive(r, p);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++)
        host_receives(r, p);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++)
        host_sends(r, p);
    for (uint32_t p = 0; p < t->host_port0; p++)
        heads_ask(r, p);
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
            output_sends(r, sw, p);
}

static void build(run *r)
{
    r->port = COP_NEW_ARRAY(&r->arena, port, r->t->n_ports);
    r->buffer = COP_NEW_ARRAY(&r->arena, buffer, r->t->n_ports * r->c->lanes);
    for (uint32_t p = 0; p < r->t->n_ports; p++)
        for (uint32_t l = 0; l < r->c->lanes; l++) {
            r->port[p].owner[l] = COP_NONE;
            buffer_of(r, p, l)->place = COP_NEW_ARRAY(&r->arena, place, size_of(r, p));
            if (is_host(r, p))
                r->port[p].queue[l] = COP_NEW_ARRAY(&r->arena, uint32_t, r->n);
        }
}

/* Nothing moves for so long: nothing ever will. */
static cop_time silence_of(const run *r)
{
    cop_time longest = 0;
    for (uint32_t p = 0; p < r->t->n_ports; p++)
        longest = cop_max64(longest, 2 * r->c->flit_ps[p] + 2 * r->c->delay_ps[p]);
    for (uint32_t h = 0; h < r->t->n_hosts && r->c->sink_flit_ps; h++)
        longest = cop_max64(longest, 2 * r->c->sink_flit_ps[h]);
    return longest + r->c->pipeline_ps + r->c->credit_ps + r->c->tick_ps;
}

int flitref_worm_run(const cop_topo *t, const frw_cfg *cfg, fr_packet *pkts, size_t n, cop_time end,
                     fr_counts *counts)
{
    run r = {.t = t, .c = cfg, .pkts = pkts, .n = n, .counts = counts};
    int outcome = FR_UNFINISHED;
    *counts = (fr_counts){0};
    COP_CHECK(cfg->lanes >= 1 && cfg->lanes <= FR_MAX_LANES && cfg->places > 0 &&
              cfg->sink_places > 0 && cfg->header_bytes <= cfg->flit_bytes);
    build(&r);
    for (size_t i = 0; i < n; i++)
        pkts[i].t_inject = pkts[i].t_deliver = COP_NEVER;
    cop_time silence = silence_of(&r);
    for (; outcome == FR_UNFINISHED && r.now <= end; r.now += cfg->tick_ps) {
        tick(&r);
        counts->t_end = r.now;
        if (counts->delivered == n && r.places == 0)
            outcome = FR_DONE;
        else if (r.places > 0 && r.now - r.t_progress > silence)
            outcome = FR_DEADLOCK;
    }
    cop_arena_free(&r.arena);
    return outcome;
}
