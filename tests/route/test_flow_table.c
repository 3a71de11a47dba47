/* Forwarding tables with priorities and conditions (Benito et al., 3.1.1): figure 3 by hand, and decisions of `pause` and of
 * minimal routing are those that their table gives. */
#include "route_fixture.h"

#include "base/opt.h"
#include "route/flow_table.h"
#include "topo/topo_cfg.h"

#define PORTS 64

static uint64_t no_load(void *ctx, uint32_t port, uint32_t vl)
{
    (void)ctx, (void)port, (void)vl;
    return 0;
}

static bool is_open(void *ctx, uint32_t port, uint32_t vl)
{
    (void)vl;
    return !((const bool *)ctx)[port];
}

static const cop_route_can can = {.lane_load = no_load, .open = is_open};

/* -- the rule of picking -- */

typedef struct query { /* figure 3: the draw and the probabilities */
    uint32_t n, p[PORTS];
    uint32_t asked;
} query;

static bool holds(void *ctx, const cop_flow_entry *e)
{
    query *q = ctx;
    q->asked++;
    return q->n <= q->p[e->out];
}

static uint32_t draw_last(void *ctx, uint32_t n)
{
    (void)ctx;
    return n - 1;
}

static void build_route(cop_topo *t, cop_route *r, cop_arena *arena, const cop_dragonfly_cfg *shape,
                        const char *name, const char *via)
{
    build(t, "dragonfly", shape);
    const cop_route_ops *ops = cop_route_find(name);
    void *cfg = cop_arena_alloc(arena, ops->cfg_size);
    cop_opt_defaults(ops->opts, cfg, arena);
    cop_err err = {0};
    cop_where at = {0};
    if (via)
        assert_int_equal(cop_opt_parse(cop_opt_find(ops->opts, "via"), cfg, via, arena, &at, &err),
                         0);
    start(r, name, t, cfg, 0);
}

/* Figure 3: switch 0 of group 0, p = 2, a = 4, h = 2, N = 77. Its ports 3 to 5 and 6, 7 are 2 to 4 and 5, 6 here: two
 * of them, one to a switch and one to a group, are below N, so that the entries over them give way to the
 * non-minimal one of the input port. */
static void test_figure_3(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    cop_arena arena = {0};
    build_route(&t, &r, &arena, &(cop_dragonfly_cfg){2, 4, 2, 0}, "qcn-switch", NULL);
    cop_flow_table table;
    assert_true(cop_flow_table_of(&r, 0, &table));
    query q = {.n = 77, .p = {[2] = 100, [3] = 90, [4] = 10, [5] = 80, [6] = 60}};
    uint32_t skipped = 0, used = 0;
    for (uint16_t in = 0; in < 7; in++)
        for (uint32_t dst = 0; dst < t.n_hosts; dst++) {
            q.asked = 0;
            const cop_flow_entry *e = cop_flow_pick(&table, in, dst, holds, NULL, &q);
            cop_hop hop = {.in_port = COP_PORT_NONE, .dst = dst, .mid = COP_NONE, .control = true};
            cop_cand minimal;
            r.ops->route(&r, &hop, NULL, &minimal);
            bool chooses = in < 2 && dst >= 8, congested = q.p[minimal.port] < 77;
            assert_non_null(e);
            if (chooses && congested) {
                assert_int_equal(e->priority, COP_FLOW_LOW);
                assert_int_equal(e->out, 5 + in); /* by the input port */
                assert_false(e->conditional);
                skipped++;
            } else { /* transit packets and those inside the group: whatever the condition */
                assert_int_equal(e->priority, COP_FLOW_HIGH);
                assert_int_equal(e->out, minimal.port);
                used++;
            }
            assert_int_equal(q.asked, dst >= 8);
        }
    assert_int_equal(skipped, 2 * 3 * 8); /* port 4 leads to two groups, port 6 to one */
    assert_true(used > 0);
    cop_flow_free(&table);
    cop_route_fini(&r);
    cop_topo_free(&t);
    cop_arena_free(&arena);
}

/* -- tables and decisions -- */

static bool never(void *ctx, const cop_flow_entry *e)
{
    (void)ctx, (void)e;
    return false;
}

static bool always(void *ctx, const cop_flow_entry *e)
{
    (void)ctx, (void)e;
    return true;
}

/* Which equal entries there are, for the packets that draw. */
typedef struct crowd {
    uint32_t n;
} crowd;

static uint32_t count_equals(void *ctx, uint32_t n)
{
    ((crowd *)ctx)->n = n;
    return 0;
}

