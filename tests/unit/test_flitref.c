/* The flit-level reference against answers worked out by hand. One tick is one flit on the default
 * link; n, D, H, P stand for flits per packet, link delay, header time and pipeline, in ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/flitref.h"
#include "base/mem.h"
#include "base/rng.h"

#define TICK ((cop_time)1000)
#define FLIT 64u
#define D 2u
#define H 1u
#define P 3u
#define HOP                                                                                        \
    (D + H + P) /* start on one link -> start on the next, cut-through, nothing in the way */
#define MAX_STARTS 64u

typedef struct rig {
    cop_topo t;
    fr_cfg c;
    fr_counts counts;
    cop_time flit[64], delay[64], sink[16], busy_until[64];
    uint16_t lft[64];
    uint32_t watch; /* port whose starts are recorded */
    size_t n_starts;
    uint32_t start_src[MAX_STARTS];
    uint64_t started[64]; /* packets per link in t_from <= now < t_to */
    cop_time t_from, t_to;
} rig;

static void on_start(void *ctx, cop_time now, uint32_t port, const fr_packet *pkt)
{
    rig *g = ctx;
    assert_true(now >= g->busy_until[port]);
    g->busy_until[port] = now + pkt->bytes / FLIT * g->flit[port];
    if (now >= g->t_from && now < g->t_to)
        g->started[port]++;
    if (port == g->watch && g->n_starts < MAX_STARTS)
        g->start_src[g->n_starts++] = pkt->src;
}

/* Switches in a row (or a ring, routed to the right), each with k hosts on local ports 0 .. k-1,
 * its left neighbour on port k and its right one on k + 1. Host h hangs on switch h / k. */
static void build(rig *g, uint32_t switches, uint32_t k, bool ring)
{
    uint32_t sizes[16] = {0};
    *g = (rig){.watch = COP_NONE, .t_to = COP_NEVER};
    for (uint32_t s = 0; s < switches; s++)
        sizes[s] = k + 2;
    cop_topo_begin(&g->t, switches * k, switches, sizes);
    for (uint32_t h = 0; h < switches * k; h++)
        cop_topo_cable(&g->t, cop_topo_host_port(&g->t, h),
                       cop_topo_switch_port(&g->t, h / k, h % k), COP_LINK_HOST);
    for (uint32_t s = 0; s + !ring < switches; s++)
        cop_topo_cable(&g->t, cop_topo_switch_port(&g->t, s, k + 1),
                       cop_topo_switch_port(&g->t, (s + 1) % switches, k), COP_LINK_TRUNK);
    assert_int_equal(cop_topo_finish(&g->t, NULL), 0);
    for (uint32_t s = 0; s < switches; s++)
        for (uint32_t h = 0; h < switches * k; h++)
            g->lft[s * switches * k + h] =
                (uint16_t)(h / k == s ? h % k : (ring || h / k > s ? k + 1 : k));
    for (uint32_t p = 0; p < g->t.n_ports; p++) {
        g->flit[p] = TICK;
        g->delay[p] = D * TICK;
    }
    g->c = (fr_cfg){.tick_ps = TICK,
                    .flit_bytes = FLIT,
                    .flit_ps = g->flit,
                    .delay_ps = g->delay,
                    .pipeline_ps = P * TICK,
                    .header_bytes = H * FLIT,
                    .buffer_bytes = 64 * FLIT,
                    .lanes = 1,
                    .iterations = 1,
                    .lft = g->lft,
                    .on_start = on_start,
                    .on_start_ctx = g};
}

static fr_packet packet(uint32_t t, uint32_t src, uint32_t dst, uint32_t flits)
{
    return (fr_packet){.t = t * TICK, .src = src, .dst = dst, .bytes = flits * FLIT};
}

static int run(rig *g, fr_packet *pkts, size_t n)
{
    int outcome = flitref_run(&g->t, &g->c, pkts, n, 1000000 * TICK, &g->counts);
    cop_topo_free(&g->t);
    return outcome;
}

static void one_packet_cut_through(void **state)
{
    (void)state;
    for (uint32_t s = 1; s <= 4; s++)
        for (uint32_t n = 1; n <= 9; n += 4) {
            rig g;
            build(&g, s, 2, false);
            fr_packet p = packet(7, 0, 2 * s - 1, n);
            assert_int_equal(run(&g, &p, 1), FR_DONE);
            assert_int_equal(p.t_inject, 7 * TICK);
            assert_int_equal(p.t_deliver, (7 + s * HOP + D + n) * TICK);
            assert_int_equal(g.counts.packet_hops, s + 1);
            assert_int_equal(g.counts.flit_hops, (s + 1) * n);
            assert_int_equal(g.counts.bytes_delivered, n * FLIT);
            /* The last credit needs the way back from the host. */
            assert_int_equal(g.counts.t_end, p.t_deliver + D * TICK);
        }
}

