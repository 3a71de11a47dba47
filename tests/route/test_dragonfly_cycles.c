/* No cycle of channels in any dragonfly up to h = 4, with any routing for dragonflies and any of its options
 * that lanes depend on: the whole graph of dependencies, all destinations, no sample; with and without
 * notifications. Every number of groups, and of switches in a group up to 2h + 1: all of them at h = 1 and 2,
 * at h = 3 and 4 if COPPICE_ROUNDS is above 1 (make check), else those with the most groups and a few more.
 * Switches have one host: others add links that end at a host, on which nothing waits. But the detour
 * `own-port` is that of the host's number: it is checked with as many hosts as global links. With one lane for
 * all hops the check must find a cycle. */
#include "route_fixture.h"

#include "base/opt.h"
#include "scenario.h"
#include "topo/topo_cfg.h"

typedef struct variant {
    const char *routing, *set[3][2];
    uint32_t local, global; /* lanes */
} variant;

static const char *const vias[] = {"other", "any-but-source", "own-port"};

enum { VALIANT = 8, CHOICE = 6, BEFORE = 1 + VALIANT };

static uint32_t n_variants(void)
{
    uint32_t n = 0;
    while (nth_choosing(n))
        n++;
    return BEFORE + n * CHOICE;
}

static variant nth(uint32_t i)
{
    static const char *const yes[] = {"no", "yes"};
    if (i == 0)
        return (variant){"dragonfly-min", {{0}}, 2, 1};
    if (--i < VALIANT)
        return (variant){"dragonfly-valiant",
                         {{"to", i & 1 ? "group" : "switch"},
                          {"intra", i & 2 ? "valiant" : "minimal"},
                          {"via", vias[i >> 2]}},
                         i & 1 ? 3 : 4,
                         2};
    i -= VALIANT;
    return (variant){nth_choosing(i / CHOICE)->name,
                     {{"via", vias[i % 3]}, {"progressive", yes[i % CHOICE / 3]}},
                     i % CHOICE < 3 ? 3 : 4,
                     2};
}

static void start_variant(cop_route *r, const variant *v, const cop_topo *t, cop_arena *arena)
{
    const cop_route_ops *ops = cop_route_find(v->routing);
    void *cfg = ops->cfg_size ? cop_arena_alloc(arena, ops->cfg_size) : NULL;
    if (cfg)
        cop_opt_defaults(ops->opts, cfg, arena);
    for (size_t k = 0; k < COP_LEN(v->set) && v->set[k][0]; k++) {
        cop_err err = {0};
        cop_where at = {0};
        const cop_opt *o = cop_opt_find(ops->opts, v->set[k][0]);
        assert_int_equal(cop_opt_parse(o, cfg, v->set[k][1], arena, &at, &err), 0);
    }
    const cop_opt *o = cop_opt_find(ops->opts, "compare"); /* a mean of one port is refused */
    if (o != NULL) {
        cop_err err = {0};
        cop_where at = {0};
        assert_int_equal(cop_opt_parse(o, cfg, "no", arena, &at, &err), 0);
    }
    start(r, v->routing, t, cfg, 0);
}

static void check_one(const cop_topo *t, const variant *v)
{
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    cop_arena arena = {0};
    cop_route r;
    cop_cdg_result c;
    start_variant(&r, v, t, &arena);
    assert_int_equal(r.facts.vls, v->local);
    cop_cdg_check(&r, NULL, 0, &c);
    if (!c.acyclic || c.unreachable || c.sampled)
        fail_msg("%s, %s %s, %s %s: on p %u, a %u, h %u, %u groups: %s", v->routing,
                 v->set[0][0] ? v->set[0][0] : "", v->set[0][0] ? v->set[0][1] : "",
                 v->set[1][0] ? v->set[1][0] : "", v->set[1][0] ? v->set[1][1] : "", d->p, d->a,
                 d->h, d->groups,
                 c.unreachable ? "no way"
                 : c.sampled   ? "not all of it is checked"
                               : "a cycle");
    assert_true(c.lanes[COP_LINK_TRUNK] <= v->local && c.lanes[COP_LINK_GLOBAL] <= v->global);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_arena_free(&arena);
}

enum how {
    EVERY, /* variant */
    ALIKE, /* of the four that choose, which walk alike, the first alone */
    OWN, /* the detour by the source's own port, for one that chooses, progressive and not */
    LONGEST /* those with the most ways: Valiant over any switch, inside a group, too; choice at the second switch */
};

static bool wanted(enum how how, uint32_t i)
{
    const uint32_t ways = 1 + 2 + 4, chosen = 1 + VALIANT + 4, own = 1 + VALIANT + 2;
    if (how == OWN)
        return i == own || i == own + 3;
    return how == EVERY || (how == ALIKE && i < 1 + VALIANT + CHOICE) || i == ways || i == chosen;
}

