/* Decisions of `ugal`, `piggyback`, `pause` and `qcn-switch`, each held against two evaluations that share nothing with
 * the code: the rule of docs/MODEL.md, and the printed table of the switch (Benito et al., 3.1.1: of the entries that match
 * those of the highest priority; if their condition fails those of the next lower one; without one the condition
 * is ignored; of equals one is drawn).
 *
 * Role     packets walk through dragonflies whose switches get new loads, pauses, flags and probabilities before each
 *          question. Output, lane and group to visit must be those of both evaluations, at the first switch and at
 *          every later one; asked again with other loads the answer stays, but at the first switch with `decide: head`.
 *          Groups that packets visit are those of which the dependency check is told.
 * Shapes   h from 1 to 3, balanced or not, with as many groups as there can be or fewer: several links between
 *          two groups, global ports without a cable, one group, groups of one switch.
 * Draws    both take the group that is drawn and N from the same random numbers, in this order; a second decision
 *          (`progressive`) from another part of the stream.
 * Ties     loads are small multiples of a few bytes, feedback and steps are powers of two, so that both sides of a
 *          comparison are often equal. Each kind of tie and of boundary must have been met. */
#include "decision_table.h"

#define UNIT 20u /* bytes */

/* -- state of switches -- */

static void stir_loads(world *w, uint32_t sw)
{
    place *s = &w->at[sw];
    for (uint32_t port = 0; port < ports_of(w); port++) {
        uint64_t draw = cop_rng_u64(&w->rng);
        bool cable = has_cable(w, sw, port);
        for (uint32_t vl = 0; vl < LANES; vl++) {
            s->waiting[port][vl] = cable ? UNIT * cop_rng_part(&draw, 4) : 0;
            s->sent[port][vl] = cable ? UNIT * cop_rng_part(&draw, 3) : 0;
            s->shut[port][vl] = cop_rng_part(&draw, 2);
        }
    }
}

/* Something has come or gone at a global link, so the switch looks at its flags. */
static void look_at_links(world *w, uint32_t sw)
{
    spot s = {w, sw};
    cop_route_view view = view_of(&s, NULL);
    uint32_t first = first_global(&w->d), i = cop_rng_below(&w->rng, 2 * w->d.h);
    if (has_cable(w, sw, first + i / 2))
        (i % 2 ? w->r.ops->on_wait : w->r.ops->on_send)(&w->r, sw, &view, first + i / 2);
    else
        for (uint32_t port = first; port < ports_of(w); port++)
            if (has_cable(w, sw, port))
                w->r.ops->on_wait(&w->r, sw, &view, port);
}

/* Notifications come and packets leave, in the routing and in the reference. */
static void stir_probabilities(world *w, uint32_t sw)
{
    spot at = {w, sw};
    cop_route_view view = view_of(&at, NULL);
    place *s = &w->at[sw];
    for (uint32_t i = 0; i < 2 * ports_of(w); i++) {
        uint32_t port = w->d.p + cop_rng_below(&w->rng, ports_of(w) - w->d.p);
        if (!has_cable(w, sw, port))
            continue;
        if (cop_rng_below(&w->rng, 3) == 0) {
            uint32_t f = w->rule->feedback * cop_rng_below(&w->rng, 4),
                     own = cop_rng_below(&w->rng, 2);
            cop_notice n = {.host = sw * w->d.p, .port = port, .word = f, .own = own};
            assert_true(w->r.ops->on_notice(&w->r, sw, &view, &n));
            note(w, s, sw, port, f);
        } else {
            w->r.ops->on_send(&w->r, sw, &view, port);
            if (++s->count[port] == w->rule->packets) {
                s->count[port] = 0;
                s->last[port] *= w->rule->decay;
                rise(w->rule, &s->p[port]);
            }
        }
        assert_true(w->r.ops->port_value(&w->r, s->state[port], 0) == s->p[port]);
    }
}

static void stir(world *w, uint32_t sw)
{
    if (w->r.ops->on_notice)
        stir_probabilities(w, sw);
    if (!w->r.ops->on_message) {
        stir_loads(w, sw);
        return;
    }
    for (uint32_t s = sw - sw % w->d.a, i = 0; i < w->d.a; i++) { /* its group has flags */
        stir_loads(w, s + i);
        look_at_links(w, s + i);
    }
}

/* -- packets on their way -- */

/* The routing's answer must be x. */
static void ask(world *w, const packet *k, cop_hop *hop, answer x)
{
    cop_rng rng = cop_rng_make(k->number, COP_RNG_TEST, k->sw);
    spot s = {w, k->sw};
    cop_route_view view = view_of(&s, &rng);
    cop_cand c;
    assert_int_equal(w->r.ops->route(&w->r, hop, &view, &c), 1);
    if (c.port != x.port || c.vl != x.vl || hop->mid != x.visit)
        fail_msg("%s, via %d, progressive %d, head %d, dragonfly %u %u %u with %u groups: packet "
                 "%u at s%u.%u to host %u takes output %u, lane %u, visits %d; should take %u, %u, "
                 "visit %d",
                 w->rule->kind, w->via, w->progressive, w->head, w->d.p, w->d.a, w->d.h,
                 w->d.groups, k->number, k->sw, k->in, k->dst, c.port, c.vl, (int)hop->mid, x.port,
                 x.vl, (int)x.visit);
}

