/* Role: what sources with a rate of their own want to send, for comparison with what gets through.
 * In: a stream of a finished run and an interval. Out: payload that it offers in the interval on
 *   average, and what of it still waits at the source at the end.
 * Rule: mean rate times the part of the interval in which the stream is active; waves by the lengths of
 *   their phases. Of the two parts of a B node (forest, mix: drawn) each has its share.
 * Simplification: the mean of the process, not what this seed drew; slots in which a host is its own
 *   hotspot are not taken out. */
#include "traffic/traffic_priv.h"

static double mean_bps(const traffic_model *m, const traffic_entry *e, const cop_stream *s)
{
    double high = (double)m->rate[s->rate[0]].bps, low = (double)m->rate[s->rate[1]].bps;
    double bps = high;
    if (e->wave != WAVE_NONE) {
        double a = (double)e->length[0], b = (double)e->length[1];
        bps = (high * a + low * b) / (a + b);
    }
    if (s->drawn) {
        double hot = (double)e->hot_bits / 0x1p64;
        bps *= s->part == COP_PART_HOTSPOT ? hot : 1.0 - hot;
    }
    return bps;
}

/* Begin of the period of activity that ends with the stream. */
static cop_time begin_of(const traffic_entry *e, const cop_stream *s)
{
    cop_time from = e->start;
    for (size_t i = 0; i < e->active.n; i += 2)
        if (e->active.v[i] < s->t_stop)
            from = cop_max64(e->start, e->active.v[i]);
    return from;
}

bool cop_traffic_has_rate(const cop_traffic *tr, uint32_t stream)
{
    const traffic_model *m = tr->model;
    const cop_stream *s = &tr->stream[stream];
    return !s->saturated && s->gen != GEN_EXCHANGE && m->entry[s->entry].limit == 0;
}

double cop_traffic_offered(const cop_traffic *tr, uint32_t stream, cop_time from, cop_time to)
{
    const traffic_model *m = tr->model;
    const cop_stream *s = &tr->stream[stream];
    const traffic_entry *e = &m->entry[s->entry];
    from = cop_max64(from, begin_of(e, s));
    to = cop_min64(to, s->t_stop);
    return to > from ? mean_bps(m, e, s) / 8.0 * (double)(to - from) / (double)COP_SECOND : 0.0;
}

double cop_traffic_waiting(const cop_traffic *tr, uint32_t stream, cop_time now)
{
    const traffic_model *m = tr->model;
    const cop_stream *s = &tr->stream[stream];
    cop_time end = cop_min64(now, s->t_stop);
    if (s->t_next >= end)
        return 0.0;
    return mean_bps(m, &m->entry[s->entry], s) / 8.0 * (double)(end - s->t_next) /
           (double)COP_SECOND;
}
