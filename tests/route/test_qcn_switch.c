/* QCN-Switch by hand: what notifications and packets do to the probabilities, and what these do to packets. */
#include "choice_fixture.h"

#include <math.h>

static double p_of(lab *l, uint32_t port)
{
    return l->r.ops->port_value(&l->r, l->b.state[port], 0);
}

static bool notice(lab *l, uint32_t host, uint32_t port, uint32_t word, bool own)
{
    cop_notice n = {.host = host, .port = port, .word = word, .own = own};
    return l->r.ops->on_notice(&l->r, 0, &l->view, &n);
}

/* M-qcnsw: qcn-8, qcn-12, qcn-69. */
static void test_probabilities(void **state)
{
    (void)state;
    static const struct {
        const char *lf;
        uint32_t updates;
    } cases[] = {{"0.015625", 1}, {"0.0117647", 2}, {"0.0078125", 4}, {"0.00390625", 9}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        lab l;
        SET_UP(&l, "qcn-switch", "compare", "no", "lf", cases[i].lf);
        assert_true(p_of(&l, 3) == 100.0);
        uint32_t n = 0;
        for (; p_of(&l, 3) >= 10.0; n++)
            assert_true(notice(&l, 1, 3, 63, false)); /* for a host of this switch: kept */
        assert_int_equal(n, cases[i].updates);
        assert_true(p_of(&l, 4) == 100.0);
        assert_false(notice(&l, 2, 4, 63, false)); /* for another switch's host: goes on */
        assert_false(notice(&l, 2, 4, 63, true)); /* made here, but no source processing */
        assert_true(p_of(&l, 4) == 100.0);
        assert_true(notice(&l, 0, 5, 63, true)); /* made here for a host of this switch */
        assert_true(p_of(&l, 5) < 100.0);
        if (i == 0) { /* 1/64, then 99 rises of 1 %, each after 100 packets */
            assert_true(p_of(&l, 3) == 100.0 / 64);
            for (uint32_t k = 0; k < 99 * 100; k++) {
                assert_true(p_of(&l, 3) < 100.0);
                l.r.ops->on_send(&l.r, 0, &l.view, 3);
            }
            assert_true(p_of(&l, 3) == 100.0);
        }
        tear_down(&l);
    }
}

/* `counts: entry`: packets that pass do not count, those that had the choice and stayed do, once each. */
static void test_counts_entry(void **state)
{
    (void)state;
    for (int head = 0; head < 2; head++) {
        lab l;
        cop_cand c;
        SET_UP(&l, "qcn-switch", "th2", "0", "packets", "10", "counts", "entry", "decide",
               head ? "head" : "arrival");
        uint32_t dst = 7 * 8, stayed = 0;
        assert_int_equal(via(&l, 0, dst, &c), COP_NONE);
        uint32_t port = c.port;
        notice(&l, 0, port, 40, false); /* 32 above the mean of five ports: 50 % */
        for (int i = 0; i < 1000; i++)
            l.r.ops->on_send(&l.r, 0, &l.view, port);
        assert_true(p_of(&l, port) == 50.0);
        for (int i = 0; stayed < 95; i++) {
            cop_hop hop = {.in_port = 0, .dst = dst, .mid = COP_NONE};
            for (int ask = 0; ask <= head; ask++)
                l.r.ops->route(&l.r, &hop, &l.view, &c);
            stayed += hop.mid == COP_NONE;
        }
        assert_true(p_of(&l, port) == 59.0); /* 95 packets: nine rises */
        tear_down(&l);
    }
}

/* A notification begins the count of packets anew, also one that changes nothing. */
static void test_count(void **state)
{
    (void)state;
    lab l;
    SET_UP(&l, "qcn-switch", "packets", "10");
    notice(&l, 0, 3, 63, false); /* mean 63 / 5, far below */
    double p = p_of(&l, 3);
    assert_true(fabs(p - 100.0 * (1.0 - (63.0 - 12.6) / 64)) < 1e-9);
    for (int i = 0; i < 9; i++)
        l.r.ops->on_send(&l.r, 0, &l.view, 3);
    notice(&l, 0, 3, 30, false); /* mean 6: within 30 above */
    assert_true(p_of(&l, 3) == p);
    for (int i = 0; i < 9; i++)
        l.r.ops->on_send(&l.r, 0, &l.view, 3);
    assert_true(p_of(&l, 3) == p);
    l.r.ops->on_send(&l.r, 0, &l.view, 3);
    assert_true(p_of(&l, 3) == p + 1.0);
    l.r.ops->on_send(&l.r, 0, &l.view, 0); /* to a host: nothing there */
    tear_down(&l);
}

/* M-qcnsw-fb: qcn-14, qcn-16. */
static void test_comparison(void **state)
{
    (void)state;
    lab l;
    SET_UP(&l, "qcn-switch", "th1", "5");
    for (uint32_t port = 2; port < 7; port++)
        notice(&l, 0, port, 60, false);
    double p = p_of(&l, 6); /* by then the mean was 60 */
    notice(&l, 0, 6, 60, false);
    assert_true(p_of(&l, 6) == p); /* all alike: as it is */
    notice(&l, 0, 6, 55, false); /* mean 59, 4 above: within th1 */
    assert_true(p_of(&l, 6) == p);
    double before = p_of(&l, 2);
    notice(&l, 0, 2, 40, false); /* mean 55, 15 above */
    assert_true(p_of(&l, 2) == (before + 1.0 > 100.0 ? 100.0 : before + 1.0));
    tear_down(&l);
    SET_UP(&l, "qcn-switch");
    notice(&l, 0, 4, 60, false); /* others at 0: mean 12 */
    assert_true(fabs(p_of(&l, 4) - 25.0) < 1e-9);
    tear_down(&l);
}