static void check_network(int64_t p, int64_t a, int64_t h, int64_t groups, enum how how)
{
    cop_topo t;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){p, a, h, groups});
    for (uint32_t i = 0; i < n_variants(); i++)
        if (wanted(how, i)) {
            variant v = nth(i);
            check_one(&t, &v);
        }
    cop_topo_free(&t);
}

/* Up to a = 2h + 1: with more switches in a group nothing new can happen, as a way has at most two in each. */
static void check_all(int64_t h, int64_t p, int64_t groups_step, enum how how)
{
    for (int64_t a = 1; a <= 2 * h + 1; a++)
        for (int64_t groups = a * h + 1; groups >= 1; groups -= groups_step)
            check_network(p, a, h, groups, how);
}

static void test_small(void **state)
{
    (void)state;
    for (int64_t h = 1; h <= 2; h++) {
        check_all(h, 1, 1, ALIKE);
        check_all(h, h, 1, OWN);
    }
    check_network(2, 4, 2, 0, EVERY);
}

static void test_h3(void **state)
{
    (void)state;
    int64_t step = scn_rounds() > 1 ? 1 : 9;
    check_all(3, 1, step, ALIKE);
    check_all(3, 3, step, OWN);
    check_network(3, 6, 3, 0, scn_rounds() > 1 ? EVERY : LONGEST);
}

static void test_h4(void **state)
{
    (void)state;
    int64_t step = scn_rounds() > 1 ? 1 : 99;
    check_all(4, 1, step, ALIKE);
    check_all(4, 4, step, OWN);
    check_network(4, 8, 4, 0, scn_rounds() > 1 ? EVERY : LONGEST);
}

/* -- those that choose walk alike -- */

enum { MOST_CHOOSING = 8, QUESTIONS = 4000 };

/* A question of the dependency check at a random switch, of a packet in a random state. */
static cop_hop draw_hop(const cop_topo *t, const cop_route *r, cop_rng *rng)
{
    cop_hop hop = {.mid = COP_NONE};
    uint32_t mid;
    hop.sw = cop_rng_below(rng, t->n_switches);
    hop.in_port = (uint16_t)cop_rng_below(rng, cop_topo_ports_of(t, hop.sw));
    hop.src = cop_rng_below(rng, t->n_hosts);
    hop.dst = cop_rng_below(rng, t->n_hosts);
    hop.state = (uint8_t)cop_rng_below(rng, 16);
    hop.control = cop_rng_below(rng, 4) == 0;
    hop.apart = hop.control && cop_rng_below(rng, 2);
    for (uint32_t way = 0; r->ops->mid(r, hop.src, hop.dst, way, &mid); way++)
        if (cop_rng_below(rng, way + 1) == 0) /* one of those that it lists */
            hop.mid = mid;
    return hop;
}

static void compare_alike(const cop_topo *t, cop_route *const *r, uint32_t n, cop_rng *rng)
{
    for (uint32_t k = 0; k < QUESTIONS; k++) {
        const cop_hop asked = draw_hop(t, r[0], rng);
        uint32_t mid[2] = {COP_NONE, COP_NONE};
        uint32_t way = cop_rng_below(rng, 2 * t->n_switches);
        cop_hop first = asked;
        cop_cand cand[2][COP_MAX_CAND];
        bool listed = r[0]->ops->mid(r[0], asked.src, asked.dst, way, &mid[0]);
        unsigned ways = r[0]->ops->route(r[0], &first, NULL, cand[0]);
        for (uint32_t i = 1; i < n; i++) {
            cop_hop hop = asked;
            assert_int_equal(r[i]->ops->mid(r[i], asked.src, asked.dst, way, &mid[1]), listed);
            assert_true(!listed || mid[1] == mid[0]);
            assert_int_equal(r[i]->ops->route(r[i], &hop, NULL, cand[1]), ways);
            assert_int_equal(cand[1][0].port, cand[0][0].port);
            assert_int_equal(cand[1][0].vl, cand[0][0].vl);
            assert_true(hop.mid == first.mid && hop.state == first.state);
        }
    }
}

