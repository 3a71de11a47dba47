/* Flit-level reference.
 *
 * Role: an oracle for tests. It shares no code with the simulator it checks and looks at everything
 * in every tick, so it suits small networks only.
 *
 * One idea carries it: the stay, which is one packet in one input buffer. It begins when the
 * upstream link starts to send the packet, which takes credit for all of it, and ends when that
 * credit is back upstream. So credit is not counted but seen: buffer size minus the bytes of the
 * stays of that buffer and lane. A packet that cuts through has several stays at once.
 *
 * Rules: in flitref.h. Each phase of a tick is a loop of tick().
 * Invariants, checked: a flit goes out no earlier than it comes in, first bit and last bit; no
 * buffer holds more than its size.
 * Simplifications: one fixed lane per packet, private lane buffers, deterministic routing. */
#include "flitref.h"

#include "base/mem.h"

typedef struct fr_stay {
    fr_packet *pkt;
    uint32_t in; /* port that owns the buffer */
    uint32_t out; /* port the packet leaves by; COP_NONE in its destination host */
    uint32_t flits; /* of the whole packet */
    uint32_t sent; /* flits put on the wire towards this buffer */
    uint32_t first; /* flits whose first bit is here */
    uint32_t whole; /* flits whose last bit is here */
    bool leaving; /* an output reads it, or has read it */
    cop_time t_head; /* first bit of the packet here */
    cop_time t_join; /* in its queue from then on; COP_NEVER: not known yet */
    cop_time t_left; /* last flit left; COP_NEVER: still here */
    cop_time t_flit[]; /* [flits] when each flit's transmission started */
} fr_stay;

typedef struct fr_port {
    fr_stay **stay; /* its input buffer, in order of arrival */
    size_t n_stays;
    fr_stay *from, *into; /* what its link sends: from NULL: a host's packet; into NULL: idle */
    cop_time t_flit_end;
    uint32_t next_lane, next_in[FR_MAX_LANES]; /* pointers of the output */
    uint32_t next_out; /* pointer of the input (iSLIP accept) */
    uint8_t *missed; /* [lane * ports + input] turns in a row that the input missed here */
    bool kept_idle; /* for an input that missed its turns, since the last packet */
    /* Hosts only. */
    size_t next_pkt; /* its packets before this one have been sent */
    fr_stay *serving; /* the packet it takes in, until t_served at least */
    cop_time t_served;
} fr_port;

typedef struct fr_run {
    cop_arena arena;
    const cop_topo *t;
    const fr_cfg *c;
    fr_packet *pkts;
    size_t n;
    fr_port *port; /* [n_ports] */
    cop_time now, t_progress;
    fr_counts *counts;
} fr_run;

static uint32_t buffer_bytes(const fr_run *r, uint32_t in)
{
    bool sink = cop_topo_is_host_port(r->t, in) && r->c->sink_buffer_bytes != 0;
    return sink ? r->c->sink_buffer_bytes : r->c->buffer_bytes;
}

static uint32_t next_port(const fr_run *r, uint32_t sw, uint32_t dst)
{
    uint32_t local = r->c->lft[(size_t)sw * r->t->n_hosts + dst], n = cop_topo_ports_of(r->t, sw);
    COP_CHECK(local < n && n <= COP_MAX_PORTS);
    return cop_topo_switch_port(r->t, sw, local);
}

static bool has_credit(const fr_run *r, uint32_t out, const fr_packet *pkt)
{
    uint32_t in = r->t->port[out].to;
    uint64_t taken = 0;
    for (size_t i = 0; i < r->port[in].n_stays; i++)
        if (r->port[in].stay[i]->pkt->lane == pkt->lane)
            taken += r->port[in].stay[i]->pkt->bytes;
    COP_CHECK(taken <= buffer_bytes(r, in));
    return taken + pkt->bytes <= buffer_bytes(r, in);
}

static void start_flit(fr_run *r, uint32_t out)
{
    fr_port *o = &r->port[out];
    COP_CHECK(!o->from || o->from->first > o->into->sent);
    o->into->t_flit[o->into->sent++] = r->now;
    o->t_flit_end = r->now + r->c->flit_ps[out];
    r->counts->flit_hops++;
    r->t_progress = r->now;
}

