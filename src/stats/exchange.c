/* Results of exchanges. For an entry NAME: exchange/NAME/rounds; elapsed (us), what
 * the whole exchange took if it is over, which it is if no stream is unfinished; latency_min, latency_avg and
 * latency_max (us) and bandwidth_min, ... (MB/s), over the means of its streams, or of its pairs
 * (both ways) for a ping-pong, as the HPC Challenge benchmark reports them; latency_best and latency_worst, of single steps. For each stream
 * of an entry with few of them the same under exchange/NAME/SRC-DST/, where min and max are those of
 * single steps. A stream without a finished step after the warm-up has nothing to report. */
#include "stats/exchange.h"

#define PER_ENTRY 11
#define PER_STREAM 7
#define MAX_LISTED 64 /* streams of an entry that are listed one by one */

typedef struct spread {
    double min, max, sum;
    uint32_t n;
} spread;

typedef struct writer {
    cop_arena *arena;
    cop_scalar *v;
    uint32_t n;
} writer;

static void widen(spread *s, double x)
{
    s->min = s->n == 0 || x < s->min ? x : s->min;
    s->max = s->n == 0 || x > s->max ? x : s->max;
    s->sum += x;
    s->n++;
}

static void put(writer *w, const char *prefix, const char *name, const char *unit, double value)
{
    w->v[w->n++] = (cop_scalar){.name = cop_arena_printf(w->arena, "exchange/%s/%s", prefix, name),
                                .unit = unit,
                                .value = value};
}

static void put_spread(writer *w, const char *prefix, const char *what, const char *unit,
                       double min, double avg, double max)
{
    put(w, prefix, cop_arena_printf(w->arena, "%s_min", what), unit, min);
    put(w, prefix, cop_arena_printf(w->arena, "%s_avg", what), unit, avg);
    put(w, prefix, cop_arena_printf(w->arena, "%s_max", what), unit, max);
}

static double mean_us(const cop_exchange_stat *s)
{
    return (double)s->sum_ps / (double)s->steps / 1e6;
}

static double mean_mbytes_s(const cop_exchange_stat *s)
{
    return (double)s->bytes * 1e6 / (double)s->sum_ps;
}

static uint32_t streams_of(const cop_traffic *tr, uint32_t entry)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < tr->n_streams; s++)
        n += tr->stream[s].entry == entry && cop_traffic_exchange_stat(tr, s) != NULL;
    return n;
}

/* A pair may have two streams, one per direction of a ring of two. */
static bool is_twin(const cop_traffic *tr, uint32_t s)
{
    const cop_stream *a = &tr->stream[s], *b = &tr->stream[s > 0 ? s - 1 : s];
    return s > 0 && a->entry == b->entry && a->host == b->host && a->fixed_dst == b->fixed_dst;
}

static void put_stream(writer *w, const cop_traffic *tr, uint32_t s)
{
    const cop_exchange_stat *st = cop_traffic_exchange_stat(tr, s);
    const cop_stream *x = &tr->stream[s];
    const char *prefix = cop_arena_printf(w->arena, "%s/%u-%u%s", tr->entry_name[x->entry], x->host,
                                          x->fixed_dst, is_twin(tr, s) ? "#2" : "");
    put(w, prefix, "steps", "steps", (double)st->steps);
    put_spread(w, prefix, "latency", "us", (double)st->min_ps / 1e6, mean_us(st),
               (double)st->max_ps / 1e6);
    put_spread(w, prefix, "bandwidth", "MB/s", st->min_mbytes_s, mean_mbytes_s(st),
               st->max_mbytes_s);
}

static void merge(cop_exchange_stat *a, const cop_exchange_stat *b)
{
    a->min_ps = a->steps == 0 || (b->steps > 0 && b->min_ps < a->min_ps) ? b->min_ps : a->min_ps;
    a->max_ps = cop_max64(a->max_ps, b->max_ps);
    a->steps += b->steps;
    a->bytes += b->bytes;
    a->sum_ps += b->sum_ps;
}

/* Stream s of the entry, with the way back if there is one: then false for the second of the two. */
static bool measured(const cop_traffic *tr, uint32_t entry, uint32_t s, cop_exchange_stat *stat)
{
    const cop_stream *there = &tr->stream[s];
    if (there->entry != entry)
        return false;
    *stat = *cop_traffic_exchange_stat(tr, s);
    if (!cop_traffic_exchange_returns(tr, entry))
        return stat->steps > 0;
    if (there->host > there->fixed_dst)
        return false;
    uint32_t end = tr->host_stream0[there->fixed_dst + 1];
    for (uint32_t i = tr->host_stream0[there->fixed_dst]; i < end; i++) {
        const cop_stream *back = &tr->stream[i];
        if (back->entry == entry && back->fixed_dst == there->host)
            merge(stat, cop_traffic_exchange_stat(tr, i));
    }
    return stat->steps > 0;
}

static void put_entry(writer *w, const cop_traffic *tr, uint32_t entry)
{
    spread latency = {0}, bandwidth = {0}, step = {0};
    for (uint32_t s = 0; s < tr->n_streams; s++) {
        cop_exchange_stat st;
        if (!measured(tr, entry, s, &st))
            continue;
        widen(&latency, mean_us(&st));
        widen(&bandwidth, mean_mbytes_s(&st));
        widen(&step, (double)st.min_ps / 1e6);
        widen(&step, (double)st.max_ps / 1e6);
    }
    const char *name = tr->entry_name[entry];
    put(w, name, "rounds", "rounds", cop_traffic_exchange_rounds(tr, entry));
    put(w, name, "elapsed", "us", (double)cop_traffic_exchange_elapsed(tr, entry) / 1e6);
    put(w, name, "unfinished", "streams", cop_traffic_exchange_unfinished(tr, entry));
    if (latency.n == 0)
        return;
    put_spread(w, name, "latency", "us", latency.min, latency.sum / latency.n, latency.max);
    put_spread(w, name, "bandwidth", "MB/s", bandwidth.min, bandwidth.sum / bandwidth.n,
               bandwidth.max);
    put(w, name, "latency_best", "us", step.min);
    put(w, name, "latency_worst", "us", step.max);
}

uint32_t cop_count_exchanges(const cop_traffic *tr)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < tr->n_entries && tr->woken != NULL; e++) {
        uint32_t streams = streams_of(tr, e);
        n += streams > 0 ? PER_ENTRY : 0;
        n += streams <= MAX_LISTED ? PER_STREAM * streams : 0;
    }
    return n;
}

uint32_t cop_collect_exchanges(const cop_traffic *tr, cop_arena *arena, cop_scalar *v)
{
    writer w = {.arena = arena, .v = v};
    for (uint32_t e = 0; e < tr->n_entries && tr->woken != NULL; e++) {
        if (streams_of(tr, e) > 0)
            put_entry(&w, tr, e);
    }
    for (uint32_t e = 0; e < tr->n_entries && tr->woken != NULL; e++) {
        bool listed = streams_of(tr, e) <= MAX_LISTED;
        for (uint32_t s = 0; s < tr->n_streams && listed; s++) {
            const cop_exchange_stat *st = cop_traffic_exchange_stat(tr, s);
            if (tr->stream[s].entry == e && st != NULL && st->steps > 0)
                put_stream(&w, tr, s);
        }
    }
    return w.n;
}
