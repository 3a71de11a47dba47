/* The rules of the isolation schemes, one by one, on a network that stands still: messages, thresholds,
 * the life of a line. Numbers are those of docs/MODEL.md, "Isolation". */
#include "iso_fixture.h"

/* -- messages -- */

/* What a line says of itself arrives upstream: every field, at its bounds, on its own. */
static void messages_carry_every_field(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    const iso_rules *r = rules(w);
    uint32_t out = cop_topo_switch_port(&w->topo, 0, 1); /* sends to trunk_input */
    iso_port *st = cop_net_queue_state(&w->net, out);
    static const struct {
        uint32_t line, root;
        uint8_t hops, vl;
    } cases[] = {{0, 0, 1, 0},
                 {1, 0, 1, 1},
                 {2, 0xffffffff, 1, 0},
                 {0, 1, 254, 15},
                 {1, 0x80000000, 127, 8}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        iso_line l = {.root_port = cases[i].root, .hops = cases[i].hops, .out_vl = cases[i].vl};
        iso_line *o = iso_out_line(r, st, cases[i].line);
        o->stopped = true; /* left over from a life before */
        iso_on_control(&w->net, out, iso_allocate(cases[i].line, &l));
        assert_true(o->used && !o->stopped && !o->root && o->n_dst == 0);
        assert_int_equal(o->root_port, cases[i].root);
        assert_int_equal(o->hops, cases[i].hops + 1); /* one further from the root */
        assert_int_equal(o->out_vl, cases[i].vl);
        assert_int_equal(st->told, 1);
        assert_int_equal(w->net.level[ISO_LINES], 1);
        uint32_t entry = iso_entry(0x0fffffff, 15);
        iso_on_control(&w->net, out, iso_message(ISO_MSG_ADD, cases[i].line, entry));
        iso_on_control(&w->net, out, iso_message(ISO_MSG_ADD, cases[i].line, iso_entry(1, 0)));
        assert_int_equal(o->n_dst, 2);
        assert_int_equal(o->dst[0], entry);
        assert_int_equal(o->dst[1], 1);
        assert_false(o->stopped);
        iso_on_control(&w->net, out, iso_message(ISO_MSG_STOP, cases[i].line, 0));
        assert_true(o->stopped && o->used);
        iso_on_control(&w->net, out, iso_message(ISO_MSG_GO, cases[i].line, 0));
        assert_true(!o->stopped && o->used);
        iso_on_control(&w->net, out, iso_message(ISO_MSG_STOP, cases[i].line, 0));
        iso_on_control(&w->net, out, iso_message(ISO_MSG_DEALLOCATE, cases[i].line, 0));
        assert_true(!o->stopped && !o->used);
        assert_int_equal(st->told, 0);
        assert_int_equal(w->net.level[ISO_LINES], 0);
        for (uint32_t k = 0; k < r->lines; k++)
            assert_false(iso_out_line(r, st, k)->used);
    }
    lab_free(w);
}

/* An end node holds back what a stopped line lists: this destination, on this lane. */
static void hosts_hold_what_is_listed(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    uint32_t host = cop_topo_host_port(&w->topo, 0);
    for (uint32_t line = 0; line < 3; line += 2) {
        iso_line l = {.hops = 1};
        iso_on_control(&w->net, host, iso_allocate(line, &l));
        iso_on_control(&w->net, host, iso_message(ISO_MSG_ADD, line, iso_entry(1 + line / 2, 1)));
    }
    for (unsigned stopped = 0; stopped < 4; stopped++) {
        iso_on_control(&w->net, host, iso_message(stopped & 1 ? ISO_MSG_STOP : ISO_MSG_GO, 0, 0));
        iso_on_control(&w->net, host, iso_message(stopped & 2 ? ISO_MSG_STOP : ISO_MSG_GO, 2, 0));
        assert_int_equal(iso_hold(&w->net, host, 1, 1), stopped & 1);
        assert_int_equal(iso_hold(&w->net, host, 2, 1), stopped >> 1);
        assert_false(iso_hold(&w->net, host, 1, 0) || iso_hold(&w->net, host, 2, 0));
        assert_false(iso_hold(&w->net, host, 0, 1));
    }
    lab_free(w);
}

/* -- thresholds, and the life of a line -- */

