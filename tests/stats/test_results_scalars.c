/* All scalars of a result: which there are, in which order, with which unit and value. With a control that marks
 * a known number of packets, and a queueing scheme with counters and levels of its own. */
#include "results_fixture.h"

#include "net/cc.h"
#include "net/queue.h"

typedef struct want {
    const char *name, *unit;
    double value;
} want;

static void expect_scalars(const cop_result *r, const want *all, size_t n)
{
    for (size_t i = 0; i < n && i < r->n_scalars; i++) {
        assert_string_equal(r->scalar[i].name, all[i].name);
        assert_string_equal(r->scalar[i].unit, all[i].unit);
        same_number(all[i].name, r->scalar[i].value, all[i].value);
    }
    assert_int_equal(r->n_scalars, n);
}

/* Hosts 0 and 1 send three packets each to host 2, and host 3 one to host 0; all arrive. */
static const char few[] =
    "run: {trees: no, duration: 50 us}\n"
    "topology: {kind: single, hosts: 4}\n"
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
    "switch: {buffer: 16 KiB, lanes: 2}\n"
    "nic: {mtu: 1000 B, ack: packet}\n"
    "traffic:\n"
    "  - {name: A, from: [0, 1], pattern: fixed, to: 2, messages: 3, message: 1000 B}\n"
    "  - {name: B, from: [3], pattern: fixed, to: 0, messages: 1, message: 1000 B}\n";

/* Three hosts send, none at a rate of its own. */
#define OFFERED                                                                                    \
    {"senders", "hosts", 3}, {"offered_gbps", "Gbit/s", 0}, {"accepted_gbps", "Gbit/s", 0},        \
        {"waiting_at_sources_bytes", "bytes", 0}, {"packets_piled_up", "packets", 0},              \
    {                                                                                              \
        "saturated", "", 0                                                                         \
    }

#define HARDWARE(queues)                                                                           \
    {"hardware.ram_bytes_per_port", "bytes", 2 * 16384},                                           \
        {"hardware.queues_per_port", "queues", queues},                                            \
        {"hardware.cam_lines_per_port", "lines", 0}, {"hardware.cam_cells_per_port", "bits", 0},   \
    {                                                                                              \
        "hardware.sram_cells_per_port", "bits", 0                                                  \
    }

static void test_without_a_control(void **state)
{
    (void)state;
    static const want all[] = {OFFERED,
                               {"input_sections", "sections", 2},
                               {"input_memory_bytes", "bytes", 2 * 16384},
                               {"retransmissions", "packets", 0},
                               {"acks", "packets", 7},
                               {"notifications", "packets", 0},
                               HARDWARE(4 * 2)};
    cop_result r;
    scn_run(few, NULL, 0, &r, NULL);
    expect_scalars(&r, all, COP_LEN(all));
    cop_result_free(&r);
    /* Sources with patience are counted, also if none gives up. */
    static const char *const set[] = {"traffic.B.arrival=constant", "traffic.B.load=10 %",
                                      "traffic.B.patience=1 us", "nic.ack=none"};
    scn_run(few, set, COP_LEN(set), &r, NULL);
    assert_int_equal(r.n_scalars, COP_LEN(all) + 1);
    assert_string_equal(r.scalar[11].name, "messages_given_up");
    assert_string_equal(r.scalar[11].unit, "messages");
    same_number("acks", scalar(&r, "acks"), 0);
    cop_result_free(&r);
}

/* -- a control that marks the first packets of each output -- */

typedef struct marks {
    uint64_t most[4], given[4]; /* by output; host h is at port h */
    bool answers;
} marks;

static marks *marks_of(const struct cop_net *net)
{
    union {
        const void *in;
        marks *out;
    } u = {.in = cop_net_cc_cfg(net)};
    return u.out;
}

static void mark_some(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    marks *m = marks_of(net);
    if ((p->flags & COP_PKT_CONTROL) || m->given[port] == m->most[port])
        return;
    m->given[port]++;
    p->flags |= COP_PKT_FECN;
}

static uint16_t answer_marks(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    (void)host;
    bool answers = marks_of(net)->answers && (p->flags & COP_PKT_FECN);
    return answers ? COP_PKT_CNP | COP_PKT_BECN : 0;
}

static double own_counter(struct cop_net *net, unsigned which)
{
    return (double)(marks_of(net)->given[which ? 2 : 0] * 10 + which);
}

static const cop_value own_counters[] = {{"own.first", "things"}, {"own.second", "more"}, {0}};

