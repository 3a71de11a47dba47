/* The packet-level simulator against the flit-level reference.
 *
 * Role     random small networks, switches, buffers and packets; both simulators get the same list of
 *          messages, and every message must be delivered in the same picosecond.
 * Bound    none is needed: where both describe the same machine the difference is zero. That covers
 *          cut-through and store-and-forward, links of different rates, header, pipeline and credit
 *          delays, slow sinks, blocking by credit, one queue or one per output, read port per output
 *          (ib) or per input with iSLIP (iq), turns that inputs miss, fixed lanes (vftree), and
 *          deadlocks on a ring.
 * Not      what the reference has not is left out on purpose: routings that change lanes, matching with
 *          fewer iterations than ports (the reference repeats it every tick), lanes together with
 *          matching, and hosts that send on more than one lane (its hosts keep one order).
 * Units    one tick is 4 ns, half of a flit of 64 bytes on the fastest link, 64 Gbit/s. COPPICE_ROUNDS
 *          multiplies the number of networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "flitref.h"
#include "scenario.h"

#define TICK ((cop_time)4000)
#define FLIT 64u
#define FLIT_PS ((cop_time)8000) /* at 64 Gbit/s */
#define BASE_MBPS 64000u
#define NETWORKS 300u
#define CROWDED 40u
#define MAX_MESSAGES 160u
#define MAX_CROWD 1200u
#define MAX_HOSTS 64u
#define MAX_CUTS 3u /* packets of one message */

typedef struct message {
    cop_time t;
    uint32_t entry, src, dst, packets, last_flits;
    uint8_t lane;
} message;

typedef struct trial {
    uint32_t number;
    cop_rng rng;
    uint32_t kind; /* row of `networks` */
    bool deadlocks; /* the routing may deadlock */
    bool crowded; /* all that is sent waits from the start on */
    uint32_t sent[MAX_HOSTS], phase;
    uint32_t slow[3]; /* per link class: times slower than the base rate */
    uint32_t delay[3]; /* ticks */
    uint32_t pipeline, credit, header, overhead, sink_slow;
    uint32_t mtu_flits, least_flits, buffer_flits, sink_flits, lanes;
    bool saf, iq, absolute;
    enum fr_queueing queueing;
    cop_topo topo;
    message msg[MAX_CROWD]; /* in order of generation */
    uint32_t n;
    fr_packet *pkt; /* of all messages, in the same order */
    uint32_t n_pkts;
    char *yaml;
    size_t used, size;
} trial;

static const struct {
    const char *topology, *routing, *run;
} networks[] = {
    {"{kind: single, hosts: 3}", "minhop", ""},
    {"{kind: single, hosts: 6}", "updn", ""},
    {"{kind: chain, hosts: [2, 3]}", "minhop", ""},
    {"{kind: chain, hosts: [2, 1, 2]}", "updn", ""},
    {"{kind: chain, hosts: [2, 0, 1, 2]}", "minhop", ""},
    {"{kind: kary-ntree, k: 2, n: 2}", "dmodk", ""},
    {"{kind: kary-ntree, k: 2, n: 3}", "destro", ""},
    {"{kind: fat-tree, ports: 4}", "ftree", ""},
    {"{kind: xgft, children: [3, 2], parents: [1, 2]}", "det", ""},
    {"{kind: xgft, children: [2, 3], parents: [1, 1]}", "dmodk", ""},
    {"{kind: torus, radix: [4], hosts: 2}", "updn", ""},
    {"{kind: torus, radix: [3, 3]}", "updn", ""},
    {"{kind: mesh, radix: [2, 3]}", "dor", ""},
    {"{kind: hypercube, dims: 3}", "dor", ""},
    {"{kind: full, switches: 4, hosts: 2}", "minhop", ""},
    {"{kind: omega, radix: 2, stages: 3}", "destination-tag", ""},
    {"{kind: butterfly, radix: 3, stages: 2}", "destination-tag", ""},
    {"{kind: dragonfly, p: 1, a: 2, h: 1}", "updn", ""},
    {"{kind: torus, radix: [4], hosts: 2}", "dor, datelines: no", ", allow_deadlock: yes"},
    {"{kind: torus, radix: [5]}", "dor, datelines: no", ", allow_deadlock: yes"},
};

