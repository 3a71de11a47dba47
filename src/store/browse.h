/* What a run stored, row by row, for programs that show everything: reports.
 *
 * The columns come by name, in the order of the table, so a column added later reaches the reader
 * without a change here. */
#ifndef COP_BROWSE_H
#define COP_BROWSE_H

#include "store/store.h"

enum cop_browse_what {
    COP_BROWSE_SCALAR,
    COP_BROWSE_SERIES, /* name, unit, sample_ns, n; the values: cop_store_series */
    COP_BROWSE_ENTRY, /* the view of traffic entries */
    COP_BROWSE_NODE,
    COP_BROWSE_PORT,
    COP_BROWSE_HIST, /* bins of "latency" and "transit", with share and cumulative share */
    /* Runs that looked for congestion trees; nothing in files of versions without them. */
    COP_BROWSE_FRAME,
    COP_BROWSE_TREE,
    COP_BROWSE_TREE_FRAME,
    /* Runs with applications, likewise. */
    COP_BROWSE_JOB,
    COP_BROWSE_JOB_RANK,
    COP_BROWSE_JOB_COLLECTIVE,
    COP_BROWSE_JOB_PATH, /* of each job, the last step first */
    COP_BROWSE_JOB_SLICE,
};

enum cop_cell_kind { COP_CELL_NULL, COP_CELL_INT, COP_CELL_REAL, COP_CELL_TEXT, COP_CELL_DATA };

typedef struct cop_cell {
    const char *name; /* of the column */
    enum cop_cell_kind kind;
    int64_t i;
    double real; /* also set for COP_CELL_INT */
    const char *text; /* never NULL; lives until the callback returns */
    const void *data; /* COP_CELL_DATA: so many bytes, as long; else NULL */
    size_t bytes;
} cop_cell;

/* Return 0 to go on, anything else to stop. */
typedef int (*cop_browse_fn)(void *user, const cop_cell *cells, size_t n);

/* 0, or what the callback stopped with, or -COP_E_IO. */
int cop_store_browse(cop_store *s, enum cop_browse_what what, int64_t run_id, cop_browse_fn fn,
                     void *user, cop_err *err);

#endif
