/* Wormhole switching against the flit-level reference.
 *
 * Role     random small networks with buffers of one to eight flits, one to four lanes and packets of one to
 *          twenty flits; both simulators get the same messages, and every message must be delivered in the
 *          same picosecond, with the same number of packet-hops and the same outcome.
 * Covers   tori with datelines and split ties (lanes that change), meshes and hypercubes with flows spread
 *          over lanes, trees, chains; links of different rates, header, pipeline and credit delays, slow
 *          sinks, last flits that are shorter, lanes that are given on at the tail or when empty, with the wire
 *          or before it, lanes of a class that are taken as they come free, hosts that
 *          send on several lanes at once, and rings that deadlock. Adaptive routing with escape lanes that
 *          packets leave or not, and true fully adaptive with a time-out beyond the run: the reference shows the
 *          routing the loads of its own switches, and the routing takes the draws of the simulator, which depend on
 *          the packet and the switch alone.
 * Not      adaptive routing over links of different rates; deadlocks that are resolved (test_worm_hand.c).
 *          COPPICE_ROUNDS multiplies the networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "flitref_worm.h"
#include "scenario.h"

#define NETWORKS 420u
#define TICK ((cop_time)4000)
#define FLIT 64u
#define FLIT_PS ((cop_time)8000) /* at 64 Gbit/s */
#define BASE_MBPS 64000u
#define MAX_MESSAGES 160u
#define MAX_HOSTS 32
#define MAX_CUTS 3u

static const struct {
    const char *topology, *routing, *run;
} networks[] = {
    {"{kind: torus, radix: [4]}", "dor", ""},
    {"{kind: torus, radix: [5], hosts: 2}", "dor", ""},
    {"{kind: torus, radix: [3, 3]}", "dor", ""},
    {"{kind: torus, radix: [4, 3]}", "dor, ties: plus", ""},
    {"{kind: mesh, radix: [2, 3]}", "dor", ""},
    {"{kind: mesh, radix: [4], hosts: 2}", "dor", ""},
    {"{kind: mesh, radix: [3, 3]}", "dor", ""},
    {"{kind: hypercube, dims: 3}", "dor", ""},
    {"{kind: single, hosts: 4}", "minhop", ""},
    {"{kind: chain, hosts: [2, 0, 1, 2]}", "minhop", ""},
    {"{kind: kary-ntree, k: 2, n: 3}", "dmodk", ""},
    {"{kind: torus, radix: [3, 3]}", "updn", ""},
    {"{kind: torus, radix: [4], hosts: 2}", "dor, datelines: no, ties: plus",
     ", allow_deadlock: yes"},
    {"{kind: torus, radix: [5]}", "dor, datelines: no", ", allow_deadlock: yes"},
    {"{kind: torus, radix: [4, 4]}", "adaptive-cube", ""},
    {"{kind: torus, radix: [5, 3]}", "adaptive-cube, escape: stay", ""},
    {"{kind: torus, radix: [4, 3], hosts: 2}", "adaptive-cube, ties: random", ""},
    {"{kind: mesh, radix: [3, 4]}", "adaptive-cube, escape: stay", ""},
    {"{kind: hypercube, dims: 3}", "adaptive-cube", ""},
    {"{kind: torus, radix: [4, 3]}", "adaptive-cube, ties: plus", ", allow_deadlock: yes"},
    {"{kind: torus, radix: [4, 4]}", "true-adaptive, timeout: 900 ms", ", allow_deadlock: yes"},
    {"{kind: torus, radix: [5, 3], hosts: 2}", "true-adaptive, ties: random, timeout: 900 ms",
     ", allow_deadlock: yes"},
    {"{kind: torus, radix: [5, 4]}", "dor, choice: free", ""},
    {"{kind: torus, radix: [4, 4]}", "dor, choice: free, crossing: keep, ties: random", ""},
    {"{kind: torus, radix: [3, 5]}", "dor, crossing: keep", ""},
    {"{kind: mesh, radix: [3, 3]}", "dor, choice: free", ""},
};

typedef struct message {
    cop_time t;
    uint32_t entry, src, dst, packets, last_bytes;
} message;

typedef struct trial {
    uint32_t number;
    cop_rng rng;
    bool deadlocks, whole, adaptive, chooses; /* adaptive or not */
    uint64_t seed, asked; /* of the simulation; questions to the routing that had several answers */
    uint32_t slow[3], delay[3], pipeline, allocation, credit, header, sink_slow, longest, places,
        sinks, lanes;
    char yaml[64 * 1024];
    size_t used;
    message msg[MAX_MESSAGES];
    uint32_t n, n_pkts;
    fr_packet pkt[MAX_MESSAGES * MAX_CUTS];
    cop_hop hop[MAX_MESSAGES * MAX_CUTS];
    cop_topo topo;
    cop_route route;
} trial;

