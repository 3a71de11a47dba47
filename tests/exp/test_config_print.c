/* A printed configuration loads to the same structs, for every section and plug-in; option tables are
 * sound. */
#include "config_fixture.h"

#include "base/rng.h"
#include "exp/sections.h"

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
    span *= cop_rng_below(rng, 2) ? 1.0 : 1e-3;
    double real = o->min + span * cop_rng_unit(rng);
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
        if (cop_opt_names_file(o))
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
        assert_true(o->type != COP_OPT_ENUM || o->names != NULL);
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
            size_t n = cop_plugin_names(s, NULL, names, 100);
            for (size_t k = 0; k < n; k++)
                assert_true(k == i || strcmp(names[k], p.name) != 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_configurations_load_again),
        cmocka_unit_test(every_table_is_sound),
    };
    return cmocka_run_group_tests_name("config_print", tests, NULL, NULL);
}
