/* Arbitration among the inputs of one output, pick by pick on a switch that stands still: round robin,
 * age, flows, chance, transit first; packets that do not fit; several queues of one input. */
#include "net_fixture.h"

#include "base/rng.h"
#include "net/cable/cable.h"
#include "net/flow/flow.h"
#include "net/switch/request.h"
#include "net/switch/switch.h"

#define OUT 2

static net_lab *switch_of(const char *hosts, const char *arbitration, const char *queueing)
{
    char a[64], b[64], c[64];
    const char *set[] = {scn_text(a, sizeof(a), "topology.hosts=%s", hosts),
                         scn_text(b, sizeof(b), "switch.arbitration=%s", arbitration),
                         scn_text(c, sizeof(c), "queueing.kind=%s", queueing)};
    return lab_build("run: {duration: 1 us}\n"
                     "topology: {kind: single, hosts: 4}\n"
                     "switch: {buffer: 64 KiB, lanes: 2}\n"
                     "nic: {mtu: 2 KiB}\n"
                     "traffic: [{from: [0], pattern: fixed, to: 1}]\n",
                     set, 3);
}

/* A packet at the head of queue q of an input asks for lane 1 of the output. */
static cop_pkt *asks(net_lab *w, uint32_t input, uint32_t q, uint32_t bytes)
{
    cop_net *net = &w->net;
    uint32_t h = cop_pkt_new(net), queue = net->in[input].queue0 + q;
    net->pkt[h] = (cop_pkt){.next = COP_NONE,
                            .bytes = bytes,
                            .src = input,
                            .dst = OUT,
                            .out = OUT,
                            .vl = 1,
                            .out_vl = 1};
    net->queue[queue] = (cop_queue){.head = h, .tail = h, .bytes = bytes, .posted = 1};
    if (net->per_output)
        cop_request_set(net, OUT, 1, input);
    else
        cop_node_add(net, queue, OUT, 1);
    return &net->pkt[h];
}

#define VOQ (OUT * 2 + 1)

/* The input that is picked, or -1; looked at twice, with and without the short cut where it applies. */
static int picked(net_lab *w, const uint64_t *allowed)
{
    cop_net *net = &w->net;
    cop_pick a = {.in = 999}, b = {.in = 999};
    bool any_fits = net->out[OUT].section[1].credit >= net->max_blocks;
    bool found = cop_input_pick(net, OUT, 1, allowed, any_fits, &a);
    if (!found)
        return -1;
    assert_true(cop_input_pick_slow(net, OUT, 1, allowed, &b));
    assert_true(a.in == b.in && a.queue == b.queue && a.vl == 1 && b.vl == 1);
    assert_int_equal(net->queue_port[a.queue], a.in);
    return (int)a.in;
}

/* From the position on, round the end, whatever the number of words; only those that are allowed. */
static void round_robin(void **state)
{
    (void)state;
    static const char *const sizes[] = {"9", "64", "70", "130"};
    static const uint32_t inputs[4][5] = {
        {0, 1, 4, 7, 8}, {0, 1, 31, 62, 63}, {3, 63, 64, 65, 69}, {3, 63, 64, 127, 128}};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        net_lab *w = switch_of(sizes[i], "round-robin", "voqsw");
        uint32_t ports = w->net.info.max_ports;
        for (size_t k = 0; k < 5; k++)
            asks(w, inputs[i][k], VOQ, 2048);
        for (uint32_t first = 0; first <= ports; first++)
            for (unsigned mask = 0; mask < 32; mask++) {
                uint64_t allowed[3] = {0};
                int want = -1;
                for (uint32_t turn = 0; turn < ports && want < 0; turn++)
                    for (size_t k = 0; k < 5; k++)
                        if (inputs[i][k] == (first + turn) % ports && (mask >> k & 1))
                            want = (int)inputs[i][k];
                for (size_t k = 0; k < 5; k++)
                    if (mask >> k & 1)
                        allowed[inputs[i][k] / 64] |= (uint64_t)1 << (inputs[i][k] % 64);
                w->net.out[OUT].lane[1].rr = (uint16_t)first;
                w->net.out[OUT].vl_blocked = w->net.out[OUT].waits = 0;
                assert_int_equal(picked(w, allowed), want);
                if (mask == 31)
                    assert_int_equal(picked(w, NULL), want);
                assert_int_equal(w->net.out[OUT].lane[1].rr, first); /* moves on a grant alone */
            }
        lab_free(w);
    }
}

