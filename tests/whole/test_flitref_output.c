/* Output buffers and read ports of the flit-level reference against answers worked out by hand: when a
 * packet crosses, when its link starts, when its room is free, how many packets an input reads. Credit
 * shows when a packet has left its input: where buffers hold one packet, the next one is injected
 * D ticks later. */
#include "flitref_fixture.h"

#define N 8u /* flits of a packet */

/* One packet from host 0 to host 1; ticks per flit of the first link, the crossbar and the second. */
static void one(cop_time in, cop_time cross, cop_time out, uint32_t deliver)
{
    rig g;
    cop_time crossing = cross * TICK;
    build(&g, 1, 3, false);
    g.c.cross_flit_ps = &crossing;
    g.c.output_bytes = N * FLIT;
    g.flit[cop_topo_host_port(&g.t, 0)] = in * TICK;
    g.flit[cop_topo_switch_port(&g.t, 0, 1)] = out * TICK;
    fr_packet p = packet(0, 0, 1, N);
    assert_int_equal(run(&g, &p, 1), FR_DONE);
    assert_int_equal(p.t_deliver, deliver * TICK);
}

static void a_packet_crosses(void **state)
{
    (void)state;
    one(1, 1, 1, HOP + N + D);
    one(1, 1, 4, HOP + 4 * N + D);
    one(1, 2, 1, HOP + 2 * N + D); /* the link ends with the crossing, and starts N before */
    one(1, 2, 2, HOP + 2 * N + D);
    one(4, 1, 1, D + 4 * N + D); /* the crossing ends with the tail */
    one(4, 1, 4, D + 4 * H + P + 4 * N + D);
}

/* Host 0 sends to host 1 over a link four times slower; buffers of inputs hold one packet. */
static void room(uint32_t outputs, uint32_t third)
{
    rig g;
    cop_time crossing = TICK;
    build(&g, 1, 3, false);
    g.c.cross_flit_ps = &crossing;
    g.c.output_bytes = outputs * N * FLIT;
    g.c.buffer_bytes = N * FLIT;
    g.c.sink_buffer_bytes = 64 * FLIT;
    g.flit[cop_topo_switch_port(&g.t, 0, 1)] = 4 * TICK;
    fr_packet p[] = {packet(0, 0, 1, N), packet(0, 0, 1, N), packet(0, 0, 1, N)};
    assert_int_equal(run(&g, p, 3), FR_DONE);
    assert_int_equal(p[1].t_inject, (HOP + N + D) * TICK);
    assert_int_equal(p[2].t_inject, third * TICK);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(p[i].t_deliver, (HOP + (i + 1) * 4 * N + D) * TICK);
}

/* The second packet asks at 22. It crosses then, or when the first has left on the link. */
static void room_in_the_output_buffer(void **state)
{
    (void)state;
    room(1, HOP + 4 * N + N + D);
    room(2, 22 + N + D);
}

/* Lane 0 from host 0, lane 1 from host 1, to host 2 over a link eight times slower. */
static void two_lanes(uint32_t reserve, uint32_t fourth, uint32_t other_third)
{
    rig g;
    cop_time crossing = TICK;
    build(&g, 1, 3, false);
    g.c.cross_flit_ps = &crossing;
    g.c.output_bytes = 3 * N * FLIT;
    g.c.output_reserve = reserve * FLIT;
    g.c.lanes = 2;
    g.c.buffer_bytes = N * FLIT;
    g.c.sink_buffer_bytes = 64 * FLIT;
    g.flit[cop_topo_switch_port(&g.t, 0, 2)] = 8 * TICK;
    fr_packet p[7];
    for (uint32_t i = 0; i < 4; i++)
        p[i] = packet(0, 0, 2, N);
    for (uint32_t i = 4; i < 7; i++) {
        p[i] = packet(20, 1, 2, N);
        p[i].lane = 1;
    }
    assert_int_equal(run(&g, p, 7), FR_DONE);
    assert_int_equal(p[2].t_inject, 32 * TICK); /* the second crossed from 22 to 30 */
    assert_int_equal(p[5].t_inject, 40 * TICK); /* what lane 1 owns was free for it: 30 to 38 */
    assert_int_equal(p[3].t_inject, fourth * TICK);
    assert_int_equal(p[6].t_inject, other_third * TICK);
}

/* The third packet of lane 0 asks at 38, the second of lane 1 at 46. Shared, both lanes have used what
 * they own and lane 0 the rest; at 70 and 134 the first packet of each lane leaves. */
static void lanes_share_an_output_buffer(void **state)
{
    (void)state;
    two_lanes(0, 38 + N + D, 46 + N + D);
    two_lanes(N, 70 + N + D, 134 + N + D);
}

/* Packets of one input for three outputs that are four times slower, asking at 6, 14 and 22. */
static void reads_at_a_time(void **state)
{
    (void)state;
    static const uint32_t starts[][3] = {{6, 38, 70}, {6, 38, 70}, {6, 14, 38}, {6, 14, 22}};
    for (uint32_t reads = 0; reads < 4; reads++) {
        rig g;
        build(&g, 1, 4, false);
        g.c.queueing = FR_VOQ;
        g.c.read = FR_READ_PER_INPUT;
        g.c.reads = reads;
        for (uint32_t o = 1; o < 4; o++)
            g.flit[cop_topo_switch_port(&g.t, 0, o)] = 4 * TICK;
        fr_packet p[] = {packet(0, 0, 1, N), packet(0, 0, 2, N), packet(0, 0, 3, N)};
        assert_int_equal(run(&g, p, 3), FR_DONE);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(p[i].t_deliver, (starts[reads][i] + 4 * N + D) * TICK);
    }
}

/* Both outputs grant input 0 in the same round: with two read ports it accepts both. */
static void two_grants_accepted_at_once(void **state)
{
    (void)state;
    for (uint32_t reads = 1; reads < 3; reads++) {
        rig g;
        build(&g, 1, 4, false);
        g.c.queueing = FR_VOQ;
        g.c.read = FR_READ_PER_INPUT;
        g.c.reads = reads;
        g.flit[cop_topo_switch_port(&g.t, 0, 2)] = 4 * TICK;
        g.flit[cop_topo_switch_port(&g.t, 0, 3)] = 4 * TICK;
        /* Hosts 1 and 0 keep both outputs busy until 38; then input 0 has a packet for each. */
        fr_packet p[] = {packet(0, 1, 2, N), packet(0, 0, 3, N), packet(8, 0, 2, N),
                         packet(8, 0, 3, N)};
        assert_int_equal(run(&g, p, 4), FR_DONE);
        assert_int_equal(p[0].t_deliver, (38 + D) * TICK);
        assert_int_equal(p[1].t_deliver, (38 + D) * TICK);
        assert_int_equal(p[2].t_deliver, (38 + 4 * N + D) * TICK);
        assert_int_equal(p[3].t_deliver, ((reads == 1 ? 70 : 38) + 4 * N + D) * TICK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_crosses),
        cmocka_unit_test(room_in_the_output_buffer),
        cmocka_unit_test(lanes_share_an_output_buffer),
        cmocka_unit_test(reads_at_a_time),
        cmocka_unit_test(two_grants_accepted_at_once),
    };
    return cmocka_run_group_tests_name("flitref_output", tests, NULL, NULL);
}
