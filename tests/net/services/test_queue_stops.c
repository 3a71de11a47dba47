/* Stop and go of queues through net/queue.h, by schemes of this test: to the picosecond, repeated, from
 * a departure, from the queue's own head. A stopped queue sends nothing and is no deadlock. */
#include "queue_fixture.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- stop and go, to the picosecond -- */

/* Host 0's input is stopped before the run. The tenth packet of host 1 makes switch 1 send a
 * message; when it arrives, the queue goes on in that very instant. */
static uint32_t stay(cop_net *net, uint32_t port, uint32_t q, cop_pkt *p)
{
    (void)net, (void)port, (void)p;
    return q;
}

static void count_to_ten(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    book *b = scheme_of(net)->b;
    (void)q;
    if (net->in[port].sw == 1 && p->src == 1 && ++b->enqueued == 10)
        tell(net, port, GO);
}

static void note_departure(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    book *b = scheme_of(net)->b;
    (void)q, (void)p;
    if (b->first_out[port] == 0)
        b->first_out[port] = cop_net_now(net);
}

static void go_on(cop_net *net, uint32_t port, uint64_t message)
{
    book *b = scheme_of(net)->b;
    const sent *m = &b->under_way[port][b->at[port]++ % 64];
    assert_int_equal(message, GO);
    assert_int_equal(cop_net_now(net), m->t + net->out[port].delay_ps);
    b->go_at = cop_net_now(net);
    b->messages++;
    cop_net_queue_stop(net, cop_topo_switch_port(net->topo, 0, 0), NORMAL, false);
}

static const cop_queue_ops gate = {.name = "gate",
                                   .layout = two_queues,
                                   .select = to_normal,
                                   .runtime.on_head = stay,
                                   .runtime.on_enqueue = count_to_ten,
                                   .runtime.on_dequeue = note_departure,
                                   .runtime.on_control = go_on};

static const char gated[] = "run: {duration: 100 us, sample: 200 us, drain: yes}\n"
                            "topology: {kind: chain, hosts: [2, 2]}\n"
                            "routing: {kind: minhop}\n"
                            "link: {rate: 10 Gbit/s, delay: 70 ns}\n"
                            "nic: {mtu: 256 B}\n"
                            "traffic:\n"
                            "  - {name: gated, from: [0], pattern: fixed, to: 2, message: 256 B,"
                            " messages: 40}\n"
                            "  - {name: free, from: [1], pattern: fixed, to: 3, message: 256 B,"
                            " arrival: constant, rate: 1 Gbit/s}\n";

static void test_stop_and_go_are_exact(void **state)
{
    (void)state;
    world *w = build(gated, NULL, 0, &gate);
    uint32_t input = cop_topo_switch_port(&w->topo, 0, 0);
    assert_int_equal(w->topo.port[input].from, cop_topo_host_port(&w->topo, 0));
    cop_net_queue_stop(&w->net, input, NORMAL, true);
    run(w);
    assert_int_equal(w->net.total.delivered, w->net.total.injected);
    assert_int_equal(w->b.messages, 1);
    assert_true(w->b.go_at > 15 * COP_US);
    assert_int_equal(w->b.first_out[input], w->b.go_at);
    demolish(w);
}

/* Stopping twice and going on twice is as good as once; a stop in the middle of a packet does not
 * cut it. */
static uint32_t stutter(cop_net *net, uint32_t port, uint32_t q, cop_pkt *p)
{
    book *b = scheme_of(net)->b;
    uint32_t other = q == NORMAL ? SLOW : NORMAL;
    (void)p;
    b->heads++;
    cop_net_queue_stop(net, port, other, true);
    cop_net_queue_stop(net, port, other, true);
    cop_net_queue_stop(net, port, other, false);
    cop_net_queue_stop(net, port, other, false);
    return q;
}

static const cop_queue_ops stutterer = {
    .name = "stutter", .layout = two_queues, .select = to_normal, .runtime.on_head = stutter};

static void test_repeated_stops_are_harmless(void **state)
{
    (void)state;
    world *a = build(row, NULL, 0, &stutterer), *b = build(row, NULL, 0, cop_queue_find("1q"));
    run(a);
    run(b);
    assert_true(a->b.heads > 100);
    assert_int_equal(cop_net_hash(&a->net), cop_net_hash(&b->net));
    demolish(a);
    demolish(b);
}

/* The same from a departure, on the very queue that sends: its next packet must still wait until
 * the last byte of this one has left. */
static void stutter_after(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    (void)p;
    scheme_of(net)->b->dequeued++;
    cop_net_queue_stop(net, port, q, true);
    cop_net_queue_stop(net, port, q, false);
}

static const cop_queue_ops late_stutterer = {.name = "late-stutter",
                                             .layout = two_queues,
                                             .select = to_normal,
                                             .runtime.on_dequeue = stutter_after};

static const char fan[] =
    "run: {duration: 60 us, sample: 1 ms, drain: yes, flows: yes}\n"
    "topology: {kind: single, hosts: 4}\n"
    "link: {rate: 10 Gbit/s, host_rate: 10 Gbit/s, delay: 10 ns}\n"
    "traffic:\n"
    "  - {name: two, from: [0], pattern: list, to_list: [2, 3], message: 2 KiB}\n"
    "  - {name: one, from: [1], pattern: fixed, to: 3}\n";

