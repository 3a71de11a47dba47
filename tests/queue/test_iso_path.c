/* Isolation by path (recn), packet by packet and message by message: a line names a port ahead, and covers all
 * packets on its lane whose path passes that port. The rules of destinations are in test_iso_hooks. */
#include "iso_fixture.h"

#include "net/flow/flow.h"
#include "net/services/services.h"
#include "net/switch/switch.h"

/* Host 0 at switch 0, host 1 at switch 1, hosts 2 and 3 at switch 2. Ports of a switch: hosts, left, right. */
static const char three[] =
    "run: {duration: 10 us}\n"
    "topology: {kind: chain, hosts: [1, 1, 2]}\n"
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
    "switch: {architecture: iq, buffer: 64 KiB, lanes: 2}\n"
    "nic: {mtu: 1000 B, overhead: 24 B}\n"
    "queueing: {kind: recn, queues: 3, detect: 5, stop: 9, go: 3, high: 6, low: 2, guard: 4}\n"
    "traffic: [{from: [0], pattern: fixed, to: 1}]\n";

static uint32_t port(const net_lab *w, uint32_t sw, uint32_t local)
{
    return cop_topo_switch_port(&w->topo, sw, local);
}

static uint32_t input(const net_lab *w)
{
    return port(w, 0, 0);
}

static uint32_t path_trunk(const net_lab *w)
{
    return port(w, 0, 1);
}

static void path_come(net_lab *w, uint32_t dst, uint32_t vl, unsigned n)
{
    while (n-- > 0) {
        uint32_t h = cop_pkt_new(&w->net);
        w->net.pkt[h] = (cop_pkt){
            .next = COP_NONE, .bytes = PACKET, .dst = dst, .vl = (uint8_t)vl, .mid = COP_NONE};
        cop_input_receive(&w->net, input(w), h);
    }
}

/* Switch 1 tells of a root `hops` switches from it, 1: its own. */
static void path_tell(net_lab *w, uint32_t line, uint32_t root, uint8_t hops, uint8_t vl)
{
    iso_line l = {.hops = hops, .out_vl = vl, .root_port = root};
    iso_on_control(&w->net, path_trunk(w), iso_allocate(line, &l));
}

static void order(net_lab *w, unsigned kind, uint32_t line)
{
    iso_on_control(&w->net, path_trunk(w), iso_message(kind, line, 0));
}

static const iso_line *line(net_lab *w, uint32_t i)
{
    return iso_in_line(rules(w), cop_net_queue_state(&w->net, input(w)), i);
}

static bool stopped(const net_lab *w, uint32_t q)
{
    return w->net.queue[w->net.in[input(w)].queue0 + q].stopped;
}

/* Packets in each queue, as digits: three special ones, a normal one for each lane. */
static void expect_path_queues(net_lab *w, const char *want)
{
    char have[8] = "";
    for (uint32_t q = 0; q < 5; q++)
        have[q] = (char)('0' + cop_net_queue_bytes(&w->net, input(w), q) / PACKET);
    assert_string_equal(have, want);
}

static void expect_line(net_lab *w, uint32_t i, bool root, uint32_t next, uint32_t hops,
                        uint32_t root_port)
{
    const iso_line *l = line(w, i);
    assert_true(l->used);
    assert_int_equal(l->root, root);
    assert_int_equal(l->next, next);
    assert_int_equal(l->hops, hops);
    assert_int_equal(l->root_port, root_port);
}

