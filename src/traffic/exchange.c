/* Role: closed-loop exchanges: the next message depends on messages that have arrived.
 * Rules: a round is a sequence of phases (exchange_kinds.c). A rank that enters a phase sends its
 *   messages of that phase after `think`, and leaves it when they have arrived, the receivers have
 *   reached that phase, and the messages meant for it have arrived. It then enters the next phase.
 *   A message has arrived with the last of its bytes, whatever the order of its packets. Both ends
 *   know it at that instant; a real sender learns it from an acknowledgement. Where that matters, use a
 *   `collective` or a `trace`, whose ranks know only what has come in packets (app/).
 * Timing: the network tells of an arrival before it happens (delivery is known when the head of a
 *   packet reaches the host), so all instants here lie now or later. A rank leaves a phase at the
 *   latest of the instants it waited for.
 * State: per rank its step (phases since the start), what is missing in it, and when it began; per
 *   link (rank, slot, peer), which is a stream, what of its message is still missing. A sender
 *   waits for its receiver to reach the phase, so a link has one message under way at most.
 * Invariant: missing = messages of the step, own and expected, that have not met their receiver.
 * Measured: time in a phase over the messages sent in it, as the HPC Challenge benchmark does:
 *   half a round trip for ping-pong, half an iteration for rings; and message bytes over that. */
#include "traffic/exchange.h"

#include <string.h>

#define MAX_TABLE ((uint64_t)1 << 24)

typedef struct exchange_link {
    uint32_t stream, rank, peer;
    uint32_t bytes, left; /* of the present message; left: not yet delivered */
    cop_time arrived; /* COP_NEVER: not yet */
    cop_time last; /* latest delivery of its packets so far */
    cop_exchange_stat stat;
} exchange_link;

typedef struct exchange_rank {
    cop_time t_enter, t_ready;
    uint32_t step, missing;
    uint32_t rounds; /* finished after the warm-up */
    bool idle; /* it neither sends nor receives, ever */
} exchange_rank;

struct traffic_exchange {
    cop_traffic *tr;
    const traffic_exchange_kind *kind;
    uint32_t n, phases, slots, n_links;
    cop_time think, start, measure_from, measure_to;
    uint32_t limit; /* messages per stream; 0: none */
    exchange_rank *rank; /* [n] */
    exchange_link *link; /* [n_links] */
    uint32_t *out; /* [n][phases][slots] link a rank sends on, or COP_NONE */
    uint32_t *in; /* [n][phases][slots] link a rank hears, or COP_NONE */
    uint32_t *done; /* [n] ranks that have finished their step, to be moved on */
    uint32_t n_done, parked, n_active;
    cop_time t_last; /* when the last step so far was finished */
    cop_time t_step; /* in_step: the latest that has finished this step */
};

/* -- the run -- */

static size_t place_of(const traffic_exchange *x, uint32_t rank, uint32_t step)
{
    COP_ASSERT(x->phases > 0);
    return ((size_t)rank * x->phases + step % x->phases) * x->slots;
}

static void begin_message(traffic_exchange *x, exchange_link *l, cop_time t)
{
    cop_stream *s = &x->tr->stream[l->stream];
    l->arrived = COP_NEVER;
    l->last = 0;
    bool over = t >= s->t_stop || (x->limit > 0 && s->n_sent >= x->limit);
    s->t_next = over ? COP_NEVER : t;
    if (!over)
        x->tr->woken[x->tr->n_woken++] = l->stream;
}

static void one_less(traffic_exchange *x, uint32_t rank, cop_time t)
{
    exchange_rank *r = &x->rank[rank];
    r->t_ready = cop_max64(r->t_ready, t);
    if (--r->missing == 0)
        x->done[x->n_done++] = rank;
}

/* A message has arrived, and its receiver has reached the phase. */
static void meet(traffic_exchange *x, const exchange_link *l)
{
    one_less(x, l->rank, cop_max64(l->arrived, x->rank[l->peer].t_enter));
    one_less(x, l->peer, l->arrived);
}

