/* One map of a run file into one struct, by its option table.
 *
 * Inputs: a map node, the table, the struct. Each key is looked up, each value handed to opt.c.
 * Outputs: the filled fields, marks of where they were given, or faults with place and remedy.
 * Invariant: nothing is read deeper than the items of a list, so cyclic input does no harm. */
#include "exp/config_read.h"
#include "base/text.h"
#include "exp/removed.h"
#include "exp/sections.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_FAULTS 40

bool cop_reader_full(const cop_reader *r)
{
    return r->err->faults >= MAX_FAULTS;
}

void cop_reader_fault(cop_reader *r, int node, const char *fmt, ...)
{
    char place[512], what[1024];
    cop_where where = cop_doc_where(&r->doc, node, &r->c->arena);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    (void)cop_plain(what);
    cop_err_add(r->err, COP_E_INPUT, "%s: %s", cop_where_text(&where, place, sizeof(place)), what);
}

void cop_reader_mark(cop_reader *r, const char *option, int node)
{
    cop_mark *m = cop_arena_alloc(&r->c->arena, sizeof(*m));
    cop_where where = cop_doc_where(&r->doc, node, &r->c->arena);
    *m = (cop_mark){r->c->marks, r->section, option, r->entry, where};
    r->c->marks = m;
}

/* "section.option" or "traffic[2].option" for messages. */
static const char *label(const cop_reader *r, const char *option, char *buf, size_t size)
{
    if (r->section == NULL)
        snprintf(buf, size, "%s", option);
    else if (r->entry == COP_NO_ENTRY)
        snprintf(buf, size, "%s.%s", r->section, option);
    else
        snprintf(buf, size, "%s[%zu].%s", r->section, r->entry, option);
    return buf;
}

static size_t option_names(const cop_opt *table, const char **names, size_t max)
{
    size_t n = 0;
    for (const cop_opt *o = table; o && o->type != COP_OPT_END && n < max; o++)
        names[n++] = o->name;
    return n;
}

/* "a, b, c" of names, cut to fit. */
const char *cop_reader_join(const char *const *names, size_t n, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < n && used + strlen(names[i]) + 8 < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "", names[i]);
    return buf;
}

void cop_reader_unknown(cop_reader *r, int node, const char *what, const char *wrong,
                        const char *const *names, size_t n)
{
    char shown[64], list[600];
    cop_excerpt(wrong, shown, sizeof(shown));
    const char *near = cop_nearest(wrong, names, n);
    if (near != NULL)
        cop_reader_fault(r, node, "unknown %s `%s`; did you mean `%s`?", what, shown, near);
    else if (n == 0)
        cop_reader_fault(r, node, "unknown %s `%s`; there are none here", what, shown);
    else
        cop_reader_fault(r, node, "unknown %s `%s`; use one of %s", what, shown,
                         cop_reader_join(names, n, list, sizeof(list)));
}

/* Make a path absolute, so that a printed configuration means the same anywhere. One in the file is
 * relative to the file; one given with `--set` is where the user is. */
static void resolve_path(cop_reader *r, const cop_opt *o, void *cfg, int node)
{
    const char **field = (const char **)(void *)((char *)cfg + o->offset);
    char here[PATH_MAX];
    bool typed = cop_doc_typed(&r->doc, node) && getcwd(here, sizeof(here)) != NULL;
    if (cop_opt_names_file(o) && **field != '\0' && **field != '/')
        *field = cop_arena_printf(&r->c->arena, "%s/%s", typed ? here : r->directory, *field);
}

/* A value in units that option tables know; NULL after a fault. */
static const char *in_units(cop_reader *r, const cop_opt *o, int node, const char *text)
{
    cop_err inner = {0};
    const char *known = cop_units_text(&r->c->units, o, text, &r->c->arena, &inner);
    if (known == NULL)
        cop_reader_fault(r, node, "%s: %s", o->name, inner.text);
    return known;
}

