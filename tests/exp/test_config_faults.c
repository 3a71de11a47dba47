/* Run files with faults: place and remedy of each, several in one go, hostile input. */
#include "config_fixture.h"

#include <stdio.h>
#include <unistd.h>

static void refuse_set(const char *text, const char *set, const char *part)
{
    cop_config c;
    cop_err err = {0};
    cop_override one = {.text = set};
    assert_int_equal(cop_config_load(&c, "two.yaml", text, &one, set ? 1 : 0, &err), -COP_E_INPUT);
    assert_true(err.faults > 0);
    expect(err.text, part);
    cop_config_free(&c);
}

static void refuse(const char *text, const char *part)
{
    refuse_set(text, NULL, part);
}

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
    refuse("experiment: sizes\nbase: fabric.yaml\n",
           "two.yaml:1:13: this is a study of many runs, not a configuration; use `coppice sweep`");
    refuse(TOPO "link: {rate: 20}\n",
           "two.yaml:2:14: rate: `20` has no unit; add a unit, such as `20 Gbit/s`");
    refuse(TOPO "link: {delay: 2 s}\n", "give 1 ps .. 3 ms");
    refuse(TOPO "seed: 3\n", "`seed` stands at top level; write it in section `run`");
    refuse(TOPO "link: {rate: 1 Gbit/s, rate: 2 Gbit/s}\n",
           "two.yaml:2:24: `rate` is given twice, first at two.yaml:2:8; remove one");
    refuse(TOPO TOPO, "two.yaml:2:1: `topology` is given twice");
    refuse("topology: {kind: single, kind: chain}\n", "`kind` is given twice");
    refuse(TOPO "hosts: {0: {receive_rate: 5 Gbit/s}, 1: {receive_rate: 5 Gbit/s},\n"
                "  0: {receive_rate: 4 Gbit/s}}\n",
           "two.yaml:3:3: `0` is given twice, first at two.yaml:2:9; remove one");
    /* what earlier versions had */
    refuse(TOPO "cc: {kind: ibcc, hotspot_degree: 4}\n",
           "two.yaml:2:18: `hotspot_degree` is `cc.senders` now");
    refuse(TOPO "cc: {kind: ibcc, threshold: none}\n", "`none` is no weight; write 0");
    refuse(TOPO "cc: {kind: ibcc, threshold_reference: buffer}\n",
           "`buffer` is gone; write the size of the buffer, as switch.buffer has it, or `preset`");
    refuse(TOPO "link: [1, 2]\n",
           "two.yaml:2:7: link: is a list; write options, such as `link: {rate: 16 Gbit/s}`");
    refuse(TOPO "cc: ibcc\n", "cc: is a single value; write options, such as `cc: {kind: none}`");
    refuse(TOPO "link: {rate: {a: b}}\n",
           "rate: is a map; write a value: rate, 1 Mbit/s .. 100 Tbit/s");
    refuse(TOPO "link: {rate: [1 Gbit/s]}\n", "rate: is a list");
    refuse(TOPO "link: {rate: }\n",
           "rate: has no value; write one (rate, 1 Mbit/s .. 100 Tbit/s), or remove it");
    refuse(TOPO "switch: {architecture: }\n",
           "architecture: has no value; write one (one of ib, iq, cioq), or remove it");
    refuse(TOPO "host: {generation: 4}\n",
           "two.yaml:2:8: `generation` is an option of host.kind hca; choose that, or remove it");
    refuse(TOPO "routing: {kind: dmodk, ties: split}\n",
           "`ties` is an option of routing.kind dor, adaptive-cube, true-adaptive; choose one of "
           "these, or "
           "remove it");
    refuse("topology: {kind: dragonfly, p: 2, a: 4, h: 2, hosts: 100}\n",
           "choose one of these, or remove it; this kind has p, a, h, groups");
    refuse(TOPO "host: {generatoin: 4}\n", "unknown option `generatoin`; use one of kind");
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
    refuse_set(base_text, "run.observe=",
               "observe: has no value; write one (text), nothing as \"\", or remove it");
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
    refuse("&a {topology: *a}\n", "1:15: an alias inside of what it stands for");
    refuse("&a [*a, *a]\n", "an alias inside");
    refuse("topology: &t {kind: *t}\n", "an alias inside");
    refuse(TOPO "traffic: &l [*l, *l]\n", "an alias inside");
    refuse_set("&a {topology: *a}\n", "topology.topology.topology.k=1", "an alias inside");
    /* One long text and aliases of it: short files that would be gigabytes. */
    char *text = repeat("title: &a '", "x", 60000), *aliases = repeat("", ", *a", 6000);
    char *bomb = cop_alloc(strlen(text) + strlen(aliases) + 64);
    sprintf(bomb, "%s'\n" TOPO "traffic: [1%s]\n", text, aliases);
    refuse(bomb, "more than 8 MiB with all aliases written out");
    sprintf(bomb, "%s'\n" TOPO, text);
    cop_config c;
    cop_err err = {0};
    assert_int_equal(cop_config_load(&c, "f.yaml", bomb, NULL, 0, &err), 0);
    cop_config_free(&c);
    cop_free(bomb);
    bomb = cop_alloc(strlen(text) + 200);
    sprintf(bomb, "%s'\ntopology: {kind: single, hosts: 2, names: [*a, *a, *a, *a, *a]}\n", text);
    refuse(bomb, "names: a list of more than 256 KiB");
    cop_free(bomb);
    cop_free(text);
    cop_free(aliases);
    char *longer = repeat("title: ", "x", 270000), *many = repeat("a: &a 1\nb: [1", ", *a", 30000);
    refuse(longer, "1:8: a text of more than 256 KiB");
    refuse(many, "too many aliases");
    cop_free(longer);
    cop_free(many);
    char *set = repeat("topology.kind=", "x", 270000);
    refuse_set(TOPO, set, "more than 256 KiB");
    cop_free(set);
    set = repeat("topology.names=[&a xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, ", "*a, ",
                 1900);
    refuse_set(TOPO, set, "not YAML");
    set[strlen(set) - 2] = ']';
    refuse_set(TOPO, set, "too large");
    cop_free(set);
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
        cmocka_unit_test(faults_have_place_and_remedy),
        cmocka_unit_test(broken_yaml_has_a_mark),
        cmocka_unit_test(several_faults_in_one_go),
        cmocka_unit_test(bad_overrides_name_themselves),
        cmocka_unit_test(hostile_input_is_refused_quickly),
        cmocka_unit_test(unreadable_files),
    };
    return cmocka_run_group_tests_name("config_faults", tests, NULL, NULL);
}
