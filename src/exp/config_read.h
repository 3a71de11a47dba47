/* The reader of one map of options: shared by config.c (sections) and config_read.c (values).
 * Private to config*.c. */
#ifndef COP_CONFIG_READ_H
#define COP_CONFIG_READ_H

#include "exp/config_doc.h"

#define COP_MAX_OPTIONS 128
#define COP_MAX_SECTIONS 16
#define COP_NO_ENTRY SIZE_MAX

/* Where an option was given; a list in cop_config.marks. */
typedef struct cop_mark {
    struct cop_mark *next;
    const char *section, *option; /* option NULL: the section itself */
    size_t entry; /* of a list section, else COP_NO_ENTRY */
    cop_where where;
} cop_mark;

typedef struct cop_reader {
    cop_config *c;
    cop_doc doc;
    cop_err *err; /* never NULL */
    const char *directory; /* paths are relative to it */
    const char *section; /* being read; NULL: top level */
    size_t entry;
    const cop_brought *brings[COP_MAX_SECTIONS]; /* by mechanisms of the file, to other sections */
    size_t n_brings;
} cop_reader;

/* Faults after which reading stops. */
bool cop_reader_full(const cop_reader *r);
void cop_reader_fault(cop_reader *r, int node, const char *fmt, ...) COP_PRINTF(3, 4);
/* "unknown WHAT `wrong`; did you mean ..." */
void cop_reader_unknown(cop_reader *r, int node, const char *what, const char *wrong,
                        const char *const *names, size_t n);
void cop_reader_twice(cop_reader *r, int key, const char *name, int first);
void cop_reader_mark(cop_reader *r, const char *option, int node);
/* Text of a key; NULL after a fault. */
const char *cop_reader_key(cop_reader *r, int key);
/* Parse node `value` into option o of cfg. */
void cop_reader_value(cop_reader *r, const cop_opt *o, void *cfg, int value);
/* Fill cfg from a map (0: an empty one). With `has_kind` the key `kind` is allowed and skipped. */
void cop_reader_table(cop_reader *r, int map, const cop_opt *table, void *cfg, bool has_kind);
/* "a, b, c" of names, cut to fit. */
const char *cop_reader_join(const char *const *names, size_t n, char *buf, size_t size);

#endif