static void thresholds_are_strict(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, SET("queueing.propagate=high"));
    cop_net *net = &w->net;
    uint32_t port = trunk_input(w), out = cop_topo_switch_port(&w->topo, 1, 0);
    uint32_t line = iso_take(net, port, 0, 1);
    iso_line *l = iso_in_line(rules(w), cop_net_queue_state(net, port), line);
    iso_make_root(net, port, l);
    assert_int_equal(l->root_port, out);
    net->now = 77;
    iso_rose(net, port, l, line, 6 * PACKET);
    assert_true(!l->hot && !l->propagated && l->high_at == 0 && net->roots[out] == 0);
    iso_rose(net, port, l, line, 6 * PACKET + 1);
    assert_true(l->hot && l->propagated && !l->sent_stop && l->high_at == 77);
    assert_int_equal(net->roots[out], 1);
    iso_rose(net, port, l, line, 9 * PACKET);
    assert_true(!l->sent_stop);
    assert_int_equal(counter(w, ISO_SENT_STOP), 0);
    iso_rose(net, port, l, line, 9 * PACKET + 1);
    iso_rose(net, port, l, line, 9 * PACKET + 2);
    assert_true(l->sent_stop);
    assert_int_equal(counter(w, ISO_SENT_STOP), 1);
    assert_int_equal(counter(w, ISO_SENT_ALLOCATE), 1);
    assert_int_equal(net->roots[out], 1);
    iso_fell(net, port, l, line, 3 * PACKET);
    assert_true(l->sent_stop && l->hot);
    iso_fell(net, port, l, line, 3 * PACKET - 1);
    iso_fell(net, port, l, line, 2 * PACKET);
    assert_true(!l->sent_stop && l->hot && counter(w, ISO_SENT_GO) == 1);
    iso_fell(net, port, l, line, 2 * PACKET - 1);
    assert_true(!l->hot && l->used && net->roots[out] == 0);
    iso_fell(net, port, l, line, 1);
    assert_true(l->used);
    iso_fell(net, port, l, line, 0);
    assert_true(!l->used);
    assert_int_equal(counter(w, ISO_FREED), 1);
    assert_int_equal(counter(w, ISO_SENT_DEALLOCATE), 1);
    assert_int_equal(counter(w, ISO_SENT_GO), 1); /* it takes its stop along */
    lab_free(w);
}

/* All special queues of an input, one after the other and back; the others know nothing of it. */
static void queues_are_taken_and_given_back(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    cop_net *net = &w->net;
    uint32_t port = trunk_input(w);
    const int64_t all = 5 * 3; /* two inputs at switch 0, three at switch 1 */
    assert_int_equal(net->level[ISO_FREE], all);
    iso_port *st = cop_net_queue_state(net, port);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(iso_take(net, port, 1, 1), i);
        const iso_line *l = iso_in_line(rules(w), st, i);
        assert_true(l->used && !l->root && !l->hot && !l->propagated);
        assert_true(l->out == 1 && l->out_vl == 1 && l->next == ISO_NO_LINE && l->hops == 1);
        assert_int_equal(l->root_port, cop_topo_switch_port(&w->topo, 1, 1));
        assert_int_equal(l->serial, i);
        assert_int_equal(net->level[ISO_USED], i + 1);
        assert_int_equal(net->level[ISO_FREE], all - i - 1);
        assert_int_equal(net->level[ISO_LINES], i + 1);
        assert_int_equal(net->level[ISO_PORTS_FULL], i == 2);
        assert_int_equal(counter(w, ISO_NO_QUEUE), 0);
    }
    assert_int_equal(iso_take(net, port, 0, 0), ISO_NO_LINE);
    assert_int_equal(counter(w, ISO_NO_QUEUE), 1);
    assert_int_equal(counter(w, ISO_TAKEN), 3);
    iso_fell(net, port, iso_in_line(rules(w), st, 1), 1, 0);
    assert_int_equal(net->level[ISO_PORTS_FULL], 0);
    assert_int_equal(net->level[ISO_USED], 2);
    assert_int_equal(net->level[ISO_FREE], all - 2);
    assert_int_equal(net->level[ISO_LINES], 2);
    assert_int_equal(counter(w, ISO_SENT_DEALLOCATE), 0); /* no switch was notified */
    assert_int_equal(iso_take(net, port, 0, 0), 1);
    assert_int_equal(iso_in_line(rules(w), st, 1)->serial, 3);
    lab_free(w);
}

/* A line learns each destination once, up to its size, and passes on what it learns once told of. */
static void lists_have_an_end(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    cop_net *net = &w->net;
    uint32_t port = trunk_input(w), line = iso_take(net, port, 0, 0);
    iso_line *l = iso_in_line(rules(w), cop_net_queue_state(net, port), line);
    const cop_pkt a = {.dst = 1}, b = {.dst = 1, .vl = 1}, c = {.dst = 2};
    iso_learn(net, port, l, line, &a);
    iso_learn(net, port, l, line, &a);
    assert_int_equal(l->n_dst, 1);
    assert_false(iso_lists(l, iso_entry(0, 0))); /* what lies behind the list is not of it */
    iso_learn(net, port, l, line, &b);
    assert_int_equal(l->n_dst, 2);
    iso_learn(net, port, l, line, &c);
    assert_int_equal(l->n_dst, 2);
    assert_true(iso_lists(l, iso_entry(1, 0)) && iso_lists(l, iso_entry(1, 1)));
    assert_false(iso_lists(l, iso_entry(2, 0)) || iso_lists(l, iso_entry(0, 0)));
    lab_free(w);
}

