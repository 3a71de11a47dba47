/* Isolation: when a line tells the neighbour upstream, stops it and is given back, by the words of Papers V and
 * VI and their other readings. */
#include "iso_fixture.h"

/* The neighbour is told at `stop`, and stopped with it; or at `high`, unless `stop` comes before. */
static void when_the_neighbour_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *propagate, *stop;
        unsigned told, stopped; /* from so many packets on */
    } cases[] = {{"queueing.propagate=stop", "queueing.stop=9", 10, 10},
                 {"queueing.propagate=high", "queueing.stop=9", 7, 10},
                 {"queueing.propagate=stop", "queueing.stop=4", 5, 5},
                 {"queueing.propagate=high", "queueing.stop=4", 5, 5}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(chain, SET(cases[i].propagate, cases[i].stop));
        cop_net *net = &w->net;
        uint32_t port = trunk_input(w), line = iso_take(net, port, 0, 0);
        iso_line *l = iso_in_line(rules(w), cop_net_queue_state(net, port), line);
        for (unsigned packets = 1; packets < 12; packets++) {
            iso_rose(net, port, l, line, packets * PACKET);
            assert_int_equal(l->propagated, packets >= cases[i].told);
            assert_int_equal(l->sent_stop, packets >= cases[i].stopped);
        }
        assert_int_equal(counter(w, ISO_SENT_ALLOCATE), 1);
        assert_int_equal(counter(w, ISO_SENT_STOP), 1);
        lab_free(w);
    }
}

/* hfdi: stop and go are between special queues; the line of an output's queue sends them only if asked to. */
static void who_sends_stop(void **state)
{
    (void)state;
    static const char *const says[] = {
        "queueing={kind: hfdi, local: no, high: 6, low: 2}",
        "queueing={kind: hfdi, local: no, high: 6, low: 2, root_stop: yes}"};
    for (unsigned also_roots = 0; also_roots < 2; also_roots++) {
        net_lab *w = lab_build(chain, SET(says[also_roots], "switch.architecture=ib"));
        cop_net *net = &w->net;
        uint32_t port = trunk_input(w), special = iso_take(net, port, 0, 0), own = rules(w)->queues;
        iso_port *st = cop_net_queue_state(net, port);
        iso_line *l = iso_in_line(rules(w), st, own), *hot = iso_in_line(rules(w), st, special);
        *l = (iso_line){.used = true, .next = ISO_NO_LINE};
        iso_make_root(net, port, l);
        for (unsigned i = 1; i < 4; i++)
            iso_rose(net, port, l, own, (6 + i) * PACKET);
        assert_true(l->propagated && l->hot);
        assert_int_equal(l->sent_stop, also_roots);
        assert_int_equal(counter(w, ISO_SENT_STOP), also_roots);
        iso_fell(net, port, l, own, PACKET);
        assert_int_equal(counter(w, ISO_SENT_GO), also_roots);
        iso_rose(net, port, hot, special, 7 * PACKET);
        assert_true(hot->propagated && !hot->sent_stop); /* the first time it only tells */
        iso_rose(net, port, hot, special, 8 * PACKET);
        assert_true(hot->sent_stop);
        iso_fell(net, port, hot, special, PACKET);
        assert_int_equal(counter(w, ISO_SENT_STOP), 1 + also_roots);
        assert_int_equal(counter(w, ISO_SENT_GO), 1 + also_roots);
        lab_free(w);
    }
}

/* hfdi: the second time above `high`, for both readings. */
static void the_second_time(void **state)
{
    (void)state;
    static const char *const says[] = {
        "queueing={kind: hfdi, local: no, high: 6, low: 2, second: packet}",
        "queueing={kind: hfdi, local: no, high: 6, low: 2, second: crossing}"};
    for (unsigned crossing = 0; crossing < 2; crossing++) {
        net_lab *w = lab_build(chain, SET(says[crossing], "switch.architecture=ib"));
        cop_net *net = &w->net;
        uint32_t port = trunk_input(w), line = iso_take(net, port, 0, 0);
        iso_line *l = iso_in_line(rules(w), cop_net_queue_state(net, port), line);
        iso_rose(net, port, l, line, 7 * PACKET);
        assert_true(l->propagated && !l->sent_stop);
        iso_rose(net, port, l, line, 8 * PACKET);
        iso_fell(net, port, l, line, 6 * PACKET + 1); /* still above */
        iso_rose(net, port, l, line, 7 * PACKET);
        assert_int_equal(l->sent_stop, !crossing);
        iso_fell(net, port, l, line, 6 * PACKET); /* no longer */
        assert_int_equal(counter(w, ISO_SENT_STOP), !crossing);
        iso_rose(net, port, l, line, 7 * PACKET);
        assert_true(l->sent_stop);
        assert_int_equal(counter(w, ISO_SENT_STOP), 1);
        iso_fell(net, port, l, line, PACKET);
        assert_false(l->sent_stop);
        iso_rose(net, port, l, line, 7 * PACKET); /* and further ones */
        assert_int_equal(counter(w, ISO_SENT_STOP), 2);
        lab_free(w);
    }
}

/* An empty special queue that is stopped: Paper V waits for go, Paper VI gives it back, and the
 * tree that takes it next is not stopped by what was said of another tree. */
static void empty_and_stopped(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing={kind: fbicm, queues: 3}",
                                        "queueing={kind: recn, queues: 3}",
                                        "queueing={kind: hfdi, queues: 3}"};
    for (size_t k = 0; k < COP_LEN(kinds); k++) {
        net_lab *w = lab_build(chain, SET(kinds[k], "switch.architecture=ib"));
        cop_net *net = &w->net;
        uint32_t in = cop_topo_switch_port(&w->topo, 0, 0),
                 out = cop_topo_switch_port(&w->topo, 0, 1), line = iso_take(net, in, 1, 0);
        iso_line *l = iso_in_line(rules(w), cop_net_queue_state(net, in), line);
        const iso_line far = {.hops = 4, .root_port = 77};
        iso_on_control(net, out, iso_allocate(2, &far));
        iso_on_control(net, out, iso_message(ISO_MSG_STOP, 2, 0));
        iso_link(net, in, l, line, 2);
        assert_true(net->queue[net->in[in].queue0 + line].stopped);
        iso_fell(net, in, l, line, 0);
        assert_int_equal(l->used, k < 2);
        assert_int_equal(net->queue[net->in[in].queue0 + line].stopped, k < 2);
        assert_int_equal(net->level[ISO_USED], k < 2);
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(when_the_neighbour_is_told),
        cmocka_unit_test(who_sends_stop),
        cmocka_unit_test(the_second_time),
        cmocka_unit_test(empty_and_stopped),
    };
    return cmocka_run_group_tests_name("iso rules", tests, NULL, NULL);
}