/* Which packets a line covers: those that pass its root within its hops, on its lane. */
static void what_a_line_covers(void **state)
{
    (void)state;
    static const struct {
        uint32_t sw, local; /* the root */
        uint8_t hops, vl;
        const char *covers; /* hosts 1 to 3, then those on lane 1 */
    } cases[] = {
        {1, 0, 1, 0, "100000"},
        {1, 2, 1, 0, "011000"},
        {1, 2, 1, 1, "000011"},
        {2, 0, 2, 0, "010000"},
        {2, 1, 2, 1, "000001"},
        {2, 0, 1, 0, "000000"} /* too far */,
        {2, 2, 2, 0, "000000"} /* back */,
        {1, 1, 1, 0, "000000"},
        {1, 2, 3, 0, "011000"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(three, NULL, 0);
        uint32_t root = port(w, cases[i].sw, cases[i].local);
        path_tell(w, 1, root, cases[i].hops, cases[i].vl);
        uint32_t special = 0;
        for (uint32_t k = 0; k < 6; k++) {
            bool covered = cases[i].covers[k] == '1';
            net_lab *own = lab_build(three, NULL, 0);
            path_tell(own, 1, root, cases[i].hops, cases[i].vl);
            path_come(own, 1 + k % 3, k / 3, 1);
            expect_path_queues(own, covered ? "10000" : k < 3 ? "00010" : "00001");
            if (covered)
                expect_line(own, 0, false, 1, cases[i].hops + 1u, root);
            lab_free(own);
            if (covered) {
                path_come(w, 1 + k % 3, k / 3, 1); /* all of them share one queue */
                special++;
            }
        }
        assert_int_equal(cop_net_queue_bytes(&w->net, input(w), 0), special * PACKET);
        assert_int_equal(w->net.counter[ISO_TAKEN], special > 0);
        lab_free(w);
    }
}

/* A packet that passes two roots goes with the farther one. */
static void the_farthest_root(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 2; first++) {
        net_lab *w = lab_build(three, NULL, 0);
        path_tell(w, first, port(w, 1, 2), 1, 0);
        path_tell(w, 1 - first, port(w, 2, 0), 2, 0);
        path_come(w, 2, 0, 1);
        path_come(w, 3, 0, 1);
        expect_path_queues(w, "11000");
        expect_line(w, 0, false, 1 - first, 3, port(w, 2, 0));
        expect_line(w, 1, false, first, 2, port(w, 1, 2));
        lab_free(w);
    }
}

/* A root of this switch has packets that also pass one which the neighbour tells of: it follows that line, but
 * goes on to name its own port, which all packets of its queue pass. */
static void a_root_joins(void **state)
{
    (void)state;
    for (uint32_t dst = 1; dst <= 3; dst++)
        for (uint32_t vl = 0; vl < 2; vl++) {
            net_lab *w = lab_build(three, NULL, 0);
            path_come(w, dst, 0, 7);
            expect_line(w, 0, true, ISO_NO_LINE, 1, path_trunk(w));
            assert_int_equal(w->net.roots[path_trunk(w)], 1);
            path_tell(w, 2, port(w, 1, 2), 1, (uint8_t)vl);
            bool joins = dst != 1 && vl == 0;
            expect_line(w, 0, !joins, joins ? 2 : ISO_NO_LINE, 1, path_trunk(w));
            assert_int_equal(line(w, 0)->hot, !joins);
            assert_int_equal(w->net.roots[path_trunk(w)], !joins);
            order(w, ISO_MSG_STOP, 2);
            assert_int_equal(stopped(w, 0), joins);
            expect_path_queues(w, "70000");
            lab_free(w);
        }
    /* The one that passes it need not be the first. */
    net_lab *w = lab_build(three, NULL, 0);
    path_come(w, 1, 0, 6);
    path_come(w, 3, 0, 1);
    expect_path_queues(w, "70000");
    path_tell(w, 2, port(w, 1, 2), 1, 0);
    expect_line(w, 0, false, 2, 1, path_trunk(w));
    /* It follows one line, and stays with it. */
    path_tell(w, 0, port(w, 1, 0), 1, 0);
    expect_line(w, 0, false, 2, 1, path_trunk(w));
    lab_free(w);
    /* The line was there before, and the first packet that passes its root comes now. */
    w = lab_build(three, NULL, 0);
    path_tell(w, 1, port(w, 1, 2), 1, 0);
    order(w, ISO_MSG_STOP, 1);
    path_come(w, 1, 0, 7);
    expect_line(w, 0, true, ISO_NO_LINE, 1, path_trunk(w));
    assert_false(stopped(w, 0));
    path_come(w, 2, 0, 1);
    expect_path_queues(w, "80000");
    expect_line(w, 0, false, 1, 1, path_trunk(w));
    assert_true(stopped(w, 0));
    lab_free(w);
}

