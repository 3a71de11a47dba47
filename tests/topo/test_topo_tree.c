/* Trees: counts, levels and coordinates of k-ary n-trees, fat trees and XGFTs. */
#include "topo_fixture.h"

#include "topo/topo_cfg.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kary_ntrees),      cmocka_unit_test(tree_4_3),
        cmocka_unit_test(fat_trees),        cmocka_unit_test(tree_648),
        cmocka_unit_test(xgft_coordinates),
    };
    return cmocka_run_group_tests_name("topo_tree", tests, NULL, NULL);
}
