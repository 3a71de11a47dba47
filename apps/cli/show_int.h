/* Parts of a result for people. Private to the files show*.c. */
#ifndef COP_SHOW_INT_H
#define COP_SHOW_INT_H

#include "amounts.h"
#include "show.h"

/* A result while it is written. */
typedef struct cop_sheet {
    FILE *out;
    const cop_result *r;
    const cop_units_cfg *units; /* of the run file */
    cop_arena *arena; /* for names with control characters */
    cop_style style;
} cop_sheet;

#define COP_SHOW_COLUMNS 80

/* Padded on the right; columns count, not bytes. */
void cop_put_padded(FILE *out, const char *text, size_t width);
/* The same as the first column of a table; a text that is wider has a line of its own. */
void cop_put_name(FILE *out, const char *text, size_t width);
/* "h7", or the name that a host has; "any" for COP_NONE. */
const char *cop_host_label(const cop_result *r, uint32_t host, char *buf, size_t size,
                           cop_arena *arena);
int cop_rate_digits(const cop_sheet *s); /* behind the point */
/* A row per stream. */
void cop_show_streams(const cop_sheet *s);
/* A row per traffic entry, and its sources that starve. */
void cop_show_entries(const cop_sheet *s);
/* How long jobs took, and what their ends depended on. */
void cop_show_jobs(const cop_sheet *s);
/* Counters of mechanisms, where there is something to tell. */
void cop_show_counters(const cop_sheet *s);
/* One sentence per congestion tree; nothing if they were not looked for. */
void cop_show_trees(const cop_sheet *s);

#endif
