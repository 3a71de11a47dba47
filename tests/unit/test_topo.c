/* Generators against closed forms: counts, who is cabled to whom, distances, refused sizes. */
#include "topo/topo.h"
#include "topo/topo_cfg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define INTS(...)                                                                                  \
    {                                                                                              \
        (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)               \
    }

static void build(cop_topo *t, const char *kind, const void *cfg)
{
    const cop_topo_ops *ops = cop_topo_find(kind);
    assert_non_null(ops);
    *t = (cop_topo){0};
    cop_err err = {0};
    int rc = ops->build(t, cfg, &err);
    if (rc != 0)
        fail_msg("%s: %s", kind, err.text);
    assert_string_equal(t->kind, kind);
}

static void refuse(const char *kind, const void *cfg, const char *why)
{
    cop_topo t = {0};
    cop_err err = {0};
    int rc = cop_topo_find(kind)->build(&t, cfg, &err);
    assert_int_equal(rc, -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    if (strstr(err.text, why) == NULL)
        fail_msg("%s: \"%s\" lacks \"%s\"", kind, err.text, why);
    assert_non_null(strchr(err.text, ';'));
    cop_topo_free(&t);
}

/* Every port is numbered as promised, and in full-duplex networks both directions agree. */
static void check_ports(const cop_topo *t, bool duplex)
{
    uint32_t p = 0;
    for (uint32_t s = 0; s < t->n_switches; s++)
        for (uint32_t i = 0; i < cop_topo_ports_of(t, s); i++, p++) {
            assert_int_equal(t->port[p].owner, s);
            assert_int_equal(t->port[p].local, i);
            assert_int_equal(cop_topo_switch_port(t, s, i), p);
        }
    assert_int_equal(p, t->host_port0);
    assert_int_equal(t->n_ports, p + t->n_hosts);
    for (p = 0; p < t->n_ports; p++) {
        uint32_t to = t->port[p].to;
        if (duplex)
            assert_int_equal(to, t->port[p].from);
        if (to == COP_NONE)
            continue;
        assert_int_equal(t->port[to].from, p);
        bool host = cop_topo_is_host_port(t, p) || cop_topo_is_host_port(t, to);
        assert_true((t->port[p].link_class == COP_LINK_HOST) == host);
    }
}

static uint32_t used_ports(const cop_topo *t, uint32_t sw)
{
    uint32_t n = 0;
    for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
        n += t->port[p].to != COP_NONE;
    return n;
}

static uint32_t peer_switch(const cop_topo *t, uint32_t sw, uint32_t local)
{
    return t->port[t->port[cop_topo_switch_port(t, sw, local)].to].owner;
}

static void kary_ntrees(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 5; k++)
        for (int64_t n = 1; n <= 4; n++) {
            cop_kary_cfg cfg = {k, n};
            cop_topo t;
            build(&t, "kary-ntree", &cfg);
            uint32_t row = 1; /* k^(n-1) */
            for (int64_t i = 1; i < n; i++)
                row *= (uint32_t)k;
            assert_int_equal(t.n_hosts, row * (uint32_t)k);
            assert_int_equal(t.n_switches, row * (uint32_t)n);
            const cop_tree_shape *s = &t.shape.u.tree;
            assert_int_equal(t.shape.kind, COP_SHAPE_TREE);
            assert_int_equal(s->level0[s->levels + 1] - s->level0[s->levels], row);
            check_ports(&t, true);
            cop_topo_facts f;
            cop_topo_measure(&t, 0, &f);
            assert_int_equal(f.diameter, 2 * n - 1);
            assert_int_equal(f.switch_cables, (uint32_t)(n - 1) * row * (uint32_t)k);
            cop_topo_free(&t);
        }
}

