/* The part of a study file that says what varies: settings and axes.
 *
 * Settings become the overrides that `coppice run --set` takes, so that a study cannot say anything
 * a run file could not. Values that only the other scale has are remembered as absent. */
#include "base/line.h"
#include "base/opt.h"
#include "study/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_LINE (1024 * 1024)
#define MAX_DEPTH 32

static void put_quoted(cop_line *l, const char *text)
{
    char one[2] = {0};
    cop_line_put(l, "'");
    for (; *text; text++) {
        one[0] = *text;
        cop_line_put(l, *text == '\'' ? "\'\'" : one);
    }
    cop_line_put(l, "'");
}

/* Limit of a line: aliases can make a short file into an endless one. */
static bool too_long(const cop_line *l, unsigned depth)
{
    return l->used > MAX_LINE || depth > MAX_DEPTH;
}

/* Text that YAML could read as more than text is quoted, but not at top level, where `--set` takes it
 * as it is. */
static void put_flow(cop_study_reader *r, cop_line *l, int node, unsigned depth)
{
    enum cop_node type = cop_doc_type(&r->doc, node);
    const char *text = cop_doc_text(&r->doc, node);
    if (type == COP_NODE_SCALAR || type == COP_NODE_NONE) {
        text = text ? text : "";
        bool plain = text[0] != '\0' && text[0] != ' ' && text[0] != '-' && text[0] != '?' &&
                     strpbrk(text, ",[]{}:#\"'&*!|>%@`~\n") == NULL;
        if (depth == 0 || plain)
            cop_line_put(l, text);
        else
            put_quoted(l, text);
        return;
    }
    cop_line_put(l, type == COP_NODE_LIST ? "[" : "{");
    for (size_t i = 0; i < cop_doc_count(&r->doc, node) && !too_long(l, depth); i++) {
        int key = 0, value = 0;
        if (i > 0)
            cop_line_put(l, ", ");
        if (type == COP_NODE_LIST) {
            put_flow(r, l, cop_doc_item(&r->doc, node, i), depth + 1);
            continue;
        }
        cop_doc_pair(&r->doc, node, i, &key, &value);
        put_flow(r, l, key, depth + 1);
        cop_line_put(l, ": ");
        put_flow(r, l, value, depth + 1);
    }
    cop_line_put(l, type == COP_NODE_LIST ? "]" : "}");
}

/* A node as YAML in one line, as `--set` wants it. */
const char *cop_study_flow(cop_study_reader *r, int node)
{
    cop_line l = {0};
    put_flow(r, &l, node, 0);
    if (l.used > MAX_LINE)
        cop_study_fault(r, node, "a value of more than %d KiB; write it shorter", MAX_LINE / 1024);
    return cop_line_take(&l, &r->s->arena);
}

static void keep_place(cop_study_reader *r, const char *text, int node)
{
    cop_setting *k = COP_NEW_ARRAY(&r->s->arena, cop_setting, 1);
    *k = (cop_setting){text, cop_study_where(r, node), r->s->setting};
    r->s->setting = k;
}

const char *cop_study_beside(cop_study *s, const char *file)
{
    const char *slash = strrchr(s->file, '/');
    if (file[0] == '/' || slash == NULL)
        return file;
    return cop_arena_printf(&s->arena, "%.*s/%s", (int)(slash - s->file), s->file, file);
}

static bool is_scale(const char *name)
{
    return name != NULL && (strcmp(name, "quick") == 0 || strcmp(name, "full") == 0);
}

/* How many settings a map has at this scale; every fault in its form. */
static size_t count_set(cop_study_reader *r, int map, bool inside)
{
    size_t n = cop_doc_count(&r->doc, map), total = 0;
    if (cop_doc_type(&r->doc, map) != COP_NODE_MAP) {
        cop_study_fault(r, map, "settings are not a map; write `switch.buffer: 64 KiB`");
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        if (!is_scale(cop_doc_text(&r->doc, key)))
            total++;
        else if (inside)
            cop_study_fault(r, key, "settings of a scale inside those of a scale");
        else
            total += count_set(r, value, true);
    }
    return total;
}

