/* The effective configuration as YAML, and its hash.
 *
 * Invariants:
 *   - loading the text gives the same structs, for every section and plug-in;
 *   - the hash is that of the text without name, title and seed, and with the contents of files in
 *     place of their names: an edited file is another run, a moved one is not.
 * Traffic entries have many options that mean nothing for most patterns; of those only what differs
 * from the defaults is printed. */
#include "base/file.h"
#include "base/line.h"
#include "base/text.h"
#include "exp/config.h"
#include "exp/sections.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct text {
    cop_line line;
    bool identity; /* only what decides the result: no seed, contents of files */
    const cop_units_cfg *units; /* in which values are written; NULL: in SI units */
} text;

static void add(text *t, const char *s)
{
    cop_line_put(&t->line, s);
}

/* Words that mean themselves in any YAML reader. */
static bool is_plain_word(const char *s)
{
    const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
    return letter && s[strspn(s, allowed)] == '\0';
}

/* May stand as it is between double quotes: shown as it is, also by a terminal. */
static bool is_printable(uint32_t c)
{
    return cop_is_plain(c) && c != '"' && c != '\\' && (c & 0xfffe) != 0xfffe;
}

static void add_string(text *t, const char *s)
{
    if (is_plain_word(s)) {
        add(t, s);
        return;
    }
    char buf[16];
    add(t, "\"");
    while (*s != '\0') {
        const char *from = s;
        uint32_t c = cop_utf8_next(&s);
        if (c == COP_NONE) /* only a directory's name can be like this; YAML cannot say it */
            snprintf(buf, sizeof(buf), "?");
        else if (c == '"' || c == '\\')
            snprintf(buf, sizeof(buf), "\\%c", (int)c);
        else if (is_printable(c))
            snprintf(buf, sizeof(buf), "%.*s", (int)(s - from), from);
        else
            snprintf(buf, sizeof(buf), "\\U%08x", (unsigned)c);
        add(t, buf);
    }
    add(t, "\"");
}

/* A trace NAME.0.et stands for NAME.1.et and so on, too (docs/TRACES.md). */
static void hash_set(uint64_t *hash, const char *path)
{
    static const char *const ends[] = {".0.et", ".0.et.gz"};
    size_t n = strlen(path);
    for (size_t i = 0; i < COP_LEN(ends); i++) {
        size_t m = strlen(ends[i]);
        bool more = n > m && strcmp(path + n - m, ends[i]) == 0;
        for (unsigned rank = 1; more; rank++) {
            cop_arena names = {0};
            const char *next =
                cop_arena_printf(&names, "%.*s.%u%s", (int)(n - m), path, rank, ends[i] + 2);
            more = cop_hash_file(hash, next);
            cop_arena_free(&names);
        }
    }
}

/* The contents of a file as a number. One that cannot be read stays its name, so that it is another
 * run once it can; so does a pipe, which can be read only once, and that by the run itself. */
static void add_contents(text *t, const char *path)
{
    uint64_t hash = COP_HASH_START;
    struct stat st;
    char buf[40];
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !cop_hash_file(&hash, path)) {
        add_string(t, path);
        return;
    }
    hash_set(&hash, path);
    snprintf(buf, sizeof(buf), "contents %016" PRIx64, hash);
    add(t, buf);
}

static void add_print(text *t, uint64_t print)
{
    char buf[48];
    snprintf(buf, sizeof(buf), "  from outside: %016" PRIx64 "\n", print);
    add(t, buf);
}

/* A value, and not one of its words. */
static bool is_amount(const cop_opt *o, const char *printed)
{
    return (o->type == COP_OPT_TIME || o->type == COP_OPT_BYTES || o->type == COP_OPT_RATE) &&
           printed[0] >= '0' && printed[0] <= '9';
}

static void add_option(text *t, const char *indent, const cop_opt *o, const void *cfg)
{
    add(t, indent);
    add(t, o->name);
    add(t, ": ");
    if (o->type == COP_OPT_STRING) {
        const char *s = *(const char *const *)(const void *)((const char *)cfg + o->offset);
        if (t->identity && cop_opt_names_file(o) && s != NULL)
            add_contents(t, s);
        else
            add_string(t, s ? s : "");
    } else {
        size_t size = cop_opt_print_size(o, cfg);
        char *buf = cop_alloc(size);
        cop_opt_print(o, cfg, buf, size);
        if (t->units != NULL && is_amount(o, buf)) {
            uint64_t value;
            memcpy(&value, (const char *)cfg + o->offset, sizeof(value));
            cop_units_print(t->units, o->type, value, buf, size);
        }
        add(t, buf);
        cop_free(buf);
    }
    add(t, "\n");
}

