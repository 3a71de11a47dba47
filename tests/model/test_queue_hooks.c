/* The run-time part of net/queue.h, proved by a scheme of this test.
 *
 * Scheme   every input has a normal and a slow queue. Packets enter the normal queue; a packet for
 * a hot destination that reaches its head moves to the slow queue. When a slow queue holds more
 * than HIGH bytes, its input tells the switch upstream to stop its slow queues, and to go on when
 * it is below LOW: a small isolation scheme, as those of the papers are. Checked  nothing is lost,
 * flows stay in order, a stopped queue sends nothing, messages arrive one link delay after they
 * were sent and in order, everything drains, and cold flows are no longer held up by hot ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/outcome.h"
#include "exp/config.h"
#include "net/net.h"
#include "scenario.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NORMAL, SLOW, QUEUES };
enum { GO, STOP };
#define HIGH (8 * 1024)
#define LOW (4 * 1024)
#define MAX_PORTS 128

typedef struct sent { /* one message under way */
    cop_time t;
    uint64_t body;
} sent;

typedef struct book { /* what the hooks saw */
    uint64_t enqueued, dequeued, moved, messages, heads;
    uint64_t wrong_time, wrong_message, sent_while_stopped, wrong_bytes;
    uint64_t in_queue[MAX_PORTS]; /* packets, by the hooks' own count */
    uint32_t stops[MAX_PORTS]; /* outputs of this input's switch that said stop */
    sent under_way[MAX_PORTS][64]; /* [receiving port] ring */
    uint32_t at[MAX_PORTS], n[MAX_PORTS];
    cop_time go_at; /* when the test's own message arrived */
    cop_time first_out[MAX_PORTS]; /* first packet that left this input */
} book;

typedef struct scheme { /* the scheme's configuration, and a way to the book */
    uint64_t hot; /* bit per destination */
    bool stop_trunks; /* also stop inputs fed by switches, at switches that have hosts */
    book *b;
} scheme;

typedef struct port_state {
    bool told_to_stop; /* the neighbour upstream */
} port_state;

static const scheme *scheme_of(const cop_net *net)
{
    return cop_net_queue_cfg(net);
}

static void two_queues(const void *cfg, const cop_netinfo *info, uint32_t ports,
                       cop_queue_layout *l)
{
    (void)cfg, (void)info, (void)ports;
    *l = (cop_queue_layout){.queues = QUEUES};
}

static uint32_t to_normal(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    (void)cfg, (void)info, (void)p;
    return NORMAL;
}

static void tell(cop_net *net, uint32_t port, uint64_t what)
{
    book *b = scheme_of(net)->b;
    uint32_t to = net->in[port].from;
    if (net->out[to].sw != COP_NONE) {
        assert_true(b->n[to] - b->at[to] < 64);
        b->under_way[to][b->n[to]++ % 64] = (sent){.t = cop_net_now(net), .body = what};
    }
    cop_net_queue_send(net, port, what);
}

static uint32_t isolate_head(cop_net *net, uint32_t port, uint32_t q, cop_pkt *p)
{
    const scheme *s = scheme_of(net);
    port_state *st = cop_net_queue_state(net, port);
    s->b->heads++;
    if (q == SLOW || !(s->hot >> p->dst & 1))
        return q;
    s->b->moved++;
    if (cop_net_queue_bytes(net, port, SLOW) + p->bytes > HIGH && !st->told_to_stop) {
        st->told_to_stop = true;
        tell(net, port, STOP);
    }
    return SLOW;
}

static void isolate_enqueue(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    book *b = scheme_of(net)->b;
    assert_int_equal(q, NORMAL);
    assert_true(p->bytes > 0);
    b->enqueued++;
    b->in_queue[port]++;
}

static void isolate_dequeue(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    const scheme *s = scheme_of(net);
    book *b = s->b;
    port_state *st = cop_net_queue_state(net, port);
    b->dequeued++;
    b->in_queue[port]--;
    if (b->first_out[port] == 0)
        b->first_out[port] = cop_net_now(net);
    /* Hot packets leave by the slow queue only. */
    assert_int_equal(q, s->hot >> p->dst & 1 ? SLOW : NORMAL);
    b->sent_while_stopped += q == SLOW && b->stops[port] > 0;
    bool nothing = b->in_queue[port] == 0;
    uint64_t bytes = cop_net_queue_bytes(net, port, NORMAL) + cop_net_queue_bytes(net, port, SLOW);
    b->wrong_bytes += nothing != (bytes == 0);
    if (st->told_to_stop && cop_net_queue_bytes(net, port, SLOW) < LOW) {
        st->told_to_stop = false;
        tell(net, port, GO);
    }
}

