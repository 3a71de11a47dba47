/* Overrides: `--set key.path=value` applied to the document before it is checked.
 *
 * Inputs: "switch.buffer=64 KiB", "traffic.0.rate=1 Gbit/s", "traffic.F1.rate=...". The value is
 * plain text, or YAML if it begins with [ { " or '.
 * Invariants: containers on the way are copied, so a node shared through an alias changes only
 * where the path leads. Nodes made here carry the override's number in their mark.
 * A new `kind` of a section with plug-ins starts that section anew: options which the file gave to
 * the old kind are dropped, options from overrides stay. */
#include "exp/config_doc.h"
#include "exp/sections.h"

#include <stdio.h>
#include <string.h>

#define MAX_SEGMENTS 4
#define MAX_VALUE_SIZE 65536 /* with aliases written out: letters and nodes */
#define MAX_VALUE_DEPTH 4
#define MAX_VALUE_BYTES 8192 /* of YAML: libyaml takes quadratic time for deep nesting */

static int fault(const cop_doc *d, size_t i, cop_err *err, const char *what, const char *right)
{
    char shown[120];
    return cop_err_add(err, COP_E_INPUT, "--set %s: %s; %s",
                       cop_excerpt(d->set[i].text, shown, sizeof(shown)), what, right);
}

/* libyaml refuses to add a node or an item only when it has no memory. */
static void must(int added)
{
    if (added <= 0)
        cop_out_of_memory();
}

static int own(cop_doc *d, int node, size_t i)
{
    must(node);
    yaml_mark_t *mark = &yaml_document_get_node(&d->yaml, node)->start_mark;
    mark->line = i;
    mark->column = COP_DOC_SET_COLUMN;
    return node;
}

static int add_scalar(cop_doc *d, const char *text, size_t length, yaml_scalar_style_t style,
                      size_t i)
{
    return own(
        d, yaml_document_add_scalar(&d->yaml, NULL, (const yaml_char_t *)text, (int)length, style),
        i);
}

static int add_map(cop_doc *d, size_t i)
{
    return own(d, yaml_document_add_mapping(&d->yaml, NULL, YAML_BLOCK_MAPPING_STYLE), i);
}

/* Copy node `n` of another document; 0 if it is too large or too deep (or cyclic). */
static int import_node(cop_doc *d, yaml_document_t *from, int n, size_t i, int depth, size_t *used)
{
    const yaml_node_t *node = yaml_document_get_node(from, n);
    if (node == NULL || depth > MAX_VALUE_DEPTH)
        return 0;
    *used += 1 + (node->type == YAML_SCALAR_NODE ? node->data.scalar.length : 0);
    if (*used > MAX_VALUE_SIZE)
        return 0;
    if (node->type == YAML_SCALAR_NODE)
        return add_scalar(d, (const char *)node->data.scalar.value, node->data.scalar.length,
                          node->data.scalar.style, i);
    if (node->type == YAML_SEQUENCE_NODE) {
        int list = own(d, yaml_document_add_sequence(&d->yaml, NULL, YAML_FLOW_SEQUENCE_STYLE), i);
        for (const int *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top; item++) {
            int copy = import_node(d, from, *item, i, depth + 1, used);
            if (copy == 0)
                return 0;
            must(yaml_document_append_sequence_item(&d->yaml, list, copy));
        }
        return list;
    }
    int map = add_map(d, i);
    for (const yaml_node_pair_t *p = node->data.mapping.pairs.start;
         p < node->data.mapping.pairs.top; p++) {
        int key = import_node(d, from, p->key, i, depth + 1, used);
        int value = key ? import_node(d, from, p->value, i, depth + 1, used) : 0;
        if (value == 0)
            return 0;
        must(yaml_document_append_mapping_pair(&d->yaml, map, key, value));
    }
    return map;
}

static void delete_parser(void *parser)
{
    yaml_parser_delete(parser);
}

static void delete_document(void *document)
{
    yaml_document_delete(document);
}

