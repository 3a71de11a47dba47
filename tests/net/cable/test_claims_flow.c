/* Claims about flow control: credit round trips, pause and resume, acknowledgements, cut-through, and
 * a full network that does not spread. See claims_fixture.h. */
#include "claims_fixture.h"

/* -- flow control -- */

/* gran0-19: credits come back after the round trip 2 d + header + pipeline + packet + processing.
 * With room for n packets the link carries n packets per round trip, until it is full. */
static void credit_round_trip(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double round_trip; /* ns; a packet takes 128 */
    } kind[] = {
        {"flow_control.kind=credit", 2 * 1000 + 32 + 100 + 128},
        {"flow_control.kind=ib", 2 * 1000 + 32 + 100 + 128},
        {"switch.shared_lanes=yes", 2 * 1000 + 32 + 100 + 128},
        {"flow_control.delay=300 ns", 2 * 1000 + 32 + 100 + 128 + 300},
        {"switch.switching=store-and-forward", 2 * 1000 + 128 + 100 + 128},
    };
    for (size_t k = 0; k < COP_LEN(kind); k++)
        for (unsigned n = 1; n <= 24; n++) {
            char buffer[48];
            const char *set[] = {scn_text(buffer, sizeof(buffer), "switch.buffer=%u B", n * 256),
                                 kind[k].set};
            cop_result r;
            run_ok("run: {duration: 400 us, warmup: 40 us}\n"
                   "topology: {kind: single, hosts: 2}\n"
                   "link: {rate: 16 Gbit/s, delay: 1 us}\n"
                   "switch: {pipeline: 100 ns, header: 64 B}\n"
                   "nic: {mtu: 256 B, buffer: 64 KiB}\n"
                   "traffic:\n"
                   "  - {name: f, from: [0], pattern: fixed, to: 1}\n",
                   set, 2, &r);
            double share = n * 128 / kind[k].round_trip, got = scn_gbps(&r, "f") / 16.0;
            near("gran0-19", got, share < 1.0 ? share : 1.0, 0.01);
            assert_true((share >= 1.0) == (got > 0.99));
            cop_result_free(&r);
        }
}

/* gran0-20, T_off. The sink takes nothing, so nothing leaves while OFF travels. Between the packet
 * that crosses T_off and the stop, packets of 512 ns start during 2 d + header + pipeline +
 * processing = 1682 ns: three more. They find room iff more than three packets were free when the
 * crossing one came, that is T_off > 3 packets. */
static void pause_in_time(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 200 us}\n"
                               "topology: {kind: single, hosts: 2}\n"
                               "link: {rate: 16 Gbit/s, delay: 500 ns}\n"
                               "switch: {pipeline: 600 ns, header: 64 B, buffer: 16 KiB}\n"
                               "flow_control: {kind: on-off, delay: 50 ns}\n"
                               "nic: {mtu: 1 KiB, receive_rate: 1 Mbit/s}\n"
                               "traffic:\n"
                               "  - {from: [0], pattern: fixed, to: 1}\n";
    static const char *const late[] = {"flow_control.xoff=3072 B", "flow_control.unsafe=yes"};
    static const char *const in_time[] = {"flow_control.xoff=3073 B", "flow_control.unsafe=yes"};
    static const char *const small[] = {"flow_control.xoff=4388 B"}; /* 1682 ns + a packet - 1 B */
    cop_result r;
    cop_err err = {0};
    run_ok(yaml, in_time, 2, &r);
    cop_result_free(&r);
    run_ok(yaml, NULL, 0, &r);
    cop_result_free(&r);
    assert_int_equal(scn_run(yaml, late, 2, &r, &err), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_LOSS);
    assert_int_equal(r.packets_lost, 1);
    assert_non_null(strstr(r.detail, "buffer overflow at s0.0"));
    cop_result_free(&r);
    assert_int_equal(scn_run(yaml, small, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "at least 4389 B"));
}

/* gran0-20, T_on. A 10 Gbit/s trunk is fed at 20 Gbit/s. After ON the first packet is ready for the
 * trunk 2 d + header + pipeline = 1525.6 ns later; a packet on the trunk takes 819.2 ns. Two
 * packets left over bridge that, one does not. */
static void resume_in_time(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 2 ms, warmup: 200 us}\n"
                               "topology: {kind: chain, hosts: [1, 1]}\n"
                               "link: {rate: 20 Gbit/s, trunk_rate: 10 Gbit/s, delay: 700 ns}\n"
                               "switch: {pipeline: 100 ns, header: 64 B, buffer: 16 KiB}\n"
                               "flow_control: {kind: on-off}\n"
                               "nic: {mtu: 1 KiB}\n"
                               "traffic:\n"
                               "  - {from: [0], pattern: fixed, to: 1}\n";
    static const char *const in_time[] = {"flow_control.xon=14335 B"}; /* 16384 - 2049 */
    static const char *const late[] = {"flow_control.xon=14336 B"};
    cop_result r;
    run_ok(yaml, in_time, 1, &r);
    near("gran0-20, no gap", port_of(&r, "s0.1")->utilisation, 1.0, 0.001);
    cop_result_free(&r);
    run_ok(yaml, late, 1, &r);
    between("gran0-20, gap", port_of(&r, "s0.1")->utilisation, 0.8, 0.985);
    cop_result_free(&r);
}

