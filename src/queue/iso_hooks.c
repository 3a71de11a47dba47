/* Isolation of congested flows: what happens when packets come, reach the head of a queue or leave,
 * and when a neighbour sends a message. See iso.h. */
#include "queue/iso.h"

/* -- inputs -- */

/* The special queue of packet p, among lines that are in use; ISO_NO_LINE if it belongs to none. */
static uint32_t find_line(struct cop_net *net, const iso_rules *r, iso_port *st, uint32_t port,
                          const cop_pkt *p)
{
    uint32_t best = ISO_NO_LINE, open = ISO_NO_LINE, oldest = UINT32_MAX;
    uint32_t out = iso_output(net, port, p->out);
    for (uint32_t i = 0; i < r->queues; i++) {
        const iso_line *l = iso_in_line(r, st, i);
        if (!l->used || l->out != p->out || l->out_vl != p->out_vl)
            continue;
        if (!iso_covers(net, r, l, out, p->dst, p->vl)) {
            if (l->root && l->n_dst < r->destinations)
                open = i;
        } else if (l->serial < oldest) {
            best = i;
            oldest = l->serial;
        }
    }
    if (best != ISO_NO_LINE || open == ISO_NO_LINE)
        return best;
    /* It goes to a root of this switch that had not seen its destination yet. */
    iso_learn(net, port, iso_in_line(r, st, open), open, p);
    return open;
}

/* What the neighbour downstream has told about packets like p: the line with the farthest root. */
static uint32_t find_told(struct cop_net *net, const iso_rules *r, uint32_t out, const cop_pkt *p)
{
    iso_port *st = cop_net_queue_state(net, out);
    uint32_t best = ISO_NO_LINE, hops = 0, left = st->told;
    for (uint32_t i = 0; left > 0; i++) {
        const iso_line *l = iso_out_line(r, st, i);
        if (!l->used)
            continue;
        left--;
        if (l->hops > hops && iso_covers(net, r, l, out, p->dst, p->out_vl)) {
            best = i;
            hops = l->hops;
        }
    }
    return best;
}

/* A special queue for a packet that a line of its output names: one that is there for that line, or
 * a free one. */
static uint32_t copy_told(struct cop_net *net, const iso_rules *r, uint32_t port, const cop_pkt *p)
{
    iso_port *st = cop_net_queue_state(net, port);
    uint32_t out = iso_output(net, port, p->out);
    uint32_t told = find_told(net, r, out, p);
    if (told == ISO_NO_LINE)
        return ISO_NO_LINE;
    for (uint32_t i = 0; st->special && i < r->queues; i++) {
        iso_line *l = iso_in_line(r, st, i);
        if (l->used && l->out == p->out && l->out_vl == p->out_vl && l->next == told &&
            l->n_dst < r->destinations) {
            iso_learn(net, port, l, i, p);
            return i;
        }
    }
    uint32_t line = iso_take(net, port, p->out, p->out_vl);
    if (line == ISO_NO_LINE)
        return ISO_NO_LINE;
    iso_line *l = iso_in_line(r, st, line);
    iso_learn(net, port, l, line, p); /* others of the line's list follow when they come */
    iso_link(net, port, l, line, told);
    return line;
}

/* by_path: the line of p is of a root here, but p also goes to one that the neighbour has told of. */
static void join_path(struct cop_net *net, const iso_rules *r, uint32_t port, uint32_t line,
                      const cop_pkt *p)
{
    iso_line *l = iso_in_line(r, cop_net_queue_state(net, port), line);
    if (l->next != ISO_NO_LINE)
        return;
    uint32_t told = find_told(net, r, iso_output(net, port, p->out), p);
    if (told != ISO_NO_LINE)
        iso_link(net, port, l, line, told);
}

/* Lines are in use at input `st` or output `out` that may name p, the head of q: its special queue, or q. Apart from iso_on_head so
 * that a head which meets no line pays for none. */
__attribute__((noinline)) static uint32_t sort_head(struct cop_net *net, const iso_rules *r,
                                                    iso_port *st, const iso_port *out,
                                                    uint32_t port, uint32_t q, const cop_pkt *p)
{
    uint32_t line = st->special ? find_line(net, r, st, port, p) : ISO_NO_LINE;
    if (line == ISO_NO_LINE && out->told)
        line = copy_told(net, r, port, p);
    else if (line != ISO_NO_LINE && out->told && r->by_path)
        join_path(net, r, port, line, p);
    if (line == ISO_NO_LINE)
        return q;
    cop_net_queue_counter(net)[ISO_MOVED]++;
    if (cop_net_queue_bytes(net, port, line) == 0)
        iso_in_line(r, st, line)->waits_from = st->normal_sent;
    iso_rose(net, port, iso_in_line(r, st, line), line,
             cop_net_queue_bytes(net, port, line) + p->bytes);
    if (r->own_lines && iso_in_line(r, st, q)->used)
        iso_fell(net, port, iso_in_line(r, st, q), q, cop_net_queue_bytes(net, port, q) - p->bytes);
    return line;
}