static void tree_4_3(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "kary-ntree", &(cop_kary_cfg){4, 3});
    assert_int_equal(t.n_hosts, 64);
    assert_int_equal(t.n_switches, 48);
    assert_int_equal(t.n_switches - t.shape.u.tree.level0[3], 16);
    for (uint32_t s = 0; s < 48; s++)
        assert_int_equal(used_ports(&t, s), s < 32 ? 8 : 4);
    /* Hosts 4i..4i+3 on leaf i; leaf 1 (coordinates 0,1,0) has parents 0..3 of its block. */
    for (uint32_t h = 0; h < 64; h++)
        assert_int_equal(cop_topo_entry_switch(&t, h), h / 4);
    for (uint32_t u = 0; u < 4; u++)
        assert_int_equal(peer_switch(&t, 1, 4 + u), 16 + u);
    /* Mean: 3 of 63 partners on the same leaf, 12 two levels up, 48 over a root. */
    cop_topo_facts f;
    cop_topo_measure(&t, 0, &f);
    assert_true(f.mean_switches == (3 * 1 + 12 * 3 + 48 * 5) / 63.0);
    cop_topo_free(&t);
}

static void fat_trees(void **state)
{
    (void)state;
    static const struct {
        int64_t ports, levels;
        uint32_t hosts, leaves, switches;
    } want[] = {{8, 2, 32, 8, 12},          {16, 2, 128, 16, 24},      {36, 2, 648, 36, 54},
                {4, 3, 16, 8, 20},          {36, 3, 11664, 648, 1620}, {2, 2, 2, 2, 3},
                {74, 3, 101306, 2738, 6845}};
    for (size_t i = 0; i < COP_LEN(want); i++) {
        cop_topo t;
        build(&t, "fat-tree", &(cop_fat_tree_cfg){want[i].ports, want[i].levels});
        assert_int_equal(t.n_hosts, want[i].hosts);
        assert_int_equal(t.n_switches, want[i].switches);
        assert_int_equal(t.shape.u.tree.level0[2], want[i].leaves);
        for (uint32_t s = 0; s < t.n_switches; s++)
            assert_int_equal(used_ports(&t, s), want[i].ports);
        cop_topo_facts f;
        cop_topo_measure(&t, 8, &f);
        assert_int_equal(f.diameter, 2 * want[i].levels - 1);
        assert_int_equal(f.max_ports, want[i].ports);
        assert_int_equal(f.cables, (uint32_t)want[i].levels * want[i].hosts);
        cop_topo_free(&t);
    }
}

/* In the 648-port tree every leaf has one cable to every spine. */
static void tree_648(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, "fat-tree", &(cop_fat_tree_cfg){36, 2});
    check_ports(&t, true);
    for (uint32_t leaf = 0; leaf < 36; leaf++)
        for (uint32_t up = 0; up < 18; up++) {
            assert_int_equal(peer_switch(&t, leaf, 18 + up), 36 + up);
            assert_int_equal(peer_switch(&t, 36 + up, leaf), leaf);
        }
    cop_topo x; /* the same as an XGFT */
    cop_xgft_cfg cfg = {INTS(18, 36), INTS(1, 18)};
    build(&x, "xgft", &cfg);
    assert_int_equal(x.n_ports, t.n_ports);
    assert_memory_equal(x.port, t.port, t.n_ports * sizeof(*t.port));
    cop_topo_free(&x);
    cop_topo_free(&t);
}

/* Slimmed and uneven tree: child and parent differ in one coordinate only. */
static void xgft_coordinates(void **state)
{
    (void)state;
    cop_xgft_cfg cfg = {INTS(3, 4, 2), INTS(1, 2, 3)};
    cop_topo t;
    build(&t, "xgft", &cfg);
    check_ports(&t, true);
    assert_int_equal(t.n_hosts, 24);
    assert_int_equal(t.n_switches, 8 + 4 + 6);
    const cop_tree_shape *s = &t.shape.u.tree;
    for (uint32_t l = 2; l <= 3; l++)
        for (uint32_t x = s->level0[l]; x < s->level0[l + 1]; x++)
            for (uint32_t j = 0; j < s->m[l]; j++) {
                uint32_t child = peer_switch(&t, x, j), a = x - s->level0[l];
                uint32_t b = child - s->level0[l - 1];
                for (uint32_t i = 1; i <= 3; i++) {
                    uint32_t ra = i <= l ? s->w[i] : s->m[i], rb = i <= l - 1 ? s->w[i] : s->m[i];
                    if (i == l) {
                        assert_int_equal(b % rb, j);
                        assert_int_equal(peer_switch(&t, child, s->m[l - 1] + a % ra), x);
                    } else {
                        assert_int_equal(a % ra, b % rb);
                    }
                    a /= ra;
                    b /= rb;
                }
            }
    cop_topo_free(&t);
}