static uint32_t below(trial *x, uint32_t n)
{
    return cop_rng_below(&x->rng, n);
}

static uint32_t between(trial *x, uint32_t least, uint32_t most)
{
    return least + below(x, most - least + 1);
}

static void write_text(trial *x, const char *fmt, ...) COP_PRINTF(2, 3);
static void write_text(trial *x, const char *fmt, ...)
{
    va_list ap;
    x->yaml = cop_grow(x->yaml, &x->size, x->used + 512, 1);
    va_start(ap, fmt);
    x->used += (size_t)vsnprintf(x->yaml + x->used, 512, fmt, ap);
    va_end(ap);
}

/* Only powers of 2 and 5 times a tick give the same whole picoseconds per byte in both. */
static uint32_t draw_slow(trial *x)
{
    static const uint32_t choice[] = {1, 1, 2, 2, 4, 5, 8};
    return choice[below(x, COP_LEN(choice))];
}

static void draw_machine(trial *x)
{
    x->kind = x->number % COP_LEN(networks);
    x->deadlocks = networks[x->kind].run[0] != '\0';
    bool one_rate = below(x, 3) == 0;
    for (int c = 0; c < 3; c++) {
        x->slow[c] = c > 0 && one_rate ? x->slow[0] : draw_slow(x);
        x->delay[c] = between(x, 1, 25);
    }
    x->pipeline = below(x, 2) ? between(x, 1, 25) : 0;
    x->credit = below(x, 2) ? between(x, 1, 10) : 0;
    x->header = below(x, 5) * 32;
    x->overhead = below(x, 3) == 0 ? 16 : 0;
    x->sink_slow = below(x, 2) ? 2 * draw_slow(x) : 0;
    x->least_flits = (x->header + FLIT - 1) / FLIT + (x->header == 0);
    x->mtu_flits = between(x, x->least_flits, 8);
    x->buffer_flits = between(x, x->mtu_flits, 3 * x->mtu_flits);
    x->sink_flits = below(x, 2) ? between(x, x->mtu_flits, 2 * x->mtu_flits) : 0;
    x->saf = below(x, 4) == 0;
    x->iq = below(x, 2);
    x->absolute = below(x, 4) == 0;
    x->queueing = below(x, 2) ? FR_VOQ : FR_FIFO;
    x->lanes = x->queueing == FR_VOQ && !x->iq && below(x, 2) ? between(x, 2, 3) : 1;
}

/* Inputs that read one packet at a time, with queues for several outputs that do not run empty, and
 * often packets of one size, so that the same inputs and outputs miss each other for long. */
static void draw_crowded(trial *x)
{
    static const uint32_t safe[] = {0, 1, 2, 1, 3, 1, 4, 5, 8, 14};
    x->kind = safe[x->number % COP_LEN(safe)];
    x->deadlocks = false;
    x->iq = true;
    x->queueing = below(x, 8) ? FR_VOQ : FR_FIFO;
    x->lanes = 1;
    x->mtu_flits = between(x, x->least_flits, x->least_flits + 2);
    if (below(x, 5))
        x->least_flits = x->mtu_flits;
    x->sink_flits = 0;
    x->phase = between(x, 50, 100);
    x->buffer_flits = between(x, 30, 120) * x->mtu_flits; /* the starved queue must not fill it */
    if (below(x, 5)) {
        x->slow[1] = x->slow[2] = x->slow[0];
        x->sink_slow = 0;
    }
}

