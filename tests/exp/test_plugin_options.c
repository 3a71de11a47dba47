/* Walks every option table, of sections and of plug-ins: names, help, defaults, ranges, and that each
 * value can be printed and read again. */
#include "plugins_fixture.h"

#include <stdio.h>

/* -- texts -- */

static bool is_name(const char *text, char joint)
{
    if (text == NULL || text[0] == '\0')
        return false;
    for (const char *c = text; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ||
              (*c == joint && c != text && c[1] != '\0')))
            return false;
    return true;
}

/* -- option tables -- */

static size_t stored_size(const cop_opt *o)
{
    switch (o->type) {
    case COP_OPT_BOOL:
        return sizeof(bool);
    case COP_OPT_ENUM:
        return sizeof(int);
    case COP_OPT_STRING:
        return sizeof(const char *);
    case COP_OPT_INTS:
    case COP_OPT_REALS:
    case COP_OPT_TIMES:
        return sizeof(cop_ints);
    default:
        return sizeof(uint64_t);
    }
}

/* The default as a number in stored units; false for what has none. */
static bool number_of(const cop_opt *o, const char *cfg, double *v)
{
    uint64_t u;
    int64_t i;
    switch (o->type) {
    case COP_OPT_INT:
        memcpy(&i, cfg + o->offset, sizeof(i));
        *v = (double)i;
        return true;
    case COP_OPT_REAL:
    case COP_OPT_SHARE:
        memcpy(v, cfg + o->offset, sizeof(*v));
        return true;
    case COP_OPT_TIME:
    case COP_OPT_BYTES:
    case COP_OPT_RATE:
        memcpy(&u, cfg + o->offset, sizeof(u));
        *v = (double)u;
        return true;
    default:
        return false;
    }
}

/* A default outside of the range stands for something; the help must say for what: "0 = ...". */
static void check_default(const char *where, const cop_opt *o, const char *cfg)
{
    double v;
    char text[48];
    if (o->def == NULL || !number_of(o, cfg, &v) || (o->min == 0.0 && o->max == 0.0) ||
        (cop_opt_word(o) != NULL && strcmp(o->def, cop_opt_word(o)) == 0))
        return;
    bool inside = v >= o->min && (o->max < o->min || v <= o->max);
    snprintf(text, sizeof(text), "%s = ", o->def);
    if (!inside && strstr(o->help, text) == NULL)
        COMPLAIN("%s.%s: default %s lies outside of its range and the help does not say `%s...`\n",
                 where, o->name, o->def, text);
}

/* Values just outside of the range are refused with a message that names the option. */
static void check_range(const char *where, const cop_opt *o, char *cfg, cop_arena *arena)
{
    if (o->type != COP_OPT_INT || (o->min == 0.0 && o->max == 0.0))
        return;
    const double wrong[] = {o->min - 1.0, o->max + 1.0};
    for (size_t i = 0; i < COP_LEN(wrong) && (i == 0 || o->max >= o->min); i++) {
        char text[48];
        cop_err err = {0};
        cop_where at = {"test.yaml", 1, 1};
        snprintf(text, sizeof(text), "%.0f", wrong[i]);
        if (o->def != NULL && strcmp(text, o->def) == 0)
            continue;
        if (cop_opt_word(o) != NULL && o->names[1] != NULL && strcmp(text, o->names[1]) == 0)
            continue;
        if (cop_opt_parse(o, cfg, text, arena, &at, &err) == 0)
            COMPLAIN("%s.%s: %s is outside of the range but accepted\n", where, o->name, text);
        assert_non_null(strstr(err.text, o->name));
    }
}

static void check_option(const char *where, const cop_opt *table, const cop_opt *o, size_t size)
{
    if (!is_name(o->name, '_'))
        COMPLAIN("%s: `%s` is not a name of small letters, digits and _\n", where, o->name);
    if (!one_line(o->help))
        COMPLAIN("%s.%s: help is missing or more than one line\n", where, o->name);
    if (o->offset + stored_size(o) > size)
        COMPLAIN("%s.%s: lies outside of its struct\n", where, o->name);
    assert_ptr_equal(cop_opt_find(table, o->name), o); /* the name is unique */
    for (const cop_opt *other = table; other != o; other++)
        if (o->offset < other->offset + stored_size(other) &&
            other->offset < o->offset + stored_size(o))
            COMPLAIN("%s: %s and %s share their memory\n", where, o->name, other->name);
    bool number = o->type != COP_OPT_BOOL && o->type != COP_OPT_ENUM && o->type != COP_OPT_STRING;
    if (!number && (o->min != 0.0 || o->max != 0.0))
        COMPLAIN("%s.%s: has a range and is no number\n", where, o->name);
    /* A word is kept as 0, which therefore is no value, or, of a size, time or rate that may be 0, as another
     * number; otherwise 0 means zero, and help says so. */
    bool quantity = o->type == COP_OPT_TIME || o->type == COP_OPT_BYTES || o->type == COP_OPT_RATE;
    if (cop_opt_word(o) != NULL) {
        if (!number || cop_opt_is_list(o) || o->min < 0.0 || !is_name(o->names[0], '-'))
            COMPLAIN("%s.%s: a word, of something else than a number\n", where, o->name);
        if (!(o->min > 0.0) && (!quantity || o->names[1] != NULL))
            COMPLAIN("%s.%s: a word, and 0 is in its range\n", where, o->name);
        assert_true(o->names[1] == NULL || (strcmp(o->names[1], "0") == 0 && o->names[2] == NULL));
    }
    if (strstr(o->help, "0 = ") != NULL && (o->min > 0.0 || strstr(o->help, "0 = `") != NULL))
        COMPLAIN("%s.%s: 0 stands for something else; give it a word\n", where, o->name);
    if (o->type == COP_OPT_ENUM) {
        assert_non_null(o->names);
        for (size_t i = 0; o->names[i] != NULL; i++) {
            assert_true(is_name(o->names[i], '-'));
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(o->names[i], o->names[k]);
        }
    }
}

