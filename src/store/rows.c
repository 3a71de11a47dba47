/* One prepared INSERT, bound column by column. See rows.h. */
#include "store/rows.h"

#include "store/store_int.h"

#include <sqlite3.h>
#include <string.h>

static void settle(cop_rows *w, int rc)
{
    if (w->result == 0 && rc != SQLITE_OK)
        w->result = cop_store_fault(w->s, w->err);
}

cop_rows cop_rows_open(cop_store *s, const char *sql, cop_err *err)
{
    cop_rows w = {.s = s, .err = err, .next = 1, .first = 1};
    settle(&w, sqlite3_prepare_v2(s->db, sql, -1, &w.st, NULL));
    return w;
}

void cop_put_int(cop_rows *w, int64_t v)
{
    if (w->result == 0)
        settle(w, sqlite3_bind_int64(w->st, w->next++, v));
}

void cop_put_real(cop_rows *w, double v)
{
    if (w->result == 0)
        settle(w, sqlite3_bind_double(w->st, w->next++, v));
}

/* SQLite's integers have a sign: a count beyond them is kept as a rounded real. */
void cop_put_count(cop_rows *w, uint64_t v)
{
    if (v <= INT64_MAX)
        cop_put_int(w, (int64_t)v);
    else
        cop_put_real(w, (double)v);
}

void cop_put_null(cop_rows *w)
{
    if (w->result == 0)
        settle(w, sqlite3_bind_null(w->st, w->next++));
}

/* The text must live until rows_end. */
void cop_put_text(cop_rows *w, const char *text)
{
    const char *t = text ? text : "";
    if (w->result == 0)
        settle(w, sqlite3_bind_text64(w->st, w->next++, t, strlen(t), SQLITE_STATIC, SQLITE_UTF8));
}

void cop_put_text_or_null(cop_rows *w, const char *text)
{
    if (text)
        cop_put_text(w, text);
    else
        cop_put_null(w);
}

void cop_put_blob(cop_rows *w, const void *data, uint64_t bytes)
{
    if (w->result == 0)
        settle(w, sqlite3_bind_blob64(w->st, w->next++, data, bytes, SQLITE_STATIC));
}

void cop_put_time(cop_rows *w, cop_time t)
{
    cop_put_real(w, (double)t / 1000.0);
}

void cop_row_end(cop_rows *w)
{
    if (w->result != 0)
        return;
    int rc = sqlite3_step(w->st);
    settle(w, rc == SQLITE_DONE ? SQLITE_OK : rc);
    (void)sqlite3_reset(w->st);
    w->next = w->first;
}

int cop_rows_close(cop_rows *w)
{
    sqlite3_finalize(w->st);
    return w->result;
}

/* Rows that all belong to one run: its id stays bound to the first column. */
cop_rows cop_rows_of_run(cop_store *s, int64_t run, const char *sql, cop_err *err)
{
    cop_rows w = cop_rows_open(s, sql, err);
    cop_put_int(&w, run);
    w.first = 2;
    return w;
}
