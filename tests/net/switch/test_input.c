/* Switch inputs by hand: a packet is routed, put into its queue and asks for its output; when it is
 * granted its room is given back, and the next one asks when it may. */
#include "net_fixture.h"

#include "net/cable/cable.h"
#include "net/flow/flow.h"
#include "net/switch/request.h"
#include "net/switch/switch.h"

/* Hosts 0 and 1 at switch 0, host 2 at switch 1; ports: h0, h1, trunk; h2, trunk. */
static net_lab *make(const char *queueing, const char *link)
{
    const char *set[] = {queueing, link};
    return lab_build("run: {duration: 1 ms}\n"
                     "topology: {kind: chain, hosts: [2, 1]}\n"
                     "routing: {kind: minhop}\n"
                     "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                     "switch: {lanes: 2, buffer: 16 KiB}\n"
                     "nic: {mtu: 1000 B}\n"
                     "traffic: [{from: [0], pattern: fixed, to: 1}]\n",
                     set, link ? 2 : 1);
}

#define TRUNK 2

static uint32_t come(net_lab *w, uint32_t input, uint32_t dst, uint32_t bytes, cop_time t_tail)
{
    uint32_t h = cop_pkt_new(&w->net);
    w->net.pkt[h] = (cop_pkt){.next = COP_NONE,
                              .bytes = bytes,
                              .src = input,
                              .dst = dst,
                              .vl = 1,
                              .t_tail = t_tail,
                              .mid = COP_NONE};
    cop_input_receive(&w->net, input, h);
    return h;
}

static bool asks(const net_lab *w, uint32_t output, uint32_t input)
{
    bool bit = cop_request_mask(&w->net, output, 1)[0] >> input & 1;
    assert_int_equal(w->net.out[output].vl_ready & 1, 0); /* no packet is on lane 0 */
    return bit;
}

/* By table or by asking the routing: the same output, on the lane on which the packet came. */
static void routed_and_queued(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing.kind=voqsw", "queueing.kind=1q"};
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (int table = 0; table < 2; table++) {
            net_lab *w = make(kinds[k], NULL);
            cop_net *net = &w->net;
            assert_non_null(net->lft);
            if (!table) {
                net->lft = NULL;
                net->plain_input = false;
            }
            uint32_t a = come(w, 0, 2, 1000, 0), b = come(w, 0, 2, 300, 0),
                     c = come(w, 1, 0, 64, 0);
            assert_true(net->pkt[a].out == TRUNK && net->pkt[a].out_vl == 1);
            assert_true(net->pkt[c].out == 0 && net->pkt[c].out_vl == 1);
            assert_int_equal(net->out[TRUNK].waiting, 1300);
            assert_int_equal(net->out[0].waiting, 64);
            uint32_t q = net->in[0].queue0 + (k == 0 ? TRUNK * 2 + 1 : 1);
            assert_true(net->queue[q].head == a && net->queue[q].tail == b);
            assert_int_equal(net->queue[q].bytes, 1300);
            assert_true(net->queue[q].posted && net->pkt[a].next == b);
            assert_true(asks(w, TRUNK, 0) && !asks(w, TRUNK, 1) && asks(w, 0, 1));
            lab_free(w);
        }
}

static uint64_t returns(const net_lab *w, uint32_t input, cop_time t, uint32_t blocks)
{
    const cop_ring *r = &w->net.out[w->net.in[input].from].ring;
    assert_int_equal(r->end - r->at, 1);
    assert_int_equal(r->v[0].t, t);
    assert_int_equal(r->v[0].blocks, blocks);
    return r->v[0].section;
}

/* A granted packet takes its credit, leaves the count of those that wait, and gives its room back when its
 * tail has left, a cable later. The next of its queue may ask from then on. */
