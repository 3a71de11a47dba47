/* Result files of earlier versions.
 *
 * Version 3 knows one more outcome, `starved`, version 4 another one, `stuck`. A constraint is no part
 * of what is stored: SQLite's own way to change one is to write it anew in the list of tables
 * (sqlite.org/lang_altertable.html). Version 4 has tables of applications and of congestion trees; they
 * are added, with triggers that follow a deletion. */
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

int cop_store_upgrade(cop_store *s, int64_t from, cop_err *err)
{
    if (from >= COP_STORE_SCHEMA_VERSION)
        return 0;
    int rc = cop_store_begin(s, err);
    if (rc == 0) /* another program may have been quicker */
        rc = cop_store_ask(s, "PRAGMA user_version", &from, err);
    if (rc == 0 && from < COP_STORE_SCHEMA_VERSION)
        rc = rewrite(s, err);
    if (rc == 0)
        rc = cop_store_commit(s, err);
    if (rc != 0)
        cop_store_rollback(s);
    return rc;
}
