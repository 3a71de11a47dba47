/* Who waits goes on at the right instant, and no more than allowed waits: room in output buffers,
 * shared buffers, messages set aside at end nodes. Small networks whose times are sums of link
 * times. */
#include "net_fixture.h"

#include "host/simple.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static const cop_stream_result *stream_of(const cop_result *r, const char *entry)
{
    for (uint32_t i = 0; i < r->n_streams; i++)
        if (strcmp(r->stream[i].entry, entry) == 0)
            return &r->stream[i];
    fail_msg("no stream of %s", entry);
    return NULL;
}

static void expect_latency(const cop_result *r, const char *entry, double ns)
{
    const cop_stream_result *s = stream_of(r, entry);
    assert_int_equal(s->packets, 1);
    if (fabs(s->latency_mean_ns - ns) > 1e-6)
        fail_msg("%s took %.3f ns, not %.3f", entry, s->latency_mean_ns, ns);
}

/* -- output buffers -- */

/* A slow trunk: its output has room for one and a half packets. Its first packet (`first`) leaves on
 * the wire from 171.2 ns (20 delay, 51.2 header, 100 pipeline) until 16555.2 ns. Meanwhile two
 * others want it: `long`, a whole packet that does not fit, and `short` that would, but its input
 * is busy with a packet for another output (`other` had to let `before` pass) from 15809.6 until
 * 17448 ns. The lane is therefore open, and no packet can use it. */
static const char three_inputs[] =
    "run: {duration: 100 us, drain: yes}\n"
    "topology: {kind: chain, hosts: [5, 1]}\n"
    "link: {host_rate: 10 Gbit/s, trunk_rate: 1 Gbit/s, delay: 20 ns}\n"
    "switch: {architecture: cioq, speedup: 1, output_buffer: 3 KiB, buffer: 16 KiB}\n"
    "queueing: {kind: voqsw}\n"
    "nic: {mtu: 2 KiB}\n"
    "traffic:\n"
    "  - {name: first, from: [3], pattern: fixed, to: 5, message: 2 KiB, messages: 1}\n"
    "  - {name: before, from: [2], pattern: fixed, to: 4, message: 2 KiB, messages: 1,"
    " start: 14000 ns}\n"
    "  - {name: other, from: [1], pattern: fixed, to: 4, message: 2 KiB, messages: 1,"
    " start: 14100 ns}\n"
    "  - {name: short, from: [1], pattern: fixed, to: 5, message: 64 B, messages: 1,"
    " start: 14101 ns}\n"
    "  - {name: long, from: [0], pattern: fixed, to: 5, message: 2 KiB, messages: 1,"
    " start: 16000 ns}\n";

/* `long` crosses when `first` has left, not when the input of `short` is free. */
static void test_room_in_an_output_buffer_wakes_all_inputs(void **state)
{
    (void)state;
    cop_result r;
    scn_run(three_inputs, NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    /* At the second switch the tail decides: the trunk is slower than the host's link. */
    const double wire = 2048 * 8.0, start = 171.2 + wire, after = 20 + wire + 20;
    expect_latency(&r, "first", 171.2 + after);
    expect_latency(&r, "before", 171.2 + 20 + 1638.4);
    expect_latency(&r, "other", 71.2 + 1638.4 + 20 + 1638.4);
    expect_latency(&r, "long", start + after - 16000);
    /* Saturated: it comes into being when the host can send it. */
    expect_latency(&r, "short",
                   start + wire + 20 + 64 * 8.0 + 100 + 20 + 64 * 0.8 - (14100 + 1638.4));
    cop_result_free(&r);
}

/* -- shared buffers -- */

/* Two lanes own 3 KiB each and share 1 KiB. A lane alone has room for two packets, the second one
 * partly in what is shared: two packets per round trip over 5 us of cable, by the formula of
 * docs/MODEL.md. */
static void test_a_packet_may_lie_in_the_reserve_and_beyond(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 20 ms, warmup: 1 ms}\n"
                               "topology: {kind: single, hosts: 2}\n"
                               "link: {rate: 10 Gbit/s, delay: 5 us}\n"
                               "switch: {lanes: 2, shared_lanes: yes, reserve: 3 KiB}\n"
                               "nic: {mtu: 2 KiB}\n"
                               "traffic: [{name: F, from: [0], pattern: fixed, to: 1}]\n";
    static const struct {
        const char *buffer;
        double packets;
    } sizes[] = {{"switch.buffer=7 KiB", 2},
                 {"switch.buffer=7104 B", 1}, /* a block less */
                 {"switch.buffer=9 KiB", 3},
                 {"switch.buffer=9152 B", 2}};
    const double trip_ns = 2 * 5000 + 51.2 + 100 + 1638.4;
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        cop_result r;
        scn_run(yaml, &sizes[i].buffer, 1, &r, NULL);
        double want = sizes[i].packets * 2048 * 8 / trip_ns, got = scn_gbps(&r, "F");
        if (fabs(got - want) > 0.002 * want)
            fail_msg("%s: %.4f Gbit/s, not %.4f", sizes[i].buffer, got, want);
        cop_result_free(&r);
    }
}

