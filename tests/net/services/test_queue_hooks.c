/* The run-time part of net/queue.h, proved by the scheme of queue_fixture.h: nothing is lost, flows stay
 * in order, messages arrive one link delay after they were sent and in order, everything drains, and
 * cold flows are no longer held up by hot ones. */
#include "queue_fixture.h"

/* -- tests -- */

static void test_isolation_frees_the_victims(void **state)
{
    (void)state;
    world *w = build(row, NULL, 0, &isolate);
    w->s.hot = HOT_HOST;
    w->s.stop_trunks = true;
    run(w);
    check_drained(w);
    assert_true(w->b.messages >= 10);
    assert_true(w->b.moved > 100);
    assert_float_equal(gbps(w, "cold"), 4.0, 0.05);
    assert_float_equal(gbps(w, "hot"), 10.0, 0.1);
    demolish(w);
    /* The same with one FIFO per input: hot packets are in the way of cold ones. */
    w = build(row, NULL, 0, cop_queue_find("1q"));
    run(w);
    assert_true(gbps(w, "cold") < 3.5);
    demolish(w);
}

/* Nothing is hot: the scheme is one FIFO per input, to the last packet. */
static void test_scheme_at_rest_changes_nothing(void **state)
{
    (void)state;
    world *a = build(row, NULL, 0, &isolate), *b = build(row, NULL, 0, cop_queue_find("1q"));
    run(a);
    run(b);
    check_drained(a);
    assert_int_equal(a->b.messages, 0);
    assert_int_equal(a->b.moved, 0);
    assert_int_equal(a->net.total.delivered, b->net.total.delivered);
    assert_int_equal(cop_net_hash(&a->net), cop_net_hash(&b->net));
    demolish(a);
    demolish(b);
}

static void test_every_switch_and_flow_control(void **state)
{
    (void)state;
    static const char *const sets[][4] = {
        {"switch.architecture=iq", "switch.matching=islip", "switch.iterations=2", NULL},
        {"switch.architecture=cioq", "switch.output_buffer=16 KiB", "switch.speedup=2", NULL},
        {"switch.switching=store-and-forward", "switch.arbitration=age", NULL},
        {"flow_control.kind=ib", "flow_control.loss=5 %", NULL},
        {"flow_control.kind=on-off", "switch.buffer=128 KiB", NULL},
        {"flow_control.kind=ack-nack", NULL},
        {"link.trunk_rate=20 Gbit/s", "switch.arbitration=random", NULL},
        {"link.host_rate=20 Gbit/s", "nic.receive_rate=7 Gbit/s", NULL},
        {"traffic.0.size_distribution=bimodal", "nic.ack=packet", NULL},
        {"run.event_queue=heap", NULL},
    };
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        size_t n = 0;
        while (n < 4 && sets[i][n] != NULL)
            n++;
        world *w = build(row, sets[i], n, &isolate);
        w->s.hot = HOT_HOST;
        w->s.stop_trunks = true;
        run(w);
        check_drained(w);
        assert_true(w->b.moved > 100);
        demolish(w);
    }
}

/* Heads with several candidates have several requests; stopping takes all of them back. */
static void test_adaptive_routing(void **state)
{
    (void)state;
    static const char tree[] =
        "run: {duration: 200 us, sample: 50 us, drain: yes}\n"
        "topology: {kind: kary-ntree, k: 4, n: 2}\n"
        "routing: {kind: adaptive-tree}\n"
        "link: {rate: 10 Gbit/s, delay: 100 ns}\n"
        "switch: {buffer: 32 KiB}\n"
        "traffic:\n"
        "  - {name: hot, from: [4-15], pattern: fixed, to: 0, arrival: poisson, load: 20 %}\n"
        "  - {name: rest, from: all, pattern: uniform, arrival: poisson, load: 20 %}\n";
    world *w = build(tree, NULL, 0, &isolate);
    assert_true(w->net.max_cand > 1);
    w->s.hot = 1;
    run(w);
    check_drained(w);
    assert_true(w->b.messages > 0);
    assert_true(w->b.moved > 100);
    demolish(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isolation_frees_the_victims),
        cmocka_unit_test(test_scheme_at_rest_changes_nothing),
        cmocka_unit_test(test_every_switch_and_flow_control),
        cmocka_unit_test(test_adaptive_routing),
    };
    return cmocka_run_group_tests_name("queue_hooks", tests, NULL, NULL);
}
