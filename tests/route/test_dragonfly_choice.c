/* Minimal or not on dragonflies: UGAL, Piggyback and PAUSE by hand. QCN-Switch: test_qcn_switch.c. */
#include "choice_fixture.h"

#include <math.h>

/* -- UGAL -- */

static void test_ugal(void **state)
{
    (void)state;
    lab l;
    cop_cand c;
    SET_UP(&l, "ugal", "via", "own-port", "threshold", "100 B");
    const cop_topo *t = &l.t;
    uint32_t own = t->port[t->port[cop_topo_switch_port(t, 0, 5)].to].owner / 4;
    for (uint32_t dst = 8; dst < l.t.n_hosts; dst++) {
        memset(&l.b, 0, sizeof(l.b));
        assert_int_equal(via(&l, 0, dst, &c), COP_NONE); /* nothing waits anywhere */
        uint32_t minimal = c.port, h_min = 1, h_other = 0;
        /* Count links of both ways by following them. */
        h_min = travel(&l.r, 0, dst, NULL, NULL, NULL) - 1;
        if (minimal == 5)
            continue; /* both ways begin alike */
        cop_hop hop = {.in_port = 0, .dst = dst, .mid = own};
        uint32_t at = t->port[cop_topo_host_port(t, 0)].to;
        for (; !cop_topo_is_host_port(t, at); h_other++) {
            cop_cand next;
            hop.sw = t->port[at].owner;
            hop.in_port = t->port[at].local;
            l.r.ops->route(&l.r, &hop, NULL, &next);
            at = t->port[cop_topo_switch_port(t, hop.sw, next.port)].to;
        }
        h_other--; /* the link to the host */
        l.b.load[5] = 1000;
        l.b.load[minimal] = (1000 * h_other + 100) / h_min;
        assert_int_equal(via(&l, 0, dst, &c), COP_NONE);
        l.b.load[minimal]++;
        assert_int_equal(via(&l, 0, dst, &c), own);
        assert_int_equal(c.port, 5);
    }
    for (uint32_t dst = 2; dst < 8; dst++) { /* inside the group: always minimal */
        for (uint32_t p = 0; p < 7; p++)
            l.b.load[p] = p == 5 ? 0 : 1 << 20;
        assert_int_equal(via(&l, 0, dst, &c), COP_NONE);
    }
    tear_down(&l);
}

/* Fewer groups than global links: several links lead to the same group, and each host has the one of its own. */
static void test_own_port_among_parallel_links(void **state)
{
    (void)state;
    static const char *const set[] = {"via", "own-port"};
    for (int64_t groups = 2; groups <= 5; groups++) {
        lab l;
        uint32_t seen = 0;
        set_up_groups(&l, groups, "ugal", set, 1);
        const cop_topo *t = &l.t;
        for (uint32_t src = 0; src < t->n_hosts; src++) {
            uint32_t sw = src / 2, own = 5 + src % 2;
            uint32_t to = t->port[cop_topo_switch_port(t, sw, own)].to;
            if (to == COP_NONE)
                continue;
            for (uint32_t dst = 0; dst < t->n_hosts; dst++) {
                if (dst / 8 == src / 8)
                    continue;
                cop_hop hop = {.sw = sw,
                               .in_port = (uint16_t)(src % 2),
                               .src = src,
                               .dst = dst,
                               .mid = COP_NONE};
                cop_cand c;
                memset(&l.b, 0, sizeof(l.b));
                l.r.ops->route(&l.r, &hop, &l.view, &c);
                if (c.port == own)
                    continue; /* both ways begin alike */
                l.b.load[c.port] = 1 << 20;
                hop = (cop_hop){.sw = sw,
                                .in_port = (uint16_t)(src % 2),
                                .src = src,
                                .dst = dst,
                                .mid = COP_NONE};
                l.r.ops->route(&l.r, &hop, &l.view, &c);
                assert_int_equal(c.port, own);
                assert_int_equal(hop.mid, t->port[to].owner / 4);
                assert_int_equal(c.vl, 0);
                uint32_t at = to, links = 1; /* and it gets there */
                for (; !cop_topo_is_host_port(t, at) && links < 9; links++) {
                    hop.sw = t->port[at].owner;
                    hop.in_port = t->port[at].local;
                    l.r.ops->route(&l.r, &hop, NULL, &c);
                    at = t->port[cop_topo_switch_port(t, hop.sw, c.port)].to;
                }
                assert_int_equal(at, cop_topo_host_port(t, dst));
                seen++;
            }
        }
        assert_true(seen > 100);
        /* The check starts from every host: no two of a switch are alike. */
        assert_false(l.r.facts.hosts_alike);
        cop_cdg_result cdg;
        cop_cdg_check(&l.r, NULL, 0, &cdg);
        assert_true(cdg.acyclic && !cdg.unreachable);
        cop_cdg_free(&cdg);
        tear_down(&l);
    }
}

/* A packet that is asked again at its first switch: `decide: head` forgets what it chose, `arrival` keeps it; at a
 * later switch both keep it. */