/* What does not fit does not compete; if none fits, the lane waits for the smallest. */
static void room_decides(void **state)
{
    (void)state;
    net_lab *w = switch_of("9", "round-robin", "voqsw");
    cop_net *net = &w->net;
    cop_out *out = &net->out[OUT];
    asks(w, 1, VOQ, 2048); /* 32 blocks */
    asks(w, 4, VOQ, 1025); /* 17 blocks */
    asks(w, 6, VOQ, 1024); /* 16 blocks */
    static const int want[] = {[15] = -1, [16] = 6, [17] = 4, [31] = 4, [32] = 1};
    for (uint32_t credit = 15; credit <= 32; credit += credit == 17 ? 14 : 1) {
        out->section[1].credit = credit;
        out->vl_blocked = 0;
        assert_int_equal(picked(w, NULL), want[credit]);
        assert_int_equal(out->vl_blocked, credit == 15 ? 2 : 0);
    }
    out->section[1].credit = 3;
    assert_int_equal(picked(w, NULL), -1);
    assert_int_equal(out->lane[1].need, 16);
    assert_int_equal(out->waits, COP_WAIT_LANES);
    cop_fc_open(out, 2);
    assert_int_equal(out->waits, 0);
    /* An input that is busy has one that fits: the lane stays open, and inputs that do not fit hear
     * of new room. */
    const uint64_t only_1 = 1u << 1, only_3 = 1u << 3, both = 1u << 6 | 1u << 1;
    out->section[1].credit = 16;
    out->vl_blocked = 0;
    assert_int_equal(picked(w, &only_1), -1);
    assert_true(out->waits == COP_WAIT_SHORT && out->vl_blocked == 0);
    out->waits = 0;
    assert_int_equal(picked(w, &both), 6);
    assert_int_equal(picked(w, &only_3), -1); /* does not ask at all */
    assert_true(out->waits == 0 && out->vl_blocked == 0);
    out->section[1].credit = 15; /* none fits, busy or not */
    assert_int_equal(picked(w, &only_1), -1);
    assert_true(out->waits == COP_WAIT_LANES && out->vl_blocked == 2);
    assert_int_equal(out->lane[1].need, 16);
    lab_free(w);
}

static void oldest_first(void **state)
{
    (void)state;
    net_lab *w = switch_of("70", "age", "voqsw");
    asks(w, 1, VOQ, 2048)->t_inj = 50;
    asks(w, 66, VOQ, 2048)->t_inj = 40;
    asks(w, 8, VOQ, 64)->t_inj = 60;
    for (uint32_t first = 0; first < 70; first++) {
        w->net.out[OUT].lane[1].rr = (uint16_t)first;
        assert_int_equal(picked(w, NULL), 66);
    }
    w->net.out[OUT].section[1].credit = 31;
    assert_int_equal(picked(w, NULL), 8); /* the only one that fits */
    lab_free(w);
    /* Of the same age: from the position on. */
    w = switch_of("9", "age", "voqsw");
    asks(w, 1, VOQ, 2048)->t_inj = 50;
    asks(w, 5, VOQ, 2048)->t_inj = 50;
    for (uint32_t first = 0; first < 9; first++) {
        w->net.out[OUT].lane[1].rr = (uint16_t)first;
        assert_int_equal(picked(w, NULL), first > 1 && first <= 5 ? 5 : 1);
    }
    lab_free(w);
}

/* The source that this output served longest ago, whichever input it comes by. */
static void flows_in_turn(void **state)
{
    (void)state;
    net_lab *w = switch_of("9", "flows", "voqsw");
    asks(w, 1, VOQ, 2048)->src = 8;
    asks(w, 5, VOQ, 2048)->src = 3;
    cop_time *served = &w->net.served[(size_t)OUT * 9];
    served[1] = served[5] = 1;
    served[8] = 100, served[3] = 99;
    w->net.served[3] = 1000; /* of another output */
    assert_int_equal(picked(w, NULL), 5);
    served[3] = 101;
    assert_int_equal(picked(w, NULL), 1);
    served[3] = 0; /* never */
    assert_int_equal(picked(w, NULL), 5);
    lab_free(w);
}

/* Each with equal chance: 4000 picks among four, each within 5 standard deviations of 1000. */
static void by_chance(void **state)
{
    (void)state;
    net_lab *w = switch_of("70", "random", "voqsw");
    static const uint32_t inputs[] = {0, 7, 63, 65};
    unsigned n[70] = {0};
    for (size_t i = 0; i < COP_LEN(inputs); i++)
        asks(w, inputs[i], VOQ, 2048);
    for (w->net.now = 1; w->net.now <= 4000; w->net.now++)
        n[picked(w, NULL)]++;
    for (size_t i = 0; i < COP_LEN(inputs); i++)
        assert_in_range(n[inputs[i]], 1000 - 137, 1000 + 137);
    lab_free(w);
}