static void start_packet(fr_run *r, uint32_t out, fr_stay *from, fr_packet *pkt)
{
    uint32_t flits = pkt->bytes / r->c->flit_bytes;
    fr_stay *s = cop_arena_alloc(&r->arena, sizeof(fr_stay) + flits * sizeof(cop_time));
    s->pkt = pkt;
    s->in = r->t->port[out].to;
    s->out = COP_NONE;
    if (!cop_topo_is_host_port(r->t, s->in))
        s->out = next_port(r, r->t->port[s->in].owner, pkt->dst);
    s->flits = flits;
    s->t_join = s->t_left = COP_NEVER;

    fr_port *q = &r->port[s->in], *o = &r->port[out];
    q->stay[q->n_stays++] = s;
    o->from = from;
    o->into = s;
    if (from)
        from->leaving = true;
    r->counts->packet_hops++;
    r->counts->unreturned++;
    start_flit(r, out);
    if (r->c->on_start)
        r->c->on_start(r->c->on_start_ctx, r->now, out, pkt);
}

static void credits_arrive(fr_run *r, uint32_t in)
{
    uint32_t sender = r->t->port[in].from;
    if (sender == COP_NONE)
        return;
    uint32_t reverse = r->t->port[in].to == sender ? in : sender;
    cop_time delay = r->c->credit_ps + r->c->delay_ps[reverse];
    fr_port *q = &r->port[in];
    size_t kept = 0;
    for (size_t i = 0; i < q->n_stays; i++) {
        fr_stay *s = q->stay[i];
        if (s->t_left != COP_NEVER && s->t_left + delay <= r->now) {
            r->counts->unreturned--;
            r->t_progress = r->now;
        } else {
            q->stay[kept++] = s;
        }
    }
    q->n_stays = kept;
}

static void flits_arrive(fr_run *r, fr_stay *s)
{
    const fr_cfg *c = r->c;
    uint32_t link = r->t->port[s->in].from;
    cop_time f = c->flit_ps[link], delay = c->delay_ps[link];
    for (; s->first < s->sent && s->t_flit[s->first] + delay <= r->now; s->first++) {
        if (s->first == 0)
            s->t_head = r->now;
        if (s->first == 0 && !c->store_and_forward)
            s->t_join = r->now + c->header_bytes * f / c->flit_bytes + c->pipeline_ps;
    }
    for (; s->whole < s->sent && s->t_flit[s->whole] + f + delay <= r->now; s->whole++) {
        if (s->whole + 1 == s->flits && c->store_and_forward)
            s->t_join = r->now + c->pipeline_ps;
        r->t_progress = r->now;
    }
}

static void flit_ends(fr_run *r, uint32_t out)
{
    fr_port *o = &r->port[out];
    if (!o->into || o->t_flit_end != r->now)
        return;
    COP_CHECK(!o->from || o->from->whole >= o->into->sent);
    if (o->into->sent == o->into->flits) {
        if (o->from)
            o->from->t_left = r->now;
        o->from = o->into = NULL;
    } else {
        start_flit(r, out);
    }
}

static void host_receives(fr_run *r, uint32_t p)
{
    fr_port *host = &r->port[p];
    fr_stay *s = host->serving;
    if (s && r->now >= host->t_served && s->whole == s->flits) {
        s->leaving = true;
        s->t_left = s->pkt->t_deliver = r->now;
        r->counts->delivered++;
        r->counts->bytes_delivered += s->pkt->bytes;
        r->t_progress = r->now;
        host->serving = NULL;
    }
    for (size_t i = 0; i < host->n_stays && !host->serving; i++) {
        s = host->stay[i];
        if (s->first == 0 || s->leaving)
            continue;
        cop_time flit = r->c->flit_ps[r->t->port[p].from];
        if (r->c->sink_flit_ps)
            flit = r->c->sink_flit_ps[p - r->t->host_port0];
        host->serving = s;
        host->t_served = r->now + s->flits * flit;
    }
}

