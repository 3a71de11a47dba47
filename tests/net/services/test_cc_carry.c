/* What a control may keep at destinations and attach to packets (net/flow/carry.c), with one made for the test:
 * each switch writes its number and time into the packet, the destination counts the packets of each
 * flow and answers every fourth, and the answer takes all of it back to the source. */
#include "net/cc.h"
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MAX_HOPS 6
#define EVERY 4

typedef struct telemetry { /* on a packet */
    uint32_t hops;
    uint32_t count; /* on an answer: packets of its flow that its destination has had */
    cop_time sent; /* by the source */
    uint32_t port[MAX_HOPS];
    cop_time at[MAX_HOPS];
} telemetry;

typedef struct heard { /* at a destination */
    uint32_t packets;
    uint32_t src;
} heard;

typedef struct source { /* of a flow */
    uint32_t sent, answers;
} source;

typedef struct book {
    uint64_t sent, answers, hops, longest;
    bool all; /* every answer is an acknowledgement of a packet, too */
} book;

static book *book_of(const struct cop_net *net)
{
    union {
        const void *in;
        book *out;
    } u = {.in = cop_net_cc_cfg(net)};
    return u.out;
}

static void on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    telemetry *t = cop_net_attached(net, p);
    assert_true(t->hops == 0 && t->count == 0 && t->sent == 0); /* nothing of an older packet */
    t->sent = cop_net_now(net);
    ((source *)flow)->sent++;
    book_of(net)->sent++;
}

static void on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    telemetry *t = cop_net_attached(net, p);
    if (p->flags & COP_PKT_CONTROL)
        return;
    assert_true(t->hops < MAX_HOPS);
    t->port[t->hops] = port;
    t->at[t->hops++] = cop_net_now(net);
}

static uint16_t on_deliver(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    heard *h = cop_net_cc_receiver(net, p);
    assert_int_equal(host, p->dst);
    assert_true(h->packets == 0 || h->src == p->src); /* a flow has a state of its own */
    h->src = p->src;
    return ++h->packets % EVERY == 0 ? COP_PKT_CNP : 0;
}

static void on_answer(struct cop_net *net, const cop_pkt *p, cop_pkt *answer)
{
    const heard *h = cop_net_cc_receiver(net, p);
    telemetry *t = cop_net_attached(net, answer);
    assert_int_equal(t->hops, 0);
    *t = *(const telemetry *)cop_net_attached(net, p);
    t->count = h->packets;
    answer->cc = p->seq;
}

static void on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    source *s = flow;
    const telemetry *t = cop_net_attached(net, p);
    book *b = book_of(net);
    b->answers++;
    b->hops += t->hops;
    b->longest = t->hops > b->longest ? t->hops : b->longest;
    s->answers++;
    assert_true(t->count > 0 && t->count <= s->sent);
    if (!b->all)
        assert_int_equal(t->count, s->answers * EVERY); /* one lane: nothing overtakes */
    assert_true(t->hops >= 1 && t->at[0] > t->sent && t->at[t->hops - 1] < cop_net_now(net));
    for (uint32_t i = 1; i < t->hops; i++)
        assert_true(t->at[i] > t->at[i - 1] && t->port[i] != t->port[i - 1]);
}

static const cop_cc_ops telling = {.name = "telling",
                                   .flow_size = sizeof(source),
                                   .receiver_size = sizeof(heard),
                                   .attached_size = sizeof(telemetry),
                                   .at_source.on_send = on_send,
                                   .at_switch.on_dequeue = on_dequeue,
                                   .at_destination.on_deliver = on_deliver,
                                   .at_destination.on_answer = on_answer,
                                   .at_source.on_control = on_control};

static void run_with(book *b, const char *yaml, const char *set, cop_result *r)
{
    cop_config c;
    cop_err err = {0};
    const cop_override all[] = {{.text = set}};
    if (cop_config_load(&c, "test.yaml", yaml, all, set != NULL, &err) != 0)
        fail_msg("%s", err.text);
    c.cc = &telling;
    c.cc_cfg = b;
    assert_int_equal(cop_run(&c, NULL, r, &err), 0);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
    cop_config_free(&c);
}

/* 16 hosts, each to all others: 240 flows, more than the first table has places for. */
static const char tree[] =
    "run: {duration: 120 us, drain: yes}\ntopology: {kind: kary-ntree, k: 4, n: 2}\n"
    "switch: {buffer: 8 KiB}\nnic: {mtu: 512 B}\n"
    "traffic: [{pattern: uniform, arrival: poisson, load: 50 %, message: 512 B}]\n";

static void test_answers_tell_of_the_way(void **state)
{
    (void)state;
    static const char *const machines[] = {NULL, "switch.architecture=cioq", "host.kind=hca",
                                           "queueing.kind=1q"};
    for (size_t i = 0; i < COP_LEN(machines); i++) {
        book b = {0};
        cop_result r;
        run_with(&b, tree, machines[i], &r);
        assert_true(b.sent > 3000);
        assert_int_equal(r.packets_injected, b.sent + b.answers);
        /* Every fourth of each flow; 240 flows have up to three that are not answered. */
        assert_in_range(b.answers, (b.sent - 3 * 240) / EVERY, b.sent / EVERY);
        assert_int_equal(b.longest, 3);
        /* 3 of 15 destinations are at the same switch, 12 are three switches away. */
        assert_true((double)b.hops / (double)b.answers > 2.5 &&
                    (double)b.hops / (double)b.answers < 2.7);
        cop_result_free(&r);
    }
}

/* Acknowledgements take it back as well. */
static void test_acknowledgements_carry(void **state)
{
    (void)state;
    book b = {.all = true};
    cop_result r;
    run_with(&b, tree, "nic.ack=packet", &r);
    assert_in_range(b.answers, b.sent, b.sent + b.sent / EVERY);
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers_tell_of_the_way),
                                       cmocka_unit_test(test_acknowledgements_carry)};
    return cmocka_run_group_tests_name("cc_carry", tests, NULL, NULL);
}
