/* The books of the isolation schemes agree at any instant: lines in use with their counts and with the
 * queues they speak of, roots with the lines that are hot, what stops a queue with the line it follows;
 * and every rule of a line's life as far as one instant shows it. */
#include "net_fixture.h"

#include "queue/iso.h"

#include <string.h>

#define AGREE(a, b, ...)                                                                           \
    do {                                                                                           \
        int64_t have_ = (int64_t)(a), want_ = (int64_t)(b);                                        \
        if (have_ != want_) {                                                                      \
            char place_[128];                                                                      \
            fail_msg("%s at %.3f us, %s: %" PRId64 ", not %" PRId64, w->what,                      \
                     (double)w->net.now / 1e6, scn_text(place_, sizeof(place_), __VA_ARGS__),      \
                     have_, want_);                                                                \
        }                                                                                          \
    } while (0)

typedef struct count {
    int64_t special, full, lines, propagated, sent_stop, hot[512], max_special;
} count;

/* The head of a normal queue will move to the line's queue when the packet before it has left. */
static bool expected(cop_net *net, const iso_rules *r, uint32_t port, const iso_line *l)
{
    uint32_t normal = r->voq ? cop_topo_ports_of(net->topo, net->in[port].sw) : 1;
    for (uint32_t q = r->queues; q < r->queues + normal * r->lanes; q++) {
        const cop_pkt *p = cop_net_queue_first(net, port, q);
        if (p && p->out == l->out && p->out_vl == l->out_vl &&
            !net->queue[net->in[port].queue0 + q].posted)
            return true;
    }
    return false;
}

/* A line of an input that is in use. */
static void check_line(const net_lab *w, uint32_t port, uint32_t i, count *n)
{
    cop_net *net = (cop_net *)(uintptr_t)&w->net;
    const iso_rules *r = cop_net_queue_common(net);
    const iso_line *l = iso_in_line(r, cop_net_queue_state(net, port), i);
    uint32_t bytes = cop_net_queue_bytes(net, port, i), out = iso_output(net, port, l->out);
    n->lines++;
    n->propagated += l->propagated;
    n->sent_stop += l->sent_stop;
    n->hot[out] += l->hot;
    AGREE(l->n_dst <= r->destinations, 1, "list of line %u.%u", port, i);
    AGREE(l->sent_stop && !l->propagated, 0, "line %u.%u stops who does not know it", port, i);
    AGREE(l->hot && !l->root, 0, "line %u.%u is hot and no root", port, i);
    AGREE(l->root && l->next != ISO_NO_LINE, 0, "root line %u.%u follows another", port, i);
    if (l->root) {
        AGREE(l->hops, 1, "hops of root line %u.%u", port, i);
        AGREE(l->root_port, out, "root of line %u.%u", port, i);
    }
    /* What is above the upper threshold, or below the lower, has been acted upon. */
    if (l->root && bytes > r->high)
        AGREE(l->hot, 1, "root line %u.%u with %u bytes", port, i, bytes);
    if (bytes < r->low)
        AGREE(l->hot, 0, "root line %u.%u with %u bytes", port, i, bytes);
    if (i >= r->queues && !r->root_stop)
        AGREE(l->sent_stop, 0, "line %u.%u of a root's own queue stops", port, i);
    else if (bytes > r->stop)
        AGREE(l->sent_stop || r->tells_first || r->propagate == UINT32_MAX, 1,
              "line %u.%u with %u bytes goes on", port, i, bytes);
    if (bytes > r->propagate)
        AGREE(l->propagated, 1, "line %u.%u with %u bytes is known", port, i, bytes);
    if (bytes < r->go && bytes > 0)
        AGREE(l->sent_stop, 0, "line %u.%u with %u bytes stops", port, i, bytes);
    /* A list holds each entry once, and the packets of a special queue are of its output and lane. */
    for (uint32_t a = 0; a < l->n_dst; a++)
        for (uint32_t b = 0; b < a; b++)
            AGREE(l->dst[a] == l->dst[b], 0, "entry of line %u.%u twice", port, i);
    for (const cop_pkt *p = cop_net_queue_first(net, port, i); p != NULL;
         p = cop_net_queue_next(net, p)) {
        AGREE(p->out, l->out, "output of a packet of line %u.%u", port, i);
        AGREE(p->out_vl, l->out_vl, "lane of a packet of line %u.%u", port, i);
        if (!r->by_path && i < r->queues)
            AGREE(iso_lists(l, iso_entry(p->dst, p->vl)), 1, "packet of line %u.%u", port, i);
        AGREE(p->flags & COP_PKT_CONTROL && i < r->queues, 0, "control packet of line %u.%u", port,
              i);
    }
    if (i >= r->queues)
        return;
    const cop_queue *queue = &net->queue[net->in[port].queue0 + i];
    bool stopped = false;
    if (l->next != ISO_NO_LINE) {
        const iso_line *o = iso_out_line(r, cop_net_queue_state(net, out), l->next);
        AGREE(o->used, 1, "line that %u.%u follows", port, i);
        stopped = o->stopped;
    }
    AGREE(queue->stopped, stopped, "special queue %u.%u is stopped", port, i);
    AGREE(bytes == 0 && !stopped && !expected(net, r, port, l), 0,
          "empty special queue %u.%u is in use", port, i);
}