static void write_machine(trial *x)
{
    char queueing[64] = "1q";
    if (x->queueing == FR_VOQ)
        strcpy(queueing, "voqsw");
    if (x->lanes > 1)
        snprintf(queueing, sizeof(queueing), "vftree, lanes: %u", x->lanes);
    write_text(x, "run: {duration: 20 ms, sample: 10 us%s}\n", networks[x->kind].run);
    write_text(x, "topology: %s\nrouting: {kind: %s}\nqueueing: {kind: %s}\n",
               networks[x->kind].topology, networks[x->kind].routing, queueing);
    static const char *const class[] = {"host", "trunk", "global"};
    write_text(x, "link: {");
    for (int c = 0; c < 3; c++)
        write_text(x, "%s%s_rate: %u Mbit/s, %s_delay: %u ns", c ? ", " : "", class[c],
                   BASE_MBPS / x->slow[c], class[c], x -> delay[c] * 4);
    write_text(x, "}\nswitch: {architecture: %s, switching: %s, iterations: 16, pipeline: %u ns, ",
               x->iq ? "iq" : "ib", x->saf ? "store-and-forward" : "cut-through", x->pipeline * 4);
    write_text(x, "header: %u B, buffer: %u B}\n", x->header, x->buffer_flits * FLIT);
    write_text(x, "flow_control: {kind: %s, delay: %u ns}\n", x->absolute ? "ib" : "credit",
               x->credit * 4);
    write_text(x, "nic: {mtu: %u B, overhead: %u B, control_bytes: 1 B, buffer: %u B",
               x->mtu_flits * FLIT - x->overhead, x->overhead, x->sink_flits * FLIT);
    if (x->sink_slow)
        write_text(x, ", receive_rate: %u Mbit/s", BASE_MBPS / x->sink_slow);
    write_text(x, "}\ntraffic:\n");
}

static uint8_t lane_of(const trial *x, uint32_t dst)
{
    return (uint8_t)(x->topo.port[cop_topo_exit_port(&x->topo, dst)].local % x->lanes);
}

static int by_time(const void *a, const void *b)
{
    const message *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* Half of the hosts send to the hot one. The others begin with that, and then send to a host of their
 * own: what they have for the hot one waits in the switch, which always has something else to read. */
static uint32_t draw_crowded_destination(trial *x, uint32_t src, uint32_t hot)
{
    uint32_t hosts = x->topo.n_hosts, own = (src + 1) % hosts;
    bool by_turns = (src + hosts - hot) % 2 == 1;
    if (src != hot && (!by_turns || x->sent[src]++ < 3 || below(x, 20) == 0))
        return hot;
    if (own == hot)
        own = (src + 2) % hosts;
    return below(x, 100) ? own : below(x, hosts);
}

/* A host keeps to one lane: that of the first destination it draws. */
static uint32_t draw_destination(trial *x, uint32_t src, uint32_t hot, uint8_t *lane_of_host)
{
    uint32_t hosts = x->topo.n_hosts;
    for (;;) {
        uint32_t dst = below(x, 3) == 0 ? hot : below(x, hosts);
        if (x->deadlocks && below(x, 2))
            dst = (src + hosts / 2) % hosts;
        if (x->crowded)
            dst = draw_crowded_destination(x, src, hot);
        if (lane_of_host[src] == 0xff && dst != src)
            lane_of_host[src] = lane_of(x, dst);
        if (dst != src && lane_of(x, dst) == lane_of_host[src])
            return dst;
    }
}

static void draw_messages(trial *x)
{
    uint8_t lane_of_host[MAX_HOSTS];
    memset(lane_of_host, 0xff, sizeof(lane_of_host));
    assert_true(x->topo.n_hosts <= sizeof(lane_of_host));
    uint32_t hot = below(x, x->topo.n_hosts);
    uint32_t instants = between(x, 1, x->crowded ? 50 : 2000);
    x->n = x->crowded ? between(x, 500, MAX_CROWD) : between(x, 20, MAX_MESSAGES);
    for (uint32_t i = 0; i < x->n; i++) {
        message *m = &x->msg[i];
        m->entry = i;
        m->t = below(x, instants) * TICK;
        m->src = below(x, x->topo.n_hosts);
        if (x->crowded) /* hosts send one packet after the other, in different phases */
            m->t += m->src * x->phase * TICK;
        m->dst = draw_destination(x, m->src, hot, lane_of_host);
        m->lane = lane_of(x, m->dst);
        m->packets = below(x, 3) || x->crowded ? 1 : between(x, 1, MAX_CUTS);
        m->last_flits = between(x, x->least_flits, x->mtu_flits);
        uint32_t bytes = ((m->packets - 1) * x->mtu_flits + m->last_flits) * FLIT;
        write_text(x,
                   "  - {name: m%u, from: [%u], pattern: fixed, to: %u, messages: 1, arrival: "
                   "constant, rate: 1 Mbit/s, start: %" PRIu64 " ns, message: %u B}\n",
                   i, m->src, m->dst, m->t / COP_NS, bytes - m->packets * x->overhead);
    }
    qsort(x->msg, x->n, sizeof(message), by_time);
    x->pkt = cop_alloc(x->n * MAX_CUTS * sizeof(fr_packet));
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; k < x->msg[i].packets; k++) {
            const message *m = &x->msg[i];
            uint32_t flits = k + 1 == m->packets ? m->last_flits : x->mtu_flits;
            x->pkt[x->n_pkts++] = (fr_packet){
                .t = m->t, .src = m->src, .dst = m->dst, .bytes = flits * FLIT, .lane = m->lane};
        }
}

