/* run.observe: what an item names, what it is called, what is refused; and values at the end of each bin
 * of networks in which they are known. */
#include "net_fixture.h"

#include "net/inspect/inspect.h"

#include <string.h>

/* Hosts 0 to 2 at switch 0, 3 and 4 at switch 1. Ports of a switch: hosts first, then the trunk. */
static const char two[] =
    "run: {duration: 10 us, sample: 4 us}\n"
    "topology: {kind: chain, hosts: [3, 2]}\n"
    "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
    "switch: {lanes: 2}\n"
    "cc: {kind: ibcc}\n"
    "nic: {mtu: 1000 B}\n"
    "traffic:\n"
    "  - {name: one, from: [1], pattern: fixed, to: 3, sl: 2}\n"
    "  - {name: some, from: [0, 2], pattern: fixed, to: 4}\n"
    "  - {name: any, from: [4], pattern: uniform}\n"
    "  - {name: wave, from: [0], pattern: fixed, to: 3, start: 1 us, stop: 2 us}\n"
    "  - {name: never, from: [0], pattern: fixed, to: 1, start: 1 ms}\n";

static void observe(net_lab *w, const char *items)
{
    cop_err err = {0};
    cop_free(w->net.observe);
    w->net.observe = NULL;
    w->net.n_observe = 0;
    w->net.probe.received = NULL;
    if (cop_observe_init(&w->net, items, &err) != 0)
        fail_msg("%s", err.text);
}

static uint32_t port(const net_lab *w, uint32_t sw, uint32_t local)
{
    return cop_topo_switch_port(&w->topo, sw, local);
}

/* The default, as people write it. */
static void none(void **state)
{
    (void)state;
    net_lab *w = lab_build(two, NULL, 0);
    observe(w, "none");
    assert_int_equal(w->net.n_observe, 0);
    lab_free(w);
}

static void ports_and_lanes(void **state)
{
    (void)state;
    net_lab *w = lab_build(two, NULL, 0);
    const struct {
        const char *item, *unit;
        uint32_t a, b, vl;
    } cases[] = {
        {"queue/s0.3", "bytes", port(w, 0, 3), 0, COP_NONE},
        {"queue/s1.2@1", "bytes", port(w, 1, 2), 0, 1},
        {"queue/h4", "bytes", port(w, 1, 1), 0, COP_NONE},
        {"queue/h0@0", "bytes", port(w, 0, 0), 0, 0},
        {"voq/s1.2>s1.0", "bytes", port(w, 1, 2), port(w, 1, 0), COP_NONE},
        {"voq/h1>3", "bytes", port(w, 0, 1), port(w, 0, 3), COP_NONE},
        {"voq/h1>h2@1", "bytes", port(w, 0, 1), port(w, 0, 2), 1},
        {"voq/s0.3>0", "bytes", port(w, 0, 3), port(w, 0, 0), COP_NONE},
        {"state/s0.3@1", "congested", port(w, 0, 3), 0, 1},
        {"fill/h3", "bytes", port(w, 1, 0), 0, COP_NONE},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        observe(w, cases[i].item);
        assert_int_equal(w->net.n_observe, 1);
        const cop_observation *o = &w->net.observe[0];
        assert_string_equal(o->name, cases[i].item);
        assert_string_equal(o->unit, cases[i].unit);
        assert_int_equal(o->a, cases[i].a);
        assert_int_equal(o->b, cases[i].b);
        assert_int_equal(o->vl, cases[i].vl);
    }
    observe(w, "state/h3");
    assert_int_equal(w->net.observe[0].which, 0);
    observe(w, "fill/h3");
    assert_int_equal(w->net.observe[0].which, 1);
    lab_free(w);
}

