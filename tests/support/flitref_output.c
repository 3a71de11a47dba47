/* Flit-level reference: output buffers, and the crossbar that fills them.
 *
 * The rules are in flitref.h. Room is not counted but seen, as credit is: the size of the buffer minus
 * the bytes of its stays.
 * Invariants, checked: a flit crosses no earlier than it comes in, first bit and last bit; a packet has
 * crossed at the instant that was foreseen when it started. */
#include "flitref_int.h"

bool fr_has_room(const fr_run *r, uint32_t out, const fr_packet *pkt)
{
    const fr_port *o = &r->port[out];
    uint64_t lane[FR_MAX_LANES] = {0}, all = 0;
    lane[pkt->lane] = pkt->bytes;
    for (size_t i = 0; i < o->n_out_stays; i++)
        lane[o->out_stay[i]->pkt->lane] += o->out_stay[i]->pkt->bytes;
    if (r->c->output_reserve == 0)
        return lane[pkt->lane] <= r->c->output_bytes;
    /* What a lane owns is gone for the others, used or not. */
    for (uint32_t l = 0; l < r->c->lanes; l++)
        all += cop_max64(lane[l], r->c->output_reserve);
    return all <= r->c->output_bytes;
}

static void start_crossing(fr_run *r, uint32_t out)
{
    fr_port *o = &r->port[out];
    COP_CHECK(o->cross_from->first > o->cross_into->first);
    o->cross_into->first++;
    o->t_cross_end = r->now + r->c->cross_flit_ps[r->t->port[out].owner];
    r->t_progress = r->now;
}

void fr_cross_packet(fr_run *r, uint32_t out, fr_stay *from)
{
    fr_port *o = &r->port[out];
    fr_stay *s = cop_arena_alloc(&r->arena, sizeof(fr_stay));
    cop_time tail = from->t_head + from->flits * r->c->flit_ps[r->t->port[from->in].from];
    *s = (fr_stay){.pkt = from->pkt, .in = out, .out = out, .flits = from->flits};
    s->t_head = r->now;
    s->t_whole = cop_max64(tail, r->now + s->flits * r->c->cross_flit_ps[r->t->port[out].owner]);
    s->t_left = COP_NEVER;
    from->leaving = true;
    o->out_stay[o->n_out_stays++] = s;
    o->cross_from = from;
    o->cross_into = s;
    start_crossing(r, out);
}

void fr_crossbar_ends(fr_run *r, uint32_t out)
{
    fr_port *o = &r->port[out];
    if (!o->cross_into || r->now < o->t_cross_end || o->cross_from->whole < o->cross_into->first)
        return;
    o->cross_into->whole++;
    if (o->cross_into->whole < o->cross_into->flits) {
        start_crossing(r, out);
        return;
    }
    COP_CHECK(o->cross_into->t_whole == r->now);
    o->cross_from->t_left = r->now;
    o->cross_from = o->cross_into = NULL;
}

void fr_output_frees(fr_run *r, uint32_t out)
{
    fr_port *o = &r->port[out];
    size_t kept = 0;
    for (size_t i = 0; i < o->n_out_stays; i++)
        if (o->out_stay[i]->t_left == COP_NEVER)
            o->out_stay[kept++] = o->out_stay[i];
    o->n_out_stays = kept;
}

/* The first packet of a lane that has not started to leave; NULL if there is none. */
static fr_stay *first_of(const fr_port *o, uint32_t lane)
{
    for (size_t i = 0; i < o->n_out_stays; i++)
        if (o->out_stay[i]->pkt->lane == lane && !o->out_stay[i]->leaving)
            return o->out_stay[i];
    return NULL;
}

void fr_output_sends(fr_run *r, uint32_t out)
{
    fr_port *o = &r->port[out];
    if (r->t->port[out].to == COP_NONE)
        return;
    for (uint32_t l = 0; l < r->c->lanes && !o->into; l++) {
        uint32_t lane = (o->next_lane + l) % r->c->lanes;
        fr_stay *s = first_of(o, lane);
        if (!s || r->now + s->flits * r->c->flit_ps[out] < s->t_whole ||
            !fr_has_credit(r, out, s->pkt))
            continue;
        o->next_lane = (lane + 1) % r->c->lanes;
        fr_start_packet(r, out, s, s->pkt);
    }
}
