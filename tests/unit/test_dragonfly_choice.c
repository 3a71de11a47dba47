/* Minimal or not on dragonflies: the rules by hand, and no cycle of channels on any dragonfly up to h = 4. */
#include "route_fixture.h"

#include "base/opt.h"
#include "topo/topo_cfg.h"

#include <math.h>

#define PORTS 64

typedef struct bench { /* the switch that decides */
    uint64_t load[PORTS], waiting[PORTS];
    bool shut[PORTS];
    char state[PORTS][64];
    uint64_t own[64];
    uint64_t told[PORTS];
    uint32_t tells;
} bench;

static uint64_t load_of(void *ctx, uint32_t port, uint32_t vl)
{
    (void)vl;
    return ((bench *)ctx)->load[port];
}

static uint64_t waits(void *ctx, uint32_t port)
{
    return ((bench *)ctx)->waiting[port];
}

static bool is_open(void *ctx, uint32_t port, uint32_t vl)
{
    (void)vl;
    return !((bench *)ctx)->shut[port];
}

static void *port_of(void *ctx, uint32_t port)
{
    return ((bench *)ctx)->state[port];
}

static void *own_of(void *ctx)
{
    return ((bench *)ctx)->own;
}

static void tell(void *ctx, uint32_t port, uint64_t body)
{
    bench *b = ctx;
    b->told[port] = body;
    b->tells++;
}

static const cop_route_can can = {.lane_load = load_of,
                                  .open = is_open,
                                  .waiting = waits,
                                  .port = port_of,
                                  .own = own_of,
                                  .tell = tell};

typedef struct lab {
    cop_topo t;
    cop_route r;
    bench b;
    cop_rng rng;
    cop_route_view view;
    cop_arena arena;
} lab;

/* p = 2, a = 4, h = 2: ports 0, 1 hosts, 2 to 4 switches of the group, 5 and 6 other groups. */
static void set_up_groups(lab *l, int64_t groups, const char *name, const char *const *set,
                          size_t n)
{
    *l = (lab){.rng = cop_rng_make(3, COP_RNG_TEST, 1)};
    build(&l->t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, groups});
    const cop_route_ops *ops = cop_route_find(name);
    void *cfg = cop_arena_alloc(&l->arena, ops->cfg_size);
    cop_opt_defaults(ops->opts, cfg, &l->arena);
    cop_err err = {0};
    cop_where at = {0};
    for (size_t i = 0; i + 1 < 2 * n; i += 2)
        assert_int_equal(
            cop_opt_parse(cop_opt_find(ops->opts, set[i]), cfg, set[i + 1], &l->arena, &at, &err),
            0);
    start(&l->r, name, &l->t, cfg, 0);
    l->view = (cop_route_view){&l->b, load_of, &l->rng, &can};
    if (ops->prepare)
        ops->prepare(&l->r, 0, &l->view);
}

static void set_up(lab *l, const char *name, const char *const *set, size_t n)
{
    set_up_groups(l, 0, name, set, n);
}

#define SET_UP(l, name, ...)                                                                       \
    set_up(l, name, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL},                        \
           (sizeof((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}) / sizeof(char *)) / 2)

static void tear_down(lab *l)
{
    cop_route_fini(&l->r);
    cop_topo_free(&l->t);
    cop_arena_free(&l->arena);
}

/* A packet of host 0 or 1 at switch 0: the group that it visits, COP_NONE: minimal. */
static uint32_t via(lab *l, uint32_t in_port, uint32_t dst, cop_cand *cand)
{
    cop_hop hop = {.in_port = (uint16_t)in_port, .src = in_port, .dst = dst, .mid = COP_NONE};
    assert_int_equal(l->r.ops->route(&l->r, &hop, &l->view, cand), 1);
    uint32_t first = hop.mid;
    cop_cand again;
    l->r.ops->route(&l->r, &hop, &l->view, &again); /* blocked and asked again: it has decided */
    assert_int_equal(hop.mid, first);
    assert_memory_equal(cand, &again, sizeof(again));
    return first;
}

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
        assert_false(l.r.hosts_alike);
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
        assert_int_equal(l.r.at_head, head);
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
    assert_int_equal(l.b.own[0], 0); /* not a global link: nobody looks */
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

/* -- QCN-Switch -- */

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
        SET_UP(&l, "qcn-switch", "compare", "no", "packets", "10", "counts", "entry", "decide",
               head ? "head" : "arrival");
        uint32_t dst = 7 * 8, stayed = 0;
        assert_int_equal(via(&l, 0, dst, &c), COP_NONE);
        uint32_t port = c.port;
        notice(&l, 0, port, 32, false); /* 50 % */
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

/* -- lanes -- */