static void hypercube_and_mesh(void **state)
{
    (void)state;
    cop_topo cube, mesh;
    cop_topo_facts c, m;
    build(&cube, "hypercube", &(cop_hypercube_cfg){4, 1});
    cop_cube_cfg cfg = {INTS(4, 4), 1};
    build(&mesh, "mesh", &cfg);
    cop_topo_measure(&cube, 0, &c);
    cop_topo_measure(&mesh, 0, &m);
    assert_int_equal(cube.n_switches, 16);
    assert_int_equal(mesh.n_switches, 16);
    assert_int_equal(c.switch_cables, 32);
    assert_int_equal(m.switch_cables, 24); /* a third more in the hypercube */
    assert_int_equal(c.diameter - 2, 3); /* intermediate nodes between opposite corners */
    assert_int_equal(m.diameter - 2, 5);
    for (uint32_t s = 0; s < 16; s++)
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(peer_switch(&cube, s, 2 * i), s ^ (1u << i));
            assert_int_equal(cube.port[cop_topo_switch_port(&cube, s, 2 * i + 1)].to, COP_NONE);
        }
    check_ports(&cube, true);
    check_ports(&mesh, true);
    cop_topo_free(&cube);
    cop_topo_free(&mesh);
}

static void tori(void **state)
{
    (void)state;
    cop_topo t;
    cop_cube_cfg cfg = {INTS(8, 8, 8), 1};
    build(&t, "torus", &cfg);
    check_ports(&t, true);
    assert_int_equal(t.n_hosts, 512);
    cop_topo_facts f;
    cop_topo_measure(&t, 0, &f);
    assert_int_equal(f.switch_cables, 3 * 512);
    assert_int_equal(f.diameter, 3 * 4 + 1);
    for (uint32_t s = 0; s < 512; s++) {
        assert_int_equal(used_ports(&t, s), 6 + 1);
        assert_int_equal(peer_switch(&t, s, 0), s / 8 * 8 + (s + 1) % 8);
        assert_int_equal(peer_switch(&t, s, 3), (s + 512 - 8) % 64 + s / 64 * 64);
    }
    /* Mean distance along a ring of 8 is 2; 511 partners of 512 switches. */
    assert_true(f.mean_switches == (6.0 * 512 + 511) / 511);
    cop_topo_free(&t);

    cop_cube_cfg odd = {INTS(2, 3), 2};
    build(&t, "torus", &odd);
    check_ports(&t, true);
    assert_int_equal(t.n_hosts, 12);
    assert_false(t.shape.u.cube.wrap[0]);
    assert_true(t.shape.u.cube.wrap[1]);
    cop_topo_measure(&t, 0, &f);
    assert_int_equal(f.switch_cables, 3 + 6);
    assert_int_equal(cop_topo_entry_switch(&t, 7), 3);
    cop_topo_free(&t);
}

