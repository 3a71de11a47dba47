/* Isolation, packet by packet and message by message: packets come to an input of a network in which
 * nothing leaves, neighbours tell of lines, and each packet must be in the queue that the rules say. */
#include "iso_fixture.h"

/* -- roots -- */

static void a_root_is_found(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    uint32_t in = trunk_input(w), out = cop_topo_switch_port(&w->topo, 1, 0);
    several(w, in, 1, 5);
    expect_queues(w, in, "0005000"); /* at the threshold, not above */
    assert_int_equal(counter(w, ISO_ROOTS), 0);
    several(w, in, 1, 1);
    expect_queues(w, in, "6000000");
    const iso_line *l = line_at(w, in, 0);
    assert_true(l->used && l->root && !l->propagated && !l->hot);
    assert_int_equal(l->n_dst, 1);
    assert_int_equal(counter(w, ISO_ROOTS), 1);
    assert_int_equal(counter(w, ISO_MOVED), 6);
    assert_int_equal(counter(w, ISO_DOUBTFUL), 0);
    several(w, in, 2, 1); /* another output: not in the way any more, and not of the root */
    come(w, in, 1, 1, 0); /* another lane */
    come(w, in, 1, 0, COP_PKT_ACK);
    expect_queues(w, in, "6001110");
    several(w, in, 1, 1);
    expect_queues(w, in, "6002110"); /* it stands behind the one for host 2 */
    assert_int_equal(w->net.roots[out], 0);
    lab_free(w);
    /* Straight from the wire to the special queue; hot above `high`, told of and stopping above `stop`. */
    w = lab_build(chain, NULL, 0);
    several(w, in, 1, 7);
    expect_queues(w, in, "7000000");
    assert_true(line_at(w, in, 0)->hot);
    assert_int_equal(w->net.roots[out], 1);
    several(w, in, 1, 2);
    assert_false(line_at(w, in, 0)->propagated || line_at(w, in, 0)->sent_stop);
    several(w, in, 1, 1);
    assert_true(line_at(w, in, 0)->propagated && line_at(w, in, 0)->sent_stop);
    assert_int_equal(counter(w, ISO_SENT_STOP), 1);
    lab_free(w);
}

/* The head names the root, though most of the queue may wait for another output. */
static void a_doubtful_root(void **state)
{
    (void)state;
    for (unsigned same = 1; same <= 5; same++) {
        net_lab *w = lab_build(chain, NULL, 0);
        uint32_t in = trunk_input(w);
        several(w, in, 2, same);
        several(w, in, 1, 6 - same);
        assert_int_equal(counter(w, ISO_ROOTS), 1);
        assert_int_equal(line_at(w, in, 0)->out, 1);
        assert_int_equal(counter(w, ISO_DOUBTFUL), same < 3);
        assert_int_equal(cop_net_queue_bytes(&w->net, in, 0), same * PACKET);
        lab_free(w);
    }
}

/* -- what the next switch tells -- */

static void packets_of_a_told_line(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    uint32_t in = first_input(w);
    tell_line(w, 1, 3, 1, 0);
    several(w, in, 2, 1);
    come(w, in, 1, 1, 0); /* the other lane */
    come(w, in, 1, 0, COP_PKT_CNP); /* control packets pass */
    expect_queues(w, in, "0001110");
    assert_int_equal(counter(w, ISO_TAKEN), 0);
    lab_free(w);
    w = lab_build(chain, NULL, 0);
    tell_line(w, 1, 3, 1, 0);
    several(w, in, 1, 2);
    expect_queues(w, in, "2000000");
    const iso_line *l = line_at(w, in, 0);
    assert_true(l->used && !l->root && l->next == 1 && l->hops == 4 && l->n_dst == 1);
    assert_int_equal(counter(w, ISO_ROOTS), 0);
    /* A further destination of the same line joins the queue while its list has room. */
    tell(w, ISO_MSG_ADD, 1, iso_entry(2, 0));
    several(w, in, 2, 1);
    expect_queues(w, in, "3000000");
    assert_int_equal(l->n_dst, 2);
    lab_free(w);
    /* One of the farthest root, if several name it. */
    for (unsigned order = 0; order < 2; order++) {
        w = lab_build(chain, NULL, 0);
        tell_line(w, order, 2, 1, 0);
        tell_line(w, 1 - order, 5, 1, 0);
        tell_line(w, 2, 9, 2, 0); /* of another destination */
        several(w, in, 1, 1);
        assert_int_equal(line_at(w, in, 0)->next, 1 - order);
        assert_int_equal(line_at(w, in, 0)->hops, 6);
        lab_free(w);
    }
}