static void enter(traffic_exchange *x, uint32_t rank, cop_time t)
{
    exchange_rank *r = &x->rank[rank];
    size_t at = place_of(x, rank, r->step);
    COP_ASSERT(r->missing == 0);
    r->t_enter = r->t_ready = t;
    for (uint32_t i = 0; i < x->slots; i++) {
        r->missing += x->out[at + i] != COP_NONE;
        r->missing += x->in[at + i] != COP_NONE;
    }
    if (r->missing == 0)
        x->done[x->n_done++] = rank;
    for (uint32_t i = 0; i < x->slots; i++) {
        if (x->out[at + i] != COP_NONE)
            begin_message(x, &x->link[x->out[at + i]], t + x->think);
    }
    for (uint32_t i = 0; i < x->slots; i++) {
        if (x->in[at + i] == COP_NONE)
            continue;
        const exchange_link *l = &x->link[x->in[at + i]];
        if (x->rank[l->rank].step == r->step && l->arrived != COP_NEVER)
            meet(x, l);
    }
}

static void add_stat(cop_exchange_stat *s, cop_time latency, uint32_t bytes)
{
    double mbytes_s = (double)bytes * 1e6 / (double)latency;
    s->min_ps = s->steps == 0 ? latency : cop_min64(s->min_ps, latency);
    s->max_ps = cop_max64(s->max_ps, latency);
    s->min_mbytes_s = s->steps == 0 || mbytes_s < s->min_mbytes_s ? mbytes_s : s->min_mbytes_s;
    s->max_mbytes_s = mbytes_s > s->max_mbytes_s ? mbytes_s : s->max_mbytes_s;
    s->sum_ps += latency;
    s->bytes += bytes;
    s->steps++;
}

static void measure(traffic_exchange *x, uint32_t rank)
{
    exchange_rank *r = &x->rank[rank];
    size_t at = place_of(x, rank, r->step);
    uint32_t sent = 0;
    x->t_last = cop_max64(x->t_last, r->t_ready);
    if (r->t_ready < x->measure_from || r->t_ready > x->measure_to)
        return;
    r->rounds += (r->step + 1) % x->phases == 0;
    for (uint32_t i = 0; i < x->slots; i++)
        sent += x->out[at + i] != COP_NONE;
    for (uint32_t i = 0; i < x->slots && sent > 0; i++) {
        if (x->out[at + i] == COP_NONE)
            continue;
        exchange_link *l = &x->link[x->out[at + i]];
        add_stat(&l->stat, (r->t_ready - r->t_enter) / sent, l->bytes);
    }
}

/* A message that has met its receiver must not count again in the link's next phase. */
static void leave(traffic_exchange *x, uint32_t rank)
{
    exchange_rank *r = &x->rank[rank];
    size_t at = place_of(x, rank, r->step);
    for (uint32_t i = 0; i < x->slots; i++) {
        if (x->out[at + i] != COP_NONE)
            x->link[x->out[at + i]].arrived = COP_NEVER;
    }
    r->step++;
}

/* Move every rank on that has finished its step; that may finish those of others. */
static void move_on(traffic_exchange *x)
{
    while (x->n_done > 0) {
        uint32_t rank = x->done[--x->n_done];
        exchange_rank *r = &x->rank[rank];
        measure(x, rank);
        leave(x, rank);
        if (!x->kind->in_step) {
            enter(x, rank, r->t_ready);
            continue;
        }
        x->t_step = cop_max64(x->t_step, r->t_ready);
        if (++x->parked < x->n_active)
            continue;
        x->parked = 0;
        for (uint32_t i = 0; i < x->n; i++) {
            if (!x->rank[i].idle)
                enter(x, i, x->t_step);
        }
    }
}

uint32_t cop_traffic_arrived(cop_traffic *tr, uint32_t stream, uint32_t bytes, cop_time t)
{
    const traffic_model *m = tr->model;
    const cop_stream *s = &tr->stream[stream];
    traffic_exchange *x = m->entry[s->entry].exchange;
    if (x == NULL)
        return 0;
    exchange_link *l = &x->link[s->aux];
    COP_ASSERT(bytes <= l->left);
    l->left -= bytes;
    l->last = cop_max64(l->last, t);
    if (l->left > 0)
        return 0;
    l->arrived = l->last;
    tr->n_woken = 0;
    if (x->rank[l->rank].step == x->rank[l->peer].step)
        meet(x, l);
    move_on(x);
    return tr->n_woken;
}

void traffic_exchange_taken(const traffic_entry *e, const cop_stream *s, const cop_msg *m)
{
    exchange_link *l = &e->exchange->link[s->aux];
    l->bytes = l->left = m->bytes;
}

