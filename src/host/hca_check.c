/* End nodes of kind `hca`: configurations that cannot be run are refused before the network is
 * built.
 *
 * Role     the congestion control must keep flows, and the messages in generation queues must fit
 *          into memory.
 * Memory   a message costs nothing before it is taken from its stream (traffic.h), but messages in
 *          generation queues take memory. Messages are taken from a saturated stream until one
 *          queue is full: with many destinations that is many per host, all at the start of the
 *          run. Their number is found by drawing them, for one stream of each entry, whose state is
 *          then restored.
 *          Open arrivals above what the network takes fill the queues as well, but with time. */
#include "host/hca.h"

/* Messages that saturated streams put into generation queues before they wait. */
typedef struct fill {
    uint64_t messages, flows;
} fill;

static bool is_drawn(const cop_stream *st)
{
    return st->fixed_dst == COP_NONE && !st->steady;
}

/* Fill by stream s, if no message leaves the queues; no more than `most` messages. */
static fill fill_of(const cop_net *net, uint32_t s, uint64_t most)
{
    cop_stream *st = &net->traffic->stream[s], before = *st;
    uint64_t places = (uint64_t)cop_hca_cfg_of(net)->generation;
    if (!is_drawn(st))
        return (fill){places, 1};
    uint32_t *held = cop_alloc_array(net->info.n_hosts, sizeof(uint32_t));
    fill f = {0, 0};
    cop_msg m = {0};
    do {
        cop_traffic_take(net->traffic, s, st->t_next, &m);
        f.messages++;
        f.flows += held[m.dst] == 0;
    } while (held[m.dst]++ < places && f.messages < most && st->t_next != COP_NEVER);
    cop_free(held);
    *st = before;
    return f;
}

/* Is it the first of an entry's streams at its host of this part? Periods of activity do not add
 * up. */
static bool counts(const cop_traffic *tr, uint32_t s)
{
    const cop_stream *st = &tr->stream[s], *last = s > 0 ? st - 1 : NULL;
    return st->saturated && (last == NULL || !last->saturated || last->host != st->host ||
                             last->entry != st->entry || last->part != st->part);
}

/* Fill by all streams; no more than `most` messages of those whose destinations are drawn. */
static fill fill_of_all(const cop_net *net, uint64_t most)
{
    const cop_traffic *tr = net->traffic;
    uint64_t drawn = 0;
    for (uint32_t s = 0; s < tr->n_streams; s++)
        drawn += counts(tr, s) && is_drawn(&tr->stream[s]);
    fill all = {0, 0}, *of = cop_alloc_array(tr->n_entries, sizeof(*of)); /* a drawn stream's */
    for (uint32_t s = 0; s < tr->n_streams; s++) {
        const cop_stream *st = &tr->stream[s];
        if (!counts(tr, s))
            continue;
        fill one = is_drawn(st) ? of[st->entry] : fill_of(net, s, 0);
        if (one.messages == 0)
            one = of[st->entry] = fill_of(net, s, most / drawn + 1);
        all.messages += one.messages;
        all.flows += one.flows;
    }
    cop_free(of);
    return all;
}

int cop_hca_check(const void *cfg, const cop_net *net, cop_err *err)
{
    (void)cfg;
    if (net->flow_is_sl)
        return cop_err_add(err, COP_E_INPUT,
                           "kind hca has a queue and a rate for each destination, this congestion "
                           "control one rate for a whole service level; use kind simple");
    uint64_t most = cop_min64(cop_machine_bytes() / sizeof(cop_send), COP_NONE);
    size_t per_flow = sizeof(cop_flow) + net->cc->flow_size + sizeof(cop_hca_gen);
    fill all = fill_of_all(net, most);
    uint64_t bytes = all.messages * sizeof(cop_send) + all.flows * per_flow;
    if (all.messages < most && all.flows < 1u << COP_FLOW_BITS && bytes < cop_machine_bytes())
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "saturated streams fill the generation queues with %" PRIu64
                       " GiB of messages or more, "
                       "which does not fit; lower host.generation, give the traffic a `load`, use "
                       "a smaller network, or kind simple",
                       bytes >> 30);
}