static void check_cycles(const cop_dragonfly_cfg *size, uint64_t budget)
{
    static const char *const names[] = {"ugal", "piggyback", "pause", "qcn-switch"};
    cop_topo t;
    build(&t, "dragonfly", size);
    for (size_t i = 0; i < COP_LEN(names); i++)
        for (int k = 0; k < 6; k++) {
            const cop_route_ops *ops = cop_route_find(names[i]);
            cop_arena arena = {0};
            void *cfg = cop_arena_alloc(&arena, ops->cfg_size);
            cop_opt_defaults(ops->opts, cfg, &arena);
            cop_err err = {0};
            cop_where at = {0};
            static const char *const vias[] = {"other", "any-but-source", "own-port"};
            cop_opt_parse(cop_opt_find(ops->opts, "via"), cfg, vias[k % 3], &arena, &at, &err);
            cop_opt_parse(cop_opt_find(ops->opts, "progressive"), cfg, k < 3 ? "no" : "yes", &arena,
                          &at, &err);
            cop_route r;
            cop_cdg_result cdg;
            start(&r, names[i], &t, cfg, 0);
            assert_int_equal(r.vls, k < 3 ? 3 : 4);
            assert_int_equal(r.control_vls, 2);
            cop_cdg_check(&r, NULL, budget, &cdg);
            if (!cdg.acyclic || cdg.unreachable)
                fail_msg("%s on dragonfly %u %u %u: a cycle, or no way", names[i],
                         (unsigned)size->p, (unsigned)size->a, (unsigned)size->h);
            cop_cdg_free(&cdg);
            cop_route_fini(&r);
            cop_arena_free(&arena);
        }
    cop_topo_free(&t);
}

static void test_no_cycle(void **state)
{
    (void)state;
    const cop_dragonfly_cfg small[] = {{1, 2, 1, 0}, {2, 4, 2, 0}, {2, 4, 2, 5},
                                       {1, 4, 2, 2}, {3, 4, 1, 1}, {1, 3, 2, 4}};
    for (size_t i = 0; i < COP_LEN(small); i++)
        check_cycles(&small[i], 0);
    check_cycles(&(cop_dragonfly_cfg){3, 6, 3, 0}, 200000);
    check_cycles(&(cop_dragonfly_cfg){4, 8, 4, 0}, 200000);
}

/* Follow a packet from switch `sw` and check that (lane, global after local) rises with every hop between switches, which
 * leaves no cycle among all packets that obey it; control packets' lanes begin at `base`. */
static uint32_t climb(const cop_route *r, uint32_t sw, uint16_t in, uint32_t dst, uint32_t mid,
                      bool control, uint32_t base)
{
    const cop_topo *t = r->topo;
    cop_hop hop = {
        .in_port = in, .dst = dst, .mid = mid, .control = control, .apart = control && base > 0};
    uint32_t rank = 0, lanes = 0;
    for (uint32_t hops = 0;; hops++) {
        cop_cand c;
        assert_true(hops < 8);
        hop.sw = sw;
        assert_int_equal(r->ops->route(r, &hop, NULL, &c), 1);
        uint32_t port = cop_topo_switch_port(t, sw, c.port), to = t->port[port].to;
        if (cop_topo_is_host_port(t, to))
            return lanes;
        uint32_t vl = c.vl + base,
                 next = 1 + 2 * vl + (t->port[port].link_class == COP_LINK_GLOBAL);
        assert_true(next > rank);
        rank = next;
        lanes = vl + 1 > lanes ? vl + 1 : lanes;
        sw = t->port[to].owner;
        hop.in_port = t->port[to].local;
        hop.in_vl = c.vl;
    }
}

/* Table I of Benito et al.: four classes in all. Notifications begin on the third one, on which data make their last hop
 * only: together they have no cycle. */
static void test_four_classes(void **state)
{
    (void)state;
    const cop_dragonfly_cfg sizes[] = {{2, 4, 2, 0}, {3, 6, 3, 0}, {2, 4, 2, 5}};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        cop_topo t;
        cop_route r;
        uint32_t data = 0, told = 0, mid;
        build(&t, "dragonfly", &sizes[i]);
        start(&r, "qcn-switch", &t, NULL, 0);
        uint32_t p = t.shape.u.dragonfly.p;
        for (uint32_t dst = 0; dst < t.n_hosts; dst++) {
            for (uint32_t src = 0; src < t.n_hosts; src += 5)
                for (uint32_t k = 0; r.ops->mid(&r, src, dst, k, &mid); k++) {
                    uint32_t n = climb(&r, src / p, (uint16_t)(src % p), dst, mid, false, 0);
                    data = n > data ? n : data;
                }
            for (uint32_t sw = 0; sw < t.n_switches; sw++) {
                uint32_t n = climb(&r, sw, COP_PORT_NONE, dst, COP_NONE, true, 2);
                told = n > told ? n : told;
            }
        }
        assert_int_equal(data, 3);
        assert_int_equal(told, 4);
        cop_route_fini(&r);
        cop_topo_free(&t);
    }
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
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_counts_entry),
        cmocka_unit_test(test_comparison),
        cmocka_unit_test(test_source_processing),
        cmocka_unit_test(test_lowers),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_no_cycle),
        cmocka_unit_test(test_four_classes),
    };
    return cmocka_run_group_tests_name("dragonfly_choice", tests, NULL, NULL);
}