/* Defaults print, and what they print parses to the same value. */
static void check_circle(const char *where, const cop_opt *o, char *cfg, cop_arena *arena)
{
    char first[600], second[600];
    cop_err err = {0};
    cop_where at = {"test.yaml", 1, 1};
    if (o->def == NULL)
        return;
    cop_opt_print(o, cfg, first, sizeof(first));
    if (first[0] != '\0' && cop_opt_parse(o, cfg, first, arena, &at, &err) != 0)
        COMPLAIN("%s.%s: its printed default is refused: %s\n", where, o->name, err.text);
    assert_string_equal(cop_opt_print(o, cfg, second, sizeof(second)), first);
}

static void check_table(const char *where, const cop_opt *table, size_t size)
{
    cop_arena arena = {0};
    char *cfg = cop_arena_alloc(&arena, size + 1);
    if (table == NULL || table->type == COP_OPT_END) {
        cop_arena_free(&arena);
        return;
    }
    for (const cop_opt *o = table; o->type != COP_OPT_END; o++)
        check_option(where, table, o, size);
    cop_opt_defaults(table, cfg, &arena);
    for (const cop_opt *o = table; o->type != COP_OPT_END; o++) {
        check_default(where, o, cfg);
        check_circle(where, o, cfg, &arena);
        check_range(where, o, cfg, &arena);
    }
    cop_arena_free(&arena);
}

static size_t size_of_section(const char *name)
{
    static const struct {
        const char *name;
        size_t size;
    } known[] = {{"units", sizeof(cop_units_cfg)},     {"run", sizeof(cop_run_cfg)},
                 {"link", sizeof(cop_link_cfg)},       {"switch", sizeof(cop_switch_cfg)},
                 {"flow_control", sizeof(cop_fc_cfg)}, {"nic", sizeof(cop_nic_cfg)}};
    for (size_t i = 0; i < COP_LEN(known); i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].size;
    COMPLAIN("section %s: tell this test the size of its struct\n", name);
    return 0;
}

static void test_sections_and_their_options(void **state)
{
    (void)state;
    size_t n = 0;
    for (const cop_section *s = cop_sections; s->name != NULL; s++, n++) {
        assert_true(is_name(s->name, '_'));
        assert_ptr_equal(cop_section_find(s->name), s);
        assert_true(one_line(s->help));
        assert_true((s->plugin == NULL) == (s->family == NULL));
        assert_true((s->plugin == NULL) == (s->opts != NULL));
        if (s->plugin == NULL)
            check_table(s->name, s->opts, size_of_section(s->name));
    }
    assert_true(n >= 9);
    check_table("top level", cop_root_opts, sizeof(cop_config));
    check_table("traffic", cop_traffic_opts, sizeof(cop_traffic_cfg));
    assert_null(cop_section_find("no-such-section"));
}

/* -- plug-ins -- */

static void check_plugin(const cop_section *s, size_t number, const cop_plugin *p)
{
    char where[96];
    cop_plugin other;
    snprintf(where, sizeof(where), "%s.%s", s->name, p->name);
    if (!is_name(p->name, '-'))
        COMPLAIN("%s: not a name of small letters, digits and -\n", where);
    if (!one_line(p->summary) || !one_line(p->source))
        COMPLAIN("%s: summary and source must be one line each\n", where);
    if (strcmp(p->name, COP_ROUTING_AUTO) == 0)
        COMPLAIN("%s: the name is taken\n", where);
    assert_non_null(p->ops);
    for (size_t i = 0; i < number; i++) {
        assert_true(s->plugin(i, &other));
        assert_string_not_equal(other.name, p->name);
        assert_string_not_equal(other.summary, p->summary);
    }
    assert_true(cop_plugin_find(s, NULL, p->name, &other));
    assert_ptr_equal(other.ops, p->ops);
    check_table(where, p->opts, p->cfg_size);
    bool any = p->opts != NULL && p->opts->type != COP_OPT_END;
    if (any != (p->cfg_size > 0))
        COMPLAIN("%s: options and cfg_size do not fit together\n", where);
}

static void test_every_plugin_is_described(void **state)
{
    (void)state;
    for (const cop_section *s = cop_sections; s->name != NULL; s++) {
        cop_plugin p;
        size_t n = 0;
        if (s->plugin == NULL)
            continue;
        for (; s->plugin(n, &p); n++)
            check_plugin(s, n, &p);
        assert_true(n >= 2);
        assert_false(s->plugin(n, &p));
        assert_false(cop_plugin_find(s, NULL, "no-such-kind", &p));
        const char *names[128];
        assert_int_equal(cop_plugin_names(s, NULL, names, COP_LEN(names)), n);
        if (s->default_kind != NULL && strcmp(s->default_kind, COP_ROUTING_AUTO) != 0)
            assert_true(cop_plugin_find(s, NULL, s->default_kind, &p));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections_and_their_options),
        cmocka_unit_test(test_every_plugin_is_described),
    };
    return cmocka_run_group_tests_name("plugin_options", tests, NULL, NULL);
}
