/* The switches of the flit-level reference against answers worked out by hand: which packet an output
 * takes next. Turns of inputs and lanes, blocking by the head of the line, read ports, the rounds and
 * pointers of iSLIP, missed turns, and the throughput that follows from them. Links, buffers and hosts:
 * test_flitref.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "flitref_fixture.h"

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

/* FIFO, N = 2: 0.75 (Karol, Hluchyj, Morgan 1987), for any arbiter. */
static void saturation_throughput(void **state)
{
    (void)state;
    double fifo = saturation(FR_FIFO, FR_READ_PER_OUTPUT);
    assert_true(fifo > 0.74 && fifo < 0.76);
    assert_true(saturation(FR_FIFO, FR_READ_PER_INPUT) == fifo);
    assert_true(saturation(FR_VOQ, FR_READ_PER_INPUT) > 0.97);
    assert_true(saturation(FR_VOQ, FR_READ_PER_OUTPUT) > 0.97);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_flows_share_an_output),
        cmocka_unit_test(head_of_line_blocking),
        cmocka_unit_test(read_ports),
        cmocka_unit_test(islip),
        cmocka_unit_test(islip_pointers),
        cmocka_unit_test(islip_desynchronises),
        cmocka_unit_test(missed_turns),
        cmocka_unit_test(lanes),
        cmocka_unit_test(saturation_throughput),
    };
    return cmocka_run_group_tests_name("flitref switch", tests, NULL, NULL);
}
