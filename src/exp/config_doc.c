/* YAML through libyaml's document API.
 *
 * Role: file to nodes with line and column; faults of syntax with libyaml's mark.
 * Limits: checked on events, before the document is built. Size, nesting, anchors and aliases, because
 * libyaml takes quadratic time for the last three; texts; and the size of the file with every
 * alias written out, so that a walk of the document may copy all nodes.
 * Invariant: no node contains itself. */
#include "exp/config_doc.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_FILE_BYTES ((size_t)4 << 20)
#define MAX_DEPTH 32
#define MAX_ANCHORS 1000
#define MAX_ALIASES 20000
#define MAX_EXPANDED_BYTES ((size_t)8 << 20)

static yaml_node_t *node_at(cop_doc *d, int node)
{
    return node > 0 ? yaml_document_get_node(&d->yaml, node) : NULL;
}

int cop_doc_root(cop_doc *d)
{
    return yaml_document_get_root_node(&d->yaml) != NULL ? 1 : 0;
}

enum cop_node cop_doc_type(cop_doc *d, int node)
{
    const yaml_node_t *n = node_at(d, node);
    if (n == NULL || n->type == YAML_NO_NODE)
        return COP_NODE_NONE;
    return n->type == YAML_SCALAR_NODE     ? COP_NODE_SCALAR
           : n->type == YAML_SEQUENCE_NODE ? COP_NODE_LIST
                                           : COP_NODE_MAP;
}

const char *cop_doc_text(cop_doc *d, int node)
{
    const yaml_node_t *n = node_at(d, node);
    if (n == NULL || n->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)n->data.scalar.value;
    return strlen(text) == n->data.scalar.length ? text : NULL;
}