static void host_sends(fr_run *r, uint32_t p)
{
    fr_port *host = &r->port[p];
    while (host->next_pkt < r->n && cop_topo_host_port(r->t, r->pkts[host->next_pkt].src) != p)
        host->next_pkt++;
    if (host->next_pkt == r->n || host->into)
        return;
    fr_packet *pkt = &r->pkts[host->next_pkt];
    if (pkt->t > r->now || !has_credit(r, p, pkt))
        return;
    start_packet(r, p, NULL, pkt);
    pkt->t_inject = r->now;
    r->counts->injected++;
    host->next_pkt++;
}

static bool input_sends(const fr_run *r, uint32_t in)
{
    for (size_t i = 0; i < r->port[in].n_stays; i++)
        if (r->port[in].stay[i]->leaving && r->port[in].stay[i]->t_left == COP_NEVER)
            return true;
    return false;
}

/* The head of the queue of (in, lane) that may start on `out` now, credit aside; NULL if none. */
static fr_stay *ready_head(const fr_run *r, uint32_t in, uint32_t lane, uint32_t out)
{
    for (size_t i = 0; i < r->port[in].n_stays; i++) {
        fr_stay *s = r->port[in].stay[i];
        bool in_queue = s->pkt->lane == lane && (r->c->queueing == FR_FIFO || s->out == out);
        if (!in_queue || s->t_left != COP_NEVER)
            continue;
        if (s->out != out || s->leaving || s->t_join > r->now)
            return NULL;
        cop_time t_tail = s->t_head + s->flits * r->c->flit_ps[r->t->port[in].from];
        return r->now + s->flits * r->c->flit_ps[out] >= t_tail ? s : NULL;
    }
    return NULL;
}

static uint8_t *missed_by(const fr_run *r, uint32_t out, uint32_t lane, uint32_t in)
{
    uint32_t n = cop_topo_ports_of(r->t, r->t->port[out].owner);
    return &r->port[out].missed[lane * n + r->t->port[in].local];
}

/* The packet an idle output would take: lanes in turn, then inputs in turn. Moves no pointer. */
static fr_stay *choose(fr_run *r, uint32_t sw, uint32_t out)
{
    uint32_t n = cop_topo_ports_of(r->t, sw);
    if (r->t->port[out].to == COP_NONE || r->port[out].into)
        return NULL;
    for (uint32_t l = 0; l < r->c->lanes; l++) {
        uint32_t lane = (r->port[out].next_lane + l) % r->c->lanes;
        uint32_t first = r->port[out].next_in[r->c->one_input_pointer ? 0 : lane];
        bool turn = true;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t in = cop_topo_switch_port(r->t, sw, (first + i) % n);
            fr_stay *s = ready_head(r, in, lane, out);
            if (!s)
                continue;
            bool sends = r->c->read == FR_READ_PER_INPUT && input_sends(r, in);
            bool credit = has_credit(r, out, s->pkt);
            if (credit && !sends)
                return s;
            if (credit && turn && *missed_by(r, out, lane, in) == FR_MISSED) {
                r->port[out].kept_idle = true;
                r->counts->kept_idle++;
                return NULL;
            }
            turn = false;
        }
    }
    return NULL;
}

static void move_output_pointers(fr_run *r, uint32_t sw, uint32_t out, const fr_stay *s)
{
    uint8_t lane = s->pkt->lane;
    uint32_t past = (r->t->port[s->in].local + 1u) % cop_topo_ports_of(r->t, sw);
    r->port[out].next_lane = (lane + 1u) % r->c->lanes;
    r->port[out].next_in[r->c->one_input_pointer ? 0 : lane] = past;
}

static void switch_per_output(fr_run *r, uint32_t sw)
{
    for (uint32_t out = r->t->sw_port0[sw]; out < r->t->sw_port0[sw + 1]; out++) {
        fr_stay *s = choose(r, sw, out);
        if (s) {
            move_output_pointers(r, sw, out, s);
            start_packet(r, out, s, s->pkt);
        }
    }
}

/* Output `out` has matched s->in in the first round: whoever asked, was before it in turn and sent
 * at the beginning of the tick (`busy`, by local number) has missed a turn. */
