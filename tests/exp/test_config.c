/* Run files: values, defaults, overrides, where options were given. */
#include "config_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "exp/sections.h"

static void values_arrive(void **state)
{
    (void)state;
    cop_config c;
    load_good(&c, base_text, NULL, 0);
    assert_string_equal(c.name, "two");
    assert_string_equal(c.title, "two switches");
    assert_true(c.run.duration_ps == 2 * COP_MS && c.run.warmup_ps == 500 * COP_US);
    assert_int_equal(c.run.seed, 7);
    assert_true(c.link.rate_bps == 13500000000u && c.link.delay_ps == 20000);
    assert_true(c.sw.buffer_bytes == 65536);
    assert_string_equal(c.topo->name, "kary-ntree");
    const cop_opt *k = cop_opt_find(c.topo->opts, "k");
    char buf[64];
    assert_string_equal(cop_opt_print(k, c.topo_cfg, buf, sizeof(buf)), "4");
    assert_int_equal(c.n_traffic, 2);
    assert_string_equal(c.traffic[0].name, "F1");
    assert_string_equal(c.traffic[0].from, "0,2-4");
    assert_string_equal(c.traffic[0].to, "9");
    assert_true(c.traffic[1].rate_bps == 20000000000u);
    cop_config_free(&c);
}

static void defaults_of_missing_sections(void **state)
{
    (void)state;
    cop_config c;
    load_good(&c, "topology: {kind: kary-ntree, k: 4, n: 2}\ncc:\nnic: {}\n", NULL, 0);
    assert_string_equal(c.queue->name, "voqsw");
    assert_string_equal(c.cc->name, "none");
    assert_string_equal(c.route->name, "dmodk");
    assert_true(c.link.rate_bps == 16000000000u);
    assert_int_equal(c.n_traffic, 0);
    cop_config_free(&c);
}

static void auto_routing_exists_for_every_topology(void **state)
{
    (void)state;
    const cop_section *routing = cop_section_find("routing");
    for (size_t i = 0; cop_topologies[i] != NULL; i++) {
        cop_plugin p;
        const char *name = cop_routing_for(cop_topologies[i]->name);
        if (!cop_plugin_find(routing, NULL, name, &p))
            fail_msg("no routing %s for %s", name, cop_topologies[i]->name);
    }
    assert_string_equal(cop_routing_for("torus"), "dor");
    assert_string_equal(cop_routing_for("dragonfly"), "dragonfly-min");
    assert_string_equal(cop_routing_for("omega"), "destination-tag");
    assert_string_equal(cop_routing_for("file"), "updn");
    assert_string_equal(cop_routing_for("single"), "minhop");
}

static void overrides_change_the_document(void **state)
{
    (void)state;
    cop_config c;
    const char *const set[] = {"switch.buffer=\"32 KiB\"", "traffic.1.rate=1 Gbit/s",
                               "traffic.F1.from=[7, 8]", "nic.mtu=4 KiB"};
    load_good(&c, base_text, set, 4);
    assert_true(c.sw.buffer_bytes == 32768);
    assert_true(c.traffic[1].rate_bps == 1000000000u);
    assert_string_equal(c.traffic[0].from, "7,8");
    assert_true(c.nic.mtu_bytes == 4096);
    cop_config_free(&c);
    const char *const kind[] = {"topology.kind=torus", "topology.radix=[4, 4]", "name=x=y"};
    load_good(&c, base_text, kind, 3);
    assert_string_equal(c.topo->name, "torus"); /* k and n of the tree are gone */
    assert_string_equal(c.route->name, "dor");
    assert_string_equal(c.name, "x=y");
    cop_config_free(&c);
    const char *const same[] = {"topology.kind=kary-ntree"};
    load_good(&c, base_text, same, 1); /* not a new kind: options stay */
    cop_config_free(&c);
}

static void overrides_do_not_reach_through_aliases(void **state)
{
    (void)state;
    cop_config c;
    const char *const set[] = {"traffic.1.sl=3"};
    load_good(&c, TOPO "traffic: [&a {sl: 1}, *a]\n", set, 1);
    assert_int_equal(c.traffic[0].sl, 1);
    assert_int_equal(c.traffic[1].sl, 3);
    cop_config_free(&c);
}

static void where_options_were_given(void **state)
{
    (void)state;
    cop_config c;
    char buf[200];
    const char *const set[] = {"nic.mtu=4 KiB"};
    load_good(&c, base_text, set, 1);
    assert_string_equal(cop_config_where(&c, "topology.k", buf, sizeof(buf)), "dir/two.yaml:5:6");
    assert_string_equal(cop_config_where(&c, "topology.zzz", buf, sizeof(buf)), "dir/two.yaml:4:3");
    assert_string_equal(cop_config_where(&c, "topology", buf, sizeof(buf)), "dir/two.yaml:4:3");
    assert_string_equal(cop_config_where(&c, "traffic[1].rate", buf, sizeof(buf)),
                        "dir/two.yaml:15:11");
    assert_string_equal(cop_config_where(&c, "traffic[1].load", buf, sizeof(buf)),
                        "dir/two.yaml:12:5");
    assert_string_equal(cop_config_where(&c, "traffic[7].load", buf, sizeof(buf)),
                        "dir/two.yaml:11:3");
    assert_string_equal(cop_config_where(&c, "nic.mtu", buf, sizeof(buf)), "--set nic.mtu=4 KiB");
    assert_string_equal(cop_config_where(&c, "cc.kind", buf, sizeof(buf)), "dir/two.yaml");
    assert_string_equal(cop_config_where(&c, "title", buf, sizeof(buf)), "dir/two.yaml:1:8");
    cop_config_free(&c);
}

static void paths_are_relative_to_the_file(void **state)
{
    (void)state;
    cop_config c;
    cop_err err = {0};
    const char *text = "topology: {kind: file, path: nets/a.txt}\n";
    assert_int_equal(cop_config_load(&c, "/tmp/f.yaml", text, NULL, 0, &err), 0);
    const char *path = *(const char *const *)c.topo_cfg;
    const cop_opt *o = cop_opt_find(c.topo->opts, "path");
    char buf[300];
    assert_int_equal(o->offset, 0);
    expect(path, "/tmp/nets/a.txt");
    assert_int_equal(path[0], '/');
    cop_config_free(&c);
    assert_int_equal(cop_config_load(&c, "f.yaml", text, NULL, 0, &err), 0);
    char here[200];
    assert_non_null(getcwd(here, sizeof(here)));
    snprintf(buf, sizeof(buf), "%s/nets/a.txt", here);
    assert_string_equal(*(const char *const *)c.topo_cfg, buf);
    cop_config_free(&c);
    text = "topology: {kind: file, path: /abs/a.txt}\n";
    assert_int_equal(cop_config_load(&c, "x/f.yaml", text, NULL, 0, &err), 0);
    assert_string_equal(*(const char *const *)c.topo_cfg, "/abs/a.txt");
    cop_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(defaults_of_missing_sections),
        cmocka_unit_test(auto_routing_exists_for_every_topology),
        cmocka_unit_test(overrides_change_the_document),
        cmocka_unit_test(overrides_do_not_reach_through_aliases),
        cmocka_unit_test(where_options_were_given),
        cmocka_unit_test(paths_are_relative_to_the_file),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