/* What waits already is looked at when the message comes. */
static void heads_find_their_queue(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    uint32_t in = first_input(w);
    several(w, in, 1, 2);
    several(w, in, 2, 1);
    come(w, in, 1, 1, 0);
    expect_queues(w, in, "0003100");
    tell_line(w, 0, 1, 1, 1);
    expect_queues(w, in, "1003000"); /* of lane 1 */
    tell_line(w, 2, 1, 2, 0);
    expect_queues(w, in, "1003000"); /* not the head */
    tell_line(w, 1, 1, 1, 0);
    expect_queues(w, in, "1210000"); /* the head, the next, and the one behind them */
    assert_int_equal(line_at(w, in, 1)->next, 1);
    assert_int_equal(line_at(w, in, 2)->next, 2);
    lab_free(w);
}

/* All queues are taken: packets stay. */
static void no_queue_is_free(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    uint32_t in = first_input(w);
    for (uint32_t i = 0; i < 3; i++)
        (void)iso_take(&w->net, in, 0, 0); /* of another output */
    tell_line(w, 0, 1, 1, 0);
    several(w, in, 1, 2);
    expect_queues(w, in, "0002000");
    assert_true(counter(w, ISO_NO_QUEUE) >= 1);
    assert_int_equal(counter(w, ISO_MOVED), 0);
    come(w, in, 1, 1, 0); /* of no line: the other lane */
    expect_queues(w, in, "0002100");
    /* One is given back: when its last packet has left, the head that waits is asked again; the next follows. */
    const uint32_t first = w->net.in[in].queue0;
    cop_ev ev = {0};
    while (cop_evq_pop(&w->net.evq, 700, &ev))
        ;
    cop_net_first_node(&w->net, first + 1)->read = 777;
    iso_fell(&w->net, in, line_at(w, in, 1), 1, 0);
    assert_false(cop_evq_pop(&w->net.evq, 776, &ev));
    assert_true(cop_evq_pop(&w->net.evq, 777, &ev));
    assert_true(ev.t == 777 && ev.id == cop_ev_id(COP_EV_HEAD, first + 3));
    expect_queues(w, in, "0002100");
    assert_true(w->net.queue[first + 3].again && !w->net.queue[first + 4].again);
    w->net.now = 777;
    cop_input_head(&w->net, first + 3);
    expect_queues(w, in, "0200100");
    assert_false(w->net.queue[first + 3].again);
    assert_int_equal(line_at(w, in, 1)->next, 0);
    lab_free(w);
}

static bool stopped(const net_lab *w, uint32_t port, uint32_t q)
{
    return w->net.queue[w->net.in[port].queue0 + q].stopped;
}

/* Stop and go reach the queues that follow this line, and no others. */
static void stop_and_go(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    uint32_t in = first_input(w);
    tell_line(w, 0, 1, 1, 0);
    tell_line(w, 1, 1, 2, 0);
    several(w, in, 1, 1);
    several(w, in, 2, 1);
    expect_queues(w, in, "1100000");
    for (unsigned mask = 0; mask < 4; mask++) {
        tell(w, mask & 1 ? ISO_MSG_STOP : ISO_MSG_GO, 0, 0);
        tell(w, mask & 2 ? ISO_MSG_STOP : ISO_MSG_GO, 1, 0);
        assert_int_equal(stopped(w, in, 0), mask & 1);
        assert_int_equal(stopped(w, in, 1), mask >> 1);
    }
    /* One that comes to a stopped line is stopped at once. */
    lab_free(w);
    w = lab_build(chain, NULL, 0);
    tell_line(w, 0, 1, 1, 0);
    tell(w, ISO_MSG_STOP, 0, 0);
    several(w, in, 1, 1);
    assert_true(stopped(w, in, 0));
    lab_free(w);
}