uint32_t iso_on_head(struct cop_net *net, uint32_t port, uint32_t q, cop_pkt *p)
{
    const iso_rules *r = cop_net_queue_common(net);
    if (q < r->queues)
        return q;
    iso_port *st = cop_net_queue_state(net, port);
    const iso_port *out = cop_net_queue_state(net, iso_output(net, port, p->out));
    if ((st->special == 0 && out->told == 0) || (p->flags & COP_PKT_CONTROL))
        return q;
    return sort_head(net, r, st, out, port, q, p);
}

/* Count a root that is not the output which most packets of the full queue wait for. */
static void judge_root(struct cop_net *net, uint32_t port, uint32_t q)
{
    const cop_pkt *head = cop_net_queue_first(net, port, q);
    uint32_t same = 0, other = 0;
    for (const cop_pkt *p = head; p != NULL; p = cop_net_queue_next(net, p))
        *(p->out == head->out ? &same : &other) += 1;
    cop_net_queue_counter(net)[ISO_DOUBTFUL] += same < other;
}

/* Queue q is above the threshold: its head's output is a root. It gets a special queue. */
static void isolate_root(struct cop_net *net, const iso_rules *r, uint32_t port, uint32_t q)
{
    const cop_pkt *head = cop_net_queue_first(net, port, q);
    iso_port *st = cop_net_queue_state(net, port);
    if (head->flags & COP_PKT_CONTROL)
        return;
    if (st->special && find_line(net, r, st, port, head) != ISO_NO_LINE)
        return; /* it will move as soon as the one before it has left */
    for (uint32_t i = 0; st->special && i < r->queues; i++) {
        const iso_line *l = iso_in_line(r, st, i);
        if (l->used && l->root && l->out == head->out && l->out_vl == head->out_vl)
            return; /* known, but its list is full */
    }
    uint32_t line = iso_take(net, port, head->out, head->out_vl);
    if (line == ISO_NO_LINE)
        return;
    iso_line *l = iso_in_line(r, st, line);
    iso_make_root(net, port, l);
    judge_root(net, port, q);
    iso_learn(net, port, l, line, head);
    cop_net_queue_recheck(net, port, q);
}

/* The same where the queue holds nothing but packets for that output: it keeps them, and the line
 * lists whom they are for. */
static void line_of_voq(struct cop_net *net, const iso_rules *r, uint32_t port, uint32_t q)
{
    iso_port *st = cop_net_queue_state(net, port);
    iso_line *l = iso_in_line(r, st, q);
    const cop_pkt *p = cop_net_queue_first(net, port, q);
    *l = (iso_line){.used = true, .out = p->out, .out_vl = p->out_vl, .next = ISO_NO_LINE};
    cop_net_queue_level(net)[ISO_LINES]++;
    iso_make_root(net, port, l);
    judge_root(net, port, q);
    for (; p != NULL; p = cop_net_queue_next(net, p))
        iso_learn(net, port, l, q, p);
    iso_rose(net, port, l, q, cop_net_queue_bytes(net, port, q));
}

void iso_on_enqueue(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    const iso_rules *r = cop_net_queue_common(net);
    if (q >= r->control0)
        return;
    uint32_t bytes = cop_net_queue_bytes(net, port, q);
    if (r->own_lines) {
        iso_line *l = iso_in_line(r, cop_net_queue_state(net, port), q);
        if (l->used) {
            iso_learn(net, port, l, q, p);
            iso_rose(net, port, l, q, bytes);
            return;
        }
    }
    if (bytes <= r->detect)
        return;
    if (r->own_lines)
        line_of_voq(net, r, port, q);
    else
        isolate_root(net, r, port, q);
}

void iso_on_dequeue(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    const iso_rules *r = cop_net_queue_common(net);
    if (q >= r->control0)
        return;
    iso_port *st = cop_net_queue_state(net, port);
    (void)p;
    if (q < r->queues) {
        iso_in_line(r, st, q)->waits_from = st->normal_sent;
        st->special_run++;
    } else {
        st->normal_sent++;
        st->special_run = 0;
    }
    if (q >= r->queues && !r->own_lines)
        return;
    iso_line *l = iso_in_line(r, st, q);
    if (l->used)
        iso_fell(net, port, l, q, cop_net_queue_bytes(net, port, q));
}

