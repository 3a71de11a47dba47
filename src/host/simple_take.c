/* End nodes of kind `simple`: taking messages from the streams.
 *
 * Rules    Messages are taken only when none that is already here can be sent, oldest first;
 *          saturated streams take turns. Source queues are therefore unbounded and take no memory.
 *          A stream has at most `backlog` messages here and then waits.
 * Source   M-bgen (no blocking in the generator). */
#include "host/simple.h"

/* More messages would not be sent earlier when every lane this host uses is blocked: they would
 * wait for the same credits. (With buffer sections per destination they wait for different
 * ones.) */
static bool enough_ready(const cop_net *net, uint32_t host)
{
    const cop_simple *si = cop_simple_of(net);
    const cop_simple_host *sh = &si->host[host];
    const uint32_t *first = &net->traffic->host_stream0[host];
    uint32_t open = sh->lanes_used & ~net->out[cop_host_port(net, host)].vl_blocked;
    return !net->sectioned && open == 0 &&
           sh->ready_n >= 2 * si->data_lanes + (first[1] - first[0]);
}

/* Does a throttled message of the service level wait? If a flow is a whole service level, all its
 * streams wait for the same turn: with more messages here the order of generation would be lost,
 * and a stream with many would displace the others. */
static __attribute__((noinline)) bool level_waits(const cop_net *net, const cop_stream *st)
{
    const cop_traffic *tr = net->traffic;
    const cop_simple *si = cop_simple_of(net);
    for (uint32_t s = tr->host_stream0[st->host]; s < tr->host_stream0[st->host + 1]; s++)
        if (tr->stream[s].sl == st->sl && si->here[s] != si->ready[s])
            return true;
    return false;
}

/* May the stream have another message here? If its messages belong to one flow that is throttled,
 * or waits for the buffer of its only destination, the next message could not go either; and it
 * would be sent even after the end of the stream. */
static bool has_room(const cop_net *net, const cop_stream *st, uint32_t s)
{
    const cop_simple *si = cop_simple_of(net);
    uint32_t here = si->here[s];
    bool throttled = net->flow_is_sl ? level_waits(net, st) : st->steady && here != si->ready[s];
    bool full = net->sectioned && here > 0 && st->fixed_dst != COP_NONE;
    return !throttled && !full && here < (uint32_t)net->nic_cfg->backlog;
}

static bool may_take(const cop_net *net, const cop_stream *st, uint32_t s, uint32_t max_ready)
{
    return st->t_next <= net->now && (!st->saturated || net->now < st->t_stop) &&
           cop_simple_of(net)->ready[s] < max_ready && has_room(net, st, s);
}

/* A stream with one destination has one message in the list of its flow, a saturated one with many
 * destinations has up to `backlog`, all taken early: by age the latter would have nearly every
 * turn. So the message of the former goes before all of the latter's but the first. */
void cop_simple_join(cop_net *net, uint32_t s)
{
    const cop_stream *streams = net->traffic->stream;
    const cop_send *m = &net->send[s];
    cop_flow *f = cop_flow_at(net, m->flow);
    uint32_t before = COP_NONE;
    if (streams[m->stream].steady && cop_simple_of(net)->here[m->stream] == 1)
        for (before = f->head; before != COP_NONE; before = net->send[before].next)
            if (!streams[net->send[before].stream].steady)
                break;
    if (before == COP_NONE || before == f->tail || !streams[net->send[before].stream].saturated) {
        cop_flow_append(net, s);
    } else {
        net->send[s].next = net->send[before].next;
        net->send[before].next = s;
    }
}

bool cop_simple_take(cop_net *net, uint32_t host, uint32_t max_ready)
{
    cop_simple *si = cop_simple_of(net);
    if (enough_ready(net, host))
        return false;
    uint32_t stream = cop_host_oldest(net, host, si->last, may_take, max_ready);
    if (stream == COP_NONE)
        return false;
    uint32_t s = cop_host_take(net, host, stream), flow = net->send[s].flow;
    si->last[stream] = net->now + 1;
    si->here[stream]++;
    if (flow != COP_NONE && cop_flow_at(net, flow)->head != COP_NONE)
        cop_simple_join(net, s);
    else
        cop_simple_ready(net, host, s);
    return true;
}

cop_time cop_simple_next_message(const cop_net *net, uint32_t host)
{
    const cop_traffic *tr = net->traffic;
    cop_time t = COP_NEVER;
    for (uint32_t s = tr->host_stream0[host]; s < tr->host_stream0[host + 1]; s++) {
        const cop_stream *st = &tr->stream[s];
        bool over = st->saturated && net->now >= st->t_stop;
        if (!over && has_room(net, st, s))
            t = cop_min64(t, st->t_next);
    }
    return t;
}
