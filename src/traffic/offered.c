/* Role: offered load of sources with a rate of their own, for comparison with accepted load.
 * In: a stream of a finished run and an interval. Out: payload that it offers in the interval on
 *   average, and what of it still waits at the source at the end.
 * Rule: mean rate times the part of the interval in which the stream is active; square waves by where they are,
 *   random ones by the mean lengths of their phases. Of the two parts of a B node (forest, mix: drawn) each has its share.
 * Simplification: the mean of the process, not what this seed drew; slots in which a host is its own
 *   hotspot are not taken out. */
#include "traffic/traffic_priv.h"

/* Begin of the period of activity that ends with the stream. */
static cop_time begin_of(const traffic_entry *e, const cop_stream *s)
{
    cop_time from = e->start;
    for (size_t i = 0; i < e->active.n; i += 2)
        if (e->active.v[i] < s->t_stop)
            from = cop_max64(e->start, e->active.v[i]);
    return from;
}

/* How much of the first `span` of a square wave is high: it begins so. */
static double high_part(const traffic_entry *e, cop_time span)
{
    double period = (double)e->length[0] + (double)e->length[1];
    double whole = (double)(uint64_t)((double)span / period), rest = (double)span - whole * period;
    return whole * (double)e->length[0] +
           (rest < (double)e->length[0] ? rest : (double)e->length[0]);
}

/* Payload from `from` on, which is not before the stream begins, until `to`. */
static double bytes_of(const traffic_model *m, const traffic_entry *e, const cop_stream *s,
                       cop_time from, cop_time to)
{
    double high = (double)m->rate[s->rate[0]].bps, low = (double)m->rate[s->rate[1]].bps;
    double span = (double)(to - from), above = span;
    cop_time begin = begin_of(e, s);
    if (e->wave == WAVE_BURSTS)
        above = span * (double)e->length[0] / ((double)e->length[0] + (double)e->length[1]);
    else if (e->wave == WAVE_SQUARE)
        above = high_part(e, to - begin) - high_part(e, from - begin);
    double bits = high * above + low * (span - above);
    if (s->drawn) {
        double hot = (double)e->hot_bits / 0x1p64;
        bits *= s->part == COP_PART_HOTSPOT ? hot : 1.0 - hot;
    }
    return bits / 8.0 / (double)COP_SECOND;
}

bool cop_traffic_has_rate(const cop_traffic *tr, uint32_t stream)
{
    const traffic_model *m = tr->model;
    const cop_stream *s = &tr->stream[stream];
    return !s->saturated && s->gen != GEN_EXCHANGE && s->gen != GEN_APP &&
           m->entry[s->entry].limit == 0;
}

double cop_traffic_offered(const cop_traffic *tr, uint32_t stream, cop_time from, cop_time to)
{
    const traffic_model *m = tr->model;
    const cop_stream *s = &tr->stream[stream];
    const traffic_entry *e = &m->entry[s->entry];
    from = cop_max64(from, begin_of(e, s));
    to = cop_min64(to, s->t_stop);
    return to > from ? bytes_of(m, e, s, from, to) : 0.0;
}

double cop_traffic_waiting(const cop_traffic *tr, uint32_t stream, cop_time now)
{
    const traffic_model *m = tr->model;
    const cop_stream *s = &tr->stream[stream];
    const traffic_entry *e = &m->entry[s->entry];
    cop_time from = cop_max64(s->t_next, begin_of(e, s)), end = cop_min64(now, s->t_stop);
    return from < end ? bytes_of(m, e, s, from, end) : 0.0;
}