static void collect_set(cop_study_reader *r, int map, const char **set, size_t *n)
{
    size_t count = cop_doc_type(&r->doc, map) == COP_NODE_MAP ? cop_doc_count(&r->doc, map) : 0;
    int of_scale = 0;
    for (size_t i = 0; i < count; i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        const char *name = cop_doc_text(&r->doc, key);
        if (is_scale(name)) {
            of_scale = strcmp(name, r->s->scale) == 0 ? value : of_scale;
            continue;
        }
        const char *text = cop_study_flow(r, value);
        if (name != NULL && strcmp(name, "base") == 0)
            text = cop_study_beside(r->s, text);
        set[*n] = cop_arena_printf(&r->s->arena, "%s=%s", name ? name : "", text);
        keep_place(r, set[(*n)++], key);
    }
    if (of_scale)
        collect_set(r, of_scale, set, n);
}

/* {key.path: value, ...} as overrides; `base` names another run file to start from, and `quick` or
 * `full` further settings of that scale, which come last. */
const char **cop_study_read_set(cop_study_reader *r, int map, size_t *n)
{
    *n = 0;
    if (map == 0)
        return NULL;
    unsigned before = r->faults;
    const char **set = COP_NEW_ARRAY(&r->s->arena, const char *, count_set(r, map, false));
    if (r->faults == before)
        collect_set(r, map, set, n);
    return set;
}

/* The number a label begins with; *unit is what follows it. NaN if there is none. */
static double number_of(const char *label, const char **unit)
{
    char word[64];
    size_t n = strcspn(label, " ");
    double v = NAN;
    *unit = label + n + strspn(label + n, " ");
    if (n < sizeof(word)) {
        memcpy(word, label, n);
        word[n] = '\0';
        (void)cop_parse_real(word, &v, NULL);
    }
    return v;
}

/* Values count in the unit of the first one: 500 ns and 1 us are 500 and 1000. Where units do not fit
 * together, none is a number. */
static void read_numbers(cop_study_reader *r, int node, cop_axis *a)
{
    const char *unit = "";
    bool numbers = true;
    a->unit = NULL;
    for (size_t i = 0; i < a->n_values; i++) {
        cop_case *c = &a->value[i];
        c->number = number_of(c->label, &unit);
        if (isnan(c->number))
            continue;
        a->unit = a->unit ? a->unit : unit;
        c->number = cop_unit_convert(c->number, unit, a->unit);
        numbers &= !isnan(c->number);
    }
    a->unit = a->unit && numbers ? a->unit : "";
    for (size_t i = 0; i < a->n_absent; i++) {
        cop_case *c = &a->absent[i];
        c->number = number_of(c->label, &unit);
        c->number = numbers ? cop_unit_convert(c->number, unit, a->unit) : NAN;
    }
    for (size_t i = 0; i < a->n_values; i++) {
        if (!numbers)
            a->value[i].number = NAN;
        for (size_t k = 0; k < i; k++)
            if (a->value[k].number == a->value[i].number ||
                strcmp(a->value[k].label, a->value[i].label) == 0)
                cop_study_fault(r, node, "axis `%s` has the value %s twice", a->name,
                                a->value[i].label);
    }
}

/* Values that only the other scale has: expressions may use one, but there is no run. */
static void read_absent(cop_study_reader *r, int list, cop_axis *a)
{
    if (cop_doc_type(&r->doc, list) != COP_NODE_LIST)
        return;
    size_t n = cop_doc_count(&r->doc, list);
    a->absent = COP_NEW_ARRAY(&r->s->arena, cop_case, n);
    for (size_t i = 0; i < n; i++) {
        cop_case *c = &a->absent[a->n_absent++];
        c->label = cop_study_flow(r, cop_doc_item(&r->doc, list, i));
    }
}