/* A value that begins with [ { " or ' is YAML. Returns 0 after a fault. */
static int add_yaml(cop_doc *d, const char *text, size_t i, cop_err *err)
{
    if (strlen(text) > MAX_VALUE_BYTES) {
        fault(d, i, err, "the value is too large or too deep", "write it in the file");
        return 0;
    }
    yaml_parser_t parser;
    yaml_document_t value;
    cop_deferred open[2];
    must(yaml_parser_initialize(&parser));
    cop_mem_defer(&open[0], delete_parser, &parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    int node = 0;
    size_t used = 0;
    if (!yaml_parser_load(&parser, &value)) {
        /* When it does not say what is wrong, libyaml had no memory for it. */
        must(parser.error != YAML_MEMORY_ERROR && parser.error != YAML_NO_ERROR);
        fault(d, i, err, "the value is not YAML", "close every quote and bracket");
    } else {
        cop_mem_defer(&open[1], delete_document, &value);
        node = import_node(d, &value, 1, i, 0, &used);
        if (node == 0)
            fault(d, i, err, "the value is too large or too deep", "write it in the file");
        cop_mem_forget(&open[1]);
        yaml_document_delete(&value);
    }
    cop_mem_forget(&open[0]);
    yaml_parser_delete(&parser);
    return node;
}

/* libyaml refuses what is not UTF-8; ask before. */
static bool is_utf8(const char *text)
{
    while (*text != '\0')
        if (cop_utf8_next(&text) == COP_NONE)
            return false;
    return true;
}

/* Index of the list item a segment means: its number, or the `name` of the item. */
static bool find_item(cop_doc *d, int list, const char *segment, size_t *index)
{
    size_t n = cop_doc_count(d, list);
    int64_t number;
    if (cop_parse_int(segment, &number, NULL) == 0) {
        *index = (size_t)number;
        return number >= 0 && (uint64_t)number < n;
    }
    for (*index = 0; *index < n; (*index)++) {
        int name = cop_doc_get(d, cop_doc_item(d, list, *index), "name");
        const char *text = cop_doc_text(d, name);
        if (text != NULL && strcmp(text, segment) == 0)
            return true;
    }
    return false;
}

/* The slot that holds the child `segment` of a container; NULL if there is none. Valid until a
 * node is added. */
static int *child_slot(cop_doc *d, int parent, const char *segment)
{
    yaml_node_t *node = yaml_document_get_node(&d->yaml, parent);
    if (node->type == YAML_SEQUENCE_NODE) {
        size_t index;
        return find_item(d, parent, segment, &index) ? &node->data.sequence.items.start[index]
                                                     : NULL;
    }
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
         p++) {
        const char *key = cop_doc_text(d, p->key);
        if (key != NULL && strcmp(key, segment) == 0)
            return &p->value;
    }
    return NULL;
}

static void put_child(cop_doc *d, int parent, const char *segment, int child, size_t i)
{
    int *slot = child_slot(d, parent, segment);
    if (slot != NULL) {
        *slot = child;
        return;
    }
    int key = add_scalar(d, segment, strlen(segment), YAML_PLAIN_SCALAR_STYLE, i);
    must(yaml_document_append_mapping_pair(&d->yaml, parent, key, child));
}

/* A shallow copy of a container that keeps its place in the file. */
static int copy_container(cop_doc *d, int node)
{
    bool list = cop_doc_type(d, node) == COP_NODE_LIST;
    yaml_mark_t mark = yaml_document_get_node(&d->yaml, node)->start_mark;
    int copy = list ? yaml_document_add_sequence(&d->yaml, NULL, YAML_BLOCK_SEQUENCE_STYLE)
                    : yaml_document_add_mapping(&d->yaml, NULL, YAML_BLOCK_MAPPING_STYLE);
    must(copy);
    yaml_document_get_node(&d->yaml, copy)->start_mark = mark;
    size_t n = cop_doc_count(d, node);
    for (size_t k = 0; k < n; k++) {
        if (list) {
            int item = cop_doc_item(d, node, k);
            must(yaml_document_append_sequence_item(&d->yaml, copy, item));
        } else {
            int key, value;
            cop_doc_pair(d, node, k, &key, &value);
            must(yaml_document_append_mapping_pair(&d->yaml, copy, key, value));
        }
    }
    return copy;
}

/* The name of an entry of a list behind those before it, as far as there is room. */
static void add_name(cop_doc *d, int entry, char *names, size_t size)
{
    int name = cop_doc_type(d, entry) == COP_NODE_MAP ? cop_doc_get(d, entry, "name") : 0;
    const char *text = name ? cop_doc_text(d, name) : NULL;
    size_t used = strlen(names);
    if (text != NULL && used + strlen(text) + 3 < size)
        snprintf(names + used, size - used, "%s%s", used ? ", " : "", text);
}