/* Inputs that a switch feeds come first, in turn among themselves; then those of hosts, likewise. */
static void transit_first(void **state)
{
    (void)state;
    net_lab *w = switch_of("9", "transit", "voqsw");
    static const uint32_t inputs[] = {1, 3, 5, 7};
    for (size_t i = 0; i < COP_LEN(inputs); i++)
        asks(w, inputs[i], VOQ, inputs[i] == 1 ? 64 : 2048);
    w->net.in[3].from = w->net.in[7].from = 0; /* a port of a switch */
    for (uint32_t first = 0; first < 9; first++) {
        w->net.out[OUT].lane[1].rr = (uint16_t)first;
        assert_int_equal(picked(w, NULL), first > 3 && first <= 7 ? 7 : 3);
    }
    static const uint64_t hosts = 1 << 1 | 1 << 5; /* the others are busy */
    for (uint32_t first = 0; first < 9; first++) {
        w->net.out[OUT].lane[1].rr = (uint16_t)first;
        assert_int_equal(picked(w, &hosts), first > 1 && first <= 5 ? 5 : 1);
    }
    w->net.out[OUT].section[1].credit = 31;
    assert_int_equal(picked(w, NULL), 1); /* the only one that fits */
    /* What the switch has made itself waits in the input of a host's port, and is no packet of that
     * host. */
    w->net.out[OUT].section[1].credit = 10000;
    w->net.out[OUT].lane[1].rr = 4;
    assert_int_equal(picked(w, &hosts), 5);
    w->net.pkt[w->net.queue[w->net.in[1].queue0 + VOQ].head].flags |= COP_PKT_OWN;
    assert_int_equal(picked(w, &hosts), 1);
    lab_free(w);
}

/* -- several queues of one input -- */

static uint32_t queue_picked(net_lab *w)
{
    cop_pick p;
    assert_true(cop_input_pick_slow(&w->net, OUT, 1, NULL, &p));
    assert_int_equal(p.in, 1);
    return p.queue - w->net.in[1].queue0;
}

/* Without an order: the request that came first, of those that fit. */
static void first_come(void **state)
{
    (void)state;
    net_lab *w = switch_of("9", "round-robin", "dbbm");
    asks(w, 1, 5, 2048);
    asks(w, 1, 1, 1024);
    asks(w, 1, 9, 64);
    assert_int_equal(queue_picked(w), 5);
    w->net.out[OUT].section[1].credit = 31;
    assert_int_equal(queue_picked(w), 1);
    w->net.out[OUT].section[1].credit = 15;
    assert_int_equal(queue_picked(w), 9);
    lab_free(w);
}

/* With one: the smallest key; of equals the queue that was read least recently, then who came first. */
static void in_the_order_of_the_scheme(void **state)
{
    (void)state;
    net_lab *w = switch_of("9", "round-robin", "fbicm"); /* queues: 0, 1 special; 2, 3 normal */
    asks(w, 1, 0, 2048);
    asks(w, 1, 3, 2048);
    asks(w, 1, 2, 2048);
    cop_node *of = cop_net_first_node(&w->net, w->net.in[1].queue0);
    assert_int_equal(queue_picked(w), 3); /* normal first */
    of[3].read = 10, of[2].read = 9;
    assert_int_equal(queue_picked(w), 2);
    of[2].read = 10;
    assert_int_equal(queue_picked(w), 3);
    of[2].read = 11, of[3].read = 12, of[0].read = 0;
    assert_int_equal(queue_picked(w), 2);
    w->net.pkt[w->net.queue[w->net.in[1].queue0 + 2].head].bytes = 2112; /* no longer fits */
    w->net.pkt[w->net.queue[w->net.in[1].queue0 + 3].head].bytes = 2112;
    w->net.out[OUT].section[1].credit = 32;
    assert_int_equal(queue_picked(w), 0);
    lab_free(w);
}

/* voqnet: a request without room in its own section is set aside, and competes again when there is. */
static void set_aside_until_there_is_room(void **state)
{
    (void)state;
    net_lab *w = switch_of("9", "round-robin", "voqnet");
    cop_net *net = &w->net;
    uint32_t section = OUT * 2 + 1;
    asks(w, 1, section, 2048);
    asks(w, 4, section, 64);
    net->out[OUT].section[section].credit = 31;
    assert_int_equal(picked(w, NULL), 4);
    assert_int_equal(net->section_waiters[OUT], 1);
    assert_int_equal(cop_request_mask(net, OUT, 1)[0], 1u << 4);
    net->out[OUT].section[section].credit = 0;
    assert_int_equal(picked(w, NULL), -1);
    assert_int_equal(net->section_waiters[OUT], 2);
    assert_int_equal(net->out[OUT].vl_ready, 0);
    assert_int_equal(net->out[OUT].vl_blocked, 0); /* other destinations may have room */
    net->out[OUT].section[section].credit = 64;
    cop_input_wake_section(net, OUT, section + 1);
    assert_int_equal(net->section_waiters[OUT], 2);
    cop_input_wake_section(net, OUT, section);
    assert_int_equal(net->section_waiters[OUT], 0);
    assert_int_equal(cop_request_mask(net, OUT, 1)[0], 1u << 4 | 1u << 1);
    assert_int_equal(picked(w, NULL), 1);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_robin),
        cmocka_unit_test(room_decides),
        cmocka_unit_test(oldest_first),
        cmocka_unit_test(flows_in_turn),
        cmocka_unit_test(by_chance),
        cmocka_unit_test(transit_first),
        cmocka_unit_test(first_come),
        cmocka_unit_test(in_the_order_of_the_scheme),
        cmocka_unit_test(set_aside_until_there_is_room),
    };
    return cmocka_run_group_tests_name("pick", tests, NULL, NULL);
}
