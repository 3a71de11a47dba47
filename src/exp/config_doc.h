/* A YAML document with `--set` overrides applied: what config.c reads values from. Private to
 * config*.c. Nodes are numbers as in libyaml; 0 is no node. */
#ifndef COP_CONFIG_DOC_H
#define COP_CONFIG_DOC_H

#include "exp/config.h"

#include <yaml.h>

typedef struct cop_doc {
    yaml_document_t yaml;
    const char *file; /* name for messages */
    const cop_override *set; /* overrides, for messages */
    size_t n_set;
    int n_file_nodes; /* nodes above this number come from overrides */
    cop_deferred open; /* libyaml's memory is not ours */
} cop_doc;

#define COP_DOC_MAX_TEXT ((size_t)256 << 10) /* bytes of a text */

/* start_mark.column of a node that an override made; start_mark.line is the override's number. */
#define COP_DOC_SET_COLUMN SIZE_MAX

enum cop_node { COP_NODE_NONE, COP_NODE_SCALAR, COP_NODE_LIST, COP_NODE_MAP };

/* Read `file`, or `text` if not NULL. On failure nothing is left to free. */
int cop_doc_load(cop_doc *d, const char *file, const char *text, cop_err *err);
/* Apply override number i. */
int cop_doc_set(cop_doc *d, size_t i, cop_err *err);
void cop_doc_free(cop_doc *d);

int cop_doc_root(cop_doc *d);
enum cop_node cop_doc_type(cop_doc *d, int node);
/* Text of a scalar; NULL for other nodes, and for text with a NUL inside. */
const char *cop_doc_text(cop_doc *d, int node);
/* A scalar with nothing after the colon: `key:`. */
bool cop_doc_is_empty(cop_doc *d, int node);
size_t cop_doc_count(cop_doc *d, int node);
int cop_doc_item(cop_doc *d, int list, size_t i);
/* Pair number i of a map. */
void cop_doc_pair(cop_doc *d, int map, size_t i, int *key, int *value);
/* Value of a key, 0 if there is none. */
int cop_doc_get(cop_doc *d, int map, const char *key);
/* Was the node typed at a command line (cop_override.here)? */
bool cop_doc_typed(cop_doc *d, int node);
/* Where a node stands. The text of an override is copied into the arena. */
cop_where cop_doc_where(cop_doc *d, int node, cop_arena *arena);

#endif
