/* Flit-level reference: which packets start at the outputs of a switch in a tick (phase 4 of the rules
 * in flitref.h).
 *
 * The queues of an input are not kept: they are read off its stays, in order of arrival, by lane (and
 * output). What is kept are the pointers of inputs and outputs and the turns that inputs have missed.
 * Invariants: an output that sends starts nothing; a packet starts only with credit for all of it. */
#include "flitref_int.h"

/* Can the input read no further packet? */
static bool input_busy(const fr_run *r, uint32_t in)
{
    uint32_t reads = 0;
    for (size_t i = 0; i < r->port[in].n_stays; i++)
        reads += r->port[in].stay[i]->leaving && r->port[in].stay[i]->t_left == COP_NEVER;
    return reads >= (r->c->reads ? r->c->reads : 1);
}

/* Of an output with a buffer it is the crossbar that starts packets, else the link. */
static bool output_busy(const fr_run *r, uint32_t out)
{
    return r->c->cross_flit_ps ? r->port[out].cross_into != NULL : r->port[out].into != NULL;
}

static bool takes(const fr_run *r, uint32_t out, const fr_packet *pkt)
{
    return r->c->cross_flit_ps ? fr_has_room(r, out, pkt) : fr_has_credit(r, out, pkt);
}

static void start(fr_run *r, uint32_t out, fr_stay *s)
{
    if (r->c->cross_flit_ps)
        fr_cross_packet(r, out, s);
    else
        fr_start_packet(r, out, s, s->pkt);
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
        bool dry = !r->c->cross_flit_ps && r->now + s->flits * r->c->flit_ps[out] < t_tail;
        return dry ? NULL : s;
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
    uint32_t lane0 = r->c->cross_flit_ps ? r->port[out].cross_lane : r->port[out].next_lane;
    if (r->t->port[out].to == COP_NONE || output_busy(r, out))
        return NULL;
    for (uint32_t l = 0; l < r->c->lanes; l++) {
        uint32_t lane = (lane0 + l) % r->c->lanes;
        uint32_t first = r->port[out].next_in[r->c->one_input_pointer ? 0 : lane];
        bool turn = true;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t in = cop_topo_switch_port(r->t, sw, (first + i) % n);
            fr_stay *s = ready_head(r, in, lane, out);
            if (!s)
                continue;
            bool busy = r->c->read == FR_READ_PER_INPUT && input_busy(r, in);
            bool room = takes(r, out, s->pkt);
            if (room && !busy)
                return s;
            if (room && turn && *missed_by(r, out, lane, in) == FR_MISSED) {
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
    *(r->c->cross_flit_ps ? &r->port[out].cross_lane : &r->port[out].next_lane) =
        (lane + 1u) % r->c->lanes;
    r->port[out].next_in[r->c->one_input_pointer ? 0 : lane] = past;
}

void fr_switch_per_output(fr_run *r, uint32_t sw)
{
    for (uint32_t out = r->t->sw_port0[sw]; out < r->t->sw_port0[sw + 1]; out++) {
        fr_stay *s = choose(r, sw, out);
        if (s) {
            move_output_pointers(r, sw, out, s);
            start(r, out, s);
        }
    }
}

/* Output `out` has matched s->in in the first round: an input that asked, was before it in turn and
 * busy at the beginning of the tick (`busy`, by local number) has missed a turn. */
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
    start(r, out, s);
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

void fr_switch_per_input(fr_run *r, uint32_t sw)
{
    uint32_t port0 = r->t->sw_port0[sw], n = cop_topo_ports_of(r->t, sw);
    fr_stay *grant[COP_MAX_PORTS];
    bool busy[COP_MAX_PORTS];
    for (uint32_t i = 0; i < n; i++)
        busy[i] = input_busy(r, port0 + i);
    for (uint32_t round = 0; round < r->c->iterations; round++) {
        for (uint32_t o = 0; o < n; o++)
            grant[o] = choose(r, sw, port0 + o);
        for (uint32_t in = port0; in < port0 + n; in++)
            for (uint32_t o; !input_busy(r, in) && (o = accept(r, in, n, grant)) != COP_NONE;) {
                fr_stay *s = grant[o];
                grant[o] = NULL;
                match(r, sw, port0 + o, s, round == 0, busy);
            }
    }
}
