/* Isolation: which destinations a line lists, at the root and further up. */
#include "iso_fixture.h"

/* A root takes the destinations of its output that come, until its list is full; then others stay. */
static void a_root_lists_destinations(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, SET("topology.hosts=[1, 0, 3]"));
    uint32_t in = cop_topo_switch_port(&w->topo, 1, 0); /* from switch 0; all go on to switch 2 */
    several(w, in, 1, 6);
    several(w, in, 2, 1);
    expect_queues(w, in, "7000000");
    assert_int_equal(line_at(w, in, 0)->n_dst, 2);
    several(w, in, 3, 1);
    expect_queues(w, in, "7001000");
    several(w, in, 3, 5); /* above `detect`, but the root is known: no second queue for it */
    expect_queues(w, in, "7006000");
    assert_int_equal(counter(w, ISO_ROOTS), 1);
    assert_int_equal(counter(w, ISO_TAKEN), 1);
    lab_free(w);
}

/* hfdi: the list of a root at its detection, and after it; with a special queue here or without. */
static void a_list_as_detected(void **state)
{
    (void)state;
    static const char *const says[] = {
        "queueing={kind: hfdi, local: no, queues: 3, list: growing}",
        "queueing={kind: hfdi, local: no, queues: 3, list: detected}",
        "queueing={kind: hfdi, queues: 3, list: growing}",
        "queueing={kind: hfdi, queues: 3, list: detected}"};
    for (size_t i = 0; i < COP_LEN(says); i++) {
        net_lab *w =
            lab_build(chain, SET("topology.hosts=[1, 0, 3]", says[i], "switch.architecture=ib"));
        uint32_t in = cop_topo_switch_port(&w->topo, 1, 0), local = i >= 2, q = local ? 0 : 3 + 2;
        several(w, in, 1, 3);
        several(w, in, 2, 2);
        const iso_line *l = line_at(w, in, q); /* output 1, lane 0 */
        assert_true(l->used && l->root && l->n_dst == 2);
        assert_true(iso_lists(l, iso_entry(1, 0)) && iso_lists(l, iso_entry(2, 0)));
        several(w, in, 3, 1);
        assert_int_equal(l->n_dst, i % 2 ? 2 : 3);
        assert_int_equal(cop_net_queue_bytes(&w->net, in, 3 + 2), (local == 0 ? 6
                                                                   : i == 2   ? 0
                                                                              : 1) *
                                                                      PACKET);
        lab_free(w);
    }
}

/* A queue that is taken for a told line begins with that line's list: what leaves by this output, on this lane.
 * Where the routing is no table the list grows as packets come. */
static void a_list_is_copied(void **state)
{
    (void)state;
    static const char *const sets[][2] = {
        {"topology.hosts=[1, 2]",
         "queueing={kind: fbicm, queues: 3, destinations: 4, propagate: high}"},
        {"topology.hosts=[1, 2]", "queueing={kind: hfdi, local: no, queues: 3, destinations: 4}"},
        {"topology={kind: torus, radix: [3], hosts: 1}",
         "queueing={kind: fbicm, queues: 3, destinations: 4, propagate: high}"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        net_lab *w = lab_build(chain, SET(sets[i][0], sets[i][1], "switch.architecture=ib"));
        uint32_t in = first_input(w);
        tell_line(w, 1, 3, 2, 0);
        tell(w, ISO_MSG_ADD, 1, iso_entry(1, 0));
        tell(w, ISO_MSG_ADD, 1, iso_entry(0, 0)); /* is at this switch: does not go that way */
        tell(w, ISO_MSG_ADD, 1, iso_entry(1, 1)); /* another lane */
        several(w, in, 2, 1);
        const iso_line *l = line_at(w, in, 0);
        assert_true(l->used && l->next == 1 && iso_lists(l, iso_entry(2, 0)));
        assert_int_equal(iso_lists(l, iso_entry(1, 0)), i < 2);
        assert_int_equal(l->n_dst, i < 2 ? 2 : 1);
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_root_lists_destinations),
        cmocka_unit_test(a_list_as_detected),
        cmocka_unit_test(a_list_is_copied),
    };
    return cmocka_run_group_tests_name("iso lists", tests, NULL, NULL);
}
