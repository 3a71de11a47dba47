/* The reader of study files: shared by read.c (what is run), read_vary.c (what varies) and
 * read_checks.c (what is made of it).
 * Private to src/study. */
#ifndef COP_STUDY_READ_H
#define COP_STUDY_READ_H

#include "exp/config_doc.h"
#include "study/study.h"

typedef struct cop_study_reader {
    cop_study *s;
    const cop_ledger *ledger; /* NULL: none */
    cop_doc doc;
    cop_err *err;
    unsigned faults;
} cop_study_reader;

int cop_study_fault(cop_study_reader *r, int node, const char *fmt, ...) COP_PRINTF(3, 4);
/* "file:line:column" of a node, in the arena. */
const char *cop_study_where(cop_study_reader *r, int node);
/* Is it a map with no other keys than these? */
bool cop_study_keys(cop_study_reader *r, int map, const char *what, const char *const *names,
                    size_t n);
/* Items of a list or pairs of a map; 0 for no node, or another one after the fault `form`. */
size_t cop_study_count(cop_study_reader *r, int node, enum cop_node type, const char *form);
/* Text of a key; `or_else` if it is not there (NULL: it must be). */
const char *cop_study_text(cop_study_reader *r, int map, const char *key, const char *or_else);
double cop_study_real(cop_study_reader *r, int map, const char *key); /* NaN if not there */
bool cop_study_flag(cop_study_reader *r, int map, const char *key);
cop_expr cop_study_expr(cop_study_reader *r, int node);
const char **cop_study_words(cop_study_reader *r, int map, const char *key, size_t *n);

#define COP_STUDY_MAX_AXES 8

/* read_once.c: each key stands once in its map. */
void cop_study_check_once(cop_study_reader *r);

/* read_vary.c */
/* A node as YAML in one line, as `--set` wants it. */
const char *cop_study_flow(cop_study_reader *r, int node);
/* A path relative to the study file. */
const char *cop_study_beside(cop_study *s, const char *file);
/* {key.path: value, ...} as overrides. */
const char **cop_study_read_set(cop_study_reader *r, int map, size_t *n);
/* Add the axes of a `vary` map (0: none) to a block. */
void cop_study_read_axes(cop_study_reader *r, int map, cop_block *b);
/* Add what a `leave_out` list (0: none) says to a block that has its axes. */
void cop_study_read_gaps(cop_study_reader *r, int list, cop_block *b);

void cop_study_read_checks(cop_study_reader *r, int map);
void cop_study_read_figures(cop_study_reader *r, int list);
/* Fill s->inputs. */
int cop_study_fingerprint(cop_study *s, cop_err *err);

#endif