static bool compare_restarts(void)
{
    world *a = build(fan, NULL, 0, &late_stutterer), *b = build(fan, NULL, 0, cop_queue_find("1q"));
    cop_net_run(&a->net, NULL, NULL);
    cop_net_run(&b->net, NULL, NULL);
    bool same = a->b.dequeued > 50 && a->net.stop == COP_OUTCOME_OK &&
                a->net.total.delivered == b->net.total.delivered &&
                cop_net_hash(&a->net) == cop_net_hash(&b->net);
    demolish(a);
    demolish(b);
    return same;
}

/* A departure restarts a queue of another input that wants the same output: it has to wait for the
 * wire like all others. */
static void restart_other(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    book *b = scheme_of(net)->b;
    uint32_t other = cop_topo_switch_port(net->topo, 0, 1);
    (void)q, (void)p;
    if (port != other && ++b->dequeued == 10)
        cop_net_queue_stop(net, other, NORMAL, false);
}

static const cop_queue_ops restarter = {.name = "restart",
                                        .layout = two_queues,
                                        .select = to_normal,
                                        .runtime.on_dequeue = restart_other};

static bool restart_from_a_departure(void)
{
    static const char *const set[] = {"traffic.two.to_list=[3]"};
    world *w = build(fan, set, COP_LEN(set), &restarter);
    cop_net_queue_stop(&w->net, cop_topo_switch_port(&w->topo, 0, 1), NORMAL, true);
    cop_net_run(&w->net, NULL, NULL);
    bool good = w->net.stop == COP_OUTCOME_OK && w->b.dequeued > 20 &&
                w->net.total.delivered == w->net.total.injected && gbps(w, "one") > 3.0 &&
                gbps(w, "one") + gbps(w, "two") <= 10.1;
    demolish(w);
    return good;
}

/* A head that stops its own queue waits in it. */
static uint32_t stop_self(cop_net *net, uint32_t port, uint32_t q, cop_pkt *p)
{
    (void)p;
    if (port == cop_topo_switch_port(net->topo, 0, 0) && scheme_of(net)->b->go_at == 0)
        cop_net_queue_stop(net, port, q, true);
    return q;
}

static const cop_queue_ops self_gate = {.name = "self-gate",
                                        .layout = two_queues,
                                        .select = to_normal,
                                        .runtime.on_head = stop_self,
                                        .runtime.on_enqueue = count_to_ten,
                                        .runtime.on_dequeue = note_departure,
                                        .runtime.on_control = go_on};

static bool stop_from_the_head(void)
{
    world *w = build(gated, NULL, 0, &self_gate);
    uint32_t input = cop_topo_switch_port(&w->topo, 0, 0);
    cop_net_run(&w->net, NULL, NULL);
    bool good = w->net.stop == COP_OUTCOME_OK && w->b.messages == 1 &&
                w->net.total.delivered == w->net.total.injected &&
                w->b.first_out[input] == w->b.go_at;
    demolish(w);
    return good;
}

/* Broken invariants end the program, so these run in a child. */
static void in_a_child(bool (*test)(void))
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(test() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_restart_of_the_sending_queue(void **state)
{
    (void)state;
    in_a_child(compare_restarts);
}

static void test_restart_from_a_departure(void **state)
{
    (void)state;
    in_a_child(restart_from_a_departure);
}

static void test_head_stops_its_own_queue(void **state)
{
    (void)state;
    in_a_child(stop_from_the_head);
}

/* A queue that waits for its go is not a deadlock, however long the wait and short the samples. */
static void test_stopped_queues_are_no_deadlock(void **state)
{
    (void)state;
    static const char *const set[] = {"run.sample=500 ns", "switch.buffer=16 KiB"};
    world *w = build(row, set, COP_LEN(set), &isolate);
    w->s.hot = HOT_HOST;
    w->s.stop_trunks = true;
    run(w);
    check_drained(w);
    demolish(w);
}

/* What stands in the injection queue of a source that its scheme stopped for good is told after `drain`,
 * with the name of the host; the others have sent all they had. */
static void test_stopped_at_the_source_for_ever(void **state)
{
    (void)state;
    static const char *const set[] = {"host={kind: hca, injection: 3}",
                                      "topology={kind: single, hosts: 4, names: a oak c d}",
                                      "traffic.gated.from=[1]", "traffic.free.from=[0]"};
    world *w = build(gated, set, COP_LEN(set), cop_queue_find("1q"));
    cop_net_queue_stop(&w->net, cop_topo_host_port(&w->topo, 1), 0, true);
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.stop, COP_OUTCOME_STARVED);
    assert_string_equal(w->net.why, "starved: 3 packets wait in the injection queues of oak and "
                                    "nothing will let them go");
    assert_int_equal(w->net.total.delivered, w->net.total.injected);
    assert_true(w->net.total.delivered > 40);
    demolish(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop_and_go_are_exact),
        cmocka_unit_test(test_repeated_stops_are_harmless),
        cmocka_unit_test(test_restart_of_the_sending_queue),
        cmocka_unit_test(test_restart_from_a_departure),
        cmocka_unit_test(test_head_stops_its_own_queue),
        cmocka_unit_test(test_stopped_queues_are_no_deadlock),
        cmocka_unit_test(test_stopped_at_the_source_for_ever),
    };
    return cmocka_run_group_tests_name("queue_stops", tests, NULL, NULL);
}
