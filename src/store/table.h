/* The rows of a table as an array in memory. Private to src/store. */
#ifndef COP_STORE_TABLE_H
#define COP_STORE_TABLE_H

#include "store/store_int.h"

/* Whose rows, and where they go. The first fault sticks; later calls then do nothing. */
typedef struct cop_table {
    cop_store *s;
    cop_arena *arena; /* of arrays and texts */
    cop_err *err;
    int64_t run; /* rows of this run; 0: */
    const char *study, *scale; /* of this study; NULL: all rows */
    void *to; /* for row functions */
    int rc; /* 0 or the fault */
} cop_table;

/* Reads a row into an element of the array; negative on a fault. */
typedef int (*cop_table_row_fn)(const cop_table *t, struct sqlite3_stmt *st, void *item);

/* Reads all rows; the array has a zeroed element behind them. NULL after a fault. */
void *cop_table_load(cop_table *t, const char *table, const char *columns, const char *order,
                     size_t item_bytes, uint32_t *n, cop_table_row_fn fn);

/* Text of a column, in the arena; "" for NULL. */
const char *cop_table_text(const cop_table *t, struct sqlite3_stmt *st, int column);

/* trees.c: trees and times of frames. */
void cop_store_load_trees(cop_table *t, cop_result *r);

#endif
