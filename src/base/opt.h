/* Option tables: one table per plug-in or section names every option with type, unit, default,
 * range and help. From it come parsing, defaults, range checks, `coppice check`, `coppice list`
 * and docs/CONFIG.md. The C struct it fills is immutable afterwards. */
#ifndef COP_OPT_H
#define COP_OPT_H

#include "base/err.h"
#include "base/mem.h"

#define COP_OPT_OPEN (UINT64_MAX - 1) /* "not given", of an option that may be 0 */

enum cop_opt_type { /* stored as */
                    COP_OPT_END = 0,
                    COP_OPT_BOOL, /* bool:      true false yes no on off */
                    COP_OPT_INT, /* int64_t:   plain integer */
                    COP_OPT_REAL, /* double:    plain number */
                    COP_OPT_SHARE, /* double:    "30 %" or 0.3 */
                    COP_OPT_TIME, /* uint64_t:  picoseconds; "100 ns", also ps us ms s; "never"
                                     where max allows */
                    COP_OPT_BYTES, /* uint64_t:  bytes; "2048 B", "64 KiB", "128 kB", MiB, MB, GiB
                                    */
                    COP_OPT_RATE, /* uint64_t:  bit/s; "20 Gbit/s", "2.5 GB/s", also Mbit/s Tbit/s
                                     MB/s */
                    COP_OPT_ENUM, /* int:       index into names[] */
                    COP_OPT_STRING, /* const char *, in the arena */
                    COP_OPT_INTS, /* cop_ints:  list of integers; also ranges "0-7" and "0-7:2" as
                                     items */
                    COP_OPT_REALS, /* cop_reals: list of plain numbers or shares */
                    COP_OPT_TIMES, /* cop_times: list of times */
};

typedef struct cop_ints {
    int64_t *v;
    size_t n;
} cop_ints;
typedef struct cop_reals {
    double *v;
    size_t n;
} cop_reals;
typedef struct cop_times {
    uint64_t *v;
    size_t n;
} cop_times;

typedef struct cop_opt {
    const char *name;
    enum cop_opt_type type;
    size_t offset; /* offsetof in the cfg struct */
    const char *def; /* default, in the text a user would write; NULL = required */
    /* Inclusive range in stored units (bytes, ps, bit/s); 0,0 = no check; max < min: only min is
     * checked. The default is accepted also outside (such as 0 = "as the link"). */
    double min, max;
    /* COP_OPT_ENUM: its names, NULL-terminated. Numbers and quantities: NULL, or the word for "not
     * given", such as {"inherit", NULL}. It is stored as 0, with min above 0. The text 0 is
     * refused, or means the same with {"auto", "0", NULL}, where zero would have no meaning. Sizes,
     * times and rates that may be 0 have min 0: the word is stored as COP_OPT_OPEN. */
    const char *const *names;
    const char *help; /* one line: meaning, and the source's name for it where it has one */
} cop_opt;

/* Where a value came from, for messages: "file.yaml:12:7" or "--set a.b=c". */
typedef struct cop_where {
    const char *file;
    unsigned line, column; /* from 1; 0 = unknown */
} cop_where;
/* "file:line:column" into buf. */
const char *cop_where_text(const cop_where *w, char *buf, size_t size);

/* Set every option of the table to its default. Required options stay zero. */
void cop_opt_defaults(const cop_opt *table, void *cfg, cop_arena *arena);
/* Parse scalar `text` (lists: text between [ ] or a single item) into option `o` of cfg. */
int cop_opt_parse(const cop_opt *o, void *cfg, const char *text, cop_arena *arena,
                  const cop_where *where, cop_err *err);
/* Parse the n items of a list option. */
int cop_opt_parse_list(const cop_opt *o, void *cfg, const char *const *items, size_t n,
                       cop_arena *arena, const cop_where *where, cop_err *err);
/* Print the effective value as a user would write it, with unit. Cut if it does not fit. */
const char *cop_opt_print(const cop_opt *o, const void *cfg, char *buf, size_t size);
/* A buffer size that cop_opt_print certainly fits in. */
size_t cop_opt_print_size(const cop_opt *o, const void *cfg);

/* Lists (opt_list.c): is it one, one item of it as an option at offset 0, and the parts of
 * cop_opt_print for lists. */
bool cop_opt_is_list(const cop_opt *o);
cop_opt cop_opt_item(const cop_opt *o);
const char *cop_opt_print_list(const cop_opt *o, const void *cfg, char *buf, size_t size);
size_t cop_opt_print_list_size(const cop_opt *o, const void *cfg);

/* The word of an option that is no enumeration, or NULL. */
const char *cop_opt_word(const cop_opt *o);
/* "time, 1 ps .. 10 s" and the like, for help and docs. */
const char *cop_opt_describe(const cop_opt *o, char *buf, size_t size);
/* Its default as in a run file, "" or [] if empty; NULL: it has none. */
const char *cop_opt_default(const cop_opt *o);
/* NULL if there is none; a NULL table is empty. */
const cop_opt *cop_opt_find(const cop_opt *table, const char *name);
/* A default of another section that a mechanism brings: it applies unless the run file gives a
 * value. First the kind of that section, then its options, which apply only to that kind; a list
 * ends with a NULL section. */
typedef struct cop_brought {
    const char *section, *option, *value;
    bool unnamed; /* only if the file gives no kind, not if it names the same */
} cop_brought;

/* The name in `names` nearest to `wrong` by edit distance, or NULL if none is near. */
const char *cop_nearest(const char *wrong, const char *const *names, size_t n);
/* User text made fit for a one-line message: control characters replaced, long text cut. */
const char *cop_excerpt(const char *text, char *buf, size_t size);
/* The code point at *text, which moves past it; COP_NONE, and one byte on, where it is not UTF-8.
 */
uint32_t cop_utf8_next(const char **text);

/* Scalars with units, usable on their own. Return 0, or -COP_E_INPUT with a reason in err that
 * names the right form. A bare number where a unit is needed is an error, except 0. */
int cop_parse_time(const char *text, uint64_t *ps, cop_err *err);
int cop_parse_bytes(const char *text, uint64_t *bytes, cop_err *err);
int cop_parse_rate(const char *text, uint64_t *bits_per_second, cop_err *err);
/* A unit that a configuration makes. */
typedef struct cop_scale {
    uint64_t factor; /* in units named `whole`; a value must be a whole number of them; NULL: the
                        nearest */
    const char *whole;
    const char *what, *example; /* for reasons: a kind of value, and one of it */
    const char *written; /* the text that the number is from */
} cop_scale;
/* A decimal number times a factor. */
int cop_parse_scaled(const char *number, const cop_scale *scale, uint64_t *value, cop_err *err);
/* Plain numbers, strictly: nothing before or after, no hexadecimal, no infinity. */
int cop_parse_int(const char *text, int64_t *value, cop_err *err);
int cop_parse_real(const char *text, double *value, cop_err *err);
/* A plain number or a percentage. */
int cop_parse_share(const char *text, double *value, cop_err *err);
/* A value in another unit of time, size or rate; NaN if there is no way from one to the other. A
 * unit that is none of these converts to itself. */
double cop_unit_convert(double value, const char *from, const char *to);
/* Shortest exact text: parsing it gives the same value. */
const char *cop_print_time(uint64_t ps, char *buf, size_t size);
const char *cop_print_bytes(uint64_t bytes, char *buf, size_t size);
const char *cop_print_rate(uint64_t bits_per_second, char *buf, size_t size);
const char *cop_print_real(double value, char *buf, size_t size);
const char *cop_print_share(double value, char *buf, size_t size);

#endif
