/* A run file into a cop_config.
 *
 * Role: walk the section table (sections.c) and let config_read.c fill each section. No option is
 * named in this file but `kind` and `switch.flit`.
 * Outputs: the filled structs and, per option, where it was given; or all faults together.
 */
#include "exp/config.h"
#include "exp/config_read.h"
#include "exp/sections.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TRAFFIC 65536

/* Check that a section is a map; an empty one is as good as none. */
static bool is_map(cop_reader *r, int node, const char *example)
{
    enum cop_node type = cop_doc_type(&r->doc, node);
    if (type == COP_NODE_MAP)
        return true;
    if (type != COP_NODE_NONE && !cop_doc_is_empty(&r->doc, node))
        cop_reader_fault(r, node, "%s: is a %s; write options, such as `%s`", r->section,
                         type == COP_NODE_LIST ? "list" : "single value", example);
    return false;
}

/* The value that another mechanism of the file sets for an option of this section; NULL: none. */
static const cop_brought *brought(const cop_reader *r, const cop_section *s, const char *option)
{
    for (size_t i = 0; i < r->n_brings; i++)
        for (const cop_brought *b = r->brings[i]; b->section != NULL; b++)
            if (strcmp(b->section, s->name) == 0 && strcmp(b->option, option) == 0)
                return b;
    return NULL;
}

/* The name of the plug-in a section asks for; NULL after a fault. */
static const char *chosen_kind(cop_reader *r, const cop_section *s, int map)
{
    const char *names[COP_MAX_OPTIONS];
    char list[600];
    int node = map ? cop_doc_get(&r->doc, map, "kind") : 0;
    const char *kind = cop_doc_text(&r->doc, node);
    if (node != 0)
        cop_reader_mark(r, "kind", node);
    if (node != 0 && kind == NULL) {
        cop_reader_fault(r, node, "%s.kind: is not a word; write one such as `kind: %s`", s->name,
                         s->default_kind ? s->default_kind : "kary-ntree");
        return NULL;
    }
    const cop_brought *b = brought(r, s, "kind");
    kind = kind ? kind : b ? b->value : NULL;
    kind = kind ? kind : s->default_kind;
    if (kind == NULL) {
        size_t n = cop_plugin_names(s, r->c->more, names, COP_MAX_OPTIONS);
        cop_reader_fault(r, map, "%s.kind is missing; choose one of %s", s->name,
                         cop_reader_join(names, n, list, sizeof(list)));
        return NULL;
    }
    if (strcmp(s->name, "routing") == 0 && strcmp(kind, COP_ROUTING_AUTO) == 0)
        return r->c->topo ? cop_routing_for(r->c->topo->name) : NULL;
    return kind;
}

/* Defaults of a plug-in of the kind that is brought. `named`: the file names that kind itself. */
static void take_brought(cop_reader *r, const cop_section *s, const cop_plugin *p, bool named,
                         void *cfg)
{
    const cop_brought *kind = brought(r, s, "kind");
    if (kind == NULL || strcmp(kind->value, p->name) != 0)
        return;
    for (const cop_opt *o = p->opts; o->name != NULL; o++) {
        const cop_brought *b = brought(r, s, o->name);
        if (b != NULL && (!b->unnamed || !named))
            cop_opt_parse(o, cfg, b->value, &r->c->arena, NULL, r->err);
    }
}

static void load_plugin(cop_reader *r, const cop_section *s, int map)
{
    cop_plugin p;
    const char *kind = chosen_kind(r, s, map);
    if (kind == NULL)
        return;
    if (!cop_plugin_find(s, r->c->more, kind, &p)) {
        const char *names[COP_MAX_OPTIONS];
        char what[40];
        snprintf(what, sizeof(what), "kind of %s", s->name);
        size_t n = cop_plugin_names(s, r->c->more, names, COP_MAX_OPTIONS - 1);
        if (strcmp(s->name, "routing") == 0)
            names[n++] = COP_ROUTING_AUTO;
        int node = map ? cop_doc_get(&r->doc, map, "kind") : 0;
        cop_reader_unknown(r, node, what, kind, names, n);
        return;
    }
    void *cfg = cop_arena_alloc(&r->c->arena, p.cfg_size);
    memcpy((char *)r->c + s->ops_offset, &p.ops, sizeof(p.ops));
    memcpy((char *)r->c + s->cfg_offset, &cfg, sizeof(cfg));
    cop_opt_defaults(p.opts, cfg, &r->c->arena);
    if (p.in_cycles)
        cop_units_defaults(&r->c->units, p.opts, cfg);
    take_brought(r, s, &p, map != 0 && cop_doc_get(&r->doc, map, "kind") != 0, cfg);
    cop_reader_table(r, map, p.opts, cfg, true);
}