static void dragonflies(void **state)
{
    (void)state;
    static const struct {
        uint32_t h, hosts, ports, groups;
    } want[] = {{1, 6, 3, 3},      {2, 72, 7, 9},     {4, 1056, 15, 33},  {5, 2550, 19, 51},
                {6, 5256, 23, 73}, {7, 9702, 27, 99}, {8, 16512, 31, 129}};
    for (size_t i = 0; i < COP_LEN(want); i++) {
        uint32_t h = want[i].h, a = 2 * h, groups = want[i].groups;
        cop_topo t;
        build(&t, "dragonfly", &(cop_dragonfly_cfg){h, a, h, 0});
        check_ports(&t, true);
        assert_int_equal(t.n_hosts, want[i].hosts);
        assert_int_equal(t.n_switches, a * groups);
        assert_int_equal(t.shape.u.dragonfly.groups, groups);
        uint8_t *pairs = cop_alloc((size_t)groups * groups);
        for (uint32_t s = 0; s < t.n_switches; s++) {
            assert_int_equal(used_ports(&t, s), want[i].ports);
            for (uint32_t j = 0; j < h; j++) {
                uint32_t from = s / a, to = peer_switch(&t, s, h + a - 1 + j) / a;
                uint32_t k = s % a * h + j + 1;
                assert_int_equal(to, (from + groups - k) % groups);
                pairs[(size_t)from * groups + to]++;
            }
            /* Local ports lead to the other switches of the group in ascending order. */
            for (uint32_t j = 0; j + 1 < a; j++)
                assert_int_equal(peer_switch(&t, s, h + j), s / a * a + j + (j >= s % a));
        }
        for (uint32_t g = 0; g < groups; g++)
            for (uint32_t o = 0; o < groups; o++)
                assert_int_equal(pairs[(size_t)g * groups + o], g != o);
        cop_free(pairs);
        /* The last port of the last switch leads to the next group. */
        assert_int_equal(peer_switch(&t, a - 1, h + a - 1 + h - 1) / a, 1);
        cop_topo_facts f;
        cop_topo_measure(&t, 16, &f);
        assert_int_equal(f.diameter, 4);
        cop_topo_free(&t);
    }
}

static void small_dragonflies(void **state)
{
    (void)state;
    for (int64_t groups = 1; groups <= 9; groups++) {
        cop_topo t;
        build(&t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, groups});
        check_ports(&t, true);
        uint32_t n = (uint32_t)groups, pairs[9][9] = {{0}};
        for (uint32_t p = 0; p < t.host_port0; p++)
            if (t.port[p].to != COP_NONE && t.port[p].link_class == COP_LINK_GLOBAL)
                pairs[t.port[p].owner / 4][t.port[t.port[p].to].owner / 4]++;
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                assert_int_equal(pairs[a][b], pairs[b][a]);
                if (a == b)
                    assert_int_equal(pairs[a][b], 0);
                else
                    assert_true(pairs[a][b] >= 8 / (n - 1));
            }
        cop_topo_free(&t);
    }
}

/* Number of paths from every host to every host, by adding up along the columns. */
static void check_one_path(const cop_topo *t)
{
    uint32_t *ways = cop_alloc(t->n_ports * sizeof(*ways));
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        memset(ways, 0, t->n_ports * sizeof(*ways)); /* paths that leave by each port */
        ways[cop_topo_host_port(t, h)] = 1;
        for (uint32_t s = 0; s < t->n_switches; s++) {
            uint32_t in = 0;
            for (uint32_t p = t->sw_port0[s]; p < t->sw_port0[s + 1]; p++)
                in += ways[t->port[p].from];
            for (uint32_t p = t->sw_port0[s]; p < t->sw_port0[s + 1]; p++)
                ways[p] = in;
        }
        for (uint32_t d = 0; d < t->n_hosts; d++)
            assert_int_equal(ways[cop_topo_exit_port(t, d)], 1);
    }
    cop_free(ways);
}

/* The digit rule of topo.h leads from every host to every host. */
static void check_digits(const cop_topo *t)
{
    uint32_t radix = t->shape.u.multistage.radix, stages = t->shape.u.multistage.stages;
    for (uint32_t h = 0; h < t->n_hosts; h++)
        for (uint32_t d = 0; d < t->n_hosts; d++) {
            uint32_t at = t->port[cop_topo_host_port(t, h)].to, weight = t->n_hosts;
            for (uint32_t c = 0; c < stages; c++) {
                weight /= radix;
                uint32_t sw = t->port[at].owner;
                assert_int_equal(sw / (t->n_hosts / radix), c);
                at = t->port[cop_topo_switch_port(t, sw, d / weight % radix)].to;
            }
            assert_int_equal(at, cop_topo_host_port(t, d));
        }
}

