/* Isolation: which queue of an input goes first, by priority and by what has left before. */
#include "iso_fixture.h"

static uint64_t key(net_lab *w, uint32_t q, cop_time injected)
{
    cop_pkt p = {.t_inj = injected};
    return iso_order(&w->net, trunk_input(w), q, &p);
}

/* Queues 0 to 2 are special, 3 and 4 normal (a lane each), 5 and 6 for control packets. */
enum { SPECIAL = 1, OTHER = 2, NORMAL = 3, CONTROL = 5, LAST = 6 };

static void order_normal_first(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, SET("queueing.priority=normal-first"));
    iso_port *in = cop_net_queue_state(&w->net, trunk_input(w));
    iso_line *l = iso_in_line(rules(w), in, SPECIAL), *other = iso_in_line(rules(w), in, OTHER);
    l->waits_from = 100;
    other->waits_from = 102;
    for (uint32_t sent = 102; sent < 110; sent++) {
        in->normal_sent = sent;
        in->special_run = 1000; /* does not matter here */
        uint64_t normal = key(w, NORMAL, 0), special = key(w, SPECIAL, 0);
        assert_int_equal(key(w, NORMAL + 1, 7), normal); /* of equals the age does not decide */
        /* Four packets of normal queues after its last one it is due: before all others. */
        assert_int_equal(special < normal, sent >= 104);
        assert_int_equal(special > normal, sent < 104);
        assert_int_equal(key(w, OTHER, 0) < normal, sent >= 106);
        assert_int_equal(special < key(w, CONTROL, 0), sent >= 104);
        if (sent >= 106 || sent < 104)
            assert_int_equal(special, key(w, OTHER, 0));
        assert_true(key(w, CONTROL, 0) < normal);
        assert_int_equal(key(w, CONTROL, 0), key(w, LAST, 9));
    }
    in->normal_sent = 3; /* it counts on beyond 32 bits */
    l->waits_from = UINT32_MAX;
    assert_true(key(w, SPECIAL, 0) < key(w, NORMAL, 0));
    l->waits_from = 0;
    assert_true(key(w, SPECIAL, 0) > key(w, NORMAL, 0));
    lab_free(w);
}

static void order_congested_first(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, SET("queueing.priority=congested-first"));
    iso_port *in = cop_net_queue_state(&w->net, trunk_input(w));
    in->normal_sent = 1000;
    for (uint32_t run = 0; run < 8; run++) {
        in->special_run = run;
        uint64_t normal = key(w, NORMAL, 0), special = key(w, SPECIAL, 0);
        assert_int_equal(normal < special, run >= 4);
        assert_int_equal(normal > special, run < 4);
        assert_int_equal(normal < key(w, CONTROL, 0), run >= 4);
        assert_int_equal(special, key(w, OTHER, 5));
        assert_true(key(w, CONTROL, 0) < special);
    }
    lab_free(w);
}

static void order_without_preference(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, SET("queueing.priority=round-robin"));
    iso_port *in = cop_net_queue_state(&w->net, trunk_input(w));
    in->normal_sent = in->special_run = 1000;
    assert_int_equal(key(w, NORMAL, 1), key(w, SPECIAL, 2));
    assert_true(key(w, CONTROL, 3) < key(w, NORMAL, 1));
    lab_free(w);
    w = lab_build(chain, SET("queueing.priority=age"));
    assert_true(key(w, SPECIAL, 5) < key(w, NORMAL, 6));
    assert_true(key(w, NORMAL, 5) < key(w, SPECIAL, 6));
    assert_int_equal(key(w, NORMAL, 5), key(w, SPECIAL, 5));
    assert_true(key(w, CONTROL, 9) < key(w, NORMAL, 0));
    lab_free(w);
}

/* Paper V prefers victims, Paper VI has a fair scheduler. */
static void order_by_default(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        int priority;
    } cases[] = {{"queueing={kind: fbicm}", ISO_NORMAL_FIRST},
                 {"queueing={kind: recn}", ISO_NORMAL_FIRST},
                 {"queueing={kind: hfdi}", ISO_ROUND_ROBIN}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(chain, SET(cases[i].kind, "switch.architecture=ib"));
        assert_int_equal(rules(w)->priority, cases[i].priority);
        lab_free(w);
    }
}

/* What the order goes by: each packet that leaves counts once, control packets do not. */
static void departures_are_counted(void **state)
{
    (void)state;
    net_lab *w = lab_build(chain, NULL, 0);
    uint32_t port = trunk_input(w);
    iso_port *in = cop_net_queue_state(&w->net, port);
    const cop_pkt p = {.bytes = PACKET};
    static const struct {
        uint32_t q, normal, run;
    } steps[] = {{NORMAL, 1, 0},     {NORMAL + 1, 2, 0}, {SPECIAL, 2, 1}, {CONTROL, 2, 1},
                 {SPECIAL, 2, 2},    {OTHER, 2, 3},      {LAST, 2, 3},    {NORMAL, 3, 0},
                 {NORMAL + 1, 4, 0}, {OTHER, 4, 1}};
    for (size_t i = 0; i < COP_LEN(steps); i++) {
        iso_on_dequeue(&w->net, port, steps[i].q, &p);
        assert_int_equal(in->normal_sent, steps[i].normal);
        assert_int_equal(in->special_run, steps[i].run);
    }
    assert_int_equal(iso_in_line(rules(w), in, SPECIAL)->waits_from, 2);
    assert_int_equal(iso_in_line(rules(w), in, OTHER)->waits_from, 4);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_normal_first),       cmocka_unit_test(order_congested_first),
        cmocka_unit_test(order_without_preference), cmocka_unit_test(order_by_default),
        cmocka_unit_test(departures_are_counted),
    };
    return cmocka_run_group_tests_name("iso_order", tests, NULL, NULL);
}