const cop_exchange_stat *cop_traffic_exchange_stat(const cop_traffic *tr, uint32_t stream)
{
    const traffic_model *m = tr->model;
    const cop_stream *s = &tr->stream[stream];
    const traffic_exchange *x = m->entry[s->entry].exchange;
    return x == NULL ? NULL : &x->link[s->aux].stat;
}

bool cop_traffic_exchange_returns(const cop_traffic *tr, uint32_t entry)
{
    const traffic_model *m = tr->model;
    const traffic_exchange *x = m->entry[entry].exchange;
    return x != NULL && x->kind->to_and_fro;
}

uint32_t cop_traffic_exchange_rounds(const cop_traffic *tr, uint32_t entry)
{
    const traffic_model *m = tr->model;
    const traffic_exchange *x = m->entry[entry].exchange;
    uint32_t rounds = UINT32_MAX;
    for (uint32_t i = 0; x != NULL && i < x->n; i++) {
        if (!x->rank[i].idle && x->rank[i].rounds < rounds)
            rounds = x->rank[i].rounds;
    }
    return x == NULL || rounds == UINT32_MAX ? 0 : rounds;
}

cop_time cop_traffic_exchange_elapsed(const cop_traffic *tr, uint32_t entry)
{
    const traffic_model *m = tr->model;
    const traffic_exchange *x = m->entry[entry].exchange;
    return x == NULL || x->t_last < x->start ? 0 : x->t_last - x->start;
}

uint32_t cop_traffic_exchange_unfinished(const cop_traffic *tr, uint32_t entry)
{
    const traffic_model *m = tr->model;
    const traffic_exchange *x = m->entry[entry].exchange;
    uint32_t n = 0;
    for (uint32_t i = 0; x != NULL && x->limit > 0 && i < x->n_links; i++)
        n += tr->stream[x->link[i].stream].n_sent < x->limit || x->link[i].left > 0;
    return n;
}

/* -- the plan -- */

static void add_link(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e,
                     const uint32_t *host, exchange_link l)
{
    traffic_exchange *x = e->exchange;
    cop_stream s = {.host = host[l.rank],
                    .entry = b->at,
                    .fixed_dst = host[l.peer],
                    .sl = (uint8_t)cfg->sl,
                    .part = COP_PART_WHOLE,
                    .dest = DEST_FIXED,
                    .gen = GEN_EXCHANGE,
                    .aux = x->n_links,
                    .t_next = COP_NEVER,
                    .t_stop = cop_min64(cfg->stop_ps, b->ctx->duration_ps),
                    .t_phase = COP_NEVER};
    /* Streams of one host draw different sizes. */
    s.rng_size = (uint64_t)x->n_links << TRAFFIC_WINDOW_DRAWS;
    b->stream = cop_grow(b->stream, &b->cap_streams, b->n_streams + 1, sizeof(s));
    b->stream[b->n_streams++] = s;
    x->link[x->n_links++] = l;
}

/* Fill out[] and in[], and make a link for each (rank, slot, peer) that occurs. */
static void plan(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e,
                 const uint32_t *host)
{
    traffic_exchange *x = e->exchange;
    size_t n_table = (size_t)x->n * x->phases * x->slots;
    uint32_t *link_to = cop_alloc_array(cop_product(x->slots, x->n), sizeof(*link_to));
    memset(x->out, 0xff, n_table * sizeof(*x->out));
    memset(x->in, 0xff, n_table * sizeof(*x->in));
    for (uint32_t r = 0; r < x->n; r++) {
        memset(link_to, 0xff, (size_t)x->slots * x->n * sizeof(*link_to));
        for (uint32_t step = 0; step < x->phases; step++) {
            for (uint32_t i = 0; i < x->slots; i++) {
                uint32_t peer = x->kind->peer(x->n, r, step, i);
                if (peer == COP_NONE || peer == r)
                    continue;
                uint32_t *known = &link_to[(size_t)i * x->n + peer];
                if (*known == COP_NONE) {
                    *known = x->n_links;
                    add_link(b, cfg, e, host,
                             (exchange_link){.rank = r, .peer = peer, .arrived = COP_NEVER});
                }
                x->out[place_of(x, r, step) + i] = *known;
                COP_CHECK(x->in[place_of(x, peer, step) + i] == COP_NONE);
                x->in[place_of(x, peer, step) + i] = *known;
                x->rank[r].idle = x->rank[peer].idle = false;
            }
        }
    }
    cop_free(link_to);
}