/* One step down the path; returns the container to go on in, 0 after a fault. */
static int descend(cop_doc *d, int parent, const char *segment, size_t i, cop_err *err)
{
    int *slot = child_slot(d, parent, segment);
    if (slot == NULL && cop_doc_type(d, parent) == COP_NODE_LIST) {
        char right[160], names[80] = "";
        for (size_t k = 0; k < cop_doc_count(d, parent); k++)
            add_name(d, cop_doc_item(d, parent, k), names, sizeof(names));
        snprintf(right, sizeof(right), "the list has %zu%s%s; use its number from 0 or its name",
                 cop_doc_count(d, parent), names[0] ? ": " : "", names);
        fault(d, i, err, "there is no such entry", right);
        return 0;
    }
    int child = slot ? *slot : 0;
    enum cop_node type = cop_doc_type(d, child);
    if (child == 0 || cop_doc_is_empty(d, child)) {
        child = add_map(d, i);
    } else if (type == COP_NODE_SCALAR) {
        fault(d, i, err, "the path goes through a value", "shorten the path");
        return 0;
    } else if (child <= d->n_file_nodes) { /* aliases share only nodes of the file */
        child = copy_container(d, child);
    }
    put_child(d, parent, segment, child, i);
    return child;
}

static void drop_file_options(cop_doc *d, int map)
{
    yaml_node_t *node = yaml_document_get_node(&d->yaml, map);
    yaml_node_pair_t *keep = node->data.mapping.pairs.start;
    for (yaml_node_pair_t *p = keep; p < node->data.mapping.pairs.top; p++)
        if (p->value > d->n_file_nodes)
            *keep++ = *p;
    node->data.mapping.pairs.top = keep;
}

/* Cut the path at its dots; returns 0 if a name is empty or there are too many. */
static int split_path(char *path, char **segment)
{
    int n = 0;
    for (char *s = path; s != NULL; n++) {
        char *dot = strchr(s, '.');
        if (dot != NULL)
            *dot++ = '\0';
        if (*s == '\0' || n == MAX_SEGMENTS)
            return 0;
        segment[n] = s;
        s = dot;
    }
    return n;
}

static int set_at(cop_doc *d, char **segment, int n, const char *value, size_t i, cop_err *err)
{
    if (!cop_doc_root(d))
        add_map(d, i);
    int at = cop_doc_root(d);
    if (cop_doc_type(d, at) != COP_NODE_MAP)
        return 0; /* the check of the document says what is wrong */
    for (int k = 0; k + 1 < n; k++) {
        at = descend(d, at, segment[k], i, err);
        if (at == 0)
            return -COP_E_INPUT;
    }
    const char *last = segment[n - 1];
    if (cop_doc_type(d, at) == COP_NODE_LIST && child_slot(d, at, last) == NULL)
        return fault(d, i, err, "there is no such entry", "use a number from 0 or a name");
    bool yaml = value[0] != '\0' && strchr("[{\"'", value[0]) != NULL;
    int node = yaml ? add_yaml(d, value, i, err)
                    : add_scalar(d, value, strlen(value), YAML_PLAIN_SCALAR_STYLE, i);
    if (node == 0)
        return -COP_E_INPUT;
    const cop_section *section = n == 2 ? cop_section_find(segment[0]) : NULL;
    if (section != NULL && section->plugin != NULL && strcmp(last, "kind") == 0) {
        const char *before = cop_doc_text(d, cop_doc_get(d, at, "kind"));
        if (before == NULL || strcmp(before, value) != 0)
            drop_file_options(d, at);
    }
    put_child(d, at, last, node, i);
    return 0;
}

int cop_doc_set(cop_doc *d, size_t i, cop_err *err)
{
    const char *text = d->set[i].text;
    const char *equals = strchr(text, '=');
    char path[160];
    char *segment[MAX_SEGMENTS];
    if (equals == NULL || equals == text)
        return fault(d, i, err, "no value",
                     "write key.path=value, such as switch.buffer=\"64 KiB\"");
    size_t length = (size_t)(equals - text);
    if (length >= sizeof(path) || !is_utf8(text))
        return fault(d, i, err, "not a path", "write section.option=value in UTF-8");
    memcpy(path, text, length);
    path[length] = '\0';
    if (strlen(equals + 1) > COP_DOC_MAX_TEXT)
        return fault(d, i, err, "the value has more than 256 KiB", "write it in the file");
    int n = split_path(path, segment);
    if (n == 0)
        return fault(d, i, err, "not a path",
                     "write section.option=value or traffic.0.option=value");
    return set_at(d, segment, n, equals + 1, i, err);
}