/* `pause` chooses without chance but for the group: its condition is whether an output is open. */
static void compare(const cop_dragonfly_cfg *shape, const char *via, bool drawn)
{
    cop_topo t;
    cop_route r;
    cop_arena arena = {0};
    build_route(&t, &r, &arena, shape, "pause", via);
    uint32_t p = t.shape.u.dragonfly.p, a = t.shape.u.dragonfly.a, other = 0;
    for (uint32_t sw = 0; sw < t.n_switches; sw++) {
        cop_flow_table table;
        assert_true(cop_flow_table_of(&r, sw, &table));
        uint32_t ports = cop_topo_ports_of(&t, sw);
        for (uint16_t in = 0; in < ports; in++)
            for (uint32_t dst = 0; dst < t.n_hosts; dst++)
                for (int shut = 0; shut < 2; shut++) {
                    bool paused[PORTS];
                    memset(paused, shut, sizeof(paused));
                    cop_rng rng = cop_rng_make(5, COP_RNG_TEST, dst);
                    cop_route_view view = {paused, no_load, &rng, &can};
                    cop_hop hop = {.sw = sw, .in_port = in, .dst = dst, .mid = COP_NONE};
                    cop_cand cand;
                    crowd c = {0};
                    assert_int_equal(r.ops->route(&r, &hop, &view, &cand), 1);
                    const cop_flow_entry *e =
                        cop_flow_pick(&table, in, dst, shut ? never : always, count_equals, &c);
                    assert_non_null(e);
                    bool may = in < p && dst / p / a != sw / a && shut;
                    if (may && drawn) {
                        assert_int_equal(e->priority, COP_FLOW_LOW);
                        /* the drawn group is one of the entries, and nothing else is */
                        bool found = false;
                        for (size_t i = 0; i < table.n; i++) {
                            const cop_flow_entry *x = &table.entry[i];
                            found |= x->priority == COP_FLOW_LOW && x->visit == hop.mid &&
                                     x->out == cand.port && in >= x->in_first && in <= x->in_last &&
                                     dst >= x->dst_first && dst <= x->dst_last;
                        }
                        assert_true(found);
                    } else {
                        assert_int_equal(e->out, cand.port);
                        assert_int_equal(e->visit, hop.mid);
                        assert_int_equal(c.n, 0);
                    }
                    other += hop.mid != COP_NONE;
                }
        cop_flow_free(&table);
    }
    assert_true(other > 0);
    cop_route_fini(&r);
    cop_topo_free(&t);
    cop_arena_free(&arena);
}

static void test_decisions_are_those_of_the_table(void **state)
{
    (void)state;
    compare(&(cop_dragonfly_cfg){2, 4, 2, 0}, "own-port", false);
    compare(&(cop_dragonfly_cfg){2, 4, 2, 0}, "other", true);
    compare(&(cop_dragonfly_cfg){2, 4, 2, 0}, "any-but-source", true);
    compare(&(cop_dragonfly_cfg){2, 4, 2, 3}, "own-port", false); /* parallel links */
    compare(&(cop_dragonfly_cfg){2, 4, 2, 3}, "other", true);
    compare(&(cop_dragonfly_cfg){2, 4, 3, 4}, "any-but-source", true);
    compare(&(cop_dragonfly_cfg){3, 3, 2, 0}, "own-port", false); /* more hosts than global links */
}

/* Minimal routing has one entry for each destination and no condition; equal neighbours are one entry. */
static void test_minimal(void **state)
{
    (void)state;
    cop_topo t;
    cop_route r;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){6, 12, 6, 0});
    start(&r, "dragonfly-min", &t, NULL, 0);
    cop_flow_table table;
    assert_true(cop_flow_table_of(&r, 5, &table));
    uint32_t covered = 0;
    for (size_t i = 0; i < table.n; i++) {
        const cop_flow_entry *e = &table.entry[i];
        assert_false(e->conditional);
        assert_int_equal(e->priority, COP_FLOW_HIGH);
        assert_int_equal(e->dst_first, covered);
        covered = e->dst_last + 1;
        for (uint32_t dst = e->dst_first; dst <= e->dst_last; dst++) {
            cop_hop hop = {.sw = 5, .in_port = 0, .dst = dst, .mid = COP_NONE};
            cop_cand cand;
            r.ops->route(&r, &hop, NULL, &cand);
            assert_int_equal(cand.port, e->out);
        }
    }
    assert_int_equal(covered, t.n_hosts);
    /* 6 hosts, 11 switches of the group, 6 groups of its own links; the six groups behind each other switch are
     * neighbours (palm tree) and one entry, but that of switch 11's first may go on behind group 0. */
    assert_true(table.n >= 6 + 11 + 6 + 11 - 1 && table.n <= 6 + 11 + 6 + 11 + 1);
    cop_flow_free(&table);
    cop_route_fini(&r);
    cop_topo_free(&t);
}

/* Of entries with equal priority one is drawn; a condition without an alternative is ignored; nothing matches: NULL. */
static void test_pick(void **state)
{
    (void)state;
    cop_flow_table t = {0};
    query q = {.n = 50};
    cop_flow_add(&t, (cop_flow_entry){.in_last = 3,
                                      .dst_last = 9,
                                      .priority = 2,
                                      .conditional = true,
                                      .out = 1,
                                      .visit = COP_NONE});
    assert_int_equal(cop_flow_pick(&t, 0, 4, holds, NULL, &q)->out, 1);
    cop_flow_add(&t, (cop_flow_entry){.in_last = 1, .dst_last = 9, .priority = 1, .out = 2});
    cop_flow_add(&t, (cop_flow_entry){.in_last = 1, .dst_last = 9, .priority = 1, .out = 3});
    assert_int_equal(t.n, 3);
    assert_int_equal(cop_flow_pick(&t, 0, 4, holds, NULL, &q)->out, 2);
    assert_int_equal(cop_flow_pick(&t, 0, 4, holds, draw_last, &q)->out, 3);
    assert_int_equal(cop_flow_pick(&t, 2, 4, holds, draw_last, &q)->out, 1);
    q.p[1] = 50;
    assert_int_equal(cop_flow_pick(&t, 0, 4, holds, draw_last, &q)->out, 1);
    assert_null(cop_flow_pick(&t, 0, 10, holds, NULL, &q));
    cop_flow_add(&t, (cop_flow_entry){
                         .in_last = 1, .dst_first = 10, .dst_last = 12, .priority = 1, .out = 3});
    assert_int_equal(t.n, 3); /* goes on where the last one ended */
    assert_int_equal(cop_flow_pick(&t, 1, 12, holds, NULL, &q)->out, 3);
    cop_flow_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pick), cmocka_unit_test(test_figure_3),
                                       cmocka_unit_test(test_decisions_are_those_of_the_table),
                                       cmocka_unit_test(test_minimal)};
    return cmocka_run_group_tests_name("flow_table", tests, NULL, NULL);
}
