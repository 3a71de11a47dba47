/* End nodes by hand: packets handed to a host, and what it counts and answers; when it wakes up. */
#include "net_fixture.h"

#include "host/host.h"
#include "net/flow/flow.h"

static net_lab *make_with(const char *const *set, size_t n)
{
    return lab_build("run: {duration: 1 ms, sample: 1 ms}\n"
                     "topology: {kind: single, hosts: 4}\n"
                     "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                     "switch: {lanes: 3}\n"
                     "nic: {mtu: 1000 B, overhead: 24 B, control_bytes: 70 B}\n"
                     "traffic: [{from: [0], pattern: fixed, to: 1, start: 900 us},"
                     " {from: [2], pattern: fixed, to: 1, start: 900 us}]\n",
                     set, n);
}

static net_lab *make(const char *a, const char *b)
{
    const char *set[] = {a, b};
    return make_with(set, b ? 2 : a ? 1 : 0);
}

/* A packet of stream 1, from host 2 to host 1; its head is here now, its tail at t_tail. */
static void arrives(net_lab *w, uint16_t flags, cop_time t_tail)
{
    cop_net *net = &w->net;
    uint32_t h = cop_pkt_new(net), port = cop_topo_host_port(&w->topo, 1);
    net->pkt[h] = (cop_pkt){.next = COP_NONE,
                            .stream = 1,
                            .src = 2,
                            .dst = 1,
                            .bytes = 1024,
                            .seq = 7,
                            .t_gen = 1000,
                            .t_inj = 2000,
                            .t_tail = t_tail,
                            .flags = flags,
                            .sl = 5,
                            .vl = 2};
    net->out[net->in[port].from].section[2].used += 16;
    net->out[net->in[port].from].section[2].credit -= 16;
    cop_host_receive(net, port, h);
}

static uint32_t answers(const net_lab *w)
{
    uint32_t n = 0;
    for (uint32_t h = w->net.nic[1].control_head; h != COP_NONE; h = w->net.pkt[h].next)
        n++;
    return n;
}

static void which_packets_are_answered(void **state)
{
    (void)state;
    static const struct {
        const char *ack;
        uint32_t plain, last;
    } cases[] = {{"nic.ack=none", 0, 0}, {"nic.ack=message", 0, 1}, {"nic.ack=packet", 1, 1}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = make(cases[i].ack, NULL);
        w->net.now = 5000;
        arrives(w, 0, 10000);
        assert_int_equal(answers(w), cases[i].plain);
        arrives(w, COP_PKT_LAST, 20000);
        assert_int_equal(answers(w), cases[i].plain + cases[i].last);
        assert_int_equal(w->net.total.acks, cases[i].plain + cases[i].last);
        assert_int_equal(w->net.total.cnps, 0);
        assert_int_equal(w->net.total.delivered, 2);
        assert_int_equal(w->net.total.delivered_bytes, 2048);
        assert_int_equal(w->net.probe.stream[1].delivered_bytes, 2000);
        assert_int_equal(w->net.probe.stream[0].delivered_bytes, 0);
        assert_int_equal(w->net.probe.stream[1].latency_ps, 10000 + 20000 - 2 * 1000);
        assert_int_equal(w->net.probe.transit->sum_lo, 10000 + 20000 - 2 * 2000);
        lab_free(w);
    }
}

/* Whole messages, of one packet and of three: one answer for each message, or for each packet. */
static void answers_to_messages(void **state)
{
    (void)state;
    static const struct {
        const char *ack, *message;
        uint64_t acks;
    } cases[] = {{"nic.ack=message", "1000 B", 5}, {"nic.ack=message", "1001 B", 5},
                 {"nic.ack=message", "2500 B", 5}, {"nic.ack=packet", "2500 B", 15},
                 {"nic.ack=packet", "1000 B", 5},  {"nic.ack=none", "2500 B", 0}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char traffic[128];
        net_lab *w =
            make(cases[i].ack, scn_text(traffic, sizeof(traffic),
                                        "traffic=[{from: [0], pattern: fixed, to: 1, messages: 5,"
                                        " message: %s}]",
                                        cases[i].message));
        cop_net_run(&w->net, NULL, NULL);
        assert_int_equal(w->net.stop, COP_OUTCOME_OK);
        assert_int_equal(w->net.total.acks, cases[i].acks);
        assert_int_equal(w->net.total.delivered, w->net.probe.latency->count + cases[i].acks);
        lab_free(w);
    }
    /* One message of three packets is answered when the last of them is complete. */
    net_lab *w = make("nic.ack=message", "traffic=[{from: [0], pattern: fixed, to: 1, messages: 1,"
                                         " message: 2500 B}]");
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.total.acks, 1);
    const cop_pkt *last = NULL; /* those that were freed are still readable */
    for (uint32_t h = 0; h < w->net.pkt_n; h++)
        if (w->net.pkt[h].flags & COP_PKT_ACK)
            last = &w->net.pkt[h];
    assert_non_null(last);
    assert_int_equal(last->t_gen, w->net.probe.latency->max);
    lab_free(w);
}

