/* Role: number of contributors to one hot spot, from the offered load, before the run.
 * In: a traffic that is built, what each host can send and take. Out: the most senders of an overloaded host, for each
 *   source of those it aims at; which hosts run jobs.
 * Rule: a stream counts where its pattern aims it: a fixed destination, the hot host of `hotspot` (its share), the
 *   present hot spot of a forest (of its first slot), each host of a hot region or list (an equal share).
 *   A saturated stream offers what its host can send. Entries that are on at different times count as if they
 *   met. The uniform rest is spread over all and counts in the rate of a host. It makes contributors of all that
 *   send it only at a host that is slower than others and that it overloads alone.
 * Unit: senders of full rate that would leave as much to each, if the host took that rate: n senders of a host that
 *   takes a quarter of it count as 4 n. The rate is that of the fastest link, for `of_source` the source's own.
 * Simplification: exchanges and applications are not looked at: what they send when is not known here. */
#include "traffic/traffic_priv.h"

#include <string.h>

#define MOST_SENDERS 1000000
#define OVERLOAD 1.01 /* and more */

typedef struct aimed { /* at one host */
    double bps;
    uint32_t senders, last; /* last: the host that was counted last, + 1 */
    bool spreads; /* as a source: over all hosts alike */
    double share; /* of each sender, bit/s; 0: not overloaded */
} aimed;

typedef struct census {
    const cop_host_rates *rates;
    aimed *at; /* [n_hosts] */
    double spread; /* aimed at all hosts alike */
    uint32_t spreaders; /* hosts that do so */
    double least_share; /* of one of these at a slow host; 0: there is none */
    uint32_t *most; /* [n_hosts] of what a source aims at; NULL while `at` is counted */
} census;

/* Senders of rate bps would have `share` each at a host that takes as much. */
static uint32_t senders_of(double bps, double share)
{
    double n = share > 0.0 ? bps / share + 0.5 : 0.0;
    return n < MOST_SENDERS ? (uint32_t)n : MOST_SENDERS;
}

static void raise_most(census *c, uint32_t src, double share)
{
    uint32_t n = senders_of((double)c->rates->sends[src], share);
    c->most[src] = n > c->most[src] ? n : c->most[src];
}

static void aim(census *c, uint32_t dst, uint32_t src, double bps)
{
    if (dst == COP_NONE || dst == src || bps <= 0.0)
        return;
    aimed *at = &c->at[dst];
    if (c->most != NULL) {
        raise_most(c, src, at->share);
        return;
    }
    at->bps += bps;
    at->senders += at->last != src + 1;
    at->last = src + 1;
}

static void spread(census *c, uint32_t src, double bps)
{
    if (bps <= 0.0)
        return;
    if (c->most != NULL) {
        raise_most(c, src, c->least_share);
        return;
    }
    c->spread += bps;
    c->spreaders += !c->at[src].spreads;
    c->at[src].spreads = true;
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

static bool of_job(const cop_stream *s)
{
    return s->gen == GEN_EXCHANGE || s->gen == GEN_APP;
}

/* Every stream once; of one process with two streams each has its share. */
static void count(const cop_traffic *tr, census *c)
{
    const traffic_model *m = tr->model;
    for (uint32_t i = 0; i < tr->n_streams; i++) {
        const cop_stream *s = &tr->stream[i];
        const traffic_entry *e = &m->entry[s->entry];
        if (of_job(s) || (i > 0 && goes_on(s, s - 1)))
            continue;
        double rate = (double)(s->saturated ? c->rates->sends[s->host] : m->rate[s->rate[0]].bps);
        if (s->drawn) {
            double hot = (double)e->hot_bits / 0x1p64;
            rate *= s->part == COP_PART_HOTSPOT ? hot : 1.0 - hot;
        }
        spread(c, s->host, aim_stream(e, s, rate, c));
    }
}

/* Is the host overloaded, and by how many? */
static void judge(census *c, uint32_t host, uint32_t n_hosts, double fastest)
{
    aimed *at = &c->at[host];
    double takes = (double)c->rates->takes[host], rest = c->spread / n_hosts;
    bool slow = rest > OVERLOAD * takes && takes < fastest;
    uint32_t n = at->senders, others = c->spreaders - at->spreads;
    if (slow && others > n)
        n = others;
    if (at->bps + rest > OVERLOAD * takes && n > 0)
        at->share = takes / n;
    if (senders_of((double)c->rates->bps, at->share) < 2)
        at->share = 0.0;
    if (slow && (c->least_share <= 0.0 || at->share < c->least_share))
        c->least_share = at->share;
}

uint32_t cop_traffic_senders(const cop_traffic *tr, const cop_host_rates *rates,
                             uint32_t *of_source)
{
    uint32_t n = tr->topo->n_hosts, most = 0;
    double fastest = 0.0;
    if (tr->model == NULL)
        return 0;
    census c = {.rates = rates, .at = cop_alloc_array(n, sizeof(*c.at))};
    count(tr, &c);
    for (uint32_t h = 0; h < n; h++)
        fastest = (double)rates->takes[h] > fastest ? (double)rates->takes[h] : fastest;
    for (uint32_t h = 0; h < n; h++) {
        judge(&c, h, n, fastest);
        uint32_t senders = senders_of((double)rates->bps, c.at[h].share);
        most = senders > most ? senders : most;
    }
    c.most = of_source;
    if (of_source != NULL && most > 0)
        count(tr, &c);
    cop_free(c.at);
    return most;
}

uint32_t cop_traffic_jobs(const cop_traffic *tr, uint8_t *only)
{
    enum { JOB = 1, OTHER = 2 };
    uint32_t jobs = 0;
    memset(only, 0, tr->topo->n_hosts);
    for (uint32_t i = 0; i < tr->n_streams; i++) {
        bool job = tr->model != NULL && of_job(&tr->stream[i]);
        only[tr->stream[i].host] |= job ? JOB : OTHER;
        jobs += job;
    }
    for (uint32_t h = 0; h < tr->topo->n_hosts; h++)
        only[h] = only[h] == JOB;
    return jobs;
}
