/* What the deadlock watch says at different times of a run agrees, in random networks whose routing has cycles: with output
 * buffers and without, credit asked for before or behind the crossbar, lanes of their own or sharing, several
 * flow controls, wormhole switching. Sources stop early; what then never moves again is the plain truth.
 *   once found, found at every later look;
 *   every queue that a look names keeps its head to the end;
 *   in a network that empties no look finds anything;
 *   in one that stands still with packets inside the last look finds it. */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "net/deadlock/deadlock.h"
#include "net_fixture.h"

#define QUEUES 8192
#define NETWORKS 160u

typedef struct head {
    uint32_t src, seq;
    bool known;
} head;

typedef struct watcher {
    net_lab *w;
    cop_time step, last, moved_at; /* last look; when something moved last */
    uint64_t hops, looks, found;
    cop_time first; /* look that found something; COP_NEVER: none did */
    head head[QUEUES]; /* of queues that were named */
} watcher;

/* -- looks -- */

static void note_heads(watcher *a, cop_time now)
{
    const cop_net *net = &a->w->net;
    uint32_t q;
    assert_true(net->n_queues <= QUEUES);
    for (size_t i = 0; (q = cop_stall_queue(net, i)) != COP_NONE; i++) {
        const cop_pkt *p = &net->pkt[net->queue[q].head];
        if (!a->head[q].known)
            a->head[q] = (head){p->src, p->seq, true};
        if (net->queue[q].head == COP_NONE || a->head[q].src != p->src || a->head[q].seq != p->seq)
            fail_msg("%s: the head of queue %u went on before %.3f us", a->w->what, q,
                     (double)now / 1e6);
    }
}

static cop_time look(void *ctx, const struct cop_net *seen, cop_time now)
{
    watcher *a = ctx;
    cop_net *net = &a->w->net;
    assert_ptr_equal(net, seen);
    cop_time before = net->now;
    net->now = now; /* as at the end of a run that ends here */
    a->looks++;
    a->last = now;
    if (net->total.hops != a->hops)
        a->moved_at = now;
    a->hops = net->total.hops;
    if (cop_stall_final(net)) {
        a->first = cop_min64(a->first, now);
        a->found++;
        note_heads(a, now);
        net->stop = COP_OUTCOME_OK;
        net->why[0] = '\0';
    } else if (a->first != COP_NEVER) {
        fail_msg("%s: found at %.3f us, not at %.3f us", a->w->what, (double)a->first / 1e6,
                 (double)now / 1e6);
    }
    net->now = before;
    return now + a->step;
}

/* -- networks -- */

static uint32_t below(cop_rng *r, uint32_t n)
{
    return cop_rng_below(r, n);
}