/* Two messages of 2500 bytes leave as packets of 1024, 1024 and 524 bytes, a byte per ns, back to back or
 * at half the rate; a cable of 1 ms keeps them all in sight. */
static void packets_of_a_message(void **state)
{
    (void)state;
    static const char *const rates[] = {"nic.inject_rate=8 Gbit/s", "nic.inject_rate=4 Gbit/s"};
    static const uint32_t bytes[] = {1024, 1024, 524};
    for (uint64_t slow = 0; slow < 2; slow++) {
        const char *set[] = {"link.delay=1 ms", rates[slow],
                             "traffic=[{from: [3], pattern: fixed, to: 1, messages: 2, sl: 3,"
                             " message: 2500 B, start: 7 us}]"};
        net_lab *w = lab_build("run: {duration: 900 us}\n"
                               "topology: {kind: single, hosts: 4}\n"
                               "link: {rate: 8 Gbit/s}\n"
                               "nic: {mtu: 1000 B, overhead: 24 B}\n"
                               "traffic: [{from: [0], pattern: fixed, to: 1}]\n",
                               set, 3);
        cop_net *net = &w->net;
        cop_net_run(net, NULL, NULL);
        uint32_t port = cop_topo_host_port(&w->topo, 3), h = net->in[net->out[port].to].wire_head;
        cop_time t = 7 * COP_US, generated = t;
        for (uint32_t k = 0; k < 6; k++, h = net->pkt[h].next) {
            assert_true(h != COP_NONE);
            const cop_pkt *p = &net->pkt[h];
            if (k == 3)
                generated = t; /* saturated: when the end node takes it */
            assert_true(p->src == 3 && p->dst == 1 && p->sl == 3 && p->vl == 0);
            assert_int_equal(p->bytes, bytes[k % 3]);
            assert_int_equal(p->seq, k);
            assert_int_equal(p->flags, k % 3 == 2 ? COP_PKT_LAST : 0);
            assert_int_equal(p->t_inj, t);
            assert_int_equal(p->t_gen, generated);
            assert_int_equal(p->t_tail, t + p->bytes * COP_NS + COP_MS);
            t += p->bytes * COP_NS * (slow + 1);
        }
        assert_int_equal(h, COP_NONE);
        assert_int_equal(net->total.injected, 6);
        assert_int_equal(net->total.injected_bytes, 2 * (2500 + 3 * 24));
        assert_int_equal(net->probe.stream[0].sent_bytes, 5000);
        assert_int_equal(net->probe.host[3].sent_bytes, 5000);
        lab_free(w);
    }
}

/* An answer goes back to the source on the lane that is set, when the packet has been taken in. */
static void what_an_answer_says(void **state)
{
    (void)state;
    for (int lane = 0; lane < 2; lane++) {
        net_lab *w = make("nic.ack=packet", lane ? "nic.control_vl=1" : NULL);
        cop_net *net = &w->net;
        net->now = 5000;
        net->nic[1].seq = 40;
        arrives(w, 0, 10000);
        arrives(w, COP_PKT_FECN, 20000);
        const cop_pkt *p = &net->pkt[net->nic[1].control_head];
        for (uint32_t k = 0; k < 2; k++) {
            assert_true(p->src == 1 && p->dst == 2 && p->stream == 1 && p->sl == 5);
            assert_int_equal(p->bytes, 70);
            assert_int_equal(p->seq, 40 + k);
            assert_int_equal(p->t_gen, (k + 1) * 10000);
            assert_int_equal(p->t_inj, (k + 1) * 10000);
            assert_int_equal(p->flags, COP_PKT_ACK); /* a mark is not answered by itself */
            assert_int_equal(p->vl, lane);
            assert_int_equal(p->mid, COP_NONE);
            assert_int_equal(p->next == COP_NONE, k == 1);
            if (k == 0)
                p = &net->pkt[p->next];
        }
        assert_int_equal(net->nic[1].seq, 42);
        assert_int_equal(net->nic[1].wake, 10000); /* the first of them can go then */
        assert_int_equal(net->probe.stream[1].fecns, 1);
        lab_free(w);
    }
}

/* A sink of 1 Gbit/s needs 8.192 us for a packet, and three marked ones come within 2 us. Each
 * notification is ready when its packet has arrived, or (delivery) when the sink has taken it in; the
 * acknowledgements are ready then in both cases. */
