/* Isolation of congested flows: hooks for packets that come, reach the head of a queue or leave.
 * See iso.h. */
#include "queue/iso.h"

/* The special queue of packet p, among lines that are in use; ISO_NO_LINE if it belongs to none. */
static uint32_t find_line(struct cop_net *net, const iso_rules *r, iso_port *st, uint32_t port,
                          const cop_pkt *p)
{
    uint32_t best = ISO_NO_LINE, open = ISO_NO_LINE, oldest = 0;
    uint32_t out = iso_output(net, port, p->out), left = st->special;
    for (uint32_t i = 0; left > 0; i++) {
        const iso_line *l = iso_in_line(r, st, i);
        if (!l->used)
            continue;
        left--;
        if (l->out != p->out || l->out_vl != p->out_vl)
            continue;
        if (!iso_covers(net, r, l, out, p->dst, p->vl)) {
            if (l->root && l->n_dst < r->destinations && !r->fixed)
                open = i;
        } else if (best == ISO_NO_LINE || cop_counts_after(oldest, l->serial)) {
            best = i;
            oldest = l->serial;
        }
    }
    if (best != ISO_NO_LINE || open == ISO_NO_LINE)
        return best;
    /* It goes to a root of this switch whose line does not list its destination yet. */
    iso_learn(net, port, iso_in_line(r, st, open), open, p);
    return open;
}

/* The neighbour's line that p matches; of several, the one with the farthest root. */
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

/* Paper VI, 3.1.2: a line is allocated with the list (dList) of the line that it follows. Without a
 * table it is unknown which of these destinations come through this input, and on which lane. */
static void copy_list(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t told)
{
    const iso_rules *r = cop_net_queue_common(net);
    uint32_t out = iso_output(net, port, l->out);
    const iso_line *o = iso_out_line(r, cop_net_queue_state(net, out), told);
    if (r->by_path || !cop_net_info(net)->table)
        return;
    for (uint32_t i = 0; i < o->n_dst; i++)
        if (o->dst[i] >> ISO_LANE_SHIFT == l->out_vl &&
            iso_goes_by(net, port, o->dst[i] & ISO_DST_MASK, out))
            iso_list(net, port, l, line, o->dst[i]); /* a table changes no lane */
}

/* A special queue for a packet that matches a line of its output: the existing one of that line, or
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
    iso_learn(net, port, l, line, p);
    copy_list(net, port, l, line, told);
    iso_link(net, port, l, line, told);
    return line;
}

void iso_join_path(struct cop_net *net, const iso_rules *r, uint32_t port, uint32_t line,
                   const cop_pkt *p)
{
    iso_line *l = iso_in_line(r, cop_net_queue_state(net, port), line);
    if (l->next != ISO_NO_LINE)
        return;
    uint32_t told = find_told(net, r, iso_output(net, port, p->out), p);
    if (told != ISO_NO_LINE)
        iso_link(net, port, l, line, told);
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

/* The output of `head`, the head of q, is a root of this input already. */
static bool known_root(struct cop_net *net, const iso_rules *r, uint32_t port, const cop_pkt *head)
{
    iso_port *st = cop_net_queue_state(net, port);
    for (uint32_t i = 0; st->special && i < r->queues; i++) {
        const iso_line *l = iso_in_line(r, st, i);
        if (l->used && l->root && l->out == head->out && l->out_vl == head->out_vl)
            return true;
    }
    return false;
}

/* The head of q requests a root: a special queue for it, or ISO_NO_LINE if the root has one, whose
 * list is full, or none is free. */
static uint32_t take_root(struct cop_net *net, const iso_rules *r, uint32_t port, uint32_t q,
                          const cop_pkt *head)
{
    if (known_root(net, r, port, head))
        return ISO_NO_LINE;
    uint32_t line = iso_take(net, port, head->out, head->out_vl);
    if (line == ISO_NO_LINE)
        return ISO_NO_LINE;
    iso_line *l = iso_in_line(r, cop_net_queue_state(net, port), line);
    iso_make_root(net, port, l);
    judge_root(net, port, q);
    iso_learn(net, port, l, line, head);
    for (const cop_pkt *p = head; r->fixed && p != NULL; p = cop_net_queue_next(net, p))
        iso_learn(net, port, l, line, p); /* a queue of one output: all cross the root */
    return line;
}

/* Lines are in use at input `st` or output `out` that may match p, the head of q, or p defines a
 * root: returns its special queue, or q. Separate from iso_on_head, to keep the path without lines
 * short. */
