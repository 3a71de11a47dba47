/* Isolation of congested flows: the life of a CAM line. See iso.h. */
#include "queue/iso.h"

/* Count a special queue of this port that is taken, or freed; `full`: the port has, or had, no
 * other free. */
static void count_taken(struct cop_net *net, uint32_t port, bool full, bool taken)
{
    int64_t *level = cop_net_queue_level(net), change = taken ? 1 : -1;
    level[ISO_LINES] += change;
    if (iso_at_host(net, port))
        return;
    cop_net_queue_counter(net)[taken ? ISO_TAKEN : ISO_FREED]++;
    level[ISO_USED] += change;
    level[ISO_FREE] -= change;
    level[ISO_PORTS_FULL] += full ? change : 0;
}

bool iso_may_take(struct cop_net *net, uint32_t port)
{
    const iso_rules *r = cop_net_queue_common(net);
    iso_port *st = cop_net_queue_state(net, port);
    if (st->special < r->queues)
        return true;
    cop_net_queue_counter(net)[ISO_NO_QUEUE] += !iso_at_host(net, port);
    st->refused = true;
    return false;
}

uint32_t iso_take(struct cop_net *net, uint32_t port, uint32_t out, uint32_t vl)
{
    const iso_rules *r = cop_net_queue_common(net);
    iso_port *st = cop_net_queue_state(net, port);
    if (!iso_may_take(net, port))
        return ISO_NO_LINE;
    uint32_t i = 0;
    while (iso_in_line(r, st, i)->used)
        i++;
    iso_line *l = iso_in_line(r, st, i);
    *l = (iso_line){.used = true,
                    .hops = 1,
                    .out = (uint16_t)out,
                    .out_vl = (uint8_t)vl,
                    .next = ISO_NO_LINE,
                    .root_port = iso_output(net, port, out),
                    .serial = st->serial++};
    st->special++;
    count_taken(net, port, st->special == r->queues, true);
    iso_line_says(net, port, l, "taken");
    return i;
}

void iso_make_root(struct cop_net *net, uint32_t port, iso_line *l)
{
    l->root = true;
    l->hops = 1;
    l->root_port = iso_output(net, port, l->out);
    cop_net_queue_counter(net)[ISO_ROOTS]++;
    iso_line_says(net, port, l, "found a root");
}

static void set_hot(struct cop_net *net, uint32_t port, iso_line *l, bool hot)
{
    if (l->hot == hot)
        return;
    l->hot = hot;
    cop_net_queue_root(net, iso_output(net, port, l->out), hot);
}

static void send(struct cop_net *net, uint32_t port, unsigned kind, uint32_t line, uint32_t value)
{
    cop_net_queue_send(net, port, iso_message(kind, line, value));
}

void iso_tell(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line)
{
    const iso_rules *r = cop_net_queue_common(net);
    l->propagated = true;
    l->may_stop = !r->by_crossing;
    cop_net_queue_send(net, port, iso_allocate(line, l));
    for (uint32_t i = 0; !r->by_path && i < l->n_dst; i++)
        send(net, port, ISO_MSG_ADD, line, l->dst[i]);
    cop_net_queue_counter(net)[ISO_SENT_ALLOCATE]++;
}

void iso_list(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t entry)
{
    const iso_rules *r = cop_net_queue_common(net);
    if (l->n_dst == r->destinations || iso_lists(l, entry))
        return;
    l->dst[l->n_dst++] = entry;
    if (l->propagated && !r->by_path)
        send(net, port, ISO_MSG_ADD, line, entry);
}

void iso_link(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t next)
{
    const iso_rules *r = cop_net_queue_common(net);
    const iso_line *o =
        iso_out_line(r, cop_net_queue_state(net, iso_output(net, port, l->out)), next);
    set_hot(net, port, l, false);
    l->root = false;
    l->next = (uint16_t)next;
    if (!r->by_path || cop_net_queue_bytes(net, port, line) == 0) {
        l->hops = o->hops;
        l->root_port = o->root_port;
    } /* else it still covers the packets in its queue, so that none is overtaken */
    if (o->stopped)
        cop_net_queue_stop(net, port, line, true);
}

static bool stops_now(const iso_rules *r, const iso_line *l, uint32_t line, uint32_t bytes)
{
    return bytes > r->stop && !l->sent_stop && l->may_stop && (line < r->queues || r->root_stop);
}

void iso_rose(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t bytes)
{
    const iso_rules *r = cop_net_queue_common(net);
    if (bytes > r->high) {
        l->high_at = cop_net_now(net);
        if (l->root)
            set_hot(net, port, l, true);
    }
    if (!l->propagated) {
        if (bytes <= r->propagate || iso_at_host(net, port))
            return; /* an end node has no neighbour upstream */
        iso_tell(net, port, l, line);
        if (r->tells_first)
            return;
    }
    if (stops_now(r, l, line, bytes)) {
        l->sent_stop = true;
        send(net, port, ISO_MSG_STOP, line, 0);
        cop_net_queue_counter(net)[ISO_SENT_STOP]++;
    }
}

static bool told_to_stop(struct cop_net *net, uint32_t port, const iso_line *l)
{
    const iso_rules *r = cop_net_queue_common(net);
    return l->next != ISO_NO_LINE &&
           iso_out_line(r, cop_net_queue_state(net, iso_output(net, port, l->out)), l->next)
               ->stopped;
}

static void release(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line)
{
    const iso_rules *r = cop_net_queue_common(net);
    iso_port *st = cop_net_queue_state(net, port);
    set_hot(net, port, l, false);
    if (l->propagated) {
        send(net, port, ISO_MSG_DEALLOCATE, line, 0);
        cop_net_queue_counter(net)[ISO_SENT_DEALLOCATE]++;
    }
    l->used = false;
    iso_line_says(net, port, l, "free again");
    if (line >= r->queues) {
        cop_net_queue_level(net)[ISO_LINES]--;
        return;
    }
    if (told_to_stop(net, port, l)) /* the stop must not apply to the next line of the queue */
        cop_net_queue_stop(net, port, line, false);
    count_taken(net, port, st->special == r->queues, false);
    st->special--;
    if (st->refused)
        iso_look_again(net, port, line);
}

void iso_fell(struct cop_net *net, uint32_t port, iso_line *l, uint32_t line, uint32_t bytes)
{
    const iso_rules *r = cop_net_queue_common(net);
    if (bytes < r->low)
        set_hot(net, port, l, false);
    if (bytes <= r->stop)
        l->may_stop = true;
    bool over = bytes == 0;
    if (line >= r->queues) /* a normal queue may never be empty: its line has a lifetime */
        over = over || (bytes < r->low && cop_net_now(net) - l->high_at > r->lifetime_ps);
    if (over && !(r->needs_go && told_to_stop(net, port, l))) {
        release(net, port, l, line);
    } else if (l->sent_stop && bytes < r->go) {
        l->sent_stop = false;
        send(net, port, ISO_MSG_GO, line, 0);
        cop_net_queue_counter(net)[ISO_SENT_GO]++;
    }
}