static uint32_t *ranks_of(const traffic_exchange_kind *kind, const traffic_entry *e)
{
    uint32_t *host = cop_alloc_array(e->n_src, sizeof(*host));
    if (kind->shuffled) {
        cop_rng r = cop_rng_make(e->seed, COP_RNG_PLACE, PLACE_RANKS);
        cop_rng_permutation(&r, host, e->n_src);
    }
    for (uint32_t i = 0; i < e->n_src; i++)
        host[i] = e->src[kind->shuffled ? host[i] : i];
    return host;
}

static int check(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
                 const traffic_exchange_kind *kind)
{
    uint32_t n = e->n_src;
    if (cfg->pattern != COP_PATTERN_UNIFORM)
        return traffic_fault(b, "pattern",
                             "an `exchange` knows who sends to whom; remove `pattern`");
    if (cfg->arrival != COP_ARRIVAL_SATURATED)
        return traffic_fault(b, "arrival", "an `exchange` knows when to send; remove `arrival`");
    if (cfg->active.n > 0)
        return traffic_fault(
            b, "active",
            "an `exchange` has one period; use `start` and `stop`, or an entry for "
            "each period");
    if (n < 2)
        return traffic_fault(b, "from",
                             "an `exchange` needs two hosts or more; add some to `from`");
    const char *needs = kind->needs ? kind->needs(n) : NULL;
    if (needs != NULL)
        return traffic_fault(b, "from",
                             "exchange %s needs the number of its hosts to be %s; it is "
                             "%u; change `from`",
                             cop_opt_find(cop_traffic_opts, "exchange")->names[cfg->exchange],
                             needs, n);
    if ((uint64_t)n * n >= MAX_TABLE || (uint64_t)n * kind->slots * kind->phases(n) > MAX_TABLE)
        return traffic_fault(b, "from", "%u hosts are too many for this exchange; use fewer", n);
    return 0;
}

int traffic_exchange_build(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    const traffic_exchange_kind *kind = &traffic_exchange_kinds[cfg->exchange];
    if (check(b, cfg, e, kind) != 0)
        return -COP_E_INPUT;
    cop_arena *a = &b->tr->arena;
    traffic_exchange *x = COP_NEW_ARRAY(a, traffic_exchange, 1);
    uint32_t n = e->n_src, *host = ranks_of(kind, e);
    *x = (traffic_exchange){.tr = b->tr,
                            .kind = kind,
                            .n = n,
                            .phases = kind->phases(n),
                            .slots = kind->slots,
                            .think = cfg->think_ps,
                            .start = cfg->start_ps,
                            .measure_from = b->ctx->warmup_ps,
                            .measure_to = b->ctx->duration_ps,
                            .limit = e->limit};
    size_t n_table = (size_t)n * x->phases * x->slots;
    x->rank = COP_NEW_ARRAY(a, exchange_rank, n);
    x->out = COP_NEW_ARRAY(a, uint32_t, n_table);
    x->in = COP_NEW_ARRAY(a, uint32_t, n_table);
    x->done = COP_NEW_ARRAY(a, uint32_t, n);
    x->link = COP_NEW_ARRAY(a, exchange_link, n_table);
    e->exchange = x;
    for (uint32_t i = 0; i < n; i++)
        x->rank[i].idle = true;
    plan(b, cfg, e, host);
    for (uint32_t i = 0; i < n; i++)
        x->n_active += !x->rank[i].idle;
    b->n_links += x->n_links;
    cop_free(host);
    return 0;
}

void traffic_exchange_start(traffic_build *b)
{
    cop_traffic *tr = b->tr;
    if (b->n_links == 0)
        return;
    tr->woken = COP_NEW_ARRAY(&tr->arena, uint32_t, b->n_links);
    for (uint32_t s = 0; s < tr->n_streams; s++) {
        const cop_stream *st = &tr->stream[s];
        if (st->gen == GEN_EXCHANGE)
            b->entry[st->entry].exchange->link[st->aux].stream = s;
    }
    for (uint32_t i = 0; i < tr->n_entries; i++) {
        traffic_exchange *x = b->entry[i].exchange;
        for (uint32_t r = 0; x != NULL && r < x->n; r++) {
            if (!x->rank[r].idle)
                enter(x, r, x->start);
        }
        tr->n_woken = 0;
        if (x != NULL)
            move_on(x);
    }
}