__attribute__((noinline)) static uint32_t sort_head(struct cop_net *net, const iso_rules *r,
                                                    iso_port *st, const iso_port *out,
                                                    uint32_t port, uint32_t q, const cop_pkt *p)
{
    uint32_t line = st->special ? find_line(net, r, st, port, p) : ISO_NO_LINE;
    if (line == ISO_NO_LINE && out->told)
        line = copy_told(net, r, port, p);
    else if (line != ISO_NO_LINE && out->told && r->by_path)
        iso_join_path(net, r, port, line, p);
    if (COP_UNLIKELY(st->full == q + 1)) {
        st->full = 0;
        if (line == ISO_NO_LINE && cop_net_queue_bytes(net, port, q) > r->detect)
            line = take_root(net, r, port, q, p);
    }
    if (line == ISO_NO_LINE)
        return q;
    cop_net_queue_counter(net)[ISO_MOVED]++;
    if (cop_net_queue_bytes(net, port, line) == 0)
        iso_in_line(r, st, line)->waits_from = iso_passed(net, port, p->out)->normal_sent;
    iso_rose(net, port, iso_in_line(r, st, line), line,
             cop_net_queue_bytes(net, port, line) + p->bytes);
    if (r->own_lines && iso_in_line(r, st, q)->used)
        iso_fell(net, port, iso_in_line(r, st, q), q, cop_net_queue_bytes(net, port, q) - p->bytes);
    return line;
}

/* Supplement of Paper VI, 9.1: a queue that becomes free is used for hot flows that had to stay in
 * normal queues. on_head is called once per head; a blocked one must be rechecked. */
void iso_look_again(struct cop_net *net, uint32_t port, uint32_t freed)
{
    const iso_rules *r = cop_net_queue_common(net);
    iso_port *st = cop_net_queue_state(net, port);
    uint32_t normal = (r->voq ? iso_outputs(net, port) : 1) * r->lanes;
    st->refused = false;
    for (uint32_t q = r->queues; q < r->queues + normal; q++) {
        const cop_pkt *p = cop_net_queue_first(net, port, q);
        if (p == NULL || (p->flags & COP_PKT_CONTROL))
            continue;
        if (find_told(net, r, iso_output(net, port, p->out), p) != ISO_NO_LINE)
            cop_net_queue_recheck_after(net, port, q, freed);
    }
}

uint32_t iso_on_head(struct cop_net *net, uint32_t port, uint32_t q, cop_pkt *p)
{
    const iso_rules *r = cop_net_queue_common(net);
    if (q < r->queues)
        return q;
    iso_port *st = cop_net_queue_state(net, port);
    const iso_port *out = cop_net_queue_state(net, iso_output(net, port, p->out));
    if ((st->special | out->told | st->full) == 0 || (p->flags & COP_PKT_CONTROL))
        return q;
    return sort_head(net, r, st, out, port, q, p);
}

/* Queue q is above the threshold: its head's output is a root. It gets a special queue. Where the
 * routing gives a choice, the head may choose another output when it is routed, and takes the queue
 * then: one taken now might never get a packet, and never become free. */
static void isolate_root(struct cop_net *net, const iso_rules *r, uint32_t port, uint32_t q)
{
    const cop_pkt *head = cop_net_queue_first(net, port, q);
    iso_port *st = cop_net_queue_state(net, port);
    if (head->flags & COP_PKT_CONTROL)
        return;
    if (!cop_net_info(net)->one_path) {
        if (known_root(net, r, port, head) || !iso_may_take(net, port))
            return;
        st->full = q + 1;
    } else {
        if (st->special && find_line(net, r, st, port, head) != ISO_NO_LINE)
            return; /* it will move as soon as the previous packet has left */
        if (take_root(net, r, port, q, head) == ISO_NO_LINE)
            return;
    }
    cop_net_queue_recheck(net, port, q);
}

/* The same where the queue contains only packets for that output: it keeps them, and the line lists
 * their destinations. */
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
            if (!r->fixed)
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
    if (q < r->queues) {
        iso_in_line(r, st, q)->waits_from = iso_passed(net, port, p->out)->normal_sent;
        st->special_run++;
    } else {
        iso_passed(net, port, p->out)->normal_sent++;
        st->special_run = 0;
    }
    if (q >= r->queues && !r->own_lines)
        return;
    iso_line *l = iso_in_line(r, st, q);
    if (l->used)
        iso_fell(net, port, l, q, cop_net_queue_bytes(net, port, q));
}