/* hfdi: the line of an output's queue lives on for `lifetime` after it was last above `high`. */
static void lifetime_of_a_root(void **state)
{
    (void)state;
    net_lab *w = lab_build(
        chain, SET("queueing={kind: hfdi, local: no, queues: 2, high: 6, low: 2, lifetime: 1 us}",
                   "switch.architecture=ib"));
    cop_net *net = &w->net;
    const iso_rules *r = rules(w);
    uint32_t port = trunk_input(w), q = r->queues; /* output 0, lane 0 */
    iso_line *l = iso_in_line(r, cop_net_queue_state(net, port), q);
    assert_true(r->own_lines && r->voq && !r->by_path);
    assert_int_equal(r->lines, 2 + 3 * 2);
    *l = (iso_line){.used = true, .next = ISO_NO_LINE};
    iso_make_root(net, port, l);
    net->level[ISO_LINES]++;
    net->now = 5000;
    iso_rose(net, port, l, q, 6 * PACKET + 1);
    assert_true(l->hot && l->propagated && l->high_at == 5000);
    net->now = 5000 + 1000000;
    iso_fell(net, port, l, q, 2 * PACKET - 1);
    assert_true(l->used && !l->hot);
    net->now++;
    iso_fell(net, port, l, q, 2 * PACKET);
    assert_true(l->used);
    iso_fell(net, port, l, q, 2 * PACKET - 1);
    assert_false(l->used);
    assert_int_equal(net->level[ISO_LINES], 0);
    assert_int_equal(counter(w, ISO_FREED), 0); /* it had no special queue */
    assert_int_equal(counter(w, ISO_SENT_DEALLOCATE), 1);
    lab_free(w);
}

/* recn: does a packet cross the root within so many links? From switch 0 by way of 1 and 2 to host 2. */
static void paths_to_a_root(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, SET("topology.hosts=[1, 1, 1]", "queueing={kind: recn}"));
    const cop_net *net = &w->net;
    /* Ports of a switch: hosts first, then cables in order. */
    const uint32_t way[] = {cop_topo_switch_port(&w->topo, 0, 1),
                            cop_topo_switch_port(&w->topo, 1, 2),
                            cop_topo_switch_port(&w->topo, 2, 0)};
    for (uint32_t from = 0; from < 3; from++)
        for (uint32_t root = 0; root < 3; root++)
            for (uint32_t hops = 0; hops < 6; hops++) {
                bool crosses = root >= from && hops > root - from;
                assert_int_equal(cop_net_passes(net, way[from], 2, way[root], hops), crosses);
            }
    assert_false(cop_net_passes(net, way[0], 1, way[1], 9)); /* ends at switch 1 */
    assert_true(cop_net_passes(net, way[0], 1, cop_topo_switch_port(&w->topo, 1, 0), 9));
    lab_free(w);
}

/* A line that joins one of the next switch is no longer a root: it has its hops and root, is not hot, and
 * stops with it. recn: as long as packets wait in its queue it goes on to cover them. */
static void joining_a_line(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing={kind: fbicm, queues: 3}",
                                        "queueing={kind: recn, queues: 3}"};
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (int variant = 0; variant < 4; variant++) {
            net_lab *w = lab_build(chain, SET(kinds[k]));
            cop_net *net = &w->net;
            bool stopped = variant & 1, waits = variant & 2;
            uint32_t in = cop_topo_switch_port(&w->topo, 0, 0),
                     out = cop_topo_switch_port(&w->topo, 0, 1), line = iso_take(net, in, 1, 0);
            iso_line *l = iso_in_line(rules(w), cop_net_queue_state(net, in), line);
            const iso_line far = {.hops = 4, .root_port = 77};
            iso_on_control(net, out, iso_allocate(2, &far));
            if (stopped)
                iso_on_control(net, out, iso_message(ISO_MSG_STOP, 2, 0));
            iso_make_root(net, in, l);
            iso_rose(net, in, l, line, 4 * PACKET + 1);
            assert_int_equal(net->roots[out], 1);
            net->queue[net->in[in].queue0 + line].bytes = waits ? PACKET : 0;
            iso_link(net, in, l, line, 2);
            assert_true(!l->root && !l->hot && l->next == 2);
            assert_int_equal(net->roots[out], 0);
            bool keeps = k == 1 && waits;
            assert_int_equal(l->hops, keeps ? 1 : 5);
            assert_int_equal(l->root_port, keeps ? out : 77);
            assert_int_equal(net->queue[net->in[in].queue0 + line].stopped, stopped);
            net->queue[net->in[in].queue0 + line].bytes = 0;
            iso_fell(net, in, l, line, 0);
            assert_int_equal(l->used, stopped); /* given back only when it may go on */
            lab_free(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_carry_every_field),
        cmocka_unit_test(hosts_hold_what_is_listed),
        cmocka_unit_test(thresholds_are_strict),
        cmocka_unit_test(queues_are_taken_and_given_back),
        cmocka_unit_test(lists_have_an_end),
        cmocka_unit_test(lifetime_of_a_root),
        cmocka_unit_test(paths_to_a_root),
        cmocka_unit_test(joining_a_line),
    };
    return cmocka_run_group_tests_name("iso", tests, NULL, NULL);
}
