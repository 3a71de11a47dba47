/* Frames: how full the ports are at a moment, and how busy wires were since the frame before.
 *
 * A sample  ends with a frame that also says for how long wires stood still, and in which trees are looked for.
 * A glimpse is a frame without a sample. Nobody looked for trees, or for what stands still: shares of blocked time
 *           are those of the last sample, and so are the trees that a picture shows then. It is there because a
 *           short run in which much stands pays for few samples, and is to be seen nevertheless. What a sample
 *           has added up over its looks is not touched.
 * Cost      STEPS_GLIMPSE for each port, against 300 and more of a sample. */
#include "tree/tree_int.h"

#include <string.h>

#define FULL_WIRE                                                                                  \
    50 /* a wire that is idle for less than one part in so many is busy all the time */

uint64_t cop_tree_frame_bytes(const cop_topo *topo, uint64_t samples)
{
    return samples * topo->n_ports * (sizeof(uint32_t) + 2);
}

static uint8_t share(uint64_t part, uint64_t whole)
{
    if (part == 0 || whole == 0)
        return 0;
    return (uint8_t)(part >= whole ? 255 : (part * 255 + whole / 2) / whole);
}

static cop_frame *new_frame(cop_tree_watch *w, cop_time now)
{
    w->frame = cop_grow(w->frame, &w->cap_frames, w->n_frames + 1, sizeof(*w->frame));
    cop_frame *f = &w->frame[w->n_frames++];
    size_t n = w->n_index;
    char *room = cop_alloc_array(n, sizeof(uint32_t) + 2);
    *f = (cop_frame){.t = now,
                     .span = now - w->last_frame,
                     .waiting = (uint32_t *)(void *)room,
                     .blocked = (uint8_t *)room + n * sizeof(uint32_t),
                     .use = (uint8_t *)room + n * (sizeof(uint32_t) + 1)};
    w->last_frame = now;
    return f;
}

cop_frame *cop_tree_picture(cop_tree_watch *w, const struct cop_net *net, cop_time now)
{
    cop_frame *f = new_frame(w, now);
    /* A byte that is written may be anything to a compiler: what does not change is read once. */
    const uint32_t *index = w->index, looks = w->n_looks;
    uint32_t *waiting = w->waiting, *all_waiting = f->waiting;
    uint8_t *still = w->still, *idle = w->idle_wire, *blocked = f->blocked, *use = f->use;
    uint64_t *before = w->busy, span = f->span, full = span - span / FULL_WIRE;
    for (uint32_t p = 0, ports = w->topo->n_ports; p < ports; p++) {
        uint32_t i = index[p];
        waiting[p] = cop_look_waiting(net, p);
        if (i == COP_NONE)
            continue;
        uint64_t busy = cop_look_busy(net, p, now), used = busy - cop_min64(busy, before[p]);
        all_waiting[i] = waiting[p];
        blocked[i] = share(still[p], looks);
        use[i] = share(used, span);
        idle[p] = used < full;
        before[p] = busy;
    }
    w->spent += (uint64_t)STEPS_FRAME * w->topo->n_ports;
    return f;
}

void cop_tree_glimpse(cop_tree_watch *w, const struct cop_net *net, cop_time now)
{
    cop_frame *f = new_frame(w, now);
    const uint32_t *index = w->index;
    uint32_t *waiting = f->waiting;
    uint8_t *use = f->use;
    uint64_t *before = w->busy;
    double part = f->span > 0 ? 255.0 / (double)f->span : 0.0;
    for (uint32_t p = 0, ports = w->topo->n_ports; p < ports; p++) {
        uint32_t i = index[p];
        if (i == COP_NONE)
            continue;
        uint64_t busy = cop_look_busy(net, p, now), used = busy - cop_min64(busy, before[p]);
        waiting[i] = cop_look_waiting(net, p);
        use[i] = (uint8_t)((double)(int64_t)cop_min64(used, f->span) * part + 0.5);
        before[p] = busy;
    }
    if (w->n_frames > 1)
        memcpy(f->blocked, f[-1].blocked, w->n_index);
    w->spent += (uint64_t)STEPS_GLIMPSE * w->topo->n_ports;
    if (w->tell != NULL)
        cop_tree_tell_again(w);
}
