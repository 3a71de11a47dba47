/* Messages of applications.
 *
 * Eager       up to `eager` bytes: handed to the network when the CPU has done its part, and then the
 *             send has finished. The message waits at its receiver until a receive takes it.
 * Rendezvous  longer ones: a request of `request` bytes goes first; when a receive has been posted for
 *             it, a grant comes back; then the data goes, and the send has finished when the last byte has
 *             left. Requests and grants are packets like any other, and cost no time of a CPU.
 * Order       messages of one sender meet receives in the order in which they were handed over, as MPI
 *             wants it, also where the network has let one overtake another: each has a number.
 * NIC         a rank has an outbox for each of its NICs; the next message may be taken `gap` plus
 *             `gap_per_byte` times its bytes after the one before.
 * Local       between ranks of one host nothing enters the network.
 * Source      LogGOPS: Hoefler, Schneider, Lumsdaine, LogGOPSim (2010); L and the rate are the network's. */
#include "app/run.h"

#include "net/traffic.h"

#include <string.h>

static uint32_t new_letter(cop_app *a)
{
    uint32_t l = a->letter_free;
    if (l != COP_NONE) {
        a->letter_free = a->letter[l].next;
        return l;
    }
    a->letter = cop_grow(a->letter, &a->letter_cap, (size_t)a->letter_n + 1, sizeof(*a->letter));
    return a->letter_n++;
}

static void free_letter(cop_app *a, uint32_t l)
{
    a->letter[l].next = a->letter_free;
    a->letter_free = l;
}

/* -- order of a pair -- */

static cop_pair *pair_of(const cop_job *j, uint32_t op)
{
    return &j->pair[j->graph.pair_of[j->graph.op[op].key]];
}

/* -- handing over -- */

void cop_app_want_stream(cop_app *a, uint32_t stream)
{
    if (a->wish.n_streams == a->wish_streams_cap)
        a->wish.stream = cop_grow(a->wish.stream, &a->wish_streams_cap,
                                  (size_t)a->wish.n_streams + 1, sizeof(uint32_t));
    a->wish.stream[a->wish.n_streams++] = stream;
}

void cop_box_show(cop_app *a, cop_outbox *box, cop_time now)
{
    cop_stream *s = &a->stream[box->stream];
    cop_time t = COP_NEVER;
    if (box->head != COP_NONE)
        t = cop_max64(cop_max64(box->free_at, a->letter[box->head].handed), now);
    s->t_next = t < s->t_stop ? t : COP_NEVER;
}

static uint32_t host_of(const cop_job *j, uint32_t rank, uint32_t nic)
{
    return j->host[(size_t)(rank - j->rank0) * j->cfg.nics + nic];
}

/* Letter l, of `bytes`, goes to its NIC, or to a neighbour on the same host. */
static void hand(cop_app *a, uint32_t l, uint64_t bytes)
{
    cop_letter *m = &a->letter[l];
    cop_job *j = cop_job_of(a, m->from);
    m->handed = m->last = a->now;
    m->left = (uint32_t)(bytes > 0 ? bytes : 1);
    m->next = COP_NONE;
    if (host_of(j, m->from, m->nic) == host_of(j, m->to, m->nic)) {
        cop_time t = a->now + cop_max64(1, j->cfg.local_ps + bytes * j->cfg.local_byte_ps);
        bool data = m->kind == COP_LETTER_DATA;
        uint32_t from = m->from, op = m->op;
        m->left = 0;
        m->last = t;
        cop_rank_todo(a, m->to, t, COP_TODO_MESSAGE, l);
        if (data)
            cop_rank_todo(a, from, t, COP_TODO_LEFT, op);
        return;
    }
    cop_outbox *box = &a->box[a->rank[m->from].box0 + m->nic];
    j->pending++;
    if (box->head != COP_NONE) {
        a->letter[box->tail].next = l;
    } else {
        box->head = l;
        cop_box_show(a, box, a->now);
        cop_app_want_stream(a, box->stream);
    }
    box->tail = l;
}

void cop_app_take(cop_app *a, uint32_t number, cop_time now, struct cop_msg *m)
{
    cop_outbox *box = &a->box[number];
    uint32_t l = box->head;
    const cop_letter *x = &a->letter[l];
    const cop_job *j = cop_job_of(a, x->from);
    cop_time due = a->stream[box->stream].t_next;
    *m = (cop_msg){
        .t_gen = due, .dst = host_of(j, x->to, x->nic), .bytes = x->left, .id = l, .sl = j->cfg.sl};
    box->head = x->next;
    box->free_at = due + j->cfg.gap_ps + (x->left - 1) * j->cfg.gap_byte_ps;
    cop_box_show(a, box, now);
}

static void send_letter(cop_app *a, cop_letter what, uint64_t bytes)
{
    uint32_t l = new_letter(a);
    a->letter[l] = what;
    hand(a, l, bytes);
}

