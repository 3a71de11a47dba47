/* InfiniBand congestion control in a network: exact rates of a throttled flow, who marks and who does
 * not, and the books of the index. */
#include "ibcc_net_fixture.h"

/* -- a lone flow that is always throttled: its index never falls below CCTI_Min -- */

static const char lone[] =
    "run: {duration: 1 ms}\n"
    "topology: {kind: single, hosts: 2}\n"
    "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
    "nic: {inject_rate: 10 Gbit/s}\n"
    "cc: {kind: ibcc, ccti_min: 50, cct_shape: linear, cct_delay: 100 ns, "
    "cct_index: 1}\n"
    "traffic: [{name: f, from: [0], pattern: fixed, to: 1, message: 16 KiB}]\n";

static void lone_sends_every(const char *const *set, size_t n, double spacing_ns)
{
    cop_result r;
    scn_run(lone, set, n, &r, NULL);
    assert_int_equal(r.packets_injected, (uint64_t)floor(1e6 / spacing_ns) + 1);
    cop_result_free(&r);
}

/* gran1-33: the next packet starts length / rate + delay after this one started, exactly. */
static void test_lone_flow(void **state)
{
    (void)state;
    lone_sends_every(NULL, 0, 1638.4 + 5000.0);
    const char *const start[] = {"cc.delay_from=start"};
    lone_sends_every(start, 1, 5000.0);
    const char *const quick[] = {"cc.delay_from=start", "cc.ccti_min=5"};
    lone_sends_every(quick, 2, 1638.4); /* shorter than the packet itself */
    const char *const half[] = {"traffic.f.message=1 KiB"};
    lone_sends_every(half, 1, 819.2 + 2500.0); /* half a packet waits half as long */
    const char *const fixed[] = {"traffic.f.message=1 KiB", "cc.cct_scale=no"};
    lone_sends_every(fixed, 2, 819.2 + 5000.0);
    /* Hardware's table: three times the packet's time on the 16 Gbit/s link. */
    const char *const ratio[] = {"cc.cct_shape=encoded", "cc.cct_encoded=0:0, 0:1, 0:3",
                                 "cc.ccti_min=2"};
    lone_sends_every(ratio, 3, 1638.4 + 3 * 1024.0);
    const char *const none[] = {"cc.ccti_min=0"};
    lone_sends_every(none, 1, 1638.4); /* index 0 is no delay */
}

/* -- marks -- */

static void test_marks(void **state)
{
    (void)state;
    cop_result r;
    scn_run(hot, NULL, 0, &r, NULL);
    assert_true(scalar(&r, "fecn") > 50);
    assert_true(scalar(&r, "fecn_at/s0.1") == scalar(&r, "fecn")); /* one root */
    assert_true(scalar(&r, "fecn/cold") == 0 && scalar(&r, "becn/cold") == 0); /* gran2-18 */
    /* Every mark is answered once, by a notification that is heard; a few are under way. */
    assert_in_range(scalar(&r, "fecn") - scalar(&r, "fecn/hot"), 0, 40);
    assert_true(scalar(&r, "notifications") == scalar(&r, "fecn/hot"));
    assert_in_range(scalar(&r, "notifications") - scalar(&r, "becn"), 0, 4);
    assert_true(scalar(&r, "becn") == scalar(&r, "becn/hot"));
    near(scn_gbps(&r, "cold"), 10.0, 0.01);
    cop_result_free(&r);
}

static void marks_in(const char *const *set, size_t n, double least, double most)
{
    cop_result r;
    scn_run(hot, set, n, &r, NULL);
    assert_in_range(scalar(&r, "fecn"), least, most);
    cop_result_free(&r);
}

static void test_no_marks(void **state)
{
    (void)state;
    const char *const zero[] = {"cc.threshold=0"}; /* gran1-20 */
    marks_in(zero, 1, 0, 0);
    const char *const host[] = {"cc.host_threshold=0"};
    marks_in(host, 1, 0, 0);
    const char *const port[] = {"cc.port_threshold=[0, 1, 0]"};
    marks_in(port, 1, 0, 0);
    const char *const other[] = {"cc.port_threshold=[0, 4, 0]"};
    marks_in(other, 1, 50, 1e6);
    const char *const size[] = {"cc.packet_size=33"}; /* 2112 B: longer than any packet */
    marks_in(size, 1, 0, 0);
    const char *const fits[] = {"cc.packet_size=32"};
    marks_in(fits, 1, 50, 1e6);
    /* No fill can reach a threshold of two whole buffers (gran2-17). */
    const char *const high[] = {"cc.evaluate=voq", "cc.threshold_bytes=128 KiB"};
    marks_in(high, 2, 0, 0);
}