/* Texts of a list's items, in heap memory; NULL after a fault. */
static const char **item_texts(cop_reader *r, const cop_opt *o, int list, size_t n)
{
    const char **items = cop_alloc_array(n, sizeof(*items));
    for (size_t i = 0; i < n; i++) {
        int item = cop_doc_item(&r->doc, list, i);
        items[i] = cop_doc_text(&r->doc, item);
        if (items[i] == NULL) {
            cop_reader_fault(r, item,
                             "%s: an item that is not a plain value; write a list such as `[0, 1]`",
                             o->name);
            cop_free(items);
            return NULL;
        }
        items[i] = in_units(r, o, item, items[i]);
        if (items[i] == NULL) {
            cop_free(items);
            return NULL;
        }
    }
    return items;
}

/* Text options take a list too: its items joined by commas (sets of hosts). */
static int parse_joined(const cop_opt *o, void *cfg, const char *const *items, size_t n,
                        cop_arena *arena, const cop_where *where, cop_err *err)
{
    size_t size = 1;
    char place[512];
    for (size_t i = 0; i < n; i++)
        size += strlen(items[i]) + 1;
    /* Printed, it is one text, which must be readable again. */
    if (size > COP_DOC_MAX_TEXT)
        return cop_err_add(err, COP_E_INPUT, "%s: %s: a list of more than %zu KiB; shorten it",
                           cop_where_text(where, place, sizeof(place)), o->name,
                           COP_DOC_MAX_TEXT >> 10);
    char *text = cop_alloc(size);
    char *end = text;
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            *end++ = ',';
        end = stpcpy(end, items[i]);
    }
    int rc = cop_opt_parse(o, cfg, text, arena, where, err);
    cop_free(text);
    return rc;
}

void cop_reader_value(cop_reader *r, const cop_opt *o, void *cfg, int value)
{
    cop_arena *arena = &r->c->arena;
    cop_where where = cop_doc_where(&r->doc, value, arena);
    enum cop_node type = cop_doc_type(&r->doc, value);
    char described[200];
    cop_reader_mark(r, o->name, value);
    if (cop_doc_is_empty(&r->doc, value)) {
        const char *empty = o->def != NULL && o->def[0] == '\0' ? cop_opt_default(o) : NULL;
        cop_reader_fault(r, value, "%s: has no value; write one (%s)%s%s, or remove it", o->name,
                         cop_opt_describe(o, described, sizeof(described)),
                         empty ? ", nothing as " : "", empty ? empty : "");
    } else if (type == COP_NODE_SCALAR) {
        const char *text = cop_doc_text(&r->doc, value);
        const char *instead = text ? cop_removed(r->section, o->name, text) : NULL;
        if (text == NULL)
            cop_reader_fault(r, value, "%s: contains a NUL character; remove it", o->name);
        else if (instead != NULL)
            cop_reader_fault(r, value, "%s: `%s` %s", o->name, text, instead);
        else if ((text = in_units(r, o, value, text)) != NULL &&
                 cop_opt_parse(o, cfg, text, arena, &where, r->err) == 0)
            resolve_path(r, o, cfg, value);
    } else if (type == COP_NODE_LIST && (cop_opt_is_list(o) || o->type == COP_OPT_STRING)) {
        size_t n = cop_doc_count(&r->doc, value);
        const char **items = item_texts(r, o, value, n);
        if (items != NULL && cop_opt_is_list(o))
            cop_opt_parse_list(o, cfg, items, n, arena, &where, r->err);
        else if (items != NULL)
            parse_joined(o, cfg, items, n, arena, &where, r->err);
        cop_free(items);
    } else {
        cop_reader_fault(r, value, "%s: is a %s; write a value: %s", o->name,
                         type == COP_NODE_LIST ? "list" : "map",
                         cop_opt_describe(o, described, sizeof(described)));
    }
}

/* Text of a key; NULL after a fault. */
const char *cop_reader_key(cop_reader *r, int key)
{
    const char *text = cop_doc_text(&r->doc, key);
    if (text == NULL)
        cop_reader_fault(r, key, "a key that is not a word; write `key: value`");
    return text;
}

void cop_reader_twice(cop_reader *r, int key, const char *name, int first)
{
    char place[512];
    cop_where where = cop_doc_where(&r->doc, first, &r->c->arena);
    cop_reader_fault(r, key, "`%s` is given twice, first at %s; remove one", name,
                     cop_where_text(&where, place, sizeof(place)));
}