/* The table knows packets of data that visit no group, or none any more where switches do not
 * choose in transit. */
static void hold_against_table(world *w, const packet *k, answer x, seen *met)
{
    if (k->control || (k->visit != COP_NONE && (w->progressive || !k->turned)))
        return;
    const line *l = by_table(w, k, met);
    uint32_t visit = k->visit == COP_NONE ? l->visit : k->visit;
    if (l->out != x.port || visit != x.visit)
        fail_msg("%s, via %d: the table of s%u sends packet %u from port %u to host %u by output "
                 "%u to visit %d, the rule by %u to visit %d",
                 w->rule->kind, w->via, k->sw, k->number, k->in, k->dst, l->out, (int)visit, x.port,
                 (int)x.visit);
}

/* A group that a packet visits from its first switch on, by another port than the minimal one, is one of which the
 * dependency check is told. */
static void hold_against_check(const world *w, const cop_hop *hop, uint32_t port)
{
    uint32_t mid = COP_NONE;
    if (hop->mid == COP_NONE || port == minimal_port(&w->d, hop->sw, hop->in_port, hop->dst))
        return;
    for (uint32_t i = 0; mid != hop->mid; i++)
        if (!w->r.ops->mid(&w->r, hop->src, hop->dst, i, &mid))
            fail_msg("%s, via %d, dragonfly %u %u %u with %u groups: from host %u to %u by group "
                     "%u, of which the dependency check does not know",
                     w->rule->kind, w->via, w->d.p, w->d.a, w->d.h, w->d.groups, hop->src, hop->dst,
                     hop->mid);
}

static void walk(world *w, packet k, uint32_t src, seen *met)
{
    cop_hop hop = {
        .src = src, .dst = k.dst, .mid = COP_NONE, .control = k.control, .apart = k.apart};
    for (uint32_t hops = 0; hops < 7; hops++) {
        hop.sw = k.sw;
        hop.in_port = (uint16_t)k.in;
        stir(w, k.sw);
        answer x = by_model(w, &k, met), again = x;
        hold_against_table(w, &k, x, met);
        ask(w, &k, &hop, x);
        stir(w, k.sw); /* still waiting, and asked again */
        if (w->head && from_host(w, &k)) {
            again = by_model(w, &k, met);
            hold_against_table(w, &k, again, met);
            met->changed += again.visit != x.visit;
        }
        ask(w, &k, &hop, again);
        if (from_host(w, &k))
            hold_against_check(w, &hop, again.port);
        if (again.port < w->d.p) {
            assert_int_equal(k.sw * w->d.p + again.port, k.dst);
            return;
        }
        k.visit = again.visit;
        k.turned |= k.visit == k.sw / w->d.a;
        const cop_port *to =
            &w->t.port[w->t.port[cop_topo_switch_port(&w->t, k.sw, again.port)].to];
        assert_int_equal(to->owner, behind(&w->d, k.sw, again.port));
        k.sw = to->owner;
        k.in = to->local;
        hop.in_vl = (uint8_t)again.vl;
    }
    fail_msg("packet %u does not arrive", k.number);
}

/* Every fourth goes to its own group, a few are control packets that a switch has made. */
static packet draw_packet(world *w, uint32_t number, uint32_t *src)
{
    const dragonfly *d = &w->d;
    packet k = {.number = number, .visit = COP_NONE};
    *src = cop_rng_below(&w->rng, w->t.n_hosts);
    k.dst = cop_rng_below(&w->rng, w->t.n_hosts);
    uint32_t group = d->a * d->p, draw = cop_rng_below(&w->rng, 16);
    if (draw < 4)
        k.dst = *src / group * group + k.dst % group;
    k.sw = *src / d->p;
    k.in = *src % d->p;
    if (draw == 15) {
        k.in = COP_PORT_NONE;
        k.control = true;
        k.apart = number % 2;
    }
    return k;
}

/* -- the routings -- */

static const cop_dragonfly_cfg shapes[] = {{1, 2, 1, 0}, {2, 4, 2, 0}, {3, 6, 3, 0}, {3, 3, 2, 0},
                                           {1, 4, 2, 0}, {2, 1, 3, 0}, {1, 1, 3, 0}, {2, 4, 2, 5},
                                           {2, 4, 2, 4}, {3, 3, 3, 3}, {3, 2, 3, 2}, {2, 3, 2, 1}};

