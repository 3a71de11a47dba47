/* Rows of one table: a prepared INSERT, bound column by column. Private to src/store. */
#ifndef COP_STORE_ROWS_H
#define COP_STORE_ROWS_H

#include "store/store.h"

struct sqlite3_stmt;

/* One prepared INSERT. The first fault sticks; later calls then do nothing. */
typedef struct cop_rows {
    cop_store *s;
    cop_err *err;
    struct sqlite3_stmt *st;
    int next; /* column to bind next */
    int first; /* column a row starts with; those before it are bound once */
    int result; /* 0 or the fault */
} cop_rows;

cop_rows cop_rows_open(cop_store *s, const char *sql, cop_err *err);
void cop_put_int(cop_rows *w, int64_t v);
void cop_put_real(cop_rows *w, double v);
void cop_put_count(cop_rows *w, uint64_t v);
void cop_put_null(cop_rows *w);
void cop_put_text(cop_rows *w, const char *text);
void cop_put_text_or_null(cop_rows *w, const char *text);
void cop_put_blob(cop_rows *w, const void *data, uint64_t bytes);
void cop_put_time(cop_rows *w, cop_time t);
void cop_row_end(cop_rows *w);
int cop_rows_close(cop_rows *w);
cop_rows cop_rows_of_run(cop_store *s, int64_t run, const char *sql, cop_err *err);

#endif