static void one_packet_store_and_forward(void **state)
{
    (void)state;
    for (uint32_t s = 1; s <= 4; s++) {
        rig g;
        build(&g, s, 2, false);
        g.c.store_and_forward = true;
        fr_packet p = packet(0, 0, 2 * s - 1, 5);
        assert_int_equal(run(&g, &p, 1), FR_DONE);
        assert_int_equal(p.t_deliver, (s * (5 + D + P) + D + 5) * TICK);
    }
}

/* The trunk is four times slower than the host links. Its sender cuts through; its receiver must
 * not start on the fast link before the tail is 8 fast flits away. */
static void fast_slow_fast(void **state)
{
    (void)state;
    rig g;
    build(&g, 2, 1, false);
    g.flit[cop_topo_switch_port(&g.t, 0, 2)] = 4 * TICK;
    fr_packet p = packet(0, 0, 1, 8);
    assert_int_equal(run(&g, &p, 1), FR_DONE);
    uint32_t head = HOP + D;
    assert_int_equal(p.t_deliver, (head + 8 * 4 - 8 + D + 8) * TICK);

    /* One flit: the header at the slow rate and the pipeline take longer than that. */
    build(&g, 2, 1, false);
    g.flit[cop_topo_switch_port(&g.t, 0, 2)] = 4 * TICK;
    p = packet(0, 0, 1, 1);
    assert_int_equal(run(&g, &p, 1), FR_DONE);
    assert_int_equal(p.t_deliver, (head + 4 * H + P + D + 1) * TICK);
}

/* A header shorter than a flit: its time counts, not its flit's. */
static void short_header(void **state)
{
    (void)state;
    rig g;
    build(&g, 3, 1, false);
    for (uint32_t p = 0; p < g.t.n_ports; p++)
        g.flit[p] = 4 * TICK;
    g.c.header_bytes = FLIT / 4;
    fr_packet p = packet(0, 0, 2, 3);
    assert_int_equal(run(&g, &p, 1), FR_DONE);
    assert_int_equal(p.t_deliver, (3 * (D + 1 + P) + D + 3 * 4) * TICK);
}

static void two_flows_share_an_output(void **state)
{
    (void)state;
    enum { K = 10, N = 4 };
    rig g;
    fr_packet p[2 * K];
    build(&g, 1, 3, false);
    for (uint32_t i = 0; i < 2 * K; i++)
        p[i] = packet(0, i / K, 2, N);
    assert_int_equal(run(&g, p, 2 * K), FR_DONE);
    for (uint32_t i = 0; i < K; i++) {
        assert_int_equal(p[i].t_deliver, (HOP + (2 * i + 1) * N + D) * TICK);
        assert_int_equal(p[K + i].t_deliver, (HOP + (2 * i + 2) * N + D) * TICK);
    }
}

/* Host 1 keeps output 2 busy for 16 ticks; behind host 0's packet for output 2 waits one for the
 * idle output 3. */
static void head_of_line(enum fr_queueing queueing, enum fr_read read, uint32_t victim_start)
{
    rig g;
    build(&g, 1, 4, false);
    g.c.queueing = queueing;
    g.c.read = read;
    fr_packet p[] = {packet(0, 1, 2, 16), packet(1, 0, 2, 4), packet(1, 0, 3, 4)};
    assert_int_equal(run(&g, p, 3), FR_DONE);
    assert_int_equal(p[0].t_deliver, (HOP + 16 + D) * TICK);
    assert_int_equal(p[1].t_deliver, (HOP + 16 + 4 + D) * TICK);
    assert_int_equal(p[2].t_deliver, (victim_start + 4 + D) * TICK);
}

static void head_of_line_blocking(void **state)
{
    (void)state;
    head_of_line(FR_FIFO, FR_READ_PER_OUTPUT, HOP + 16 + 4);
    head_of_line(FR_FIFO, FR_READ_PER_INPUT, HOP + 16 + 4);
    head_of_line(FR_VOQ, FR_READ_PER_OUTPUT, 1 + 4 + HOP);
    head_of_line(FR_VOQ, FR_READ_PER_INPUT, 1 + 4 + HOP);
}