static void granted(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing.kind=voqsw", "queueing.kind=1q"};
    for (size_t k = 0; k < COP_LEN(kinds); k++) {
        net_lab *w = make(kinds[k], NULL);
        cop_net *net = &w->net;
        net->now = 500000;
        uint32_t a = come(w, 0, 2, 1000, 0), b = come(w, 0, 2, 300, 0);
        uint32_t q = net->in[0].queue0 + (k == 0 ? TRUNK * 2 + 1 : 1);
        cop_pick pick = {.in = 0, .queue = q, .vl = 1};
        assert_int_equal(cop_input_grant(net, TRUNK, &pick, cop_link_transfer, false), 1500000);
        assert_int_equal(net->out[TRUNK].busy_until, 1500000);
        assert_int_equal(net->out[TRUNK].waiting, 300);
        assert_int_equal(net->out[TRUNK].section[1].used, 16);
        assert_int_equal(net->in[net->out[TRUNK].to].wire_head, a);
        assert_int_equal(net->pkt[a].t_tail, 1510000);
        assert_int_equal(returns(w, 0, 1510000, 16), 1);
        assert_true(net->queue[q].head == b && net->queue[q].bytes == 300);
        if (k == 0) { /* the same output comes next: the request may stand */
            assert_true(net->queue[q].posted && asks(w, TRUNK, 0));
        } else {
            assert_int_equal(cop_net_read_until(net, q), 1500000);
            assert_true(!net->queue[q].posted && !asks(w, TRUNK, 0));
            net->now = 1499999;
            cop_input_head(net, q);
            assert_false(net->queue[q].posted);
            net->now = 1500000;
            cop_input_head(net, q);
            assert_true(net->queue[q].posted && asks(w, TRUNK, 0));
        }
        net->now = 1500000;
        assert_int_equal(cop_input_grant(net, TRUNK, &pick, cop_link_transfer, false), 1800000);
        assert_true(net->queue[q].head == COP_NONE && !net->queue[q].posted);
        assert_false(asks(w, TRUNK, 0));
        assert_int_equal(net->out[TRUNK].vl_ready, 0);
        lab_free(w);
    }
}

/* On an output of twice the rate a packet of 1000 bytes, which comes in until 1.5 us, may start 500 ns
 * before that; on a slower one at once. */
static void no_gap_on_a_faster_output(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing.kind=voqsw", "queueing.kind=1q"};
    for (size_t k = 0; k < COP_LEN(kinds); k++) {
        net_lab *w = make(kinds[k], "link.trunk_rate=16 Gbit/s");
        cop_net *net = &w->net;
        uint32_t q = net->in[0].queue0 + (k == 0 ? TRUNK * 2 + 1 : 1);
        net->now = 600000;
        come(w, 0, 2, 1000, 1500000);
        assert_false(net->queue[q].posted || asks(w, TRUNK, 0));
        net->now = 999999;
        cop_input_head(net, q);
        assert_false(net->queue[q].posted);
        net->now = 1000000;
        cop_input_head(net, q);
        assert_true(net->queue[q].posted && asks(w, TRUNK, 0));
        lab_free(w);
        w = make(kinds[k], "link.trunk_rate=4 Gbit/s");
        w->net.now = 600000;
        come(w, 0, 2, 1000, 1500000);
        assert_true(asks(w, TRUNK, 0));
        lab_free(w);
    }
}

/* A lane that waits for room for a large packet is tried again for a smaller one. */
static void a_smaller_packet_opens_the_lane(void **state)
{
    (void)state;
    net_lab *w = make("queueing.kind=voqsw", NULL);
    cop_out *out = &w->net.out[TRUNK];
    out->vl_blocked = 2;
    out->lane[1].need = 16;
    come(w, 0, 2, 1000, 0);
    assert_int_equal(out->vl_blocked, 2);
    come(w, 1, 2, 960, 0); /* 15 blocks */
    assert_int_equal(out->vl_blocked, 0);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routed_and_queued),
        cmocka_unit_test(granted),
        cmocka_unit_test(no_gap_on_a_faster_output),
        cmocka_unit_test(a_smaller_packet_opens_the_lane),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