static void flows_and_entries(void **state)
{
    (void)state;
    net_lab *w = lab_build(two, NULL, 0);
    const struct {
        const char *item, *name, *unit;
        uint32_t src, dst, sl, which;
    } cases[] = {
        {"ccti/h1>h3", "ccti/h1>h3", "index", 1, 3, 0, 0},
        {"delay/1>3@2", "delay/1>3@2", "ns", 1, 3, 2, 1},
        {"rate/h0>4@15", "rate/h0>4@15", "Gbit/s", 0, 4, 15, 2},
        {"becns/one", "becns/one", "packets", 1, 3, 2, 3},
        {"ccti/wave", "ccti/wave", "index", 0, 3, 0, 0},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        observe(w, cases[i].item);
        assert_int_equal(w->net.n_observe, 1);
        const cop_observation *o = &w->net.observe[0];
        assert_string_equal(o->name, cases[i].name);
        assert_string_equal(o->unit, cases[i].unit);
        assert_int_equal(o->a, cases[i].src);
        assert_int_equal(o->b, cases[i].dst);
        assert_int_equal(o->sl, cases[i].sl);
        assert_int_equal(o->which, cases[i].which);
    }
    /* An entry of several streams: one series each, by host. */
    observe(w, "ccti/some");
    assert_int_equal(w->net.n_observe, 2);
    assert_string_equal(w->net.observe[0].name, "ccti/some/0");
    assert_string_equal(w->net.observe[1].name, "ccti/some/2");
    assert_int_equal(w->net.observe[1].a, 2);
    assert_int_equal(w->net.observe[1].b, 4);
    /* Several items, with spaces; what is named twice is there once, where it was named first. */
    observe(w, " ccti/some , queue/h0, rate / one,\tqueue/h0 ,injected/s0-1,injected/s1");
    assert_int_equal(w->net.n_observe, 6);
    assert_string_equal(w->net.observe[2].name, "queue/h0");
    assert_string_equal(w->net.observe[3].name, "rate/one");
    lab_free(w);
    /* Periods of activity are streams of one flow. */
    static const char *const set[] = {"traffic.one.active=[1 us, 2 us, 3 us, 4 us]"};
    w = lab_build(two, set, 1);
    assert_int_equal(w->traffic.host_stream0[2] - w->traffic.host_stream0[1], 2);
    observe(w, "ccti/one");
    assert_int_equal(w->net.n_observe, 1);
    lab_free(w);
}

static void received(void **state)
{
    (void)state;
    net_lab *w = lab_build(two, NULL, 0);
    observe(w, "received/h3,received/1,received/h3");
    assert_int_equal(w->net.n_observe, 2); /* named twice: once */
    assert_string_equal(w->net.observe[1].name, "received/h1");
    assert_string_equal(w->net.observe[1].unit, "Gbit/s");
    for (uint32_t h = 0; h < 5; h++)
        assert_ptr_equal(w->net.probe.received[h], h == 3   ? w->net.observe[0].v
                                                   : h == 1 ? w->net.observe[1].v
                                                            : NULL);
    observe(w, "received/all");
    assert_int_equal(w->net.n_observe, 5);
    for (uint32_t h = 0; h < 5; h++)
        assert_ptr_equal(w->net.probe.received[h], w->net.observe[h].v);
    lab_free(w);
}

static void injected(void **state)
{
    (void)state;
    net_lab *w = lab_build(two, NULL, 0);
    observe(w, "injected/h3,injected/1,injected/s0-1,sent/h4");
    static const char *const names[] = {"injected/h3", "injected/h1", "injected/s0", "injected/s1",
                                        "sent/h4"};
    assert_int_equal(w->net.n_observe, COP_LEN(names));
    for (size_t i = 0; i < COP_LEN(names); i++) {
        assert_string_equal(w->net.observe[i].name, names[i]);
        assert_string_equal(w->net.observe[i].unit, "Gbit/s");
    }
    observe(w, "injected/all");
    assert_int_equal(w->net.n_observe, 5);
    lab_free(w);
    w = lab_build("topology: {kind: kary-ntree, k: 2, n: 2}\n", NULL, 0);
    observe(w, "injected/s0-3"); /* two of them have hosts */
    assert_int_equal(w->net.n_observe, 2);
    cop_err err = {0};
    assert_int_equal(cop_observe_init(&w->net, "injected/s2", &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "no host is cabled to it"));
    lab_free(w);
}