static void count_missed(fr_run *r, uint32_t sw, uint32_t out, const fr_stay *s, const bool *busy)
{
    uint32_t lane = s->pkt->lane, n = cop_topo_ports_of(r->t, sw);
    for (uint32_t i = r->port[out].next_in[r->c->one_input_pointer ? 0 : lane];; i++) {
        uint32_t in = cop_topo_switch_port(r->t, sw, i % n);
        if (in == s->in)
            return;
        uint8_t *missed = missed_by(r, out, lane, in);
        if (busy[i % n] && *missed < FR_MISSED && ready_head(r, in, lane, out))
            ++*missed;
    }
}

/* After s has started on `out`: has its queue another packet? */
static bool queue_goes_on(const fr_run *r, const fr_stay *s, uint32_t out)
{
    for (size_t i = 0; i < r->port[s->in].n_stays; i++) {
        const fr_stay *o = r->port[s->in].stay[i];
        if (!o->leaving && o->pkt->lane == s->pkt->lane && o->t_join <= r->now &&
            (r->c->queueing == FR_FIFO || o->out == out))
            return true;
    }
    return false;
}

static void match(fr_run *r, uint32_t sw, uint32_t out, fr_stay *s, bool first_round,
                  const bool *busy)
{
    if (first_round) {
        count_missed(r, sw, out, s, busy);
        move_output_pointers(r, sw, out, s);
        r->port[s->in].next_out = (r->t->port[out].local + 1u) % cop_topo_ports_of(r->t, sw);
    }
    start_packet(r, out, s, s->pkt);
    uint8_t *missed = missed_by(r, out, s->pkt->lane, s->in);
    if (*missed < FR_MISSED || !r->port[out].kept_idle || !queue_goes_on(r, s, out))
        *missed = 0;
    r->port[out].kept_idle = false;
}

/* Of the outputs that grant input `in`, the next in turn; first among those it has missed. */
static uint32_t accept(const fr_run *r, uint32_t in, uint32_t n, fr_stay *const *grant)
{
    uint32_t port0 = r->t->sw_port0[r->t->port[in].owner];
    for (uint32_t least = FR_MISSED;; least = 0) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t o = (r->port[in].next_out + i) % n;
            if (grant[o] && grant[o]->in == in &&
                *missed_by(r, port0 + o, grant[o]->pkt->lane, in) >= least)
                return o;
        }
        if (least == 0)
            return COP_NONE;
    }
}

static void switch_per_input(fr_run *r, uint32_t sw)
{
    uint32_t port0 = r->t->sw_port0[sw], n = cop_topo_ports_of(r->t, sw);
    fr_stay *grant[COP_MAX_PORTS];
    bool busy[COP_MAX_PORTS];
    for (uint32_t i = 0; i < n; i++)
        busy[i] = input_sends(r, port0 + i);
    for (uint32_t round = 0; round < r->c->iterations; round++) {
        for (uint32_t o = 0; o < n; o++)
            grant[o] = choose(r, sw, port0 + o);
        for (uint32_t in = port0; in < port0 + n; in++) {
            uint32_t o = accept(r, in, n, grant);
            if (o != COP_NONE)
                match(r, sw, port0 + o, grant[o], round == 0, busy);
        }
    }
}

static void tick(fr_run *r)
{
    const cop_topo *t = r->t;
    for (uint32_t p = 0; p < t->n_ports; p++)
        credits_arrive(r, p);
    for (uint32_t p = 0; p < t->n_ports; p++)
        for (size_t i = 0; i < r->port[p].n_stays; i++)
            flits_arrive(r, r->port[p].stay[i]);
    for (uint32_t p = 0; p < t->n_ports; p++)
        flit_ends(r, p);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++)
        host_receives(r, p);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++)
        host_sends(r, p);
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        if (r->c->read == FR_READ_PER_INPUT)
            switch_per_input(r, sw);
        else
            switch_per_output(r, sw);
    }
}

