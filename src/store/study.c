/* Writes and reads studies. See study.h; the tables are in schema.c. */
#include "store/study.h"

#include "store/rows.h"
#include "store/table.h"

#include <sqlite3.h>

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

static int read_point(const cop_table *t, sqlite3_stmt *st, void *item)
{
    *(cop_study_point *)item = (cop_study_point){.label = cop_table_text(t, st, 0),
                                                 .axes = cop_table_text(t, st, 1),
                                                 .seed = sqlite3_column_int64(st, 2),
                                                 .run_id = sqlite3_column_int64(st, 3),
                                                 .outcome = cop_table_text(t, st, 4),
                                                 .detail = cop_table_text(t, st, 5)};
    return 0;
}

static int read_verdict(const cop_table *t, sqlite3_stmt *st, void *item)
{
    *(cop_study_verdict *)item = (cop_study_verdict){.id = cop_table_text(t, st, 0),
                                                     .paper = cop_table_text(t, st, 1),
                                                     .place = cop_table_text(t, st, 2),
                                                     .metric = cop_table_text(t, st, 3),
                                                     .kind = cop_table_text(t, st, 4),
                                                     .expected = cop_table_text(t, st, 5),
                                                     .tolerance = cop_table_text(t, st, 6),
                                                     .state = cop_table_text(t, st, 7),
                                                     .measured = cop_table_text(t, st, 8),
                                                     .explain = cop_table_text(t, st, 9),
                                                     .items = cop_table_text(t, st, 10)};
    return 0;
}

static int read_figure(const cop_table *t, sqlite3_stmt *st, void *item)
{
    *(cop_study_figure *)item =
        (cop_study_figure){.name = cop_table_text(t, st, 0), .spec = cop_table_text(t, st, 1)};
    return 0;
}

static int read_record(const cop_table *t, sqlite3_stmt *st, void *item)
{
    *(cop_study_record *)item = (cop_study_record){.name = cop_table_text(t, st, 0),
                                                   .scale = cop_table_text(t, st, 1),
                                                   .title = cop_table_text(t, st, 2),
                                                   .paper = cop_table_text(t, st, 3),
                                                   .about = cop_table_text(t, st, 4),
                                                   .choices = cop_table_text(t, st, 5),
                                                   .config = cop_table_text(t, st, 6),
                                                   .command = cop_table_text(t, st, 7),
                                                   .seeds = sqlite3_column_int64(st, 8),
                                                   .runs = sqlite3_column_int64(st, 9),
                                                   .failed = sqlite3_column_int64(st, 10),
                                                   .inputs = cop_table_text(t, st, 11),
                                                   .updated_at = cop_table_text(t, st, 12)};
    return 0;
}

int cop_store_studies(cop_store *s, cop_arena *arena, cop_study_record **list, size_t *n,
                      cop_err *err)
{
    cop_table t = {.s = s, .arena = arena, .err = err};
    uint32_t rows;
    cop_study_record *r = cop_table_load(
        &t, "experiment",
        "name, scale, title, paper, about, choices, config, command, seeds, runs, failed, inputs,"
        " updated_at",
        "name, scale", sizeof(*r), &rows, read_record);
    *list = r;
    *n = rows;
    for (; t.rc == 0 && rows > 0; rows--, r++) {
        uint32_t count;
        t.study = r->name;
        t.scale = r->scale;
        r->point = cop_table_load(&t, "point",
                                  "label, axes, seed, run_id, outcome,"
                                  " ifnull((SELECT detail FROM run WHERE id = run_id), '')",
                                  "position", sizeof(*r->point), &count, read_point);
        r->n_points = count;
        r->verdict = cop_table_load(&t, "verdict",
                                    "id, paper, place, metric, kind, expected, tolerance, state,"
                                    " measured, explain, items",
                                    "position", sizeof(*r->verdict), &count, read_verdict);
        r->n_verdicts = count;
        r->figure = cop_table_load(&t, "figure", "name, spec", "position", sizeof(*r->figure),
                                   &count, read_figure);
        r->n_figures = count;
    }
    return t.rc;
}