static void a_busy_sink_delays_no_notification(void **state)
{
    (void)state;
    static const char *const when[] = {"nic.notify=arrival", "nic.notify=delivery"};
    for (int late = 0; late < 2; late++) {
        const char *set[] = {when[late], "cc.kind=ibcc", "nic.receive_rate=1 Gbit/s",
                             "nic.ack=packet"};
        net_lab *w = make_with(set, COP_LEN(set));
        cop_net *net = &w->net;
        net->now = 5000;
        for (uint32_t k = 0; k < 3; k++)
            arrives(w, COP_PKT_FECN, (k + 1) * 1000000);
        uint32_t notice = net->nic[1].notice_head, ack = net->nic[1].control_head;
        for (uint32_t k = 0; k < 3; k++) {
            cop_time taken = 5000 + (k + 1) * 8192000;
            uint16_t joined = late ? COP_PKT_ACK : 0; /* one packet says both */
            assert_int_equal(net->pkt[notice].t_inj, late ? taken : (k + 1) * 1000000);
            assert_int_equal(net->pkt[notice].flags, COP_PKT_CNP | COP_PKT_BECN | joined);
            notice = net->pkt[notice].next;
            if (late)
                continue;
            assert_int_equal(net->pkt[ack].t_inj, taken);
            assert_int_equal(net->pkt[ack].flags, COP_PKT_ACK);
            ack = net->pkt[ack].next;
        }
        assert_true(notice == COP_NONE && ack == COP_NONE);
        assert_int_equal(net->nic[1].wake, late ? 5000 + 8192000 : 1000000);
        assert_int_equal(net->total.cnps, 3);
        lab_free(w);
    }
}

/* A mark on the first packet of a message is told with the acknowledgement of the last, once; that of the
 * next message carries none. */
static void a_mark_waits_for_the_acknowledgement(void **state)
{
    (void)state;
    const char *set[] = {"cc.kind=ibcc", "cc.becn=next-ack", "nic.ack=message"};
    static const uint16_t flags[] = {
        COP_PKT_FECN, COP_PKT_FECN, 0, COP_PKT_LAST, 0, COP_PKT_LAST, COP_PKT_FECN | COP_PKT_LAST};
    static const uint16_t told[] = {COP_PKT_ACK | COP_PKT_BECN, COP_PKT_ACK,
                                    COP_PKT_ACK | COP_PKT_BECN};
    net_lab *w = make_with(set, COP_LEN(set));
    cop_net *net = &w->net;
    net->now = 5000;
    cop_flow_of(net, 2, 1, 5); /* as if host 2 had sent them */
    for (uint32_t k = 0; k < COP_LEN(flags); k++)
        arrives(w, flags[k], (k + 1) * 10000);
    uint32_t h = net->nic[1].control_head;
    for (size_t k = 0; k < COP_LEN(told); k++, h = net->pkt[h].next)
        assert_int_equal(net->pkt[h].flags, told[k]);
    assert_true(h == COP_NONE && net->nic[1].notice_head == COP_NONE);
    lab_free(w);
}

/* The packet has arrived before the run ends, and its delivery would come later: it is answered. One that
 * has not arrived is not. */
static void notifications_of_the_last_moment(void **state)
{
    (void)state;
    const char *set[] = {"cc.kind=ibcc", "nic.receive_rate=1 Gbit/s"};
    net_lab *w = make_with(set, COP_LEN(set));
    cop_net *net = &w->net;
    net->now = net->end - 2000000;
    arrives(w, COP_PKT_FECN, net->end);
    arrives(w, COP_PKT_FECN, net->end + 1);
    assert_int_equal(net->total.cnps, 1);
    assert_int_equal(net->total.delivered, 0);
    assert_int_equal(net->pkt[net->nic[1].notice_head].t_inj, net->end);
    lab_free(w);
}

/* Control packets count among those delivered, and nowhere else. */
static void control_packets_are_counted_apart(void **state)
{
    (void)state;
    net_lab *w = make("nic.ack=packet", NULL);
    w->net.now = 5000;
    arrives(w, COP_PKT_ACK, 10000);
    arrives(w, COP_PKT_CNP | COP_PKT_BECN, 11000);
    arrives(w, COP_PKT_ACK | COP_PKT_BECN, 12000);
    assert_int_equal(answers(w), 0);
    assert_int_equal(w->net.total.delivered, 3);
    assert_int_equal(w->net.total.becns, 2);
    assert_int_equal(w->net.probe.stream[1].becns, 2);
    assert_int_equal(w->net.probe.stream[1].delivered_bytes, 0);
    assert_int_equal(w->net.probe.latency->count, 0);
    lab_free(w);
}

