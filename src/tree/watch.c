/* Looks and samples.
 *
 * Role     A sample is eight looks, evenly spaced; the last one is at its end. A look notes which channels
 *          have something to send and no room for it, which wires stand idle for that, and what the head
 *          of each queue waits for. At the end of a sample these become shares of time, a frame, and
 *          trees (find.c, census.c, follow.c).
 * Cost     Where the period of samples is not given, trees cost less than 3 % of the instructions
 *          of a run: a sample begins only if the budget covers it. The budget grows by
 *          STEPS_PER_EVENT per event, and by FREE_STEPS and PORT_STEPS per port, spread over the
 *          planned samples, for building and ending the run. A step is 1.3 instructions, measured;
 *          an event takes 500 and more, building and checking a port 16000, of which the arrays of
 *          a watch and a larger result take 230. The price of a sample is that of the last, without
 *          its optional part; the price of one sample is reserved for the end. Census and waiting
 *          flows are optional, and a sample waits until the budget covers a part of them: one step
 *          in CENSUS_PART goes into the census, in UNSEEN_PART while there are unseen trees. */
#include "tree/tree_int.h"

#include <stdlib.h>
#include <string.h>

#define FREE_STEPS 80000
#define PORT_STEPS 170
#define STEPS_PER_EVENT 11
#define CENSUS_PART 5 /* of the census: one in so many steps */
#define UNSEEN_PART 3 /* the same while there are trees without a census */
#define OPTIONAL_PART 3 /* of the price of a sample, besides it */
#define STEPS_CALL 180 /* of a look at anything */
#define STEPS_LOOK 28 /* at a port with one lane and an input buffer behind it */
#define STEPS_ANY_LOOK 70 /* at any other; and for each lane */
#define STEPS_LANE 20
#define STEPS_PORT 75
#define STEPS_QUEUE 30

#define PERIODS 100 /* after so many the period doubles, where the length of the run is not known */
#define LEAST_ASKED 6 /* of 8 looks */
#define LEAST_FULL 2
#define FULL_WIRE                                                                                  \
    50 /* a wire that is idle for less than one part in so many is busy all the time */

uint64_t cop_tree_frame_bytes(const cop_topo *topo, uint64_t samples)
{
    return samples * topo->n_ports * (sizeof(uint32_t) + 2);
}

static void make_index(cop_tree_watch *w)
{
    const cop_topo *t = w->topo;
    w->index = cop_alloc_array(t->n_ports, sizeof(*w->index));
    for (uint32_t p = 0; p < t->n_ports; p++)
        w->index[p] = t->port[p].to == COP_NONE ? COP_NONE : w->n_index++;
}

/* Half of the smallest input buffer of each switch, and two packets at least. */
static void make_thresholds(cop_tree_watch *w, const struct cop_net *net)
{
    const cop_topo *t = w->topo;
    w->threshold = cop_alloc_array(t->n_switches, sizeof(*w->threshold));
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
            if (t->port[p].from != COP_NONE)
                for (uint32_t vl = 0; vl < w->lanes; vl++) {
                    uint64_t room = cop_look_room(net, t->port[p].from, vl);
                    least = room > 0 ? cop_min64(least, room) : least;
                }
        least = least == UINT64_MAX ? 0 : least;
        w->threshold[sw] = w->cfg.threshold_bytes
                               ? w->cfg.threshold_bytes
                               : cop_max64(least / 2, 2 * (uint64_t)cop_look_mtu(net));
    }
}

static uint32_t *none_array(size_t n)
{
    uint32_t *v = cop_alloc_array(n, sizeof(*v));
    memset(v, 0xff, n * sizeof(*v));
    return v;
}

