/* Run files: values, defaults, overrides, faults with their place, hostile input, and that a
 * printed configuration loads to the same structs for every section and plug-in. */
#include "exp/config.h"
#include "exp/sections.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"

static const char base_text[] = "title: two switches\n"
                                "run: {duration: 2 ms, warmup: 500 us, seed: 7}\n"
                                "topology:\n"
                                "  kind: kary-ntree\n"
                                "  k: 4\n"
                                "  n: 3\n"
                                "link: {rate: 13.5 Gbit/s, delay: 20 ns}\n"
                                "switch:\n"
                                "  buffer: 64 KiB\n"
                                "traffic:\n"
                                "  - {name: F1, from: [0, 2-4], pattern: fixed, to: 9}\n"
                                "  - name: F2\n"
                                "    from: 5\n"
                                "    arrival: constant\n"
                                "    rate: 2.5 GB/s\n";

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("text lacks `%s`: %s", part, text);
}

static void load_good(cop_config *c, const char *text, const char *const *set, size_t n)
{
    cop_override overrides[4] = {{NULL}};
    cop_err err = {0};
    for (size_t i = 0; i < n; i++)
        overrides[i].text = set[i];
    if (cop_config_load(c, "dir/two.yaml", text, overrides, n, &err) != 0)
        fail_msg("%s", err.text);
}

static void refuse_set(const char *text, const char *set, const char *part)
{
    cop_config c;
    cop_err err = {0};
    cop_override one = {set};
    assert_int_equal(cop_config_load(&c, "two.yaml", text, &one, set ? 1 : 0, &err), -COP_E_INPUT);
    assert_true(err.faults > 0);
    expect(err.text, part);
    cop_config_free(&c);
}

static void refuse(const char *text, const char *part)
{
    refuse_set(text, NULL, part);
}

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
        if (!cop_plugin_find(routing, name, &p))
            fail_msg("no routing %s for %s", name, cop_topologies[i]->name);
    }
    assert_string_equal(cop_routing_for("torus"), "dor");
    assert_string_equal(cop_routing_for("dragonfly"), "dragonfly-min");
    assert_string_equal(cop_routing_for("omega"), "destination-tag");
    assert_string_equal(cop_routing_for("file"), "updn");
    assert_string_equal(cop_routing_for("single"), "minhop");
}

#define TOPO "topology: {kind: kary-ntree, k: 4, n: 2}\n"

static void faults_have_place_and_remedy(void **state)
{
    (void)state;
    refuse("topology: {kind: kary-ntre, k: 4, n: 2}\n",
           "two.yaml:1:18: unknown kind of topology `kary-ntre`; did you mean `kary-ntree`?");
    refuse("topology: {kind: kary-ntree, n: 2}\n",
           "two.yaml:1:11: topology.k is missing; give `k`");
    refuse("run: {seed: 1}\n", "two.yaml: topology.kind is missing; choose one of");
    refuse(TOPO "switch: {bufer: 64 KiB}\n",
           "two.yaml:2:10: unknown option `bufer`; did you mean `buffer`?");
    refuse(TOPO "swich: {buffer: 64 KiB}\n",
           "two.yaml:2:1: unknown section `swich`; did you mean `switch`?");
    refuse(TOPO "link: {rate: 20}\n",
           "two.yaml:2:14: rate: `20` has no unit; add a unit, such as `20 Gbit/s`");
    refuse(TOPO "link: {delay: 2 s}\n", "give 1 ps .. 3 ms");
    refuse(TOPO "seed: 3\n", "`seed` stands at top level; write it in section `run`");
    refuse(TOPO "link: {rate: 1 Gbit/s, rate: 2 Gbit/s}\n",
           "two.yaml:2:24: `rate` is given twice, first at two.yaml:2:8; remove one");
    refuse(TOPO TOPO, "two.yaml:2:1: `topology` is given twice");
    refuse("topology: {kind: single, kind: chain}\n", "`kind` is given twice");
    refuse(TOPO "link: [1, 2]\n",
           "two.yaml:2:7: link: is a list; write options, such as `link: {rate: 16 Gbit/s}`");
    refuse(TOPO "cc: ibcc\n", "cc: is a single value; write options, such as `cc: {kind: none}`");
    refuse(TOPO "link: {rate: {a: b}}\n",
           "rate: is a map; write a value: rate, 1 Mbit/s .. 100 Tbit/s");
    refuse(TOPO "link: {rate: [1 Gbit/s]}\n", "rate: is a list");
    refuse(TOPO "link: {rate: }\n", "rate: has no value");
    refuse(TOPO "cc: {kind: [a]}\n", "cc.kind: is not a word");
    refuse(TOPO "flow_control: {kind: creditt}\n", "did you mean `credit`");
    refuse(TOPO "traffic: {from: 1}\n", "traffic: is not a list; begin each entry with `- `");
    refuse(TOPO "traffic: [3]\n", "traffic[0]: is not a map");
    refuse(TOPO "traffic: [{form: 3}]\n",
           "two.yaml:2:12: unknown option `form`; did you mean `from`?");
    refuse(TOPO "traffic: [{from: [[1]]}]\n", "not a plain value");
    refuse(TOPO "? [a]\n: b\n", "a key that is not a word");
    refuse(TOPO "name: \"a\\0b\"\n", "NUL");
}