/* Two packets of one input for two outputs that are four times slower than the input. */
static void read_ports(void **state)
{
    (void)state;
    for (int read = FR_READ_PER_OUTPUT; read <= FR_READ_PER_INPUT; read++) {
        rig g;
        build(&g, 1, 3, false);
        g.c.queueing = FR_VOQ;
        g.c.read = (enum fr_read)read;
        g.flit[cop_topo_switch_port(&g.t, 0, 1)] = 4 * TICK;
        g.flit[cop_topo_switch_port(&g.t, 0, 2)] = 4 * TICK;
        fr_packet p[] = {packet(0, 0, 1, 8), packet(0, 0, 2, 8)};
        assert_int_equal(run(&g, p, 2), FR_DONE);
        assert_int_equal(p[0].t_deliver, (HOP + 32 + D) * TICK);
        uint32_t second = read == FR_READ_PER_INPUT ? HOP + 32 : HOP + 8;
        assert_int_equal(p[1].t_deliver, (second + 32 + D) * TICK);
    }
}

/* Inputs 0 and 1 each hold a packet for outputs 2 and 3 when their first packets end at HOP + 4.
 * Both outputs then grant input 0, which accepts output 2. Only a second round gives output 3 to
 * input 1 in the same tick. */
static void islip_rounds(uint32_t iterations, const uint32_t start[4])
{
    rig g;
    build(&g, 1, 4, false);
    g.c.queueing = FR_VOQ;
    g.c.read = FR_READ_PER_INPUT;
    g.c.iterations = iterations;
    for (uint32_t o = 0; o < 4; o++)
        g.flit[cop_topo_switch_port(&g.t, 0, o)] = 4 * TICK;
    fr_packet p[] = {packet(0, 0, 1, 1), packet(0, 1, 0, 1), packet(0, 0, 2, 1),
                     packet(0, 0, 3, 1), packet(0, 1, 2, 1), packet(0, 1, 3, 1)};
    assert_int_equal(run(&g, p, 6), FR_DONE);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(p[2 + i].t_deliver, (start[i] + 4 + D) * TICK);
}

static void islip(void **state)
{
    (void)state;
    const uint32_t t = HOP + 4;
    islip_rounds(2, (const uint32_t[]){t, t + 4, t + 4, t});
    islip_rounds(1, (const uint32_t[]){t, t + 5, t + 5, t + 1});
}

/* Three inputs for two outputs. In the first slot output 4 gets input 1 in the second round only,
 * so its pointer stays and input 0 is next; had it moved, input 2 would be. */
