/* A handle on a result file: open, recognise or create, transactions.
 *
 * In:  a path. Out: a handle, or one line that says what is wrong with the path or file.
 * Invariants:
 *   - a file that is not ours is never changed, not even its journal mode;
 *   - a new file gets all its tables in one transaction, so two programs that create it at the
 *     same time both find it whole, and a full disk leaves it empty, which counts as new;
 *   - writers take the write lock at BEGIN, so a transaction never fails half way for a lock.
 * The journal is a write-ahead log where the file system can do it (readers then never wait for
 * writers); elsewhere SQLite's rollback journal is as safe. Every commit is synced to the disk.
 * Source: sqlite.org, "Pragma statements", "Write-Ahead Logging", "Uniform Resource Identifiers".
 */
#include "store/store_int.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct identity {
    int64_t application, version, objects;
} identity;

int cop_store_exec(cop_store *s, const char *sql, cop_err *err)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return cop_store_fault(s, err);
    return 0;
}

int cop_store_ask(cop_store *s, const char *sql, int64_t *value, cop_err *err)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        return cop_store_fault(s, err);
    int rc = sqlite3_step(st), result = 0;
    if (rc == SQLITE_ROW)
        *value = sqlite3_column_int64(st, 0);
    else
        result = cop_store_fault(s, err);
    sqlite3_finalize(st);
    return result;
}

int cop_store_begin(cop_store *s, cop_err *err)
{
    cop_store_rollback(s); /* one for which there was no memory, perhaps */
    return cop_store_exec(s, "BEGIN IMMEDIATE", err);
}

int cop_store_commit(cop_store *s, cop_err *err)
{
    return cop_store_exec(s, "COMMIT", err);
}

