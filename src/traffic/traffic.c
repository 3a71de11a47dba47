/* Role: make the streams of all traffic entries, and hand out their messages.
 * Inputs: entries as configured, the topology's hosts, what each host can send at most.
 * Outputs: cop_traffic: streams grouped by host. An entry has one stream per source and period of
 *   activity; a B node of a forest has two, one per part. A period during which a contributor is
 * its own hotspot is cut out of its stream, which then goes on as a further stream. Invariants: all
 * checks happen here; taking a message allocates nothing and cannot fail. Streams of an entry do
 * not change when entries are appended. A saturated B node sends both parts at constant rates p and
 * 1-p of the host's limit: budgets against time, so that a throttled part does not let the other
 * one send more (Gran et al. 2012). */
#include "app/job.h"
#include "traffic/exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct window {
    cop_time from, to;
} window;

int traffic_fault(traffic_build *b, const char *option, const char *fmt, ...)
{
    char text[512], place[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    const cop_traffic_ctx *c = b->ctx;
    if (c->where != NULL) {
        return cop_err_add(b->err, COP_E_INPUT, "%s: %s",
                           c->where(c->where_ctx, b->at, option, place, sizeof(place)), text);
    }
    return cop_err_add(b->err, COP_E_INPUT, "traffic[%u].%s: %s", b->at, option, text);
}

static int check_name(traffic_build *b, const cop_traffic_cfg *cfg)
{
    cop_traffic *tr = b->tr;
    if (cfg->name == NULL || cfg->name[0] == '\0')
        tr->entry_name[b->at] = cop_arena_printf(&tr->arena, "traffic%u", b->at);
    else
        tr->entry_name[b->at] = cop_arena_strdup(&tr->arena, cfg->name);
    for (uint32_t i = 0; i < b->at; i++) {
        if (strcmp(tr->entry_name[i], tr->entry_name[b->at]) == 0) {
            return traffic_fault(b, "name", "`name` %s is taken by entry %u; choose another",
                                 tr->entry_name[i], i);
        }
    }
    return 0;
}

static int check_times(traffic_build *b, const cop_traffic_cfg *cfg)
{
    if (cfg->start_ps >= cfg->stop_ps)
        return traffic_fault(b, "stop", "`stop` must come after `start`; give a later one");
    for (size_t i = 1; i < cfg->active.n; i++) {
        if (cfg->active.v[i] <= cfg->active.v[i - 1]) {
            return traffic_fault(b, "active",
                                 "times of `active` must rise; item %zu does not come after item "
                                 "%zu: put them in order",
                                 i + 1, i);
        }
    }
    return 0;
}

static size_t window_count(const cop_traffic_cfg *cfg)
{
    return cfg->active.n == 0 ? 1 : (cfg->active.n + 1) / 2;
}

/* Period number i of activity, cut to the run; from >= to if nothing is left of it. */
static window window_at(const traffic_build *b, const cop_traffic_cfg *cfg, size_t i)
{
    window w = {cfg->start_ps, cop_min64(cfg->stop_ps, b->ctx->duration_ps)};
    const cop_times *a = &cfg->active;
    if (a->n > 0) {
        w.from = cop_max64(w.from, a->v[2 * i]);
        if (2 * i + 1 < a->n)
            w.to = cop_min64(w.to, a->v[2 * i + 1]);
    }
    return w;
}

static void add_stream(traffic_build *b, const traffic_entry *e, const cop_stream *model,
                       const uint64_t bps[2], window w, uint64_t nth)
{
    cop_stream s = *model;
    s.t_next = w.from;
    s.t_stop = w.to;
    s.rng_arrival = s.rng_dest = s.rng_size = nth << TRAFFIC_WINDOW_DRAWS;
    s.saturated = s.gen == GEN_SATURATED;
    s.steady = s.dest == DEST_FIXED || s.dest == DEST_SLOT;
    traffic_arrival_start(b, e, &s, bps);
    b->stream = cop_grow(b->stream, &b->cap_streams, b->n_streams + 1, sizeof(s));
    b->stream[b->n_streams++] = s;
}

/* Streams of one window without the slots in which the host is its own hotspot. */
static uint64_t add_around_own_slots(traffic_build *b, const traffic_entry *e,
                                     const cop_stream *model, const uint64_t bps[2], window w,
                                     uint64_t nth)
{
    const traffic_forest *f = &e->forest;
    for (uint32_t i = f->own_slot0[model->host]; i < f->own_slot0[model->host + 1]; i++) {
        cop_time begin = f->t0 + f->own_slot[i] * f->lifetime;
        cop_time end = f->n_slots == 1 ? COP_NEVER : begin + f->lifetime;
        if (end <= w.from || begin >= w.to)
            continue;
        if (begin > w.from)
            add_stream(b, e, model, bps, (window){w.from, begin}, nth++);
        w.from = end;
    }
    if (w.from < w.to)
        add_stream(b, e, model, bps, w, nth++);
    return nth;
}

static void add_windows(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
                        const cop_stream *model, const uint64_t bps[2])
{
    uint64_t nth = 0;
    for (size_t i = 0; i < window_count(cfg); i++) {
        window w = window_at(b, cfg, i);
        if (w.from >= w.to)
            continue;
        if (model->part == COP_PART_HOTSPOT && !model->drawn)
            nth = add_around_own_slots(b, e, model, bps, w, nth);
        else
            add_stream(b, e, model, bps, w, nth++);
    }
}

/* The parts of one source of a forest, each with its share of the host's rate. */
static void add_forest_source(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
                              cop_stream *s)
{
    const traffic_forest *f = &e->forest;
    uint8_t role = f->role[s->host];
    double p = role == COP_ROLE_C ? 1.0 : role == COP_ROLE_V ? 0.0 : cfg->p;
    uint64_t all[2], hot[2], rest[2];
    traffic_host_rates(b, cfg, s->host, all);
    for (int i = 0; i < 2; i++) {
        hot[i] = (uint64_t)((double)all[i] * p + 0.5);
        rest[i] = all[i] - hot[i];
    }
    if (role == COP_ROLE_B && s->gen == GEN_SATURATED)
        s->gen = GEN_CONSTANT;
    /* Paper IV, frame I: messages to the hotspot and to others follow each other at random. */
    s->drawn = role == COP_ROLE_B && cfg->mix == COP_MIX_DRAWN && hot[0] > 0 && rest[0] > 0;
    if (hot[0] > 0 && cfg->contribute) {
        s->part = COP_PART_HOTSPOT;
        s->aux = f->subset[s->host];
        s->dest = f->n_slots == 1 ? DEST_FIXED : DEST_SLOT;
        s->fixed_dst = f->n_slots == 1 ? f->hot[s->aux] : COP_NONE;
        if (!s->drawn || s->fixed_dst != s->host)
            add_windows(b, cfg, e, s, s->drawn ? all : hot);
    }
    if (rest[0] > 0) {
        s->part = COP_PART_UNIFORM;
        s->aux = 0;
        s->dest = DEST_UNIFORM;
        s->fixed_dst = COP_NONE;
        add_windows(b, cfg, e, s, s->drawn ? all : rest);
    }
}

static void add_source(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
                       uint32_t place)
{
    cop_stream s = {.host = e->src[place],
                    .entry = b->at,
                    .sl = (uint8_t)cfg->sl,
                    .part = COP_PART_WHOLE,
                    .gen = e->gen};
    if (cfg->pattern == COP_PATTERN_FOREST) {
        add_forest_source(b, cfg, e, &s);
    } else if (traffic_pattern_aim(b->topo, cfg, e, place, &s)) {
        uint64_t bps[2];
        traffic_host_rates(b, cfg, s.host, bps);
        add_windows(b, cfg, e, &s, bps);
    }
}

static bool anyone_aims(const traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e)
{
    bool any = cfg->pattern == COP_PATTERN_FOREST;
    for (uint32_t i = 0; i < e->n_src && !any; i++) {
        cop_stream s = {.host = e->src[i]};
        any = traffic_pattern_aim(b->topo, cfg, e, i, &s);
    }
    return any;
}

static int build_entry(traffic_build *b, const cop_traffic_cfg *cfg)
{
    traffic_entry *e = &b->entry[b->at];
    e->n_hosts = b->topo->n_hosts;
    e->start = cfg->start_ps;
    e->active = cfg->active;
    /* Far from the small entity numbers that placements elsewhere use. */
    e->seed = cop_rng_at(b->ctx->seed, COP_RNG_PLACE, UINT32_MAX - b->at, 0);
    int rc = check_name(b, cfg);
    if (traffic_sources(b, cfg, e) != 0)
        rc = -COP_E_INPUT;
    if (check_times(b, cfg) != 0)
        rc = -COP_E_INPUT;
    if (traffic_size_check(b, cfg, e) != 0)
        rc = -COP_E_INPUT;
    if (traffic_pattern_check(b, cfg, e) != 0)
        rc = -COP_E_INPUT;
    if (traffic_arrival_check(b, cfg, e) != 0)
        rc = -COP_E_INPUT;
    if (rc == 0 && traffic_is_app(cfg))
        return traffic_app_build(b, cfg, e);
    if (rc == 0 && cfg->exchange != COP_EXCHANGE_NONE)
        return traffic_exchange_build(b, cfg, e);
    if (rc == 0 && !anyone_aims(b, cfg, e))
        rc = traffic_fault(b, "from", "every source would send to itself; add other hosts");
    for (uint32_t i = 0; i < e->n_src && rc == 0; i++)
        add_source(b, cfg, e, i);
    return rc;
}

/* Move what the build collected into the arena; streams sorted by host, otherwise in order. */
static void finish(traffic_build *b)
{
    cop_traffic *tr = b->tr;
    uint32_t n_hosts = b->topo->n_hosts;
    COP_CHECK(b->n_streams < COP_NONE);
    uint32_t *first = COP_NEW_ARRAY(&tr->arena, uint32_t, n_hosts + 1);
    tr->stream = COP_NEW_ARRAY(&tr->arena, cop_stream, b->n_streams);
    for (size_t i = 0; i < b->n_streams; i++)
        first[b->stream[i].host + 1]++;
    for (uint32_t h = 0; h < n_hosts; h++)
        first[h + 1] += first[h];
    uint32_t *next = cop_alloc_array(n_hosts, sizeof(*next));
    memcpy(next, first, (size_t)n_hosts * sizeof(*next));
    for (size_t i = 0; i < b->n_streams; i++)
        tr->stream[next[b->stream[i].host]++] = b->stream[i];
    cop_free(next);
    tr->host_stream0 = first;
    tr->n_streams = (uint32_t)b->n_streams;
    traffic_model *m = cop_arena_alloc(&tr->arena, sizeof(*m));
    m->entry = b->entry;
    m->rate = COP_NEW_ARRAY(&tr->arena, traffic_rate, b->n_rates);
    if (b->n_rates > 0)
        memcpy(m->rate, b->rate, b->n_rates * sizeof(*b->rate));
    tr->model = m;
    traffic_exchange_start(b);
    traffic_app_start(b);
}

int cop_traffic_build(cop_traffic *tr, const cop_topo *t, const cop_traffic_cfg *entries, size_t n,
                      const cop_traffic_ctx *ctx, cop_err *err)
{
    *tr = (cop_traffic){.topo = t, .seed = ctx->seed, .n_entries = (uint32_t)n};
    tr->entry_name = COP_NEW_ARRAY(&tr->arena, const char *, n);
    tr->role = COP_NEW_ARRAY(&tr->arena, uint8_t, t->n_hosts);
    traffic_build b = {.tr = tr, .topo = t, .ctx = ctx, .err = err};
    b.entry = COP_NEW_ARRAY(&tr->arena, traffic_entry, n);
    b.used = cop_alloc(t->n_hosts);
    int rc = 0;
    for (; b.at < n; b.at++) {
        if (build_entry(&b, &entries[b.at]) != 0)
            rc = -COP_E_INPUT;
    }
    if (rc == 0)
        finish(&b);
    else
        cop_traffic_free(tr);
    cop_free(b.used);
    cop_free(b.rate);
    cop_free(b.stream);
    return rc;
}

void cop_traffic_free(cop_traffic *tr)
{
    cop_app_free(tr->app);
    cop_arena_free(&tr->arena);
    *tr = (cop_traffic){0};
}

/* Give up messages that have waited too long, as long as there is a later one. What is given up uses
 * up its random numbers: the messages that remain are the same in every run. */
static __attribute__((noinline)) void skip_stale(cop_traffic *tr, const traffic_entry *e,
                                                 cop_stream *st, cop_time now)
{
    const traffic_model *model = tr->model;
    while (now - st->t_next > e->patience && st->n_sent + 1 != e->limit) {
        cop_stream before = *st;
        traffic_pattern_draw(e, st, st->t_next, now);
        cop_time next = traffic_arrival_next(e, model->rate, st, traffic_size_draw(e, st));
        if (next > now) {
            *st = before;
            return;
        }
        st->t_next = next;
        st->n_sent++;
        tr->n_given_up++;
    }
}

void cop_traffic_take(cop_traffic *tr, uint32_t s, cop_time now, cop_msg *m)
{
    const traffic_model *model = tr->model;
    cop_stream *st = &tr->stream[s];
    const traffic_entry *e = &model->entry[st->entry];
    COP_ASSERT(st->t_next <= now && (!st->saturated || now < st->t_stop));
    if (COP_UNLIKELY(st->gen == GEN_APP)) {
        st->n_sent++;
        cop_app_take(tr->app, st->aux, now, m);
        return;
    }
    m->id = COP_NONE;
    if (COP_UNLIKELY(e->patience != 0))
        skip_stale(tr, e, st, now);
    m->t_gen = st->saturated ? now : st->t_next;
    m->dst = traffic_pattern_draw(e, st, m->t_gen, now);
    m->bytes = traffic_size_draw(e, st);
    m->sl = st->sl;
    COP_ASSERT(m->dst != st->host || e->self);
    st->n_sent++;
    tr->taken_bytes += m->bytes;
    if (COP_UNLIKELY(e->exchange != NULL))
        traffic_exchange_taken(e, st, m);
    if (st->n_sent == e->limit || e->exchange != NULL)
        st->t_next = COP_NEVER;
    else if (!st->saturated)
        st->t_next = traffic_arrival_next(e, model->rate, st, m->bytes);
    else if (now + 1 >= st->t_stop)
        st->t_next = COP_NEVER;
}