static void run_marked(marks *m, bool counters, cop_result *r)
{
    const cop_cc_ops plain = {.name = "marking",
                              .at_switch.on_dequeue = mark_some,
                              .at_destination.on_deliver = answer_marks};
    cop_cc_ops ops = plain;
    if (counters) {
        ops.shown.counters = own_counters;
        ops.shown.counter = own_counter;
    }
    cop_config c;
    cop_err err = {0};
    const cop_override set = {.text = "nic.ack=none"};
    assert_int_equal(cop_config_load(&c, "test.yaml", few, &set, 1, &err), 0);
    c.cc = &ops;
    c.cc_cfg = m;
    assert_int_equal(cop_run(&c, NULL, r, &err), 0);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
    cop_config_free(&c);
}

/* Ports that marked are listed, one that marked a single packet among them, and no others. */
static void test_marks(void **state)
{
    (void)state;
    marks m = {.most = {1, 5, 4, 0}, .answers = true};
    static const want all[] = {OFFERED,
                               {"input_sections", "sections", 2},
                               {"input_memory_bytes", "bytes", 2 * 16384},
                               {"retransmissions", "packets", 0},
                               {"acks", "packets", 0},
                               {"notifications", "packets", 5},
                               {"fecn", "packets", 5},
                               {"becn", "packets", 5},
                               {"fecn/A", "packets", 4},
                               {"becn/A", "packets", 4},
                               {"fecn/B", "packets", 1},
                               {"becn/B", "packets", 1},
                               {"fecn_at/s0.0", "packets", 1},
                               {"fecn_at/s0.2", "packets", 4},
                               {"own.first", "things", 10},
                               {"own.second", "more", 41},
                               HARDWARE(4 * 2)};
    cop_result r;
    run_marked(&m, true, &r);
    expect_scalars(&r, all, COP_LEN(all));
    cop_result_free(&r);
    /* Nothing is marked or notified: the numbers are there, the list is empty. */
    marks none = {.answers = false};
    run_marked(&none, false, &r);
    assert_int_equal(r.n_scalars, 6 + 5 + 2 + 4 + 5);
    static const char *const zero[] = {"notifications", "fecn",   "becn",  "fecn/A",
                                       "becn/A",        "fecn/B", "becn/B"};
    for (size_t i = 0; i < COP_LEN(zero); i++)
        same_number(zero[i], scalar(&r, zero[i]), 0);
    cop_result_free(&r);
    /* Marked and not answered. */
    marks silent = {.most = {0, 0, 2, 0}};
    run_marked(&silent, false, &r);
    same_number("fecn", scalar(&r, "fecn"), 2);
    same_number("fecn/A", scalar(&r, "fecn/A"), 2);
    same_number("becn", scalar(&r, "becn"), 0);
    same_number("notifications", scalar(&r, "notifications"), 0);
    same_number("fecn_at", scalar(&r, "fecn_at/s0.2"), 2);
    cop_result_free(&r);
}

/* -- a queueing scheme with one hook -- */

typedef struct tally {
    uint64_t in, out, bytes_in, bytes_out, wrong;
} tally;

static tally *tally_of(const struct cop_net *net)
{
    union {
        const void *in;
        tally *out;
    } u = {.in = cop_net_queue_cfg(net)};
    return u.out;
}

/* A queue per destination, counted from the last one. */
static void four_queues(const void *cfg, const cop_netinfo *info, uint32_t ports,
                        cop_queue_layout *l)
{
    (void)cfg, (void)ports;
    *l = (cop_queue_layout){.queues = info->n_hosts};
}

static uint32_t from_the_last(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    (void)cfg;
    return info->n_hosts - 1 - p->dst;
}

static void tally_in(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    tally *t = tally_of(net);
    t->in++;
    t->bytes_in += p->bytes;
    t->wrong += q != 3 - p->dst || port != p->src || cop_net_queue_bytes(net, port, q) == 0;
    if (cop_net_queue_counter(net) != NULL) {
        cop_net_queue_counter(net)[0] += 3;
        cop_net_queue_level(net)[1] = (int64_t)t->in;
    }
}

static void tally_out(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    tally *t = tally_of(net);
    t->out++;
    t->bytes_out += p->bytes;
    t->wrong += q != 3 - p->dst || port != p->src;
}

static void own_cost(const void *cfg, const cop_netinfo *info, uint32_t ports, cop_queue_cost *c)
{
    (void)cfg, (void)info;
    *c = (cop_queue_cost){.cam_lines = ports, .cam_cells = 100, .sram_cells = 1000};
}

static void run_queued(const cop_queue_ops *ops, tally *t, cop_result *r)
{
    cop_config c;
    cop_err err = {0};
    const cop_override set = {.text = "nic.ack=none"};
    assert_int_equal(cop_config_load(&c, "test.yaml", few, &set, 1, &err), 0);
    c.queue = ops;
    c.queue_cfg = t;
    assert_int_equal(cop_run(&c, NULL, r, &err), 0);
    assert_int_equal(r->packets_delivered, 7);
    assert_int_equal(t->wrong, 0);
    cop_config_free(&c);
}