/* While a special queue is free no head of a told line waits in a normal one, but for the moment before it is
 * asked again. */
static void check_heads(const net_lab *w, uint32_t port)
{
    cop_net *net = (cop_net *)(uintptr_t)&w->net;
    const iso_rules *r = cop_net_queue_common(net);
    uint32_t normal = r->voq ? cop_topo_ports_of(net->topo, net->in[port].sw) : 1;
    for (uint32_t q = r->queues; q < r->queues + normal * r->lanes; q++) {
        const cop_queue *queue = &net->queue[net->in[port].queue0 + q];
        const cop_pkt *p = cop_net_queue_first(net, port, q);
        if (p == NULL || !queue->posted || queue->again || p->flags & COP_PKT_CONTROL)
            continue;
        uint32_t out = iso_output(net, port, p->out);
        for (uint32_t i = 0; i < r->lines; i++) {
            const iso_line *o = iso_out_line(r, cop_net_queue_state(net, out), i);
            AGREE(o->used && iso_covers(net, r, o, out, p->dst, p->out_vl), 0,
                  "head of queue %u.%u waits", port, q);
        }
    }
}

static void check_port(const net_lab *w, uint32_t port, count *n)
{
    cop_net *net = (cop_net *)(uintptr_t)&w->net;
    const iso_rules *r = cop_net_queue_common(net);
    iso_port *st = cop_net_queue_state(net, port);
    int64_t special = 0, told = 0;
    for (uint32_t i = 0; port < net->host_port0 && i < r->lines; i++) {
        if (!iso_in_line(r, st, i)->used) {
            if (i < r->queues)
                AGREE(cop_net_queue_bytes(net, port, i), 0, "free special queue %u.%u", port, i);
            continue;
        }
        special += i < r->queues;
        check_line(w, port, i, n);
    }
    for (uint32_t i = 0; i < r->lines; i++)
        told += iso_out_line(r, st, i)->used;
    AGREE(st->special, special, "special queues of port %u", port);
    AGREE(st->told, told, "lines told to port %u", port);
    n->lines += told;
    n->special += special;
    if (port < net->host_port0 && special < r->queues)
        check_heads(w, port);
    n->full += r->queues > 0 && special == r->queues;
    n->max_special = special > n->max_special ? special : n->max_special;
}

static bool look(void *ctx, cop_time now, cop_time end, uint64_t hops)
{
    net_lab *w = ctx;
    cop_net *net = &w->net;
    const iso_rules *r = cop_net_queue_common(net);
    const int64_t *level = cop_net_queue_level(net);
    const uint64_t *c = cop_net_queue_counter(net);
    count n = {0};
    int64_t inputs = 0;
    (void)now, (void)end, (void)hops;
    assert_true(net->topo->n_ports <= COP_LEN(n.hot));
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        check_port(w, p, &n);
        inputs += p < net->host_port0 && net->in[p].from != COP_NONE;
    }
    for (uint32_t p = 0; p < net->host_port0; p++)
        AGREE(net->roots[p], n.hot[p], "queues that hold port %u to be a root", p);
    AGREE(level[ISO_USED], n.special, "special queues in use");
    AGREE(level[ISO_FREE], inputs * r->queues - n.special, "special queues free");
    AGREE(level[ISO_PORTS_FULL], n.full, "ports without a free one");
    AGREE(level[ISO_LINES], n.lines, "lines");
    AGREE(c[ISO_TAKEN] - c[ISO_FREED], n.special, "taken and not freed");
    AGREE(c[ISO_SENT_ALLOCATE] - c[ISO_SENT_DEALLOCATE], n.propagated, "told and not taken back");
    /* A line that is given back takes its stop along. */
    AGREE((int64_t)(c[ISO_SENT_STOP] - c[ISO_SENT_GO]) >= n.sent_stop, 1, "stopped");
    w->looks += n.special > 0;
    return false;
}

