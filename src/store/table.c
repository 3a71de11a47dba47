/* See table.h. */
#include "store/table.h"

#include <sqlite3.h>
#include <stdio.h>

static sqlite3_stmt *ask(cop_table *t, const char *what, const char *table, const char *order)
{
    const char *where = t->run != 0 ? "run_id = ?"
                        : t->study  ? "experiment = ? AND scale = ?"
                                    : "1";
    char sql[512];
    snprintf(sql, sizeof(sql), "SELECT %s FROM %s WHERE %s ORDER BY %s", what, table, where, order);
    sqlite3_stmt *st = cop_store_prepare(t->s, sql, t->err);
    if (st == NULL) {
        t->rc = -COP_E_IO;
    } else if (t->run != 0) {
        (void)sqlite3_bind_int64(st, 1, t->run);
    } else if (t->study != NULL) {
        (void)sqlite3_bind_text(st, 1, t->study, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(st, 2, t->scale, -1, SQLITE_STATIC);
    }
    return st;
}

void *cop_table_load(cop_table *t, const char *table, const char *columns, const char *order,
                     size_t item_bytes, uint32_t *n, cop_table_row_fn fn)
{
    uint64_t rows = 0;
    *n = 0;
    sqlite3_stmt *st = t->rc == 0 ? ask(t, "count(*)", table, "1") : NULL;
    if (st != NULL && (t->rc = cop_store_step(t->s, st, t->err)) > 0)
        rows = cop_store_count(st, 0);
    sqlite3_finalize(st);
    rows = rows < UINT32_MAX ? rows : UINT32_MAX - 1;
    st = t->rc >= 0 ? ask(t, columns, table, order) : NULL;
    if (st == NULL)
        return NULL;
    char *items = cop_arena_array(t->arena, (size_t)rows + 1, item_bytes);
    while (t->rc >= 0 && *n < rows && (t->rc = cop_store_step(t->s, st, t->err)) > 0)
        t->rc = fn(t, st, items + (*n)++ * item_bytes);
    sqlite3_finalize(st);
    t->rc = t->rc < 0 ? t->rc : 0;
    return items;
}

const char *cop_table_text(const cop_table *t, sqlite3_stmt *st, int column)
{
    return cop_arena_strdup(t->arena, cop_store_text(st, column));
}