/* Each hook works without the other, and is called for every packet once. */
static void test_each_hook_alone(void **state)
{
    (void)state;
    for (unsigned which = 0; which < 4; which++) {
        const cop_queue_ops ops = {.name = "alone",
                                   .layout = four_queues,
                                   .select = from_the_last,
                                   .runtime.on_enqueue = which & 1 ? tally_in : NULL,
                                   .runtime.on_dequeue = which & 2 ? tally_out : NULL};
        tally t = {0};
        cop_result r;
        run_queued(&ops, &t, &r);
        assert_int_equal(t.in, which & 1 ? 7 : 0);
        assert_int_equal(t.out, which & 2 ? 7 : 0);
        assert_int_equal(t.bytes_in, which & 1 ? r.bytes_delivered : 0);
        assert_int_equal(t.bytes_out, which & 2 ? r.bytes_delivered : 0);
        cop_result_free(&r);
    }
}

static void test_numbers_of_a_scheme(void **state)
{
    (void)state;
    static const cop_gauge counters[] = {{"own.count", "things"}, {"own.rest", "more"}, {0}};
    static const cop_gauge levels[] = {{"own/low", "x"}, {"own/high", "y"}, {0}};
    static const want all[] = {OFFERED,
                               {"input_sections", "sections", 2},
                               {"input_memory_bytes", "bytes", 2 * 16384},
                               {"retransmissions", "packets", 0},
                               {"acks", "packets", 0},
                               {"notifications", "packets", 0},
                               {"own.count", "things", 21},
                               {"own.rest", "more", 0},
                               {"own/low.at_end", "x", 0},
                               {"own/high.at_end", "y", 7},
                               {"hardware.ram_bytes_per_port", "bytes", 2 * 16384},
                               {"hardware.queues_per_port", "queues", 4},
                               {"hardware.cam_lines_per_port", "lines", 4},
                               {"hardware.cam_cells_per_port", "bits", 100},
                               {"hardware.sram_cells_per_port", "bits", 1000}};
    const cop_queue_ops ops = {.name = "own",
                               .layout = four_queues,
                               .select = from_the_last,
                               .cost = own_cost,
                               .runtime.counters = counters,
                               .runtime.levels = levels,
                               .runtime.on_enqueue = tally_in};
    tally t = {0};
    cop_result r;
    run_queued(&ops, &t, &r);
    expect_scalars(&r, all, COP_LEN(all));
    const cop_series *high = series(&r, "own/high");
    assert_string_equal(high->unit, "y");
    assert_int_equal(high->n, 100);
    same_number("last bin", high->v[99], 7);
    same_number("other level", series(&r, "own/low")->v[99], 0);
    cop_result_free(&r);
}

/* Host 0 sends half a flit of 4 bytes per cycle of 2 ns, without contention: a quarter per node, and every packet of 250
 * flits takes as long, its 250 cycles and the way. */
static void test_flits_and_cycles(void **state)
{
    (void)state;
    static const char yaml[] =
        "units: {flit: 4 B, cycle: 2 ns}\n"
        "run: {trees: no, duration: 100000 cycles}\n"
        "topology: {kind: single, hosts: 2}\n"
        "link: {rate: 1 flit/cycle, delay: 10 cycles}\n"
        "switch: {pipeline: 5 cycles}\n"
        "nic: {mtu: 250 flits}\n"
        "traffic: [{from: [0], pattern: fixed, to: 1, arrival: constant, load: 0.5 flit/cycle, "
        "message: 250 flits}]\n";
    cop_result r;
    scn_run(yaml, NULL, 0, &r, NULL);
    assert_true(fabs(scalar(&r, "offered_flits") - 0.25) < 1e-3);
    assert_true(fabs(scalar(&r, "accepted_flits") - 0.25) < 1e-3);
    same_number("throughput", scalar(&r, "throughput_flits"), r.throughput_gbps / 16.0);
    double way = scalar(&r, "latency_cycles.max");
    assert_true(way >= 250 + 2 * 10 + 5 && way < 300);
    same_number("largest", way, (double)r.latency->max / 2000.0);
    assert_true(fabs(scalar(&r, "latency_cycles.mean") - way) < 1e-6 * way);
    assert_true(fabs(scalar(&r, "latency_cycles.p50") - way) < 0.05 * way);
    assert_true(fabs(scalar(&r, "latency_cycles.p99") - way) < 0.05 * way);
    assert_true(scalar(&r, "transit_cycles.max") <= way &&
                scalar(&r, "transit_cycles.mean") >= 250);
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flits_and_cycles),
        cmocka_unit_test(test_without_a_control),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_each_hook_alone),
        cmocka_unit_test(test_numbers_of_a_scheme),
    };
    return cmocka_run_group_tests_name("results_scalars", tests, NULL, NULL);
}
