/* Walks every registry: what a new plug-in must bring is checked here, not by readers. Also: the lists of
 * the program and docs/CONFIG.md are what the tables say now. */
#include "plugins_fixture.h"

#include "topo/topo_cfg.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* -- plug-ins -- */

static void test_topologies(void **state)
{
    (void)state;
    cop_plugin p;
    const cop_section *routings = cop_section_find("routing");
    for (size_t i = 0; cop_topologies[i] != NULL; i++) {
        assert_ptr_equal(cop_topo_find(cop_topologies[i]->name), cop_topologies[i]);
        assert_non_null(cop_topologies[i]->build);
        /* The routing that `auto` stands for exists. */
        assert_true(cop_plugin_find(routings, NULL, cop_routing_for(cop_topologies[i]->name), &p));
    }
    assert_null(cop_topo_find("no-such-kind"));
}

static void test_routings(void **state)
{
    (void)state;
    for (size_t i = 0; cop_routings[i] != NULL; i++) {
        const cop_route_ops *ops = cop_routings[i];
        assert_ptr_equal(cop_route_find(ops->name), ops);
        assert_non_null(ops->setup);
        assert_non_null(ops->route);
        /* Messages and notifications are heard by what the routing keeps. */
        assert_true(ops->port_values == NULL || ops->port_value != NULL);
    }
    assert_null(cop_route_find("no-such-kind"));
}

static void *default_cfg(const cop_opt *opts, size_t size, cop_arena *arena)
{
    void *cfg = cop_arena_alloc(arena, size + 1);
    if (opts != NULL)
        cop_opt_defaults(opts, cfg, arena);
    return cfg;
}

/* Lane numbers, queue numbers and sections stay inside the layout for every packet. */
static void test_queueings(void **state)
{
    (void)state;
    cop_arena arena = {0};
    for (size_t i = 0; cop_queueings[i] != NULL; i++) {
        const cop_queue_ops *ops = cop_queueings[i];
        assert_ptr_equal(cop_queue_find(ops->name), ops);
        assert_non_null(ops->layout);
        assert_non_null(ops->select);
        void *cfg = default_cfg(ops->opts, ops->cfg_size, &arena);
        cop_netinfo info = {.n_hosts = 24, .n_switches = 4, .lanes = 4, .mtu_bytes = 2048};
        cop_queue_layout l = {0};
        ops->layout(cfg, &info, 8, &l);
        assert_true(l.queues >= 1);
        assert_true(l.sections == 0 || ops->section != NULL);
        assert_true(!l.per_output || l.queues == 8 * info.lanes);
        if (ops->lanes != NULL)
            assert_in_range(ops->lanes(cfg), 1, COP_MAX_VL);
        for (uint32_t k = 0; k < 24 * 8 * 4; k++) {
            cop_pkt p = {.dst = k % 24, .out = (uint16_t)(k / 24 % 8), .vl = (uint8_t)(k % 4)};
            p.out_vl = p.vl;
            uint32_t q = ops->select(cfg, &info, &p);
            assert_true(q < l.queues);
            assert_true(!l.per_output || q == p.out * info.lanes + p.out_vl);
            if (l.sections)
                assert_true(ops->section(cfg, &info, &p, p.vl) < l.sections);
        }
    }
    assert_null(cop_queue_find("no-such-kind"));
    cop_arena_free(&arena);
}

/* vftree: the hosts of a leaf are dealt out over the scheme's own lanes, in the order of their
 * ports, be there more lanes or not. Switches of three, two and four hosts. */
static void test_vftree_deals_out_the_hosts_of_a_leaf(void **state)
{
    (void)state;
    static const uint8_t of_two[] = {0, 1, 0, 0, 1, 0, 1, 0, 1};
    static const uint8_t of_three[] = {0, 1, 2, 0, 1, 0, 1, 2, 0};
    const cop_queue_ops *ops = cop_queue_find("vftree");
    cop_topo t = {0};
    int64_t hosts[] = {3, 2, 4}, lanes[] = {2, 3};
    assert_int_equal(cop_topo_find("chain")->build(&t, &(cop_chain_cfg){.hosts = {hosts, 3}}, NULL),
                     0);
    cop_netinfo info = {.n_hosts = 9, .n_switches = 3, .lanes = 3, .topo = &t};
    for (size_t i = 0; i < COP_LEN(lanes); i++) {
        assert_int_equal(ops->lanes(&lanes[i]), lanes[i]);
        assert_int_equal(ops->check(&lanes[i], &info, NULL), 0);
        for (uint32_t dst = 0; dst < 9; dst++)
            for (uint32_t src = 0; src < 9; src++)
                assert_int_equal(ops->inject_vl(&lanes[i], &info, src, dst, 2),
                                 (lanes[i] == 2 ? of_two : of_three)[dst]);
    }
    info.lanes = 2;
    assert_int_equal(ops->check(&lanes[0], &info, NULL), 0);
    assert_int_equal(ops->check(&lanes[1], &info, NULL), -COP_E_INPUT);
    cop_topo_free(&t);
}