/* values: [..] of one key, or of several keys at once. */
static void read_values(cop_study_reader *r, int map, cop_axis *a)
{
    static const char *const keys[] = {"key", "keys", "values", "quick"};
    size_t n_keys = 0;
    if (!cop_study_keys(r, map, "an axis", keys, COP_LEN(keys)))
        return;
    int key = cop_doc_get(&r->doc, map, "key");
    const char **paths = cop_study_words(r, map, "keys", &n_keys);
    if (paths == NULL) {
        paths = COP_NEW_ARRAY(&r->s->arena, const char *, 1);
        paths[0] = cop_study_text(r, map, "key", NULL);
        n_keys = 1;
    }
    int quick = strcmp(r->s->scale, "quick") == 0 ? cop_doc_get(&r->doc, map, "quick") : 0;
    int list = quick ? quick : cop_doc_get(&r->doc, map, "values");
    if (list == 0 || cop_doc_type(&r->doc, list) != COP_NODE_LIST) {
        cop_study_fault(r, map, "an axis without values; write `values: [1, 2, 4]`");
        return;
    }
    a->n_values = cop_doc_count(&r->doc, list);
    a->value = COP_NEW_ARRAY(&r->s->arena, cop_case, a->n_values);
    if (quick)
        read_absent(r, cop_doc_get(&r->doc, map, "values"), a);
    for (size_t i = 0; i < a->n_values; i++) {
        cop_case *c = &a->value[i];
        c->label = cop_study_flow(r, cop_doc_item(&r->doc, list, i));
        c->n_set = n_keys;
        c->set = COP_NEW_ARRAY(&r->s->arena, const char *, n_keys);
        for (size_t k = 0; k < n_keys; k++) {
            c->set[k] = cop_arena_printf(&r->s->arena, "%s=%s", paths[k], c->label);
            keep_place(r, c->set[k], key ? key : cop_doc_get(&r->doc, map, "keys"));
        }
    }
}

/* Is this case left out? `quick: [names]` beside the cases names those of the quick scale. */
static bool left_out(cop_study_reader *r, const char **quick, size_t n, const char *label)
{
    if (quick == NULL || strcmp(r->s->scale, "quick") != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(quick[i], label) == 0)
            return false;
    return true;
}

/* {name: {settings}, ..., quick: [names]} */
static void read_cases(cop_study_reader *r, int map, cop_axis *a)
{
    int list = cop_doc_get(&r->doc, map, "quick");
    size_t n_quick = 0, n = cop_doc_count(&r->doc, map);
    bool filter = list && cop_doc_type(&r->doc, list) == COP_NODE_LIST;
    const char **quick = filter ? cop_study_words(r, map, "quick", &n_quick) : NULL;
    for (size_t i = 0; i < n_quick; i++)
        if (cop_doc_get(&r->doc, map, quick[i]) == 0)
            cop_study_fault(r, list, "no case is called `%s`; `quick` lists cases of its axis",
                            quick[i]);
    a->value = COP_NEW_ARRAY(&r->s->arena, cop_case, n);
    a->absent = COP_NEW_ARRAY(&r->s->arena, cop_case, n);
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        cop_case one = {.label = cop_study_flow(r, key), .number = NAN};
        if (filter && value == list)
            continue;
        if (left_out(r, quick, n_quick, one.label)) {
            a->absent[a->n_absent++] = one;
            continue;
        }
        cop_case *c = &a->value[a->n_values++];
        *c = one;
        c->set = cop_study_read_set(r, value, &c->n_set);
    }
}