static int run_reference(trial *x, const uint16_t *lft, fr_counts *counts)
{
    const cop_topo *t = &x->topo;
    cop_arena arena = {0};
    cop_time *flit = COP_NEW_ARRAY(&arena, cop_time, t->n_ports);
    cop_time *delay = COP_NEW_ARRAY(&arena, cop_time, t->n_ports);
    cop_time *sink = COP_NEW_ARRAY(&arena, cop_time, t->n_hosts);
    for (uint32_t p = 0; p < t->n_ports; p++) {
        flit[p] = FLIT_PS * x->slow[t->port[p].link_class];
        delay[p] = TICK * x->delay[t->port[p].link_class];
    }
    for (uint32_t h = 0; h < t->n_hosts; h++)
        sink[h] = FLIT_PS * x->sink_slow;
    fr_cfg cfg = {.tick_ps = TICK,
                  .flit_bytes = FLIT,
                  .flit_ps = flit,
                  .delay_ps = delay,
                  .sink_flit_ps = x->sink_slow ? sink : NULL,
                  .pipeline_ps = x->pipeline * TICK,
                  .credit_ps = x->credit * TICK,
                  .header_bytes = x->header,
                  .buffer_bytes = x->buffer_flits * FLIT,
                  .sink_buffer_bytes = x->sink_flits * FLIT,
                  .lanes = x->lanes,
                  .store_and_forward = x->saf,
                  .queueing = x->queueing,
                  .read = x->iq ? FR_READ_PER_INPUT : FR_READ_PER_OUTPUT,
                  .iterations = 16,
                  .lft = lft};
    int outcome = flitref_run(t, &cfg, x->pkt, x->n_pkts, 10 * COP_MS, counts);
    cop_arena_free(&arena);
    return outcome;
}

static const cop_stream_result *stream_of(const cop_result *r, uint32_t entry)
{
    char name[16];
    snprintf(name, sizeof(name), "m%u", entry);
    for (uint32_t s = 0; s < r->n_streams; s++)
        if (strcmp(r->stream[s].entry, name) == 0)
            return &r->stream[s];
    return NULL;
}

/* Sum of the latencies of a message's packets in both; false if they differ. A simulation that
 * ended in a deadlock stopped early: it counts for what was delivered until then. */
static bool same_message(const trial *x, const message *m, const fr_packet *pkt,
                         const cop_result *r)
{
    const cop_stream_result *s = stream_of(r, m->entry);
    cop_time expected = 0;
    uint64_t packets = 0;
    assert_non_null(s);
    for (uint32_t k = 0; k < m->packets; k++)
        if (pkt[k].t_deliver <= r->sim_time) {
            expected += pkt[k].t_deliver - m->t;
            packets++;
        }
    cop_time found = (cop_time)llround(s->latency_mean_ns * 1e3 * (double)s->packets);
    if (packets == s->packets && found == expected)
        return true;
    print_error("network %u: message %u, host %u to %u at %" PRIu64 " ps: %" PRIu64
                " packets, %" PRIu64 " ps; reference %" PRIu64 " packets, %" PRIu64 " ps\n",
                x->number, m->entry, m->src, m->dst, m->t, s->packets, found, packets, expected);
    return false;
}

static bool compare(trial *x, int outcome, const fr_counts *counts, const cop_result *r)
{
    bool stuck = outcome == FR_DEADLOCK;
    bool same = r->outcome == (stuck ? COP_OUTCOME_DEADLOCK : COP_OUTCOME_OK);
    if (outcome == FR_UNFINISHED || (stuck && !x->deadlocks) || !same)
        print_error("network %u: outcome %d, reference %d: %s\n", x->number, (int)r->outcome,
                    outcome, r->detail ? r->detail : "");
    same = same && outcome != FR_UNFINISHED && (!stuck || x->deadlocks);
    if (!stuck && r->packet_hops != counts->packet_hops) {
        print_error("network %u: %" PRIu64 " packet hops, reference %" PRIu64 "\n", x->number,
                    r->packet_hops, counts->packet_hops);
        same = false;
    }
    /* Of a network that stands still the reference does not wait for later messages. */
    cop_time last = stuck ? counts->t_end : COP_NEVER;
    const fr_packet *pkt = x->pkt;
    for (uint32_t i = 0, shown = 0; i < x->n && shown < 5; pkt += x->msg[i++].packets)
        if (x->msg[i].t <= last && !same_message(x, &x->msg[i], pkt, r)) {
            same = false;
            shown++;
        }
    return same;
}

