/* Output buffers of cioq, step by step: packets cross one by one by hand, and what the output says of
 * itself must follow. Links of 8 Gbit/s, a byte per ns; the crossbar is four times as fast. */
#include "net_fixture.h"

#include "net/cable/cable.h"
#include "net/flow/flow.h"
#include "net/switch/switch.h"

#define OUT 1
#define ROOM 40 /* blocks of 64 bytes */

static net_lab *make_with(const char *const *set, size_t n)
{
    return lab_build("run: {duration: 1 ms, sample: 1 ms}\n"
                     "topology: {kind: single, hosts: 3}\n"
                     "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                     "switch: {architecture: cioq, speedup: 4, output_buffer: 2600 B, lanes: 16,"
                     " buffer: 16 KiB}\n"
                     "nic: {mtu: 2000 B}\n"
                     "traffic: [{from: [0], pattern: fixed, to: 1, start: 900 us}]\n",
                     set, n);
}

static net_lab *make(void)
{
    return make_with(NULL, 0);
}

/* A packet that is here, with its tail at t_tail, crosses to lane vl now; returns when it has. */
static cop_time cross(net_lab *w, uint32_t vl, uint32_t bytes, cop_time t_tail)
{
    cop_net *net = &w->net;
    uint32_t h = cop_pkt_new(net);
    net->pkt[h] = (cop_pkt){.next = 5, .bytes = bytes, .dst = OUT, .t_tail = t_tail};
    return net->arch->transfer(net, OUT, vl, h);
}

static void room_is_taken_and_given_back(void **state)
{
    (void)state;
    net_lab *w = make();
    cop_net *net = &w->net;
    net->now = 1000000;
    for (uint32_t vl = 0; vl < 16; vl++)
        assert_int_equal(cop_obuf_held(net, OUT, vl), 0);
    /* 1000 bytes are 16 blocks. The first goes on the wire at once and does not wait. */
    assert_int_equal(cross(w, 3, 1000, 0), 1000000 + 250000);
    assert_int_equal(cop_obuf_xbar_free(net, OUT), 1250000);
    assert_int_equal(net->out[OUT].busy_until, 2000000);
    assert_int_equal(net->out[OUT].waiting, 0);
    assert_int_equal(cop_obuf_first(net, OUT, 3), COP_NONE);
    assert_false(net->arch->room(net, OUT, 3, ROOM - 16 + 1)); /* it leaves, and is still here */
    assert_true(net->arch->room(net, OUT, 3, ROOM - 16));
    assert_true(net->arch->room(net, OUT, 2, ROOM));
    assert_int_equal(cop_obuf_held(net, OUT, 3), 0); /* without what leaves */
    /* The second waits behind it; a tail that comes late decides. */
    net->now = 1300000;
    assert_int_equal(cross(w, 3, 100, 1700000), 1700000);
    assert_int_equal(cop_obuf_xbar_free(net, OUT), 1700000);
    assert_int_equal(net->out[OUT].waiting, 100);
    assert_true(cop_obuf_first(net, OUT, 3) != COP_NONE);
    assert_int_equal(cop_obuf_held(net, OUT, 3), 2);
    assert_int_equal(cop_obuf_held(net, OUT, 4), 0);
    net->now = 1800000;
    assert_int_equal(cross(w, 3, 64, 0), 1816000);
    assert_int_equal(net->out[OUT].waiting, 164);
    assert_int_equal(cop_obuf_held(net, OUT, 3), 3);
    lab_free(w);
}

/* The next lane for the crossbar is the one behind the last, round the end. */
static void lanes_take_turns(void **state)
{
    (void)state;
    net_lab *w = make();
    cop_net *net = &w->net;
    assert_int_equal(cop_obuf_pick_lane(net, OUT, 0xffff), 0);
    for (uint32_t vl = 0; vl < 16; vl++) {
        net->now += 10000000;
        cross(w, vl, 64, 0);
        for (uint32_t k = 0; k < 16; k++) {
            uint32_t first = (vl + 1) % 16;
            assert_int_equal(cop_obuf_pick_lane(net, OUT, 1u << k), k);
            assert_int_equal(cop_obuf_pick_lane(net, OUT, 1u << k | 1u << first), first);
            assert_int_equal(cop_obuf_pick_lane(net, OUT, 1u << k | 1u << vl), k);
        }
    }
    assert_int_equal(cop_obuf_pick_lane(net, 0, 0xffff), 0); /* each output has its own */
    lab_free(w);
}

static bool waits_for_credit(const cop_net *net)
{
    return net->out[OUT].waits & COP_WAIT_CREDIT;
}

/* Without credit behind the wire the lane is blocked, others are not; credits open it again. */
static void credit_behind_the_wire(void **state)
{
    (void)state;
    net_lab *w = make();
    cop_net *net = &w->net;
    net->now = 1000000;
    net->out[OUT].section[2].credit = 15; /* a packet of 1000 bytes needs 16 blocks */
    cross(w, 2, 1000, 0);
    assert_true(waits_for_credit(net));
    assert_int_equal(net->out[OUT].busy_until, 0);
    assert_int_equal(net->out[OUT].waiting, 1000);
    cross(w, 7, 960, 0); /* passes it */
    assert_int_equal(net->out[OUT].busy_until, 1960000);
    assert_int_equal(net->out[OUT].section[7].used, 15);
    assert_int_equal(net->out[OUT].waiting, 1000);
    assert_false(net->arch->room(net, OUT, 7, ROOM));
    net->now = 1960000;
    cop_obuf_tx(net, OUT); /* it has left */
    assert_true(net->arch->room(net, OUT, 7, ROOM));
    assert_true(waits_for_credit(net));
    net->now = 3000000;
    net->out[OUT].section[2].credit = 16;
    net->arch->credit(net, OUT);
    assert_false(waits_for_credit(net));
    cop_obuf_tx(net, OUT);
    assert_int_equal(net->out[OUT].busy_until, 4000000);
    assert_int_equal(net->out[OUT].waiting, 0);
    assert_int_equal(net->out[OUT].section[2].used, 16);
    assert_false(net->arch->room(net, OUT, 2, ROOM));
    lab_free(w);
}

/* With credit taken before the crossbar a lane may hold what fits behind the link, and no more; who waits is an input,
 * which credits wake. */
static void credit_before_the_crossbar(void **state)
{
    (void)state;
    static const char *const set[] = {"switch.output_credit=crossbar"};
    net_lab *w = make_with(set, 1);
    cop_net *net = &w->net;
    net->now = 1000000;
    net->out[OUT].section[2].credit = 35;
    assert_true(net->arch->room(net, OUT, 2, 35));
    assert_false(net->arch->room(net, OUT, 2, 36));
    assert_true(net->arch->room(net, OUT, 3, ROOM)); /* each lane has its own */
    cross(w, 2, 960, 0); /* 15 blocks, at once on the wire: 20 are left */
    assert_int_equal(net->out[OUT].section[2].credit, 20);
    assert_true(net->arch->room(net, OUT, 2, 20));
    assert_false(net->arch->room(net, OUT, 2, 21));
    cross(w, 2, 640, 0); /* 10 wait here for the wire, and have their credit */
    assert_int_equal(net->out[OUT].section[2].credit, 20);
    assert_true(net->arch->room(net, OUT, 2, 10));
    assert_false(net->arch->room(net, OUT, 2, 11));
    net->now = 1960000;
    cop_obuf_tx(net, OUT);
    assert_int_equal(net->out[OUT].section[2].credit, 10); /* taken as it leaves */
    assert_true(net->arch->room(net, OUT, 2, 10));
    assert_false(net->arch->room(net, OUT, 2, 11));
    assert_false(waits_for_credit(net));
    cop_fc_block(net, OUT, 2, 1, net->blocked_waits); /* an input waits */
    assert_true(waits_for_credit(net));
    net->arch->credit(net, OUT);
    assert_false(waits_for_credit(net));
    lab_free(w);
}

/* On a wire faster than its tail comes, a packet starts so that the wire never runs dry: 1000 bytes whose
 * tail has crossed at 5 us start at 4 us, not before. */
static void no_gap_on_the_wire(void **state)
{
    (void)state;
    net_lab *w = make();
    cop_net *net = &w->net;
    net->now = 1000000;
    assert_int_equal(cross(w, 0, 1000, 5000000), 5000000);
    assert_int_equal(net->out[OUT].busy_until, 0);
    net->now = 3999999;
    cop_obuf_tx(net, OUT);
    assert_int_equal(net->out[OUT].busy_until, 0);
    net->now = 4000000;
    cop_obuf_tx(net, OUT);
    assert_int_equal(net->out[OUT].busy_until, 5000000);
    lab_free(w);
}

/* How much lane vl of the output could take now. */
static uint32_t room(const net_lab *w, uint32_t vl)
{
    uint32_t blocks = 0;
    while (w->net.arch->room(&w->net, OUT, vl, blocks + 1))
        blocks++;
    return blocks;
}

/* 16 lanes own 32 or 40 blocks each and share 80 more. What a lane takes beyond its own is missing for
 * all; what it owns is there for it whatever others do. */
static void lanes_share_room(void **state)
{
    (void)state;
    static const struct {
        const char *set[3];
        uint32_t own;
    } cases[] = {
        {{"switch.output_shared=yes", "switch.output_buffer=37888 B"}, 32}, /* a packet */
        {{"switch.output_shared=yes", "switch.output_buffer=46080 B",
          "switch.output_reserve=2560 B"},
         40},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        const uint32_t own = cases[i].own;
        net_lab *w = make_with(cases[i].set, cases[i].set[2] ? 3 : 2);
        cop_net *net = &w->net;
        net->now = 1000000;
        net->out[OUT].section[5].credit = net->out[OUT].section[6].credit = 0;
        assert_int_equal(room(w, 5), own + 80);
        cross(w, 5, 1000, 0); /* 16 blocks of its own */
        assert_int_equal(room(w, 5), own - 16 + 80);
        assert_int_equal(room(w, 6), own + 80);
        cross(w, 5, 2000, 0); /* 32 more: 48 in all, partly of what is shared */
        assert_int_equal(room(w, 5), 80 - (48 - own));
        assert_int_equal(room(w, 6), own + 80 - (48 - own));
        cross(w, 5, 64 * (80 - (48 - own)), 0); /* all that is shared */
        assert_int_equal(room(w, 5), 0);
        assert_int_equal(room(w, 6), own);
        cross(w, 6, 64 * own, 0);
        assert_int_equal(room(w, 6), 0);
        assert_int_equal(room(w, 7), own);
        assert_int_equal(cop_obuf_held(net, OUT, 5), own + 80);
        assert_true(cop_obuf_adds_up(net, OUT));
        /* The first packet of lane 5 goes; its blocks are free when it has left, for all lanes. */
        net->now = 2000000;
        net->out[OUT].section[5].credit = 16;
        net->arch->credit(net, OUT);
        cop_obuf_tx(net, OUT);
        assert_int_equal(net->out[OUT].busy_until, 3000000);
        assert_int_equal(room(w, 6), 0);
        assert_int_equal(cop_obuf_held(net, OUT, 5), own + 80 - 16);
        assert_true(cop_obuf_adds_up(net, OUT));
        net->now = 3000000;
        cop_obuf_tx(net, OUT);
        assert_int_equal(room(w, 5), 16);
        assert_int_equal(room(w, 6), 16);
        assert_int_equal(room(w, 7), own + 16);
        assert_int_equal(room(w, 0), own + 16);
        assert_true(cop_obuf_adds_up(net, OUT));
        lab_free(w);
    }
}

/* When a packet leaves and nothing waits there is no event, but room is free; else an event. */
static void room_without_an_event(void **state)
{
    (void)state;
    static const char *const set[] = {"run.event_queue=heap", "switch.output_shared=yes",
                                      "switch.output_buffer=37888 B"};
    for (int k = 0; k < 2; k++) {
        net_lab *w = make_with(set, k ? 3 : 1);
        cop_net *net = &w->net;
        net->now = 1000000;
        uint32_t all = room(w, 3);
        size_t pending = net->evq.far.n;
        cross(w, 3, 1000, 0);
        assert_int_equal(net->out[OUT].busy_until, 2000000);
        assert_int_equal(net->evq.far.n, pending + 1); /* its arrival */
        net->now = 1999999;
        assert_int_equal(room(w, 3), all - 16);
        net->now = 2000000;
        assert_int_equal(room(w, 3), all);
        assert_int_equal(room(w, 4), all);
        assert_int_equal(cop_obuf_held(net, OUT, 3), 0);
        assert_true(cop_obuf_adds_up(net, OUT));
        cross(w, 4, 1000, 0);
        assert_int_equal(room(w, 3), k ? all : ROOM);
        assert_int_equal(room(w, 4), all - 16);
        assert_int_equal(net->evq.far.n, pending + 1); /* the wire has one for all on it */
        cop_obuf_wait(net, OUT);
        assert_int_equal(net->evq.far.n, pending + 2);
        cop_obuf_wait(net, OUT);
        assert_int_equal(net->evq.far.n, pending + 2);
        net->now = 3000000;
        cop_obuf_tx(net, OUT);
        assert_int_equal(room(w, 4), all);
        assert_true(cop_obuf_adds_up(net, OUT));
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_taken_and_given_back),
        cmocka_unit_test(lanes_take_turns),
        cmocka_unit_test(credit_behind_the_wire),
        cmocka_unit_test(credit_before_the_crossbar),
        cmocka_unit_test(no_gap_on_the_wire),
        cmocka_unit_test(lanes_share_room),
        cmocka_unit_test(room_without_an_event),
    };
    return cmocka_run_group_tests_name("obuf", tests, NULL, NULL);
}