void cop_letter_send(cop_app *a, uint32_t rank, uint32_t op)
{
    cop_job *j = cop_job_of(a, rank);
    const cop_op *o = &j->graph.op[op];
    bool eager = o->size <= j->cfg.eager_bytes;
    uint32_t to = j->rank0 + o->peer;
    a->rank[rank].time.sends++;
    a->rank[rank].time.bytes_sent += o->size;
    send_letter(a,
                (cop_letter){.from = rank,
                             .to = to,
                             .op = op,
                             .recv = COP_NONE,
                             .tag = o->tag,
                             .order = pair_of(j, op)->sent++,
                             .nic = (uint8_t)(o->nic % j->cfg.nics),
                             .kind = eager ? COP_LETTER_EAGER : COP_LETTER_REQUEST},
                eager ? o->size : j->cfg.request_bytes);
    if (eager)
        cop_rank_finish(a, rank, op);
}

/* -- receiving -- */

/* The message is complete and matched; `late`: its receive was posted after it had come. */
static void received(cop_app *a, uint32_t rank, uint32_t l, uint32_t recv, bool late)
{
    const cop_letter *m = &a->letter[l];
    cop_job *j = cop_job_of(a, rank);
    uint64_t bytes = j->graph.op[m->op].size;
    cop_time took = m->last - m->handed;
    if (!late)
        j->state[recv].cause = m->op << 2 | COP_CAUSE_HANDED;
    j->time.messages++;
    j->time.bytes += bytes;
    j->time.network_sum += took;
    j->time.network_max = cop_max64(j->time.network_max, took);
    a->rank[rank].time.receives++;
    a->rank[rank].time.bytes_received += bytes;
    free_letter(a, l);
    cop_rank_use_cpu(a, rank, recv);
}

static void matched(cop_app *a, uint32_t rank, uint32_t l, uint32_t recv, bool late)
{
    cop_letter m = a->letter[l];
    if (m.kind == COP_LETTER_EAGER) {
        received(a, rank, l, recv, late);
        return;
    }
    free_letter(a, l);
    send_letter(a,
                (cop_letter){.from = rank,
                             .to = m.from,
                             .op = m.op,
                             .recv = recv,
                             .tag = m.tag,
                             .nic = m.nic,
                             .kind = COP_LETTER_GRANT,
                             .late = late,
                             .cause = cop_job_of(a, rank)->state[recv].cause},
                cop_job_of(a, rank)->cfg.request_bytes);
}

void cop_letter_post(cop_app *a, uint32_t rank, uint32_t op)
{
    uint32_t l = cop_match_letter(a, rank, &cop_job_of(a, rank)->graph.op[op]);
    if (l == COP_NONE)
        cop_match_keep_receive(a, rank, op);
    else
        matched(a, rank, l, op, true);
}

static void deliver(cop_app *a, uint32_t rank, uint32_t l)
{
    uint32_t recv = cop_match_receive(a, rank, l);
    if (recv == COP_NONE)
        cop_match_keep_letter(a, rank, l);
    else
        matched(a, rank, l, recv, false);
}

/* Match a message, in the order of its pair. */
static void in_turn(cop_app *a, uint32_t rank, uint32_t l)
{
    cop_pair *p = pair_of(cop_job_of(a, rank), a->letter[l].op);
    if (a->letter[l].order != p->taken) {
        uint32_t *at = &p->early;
        while (*at != COP_NONE && a->letter[*at].order < a->letter[l].order)
            at = &a->letter[*at].next;
        a->letter[l].next = *at;
        *at = l;
        return;
    }
    for (;;) {
        p->taken++;
        uint32_t next = p->early;
        bool go_on = next != COP_NONE && a->letter[next].order == p->taken;
        if (go_on)
            p->early = a->letter[next].next;
        deliver(a, rank, l);
        if (!go_on)
            return;
        l = next;
    }
}

void cop_letter_came(cop_app *a, uint32_t rank, uint32_t l)
{
    enum cop_letter_kind kind = (enum cop_letter_kind)a->letter[l].kind;
    if (kind == COP_LETTER_EAGER || kind == COP_LETTER_REQUEST) {
        in_turn(a, rank, l);
        return;
    }
    cop_letter m = a->letter[l];
    if (kind == COP_LETTER_DATA) {
        received(a, rank, l, m.recv, m.late);
        return;
    }
    cop_job *j = cop_job_of(a, rank);
    if (m.late) {
        j->late = cop_grow(j->late, &j->late_cap, j->n_late + 1, sizeof(*j->late));
        j->late[j->n_late++] = (cop_late){m.op, m.cause};
    }
    free_letter(a, l);
    m.kind = COP_LETTER_DATA;
    m.to = m.from;
    m.from = rank;
    send_letter(a, m, j->graph.op[m.op].size);
}
