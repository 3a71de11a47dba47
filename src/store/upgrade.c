/* Result files of earlier versions.
 *
 * Version 3 adds the outcome `starved`, version 4 `stuck`. SQLite's own way to change a constraint
 * is to rewrite the text of the table in sqlite_master (sqlite.org/lang_altertable.html). Version 4
 * adds tables of applications and congestion trees, and triggers that follow a deletion. The counts
 * of contributors and victims may be NULL; files in which they could not are changed the same way.
 * Older programs still read and write such files, so the version stays. */
#include "store/store_int.h"

#include <stdio.h>

static int add_trees(cop_store *s, cop_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && cop_store_schema_trees[i] != NULL; i++)
        rc = cop_store_exec(s, cop_store_schema_trees[i], err);
    return rc;
}

static int rewrite(cop_store *s, cop_err *err)
{
    int64_t layout = 0; /* other programs read the tables again when it changes */
    int rc = add_trees(s, err);
    if (rc == 0)
        rc = cop_store_ask(s, "PRAGMA schema_version", &layout, err);
    char sql[1024];
    snprintf(
        sql, sizeof(sql),
        "PRAGMA writable_schema = ON;"
        "UPDATE sqlite_master SET sql = replace(sql, ' ''failed'')', ' ''failed'', ''starved'')')"
        " WHERE type = 'table' AND name = 'run';"
        "UPDATE sqlite_master SET sql = replace(sql, ' ''starved'')', ' ''starved'', ''stuck'')')"
        " WHERE type = 'table' AND name = 'run';"
        "UPDATE meta SET value = '%d' WHERE key = 'schema_version';"
        "PRAGMA user_version = %d; PRAGMA schema_version = %" PRId64 ";"
        "PRAGMA writable_schema = OFF",
        COP_STORE_SCHEMA_VERSION, COP_STORE_SCHEMA_VERSION, layout + 1);
    if (rc == 0)
        rc = cop_store_exec(s, sql, err);
    if (rc == 0)
        rc = cop_store_exec(s, "DROP TRIGGER IF EXISTS run_deleted", err);
    for (const char *const *p = cop_store_job_schema; rc == 0 && *p != NULL; p++)
        rc = cop_store_exec(s, *p, err);
    return rc;
}

/* May the counts of contributors and victims not be NULL? */
static int is_strict(cop_store *s, int64_t *strict, cop_err *err)
{
    return cop_store_ask(s,
                         "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'tree'"
                         " AND sql LIKE '% contributors INTEGER NOT NULL,%'",
                         strict, err);
}

static int relax(cop_store *s, cop_err *err)
{
    int64_t layout = 0;
    char sql[768];
    int rc = cop_store_ask(s, "PRAGMA schema_version", &layout, err);
    snprintf(sql, sizeof(sql),
             "PRAGMA writable_schema = ON;"
             "UPDATE sqlite_master SET sql = replace(replace(sql,"
             " ' contributors INTEGER NOT NULL,', ' contributors INTEGER,'),"
             " ' victims INTEGER NOT NULL,', ' victims INTEGER,')"
             " WHERE type = 'table' AND name = 'tree';"
             "PRAGMA schema_version = %" PRId64 "; PRAGMA writable_schema = OFF",
             layout + 1);
    return rc == 0 ? cop_store_exec(s, sql, err) : rc;
}

int cop_store_upgrade(cop_store *s, int64_t from, cop_err *err)
{
    int64_t strict = 0;
    int rc = is_strict(s, &strict, err);
    if (rc != 0 || (from >= COP_STORE_SCHEMA_VERSION && strict == 0))
        return rc;
    rc = cop_store_begin(s, err);
    if (rc == 0) /* another program may have been quicker */
        rc = cop_store_ask(s, "PRAGMA user_version", &from, err);
    if (rc == 0 && from < COP_STORE_SCHEMA_VERSION)
        rc = rewrite(s, err);
    if (rc == 0)
        rc = is_strict(s, &strict, err);
    if (rc == 0 && strict > 0)
        rc = relax(s, err);
    if (rc == 0)
        rc = cop_store_commit(s, err);
    if (rc != 0)
        cop_store_rollback(s);
    return rc;
}
