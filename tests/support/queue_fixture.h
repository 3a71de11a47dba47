/* A network built by hand around a queueing scheme that no registry knows, and a scheme for it.
 *
 * Scheme   every input has a normal and a slow queue. Packets enter the normal queue; a packet for
 * a hot destination that reaches its head moves to the slow queue. When a slow queue holds more
 * than HIGH bytes, its input tells the switch upstream to stop its slow queues, and to go on when
 * it is below LOW: a small isolation scheme, as those of the papers are. */
#ifndef COP_QUEUE_FIXTURE_H
#define COP_QUEUE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/outcome.h"
#include "exp/config.h"
#include "net/net.h"
#include "scenario.h"

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

static inline const scheme *scheme_of(const cop_net *net)
{
    return cop_net_queue_cfg(net);
}

static inline void two_queues(const void *cfg, const cop_netinfo *info, uint32_t ports,
                              cop_queue_layout *l)
{
    (void)cfg, (void)info, (void)ports;
    *l = (cop_queue_layout){.queues = QUEUES};
}

static inline uint32_t to_normal(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    (void)cfg, (void)info, (void)p;
    return NORMAL;
}

static inline void tell(cop_net *net, uint32_t port, uint64_t what)
{
    book *b = scheme_of(net)->b;
    uint32_t to = net->in[port].from;
    if (net->out[to].sw != COP_NONE) {
        assert_true(b->n[to] - b->at[to] < 64);
        b->under_way[to][b->n[to]++ % 64] = (sent){.t = cop_net_now(net), .body = what};
    }
    cop_net_queue_send(net, port, what);
}

static inline uint32_t isolate_head(cop_net *net, uint32_t port, uint32_t q, cop_pkt *p)
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

static inline void isolate_enqueue(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    book *b = scheme_of(net)->b;
    assert_int_equal(q, NORMAL);
    assert_true(p->bytes > 0);
    b->enqueued++;
    b->in_queue[port]++;
}

static inline void isolate_dequeue(cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
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

static inline bool obeys(const cop_net *net, uint32_t input)
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

static inline void receive_control(cop_net *net, uint32_t port, uint64_t message)
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
                                      .runtime.port_size = sizeof(port_state),
                                      .runtime.on_head = isolate_head,
                                      .runtime.on_enqueue = isolate_enqueue,
                                      .runtime.on_dequeue = isolate_dequeue,
                                      .runtime.on_control = receive_control};

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

static inline const char *plain_where(const void *ctx, size_t entry, const char *option, char *buf,
                                      size_t size)
{
    (void)ctx, (void)entry;
    return scn_text(buf, size, "test:%s", option);
}

static inline void must(int rc, const cop_err *err)
{
    if (rc != 0)
        print_error("%s\n", err->text);
    assert_int_equal(rc, 0);
}

static inline world *build(const char *yaml, const char *const *set, size_t n,
                           const cop_queue_ops *ops)
{
    world *w = cop_alloc(sizeof(*w));
    cop_err err = {0};
    cop_override o[16];
    assert_true(n <= COP_LEN(o));
    for (size_t i = 0; i < n; i++)
        o[i] = (cop_override){.text = set[i]};
    must(cop_config_load(&w->c, "test.yaml", yaml, o, n, &err), &err);
    must(w->c.topo->build(&w->topo, w->c.topo_cfg, &err), &err);
    assert_true(w->topo.n_ports <= MAX_PORTS && w->topo.n_hosts <= 64);
    must(cop_route_init(&w->route, w->c.route, &w->topo, w->c.route_cfg, 0, &err), &err);
    uint32_t lanes = w->route.facts.vls;
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
                           .host = w->c.host,
                           .queue_cfg = &w->s,
                           .cc_cfg = w->c.cc_cfg,
                           .host_cfg = w->c.host_cfg,
                           .lanes = lanes};
    must(cop_net_init(&w->net, &parts, &err), &err);
    return w;
}

static inline void demolish(world *w)
{
    cop_net_fini(&w->net);
    cop_traffic_free(&w->traffic);
    cop_route_fini(&w->route);
    cop_topo_free(&w->topo);
    cop_config_free(&w->c);
    cop_free(w);
}

static inline void run(world *w)
{
    cop_net_run(&w->net, NULL, NULL);
    if (w->net.stop != COP_OUTCOME_OK)
        print_error("%s\n", w->net.why);
    assert_int_equal(w->net.stop, COP_OUTCOME_OK);
}

static inline void check_drained(const world *w)
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

static inline double gbps(const world *w, const char *entry)
{
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < w->traffic.n_streams; s++)
        if (strcmp(w->traffic.entry_name[w->traffic.stream[s].entry], entry) == 0)
            bytes += w->net.probe.stream[s].bytes;
    return (double)bytes * 8e3 / (double)(w->c.run.duration_ps - w->c.run.warmup_ps);
}

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

#endif
