/* Metrics of networks and of congestion trees: answers counted by hand in a small tree, and formulas
 * for networks that were really built, if only for a moment. */
#include "metrics_fixture.h"

#include <math.h>

static void test_graph(void **state)
{
    static const answer all[] = {
        {"r:cables()", 2},
        {"r:diameter()", 2}, /* s0, s2, s1 */
        {"#r:tiers('switches')", 2},
        {"r:tiers('switches')[1]", 2},
        {"r:tiers('switches')[2]", 1},
        {"r:tiers('up')[1]", 2},
        {"r:tiers('up')[2]", 0},
        {"r:tiers('down')[1]", 4},
        {"r:tiers('down')[2]", 2},
        {"r:tiers('ports')[1]", 3},
        {"r:tiers('ports')[2]", 2},
        {"r:tier_of('s0.2')", 1},
        {"r:tier_of('s2.1 > s1.2')", 2},
        {"#r:busy_switches(1)", 2},
        {"r:busy_switches(2)[1] == 's2' and 1 or 0", 1},
        {"r:switch_ports()", 3},
        {"#r:neighbours()", 3},
        {"r:neighbours()[1]", 1},
        {"r:neighbours()[3]", 2},
        {"r:group_switches()", 1}, /* s0 and s2 have no neighbour in common */
        /* 0.5, 1, 0.25, 0.25: variance 0.125, mean 0.5 */
        {"r:unevenness('utilisation')", 0.70710678118654752},
        /* 6000, 2000, 0, 10000: mean 4500 */
        {"r:unevenness('mean_queue_bytes')", 4434.7115652166905 / 4500},
        {"r:utilisation('h3')", 0.8},
        {"r:utilisation('s1.0 > h2')", 1},
        {"r:queue('s0.2')", 6000},
    };
    cop_eval *e = open_tree(*state);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* Two trees that were found while the run went on: one to h2, in which s2.1 is always and s0.2 in one of
 * two samples; and one seen too rarely to be judged. */
static void add_trees(cop_result *r)
{
    static cop_tree_root roots[] = {{7, 0, 2 * COP_MS}, {5, 0, COP_MS}};
    static cop_tree_member first[] = {{7, 0, COP_NONE, 30000}, {11, 1, 7, 12000}},
                           second[] = {{7, 0, COP_NONE, 20000},
                                       {11, 1, 7, 9000},
                                       {6, 2, 11, 8000},
                                       {0, 3, 6, 0}};
    static cop_tree_frame seen[] = {
        {.tree = 0, .root = 7, .links = 2, .n_members = 2, .member = first},
        {.tree = 0, .frame = 1, .root = 7, .links = 4, .n_members = 4, .member = second}};
    static uint32_t waiting[12];
    static uint8_t share[12];
    static cop_frame frames[] = {{COP_MS, COP_MS, waiting, share, share, NULL, 0},
                                 {2 * COP_MS, COP_MS, waiting, share, share, NULL, 0}};
    static cop_tree_result trees[2];
    trees[0] = (cop_tree_result){.n_roots = 1,
                                 .root = &roots[0],
                                 .end = 2 * COP_MS,
                                 .samples = 5,
                                 .links = 4,
                                 .depth = 3,
                                 .counted = true,
                                 .contributors = 2,
                                 .victims = 7,
                                 .loss = 0.25,
                                 .bytes_mean = 10,
                                 .bytes_max = 30000,
                                 .similarity = 0.5,
                                 .overlap = 1,
                                 .contributor_overlap = 1,
                                 .kind = COP_TREE_SILENT};
    trees[1] = (cop_tree_result){.n_roots = 1,
                                 .root = &roots[1],
                                 .end = COP_MS,
                                 .samples = 1,
                                 .links = 2,
                                 .loss = NAN,
                                 .similarity = NAN,
                                 .overlap = NAN,
                                 .contributor_overlap = NAN};
    r->trees_asked = r->film = true;
    r->tree = trees;
    r->n_trees = 2;
    r->tree_frame = seen;
    r->n_tree_frames = 2;
    r->frame = frames;
    r->n_frames = 2;
}

static void test_found_trees(void **state)
{
    static const answer all[] = {
        {"r:tree_count()", 1},
        {"r:tree_count('silent')", 1},
        {"r:tree_count('unjudged')", 1},
        {"r:tree_count('moving')", 0},
        {"same_set(r:tree_roots(), {'s1.0 > h2'})", 1},
        {"same_set(r:tree_roots('unjudged'), {'s0.1 > h1'})", 1},
        {"same_set(r:tree_links(1, 1), {'s1.0 > h2', 's2.1 > s1.2'})", 1},
        {"#r:tree_links(1)", 4},
        {"same_set(r:tree_hosts(1), {'h0'})", 1},
        {"#r:tree_hosts(1, 0.6)", 0},
        {"r:tree_value(1, 'loss')", 0.25},
        {"r:tree_value(1, 'victims')", 7},
        {"r:tree_value(1, 'moves')", 0},
        {"r:branches(1)[1].share", 0.5},
        {"r:trees()[1].finish", 0.002},
    };
    cop_result r = make_tree();
    add_trees(&r);
    cop_eval *e = open_run(*state, &r);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

static void test_congestion_tree(void **state)
{
    static const answer all[] = {
        {"#r:roots(4000)", 1},
        {"r:roots(4000)[1] == 's1.0 > h2' and 1 or 0", 1},
        {"#r:roots(1000)", 1}, /* s1.2 is full, but packets wait behind it too */
        {"#r:roots(20000)", 0}, /* more, not as much */
        {"#r:tree(4000)", 4}, /* s0.0, s0.2, s1.0, s2.1 */
        {"r:tree(15000)[1] == 's1.0' and 1 or 0", 1},
        {"r:tree_switches(4000)", 3},
        {"r:tree_switches(9000)", 2},
        {"r:tree_switches(1e6)", 0},
        {"r:ports_to('s1', 4000)", 1},
        {"r:ports_to('s1', -1)", 3}, /* from s2, h2 and h3 */
        {"r:ports_to('h2', 4000)", 1},
        {"r:ports_to('s0', 0)", 0},
        {"r:peak('s2', 's1')", 12000},
        {"r:peak('s1', 'h2')", 30000},
        {"#r:peaks_to('s2')", 2},
        {"r:peaks_to('s2')[1]", 8000},
        {"r:peaks_to('s2')[2]", 4000},
        {"#r:peaks_to('s1')", 1}, /* hosts' ports are none of a switch */
    };
    cop_eval *e = open_tree(*state);
    expect_answers(e, all, COP_LEN(all));
    cop_eval_close(e);
}

/* s1 told h0 and h1 of its port to h2, s0 h1 of its port up. */
static void test_notifications(void **state)
{
    static cop_scalar told[] = {{"notifications_at/s0.2", "packets", 4},
                                {"notifications_at/s1.0", "packets", 8},
                                {"notifications_at/s0.2>h1", "packets", 4},
                                {"notifications_at/s1.0>h0", "packets", 5},
                                {"notifications_at/s1.0>h1", "packets", 3}};
    static const answer all[] = {
        {"r:notifications('s1.0')", 8},
        {"r:notifications('s0.2')", 4},
        {"r:notifications('s1.1')", 0},
        {"r:notifications('s0')", 4},
        {"r:notifications('s2')", 0},
        {"r:notifications('s1', 0, 3)", 8},
        {"r:notifications('s1.0', 0, 0)", 5},
        {"r:notifications('s1.0', 1, 3)", 3},
        {"r:notifications('s0', 2, 3)", 0},
        {"r:scalars('notifications_at/s0')['notifications_at/s0.2']", 4},
    };
    static const refusal wrong[] = {
        {"r:notifications('s9')", COP_EVAL_FAULT, "no port or switch is called `s9`"},
        {"r:notifications('s1', 2)", COP_EVAL_FAULT, "last is missing; give a number"}};
    cop_result r = make_tree();
    r.scalar = told;
    r.n_scalars = COP_LEN(told);
    cop_eval *e = open_run(*state, &r);
    expect_answers(e, all, COP_LEN(all));
    expect_refusals(e, wrong, COP_LEN(wrong));
    cop_eval_close(e);
}

static void test_no_addressees(void **state)
{
    static cop_scalar told[] = {{"notifications_at/s0.2", "packets", 4}};
    static const refusal none = {"r:notifications('s0', 0, 3)", COP_EVAL_FAULT,
                                 "set run.observe to notices/all"};
    cop_result r = make_tree();
    r.scalar = told;
    r.n_scalars = COP_LEN(told);
    cop_eval *e = open_run(*state, &r);
    expect_refusals(e, &none, 1);
    cop_eval_close(e);
}

static cop_port_result *port_named(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_ports; i++)
        if (strcmp(r->port[i].name, name) == 0)
            return &r->port[i];
    fail_msg("no port %s", name);
    return NULL;
}

/* A tree whose root is a link between switches, in use for more than three quarters of the time or
 * not; and a switch that sends nothing. */
static void test_root_between_switches(void **state)
{
    static const answer in_use[] = {{"#r:roots(1000)", 2},
                                    {"r:roots(1000)[2] == 's1.2 > s2.1' and 1 or 0", 1},
                                    {"#r:busy_switches(2)", 0},
                                    {"#r:busy_switches(1)", 2}};
    static const answer less[] = {{"#r:roots(1000)", 1}};
    for (int i = 0; i < 2; i++) {
        stage *s = *state;
        cop_result r = make_tree();
        port_named(&r, "s2.1")->mean_queue_bytes = 0;
        port_named(&r, "s2.0")->utilisation = port_named(&r, "s2.1")->utilisation = 0;
        port_named(&r, "s1.2")->utilisation = i ? 0.75 : 0.7500001;
        remove(s->db);
        cop_store_close(s->store);
        s->store = NULL;
        cop_eval *e = open_run(s, &r);
        if (i)
            expect_answers(e, less, COP_LEN(less));
        else
            expect_answers(e, in_use, COP_LEN(in_use));
        cop_eval_close(e);
    }
}

/* Links between switches a, b, ..., both ways, and hosts: "ab" is a cable, "a0" a host. */
static void make_links(cop_result *r, const char *const *links, size_t n)
{
    unsigned used[26] = {0};
    r->port = COP_NEW_ARRAY(&r->arena, cop_port_result, 2 * n);
    r->node = COP_NEW_ARRAY(&r->arena, cop_node_result, n);
    r->n_ports = r->n_nodes = 0;
    for (size_t i = 0; i < n; i++) {
        char a = links[i][0], b = links[i][1];
        const char *from = cop_arena_printf(&r->arena, "%c.%u", a, used[a - 'a']++);
        const char *to = b < 'a' ? cop_arena_printf(&r->arena, "h%c", b)
                                 : cop_arena_printf(&r->arena, "%c.%u", b, used[b - 'a']++);
        if (b < 'a')
            r->node[r->n_nodes++] = (cop_node_result){.name = to, .role = ""};
        r->port[r->n_ports++] = (cop_port_result){.name = from, .to = to};
        r->port[r->n_ports++] = (cop_port_result){.name = to, .to = from};
    }
}

/* A tail and a triangle: a - b, b - c, c - d, d - b; hosts at a and d. Seen from b, c and d are a group
 * with it; seen from a, none is. */
static void test_tail_and_triangle(void **state)
{
    static const char *const tail_first[] = {"a0", "ab", "bc", "bd", "cd", "d1"};
    static const char *const triangle_first[] = {"bc", "bd", "cd", "d1", "a0", "ab"};
    static const answer all[] = {{"r:group_switches()", 1},
                                 {"r:cables()", 4},
                                 {"r:diameter()", 2},
                                 {"r:switch_ports()", 3},
                                 {"#r:neighbours()", 4},
                                 {"r:neighbours()[1]", 1},
                                 {"r:neighbours()[2]", 3},
                                 {"r:neighbours()[3]", 2},
                                 {"r:neighbours()[4]", 2},
                                 {"#r:tiers('switches')", 2},
                                 {"r:tiers('switches')[1]", 2},
                                 {"r:tiers('switches')[2]", 2},
                                 {"r:tiers('up')[1]", 3},
                                 {"r:tiers('up')[2]", 0},
                                 {"r:tiers('down')[1]", 2}, /* hosts */
                                 {"r:tiers('down')[2]", 5}, /* to the side counts as down */
                                 {"r:tiers('ports')[1]", 3},
                                 {"r:tiers('ports')[2]", 3},
                                 {"r:tier_of('a.1 > b.0')", 1},
                                 {"r:tier_of('c.0')", 2},
                                 {"#r:injected_by_switch()", 2},
                                 {"r:peak('a', 'b')", 0}};
    static const answer group = {"r:group_switches()", 3};
    stage *s = *state;
    for (int i = 0; i < 2; i++) {
        cop_result r = make_tree();
        make_links(&r, i ? triangle_first : tail_first, COP_LEN(tail_first));
        remove(s->db);
        cop_store_close(s->store);
        s->store = NULL;
        cop_eval *e = open_run(s, &r);
        expect_answers(e, i ? &group : all, i ? 1 : COP_LEN(all));
        cop_eval_close(e);
    }
}

#define SIDE 65u

static const char *of_switch(cop_result *r, uint32_t x, uint32_t y, uint32_t port)
{
    return cop_arena_printf(&r->arena, "s%u.%u", y % SIDE * SIDE + x % SIDE, port);
}

/* A torus of 65 x 65 switches with a host each; where it is cut, links between rows 0 and 64 and between
 * rows 31 and 32 are left out, so that there are two halves. */
static void make_torus(cop_result *r, bool cut)
{
    uint32_t n = SIDE * SIDE;
    r->port = COP_NEW_ARRAY(&r->arena, cop_port_result, 6 * n);
    r->node = COP_NEW_ARRAY(&r->arena, cop_node_result, n);
    r->n_ports = r->n_nodes = 0;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const char *host = cop_arena_printf(&r->arena, "h%u", y * SIDE + x);
            const char *here = of_switch(r, x, y, 0);
            const char *const both[][2] = {
                {host, here},
                {of_switch(r, x, y, 1), of_switch(r, x + 1, y, 2)},
                {of_switch(r, x, y, 3), of_switch(r, x, y + 1, 4)},
            };
            r->node[r->n_nodes++] = (cop_node_result){.name = host, .role = ""};
            for (size_t i = 0; i < COP_LEN(both); i++) {
                if (cut && i == 2 && (y == SIDE - 1 || y == 31))
                    continue;
                r->port[r->n_ports++] = (cop_port_result){.name = both[i][0], .to = both[i][1]};
                r->port[r->n_ports++] = (cop_port_result){.name = both[i][1], .to = both[i][0]};
            }
        }
}