static const char *one(cop_rng *r, const char *const *list, uint32_t n)
{
    return list[below(r, n)];
}
#define ONE(r, ...)                                                                                \
    one(r, (const char *const[]){__VA_ARGS__},                                                     \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void draw_switch(cop_rng *r, bool flits, char *text, size_t size)
{
    uint32_t lanes = 1 + below(r, 3), sharing = below(r, 4), output = 1 + below(r, 3);
    const char *arch = ONE(r, "ib", "ib", "cioq", "cioq", "iq");
    const char *credit = ONE(r, "wire", "wire", "crossbar");
    const char *fc = ONE(r, "credit", "credit", "ib", "on-off");
    size_t used = (size_t)snprintf(text, size, "switch: {lanes: %u", lanes);
    if (flits) {
        snprintf(text + used, size - used, ", switching: wormhole, flit: 64 B, buffer: %u B}\n",
                 64 * (1 + below(r, 12)));
        return;
    }
    bool obuf = strcmp(arch, "cioq") == 0 || (strcmp(arch, "ib") == 0 && below(r, 3) > 0);
    uint32_t buffer = (strcmp(fc, "on-off") == 0 ? 12 : 2 + below(r, 4)) * 1024;
    if (sharing == 1)
        fc = "credit";
    used += (size_t)snprintf(text + used, size - used, ", architecture: %s, buffer: %u B", arch,
                             sharing == 1 ? buffer * lanes : buffer);
    if (sharing == 1)
        used += (size_t)snprintf(text + used, size - used, ", shared_lanes: yes");
    if (obuf)
        used += (size_t)snprintf(text + used, size - used, ", output_buffer: %u B",
                                 output * 1280 * (sharing == 2 ? lanes : 1));
    if (obuf && sharing == 2)
        used += (size_t)snprintf(text + used, size - used, ", output_shared: yes");
    if (obuf && sharing != 1 && strcmp(fc, "on-off") != 0)
        used += (size_t)snprintf(text + used, size - used, ", output_credit: %s", credit);
    snprintf(text + used, size - used, "}\nflow_control: {kind: %s}\n", fc);
}

/* `flits`: wormhole switching. */
static void draw(uint64_t seed, bool flits, char *text, size_t size)
{
    cop_rng rng = cop_rng_make(seed, COP_RNG_ARRIVAL, flits), *r = &rng;
    static const char *const routings[] = {"kind: dor, datelines: no",
                                           "kind: dor, datelines: no, ties: random", "kind: minhop",
                                           "kind: true-adaptive, timeout: 1 s"};
    const char *shape = ONE(r, "[6]", "[5]", "[7]", "[6]", "[4, 3]");
    uint32_t hosts = 1 + below(r, 3), load = (flits ? 10 : 40) + 10 * below(r, 7),
             delay = 5 + below(r, 60);
    const char *queueing = ONE(r, "1q", "voqsw");
    char machine[512];
    draw_switch(r, flits, machine, sizeof(machine));
    bool pauses = strstr(machine, "on-off") != NULL; /* recovery needs credits */
    const char *routing = one(r, routings, (uint32_t)COP_LEN(routings) - pauses);
    snprintf(text, size,
             "run: {duration: 240 us, sample: 240 us, seed: %u, allow_deadlock: yes}\n"
             "topology: {kind: torus, radix: %s, hosts: %u}\nrouting: {%s}\n"
             "link: {rate: 40 Gbit/s, delay: %u ns}\nnic: {mtu: 1 KiB}\n%squeueing: {kind: %s}\n"
             "traffic: [{pattern: uniform, arrival: poisson, load: %u %%, stop: 90 us, "
             "size_distribution: uniform, size_min: 64 B, size_max: %u B}]\n",
             (uint32_t)seed, shape, hosts, routing, delay, machine, flits ? "1q" : queueing, load,
             64 * (1 + below(r, 48)));
}

/* -- the test -- */

typedef struct tally {
    uint32_t dead, alive,
        open; /* networks: stand still, are empty, something still moves at the end */
    uint64_t agreed; /* looks after the first one that found something */
} tally;

static void judge(watcher *a, tally *t)
{
    const cop_net *net = &a->w->net;
    uint64_t inside = cop_net_in_flight(net);
    if (inside == 0) {
        if (a->first != COP_NEVER)
            fail_msg("%s: all arrived, but a deadlock was found at %.3f us", a->w->what,
                     (double)a->first / 1e6);
        t->alive++;
    } else if (a->moved_at + 60 * COP_US < a->last) {
        if (a->first == COP_NEVER)
            fail_msg("%s: %" PRIu64 " packets never moved on, and nothing was found", a->w->what,
                     inside);
        assert_int_equal(net->stop, COP_OUTCOME_DEADLOCK);
        note_heads(a, net->now);
        t->dead++;
    } else {
        t->open++;
    }
    t->agreed += a->first == COP_NEVER ? 0 : a->found;
}

static void sweep(bool flits, tally *t)
{
    char text[1600];
    for (uint32_t i = 0; i < NETWORKS * scn_rounds(); i++) {
        draw(200 + i, flits, text, sizeof(text));
        net_lab *w = lab_build(text, NULL, 0);
        watcher *a = cop_alloc(sizeof(*a));
        *a = (watcher){.w = w, .step = 1700 * COP_NS, .first = COP_NEVER};
        w->what = text;
        cop_net_observe(&w->net, &(cop_observer){.first = 5 * COP_US, .look = look, .ctx = a});
        cop_net_run(&w->net, NULL, NULL);
        judge(a, t);
        cop_free(a);
        lab_free(w);
    }
}

static void test_packets(void **state)
{
    (void)state;
    tally t = {0};
    sweep(false, &t);
    print_message("stand still %u, empty %u, open %u, agreed %" PRIu64 "\n", t.dead, t.alive,
                  t.open, t.agreed);
    assert_true(t.dead >= NETWORKS / 4 && t.alive >= NETWORKS / 8);
    assert_true(t.agreed > t.dead * 50);
}

static void test_flits(void **state)
{
    (void)state;
    tally t = {0};
    sweep(true, &t);
    print_message("stand still %u, empty %u, open %u, agreed %" PRIu64 "\n", t.dead, t.alive,
                  t.open, t.agreed);
    assert_true(t.dead >= NETWORKS / 4 && t.alive >= NETWORKS / 8);
    assert_true(t.agreed > t.dead * 50);
}

/* One of two lanes is dead, and credits of the other one come back all the time. */
static void test_found_at_every_end(void **state)
{
    (void)state;
    static const char one_lane[] =
        "run: {duration: 1 us, sample: 1 ms, allow_deadlock: yes}\n"
        "topology: {kind: torus, radix: [6], hosts: 2}\n"
        "routing: {kind: dor, datelines: no}\n"
        "link: {rate: 40 Gbit/s, delay: 5 ns}\n"
        "switch: {buffer: 4096 B, output_buffer: 1024 B, lanes: 2}\n"
        "nic: {mtu: 1 KiB}\n"
        "traffic: [{pattern: uniform, arrival: poisson, load: 90 %, "
        "size_distribution: uniform, size_min: 64 B, size_max: 3 KiB}]\n";
    static const uint32_t row[][2] = {{524, 36}, {1, 51}, {2, 37}, {3, 35}}; /* seed, dead from */
    static const uint32_t after[] = {0, 1, 2, 3, 5, 8, 20, 60, 150};
    char seed[32], duration[40];
    for (size_t i = 0; i < COP_LEN(row); i++)
        for (size_t k = 0; k <= COP_LEN(after); k++) {
            bool dead = k < COP_LEN(after);
            const char *set[] = {scn_text(seed, sizeof(seed), "run.seed=%u", row[i][0]),
                                 scn_text(duration, sizeof(duration), "run.duration=%u us",
                                          dead ? row[i][1] + after[k] : row[i][1] - 1)};
            cop_result r;
            scn_run(one_lane, set, COP_LEN(set), &r, NULL);
            if ((r.outcome == COP_OUTCOME_DEADLOCK) != dead)
                fail_msg("%s, %s: %s", seed, duration, cop_outcome_name((int)r.outcome));
            cop_result_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_found_at_every_end),
                                       cmocka_unit_test(test_packets),
                                       cmocka_unit_test(test_flits)};
    return cmocka_run_group_tests_name("stall_looks", tests, NULL, NULL);
}