static void islip_pointers(void **state)
{
    (void)state;
    const uint32_t expect[] = {1, 0, 1, 2, 0, 2};
    rig g;
    fr_packet p[15];
    build(&g, 1, 5, false);
    g.c.queueing = FR_VOQ;
    g.c.read = FR_READ_PER_INPUT;
    g.c.iterations = 2;
    g.watch = cop_topo_switch_port(&g.t, 0, 4);
    for (uint32_t o = 0; o < 5; o++)
        g.flit[cop_topo_switch_port(&g.t, 0, o)] = 4 * TICK;
    for (uint32_t i = 0; i < 15; i++)
        p[i] = packet(0, i % 3, i < 3 ? (i + 1) % 3 : 3 + (i / 3 - 1) % 2, 1);
    assert_int_equal(run(&g, p, 15), FR_DONE);
    assert_int_equal(g.n_starts, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(g.start_src[i], expect[i]);
}

/* Both inputs always have packets for both outputs. Pointers that move only for accepted grants of
 * the first round come out of step, and then no output is ever idle. */
static void islip_desynchronises(void **state)
{
    (void)state;
    enum { K = 40 };
    rig g;
    fr_packet p[2 * K];
    build(&g, 1, 4, false);
    g.c.queueing = FR_VOQ;
    g.c.read = FR_READ_PER_INPUT;
    for (uint32_t i = 0; i < 2 * K; i++)
        p[i] = packet(0, i / K, 2 + i % 2, 1);
    for (uint32_t o = 2; o < 4; o++)
        g.flit[cop_topo_switch_port(&g.t, 0, o)] = 4 * TICK;
    g.t_from = 10 * 4 * TICK;
    g.t_to = 30 * 4 * TICK;
    assert_int_equal(run(&g, p, 2 * K), FR_DONE);
    assert_int_equal(g.started[2], 20);
    assert_int_equal(g.started[3], 20);
}

/* Input 0 always has packets for output 3 and one for output 2, which input 1 keeps busy half a packet
 * out of step. That one misses a turn every 4 ticks from HOP + 2 on. After FR_MISSED of them output 2
 * waits two ticks for it. */
static void missed_turns(void **state)
{
    (void)state;
    enum { K = 50 };
    const uint32_t start = HOP + 2 + 4 * FR_MISSED + 2;
    rig g;
    fr_packet p[2 * K];
    build(&g, 1, 4, false);
    g.c.queueing = FR_VOQ;
    g.c.read = FR_READ_PER_INPUT;
    for (uint32_t o = 2; o < 4; o++)
        g.flit[cop_topo_switch_port(&g.t, 0, o)] = 4 * TICK;
    for (uint32_t i = 0; i < K; i++) {
        p[i] = packet(0, 0, i == 1 ? 2 : 3, 1);
        p[K + i] = packet(2, 1, 2, 1);
    }
    assert_int_equal(run(&g, p, 2 * K), FR_DONE);
    assert_int_equal(p[1].t_deliver, (start + 4 + D) * TICK);
    assert_int_equal(p[K + FR_MISSED - 1].t_deliver, (start - 2 + D) * TICK);
    assert_int_equal(p[K + FR_MISSED].t_deliver, (start + 8 + D) * TICK);
    assert_int_equal(g.counts.kept_idle, 2);
}

static void credit_round_trip(void **state)
{
    (void)state;
    enum { K = 12, N = 4, C = 1 };
    const uint32_t period = 2 * D + H + P + N + C;
    for (uint32_t fit = 1; fit <= 2; fit++) {
        rig g;
        fr_packet p[K];
        build(&g, 1, 2, false);
        g.c.buffer_bytes = fit * N * FLIT;
        g.c.sink_buffer_bytes = 16 * N * FLIT;
        g.c.credit_ps = C * TICK;
        for (uint32_t i = 0; i < K; i++)
            p[i] = packet(0, 0, 1, N);
        assert_int_equal(run(&g, p, K), FR_DONE);
        for (uint32_t i = 0; i < K; i++) {
            uint32_t start = i / fit * period + i % fit * N;
            assert_int_equal(p[i].t_inject, start * TICK);
            assert_int_equal(p[i].t_deliver, (start + HOP + D + N) * TICK);
        }
    }
}

/* The credit comes back over the other direction of the cable, with that direction's delay. */
static void credit_uses_reverse_delay(void **state)
{
    (void)state;
    rig g;
    build(&g, 1, 2, false);
    g.c.buffer_bytes = 4 * FLIT;
    g.delay[cop_topo_switch_port(&g.t, 0, 0)] = 50 * TICK;
    fr_packet p[] = {packet(0, 0, 1, 4), packet(0, 0, 1, 4)};
    assert_int_equal(run(&g, p, 2), FR_DONE);
    assert_int_equal(p[1].t_inject, (HOP + 4 + 50) * TICK);
}

static void slow_sink(void **state)
{
    (void)state;
    enum { K = 10, N = 4 };
    rig g;
    fr_packet p[K];
    build(&g, 1, 2, false);
    g.c.buffer_bytes = 4 * N * FLIT;
    g.c.sink_buffer_bytes = 2 * N * FLIT;
    g.c.sink_flit_ps = g.sink;
    g.sink[0] = TICK;
    g.sink[1] = 2 * TICK;
    for (uint32_t i = 0; i < K; i++)
        p[i] = packet(0, 0, 1, N);
    assert_int_equal(run(&g, p, K), FR_DONE);
    for (uint32_t i = 0; i < K; i++)
        assert_int_equal(p[i].t_deliver, (HOP + D + (i + 1) * 2 * N) * TICK);
    for (uint32_t i = 6; i < K; i++) {
        /* Packet i waits for the place of i - 4 in the switch, and that for i - 6 at the sink. */
        uint32_t credit_of_sink = HOP + D + (i - 5) * 2 * N + D;
        assert_int_equal(p[i].t_inject, (credit_of_sink + N + D) * TICK);
    }
}

/* A host that is faster than its link waits for the tail. */
static void fast_sink(void **state)
{
    (void)state;
    rig g;
    build(&g, 1, 2, false);
    g.flit[cop_topo_switch_port(&g.t, 0, 1)] = 4 * TICK;
    g.c.sink_flit_ps = g.sink;
    g.sink[0] = g.sink[1] = TICK;
    fr_packet p = packet(0, 0, 1, 5);
    assert_int_equal(run(&g, &p, 1), FR_DONE);
    assert_int_equal(p.t_deliver, (HOP + D + 5 * 4) * TICK);
}

/* Inputs 0 and 1 send on lane 0, inputs 0 and 3 on lane 1. With one pointer for both lanes, lane
 * 1's grants to input 3 set lane 0's turn back to input 0: inputs starve while others have packets.
 */
static void lanes_in_turn(bool one_pointer, const uint32_t expect[8])
{
    rig g;
    fr_packet p[8];
    build(&g, 1, 4, false);
    g.c.lanes = 2;
    g.c.one_input_pointer = one_pointer;
    g.watch = cop_topo_switch_port(&g.t, 0, 2);
    for (uint32_t i = 0; i < 8; i++) {
        p[i] = packet(0, i < 4 ? 0 : i < 6 ? 1 : 3, 2, 4);
        p[i].lane = (uint8_t)(i < 4 ? i % 2 : i >= 6);
    }
    assert_int_equal(run(&g, p, 8), FR_DONE);
    assert_int_equal(g.n_starts, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(g.start_src[i], expect[i]);
    assert_int_equal(g.busy_until[g.watch], (HOP + 8 * 4) * TICK);
}

static void lanes(void **state)
{
    (void)state;
    lanes_in_turn(false, (const uint32_t[]){0, 0, 1, 3, 0, 0, 1, 3});
    lanes_in_turn(true, (const uint32_t[]){0, 3, 0, 3, 1, 0, 1, 0});
}

/* Two saturated inputs, one-flit packets for two outputs at random: share of the slots used. */
static double saturation(enum fr_queueing queueing, enum fr_read read)
{
    enum { K = 6000, SLOTS = 5000 };
    rig g;
    cop_rng rng = cop_rng_make(1, COP_RNG_TEST, 0);
    fr_packet *p = cop_alloc(2 * K * sizeof(*p));
    build(&g, 1, 4, false);
    g.c.queueing = queueing;
    g.c.read = read;
    g.t_from = 100 * TICK;
    g.t_to = (100 + SLOTS) * TICK;
    for (uint32_t i = 0; i < 2 * K; i++)
        p[i] = packet(0, i / K, 2 + cop_rng_below(&rng, 2), 1);
    assert_int_equal(run(&g, p, 2 * K), FR_DONE);
    cop_free(p);
    return (double)(g.started[2] + g.started[3]) / (2.0 * SLOTS);
}

/* FIFO, N = 2: 0.75 (Karol, Hluchyj, Morgan 1987), whoever wins a conflict. */
static void saturation_throughput(void **state)
{
    (void)state;
    double fifo = saturation(FR_FIFO, FR_READ_PER_OUTPUT);
    assert_true(fifo > 0.74 && fifo < 0.76);
    assert_true(saturation(FR_FIFO, FR_READ_PER_INPUT) == fifo);
    assert_true(saturation(FR_VOQ, FR_READ_PER_INPUT) > 0.97);
    assert_true(saturation(FR_VOQ, FR_READ_PER_OUTPUT) > 0.97);
}

/* Four packets chase each other round a ring whose buffers hold one. A second lane for one of them
 * breaks the cycle. */
static void ring(uint32_t lanes_used, int outcome, uint64_t delivered, uint64_t unreturned)
{
    rig g;
    fr_packet p[4];
    build(&g, 4, 1, true);
    g.c.buffer_bytes = 4 * FLIT;
    g.c.lanes = 2;
    for (uint32_t i = 0; i < 4; i++)
        p[i] = packet(0, i, (i + 2) % 4, 4);
    p[3].lane = lanes_used > 1;
    assert_int_equal(run(&g, p, 4), outcome);
    assert_int_equal(g.counts.injected, 4);
    assert_int_equal(g.counts.delivered, delivered);
    assert_int_equal(g.counts.unreturned, unreturned);
    assert_true(g.counts.t_end < 100 * TICK);
    assert_true((p[0].t_deliver == COP_NEVER) == (delivered == 0));
}

static void deadlock(void **state)
{
    (void)state;
    ring(1, FR_DEADLOCK, 0, 4);
    ring(2, FR_DONE, 4, 0);
}

static void unfinished(void **state)
{
    (void)state;
    rig g;
    build(&g, 1, 2, false);
    fr_packet p[] = {packet(0, 0, 1, 4), packet(500, 0, 1, 4)};
    cop_time last = (500 + HOP + D + 4) * TICK;
    assert_int_equal(flitref_run(&g.t, &g.c, p, 2, last - TICK, &g.counts), FR_UNFINISHED);
    assert_int_equal(g.counts.injected, 2);
    assert_int_equal(g.counts.delivered, 1);
    assert_int_equal(p[1].t_deliver, COP_NEVER);
    assert_int_equal(g.counts.t_end, last - TICK);
    cop_topo_free(&g.t);

    build(&g, 1, 2, false);
    assert_int_equal(run(&g, p, 2), FR_DONE);
    assert_int_equal(p[1].t_deliver, last);
}

static void check_properties(const rig *g, const fr_packet *p, size_t n, uint32_t k)
{
    uint64_t hops = 0, flits = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t a = p[i].src / k, b = p[i].dst / k, links = (a > b ? a - b : b - a) + 2;
        hops += links;
        flits += links * (p[i].bytes / FLIT);
        /* Host links take two ticks per flit, trunks one; see random_traffic. */
        uint32_t least =
            (links - 1) * (D + P) + 2 * H + (links - 2) * H + D + p[i].bytes / FLIT * 2;
        assert_true(p[i].t_inject >= p[i].t && p[i].t_deliver >= p[i].t_inject + least * TICK);
        for (size_t j = 0; j < i; j++) {
            if (p[j].src != p[i].src)
                continue;
            assert_true(p[j].t_inject < p[i].t_inject);
            if (p[j].dst == p[i].dst && p[j].lane == p[i].lane)
                assert_true(p[j].t_deliver < p[i].t_deliver);
        }
    }
    assert_int_equal(g->counts.injected, n);
    assert_int_equal(g->counts.delivered, n);
    assert_int_equal(g->counts.packet_hops, hops);
    assert_int_equal(g->counts.flit_hops, flits);
}

/* Mixed sizes, rates, lanes and every kind of switch: all arrives, in order, within the bounds. */
static void random_traffic(void **state)
{
    (void)state;
    enum { N = 400, S = 3, K = 2 };
    for (uint32_t kind = 0; kind < 8; kind++) {
        rig g;
        fr_packet p[N];
        cop_rng rng = cop_rng_make(kind, COP_RNG_TEST, 0);
        build(&g, S, K, false);
        g.c.queueing = kind & 1 ? FR_VOQ : FR_FIFO;
        g.c.read = kind & 2 ? FR_READ_PER_INPUT : FR_READ_PER_OUTPUT;
        g.c.store_and_forward = kind & 4;
        g.c.iterations = 4;
        g.c.lanes = 2;
        g.c.buffer_bytes = 12 * FLIT;
        g.c.sink_buffer_bytes = 8 * FLIT;
        for (uint32_t h = 0; h < S * K; h++) {
            g.flit[cop_topo_host_port(&g.t, h)] = 2 * TICK;
            g.flit[cop_topo_exit_port(&g.t, h)] = 2 * TICK;
        }
        for (uint32_t i = 0; i < N; i++) {
            uint32_t src = cop_rng_below(&rng, S * K);
            uint32_t dst = (src + 1 + cop_rng_below(&rng, S * K - 1)) % (S * K);
            p[i] = packet(i * 2, src, dst, 1 + cop_rng_below(&rng, 8));
            p[i].lane = (uint8_t)cop_rng_below(&rng, 2);
        }
        assert_int_equal(run(&g, p, N), FR_DONE);
        check_properties(&g, p, N, K);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_packet_cut_through),
        cmocka_unit_test(one_packet_store_and_forward),
        cmocka_unit_test(fast_slow_fast),
        cmocka_unit_test(short_header),
        cmocka_unit_test(two_flows_share_an_output),
        cmocka_unit_test(head_of_line_blocking),
        cmocka_unit_test(read_ports),
        cmocka_unit_test(islip),
        cmocka_unit_test(islip_pointers),
        cmocka_unit_test(islip_desynchronises),
        cmocka_unit_test(missed_turns),
        cmocka_unit_test(credit_round_trip),
        cmocka_unit_test(credit_uses_reverse_delay),
        cmocka_unit_test(slow_sink),
        cmocka_unit_test(fast_sink),
        cmocka_unit_test(lanes),
        cmocka_unit_test(saturation_throughput),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(unfinished),
        cmocka_unit_test(random_traffic),
    };
    return cmocka_run_group_tests_name("flitref", tests, NULL, NULL);
}
