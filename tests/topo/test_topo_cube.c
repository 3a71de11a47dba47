/* Cubes, dragonflies and one-way networks: neighbours, groups, the only path. */
#include "topo_fixture.h"

#include <string.h>

#include "topo/topo_cfg.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hypercube_and_mesh), cmocka_unit_test(tori),
        cmocka_unit_test(dragonflies),        cmocka_unit_test(small_dragonflies),
        cmocka_unit_test(multistage),
    };
    return cmocka_run_group_tests_name("topo_cube", tests, NULL, NULL);
}