static void multistage(void **state)
{
    (void)state;
    static const struct {
        int64_t radix, stages;
        uint32_t hosts;
    } want[] = {{2, 8, 256}, {8, 3, 512}, {16, 2, 256}, {3, 3, 27}, {4, 1, 4}};
    static const char *const kinds[] = {"omega", "butterfly"};
    for (size_t i = 0; i < COP_LEN(want); i++)
        for (size_t k = 0; k < 2; k++) {
            cop_topo t;
            build(&t, kinds[k], &(cop_multistage_cfg){want[i].radix, want[i].stages});
            assert_int_equal(t.n_hosts, want[i].hosts);
            assert_int_equal(t.n_switches, want[i].hosts / want[i].radix * want[i].stages);
            assert_int_equal(t.shape.u.multistage.butterfly, k == 1);
            check_ports(&t, false);
            check_one_path(&t);
            check_digits(&t);
            cop_topo_facts f;
            cop_topo_measure(&t, 0, &f);
            assert_int_equal(f.diameter, want[i].stages);
            assert_true(f.mean_switches == (double)want[i].stages);
            if (want[i].stages > 1)
                assert_int_equal(f.cables, want[i].hosts * (want[i].stages + 1));
            cop_topo_free(&t);
        }
}

static void simple_networks(void **state)
{
    (void)state;
    cop_topo t;
    cop_topo_facts f;
    build(&t, "single", &(cop_single_cfg){.hosts = 5});
    cop_topo_measure(&t, 0, &f);
    assert_int_equal(t.n_switches, 1);
    assert_int_equal(f.cables, 5);
    assert_int_equal(f.diameter, 1);
    cop_topo_free(&t);

    build(&t, "full", &(cop_full_cfg){4, 3});
    check_ports(&t, true);
    cop_topo_measure(&t, 0, &f);
    assert_int_equal(t.n_hosts, 12);
    assert_int_equal(f.switch_cables, 6);
    assert_int_equal(f.diameter, 2);
    assert_int_equal(peer_switch(&t, 2, 3 + 2), 3);
    cop_topo_free(&t);

    cop_chain_cfg two = {.hosts = INTS(3, 4)};
    build(&t, "chain", &two);
    check_ports(&t, true);
    cop_topo_measure(&t, 0, &f);
    assert_int_equal(t.n_hosts, 7);
    assert_int_equal(f.switch_cables, 1);
    assert_int_equal(cop_topo_entry_switch(&t, 2), 0);
    assert_int_equal(cop_topo_entry_switch(&t, 3), 1);
    /* Ordered pairs: 3*2 + 4*3 on one switch, 2*12 over both. */
    assert_true(f.mean_switches == (18 * 1 + 24 * 2) / 42.0);
    cop_topo_free(&t);

    cop_chain_cfg three = {.hosts = INTS(1, 0, 2)};
    build(&t, "chain", &three);
    assert_int_equal(peer_switch(&t, 1, 0), 0);
    assert_int_equal(peer_switch(&t, 1, 1), 2);
    cop_topo_measure(&t, 0, &f);
    assert_int_equal(f.diameter, 3);
    cop_topo_free(&t);
}