static void test_congestion_controls(void **state)
{
    (void)state;
    for (size_t i = 0; cop_ccs[i] != NULL; i++) {
        const cop_cc_ops *ops = cop_ccs[i];
        assert_ptr_equal(cop_cc_find(ops->name), ops);
        bool source =
            ops->at_source.next_send || ops->at_source.on_send || ops->at_source.on_control;
        if (source != (ops->flow_size > 0))
            COMPLAIN("cc.%s: state per flow and functions of the source go together\n", ops->name);
        assert_true(ops->port_size == 0 || ops->at_switch.on_enqueue || ops->at_switch.on_dequeue);
    }
    assert_non_null(cop_cc_find("none"));
    assert_null(cop_cc_find("no-such-kind"));
}

/* Every kind that needs nothing more can be written in a run file. */
static void test_kinds_load_from_a_file(void **state)
{
    (void)state;
    static const char *const sections[] = {"routing", "queueing", "cc"};
    for (size_t i = 0; i < COP_LEN(sections); i++) {
        const cop_section *s = cop_section_find(sections[i]);
        cop_plugin p;
        for (size_t k = 0; s->plugin(k, &p); k++) {
            bool needs = false;
            for (const cop_opt *o = p.opts; o != NULL && o->type != COP_OPT_END; o++)
                needs = needs || o->def == NULL;
            if (needs)
                continue;
            char yaml[200];
            cop_config c;
            cop_err err = {0};
            snprintf(yaml, sizeof(yaml),
                     "topology: {kind: single, hosts: 4}\n%s: {kind: %s}\n"
                     "traffic: [{pattern: uniform}]\n",
                     s->name, p.name);
            if (cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err) != 0)
                COMPLAIN("%s.%s: %s\n", s->name, p.name, err.text);
            const void *ops;
            memcpy(&ops, (const char *)&c + s->ops_offset, sizeof(ops));
            assert_ptr_equal(ops, p.ops);
            cop_config_free(&c);
        }
    }
}

/* -- what the program prints of them -- */

static const char *program(void)
{
    const char *path = getenv("COPPICE");
    return path ? path : "build/coppice";
}

static char *slurp(FILE *f, size_t *size)
{
    char *text = NULL;
    size_t cap = 0;
    *size = 0;
    for (size_t got = 1; got > 0; *size += got) {
        text = cop_grow(text, &cap, *size + 4097, 1);
        got = fread(text + *size, 1, 4096, f);
    }
    text[*size] = '\0';
    return text;
}

static char *output_of(const char *args)
{
    char command[512];
    size_t size;
    snprintf(command, sizeof(command), "'%s' %s", program(), args);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    char *text = slurp(f, &size);
    if (pclose(f) != 0)
        COMPLAIN("`%s` failed; build the program first or set COPPICE\n", command);
    return text;
}

/* An example is a file of ours that names the member. */
static void check_example(const char *name, const char *file)
{
    if (file == NULL)
        return;
    FILE *f = fopen(file, "r");
    if (f == NULL)
        COMPLAIN("the example of %s, %s, is missing\n", name, file);
    size_t size;
    char *text = slurp(f, &size);
    fclose(f);
    if (strstr(text, name) == NULL)
        COMPLAIN("the example of %s, %s, does not name it\n", name, file);
    cop_free(text);
}

static void test_lists_have_a_line_and_a_source(void **state)
{
    (void)state;
    static const char *const families[] = {"topologies", "routings", "traffic",
                                           "queueing",   "cc",       "flow-control"};
    for (size_t i = 0; i < COP_LEN(families); i++) {
        char args[64];
        snprintf(args, sizeof(args), "list %s --json", families[i]);
        char *text = output_of(args);
        json_t *list = json_loads(text, 0, NULL);
        assert_true(json_is_array(list) && json_array_size(list) > 0);
        for (size_t k = 0; k < json_array_size(list); k++) {
            json_t *item = json_array_get(list, k);
            const char *name = json_string_value(json_object_get(item, "name"));
            if (!one_line(json_string_value(json_object_get(item, "summary"))) ||
                !one_line(json_string_value(json_object_get(item, "source"))))
                COMPLAIN("coppice list %s: %s has no summary or no source\n", families[i], name);
            assert_true(json_is_array(json_object_get(item, "options")));
            check_example(name, json_string_value(json_object_get(item, "example")));
        }
        json_decref(list);
        cop_free(text);
    }
}

static void test_config_page_is_up_to_date(void **state)
{
    (void)state;
    FILE *f = fopen("docs/CONFIG.md", "r");
    if (f == NULL)
        COMPLAIN("docs/CONFIG.md is missing; run `make docs`\n");
    size_t size;
    char *page = slurp(f, &size), *now = output_of("list --docs");
    fclose(f);
    if (strcmp(page, now) != 0)
        COMPLAIN("docs/CONFIG.md is not what `coppice list --docs` prints; run `make docs`\n");
    cop_free(page);
    cop_free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topologies),
        cmocka_unit_test(test_routings),
        cmocka_unit_test(test_queueings),
        cmocka_unit_test(test_vftree_deals_out_the_hosts_of_a_leaf),
        cmocka_unit_test(test_congestion_controls),
        cmocka_unit_test(test_kinds_load_from_a_file),
        cmocka_unit_test(test_lists_have_a_line_and_a_source),
        cmocka_unit_test(test_config_page_is_up_to_date),
    };
    return cmocka_run_group_tests_name("plugins", tests, NULL, NULL);
}