static uint32_t below(trial *x, uint32_t n)
{
    return cop_rng_below(&x->rng, n);
}

static uint32_t between(trial *x, uint32_t least, uint32_t most)
{
    return least + below(x, most - least + 1);
}

static void say(trial *x, const char *fmt, ...) COP_PRINTF(2, 3);
static void say(trial *x, const char *fmt, ...)
{
    va_list ap;
    assert_true(x->used + 512 < sizeof(x->yaml));
    va_start(ap, fmt);
    x->used += (size_t)vsnprintf(x->yaml + x->used, 512, fmt, ap);
    va_end(ap);
}

static uint32_t draw_slow(trial *x)
{
    static const uint32_t choice[] = {1, 1, 2, 2, 4, 5, 8};
    return choice[below(x, COP_LEN(choice))];
}

static void draw_machine(trial *x)
{
    const char *routing = networks[x->number % COP_LEN(networks)].routing;
    x->adaptive = strstr(routing, "adaptive") != NULL;
    x->chooses = x->adaptive || strstr(routing, "choice: free") != NULL;
    bool one_rate = below(x, 2) == 0 || x->chooses;
    for (int c = 0; c < 3; c++) {
        x->slow[c] = c > 0 && one_rate ? x->slow[0] : draw_slow(x);
        x->delay[c] = between(x, 1, 12);
    }
    x->pipeline = below(x, 2) ? between(x, 1, 12) : 0;
    x->allocation = below(x, 3) ? 0 : between(x, 1, 12);
    x->credit = below(x, 2) ? between(x, 1, 10) : 0;
    x->header = below(x, 3) * 32;
    x->sink_slow = below(x, 3) == 0 ? 2 * draw_slow(x) : 0;
    x->longest = below(x, 4) ? between(x, 1, 20) : between(x, 1, 3); /* flits */
    x->places = between(x, 1, 8);
    x->sinks = below(x, 2) ? between(x, 1, 8) : x->places;
    x->lanes = between(x, 1, 4);
}

static void write_machine(trial *x)
{
    static const char *const class[] = {"host", "trunk", "global"};
    static const char *const reuse[] = {"auto", "tail", "empty"};
    size_t kind = x->number % COP_LEN(networks);
    bool torus = strncmp(networks[kind].topology, "{kind: torus", 12) == 0;
    bool resolves = strncmp(networks[kind].routing, "true", 4) == 0;
    uint32_t rule = below(x, 3);
    x->deadlocks = networks[kind].run[0] != '\0';
    if (x->adaptive && !x->deadlocks && rule == 1)
        rule = 0; /* with a choice of ways `tail` can deadlock, and is refused */
    x->whole = rule == 2 || (rule == 0 && x->adaptive && !resolves);
    uint32_t least = x->adaptive ? (torus ? 3 : 2) : torus && !x->deadlocks ? 2 : 1;
    if (x->lanes < least)
        x->lanes = least;
    say(x, "run: {duration: 20 ms, sample: 10 us%s}\n", networks[kind].run);
    say(x, "topology: %s\nrouting: {kind: %s}\nqueueing: {kind: 1q}\nlink: {",
        networks[kind].topology, networks[kind].routing);
    for (int c = 0; c < 3; c++)
        say(x, "%s%s_rate: %u Mbit/s, %s_delay: %u ns", c ? ", " : "", class[c],
            BASE_MBPS / x->slow[c], class[c], x -> delay[c] * 4);
    say(x,
        "}\nswitch: {switching: wormhole, flit: %u B, reuse: %s, pipeline: %u ns, header: %u B, "
        "allocation: %u ns, ",
        FLIT, reuse[rule], x->pipeline * 4, x->header, x->allocation * 4);
    say(x, "buffer: %u B, lanes: %u}\n", x->places * FLIT + below(x, FLIT), x->lanes);
    say(x, "flow_control: {delay: %u ns}\nnic: {mtu: %u B, buffer: %u B", x->credit * 4,
        x->longest * FLIT, x->sinks * FLIT);
    if (x->sink_slow)
        say(x, ", receive_rate: %u Mbit/s", BASE_MBPS / x->sink_slow);
    say(x, "}\ntraffic:\n");
}