static void load_section(cop_reader *r, const cop_section *s, int node)
{
    char example[80];
    r->section = s->name;
    r->entry = COP_NO_ENTRY;
    if (s->plugin != NULL)
        snprintf(example, sizeof(example), "%s: {kind: %s}", s->name,
                 s->default_kind ? s->default_kind : "kary-ntree");
    else
        snprintf(example, sizeof(example), "%s: {%s: %s}", s->name, s->opts[0].name,
                 s->opts[0].def);
    if (node != 0)
        cop_reader_mark(r, NULL, node);
    bool given = is_map(r, node, example);
    if (node != 0 && !given && !cop_doc_is_empty(&r->doc, node))
        return;
    if (s->plugin != NULL) {
        load_plugin(r, s, given ? node : 0);
    } else {
        void *cfg = (char *)r->c + s->cfg_offset;
        cop_opt_defaults(s->opts, cfg, &r->c->arena);
        cop_reader_table(r, given ? node : 0, s->opts, cfg, false);
    }
}

static void load_traffic(cop_reader *r, int node)
{
    r->section = "traffic";
    r->entry = COP_NO_ENTRY;
    if (node == 0 || cop_doc_is_empty(&r->doc, node))
        return;
    cop_reader_mark(r, NULL, node);
    if (cop_doc_type(&r->doc, node) != COP_NODE_LIST) {
        cop_reader_fault(r, node, "traffic: is not a list; begin each entry with `- `");
        return;
    }
    size_t n = cop_doc_count(&r->doc, node);
    if (n > MAX_TRAFFIC) {
        cop_reader_fault(r, node, "traffic: has %zu entries; give at most %d", n, MAX_TRAFFIC);
        return;
    }
    r->c->traffic = COP_NEW_ARRAY(&r->c->arena, cop_traffic_cfg, n);
    r->c->n_traffic = n;
    for (size_t i = 0; i < n && !cop_reader_full(r); i++) {
        int item = cop_doc_item(&r->doc, node, i);
        r->entry = i;
        cop_reader_mark(r, NULL, item);
        if (cop_doc_type(&r->doc, item) != COP_NODE_MAP) {
            cop_reader_fault(
                r, item, "traffic[%zu]: is not a map; write options, such as `- {from: all}`", i);
            continue;
        }
        cop_opt_defaults(cop_traffic_opts, &r->c->traffic[i], &r->c->arena);
        cop_reader_table(r, item, cop_traffic_opts, &r->c->traffic[i], false);
    }
}

typedef struct named { /* a key of section hosts */
    const char *text;
    int key;
} named;

static int by_text(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->key > y->key) - (x->key < y->key);
}

/* The same hosts, in the same words, cannot be given twice. */
static void check_once(cop_reader *r, int node, size_t n)
{
    named *all = cop_alloc_array(n, sizeof(*all));
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, node, i, &key, &value);
        const char *text = cop_doc_text(&r->doc, key);
        if (text != NULL)
            all[used++] = (named){text, key};
    }
    qsort(all, used, sizeof(*all), by_text);
    for (size_t i = 1; i < used && !cop_reader_full(r); i++)
        if (strcmp(all[i].text, all[i - 1].text) == 0)
            cop_reader_twice(r, all[i].key, all[i].text, all[i - 1].key);
    cop_free(all);
}

/* Section hosts: a map from sets of hosts to their options. */
static void load_hosts(cop_reader *r, int node)
{
    static const char example[] = "hosts: {3: {receive_rate: 5 Gbit/s}}";
    r->section = "hosts";
    r->entry = COP_NO_ENTRY;
    if (node == 0 || cop_doc_is_empty(&r->doc, node))
        return;
    cop_reader_mark(r, NULL, node);
    if (!is_map(r, node, example))
        return;
    size_t n = cop_doc_count(&r->doc, node);
    if (n > MAX_TRAFFIC) {
        cop_reader_fault(r, node, "hosts: has %zu entries; give at most %d", n, MAX_TRAFFIC);
        return;
    }
    check_once(r, node, n);
    r->c->own = COP_NEW_ARRAY(&r->c->arena, cop_host_own, n);
    r->c->n_own = n;
    for (size_t i = 0; i < n && !cop_reader_full(r); i++) {
        int key, value;
        cop_doc_pair(&r->doc, node, i, &key, &value);
        const char *text = cop_reader_key(r, key);
        r->entry = i;
        cop_reader_mark(r, NULL, key);
        if (text != NULL && cop_doc_type(&r->doc, value) != COP_NODE_MAP)
            cop_reader_fault(r, value,
                             "hosts: `%s` has no options; write hosts with theirs, such "
                             "as `%s`",
                             text, example);
        if (text == NULL || cop_doc_type(&r->doc, value) != COP_NODE_MAP)
            continue;
        cop_opt_defaults(cop_own_opts, &r->c->own[i], &r->c->arena);
        cop_reader_table(r, value, cop_own_opts, &r->c->own[i], false);
        r->c->own[i].hosts = cop_arena_strdup(&r->c->arena, text);
    }
}

