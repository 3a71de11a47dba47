/* Flit-level reference of wormhole switching: links, hosts and the clock; the rules are in flitref_worm.h. It shares
 * no code with the simulator and looks at everything in every tick.
 *
 * Invariants, checked: no buffer holds more flits than it has places; a flit goes out no earlier than it
 * comes in, first bit and last bit. */
#include "flitref_worm_int.h"

static void credits_arrive(frw_run *r, uint32_t in)
{
    uint32_t sender = r->t->port[in].from;
    if (sender == COP_NONE)
        return;
    cop_time delay = r->c->credit_ps + r->c->delay_ps[sender];
    for (uint32_t l = 0; l < r->c->lanes; l++) {
        frw_buffer *b = frw_buffer_of(r, in, l);
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

/* Start a flit on the link of `out`; `f` is its place in the buffer before, NULL at its source. */
void frw_start(frw_run *r, uint32_t out, uint32_t lane, uint32_t pkt, uint32_t flit, frw_place *f)
{
    uint32_t to = r->t->port[out].to, bytes = frw_bytes_of(r, pkt, flit);
    cop_time f_ps = frw_time_of(r, r->c->flit_ps[out], bytes);
    frw_buffer *b = frw_buffer_of(r, to, lane);
    COP_CHECK(b->n < frw_size_of(r, to));
    frw_place *next = &b->place[b->n++];
    *next = (frw_place){.pkt = pkt, .flit = flit, .t_left = COP_NEVER, .t_asked = COP_NEVER};
    next->t_head = r->now + r->c->delay_ps[out];
    next->t_tail = next->t_head + f_ps;
    if (f) {
        COP_CHECK(f->t_head <= r->now && f->t_tail <= r->now + f_ps);
        f->started = true;
        f->t_left = r->now + f_ps;
    }
    if (flit == 0)
        r->counts->packet_hops++;
    frw_port *o = &r->port[out];
    o->owner[lane] = flit + 1 == frw_flits_of(r, pkt) ? COP_NONE : pkt;
    o->busy_until = r->now + f_ps;
    o->next_lane = (lane + 1) % r->c->lanes;
    r->places++;
    r->counts->flit_hops++;
    r->t_progress = r->now;
}

/* -- hosts -- */

/* The next flit that the host has not taken, of all lanes: they came over one link, one after the other. */
static frw_place *next_flit(const frw_run *r, uint32_t p)
{
    frw_place *first = NULL;
    for (uint32_t l = 0; l < r->c->lanes; l++) {
        frw_buffer *b = frw_buffer_of(r, p, l);
        for (uint32_t i = 0; i < b->n; i++)
            if (!b->place[i].started && (!first || b->place[i].t_head < first->t_head))
                first = &b->place[i];
    }
    return first;
}

static void host_receives(frw_run *r, uint32_t p)
{
    frw_port *host = &r->port[p];
    for (frw_place *f; (f = next_flit(r, p)) != NULL && f->t_head <= r->now;) {
        cop_time flit = r->c->sink_flit_ps ? r->c->sink_flit_ps[p - r->t->host_port0]
                                           : r->c->flit_ps[r->t->port[p].from];
        cop_time begin = cop_max64(f->t_head, host->served);
        cop_time done = begin + frw_time_of(r, flit, frw_bytes_of(r, f->pkt, f->flit));
        done = cop_max64(done, f->t_tail);
        if (r->now < done)
            return;
        COP_CHECK(r->now == done);
        host->served = done;
        f->started = true;
        f->t_left = done;
        r->t_progress = r->now;
        if (f->flit + 1 == frw_flits_of(r, f->pkt)) {
            r->pkts[f->pkt].t_deliver = done;
            r->counts->delivered++;
            r->counts->bytes_delivered += r->pkts[f->pkt].bytes;
        }
    }
}

/* Take the next message of this host, if it has come into being. */
static bool take(frw_run *r, uint32_t p)
{
    frw_port *host = &r->port[p];
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
static uint32_t host_turn(const frw_run *r, uint32_t p, bool *fresh)
{
    const frw_port *host = &r->port[p];
    for (uint32_t i = 0; i < r->c->lanes; i++) {
        uint32_t l = (host->next_lane + i) % r->c->lanes;
        *fresh = host->owner[l] == COP_NONE;
        if (*fresh ? host->at[l] < host->end[l] && frw_has_room(r, p, l) : frw_has_credit(r, p, l))
            return l;
    }
    return FR_MAX_LANES;
}

static void host_sends(frw_run *r, uint32_t p)
{
    frw_port *host = &r->port[p];
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
        r->seq[pkt] = r->sent[p - r->t->host_port0]++;
        r->counts->injected++;
        host->from[l] = 0;
        host->owner[l] = pkt;
    }
    uint32_t flit = host->from[l]++;
    frw_start(r, p, l, host->owner[l], flit, NULL);
}

static void tick(frw_run *r)
{
    const cop_topo *t = r->t;
    for (uint32_t p = 0; p < t->n_ports; p++)
        credits_arrive(r, p);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++)
        host_receives(r, p);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++)
        host_sends(r, p);
    frw_heads(r);
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
            frw_output_sends(r, sw, p);
}

static void build(frw_run *r)
{
    r->seq = COP_NEW_ARRAY(&r->arena, uint32_t, r->n);
    r->sent = COP_NEW_ARRAY(&r->arena, uint32_t, r->t->n_hosts);
    r->port = COP_NEW_ARRAY(&r->arena, frw_port, r->t->n_ports);
    r->buffer = COP_NEW_ARRAY(&r->arena, frw_buffer, r->t->n_ports * r->c->lanes);
    for (uint32_t p = 0; p < r->t->n_ports; p++)
        for (uint32_t l = 0; l < r->c->lanes; l++) {
            r->port[p].owner[l] = COP_NONE;
            frw_buffer_of(r, p, l)->place = COP_NEW_ARRAY(&r->arena, frw_place, frw_size_of(r, p));
            if (frw_is_host(r, p))
                r->port[p].queue[l] = COP_NEW_ARRAY(&r->arena, uint32_t, r->n);
        }
}

/* Nothing moves for so long: nothing ever will. */
static cop_time silence_of(const frw_run *r)
{
    cop_time longest = 0;
    for (uint32_t p = 0; p < r->t->n_ports; p++)
        longest = cop_max64(longest, 2 * r->c->flit_ps[p] + 2 * r->c->delay_ps[p]);
    for (uint32_t h = 0; h < r->t->n_hosts && r->c->sink_flit_ps; h++)
        longest = cop_max64(longest, 2 * r->c->sink_flit_ps[h]);
    return longest + r->c->pipeline_ps + r->c->allocation_ps + r->c->credit_ps + r->c->tick_ps;
}

int flitref_worm_run(const cop_topo *t, const frw_cfg *cfg, fr_packet *pkts, size_t n, cop_time end,
                     fr_counts *counts)
{
    frw_run r = {.t = t, .c = cfg, .pkts = pkts, .n = n, .counts = counts};
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