static void broken_yaml_has_a_mark(void **state)
{
    (void)state;
    refuse("topology: {kind: x\nlink: 3\n", "two.yaml:2:5: not YAML");
    refuse("topology:\n\tkind: x\n", "two.yaml:2:1: not YAML");
    refuse("a: \"open\n", "not YAML");
    refuse("a: *nobody\n", "not YAML: found undefined alias");
    refuse("", "no sections");
    refuse("just text\n", "no sections");
    refuse("- a\n- b\n", "no sections");
    refuse(TOPO "---\nb: 2\n", "two.yaml:3:1: a second document begins");
    refuse("topology:\n  kind: \xff\xfe\n", "two.yaml:2:9: not YAML");
}

static void several_faults_in_one_go(void **state)
{
    (void)state;
    cop_config c;
    cop_err err = {0};
    const char *text = "topology: {kind: kary-ntree, k: x, n: 0}\nlink: {rate: 5, dely: 3 ns}\n"
                       "nic: {mtu: 1 ns}\ntraffic: [{rate: 3}]\n";
    assert_int_equal(cop_config_load(&c, "two.yaml", text, NULL, 0, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 6);
    size_t lines = 1;
    for (const char *s = err.text; *s; s++)
        lines += *s == '\n';
    assert_int_equal(lines, 6);
    expect(err.text, "did you mean `delay`");
    expect(err.text, "two.yaml:4:18: rate: `3` has no unit");
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

static void bad_overrides_name_themselves(void **state)
{
    (void)state;
    refuse_set(base_text, "switch.bufer=1 KiB",
               "--set switch.bufer=1 KiB: unknown option `bufer`; did you mean `buffer`?");
    refuse_set(base_text, "switch.buffer=1", "--set switch.buffer=1: buffer: `1` has no unit");
    refuse_set(base_text, "swtch.buffer=1 KiB", "unknown section `swtch`; did you mean `switch`?");
    refuse_set(base_text, "switch", "--set switch: no value; write key.path=value");
    refuse_set(base_text, "=3", "no value");
    refuse_set(base_text, "a..b=3", "not a path");
    refuse_set(base_text, "a.b.c.d.e=3", "not a path");
    refuse_set(base_text, "traffic.2.sl=3", "there is no such entry; the list has 2");
    refuse_set(base_text, "traffic.F3.sl=3", "there is no such entry");
    refuse_set(base_text, "traffic.9=3", "there is no such entry");
    refuse_set(base_text, "title.x=3", "the path goes through a value");
    refuse_set(base_text, "topology.k.x=3", "the path goes through a value");
    refuse_set(base_text, "link.rate.x.y=3", "the path goes through a value");
    refuse_set(base_text, "nic.mtu.x=3", "mtu: is a map");
    refuse_set(base_text, "traffic=3", "traffic: is not a list");
    refuse_set(base_text, "switch.lanes=[1", "the value is not YAML");
    refuse_set(base_text, "link.rate=[[[[[[1]]]]]]", "too deep");
    refuse_set(base_text, "title=\xc3(", "UTF-8");
    refuse_set(base_text, "run.seed=", "--set run.seed=: seed: has no value");
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

/* Are the fields of option o the same in a and b? */
static bool same_option(const cop_opt *o, const void *a, const void *b)
{
    const char *x = (const char *)a + o->offset, *y = (const char *)b + o->offset;
    switch (o->type) {
    case COP_OPT_BOOL:
        return *(const bool *)x == *(const bool *)y;
    case COP_OPT_ENUM:
        return memcmp(x, y, sizeof(int)) == 0;
    case COP_OPT_STRING:
        return strcmp(*(const char *const *)(const void *)x,
                      *(const char *const *)(const void *)y) == 0;
    case COP_OPT_INTS:
    case COP_OPT_REALS:
    case COP_OPT_TIMES: {
        cop_ints p, q;
        memcpy(&p, x, sizeof(p));
        memcpy(&q, y, sizeof(q));
        return p.n == q.n && memcmp(p.v, q.v, p.n * sizeof(*p.v)) == 0;
    }
    default:
        return memcmp(x, y, 8) == 0;
    }
}

static void expect_same_table(const cop_opt *table, const void *a, const void *b)
{
    for (const cop_opt *o = table; o && o->type != COP_OPT_END; o++)
        if (!same_option(o, a, b))
            fail_msg("option %s changed", o->name);
}

static void expect_same(cop_config *a, cop_config *b)
{
    expect_same_table(cop_root_opts, a, b);
    expect_same_table(cop_run_opts, &a->run, &b->run);
    expect_same_table(cop_link_opts, &a->link, &b->link);
    expect_same_table(cop_switch_opts, &a->sw, &b->sw);
    expect_same_table(cop_fc_opts, &a->fc, &b->fc);
    expect_same_table(cop_nic_opts, &a->nic, &b->nic);
    assert_ptr_equal(a->topo, b->topo);
    assert_ptr_equal(a->route, b->route);
    assert_ptr_equal(a->queue, b->queue);
    assert_ptr_equal(a->cc, b->cc);
    expect_same_table(a->topo->opts, a->topo_cfg, b->topo_cfg);
    expect_same_table(a->route->opts, a->route_cfg, b->route_cfg);
    expect_same_table(a->queue->opts, a->queue_cfg, b->queue_cfg);
    expect_same_table(a->cc->opts, a->cc_cfg, b->cc_cfg);
    assert_int_equal(a->n_traffic, b->n_traffic);
    for (size_t i = 0; i < a->n_traffic; i++)
        expect_same_table(cop_traffic_opts, &a->traffic[i], &b->traffic[i]);
}

/* Everything YAML could stumble over. */
static const char *const strings[] = {"plain",
                                      "no",
                                      "with space",
                                      "a: b # c",
                                      "\"quoted\\\"",
                                      "two\nlines\t\x01",
                                      "Gr\xc3\xbc\xc3\x9f"
                                      "e",
                                      "\xe2\x80\xa8\xc2\x85",
                                      "- x",
                                      "{}",
                                      "\xef\xbb\xbf"
                                      "bom",
                                      "0-7:2",
                                      " lead",
                                      ""};

/* Any value an option may have, as stored. */
static void fill_random(const cop_opt *o, void *cfg, cop_arena *arena, cop_rng *rng)
{
    void *field = (char *)cfg + o->offset;
    double span = o->max > o->min ? o->max - o->min : 1e6;
    double real = o->min + span * cop_rng_unit(rng) * (cop_rng_below(rng, 2) ? 1.0 : 1e-3);
    if (real > 1e18)
        real = 1e18;
    size_t n = cop_rng_below(rng, 6);
    switch (o->type) {
    case COP_OPT_BOOL:
        *(bool *)field = cop_rng_below(rng, 2);
        break;
    case COP_OPT_INT:
        *(int64_t *)field = (int64_t)real;
        break;
    case COP_OPT_REAL:
    case COP_OPT_SHARE:
        *(double *)field = real;
        break;
    case COP_OPT_ENUM:
        for (n = 0; o->names[n]; n++)
            ;
        *(int *)field = (int)cop_rng_below(rng, (uint32_t)n);
        break;
    case COP_OPT_STRING:
        if (strcmp(o->name, "path") == 0)
            *(const char **)field = "/some where/x.txt";
        else
            *(const char **)field = strings[cop_rng_below(rng, COP_LEN(strings))];
        break;
    case COP_OPT_INTS:
        *(cop_ints *)field = (cop_ints){COP_NEW_ARRAY(arena, int64_t, n), n};
        for (size_t i = 0; i < n; i++)
            ((cop_ints *)field)->v[i] =
                (int64_t)(o->min + (double)cop_rng_below(rng, (uint32_t)(span < 20 ? span : 20)));
        break;
    case COP_OPT_REALS:
        *(cop_reals *)field = (cop_reals){COP_NEW_ARRAY(arena, double, n), n};
        for (size_t i = 0; i < n; i++)
            ((cop_reals *)field)->v[i] = o->min + cop_rng_unit(rng) * span;
        break;
    case COP_OPT_TIMES:
        *(cop_times *)field = (cop_times){COP_NEW_ARRAY(arena, uint64_t, n), n};
        for (size_t i = 0; i < n; i++)
            ((cop_times *)field)->v[i] = (uint64_t)(o->min + cop_rng_unit(rng) * span);
        break;
    default:
        *(uint64_t *)field = (uint64_t)real;
        break;
    }
}

static void fill_table(const cop_opt *table, void *cfg, cop_arena *arena, cop_rng *rng)
{
    for (const cop_opt *o = table; o && o->type != COP_OPT_END; o++)
        fill_random(o, cfg, arena, rng);
}

static void *fill_plugin(const cop_section *s, const cop_plugin *p, cop_config *c, cop_rng *rng)
{
    void *cfg = cop_arena_alloc(&c->arena, p->cfg_size);
    fill_table(p->opts, cfg, &c->arena, rng);
    memcpy((char *)c + s->ops_offset, &p->ops, sizeof(p->ops));
    memcpy((char *)c + s->cfg_offset, &cfg, sizeof(cfg));
    return cfg;
}

/* Load, fill every option of every section at random with plug-in `p` in section `s`, print, load.
 */
static void circle(const cop_section *s, const cop_plugin *p, cop_rng *rng)
{
    cop_config a, b;
    cop_err err = {0};
    load_good(&a, base_text, NULL, 0);
    for (const cop_section *t = cop_sections; t->name; t++)
        if (t->opts != NULL)
            fill_table(t->opts, (char *)&a + t->cfg_offset, &a.arena, rng);
    for (size_t i = 0; i < a.n_traffic; i++)
        fill_table(cop_traffic_opts, &a.traffic[i], &a.arena, rng);
    fill_table(cop_root_opts, &a, &a.arena, rng);
    a.name = "some name";
    fill_plugin(s, p, &a, rng);
    const char *text = cop_config_print(&a);
    if (cop_config_load(&b, "again.yaml", text, NULL, 0, &err) != 0)
        fail_msg("%s does not load again: %s\n%s", p->name, err.text, text);
    expect_same(&a, &b);
    assert_true(cop_config_hash(&a) == cop_config_hash(&b));
    cop_config_free(&b);
    cop_config_free(&a);
}

static void printed_configurations_load_again(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(3, COP_RNG_TEST, 0);
    for (const cop_section *s = cop_sections; s->name != NULL; s++) {
        cop_plugin p;
        for (size_t i = 0; s->plugin != NULL && s->plugin(i, &p); i++)
            for (int round = 0; round < 3; round++)
                circle(s, &p, &rng);
    }
}

/* Every table: names unique, help there, default readable, printable and described. */
static void check_table(const char *owner, const cop_opt *table, size_t cfg_size)
{
    cop_arena arena = {0};
    void *cfg = cop_alloc(cfg_size);
    cop_opt_defaults(table, cfg, &arena);
    for (const cop_opt *o = table; o && o->type != COP_OPT_END; o++) {
        char buf[2000];
        if (o->help == NULL || o->help[0] == '\0' || cop_opt_find(table, o->name) != o)
            fail_msg("%s.%s: no help, or named twice", owner, o->name);
        assert_true(o->type == COP_OPT_ENUM ? o->names != NULL : o->names == NULL);
        assert_true(strlen(cop_opt_describe(o, buf, sizeof(buf))) > 2);
        if (o->def == NULL)
            continue;
        cop_err err = {0};
        cop_opt_print(o, cfg, buf, sizeof(buf));
        if (cop_opt_parse(o, cfg, buf, &arena, NULL, &err) != 0)
            fail_msg("%s: printed default is refused: %s", owner, err.text);
    }
    cop_free(cfg);
    cop_arena_free(&arena);
}

static void every_table_is_sound(void **state)
{
    (void)state;
    check_table("link", cop_link_opts, sizeof(cop_link_cfg));
    check_table("switch", cop_switch_opts, sizeof(cop_switch_cfg));
    check_table("flow_control", cop_fc_opts, sizeof(cop_fc_cfg));
    check_table("nic", cop_nic_opts, sizeof(cop_nic_cfg));
    check_table("run", cop_run_opts, sizeof(cop_run_cfg));
    check_table("traffic", cop_traffic_opts, sizeof(cop_traffic_cfg));
    for (const cop_section *s = cop_sections; s->name != NULL; s++) {
        cop_plugin p;
        const char *names[100];
        for (size_t i = 0; s->plugin != NULL && s->plugin(i, &p); i++) {
            check_table(p.name, p.opts, p.cfg_size);
            assert_true(strlen(p.summary) > 0);
            size_t n = cop_plugin_names(s, names, 100);
            for (size_t k = 0; k < n; k++)
                assert_true(k == i || strcmp(names[k], p.name) != 0);
        }
    }
}

static char *repeat(const char *head, const char *part, size_t n)
{
    size_t h = strlen(head), p = strlen(part);
    char *text = cop_alloc(h + n * p + 1);
    memcpy(text, head, h);
    for (size_t i = 0; i < n; i++)
        memcpy(text + h + i * p, part, p);
    return text;
}

static void hostile_input_is_refused_quickly(void **state)
{
    (void)state;
    static const struct {
        const char *head, *part;
        size_t n;
        const char *message;
    } cases[] = {
        {"topology: ", "[", 3000000, "nested too deep"},
        {"topology: ", "{a: ", 500000, "nested too deep"},
        {"", "- - - - - - - - ", 100000, "nested too deep"},
        {"", "a: 1\n", 200000, "unknown section"},
        {TOPO "traffic:\n", "- {}\n", 70000, "at most 65536"},
        {TOPO "traffic:\n- &a {from: 0, to_list: [0-1000000]}\n", "- *a\n", 5000, "too long"},
        {"", "# 45678901234567890123456789012345678901234567890\n", 100000, "larger than 4 MiB"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char *text = repeat(cases[i].head, cases[i].part, cases[i].n);
        refuse(text, cases[i].message);
        cop_free(text);
    }
    char *anchors = cop_alloc(2000 * 16);
    for (size_t i = 0, used = 0; i < 2000; i++)
        used += (size_t)sprintf(anchors + used, "- &a%zu x\n", i);
    refuse(anchors, "too many anchors");
    cop_free(anchors);
    refuse("&a {topology: *a}\n", "topology.kind is missing");
    refuse("&a [*a, *a]\n", "no sections");
    refuse("topology: &t {kind: *t}\n", "topology.kind: is not a word");
    refuse(TOPO "traffic: &l [*l, *l]\n", "traffic[0]: is not a map");
    refuse_set("&a {topology: *a}\n", "topology.topology.topology.k=1", "topology.kind is missing");
}

static void unreadable_files(void **state)
{
    (void)state;
    cop_config c;
    cop_err err = {0};
    assert_int_equal(cop_config_load(&c, "/nowhere/x.yaml", NULL, NULL, 0, &err), -COP_E_IO);
    expect(err.text, "/nowhere/x.yaml: cannot be read: No such file");
    cop_err second = {0};
    assert_int_equal(cop_config_load(&c, "/", NULL, NULL, 0, &second), -COP_E_IO);
    expect(second.text, "directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(defaults_of_missing_sections),
        cmocka_unit_test(auto_routing_exists_for_every_topology),
        cmocka_unit_test(faults_have_place_and_remedy),
        cmocka_unit_test(broken_yaml_has_a_mark),
        cmocka_unit_test(several_faults_in_one_go),
        cmocka_unit_test(overrides_change_the_document),
        cmocka_unit_test(overrides_do_not_reach_through_aliases),
        cmocka_unit_test(bad_overrides_name_themselves),
        cmocka_unit_test(where_options_were_given),
        cmocka_unit_test(paths_are_relative_to_the_file),
        cmocka_unit_test(printed_configurations_load_again),
        cmocka_unit_test(every_table_is_sound),
        cmocka_unit_test(hostile_input_is_refused_quickly),
        cmocka_unit_test(unreadable_files),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