/* Room is given back when the packet has been taken in, a cable later, in whole blocks. A sink at half the
 * rate of the link takes 2.048 us for each. */
static void room_is_given_back(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        cop_time first, second;
    } cases[] = {{NULL, 6000, 7000},
                 {"nic.receive_rate=4 Gbit/s", 5000 + 2048000, 5000 + 2 * 2048000}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = make(cases[i].rate, NULL);
        w->net.now = 5000;
        arrives(w, 0, 6000);
        arrives(w, 0, 7000);
        const cop_ring *r = &w->net.out[cop_topo_switch_port(&w->topo, 0, 1)].ring;
        assert_int_equal(r->end - r->at, 2);
        assert_int_equal(r->v[0].t, cases[i].first + 10000);
        assert_int_equal(r->v[1].t, cases[i].second + 10000);
        for (uint32_t k = 0; k < 2; k++)
            assert_true(r->v[k].blocks == 16 && r->v[k].section == 2);
        assert_int_equal(w->net.nic[1].rx_free, cases[i].second);
        lab_free(w);
    }
    /* What is complete after the end of the run is still inside. */
    net_lab *w = make(NULL, NULL);
    w->net.now = COP_MS - 5000;
    arrives(w, 0, COP_MS + 1);
    assert_int_equal(w->net.total.delivered, 0);
    assert_true(w->net.nic[1].late_head != COP_NONE);
    arrives(w, 0, COP_MS);
    assert_int_equal(w->net.total.delivered, 1);
    lab_free(w);
}

/* A packet that comes after a later one of its flow is a fault of the simulator, if its routing keeps the
 * order; the table of flows is made on request. */
static void order_is_checked(void **state)
{
    (void)state;
    static const struct {
        const char *set[2];
        bool broken;
    } cases[] = {{{"run.flows=no"}, false},
                 {{"run.flows=yes"}, true},
                 {{"run.flows=yes", "topology={kind: kary-ntree, k: 2, n: 2}"}, true}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = make(cases[i].set[0], cases[i].set[1]);
        w->net.now = 5000;
        arrives(w, 0, 6000);
        assert_int_equal(w->net.stop, COP_OUTCOME_OK);
        arrives(w, 0, 7000); /* the same number again */
        assert_int_equal(w->net.stop, cases[i].broken ? COP_OUTCOME_BROKEN : COP_OUTCOME_OK);
        assert_string_equal(w->net.why,
                            cases[i].broken ? "packet 2:7 overtook its flow 2 -> 1" : "");
        lab_free(w);
    }
    net_lab *w = make("topology={kind: kary-ntree, k: 2, n: 2}", "routing.kind=adaptive-tree");
    w->net.now = 5000;
    w->net.probe.flow.mask = 15;
    w->net.probe.flow.v = cop_alloc_array(16, sizeof(cop_flow_probe));
    arrives(w, 0, 6000);
    arrives(w, 0, 7000);
    assert_int_equal(w->net.stop, COP_OUTCOME_OK); /* it may */
    lab_free(w);
}

/* The earliest of the times at which there is something to do, not before the wire is free. */
static void waking_up(void **state)
{
    (void)state;
    net_lab *w = make(NULL, NULL);
    cop_net *net = &w->net;
    uint32_t port = cop_topo_host_port(&w->topo, 3);
    net->now = 5000;
    cop_host_wake(net, 3, COP_NEVER);
    assert_int_equal(net->nic[3].wake, COP_NEVER);
    cop_host_wake(net, 3, 9000);
    assert_int_equal(net->nic[3].wake, 9000);
    cop_host_wake(net, 3, 10000);
    assert_int_equal(net->nic[3].wake, 9000);
    cop_host_wake(net, 3, 8000);
    assert_int_equal(net->nic[3].wake, 8000);
    net->out[port].busy_until = 7000;
    cop_host_wake(net, 3, 1000);
    assert_int_equal(net->nic[3].wake, 7000);
    net->out[port].busy_until = 0;
    cop_host_wake(net, 3, 1000);
    assert_int_equal(net->nic[3].wake, 5000); /* now */
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_packets_are_answered),
        cmocka_unit_test(answers_to_messages),
        cmocka_unit_test(packets_of_a_message),
        cmocka_unit_test(what_an_answer_says),
        cmocka_unit_test(a_busy_sink_delays_no_notification),
        cmocka_unit_test(a_mark_waits_for_the_acknowledgement),
        cmocka_unit_test(notifications_of_the_last_moment),
        cmocka_unit_test(control_packets_are_counted_apart),
        cmocka_unit_test(room_is_given_back),
        cmocka_unit_test(order_is_checked),
        cmocka_unit_test(waking_up),
    };
    return cmocka_run_group_tests_name("nic", tests, NULL, NULL);
}