/* M-qcnsw-src. */
static void test_source_processing(void **state)
{
    (void)state;
    lab l;
    SET_UP(&l, "qcn-switch", "compare", "no", "source_processing", "yes");
    assert_false(notice(&l, 9, 5, 32, true));
    assert_true(p_of(&l, 5) == 50.0);
    assert_false(notice(&l, 9, 5, 32, false));
    assert_true(p_of(&l, 5) == 50.0);
    tear_down(&l);
}

/* A notification for a host of this switch lowers its packet's minimal port, if that is the rule. */
static void test_lowers(void **state)
{
    (void)state;
    for (int minimal = 0; minimal < 2; minimal++) {
        lab l;
        cop_cand c;
        SET_UP(&l, "qcn-switch", "compare", "no", "lowers", minimal ? "minimal" : "queue");
        uint32_t dst = 4 * 8; /* group 4 */
        assert_int_equal(via(&l, 0, dst, &c), COP_NONE);
        uint32_t way = c.port, other = way == 6 ? 5 : 6;
        cop_notice n = {.host = 0, .port = other, .word = 32, .own = true, .about = dst};
        assert_true(l.r.ops->on_notice(&l.r, 0, &l.view, &n));
        assert_true(p_of(&l, way) == (minimal ? 50.0 : 100.0));
        assert_true(p_of(&l, other) == (minimal ? 100.0 : 50.0));
        n.own = false; /* from elsewhere: the port it came in by */
        n.port = 3;
        double before = p_of(&l, 3);
        assert_true(l.r.ops->on_notice(&l.r, 0, &l.view, &n));
        assert_true(p_of(&l, 3) == before / 2);
        n = (cop_notice){.host = 0, .port = 4, .word = 32, .own = true, .about = 2};
        before = p_of(&l, 4);
        assert_true(l.r.ops->on_notice(&l.r, 0, &l.view, &n)); /* inside the group */
        assert_true(p_of(&l, 4) == before / 2);
        tear_down(&l);
    }
}

/* `yields`: a packet of this switch's that was in others' way raises its minimal port, by a share of what is missing. */
static void test_yields(void **state)
{
    (void)state;
    lab l;
    cop_cand c;
    SET_UP(&l, "qcn-switch", "compare", "no", "yields", "yes");
    assert_true(l.r.facts.asks_contested);
    uint32_t dst = 4 * 8; /* group 4 */
    assert_int_equal(via(&l, 0, dst, &c), COP_NONE);
    uint32_t way = c.port, other = way == 6 ? 5 : 6;
    notice(&l, 0, way, 48, false); /* 25 % */
    cop_notice n = {.host = 0, .port = other, .word = 32, .contested = true, .about = dst};
    assert_true(l.r.ops->on_notice(&l.r, 0, &l.view, &n));
    assert_true(p_of(&l, way) == 62.5 && p_of(&l, other) == 100.0);
    n.own = true; /* found here, at the first hop of the detour */
    assert_true(l.r.ops->on_notice(&l.r, 0, &l.view, &n));
    assert_true(p_of(&l, way) == 81.25);
    n.end = true; /* a host's port: the source is to hear of it */
    assert_false(l.r.ops->on_notice(&l.r, 0, &l.view, &n));
    n.end = false;
    n.host = 9; /* of another switch's */
    assert_false(l.r.ops->on_notice(&l.r, 0, &l.view, &n));
    assert_true(p_of(&l, way) == 81.25);
    n.host = 0;
    n.port = way; /* it is the minimal way that is congested */
    assert_true(l.r.ops->on_notice(&l.r, 0, &l.view, &n));
    assert_true(p_of(&l, way) == 81.25 / 2);
    tear_down(&l);
    SET_UP(&l, "qcn-switch", "compare", "no", "yields", "yes", "switch_over", "yes");
    notice(&l, 0, way, 48, false);
    assert_true(p_of(&l, way) == 0.0);
    n = (cop_notice){.host = 0, .port = other, .word = 1, .contested = true, .about = dst};
    assert_true(l.r.ops->on_notice(&l.r, 0, &l.view, &n));
    assert_true(p_of(&l, way) == 100.0);
    tear_down(&l);
    SET_UP(&l, "qcn-switch", "compare", "no"); /* unless it is asked for */
    assert_false(l.r.facts.asks_contested);
    tear_down(&l);
}

/* qcn-13: of 100 draws each once, those above P go around. */
static void test_share(void **state)
{
    (void)state;
    lab l;
    cop_cand c;
    SET_UP(&l, "qcn-switch", "compare", "no");
    uint32_t dst = 7 * 8, around = 0;
    assert_int_equal(via(&l, 0, dst, &c), COP_NONE);
    notice(&l, 0, c.port, 48, false); /* 25 % */
    for (int i = 0; i < 20000; i++)
        around += via(&l, 0, dst, &c) != COP_NONE;
    assert_in_range(around, 14700, 15300);
    tear_down(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_counts_entry),
        cmocka_unit_test(test_comparison),
        cmocka_unit_test(test_source_processing),
        cmocka_unit_test(test_lowers),
        cmocka_unit_test(test_yields),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests_name("qcn_switch", tests, NULL, NULL);
}