/* gran1-23: a slow host is a root only by Victim_Mask; the switch that feeds it has no credit. The
 * only sender is faster than the only receiver. */
static void test_slow_host(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 2 ms, warmup: 1 ms}\n"
                               "topology: {kind: single, hosts: 2}\n"
                               "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                               "nic: {receive_rate: 5 Gbit/s}\n"
                               "cc: {kind: ibcc, preset: testbed, ccti_timer: 20 us}\n"
                               "traffic: [{name: f, from: [0], pattern: fixed, to: 1}]\n";
    const char *const none[] = {"cc.victim_mask=none"};
    const char *const one[] = {"cc.victim_mask=none", "cc.port_victim_mask=[0, 1, 1]"};
    cop_result r;
    scn_run(yaml, NULL, 0, &r, NULL);
    double masked = scalar(&r, "fecn");
    cop_result_free(&r);
    scn_run(yaml, one, 2, &r, NULL);
    assert_true(scalar(&r, "fecn") == masked);
    cop_result_free(&r);
    scn_run(yaml, none, 1, &r, NULL);
    assert_true(masked > 50 &&
                scalar(&r, "fecn") <= 20); /* only before the host's buffer is full */
    cop_result_free(&r);
}

/* The host takes in a quarter of what comes, behind a buffer of 32 packets that are 4.096 us each. The
 * switch marks when that is full. Its marks reach the source within a few packets, or (delivery) after
 * the marked packet has passed the buffer, 128 us later; measured in bins of 10 us. */
static void test_busy_sink(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 1 ms, sample: 10 us, observe: \"becns/0>1, state/h1\"}\n"
        "topology: {kind: single, hosts: 3}\n"
        "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
        "nic: {receive_rate: 4 Gbit/s, buffer: 64 KiB, ack: packet}\n"
        "cc: {kind: ibcc, preset: fat-tree}\n"
        "traffic: [{name: f, from: [0], pattern: fixed, to: 1}]\n";
    static const char *const when[] = {"nic.notify=arrival", "nic.notify=delivery"};
    uint32_t waited[2];
    for (size_t k = 0; k < 2; k++) {
        cop_result r;
        scn_run(yaml, &when[k], 1, &r, NULL);
        const cop_series *becns = series(&r, "becns/0>1"), *congested = series(&r, "state/h1");
        uint32_t marks = 0, heard = 0;
        while (congested->v[marks] == 0.0)
            marks++;
        while (becns->v[heard] == 0.0)
            heard++;
        waited[k] = heard - marks;
        cop_result_free(&r);
    }
    assert_true(waited[0] <= 1);
    assert_in_range(waited[1], 12, 14);
}

/* The output buffer holds 32 packets, 1.6384 us each. When it is full, queues grow and the state is entered;
 * the next packet that leaves is marked, not the next one that enters, which leaves 52 us later. */
static void test_marks_leave_the_output_buffer(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 400 us, sample: 2 us, observe: \"becns/0>1, becns/2>1, state/h1\"}\n"
        "topology: {kind: single, hosts: 3}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "switch: {architecture: cioq, speedup: 4, output_buffer: 64 KiB}\n"
        "cc: {kind: ibcc, preset: fat-tree}\n"
        "traffic: [{name: f, from: [0, 2], pattern: fixed, to: 1}]\n";
    cop_result r;
    scn_run(yaml, NULL, 0, &r, NULL);
    const cop_series *a = series(&r, "becns/0>1"), *b = series(&r, "becns/2>1"),
                     *congested = series(&r, "state/h1");
    uint32_t enters = 0, heard = 0;
    while (congested->v[enters] == 0.0)
        enters++;
    while (a->v[heard] + b->v[heard] == 0.0)
        heard++;
    assert_true(enters > 20); /* the output buffer was filled first */
    assert_true(heard - enters <= 3);
    cop_result_free(&r);
}

/* Hosts 0 to 2 of the first switch send to host 4, behind the second one, of a quarter of their link's rate. Once
 * the second switch is full, the cable to it is a victim: it has credit for a packet only when one has left.
 * It enters the state before that, and then marks, unless credit is asked for at every mark. */
