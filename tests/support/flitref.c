/* Flit-level reference: buffers, links, hosts and the run; its switches are in flitref_switch.c and
 * flitref_output.c.
 *
 * Role: an oracle for tests. It shares no code with the simulator it checks and looks at everything
 * in every tick, so it suits small networks only. Its one idea is in flitref_int.h.
 *
 * Rules: in flitref.h. Each phase of a tick is a loop of tick().
 * Invariants, checked: a flit goes out no earlier than it comes in, first bit and last bit; no
 * buffer holds more than its size.
 * Simplifications: one fixed lane per packet, private lane buffers, deterministic routing. */
#include "flitref_int.h"

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

bool fr_has_credit(const fr_run *r, uint32_t out, const fr_packet *pkt)
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

void fr_start_packet(fr_run *r, uint32_t out, fr_stay *from, fr_packet *pkt)
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
    if (pkt->t > r->now || !fr_has_credit(r, p, pkt))
        return;
    fr_start_packet(r, p, NULL, pkt);
    pkt->t_inject = r->now;
    r->counts->injected++;
    host->next_pkt++;
}

static void outputs_send(fr_run *r, uint32_t sw)
{
    for (uint32_t p = r->t->sw_port0[sw]; r->c->cross_flit_ps && p < r->t->sw_port0[sw + 1]; p++)
        fr_output_sends(r, p);
}

static void tick(fr_run *r)
{
    const cop_topo *t = r->t;
    for (uint32_t p = 0; p < t->n_ports; p++)
        credits_arrive(r, p);
    for (uint32_t p = 0; p < t->n_ports; p++)
        for (size_t i = 0; i < r->port[p].n_stays; i++)
            flits_arrive(r, r->port[p].stay[i]);
    for (uint32_t p = 0; p < t->host_port0; p++)
        fr_crossbar_ends(r, p);
    for (uint32_t p = 0; p < t->n_ports; p++)
        flit_ends(r, p);
    for (uint32_t p = 0; p < t->host_port0; p++)
        fr_output_frees(r, p);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++)
        host_receives(r, p);
    for (uint32_t p = t->host_port0; p < t->n_ports; p++)
        host_sends(r, p);
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        outputs_send(r, sw);
        if (r->c->read == FR_READ_PER_INPUT)
            fr_switch_per_input(r, sw);
        else
            fr_switch_per_output(r, sw);
        outputs_send(r, sw);
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
    for (uint32_t sw = 0; sw < t->n_switches && c->cross_flit_ps; sw++)
        COP_CHECK(c->cross_flit_ps[sw] > 0 && c->cross_flit_ps[sw] % c->tick_ps == 0);
    COP_CHECK(c->output_reserve * c->lanes <= c->output_bytes);
}

static void check_packet(const fr_run *r, const fr_packet *p)
{
    const cop_topo *t = r->t;
    COP_CHECK(p->src < t->n_hosts && p->dst < t->n_hosts && p->src != p->dst);
    COP_CHECK(p->lane < r->c->lanes);
    COP_CHECK(p->bytes > 0 && p->bytes % r->c->flit_bytes == 0 && p->bytes >= r->c->header_bytes);
    COP_CHECK(p->bytes <= r->c->buffer_bytes);
    COP_CHECK(!r->c->cross_flit_ps || p->bytes <= r->c->output_bytes);
    COP_CHECK(r->c->output_reserve == 0 || p->bytes <= r->c->output_reserve);
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
        if (!cop_topo_is_host_port(t, p)) {
            r.port[p].missed = COP_NEW_ARRAY(
                &r.arena, uint8_t, (size_t)cfg->lanes * cop_topo_ports_of(t, t->port[p].owner));
            r.port[p].out_stay = COP_NEW_ARRAY(&r.arena, fr_stay *,
                                               cfg->lanes * (cfg->output_bytes / cfg->flit_bytes));
        }
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