cop_tree_watch *cop_tree_new(const cop_topo *topo, const struct cop_net *net,
                             const cop_tree_cfg *cfg)
{
    cop_tree_watch *w = cop_alloc(sizeof(*w));
    uint32_t ports = topo->n_ports;
    w->topo = topo;
    w->cfg = *cfg;
    w->lanes = cop_look_lanes(net);
    w->per_output = cop_look_per_output(net);
    w->private = cop_look_private(net);
    w->n_streams = cop_look_streams(net);
    w->look_steps = cop_look_plain(net) ? STEPS_LOOK : STEPS_ANY_LOOK + STEPS_LANE * w->lanes;
    w->host_words = topo->n_hosts / 64 + 1;
    w->stream_words = w->n_streams / 64 + 1;
    size_t channels = cop_product(ports, w->lanes);
    make_index(w);
    make_thresholds(w, net);
    w->asks = cop_alloc(channels);
    w->full = cop_alloc(channels);
    w->idle_wire = cop_alloc(ports);
    w->held = cop_alloc(channels);
    w->still = cop_alloc(ports);
    if (!w->per_output && !w->private) {
        w->n_queues = cop_look_n_queues(net);
        w->vote = none_array(w->n_queues);
        w->votes = cop_alloc(w->n_queues);
    }
    w->busy = cop_alloc_array(ports, sizeof(*w->busy));
    w->delivered = cop_alloc_array(w->n_streams, sizeof(*w->delivered));
    w->edge_to = none_array(channels);
    w->standing = cop_alloc_array(ports, sizeof(*w->standing));
    w->waiting = cop_alloc_array(ports, sizeof(*w->waiting));
    w->filled = cop_alloc_array(channels, sizeof(*w->filled));
    w->n_filled = cop_alloc_array(topo->n_switches, sizeof(*w->n_filled));
    w->mark = cop_alloc_array(channels, sizeof(*w->mark));
    w->seen = cop_alloc_array(channels, sizeof(*w->seen));
    w->acc = cop_alloc_array(channels, sizeof(*w->acc));
    w->port_mark = cop_alloc_array(ports, sizeof(*w->port_mark));
    w->wanted = cop_alloc_array(w->host_words, sizeof(*w->wanted));
    w->sources = cop_alloc_array(w->host_words, sizeof(*w->sources));
    w->hot = cop_alloc_array(w->stream_words, sizeof(*w->hot));
    w->record_of = none_array(ports);
    w->price = (uint64_t)(LOOKS * w->look_steps + STEPS_PORT) * ports + LOOKS * STEPS_CALL +
               (uint64_t)LOOKS * STEPS_QUEUE * w->n_queues;
    return w;
}

/* Looks are not equidistant, or they would keep in step with traffic that repeats itself: each but the
 * last is somewhere in its eighth of the sample, at places that fill it evenly (multiples of the golden
 * ratio). */
static cop_time time_of_look(const cop_tree_watch *w, uint64_t sample, uint32_t look)
{
    cop_time begin = w->begin, part = w->cfg.period / LOOKS;
    if (look == LOOKS - 1)
        return begin + w->cfg.period;
    uint64_t golden = (sample * LOOKS + look + 1) * 0x9E3779B97F4A7C15u;
    return begin + look * part + (cop_time)((unsigned __int128)golden * part >> 64) + 1;
}

cop_time cop_tree_first(const cop_tree_watch *w)
{
    return time_of_look(w, 0, 0);
}

void cop_tree_tell(cop_tree_watch *w, void (*fn)(void *ctx, const cop_tree_now *now), void *ctx)
{
    w->tell = fn;
    w->tell_ctx = ctx;
}

/* -- looks -- */

static void look_at_ports(cop_tree_watch *w, const struct cop_net *net, cop_time now)
{
    cop_port_sums sums = {.asks = w->asks, .full = w->full, .still = w->still};
    cop_look_ports(net, now, &sums);
    w->spent += (uint64_t)w->look_steps * w->topo->n_ports;
}

/* The channel that the heads of a queue wait for at most looks (Boyer and Moore's majority). Where no
 * head was seen waiting it is that of the sample before, unless the queue has been empty. */