static bool obeys(const cop_net *net, uint32_t input)
{
    const cop_topo *t = cop_net_info(net)->topo;
    if (net->in[input].from == COP_NONE)
        return false;
    if (cop_topo_is_host_port(t, net->in[input].from) || scheme_of(net)->stop_trunks)
        return true;
    uint32_t sw = net->in[input].sw;
    for (uint32_t i = 0; i < cop_topo_ports_of(t, sw); i++) {
        uint32_t to = t->port[cop_topo_switch_port(t, sw, i)].to;
        if (to != COP_NONE && cop_topo_is_host_port(t, to))
            return false;
    }
    return true;
}

static void receive_control(cop_net *net, uint32_t port, uint64_t message)
{
    book *b = scheme_of(net)->b;
    const sent *m = &b->under_way[port][b->at[port]++ % 64];
    b->messages++;
    b->wrong_time += cop_net_now(net) != m->t + net->out[port].delay_ps;
    b->wrong_message += message != m->body;
    uint32_t sw = net->out[port].sw;
    for (uint32_t i = 0; i < cop_topo_ports_of(net->topo, sw); i++) {
        uint32_t input = cop_topo_switch_port(net->topo, sw, i);
        if (!obeys(net, input))
            continue;
        bool was = b->stops[input] > 0;
        b->stops[input] += message == STOP ? 1u : -1u;
        if (was != (b->stops[input] > 0))
            cop_net_queue_stop(net, input, SLOW, b->stops[input] > 0);
    }
}

static const cop_queue_ops isolate = {.name = "test",
                                      .layout = two_queues,
                                      .select = to_normal,
                                      .port_size = sizeof(port_state),
                                      .on_head = isolate_head,
                                      .on_enqueue = isolate_enqueue,
                                      .on_dequeue = isolate_dequeue,
                                      .on_control = receive_control};

/* -- a network built by hand, around a queueing scheme that no registry knows -- */

typedef struct world {
    cop_config c;
    cop_topo topo;
    cop_route route;
    cop_traffic traffic;
    uint64_t inject_bps[64];
    cop_net net;
    book b;
    scheme s;
} world;

static const char *plain_where(const void *ctx, size_t entry, const char *option, char *buf,
                               size_t size)
{
    (void)ctx, (void)entry;
    return scn_text(buf, size, "test:%s", option);
}

static void must(int rc, const cop_err *err)
{
    if (rc != 0)
        print_error("%s\n", err->text);
    assert_int_equal(rc, 0);
}

static world *build(const char *yaml, const char *const *set, size_t n, const cop_queue_ops *ops)
{
    world *w = cop_alloc(sizeof(*w));
    cop_err err = {0};
    cop_override o[16];
    assert_true(n <= COP_LEN(o));
    for (size_t i = 0; i < n; i++)
        o[i].text = set[i];
    must(cop_config_load(&w->c, "test.yaml", yaml, o, n, &err), &err);
    must(w->c.topo->build(&w->topo, w->c.topo_cfg, &err), &err);
    assert_true(w->topo.n_ports <= MAX_PORTS && w->topo.n_hosts <= 64);
    must(cop_route_init(&w->route, w->c.route, &w->topo, w->c.route_cfg, 0, &err), &err);
    uint32_t lanes = w->route.vls;
    assert_int_equal(lanes, 1);
    w->route.lanes = lanes;
    for (uint32_t h = 0; h < w->topo.n_hosts; h++)
        w->inject_bps[h] = cop_net_link_rate(&w->topo, &w->c.link, cop_topo_host_port(&w->topo, h));
    cop_traffic_ctx ctx = {.seed = 1,
                           .inject_bps = w->inject_bps,
                           .mtu_bytes = w->c.nic.mtu_bytes,
                           .duration_ps = w->c.run.duration_ps,
                           .where = plain_where};
    must(cop_traffic_build(&w->traffic, &w->topo, w->c.traffic, w->c.n_traffic, &ctx, &err), &err);
    w->s.b = &w->b;
    cop_net_parts parts = {.topo = &w->topo,
                           .route = &w->route,
                           .traffic = &w->traffic,
                           .run = &w->c.run,
                           .link = &w->c.link,
                           .sw = &w->c.sw,
                           .fc = &w->c.fc,
                           .nic = &w->c.nic,
                           .queue = ops,
                           .cc = w->c.cc,
                           .queue_cfg = &w->s,
                           .cc_cfg = w->c.cc_cfg,
                           .lanes = lanes};
    must(cop_net_init(&w->net, &parts, &err), &err);
    return w;
}