/* -- outputs: messages from downstream -- */

/* Call `act` for every special queue in use of packets for output `out`. */
typedef void (*line_fn)(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line,
                        uint32_t told, uint32_t value);

static void each_line(struct cop_net *net, const iso_rules *r, uint32_t out, uint32_t told,
                      uint32_t value, line_fn act)
{
    const cop_topo *t = cop_net_info(net)->topo;
    uint32_t sw = t->port[out].owner;
    for (uint32_t port = t->sw_port0[sw]; port < t->sw_port0[sw + 1]; port++) {
        iso_port *st = cop_net_queue_state(net, port);
        for (uint32_t i = 0; st->special && i < r->queues; i++) {
            iso_line *l = iso_in_line(r, st, i);
            if (l->used && l->out == t->port[out].local)
                act(net, port, l, i, told, value);
        }
    }
}

/* A line that this switch had found by itself turns out to be a branch of a larger tree. */
static void join(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t told,
                 uint32_t entry)
{
    const iso_rules *r = cop_net_queue_common(net);
    const uint32_t dst_mask = iso_entry(0, 1) - 1;
    if (r->by_path) {
        for (const cop_pkt *p = cop_net_queue_first(net, port, line); p && l->next == ISO_NO_LINE;
             p = cop_net_queue_next(net, p))
            join_path(net, r, port, line, p);
        return;
    }
    if (l->next != ISO_NO_LINE || l->out_vl != entry >> ISO_LANE_SHIFT)
        return;
    for (uint32_t i = 0; i < l->n_dst; i++)
        if (((l->dst[i] ^ entry) & dst_mask) == 0) {
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

/* The line that a special queue followed is gone. It follows the one with the farthest root among the others
 * that list a destination of its own; nobody will tell it of that one again. False: there is none. */
static bool follow_other(struct cop_net *net, const iso_rules *r, uint32_t port, iso_line *l,
                         uint32_t line)
{
    iso_port *st = cop_net_queue_state(net, iso_output(net, port, l->out));
    const uint32_t dst_mask = iso_entry(0, 1) - 1;
    uint32_t best = ISO_NO_LINE, hops = 0, left = r->by_path ? 0 : st->told;
    for (uint32_t i = 0; left > 0; i++) {
        const iso_line *o = iso_out_line(r, st, i);
        if (!o->used)
            continue;
        left--;
        for (uint32_t k = 0; k < l->n_dst && o->hops > hops; k++)
            if (iso_lists(o, iso_entry(l->dst[k] & dst_mask, l->out_vl))) {
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

static void leave(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t told,
                  uint32_t unused)
{
    const iso_rules *r = cop_net_queue_common(net);
    (void)unused;
    if (l->next != told)
        return;
    l->next = ISO_NO_LINE;
    if (!follow_other(net, r, port, l, line)) {
        if (!r->own_lines && (!r->by_path || l->hops == 1))
            iso_make_root(net, port, l); /* if there is still congestion, it is here */
        cop_net_queue_stop(net, port, line, false);
    }
    if (cop_net_queue_bytes(net, port, line) == 0)
        iso_fell(net, port, l, line, 0);
}

/* Heads that wait for output `out` and belong to its line `told` find their special queue. */
static void sort_heads(struct cop_net *net, const iso_rules *r, uint32_t out, const iso_line *told)
{
    const cop_topo *t = cop_net_info(net)->topo;
    uint32_t sw = t->port[out].owner, local = t->port[out].local;
    for (uint32_t port = t->sw_port0[sw]; port < t->sw_port0[sw + 1]; port++)
        for (uint32_t vl = 0; vl < r->lanes; vl++) {
            uint32_t q = r->queues + (r->voq ? local * r->lanes + vl : vl);
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
    bool host = cop_topo_is_host_port(cop_net_info(net)->topo, port);
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
        if (!host)
            each_line(net, r, port, told, kind == ISO_MSG_STOP, stop_or_go);
        break;
    default:
        o->used = o->stopped = false;
        st->told--;
        cop_net_queue_level(net)[ISO_LINES]--;
        if (!host)
            each_line(net, r, port, told, 0, leave);
    }
    if (host) {
        if (kind == ISO_MSG_GO || kind == ISO_MSG_DEALLOCATE)
            cop_net_queue_release(net, port);
    } else if (applies) {
        each_line(net, r, port, told, value, join);
        sort_heads(net, r, port, o);
    }
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
