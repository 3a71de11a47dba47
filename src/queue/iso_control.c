/* Isolation of congested flows: hooks for messages from the neighbour downstream. See iso.h. */
#include "queue/iso.h"

/* Call `act` for every special queue in use of packets for output `out`. */
typedef void (*line_fn)(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line,
                        uint32_t told, uint32_t value);

static void each_line(struct cop_net *net, const iso_rules *r, uint32_t out, uint32_t told,
                      uint32_t value, line_fn act)
{
    const iso_range inputs = iso_inputs(net, out);
    uint32_t local = iso_local(net, out);
    for (uint32_t port = inputs.first; port < inputs.end; port++) {
        iso_port *st = cop_net_queue_state(net, port);
        for (uint32_t i = 0; st->special && i < r->queues; i++) {
            iso_line *l = iso_in_line(r, st, i);
            if (l->used && l->out == local)
                act(net, port, l, i, told, value);
        }
    }
}

/* A line that this switch had detected becomes a branch of a larger tree. */
static void join(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t told,
                 uint32_t entry)
{
    const iso_rules *r = cop_net_queue_common(net);
    if (r->by_path) {
        for (const cop_pkt *p = cop_net_queue_first(net, port, line); p && l->next == ISO_NO_LINE;
             p = cop_net_queue_next(net, p))
            iso_join_path(net, r, port, line, p);
        return;
    }
    if (l->next != ISO_NO_LINE || l->out_vl != entry >> ISO_LANE_SHIFT)
        return;
    for (uint32_t i = 0; i < l->n_dst; i++)
        if (((l->dst[i] ^ entry) & ISO_DST_MASK) == 0) {
            iso_link(net, port, l, line, told);
            return;
        }
}

static void stop_or_go(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line,
                       uint32_t told, uint32_t stop)
{
    if (l->next != told)
        return;
    cop_net_queue_stop(net, port, line, stop);
    if (!stop && cop_net_queue_bytes(net, port, line) == 0)
        iso_fell(net, port, l, line, 0);
}

/* The line that a special queue followed is gone. It follows the one with the farthest root among
 * the others that list one of its destinations, as no further message will announce that. False:
 * there is none. */
static bool follow_other(struct cop_net *net, const iso_rules *r, uint32_t port, iso_line *l,
                         uint32_t line)
{
    iso_port *st = cop_net_queue_state(net, iso_output(net, port, l->out));
    uint32_t best = ISO_NO_LINE, hops = 0, left = r->by_path ? 0 : st->told;
    for (uint32_t i = 0; left > 0; i++) {
        const iso_line *o = iso_out_line(r, st, i);
        if (!o->used)
            continue;
        left--;
        for (uint32_t k = 0; k < l->n_dst && o->hops > hops; k++)
            if (iso_lists(o, iso_entry(l->dst[k] & ISO_DST_MASK, l->out_vl))) {
                best = i;
                hops = o->hops;
            }
    }
    if (best == ISO_NO_LINE)
        return false;
    if (!iso_out_line(r, st, best)->stopped)
        cop_net_queue_stop(net, port, line, false);
    iso_link(net, port, l, line, best);
    return true;
}

/* The line that this one follows is gone. Paper V, III-C: only a queue at the root, one hop from
 * the congested point, puts its output into the congestion state. This one was allocated for a root
 * farther away and stays a branch of that tree until it is empty; congestion here is detected
 * separately. */
static void leave(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t told,
                  uint32_t unused)
{
    const iso_rules *r = cop_net_queue_common(net);
    (void)unused;
    if (l->next != told)
        return;
    l->next = ISO_NO_LINE;
    if (!follow_other(net, r, port, l, line)) {
        if (r->by_path && l->hops == 1)
            iso_make_root(net, port, l); /* detected here, before it joined the other tree */
        cop_net_queue_stop(net, port, line, false);
    }
    if (cop_net_queue_bytes(net, port, line) == 0)
        iso_fell(net, port, l, line, 0);
}

/* Heads that wait for output `out` and belong to its line `told` find their special queue. */
static void sort_heads(struct cop_net *net, const iso_rules *r, uint32_t out, const iso_line *told)
{
    const iso_range inputs = iso_inputs(net, out);
    uint32_t local = iso_local(net, out), from = r->queues, n = r->lanes;
    if (r->voq && cop_net_info(net)->one_path)
        from += local * r->lanes;
    else if (r->voq) /* a head may have another first choice than when it came */
        n *= iso_outputs(net, out);
    for (uint32_t port = inputs.first; port < inputs.end; port++)
        for (uint32_t q = from; q < from + n; q++) {
            const cop_pkt *p = cop_net_queue_first(net, port, q);
            if (p && p->out == local && iso_covers(net, r, told, out, p->dst, p->out_vl))
                cop_net_queue_recheck(net, port, q);
        }
}

void iso_on_control(struct cop_net *net, uint32_t port, uint64_t m)
{
    const iso_rules *r = cop_net_queue_common(net);
    iso_port *st = cop_net_queue_state(net, port);
    uint32_t kind = (uint32_t)(m >> 60), told = m >> 32 & 0xffff, value = (uint32_t)m;
    iso_line *o = iso_out_line(r, st, told);
    bool host = iso_at_host(net, port), queues = !host || cop_net_info(net)->injection_queues;
    bool applies = kind == ISO_MSG_ADD || (kind == ISO_MSG_ALLOCATE && r->by_path);
    switch (kind) {
    case ISO_MSG_ALLOCATE:
        *o = (iso_line){.used = true,
                        .hops = (uint8_t)((m >> 48 & 0xff) + 1),
                        .out_vl = m >> 56 & 0xf,
                        .root_port = value};
        st->told++;
        cop_net_queue_level(net)[ISO_LINES]++;
        break;
    case ISO_MSG_ADD:
        o->dst[o->n_dst++] = value;
        break;
    case ISO_MSG_STOP:
    case ISO_MSG_GO:
        o->stopped = kind == ISO_MSG_STOP;
        if (queues)
            each_line(net, r, port, told, kind == ISO_MSG_STOP, stop_or_go);
        break;
    default:
        o->used = o->stopped = false;
        st->told--;
        cop_net_queue_level(net)[ISO_LINES]--;
        if (queues)
            each_line(net, r, port, told, 0, leave);
    }
    if (queues && applies) {
        each_line(net, r, port, told, value, join);
        sort_heads(net, r, port, o);
    }
    if (host && (kind == ISO_MSG_GO || kind == ISO_MSG_DEALLOCATE))
        cop_net_queue_release(net, port);
}

bool iso_hold(struct cop_net *net, uint32_t port, uint32_t dst, uint32_t vl)
{
    const iso_rules *r = cop_net_queue_common(net);
    iso_port *st = cop_net_queue_state(net, port);
    uint32_t left = st->told;
    for (uint32_t i = 0; left > 0; i++) {
        const iso_line *l = iso_out_line(r, st, i);
        if (!l->used)
            continue;
        left--;
        if (l->stopped && iso_covers(net, r, l, port, dst, vl))
            return true;
    }
    return false;
}
