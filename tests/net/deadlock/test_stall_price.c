/* When the watch for deadlocks may look, in a network that stands still: what has moved pays, to the last visit.
 * What it finds is in test_stall. */
#include "net_fixture.h"

#include "net/deadlock/deadlock.h"

/* Two switches with two hosts each: 6 switch ports and 4 of hosts, 10 in all. */
static const char still[] = "run: {duration: 1 ms, sample: 1 us}\n"
                            "topology: {kind: chain, hosts: [2, 2]}\n"
                            "traffic: [{from: [0], pattern: fixed, to: 3}]\n";
enum { PORTS = 10, SWITCH_PORTS = 6 };

/* A glance at all ports costs a visit each, and comes if those before are paid for: three for each packet-hop,
 * and one for each twenty ports of switches that were sampled. */
static void test_samples_pay(void **state)
{
    (void)state;
    net_lab *w = lab_build(still, NULL, 0);
    uint64_t visits = 0, looks = 0;
    for (uint64_t sample = 1; sample <= 400; sample++) {
        uint64_t paid = sample * SWITCH_PORTS / 20;
        bool looked = visits <= paid;
        assert_false(cop_stall_watch(&w->net)); /* nothing waits */
        assert_int_equal(cop_stall_allowance(&w->net), paid);
        visits += looked ? PORTS : 0;
        looks += looked;
        assert_int_equal(cop_stall_visits(&w->net), visits);
    }
    assert_int_equal(looks, 400 * SWITCH_PORTS / 20 / PORTS + 1);
    lab_free(w);
}

static void test_hops_pay(void **state)
{
    (void)state;
    for (uint64_t hops = 0; hops < 30; hops++) {
        net_lab *w = lab_build(still, NULL, 0);
        w->net.total.hops = hops;
        assert_int_equal(cop_stall_allowance(&w->net), 3 * hops);
        uint64_t visits = 0;
        for (uint64_t sample = 1; sample <= 3; sample++) {
            visits += visits <= 3 * hops + sample * SWITCH_PORTS / 20 ? PORTS : 0;
            assert_false(cop_stall_watch(&w->net));
            assert_int_equal(cop_stall_visits(&w->net), visits);
        }
        /* The look at the end is for nothing. */
        assert_false(cop_stall_final(&w->net));
        assert_int_equal(cop_stall_visits(&w->net), visits + PORTS);
        lab_free(w);
    }
}

/* No event is left although packets are: one look for nothing, and another one when something has moved. */
static void test_when_nothing_is_going_on(void **state)
{
    (void)state;
    net_lab *w = lab_build(still, NULL, 0);
    cop_net *net = &w->net;
    assert_true(cop_evq_empty(&net->evq));
    net->total.injected = 1; /* as if it were inside */
    net->total.hops = 1;
    uint64_t visits = 0;
    for (uint64_t turn = 1; turn <= 5; turn++) {
        net->total.hops = turn;
        for (int again = 0; again < 2; again++) {
            uint64_t samples = 2 * (turn - 1) + (uint64_t)again + 1;
            bool paid = visits <= 3 * turn + samples * SWITCH_PORTS / 20;
            visits += again == 0 || paid ? PORTS : 0;
            assert_false(cop_stall_watch(net));
            assert_int_equal(cop_stall_visits(net), visits);
        }
    }
    net->total.delivered = 1; /* no packet is inside: no hurry */
    net->total.hops = 6;
    assert_false(cop_stall_watch(net));
    assert_int_equal(cop_stall_visits(net), visits);
    lab_free(w);
}

/* Everything waits for one host, which takes in what it can: ports stand still, so it looks closely, and finds that
 * no packet waits for ever. */
static void test_a_jam_is_no_deadlock(void **state)
{
    (void)state;
    static const char jam[] = "run: {duration: 200 us, sample: 10 us}\n"
                              "topology: {kind: chain, hosts: [3, 3, 3]}\n"
                              "switch: {buffer: 8 KiB}\n"
                              "traffic: [{pattern: all-to-one, to: 8}]\n";
    net_lab *w = lab_build(jam, NULL, 0);
    cop_net *net = &w->net;
    cop_net_run(net, NULL, NULL);
    assert_int_equal(net->stop, COP_OUTCOME_OK);
    assert_int_equal(net->now, 200 * COP_US);
    for (int again = 0; again < 3; again++) {
        uint64_t before = cop_stall_visits(net);
        assert_false(cop_stall_final(net));
        assert_true(cop_stall_visits(net) - before > net->topo->n_ports + 10);
        assert_int_equal(net->stop, COP_OUTCOME_OK);
    }
    lab_free(w);
}

/* However long a run is, it has a hundred bins if nothing is said, and that many are not too many. */
static void test_bins_of_long_runs(void **state)
{
    (void)state;
    static const struct {
        const char *duration;
        uint32_t bins;
    } all[] = {{"run.duration=1 us", 100},   {"run.duration=100 ps", 100},
               {"run.duration=99 ps", 99},   {"run.duration=1 ps", 1},
               {"run.duration=101 ps", 101}, {"run.duration=1000 s", 100},
               {"run.duration=10000 s", 100}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        const char *set[] = {all[i].duration, "run.sample=0 s"};
        net_lab *w = lab_build(still, set, 2);
        assert_int_equal(w->net.probe.n_bins, all[i].bins);
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_pay),
        cmocka_unit_test(test_hops_pay),
        cmocka_unit_test(test_when_nothing_is_going_on),
        cmocka_unit_test(test_a_jam_is_no_deadlock),
        cmocka_unit_test(test_bins_of_long_runs),
    };
    return cmocka_run_group_tests_name("stall_price", tests, NULL, NULL);
}