static void test_decide(void **state)
{
    (void)state;
    for (int head = 0; head < 2; head++) {
        lab l;
        cop_cand c;
        SET_UP(&l, "ugal", "via", "own-port", "decide", head ? "head" : "arrival");
        assert_int_equal(l.r.facts.at_head, head);
        cop_hop hop = {.in_port = 0, .dst = 7 * 8, .mid = COP_NONE};
        l.r.ops->route(&l.r, &hop, &l.view, &c);
        assert_int_equal(hop.mid, COP_NONE);
        uint32_t minimal = c.port;
        assert_int_not_equal(minimal, 5);
        l.b.load[minimal] = 1 << 20;
        l.r.ops->route(&l.r, &hop, &l.view, &c);
        assert_int_equal(c.port, head ? 5 : minimal);
        assert_int_equal(hop.mid != COP_NONE, head);
        l.b.load[minimal] = 0;
        cop_hop there = hop;
        l.r.ops->route(&l.r, &hop, &l.view, &c);
        assert_int_equal(c.port, minimal);
        there.in_port = 2; /* as if it had come from a switch of the group */
        uint32_t mid = there.mid;
        l.r.ops->route(&l.r, &there, &l.view, &c);
        assert_int_equal(there.mid, mid);
        tear_down(&l);
    }
}

/* Groups are drawn evenly, and none that may not be visited. */
static void test_groups(void **state)
{
    (void)state;
    lab l;
    cop_cand c;
    for (int any = 0; any < 2; any++) {
        SET_UP(&l, "ugal", "via", any ? "any-but-source" : "other");
        uint32_t seen[9] = {0};
        for (uint32_t p = 2; p < 7; p++)
            l.b.load[p] = 1 << 20;
        uint32_t dst = 7 * 8; /* group 7 */
        assert_int_equal(via(&l, 0, dst, &c), COP_NONE); /* all the same: the shorter way */
        uint32_t minimal = c.port;
        for (uint32_t p = 2; p < 7; p++)
            l.b.load[p] = p == minimal ? 1 << 20 : 0;
        for (uint32_t i = 0; i < 7000; i++) {
            uint32_t group = via(&l, 0, dst, &c);
            seen[group == COP_NONE ? 0 : group]++; /* COP_NONE: it would begin by the same port */
        }
        for (uint32_t g = 1; g < 9; g++) {
            bool allowed = any || g != 7;
            assert_true(allowed || seen[g] == 0);
        }
        assert_int_equal(seen[0] + seen[1] + seen[2] + seen[3] + seen[4] + seen[5] + seen[6] +
                             seen[7] + seen[8],
                         7000);
        tear_down(&l);
    }
}

/* -- Piggyback, PAUSE -- */

static void test_piggyback(void **state)
{
    (void)state;
    lab l;
    cop_cand c;
    SET_UP(&l, "piggyback", "via", "own-port", "factor", "1.5", "margin", "1000 B");
    l.b.waiting[5] = 4000;
    l.b.waiting[6] = 0; /* mean 2000, limit 4000 */
    l.r.ops->on_wait(&l.r, 0, &l.view, 5);
    assert_int_equal(l.b.own[0], 0);
    l.b.waiting[5] = 4004; /* limit 4003 */
    l.r.ops->on_wait(&l.r, 0, &l.view, 2);
    assert_int_equal(l.b.own[0], 0); /* not a global link: not looked at */
    l.r.ops->on_wait(&l.r, 0, &l.view, 5);
    assert_int_equal(l.b.own[0], 1);
    assert_int_equal(l.b.tells, 3); /* all of the group */
    assert_true(l.b.told[2] == 1 && l.b.told[3] == 1 && l.b.told[4] == 1);
    l.r.ops->on_send(&l.r, 0, &l.view, 6);
    assert_int_equal(l.b.tells, 3); /* no change, no message */
    /* Port 3 leads to switch 2 of the group; its second global link. */
    l.r.ops->on_message(&l.r, 0, &l.view, 3, 2);
    assert_int_equal(l.b.own[2], 2);
    uint32_t other = 0;
    for (uint32_t dst = 8; dst < l.t.n_hosts; dst += 8) {
        uint32_t group = via(&l, 1, dst, &c);
        uint32_t peer = l.t.port[l.t.port[cop_topo_switch_port(&l.t, 0, 5)].to].owner / 4;
        uint32_t far = l.t.port[l.t.port[cop_topo_switch_port(&l.t, 2, 6)].to].owner / 4;
        bool flagged = dst / 8 == peer || dst / 8 == far;
        assert_int_equal(group != COP_NONE, flagged);
        other += flagged;
    }
    assert_int_equal(other, 2);
    tear_down(&l);
}

static void test_pause(void **state)
{
    (void)state;
    lab l;
    cop_cand c;
    SET_UP(&l, "pause");
    uint32_t dst = 7 * 8;
    assert_int_equal(via(&l, 0, dst, &c), COP_NONE);
    l.b.shut[c.port] = true;
    assert_int_not_equal(via(&l, 0, dst, &c), COP_NONE);
    tear_down(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ugal),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_own_port_among_parallel_links),
        cmocka_unit_test(test_decide),
        cmocka_unit_test(test_piggyback),
        cmocka_unit_test(test_pause),
    };
    return cmocka_run_group_tests_name("dragonfly_choice", tests, NULL, NULL);
}
