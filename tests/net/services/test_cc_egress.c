/* What a congestion control sees as packets leave a switch, with controls made for the test: when
 * on_dequeue comes, and the numbers that it may ask for there. */
#include "net/cc.h"
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SWITCH_PORTS 8

/* Hosts 0 and 3 overload host 1, which itself sends to host 2 as fast as it can. */
static const char yaml[] = "run: {duration: 300 us, drain: yes}\n"
                           "topology: {kind: single, hosts: 4}\n"
                           "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                           "nic: {buffer: 2 KiB, receive_rate: 9 Gbit/s}\n"
                           "traffic:\n"
                           "  - {name: hot, from: [0, 3], pattern: fixed, to: 1}\n"
                           "  - {name: busy, from: [1], pattern: fixed, to: 2}\n";

/* -- when a packet leaves -- */

typedef struct gate { /* the control's configuration */
    struct {
        cop_time free; /* the packet before has left the wire */
        uint64_t came, went, fill;
    } out[SWITCH_PORTS];
    uint64_t packets, early, counted, credit, late_fill;
} gate;

static gate *gate_of(const struct cop_net *net)
{
    union {
        const void *in;
        gate *out;
    } u = {.in = cop_net_cc_cfg(net)};
    return u.out;
}

static void gate_enqueue(struct cop_net *net, uint32_t in, uint32_t port, cop_pkt *p)
{
    (void)in;
    gate_of(net)->out[port].came += p->bytes;
}

static void gate_fill(struct cop_net *net, uint32_t in, uint32_t out, uint32_t before,
                      uint32_t after, const cop_pkt *p)
{
    (void)in, (void)p;
    gate_of(net)->out[out].fill += (uint64_t)after - before;
}

static void gate_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    gate *g = gate_of(net);
    g->packets++;
    g->early += cop_net_now(net) < g->out[port].free;
    g->out[port].free = cop_net_now(net) + cop_net_wire_time(net, port, p->bytes);
    g->out[port].went += p->bytes;
    g->counted += cop_net_waiting_bytes(net, port) != g->out[port].came - g->out[port].went;
    g->late_fill += g->out[port].fill > g->out[port].came - g->out[port].went;
    g->credit += cop_net_has_credit(net, port, p);
}

/* Whatever the switch: on_dequeue comes as the packet goes on the wire, not before the one ahead of it
 * has left; its bytes wait nowhere any more, and the only place at the host is taken. */
static void test_packets_leave_by_the_wire(void **state)
{
    (void)state;
    static const cop_cc_ops gates = {.name = "gates",
                                     .at_switch.on_enqueue = gate_enqueue,
                                     .at_switch.on_fill = gate_fill,
                                     .at_switch.on_dequeue = gate_dequeue};
    static const char *const switches[] = {"switch={architecture: ib, buffer: 16 KiB}",
                                           "switch={architecture: iq, buffer: 16 KiB}",
                                           "switch={architecture: cioq, buffer: 16 KiB}",
                                           "switch={output_buffer: 4 KiB, buffer: 16 KiB}"};
    for (size_t i = 0; i < COP_LEN(switches); i++)
        for (int fifo = 0; fifo < 2; fifo++) {
            const cop_override set[] = {{.text = switches[i]},
                                        {.text = fifo ? "queueing.kind=1q" : "queueing.kind=voqsw"},
                                        {.text = "nic.buffer=2 KiB"},
                                        {.text = "nic.receive_rate=9 Gbit/s"},
                                        {.text = "run.drain=yes"},
                                        {.text = "run.duration=300 us"}};
            cop_config c;
            cop_result r;
            cop_err err = {0};
            gate g = {0};
            assert_int_equal(cop_config_load(&c, "test.yaml", yaml, set, COP_LEN(set), &err), 0);
            c.cc = &gates;
            c.cc_cfg = &g;
            assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
            assert_true(g.packets > 200);
            assert_int_equal(g.packets, r.packets_delivered);
            assert_int_equal(g.early, 0);
            assert_int_equal(g.counted, 0);
            assert_int_equal(g.late_fill, 0);
            assert_int_equal(g.credit, 0);
            cop_result_free(&r);
            cop_config_free(&c);
        }
}