/* The line that a queue follows is given up. One that was a root here is it again; one that names a port ahead
 * goes on to do so, without being stopped. Neither looks for another line. */
static void a_line_is_given_up(void **state)
{
    (void)state;
    net_lab *w = lab_build(three, NULL, 0);
    path_come(w, 2, 0, 7);
    path_tell(w, 2, port(w, 1, 2), 1, 0);
    order(w, ISO_MSG_STOP, 2);
    path_tell(w, 0, port(w, 2, 0), 2, 0);
    expect_line(w, 0, false, 2, 1, path_trunk(w));
    assert_int_equal(w->net.counter[ISO_ROOTS], 1);
    order(w, ISO_MSG_DEALLOCATE, 2);
    expect_line(w, 0, true, ISO_NO_LINE, 1, path_trunk(w));
    assert_int_equal(w->net.counter[ISO_ROOTS], 2);
    assert_false(stopped(w, 0));
    lab_free(w);
    w = lab_build(three, NULL, 0);
    path_tell(w, 2, port(w, 1, 2), 1, 0);
    path_tell(w, 0, port(w, 1, 0), 1, 0);
    order(w, ISO_MSG_STOP, 2);
    path_come(w, 2, 0, 1);
    assert_true(stopped(w, 0));
    order(w, ISO_MSG_DEALLOCATE, 2);
    expect_line(w, 0, false, ISO_NO_LINE, 2, port(w, 1, 2));
    assert_int_equal(w->net.counter[ISO_ROOTS], 0);
    assert_false(stopped(w, 0));
    path_come(w, 3, 0, 1); /* it covers what it covered */
    path_come(w, 1, 0, 1);
    expect_path_queues(w, "21000");
    lab_free(w);
}

/* Messages name the port, not destinations: one is enough to tell a line, and none is added later. */
static void one_message_tells_all(void **state)
{
    (void)state;
    static const char *const at_high = "queueing.propagate=high";
    net_lab *w = lab_build(three, &at_high, 1);
    uint32_t in = port(w, 1, 1); /* of switch 1, from switch 0 */
    for (unsigned i = 0; i < 8; i++) {
        uint32_t h = cop_pkt_new(&w->net);
        w->net.pkt[h] =
            (cop_pkt){.next = COP_NONE, .bytes = PACKET, .dst = 2 + i % 2, .mid = COP_NONE};
        cop_input_receive(&w->net, in, h);
    }
    assert_int_equal(w->net.counter[ISO_SENT_ALLOCATE], 1);
    w->net.scheme_here = COP_NONE; /* the test looks, not the scheme */
    iso_port *st = cop_net_queue_state(&w->net, path_trunk(w));
    w->net.now += 20 * COP_NS;
    cop_control_arrive(&w->net, path_trunk(w));
    assert_int_equal(st->told, 1);
    const iso_line *o = iso_out_line(rules(w), st, 0);
    assert_true(o->used && !o->stopped);
    assert_int_equal(o->hops, 2);
    assert_int_equal(o->root_port, port(w, 1, 2));
    assert_int_equal(o->n_dst, 0);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_line_covers),    cmocka_unit_test(the_farthest_root),
        cmocka_unit_test(a_root_joins),          cmocka_unit_test(a_line_is_given_up),
        cmocka_unit_test(one_message_tells_all),
    };
    return cmocka_run_group_tests_name("iso_path", tests, NULL, NULL);
}
