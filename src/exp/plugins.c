/* Plug-ins from outside: each table is checked before it is used, so that a mistake is a line for
 * its author, not a crash during a run. */
#include "exp/plugins.h"

#include "base/file.h"
#include "exp/plugin.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_NAME 40

unsigned cop_plugins_version(void)
{
    return COPPICE_PLUGIN_API;
}

static const uint32_t our_interface[COP_INTERFACE_NUMBERS] = COP_INTERFACE;

/* A name that can stand in a run file: small letters, digits and `-`. */
static bool is_kind(const char *name)
{
    if (name == NULL || !islower((unsigned char)name[0]))
        return false;
    for (const char *c = name; *c != '\0'; c++)
        if ((!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '-') ||
            c - name >= MAX_NAME)
            return false;
    return true;
}

/* Is the default what the option itself would take? */
static bool default_fits(const cop_opt *o, size_t cfg_size)
{
    cop_arena arena = {0};
    cop_err unused = {0};
    cop_where nowhere = {0};
    void *cfg =
        cop_arena_alloc(&arena, cfg_size + sizeof(cop_ints)); /* the last may stand at the end */
    int rc = o->def == NULL ? 0
             : cop_opt_is_list(o)
                 ? cop_opt_parse_list(o, cfg, &o->def, 1, &arena, &nowhere, &unused)
                 : cop_opt_parse(o, cfg, o->def, &arena, &nowhere, &unused);
    cop_arena_free(&arena);
    return rc == 0;
}

/* A fault of an option; `value`: text to be quoted behind it, or NULL. */
static const char *name_option(const cop_opt *o, const char *what, const char *value, char *buf,
                               size_t size)
{
    char name[48], shown[48] = "";
    if (value != NULL)
        cop_excerpt(value, shown, sizeof(shown));
    snprintf(buf, size, "has an option `%s` that %s%s%s%s",
             cop_excerpt(o->name, name, sizeof(name)), what, value ? " `" : "", shown,
             value ? "`" : "");
    return buf;
}

/* What is wrong with an option table; NULL: nothing. An option that has a name is named, in buf. */
static const char *bad_options(const cop_plugin *p, char *buf, size_t size)
{
    size_t n = 0;
    for (const cop_opt *o = p->opts; o != NULL && o->type != COP_OPT_END; o++) {
        if (++n > 100)
            return "has more than 100 options, or a table without {0} at its end";
        if (o->type > COP_OPT_TIMES)
            return "has an option of an unknown type; end the table with {0}";
        if (o->name == NULL || o->help == NULL)
            return "has an option without name or help";
        if (o->type == COP_OPT_ENUM && (o->names == NULL || o->names[0] == NULL))
            return name_option(o, "is of words, and has none; give `names`", NULL, buf, size);
        if (o->offset >= p->cfg_size)
            return name_option(o, "lies behind the end of cfg_size; give the size of its struct",
                               NULL, buf, size);
        if (!default_fits(o, p->cfg_size))
            return name_option(o, "does not take its default", o->def, buf, size);
    }
    return NULL;
}

typedef struct adding {
    cop_plugin_set *set;
    const char *file; /* NULL: a table in memory */
    uint64_t print;
    cop_err *err;
} adding;

static int refuse(const adding *a, const char *section, const char *name, const char *what)
{
    char shown[48];
    return cop_err_add(a->err, COP_E_INPUT, "%s: %s `%s` %s", a->file ? a->file : "plug-in",
                       section, cop_excerpt(name ? name : "", shown, sizeof(shown)), what);
}

/* `missing`: a function that its family requires and it has not; NULL: it has all. */
static int add(const adding *a, const char *section, cop_plugin p, const char *missing)
{
    cop_plugin other;
    cop_plugin_set *set = a->set;
    if (!is_kind(p.name))
        return refuse(a, section, p.name,
                      "is no name of a kind; use up to 40 small letters, digits and `-`");
    if (missing != NULL) {
        char what[80];
        snprintf(what, sizeof(what), "has no `%s`, which is required", missing);
        return refuse(a, section, p.name, what);
    }
    if (p.summary == NULL || p.source == NULL)
        return refuse(a, section, p.name, "has no summary or no source; give one line each");
    char option[240];
    const char *wrong = bad_options(&p, option, sizeof(option));
    if (wrong != NULL)
        return refuse(a, section, p.name, wrong);
    if (strcmp(p.name, COP_ROUTING_AUTO) == 0 ||
        cop_plugin_find(cop_section_find(section), set, p.name, &other))
        return refuse(a, section, p.name, "is there already; give yours another name");
    if (set->n >= COP_MAX_OUTSIDE)
        return refuse(a, section, p.name, "is one too many; give at most 64 plug-ins");
    p.print = a->print;
    set->item[set->n++] = (cop_outside){.section = section, .file = a->file, .plugin = p};
    return 0;
}

#define PLUGIN(o)                                                                                  \
    ((cop_plugin){(o)->name, (o)->summary, (o)->source, (o)->opts, (o)->cfg_size, (o), NULL,       \
                  false, 0, NULL, NULL, NULL})