/* -- lanes, and bytes sent -- */

typedef struct scale { /* the control's configuration */
    uint64_t sent[128], packets, wrong;
    uint32_t used; /* lanes on which something waited */
} scale;

static scale *scale_of(const struct cop_net *net)
{
    union {
        const void *in;
        scale *out;
    } u = {.in = cop_net_cc_cfg(net)};
    return u.out;
}

static void scale_look(struct cop_net *net, uint32_t port)
{
    scale *s = scale_of(net);
    uint64_t sum = 0;
    for (uint32_t vl = 0; vl < cop_net_info(net)->lanes; vl++) {
        uint64_t bytes = cop_net_lane_bytes(net, port, vl);
        s->used |= (uint32_t)(bytes > 0) << vl;
        sum += bytes;
    }
    s->wrong += sum != cop_net_waiting_bytes(net, port);
}

static void scale_enqueue(struct cop_net *net, uint32_t in, uint32_t port, cop_pkt *p)
{
    (void)in;
    scale_look(net, port);
    scale_of(net)->wrong += cop_net_lane_bytes(net, port, p->out_vl) < p->bytes;
}

static void scale_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    scale *s = scale_of(net);
    s->packets++;
    s->sent[port] += p->bytes;
    s->wrong += cop_net_sent_bytes(net, port) != s->sent[port];
    scale_look(net, port);
}

static void scale_facts(const void *cfg, const cop_netinfo *info, cop_cc_facts *facts)
{
    (void)cfg;
    (void)info;
    facts->asks_lanes = true;
}

/* The bytes of all lanes are those that wait for the output, also where routing changes lanes; what a
 * port has sent is never counted afresh. */
static void test_lanes_and_bytes_sent(void **state)
{
    (void)state;
    static const cop_cc_ops scales = {.name = "scales",
                                      .facts = scale_facts,
                                      .at_switch.on_enqueue = scale_enqueue,
                                      .at_switch.on_dequeue = scale_dequeue};
    static const char *const sets[][3] = {
        {"switch.architecture=ib", "routing.kind=dor", "queueing.kind=voqsw"},
        {"switch.architecture=ib", "routing.kind=adaptive-cube", "queueing.kind=1q"},
        {"switch.output_buffer=4 KiB", "routing.kind=adaptive-cube", "queueing.kind=1q"},
        {"switch.architecture=iq", "routing.kind=adaptive-cube", "queueing.kind=voqsw"},
        {"switch.architecture=cioq", "routing.kind=adaptive-cube", "queueing.kind=1q"},
        {"switch.architecture=cioq", "routing.kind=dor", "queueing.kind=dbbm"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        const cop_override set[] = {
            {.text = sets[i][0]}, {.text = sets[i][1]}, {.text = sets[i][2]}};
        cop_config c;
        cop_result r;
        cop_err err = {0};
        scale s = {0};
        assert_int_equal(
            cop_config_load(&c, "test.yaml",
                            "run: {duration: 100 us, warmup: 40 us, drain: yes}\n"
                            "topology: {kind: torus, radix: [5, 3]}\n"
                            "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                            "switch: {buffer: 8 KiB}\n"
                            "traffic: [{from: all, pattern: uniform, message: 5000 B}]\n",
                            set, COP_LEN(set), &err),
            0);
        c.cc = &scales;
        c.cc_cfg = &s;
        assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
        assert_int_equal(s.packets + r.packets_delivered,
                         r.packet_hops); /* hosts send the others */
        assert_int_equal(s.wrong, 0);
        assert_true(s.used & (s.used - 1)); /* more than one */
        cop_result_free(&r);
        cop_config_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packets_leave_by_the_wire),
                                       cmocka_unit_test(test_lanes_and_bytes_sent)};
    return cmocka_run_group_tests_name("cc_egress", tests, NULL, NULL);
}
