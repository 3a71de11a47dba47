/* Topologies in general: the simple ones, names of ports, refused sizes, the checks of a finished graph,
 * the registry, small networks of every kind. */
#include "topo_fixture.h"

#include <string.h>

#include "draw_int.h"
#include "exp/sections.h"
#include "topo/topo_cfg.h"

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
    refuse("single", &(cop_single_cfg){.hosts = 3, .names = "a b a"}, "two hosts are called `a`");
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
    refuse("dragonfly", &(cop_dragonfly_cfg){2, 4, 2, 10}, "groups is 10; must be 1 to 9, or most");
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
    assert_true(n > 0);
    assert_null(cop_topo_find("fat-trees"));
}

/* Of every topology in the list the random scenarios find small networks, also if no test knows it by name. Each is
 * numbered as topo.h says, and has the hosts that the scenario sends to. */
static void small_networks(void **state)
{
    (void)state;
    const cop_section *s = cop_section_find("topology");
    cop_plugin p;
    draw *d = cop_alloc(sizeof(*d));
    for (size_t i = 0; s->plugin(i, &p); i++)
        for (uint32_t k = 0; k < 10; k++) {
            *d = (draw){.rng = cop_rng_make(k, COP_RNG_TEST, 3), .mtu = 2048, .link_gbps = 100};
            if (!draw_small(d, &p))
                fail_msg("topology %s: no small network follows from its option table; name one in "
                         "tests/support/draw_network.c",
                         p.name);
            cop_config c;
            cop_topo t;
            cop_topo_facts f;
            cop_err err = {0};
            assert_true(draw_load(d, "traffic: [{}]\n", &c, &t, &err));
            assert_string_equal(t.kind, p.name);
            assert_int_equal(t.n_hosts, d->hosts);
            check_ports(&t, t.shape.kind != COP_SHAPE_MULTISTAGE);
            cop_topo_measure(&t, 0, &f);
            assert_in_range(f.diameter, 1, t.n_switches);
            assert_true(f.cables >= t.n_hosts && f.mean_switches <= f.diameter);
            cop_topo_free(&t);
            cop_config_free(&c);
        }
    cop_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_networks), cmocka_unit_test(names),
        cmocka_unit_test(refusals),        cmocka_unit_test(finish_checks),
        cmocka_unit_test(registry),        cmocka_unit_test(small_networks),
    };
    return cmocka_run_group_tests_name("topo", tests, NULL, NULL);
}