/* The host's lane for a message, drawn when it is taken: `taken` of this host were before. */
static uint8_t lane_of(const trial *x, cop_hop *hop, uint64_t *taken)
{
    if (x->route.ops->inject == NULL)
        return 0;
    cop_rng rng = cop_rng_make(x->seed, COP_RNG_ROUTE, hop->src);
    rng.counter = *taken;
    cop_route_view view = {.rng = &rng};
    uint8_t lane = x->route.ops->inject(&x->route, hop, &view);
    *taken = rng.counter;
    return lane;
}

static void draw_messages(trial *x)
{
    uint64_t taken[MAX_HOSTS] = {0};
    assert_true(x->topo.n_hosts <= MAX_HOSTS);
    uint32_t hosts = x->topo.n_hosts, hot = below(x, hosts), t = 0;
    uint32_t spread = below(x, 3), gap = below(x, 40);
    gap = 1 + spread * gap;
    x->n = between(x, 20, MAX_MESSAGES);
    for (uint32_t i = 0; i < x->n; i++) {
        message *m = &x->msg[i];
        t += below(x, gap);
        m->entry = i;
        m->t = t * TICK;
        m->src = below(x, hosts);
        do {
            m->dst = below(x, 4) == 0 ? hot : below(x, hosts);
            if (x->deadlocks && below(x, 2))
                m->dst = (m->src + hosts / 2) % hosts;
        } while (m->dst == m->src);
        m->packets = below(x, 3) ? 1 : between(x, 1, MAX_CUTS);
        m->last_bytes = 32 * between(x, 1, 2 * x->longest);
        uint32_t bytes = (m->packets - 1) * x->longest * FLIT + m->last_bytes;
        say(x,
            "  - {name: m%u, from: [%u], pattern: fixed, to: %u, messages: 1, arrival: constant, "
            "rate: 1 Mbit/s, start: %" PRIu64 " ns, message: %u B}\n",
            i, m->src, m->dst, m->t / COP_NS, bytes);
        cop_hop hop = {.src = m->src, .dst = m->dst, .mid = COP_NONE};
        uint8_t lane = lane_of(x, &hop, &taken[m->src]);
        for (uint32_t k = 0; k < m->packets; k++) {
            uint32_t length = k + 1 == m->packets ? m->last_bytes : x->longest * FLIT;
            x->hop[x->n_pkts] = hop;
            x->pkt[x->n_pkts++] = (fr_packet){.t = m->t,
                                              .src = m->src,
                                              .dst = m->dst,
                                              .bytes = length,
                                              .lane = lane,
                                              .message = i + 1};
        }
    }
}

/* What a routing may see of a switch of the reference. */
static uint64_t shown_load(void *ctx, uint32_t port, uint32_t vl)
{
    const frw_ask *ask = ctx;
    return ask->load(ask->at, port, vl);
}

static unsigned ways_on(void *ctx, const frw_ask *ask, frw_way *way)
{
    trial *x = ctx;
    cop_hop *hop = &x->hop[ask->number];
    cop_cand cand[COP_MAX_CAND];
    frw_ask shown = *ask;
    if (x->route.lft) {
        way[0] = (frw_way){x->route.lft[(size_t)ask->sw * x->topo.n_hosts + hop->dst], ask->lane};
        return 1;
    }
    hop->sw = ask->sw;
    hop->in_port = (uint16_t)ask->in;
    hop->in_vl = ask->lane;
    cop_rng rng = cop_rng_make(x->seed, COP_RNG_ROUTE, hop->src);
    rng.counter = (uint64_t)1 << 63 | (uint64_t)ask->seq << 16 | ask->sw;
    cop_route_view view = {.ctx = &shown, .load = shown_load, .rng = &rng};
    unsigned n = x->route.ops->route(&x->route, hop, x->chooses ? &view : NULL, cand);
    assert_true(n > 0 && n <= FRW_MAX_WAYS && (n == 1 || x->chooses));
    for (unsigned i = 0; i < n; i++)
        way[i] = (frw_way){cand[i].port, x->route.facts.single ? ask->lane : cand[i].vl};
    x->asked += n > 1;
    return n;
}