static void add_table(text *t, const cop_opt *table, const void *cfg)
{
    const cop_opt *skip = t->identity ? cop_opt_find(cop_run_opts, "seed") : NULL;
    for (const cop_opt *o = table; o != NULL && o->type != COP_OPT_END; o++)
        if (o != skip)
            add_option(t, "  ", o, cfg);
}

static void add_section(text *t, const cop_config *c, const cop_section *s)
{
    const char *base = (const char *)c;
    add(t, s->name);
    add(t, ":\n");
    if (s->plugin == NULL) {
        add_table(t, s->opts, base + s->cfg_offset);
        return;
    }
    const void *ops, *cfg;
    memcpy(&ops, base + s->ops_offset, sizeof(ops));
    memcpy(&cfg, base + s->cfg_offset, sizeof(cfg));
    cop_plugin p;
    for (size_t i = 0; cop_plugin_at(s, c->more, i, &p); i++) {
        if (p.ops != ops)
            continue;
        add(t, "  kind: ");
        add(t, p.name);
        add(t, "\n");
        if (t->identity && p.print != 0) /* the same name may mean other code later */
            add_print(t, p.print);
        add_table(t, p.opts, cfg);
    }
}

static bool same_value(const cop_opt *o, const void *a, const void *b)
{
    size_t size_a = cop_opt_print_size(o, a), size_b = cop_opt_print_size(o, b);
    char *text_a = cop_alloc(size_a), *text_b = cop_alloc(size_b);
    bool same =
        strcmp(cop_opt_print(o, a, text_a, size_a), cop_opt_print(o, b, text_b, size_b)) == 0;
    cop_free(text_a);
    cop_free(text_b);
    return same;
}

static void add_traffic(text *t, const cop_config *c)
{
    cop_arena arena = {0};
    cop_traffic_cfg defaults = {0};
    cop_opt_defaults(cop_traffic_opts, &defaults, &arena);
    add(t, c->n_traffic ? "traffic:\n" : "traffic: []\n");
    for (size_t i = 0; i < c->n_traffic; i++) {
        const char *indent = "  - ";
        for (const cop_opt *o = cop_traffic_opts; o->type != COP_OPT_END; o++) {
            if (o->def != NULL && same_value(o, &c->traffic[i], &defaults))
                continue;
            add_option(t, indent, o, &c->traffic[i]);
            indent = "    ";
        }
        if (strcmp(indent, "  - ") == 0)
            add(t, "  - {}\n");
    }
    cop_arena_free(&arena);
}

/* Section hosts, if there is one: what its entries say. */
static void add_hosts(text *t, const cop_config *c)
{
    cop_arena arena = {0};
    cop_host_own defaults = {0};
    cop_opt_defaults(cop_own_opts, &defaults, &arena);
    if (c->n_own > 0)
        add(t, "hosts:\n");
    for (size_t i = 0; i < c->n_own; i++) {
        bool any = false;
        add(t, "  ");
        add_string(t, c->own[i].hosts);
        add(t, ":");
        for (const cop_opt *o = cop_own_opts; o->type != COP_OPT_END; o++) {
            if (same_value(o, &c->own[i], &defaults))
                continue;
            add(t, any ? "" : "\n");
            add_option(t, "    ", o, &c->own[i]);
            any = true;
        }
        add(t, any ? "" : " {}\n");
    }
    cop_arena_free(&arena);
}

/* What a flit and a cycle are is not said in flits and cycles. */
static const char *print(cop_config *c, const cop_units_cfg *units)
{
    text t = {0};
    for (const cop_opt *o = cop_root_opts; o->type != COP_OPT_END; o++)
        add_option(&t, "", o, c);
    for (const cop_section *s = cop_sections; s->name != NULL; s++) {
        t.units = s->opts == cop_units_opts ? NULL : units;
        add_section(&t, c, s);
    }
    add_traffic(&t, c);
    add_hosts(&t, c);
    return cop_line_take(&t.line, &c->arena);
}

const char *cop_config_print(cop_config *c)
{
    return print(c, NULL);
}

const char *cop_config_print_units(cop_config *c)
{
    return print(c, &c->units);
}

uint64_t cop_config_hash(cop_config *c)
{
    text t = {.identity = true};
    for (const cop_section *s = cop_sections; s->name != NULL; s++)
        add_section(&t, c, s);
    add_traffic(&t, c);
    add_hosts(&t, c);
    uint64_t hash = cop_hash_bytes(COP_HASH_START, t.line.at, t.line.used);
    cop_free(t.line.at);
    return hash;
}
