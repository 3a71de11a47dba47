/* Role: how many hosts contribute to one hot spot, by what the streams are offered, before the run.
 * In: a traffic that is built. Out: the most senders of an overloaded host; for each source of those it aims at.
 * Rule: a stream counts where its pattern aims it: a fixed destination, the hot host of `hotspot` (its share), the
 *   present hot spot of a forest (of its first slot), each host of a hot region or list (an equal share).
 *   A saturated stream offers what the host it aims at can take. Entries that are on at different times count
 *   as if they met. The uniform rest is spread over all, counts in the rate of a host, and makes nobody a
 *   contributor.
 * Simplification: exchanges and applications are not looked at: what they send when is not known here. */
#include "traffic/traffic_priv.h"

typedef struct aimed { /* at one host */
    double bps;
    uint32_t senders, last; /* last: the host that was counted last, + 1 */
} aimed;

typedef struct census {
    aimed *at; /* [n_hosts] */
    double spread; /* aimed at all hosts alike */
    uint32_t *most; /* [n_hosts] of what a source aims at; NULL while `at` is counted */
} census;

static void aim(census *c, uint32_t dst, uint32_t src, double bps)
{
    if (dst == COP_NONE || dst == src || bps <= 0.0)
        return;
    aimed *at = &c->at[dst];
    if (c->most != NULL) {
        c->most[src] = at->senders > c->most[src] ? at->senders : c->most[src];
        return;
    }
    at->bps += bps;
    at->senders += at->last != src + 1;
    at->last = src + 1;
}

/* What this stream sends to hosts that its pattern names; returns what is left for all others. */
static double aim_stream(const traffic_entry *e, const cop_stream *s, double bps, census *c)
{
    double hot = bps * (double)e->hot_bits / 0x1p64;
    switch (s->dest) {
    case DEST_FIXED:
        aim(c, s->fixed_dst, s->host, bps);
        return 0.0;
    case DEST_SLOT:
        aim(c, e->forest.hot[s->aux], s->host, bps);
        return 0.0;
    case DEST_HOTSPOT:
        aim(c, e->to, s->host, hot);
        return bps - hot;
    case DEST_REGION:
        for (uint32_t k = 0; k < e->region; k++)
            aim(c, traffic_hot_host(e, k), s->host, hot / e->region);
        return bps - hot;
    case DEST_LIST_TURN:
    case DEST_LIST_RANDOM:
        for (uint32_t k = 0; k < e->n_list; k++)
            aim(c, e->list[k], s->host, bps / e->n_list);
        return 0.0;
    default:
        return bps;
    }
}

/* Another period of activity, or slot of a forest, of what the stream before it does. */
static bool goes_on(const cop_stream *s, const cop_stream *before)
{
    return s->host == before->host && s->entry == before->entry && s->part == before->part &&
           s->fixed_dst == before->fixed_dst;
}

/* Every stream once; of one process with two streams each has its share. */
static void count(const cop_traffic *tr, uint64_t bps, census *c)
{
    const traffic_model *m = tr->model;
    for (uint32_t i = 0; i < tr->n_streams; i++) {
        const cop_stream *s = &tr->stream[i];
        const traffic_entry *e = &m->entry[s->entry];
        if (s->gen == GEN_EXCHANGE || s->gen == GEN_APP || (i > 0 && goes_on(s, s - 1)))
            continue;
        double rate = (double)(s->saturated ? bps : m->rate[s->rate[0]].bps);
        if (s->drawn) {
            double hot = (double)e->hot_bits / 0x1p64;
            rate *= s->part == COP_PART_HOTSPOT ? hot : 1.0 - hot;
        }
        c->spread += aim_stream(e, s, rate, c);
    }
}

uint32_t cop_traffic_senders(const cop_traffic *tr, uint64_t bps, uint32_t *of_source)
{
    uint32_t n = tr->topo->n_hosts, most = 0;
    if (tr->model == NULL)
        return 0;
    census c = {.at = cop_alloc_array(n, sizeof(*c.at))};
    count(tr, bps, &c);
    for (uint32_t h = 0; h < n; h++) {
        bool overloaded = c.at[h].bps + c.spread / n > 1.01 * (double)bps;
        if (!overloaded || c.at[h].senders < 2)
            c.at[h].senders = 0;
        most = c.at[h].senders > most ? c.at[h].senders : most;
    }
    c.most = of_source;
    if (of_source != NULL && most > 0)
        count(tr, bps, &c);
    cop_free(c.at);
    return most;
}