bool cop_doc_is_empty(cop_doc *d, int node)
{
    const yaml_node_t *n = node_at(d, node);
    return n != NULL && n->type == YAML_SCALAR_NODE && n->data.scalar.length == 0 &&
           n->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

size_t cop_doc_count(cop_doc *d, int node)
{
    const yaml_node_t *n = node_at(d, node);
    if (n != NULL && n->type == YAML_SEQUENCE_NODE)
        return (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
    if (n != NULL && n->type == YAML_MAPPING_NODE)
        return (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
    return 0;
}

int cop_doc_item(cop_doc *d, int list, size_t i)
{
    return node_at(d, list)->data.sequence.items.start[i];
}

void cop_doc_pair(cop_doc *d, int map, size_t i, int *key, int *value)
{
    const yaml_node_pair_t *p = &node_at(d, map)->data.mapping.pairs.start[i];
    *key = p->key;
    *value = p->value;
}

int cop_doc_get(cop_doc *d, int map, const char *key)
{
    size_t n = cop_doc_type(d, map) == COP_NODE_MAP ? cop_doc_count(d, map) : 0;
    for (size_t i = 0; i < n; i++) {
        int k, v;
        cop_doc_pair(d, map, i, &k, &v);
        const char *text = cop_doc_text(d, k);
        if (text != NULL && strcmp(text, key) == 0)
            return v;
    }
    return 0;
}

bool cop_doc_typed(cop_doc *d, int node)
{
    const yaml_node_t *n = node_at(d, node);
    return n != NULL && n->start_mark.column == COP_DOC_SET_COLUMN &&
           d->set[n->start_mark.line].here;
}

cop_where cop_doc_where(cop_doc *d, int node, cop_arena *arena)
{
    const yaml_node_t *n = node_at(d, node);
    if (n == NULL)
        return (cop_where){d->file, 0, 0};
    if (n->start_mark.column == COP_DOC_SET_COLUMN) {
        char shown[120];
        cop_excerpt(d->set[n->start_mark.line].text, shown, sizeof(shown));
        return (cop_where){cop_arena_printf(arena, "--set %s", shown), 0, 0};
    }
    return (cop_where){d->file, (unsigned)n->start_mark.line + 1,
                       (unsigned)n->start_mark.column + 1};
}

static int check_size(const char *file, size_t length, cop_err *err)
{
    if (length <= MAX_FILE_BYTES)
        return 0;
    return cop_err_add(err, COP_E_INPUT, "%s: is larger than %zu MiB; give a run file", file,
                       MAX_FILE_BYTES >> 20);
}

static void close_file(void *f)
{
    (void)fclose(f);
}

/* The whole file, NUL at the end. */
static int read_all(const char *file, char **whole, size_t *length, cop_err *err)
{
    bool standard_input = strcmp(file, "-") == 0;
    if (!standard_input && cop_file_check(file, err) != 0)
        return -COP_E_IO;
    FILE *f = standard_input ? stdin : fopen(file, "rb");
    if (f == NULL && errno == ENOMEM)
        cop_out_of_memory();
    if (f == NULL)
        return cop_err_add(err, COP_E_IO, "%s: cannot be read: %s; give a readable YAML file", file,
                           strerror(errno));
    cop_deferred open = {0};
    if (!standard_input)
        cop_mem_defer(&open, close_file, f);
    char *text = NULL;
    size_t capacity = 0, used = 0, got;
    errno = 0;
    do {
        text = cop_grow(text, &capacity, used + 65537, 1);
        got = fread(text + used, 1, 65536, f);
        used += got;
    } while (got > 0 && used <= MAX_FILE_BYTES);
    bool failed = ferror(f) != 0;
    int why = errno;
    cop_mem_forget(&open);
    if (!standard_input)
        fclose(f);
    text[used] = '\0';
    *whole = text;
    *length = used;
    if (failed)
        return cop_err_add(err, COP_E_IO, "%s: cannot be read: %s; give a readable YAML file", file,
                           strerror(why));
    return check_size(file, used, err);
}

/* Line and column of byte `offset`, both from 1. */
static void locate(const char *text, size_t length, size_t offset, unsigned *line, unsigned *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < offset && i < length; i++) {
        (*column)++;
        if (text[i] == '\n') {
            (*line)++;
            *column = 1;
        }
    }
}

static int syntax_fault(const cop_doc *d, const yaml_parser_t *p, const char *text, size_t length,
                        cop_err *err)
{
    /* libyaml without a message means that memory ran out. */
    if (p->error == YAML_MEMORY_ERROR || p->error == YAML_NO_ERROR)
        cop_out_of_memory();
    unsigned line = (unsigned)p->problem_mark.line + 1;
    unsigned column = (unsigned)p->problem_mark.column + 1;
    const char *remedy = "check indentation, colons and quotes there";
    if (p->error == YAML_READER_ERROR) {
        locate(text, length, p->problem_offset, &line, &column);
        remedy = "save the file as UTF-8 text";
    } else if (p->problem != NULL && strstr(p->problem, "cannot start any token") != NULL) {
        remedy = "indent with spaces and quote text that starts with a special character";
    }
    return cop_err_add(err, COP_E_INPUT, "%s:%u:%u: not YAML: %s%s%s; %s", d->file, line, column,
                       p->context ? p->context : "", p->context ? ", " : "",
                       p->problem ? p->problem : "cannot be parsed", remedy);
}

/* An anchored node: its size with all aliases written out. */
typedef struct anchor {
    char *name; /* owned */
    size_t bytes;
    bool open; /* its end has not come yet */
} anchor;

/* One pass over the events of a file. */
typedef struct survey {
    const cop_doc *d;
    cop_err *err;
    unsigned depth, aliases;
    size_t bytes; /* so far, with all aliases written out; a node counts for as much as a letter */
    anchor anchor[MAX_ANCHORS];
    unsigned n_anchors;
    int opened[MAX_DEPTH + 1]; /* by depth: anchor of the container, or -1 */
} survey;

static int shape_fault(survey *v, const yaml_event_t *e, const char *what, const char *right)
{
    return cop_err_add(v->err, COP_E_INPUT, "%s:%zu:%zu: %s; %s", v->d->file,
                       e->start_mark.line + 1, e->start_mark.column + 1, what, right);
}

static const yaml_char_t *anchor_of(const yaml_event_t *e)
{
    return e->type == YAML_SCALAR_EVENT           ? e->data.scalar.anchor
           : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.anchor
           : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.anchor
                                                  : NULL;
}

/* Note an anchor; returns its number, -1 if there is none. */
static int add_anchor(survey *v, const yaml_event_t *e)
{
    const char *name = (const char *)anchor_of(e);
    if (name == NULL || v->n_anchors == MAX_ANCHORS)
        return -1;
    size_t n = strlen(name) + 1;
    anchor *a = &v->anchor[v->n_anchors];
    *a = (anchor){.name = cop_alloc(n), .bytes = v->bytes, .open = true};
    memcpy(a->name, name, n);
    return (int)v->n_anchors++;
}

static void close_anchor(survey *v, int i)
{
    if (i < 0)
        return;
    v->anchor[i].bytes = v->bytes - v->anchor[i].bytes;
    v->anchor[i].open = false;
}

/* An alias counts as what it stands for. One that is unknown is left to the parser. */
static int add_alias(survey *v, const yaml_event_t *e)
{
    if (++v->aliases > MAX_ALIASES)
        return shape_fault(v, e, "too many aliases", "use at most 20000");
    for (unsigned i = 0; i < v->n_anchors; i++) {
        const anchor *a = &v->anchor[i];
        if (strcmp(a->name, (const char *)e->data.alias.anchor) != 0)
            continue;
        if (a->open)
            return shape_fault(v, e, "an alias inside of what it stands for",
                               "let it stand for something before it");
        v->bytes += a->bytes;
    }
    return 0;
}

static void delete_parser(void *parser)
{
    yaml_parser_delete(parser);
}

static void delete_event(void *event)
{
    yaml_event_delete(event);
}

static int survey_event(survey *v, const yaml_event_t *e)
{
    bool opens = e->type == YAML_SEQUENCE_START_EVENT || e->type == YAML_MAPPING_START_EVENT;
    bool closes = e->type == YAML_SEQUENCE_END_EVENT || e->type == YAML_MAPPING_END_EVENT;
    bool scalar = e->type == YAML_SCALAR_EVENT;
    if (anchor_of(e) != NULL && v->n_anchors == MAX_ANCHORS)
        return shape_fault(v, e, "too many anchors", "use at most 1000");
    if (opens && v->depth == MAX_DEPTH)
        return shape_fault(v, e, "nested too deep", "sections hold options, not more");
    if (scalar && e->data.scalar.length > COP_DOC_MAX_TEXT)
        return shape_fault(v, e, "a text of more than 256 KiB", "shorten it");
    int number = add_anchor(v, e), rc = 0;
    v->bytes += opens || scalar;
    if (scalar) {
        v->bytes += e->data.scalar.length;
        close_anchor(v, number);
    } else if (opens) {
        v->opened[v->depth++] = number;
    } else if (closes) {
        close_anchor(v, v->opened[--v->depth]);
    } else if (e->type == YAML_ALIAS_EVENT) {
        rc = add_alias(v, e);
    }
    if (rc == 0 && v->bytes > MAX_EXPANDED_BYTES)
        rc = shape_fault(v, e, "more than 8 MiB with all aliases written out", "repeat less");
    return rc;
}

/* Check the limits of the document. The parser that builds it checks the syntax. */
static int check_shape(const cop_doc *d, const char *text, size_t length, cop_err *err)
{
    yaml_parser_t parser;
    cop_deferred parser_open, event_open;
    survey *v = cop_alloc(sizeof(*v));
    v->d = d;
    v->err = err;
    if (!yaml_parser_initialize(&parser))
        cop_out_of_memory();
    cop_mem_defer(&parser_open, delete_parser, &parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    int rc = 0;
    for (bool more = true; more && rc == 0;) {
        yaml_event_t e;
        if (!yaml_parser_parse(&parser, &e))
            break;
        cop_mem_defer(&event_open, delete_event, &e);
        rc = survey_event(v, &e);
        more = e.type != YAML_STREAM_END_EVENT;
        cop_mem_forget(&event_open);
        yaml_event_delete(&e);
    }
    if (parser.error == YAML_MEMORY_ERROR)
        cop_out_of_memory();
    for (unsigned i = 0; i < v->n_anchors; i++)
        cop_free(v->anchor[i].name);
    cop_free(v);
    cop_mem_forget(&parser_open);
    yaml_parser_delete(&parser);
    return rc;
}

static int second_document(cop_doc *d, yaml_parser_t *parser, const char *text, size_t length,
                           cop_err *err)
{
    yaml_document_t more;
    if (!yaml_parser_load(parser, &more))
        return syntax_fault(d, parser, text, length, err);
    const yaml_node_t *root = yaml_document_get_root_node(&more);
    int rc = 0;
    if (root != NULL)
        rc = cop_err_add(err, COP_E_INPUT,
                         "%s:%zu:1: a second document begins; one run file holds one document",
                         d->file, root->start_mark.line + 1);
    yaml_document_delete(&more);
    return rc;
}

static void delete_document(void *document)
{
    yaml_document_delete(document);
}

int cop_doc_load(cop_doc *d, const char *file, const char *text, cop_err *err)
{
    char *own = NULL;
    size_t length = text ? strlen(text) : 0;
    d->file = strcmp(file, "-") == 0 ? "standard input" : file;
    int rc = text ? check_size(file, length, err) : read_all(file, &own, &length, err);
    text = text ? text : own;
    if (rc == 0)
        rc = check_shape(d, text, length, err);
    if (rc != 0) {
        cop_free(own);
        return rc;
    }
    yaml_parser_t parser;
    cop_deferred parser_open;
    if (!yaml_parser_initialize(&parser))
        cop_out_of_memory();
    cop_mem_defer(&parser_open, delete_parser, &parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    if (!yaml_parser_load(&parser, &d->yaml)) {
        rc = syntax_fault(d, &parser, text, length, err);
    } else {
        cop_mem_defer(&d->open, delete_document, &d->yaml);
        d->n_file_nodes = (int)(d->yaml.nodes.top - d->yaml.nodes.start);
        if (cop_doc_root(d))
            rc = second_document(d, &parser, text, length, err);
        if (rc != 0)
            cop_doc_free(d);
    }
    cop_mem_forget(&parser_open);
    yaml_parser_delete(&parser);
    cop_free(own);
    return rc;
}

void cop_doc_free(cop_doc *d)
{
    cop_mem_forget(&d->open);
    yaml_document_delete(&d->yaml);
}

const char *cop_config_library(void)
{
    return yaml_get_version_string();
}
