/* The congestion control interface of net/cc.h, with a control made for the test: outputs with many
 * waiting bytes mark, destinations answer with a notification, sources pause. Also: notifications go
 * before data, whatever the end node has to send. */
#include "net/cc.h"
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define THRESHOLD_BYTES 16384
#define PAUSE (50 * COP_US)

typedef struct book { /* the control's configuration: what it saw */
    uint64_t enqueued, left, marked, answered, heard, sent;
    uint64_t without_credit;
    cop_time slowest; /* notification: from its making until it was heard */
} book;

typedef struct pause_flow {
    cop_time next;
} pause_flow;

typedef struct pause_port {
    uint64_t marked;
} pause_port;

/* The network hands the configuration out as const; this one is the test's own. */
static book *book_of(const struct cop_net *net)
{
    union {
        const void *in;
        book *out;
    } u = {.in = cop_net_cc_cfg(net)};
    return u.out;
}

static void on_enqueue(struct cop_net *net, uint32_t in, uint32_t port, cop_pkt *p)
{
    (void)in;
    book_of(net)->enqueued++;
    assert_true(cop_net_waiting_bytes(net, port) >= p->bytes); /* it counts itself */
}

static void on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    book_of(net)->left++;
    book_of(net)->without_credit += !cop_net_has_credit(net, port, p);
    if (cop_net_waiting_bytes(net, port) > THRESHOLD_BYTES && !(p->flags & COP_PKT_CONTROL)) {
        p->flags |= COP_PKT_FECN;
        ((pause_port *)cop_net_cc_port(net, port))->marked++;
        book_of(net)->marked++;
    }
}

static uint16_t on_deliver(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    assert_int_equal(p->dst, host);
    assert_false(p->flags & COP_PKT_CONTROL); /* control packets are not answered */
    if (!(p->flags & COP_PKT_FECN))
        return 0;
    book_of(net)->answered++;
    return COP_PKT_CNP | COP_PKT_BECN;
}

static void on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    book *b = book_of(net);
    assert_int_equal(p->flags & (COP_PKT_CNP | COP_PKT_BECN), COP_PKT_CNP | COP_PKT_BECN);
    assert_int_equal(p->src, 1); /* the hot host says so */
    b->heard++;
    b->slowest = cop_max64(b->slowest, p->t_tail - p->t_gen);
    ((pause_flow *)flow)->next = cop_net_now(net) + PAUSE;
}

static cop_time next_send(struct cop_net *net, void *flow, cop_time now)
{
    (void)net, (void)now;
    return ((const pause_flow *)flow)->next;
}

static void on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    (void)p;
    book_of(net)->sent++;
    assert_true(((const pause_flow *)flow)->next <= cop_net_now(net)); /* not while it pauses */
}

static const cop_cc_ops pausing = {.name = "pausing",
                                   .flow_size = sizeof(pause_flow),
                                   .port_size = sizeof(pause_port),
                                   .at_switch.on_enqueue = on_enqueue,
                                   .at_switch.on_dequeue = on_dequeue,
                                   .at_source.next_send = next_send,
                                   .at_source.on_send = on_send,
                                   .at_source.on_control = on_control,
                                   .at_destination.on_deliver = on_deliver};

/* Hosts 0 and 3 overload host 1, which itself sends to host 2 as fast as it can. */
static const char yaml[] = "run: {duration: 5 ms, flows: yes}\n"
                           "topology: {kind: single, hosts: 4}\n"
                           "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                           "switch: {buffer: 64 KiB, pipeline: 100 ns, header: 64 B}\n"
                           "nic: {control_bytes: 64 B}\n"
                           "traffic:\n"
                           "  - {name: hot, from: [0, 3], pattern: fixed, to: 1}\n"
                           "  - {name: busy, from: [1], pattern: fixed, to: 2}\n";

static void test_every_hook(void **state)
{
    (void)state;
    cop_config c;
    cop_result r;
    cop_err err = {0};
    book b = {0};
    assert_int_equal(cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err), 0);
    c.cc = &pausing;
    c.cc_cfg = &b;
    assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_int_equal(b.sent + b.answered, r.packets_injected + (b.answered - b.heard));
    assert_in_range(b.enqueued - b.left, 0, 200);
    assert_true(b.marked > 100 && b.answered > 100);
    assert_in_range(b.marked - b.answered, 0, 1); /* one may still be on its way */
    assert_in_range(b.answered - b.heard, 0, 1);
    assert_int_equal(b.without_credit, 0); /* hosts take everything at link rate */
    /* The pauses show: less than the link, more than one packet per pause. */
    assert_true(scn_gbps(&r, "hot") < 9.5 && scn_gbps(&r, "hot") > 0.4);
    assert_true(scn_gbps(&r, "busy") > 9.8);
    cop_result_free(&r);
    cop_config_free(&c);
}

