/* Private to src/store and its tests. */
#ifndef COP_STORE_INT_H
#define COP_STORE_INT_H

#include "base/mem.h"
#include "store/store.h"

struct sqlite3;

/* "COPP" in the file's header: this is a database of ours. */
#define COP_STORE_APPLICATION_ID 0x434f5050
/* Raise it with every change of the tables. Files from the oldest version on are read as they are,
 * and brought up to date when they are written to (upgrade.c). */
#define COP_STORE_SCHEMA_VERSION 4
#define COP_STORE_OLDEST_VERSION 2
#define COP_STORE_BUSY_MS 10000

struct cop_store {
    struct sqlite3 *db;
    char *path; /* as the user wrote it, for messages */
    int busy_ms;
    bool write;
    cop_deferred open; /* SQLite's memory is not ours */
};

/* The statements that make an empty database ours; ends with NULL. */
extern const char *const cop_store_schema[];
/* Those that a file of version 3 needs to be one of version 4. */
extern const char *const cop_store_schema_trees[];

/* Are there tables of trees? A file of an earlier version has none. */
bool cop_store_has_trees(cop_store *s);
/* trees.c: trees of a result; the caller holds the transaction. */
int cop_store_write_trees(cop_store *s, int64_t run, const cop_result *r, cop_err *err);
/* Bytes of what a frame says of each of n ports, filled up to whole numbers. */
static inline size_t cop_store_frame_ports(uint32_t n)
{
    return (cop_product(n, sizeof(uint32_t) + 2) + 3) / 4 * 4;
}
/* And those that version 4 added: tables of applications, and the trigger anew. */
extern const char *const cop_store_job_schema[];
extern const char cop_store_trigger[], cop_store_old_trigger[]; /* of this version, and before */
extern const char cop_store_tree_trigger[];

/* Bring the tables of a file of version `from` up to date; nothing to do if they are. */
int cop_store_upgrade(cop_store *s, int64_t from, cop_err *err);

/* Turn what SQLite last complained about into one line for the user. Returns -COP_E_IO, or
 * -COP_E_MEMORY. */
int cop_store_fault(const cop_store *s, cop_err *err);
/* Find the plain mistakes in a path before SQLite sees it. */
int cop_store_check_path(const char *path, bool write, cop_err *err);

int cop_store_exec(cop_store *s, const char *sql, cop_err *err);
/* First column of the first row as a whole number. No row is a fault of the caller. */
int cop_store_ask(cop_store *s, const char *sql, int64_t *value, cop_err *err);

/* Between begin and commit no other program can write. */
int cop_store_begin(cop_store *s, cop_err *err);
int cop_store_commit(cop_store *s, cop_err *err);
void cop_store_rollback(cop_store *s);
/* All rows of a run; the caller holds the transaction. */
int cop_store_write_rows(cop_store *s, const cop_store_meta *meta, const cop_result *r,
                         int64_t *run_id, cop_err *err);
/* jobs.c: those of its applications. */
int cop_store_write_jobs(cop_store *s, int64_t run, const cop_result *r, cop_err *err);

/* A prepared question; NULL after a fault. */
struct sqlite3_stmt *cop_store_prepare(cop_store *s, const char *sql, cop_err *err);
/* 1: a row, 0: no more rows, negative: a fault. */
int cop_store_step(cop_store *s, struct sqlite3_stmt *st, cop_err *err);
/* Text of a column; "" for NULL. */
const char *cop_store_text(struct sqlite3_stmt *st, int column);
/* A number; NaN for NULL. */
double cop_store_real(struct sqlite3_stmt *st, int column);
/* A count; 0 for what cannot be one. */
uint64_t cop_store_count(struct sqlite3_stmt *st, int column);
/* A number of 32 bits; COP_NONE for NULL and what cannot be one. */
uint32_t cop_store_number(struct sqlite3_stmt *st, int column);
/* Nanoseconds as whole picoseconds; 0 for what cannot be a time. */
cop_time cop_store_ps(double ns);
int cop_store_fill_series(cop_store *s, struct sqlite3_stmt *st, int64_t run_id, cop_series *out,
                          cop_arena *arena, cop_err *err);

#endif
