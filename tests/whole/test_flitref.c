/* The flit-level reference on its links, in its buffers and at its hosts, against answers worked out by
 * hand: when a lone packet arrives, how credits and slow hosts hold packets back, how a run ends; and
 * what must hold for any traffic. Who goes first in a switch: test_flitref_switch.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "flitref_fixture.h"

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
        cmocka_unit_test(credit_round_trip),
        cmocka_unit_test(credit_uses_reverse_delay),
        cmocka_unit_test(slow_sink),
        cmocka_unit_test(fast_sink),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(unfinished),
        cmocka_unit_test(random_traffic),
    };
    return cmocka_run_group_tests_name("flitref", tests, NULL, NULL);
}