/* Build topology and tables once more from the same configuration, for the reference. */
static bool run_both(trial *x, bool *stuck, uint64_t *kept_idle)
{
    cop_config c;
    cop_route route;
    cop_result r;
    cop_err err = {0};
    fr_counts counts;
    draw_machine(x);
    if (x->crowded)
        draw_crowded(x);
    write_machine(x);
    size_t head = x->used;
    write_text(x, "  - {from: [0], pattern: fixed, to: 1}\n");
    if (cop_config_load(&c, "flit.yaml", x->yaml, NULL, 0, &err) != 0)
        fail_msg("network %u: %s\n%s", x->number, err.text, x->yaml);
    assert_int_equal(c.topo->build(&x->topo, c.topo_cfg, &err), 0);
    assert_int_equal(cop_route_init(&route, c.route, &x->topo, c.route_cfg, 0, &err), 0);
    assert_non_null(route.lft);
    x->used = head;
    draw_messages(x);
    int outcome = run_reference(x, route.lft, &counts);
    if (scn_run(x->yaml, NULL, 0, &r, &err) != 0)
        fail_msg("network %u: %s\n%s", x->number, err.text, x->yaml);
    bool same = compare(x, outcome, &counts, &r);
    *stuck = outcome == FR_DEADLOCK;
    *kept_idle = counts.kept_idle;
    cop_result_free(&r);
    cop_route_fini(&route);
    cop_topo_free(&x->topo);
    cop_config_free(&c);
    cop_free(x->pkt);
    return same;
}

static uint32_t rounds(void)
{
    const char *text = getenv("COPPICE_ROUNDS");
    int n = text ? atoi(text) : 1;
    return n > 0 ? (uint32_t)n : 1;
}

typedef struct tally {
    uint32_t stuck, could_stick, kept_idle, differ;
} tally;

static tally run_trials(uint32_t n, uint32_t stream, bool crowded)
{
    tally all = {0};
    for (uint32_t i = 0; i < n; i++) {
        bool deadlock = false;
        uint64_t kept_idle = 0;
        trial *x = cop_alloc(sizeof(*x));
        x->number = i;
        x->crowded = crowded;
        x->rng = cop_rng_make(i, COP_RNG_TEST, stream);
        if (!run_both(x, &deadlock, &kept_idle) && ++all.differ <= 3)
            print_error("%s\n", x->yaml);
        all.stuck += deadlock;
        all.could_stick += x->deadlocks;
        all.kept_idle += kept_idle > 0;
        cop_free(x->yaml);
        cop_free(x);
    }
    return all;
}

static void test_same_times(void **state)
{
    (void)state;
    uint32_t n = NETWORKS * rounds();
    tally all = run_trials(n, 1, false);
    print_message("%u networks, %u of %u rings deadlocked, %u differ\n", n, all.stuck,
                  all.could_stick, all.differ);
    assert_int_equal(all.differ, 0);
    /* Both ends of a ring's fate must have been compared. */
    assert_true(all.stuck > 0 && all.stuck < all.could_stick);
}

/* Matching when everything waits: turns that inputs miss, and outputs that stay idle for them. */
static void test_same_turns(void **state)
{
    (void)state;
    uint32_t n = CROWDED * rounds();
    tally all = run_trials(n, 2, true);
    print_message("%u crowded networks, outputs stayed idle in %u, %u differ\n", n, all.kept_idle,
                  all.differ);
    assert_int_equal(all.differ, 0);
    assert_true(all.kept_idle > n / 10); /* or the rule was not compared */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_times),
                                       cmocka_unit_test(test_same_turns)};
    return cmocka_run_group_tests_name("flit", tests, NULL, NULL);
}