static void demolish(world *w)
{
    cop_net_fini(&w->net);
    cop_traffic_free(&w->traffic);
    cop_route_fini(&w->route);
    cop_topo_free(&w->topo);
    cop_config_free(&w->c);
    cop_free(w);
}

static void run(world *w)
{
    cop_net_run(&w->net, NULL, NULL);
    if (w->net.stop != COP_OUTCOME_OK)
        print_error("%s\n", w->net.why);
    assert_int_equal(w->net.stop, COP_OUTCOME_OK);
}

static void check_drained(const world *w)
{
    const cop_net *net = &w->net;
    const book *b = &w->b;
    assert_true(net->total.injected > 0);
    assert_int_equal(net->total.delivered, net->total.injected);
    assert_int_equal(cop_net_in_flight(net), 0);
    assert_int_equal(b->enqueued, b->dequeued);
    for (uint32_t q = 0; q < net->n_queues; q++) {
        assert_int_equal(net->queue[q].bytes, 0);
        assert_int_equal(net->queue[q].head, COP_NONE);
    }
    for (uint32_t p = 0; p < net->host_port0; p++) {
        assert_int_equal(b->in_queue[p], 0);
        assert_int_equal(b->stops[p], 0);
        assert_int_equal(net->out[p].waiting, 0);
        assert_int_equal(b->at[p], b->n[p]);
    }
    assert_int_equal(b->wrong_time, 0);
    assert_int_equal(b->wrong_message, 0);
    assert_int_equal(b->sent_while_stopped, 0);
    assert_int_equal(b->wrong_bytes, 0);
}

static double gbps(const world *w, const char *entry)
{
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < w->traffic.n_streams; s++)
        if (strcmp(w->traffic.entry_name[w->traffic.stream[s].entry], entry) == 0)
            bytes += w->net.probe.stream[s].bytes;
    return (double)bytes * 8e3 / (double)(w->c.run.duration_ps - w->c.run.warmup_ps);
}

/* -- tests -- */

/* Three switches in a row. Hosts 0, 2 and 4 overload host 6; hosts 1 and 3 want host 7. */
static const char row[] = "run: {duration: 300 us, warmup: 50 us, sample: 1 ms, drain: yes, "
                          "flows: yes}\n"
                          "topology: {kind: chain, hosts: [2, 2, 4]}\n"
                          "routing: {kind: minhop}\n"
                          "link: {rate: 10 Gbit/s, delay: 50 ns}\n"
                          "switch: {buffer: 64 KiB}\n"
                          "traffic:\n"
                          "  - {name: hot, from: [0, 2, 4], pattern: fixed, to: 6}\n"
                          "  - {name: cold, from: [1, 3], pattern: fixed, to: 7,"
                          " arrival: constant, load: 20 %}\n";
#define HOT_HOST ((uint64_t)1 << 6)

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
                                   .on_head = stay,
                                   .on_enqueue = count_to_ten,
                                   .on_dequeue = note_departure,
                                   .on_control = go_on};

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
    .name = "stutter", .layout = two_queues, .select = to_normal, .on_head = stutter};

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

static const cop_queue_ops late_stutterer = {
    .name = "late-stutter", .layout = two_queues, .select = to_normal, .on_dequeue = stutter_after};

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
 * wire like everybody else. */
static void restart_other(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    book *b = scheme_of(net)->b;
    uint32_t other = cop_topo_switch_port(net->topo, 0, 1);
    (void)q, (void)p;
    if (port != other && ++b->dequeued == 10)
        cop_net_queue_stop(net, other, NORMAL, false);
}

static const cop_queue_ops restarter = {
    .name = "restart", .layout = two_queues, .select = to_normal, .on_dequeue = restart_other};

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
                                        .on_head = stop_self,
                                        .on_enqueue = count_to_ten,
                                        .on_dequeue = note_departure,
                                        .on_control = go_on};

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isolation_frees_the_victims),
        cmocka_unit_test(test_scheme_at_rest_changes_nothing),
        cmocka_unit_test(test_every_switch_and_flow_control),
        cmocka_unit_test(test_adaptive_routing),
        cmocka_unit_test(test_stop_and_go_are_exact),
        cmocka_unit_test(test_repeated_stops_are_harmless),
        cmocka_unit_test(test_restart_of_the_sending_queue),
        cmocka_unit_test(test_restart_from_a_departure),
        cmocka_unit_test(test_head_stops_its_own_queue),
        cmocka_unit_test(test_stopped_queues_are_no_deadlock),
    };
    return cmocka_run_group_tests_name("queue_hooks", tests, NULL, NULL);
}
