/* What a routing hears of packets between its decisions adds up: one has come to wait (on_wait), waits for another output
 * (on_move), goes (on_send). A routing that counts by these three what waits for each output is never below zero and has
 * nothing left when the network is empty: where heads are decided anew, where a packet is granted another candidate
 * than its first, with output buffers and without. */
#include "net_fixture.h"

#include <string.h>

#include "exp/config.h"
#include "route/route.h"

typedef struct count {
    int32_t now, least, moved;
} count;

static count *at(const cop_route_view *view, uint32_t port)
{
    return view->can->port(view->ctx, port);
}

static void add(const cop_route_view *view, uint32_t port, int by)
{
    count *c = at(view, port);
    c->now += by;
    c->least = c->now < c->least ? c->now : c->least;
}

static void on_wait(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port)
{
    (void)r, (void)sw;
    add(view, port, 1);
}

static void on_move(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t from,
                    uint32_t to)
{
    (void)r, (void)sw;
    assert_int_not_equal(from, to);
    add(view, from, -1);
    add(view, to, 1);
    at(view, to)->moved++;
}

static void on_send(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port)
{
    (void)r, (void)sw;
    add(view, port, -1);
}

static const cop_value values[] = {
    {"now", "packets"}, {"least", "packets"}, {"moved", "packets"}, {NULL, NULL}};

static double value(const cop_route *r, const void *state, unsigned which)
{
    (void)r;
    const count *c = state;
    return which == 0 ? c->now : which == 1 ? c->least : c->moved;
}

static int setup(cop_route *r, const void *cfg, cop_err *err)
{
    int rc = cop_route_find(r->ops->name)->setup(r, cfg, err);
    r->facts.port_size = sizeof(count);
    return rc;
}

/* The sum of a value over all ports at the end, when the network is empty, and of what it is called. */
static double last(const cop_result *r, const char *kind)
{
    double sum = 0.0;
    size_t n = strlen(kind), found = 0;
    for (uint32_t i = 0; i < r->n_series; i++)
        if (strncmp(r->series[i].name, kind, n) == 0 && r->series[i].name[n] == '/') {
            sum += r->series[i].v[r->series[i].n - 1];
            found++;
        }
    assert_true(found > 0);
    return sum;
}

static void adds_up(const char *routing, const char *yaml, bool moves)
{
    cop_route_ops counting = *cop_route_find(routing);
    counting.setup = setup;
    counting.on_wait = on_wait;
    counting.on_move = on_move;
    counting.on_send = on_send;
    counting.port_values = values;
    counting.port_value = value;
    cop_config c;
    cop_result r;
    cop_err err = {0};
    if (cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(c.route->name, routing);
    c.route = &counting;
    if (cop_run(&c, NULL, &r, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_true(r.packets_delivered > 1000);
    if (last(&r, "least") < 0.0 || last(&r, "now") != 0.0)
        fail_msg("%s: least %g, left %g", routing, last(&r, "least"), last(&r, "now"));
    if ((last(&r, "moved") > 10.0) != moves)
        fail_msg("%s: moved %g", routing, last(&r, "moved"));
    cop_result_free(&r);
    cop_config_free(&c);
}

#define RUN                                                                                        \
    "run: {duration: 2 ms, sample: 2 ms, observe: 'now/s0-35.0-6, least/s0-35.0-6, "               \
    "moved/s0-35.0-6'}\nlink: {rate: 40 Gbit/s, delay: 40 ns}\nnic: {mtu: 1000 B, ack: packet}\n"  \
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"                                              \
    "traffic: [{pattern: group-adversarial, arrival: bernoulli, load: 40 %, stop: 60 us, "         \
    "message: 1000 B}]\n"
#define BUFFERED "switch: {architecture: cioq, buffer: 16 kB, output_buffer: 4 kB}\n"

static void test_decided_anew(void **state)
{
    (void)state;
    adds_up("ugal", RUN "routing: {kind: ugal, decide: head}\n", true);
    adds_up("ugal", RUN BUFFERED "routing: {kind: ugal, decide: head}\nqueueing: {kind: 1q}\n",
            true);
    adds_up("piggyback", RUN "routing: {kind: piggyback, decide: head}\nqueueing: {kind: 1q}\n",
            true);
    adds_up("ugal", RUN BUFFERED "routing: {kind: ugal}\n", false);
}

#define TORUS(switches)                                                                            \
    "run: {duration: 2 ms, sample: 2 ms, observe: 'now/s0-15.0-4, least/s0-15.0-4, "               \
    "moved/s0-15.0-4'}\ntopology: {kind: torus, radix: [4, 4]}\nnic: {mtu: 256 B}\n"               \
    "queueing: {kind: 1q}\nswitch: {" switches "buffer: 4 KiB}\n"                                  \
    "routing: {kind: adaptive-cube}\ntraffic: [{pattern: uniform, stop: 20 us, message: 256 B}]\n"

static void test_another_candidate(void **state)
{
    (void)state;
    adds_up("adaptive-cube", TORUS(), true);
    adds_up("adaptive-cube", TORUS("architecture: iq, "), true);
    adds_up("adaptive-cube", TORUS("architecture: cioq, output_buffer: 4 KiB, "), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decided_anew),
                                       cmocka_unit_test(test_another_candidate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