void cop_store_rollback(cop_store *s)
{
    /* Some faults, a full disk among them, have already rolled back. */
    if (!sqlite3_get_autocommit(s->db))
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

void cop_store_patience(cop_store *s, int milliseconds)
{
    s->busy_ms = milliseconds;
    (void)sqlite3_busy_timeout(s->db, milliseconds);
}

/* A name SQLite takes for a file whatever it looks like: not ":memory:", not "file:...". */
static int attach(cop_store *s, const char *name, int flags, cop_err *err)
{
    cop_arena a = {0};
    const char *prefix = name[0] == '/' || (flags & SQLITE_OPEN_URI) ? "" : "./";
    int rc = sqlite3_open_v2(cop_arena_printf(&a, "%s%s", prefix, name), &s->db, flags, NULL);
    cop_arena_free(&a);
    if (rc != SQLITE_OK)
        return cop_store_fault(s, err);
    (void)sqlite3_extended_result_codes(s->db, 1);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    cop_store_patience(s, s->busy_ms);
    return 0;
}

static bool has_log(const char *path)
{
    cop_arena a = {0};
    struct stat st;
    bool yes = stat(cop_arena_printf(&a, "%s-wal", path), &st) == 0;
    cop_arena_free(&a);
    return yes;
}

/* Reopen as immutable: the only way to read a file with a write-ahead log from a read-only folder
 * or disk. */
static int attach_immutable(cop_store *s, cop_err *err)
{
    cop_arena a = {0};
    size_t n = strlen(s->path);
    char *uri = cop_arena_array(&a, 3, n + sizeof("file://?immutable=1")), *at = uri;
    at += sprintf(at, s->path[0] == '/' ? "file://" : "file:");
    for (const char *p = s->path; *p; p++)
        at += sprintf(at, isalnum((unsigned char)*p) || *p == '/' ? "%c" : "%%%02X",
                      (unsigned char)*p);
    sprintf(at, "?immutable=1");
    sqlite3_close(s->db);
    s->db = NULL;
    int result = attach(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    cop_arena_free(&a);
    return result;
}

static int identify(cop_store *s, identity *id, cop_err *err)
{
    int rc = cop_store_ask(s, "PRAGMA application_id", &id->application, err);
    if (rc == 0)
        rc = cop_store_ask(s, "PRAGMA user_version", &id->version, err);
    if (rc == 0)
        rc = cop_store_ask(s, "SELECT count(*) FROM sqlite_master", &id->objects, err);
    return rc;
}

static bool is_fresh(const identity *id)
{
    return id->application == 0 && id->version == 0 && id->objects == 0;
}

/* How many views have a name of ours, and another text. */
static int count_other_views(cop_store *s, int64_t *n, cop_err *err)
{
    char name[32];
    int rc = 0;
    for (const char *const *sql = cop_store_schema; rc == 0 && *sql != NULL; sql++) {
        if (sscanf(*sql, "CREATE VIEW %31[a-z]", name) != 1)
            continue;
        sqlite3_stmt *st = cop_store_prepare(
            s,
            "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND lower(name) = ?"
            " AND sql IS NOT ?",
            err);
        if (st == NULL)
            return -COP_E_IO;
        (void)sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(st, 2, *sql, -1, SQLITE_STATIC);
        if (sqlite3_step(st) == SQLITE_ROW)
            *n += sqlite3_column_int64(st, 0);
        else
            rc = cop_store_fault(s, err);
        sqlite3_finalize(st);
    }
    return rc;
}

/* A file may be malicious: a view in place of a table, or a computed column, can return anything
 * and run for ever when it is read; so can a trigger when something is written. */
static int check_objects(cop_store *s, cop_err *err)
{
    char sql[4096];
    int64_t foreign = 0;
    /* Our own text, without quotes; %Q would need memory, and cut the statement off if there is none. */
    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%%'"
             " OR (type = 'trigger' AND sql NOT IN ('%s', '%s', '%s')) OR (type = 'view' AND "
             "lower(name) "
             "IN ('meta', 'run',"
             " 'scalar', 'series', 'stream', 'node', 'port', 'flow', 'hist', 'experiment', 'point',"
             " 'verdict', 'figure', 'frame', 'tree', 'tree_root', 'tree_frame',"
             " 'job', 'job_rank', 'job_collective', 'job_path', 'job_slice'))",
             cop_store_trigger, cop_store_old_trigger, cop_store_tree_trigger);
    int rc = cop_store_ask(s, sql, &foreign, err);
    if (rc == 0 && foreign == 0)
        rc =
            cop_store_ask(s,
                          "SELECT count(*) FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c"
                          " WHERE m.type = 'table' AND c.hidden IN (2, 3)",
                          &foreign, err);
    if (rc == 0 && foreign == 0)
        rc = count_other_views(s, &foreign, err);
    if (rc == 0 && foreign > 0)
        rc = cop_err_add(
            err, COP_E_IO,
            "%s: has triggers, virtual tables, computed columns or views in the place of "
            "tables that are not coppice's; give a file as coppice writes it",
            s->path);
    return rc;
}

static int check_identity(cop_store *s, const identity *id, cop_err *err)
{
    if (id->application != COP_STORE_APPLICATION_ID)
        return cop_err_add(err, COP_E_IO,
                           "%s: is a database of another program; give a file written by coppice "
                           "or a new name",
                           s->path);
    if (id->version > COP_STORE_SCHEMA_VERSION)
        return cop_err_add(err, COP_E_IO,
                           "%s: was written by a newer coppice (schema %" PRId64
                           ", this one knows %d); use that coppice or give a new name",
                           s->path, id->version, COP_STORE_SCHEMA_VERSION);
    if (id->version < COP_STORE_OLDEST_VERSION)
        return cop_err_add(err, COP_E_IO,
                           "%s: was written by an older coppice (schema %" PRId64
                           ", this one needs %d); keep it for that coppice and give a new name",
                           s->path, id->version, COP_STORE_OLDEST_VERSION);
    return check_objects(s, err);
}

static int create_tables(cop_store *s, cop_err *err)
{
    char sql[256];
    int rc = 0;
    for (const char *const *p = cop_store_schema; rc == 0 && *p != NULL; p++)
        rc = cop_store_exec(s, *p, err);
    for (const char *const *p = cop_store_job_schema; rc == 0 && *p != NULL; p++)
        rc = cop_store_exec(s, *p, err);
    snprintf(sql, sizeof(sql),
             "INSERT INTO meta VALUES ('schema_version', '%d'), ('created_at', "
             "strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', 'now'));"
             "PRAGMA application_id = %d; PRAGMA user_version = %d",
             COP_STORE_SCHEMA_VERSION, COP_STORE_APPLICATION_ID, COP_STORE_SCHEMA_VERSION);
    return rc == 0 ? cop_store_exec(s, sql, err) : rc;
}

static int create(cop_store *s, cop_err *err)
{
    identity id = {0};
    int rc = cop_store_begin(s, err);
    if (rc == 0)
        rc = identify(s, &id, err);
    /* Another program may have been quicker; then there is only its work to check. */
    if (rc == 0)
        rc = is_fresh(&id) ? create_tables(s, err) : check_identity(s, &id, err);
    if (rc == 0)
        rc = cop_store_commit(s, err);
    if (rc != 0)
        cop_store_rollback(s);
    return rc;
}

static int prepare_write(cop_store *s, const identity *id, cop_err *err)
{
    if (sqlite3_db_readonly(s->db, "main") == 1)
        return cop_err_add(err, COP_E_IO, "%s: cannot be written; give a file you may write",
                           s->path);
    /* May fail: file systems without shared memory keep the rollback journal. */
    (void)sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (is_fresh(id)) {
        int rc = create(s, err);
        if (rc != 0)
            return rc;
    }
    if (!is_fresh(id)) {
        int rc = cop_store_upgrade(s, id->version, err);
        if (rc != 0)
            return rc;
    }
    return cop_store_exec(s, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", err);
}

static int open_existing(cop_store *s, identity *id, cop_err *err)
{
    int rc = attach(s, s->path, SQLITE_OPEN_READWRITE | (s->write ? SQLITE_OPEN_CREATE : 0), err);
    if (rc != 0)
        return rc;
    cop_err first = {0};
    /* One transaction: between two questions another program may create the tables. */
    rc = cop_store_exec(s, "BEGIN", &first);
    if (rc == 0)
        rc = identify(s, id, &first);
    int code = sqlite3_extended_errcode(s->db) & 0xff;
    cop_store_rollback(s);
    bool no_room_for_log = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
    if (rc != 0 && !s->write && no_room_for_log && !has_log(s->path)) {
        rc = attach_immutable(s, err);
        return rc == 0 ? identify(s, id, err) : rc;
    }
    if (rc != 0)
        cop_err_add(err, first.code, "%s", first.text);
    return rc;
}

/* Left in the middle for want of memory: statements may be open, which keep a connection alive. What
 * was not committed is rolled back. */
static void abandon(void *store)
{
    cop_store *s = store;
    for (sqlite3_stmt *st; s->db != NULL && (st = sqlite3_next_stmt(s->db, NULL)) != NULL;)
        sqlite3_finalize(st);
    sqlite3_close(s->db);
}

int cop_store_open(cop_store **out, const char *path, bool write, cop_err *err)
{
    *out = NULL;
    int rc = cop_store_check_path(path, write, err);
    if (rc != 0)
        return rc;
    cop_store *s = cop_alloc(sizeof(*s));
    s->path = strcpy(cop_alloc(strlen(path) + 1), path);
    s->write = write;
    s->busy_ms = COP_STORE_BUSY_MS;
    cop_mem_defer(&s->open, abandon, s);
    identity id = {0};
    rc = open_existing(s, &id, err);
    if (rc == 0 && !is_fresh(&id))
        rc = check_identity(s, &id, err);
    else if (rc == 0 && !write)
        rc = cop_err_add(err, COP_E_IO,
                         "%s: is empty; give a database written by `coppice run --db FILE`", path);
    if (rc == 0)
        rc = write ? prepare_write(s, &id, err) : cop_store_exec(s, "PRAGMA query_only = ON", err);
    if (rc != 0) {
        cop_store_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

void cop_store_close(cop_store *s)
{
    if (s == NULL)
        return;
    cop_mem_forget(&s->open);
    sqlite3_close(s->db);
    cop_free(s->path);
    cop_free(s);
}

const char *cop_store_library(void)
{
    return sqlite3_libversion();
}