static void test_root_at_every_mark(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 2 ms}\n"
                               "topology: {kind: chain, hosts: [3, 2]}\n"
                               "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                               "nic: {receive_rate: 2.5 Gbit/s}\n"
                               "cc: {kind: ibcc, preset: fat-tree, ccti_increase: 0}\n"
                               "traffic: [{name: f, from: [0-2], pattern: fixed, to: 4}]\n";
    static const char *const when[] = {"cc.root_test=enter", "cc.root_test=mark"};
    double trunk[2], host[2];
    for (size_t k = 0; k < 2; k++) {
        cop_result r;
        scn_run(yaml, &when[k], 1, &r, NULL);
        trunk[k] = scalar(&r, "fecn_at/s0.3");
        host[k] = scalar_or(&r, "fecn_at/s1.1", 0.0); /* a port that marks nothing is not named */
        cop_result_free(&r);
    }
    assert_true(trunk[0] > 250); /* nearly all that it sends, 305 packets in 2 ms */
    /* Only until the two buffers of 32 packets behind it are full, a third more than that having left. */
    assert_in_range(trunk[1], 70, 86);
    assert_true(host[0] < 10); /* what comes is marked already */
    assert_true(host[1] > 200); /* faces a host: Victim_Mask, no credit needed */
}

static void test_becn_on_acknowledgements(void **state)
{
    (void)state;
    const char *const set[] = {"cc.becn=ack"};
    const char *const joined[] = {"cc.becn=ack", "nic.ack=packet"};
    cop_result r;
    scn_run(hot, set, 1, &r, NULL);
    assert_true(scalar(&r, "notifications") == 0);
    assert_true(scalar(&r, "acks") == scalar(&r, "fecn/hot") && scalar(&r, "acks") > 50);
    assert_true(scalar(&r, "becn") > 50);
    cop_result_free(&r);
    scn_run(hot, joined, 2, &r, NULL); /* one acknowledgement for each data packet, no more */
    assert_true(scalar(&r, "acks") * 2 >= (double)r.packets_delivered - 4);
    assert_true(scalar(&r, "acks") * 2 <= (double)r.packets_delivered + 40);
    assert_true(scalar(&r, "becn") > 50);
    cop_result_free(&r);
}

/* Messages of 16 packets: one acknowledgement for each, and never more than one BECN with it. With
 * acknowledgements of packets each mark has one of its own. No notifications, no packets besides. */
static void test_becn_waits_for_the_acknowledgement(void **state)
{
    (void)state;
    const char *const message[] = {"cc.becn=next-ack", "nic.ack=message",
                                   "traffic.hot.message=32 KiB", "run.drain=yes"};
    const char *const packet[] = {"cc.becn=next-ack", "nic.ack=packet",
                                  "traffic.hot.message=32 KiB", "run.drain=yes"};
    const char *const none[] = {"cc.becn=next-ack"};
    const char *const level[] = {"cc.becn=next-ack", "nic.ack=message", "cc.level=sl"};
    cop_result r;
    scn_run(hot, packet, 4, &r, NULL);
    double each = scalar(&r, "becn");
    assert_true(scalar(&r, "notifications") == 0 && each == scalar(&r, "fecn/hot") && each > 50);
    cop_result_free(&r);
    scn_run(hot, message, 4, &r, NULL);
    double messages = scalar(&r, "acks"), becns = scalar(&r, "becn");
    assert_true(scalar(&r, "notifications") == 0);
    assert_true(becns > 10 && becns <= messages);
    assert_true(scalar(&r, "fecn/hot") > 3 * becns); /* marks of one message share a BECN */
    cop_result_free(&r);
    cop_err err = {0};
    assert_int_equal(scn_run(hot, none, 1, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "nic.ack"));
    err = (cop_err){0};
    assert_int_equal(scn_run(hot, level, 3, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "cc.level"));
}

/* Notifications of packets that others mark are packets, and may be marked; they are not answered. */
static void test_control_is_not_answered(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 1 ms, drain: yes}\n"
                               "topology: {kind: single, hosts: 4}\n"
                               "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                               "nic: {control_bytes: 2 KiB}\n"
                               "cc: {kind: ibcc, preset: fat-tree, ccti_increase: 0}\n"
                               "traffic:\n"
                               "  - {name: a, from: [0, 2, 3], pattern: fixed, to: 1}\n"
                               "  - {name: b, from: [1, 2, 3], pattern: fixed, to: 0}\n";
    cop_result r;
    scn_run(yaml, NULL, 0, &r, NULL);
    double data = scalar(&r, "fecn/a") + scalar(&r, "fecn/b");
    assert_true(scalar(&r, "fecn") > data + 50); /* some control packets were marked */
    assert_true(scalar(&r, "notifications") == data);
    assert_true(scalar(&r, "becn") == data); /* nothing is under way after draining */
    assert_int_equal(r.packets_in_flight, 0);
    cop_result_free(&r);
}