void cop_study_read_axes(cop_study_reader *r, int map, cop_block *b)
{
    size_t n =
        cop_study_count(r, map, COP_NODE_MAP,
                        "`vary` is not a map; write `load: {key: traffic.0.load, values: [..]}`");
    if (b->n_axes + n > COP_STUDY_MAX_AXES) {
        cop_study_fault(r, map, "more than %d axes; use several blocks of runs",
                        COP_STUDY_MAX_AXES);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        cop_axis *a = &b->axis[b->n_axes++];
        a->name = cop_study_flow(r, key);
        if (cop_doc_type(&r->doc, value) != COP_NODE_MAP)
            cop_study_fault(r, value, "axis `%s` is not a map", a->name);
        else if (cop_doc_get(&r->doc, value, "key") || cop_doc_get(&r->doc, value, "keys"))
            read_values(r, value, a);
        else
            read_cases(r, value, a);
        if (a->n_values == 0)
            cop_study_fault(r, value, "axis `%s` has no values", a->name);
        read_numbers(r, value, a);
        for (const cop_axis *b0 = b->axis; b0 < a; b0++)
            if (strcmp(b0->name, a->name) == 0)
                cop_study_fault(r, key, "two axes are called `%s`", a->name);
    }
}

/* -- what is left out -- */

static const cop_axis *axis_called(const cop_block *b, const char *name, size_t *at)
{
    for (*at = 0; *at < b->n_axes; ++*at)
        if (strcmp(b->axis[*at].name, name) == 0)
            return &b->axis[*at];
    return NULL;
}

/* One value of an axis, by its label. Values of the other scale are known, too. */
static void hit_value(cop_study_reader *r, int node, const cop_axis *a, bool *hit)
{
    const char *label = cop_study_flow(r, node);
    for (size_t i = 0; i < a->n_values; i++)
        if (strcmp(a->value[i].label, label) == 0) {
            hit[i] = true;
            return;
        }
    for (size_t i = 0; i < a->n_absent; i++)
        if (strcmp(a->absent[i].label, label) == 0)
            return;
    cop_study_fault(r, node, "axis `%s` has no value %s", a->name, label);
}

/* {axis: value, axis: [values], why: text} */
static void read_gap(cop_study_reader *r, int map, const cop_block *b, cop_gap *g)
{
    g->hit = COP_NEW_ARRAY(&r->s->arena, const bool *, COP_STUDY_MAX_AXES);
    g->why = "";
    if (cop_doc_type(&r->doc, map) != COP_NODE_MAP) {
        cop_study_fault(r, map, "what is left out is not a map; write {axis: value, why: text}");
        return;
    }
    g->why = cop_study_text(r, map, "why", NULL);
    if (g->why[0] == '\0' && cop_doc_get(&r->doc, map, "why"))
        cop_study_fault(r, map, "`why` is empty; say why these runs are left out");
    for (size_t i = 0; i < cop_doc_count(&r->doc, map); i++) {
        int key, value;
        size_t at;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        const char *name = cop_study_flow(r, key);
        if (strcmp(name, "why") == 0)
            continue;
        const cop_axis *a = axis_called(b, name, &at);
        if (a == NULL) {
            cop_study_fault(r, key, "no axis is called `%s`; `leave_out` names axes and `why`",
                            name);
            continue;
        }
        if (g->hit[at] != NULL) {
            cop_study_fault(r, key, "axis `%s` is named twice; give its values as a list", name);
            continue;
        }
        bool *hit = COP_NEW_ARRAY(&r->s->arena, bool, a->n_values + 1);
        bool list = cop_doc_type(&r->doc, value) == COP_NODE_LIST;
        for (size_t k = 0; k < (list ? cop_doc_count(&r->doc, value) : 1); k++)
            hit_value(r, list ? cop_doc_item(&r->doc, value, k) : value, a, hit);
        g->hit[at] = hit;
    }
}

void cop_study_read_gaps(cop_study_reader *r, int list, cop_block *b)
{
    size_t n = cop_study_count(r, list, COP_NODE_LIST,
                               "`leave_out` is not a list; begin each with `- {axis: value`");
    cop_gap *all = COP_NEW_ARRAY(&r->s->arena, cop_gap, b->n_gaps + n);
    for (size_t i = 0; i < b->n_gaps; i++)
        all[i] = b->gap[i];
    for (size_t i = 0; i < n; i++)
        read_gap(r, cop_doc_item(&r->doc, list, i), b, &all[b->n_gaps + i]);
    b->gap = all;
    b->n_gaps += n;
}
