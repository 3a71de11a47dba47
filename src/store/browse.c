/* Row by row through what a run stored.
 *
 * In:  an open handle, a table and a run. Out: cells, or a fault in words.
 * The file may have been edited: text in it is not trusted.
 */
#include "store/browse.h"

#include "store/store_int.h"

#include <sqlite3.h>
#include <string.h>

static const char *const questions[] = {
    [COP_BROWSE_SCALAR] = "SELECT name, unit, value FROM scalar WHERE run_id = ?",
    [COP_BROWSE_SERIES] = "SELECT name, unit, sample_ns, n FROM series WHERE run_id = ?",
    [COP_BROWSE_ENTRY] = "SELECT * FROM entry WHERE run_id = ? ORDER BY total_gbps DESC",
    [COP_BROWSE_NODE] = "SELECT * FROM node WHERE run_id = ? ORDER BY node",
    [COP_BROWSE_PORT] = "SELECT * FROM port WHERE run_id = ? ORDER BY port",
    [COP_BROWSE_HIST] = "SELECT * FROM distribution WHERE run_id = ? ORDER BY name, low_ns",
    [COP_BROWSE_FRAME] = "SELECT * FROM frame WHERE run_id = ? ORDER BY frame",
    [COP_BROWSE_TREE] = "SELECT * FROM tree WHERE run_id = ? ORDER BY tree",
    [COP_BROWSE_TREE_FRAME] = "SELECT * FROM tree_frame WHERE run_id = ? ORDER BY frame, tree",
    [COP_BROWSE_JOB] = "SELECT * FROM job WHERE run_id = ? ORDER BY job",
    [COP_BROWSE_JOB_RANK] = "SELECT * FROM job_rank WHERE run_id = ? ORDER BY job, rank",
    [COP_BROWSE_JOB_COLLECTIVE] =
        "SELECT * FROM job_collective WHERE run_id = ? ORDER BY job, collective",
    [COP_BROWSE_JOB_PATH] = "SELECT * FROM job_path WHERE run_id = ? ORDER BY job, step",
    [COP_BROWSE_JOB_SLICE] = "SELECT * FROM job_slice WHERE run_id = ? ORDER BY job, slice",
};

/* Tables that older files do not have. */
static const char *const later[] = {
    [COP_BROWSE_FRAME] = "frame",           [COP_BROWSE_TREE] = "tree",
    [COP_BROWSE_TREE_FRAME] = "tree_frame", [COP_BROWSE_JOB] = "job",
    [COP_BROWSE_JOB_RANK] = "job_rank",     [COP_BROWSE_JOB_COLLECTIVE] = "job_collective",
    [COP_BROWSE_JOB_PATH] = "job_path",     [COP_BROWSE_JOB_SLICE] = "job_slice"};

static bool is_missing(cop_store *s, enum cop_browse_what what)
{
    sqlite3_stmt *st = NULL;
    if ((size_t)what >= COP_LEN(later) || later[what] == NULL)
        return false;
    bool found = sqlite3_prepare_v2(s->db,
                                    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND "
                                    "name = ?",
                                    -1, &st, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(st, 1, later[what], -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(st) == SQLITE_ROW;
    sqlite3_finalize(st);
    return !found;
}

static void fill(sqlite3_stmt *st, int column, cop_cell *c)
{
    c->name = sqlite3_column_name(st, column);
    c->kind = COP_CELL_NULL;
    c->i = 0;
    c->real = 0.0;
    c->text = "";
    c->data = NULL;
    c->bytes = 0;
    switch (sqlite3_column_type(st, column)) {
    case SQLITE_INTEGER:
        c->kind = COP_CELL_INT;
        c->i = sqlite3_column_int64(st, column);
        c->real = (double)c->i;
        break;
    case SQLITE_FLOAT:
        c->kind = COP_CELL_REAL;
        c->real = sqlite3_column_double(st, column);
        break;
    case SQLITE_TEXT:
        c->kind = COP_CELL_TEXT;
        c->text = (const char *)sqlite3_column_text(st, column);
        break;
    case SQLITE_BLOB:
        c->kind = COP_CELL_DATA;
        c->data = sqlite3_column_blob(st, column);
        c->bytes = (size_t)sqlite3_column_bytes(st, column);
        break;
    default:
        break;
    }
}

int cop_store_browse(cop_store *s, enum cop_browse_what what, int64_t run_id, cop_browse_fn fn,
                     void *user, cop_err *err)
{
    sqlite3_stmt *st = NULL;
    if (is_missing(s, what))
        return 0;
    if (sqlite3_prepare_v2(s->db, questions[what], -1, &st, NULL) != SQLITE_OK)
        return cop_store_fault(s, err);
    (void)sqlite3_bind_int64(st, 1, run_id);
    int n = sqlite3_column_count(st), rc = 0, got = SQLITE_DONE;
    cop_cell *cells = cop_alloc_array((size_t)n, sizeof(*cells));
    while (rc == 0 && (got = sqlite3_step(st)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++)
            fill(st, i, &cells[i]);
        rc = fn(user, cells, (size_t)n);
    }
    if (rc == 0 && got != SQLITE_DONE)
        rc = cop_store_fault(s, err);
    cop_free(cells);
    sqlite3_finalize(st);
    return rc;
}