/* The first mark takes a flow to the end of its table, 127 x 10 us, and its timer takes it down a step every
 * 10 us: half of that after its last packet the index of then lets it go on. A delay fixed with the last
 * packet would hold it for 1270 us. Its rival stops early, so that nothing is marked any more. */
static void test_delay_shrinks_while_waiting(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 2 ms, sample: 5 us, observe: \"becns/0>1\"}\n"
        "topology: {kind: single, hosts: 3}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "cc: {kind: ibcc, preset: fat-tree, cct_shape: linear, cct_delay: 10 us, cct_index: 1, "
        "ccti_timer: 10 us, ccti_increase: 127}\n"
        "traffic:\n"
        "  - {name: f, from: [0], pattern: fixed, to: 1}\n"
        "  - {name: rival, from: [2], pattern: fixed, to: 1, messages: 5}\n";
    cop_result r;
    scn_run(yaml, NULL, 0, &r, NULL);
    const cop_series *becns = series(&r, "becns/0>1"), *f = series(&r, "throughput/f");
    uint32_t last = 0, on, rises = 0;
    for (uint32_t i = 1; i < becns->n; i++)
        if (becns->v[i] > becns->v[i - 1])
            last = i, rises++;
    assert_true(rises > 0 && last < 20);
    for (on = last + 20; f->v[on] == 0.0;)
        on++;
    assert_in_range((on - last) * 5, 620, 650);
    cop_result_free(&r);
}

/* gran1-32: the index only rises by BECNs and falls by ticks. */
static void test_books_of_the_index(void **state)
{
    (void)state;
    const char *const set[] = {"run.observe=ccti/0>1, becns/0>1", "cc.timer_phase=no",
                               "run.duration=4 ms", "run.sample=20 us"};
    cop_result r;
    scn_run(hot, set, 4, &r, NULL);
    const cop_series *index = series(&r, "ccti/0>1"), *becns = series(&r, "becns/0>1");
    double total = becns->v[becns->n - 1];
    /* Throttled all the time after the start: one tick in every bin, at its end. */
    uint32_t first = 10;
    for (uint32_t i = first; i < index->n; i++)
        assert_in_range(index->v[i], 1, 127);
    near(total - becns->v[first], index->v[index->n - 1] - index->v[first] + (index->n - 1 - first),
         1e-9);
    cop_result_free(&r);
}

/* BECNs minus index are the ticks. A timer that goes on ticks every 20 us; one that each BECN starts anew
 * ticks less often, and how many BECNs there are does not matter for the first. */
static void test_timers_of_presets(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *timer;
        bool restarts;
    } cases[] = {{"testbed", "auto", false},  {"testbed", "restart", true},
                 {"simulator", "auto", true}, {"simulator", "free-running", false},
                 {"fat-tree", "auto", true},  {"fat-tree", "per-sl", false}};
    for (size_t k = 0; k < COP_LEN(cases); k++) {
        char preset[40], timer[40];
        const char *const set[] = {
            scn_text(preset, sizeof(preset), "cc.preset=%s", cases[k].preset),
            scn_text(timer, sizeof(timer), "cc.timer=%s", cases[k].timer),
            "run.observe=ccti/0>1, becns/0>1", "run.sample=20 us"};
        cop_result r;
        scn_run(hot, set, COP_LEN(set), &r, NULL);
        const cop_series *index = series(&r, "ccti/0>1"), *becns = series(&r, "becns/0>1");
        double ticks = becns->v[index->n - 1] - index->v[index->n - 1];
        assert_true(becns->v[index->n - 1] > 50);
        if (cases[k].restarts)
            assert_true(ticks < 90);
        else
            assert_in_range(ticks, 95, 100); /* 2 ms, but for the start */
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lone_flow),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_no_marks),
        cmocka_unit_test(test_slow_host),
        cmocka_unit_test(test_busy_sink),
        cmocka_unit_test(test_marks_leave_the_output_buffer),
        cmocka_unit_test(test_root_at_every_mark),
        cmocka_unit_test(test_becn_on_acknowledgements),
        cmocka_unit_test(test_becn_waits_for_the_acknowledgement),
        cmocka_unit_test(test_control_is_not_answered),
        cmocka_unit_test(test_delay_shrinks_while_waiting),
        cmocka_unit_test(test_books_of_the_index),
        cmocka_unit_test(test_timers_of_presets),
    };
    return cmocka_run_group_tests_name("ibcc_net", tests, NULL, NULL);
}