/* An option of this name in some section, for keys that stand one level too high. */
static const char *section_with(const char *option)
{
    for (const cop_section *s = cop_sections; s->name != NULL; s++)
        if (cop_opt_find(s->opts, option) != NULL)
            return s->name;
    return NULL;
}

static void unknown_section(cop_reader *r, int key, const char *text)
{
    const char *names[COP_MAX_SECTIONS + 4];
    size_t n = 0;
    for (const cop_section *s = cop_sections; s->name != NULL; s++)
        names[n++] = s->name;
    names[n++] = "traffic";
    names[n++] = "hosts";
    for (const cop_opt *o = cop_root_opts; o->type != COP_OPT_END; o++)
        names[n++] = o->name;
    const char *section = section_with(text);
    if (section != NULL)
        cop_reader_fault(r, key, "`%s` stands at top level; write it in section `%s`", text,
                         section);
    else
        cop_reader_unknown(r, key, "section", text, names, n);
}

/* Find the sections of the document; node[i] is that of cop_sections[i], the last ones traffic and hosts. */
static void read_root(cop_reader *r, int root, int *node, size_t n_sections)
{
    int seen[COP_MAX_SECTIONS + 4] = {0};
    size_t n = cop_doc_count(&r->doc, root);
    for (size_t i = 0; i < n && !cop_reader_full(r); i++) {
        int key, value;
        cop_doc_pair(&r->doc, root, i, &key, &value);
        const char *text = cop_reader_key(r, key);
        if (text == NULL)
            continue;
        const cop_section *s = cop_section_find(text);
        const cop_opt *o = cop_opt_find(cop_root_opts, text);
        size_t at = n_sections + 2 + (o ? (size_t)(o - cop_root_opts) : 0);
        if (s != NULL)
            at = (size_t)(s - cop_sections);
        else if (strcmp(text, "traffic") == 0)
            at = n_sections;
        else if (strcmp(text, "hosts") == 0)
            at = n_sections + 1;
        else if (o == NULL) {
            unknown_section(r, key, text);
            continue;
        }
        if (seen[at] != 0) {
            cop_reader_twice(r, key, text, seen[at]);
            continue;
        }
        seen[at] = key;
        if (o != NULL)
            cop_reader_value(r, o, r->c, value);
        else
            node[at] = value;
    }
}

static bool is_given(const cop_config *c, const char *section, const char *option)
{
    bool given = false;
    for (const cop_mark *m = c->marks; m != NULL; m = m->next)
        given |= m->section != NULL && m->option != NULL && strcmp(m->section, section) == 0 &&
                 strcmp(m->option, option) == 0;
    return given;
}

/* The flit of section units is that of the switch, unless the switch has its own. */
static void settle_flit(cop_config *c)
{
    if (c->units.flit_bytes != 0 && c->sw.switching == COP_SWITCHING_WORM &&
        !is_given(c, "switch", "flit"))
        c->sw.flit_bytes = c->units.flit_bytes;
}

/* A congestion control with separate lanes for notifications needs their length. */
static void settle_notices(cop_config *c)
{
    if (c->cc == NULL || c->cc_cfg == NULL || is_given(c, "nic", "control_bytes"))
        return;
    cop_cc_facts facts = cop_cc_facts_of(c->cc, c->cc_cfg, NULL);
    if (facts.own_lanes && facts.notice_bytes != 0)
        c->nic.control_bytes = facts.notice_bytes;
}

/* Values that the kinds of the file set in sections that are read before their own. */
static void find_brought(cop_reader *r, const int *node, size_t n_sections)
{
    cop_plugin p;
    for (size_t i = 0; i < n_sections; i++) {
        const cop_section *s = &cop_sections[i];
        bool map =
            s->plugin != NULL && node[i] != 0 && cop_doc_type(&r->doc, node[i]) == COP_NODE_MAP;
        const char *kind =
            map ? cop_doc_text(&r->doc, cop_doc_get(&r->doc, node[i], "kind")) : NULL;
        if (kind != NULL && cop_plugin_find(s, r->c->more, kind, &p) && p.brings != NULL)
            r->brings[r->n_brings++] = p.brings;
    }
}

