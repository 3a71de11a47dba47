/* Runs that are removed from a result file. See store.h.
 *
 * In:  numbers of runs. Out: their rows are gone, of all tables (schema.c: a trigger), and the file is
 * smaller by them. One transaction; a run that a stored study shows stays, whatever was asked. */
#include "store/rows.h"
#include "store/store_int.h"

#include <sqlite3.h>
#include <string.h>

bool cop_store_by_study(const char *command)
{
    /* A run that belongs to no study has its file in its command. */
    return strncmp(command, "coppice run ", 12) == 0 && strstr(command, " --db") == NULL &&
           strstr(command, " -d") == NULL;
}

static int remove_all(cop_store *s, const int64_t *id, size_t n, size_t *removed, cop_err *err)
{
    cop_rows w = cop_rows_open(s,
                               "DELETE FROM run WHERE id = ? AND id NOT IN (SELECT run_id FROM"
                               " point WHERE run_id IS NOT NULL)",
                               err);
    for (size_t i = 0; i < n; i++) {
        cop_put_int(&w, id[i]);
        cop_row_end(&w);
        *removed += w.result == 0 ? (size_t)sqlite3_changes(s->db) : 0; /* not what triggers do */
    }
    return cop_rows_close(&w);
}

int cop_store_remove(cop_store *s, const int64_t *id, size_t n, size_t *removed, cop_err *err)
{
    *removed = 0;
    int rc = cop_store_begin(s, err);
    if (rc == 0)
        rc = remove_all(s, id, n, removed, err);
    if (rc == 0)
        rc = cop_store_commit(s, err);
    if (rc != 0) {
        cop_store_rollback(s);
        *removed = 0;
        return rc;
    }
    return *removed > 0 ? cop_store_exec(s, "VACUUM", err) : 0;
}