/* gran0-21: three hosts fill small receivers; refused packets go again. Short packets would fit
 * where a long one was refused, but must not overtake it: `flows` makes the simulator check the
 * order. */
static void ack_nack(void **state)
{
    (void)state;
    cop_result r;
    run_ok("run: {duration: 1 ms, drain: yes, flows: yes}\n"
           "topology: {kind: chain, hosts: [3, 1]}\n"
           "link: {rate: 10 Gbit/s, delay: 100 ns}\n"
           "switch: {buffer: 4 KiB}\n"
           "flow_control: {kind: ack-nack}\n"
           "traffic:\n"
           "  - {name: f, from: [0, 1, 2], pattern: fixed, to: 3, size_distribution: bimodal,\n"
           "     size_small: 64 B, size_large: 2 KiB}\n",
           NULL, 0, &r);
    assert_int_equal(r.packets_injected, r.packets_delivered);
    assert_int_equal(r.packets_in_flight, 0);
    assert_true(r.packets_delivered > 500);
    assert_int_equal(r.n_flows, 3);
    double resent = 0.0;
    for (uint32_t i = 0; i < r.n_scalars; i++)
        if (strcmp(r.scalar[i].name, "retransmissions") == 0)
            resent = r.scalar[i].value;
    assert_true(resent > 0.0);
    /* Each delivery takes three hops; what is beyond are the repetitions. */
    assert_int_equal(r.packet_hops, 3 * r.packets_delivered + (uint64_t)resent);
    cop_result_free(&r);
}

/* gran0-23: far from saturation a cut-through switch adds headers, near it whole packets wait, as
 * with store-and-forward. */
static void cut_through_under_load(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 1 ms, warmup: 200 us}\n"
                               "topology: {kind: kary-ntree, k: 4, n: 2}\n"
                               "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                               "traffic:\n"
                               "  - {name: u, pattern: uniform, arrival: poisson, load: 0.5,\n"
                               "     message: 2 KiB}\n";
    static const char *const load[] = {"traffic.u.load=0.02", "traffic.u.load=0.4",
                                       "traffic.u.load=0.7", "traffic.u.load=0.95"};
    double ratio[COP_LEN(load)], cut_low = 0.0;
    for (size_t i = 0; i < COP_LEN(load); i++) {
        const char *saf[] = {load[i], "switch.switching=store-and-forward"};
        cop_result cut, whole;
        run_ok(yaml, load + i, 1, &cut);
        run_ok(yaml, saf, 2, &whole);
        ratio[i] = cop_hist_mean(cut.transit) / cop_hist_mean(whole.transit);
        if (i == 0)
            cut_low = cop_hist_mean(cut.transit);
        cop_result_free(&cut);
        cop_result_free(&whole);
    }
    /* 3 of 15 destinations share the switch: one switch, the others are three switches away. */
    double one = 20 + 132 + 20 + 1024, three = one + 2 * (20 + 132);
    near("gran0-23, low load", cut_low, 1e3 * (3 * one + 12 * three) / 15, 0.03);
    for (size_t i = 1; i < COP_LEN(load); i++)
        assert_true(ratio[i] > ratio[i - 1]);
    assert_true(ratio[0] < 0.5);
    assert_true(ratio[COP_LEN(load) - 1] > 0.8);
}

/* gran0-24: where every switch is a neighbour of every other, congestion at one host fills only the
 * links to its switch. Other flows, also from the hot flows' switches, have full rate. */
static void full_network_does_not_spread(void **state)
{
    (void)state;
    cop_result r;
    run_ok("run: {duration: 2 ms, warmup: 1 ms}\n"
           "topology: {kind: full, switches: 6, hosts: 2}\n"
           "link: {rate: 10 Gbit/s}\n"
           "traffic:\n"
           "  - {name: hot, from: [2, 4, 6, 8, 10], pattern: fixed, to: 0}\n"
           "  - {name: c1, from: [3], pattern: fixed, to: 5}\n"
           "  - {name: c2, from: [5], pattern: fixed, to: 7}\n"
           "  - {name: c3, from: [7], pattern: fixed, to: 9}\n"
           "  - {name: c4, from: [1], pattern: fixed, to: 11}\n",
           NULL, 0, &r);
    near("gran0-24, hot", scn_gbps(&r, "hot"), 10.0, 0.01);
    static const char *const cold[] = {"c1", "c2", "c3", "c4"};
    for (size_t i = 0; i < COP_LEN(cold); i++)
        near("gran0-24", scn_gbps(&r, cold[i]), 10.0, 0.005);
    for (uint32_t i = 0; i < r.n_ports; i++) {
        const cop_port_result *p = &r.port[i];
        bool to_hot =
            p->name[0] == 's' && (strncmp(p->to, "s0.", 3) == 0 || strcmp(p->to, "h0") == 0);
        assert_true(to_hot == (p->max_queue_bytes > 0));
    }
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(credit_round_trip),      cmocka_unit_test(pause_in_time),
        cmocka_unit_test(resume_in_time),         cmocka_unit_test(ack_nack),
        cmocka_unit_test(cut_through_under_load), cmocka_unit_test(full_network_does_not_spread),
    };
    return cmocka_run_group_tests_name("claims_flow", tests, NULL, NULL);
}
