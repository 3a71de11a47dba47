/* Who waits for a run is asked often enough; a network in which packets stay for ever comes to an end. */
#include "queue_fixture.h"

#include "net_fixture.h"

/* -- between samples -- */

typedef struct looks {
    const cop_net *net;
    uint64_t last, least, most; /* events so far; between two calls */
    uint32_t n, stop_at;
} looks;

static bool note(void *ctx, cop_time now, cop_time end, uint64_t hops)
{
    looks *l = ctx;
    uint64_t done = l->net->total.events - l->last;
    assert_true(now <= end && hops == l->net->total.hops);
    if (now == end)
        return false; /* the only sample */
    if (l->n++ > 0) {
        l->least = done < l->least ? done : l->least;
        l->most = done > l->most ? done : l->most;
    }
    l->last = l->net->total.events;
    return l->n == l->stop_at;
}

/* Eight hosts send as fast as they can, in pairs: an even flow of events. Calls come half a million to a
 * million of them apart (to begin with a quarter). */
static const char pairs[] = "run: {duration: 3 ms, sample: 3 ms}\n"
                            "topology: {kind: single, hosts: 8}\n"
                            "link: {rate: 100 Gbit/s, delay: 20 ns}\n"
                            "nic: {mtu: 256 B}\n"
                            "traffic: [{from: all, pattern: bit-complement, message: 256 B}]\n";

static void test_calls_between_samples(void **state)
{
    (void)state;
    const uint64_t million = 1 << 20;
    net_lab *w = lab_build(pairs, NULL, 0);
    looks l = {.net = &w->net, .least = UINT64_MAX};
    cop_net_run(&w->net, note, &l);
    assert_int_equal(w->net.stop, COP_OUTCOME_OK);
    uint64_t events = w->net.total.events;
    uint64_t hash = cop_net_hash(&w->net);
    assert_true(events > 3 * million);
    assert_true(l.n >= events / million && l.n <= events / (million / 2) + 2);
    assert_true(l.least > million / 4 && l.most <= million);
    lab_free(w);
    /* Without a callback: the same run. A callback that stops: it ends there, without a result. */
    w = lab_build(pairs, NULL, 0);
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(cop_net_hash(&w->net), hash);
    assert_int_equal(w->net.total.events, events);
    lab_free(w);
    w = lab_build(pairs, NULL, 0);
    l = (looks){.net = &w->net, .stop_at = 2};
    cop_net_run(&w->net, note, &l);
    assert_int_equal(w->net.stop, COP_OUTCOME_FAILED);
    assert_int_equal(l.n, 2);
    assert_true(w->net.total.events < 2 * million);
    lab_free(w);
}

/* A quiet beginning makes steps long; when there is much to do they become short again. */
static void test_steps_become_short_again(void **state)
{
    (void)state;
    static const char *const set[] = {"traffic.0.start=1500 us",
                                      "run={duration: 6 ms, sample: 6 ms}"};
    net_lab *w = lab_build(pairs, set, 2);
    looks l = {.net = &w->net, .least = UINT64_MAX};
    cop_net_run(&w->net, note, &l);
    assert_int_equal(w->net.stop, COP_OUTCOME_OK);
    assert_true(w->net.total.events > 4 << 20);
    assert_true(l.n >= 4 && l.most <= 5 << 18 && l.least <= 1 << 20);
    lab_free(w);
}

/* -- nothing is delivered -- */

static uint32_t halt(cop_net *net, uint32_t port, uint32_t q, cop_pkt *p)
{
    (void)p;
    cop_net_queue_stop(net, port, q, true);
    return q;
}

static const cop_queue_ops halting = {
    .name = "halt", .layout = two_queues, .select = to_normal, .runtime.on_head = halt};

/* A scheme stops a queue and never lets it go. 10000 hops take 10000 * (packet 1 us + cable there and back
 * 40 ns + pipeline 100 ns) = 11.4 ms: the first sample beyond that since something was delivered, or
 * nothing was there to deliver, is the end. The packet comes at 2.5 ms, so that time runs from 2 ms. */
static void test_packets_that_stay_are_a_deadlock(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 40 ms, sample: 1 ms}\n"
                               "topology: {kind: single, hosts: 2}\n"
                               "routing: {kind: minhop}\n"
                               "link: {rate: 8 Gbit/s, delay: 20 ns}\n"
                               "switch: {pipeline: 100 ns}\n"
                               "nic: {mtu: 1000 B, overhead: 0 B}\n"
                               "traffic: [{from: [0], pattern: fixed, to: 1, message: 1000 B,"
                               " messages: 1, start: 2500 us}]\n";
    world *w = build(yaml, NULL, 0, &halting);
    assert_int_equal(w->net.patience_ps, 11400 * COP_US);
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.stop, COP_OUTCOME_DEADLOCK);
    assert_int_equal(w->net.now, 14 * COP_MS);
    assert_string_equal(w->net.why,
                        "deadlock: 1 packets in the network, none delivered for 12000.000 us");
    demolish(w);
    /* Without samples to come, after draining, nothing is left that could move it: a fault. */
    static const char *const drain[] = {"run.drain=yes", "run.duration=4 ms"};
    w = build(yaml, drain, 2, &halting);
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.stop, COP_OUTCOME_BROKEN);
    assert_string_equal(w->net.why, "1 packets never moved on");
    demolish(w);
    /* At the bound itself it goes on. */
    w = build(yaml, NULL, 0, &halting);
    w->net.patience_ps = 12 * COP_MS;
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.now, 15 * COP_MS);
    demolish(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_between_samples),
        cmocka_unit_test(test_steps_become_short_again),
        cmocka_unit_test(test_packets_that_stay_are_a_deadlock),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