/* At most one data packet, the one on the wire, goes before a notification (gran1-28): one packet time
 * of host 1, then header and pipeline of the switch, two cables, and the notification itself. */
static void test_notifications_go_first(void **state)
{
    (void)state;
    const cop_time packet = 2048 * 800, small = 64 * 800;
    cop_config c;
    cop_result r;
    cop_err err = {0};
    book b = {0};
    assert_int_equal(cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err), 0);
    c.cc = &pausing;
    c.cc_cfg = &b;
    assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
    cop_time path = small + 100 * COP_NS + 2 * 20 * COP_NS + small;
    assert_true(b.heard > 100);
    assert_in_range(b.slowest, path + 1, path + packet); /* some waited, none for longer */
    cop_result_free(&r);
    cop_config_free(&c);
}

/* -- a control that wants to know one thing only -- */

#define SWITCH_PORTS 8

typedef struct tally { /* the control's configuration */
    uint64_t calls, bytes_in, bytes_out, wrong;
    uint32_t fill[SWITCH_PORTS][SWITCH_PORTS]; /* [input][output] as told so far */
} tally;

static tally *tally_of(const struct cop_net *net)
{
    union {
        const void *in;
        tally *out;
    } u = {.in = cop_net_cc_cfg(net)};
    u.out->calls++;
    return u.out;
}

static void tally_enqueue(struct cop_net *net, uint32_t in, uint32_t port, cop_pkt *p)
{
    (void)in;
    tally *t = tally_of(net);
    t->bytes_in += p->bytes;
    t->wrong += port != p->dst; /* a single switch: host h is at its port h */
}

static void tally_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    tally *t = tally_of(net);
    t->bytes_out += p->bytes;
    t->wrong += port != p->dst;
}

/* What it is told goes on where it was told last time, and never goes down to less than nothing. */
static void tally_fill(struct cop_net *net, uint32_t in, uint32_t out, uint32_t before,
                       uint32_t after, const cop_pkt *p)
{
    tally *t = tally_of(net);
    assert_true(in < SWITCH_PORTS && out < SWITCH_PORTS && p->out_vl == 0);
    t->wrong += in != p->src || out != p->dst;
    t->wrong += t->fill[in][out] != before;
    t->fill[in][out] = after;
    *(after > before ? &t->bytes_in : &t->bytes_out) +=
        after > before ? after - before : before - after;
}

/* Told when the last byte has left, which is not yet now. */
static cop_time tally_credit(struct cop_net *net, uint32_t in, uint32_t vl, uint32_t bytes,
                             cop_time t)
{
    tally *own = tally_of(net);
    own->bytes_out += bytes;
    own->wrong += in >= SWITCH_PORTS || vl != 0 || t != cop_net_now(net) + (cop_time)bytes * 800;
    return t;
}

/* Each hook works without the others: it is called for every packet that passes the switch, once, or
 * (fill) as it comes and as it goes. */
static void test_each_hook_alone(void **state)
{
    (void)state;
    static const struct {
        cop_cc_ops ops;
        unsigned in, out;
    } alone[] = {{{.name = "alone", .at_switch.on_enqueue = tally_enqueue}, 1, 0},
                 {{.name = "alone", .at_switch.on_dequeue = tally_dequeue}, 0, 1},
                 {{.name = "alone", .at_switch.on_fill = tally_fill}, 1, 1},
                 {{.name = "alone", .at_switch.credit_time = tally_credit}, 0, 1}};
    static const char *const queueings[] = {"queueing.kind=voqsw", "queueing.kind=1q"};
    for (size_t q = 0; q < COP_LEN(queueings); q++)
        for (size_t i = 0; i < COP_LEN(alone); i++) {
            const cop_override set[] = {
                {.text = queueings[q]}, {.text = "run.drain=yes"}, {.text = "run.duration=60 us"}};
            cop_config c;
            cop_result r;
            cop_err err = {0};
            tally t = {0};
            assert_int_equal(cop_config_load(&c, "test.yaml", yaml, set, COP_LEN(set), &err), 0);
            c.cc = &alone[i].ops;
            c.cc_cfg = &t;
            assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
            assert_true(r.packets_delivered > 50);
            assert_int_equal(t.calls, (alone[i].in + alone[i].out) * r.packets_delivered);
            assert_int_equal(t.bytes_in, alone[i].in * r.bytes_delivered);
            assert_int_equal(t.bytes_out, alone[i].out * r.bytes_delivered);
            assert_int_equal(t.wrong, 0);
            cop_result_free(&r);
            cop_config_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_hook),
                                       cmocka_unit_test(test_notifications_go_first),
                                       cmocka_unit_test(test_each_hook_alone)};
    return cmocka_run_group_tests_name("cc_hooks", tests, NULL, NULL);
}