static void each(const char *const *const *sets, size_t n)
{
    static const char tree[] =
        "run: {duration: 200 us, sample: 613 ns}\n"
        "topology: {kind: kary-ntree, k: 3, n: 3}\n"
        "link: {rate: 10 Gbit/s, delay: 70 ns}\n"
        "switch: {buffer: 64 KiB}\n"
        "nic: {mtu: 2 KiB, ack: message}\n"
        "traffic:\n"
        "  - {name: hot, from: [1, 4, 9, 13, 18], pattern: fixed, to: 0, stop: 90 us}\n"
        "  - {name: too, from: [2, 5, 10, 20, 21], pattern: fixed, to: 12, start: 40 us}\n"
        "  - {name: rest, from: all, pattern: uniform, arrival: poisson, load: 30 %, message: 3 "
        "kB}\n";
    for (size_t i = 0; i < n; i++) {
        char what[256] = "";
        size_t k = 0;
        for (; sets[i][k] != NULL; k++) {
            strcat(what, sets[i][k]);
            strcat(what, " ");
        }
        net_lab *w = lab_build(tree, sets[i], k);
        w->what = what;
        cop_net_run(&w->net, look, w);
        if (w->net.stop != COP_OUTCOME_OK)
            fail_msg("%s: %s", what, w->net.why);
        if (strstr(what, "queues=0") == NULL)
            AGREE(w->looks > 50, 1, "samples with special queues: %u", w->looks);
        lab_free(w);
    }
}

#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

static void one_read_port(void **state)
{
    (void)state;
    const char *const *const sets[] = {
        SET("queueing.kind=fbicm", "switch.architecture=iq"),
        SET("queueing.kind=fbicm", "switch.architecture=iq", "queueing.propagate=high"),
        SET("queueing.kind=fbicm", "switch.architecture=cioq", "queueing.queues=1",
            "queueing.destinations=4"),
        SET("queueing.kind=fbicm", "switch.architecture=iq", "queueing.stop=3", "queueing.go=2"),
        SET("queueing.kind=recn", "switch.architecture=iq"),
        SET("queueing.kind=recn", "switch.architecture=cioq", "queueing.queues=1",
            "queueing.priority=congested-first"),
        SET("queueing.kind=fbicm", "switch.architecture=iq", "switch.lanes=2",
            "queueing.priority=age", "queueing.queues=4"),
    };
    each(sets, COP_LEN(sets));
}

static void queues_of_outputs(void **state)
{
    (void)state;
    const char *const *const sets[] = {
        SET("queueing={kind: hfdi, local: no}"),
        SET("queueing={kind: hfdi, local: no}", "queueing.root_stop=yes"),
        SET("queueing={kind: hfdi, local: no}", "queueing.second=crossing", "queueing.queues=3"),
        SET("queueing={kind: hfdi, local: no}", "queueing.list=detected"),
        SET("queueing.kind=hfdi", "queueing.list=detected", "queueing.local=yes"),
        SET("queueing.kind=hfdi", "queueing.local=yes", "queueing.queues=4"),
        SET("queueing.kind=hfdi", "queueing.destinations=1", "queueing.queues=1"),
        SET("queueing.kind=hfdi", "queueing.queues=0"),
        SET("queueing.kind=hfdi", "queueing.lifetime=1 us", "queueing.high=2", "queueing.low=1"),
        SET("queueing.kind=hfdi", "cc.kind=ecocc", "queueing.priority=round-robin"),
    };
    each(sets, COP_LEN(sets));
}

/* The head for which a root is found may choose another output when it is asked. */
static void choices(void **state)
{
    (void)state;
    const char *const *const sets[] = {
        SET("routing.kind=adaptive-tree", "queueing.kind=fbicm", "switch.architecture=iq"),
        SET("routing.kind=adaptive-tree", "queueing={kind: fbicm, propagate: high, detect: 2}",
            "switch.architecture=iq"),
        SET("routing.kind=adaptive-tree", "queueing={kind: fbicm, queues: 8, destinations: 4}",
            "switch.architecture=cioq", "switch.lanes=2"),
        SET("routing.kind=adaptive-tree", "queueing.kind=hfdi", "queueing.queues=4"),
        SET("routing.kind=adaptive-tree", "queueing.kind=hfdi", "queueing.list=detected"),
        SET("routing.kind=adaptive-tree", "queueing={kind: hfdi, local: no}"),
    };
    each(sets, COP_LEN(sets));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_read_port),
        cmocka_unit_test(choices),
        cmocka_unit_test(queues_of_outputs),
    };
    return cmocka_run_group_tests_name("isolation_state", tests, NULL, NULL);
}