/* What one of them may do is what all may do, so that the check of the first stands for all. */
static void test_alike(void **state)
{
    (void)state;
    uint32_t n = (n_variants() - BEFORE) / CHOICE;
    assert_in_range(n, 4, MOST_CHOOSING);
    for (int64_t h = 1; h <= 4; h++)
        for (uint32_t c = 0; c < 2 * CHOICE; c++) {
            cop_topo t;
            cop_arena arena = {0};
            cop_route route[MOST_CHOOSING], *r[MOST_CHOOSING];
            cop_rng rng = cop_rng_make((uint64_t)h, COP_RNG_ROUTE, c);
            bool few = c >= CHOICE; /* groups, with several links between two of them */
            build(&t, "dragonfly", &(cop_dragonfly_cfg){h, 2 * h, h, few ? h + 1 : 0});
            for (uint32_t i = 0; i < n; i++) {
                variant v = nth(BEFORE + i * CHOICE + c % CHOICE);
                r[i] = &route[i];
                start_variant(r[i], &v, &t, &arena);
                assert_int_equal(r[i]->facts.vls, v.local);
                assert_ptr_equal(r[i]->ops->mid, r[0]->ops->mid);
            }
            compare_alike(&t, r, n, &rng);
            for (uint32_t i = 0; i < n; i++)
                cop_route_fini(r[i]);
            cop_arena_free(&arena);
            cop_topo_free(&t);
        }
}

/* -- turns -- */

/* Following ways to one group finds what following all of them finds; what it reports as a cycle is one. */
static void compare_turns(const cop_topo *t, const variant *v, const cop_cdg_control *control)
{
    cop_arena arena = {0};
    cop_route r;
    cop_cdg_result part, all;
    start_variant(&r, v, t, &arena);
    if (control)
        r.lanes = (uint32_t)control->vl +
                  (r.facts.vls > r.facts.control_vls ? r.facts.vls : r.facts.control_vls);
    assert_int_equal(r.facts.turn, t->shape.u.dragonfly.a);
    cop_cdg_check(&r, control, 0, &part);
    r.facts.turn = 0;
    cop_cdg_check(&r, control, 0, &all);
    assert_int_equal(part.acyclic, all.acyclic);
    assert_int_equal(part.of_control, all.of_control);
    assert_int_equal(part.channels, all.channels);
    assert_int_equal(part.dependencies, all.dependencies);
    assert_memory_equal(part.lanes, all.lanes, sizeof(all.lanes));
    for (uint32_t i = 0; i < part.cycle_len; i++) {
        uint32_t next = part.cycle[(i + 1) % part.cycle_len];
        assert_int_equal(t->port[t->port[part.cycle[i]].to].owner, t->port[next].owner);
        assert_false(cop_topo_is_host_port(t, next));
    }
    cop_cdg_free(&part);
    cop_cdg_free(&all);
    cop_route_fini(&r);
    cop_arena_free(&arena);
}

static void test_turns(void **state)
{
    (void)state;
    const cop_dragonfly_cfg sizes[] = {{2, 4, 2, 0}, {1, 3, 1, 0}, {3, 2, 1, 0}, {2, 1, 2, 0}};
    for (size_t k = 0; k < COP_LEN(sizes); k++) {
        cop_topo t;
        build(&t, "dragonfly", &sizes[k]);
        for (uint32_t i = 0; i < n_variants(); i++) {
            variant v = nth(i);
            const cop_cdg_control late = {.hosts = true, .switches = true, .vl = 1};
            compare_turns(&t, &v, NULL);
            compare_turns(&t, &v, &late); /* some of these have cycles */
        }
        cop_topo_free(&t);
    }
    /* A cable that is not like the others. */
    cop_topo t;
    cop_route r;
    cop_arena arena = {0};
    cop_cdg_result c;
    variant v = nth(0);
    build(&t, "dragonfly", &sizes[0]);
    uint32_t a = 5, b = t.port[5].to, far = cop_topo_switch_port(&t, 1, 5), to = t.port[far].to;
    t.port[a].to = to, t.port[a].from = to, t.port[to].to = a, t.port[to].from = a;
    t.port[far].to = b, t.port[far].from = b, t.port[b].to = far, t.port[b].from = far;
    start_variant(&r, &v, &t, &arena);
    cop_cdg_check(&r, NULL, 0, &c);
    uint64_t dependencies = c.dependencies;
    cop_cdg_free(&c);
    r.facts.turn = 0;
    cop_cdg_check(&r, NULL, 0, &c);
    assert_int_equal(c.dependencies, dependencies);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_arena_free(&arena);
    cop_topo_free(&t);
}

/* -- control packets -- */

/* Is there a cycle with control packets that begin on lane vl, which data alone does not have? */
static bool cycle_with(const cop_topo *t, const variant *v, cop_cdg_control control)
{
    int vl = control.vl;
    cop_arena arena = {0};
    cop_route r;
    cop_cdg_result c;
    start_variant(&r, v, t, &arena);
    r.lanes = (vl > 0 ? (uint32_t)vl : 0) +
              (r.facts.vls > r.facts.control_vls ? r.facts.vls : r.facts.control_vls);
    cop_cdg_check(&r, &control, 0, &c);
    assert_false(c.unreachable || c.sampled);
    assert_int_equal(c.acyclic, !c.of_control);
    bool found = c.of_control;
    cop_cdg_free(&c);
    cop_route_fini(&r);
    cop_arena_free(&arena);
    return found;
}

