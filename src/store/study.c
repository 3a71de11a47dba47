/* Writes and reads studies. See study.h; the tables are in schema.c. */
#include "store/study.h"

#include "store/rows.h"
#include "store/store_int.h"

#include <sqlite3.h>
#include <stdio.h>

static int forget(cop_store *s, const cop_study_record *r, cop_err *err)
{
    static const char *const sql[] = {
        "DELETE FROM point WHERE experiment = ? AND scale = ?",
        "DELETE FROM verdict WHERE experiment = ? AND scale = ?",
        "DELETE FROM figure WHERE experiment = ? AND scale = ?",
        "DELETE FROM experiment WHERE name = ? AND scale = ?",
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COP_LEN(sql); i++) {
        cop_rows w = cop_rows_open(s, sql[i], err);
        cop_put_text(&w, r->name);
        cop_put_text(&w, r->scale);
        cop_row_end(&w);
        rc = cop_rows_close(&w);
    }
    return rc;
}

static int write_experiment(cop_store *s, const cop_study_record *r, cop_err *err)
{
    cop_rows w = cop_rows_open(s,
                               "INSERT INTO experiment VALUES (?,?,?,?,?,?,?,?,?,?,?,?,"
                               " strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                               err);
    cop_put_text(&w, r->name);
    cop_put_text(&w, r->scale);
    cop_put_text(&w, r->title);
    cop_put_text(&w, r->paper);
    cop_put_text(&w, r->about);
    cop_put_text(&w, r->choices);
    cop_put_text(&w, r->config);
    cop_put_text(&w, r->command);
    cop_put_int(&w, r->seeds);
    cop_put_int(&w, r->runs);
    cop_put_int(&w, r->failed);
    cop_put_text(&w, r->inputs);
    cop_row_end(&w);
    return cop_rows_close(&w);
}

/* Rows that all belong to one study: its name and scale stay bound, the position follows. */
static cop_rows rows_of_study(cop_store *s, const cop_study_record *r, const char *sql,
                              cop_err *err)
{
    cop_rows w = cop_rows_open(s, sql, err);
    cop_put_text(&w, r->name);
    cop_put_text(&w, r->scale);
    w.first = 3;
    return w;
}

static int write_points(cop_store *s, const cop_study_record *r, cop_err *err)
{
    cop_rows w = rows_of_study(s, r, "INSERT INTO point VALUES (?,?,?,?,?,?,?,?)", err);
    for (size_t i = 0; i < r->n_points; i++) {
        const cop_study_point *p = &r->point[i];
        cop_put_int(&w, (int64_t)i);
        cop_put_text(&w, p->label);
        cop_put_text(&w, p->axes);
        cop_put_int(&w, p->seed);
        if (p->run_id > 0)
            cop_put_int(&w, p->run_id);
        else
            cop_put_null(&w);
        cop_put_text(&w, p->outcome);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_verdicts(cop_store *s, const cop_study_record *r, cop_err *err)
{
    cop_rows w =
        rows_of_study(s, r, "INSERT INTO verdict VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", err);
    for (size_t i = 0; i < r->n_verdicts; i++) {
        const cop_study_verdict *v = &r->verdict[i];
        const char *const columns[] = {v->id,       v->paper,    v->place,     v->metric,
                                       v->kind,     v->expected, v->tolerance, v->state,
                                       v->measured, v->explain,  v->items};
        cop_put_int(&w, (int64_t)i);
        for (size_t c = 0; c < COP_LEN(columns); c++)
            cop_put_text(&w, columns[c]);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_figures(cop_store *s, const cop_study_record *r, cop_err *err)
{
    cop_rows w = rows_of_study(s, r, "INSERT INTO figure VALUES (?,?,?,?,?)", err);
    for (size_t i = 0; i < r->n_figures; i++) {
        cop_put_int(&w, (int64_t)i);
        cop_put_text(&w, r->figure[i].name);
        cop_put_text(&w, r->figure[i].spec);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

int cop_store_put_study(cop_store *s, const cop_study_record *r, cop_err *err)
{
    int rc = cop_store_begin(s, err);
    if (rc != 0)
        return rc;
    rc = forget(s, r, err);
    if (rc == 0)
        rc = write_experiment(s, r, err);
    if (rc == 0)
        rc = write_points(s, r, err);
    if (rc == 0)
        rc = write_verdicts(s, r, err);
    if (rc == 0)
        rc = write_figures(s, r, err);
    if (rc == 0)
        rc = cop_store_commit(s, err);
    if (rc != 0)
        cop_store_rollback(s);
    return rc;
}

/* -- reading -- */

typedef struct study_reader {
    cop_store *s;
    cop_arena *arena;
    cop_err *err;
} study_reader;

static const char *copy(study_reader *q, sqlite3_stmt *st, int column)
{
    return cop_arena_strdup(q->arena, cop_store_text(st, column));
}

static sqlite3_stmt *ask(study_reader *q, const cop_study_record *r, const char *what,
                         const char *table)
{
    char sql[256];
    snprintf(sql, sizeof(sql),
             "SELECT %s FROM %s WHERE experiment = ? AND scale = ? ORDER BY position", what, table);
    sqlite3_stmt *st = cop_store_prepare(q->s, sql, q->err);
    if (st == NULL)
        return NULL;
    (void)sqlite3_bind_text(st, 1, r->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(st, 2, r->scale, -1, SQLITE_STATIC);
    return st;
}

/* Room for the rows of one table of a study; negative on a fault. */
static int64_t room(study_reader *q, const cop_study_record *r, const char *table)
{
    sqlite3_stmt *st = ask(q, r, "count(*)", table);
    if (st == NULL)
        return -COP_E_IO;
    int64_t n =
        cop_store_step(q->s, st, q->err) > 0 ? sqlite3_column_int64(st, 0) : -(int64_t)COP_E_IO;
    sqlite3_finalize(st);
    return n;
}

static int read_points(study_reader *q, cop_study_record *r)
{
    int64_t n = room(q, r, "point");
    sqlite3_stmt *st = n < 0 ? NULL : ask(q, r, "label, axes, seed, run_id, outcome", "point");
    if (st == NULL)
        return -COP_E_IO;
    r->point = COP_NEW_ARRAY(q->arena, cop_study_point, n);
    int rc = 0;
    while ((int64_t)r->n_points < n && (rc = cop_store_step(q->s, st, q->err)) > 0)
        r->point[r->n_points++] = (cop_study_point){.label = copy(q, st, 0),
                                                    .axes = copy(q, st, 1),
                                                    .seed = sqlite3_column_int64(st, 2),
                                                    .run_id = sqlite3_column_int64(st, 3),
                                                    .outcome = copy(q, st, 4)};
    sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

static int read_verdicts(study_reader *q, cop_study_record *r)
{
    int64_t n = room(q, r, "verdict");
    sqlite3_stmt *st = n < 0 ? NULL
                             : ask(q, r,
                                   "id, paper, place, metric, kind, expected, tolerance, state,"
                                   " measured, explain, items",
                                   "verdict");
    if (st == NULL)
        return -COP_E_IO;
    r->verdict = COP_NEW_ARRAY(q->arena, cop_study_verdict, n);
    int rc = 0;
    while ((int64_t)r->n_verdicts < n && (rc = cop_store_step(q->s, st, q->err)) > 0)
        r->verdict[r->n_verdicts++] = (cop_study_verdict){.id = copy(q, st, 0),
                                                          .paper = copy(q, st, 1),
                                                          .place = copy(q, st, 2),
                                                          .metric = copy(q, st, 3),
                                                          .kind = copy(q, st, 4),
                                                          .expected = copy(q, st, 5),
                                                          .tolerance = copy(q, st, 6),
                                                          .state = copy(q, st, 7),
                                                          .measured = copy(q, st, 8),
                                                          .explain = copy(q, st, 9),
                                                          .items = copy(q, st, 10)};
    sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

static int read_figures(study_reader *q, cop_study_record *r)
{
    int64_t n = room(q, r, "figure");
    sqlite3_stmt *st = n < 0 ? NULL : ask(q, r, "name, spec", "figure");
    if (st == NULL)
        return -COP_E_IO;
    r->figure = COP_NEW_ARRAY(q->arena, cop_study_figure, n);
    int rc = 0;
    while ((int64_t)r->n_figures < n && (rc = cop_store_step(q->s, st, q->err)) > 0)
        r->figure[r->n_figures++] =
            (cop_study_figure){.name = copy(q, st, 0), .spec = copy(q, st, 1)};
    sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

static void fill_record(study_reader *q, sqlite3_stmt *st, cop_study_record *r)
{
    *r = (cop_study_record){.name = copy(q, st, 0),
                            .scale = copy(q, st, 1),
                            .title = copy(q, st, 2),
                            .paper = copy(q, st, 3),
                            .about = copy(q, st, 4),
                            .choices = copy(q, st, 5),
                            .config = copy(q, st, 6),
                            .command = copy(q, st, 7),
                            .seeds = sqlite3_column_int64(st, 8),
                            .runs = sqlite3_column_int64(st, 9),
                            .failed = sqlite3_column_int64(st, 10),
                            .inputs = copy(q, st, 11),
                            .updated_at = copy(q, st, 12)};
}

static int read_records(study_reader *q, cop_study_record *list, int64_t n, size_t *found)
{
    sqlite3_stmt *st = cop_store_prepare(
        q->s,
        "SELECT name, scale, title, paper, about, choices, config, command, seeds, runs, failed,"
        " inputs, updated_at FROM experiment ORDER BY name, scale",
        q->err);
    if (st == NULL)
        return -COP_E_IO;
    int rc = 0;
    while ((int64_t)*found < n && (rc = cop_store_step(q->s, st, q->err)) > 0)
        fill_record(q, st, &list[(*found)++]);
    sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

int cop_store_studies(cop_store *s, cop_arena *arena, cop_study_record **list, size_t *n,
                      cop_err *err)
{
    study_reader q = {.s = s, .arena = arena, .err = err};
    int64_t rows = 0;
    *n = 0;
    int rc = cop_store_ask(s, "SELECT count(*) FROM experiment", &rows, err);
    if (rc != 0)
        return rc;
    *list = COP_NEW_ARRAY(arena, cop_study_record, rows);
    rc = read_records(&q, *list, rows, n);
    for (size_t i = 0; rc == 0 && i < *n; i++) {
        rc = read_points(&q, &(*list)[i]);
        if (rc == 0)
            rc = read_verdicts(&q, &(*list)[i]);
        if (rc == 0)
            rc = read_figures(&q, &(*list)[i]);
    }
    return rc;
}