static void read_document(cop_reader *r)
{
    int node[COP_MAX_SECTIONS + 2] = {0};
    size_t n_sections = 0;
    while (cop_sections[n_sections].name != NULL)
        n_sections++;
    COP_CHECK(n_sections <= COP_MAX_SECTIONS);
    int root = cop_doc_root(&r->doc);
    if (cop_doc_type(&r->doc, root) != COP_NODE_MAP) {
        cop_reader_fault(r, root,
                         "no sections; write at least `topology: {kind: kary-ntree, k: 4, n: 2}`");
        return;
    }
    int study = cop_doc_get(&r->doc, root, "experiment");
    if (study != 0) {
        cop_reader_fault(r, study,
                         "this is a study of many runs, not a configuration; use `coppice sweep`");
        return;
    }
    r->section = NULL;
    r->entry = COP_NO_ENTRY;
    read_root(r, root, node, n_sections);
    find_brought(r, node, n_sections);
    for (size_t i = 0; i < n_sections && !cop_reader_full(r); i++)
        load_section(r, &cop_sections[i], node[i]);
    if (!cop_reader_full(r))
        load_traffic(r, node[n_sections]);
    if (!cop_reader_full(r))
        load_hosts(r, node[n_sections + 1]);
    settle_flit(r->c);
    settle_notices(r->c);
}

/* The file's name without directory and `.yaml`. */
static const char *default_name(cop_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = cop_arena_strdup(arena, slash ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0))
        *dot = '\0';
    for (const char *s = name; *s != '\0';) {
        char *c = name + (s - name);
        if (cop_utf8_next(&s) == COP_NONE)
            *c = '_'; /* a name is printed as YAML, which is UTF-8 */
    }
    return name;
}

/* Absolute directory of the file; as given if it cannot be found out. */
static const char *directory_of(cop_arena *arena, const char *file)
{
    char absolute[PATH_MAX];
    const char *slash = strrchr(file, '/');
    char *dir = cop_arena_strdup(arena, slash ? file : ".");
    if (slash != NULL)
        dir[slash == file ? 1 : slash - file] = '\0';
    return realpath(dir, absolute) != NULL ? cop_arena_strdup(arena, absolute) : dir;
}

int cop_config_load(cop_config *c, const char *file, const char *text, const cop_override *set,
                    size_t n_set, cop_err *err)
{
    return cop_config_load_with(c, NULL, file, text, set, n_set, err);
}

int cop_config_load_with(cop_config *c, const struct cop_plugin_set *more, const char *file,
                         const char *text, const cop_override *set, size_t n_set, cop_err *err)
{
    cop_err own = {0};
    *c = (cop_config){.more = more};
    c->file = cop_arena_strdup(&c->arena, file);
    cop_opt_defaults(cop_root_opts, c, &c->arena);
    cop_reader r = {.c = c, .doc = {.set = set, .n_set = n_set}, .err = &own};
    r.directory = directory_of(&c->arena, file);
    int rc = cop_doc_load(&r.doc, c->file, text, &own);
    if (rc == 0) {
        for (size_t i = 0; i < n_set; i++)
            cop_doc_set(&r.doc, i, &own);
        read_document(&r);
        cop_doc_free(&r.doc);
        rc = own.faults > 0 ? -COP_E_INPUT : 0;
    }
    if (rc != 0) {
        if (err != NULL && err->faults == 0)
            *err = own;
        else
            cop_err_add(err, own.code, "%s", own.text);
        cop_config_free(c);
        return rc;
    }
    if (c->name[0] == '\0')
        c->name = default_name(&c->arena, strcmp(file, "-") == 0 ? "stdin" : file);
    return 0;
}

void cop_config_free(cop_config *c)
{
    cop_arena_free(&c->arena);
    *c = (cop_config){0};
}

/* How well a mark answers a question for section, entry and option: 3 the option itself, 2 its
 * entry or section, 1 the list it is in, 0 not at all. */
static int mark_fits(const cop_mark *m, const char *section, size_t length, size_t entry,
                     const char *option)
{
    if (m->section == NULL)
        return strncmp(m->option, section, length) == 0 && m->option[length] == '\0' ? 3 : 0;
    if (strncmp(m->section, section, length) != 0 || m->section[length] != '\0')
        return 0;
    if (m->option != NULL)
        return m->entry == entry && option != NULL && strcmp(m->option, option) == 0 ? 3 : 0;
    return m->entry == entry ? 2 : m->entry == COP_NO_ENTRY ? 1 : 0;
}

const char *cop_config_where(const cop_config *c, const char *path, char *buf, size_t size)
{
    size_t length = strcspn(path, ".[");
    size_t entry = path[length] == '[' ? strtoul(path + length + 1, NULL, 10) : COP_NO_ENTRY;
    const char *dot = strchr(path, '.');
    cop_where where = {c->file, 0, 0};
    int best = 0;
    for (const cop_mark *m = c->marks; m != NULL; m = m->next) {
        int fits = mark_fits(m, path, length, entry, dot ? dot + 1 : NULL);
        if (fits > best) {
            best = fits;
            where = m->where;
        }
    }
    return cop_where_text(&where, buf, size);
}
