/* Shares of packets that lie across the end of a window, and the tables of pairs of run.flows and
 * notices/all: open addressing, doubling. */
#include "net/probe.h"

typedef unsigned __int128 u128;

void cop_probe_window(cop_probe *pr, cop_time warmup, cop_time end, cop_time longest)
{
    pr->warmup = warmup;
    pr->end = end;
    pr->sure_sent = end - warmup > longest ? end - warmup - longest : 0;
    pr->sure_from = pr->sure_sent > 0 ? warmup + longest : COP_NEVER;
    pr->sure_span = pr->sure_sent;
}

__attribute__((noinline)) uint32_t cop_probe_part(const cop_probe *pr, uint32_t payload,
                                                  cop_time from, cop_time to)
{
    cop_time first = cop_max64(from, pr->warmup), last = cop_min64(to, pr->end);
    if (first >= last)
        return 0;
    return (uint32_t)((u128)payload * (last - first) / (to - from));
}

/* all * part / whole, rounded down. */
static uint64_t share(uint64_t all, cop_time part, cop_time whole)
{
    if (COP_LIKELY(((all | part) >> 32) == 0))
        return all * part / whole;
    return (uint64_t)((u128)all * part / whole);
}

/* From the last bin back to the first. Each gets what has passed at its end, less what had passed
 * at its beginning: the parts add up exactly. */
__attribute__((noinline)) void cop_probe_spread(cop_probe *pr, uint32_t stream, uint32_t host,
                                                uint32_t payload, cop_time from, cop_time to,
                                                cop_time until)
{
    until = cop_min64(until, pr->end);
    if (until <= from)
        return;
    uint64_t *row = &pr->series[(size_t)pr->series_of[stream] * pr->n_bins];
    double *received = pr->received ? pr->received[host] : NULL;
    uint64_t all = (uint64_t)payload * COP_BYTE_PARTS;
    uint64_t after = until < to ? share(all, until - from, to - from) : all;
    uint64_t bin = cop_min64(until, to) / pr->sample;
    for (cop_time begin = bin * pr->sample;; begin -= pr->sample, bin--) {
        uint64_t before = begin > from ? share(all, begin - from, to - from) : 0;
        if (bin < pr->n_bins) {
            row[bin] += after - before;
            if (received != NULL)
                received[bin] += (double)(after - before);
        }
        if (begin <= from)
            return;
        after = before;
    }
}

static size_t slot_of(const cop_flow_probe *v, size_t mask, uint64_t key)
{
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(h >> 20) & mask;
    while (v[i].key != 0 && v[i].key != key)
        i = (i + 1) & mask;
    return i;
}

void cop_pairs_start(cop_pairs *t)
{
    t->mask = 1023;
    t->v = cop_alloc_array(t->mask + 1, sizeof(*t->v));
}

static void grow(cop_pairs *t)
{
    size_t mask = t->mask * 2 + 1;
    cop_flow_probe *bigger = cop_alloc_array(mask + 1, sizeof(*bigger));
    for (size_t i = 0; i <= t->mask; i++)
        if (t->v[i].key != 0)
            bigger[slot_of(bigger, mask, t->v[i].key)] = t->v[i];
    cop_free(t->v);
    t->v = bigger;
    t->mask = mask;
}

/* Place of a key; if the key is new, `key` there is 0 and the caller sets it. */
static cop_flow_probe *place_of(cop_pairs *t, uint64_t key)
{
    if (t->n * 2 > t->mask)
        grow(t);
    return &t->v[slot_of(t->v, t->mask, key)];
}

bool cop_probe_flow(cop_probe *pr, uint32_t src, uint32_t dst, uint32_t seq, uint32_t bytes,
                    bool count)
{
    uint64_t key = ((uint64_t)src << 32 | dst) + 1;
    cop_flow_probe *f = place_of(&pr->flow, key);
    bool first = f->key == 0, in_order = first || cop_counts_after(seq, f->last_seq);
    if (first) {
        f->key = key;
        pr->flow.n++;
    }
    if (in_order)
        f->last_seq = seq;
    else
        f->misordered++;
    f->packets += count;
    f->bytes += bytes;
    return in_order;
}

void cop_probe_notice(cop_probe *pr, uint32_t port, uint32_t host)
{
    pr->port[port].told++;
    if (pr->notice.v == NULL)
        return;
    uint64_t key = ((uint64_t)port << 32 | host) + 1;
    cop_flow_probe *f = place_of(&pr->notice, key);
    pr->notice.n += f->key == 0;
    f->key = key;
    f->packets++;
}

void cop_probe_fini(cop_probe *pr)
{
    cop_free(pr->flow.v);
    cop_free(pr->notice.v);
    pr->flow.v = pr->notice.v = NULL;
}