static void look_at_heads(cop_tree_watch *w, const struct cop_net *net)
{
    for (uint32_t q = 0; q < w->n_queues; q++) {
        cop_queue_look l;
        cop_look_queue(net, q, &l);
        if (l.bytes == 0)
            w->vote[q] = COP_NONE;
        if (l.bytes == 0 || !l.waits)
            continue;
        uint32_t c = l.out * w->lanes + l.out_vl;
        if (w->votes[q] == 0)
            w->vote[q] = c;
        w->votes[q] = (int8_t)(w->votes[q] + (w->vote[q] == c ? 1 : -1));
    }
    w->spent += (uint64_t)STEPS_QUEUE * w->n_queues;
}

uint32_t cop_tree_target(const cop_tree_watch *w, uint32_t queue, const cop_queue_look *l)
{
    if (w->vote != NULL)
        return w->vote[queue];
    return l->out * w->lanes + l->out_vl;
}

/* -- samples -- */

static uint8_t share(uint64_t part, uint64_t whole)
{
    if (part == 0 || whole == 0)
        return 0;
    return (uint8_t)(part >= whole ? 255 : (part * 255 + whole / 2) / whole);
}

static cop_frame *add_frame(cop_tree_watch *w, const struct cop_net *net, cop_time now)
{
    w->frame = cop_grow(w->frame, &w->cap_frames, w->n_frames + 1, sizeof(*w->frame));
    cop_frame *f = &w->frame[w->n_frames++];
    size_t n = w->n_index;
    char *room = cop_alloc_array(n, sizeof(uint32_t) + 2);
    *f = (cop_frame){.t = now,
                     .span = now - w->last,
                     .waiting = (uint32_t *)(void *)room,
                     .blocked = (uint8_t *)room + n * sizeof(uint32_t),
                     .use = (uint8_t *)room + n * (sizeof(uint32_t) + 1)};
    /* Stores through uint8_t * may alias everything: fields that do not change are read once. */
    const uint32_t *index = w->index, looks = w->n_looks;
    uint64_t *waiting = w->waiting;
    uint32_t *all_waiting = f->waiting;
    uint8_t *still = w->still, *idle = w->idle_wire, *blocked = f->blocked, *use = f->use;
    uint64_t *before = w->busy, span = f->span, full = span - span / FULL_WIRE;
    for (uint32_t p = 0, ports = w->topo->n_ports; p < ports; p++) {
        uint32_t i = index[p];
        waiting[p] = cop_look_waiting(net, p);
        if (i == COP_NONE)
            continue;
        uint64_t busy = cop_look_busy(net, p, now), used = busy - cop_min64(busy, before[p]);
        all_waiting[i] = (uint32_t)cop_min64(waiting[p], UINT32_MAX);
        blocked[i] = share(still[p], looks);
        use[i] = share(used, span);
        idle[p] = used < full;
        before[p] = busy;
    }
    w->spent += (uint64_t)STEPS_PORT * w->topo->n_ports;
    return f;
}

/* Channels that want to send, cannot for lack of room, and have wires that stand idle at times. */
static void note_held(cop_tree_watch *w)
{
    uint8_t *held = w->held, least = w->private ? 1 : LEAST_FULL;
    const uint8_t *full = w->full, *asks = w->asks, *idle = w->idle_wire;
    size_t lanes = w->lanes, c = 0;
    for (uint32_t p = 0, ports = w->topo->n_ports; p < ports; p++)
        for (size_t end = c + lanes; c < end; c++)
            held[c] = full[c] >= least && asks[c] >= LEAST_ASKED && idle[p];
    w->spent += 4 * c;
}

static uint64_t planned_samples(const cop_tree_watch *w)
{
    return w->cfg.most > 0 ? PERIODS : cop_max64(1, w->cfg.duration / w->cfg.period);
}

/* Reserve for the last sample: users look at the end of a run, where trees are large. */
static uint64_t kept(const cop_tree_watch *w)
{
    return w->n_samples + 1 < planned_samples(w) ? w->price + w->price / 4 : 0;
}

bool cop_tree_paid(const cop_tree_watch *w, const struct cop_net *net, uint64_t more)
{
    uint64_t planned = planned_samples(w), ports = (uint64_t)PORT_STEPS * w->topo->n_ports;
    uint64_t come = cop_min64(w->n_samples + 1, planned) * ports / planned;
    return !w->cfg.thrifty ||
           w->spent + more + kept(w) <= FREE_STEPS + come + STEPS_PER_EVENT * cop_look_events(net);
}