static void check_cfg(const cop_topo *t, const fr_cfg *c)
{
    COP_CHECK(c->tick_ps > 0 && c->flit_bytes > 0 && c->lanes >= 1 && c->lanes <= FR_MAX_LANES);
    COP_CHECK(c->read == FR_READ_PER_OUTPUT || c->iterations > 0);
    COP_CHECK(c->pipeline_ps % c->tick_ps == 0 && c->credit_ps % c->tick_ps == 0);
    for (uint32_t p = 0; p < t->n_ports; p++) {
        COP_CHECK(c->flit_ps[p] > 0 && c->flit_ps[p] % c->tick_ps == 0);
        COP_CHECK(c->delay_ps[p] > 0 && c->delay_ps[p] % c->tick_ps == 0);
        COP_CHECK(c->header_bytes * c->flit_ps[p] % (c->flit_bytes * c->tick_ps) == 0);
    }
    for (uint32_t h = 0; h < t->n_hosts && c->sink_flit_ps; h++)
        COP_CHECK(c->sink_flit_ps[h] > 0 && c->sink_flit_ps[h] % c->tick_ps == 0);
}

static void check_packet(const fr_run *r, const fr_packet *p)
{
    const cop_topo *t = r->t;
    COP_CHECK(p->src < t->n_hosts && p->dst < t->n_hosts && p->src != p->dst);
    COP_CHECK(p->lane < r->c->lanes);
    COP_CHECK(p->bytes > 0 && p->bytes % r->c->flit_bytes == 0 && p->bytes >= r->c->header_bytes);
    COP_CHECK(p->bytes <= r->c->buffer_bytes);
    COP_CHECK(p->bytes <= buffer_bytes(r, cop_topo_host_port(t, p->dst)));
    uint32_t at = t->port[cop_topo_host_port(t, p->src)].to;
    for (uint32_t hops = 0; hops < t->n_switches && !cop_topo_is_host_port(t, at); hops++) {
        at = t->port[next_port(r, t->port[at].owner, p->dst)].to;
        COP_CHECK(at != COP_NONE);
    }
    COP_CHECK(at == cop_topo_host_port(t, p->dst));
}

/* Longer than anything under way can take: silence beyond this is a deadlock. */
static cop_time longest_silence(const fr_run *r)
{
    const fr_cfg *c = r->c;
    cop_time flit = 0, delay = 0, flits = 0;
    for (uint32_t p = 0; p < r->t->n_ports; p++) {
        flit = cop_max64(flit, c->flit_ps[p]);
        delay = cop_max64(delay, c->delay_ps[p]);
    }
    for (uint32_t h = 0; h < r->t->n_hosts && c->sink_flit_ps; h++)
        flit = cop_max64(flit, c->sink_flit_ps[h]);
    for (size_t i = 0; i < r->n; i++)
        flits = cop_max64(flits, r->pkts[i].bytes / c->flit_bytes);
    return 2 * ((flits + 1) * flit + delay + c->pipeline_ps + c->credit_ps);
}

int flitref_run(const cop_topo *t, const fr_cfg *cfg, fr_packet *pkts, size_t n, cop_time end,
                fr_counts *counts)
{
    fr_run r = {.t = t, .c = cfg, .pkts = pkts, .n = n, .counts = counts};
    *counts = (fr_counts){0};
    check_cfg(t, cfg);
    for (size_t i = 0; i < n; i++) {
        check_packet(&r, &pkts[i]);
        pkts[i].t_inject = pkts[i].t_deliver = COP_NEVER;
    }
    r.port = COP_NEW_ARRAY(&r.arena, fr_port, t->n_ports);
    for (uint32_t p = 0; p < t->n_ports; p++) {
        if (!cop_topo_is_host_port(t, p))
            r.port[p].missed = COP_NEW_ARRAY(
                &r.arena, uint8_t, (size_t)cfg->lanes * cop_topo_ports_of(t, t->port[p].owner));
        size_t most = cfg->lanes * (buffer_bytes(&r, p) / cfg->flit_bytes);
        r.port[p].stay = COP_NEW_ARRAY(&r.arena, fr_stay *, most);
    }
    cop_time silence = longest_silence(&r);
    int outcome = FR_UNFINISHED;
    for (r.now = 0; r.now <= end && outcome == FR_UNFINISHED; r.now += cfg->tick_ps) {
        tick(&r);
        counts->t_end = r.now;
        if (counts->delivered == n && counts->unreturned == 0)
            outcome = FR_DONE;
        else if (counts->unreturned > 0 && r.now - r.t_progress > silence)
            outcome = FR_DEADLOCK;
    }
    cop_arena_free(&r.arena);
    return outcome;
}