static bool control_cycle(const cop_topo *t, const variant *v, int vl)
{
    return cycle_with(t, v, (cop_cdg_control){.hosts = true, .switches = true, .vl = vl});
}

/* As data, or on lanes that data do not have, they add none; in between they may, whether hosts or
 * switches make them. */
static void check_control(const cop_dragonfly_cfg *size, enum how how)
{
    cop_topo t;
    build(&t, "dragonfly", size);
    for (uint32_t i = 0; i < n_variants(); i++) {
        variant v = nth(i);
        if (!wanted(how, i))
            continue;
        assert_false(control_cycle(&t, &v, -1));
        assert_false(control_cycle(&t, &v, 0));
        assert_false(control_cycle(&t, &v, (int)v.local));
        if (i > VALIANT && v.local == 3) /* the four classes of Benito et al. */
            assert_false(control_cycle(&t, &v, 2));
    }
    cop_topo_free(&t);
}

static void test_control(void **state)
{
    (void)state;
    const cop_dragonfly_cfg sizes[] = {{2, 4, 2, 0}, {2, 4, 2, 5}, {1, 3, 2, 4}};
    for (size_t k = 0; k < COP_LEN(sizes); k++)
        check_control(&sizes[k], EVERY);
    for (int64_t h = 1; h <= (scn_rounds() > 1 ? 4 : 2); h++)
        for (int64_t a = 1; a <= 2 * h + 1; a++)
            for (int64_t groups = a * h + 1; groups >= 1; groups--) {
                check_control(&(cop_dragonfly_cfg){1, a, h, groups}, ALIKE);
                check_control(&(cop_dragonfly_cfg){h, a, h, groups}, OWN);
            }
    cop_topo t;
    build(&t, "dragonfly", &sizes[0]);
    const variant late = {"ugal", {{"via", "other"}, {"progressive", "yes"}}, 4, 2},
                  valiant = {"dragonfly-valiant", {{"to", "switch"}}, 4, 2},
                  paper = {"qcn-switch", {{"via", "own-port"}}, 3, 2};
    assert_true(control_cycle(&t, &late,
                              1)); /* local 2 -> global 1 of data, global 1 -> local 2 of theirs */
    assert_true(control_cycle(&t, &valiant, 1));
    assert_true(cycle_with(&t, &late, (cop_cdg_control){.hosts = true, .vl = 1}));
    assert_true(cycle_with(&t, &late, (cop_cdg_control){.switches = true, .vl = 1}));
    assert_false(cycle_with(&t, &late, (cop_cdg_control){.vl = 1})); /* there are none */
    assert_false(control_cycle(&t, &paper, 2)); /* the four classes of Benito et al. */
    cop_topo_free(&t);
}

/* -- the check can fail -- */

static const cop_route_ops *real;

static unsigned one_lane(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                         cop_cand *cand)
{
    unsigned n = real->route(r, hop, view, cand);
    for (unsigned i = 0; i < n; i++)
        cand[i].vl = 0;
    return n;
}

static void test_one_lane_is_too_few(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "dragonfly", &(cop_dragonfly_cfg){1, 4, 2, 0});
    for (uint32_t i = 0; i < n_variants(); i++) {
        variant v = nth(i);
        cop_arena arena = {0};
        cop_route r;
        cop_cdg_result c;
        start_variant(&r, &v, &t, &arena);
        real = r.ops;
        cop_route_ops wrong = *real;
        wrong.route = one_lane;
        r.ops = &wrong;
        cop_cdg_check(&r, NULL, 0, &c);
        assert_false(c.acyclic);
        cop_cdg_free(&c);
        r.ops = real;
        cop_route_fini(&r);
        cop_arena_free(&arena);
    }
    cop_topo_free(&t);
}

/* Whatever needs a dragonfly is among the variants. */
static void test_none_is_missing(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "mesh", &(cop_cube_cfg){INTS(2, 2), 1});
    for (size_t i = 0; cop_routings[i] != NULL; i++) {
        const char *name = cop_routings[i]->name;
        cop_route r;
        cop_err err = {0};
        bool here = false;
        for (uint32_t k = 0; k < n_variants(); k++)
            here |= strcmp(nth(k).routing, name) == 0;
        if (cop_route_init(&r, cop_routings[i], &t, NULL, 0, &err) == 0)
            cop_route_fini(&r);
        if (here != (strstr(err.text, "needs a dragonfly") != NULL))
            fail_msg("%s: add it to the variants here", name);
    }
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_is_missing),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_h3),
        cmocka_unit_test(test_h4),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_one_lane_is_too_few),
    };
    return cmocka_run_group_tests_name("dragonfly_cycles", tests, NULL, NULL);
}