/* A root of this switch whose destination is told of joins that line, if the lane is the same. */
static void a_root_joins(void **state)
{
    (void)state;
    for (uint32_t vl = 0; vl < 2; vl++)
        for (uint32_t dst = 0; dst <= 2; dst++) {
            net_lab *w = lab_build(chain, NULL, 0);
            uint32_t in = first_input(w);
            several(w, in, 1, 7);
            assert_true(line_at(w, in, 0)->hot);
            tell_line(w, 2, 1, dst, vl);
            bool joins = dst == 1 && vl == 0;
            assert_int_equal(line_at(w, in, 0)->next, joins ? 2 : ISO_NO_LINE);
            assert_int_equal(line_at(w, in, 0)->root, !joins);
            assert_int_equal(line_at(w, in, 0)->hops, joins ? 2 : 1);
            assert_int_equal(w->net.roots[trunk(w)], !joins);
            lab_free(w);
        }
}

/* The line that a queue follows is given up: it follows another that lists one of its destinations, that
 * of the farthest root; if there is none it goes on as what it was, a branch and no root. An empty one is
 * given back. */
static void a_line_is_given_up(void **state)
{
    (void)state;
    for (unsigned others = 0; others < 4; others++) {
        net_lab *w = lab_build(chain, NULL, 0);
        uint32_t in = first_input(w);
        tell_line(w, 0, 9, 1, 0);
        tell(w, ISO_MSG_STOP, 0, 0);
        several(w, in, 1, 1);
        if (others & 1)
            tell_line(w, 1, 2, 1, 0);
        if (others & 2)
            tell_line(w, 2, 4, 1, 0);
        else
            tell_line(w, 2, 7, 0, 0); /* of no packet that waits here */
        assert_true(line_at(w, in, 0)->next == 0 && stopped(w, in, 0));
        tell(w, ISO_MSG_DEALLOCATE, 0, 0);
        const iso_line *l = line_at(w, in, 0);
        assert_int_equal(l->next, others & 2 ? 2 : others & 1 ? 1 : ISO_NO_LINE);
        assert_int_equal(l->hops, others & 2 ? 5 : others & 1 ? 3 : 10);
        assert_false(l->root || stopped(w, in, 0));
        assert_true(l->used);
        several(w, in, 1, 5); /* above `high`: still its queue, and not congestion of this output */
        assert_int_equal(counter(w, ISO_ROOTS), 0);
        expect_queues(w, in, "6000000");
        several(w, in, 1, 1);
        assert_int_equal(w->net.roots[trunk(w)], 0);
        /* Another destination of the same output is not of this branch: its congestion is detected. */
        several(w, in, 2, 6);
        assert_int_equal(counter(w, ISO_ROOTS), 1);
        assert_true(line_at(w, in, 1)->root && !l->root);
        lab_free(w);
    }
    /* The farthest is not always the last. */
    for (uint8_t second = 2; second <= 7; second++) {
        net_lab *w = lab_build(chain, NULL, 0);
        uint32_t in = first_input(w);
        tell_line(w, 0, 9, 1, 0);
        several(w, in, 1, 1);
        tell_line(w, 1, 4, 1, 0);
        tell_line(w, 2, second, 1, 0);
        tell(w, ISO_MSG_DEALLOCATE, 0, 0);
        assert_int_equal(line_at(w, in, 0)->next, second > 4 ? 2 : 1);
        assert_int_equal(line_at(w, in, 0)->hops, 1 + (second > 4 ? second : 4));
        lab_free(w);
    }
    /* Empty and stopped it waits for its go; then it is given back. */
    for (unsigned kind = ISO_MSG_GO; kind <= ISO_MSG_DEALLOCATE; kind++) {
        net_lab *w = lab_build(chain, NULL, 0);
        uint32_t in = first_input(w), line = iso_take(&w->net, in, 1, 0);
        tell_line(w, 0, 1, 1, 0);
        tell(w, ISO_MSG_STOP, 0, 0);
        iso_link(&w->net, in, line_at(w, in, line), line, 0);
        iso_fell(&w->net, in, line_at(w, in, line), line, 0);
        assert_true(line_at(w, in, line)->used);
        tell(w, kind, 0, 0);
        assert_false(line_at(w, in, line)->used);
        assert_int_equal(counter(w, ISO_FREED), 1);
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_root_is_found),        cmocka_unit_test(a_doubtful_root),
        cmocka_unit_test(packets_of_a_told_line), cmocka_unit_test(heads_find_their_queue),
        cmocka_unit_test(no_queue_is_free),       cmocka_unit_test(stop_and_go),
        cmocka_unit_test(a_root_joins),           cmocka_unit_test(a_line_is_given_up),
    };
    return cmocka_run_group_tests_name("iso_hooks", tests, NULL, NULL);
}
