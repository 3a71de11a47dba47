/* Deadlock detection at run time: when to check, and the message about a deadlock (stall_find.c:
 * how it is found).
 *
 * Cost     A check visits ports, the queues behind blocked ones, and packets as far as needed to
 *          find their lanes. A deadlock does not resolve itself, so a check may come late: the next
 *          one waits until progress (packet-hops, and sampled ports) pays for all earlier ones, at
 *          the rates below. They keep the watch below a tenth of the run's instructions, however
 *          deep the queues and short the samples are. A port that has been blocked since the last
 *          sample requests a check; a single lane may be blocked on a port that is not, so samples
 *          number 1, 2, 4, 8, ... request one, too. The check at the end is never delayed, nor,
 *          once, that when no event is left although packets are.
 * Recovery Networks that resolve deadlocks are checked once, at the end, and only if a deadlock may
 *          have lasted for half of the measured time or more: results of such a run do not show a
 *          network that recovers. */
#include "net/deadlock/stall_int.h"

#include "base/opt.h"
#include "base/outcome.h"
#include "net/services/services.h"
#include "net/worm/worm.h"

#include <stdio.h>
#include <string.h>

/* A visit takes some 20 instructions, a packet-hop 700 and more, a sampled port 10. */
#define VISITS_PER_HOP 3
#define SAMPLED_PORTS_PER_VISIT 20

/* The message of a long cycle is cut, to leave room for the lines behind it. */
#define ROOM_BEHIND 400

void cop_stall_init(cop_net *net)
{
    net->stall = COP_NEW_ARRAY(&net->arena, struct cop_stall, 1);
    net->stall->stuck =
        COP_NEW_ARRAY(&net->arena, uint8_t, cop_product(net->topo->n_ports, net->sections));
}

void cop_stall_fini(cop_net *net)
{
    if (net->stall == NULL)
        return;
    cop_free(net->stall->edge);
    cop_free(net->stall->ask);
    cop_free(net->stall->channel);
    cop_free(net->stall->gone);
}

/* -- the message -- */

/* The channel that a packet behind this one waits for. */
static size_t behind(const cop_net *net, size_t channel)
{
    const struct cop_stall *st = net->stall;
    size_t i = 0, next[COP_MAX_CAND];
    while (st->edge[i].channel != channel)
        i++;
    (void)cop_stall_asks(net, st->edge[i].queue, next);
    return next[0];
}

static void describe(cop_net *net)
{
    const struct cop_stall *st = net->stall;
    size_t n = (size_t)net->topo->n_ports * net->sections, at = st->edge[0].channel, used;
    uint8_t *seen = cop_alloc(n);
    /* Walk until a member repeats: from there on it is a cycle. */
    for (; !seen[at]; at = behind(net, at))
        seen[at] = 1;
    cop_free(seen);
    size_t first = at;
    unsigned members = 0;
    for (size_t i = 0; i < n; i++)
        members += st->stuck[i];
    net->stop = COP_OUTCOME_DEADLOCK;
    used =
        (size_t)snprintf(net->why, sizeof(net->why),
                         "deadlock at %.3f us: %u blocked channels; a cycle of waiting ports:\n ",
                         (double)net->now / 1e6, members);
    do {
        char name[64];
        if (used + 80 + ROOM_BEHIND < sizeof(net->why))
            used += (size_t)snprintf(
                net->why + used, sizeof(net->why) - used, " %s/vl%u ->",
                cop_topo_port_name(net->topo, (uint32_t)(at / net->sections), name, sizeof(name)),
                (unsigned)(at % net->sections));
        at = behind(net, at);
    } while (at != first);
    if (used + 8 < sizeof(net->why))
        memcpy(net->why + used - 2, "(again)", sizeof("(again)"));
    cop_notice_tell(net);
}

/* -- checks -- */

/* Has a port with packets to send been blocked for so long? */
static bool suspicious(cop_net *net, cop_time patience)
{
    if (net->worm)
        return cop_worm_suspicious(net, patience, &net->stall->visits);
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        net->stall->visits++;
        if (net->out[p].busy_until + patience <= net->now && cop_stall_idle(net, p))
            return true;
    }
    return false;
}

static void note(cop_net *net, uint32_t queue)
{
    struct cop_stall *st = net->stall;
    st->edge = cop_grow(st->edge, &st->cap_edges, st->n_edges + 1, sizeof(*st->edge));
    st->edge[st->n_edges++] = (cop_stall_edge){.queue = queue};
}

static bool look(cop_net *net)
{
    struct cop_stall *st = net->stall;
    if (net->worm) {
        st->n_edges = 0;
        return cop_worm_deadlock(net, note, &st->visits);
    }
    if (!cop_stall_find(net))
        return false;
    describe(net);
    return true;
}

uint32_t cop_stall_queue(const cop_net *net, size_t i)
{
    return i < net->stall->n_edges ? net->stall->edge[i].queue : COP_NONE;
}

uint64_t cop_stall_visits(const cop_net *net)
{
    return net->stall->visits;
}

uint64_t cop_stall_allowance(const cop_net *net)
{
    return VISITS_PER_HOP * net->total.hops +
           net->stall->samples * net->host_port0 / SAMPLED_PORTS_PER_VISIT;
}

bool cop_stall_watch(cop_net *net)
{
    struct cop_stall *st = net->stall;
    st->samples++;
    if (net->recover)
        return false; /* waiting packets will be absorbed */
    /* No event is pending, and more has moved than at the last check of this kind. */
    bool still =
        cop_evq_empty(&net->evq) && cop_net_in_flight(net) > 0 && st->still_hops != net->total.hops;
    if (still)
        st->still_hops = net->total.hops;
    bool turn = net->sections > 1 && (st->samples & (st->samples - 1)) == 0;
    return (still || st->visits <= cop_stall_allowance(net)) &&
           (turn || suspicious(net, net->probe.sample)) && look(net);
}

/* Does recovery come so late that a deadlock may last for most of the measured time? If it comes
 * sooner, short deadlocks are the normal operation of such routings. */
static bool recovers_late(const cop_net *net)
{
    cop_time measured = net->probe.end > net->probe.warmup ? net->probe.end - net->probe.warmup : 0;
    return !net->run_cfg->drain && net->route->facts.patience_ps >= measured / 2;
}

bool cop_stall_final(cop_net *net)
{
    if (net->recover == NULL)
        return look(net);
    if (!recovers_late(net) || !look(net))
        return false;
    char timeout[32], duration[32];
    size_t used = strlen(net->why);
    snprintf(net->why + used, sizeof(net->why) - used,
             "\n  routing %s resolves this when heads have waited for %s, and the run ended after "
             "%s; make "
             "routing.timeout shorter, or run.duration longer",
             net->route->ops->name,
             cop_print_time(net->route->facts.patience_ps, timeout, sizeof(timeout)),
             cop_print_time(net->probe.end, duration, sizeof(duration)));
    return true;
}