static void check_required(cop_reader *r, const cop_opt *table, const int *seen, int map)
{
    char buf[96], described[200];
    for (size_t i = 0; table != NULL && table[i].type != COP_OPT_END; i++)
        if (table[i].def == NULL && seen[i] == 0)
            cop_reader_fault(r, map, "%s is missing; give `%s` (%s): %s",
                             label(r, table[i].name, buf, sizeof(buf)), table[i].name,
                             cop_opt_describe(&table[i], described, sizeof(described)),
                             table[i].help);
}

/* An option of other kinds of the section alone: true, after a fault that names them, and what there is instead, if
 * that is not much. */
static bool of_other_kind(cop_reader *r, int key, const char *option, const char *const *here,
                          size_t n_here)
{
    enum { FEW = 6 };
    const cop_section *s = cop_section_find(r->section);
    const char *kinds[COP_MAX_OPTIONS];
    char list[600], instead[300] = "", used[200];
    cop_plugin p;
    size_t n = 0;
    if (n_here > 0 && n_here <= FEW)
        snprintf(instead, sizeof(instead), "; this kind has %s",
                 cop_reader_join(here, n_here, used, sizeof(used)));
    for (size_t i = 0; n < COP_MAX_OPTIONS && cop_plugin_at(s, r->c->more, i, &p); i++)
        if (cop_opt_find(p.opts, option) != NULL)
            kinds[n++] = p.name;
    if (n > 0)
        cop_reader_fault(r, key, "`%s` is an option of %s.kind %s; choose %s, or remove it%s",
                         option, s->name, cop_reader_join(kinds, n, list, sizeof(list)),
                         n > 1 ? "one of these" : "that", instead);
    return n > 0;
}

/* A load in flit/cycle is a rate: `load: 0.8 flit/cycle` is read as `rate`. */
static const cop_opt *as_rate(cop_reader *r, const cop_opt *table, const cop_opt *o, int value)
{
    static const char *const same[][2] = {{"load", "rate"}, {"low_load", "low_rate"}};
    const char *text =
        o != NULL && o->type == COP_OPT_SHARE && cop_doc_type(&r->doc, value) == COP_NODE_SCALAR
            ? cop_doc_text(&r->doc, value)
            : NULL;
    for (size_t i = 0; text != NULL && cop_units_is_rate(text) && i < COP_LEN(same); i++)
        if (strcmp(o->name, same[i][0]) == 0 && cop_opt_find(table, same[i][1]) != NULL)
            return cop_opt_find(table, same[i][1]);
    return o;
}

/* Fill cfg from a map. With `has_kind` the key `kind` was read before. */
void cop_reader_table(cop_reader *r, int map, const cop_opt *table, void *cfg, bool has_kind)
{
    int seen[COP_MAX_OPTIONS] = {0}; /* key node of option i; the last one of `kind` */
    const char *names[COP_MAX_OPTIONS];
    size_t n_names = option_names(table, names, COP_MAX_OPTIONS - 1);
    const size_t kind = n_names;
    if (has_kind)
        names[n_names++] = "kind";
    size_t n = cop_doc_count(&r->doc, map);
    for (size_t i = 0; i < n && !cop_reader_full(r); i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        const char *text = cop_reader_key(r, key);
        if (text == NULL)
            continue;
        const cop_opt *o = as_rate(r, table, cop_opt_find(table, text), value);
        bool is_kind = has_kind && strcmp(text, "kind") == 0;
        if (o == NULL && !is_kind) {
            const char *instead = r->section ? cop_removed(r->section, text, NULL) : NULL;
            if (instead != NULL)
                cop_reader_fault(r, key, "`%s` %s", text, instead);
            else if (!has_kind || !of_other_kind(r, key, text, names, kind))
                cop_reader_unknown(r, key, "option", text, names, n_names);
            continue;
        }
        size_t at = is_kind ? kind : (size_t)(o - table);
        if (seen[at] != 0) {
            cop_reader_twice(r, key, text, seen[at]);
            continue;
        }
        seen[at] = key;
        if (!is_kind)
            cop_reader_value(r, o, cfg, value);
    }
    check_required(r, table, seen, map);
}