static void names(void **state)
{
    (void)state;
    cop_topo t;
    char buf[32];
    cop_chain_cfg cfg = {.hosts = INTS(3, 4)};
    build(&t, "chain", &cfg);
    assert_string_equal(cop_topo_host_name(&t, 6, buf, sizeof(buf)), "h6");
    assert_string_equal(cop_topo_switch_name(&t, 1, buf, sizeof(buf)), "s1");
    assert_string_equal(cop_topo_port_name(&t, cop_topo_switch_port(&t, 1, 4), buf, sizeof(buf)),
                        "s1.4");
    assert_string_equal(cop_topo_port_name(&t, cop_topo_host_port(&t, 2), buf, sizeof(buf)), "h2");
    assert_string_equal(cop_topo_host_name(&t, 6, buf, 2), "h");
    cop_topo_free(&t);
    cfg.names = "A, B C  [D],E,F G9";
    build(&t, "chain", &cfg);
    assert_string_equal(cop_topo_host_name(&t, 0, buf, sizeof(buf)), "A");
    assert_string_equal(cop_topo_host_name(&t, 3, buf, sizeof(buf)), "D");
    assert_string_equal(cop_topo_host_name(&t, 6, buf, sizeof(buf)), "G9");
    assert_string_equal(cop_topo_switch_name(&t, 1, buf, sizeof(buf)), "s1");
    cop_topo_free(&t);
    build(&t, "single", &(cop_single_cfg){.hosts = 2, .names = "left, right"});
    assert_string_equal(cop_topo_host_name(&t, 1, buf, sizeof(buf)), "right");
    cop_topo_free(&t);
}

static void refusals(void **state)
{
    (void)state;
    refuse("single", &(cop_single_cfg){.hosts = 0}, "hosts is 0; must be 1 to 512");
    refuse("single", &(cop_single_cfg){.hosts = 513}, "hosts is 513");
    refuse("single", &(cop_single_cfg){.hosts = INT64_MIN}, "must be 1 to 512");
    refuse("single", &(cop_single_cfg){.hosts = 3, .names = "a b"},
           "2 names for 3 hosts; give one for each");
    refuse("single", &(cop_single_cfg){.hosts = 3, .names = "a b c d"}, "4 names for 3 hosts");
    refuse("full", &(cop_full_cfg){500, 100}, "a switch would need 599 ports");
    cop_chain_cfg none = {.hosts = INTS(0, 0)}, wide = {.hosts = INTS(1, 511, 1)},
                  empty = {.hosts = {NULL, 0}};
    refuse("chain", &none, "no hosts");
    refuse("chain", &wide, "513 ports");
    refuse("chain", &empty, "one per switch");
    refuse("fat-tree", &(cop_fat_tree_cfg){35, 2}, "must be even");
    refuse("fat-tree", &(cop_fat_tree_cfg){36, 4}, "levels is 4; must be 2 to 3");
    refuse("fat-tree", &(cop_fat_tree_cfg){512, 3}, "more hosts than fit; at most 16777216");
    refuse("kary-ntree", &(cop_kary_cfg){256, 8}, "more hosts than fit");
    refuse("kary-ntree", &(cop_kary_cfg){300, 2}, "600 ports");
    refuse("kary-ntree", &(cop_kary_cfg){4, 9}, "n is 9");
    cop_xgft_cfg uneven = {INTS(4, 4), INTS(1)}, roots = {INTS(4, 4), INTS(2, 4)};
    cop_xgft_cfg zero = {INTS(4, 0), INTS(1, 4)};
    cop_xgft_cfg many = {INTS(1, 1, 1, 1, 1, 1, 1, 1), INTS(1, 511, 511, 511, 511, 511, 511, 511)};
    refuse("xgft", &uneven, "children has 2 items and parents has 1");
    refuse("xgft", &roots, "must begin with 1");
    refuse("xgft", &zero, "children[1] is 0");
    refuse("xgft", &many, "more ports than fit");
    cop_cube_cfg flat = {INTS(4, 1), 1}, crowd = {INTS(4, 4), 510}, vast = {INTS(99999, 99999), 1};
    cop_cube_cfg wrap64 = {INTS(1 << 24, 1 << 24, 1 << 16), 1};
    refuse("torus", &flat, "radix[1] is 1; must be 2");
    refuse("mesh", &crowd, "514 ports");
    refuse("mesh", &vast, "more hosts than fit");
    refuse("torus", &wrap64, "more hosts than fit");
    refuse("hypercube", &(cop_hypercube_cfg){17, 1}, "dims is 17; must be 1 to 16");
    refuse("dragonfly", &(cop_dragonfly_cfg){2, 4, 2, 10}, "groups is 10; must be 0 to 9");
    refuse("dragonfly", &(cop_dragonfly_cfg){0, 4, 2, 0}, "p is 0");
    refuse("dragonfly", &(cop_dragonfly_cfg){200, 200, 200, 0}, "599 ports");
    refuse("dragonfly", &(cop_dragonfly_cfg){170, 170, 170, 0}, "more hosts than fit");
    refuse("omega", &(cop_multistage_cfg){512, 24}, "more hosts than fit");
    refuse("butterfly", &(cop_multistage_cfg){1, 3}, "radix is 1; must be 2 to 512");
}