static void refused(void **state)
{
    (void)state;
    net_lab *w = lab_build(two, NULL, 0);
    static const struct {
        const char *item, *says;
    } cases[] = {
        {"queue", "unknown; write queue/..., voq/..., received/..., injected/..., sent/..., "
                  "notices/..., ccti/..., "
                  "delay/..., rate/..., "
                  "becns/..., state/..., fill/..."},
        {"queues/h0", "unknown; write"},
        {"queue/s2.0", "no such switch; there are s0 to s1"},
        {"queue/s0.4", "no such port; those of s0 are 0 to 3"},
        {"queue/h5", "no such port"},
        {"queue/h0@2", "no such lane"},
        {"queue/h0@x", "no such lane"},
        {"fill/h0@2", "no such lane"},
        {"voq/h0", "name an input and an output"},
        {"voq/h0>h3", "different switches"},
        {"voq/h0>4", "no such port"},
        {"voq/h9>1", "no such port"},
        {"voq/h0>1@2", "no such lane"},
        {"ccti/h0>h5", "no such host"},
        {"ccti/5>0", "no such host"},
        {"ccti/h0>h1@16", "no such service level"},
        {"ccti/nobody", "a flow is shown, and there is none"},
        {"ccti/any", "many destinations"},
        {"received/5", "no such host"},
        {"received/", "no such host"},
        {"injected/5", "no such host"},
        {"injected/s2", "no such switch; there are s0 to s1"},
        {"injected/s1-0", "no such host"},
        {"injected/s0.1", "no such host"},
        {"sent/s0.9", "no such port"},
        {"sent/h1@1", "on all lanes together"},
        {"queue/h0,queue/h9", "`queue/h9`: no such port"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_err err = {0};
        assert_int_equal(cop_observe_init(&w->net, cases[i].item, &err), -COP_E_INPUT);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("%s: `%s` does not say `%s`", cases[i].item, err.text, cases[i].says);
    }
    observe(w, "ccti/never"); /* has a name, and sends nothing in this run */
    observe(w, "");
    assert_int_equal(w->net.n_observe, 0);
    lab_free(w);
}

/* Hosts 1 and 2 send to 0 from 0 on, a byte per ns each; the switch takes turns. At time t so many bytes
 * have been handled, and half of them left; each bin shows its end, the last one the end of the run. */
static void values_at_the_end_of_bins(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 10 us, sample: 4 us,"
        " observe: 'queue/h0, voq/h1>h0, voq/h2>h0, voq/h1>h2, received/h0, injected/h1, "
        "injected/h0, "
        "injected/s0, sent/h0'}\n"
        "topology: {kind: single, hosts: 3}\n"
        "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
        "switch: {buffer: 64 KiB, header: 100 B, pipeline: 90 ns}\n"
        "nic: {mtu: 1000 B, overhead: 0 B}\n"
        "traffic: [{from: [1, 2], pattern: fixed, to: 0, message: 1000 B}]\n";
    net_lab *w = lab_build(yaml, NULL, 0);
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.probe.n_bins, 3);
    for (uint64_t bin = 0; bin < 3; bin++) {
        uint64_t t = bin < 2 ? 4000 * (bin + 1) : 10000;
        uint64_t came = 1 + (t - 200) / 1000, left = 1 + (t - 200) / 1000; /* packets */
        double queue = 1000.0 * (double)(2 * came - left);
        assert_true(w->net.observe[0].v[bin] == queue);
        assert_true(w->net.observe[1].v[bin] + w->net.observe[2].v[bin] == queue);
        assert_true(w->net.observe[1].v[bin] == 1000.0 * (double)(came - (left + 1) / 2));
        assert_true(w->net.observe[3].v[bin] == 0.0);
        /* A byte per ns from 210 ns on; the last bin is cut by the end of the run. */
        double bytes = bin == 0 ? 4000 - 210 : bin == 1 ? 4000 : 2000, ns = bin < 2 ? 4000 : 2000;
        assert_true(w->net.observe[4].v[bin] == bytes * 8 / ns);
        /* Hosts begin a packet each 1000 ns from 0 on, which counts as a whole; so does the output from 200 ns on. */
        double begun = bin == 0 ? 5 : bin == 1 ? 4 : 1; /* the run ends before that of 10 us */
        double sent = bin == 2 ? 2 : 4;
        assert_true(w->net.observe[5].v[bin] == begun * 1000 * 8 / ns);
        assert_true(w->net.observe[6].v[bin] == 0.0);
        assert_true(w->net.observe[7].v[bin] == 2 * w->net.observe[5].v[bin] / 3);
        assert_true(w->net.observe[8].v[bin] == sent * 1000 * 8 / ns);
    }
    lab_free(w);
    /* A run that is shorter than a bin has one all the same. */
    static const char *const shorter[] = {"run.duration=3 us"};
    w = lab_build(yaml, shorter, 1);
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.probe.n_bins, 1);
    assert_true(w->net.observe[0].v[0] == 1000.0 * (1 + (3000 - 200) / 1000));
    lab_free(w);
}

/* A bin of 300 ns at the end, in which a packet of 1000 begins at 8.2 us: no rate above the link's. */
static void a_short_bin_at_the_end(void **state)
{
    (void)state;
    net_lab *w = lab_build("run: {duration: 8300 ns, sample: 4 us, observe: 'sent/h0, injected/h1, "
                           "injected/s0, received/h0'}\n"
                           "topology: {kind: single, hosts: 2}\n"
                           "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                           "switch: {header: 100 B, pipeline: 90 ns}\n"
                           "nic: {mtu: 1000 B, overhead: 0 B}\n"
                           "traffic: [{from: [1], pattern: fixed, to: 0, message: 1000 B}]\n",
                           NULL, 0);
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.probe.n_bins, 3);
    assert_true(w->net.observe[0].v[2] == 8.0); /* at 8.2 us */
    assert_true(w->net.observe[1].v[2] == 0.0); /* the one of 8 us is of the bin before */
    assert_true(w->net.observe[2].v[2] == 0.0);
    assert_true(w->net.observe[3].v[2] == 8.0);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none),
        cmocka_unit_test(ports_and_lanes),
        cmocka_unit_test(flows_and_entries),
        cmocka_unit_test(received),
        cmocka_unit_test(injected),
        cmocka_unit_test(refused),
        cmocka_unit_test(values_at_the_end_of_bins),
        cmocka_unit_test(a_short_bin_at_the_end),
    };
    return cmocka_run_group_tests_name("observe", tests, NULL, NULL);
}