/* Census of each tree, in turn; where samples are to be cheap within a part of the budget, and
 * trees without a census come first. */
static void take_census(cop_tree_watch *w, const struct cop_net *net)
{
    size_t n = w->n_found;
    for (size_t k = 0; k < 2 * n; k++) {
        tree_found *t = &w->found[(k + w->n_frames) % n];
        bool unseen = w->record[t->record].counts == 0;
        if (unseen != (k < n) || t->counted)
            continue;
        if (!w->cfg.thrifty ||
            (w->spent_on_census * (unseen ? UNSEEN_PART : CENSUS_PART) <= w->spent &&
             cop_tree_paid(w, net, cop_tree_census_price(w, net, t))))
            cop_tree_census(w, net, t);
    }
}

static void sample(cop_tree_watch *w, const struct cop_net *net, cop_time now)
{
    cop_frame *f = add_frame(w, net, now);
    size_t channels = (size_t)w->topo->n_ports * w->lanes;
    note_held(w);
    cop_tree_find(w, net);
    cop_tree_identify(w, w->last);
    uint64_t found = w->spent;
    take_census(w, net);
    if (w->cfg.film)
        cop_tree_waiting(w, net, f);
    uint64_t optional = w->spent - found;
    cop_tree_follow(w, net, now, f->span);
    w->price = w->spent - w->spent_before - optional;
    w->last = now;
    if (!w->cfg.film) {
        cop_free(f->waiting);
        f->waiting = NULL;
        f->blocked = f->use = NULL;
    }
    memset(w->asks, 0, channels);
    memset(w->full, 0, channels);
    memset(w->still, 0, w->topo->n_ports);
    for (uint32_t q = 0; q < w->n_queues; q++)
        w->votes[q] = 0;
}

cop_time cop_tree_look(void *ctx, const struct cop_net *net, cop_time now)
{
    cop_tree_watch *w = ctx;
    if (w->n_looks++ == 0) {
        w->idle = !cop_tree_paid(w, net, w->price + kept(w) / OPTIONAL_PART);
        w->spent_before = w->spent;
    }
    w->spent += w->idle ? STEPS_CALL / 2 : STEPS_CALL;
    if (!w->idle) {
        look_at_ports(w, net, now);
        if (w->vote != NULL)
            look_at_heads(w, net);
    }
    if (w->n_looks == LOOKS || w->idle) {
        if (!w->idle)
            sample(w, net, now);
        w->n_looks = 0;
        w->n_samples++;
        w->begin += w->cfg.period;
        if (w->begin >= PERIODS * w->cfg.period && w->cfg.period < w->cfg.most)
            w->cfg.period *= 2;
    }
    return time_of_look(w, w->n_samples, w->n_looks);
}

void cop_tree_free(cop_tree_watch *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->n_frames; i++) {
        cop_free(w->frame[i].waiting);
        cop_free(w->frame[i].flow);
    }
    for (size_t i = 0; i < w->n_kept; i++) {
        cop_free(w->kept[i].member);
        cop_free(w->kept[i].contributor);
        cop_free(w->kept[i].victim);
    }
    for (size_t i = 0; i < w->n_records; i++) {
        cop_free(w->record[i].hosts);
        cop_free(w->record[i].streams);
        cop_tree_flows_free(&w->record[i].victims);
    }
    void *all[] = {
        w->index,     w->threshold, w->full,      w->held,      w->still,    w->vote,
        w->votes,     w->busy,      w->edge_to,   w->standing,  w->waiting,  w->mark,
        w->seen,      w->acc,       w->wanted,    w->record_of, w->edge,     w->held_list,
        w->channel,   w->found,     w->host_list, w->flow_list, w->record,   w->kept,
        w->frame,     w->told,      w->delivered, w->port_mark, w->hot,      w->asks,
        w->idle_wire, w->sources,   w->tally,     w->filled,    w->n_filled, w};
    for (size_t i = 0; i < COP_LEN(all); i++)
        cop_free(all[i]);
}