/* Thousands of switches, within the steps of one expression, and a network in two parts. */
static void test_large_diameter(void **state)
{
    static const answer whole[] = {{"r:diameter()", 64}, {"r:diameter() + r:diameter()", 128}};
    static const answer parts[] = {{"r:diameter() == 1/0 and 1 or 0", 1}};
    stage *s = *state;
    for (int i = 0; i < 2; i++) {
        cop_result r = make_tree();
        make_torus(&r, i == 1);
        remove(s->db);
        cop_store_close(s->store);
        s->store = NULL;
        cop_eval *e = open_run(s, &r);
        expect_answers(e, i ? parts : whole, i ? COP_LEN(parts) : COP_LEN(whole));
        cop_eval_close(e);
    }
}

/* Simulate the points of the stage, and open expressions over them. */
static cop_eval *simulate(stage *s)
{
    cop_plan *plans[] = {&s->plan};
    cop_pool_opts o = {.db = s->db, .jobs = 2};
    if (cop_pool_run(plans, 1, &o, &s->err) != 0 ||
        cop_store_open(&s->store, s->db, true, &s->err) != 0)
        fail_msg("%s", s->err.text);
    return open_expressions(s);
}

static void test_topologies(void **state)
{
    static const answer all[] = {
        /* k-ary n-tree: k^n cables between levels, 2 (n - 1) links from leaf to leaf */
        {"tree:cables()", 2 * 8},
        {"tree:diameter()", 4},
        {"#tree:tiers('switches')", 3},
        {"sum(tree:tiers('switches'))", 3 * 4},
        {"tree:tiers('up')[2]", 8},
        {"tree:tiers('down')[3]", 8},
        {"tree:tiers('ports')[1]", 4},
        {"tree:tiers('ports')[3]", 2},
        {"tree:switch_ports()", 4},
        /* 4x4 torus: two cables per switch, half way round in both directions */
        {"torus:cables()", 32},
        {"torus:diameter()", 4},
        {"min(torus:neighbours()) + max(torus:neighbours())", 8},
        {"#torus:tiers('switches')", 1}, /* all have hosts */
        {"torus:tiers('up')[1]", 0}, /* links to the side are none */
        {"torus:tiers('down')[1]", 16 * (4 + 1)},
        {"row:cables()", 3},
        {"row:diameter()", 1}, /* between those with hosts: the first two of four */
        {"#row:tiers('switches')", 3},
        {"mesh:cables()", 24},
        {"mesh:diameter()", 6},
        {"cube:cables()", 4 * 8},
        {"cube:diameter()", 4},
        /* dragonfly: 9 groups of 4 switches, all groups joined */
        {"dragonfly:group_switches()", 4},
        {"dragonfly:diameter()", 3},
        {"dragonfly:cables()", 9 * 6 + 36},
        {"dragonfly:switch_ports()", 2 + 3 + 2},
        /* one way only: 8 links between the columns, each a cable */
        {"omega:cables()", 2 * 8},
        {"single:cables()", 0},
        {"single:diameter()", 0},
    };
    stage *s = *state;
    must_read(s,
              HEAD "set: {run.duration: 1 us, run.warmup: 0 s, run.sample: 1 us,"
                   " traffic.0.arrival: poisson}\nruns:\n"
                   "  - {name: tree, set: {topology: {kind: kary-ntree, k: 2, n: 3}}}\n"
                   "  - {name: torus, set: {topology: {kind: torus, radix: [4, 4]}}}\n"
                   "  - {name: row, set: {topology: {kind: chain, hosts: [1, 1, 0, 0]}}}\n"
                   "  - {name: mesh, set: {topology: {kind: mesh, radix: [4, 4]}}}\n"
                   "  - {name: cube, set: {topology: {kind: hypercube, dims: 4}}}\n"
                   "  - {name: dragonfly, set: {topology: {kind: dragonfly, p: 2, a: 4, h: 2}}}\n"
                   "  - {name: omega, set: {topology: {kind: omega, radix: 2, stages: 3}}}\n"
                   "  - {name: single}\n",
              "full");
    cop_eval *e = simulate(s);
    expect_answers(e, all, COP_LEN(all));
    /* It has no links between switches. */
    const refusal none = {"single:unevenness('utilisation')", COP_EVAL_FAULT, "no values"};
    expect_refusals(e, &none, 1);
    cop_eval_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_graph),
        ON_STAGE(test_congestion_tree),
        ON_STAGE(test_found_trees),
        ON_STAGE(test_root_between_switches),
        ON_STAGE(test_tail_and_triangle),
        ON_STAGE(test_large_diameter),
        ON_STAGE(test_topologies),
        ON_STAGE(test_notifications),
        ON_STAGE(test_no_addressees),
    };
    return cmocka_run_group_tests_name("metrics_net", tests, NULL, NULL);
}