/* -- messages set aside -- */

/* Two flows of a packet in 164 us each. When the stream stops after 50 us, both have sent one
 * packet, and as many messages as `backlog` says have been taken and wait; they are sent, and no
 * others. */
static void test_a_stream_sets_aside_as_many_as_backlog(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 2 ms}\n"
        "topology: {kind: single, hosts: 3}\n"
        "cc: {kind: pace, rate: 100 Mbit/s}\n"
        "nic: {mtu: 2 KiB}\n"
        "traffic:\n"
        "  - {from: [0], pattern: list, to_list: [1, 2], message: 2 KiB, stop: 50 us}\n";
    for (uint32_t backlog = 1; backlog <= 5; backlog++) {
        char set[32];
        const char *sets[] = {scn_text(set, sizeof(set), "nic.backlog=%u", backlog)};
        cop_result r;
        scn_run(yaml, sets, 1, &r, NULL);
        assert_int_equal(r.packets_injected, 2 + backlog);
        assert_int_equal(r.packets_delivered, 2 + backlog);
        cop_result_free(&r);
    }
}

/* A host whose lanes are all blocked takes two messages per lane and one per stream, and then no more: they
 * would wait for the same credits. The sink takes in next to nothing. */
static void test_a_blocked_host_takes_few_messages(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 200 us, sample: 200 us}\n"
        "topology: {kind: single, hosts: 5}\n"
        "switch: {buffer: 4 KiB}\n"
        "nic: {mtu: 2 KiB, receive_rate: 1 Mbit/s, backlog: 100}\n"
        "traffic:\n"
        "  - {from: [0], pattern: fixed, to: 1, message: 2 KiB}\n"
        "  - {from: [2], pattern: fixed, to: 1, message: 2 KiB}\n"
        "  - {from: [2], pattern: fixed, to: 1, message: 2 KiB}\n"
        "  - {from: [2], pattern: fixed, to: 1, message: 2 KiB}\n"
        "  - {from: [3], pattern: fixed, to: 1, message: 2 KiB, messages: 3}\n";
    for (uint32_t lanes = 1; lanes <= 3; lanes++) {
        char set[32];
        const char *sets[] = {scn_text(set, sizeof(set), "switch.lanes=%u", lanes)};
        net_lab *w = lab_build(yaml, sets, 1);
        cop_net_run(&w->net, NULL, NULL);
        assert_int_equal(w->net.stop, COP_OUTCOME_OK);
        assert_int_equal(cop_simple_of(&w->net)->host[0].ready_n, 2 * lanes + 1);
        assert_int_equal(cop_simple_of(&w->net)->host[2].ready_n, 2 * lanes + 3);
        assert_true(cop_simple_of(&w->net)->host[3].ready_n <= 3);
        assert_int_equal(cop_simple_of(&w->net)->host[4].ready_n, 0);
        /* In the network: two in each input buffer, and two at the sink. */
        assert_int_equal(w->net.total.injected, 2 + 2 + 2 + 2);
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room_in_an_output_buffer_wakes_all_inputs),
        cmocka_unit_test(test_a_packet_may_lie_in_the_reserve_and_beyond),
        cmocka_unit_test(test_a_stream_sets_aside_as_many_as_backlog),
        cmocka_unit_test(test_a_blocked_host_takes_few_messages),
    };
    return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