static int run_reference(trial *x, fr_counts *counts)
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
    frw_cfg cfg = {.tick_ps = TICK,
                   .flit_bytes = FLIT,
                   .flit_ps = flit,
                   .delay_ps = delay,
                   .sink_flit_ps = x->sink_slow ? sink : NULL,
                   .pipeline_ps = x->pipeline * TICK,
                   .allocation_ps = x->allocation * TICK,
                   .credit_ps = x->credit * TICK,
                   .header_bytes = x->header,
                   .places = x->places,
                   .sink_places = x->sinks,
                   .lanes = x->lanes,
                   .whole = x->whole,
                   .route = ways_on,
                   .ctx = x};
    int outcome = flitref_worm_run(t, &cfg, x->pkt, x->n_pkts, 10 * COP_MS, counts);
    cop_arena_free(&arena);
    return outcome;
}

/* Packets and the sum of their latencies; a simulation that ended in a deadlock stopped early and counts
 * for what was delivered until then. */
static bool same_message(const trial *x, const message *m, const fr_packet *pkt,
                         const cop_result *r)
{
    const cop_stream_result *s = NULL;
    char name[16];
    snprintf(name, sizeof(name), "m%u", m->entry);
    for (uint32_t i = 0; i < r->n_streams && s == NULL; i++)
        if (strcmp(r->stream[i].entry, name) == 0)
            s = &r->stream[i];
    assert_non_null(s);
    cop_time expected = 0;
    uint64_t packets = 0;
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

static bool compare(const trial *x, int outcome, const fr_counts *counts, const cop_result *r)
{
    bool stuck = outcome == FR_DEADLOCK;
    bool same = outcome != FR_UNFINISHED && (!stuck || x->deadlocks) &&
                r->outcome == (stuck ? COP_OUTCOME_DEADLOCK : COP_OUTCOME_OK) &&
                (stuck || r->packet_hops == counts->packet_hops);
    if (!same)
        print_error("network %u: outcome %d, %" PRIu64 " hops; reference %d, %" PRIu64 ": %s\n",
                    x->number, (int)r->outcome, r->packet_hops, outcome, counts->packet_hops,
                    r->detail ? r->detail : "");
    cop_time last = stuck ? counts->t_end : COP_NEVER;
    const fr_packet *pkt = x->pkt;
    for (uint32_t i = 0, shown = 0; i < x->n && shown < 5; pkt += x->msg[i++].packets)
        if (x->msg[i].t <= last && !same_message(x, &x->msg[i], pkt, r)) {
            same = false;
            shown++;
        }
    return same;
}

static bool run_both(trial *x, bool *stuck)
{
    cop_config c;
    cop_result r;
    cop_err err = {0};
    fr_counts counts;
    draw_machine(x);
    write_machine(x);
    size_t head = x->used;
    say(x, "  - {from: [0], pattern: fixed, to: 1}\n");
    if (cop_config_load(&c, "worm.yaml", x->yaml, NULL, 0, &err) != 0)
        fail_msg("network %u: %s\n%s", x->number, err.text, x->yaml);
    assert_int_equal(c.topo->build(&x->topo, c.topo_cfg, &err), 0);
    x->seed = (uint64_t)c.run.seed;
    if (cop_route_init(&x->route, c.route, &x->topo, c.route_cfg, x->lanes, &err) != 0)
        fail_msg("network %u: %s\n%s", x->number, err.text, x->yaml);
    x->used = head;
    draw_messages(x);
    int outcome = run_reference(x, &counts);
    if (scn_run(x->yaml, NULL, 0, &r, &err) != 0)
        fail_msg("network %u: %s\n%s", x->number, err.text, x->yaml);
    bool same = compare(x, outcome, &counts, &r);
    *stuck = outcome == FR_DEADLOCK;
    cop_result_free(&r);
    cop_route_fini(&x->route);
    cop_topo_free(&x->topo);
    cop_config_free(&c);
    return same;
}

static void test_same_times(void **state)
{
    (void)state;
    uint32_t n = NETWORKS * scn_rounds(), differ = 0, stuck = 0, could_stick = 0;
    uint64_t choices = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool deadlock = false;
        trial *x = cop_alloc(sizeof(*x));
        x->number = i;
        x->rng = cop_rng_make(i, COP_RNG_TEST, 3);
        if (!run_both(x, &deadlock) && ++differ <= 3)
            print_error("%s\n", x->yaml);
        stuck += deadlock;
        could_stick += x->deadlocks;
        choices += x->asked;
        cop_free(x);
    }
    print_message("%u networks, %u of %u that can deadlocked, %" PRIu64
                  " choices among ways, %u differ\n",
                  n, stuck, could_stick, choices, differ);
    assert_int_equal(differ, 0);
    assert_true(choices > 10000);
    assert_true(stuck > 0 && stuck < could_stick);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_times)};
    return cmocka_run_group_tests_name("worm", tests, NULL, NULL);
}