static int add_all(const adding *a, const coppice_plugins *t)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && t->cc != NULL && t->cc[i] != NULL; i++) {
        const cop_cc_ops *o = t->cc[i];
        cop_plugin p = PLUGIN(o);
        bool source = o->at_source.next_send || o->at_source.on_send || o->at_source.on_control;
        p.note = o->immediate;
        p.in_cycles = o->in_cycles;
        p.brings = o->brings;
        p.flow_values = o->shown.flow_values;
        p.port_values = o->shown.port_values;
        rc = add(a, "cc", p,
                 source && o->flow_size == 0                    ? "flow_size"
                 : o->shown.flow_values && !o->shown.flow_value ? "flow_value"
                 : o->shown.port_values && !o->shown.port_value ? "port_value"
                 : o->shown.counters && !o->shown.counter       ? "counter"
                                                                : NULL);
    }
    for (size_t i = 0; rc == 0 && t->routing != NULL && t->routing[i] != NULL; i++) {
        const cop_route_ops *o = t->routing[i];
        cop_plugin p = PLUGIN(o);
        p.in_cycles = o->in_cycles;
        p.brings = o->brings;
        p.port_values = o->port_values;
        rc = add(a, "routing", p,
                 o->setup == NULL                   ? "setup"
                 : o->route == NULL                 ? "route"
                 : o->port_values && !o->port_value ? "port_value"
                                                    : NULL);
    }
    for (size_t i = 0; rc == 0 && t->queueing != NULL && t->queueing[i] != NULL; i++) {
        const cop_queue_ops *o = t->queueing[i];
        rc = add(a, "queueing", PLUGIN(o),
                 o->layout == NULL   ? "layout"
                 : o->select == NULL ? "select"
                                     : NULL);
    }
    for (size_t i = 0; rc == 0 && t->topology != NULL && t->topology[i] != NULL; i++) {
        const cop_topo_ops *o = t->topology[i];
        rc = add(a, "topology", PLUGIN(o), o->build == NULL ? "build" : NULL);
    }
    return rc;
}

static int add_table(const adding *a, const coppice_plugins *table)
{
    size_t before = a->set->n;
    if (memcmp(table->interface, our_interface, sizeof(our_interface)) != 0)
        return cop_err_add(a->err, COP_E_INPUT,
                           "%s: is made for version %u of the plug-in interface%s, and this is "
                           "version %u; compile it again with the headers of this program",
                           a->file ? a->file : "plug-in", table->interface[0],
                           table->interface[0] == COPPICE_PLUGIN_API ? " and other headers" : "",
                           (unsigned)COPPICE_PLUGIN_API);
    int rc = add_all(a, table);
    if (rc == 0 && a->set->n == before)
        rc = cop_err_add(a->err, COP_E_INPUT, "%s: has no plug-ins; give COPPICE_PLUGINS a list",
                         a->file ? a->file : "plug-in");
    if (rc != 0)
        a->set->n = before;
    return rc;
}

int cop_plugins_add(cop_plugin_set *set, const struct coppice_plugins *table, cop_err *err)
{
    /* A table in memory has no file to fingerprint: `print` is a constant. */
    adding a = {.set = set, .print = 1, .err = err};
    return add_table(&a, table);
}

int cop_plugins_load(cop_plugin_set *set, const char *file, cop_err *err)
{
    struct stat st;
    char *absolute = realpath(file, NULL);
    adding a = {.set = set, .print = COP_HASH_START, .err = err};
    if (absolute != NULL)
        a.file = cop_arena_strdup(&set->arena, absolute);
    cop_free_foreign(absolute);
    if (a.file == NULL || stat(a.file, &st) != 0 || !S_ISREG(st.st_mode) ||
        !cop_hash_file(&a.print, a.file))
        return cop_err_add(err, COP_E_IO, "%s: cannot be read; give the path of a shared object",
                           file);
    for (size_t i = 0; i < set->n; i++)
        if (set->item[i].file != NULL && strcmp(set->item[i].file, a.file) == 0)
            return cop_err_add(err, COP_E_INPUT, "%s: is given twice; once is enough", file);
    void *object = dlopen(a.file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (object == NULL) {
        const char *why = dlerror();
        return cop_err_add(err, COP_E_INPUT,
                           "%s: cannot be loaded, %s; docs/ADDING.md says how to compile one", file,
                           why ? why : "why is not known");
    }
    const coppice_plugins *table = dlsym(object, COP_PLUGINS_SYMBOL);
    int rc = table == NULL
                 ? cop_err_add(err, COP_E_INPUT,
                               "%s: has no plug-ins; write COPPICE_PLUGINS(...) at its end", file)
                 : add_table(&a, table);
    (void)dlclose(object);
    return rc;
}

void cop_plugins_free(cop_plugin_set *set)
{
    cop_arena_free(&set->arena);
    *set = (cop_plugin_set){0};
}

const char *cop_plugins_words(const cop_plugin_set *set, cop_arena *arena)
{
    const char *words = "", *last = NULL;
    for (size_t i = 0; set != NULL && i < set->n; i++) {
        if (set->item[i].file == NULL || set->item[i].file == last)
            continue; /* those of one file follow each other and share its name */
        last = set->item[i].file;
        words = cop_arena_printf(arena, "%s --plugin '%s'", words, last);
    }
    return words;
}

bool cop_plugins_at(const cop_plugin_set *set, const char *section, size_t i, cop_plugin *p)
{
    for (size_t k = 0; k < set->n; k++)
        if (strcmp(set->item[k].section, section) == 0 && i-- == 0) {
            *p = set->item[k].plugin;
            return true;
        }
    return false;
}