/* Graphs that only a broken generator would make. */
static void finish_checks(void **state)
{
    (void)state;
    const uint32_t two[] = {2, 2};
    cop_topo t = {0};
    cop_err err = {0};
    cop_topo_begin(&t, 2, 2, two);
    cop_topo_cable(&t, 0, 4, COP_LINK_HOST);
    assert_int_equal(cop_topo_finish(&t, &err), -COP_E_INPUT);
    assert_non_null(
        strstr(err.text, "host h1 is not cabled to a switch in both directions (1 such"));
    cop_topo_one_way(&t, 2, 5, COP_LINK_HOST);
    err = (cop_err){0};
    assert_int_equal(cop_topo_finish(&t, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "host h1 is not cabled"));
    cop_topo_one_way(&t, 5, 2, COP_LINK_HOST);
    err = (cop_err){0};
    assert_int_equal(cop_topo_finish(&t, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "no path from host h0 to host h1"));
    cop_topo_one_way(&t, 1, 3, COP_LINK_TRUNK);
    err = (cop_err){0};
    assert_int_equal(cop_topo_finish(&t, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "no path from host h1 to host h0"));
    cop_topo_one_way(&t, 3, 1, COP_LINK_TRUNK);
    assert_int_equal(cop_topo_finish(&t, NULL), 0);
    t.port[3].to = 0;
    err = (cop_err){0};
    assert_int_equal(cop_topo_finish(&t, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "not cabled back"));
    cop_topo_free(&t);

    const uint32_t large[] = {COP_MAX_PORTS + 1};
    cop_topo_begin(&t, 1, 1, large);
    cop_topo_cable(&t, 0, COP_MAX_PORTS + 1, COP_LINK_HOST);
    err = (cop_err){0};
    assert_int_equal(cop_topo_finish(&t, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "switch s0 has 513 ports; a switch has at most 512"));
    cop_topo_free(&t);
}

static void registry(void **state)
{
    (void)state;
    size_t n = 0;
    for (; cop_topologies[n] != NULL; n++) {
        const cop_topo_ops *ops = cop_topologies[n];
        assert_ptr_equal(cop_topo_find(ops->name), ops);
        assert_true(ops->summary[0] && ops->source[0] && ops->cfg_size > 0);
        size_t opts = 0;
        for (; ops->opts[opts].name != NULL; opts++) {
            assert_true(ops->opts[opts].type != COP_OPT_END && ops->opts[opts].help[0] != '\0');
            assert_true(ops->opts[opts].offset < ops->cfg_size);
        }
        assert_true(opts > 0);
    }
    assert_int_equal(n, 13);
    assert_null(cop_topo_find("fat-trees"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kary_ntrees),
        cmocka_unit_test(tree_4_3),
        cmocka_unit_test(fat_trees),
        cmocka_unit_test(tree_648),
        cmocka_unit_test(xgft_coordinates),
        cmocka_unit_test(hypercube_and_mesh),
        cmocka_unit_test(tori),
        cmocka_unit_test(dragonflies),
        cmocka_unit_test(small_dragonflies),
        cmocka_unit_test(multistage),
        cmocka_unit_test(simple_networks),
        cmocka_unit_test(names),
        cmocka_unit_test(refusals),
        cmocka_unit_test(finish_checks),
        cmocka_unit_test(registry),
    };
    return cmocka_run_group_tests_name("topo", tests, NULL, NULL);
}