/* A rule on all shapes with all the options that the four have. */
static void try_rule(const rule *r, seen *met)
{
    for (size_t i = 0; i < COP_LEN(shapes); i++)
        for (uint32_t k = 0; k < 12; k++) {
            if (r->factor_4 > 0 && (r->factor_4 >= 4 * shapes[i].h || shapes[i].groups == 1))
                continue; /* no link has so many times the mean: refused */
            world *w = world_make(&shapes[i], r, k % 3, k / 3 % 2, k / 6);
            for (uint32_t number = 0; number < 64; number++) {
                uint32_t src;
                packet p = draw_packet(w, number, &src);
                walk(w, p, src, met);
            }
            world_free(w);
        }
}

/* What every rule meets. */
static void check_seen(const seen *met)
{
    assert_true(met->around > 100 && met->late > 100 && met->changed > 100);
    assert_true(met->to_its_group > 100 && met->no_cable > 10);
    assert_true(met->no_group > 100 && met->same_group > 100 && met->same_switch > 100);
    assert_true(met->without_entry > 100);
}

static void test_ugal(void **state)
{
    (void)state;
    static const rule rules[] = {
        {.kind = "ugal"},
        {.kind = "ugal", .option = {{"threshold", "60 B"}}, .threshold = 60},
        {.kind = "ugal",
         .option = {{"loads", "lane"}, {"threshold", "20 B"}},
         .by_lane = true,
         .threshold = 20}};
    seen met = {0};
    for (size_t i = 0; i < COP_LEN(rules); i++)
        try_rule(&rules[i], &met);
    check_seen(&met);
    assert_true(met.equal_products > 100);
}

static void test_piggyback(void **state)
{
    (void)state;
    static const rule rules[] = {
        {.kind = "piggyback",
         .option = {{"factor", "0.75"}, {"margin", "20 B"}, {"threshold", "40 B"}},
         .factor_4 = 3,
         .margin = 20,
         .threshold = 40},
        {.kind = "piggyback",
         .option = {{"factor", "1.25"}, {"margin", "20 B"}, {"threshold", "1000 B"}},
         .factor_4 = 5,
         .margin = 20,
         .threshold = 1000}};
    seen met = {0};
    for (size_t i = 0; i < COP_LEN(rules); i++)
        try_rule(&rules[i], &met);
    check_seen(&met);
    assert_true(met.same_port > 100 && met.equal_products > 50 && met.at_limit > 100);
}

static void test_pause(void **state)
{
    (void)state;
    static const rule pause = {.kind = "pause"};
    seen met = {0};
    try_rule(&pause, &met);
    check_seen(&met);
    assert_true(met.same_port > 100);
}

static void test_qcn_switch(void **state)
{
    (void)state;
    static const rule rules[] = {
        {.kind = "qcn-switch", /* 0, 50, 100 and steps of 5 above */
         .option = {{"compare", "no"}, {"lf", "0.03125"}, {"pi", "5"}, {"packets", "3"}},
         .feedback = 16,
         .lf = 0.03125,
         .pi = 5.0,
         .decay = 1.0,
         .packets = 3},
        {.kind = "qcn-switch", /* between 0 and 2 */
         .option = {{"compare", "no"}, {"lf", "0.03125"}, {"pi", "0.25"}, {"packets", "1"}},
         .feedback = 16,
         .lf = 0.03125,
         .pi = 0.25,
         .decay = 1.0,
         .packets = 1},
        {.kind = "qcn-switch", /* between 97 and 100 */
         .option = {{"compare", "no"}, {"lf", "0.00390625"}, {"pi", "0.5"}, {"packets", "1"}},
         .feedback = 1,
         .lf = 0.00390625,
         .pi = 0.5,
         .decay = 1.0,
         .packets = 1},
        {.kind = "qcn-switch",
         .option = {{"th1", "8"}, {"th2", "16"}, {"pi", "0.5"}, {"packets", "4"}, {"decay", "0.5"}},
         .feedback = 16,
         .compare = true,
         .lf = 0.015625,
         .pi = 0.5,
         .th1 = 8.0,
         .th2 = 16.0,
         .decay = 0.5,
         .packets = 4},
        {.kind = "qcn-switch",
         .option = {{"switch_over", "yes"}, {"compare", "no"}, {"packets", "2"}},
         .feedback = 16,
         .over = true,
         .decay = 1.0,
         .packets = 2}};
    seen met = {0};
    for (size_t i = 0; i < COP_LEN(rules); i++)
        try_rule(&rules[i], &met);
    check_seen(&met);
    assert_true(met.same_port > 100 && met.n_is_p > 20 && met.n_is_1 > 10 && met.n_is_100 > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ugal),
        cmocka_unit_test(test_piggyback),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_qcn_switch),
    };
    return cmocka_run_group_tests_name("decisions", tests, NULL, NULL);
}
